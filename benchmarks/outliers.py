"""Count the good lists and the reversed lists that voter_influence marks as outliers.

python benchmarks/outliers.py [--draws 200] uses three kinds of data. Boards have 12 models and 30 tasks, and one cell
in five is missing. Lists of 50 items follow Mallows' model. Short lists of some of 40 items follow the model of
Plackett and Luce. The lists of the last voters are reversed.
"""

import argparse

import numpy as np
import pandas as pd

from skrankagg import BordaCount
from skrankagg.datasets import make_mallows
from skrankagg.inspection import voter_influence

ABILITY = np.array([2.0, 1.2, 1.2, 1.2, 0.6, 0.5, 0.0, 0.0, 0.0, -0.6, -1.2, -1.3])


def frame_of(score, item, n_reversed):
    """Build lists from arrays of shape (n_queries, n_voters, length); reverse the lists of the last voters.

    Items with a score of NaN are left out.
    """
    score[:, score.shape[1] - n_reversed :] *= -1
    query, voter, _ = np.indices(score.shape)
    columns = {"query": query, "voter": voter, "item": item, "score": score}
    return pd.DataFrame({name: one.ravel() for name, one in columns.items()}).dropna()


def leaderboards(rng, n_draws, noise, n_reversed):
    """Draw boards of 12 models and 30 tasks."""
    score = ABILITY + noise * rng.normal(size=(n_draws, 30, 12))
    score[rng.random(score.shape) < 0.2] = np.nan
    return frame_of(score, np.broadcast_to(np.arange(12), score.shape), n_reversed)


def mallows(rng, n_draws, phi, n_reversed):
    """Draw 10 lists of 50 items."""
    lists = make_mallows(n_queries=n_draws, n_voters=10, n_items=50, phi=phi, random_state=int(rng.integers(2**31)))
    lists = lists.sort_values(["query", "voter", "item"], kind="stable")
    shape = (n_draws, 10, 50)
    item = pd.factorize(lists["item"], sort=True)[0]
    return frame_of(-lists["rank"].to_numpy(float).reshape(shape), item.reshape(shape), n_reversed)


def short_lists(rng, n_draws, spread, n_reversed, length):
    """Draw 25 lists that contain some of 40 items."""
    worth = spread * np.linspace(3**0.5, -(3**0.5), 40)
    item = rng.permuted(np.tile(np.arange(40), (n_draws, 25, 1)), axis=2)[:, :, :length]
    return frame_of(worth[item] + rng.gumbel(size=item.shape), item, n_reversed)


def main():
    """Print the share of good and of reversed lists that are marked."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--draws", type=int, default=200)
    n_draws = parser.parse_args().draws
    designs = [(f"12 models x 30 tasks, noise {a:g}", leaderboards, (a, b)) for a in (0.3, 1, 3) for b in (1, 6)]
    designs += [(f"10 voters x 50 items, phi {a}", mallows, (a, b)) for a in (0.5, 0.9, 0.99) for b in (0, 1, 2)]
    designs += [
        (f"25 lists of {c} of 40 items, spread {a:g}", short_lists, (a, b, c))
        for c in (5, 10)
        for a in (0.3, 1, 3)
        for b in (0, 1, 3)
    ]
    rows = []
    for name, make, arguments in designs:
        lists = make(np.random.default_rng(0), n_draws, *arguments)
        found = voter_influence(BordaCount(absent="ignore"), lists)
        n_reversed = arguments[1]
        reverse = found["voter"] >= found["voter"].nunique() - n_reversed
        marked = found["outlier"].fillna(False)
        long = reverse & (lists.groupby(["query", "voter"]).size().to_numpy() >= 10)
        rows.append((name, n_reversed, marked[~reverse].mean(), marked[reverse].mean(), marked[long].mean()))
    names = ["design", "reversed", "good lists marked", "reversed found", "reversed of 10 and more found"]
    print(pd.DataFrame(rows, columns=names).round(3).to_string(index=False))


if __name__ == "__main__":
    main()
