"""Boards of arenas by skrankagg, arena-rank, evalica and arenakit: differences in Elo points, and CPU time.

Run it from anywhere as `python benchmarks/arena_peers.py [--repeat 3]`. Cells of a library that is not installed state
this. arena-rank needs an older NumPy, so it has an environment of its own.

The generated files differ in the number of comparisons and in the probability of ties. A tie counts as half a win for
each item, and there is no prior (``prior=0``). arena-rank runs with ``ftol=0, gtol=1e-12``, because its default
tolerances stop the fit earlier. The first table contains the largest difference of a rating, in Elo points after
centring, and whether the orders are equal. The second table contains the CPU seconds for reading the frame and fitting.
skrankagg and evalica take turns, and each cell is the cheapest run.

The third table contains the CPU seconds of 1000 draws of the comparisons, and of the judges with all of their
comparisons, without reading the frame. The other programs make fewer draws, and their time is multiplied. arena-rank
fits its draws in this process instead of a pool of processes, after a first draw that compiles its functions. The last
line is the largest memory that skrankagg's draws of judges add.
"""

import argparse
import importlib.util
import warnings

import numpy as np
import pandas as pd
from _measure import cpu_time, extra_memory, table

from skrankagg import PlackettLuce, RankedLists
from skrankagg.datasets import make_comparisons
from skrankagg.inspection import rank_stability

ELO, MISSING = 400 / np.log(10), "not installed"


def installed(library):
    """Return whether a library is installed."""
    return importlib.util.find_spec(library) is not None


def called(library, function, *given, **options):
    """Call a function that uses a library, or return None if the library is not installed."""
    return function(*given, **options) if installed(library) else None


def cell(library, function):
    """Return the cell that a function computes with a library, or a cell that states that the library is missing."""
    return function() if installed(library) else MISSING


def battles(n_comparisons, tie_probability):
    """Generate comparisons by 5,000 judges with the columns of an arena."""
    n_items = 40 if n_comparisons >= 20_000 else 12
    games = make_comparisons(n_items, n_comparisons, tie_probability=tie_probability, random_state=n_items).comparisons
    swapped = np.random.default_rng(0).random(len(games)) < 0.5
    first, second = games["winner"].to_numpy(dtype=object), games["loser"].to_numpy(dtype=object)
    return pd.DataFrame(
        {
            "model_a": np.where(swapped, second, first),
            "model_b": np.where(swapped, first, second),
            "winner": np.where(games["tie"], "tie", np.where(swapped, "model_b", "model_a")),
            "judge": np.random.default_rng(1).integers(0, 5_000, len(games)),
        }
    )


def of_skrankagg(frame):
    """Read and fit; return the board, a frame with the columns item and score."""
    return PlackettLuce(prior=0).fit_transform(RankedLists.from_comparisons(frame))


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


def draws_of_skrankagg(frame, unit="list"):
    """Return a function that draws the comparisons or the judges again 1000 times."""
    lists = RankedLists.from_comparisons(frame, voter=None if unit == "list" else unit)
    return lambda: rank_stability(PlackettLuce(), lists, n_resamples=1000, unit=unit)


def draws_of_arena_rank(frame, n_resamples):
    """Return a function that draws the comparisons again, as arena-rank does in one worker."""
    import jax
    from arena_rank.models.bradley_terry import BradleyTerry, fit_single_bootstrap_sample
    from arena_rank.utils.data_utils import PairDataset

    data = PairDataset.from_pandas(frame)
    model = BradleyTerry(len(data.competitors))
    model.fit(data)
    total = data.counts.sum()

    def draw(n=n_resamples):
        counts = jax.random.multinomial(
            jax.random.PRNGKey(0), int(total), data.counts / total, shape=(n, len(data.counts)), dtype=model.dtype
        )
        return [fit_single_bootstrap_sample(one, model, data)["ratings"].block_until_ready() for one in counts]

    draw(1)
    return draw


def draws_of_arenakit(frame, n_resamples, cluster):
    """Return a function that draws the comparisons or the judges again with arenakit."""
    import arenakit

    rows = frame[["model_a", "model_b", "winner", "judge"]].itertuples(index=False)
    arena = arenakit.Arena(
        [arenakit.Battle(model_a=a, model_b=b, winner=winner, voter_id=str(judge)) for a, b, winner, judge in rows]
    )
    return lambda: arenakit.bootstrap(arena, n_resamples=n_resamples, cluster=cluster)


def draws_of_evalica(frame, n_resamples):
    """Draw the comparisons again."""
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


def cheapest(functions, repeat):
    """Let functions take turns, and return the CPU seconds of the cheapest run of each function."""
    return np.min([[cpu_time(function, 1) for function in functions] for _ in range(repeat)], axis=0)


def scaled(function, n, repeat):
    """Return the CPU seconds of `n` draws as a text for 1000 draws."""
    return f"{cpu_time(function, repeat) * 1000 / n:.1f} ({1000 // n} times {n} draws)"


def main():
    """Read the arguments and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--ties", type=float, nargs="+", default=[0.0, 0.2, 0.5], help="probabilities of ties")
    parser.add_argument("--scale", type=int, default=1, help="divide the numbers of comparisons")
    arguments = parser.parse_args()
    repeat, scale = arguments.repeat, arguments.scale
    warnings.simplefilter("ignore")
    differences, times = [], []
    for n_comparisons in (1_000, 20_000, 100_000):
        for tie_probability in arguments.ties:
            frame = battles(n_comparisons // scale, tie_probability)
            name = f"{n_comparisons:,} comparisons, tie probability {tie_probability}"
            ours = of_skrankagg(frame).set_index("item")["score"] * ELO
            row = [name]
            for theirs in (
                called("arena_rank", of_arena_rank, frame),
                called("evalica", of_evalica, frame, tolerance=1e-12, limit=100_000),
            ):
                if theirs is None:
                    row += [MISSING, "-"]
                    continue
                theirs = theirs - theirs.mean()
                same = theirs.sort_values(ascending=False).index.tolist() == ours.index.tolist()
                row += [f"{abs(theirs[ours.index] - ours).max():.4f}", "yes" if same else "no"]
            differences.append(row)
            calls = [lambda x=frame: of_skrankagg(x)]
            if installed("evalica"):
                calls.append(lambda x=frame: of_evalica(x))
            found = [f"{one:.4f}" for one in cheapest(calls, 10 * repeat)]
            found += [MISSING] * (2 - len(found))
            found.append(cell("arena_rank", lambda x=frame: f"{cheapest([lambda: of_arena_rank(x)], repeat)[0]:.4f}"))
            times.append([name, *found])
    table(differences, ["Elo points apart", "arena-rank", "same order", "evalica", "same order"])
    print()
    table(times, ["read and fit", "skrankagg CPU s", "evalica CPU s", "arena-rank CPU s"])
    frame = battles(100_000 // scale, 0.2)
    comparisons = [
        f"{cpu_time(draws_of_skrankagg(frame), repeat):.2f}",
        cell("evalica", lambda: scaled(lambda: draws_of_evalica(frame, 20), 20, 1)),
        cell("arena_rank", lambda: scaled(draws_of_arena_rank(frame, 4), 4, 1)),
        cell("arenakit", lambda: scaled(draws_of_arenakit(frame, 50, "battle"), 50, repeat)),
    ]
    judges = [
        f"{cpu_time(draws_of_skrankagg(frame, 'judge'), repeat):.2f}",
        "-",
        "-",
        cell("arenakit", lambda: scaled(draws_of_arenakit(frame, 50, "voter"), 50, repeat)),
    ]
    print()
    table(
        [["1000 draws of 100,000 comparisons", *comparisons], ["1000 draws of 5,000 judges", *judges]],
        ["CPU s", "skrankagg", "evalica", "arena-rank", "arenakit"],
    )
    memory, _ = extra_memory(draws_of_skrankagg(frame, "judge"))
    print(f"\nextra memory of skrankagg's draws of judges: {memory / 2**20:.0f} MB")


if __name__ == "__main__":
    main()
