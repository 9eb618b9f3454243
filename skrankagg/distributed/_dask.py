"""Engine that applies functions to the partitions of Dask data frames."""

import dask
import numpy as np
import pandas as pd
from dask.dataframe.utils import has_known_categories

from ._partitions import Partitions, check_whole
from ._work import empty_frame


class DaskPartitions(Partitions):
    """Rows in a Dask data frame; each partition is a pandas frame."""

    def map(self, work, types):
        check_whole(self)
        nothing = empty_frame(types(self.data.dtypes))
        return self._whole().map_partitions(_Mapped(work, types, nothing.dtypes.to_dict()), meta=nothing)

    def gather(self, work):
        # For the ids of queries, the partitions are not changed, so only one column is read.
        frame = self.data if work.columns == ("query",) else self._whole()
        parts = frame[list(work.columns or self.used)].to_delayed()
        return _call_all(work, ([part] for part in parts))

    def gather_pairs(self, work, other):
        frames = [one.data[one.used] for one in (self, other)]
        dtypes = [frame.dtypes["query"] for frame in frames]
        if all(map(pd.api.types.is_numeric_dtype, dtypes)):  # equal numbers of two types differ in their hashes
            frames = [frame.astype({"query": np.result_type(*dtypes)}) for frame in frames]
        n = max(frame.npartitions for frame in frames)
        run, judged = (frame.shuffle("query", npartitions=n).to_delayed() for frame in frames)
        return _call_all(work, zip(run, judged, strict=True))

    def rows_of(self, queries):
        frame = self.data[self.used]
        return frame[frame["query"].isin(list(queries))].compute()

    def _whole(self):
        frame = self.data[self.used]
        return frame if self.partitioned else frame.shuffle("query")


class _Mapped:
    """Function that Dask applies to each partition; its results always have the column types declared to Dask."""

    def __init__(self, work, types, told):
        self.work, self.types, self.told = work, types, told

    def __call__(self, rows):
        if rows.empty:
            result = empty_frame(self.types(rows.dtypes))
        else:
            result = self.work(rows)
        return result.astype({name: dtype for name, dtype in self.told.items() if _is_known(dtype)})


def _is_known(dtype):
    """Return True unless a column type is categorical and Dask does not know its categories.

    Unknown categories may differ between partitions.
    """
    return not isinstance(dtype, pd.CategoricalDtype) or has_known_categories(pd.Series(dtype=dtype))


def _call_all(work, parts):
    """Call `work` on the rows of each partition, and return the list of results.

    Each element of `parts` contains the arguments of one call. Partitions without rows are skipped. `work` is sent to
    each worker only once.
    """
    shipped = dask.delayed(work, pure=False)
    found = dask.compute(*(dask.delayed(_call)(shipped, *rows) for rows in parts))
    return [one for one in found if one is not None]


def _call(work, *rows):
    return work(*rows) if any(len(part) for part in rows) else None
