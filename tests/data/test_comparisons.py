"""Paired comparisons: valid tie columns, and columns that contain the outcome instead."""

from decimal import Decimal

import numpy as np
import pandas as pd
import pytest
from pandas.testing import assert_frame_equal

from oracles import duels
from skrankagg import MarkovChain, RankedLists
from skrankagg.exceptions import InputError

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
            match=r"column '(winner|verdict)' has the outcome\. Call RankedLists\.from_comparisons\(df, first=",
        ):
            RankedLists.from_comparisons(as_library(arena, library), winner="model_a", loser="model_b", **known)


def test_from_comparisons_detects_a_categorical_outcome_next_to_unhashable_cells():
    talks = pd.Series([[{"role": "user"}], np.array(["model_a", "b"]), None, {"a"}, 3.0], dtype=object)
    arena = ARENA.assign(talk=talks)
    with pytest.raises(InputError, match="column 'winner' has the outcome"):
        RankedLists.from_comparisons(arena.astype({"winner": "category"}), winner="model_a", loser="model_b")
    assert RankedLists.from_comparisons(arena.drop(columns="winner"), winner="model_a", loser="model_b").n_items == 3


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
