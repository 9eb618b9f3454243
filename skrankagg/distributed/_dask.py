"""Data frames of Dask."""

from collections.abc import Callable

import dask
import pandas as pd

from ._partitions import Partitions, check_whole
from ._work import empty_frame

__all__ = ["DaskPartitions"]


class DaskPartitions(Partitions):
    """A data frame of Dask, whose partitions are frames of pandas."""

    @staticmethod
    def _names(data):
        return list(data.columns)

    def map(self, work, types):
        if self.partitioned:
            check_whole(self)
        nothing = empty_frame(types(self.data.dtypes))
        return self._whole().map_partitions(_Mapped(work, nothing), meta=nothing)

    def gather(self, work):
        # The partitions as they are, where only a column is read to see what they hold.
        frame = self.data if work.columns == ("query",) else self._whole()
        parts = frame[self._chosen(work)].to_delayed()
        found = dask.compute(*(dask.delayed(_call)(_ship(work), part) for part in parts))
        return [one for one in found if one is not None]

    def gather_pairs(self, work, other):
        n = max(self.data.npartitions, other.data.npartitions)
        run, judged = (one.data[one.used].shuffle("query", npartitions=n).to_delayed() for one in (self, other))
        found = dask.compute(*(dask.delayed(_call)(_ship(work), *pair) for pair in zip(run, judged, strict=True)))
        return [one for one in found if one is not None]

    def rows_of(self, queries):
        frame = self.data[self.used]
        return frame[frame["query"].isin(list(queries))].compute()

    def _chosen(self, work):
        return list(work.columns or self.used)

    def _whole(self):
        frame = self.data[self.used]
        return frame if self.partitioned else frame.shuffle("query")


class _Mapped:
    """Work on a partition that may hold no row, with columns of the types that Dask was told."""

    def __init__(self, work: Callable[[pd.DataFrame], pd.DataFrame], nothing: pd.DataFrame):
        self.work, self.nothing = work, nothing

    def __call__(self, rows):
        return self.nothing if rows.empty else self.work(rows).astype(self.nothing.dtypes.to_dict())


def _ship(work):
    """Work as an object of Dask's own, which goes to each worker once."""
    return dask.delayed(work, pure=False)


def _call(work, *rows):
    return work(*rows) if any(len(part) for part in rows) else None
