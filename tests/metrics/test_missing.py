"""Runs without some queries, empty or unjudged runs, and folds without judgements."""

import copy
import inspect
import pickle
import warnings

import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn.model_selection import GridSearchCV, cross_val_score

import skrankagg.metrics
from skrankagg import DIBRA, CombSUM, Comparator, Qrels, RankedLists, evaluate
from skrankagg._command_line import main
from skrankagg.datasets import make_ranked_lists
from skrankagg.exceptions import MissingQueriesWarning, NothingJudgedWarning
from skrankagg.metrics import (
    evaluate_voters,
    get_measure,
    make_ranking_scorer,
    measure_names,
    ndcg,
    num_ret,
    precision,
)
from skrankagg.metrics._relevance._measure import MEASURES
from skrankagg.model_selection import QueryKFold, QueryShuffleSplit

pytestmark = pytest.mark.twice

FRAME, QRELS, _ = make_ranked_lists(n_queries=20, random_state=0)
LISTS = RankedLists.from_frame(FRAME)
METHOD = CombSUM(norm="borda")
RUN = METHOD.fit_transform(LISTS)
FEW = RUN[RUN["query"] < "q06"]  # 5 of 20 queries
SOME_QRELS = QRELS[QRELS["query"].isin(["q01", "q05", "q11", "q12", "q20"])]
FILLED = [name.replace("@k", "@7").replace("@r", "@0.1").replace("@z1,z2,...", "@5,10") for name in measure_names()]


def the_only(caught, category):
    assert [warning.category for warning in caught] == [category]
    return str(caught[0].message)


def caught_by(call):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        value = call()
    return value, caught


# ---------------------------------------------------------------------- judged queries without results


def home_made(estimator, X, y=None):
    return evaluate(estimator.transform(X), QRELS, "ndcg@10").iloc[0, 0]


def test_evaluate_warns_in_a_custom_scorer_that_uses_all_judgements():
    right = cross_val_score(METHOD, LISTS, scoring=make_ranking_scorer("ndcg@10", qrels=QRELS), cv=3)
    with pytest.warns(MissingQueriesWarning, match="1[34] of the 20 judged queries have no results") as found:
        wrong = cross_val_score(METHOD, LISTS, scoring=home_made, cv=3)
    assert len(found) == 3  # one for each fold, whatever the number of measures
    assert right.min() > 0.8 and wrong.max() < 0.4
    for cure in ("missing_queries='skip'", "qrels of the queries", "make_ranking_scorer"):
        assert cure in str(found[0].message)


def test_evaluate_warns_once_about_missing_queries_at_the_caller():
    _, caught = caught_by(lambda: evaluate(FEW, QRELS, ["map", "p@10", "ndcg@10"], per_query=True))
    text = the_only(caught, MissingQueriesWarning)
    assert text.startswith("15 of the 20 judged queries have no results and count as 0.")
    assert caught[0].filename == __file__
    _, caught = caught_by(lambda: ndcg(FEW, QRELS))
    assert caught[0].filename == __file__


def test_evaluate_does_not_warn_if_half_of_the_queries_have_results():
    for n_queries in (10, 20):
        run = RUN[RUN["query"] <= f"q{n_queries}"]
        assert caught_by(lambda run=run: evaluate(run, QRELS, "map"))[1] == []
    the_only(caught_by(lambda: evaluate(RUN[RUN["query"] < "q10"], QRELS, "map"))[1], MissingQueriesWarning)


def test_evaluate_does_not_warn_if_missing_queries_is_given():
    silent = {
        "zero": lambda: evaluate(FEW, QRELS, "map", missing_queries="zero"),
        "skip": lambda: evaluate(FEW, QRELS, "map", missing_queries="skip"),
        "in brackets": lambda: evaluate(FEW, QRELS, ["map[missing_queries=skip]", "p@5[missing_queries=zero]"]),
        "a measure": lambda: ndcg(FEW, QRELS, missing_queries="zero"),
    }
    for label, call in silent.items():
        assert caught_by(call)[1] == [], label
    the_only(caught_by(lambda: evaluate(FEW, QRELS, ["map[missing_queries=skip]", "p@5"]))[1], MissingQueriesWarning)
    with pytest.warns(MissingQueriesWarning):
        default = evaluate(FEW, QRELS, "map")
    pd.testing.assert_frame_equal(default, evaluate(FEW, QRELS, "map", missing_queries="zero"))
    assert default.iloc[0, 0] == pytest.approx(evaluate(FEW, QRELS, "map", missing_queries="skip").iloc[0, 0] / 4)


def public_measures():
    functions = {one.function.__name__: one for one in MEASURES.values()}
    return [pytest.param(getattr(skrankagg.metrics, name), one, id=name) for name, one in functions.items()]


@pytest.mark.parametrize(("measure", "known"), public_measures())
def test_measures_warn_once_about_missing_queries(measure, known):
    cutoff = {"none": {}, "required": {"k": 0.1 if known.cutoff_kind == "recall" else 2}, "optional": {}}[known.cutoff]
    assert inspect.signature(measure).parameters["missing_queries"].default is None
    _, caught = caught_by(lambda: measure(FEW, QRELS, **cutoff))
    assert "15 of the 20 judged queries" in the_only(caught, MissingQueriesWarning)
    assert caught_by(lambda: measure(FEW, QRELS, **cutoff, missing_queries="zero"))[1] == []
    plain = {"q1": ["a"]}, {"q1": {"a"}, "q2": {"b"}, "q3": {"c"}}
    _, caught = caught_by(lambda: measure(*plain, **cutoff))
    assert "2 of the 3 judged queries" in the_only(caught, MissingQueriesWarning)


def test_evaluate_warns_once_about_missing_queries_of_several_runs():
    runs = {"whole": RUN, "few": FEW, "fewer": FEW[FEW["query"] < "q03"]}
    text = the_only(caught_by(lambda: evaluate(runs, QRELS, "map"))[1], MissingQueriesWarning)
    assert text.startswith("15 of the 20 judged queries have no results in the run 'few' and count as 0.")
    assert "Most queries also have no results in 1 other run." in text


# ---------------------------------------------------------------------- runs without judged items

OTHER_ITEMS = RUN.assign(item="z" + RUN["item"])
OTHER_QUERIES = RUN.assign(query="z" + RUN["query"])
BAD = {
    "no rows": (RUN.iloc[:0], "is empty"),
    "no rows or columns": (pd.DataFrame(), "is empty"),
    "an empty dict": ({}, "is empty"),
    "an empty list": ([], "is empty"),
    "empty lists by query": ({"q01": [], "q02": {}}, "is empty"),
    "other items": (
        OTHER_ITEMS,
        "contains no judged item: it has 'zi001', 'zi002', ..., but the qrels judge 'i001', 'i002'",
    ),
    "other queries": (
        OTHER_QUERIES,
        "contains no judged query: it has 'zq01', 'zq02', ..., but the qrels judge 'q01', 'q02'",
    ),
}
BAD_RUNS = pytest.mark.parametrize(("bad", "words"), BAD.values(), ids=BAD.keys())


@BAD_RUNS
def test_evaluate_measures_other_runs_next_to_a_bad_one(bad, words):
    table, caught = caught_by(lambda: evaluate({"good": RUN, "bad": bad}, QRELS, ["map", "ndcg@10", "num_rel"]))
    text = the_only(caught, NothingJudgedWarning)
    assert text.startswith(f"The run 'bad' {words}") and "; it scores 0." in text
    assert caught[0].filename == __file__
    pd.testing.assert_frame_equal(table.loc[["good"]].rename({"good": "run"}), evaluate(RUN, QRELS, list(table)))
    assert table.loc["bad"].tolist() == [0.0, 0.0, table.loc["good", "num_rel"]]
    with pytest.warns(NothingJudgedWarning):
        each = evaluate({"good": RUN, "bad": bad}, QRELS, "map", per_query=True)
    assert (each.loc["bad", "map"] == 0).all() and len(each.loc["bad"]) == len(each.loc["good"]) == 20


@BAD_RUNS
def test_measures_of_a_bad_run_are_zero_with_a_warning(bad, words):
    if isinstance(bad, dict):  # evaluate takes a dict for several runs
        call = lambda: get_measure("map").summarize(ndcg(bad, QRELS, per_query=True))  # noqa: E731
    else:
        call = lambda: evaluate(bad, QRELS, "map").iloc[0, 0]  # noqa: E731
    value, caught = caught_by(call)
    assert value == 0 and f"The run {words}" in the_only(caught, NothingJudgedWarning)
    value, caught = caught_by(lambda: precision(bad, QRELS, 5))
    assert value == 0 and f"The run {words}" in the_only(caught, NothingJudgedWarning)
    # missing_queries="zero" does not silence the warning about a run without any results.
    the_only(caught_by(lambda: precision(bad, QRELS, 5, missing_queries="zero"))[1], NothingJudgedWarning)


@pytest.mark.parametrize("frame", ["polars", "pyarrow"])
def test_ndcg_accepts_empty_frames_of_other_libraries(frame):
    module = pytest.importorskip(frame)
    make = module.DataFrame if frame == "polars" else module.table
    empty = make({"query": [], "item": [], "rank": []})
    with pytest.warns(NothingJudgedWarning, match="The run is empty"):
        assert ndcg(empty, QRELS) == 0


@pytest.mark.parametrize("ties", ["order", "trec_eval", "expected", "optimistic", "pessimistic"])
def test_evaluate_of_an_empty_run_is_zero_in_every_measure(ties):
    names = [name for name in FILLED if ties != "expected" or get_measure(name).has_expectation]
    with pytest.warns(NothingJudgedWarning):
        values = evaluate({"bad": {}}, QRELS, names, ties=ties).loc["bad"]
    assert values.drop(["num_rel", "gmap"]).eq(0).all()
    assert values["gmap"] == pytest.approx(1e-5) and values["num_rel"] == evaluate(RUN, QRELS, "num_rel").iloc[0, 0]
    with pytest.warns(
        NothingJudgedWarning, match="it scores NaN, because missing_queries='skip' leaves out all queries"
    ):
        skipped = evaluate({"bad": {}}, QRELS, names, ties=ties, missing_queries="skip").loc["bad"]
    counts = ["num_ret", "num_rel", "num_rel_ret"]
    assert skipped.drop(counts).isna().all() and skipped[counts].eq(0).all()


def test_measures_accept_empty_or_unjudged_plain_lists():
    truth = {"q1": {"a": 1}, "q2": {"b": 2}}
    table, caught = caught_by(lambda: evaluate({"good": {"q1": ["a"], "q2": ["b"]}, "empty": {}}, truth, "map"))
    assert table["map"].tolist() == [1.0, 0.0] and "'empty' is empty" in the_only(caught, NothingJudgedWarning)
    with pytest.warns(
        NothingJudgedWarning, match="contains no judged query: it has 'x1', but the qrels judge 'q1', 'q2'"
    ):
        assert precision({"x1": ["a"]}, truth, 1) == 0
    for run, qrels in (([], [["a"], ["b"]]), ([[], []], [["a"], ["b"]]), ([], ["a"]), ({}, {"a": 1})):
        with pytest.warns(NothingJudgedWarning, match="The run is empty"):
            assert precision(run, qrels, 1) == 0
    # Lists of relevant items need not contain irrelevant ones.
    assert precision([["x"]], [["a"]], 1) == 0 and precision([["x"]], [[]], 1) == 0


def test_precision_rejects_strings_as_lists():
    with pytest.raises(TypeError, match="must be a list or a dict; got 'ab' for query 0"):
        precision(["ab", "c"], [["a"], ["c"]], 1)
    with pytest.raises(TypeError, match=r"got 1\.0 for query 'q'"):
        precision({"q": 1.0}, {"q": ["a"]}, 1)


# ---------------------------------------------------------------------- ids that cannot match are errors

NUMBERED = RUN.assign(query=RUN["query"].str[1:].astype(int))
NUMBERED_ITEMS = RUN.assign(item=RUN["item"].str[1:].astype(int))


@pytest.mark.parametrize(("run", "kind"), [(NUMBERED, "query"), (NUMBERED_ITEMS, "item")], ids=["queries", "items"])
def test_measures_reject_integer_ids_for_string_ids(run, kind):
    words = rf"share no {kind} id: the lists have 1, 2, \.\.\., the qrels have '.*, and numbers never equal strings"
    for call in (
        lambda: evaluate(run, QRELS, "map"),
        lambda: evaluate(run.astype({kind: "category"}), QRELS.astype({kind: "category"}), "map"),
        lambda: ndcg(RankedLists.from_frame(run), Qrels.from_frame(QRELS)),
    ):
        with pytest.raises(ValueError, match=words):
            call()
    with pytest.raises(ValueError, match=rf"The run 'bad' cannot be evaluated: The qrels .*share no {kind} id"):
        evaluate({"good": RUN, "bad": run}, QRELS, "map")


@pytest.mark.parametrize(
    ("run", "qrels", "words"),
    [
        ({1: ["a"]}, {"1": ["a"]}, "query id: the lists have 1, the qrels have '1', and numbers never equal strings"),
        ([[1, 2]], [["1"]], "no item id: the lists have 1, 2, the qrels have '1', and numbers never equal strings"),
        (["1"], [1], "no item id: the lists have '1', the qrels have 1, and strings never equal numbers"),
    ],
)
def test_precision_rejects_integer_ids_for_string_ids_in_plain_lists(run, qrels, words):
    with pytest.raises(ValueError, match=words):
        precision(run, qrels, 1)


def test_precision_accepts_unmatched_ids_of_mixed_types():
    assert precision([["a", 1]], [[2]], 1) == 0
    assert precision([[("a", 1)]], [["a"]], 1) == 0


# ---------------------------------------------------------------------- methods, scorers, voters


class Answers(sklearn.base.TransformerMixin, sklearn.base.BaseEstimator):
    """A foreign transformer that returns its own consensus."""

    def __init__(self, consensus=None):
        self.consensus = consensus

    def fit(self, X, y=None):
        return self

    def transform(self, X):
        return self.consensus


@pytest.mark.parametrize("bad", [RUN.iloc[:0], OTHER_ITEMS, OTHER_QUERIES], ids=["empty", "items", "queries"])
def test_comparator_scores_a_member_without_judged_results_as_zero(bad):
    members = [("good", METHOD), ("bad", Answers(bad))]
    with pytest.warns(NothingJudgedWarning, match="The run (is empty|contains no judged)"):
        comparator = Comparator(members, metrics=["map", "num_rel"], qrels=QRELS).fit(LISTS)
    assert comparator.results_.loc["bad", "map"] == 0 and comparator.best_name_ == "good"
    assert comparator.results_["num_rel"].nunique() == 1
    with pytest.warns(NothingJudgedWarning):
        assert make_ranking_scorer("map", qrels=QRELS)(Answers(bad), LISTS) == 0


def test_comparator_rejects_a_member_with_integer_ids_for_string_ids():
    with pytest.raises(ValueError, match="share no item id"):
        Comparator([("bad", Answers(NUMBERED_ITEMS))], metrics="map", qrels=QRELS).fit(LISTS)


def test_scorer_and_evaluate_voters_give_zero_without_judged_items():
    others = QRELS.assign(item="z" + QRELS["item"])
    with pytest.warns(NothingJudgedWarning, match="The lists contain no judged item"):
        assert make_ranking_scorer("map", qrels=others)(METHOD, LISTS) == 0
    with pytest.warns(NothingJudgedWarning, match="The lists contain no judged item"):
        assert evaluate_voters(LISTS, others, "map")["map"].eq(0).all()


def test_cutoff_display_does_not_warn_about_queries_outside_the_comparison():
    pytest.importorskip("matplotlib").use("Agg")
    from matplotlib import pyplot

    from skrankagg.plotting import CutoffDisplay

    comparator = Comparator([("sum", METHOD)], metrics="map", qrels=QRELS).fit(LISTS[:5])
    table = CutoffDisplay.from_comparator(comparator, "p", cutoffs=[1, 2]).table
    pyplot.close("all")
    expected = evaluate(FEW, QRELS, ["p@1", "p@2"], missing_queries="skip")
    np.testing.assert_allclose(table, expected)


def test_command_line_evaluate_warns_about_bad_runs_and_continues(tmp_path, monkeypatch, capsys, patience):
    monkeypatch.chdir(tmp_path)
    for name, frame in {"few": FEW, "other": OTHER_QUERIES, "whole": RUN, "qrels": QRELS}.items():
        frame.to_csv(f"{name}.csv", index=False)
    assert main(["evaluate", "few.csv", "other.csv", "whole.csv", "qrels.csv", "--metrics", "map"]) == 0
    out, err = capsys.readouterr()
    rows = [line.split()[0] for line in out.partition("\n\n")[0].splitlines()[2:]]
    assert rows == ["whole.csv", "few.csv", "other.csv"]
    assert "15 of the 20 judged queries have no results in the run 'few.csv'" in err
    assert "The run 'other.csv' contains no judged query" in err and err.count("\n") == 2
    assert main(["evaluate", "few.csv", "qrels.csv", "--missing-queries", "zero"]) == 0
    assert capsys.readouterr().err == ""


# ---------------------------------------------------------------------- folds without judged queries

FOLD = r"share no query id: .*fold.*lists\.judged\(qrels\).*QueryKFold\(qrels=qrels\)"


def test_evaluate_does_not_warn_if_the_query_and_the_item_are_judged_separately():
    run = pd.DataFrame({"query": ["q"], "item": ["a"], "rank": [1]})
    qrels = pd.DataFrame({"query": ["q", "r"], "item": ["b", "a"], "relevance": 1})
    assert evaluate(run, qrels, missing_queries="zero")["map"].tolist() == [0.0]


def test_scorer_error_for_an_unjudged_fold_names_the_remedy():
    scorer = make_ranking_scorer("map", qrels=SOME_QRELS)
    with pytest.raises(ValueError, match=FOLD):
        scorer(METHOD, LISTS[[1, 2]])
    with pytest.raises(ValueError, match=FOLD):
        Comparator([("sum", METHOD)], qrels=SOME_QRELS).fit(LISTS[[1, 2]])
    with pytest.warns(UserWarning, match=FOLD):
        scores = cross_val_score(METHOD, LISTS, scoring=scorer, cv=5)
    assert np.isnan(scores).tolist() == [False, False, False, True, False]  # q13 to q16


@pytest.mark.parametrize(
    ("X", "cv"),
    [
        (LISTS.judged(SOME_QRELS), 5),
        (LISTS, QueryKFold(5, qrels=SOME_QRELS)),
        (FRAME, QueryKFold(5, qrels=Qrels.from_frame(SOME_QRELS))),
    ],
    ids=["judged lists", "lists", "frame"],
)
def test_judged_lists_and_query_k_fold_give_a_score_for_every_fold(X, cv):
    scorer = make_ranking_scorer("map", qrels=SOME_QRELS)
    each = evaluate(RUN, SOME_QRELS, "map", per_query=True)["map"]
    np.testing.assert_allclose(cross_val_score(METHOD, X, scoring=scorer, cv=cv), each, rtol=1e-12)
    search = GridSearchCV(METHOD, {"norm": ["borda", "rank"]}, scoring=scorer, cv=cv).fit(X)
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()


def test_judged_returns_the_lists_of_judged_queries():
    judged = LISTS.judged(SOME_QRELS)
    assert judged.queries.tolist() == sorted(set(SOME_QRELS["query"]))
    pd.testing.assert_frame_equal(
        judged.to_frame(), LISTS.to_frame().query("query in @SOME_QRELS['query']").reset_index(drop=True)
    )
    assert LISTS.judged(QRELS) is LISTS and LISTS.judged(Qrels.from_frame(QRELS)) is LISTS
    categories = RankedLists.from_frame(FRAME.astype({"query": "category"}))
    assert categories.judged(SOME_QRELS).queries.tolist() == judged.queries.tolist()
    with pytest.raises(ValueError, match="must judge at least one query of the lists; they share no query id"):
        LISTS.judged(SOME_QRELS.assign(query="z" + SOME_QRELS["query"]))
    with pytest.raises(ValueError, match="numbers never equal strings"):
        RankedLists.from_frame(FRAME.assign(query=FRAME["query"].str[1:].astype(int))).judged(SOME_QRELS)


def queries_of(X, samples):
    return set(X.queries[samples]) if X is LISTS else set(X["query"].iloc[samples])


@pytest.mark.parametrize("X", [LISTS, FRAME, FRAME.sample(frac=1, random_state=0)], ids=["lists", "frame", "shuffled"])
def test_query_k_fold_with_qrels_trains_on_unjudged_queries_but_never_tests_them(X):
    judged, everything = set(SOME_QRELS["query"]), set(LISTS.queries)
    tested = []
    for train, test in QueryKFold(2, shuffle=True, random_state=0, qrels=SOME_QRELS).split(X):
        assert queries_of(X, test) <= judged and queries_of(X, test)
        assert queries_of(X, train) == everything - queries_of(X, test)
        assert len(train) + len(test) == len(X)
        tested += queries_of(X, test)
    assert sorted(tested) == sorted(judged)
    for train, test in QueryShuffleSplit(4, test_size=2, train_size=1, random_state=0, qrels=SOME_QRELS).split(X):
        assert len(queries_of(X, test)) == 2 and queries_of(X, test) <= judged
        assert queries_of(X, train) - judged == everything - judged and len(queries_of(X, train) & judged) == 1


def test_unsupervised_learning_uses_unjudged_queries_of_query_k_fold():
    scorer = make_ranking_scorer("map", qrels=SOME_QRELS)
    method = DIBRA(METHOD, weighting="global")
    train, test = next(QueryKFold(5, qrels=SOME_QRELS).split(LISTS))
    assert (len(train), len(test)) == (19, 1)
    expected = scorer(sklearn.base.clone(method).fit(LISTS[train]), LISTS[test])
    assert cross_val_score(method, LISTS, scoring=scorer, cv=QueryKFold(5, qrels=SOME_QRELS))[0] == expected


def test_splitters_reject_too_few_judged_queries():
    with pytest.raises(ValueError, match=r"number of judged queries, which is 5; got 6"):
        list(QueryKFold(6, qrels=SOME_QRELS).split(LISTS))
    with pytest.raises(ValueError, match="share no query id"):
        list(QueryKFold(2, qrels=SOME_QRELS.assign(query="z" + SOME_QRELS["query"])).split(FRAME))
    with pytest.raises(TypeError, match="data frame"):
        QueryShuffleSplit(qrels=[1])


def test_splitters_with_qrels_can_be_copied_and_pickled():
    splitter = QueryKFold(2, qrels=SOME_QRELS)
    assert copy.deepcopy(splitter).qrels is splitter.qrels  # immutable, and not small
    again = pickle.loads(pickle.dumps(splitter))
    for ours, theirs in zip(splitter.split(LISTS), again.split(LISTS), strict=True):
        assert ours[1].tolist() == theirs[1].tolist()
    assert "Qrels(n_queries=5" in repr(splitter)


def test_num_ret_counts_results_of_queries_with_results():
    with pytest.warns(MissingQueriesWarning):
        assert num_ret(FEW, QRELS) == len(FEW)
