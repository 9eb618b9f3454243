"""Data frames of Dask for the tests, and comparisons with what one process gives."""

import pandas as pd
import pytest
from pandas.testing import assert_frame_equal

__all__ = ["as_dask", "assert_same_consensus", "assert_types_as_told", "in_this_process", "shuffled"]


@pytest.fixture(autouse=True)
def in_this_process():
    """Dask computes in this process, in the tests of a module that imports this."""
    import dask  # which not all who collect the tests have

    with dask.config.set(scheduler="sync"):
        yield


def shuffled(frame):
    """Rows in random order, as those of a frame are that was never sorted."""
    return frame.sample(frac=1, random_state=1).reset_index(drop=True)


def as_dask(frame, npartitions=5):
    """A Dask frame of the rows as they stand, so that queries are torn unless they are sorted by query."""
    import dask.dataframe as dd

    return dd.from_pandas(frame, npartitions=npartitions, sort=False)


def assert_same_consensus(found, expected):
    """Row by row, to the last bit; ids may be in the types that the engine has for them."""
    by = [name for name in ("query", "voter", "rank", "item") if name in expected]
    ids = [name for name in ("query", "voter", "item") if name in expected]
    expected = expected.astype(found.dtypes[ids].to_dict())
    found, expected = (one.sort_values(by, ignore_index=True) for one in (found, expected))
    assert_frame_equal(found, expected, check_exact=True)


def assert_types_as_told(lazy):
    """A partition has the types that Dask was told, whether it holds rows or not."""
    import dask

    told = pd.Series(lazy.dtypes)
    for part in dask.compute(*lazy.to_delayed()):
        assert_frame_equal(part.dtypes.to_frame(), told.to_frame())
