"""Reading and writing of Parquet files, and the check that pyarrow is installed."""

import importlib.util
import io
from collections import Counter
from contextlib import contextmanager

import numpy as np
import pandas as pd

from .._data._arrow_text import coded_text, repeated_text
from .._data._frames import EXACT_LIMIT, fit_float64, frame_of
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


def read_parquet(path, layout, numeric):
    """Read columns of a Parquet file by position.

    Parameters
    ----------
    path : str or path-like
        The Parquet file.
    layout : Layout
        Description of the file. ``layout.names`` contains a name, such as "query", for each column of the file; None
        skips a column.
    numeric : set of str
        Names of the columns with finite numbers; the other columns become text.

    Returns
    -------
    DataFrame
        One column for each name. With `layout.coded`, texts that are stored as codes become categories.

    Raises
    ------
    ValueError
        If a number is invalid, or an id is missing. The message does not name the file; the caller adds the name.
    """
    import pyarrow as pa
    from pyarrow.parquet import read_metadata, read_table

    wanted = [name for name in layout.names if name is not None]
    with _refusals(), opened_raw(path) as stream:
        metadata = read_metadata(stream)
        n_rows = metadata.num_rows
        coded = _coded_text(metadata)
        stream.seek(0)
        table = read_table(stream, read_dictionary=coded)
        table = table.select([k for k, name in enumerate(layout.names) if name is not None]).rename_columns(wanted)
        table.validate(full=True)
        if len(table) != n_rows:
            raise InputError(f"expected {n_rows} rows, the number in the footer of the Parquet file, got {len(table)}")
        if n_rows == 0:
            raise InputError("expected at least one row, got none")
        columns = {}
        for name in wanted:
            kind = table.schema.field(name).type
            # Each column is dropped as soon as it is converted, so that only one column is in memory twice.
            values = table[name]
            table = table.drop_columns([name])
            if name not in numeric and pa.types.is_dictionary(kind) and _is_text(kind.value_type):
                _refuse_missing(values.is_null().to_numpy(), name)
                columns[name] = (coded_text if layout.coded else repeated_text)(values.chunks)
                continue
            if name in numeric and (integers := _small_integers(values)) is not None:
                columns[name] = integers if name == "rank" else integers.astype(np.float64)
                continue
            column = pa.table({name: values}).to_pandas(ignore_metadata=True)[name]
            del values
            columns[name] = _checked_numbers(column, name, kind) if name in numeric else _checked_text(column, name)
    return frame_of(columns)


def _is_text(kind):
    from pyarrow import types

    return types.is_string(kind) or types.is_large_string(kind)


def _coded_text(metadata):
    """Return the names of the text columns in which most values are stored as codes.

    Columns of many distinct texts are stored as text. Reading them as codes would take longer.
    """
    size, n_values = Counter(), Counter()
    for group in range(metadata.num_row_groups):
        for k in range(metadata.num_columns):
            column = metadata.row_group(group).column(k)
            size[column.path_in_schema] += column.total_uncompressed_size
            n_values[column.path_in_schema] += column.num_values
    texts = [field.name for field in metadata.schema.to_arrow_schema() if _is_text(field.type)]
    # A text that is not empty occupies at least five bytes, because its length has four bytes.
    return [name for name in texts if size[name] <= 3 * n_values[name]]


def _refuse_missing(is_missing, name):
    if is_missing.any():
        raise InputError(f"expected a value as {name} in every row, got none in row {is_missing.argmax()}")


def _checked_text(column, name):
    _refuse_missing(column.isna().to_numpy(), name)
    return column.astype(str)


def _small_integers(values):
    """Convert an Arrow column of small integers to int64; return None for all other columns.

    Integers are small if float64 also represents them exactly. A column with missing values is not converted.
    """
    from pyarrow import types

    if not types.is_integer(values.type) or values.null_count:
        return None
    integers = values.to_numpy()
    return integers.astype(np.int64) if fit_float64(integers) else None


def _checked_numbers(column, name, kind):
    """Return a column of numbers as float64, or as integers if float64 would round some of them.

    Raises InputError if a value is not a finite number.
    """
    if not pd.api.types.is_numeric_dtype(column.dtype):
        raise InputError(f"expected numbers as {name}, got {kind}")
    values = column.to_numpy(dtype=np.float64, na_value=np.nan)
    if not np.isfinite(values).all():
        row = int((~np.isfinite(values)).argmax())
        raise InputError(f"expected a finite number as {name} in row {row}, got {values[row]}")
    is_exact = column.dtype.kind not in "iu" or (np.abs(values) < EXACT_LIMIT).all()
    return np.require(values, requirements="W") if is_exact else column  # memory of Arrow is read-only


def parquet_bytes(frame):
    """Convert a frame, without its index, to the bytes of a Parquet file."""
    stream = io.BytesIO()
    frame.to_parquet(stream, engine="pyarrow", index=False)
    return stream.getvalue()
