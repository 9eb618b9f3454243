"""Readers of ranked lists and judgements from files."""

import os
import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Literal, overload

import numpy as np
import pandas as pd
from pandas.api.types import union_categoricals

from .._data._frames import frame_of
from .._data._ranked_lists import RankedLists
from .._support._checks import check_choice
from ..exceptions import InputError, InputTypeError
from ._format_names import ListsFormat, QrelsFormat
from ._formats import FORMATS, alternatives, find_format, readable
from ._integers import is_beyond_float64, of_one_type
from ._kinds import LISTS, QRELS
from ._sources import Fault, FileLike, add_file_to_errors, encoding_checked, file_name, is_file, make_rereadable

__all__ = ["read_lists", "read_qrels"]

_BY_LINES = [repr(one.name) for one in readable(LISTS) if not one.decides]
_SUFFIXES = "|".join(re.escape(suffix) for one in FORMATS for suffix in one.suffixes)
_ENDING = re.compile(rf"({_SUFFIXES})?(\.gz)?$", re.IGNORECASE)


def _remedy(format):
    """Return the advice at the end of a message about a file, for the `format` that the user passed to the reader."""
    if format == "auto":
        return (
            f"repair the file, or name its format by format={alternatives(_BY_LINES)}, or the columns of a CSV without "
            "a header by columns=[...]."
        )
    if format in {"csv", "tsv"}:
        return f"repair the file, pass columns=[...] if it has no header, or leave out format={format!r}."
    return f"repair the file, or leave out format={format!r}."


def _check(kind, format, columns, decimal):
    check_choice("format", format, ["auto", *(one.name for one in readable(kind))])
    check_choice("decimal", decimal, (".", ","))
    if columns is None:
        return
    if isinstance(columns, str) or not hasattr(columns, "__iter__"):
        raise InputError(f"`columns` must be a sequence of names; got {columns!r}.")
    if format not in {"auto", "csv", "tsv"}:
        raise InputError(
            f"`format` must be 'auto', 'csv' or 'tsv' if `columns` is given; got {format!r}. Drop columns= or format=."
        )


def _read(found, source, layout, kind, format):
    """Read the rows of a file in the format `found`.

    `format` is the value that the user passed to the reader, such as "auto".
    """
    try:
        return found.read(source, layout, kind, format != "auto")
    except Fault:
        raise
    except InputError as error:
        if not found.decides:
            raise
        raise Fault(str(error), "repair the file.") from None  # the format is certain


def _named(frame, path, voter):
    """Name the voter of a file's rows and return the frame; raise InputError if the file has several voters."""
    if "voter" in frame and (frame["voter"] != frame["voter"].iloc[0]).any():
        raise InputError(
            f"Each file must contain only one voter if `voter` gives new names; got {frame['voter'].nunique()} voters "
            f"in {file_name(path)!r}. Leave voter='auto'."
        )
    frame["voter"] = pd.Series(voter, index=frame.index, dtype=str)
    return frame


def _check_apart(paths, frames, styles):
    """Raise InputError if rows of different files would be merged into one list.

    Two TREC runs with the same tag are refused even if they share no query, because many programs write a default tag.
    """
    seen = {}
    for path, frame, style in zip(paths, frames, styles, strict=True):
        lists = frame[["query", "voter"]].drop_duplicates()
        for voter, queries in lists.groupby("voter", sort=False, observed=True)["query"]:
            queries = set(queries)
            for other, others, other_style in seen.get(voter, ()):
                if style == other_style == "trec" or not queries.isdisjoint(others):
                    raise InputError(
                        f"Different files must have different voters; got {voter!r} in {other!r} and "
                        f"{file_name(path)!r}. Name them after their files with voter='file', or pass a list of names."
                    )
            seen.setdefault(voter, []).append((file_name(path), queries, style))


def _joined(frames):
    """Concatenate the rows of several files; a column stays categorical only if it is categorical in all files."""
    columns = {}
    for name in frames[0]:
        parts = [frame[name] for frame in frames]
        coded = [isinstance(part.dtype, pd.CategoricalDtype) for part in parts]
        if all(coded):
            columns[name] = pd.Series(union_categoricals(parts))
        else:
            parts = [_text_of(part) for part in parts] if any(coded) else parts
            columns[name] = pd.concat(parts, ignore_index=True)
    return frame_of(columns)


def _text_of(ids):
    """Convert a categorical Series or Index of ids to one of plain text; other ids are returned unchanged."""
    if not isinstance(ids.dtype, pd.CategoricalDtype):
        return ids
    if isinstance(ids, pd.Index):
        return ids.categories.take(ids.codes)
    return pd.Series(ids.cat.categories.take(ids.cat.codes))


def _encoded(frame):
    """Convert a frame, whose ids are text or categories, to RankedLists, whose ids are text."""
    lists = RankedLists.from_frame(frame)
    coded = {name: getattr(lists, name) for name in ("queries", "voters", "items")}
    return replace(lists, **{name: _text_of(ids) for name, ids in coded.items()})


@overload
def read_lists(
    path: FileLike | Sequence[FileLike],
    *,
    format: ListsFormat = "auto",
    voter: Literal["auto", "file"] | Sequence[str | None] = "auto",
    columns: Sequence[str | None] | None = None,
    decimal: Literal[".", ","] = ".",
    trailing: Literal["error", "ignore"] = "error",
    as_frame: Literal[True] = True,
) -> pd.DataFrame: ...


@overload
def read_lists(
    path: FileLike | Sequence[FileLike],
    *,
    format: ListsFormat = "auto",
    voter: Literal["auto", "file"] | Sequence[str | None] = "auto",
    columns: Sequence[str | None] | None = None,
    decimal: Literal[".", ","] = ".",
    trailing: Literal["error", "ignore"] = "error",
    as_frame: Literal[False],
) -> RankedLists: ...


def read_lists(
    path: FileLike | Sequence[FileLike],
    *,
    format: ListsFormat = "auto",
    voter: Literal["auto", "file"] | Sequence[str | None] = "auto",
    columns: Sequence[str | None] | None = None,
    decimal: Literal[".", ","] = ".",
    trailing: Literal["error", "ignore"] = "error",
    as_frame: bool = True,
) -> pd.DataFrame | RankedLists:
    r"""Read ranked lists from one or several files.

    FLAGR's CSV files, CSV and TSV files with a header, TREC runs and JSON Lines are recognised by their first line.
    Parquet and JSON files are recognised by their first bytes. If the format of a file is not certain, an error is
    raised. No row is ever dropped or changed.

    Parameters
    ----------
    path : str, path-like, file opened in binary mode, or a sequence of them
        Files in UTF-8, plain or compressed by gzip. Compression is recognised by the content. The rows of several files
        are concatenated. A pipe, such as ``/dev/stdin``, and an open file, such as ``sys.stdin.buffer``, are read into
        memory once.
    format : {"auto", "flagr", "csv", "tsv", "trec", "parquet", "json", "jsonl"}, default="auto"
        ``"flagr"``: query, voter, item, score, source, or query, voter, item, rank, score, source, without a header.
        ``"csv"``: with a header, separated by commas or semicolons. ``"tsv"``: the same with tabs. ``"trec"``: query,
        Q0, item, rank, score, tag, separated by blanks or tabs. ``"parquet"``: columns named as in a header; pyarrow
        must be installed. ``"json"``: ``{query: {item: score}}``, ``{voter: {query: {item: score}}}``, or an array of
        records ``{"query": ..., "item": ..., "score": ...}``. ``"jsonl"``: JSON Lines, one object a line: an item
        ``{"query": ..., "voter": ..., "item": ..., "score": ...}``, a list ``{"query": ..., "voter": ..., "items":
        [...]}``, or a query ``{"query": ..., "hits": [...]}`` or ``{"query": ..., "lists": {voter: [...]}}``.
        ``"auto"``: the format that matches the beginning of the file.
    voter : {"auto", "file"} or sequence of str or None, default="auto"
        Names of the voters. ``"auto"`` uses the names in the file, which are the tags in TREC runs. If the file has no
        names of voters, as in a consensus, the voter is ``consensus``. With ``"file"``, the name of the file becomes
        the name of the voter. Folders, .gz and the suffix of the format, such as .run or .csv, are left out. A sequence
        contains a name for each path, or None to use the names in the file. A file with a given name must have only one
        voter.
    columns : sequence of str or None, default=None
        Columns of a CSV or TSV file *without a header*, in their order. The names are query, item, rank, score, voter
        and weight; None skips a column. If `format` does not determine the separator, it is found from the first line.
    decimal : {".", ","}, default="."
        Decimal mark of numbers. A comma is possible only in files separated by tabs or semicolons.
    trailing : {"error", "ignore"}, default="error"
        How to treat words after the tag of a TREC run. The program trec_eval ignores such words.
    as_frame : bool, default=True
        If False, return the lists in encoded form, as ``RankedLists.from_frame(read_lists(path))`` does. This is faster
        with pyarrow, because the ids of the rows need not become text first.

    Returns
    -------
    DataFrame, or RankedLists if `as_frame` is False
        Columns query, voter and item (str). The columns rank, score, weight and duel are present if the files have
        them. Ranks are int64, or float64 if some ranks are not integers; the other three columns are float64. The
        column duel marks paired comparisons, see ``RankedLists.from_frame``. Rows are in the order of the files. Scores
        become 64-bit integers instead of float64 if all are written as integers, some are ``2 ** 53`` or more, and all
        fit into 64 bits. Ranks are treated in the same way.

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    ImportError
        If a file is a Parquet file, and pyarrow is missing.
    TypeError
        If a file is opened in text mode.
    ValueError
        If a format is not certain, or a line has too few or too many fields. If a number cannot be read or is not
        finite; the message then contains the line number. If a file is empty or not in UTF-8, files differ in their
        columns, or two files contain lists of the same voter. With ``as_frame=False``, also for the reasons listed at
        :meth:`RankedLists.from_frame <skrankagg.RankedLists.from_frame>`.

    See Also
    --------
    read_qrels : Reads judgements.
    write_run : Writes a consensus.

    Notes
    -----
    Ids are text and stay unchanged; ``007``, ``NA``, ``null`` and outer blanks are kept. An empty id is refused. In CSV
    files, ids with commas, line ends or quotes must be quoted, and quotes inside an id must be doubled. Numbers are
    read as the nearest double.

    A header may name its columns in any order and case: ``Query, q, qid, topic``; ``Voter, ranker, system, run, tag``;
    ``Item, doc, docno, document``; ``Rank, position``; ``Score, sim``; ``Weight``. Names such as ``Item ID`` and
    ``query_id`` are also accepted. Other columns are skipped. Two columns with the same meaning are refused, with one
    exception. If there is a column ``qid`` or ``query_id``, a column ``query`` is assumed to contain the text of the
    queries. It is skipped, and a warning is issued.

    In JSON records, the names of the fields follow the same rules as the names in a header, and ids may be integers. An
    object with a repeated key is refused. A query without items has no row in the result.

    All lines of a JSON Lines file must have the same kind of content, which the keys determine. An object with ``item``
    is one item. An object with ``items``, ``hits`` or ``results`` is one list. An object with ``lists`` contains a list
    for each voter of a query. A list is an array of ids, best first, an array of pairs ``[item, score]``, an object
    ``{item: score}``, or an array of objects such as ``{"id": ..., "score": ...}``. In these objects, the key of the id
    is ``id``, ``_id`` or a name that a header may use for the column of items. Other keys are skipped. A list must not
    be split across two lines.

    This function does not check for duplicate items or contradictions between ranks and scores;
    :class:`~skrankagg.RankedLists` does.

    The files are read in pieces by the CSV reader of pyarrow if it is installed, and otherwise by pandas' C parser.
    Files with quotes are read a second time, line by line, by a slower reader that finds more faults. CSV files with
    blank lines between rows are read by the slower reader only.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from skrankagg.datasets import read_lists
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = Path(folder.name) / "bm25.run"
    >>> _ = path.write_text("q1 Q0 d007 1 2.5 bm25\nq1 Q0 d003 2 1.5 bm25\n")
    >>> read_lists(path)
      query voter  item  rank  score
    0    q1  bm25  d007     1    2.5
    1    q1  bm25  d003     2    1.5
    >>> read_lists(path, as_frame=False)
    RankedLists(n_queries=1, n_voters=1, n_items=2, n_lists=1, n_rows=2, ranks and scores)
    >>> folder.cleanup()

    Reading a stream, a table with decimal commas, and JSON:

    >>> import io
    >>> read_lists(io.BytesIO(b"query;item;score\nq1;d007;2,5\n"), decimal=",",
    ...            voter=["panel"])
      query  voter  item  score
    0    q1  panel  d007    2.5
    >>> read_lists(io.BytesIO(b'{"bm25": {"q1": {"d007": 2.5, "d003": 1.5}}}'))
      query voter  item  score
    0    q1  bm25  d007    2.5
    1    q1  bm25  d003    1.5

    JSON Lines with one list a line:

    >>> lines = b'''{"query": "q1", "voter": "bm25", "items": ["d007", "d003"]}
    ... {"query": "q1", "voter": "dense", "items": ["d003"]}
    ... '''
    >>> read_lists(io.BytesIO(lines))
      query  voter  item  rank
    0    q1   bm25  d007     1
    1    q1   bm25  d003     2
    2    q1  dense  d003     1
    """
    _check(LISTS, format, columns, decimal)
    check_choice("trailing", trailing, ("error", "ignore"))
    # An open file is also an iterable of lines, which would be mistaken for paths.
    many = not isinstance(path, (str, os.PathLike)) and hasattr(path, "__iter__") and not hasattr(path, "read")
    paths = list(path) if many else [path]
    if not all(map(is_file, paths)):
        raise InputTypeError(
            f"`path` must be a path, a file open in binary mode, or a sequence of them; got {path!r}. Pass the names "
            "of files."
        )
    if not paths:
        raise InputError("`path` must contain at least one path; got none. Check the pattern that finds them.")
    named = not isinstance(voter, str)
    names = list(voter) if named else [voter] * len(paths)
    if (not named and voter not in {"auto", "file"}) or len(names) != len(paths):
        raise InputError(f"`voter` must be 'auto', 'file' or one name for each of {len(paths)} path(s); got {voter!r}.")

    frames, styles = [], []
    for path, name in zip(paths, names, strict=True):
        with add_file_to_errors("read_lists", path, _remedy(format)):
            source = make_rereadable(path, "read_lists")
            with encoding_checked(source):
                found, layout = find_format(source, LISTS, format, columns, decimal, trailing == "ignore")
                frame = _read(found, source, layout._replace(coded=not as_frame), LISTS, format)
        given = named and name is not None
        if given:
            frame = _named(frame, path, name)
        elif voter == "file":
            frame = _named(frame, path, _ENDING.sub("", os.path.basename(file_name(path))))
        elif "voter" not in frame:
            frame = _named(frame, path, "consensus")
        if frames and set(frame.columns) != set(frames[0].columns):
            raise InputError(
                f"All files must have the same columns; got {list(frames[0].columns)} in {file_name(paths[0])!r} and "
                f"{list(frame.columns)} in {file_name(path)!r}. Read them one by one."
            )
        frames.append(frame)
        styles.append("named" if given else layout.style)
    if len(frames) > 1:
        _check_apart(paths, frames, styles)
    frame = _joined(of_one_type(frames)) if len(frames) > 1 else frames[0]
    columns = {name: frame.pop(name) for name in LISTS.known if name in frame}
    if "rank" in columns and columns["rank"].dtype.kind == "f":
        rank = columns["rank"].to_numpy()
        if not is_beyond_float64(rank) and (rank == (whole := rank.astype(np.int64))).all():
            columns["rank"] = whole
    frame = frame_of(columns)
    return frame if as_frame else _encoded(frame)


def read_qrels(
    path: FileLike,
    *,
    format: QrelsFormat = "auto",
    columns: Sequence[str | None] | None = None,
    decimal: Literal[".", ","] = ".",
) -> pd.DataFrame:
    r"""Read relevance judgements from a file.

    Parameters
    ----------
    path : str, path-like, or file opened in binary mode
        File in UTF-8, plain or compressed by gzip. Compression is recognised by the content. A pipe and an open file
        are read into memory once.
    format : {"auto", "flagr", "csv", "tsv", "trec", "parquet", "json", "jsonl"}, default="auto"
        ``"flagr"``: query, 0, item, relevance, separated by commas, without a header. ``"csv"``: with a header,
        separated by commas or semicolons. ``"tsv"``: the same with tabs. ``"trec"``: query, 0, item, relevance,
        separated by blanks or tabs. ``"parquet"``: columns named as in a header; pyarrow must be installed. ``"json"``:
        ``{query: {item: relevance}}``, or an array of records ``{"query": ..., "item": ..., "relevance": ...}``.
        ``"jsonl"``: JSON Lines, one object a line: ``{"query": ..., "item": ..., "relevance": ...}``, or ``{"query":
        ..., "items": {item: relevance}}``. ``"auto"``: the format that matches the beginning of the file.
    columns : sequence of str or None, default=None
        Columns of a CSV or TSV file *without a header*, in their order. The names are query, item and relevance; None
        skips a column. If `format` does not determine the separator, it is found from the first line.
    decimal : {".", ","}, default="."
        Decimal mark of judgements. A comma is possible only in files separated by tabs or semicolons.

    Returns
    -------
    DataFrame
        Columns query, item (str) and relevance (int64 if all judgements are written as integers, otherwise float64).
        Negative judgements stay negative. Rows are in the order of the file.

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    ImportError
        If the file is a Parquet file, and pyarrow is missing.
    TypeError
        If the file is opened in text mode.
    ValueError
        If the format is not certain, or a line has too few or too many fields. If a judgement is not a finite number;
        the message then contains the line number. If the file is empty or not in UTF-8.

    See Also
    --------
    read_lists : Reads ranked lists; its Notes on ids also apply here.

    Notes
    -----
    A header may name its columns in any order and case: ``Query, q, qid, topic``; ``Item, doc, docno, document``;
    ``Relevance, rel, label, grade``. Names such as ``Item ID`` and ``query_id`` are also accepted. Other columns are
    skipped. If there is a column ``qid`` or ``query_id``, a column ``query`` is assumed to contain the text of the
    queries. It is skipped, and a warning is issued.

    The second field of TREC qrels, the iteration, is ignored, as in trec_eval. With ``format="auto"``, this field of a
    CSV file must be 0 or Q0. A file with another value in this field may contain lists, because the second field of
    FLAGR's lists is the voter.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from skrankagg.datasets import read_qrels
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = Path(folder.name) / "qrels.csv"
    >>> _ = path.write_text("1,0,d007,2\n1,0,d003,0\n")
    >>> read_qrels(path)
      query  item  relevance
    0     1  d007          2
    1     1  d003          0
    >>> folder.cleanup()
    """
    _check(QRELS, format, columns, decimal)
    if not is_file(path):
        raise InputTypeError(
            f"`path` must be a path, or a file open in binary mode; got {path!r}. Pass the name of one file."
        )
    with add_file_to_errors("read_qrels", path, _remedy(format)):
        source = make_rereadable(path, "read_qrels")
        with encoding_checked(source):
            found, layout = find_format(source, QRELS, format, columns, decimal)
            frame = _read(found, source, layout, QRELS, format)
    return frame[list(QRELS.known)]
