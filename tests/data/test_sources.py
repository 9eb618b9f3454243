"""Conversion between RankedLists and dicts, lists, tables, matrices, comparisons and ballots."""

from dataclasses import dataclass, fields

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pandas.testing import assert_frame_equal

from oracles import duels
from skrankagg import DIBRA, BordaCount, CombSUM, Comparator, Copeland, Qrels, RankedLists, evaluate
from skrankagg.exceptions import InputError, InputTypeError

SCORES = st.dictionaries(
    st.sampled_from(["q1", "q2"]),
    st.dictionaries(st.sampled_from("abcde"), st.integers(-3, 3).map(float), min_size=1),
    min_size=1,
)
RUNS = st.dictionaries(st.sampled_from(["bm25", "dense", "rm3"]), SCORES, min_size=1)


def same(found, expected):
    """Check that two containers are equal, array by array."""
    for field in fields(RankedLists):
        left, right = getattr(found, field.name), getattr(expected, field.name)
        if left is None or right is None:
            assert left is right, field.name
        else:
            assert np.array_equal(np.asarray(left), np.asarray(right)), field.name


def frame_of(runs):
    rows = [
        (query, voter, item, score)
        for voter, run in runs.items()
        for query, results in run.items()
        for item, score in results.items()
    ]
    return pd.DataFrame(rows, columns=["query", "voter", "item", "score"])


@given(runs=RUNS)
@settings(max_examples=60, deadline=None)
def test_constructors_of_scores_agree(runs):
    expected = RankedLists.from_frame(frame_of(runs))
    same(RankedLists.from_runs(runs), expected)
    same(RankedLists.from_runs(expected.to_runs()), expected)
    one = {voter: run["q1"] for voter, run in runs.items() if "q1" in run}
    if one:
        of_query = RankedLists.from_frame(frame_of({voter: {"q": results} for voter, results in one.items()}))
        same(RankedLists.from_lists(one), of_query)
        matrix = pd.DataFrame(one)
        same(RankedLists.from_matrix(matrix, kind="score", rows="items"), of_query)
        same(RankedLists.from_matrix(-matrix, kind="score", rows="items", lower_is_better=True), of_query)
        hits = {voter: [{"id": i, "s": s} for i, s in results.items()] for voter, results in one.items()}
        same(RankedLists.from_hits(hits, key="id", score="s"), of_query)


@given(lists=st.lists(st.permutations("abcd").map(lambda items: items[:3]), min_size=1, max_size=4))
@settings(max_examples=40, deadline=None)
def test_from_lists_and_from_wide_agree(lists):
    named = {f"v{k}": one[: 1 + k % 3] for k, one in enumerate(lists)}
    encoded = RankedLists.from_lists(named)
    table = pd.DataFrame({voter: pd.Series(one, dtype=object) for voter, one in named.items()})
    same(RankedLists.from_wide(table), encoded)
    same(RankedLists.from_wide(encoded.to_wide()), encoded)
    same(RankedLists.from_runs(encoded.to_runs()), encoded)
    ranks = pd.DataFrame({voter: {item: place for place, item in enumerate(one)} for voter, one in named.items()})
    same(RankedLists.from_matrix(ranks, kind="rank", rows="items"), encoded)


def test_from_wide_resolves_duplicates_and_missing_ids_with_two_options():
    table = pd.DataFrame({"Smith": ["TP53", "KRAS", "TP53", np.nan], "Wu": ["KRAS", np.nan, "MYC", "TP53"]})
    with pytest.raises(InputError, match=r"have None or NaN\. Pass missing_ids='drop'"):
        RankedLists.from_wide(table)
    with pytest.raises(InputError, match=r"item 'TP53' of voter 'Smith'\)\. Pass duplicates='first'"):
        RankedLists.from_wide(table, missing_ids="drop")
    lists = RankedLists.from_wide(table, missing_ids="drop", duplicates="first")
    assert lists.to_runs() == {"Smith": {"q": ["TP53", "KRAS"]}, "Wu": {"q": ["KRAS", "MYC", "TP53"]}}


@pytest.mark.parametrize(
    ("duplicates", "expected"),
    [("first", {"a": 1.0, "b": 2.0}), ("best", {"b": 2.0, "a": 3.0}), ("mean", {"a": 2.0, "b": 2.0})],
)
def test_from_hits_resolves_duplicates_as_requested(duplicates, expected):
    hits = [[("a", 1.0), ("b", 2.0), ("a", 3.0)]]
    lists = RankedLists.from_hits(hits, key=lambda hit: hit[0], score=lambda hit: hit[1], duplicates=duplicates)
    assert lists.to_runs()[1]["q"] == expected


def test_from_matrix_applies_lower_is_better_to_given_voters():
    pvalues = pd.DataFrame({"study": [0.0, 0.04, 0.5], "effect": [2.0, 3.0, 1.0]}, index=["a", "b", "c"])
    lists = RankedLists.from_matrix(pvalues, kind="score", lower_is_better=["study"])
    assert CombSUM().fit_transform(lists)["item"].tolist() == ["b", "a", "c"]  # 1 - .08 + 1, 1 + .5, 0
    assert not np.signbit(lists.score[lists.score == 0]).any()
    with pytest.raises(InputError, match="which is not a voter; did you mean 'study'"):
        RankedLists.from_matrix(pvalues, kind="score", lower_is_better=["studdy"])
    with pytest.raises(InputError, match="must be False for ranks"):
        RankedLists.from_matrix(pvalues.rank(), kind="rank", lower_is_better=True)


def test_from_lists_accepts_weights_by_name_or_in_list_order():
    lists = {"v": ["a", "b"], "u": ["b", "a"]}
    for weights in ([2.0, 1.0], {"u": 1.0, "v": 2.0}, pd.Series({"u": 1.0, "v": 2.0})):
        encoded = RankedLists.from_lists(lists, weights=weights)
        assert dict(zip(encoded.voters, encoded.list_weight, strict=True)) == {"u": 1.0, "v": 2.0}
    for wrong, words in (
        ([1.0], "for each of 2 voters"),
        ({"v": 1}, "lacks 'u'"),
        ({"v": 1, "u": 1, "w": 1}, "'w'"),
    ):
        with pytest.raises(InputError, match=words):
            RankedLists.from_lists(lists, weights=wrong)


@dataclass
class Hit:
    doc: str


class Run:
    """A run with the attributes of ranx's Run."""

    def __init__(self, name, run):
        self.name, self._run = name, run

    def to_dict(self):
        return self._run


def test_constructors_accept_ranx_runs_and_hit_objects():
    run = {"q1": {"d1": 2.0, "d2": 1.0}}
    same(RankedLists.from_runs([Run("bm25", run)]), RankedLists.from_runs({"bm25": run}))
    same(RankedLists.from_runs({"bm25": Run(None, run)}), RankedLists.from_runs({"bm25": run}))
    with pytest.raises(InputError, match="different names"):
        RankedLists.from_runs([Run("bm25", run), Run("bm25", run)])
    assert RankedLists.from_hits([[Hit("a"), Hit("b")]], key="doc").to_runs() == {1: {"q": ["a", "b"]}}
    with pytest.raises(InputError, match="hit 1 of voter 1 does not"):
        RankedLists.from_hits([[Hit("a")]], key="id")


def test_from_comparisons_returns_weighted_lists_of_two_items():
    rng = np.random.default_rng(0)
    games = pd.DataFrame(rng.integers(0, 6, (400, 2)), columns=["winner", "loser"]).query("winner != loser")
    games["draw"] = rng.random(len(games)) < 0.2
    lists = RankedLists.from_comparisons(games, tie="draw")
    assert lists.list_weight.sum() == len(games) and (lists.list_length == 2).all()
    found = dict(zip(duels(lists), lists.list_weight, strict=True))
    for winner, loser in ((0, 1), (3, 2)):
        both = games[(games["winner"] == winner) & (games["loser"] == loser)]
        assert found[f"{winner} > {loser}"] == (~both["draw"]).sum()
        ties = games[games["draw"] & games[["winner", "loser"]].isin([winner, loser]).all(axis=1)]
        assert found.get(f"{min(winner, loser)} = {max(winner, loser)}", 0) == len(ties)
    judged = RankedLists.from_comparisons(games.assign(who="x"), voter="who")
    assert set(judged.groups["who"]) == {"x"} and judged.voters.tolist() == list(range(judged.n_lists))
    with pytest.raises(InputError, match="must have two different items; row 0 has 'a' twice"):
        RankedLists.from_comparisons(pd.DataFrame({"winner": ["a"], "loser": ["a"]}))


def test_from_ballots_accepts_text_and_levels():
    text = RankedLists.from_ballots(["A > B = C", "B>A", "A > C = B"], counts=[3, 2, 1])
    assert text.list_weight.tolist() == [4.0, 2.0] and text.rank.tolist() == [1.0, 2.5, 2.5, 1.0, 2.0]
    same(RankedLists.from_ballots([["A", ["B", "C"]], ["B", "A"]], counts=[4, 2]), text)
    for wrong in ("A > > B", "A > A", "", []):
        with pytest.raises(InputError, match=r"(of|to) RankedLists\.from_ballots"):
            RankedLists.from_ballots([wrong])
    with pytest.raises(InputError, match="one number for each ballot; got 2 numbers and 1 ballots"):
        RankedLists.from_ballots(["A"], counts=[1, 2])


def test_transform_accepts_dicts_and_lists_but_fit_rejects_lists():
    runs = {"bm25": {"q1": {"d1": 9.1, "d2": 7.5}}, "dense": {"q1": {"d2": 0.8, "d1": 0.7}}}
    lists = [["a", "b", "c"], ["b", "a"]]
    encoded = RankedLists.from_runs(runs)
    assert_frame_equal(CombSUM().fit_transform(runs), CombSUM().fit_transform(encoded))
    assert_frame_equal(DIBRA().fit_transform(lists), DIBRA().fit_transform(RankedLists.from_lists(lists)))
    fitted = BordaCount().fit(encoded)
    assert_frame_equal(fitted.transform(runs), fitted.transform(encoded))
    assert_frame_equal(fitted.aggregate(lists)[0], fitted.transform(RankedLists.from_lists(lists)))
    qrels = Qrels.from_dict({"q1": {"d1": 1}})
    comparator = Comparator([("sum", CombSUM()), ("borda", BordaCount())], metrics="map", qrels=qrels)
    assert_frame_equal(comparator.fit(runs).per_query_, comparator.fit(encoded).per_query_)
    for plain in (lists, tuple(lists), [runs["bm25"]]):
        with pytest.raises(InputTypeError, match=r"encode dicts and lists with RankedLists\.from_runs or from_lists"):
            Copeland().fit(plain)
    assert_frame_equal(Copeland().fit({"v": ["a"]}).transform(encoded), Copeland().transform(encoded))


def test_qrels_from_dict_accepts_grades_and_collections():
    qrels = Qrels.from_dict({"q1": {"a": 2, "b": 0}, "q2": ["c"], "q3": {"d"}})
    frame = pd.DataFrame({"query": ["q1", "q1", "q2", "q3"], "item": list("abcd"), "relevance": [2, 0, 1, 1]})
    assert_frame_equal(qrels.to_frame(), Qrels.from_frame(frame).to_frame())
    with pytest.raises(InputTypeError, match="query 'q1' has str"):
        Qrels.from_dict({"q1": "abc"})
    run = {"q1": ["a", "b"], "q2": ["x", "c"], "q3": []}
    consensus = pd.DataFrame(
        [(q, i, r) for q, items in run.items() for r, i in enumerate(items)], columns=["query", "item", "rank"]
    )
    assert evaluate(consensus, qrels, "mrr").iloc[0, 0] == pytest.approx(0.5)


def test_concat_joins_containers():
    first, second = RankedLists.from_lists([["a", "b"]], query="q1"), RankedLists.from_lists([["b"]], query="q2")
    both = RankedLists.concat([first, second])
    assert both.to_runs() == {1: {"q1": ["a", "b"], "q2": ["b"]}}
    with pytest.raises(
        InputError, match=r"only one list for each query and voter; query 'q1' has two lists of voter 1\. Rename"
    ):
        RankedLists.concat([first, RankedLists.from_lists([["c"]], query="q1")])
    with pytest.raises(InputError, match="must all have scores, or all lack scores"):
        RankedLists.concat([first, RankedLists.from_lists([{"a": 1.0}], query="q2")])
    with pytest.raises(InputError, match="at least one RankedLists"):
        RankedLists.concat([])


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: RankedLists.from_runs([["a"]]), InputTypeError, "a dict that maps each voter to its run; got list"),
        (lambda: RankedLists.from_runs({"v": ["a"]}), InputTypeError, "'v' is of type list. Pass lists of one"),
        (lambda: RankedLists.from_runs({"v": {"q": "abc"}}), InputTypeError, "query 'q' of voter 'v' has str"),
        (lambda: RankedLists.from_runs({"v": {"q": ["a"]}, "w": {"q": {"a": 1}}}), InputError, "got several kinds"),
        (lambda: RankedLists.from_runs({}), InputError, "at least one voter"),
        (lambda: RankedLists.from_lists("abc"), InputTypeError, "got str"),
        (lambda: RankedLists.from_lists([["a"]], duplicates="last"), InputError, "`duplicates` must be one of 'error'"),
        (lambda: RankedLists.from_lists([[]]), InputError, "no rows"),
        (lambda: RankedLists.from_wide(pd.DataFrame({"v": [np.nan]})), InputError, "at least one item"),
        (lambda: RankedLists.from_wide(pd.DataFrame([["a", "b"]], columns=["v", "v"])), InputError, "different names"),
        (lambda: RankedLists.from_matrix([1.0], kind="score"), InputError, "1 dimension"),
        (lambda: RankedLists.from_matrix([[1.0]], kind="scores"), InputError, "`kind` must be"),
        (lambda: RankedLists.from_matrix([[1.0]], kind="score", items=["a", "b"]), InputError, "1 different names"),
        (lambda: RankedLists.from_matrix([[np.nan]], kind="score"), InputError, "at least one number"),
        (lambda: RankedLists.from_runs({"v": {"p": ["a"], "q": ["a"]}}).to_wide(), InputError, "got 2"),
    ],
)  # fmt: skip
def test_constructors_reject_invalid_arguments(call, error, words):
    with pytest.raises(error, match=words):
        call()


def test_from_lists_keeps_the_order_of_large_integers():
    scores = {"a": 2**53 + 1, "b": 2**53, "c": 2**53 + 2}
    lists = RankedLists.from_lists([scores])
    assert lists.to_frame()["item"].tolist() == ["c", "a", "b"]
    lists = RankedLists.from_lists([scores], lower_is_better=True)
    assert lists.to_frame()["item"].tolist() == ["b", "a", "c"]


def test_from_lists_accepts_pairs_of_item_and_score():
    scores = {"u": {"a": 2.0, "b": 1.5, "c": 0.5}, "v": {"b": 3.0, "d": 1.0}, "w": {}}
    pairs = {voter: list(one.items()) for voter, one in scores.items()}
    expected = RankedLists.from_lists(scores)
    assert RankedLists.from_lists(pairs).equals(expected)
    assert RankedLists.from_lists({voter: [list(pair) for pair in one] for voter, one in pairs.items()}).equals(
        expected
    )
    assert RankedLists.from_lists({**pairs, "v": scores["v"]}).equals(expected)
    runs = RankedLists.from_runs({voter: {"q": one} for voter, one in pairs.items()})
    assert runs.equals(expected)
    assert Copeland().fit_transform(pairs).equals(Copeland().fit_transform(expected))
    # A list of two numbers is a list of items; a pair of numbers is a tuple.
    assert RankedLists.from_lists([[1, 2], [2, 1]]).n_rows == 4
    assert RankedLists.from_lists([[(1, 2), (2, 5)]]).score.tolist() == [5.0, 2.0]
    with pytest.raises(InputError, match=r"query 'q' of voter 1 has \('b',\)"):
        RankedLists.from_lists([[("a", 1.0), ("b",)]])
    with pytest.raises(InputError, match="got several kinds"):
        RankedLists.from_lists([[("a", 1.0)], ["a", "b"]])
