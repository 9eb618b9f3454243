"""election_report: an election of known counts, its parts computed separately, and an election from a PrefLib file."""

import math

import numpy as np
import pandas as pd
import pytest
from small_elections import BURLINGTON, draw_election, lists_of

from skrankagg import (
    Agglomerative,
    BordaCount,
    Bucklin,
    Copeland,
    PositionalScoring,
    RankedLists,
    Schulze,
    SequentialElimination,
)
from skrankagg.datasets import read_preflib
from skrankagg.exceptions import InputError, InputTypeError
from skrankagg.inspection import election_report, elimination_rounds, margin_of_victory

pytestmark = [
    pytest.mark.twice,
    pytest.mark.filterwarnings("ignore::skrankagg.exceptions.NotComparedWarning"),
    pytest.mark.filterwarnings("ignore::skrankagg.exceptions.ExposureWarning"),
]

COLUMNS = [
    *("query", "rule", "winners", "margin", "lower_bound", "upper_bound", "optimal"),
    *("last", "winners_without_last"),
]
RULES = {
    "plurality": PositionalScoring(),
    "instant runoff": SequentialElimination(),
    "Borda": BordaCount(),
    "Schulze": Schulze(),
}


def test_report_of_burlington():
    report = election_report(lists_of(BURLINGTON))
    frame = report.frame.set_index("rule")
    assert report.frame.columns.tolist() == COLUMNS and repr(report) == "ElectionReport(1 query, 10 rules)"
    winners = {rule: own[0] for rule, own in frame["winners"].items()}
    assert winners.pop("plurality") == "Wright" and winners.pop("instant runoff") == "Kiss"
    assert len(winners) == 8 and set(winners.values()) == {"Montroll"}
    assert frame["margin"].loc[["plurality", "instant runoff", "Schulze"]].tolist() == [315, 250, 590]
    assert frame["optimal"].all()
    # Without Montroll, Kiss has 2982 + 1332 first places, and Wright has 3297 + 767.
    assert frame.loc["plurality", ["last", "winners_without_last"]].tolist() == [("Montroll",), ("Kiss",)]
    assert str(report).splitlines()[:5] == [
        "8833 votes and 3 items. Montroll is the Condorcet winner: a majority prefers Montroll to each other",
        "item.",
        "  rule            winner    margin               without the last",
        "  plurality       Wright    315 votes (3.6 %)    without Montroll: Kiss",
        "  instant runoff  Kiss      250 votes (2.8 %)    without Montroll: Kiss",
    ]


def winners_by_hand(method, frame):
    consensus = method.fit_transform(frame)
    return tuple(consensus.loc[consensus["score"] == consensus["score"].max(), "item"])


def without(frame, items):
    return frame[~frame["item"].isin(items)].reset_index(drop=True)


@pytest.mark.parametrize("seed", range(15))
def test_report_equals_its_parts(seed):
    frames = [draw_election(2 * seed).assign(query="p"), draw_election(2 * seed + 1)]
    both = pd.concat(frames)
    report = election_report(both, RULES)
    assert report.frame["query"].tolist() == ["p"] * 4 + ["q"] * 4 and len(report.text.split("\n\n")) == 2
    for own, frame in zip((report.frame[:4], report.frame[4:]), frames, strict=True):
        for row in own.itertuples():
            method = RULES[row.rule]
            consensus = method.fit_transform(frame)
            assert row.winners == winners_by_hand(method, frame)
            margin = margin_of_victory(method, frame).iloc[0]
            assert (row.margin, row.lower_bound, row.optimal) == tuple(margin[["margin", "lower_bound", "optimal"]])
            assert row.upper_bound == row.margin
            if consensus["score"].nunique() == 1:
                assert row.last == row.winners_without_last == ()
            else:
                gone = consensus.loc[consensus["score"] == consensus["score"].min(), "item"]
                assert row.last == tuple(gone)
                assert row.winners_without_last == winners_by_hand(method, without(frame, gone))
    alone = election_report(both, RULES, query="q")
    pd.testing.assert_frame_equal(alone.frame, report.frame[4:].reset_index(drop=True))
    # A longer first line may be divided at another place.
    assert f"Query q: {alone.text}".split() == report.text.split("\n\n")[1].split()


@pytest.mark.parametrize(
    ("ballots", "counts", "rules", "words"),
    [
        (["a > b", "b > a"], [1, 1], {"Borda": BordaCount()}, "Borda  a and b  tie     -"),
        (["a"], [1], {"Borda": BordaCount()}, "1 vote and 1 item. a is the only item."),
        (["a > b"], [3], {"Copeland": Copeland()}, "cannot be lost  without b: a"),
        (["a > b"], [0.5], {"Copeland": Copeland()}, "0.5 votes and 2 items. a is the Condorcet winner"),
        (["a > b", "b > a"], [2000, 1999], {"Copeland": Copeland()}, "a       1 vote (<0.1 %)"),
        (["a > b", "b > a"], [1.5, 1], {"Copeland": Copeland()}, "1.5 of weight (60.0 %)"),
        (
            ["a > b > c", "b > c > a", "c > a > b"],
            [1, 1, 1],
            {"Bucklin": Bucklin()},
            "to each other item by a majority.",
        ),
        (["a > b > d", "b > a > d"], [1, 1], {"Bucklin": Bucklin()}, "by a majority. a and b beat all other items."),
    ],
)
def test_text_describes_each_case(ballots, counts, rules, words):
    text = election_report(RankedLists.from_ballots(ballots, counts=counts), rules).text
    assert words in " ".join(text.replace("\n", " ").split()) or words in text


def test_text_contains_bounds_if_a_margin_is_not_proven():
    rng = np.random.default_rng(0)
    lists = [list(rng.permutation(list("abcdef"))) for _ in range(60)]
    report = election_report(lists, {"runoff": SequentialElimination()}, time_limit=1e-9)
    row = report.frame.iloc[0]
    assert not row["optimal"] and f"{row['lower_bound']:g} to {row['margin']:g} votes" in report.text


def test_a_preflib_file_gives_rounds_winners_and_margins(tmp_path):
    path = tmp_path / "election.toc"
    path.write_text(
        "# NUMBER ALTERNATIVES: 3\n# ALTERNATIVE NAME 1: Ann\n# ALTERNATIVE NAME 2: Bob\n# ALTERNATIVE NAME 3: Cy\n"
        "# NUMBER VOTERS: 15\n6: 1,2,3\n5: 2,1,3\n3: 3,2,1\n1: 3,{1,2}\n"
    )
    ballots = read_preflib(path, with_names=True)
    rounds = elimination_rounds(SequentialElimination(), ballots)
    # Cy leaves with 4 votes. Three of them go to Bob, and one is shared.
    assert "Round 1: Ann 6 (40.0 %), Bob 5 (33.3 %), Cy 4 (26.7 %)." in rounds.text
    assert "Round 2: Bob 8.5 (56.7 %), Ann 6.5 (43.3 %)." in rounds.text and rounds.text.endswith("Bob wins.")
    report = election_report(ballots, RULES)
    assert report.frame["winners"].tolist() == [("Ann",), ("Bob",), ("Bob",), ("Bob",)]
    assert report.frame["margin"].tolist() == [1, 1, 2, 2] and report.frame["optimal"].all()


def test_report_rejects_invalid_arguments():
    for rules in ([Schulze()], {"Schulze": Schulze}, "Schulze", {1: Schulze()}):
        with pytest.raises(InputTypeError, match="`rules` must be a dict that maps names to aggregators"):
            election_report([["a", "b"]], rules)
    with pytest.raises(InputError, match="at least one rule; got none"):
        election_report([["a", "b"]], {})
    with pytest.raises(InputError, match="must accept weights of lists"):
        election_report([["a", "b"], ["b", "a"]], {"clusters": Agglomerative()})
    with pytest.raises(InputError, match="`time_limit` must be"):
        election_report([["a", "b"]], time_limit=0)
    with pytest.raises(InputError, match="nowhere"):
        election_report(lists_of(BURLINGTON), query="nowhere")


def test_unanimous_elections_have_an_infinite_margin():
    row = election_report([["a", "b"], ["a", "b"]], {"Copeland": Copeland()}).frame.iloc[0]
    assert math.isinf(row["margin"]) and row["optimal"] and row["last"] == ("b",)
