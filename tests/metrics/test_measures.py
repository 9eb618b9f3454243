"""Measures: the worked examples of the literature, brute force, and peers."""

import math
import pickle
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import skrankagg
from skrankagg import Qrels, RankedLists, evaluate
from skrankagg.exceptions import InputTypeError
from skrankagg.metrics import (
    dcg,
    expected_reciprocal_rank,
    get_measure,
    interpolated_precision,
    mean_average_r_precision,
    measure_names,
    ndcg,
    precision,
    r_precision,
    rank_biased_precision,
    recall,
)
from skrankagg.metrics._relevance._ranked_relevance import RankedRelevance, RelevanceList

pytestmark = pytest.mark.twice


def values(grades, name, **conventions):
    """Compute a measure of one list whose judged items are all returned."""
    grade, ptr = np.array(grades, dtype=float), np.array([0, len(grades)])
    judged = RelevanceList(np.sort(grade)[::-1], ptr)
    return float(get_measure(name, **conventions)._values(RankedRelevance(grade, ptr, judged))[0])


# ---------------------------------------------------------------------- worked examples

# A list of eight, the 1st, 3rd, 4th and 6th relevant (FLAGR's documentation, misprints put right).
FLAGR = [1, 0, 1, 1, 0, 1, 0, 0]
FLAGR_TABLE = {
    "p": [1.00, 0.50, 0.67, 0.75, 0.60, 0.67, 0.57, 0.50],
    "recall": [0.25, 0.25, 0.50, 0.75, 0.75, 1.00, 1.00, 1.00],
    "f1": [0.40, 0.33, 0.57, 0.75, 0.67, 0.80, 0.73, 0.67],
    "dcg": [1.00, 1.00, 1.50, 1.93, 1.93, 2.29, 2.29, 2.29],
    "ndcg": [1.00, 0.61, 0.70, 0.75, 0.75, 0.89, 0.89, 0.89],
    "map": [1.00, 1.00, 0.83, 0.81, 0.81, 0.77, 0.77, 0.77],
}


@pytest.mark.parametrize("name", FLAGR_TABLE)
def test_measures_reproduce_the_table_of_flagrs_documentation(name):
    # Its AP@k divides by the relevant items found so far.
    found = [values(FLAGR, f"{name}@{k}", ap_denominator="retrieved") for k in range(1, 9)]
    assert [round(value, 2) for value in found] == FLAGR_TABLE[name]


def test_recall_reproduces_the_notebook():
    grades = [int(item in (2, 4, 5, 7)) for item in range(1, 9)]
    assert [values(grades, f"recall@{k}") for k in range(1, 9)] == [0, 0.25, 0.25, 0.5, 0.75, 0.75, 1, 1]


def test_map_reproduces_the_notebook():
    found = [
        values([int(item in actual) for item in range(1, 9)], "map@8")
        for actual in ({2, 4, 5, 7}, {1, 4, 5, 7}, {5, 8})
    ]
    assert [round(value, 2) for value in found] == [0.54, 0.67, 0.23]
    assert round(np.mean(found), 2) == 0.48


def test_dcg_and_ndcg_reproduce_the_notebook():
    grades = [0, 4, 1, 3, 4, 1, 3, 2]
    dcg = [round(values(grades, f"dcg@{k}", gain="linear"), 2) for k in range(1, 9)]
    assert dcg == [0, 2.52, 3.02, 4.32, 5.86, 6.22, 7.22, 7.85]
    ndcg = [round(values(grades, f"ndcg@{k}", gain="linear"), 2) for k in range(1, 9)]
    assert ndcg == [0, 0.39, 0.38, 0.46, 0.58, 0.6, 0.67, 0.73]


def test_precision_reproduces_the_recommender_toolkit():
    run = pd.DataFrame({"query": [1, 1, 2, 2], "item": [1, 2, 4, 5], "rank": [1, 2, 1, 2]})
    qrels = pd.DataFrame({"query": [1, 2, 2], "item": [1, 4, 5], "relevance": 1})
    assert evaluate(run, qrels, "p@2").loc["run", "p@2"] == 0.75


# ---------------------------------------------------------------------- conventions


def test_natural_log_discount_changes_dcg_but_not_ndcg():
    assert values(FLAGR, "dcg@8", discount="ln") == pytest.approx(values(FLAGR, "dcg@8") / math.log(2))
    assert values(FLAGR, "ndcg@8", discount="ln") == pytest.approx(values(FLAGR, "ndcg@8"))


def test_letor_discount_counts_the_first_two_places_in_full():
    graded = {"a": 0, "b": 2, "c": 1, "d": 4}
    assert dcg(list("abcd"), graded, discount="letor") == pytest.approx(0 + 3 + 1 / math.log2(3) + 15 / 2)
    assert ndcg(list("abcd"), graded, 2, discount="letor") == pytest.approx(3 / (15 + 3))


def test_linear_and_exponential_gains_agree_only_on_binary_judgements():
    assert values(FLAGR, "ndcg@5[gain=linear]") == pytest.approx(values(FLAGR, "ndcg@5[gain=exponential]"))
    assert values([1, 3], "dcg@2") == pytest.approx(1 + 7 / math.log2(3))
    assert values([1, 3], "dcg@2[gain=linear]") == pytest.approx(1 + 3 / math.log2(3))


def one_query(grades, missed=(), **conventions):
    run = pd.DataFrame({"query": "q", "item": range(len(grades)), "rank": range(1, len(grades) + 1)})
    judged = [(k, grade) for k, grade in enumerate(grades) if grade is not None] + [
        (100 + k, grade) for k, grade in enumerate(missed)
    ]
    qrels = pd.DataFrame({"query": "q", "item": [k for k, _ in judged], "relevance": [grade for _, grade in judged]})
    return lambda name: float(evaluate(run, qrels, name, **conventions).iloc[0, 0])


def test_ndcg_ideal_uses_all_judged_or_all_retrieved_items():
    measure = one_query([1, 0, 2], missed=[3])
    dcg = 1 + 3 / 2
    assert measure("ndcg@3") == pytest.approx(dcg / (7 + 3 / math.log2(3) + 1 / 2))
    assert measure("ndcg@3[ideal=retrieved]") == pytest.approx(dcg / (3 + 1 / math.log2(3)))


@pytest.mark.parametrize(("denominator", "divisor"), [("relevant", 4), ("cutoff", 2), ("retrieved", 1)])
def test_map_supports_three_denominators(denominator, divisor):
    assert one_query([0, 1, 1], missed=[1, 1], ap_denominator=denominator)("map@2") == pytest.approx(0.5 / divisor)


def test_negative_grades_have_no_gain():
    measure = one_query([-1, 1, None], missed=[-2])
    assert measure("num_rel") == 1 and measure("p@1") == 0 and measure("map") == 0.5
    assert measure("ndcg@2") == pytest.approx(1 / math.log2(3))


def test_relevance_threshold_makes_grades_binary():
    measure = one_query([1, 2, 3], missed=[2], relevance_threshold=2)
    assert measure("num_rel") == 3 and measure("p@2") == 0.5 and measure("recall@3") == pytest.approx(2 / 3)
    assert one_query([1, 2])("map[relevance_threshold=2]") == 0.5


def test_dcg_does_not_truncate_fractional_grades():
    assert one_query([0.5, 1.9])("dcg@2[gain=linear]") == pytest.approx(0.5 + 1.9 / math.log2(3))


def test_measures_are_zero_without_relevant_items():
    measure = one_query([0, 0])
    for name in ("p@2", "recall@2", "f1@2", "map", "map@2[ap_denominator=retrieved]", "dcg@2", "ndcg", "ndcg@2"):
        assert measure(name) == 0.0


def test_precision_divides_by_the_cutoff_in_short_lists():
    assert one_query([1])("p@10") == 0.1


def test_ndcg_suggests_a_linear_gain_for_very_large_grades():
    with pytest.raises(ValueError, match="Use gain='linear'"):
        one_query([2000.0, 1.0])("ndcg@2")
    assert one_query([2000.0, 1.0])("ndcg@2[gain=linear]") == 1.0


# ---------------------------------------------------------------------- the registry


def test_get_measure_round_trips_names():
    for name in measure_names():
        measure = get_measure(name.replace("@k", "@7").replace("@r", "@0.1").replace("@z1,z2,...", "@5,10"))
        assert get_measure(str(measure)) == measure
        assert measure.title
    assert str(get_measure(" NDCG@3[ideal=retrieved, gain=linear] ")) == "ndcg@3[gain=linear,ideal=retrieved]"
    assert get_measure("map[relevance_threshold=2]") == get_measure("map", relevance_threshold=2.0)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("mapp", r"'mapp' is not a measure \(did you mean 'map'\?\); choose from p@k, .*ndcg@k"),
        ("", "is not a measure"),
        ("p@10@5", "The cutoff of 'p@10@5' must be a whole number"),
        ("p", "'p' needs a cutoff; write p@10"),
        ("p@0", "whole number of at least 1"),
        ("p@ten", "whole number of at least 1"),
        ("num_ret@5", "'num_ret' has no cutoff"),
        ("num_rett", r"did you mean 'numret'\?"),
        ("apx(rel=2)", r"did you mean 'ap'\?"),
        ("ndcg@5[gain=cubic]", "`gain` must be one of 'exponential', 'linear'; got 'cubic'"),
        ("ndcg@5[colour=red]", "unknown convention 'colour=red'; ndcg accepts gain, discount, ideal"),
        ("p@5[relevance_threshold=high]", "must be a number; got 'high'"),
        ("p@5[relevance_threshold=0]", "must be above 0"),
    ],
)
def test_get_measure_rejects_unknown_names_with_suggestions(name, words):
    with pytest.raises(ValueError, match=words):
        get_measure(name)


def test_get_measure_rejects_names_that_are_not_strings():
    with pytest.raises(TypeError, match="must be a str such as 'ndcg@10'; got int"):
        get_measure(10)


@pytest.mark.parametrize(
    ("convention", "words"),
    [
        ({"gain": "x"}, "`gain` must be one of"),
        ({"gian": "linear"}, "choose from"),
        ({"max_grade": "high"}, "`max_grade` must be a number; got 'high'"),
    ],
)
def test_evaluate_rejects_invalid_conventions(convention, words):
    with pytest.raises(ValueError, match=words):
        one_query([1], **convention)("ndcg@5")


# ---------------------------------------------------------------------- evaluate

RUN = pd.DataFrame({"query": ["a", "a", "b", "x"], "item": [1, 2, 1, 1], "score": [0.5, 0.7, 1.0, 1.0]})
QRELS = pd.DataFrame({"query": ["a", "a", "b", "c"], "item": [1, 3, 2, 1], "relevance": [1, 1, 1, 2]})


def test_evaluate_uses_the_judged_queries():
    # x is not judged; c is judged and has no results.
    table = evaluate(RUN, QRELS, ["map", "num_ret", "num_rel"], per_query=True)
    assert table.index.tolist() == ["a", "b", "c"] and table.index.name == "query"
    assert table["map"].tolist() == [0.25, 0.0, 0.0]
    assert table["num_ret"].tolist() == [2, 1, 0] and table["num_rel"].tolist() == [2, 1, 1]
    assert evaluate(RUN, QRELS, "map").loc["run", "map"] == pytest.approx(0.25 / 3)
    assert evaluate(RUN, QRELS, "map", missing_queries="skip").loc["run", "map"] == pytest.approx(0.25 / 2)


def test_evaluate_sums_counts_and_averages_measures():
    table = evaluate(RUN, QRELS, ["num_rel", "num_ret", "num_rel_ret", "p@1"])
    assert table.loc["run"].tolist() == [4, 3, 1, 0]


def test_evaluate_returns_a_row_per_run():
    runs = {"one": RUN, "two": RankedLists.from_frame(RUN.assign(score=-RUN["score"]))}
    table = evaluate(runs, Qrels.from_frame(QRELS), ["p@1"])
    assert table.index.tolist() == ["one", "two"] and table["p@1"].tolist() == [0.0, 1 / 3]
    both = evaluate(runs, QRELS, ["p@1"], per_query=True)
    assert both.index.names == ["run", "query"] and len(both) == 6


def test_evaluate_orders_equal_scores_by_item():
    run = pd.DataFrame({"query": "q", "item": ["b", "a"], "score": 1.0})
    qrels = pd.DataFrame({"query": "q", "item": ["a", "b"], "relevance": [1, 0]})
    assert evaluate(run, qrels, "p@1").iloc[0, 0] == 1.0


def test_measures_reject_runs_with_several_lists_per_query(X):
    qrels = pd.DataFrame({"query": "q", "item": ["a"], "relevance": 1})
    for call in (lambda: get_measure("map")(X, qrels), lambda: evaluate({"all": X}, qrels)):
        with pytest.raises(
            ValueError, match=r"query 'q' has 3, one for each voter\. Aggregate .* evaluate\(lists, qrels\)"
        ):
            call()


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"missing_queries": "drop"}, "`missing_queries` must be one of 'zero', 'skip'"),
        ({"run": {}}, "at least one run"),
        ({"run": {"a": {"q": ["x"]}}, "qrels": {}}, "at least one judgement; the dict is empty"),
        ({"run": {("a", 1): RUN}}, r"names of runs must be text or numbers; got \('a', 1\)"),
    ],
)
def test_evaluate_rejects_invalid_arguments(change, words):
    with pytest.raises((TypeError, ValueError), match=words):
        evaluate(**{"run": RUN, "qrels": QRELS, **change})


def test_measures_accept_one_run_and_evaluate_several():
    with pytest.raises(TypeError, match=r"precision accepts one run; got 2 frames in a list\. Call evaluate"):
        precision([RUN, RUN], QRELS, k=1)
    runs = [RUN, RUN.assign(score=-RUN["score"])]
    assert evaluate(runs, QRELS)["ndcg@10"].tolist() == [evaluate(run, QRELS)["ndcg@10"].item() for run in runs]


def test_measures_accept_plain_lists_with_a_frame_of_judgements():
    run = {"a": ["2", "1"], "b": ["1"]}
    qrels = QRELS.assign(item=QRELS["item"].astype(str))
    frame = pd.DataFrame({"query": list("aab"), "item": list("211"), "rank": [1, 2, 1]})
    found = recall(run, qrels, k=2, per_query=True)
    assert found.to_dict() == {"a": 0.5, "b": 0.0, "c": 0.0}
    pd.testing.assert_series_equal(found, recall(frame, qrels, k=2, per_query=True))


# ---------------------------------------------------------------------- oracles


def brute(grades, judged, name, k):
    relevant = sum(grade > 0 for grade in judged)
    hits = [grade > 0 for grade in grades[:k]]
    if name == "p":
        return sum(hits) / k
    if name == "recall":
        return sum(hits) / relevant if relevant else 0.0
    if name == "map":
        precisions = [sum(hits[: j + 1]) / (j + 1) for j, hit in enumerate(hits) if hit]
        return sum(precisions) / relevant if relevant else 0.0

    def dcg(some):
        return sum((2 ** max(grade, 0) - 1) / math.log2(j + 2) for j, grade in enumerate(some[:k]))

    ideal = dcg(sorted(judged, reverse=True))
    return dcg(grades) / ideal if ideal else 0.0


@given(
    lists=st.lists(
        st.tuples(st.lists(st.integers(-1, 3), max_size=8), st.lists(st.integers(-1, 3), max_size=4)),
        min_size=1,
        max_size=5,
    ),
    k=st.integers(1, 10),
)
@settings(max_examples=60, deadline=None)
def test_measures_equal_their_definitions(lists, k):
    returned = [np.array(grades, dtype=float) for grades, _ in lists]
    judged = [np.sort(np.array([*grades, *missed], dtype=float))[::-1] for grades, missed in lists]

    def ragged(parts):
        return np.concatenate(parts), np.concatenate([[0], np.cumsum([len(part) for part in parts])])

    ranked = RankedRelevance(*ragged(returned), RelevanceList(*ragged(judged)))
    for name in ("p", "recall", "map", "ndcg"):
        expected = [brute(grades, [*grades, *missed], name, k) for grades, missed in lists]
        np.testing.assert_allclose(get_measure(f"{name}@{k}")._values(ranked), expected, rtol=1e-12, atol=1e-15)


# ---------------------------------------------------------------------- more definitions, and forms of input


def test_mean_average_r_precision_handles_a_short_solution():
    # The second example of the VideoLectures challenge: (4/5 + 6/10) / 2 and (2/5 + 4/7) / 2; it prints 0.5928.
    solutions = [
        {1: 100, 2: 99, 3: 98, 4: 97, 5: 96, 6: 96, 7: 96, 8: 93, 9: 92, 10: 91},
        {1: 50, 2: 49, 3: 48, 4: 47, 5: 46, 6: 45, 7: 44},
    ]
    found = [[1, 2, 3, 7, 20, 6, 21, 8, 22, 23], [23, 2, 3, 20, 10, 6, 7, 8, 21, 22]]
    each = mean_average_r_precision(found, solutions, k=(5, 10), per_query=True)
    assert each.tolist() == pytest.approx([0.7, (2 / 5 + 4 / 7) / 2])
    assert evaluate(found, solutions, "marp@5,10").iloc[0, 0] == pytest.approx(83 / 140)
    assert r_precision(found, solutions, 5, per_query=True).tolist() == [0.8, 0.4]


def test_truncate_relevant_cuts_the_ideal_at_the_number_of_relevant_items():
    recommends, truth = [[1, 2], [4, 5]], [[1], [4, 5]]
    assert ndcg(recommends, truth, 2, discount="ln", truncate="relevant") == 1.0
    assert dcg(recommends, truth, 2, discount="ln", per_query=True).tolist() == pytest.approx(
        [1 / math.log(2), 1 / math.log(2) + 1 / math.log(3)]
    )
    assert precision(recommends, truth, 2) == 0.75
    assert recall(recommends, truth, 2) == 1.0


def brute_users(grades, name, p=0.8, top=4):
    if name == "rbp":
        return (1 - p) * sum(p**j for j, grade in enumerate(grades) if (grade or 0) > 0)
    if name == "rbp_resid":
        unknown = sum(p**j for j, grade in enumerate(grades) if grade is None)
        return p ** len(grades) + (1 - p) * unknown if grades else 0.0
    left = value = 1.0
    value = 0.0
    for j, grade in enumerate(grades):
        stops = (2 ** max(grade or 0, 0) - 1) / 2**top
        value += left * stops / (j + 1)
        left *= 1 - stops
    return value


@given(
    grades=st.lists(st.sampled_from([None, -1, 0, 1, 2, 4]), max_size=8),
    name=st.sampled_from(["rbp", "rbp_resid", "err"]),
)
@settings(max_examples=60, deadline=None)
@pytest.mark.filterwarnings("ignore::skrankagg.exceptions.NothingJudgedWarning")  # some lists are empty
def test_user_model_measures_equal_their_definitions(grades, name):
    truth = {k: grade for k, grade in enumerate(grades) if grade is not None}
    found = evaluate([list(range(len(grades)))], [truth], name).iloc[0, 0]
    assert found == pytest.approx(brute_users(grades, name), rel=1e-12, abs=1e-15)


def test_max_grade_scales_graded_gains():
    assert rank_biased_precision(["a", "b"], {"a": 2, "b": 4}, persistence=0.5, max_grade=4) == 0.5 * (0.5 + 0.5)
    for measure, words in (
        (expected_reciprocal_rank, "`max_grade` must be"),
        (rank_biased_precision, "`max_grade` must"),
    ):
        with pytest.raises(ValueError, match=words):
            measure(["a"], {"a": 5}, max_grade=4)


def test_measures_agree_for_lists_frames_and_dicts():
    items, truth = [["a", "b", "c"], ["b"], []], [{"a": 1, "c": 2}, {"a": 1}, {"b": 3}]
    rows = [(q, item, k + 1) for q, some in enumerate(items) for k, item in enumerate(some)]
    run = pd.DataFrame(rows, columns=["query", "item", "rank"])
    qrels = pd.DataFrame(
        [(q, item, grade) for q, some in enumerate(truth) for item, grade in some.items()],
        columns=["query", "item", "relevance"],
    )
    by_name = {f"q{q}": some for q, some in enumerate(items)}, {f"q{q}": some for q, some in enumerate(truth)}
    scored = {name: {item: -k for k, item in enumerate(some)} for name, some in by_name[0].items()}
    expected = ndcg(run, qrels, k=2, per_query=True)
    assert expected.index.name == "query" and expected.name == "ndcg"
    for form in ((items, truth), by_name, (scored, by_name[1]), (RankedLists.from_frame(run), Qrels.from_frame(qrels))):
        assert ndcg(*form, k=2, per_query=True).tolist() == pytest.approx(expected.tolist())
        assert ndcg(*form, k=2) == pytest.approx(expected.mean())
        assert ndcg(*form, k=2, missing_queries="skip") == pytest.approx(expected.iloc[:2].mean())
    assert ndcg(items[0], truth[0], k=2) == pytest.approx(expected.iloc[0])
    assert evaluate(items, truth, "ndcg@2[missing_queries=skip]").iloc[0, 0] == pytest.approx(expected.iloc[:2].mean())
    table = evaluate({"plain": by_name[0], "scored": scored}, by_name[1], "ndcg@2", per_query=True)
    assert table["ndcg@2"].tolist() == pytest.approx([*expected, *expected])
    with pytest.raises(TypeError, match="'q0' is a query of the judgements"):
        evaluate(scored, by_name[1], "ndcg@2")


def test_precision_accepts_mixed_types_and_empty_truths():
    assert precision([[1, "1"], ["x"]], [{"1"}, set()], k=1, per_query=True).tolist() == [0.0, 0.0]
    assert precision([np.array([3, 4])], [np.array([3])], k=1) == 1.0


@pytest.mark.parametrize(
    ("run", "qrels", "error", "words"),
    [
        ([["a"]], pd.DataFrame({"query": [1], "item": ["a"], "relevance": [1]}), TypeError, "Pass both as frames"),
        ([["a"], ["b"]], [["a"]], ValueError, "got 2 lists and 1 collections"),
        ([["a", "a"]], [["a"]], ValueError, "query 0 repeats an item"),
        ([{"a": float("nan")}], [["a"]], ValueError, "Scores must be finite"),
        ([["a"]], [{"a": float("inf")}], ValueError, "Grades must be finite"),
        ([["a"], ["b"]], ["a", ["b"]], TypeError, "query 0 has 'a'"),
        ({"q": ["a"]}, [["a"]], TypeError, "both be dicts keyed by query"),
        ({"q": ["a"]}, {}, ValueError, "at least one judged query; the dict is empty"),
        ([["a"], ["b"]], {"a", "b"}, TypeError, "A set has no order, so it can contain only .* of one query"),
        ({"q": {"a": 1.0, 1: 1.0}}, {"q": ["a"]}, TypeError, "must be of one type; query 'q' mixes types"),
        ([[["a"], ["b"]]], [["a"]], TypeError, "query 0 has items that cannot be hashed"),
    ],
)
def test_precision_rejects_invalid_lists(run, qrels, error, words):
    with pytest.raises(error, match=words):
        precision(run, qrels, k=1, missing_queries="skip")


@pytest.mark.parametrize("k", [0, 1.5, "3", -1])
def test_measures_reject_invalid_cutoffs(k):
    with pytest.raises(ValueError, match="whole number of at least 1"):
        precision(["a"], ["a"], k=k)
    with pytest.raises(ValueError, match="recall from 0 to 1"):
        interpolated_precision(["a"], ["a"], k=2.0)


def test_gmap_is_the_geometric_mean_over_queries():
    run, truth = [["a", "b"], ["a", "b"], ["x"]], [["a"], ["b"], ["b"]]
    assert evaluate(run, truth, "gmap").iloc[0, 0] == pytest.approx((1 * 0.5 * 1e-5) ** (1 / 3))
    assert evaluate(run, truth, "gmap", per_query=True)["gmap"].tolist() == [1.0, 0.5, 0.0]


def test_measure_objects_can_be_called_on_a_run():
    run, qrels = [["a", "x"], ["x", "b"]], [["a"], ["b"]]
    measure = get_measure("mrr@1")
    assert measure(run, qrels) == 0.5
    pd.testing.assert_series_equal(
        measure(run, qrels, per_query=True), skrankagg.metrics.reciprocal_rank(run, qrels, 1, per_query=True)
    )
    linear = get_measure("ndcg[gain=linear]")
    grades = {"a": 1, "b": 3}
    assert linear(["a", "b"], grades) == skrankagg.metrics.ndcg(["a", "b"], grades, gain="linear")
    assert pickle.loads(pickle.dumps(linear)) == linear


def test_interpolated_precision_rounds_recall_by_the_given_rule():
    # R = 3: recall 0.4 needs 1.2 relevant items, one to the nearest and two rounded up; recall 0.5 needs 1.5, two.
    found = ["a", "x", "b", "c"], ["a", "b", "c"]
    nearest = [skrankagg.metrics.interpolated_precision(*found, k) for k in (0, 0.4, 0.5, 1)]
    assert nearest == [1.0, 1.0, 0.75, 0.75]
    up = [skrankagg.metrics.interpolated_precision(*found, k, rounding="up") for k in (0, 0.4, 0.5, 1)]
    assert up == [1.0, 0.75, 0.75, 0.75]
    names = ["iprec@0.4", "iprec@0.4[rounding=up]", "11pt", "11pt[rounding=up]"]
    values = evaluate([found[0]], [found[1]], names).iloc[0].tolist()
    assert values == pytest.approx([1.0, 0.75, (5 * 1 + 6 * 0.75) / 11, (4 * 1 + 7 * 0.75) / 11])
    with pytest.raises(ValueError, match="`rounding` must be one of 'nearest', 'up'"):
        skrankagg.metrics.interpolated_precision(*found, 0.4, rounding="down")


@pytest.mark.parametrize("call", [evaluate, ndcg])
@pytest.mark.parametrize("runs", ["bm25.run", Path("bm25.run"), ["bm25.run", "dense.run"], {"bm25": "bm25.run"}])
def test_files_are_refused_with_the_functions_that_read_them(call, runs):
    with pytest.raises(
        InputTypeError, match=r"must be called with a run and judgements, not with files; got '\w+\.\w+'"
    ):
        call(runs, "qrels.txt")
    with pytest.raises(
        InputTypeError, match=r"Read the files first: \w+\(read_lists\(runs\), read_qrels\(judgements\)\)"
    ):
        call([["d1"]], Path("qrels.txt"))
    if not isinstance(runs, (list, dict)):
        with pytest.raises(InputTypeError, match=r"not with files; got 'bm25\.run'"):
            call(runs, {"q": {"d1": 1}})
