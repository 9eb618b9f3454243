"""Level and power of the tests of `rank_stability(adjust="max-t")` on generated boards.

Run it from anywhere as `python benchmarks/max_t_level.py [--boards 100]`; it takes about a quarter of an hour.

The least favourable boards have pairs of equal items, and the pairs are far apart. Here, twelve items make six pairs,
whose log-worths are 0.8 apart. 15 % of the comparisons are draws. The confidence is 0.95. A claim is wrong if one item
is separated from another item of the same worth, or from a better one. The first columns contain the share of boards
with a wrong claim: tests of neighbours, tests of all pairs, and the rule of `tied_group` (`above_next` is at least
0.95). The last two columns contain the share of the gaps between neighbours of different worth that the first two
tests find.
"""

import argparse
import warnings

import numpy as np
import pandas as pd
from _measure import table
from scipy.special import expit

from skrankagg import BordaCount, CombSUM, PlackettLuce, RankedLists
from skrankagg.datasets import make_comparisons
from skrankagg.inspection import rank_stability

PAIRS = np.repeat(np.arange(6) * 0.8, 2)


def duels(n_duels, log_worth):
    """Return a function that generates comparisons with 15 % draws."""

    def draw(rng):
        made = make_comparisons(
            worth=np.exp(log_worth), n_comparisons=n_duels, tie_probability=0.15, random_state=int(rng.integers(2**31))
        )
        return RankedLists.from_comparisons(made.comparisons, tie="tie")

    return draw


def judged(n_judges, n_duels, taste=0.7):
    """Return a function that draws comparisons by judges, whose log-worths have normal deviations from the board."""

    def draw(rng):
        own = PAIRS + taste * rng.standard_normal((n_judges, len(PAIRS)))
        judge = np.repeat(np.arange(n_judges), n_duels)
        first = rng.integers(0, len(PAIRS), len(judge))
        second = (first + rng.integers(1, len(PAIRS), len(judge))) % len(PAIRS)
        share = np.where(
            rng.random(len(judge)) < 0.15,
            0.5,
            rng.random(len(judge)) < expit(own[judge, first] - own[judge, second]),
        )
        names = np.array(names_of(len(PAIRS)))
        frame = pd.DataFrame({"model_a": names[first], "model_b": names[second], "winner": share, "judge": judge})
        return RankedLists.from_comparisons(frame, voter="judge")

    return draw


def matrix(n_instances):
    """Return a function that draws scores of systems on instances, all with the same noise."""

    def draw(rng):
        scores = PAIRS[:, None] / 4 + rng.standard_normal((len(PAIRS), n_instances))
        return RankedLists.from_matrix(scores, kind="score", items=names_of(len(PAIRS)))

    return draw


def orders(n_lists):
    """Return a function that draws full lists from the model of Plackett and Luce."""

    def draw(rng):
        order = np.argsort(-(PAIRS + rng.gumbel(size=(n_lists, len(PAIRS)))), axis=1)
        names = np.array(names_of(len(PAIRS)))
        return RankedLists.from_lists(names[order].tolist())

    return draw


def names_of(n):
    """Return names of items whose alphabetical order is the order of their numbers."""
    return [f"i{k:02d}" for k in range(1, n + 1)]


#: Method, function that generates lists, true worths, unit, and number of boards.
SETTINGS = {
    "six pairs, 6,000 comparisons": (PlackettLuce(), duels(6000, PAIRS), PAIRS, "list", 1000),
    "300 judges of 20 comparisons, taste 0.7": (PlackettLuce(), judged(300, 20), PAIRS, "judge", 1000),
    "scores on 1,000 instances": (CombSUM(norm=None), matrix(1000), PAIRS, "list", 1000),
    "200 ranked lists of all items": (BordaCount(), orders(200), PAIRS, "list", 1000),
    "six pairs, 1,000 comparisons": (PlackettLuce(), duels(1000, PAIRS), PAIRS, "list", 1000),
    "20 ranked lists of all items": (BordaCount(), orders(20), PAIRS, "list", 1000),
    "50 judges of 20 comparisons, taste 0.7": (PlackettLuce(), judged(50, 20), PAIRS, "judge", 300),
    "all items equal, 6,000 comparisons": (PlackettLuce(), duels(6000, 0 * PAIRS), 0 * PAIRS, "list", 300),
}


def claims(setting, seed, n_resamples=500, pairs="next"):
    """Return one board with its tests, and the true worths of its items."""
    method, draw, truth, unit, _ = setting
    lists = draw(np.random.default_rng([seed, 4]))
    board = rank_stability(
        method, lists, unit=unit, adjust="max-t", pairs=pairs, n_resamples=n_resamples, random_state=seed, places=[1]
    )
    worth = truth[[int(name[1:]) - 1 for name in board["item"]]]
    return board, worth


def wrong_next(board, worth, column="separated_next"):
    """Return True if a separation of neighbours is wrong."""
    found = board[column].to_numpy()[:-1] == True  # noqa: E712  missing values are no separations
    return bool((found & (worth[:-1] <= worth[1:])).any())


def wrong_all(board, worth):
    """Return True if two items without a common letter have the wrong order or equal worths."""
    letters = [set(text) for text in board["letters"]]
    n = len(letters)
    return any(not letters[i] & letters[j] and worth[i] <= worth[j] for i in range(n) for j in range(i + 1, n))


def power(board, worth):
    """Return the share of the real gaps that the tests find, between neighbours whose first item is better."""
    gap = worth[:-1] > worth[1:]
    return float((board["separated_next"].to_numpy()[:-1] == True)[gap].mean()) if gap.any() else np.nan  # noqa: E712


def main():
    """Read the arguments and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--boards", type=int, help="number of boards of each setting (default: 300 or 1,000)")
    parser.add_argument("--only", help="a part of the names of the settings to run")
    args = parser.parse_args()
    rows = []
    for name, setting in SETTINGS.items():
        if args.only and args.only not in name:
            continue
        found = []
        n_boards = args.boards or setting[-1]
        for seed in range(n_boards):
            board, worth = claims(setting, seed)
            every, every_worth = claims(setting, seed, pairs="all")
            rule = board.assign(rule=board["above_next"] >= 0.95)
            found.append(
                [
                    wrong_next(board, worth),
                    wrong_all(every, every_worth),
                    wrong_next(rule, worth, "rule"),
                    power(board, worth),
                    power(every, every_worth),
                ]
            )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)  # boards of equal items have no gaps
            shares = np.nanmean(np.array(found, dtype=float), axis=0)
        rows.append([name, f"{n_boards:,}", *("" if np.isnan(share) else f"{share:.3f}" for share in shares)])
    table(rows, ["wrong claims", "boards", "neighbours", "all pairs", "tied_group", "gaps found", "by all pairs"])


if __name__ == "__main__":
    main()
