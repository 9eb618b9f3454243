"""Write a consensus, or judgements, for other programs."""

import gzip
import os

import narwhals.stable.v2 as nw
import numpy as np
import pandas as pd

from .._data._frames import EXACT_LIMIT
from .._data._qrels import check_qrels
from .._data._titles import canonical, query_ids
from .._data._types import AnyFrame, AnyQrels
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
    """Return the formats of files, by suffix; those of tables alone, or of runs as well."""
    return {suffix: one for one in _WRITTEN.values() if runs or one.is_table for suffix in one.suffixes}


def _to_pandas(frame):
    """Copy a frame of pandas, polars or pyarrow."""
    if isinstance(frame, pd.DataFrame):
        return frame.copy()
    try:
        frame = nw.from_native(frame, eager_only=True)
    except TypeError:
        hint = "; collect it first" if hasattr(frame, "collect") else ""
        raise InputTypeError(
            f"write_run expects a data frame of pandas, polars or pyarrow, got {type(frame).__name__}{hint}."
        ) from None
    return pd.DataFrame({name: frame[name].to_list() for name in frame.columns})


def output_format(path, *, runs=False):
    """Format of a file to be written, by its suffix.

    Parameters
    ----------
    path : str or path-like
        Where to write.
    runs : bool, default=False
        Whether the formats of runs alone, TREC's and JSON, are among them.

    Returns
    -------
    str or None
        None for a name without a suffix, apart from .gz.

    Raises
    ------
    ValueError
        If the suffix is unknown; the message is a clause without a subject.
    ImportError
        If it is that of Parquet, and pyarrow is missing.
    """
    known = _by_suffix(runs)
    name = os.path.basename(os.fspath(path)).lower()
    plain = name.removesuffix(".gz")
    suffix = os.path.splitext(plain)[1]
    if suffix and (suffix not in known or (plain != name and not known[suffix].is_compressed)):
        packed = [one for one in known if known[one].is_compressed]
        others = [one for one in known if not known[one].is_compressed]
        raise InputError(
            f"expected a name that ends in {alternatives(packed)}, each also with .gz behind it, or in "
            f"{alternatives(others)}"
        )
    if suffix in PARQUET.suffixes:
        check_parquet(f"Writing {os.fspath(path)!r}")
    return known[suffix].name if suffix else None


def _choose_format(path, format):
    formats = ("auto", *_WRITTEN)
    if format not in formats:
        raise InputError(f"write_run expects format to be one of {', '.join(map(repr, formats))}, got {format!r}.")
    if format == "parquet":
        check_parquet("write_run")
    if format != "auto":
        return format
    try:
        format = output_format(path, runs=True)
        if format is None:
            raise InputError("expected a name whose suffix tells the format")
    except ValueError as error:
        raise InputError(
            f"write_run cannot write {os.fspath(path)!r}: {error}; rename it, or say format='trec' or another one."
        ) from None
    return format


def _check_columns(frame, format):
    columns = list(frame.columns)
    missing = {"query", "item", "score", "rank"}.difference(columns)
    if missing & format.needs or len(missing) > 1 or not missing <= {"score", "rank"}:
        raise InputError(
            "write_run expects the columns query, item, score and rank (a CSV may lack one of the last two, JSON the "
            f"rank), got {columns}; rename them, or write CSV."
        )
    for column in columns:
        name = canonical(str(column))
        clash = format.is_table and name in LISTS.known and name != column
        if clash or column in query_ids(columns) or columns.count(column) > 1:
            raise InputError(
                f"write_run expects columns that read back as they are, got {column!r} for the {name or column}, in "
                f"{columns}; rename or drop it."
            )
    if len(frame) == 0:
        raise InputError("write_run expects at least one row, got an empty frame.")


def _plain(frame, format):
    """Turn ids into text and numbers into doubles or integers; refuse what would not come back."""
    for name in ("query", "voter", "item"):
        if name not in frame:
            continue
        absent = frame[name].isna().to_numpy()
        if absent.any():
            raise InputError(
                f"write_run expects an id in every row, got none as {name} in row {absent.argmax()}; fill it or "
                "drop the row."
            )
        try:
            frame[name] = frame[name].astype(str)
        except UnicodeEncodeError as error:
            raise not_utf8(error) from None
        empty = (frame[name] == "").to_numpy()
        if format in (CSV, TSV) and empty.any():
            raise InputError(
                f"write_run expects an id in every row, got empty text as {name} in row {empty.argmax()}; fill it or "
                "drop the row."
            )
    for name in ("rank", "score", "weight"):
        if name not in frame or (frame[name].dtype.kind in "iu" and not frame[name].hasnans):
            continue
        values = frame[name].to_numpy(dtype=np.float64, na_value=np.nan)
        wrong = ~np.isfinite(values)
        if wrong.any():
            raise InputError(
                f"write_run expects finite numbers as {name}, got {values[wrong][0]} in row {wrong.argmax()}; "
                "fill it or drop the row."
            )
        frame[name] = values
    return frame


def write_table(frame, path, format):
    """Write a frame without its index; nothing is written unless everything can be.

    Parameters
    ----------
    frame : pandas.DataFrame
    path : str or path-like
        Compressed if it ends in .gz.
    format : {"csv", "tsv", "parquet"}
    """
    _write(path, _WRITTEN[format].write(frame, "", "ordinal"))


def _write(path, data):
    if os.fspath(path).lower().endswith(".gz"):
        data = gzip.compress(data, mtime=0)  # the time of day would make each file another one
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

    What is written reads back the same, apart from ranks that `rank_ties` changes and from text, which is for people;
    the same frame gives the same bytes.

    Parameters
    ----------
    run : DataFrame of pandas, polars or pyarrow
        Columns query, item, score and rank, such as an aggregator returns. Tables (CSV, TSV, Parquet) take all other
        columns with them (voter, weight, pvalue ...). They and text may lack score or rank, JSON rank.
    path : str or path-like
        Where to write; an existing file is replaced. With .gz at the end it is compressed.
    format : {"auto", "csv", "tsv", "trec", "parquet", "json", "text"}, default="auto"
        ``"csv"``: a table with a header and all columns. ``"tsv"``: the same with tabs. ``"trec"``: query, Q0, item,
        rank, score, tag. ``"parquet"``: all columns, which needs pyarrow. ``"json"``: ``{query: {item: score}}``, as
        ranx has it. ``"text"``: a line for each query, such as ``q1: A > B``, as :func:`ranking_text` writes it.
        ``"auto"``: by the end of the name, which is .csv for csv, .tsv for tsv, .run, .trec or .txt for trec, .parquet
        for parquet, .json for json, each but .parquet with or without .gz.
    tag : str, default="skrankagg"
        Name of the run, the last field of a TREC run; the other formats have none.
    rank_ties : {"ordinal", "min", "dense"}, default="ordinal"
        Rank of neighbours whose scores are equal: ``"ordinal"`` writes the ranks as they are, which in a consensus are
        1 to n; ``"min"`` gives them the first of their ranks, 1, 1, 3; ``"dense"`` leaves out none, 1, 1, 2. In text
        the latter two write " = " between them; JSON has no ranks.

    Raises
    ------
    TypeError
        If `run` is not a data frame.
    ImportError
        If the format is Parquet, and pyarrow is missing.
    ValueError
        If columns or ids are missing, a number is not finite, ids for a TREC run are empty or hold white space, what is
        not a table holds several voters, JSON an item twice in a query, a column would be read back as another one, or
        the suffix does not tell the format, or if ranks are to be shared and there are no ranks and scores.

    See Also
    --------
    read_lists : Read it again.
    ranking_text : Write a consensus as text.
    write_qrels : Write judgements.

    Notes
    -----
    Rows stay in their order, in JSON and text within each query. Numbers are written in the shortest notation that
    reads back as the same double, as `repr` does. CSV and TSV files have a header and quote what needs it. Nothing is
    written unless everything can be.

    trec_eval ignores ranks and orders equal scores by item, descending. So what ties in the consensus may be
    evaluated in another order than its ranks show.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import pandas as pd
    >>> from skrankagg.datasets import write_run
    >>> consensus = pd.DataFrame({"query": "q1", "item": ["b", "a"], "score": [1.5, 0.1], "rank": [1, 2]})
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
                f"write_run needs the columns rank and score for rank_ties={rank_ties!r}, got {list(frame.columns)}; "
                "add the missing one, or leave rank_ties='ordinal'."
            )
        frame["rank"] = tied_ranks(frame, rank_ties)
    try:
        data = chosen.write(frame, tag, rank_ties)
    except UnicodeEncodeError as error:
        raise not_utf8(error) from None
    except ValueError as error:
        if not chosen.is_table:  # whose message is a sentence
            raise
        raise InputError(f"write_run cannot write {os.fspath(path)!r}: {error}; rename that id.") from None
    _write(path, data)


def write_qrels(qrels: AnyQrels, path: str | os.PathLike[str]) -> None:
    """Write judgements as TREC qrels: query, 0, item, relevance.

    What is written reads back the same, and the same judgements give the same bytes.

    Parameters
    ----------
    qrels : Qrels or DataFrame
        Judgements, as :meth:`skrankagg.Qrels.from_frame` takes them.
    path : str or path-like
        Where to write; an existing file is replaced. With .gz at the end it is compressed.

    Raises
    ------
    TypeError
        If `qrels` is neither a Qrels nor a data frame.
    ValueError
        If a column or an id is missing, an item is judged twice, an id is empty or holds white space, or the path ends
        in the suffix of another format.

    See Also
    --------
    read_qrels : Read it again.
    write_run : Write a consensus.

    Notes
    -----
    Rows are sorted by query and item. Whole grades are written as integers, others in the shortest notation that reads
    back as the same double. Nothing is written unless everything can be.

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
            f"write_qrels writes TREC qrels, whose name does not end in {suffix}, got "
            f"{os.fspath(path)!r}; name it .qrels or .txt."
        )
    qrels = check_qrels(qrels)
    frame = qrels.to_frame()
    frame = frame.assign(zero="0", query=frame["query"].astype(str), item=frame["item"].astype(str))
    for name in ("query", "item"):
        unfit = find_unfit(frame[name].unique())
        if unfit is not None:
            raise InputError(
                f"write_qrels expects ids without white space, which parts the fields of TREC qrels, got {unfit!r} as "
                f"{name}; rename it."
            )
    grade = qrels.relevance.tolist()
    frame["relevance"] = [str(int(one)) if one == int(one) and abs(one) < EXACT_LIMIT else repr(one) for one in grade]
    _write(path, fields_text(frame[["query", "zero", "item", "relevance"]]).encode())
