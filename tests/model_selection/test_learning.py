"""Judgements passed by the constructor, to fit or as y; measured queries are always held out."""

import functools
import pickle

import joblib
import numpy as np
import pandas as pd
import pytest
import sklearn
from learners import PositionGrades
from sklearn.base import clone
from sklearn.experimental import enable_halving_search_cv  # noqa: F401
from sklearn.model_selection import (
    GridSearchCV,
    HalvingGridSearchCV,
    KFold,
    RandomizedSearchCV,
    ShuffleSplit,
    cross_val_score,
    cross_validate,
    learning_curve,
    permutation_test_score,
    train_test_split,
    validation_curve,
)
from sklearn.pipeline import make_pipeline

from skrankagg import (
    DIBRA,
    BordaCount,
    CombSUM,
    Comparator,
    Copeland,
    Kemeny,
    LocalKemenization,
    Qrels,
    RankedLists,
    ReciprocalRankFusion,
    evaluate,
)
from skrankagg.aggregators import RobustRankAggregation
from skrankagg.datasets import make_ranked_lists
from skrankagg.exceptions import InputError, InputTypeError
from skrankagg.metrics import make_ranking_scorer
from skrankagg.model_selection import QueryKFold, cross_val_consensus
from skrankagg.preprocessing import AggregatorUnion, ScoreNormalizer, TopK, VoterSelector, VoterWeighter

FRAME, JUDGED, _ = make_ranked_lists(
    n_queries=13,
    n_voters=6,
    n_items=25,
    list_length=15,
    absent_share=0.1,
    quality=0.3,
    quality_spread=1.0,
    random_state=0,
)
JUDGED = JUDGED[JUDGED["query"] != "q04"].reset_index(drop=True)  # it is not judged
LISTS, QRELS = RankedLists.from_frame(FRAME), Qrels.from_frame(JUDGED)
Y = QRELS.align(LISTS)
QUERIES = LISTS.queries.tolist()
SCORER, BARE = make_ranking_scorer("ndcg@10", qrels=QRELS), make_ranking_scorer("ndcg@10")

# Each as a function of the judgements of its constructor.
LEARNERS = {
    "aggregator": lambda qrels: PositionGrades(qrels=qrels),
    "weighter": lambda qrels: make_pipeline(VoterWeighter("map", qrels=qrels), ReciprocalRankFusion(k=0)),
    "selector": lambda qrels: make_pipeline(VoterSelector("map", n_voters=3, qrels=qrels), CombSUM()),
    "two steps": lambda qrels: make_pipeline(VoterWeighter("map", qrels=qrels), PositionGrades(qrels=qrels)),
    "union": lambda qrels: make_pipeline(
        AggregatorUnion([("grades", PositionGrades(qrels=qrels)), ("copeland", Copeland())]), BordaCount()
    ),
    "search": lambda qrels: GridSearchCV(
        CombSUM(), {"norm": ["borda", "min-max"]}, scoring=make_ranking_scorer("map", qrels=qrels), cv=2
    ),
    "comparator": lambda qrels: Comparator(
        [("copeland", Copeland()), ("grades", PositionGrades())], metrics="map", qrels=qrels, cv=2
    ),
}
EACH = pytest.mark.parametrize("make", LEARNERS.values(), ids=LEARNERS.keys())


def by_hand(method, cv=3, lists=LISTS, qrels=QRELS, metric="ndcg@10"):
    """Return the score of each fold of fits on the training queries and their judgements only."""
    scores = []
    for train, test in KFold(cv).split(np.arange(lists.n_queries)):
        own = Qrels.from_frame(qrels.to_frame().query("query in @lists.queries[@train]"))
        consensus = clone(method).fit(lists[train], own.align(lists[train])).transform(lists[test])
        held_out = Qrels.from_frame(qrels.to_frame().query("query in @lists.queries[@test]"))
        scores.append(evaluate(consensus, held_out, metric, missing_queries="skip").iloc[0, 0])
    return scores


@functools.cache
def scores_by_hand(make):
    """Return the scores of a learner's three folds by `by_hand`, computed once for all tests."""
    return tuple(by_hand(make(None)))


@functools.cache
def held_out_consensus(make):
    """Return the held-out consensus of a learner with three folds, computed once for all tests."""
    return cross_val_consensus(make(None), LISTS, Y, cv=3)


@functools.cache
def consensus_of_first_queries(make):
    """Return the consensus of the last queries by a learner's fit on the first eight, computed once for all tests."""
    return make(QRELS).fit(LISTS[:8]).transform(LISTS[8:])


def close(found, expected):
    np.testing.assert_allclose(found, expected, rtol=1e-12)


# ---------------------------------------------------------------------- the container


def test_aligned_qrels_supports_array_indexing():
    assert len(Y) == 13 and Y.shape == (13,)
    assert repr(Y) == f"AlignedQrels(n_queries=13, n_judged=12, n_relevant={int((JUDGED['relevance'] > 0).sum())})"
    mask = np.arange(13) % 2 == 0
    for index in (slice(2, 5), slice(None, None, -1), mask, [4, 0, 7], np.array([12, 3]), 6, -1, np.int64(2)):
        chosen = np.atleast_1d(np.array(QUERIES, dtype=object)[index]).tolist()
        assert Y[index].queries.tolist() == chosen and Y[index, ...].queries.tolist() == chosen
        assert LISTS[index].queries.tolist() == chosen
    for wrong in (13, -14, [0, 13]):
        with pytest.raises(IndexError):
            Y[wrong]
    with pytest.raises(IndexError, match="one axis"):
        Y[0, 1]
    with pytest.raises(IndexError):
        Y[mask[:5]]
    with pytest.raises(ValueError, match=r"judgements for at least one of its 1 queries, such as 'q04'; it has none"):
        Y[3].own_qrels()


@pytest.mark.exhaustive
def test_aligned_qrels_can_be_pickled_and_sent_to_processes():
    again = pickle.loads(pickle.dumps(Y[2:9]))
    assert again.queries.tolist() == QUERIES[2:9] and repr(again) == repr(Y[2:9])
    pd.testing.assert_frame_equal(again.own_qrels().to_frame(), Y[2:9].own_qrels().to_frame())
    assert set(again.own_qrels().queries) == set(QUERIES[2:9]) - {"q04"}
    method = LEARNERS["weighter"](None)
    with joblib.parallel_config("loky"):
        found = cross_val_score(method, LISTS, Y, scoring=BARE, cv=3, n_jobs=2, error_score="raise")
    close(found, by_hand(method))


def test_align_and_fit_reject_lists_that_do_not_match():
    with pytest.raises(InputTypeError, match=r"`lists` must be RankedLists.*got DataFrame\. Encode it first"):
        QRELS.align(FRAME)
    for call in (
        lambda: GridSearchCV(CombSUM(), {"norm": ["rank"]}, scoring=BARE).fit(LISTS, Y[:5]),
        lambda: cross_val_score(CombSUM(), LISTS, Y[:5], scoring=BARE),
        lambda: GridSearchCV(CombSUM(), {"norm": ["rank"]}, scoring=BARE).fit(FRAME, Y),  # its samples are rows
    ):
        with pytest.raises(ValueError, match="inconsistent numbers of samples"):
            call()
    with pytest.raises(InputError, match=r"a sample for each of the 13 queries; it has 5"):
        cross_val_consensus(PositionGrades(), LISTS, Y[:5])
    for y in (JUDGED, np.zeros(13)):
        with pytest.raises(InputTypeError, match=r"`y` must be a Qrels.*or the result of qrels\.align\(lists\)"):
            PositionGrades().fit(LISTS, y)


def test_permutation_test_score_rejects_aligned_qrels_as_y():
    # With aligned ids nothing is permuted; the test would silently compare fewer and fewer queries.
    words = (
        r"is only in y\. permutation_test_score.*Pass y=lists\.queries there, and qrels=\.\.\. to the scorer and "
        "to each method that learns"
    )
    for method in (CombSUM(), PositionGrades()):
        with pytest.raises(InputError, match=words):
            permutation_test_score(method, LISTS, Y, scoring=BARE, cv=2, n_permutations=2, random_state=0)


@pytest.mark.sampled(1)
@EACH
def test_permutation_test_score_permutes_training_judgements(make):
    method, queries = make(QRELS), np.asarray(LISTS.queries)
    score, permuted, _ = permutation_test_score(
        method, LISTS, LISTS.queries, scoring=SCORER, cv=3, n_permutations=2, random_state=0
    )
    assert score == pytest.approx(np.mean(scores_by_hand(make)), rel=1e-12)
    rng = np.random.RandomState(0)
    for found in permuted:
        # The judgements of a query under the id of the query that receives them, and no others.
        given = dict(zip(queries[rng.permutation(len(queries))], queries, strict=True))
        other = Qrels.from_frame(JUDGED.assign(query=JUDGED["query"].map(given)))
        assert found == pytest.approx(np.mean(by_hand(make(None), qrels=other)), rel=1e-12)
    assert permuted.max() < score


@EACH
def test_fit_rejects_class_labels_as_y(make):
    labels = np.arange(13) % 2
    for y, words in (
        (labels, r"which are strings, such as 'q01'; got 0\. If"),
        (["q01"] * 13, r"got 'q01' for \d"),
    ):
        if isinstance(make(None), GridSearchCV):
            continue  # its scorer refuses them, fold by fold
        with pytest.raises(InputError, match=words):
            make(QRELS).fit(LISTS, y)
        with pytest.raises(InputTypeError, match=r"`y` must be a Qrels.*If `y` has ids of queries, also pass qrels="):
            make(None).fit(LISTS, y)
    with pytest.raises(InputError, match="the samples of a frame are its rows"):
        PositionGrades(qrels=QRELS).fit(FRAME, FRAME["query"])


# ---------------------------------------------------------------------- every way to give judgements, every tool


@pytest.mark.sampled(2)
@EACH
def test_fit_gives_equal_results_for_qrels_by_constructor_argument_or_y(make):
    expected = make(QRELS).fit(LISTS).transform(LISTS)
    given = [((Y,), {}), ((Y[::-1],), {})]
    if "search" not in str(type(make(None))).lower():  # a search splits its y
        given.append(((QRELS,), {}))
    else:
        given.pop()  # and takes it for in the order of the samples
    for args, params in given:
        pd.testing.assert_frame_equal(make(None).fit(LISTS, *args, **params).transform(LISTS), expected)
    if not hasattr(make(None), "steps") and not hasattr(make(None), "param_grid"):
        pd.testing.assert_frame_equal(make(None).fit(LISTS, qrels=QRELS).transform(LISTS), expected)


@pytest.mark.sampled(1)
@EACH
@pytest.mark.parametrize("cv", [3, KFold(3, shuffle=True, random_state=0)], ids=["folds", "shuffled"])
def test_cross_val_score_trains_on_judgements_of_training_queries(make, cv):
    expected = cross_val_score(make(QRELS), LISTS, scoring=SCORER, cv=cv, error_score="raise")
    found = cross_val_score(make(None), LISTS, Y, scoring=BARE, cv=cv, error_score="raise")
    np.testing.assert_array_equal(found, expected)
    if cv == 3:
        close(found, scores_by_hand(make))
    both = cross_validate(make(None), LISTS, Y, scoring=make_ranking_scorer(["ndcg@10", "map"]), cv=cv)
    np.testing.assert_array_equal(both["test_ndcg@10"], expected)


@pytest.mark.sampled(1)
@EACH
def test_cross_val_score_of_frames_uses_qrels_of_the_constructor(make):
    if make in (LEARNERS["search"], LEARNERS["comparator"]):
        method = make(QRELS).set_params(cv=QueryKFold(2))
    else:
        method = make(QRELS)
    found = cross_val_score(method, FRAME, scoring=SCORER, cv=QueryKFold(3), error_score="raise")
    close(found, scores_by_hand(make))


GRIDS = {
    "aggregator": {"smoothing": [0.1, 1.0, 10.0]},
    "weighter": {"voterweighter__power": [0.5, 1, 3]},
    "selector": {"voterselector__n_voters": [1, 3, 5]},
}
SEARCHED = pytest.mark.parametrize("name", GRIDS)


@pytest.mark.sampled(1)
@SEARCHED
@pytest.mark.parametrize("n_jobs", [None, 2])
def test_grid_search_trains_on_judgements_of_training_queries(name, n_jobs):
    make, grid = LEARNERS[name], GRIDS[name]
    by_y = GridSearchCV(make(None), grid, scoring=BARE, cv=3, n_jobs=n_jobs, error_score="raise").fit(LISTS, Y)
    ((parameter, values),) = grid.items()
    expected = [np.mean(by_hand(make(None).set_params(**{parameter: value}))) for value in values]
    close(by_y.cv_results_["mean_test_score"], expected)
    for X, cv in ((LISTS, 3), (FRAME, QueryKFold(3))):
        given = GridSearchCV(make(QRELS), grid, scoring=SCORER, cv=cv, error_score="raise").fit(X)
        np.testing.assert_array_equal(given.cv_results_["mean_test_score"], by_y.cv_results_["mean_test_score"])
        pd.testing.assert_frame_equal(given.transform(LISTS), by_y.transform(LISTS))
    assert by_y.score(LISTS, Y) == pytest.approx(SCORER(by_y, LISTS))


@pytest.mark.sampled(1)
@SEARCHED
def test_randomized_search_gives_equal_scores_with_y_and_qrels(name):
    make, grid = LEARNERS[name], GRIDS[name]
    params = {"n_iter": 2, "cv": 3, "random_state": 0, "error_score": "raise"}
    by_y = RandomizedSearchCV(make(None), grid, scoring=BARE, **params).fit(LISTS, Y)
    given = RandomizedSearchCV(make(QRELS), grid, scoring=SCORER, **params).fit(LISTS)
    np.testing.assert_array_equal(by_y.cv_results_["mean_test_score"], given.cv_results_["mean_test_score"])


@pytest.mark.sampled(1)
@SEARCHED
def test_halving_search_keeps_judgements_aligned_with_reordered_samples(name):
    make, grid = LEARNERS[name], GRIDS[name]
    lists = LISTS.judged(QRELS)
    params = {"cv": 2, "min_resources": 6, "factor": 2, "random_state": 1, "error_score": "raise"}
    by_y = HalvingGridSearchCV(make(None), grid, scoring=BARE, **params).fit(lists, QRELS.align(lists))
    given = HalvingGridSearchCV(make(QRELS), grid, scoring=SCORER, **params).fit(lists)
    assert by_y.n_resources_ == [6, 12]
    np.testing.assert_array_equal(by_y.cv_results_["mean_test_score"], given.cv_results_["mean_test_score"])
    assert by_y.best_params_ == given.best_params_


@pytest.mark.exhaustive
def test_curves_and_train_test_split_accept_aligned_qrels():
    make = LEARNERS["weighter"]
    params = {"train_sizes": [2, 5, 8], "cv": 3, "error_score": "raise", "shuffle": True, "random_state": 0}
    for found, expected in zip(
        learning_curve(make(None), LISTS, Y, scoring=BARE, **params),
        learning_curve(make(QRELS), LISTS, None, scoring=SCORER, **params),
        strict=True,
    ):
        np.testing.assert_array_equal(found, expected)
    params = {"param_name": "voterweighter__power", "param_range": [0, 2], "cv": 3, "error_score": "raise"}
    for found, expected in zip(
        validation_curve(make(None), LISTS, Y, scoring=BARE, **params),
        validation_curve(make(QRELS), LISTS, None, scoring=SCORER, **params),
        strict=True,
    ):
        np.testing.assert_array_equal(found, expected)
    train, test, y_train, y_test = train_test_split(LISTS, Y, random_state=0)
    assert train.queries.tolist() == y_train.queries.tolist() and test.queries.tolist() == y_test.queries.tolist()


@pytest.mark.sampled(1)
@SEARCHED
def test_nested_search_gives_equal_scores_with_y_and_qrels(name):
    make, grid = LEARNERS[name], GRIDS[name]
    by_y = GridSearchCV(make(None), grid, scoring=BARE, cv=2, error_score="raise")
    given = GridSearchCV(make(QRELS), grid, scoring=SCORER, cv=2, error_score="raise")
    found = cross_val_score(by_y, LISTS, Y, scoring=BARE, cv=3, error_score="raise")
    np.testing.assert_array_equal(found, cross_val_score(given, LISTS, scoring=SCORER, cv=3, error_score="raise"))
    close(found, by_hand(by_y))


def test_metadata_routing_gives_equal_scores_with_y_and_qrels():
    grid = {"smoothing": [0.1, 1.0]}
    with sklearn.config_context(enable_metadata_routing=True):
        expected = GridSearchCV(PositionGrades(qrels=QRELS), grid, scoring=SCORER, cv=3).fit(LISTS)
        by_y = GridSearchCV(PositionGrades(), grid, scoring=BARE, cv=3, error_score="raise").fit(LISTS, Y)
        method = PositionGrades().set_fit_request(qrels=True)
        scorer = make_ranking_scorer("ndcg@10").set_score_request(qrels=True)
        routed = GridSearchCV(method, grid, scoring=scorer, cv=3, error_score="raise").fit(LISTS, qrels=QRELS)
        weighter = VoterWeighter("map").set_fit_request(qrels=True)
        pipeline = make_pipeline(weighter, ReciprocalRankFusion(k=0))
        scores = cross_val_score(pipeline, LISTS, scoring=scorer, cv=3, params={"qrels": QRELS}, error_score="raise")
    for search in (by_y, routed):
        np.testing.assert_array_equal(search.cv_results_["mean_test_score"], expected.cv_results_["mean_test_score"])
    close(scores, scores_by_hand(LEARNERS["weighter"]))


IGNORE = {
    "aggregator": Kemeny(time_limit=None),
    "weighted": DIBRA(weighting="global"),
    "order statistics": RobustRankAggregation(),
    "transformer": TopK(3),
    "scores": ScoreNormalizer("min-max"),
    "selector by weights": VoterSelector(n_voters=3),
    "weighter by weights": VoterWeighter(DIBRA()),
    "union": AggregatorUnion([("copeland", Copeland())]),
}


@pytest.mark.parametrize("method", IGNORE.values(), ids=IGNORE.keys())
def test_unsupervised_estimators_accept_and_ignore_y(method):
    few = LISTS[:3]
    expected = clone(method).fit(few).transform(few)
    for found in (clone(method).fit(few, Y[:3]).transform(few), clone(method).fit_transform(few, Y[:3])):
        found, known = (one.to_frame() if isinstance(one, RankedLists) else one for one in (found, expected))
        pd.testing.assert_frame_equal(found, known)


def test_scorer_prefers_metadata_then_y_then_its_own_qrels():
    method, reverse = CombSUM().fit(LISTS), JUDGED.assign(relevance=3 - JUDGED["relevance"])
    other = Qrels.from_frame(reverse)
    right, wrong = SCORER(method, LISTS), make_ranking_scorer("ndcg@10", qrels=other)(method, LISTS)
    assert right != wrong
    assert BARE(method, LISTS, Y) == BARE(method, LISTS, QRELS) == BARE(method, LISTS, qrels=QRELS) == right
    assert SCORER(method, LISTS, other.align(LISTS)) == wrong  # y before the constructor
    assert SCORER(method, LISTS, other.align(LISTS), qrels=QRELS) == right  # qrels before y
    assert BARE(method, LISTS, Y[::-1]) == right  # by id
    learnt = PositionGrades(qrels=other)
    expected = PositionGrades().fit(LISTS, Y).grade_
    np.testing.assert_array_equal(learnt.fit(LISTS, Y).grade_, expected)
    np.testing.assert_array_equal(learnt.fit(LISTS, other.align(LISTS), qrels=QRELS).grade_, expected)
    assert not np.array_equal(learnt.fit(LISTS).grade_, expected)
    with pytest.raises(InputError, match=r"needs judgements to measure by; got none.*y=qrels\.align\(lists\)"):
        BARE(method, LISTS)


def test_nested_supervised_aggregator_uses_qrels_of_its_constructor():
    method = LocalKemenization(PositionGrades(qrels=QRELS)).fit(LISTS)
    np.testing.assert_array_equal(method.aggregator_.grade_, PositionGrades().fit(LISTS, Y).grade_)
    with pytest.raises(InputError, match="PositionGrades needs judgements to learn from"):
        LocalKemenization(PositionGrades()).fit(LISTS, Y)
    with pytest.raises(InputError, match=r"got PositionGrades.*, which learns from judgements"):
        DIBRA(PositionGrades(qrels=QRELS)).fit(LISTS)


# ---------------------------------------------------------------------- the held-out consensus


@pytest.mark.sampled(1)
@EACH
@pytest.mark.parametrize("cv", [3, KFold(3), KFold(4, shuffle=True, random_state=1)], ids=["3", "KFold", "shuffled"])
def test_cross_val_consensus_aggregates_each_query_with_a_fit_on_others(make, cv):
    found = cross_val_consensus(make(None), LISTS, Y, cv=cv)
    assert list(dict.fromkeys(found["query"])) == QUERIES and found.index.equals(pd.RangeIndex(len(found)))
    for train, test in (KFold(cv) if cv == 3 else cv).split(np.arange(13)):
        expected = make(None).fit(LISTS[train], Y[train]).transform(LISTS[test])
        for query, rows in expected.groupby("query"):
            pd.testing.assert_frame_equal(
                found[found["query"] == query].reset_index(drop=True), rows.reset_index(drop=True)
            )
    other_ways = (
        cross_val_consensus(make(QRELS), LISTS, cv=cv),
        cross_val_consensus(make(None), LISTS, qrels=QRELS, cv=cv, n_jobs=2),
        cross_val_consensus(make(None), FRAME, QRELS, cv=cv),
        cross_val_consensus(make(None), LISTS, Y, cv=list(check(cv).split(LISTS))),
    )
    for other in other_ways:
        pd.testing.assert_frame_equal(other, found)


def check(cv):
    return KFold(cv) if isinstance(cv, int) else cv


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    "method",
    [
        Copeland(),
        CombSUM(),
        RobustRankAggregation(),
        DIBRA(),
        make_pipeline(TopK(5), BordaCount()),
        CombSUM(norm="rank"),
    ],
    ids=lambda one: type(one).__name__,
)
def test_cross_val_consensus_equals_transform_for_methods_without_learning(method):
    backwards = LISTS[::-1]
    for lists in (LISTS, FRAME, backwards, RankedLists.from_frame(FRAME.astype({"query": "category"}))):
        expected = clone(method).fit_transform(lists)
        for cv in (5, KFold(4, shuffle=True, random_state=0)):
            pd.testing.assert_frame_equal(cross_val_consensus(method, lists, cv=cv), expected)


def test_cross_val_consensus_learns_weights_from_the_training_lists():
    method = DIBRA(weighting="global")
    found = cross_val_consensus(method, LISTS, cv=3)
    train, test = next(KFold(3).split(QUERIES))
    assert 3 in test  # the query without judgements is aggregated like the others
    expected = method.fit(LISTS[train]).transform(LISTS[test])
    pd.testing.assert_frame_equal(found.iloc[: len(expected)], expected)


WRONG = {
    "random splits": (ShuffleSplit(3, test_size=4, random_state=0), "in exactly one test set"),
    "judged folds": (
        QueryKFold(3, qrels=QRELS),
        r"one test set; query 'q04' is in 0 test sets.* do not pass qrels=",
    ),
    "too many folds": (14, "must be at most the number of queries, which is 13; got 14"),
    "positions of rows": (list(QueryKFold(3).split(FRAME)), "positions of queries, from 0 to 12"),
    "tested in training": ([(np.arange(13), np.arange(13))], "both"),
    "twice": ([(np.arange(6, 13), np.arange(6)), (np.arange(3), np.arange(3, 13))], "'q04' is in 2"),
}


@pytest.mark.parametrize(("cv", "words"), WRONG.values(), ids=WRONG.keys())
def test_cross_val_consensus_rejects_folds_that_do_not_test_each_query_once(cv, words):
    with pytest.raises(InputError, match=words):
        cross_val_consensus(PositionGrades(), LISTS, Y, cv=cv)
    with pytest.raises(InputError, match=words):
        Comparator([("grades", PositionGrades())], metrics="map", cv=cv).fit(LISTS, Y)


def test_cross_val_consensus_rejects_estimators_without_a_consensus():
    for method in (TopK(3), VoterWeighter("map")):
        with pytest.raises(InputTypeError, match="The estimator's transform must return a frame"):
            cross_val_consensus(method, LISTS, Y)
    with pytest.raises(InputError, match="needs judgements to learn from"):
        cross_val_consensus(PositionGrades(), LISTS)
    with pytest.raises(InputTypeError, match="`y` must be a Qrels"):
        cross_val_consensus(PositionGrades(), LISTS, JUDGED)


# ---------------------------------------------------------------------- the Comparator


MEMBERS = [("copeland", Copeland()), *((name, make(None)) for name, make in LEARNERS.items())]


@pytest.fixture(scope="module")
def compared():
    return Comparator(MEMBERS, metrics=["ndcg@10", "map"], cv=3, error_score="raise", with_voters=True).fit(LISTS, Y)


@pytest.mark.sampled(1)
@EACH
def test_comparator_with_cv_measures_supervised_members_on_held_out_queries(compared, make):
    name = next(name for name, one in LEARNERS.items() if one is make)
    held_out = held_out_consensus(make)
    pd.testing.assert_frame_equal(compared.runs_[name], held_out)
    expected = evaluate(held_out, QRELS, ["ndcg@10", "map"], per_query=True)
    pd.testing.assert_frame_equal(compared.per_query_.loc[name], expected)
    close(compared.results_.loc[name, ["ndcg@10", "map"]], expected.mean())
    # Refitted on all queries.
    fitted = compared.named_aggregators_[name].transform(LISTS)
    pd.testing.assert_frame_equal(fitted, make(QRELS).fit(LISTS).transform(LISTS))
    assert not fitted.equals(held_out) or name in ("selector", "search", "comparator")


def test_comparator_with_cv_measures_other_members_as_without_cv(compared):
    plain = Comparator([MEMBERS[0]], metrics=["ndcg@10", "map"], with_voters=True).fit(LISTS, Y)
    for name in ("copeland", *plain.results_.index[1:]):
        pd.testing.assert_frame_equal(compared.per_query_.loc[name], plain.per_query_.loc[name])
        pd.testing.assert_frame_equal(compared.runs_[name], plain.runs_[name])
    assert compared.results_.index.tolist() == [name for name, _ in MEMBERS] + plain.results_.index[1:].tolist()
    assert (compared.results_["time"].iloc[: len(MEMBERS)] > 0).all()


def test_comparator_tests_tables_and_choice_use_held_out_values(compared):
    table = compared.compare(baseline="copeland", metric="map")
    for name in LEARNERS:
        assert table.loc[name, "mean"] == pytest.approx(compared.results_.loc[name, "map"])
    methods = compared.results_["ndcg@10"].iloc[: len(MEMBERS)]
    assert compared.best_name_ == methods.idxmax() and compared.best_score_ == methods.max()
    assert compared.best_estimator_ is compared.named_aggregators_[compared.best_name_]
    latex = compared.latex_table(metric="map", decimals=4)
    assert f"{compared.results_.loc['weighter', 'map']:.4f}" in latex
    assert compared.select_results(metric="map").loc["union", "map"] == compared.results_.loc["union", "map"]
    one = compared.select_results(query="q02")
    assert one.loc["aggregator", "map"] == compared.per_query_.loc[("aggregator", "q02"), "map"]
    pd.testing.assert_frame_equal(compared.transform(LISTS), compared.best_estimator_.transform(LISTS))
    again = pickle.loads(pickle.dumps(compared))
    pd.testing.assert_frame_equal(again.results_, compared.results_)


def test_comparison_display_shows_held_out_values(compared):
    pytest.importorskip("matplotlib").use("Agg")
    from skrankagg.plotting import ComparisonDisplay

    display = ComparisonDisplay.from_comparator(compared, metric="map")
    assert display.results["weighter"] == pytest.approx(compared.results_.loc["weighter", "map"])


def test_comparator_member_prefers_its_own_qrels():
    reverse = Qrels.from_frame(JUDGED.assign(relevance=3 - JUDGED["relevance"]))
    methods = [("own", PositionGrades(qrels=reverse)), ("given", PositionGrades())]
    comparator = Comparator(methods, metrics="map", qrels=QRELS, cv=3).fit(LISTS)
    pd.testing.assert_frame_equal(comparator.runs_["own"], cross_val_consensus(methods[0][1], LISTS, cv=3))
    pd.testing.assert_frame_equal(comparator.runs_["given"], cross_val_consensus(methods[1][1], LISTS, Y, cv=3))


def test_scoring_function_of_a_search_receives_judgements_if_it_accepts_y():
    def by_y(estimator, X, y):
        return BARE(estimator, X, y)

    def alone(estimator, X):
        return SCORER(estimator, X)

    searches = [
        (name, GridSearchCV(CombSUM(), {"norm": ["borda", "min-max"]}, scoring=scoring, cv=2, error_score="raise"))
        for name, scoring in (("by y", by_y), ("alone", alone), ("scorer", BARE), ("dict", {"a": BARE}))
    ]
    searches[-1][1].set_params(refit="a")
    found = Comparator(searches, metrics="map", qrels=QRELS, cv=3, error_score="raise").fit(LISTS).results_["map"]
    assert found.nunique() == 1


def test_comparator_learns_names_further_supervised_members():
    class Hidden(CombSUM):
        """Learns from judgements without declaring it."""

        def fit(self, X, y=None):
            self.method_ = PositionGrades(qrels=QRELS).fit(X)
            self.given_ = y
            return self

        def _rank(self, lists):
            return self.method_._rank(lists)

        def __sklearn_tags__(self):
            tags = super().__sklearn_tags__()
            tags.requires_fit = True
            return tags

    comparator = Comparator([("hidden", Hidden())], metrics="map", qrels=QRELS, learns=["hidden"], cv=3).fit(LISTS)
    pd.testing.assert_frame_equal(comparator.runs_["hidden"], cross_val_consensus(PositionGrades(), LISTS, Y, cv=3))
    assert comparator.best_estimator_.given_.queries.tolist() == QUERIES


def test_comparator_with_cv_gives_equal_results_for_every_container():
    for X in (FRAME, FRAME.astype({"query": "category", "item": "category"})):
        found = Comparator(MEMBERS[:4], metrics="map", qrels=QRELS, cv=3, n_jobs=2).fit(X)
        expected = Comparator(MEMBERS[:4], metrics="map", qrels=QRELS, cv=3).fit(LISTS)
        np.testing.assert_array_equal(found.results_["map"], expected.results_["map"])


class FailsIn(PositionGrades):
    """Fails if a certain query is not in the training set, hence in one fold."""

    def _learn(self, lists, judged):
        if "q13" not in lists.queries:
            raise RuntimeError("no q13")
        super()._learn(lists, judged)


def test_comparator_member_fails_if_it_fails_in_one_fold():
    methods = [("good", PositionGrades()), ("bad", FailsIn())]
    with pytest.warns(sklearn.exceptions.FitFailedWarning, match="'bad'"):
        comparator = Comparator(methods, metrics="map", qrels=QRELS, cv=3).fit(LISTS)
    assert np.isnan(comparator.results_.loc["bad", "map"]) and comparator.best_name_ == "good"
    assert comparator.failures_ == {"bad": "RuntimeError: no q13"} and not hasattr(comparator.aggregators_[1], "grade_")
    with pytest.raises(RuntimeError, match="no q13"):
        Comparator(methods, metrics="map", qrels=QRELS, cv=3, error_score="raise").fit(LISTS)


def test_comparator_progress_shows_the_number_of_folds(capsys):
    Comparator(MEMBERS[:2], metrics="map", qrels=QRELS, cv=3, verbose=True).fit(LISTS)
    first, second = capsys.readouterr().out.splitlines()
    assert "(1 of 2) copeland," in first and "folds" not in first
    assert "(2 of 2) aggregator, 3 folds" in second


@pytest.mark.parametrize("name", LEARNERS)
def test_comparator_without_cv_rejects_learners_and_advises_cv(name):
    message = r"`cv` must be given .*got 'learner' \(.*\)\. .* Pass cv=5 to measure"
    with pytest.raises(InputError, match=message):
        Comparator([("learner", LEARNERS[name](None))], metrics="map", qrels=QRELS).fit(LISTS)


def test_comparator_supports_grid_search_and_cross_validation_with_y():
    methods = [("rrf", ReciprocalRankFusion()), ("grades", PositionGrades())]
    grid = {"grades__smoothing": [0.1, 5.0], "rrf": ["drop", ReciprocalRankFusion(k=1)]}
    by_y = GridSearchCV(Comparator(methods, metrics="map", cv=2), grid, cv=2, error_score="raise").fit(LISTS, Y)
    given = GridSearchCV(Comparator(methods, metrics="map", cv=2, qrels=QRELS), grid, cv=2).fit(LISTS)
    np.testing.assert_array_equal(by_y.cv_results_["mean_test_score"], given.cv_results_["mean_test_score"])
    found = cross_val_score(Comparator(methods, metrics="ndcg@10", cv=2), LISTS, Y, cv=3, error_score="raise")
    close(found, by_hand(Comparator(methods, metrics="ndcg@10", cv=2)))


# ---------------------------------------------------------------------- leakage


def _outside(queries):
    """Return judgements that agree on these queries and are otherwise removed, shuffled, false or unrelated."""
    own = JUDGED[JUDGED["query"].isin(queries)]
    rest = JUDGED[~JUDGED["query"].isin(queries)]
    shuffled = rest.assign(relevance=rest["relevance"].sample(frac=1, random_state=0).to_numpy())
    return {
        "removed": own,
        "shuffled": pd.concat([own, shuffled]),
        "false": pd.concat([own, rest.assign(relevance=rest["relevance"].max() - rest["relevance"])]),
        "zero": pd.concat([own, rest.assign(relevance=0)]),
        "more": pd.concat([own, rest, rest.assign(query="other " + rest["query"])]),
    }


@pytest.mark.sampled(3)
@EACH
@pytest.mark.parametrize("change", ["removed", "shuffled", "false", "zero", "more"])
def test_fit_is_independent_of_judgements_of_other_queries(make, change):
    train, test = LISTS[:8], LISTS[8:]
    qrels = Qrels.from_frame(_outside(train.queries)[change])
    expected = consensus_of_first_queries(make)
    ways = [make(qrels).fit(train), make(None).fit(train, qrels.align(train))]
    if not hasattr(make(None), "param_grid"):
        ways.append(make(None).fit(train, qrels))
    for fitted in ways:
        pd.testing.assert_frame_equal(fitted.transform(test), expected)


@pytest.mark.sampled(1)
@EACH
@pytest.mark.parametrize("change", ["removed", "shuffled", "false", "zero", "more"])
def test_held_out_consensus_is_independent_of_judgements_of_its_fold(make, change):
    train, test = list(KFold(3).split(np.arange(13)))[1]
    qrels = Qrels.from_frame(_outside(LISTS.queries[train])[change])
    held_out = LISTS.queries[test].tolist()
    expected = held_out_consensus(make)
    expected = expected[expected["query"].isin(held_out)].reset_index(drop=True)
    comparator = Comparator([("learner", make(None))], metrics="map", cv=3, qrels=qrels)
    # The judgements of the other folds' training queries change, so they may differ or be too few.
    with np.errstate(all="ignore"):
        found = [
            cross_val_consensus(make(None), LISTS, qrels.align(LISTS), cv=[(train, test), *_elsewhere(test)]),
            cross_val_consensus(make(qrels), LISTS, cv=[(train, test), *_elsewhere(test)]),
            comparator.set_params(cv=[(train, test), *_elsewhere(test)]).fit(LISTS).runs_["learner"],
        ]
    for one in found:
        pd.testing.assert_frame_equal(one[one["query"].isin(held_out)].reset_index(drop=True), expected)


def _elsewhere(test):
    """Return folds of the queries outside a test set."""
    rest = np.setdiff1d(np.arange(13), test)
    return [(rest[::2], rest[1::2]), (rest[1::2], rest[::2])]


@pytest.mark.sampled(1)
@EACH
def test_cross_val_score_is_independent_of_judgements_of_other_queries(make):
    scores = cross_val_score(make(QRELS), LISTS, scoring=SCORER, cv=3)
    for k, (train, _) in enumerate(KFold(3).split(np.arange(13))):
        for change in ("removed", "false"):
            qrels = Qrels.from_frame(_outside(LISTS.queries[train])[change])
            found = cross_val_score(
                make(qrels), LISTS[np.arange(13)], scoring=SCORER, cv=[list(KFold(3).split(QUERIES))[k]]
            )
            assert found[0] == scores[k]


def permuted(qrels, seed):
    """Give each query the judgements of another query; none keeps its own."""
    order = np.random.default_rng(seed).permutation(qrels.n_queries)
    place = np.empty_like(order)
    place[order] = np.roll(order, 1)
    return qrels.reassign(qrels.queries, place)


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("method", "base"),
    [
        (make_pipeline(VoterWeighter("map"), CombSUM(norm="borda")), CombSUM(norm="borda")),
        (make_pipeline(VoterSelector("map", n_voters=10), CombSUM(norm="borda")), CombSUM(norm="borda")),
    ],
    ids=["weighter", "selector"],
)
def test_learners_gain_nothing_from_permuted_judgements(method, base):
    lists, qrels, _ = make_ranked_lists(
        n_queries=60, n_voters=20, n_items=60, list_length=25, quality=0.3, quality_spread=1.2, random_state=0
    )
    lists, qrels = RankedLists.from_frame(lists), Qrels.from_frame(qrels)

    def measure(run):
        return evaluate(run, qrels, "map").iloc[0, 0]

    plain = measure(base.fit_transform(lists))
    learnt = measure(cross_val_consensus(method, lists, qrels.align(lists), cv=5))
    false = [
        measure(cross_val_consensus(method, lists, permuted(qrels, seed).align(lists), cv=5)) for seed in range(10)
    ]
    assert learnt > plain + 0.02
    assert np.mean(false) < plain + 0.002


@pytest.mark.exhaustive
def test_comparator_with_cv_shows_less_than_the_in_sample_score_on_noise():
    values = np.array([near_noise(seed) for seed in range(2)])
    flattering, held_out = values.mean(axis=0)
    assert flattering > held_out + 0.01


def near_noise(seed):
    frame, qrels, _ = make_ranked_lists(n_queries=20, quality=0.01, random_state=seed)
    lists, qrels = RankedLists.from_frame(frame), Qrels.from_frame(qrels)
    scorer = make_ranking_scorer("ndcg@10", qrels=qrels)
    draws = np.random.default_rng(seed).random((20, lists.n_voters))
    weights = [dict(zip(lists.voters, draw, strict=True)) for draw in draws]
    plain = CombSUM(norm="borda")
    tuned = GridSearchCV(plain, {"voter_weights": weights}, scoring=make_ranking_scorer("ndcg@10"), cv=2)
    nested = cross_val_score(clone(tuned).set_params(scoring=scorer), lists, scoring=scorer, cv=4)
    comparator = Comparator([("plain", plain), ("tuned", tuned)], metrics="ndcg@10", qrels=qrels, cv=4).fit(lists)
    assert comparator.results_.loc["tuned", "ndcg@10"] == pytest.approx(nested.mean())
    assert comparator.results_.loc["plain", "ndcg@10"] == pytest.approx(scorer(plain, lists))
    return scorer(comparator.named_aggregators_["tuned"], lists), comparator.results_.loc["tuned", "ndcg@10"]
