"""Readers of lists and judgements for this package; lists are read as in FLAGR and encoded once.

The order of the rows in the file matters here, because FLAGR adds numbers in this order. Queries and voters are
numbered by their first appearance; items are sorted as bytes. Ids are text. FLAGR changes, drops or crashes on some
kinds of input. Here, such input is read unchanged, or an error with the reason is raised.
"""

import os

import numpy as np
import pandas as pd

from ..._arrays._ragged import positions, starts_to_ptr
from ..._data._qrels import Qrels, encode_qrels
from ..._data._ranked_lists import RankedLists
from ...datasets import read_lists, read_qrels
from ...exceptions import InputError, InputTypeError
from ._profile import Profile

_LISTS_BY_PLACE = {
    5: ["query", "voter", "item", "score", "source"],
    6: ["query", "voter", "item", "rank", "score", "source"],
}
_QRELS_BY_PLACE = {4: ["query", "iteration", "item", "relevance"]}


def _named(frame, by_place, needed, what):
    if set(needed) <= set(frame.columns):
        return frame
    names = by_place.get(frame.shape[1])
    if names is None:
        raise InputError(
            f"{what} must have columns named {', '.join(needed)}, or exactly {' or '.join(map(str, by_place))} "
            f"columns in this order: {'; '.join(', '.join(one) for one in by_place.values())}; got "
            f"{list(frame.columns)}."
        )
    return frame.set_axis(names, axis=1)


def _table(file, frame, read, by_place, needed, what):
    if isinstance(file, os.PathLike) or len(file):
        return read(file)
    if frame is None:
        raise InputError(f"{what} must be passed as a file or as a frame; got neither.")
    if not isinstance(frame, pd.DataFrame):
        raise InputTypeError(f"{what} must be a pandas DataFrame; got {type(frame).__name__}.")
    return _named(frame, by_place, needed, what)


def _text(column):
    missing = int(column.isna().sum())
    if missing:
        raise InputError(f"Column {column.name!r} must have an id in every row; {missing} are missing.")
    return column.astype(str)


def _refuse_duplicates(frame):
    # The error is raised here, because its message must contain the user's ids.
    names = ["query", "voter", "item"]
    twice = frame[frame.duplicated(names)]
    if len(twice):
        query, voter, item = twice[names].iloc[0]
        raise InputError(
            f"A list must contain each item only once; {len(twice)} rows repeat an item: the list of voter {voter!r} "
            f"for query {query!r} has {item!r} twice. Keep one row, for example with drop_duplicates."
        ) from None


def encode_profile(input_file, input_df, quirks):
    """Read and encode ranked lists.

    Parameters
    ----------
    input_file : str or path-like
        Path of the file; "" means no file.
    input_df : DataFrame or None
        Frame with named columns, or with five or six columns as in the file.
    quirks : frozenset of str

    Returns
    -------
    Profile
    """
    frame = _table(input_file, input_df, read_lists, _LISTS_BY_PLACE, ("query", "voter", "item"), "The lists")
    if len(frame) == 0:
        raise InputError("The lists must have at least one row; got none.")
    numbers = {name: frame[name].to_numpy() for name in ("rank", "score") if name in frame}
    if not numbers:
        raise InputError(f"The lists must have a column 'rank' or 'score'; got {list(frame.columns)}.")
    query, queries = pd.factorize(_text(frame["query"]))
    voter, _ = pd.factorize(_text(frame["voter"]))
    rows = pd.DataFrame({"query": query, "voter": voter, "item": _text(frame["item"]).array, **numbers})
    rank = None
    if "rank.verbatim" in quirks:
        rows, rank = _as_written(rows)
    try:
        lists = RankedLists.from_frame(rows)
    except ValueError:
        _refuse_duplicates(frame)
        raise
    return Profile(lists, lists.rank if rank is None else rank, pd.Index(queries), "absent_voters" in quirks)


def _as_written(rows):
    """Sort each list by descending score, then rank, then file order; return the rows, and the ranks that FLAGR uses.

    In the returned rows, the column `rank` contains the positions in the sorted list, counted from 1. The second result
    is an array with a number for each row: the given rank without decimals, or the position if `rows` has no ranks.
    """
    keys = [rows["query"], rows["voter"]]
    if "score" in rows:
        keys.append(-rows["score"].to_numpy(dtype=np.float64))
    if "rank" in rows:
        rank = rows["rank"].to_numpy(dtype=np.float64)
        if not (np.isfinite(rank).all() and (rank >= 0).all()):
            raise InputError(
                "Column 'rank' must have finite numbers of at least 0; some ranks are negative, infinite or missing. "
                "Correct these ranks."
            )
        keys.append(rank)
    rows = rows.iloc[np.lexsort(keys[::-1])].reset_index(drop=True)
    start = (np.diff(rows["query"], prepend=-1) != 0) | (np.diff(rows["voter"], prepend=-1) != 0)
    place = positions(starts_to_ptr(start))
    # FLAGR reads ranks as integers.
    rank = np.trunc(rows["rank"].to_numpy(dtype=np.float64)) if "rank" in rows else place.astype(np.float64)
    return rows.assign(rank=place), rank


def encode_judgements(rels_file, rels_df, profile):
    """Read judgements and align them with the lists.

    Parameters
    ----------
    rels_file : str or path-like
        Path of the file; "" means no file.
    rels_df : DataFrame or None
        Frame with named columns, or with four columns as in the file.
    profile : Profile

    Returns
    -------
    EncodedQrels
        The aligned judgements; judgements of queries without lists are left out.
    """
    needed = ("query", "item", "relevance")
    frame = _table(rels_file, rels_df, read_qrels, _QRELS_BY_PLACE, needed, "The judgements")
    names = _text(frame["query"])
    query = profile.queries.get_indexer(pd.Index(names))
    if (query < 0).all():
        raise InputError(
            f"The judgements must contain a query of the lists; the lists contain {profile.queries[0]!r}, and the "
            f"judgements contain {names.iloc[:1].tolist()}. Check the ids of the queries."
        )
    known = query >= 0
    judged = pd.DataFrame({"query": query, "item": _text(frame["item"]).array, "relevance": frame["relevance"].array})
    return encode_qrels(Qrels.from_frame(judged[known]), profile.lists)


def ids_out(names):
    """Convert ids to integers, as in PyFLAGR's frames, if all are written as integers; otherwise return text.

    Parameters
    ----------
    names : pandas.Index
        Distinct ids, as text.

    Returns
    -------
    pandas.Index
    """
    if names.str.fullmatch(r"-?\d{1,18}").all():
        numbers = pd.Index(np.array(names, dtype=object).astype(np.int64))
        if (numbers.astype(str) == names).all():
            return numbers
    return names
