"""VoterKFold and cross_val_likelihood, compared with loops over the lists."""

import numpy as np
import pandas as pd
import pytest
from pandas.testing import assert_frame_equal
from sklearn.model_selection import GridSearchCV, KFold, cross_val_score

from skrankagg import BordaCount, PlackettLuce, RankedLists, ReciprocalRankFusion
from skrankagg.aggregators._models._stages import Stages
from skrankagg.datasets import make_comparisons, make_plackett_luce
from skrankagg.exceptions import InputError
from skrankagg.model_selection import VoterKFold, cross_val_consensus, cross_val_likelihood

pytestmark = pytest.mark.twice

LISTS = RankedLists.from_frame(
    make_plackett_luce(n_queries=4, n_voters=13, n_items=9, tie_probability=0.2, random_state=0)
)


def folds(lists, n_splits=5, **options):
    return list(VoterKFold(n_splits, **options).split(lists))


# ---------------------------------------------------------------------- the folds


@pytest.mark.parametrize("options", [{}, {"shuffle": True, "random_state": 3}])
def test_voter_k_fold_tests_every_list_once(options):
    found = folds(LISTS, **options)
    assert len(found) == VoterKFold(5).get_n_splits() == 5
    for train, test in found:
        assert train.shape == test.shape == (LISTS.n_lists,)
        np.testing.assert_array_equal(train + test, LISTS.list_weight)
        assert set(test) == {0.0, 1.0}
    np.testing.assert_array_equal(sum(test for _, test in found), 1.0)
    sizes = np.array([LISTS.sum_over_lists(test) for _, test in found])
    assert sizes.T.tolist() == [[3, 3, 3, 2, 2]] * 4


def test_voter_k_fold_without_shuffle_equals_k_fold():
    one = LISTS.take([0])
    for (_, test), (_, expected) in zip(folds(one), KFold(5).split(np.arange(13)), strict=True):
        assert np.flatnonzero(test).tolist() == expected.tolist()


def test_voter_k_fold_shuffles_each_query_independently_and_reproducibly():
    options = {"shuffle": True, "random_state": 7}
    whole, again, other = (folds(LISTS, shuffle=True, random_state=seed) for seed in (7, 7, 8))
    np.testing.assert_array_equal(whole, again)
    assert not np.array_equal(whole, other)
    for (_, test), (_, expected) in zip(folds(LISTS.take([2, 0]), **options), whole, strict=True):
        by_query = expected.reshape(4, 13)
        np.testing.assert_array_equal(test.reshape(2, 13), by_query[[2, 0]])
    assert not np.array_equal(*np.stack(whole)[:, 1].reshape(5, 4, 13)[:, :2].swapaxes(0, 1))
    random = np.random.RandomState(0)
    first, second = (folds(LISTS, shuffle=True, random_state=random) for _ in range(2))
    assert not np.array_equal(first, second)


def test_voter_k_fold_omits_queries_of_few_lists_from_the_last_folds():
    few = RankedLists.from_lists([["a", "b"], ["b", "a"], ["a"]])
    for options in ({}, {"shuffle": True, "random_state": 0}):
        found = folds(few, **options)
        assert [test.sum() for _, test in found] == [1, 1, 1, 0, 0]
        assert [train.sum() for train, _ in found] == [2, 2, 2, 3, 3]


def test_voter_k_fold_splits_integer_weights_but_not_fractional_ones():
    three = RankedLists.from_lists([["a", "b"], ["b", "a"], ["c", "a"]])
    found = folds(three.with_list_weight([40, 0, 3]), shuffle=True, random_state=0)
    np.testing.assert_array_equal(sum(test for _, test in found), [40, 0, 3])
    assert [test.sum() for _, test in found] == [9, 9, 9, 8, 8]
    assert all((test % 1 == 0).all() for _, test in found)
    found = folds(three.with_list_weight([4.5, 0, 2]), n_splits=2)
    assert [test.tolist() for _, test in found] == [[4.5, 0, 0], [0, 0, 2]]
    with pytest.raises(ValueError, match=r"got False and the weight 40 in query 'q'"):
        folds(three.with_list_weight([40, 0, 3]))
    with pytest.raises(ValueError, match=r"must add up to less than 1e\+09"):
        folds(three.with_list_weight([1e9, 0, 3]), shuffle=True)


def test_voter_k_fold_splits_weights_hypergeometrically():
    two = RankedLists.from_lists([["a", "b"], ["b", "a"]]).with_list_weight([30, 20])
    tested = [folds(two, shuffle=True, random_state=seed)[0][1][0] for seed in range(2000)]
    # Hypergeometric: 10 of 50, 30 of them of the first kind.
    assert np.mean(tested) == pytest.approx(6.0, abs=0.15)
    assert np.var(tested) == pytest.approx(10 * 0.6 * 0.4 * 40 / 49, rel=0.12)


def test_voter_k_fold_cannot_be_used_with_scikit_learn_functions():
    model = ReciprocalRankFusion()
    with pytest.raises(TypeError, match=r"samples of scikit-learn's functions are queries.*QueryKFold"):
        cross_val_score(model, LISTS, cv=VoterKFold(2), scoring=lambda *_: 0.0)
    with pytest.raises(TypeError, match="QueryKFold"):
        GridSearchCV(model, {"k": [1, 2]}, cv=VoterKFold(2), scoring=lambda *_: 0.0).fit(LISTS)
    with pytest.raises(ValueError, match="`cv` must give positions of queries"):
        cross_val_consensus(model, LISTS, cv=VoterKFold(2))


def test_voter_k_fold_rejects_invalid_parameters():
    for wrong in (1, 2.5):
        with pytest.raises(ValueError, match=r"n_splits|number of folds"):
            VoterKFold(wrong)
    with pytest.raises(ValueError, match="random_state"):
        VoterKFold(random_state=0)
    assert repr(VoterKFold(3)) == "VoterKFold(n_splits=3, shuffle=False, random_state=None)"


# ---------------------------------------------------------------------- the likelihood


def likelihood_of_list(places, log_worth, absent, ties):
    """Return the log-likelihood of one list, {item: place}, and the number of its choices."""
    worth = {item: np.exp(one) for item, one in log_worth.items()}
    left = dict(worth) if absent == "last" else {item: worth[item] for item in places}
    total, n_choices = 0.0, 0
    for place in sorted(set(places.values())):
        tied = [item for item in places if places[item] == place]
        for r, item in enumerate(tied):
            taken = r / len(tied) * sum(worth[one] for one in tied) if ties == "efron" else 0.0
            total += np.log(worth[item] / (sum(left.values()) - taken))
        n_choices += len(tied) - (len(left) == len(tied))
        for item in tied:
            del left[item]
    return total, n_choices


@pytest.mark.sampled(2)
@pytest.mark.filterwarnings("ignore::skrankagg.exceptions.NotComparedWarning")
@pytest.mark.parametrize("ties", ["efron", "breslow"])
@pytest.mark.parametrize("absent", ["last", "ignore"])
@pytest.mark.parametrize("cv", [VoterKFold(4), VoterKFold(3, shuffle=True, random_state=1)])
def test_cross_val_likelihood_equals_a_loop_over_the_lists(absent, ties, cv):
    frame = make_plackett_luce(n_queries=3, n_voters=6, n_items=6, tie_probability=0.3, list_length=4, random_state=1)
    frame = frame.drop(index=frame.sample(frac=0.2, random_state=0).index).reset_index(drop=True)
    model = PlackettLuce(absent=absent, ties=ties, prior=0.3)
    found = cross_val_likelihood(model, frame, cv)
    lists = RankedLists.from_frame(frame)
    rows = lists.to_frame()
    total, chance, n_choices = (dict.fromkeys(lists.queries, 0.0) for _ in range(3))
    for train, test in cv.split(frame):
        weight = train[lists.row_list]
        # Of weight 0, so that their items stay candidates.
        worth = model.fit_transform(rows.assign(weight=weight)).set_index(["query", "item"])["score"]
        for k in np.flatnonzero(test):
            own = rows[lists.row_list == k]
            query = own["query"].iloc[0]
            places = dict(zip(own["item"], own["rank"], strict=True))
            one, n = likelihood_of_list(places, worth[query].to_dict(), absent, ties)
            total[query], n_choices[query] = total[query] + one, n_choices[query] + n
            chance[query] += likelihood_of_list(places, dict.fromkeys(worth[query].index, 0.0), absent, ties)[0]
    assert found["query"].tolist() == lists.queries.tolist()
    assert found["n_lists"].tolist() == [6.0] * 3
    assert found["n_choices"].tolist() == list(n_choices.values())
    np.testing.assert_allclose(found["log_likelihood"], list(total.values()), rtol=1e-9)
    np.testing.assert_allclose(found["per_choice"], found["log_likelihood"] / found["n_choices"], rtol=1e-15)
    np.testing.assert_allclose(found["uniform"] * found["n_choices"], list(chance.values()), rtol=1e-12)


def test_cross_val_likelihood_treats_queries_independently():
    model = PlackettLuce()
    whole, some = cross_val_likelihood(model, LISTS), cross_val_likelihood(model, LISTS.take([3, 1]))
    assert_frame_equal(some, whole.iloc[[3, 1]].reset_index(drop=True), rtol=1e-9)
    assert_frame_equal(whole, cross_val_likelihood(model, LISTS.to_frame()))


def test_cross_val_likelihood_prefers_sensible_settings():
    games = make_comparisons(15, 400, spread=1.0, exposure="unequal", random_state=0).comparisons
    lists = RankedLists.from_comparisons(games)
    by_prior = {
        prior: cross_val_likelihood(PlackettLuce(prior=prior, absent="ignore"), lists).loc[0]
        for prior in (1e-6, 0.5, 1e5)
    }
    value = {prior: row["per_choice"] for prior, row in by_prior.items()}
    assert value[0.5] > value[1e-6] and value[0.5] > value[1e5] + 0.03
    # A huge prior is chance.
    assert value[1e5] == pytest.approx(-np.log(2), abs=1e-3)
    assert all(row["uniform"] == pytest.approx(-np.log(2)) for row in by_prior.values())
    assert by_prior[0.5]["n_lists"] == by_prior[0.5]["n_choices"] == 400
    # Close to the likelihood of the true worths, but not above: test lists are not used in the fit.
    noise = make_comparisons(15, 400, spread=0.0, random_state=1).comparisons
    chance = cross_val_likelihood(PlackettLuce(prior=0.01, absent="ignore"), RankedLists.from_comparisons(noise))
    assert (chance["per_choice"] < chance["uniform"]).all()


def test_cross_val_likelihood_approaches_that_of_the_true_worths():
    made = make_comparisons(10, 20_000, random_state=2)
    log_worth = np.log(made.worth.set_index("item")["worth"])
    games = made.comparisons
    gap = games["winner"].map(log_worth) - games["loser"].map(log_worth)
    truth = -np.logaddexp(0.0, -gap.to_numpy()).mean()
    found = cross_val_likelihood(PlackettLuce(absent="ignore"), RankedLists.from_comparisons(games)).loc[0]
    # Nine worths from 16,000 comparisons cost about 9 / 2 / 16,000 of each.
    assert truth - 2e-3 < found["per_choice"] < truth + 1e-4


def test_cross_val_likelihood_uses_voter_weights_in_the_fit_only():
    lists = RankedLists.from_lists([["a", "b", "c"]] * 4 + [["c", "b", "a"]])
    plain = cross_val_likelihood(PlackettLuce(), lists)
    weighed = cross_val_likelihood(PlackettLuce(voter_weights={1: 1, 2: 1, 3: 1, 4: 1, 5: 0}), lists)
    assert (plain["n_choices"] == weighed["n_choices"]).all() and (plain["uniform"] == weighed["uniform"]).all()
    assert plain.loc[0, "log_likelihood"] != weighed.loc[0, "log_likelihood"]
    silent = lists.with_list_weight([1, 1, 1, 1, 0])
    assert cross_val_likelihood(PlackettLuce(), silent).loc[0, ["n_lists", "n_choices"]].tolist() == [4, 8]


@pytest.mark.filterwarnings("ignore::skrankagg.exceptions.NotComparedWarning")
def test_cross_val_likelihood_handles_queries_without_choices_or_with_one_list():
    one = cross_val_likelihood(PlackettLuce(absent="ignore"), [["a", "b", "c"]]).loc[0]
    assert one["per_choice"] == pytest.approx(one["uniform"]) == pytest.approx(-np.log(6) / 2)
    single = cross_val_likelihood(PlackettLuce(absent="ignore"), [["a"], ["b"]]).loc[0]
    assert single["n_choices"] == 0 and single["log_likelihood"] == 0
    assert np.isnan(single["per_choice"]) and np.isnan(single["uniform"])


def test_cross_val_likelihood_rejects_undetermined_worths_and_other_methods():
    lists = RankedLists.from_lists([["a", "b"], ["b", "a"], ["a", "b"]])
    with pytest.raises(ValueError, match=r"without the lists of fold 2: With prior=0, each item must be above"):
        cross_val_likelihood(PlackettLuce(prior=0), lists, VoterKFold(3))
    with pytest.raises(
        TypeError, match=r"must be a PlackettLuce, the only method with a likelihood of lists; got BordaCount\(\)"
    ):
        cross_val_likelihood(BordaCount(), lists)
    with pytest.raises(TypeError, match="`cv` must be an int or a VoterKFold"):
        cross_val_likelihood(PlackettLuce(), lists, KFold(2))
    with pytest.raises(ValueError, match="k-fold"):
        cross_val_likelihood(PlackettLuce(), lists, 1)
    assert cross_val_likelihood(PlackettLuce(std_errors="model"), pd.DataFrame(lists.to_frame())).shape == (1, 6)


@pytest.mark.parametrize("options", [{}, {"shuffle": True, "random_state": 0}])
def test_voter_k_fold_holds_out_whole_groups(options):
    games, _, _ = make_comparisons(6, 400, n_voters=7, random_state=0)
    duels = RankedLists.from_comparisons(games, voter="judge")
    folds = list(VoterKFold(3, groups="judge", **options).split(duels))
    judge, seen = duels.groups["judge"], []
    for train, test in folds:
        np.testing.assert_array_equal(train + test, duels.list_weight)
        held_out = set(judge[test > 0])
        assert len(held_out) in (2, 3) and not held_out & set(judge[train > 0])
        seen += held_out
    assert sorted(seen) == sorted(set(judge))
    assert repr(VoterKFold(3, groups="judge")).endswith("random_state=None, groups='judge')")
    assert len(cross_val_likelihood(PlackettLuce(), duels, VoterKFold(3, groups="judge"))) == 1
    with pytest.raises(InputError, match="`groups` must be the name of a grouping; got 'prompt'"):
        list(VoterKFold(3, groups="prompt").split(duels))


def test_cross_val_likelihood_increases_with_estimated_reliabilities():
    games, _, _ = make_comparisons(10, 1500, reliability=[2.0, 1.0, 0.3, 0.0], random_state=0)
    duels = RankedLists.from_comparisons(games, voter="judge")
    plain = PlackettLuce()
    weighed = PlackettLuce(weighting="query", reliability_of="judge")
    one, other = cross_val_likelihood(plain, duels), cross_val_likelihood(weighed, duels)
    assert other["per_choice"].iloc[0] > one["per_choice"].iloc[0] + 0.02
    pd.testing.assert_series_equal(one["uniform"], other["uniform"])


@pytest.mark.exhaustive
def test_cross_val_likelihood_uses_reliabilities_from_other_queries():
    frame = make_plackett_luce(n_queries=6, n_items=10, reliability=[1.5] * 4 + [0.0] * 4, random_state=0)
    plain = cross_val_likelihood(PlackettLuce(), frame)
    everywhere = cross_val_likelihood(PlackettLuce(weighting="global"), frame)
    assert everywhere["per_choice"].mean() > plain["per_choice"].mean() + 0.02
    # By hand: the first fold of one query.
    lists = RankedLists.from_frame(frame)
    folds = VoterKFold(4)
    model = PlackettLuce(weighting="query")
    expected = np.zeros(lists.n_queries)
    for train, test in folds.split(lists):
        held_in = lists.with_list_weight(train)
        weight = model._voter_weights(held_in)
        np.testing.assert_allclose(weight[test > 0], 1.0, atol=1e-9)
        log_worth = model._aggregate_weighted(held_in, weight, None).score
        expected += Stages(lists.with_list_weight(test), "last", "efron").value_and_gradient(log_worth)[0]
    found = cross_val_likelihood(model, lists, folds)["log_likelihood"]
    np.testing.assert_allclose(found, expected, rtol=1e-9)


@pytest.mark.exhaustive
@pytest.mark.parametrize("weighting", [None, "query"])
def test_cross_val_likelihood_estimates_davidson_ties_from_training_lists(weighting):
    games, _, _ = make_comparisons(5, 300, tie_probability=0.3, reliability=[1.5, 0.5], random_state=0)
    duels = RankedLists.from_comparisons(games, tie="tie", voter="judge")
    model = PlackettLuce(ties="davidson", weighting=weighting, reliability_of="judge")
    expected, equal = 0.0, 0.0
    for train, test in VoterKFold(5, shuffle=True, random_state=0).split(duels):
        held_in = duels.with_list_weight(train)
        eta = np.ones(duels.n_lists) if weighting is None else model._voter_weights(held_in)
        found = model._aggregate_weighted(held_in, None if weighting is None else eta, None)
        d = found.queries["tie_prevalence"][0]
        for k in np.flatnonzero(test):
            one, other = (eta[k] * found.score[duels.candidate[2 * k + side]] for side in (0, 1))
            tied, nu = duels.rank[2 * k] == duels.rank[2 * k + 1], d ** eta[k]
            for gain, (a, b) in enumerate([(0.0, 0.0), (one, other)]):
                total = np.log(np.exp(a) + np.exp(b) + nu * np.exp((a + b) / 2))
                value = test[k] * ((np.log(nu) + (a + b) / 2 if tied else a) - total)
                expected, equal = expected + gain * value, equal + (1 - gain) * value
    row = cross_val_likelihood(model, duels).iloc[0]
    assert row["log_likelihood"] == pytest.approx(expected, rel=1e-9)
    assert row["uniform"] * row["n_choices"] == pytest.approx(equal, rel=1e-9)


def test_cross_val_likelihood_of_an_unseen_size_of_tie_is_minus_infinity():
    lists = [["a", "b", "c"], ["b", "a", "c"], [{"a", "b"}, "c"]]
    frame = pd.DataFrame(
        [
            ("q", f"v{k}", item, place)
            for k, one in enumerate(lists)
            for place, items in enumerate(one)
            for item in sorted(items)
        ],
        columns=["query", "voter", "item", "rank"],
    )
    found = cross_val_likelihood(PlackettLuce(ties="davidson", absent="ignore"), frame, cv=VoterKFold(3))
    assert found["log_likelihood"].tolist() == [-np.inf]


def shares():
    """Return comparisons of one query: shares, factors, and merged wins, with the number of each list's comparison."""
    rng = np.random.default_rng(5)
    rows = [("a", "b", share) for share in rng.choice([0.2, 0.7, 0.9], size=40)]
    rows += [("b", "c", word) for word in rng.choice([">>", "<<"], size=20)]
    rows += [("c", "a", word) for word in rng.choice([1, 0], size=30)]
    lists = RankedLists.from_comparisons(rows, outcomes={">>": (1, 3.0), "<<": (0, 2.0)})
    return lists, lists.list_duel


@pytest.mark.parametrize("n_splits", [2, 5])
def test_voter_k_fold_never_divides_the_lists_of_one_comparison(n_splits):
    lists, number = shares()
    assert sorted(np.unique(number, return_counts=True)[1].tolist())[:3] == [1, 1, 1] and (number == -1).sum() == 2
    tests = np.array([test for _, test in VoterKFold(n_splits, shuffle=True, random_state=0).split(lists)])
    np.testing.assert_allclose(tests.sum(axis=0), lists.list_weight, rtol=1e-15)
    for one in np.unique(number[number > 0]):
        mine = tests[:, number == one]
        # One fold tests all lists of the comparison with their full weights.
        assert (mine > 0).sum(axis=0).tolist() == [1] * mine.shape[1] and (mine > 0).any(axis=1).sum() == 1
    # The 30 merged comparisons are divided one by one, and 90 comparisons make folds of equal size.
    counted = tests[:, number == -1]
    assert (counted % 1 == 0).all() and (counted > 0).all()
    first = np.unique(number, return_index=True)[1][np.unique(number) > 0]
    sizes = (tests[:, first] > 0).sum(axis=1) + counted.sum(axis=1)
    assert sizes.tolist() == [90 / n_splits] * n_splits


def test_voter_k_fold_without_shuffle_keeps_the_lists_of_one_comparison_together():
    rows = [("a", "b", 0.7), ("c", "a", 0.2), ("b", "c", 0.9), ("a", "b", 0.6)]
    lists = RankedLists.from_comparisons(rows)
    assert lists.n_lists == 8
    folds = np.array([test > 0 for _, test in VoterKFold(2).split(lists)])
    for one in range(1, 5):
        assert (folds[:, lists.list_duel == one].sum(axis=1) == [2, 0]).all() == (one < 3)
    # A list of weight 0 does not separate the other list from its comparison.
    half = lists.with_list_weight(np.where(np.arange(8) % 2, lists.list_weight, 0.0))
    tests = np.array([test for _, test in VoterKFold(2).split(half)])
    np.testing.assert_allclose(tests.sum(axis=0), half.list_weight)


def test_cross_val_likelihood_of_shares_equals_a_loop_over_the_folds():
    lists, _ = shares()
    cv = VoterKFold(4, shuffle=True, random_state=1)
    expected = 0.0
    for train, test in cv.split(lists):
        scores = PlackettLuce().fit_transform(lists.with_list_weight(train)).set_index("item")["score"]
        for k in np.flatnonzero(test):
            upper, lower = lists.items.take(lists.candidate_item[lists.candidate[2 * k : 2 * k + 2]])
            expected -= test[k] * np.log1p(np.exp(scores[lower] - scores[upper]))
    found = cross_val_likelihood(PlackettLuce(), lists, cv)
    np.testing.assert_allclose(found["log_likelihood"], [expected])
