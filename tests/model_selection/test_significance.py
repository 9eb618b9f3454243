"""Tests of differences in a Comparator, and the tables and slices of its results."""

import io
import re

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from sklearn.pipeline import make_pipeline

from skrankagg import CombMNZ, CombSUM, Comparator, Copeland, Qrels, evaluate
from skrankagg.compat.pyflagr import flagr_metrics, flagr_table
from skrankagg.datasets import make_ranked_lists, make_rasdagen
from skrankagg.exceptions import InputError, InputTypeError
from skrankagg.model_selection import (
    compare_methods,
    compare_ranks,
    latex_table,
    markdown_table,
    significance_marks,
    style_table,
    text_table,
)
from skrankagg.stats import adjust_pvalues, hedges_g, randomization_test


@pytest.fixture(scope="module")
def comparator():
    lists, qrels, _ = make_ranked_lists(n_queries=12, random_state=3)
    methods = [("sum", CombSUM()), ("mnz", CombMNZ()), ("rank", CombSUM(norm="rank")), ("copeland", Copeland())]
    metrics = ["map", "ndcg@5", "ndcg@10", "p@5", "num_rel_ret"]
    return Comparator(methods, metrics=metrics, qrels=Qrels.from_frame(qrels)).fit(lists)


@pytest.fixture
def clear():
    """Return values of a baseline and three methods: one better, one worse and one equal to it."""
    rng = np.random.default_rng(0)
    base = rng.random(25) / 2 + 0.25
    values = np.concatenate([base, base + rng.normal(0, 0.01, 25), base + 0.1 + rng.normal(0, 0.02, 25), base - 0.1])
    index = pd.MultiIndex.from_product([["base", "level", "better", "worse"], range(25)], names=["method", "query"])
    return pd.DataFrame({"map": values, "ndcg@10": values[::-1]}, index=index)


def test_compare_tests_every_method_against_the_baseline(comparator):
    found = comparator.compare("rank", metric="ndcg@10")
    assert found.index.tolist() == ["rank", "sum", "mnz", "copeland"] and found.index.name == "method"
    table = comparator.per_query_["ndcg@10"].unstack("method")
    raw = {}
    for method in found.index[1:]:
        difference = (table[method] - table["rank"]).to_numpy()
        row = found.loc[method]
        assert row["mean"] == pytest.approx(comparator.results_.loc[method, "ndcg@10"])
        assert row["difference"] == pytest.approx(difference.mean())
        assert row["low"] <= row["difference"] <= row["high"]
        assert row["effect"] == pytest.approx(hedges_g(difference))
        assert (row["wins"], row["losses"]) == ((difference > 1e-12).sum(), (difference < -1e-12).sum())
        assert row[["wins", "ties", "losses"]].sum() == 12
        raw[method] = stats.ttest_rel(table[method], table["rank"]).pvalue if difference.any() else 1.0
        assert row["pvalue"] == pytest.approx(raw[method])
    assert found["adjusted"].tolist()[1:] == pytest.approx(adjust_pvalues(list(raw.values())).tolist())
    assert found.loc["rank", ["difference", "pvalue", "adjusted"]].isna().all()


def test_compare_uses_the_best_method_as_default_baseline(comparator):
    assert comparator.compare().index[0] == comparator.best_name_
    assert comparator.compare("sum").equals(comparator.compare("sum"))  # draws repeat


def test_compare_methods_supports_tests_and_corrections(clear):
    found = compare_methods(clear, "base", metric="map", test="randomization", correction="bonferroni", confidence=None)
    table = clear["map"].unstack("method")
    expected = randomization_test(table["better"] - table["base"], n_resamples=9999)[1]
    assert found.loc["better", "pvalue"] == expected and found.loc["better", "adjusted"] == pytest.approx(3 * expected)
    assert found[["low", "high"]].isna().all(axis=None)
    for wrong in ({"test": "z"}, {"correction": "x"}, {"baseline": "x"}, {"metric": "err"}):
        with pytest.raises(ValueError, match="must be one of"):
            compare_methods(clear, **{"metric": "map", **wrong})
    with pytest.raises(TypeError, match="indexed by method and query"):
        compare_methods(clear.loc["base"])


def test_compare_methods_tests_one_measure_that_is_named_or_the_only_one(clear, comparator):
    with pytest.raises(
        InputError, match=r"`metric` must be one of map, ndcg@10, because .* got None\. Name the measure"
    ):
        compare_methods(clear, "base")
    assert compare_methods(clear[["ndcg@10"]], "base").equals(compare_methods(clear, "base", metric="ndcg@10"))
    for many in (["map", "ndcg@10"], ("map",)):
        for call in (
            lambda many=many: compare_methods(clear, "base", metric=many),
            lambda many=many: comparator.compare(metric=many),
        ):
            with pytest.raises(InputTypeError, match=r"`metric` must be one measure; got [\[(]'map'.*once for each"):
                call()
    with pytest.raises(InputTypeError, match="`metric` must be one measure"):
        compare_ranks(clear, metric=["map"])
    # The first measure of a Comparator also determines its best method.
    assert comparator.compare("sum").equals(comparator.compare("sum", metric="map"))


def test_compare_methods_omits_queries_without_a_value(clear):
    holes = clear.copy()
    holes.loc[("better", 0), "map"] = np.nan
    found = compare_methods(holes, "base", metric="map")
    assert found.loc["better", ["wins", "ties", "losses"]].sum() == 24
    assert found.loc["worse", ["wins", "ties", "losses"]].sum() == 25
    assert compare_ranks(holes)[1].n_queries == 24


def test_compare_methods_of_evaluated_runs_equals_comparator_compare(comparator):
    _, qrels, _ = make_ranked_lists(n_queries=12, random_state=3)
    table = evaluate(dict(comparator.runs_), qrels, ["map"], per_query=True)
    pd.testing.assert_frame_equal(
        compare_methods(table, "sum").rename_axis(None), comparator.compare("sum", metric="map").rename_axis(None)
    )


def test_compare_ranks_equals_the_friedman_test_of_scipy(clear):
    ranks, result = compare_ranks(clear)
    assert ranks.index.tolist()[0] == "better" and ranks.index.tolist()[-1] == "worse"
    theirs = stats.friedmanchisquare(*(clear["map"].loc[name] for name in ("base", "level", "better", "worse")))
    assert (result.statistic, result.pvalue) == pytest.approx(tuple(theirs))


def test_comparator_passes_tie_rules_to_measures():
    lists, qrels, _ = make_ranked_lists(n_queries=5, random_state=0)
    metrics = [f"ndcg@10[ties={ties}]" for ties in ("order", "trec_eval", "expected", "optimistic", "pessimistic")]
    methods = [("copeland", Copeland()), ("frame", make_pipeline(Copeland()))]
    comparator = Comparator(methods, metrics=metrics, qrels=Qrels.from_frame(qrels)).fit(lists)
    expected = evaluate(comparator.runs_["copeland"], qrels, metrics)
    for method in comparator.results_.index:
        assert comparator.results_.loc[method, metrics].tolist() == pytest.approx(expected.iloc[0].tolist())
    low, high = expected.iloc[0, [4, 3]]
    assert low < expected.iloc[0, 2] < high


# ---------------------------------------------------------------------- tables


def test_significance_marks_distinguishes_better_and_worse_methods(clear):
    marks = significance_marks(clear, "base", ["map"])
    assert marks["map"].to_dict() == {"base": "", "level": "", "better": "+", "worse": "-"}


def test_tables_show_marks_after_the_numbers(clear):
    results = clear.groupby("method", sort=False).mean()[["map"]]
    marks = significance_marks(clear, "base", ["map"])
    lines = text_table(results, marks=marks, decimals=2).splitlines()
    assert len({line.rindex(".") for line in lines[2:]}) == 1  # still aligned
    assert lines[4].endswith("*+") and lines[5].endswith("-") and lines[2][-1].isdigit()
    latex = latex_table(results, marks=marks, decimals=2)
    assert re.search(r"better & \\textbf\{0\.\d\d\}\$\^\{\+\}\$ \\\\", latex)
    assert re.search(r"worse & 0\.\d\d\$\^\{-\}\$ \\\\", latex)
    markdown = markdown_table(results, marks=marks, decimals=2).splitlines()
    assert re.fullmatch(r"\| better \| \*\*0\.\d\d\*\*\+ \|", markdown[4])
    pytest.importorskip("jinja2")
    html = style_table(results, marks=marks, decimals=2).to_html()
    assert html.count("font-weight: bold") == 1 and re.search(r"0\.\d\d\+<", html)


def test_markdown_table_has_equally_many_cells_in_every_row():
    index = [f"m|{k}" for k in range(21)]
    table = markdown_table(pd.DataFrame(np.random.default_rng(0).random((21, 4)), index=index)).splitlines()
    assert len(table) == 23 and {len(re.findall(r"(?<!\\)\|", line)) for line in table} == {6}
    references = markdown_table(pd.DataFrame({"a": [0.1]}), references=pd.DataFrame({"a": [0.9]}, index=["top"]))
    assert references.splitlines()[-1] == "| top | 0.9000 |"


def test_style_table_shows_the_titles_of_the_table(comparator):
    pytest.importorskip("jinja2")
    html = style_table(comparator.results_).to_html()
    assert "time (ms)" in html and "ndcg@10" in html


def test_comparator_latex_table_marks_methods_that_beat_the_baseline(comparator):
    latex = comparator.latex_table(k=10, metric=["map", "ndcg"], baseline="sum", decimals=3, caption="All.")
    assert r"\toprule" in latex and r"\caption{All.}" in latex
    assert latex.count(r"\\") == 5 and "Method & MAP & nDCG@5 & nDCG@10" in latex
    marks = significance_marks(comparator.per_query_, "sum", ["map", "ndcg@5", "ndcg@10"])
    tabular = latex.partition(r"\bottomrule")[0]
    assert tabular.count("$^{") == int((marks != "").to_numpy().sum())


# ---------------------------------------------------------------------- slices and layouts


def test_select_results_selects_by_measure_cutoff_and_query(comparator):
    assert comparator.select_results().columns.tolist() == comparator.per_query_.columns.tolist()
    assert comparator.select_results(k=5).columns.tolist() == ["map", "ndcg@5", "p@5", "num_rel_ret"]
    assert comparator.select_results(metric="ndcg").columns.tolist() == ["ndcg@5", "ndcg@10"]
    assert comparator.select_results(k=5, metric=["precision", "ndcg@10", "ndcg"]).columns.tolist() == ["ndcg@5", "p@5"]
    one = comparator.select_results(metric="map", query="q02")
    assert one["map"].to_dict() == comparator.per_query_.xs("q02", level="query")["map"].to_dict()
    some = comparator.select_results(metric="map", query=["q02", "q03"])
    assert len(some) == 8 and some.index.names == ["method", "query"]
    assert comparator.select_results(per_query=True).equals(comparator.per_query_)
    for wrong, words in (
        ({"query": "q99"}, "got 'q99'. Choose from 'q01'"),
        ({"metric": "err"}, "must be one of map, ndcg@5"),
    ):
        with pytest.raises(ValueError, match=words):
            comparator.select_results(**wrong)


def test_select_results_survives_a_csv_file(comparator):
    table = comparator.select_results(per_query=True)
    back = pd.read_csv(io.StringIO(table.to_csv()), index_col=["method", "query"])
    pd.testing.assert_frame_equal(back, table, rtol=1e-15)


def test_flagr_table_has_a_row_for_each_query_and_one_for_all():
    lists, qrels, _ = make_ranked_lists(n_queries=5, random_state=0)
    methods = [(f"m{k}", CombSUM(norm=norm)) for k, norm in enumerate(("borda", "rank", "min-max"))]
    comparator = Comparator(methods, metrics=flagr_metrics(10), qrels=Qrels.from_frame(qrels)).fit(lists)
    table = flagr_table(comparator.results_, comparator.per_query_)
    assert table.shape == (3 * (5 + 1), 46)
    assert table.columns.tolist()[:6] == [
        "q",
        "num_ret",
        "num_rel",
        "num_rel_ret",
        "Mean Average Precision (MAP)",
        "P_1",
    ]
    assert table.columns[-2:].tolist() == ["ndcg_cut_10", "Method"]
    every = table[table["q"] == "all"]
    assert every["Method"].tolist() == ["m0", "m1", "m2"] and every.index.tolist() == [5, 5, 5]
    queries = table[(table["Method"] == "m1") & (table["q"] != "all")]
    assert every.iloc[1]["num_rel"] == queries["num_rel"].sum() and table["num_rel"].dtype == int
    assert every.iloc[1]["ndcg_cut_7"] == pytest.approx(queries["ndcg_cut_7"].mean())
    own = evaluate(comparator.runs_["m1"], qrels, "ndcg@7[ideal=retrieved]").iloc[0, 0]
    assert every.iloc[1]["ndcg_cut_7"] == pytest.approx(own)


def test_flagr_table_has_the_shape_of_flagrs_notebook():
    # 21 methods, 20 queries and a cutoff of 10: 441 rows x 46 columns.
    lists, qrels = make_rasdagen()
    methods = [(f"m{k:02}", CombSUM(norm="rank")) for k in range(21)]
    comparator = Comparator(methods, metrics=flagr_metrics(10), qrels=Qrels.from_frame(qrels)).fit(lists)
    assert flagr_table(comparator.results_, comparator.per_query_).shape == (441, 46)


def test_flagr_table_contains_the_given_measures_only(comparator):
    whole = flagr_table(comparator.results_, comparator.per_query_)
    assert whole["q"].nunique() == 13 and len(whole) == 4 * 13
    assert whole.loc[whole["q"] == "all", "Method"].tolist() == comparator.results_.index.tolist()
    chosen = [comparator.select_results(k=5, metric=["map", "ndcg"], per_query=each) for each in (False, True)]
    some = flagr_table(*chosen)
    assert some.columns.tolist() == ["q", "Mean Average Precision (MAP)", "ndcg_cut_5", "Method"]
    one = some.loc[some["q"] == "q02", "ndcg_cut_5"].tolist()
    assert one == comparator.select_results(metric="ndcg@5", query="q02")["ndcg@5"].tolist()


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"query": "q99"}, "got 'q99'"),
        ({"metric": "err"}, "must be one of map"),
        ({"k": 0}, "`k` must be a whole number of at least 1; got 0"),
    ],
)
def test_select_results_rejects_unknown_queries_and_measures(comparator, wrong, words):
    with pytest.raises(ValueError, match=words):
        comparator.select_results(**wrong)
