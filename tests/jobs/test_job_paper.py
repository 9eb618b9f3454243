"""A paper: three runs of TREC and qrels; a table in LaTeX with three measures and tests against the best run."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import ttest_rel

from skrankagg import Comparator, evaluate
from skrankagg.datasets import read_lists, read_qrels
from skrankagg.model_selection import compare_methods, latex_table

TOPICS, POOL = range(301, 326), 120
METRICS = ["MAP", "nDCG@10", "P@10"]


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """Write the files; return their paths, the grades, and the order of each run."""
    folder = tmp_path_factory.mktemp("trec")
    rng = np.random.default_rng(3)
    grades = {q: rng.choice([0, 1, 2], POOL, p=[0.85, 0.11, 0.04]) for q in TOPICS}
    judged = [
        f"{q} 0 FT{q}-{i:05d} {grades[q][i]}\n"
        for q in TOPICS
        for i in range(POOL)
        if grades[q][i] > 0 or rng.random() < 0.5
    ]
    (folder / "qrels.txt").write_text("".join(judged))
    orders = {}
    for tag, quality, scale in (("bm25", 0.9, 25.0), ("dense", 1.2, 1.0), ("splade", 1.6, 60.0)):
        lines = []
        for q in TOPICS:
            value = quality * grades[q] + rng.normal(size=POOL)
            orders[tag, q] = np.argsort(-value)[:60]
            lines += [
                f"{q} Q0 FT{q}-{i:05d} {rank} {scale * (value[i] + 4) / 10:.6f} {tag}\n"
                for rank, i in enumerate(orders[tag, q], 1)
            ]
        (folder / f"{tag}.run").write_text("".join(lines))
    return [folder / f"{tag}.run" for tag in ("bm25", "dense", "splade")], folder / "qrels.txt", grades, orders


def by_hand(grades, orders):
    """Compute the three measures of each run and topic by their definitions."""
    values = {}
    for (tag, q), order in orders.items():
        gain = grades[q][order]
        relevant = gain > 0
        precision = relevant.cumsum() / np.arange(1, len(order) + 1)
        discount = 1 / np.log2(np.arange(2, 12))
        ideal = np.sort(grades[q])[::-1][:10]
        values[tag, q] = {
            "MAP": (precision * relevant).sum() / (grades[q] > 0).sum(),
            "nDCG@10": ((2.0 ** gain[:10] - 1) * discount).sum() / ((2.0**ideal - 1) * discount).sum(),
            "P@10": relevant[:10].mean(),
        }
    return pd.DataFrame(values).T


def holm(pvalues):
    order = np.argsort(pvalues)
    adjusted = np.maximum.accumulate(np.sort(pvalues) * np.arange(len(pvalues), 0, -1)).clip(max=1)
    return adjusted[np.argsort(order)]


def marks_by_hand(values):
    """Return the best run by MAP, and the mark of each other run in each column."""
    best = values["MAP"].unstack().mean(axis=1).idxmax()
    marks = {}
    for metric in METRICS:
        table = values[metric].unstack()
        others = [run for run in table.index if run != best]
        adjusted = holm(np.array([ttest_rel(table.loc[run], table.loc[best]).pvalue for run in others]))
        for run, p in zip(others, adjusted, strict=True):
            gain = table.loc[run].mean() - table.loc[best].mean()
            marks[run, metric] = ("+" if gain > 0 else "-") if p < 0.05 else ""
    return best, marks


def read_cells(latex):
    """Return the mean and the mark of each run and measure, as the rows of the table show them."""
    rows = [line.removesuffix(" \\\\").split(" & ") for line in latex.splitlines() if line.endswith("\\\\")]
    assert rows[0][1:] == METRICS
    cells = {}
    for run, *shown in rows[1:]:
        for metric, cell in zip(METRICS, shown, strict=True):
            number, _, mark = cell.partition("$^{")
            cells[run, metric] = number, mark.removesuffix("}$")
    return cells


def check_table(latex, values):
    best, marks = marks_by_hand(values)
    means = values.groupby(level=0, sort=False).mean()
    cells = read_cells(latex)
    assert len(cells) == 9 and sum(mark == "-" for _, mark in cells.values()) >= 4
    for (run, metric), (number, mark) in cells.items():
        shown = f"{means.loc[run, metric]:.3f}"
        assert number == (f"\\textbf{{{shown}}}" if means[metric].idxmax() == run else shown)
        assert mark == marks.get((run, metric), "")
    assert f"than {best}, $p < 0.05$" in latex and "Holm" in latex


def test_a_comparator_without_methods_writes_the_table(files):
    paths, judgements, grades, orders = files
    values = by_hand(grades, orders)
    runs, qrels = read_lists(paths), read_qrels(judgements)
    comparator = Comparator([], metrics=METRICS, qrels=qrels, with_voters=True, verbose=False).fit(runs)
    np.testing.assert_allclose(
        comparator.results_[METRICS], values.groupby(level=0).mean().loc[comparator.results_.index], rtol=1e-9
    )
    check_table(comparator.latex_table(baseline="best", decimals=3), values)


def test_evaluate_and_latex_table_write_the_same_table(files):
    paths, judgements, grades, orders = files
    values = by_hand(grades, orders)
    per_query = evaluate(read_lists(paths), read_qrels(judgements), METRICS, per_query=True)
    check_table(latex_table(per_query, baseline="best", decimals=3), values)
    best, marks = marks_by_hand(values)
    for metric in METRICS:
        found = compare_methods(per_query, best, metric=metric, confidence=None)
        worse = (found["adjusted"] < 0.05) & (found["difference"] < 0)
        assert worse.drop(best).to_dict() == {run: marks[run, metric] == "-" for run in worse.index.drop(best)}
