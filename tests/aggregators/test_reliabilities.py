"""PlackettLuce with voter reliabilities: its posterior by definition, and recovery of reliabilities."""

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import minimize
from scipy.stats import kendalltau
from sklearn import clone
from sklearn.exceptions import ConvergenceWarning, NotFittedError

from skrankagg import PlackettLuce, RankedLists
from skrankagg.aggregators._models import _reliabilities
from skrankagg.aggregators._models._reliabilities import VoterPosterior
from skrankagg.aggregators._models._reliable_stages import ReliableStages
from skrankagg.datasets import make_comparisons, make_plackett_luce
from skrankagg.exceptions import InputError
from skrankagg.utils.estimator_checks import check_aggregator, example_lists

pytestmark = pytest.mark.twice


def choices_of(lists, absent):
    """Yield query, voter, weight and choices (chosen, left, share of the class taken) of each list."""
    for k in range(lists.n_lists):
        rows = slice(lists.row_ptr[k], lists.row_ptr[k + 1])
        held, rank, q = lists.candidate[rows].tolist(), lists.rank[rows], lists.list_query[k]
        rest = sorted(set(range(*lists.candidate_ptr[q : q + 2])) - set(held)) if absent == "last" else []
        steps = []
        for place in np.unique(rank):
            tied = [item for item, its in zip(held, rank, strict=True) if its == place]
            left = [item for item, its in zip(held, rank, strict=True) if its >= place] + rest
            steps += [(item, left, tied, r / len(tied)) for r, item in enumerate(tied)]
        yield q, lists.list_voter[k], lists.list_weight[k], steps


def likelihood_written_out(steps, log_worth):
    """Compute the log-likelihood of one list, with ties by Efron's rule."""
    total = 0.0
    for item, left, tied, taken in steps:
        total += log_worth[item] - np.log(np.exp(log_worth[left]).sum() - taken * np.exp(log_worth[tied]).sum())
    return total


def variances_written_out(steps, log_worth):
    """Compute minus the second derivative of one list's log-likelihood by each log-worth."""
    step = 1e-4 * np.eye(len(log_worth))
    at = likelihood_written_out(steps, log_worth)
    return np.array(
        [
            (2 * at - likelihood_written_out(steps, log_worth + one) - likelihood_written_out(steps, log_worth - one))
            / 1e-8
            for one in step
        ]
    )


@pytest.mark.sampled(1)
@pytest.mark.parametrize("absent", ["last", "ignore"])
@pytest.mark.parametrize("weighting", ["query", "global"])
def test_plackett_luce_reliabilities_are_a_fixed_point_of_em(absent, weighting):
    lists = RankedLists.from_frame(example_lists(3, n_queries=2, n_voters=4, n_items=5))
    lists = lists.with_list_weight(np.random.default_rng(0).choice([0.5, 1.0, 2.0], lists.n_lists))
    prior, shape = 0.3, 4.0
    model = PlackettLuce(prior=prior, absent=absent, ties="efron", weighting=weighting, reliability_prior=shape).fit(
        lists
    )
    score = model._aggregate(lists).score
    reliability = model.query_voter_weights_["weight"].to_numpy()
    steps = list(choices_of(lists, absent))
    curvature = prior / 2 / np.cosh(score / 2) ** 2
    variances = [variances_written_out(steps[k][-1], eta * score) for k, eta in enumerate(reliability)]
    for eta, of_list, (_, _, weight, _) in zip(reliability, variances, steps, strict=True):
        curvature += weight * eta**2 * of_list
    if weighting == "query":
        voter, query, size = np.arange(lists.n_lists), lists.list_query, lists.list_weight
    else:
        voter, query = lists.list_voter, np.zeros(lists.n_voters, dtype=int)
        size = np.bincount(voter, weights=lists.list_weight) / np.bincount(voter)

    def reliabilities(log_reliability):
        plain = size * np.exp(log_reliability)
        return np.exp(log_reliability) / (np.bincount(query, plain) / np.bincount(query, size))[query]

    def minus(variables):
        t, eta = variables[: len(score)], reliabilities(variables[len(score) :])
        total = (prior * t - 2 * prior * np.log1p(np.exp(t))).sum() + shape * (size * np.log(eta)).sum()
        for k, (_, _, weight, choices) in enumerate(steps):
            own = eta[voter[k]]
            spread = (variances[k] / curvature).sum()
            total += weight * (likelihood_written_out(choices, own * t) - own**2 * spread / 2)
        return -total

    found = minimize(minus, np.zeros(len(score) + len(size)), method="BFGS", options={"gtol": 1e-7})
    np.testing.assert_allclose(score, found.x[: len(score)], atol=2e-5)
    np.testing.assert_allclose(reliability, reliabilities(found.x[len(score) :])[voter], atol=2e-5)
    if weighting == "global":
        assert model.voter_weights_["voter"].tolist() == lists.voters.tolist()
        np.testing.assert_array_equal(model.voter_weights_["weight"].to_numpy()[voter], reliability)


@pytest.mark.exhaustive
def test_plackett_luce_reliabilities_maximize_the_marginal_likelihood():
    # The marginal likelihood over all worths of three items, which the algorithm approximates.
    true = [2.0, 2.0, 2.0, 0.0, 0.0, 0.0]
    frame = make_plackett_luce(n_queries=12, n_items=3, reliability=true, random_state=0)
    lists = RankedLists.from_frame(frame)
    learnt = PlackettLuce(weighting="global").fit(lists).voter_weights_["weight"].to_numpy()
    axis = np.linspace(-9, 9, 19)
    worths = np.stack(np.meshgrid(axis, axis, axis, indexing="ij"), axis=-1).reshape(-1, 3)
    log_prior = (0.5 * worths - np.log1p(np.exp(worths))).sum(axis=1)
    order = lists.candidate.reshape(-1, 3) - 3 * lists.list_query[:, None]

    def minus(log_reliability):
        eta = np.exp(log_reliability) / np.exp(log_reliability).mean()
        total = 10 * np.log(eta).sum()
        for q in range(lists.n_queries):
            of_worths = log_prior.copy()
            for k in np.flatnonzero(lists.list_query == q):
                t = eta[lists.list_voter[k]] * worths[:, order[k]]
                of_worths += t[:, 0] - np.logaddexp.reduce(t, axis=1) + t[:, 1] - np.logaddexp(t[:, 1], t[:, 2])
            total += np.logaddexp.reduce(of_worths)
        return -total

    exact = np.exp(minimize(minus, np.zeros(6), method="BFGS").x)
    exact /= exact.mean()
    assert (learnt[:3, None] > learnt[3:]).all() and (exact[:3, None] > exact[3:]).all()
    np.testing.assert_allclose(learnt, exact, atol=0.35)


@pytest.mark.exhaustive
def test_plackett_luce_reliabilities_do_not_favour_one_voter_in_many_queries():
    taus = {"plain": [], "global": []}
    for seed in range(4):
        frame, worth = make_plackett_luce(
            n_queries=25, n_items=10, reliability=[1.0] * 5 + [0.0] * 5, return_worth=True, random_state=seed
        )
        model = PlackettLuce(weighting="global").fit(frame)
        weight = model.voter_weights_["weight"].to_numpy()
        assert weight[:5].max() < 1.6 * weight[:5].min() and weight[5:].max() < weight[:5].min() / 2
        for name, method in (("plain", PlackettLuce()), ("global", model)):
            both = method.fit_transform(frame).merge(worth.rename(columns={"worth": "true"}), on=["query", "item"])
            taus[name] += [kendalltau(one["score"], one["true"])[0] for _, one in both.groupby("query")]
    assert np.mean(taus["global"]) > np.mean(taus["plain"]) + 0.08


@pytest.mark.parametrize("ties", ["efron", "davidson"])
@pytest.mark.parametrize("absent", ["last", "ignore"])
@pytest.mark.parametrize("of_query", [True, False])
def test_reliable_stages_derivatives_equal_finite_differences(ties, absent, of_query):
    lists = RankedLists.from_frame(example_lists(5, n_queries=2, n_voters=5, n_items=5))
    voter = np.arange(lists.n_lists) % 3
    stages = ReliableStages(lists, voter, PlackettLuce(ties=ties, absent=absent)._plain_stages, absent)
    stages.known(np.array([0.5, 1.0, 2.0])[voter])
    at = stages.start(np.random.default_rng(1).normal(size=lists.n_candidates))
    assert len(at) == len(stages.n_choices()) == lists.n_candidates + len(stages.extra_query())

    def numeric(function, at):
        step = 1e-6 * np.eye(len(at))
        return [(function(at + one)[0].sum() - function(at - one)[0].sum()) / 2e-6 for one in step]

    gradient = stages.value_and_gradient(at)[1]
    np.testing.assert_allclose(gradient, numeric(stages.value_and_gradient, at), atol=1e-7)
    size = np.random.default_rng(3).choice([0.0, 1.0, 2.0], lists.n_lists)
    voters = VoterPosterior(stages, 3.0, size, of_query=of_query)
    voters.update_spread(at, np.ones(lists.n_candidates), np.ones(voters.n_groups, dtype=bool))
    assert voters.spread.max() > 0
    log_reliability = np.random.default_rng(2).normal(size=len(voters.group)) / 2

    def expected(log_reliability):
        return voters.value_and_gradient(at, log_reliability)

    np.testing.assert_allclose(expected(log_reliability)[1], numeric(expected, log_reliability), atol=1e-7)


@pytest.mark.parametrize("ties", ["efron", "davidson"])
@pytest.mark.parametrize("absent", ["last", "ignore"])
def test_reliable_stages_information_equals_finite_differences(ties, absent):
    lists = RankedLists.from_frame(example_lists(5, n_queries=2, n_voters=5, n_items=5))
    reliability = np.exp(np.random.default_rng(0).normal(size=lists.n_lists) / 2)
    make = PlackettLuce(ties=ties, absent=absent)._plain_stages
    stages = ReliableStages(lists, np.arange(lists.n_lists), make, absent).known(reliability)
    at = stages.start(np.random.default_rng(1).normal(size=lists.n_candidates))
    gradient = stages.value_and_gradient(at)[1]
    own = np.concatenate([lists.candidate_query, stages.extra_query()])
    counted = np.concatenate([np.ones(lists.n_candidates, dtype=bool), stages.seen.ravel()])
    step = 1e-6 * np.eye(len(at))
    for q, (information, scores) in enumerate(zip(stages.information(at), stages.by_list(at), strict=True)):
        mine = np.flatnonzero((own == q) & counted)
        numeric = [
            (stages.value_and_gradient(at - step[k])[1] - stages.value_and_gradient(at + step[k])[1])[mine] / 2e-6
            for k in mine
        ]
        np.testing.assert_allclose(information, numeric, atol=1e-6)
        np.testing.assert_allclose(scores.sum(axis=0), gradient[mine], atol=1e-10)


def test_reliable_stages_derivatives_with_few_sizes_of_ties():
    ballots = ["abcd", "abc", "bcde", "def", "acdf", "cef"]
    lists = RankedLists.from_ballots([[list(ballot)] for ballot in ballots])
    voter = np.arange(lists.n_lists) % 3
    stages = ReliableStages(lists, voter, PlackettLuce(ties="davidson")._plain_stages, "last")
    stages.known(np.array([0.5, 1.0, 2.0])[voter])
    at, n = stages.start(np.random.default_rng(1).normal(size=lists.n_candidates)), lists.n_candidates
    # Sets of three are the unit, and sets of four have a prevalence.
    assert stages.seen.tolist() == [[False, True, True]] and stages.free.tolist() == [[False, False, True]]
    counted = np.concatenate([np.ones(n, dtype=bool), stages.free[0]])
    step = 1e-6 * np.eye(len(at))[counted]
    gradient = stages.value_and_gradient(at)[1]
    numeric = [
        (stages.value_and_gradient(at + one)[0].sum() - stages.value_and_gradient(at - one)[0].sum()) / 2e-6
        for one in step
    ]
    np.testing.assert_allclose(gradient[counted], numeric, atol=1e-7)
    assert (gradient[~counted] == 0).all()
    information, scores = next(stages.information(at)), next(stages.by_list(at))
    numeric = [
        (stages.value_and_gradient(at - one)[1] - stages.value_and_gradient(at + one)[1])[counted] / 2e-6
        for one in step
    ]
    np.testing.assert_allclose(information, numeric, atol=1e-6)
    np.testing.assert_allclose(scores.sum(axis=0), gradient[counted], atol=1e-10)
    factor, more = np.array([0.7, 1.1, 1.5]), 1e-6 * np.eye(3)
    _, slope = stages.by_reliability(at, factor)
    numeric = [
        (stages.by_reliability(at, factor + one)[0].sum() - stages.by_reliability(at, factor - one)[0].sum()) / 2e-6
        for one in more
    ]
    np.testing.assert_allclose(slope, numeric, atol=1e-7)


def test_plackett_luce_with_equal_reliabilities_equals_the_plain_model():
    lists = RankedLists.from_frame(example_lists(2, n_queries=2, n_voters=5, n_items=6))
    plain = PlackettLuce(std_errors="voters")
    one = plain._aggregate_weighted(lists, np.ones(lists.n_lists), None)
    other = plain._aggregate_weighted(lists, None, None)
    np.testing.assert_allclose(one.score, other.score, atol=1e-9)
    np.testing.assert_allclose(one.columns["std_error"], other.columns["std_error"], atol=1e-8)
    firm = PlackettLuce(weighting="query", reliability_prior=1e6).fit_transform(lists)
    np.testing.assert_allclose(firm["score"], PlackettLuce().fit_transform(lists)["score"], atol=1e-4)


@pytest.mark.exhaustive
def test_plackett_luce_reliabilities_identify_voters_and_improve_the_order():
    plain, weighed, found = [], [], []
    for seed in range(10):
        reliability = np.array([1.5] * 6 + [0.0] * 6)
        frame, worth = make_plackett_luce(
            n_queries=4, n_items=12, reliability=reliability, return_worth=True, random_state=seed
        )
        model = PlackettLuce(weighting="global").fit(frame)
        weight = model.voter_weights_["weight"].to_numpy()
        found.append(np.mean(weight[:6, None] > weight[6:]))
        for method, taus in ((PlackettLuce(), plain), (model, weighed)):
            both = method.fit_transform(frame).merge(worth.rename(columns={"worth": "true"}), on=["query", "item"])
            taus.append(np.mean([kendalltau(one["score"], one["true"])[0] for _, one in both.groupby("query")]))
    assert np.mean(found) > 0.99
    assert np.mean(weighed) > np.mean(plain) + 0.05


def test_plackett_luce_estimates_one_reliability_per_judge():
    games, _, judges = make_comparisons(10, 2000, reliability=[2.0, 1.0, 0.5, 0.0], tie_probability=0.2, random_state=0)
    lists = RankedLists.from_comparisons(games, tie="tie", voter="judge")
    model = PlackettLuce(weighting="global", reliability_of="judge").fit(lists)
    learnt = model.voter_weights_.set_index("voter")["weight"]
    assert learnt.index.tolist() == judges["judge"].tolist() and learnt.is_monotonic_decreasing
    of_lists = model.query_voter_weights_
    assert of_lists["weight"].tolist() == learnt[of_lists["voter"]].tolist()
    # A comparison that fit has not seen, of a judge that it has, and of another judge.
    known = clone(model).set_params(unknown_voter="error").fit(lists)
    one = pd.DataFrame({"winner": ["x"], "loser": ["y"], "judge": ["v1"]})
    assert known._weigh(RankedLists.from_comparisons(one, voter="judge"))[1].tolist() == [learnt["v1"]]
    other = RankedLists.from_comparisons(one.assign(judge="v9"), voter="judge")
    with pytest.raises(InputError, match="learned no weight for voter 'v9'"):
        known.transform(other)
    with pytest.raises(InputError, match="`reliability_of` must be the name of a grouping; got 'judge', and the lists"):
        model.transform(RankedLists.from_comparisons(one))


def test_plackett_luce_pools_the_reliabilities_of_groups_over_queries():
    frame = example_lists(1, n_queries=2, n_voters=4, n_items=5)
    group = {voter: k // 2 for k, voter in enumerate(sorted(frame["voter"].unique()))}
    lists = RankedLists.from_frame(frame.assign(panel=frame["voter"].map(group)), groups=["panel"])
    model = PlackettLuce(weighting="query", reliability_of="panel").fit(lists)
    by_group = model.query_voter_weights_
    assert set(by_group["voter"]) == {0, 1}
    assert (by_group.groupby(["query", "voter"])["weight"].nunique() == 1).all()
    relative = by_group["weight"] / by_group.groupby("query")["weight"].transform("mean")
    expected = relative.groupby(by_group["voter"]).mean()
    np.testing.assert_allclose(model.voter_weights_.set_index("voter")["weight"], expected, rtol=1e-12)


def test_plackett_luce_weighting_sets_tags_and_attributes():
    frame = example_lists(1, n_queries=2, n_voters=4, n_items=5)
    for weighting, learns in ((None, False), ("query", True), ("global", True)):
        model = PlackettLuce(weighting=weighting)
        tags = model.__sklearn_tags__()
        assert tags.aggregator_tags.learns_weights == learns
        assert tags.requires_fit == (weighting == "global")
        model.fit(frame)
        assert hasattr(model, "voter_weights_") == learns
        assert hasattr(model, "query_voter_weights_") == learns
    with pytest.raises(NotFittedError):
        PlackettLuce(weighting="global").transform(frame)


def test_plackett_luce_weighting_query_treats_queries_independently():
    frame = example_lists(6, n_queries=3, n_voters=5, n_items=6)
    model = PlackettLuce(weighting="query", absent="ignore")
    together = model.fit_transform(frame)
    alone = pd.concat([model.fit_transform(one) for _, one in frame.groupby("query")], ignore_index=True)
    np.testing.assert_allclose(together["score"], alone["score"], atol=1e-8)


def test_plackett_luce_estimates_reliabilities_with_davidson_ties():
    games, _, _ = make_comparisons(6, 800, reliability=[1.5, 0.2], tie_probability=0.3, random_state=1)
    duels = RankedLists.from_comparisons(games, tie="tie", voter="judge")
    model = PlackettLuce(ties="davidson", weighting="query", reliability_of="judge", std_errors="model").fit(duels)
    weight = model.voter_weights_["weight"]
    assert weight.max() > 3 * weight.min()
    assert model.query_info_["converged"].all() and 0.3 < model.query_info_["tie_prevalence"].iloc[0] < 3
    assert np.isfinite(model.transform(duels)["std_error"]).all()


@pytest.mark.parametrize("weighting", ["query", "global"])
def test_plackett_luce_warns_if_reliabilities_need_more_rounds(weighting, monkeypatch):
    frame = example_lists(3, n_queries=2, n_voters=5, n_items=6)
    PlackettLuce(weighting=weighting).fit(frame)  # without a warning
    monkeypatch.setattr(_reliabilities, "_MAX_ROUNDS", 1)
    with pytest.warns(ConvergenceWarning, match="for 2 of 2 queries"):
        method = PlackettLuce(weighting=weighting).fit(frame)
    means = method.query_voter_weights_.groupby("query")["weight"].mean()
    np.testing.assert_allclose(means, 1.0) if weighting == "query" else None


def test_plackett_luce_repeat_relearns_or_keeps_reliabilities():
    lists = RankedLists.from_frame(example_lists(4, n_queries=2, n_voters=5, n_items=6))
    weight = lists.list_weight * np.random.default_rng(0).integers(0, 3, lists.n_lists)
    model = PlackettLuce(weighting="query")
    again = model.fit(lists)._repeat(lists)(weight)
    np.testing.assert_allclose(again, model._aggregate(lists.with_list_weight(weight)).score, atol=1e-9)
    model = PlackettLuce(weighting="global").fit(lists)
    learnt = model.voter_weights_.copy()
    again = model._repeat(lists)(weight)
    pd.testing.assert_frame_equal(model.voter_weights_, learnt)
    known = learnt["weight"].to_numpy()[lists.list_voter]
    expected = model._aggregate_weighted(lists.with_list_weight(weight), known, None).score
    np.testing.assert_allclose(again, expected, atol=1e-9)


@pytest.mark.exhaustive
@pytest.mark.parametrize("weighting", ["query", "global"])
def test_plackett_luce_with_reliabilities_passes_all_checks(weighting):
    check_aggregator(PlackettLuce(weighting=weighting, reliability_prior=100.0))  # which takes fewer rounds
