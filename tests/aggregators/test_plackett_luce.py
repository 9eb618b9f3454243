"""PlackettLuce, compared with its likelihood, Cox's model of statsmodels, choix and published numbers."""

import warnings
from itertools import combinations, permutations

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize
from sklearn.exceptions import ConvergenceWarning

from skrankagg import BordaCount, PlackettLuce, RankedLists
from skrankagg.aggregators._models import _list_fits, _many_minima, _tied_stages
from skrankagg.aggregators._models._posterior import log_prior
from skrankagg.aggregators._models._stages import Stages
from skrankagg.aggregators._models._standard_errors import invert_information
from skrankagg.aggregators._models._tied_stages import TiedStages
from skrankagg.datasets import make_comparisons
from skrankagg.exceptions import InputError
from skrankagg.utils.estimator_checks import example_lists

pytestmark = pytest.mark.twice


def full_lists(n_lists, n_items, length=None, n_queries=1, seed=0, n_levels=None):
    """Draw lists by the model, cut to a length or with ranks rounded to some levels."""
    rng = np.random.default_rng(seed)
    worth = rng.normal(size=n_items)
    order = np.argsort(-(worth + rng.gumbel(size=(n_queries, n_lists, n_items))), axis=2)
    query, voter, place = (index.ravel() for index in np.indices(order.shape))
    rank = place + 1 if n_levels is None else 1 + place * n_levels // n_items
    frame = pd.DataFrame({"query": query, "voter": voter, "item": order.ravel(), "rank": rank})
    return frame[frame["rank"] <= (length or n_items)].reset_index(drop=True)


def partial_lists(n_lists, n_items, seed=0):
    """Draw lists of some items each."""
    frame = full_lists(n_lists, n_items, seed=seed)
    kept = np.random.default_rng(seed).random(len(frame)) < 0.7
    return frame[kept | (frame["rank"] <= 2)].reset_index(drop=True)


def likelihood_written_out(classes, log_worth, left_over, ties):
    """Compute the log-likelihood of one list of classes, choice by choice."""
    total = 0.0
    for k, items in enumerate(classes):
        below = [item for later in classes[k:] for item in later] + list(left_over)
        whole, of_class = (sum(np.exp(log_worth[i]) for i in some) for some in (below, items))
        for r, item in enumerate(items):
            taken = r / len(items) * of_class if ties == "efron" else 0.0
            total += log_worth[item] - np.log(whole - taken)
    return total


@pytest.mark.parametrize("ties", ["efron", "breslow"])
@pytest.mark.parametrize("absent", ["last", "ignore"])
@given(seed=st.integers(0, 10**6))
@settings(max_examples=25, deadline=None)
def test_stages_likelihood_and_derivatives_equal_their_definitions(absent, ties, seed):
    lists = RankedLists.from_frame(example_lists(seed, n_queries=2, n_voters=4, n_items=6))
    rng = np.random.default_rng(seed)
    lists = lists.with_list_weight(rng.choice([0.0, 0.5, 2.0], lists.n_lists))
    log_worth = 2 * rng.normal(size=lists.n_candidates)
    stages = Stages(lists, absent, ties)
    value, gradient = stages.value_and_gradient(log_worth)
    expected = np.zeros(lists.n_queries)
    for k in range(lists.n_lists):
        rows = slice(lists.row_ptr[k], lists.row_ptr[k + 1])
        held, rank = lists.candidate[rows], lists.rank[rows]
        classes = [held[rank == place].tolist() for place in np.unique(rank)]
        q = lists.list_query[k]
        rest = set(range(*lists.candidate_ptr[q : q + 2])) - set(held.tolist()) if absent == "last" else ()
        expected[q] += lists.list_weight[k] * likelihood_written_out(classes, log_worth, rest, ties)
    np.testing.assert_allclose(value, expected, atol=1e-10)
    step = 1e-5 * np.eye(lists.n_candidates)
    slopes = [
        (stages.value_and_gradient(log_worth + one)[0].sum() - stages.value_and_gradient(log_worth - one)[0].sum())
        / 2e-5
        for one in step
    ]
    np.testing.assert_allclose(gradient, slopes, atol=1e-7)
    own = slice(*lists.candidate_ptr[1:3])
    curves = [
        (stages.value_and_gradient(log_worth - one)[1] - stages.value_and_gradient(log_worth + one)[1])[own] / 2e-5
        for one in step[own]
    ]
    np.testing.assert_allclose(list(stages.information(log_worth))[1], curves, atol=1e-6)
    mine = slice(*lists.list_ptr[1:3])
    np.testing.assert_allclose(lists.list_weight[mine] @ list(stages.by_list(log_worth))[1], gradient[own], atol=1e-10)


@pytest.mark.parametrize(("length", "absent"), [(5, "ignore"), (2, "last")])
def test_stages_likelihoods_of_all_lists_sum_to_1(length, absent):
    log_worth = np.array([0.3, -1.0, 2.0, 0.0, 0.7])
    lists = list(permutations(range(5), length))
    # One query for each list, and a list of weight 0 that makes all items its candidates.
    rows = [(k, "v", item, place, 1.0) for k, one in enumerate(lists) for place, item in enumerate(one, 1)]
    rows += [(k, "w", item, item + 1, 0.0) for k in range(len(lists)) for item in range(5)]
    encoded = RankedLists.from_frame(pd.DataFrame(rows, columns=["query", "voter", "item", "rank", "weight"]))
    value, _ = Stages(encoded, absent, "efron").value_and_gradient(np.tile(log_worth, len(lists)))
    assert np.exp(value).sum() == pytest.approx(1.0, abs=1e-12)


def davidson_written_out(classes, log_worth, left_over, prevalence):
    """Compute the log-likelihood of one list of classes over all sets possible at each stage."""
    total = 0.0
    for k, items in enumerate(classes):
        left = [item for later in classes[k:] for item in later] + list(left_over)
        sets = [one for size in range(1, len(prevalence) + 1) for one in combinations(left, size)]
        chances = [prevalence[len(one) - 1] * np.exp(np.mean([log_worth[i] for i in one])) for one in sets]
        chosen = prevalence[len(items) - 1] * np.exp(np.mean([log_worth[i] for i in items]))
        total += np.log(chosen / np.sum(chances))
    return total


def written_classes(lists, k, absent):
    """Return the classes of a list, best first, and the remaining items."""
    rows = slice(lists.row_ptr[k], lists.row_ptr[k + 1])
    held, rank, q = lists.candidate[rows], lists.rank[rows], lists.list_query[k]
    everything = set(range(*lists.candidate_ptr[q : q + 2]))
    rest = sorted(everything - set(held.tolist())) if absent == "last" else []
    return [held[rank == place].tolist() for place in np.unique(rank)], rest


def levels_of_sizes(written, largest):
    """Return the level of each set size, (largest,): a higher level is chosen whenever possible."""
    stages = [
        (len(items), sum(map(len, classes[k:])) + len(rest))
        for classes, rest in written
        for k, items in enumerate(classes)
    ]
    sizes = {1, *(size for size, _ in stages)}
    graph = nx.DiGraph([(1, 2)] if 2 in sizes else [])  # comparisons of the prior could have tied
    graph.add_nodes_from(sizes)
    graph.add_edges_from((size, other) for size, left in stages for other in sizes if other <= left and other != size)
    rivals, level = nx.condensation(graph), np.zeros(largest)
    for node in reversed(list(nx.topological_sort(rivals))):
        below = [level[size - 1] for other in rivals[node] for size in rivals.nodes[other]["members"]]
        level[[size - 1 for size in rivals.nodes[node]["members"]]] = max(below, default=-1) + 1
    return level


@pytest.mark.parametrize("absent", ["last", "ignore"])
@given(seed=st.integers(0, 10**6))
@settings(max_examples=15, deadline=None)
def test_tied_stages_equal_davidsons_model_over_all_sets(absent, seed):
    lists = RankedLists.from_frame(example_lists(seed, n_queries=2, n_voters=4, n_items=6))
    rng = np.random.default_rng(seed)
    lists = lists.with_list_weight(rng.choice([0.5, 1.0, 2.0], lists.n_lists))
    stages = TiedStages(lists, absent)
    variables = stages.start(rng.normal(size=lists.n_candidates))
    variables[lists.n_candidates :] += np.where(stages.free.ravel(), rng.normal(size=stages.n_extra), 0.0)
    value, gradient = stages.value_and_gradient(variables)
    written = [written_classes(lists, k, absent) for k in range(lists.n_lists)]
    prevalence, expected = stages.prevalence(variables), np.zeros(2)
    for q in range(2):
        of_query = range(*lists.list_ptr[q : q + 2])
        # Prevalences that grow without bound are very large ones.
        prevalence[q] *= np.exp(60.0 * levels_of_sizes([written[k] for k in of_query], prevalence.shape[1]))
        for k in of_query:
            expected[q] += lists.list_weight[k] * davidson_written_out(
                written[k][0], variables, written[k][1], prevalence[q]
            )
    np.testing.assert_allclose(value, expected, atol=1e-10)
    slopes = [
        (stages.value_and_gradient(variables + one)[0].sum() - stages.value_and_gradient(variables - one)[0].sum())
        / 2e-6
        for one in 1e-6 * np.eye(len(variables))
    ]
    np.testing.assert_allclose(gradient, slopes, atol=1e-6)
    own, n = slice(*lists.list_ptr[:2]), lists.candidate_ptr[1]
    summed = lists.list_weight[own] @ next(stages.by_list(variables))
    np.testing.assert_allclose(summed[:n], gradient[:n], atol=1e-10)
    ties = gradient[lists.n_candidates :].reshape(stages.seen.shape)[0]
    np.testing.assert_allclose(summed[n:], ties[stages.free[0]], atol=1e-10)
    assert (ties[~stages.free[0]] == 0).all()


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    ("ballots", "absent"),
    [
        ([["abc"], ["abd"], ["aec"], ["bcf"]], "last"),
        ([["abc", "def"], ["abd", "cef"], ["abf", "cde"]], "ignore"),
        ([["abc", "d", "e"], ["bcd", "ae"], ["ace", "b", "d"], ["cde"]], "last"),  # what is left over is pairs
        ([["abcd", "e"], ["abce", "d"], ["abde", "c"]], "ignore"),
        ([["abcd", "e", "f"], ["abc", "ef", "d"], ["ae", "b", "cdf"]], "last"),  # three and four are rivals
    ],
)
def test_plackett_luce_davidson_handles_approval_ballots(ballots, absent):
    lists = RankedLists.from_ballots([[list(tied) for tied in ballot] for ballot in ballots])
    method = PlackettLuce(ties="davidson", absent=absent, std_errors="model")
    found = method.fit_transform(lists).sort_values("item")
    assert method.query_info_["converged"].all()
    written = [written_classes(lists, k, absent) for k in range(lists.n_lists)]
    largest = max(len(items) for classes, _ in written for items in classes)
    level, n = levels_of_sizes(written, largest), lists.n_candidates
    used = sorted({1, *(len(items) for classes, _ in written for items in classes)})
    # Above the lowest level the first prevalence is a unit.
    free = [size for size in used if size != min(one for one in used if level[one - 1] == level[size - 1])]

    def minus_log_likelihood(variables):
        prevalence = np.zeros(largest)
        prevalence[[size - 1 for size in used]] = np.exp(60.0 * level[[size - 1 for size in used]])
        prevalence[[size - 1 for size in free]] *= np.exp(variables[n:])
        value = sum(davidson_written_out(classes, variables, rest, prevalence) for classes, rest in written)
        return -value, prevalence[1] if largest > 1 and level[1] == 0 else 0.0

    def minus_log_posterior(variables):
        minus, pairs = minus_log_likelihood(variables)
        t = variables[:n]
        return minus - (0.5 * t - np.log(1 + np.exp(t) + pairs * np.exp(t / 2))).sum()

    best = minimize(minus_log_posterior, np.zeros(n + len(free)), method="BFGS", options={"gtol": 1e-7})
    np.testing.assert_allclose(found["score"], best.x[:n], atol=1e-4)
    expected = -minus_log_likelihood(np.append(found["score"], best.x[n:]))[0]
    assert method.query_info_["log_likelihood"][0] == pytest.approx(expected, abs=1e-6)
    step = 1e-3 * np.eye(len(best.x))
    curves = np.array(
        [
            [
                sum(s * r * minus_log_likelihood(best.x + s * one + r * other)[0] for s in (1, -1) for r in (1, -1))
                / 4e-6
                for one in step
            ]
            for other in step
        ]
    )
    centre = np.eye(len(best.x))[:n] - np.append(np.ones(n) / n, np.zeros(len(free)))
    covariance = centre @ np.linalg.pinv(curves, rcond=1e-6, hermitian=True) @ centre.T
    np.testing.assert_allclose(found["std_error"], np.sqrt(np.diag(covariance)), rtol=2e-3)


def test_plackett_luce_davidson_ties_equally_approved_items():
    lists = RankedLists.from_ballots([[["a", *others]] for others in combinations("bcdefgh", 3)])
    for std_errors in ("model", "voters"):
        found = PlackettLuce(ties="davidson", std_errors=std_errors).fit_transform(lists)
        assert found["item"][0] == "a"
        assert found["score"].nunique() == 2
        assert np.isfinite(found["std_error"]).all()


@pytest.mark.parametrize("ballots", [["a > b", "a = b"], ["a = b", "a = b"], ["a > b = c", "a = b > c"]])
def test_plackett_luce_davidson_without_prior_rejects_items_joined_by_ties(ballots):
    lists = RankedLists.from_ballots(ballots)
    with pytest.raises(InputError, match=r"With prior=0 and ties='davidson', .* has none, because ties alone connect"):
        PlackettLuce(prior=0, absent="ignore", ties="davidson").fit(lists)
    assert np.isfinite(PlackettLuce(prior=0, absent="ignore").fit_transform(lists)["score"]).all()


def test_plackett_luce_davidson_without_prior_allows_ties_that_join_pairs_if_a_maximum_exists():
    pairs = ["a > b", "b > a", "c > d", "d > c"]
    lists = RankedLists.from_ballots([*pairs, "a = c"], query="q")
    method = PlackettLuce(prior=0, absent="ignore", ties="davidson")
    score = method.fit_transform(lists)["score"]
    # By symmetry all worths are equal, so each pair has the likelihood 1 / (2 + d) and the tie d / (2 + d).
    np.testing.assert_allclose(score, 0.0, atol=1e-8)
    assert method.query_info_["tie_prevalence"][0] == pytest.approx(0.5)
    assert method.query_info_["log_likelihood"][0] == pytest.approx(4 * np.log(1 / 2.5) + np.log(0.5 / 2.5))
    connected = RankedLists.from_ballots([*pairs, "b > c", "c > b"], query="r")
    both = method.fit_transform(pd.concat([one.to_frame() for one in (lists, connected)]))
    np.testing.assert_allclose(both["score"], 0.0, atol=1e-8)


@pytest.mark.parametrize(("winner", "loser"), [("c", "a"), ("a", "c")])
def test_plackett_luce_without_prior_counts_absent_items_as_last_beside_comparisons(winner, loser):
    # The list puts a above b, and both above c; the comparisons rank no absent items.
    rows = [("u", "a", 1), ("u", "b", 2), ("x", "b", 1), ("x", "a", 2), ("y", winner, 1), ("y", loser, 2)]
    frame = pd.DataFrame(rows, columns=["voter", "item", "rank"]).assign(query="q")
    frame["duel"] = frame["voter"] != "u"
    method = PlackettLuce(prior=0)
    if winner == "c":
        score = method.fit_transform(frame).set_index("item")["score"]
        a, b, c = worth = np.exp(score[["a", "b", "c"]].to_numpy())
        # At the maximum, each item is chosen as often as expected: in the four choices of u, u, x and y.
        chosen = worth / (a + b + c)
        chosen += np.array([0, b, c]) / (b + c) + np.array([a, b, 0]) / (a + b) + np.array([a, 0, c]) / (a + c)
        np.testing.assert_allclose(chosen, [1, 2, 1], atol=1e-6)
    else:
        with pytest.raises(InputError, match="no list ranks 'c' above items of other groups"):
            method.fit(frame)


def test_plackett_luce_with_reliabilities_and_without_prior_rejects_separated_items():
    lists = RankedLists.from_lists({"u": ["a", "b", "c"], "v": ["b", "a", "c"]})
    for weighting in ("query", "global"):
        with pytest.raises(InputError, match="no list ranks 'c' above items of other groups"):
            PlackettLuce(prior=0, weighting=weighting).fit(lists)


def test_plackett_luce_davidson_tie_prevalence_can_be_infinite():
    lists = RankedLists.from_ballots(["a = b > c", "a = c > b", "b = c > a", "b = c > a"])
    method = PlackettLuce(prior=0, absent="ignore", ties="davidson", std_errors="model")
    found = method.fit_transform(lists)
    assert method.query_info_["tie_prevalence"].tolist() == [np.inf]
    # Each ballot chooses one of three pairs, in proportion to the root of the worths; leaving one item out.
    log_odds = 2 * np.log([1 / 2, 1 / 4, 1 / 4])
    expected = dict(zip("abc", log_odds.mean() - log_odds, strict=True))
    np.testing.assert_allclose(found["score"], [expected[item] for item in found["item"]], atol=1e-8)
    assert np.isfinite(found["std_error"]).all()


def test_plackett_luce_davidson_maximizes_the_likelihood_of_pairs():
    comparisons, _, _ = make_comparisons(n_items=5, n_comparisons=400, tie_probability=0.3, random_state=2)
    lists = RankedLists.from_comparisons(comparisons, tie="tie")
    one, other = (pd.Categorical(comparisons[side]).codes for side in ("winner", "loser"))
    tied = comparisons["tie"].to_numpy()

    def minus_log_likelihood(variables):
        t, nu = np.append(0.0, variables[:-1]), np.exp(variables[-1])
        a, b = np.exp(t[one]), np.exp(t[other])
        return -np.log(np.where(tied, nu * np.sqrt(a * b), a) / (a + b + nu * np.sqrt(a * b))).sum()

    best = minimize(minus_log_likelihood, np.zeros(5), method="BFGS", options={"gtol": 1e-9})
    expected = np.append(0.0, best.x[:-1])
    method = PlackettLuce(prior=0, absent="ignore", ties="davidson", std_errors="model")
    found = method.fit_transform(lists).sort_values("item")
    np.testing.assert_allclose(found["score"], expected - expected.mean(), atol=1e-5)
    info = method.fit(lists).query_info_
    assert info["tie_prevalence"][0] == pytest.approx(np.exp(best.x[-1]), abs=1e-5)
    assert info["log_likelihood"][0] == pytest.approx(-best.fun, abs=1e-8)
    step = 1e-3 * np.eye(5)
    curves = [
        [
            sum(s * r * minus_log_likelihood(best.x + s * one + r * other_one) for s in (1, -1) for r in (1, -1)) / 4e-6
            for one in step
        ]
        for other_one in step
    ]
    centre = np.eye(5) - 1 / 5
    covariance = np.zeros((5, 5))
    covariance[1:, 1:] = np.linalg.inv(curves)[:-1, :-1]
    np.testing.assert_allclose(found["std_error"], np.sqrt(np.diag(centre @ covariance @ centre)), rtol=1e-4)
    voters = PlackettLuce(prior=0, absent="ignore", ties="davidson", std_errors="voters").fit_transform(lists)
    np.testing.assert_allclose(voters["std_error"], method.fit_transform(lists)["std_error"], rtol=0.2)


def test_plackett_luce_davidson_equals_the_plain_model_without_ties():
    frame = full_lists(12, 6, length=4, seed=5)
    for absent in ("last", "ignore"):
        plain = PlackettLuce(absent=absent, std_errors="model").fit_transform(frame)
        davidson = PlackettLuce(absent=absent, ties="davidson", std_errors="model").fit_transform(frame)
        pd.testing.assert_frame_equal(davidson, plain, check_exact=False, atol=1e-7)
    assert PlackettLuce(ties="davidson").fit(frame).query_info_["tie_prevalence"].tolist() == [0.0]


def test_plackett_luce_davidson_prior_includes_ties():
    frame = example_lists(4, n_queries=2, n_voters=5, n_items=6)
    lists = RankedLists.from_frame(frame)
    method = PlackettLuce(ties="davidson", prior=0.7)
    stages = TiedStages(lists, "last")
    variables = stages.start(np.random.default_rng(0).normal(size=lists.n_candidates))

    def prior(at):
        return log_prior(stages, 0.7, *np.split(at, [lists.n_candidates]))

    terms, slopes, tie_slopes = prior(variables)
    t, d = variables[: lists.n_candidates], stages.prevalence(variables)[lists.candidate_query, 1]
    np.testing.assert_allclose(terms, 0.7 * t - 1.4 * np.log(1 + np.exp(t) + d * np.exp(t / 2)))
    step = 1e-6 * np.eye(len(variables))
    numeric = [(prior(variables + one)[0].sum() - prior(variables - one)[0].sum()) / 2e-6 for one in step]
    np.testing.assert_allclose(np.concatenate([slopes, tie_slopes]), numeric, atol=1e-8)
    score = method.fit_transform(lists)["score"]
    assert np.isfinite(score).all()
    weight = lists.list_weight * 2
    np.testing.assert_allclose(
        method._repeat(lists)(weight), method._aggregate(lists.with_list_weight(weight)).score, atol=1e-8
    )


def test_plackett_luce_davidson_ignores_ties_in_lists_of_weight_0():
    frame = pd.DataFrame(
        {
            "query": "q",
            "voter": ["u", "u", "u", "v", "v", "v", "w", "w", "w"],
            "item": list("abcbacabc"),
            "rank": [1, 2, 3, 1, 1, 3, 1, 1, 1],
        }
    )
    method = PlackettLuce(ties="davidson")
    silenced = method.fit_transform(frame.assign(weight=[1.0] * 6 + [0.0] * 3))
    without = method.fit_transform(frame[:6])
    pd.testing.assert_frame_equal(silenced, without, check_exact=False, atol=1e-9)
    # Nor do they where they are drawn away, as those of a tie size that only they have.
    lists = RankedLists.from_frame(frame)
    again = method._repeat(lists)(np.array([1.0, 1.0, 0.0]))
    np.testing.assert_allclose(again, without.sort_values("item")["score"], atol=1e-9)


def test_plackett_luce_repeat_rejects_weights_without_a_maximum():
    lists = RankedLists.from_lists({"u": ["a", "b"], "v": ["b", "a"]})
    again = PlackettLuce(prior=0, absent="ignore")._repeat(lists)
    np.testing.assert_allclose(again(np.array([3.0, 1.0])), [np.log(3) / 2, -np.log(3) / 2], atol=1e-9)
    with pytest.raises(InputError, match="in some list, or through a chain of lists"):
        again(np.array([1.0, 0.0]))


def test_plackett_luce_error_memory_covers_the_matrices():
    lists = RankedLists.from_frame(example_lists(1, n_queries=2, n_voters=7, n_items=9))
    n, n_lists = lists.query_n_items, np.diff(lists.list_ptr)
    stated = {kind: PlackettLuce(std_errors=kind)._error_memory(lists) for kind in ("model", "voters")}
    assert (stated["model"] >= 8 * n**2).all()
    # And the derivatives of each list.
    assert (stated["voters"] - stated["model"] >= 8 * n * n_lists).all()


def test_plackett_luce_davidson_rejects_too_many_tied_items():
    frame = pd.DataFrame({"query": "q", "voter": "v", "item": range(25), "rank": 1})
    with pytest.raises(InputError, match="allows at most 20 tied items in a list; got 25"):
        PlackettLuce(ties="davidson").fit(frame)


def cox(frame, absent, ties):
    """Fit Cox's partial likelihood with a stratum for each list and the rank as time."""
    regression = pytest.importorskip("statsmodels.duration.hazard_regression", reason="statsmodels is not installed")
    items = sorted(frame["item"].unique())
    rows = []
    for voter, own in frame.groupby("voter"):
        rows += [(voter, item, rank, 1) for item, rank in zip(own["item"], own["rank"], strict=True)]
        if absent == "last":
            rows += [(voter, item, len(items) + 1, 0) for item in items if item not in set(own["item"])]
    data = pd.DataFrame(rows, columns=["voter", "item", "time", "status"])
    design = (data["item"].to_numpy()[:, None] == np.array(items[1:])).astype(float)
    model = regression.PHReg(data["time"], design, status=data["status"], strata=data["voter"], ties=ties)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result = model.fit(method="newton", maxiter=100, tol=1e-14, disp=False)
    return np.concatenate([[0.0], result.params]), result.cov_params()


@pytest.mark.sampled(1)
@pytest.mark.parametrize("kind", ["partial", "top", "efron", "breslow"])
def test_plackett_luce_equals_coxs_model_of_statsmodels(kind):
    absent = "last" if kind == "top" else "ignore"
    ties = kind if kind in ("efron", "breslow") else "efron"
    frame = {
        "partial": lambda: partial_lists(40, 8),
        "top": lambda: full_lists(40, 9, length=4),
        "efron": lambda: full_lists(40, 8, n_levels=5),
        "breslow": lambda: full_lists(40, 8, n_levels=5),
    }[kind]()
    expected, covariance = cox(frame, absent, ties)
    method = PlackettLuce(prior=0, absent=absent, ties=ties, std_errors="model", tol=1e-11)
    found = method.fit_transform(frame.assign(query="q")).sort_values("item")
    tolerance = 1e-8 if ties == "efron" and kind != "efron" else 1e-6
    np.testing.assert_allclose(found["score"] - found["score"].iloc[0], expected, atol=tolerance)
    # Contrasts to the mean instead of the first item.
    n = len(expected)
    whole = np.zeros((n, n))
    whole[1:, 1:] = covariance
    centre = np.eye(n) - 1 / n
    np.testing.assert_allclose(
        found["std_error"], np.sqrt(np.diag(centre @ whole @ centre)), atol=tolerance, rtol=10 * tolerance
    )
    assert found["score"].sum() == pytest.approx(0.0, abs=1e-9)


def test_plackett_luce_equals_choix():
    choix = pytest.importorskip("choix", reason="choix is not installed")
    frame = full_lists(60, 7)
    orders = [tuple(own.sort_values("rank")["item"]) for _, own in frame.groupby("voter")]
    expected = choix.ilsr_rankings(7, orders, alpha=0.0, max_iter=1000, tol=1e-12)
    found = PlackettLuce(prior=0, absent="ignore", tol=1e-11).fit_transform(frame).sort_values("item")["score"]
    np.testing.assert_allclose(found, expected - expected.mean(), atol=1e-8)


def test_plackett_luce_reproduces_the_toy_example_of_the_r_package():
    duels = ["AB", "CA", "AD", "BA", "BC"]
    frame = pd.DataFrame(
        [("q", voter, item, rank) for voter, duel in enumerate(duels) for rank, item in enumerate(duel, 1)],
        columns=["query", "voter", "item", "rank"],
    )
    score = PlackettLuce(prior=0.5, absent="ignore", tol=1e-10).fit_transform(frame).set_index("item")["score"]
    relative = score - score["A"]
    # Published in the Overview of the R package PlackettLuce, with half a pseudo-ranking.
    np.testing.assert_allclose(relative[["B", "C", "D"]], [0.5184185, 0.1354707, -1.1537565], atol=1e-7)


def test_plackett_luce_reproduces_nascar_coefficients_and_errors(shared_data):
    races = pd.read_csv(shared_data / "plackettluce" / "nascar.csv")
    frame = races.rename(columns={"race": "voter", "driver": "item", "place": "rank"}).assign(query="2002")
    lists = RankedLists.from_frame(frame)
    score = PlackettLuce(absent="ignore", tol=1e-10)._aggregate(lists).score
    inverse, _ = invert_information(next(Stages(lists, "ignore", "efron").information(score)))
    place = {item: k for k, item in enumerate(lists.items[lists.candidate_item])}
    expected = pd.read_csv(shared_data / "plackettluce" / "expected.csv")
    drivers = expected[expected["what"].str.match(r"driver \d+$")]
    assert len(drivers) == 4
    for row in drivers.itertuples():
        one, first = place[int(row.what.split()[1])], place[1]
        assert score[one] - score[first] == pytest.approx(float(row.value), abs=1e-6)
        error = np.sqrt(inverse[one, one] + inverse[first, first] - 2 * inverse[one, first])
        assert error == pytest.approx(float(row.standard_error), abs=2e-6)
    (best,) = expected.loc[expected["what"].str.startswith("best three"), "value"]
    others = frame[~frame["item"].isin([84, 85, 86, 87])]
    without = PlackettLuce(prior=0, absent="ignore").fit_transform(others).set_index("item")["score"]
    means = others.groupby("item")["rank"].mean().sort_values().index[:3]
    np.testing.assert_allclose(without[means] - without[1], [float(one) for one in best.split()], atol=0.005)
    with pytest.raises(InputError, match="no list ranks 84, 85, 86, 87 above items of other groups"):
        PlackettLuce(prior=0, absent="ignore").fit(frame)


def test_plackett_luce_treats_integer_weights_as_copies():
    frame = full_lists(6, 5, seed=3)
    weight = {0: 3, 1: 1, 2: 2, 3: 1, 4: 0, 5: 1}
    copies = pd.concat(
        [frame[frame["voter"] == v].assign(voter=10 * v + k) for v, n in weight.items() for k in range(n)]
    )
    for std_errors in ("model", "voters"):
        method = PlackettLuce(std_errors=std_errors, tol=1e-11)
        found = method.fit_transform(frame.assign(weight=frame["voter"].map(weight)))
        pd.testing.assert_frame_equal(found, method.fit_transform(copies), check_exact=False, atol=1e-8)


def test_plackett_luce_interprets_weights_of_each_query_independently():
    whole = full_lists(6, 5, seed=3)
    whole["weight"] = whole["voter"].map({0: 3.0, 1: 1, 2: 2, 3: 1, 4: 5, 5: 1})
    halves = full_lists(6, 5, seed=4).assign(query=1, weight=0.5)
    for votes in (None, True, False):
        method = PlackettLuce(std_errors="voters", votes=votes)
        among = method.fit_transform(pd.concat([whole, halves]))
        for query, alone in enumerate((whole, halves)):
            found = among[among["query"] == query].reset_index(drop=True)
            pd.testing.assert_frame_equal(found, method.fit_transform(alone))


@pytest.mark.parametrize("pairs", [False, True])
def test_plackett_luce_votes_controls_whether_weights_are_copies(pairs):
    weight = {0: 2.5, 1: 1.0, 2: 0.5, 3: 4.0, 4: 1.5, 5: 1.0}
    if pairs:
        rng = np.random.default_rng(5)
        items = np.array([rng.choice(5, 2, replace=False) for _ in range(60)])
        frame = pd.DataFrame({"query": 0, "voter": np.repeat(np.arange(60), 2), "item": items.ravel()})
        frame["rank"] = [1, 2] * 60
    else:
        frame = full_lists(6, 5, seed=3)
    frame["weight"] = (frame["voter"] % 6).map(weight)
    parameters = {"prior": 0, "absent": "ignore", "std_errors": "voters", "tol": 1e-11}

    def errors(frame, **others):
        return PlackettLuce(**parameters, **others).fit_transform(frame).set_index("item")["std_error"].sort_index()

    # Twice the lists are whole copies, and half of the variance.
    copies = pd.concat([frame[2 * frame["weight"] > k].assign(voter=frame["voter"] + 100 * k) for k in range(8)])
    expected = errors(copies.drop(columns="weight")) * 2**0.5
    np.testing.assert_allclose(errors(frame, votes=True), expected, rtol=1e-8)
    # A factor is the same for all numbers of one unit.
    factors = errors(frame, votes=False)
    np.testing.assert_allclose(errors(frame.assign(weight=2 * frame["weight"]), votes=False), factors, rtol=1e-8)
    assert (factors / expected - 1).abs().max() > 0.1
    with pytest.warns(
        UserWarning,
        match=r"In 1 of 1 queries \(the first is 0\), some weights are integers above 1.*\. votes=None treats",
    ):
        np.testing.assert_array_equal(errors(frame), factors)
    whole = frame.assign(weight=2 * frame["weight"])
    np.testing.assert_array_equal(errors(whole), errors(whole, votes=True))


def test_plackett_luce_rejects_standard_errors_of_a_single_group():
    frame = full_lists(6, 4, n_queries=2).assign(panel="one")
    frame.loc[(frame["query"] == frame["query"].iloc[0]) & (frame["voter"] % 2 == 0), "panel"] = "other"
    lists = RankedLists.from_frame(frame, groups=["panel"])
    with pytest.raises(InputError, match="std_errors='panel' needs at least two groups in each query; query 1 has 1"):
        PlackettLuce(std_errors="panel").fit_transform(lists)
    first = lists.take([0])
    assert np.isfinite(PlackettLuce(std_errors="panel").fit_transform(first)["std_error"]).all()


def test_tied_stages_skip_blocks_of_lists_with_weight_0(monkeypatch):
    monkeypatch.setattr(_tied_stages, "_CELLS", 1)  # each list is a block of its own
    lists = RankedLists.from_ballots(["a = b > c", "b > a > c", "a > c = b"])
    some = RankedLists.from_ballots(["a = b > c", "a > c = b"])
    stages, fewer = TiedStages(lists.with_list_weight(np.array([1.0, 0.0, 2.0])), "last"), TiedStages(some, "last")
    assert len(stages.blocks) == 3
    fewer = fewer.with_list_weight(np.array([1.0, 2.0]))
    variables = fewer.start(np.array([0.3, -0.1, 0.5]))
    for one, other in zip(stages.value_and_gradient(variables), fewer.value_and_gradient(variables), strict=True):
        np.testing.assert_array_equal(one, other)


def test_plackett_luce_warns_about_a_fractional_weight_among_votes():
    rng = np.random.default_rng(0)
    games = pd.DataFrame([(i, j) for i in range(6) for j in range(i)], columns=["winner", "loser"])
    games = pd.concat([games, games.rename(columns={"winner": "loser", "loser": "winner"})], ignore_index=True)
    games["weight"] = rng.integers(100, 300, len(games)).astype(float)
    duels = RankedLists.from_comparisons(games).with_list_weight(games["weight"].to_numpy())
    method = PlackettLuce(absent="ignore", std_errors="voters")
    expected = method.fit_transform(duels)["std_error"]
    one = duels.with_list_weight(duels.list_weight + np.where(np.arange(duels.n_lists) == 0, 0.5, 0.0))
    found = PlackettLuce(absent="ignore", std_errors="voters", votes=True).fit_transform(one)["std_error"]
    np.testing.assert_allclose(found, expected, rtol=0.01)
    with pytest.warns(UserWarning, match="Give votes=True if the weights are numbers of lists, otherwise votes=False"):
        assert (method.fit_transform(one)["std_error"] / expected).min() > 5


def test_plackett_luce_is_the_same_for_merged_comparisons(monkeypatch):
    rng = np.random.default_rng(0)
    pairs = np.array([rng.choice(6, 2, replace=False) for _ in range(200)])
    frame = pd.DataFrame(
        {"query": "q", "voter": np.repeat(np.arange(200), 2), "item": pairs.ravel(), "rank": [1, 2] * 200}
    )
    frame.loc[frame["voter"] % 9 == 0, "rank"] = 1
    frame["weight"] = 1.0 + frame["voter"] % 3
    method = PlackettLuce(absent="ignore", std_errors="voters", tol=1e-11)
    merged = method.fit_transform(frame)
    lists = method._prepare(RankedLists.from_frame(frame))
    again = method._repeat(lists)(2 * lists.list_weight)
    monkeypatch.setattr("skrankagg.aggregators._models._plackett_luce.merge_equal_pairs", lambda lists: (lists, None))
    pd.testing.assert_frame_equal(merged, method.fit_transform(frame), check_exact=False, atol=1e-8)
    np.testing.assert_allclose(again, method._repeat(lists)(2 * lists.list_weight), atol=1e-8)


@pytest.mark.parametrize("n_queries", [1, 3])
def test_plackett_luce_repeat_many_equals_repeat_for_pairs(n_queries):
    rng = np.random.default_rng(1)
    pairs = np.array([rng.choice(7, 2, replace=False) for _ in range(90)])
    frame = pd.DataFrame({"voter": np.repeat(np.arange(90), 2), "item": pairs.ravel(), "rank": [1, 2] * 90})
    frame.loc[frame["voter"] % 5 == 0, "rank"] = 1
    lists = RankedLists.from_frame(frame.assign(query=frame["voter"] % n_queries))
    method = PlackettLuce(absent="ignore")
    weights = rng.integers(0, 4, (lists.n_lists, 6)).astype(float)
    found, one = method._repeat_many(lists)(weights), method._repeat(lists)
    assert found.shape == (lists.n_candidates, 6)
    for score, weight in zip(found.T, weights.T, strict=True):
        np.testing.assert_allclose(score, one(weight), atol=1e-10)


def test_plackett_luce_repeat_many_equals_repeat_for_queries_of_two_kinds():
    lists = [
        RankedLists.from_ballots(ballots, query=query).to_frame()
        for query, ballots in (
            ("pairs", ["a > b", "b > c", "a > c", "c > a"]),
            ("lists", ["a > b > c", "b > a > c"]),
            ("more pairs", ["x > y", "y > x", "y = x"]),
        )
    ]
    lists = RankedLists.from_frame(pd.concat(lists, ignore_index=True))
    method = PlackettLuce(absent="ignore")
    weights = np.random.default_rng(2).integers(0, 4, (lists.n_lists, 5)).astype(float)
    found, one = method._repeat_many(lists)(weights), method._repeat(lists)
    assert found.shape == (lists.n_candidates, 5)
    for score, weight in zip(found.T, weights.T, strict=True):
        np.testing.assert_allclose(score, one(weight), atol=1e-9)


def test_plackett_luce_treats_queries_independently():
    frame = full_lists(12, 6, n_queries=4, seed=2)
    together = PlackettLuce(std_errors="model", tol=1e-10).fit_transform(frame)
    alone = [PlackettLuce(std_errors="model", tol=1e-10).fit_transform(one) for _, one in frame.groupby("query")]
    pd.testing.assert_frame_equal(together, pd.concat(alone, ignore_index=True), check_exact=False, atol=1e-7)


@pytest.mark.filterwarnings("ignore::skrankagg.exceptions.NotComparedWarning")
def test_plackett_luce_worths_are_shares_and_errors_may_be_infinite():
    frame = pd.DataFrame(
        [("q", v, item, rank) for v, duel in enumerate(["ab", "ba", "cd", "dc"]) for rank, item in enumerate(duel, 1)],
        columns=["query", "voter", "item", "rank"],
    )
    found = PlackettLuce(absent="ignore", std_errors="model").fit_transform(frame)
    np.testing.assert_allclose(found["worth"], 0.25)
    assert np.isinf(found["std_error"]).all()  # nothing compares a and b with c and d
    assert (found["score"] == found["score"].iloc[0]).all()


@pytest.mark.exhaustive
def test_plackett_luce_recovers_worths_with_nominal_coverage():
    rng = np.random.default_rng(0)
    worth = np.linspace(1.5, -1.5, 8)
    order = np.argsort(-(worth + rng.gumbel(size=(300, 40, 8))), axis=2)
    query, voter, place = (index.ravel() for index in np.indices(order.shape))
    frame = pd.DataFrame({"query": query, "voter": voter, "item": order.ravel(), "rank": place + 1})
    for kind in ("model", "voters"):
        found = PlackettLuce(prior=0, std_errors=kind).fit_transform(frame)
        apart = (found["score"] - worth[found["item"]]) / found["std_error"]
        assert abs(apart.mean()) < 0.02
        assert (apart.abs() < 1.96).mean() == pytest.approx(0.95, abs=0.02)
    assert (found.groupby("item")["score"].mean() - worth).abs().max() < 0.1


def test_plackett_luce_warns_if_max_iter_is_reached():
    with pytest.warns(ConvergenceWarning, match="Raise max_iter, tol or prior"):
        method = PlackettLuce(max_iter=2).fit(full_lists(20, 8))
    assert not method.query_info_["converged"].any()


def test_plackett_luce_handles_one_item_or_one_list():
    one = pd.DataFrame({"query": "q", "voter": ["u", "v"], "item": ["a", "a"], "rank": 1})
    assert PlackettLuce().fit_transform(one)["score"].tolist() == [0.0]
    single = PlackettLuce().fit_transform(full_lists(1, 5))
    assert single["score"].is_monotonic_decreasing and np.isfinite(single["score"]).all()


def test_plackett_luce_orders_full_lists_like_borda():
    frame = full_lists(400, 6, seed=8)
    assert PlackettLuce().fit_transform(frame)["item"].tolist() == BordaCount().fit_transform(frame)["item"].tolist()


@pytest.mark.filterwarnings("ignore::skrankagg.exceptions.NotComparedWarning")
@pytest.mark.parametrize("ties", ["average", "efron", "breslow"])
@pytest.mark.parametrize("absent", ["last", "ignore"])
def test_plackett_luce_queries_do_not_depend_on_each_other(ties, absent, monkeypatch):
    monkeypatch.setattr(_many_minima, "_MANY", 0)
    frame = example_lists(0, n_queries=12, n_voters=5, n_items=8)
    method = PlackettLuce(ties=ties, absent=absent)
    together = method.fit_transform(frame)
    info = method.query_info_.set_index("query")
    for query, own in frame.groupby("query"):
        alone = method.fit_transform(own)
        both = together[together["query"] == query]
        np.testing.assert_allclose(both["score"], alone["score"], rtol=1e-10, atol=1e-12)
        assert both["item"].tolist() == alone["item"].tolist()
    assert info["converged"].all()


@pytest.mark.filterwarnings("ignore::skrankagg.exceptions.NotComparedWarning")
@pytest.mark.parametrize("absent", ["last", "ignore", "auto"])
def test_plackett_luce_kernel_of_small_queries_finds_the_maximum(absent, monkeypatch):
    monkeypatch.setattr(_list_fits, "_HAS_KERNEL", True)
    for seed, prior in enumerate((0.5, 0.5, 0.01, 3.0)):
        frame = pd.concat(
            [partial_lists(3 + q, 3 + 2 * q, seed=10 * seed + q).assign(query=q) for q in range(6)]
            + [full_lists(4, 5, seed=seed).assign(query=6, rank=lambda one: one["rank"] // 2)]  # with ties
        )
        lists = RankedLists.from_frame(frame.assign(weight=frame["voter"] % 3 + seed / 2))
        method = PlackettLuce(absent=absent, prior=prior)
        found = method.fit_transform(lists)
        n_iter = method.query_info_["n_iter"]
        assert method.query_info_["converged"].all()
        for q in range(7):
            # The gradient of the posterior is 0 at the maximum.
            one = lists.take([q])
            log_worth = found[found["query"] == q].set_index("item")["score"].loc[one.items[one.candidate_item]]
            stages = method._plain_stages(one)
            slope = stages.value_and_gradient(log_worth.to_numpy())[1] + prior * np.tanh(-log_worth / 2)
            assert np.abs(slope).max() < 1e-9
        with monkeypatch.context() as patch:
            patch.setattr(_list_fits, "_MOST_ITEMS", 0)
            expected = method.fit_transform(lists)
        np.testing.assert_array_equal(found["item"], expected["item"])
        np.testing.assert_allclose(found["score"], expected["score"], rtol=1e-9, atol=1e-10)
        assert (n_iter[:6] < 20).all()


def test_plackett_luce_kernel_of_small_queries_handles_no_prior_and_few_iterations(monkeypatch):
    monkeypatch.setattr(_list_fits, "_HAS_KERNEL", True)
    frame = pd.concat([full_lists(40, 4 + q, seed=q).assign(query=q) for q in range(4)])
    method = PlackettLuce(prior=0.0)
    found = method.fit_transform(frame)
    assert method.query_info_["n_iter"].max() < 20
    with monkeypatch.context() as patch:
        patch.setattr(_list_fits, "_MOST_ITEMS", 0)
        expected = method.fit_transform(frame)
    np.testing.assert_allclose(found["score"], expected["score"], rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(found.groupby("query")["score"].mean(), 0.0, atol=1e-12)
    with pytest.warns(ConvergenceWarning, match="did not converge in 2 iterations for 4 of 4 queries"):
        PlackettLuce(max_iter=2).fit_transform(frame)
