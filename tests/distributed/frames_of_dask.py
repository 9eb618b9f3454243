"""Data frames of Dask for the tests, and comparisons with what one process gives."""

import pandas as pd
import pytest
from pandas.testing import assert_frame_equal

__all__ = ["as_dask", "assert_declared_types", "assert_same_consensus", "in_this_process", "shuffled"]


@pytest.fixture(autouse=True)
def in_this_process():
    """Make Dask compute in this process in all tests of a module that imports this."""
    import dask  # which not all who collect the tests have

    with dask.config.set(scheduler="sync"):
        yield


def shuffled(frame):
    """Return the rows in random order, as in a frame that was never sorted."""
    return frame.sample(frac=1, random_state=1).reset_index(drop=True)


def as_dask(frame, npartitions=5):
    """Return a Dask frame of the rows in their order; queries are split unless sorted by query."""
    import dask.dataframe as dd

    return dd.from_pandas(frame, npartitions=npartitions, sort=False)


def assert_same_consensus(found, expected):
    """Check that rows are bitwise equal; ids may have the types of the engine."""
    by = [name for name in ("query", "voter", "rank", "item") if name in expected]
    ids = [name for name in ("query", "voter", "item") if name in expected]
    expected = expected.astype(found.dtypes[ids].to_dict())
    found, expected = (one.sort_values(by, ignore_index=True) for one in (found, expected))
    assert_frame_equal(found, expected, check_exact=True)


def assert_declared_types(lazy):
    """Check that every partition has the declared types, even without rows; return the rows of all partitions."""
    import dask

    parts = dask.compute(*lazy.to_delayed())
    for part in parts:
        assert [*part.dtypes.items()] == [*lazy.dtypes.items()]
    return pd.concat([part for part in parts if len(part)] or parts[:1])
