"""Draw the plots of docs/user_guide/how_sure.md: python docs/how_sure_plots.py [folder]."""

import sys
from pathlib import Path

import numpy as np
import pandas as pd

from skrankagg import BordaCount, RankedLists, ReciprocalRankFusion
from skrankagg.plotting import (
    ContributionDisplay,
    PreferenceProbabilityDisplay,
    RankStabilityDisplay,
    VoterInfluenceDisplay,
)

MODELS = ["atlas", "birch", "cedar", "dune", "ember", "flint", "grove", "heron", "iris", "juno", "kelp", "lotus"]
ABILITY = np.array([2.0, 1.2, 1.2, 1.2, 0.6, 0.5, 0.0, 0.0, 0.0, -0.6, -1.2, -1.3])
HITS = {
    "bm25": ["install guide", "release notes", "faq", "old manual", "forum thread"],
    "dense": ["quick start", "install guide", "tutorial", "faq", "release notes"],
    "recency": ["release notes", "forum thread", "quick start"],
}


def leaderboard():
    """The leaderboard of the page: the same numbers in the same order."""
    rng = np.random.default_rng(7)
    tasks = [f"task {k:02d}" for k in range(1, 31)]
    full = pd.DataFrame(rng.normal(ABILITY[:, None], size=(12, 30)), index=MODELS, columns=tasks)
    full["task 30"] *= -1
    return RankedLists.from_matrix(full.mask(rng.random(full.shape) < 0.2), kind="score")


def draw(folder):
    """Draw and save the plots."""
    lists, method = leaderboard(), BordaCount(absent="ignore")
    fusion = ReciprocalRankFusion(k=10, voter_weights={"bm25": 1.0, "dense": 1.0, "recency": 0.5})
    displays = {
        "places": RankStabilityDisplay.from_estimator(method, lists, k=1),
        "pairs": PreferenceProbabilityDisplay.from_estimator(method, lists),
        "voters": VoterInfluenceDisplay.from_estimator(method, lists),
        "shares": ContributionDisplay.from_estimator(fusion, HITS),
    }
    for name, display in displays.items():
        display.figure_.savefig(folder / f"how_sure_{name}.png", dpi=100)


if __name__ == "__main__":
    default = Path(__file__).resolve().parent / "_static"
    draw(Path(sys.argv[1]) if len(sys.argv) > 1 else default)
