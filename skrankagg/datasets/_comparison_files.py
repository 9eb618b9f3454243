"""Reader of files with a row for each paired comparison, such as the battles of a chatbot arena."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd

from .._data._from_comparisons import comparison_columns
from ..exceptions import InputError
from ._delimited import header_of, separator_of
from ._parquet import check_parquet, is_parquet, parquet_columns
from ._sources import BOM, Fault, FileLike, add_file_to_errors, encoding_checked, file_name, make_rereadable, opened

__all__ = ["read_comparisons"]

_REMEDY = "correct the file"


def read_comparisons(path: FileLike) -> pd.DataFrame:
    r"""Read paired comparisons, such as the battles of a chatbot arena, from a file with a header.

    Parameters
    ----------
    path : str, path-like or file opened in binary mode
        A Parquet file, or a text file in UTF-8 with a header, plain or compressed by gzip. Commas, tabs or semicolons
        separate the fields of a text file. The file has a row for each comparison, and the columns that
        :meth:`RankedLists.from_comparisons <skrankagg.RankedLists.from_comparisons>` finds by name, such as winner and
        loser, or model_a, model_b and winner.

    Returns
    -------
    DataFrame
        All columns of the file. In text files, columns are text (str), ids stay unchanged, and empty cells are missing
        values. Columns called `tie` or `draw` become bool, and a column called `weight` becomes float64. To use the
        weights, pass ``weight="weight"`` to `from_comparisons`.

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    ImportError
        If the file is a Parquet file, and pyarrow is missing.
    ValueError
        If the file is not in UTF-8, lacks the columns of a comparison, or has a line with too many fields. It is also
        raised if a tie is not 0, 1, true or false, or a weight is not a number.

    See Also
    --------
    skrankagg.RankedLists.from_comparisons : Encodes the frame.
    read_lists : Reads ranked lists.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from skrankagg import RankedLists
    >>> from skrankagg.datasets import read_comparisons
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = Path(folder.name) / "battles.csv"
    >>> _ = path.write_text(
    ...     "model_a,model_b,winner,judge\n007,x2,model_a,Ann\nx2,007,tie,Ben\n")
    >>> battles = read_comparisons(path)
    >>> battles
      model_a model_b   winner judge
    0     007      x2  model_a   Ann
    1      x2     007      tie   Ben
    >>> RankedLists.from_comparisons(battles, voter="judge")
    RankedLists(n_queries=1, n_voters=2, n_items=2, n_lists=2, n_rows=4, ranks)
    >>> folder.cleanup()
    """
    with add_file_to_errors("read_comparisons", path, _REMEDY):
        source = make_rereadable(path, "read_comparisons")
        if is_parquet(source):
            check_parquet("read_comparisons")
            _check_header(parquet_columns(source))
            with opened(source) as stream:
                return pd.read_parquet(stream)
        with encoding_checked(source):
            with opened(source) as stream:
                first = _first_line(stream)
            _check_header(header_of(first))
            with opened(source) as stream:
                frame = _read_text(stream, separator_of(first))
    for name in ("tie", "draw"):
        if name in frame:
            frame[name] = _truth(frame[name], path)
    if "weight" in frame:
        frame["weight"] = _numbers(frame["weight"], path)
    return frame


def is_comparisons(source):
    """Return True if a file (a path or a StreamContent) has a header that names the columns of a comparison."""
    try:
        if is_parquet(source):
            return comparison_columns(parquet_columns(source)) is not None
        with opened(source) as stream:
            return comparison_columns(header_of(_first_line(stream))) is not None
    except (OSError, ValueError, ImportError):
        return False


def _read_text(stream, separator):
    options = {"dtype": str, "keep_default_na": False, "encoding": "utf-8-sig", "index_col": False}
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", pd.errors.ParserWarning)  # the first line has more fields than the header
            frame = pd.read_csv(stream, sep=separator, **options)
    except (pd.errors.ParserError, pd.errors.ParserWarning) as error:
        reason = " ".join(str(error).split())
        raise Fault(f"expected as many fields in each line as in the header ({reason})", f"{_REMEDY}.") from None
    frame = frame.rename(columns=lambda title: title.strip())
    return frame.mask(frame == "")  # an empty cell is a missing value


def _first_line(stream):
    return stream.readline().removeprefix(BOM).decode("utf-8")


def _check_header(titles):
    if comparison_columns(titles) is None:
        if titles and titles[0].startswith(("{", "[")):
            raise Fault(
                "expected CSV, TSV or Parquet; got JSON",
                "read it by pandas.read_json, with lines=True for JSON lines, and pass the frame to "
                "RankedLists.from_comparisons.",
            )
        raise Fault(
            "expected columns winner and loser, or model_a, model_b and winner; got "
            f"{', '.join(map(repr, titles)) or 'an empty line'}",
            "name the columns in the first line.",
        )


def _truth(values, path):
    meaning = {"1": True, "true": True, "0": False, "false": False}
    found = values.str.strip().str.casefold().map(meaning)
    if found.isna().any():
        raise InputError(
            f"The file {file_name(path)!r}: column {values.name!r} must have 0, 1, true or false; got "
            f"{values[found.isna()].iloc[0]!r}. Correct the value, or rename the column."
        )
    return found.astype(bool)


def _numbers(values, path):
    found = pd.to_numeric(values, errors="coerce")
    if found.isna().any():
        raise InputError(
            f"The file {file_name(path)!r}: column {values.name!r} must contain numbers; got "
            f"{values[found.isna()].iloc[0]!r}. Correct the value, or rename the column."
        )
    return found.astype(np.float64)
