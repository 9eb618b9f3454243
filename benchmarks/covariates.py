"""Boards with and without covariates: time, order and coverage of intervals.

Run it from anywhere as `python benchmarks/covariates.py [--boards 300]`; it takes some minutes. Each part prints a
table:

- CPU time for a million duels of 100 models with two covariates, and for 1,000 draws of 5,000 judges of 100,000 duels;
- Kendall's tau between a board and the truth, if answers of some models are longer, and length wins duels;
- the share of 95 % intervals that contain the truth, if judges have tastes of their own.

In the second part, 12 models have log-worths from 1 to -1, and their mean lengths have the standard deviation 1. The
6,000 duels have a style effect of 0.6. In the third part, the judges of 8 models make 20 duels each. An interval is the
score or coefficient plus and minus the standard error times a quantile of the t distribution with G - 1 degrees of
freedom, for G judges.
"""

import argparse
import time

import numpy as np
import pandas as pd
from _measure import table
from scipy.special import expit
from scipy.stats import kendalltau, t

from skrankagg import PlackettLuce, RankedLists
from skrankagg.inspection import rank_stability

STYLE, FIRST = 0.6, 0.15
NAMES = ["length", "position"]


def draw(rng, worth, verbosity, n_duels, n_judges, taste=0.0):
    """Draw duels whose winner depends on the worths, the lengths, the position and the judge; return a frame."""
    n_models = len(worth)
    first = rng.integers(0, n_models, n_duels)
    second = (first + rng.integers(1, n_models, n_duels)) % n_models
    judge = rng.integers(0, n_judges, n_duels)
    own = (
        worth + taste * rng.standard_normal((n_judges, n_models))
        if taste
        else np.broadcast_to(worth, (n_judges, n_models))
    )
    length = verbosity[[first, second]] + rng.standard_normal((2, n_duels))
    odds = own[judge, first] - own[judge, second] + STYLE * (length[0] - length[1]) + FIRST
    names = np.array([f"m{k:02d}" for k in range(n_models)])
    return pd.DataFrame({
        "model_a": names[first], "model_b": names[second], "judge": judge, "length_a": length[0], "length_b": length[1],
        "winner": np.where(rng.random(n_duels) < expit(odds), "model_a", "model_b"),
    })  # fmt: skip


def encode(battles, **options):
    """Read duels with the covariates length and position."""
    return RankedLists.from_comparisons(
        battles, covariates={"length": ("length_a", "length_b")}, position=True, **options
    )


def cpu_time(function):
    """Return the result of a function, and its CPU time."""
    start = time.process_time()
    result = function()
    return result, time.process_time() - start


def measure_time():
    """Print the CPU times of reading, fitting and draws."""
    rng = np.random.default_rng(0)
    rows = []
    million = draw(rng, rng.normal(0, 0.8, 100), rng.standard_normal(100), 1_000_000, 5_000)
    lists, seconds = cpu_time(lambda: encode(million))
    rows.append(["read 1,000,000 duels, 2 covariates", f"{seconds:.2f}"])
    method = PlackettLuce(covariates=NAMES)
    rows.append(["fit them", f"{cpu_time(lambda: method.fit_transform(lists))[1]:.2f}"])
    some = encode(draw(rng, rng.normal(0, 0.8, 40), rng.standard_normal(40), 100_000, 5_000), voter="judge")
    seconds = cpu_time(lambda: rank_stability(method, some, unit="judge", n_resamples=1000))[1]
    rows.append(["1,000 draws of 5,000 judges, 100,000 duels", f"{seconds:.2f}"])
    table(rows, ["", "CPU seconds"])


def measure_order(n_boards):
    """Print how well boards with and without the covariate agree with the truth."""
    taus = {"without": [], "with": []}
    for seed in range(n_boards):
        rng = np.random.default_rng(seed)
        worth, verbosity = np.linspace(1, -1, 12), rng.standard_normal(12)
        lists = encode(draw(rng, worth, verbosity, 6_000, 300))
        for name, method in (("without", PlackettLuce()), ("with", PlackettLuce(covariates=["length"]))):
            score = method.fit_transform(lists).set_index("item")["score"].sort_index()
            taus[name].append(kendalltau(score, worth).statistic)
    rows = [[name, f"{np.mean(found):.3f}", f"{np.min(found):.3f}"] for name, found in taus.items()]
    table(rows, ["covariate length", "mean tau", "least tau"])


def measure_coverage(n_boards):
    """Print the coverage of intervals for scores and coefficients."""
    rows = []
    for n_judges, taste in ((50, 0.7), (20, 0.7), (50, 0.0)):
        rng = np.random.default_rng(n_judges)
        worth, verbosity = np.linspace(1, -1, 8), np.linspace(-1, 1, 8)[[3, 0, 6, 1, 7, 2, 5, 4]]
        large = encode(draw(rng, worth, verbosity, 1_000_000, 50_000, taste))
        truth = PlackettLuce(covariates=NAMES)
        true_score = centred(truth.fit_transform(large))
        true_coefficient = truth.coefficients_.set_index("covariate")["coefficient"]
        quantile, hits = t.ppf(0.975, n_judges - 1), np.zeros(3)
        for _ in range(n_boards):
            lists = encode(draw(rng, worth, verbosity, 20 * n_judges, n_judges, taste), voter="judge")
            method = PlackettLuce(covariates=NAMES, std_errors="judge")
            board = method.fit_transform(lists)
            error = board.set_index("item")["std_error"].sort_index()
            hits[0] += (abs(centred(board) - true_score) <= quantile * error).mean()
            found = method.coefficients_.set_index("covariate")
            hits[1:] += abs(found["coefficient"] - true_coefficient) <= quantile * found["std_error"]
        rows.append([f"{n_judges} judges, taste {taste}", *(f"{hit / n_boards:.3f}" for hit in hits)])
    table(rows, ["coverage of 95 % intervals", "scores", *NAMES])


def centred(board):
    """Return the scores minus their mean, by item."""
    score = board.set_index("item")["score"].sort_index()
    return score - score.mean()


def main():
    """Read the arguments and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--boards", type=int, default=300)
    n_boards = parser.parse_args().boards
    measure_time()
    measure_order(min(n_boards, 100))
    measure_coverage(n_boards)


if __name__ == "__main__":
    main()
