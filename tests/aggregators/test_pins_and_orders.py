"""Pins and orders: reading the parameters, contradictions and feasible orders, compared with all orders."""

import itertools

import numpy as np
import pandas as pd
import pytest

from skrankagg import RankedLists
from skrankagg.aggregators._kemeny._pins_and_orders import (
    Constraints,
    Order,
    Pin,
    check_constraints,
    describe_constraint,
    feasible_order,
    minimal_conflict,
    read_constraints,
)
from skrankagg.exceptions import InputError, InputTypeError

LISTS = RankedLists.from_runs(
    {
        "v": {"q1": ["b", "a", "d"], "q2": ["c", "b"], "q3": ["e", "a", "b", "c", "d"]},
        "w": {"q1": ["a"], "q2": ["e", "c"]},
    }
)


def weak_orders(n):
    """Return all orders with ties: the level of each item, levels without gaps."""
    return [rank for rank in itertools.product(range(n), repeat=n) if set(rank) == set(range(max(rank) + 1))]


def meets(rank, own):
    """Return True if the ranks of the items, where lower is better, meet all pins and orders."""
    pinned = all(sum(other < rank[item] for other in rank) == place - 1 for item, place in own.pins)
    return pinned and all(rank[above] < rank[below] for above, below in own.orders)


def random_constraints(rng, n):
    pins = {int(rng.integers(n)): int(rng.integers(1, n + 2)) for _ in range(rng.integers(0, 4))}
    pairs = [rng.choice(n, 2, replace=False).tolist() for _ in range(rng.integers(0, 4))] if n > 1 else []
    return Constraints(0, n, tuple(Pin(*pin) for pin in pins.items()), tuple(Order(*pair) for pair in pairs))


def test_read_constraints_translates_items_to_the_codes_of_each_query():
    first, second, third = read_constraints(LISTS, {"c": 1, "a": 2}, [("b", "a"), ["e", "b"], np.array(["d", "c"])])
    assert first == Constraints(0, 3, (Pin(0, 2),), (Order(1, 0),), 3)  # a, b, d
    assert second == Constraints(1, 3, (Pin(1, 1),), (Order(2, 0),), 3)  # b, c, e
    assert third == Constraints(2, 5, (Pin(2, 1), Pin(0, 2)), (Order(1, 0), Order(4, 1), Order(3, 2)), 0)
    assert [bool(one) for one in read_constraints(LISTS, None, [("d", "e")])] == [False, False, True]


def test_read_constraints_of_some_queries_equals_those_of_all_queries():
    pins, orders = {"d": 2}, [("b", "a"), ("e", "c")]
    chosen = read_constraints(LISTS.take([2, 0]), pins, orders)
    everything = read_constraints(LISTS, pins, orders)
    for k, q in enumerate([2, 0]):
        assert (chosen[k].members, chosen[k].n_left_out) == (everything[q].members, everything[q].n_left_out)
    # No list of the second query has d or a, but the data set has both.
    assert read_constraints(LISTS.take([1]), {"d": 1}, [("a", "b")])[0].n_left_out == 2


def test_read_constraints_without_parameters_has_none():
    assert read_constraints(LISTS, None, None) == [Constraints(q, n) for q, n in enumerate([3, 3, 5])]
    assert read_constraints(LISTS, {}, []) == read_constraints(LISTS, None, None)


@pytest.mark.parametrize(
    "ids", [[1, 2, 3], [1.5, 2.0, 3.0], pd.to_datetime(["2024-01-01", "2024-01-02", "2024-01-03"])]
)
def test_read_constraints_finds_ids_of_all_types(ids):
    frame = pd.DataFrame({"query": "q", "voter": "v", "item": ids, "rank": [1, 2, 3]})
    lists = RankedLists.from_frame(frame)
    items = list(frame["item"])
    own = read_constraints(lists, {items[0]: 3, items[1]: 1}, [(items[1], items[2])])
    assert own == [Constraints(0, 3, (Pin(0, 3), Pin(1, 1)), (Order(1, 2),), 0)]


def test_read_constraints_drops_repeated_orders():
    assert read_constraints(LISTS, None, [("a", "b"), ("a", "b")])[0].orders == (Order(0, 1),)


@pytest.mark.parametrize("place", [True, np.True_, 1.0, "1", None, 0, -1, np.float64(2)])
def test_read_constraints_refuses_places_that_are_not_whole_numbers(place):
    with pytest.raises(
        InputError, match=r"^`pins` must map items to whole numbers of at least 1; got .* for 'a'\."
    ) as e:
        read_constraints(LISTS, {"a": place}, None)
    assert e.value.parameter == "pins"


def test_read_constraints_accepts_numpy_integers():
    assert read_constraints(LISTS, {"a": np.int32(2)}, None)[0].pins == (Pin(0, 2),)


@pytest.mark.parametrize("pins", [[("a", 1)], {"a"}, "a", 1, pd.Series({"a": 1})])
def test_read_constraints_refuses_pins_that_are_no_mapping(pins):
    with pytest.raises(InputTypeError, match=r"^`pins` must map items to places"):
        read_constraints(LISTS, pins, None)


@pytest.mark.parametrize(
    "orders", [{"a": "b"}, "ab", ["ab"], [("a", "b", "c")], [("a",)], 1, pd.DataFrame({0: ["a"], 1: ["b"]}), ("a", "b")]
)
def test_read_constraints_refuses_orders_that_are_no_pairs(orders):
    with pytest.raises(InputTypeError, match=r"^`orders` must be a list of pairs \(above, below\)"):
        read_constraints(LISTS, None, orders)


def test_read_constraints_refuses_items_that_no_query_has():
    with pytest.raises(InputError, match=r"^`pins` must be among the ids of the lists; 'z' is not one of them"):
        read_constraints(LISTS, {"a": 1, "z": 2}, None)
    with pytest.raises(InputError, match=r"^`orders` must be among the ids of the lists; 7 is not one of them"):
        read_constraints(LISTS, None, [("a", 7)])
    with pytest.raises(InputTypeError, match=r"^`orders` must contain ids of items"):
        read_constraints(LISTS, None, [("a", ["b"])])


def test_read_constraints_refuses_an_item_with_two_places_and_an_item_above_itself():
    lists = RankedLists.from_frame(pd.DataFrame({"query": "q", "voter": "v", "item": [2.0**53], "rank": 1}))
    with pytest.raises(
        InputError, match=r"^`pins` must have one place for each item; got several for 9007199254740992"
    ):
        read_constraints(lists, {2**53: 1, 2**53 + 1: 2}, None)
    with pytest.raises(InputError, match=r"^`orders` must contain pairs of two different items; got \('a', 'a'\)"):
        read_constraints(LISTS, None, [("a", "a")])


def strictly(own):
    return feasible_order(own) is not None


@pytest.mark.parametrize(
    ("pins", "orders", "message"),
    [
        (
            {"b": 2},
            [("a", "b"), ("b", "d"), ("d", "a")],
            "`orders` must allow an order of the items; query 'q1' of 3 items has no order with 'a' above 'b', 'b' "
            "above 'd' and 'd' above 'a'. Drop one of them.",
        ),
        (
            {"e": 1, "c": 1},
            None,
            "`pins` must allow an order of the items; query 'q2' of 3 items has no order with 'e' on place 1 and 'c' "
            "on place 1. Drop one of them.",
        ),
        (
            {"d": 4},
            [("d", "a")],
            "`pins` must allow an order of the items; query 'q1' of 3 items has no order with 'd' on place 4. Drop it.",
        ),
        (
            {"a": 1, "b": 3},
            [("b", "d"), ("a", "d")],
            "`pins` and `orders` must allow an order of the items; query 'q1' of 3 items has no order with 'b' on "
            "place 3 and 'b' above 'd'. Drop one of them.",
        ),
    ],
)
def test_check_constraints_names_a_minimal_conflict(pins, orders, message):
    with pytest.raises(InputError) as error:
        check_constraints(LISTS, read_constraints(LISTS, pins, orders), strictly)
    assert str(error.value) == message
    assert error.value.parameter == {"`pins` must": "pins", "`orders` mu": "orders"}.get(message[:11])


def test_check_constraints_passes_feasible_constraints():
    check_constraints(LISTS, read_constraints(LISTS, {"a": 2}, [("e", "c")]), strictly)
    # Without an item in common, the pins of a query cannot contradict those of another query.
    check_constraints(LISTS.take([0, 1]), read_constraints(LISTS.take([0, 1]), {"a": 1, "c": 1}, None), strictly)


def test_describe_constraint_has_the_ids():
    assert describe_constraint(LISTS, 1, Pin(2, 3)) == "'e' on place 3"
    assert describe_constraint(LISTS, 1, Order(2, 0)) == "'e' above 'b'"


@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize("n", range(1, 6))
def test_feasible_order_exists_if_and_only_if_some_order_meets_the_constraints(n, ties):
    rng = np.random.default_rng(n)
    ranks = weak_orders(n) if ties else list(itertools.permutations(range(n)))
    answers = set()
    for _ in range(60):
        own = random_constraints(rng, n)
        preferred = rng.permutation(n)
        order = feasible_order(own, ties=ties, preferred=preferred)
        assert (order is not None) == any(meets(rank, own) for rank in ranks)
        answers.add(order is None)
        if order is not None:
            assert sorted(order) == list(range(n))
            rank = np.argsort(order)
            for place in {place for _, place in own.pins} if ties else ():
                rank[[item for item, other in own.pins if other == place]] = place - 1
            assert meets(rank.tolist(), own)
        if not own:
            assert (order == preferred).all()
    assert answers == ({False, True} if n > 1 else answers)


@pytest.mark.parametrize("ties", [False, True])
def test_minimal_conflict_is_infeasible_and_each_smaller_set_is_feasible(ties):
    rng, n_found = np.random.default_rng(5), 0
    ranks = weak_orders(4) if ties else list(itertools.permutations(range(4)))

    def feasible(own):
        return any(meets(rank, own) for rank in ranks)

    while n_found < 40:
        own = random_constraints(rng, 4)
        if feasible(own):
            continue
        n_found += 1
        conflict = minimal_conflict(
            own.members, lambda part, own=own: feasible_order(own.only(part), ties=ties) is not None
        )
        assert conflict and not feasible(own.only(conflict))
        for member in conflict:
            assert feasible(own.only([other for other in conflict if other is not member]))
