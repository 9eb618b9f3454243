"""Custom measures: functions of a ranking and its judgements in place of a measure's name."""

import copy
import functools
import pickle
from concurrent.futures import ProcessPoolExecutor
from dataclasses import FrozenInstanceError

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, cross_val_score

from skrankagg import BordaCount, CombSUM, Comparator, Copeland, Qrels, RankedLists, ReciprocalRankFusion, evaluate
from skrankagg.datasets import make_ranked_lists
from skrankagg.exceptions import InputError, InputTypeError
from skrankagg.metrics import (
    JudgedRanking,
    RankingScorer,
    evaluate_voters,
    get_measure,
    make_measure,
    make_ranking_scorer,
    ndcg,
)
from skrankagg.metrics._judging._judged_lists import JudgedLists
from skrankagg.metrics._relevance._own_measure import noted_measure
from skrankagg.model_selection import (
    compare_methods,
    compare_ranks,
    latex_table,
    select_results,
    significance_marks,
    text_table,
)
from skrankagg.preprocessing import VoterSelector


def reciprocal(ranking):
    return 1 / (1 + np.argmax(ranking.relevant)) if ranking.relevant.any() else 0.0


def precision_at_ten(ranking):
    return np.count_nonzero(ranking.relevant[:10]) / 10


def graded_gain(ranking):
    def dcg(grades):
        return ((2 ** np.maximum(grades, 0) - 1) / np.log2(np.arange(len(grades)) + 2)).sum()

    ideal = dcg(ranking.grades)
    return dcg(ranking.relevance) / ideal if ideal > 0 else 0.0


def known_share(ranking):
    return ranking.judged[:5].mean() if len(ranking) else 0


def first_place(ranking):
    return 1 + int(np.argmax(ranking.relevant)) if ranking.relevant.any() else np.nan


SAME = {reciprocal: "mrr", precision_at_ten: "p@10", graded_gain: "ndcg", known_share: "judged@5"}
LOWER = make_measure(first_place, greater_is_better=False)


def random_data(seed):
    rng = np.random.default_rng(seed)
    run, qrels = [], []
    for query in range(25):
        if query % 6:
            items = rng.permutation(60)[: rng.integers(1, 50)]
            run += [(query, item, score) for item, score in zip(items, rng.integers(0, 9, len(items)), strict=True)]
        judged = rng.permutation(60)[: rng.integers(1, 40)]
        high = rng.integers(1, 5)
        qrels += [(query, item, grade) for item, grade in zip(judged, rng.integers(-1, high, len(judged)), strict=True)]
    return (
        pd.DataFrame(run, columns=["query", "item", "score"]),
        pd.DataFrame(qrels, columns=["query", "item", "relevance"]),
    )


FRAME, JUDGED, _ = make_ranked_lists(n_queries=12, quality=0.4, quality_spread=1.0, random_state=3)
JUDGED = JUDGED.sample(frac=0.5, random_state=0)
LISTS, QRELS = RankedLists.from_frame(FRAME), Qrels.from_frame(JUDGED)
METHODS = [("sum", CombSUM(norm="borda")), ("copeland", Copeland()), ("rrf", ReciprocalRankFusion(k=1))]


@pytest.fixture
def pyplot():
    pytest.importorskip("matplotlib").use("Agg")
    from matplotlib import pyplot

    yield pyplot
    pyplot.close("all")


# ---------------------------------------------------------------------- the same numbers


@pytest.mark.parametrize("ties", ["order", "trec_eval", "optimistic", "pessimistic"])
@pytest.mark.parametrize("missing_queries", ["zero", "skip"])
@pytest.mark.parametrize("threshold", [None, 2])
def test_custom_functions_equal_the_built_in_measures(ties, missing_queries, threshold):
    for seed in range(3):
        run, qrels = random_data(seed)
        options = {
            "ties": ties,
            "missing_queries": missing_queries,
            "relevance_threshold": threshold,
            "per_query": True,
        }
        ours = evaluate(run, qrels, list(SAME), **options)
        theirs = evaluate(run, qrels, list(SAME.values()), **options)
        assert list(ours) == [function.__name__ for function in SAME] and len(ours) == (
            25 if missing_queries == "zero" else 20
        )
        np.testing.assert_allclose(ours, theirs, rtol=1e-13, atol=1e-15)


def test_functions_of_metrics_accept_custom_functions_next_to_names():
    metrics, names = ["map", reciprocal, make_measure(graded_gain, name="gain")], ["map", "mrr", "ndcg"]

    def equal(found, expected, columns=("map", "reciprocal", "gain")):
        assert list(found.columns[: len(columns)]) == list(columns)
        np.testing.assert_allclose(found[list(columns)], expected[names], rtol=1e-13)

    run = CombSUM(norm="borda").fit_transform(LISTS)
    equal(evaluate(run, QRELS, metrics), evaluate(run, QRELS, names))
    equal(evaluate({"a": run, "b": run}, QRELS, metrics), evaluate({"a": run, "b": run}, QRELS, names))
    equal(evaluate(LISTS, QRELS, metrics, per_query=True), evaluate(LISTS, QRELS, names, per_query=True))
    equal(evaluate_voters(LISTS, QRELS, metrics), evaluate_voters(LISTS, QRELS, names))
    ours, theirs = (Comparator(METHODS, metrics=one, qrels=QRELS).fit(LISTS) for one in (metrics, names))
    equal(ours.results_, theirs.results_)
    equal(ours.per_query_, theirs.per_query_)
    method = CombSUM(norm="borda").fit(LISTS)
    for make in (make_ranking_scorer, RankingScorer):
        assert make(reciprocal, qrels=QRELS)(method, LISTS) == make("mrr", qrels=QRELS)(method, LISTS)
        several = make(metrics, qrels=QRELS)(method, LISTS)
        assert list(several) == ["map", "reciprocal", "gain"] and several["reciprocal"] == pytest.approx(
            make("mrr", qrels=QRELS)(method, LISTS)
        )
    for by in (reciprocal, make_measure(reciprocal)):
        pd.testing.assert_frame_equal(
            VoterSelector(by, n_voters=3, qrels=QRELS).fit(LISTS).voter_scores_,
            VoterSelector("mrr", n_voters=3, qrels=QRELS).fit(LISTS).voter_scores_,
        )
    search = GridSearchCV(CombSUM(), {"norm": ["borda", "rank"]}, scoring=make_ranking_scorer(reciprocal, qrels=QRELS))
    theirs = GridSearchCV(CombSUM(), {"norm": ["borda", "rank"]}, scoring=make_ranking_scorer("mrr", qrels=QRELS))
    np.testing.assert_allclose(
        search.fit(LISTS).cv_results_["mean_test_score"], theirs.fit(LISTS).cv_results_["mean_test_score"]
    )


def test_evaluate_accepts_a_single_custom_function():
    run, qrels = random_data(0)
    pd.testing.assert_frame_equal(
        evaluate(run, qrels, reciprocal, missing_queries="zero"),
        evaluate(run, qrels, [reciprocal], missing_queries="zero"),
    )
    comparator = Comparator(METHODS, metrics=reciprocal, qrels=QRELS).fit(LISTS)
    assert comparator.best_score_ == comparator.results_["reciprocal"].max() == comparator.score(LISTS)


def test_custom_measure_can_be_called_on_a_run():
    measure = make_measure(reciprocal)
    run, qrels = {"p": ["x", "a"], "q": ["b"]}, {"p": ["a"], "q": {"c": 1}}
    assert measure(run, qrels) == 0.25
    values = measure(run, qrels, per_query=True)
    assert values.to_dict() == {"p": 0.5, "q": 0.0} and values.name == "reciprocal"
    assert measure(["x", "a"], ["a"]) == 0.5
    with pytest.raises(InputTypeError, match="reciprocal must be called with the run first"):
        measure(QRELS, run)


# ---------------------------------------------------------------------- argument of a custom function


def seen(run, qrels, **options):
    rankings = []

    def keep(ranking):
        rankings.append(ranking)
        return 0

    evaluate(run, qrels, keep, missing_queries="zero", **options)
    return {ranking.query: ranking for ranking in rankings}


def test_custom_function_receives_the_judged_ranking():
    run = pd.DataFrame({"query": "q", "item": [3, 1, 2], "score": [0.5, 2.0, 1.0]})
    qrels = pd.DataFrame({"query": ["q"] * 4 + ["r"], "item": [1, 3, 4, 5, 9], "relevance": [-1, 1, 3, 0, 2]})
    found = seen(run, qrels, relevance_threshold=2)
    ranking, empty = found["q"], found["r"]
    assert ranking.items == (1, 2, 3) and type(ranking.items[0]) is int
    assert ranking.relevance.tolist() == [-1, 0, 1] and ranking.judged.tolist() == [True, False, True]
    assert ranking.scores.tolist() == [2.0, 1.0, 0.5] and ranking.grades.tolist() == [3, 1, 0, -1]
    assert ranking.relevant.tolist() == [False] * 3 and (ranking.n_relevant, ranking.relevance_threshold) == (1, 2)
    assert len(empty) == 0 and empty.items == () and empty.n_relevant == 1
    assert seen(run.assign(rank=[3, 1, 2]).drop(columns="score"), qrels)["q"].scores is None


def test_custom_function_receives_plain_ids_as_given():
    run, qrels = [["b", 2, ("c", 1)], {"x": 1.5, "y": 2.5}], [{2: 1}, ["x"]]
    found = seen(run, qrels)
    assert found[0].items == ("b", 2, ("c", 1)) and found[0].scores is None
    assert found[1].items == ("y", "x") and found[1].scores.tolist() == [2.5, 1.5]


def test_custom_function_is_not_called_for_skipped_queries():
    rankings = []

    def count(ranking):
        rankings.append(repr(ranking))
        return float(len(ranking))

    run = pd.DataFrame({"query": "q", "item": [3, 1, 2], "rank": [1, 2, 3]})
    qrels = pd.DataFrame({"query": ["q", "r"], "item": [1, 9], "relevance": 1})
    assert evaluate(run, qrels, metrics=[count], missing_queries="skip")["count"].tolist() == [3.0]
    assert rankings == ["JudgedRanking(n_items=3, n_judged=1, n_relevant=1)"]


def test_custom_function_gives_nan_for_a_query_without_results():
    lists = RankedLists.from_frame(
        pd.DataFrame({"query": list("qqr"), "voter": "v", "item": [1, 2, 3], "rank": [1, 2, 1]})
    )
    judged = JudgedLists(lists, Qrels.from_dict({"q": {1: 1}, "r": {3: 1}}))
    consensus = pd.DataFrame({"query": "q", "item": [2, 1], "score": [2.0, 1.0], "rank": [1, 2]})
    calls = []

    def length(ranking):
        calls.append(ranking.query)
        return float(len(ranking))

    measures = {name: get_measure(length, missing_queries=name) for name in ("zero", "skip")}
    found = judged.measure(consensus, measures)
    np.testing.assert_array_equal(found["zero"], [2.0, 0.0])
    np.testing.assert_array_equal(found["skip"], [2.0, np.nan])
    assert calls == ["q", "r", "q"]


def test_tables_are_searched_for_the_column_of_a_function():
    def length(ranking):
        return float(len(ranking))

    table = evaluate({"a": {"q": ["x", "y", "z"]}}, {"q": ["x"]}, ["map", length])
    assert list(select_results(table, metric=length)) == ["length"]
    with pytest.raises(InputError, match=r"`query` must be None for a table without queries\. Pass comparator"):
        select_results(table, metric=length, query="q1")


def test_custom_function_receives_judged_queries_only():
    judged = JUDGED[JUDGED["query"] != JUDGED["query"].iloc[0]]
    rankings = {}

    def keep(ranking):
        rankings[ranking.query] = ranking
        return 0.0

    fitted = Comparator([("sum", CombSUM(norm="borda"))], metrics=["map", keep], qrels=judged).fit(LISTS)
    assert set(rankings) == set(judged["query"]) < set(FRAME["query"])
    run = fitted.runs_["sum"]
    for query, ranking in rankings.items():
        own = run[run["query"] == query]
        assert list(ranking.items) == own["item"].tolist()
        np.testing.assert_array_equal(ranking.scores, own["score"])


def test_judged_ranking_is_immutable():
    ranking = JudgedRanking(["a", "b"], [1, 0])
    with pytest.raises(AttributeError, match="A JudgedRanking is immutable; relevance cannot be set"):
        ranking.relevance = 3
    for array in (ranking.relevance, ranking.judged, ranking.relevant, ranking.grades):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0

    def spoil(ranking):
        ranking.relevance[:] = 0
        return 0.0

    with pytest.raises(ValueError, match="read-only"):
        evaluate([["a"]], [["a"]], spoil)
    again = pickle.loads(pickle.dumps(ranking))
    assert again.items == ("a", "b") and again.relevant.tolist() == [True, False]
    with pytest.raises(InputError, match="`scores` must have a value for each of the 2 items"):
        JudgedRanking(["a", "b"], [1, 0], scores=[1])


# ---------------------------------------------------------------------- names and returned values


def test_make_measure_names_measures():
    assert make_measure(reciprocal).title == "reciprocal" and str(make_measure(reciprocal, name="rr1")) == "rr1"
    assert list(evaluate(["a"], ["a"], [lambda_named("one"), lambda_named("two")])) == ["one", "two"]


def lambda_named(name):
    return make_measure(lambda ranking: 1.0, name=name)


@pytest.mark.parametrize(
    ("function", "options", "words"),
    [
        (lambda ranking: 0.0, {}, "a lambda has none. Pass make_measure\\(function, name=...\\)"),
        (functools.partial(reciprocal), {}, "a partial has none"),
        (reciprocal, {"name": "map"}, "'map' is the name of another measure"),
        (reciprocal, {"name": "nDCG@10"}, "'nDCG@10' is the name of another measure"),
        (reciprocal, {"name": "P_10"}, "another measure"),
        (reciprocal, {"name": "p"}, "another measure"),
        (reciprocal, {"name": "time"}, "another column of the results"),
        (reciprocal, {"name": "a[b]"}, "a str without brackets"),
        (reciprocal, {"name": " "}, "a str without brackets"),
        (reciprocal, {"greater_is_better": 0}, "`greater_is_better` must be True, False or None"),
        (reciprocal, {"greater_is_better": "no"}, "`greater_is_better` must be True, False or None"),
        (reciprocal, {"summary": "median"}, "`summary` must be one of 'mean', 'sum'"),
    ],
)
def test_make_measure_rejects_invalid_arguments(function, options, words):
    with pytest.raises(InputError, match=words):
        make_measure(function, **options)


def test_evaluate_rejects_invalid_custom_functions():
    with pytest.raises(InputError, match="a lambda has none"):
        evaluate(["a"], ["a"], ["map", lambda ranking: 0.0])
    with pytest.raises(InputTypeError, match=r"'ndcg' is already a measure\. Pass the name 'ndcg' instead"):
        evaluate(["a"], ["a"], ndcg)
    with pytest.raises(InputTypeError, match="must be a function of a JudgedRanking; got str"):
        make_measure("map")
    with pytest.raises(InputTypeError, match="'p@5' is already a measure"):
        make_measure(get_measure("p@5"))
    with pytest.raises(InputError, match="'one' is the name of two measures"):
        evaluate(["a"], ["a"], [lambda_named("one"), lambda_named("one")])
    with pytest.raises(InputError, match="'reciprocal' is repeated"):
        evaluate(["a"], ["a"], [reciprocal, make_measure(reciprocal)])
    with pytest.raises(InputError, match=r"The expectation of .* over ties has no closed form"):
        evaluate(["a"], ["a"], reciprocal, ties="expected")


@pytest.mark.parametrize("value", [None, "0.5", np.inf, -np.inf, [0.5], np.array([0.5]), 1j, np.float64("inf")])
def test_evaluate_rejects_invalid_values_of_a_custom_function(value):
    def wrong(ranking):
        return value if ranking.query == "q2" else 0.5

    runs = {"run": {"q1": ["a"], "q2": ["a"]}}
    with pytest.raises(InputError, match=r"'wrong' must return a finite number .* for query 'q2'"):
        evaluate(runs, {"q1": ["a"], "q2": ["a"]}, wrong)


@pytest.mark.parametrize("value", [1, True, np.bool_(True), np.float32(1), np.int8(1), np.array(1.0)])
def test_make_measure_accepts_any_kind_of_number(value):
    assert make_measure(lambda ranking: value, name="one")(["a"], ["a"]) == 1.0


def test_custom_measure_excludes_nan_from_the_mean():
    run, qrels = [["a", "b"], ["c"]], [["b"], ["d"]]
    assert LOWER(run, qrels) == 2.0 and np.isnan(LOWER(run, qrels, per_query=True)[1])
    total = make_measure(first_place, name="places", summary="sum")
    assert total(run * 2, qrels * 2) == 4.0 and total.is_total


def test_errors_of_a_custom_function_carry_a_note_with_the_query():
    def fails(ranking):
        return {}[ranking.items[0]]

    with pytest.raises(KeyError) as caught:
        evaluate([["a"]], [["a"]], fails)
    assert caught.value.__notes__ == ["The error occurred while the measure 'fails' was computed for query 0."]
    # The Comparator raises it, because no method has failed.
    with pytest.raises(KeyError):
        Comparator(METHODS, metrics=["map", fails], qrels=QRELS).fit(LISTS)


# ---------------------------------------------------------------------- as objects


def test_custom_measures_have_repr_and_equality():
    assert repr(make_measure(reciprocal)) == "make_measure(reciprocal)"
    assert repr(LOWER) == "make_measure(first_place, greater_is_better=False)"
    assert (
        repr(make_measure(reciprocal, name="x", summary="sum")) == "make_measure(reciprocal, name='x', summary='sum')"
    )
    strict = get_measure(reciprocal, relevance_threshold=2)
    assert repr(strict) == "get_measure(make_measure(reciprocal), relevance_threshold=2)"
    assert str(strict) == "reciprocal[relevance_threshold=2]" and strict != make_measure(reciprocal)
    assert make_measure(reciprocal) == make_measure(reciprocal) == get_measure(reciprocal)
    assert make_measure(reciprocal) != make_measure(reciprocal, greater_is_better=False)
    assert make_measure(reciprocal, name="x") != make_measure(first_place, name="x")
    assert make_measure(reciprocal) != get_measure("mrr") and hash(make_measure(reciprocal)) == hash(
        get_measure(reciprocal)
    )


def call_in_process(measure):
    return measure(["x", "a"], ["a"])


@pytest.mark.exhaustive
def test_custom_measure_can_be_pickled_copied_and_cloned():
    for again in (pickle.loads(pickle.dumps(LOWER)), copy.deepcopy(LOWER)):
        assert again == LOWER and again(["x", "a"], ["a"]) == 2.0
    with ProcessPoolExecutor(1) as pool:
        assert pool.submit(call_in_process, LOWER).result() == 2.0
    comparator = Comparator(METHODS, metrics=["map", LOWER], qrels=QRELS)
    assert clone(comparator).metrics == ["map", LOWER]
    scorer = make_ranking_scorer(LOWER, qrels=QRELS)
    one, two = (cross_val_score(BordaCount(), LISTS, scoring=scorer, cv=3, n_jobs=n_jobs) for n_jobs in (None, 2))
    np.testing.assert_array_equal(one, two)
    fitted = pickle.loads(pickle.dumps(comparator.fit(LISTS)))
    assert compare_ranks(fitted.per_query_, metric=LOWER)[0].equals(
        compare_ranks(comparator.per_query_, metric=LOWER)[0]
    )


# ---------------------------------------------------------------------- which values are better


@pytest.mark.twice
def test_functions_respect_a_custom_measure_where_lower_is_better(tmp_path):
    comparator = Comparator(METHODS, metrics=[LOWER, "map"], qrels=QRELS).fit(LISTS)
    mean = comparator.results_["first_place"]
    low, high = mean.idxmin(), mean.idxmax()
    assert mean[low] < mean[high]
    assert comparator.best_name_ == low and comparator.best_score_ == -mean[low] == comparator.score(LISTS)
    table = comparator.per_query_["first_place"].unstack(level=0)
    for metric in (None, "first_place", LOWER):
        found = comparator.compare(metric=metric, n_resamples=99)
        assert found.index[0] == low and found.loc[high, "wins"] == (table[high] < table[low] - 1e-12).sum()
    frame = evaluate(dict(comparator.runs_), QRELS, [LOWER, "map"], per_query=True).rename_axis(["method", "query"])
    for per_query in (
        comparator.per_query_,
        frame,
        frame.round(9),
        frame.loc[["sum", "copeland", "rrf"]],
        frame.copy(),
    ):
        assert compare_methods(per_query, metric="first_place", confidence=None).index[0] == low
        ranks, _ = compare_ranks(per_query)
        assert ranks["sum"] == pytest.approx(table.rank(axis=1)["sum"].mean())
    values = frame.assign(first_place=np.where(frame.index.get_level_values(0) == "sum", 1.0, 2.0 + np.arange(36) % 3))
    assert significance_marks(values, "sum")["first_place"].tolist() == ["", "-", "-"]
    line = next(line for line in text_table(comparator.results_).splitlines() if "*" in line)
    assert line.split()[0] == low
    assert f"{low} & \\textbf{{" in latex_table(comparator.results_[["first_place"]])
    assert f"{low} & \\textbf{{" in comparator.latex_table(metric="first_place", baseline="sum")
    chosen = select_results(comparator.results_, metric=[first_place_again(), "average_precision"])
    assert list(chosen) == ["first_place", "map"]
    for metric in ("first_place", LOWER):
        assert list(comparator.select_results(metric=metric)) == ["first_place"]
    pytest.importorskip("pyarrow")
    comparator.per_query_.to_parquet(tmp_path / "values.parquet")
    again = pd.read_parquet(tmp_path / "values.parquet")
    assert compare_methods(again, metric="first_place", confidence=None).index[0] == low


def first_place_again():
    return make_measure(first_place, greater_is_better=False)


def test_scorers_negate_a_custom_measure_where_lower_is_better():
    method = BordaCount().fit(LISTS)
    value = LOWER(method.transform(LISTS), QRELS)
    assert make_ranking_scorer(LOWER, qrels=QRELS)(method, LISTS) == pytest.approx(-value)
    assert make_ranking_scorer(["map", LOWER], qrels=QRELS)(method, LISTS)["neg_first_place"] == pytest.approx(-value)
    with pytest.raises(InputError, match="`by` must be a measure where higher values are better"):
        VoterSelector(LOWER, qrels=QRELS).fit(LISTS)
    neither = make_measure(first_place, greater_is_better=None)
    with pytest.raises(InputError, match="states whether higher or lower values are better"):
        make_ranking_scorer(neither, qrels=QRELS)
    with pytest.raises(InputError, match="neither higher nor lower values are better"):
        Comparator(METHODS, metrics=neither, qrels=QRELS).fit(LISTS)


def test_plots_respect_a_custom_measure_where_lower_is_better(pyplot):
    from skrankagg.plotting import ComparisonDisplay, CriticalDifferenceDisplay, CutoffDisplay, QueryGainDisplay

    comparator = Comparator(METHODS, metrics=["map", LOWER], qrels=QRELS).fit(LISTS)
    runs = dict(comparator.runs_)
    mean = comparator.results_["first_place"]
    order = list(mean.sort_values(kind="stable").index)
    low, high = order[0], order[-1]
    for display in (
        ComparisonDisplay.from_comparator(comparator, "first_place"),
        ComparisonDisplay.from_comparator(comparator, LOWER),
        ComparisonDisplay.from_predictions(runs, QRELS, LOWER),
    ):
        assert display.label.startswith("first_place (first_place)") and display.greater_is_better is False
        assert next(label.get_text() for label in display.ax_.get_yticklabels()) == low
    assert ComparisonDisplay.from_predictions(runs, QRELS, reciprocal).greater_is_better is True
    table = comparator.per_query_["first_place"].unstack(level=0)
    for display in (
        QueryGainDisplay.from_comparator(comparator, low, high, LOWER),
        QueryGainDisplay.from_predictions(runs, QRELS, low, high, LOWER),
    ):
        assert display.difference.mean() == pytest.approx((table[high] - table[low]).mean())
    for display in (
        CriticalDifferenceDisplay.from_comparator(comparator, LOWER),
        CriticalDifferenceDisplay.from_predictions(runs, QRELS, LOWER),
    ):
        assert display.result.mean_ranks == pytest.approx(table[[name for name, _ in METHODS]].rank(axis=1).mean())
    for metric in (LOWER, reciprocal):
        with pytest.raises(InputError, match=r"`metric` must be a measure that accepts a cutoff; got "):
            CutoffDisplay.from_comparator(comparator, metric)
    assert CutoffDisplay.from_comparator(comparator, "ndcg", cutoffs=[1, 2]).table.shape == (3, 2)
    # A measure that the Comparator has not computed is computed from its runs.
    display = QueryGainDisplay.from_comparator(comparator, low, high, make_measure(reciprocal))
    assert display.label == "reciprocal"


class Unlike:
    """A callable that is not even equal to itself."""

    __hash__ = None

    def __call__(self, ranking):
        return 1.0

    def __eq__(self, other):
        return False


def test_custom_measure_compares_functions_by_identity():
    function = Unlike()
    assert make_measure(function, name="one") == make_measure(function, name="one")
    assert make_measure(function, name="one") != make_measure(Unlike(), name="one")


def test_measures_are_immutable():
    for measure in (get_measure("ndcg@10"), make_measure(known_share)):
        with pytest.raises(FrozenInstanceError):
            measure.name = "other"


def test_noted_measure_explains_that_it_has_no_function():
    with pytest.raises(InputError, match=r"stores the names .* but not their functions\. Pass the measure itself"):
        noted_measure("best", {})([["a"]], [["a"]])


def test_noted_measure_has_no_expectation():
    noted = noted_measure("known_share", {"greater_is_better": False})
    assert (noted.name, noted.greater_is_better, noted.has_expectation) == ("known_share", False, False)
    assert not make_measure(known_share).has_expectation
