"""from_ballots reads tables of ranks and tables of names; each form gives the ballots that are written out by hand."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skrankagg import RankedLists, Schulze, SequentialElimination
from skrankagg.exceptions import AmbiguousInputWarning, InputError, InputTypeError

pytestmark = pytest.mark.twice

# Three voters: Ben ties two candidates, Cleo does not rank C.
RANKS = pd.DataFrame({"Ann": [1, 2, 3], "Ben": [1, 1, 2], "Cleo": [2, 1, None], "Dan": [1, 2, 3]}, index=list("ABC"))
EXPECTED = RankedLists.from_ballots(["A > B > C", "A = B > C", "B > A"], counts=[2, 1, 1])


def same(found, expected=EXPECTED):
    assert found.equals(expected), found.to_frame().assign(weight=found.list_weight[found.row_list])


def with_column(title, ranks=RANKS):
    return ranks.rename_axis(title).reset_index()


@pytest.mark.parametrize(
    ("table", "options"),
    [
        (RANKS, {}),
        (RANKS.astype(object), {}),
        (RANKS.astype(object).where(RANKS.notna(), " "), {}),
        (with_column("candidate", RANKS.astype(object).where(RANKS.notna(), "")), {}),
        (RANKS.T, {"rows": "voters"}),
        (with_column("candidate"), {}),
        (with_column("Candidate"), {"rows": "items"}),
        (with_column("name"), {}),
        (with_column("voter", RANKS.T), {}),
        (with_column("id", RANKS.T), {}),
        (with_column("who", RANKS.T), {"rows": "voters"}),
        (RANKS.T.reset_index(drop=True), {}),
        (RANKS.T.reset_index(drop=True).assign(id=[7, 8, 9, 10])[["id", "A", "B", "C"]], {}),
        (10 * RANKS, {}),
        (RANKS.T.drop_duplicates().assign(n=[2, 1, 1]), {"counts": "n"}),
        (RANKS.T.reset_index(drop=True).drop(3).assign(votes=[2, 1, 1]), {"counts": "votes"}),
        (RANKS.drop(columns="Dan"), {"counts": [2, 1, 1]}),
        (RANKS.assign(Eve=np.nan), {}),
        (pd.concat([RANKS.T, pd.DataFrame(np.nan, index=["Eve"], columns=list("ABC"))]), {"rows": "voters"}),
        (RANKS.T.rename(columns={"A": " A "}), {"rows": "voters", "strip": True}),
    ],
)
def test_tables_of_ranks(table, options):
    same(RankedLists.from_ballots(table, **options))


NAMES = pd.DataFrame(
    {"first": ["A", "A = B", "B", "A"], "second": ["B", None, "A", "B"], "third": ["C", "C", None, "C"]}
)


@pytest.mark.parametrize(
    ("table", "options"),
    [
        (NAMES, {}),
        (NAMES.fillna(""), {}),
        (NAMES.fillna("  "), {}),
        (NAMES.astype("category"), {}),
        (NAMES.assign(fourth=np.nan), {}),
        (NAMES.assign(first=["A", ["A", "B"], " B", "A "]), {}),
        (NAMES.assign(voter=list("uvwx"))[["voter", "first", "second", "third"]], {}),
        (NAMES.drop(3).assign(votes=[2, 1, 1]), {"counts": "votes"}),
        (NAMES.drop(3), {"counts": np.array([2, 1, 1])}),
        (NAMES, {"cells": "item", "rows": "voters"}),
        (pd.concat([NAMES, pd.DataFrame([[None] * 3], columns=NAMES.columns)]), {}),
        (NAMES.assign(voter=list("uvwx"))[["voter", "first", "second", "third"]], {"cells": "item"}),
        (pd.DataFrame({"ballot": ["A > B > C", "A = B > C", "B > A", "A>B>C", None, " "]}), {}),
        (pd.DataFrame({"ballot": ["A > B > C", "B = A > C", "B > A"], "count": [2, 1, 1]}), {"counts": "count"}),
    ],
)
def test_tables_of_names(table, options):
    same(RankedLists.from_ballots(table, **options))


def test_candidates_may_be_numbers_or_dates():
    expected = RankedLists.from_ballots([[101, 102], [102]], counts=[2, 1])
    table = pd.DataFrame({"first": [101, 102, 101], "second": [102, None, 102]})
    same(RankedLists.from_ballots(table, cells="item"), expected)
    same(RankedLists.from_ballots(pd.DataFrame([[1, None, 1], [2, 1, 2]], index=[101, 102])), expected)
    # A missing cell makes its column floats; the candidates stay integers.
    table = pd.DataFrame({"first": [1, 2], "second": [2, None]})
    found = RankedLists.from_ballots(table, cells="item")
    assert found.items.dtype == np.int64 and found.equals(RankedLists.from_ballots([[1, 2], [2]]))
    table = pd.DataFrame({"first": ["007", "7"], "second": ["7", None]})
    same(RankedLists.from_ballots(table), RankedLists.from_ballots([["007", "7"], ["7"]]))
    table.columns = ["u", "v"]
    same(RankedLists.from_ballots(table, cells="item"), RankedLists.from_ballots([["007", "7"], ["7"]]))
    days = pd.to_datetime(["2026-01-01", "2026-01-02"])
    table = pd.DataFrame({"first": days, "second": days[::-1]})
    assert RankedLists.from_ballots(table).items.tolist() == days.tolist()


@pytest.mark.parametrize("title", ["candidate", "item"])
@pytest.mark.parametrize("options", [{}, {"rows": "items"}])
def test_a_column_of_numbered_candidates_is_recognised_by_its_title(title, options):
    table = pd.DataFrame({title: [32, 11, 12], "Ann": [1, 2, 3], "Ben": [3, 1, 2], "Cleo": [1, 2, None]})
    same(
        RankedLists.from_ballots(table, **options),
        RankedLists.from_ballots([[32, 11, 12], [11, 12, 32], [32, 11]]),
    )


def test_a_skipped_place_does_not_matter():
    table = pd.DataFrame({"1st": ["A", None], "2nd": [None, "C"], "3rd": ["B", "A"]})
    same(RankedLists.from_ballots(table), RankedLists.from_ballots(["A > B", "C > A"]))


@pytest.mark.parametrize("kind", ["polars", "pyarrow"])
def test_tables_of_other_libraries(kind):
    library = pytest.importorskip(kind, reason=f"{kind} is not installed")
    pytest.importorskip("pyarrow", reason="pyarrow is not installed")

    def convert(table):
        return (
            library.from_pandas(table) if kind == "polars" else library.Table.from_pandas(table, preserve_index=False)
        )

    same(RankedLists.from_ballots(convert(with_column("candidate"))))
    same(RankedLists.from_ballots(convert(NAMES)))
    same(RankedLists.from_ballots(convert(NAMES.drop(3).assign(votes=[2, 1, 1])), counts="votes"))


@given(data=st.data())
@settings(max_examples=60, deadline=None)
def test_both_forms_of_a_random_election_give_the_same_ballots(data):
    items = list("ABCD")
    ballots, counts = [], []
    for _ in range(data.draw(st.integers(1, 5))):
        order = data.draw(st.permutations(items))[: data.draw(st.integers(1, 4))]
        cuts = data.draw(st.lists(st.booleans(), min_size=len(order), max_size=len(order)))
        levels = [[]]
        for item, cut in zip(order, cuts, strict=True):
            levels[-1].append(item)
            if cut:
                levels.append([])
        ballots.append([level for level in levels if level])
        counts.append(data.draw(st.integers(1, 3)))
    expected = RankedLists.from_ballots(ballots, counts=counts)
    ranks = pd.DataFrame(
        [{item: k for k, level in enumerate(ballot, 1) for item in level} for ballot in ballots], columns=items
    )
    same(RankedLists.from_ballots(ranks, rows="voters", counts=counts), expected)
    same(RankedLists.from_ballots(ranks.T, rows="items", counts=counts), expected)
    names = pd.DataFrame([[" = ".join(level) for level in ballot] + [None] * (4 - len(ballot)) for ballot in ballots])
    same(RankedLists.from_ballots(names.rename(columns=str), counts=counts), expected)


def test_a_table_goes_from_the_spreadsheet_to_the_winner():
    ballots = RankedLists.from_ballots(RANKS)
    assert Schulze().fit_transform(ballots)["item"].iloc[0] == "A"
    method = SequentialElimination().fit(ballots)
    first = method.rounds_[method.rounds_["round"] == 1]
    assert first.set_index("item")["votes"].to_dict() == {"A": 2.5, "B": 1.5, "C": 0.0}


def test_a_warning_is_issued_if_named_rows_may_be_ballots():
    table = pd.DataFrame([[1, 2], [2, 1], [1, 2]], index=["Ann", "Ben", "Cleo"], columns=["A", "B"])
    with pytest.warns(AmbiguousInputWarning, match="Pass rows='voters' if each row is the list of a voter"):
        found = RankedLists.from_ballots(table)
    assert found.items.tolist() == ["Ann", "Ben", "Cleo"]
    square = pd.DataFrame([[1, 2, 3], [2, 1, 3], [3, 2, 1]], index=["Ann", "Ben", "Cleo"], columns=list("ABC"))
    with pytest.warns(AmbiguousInputWarning, match="look like ballots: each row contains the same 3 ranks"):
        RankedLists.from_ballots(square)


@pytest.mark.parametrize(
    ("table", "options", "words"),
    [
        (
            pd.DataFrame({"A": [1, 2], "B": [2, 1]}),
            {},
            "`rows` of .* must be 'items' or 'voters'.*the ranks do not show",
        ),
        (pd.DataFrame({"A": [2, 2], "B": [3, 2]}), {}, "`rows` of .* must be 'items' or 'voters'"),
        (RANKS.T.drop(index="Cleo"), {}, "only the rows look like ballots. Pass 'voters' if"),
        (
            RANKS.astype(object).astype(str).where(RANKS.notna()),
            {},
            "numbers written as text; got None, and column 'Ann'",
        ),
        (
            with_column("candidate", RANKS.astype(str)),
            {},
            r"column 'Ann' contains such cells\. If the numbers are ranks, convert them",
        ),
        (RANKS.astype(object).where(RANKS.notna(), "-"), {}, "column 'Cleo' contains numbers and the text '-'. Leave"),
        (NAMES.reset_index(names="who").assign(who=list("uvwx")), {}, "only 'who' is not a place. If this column"),
        (NAMES.reset_index(names="who").assign(who=list("uvwx")), {"cells": "item"}, "only 'who' is not a place"),
        (NAMES.assign(votes=[1, 2, 3, 4]), {}, "Column 'votes' probably contains these numbers. Pass counts='votes'"),
        (NAMES.assign(year=[1, 2, 3, 4]), {}, "column 'first' contains text, and 'year' contains numbers"),
        (pd.DataFrame({"first": [1, 2], "second": [2, 1]}), {}, "`cells` of .* must be 'rank' or 'item'.*cells='item'"),
        (RANKS > 1, {}, "contains True and False"),
        (-RANKS, {}, "finite ranks of at least 0; got -1"),
        (RANKS.replace(3.0, np.inf), {}, "finite ranks of at least 0; got inf"),
        (RANKS * np.nan, {}, "must have at least one rank; got none"),
        (pd.DataFrame({"first": ["A", "A > B"], "second": ["B", "C"]}), {}, "in a single column"),
        (pd.DataFrame({"first": ["A"], "second": ["A"]}), {}, "must contain an item only once"),
        (NAMES, {"counts": "weight"}, r"of a column; got 'weight'\. The columns are \['first', 'second', 'third'\]"),
        (NAMES, {"counts": [1, 2]}, "one number for each ballot; got 2 numbers and 4 ballots"),
        (RANKS, {"counts": [1, 2, 3, -1]}, "finite numbers of at least 0; got -1"),
        (RANKS.T.assign(n=1), {"counts": "n", "rows": "items"}, "If each row is a candidate, `counts` must be"),
        (NAMES, {"rows": "items"}, "`rows` must be None or 'voters' if the cells are names"),
        (NAMES, {"cells": "text"}, "`cells` must be one of"),
        (RANKS.set_axis(["A", "A", "B"]), {}, "must have a different name for each candidate"),
        (RANKS.set_axis(list("aabc"), axis=1), {}, "must have columns of different names"),
        (pd.DataFrame({"first": [None, ""], "second": [None, None]}), {}, "at least one candidate; got none"),
        (pd.DataFrame({"first": [None, None], "second": [None, None]}), {}, "at least one rank; got none"),
        (pd.DataFrame({"first": []}), {}, "at least one"),
        (pd.DataFrame(index=["A"]), {"cells": "item"}, "at least one candidate; got none"),
        (pd.DataFrame([[1, np.nan]], columns=[True, np.nan], index=["A"]).replace(1, np.nan), {}, "at least one rank"),
        (["A > B"], {"rows": "voters"}, "`rows` of .* must be None if the ballots are not a data frame"),
        (["A > B"], {"cells": "rank"}, "`cells` of .* must be None if the ballots are not a data frame"),
    ],
)
def test_unclear_tables_are_refused(table, options, words):
    with pytest.raises(InputError, match=words):
        RankedLists.from_ballots(table, **options)


@pytest.mark.parametrize("ballots", ["A > B", b"A > B", 3])
def test_from_ballots_refuses_a_single_ballot(ballots):
    with pytest.raises(InputTypeError, match=f"a sequence of ballots; got {type(ballots).__name__}"):
        RankedLists.from_ballots(ballots)
