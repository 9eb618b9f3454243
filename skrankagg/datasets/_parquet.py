"""Reading and writing of Parquet files, and the check that pyarrow is installed."""

import importlib.util
import io
from contextlib import contextmanager

import numpy as np
import pandas as pd

from .._data._frames import EXACT_LIMIT
from ..exceptions import InputError, MissingLibraryError
from ._sources import opened_raw

_MAGIC = b"PAR1"


def check_parquet(caller):
    """Raise MissingLibraryError if pyarrow, the library for Parquet files, is missing."""
    if importlib.util.find_spec("pyarrow") is None:
        raise MissingLibraryError(
            f"{caller} needs pyarrow for Parquet. Install it with pip install pyarrow, or use CSV."
        )


def is_parquet(path):
    """Return True if the first bytes of a file identify a Parquet file; the name of the file does not matter."""
    with opened_raw(path) as stream:
        return stream.read(len(_MAGIC)) == _MAGIC


def parquet_columns(path):
    """Return the names of the columns of a Parquet file as a list."""
    from pyarrow.parquet import read_schema

    with _refusals(), opened_raw(path) as stream:
        return read_schema(stream).names


@contextmanager
def _refusals():
    """Return a context manager that turns pyarrow's error for a damaged file into an InputError.

    The message does not name the file; the caller adds the name.
    """
    from pyarrow import ArrowException

    try:
        yield
    except (ArrowException, OSError, UnicodeDecodeError, MemoryError, OverflowError) as error:
        reason = " ".join(str(error).split()).rstrip(".") or type(error).__name__
        raise InputError(f"expected a Parquet file that pyarrow can read, got a damaged one ({reason})") from None


def read_parquet(path, names, numeric):
    """Read columns of a Parquet file by position.

    Parameters
    ----------
    path : str or path-like
        The Parquet file.
    names : tuple of str or None
        Names of the fields in the order of the file's columns, such as "query"; None skips a column.
    numeric : set of str
        Names of the columns with finite numbers; the other columns become text.

    Returns
    -------
    DataFrame
        One column for each name.

    Raises
    ------
    ValueError
        If a number is invalid, or an id is missing. The message does not name the file; the caller adds the name.
    """
    from pyarrow.parquet import read_metadata, read_table

    wanted = [name for name in names if name is not None]
    with _refusals(), opened_raw(path) as stream:
        table = read_table(stream)
        stream.seek(0)
        n_rows = read_metadata(stream).num_rows
        table = table.select([k for k, name in enumerate(names) if name is not None]).rename_columns(wanted)
        table.validate(full=True)
        frame = table.to_pandas(ignore_metadata=True)
    if len(frame) != n_rows:
        raise InputError(f"expected {n_rows} rows, the number in the footer of the Parquet file, got {len(frame)}")
    if len(frame) == 0:
        raise InputError("expected at least one row, got none")
    for name in wanted:
        column = frame[name]
        if name not in numeric:
            if column.isna().any():
                raise InputError(f"expected a value as {name} in every row, got none in row {column.isna().argmax()}")
            frame[name] = column.astype(str)
            continue
        if not pd.api.types.is_numeric_dtype(column.dtype):
            raise InputError(f"expected numbers as {name}, got {table.schema.field(name).type}")
        values = column.to_numpy(dtype=np.float64, na_value=np.nan)
        if not np.isfinite(values).all():
            row = int((~np.isfinite(values)).argmax())
            raise InputError(f"expected a finite number as {name} in row {row}, got {values[row]}")
        if column.dtype.kind not in "iu" or (np.abs(values) < EXACT_LIMIT).all():
            frame[name] = values
    return frame


def parquet_bytes(frame):
    """Convert a frame, without its index, to the bytes of a Parquet file."""
    stream = io.BytesIO()
    frame.to_parquet(stream, engine="pyarrow", index=False)
    return stream.getvalue()
