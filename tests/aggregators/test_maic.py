"""MAIC, compared with a plain Python version and the authors' example; categories, ties and iterations."""

import gzip
import warnings
from math import sqrt

import numpy as np
import pandas as pd
import pytest
import scipy
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import OptimizeWarning, curve_fit, least_squares, lsq_linear
from sklearn.exceptions import ConvergenceWarning

from skrankagg import MAIC, BordaCount, RankedLists, RankStatistic
from skrankagg.aggregators._gene_lists import _curve_search, _curves
from skrankagg.aggregators._gene_lists._curve_search import search_curve
from skrankagg.aggregators._gene_lists._curves import fit_exponential
from skrankagg.datasets import make_mallows, make_ranked_lists
from skrankagg.exceptions import InputError
from skrankagg.inspection import voter_contributions

ROUNDS_ALIKE = pytest.mark.skipif(
    tuple(map(int, scipy.__version__.split(".")[:2])) >= (1, 18),
    reason="SciPy 1.18 rounds in other places, and a search with a loose tolerance amplifies this.",
)


def plain_maic(lists, category, weight, *, tol=0.01, max_iter=100):
    """Return scores, list weights and number of iterations for dicts of voter to tie classes."""
    items = sorted({item for classes in lists.values() for tied in classes for item in tied})
    of_place = {voter: {item: 1.0 for tied in classes for item in tied} for voter, classes in lists.items()}
    of_list = dict.fromkeys(lists, 1.0)

    def scores():
        found = {}
        for item in items:
            largest = {}
            for voter in lists:
                if item in of_place[voter]:
                    gain = weight[voter] * of_place[voter][item]
                    largest[category[voter]] = max(gain, largest.get(category[voter], 0.0))
            found[item] = sum(largest.values())
        return found

    for n_iter in range(1, max_iter + 1):  # noqa: B007
        score, change = scores(), 0.0
        for voter, classes in lists.items():
            total, count = 0.0, 0
            for tied in classes:
                total, count = total + sum(score[item] for item in tied), count + len(tied)
                of_place[voter].update(dict.fromkeys(tied, sqrt(total / count)))
            if weight[voter] > 0:
                change = max(change, abs(sqrt(total / count) - of_list[voter]))
            of_list[voter] = sqrt(total / count)
        if change <= tol:
            break
    return scores(), of_list, n_iter


def frame_of(lists, weight=None, query="q"):
    rows = [
        (query, voter, item, rank, 1.0 if weight is None else weight[voter])
        for voter, classes in lists.items()
        for rank, tied in enumerate(classes)
        for item in tied
    ]
    return pd.DataFrame(rows, columns=["query", "voter", "item", "rank", "weight"])


@st.composite
def examples(draw):
    """Draw lists with ties of up to nine items, categories and weights."""
    names = [f"v{k}" for k in range(draw(st.integers(1, 6)))]
    lists, category, weight = {}, {}, {}
    for voter in names:
        items = draw(st.lists(st.sampled_from("abcdefghi"), min_size=1, max_size=9, unique=True))
        cuts = draw(st.lists(st.booleans(), min_size=len(items), max_size=len(items)))
        lists[voter] = [[]]
        for item, cut in zip(items, cuts, strict=True):
            if cut and lists[voter][-1]:
                lists[voter].append([])
            lists[voter][-1].append(item)
        category[voter] = draw(st.integers(0, 3))
        weight[voter] = draw(st.sampled_from([0.0, 0.5, 1.0, 1.0, 3.0]))
    return lists, category, weight


def grouped_lists(frame, category):
    """Encode a frame with a grouping called kind, which contains the category of each voter."""
    return RankedLists.from_frame(frame.assign(kind=frame["voter"].map(category)), groups=["kind"])


@settings(max_examples=150, deadline=None)
@given(examples(), st.booleans(), st.sampled_from([0.01, 1e-6]))
def test_maic_equals_a_plain_python_version(example, grouped, tol):
    lists, category, weight = example
    if not grouped:
        category = {voter: voter for voter in lists}
    score, of_list, n_iter = plain_maic(lists, category, weight, tol=tol)
    method = MAIC(groups="kind" if grouped else None, tol=tol)
    found = method.fit_transform(grouped_lists(frame_of(lists, weight), category)).set_index("item")["score"]
    assert_allclose(found, [score[item] for item in found.index], rtol=1e-10, atol=1e-14)
    learnt = method.query_voter_weights_.set_index("voter")["weight"]
    assert_allclose(learnt, [of_list[voter] for voter in learnt.index], rtol=1e-10, atol=1e-14)
    assert method.query_info_["n_iter"].tolist() == [n_iter]


def test_maic_iterates_each_query_independently():
    frames = [
        make_ranked_lists(n_queries=1, n_voters=n_voters, n_items=30, list_length=6 + n_voters, random_state=n_voters)[
            0
        ].assign(query=f"q{n_voters:02}")
        for n_voters in range(2, 12)
    ]
    category = {voter: int(voter[1:]) % 3 for frame in frames for voter in frame["voter"].unique()}
    for groups in (None, "kind"):
        method = MAIC(groups=groups, tol=1e-3)
        together = method.fit_transform(grouped_lists(pd.concat(frames), category))
        alone = pd.concat([method.transform(grouped_lists(frame, category)) for frame in frames])
        assert_array_equal(together["score"], alone["score"])
        assert_array_equal(together["item"], alone["item"])
        assert method.query_info_["n_iter"].nunique() > 2 and method.query_info_["converged"].all()


def test_maic_warns_about_queries_without_convergence():
    frame = frame_of({"u": ["a", "b"], "v": ["a", "c"], "w": ["d"]})
    with pytest.warns(ConvergenceWarning, match=r"did not converge in 2 iterations for 1 of 1 queries"):
        info = MAIC(max_iter=2).fit(frame).query_info_
    assert info[["n_iter", "converged"]].to_numpy().tolist() == [[2, False]]


def test_maic_gives_a_fully_tied_list_one_weight():
    # Three lists; v has no order. By the formula its items get the root of its mean score, each alike.
    lists = {"u": ["a", "b", "c"], "v": ["cbd"], "w": ["a", "d"]}
    method = MAIC(tol=1e-12).fit(frame_of(lists))
    shares = voter_contributions(method, frame_of(lists))
    of_v = shares[shares["voter"] == "v"].set_index("item")["contribution"]
    weight = method.query_voter_weights_.set_index("voter")["weight"]["v"]
    assert_allclose(of_v[["b", "c", "d"]], weight, rtol=1e-12)
    score = method.transform(frame_of(lists)).set_index("item")["score"]
    assert_allclose(weight**2, score[["b", "c", "d"]].mean(), rtol=1e-9)


def test_maic_counts_the_largest_contribution_of_a_category():
    lists = {"u": ["a", "b"], "v": ["b", "a"], "w": ["a"]}
    weight = {"u": 2.0, "v": 1.0, "w": 1.0}
    groups = {"u": "screen", "v": "screen", "w": "review"}
    consensus = MAIC(groups="kind").fit_transform(grouped_lists(frame_of(lists, weight), groups))
    score, *_ = plain_maic(lists, groups, weight)
    assert_allclose(consensus["score"], [score["a"], score["b"]], rtol=1e-12)
    # Weights that tie in a category share what they give.
    same = grouped_lists(frame_of({"u": ["a"], "v": ["a"], "w": ["a"]}), groups)
    shares = voter_contributions(MAIC(groups="kind").fit(same), same)
    assert_allclose(shares["contribution"] / shares["contribution"].sum(), [0.25, 0.25, 0.5], rtol=1e-12)


def test_maic_rejects_lists_without_the_grouping():
    frame = frame_of({"u": ["a", "b"], "v": ["b"]})
    with pytest.raises(InputError, match="must be the name of a grouping; got 'kind', and the lists have none"):
        MAIC(groups="kind").fit_transform(frame)
    with pytest.raises(InputError, match=r"got 'kinds', and the lists have \['kind'\]"):
        MAIC(groups="kinds").fit_transform(grouped_lists(frame, {"u": 1, "v": 2}))


@pytest.mark.parametrize("n_voters", [1, 4])
def test_maic_orders_tied_items_of_complete_lists_by_mean_rank(n_voters):
    # 40 items, so that rounding of the running means has a chance.
    frame = make_mallows(n_queries=3, n_items=40, n_voters=n_voters, phi=0.9, random_state=n_voters)
    consensus, borda = MAIC().fit_transform(frame), BordaCount().fit_transform(frame)
    assert (consensus.groupby("query")["score"].nunique() == 1).all()
    assert consensus["item"].tolist() == borda["item"].tolist()
    assert MAIC().__sklearn_tags__().aggregator_tags.ties_by_rank


def test_maic_keeps_ties_in_long_lists_of_unshared_items():
    # Sums of 50,000 equal numbers are off by more than the tolerance unless what is equal is left out of them.
    lists = RankedLists.from_lists([[f"{v}{k}" for k in range(50_000)] + ["shared"] for v in "uvw"])
    assert MAIC().fit_transform(lists)["score"].nunique() < 10


def test_maic_allows_weights_to_increase_down_a_list():
    # What many lists hold is second in u: its third item then gets more than its first.
    lists = {"u": ["a", "x", "b"], **{f"v{k}": ["x"] for k in range(5)}}
    consensus = MAIC().fit_transform(frame_of(lists))
    assert consensus["item"].tolist() == ["x", "b", "a"]


# ---------------------------------------------------------------------- the exponential curve


def best_curve(weight):
    """Return the residual of the best curve, by least squares for many values of b."""
    x = np.arange(1.0, len(weight) + 1)
    trust = 1 / (len(x) - x + 1)
    left = []
    for b in [0.0, *np.logspace(-5, 2, 300)]:
        base = np.stack([np.exp(-b * x), -x, np.ones(len(x))], axis=1)
        fit = lsq_linear(base * trust[:, None], (weight + 1e-8 * x) * trust, bounds=(0.0, np.inf), method="bvls")
        left.append(np.sqrt(2 * fit.cost))
    return min(left)


@pytest.mark.parametrize("seed", range(6))
def test_fit_exponential_finds_the_best_curve(seed):
    rng = np.random.default_rng(seed)
    score = np.sort(rng.gamma(0.7, 2.0, 60))[::-1] + rng.random(60)
    weight = np.sqrt(np.cumsum(score) / np.arange(1, 61))
    residuals = (fit_exponential(weight) - weight) / np.arange(60, 0, -1)
    assert np.linalg.norm(residuals) <= best_curve(weight) * 1.0001


@ROUNDS_ALIKE
@settings(max_examples=60, deadline=None)
@given(st.integers(2, 30), st.integers(0, 2**32 - 1), st.sampled_from([1e-6, 1.0, 1e6]), st.booleans())
def test_search_curve_equals_curve_fit(n_places, seed, scale, sort):
    rng = np.random.default_rng(seed)
    score = scale * rng.integers(1, 6, n_places) * rng.choice([1.0, rng.random()], n_places)
    score = np.sort(score)[::-1] if sort else score
    place = np.arange(1.0, n_places + 1)
    weight = np.sqrt(np.cumsum(score) / place)
    spread, start, lowest = weight[-1] * place[::-1], [3.0, 0.01, 0.0001, weight[-1]], [0.0, 0.0, 1e-8, 0.0]
    found = search_curve(place, weight, spread, start, lowest)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", OptimizeWarning)  # about the covariance, which is not used
            expected, _ = curve_fit(_curves._curve, place, weight, p0=start, sigma=spread, bounds=(lowest, np.inf))
    except (RuntimeError, ValueError):
        expected = None
    assert (found is None) == (expected is None)
    if found is not None:
        assert_array_equal(found, expected)


@pytest.mark.parametrize("target", [np.array([1e300, 1.0]), np.array([np.inf, 1.0])])
def test_search_curve_returns_none_beyond_floats(target):
    with np.errstate(over="ignore", invalid="ignore"):
        found = search_curve(np.array([1.0, 2.0]), target, np.ones(2), [3.0, 0.01, 0.0001, 1.0], [0.0, 0.0, 1e-8, 0.0])
    assert found is None


def test_search_curve_returns_none_where_curve_fit_refuses_derivatives_beyond_floats():
    place, target, spread = np.arange(1.0, 5.0), np.array([2.0, 1.5, 1.3, 1.2]), np.full(4, 1e-160)
    start, lowest = [3.0, 0.01, 0.0001, 1.2], [0.0, 0.0, 1e-8, 0.0]
    with np.errstate(over="ignore", invalid="ignore"):
        assert search_curve(place, target, spread, start, lowest) is None
        with pytest.raises(ValueError, match="infs or NaNs"):
            curve_fit(_curves._curve, place, target, p0=start, sigma=spread, bounds=(lowest, np.inf))


def test_search_curve_equals_curve_fit_for_residuals_whose_squares_exceed_floats():
    # The trust-region step does not reach its radius in ten iterations, because intermediate results overflow.
    place, target, spread = np.arange(1.0, 7.0), np.array([1.6, 1.3, 1.0, 1.1, 1.9, 1.4]), np.full(6, 1e-100)
    start, lowest = [3.0, 0.01, 0.0001, 1.4], [0.0, 0.0, 1e-8, 0.0]
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore", OptimizeWarning)
        found = search_curve(place, target, spread, start, lowest)
        expected, _ = curve_fit(_curves._curve, place, target, p0=start, sigma=spread, bounds=(lowest, np.inf))
    assert_array_equal(found, expected)


def test_search_curve_returns_none_if_the_decomposition_fails(monkeypatch):
    def failing(*arguments, **options):
        return None, None, None, 1

    place, target = np.arange(1.0, 5.0), np.array([2.0, 1.5, 1.3, 1.2])
    arguments = place, target, np.ones(4), [3.0, 0.01, 0.0001, 1.2], [0.0, 0.0, 1e-8, 0.0]
    assert search_curve(*arguments) is not None
    _, lwork = _curve_search.get_lapack_funcs(("gesdd", "gesdd_lwork"), (np.zeros((8, 4)),))
    monkeypatch.setattr(_curve_search, "get_lapack_funcs", lambda *_: (failing, lwork))
    assert search_curve(*arguments) is None


class Roots:
    """Residuals that are not a number if the first parameter exceeds 1.5."""

    def __init__(self, target):
        self.place, self.target = np.arange(1.0, len(target) + 1), np.array(target)

    def __call__(self, x):
        return x[0] * self.place - self.target - np.sqrt(1.5 - x[0]) + x[1] + 0.1 * x[3] * self.place**2

    def derivatives(self, x, found=None):
        slope = self.place + 0.5 / np.sqrt(1.5 - x[0])
        return np.stack([slope, np.ones(len(slope)), 0.001 * self.place**3, 0.1 * self.place**2], axis=1)


@ROUNDS_ALIKE
@pytest.mark.parametrize("target", [[3.0, 5.0, 7.5, 10.0, 12.0, 13.0], [9.0, 2.0, 8.0, 30.0, 11.0, 40.0]])
def test_search_shortens_steps_to_nonfinite_residuals_as_least_squares_does(target):
    is_finite, residuals = [], Roots(target)

    def noted(x):
        is_finite.append(np.isfinite(residuals(x)).all())
        return residuals(x)

    start, lowest = np.array([1.0, 0.1, 0.1, 0.2]), np.zeros(4)
    with np.errstate(invalid="ignore"):
        found = _curve_search._Search(residuals, lowest).run(start.copy())
        expected = least_squares(noted, start, jac=residuals.derivatives, bounds=(lowest, np.inf), max_nfev=400)
    assert not all(is_finite) and expected.success
    assert_array_equal(found, expected.x)


def test_to_radius_reaches_the_radius_and_raises_without_a_direction_or_from_outside():
    x, direction = np.array([0.5, -0.2]), np.array([1.0, 2.0])
    assert np.linalg.norm(x + _curve_search._to_radius(x, direction, 3.0) * direction) == pytest.approx(3, rel=1e-15)
    with pytest.raises(ValueError, match="must not be zero"):
        _curve_search._to_radius(x, np.zeros(2), 3.0)
    with pytest.raises(ValueError, match="must be inside"):
        _curve_search._to_radius(np.array([4.0, 0.0]), direction, 3.0)


@pytest.mark.parametrize("square", [-1.5, 0.0, 0.1, 2.0])
@pytest.mark.parametrize("slope", [-3.0, 0.4])
def test_lowest_point_equals_the_lowest_point_of_a_grid(square, slope):
    grid = np.linspace(-1.0, 2.0, 30_001)
    values = grid * (square * grid + slope) + 7.0
    point, value = _curve_search._lowest_point(square, slope, 7.0, -1.0, 2.0)
    assert point == pytest.approx(grid[values.argmin()], abs=1e-4) and value == pytest.approx(values.min(), abs=1e-7)


@pytest.mark.parametrize("weight", [[0.0, 0.0, 0.0], [1.7, 1.7, 1.7], [1.7, 1.7 * (1 + 1e-15), 1.7]])
def test_fit_exponential_keeps_equal_weights(weight):
    assert_array_equal(fit_exponential(np.array(weight)), weight)


def test_fit_exponential_returns_nearly_equal_weights_if_no_curve_is_found(monkeypatch):
    monkeypatch.setattr(_curves, "search_curve", lambda *args: None)
    assert_allclose(fit_exponential(np.array([2.0, 1.8, 1.7])), 1.7 + 1e-8 * np.array([1.5, 0.5, -0.5]), rtol=1e-15)


def test_maic_exponential_curve_skips_lists_without_an_order():
    lists = {"u": ["ab"], "v": ["bcd"], "w": ["abd"]}
    found = [MAIC(curve=curve).fit_transform(frame_of(lists)) for curve in ("running-mean", "exponential")]
    pd.testing.assert_frame_equal(*found)


def test_maic_exponential_curve_is_independent_of_voter_names():
    lists = {"u": ["a", "b", "cd", "e"], "v": ["b", "a", "f"], "w": ["d", "a", "g", "b"], "x": ["efg"]}
    method = MAIC(curve="exponential")
    expected = method.fit_transform(frame_of(lists))
    names = dict(zip("uvwx", "xvuw", strict=True))
    renamed = method.transform(frame_of({names[voter]: classes for voter, classes in lists.items()}))
    assert renamed["item"].tolist() == expected["item"].tolist()
    assert_allclose(renamed["score"], expected["score"], rtol=1e-12)


@pytest.fixture
def authors_example(shared_data):
    """Return the lists of the authors' example, cut as in their program, and its scores."""
    folder = shared_data / "genelists"
    if not folder.is_dir():
        pytest.skip("the example of MAIC's authors is not here")
    with gzip.open(folder / "maic_example_ranked.txt.gz", "rt", encoding="utf-8") as file:
        fields = [line.rstrip("\n").split("\t") for line in file]
    assert all(one[2] == "RANKED" for one in fields)
    lists = {name: [[item] for item in items if item][:2000] for _, name, _, _, *items in fields}
    scores = pd.read_csv(folder / "maic_example_ranked_scores.tsv.gz", sep="\t").set_index("gene")["maic_score"]
    return frame_of(lists), scores, {one[1]: one[0] for one in fields}


@pytest.mark.exhaustive
def test_maic_exponential_curve_reproduces_the_authors_program(authors_example):
    frame, expected, category = authors_example
    method = MAIC(curve="exponential", groups="kind")
    found = method.fit_transform(grouped_lists(frame, category)).set_index("item")["score"]
    assert len(found) == len(expected) == 5353
    assert_allclose(found[expected.index], expected, rtol=0, atol=1e-3)


def test_maic_curves_agree_on_the_top_genes(authors_example):
    frame, expected, _ = authors_example
    top = MAIC().fit_transform(frame)["item"][:100]
    assert len(set(top) & set(expected.index[:100])) >= 85
    # The true genes of the simulation are called entity1 to entity1000.
    true = {f"entity{k}" for k in range(1, 101)}
    mean = RankStatistic(statistic="mean", n_items=20_000).fit_transform(frame)["item"][:100]
    assert len(set(top) & true) > len(set(mean) & true)
