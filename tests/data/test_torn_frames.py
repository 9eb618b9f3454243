"""A frame that a row-wise splitter broke up is refused or warned of; valid uses of frames are neither.

The expected result comes from the rows: a fold is split if a query has rows on both sides.
"""

import pickle
import warnings
from itertools import product

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.exceptions import FitFailedWarning
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
    train_test_split,
)
from sklearn.pipeline import Pipeline, make_pipeline

from skrankagg import DIBRA, BordaCount, CombSUM, Comparator, RankedLists, ReciprocalRankFusion, evaluate
from skrankagg.datasets import make_ranked_lists
from skrankagg.exceptions import SplitQueryWarning
from skrankagg.metrics import make_ranking_scorer
from skrankagg.model_selection import QueryKFold, QueryShuffleSplit
from skrankagg.preprocessing import AggregatorUnion, TopK

FRAME, QRELS, _ = make_ranked_lists(n_queries=10, n_voters=4, n_items=15, list_length=10, random_state=0)
BY_VOTER = FRAME.sort_values(["voter", "query", "rank"], kind="stable").reset_index(drop=True)
SCORER = make_ranking_scorer("ndcg@10", qrels=QRELS)
TORN = "queries have some rows in fit and others in scoring"
#: Halves of whole lists: each query has two voters on each side.
LEFT, RIGHT = BY_VOTER.iloc[:200], BY_VOTER.iloc[200:].reset_index(drop=True)


def orders(frame):
    """A frame sorted by query, by voter as files are read one after the other, and shuffled."""
    return {
        "query": frame,
        "voter": frame.sort_values(["voter", "query", "rank"], kind="stable").reset_index(drop=True),
        "shuffled": frame.sample(frac=1, random_state=0).reset_index(drop=True),
    }


@pytest.mark.sampled(1)
@pytest.mark.parametrize(("n_queries", "n_voters"), [(10, 2), (10, 5), (20, 4), (20, 6), (23, 3), (23, 5)])
def test_scorer_raises_exactly_for_folds_that_split_a_query(n_queries, n_voters):
    frame, qrels, _ = make_ranked_lists(
        n_queries=n_queries, n_voters=n_voters, n_items=12, list_length=9, absent_share=0.1, random_state=n_voters
    )
    scorer = make_ranking_scorer("ndcg@10", qrels=qrels)
    for rows, n_splits in product(orders(frame).values(), range(3, 7)):
        for train, test in KFold(n_splits).split(rows):
            train, test = rows.iloc[train], rows.iloc[test]
            torn = set(train["query"]) & set(test["query"])
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", SplitQueryWarning)
                method = CombSUM(norm="borda").fit(train)
                if torn:
                    with pytest.raises(ValueError, match=rf"; {len(torn)} of its .* \(the first is '{min(torn)}'"):
                        scorer(method, test)
                else:
                    scorer(method, test)


def split(estimator, score=SCORER):
    """Fit on whole lists of some voters and score on those of the others, with no sign of the cut in either frame."""
    return score(estimator.fit(LEFT), RIGHT)


GRID = {"norm": ["borda", "rank"]}
QUERY_CV = QueryKFold(2)


@pytest.mark.parametrize(
    "estimator",
    [
        CombSUM(norm="borda"),
        DIBRA(CombSUM(norm="borda")),
        make_pipeline(TopK(5), BordaCount()),
        Pipeline([("none", "passthrough"), ("top", TopK(5)), ("borda", BordaCount())]),
        make_pipeline(AggregatorUnion([("borda", BordaCount())]), BordaCount()),
        GridSearchCV(CombSUM(norm="borda"), GRID, scoring=SCORER, cv=QUERY_CV, error_score="raise"),
        RandomizedSearchCV(CombSUM(norm="borda"), GRID, n_iter=2, scoring=SCORER, cv=QUERY_CV, error_score="raise"),
        GridSearchCV(
            make_pipeline(TopK(5), CombSUM(norm="borda")),
            {"combsum__norm": ["borda"]},
            scoring=SCORER,
            cv=QUERY_CV,
            error_score="raise",
        ),
        Comparator([("borda", BordaCount()), ("rrf", ReciprocalRankFusion())], metrics=["ndcg@10"], qrels=QRELS),
        make_pipeline(TopK(5), Comparator([("borda", BordaCount())], metrics=["ndcg@10"], qrels=QRELS, verbose=False)),
    ],
    ids=lambda estimator: type(estimator).__name__,
)
def test_scorer_rejects_estimators_fitted_on_other_lists_of_the_same_queries(estimator):
    with pytest.raises(ValueError, match=TORN):
        split(clone(estimator))
    lists = (RankedLists.from_frame(LEFT), RankedLists.from_frame(RIGHT))
    assert 0 < SCORER(clone(estimator).fit(lists[0]), lists[1]) <= 1  # what the message says to do instead


def test_comparator_score_rejects_a_split_frame():
    comparator = Comparator([("borda", BordaCount())], metrics=["ndcg@10"], qrels=QRELS).fit(LEFT)
    with pytest.raises(ValueError, match=TORN):
        comparator.score(RIGHT)
    assert comparator.score(LEFT) == comparator.best_score_
    search = GridSearchCV(
        Comparator([("borda", BordaCount())], metrics=["ndcg@10"], qrels=QRELS), {"n_jobs": [None]}, cv=4
    )
    with pytest.raises(ValueError, match=TORN):
        search.set_params(error_score="raise").fit(BY_VOTER)


def test_split_query_error_names_queries_and_the_remedy():
    with pytest.raises(
        ValueError, match=r"10 of its 10 queries .* 'q01'\)\. A splitter may have treated the rows of a frame"
    ):
        split(BordaCount())
    with pytest.raises(ValueError, match=r"Split RankedLists\.from_frame\(df\), or use cv=QueryKFold"):
        split(BordaCount())


def test_cross_val_score_of_a_split_query_is_nan_unless_errors_are_raised():
    with pytest.warns(UserWarning, match=TORN):
        assert np.isnan(cross_val_score(BordaCount(), BY_VOTER, scoring=SCORER, cv=4)).all()
    with pytest.raises(ValueError, match=TORN):
        cross_val_score(BordaCount(), BY_VOTER, scoring=SCORER, cv=4, error_score="raise")
    search = GridSearchCV(CombSUM(norm="borda"), {"norm": ["rank", "borda"]}, scoring=SCORER, cv=4)
    with pytest.warns(UserWarning, match=TORN), pytest.warns(UserWarning, match="non-finite"):
        search.fit(BY_VOTER)
    assert np.isnan(search.cv_results_["mean_test_score"]).all()
    assert search.best_params_ == {"norm": "rank"}  # the first setting, which was never scored
    with pytest.raises(ValueError, match=TORN):
        search.set_params(error_score="raise").fit(BY_VOTER)


# ---------------------------------------------------------------------- sound uses are silent


def test_cross_validate_between_queries_does_not_warn():
    for frame in orders(FRAME).values():
        for cv in (QueryKFold(4), QueryShuffleSplit(3, test_size=0.3, random_state=0)):
            result = cross_validate(
                BordaCount(), frame, scoring=SCORER, cv=cv, return_train_score=True, error_score="raise"
            )
            assert not np.isnan([*result["test_score"], *result["train_score"]]).any()
        lists = RankedLists.from_frame(frame)
        assert not np.isnan(cross_val_score(BordaCount(), lists, scoring=SCORER, cv=4, error_score="raise")).any()


@pytest.mark.parametrize(
    "scored",
    [
        FRAME,
        FRAME[FRAME["rank"] <= 3],
        FRAME[FRAME["query"] == "q07"],
        FRAME[FRAME["voter"] != "v1"],
        FRAME[FRAME["rank"] == 10].assign(rank=1),
        pd.concat([FRAME, FRAME.assign(voter=FRAME["voter"] + "'")], ignore_index=True),
        FRAME.sample(frac=1, random_state=1),
        FRAME.astype({"query": "category", "voter": "category", "item": "category"}),
        FRAME.astype({"query": object, "voter": object, "item": object}),
        RankedLists.from_frame(RIGHT),
    ],
    ids=[
        "itself",
        "less deep",
        "one query",
        "fewer voters",
        "last",
        "more voters",
        "shuffled",
        "category",
        "object",
        "lists",
    ],
)
def test_scorer_accepts_frames_that_share_rows_with_the_fitted_frame(scored):
    fitted = BordaCount().fit(FRAME)
    assert SCORER(fitted, scored) >= 0
    assert SCORER(BordaCount().fit(FRAME[FRAME["rank"] <= 5]), FRAME) > 0


@pytest.mark.parametrize("dtype", ["int64", "float64", "Int64", "int32", "uint8"])
def test_scorer_identifies_rows_by_equal_ids_of_any_dtype(dtype):
    frame = pd.DataFrame({"query": [1, 1, 2], "voter": [1, 2, 1], "item": [1, 1, 2], "rank": 1})
    qrels = pd.DataFrame({"query": [1, 2], "item": [1, 2], "relevance": 1})
    scorer = make_ranking_scorer("map", qrels=qrels)
    ids = ["query", "voter", "item"]
    assert scorer(BordaCount().fit(frame), frame.astype(dict.fromkeys(ids, dtype))) == 1.0
    with pytest.raises(ValueError, match=TORN):
        scorer(BordaCount().fit(frame.iloc[[0]]), frame.iloc[[1]].astype(dict.fromkeys(ids, dtype)))


def test_scorer_identifies_rows_by_query_voter_and_item_in_order():
    qrels = pd.DataFrame({"query": ["a", "b"], "item": ["b", "a"], "relevance": 1})
    for fitted, scored in [(("a", "b", "c"), ("a", "c", "b")), (("a", "b", "b"), ("a", "a", "b"))]:
        frames = [pd.DataFrame([row], columns=["query", "voter", "item"]).assign(rank=1) for row in (fitted, scored)]
        with pytest.raises(ValueError, match=TORN):
            make_ranking_scorer("map", qrels=qrels)(BordaCount().fit(frames[0]), frames[1])


def test_transform_and_evaluate_do_not_compare_with_fitted_rows():
    consensus = BordaCount().fit(LEFT).transform(RIGHT)
    assert evaluate(consensus, QRELS, "ndcg@10").loc["run", "ndcg@10"] > 0


def test_copies_of_estimators_do_not_store_fitted_rows():
    for fitted in (
        BordaCount().fit(LEFT),
        TopK(5).fit(LEFT),
        GridSearchCV(CombSUM(norm="borda"), GRID, scoring=SCORER, cv=QUERY_CV, error_score="raise").fit(LEFT),
    ):
        again = pickle.loads(pickle.dumps(fitted))
        if not isinstance(fitted, TopK):
            assert SCORER(again, RIGHT) > 0
        assert len(pickle.dumps(fitted)) < 20_000  # 200 rows would be 1,600 bytes of fingerprints more
        assert "_fitted_rows" not in vars(again)
    assert SCORER(BordaCount().fit(LEFT).fit(RankedLists.from_frame(LEFT)), RIGHT) > 0  # fitted again on lists
    with pytest.raises(ValueError, match=TORN):
        SCORER(BordaCount().fit(RankedLists.from_frame(LEFT)).fit(LEFT), RIGHT)


def test_fit_transform_stores_fitted_rows_like_fit():
    method, step = BordaCount(), TopK(5)
    method.fit_transform(LEFT), step.fit_transform(LEFT)
    with pytest.raises(ValueError, match=TORN):
        SCORER(method, RIGHT)
    with pytest.raises(ValueError, match=TORN):
        SCORER(Pipeline([("top", step), ("borda", method)]), RIGHT)


# ---------------------------------------------------------------------- what the rule cannot see is warned of


def test_fit_warns_of_a_frame_that_begins_inside_a_list():
    for start in (135, 1, 39):
        with pytest.warns(SplitQueryWarning, match="1 list has lost rows"):
            BordaCount().fit(FRAME.iloc[start:])
    with pytest.warns(SplitQueryWarning):
        RankedLists.from_frame(FRAME.iloc[np.arange(135, 250)])
    with pytest.warns(SplitQueryWarning):
        RankedLists.from_frame(FRAME.iloc[::2])


def test_fit_does_not_warn_of_a_frame_that_begins_with_a_list():
    BordaCount().fit(FRAME.iloc[140:])
    BordaCount().fit(FRAME.iloc[:135])
    BordaCount().fit(FRAME[FRAME["query"] > "q03"])
    BordaCount().fit(FRAME[FRAME["rank"] > 3].reset_index(drop=True))
    BordaCount().fit(FRAME.iloc[135:].reset_index(drop=True))
    BordaCount().fit(FRAME.iloc[135:].drop(columns="rank"))  # lists of scores do not show where they begin
    worst_first = FRAME.sort_values(["query", "voter", "rank"], ascending=[True, True, False]).reset_index(drop=True)
    BordaCount().fit(worst_first.iloc[140:])
    counted_from_0 = FRAME.assign(rank=FRAME["rank"] - 1)
    BordaCount().fit(counted_from_0.iloc[140:])


NEITHER = {
    "halving": lambda method, frame: HalvingGridSearchCV(
        method, {"norm": ["borda", "rank"]}, scoring=SCORER, cv=3, random_state=0
    ).fit(frame),
    "shuffled learning curve": lambda method, frame: learning_curve(
        method, frame, None, scoring=SCORER, cv=4, train_sizes=[0.3, 0.9], shuffle=True, random_state=0
    ),
    "learning curve": lambda method, frame: learning_curve(
        method, frame, None, scoring=SCORER, cv=KFold(3), train_sizes=[0.01]
    ),
    "train_size": lambda method, frame: cross_val_score(
        method, frame, scoring=SCORER, cv=ShuffleSplit(3, train_size=0.3, test_size=0.2, random_state=0)
    ),
    "a few rows": lambda method, frame: cross_val_score(
        method, frame, scoring=SCORER, cv=ShuffleSplit(3, train_size=2, test_size=2, random_state=0)
    ),
    "a gap": lambda method, frame: SCORER(method.fit(frame.iloc[:203]), frame.iloc[247:]),
    "train_test_split": lambda method, frame: SCORER(
        method.fit(train_test_split(frame, train_size=0.1, test_size=0.1, random_state=1)[0]), frame.iloc[215:]
    ),
}


@pytest.mark.sampled(4)
@pytest.mark.parametrize("order", ["query", "voter"])
@pytest.mark.parametrize("cut", list(NEITHER.values()), ids=list(NEITHER))
def test_rows_missing_from_both_parts_cause_a_split_query_warning(order, cut):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            cut(CombSUM(norm="borda"), orders(FRAME)[order])
        except ValueError as error:
            assert TORN in str(error)
            return
    assert {warning.category for warning in caught} & {SplitQueryWarning, FitFailedWarning}
    assert any(warning.category is SplitQueryWarning for warning in caught)
