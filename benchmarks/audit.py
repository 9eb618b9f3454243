"""Share of generated boards on which each check of the audit warns.

Run it from anywhere as `python benchmarks/audit.py [--boards 400] [--save shares.json]`. With 400 boards it takes about
13 minutes of one core. With --save, a later run skips the rows that the file has.

A board has 12 models, whose log-worths have a standard deviation of 0.8. There are 6,000 duels by 300 judges, who have
20 duels each. Ties are 15 % of the duels, and the slots are drawn at random. Each row changes this as its name
describes. The table contains the share of the boards on which each check warns.
"""

import argparse
import json
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
from _measure import table
from scipy.special import expit

from skrankagg import RankedLists
from skrankagg.inspection import audit

N_MODELS, N_RESAMPLES = 12, 300
NAMES = np.array([f"m{k:02}" for k in range(N_MODELS)])

#: Changes of a board for each row, and the check that must find the change; None for sound boards.
ROWS = {
    "sound": ({}, None),
    "sound, 40 % ties": ({"tie": 0.4}, None),
    "sound, 20 judges of 300": ({"n_judges": 20}, None),
    "sound, 50 judges of 120": ({"n_judges": 50}, None),
    "sound, judges not named": ({"named": False}, None),
    "sound, both orders": ({"twice": True}, None),
    "first slot 0.12": ({"first_slot": 0.12}, "position"),
    "first slot 0.155": ({"first_slot": 0.155}, "position"),
    "both orders, first slot 0.2": ({"first_slot": 0.2, "twice": True}, "flips"),
    "tastes 0.4": ({"taste": 0.4}, "clustering"),
    "tastes 0.5": ({"taste": 0.5}, "clustering"),
    "pairs 0.25": ({"pairs": 0.25}, "cycles"),
    "pairs 0.35": ({"pairs": 0.35}, "cycles"),
    "pairs 0.35, judges not named": ({"pairs": 0.35, "named": False}, "cycles"),
    "circle of three models 1.1": ({"circle": 1.1}, "cycles"),
    "one model ties in 85 %": ({"hedger": 0.85}, "ties"),
    "one judge has 35 %": ({"loud": 0.35}, "influence"),
    "one model has 40 duels": ({"scarce": 40}, "coverage"),
    "200 duels": ({"n_duels": 200, "n_judges": 20}, "votes"),
    "200 duels of equal models": ({"n_duels": 200, "n_judges": 20, "spread": 0.0}, "separation"),
    "one model lost its 3 duels": ({"scarce": 3, "lost": True}, "prior"),
    "two pools": ({"pools": True}, "connectivity"),
}


def board(
    rng,
    *,
    n_duels=6000,
    n_judges=300,
    named=True,
    tie=0.15,
    spread=0.8,
    first_slot=0.0,
    twice=False,
    taste=0.0,
    pairs=0.0,
    circle=0.0,
    hedger=0.0,
    loud=0.0,
    scarce=None,
    lost=False,
    pools=False,
):
    """Draw the duels of a board as ranked lists.

    Parameters
    ----------
    rng : Generator
        Source of the draws.
    n_duels, n_judges : int
        Numbers of duels and of judges, who have equally many duels.
    named : bool
        Whether the judges are a grouping.
    tie, spread : float
        Probability of a tie, and standard deviation of the log-worths.
    first_slot : float
        Advantage of the item shown first, in log-odds.
    twice : bool
        Whether the same judge sees each pair in both orders.
    taste, pairs : float
        Standard deviation of each judge's own log-worths, and of an effect of each pair of models.
    circle : float
        Log-odds by which three models beat each other in a circle.
    hedger : float
        Probability that the duels of model 10, the last but one, are tied.
    loud : float
        Share of the duels of one judge, who prefers the second-best model to the best one.
    scarce : int
        Number of duels of model 0.
    lost : bool
        Whether model 0 loses all its duels.
    pools : bool
        Whether the models form two halves that never meet.
    """
    n = n_duels // 2 if twice else n_duels
    worth = spread * rng.standard_normal(N_MODELS)
    judge = np.repeat(np.arange(n_judges), -(-n // n_judges))[:n]
    first = rng.integers(0, N_MODELS, n)
    second = (first + rng.integers(1, N_MODELS, n)) % N_MODELS
    tastes = taste * rng.standard_normal((n_judges, N_MODELS))
    by_pair = np.triu(pairs * rng.standard_normal((N_MODELS, N_MODELS)), 1)
    by_pair -= by_pair.T
    if circle:
        for one, other in ((0, 1), (1, 2), (2, 0)):
            by_pair[one, other], by_pair[other, one] = circle, -circle
    if hedger:
        worth = np.linspace(1.2, -1.2, N_MODELS)
    if loud:
        best = np.argsort(-worth)[:2]
        worth[best] = worth[best].mean() + np.array([-0.2, 0.2])
        judge = np.where(rng.random(n) < loud, 0, rng.integers(1, 41, n))
        tastes[0, best] = 2.0, -2.0
    kept = np.ones(n, dtype=bool)
    if scarce is not None:
        kept[np.flatnonzero((first == 0) | (second == 0))[scarce:]] = False
    if pools:
        kept = (first < N_MODELS // 2) == (second < N_MODELS // 2)
    first, second, judge, prompt = first[kept], second[kept], judge[kept], np.arange(n)[kept]
    if twice:
        first, second = np.concatenate([first, second]), np.concatenate([second, first])
        judge, prompt = np.tile(judge, 2), np.tile(prompt, 2)
    odds = worth[first] - worth[second] + tastes[judge, first] - tastes[judge, second]
    odds += by_pair[first, second] + first_slot
    tied = rng.random(len(first)) < np.where((first == 10) | (second == 10), max(hedger, tie), tie)
    share = np.where(tied, 0.5, rng.random(len(first)) < expit(odds))
    if lost:
        share = np.where(first == 0, 0.0, np.where(second == 0, 1.0, share))
    first, second = NAMES[first], NAMES[second]
    frame = pd.DataFrame({"first": first, "second": second, "outcome": share, "judge": judge, "prompt": prompt})
    groups = ["judge", "prompt"] if twice else ["judge"] if named else None
    return RankedLists.from_comparisons(frame, groups=groups, position=True)


def shares(n_boards, changes):
    """Return the share of boards on which each check warns and is skipped, and the mean value of each check."""
    found = []
    for seed in range(n_boards):
        rng = np.random.default_rng(seed)
        found.append(audit(board(rng, **changes), n_resamples=N_RESAMPLES, random_state=seed).set_index("check"))
    values = pd.DataFrame([one["value"] for one in found]).replace(np.inf, np.nan)
    kinds = pd.DataFrame([one["verdict"] for one in found])
    return {
        "warning": (kinds == "warning").mean().to_dict(),
        "skipped": (kinds == "skipped").mean().to_dict(),
        "value": values.mean().to_dict(),
    }


def main():
    """Read the arguments, compute the rows that are missing, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--boards", type=int, default=400)
    parser.add_argument("--save", type=Path, help="file of results, which a later run continues")
    args = parser.parse_args()
    done = json.loads(args.save.read_text()) if args.save is not None and args.save.exists() else {}
    for name, (changes, _) in ROWS.items():
        key = f"{name} / {args.boards}"
        if key not in done:
            done[key] = shares(args.boards, changes)
            if args.save is not None:
                args.save.write_text(json.dumps(done))
    rows, checks = [], list(done[f"sound / {args.boards}"]["warning"])
    for name, (_, planted) in ROWS.items():
        one = done[f"{name} / {args.boards}"]
        cells = [
            "-" if one["skipped"][check] == 1 else f"{one['warning'][check]:.3f}{'*' if check == planted else ''}"
            for check in checks
        ]
        size = "-" if planted is None else f"{one['value'][planted]:.3g}"
        rows.append([name, *cells, size])
    print(f"Shares of {args.boards} boards; * marks the check that must warn, and size is its mean value.")
    table(rows, ["board", *checks, "size"])


if __name__ == "__main__":
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        main()
