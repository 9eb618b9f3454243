"""RankedLists.from_matrix: orientation of the matrix, and matrices of p-values."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from pandas.testing import assert_frame_equal

from skrankagg import BordaCount, Copeland, RankedLists, RankStatistic
from skrankagg.exceptions import AmbiguousInputWarning, InputError

pytestmark = pytest.mark.twice

#: Seven ballots, each a permutation of the ranks of three candidates; Bob wins.
BALLOTS = pd.DataFrame(
    [[1, 2, 3], [2, 1, 3], [3, 1, 2], [2, 1, 3], [1, 2, 3], [3, 1, 2], [2, 1, 3]],
    columns=["Ann", "Bob", "Cy"],
)
NAMED = BALLOTS.set_axis([f"voter {k}" for k in range(7)])
#: Scores of seven items by three voters; its rows are not permutations.
SCORES = pd.DataFrame(np.arange(21).reshape(7, 3) % 5 / 4, index=list("abcdefg"), columns=["u", "v", "w"])


@given(
    matrix=arrays(np.float64, st.tuples(*[st.integers(1, 5)] * 2), elements=st.sampled_from([0.5, 1, 2, np.nan])),
    kind=st.sampled_from(["score", "rank"]),
)
@settings(max_examples=80, deadline=None)
def test_from_matrix_transposes_rows_of_voters(matrix, kind):
    if np.isnan(matrix).all():
        matrix[0, 0] = 1
    expected = RankedLists.from_matrix(matrix.T, kind=kind, rows="items")
    assert RankedLists.from_matrix(matrix, kind=kind, rows="voters").equals(expected)
    voters, items = [f"v{k}" for k in range(matrix.shape[0])], list("abcde")[: matrix.shape[1]]
    expected = RankedLists.from_matrix(matrix.T, kind=kind, rows="items", voters=voters, items=items)
    found = RankedLists.from_matrix(matrix, kind=kind, rows="voters", voters=voters, items=items)
    assert found.equals(expected)
    frame = pd.DataFrame(matrix, index=voters, columns=items)
    assert RankedLists.from_matrix(frame, kind=kind, rows="voters").equals(expected)
    renamed = RankedLists.from_matrix(frame, kind=kind, rows="voters", items=items[::-1])
    assert renamed.equals(RankedLists.from_matrix(frame.set_axis(items[::-1], axis=1), kind=kind, rows="voters"))


def test_from_matrix_reads_ballots_in_rows():
    expected = RankedLists.from_ballots(["Ann > Bob > Cy", "Bob > Ann > Cy", "Bob > Cy > Ann"], counts=[2, 3, 2])
    for ballots in (BALLOTS, NAMED):
        lists = RankedLists.from_matrix(ballots, kind="rank", rows="voters")
        assert lists.n_voters == 7 and lists.items.tolist() == ["Ann", "Bob", "Cy"]
        assert_frame_equal(Copeland().fit_transform(lists), Copeland().fit_transform(expected))
    weighted = RankedLists.from_matrix(BALLOTS[:2], kind="rank", rows="voters", weights=[3.0, 1.0])
    assert BordaCount().fit_transform(weighted)["item"].tolist() == ["Ann", "Bob", "Cy"]
    falling = RankedLists.from_matrix(-NAMED, kind="score", rows="voters")
    some = (-NAMED).where(NAMED.index.to_series() != "voter 2", NAMED)
    assert RankedLists.from_matrix(some, kind="score", rows="voters", lower_is_better=["voter 2"]).equals(falling)


@pytest.mark.parametrize(
    ("matrix", "words"),
    [
        (BALLOTS, "the 7 rows are numbered"),
        (BALLOTS.to_numpy(), "the 7 rows are numbered"),
        (BALLOTS.to_numpy().tolist(), "the 7 rows are numbered"),
        (BALLOTS.set_axis([float(k) for k in range(7)]), "the 7 rows are numbered"),
        (SCORES.reset_index(drop=True), "the 7 rows are numbered"),
        (NAMED, "each of the 7 rows has the same 3 numbers, as in a ballot"),
        (NAMED - 1, "each of the 7 rows has the same 3 numbers"),
        (NAMED * 0.5, "each of the 7 rows has the same 3 numbers"),
        (BALLOTS.set_axis(range(1, 8)), "each of the 7 rows has the same 3 numbers"),
        (pd.concat([NAMED] * 700).set_axis(map(str, range(4900))), "each of the 4900 rows has the same 3 numbers"),
    ],
)
@pytest.mark.parametrize("kind", ["score", "rank"])
def test_from_matrix_warns_if_rows_may_be_voters(matrix, words, kind):
    with pytest.warns(
        AmbiguousInputWarning, match=f"rows as items .*, and {words}.* Pass rows='voters' if .* rows='items'"
    ):
        found = RankedLists.from_matrix(matrix, kind=kind)
    assert found.equals(RankedLists.from_matrix(matrix, kind=kind, rows="items"))


@pytest.mark.parametrize(
    "matrix",
    [
        SCORES,
        NAMED.T,
        NAMED.astype(float).where(NAMED.index.to_series() != "voter 6", 1.5),
        pd.DataFrame(1.0, index=list("abcd"), columns=["u", "v"]),  # ties of all: one number, not a permutation of two
        SCORES.set_axis(range(1, 8)),
        SCORES[["u"]],
        NAMED[["Ann"]],  # one list
        NAMED[:3] - 1,  # ranks from 0
    ],
)
def test_from_matrix_reads_other_rows_as_items_without_a_warning(matrix):
    for kind in ("score", "rank"):
        assert RankedLists.from_matrix(matrix, kind=kind).equals(
            RankedLists.from_matrix(matrix, kind=kind, rows="items")
        )


@pytest.mark.parametrize(
    "matrix",
    [
        NAMED[:3],  # as many rows as columns
        BALLOTS[:3],
        NAMED[:2],
        NAMED.replace({3: np.nan}),  # cut ballots
        NAMED.replace({3: 2}),  # tied candidates
        pd.concat([NAMED] * 700)[::-1].set_axis(map(str, range(4900))).assign(Cy=lambda one: [9, *one["Cy"][1:]]),
    ],
)
def test_from_matrix_warns_of_rows_of_ranks_that_look_like_ballots(matrix):
    def read(table, **options):
        return RankedLists.from_matrix(table, kind="rank", **options)

    with pytest.warns(
        AmbiguousInputWarning, match="Each row contains a rank 1, as a ballot does, .* Pass rows='voters'"
    ):
        found = read(matrix)
    assert found.equals(read(matrix, rows="items"))
    # The same table with candidates in rows is read without a warning, and other kinds of numbers have no first rank.
    assert read(matrix.T).equals(read(matrix, rows="voters"))
    assert len(RankedLists.from_matrix(matrix, kind="score")) == 1


def test_from_matrix_infers_the_orientation_from_given_names():
    numbers = SCORES.to_numpy()
    lists = RankedLists.from_matrix(numbers, kind="score", items=SCORES.index)
    assert lists.items.tolist() == list("abcdefg")
    assert RankedLists.from_matrix(numbers, kind="score", voters=["u", "v", "w"]).voters.tolist() == ["u", "v", "w"]
    with pytest.raises(
        InputError, match=r"7 different names, one for each \w+ in the matrix; got 3.* Pass rows='voters' if each"
    ):
        RankedLists.from_matrix(numbers, kind="score", items=["Ann", "Bob", "Cy"])
    with pytest.raises(InputError, match=r"got 3 names, 3 of them distinct\.$"):
        RankedLists.from_matrix(numbers, kind="score", rows="voters", voters=["Ann", "Bob", "Cy"])
    with pytest.raises(InputError, match="`rows` must be one of None, 'items', 'voters'; got 'ballots'"):
        RankedLists.from_matrix(numbers, kind="score", rows="ballots")


@pytest.mark.parametrize("library", ["polars", "pyarrow"])
def test_from_matrix_reads_column_names_of_other_libraries(library):
    module = pytest.importorskip(library)
    columns = {name: SCORES[name].tolist() for name in SCORES}
    numbers = SCORES.reset_index(drop=True)
    table = (module.table if library == "pyarrow" else module.DataFrame)(columns)
    assert RankedLists.from_matrix(table, kind="score", rows="items").equals(
        RankedLists.from_matrix(numbers, kind="score", rows="items")
    )
    with pytest.warns(AmbiguousInputWarning, match="7 rows are numbered"):
        RankedLists.from_matrix(table, kind="score")
    gaps = {"Ann": [1, 1, 2], "Bob": [2, None, 1]}
    table = (module.table if library == "pyarrow" else module.DataFrame)(gaps)
    lists = RankedLists.from_matrix(table, kind="rank", rows="voters")
    assert lists.to_runs() == {0: {"q": ["Ann", "Bob"]}, 1: {"q": ["Ann"]}, 2: {"q": ["Bob", "Ann"]}}


# ---------------------------------------------------------------------- p-values


PVALUES = pd.DataFrame({"s1": [0.0, 0.2, 0.04], "s2": [0.01, 1.0, 0.001]}, index=["TP53", "MYC", "KRAS"])


def test_from_matrix_ranks_lower_p_values_first():
    lists = RankedLists.from_matrix(PVALUES, kind="pvalue")
    assert lists.equals(RankedLists.from_matrix(PVALUES, kind="score", lower_is_better=True))
    assert lists.equals(RankedLists.from_matrix(PVALUES, kind="pvalue", lower_is_better=True))
    assert lists.equals(RankedLists.from_matrix(PVALUES.T, kind="pvalue", rows="voters"))
    assert RankStatistic(statistic="geometric-mean").fit_transform(lists)["item"].tolist() == ["KRAS", "TP53", "MYC"]
    whole = RankedLists.from_matrix(np.array([[0, 1], [1, 0], [1, 1]]), kind="pvalue", rows="items")
    assert whole.score.tolist() == [0.0, -1.0, -1.0, 0.0, -1.0, -1.0]


@pytest.mark.parametrize("value", [-1e-9, 1.0000001, 5, np.nan, np.inf, -np.inf])
def test_from_matrix_rejects_values_outside_0_to_1_as_p_values(value):
    wrong = PVALUES.astype(float)
    wrong.loc["MYC", "s2"] = value
    for table, rows in ((wrong, "items"), (wrong.T, "voters")):
        with pytest.raises(
            InputError, match=r"a number from 0 to 1; 1 cells do not\. .* for item 'MYC' and voter 's2'\."
        ):
            RankedLists.from_matrix(table, kind="pvalue", rows=rows)
    with pytest.raises(InputError, match=r"`lower_is_better` must be left out if kind='pvalue'.*; got \['s1'\]"):
        RankedLists.from_matrix(PVALUES, kind="pvalue", lower_is_better=["s1"])


def test_masked_cells_of_a_matrix_are_absent():
    matrix = np.ma.masked_array([[1.0, 2.0], [3.0, 1.0]], mask=[[False, True], [False, False]])
    lists = RankedLists.from_matrix(matrix, kind="score", items=["a", "b"])
    assert lists.to_runs() == {0: {"q": {"b": 3.0, "a": 1.0}}, 1: {"q": {"b": 1.0}}}


@pytest.mark.parametrize("kind", ["score", "rank", "pvalue"])
@pytest.mark.parametrize("rows", [None, "items", "voters"])
@pytest.mark.parametrize("table", [pd.DataFrame(index=list("abc")), pd.DataFrame(columns=list("ab"))])
def test_a_matrix_without_cells_is_refused(table, rows, kind):
    with pytest.raises(InputError, match="must have at least one number; got none"):
        RankedLists.from_matrix(table, kind=kind, rows=rows)
