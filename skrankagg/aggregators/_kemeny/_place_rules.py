"""Rules for the places of items: bounds for groups, pins and orders, read from parameters and checked for conflicts."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from ..._data._frames import show_id
from ..._data._item_groups import read_item_groups
from ..._support._checks import check_count
from ..._support._suggestions import did_you_mean
from ..._support._values import as_float, is_integer, show
from ...exceptions import InputError
from ._budget import Budget
from ._group_bounds import GroupBounds, GroupChoice, feasible_pattern, is_feasible, query_bounds, smallest_conflict
from ._pins_and_orders import (
    Constraints,
    Order,
    Pin,
    check_constraints,
    describe_constraint,
    feasible_order,
    minimal_conflict,
    read_constraints,
)
from ._place_programme import PlaceProgramme

#: Types of the parameters `at_least`, `at_most` and `bounded`.
BoundsOfGroups: TypeAlias = Mapping[Any, float]
Prefixes: TypeAlias = int | Sequence[int]


@dataclass(frozen=True)
class PlaceRules:
    """Rules for the places of the items in one query.

    `bounds` contains the bounds for groups of items. `own` contains the rules for single items: pins, which fix the
    place of an item, and orders, which require that one item is above another. `n_capped` is the number of groups whose
    lower bound was reduced to the size of the group.
    """

    bounds: GroupBounds
    own: Constraints
    n_capped: int = 0

    @property
    def members(self):
        """Return all bounds, pins and orders in one list."""
        return [*self.bounds.members, *self.own.members]

    def only(self, members):
        """Return a copy with only the bounds, pins and orders in `members`."""
        bounds = [one for one in members if not isinstance(one, Pin | Order)]
        return PlaceRules(self.bounds.only(bounds), self.own.only(members))

    def kept_by(self, place):
        """Return True if an order satisfies all rules; `place` contains the place of each item, counted from 0."""
        return (
            all(place[item] == rank - 1 for item, rank in self.own.pins)
            and all(place[above] < place[below] for above, below in self.own.orders)
            and self.bounds.kept_by(place)
        )

    @property
    def pairs(self):
        """Return the orders as an array of shape (n_orders, 2)."""
        return np.array(self.own.orders, dtype=np.int64).reshape(-1, 2)

    @property
    def kind(self):
        """Number the items so that items with the same number can swap places without breaking a rule.

        An item without pins and orders has the number of its group. Each other item has a number of its own.
        """
        kind = self.bounds.group.copy()
        alone = np.unique([*(item for item, _ in self.own.pins), *self.pairs.ravel().tolist()]).astype(np.int64)
        kind[alone] = self.bounds.low.shape[1] + 1 + np.arange(len(alone))
        return kind

    def allowed(self):
        """Return a mask of shape (n, n): False if one pin or one order alone excludes the item from the place."""
        n = self.own.n_items
        allowed = np.ones((n, n), dtype=bool)
        above, below = self.pairs.T
        allowed[above, -1] = allowed[below, 0] = False
        for item, rank in self.own.pins:
            possible = allowed[item, rank - 1]
            allowed[item] = allowed[:, rank - 1] = False
            allowed[item, rank - 1] = possible
        return allowed


# ---------------------------------------------------------------------- parameters


def read_rules(lists, item_groups, at_least, at_most, bounded, pins, orders):
    """Read the parameters; return the PlaceRules of each query, or None if no parameter is used.

    Raises InputError or InputTypeError if a parameter is malformed, and InputError if no order of a query satisfies all
    rules.
    """
    names, group, least, most = _read_groups(lists, item_groups, at_least, at_most, bounded)
    if group is None and pins is None and orders is None:
        return None
    if group is None:
        group = np.zeros(lists.n_candidates, dtype=np.int64)
    constraints, rules = read_constraints(lists, pins, orders), []
    for q, own in enumerate(constraints):
        members = group[lists.candidate_ptr[q] : lists.candidate_ptr[q + 1]]
        bounds, n_capped = query_bounds(members, _prefixes(bounded, own.n_items), least, most)
        rules.append(PlaceRules(bounds, own, n_capped))
    _check_rules(lists, rules, names)
    return rules


def _read_groups(lists, item_groups, at_least, at_most, bounded):
    """Read the groups that have bounds, the group of each candidate, and the lower and upper bound of each group.

    If n groups have bounds, they are numbered from 0, and candidates without bounds have the number n. The groups and
    the candidates' groups are None if `item_groups` is None.
    """
    if item_groups is None or (at_least is None and at_most is None):
        for name, value in (("at_least", at_least), ("at_most", at_most), ("bounded", bounded)):
            if item_groups is None and value is not None:
                raise InputError(
                    f"`{name}` needs the groups of the items; got no `item_groups`. Pass a dict of item to group.",
                    parameter=name,
                )
        if item_groups is not None:
            raise InputError(
                "`item_groups` has no effect without bounds; got neither `at_least` nor `at_most`. Pass a bound for a "
                "group.",
                parameter="item_groups",
            )
        return None, None, [], []
    _check_bounded(bounded)
    groups = read_item_groups(item_groups)
    bounds = [_read_bounds(groups.groups, *one) for one in ((at_least, "at_least"), (at_most, "at_most"))]
    codes = sorted({*bounds[0], *bounds[1]})
    number = np.full(len(groups.groups) + 1, len(codes), dtype=np.int64)
    number[codes] = np.arange(len(codes))
    number[-1] = len(codes)  # items without a group
    least, most = ([given.get(code) for code in codes] for given in bounds)
    return groups.groups[codes], number[groups.of_candidates(lists)], least, most


def _check_bounded(bounded):
    if bounded is None:
        return
    if isinstance(bounded, np.ndarray | Sequence) and not isinstance(bounded, str | bytes):
        if not len(bounded):
            raise InputError(
                "`bounded` must contain at least one number k of first places to which the bounds apply; got an empty "
                "sequence. Pass None to apply the bounds to every k.",
                parameter="bounded",
            )
        for one in bounded:
            check_count("bounded", one)
    else:
        check_count("bounded", bounded)


def _prefixes(bounded, n):
    """Return, in ascending order, each k for which the first k places of a query of n items have bounds."""
    if bounded is None:
        return np.arange(1, n + 1)
    if is_integer(bounded):
        return np.append(np.arange(1, min(bounded, n) + 1), [bounded] if bounded > n else []).astype(np.int64)
    return np.unique(np.asarray(bounded, dtype=np.int64))


def _read_bounds(groups, given, name):
    """Return a dict that maps the code of each group to its bound."""
    known, found = groups.tolist(), {}
    for group, bound in ({} if given is None else given).items():
        code = known.index(group) if group in known else -1
        if code < 0:
            hint = did_you_mean(group, known)
            raise InputError(
                f"`{name}` must contain groups of `item_groups`; got {show(group)}{hint}. Correct or drop this group.",
                parameter=name,
            )
        if not (is_integer(bound) and bound >= 0) and not _is_share(bound):
            raise InputError(
                f"`{name}` must contain whole numbers of places, or shares from 0 to 1; got {show(bound)} for group "
                f"{show(group)}. Write 2 for two places, 0.2 for a fifth of the places.",
                parameter=name,
            )
        found[int(code)] = bound
    return found


def _is_share(bound):
    """Return True if a bound is a share: a number from 0 to 1 that is not an integer; 1.0 is a share."""
    return not is_integer(bound) and 0 <= as_float(bound) <= 1


# ---------------------------------------------------------------------- orders that satisfy all rules


def feasible_place(rules, near=None, solve=None):
    """Return the place of each item in some order that satisfies all rules, or None if there is no such order.

    `near`, of shape (n,), contains the places of another order, and the result stays near this order. ``solve(items,
    places)`` assigns items with the same rules to places, and returns the place of each item. By default, such items
    keep the order in `near`. If there are bounds as well as pins or orders, a quick search is tried first. If it fails,
    an integer programme is solved.
    """
    order = np.arange(rules.own.n_items) if near is None else np.argsort(near)
    by_constraints = feasible_order(rules.own, preferred=order) if rules.own else order
    if by_constraints is None or not is_feasible(rules.bounds):
        return None
    if not rules.bounds.members:
        place = np.empty(len(order), dtype=np.int64)
        place[by_constraints] = np.arange(len(order))
        return place if solve is None else _divided(rules.kind, rules.kind[by_constraints], order, solve)
    if not rules.own:
        return _divided(rules.bounds.group, feasible_pattern(rules.bounds, order), order, solve)
    chosen = _order_by_choice(rules, by_constraints)
    if chosen is not None:
        return _divided(rules.kind, rules.kind[chosen], order, solve)
    kind, pattern = _pattern_by_programme(rules, order)
    return None if pattern is None else _divided(kind, pattern, order, solve)


def _divided(kind, pattern, order, solve):
    """Assign the items of each kind to the places of the same kind, and return the place of each item.

    Items of the same kind can change places without breaking a rule. `kind` contains the kind of each item, and
    `pattern` contains the kind of item that each place gets.
    """
    place = np.empty(len(pattern), dtype=np.int64)
    for one in np.unique(pattern):
        items, places = order[kind[order] == one], np.flatnonzero(pattern == one)
        place[items] = places if solve is None or len(items) == 1 else solve(items, places)
    return place


def _order_by_choice(rules, order):
    """Place the items one by one, near an order that satisfies pins and orders; return None if this breaks a rule.

    Each place gets its pinned item or, if it has none, the first remaining item without a pin that may take the place.
    An item may take a place if the bounds allow its group there, and if all items that must be above it have been
    placed.
    """
    choice, group = GroupChoice(rules.bounds), rules.bounds.group.tolist()
    pinned, waits = {rank - 1: item for item, rank in rules.own.pins}, dict.fromkeys(order.tolist(), 0)
    below = {item: [] for item in waits}
    for above, under in rules.own.orders:
        waits[under] += 1
        below[above].append(under)
    left, chosen = [item for item in waits if item not in set(pinned.values())], []
    for p in range(len(order)):
        allowed = choice.allowed()
        candidates = [pinned[p]] if p in pinned else left
        item = next((one for one in candidates if waits[one] == 0 and allowed[group[one]]), None)
        if item is None:
            return None
        if p not in pinned:
            left.remove(item)
        chosen.append(item)
        choice.take(group[item])
        for under in below[item]:
            waits[under] -= 1
    return np.array(chosen, dtype=np.int64)


def _pattern_by_programme(rules, order):
    """Find an order that satisfies all rules; return the kind of each item and the kind of each place.

    The second result is None if there is no such order. Items of the same kind can change places without breaking a
    rule.

    Each item with pins or orders is a kind of its own, and its cost grows with the distance from its place in `order`.
    Other items cost 1 on each place that :func:`feasible_pattern` gives to another group.
    """
    n, bounds = len(order), rules.bounds
    pattern = feasible_pattern(bounds, order)
    kinds, kind = np.unique(rules.kind, return_inverse=True)
    member = np.zeros(len(kinds), dtype=np.int64)
    member[kind] = np.arange(n)
    group, single = bounds.group[member], (kinds > bounds.low.shape[1])[:, None]
    rank = np.argsort(order)[member]
    cost = np.where(single, np.abs(np.arange(n) - rank[:, None]) / n, pattern != group[:, None])
    allowed = np.where(single, rules.allowed()[member], True)
    with Budget() as budget:
        programme = PlaceProgramme(
            np.bincount(kind), GroupBounds(group, bounds.prefix, bounds.low, bounds.high), kind[rules.pairs], budget
        )
        x, _, status = programme.integers(cost, *np.nonzero(allowed))
    if x is None:
        if status != 2:
            raise RuntimeError(f"SciPy's `milp` failed with status {status}. Use fewer bounds, pins or orders.")
        return kind, None
    chosen = np.zeros(allowed.shape)
    chosen[allowed] = x
    return kind, np.argmax(chosen, axis=0)


# ---------------------------------------------------------------------- conflicts


def _check_rules(lists, rules, names):
    """Raise InputError if some query has no order that satisfies all its rules; name a set of rules that conflict.

    If bounds alone conflict, the set is a smallest one. Otherwise it is minimal: without any one of its rules, some
    order satisfies the others.
    """
    for one in rules:
        if not is_feasible(one.bounds):
            raise _conflict_error(lists, one, smallest_conflict(one.bounds), names)
    check_constraints(lists, [one.own for one in rules], lambda own: feasible_order(own) is not None)
    for one in rules:
        if one.own and one.bounds.members and feasible_place(one) is None:

            def feasible(members, one=one):
                return feasible_place(one.only(members)) is not None

            raise _conflict_error(lists, one, minimal_conflict(_shortened(one.members, feasible), feasible), names)


def _shortened(members, feasible):
    """Shorten a list of conflicting rules: try to drop half of it, then smaller and smaller parts.

    A part is dropped if the remaining rules still conflict. ``feasible(rules)`` returns True if some order satisfies
    the rules.
    """
    size = len(members) // 2
    while size > 1:
        start = 0
        while start < len(members):
            rest = members[:start] + members[start + size :]
            if feasible(rest):
                start += size
            else:
                members = rest
        size //= 2
    return members


def _conflict_error(lists, rules, conflict, names):
    size, query = rules.bounds.size.tolist(), rules.own.query

    def describe(member):
        if isinstance(member, Pin | Order):
            return describe_constraint(lists, query, member)
        bounds, (g, lower, k) = rules.bounds, member
        number = f"at least {bounds.low[k, g]}" if lower else f"at most {bounds.high[k, g]}"
        places = "on the first place" if bounds.prefix[k] == 1 else f"among the first {bounds.prefix[k]} places"
        return f"{number} of the {size[g]} item{'s' * (size[g] != 1)} of group {show_id(names, g)} {places}"

    texts = [describe(member) for member in conflict]
    listed = " and ".join([", ".join(texts[:-1]), texts[-1]] if len(texts) > 1 else texts)
    kinds = {_parameter_of(member) for member in conflict}
    parameters = [name for name in ("at_least", "at_most", "pins", "orders") if name in kinds]
    n = rules.own.n_items
    return InputError(
        f"{' and '.join(f'`{name}`' for name in parameters)} must allow an order of the items; query "
        f"{show_id(lists.queries, query)} of {n} item{'s' * (n != 1)} has no order with {listed}. Change "
        f"{'this bound' if len(conflict) == 1 else 'one of them'}, or bound other places with `bounded`.",
        parameter=parameters[0] if len(parameters) == 1 else None,
    )


def _parameter_of(member):
    if isinstance(member, Pin | Order):
        return "pins" if isinstance(member, Pin) else "orders"
    return "at_least" if member.lower else "at_most"
