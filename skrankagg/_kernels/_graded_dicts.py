"""Grades of the ranked items of many queries, from dicts of scores and dicts of grades."""

import math
from typing import Any, Final, cast

from librt.vecs import vec
from mypy_extensions import i64

from . import _coded_lists, _plain_sums

# Integers of at least this size may not be represented by float64.
_EXACT: Final = 9007199254740992
# Integer grades from the lowest to the highest of these numbers are sorted by counting.
_LOWEST: Final = -8
_HIGHEST: Final = 55


def grade_dicts(run_in: object, qrels_in: object, order_many: Any) -> object:
    # Orders the items of each judged query and looks up their grades. Returns None for unusual input. The caller then
    # calls the general code, which has all checks, warnings and errors.
    if type(run_in) is not dict or type(qrels_in) is not dict:
        return None
    run = cast(dict[Any, Any], run_in)
    qrels = cast(dict[Any, Any], qrels_in)
    kind: object = None
    for query in run:
        if type(query) is not kind:
            if kind is not None or (type(query) is not str and type(query) is not int):
                return None
            kind = type(query)
    n_rows: i64 = 0
    n_judged: i64 = 0
    longest: i64 = 0
    for query, judged in qrels.items():
        if type(query) is not kind or type(judged) is not dict:
            return None
        n_judged += len(cast(dict[Any, Any], judged))
        returned = run.get(query)
        if returned is None:
            if query in run:
                return None
            continue
        if type(returned) is not dict:
            return None
        length: i64 = len(cast(dict[Any, Any], returned))
        n_rows += length
        if length > longest:
            longest = length
    n_queries: i64 = len(qrels)
    grade = vec[float]([math.nan] * n_rows)
    score = vec[float]([0.0] * n_rows)
    ptr = vec[i64]([0] * (n_queries + 1))
    best = vec[float]([0.0] * n_judged)
    judged_ptr = vec[i64]([0] * (n_queries + 1))
    count = vec[i64]([0] * (_HIGHEST - _LOWEST + 1))
    row_score = vec[float]([0.0] * longest)
    row_grade = vec[float]([0.0] * longest)
    ids: list[Any] = []
    known = False
    row: i64 = 0
    start: i64 = 0
    q: i64 = 0
    for query, judged_in in qrels.items():
        by_item = cast(dict[Any, Any], judged_in)
        start = _read_grades(by_item, best, start, count, order_many)
        if start < 0:
            return None
        returned_in = run.get(query)
        if returned_in is not None:
            by_id = cast(dict[Any, Any], returned_in)
            first = row
            before = math.inf
            falling = True
            tied = False
            for ident, given in by_id.items():
                if not _coded_lists._read_score(given, score, row):
                    return None
                value = score[row]
                if value >= before:
                    if value == before:
                        tied = True
                    else:
                        falling = False
                before = value
                found = by_item.get(ident)
                if found is not None:
                    known = True
                    if type(found) is int:
                        grade[row] = float(cast(int, found))
                    else:
                        grade[row] = cast(float, found)
                row += 1
            names = list(by_id)
            if tied or not falling:
                ordered = _sort(names, score, grade, first, falling, row_score, row_grade, order_many)
                if ordered is None:
                    return None
                names = ordered
            ids.append(names)
        else:
            ids.append(None)
        q += 1  # noqa: SIM113 - enumerate would count in Python integers
        ptr[q] = row
        judged_ptr[q] = start
    if not known:
        return None
    return grade, score, ptr, best, judged_ptr, ids


def _read_grades(by_item: dict[Any, Any], best: vec[float], start: i64, count: vec[i64], order_many: Any) -> i64:
    # Writes the grades of a query to `best`, largest first. Returns the end of these grades, or -1 for an unusual
    # grade. `count` must consist of zeros.
    end: i64 = start
    few = True
    for given in by_item.values():
        value = 0.0
        if type(given) is int:
            whole = cast(int, given)
            if not -_EXACT < whole < _EXACT:
                return -1
            if few and _LOWEST <= whole <= _HIGHEST:
                place: i64 = whole
                count[place - _LOWEST] += 1
            else:
                few = False
            value = float(whole)
        elif type(given) is float:
            value = cast(float, given)
            if not -math.inf < value < math.inf or (value == 0.0 and math.copysign(1.0, value) < 0.0):
                return -1
            few = False
        else:
            return -1
        best[end] = value
        end += 1
    k: i64 = len(count)
    if few:
        row: i64 = start
        while row < end:
            k -= 1
            left: i64 = count[k]
            count[k] = 0
            value = float(k + _LOWEST)
            while left > 0:
                best[row] = value
                row += 1
                left -= 1
        return end
    while k > 0:
        k -= 1
        count[k] = 0
    key = vec[float]([0.0] * (end - start))
    for c in range(end - start):
        key[c] = best[start + c]
    order = _plain_sums._descending(key, order_many)
    for c2 in range(end - start):
        best[start + c2] = key[order[c2]]
    return end


def _sort(
    names: list[Any],
    score: vec[float],
    grade: vec[float],
    first: i64,
    falling: bool,
    row_score: vec[float],
    row_grade: vec[float],
    order_many: Any,
) -> list[Any] | None:
    # Sorts the rows of a list by descending score, then by id. Returns the ids in this order. Returns None if ids of
    # equal score are neither all texts nor all integers.
    n: i64 = len(names)
    order = vec[i64]([0] * n)
    if falling:
        for c in range(n):
            order[c] = c
    else:
        key = vec[float]([0.0] * n)
        for c2 in range(n):
            key[c2] = score[first + c2]
        order = _plain_sums._descending(key, order_many)
    for c3 in range(n):
        row_score[c3] = score[first + c3]
        row_grade[c3] = grade[first + c3]
    start: i64 = 0
    while start < n:
        value = row_score[order[start]]
        stop: i64 = start + 1
        while stop < n and row_score[order[stop]] == value:
            stop += 1
        if stop > start + 1 and not _sort_tied(names, order, start, stop):
            return None
        start = stop
    out: list[Any] = []
    for c4 in range(n):
        at: i64 = order[c4]
        score[first + c4] = row_score[at]
        grade[first + c4] = row_grade[at]
        out.append(names[at])
    return out


def _sort_tied(names: list[Any], order: vec[i64], start: i64, stop: i64) -> bool:
    # Sorts a part of `order` by the ids. Returns False if these are neither all texts nor all integers.
    kind = type(names[order[start]])
    if kind is not str and kind is not int:
        return False
    ids: list[Any] = []
    place: dict[Any, int] = {}
    for row in range(start, stop):
        at: i64 = order[row]
        ident = names[at]
        if type(ident) is not kind:
            return False
        ids.append(ident)
        place[ident] = at
    ids.sort()
    row2: i64 = start
    for ident in ids:
        order[row2] = place[ident]
        row2 += 1
    return True
