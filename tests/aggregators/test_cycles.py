"""Schulze, RankedPairs and Minimax, compared with definitions in plain Python and published elections."""

import itertools

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skrankagg import Kemeny, Minimax, RankedPairs, Schulze
from skrankagg.aggregators import pairwise_preferences
from skrankagg.aggregators._majorities._cycles import _round, sorted_defeats
from skrankagg.utils.estimator_checks import example_lists

pytestmark = pytest.mark.twice

RULES = (Schulze, RankedPairs, Minimax)


def election(*votes):
    """Ballots from (number of voters, order) tuples."""
    rows = [
        ("q", f"v{v:02d}", item, rank, count)
        for v, (count, order) in enumerate(votes)
        for rank, item in enumerate(order, 1)
    ]
    return pd.DataFrame(rows, columns=["query", "voter", "item", "rank", "weight"])


TENNESSEE = election((42, "MNCK"), (26, "NCKM"), (15, "CKNM"), (17, "KCNM"))
# The example of Schulze's article: 45 voters, five candidates, a cycle through all of them.
SCHULZE_45 = election(
    (5, "ACBED"), (5, "ADECB"), (8, "BEDAC"), (3, "CABED"), (7, "CAEBD"), (2, "CBADE"), (7, "DCEBA"), (8, "EBADC")
)


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("strength", ["margin", "votes"])
def test_cycle_rules_rank_nashville_first(rule, strength):
    # Memphis loses to each other city by 16 votes only, the others more clearly to Nashville or Chattanooga.
    expected = "NMCK" if rule is Minimax else "NCKM"
    assert rule(strength=strength).fit_transform(TENNESSEE)["item"].tolist() == list(expected)


def test_schulze_reproduces_the_example_of_the_article():
    consensus = Schulze(strength="votes").fit_transform(SCHULZE_45)
    assert consensus["item"].tolist() == list("EACBD")
    assert consensus["score"].tolist() == [4, 3, 2, 1, 0]


def arcs(frame, strength, absent="last"):
    prefer, _ = pairwise_preferences(frame, absent=absent)
    n = range(len(prefer))
    return {
        (i, j): prefer[i, j] - (prefer[j, i] if strength == "margin" else 0)
        for i, j in itertools.permutations(n, 2)
        if prefer[i, j] > prefer[j, i]
    }, len(prefer)


def below_schulze(frame, strength):
    """Count the items below each item by the widest of all simple paths."""
    arc, n = arcs(frame, strength)
    best = {}
    for size in range(2, n + 1):
        for path in itertools.permutations(range(n), size):
            width = min(arc.get(step, 0) for step in itertools.pairwise(path))
            ends = path[0], path[-1]
            best[ends] = max(best.get(ends, 0), width)
    return [sum(best[i, j] > best[j, i] for j in range(n) if j != i) for i in range(n)]


def below_ranked_pairs(frame, strength):
    """Count the items below each item by locking arcs and searching for cycles each time."""
    arc, n = arcs(frame, strength)
    other, _ = arcs(frame, "votes" if strength == "margin" else "margin")
    locked = set()

    def reachable(start):
        seen, front = set(), [start]
        while front:
            here = front.pop()
            new = {j for i, j in locked if i == here} - seen
            seen |= new
            front += new
        return seen

    for i, j in sorted(arc, key=lambda pair: (-arc[pair], -other[pair], pair)):
        if i not in reachable(j):
            locked.add((i, j))
    return [len(reachable(i)) for i in range(n)]


def below_minimax(frame, strength):
    arc, n = arcs(frame, strength)
    if strength == "margin":
        defeats = [
            sorted((arc.get((j, i), -arc.get((i, j), 0)) for j in range(n) if j != i), reverse=True) for i in range(n)
        ]
    else:
        defeats = [sorted((arc.get((j, i), 0) for j in range(n) if j != i), reverse=True) for i in range(n)]
    return [sum(other > mine for other in defeats) for mine in defeats]


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    ("rule", "oracle"), [(Schulze, below_schulze), (RankedPairs, below_ranked_pairs), (Minimax, below_minimax)]
)
@given(seed=st.integers(0, 10**6), strength=st.sampled_from(["margin", "votes"]), full=st.booleans())
@settings(max_examples=25, deadline=None)
def test_cycle_rules_equal_their_definitions(rule, oracle, seed, strength, full):
    frame = example_lists(seed, n_queries=1, n_items=5, full=full)
    frame["weight"] = frame["voter"].map({"v0": 1, "v1": 2, "v2": 1, "v3": 3, "v4": 1})
    consensus = rule(strength=strength).fit_transform(frame).sort_values("item")
    assert consensus["score"].tolist() == oracle(frame, strength)


@pytest.mark.parametrize("rule", RULES)
def test_cycle_rules_equal_kemeny_without_cycles(rule):
    frame = election((3, "abcde"), (2, "bacde"), (2, "abdce"))
    assert rule().fit_transform(frame)["item"].tolist() == Kemeny().fit_transform(frame)["item"].tolist()


@pytest.mark.parametrize("rule", RULES)
def test_cycle_rules_tie_equal_majorities_or_break_them_by_id(rule):
    consensus = rule().fit_transform(election((1, "abc"), (1, "bca"), (1, "cab")))
    if rule is RankedPairs:
        assert consensus["score"].tolist() == [2, 1, 0]
    else:
        assert consensus["score"].tolist() == [0, 0, 0]


@pytest.mark.parametrize("rule", RULES)
def test_cycle_rules_ignore_rounding_differences(rule):
    # a-b, b-c and c-a have margins of 0.1 + 0.2, 0.3 and 0.3 in three sums of different rounding.
    frame = election((0.1, "abc"), (0.2, "abc"), (0.3, "bca"), (0.3, "cab"))
    consensus = rule().fit_transform(frame)
    assert consensus["score"].tolist() == ([2, 1, 0] if rule is RankedPairs else [0, 0, 0])


def test_cycle_rules_handle_many_items():
    rng = np.random.default_rng(0)
    frame = election(*((1, rng.permutation(200)) for _ in range(5)))
    for rule in RULES:
        assert len(rule().fit_transform(frame)) == 200


def test_sorted_defeats_lists_the_worst_defeat_first():
    margin = np.array([[0, 5, -3], [-5, 0, 3], [3, -3, 0]])
    assert sorted_defeats(margin).tolist() == [[8, 0], [10, 2], [8, 2]]  # from -5 up
    assert sorted_defeats(margin / 7).argsort().tolist() == [[1, 0]] * 3


def test_round_equates_sums_that_agree_in_eleven_digits():
    one, other = [[0.0, 0.7], [0.7 * (1 - 3e-12), 0.0]], [[0.0, 0.7], [0.7 * (1 - 3e-11), 0.0]]
    rounded = _round(np.array([one, other]))
    assert rounded[0, 0, 1] == rounded[0, 1, 0] and rounded[1, 0, 1] > rounded[1, 1, 0]
