"""Outcomes of paired comparisons: words, ids of winners, shares and factors, and the columns that are found."""

import itertools

import numpy as np
import pandas as pd
import pytest

from oracles import duels
from skrankagg import PlackettLuce, RankedLists
from skrankagg.exceptions import AmbiguousInputWarning, InputError, InputTypeError, SimilarIdsWarning

pytestmark = pytest.mark.twice

WORDS = {
    1.0: ["model_a", "a", "A", "first", "left", "x", " Model_A ", 1, 1.0, True, "1", "1.0"],
    0.0: ["model_b", "b", "B", "second", "right", "y", 0, False, "0"],
    0.5: ["tie", "draw", "both", "tie (bothbad)", "bothbad", "both_bad", "both bad", "=", "Tie", 0.5, ".5"],
}


def battles(outcomes, first="p", second="q"):
    return pd.DataFrame({"model_a": first, "model_b": second, "winner": pd.Series(outcomes, dtype=object)})


@pytest.mark.parametrize(("share", "word"), [(share, word) for share, words in WORDS.items() for word in words])
def test_from_comparisons_reads_every_word_for_an_outcome(share, word):
    lists = RankedLists.from_comparisons(battles([word]))
    assert duels(lists) == [{1.0: "p > q", 0.0: "q > p", 0.5: "p = q"}[share]]
    assert lists.list_duel.tolist() == [-1]


@pytest.mark.parametrize(
    "columns",
    [
        ("model_a", "model_b", "winner"),
        ("left", "right", "winner"),
        ("x", "y", "winner"),
        ("player1", "player2", "winner"),
        ("player1", "player2", "result"),
        ("first", "second", "outcome"),
    ],
)
def test_from_comparisons_finds_the_usual_columns(columns):
    frame = battles(["first", "second", "tie"]).set_axis(list(columns), axis=1)
    assert duels(RankedLists.from_comparisons(frame)) == ["p > q", "p = q", "q > p"]


def test_from_comparisons_accepts_names_of_columns_winners_and_tuples():
    frame = battles(["home", "away", "draw"]).set_axis(["home", "away", "who"], axis=1)
    named = RankedLists.from_comparisons(frame, first="home", second="away", outcome="who")
    assert duels(named) == ["p > q", "p = q", "q > p"]
    winners = [("p", "q", "p"), ("p", "r", "r"), ("q", "r", "tie")]
    assert sorted(duels(RankedLists.from_comparisons(winners))) == ["p > q", "q = r", "r > p"]
    assert sorted(duels(RankedLists.from_comparisons([("p", "q"), ("r", "p")]))) == ["p > q", "r > p"]
    assert duels(RankedLists.from_comparisons([(7, 9, 9), (7, 9, 7), (9, 7, 0.5)])) == ["7 > 9", "7 = 9", "9 > 7"]


def test_from_comparisons_splits_shares_into_two_lists_of_one_comparison():
    lists = RankedLists.from_comparisons(battles([0.7, "a", 0.2, "a"]))
    assert duels(lists) == ["p > q", "p > q", "p > q", "q > p", "q > p"]
    np.testing.assert_allclose(lists.list_weight, [2.0, 0.7, 0.2, 0.3, 0.8])
    assert lists.list_duel.tolist() == [-1, 1, 2, 1, 2]


def test_from_comparisons_reads_factors_and_weights():
    outcomes = {"A>>B": (1, 3.0), "A>B": 1, "B>A": 0, "B>>A": (0, 3.0), "A=B": 0.5}
    lists = RankedLists.from_comparisons(battles(["A>>B", "A>B", "A>B", "B>>A", "A=B"]), outcomes=outcomes)
    assert duels(lists) == ["p > q", "p > q", "p = q", "q > p"]
    assert lists.list_weight.tolist() == [2.0, 3.0, 1.0, 3.0] and lists.list_duel.tolist() == [-1, 1, -1, 2]
    weighted = RankedLists.from_comparisons(battles(["a", "a", "b"]).assign(n=[2, 3, 0.5]), weight="n")
    assert weighted.list_weight.tolist() == [2.0, 3.0, 0.5] and weighted.list_duel.tolist() == [-2, -2, -2]


def test_from_comparisons_reads_a_column_of_weights_unless_it_has_another_use():
    rows = battles(["a", "a", "b"]).assign(weight=[2, 3, 0.5])
    for named in ({}, {"weight": "weight"}):
        found = RankedLists.from_comparisons(rows, **named)
        assert found.list_weight.tolist() == [2.0, 3.0, 0.5] and found.list_duel.tolist() == [-2, -2, -2]
    assert RankedLists.from_comparisons(rows, weight=None).list_weight.tolist() == [2.0, 1.0]
    other = RankedLists.from_comparisons(rows.assign(n=[1, 2, 3]), weight="n")
    assert other.list_weight.tolist() == [1.0, 2.0, 3.0]
    pairs = pd.DataFrame({"winner": ["p", "p"], "loser": ["q", "q"], "weight": [2.0, 5.0]})
    assert RankedLists.from_comparisons(pairs).list_weight.tolist() == [2.0, 5.0]
    with pytest.raises(InputError, match=r"reconcile=True merges rows; got column 'weight'\. Pass weight=None\."):
        RankedLists.from_comparisons(rows.assign(judge="m"), voter="judge", reconcile=True)
    with pytest.raises(InputError, match="'n'"):
        RankedLists.from_comparisons(rows, weight="n")


@pytest.mark.parametrize(
    ("frame", "options", "message"),
    [
        (battles(["a", "won", "lost"]), {}, r"must have known outcomes; got 'won', 'lost'\. Map"),
        (battles(["a", "p"]).assign(winner=["p", "r"], model_b=["q", "s"]), {}, "must have known outcomes; got 'r'"),
        (
            pd.DataFrame({"model_a": ["p", "q"], "model_b": ["q", "r"], "winner": ["p", "p"]}),
            {},
            "row 1 compares 'q' and 'r', but its winner is 'p'",
        ),
        (battles(["tie", "p"], first="tie"), {}, "has 'tie', which is an outcome and also the id of an item"),
        (battles(["a", "b"], first="a"), {}, "has 'a', which is an outcome and also the id of an item"),
        (battles([0, 1, 2]), {}, r"shares of the win \(0 to 1\); got 2\. Numbers such as 0, 1, 2 have no fixed"),
        (battles([0.2, 1.2]), {}, r"shares of the win \(0 to 1\); got 1\.2"),
        (battles(["a", None]), {}, "must have an outcome in every row; 1 are missing, the first in row 1"),
        (battles(["a", np.nan]), {}, "must have an outcome in every row; 1 are missing"),
        (battles(["a"], second="p"), {}, "must have two different items; row 0 has 'p' twice"),
        (battles(["a"], first="p" * 900, second="p" * 900), {}, r"row 0 has 'p{50,200}\.\.\. twice"),
        (battles(["a"]), {"outcomes": {"a": 2}}, r"or to \(share, weight\) with a weight above 0; 'a' has 2"),
        (battles(["a"]), {"outcomes": {"a": (1, 0)}}, r"or to \(share, weight\) with a weight above 0"),
        (battles(["a"]), {"first": "model_a"}, "`first`, `second` and `outcome` must be named together"),
        (battles(["a"]), {"reconcile": True}, "`reconcile` must be False if the frame has no"),
        (battles(["a"]).assign(n=-1), {"weight": "n"}, "must be at least 0; got -1 in row 0"),
        (battles(["a"]), {"groups": ["judge"]}, "'judge' is not among"),
        (battles(["a"]).assign(model="m"), {"groups": ["model"]}, "must not contain 'model'"),
        (battles(["a"]).assign(voter="m"), {"voter": "voter"}, "must not contain 'voter'"),
        (battles(["a", "b"]).assign(judge=["m", None]), {"voter": "judge"}, "must have an id in every row"),
    ],
)  # fmt: skip
def test_from_comparisons_refuses_a_bad_input_in_one_sentence(frame, options, message):
    with pytest.raises(InputError, match=message) as caught:
        RankedLists.from_comparisons(frame, **options)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("values", "outcomes", "shares"),
    [
        ([1, 2, 1], {2: 0}, [1, 0, 1]),
        ([1, 2, 1], {"2": 0}, [1, 0, 1]),  # as in JSON
        (["1", "2", "1"], {2: 0}, [1, 0, 1]),
        ([0, 1, 2], {2: 0.5}, [0, 1, 0.5]),
        ([True, False, 2], {2: 0.5}, [1, 0, 0.5]),
        ([1, 2, "tie"], {2: 0}, [1, 0, 0.5]),
        (["model_a", "A>B", "b"], {"A>B": 1}, [1, 1, 0]),
        ([0, 1, 2], {1: 1, 2: 0, 0: 0.5}, [0.5, 1, 0]),
        ([0.25, 0.5, 0], {0.25: 0.5}, [0.5, 0.5, 0]),
    ],
)
def test_from_comparisons_merges_a_partial_mapping_with_the_usual_meanings(values, outcomes, shares):
    # Different items in each row, so that the rows are not merged.
    frame = battles(values, ["p0", "p1", "p2"], ["q0", "q1", "q2"])
    lists = RankedLists.from_comparisons(frame, outcomes=outcomes)
    words = {1: "p{0} > q{0}", 0: "q{0} > p{0}", 0.5: "p{0} = q{0}"}
    assert sorted(duels(lists)) == sorted(words[share].format(k) for k, share in enumerate(shares))


@pytest.mark.parametrize(
    ("values", "outcomes", "message"),
    [
        ([0, 1, 2], {2: 0}, "the value 0 of column 'winner', because otherwise 0 and 2 both mean that the second item"),
        (["0", "1", "2"], {"2": 0}, r"the value 0 .* If 0 is a tie, pass outcomes=\{2: 0, 0: 0\.5\}\."),
        ([0, 1, 2], {1: 1, 2: 0}, "the value 0 of column 'winner'"),
        ([-1, 0, 1], {-1: 0}, "because otherwise 0 and -1 both mean that the second item wins"),
        ([1, 2, 0], {2: 1, 0: 0}, "because otherwise 1 and 2 both mean that the first item wins"),
        ([0.5, 2, 0], {2: 0.5}, "because otherwise 0.5 and 2 both mean that the share is the same"),
    ],
)
def test_from_comparisons_refuses_a_mapping_that_gives_two_codes_one_meaning(values, outcomes, message):
    with pytest.raises(InputError, match=f"`outcomes` must also map .*{message}|{message}"):
        RankedLists.from_comparisons(battles(values), outcomes=outcomes)


def test_from_comparisons_refuses_other_types():
    with pytest.raises(InputTypeError, match="`outcomes` must map each word"):
        RankedLists.from_comparisons(battles(["a"]), outcomes=["a"])
    with pytest.raises(InputTypeError, match="must all have the form"):
        RankedLists.from_comparisons([("p", "q"), ("p", "q", "a")])
    with pytest.raises(InputTypeError, match="must be a list of column names; got 'judge'"):
        RankedLists.from_comparisons(battles(["a"]).assign(judge="m"), groups="judge")


def test_from_comparisons_says_what_a_word_means_although_an_item_has_this_name():
    lists = RankedLists.from_comparisons(battles(["a", "b"], first="a"), outcomes={"a": 1})
    assert sorted(duels(lists)) == ["a > q", "q > a"]


def test_from_comparisons_reconciles_verdicts_in_both_orders():
    rows = [
        ("p", "q", "a", "Ann", 1), ("q", "p", "b", "Ann", 1),  # p won twice
        ("p", "q", "a", "Ann", 2), ("q", "p", "a", "Ann", 2),  # the first one won twice: a flip
        ("p", "q", "tie", "Ben", 1), ("q", "p", "a", "Ben", 1),  # a tie and a win of q
        ("p", "q", "b", "Ben", 2), ("p", "q", "a", "Ben", 2),  # one order only
        ("r", "p", "a", "Ben", 2),
    ]  # fmt: skip
    frame = pd.DataFrame(rows, columns=["model_a", "model_b", "winner", "judge", "prompt"])
    with pytest.warns(
        UserWarning, match=r"2 of the 3 comparisons that were made in both orders \(66\.7%\) were decided differently"
    ):
        lists = RankedLists.from_comparisons(frame, voter="judge", groups=["prompt"], reconcile=True)
    found = sorted(zip(lists.groups["judge"], lists.groups["prompt"], duels(lists), lists.list_weight, strict=True))
    assert found == [
        ("Ann", 1, "p > q", 1.0), ("Ann", 2, "p = q", 1.0), ("Ben", 1, "p = q", 1.0),
        ("Ben", 2, "p > q", 1.0), ("Ben", 2, "q > p", 1.0), ("Ben", 2, "r > p", 1.0),
    ]  # fmt: skip


def test_reconcile_compares_which_item_a_share_prefers():
    frame = battles([0.9, 0.2, 0.6, 0.9]).assign(model_a=list("pqpq"), model_b=list("qpqp"), prompt=[1, 1, 2, 2])
    with pytest.warns(UserWarning, match="1 of the 2 comparisons"):
        lists = RankedLists.from_comparisons(frame, groups=["prompt"], reconcile=True)
    assert lists.groups["prompt"].tolist() == [1, 1, 2] and duels(lists) == ["p > q", "q > p", "p = q"]
    np.testing.assert_allclose(lists.list_weight, [0.85, 0.15, 1.0])


def test_reconcile_refuses_several_verdicts_of_one_order():
    frame = battles(["a", "a", "b"], first=["p", "p", "q"], second=["q", "q", "p"]).assign(judge="Ann")
    with pytest.raises(
        InputError, match=r"one verdict in each order of presentation; in 1 cases there are more\..*groups=\["
    ):
        RankedLists.from_comparisons(frame, voter="judge", reconcile=True)
    with pytest.raises(InputError, match="`weight` must be None with reconcile=True"):
        RankedLists.from_comparisons(frame.assign(n=1), voter="judge", weight="n", reconcile=True)


def test_from_comparisons_reads_a_column_of_ties_unless_told_otherwise():
    frame = pd.DataFrame({"winner": ["p", "p"], "loser": ["q", "q"], "tie": [True, False]})
    assert duels(RankedLists.from_comparisons(frame)) == ["p > q", "p = q"]
    assert duels(RankedLists.from_comparisons(frame, tie=None)) == ["p > q"]
    with pytest.raises(InputError, match="must be a column of booleans or of the numbers 0 and 1"):
        RankedLists.from_comparisons(frame.assign(tie="maybe"))


def test_from_comparisons_finds_titles_in_any_case_and_numbers_as_text():
    frame = battles(["1", "2", "0"]).set_axis(["Model_A", "MODEL_B", "Winner"], axis=1)
    lists = RankedLists.from_comparisons(frame, outcomes={1: 1, 2: 0, 0: 0.5})
    assert duels(lists) == ["p > q", "p = q", "q > p"]


@pytest.mark.parametrize("outcomes", [[1, 2, 0], ["1", "2", "0"]])
def test_from_comparisons_advises_a_meaning_for_every_number(outcomes):
    # In files numbers are text; a meaning of 2 alone would leave 0 a win of the second item.
    with pytest.raises(InputError, match=r"Numbers such as 0, 1, 2 have no fixed meaning.*outcomes=\{1: 1, 2: 0, 0: 0"):
        RankedLists.from_comparisons(battles(outcomes))


def test_from_comparisons_advises_the_usual_meaning_of_a_word_that_is_also_an_item():
    frame = battles(["tie", "model_a"], second=["tie", "q"])
    with pytest.raises(InputError, match=r"always means the outcome, pass outcomes=\{'tie': 0.5\}.*rename the item"):
        RankedLists.from_comparisons(frame)
    assert duels(RankedLists.from_comparisons(frame, outcomes={"tie": 0.5})) == ["p > q", "p = tie"]


def test_from_comparisons_names_its_own_columns_and_readers():
    with pytest.raises(InputError, match=r"and winner; its columns are \['Model A'.*Name .*first=.*kind='wins'"):
        RankedLists.from_comparisons(battles(["a"]).set_axis(["Model A", "Model B", "Winner"], axis=1))
    with pytest.raises(
        InputTypeError, match=r"a row for each comparison; got .*str; read a file with read_comparisons"
    ):
        RankedLists.from_comparisons("battles.csv")
    with pytest.warns(SimilarIdsWarning, match=r"strip=True to RankedLists\.from_comparisons"):
        RankedLists.from_comparisons(battles(["a", "b"], first=["p", "P "]))


def test_from_comparisons_refuses_an_outcome_beside_a_column_of_losers():
    frame = battles(["model_a", "tie", "model_b"]).assign(loser="nobody")
    with pytest.raises(InputError, match="column 'winner' contains outcomes"):
        RankedLists.from_comparisons(frame)


def test_groupings_of_categories_keep_their_names():
    judges = pd.Categorical(["Ben", "Dan", "Cem"], categories=["Dan", "Cem", "Ben", "Ann"])
    frame = battles(["a", "b", "tie"], second=["q", "r", "s"]).assign(judge=judges)
    lists = RankedLists.from_comparisons(frame, voter="judge")
    found = dict(zip(lists.groups["judge"], duels(lists), strict=True))
    assert found == {"Ben": "p > q", "Dan": "r > p", "Cem": "p = s"}
    for other in (RankedLists.from_frame(lists.to_frame(), groups=["judge"]), RankedLists.concat([lists])):
        assert other.equals(lists)
    text = RankedLists.from_comparisons(frame.astype({"judge": str}), voter="judge")
    few = text.select(voters=[1, 2])
    assert RankedLists.concat([few]).groups["judge"].tolist() == few.groups["judge"].tolist() == ["Cem", "Dan"]


def test_from_comparisons_warns_of_a_column_of_queries():
    frame = battles(["a", "b"]).assign(query=["q1", "q2"])
    with pytest.warns(AmbiguousInputWarning, match="all comparisons belong to one query, 'q'"):
        RankedLists.from_comparisons(frame)
    for query in (None, np.nan, pd.NA):
        with pytest.raises(InputError, match=r"`query` of RankedLists\.from_comparisons must be an id"):
            RankedLists.from_comparisons(battles(["a"]), query=query)


def test_from_comparisons_refuses_options_without_effect():
    with pytest.raises(InputError, match=r"`outcomes` of .* must be None if no column of outcomes is named"):
        RankedLists.from_comparisons([("p", "q")], outcomes={"a": 1})
    with pytest.raises(InputError, match="is missing the column"):
        RankedLists.from_comparisons(battles(["a"]), winner="champion")
    with pytest.raises(InputError, match="must not give one word two meanings; 'a' occurs twice"):
        RankedLists.from_comparisons(battles(["a"]), outcomes={"A": 1, "a": 0})
    with pytest.raises(InputError, match="has 'A', which is an outcome and also the id of an item"):
        RankedLists.from_comparisons(battles(["A"], first="a"))
    with pytest.raises(InputTypeError, match="must have words or numbers"):
        RankedLists.from_comparisons([("p", "q", ["a"])])
    with pytest.raises(InputTypeError, match=r"`items` of RankedLists\.from_matrix must be sortable"):
        RankedLists.from_matrix([[0, 1], [1, 0]], kind="wins", items=["a", 1])
    winners = pd.DataFrame({"Winner": ["p"], "LOSER": ["q"]})
    assert duels(RankedLists.from_comparisons(winners)) == ["p > q"]


def test_from_matrix_reads_wins():
    wins = pd.DataFrame([[0, 3, 1], [1, 0, 2], [0, 0, 0]], index=list("bac"), columns=list("bac"))
    lists = RankedLists.from_matrix(wins[list("cab")], kind="wins")
    assert dict(zip(duels(lists), lists.list_weight.tolist(), strict=True)) == {
        "b > a": 3.0, "b > c": 1.0, "a > b": 1.0, "a > c": 2.0
    }  # fmt: skip
    assert (lists.list_duel == -1).all()
    halves = RankedLists.from_matrix([[0, 0.5], [1.5, 0]], kind="wins", items=["p", "q"])
    assert halves.list_duel.tolist() == [-2, -2] and halves.list_weight.tolist() == [0.5, 1.5]
    for values, options, message in (
        ([[0, 1], [1, 1]], {}, "0 for an item against itself; got 1 for 1 against 1"),
        ([[0, -1], [1, 0]], {}, "finite and at least 0"),
        ([[0, np.inf], [1, 0]], {}, "finite and at least 0"),
        ([[0, 1, 2], [1, 0, 1]], {}, "must be a square matrix"),
        ([[0, 0], [0, 0]], {}, "at least one comparison"),
        ([[0, 1], [1, 0]], {"weights": [1, 1]}, "`weights` of RankedLists.from_matrix must be left out"),
        (pd.DataFrame([[0, 1], [1, 0]], index=["p", "q"], columns=["p", "r"]), {}, "must be the same items"),
    ):
        with pytest.raises(InputError, match=message):
            RankedLists.from_matrix(values, kind="wins", **options)


def test_from_matrix_reads_wins_of_frames_without_an_index():
    polars = pytest.importorskip("polars", reason="a frame without an index")
    wins = polars.DataFrame({"b": [0, 1], "a": [3, 0]})
    with pytest.raises(InputError, match=r"`items` .* and the frame has no index; .* pass items=frame\.columns"):
        RankedLists.from_matrix(wins, kind="wins")
    lists = RankedLists.from_matrix(wins, kind="wins", items=wins.columns)
    expected = pd.DataFrame([[0, 3], [1, 0]], index=["b", "a"], columns=["b", "a"])
    assert lists.equals(RankedLists.from_matrix(expected, kind="wins"))
    assert duels(lists) == ["b > a", "a > b"] and lists.list_weight.tolist() == [3.0, 1.0]
    for frame in (wins, expected):
        with pytest.raises(InputError, match="must have the order of the columns"):
            RankedLists.from_matrix(frame, kind="wins", items=["a", "b"])


def test_from_comparisons_counts_every_row_whatever_the_order_of_rows():
    rng = np.random.default_rng(3)
    n = 300
    frame = pd.DataFrame({
        "model_a": rng.choice(list("pqrs"), n), "winner": rng.choice(["a", "b", "tie"], n), "judge": rng.choice(5, n)
    })  # fmt: skip
    frame["model_b"] = [rng.choice([one for one in "pqrs" if one != first]) for first in frame["model_a"]]
    lists = RankedLists.from_comparisons(frame, voter="judge")
    assert lists.list_weight.sum() == n
    assert RankedLists.from_comparisons(frame.sample(frac=1, random_state=0), voter="judge").equals(lists)
    expected = {}
    for a, b, outcome, judge in frame[["model_a", "model_b", "winner", "judge"]].itertuples(index=False):
        text = f"{min(a, b)} = {max(a, b)}" if outcome == "tie" else f"{a} > {b}" if outcome == "a" else f"{b} > {a}"
        expected[judge, text] = expected.get((judge, text), 0) + 1
    found = dict(zip(zip(lists.groups["judge"], duels(lists), strict=True), lists.list_weight, strict=True))
    assert found == expected


def test_a_share_is_one_comparison_in_standard_errors_and_draws():
    rng = np.random.default_rng(0)
    pairs = list(itertools.permutations("pqrs", 2)) * 12
    frame = pd.DataFrame(pairs, columns=["model_a", "model_b"])
    wins = rng.random(len(frame)) < 0.6
    whole = RankedLists.from_comparisons(frame.assign(winner=wins.astype(float)))
    nearly = RankedLists.from_comparisons(frame.assign(winner=np.where(wins, 1 - 1e-9, 1e-9)))
    assert nearly.n_lists == 2 * len(frame)
    for method in (PlackettLuce(std_errors="voters"), PlackettLuce(std_errors="model")):
        one, other = method.fit_transform(whole), method.fit_transform(nearly)
        np.testing.assert_allclose(other["std_error"], one["std_error"], rtol=1e-6)
        np.testing.assert_allclose(other["score"], one["score"], atol=1e-6)
