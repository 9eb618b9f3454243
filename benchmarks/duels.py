"""Test whether methods for paired comparisons find the better items, or the items that were compared most often.

Run it from anywhere as `python benchmarks/duels.py [--all] [--repeat 10]`; it takes about a minute.

The quality of 30 items and the logarithm of their exposure are independent and standard normal. A list contains some of
the items, drawn in proportion to their exposure, in an order drawn from the Plackett-Luce model with the qualities.
For two items, this is the Bradley-Terry model. The table contains two values of Kendall's tau for each method's order,
as means of ten draws. The first value compares the order with the quality of the items, which is the truth. The second
value compares the order with the number of lists that contain each item. The data are:

- random: 20,000 comparisons of two items
- even: 20,000 comparisons, but all items have the same exposure
- few: 2,000 comparisons
- matched: 20,000 comparisons of items with similar quality, as in a league
- ten: 100 lists of ten items

PlackettLuce(absent="ignore") is the model from which the lists are drawn, so no method can have a much higher tau. Some
methods are left out because their cost grows with the square or the cube of the number of lists: Agglomerative,
RankStatistic(statistic="stuart"), and exact p-values of RobustRankAggregation.
"""

import argparse
import warnings

import numpy as np
import pandas as pd
from _measure import table
from scipy.stats import kendalltau

from skrankagg import (
    DIBRA,
    BordaCount,
    CombMNZ,
    CombSUM,
    Condorcet,
    Copeland,
    FootruleOptimal,
    Kemeny,
    KwikSort,
    LocalKemenization,
    MarkovChain,
    Minimax,
    Outranking,
    PickAPerm,
    PlackettLuce,
    PreferenceRelations,
    RankedLists,
    RankedPairs,
    RankStatistic,
    ReciprocalRankFusion,
    RobustRankAggregation,
    Schulze,
    SimpleBorda,
)
from skrankagg.exceptions import ExposureWarning

SETTINGS = {
    "random": {"n_lists": 20_000, "length": 2},
    "even": {"n_lists": 20_000, "length": 2, "spread": 0.0},
    "few": {"n_lists": 2_000, "length": 2},
    "matched": {"n_lists": 20_000, "length": 2, "matched": 0.5},
    "ten": {"n_lists": 100, "length": 10},
}
# Methods that rank the items of a list above all others, and methods that do not.
METHODS = [
    BordaCount(),
    ReciprocalRankFusion(),
    CombSUM(norm="rank"),
    DIBRA(),
    Copeland(),
    Kemeny(),
    Schulze(),
    RankStatistic(),
    RobustRankAggregation(),
    MarkovChain(absent="last"),
    CombSUM(norm="z-score"),
    BordaCount(absent="ignore"),
    RankStatistic(absent="ignore"),
    RankStatistic(absent="ignore", statistic="geometric-mean"),
    RobustRankAggregation(absent="ignore"),
    MarkovChain(chain="mc1"),
    MarkovChain(chain="mc3"),
    MarkovChain(chain="mc4"),
    MarkovChain(chain="mct"),
    Copeland(absent="ignore"),
    Kemeny(absent="ignore"),
    RankedPairs(absent="ignore"),
    Schulze(absent="ignore"),
    KwikSort(absent="ignore"),
    LocalKemenization(absent="ignore"),
    Minimax(absent="ignore"),
    PlackettLuce(absent="ignore"),
]
OTHERS = [
    SimpleBorda(),
    CombSUM(norm="borda"),
    CombSUM(norm="min-max"),
    CombSUM(norm=None),
    CombMNZ(norm="borda"),
    CombMNZ(norm="rank"),
    CombMNZ(norm="min-max"),
    CombMNZ(norm="z-score"),
    Condorcet(),
    Condorcet(absent="ignore"),
    Outranking(),
    PreferenceRelations(),
    RankedPairs(),
    Minimax(),
    KwikSort(),
    LocalKemenization(),
    PickAPerm(),
    FootruleOptimal(),
    RankStatistic(statistic="geometric-mean"),
    RankStatistic(statistic="median"),
    RankStatistic(statistic="min"),
    RankStatistic(absent="ignore", statistic="median"),
    RankStatistic(absent="ignore", statistic="min"),
    MarkovChain(chain="mc2"),
    *(MarkovChain(chain=chain, absent="last") for chain in ("mc1", "mc2", "mc3", "mct")),
    MarkovChain(chain="mct", ergodic_number=0),
    RankedPairs(absent="ignore", strength="votes"),
    Schulze(absent="ignore", strength="votes"),
    Minimax(absent="ignore", strength="votes"),
    LocalKemenization(MarkovChain(chain="mct"), absent="ignore"),
    PickAPerm(absent="ignore"),
    DIBRA(MarkovChain(chain="mct")),
]


def seen_lists(random_state, *, n_lists, length, matched=None, spread=1.0, n_items=30):
    """Generate lists of items that have unequal exposure; return the lists and the quality of each item.

    Scores are negative ranks. With `matched`, the other items of a list have qualities similar to the first item. They
    are drawn by a bell curve around the first item's quality, and `matched` is the width of this curve. `spread` is the
    standard deviation of the logarithm of the exposure.
    """
    rng = np.random.default_rng(random_state)
    quality, exposure = rng.normal(size=n_items), spread * rng.normal(size=n_items)
    # The items with the largest keys are a draw without replacement, in proportion to the exponentials.
    key = exposure + rng.gumbel(size=(n_lists, n_items))
    if matched is not None:
        first = key.argmax(axis=1)
        distance = (quality[first, None] - quality) / matched
        key = exposure - distance**2 / 2 + rng.gumbel(size=(n_lists, n_items))
        key[np.arange(n_lists), first] = np.inf
    seen = np.argpartition(-key, length - 1, axis=1)[:, :length]
    order = np.argsort(-(quality[seen] + rng.gumbel(size=seen.shape)), axis=1)
    rank = np.tile(np.arange(1, length + 1), n_lists)
    frame = pd.DataFrame(
        {
            "query": "q",
            "voter": np.repeat(np.arange(n_lists), length),
            "item": np.take_along_axis(seen, order, axis=1).ravel(),
            "rank": rank,
            "score": -rank.astype(np.float64),
        }
    )
    return RankedLists.from_frame(frame), quality


def taus(order, lists, quality):
    """Compute Kendall's tau of an order with the quality of the items, and with the number of lists of each item."""
    place = -np.arange(len(order))
    quality = quality[lists.items[lists.candidate_item].to_numpy()]
    return kendalltau(place, quality[order])[0], kendalltau(place, lists.candidate_weight[order])[0]


def order_of(method, lists):
    """Return the items in the order of a method's consensus."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ExposureWarning)
        item = method.fit_transform(lists)["item"]
    return lists.items[lists.candidate_item].get_indexer(item)


def main():
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--all", action="store_true", help="more methods and parameters")
    parser.add_argument("--repeat", type=int, default=10)
    arguments = parser.parse_args()
    methods = METHODS + OTHERS if arguments.all else METHODS
    found = {}
    for name, setting in SETTINGS.items():
        for seed in range(arguments.repeat):
            lists, quality = seen_lists(seed, **setting)
            orders = {repr(method): order_of(method, lists) for method in methods}
            for title, order in orders.items():
                found.setdefault(title, {}).setdefault(name, []).append(taus(order, lists, quality))
    rows = [
        [title, *(f"{one:.2f}" for name in SETTINGS for one in np.mean(by[name], axis=0))]
        for title, by in found.items()
    ]
    table(rows, ["tau with quality, exposure", *(cell for name in SETTINGS for cell in (name, ""))])


if __name__ == "__main__":
    main()
