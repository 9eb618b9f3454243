"""adjust_pvalues of a consensus, compared with plain loops and statsmodels query by query."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import false_discovery_control

from skrankagg import RankStatistic, RobustRankAggregation
from skrankagg.stats import adjust_pvalues
from skrankagg.utils._checks._shared import mixed_queries
from skrankagg.utils.estimator_checks import example_lists

CORRECTIONS = {"holm": "holm", "bonferroni": "bonferroni", "bh": "fdr_bh", "by": "fdr_by"}

# Whole thousandths, so that p-values tie.
PVALUES = st.lists(st.integers(0, 1000).map(lambda p: p / 1000), min_size=1, max_size=12)


def plainly(pvalues, correction):
    """Compute the adjusted p-values of one family one by one."""
    n, order = len(pvalues), sorted(range(len(pvalues)), key=lambda i: pvalues[i])
    if correction in ("bh", "by"):
        return false_discovery_control(pvalues, method=correction)
    adjusted, largest = np.empty(n), 0.0
    for before, i in enumerate(order):
        largest = max(largest, pvalues[i] * (n if correction == "bonferroni" else n - before))
        adjusted[i] = min(largest, 1.0)
    return adjusted


@pytest.mark.sampled(1)
@pytest.mark.filterwarnings("ignore")  # what is said of some of these lists is no matter here
@pytest.mark.parametrize("correction", CORRECTIONS)
@pytest.mark.parametrize("method", [RobustRankAggregation(), RankStatistic()], ids=repr)
def test_adjust_pvalues_treats_queries_independently(method, correction):
    queries = mixed_queries("whole")
    among = adjust_pvalues(method.fit_transform(pd.concat(queries.values(), ignore_index=True)), correction)
    for query, lists in queries.items():
        alone = adjust_pvalues(method.fit_transform(lists), correction)
        pd.testing.assert_frame_equal(among[among["query"] == query].reset_index(drop=True), alone, check_exact=True)


@given(families=st.lists(PVALUES, min_size=1, max_size=4), more=st.integers(0, 5), seed=st.integers(0, 99))
@settings(max_examples=60, deadline=None)
def test_adjust_pvalues_treats_each_query_as_a_family(families, more, seed):
    rows = [(f"q{q}", p) for q, family in enumerate(families) for p in family]
    frame = pd.DataFrame(rows, columns=["query", "pvalue"]).sample(frac=1, random_state=seed)
    n_tests = {f"q{q}": len(family) + more for q, family in enumerate(families)}
    for correction in CORRECTIONS:
        found = adjust_pvalues(frame, correction, n_tests=n_tests)
        assert found.index.equals(frame.index) and found.columns.tolist() == ["query", "pvalue", "adjusted"]
        for query, group in found.groupby("query"):
            # Tests without a row have p = 1.
            tests = np.append(group["pvalue"], np.ones(n_tests[query] - len(group)))
            expected = plainly(tests, correction)[: len(group)]
            np.testing.assert_allclose(group["adjusted"], expected, rtol=1e-12)
            array = adjust_pvalues(group["pvalue"], correction, n_tests=int(n_tests[query]))
            np.testing.assert_allclose(array, expected, rtol=1e-12)


def test_adjust_pvalues_of_a_consensus_equals_statsmodels():
    multitest = pytest.importorskip("statsmodels.stats.multitest")
    consensus = RankStatistic(n_items=12, exact=True).fit_transform(example_lists(n_queries=3))
    for ours, theirs in CORRECTIONS.items():
        found = adjust_pvalues(consensus, ours, n_tests=12)
        for _, group in found.groupby("query"):
            tests = np.append(group["pvalue"], np.ones(12 - len(group)))
            expected = multitest.multipletests(tests, method=theirs)[1][: len(group)]
            np.testing.assert_allclose(group["adjusted"], expected, rtol=1e-12)


@given(seed=st.integers(0, 10**6), correction=st.sampled_from([*CORRECTIONS, "none"]))
@settings(max_examples=30, deadline=None)
def test_adjust_pvalues_keeps_the_order_and_the_input(seed, correction):
    lists = example_lists(seed)
    for method in (RobustRankAggregation(n_items=20), RankStatistic(n_items=20, exact=True)):
        consensus = method.fit_transform(lists)
        before = consensus.copy()
        found = adjust_pvalues(consensus, correction, n_tests=20)
        pd.testing.assert_frame_equal(consensus, before)
        pd.testing.assert_frame_equal(found.drop(columns="adjusted"), before)
        assert found["adjusted"].between(found["pvalue"] * (1 - 1e-12), 1).all()
        if isinstance(method, RobustRankAggregation):
            assert found.groupby("query")["adjusted"].is_monotonic_increasing.all()
        # Other queries have no effect, and more tests do not decrease p-values.
        some = consensus[consensus["query"] != consensus["query"].iloc[0]]
        pd.testing.assert_frame_equal(adjust_pvalues(some, correction, n_tests=20), found.loc[some.index])
        assert (adjust_pvalues(consensus, correction, n_tests=30)["adjusted"] >= found["adjusted"] * (1 - 1e-12)).all()


@pytest.mark.twice
@pytest.mark.parametrize("kind", ["polars", "pyarrow", "no query", "Series"])
def test_adjust_pvalues_accepts_other_frames(kind):
    frame = pd.DataFrame({"query": [1, 1, 2], "pvalue": [0.01, 0.04, 0.3]})
    expected = [0.04, 0.08, 0.9]
    n_tests = pd.Series({1: 4, 2: 3})
    if kind == "polars":
        found = adjust_pvalues(pl.from_pandas(frame), n_tests={1: 4, 2: 3})
        assert isinstance(found, pl.DataFrame) and found["adjusted"].to_list() == pytest.approx([0.04, 0.12, 0.9])
    elif kind == "pyarrow":
        pa = pytest.importorskip("pyarrow")
        found = adjust_pvalues(pa.table({name: frame[name].tolist() for name in frame}), "bh", n_tests={1: 4, 2: 3})
        assert isinstance(found, pa.Table) and found["adjusted"].to_pylist() == pytest.approx(expected)
    elif kind == "no query":
        found = adjust_pvalues(frame[["pvalue"]], "bh")
        assert found["adjusted"].tolist() == pytest.approx([0.03, 0.06, 0.3])
    else:
        assert adjust_pvalues(frame, "bh", n_tests=n_tests)["adjusted"].tolist() == pytest.approx(expected)


def test_adjust_pvalues_accepts_categorical_queries_and_replaces_a_column():
    frame = pd.DataFrame({"query": pd.Categorical(["b", "a", "b"]), "pvalue": [0.5, 0.2, 0.1], "adjusted": 7.0})
    found = adjust_pvalues(frame, "bonferroni", n_tests={"a": 1, "b": 2, "other": 0})
    assert found["adjusted"].tolist() == [1.0, 0.2, 0.2] and found.columns.tolist() == frame.columns.tolist()


@pytest.mark.parametrize(
    ("frame", "n_tests", "words"),
    [
        ({"query": ["q"], "score": [1.0]}, None, "one column 'pvalue', .* columns \\['query', 'score'\\]"),
        ({"query": ["q"], "pvalue": [1.5]}, None, "must be from 0 to 1"),
        ({"query": ["q"], "pvalue": [np.nan]}, None, "finite numbers"),
        ({"query": ["q", "q"], "pvalue": [0.1, 0.2]}, 1, "number of p-values, 2; got 1 for query 'q'"),
        ({"query": ["q"], "pvalue": [0.1]}, 2.5, "got 2.5 for query 'q'"),
        ({"query": ["q", "r"], "pvalue": [0.1, 0.2]}, {"q": 3}, "1 numbers are missing, the first for query 'r'"),
        ({"pvalue": [0.1]}, {"q": 3}, "must be an int for a consensus without a column 'query'"),
    ],
    ids=str,
)
def test_adjust_pvalues_rejects_invalid_frames_and_n_tests(frame, n_tests, words):
    with pytest.raises(ValueError, match=words):
        adjust_pvalues(pd.DataFrame(frame), n_tests=n_tests)


def test_adjust_pvalues_of_an_array_needs_one_number_of_tests():
    assert adjust_pvalues([0.01, np.nan, 0.02], n_tests=10)[[0, 2]].tolist() == pytest.approx([0.1, 0.18])
    with pytest.raises(ValueError, match="number of p-values, 2; got 1 for the array"):
        adjust_pvalues([0.01, 0.02], n_tests=1)
    with pytest.raises(ValueError, match="must be a single int if the p-values are an array"):
        adjust_pvalues([0.01], n_tests={"q": 4})
