"""Numbering and ordering of the ids in the plain Python lists of one query."""

import math
from typing import Any, cast

from librt.vecs import vec
from mypy_extensions import i64

from . import _tied_items


def number_items(lists_in: object, n_rows: i64) -> tuple[list[Any], vec[i64], i64, i64]:
    # Numbers ids in order of appearance. Returns four values: the distinct ids, the number of each row's id, the first
    # row that repeats an id of its list, and the first row with an id of another type than the first id. The last two
    # values are -1 if there is no such row.
    lists = cast(list[list[Any]], lists_in)
    number: dict[Any, int] = {}
    items: list[Any] = []
    code = vec[i64]([0] * n_rows)
    last = vec[i64]([-1] * n_rows)
    kind: object = None
    n: int = 0
    row: i64 = 0
    v: i64 = 0
    for ids in lists:
        for one in ids:
            if type(one) is not kind:
                if row > 0:
                    return items, code, -1, row
                kind = type(one)
            k = number.setdefault(one, n)
            if k == n:
                items.append(one)
                n += 1
            c: i64 = k
            if last[c] == v:
                return items, code, row, -1
            last[c] = v
            code[row] = c
            row += 1
        v += 1  # noqa: SIM113 - enumerate would count in Python integers
    return items, code, -1, -1


def gather_scores(lists_in: object, n_rows: i64) -> tuple[vec[float], float, bool]:
    # Returns a vector of the scores of all lists, the largest absolute score, and whether all lists are in descending
    # order. If a score is NaN, the largest absolute score is infinite. Raises TypeError if a score is neither float nor
    # int.
    lists = cast(list[list[Any]], lists_in)
    score = vec[float]([0.0] * n_rows)
    largest = 0.0
    falls = True
    row: i64 = 0
    for values in lists:
        start: i64 = row
        for one in values:
            value: float = one
            score[row] = value
            size = -value if value < 0.0 else value
            if not size <= largest:
                largest = size if size == size else math.inf
            if row > start and score[row - 1] < value:
                falls = False
            row += 1
    return score, largest, falls


def best_first(
    items_in: object,
    order_in: object,
    score_in: object,
    support_in: object,
    find_source: Any,
    tolerance: float,
    support_tolerance: float,
    top: i64,
) -> list[tuple[Any, float]]:
    # `order` sorts the scores of items, highest first. Neighbours within the tolerance form a class, and get its
    # highest score. In a class, items with more support come first, then items with smaller ids. `find_source`, which
    # may be None, returns the source of each score: -2 for no source, and -1 for several sources. Unequal scores are
    # never in one class if they have the same source, or if one of them has no source and the other has one.
    items = cast(list[Any], items_in)
    order = cast(vec[i64], order_in)
    score = cast(vec[float], score_in)
    support = cast(vec[float], support_in)
    source = vec[i64]()
    n: i64 = len(order)
    out: list[tuple[Any, float]] = []
    start: i64 = 0
    while start < n and len(out) < top:
        value = score[order[start]]
        stop: i64 = start + 1
        run: i64 = start
        before = value
        while stop < n:
            this = score[order[stop]]
            if this != before:
                if before - this > tolerance:
                    break
                if find_source is not None:
                    if len(source) == 0:
                        source = cast(vec[i64], find_source())
                    if _told_apart(order, score, source, run, stop):
                        break
                run = stop
            before = this
            stop += 1
        if stop == start + 1:
            out.append((items[order[start]], value))
        else:
            _tied_items.append_tied(out, items, order, support, support_tolerance, start, stop, value)
        start = stop
    return out[:top]


def _told_apart(order: vec[i64], score: vec[float], source: vec[i64], start: i64, stop: i64) -> bool:
    # Compares the equal scores from start to stop with the equal scores that begin at stop. Returns True if two of
    # these scores have the same source, or if one has a source and the other has none.
    known: set[int] = set()
    none = False
    for row in range(start, stop):
        one: i64 = source[order[row]]
        if one == -2:
            none = True
        if one != -1:
            known.add(one)
    n: i64 = len(order)
    row2: i64 = stop
    value = score[order[stop]]
    while row2 < n and score[order[row2]] == value:
        other: i64 = source[order[row2]]
        if other != -1 and (none or other in known or (other == -2 and len(known) > 0)):
            return True
        row2 += 1
    return False
