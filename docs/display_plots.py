"""Draw the plot on the page of each display: python docs/display_plots.py [folder] [name ...].

`EXAMPLES` contains one example for each public display. The template of the pages shows its plot, with a description
for readers who cannot see it.
"""

import functools
import struct
import sys
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd

from skrankagg import (
    DIBRA,
    BordaCount,
    CombSUM,
    Comparator,
    Copeland,
    Kemeny,
    Qrels,
    RankedLists,
    ReciprocalRankFusion,
)
from skrankagg.datasets import make_ranked_lists
from skrankagg.plotting import (
    AgreementDisplay,
    ComparisonDisplay,
    ContributionDisplay,
    CriticalDifferenceDisplay,
    CutoffDisplay,
    InterpolatedPrecisionDisplay,
    PreferenceProbabilityDisplay,
    QueryGainDisplay,
    RankStabilityDisplay,
    VoterInfluenceDisplay,
    VoterWeightsDisplay,
    WeightCurveDisplay,
)

FOLDER = Path(__file__).resolve().parent / "_static" / "displays"
#: Pixels for an inch, and the number of them that the page shows as one pixel.
DPI, SHARPNESS = 144, 1.5

ENGINES = ["splade", "anchor", "bm25", "title", "clicks", "colbert", "recency", "dense"]
MODELS = ["atlas", "birch", "cedar", "dune", "ember", "flint", "grove", "heron", "iris", "juno", "kelp", "lotus"]
ABILITY = np.array([2.0, 1.2, 1.2, 1.2, 0.6, 0.5, 0.0, 0.0, 0.0, -0.6, -1.2, -1.3])
HITS = {
    "bm25": ["install guide", "release notes", "faq", "old manual", "forum thread"],
    "dense": ["quick start", "install guide", "tutorial", "faq", "release notes"],
    "recency": ["release notes", "forum thread", "quick start"],
}
METHODS = [
    ("DIBRA", DIBRA()),
    ("Kemeny", Kemeny()),
    ("Copeland", Copeland()),
    ("CombSUM", CombSUM()),
    ("RRF", ReciprocalRankFusion()),
]


class Example(NamedTuple):
    """Function that draws the example of a display, and a description of the plot."""

    draw: object
    words: str


@functools.cache
def search():
    """Generate lists of eight search engines for forty queries, and judgements."""
    frame, qrels, _ = make_ranked_lists(
        n_queries=40, n_voters=8, n_items=40, list_length=30, quality=0.6, quality_spread=0.7, random_state=4
    )
    names = dict(zip(sorted(frame["voter"].unique()), ENGINES, strict=True))
    return RankedLists.from_frame(frame.assign(voter=frame["voter"].map(names))), Qrels.from_frame(qrels)


@functools.cache
def comparator(voters=False):
    """Compare the methods on the lists of the search engines."""
    lists, qrels = search()
    return Comparator(METHODS, metrics="ndcg@10", qrels=qrels, with_voters=voters, verbose=False).fit(lists)


@functools.cache
def leaderboard():
    """Generate the leaderboard of docs/user_guide/how_sure.md: the same numbers in the same order."""
    rng = np.random.default_rng(7)
    tasks = [f"task {k:02d}" for k in range(1, 31)]
    full = pd.DataFrame(rng.normal(ABILITY[:, None], size=(12, 30)), index=MODELS, columns=tasks)
    full["task 30"] *= -1
    return RankedLists.from_matrix(full.mask(rng.random(full.shape) < 0.2), kind="score")


def draw_comparison():
    """Draw methods and search engines."""
    return ComparisonDisplay.from_comparator(comparator(voters=True))


def draw_cutoffs():
    """Draw the methods at ten cutoffs."""
    return CutoffDisplay.from_comparator(comparator(), "ndcg")


def draw_precision():
    """Draw the methods at eleven recalls."""
    return InterpolatedPrecisionDisplay.from_comparator(comparator())


def draw_gains():
    """Draw two methods, query by query."""
    return QueryGainDisplay.from_comparator(comparator(), "DIBRA", "RRF")


def draw_ranks():
    """Draw the mean ranks of the methods."""
    return CriticalDifferenceDisplay.from_comparator(comparator())


def draw_agreement():
    """Draw the agreement of the search engines."""
    return AgreementDisplay.from_lists(search()[0], "tau-b")


def draw_weights():
    """Draw the weights of the search engines."""
    return VoterWeightsDisplay.from_comparator(comparator(), "DIBRA")


def draw_weight_curve():
    """Draw the weight curve of two search engines."""
    return WeightCurveDisplay.from_estimator(CombSUM(), *search(), voters=("bm25", "dense"))


def draw_places():
    """Draw the places of the models of the leaderboard."""
    return RankStabilityDisplay.from_estimator(BordaCount(absent="ignore"), leaderboard(), n_places=1)


def draw_preferences():
    """Draw the preferences between every two models of the leaderboard."""
    return PreferenceProbabilityDisplay.from_estimator(BordaCount(absent="ignore"), leaderboard())


def draw_influence():
    """Draw the influence of the tasks of the leaderboard."""
    return VoterInfluenceDisplay.from_estimator(BordaCount(absent="ignore"), leaderboard())


def draw_contributions():
    """Draw the contributions of three search engines to the hits."""
    fusion = ReciprocalRankFusion(k=10, voter_weights={"bm25": 1.0, "dense": 1.0, "recency": 0.5})
    return ContributionDisplay.from_estimator(fusion, HITS)


#: Examples by the name of the class.
EXAMPLES = {
    "AgreementDisplay": Example(
        draw_agreement,
        "A heat map of Kendall's tau between eight search engines, similar ones together, on a scale from -1 to 1 with "
        "white at 0",
    ),
    "ComparisonDisplay": Example(
        draw_comparison,
        "Bars of five methods and of eight voters, in grey, with 95 % intervals, best on top, and a dashed line at the "
        "best voter",
    ),
    "ContributionDisplay": Example(
        draw_contributions,
        "A stacked bar for each of seven documents: what each of three search engines adds to its score",
    ),
    "CriticalDifferenceDisplay": Example(
        draw_ranks,
        "Mean ranks of five methods on a line, with the critical difference above it and bars that join methods which "
        "do not differ",
    ),
    "CutoffDisplay": Example(draw_cutoffs, "nDCG at cutoffs from 1 to 10, a line for each of five methods"),
    "InterpolatedPrecisionDisplay": Example(
        draw_precision, "Interpolated precision at recalls from 0 to 1, a falling line for each of five methods"
    ),
    "PreferenceProbabilityDisplay": Example(
        draw_preferences,
        "A heat map of twelve models by twelve: the share of the draws in which the row is above the column, with a "
        "line around the pairs that are in one order in nearly all draws",
    ),
    "QueryGainDisplay": Example(
        draw_gains,
        "A bar for each query, sorted from the largest gain to the largest loss of one method against another, with a "
        "dashed line at the mean",
    ),
    "RankStabilityDisplay": Example(
        draw_places,
        "A dot for the place of each of twelve models with a bar for its interval, and in a second column the chance "
        "of the first place",
    ),
    "VoterInfluenceDisplay": Example(
        draw_influence,
        "Tasks sorted by their agreement with the others, outliers marked by orange diamonds, and in a second column "
        "the share of pairs that swap without each of them",
    ),
    "VoterWeightsDisplay": Example(
        draw_weights, "The weights of eight search engines, a point for each query and a mark at the mean"
    ),
    "WeightCurveDisplay": Example(
        draw_weight_curve,
        "nDCG over the weight of one of two search engines, a curve with its 95 % band, and horizontal lines at each "
        "engine alone and at equal weights",
    ),
}


def draw(folder=FOLDER, names=EXAMPLES):
    """Draw and save the plots."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in names:
        EXAMPLES[name].draw().figure_.savefig(folder / f"{name}.png", dpi=DPI)


def plots_of_pages():
    """Return the data of each plot for the page template, by class: description, and width in the page's pixels."""
    return {name: {"words": one.words, "width": _width(FOLDER / f"{name}.png")} for name, one in EXAMPLES.items()}


def _width(path):
    """Read the width of a PNG file from its first 24 bytes."""
    (pixels,) = struct.unpack(">I", path.read_bytes()[16:20])
    return round(pixels / SHARPNESS)


if __name__ == "__main__":
    draw(*([Path(sys.argv[1])] if len(sys.argv) > 1 else []), *([sys.argv[2:]] if len(sys.argv) > 2 else []))
