"""Kemeny with pins and orders, compared with all orders that meet them."""

import itertools
from functools import cache

import numpy as np
import pandas as pd
import pytest

from skrankagg import Kemeny
from skrankagg.aggregators import pairwise_preferences
from skrankagg.exceptions import InputError

pytestmark = [pytest.mark.twice, pytest.mark.filterwarnings("ignore::skrankagg.exceptions.NotComparedWarning")]

WEIGHTS = (
    [1] * 7,
    [1, 2, 3, 1, 4, 2, 1],
    [0.3, 0.1, 0.2, 0.7, 1.5, 0.9, 0.4],
    [2**0.5, 1.1, 0.7, 3**0.5, 1, 0.6, 5**0.5],
)


@cache
def all_ranks(n, ties):
    """Return all orders of n items, int8 of shape (n_orders, n): the level of each item, levels without gaps."""
    if not ties:
        return np.array(list(itertools.permutations(range(n))), dtype=np.int8)
    ranks = {(0,)}
    for _ in range(n - 1):
        new = set()
        for rank in ranks:
            for k in range(max(rank) + 1):
                new.add((*rank, k))
            for k in range(max(rank) + 2):
                new.add((*(r + (r >= k) for r in rank), k))
        ranks = new
    return np.array(sorted(ranks), dtype=np.int8)


def feasible(ranks, items, pins, orders):
    """Return a mask of the orders that meet the pins and orders; entries with other items do not count."""
    position = {item: k for k, item in enumerate(items)}
    mask = np.ones(len(ranks), dtype=bool)
    for item, place in pins.items():
        if item in position:
            mask &= (ranks < ranks[:, [position[item]]]).sum(axis=1) == place - 1
    for above, below in orders:
        if above in position and below in position:
            mask &= ranks[:, position[above]] < ranks[:, position[below]]
    return mask


def scores(ranks, frame, absent, penalty):
    """Return the Kemeny score of each order, pair by pair."""
    prefer, tied = pairwise_preferences(frame, absent=absent)
    total = np.zeros(len(ranks))
    for i, j in itertools.combinations(range(ranks.shape[1]), 2):
        a, b = ranks[:, i], ranks[:, j]
        choices = [prefer[j, i] + penalty * tied[i, j], prefer[i, j] + penalty * tied[i, j]]
        total += np.select([a < b, a > b], choices, penalty * (prefer[i, j] + prefer[j, i]))
    return total


def random_instance(seed, sizes=(2, 3, 4, 5, 6, 7, 8), weights=None):
    """Return a frame of partial lists with ties, pins and orders, and parameters of Kemeny."""
    rng = np.random.default_rng(seed)
    ties = bool(rng.integers(2))
    n = min(int(rng.choice(sizes)), 7 if ties else 8)
    rows = []
    own = WEIGHTS[rng.integers(len(WEIGHTS))] if weights is None else weights
    for v in range(int(rng.integers(1, 8))):
        length = n if rng.random() < 0.4 else int(rng.integers(1, n + 1))
        rank = 1 + np.arange(length) - np.cumsum(rng.random(length) < rng.choice([0.0, 0.3]))
        chosen = rng.permutation(n)[:length]
        rows += [("q", f"v{v}", f"i{k}", int(r), own[v]) for k, r in zip(chosen, rank, strict=True)]
    frame = pd.DataFrame(rows, columns=["query", "voter", "item", "rank", "weight"])
    items = sorted(frame["item"].unique())
    pins = {
        item: int(rng.integers(1, len(items) + 1)) for item in rng.permutation(items)[: rng.choice([0, 0, 1, 1, 2, 3])]
    }
    pairs = (
        [tuple(rng.choice(items, 2, replace=False)) for _ in range(rng.choice([0, 1, 2, 3, 5]))]
        if len(items) > 1
        else []
    )
    options = {
        "consensus_ties": "weak" if ties else "strict",
        "absent": str(rng.choice(["last", "ignore"])),
        "penalty": float(rng.choice([0.5, 0.7, 1.0])),
    }
    return frame, pins, pairs, options


def published(consensus, ties):
    """Return the level of each item, in the order of the items, from the scores or the ranks of a consensus."""
    consensus = consensus.sort_values("item")
    return -consensus["score"].to_numpy() if ties else consensus["rank"].to_numpy()


def check_instance(frame, pins, orders, options):
    """Compare Kemeny with all feasible orders; return True if some order is feasible."""
    items, ties = sorted(frame["item"].unique()), options["consensus_ties"] == "weak"
    ranks = all_ranks(len(items), ties)
    cost, mask = scores(ranks, frame, options["absent"], options["penalty"]), feasible(ranks, items, pins, orders)
    kemeny = Kemeny(method="exact", pins=pins, orders=orders, **options)
    if not mask.any():
        with pytest.raises(InputError, match="must allow an order of the items"):
            kemeny.aggregate(frame)
        return False
    consensus, info = kemeny.aggregate(frame)
    info, level = info.iloc[0], published(consensus, ties)
    assert feasible(level[None], items, pins, orders).all()
    assert sorted(consensus["rank"]) == list(range(1, len(items) + 1))
    least = cost[mask].min()
    assert info["kemeny_score"] == pytest.approx(least, abs=1e-9)
    assert scores(level[None], frame, options["absent"], options["penalty"])[0] == pytest.approx(least, abs=1e-9)
    assert info["lower_bound"] == pytest.approx(least, abs=1e-9)
    assert info["optimal"] and info["stop_reason"] == "optimal"
    assert info["unconstrained_score"] == pytest.approx(cost.min(), abs=1e-9)
    if info["unique"] is not pd.NA:
        assert info["unique"] == (np.count_nonzero(cost[mask] <= least + 1e-9) == 1)
    return True


@pytest.mark.sampled(3)
@pytest.mark.interpreted(1)
@pytest.mark.parametrize("batch", range(50))
def test_kemeny_with_pins_and_orders_equals_the_best_of_all_feasible_orders(batch):
    found = [check_instance(*random_instance(seed)) for seed in range(20 * batch, 20 * batch + 20)]
    assert any(found)
