"""Paired comparisons: valid tie columns, and columns that contain the outcome instead."""

import warnings
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest
from pandas.testing import assert_frame_equal

from oracles import duels
from skrankagg import MarkovChain, PlackettLuce, RankedLists
from skrankagg.datasets import make_comparisons
from skrankagg.exceptions import AmbiguousInputWarning, InputError, InputTypeError

pytestmark = pytest.mark.twice

GAMES = pd.DataFrame({"winner": list("aabbc"), "loser": list("bccca")})
TIED = [False, True, False, False, True]
ARENA = pd.DataFrame({
    "model_a": list("xyzxy"),
    "model_b": list("yzxzx"),
    "winner": ["model_a", "model_b", "tie", "tie (bothbad)", "model_b"],
})  # fmt: skip


def as_library(frame, library):
    if library == "pandas":
        return frame
    module = pytest.importorskip({"lazy": "polars"}.get(library, library))
    if library == "pyarrow":
        return module.table({name: frame[name].tolist() for name in frame})
    found = module.DataFrame({name: frame[name].tolist() for name in frame}, strict=False)
    return found.lazy() if library == "lazy" else found


@pytest.mark.parametrize(
    "kind", [bool, object, "boolean", "int8", "uint64", "Int64", "float32", "Float64", "category", np.bool_]
)
def test_from_comparisons_accepts_booleans_and_0_and_1_as_ties(kind):
    lists = RankedLists.from_comparisons(GAMES.assign(draw=TIED), tie="draw")
    found = dict(zip(duels(lists), lists.list_weight.tolist(), strict=True))
    assert found == {"a = c": 2.0, "a > b": 1.0, "b > c": 2.0}
    ties = pd.Series(TIED).astype(kind)
    assert RankedLists.from_comparisons(GAMES.assign(draw=ties), tie="draw").equals(lists)
    mixed = pd.Series([False, 1, 0.0, Decimal(0), np.True_], dtype=object)
    assert RankedLists.from_comparisons(GAMES.assign(draw=mixed), tie="draw").equals(lists)


@pytest.mark.parametrize("library", ["pandas", "polars", "lazy", "pyarrow"])
def test_from_comparisons_accepts_tie_columns_of_every_frame_library(library):
    lists = RankedLists.from_comparisons(GAMES.assign(draw=TIED), tie="draw")
    for ties in (TIED, [int(one) for one in TIED], [float(one) for one in TIED]):
        games = as_library(GAMES.assign(draw=ties), library)
        assert RankedLists.from_comparisons(games, tie="draw").equals(lists)


@pytest.mark.parametrize(
    ("ties", "shown"),
    [
        (["no", "no", "yes", "no", "no"], "'no', 'yes'"),
        (["False", "True", "False", "False", "False"], "'False', 'True'"),
        (["0", "1", "0", "0", "0"], "'0', '1'"),
        (["", 1, 0, 0, 0], "''"),
        ([0.0, 1.0, np.nan, 0.0, 0.0], "nan"),
        ([False, True, None, False, False], "None"),
        ([pd.NA, True, pd.NaT, False, False], "<NA>, NaT"),
        ([0, 1, 2, -1, 0], "2, -1"),
        ([0.0, 0.5, 1.0, np.inf, 0.0], "0.5, inf"),
        ([Decimal(2), 0, 1, 1j, [1]], r"Decimal\('2'\), 1j, \[1\]"),
        (list("vwxyz"), "'v', 'w', 'x', 'y', 'z'"),
        (pd.array([True, None, False, False, True], dtype="boolean"), "<NA>"),
        (pd.array([1, None, 0, 0, 1], dtype="Int64"), "<NA>"),
        (pd.Categorical(["n", "y", "n", "n", "n"]), "'n', 'y'"),
        (pd.to_datetime(["2024-01-01"] * 5), r"Timestamp\('2024-01-01 00:00:00'\)"),
    ],
)
def test_from_comparisons_rejects_other_values_in_the_tie_column(ties, shown):
    with pytest.raises(InputError, match=rf"numbers 0 and 1; column 'draw' has {shown} instead\. Make"):
        RankedLists.from_comparisons(GAMES.assign(draw=ties), tie="draw")


def test_from_comparisons_lists_up_to_five_invalid_tie_values():
    games = pd.concat([GAMES, GAMES], ignore_index=True).assign(draw=list("abcdefabcd"))
    with pytest.raises(InputError, match=r"has 'a', 'b', 'c', 'd', 'e', \.\.\. instead\. Make"):
        RankedLists.from_comparisons(games, tie="draw")


@pytest.mark.parametrize("library", ["polars", "lazy", "pyarrow"])
def test_from_comparisons_rejects_missing_values_in_the_tie_column(library):
    for ties in ([True, None, False, False, True], [1, None, 0, 0, 1], [1.0, None, 0.0, 0.0, 1.0]):
        with pytest.raises(InputError, match=r"column 'draw' has (None|nan|<NA>)"):
            RankedLists.from_comparisons(as_library(GAMES.assign(draw=pd.Series(ties, dtype=object)), library),
                                         tie="draw")  # fmt: skip


@pytest.mark.parametrize("library", ["pandas", "polars", "lazy", "pyarrow"])
@pytest.mark.parametrize("options", [{}, {"tie": "winner"}, {"voter": "winner"}])
def test_from_comparisons_rejects_a_column_of_outcomes(library, options):
    for arena in (ARENA, ARENA[ARENA["winner"] == "model_a"], ARENA.rename(columns={"winner": "verdict"})):
        known = {name: column for name, column in options.items() if column in arena}
        with pytest.raises(
            InputError,
            match=r"column '(winner|verdict)' contains outcomes\. Call RankedLists\.from_comparisons\(df, first=",
        ):
            RankedLists.from_comparisons(as_library(arena, library), winner="model_a", loser="model_b", **known)


def test_from_comparisons_detects_a_categorical_outcome_next_to_unhashable_cells():
    talks = pd.Series([[{"role": "user"}], np.array(["model_a", "b"]), None, {"a"}, 3.0], dtype=object)
    arena = ARENA.assign(talk=talks)
    with pytest.raises(InputError, match="column 'winner' contains outcomes"):
        RankedLists.from_comparisons(arena.astype({"winner": "category"}), winner="model_a", loser="model_b")
    assert RankedLists.from_comparisons(arena.drop(columns="winner"), winner="model_a", loser="model_b").n_items == 3


@pytest.mark.parametrize("strip", [False, True])
@pytest.mark.parametrize("first", ["x", None, 3, ["unhashable"]], ids=str)
@pytest.mark.parametrize("dtype", [object, "category"])
def test_from_comparisons_rejects_outcomes_before_it_rejects_ids(first, strip, dtype):
    if dtype == "category" and isinstance(first, list):
        return  # a category must be hashable
    winners = pd.Series([first, "model_a", "model_b", "model_a"], dtype=object).astype(dtype)
    games = pd.DataFrame({"winner": winners, "model_a": list("xyxx"), "model_b": list("yxyx")})
    with pytest.raises(InputError, match="column 'winner' contains outcomes"):
        RankedLists.from_comparisons(games, winner="winner", loser="model_b", strip=strip)


def test_from_comparisons_accepts_items_with_the_names_of_other_columns():
    games = pd.DataFrame({"winner": ["judge", "b", "winner"], "loser": ["b", "c", "judge"], "judge": ["J", "K", "J"]})
    lists = RankedLists.from_comparisons(games, voter="judge")
    assert lists.items.tolist() == ["b", "c", "judge", "winner"] and lists.n_lists == 3


@pytest.mark.parametrize("given", [{"winner": "model_a", "loser": "model_b"}, {"winner": "winner", "loser": "model_b"}])
def test_from_comparisons_advises_a_call_that_reads_the_outcome(given):
    with pytest.raises(InputError) as caught:
        RankedLists.from_comparisons(ARENA, **given)
    call = str(caught.value).partition("Call ")[2].partition(", or drop")[0]
    found = eval(call, {"RankedLists": RankedLists, "df": ARENA})
    assert duels(found) == ["x > y", "x = z", "z > y"] and found.list_weight.tolist() == [2.0, 2.0, 1.0]
    expected = RankedLists.from_ballots(["x > y", "z > y", "x = z"], counts=[2, 1, 2])
    assert_frame_equal(MarkovChain(chain="mct").fit_transform(found), MarkovChain(chain="mct").fit_transform(expected))


@pytest.mark.parametrize("library", ["pandas", "polars", "lazy", "pyarrow"])
def test_from_comparisons_finds_the_columns_of_an_arena_in_every_frame_library(library):
    arena = ARENA.assign(judge=list("uvuvu"))
    lists = RankedLists.from_comparisons(as_library(arena, library), voter="judge")
    assert lists.equals(RankedLists.from_comparisons(arena, voter="judge")) and lists.n_lists == 4


def test_from_comparisons_accepts_items_named_like_a_column():
    games = GAMES.rename(columns={"winner": "a", "loser": "b"})
    assert RankedLists.from_comparisons(games, winner="a", loser="b").equals(RankedLists.from_comparisons(GAMES))


def boards():
    """Return comparisons of two boards that share items and judges, and contain equal comparisons."""
    rng = np.random.default_rng(6)
    frame = make_comparisons(5, 200, n_voters=3, tie_probability=0.2, random_state=6).comparisons
    frame = frame.rename(columns={"winner": "one", "loser": "two"})
    frame["share"] = np.where(frame.pop("tie"), 0.5, 1.0)
    frame.loc[::9, "share"] = 0.7
    frame["category"] = rng.choice(["prose", "code"], len(frame))
    frame.loc[frame["category"] == "code", "one"] = frame["one"].replace("i1", "i9")
    frame.loc[frame["category"] == "code", "two"] = frame["two"].replace("i1", "i9")
    return frame


SIDES = {"first": "one", "second": "two", "outcome": "share"}


@pytest.mark.parametrize("library", ["pandas", "polars", "lazy", "pyarrow"])
@pytest.mark.parametrize("voter", [None, "judge"])
def test_from_comparisons_reads_a_board_of_each_query(library, voter):
    frame = boards()
    found = RankedLists.from_comparisons(as_library(frame, library), voter=voter, query_column="category", **SIDES)
    assert found.queries.tolist() == ["code", "prose"] and found.voters.tolist() == list(range(found.n_lists))
    for query, part in frame.groupby("category"):
        alone = RankedLists.from_comparisons(part, voter=voter, query=query, **SIDES)
        own = found.select(queries=[query]).to_frame()
        columns = ["query", "item", "rank", "weight", *(["judge"] if voter else [])]
        pd.testing.assert_frame_equal(own[columns], alone.to_frame()[columns], check_dtype=False)
        # Comparisons of all queries are numbered together.
        ours, theirs = own["duel"], alone.to_frame()["duel"]
        assert (ours[ours < 0] == theirs[theirs < 0]).all() and ours[ours > 0].nunique() == theirs[theirs > 0].nunique()
        assert not set(ours[ours > 0]) & set(found.to_frame()["duel"][(found.to_frame()["query"] != query)])
        board = PlackettLuce(std_errors="voters").fit_transform(found.select(queries=[query]))
        expected = PlackettLuce(std_errors="voters").fit_transform(alone)
        pd.testing.assert_frame_equal(board, expected, check_dtype=False, check_exact=True)
    assert {"i1", "i9"} <= set(found.items)


def test_from_comparisons_keeps_the_type_of_query_ids():
    frame = pd.DataFrame({"winner": ["a", "b", "a"], "loser": ["b", "a", "b"], "year": [2025, 2024, 2025]})
    lists = RankedLists.from_comparisons(frame, query_column="year")
    assert lists.queries.tolist() == [2024, 2025] and lists.queries.dtype == np.int64
    assert lists.list_weight.tolist() == [1.0, 2.0] and lists.list_ptr.tolist() == [0, 1, 2]
    texts = RankedLists.from_comparisons(frame.assign(year=[" x", "y", "x "]), query_column="year", strip=True)
    assert texts.queries.tolist() == ["x", "y"] and texts.list_weight.tolist() == [2.0, 1.0]
    # Many queries with few items each.
    many = pd.DataFrame({"winner": [f"w{k}" for k in range(300)], "loser": "l", "q": np.arange(300)[::-1]})
    lists = RankedLists.from_comparisons(many, query_column="q")
    assert lists.n_queries == lists.n_lists == 300 and lists.query_n_items.tolist() == [2] * 300
    assert lists.to_frame()["item"].tolist()[::2] == [f"w{k}" for k in range(300)][::-1]


def test_from_comparisons_reconciles_within_each_query():
    rows = [("a", "b", 1, "p", "x"), ("b", "a", 1, "p", "y"), ("a", "b", 1, "p", "y"), ("b", "a", 0, "p", "z")]
    frame = pd.DataFrame(rows, columns=["first", "second", "outcome", "prompt", "board"])
    with pytest.warns(UserWarning, match="1 of the 1 comparisons that were made in both orders"):
        lists = RankedLists.from_comparisons(frame, groups=["prompt"], reconcile=True, query_column="board")
    assert lists.to_frame()["rank"].tolist() == [1, 2, 1.5, 1.5, 1, 2] and lists.queries.tolist() == ["x", "y", "z"]
    with pytest.raises(InputError, match="shows which verdicts belong together"):
        RankedLists.from_comparisons(frame, reconcile=True, query_column="board")


def test_from_comparisons_refuses_invalid_query_columns():
    frame = pd.DataFrame({"winner": ["a", "b"], "loser": ["b", "a"], "query": ["x", None], "kind": [1, 2]})
    with pytest.raises(InputError, match=r"`query_column` of .* 'knd' is not among .*did you mean 'kind'"):
        RankedLists.from_comparisons(frame, query_column="knd")
    with pytest.raises(InputError, match="must be a column of the frame; 3 is not among"):
        RankedLists.from_comparisons(frame, query_column=3)
    with pytest.raises(InputError, match="must have an id in every row; 1 are missing, the first in row 1"):
        RankedLists.from_comparisons(frame, query_column="query")
    with pytest.raises(InputError, match=r"`query` of .* must be left out if `query_column` is given"):
        RankedLists.from_comparisons(frame, query_column="kind", query="board")
    with pytest.warns(AmbiguousInputWarning, match="or pass query_column='query' to rank each query"):
        RankedLists.from_comparisons(frame)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        RankedLists.from_comparisons(frame.assign(query=list("xy")), query_column="query")


@pytest.mark.parametrize("missing", [None, "first"])
def test_items_of_two_columns_of_text_are_numbered_together(missing):
    first, second = pd.Series(["b", "a", "c"], dtype="str"), pd.Series(["d", "c", "a"], dtype="str")
    if missing:
        first[1] = None
        with pytest.raises(InputError, match="must have two items; 1 items are missing"):
            RankedLists.from_comparisons(pd.DataFrame({"winner": first, "loser": second}))
        return
    lists = RankedLists.from_comparisons(pd.DataFrame({"winner": first, "loser": second}))
    assert lists.items.tolist() == list("abcd") and lists.to_frame()["item"].tolist() == list("acbdca")
    others = RankedLists.from_comparisons(pd.DataFrame({"winner": first.astype(object), "loser": second}))
    assert others.equals(lists)


def test_from_comparisons_reconciles_equal_verdicts_without_a_warning():
    rows = [("a", "b", 1, "p"), ("b", "a", 0, "p"), ("b", "c", 0, "p")]
    frame = pd.DataFrame(rows, columns=["first", "second", "outcome", "prompt"])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        lists = RankedLists.from_comparisons(frame, groups=["prompt"], reconcile=True)
    assert duels(lists) == ["a > b", "c > b"]


def test_from_comparisons_refuses_ids_without_an_order_beside_outcomes():
    frame = pd.DataFrame({"first": [["a"]], "second": [["b"]], "outcome": [1]})
    with pytest.raises(InputTypeError, match=r"Items passed to RankedLists\.from_comparisons must be sortable"):
        RankedLists.from_comparisons(frame)


def test_from_comparisons_refuses_ambiguous_columns():
    with pytest.raises(InputError, match="`tie` must be None if there is a column of outcomes; got 'draw'"):
        RankedLists.from_comparisons(ARENA, first="model_a", second="model_b", outcome="winner", tie="draw")
    both = ARENA.assign(left=ARENA["model_a"], right=ARENA["model_b"])
    with pytest.raises(InputError, match=r"\('model_a', .*\) and \('left', 'right', 'winner'\) are all possible"):
        RankedLists.from_comparisons(both)
    chosen = RankedLists.from_comparisons(both, first="left", second="right", outcome="winner")
    assert chosen.equals(RankedLists.from_comparisons(ARENA))
