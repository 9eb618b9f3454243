"""Pins and orders: constraints on a consensus, read from two parameters and translated to the items of each query.

A pin gives an item its place in the consensus. An order places one item above another. A method with the parameters
``pins`` and ``orders`` uses this module as follows::

    _parameter_constraints = {**PINS_AND_ORDERS, ...}

    constraints = read_constraints(lists, self.pins, self.orders)         one Constraints for each query
    check_constraints(lists, constraints, lambda own: feasible_order(own) is not None)
    left_out = [own.n_left_out for own in constraints]                    for query_info_

A method with further constraints passes another feasibility test. If the conflict may include these constraints, the
method calls :func:`minimal_conflict` and :func:`describe_constraint` instead of :func:`check_constraints`.
"""

import heapq
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ..._data._frames import is_frame, show_id
from ..._data._ranked_lists import RankedLists
from ..._data._selection import find_ids
from ..._support._values import is_hashable, is_integer, show
from ...exceptions import InputError, InputTypeError

#: Types of the parameters `pins` and `orders`.
Pins: TypeAlias = Mapping[Any, int]
Orders: TypeAlias = Collection[tuple[Any, Any]]
#: Entries of the two parameters in ``_parameter_constraints``.
PINS_AND_ORDERS = {"pins": [Mapping, None], "orders": [Collection, None]}


class Pin(NamedTuple):
    """Pinned item, given as a position among the query's items, and the place of this item, counted from 1."""

    item: int
    place: int


class Order(NamedTuple):
    """Two items of a query, as positions among the query's items; the first item must be above the second item."""

    above: int
    below: int


@dataclass(frozen=True)
class Constraints:
    """Pins and orders of one query.

    `query` is the position of the query in the lists, and `n_items` is its number of items. Items are positions among
    the query's items, so item 0 is the candidate ``candidate_ptr[query]``. `n_left_out` is the number of pins and
    orders with an item that the query lacks; they are not in `pins` and `orders`.
    """

    query: int
    n_items: int
    pins: tuple[Pin, ...] = ()
    orders: tuple[Order, ...] = ()
    n_left_out: int = 0

    def __bool__(self) -> bool:
        return bool(self.pins or self.orders)

    @property
    def members(self) -> list[Pin | Order]:
        """Return all pins and orders in one list."""
        return [*self.pins, *self.orders]

    def only(self, members: Sequence[Any]) -> "Constraints":
        """Return a copy with only the pins and orders in `members`; other constraints in `members` are ignored."""
        pins = tuple(one for one in members if isinstance(one, Pin))
        orders = tuple(one for one in members if isinstance(one, Order))
        return replace(self, pins=pins, orders=orders)


def read_constraints(lists: RankedLists, pins: Pins | None, orders: Orders | None) -> list[Constraints]:
    """Read the parameters `pins` and `orders`, and return the constraints of each query.

    `pins` maps items to places, counted from 1, and `orders` contains pairs (above, below). Raises InputTypeError if a
    parameter has another form, and InputError if a place is not a whole number of at least 1. Raises InputError as
    well if an item is not among ``lists.items``, or if a pair contains the same item twice.

    >>> from skrankagg import RankedLists
    >>> from skrankagg.aggregators._kemeny._pins_and_orders import read_constraints
    >>> lists = RankedLists.from_lists([["a", "b", "c"], ["c", "b"]])
    >>> read_constraints(lists, {"c": 1}, [("b", "a")])
    [Constraints(query=0, n_items=3, pins=(Pin(item=2, place=1),), orders=(Order(above=1, below=0),), n_left_out=0)]
    """
    pins, orders = _read_pins(pins), _read_orders(orders)
    pinned = _item_codes(lists, [item for item, _ in pins], "pins")
    ends = _item_codes(lists, [item for pair in orders for item in pair], "orders").reshape(-1, 2)
    for pair, (above, below) in zip(orders, ends, strict=True):
        if above == below:
            raise InputError(
                f"`orders` must contain pairs of two different items; got {show(pair)}. Drop this pair.",
                parameter="orders",
            )
    named, column = np.unique(np.concatenate([pinned, ends.ravel()]), return_inverse=True)
    place = _positions(lists, named)
    pinned, ends = (
        place[:, column[: len(pinned)]],
        place[:, column[len(pinned) :]].reshape(lists.n_queries, *ends.shape),
    )
    constraints = []
    for q, (n, own, pairs) in enumerate(zip(lists.query_n_items.tolist(), pinned.tolist(), ends.tolist(), strict=True)):
        kept = tuple(Pin(item, rank) for item, (_, rank) in zip(own, pins, strict=True) if item >= 0)
        # A pair that occurs twice is one order.
        known = [Order(*pair) for pair in pairs if min(pair) >= 0]
        left_out = len(pins) - len(kept) + len(pairs) - len(known)
        constraints.append(Constraints(q, n, kept, tuple(dict.fromkeys(known)), left_out))
    return constraints


def _read_pins(pins):
    if pins is None:
        return []
    if not isinstance(pins, Mapping):
        raise InputTypeError(f"`pins` must map items to places, such as {{'a': 1}}; got {show(pins)}.")
    pins = list(pins.items())
    for item, place in pins:
        if not is_integer(place) or place < 1:
            raise InputError(
                f"`pins` must map items to whole numbers of at least 1; got {show(place)} for {show(item)}. Count "
                "places from 1.",
                parameter="pins",
            )
    return [(item, int(place)) for item, place in pins]


def _read_orders(orders):
    if orders is None:
        return []
    known = isinstance(orders, Collection) and not isinstance(orders, str | bytes | Mapping) and not is_frame(orders)
    pairs = list(orders) if known else [orders]
    wrong = [one for one in pairs if not isinstance(one, tuple | list | np.ndarray) or len(one) != 2]
    if wrong or not known:
        raise InputTypeError(
            f"`orders` must be a list of pairs (above, below), such as [('a', 'b')]; got {show((wrong or pairs)[0])}."
        )
    return [tuple(pair.tolist() if isinstance(pair, np.ndarray) else pair) for pair in pairs]


def _item_codes(lists, items, parameter):
    """Return the position of each item in ``lists.items``; raise InputError if the lists lack an item."""
    for item in items:
        if not is_hashable(item):
            raise InputTypeError(f"`{parameter}` must contain ids of items; got {show(item)}. Pass strings or numbers.")
    if not items:
        return np.empty(0, dtype=np.int64)
    codes = find_ids(lists.items, items, parameter)
    if parameter == "pins" and len(np.unique(codes)) < len(codes):
        twice = items[int(np.flatnonzero(np.bincount(codes)[codes] > 1)[0])]
        raise InputError(
            f"`pins` must have one place for each item; got several for {show(twice)}. Keep one place.",
            parameter="pins",
        )
    return codes


def _positions(lists, named):
    """Return an array of shape (n_queries, n_named): the position of each named item among the items of each query.

    `named` contains sorted codes of items. A query without the item has -1.
    """
    place = np.full((lists.n_queries, len(named)), -1)
    if len(named):
        column = np.minimum(np.searchsorted(named, lists.candidate_item), len(named) - 1)
        found = np.flatnonzero(named[column] == lists.candidate_item)
        query = lists.candidate_query[found]
        place[query, column[found]] = found - lists.candidate_ptr[query]
    return place


# ---------------------------------------------------------------------- contradictions


def check_constraints(
    lists: RankedLists, constraints: Sequence[Constraints], feasible: Callable[[Constraints], bool]
) -> None:
    """Raise InputError if some query has no order that satisfies its pins and orders.

    ``feasible(own)`` returns True if the query of `own` has such an order; `own` is a Constraints with all or some of
    the pins and orders. The message contains a minimal set of pins and orders that contradict each other.
    """
    for own in constraints:
        if own and not feasible(own):
            conflict = minimal_conflict(own.members, lambda members, own=own: feasible(own.only(members)))
            names = [
                name for name, kind in (("pins", Pin), ("orders", Order)) if any(type(m) is kind for m in conflict)
            ]
            raise InputError(
                _describe_conflict(lists, own, conflict, names), parameter=names[0] if len(names) == 1 else None
            )


def minimal_conflict(members: Sequence[Any], feasible: Callable[[list[Any]], bool]) -> list[Any]:
    """Drop members from a list that is not feasible, until dropping any further member would make it feasible.

    `members` must not be feasible. Each member is tried once: ``feasible`` is called with the current list after this
    member is removed. If the shorter list is not feasible either, the member stays removed. This procedure is called a
    deletion filter.

    >>> from skrankagg.aggregators._kemeny._pins_and_orders import minimal_conflict
    >>> minimal_conflict([3, 1, 4, 2], lambda part: sum(part) < 6)
    [4, 2]
    """
    kept = list(range(len(members)))
    for k in range(len(members)):
        rest = [other for other in kept if other != k]
        if not feasible([members[other] for other in rest]):
            kept = rest
    return [members[k] for k in kept]


def describe_constraint(lists: RankedLists, query: int, member: Pin | Order) -> str:
    """Return a pin or an order as text, with the ids of the items."""
    first = int(lists.candidate_ptr[query])

    def name(item):
        return show_id(lists.items, lists.candidate_item[first + item])

    if isinstance(member, Pin):
        return f"{name(member.item)} on place {member.place}"
    return f"{name(member.above)} above {name(member.below)}"


def _describe_conflict(lists, own, conflict, names):
    texts = [describe_constraint(lists, own.query, member) for member in conflict]
    listed = " and ".join([", ".join(texts[:-1]), texts[-1]] if len(texts) > 1 else texts)
    size = f"{own.n_items} item{'s' * (own.n_items != 1)}"
    return (
        f"{' and '.join(f'`{name}`' for name in names)} must allow an order of the items; query "
        f"{show_id(lists.queries, own.query)} of {size} has no order with {listed}. Drop "
        f"{'it' if len(conflict) == 1 else 'one of them'}."
    )


# ---------------------------------------------------------------------- feasible orders


def feasible_order(
    own: Constraints, *, ties: bool = False, preferred: NDArray[np.int64] | None = None
) -> NDArray[np.int64] | None:
    """Return an order of all items that satisfies the pins and orders of a query, or None if there is no such order.

    The order contains the items as int64 of shape (n_items,), best first. Without `ties`, a pinned item has its place
    in the order. With `ties`, pins refer to an order in which items may tie: a pin is 1 plus the number of items above
    the item. Items with the same pin then tie, and they are neighbours in the result. The result stays near
    `preferred`, an order of the items.

    First, the orders narrow the range of places of each item. Then each place gets the item with the earliest end of
    its range. Items wait until all their predecessors have been placed. This is the rule of the earliest deadline for
    jobs of unit length; it finds an order if there is one.
    """
    n = own.n_items
    earliest, latest = np.zeros(n, dtype=np.int64), np.full(n, n - 1)
    pinned = {}
    for item, place in own.pins:
        pinned.setdefault(place, []).append(item)
    level = dict(own.pins)
    if ties and any(level.get(above, -1) == level.get(below, 0) for above, below in own.orders):
        return None
    for place, items in pinned.items():
        if place + len(items) - 1 > n or (len(items) > 1 and not ties):
            return None
        earliest[items], latest[items] = place - 1, place + len(items) - 2
    below, n_above = [[] for _ in range(n)], np.zeros(n, dtype=np.int64)
    for above, under in own.orders:
        below[above].append(under)
        n_above[under] += 1
    ordered = _topological(below, n_above)
    if len(ordered) < n:
        return None
    for item in ordered:
        for under in below[item]:
            earliest[under] = max(earliest[under], earliest[item] + 1)
    for item in reversed(ordered) if pinned else ():
        latest[item] = min([latest[item], *(latest[under] - 1 for under in below[item])])
    rank = np.arange(n) if preferred is None else np.argsort(preferred)
    return _earliest_deadline(earliest, latest, below, n_above, rank)


def _topological(below, n_above):
    """Return the items in an order in which each item precedes the items below it.

    Items in or below a cycle are left out.
    """
    left = n_above.copy()
    ordered = np.flatnonzero(left == 0).tolist()
    for item in ordered:  # the list grows
        for under in below[item]:
            left[under] -= 1
            if left[under] == 0:
                ordered.append(under)
    return ordered


def _earliest_deadline(earliest, latest, below, n_above, rank):
    left, order = n_above.copy(), []
    waiting = [(int(earliest[item]), int(item)) for item in np.flatnonzero(left == 0)]
    heapq.heapify(waiting)
    ready = []
    for place in range(len(rank)):
        while waiting and waiting[0][0] <= place:
            item = heapq.heappop(waiting)[1]
            heapq.heappush(ready, (int(latest[item]), int(rank[item]), item))
        if not ready or ready[0][0] < place:
            return None
        item = heapq.heappop(ready)[-1]
        order.append(item)
        for under in below[item]:
            left[under] -= 1
            if left[under] == 0:
                heapq.heappush(waiting, (int(earliest[under]), under))
    return np.array(order, dtype=np.int64)
