"""Loaders of test collections that this package may not include; users must obtain the files themselves."""

import glob
import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

import numpy as np
import pandas as pd

from .._support._checks import check_choice
from ..exceptions import InputError, InputTypeError
from ._delimited import clip, is_number, to_number
from ._readers import read_lists, read_qrels
from ._sources import FileLike, add_file_to_errors, encoding_checked, file_name, is_file, make_rereadable, opened

__all__ = ["load_letor_agg", "load_trec"]

_LETOR_LINE = re.compile(r"\s*(\S+)\s+qid:(\S+)\s([^#]*)#\s*docid\s*=\s*(\S+)(?:\s.*)?", re.ASCII)


def load_letor_agg(
    path: FileLike | Sequence[FileLike], *, larger_is_better: bool = True
) -> tuple[pd.DataFrame, pd.DataFrame]:
    r"""Load rank aggregation data of LETOR 4.0: MQ2007-agg and MQ2008-agg.

    These data are the standard benchmark of rank aggregation with judgements. They contain queries of TREC's Million
    Query track, the results of some twenty search engines, and judgements from 0 to 2.

    Parameters
    ----------
    path : str, path-like, file open in binary mode, or a sequence of these
        Files such as ``Fold1/test.txt`` in UTF-8, plain or compressed by gzip. The rows of several files are
        concatenated; the five test files together contain all data.
    larger_is_better : bool, default=True
        Whether larger numbers in the file are better. True is correct for both data sets; see Notes.

    Returns
    -------
    lists : DataFrame
        Columns query, voter ("1", "2", ..., the number of the voter's column in the file), item (str) and score
        (float64, higher is better). With ``larger_is_better=False``, rank replaces score; ranks are int64, or float64
        if some are not integers. If a voter has NULL for a document, the document is not in its list. Rows are in the
        order of the file.
    qrels : DataFrame
        Columns query, item (str) and relevance (int64, or float64 if some values are not integers). There is a row for
        each line of the file, even if the document of the line is in no list.

    Raises
    ------
    FileNotFoundError
        If a file does not exist.
    TypeError
        If `path` is neither a file nor a sequence of files, or if a file is open in text mode.
    ValueError
        If a line does not have the format in the Notes, repeats a column number, or repeats a document of its query.
        The message contains the line number.

    See Also
    --------
    load_trec : Loads runs and judgements of TREC.
    read_lists : Reads lists of other formats.

    Notes
    -----
    Each line of a file is ``relevance qid:query 1:number 2:NULL ... #docid = document inc = ... prob = ...``.

    **The numbers are called ranks, but larger numbers are better.** With ``larger_is_better=True`` the numbers become
    the scores of the lists, so every method uses them correctly. If the numbers are read as ranks, every list is
    reversed. The mean average precision of Borda's method on MQ2008-agg then falls from .478 to .395.

    LETOR divides the queries, in the order of the file, into five consecutive parts. In each fold, three parts are for
    training, one part is for validation and one part is for testing.

    The data are from [1]_. They are for research only and are not part of this package.

    References
    ----------
    .. [1] T. Qin and T.-Y. Liu, "Introducing LETOR 4.0 datasets", arXiv:1306.2597, 2013.

    Examples
    --------
    >>> import io
    >>> from skrankagg.datasets import load_letor_agg
    >>> text = b'''2 qid:10 1:NULL 2:7 #docid = GX01 inc = 1 prob = 0.9
    ... 0 qid:10 1:4 2:3 #docid = GX02 inc = 1 prob = 0.1
    ... '''
    >>> lists, qrels = load_letor_agg(io.BytesIO(text))
    >>> lists
      query voter  item  score
    0    10     2  GX01    7.0
    1    10     1  GX02    4.0
    2    10     2  GX02    3.0
    >>> qrels
      query  item  relevance
    0    10  GX01          2
    1    10  GX02          0
    """
    many = not isinstance(path, (str, os.PathLike)) and hasattr(path, "__iter__") and not hasattr(path, "read")
    paths = list(path) if many else [path]
    if not paths or not all(map(is_file, paths)):
        raise InputTypeError(
            f"`path` must be a path, a file open in binary mode, or a sequence of them; got {path!r}. Pass the names "
            "of files."
        )
    rows, judged = [], {}
    for one in paths:
        with add_file_to_errors("load_letor_agg", one, "pass a file of LETOR's rank aggregation data, unchanged."):
            source = make_rereadable(one, "load_letor_agg")
            with encoding_checked(source), opened(source) as stream:
                text = stream.read().decode("utf-8-sig")
            _read_letor(text, rows, judged)
    if not judged:
        raise InputError(f"`path` must contain lines; got none in {file_name(paths[0])!r}.")
    query, voter, item, number = zip(*rows, strict=True) if rows else ((), (), (), ())
    number = np.array(number, dtype=np.float64)
    lists = pd.DataFrame(
        {name: pd.Series(ids, dtype=str) for name, ids in zip(_IDS, (query, voter, item), strict=True)}
    )
    lists["score" if larger_is_better else "rank"] = number if larger_is_better else _whole_if_all(number)
    qrels = pd.DataFrame(
        {
            "query": pd.Series([query for query, _ in judged], dtype=str),
            "item": pd.Series([item for _, item in judged], dtype=str),
            "relevance": _whole_if_all(np.array(list(judged.values()), dtype=np.float64)),
        }
    )
    return lists, qrels


_IDS = ("query", "voter", "item")


def _read_letor(text, rows, judged):
    """Read the text of a LETOR file into the list `rows` and the dict `judged`.

    Each line has the relevance of an item, and numbers that belong to voters. A tuple (query, voter, item, number) is
    appended to `rows` for each of these numbers. The relevance is stored in `judged` under the key (query, item).
    """
    for line_number, line in enumerate(re.split(r"\r\n|\r|\n", text), 1):
        if not line.strip():
            continue
        match = _LETOR_LINE.fullmatch(line)
        if match is None or not is_number(match[1]):
            raise InputError(
                f"line {line_number} is {clip(line)!r} instead of a relevance, qid:query, columns such as 1:0.5 or "
                "1:NULL, and #docid = document"
            )
        query, item = match[2], match[4]
        if (query, item) in judged:
            raise InputError(f"line {line_number} repeats the document {clip(item)!r} of the query {clip(query)!r}")
        judged[query, item] = to_number(match[1])
        columns = [field.partition(":") for field in match[3].split()]
        if len({column for column, _, _ in columns}) < len(columns):
            raise InputError(f"line {line_number} repeats a column")
        for column, _, value in columns:
            if value.upper() == "NULL":
                continue
            if not column.isdecimal() or not is_number(value):
                raise InputError(
                    f"line {line_number} has {clip(f'{column}:{value}')!r} instead of a column and its number or NULL"
                )
            rows.append((query, column, item, to_number(value)))


def _whole_if_all(number):
    """Convert numbers to 64-bit integers if all of them are integers; otherwise leave them unchanged."""
    whole = (number == np.floor(number)) & (np.abs(number) < 2**53)
    return number.astype(np.int64) if whole.all() else number


def load_trec(
    runs: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
    qrels: FileLike,
    *,
    order: Literal["score", "rank"] = "score",
    voter: Literal["auto", "file"] = "auto",
    trailing: Literal["error", "ignore"] = "error",
) -> tuple[pd.DataFrame, pd.DataFrame]:
    r"""Load runs and judgements of a track of TREC.

    The participants' runs are the voters, and the topics are the queries.

    Parameters
    ----------
    runs : str, path-like, or a sequence of them
        Files of runs, plain or compressed by gzip. A path may also be a folder, or a pattern such as ``"runs/*.gz"``,
        in which ``**`` matches folders of any depth. For a folder, all its files are read, except files whose names
        begin with a dot. Each file is read only once.
    qrels : str, path-like, or file open in binary mode
        File of judgements.
    order : {"score", "rank"}, default="score"
        Column of the runs that determines the order of the documents. The program trec_eval uses the score. The other
        column is dropped, because the two columns disagree in many runs.
    voter : {"auto", "file"}, default="auto"
        Source of each run's name, which becomes the voter. ``"auto"`` uses the tag of the run. ``"file"`` uses the name
        of the file without suffixes, so that runs with the same tag keep different names.
    trailing : {"error", "ignore"}, default="error"
        How to treat words after the tag of a run. The program trec_eval ignores such words.

    Returns
    -------
    lists : DataFrame
        Columns query, voter, item (str) and score (float64) or rank (int64, or float64 if some ranks are not integers).
        Rows are in the order of the names of the files.
    qrels : DataFrame
        Columns query, item (str) and relevance (int64, or float64 if some values are not integers).

    Raises
    ------
    FileNotFoundError
        If a name, a pattern or a folder matches no file.
    TypeError
        If `runs` is neither a path nor a sequence of paths.
    ValueError
        If a file cannot be read; the message then contains the line number. If two runs have the same name.

    See Also
    --------
    read_lists : Reads runs one by one, with both columns.
    read_qrels : Reads judgements of other formats.
    load_letor_agg : Loads the rank aggregation data of LETOR.

    Notes
    -----
    The lists also contain topics without judgements; measures leave these topics out. If documents have equal scores,
    trec_eval orders the documents by name, but the aggregation methods treat them as ties.

    The National Institute of Standards and Technology publishes runs and judgements of TREC [1]_. Most runs of past
    tracks are available only to registered researchers. The data are not part of this package.

    References
    ----------
    .. [1] E. M. Voorhees and D. K. Harman, "TREC: experiment and evaluation in information retrieval", MIT Press, 2005.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from skrankagg.datasets import load_trec
    >>> folder = tempfile.TemporaryDirectory()
    >>> runs = Path(folder.name) / "runs"
    >>> runs.mkdir()
    >>> _ = (runs / "input.a").write_text("601 Q0 d1 1 2.5 a\n601 Q0 d2 2 1.5 a\n")
    >>> _ = (runs / "input.b").write_text("601 Q0 d2 1 0.9 b\n")
    >>> _ = (runs.parent / "qrels.txt").write_text("601 0 d2 1\n601 0 d1 0\n")
    >>> lists, qrels = load_trec(runs / "input.*", runs.parent / "qrels.txt")
    >>> lists
      query voter item  score
    0   601     a   d1    2.5
    1   601     a   d2    1.5
    2   601     b   d2    0.9
    >>> folder.cleanup()
    """
    check_choice("order", order, ("score", "rank"))
    check_choice("voter", voter, ("auto", "file"))
    lists = read_lists(_files(runs), format="trec", voter=voter, trailing=trailing)
    lists = lists.drop(columns="rank" if order == "score" else "score")
    return lists, read_qrels(qrels, format="trec")


def _files(runs):
    """Return the files that the given paths, patterns and folders match; each file is returned once."""
    given = [runs] if isinstance(runs, (str, os.PathLike)) else runs
    given = list(given) if hasattr(given, "__iter__") else [given]
    if not given or not all(isinstance(one, (str, os.PathLike)) for one in given):
        raise InputTypeError(f"`runs` must be a path, a pattern or a folder, or a sequence of them; got {runs!r}.")
    found = {}
    for one in map(os.fspath, given):
        if os.path.isdir(one):
            inside = [path for path in sorted(Path(one).iterdir()) if path.is_file() and path.name[0] != "."]
        elif not os.path.exists(one) and glob.has_magic(one):
            inside = [Path(path) for path in sorted(glob.glob(one, recursive=True)) if os.path.isfile(path)]
        else:
            inside = [Path(one)]  # if the file is missing, the reader reports it
        if not inside:
            raise FileNotFoundError(f"`runs` must match files; found none in {one!r}. Check the name or the pattern.")
        found |= {os.path.realpath(path): path for path in inside}
    return list(found.values())
