"""rank_stability and preference_probabilities, compared with aggregating each draw separately."""

import warnings
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from joblib import parallel_config

from skrankagg import (
    DIBRA,
    Agglomerative,
    BordaCount,
    CombSUM,
    Copeland,
    Kemeny,
    LearnedWeights,
    RankedLists,
    RankStatistic,
    ReciprocalRankFusion,
)
from skrankagg._arrays._replicate_ranks import places_of_replicates
from skrankagg.base import BaseAggregator
from skrankagg.exceptions import FewListsWarning, InputError, InputTypeError, MemoryLimitError
from skrankagg.inspection import preference_probabilities, rank_confidence, rank_stability
from skrankagg.inspection._resampling import Resampling
from skrankagg.utils.estimator_checks import example_lists

pytestmark = [
    pytest.mark.twice,
    *(
        pytest.mark.filterwarnings(f"ignore::skrankagg.exceptions.{name}Warning")
        for name in ("FewLists", "Exposure", "UnequalLength")  # of lists that draws leave
    ),
    pytest.mark.filterwarnings("ignore:.*votes=None treats none of these weights"),
]

METHODS = [BordaCount(), CombSUM(norm="z-score"), ReciprocalRankFusion(k=5), Copeland(), Kemeny(), DIBRA(Copeland())]
EVERYTHING = {"n_resamples": 40, "confidence": 0.9, "unit": "list", "random_state": 3, "n_jobs": None}


def lists(n_queries=3, n_voters=7, **options):
    return example_lists(5, n_queries=n_queries, n_voters=n_voters, n_items=9, **options)


@given(seed=st.integers(0, 10**6), n_ties=st.integers(1, 4))
@settings(max_examples=60, deadline=None)
def test_places_of_replicates_treats_columns_independently(seed, n_ties):
    rng = np.random.default_rng(seed)
    ptr = np.cumsum([0, *rng.integers(1, 8, 3)])
    score = rng.integers(0, 8, (ptr[-1], 6)) // n_ties * (1 + 1e-14 * rng.integers(-9, 9, (ptr[-1], 6)))
    score[rng.random(score.shape) < 0.05] = -np.inf
    first, last = places_of_replicates(ptr, score)
    for start, stop in pairwise(ptr):
        for r in range(6):
            own = pd.Series(np.where(np.isinf(score[start:stop, r]), -99.0, np.round(score[start:stop, r], 6)))
            np.testing.assert_array_equal(first[start:stop, r], own.rank(ascending=False, method="min"))
            np.testing.assert_array_equal(last[start:stop, r], own.rank(ascending=False, method="max"))


def test_places_of_replicates_is_the_same_in_blocks(monkeypatch):
    from skrankagg._arrays import _replicate_ranks

    rng = np.random.default_rng(0)
    score = rng.integers(0, 30, (50, 20)).astype(float)
    score[:, :3] = rng.permutation(50)[:, None]
    ptr = np.array([0, 20, 50])
    whole = places_of_replicates(ptr, score)
    monkeypatch.setattr(_replicate_ranks, "_CELLS", 40)
    for part, expected in zip(places_of_replicates(ptr, score), whole, strict=True):
        np.testing.assert_array_equal(part, expected)


@pytest.mark.filterwarnings("ignore::skrankagg.exceptions.PartialListsWarning")
@pytest.mark.sampled(1)
@pytest.mark.parametrize("method", METHODS, ids=repr)
def test_rank_stability_equals_aggregating_each_draw(method):
    frame = lists()
    found = rank_stability(method, frame, places=[2], **EVERYTHING)
    encoded = RankedLists.from_frame(frame)
    resampling = Resampling(method, encoded, **EVERYTHING)
    weights = resampling.draws.weights(0, 3).dense()
    consensus = method.fit_transform(frame)
    pd.testing.assert_frame_equal(
        found[["query", "item", "score", "rank"]], consensus[["query", "item", "score", "rank"]]
    )
    places = {key: [] for key in zip(found["query"], found["item"], strict=True)}
    for weight in weights.T:
        # A draw is passed to the method as weights of the lists.
        again = method.fit_transform(encoded.with_list_weight(weight))
        for query, own in again.groupby("query"):
            value = np.round(own["score"], 9)
            first, last = (value.rank(ascending=False, method=how) for how in ("min", "max"))
            for item, *place in zip(own["item"], first, last, strict=True):
                places[query, item].append(place)
    for row, (first, last) in zip(found.itertuples(), (zip(*one, strict=True) for one in places.values()), strict=True):
        first, last = np.array(first), np.array(last)
        assert row.rank_low == np.sort(first)[1] and row.rank_high == np.sort(last)[37]
        assert row.rank_mean == pytest.approx((first + last).mean() / 2)
        assert row.top_2 == pytest.approx(np.clip((3 - first) / (last - first + 1), 0, 1).mean())
        assert row.n_resamples == 40


def test_rank_stability_neighbours_and_groups_match_preference_probabilities():
    frame = lists(1, n_voters=9)
    options = {"n_resamples": 60, "random_state": 1}
    found = rank_stability(BordaCount(), frame, confidence=0.8, **options)
    shares = preference_probabilities(BordaCount(), frame, **options)
    assert shares.index.tolist() == shares.columns.tolist() == found["item"].tolist()
    np.testing.assert_allclose(shares + shares.T, 1.0)
    above = np.diagonal(shares, 1)
    np.testing.assert_allclose(found["above_next"], [*above, np.nan])
    np.testing.assert_array_equal(found["tied_group"], [1, *(1 + np.cumsum(above >= 0.8))])


def test_rank_stability_draws_are_independent_of_other_queries():
    frame = lists(4)
    alone = frame[frame["query"] == "q2"]
    whole = rank_stability(BordaCount(), frame, n_resamples=50)
    part = rank_stability(BordaCount(), alone, n_resamples=50)
    pd.testing.assert_frame_equal(whole[whole["query"] == "q2"].reset_index(drop=True), part)


@pytest.mark.parametrize("method", [Copeland(), BordaCount()], ids=repr)
@pytest.mark.parametrize("cells", [300, 40])  # some queries, and some replicates of one query
def test_rank_stability_is_independent_of_blocks_of_queries(method, cells, monkeypatch):
    from skrankagg.inspection import _resampling

    whole = rank_stability(method, lists(6), n_resamples=30)
    monkeypatch.setattr(_resampling, "_CELLS", cells)
    pd.testing.assert_frame_equal(rank_stability(method, lists(6), n_resamples=30), whole)


@pytest.mark.exhaustive
def test_rank_stability_is_independent_of_n_jobs():
    options = {"n_resamples": 20, "random_state": 2}
    pd.testing.assert_frame_equal(
        rank_stability(Kemeny(), lists(2), n_jobs=2, **options), rank_stability(Kemeny(), lists(2), **options)
    )


def test_rank_stability_is_the_same_in_threads():
    options = {"n_resamples": 21, "random_state": 2}
    with parallel_config("threading"):
        found = rank_stability(BordaCount(), lists(2), n_jobs=2, **options)
    pd.testing.assert_frame_equal(found, rank_stability(BordaCount(), lists(2), **options))


def test_rank_stability_treats_integer_weights_as_ballots():
    ballots = [("a", "b", "c")] * 6 + [("b", "a", "c")] * 5 + [("c", "b", "a")] * 2
    frame = pd.DataFrame(
        [("q", f"v{k:02}", item, place) for k, ballot in enumerate(ballots) for place, item in enumerate(ballot, 1)],
        columns=["query", "voter", "item", "rank"],
    )
    few = frame[frame["voter"].isin(["v00", "v06", "v11"])]
    few = few.assign(weight=few["voter"].map({"v00": 6, "v06": 5, "v11": 2}))
    options = {"n_resamples": 20_000, "places": [1]}
    many, deduplicated = (rank_stability(BordaCount(), one, **options) for one in (frame, few))
    for name in ("rank_mean", "score_se", "top_1", "above_next"):
        np.testing.assert_allclose(many[name], deduplicated[name], rtol=0.03, atol=0.01)
    assert many["rank_low"].tolist() == deduplicated["rank_low"].tolist()


def test_resampling_multiplies_draws_by_voter_weights():
    frame = lists(1)
    weights = {f"v{k}": 1.0 + k for k in range(7)}
    resampling = Resampling(BordaCount(voter_weights=weights), frame, **EVERYTHING)
    plain = Resampling(BordaCount(), frame, **EVERYTHING)
    given = np.array([weights[voter] for voter in resampling.lists.voters.take(resampling.lists.list_voter)])
    found, counts = (one.draws.weights(0, 1).dense() for one in (resampling, plain))
    np.testing.assert_array_equal((found / given[:, None]) % 1, 0)
    n_lists = resampling.lists.n_lists
    assert ((found / given[:, None]).sum(axis=0) == n_lists).all() and (counts.sum(axis=0) == n_lists).all()


def test_resampling_handles_lists_of_weight_0_and_fractional_weights():
    frame = lists(1).assign(weight=0.5)
    silenced = frame["voter"].unique()[2]
    frame.loc[frame["voter"] == silenced, "weight"] = 0.0
    resampling = Resampling(BordaCount(), frame, **EVERYTHING)
    weights = resampling.draws.weights(0, 1).dense()
    one = resampling.lists.voters.take(resampling.lists.list_voter) == silenced
    assert (weights[one] == 0).all() and (weights.sum(axis=0) == 0.5 * (frame["voter"].nunique() - 1)).all()


def test_resampling_by_voter_draws_all_lists_of_a_voter_together():
    resampling = Resampling(BordaCount(), lists(), **EVERYTHING | {"unit": "voter"})
    weights = resampling.draws.weights(0, 3).dense()
    of_voter = pd.DataFrame(weights).groupby(resampling.lists.list_voter).nunique()
    assert (of_voter == 1).all(axis=None)
    assert rank_stability(BordaCount(), lists(), unit="voter", n_resamples=30)["n_resamples"].eq(30).all()


def test_rank_stability_by_query_pools_the_lists_into_one_board():
    frame = lists(8)
    board = rank_stability(BordaCount(), frame, unit="query", n_resamples=50)
    pooled = frame.assign(query="all", voter=frame["query"] + frame["voter"])
    expected = BordaCount().fit_transform(pooled)
    assert board["query"].eq("all").all() and board["item"].tolist() == expected["item"].tolist()
    np.testing.assert_allclose(board["score"], expected["score"])
    resampling = Resampling(BordaCount(), frame, **EVERYTHING | {"unit": "query"})
    weights = resampling.draws.weights(0, 1).dense()
    query = RankedLists.from_frame(frame).list_query
    assert (pd.DataFrame(weights).groupby(query).nunique() == 1).all(axis=None)
    assert preference_probabilities(BordaCount(), frame, unit="query", n_resamples=9).shape == (len(board),) * 2


class Fragile(BaseAggregator):
    """Borda points that fail if the first list is not drawn."""

    def _aggregate(self, lists):
        if lists.list_weight[0] == 0:
            raise ValueError("the first list is missing")
        return BordaCount()._aggregate(lists)


def test_rank_stability_excludes_and_counts_failing_draws():
    frame = lists(1)
    found = rank_stability(Fragile(), frame, n_resamples=80)
    resampling = Resampling(BordaCount(), frame, **EVERYTHING | {"n_resamples": 80, "random_state": 0})
    weights = resampling.draws.weights(0, 1).dense()
    assert found["n_resamples"].unique() == (weights[0] > 0).sum() and (weights[0] == 0).any()
    whole = rank_stability(BordaCount(), frame, n_resamples=80)
    assert (found["score_se"] < 2 * whole["score_se"]).all()


def test_rank_stability_keeps_a_draw_in_the_queries_where_it_succeeds():
    class FragileOfOne(BordaCount):
        def _repeat_many(self, lists):
            weigh, mine = super()._repeat_many(lists), lists.list_query == np.flatnonzero(lists.queries == "q1").sum()

            def score(weights):
                if "q1" in lists.queries and (weights[mine][:1] == 0).any():
                    raise ValueError("the first list is missing")
                return weigh(weights)

            return score

    frame = lists()
    found = rank_stability(FragileOfOne(), frame, n_resamples=30)
    alone = rank_stability(BordaCount(), frame, n_resamples=30)
    fragile = frame["query"] == "q1"
    expected = rank_stability(FragileOfOne(), frame[fragile], n_resamples=30)
    assert 0 < expected["n_resamples"].iloc[0] < 30
    for query, one in (("q0", alone), ("q1", expected), ("q2", alone)):
        pd.testing.assert_frame_equal(
            *(each[each["query"] == query].reset_index(drop=True) for each in (found, one)), check_exact=True
        )


def test_rank_stability_of_a_large_query_is_independent_of_small_ones(monkeypatch):
    from skrankagg.inspection import _resampling

    monkeypatch.setattr(_resampling, "_CELLS", 100)
    frame = pd.concat([example_lists(1, n_queries=1, n_items=3, full=True), lists(1).assign(query="q1")])
    frame = pd.concat([frame, frame.replace({"q0": "q2", "q1": "q3"})])
    method = CombSUM(norm="z-score")
    among = rank_stability(method, frame, n_resamples=30)
    for query, own in frame.groupby("query"):
        found = among[among["query"] == query].reset_index(drop=True)
        pd.testing.assert_frame_equal(found, rank_stability(method, own, n_resamples=30), check_exact=True)


def weighted_queries():
    """Return queries whose weights are equal, numbers of votes, factors, or both."""
    frame = example_lists(2, n_queries=4, n_voters=12, n_items=6, full=True)
    voter = frame["voter"].str[1:].astype(int)
    weights = {"q0": 1.0 + 0 * voter, "q1": 3.0 + 0 * voter, "q2": 0.5 + voter % 2, "q3": 1.0 + voter / 2}
    return frame.assign(weight=np.select([frame["query"] == query for query in weights], list(weights.values())))


@pytest.mark.parametrize("votes", [None, False])
@pytest.mark.parametrize("function", [rank_stability, rank_confidence])
def test_resampling_functions_are_independent_of_weights_of_other_queries(function, votes):
    frame = weighted_queries()
    among = function(BordaCount(), frame, n_resamples=60, votes=votes)
    for query, own in frame.groupby("query"):
        found = among[among["query"] == query].reset_index(drop=True)
        pd.testing.assert_frame_equal(found, function(BordaCount(), own, n_resamples=60, votes=votes), check_exact=True)


def test_votes_controls_whether_weights_are_numbers_of_lists():
    frame = weighted_queries()
    threes, halves = (frame[frame["query"] == query] for query in ("q1", "q2"))
    method, draws = BordaCount(), {"n_resamples": 400}

    def errors(frame, **options):
        return rank_stability(method, frame, **draws, **options).set_index("item")["score_se"].sort_index()

    # 36 ballots or 12 lists of weight 3, which vary by the root of 3 more.
    copies = pd.concat([threes.assign(voter=threes["voter"] + f"-{k}", weight=1.0) for k in range(3)])
    np.testing.assert_allclose(errors(threes), errors(copies), rtol=0.2)
    np.testing.assert_array_equal(errors(threes, votes=True), errors(threes))
    np.testing.assert_allclose(errors(threes, votes=False), 3 * errors(threes.assign(weight=1.0)), rtol=0.2)
    np.testing.assert_allclose(errors(threes, votes=False) / errors(threes), 3**0.5, rtol=0.2)
    np.testing.assert_array_equal(errors(halves, votes=False), errors(halves))
    for function in (rank_stability, rank_confidence, preference_probabilities):
        with pytest.raises(InputError, match=r"query 'q2' has such weights\. Give integer weights"):
            function(method, halves, votes=True)
        with pytest.raises(InputError, match="`votes` must be True, False or None; got 1"):
            function(method, threes, votes=1)
        with pytest.raises(InputError, match="must be False or None if unit='voter'; got True"):
            function(method, threes, votes=True, unit="voter")


def test_rank_stability_warns_about_mixed_votes_and_factors():
    frame = weighted_queries()
    with pytest.warns(
        UserWarning, match="In 1 of 4 queries .the first is 'q3.., some weights are integers above 1.*Pass votes=False"
    ):
        rank_stability(BordaCount(), frame, n_resamples=5)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        rank_stability(BordaCount(), frame, n_resamples=5, votes=False)
        rank_stability(BordaCount(), frame[frame["query"] != "q3"], n_resamples=5)


def test_rank_stability_raises_if_every_draw_fails():
    class Broken(BaseAggregator):
        def _repeat(self, lists):
            def score(weight):
                raise ValueError("it never works")

            return score

        def _aggregate(self, lists):
            return BordaCount()._aggregate(lists)

    with pytest.raises(ValueError, match="it never works"):
        rank_stability(Broken(), lists(1), n_resamples=5)


def test_rank_stability_does_not_hide_a_lack_of_memory():
    class Hungry(BordaCount):
        def _repeat_many(self, lists):
            def score(weights):
                raise MemoryLimitError("The draws do not fit into memory.")

            return score

    with pytest.raises(MemoryLimitError, match=r"The draws do not fit into memory\."):
        rank_stability(Hungry(), lists(1), n_resamples=5)


def test_resampling_needs_a_list_of_positive_weight_in_each_query():
    frame = lists(2).assign(weight=1.0)
    frame.loc[frame["query"] == "q1", "weight"] = 0.0
    with pytest.raises(InputError, match="a list of positive weight in each query; query 'q1' has none"):
        rank_stability(BordaCount(), frame, n_resamples=5)


def test_resampling_without_a_draw_of_a_query_gives_no_places():
    # Only v0 ranks items of q1. With this seed, neither of two draws of six voters contains v0.
    frame = lists(2, 6)
    frame = frame[(frame["query"] == "q0") | (frame["voter"] == "v0")].reset_index(drop=True)
    options = {"unit": "voter", "n_resamples": 2, "random_state": 6}
    resampling = Resampling(BordaCount(), frame, **EVERYTHING | options)
    assert not resampling.draws.weights(1, 2).dense().any()
    found = rank_stability(BordaCount(), frame, **options).set_index("query")
    assert (found["n_resamples"]["q1"] == 0).all() and (found["n_resamples"]["q0"] == 2).all()
    assert found.loc["q1", ["rank_low", "rank_high", "rank_mean", "score_se"]].isna().all(axis=None)


def test_preference_probabilities_needs_a_draw_of_the_query():
    class Joint(BordaCount):
        """Borda points that are said to depend on all queries, so that all queries are drawn together."""

        _joins_queries = True

    frame = lists(2, 6)
    frame = frame[(frame["query"] == "q0") | (frame["voter"] == "v0")].reset_index(drop=True)
    options = {"unit": "voter", "n_resamples": 2}
    with pytest.raises(InputError, match="a list of positive weight in at least one draw"):
        preference_probabilities(Joint(), frame, query="q1", random_state=6, **options)
    assert len(preference_probabilities(Joint(), frame, query="q1", random_state=0, **options)) == 9


def test_rank_stability_gives_no_interval_for_one_list_and_warns_about_few():
    frame = lists(2)
    one = frame[(frame["query"] == "q0") | (frame["voter"] == "v1")]
    with pytest.warns(FewListsWarning, match="1 of 2 queries have fewer than 5 lists"):
        found = rank_stability(BordaCount(), one, n_resamples=10)
    assert found.loc[found["query"] == "q1", "rank_low"].isna().all()
    assert found.loc[found["query"] == "q0", "rank_low"].notna().all() and str(found["rank_low"].dtype) == "Int64"


@pytest.mark.parametrize(
    ("error", "message", "method", "options"),
    [
        (InputTypeError, "`aggregator` must be an aggregator", BordaCount, {}),
        (InputError, "`n_resamples` must be a whole number of at least 2; got 1", BordaCount(), {"n_resamples": 1}),
        (InputError, "`confidence` must be between 0 and 1, both excluded; got 95", BordaCount(), {"confidence": 95}),
        (InputError, "`unit` must be one of 'list', 'voter', 'query'; got 'lists'", BordaCount(), {"unit": "lists"}),
        (InputError, "`places` must be a whole number of at least 1; got 0", BordaCount(), {"places": [0]}),
        (InputError, "must accept weights of lists, because each draw.*got Agglomerative", Agglomerative(), {}),
    ],
)
def test_rank_stability_rejects_invalid_arguments_with_advice(error, message, method, options):
    with pytest.raises(error, match=message):
        rank_stability(method, lists(), **options)


def test_preference_probabilities_needs_one_query():
    with pytest.raises(InputError, match="`query` must be the id of one of the 3 queries"):
        preference_probabilities(BordaCount(), lists())
    with pytest.raises(InputError, match=r"must be None if unit=.query., which pools the lists"):
        preference_probabilities(BordaCount(), lists(), "q1", unit="query")


def test_rank_stability_uses_fitted_methods_without_refitting():
    frame = lists()
    with pytest.raises(Exception, match="not fitted"):
        rank_stability(LearnedWeights(), frame)
    method = DIBRA(weighting="global").fit(frame)
    assert len(rank_stability(method, frame, n_resamples=5)) == len(method.transform(frame))
    with pytest.raises(InputError, match="got 'query', which replaces the voters"):
        rank_stability(method, frame, unit="query")


def test_rank_stability_handles_infinite_scores():
    found = rank_stability(RankStatistic(), lists(1), n_resamples=10)
    assert found["rank_mean"].between(1, 9).all()


@pytest.mark.parametrize("unit", ["voter", "judge"])
def test_rank_stability_counts_the_units_of_each_query(unit):
    frame = pd.DataFrame(
        [
            (query, f"v{voter}", item, (rank + voter) % 3, f"j{voter}")
            for query, n_voters in (("many", 20), ("one", 1))
            for voter in range(n_voters)
            for rank, item in enumerate("abc")
        ],
        columns=["query", "voter", "item", "rank", "judge"],
    )
    lists = RankedLists.from_frame(frame, groups=["judge"])
    with pytest.warns(FewListsWarning, match="1 of 2 queries have fewer than 5"):
        found = rank_stability(BordaCount(), lists, unit=unit, n_resamples=50)
    assert found["rank_low"].isna().tolist() == (found["query"] == "one").tolist()
