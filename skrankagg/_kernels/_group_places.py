"""Ranking of the members of small groups by value; sorting is fast if a previous order is close to the new one."""

from typing import cast

from librt.vecs import vec
from mypy_extensions import i64


def mean_places(
    first: i64, last: i64, ptr_in: object, value_in: object, order_in: object, tolerance: float, place_in: object
) -> None:
    # For each of the groups first..last - 1: sorts its members in `order` by descending value, and writes the place of
    # each member, counted from 1. Tied neighbours get their mean place. Neighbours tie if they differ by at most
    # `tolerance` times the largest finite absolute value of the group.
    #
    # If an order changes little from one call to the next, sorting takes one pass.
    ptr = cast(vec[i64], ptr_in)
    value = cast(vec[float], value_in)
    order = cast(vec[i64], order_in)
    place = cast(vec[float], place_in)
    infinite = float("inf")
    for g in range(first, last):
        start: i64 = ptr[g]
        end: i64 = ptr[g + 1]
        largest = 0.0
        for p in range(start, end):
            member: i64 = order[p]
            mine = value[member]
            size = -mine if mine < 0.0 else mine
            if size > largest and size != infinite:
                largest = size
            q: i64 = p
            while q > start and value[order[q - 1]] < mine:
                order[q] = order[q - 1]
                q -= 1
            order[q] = member
        gap = tolerance * largest
        p2: i64 = start
        while p2 < end:
            above = value[order[p2]]
            class_end: i64 = p2 + 1
            while class_end < end:
                below = value[order[class_end]]
                if above != below and above - below > gap:
                    break
                above = below
                class_end += 1
            # The first place of the class, and half the distance to its last place.
            mean = float(p2 - start + 1) + float(class_end - p2 - 1) / 2.0
            while p2 < class_end:
                place[order[p2]] = mean
                p2 += 1
