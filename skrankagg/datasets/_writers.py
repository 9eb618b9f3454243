"""Functions that write a consensus or judgements to files for other programs."""

import gzip
import os

import narwhals.stable.v2 as nw
import numpy as np
import pandas as pd

from .._data._frames import EXACT_LIMIT, AnyFrame
from .._data._qrels import check_qrels
from .._data._titles import canonical, query_ids
from .._data._types import AnyQrels
from .._support._checks import check_choice
from ..exceptions import InputError, InputTypeError
from ._format_names import RunFormat
from ._formats import CSV, PARQUET, TREC, TSV, alternatives, written
from ._kinds import LISTS
from ._parquet import check_parquet
from ._ranking_text import RankTies, check_rank_ties, tied_ranks
from ._run_text import fields_text, find_unfit, not_utf8

__all__ = ["write_qrels", "write_run"]

_WRITTEN = {one.name: one for one in written()}


def _by_suffix(runs):
    """Return a dict that maps each file suffix to the format for writing a file with this suffix.

    If `runs` is false, the dict contains only formats whose files keep all columns of a frame, such as CSV.
    """
    return {suffix: one for one in _WRITTEN.values() if runs or one.is_table for suffix in one.suffixes}


def _to_pandas(frame):
    """Copy a frame of pandas, polars or pyarrow to a pandas frame."""
    if isinstance(frame, pd.DataFrame):
        return frame.copy()
    try:
        frame = nw.from_native(frame, eager_only=True)
    except TypeError:
        hint = " Collect the frame first." if hasattr(frame, "collect") else ""
        raise InputTypeError(
            f"`run` must be a data frame of pandas, polars or pyarrow; got {type(frame).__name__}.{hint}"
        ) from None
    return pd.DataFrame({name: frame[name].to_list() for name in frame.columns})


def output_format(path, *, runs=False):
    """Return the format that the suffix of an output file determines.

    Parameters
    ----------
    path : str or path-like
        Path of the file.
    runs : bool, default=False
        Whether to also allow TREC and JSON, which are formats of runs but not of tables.

    Returns
    -------
    str or None
        Name of the format. None if the path has no suffix, or if its only suffix is .gz.

    Raises
    ------
    ValueError
        If the suffix is unknown. The message does not name the file; the caller adds the name.
    ImportError
        If the suffix is .parquet, and pyarrow is not installed.
    """
    known = _by_suffix(runs)
    name = os.path.basename(os.fspath(path)).lower()
    plain = name.removesuffix(".gz")
    suffix = os.path.splitext(plain)[1]
    if suffix and (suffix not in known or (plain != name and not known[suffix].is_compressed)):
        packed = [one for one in known if known[one].is_compressed]
        others = [one for one in known if not known[one].is_compressed]
        raise InputError(
            f"expected a name that ends in {alternatives(packed)}, each optionally followed by .gz, or in "
            f"{alternatives(others)}"
        )
    if suffix in PARQUET.suffixes:
        check_parquet(f"Writing {os.fspath(path)!r}")
    return known[suffix].name if suffix else None


def _choose_format(path, format):
    formats = ("auto", *_WRITTEN)
    check_choice("format", format, formats)
    if format == "parquet":
        check_parquet("write_run")
    if format != "auto":
        return format
    try:
        format = output_format(path, runs=True)
        if format is None:
            raise InputError("expected a name whose suffix determines the format")
    except ValueError as error:
        raise InputError(
            f"write_run cannot write {os.fspath(path)!r}: {error}; rename it, or pass a format, such as format='trec'."
        ) from None
    return format


def _check_columns(frame, format):
    columns = list(frame.columns)
    missing = {"query", "item", "score", "rank"}.difference(columns)
    if missing & format.needs or len(missing) > 1 or not missing <= {"score", "rank"}:
        raise InputError(
            "`run` must have the columns query, item, score and rank (CSV may lack either score or rank, JSON may lack "
            f"rank); got {columns}. Rename them, or write CSV."
        )
    for column in columns:
        name = canonical(str(column))
        clash = format.is_table and name in LISTS.known and name != column
        if clash or column in query_ids(columns) or columns.count(column) > 1:
            raise InputError(
                f"`run` must have distinct columns that read_lists cannot mistake for others; got {column!r}, which "
                f"could be read as the {name or column}. The columns are {columns}. Rename or drop this column."
            )
    if len(frame) == 0:
        raise InputError("`run` must have at least one row; got an empty frame.")


def _plain(frame, format):
    """Convert ids to text, and convert numbers to doubles or integers.

    Raises InputError for a value that could not be read back unchanged.
    """
    for name in ("query", "voter", "item"):
        if name not in frame:
            continue
        absent = frame[name].isna().to_numpy()
        if absent.any():
            raise InputError(
                f"`run` must have an id in every row; got a missing {name} in row {absent.argmax()}. Fill in the id "
                "or drop the row."
            )
        try:
            frame[name] = frame[name].astype(str)
        except UnicodeEncodeError as error:
            raise not_utf8(error) from None
        empty = (frame[name] == "").to_numpy()
        if format in (CSV, TSV) and empty.any():
            raise InputError(
                f"`run` must have an id in every row; got an empty {name} in row {empty.argmax()}. Fill in the id or "
                "drop the row."
            )
    for name in ("rank", "score", "weight"):
        if name not in frame or (frame[name].dtype.kind in "iu" and not frame[name].hasnans):
            continue
        values = frame[name].to_numpy(dtype=np.float64, na_value=np.nan)
        wrong = ~np.isfinite(values)
        if wrong.any():
            raise InputError(
                f"`run` must have finite numbers as {name}; got {values[wrong][0]} in row {wrong.argmax()}. Correct "
                "the number or drop the row."
            )
        frame[name] = values
    return frame


def write_table(frame, path, format):
    """Write a frame without its index; if some value cannot be written, no file is written.

    Parameters
    ----------
    frame : pandas.DataFrame
    path : str or path-like
        Path of the file. If it ends in .gz, the file is compressed.
    format : {"csv", "tsv", "parquet"}
    """
    _write(path, _WRITTEN[format].write(frame, "", "ordinal"))


def _write(path, data):
    if os.fspath(path).lower().endswith(".gz"):
        data = gzip.compress(data, mtime=0)  # with a time stamp, files with equal contents would differ
    with open(path, "wb") as stream:
        stream.write(data)


def write_run(
    run: AnyFrame,
    path: str | os.PathLike[str],
    *,
    format: RunFormat = "auto",
    tag: str = "skrankagg",
    rank_ties: RankTies = "ordinal",
) -> None:
    """Write a consensus as a TREC run, a CSV, TSV, Parquet or JSON file, or as text.

    Reading the file restores the same consensus, except for ranks that `rank_ties` has changed. Only files of the
    format "text" cannot be read back; they are meant for people. The same frame always produces the same bytes.

    Parameters
    ----------
    run : DataFrame of pandas, polars or pyarrow
        Columns query, item, score and rank, as in an aggregator's consensus. Tables (CSV, TSV, Parquet) include all
        other columns, such as voter, weight or pvalue. In tables and text, either score or rank may be missing. In
        JSON, rank may be missing.
    path : str or path-like
        Path of the file; an existing file is replaced. If it ends in .gz, the file is compressed.
    format : {"auto", "csv", "tsv", "trec", "parquet", "json", "text"}, default="auto"
        ``"csv"``: a table with a header and all columns. ``"tsv"``: the same with tabs. ``"trec"``: query, Q0, item,
        rank, score, tag. ``"parquet"``: all columns; pyarrow must be installed. ``"json"``: ``{query: {item: score}}``,
        the format of ranx. ``"text"``: a line for each query, such as ``q1: A > B``; see :func:`ranking_text`.
        ``"auto"``: the format of the suffix: .csv for csv, .tsv for tsv, .run, .trec or .txt for trec, .parquet for
        parquet, .json for json. Every suffix except .parquet may be followed by .gz.
    tag : str, default="skrankagg"
        Name of the run. It is the last field of a TREC run. The other formats contain no name.
    rank_ties : {"ordinal", "min", "dense"}, default="ordinal"
        Ranks of consecutive items with equal scores. ``"ordinal"`` writes the ranks unchanged; in a consensus they are
        1 to n. ``"min"`` gives all these items the first of their ranks, as in 1, 1, 3. ``"dense"`` gives ranks without
        gaps, as in 1, 1, 2. In text, ``"min"`` and ``"dense"`` write " = " between these items. JSON has no ranks.

    Raises
    ------
    TypeError
        If `run` is not a data frame.
    ImportError
        If the format is Parquet, and pyarrow is not installed.
    ValueError
        If columns or ids are missing, a number is not finite, or ids for a TREC run are empty or contain white space.
        If there are several voters and the format is not a table, or if a query repeats an item and the format is JSON.
        If :func:`read_lists` would read a column under a different name, or if the suffix does not determine the
        format. If `rank_ties` is not "ordinal", and ranks or scores are missing.

    See Also
    --------
    read_lists : Reads the file.
    ranking_text : Writes a consensus as text.
    write_qrels : Writes judgements.

    Notes
    -----
    Rows keep their order. JSON and text collect the rows of each query, which keep their order within the query. Like
    `repr`, the function writes numbers in the shortest notation that is read back as the same double. CSV and TSV files
    have a header, and fields are quoted if necessary. If anything cannot be written, no file is written.

    trec_eval ignores ranks and orders equal scores by item, descending. Ties in the consensus may therefore be
    evaluated in an order that differs from the ranks.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import pandas as pd
    >>> from skrankagg.datasets import write_run
    >>> consensus = pd.DataFrame({"query": "q1", "item": ["b", "a"], "score": [1.5, 0.1],
    ...     "rank": [1, 2]})
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = Path(folder.name) / "borda.run"
    >>> write_run(consensus, path, tag="borda")
    >>> print(path.read_text(), end="")
    q1 Q0 b 1 1.5 borda
    q1 Q0 a 2 0.1 borda
    >>> folder.cleanup()
    """
    check_rank_ties(rank_ties)
    chosen = _WRITTEN[_choose_format(path, format)]
    frame = _to_pandas(run)
    _check_columns(frame, chosen)
    frame = _plain(frame, chosen)
    if rank_ties != "ordinal" and chosen.has_ranks:
        if not {"rank", "score"} <= set(frame.columns):
            raise InputError(
                f"`run` must have the columns rank and score for rank_ties={rank_ties!r}; got {list(frame.columns)}. "
                "Add the missing one, or leave rank_ties='ordinal'."
            )
        frame["rank"] = tied_ranks(frame, rank_ties)
    try:
        data = chosen.write(frame, tag, rank_ties)
    except UnicodeEncodeError as error:
        raise not_utf8(error) from None
    except ValueError as error:
        if not chosen.is_table:  # the message of this error is already a sentence
            raise
        raise InputError(f"write_run cannot write {os.fspath(path)!r}: {error}; rename that id.") from None
    _write(path, data)


def write_qrels(qrels: AnyQrels, path: str | os.PathLike[str]) -> None:
    """Write judgements as TREC qrels with the fields query, 0, item, relevance.

    Reading the file restores the same judgements. The same judgements always produce the same bytes.

    Parameters
    ----------
    qrels : Qrels, DataFrame or dict
        Judgements, in any form that :meth:`skrankagg.Qrels.from_frame` accepts.
    path : str or path-like
        Path of the file; an existing file is replaced. If it ends in .gz, the file is compressed.

    Raises
    ------
    TypeError
        If `qrels` is not a Qrels, a data frame or a dict.
    ValueError
        If a column or an id is missing, an item is judged twice, or an id is empty or contains white space. If the path
        ends in the suffix of another format.

    See Also
    --------
    read_qrels : Reads the file.
    write_run : Writes a consensus.

    Notes
    -----
    Rows are sorted by query and item. Grades without a fraction are written as integers. Other grades are written in
    the shortest notation that is read back as the same double. If anything cannot be written, no file is written.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from skrankagg import Qrels
    >>> from skrankagg.datasets import write_qrels
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = Path(folder.name) / "judgements.qrels"
    >>> write_qrels(Qrels.from_dict({"q1": {"d1": 2, "d2": 0}}), path)
    >>> print(path.read_text(), end="")
    q1 0 d1 2
    q1 0 d2 0
    >>> folder.cleanup()
    """
    name = os.path.basename(os.fspath(path)).lower().removesuffix(".gz")
    suffix = os.path.splitext(name)[1]
    if suffix in _by_suffix(runs=True) and suffix not in TREC.suffixes:
        raise InputError(
            f"`path` must not end in {suffix}, because write_qrels writes TREC qrels; got "
            f"{os.fspath(path)!r}. Choose a path that ends in .qrels or .txt."
        )
    qrels = check_qrels(qrels)
    frame = qrels.to_frame()
    frame = frame.assign(zero="0", query=frame["query"].astype(str), item=frame["item"].astype(str))
    for name in ("query", "item"):
        unfit = find_unfit(frame[name].unique())
        if unfit is not None:
            raise InputError(
                f"`qrels` must have ids without white space, which separates the fields of TREC qrels; got {unfit!r} "
                f"as {name}. Rename it."
            )
    grade = qrels.relevance.tolist()
    frame["relevance"] = [str(int(one)) if one == int(one) and abs(one) < EXACT_LIMIT else repr(one) for one in grade]
    _write(path, fields_text(frame[["query", "zero", "item", "relevance"]]).encode())
