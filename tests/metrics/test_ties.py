"""Rules for items of equal score, compared with all orders of the tied items."""

import itertools
import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skrankagg import Qrels, RankedLists, evaluate
from skrankagg.metrics import average_precision, get_measure, ndcg, precision, reciprocal_rank, success

pytestmark = pytest.mark.twice

# Measures and conventions with an expectation, with cutoffs inside groups of ties.
EXPECTED = [
    *(
        f"{name}@{k}"
        for name in ("p", "recall", "f1", "success", "judged", "map", "mrr", "dcg", "ndcg")
        for k in (1, 3)
    ),
    *("rbp@2", "rbp[max_grade=3]", "rbp_resid", "rbp_resid@3", "err@2", "err"),
    *("map[ap_denominator=retrieved]", *(f"map@{k}[ap_denominator=retrieved]" for k in (1, 2, 3, 4))),
    *("map", "map@2[ap_denominator=cutoff]", "mrr", "ndcg", "ndcg@2[truncate=relevant]", "rprec", "rprec@2"),
    *("marp@1,3", "bpref", "bpref[relevance_threshold=2]", "num_rel_ret", "num_rel", "num_ret"),
    *("map[relevance_threshold=2]", "ndcg@3[gain=linear,ideal=retrieved]", "gmap", "dcg@3[discount=ln]"),
]
NO_EXPECTATION = ["infap", "iprec@0.4", "11pt"]


def orders(scores):
    """Return all orders of the items that agree with the scores."""
    groups = [list(group) for _, group in itertools.groupby(sorted(scores, key=lambda i: -scores[i]), scores.get)]
    return [list(itertools.chain(*order)) for order in itertools.product(*map(itertools.permutations, groups))]


CASES = st.fixed_dictionaries(
    {
        "scores": st.lists(st.integers(0, 2), min_size=1, max_size=6),
        # Grades, None if not judged; and grades of a few judged items that are not returned.
        "grades": st.lists(st.sampled_from([None, -1, 0, 0, 1, 2, 3]), min_size=6, max_size=6),
        "missed": st.lists(st.integers(-1, 2), max_size=2),
    }
)


def build(case):
    items = "fbeacd"[: len(case["scores"])]
    scores = dict(zip(items, map(float, case["scores"]), strict=True))
    truth = {item: grade for item, grade in zip(items, case["grades"], strict=False) if grade is not None}
    return scores, truth | {f"missed{k}": grade for k, grade in enumerate(case["missed"])}


def value(run, truth, name, **conventions):
    return evaluate([run], [truth], name, **conventions).iloc[0, 0]


@given(case=CASES, name=st.sampled_from(EXPECTED))
@settings(max_examples=100, deadline=None)
def test_ties_expected_is_the_mean_over_all_orders(case, name):
    scores, truth = build(case)
    every = [value(order, truth, name) for order in orders(scores)]
    # The geometric mean of one query is raised to 1e-5, which the mean over orders is not: compare above that.
    expected = max(np.mean(every), 1e-5) if name == "gmap" else np.mean(every)
    assert value(scores, truth, name, ties="expected") == pytest.approx(expected, rel=1e-12, abs=1e-14)


@given(case=CASES, k=st.integers(1, 6))
@settings(max_examples=150, deadline=None)
def test_ties_expected_of_map_over_retrieved_is_the_mean_of_the_ratio(case, k):
    # The divisor is the number of relevant items among the first k, which depends on the order, too.
    scores, truth = build(case)
    every = [average_precision(order, truth, k, ap_denominator="retrieved") for order in orders(scores)]
    expected = average_precision(scores, truth, k, ap_denominator="retrieved", ties="expected")
    assert expected == pytest.approx(np.mean(every), rel=1e-12, abs=1e-14)


def test_ties_trec_eval_float32_ties_scores_in_single_precision():
    # pytrec_eval: a reciprocal rank of 1 for a difference of 1e-7, and of 1/2 for one of 1e-8.
    for difference, single in ((1e-7, 1.0), (1e-8, 0.5)):
        run = {"a": 1.0, "b": 1.0 - difference}
        assert reciprocal_rank(run, ["a"], ties="trec_eval") == 1.0
        assert reciprocal_rank(run, ["a"], ties="trec_eval_float32") == single


# More of the residual and of the number of judgements is neither better nor worse, and a further relevant item lowers a
# mean over the relevant items found.
UNDIRECTED = ("rbp_resid", "ap_denominator=retrieved")
DIRECTED = [name for name in [*EXPECTED, *NO_EXPECTATION] if not any(part in name for part in UNDIRECTED)]


@given(case=CASES, name=st.sampled_from(DIRECTED))
@settings(max_examples=100, deadline=None)
def test_ties_optimistic_and_pessimistic_are_the_extremes_over_all_orders(case, name):
    scores, truth = build(case)
    if name == "infap":  # an estimate: a pooled item above a relevant one can raise it
        truth = {item: max(grade, 0) for item, grade in truth.items()}
    every = [value(order, truth, name) for order in orders(scores)]
    assert value(scores, truth, name, ties="optimistic") == pytest.approx(max(every), rel=1e-12)
    assert value(scores, truth, name, ties="pessimistic") == pytest.approx(min(every), rel=1e-12)


@given(case=CASES, name=st.sampled_from([*EXPECTED, *NO_EXPECTATION]))
@settings(max_examples=40, deadline=None)
def test_ties_order_sorts_by_item_and_trec_eval_in_reverse(case, name):
    scores, truth = build(case)
    forwards = sorted(scores, key=lambda item: (-scores[item], item))
    backwards = sorted(sorted(scores, reverse=True), key=lambda item: -scores[item])
    assert value(scores, truth, name) == value(forwards, truth, name)
    assert value(scores, truth, name, ties="trec_eval") == value(backwards, truth, name)


@given(case=CASES, name=st.sampled_from(DIRECTED))
@settings(max_examples=40, deadline=None)
def test_ties_optimistic_is_invariant_under_monotone_changes_of_scores(case, name):
    scores, truth = build(case)
    changed = {item: math.exp(score) - 5 for item, score in scores.items()}
    assert value(changed, truth, name, ties="optimistic") == value(scores, truth, name, ties="optimistic")


@pytest.mark.parametrize("name", NO_EXPECTATION)
def test_ties_expected_is_rejected_for_measures_without_a_closed_form(name):
    with pytest.raises(
        ValueError, match=r"The expectation of .* over ties has no closed form; ties='expected' is available for p, "
    ):
        get_measure(f"{name}[ties=expected]")


def test_ties_expected_reproduces_an_example_by_hand():
    # Three items tie behind the first; one of the three is relevant: the mean of 1/2, 1/3 and 1/4 for its precision.
    run = {"a": 2.0, "b": 1.0, "c": 1.0, "d": 1.0}
    assert average_precision(run, ["c"], ties="expected") == pytest.approx((1 / 2 + 1 / 3 + 1 / 4) / 3)
    assert precision(run, ["c"], k=2, ties="expected") == pytest.approx(1 / 6)
    assert success(run, ["c", "d"], k=3, ties="expected") == pytest.approx(1.0)
    assert ndcg(run, ["a"], ties="expected") == 1.0


def frame(rank=True):
    run = pd.DataFrame({"query": "q", "item": ["b", "a", "c"], "rank": [1, 2, 3], "score": [1.0, 1.0, 1.0]})
    return run if rank else run.drop(columns="rank")


def test_tie_rules_read_scores_and_the_default_order_reads_ranks():
    qrels = pd.DataFrame({"query": "q", "item": ["a", "b", "c"], "relevance": [1, 0, 0]})
    found = {ties: evaluate(frame(), qrels, "mrr", ties=ties).iloc[0, 0] for ties in ("order", "trec_eval", "expected")}
    assert found == {"order": 0.5, "trec_eval": pytest.approx(1 / 3), "expected": pytest.approx(11 / 18)}
    assert evaluate(frame(rank=False), qrels, "mrr").iloc[0, 0] == 1.0  # by score, then by item
    ranks = frame().drop(columns="score").assign(rank=[1, 1, 1])
    assert evaluate(ranks, qrels, "mrr", ties="expected").iloc[0, 0] == pytest.approx(11 / 18)


def test_ties_trec_eval_compares_integer_items_by_their_digits():
    run = pd.DataFrame({"query": 1, "item": [9, 10, 100], "score": 1.0})
    qrels = pd.DataFrame({"query": 1, "item": [9, 10, 100], "relevance": [1, 0, 0]})
    assert evaluate(run, qrels, "mrr", ties="trec_eval").iloc[0, 0] == 1.0  # "9" > "100" > "10"
    categories = run.assign(item=pd.Categorical(run["item"], categories=[100, 9, 10]))
    assert evaluate(categories, qrels, "mrr", ties="trec_eval").iloc[0, 0] == 1.0


def test_measure_names_accept_a_tie_rule():
    qrels = pd.DataFrame({"query": "q", "item": ["a", "b", "c"], "relevance": [1, 0, 0]})
    table = evaluate(frame(), qrels, ["mrr[ties=pessimistic]", "mrr[ties=optimistic]", "mrr"], ties="expected")
    assert table.iloc[0].tolist() == [pytest.approx(1 / 3), 1.0, pytest.approx(11 / 18)]


def test_ties_expected_is_exact_for_large_groups_of_ties():
    # 2000 items tie, 10 of them are relevant: the mean reciprocal rank by the sum over the hypergeometric law.
    n, r = 2000, 10
    run = pd.DataFrame({"query": "q", "item": np.arange(n), "score": 0.0})
    qrels = pd.DataFrame({"query": "q", "item": np.arange(r), "relevance": 1})
    exact = sum(math.comb(n - j, r - 1) / math.comb(n, r) / j for j in range(1, n - r + 2))
    assert evaluate(run, qrels, "mrr", ties="expected").iloc[0, 0] == pytest.approx(exact, rel=1e-12)
    assert evaluate(run, qrels, "success@50", ties="expected").iloc[0, 0] == pytest.approx(
        1 - math.comb(n - r, 50) / math.comb(n, 50), rel=1e-12
    )


def test_ties_expected_with_a_cutoff_is_exact_in_a_large_run():
    # From 10,000 rows on, other tie rules cut the lists before they count. A cut would divide a group of tied items.
    n, r = 12_000, 30
    run = pd.DataFrame({"query": "q", "item": np.arange(n), "score": 0.0})
    qrels = pd.DataFrame({"query": "q", "item": np.arange(r), "relevance": 1})
    found = evaluate(run, qrels, ["p@10", "recall@10", "dcg@10"], ties="expected").iloc[0]
    gain = r / n * (1 / np.log2(np.arange(2, 12))).sum()
    assert found.tolist() == pytest.approx([r / n, 10 / n, gain], rel=1e-12)


def test_ties_expected_of_lists_without_items_is_0():
    qrels = pd.DataFrame({"query": "q", "item": [1, 2], "relevance": 1})
    empty = pd.DataFrame({"query": ["q"], "item": [1], "score": [0.0]})[:0]
    with pytest.warns(UserWarning, match="is empty"):
        assert (evaluate(empty, qrels, ["p@10", "map", "dcg@10"], ties="expected") == 0.0).all(axis=None)


def test_tie_rules_treat_queries_independently():
    rng = np.random.default_rng(0)
    run = pd.DataFrame({"query": np.repeat(np.arange(20), 15), "item": np.tile(np.arange(15), 20)})
    run["score"] = rng.integers(0, 4, len(run)).astype(float)
    qrels = run[["query", "item"]].assign(relevance=rng.integers(-1, 3, len(run)))[rng.random(len(run)) < 0.7]
    encoded, judged = RankedLists.from_frame(run), Qrels.from_frame(qrels)
    for ties in ("expected", "optimistic", "pessimistic", "trec_eval"):
        names = [name for name in EXPECTED if name != "gmap"]
        table = evaluate(encoded, judged, names, ties=ties, per_query=True)
        for query in range(0, 20, 7):
            alone = evaluate(run[run["query"] == query], qrels[qrels["query"] == query], names, ties=ties)
            np.testing.assert_allclose(table.loc[query], alone.iloc[0], rtol=1e-12)
