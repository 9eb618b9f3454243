"""Fast encoding of plain Python lists of one query, without a data frame.

Online services need this speed: merging three lists of a hundred ids takes less time than building a data frame of
these lists. The result equals the result of :meth:`RankedLists.from_lists`. Pandas indexes are built only if a method
needs them.
"""

from collections.abc import Mapping, Set
from functools import cached_property, lru_cache
from itertools import chain, pairwise
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from .._arrays._plain_ids import gather_scores, number_items
from .._arrays._ragged import expand, mid_ranks, positions, tie_starts
from .._support._checks import check_choice, check_count, check_flag
from .._support._values import as_float, is_integer, is_real, show
from ..exceptions import InputError, InputTypeError
from ._frames import EXACT_LIMIT
from ._hit_forms import RESPONSE_KEYS, find_form, open_response
from ._hits import KINDS, check_key, is_pair, negate, read_list, refuse_other_names
from ._long_rows import named_weights
from ._ranked_lists import RankedLists
from ._voter_names import near_voters

#: Queries with at most this number of rows get cached arrays, see :func:`_layout`.
_KEPT_ROWS = 10_000
#: Ids of these types can be sorted and are never missing.
_PLAIN_TYPES = (str, int)


class PlainQuery:
    """Lists of one query that have been read, but not encoded.

    Parameters
    ----------
    names : list or None
        Names of the lists; None if the lists are numbered from 1.
    ids : list of lists
        Ids of each list.
    scores : list of sequences, or None
        Scores of each list, where higher scores are better; None if the lists have no scores.
    hits : list of lists
        The hit of each id, such as a dict from a search client; the id itself if a list contains only ids and scores.
    ranks : list of sequences, or None
        Ranks of each list if repeated ids have been merged by their mean rank. None if the order of the ids gives the
        ranks.
    """

    __slots__ = ("hits", "ids", "names", "ranks", "scores")

    def __init__(self, names, ids, scores, hits, ranks=None):
        self.names = names
        self.ids = ids
        self.scores = scores
        self.hits = hits
        self.ranks = ranks

    def name(self, v):
        """Return the name of list `v` for error messages."""
        return f"list {v + 1}" if self.names is None else f"list {show(self.names[v])}"

    def to_lists(self, *, pairs=False):
        """Return the lists that are not empty, in the form that :meth:`RankedLists.from_lists` accepts.

        Lists with scores become dicts of id to score or, with `pairs`, lists of (id, score) pairs. Only lists of pairs
        may repeat an id.
        """
        names = range(1, len(self.ids) + 1) if self.names is None else self.names
        held = [v for v, ids in enumerate(self.ids) if ids]
        if self.scores is None:
            return {names[v]: self.ids[v] for v in held}
        return {names[v]: self._by_id(v, pairs) for v in held}

    def _by_id(self, v, pairs):
        if pairs:
            return list(zip(self.ids[v], self.scores[v], strict=True))
        try:
            scored = dict(zip(self.ids[v], self.scores[v], strict=True))
        except TypeError as error:
            raise _unhashable(error) from None
        if len(scored) != len(self.ids[v]):
            raise _repeated(self.name(v), next(one for k, one in enumerate(self.ids[v]) if one in self.ids[v][:k]))
        return scored

    def without_duplicates(self, duplicates):
        """Return the lists with repeated ids merged as `duplicates` states: "first", "best" or "mean"."""
        if not self.ids:
            return self
        merged = [self._merge(v, duplicates) for v in range(len(self.ids))]
        ids, scores, hits, ranks = (list(part) for part in zip(*merged, strict=True))
        return PlainQuery(
            self.names,
            ids,
            None if self.scores is None else scores,
            hits,
            ranks if duplicates == "mean" and self.scores is None else None,
        )

    def _merge(self, v, duplicates):
        """Merge the repeated ids of list `v`; return its ids, scores, hits and ranks."""
        ids, hits = self.ids[v], self.hits[v]
        scores = range(0, -len(ids), -1) if self.scores is None or not ids else self.scores[v]
        rows: dict[Any, list[int]] = {}
        try:
            for row, one in enumerate(ids):
                rows.setdefault(one, []).append(row)
        except TypeError as error:
            raise _unhashable(error) from None
        if len(rows) == len(ids):
            return ids, scores, hits, range(1, len(ids) + 1)
        best = {
            one: held[0] if duplicates == "first" or len(held) == 1 else max(held, key=lambda k: as_float(scores[k]))
            for one, held in rows.items()
        }
        if duplicates != "mean":
            kept = sorted(best.values()) if self.scores is None else list(best.values())
            return [ids[k] for k in kept], [scores[k] for k in kept], [hits[k] for k in kept], None
        mean = {
            one: scores[held[0]] if len(held) == 1 else sum(map(as_float, map(scores.__getitem__, held))) / len(held)
            for one, held in rows.items()
        }
        order = list(mean) if self.scores is not None else sorted(mean, key=mean.__getitem__, reverse=True)
        values = [mean[one] for one in order]
        ends = np.array([0, len(values)])
        ranks = None if self.scores is not None else mid_ranks(ends, tie_starts(ends, np.array(values, dtype=float)))
        return order, values, [hits[best[one]] for one in order], ranks


def is_batch(lists, key):
    """Return True for a batch, which is a sequence with the lists of one query in each element."""
    if not isinstance(lists, list | tuple):
        return False
    # The two most common cases are a list of ids, and a dict of id to score.
    first = lists[0] if lists else None
    if isinstance(first, list) and first and isinstance(first[0], str):
        return False
    if type(first) is dict and type(next(iter(first.values()), None)) is float:
        return False
    queries = [one for one in lists if len(one)] if all(map(_is_sized, lists)) else []
    query = next((one for one in queries if not _only_empty(one)), None)
    if query is None:  # all lists are empty
        return bool(queries)
    if isinstance(query, Mapping):
        if open_response(query) is not None:
            return False
        one = next((one for one in query.values() if not has_not_arrived(one)), ())
        return (_is_sized(one) and not isinstance(one, str)) or open_response(one) is not None
    if isinstance(query, str) or not isinstance(query, list | tuple):
        return False
    one = next((one for one in query if not has_not_arrived(one) and (not _is_sized(one) or len(one))), None)
    if isinstance(one, Mapping):  # a response, a hit, a dict of id to score, or a hit that lacks the key
        if open_response(one) is not None or find_form(one) is not None:
            return find_form(one) is None
        return key is None and is_real(next(iter(one.values())))
    if isinstance(one, list | tuple | np.ndarray):
        return not is_pair(one)
    return one is not None and not isinstance(one, str) and open_response(one) is not None


def _only_empty(query):
    """Return True for a sequence of empty lists, such as the lists of a query without any hit."""
    return isinstance(query, list | tuple) and all(isinstance(one, list | tuple | Mapping) and not one for one in query)


def _is_sized(one):
    return hasattr(type(one), "__len__") and getattr(one, "ndim", 1) != 0


def describe_method(method):
    """Return a description, for an error message, of a value that was passed instead of an aggregator."""
    if not isinstance(method, type):
        return show(method)
    return f"the class {method.__name__}. Pass an instance, {method.__name__}()"


def has_not_arrived(one):
    """Return True for None or an exception, which means that a retriever did not return a list."""
    return one is None or isinstance(one, BaseException)


def read_plain(lists, key=None, *, strict=False, by_rank=lambda: False):
    """Read the lists of one query as :class:`PlainQuery`.

    If only some of the lists have scores, `by_rank` is called. It returns True if the method reads only ranks. In this
    case, lists without scores get descending scores.
    """
    names = None
    if isinstance(lists, Mapping):
        if not lists.keys().isdisjoint(RESPONSE_KEYS):
            _refuse_response(lists)
        names, lists = list(lists), list(lists.values())
    elif not isinstance(lists, list | tuple):
        raise InputTypeError(
            f"`lists` of fuse must be {KINDS}; got {type(lists).__name__}. Pass frames and RankedLists to the "
            "aggregator's own fit_transform."
        )
    by_list = key is not None and isinstance(key, Mapping)
    if by_list:
        check_key(key, names, strict, "fuse")
    ids, scores, hits = [], [], []
    for v, one in enumerate(lists):
        # The two most common cases come first.
        if key is None and type(one) is list and one and type(one[0]) is str:
            of, values, found = one, None, one
        elif type(one) is dict and one.keys().isdisjoint(RESPONSE_KEYS):
            of = found = list(one)
            values = list(one.values())
        elif has_not_arrived(one) and not strict:
            of, values, found = [], None, []
        else:
            name = v if names is None else names[v]
            of, values, found, lower = read_list(one, key.get(name) if by_list else key, "fuse", name)
            if lower:
                values = negate(values)
        ids.append(of)
        scores.append(values)
        hits.append(found)
    if scores.count(None) == len(scores):
        if not any(ids):
            _refuse_no_lists(lists, names)
        return PlainQuery(names, ids, None, hits)
    scored = [values is not None for values, of in zip(scores, ids, strict=True) if of]
    if not any(scored):  # all dicts of scores are empty
        return PlainQuery(names, ids, None, hits)
    if not all(scored) and not by_rank():
        odd = next(v for v, (values, of) in enumerate(zip(scores, ids, strict=True)) if of and values is None)
        raise InputError(
            "`lists` of fuse must all have scores for a method that reads scores; list "
            f"{show(odd if names is None else names[odd])} has none. Give each list scores, or choose a method that "
            "reads only ranks, such as 'rrf'."
        )
    falling = [range(0, -len(of), -1) if values is None else values for of, values in zip(ids, scores, strict=True)]
    return PlainQuery(names, ids, falling, hits)


def _refuse_no_lists(lists, names):
    """Raise an error if all lists are None or exceptions; empty lists cause no error."""
    if lists and all(map(has_not_arrived, lists)):
        name = "list 1" if names is None else show(names[0])
        raise InputError(
            f"`lists` of fuse must contain at least one list; got {show(lists[0])} for {name}, and no other list has "
            "arrived. Check the retrievers."
        ) from (lists[0] if isinstance(lists[0], Exception) else None)


def _refuse_response(lists):
    """Raise an error if `lists` is the response of a single client instead of a dict of lists."""
    if open_response(lists) is not None and any(isinstance(one, str | int | float) for one in lists.values()):
        raise InputTypeError(
            "`lists` of fuse must be a list for each retriever; got the response of a single client. Wrap it in a "
            "dict, such as {'bm25': response}, with the other responses."
        )


def read_weights(plain, weights, *, strict=False):
    """Check and return the weight of each list; with `strict`, raise an error for a weight of an unknown list."""
    names = plain.names
    if isinstance(weights, pd.Series) and names is not None:
        weights = named_weights(weights)
    if isinstance(weights, Mapping):
        if names is None:
            raise InputError(
                f"`weights` must be a sequence of numbers for unnamed lists; got {show(dict(weights))}. Pass the lists "
                "as a dict, too."
            )
        lacking = [name for name in names if name not in weights]
        if lacking:
            lacking = lacking[0]
            spare = [name for name in weights if name not in names]
            near = near_voters([lacking], spare)
            raise InputError(
                f"`weights` must have a number for each list; got none for list {show(lacking)}"
                + (f", but one for {show(near[0][1])} (did you mean {show(lacking)}?)" if near else "")
                + f". The names in `weights` are {show(list(weights))}."
            )
        if strict:
            refuse_other_names("weights", weights, names)
        weights = [weights[name] for name in names]
    elif isinstance(weights, str | bytes | Set) or not np.iterable(weights):
        raise InputTypeError(
            "`weights` must be numbers, one for each list, or a dict that maps the names of lists to numbers; got "
            f"{show(weights)}."
        )
    else:
        weights = list(weights)
    if len(weights) != len(plain.ids):
        raise InputError(
            f"`weights` must have one number for each list; got {len(weights)} numbers and {len(plain.ids)} lists."
        )
    for v, weight in enumerate(weights):
        if not 0 <= as_float(weight) < np.inf:
            raise InputError(
                f"`weights` must be finite and at least 0; got {show(weight)} for {plain.name(v)}. Correct it."
            )
    return weights


def best_copies(plain, ids):
    """For each id, return its hit in the list that ranks the id best; among equal ranks, the first list is chosen."""
    query = OneQuery(plain, None, sort=False)
    order = np.lexsort((np.array(query.held)[query.row_list], query.rank, query.candidate))
    first = order[np.unique(query.candidate[order], return_index=True)[1]]
    v_of = dict(zip(query.ids, np.array(query.held)[query.row_list[first]].tolist(), strict=True))
    hit_of = [dict(zip(of, hits, strict=True)) for of, hits in zip(plain.ids, plain.hits, strict=True)]
    return [hit_of[v_of[one]][one] for one in ids]


def check_output(top, explain, return_items, duplicates, strict):
    """Raise an error if one of these arguments of `fuse` is invalid."""
    if not (explain is return_items is strict is False):
        for name, flag in (("explain", explain), ("return_items", return_items), ("strict", strict)):
            check_flag(name, flag)
    if not isinstance(duplicates, str) or duplicates != "error":
        check_choice("duplicates", duplicates, ("error", "first", "best", "mean"))
    if top is not None:
        check_count("top", top)


class OneQuery(RankedLists):
    """Ranked lists of one query, encoded from plain lists.

    Items are numbered in order of appearance, or in sorted order with `sort`. Methods whose scores are sums over rows
    accept both orders. All other methods need sorted order. A pickled or copied OneQuery becomes a RankedLists.

    Parameters
    ----------
    plain : PlainQuery
        Lists with at least one item.
    weights : list of float or None
        Weight of each list.
    sort : bool
        Whether to number the items in sorted order.
    """

    def __init__(self, plain, weights=None, *, sort):
        held = [v for v, ids in enumerate(plain.ids) if ids]
        if plain.names is None:
            names = [v + 1 for v in held]
        else:  # sorted voters, so that sums equal the sums after from_lists
            held = _sort_names(held, plain.names)
            names = [plain.names[v] for v in held]
        ids = [plain.ids[v] for v in held]
        layout = _layout(tuple(map(len, ids)))
        row_ptr = layout["row_ptr"]
        try:
            items, code, repeated, odd = number_items(ids, int(row_ptr[-1]))
        except TypeError as error:
            raise _unhashable(error) from None
        if odd >= 0:
            items, code, repeated, odd = number_items(_python_ids(ids), int(row_ptr[-1]))
        if repeated >= 0 or odd >= 0 or type(items[0]) not in _PLAIN_TYPES:
            self._refuse(plain, held, row_ptr, items, repeated, odd)
        score = None
        if plain.scores is not None:
            score, falls = _read_scores(plain, held, int(row_ptr[-1]))
            if not falls:
                order = np.lexsort((-score, layout["row_list"]))
                code, score = code[order], score[order]
        if sort:
            order = sorted(range(len(items)), key=items.__getitem__)
            number = np.empty(len(items), dtype=np.int32)
            number[order] = np.arange(len(items), dtype=np.int32)
            items, code = [items[k] for k in order], number[code]
        self.__dict__.update(
            layout,
            list_conflict=None,
            list_merged=None,
            candidate=code,
            score=score,
            ids=items,
            held=held,
            _names=names,
            _layout=layout,
        )
        if score is not None:
            del self.__dict__["rank"]
        elif plain.ranks is not None:
            self.__dict__["rank"] = np.concatenate([plain.ranks[v] for v in held]).astype(np.float64)
        if weights is not None:
            del self.__dict__["is_weighted"]
            self.__dict__["list_weight"] = np.array([weights[v] for v in held], dtype=np.float64)

    @cached_property
    def queries(self) -> pd.Index:
        return pd.Index(["q"])

    @cached_property
    def voters(self) -> pd.Index:
        return pd.Index(self._names)

    @cached_property
    def items(self) -> pd.Index:
        return pd.Index(self.ids)

    @cached_property
    def candidate_ptr(self) -> NDArray[np.int64]:
        return np.array([0, len(self.ids)])

    @cached_property
    def candidate_query(self) -> NDArray[np.int32]:
        return np.zeros(len(self.ids), dtype=np.int32)

    @cached_property
    def candidate_item(self) -> NDArray[np.int32]:
        return np.arange(len(self.ids), dtype=np.int32)

    @cached_property
    def rank(self) -> NDArray[np.float64]:
        tied = self.score[1:] == self.score[:-1]
        tied[self.row_ptr[1:-1] - 1] = False
        if not tied.any():
            return self._layout["rank"]
        return mid_ranks(self.row_ptr, tie_starts(self.row_ptr, self.score))

    @staticmethod
    def _refuse(plain, held, row_ptr, items, repeated, odd):
        """Raise an error for a repeated id, for ids of several types, or for ids that cannot be sorted.

        `repeated` and `odd` are the results of :func:`~skrankagg._arrays._plain_ids.number_items`: the first row with a
        repeated id, and the first row with an id of another type. They are -1 if there is no such row. Ids of a custom
        type are valid if they can be sorted.
        """
        row = max(repeated, odd, 0)
        v = int(np.searchsorted(row_ptr, row, side="right")) - 1
        one, where = plain.ids[held[v]][row - int(row_ptr[v])], plain.name(held[v])
        if repeated >= 0:
            raise _repeated(where, one)
        if odd < 0 and not any(pd.isna(item) is True for item in items):
            try:
                if all(a < b for a, b in pairwise(sorted(items))):
                    return
            except TypeError:
                pass
        raise InputTypeError(
            f"Ids for fuse must be of one sortable type, such as str or int; {where} has {show(one)} of type "
            f"{type(one).__name__} (the first id is {show(items[0])}). Convert them, for example with "
            f"{'str' if plain.hits[held[v]] is plain.ids[held[v]] else 'key=lambda hit: str(hit.id)'}."
        )


def _python_ids(lists):
    """Convert NumPy's integers and strings to Python types, so that equal ids have the same type."""
    return [[one.item() if isinstance(one, np.integer | np.str_) else one for one in ids] for ids in lists]


def _layout(lengths):
    """Return a dict of the attributes that depend only on the lengths of the lists, such as `row_ptr` and `rank`.

    The arrays are read-only, because the results for few rows are cached and returned again.
    """
    return _kept_layout(lengths) if sum(lengths) <= _KEPT_ROWS else _new_layout(lengths)


def _new_layout(lengths):
    m = len(lengths)
    row_ptr = np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)])
    arrays = {
        "list_ptr": np.array([0, m]),
        "list_query": np.zeros(m, dtype=np.int32),
        "list_voter": np.arange(m, dtype=np.int32),
        "list_weight": np.ones(m),
        "list_length": np.diff(row_ptr),
        "row_ptr": row_ptr,
        "row_list": expand(row_ptr),
        "rank": positions(row_ptr).astype(np.float64),
    }
    for one in arrays.values():
        one.flags.writeable = False
    return {**arrays, "is_weighted": False}


# A service often fuses lists of the same lengths.
_kept_layout = lru_cache(maxsize=64)(_new_layout)


def _sort_names(held, names):
    try:
        return sorted(held, key=names.__getitem__)
    except TypeError:
        raise InputTypeError(
            f"Names of lists for fuse must be sortable; got {show(names)}. Convert them to str."
        ) from None


def _read_scores(plain, held, n_rows):
    """Return the scores of all rows as float64, and True if the scores of each list are in descending order."""
    scores = [plain.scores[v] for v in held]
    try:
        score, largest, falls = gather_scores(scores, n_rows)
        if largest < EXACT_LIMIT:
            return score, falls
    except (TypeError, OverflowError):
        pass
    flat = list(chain.from_iterable(scores))
    score = np.array([as_float(value) for value in flat])
    bad = ~np.isfinite(score)
    large = np.abs(score) >= EXACT_LIMIT
    if large.any():  # integers that round to the same float64
        bad |= large & np.array([is_integer(value) and int(value) != as_float(value) for value in flat])
    if bad.any():
        row = int(np.argmax(bad))
        v, one = [(v, one) for v in held for one in plain.ids[v]][row]
        raise InputError(
            f"Scores for fuse must be finite numbers that float64 represents exactly; got {show(flat[row])} for "
            f"{show(one)} in {plain.name(v)}. Correct this score, or drop the item."
        )
    return score, False


def _unhashable(error):
    return InputTypeError(
        f"Ids for fuse must be hashable, such as str or int ({error}). Name the id of a hit with key=."
    )


def _repeated(where, one):
    return InputError(
        f"Each list for fuse must contain an id once; {where} repeats {show(one)}. Keep one of them, or pass "
        "duplicates='first', 'best' or 'mean'."
    )
