"""Failing methods in a Comparator: results, tests, tables, plots and the command line keep the other methods."""

import pickle
import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import FitFailedWarning
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline

from skrankagg import DIBRA, CombSUM, Comparator, Copeland, Qrels, RankedLists
from skrankagg.__main__ import main
from skrankagg._support._sklearn import BaseEstimator, TransformerMixin
from skrankagg.base import BaseAggregator
from skrankagg.compat.pyflagr import flagr_metrics, flagr_table
from skrankagg.datasets import make_ranked_lists
from skrankagg.metrics import agreement_matrix, make_ranking_scorer
from skrankagg.model_selection import (
    compare_methods,
    compare_ranks,
    latex_table,
    markdown_table,
    style_table,
    text_table,
)
from skrankagg.preprocessing import VoterSelector

FRAME, QRELS, _ = make_ranked_lists(n_queries=6, n_voters=4, n_items=20, list_length=8, quality=0.5, random_state=0)
LISTS, ENCODED = RankedLists.from_frame(FRAME), Qrels.from_frame(QRELS)
METRICS = ["ndcg@10", "map", "num_rel_ret"]


class Failing(BaseAggregator):
    """Fails at a given point: in fit, in aggregation or when measured; or only on some queries."""

    def __init__(self, where="fit", query=None):
        self.where = where
        self.query = query

    def _fit_lists(self, lists):
        self.learnt_ = True
        if self.where == "fit":
            raise RuntimeError("no convergence\nsecond line")
        return super()._fit_lists(lists)

    def _aggregate(self, lists):
        if self.where == "aggregate" and (self.query is None or self.query in lists.queries):
            raise MemoryError
        return lists.candidate_weight


class WithoutItems(TransformerMixin, BaseEstimator):
    """A foreign method whose result cannot be measured."""

    def fit(self, X, y=None):
        self.fitted_ = True
        return self

    def transform(self, X):
        return pd.DataFrame({"query": ["q1"], "rank": [1]})


METHODS = [("sum", CombSUM(norm="borda")), ("bad", Failing()), ("copeland", Copeland())]
GOOD = [METHODS[0], METHODS[2]]


def fit(methods=METHODS, metrics=METRICS, **params):
    """Fit a Comparator, some of whose methods fail."""
    with pytest.warns(FitFailedWarning):
        return Comparator(methods, metrics=metrics, qrels=ENCODED, **params).fit(LISTS)


@pytest.fixture(scope="module", params=[np.nan, 0.0, 5.0], ids="error_score={}".format)
def comparator(request):
    return fit(error_score=request.param)


@pytest.fixture(scope="module")
def others():
    """Return a Comparator without the failing method."""
    return Comparator(GOOD, metrics=METRICS, qrels=ENCODED).fit(LISTS)


# ---------------------------------------------------------------------- results of the other methods


def test_comparator_gives_a_failing_method_error_score_and_keeps_the_others(comparator, others):
    assert comparator.results_.index.tolist() == ["sum", "bad", "copeland"]
    row, score = comparator.results_.loc["bad"], comparator.error_score
    np.testing.assert_array_equal(row[METRICS], [score] * 3)
    assert np.isnan(row["time"])
    np.testing.assert_array_equal(comparator.per_query_.loc["bad"], np.full((6, 3), score))
    pd.testing.assert_frame_equal(comparator.results_.drop("bad")[METRICS], others.results_[METRICS])
    pd.testing.assert_frame_equal(comparator.per_query_.drop("bad", level="method"), others.per_query_)


def test_comparator_never_selects_a_failed_method(comparator, others):
    assert comparator.best_name_ == others.best_name_ and comparator.best_score_ == others.best_score_
    pd.testing.assert_frame_equal(comparator.transform(LISTS), others.transform(LISTS))
    assert comparator.score(LISTS) == others.score(LISTS)
    assert comparator.get_feature_names_out().tolist() == others.get_feature_names_out().tolist()


def test_comparator_has_no_run_of_a_failed_method(comparator):
    assert list(comparator.runs_) == ["sum", "copeland"] and len(comparator.runs_) == 2
    assert "bad" not in comparator.runs_
    with pytest.raises(KeyError, match="'bad' has no consensus because it failed: RuntimeError: no convergence"):
        comparator.runs_["bad"]
    with pytest.raises(KeyError, match="unheard"):
        comparator.runs_["unheard of"]
    assert comparator.failures_ == {"bad": "RuntimeError: no convergence\nsecond line"}
    assert list(comparator.named_aggregators_) == ["sum", "bad", "copeland"]
    assert not hasattr(comparator.named_aggregators_["bad"], "learnt_")  # not left half fitted
    again = pickle.loads(pickle.dumps(comparator))
    assert again.failures_ == comparator.failures_ and "bad" not in again.runs_


def test_comparator_warning_names_failed_methods_with_their_errors():
    methods = [*METHODS, ("worse", Failing("aggregate")), ("worst", make_pipeline(WithoutItems()))]
    with pytest.warns(FitFailedWarning) as caught:
        comparator = Comparator(methods, qrels=ENCODED).fit(LISTS)
    [warning] = caught
    text = str(warning.message)
    assert text.startswith(
        "3 of 5 methods failed and got error_score=nan for every measure: 'bad' (RuntimeError: no convergence), "
        "'worse' (MemoryError), 'worst' ("
    )
    assert "second line" not in text and "error_score='raise'" in text and warning.filename == __file__
    assert comparator.results_[["map"]].isna()["map"].tolist() == [False, True, False, True, True]
    assert list(comparator.failures_) == ["bad", "worse", "worst"] and "item" in comparator.failures_["worst"]


def test_comparator_does_not_warn_without_failures(others):
    assert others.failures_ == {} and len(others.runs_) == 2
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        Comparator(GOOD, qrels=ENCODED).fit(LISTS)


def test_comparator_with_failures_is_independent_of_n_jobs(comparator):
    other = fit(error_score=comparator.error_score, n_jobs=2)
    pd.testing.assert_frame_equal(other.per_query_, comparator.per_query_)
    assert other.failures_ == comparator.failures_


def test_comparator_never_selects_a_method_with_nan():
    class Elsewhere(WithoutItems):
        """Answers another judged query than the one it is asked."""

        def transform(self, X):
            return pd.DataFrame({"query": LISTS.queries[1], "item": ["i01"], "rank": [1]})

    methods = [("elsewhere", Elsewhere()), *GOOD]
    comparator = Comparator(methods, metrics="map[missing_queries=skip]", qrels=ENCODED, error_score="raise").fit(
        LISTS[[0]]
    )
    assert np.isnan(comparator.results_.iloc[0, 0])  # without a failure
    assert comparator.best_name_ in {"sum", "copeland"} and np.isfinite(comparator.best_score_)


# ---------------------------------------------------------------------- errors


@pytest.mark.parametrize("n_jobs", [None, 2])
def test_comparator_raises_the_error_with_error_score_raise(n_jobs):
    comparator = Comparator(METHODS, qrels=ENCODED, error_score="raise", n_jobs=n_jobs)
    with pytest.raises(RuntimeError, match=r"^no convergence\nsecond line$"):
        comparator.fit(LISTS)
    assert not hasattr(comparator, "results_")


def test_comparator_raises_if_all_methods_fail():
    comparator = Comparator([("a", Failing()), ("b", Failing("aggregate"))], qrels=ENCODED)
    with pytest.raises(ValueError, match=r"all failed: 'a' \(RuntimeError: no convergence\), 'b' \(Mem") as caught:
        comparator.fit(LISTS)
    assert isinstance(caught.value.__cause__, RuntimeError)
    assert not hasattr(comparator, "results_")


MISTAKES = {
    "no methods": ({"aggregators": []}, "at least one method"),
    "an unknown measure": ({"metrics": "mapp"}, "'mapp' is not a measure"),
    "judgements of nothing": ({"qrels": QRELS.assign(query="in " + QRELS["query"])}, "share no query id"),
    "no judgements": ({"qrels": None}, "needs judgements"),
    "a wrong error_score": ({"error_score": "nan"}, "'error_score' parameter of Comparator must be"),
    "no error_score": ({"error_score": None}, "'error_score' parameter of Comparator must be"),
}


@pytest.mark.parametrize(("params", "words"), MISTAKES.values(), ids=MISTAKES.keys())
def test_comparator_raises_for_its_own_invalid_arguments(params, words):
    with pytest.raises(ValueError, match=words):
        Comparator(**{"aggregators": METHODS, "qrels": QRELS, **params}).fit(LISTS)


def test_comparator_raises_for_a_method_that_cannot_be_cloned():
    class Raw:
        def fit(self, X):
            return self

        def transform(self, X):
            return X

    with pytest.raises(TypeError, match="Cannot clone object"):
        Comparator([*GOOD, ("raw", Raw())], qrels=ENCODED).fit(LISTS)


def test_nested_comparator_receives_judgements_of_the_training_queries():
    nested = Comparator(GOOD, metrics="map")
    with pytest.raises(ValueError, match=r"got 'nested' \(Comparator needs judgements\)\."):
        Comparator([("nested", nested)], qrels=ENCODED).fit(LISTS)
    found = Comparator([*GOOD, ("nested", nested)], qrels=ENCODED, metrics="map", cv=3, error_score="raise").fit(LISTS)
    expected = cross_val_score(nested, LISTS, ENCODED.align(LISTS), cv=3)
    assert found.results_.loc["nested", "map"] == pytest.approx(expected.mean())


@pytest.mark.parametrize(
    ("output", "words"),
    [(None, "got RankedLists"), ("pandas", "got the columns query, voter, item, rank, score")],
)
def test_comparator_names_a_learning_pipeline_that_does_not_end_with_an_aggregator(output, words):
    pipeline = make_pipeline(VoterSelector("map", n_voters=2)).set_output(transform=output)
    comparator = Comparator([*GOOD, ("lists", pipeline)], qrels=ENCODED, cv=3)
    with pytest.warns(FitFailedWarning):
        message = comparator.fit(LISTS).failures_["lists"]
    assert words in message and message.endswith("End the pipeline with an aggregator.")
    assert comparator.results_["map"].isna().tolist() == [False, False, True]


def test_comparator_treats_invalid_parameters_of_a_method_as_failure():
    comparator = fit([*GOOD, ("typo", CombSUM(norm="bordo"))])
    assert "'norm' parameter of CombSUM" in comparator.failures_["typo"]


# ---------------------------------------------------------------------- within scikit-learn


def test_comparator_selects_among_the_succeeding_methods_in_each_fold():
    # The method fails on lists that hold the first query: in the folds that train on it.
    query = LISTS.queries[0]
    methods = [*GOOD, ("sometimes", Failing("aggregate", query=query))]
    comparator = Comparator(methods, metrics="ndcg@10", qrels=ENCODED)
    with pytest.warns(FitFailedWarning, match="'sometimes'"):
        found = cross_val_score(comparator, LISTS, cv=3)
    assert np.isfinite(found).all()
    with pytest.warns(FitFailedWarning):
        search = GridSearchCV(comparator, {"sum__norm": ["borda", "rank"]}, cv=3).fit(LISTS)
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()
    scorer = make_ranking_scorer("ndcg@10", qrels=ENCODED)
    assert scorer(search, LISTS) == pytest.approx(search.best_estimator_.best_score_)


# ---------------------------------------------------------------------- tests of significance


def test_compare_returns_nan_for_failed_methods(comparator, others):
    for options in ({}, {"baseline": "sum", "metric": "map", "test": "randomization"}):
        found, expected = comparator.compare(**options), others.compare(**options)
        pd.testing.assert_frame_equal(found.drop("bad"), expected)  # not corrected for one more, either
        assert found.loc["bad"].drop(["wins", "ties", "losses"]).isna().all()
        assert found.loc["bad", ["wins", "ties", "losses"]].tolist() == [0, 0, 0]
    with pytest.raises(ValueError, match="`baseline` must have values to compare with; got 'bad', which has no values"):
        comparator.compare("bad")


def test_compare_ranks_omits_failed_methods():
    comparator = fit()
    ranks, result = compare_ranks(comparator.per_query_, metric="map")
    assert sorted(ranks.index) == ["copeland", "sum"] and result.n_queries == 6
    with pytest.raises(ValueError, match="'bad', which has no values"):
        compare_methods(comparator.per_query_, "bad", metric="map")


def test_agreement_matrix_omits_failed_methods(comparator):
    assert agreement_matrix(comparator).index.tolist() == ["sum", "copeland"]


# ---------------------------------------------------------------------- slices and tables


def cells(score):
    return "-" if np.isnan(score) else f"{score:.4f}"


def test_select_results_shows_failed_methods_with_error_score(comparator):
    score = comparator.error_score
    np.testing.assert_array_equal(comparator.select_results(metric="map").loc["bad"], [score])
    np.testing.assert_array_equal(comparator.select_results(query="q1").loc["bad"], [score] * 3)
    assert comparator.select_results(per_query=True).loc["bad"].shape == (6, 3)


@pytest.mark.parametrize("error_score", [np.nan, 0.0, 0.5])
def test_flagr_table_contains_rows_of_failed_methods(error_score):
    comparator = fit(metrics=flagr_metrics(2), error_score=error_score)
    table = flagr_table(comparator.results_, comparator.per_query_)
    bad = table[table["Method"] == "bad"]
    assert bad["q"].tolist() == [*LISTS.queries, "all"]
    counts = ["num_ret", "num_rel", "num_rel_ret"]
    np.testing.assert_array_equal(bad[counts].to_numpy(dtype=float, na_value=np.nan), np.full((7, 3), error_score))
    kind = {0.0: "int64", 0.5: "float64"}.get(error_score, "Int64")
    assert {str(dtype) for dtype in table[counts].dtypes} == {kind}
    good = table[(table["Method"] == "sum") & (table["q"] == "all")]
    assert good["num_ret"].astype(int).tolist() == [LISTS.n_candidates]


def test_tables_show_failed_methods_but_never_mark_them(comparator):
    shown = cells(comparator.error_score)
    latex = comparator.latex_table(metric=["ndcg@10", "map"], baseline="sum")
    assert rf"bad & {shown} & {shown} \\" in latex
    assert latex.count(r"\textbf") == 2
    names = ["sum", "copeland"]
    results = comparator.results_[["ndcg@10", "map"]]
    assert f"| bad | {shown} | {shown} |" in markdown_table(results, mark_best=names)
    assert text_table(results, mark_best=names).splitlines()[3].split() == ["bad", shown, shown]
    assert latex_table(results, mark_best=names).count(r"\textbf") == 2
    pytest.importorskip("jinja2")
    assert style_table(results, mark_best=names).to_html().count("font-weight: bold") >= 1
    with pytest.raises(ValueError, match="'bad', which has no values"):
        comparator.latex_table(baseline="bad")


def test_latex_table_of_queries_never_marks_failed_methods(comparator):
    for chosen in ({"query": "q1"}, {"query": ["q1", "q2"]}, {"per_query": True}):
        latex = comparator.latex_table(metric="map", **chosen)
        assert not [line for line in latex.splitlines() if line.startswith("bad") and "textbf" in line]


def test_tables_do_not_mark_a_method_ahead_of_failed_ones_only():
    one = fit(METHODS[:2], metrics="map")
    assert "*" not in text_table(one.results_)
    assert "textbf" not in one.latex_table()
    level = pd.DataFrame({"map": [0.5, np.nan, 0.5]}, index=["a", "bad", "c"])
    assert "*" not in text_table(level)
    assert text_table(level, mark_best=False) == text_table(level)


# ---------------------------------------------------------------------- plots


@pytest.fixture
def plotting():
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    import matplotlib.pyplot

    from skrankagg import plotting

    yield plotting
    matplotlib.pyplot.close("all")


@pytest.mark.sampled(1)
def test_comparison_display_labels_failed_methods_without_a_bar(plotting, comparator, others):
    for metric in METRICS:
        display = plotting.ComparisonDisplay.from_comparator(comparator, metric)
        labels = [label.get_text() for label in display.ax_.get_yticklabels()]
        assert labels[-1] == "bad" and sorted(labels[:-1]) == ["copeland", "sum"]
        assert display.ax_.texts[-1].get_text() == "no value"
        expected = plotting.ComparisonDisplay.from_comparator(others, metric)
        widths = [bar.get_width() for bar in display.bars_]
        assert widths[:-1] == [bar.get_width() for bar in expected.bars_] and np.isnan(widths[-1])
        assert [bar.get_facecolor() for bar in display.bars_][:2] == [bar.get_facecolor() for bar in expected.bars_]
        assert display.ax_.get_xlim() == pytest.approx(expected.ax_.get_xlim(), rel=0.1)
        display.figure_.draw_without_rendering()


@pytest.mark.parametrize("cutoffs", [[5, 10], [1, 10]])
@pytest.mark.parametrize("kind", ["line", "bar"])
def test_cutoff_display_labels_failed_methods_without_a_value(plotting, cutoffs, kind):
    comparator = fit(metrics=["ndcg@5", "ndcg@10"], error_score=0.0)
    display = plotting.CutoffDisplay.from_comparator(comparator, "ndcg", cutoffs=cutoffs, kind=kind)
    assert display.table.index.tolist() == ["sum", "bad", "copeland"] and display.table.loc["bad"].isna().all()
    names = display.ax_.get_yticklabels() if kind == "bar" else display.ax_.get_legend().get_texts()
    names = [text.get_text() for text in names]
    assert names[-1] == "bad (no value)" and sorted(names[:2]) == ["copeland", "sum"]
    colours = {bar.get_facecolor() for bars in display.lines_ for bar in bars} if kind == "bar" else {1, 2}
    assert len(colours) == 2  # the best still differs from the others
    display.figure_.draw_without_rendering()


@pytest.mark.sampled(1)
def test_other_displays_omit_or_label_failed_methods(plotting, comparator):
    table = plotting.InterpolatedPrecisionDisplay.from_comparator(comparator).table
    assert table.loc["bad"].isna().all() and table.drop("bad").notna().all(axis=None)
    display = plotting.CriticalDifferenceDisplay.from_comparator(comparator)
    assert sorted(display.names) == ["copeland", "sum"]
    assert display.ax_.get_title().endswith("over 6 queries\nwithout a value: bad")
    assert plotting.AgreementDisplay.from_comparator(comparator).table.shape == (2, 2)
    assert len(plotting.QueryGainDisplay.from_comparator(comparator, "sum", "copeland").bars_) == 6
    for pair in (("sum", "bad"), ("bad", "sum")):
        with pytest.raises(ValueError, match="must have values; got 'bad', which has no values"):
            plotting.QueryGainDisplay.from_comparator(comparator, *pair)
    learner = fit([*GOOD, ("dibra", DIBRA(Failing("aggregate")))])
    with pytest.raises(ValueError, match="must have weights; got 'dibra', which failed"):
        plotting.VoterWeightsDisplay.from_comparator(learner, "dibra")


# ---------------------------------------------------------------------- the command line


@pytest.fixture
def broken(monkeypatch):
    def fail(self, lists):
        raise RuntimeError("no convergence\nsecond line")

    monkeypatch.setattr(Copeland, "_aggregate", fail)


def test_command_line_compare_shows_the_other_methods(broken, capsys, tmp_path):
    out = tmp_path / "results.csv"
    arguments = ["compare", "--methods", "Copeland", "CombSUM", "BordaCount", "--metrics", "map"]
    assert main([*arguments, "--out", str(out)]) == 0
    shown, said = capsys.readouterr()
    assert (
        said == "skrankagg: warning: the row of Copeland is empty because the method failed: RuntimeError: no "
        "convergence second line\n"
    )
    rows = [line.split() for line in shown.splitlines() if line.startswith(("Copeland", "CombSUM", "BordaCount"))]
    assert rows[-1] == ["Copeland", "-", "-"]
    assert pd.read_csv(out, index_col="method").loc["Copeland"].isna().all()
    assert main([*arguments, "--latex"]) == 0
    assert r"Copeland & - \\" in capsys.readouterr().out


def test_command_line_compare_plots_the_other_methods(broken, plotting, capsys, tmp_path):
    path = tmp_path / "map.png"
    assert main(["compare", "--methods", "Copeland", "CombSUM", "--plot", str(path)]) == 0
    assert path.stat().st_size > 0


def test_command_line_compare_raises_if_all_methods_fail(broken):
    with pytest.raises(RuntimeError, match="no convergence"):  # a bug, with its traceback
        main(["compare", "--methods", "Copeland"])
    with pytest.raises(ValueError, match="all failed") as caught:
        main(["compare", "--methods", "Copeland", "Copeland[voter_weights=None]"])
    assert isinstance(caught.value.__cause__, RuntimeError)
