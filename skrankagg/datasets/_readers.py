"""Read ranked lists and judgements from files."""

import os
import re
from collections.abc import Sequence
from typing import Literal

import numpy as np
import pandas as pd

from .._data._frames import EXACT_LIMIT
from ..exceptions import InputError, InputTypeError
from ._format_names import ListsFormat, QrelsFormat
from ._formats import FORMATS, alternatives, find_format, readable
from ._integers import of_one_type
from ._kinds import LISTS, QRELS
from ._sources import FileLike, blamed_on, encoding_checked, file_name, hold, is_file

__all__ = ["read_lists", "read_qrels"]

_BY_LINES = [repr(one.name) for one in readable(LISTS) if not one.decides]
_REMEDY = (
    f"repair the file, or name its format by format={alternatives(_BY_LINES)}, or the columns of a CSV without "
    "a header by columns=[...]."
)
_SUFFIXES = "|".join(re.escape(suffix) for one in FORMATS for suffix in one.suffixes)
_ENDING = re.compile(rf"({_SUFFIXES})?(\.gz)?$", re.IGNORECASE)


def _check(kind, format, columns, decimal):
    caller, formats = f"read_{kind.name}", ["auto", *(one.name for one in readable(kind))]
    if format not in formats:
        raise InputError(f"{caller} expects format to be one of {', '.join(map(repr, formats))}, got {format!r}.")
    if decimal not in {".", ","}:
        raise InputError(f"{caller} expects decimal to be '.' or ',', got {decimal!r}.")
    if columns is None:
        return
    if isinstance(columns, str) or not hasattr(columns, "__iter__"):
        raise InputError(f"{caller} expects columns to be a sequence of names, got {columns!r}.")
    if format not in {"auto", "csv", "tsv"}:
        raise InputError(
            f"{caller} takes columns for CSV and TSV files only, got them with format={format!r}; drop either."
        )


def _named(frame, path, voter):
    """Replace the voter of a file by a given name."""
    if "voter" in frame and (frame["voter"] != frame["voter"].iloc[0]).any():
        raise InputError(
            f"read_lists expects one voter in each file when voter names them, got {frame['voter'].nunique()} "
            f"in {file_name(path)!r}; leave voter='auto'."
        )
    return frame.assign(voter=pd.Series(voter, index=frame.index, dtype=str))


def _check_apart(paths, frames, styles):
    """Refuse files that would flow into one list.

    Two TREC runs of one tag are refused even if they share no query: tags are often left at the default of a
    program.
    """
    seen = {}
    for path, frame, style in zip(paths, frames, styles, strict=True):
        lists = frame[["query", "voter"]].drop_duplicates()
        for voter, queries in lists.groupby("voter", sort=False)["query"]:
            queries = set(queries)
            for other, others, other_style in seen.get(voter, ()):
                if style == other_style == "trec" or not queries.isdisjoint(others):
                    raise InputError(
                        f"read_lists expects different voters in different files, got {voter!r} in {other!r} "
                        f"and {file_name(path)!r}; name them after their files with voter='file', or give a "
                        "list of names."
                    )
            seen.setdefault(voter, []).append((file_name(path), queries, style))


def read_lists(
    path: FileLike | Sequence[FileLike],
    *,
    format: ListsFormat = "auto",
    voter: Literal["auto", "file"] | Sequence[str | None] = "auto",
    columns: Sequence[str | None] | None = None,
    decimal: Literal[".", ","] = ".",
    trailing: Literal["error", "ignore"] = "error",
) -> pd.DataFrame:
    r"""Read ranked lists from one file or several.

    FLAGR's CSV files, CSV and TSV files with a header and TREC runs are told apart by their first line, Parquet
    and JSON files by their first bytes; what is not certain is refused, and no row is ever dropped or altered.

    Parameters
    ----------
    path : str, path-like, file open for bytes, or a sequence of them
        Files, plain or gzip (recognised by their content), in UTF-8. Several are put one after the other. A pipe, such
        as ``/dev/stdin``, and an open file, such as ``sys.stdin.buffer``, are read once, into memory.
    format : {"auto", "flagr", "csv", "tsv", "trec", "parquet", "json"}, default="auto"
        ``"flagr"``: query, voter, item, score, source, or query, voter, item, rank, score, source, without a header.
        ``"csv"``: with a header, separated by commas or semicolons. ``"tsv"``: the same with tabs. ``"trec"``: query,
        Q0, item, rank, score, tag, separated by blanks or tabs. ``"parquet"``: columns with the names of a header,
        which needs pyarrow. ``"json"``: ``{query: {item: score}}``, ``{voter: {query: {item: score}}}``, or an array of
        records ``{"query": ..., "item": ..., "score": ...}``. ``"auto"``: the one that the beginning of the file fits.
    voter : {"auto", "file"} or sequence of str or None, default="auto"
        Who votes. ``"auto"``: as the file says, the tag in TREC runs; where it says nothing, as in a
        consensus, ``consensus``. ``"file"``: the name of the file without folders and without .run, .trec,
        .txt, .csv, .tsv, .parquet, .json and .gz. A sequence gives a name for each path, None
        for the file's own. Files that are named need to be of one voter each.
    columns : sequence of str or None, default=None
        Columns of a CSV or TSV file *without a header*, in their order: query, item, rank, score, voter, weight, and
        None for one to skip. The first line tells the separator, as far as `format` leaves it open.
    decimal : {".", ","}, default="."
        What stands before the decimals of a number; "," in files separated by tabs or semicolons only.
    trailing : {"error", "ignore"}, default="error"
        What to do with words that follow the tag of a TREC run; trec_eval ignores them.

    Returns
    -------
    DataFrame
        Columns query, voter, item (str) and, as far as the files have them, rank (int64, or float64 if some
        are not integers), score and weight (float64); rows in the order of the files. Scores that are all written as
        integers, some of 2 ** 53 or more, stay integers of 64 bits, and so do such ranks, where 64 bits hold them.

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    ImportError
        If a file is a Parquet file, and pyarrow is missing.
    TypeError
        If a file is open for text.
    ValueError
        If a format is not certain, a line has too few or too many fields, a number cannot be read or is not finite (the
        message names the line), a file is empty or not in UTF-8, files differ in their columns, or two files
        hold lists of the same voter.

    See Also
    --------
    read_qrels : Read judgements.
    write_run : Write a consensus.

    Notes
    -----
    Ids are text as it stands: ``007``, ``NA``, ``null`` and outer blanks survive; an empty field is refused. In CSV
    files ids with commas, line ends or quotes are quoted, quotes inside doubled. Numbers are read to the
    nearest double.

    A header may name its columns in any order and case: ``Query, q, qid, topic``; ``Voter, ranker, system,
    run, tag``; ``Item, doc, docno, document``, also with ``ID``; ``Rank, position``; ``Score, sim``;
    ``Weight``. Other columns are skipped. Two columns of one meaning are refused; but where there is ``qid`` or
    ``query_id``, ``query`` is taken for the text of the queries and skipped, with a warning.

    The names of the fields of JSON records are those of a header, and their ids may be integers. A key that an object
    holds twice is refused; a query without items has no row.

    Duplicate items are left to :class:`~skrankagg.RankedLists`, which also decides between ranks and scores
    that disagree.

    Files are read in pieces by pandas' C parser. Those with quotes are checked once more, line by line; a blank line
    between rows makes that slower reader do all the work.

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
    >>> folder.cleanup()

    From a stream, a table with decimal commas, and JSON:

    >>> import io
    >>> read_lists(io.BytesIO(b"query;item;score\nq1;d007;2,5\n"), decimal=",", voter=["panel"])
      query  voter  item  score
    0    q1  panel  d007    2.5
    >>> read_lists(io.BytesIO(b'{"bm25": {"q1": {"d007": 2.5, "d003": 1.5}}}'))
      query voter  item  score
    0    q1  bm25  d007    2.5
    1    q1  bm25  d003    1.5
    """
    _check(LISTS, format, columns, decimal)
    if trailing not in {"error", "ignore"}:
        raise InputError(f"read_lists expects trailing to be 'error' or 'ignore', got {trailing!r}.")
    # An open file is an iterable too, of lines that would pass for paths.
    many = not isinstance(path, (str, os.PathLike)) and hasattr(path, "__iter__") and not hasattr(path, "read")
    paths = list(path) if many else [path]
    if not all(map(is_file, paths)):
        raise InputTypeError(
            f"read_lists expects a path, a file open for bytes, or a sequence of them, got {path!r}; give the names of "
            "files."
        )
    if not paths:
        raise InputError("read_lists expects at least one path, got none; check the pattern that finds them.")
    named = not isinstance(voter, str)
    names = list(voter) if named else [voter] * len(paths)
    if (not named and voter not in {"auto", "file"}) or len(names) != len(paths):
        raise InputError(
            f"read_lists expects voter to be 'auto', 'file' or one name for each of {len(paths)} path(s), "
            f"got {voter!r}."
        )

    frames, styles = [], []
    for path, name in zip(paths, names, strict=True):
        with blamed_on("read_lists", path, _REMEDY):
            source = hold(path, "read_lists")
            with encoding_checked(source):
                found, layout = find_format(source, LISTS, format, columns, decimal, trailing == "ignore")
                frame = found.read(source, layout, LISTS, format != "auto")
        given = named and name is not None
        if given:
            frame = _named(frame, path, name)
        elif voter == "file":
            frame = _named(frame, path, _ENDING.sub("", os.path.basename(file_name(path))))
        elif "voter" not in frame:
            frame = _named(frame, path, "consensus")
        if frames and set(frame.columns) != set(frames[0].columns):
            raise InputError(
                f"read_lists expects the same columns in all files, got {list(frames[0].columns)} in "
                f"{file_name(paths[0])!r} and {list(frame.columns)} in {file_name(path)!r}; read them one by "
                "one."
            )
        frames.append(frame)
        styles.append("named" if given else layout.style)
    if len(frames) > 1:
        _check_apart(paths, frames, styles)
    frame = pd.concat(of_one_type(frames), ignore_index=True) if len(frames) > 1 else frames[0]
    if "rank" in frame and frame["rank"].dtype.kind == "f":
        whole = (frame["rank"] == np.floor(frame["rank"])) & (frame["rank"].abs() < EXACT_LIMIT)
        frame["rank"] = frame["rank"].astype(np.int64 if whole.all() else np.float64)
    return frame[[column for column in LISTS.known if column in frame]]


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
    path : str, path-like, or file open for bytes
        File, plain or gzip (recognised by its content), in UTF-8. A pipe and an open file are read once, into memory.
    format : {"auto", "flagr", "csv", "tsv", "trec", "parquet", "json"}, default="auto"
        ``"flagr"``: query, 0, item, relevance, separated by commas, without a header. ``"csv"``: with a header,
        separated by commas or semicolons. ``"tsv"``: the same with tabs. ``"trec"``: query, 0, item, relevance,
        separated by blanks or tabs. ``"parquet"``: columns with the names of a header, which needs pyarrow. ``"json"``:
        ``{query: {item: relevance}}``, or an array of records ``{"query": ..., "item": ..., "relevance": ...}``.
        ``"auto"``: the one that the beginning of the file fits.
    columns : sequence of str or None, default=None
        Columns of a CSV or TSV file *without a header*, in their order: query, item, relevance, and None for one to
        skip. The first line tells the separator, as far as `format` leaves it open.
    decimal : {".", ","}, default="."
        What stands before the decimals of a judgement; "," in files separated by tabs or semicolons only.

    Returns
    -------
    DataFrame
        Columns query, item (str) and relevance (int64 if all are written as integers, else float64); negative
        judgements stay negative. Rows in the order of the file.

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    ImportError
        If the file is a Parquet file, and pyarrow is missing.
    TypeError
        If the file is open for text.
    ValueError
        If the format is not certain, a line has too few or too many fields, a judgement is not a finite number
        (the message names the line), or the file is empty or not in UTF-8.

    See Also
    --------
    read_lists : Read ranked lists; its Notes on ids hold here too.

    Notes
    -----
    A header may name its columns in any order and case: ``Query, q, qid, topic``; ``Item, doc, docno,
    document``, also with ``ID``; ``Relevance, rel, label, grade``. Other columns are skipped, and so is ``query``, the
    text of the queries, where there is ``qid`` or ``query_id``, with a warning.

    The second field of TREC qrels, the iteration, is not looked at, as in trec_eval. In a CSV file under
    ``format="auto"`` it must be 0 (or Q0), for lists look alike but for the voter there.

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
            f"read_qrels expects a path, or a file open for bytes, got {path!r}; give the name of one file."
        )
    with blamed_on("read_qrels", path, _REMEDY):
        source = hold(path, "read_qrels")
        with encoding_checked(source):
            found, layout = find_format(source, QRELS, format, columns, decimal)
            frame = found.read(source, layout, QRELS, format != "auto")
    return frame[list(QRELS.known)]
