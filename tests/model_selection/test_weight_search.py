"""weight_grid and DirichletWeights: a complete grid and random points of the simplex."""

from fractions import Fraction
from functools import reduce
from itertools import product
from operator import add

import numpy as np
import pytest
from scipy.stats import kstest
from sklearn.model_selection import GridSearchCV, ParameterSampler, RandomizedSearchCV

from skrankagg import BordaCount, CombSUM, Qrels, RankedLists, ReciprocalRankFusion
from skrankagg.datasets import make_ranked_lists
from skrankagg.exceptions import InputError, InputTypeError
from skrankagg.metrics import make_ranking_scorer
from skrankagg.model_selection import DirichletWeights, weight_grid


@pytest.fixture(scope="module")
def data():
    lists, qrels, _ = make_ranked_lists(n_queries=12, n_voters=3, quality=0.5, random_state=0)
    lists, qrels = RankedLists.from_frame(lists), Qrels.from_frame(qrels)
    return lists, qrels.align(lists)


@pytest.mark.parametrize(("m", "n"), [(1, 10), (2, 10), (3, 10), (4, 10), (3, 20), (5, 4), (3, 3), (2, 1), (3, 49)])
def test_weight_grid_contains_every_point_once(m, n):
    voters = [f"v{k}" for k in range(m)]
    grid = weight_grid(voters, step=1 / n)
    found = [tuple(Fraction(point[voter]).limit_denominator(1000) * n for voter in voters) for point in grid]
    expected = [parts for parts in product(range(n, -1, -1), repeat=m) if sum(parts) == n] if n**m < 200_000 else None
    assert len({*found}) == len(found) and all(sum(parts) == n for parts in found)
    assert expected is None or found == expected  # in this order
    assert all(weight == round(weight * n) / n for point in grid for weight in point.values())


def test_weight_grid_keeps_points_that_floating_point_sums_would_drop():
    # Numbers of products of multiples of 0.1 whose sum equals 1.0 in floating point. The function sum compensates
    # rounding errors from Python 3.12 on, so it is not used.
    for m, kept, count in ((3, 62, 66), (4, 256, 286)):
        by_sum = [parts for parts in product([k * 0.1 for k in range(11)], repeat=m) if reduce(add, parts) == 1.0]
        assert len(by_sum) < count and len(weight_grid(range(m), step=0.1)) == count
        rounded = [
            parts for parts in product([round(k * 0.1, 1) for k in range(11)], repeat=m) if reduce(add, parts) == 1.0
        ]
        assert len(rounded) == kept


def test_weight_grid_converts_voters_to_plain_ids():
    assert weight_grid(np.array([3, 7]), step=1) == [{3: 1.0, 7: 0.0}, {3: 0.0, 7: 1.0}]
    assert {type(voter) for point in weight_grid(np.array([3, 7])) for voter in point} == {int}


@pytest.mark.parametrize("step", [0.3, 0, -0.1, 1.5, 0.15, True, "0.1", float("nan"), 2])
def test_weight_grid_rejects_a_step_that_does_not_divide_1(step):
    with pytest.raises(InputError, match=r"`step` must be 1 / n for an integer n, so that weights add up to 1;"):
        weight_grid(["u", "v"], step=step)


def test_weight_grid_suggests_a_nearby_step():
    with pytest.raises(InputError, match=r"got 0\.3\. Pass, for example, 1 / 3\."):
        weight_grid(["u", "v"], step=0.3)


def test_weight_grid_rejects_too_many_points_with_advice():
    words = r"0\.05 for 8 voters gives 888,030\..*RandomizedSearchCV\(method, \{'voter_weights': Dirichlet"
    with pytest.raises(InputError, match=words):
        weight_grid(range(8), step=0.05)
    with pytest.raises(InputError, match=r"gives more than 10\*\*15"):
        weight_grid(range(5000), step=1e-6)
    assert len(weight_grid(range(6), step=0.05)) == 53_130


@pytest.mark.parametrize("make", [weight_grid, DirichletWeights])
def test_weight_grid_and_dirichlet_weights_reject_invalid_voters(make):
    with pytest.raises(InputError, match="'u' occurs twice"):
        make(["u", "v", "u"])
    with pytest.raises(InputError, match="at least one id"):
        make([])
    for voters in ("bm25", {"u": 1}, 3):
        with pytest.raises(InputTypeError, match=r"`voters` must be a sequence of ids, such as lists\.voters; got"):
            make(voters)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("method", [CombSUM(norm="borda"), ReciprocalRankFusion(), BordaCount()], ids=repr)
def test_grid_search_evaluates_every_point_of_weight_grid(data, method):
    lists, y = data
    grid = weight_grid(lists.voters, step=0.25)
    scorer = make_ranking_scorer("ndcg@5")
    search = GridSearchCV(method, {"voter_weights": grid}, scoring=scorer, cv=3, error_score="raise").fit(lists, y)
    assert search.cv_results_["params"] == [{"voter_weights": point} for point in grid]
    equal = GridSearchCV(method, {"voter_weights": [None]}, scoring=scorer, cv=3).fit(lists, y).best_score_
    assert search.best_score_ >= equal - 0.05 and len({*search.cv_results_["mean_test_score"]}) > 5


def test_randomized_search_accepts_dirichlet_weights(data):
    lists, y = data
    draws = {"voter_weights": DirichletWeights(lists.voters)}
    found = []
    for seed in (0, 0, 1):
        search = RandomizedSearchCV(
            BordaCount(), draws, n_iter=6, scoring=make_ranking_scorer("map"), cv=3, random_state=seed
        )
        found.append(search.fit(lists, y).cv_results_["params"])
    assert found[0] == found[1] != found[2]
    assert len({tuple(one["voter_weights"].values()) for one in found[0]}) == 6
    both = list(ParameterSampler({**draws, "norm": ["borda", "rank"]}, 3, random_state=0))
    assert all(set(one) == {"voter_weights", "norm"} for one in both)


def test_dirichlet_weights_follow_the_dirichlet_distribution():
    random = np.random.RandomState(0)
    alpha = {"u": 0.5, "v": 2.0, "w": 1.5}
    weights = DirichletWeights(list(alpha), alpha)
    drawn = np.array([list(weights.rvs(random_state=random).values()) for _ in range(4000)])
    assert np.allclose(drawn.sum(axis=1), 1) and (drawn >= 0).all()
    total = sum(alpha.values())
    for k, one in enumerate(alpha.values()):  # each weight alone has a beta distribution
        assert kstest(drawn[:, k], "beta", (one, total - one)).pvalue > 0.01


@pytest.mark.parametrize("concentration", [1e-4, 1e-300, 1e6])
def test_dirichlet_weights_sum_to_1_for_extreme_concentrations(concentration):
    weights = DirichletWeights(["u", "v", "w"], concentration)
    with np.errstate(all="raise", under="ignore", over="ignore"):
        for seed in range(50):
            found = list(weights.rvs(random_state=seed).values())
            assert sum(found) == pytest.approx(1) and (max(found) > 0.99) == (concentration < 1)


def test_dirichlet_weights_rejects_invalid_concentrations():
    for bad in (0, -1, float("inf"), float("nan"), True, "1", {"u": 1, "v": 0}):
        with pytest.raises(InputError, match="`concentration` must be finite and above 0; got"):
            DirichletWeights(["u", "v"], bad)
    with pytest.raises(InputError, match="`concentration` must have a value for every voter; 'v' has no value"):
        DirichletWeights(["u", "v"], {"u": 1.0})
    assert repr(DirichletWeights(["u"], 2)) == "DirichletWeights(['u'], concentration=2)"
