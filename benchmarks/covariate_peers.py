"""Boards with covariates by skrankagg and arena-rank: differences in Elo points and in coefficients, and CPU time.

Run it from anywhere as `python benchmarks/covariate_peers.py [--repeat 3]`, where arena-rank is installed.

The duels have two covariates, the difference of lengths and the position. There is no prior (``prior=0``). arena-rank
runs with ``reg=0, ftol=0, gtol=1e-12``, and its data with ``reweighted=False, normalize_features=False``. Its defaults
are another model: they centre the covariates, which removes the position, shrink their coefficients, and give pairs
with many duels less weight.
"""

import argparse
import warnings

import numpy as np
import pandas as pd
from _measure import cpu_time, table
from scipy.special import expit

from skrankagg import PlackettLuce, RankedLists

ELO = 400 / np.log(10)
NAMES = ["length", "position"]


def battles(n_duels, n_models):
    """Draw duels whose winner depends on the worths, the lengths and the position; a tenth are ties."""
    rng = np.random.default_rng(n_models)
    worth = np.linspace(1, -1, n_models)
    first = rng.integers(0, n_models, n_duels)
    second = (first + rng.integers(1, n_models, n_duels)) % n_models
    length = rng.standard_normal(n_duels)
    won = rng.random(n_duels) < expit(worth[first] - worth[second] + 0.4 * length + 0.1)
    winner = np.where(rng.random(n_duels) < 0.1, "tie", np.where(won, "model_a", "model_b"))
    names = np.array([f"m{k:02d}" for k in range(n_models)])
    return pd.DataFrame(
        {"model_a": names[first], "model_b": names[second], "winner": winner, "length": length, "position": 1.0}
    )


def of_skrankagg(frame):
    """Read and fit; return the scores in Elo points, and the coefficients."""
    lists = RankedLists.from_comparisons(frame, covariates=["length"], position=True)
    method = PlackettLuce(prior=0, covariates=NAMES)
    score = method.fit_transform(lists).set_index("item")["score"] * ELO
    return score - score.mean(), method.coefficients_["coefficient"].to_numpy()


def of_arena_rank(frame, settings=None, **options):
    """Read and fit; return the ratings in Elo points, and the coefficients."""
    from arena_rank.models.contextual_bradley_terry import ContextualBradleyTerry
    from arena_rank.utils.data_utils import ContextualPairDataset

    data = ContextualPairDataset.from_pandas(frame, NAMES, **options)
    model = ContextualBradleyTerry(len(data.competitors), len(NAMES), **(settings or {}))
    model.fit(data)
    score = pd.Series(np.asarray(model.params["ratings"]), index=list(data.competitors)) * ELO
    return score - score.mean(), np.asarray(model.params["coeffs"])


def main():
    """Read the arguments and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--repeat", type=int, default=3)
    repeat = parser.parse_args().repeat
    warnings.simplefilter("ignore")
    exact = {"settings": {"reg": 0.0, "ftol": 0.0, "gtol": 1e-12}, "reweighted": False, "normalize_features": False}
    rows = []
    for n_duels, n_models in ((6_000, 12), (100_000, 40)):
        frame = battles(n_duels, n_models)
        score, coefficients = of_skrankagg(frame)
        for name, options in (("same model", exact), ("its defaults", {})):
            theirs, effects = of_arena_rank(frame, **options)
            rows.append(
                [
                    f"{n_duels:,} duels, {n_models} models, {name}",
                    f"{abs(theirs[score.index] - score).max():.1e}",
                    f"{abs(effects - coefficients).max():.1e}",
                    f"{cpu_time(lambda f=frame: of_skrankagg(f), repeat):.3f}",
                    f"{cpu_time(lambda f=frame, o=options: of_arena_rank(f, **o), repeat):.3f}",
                ]
            )
    table(rows, ["", "Elo points apart", "coefficients apart", "CPU s", "arena-rank"])


if __name__ == "__main__":
    main()
