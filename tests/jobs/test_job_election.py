"""An election: a table of candidates by voters with ranks, and a file of PrefLib; rounds, Schulze, how close it was."""

from itertools import product

import numpy as np
import pandas as pd
import pytest

from skrankagg import RankedLists, Schulze, SequentialElimination
from skrankagg.datasets import read_preflib
from skrankagg.inspection import elimination_rounds, margin_of_victory

NAMES = ["Ahmed", "Baker", "Chen", "Diaz", "Evans"]
PREFLIB = """# FILE NAME: council.toi
# TITLE: Council, ward 3
# DESCRIPTION:
# DATA TYPE: toi
# MODIFICATION TYPE: original
# RELATES TO:
# RELATED FILES:
# PUBLICATION DATE: 2024-05-02
# MODIFICATION DATE: 2024-05-02
# NUMBER ALTERNATIVES: 4
# NUMBER VOTERS: 100
# NUMBER UNIQUE ORDERS: 7
# ALTERNATIVE NAME 1: Nora Lind
# ALTERNATIVE NAME 2: Omar Said
# ALTERNATIVE NAME 3: Petra Holm
# ALTERNATIVE NAME 4: Raj Patel
28: 1,2,3,4
20: 2,3,{1,4}
17: 3,2
13: 4,3,2
9: 1
8: {2,4},3
5: 4
"""
ALTERNATIVES = {1: "Nora Lind", 2: "Omar Said", 3: "Petra Holm", 4: "Raj Patel"}
# Each ballot of the file as its levels of tied alternatives, best first.
COUNTED = {
    ((1,), (2,), (3,), (4,)): 28,
    ((2,), (3,), (1, 4)): 20,
    ((3,), (2,)): 17,
    ((4,), (3,), (2,)): 13,
    ((1,),): 9,
    ((2, 4), (3,)): 8,
    ((4,),): 5,
}


@pytest.fixture(scope="module")
def table():
    """Return a table with a row for each candidate and a column for each of 61 voters."""
    rng = np.random.default_rng(21)
    ranks_of = {}
    for voter in range(1, 62):
        order = np.argsort(-(np.array([0.9, 0.8, 0.75, 0.3, 0.0]) + rng.gumbel(size=5)))
        ranks = np.full(5, np.nan)
        ranks[order] = np.arange(1, 6)
        if rng.random() < 0.2:
            ranks[order[1]] = ranks[order[2]] = 2  # two candidates equal
        ranks[order[rng.choice([2, 3, 5], p=[0.2, 0.3, 0.5]) :]] = np.nan  # left empty
        ranks_of[f"voter {voter}"] = ranks
    return pd.DataFrame(ranks_of, index=pd.Index(NAMES, name="candidate"))


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "council.toi"
    path.write_text(PREFLIB)
    return path


def ballots_of(table):
    """Return a dict from ballot, a tuple of levels of tied candidates, to the number of voters."""
    counted = {}
    for ranks in table.to_numpy().T:
        levels = sorted({rank for rank in ranks if rank == rank})
        ballot = tuple(tuple(NAMES[k] for k in np.flatnonzero(ranks == level)) for level in levels)
        counted[ballot] = counted.get(ballot, 0) + 1
    return counted


def count_rounds(ballots):
    """Return the votes of each round of instant runoff; tied candidates at the top share a vote equally."""
    left = {one for ballot in ballots for level in ballot for one in level}
    rounds = []
    while left:
        votes = dict.fromkeys(sorted(left), 0.0)
        for ballot, count in ballots.items():
            top = next((kept for level in ballot if (kept := [one for one in level if one in left])), [])
            for one in top:
                votes[one] += count / len(top)
        rounds.append(votes)
        fewest = min(votes.values())
        left -= {one for one, n in votes.items() if abs(n - fewest) < 1e-9}
    return rounds


def schulze_winners(ballots):
    """Return the candidates that are beaten by no other candidate along the strongest paths of majorities."""
    items = sorted({one for ballot in ballots for level in ballot for one in level})

    def place(ballot, one):
        return next((k for k, level in enumerate(ballot) if one in level), len(ballot))

    prefer = {
        (a, b): sum(count for ballot, count in ballots.items() if place(ballot, a) < place(ballot, b))
        for a, b in product(items, items)
    }
    path = {pair: max(prefer[pair] - prefer[pair[::-1]], 0) for pair in prefer}
    for mid, a, b in product(items, items, items):
        if len({mid, a, b}) == 3:
            path[a, b] = max(path[a, b], min(path[a, mid], path[mid, b]))
    return {a for a in items if all(path[a, b] >= path[b, a] for b in items)}


def winners(rule, lists):
    found = rule.fit_transform(lists)
    return set(found.loc[found["score"] == found["score"].max(), "item"])


def check_rounds(lists, ballots):
    frame = elimination_rounds(SequentialElimination(), lists).frame
    expected = count_rounds(ballots)
    for number, votes in enumerate(expected, 1):
        found = frame[frame["round"] == number].set_index("item")["votes"]
        if len(found) or number < len(expected):  # the last candidate needs no round
            assert found.to_dict() == pytest.approx(votes)
    assert winners(SequentialElimination(), lists) <= set(expected[-1])


def runoff_winners(ballots):
    return set(count_rounds(ballots)[-1])


def fewest_removed(ballots, leader, rule, most):
    """Return the smallest number of ballots without which the leader does not win alone, by trying all sets."""
    kinds = list(ballots)

    def spread(total, k):
        if k == len(kinds) - 1:
            if total <= ballots[kinds[k]]:
                yield (total,)
            return
        for n in range(min(total, ballots[kinds[k]]) + 1):
            for rest in spread(total - n, k + 1):
                yield (n, *rest)

    for total in range(1, most + 1):
        for removed in spread(total, 0):
            kept = {kind: ballots[kind] - n for kind, n in zip(kinds, removed, strict=True) if ballots[kind] > n}
            if rule(kept) != {leader}:
                return total
    return None


def test_the_table_of_ranks_is_counted_round_by_round(table):
    ballots = ballots_of(table)
    lists = RankedLists.from_ballots(table)
    check_rounds(lists, ballots)
    assert winners(Schulze(), lists) == schulze_winners(ballots)
    # The names of the voters are kept by the other constructor, with the same result.
    named = RankedLists.from_matrix(table, kind="rank")
    check_rounds(named, ballots)
    assert named.n_voters == 61 and winners(Schulze(), named) == schulze_winners(ballots)


def test_how_close_the_table_of_ranks_was(table):
    lists = RankedLists.from_ballots(table)
    ballots = ballots_of(table)
    for rule, by_hand in ((SequentialElimination(), runoff_winners), (Schulze(), schulze_winners)):
        (leader,) = by_hand(ballots)
        row = margin_of_victory(rule, lists, time_limit=0.5).iloc[0]
        assert row["leader"] == leader and 1 <= row["lower_bound"] <= row["upper_bound"] < len(table.columns)
        assert fewest_removed(ballots, leader, by_hand, most=1) is None  # no single ballot decides
        # Without the removed voters, the leader does not win alone.
        named = RankedLists.from_matrix(table, kind="rank")
        removed = margin_of_victory(rule, named, time_limit=0.5)["removed"].iloc[0]
        assert by_hand(ballots_of(table.drop(columns=list(removed)))) != {leader}


def test_a_file_of_preflib_is_counted_round_by_round(path):
    votes = read_preflib(path)
    named = {
        tuple(tuple(ALTERNATIVES[one] for one in level) for level in ballot): count for ballot, count in COUNTED.items()
    }
    check_rounds(votes, named)
    frame = elimination_rounds(SequentialElimination(), votes).frame
    first = frame[frame["round"] == 1].set_index("item")["votes"].to_dict()
    assert first == {"Nora Lind": 37, "Omar Said": 24, "Raj Patel": 22, "Petra Holm": 17}
    assert winners(Schulze(), votes) == schulze_winners(named) == {"Omar Said"}


def test_how_close_the_election_of_the_file_was(path):
    votes = read_preflib(path)
    row = margin_of_victory(SequentialElimination(), votes).iloc[0]
    exact = fewest_removed(COUNTED, 2, runoff_winners, most=6)
    assert exact == 6
    assert row["leader"] == "Omar Said"
    assert row["margin"] == row["lower_bound"] == row["upper_bound"] == exact and row["optimal"]
