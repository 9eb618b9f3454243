"""Small random elections, whose margin is found by the removal of every set of ballots, and an election of a city."""

import itertools
import math

import numpy as np
import pandas as pd

from skrankagg import (
    BordaCount,
    Bucklin,
    Copeland,
    Kemeny,
    Minimax,
    PositionalScoring,
    RankedLists,
    RankedPairs,
    Schulze,
    SequentialElimination,
)
from skrankagg.inspection import margin_of_victory

RULES = [
    *(SequentialElimination(rule=rule) for rule in ("plurality", "veto", "borda", "borda-mean")),
    *(SequentialElimination(rule=rule, absent="ignore") for rule in ("plurality", "veto", "borda")),
    PositionalScoring(),
    BordaCount(),
    Bucklin(),
    Copeland(),
    Copeland(absent="ignore"),
    Kemeny(),
    Minimax(),
    RankedPairs(),
    Schulze(),
    Schulze(absent="ignore"),
]

# Burlington, Vermont, election of the mayor in 2009: ballots cut to the last three candidates, as counted by
# W. D. Smith, https://rangevoting.org/Burlington.html. The final count there and in
# https://electowiki.org/wiki/2009_Burlington_mayoral_election is 4314 to 4064. The city's own report has 4313 to 4061,
# because it treats a few ballots differently.
BURLINGTON = {
    "Montroll > Kiss > Wright": 1332,
    "Montroll > Wright > Kiss": 767,
    "Montroll": 455,
    "Kiss > Montroll > Wright": 2043,
    "Kiss > Wright > Montroll": 371,
    "Kiss": 568,
    "Wright > Montroll > Kiss": 1513,
    "Wright > Kiss > Montroll": 495,
    "Wright": 1289,
}


def lists_of(votes, query="q"):
    return RankedLists.from_ballots(list(votes), counts=list(votes.values()), query=query)


def draw_election(seed):
    """Draw up to nine ballots on up to five candidates; many ballots are equal, cut short, or have ties."""
    rng = np.random.default_rng(seed)
    n, m = rng.integers(2, 6), rng.integers(1, 10)
    kinds, has_ties = [], rng.random() < 0.5
    for _ in range(rng.integers(1, m + 1)):
        order = rng.permutation(n)[: rng.integers(1, n + 1)]
        level = np.cumsum(rng.random(len(order)) < 0.7) if has_ties else np.arange(len(order))
        kinds.append([("abcde"[item], rank) for item, rank in zip(order, level, strict=True)])
    chosen = rng.integers(len(kinds), size=m)
    if rng.random() < 0.5:  # each distinct ballot once, with its number
        chosen, number = np.unique(chosen, return_counts=True)
    else:
        number = np.ones(m)
    rows = [
        ("q", voter, item, rank, float(weight))
        for voter, (kind, weight) in enumerate(zip(chosen, number, strict=True))
        for item, rank in kinds[kind]
    ]
    return pd.DataFrame(rows, columns=["query", "voter", "item", "rank", "weight"])


def elections_without(frame):
    """Return a frame with a query for each set of removed votes, and the sizes of these sets.

    The first set is empty. The set of all votes is left out.
    """
    number = frame.groupby("voter")["weight"].first().astype(int)
    sets = np.array(list(itertools.product(*(range(n + 1) for n in number))))[:-1]
    left = number.to_numpy() - sets
    row_of_voter = number.index.get_indexer(frame["voter"])
    many = pd.concat([frame] * len(sets), ignore_index=True)
    many = many.assign(query=np.repeat(np.arange(len(sets)), len(frame)), weight=left[:, row_of_voter].ravel())
    return many, sets.sum(axis=1)


def exact_margin(method, many, size):
    """Return the leader, and the smallest number of removed votes after which it is not alone at the top."""
    consensus = method.transform(many)
    n = len(consensus) // len(size)
    score = consensus["score"].to_numpy().reshape(-1, n)
    item = consensus["item"].to_numpy().reshape(-1, n)
    leader = item[0, 0]
    if n == 1:
        return leader, math.inf
    ended = (item[:, 0] != leader) | (score[:, 0] == score[:, 1])
    return leader, float(min(size[ended], default=math.inf))


def check_bounds(seed):
    """Compare the bounds of an election with the exact margin, for each rule; return the number of comparisons."""
    frame = draw_election(seed)
    lists = RankedLists.from_frame(frame)
    many, size = elections_without(frame)
    for method in RULES:
        leader, exact = exact_margin(method, many, size)
        proven = margin_of_victory(method, lists, time_limit=None).iloc[0]
        assert proven["leader"] == leader and proven["optimal"], (seed, method)
        assert proven["lower_bound"] == proven["margin"] == proven["upper_bound"] == exact, (seed, method)
        # Without time for a proof, there are bounds too. The upper one is finite if a removal has an effect.
        for limits in ({"time_limit": 1e-9}, {"max_lists": 1}):
            rough = margin_of_victory(method, lists, **limits).iloc[0]
            assert rough["lower_bound"] <= exact <= rough["upper_bound"] == rough["margin"], (seed, method, limits)
            assert math.isinf(rough["margin"]) == math.isinf(exact), (seed, method, limits)
    return 3 * len(RULES)
