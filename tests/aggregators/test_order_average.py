"""Ties of PlackettLuce as means over all orders: brute force, subsets against integrals, and other libraries' rules."""

import itertools
from math import log

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skrankagg import PlackettLuce, RankedLists
from skrankagg.aggregators._models import _order_average
from skrankagg.aggregators._models._averaged_stages import AveragedStages
from skrankagg.aggregators._models._order_average import mean_logs, mean_powers, mean_squares_of_pairs
from skrankagg.aggregators._models._stages import Stages
from skrankagg.datasets import make_comparisons
from skrankagg.utils.estimator_checks import example_lists

pytestmark = pytest.mark.twice

WORTHS = st.lists(st.floats(-4, 4), min_size=1, max_size=6)


def mean_over_orders(worth, below, value):
    """Return the mean over all orders of the sum of `value(x, left)` over the choices."""
    orders = list(itertools.permutations(range(len(worth))))
    return sum(
        value(below + sum(worth[i] for i in order[k:]), order[k:]) for order in orders for k in range(len(order))
    ) / len(orders)


@settings(max_examples=60, deadline=None)
@given(WORTHS, st.sampled_from([0.0, 0.3, 40.0]))
def test_means_over_orders_equal_a_walk_over_all_orders(log_worth, below):
    worth = np.exp(log_worth)
    column, rest = worth[:, None], np.array([below])
    expected = mean_over_orders(worth, below, lambda x, _: log(x))
    assert mean_logs(column, rest)[0][0] == pytest.approx(expected, abs=1e-12)
    for power in (1, 2):
        total, own = mean_powers(column, rest, power)
        assert total[0] == pytest.approx(mean_over_orders(worth, below, lambda x, _, p=power: x**-p), rel=1e-12)
        for i in range(len(worth)):
            expected = mean_over_orders(worth, below, lambda x, left, i=i, p=power: (i in left) * x**-p)
            assert own[i, 0] == pytest.approx(expected, rel=1e-12)
    pairs = mean_squares_of_pairs(column, rest)
    for i, j in itertools.product(range(len(worth)), repeat=2):
        expected = mean_over_orders(worth, below, lambda x, left, i=i, j=j: (i in left and j in left) * x**-2)
        assert pairs[i, j, 0] == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("n_items", [3, 10, 11, 12, 15])
@pytest.mark.parametrize("spread", [0.5, 3.0])
def test_integrals_equal_sums_over_all_sets(n_items, spread):
    rng = np.random.default_rng(n_items)
    worth, below = np.exp(rng.normal(0, spread, (n_items, 3))), np.array([0.0, 0.1, 50.0])

    def both(listed, integrated, *options):
        return listed(worth, below, *options), _order_average._by_points(integrated, worth, below, *options)

    of_listed, of_integrals = both(_order_average._listed_logs, _order_average._integrated_logs)
    for one, other in zip(of_listed, of_integrals, strict=True):
        np.testing.assert_allclose(one, other, rtol=2e-11, atol=2e-11)
    for power, rtol in ((1, 2e-11), (2, 1e-9)):
        of_listed, of_integrals = both(_order_average._listed_powers, _order_average._integrated_powers, power)
        for one, other in zip(of_listed, of_integrals, strict=True):
            np.testing.assert_allclose(one, other, rtol=rtol)
    if n_items <= 12:
        one, other = both(_order_average._listed_pairs, _order_average._integrated_pairs)
        np.testing.assert_allclose(one, other, rtol=1e-9)


@pytest.mark.parametrize("n_items", [7, 30, 120])
def test_slopes_are_derivatives_of_the_means(n_items):
    rng = np.random.default_rng(0)
    worth, below, step = np.exp(rng.normal(0, 1, (n_items, 1))), np.array([0.4]), 1e-5
    total, own = mean_powers(worth, below, 1)
    pairs = mean_squares_of_pairs(worth, below)
    up, down = (mean_logs(worth, below + sign * step)[0] for sign in (1, -1))
    assert (up - down)[0] / (2 * step) == pytest.approx(total[0])
    for one, other in zip(mean_logs(worth, below)[1:], (total, own), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-13)
    for i in (0, n_items // 2):
        moved = [worth + sign * step * (np.arange(n_items) == i)[:, None] for sign in (1, -1)]
        up, down = (mean_logs(one, below)[0] for one in moved)
        assert (up - down)[0] / (2 * step) == pytest.approx(own[i, 0])
        slopes = (mean_powers(moved[0], below, 1)[1] - mean_powers(moved[1], below, 1)[1]) / (2 * step)
        np.testing.assert_allclose(-slopes[:, 0], pairs[i, :, 0], rtol=1e-5)


def test_a_class_does_not_depend_on_other_classes():
    rng = np.random.default_rng(1)
    for n_items in (2, 5, 10, 14):
        worth, below = np.exp(rng.normal(0, 2, (n_items, 9))), rng.random(9) * np.array([0, 1, 9] * 3)
        for k in range(9):
            own, rest = worth[:, k : k + 1], below[k : k + 1]
            for function in (mean_logs, lambda *classes: mean_powers(*classes, 2)):
                for one, whole in zip(function(own, rest), function(worth, below), strict=True):
                    assert (one[..., 0] == whole[..., k]).all()


def test_means_in_chunks_of_classes_change_no_bit(monkeypatch):
    rng = np.random.default_rng(2)
    classes = np.exp(rng.normal(0, 2, (3, 7))), rng.random(7)

    def means():
        return [*mean_logs(*classes), *mean_powers(*classes, 2), mean_squares_of_pairs(*classes)]

    expected = means()
    monkeypatch.setattr(_order_average, "_CELLS", 2 * 2**3)  # two classes at a time
    for one, other in zip(means(), expected, strict=True):
        np.testing.assert_array_equal(one, other)


@st.composite
def tied_lists(draw):
    """Draw lists of up to five items with two or three classes."""
    rows = []
    for voter in range(draw(st.integers(2, 5))):
        items = draw(st.lists(st.sampled_from("abcde"), min_size=2, max_size=5, unique=True))
        ranks = draw(st.lists(st.integers(1, 3), min_size=len(items), max_size=len(items)))
        rows += [("q", voter, item, rank) for item, rank in zip(items, ranks, strict=True)]
    return pd.DataFrame(rows, columns=["query", "voter", "item", "rank"])


def strict_orders(frame):
    """Replace each list by all its orders, which share its weight."""
    rows = []
    for voter, one in frame.groupby("voter"):
        classes = [tuple(part["item"]) for _, part in one.groupby("rank")]
        orders = list(itertools.product(*map(itertools.permutations, classes)))
        for k, order in enumerate(orders):
            items = list(itertools.chain(*order))
            rows += [("q", f"{voter}.{k}", item, rank, 1 / len(orders)) for rank, item in enumerate(items)]
    return pd.DataFrame(rows, columns=["query", "voter", "item", "rank", "weight"])


@pytest.mark.filterwarnings("ignore::skrankagg.exceptions.NotComparedWarning")
@pytest.mark.filterwarnings("ignore::skrankagg.exceptions.ExposureWarning")
@settings(max_examples=25, deadline=None)
@given(tied_lists(), st.sampled_from(["last", "ignore"]))
def test_plackett_luce_with_averaged_ties_equals_all_orders_as_lists(frame, absent):
    method = PlackettLuce(absent=absent, std_errors="model")
    orders = strict_orders(frame)
    one = method.fit_transform(frame).set_index("item")
    likelihood = method.query_info_["log_likelihood"].iloc[0]
    other = method.fit_transform(orders).set_index("item")
    np.testing.assert_allclose(one["score"], other["score"][one.index], atol=1e-9)
    np.testing.assert_allclose(one["std_error"], other["std_error"][one.index], rtol=1e-7)
    assert likelihood == pytest.approx(method.query_info_["log_likelihood"].iloc[0], rel=1e-12)


def test_tied_pair_is_half_a_win_for_each():
    games = make_comparisons(7, 400, tie_probability=0.4, random_state=0).comparisons
    halves = pd.concat([games[~games["tie"]], *[games[games["tie"]]] * 2], ignore_index=True)
    halves["share"] = 1.0
    first = games["tie"].sum()
    swapped = halves.index[-first:]
    halves.loc[swapped, ["winner", "loser"]] = halves.loc[swapped, ["loser", "winner"]].to_numpy()
    weight = np.where(halves["tie"], 0.5, 1.0)
    split = RankedLists.from_comparisons(halves.assign(weight=weight), weight="weight")
    one = PlackettLuce(prior=0).fit_transform(RankedLists.from_comparisons(games, tie="tie"))
    other = PlackettLuce(prior=0).fit_transform(split)
    assert one["item"].tolist() == other["item"].tolist()
    np.testing.assert_allclose(one["score"], other["score"], atol=1e-10)


@pytest.mark.parametrize("absent", ["last", "ignore"])
def test_strict_lists_are_the_same_to_the_last_bit_under_all_rules(absent):
    frame = example_lists(0, n_queries=3, n_voters=5, n_items=7)
    ranks = frame.groupby(["query", "voter"])["rank"].rank("first")
    lists = RankedLists.from_frame(frame.assign(rank=ranks), score=None)
    log_worth = np.random.default_rng(0).normal(size=lists.n_candidates)
    plain, averaged = Stages(lists, absent, "efron"), AveragedStages(lists, absent)
    for name in ("value_and_gradient", "curvature"):
        one, other = getattr(plain, name)(log_worth), getattr(averaged, name)(log_worth)
        for left, right in zip(one, other, strict=True) if isinstance(one, tuple) else [(one, other)]:
            np.testing.assert_array_equal(left, right)
    for name in ("information", "by_list"):
        for one, other in zip(getattr(plain, name)(log_worth), getattr(averaged, name)(log_worth), strict=True):
            np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("absent", ["last", "ignore"])
def test_information_and_slopes_are_derivatives_of_the_likelihood(absent):
    lists = RankedLists.from_frame(example_lists(3, n_queries=2, n_voters=5, n_items=7))
    assert not (lists.rank % 1 == 0).all()
    stages, step = AveragedStages(lists, absent), 1e-5
    at = np.random.default_rng(0).normal(size=lists.n_candidates)
    gradient = stages.value_and_gradient(at)[1]
    curves = np.zeros((len(at), len(at)))
    for k in range(len(at)):
        up, down = (stages.value_and_gradient(at + sign * step * (np.arange(len(at)) == k)) for sign in (1, -1))
        assert (up[0] - down[0]).sum() / (2 * step) == pytest.approx(gradient[k], abs=1e-8)
        curves[k] = (down[1] - up[1]) / (2 * step)
    np.testing.assert_allclose(stages.curvature(at), np.diag(curves), atol=1e-8)
    for q, (found, scores) in enumerate(zip(stages.information(at), stages.by_list(at), strict=True)):
        own = slice(*lists.candidate_ptr[q : q + 2])
        np.testing.assert_allclose(found, curves[own, own], atol=1e-8)
        weight = lists.list_weight[slice(*lists.list_ptr[q : q + 2])]
        np.testing.assert_allclose(weight @ scores, gradient[own], atol=1e-12)


def test_scale_does_not_jump_when_a_tied_end_grows():
    rng = np.random.default_rng(0)
    n_items, slopes = 22, {}
    true = np.linspace(1.5, -1.5, n_items)
    orders = [np.argsort(-(true + rng.gumbel(size=n_items))) for _ in range(40)]
    for n_tied in (9, 10, 11, 12):
        rows = [
            ("q", voter, item, min(place, n_items - n_tied))
            for voter, order in enumerate(orders)
            for place, item in enumerate(order)
        ]
        found = PlackettLuce().fit_transform(pd.DataFrame(rows, columns=["query", "voter", "item", "rank"]))
        slopes[n_tied] = np.polyfit(true[found["item"]], found["score"], 1)[0]
    steps = np.diff(list(slopes.values()))
    assert (steps < 0).all() and abs(steps[1] - (steps[0] + steps[2]) / 2) < 0.01
