"""Order of the items within a tie class, for the kernels that order items."""

from typing import Any

from librt.vecs import vec
from mypy_extensions import i64


def append_tied(
    out: list[tuple[Any, float]],
    items: list[Any],
    order: vec[i64],
    support: vec[float],
    tolerance: float,
    start: i64,
    stop: i64,
    value: float,
) -> None:
    # Appends the items of a tie class to `out`, and sorts them in `order` in the same way.
    _sort_by_support(order, support, start, stop)
    first: i64 = start
    while first < stop:
        last: i64 = first + 1
        while last < stop and support[order[last - 1]] - support[order[last]] <= tolerance:
            last += 1
        if last == first + 1:
            out.append((items[order[first]], value))
        elif last == first + 2:
            one = items[order[first]]
            other = items[order[first + 1]]
            if other < one:
                one, other = other, one
            out.append((one, value))
            out.append((other, value))
        else:
            ids = [items[order[row]] for row in range(first, last)]
            _sort_few(ids)
            out.extend([(ident, value) for ident in ids])
        first = last


def _sort_few(ids: list[Any]) -> None:
    # Sorts by insertion. Most classes have few ids, and for few ids a call of `sort` would take longer.
    n: i64 = len(ids)
    if n > 4:
        ids.sort()
        return
    for k in range(1, n):
        one = ids[k]
        at: i64 = k
        while at > 0 and one < ids[at - 1]:
            ids[at] = ids[at - 1]
            at -= 1
        ids[at] = one


def _sort_by_support(order: vec[i64], support: vec[float], start: i64, stop: i64) -> None:
    # Sorts a part of `order` by descending support. Most parts are short or sorted.
    row: i64 = start + 1
    while row < stop:
        member: i64 = order[row]
        at: i64 = row
        while at > start and support[order[at - 1]] < support[member]:
            if row > start + 16:
                members = [(-support[order[k]], order[k]) for k in range(start, stop)]
                members.sort()
                for k in range(stop - start):
                    order[start + k] = members[k][1]
                return
            order[at] = order[at - 1]
            at -= 1
        order[at] = member
        row += 1
