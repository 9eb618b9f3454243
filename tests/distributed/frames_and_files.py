"""Rows in Parquet files for the tests, and comparisons of rows."""

from pandas.testing import assert_frame_equal

__all__ = ["assert_same_rows", "write_files"]


def assert_same_rows(found, expected, **options):
    """Check that rows are in the same order and bitwise equal."""
    found, expected = (one.reset_index(drop=True) for one in (found, expected))
    assert_frame_equal(found, expected, **{"check_exact": True, **options})


def write_files(frame, folder, starts):
    """Write rows to files that start at the given rows; return the paths."""
    folder.mkdir(exist_ok=True)
    paths = []
    for k, (start, stop) in enumerate(zip(starts, [*starts[1:], len(frame)], strict=True)):
        part = frame.iloc[start:stop]
        part = part.assign(
            **{name: part[name].cat.remove_unused_categories() for name in part.select_dtypes("category")}
        )
        paths.append(folder / f"part_{k}.parquet")
        part.to_parquet(paths[-1], index=False, row_group_size=50 if len(part) < 5000 else 5000)
    return paths
