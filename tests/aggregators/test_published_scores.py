"""Published `kemeny_score` and `lower_bound`, compared with counting list by list for the published order."""

import itertools

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from skrankagg import FootruleOptimal, Kemeny, KwikSort, LocalKemenization, PickAPerm

# Methods, and whether the consensus whose score they publish has ties: those of equal scores.
METHODS = [
    (Kemeny(), False),
    (Kemeny(penalty=0.8), False),
    (Kemeny(method="local-search"), False),
    (Kemeny(consensus_ties="weak"), True),
    (Kemeny(consensus_ties="weak", penalty=0.3), True),
    (Kemeny(consensus_ties="weak", method="local-search"), True),
    (KwikSort(n_init=2), False),
    (PickAPerm(), True),
    (FootruleOptimal(), False),
    (LocalKemenization(), False),
]


def relation_costs(items, frame, absent, penalty):
    """Return the costs of a before b, a level with b, and b before a, by a loop over the lists."""
    lists = [
        (dict(zip(own["item"], own["rank"], strict=True)), own["weight"].iloc[0]) for _, own in frame.groupby("voter")
    ]
    costs = {}
    for a, b in itertools.combinations(items, 2):
        cost = costs[a, b] = dict.fromkeys((-1, 0, 1), 0.0)
        for rank, weight in lists:
            if absent == "ignore" and (a not in rank or b not in rank):
                continue
            mine = np.sign(rank.get(a, np.inf) - rank.get(b, np.inf)) if a in rank or b in rank else 0.0
            for theirs in cost:
                cost[theirs] += weight * (
                    1.0 if mine * theirs < 0 else penalty if (mine == 0) != (theirs == 0) else 0.0
                )
    return costs


def score_of(place, costs):
    """Compute the score of a consensus given as a dict of item to place."""
    return sum(cost[(place[a] > place[b]) - (place[a] < place[b])] for (a, b), cost in costs.items())


def least(items, costs, weak):
    """Return the lowest score of all orders, with or without ties."""
    places = (
        itertools.product(range(len(items)), repeat=len(items)) if weak else itertools.permutations(range(len(items)))
    )
    return min(score_of(dict(zip(items, place, strict=True)), costs) for place in places)


def queries(seed):
    rng = np.random.default_rng(seed)
    rows = []
    for query, voter in itertools.product("pq", "tuvw"):
        # From one list of all items to lists that overlap little; every third seed with ties.
        items = rng.permutation(list("abcd"))[: rng.integers(1, 5)]
        ranks = np.sort(rng.integers(1, 3, len(items))) if seed % 3 == 0 else np.arange(1, len(items) + 1)
        rows += [(query, voter, item, rank) for item, rank in zip(items, ranks, strict=True)]
    frame = pd.DataFrame(rows, columns=["query", "voter", "item", "rank"])
    weight = rng.integers(1, 4, 4) * (0.1 if seed % 2 else 1)
    frame["weight"] = frame["voter"].map(dict(zip("tuvw", weight, strict=True)))
    return frame


@pytest.mark.sampled(1)
@pytest.mark.filterwarnings("ignore::skrankagg.exceptions.NotComparedWarning")
@pytest.mark.parametrize("absent", ["last", "ignore"])
@pytest.mark.parametrize(("method", "tied"), METHODS, ids=lambda value: repr(value))
def test_kemeny_score_and_lower_bound_match_the_published_order(method, tied, absent):
    method = clone(method).set_params(absent=absent)
    penalty = getattr(method, "penalty", 0.5)
    for seed in range(5):
        frame = queries(seed)
        consensus, info = method.fit(frame).aggregate(frame)
        for _, row in info.iterrows():
            own, lists = consensus[consensus["query"] == row["query"]], frame[frame["query"] == row["query"]]
            place = dict(zip(own["item"], -own["score"] if tied else own["rank"], strict=True))
            costs = relation_costs(sorted(place), lists, absent, penalty)
            expected = score_of(place, costs)
            assert row["kemeny_score"] == pytest.approx(expected), (seed, row["query"])
            if "lower_bound" in info:
                lowest = least(sorted(place), costs, tied)
                assert row["lower_bound"] <= lowest + 1e-9 <= row["kemeny_score"] + 2e-9
                assert not row["optimal"] or row["kemeny_score"] == pytest.approx(lowest)


@pytest.mark.parametrize(
    ("lists", "absent", "score"),
    # By hand: what costs the same in every place of the footrule is listed by the number of lists, then by id.
    [
        (("ab", "b"), "ignore", 1.0),
        (("b", "a", "b", "ab"), "ignore", 1.0),
        (("ab", "ab", "b", "ba"), "ignore", 2.0),
        (("cb", "acbd", "b"), "last", 6.0),
    ],
)
def test_footrule_optimal_kemeny_score_uses_the_published_order_of_ties(lists, absent, score):
    rows = [("q", voter, item, rank, 1) for voter, items in enumerate(lists) for rank, item in enumerate(items, 1)]
    frame = pd.DataFrame(rows, columns=["query", "voter", "item", "rank", "weight"])
    consensus, info = FootruleOptimal(absent=absent).aggregate(frame)
    place = dict(zip(consensus["item"], consensus["rank"], strict=True))
    costs = relation_costs(sorted(place), frame, absent, 0.5)
    assert info["kemeny_score"][0] == score == score_of(place, costs)
