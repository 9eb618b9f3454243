"""Newton's method for boards of paired comparisons, compared with the likelihood equations and with L-BFGS."""

import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import ConvergenceWarning

from skrankagg import PlackettLuce, RankedLists
from skrankagg.aggregators._models import _pair_newton
from skrankagg.aggregators._models._pair_newton import newton
from skrankagg.datasets import make_comparisons

pytestmark = pytest.mark.twice

OPTIONS = {"tol": 1e-12, "max_iter": 500}


def boards(n_boards, n_items, seed=0, spread=1.5, n_games=40):
    """Draw numbers of wins of each item against each other item, at least one each."""
    rng = np.random.default_rng(seed)
    worth = rng.normal(scale=spread, size=(n_boards, n_items))
    chance = 1 / (1 + np.exp(worth[:, None] - worth[:, :, None]))
    wins = 1.0 + rng.binomial(n_games, chance)
    wins[:, np.arange(n_items), np.arange(n_items)] = 0
    return wins


def remaining_step(wins, log_worth, prior):
    """Return the gradient in extended precision, divided by the smallest possible curvature of each item."""
    t = log_worth.astype(np.longdouble)
    chance = 1 / (1 + np.exp(t[:, None] - t[:, :, None]))
    compared = wins + wins.transpose(0, 2, 1)
    gradient = (wins - compared * chance).sum(axis=2) + prior * (1 - 2 / (1 + np.exp(-t)))
    return np.abs(gradient) / (compared * chance * (1 - chance)).sum(axis=2)


@pytest.mark.parametrize("prior", [0, 1e-6, 0.5, 20.0])
@pytest.mark.parametrize("n_items", [2, 5, 12])
def test_newton_solves_the_likelihood_equations(n_items, prior):
    wins = boards(7, n_items, seed=n_items)
    found, n_iter, converged = newton(wins, np.zeros((7, n_items)), prior=prior, **OPTIONS)
    # A very small prior hardly determines the mean of the log-worths, so that rounding ends the iteration.
    assert converged.all() and (n_iter <= (10 if prior != 1e-6 else 40)).all()
    assert remaining_step(wins, found, prior).max() < 1e-13
    if prior == 0:
        np.testing.assert_allclose(found.sum(axis=1), 0, atol=1e-12)


def test_newton_equals_the_odds_of_two_items():
    wins = np.array([[[0, 3.0], [1.0, 0]], [[0, 1e6], [1.0, 0]], [[0, 1.0], [7.0, 0]]])
    found = newton(wins, np.zeros((3, 2)), prior=0, **OPTIONS)[0]
    np.testing.assert_allclose(found[:, 0] - found[:, 1], np.log([3, 1e6, 1 / 7]), rtol=1e-11)


@pytest.mark.parametrize("prior", [1e-6, 1e-3, 0.5])
@pytest.mark.parametrize("n_games", [10, 1e3, 1e6])
def test_an_item_that_never_loses_is_above_the_other_by_the_right_difference(prior, n_games):
    wins = pd.DataFrame({"winner": ["a"], "loser": ["b"], "games": [n_games]})
    model = PlackettLuce(prior=prior)
    score = model.fit_transform(RankedLists.from_comparisons(wins, weight="games")).set_index("item")["score"]
    # By symmetry the log-worths are t and -t, so that games / (1 + exp(2 t)) equals the slope of the prior.
    low, high = np.longdouble(0), np.longdouble(100)
    for _ in range(200):
        t = (low + high) / 2
        is_low = n_games / (1 + np.exp(2 * t)) > prior * np.tanh(t / 2)
        low, high = (t, high) if is_low else (low, t)
    assert model.query_info_["converged"].all()
    assert score["a"] - score["b"] == pytest.approx(float(2 * low), abs=1e-9)


@pytest.mark.parametrize("prior", [1e-6, 1e-3, 0.5])
@pytest.mark.parametrize("heaviest", [1e3, 1e6])
def test_heavy_and_one_sided_boards_solve_the_likelihood_equations(prior, heaviest):
    rng = np.random.default_rng(4)
    wins = np.round(np.exp(rng.uniform(0, np.log(heaviest), size=(20, 6, 6))))
    wins[:, np.arange(6), np.arange(6)] = 0
    wins[:, :, 0] = 0  # the first item never loses
    found, _, converged = newton(wins, np.zeros((20, 6)), prior=prior, **OPTIONS)
    t = found.astype(np.longdouble)
    beaten = 1 / (1 + np.exp(t[:, :, None] - t[:, None]))  # chance that the second item of a pair wins
    gradient = (wins * beaten - (wins * beaten).transpose(0, 2, 1)).sum(axis=2) - prior * np.tanh(t / 2)
    compared = wins + wins.transpose(0, 2, 1)
    curvature = (compared * beaten * (1 - beaten)).sum(axis=2)
    assert converged.all()
    assert (np.abs(gradient) / curvature).max() < 1e-9


@pytest.mark.parametrize("prior", [0, 0.5])
def test_newton_finds_the_same_maximum_from_far_starts(prior):
    wins = boards(40, 6, seed=1)
    near = newton(wins, np.zeros((40, 6)), prior=prior, **OPTIONS)[0]
    start = np.random.default_rng(0).normal(scale=8.0, size=(40, 6))
    far, _, converged = newton(wins, start, prior=prior, **OPTIONS)
    assert converged.all()
    if prior == 0:
        far -= far.mean(axis=1, keepdims=True)
    np.testing.assert_allclose(far, near, atol=1e-11)


def test_newton_increases_the_likelihood_in_each_step():
    wins = boards(30, 5, seed=2, spread=3.0)
    compared, won = wins + wins.transpose(0, 2, 1), wins.sum(axis=2)
    start = np.random.default_rng(1).normal(scale=3.0, size=(30, 5))

    def value(t):
        return (won * t).sum(axis=1) - (compared * np.logaddexp(t[:, None], t[:, :, None])).sum(axis=(1, 2)) / 2

    values = np.stack([value(newton(wins, start, prior=0, tol=1e-12, max_iter=k)[0]) for k in range(1, 9)])
    assert (np.diff(values, axis=0) >= -1e-12 * np.abs(values[1:])).all()
    assert (values[0] > value(start)).all()


def test_newton_reports_boards_that_need_more_steps():
    wins = boards(3, 5, seed=3)
    wins[1] = np.ones((5, 5)) - np.eye(5)
    _, n_iter, converged = newton(wins, np.zeros((3, 5)), prior=0, tol=1e-12, max_iter=2)
    assert converged.tolist() == [False, True, False] and n_iter.tolist() == [2, 1, 2]
    # Without comparisons and without a prior the equations have no solution.
    _, _, converged = newton(np.zeros((1, 3, 3)), np.zeros((1, 3)), prior=0, **OPTIONS)
    assert not converged.any()


def duels(sizes=(4, 9, 7, 4), ties=0.2):
    """Encode comparisons of several queries with these numbers of items."""
    parts = [
        make_comparisons(n, 60 * n, tie_probability=ties, random_state=n + k).comparisons.assign(board=f"b{k}")
        for k, n in enumerate(sizes)
    ]
    return RankedLists.from_comparisons(pd.concat(parts, ignore_index=True), query_column="board")


@pytest.mark.parametrize("options", [{}, {"prior": 0}, {"ties": "efron"}, {"ties": "breslow", "prior": 2.0}])
def test_plackett_luce_of_pairs_is_the_same_by_newton_and_by_lbfgs(options, monkeypatch):
    lists = duels()
    method = PlackettLuce(tol=1e-13, std_errors="model", **options)
    newtons = method.fit_transform(lists)
    assert (method.query_info_["n_iter"] <= 8).all()
    for few in (0, 5):  # some or all boards are fitted by L-BFGS
        monkeypatch.setattr(_pair_newton, "_FEW", few)
        monkeypatch.setattr(_pair_newton, "_SHARE", 0)
        other = method.fit_transform(lists)
        pd.testing.assert_frame_equal(newtons, other, check_exact=False, rtol=0, atol=1e-10)
        assert (method.query_info_["n_iter"] > 8).tolist() == [few < 4, True, True, few < 4]


def test_plackett_luce_of_pairs_is_the_same_for_each_query_alone():
    lists = duels((4, 9, 7, 4, 3))
    for options in ({}, {"prior": 0, "ties": "efron"}):
        together = PlackettLuce(**options).fit_transform(lists)
        alone = pd.concat([PlackettLuce(**options).fit_transform(lists[[q]]) for q in range(5)], ignore_index=True)
        pd.testing.assert_frame_equal(together, alone, check_exact=True)


def test_lbfgs_takes_over_if_newton_needs_too_many_steps(monkeypatch):
    lists = duels((5, 8))
    expected = PlackettLuce().fit_transform(lists)
    monkeypatch.setattr(_pair_newton, "_STEPS", 2)
    method = PlackettLuce()
    pd.testing.assert_frame_equal(method.fit_transform(lists), expected, check_exact=False, rtol=0, atol=1e-10)
    assert method.query_info_["converged"].all() and (method.query_info_["n_iter"] > 8).all()
    weights = np.random.default_rng(0).poisson(1.0, size=(lists.n_lists, 5)) * lists.list_weight[:, None]
    many = PlackettLuce()._repeat_many(lists)(weights)
    monkeypatch.undo()
    np.testing.assert_allclose(PlackettLuce()._repeat_many(lists)(weights), many, atol=1e-10)


def test_plackett_luce_of_pairs_warns_if_max_iter_is_reached():
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        method = PlackettLuce(max_iter=2).fit(duels((6,)))
    assert [one.category for one in caught] == [ConvergenceWarning]
    assert not method.query_info_["converged"].any()


@pytest.mark.parametrize("few", [64, 5, 0])
def test_repeat_many_of_pairs_equals_single_fits(few, monkeypatch):
    monkeypatch.setattr(_pair_newton, "_FEW", few)
    monkeypatch.setattr(_pair_newton, "_SHARE", 0)
    monkeypatch.setattr("skrankagg.aggregators._models._pair_fits.CELLS", 200)  # several parts
    lists = duels((4, 8))
    weights = np.random.default_rng(2).poisson(1.0, size=(lists.n_lists, 9)) * lists.list_weight[:, None]
    method = PlackettLuce(ties="efron", tol=1e-13)
    found = method._repeat_many(lists)(weights)
    for column, weight in zip(found.T, weights.T, strict=True):
        score = method._aggregate(lists.with_list_weight(weight)).score
        np.testing.assert_allclose(column, score, atol=1e-10)


def test_a_list_that_ranks_absent_items_last_is_not_a_pair():
    pairs = RankedLists.from_lists({"u": ["a", "b"], "v": ["b", "c"], "w": ["a", "c"], "x": ["a", "b"]})
    last = PlackettLuce(absent="last", prior=1.0).fit_transform(pairs).set_index("item")["score"]
    whole = RankedLists.from_lists(
        {"u": ["a", "b"], "v": ["b", "c"], "w": ["a", "c"], "x": ["a", "b"], "y": list("abc")}
    )
    # A list of all items, which has weight 0, makes the lists of two items take the path of longer lists.
    longer = PlackettLuce(absent="last", prior=1.0).fit_transform(
        whole.with_list_weight(np.array([1.0, 1.0, 1.0, 1.0, 0.0]))
    )
    np.testing.assert_allclose(last[["a", "b", "c"]], longer.set_index("item")["score"][["a", "b", "c"]], atol=1e-10)


def test_long_steps_of_large_boards_raise_no_warnings_of_numpy():
    steps = np.arange(199)
    heavy = np.where(steps % 5 == 0, 1e6, 3.0)
    wins = pd.DataFrame(
        {"winner": [*steps, *steps + 1], "loser": [*steps + 1, *steps], "w": [*heavy, *(0 * steps + 1)]}
    )
    lists = RankedLists.from_comparisons(wins, weight="w")
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        warnings.simplefilter("ignore", ConvergenceWarning)
        assert np.isfinite(PlackettLuce().fit_transform(lists)["score"]).all()
