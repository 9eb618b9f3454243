"""Runs that lack queries, are empty, or have no judged item; and folds without judgements."""

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

FRAME, QRELS = make_ranked_lists(n_queries=20, random_state=0)
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


def test_a_custom_scorer_over_all_judgements_warns():
    right = cross_val_score(METHOD, LISTS, scoring=make_ranking_scorer("ndcg@10", qrels=QRELS), cv=3)
    with pytest.warns(MissingQueriesWarning, match="1[34] of the 20 judged queries have no results") as found:
        wrong = cross_val_score(METHOD, LISTS, scoring=home_made, cv=3)
    assert len(found) == 3  # one for each fold, whatever the number of measures
    assert right.min() > 0.8 and wrong.max() < 0.4
    for cure in ("missing_queries='skip'", "qrels of the queries", "make_ranking_scorer"):
        assert cure in str(found[0].message)


def test_the_warning_comes_once_and_at_the_caller():
    _, caught = caught_by(lambda: evaluate(FEW, QRELS, ["map", "p@10", "ndcg@10"], per_query=True))
    text = the_only(caught, MissingQueriesWarning)
    assert text.startswith("15 of the 20 judged queries have no results and count as 0;")
    assert caught[0].filename == __file__
    _, caught = caught_by(lambda: ndcg(FEW, QRELS))
    assert caught[0].filename == __file__


def test_half_of_the_queries_may_lack_results():
    for n_queries in (10, 20):
        run = RUN[RUN["query"] <= f"q{n_queries}"]
        assert caught_by(lambda run=run: evaluate(run, QRELS, "map"))[1] == []
    the_only(caught_by(lambda: evaluate(RUN[RUN["query"] < "q10"], QRELS, "map"))[1], MissingQueriesWarning)


def test_an_explicit_choice_does_not_warn():
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
def test_every_measure_warns_once(measure, known):
    cutoff = {"none": {}, "required": {"k": 0.1 if known.cutoff_kind == "recall" else 2}, "optional": {}}[known.cutoff]
    assert inspect.signature(measure).parameters["missing_queries"].default is None
    _, caught = caught_by(lambda: measure(FEW, QRELS, **cutoff))
    assert "15 of the 20 judged queries" in the_only(caught, MissingQueriesWarning)
    assert caught_by(lambda: measure(FEW, QRELS, **cutoff, missing_queries="zero"))[1] == []
    plain = {"q1": ["a"]}, {"q1": {"a"}, "q2": {"b"}, "q3": {"c"}}
    _, caught = caught_by(lambda: measure(*plain, **cutoff))
    assert "2 of the 3 judged queries" in the_only(caught, MissingQueriesWarning)


def test_several_runs_are_named_in_one_warning():
    runs = {"whole": RUN, "few": FEW, "fewer": FEW[FEW["query"] < "q03"]}
    text = the_only(caught_by(lambda: evaluate(runs, QRELS, "map"))[1], MissingQueriesWarning)
    assert text.startswith("15 of the 20 judged queries have no results in the run 'few', and most have none in 1 of")


# ---------------------------------------------------------------------- runs of which nothing is judged

OTHER_ITEMS = RUN.assign(item="z" + RUN["item"])
OTHER_QUERIES = RUN.assign(query="z" + RUN["query"])
BAD = {
    "no rows": (RUN.iloc[:0], "is empty"),
    "no rows or columns": (pd.DataFrame(), "is empty"),
    "an empty dict": ({}, "is empty"),
    "an empty list": ([], "is empty"),
    "empty lists by query": ({"q01": [], "q02": {}}, "is empty"),
    "other items": (OTHER_ITEMS, "holds no judged item: it has 'zi001', 'zi002', ..., the qrels judge 'i001', 'i002'"),
    "other queries": (OTHER_QUERIES, "holds no judged query: it has 'zq01', 'zq02', ..., the qrels judge 'q01', 'q02'"),
}
BAD_RUNS = pytest.mark.parametrize(("bad", "words"), BAD.values(), ids=BAD.keys())


@BAD_RUNS
def test_a_bad_run_does_not_stop_the_others(bad, words):
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
def test_a_single_bad_run_is_zero(bad, words):
    if isinstance(bad, dict):  # evaluate takes a dict for several runs
        call = lambda: get_measure("map").summarize(ndcg(bad, QRELS, per_query=True))  # noqa: E731
    else:
        call = lambda: evaluate(bad, QRELS, "map").iloc[0, 0]  # noqa: E731
    value, caught = caught_by(call)
    assert value == 0 and f"The run {words}" in the_only(caught, NothingJudgedWarning)
    value, caught = caught_by(lambda: precision(bad, QRELS, 5))
    assert value == 0 and f"The run {words}" in the_only(caught, NothingJudgedWarning)
    # Choosing 0 for queries without results does not cover a run without any results.
    the_only(caught_by(lambda: precision(bad, QRELS, 5, missing_queries="zero"))[1], NothingJudgedWarning)


@pytest.mark.parametrize("frame", ["polars", "pyarrow"])
def test_empty_frames_of_other_libraries_are_empty_runs(frame):
    module = pytest.importorskip(frame)
    make = module.DataFrame if frame == "polars" else module.table
    empty = make({"query": [], "item": [], "rank": []})
    with pytest.warns(NothingJudgedWarning, match="The run is empty"):
        assert ndcg(empty, QRELS) == 0


@pytest.mark.parametrize("ties", ["order", "trec_eval", "expected", "optimistic", "pessimistic"])
def test_every_measure_of_an_empty_run_is_zero(ties):
    names = [name for name in FILLED if ties != "expected" or get_measure(name).has_expectation]
    with pytest.warns(NothingJudgedWarning):
        values = evaluate({"bad": {}}, QRELS, names, ties=ties).loc["bad"]
    assert values.drop(["num_rel", "gmap"]).eq(0).all()
    assert values["gmap"] == pytest.approx(1e-5) and values["num_rel"] == evaluate(RUN, QRELS, "num_rel").iloc[0, 0]
    with pytest.warns(NothingJudgedWarning, match="it scores NaN, for missing_queries='skip' leaves out all queries"):
        skipped = evaluate({"bad": {}}, QRELS, names, ties=ties, missing_queries="skip").loc["bad"]
    counts = ["num_ret", "num_rel", "num_rel_ret"]
    assert skipped.drop(counts).isna().all() and skipped[counts].eq(0).all()


def test_plain_lists_by_query_may_be_empty_or_judged_elsewhere():
    truth = {"q1": {"a": 1}, "q2": {"b": 2}}
    table, caught = caught_by(lambda: evaluate({"good": {"q1": ["a"], "q2": ["b"]}, "empty": {}}, truth, "map"))
    assert table["map"].tolist() == [1.0, 0.0] and "'empty' is empty" in the_only(caught, NothingJudgedWarning)
    with pytest.warns(NothingJudgedWarning, match="holds no judged query: it has 'x1', the qrels judge 'q1', 'q2'"):
        assert precision({"x1": ["a"]}, truth, 1) == 0
    for run, qrels in (([], [["a"], ["b"]]), ([[], []], [["a"], ["b"]]), ([], ["a"]), ({}, {"a": 1})):
        with pytest.warns(NothingJudgedWarning, match="The run is empty"):
            assert precision(run, qrels, 1) == 0
    # Lists of relevant items need not hold any item that is not relevant.
    assert precision([["x"]], [["a"]], 1) == 0 and precision([["x"]], [[]], 1) == 0


def test_a_word_is_not_a_list_of_letters():
    with pytest.raises(TypeError, match="Each query needs its items in a list or a dict; query 0 has 'ab'"):
        precision(["ab", "c"], [["a"], ["c"]], 1)
    with pytest.raises(TypeError, match=r"query 'q' has 1\.0"):
        precision({"q": 1.0}, {"q": ["a"]}, 1)


# ---------------------------------------------------------------------- ids that cannot match are errors

NUMBERED = RUN.assign(query=RUN["query"].str[1:].astype(int))
NUMBERED_ITEMS = RUN.assign(item=RUN["item"].str[1:].astype(int))


@pytest.mark.parametrize(("run", "kind"), [(NUMBERED, "query"), (NUMBERED_ITEMS, "item")], ids=["queries", "items"])
def test_integer_ids_for_string_ids_are_refused(run, kind):
    words = rf"they share no {kind} id: the lists have 1, 2, \.\.\., the qrels '.*, and numbers never equal strings"
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
        ({1: ["a"]}, {"1": ["a"]}, "no query id: the lists have 1, the qrels '1', and numbers never equal strings"),
        ([[1, 2]], [["1"]], "no item id: the lists have 1, 2, the qrels '1', and numbers never equal strings"),
        (["1"], [1], "no item id: the lists have '1', the qrels 1, and strings never equal numbers"),
    ],
)
def test_integer_ids_for_string_ids_are_refused_in_plain_lists(run, qrels, words):
    with pytest.raises(ValueError, match=words):
        precision(run, qrels, 1)


def test_ids_of_mixed_types_could_match():
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
def test_a_member_with_a_useless_result_does_not_stop_a_comparison(bad):
    members = [("good", METHOD), ("bad", Answers(bad))]
    with pytest.warns(NothingJudgedWarning, match="The run (is empty|holds no judged)"):
        comparator = Comparator(members, metrics=["map", "num_rel"], qrels=QRELS).fit(LISTS)
    assert comparator.results_.loc["bad", "map"] == 0 and comparator.best_name_ == "good"
    assert comparator.results_["num_rel"].nunique() == 1
    with pytest.warns(NothingJudgedWarning):
        assert make_ranking_scorer("map", qrels=QRELS)(Answers(bad), LISTS) == 0


def test_a_member_with_integer_ids_for_string_ids_is_refused():
    with pytest.raises(ValueError, match="share no item id"):
        Comparator([("bad", Answers(NUMBERED_ITEMS))], metrics="map", qrels=QRELS).fit(LISTS)


def test_lists_without_a_judged_item_score_zero():
    others = QRELS.assign(item="z" + QRELS["item"])
    with pytest.warns(NothingJudgedWarning, match="The lists contain no judged item"):
        assert make_ranking_scorer("map", qrels=others)(METHOD, LISTS) == 0
    with pytest.warns(NothingJudgedWarning, match="The lists contain no judged item"):
        assert evaluate_voters(LISTS, others, "map")["map"].eq(0).all()


def test_plots_of_more_measures_do_not_warn_of_queries_outside_the_comparison():
    pytest.importorskip("matplotlib").use("Agg")
    from matplotlib import pyplot

    from skrankagg.plotting import CutoffDisplay

    comparator = Comparator([("sum", METHOD)], metrics="map", qrels=QRELS).fit(LISTS[:5])
    table = CutoffDisplay.from_comparator(comparator, "p", cutoffs=[1, 2]).table
    pyplot.close("all")
    expected = evaluate(FEW, QRELS, ["p@1", "p@2"], missing_queries="skip")
    np.testing.assert_allclose(table, expected)


def test_the_command_line_warns_and_goes_on(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    for name, frame in {"few": FEW, "other": OTHER_QUERIES, "whole": RUN, "qrels": QRELS}.items():
        frame.to_csv(f"{name}.csv", index=False)
    assert main(["evaluate", "few.csv", "other.csv", "whole.csv", "qrels.csv", "--metrics", "map"]) == 0
    out, err = capsys.readouterr()
    rows = [line.split()[0] for line in out.partition("\n\n")[0].splitlines()[2:]]
    assert rows == ["whole.csv", "few.csv", "other.csv"]
    assert "15 of the 20 judged queries have no results in the run 'few.csv'" in err
    assert "The run 'other.csv' holds no judged query" in err and err.count("\n") == 2
    assert main(["evaluate", "few.csv", "qrels.csv", "--missing-queries", "zero"]) == 0
    assert capsys.readouterr().err == ""


# ---------------------------------------------------------------------- folds without judged queries

FOLD = r"share no query id: .*fold.*lists\.judged\(qrels\).*QueryKFold\(qrels=qrels\)"


def test_a_fold_without_judged_queries_names_the_remedy():
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
def test_the_remedies_give_a_score_for_every_fold(X, cv):
    scorer = make_ranking_scorer("map", qrels=SOME_QRELS)
    each = evaluate(RUN, SOME_QRELS, "map", per_query=True)["map"]
    np.testing.assert_allclose(cross_val_score(METHOD, X, scoring=scorer, cv=cv), each, rtol=1e-12)
    search = GridSearchCV(METHOD, {"norm": ["borda", "rank"]}, scoring=scorer, cv=cv).fit(X)
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()


def test_the_judged_lists_are_those_of_the_judged_queries():
    judged = LISTS.judged(SOME_QRELS)
    assert judged.queries.tolist() == sorted(set(SOME_QRELS["query"]))
    pd.testing.assert_frame_equal(
        judged.to_frame(), LISTS.to_frame().query("query in @SOME_QRELS['query']").reset_index(drop=True)
    )
    assert LISTS.judged(QRELS) is LISTS and LISTS.judged(Qrels.from_frame(QRELS)) is LISTS
    categories = RankedLists.from_frame(FRAME.astype({"query": "category"}))
    assert categories.judged(SOME_QRELS).queries.tolist() == judged.queries.tolist()
    with pytest.raises(ValueError, match="must judge some query of the lists; they share no query id"):
        LISTS.judged(SOME_QRELS.assign(query="z" + SOME_QRELS["query"]))
    with pytest.raises(ValueError, match="numbers never equal strings"):
        RankedLists.from_frame(FRAME.assign(query=FRAME["query"].str[1:].astype(int))).judged(SOME_QRELS)


def queries_of(X, samples):
    return set(X.queries[samples]) if X is LISTS else set(X["query"].iloc[samples])


@pytest.mark.parametrize("X", [LISTS, FRAME, FRAME.sample(frac=1, random_state=0)], ids=["lists", "frame", "shuffled"])
def test_queries_without_judgements_are_trained_on_and_never_tested(X):
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


def test_what_is_learnt_without_judgements_is_learnt_from_all_queries():
    scorer = make_ranking_scorer("map", qrels=SOME_QRELS)
    method = DIBRA(METHOD, weighting="global")
    train, test = next(QueryKFold(5, qrels=SOME_QRELS).split(LISTS))
    assert (len(train), len(test)) == (19, 1)
    expected = scorer(sklearn.base.clone(method).fit(LISTS[train]), LISTS[test])
    assert cross_val_score(method, LISTS, scoring=scorer, cv=QueryKFold(5, qrels=SOME_QRELS))[0] == expected


def test_splitters_refuse_too_few_judged_queries():
    with pytest.raises(ValueError, match=r"QueryKFold\(n_splits=6\) needs at least 6 judged queries; X has 5"):
        list(QueryKFold(6, qrels=SOME_QRELS).split(LISTS))
    with pytest.raises(ValueError, match="share no query id"):
        list(QueryKFold(2, qrels=SOME_QRELS.assign(query="z" + SOME_QRELS["query"])).split(FRAME))
    with pytest.raises(TypeError, match="data frame"):
        QueryShuffleSplit(qrels=[1])


def test_splitters_with_judgements_are_copied_and_pickled():
    splitter = QueryKFold(2, qrels=SOME_QRELS)
    assert copy.deepcopy(splitter).qrels is splitter.qrels  # immutable, and not small
    again = pickle.loads(pickle.dumps(splitter))
    for ours, theirs in zip(splitter.split(LISTS), again.split(LISTS), strict=True):
        assert ours[1].tolist() == theirs[1].tolist()
    assert "Qrels(n_queries=5" in repr(splitter)


def test_results_count_the_queries_used():
    with pytest.warns(MissingQueriesWarning):
        assert num_ret(FEW, QRELS) == len(FEW)
