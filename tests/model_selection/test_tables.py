"""Tables of a comparison, as text and as LaTeX."""

import re

import numpy as np
import pandas as pd
import pytest

from skrankagg.model_selection._report_tables import latex_table, text_table


@pytest.fixture
def results():
    return pd.DataFrame(
        {"map": [0.51239, 0.5, 0.25], "p@10": [0.1, 0.3, 0.3], "time": [0.0021, 0.0004, 1.5]},
        index=pd.Index(["CombSUM", "Copeland", "Borda"], name="method"),
    )


def test_text_table_aligns_numbers_and_stars_the_best(results):
    assert text_table(results).splitlines() == [
        "method       map     p@10   time (ms)",
        "-------------------------------------",
        "CombSUM   0.5124*  0.1000         2.1",
        "Copeland  0.5000   0.3000*        0.4",
        "Borda     0.2500   0.3000*     1500.0",
    ]


def test_text_table_shows_long_times_in_seconds(results):
    assert text_table(results.assign(time=[0.5, 12.0, 3.25])).splitlines()[0].endswith("time (s)")
    assert text_table(results.assign(time=[0.5, 12.0, 3.25])).splitlines()[-1].endswith(" 3.25")


def test_tables_show_references_below_a_rule_without_marks(results):
    references = pd.DataFrame({"map": [0.9]}, index=["best voter"])
    lines = text_table(results, references=references).splitlines()
    assert lines[-2] == lines[1] == "-" * len(lines[0])
    assert lines[-1] == "best voter  0.9000"
    latex = latex_table(results, references=references).splitlines()
    assert latex[-4:] == [r"\midrule", r"best voter & 0.9000 &  \\", r"\bottomrule", r"\end{tabular}"]


def test_text_table_leaves_ties_of_all_methods_unmarked(results):
    assert "*" not in text_table(results.assign(**{"map": 0.5, "p@10": 1.0}))
    assert "*" not in text_table(results.iloc[:1])


def test_text_table_marks_numbers_that_print_equal_alike(results):
    table = text_table(results.assign(map=[0.50001, 0.50002, 0.1])[["map"]])
    assert table.count("0.5000*") == 2


def test_text_table_shows_counts_without_decimals_and_marks(results):
    lines = text_table(results.assign(num_rel_ret=[120.0, 130.0, 2.0])[["num_rel_ret"]]).splitlines()
    assert [line.split()[-1] for line in lines[2:]] == ["120", "130", "2"]


def test_text_table_shows_missing_numbers_as_unmarked_dashes(results):
    lines = text_table(results.assign(map=[np.nan, 0.5, 0.4])[["map"]]).splitlines()
    assert [line.split()[-1] for line in lines[2:]] == ["-", "0.5000*", "0.4000"]


def test_tables_show_an_index_of_two_levels_in_two_columns():
    index = pd.MultiIndex.from_tuples([("a.run", 7), ("a.run", 10)], names=["run", "query"])
    table = pd.DataFrame({"map": [0.5, 0.25]}, index=index)
    assert text_table(table, mark_best=False, decimals=2).splitlines() == [
        "run    query   map",
        "------------------",
        "a.run  7      0.50",
        "a.run  10     0.25",
    ]
    assert r"\begin{tabular}{llr}" in latex_table(table)


def test_tables_without_rows_or_columns_show_the_labels_only(results):
    assert text_table(results.iloc[:0]).splitlines()[0] == "method  map  p@10  time (ms)"
    assert text_table(results[[]]).splitlines()[2:] == ["CombSUM", "Copeland", "Borda"]
    assert r"CombSUM \\" in latex_table(results[[]])


def test_latex_table_has_booktabs_rules_and_the_best_in_bold(results):
    assert latex_table(results, decimals=2, time="time").splitlines() == [
        r"\begin{tabular}{lrrr}",
        r"\toprule",
        r"Method & MAP & P@10 & time (ms) \\",
        r"\midrule",
        r"CombSUM & \textbf{0.51} & 0.10 & 2.1 \\",
        r"Copeland & 0.50 & \textbf{0.30} & 0.4 \\",
        r"Borda & 0.25 & \textbf{0.30} & 1500.0 \\",
        r"\bottomrule",
        r"\end{tabular}",
    ]


def test_latex_table_with_caption_or_label_is_a_float(results):
    lines = latex_table(results, caption="All methods.", label="tab:all").splitlines()
    assert lines[:5] == [
        r"\begin{table}",
        r"\centering",
        r"\caption{All methods.}",
        r"\label{tab:all}",
        r"\begin{tabular}{lrr}",
    ]
    assert lines[-1] == r"\end{table}"
    assert r"\caption" not in latex_table(results, label="tab:all")


@pytest.mark.parametrize(
    ("name", "escaped"),
    [
        ("a_b", r"a\_b"),
        ("50%", r"50\%"),
        ("R&D", r"R\&D"),
        ("#1", r"\#1"),
        ("$x$", r"\$x\$"),
        ("{q}", r"\{q\}"),
        ("a~b", r"a\textasciitilde{}b"),
        ("x^2", r"x\textasciicircum{}2"),
        ("a\\b", r"a\textbackslash{}b"),
        ("a<b", r"a\textless{}b"),
        ("[first]", "{[}first]"),
        ("*best", "{*}best"),
        ("two\nlines", "two lines"),
        ("CombSUM[norm=z-score]", "CombSUM[norm=z-score]"),
    ],
)
def test_latex_table_escapes_names_of_rows_and_columns(name, escaped):
    lines = latex_table(pd.DataFrame({name: [0.5]}, index=[name])).splitlines()
    assert lines[2] == rf"Method & {escaped} \\"
    assert lines[4] == rf"{escaped} & 0.5000 \\"


def test_latex_table_has_as_many_cells_in_every_row_as_in_the_header():
    index = [f"m_{k} & co" for k in range(21)]
    rows = latex_table(pd.DataFrame(np.random.RandomState(0).rand(21, 4), index=index)).splitlines()[2:-2]
    assert {len(re.findall(r"(?<!\\)&", row)) for row in rows if row != r"\midrule"} == {4}
