"""Coverage of 95 % intervals of a board whose judges have tastes of their own.

Run it from anywhere as `python benchmarks/judge_coverage.py [--boards 300]`; it takes about two minutes.

Each judge makes 20 comparisons of 8 models by log-worths of its own: the log-worths of the board plus normal tastes.
The truth is the board of a million comparisons by new judges. The table contains the share of the intervals that
contain the truth. An interval is the score plus and minus the standard error times a quantile of the normal
distribution. For errors by judge, quantiles of the t distribution with G - 1 degrees of freedom are also used, where G
is the number of judges.
"""

import argparse

import numpy as np
import pandas as pd
from _measure import table
from scipy.special import expit
from scipy.stats import norm, t

from skrankagg import PlackettLuce, RankedLists

N_MODELS, N_DUELS = 8, 20
LOG_WORTH = np.linspace(1, -1, N_MODELS)


def duels(n_judges, taste, rng, n_duels=N_DUELS):
    """Generate comparisons by several judges, and encode the comparisons with the judges as a grouping."""
    own = LOG_WORTH + taste * rng.standard_normal((n_judges, N_MODELS))
    judge = np.repeat(np.arange(n_judges), n_duels)
    first = rng.integers(0, N_MODELS, len(judge))
    second = (first + rng.integers(1, N_MODELS, len(judge))) % N_MODELS
    won = rng.random(len(judge)) < expit(own[judge, first] - own[judge, second])
    names = np.array([f"m{k}" for k in range(N_MODELS)])
    frame = pd.DataFrame({"model_a": names[first], "model_b": names[second], "winner": won, "judge": judge})
    return RankedLists.from_comparisons(frame, voter="judge")


def centred(board):
    """Return the scores minus their mean, by item."""
    score = board.set_index("item")["score"].sort_index()
    return score - score.mean()


def main():
    """Read the arguments and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--boards", type=int, default=300)
    n_boards = parser.parse_args().boards
    rows = []
    for n_judges, taste in ((50, 0.0), (200, 0.7), (50, 0.7), (20, 0.7), (10, 0.7)):
        rng = np.random.default_rng(n_judges)
        truth = centred(PlackettLuce().fit_transform(duels(50_000, taste, rng)))
        kinds = {
            "model": ("model", norm.ppf(0.975)),
            "voters": ("voters", norm.ppf(0.975)),
            "judge, normal": ("judge", norm.ppf(0.975)),
            "judge, t": ("judge", t.ppf(0.975, n_judges - 1)),
        }
        hits = dict.fromkeys(kinds, 0.0)
        for _ in range(n_boards):
            lists = duels(n_judges, taste, rng)
            boards = {kind: PlackettLuce(std_errors=kind).fit_transform(lists) for kind in ("model", "voters", "judge")}
            for name, (kind, quantile) in kinds.items():
                error = boards[kind].set_index("item")["std_error"].sort_index()
                hits[name] += float((abs(centred(boards[kind]) - truth) <= quantile * error).mean())
        rows.append([f"{n_judges} judges, taste {taste}", *(f"{hit / n_boards:.3f}" for hit in hits.values())])
    table(rows, ["coverage of 95 % intervals", *kinds])


if __name__ == "__main__":
    main()
