"""Boards of arenas by skrankagg, arena-rank and evalica: differences in Elo points, and CPU time.

Run it from anywhere as `python benchmarks/arena_peers.py [--repeat 3]`, where arena-rank and evalica are installed.

The generated files differ in the number of comparisons and in the probability of ties. A tie counts as half a win for
each item, and there is no prior (``prior=0``). arena-rank runs with ``ftol=0, gtol=1e-12``, because its default
tolerances stop the fit earlier. The first table contains the largest difference of a rating, in Elo points after
centring, and whether the orders are equal. The second table contains the CPU seconds of the cheapest of several runs:
reading the frame and fitting, and 1000 draws of the comparisons.
"""

import argparse
import warnings

import numpy as np
import pandas as pd
from _measure import cpu_time, table

from skrankagg import PlackettLuce, RankedLists
from skrankagg.datasets import make_comparisons
from skrankagg.inspection import rank_stability

ELO = 400 / np.log(10)


def battles(n_comparisons, tie_probability):
    """Generate comparisons with the columns of an arena."""
    n_items = 40 if n_comparisons >= 20_000 else 12
    games = make_comparisons(n_items, n_comparisons, tie_probability=tie_probability, random_state=n_items).comparisons
    swapped = np.random.default_rng(0).random(len(games)) < 0.5
    first, second = games["winner"].to_numpy(dtype=object), games["loser"].to_numpy(dtype=object)
    return pd.DataFrame(
        {
            "model_a": np.where(swapped, second, first),
            "model_b": np.where(swapped, first, second),
            "winner": np.where(games["tie"], "tie", np.where(swapped, "model_b", "model_a")),
        }
    )


def of_skrankagg(frame):
    """Read and fit; return the scores in Elo points, as a Series indexed by item."""
    board = PlackettLuce(prior=0).fit_transform(RankedLists.from_comparisons(frame))
    return board.set_index("item")["score"] * ELO


def of_arena_rank(frame):
    """Read and fit; return the ratings, as a Series indexed by item."""
    from arena_rank.models.bradley_terry import BradleyTerry
    from arena_rank.utils.data_utils import PairDataset

    data = PairDataset.from_pandas(frame)
    model = BradleyTerry(len(data.competitors), ftol=0.0, gtol=1e-12)
    model.fit(data)
    return pd.Series(np.asarray(model.params["ratings"]), index=list(data.competitors)) * ELO


def of_evalica(frame, **options):
    """Read and fit; return the ratings in Elo points, as a Series indexed by item."""
    import evalica

    meaning = {"model_a": evalica.Winner.X, "model_b": evalica.Winner.Y, "tie": evalica.Winner.Draw}
    winners = [meaning[one] for one in frame["winner"]]
    found = evalica.bradley_terry(frame["model_a"], frame["model_b"], winners, **options)
    return np.log(found.scores) * ELO


def draws_of_skrankagg(frame):
    """Rank the items in many random draws of the comparisons."""
    return rank_stability(PlackettLuce(), RankedLists.from_comparisons(frame), n_resamples=1000)


def draws_of_evalica(frame, n_resamples=1000):
    """Rank the items in many random draws of the comparisons."""
    import evalica

    meaning = {"model_a": evalica.Winner.X, "model_b": evalica.Winner.Y, "tie": evalica.Winner.Draw}
    winners = [meaning[one] for one in frame["winner"]]
    return evalica.bootstrap(
        evalica.bradley_terry,
        frame["model_a"],
        frame["model_b"],
        winners,
        n_resamples=n_resamples,
        bootstrap_method="percentile",
        random_state=0,
    )


def main():
    """Read the arguments and print both tables."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--repeat", type=int, default=3)
    repeat = parser.parse_args().repeat
    warnings.simplefilter("ignore")
    differences, times = [], []
    for n_comparisons in (1_000, 20_000, 100_000):
        for tie_probability in (0.0, 0.2, 0.5):
            frame = battles(n_comparisons, tie_probability)
            name = f"{n_comparisons:,} comparisons, {(frame['winner'] == 'tie').mean():.0%} ties"
            ours = of_skrankagg(frame)
            row = [name]
            for theirs in (of_arena_rank(frame), of_evalica(frame, tolerance=1e-12, limit=100_000)):
                theirs = theirs - theirs.mean()
                same = theirs.sort_values(ascending=False).index.tolist() == ours.index.tolist()
                row += [f"{abs(theirs[ours.index] - ours).max():.4f}", "yes" if same else "no"]
            differences.append(row)
            times.append(
                [
                    name,
                    *(
                        f"{cpu_time(lambda f=f, x=frame: f(x), repeat):.3f}"
                        for f in (of_skrankagg, of_evalica, of_arena_rank)
                    ),
                ]
            )
    table(differences, ["Elo points apart", "arena-rank", "same order", "evalica", "same order"])
    print()
    table(times, ["read and fit, CPU s", "skrankagg", "evalica", "arena-rank"])
    frame = battles(100_000, 0.2)
    drawn = [f"{cpu_time(lambda: draws_of_skrankagg(frame), repeat):.2f}"]
    drawn.append(f"{cpu_time(lambda: draws_of_evalica(frame, 20), 1) * 50:.1f} (50 times 20 draws)")
    print()
    table([["100,000 comparisons, 1000 draws", *drawn]], ["CPU s", "skrankagg", "evalica"])


if __name__ == "__main__":
    main()
