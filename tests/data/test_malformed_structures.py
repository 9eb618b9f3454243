"""Malformed dicts and lists give a correct result or a one-sentence error in every function that accepts them."""

import random

import numpy as np
import pandas as pd
import pytest
from malformed import CALLS, KINDS, Case, fault, make_case, malformed_case
from pandas.testing import assert_frame_equal

from skrankagg import DIBRA, BordaCount, CombSUM, Copeland, LearnedWeights, Qrels, RankedLists, evaluate, fuse
from skrankagg.exceptions import InputError, InputTypeError, NothingJudgedWarning
from skrankagg.metrics import ndcg

STRUCTURES = 4000  # benchmarks/fuzz_structures.py tries more
PARTS = 8

SCORES = {"q1": {"d1": 2.0, "d2": 1.0}, "q2": {"d2": 1.0}}
JUDGED = {"q1": {"d1": 1, "d2": 0}, "q2": {"d2": 2}}


@pytest.mark.sampled(1)
@pytest.mark.parametrize("part", range(PARTS))
def test_functions_read_malformed_structures_correctly_or_reject_them(part):
    failures, n_read = [], 0
    for number in range(part, STRUCTURES, PARTS):
        found, is_read = fault(malformed_case(0, number))
        n_read += is_read
        if found is not None and pd.__version__ < "3" and "np.datetime64" in found:
            continue  # pandas 2 returns a Timestamp, which is equal but has another hash
        if found is not None:
            failures.append(f"python benchmarks/fuzz_structures.py --cases 1 --first {number}: {found}")
    assert not failures
    assert 0.15 < n_read / (STRUCTURES / PARTS) < 0.6  # damage is neither harmless nor fatal


@pytest.mark.sampled(1)
@pytest.mark.parametrize("kind", sorted(set(KINDS) - {"fit", "evaluate", "evaluate_voters", "Comparator.fit"}))
def test_functions_read_undamaged_structures(kind):
    for seed in range(40):
        assert fault(make_case(random.Random(seed), kind)) == (None, True)


@pytest.mark.exhaustive
def test_fit_and_evaluate_reject_undamaged_but_misused_structures():
    # The samples of `fit` are queries; runs may be passed as judgements, or share no query with them.
    for kind, least in (("fit", 0), ("evaluate", 20), ("evaluate_voters", 0), ("Comparator.fit", 20)):
        found = [fault(make_case(random.Random(seed), kind)) for seed in range(40)]
        assert not any(one for one, _ in found)
        assert sum(is_read for _, is_read in found) >= least


def test_malformed_case_is_reproducible():
    assert [repr(malformed_case(1, number).options.keys()) for number in range(60)] == [
        repr(malformed_case(1, number).options.keys()) for number in range(60)
    ]
    assert any(repr(malformed_case(1, k).given) != repr(malformed_case(2, k).given) for k in range(20))


def _raise(error):
    raise error


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda lists: _raise(KeyError("x")), "KeyError: 'x'"),
        (lambda lists: _raise(ValueError("bad")), "ValueError: bad"),
        (lambda lists: _raise(InputError("two\nlines of it, which are more than one.")), "the message is not one"),
        (lambda lists: _raise(InputError("no full stop at the end of it")), "the message is not one sentence"),
        (lambda lists: _raise(InputError("Wrap it: RankedLists.from_frame(df).")), "the advice is for a frame"),
        (lambda lists: RankedLists.from_lists({"v": lists["v"][:-1]}), "the lists are"),
        (lambda lists: RankedLists.from_lists({"w": lists["v"]}), "the lists are"),
        (lambda lists: np.array([1]).mean(axis=5), "AxisError"),
    ],
)
def test_fault_detects_wrong_results(monkeypatch, call, words):
    case = Case("from_lists", [{"v": ["a", "b"]}])
    assert fault(case) == (None, True)
    monkeypatch.setitem(CALLS, "from_lists", (None, call))
    assert fault(case)[0].startswith(words)


# ---------------------------------------------------------------------- malformed input found by fuzzing


@pytest.mark.parametrize(
    ("ballots", "counts", "error", "words"),
    [
        ([[[1, "a"]]], None, InputTypeError, r"of one sortable type.*got \[\[1, 'a'\]\]"),
        ([[{"a": 1}]], None, InputTypeError, r"got \[\{'a': 1\}\] \(unhashable"),
        ([5], None, InputTypeError, "must be text .*; got 5"),
        ([None], None, InputTypeError, "; got None"),
        ([{"a", "b"}], None, InputTypeError, "Each ballot passed to RankedLists.from_ballots must be text"),
        ([{"a": 1, "b": 2}], None, InputTypeError, "Each ballot passed to RankedLists.from_ballots must be text"),
        ([b"a > b"], None, InputTypeError, "Each ballot passed to RankedLists.from_ballots must be text"),
        ([["a", None]], None, InputError, r"must contain at least one item.*got \['a', None\]"),
        ([["a", float("nan")]], None, InputError, "must contain at least one item"),
        ([["a", [pd.NA]]], None, InputError, r"must contain at least one item.*got \['a', \[<NA>\]\]"),
        (["a"], ["3"], InputError, "`counts` must be finite numbers of at least 0; got '3'"),
        (["a"], [-1], InputError, "`counts` must be finite numbers of at least 0; got -1"),
        (["a"], [float("nan")], InputError, "got nan"),
        (["a"], [10**400], InputError, "got 1000"),
        (["a"], 3, InputTypeError, "must be a sequence of numbers.*got int"),
        (["a"], {"a": 3}, InputTypeError, "must be a sequence of numbers.*got dict"),
        (["a"], "3", InputTypeError, "must be a sequence of numbers.*got str"),
    ],
)
def test_from_ballots_rejects_invalid_ballots(ballots, counts, error, words):
    with pytest.raises(error, match=words):
        RankedLists.from_ballots(ballots, counts=counts)


def test_from_ballots_ignores_ballots_with_count_0():
    lists = RankedLists.from_ballots(["a > b", "b > a"], counts=[0, 2])
    assert lists.list_weight.tolist() == [0, 2]
    assert Copeland().fit_transform(lists)["item"].tolist() == ["b", "a"]


@pytest.mark.parametrize(
    ("hits", "error", "words"),
    [
        ([None], InputTypeError, "must have a list of hits for each voter, best first; voter 1 has None"),
        ([5], InputTypeError, "voter 1 has 5"),
        (["d1"], InputTypeError, "voter 1 has 'd1'"),
        ([{"id": "d1", "s": 1.0}], InputTypeError, "voter 1 has {'id'"),
        ([[None]], InputError, "passed to RankedLists.from_hits must have 'id'; hit 1 of voter 1 does not"),
        (
            [[{"id": "d1", "s": "high"}]],
            InputError,
            "score of every hit .* must be a number; hit 1 of voter 1 has 'high'",
        ),
        ([[{"id": "d1", "s": "0.5"}]], InputError, "hit 1 of voter 1 has '0.5'"),
        ([[{"id": "d1", "s": None}]], InputError, "hit 1 of voter 1 has None"),
        ([[{"id": "d1", "s": float("inf")}]], InputError, "must be finite; item 'd1' of voter 1 has inf"),
    ],
)
def test_from_hits_rejects_invalid_hits(hits, error, words):
    with pytest.raises(error, match=words):
        RankedLists.from_hits(hits, key="id", score="s")


def test_from_hits_names_the_hit_at_which_a_key_function_fails():
    with pytest.raises(InputError, match="hit 1 of voter 1 does not") as caught:
        RankedLists.from_hits([[None]], key=lambda hit: hit["id"])
    assert isinstance(caught.value.__cause__, TypeError)
    with pytest.raises(ZeroDivisionError):  # a mistake of the function, and none of the hits
        RankedLists.from_hits([[{"id": "d1"}]], key=lambda hit: 1 / 0)


@pytest.mark.parametrize(
    ("values", "error", "words"),
    [
        (
            "abc",
            InputTypeError,
            "numbers with rows of equal length, one row for each item and one column for each voter; got 'abc'",
        ),
        ({"v": {"a": 1.0}}, InputTypeError, r"got {'v': {'a': 1.0}}.*dicts keyed by voter to RankedLists\.from_lists"),
        ([[1.0], [2.0, 3.0]], InputTypeError, "numbers with rows of equal length"),
        ([["1", "2"]], InputTypeError, r"got \[\['1', '2'\]\] of dtype"),
        ([[1j]], InputTypeError, "of dtype complex128"),
        ([[1.0, {"a": 1}]], InputError, "must be a number, None or NaN; got {'a': 1}"),
        (pd.DataFrame({"v": ["high", 1]}), InputError, "got 'high'"),
    ],
)
def test_from_matrix_rejects_invalid_matrices(values, error, words):
    with pytest.raises(error, match=words):
        RankedLists.from_matrix(values, kind="score")


def test_from_matrix_rejects_unhashable_names_and_negative_ranks():
    for names in ([["a"]], 5, "ab"):
        with pytest.raises(InputTypeError, match=r"`items` of RankedLists\.from_matrix must"):
            RankedLists.from_matrix([[1.0]], kind="score", items=names)
    with pytest.raises(InputError, match=r"got -1 for item 'b' and voter 0\. Pass kind='score'"):
        RankedLists.from_matrix([[1], [-1]], kind="rank", items=["a", "b"])


def test_from_matrix_accepts_missing_cells_of_any_kind():
    expected = RankedLists.from_matrix([[1.0, 2.0], [3.0, np.nan]], kind="score")
    assert RankedLists.from_matrix([[1, 2], [3, None]], kind="score").equals(expected)
    nullable = pd.DataFrame({0: [1, 3], 1: pd.array([2, None], dtype="Int64")})
    assert RankedLists.from_matrix(nullable, kind="score").equals(expected)


@pytest.mark.parametrize(
    ("judged", "error", "words"),
    [
        ({"q": [["d1"]]}, InputTypeError, "query 'q' has items that cannot be hashed"),
        ({"q": {"d1": "good"}}, InputError, "got 'good' for item 'd1' of query 'q'"),
        ({"q": {"d1": "2"}}, InputError, "got '2' for item 'd1' of query 'q'"),
        ({"q": {"d1": None}}, InputError, "got None"),
        ({"q": {"d1": {"d2": 1}}}, InputError, "got {'d2': 1}"),
        ({"q": None}, InputTypeError, "query 'q' has NoneType"),
        ({"q": b"ab"}, InputTypeError, "query 'q' has bytes"),
    ],
)
def test_from_dict_rejects_invalid_judgements(judged, error, words):
    with pytest.raises(error, match=words):
        Qrels.from_dict(judged)


@pytest.mark.parametrize(
    ("lists", "options", "error", "words"),
    [
        ({"v": {"a": "high"}}, {}, InputError, "item 'a' of voter 'v' has 'high'"),
        ({"v": {"a": "high"}}, {"lower_is_better": True}, InputError, "item 'a' of voter 'v' has 'high'"),
        ({"v": {"a": [1], "b": 2}}, {"duplicates": "mean"}, InputError, r"item 'a' of voter 'v' has \[1\]"),
        ({"v": {"a": 1.0, "b": np.inf}}, {}, InputError, "item 'b' of voter 'v' has inf"),
        ({"v": ["a"]}, {"weights": ["1"]}, InputTypeError, r"`weights` must be numbers.*got \['1'\]"),
        ({"v": ["a"]}, {"weights": {"v": "x"}}, InputTypeError, "`weights` must be numbers"),
        ({"v": ["a"]}, {"weights": [[1], [2, 3]]}, InputTypeError, "`weights` must be numbers"),
        ({"v": ["a"]}, {"query": ["q"]}, InputTypeError, r"`query` must be an id.*got \['q'\]"),
        ({"v": {"a": 1.0}}, {"lower_is_better": [["v"]]}, InputTypeError, "True, False or a list of voters"),
        ({"v": ["a"]}, {"strip": "no"}, InputTypeError, "`strip` must be True or False; got 'no'"),
        ({"v": [("a", 1.0), ("b", None)]}, {}, InputError, "item 'b' of voter 'v' has None|must be finite"),
        ({"v": [("a", None), ("b", 1.0)]}, {}, InputError, "item 'a' of voter 'v' has None|must be finite"),
        ({"v": b"ab"}, {}, InputTypeError, "query 'q' of voter 'v' has bytes"),
        ({None: ["a"]}, {}, InputError, "must have a name for each voter"),
    ],
)
def test_from_lists_rejects_invalid_lists(lists, options, error, words):
    with pytest.raises(error, match=words):
        RankedLists.from_lists(lists, **options)


def test_from_runs_treats_an_empty_run_as_a_voter_without_results():
    runs = {"bm25": SCORES, "dense": {}}
    expected = RankedLists.from_runs({"bm25": SCORES})
    assert RankedLists.from_runs(runs).equals(expected)
    assert_frame_equal(CombSUM().fit_transform(runs), CombSUM().fit_transform(expected))
    assert_frame_equal(CombSUM().fit_transform({"dense": {}, "bm25": SCORES}), CombSUM().fit_transform(expected))
    assert_frame_equal(DIBRA().fit_transform({"bm25": SCORES, "dense": {"q1": {}}}), DIBRA().fit_transform(expected))
    lists = {"bm25": ["a", "b"], "dense": []}
    assert_frame_equal(BordaCount().fit_transform(lists), BordaCount().fit_transform({"bm25": ["a", "b"]}))
    assert fuse(lists) == fuse({"bm25": ["a", "b"]})
    for nothing, words in (({}, "at least one voter"), ([], "at least one voter"), ({"bm25": {}}, "no rows")):
        with pytest.raises(InputError, match=words):
            BordaCount().fit_transform(nothing)


def test_evaluate_rejects_runs_passed_as_judgements():
    for runs in ({"bm25": SCORES}, {"bm25": {"q1": ["d1"]}, "dense": {}}):
        for call in (evaluate, ndcg):
            with pytest.raises(InputTypeError, match=r"got a dict of runs as the judgements\. Call \w+\(run, qrels\)"):
                call(JUDGED, runs)


def test_evaluate_rejects_a_run_by_query_without_a_name():
    run = {"q0": {"d1": 1.0}}
    for given in (run, {"q0": ["d1"]}, {**run, "q1": {}}):
        for judged in (JUDGED, Qrels.from_dict(JUDGED), Qrels.from_dict(JUDGED).to_frame()):
            words = r"(has the results of one query|is a query of the judgements)\. Name the run"
            with pytest.raises(InputTypeError, match=words) as caught:
                evaluate(given, judged)
            assert "cannot be evaluated" not in str(caught.value)
    # Items of a single query, without an id, are a run; so is nothing at all.
    with pytest.warns(NothingJudgedWarning, match="The run 'none' is empty; it scores 0"):
        assert evaluate({"bm25": ["a", "b"], "none": []}, ["b"], "mrr")["mrr"].tolist() == [0.5, 0]


def test_evaluate_accepts_dicts_by_query_with_any_kind_of_judgements():
    runs = {"bm25": SCORES, "dense": {"q1": ["d2", "d1"], "q2": []}}
    expected = evaluate(runs, JUDGED, ["map", "ndcg@1"], missing_queries="zero", per_query=True)
    for judged in (Qrels.from_dict(JUDGED), Qrels.from_dict(JUDGED).to_frame()):
        assert_frame_equal(evaluate(runs, judged, ["map", "ndcg@1"], missing_queries="zero", per_query=True), expected)
        assert ndcg(SCORES, judged) == ndcg(SCORES, JUDGED)
    with pytest.raises(InputError, match=r"The run 'bm25' cannot be evaluated: .*query 'q1' .*hold|several kinds"):
        evaluate({"bm25": {"q1": {"d1": 1.0}, "q2": ["d2"]}}, Qrels.from_dict(JUDGED))


def test_evaluate_rejects_iterators_as_judgements():
    with pytest.raises(InputTypeError, match="must be a list, a set or a dict; query 'q1' has <"):
        evaluate({"a": {"q1": ["d1"]}, "b": {"q1": ["d1"]}}, {"q1": iter(["d1"])})


def test_fuse_rejects_a_class_as_aggregator():
    for explain in (False, True):
        with pytest.raises(
            (InputError, InputTypeError), match=r"got the class CombSUM\. Pass an instance, CombSUM\(\)"
        ):
            fuse([["a", "b"]], CombSUM, explain=explain)
    with pytest.raises(InputTypeError, match="expects an aggregator"):
        fuse([["a", "b"]], pd.Series(["a"]))  # which has a transform of its own


def test_fuse_rejects_repeated_ids_in_a_batch():
    lists = [[("a", 1.0), ("a", 2.0)]]
    for given in (lists, [lists, lists]):
        with pytest.raises(InputError, match="list 1 repeats 'a'"):
            fuse(given, Copeland())


def test_error_messages_advise_the_matching_constructor():
    lists = RankedLists.from_runs({"bm25": SCORES})
    with pytest.raises(InputTypeError, match=r"got DataFrame\. Wrap it: Qrels\.from_frame\(df\)"):
        LearnedWeights().fit(lists, Qrels.from_dict(JUDGED).to_frame())
    with pytest.raises(InputTypeError, match=r"encode a dict by query with Qrels\.from_dict"):
        Qrels.from_frame(JUDGED)
    with pytest.raises(InputTypeError, match=r"encode dicts and lists with RankedLists\.from_lists"):
        RankedLists.from_wide({"v": ["a"]})
    with pytest.raises(InputTypeError, match=r"Encode it first, with RankedLists.from_frame, from_runs or from_lists"):
        Qrels.from_dict(JUDGED).align({"bm25": SCORES})
