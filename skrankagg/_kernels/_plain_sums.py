"""Sums of ranks or scores over the plain Python lists of one query, and the order of the items."""

import math
from typing import Any, Final, cast

from librt.vecs import vec
from mypy_extensions import i64

from . import _plain_values, _tied_items

# Methods of `sum_lists`. `_plain_values` computes the values of further methods.
RECIPROCAL_RANKS: Final = 0
BORDA_POINTS: Final = 1
SCORE_SUMS: Final = 2
COUNTED_SCORE_SUMS: Final = 3

# Scores of at least this size may be integers that float64 cannot represent.
_EXACT: Final = 9007199254740992.0
# Lists whose largest score is below this are scaled before scores are subtracted.
_SMALL_SCORE: Final = 1e-149
# Products of values and weights between these bounds neither overflow nor underflow.
_LEAST_WEIGHT: Final = 1e-30
_MOST_WEIGHT: Final = 1e30
_LEAST_VALUE: Final = 1e-90
# NumPy adds at most this number of values one after another. It adds more values in another order.
_MOST_WEIGHTED_LISTS: Final = 8
# If there are more items, lists of two items may cause a warning about paired comparisons.
_FEW_ITEMS: Final = 4
# The relative tolerance for ties, as everywhere.
_TOLERANCE: Final = 1e-12
# For at most this number of items, the merge sort takes less time than a call of NumPy.
_FEW: Final = 400


def sum_lists(
    lists_in: object,
    method: i64,
    k: float,
    voter_weights: object,
    allow_others: bool,
    details: object,
    weights: object,
    top: i64,
    explain: bool,
    order_many: Any,
) -> object:
    # Merges the lists of one query, given as Python objects. Returns None for unusual input. The caller then calls the
    # general code, which has all checks, warnings and errors.
    names: list[Any] = []
    if type(lists_in) is dict:
        by_name = cast(dict[Any, Any], lists_in)
        for name in by_name:
            if type(name) is not str:
                return None
            names.append(name)
        # Values are added in the sorted order of the names.
        names.sort()
        lists: list[Any] = [by_name[name] for name in names]
    elif type(lists_in) is list:
        lists = cast(list[Any], lists_in)
    else:
        return None
    m: i64 = len(lists)
    n_rows: i64 = 0
    n_held: i64 = 0
    has_pairs = False
    for one in lists:
        length: i64 = 0
        if type(one) is list:
            length = len(cast(list[Any], one))
        elif type(one) is dict:
            length = len(cast(dict[Any, Any], one))
        else:
            return None
        if length == 2:
            has_pairs = True
        if length > 0:
            n_held += 1
        n_rows += length
    if n_rows == 0:
        return None
    weight = vec[float]()
    if weights is not None or voter_weights is not None:
        if n_held > _MOST_WEIGHTED_LISTS:
            return None
        weight = vec[float]([1.0] * m)
        if weights is not None and not _read_weights(weights, names, m, weight):
            return None
        if voter_weights is not None and not _read_voter_weights(
            voter_weights, names, lists, -1 if allow_others else n_held, weight
        ):
            return None
        heaviest = 0.0
        for v in range(m):
            if weight[v] > heaviest and len(lists[v]) > 0:
                heaviest = weight[v]
        if heaviest == 0.0:  # this may cause a warning
            return None
    code = vec[i64]([0] * n_rows)
    score = vec[float]([0.0] * n_rows)
    ptr = vec[i64]([0] * (m + 1))
    number: dict[Any, int] = {}
    items: list[Any] = []
    scored = _read_lists(lists, number, items, code, score, ptr)
    reads_scores = method == SCORE_SUMS
    if method == COUNTED_SCORE_SUMS or method >= _plain_values.MIN_MAX:
        reads_scores = True
    if scored < 0 or (scored == 0 and reads_scores):
        return None
    n: i64 = len(items)
    if has_pairs and n > _FEW_ITEMS:
        return None
    total = vec[float]([0.0] * n)
    support = vec[float]([0.0] * n)
    share = vec[float]()
    if explain:
        share = vec[float]([0.0] * (n * m))
    if method >= _plain_values.SIMPLE_POINTS:
        return _sum_values(
            lists_in,
            names,
            items,
            number,
            method,
            k,
            cast(tuple[Any, ...], details),
            code,
            score,
            scored == 1,
            ptr,
            weight,
            total,
            support,
            share,
            top,
            order_many,
        )
    if reads_scores:
        usual = _add_scores(code, score, ptr, weight, total, support, share)
    else:
        usual = _add_ranks(method, k, code, score, scored == 1, ptr, weight, total, support, share)
    if not usual:
        return None
    if method == COUNTED_SCORE_SUMS:
        for c in range(n):
            total[c] *= support[c]
    largest = _largest_size(total)
    found = _order_items(items, total, support, largest, method != BORDA_POINTS, code, ptr, weight, top, order_many)
    if not explain:
        return found
    factor = support if method == COUNTED_SCORE_SUMS else vec[float]()
    return _with_shares(found, number, factor, share, m, names, lists_in)


def _sum_values(
    lists_in: object,
    names: list[Any],
    items: list[Any],
    number: dict[Any, int],
    method: i64,
    k: float,
    details: tuple[Any, ...],
    code: vec[i64],
    score: vec[float],
    scored: bool,
    ptr: vec[i64],
    weight: vec[float],
    total: vec[float],
    support: vec[float],
    share: vec[float],
    top: i64,
    order_many: Any,
) -> object:
    # Merges the lists of one query by a method whose values `_plain_values` computes. `details` has four entries: the
    # factor of the sums; True if absent items get the lowest value of each list; a function that returns the values of
    # ranks or the factors; and a function that warns of lists that lack many items. Both functions may be None.
    factor_kind = cast(int, details[0])
    use_lowest = cast(bool, details[1])
    helper: Any = details[2]
    warn: Any = details[3]
    n: i64 = len(total)
    m: i64 = len(ptr) - 1
    value = vec[float]([0.0] * len(code))
    if method >= _plain_values.MIN_MAX:
        usual = _plain_values.values_of_scores(method, score, ptr, value)
    else:
        usual = _plain_values.values_of_ranks(method, n, helper, score, scored, ptr, value)
    if not usual:
        return None
    if method == _plain_values.POINTS_INSIDE and not _plain_values.is_connected(n, code, ptr, weight):
        return None  # this causes a warning
    absent = vec[float]()
    if use_lowest or method == _plain_values.SHARED_POINT_SHARES:
        absent = _plain_values.absent_values(method, n, ptr, value)
    size = vec[float]()
    if method == _plain_values.Z_SCORES or (
        method >= _plain_values.MIN_MAX and _plain_values.has_negative(value, ptr, absent)
    ):
        size = vec[float]([0.0] * n)
    _plain_values.add_values(value, absent, code, ptr, weight, total, support, size, share)
    factor = vec[float]()
    if factor_kind != _plain_values.NO_FACTOR:
        factor = _plain_values.factors(factor_kind, k, helper, support, ptr, weight)
        if len(factor) == 0:
            return None
        _plain_values.multiply_by(factor_kind, factor, total, size, share, m)
    for c in range(n):
        if total[c] == 0.0 and math.copysign(1.0, total[c]) < 0.0:
            return None  # the sign of tied zeros depends on the order in which NumPy sorts them
    largest = _largest_size(size if len(size) > 0 else total)
    additive = len(absent) == 0 and method != _plain_values.POINTS_INSIDE
    found = _order_items(items, total, support, largest, additive, code, ptr, weight, top, order_many)
    if warn is not None and _plain_values.is_partial(n, code, ptr, weight):
        warn()
    if len(share) == 0:
        return found
    return _with_shares(found, number, vec[float](), share, m, names, lists_in)


def _largest_size(value: vec[float]) -> float:
    largest = 0.0
    for c in range(len(value)):
        size = value[c] if value[c] >= 0.0 else -value[c]
        if size > largest:
            largest = size
    return largest


def _read_weights(given: object, names: list[Any], m: i64, weight: vec[float]) -> bool:
    # Multiplies the weight of each list by the given one. Returns False for an unusual weight.
    if len(names) > 0:
        if type(given) is not dict:
            return False
        by_name = cast(dict[Any, Any], given)
        numbers: list[Any] = [by_name.get(name) for name in names]
    elif type(given) is list:
        numbers = cast(list[Any], given)
    else:
        return False
    usual = len(numbers) == m
    for v in range(m):
        usual = usual and _multiply(weight, v, numbers[v])
    return usual


def _read_voter_weights(given: object, names: list[Any], lists: list[Any], n_held: i64, weight: vec[float]) -> bool:
    # Multiplies the weight of each list by the weight of its voter. Returns False if a list with items has no weight,
    # or an unusual weight. If `n_held` is at least 0, it is the number of lists with items, and weights of other voters
    # are unusual.
    by_name = cast(dict[Any, Any], given)
    if n_held >= 0 and len(by_name) != n_held:
        return False
    kind: object = str if len(names) > 0 else int
    for name in by_name:
        if type(name) is not kind:
            return False
    for v in range(len(lists)):
        if len(lists[v]) == 0:
            continue
        voter: object = v + 1
        if len(names) > 0:
            voter = names[v]
        if not _multiply(weight, v, by_name.get(voter)):
            return False
    return True


def _multiply(weight: vec[float], v: i64, given: object) -> bool:
    value = 0.0
    if type(given) is float:
        value = cast(float, given)
    elif type(given) is int:
        whole = cast(int, given)
        if not 0 <= whole < 1000000000:
            return False
        value = float(whole)
    else:
        return False
    if not 0.0 <= value < _MOST_WEIGHT:
        return False
    value *= weight[v]
    weight[v] = value
    return value == 0.0 or _LEAST_WEIGHT < value < _MOST_WEIGHT


def _read_lists(
    lists: list[Any], number: dict[Any, int], items: list[Any], code: vec[i64], score: vec[float], ptr: vec[i64]
) -> i64:
    # Numbers the ids in order of appearance, and gathers the scores. Returns 1 if the lists have scores, 0 if they have
    # none, and -1 for anything unusual, such as ids of several types.
    last = vec[i64]([-1] * len(code))
    kind: object = None
    scored: i64 = -1
    row: i64 = 0
    v: i64 = 0
    c: i64 = 0
    for one in lists:
        if type(one) is dict:
            by_id = cast(dict[Any, Any], one)
            if len(by_id) > 0:
                if scored == 0:
                    return -1
                scored = 1
            for ident, given in by_id.items():
                if type(ident) is not kind:
                    if row > 0 or (type(ident) is not str and type(ident) is not int):
                        return -1
                    kind = type(ident)
                if not _read_score(given, score, row):
                    return -1
                code[row] = _number(number, items, ident)
                row += 1
        elif len(cast(list[Any], one)) > 0:
            entries = cast(list[Any], one)
            if type(entries[0]) is tuple:
                if scored == 0:
                    return -1
                scored = 1
                for entry in entries:
                    if type(entry) is not tuple:
                        return -1
                    pair = cast(tuple[Any, ...], entry)
                    if len(pair) != 2:
                        return -1
                    ident = pair[0]
                    if type(ident) is not kind:
                        if row > 0 or (type(ident) is not str and type(ident) is not int):
                            return -1
                        kind = type(ident)
                    if not _read_score(pair[1], score, row):
                        return -1
                    c = _number(number, items, ident)
                    if last[c] == v:
                        return -1
                    last[c] = v
                    code[row] = c
                    row += 1
            else:
                if scored == 1:
                    return -1
                scored = 0
                for ident in entries:
                    if type(ident) is not kind:
                        if row > 0 or (type(ident) is not str and type(ident) is not int):
                            return -1
                        kind = type(ident)
                    c = _number(number, items, ident)
                    if last[c] == v:
                        return -1
                    last[c] = v
                    code[row] = c
                    row += 1
        v += 1  # noqa: SIM113 - enumerate would count in Python integers
        ptr[v] = row
    return scored


def _number(number: dict[Any, int], items: list[Any], ident: object) -> i64:
    n: int = len(items)
    k = number.setdefault(ident, n)
    if k == n:
        items.append(ident)
    return k


def _read_score(given: object, score: vec[float], row: i64) -> bool:
    if isinstance(given, float):
        score[row] = given
    elif type(given) is int:
        whole = cast(int, given)
        if not -9007199254740992 < whole < 9007199254740992:
            return False
        score[row] = float(whole)
    else:
        return False
    return -_EXACT < score[row] < _EXACT


def _add_scores(
    code: vec[i64],
    score: vec[float],
    ptr: vec[i64],
    weight: vec[float],
    total: vec[float],
    support: vec[float],
    share: vec[float],
) -> bool:
    # Adds the scores of each list, scaled to the range from 0 to 1.
    m: i64 = len(ptr) - 1
    for v in range(m):
        start: i64 = ptr[v]
        stop: i64 = ptr[v + 1]
        if start == stop:
            continue
        low = score[start]
        high = low
        row: i64 = start + 1
        while row < stop:
            value = score[row]
            if value < low:
                low = value
            elif value > high:
                high = value
            row += 1
        largest = high if high > -low else -low
        if 0.0 < largest < _SMALL_SCORE:
            return False
        span = high - low
        w = weight[v] if len(weight) > 0 else 1.0
        row = start
        while row < stop:
            value = 1.0
            if span != 0.0:
                value = (score[row] - low) / span
                if value < _LEAST_VALUE and (value != 0.0 or (low == 0.0 and math.copysign(1.0, score[row]) < 0.0)):
                    return False
            if len(weight) > 0:
                value *= w
            c: i64 = code[row]
            total[c] += value
            support[c] += w
            if len(share) > 0:
                share[c * m + v] = value
            row += 1
    return True


def _add_ranks(
    method: i64,
    k: float,
    code: vec[i64],
    score: vec[float],
    scored: bool,
    ptr: vec[i64],
    weight: vec[float],
    total: vec[float],
    support: vec[float],
    share: vec[float],
) -> bool:
    # Adds the reciprocal ranks or the Borda points of each list. Ties have their mean rank. Lists of scores must be in
    # descending order.
    n: i64 = len(total)
    m: i64 = len(ptr) - 1
    held = vec[float]()
    if method == BORDA_POINTS:
        held = vec[float]([0.0] * n)
    # The points that lists give to absent items. NumPy adds all values after the first, and then adds their sum to the
    # first value.
    first = 0.0
    others = 0.0
    n_held: i64 = 0
    for v in range(m):
        start: i64 = ptr[v]
        stop: i64 = ptr[v + 1]
        if start == stop:
            continue
        w = weight[v] if len(weight) > 0 else 1.0
        left_over = (float(n) - float(stop - start) + 1.0) / 2.0 * w
        if n_held == 0:
            first = left_over
        else:
            others += left_over
        n_held += 1
        if len(share) > 0 and method == BORDA_POINTS:
            for c in range(n):
                share[c * m + v] = left_over
        row: i64 = start
        while row < stop:
            end: i64 = row + 1
            if scored:
                while end < stop and score[end] == score[row]:
                    end += 1
                if end < stop and score[end] > score[row]:
                    return False
            rank = float(row + 1 + end) / 2.0 - float(start)
            value = 1.0 / (k + rank) if method == RECIPROCAL_RANKS else float(n) + 1.0 - rank
            if len(weight) > 0:
                value *= w
            while row < end:
                c2: i64 = code[row]
                total[c2] += value
                support[c2] += w
                if method == BORDA_POINTS:
                    held[c2] += left_over
                if len(share) > 0:
                    share[c2 * m + v] = value
                row += 1
    if method == BORDA_POINTS:
        for c3 in range(n):
            total[c3] += (first + others) - held[c3]
    return True


def _order_items(
    items: list[Any],
    total: vec[float],
    support: vec[float],
    largest: float,
    additive: bool,
    code: vec[i64],
    ptr: vec[i64],
    weight: vec[float],
    top: i64,
    order_many: Any,
) -> list[tuple[Any, float]]:
    # Orders the items as `best_first` does. The tolerance is relative to `largest`. The source of a score is the only
    # list of positive weight that contains the item. With `additive`, unequal scores are never in one class if they
    # have the same source, or if one of them has a source and the other has none.
    n: i64 = len(total)
    m: i64 = len(ptr) - 1
    tolerance = _TOLERANCE * largest
    first = 0.0
    others = 0.0
    n_held: i64 = 0
    for v in range(m):
        if ptr[v] < ptr[v + 1]:
            w = weight[v] if len(weight) > 0 else 1.0
            if n_held == 0:
                first = w
            else:
                others += w
            n_held += 1
    support_tolerance = _TOLERANCE * (first + others)
    order = _descending(total, order_many)
    source = vec[i64]()
    known: set[int] = set()
    silent = False
    known_until: i64 = 0
    out: list[tuple[Any, float]] = []
    if top <= 0 or top > n:
        top = n
    start: i64 = 0
    while start < n and len(out) < top:
        value = total[order[start]]
        before = value
        stop: i64 = start + 1
        while stop < n:
            this = total[order[stop]]
            if this != before:
                if before - this > tolerance:
                    break
                if additive:
                    if len(source) == 0:
                        source = _sources(n, code, ptr, weight)
                    if known_until <= start:  # the first such pair of the class
                        known = set()
                        silent = False
                        known_until = start
                    while known_until < stop:
                        one: i64 = source[order[known_until]]
                        if one == -2:
                            silent = True
                        if one != -1:
                            known.add(one)
                        known_until += 1
                    if _is_apart(order, total, source, stop, known, silent):
                        break
            before = this
            stop += 1
        if stop == start + 1:
            out.append((items[order[start]], value))
        else:
            _tied_items.append_tied(out, items, order, support, support_tolerance, start, stop, value)
        start = stop
    if len(out) > top:
        return out[:top]
    return out


def _sources(n: i64, code: vec[i64], ptr: vec[i64], weight: vec[float]) -> vec[i64]:
    # Returns the only list of positive weight that contains each item; -1 for several such lists and -2 for no list.
    source = vec[i64]([-2] * n)
    for v in range(len(ptr) - 1):
        if len(weight) > 0 and weight[v] == 0.0:
            continue
        row: i64 = ptr[v]
        stop: i64 = ptr[v + 1]
        while row < stop:
            c: i64 = code[row]
            source[c] = v if source[c] == -2 else -1
            row += 1
    return source


def _is_apart(order: vec[i64], total: vec[float], source: vec[i64], start: i64, known: set[int], silent: bool) -> bool:
    # Returns True if a class must end before the equal scores that begin at start. `known` contains the sources of the
    # class. `silent` is True if the class contains an item without a source.
    n: i64 = len(order)
    value = total[order[start]]
    row: i64 = start
    while row < n and total[order[row]] == value:
        one: i64 = source[order[row]]
        if one != -1 and (silent or one in known or (one == -2 and len(known) > 0)):
            return True
        row += 1
    return False


def _descending(key: vec[float], order_many: Any) -> vec[i64]:
    # Returns the order of the values, largest first. Blocks are sorted by insertion, and then merged. For many values,
    # `order_many` is called first, because it is faster. It may return None. The order of equal values does not matter.
    n: i64 = len(key)
    if n > _FEW:
        found = order_many(key)
        if found is not None:
            return cast(vec[i64], found)
    order = vec[i64]([0] * n)
    width: i64 = 12
    start: i64 = 0
    while start < n:
        stop: i64 = start + width if start + width < n else n
        i: i64 = start
        while i < stop:
            value = key[i]
            at: i64 = i
            while at > start and key[order[at - 1]] < value:
                order[at] = order[at - 1]
                at -= 1
            order[at] = i
            i += 1
        start = stop
    if width >= n:
        return order
    merged = vec[i64]([0] * n)
    while width < n:
        start = 0
        while start < n:
            middle: i64 = start + width if start + width < n else n
            stop = middle + width if middle + width < n else n
            _merge_runs(key, order, merged, start, middle, stop)
            start = stop
        other = order
        order = merged
        merged = other
        width *= 2
    return order


def _merge_runs(key: vec[float], order: vec[i64], merged: vec[i64], start: i64, middle: i64, stop: i64) -> None:
    at: i64 = start
    if middle >= stop or not key[order[middle - 1]] < key[order[middle]]:
        while at < stop:
            merged[at] = order[at]
            at += 1
        return
    left: i64 = start
    right: i64 = middle
    one: i64 = order[left]
    other: i64 = order[right]
    value = key[one]
    other_value = key[other]
    while True:
        if value < other_value:
            merged[at] = other
            at += 1
            right += 1
            if right == stop:
                break
            other = order[right]
            other_value = key[other]
        else:
            merged[at] = one
            at += 1
            left += 1
            if left == middle:
                break
            one = order[left]
            value = key[one]
    while left < middle:
        merged[at] = order[left]
        at += 1
        left += 1
    while right < stop:
        merged[at] = order[right]
        at += 1
        right += 1


def _with_shares(
    found: list[tuple[Any, float]],
    number: dict[Any, int],
    factors: vec[float],
    share: vec[float],
    m: i64,
    names: list[Any],
    lists_in: object,
) -> list[Any]:
    # Adds the share of each list to each pair of id and score. The shares are a list in the order of the lists, or a
    # dict by the names of the lists.
    place = vec[i64]([0] * m)
    given: list[Any] = []
    if len(names) > 0:
        place_of = {name: v for v, name in enumerate(names)}
        for name in cast(dict[Any, Any], lists_in):
            place[len(given)] = place_of[name]
            given.append(name)
    out: list[Any] = []
    for ident, value in found:
        c: i64 = number[ident]
        factor = factors[c] if len(factors) > 0 else 1.0
        v: i64 = 0
        if len(given) > 0:
            by_name: dict[Any, float] = {}
            for name in given:
                by_name[name] = share[c * m + place[v]] * factor
                v += 1
            out.append((ident, value, by_name))
        else:
            shares: list[float] = []
            while v < m:
                shares.append(share[c * m + v] * factor)
                v += 1
            out.append((ident, value, shares))
    return out
