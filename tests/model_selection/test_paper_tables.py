"""LaTeX tables for papers: headings, legends of tests, p-values, and rules between methods and voters."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from skrankagg import CombSUM, Comparator, Copeland, Qrels
from skrankagg._support._text_tables import aligned_table, markdown_rows, show_pvalue
from skrankagg.datasets import make_ranked_lists
from skrankagg.exceptions import InputError
from skrankagg.metrics import get_measure, measure_names
from skrankagg.model_selection import latex_table, markdown_table, significance_marks, style_table, text_table
from skrankagg.model_selection._paper_words import HEADINGS


@pytest.fixture(scope="module")
def measured():
    lists, qrels, _ = make_ranked_lists(n_queries=15, n_voters=4, quality=0.4, quality_spread=1.0, random_state=2)
    methods = [("copeland", Copeland()), ("sum", CombSUM())]
    metrics = ["map", "ndcg@10"]
    return Comparator(methods, metrics=metrics, qrels=Qrels.from_frame(qrels), with_voters=True).fit(lists)


def per_query(**values):
    index = pd.MultiIndex.from_product([values, range(len(next(iter(values.values()))))], names=["run", "query"])
    return pd.DataFrame({"map": np.concatenate(list(values.values()))}, index=index)


def holm(raw):
    order = np.argsort(raw)
    adjusted = np.empty(len(raw))
    adjusted[order] = np.maximum.accumulate(np.sort(raw) * np.arange(len(raw), 0, -1)).clip(max=1)
    return adjusted


# ---------------------------------------------------------------------- p-values


@pytest.mark.parametrize(
    ("value", "decimals", "text"),
    [(0.0, 4, "<.0001"), (9.9e-5, 4, "<.0001"), (1e-4, 4, "0.0001"), (0.00049, 3, "<.001"), (1, 3, "1.000")],
)
def test_small_pvalues_are_shown_as_bounds(value, decimals, text):
    assert show_pvalue(value, decimals) == text


def test_no_table_shows_a_pvalue_of_zero():
    table = pd.DataFrame(
        {"difference": [0.1, 0.2], "pvalue": [3e-7, 0.02], "adjusted": [6e-7, np.nan]}, index=["a", "b"]
    )
    shown = [line.split()[-2:] for line in text_table(table).splitlines()[2:]]
    assert shown == [["<.0001", "<.0001"], ["0.0200", "-"]]
    assert "| <.0001 | <.0001 |" in markdown_table(table)
    assert r"& $<.0001$ & $<.0001$ \\" in latex_table(table)
    pytest.importorskip("jinja2")
    assert style_table(table).to_html().count("&lt;.0001") == 2


# ---------------------------------------------------------------------- headings


def test_every_measure_has_a_heading():
    samples = {"@k": "@10", "@r": "@0.1", "@z1,z2,...": "@5,10"}
    names = {
        get_measure(name.partition("@")[0] + samples.get(name[len(name.partition("@")[0]) :], "")).name
        for name in measure_names()
    }
    assert names == set(HEADINGS)


@pytest.mark.parametrize(
    ("column", "heading"),
    [
        ("map", "MAP"),
        ("ndcg@10", "nDCG@10"),
        ("P_5", "P@5"),
        ("ndcg@10[gain=linear]", "nDCG@10 (gain=linear)"),
        ("marp@5,10", "MARP@5,10"),
        ("num_rel_ret", "Relevant retrieved"),
        ("my_column", r"my\_column"),
    ],
)
def test_headings_are_fit_for_papers(column, heading):
    table = pd.DataFrame({column: [0.5]}, index=pd.Index(["a"], name="run"))
    assert latex_table(table).splitlines()[2] == rf"Run & {heading} \\"
    assert latex_table(table, headings={column: "$x$"}).splitlines()[2] == r"Run & $x$ \\"


def test_time_is_shown_on_request(measured):
    assert "time" not in latex_table(measured.results_) and "time" not in measured.latex_table()
    asked = measured.latex_table(time="time")
    assert r"& time (ms) \\" in asked and asked == latex_table(measured.results_, time="time")


def test_function_and_method_write_the_same_table(measured):
    assert latex_table(measured.results_) == measured.latex_table()
    marks = significance_marks(measured.per_query_, "sum")
    assert latex_table(measured.results_, marks=marks) == measured.latex_table(baseline="sum")
    assert latex_table(measured.per_query_, baseline="sum") == measured.latex_table(baseline="sum")


# ---------------------------------------------------------------------- rules and rows


def test_a_rule_separates_methods_and_voters(measured):
    lines = measured.latex_table(metric="map").splitlines()
    names = [line.partition(" & ")[0] for line in lines]
    assert names[3:9] == [r"\midrule", "copeland", "sum", r"\midrule", "v1", "v2"]
    lines = text_table(measured.results_).splitlines()
    assert [k for k, line in enumerate(lines) if set(line) == {"-"}] == [1, 4]
    only = text_table(measured.results_.loc[["v1", "v2"]]).splitlines()
    mixed = text_table(measured.results_.loc[["sum", "v1", "copeland"]]).splitlines()
    assert sum(set(line) == {"-"} for line in only) == sum(set(line) == {"-"} for line in mixed) == 1


def test_rows_methods_keeps_voters_out_of_the_family_of_tests(measured):
    table = measured.per_query_["map"].unstack(0)
    raw = [stats.ttest_rel(table[name], table["copeland"]).pvalue for name in ("sum", "v1", "v2", "v3", "v4")]
    whole, methods = measured.compare("copeland"), measured.compare("copeland", rows="methods")
    assert methods.index.tolist() == ["copeland", "sum"]
    assert methods.loc["sum", "adjusted"] == pytest.approx(raw[0])
    assert whole["adjusted"].tolist()[1:] == pytest.approx(holm(raw).tolist())
    assert whole.loc["sum", "adjusted"] > methods.loc["sum", "adjusted"] > 0.001
    against = measured.compare("v1", rows="methods")
    assert against.index.tolist() == ["v1", "copeland", "sum"]
    with pytest.raises(InputError, match=r"`rows` must be one of 'all', 'methods'; got 'voters'"):
        measured.compare(rows="voters")


def test_best_and_best_voter_are_baselines(measured):
    means = measured.results_["map"]
    assert measured.compare("best").index[0] == means.idxmax()
    assert measured.compare("best voter").index[0] == means[["v1", "v2", "v3", "v4"]].idxmax()
    by_ndcg = measured.compare("best voter", metric="ndcg@10").index[0]
    assert by_ndcg == measured.results_.loc[["v1", "v2", "v3", "v4"], "ndcg@10"].idxmax()
    named = per_query(best=[0.1, 0.2, 0.3], other=[0.4, 0.4, 0.5])
    assert r"better than best," in latex_table(named, baseline="best")
    alone = Comparator([("sum", CombSUM())], metrics="map")
    lists, qrels, _ = make_ranked_lists(n_queries=3, random_state=0)
    with pytest.raises(InputError, match=r"got 'best voter', but no voter was measured\. Pass with_voters=True"):
        alone.fit(lists, qrels=Qrels.from_frame(qrels)).compare("best voter")


# ---------------------------------------------------------------------- legends


def test_the_legend_explains_marks_test_and_correction():
    rng = np.random.default_rng(0)
    base = rng.random(20) / 2
    table = per_query(a_1=base, up=base + 0.1 + rng.normal(0, 0.01, 20), down=base - 0.1 + rng.normal(0, 0.01, 20))
    lines = latex_table(table, baseline="a_1").splitlines()
    assert lines[-2:] == [
        r"\par\smallskip",
        r"{\footnotesize $^{+}$ better and $^{-}$ worse than a\_1, $p < 0.05$ (paired $t$-test over 20 queries; "
        r"corrected by Holm's method for 2 comparisons in each column).\par}",
    ]
    other = latex_table(table, baseline="up", test="sign", correction="none").splitlines()[-1]
    assert "$^{-}$ worse than up" in other and "better" not in other
    assert "(sign test over 20 queries; not corrected for the number of comparisons)" in other
    level = latex_table(per_query(a=base, b=base[::-1]), baseline="a").splitlines()[-1]
    assert r"No row differs from a with $p < 0.05$ (paired $t$-test over 20 queries)." in level
    floating = latex_table(table, baseline="a_1", label="tab:x").splitlines()
    assert floating[-1] == r"\end{table}" and floating[-3:-1] == lines[-2:]
    own = pd.DataFrame({"map": ["", "*"]}, index=["a_1", "up"])
    assert "footnotesize" not in latex_table(table.groupby(level=0).mean(), marks=own)


def test_a_baseline_needs_one_table_of_queries():
    table = per_query(a=[0.1, 0.2], b=[0.3, 0.4])
    with pytest.raises(InputError, match="`marks` must be None if `baseline` is given"):
        latex_table(table, baseline="a", marks=significance_marks(table, "a"))
    with pytest.raises(TypeError, match="indexed by method and query"):
        latex_table(table.groupby(level=0).mean(), baseline="a")


def test_means_over_queries_use_the_summary_of_each_measure(measured):
    table = per_query(a=[0.1, 0.4], b=[0.2, 0.2]).assign(num_ret=[3.0, 4.0, 5.0, 6.0]).assign(gmap=[0.1, 0.4, 0.2, 0.2])
    rows = latex_table(table, baseline="a", decimals=3).splitlines()
    assert rows[2] == r"Run & MAP & Retrieved & GMAP \\"
    assert rows[4] == r"a & \textbf{0.250} & 7 & 0.200 \\"


# ---------------------------------------------------------------------- the two writers


def test_tables_as_text_and_as_markdown():
    rows = [("name", "x"), ("a", "10"), ("b", "5")]
    assert aligned_table(rows, rules={1, 3}).splitlines() == [
        "name   x",
        "--------",
        "a     10",
        "b      5",
        "--------",
    ]
    assert aligned_table(rows, left=(0, 1)).splitlines()[3] == "b     5"
    assert markdown_rows(rows).splitlines() == ["| name | x |", "|:--|--:|", "| a | 10 |", "| b | 5 |"]
