"""Draw the plot on the page of each display: python docs/display_plots.py [name ...].

Each display in `skrankagg.plotting` declares its example, drawn from the data of this module, and a description of the
plot for readers who cannot see it. The template of the pages shows both.
"""

import functools
import struct
import sys
from pathlib import Path

import numpy as np
import pandas as pd

from skrankagg import (
    DIBRA,
    BordaCount,
    CombSUM,
    Comparator,
    Copeland,
    Kemeny,
    PlackettLuce,
    Qrels,
    RankedLists,
    ReciprocalRankFusion,
    SequentialElimination,
    plotting,
)
from skrankagg.datasets import make_ranked_lists
from skrankagg.model_selection import CalibratedConsensus, cross_val_consensus

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
BALLOTS = RankedLists.from_ballots(
    [
        "Montroll > Kiss > Wright",
        "Montroll > Wright > Kiss",
        "Montroll",
        "Kiss > Montroll > Wright",
        "Kiss > Wright > Montroll",
        "Kiss",
        "Wright > Montroll > Kiss",
        "Wright > Kiss > Montroll",
        "Wright",
    ],
    counts=[1332, 767, 455, 2043, 371, 568, 1513, 495, 1289],
)
RUNOFF = SequentialElimination()
METHODS = {
    "DIBRA": DIBRA(),
    "Kemeny": Kemeny(),
    "Copeland": Copeland(),
    "CombSUM": CombSUM(),
    "RRF": ReciprocalRankFusion(),
}
BORDA = BordaCount(absent="ignore")
RATING = PlackettLuce(scale="elo")
FUSION = ReciprocalRankFusion(k=10, voter_weights={"bm25": 1.0, "dense": 1.0, "recency": 0.5})


@functools.cache
def search():
    """Generate lists of eight search engines for forty queries, and judgements."""
    frame, qrels, _ = make_ranked_lists(
        n_queries=40, n_voters=8, n_items=40, list_length=30, quality=0.6, quality_spread=0.7, random_state=4
    )
    names = dict(zip(sorted(frame["voter"].unique()), ENGINES, strict=True))
    return RankedLists.from_frame(frame.assign(voter=frame["voter"].map(names))), Qrels.from_frame(qrels)


@functools.cache
def probabilities():
    """Return the consensus of the search engines with probabilities out of fold."""
    lists, qrels = search()
    return cross_val_consensus(CalibratedConsensus(METHODS["RRF"]), lists, qrels=qrels)


@functools.cache
def comparator(voters=False):
    """Compare the methods on the lists of the search engines."""
    lists, qrels = search()
    return Comparator(list(METHODS.items()), metrics="ndcg@10", qrels=qrels, with_voters=voters, verbose=False).fit(
        lists
    )


@functools.cache
def leaderboard():
    """Generate the leaderboard of docs/user_guide/how_sure.md, with the same numbers in the same order."""
    rng = np.random.default_rng(7)
    tasks = [f"task {k:02d}" for k in range(1, 31)]
    full = pd.DataFrame(rng.normal(ABILITY[:, None], size=(12, 30)), index=MODELS, columns=tasks)
    full["task 30"] *= -1
    return RankedLists.from_matrix(full.mask(rng.random(full.shape) < 0.2), kind="score")


@functools.cache
def arena():
    """Generate duels of the models by forty judges, who each have a taste of their own."""
    rng = np.random.default_rng(5)
    taste = ABILITY + 0.5 * rng.normal(size=(40, len(MODELS)))
    judge = np.repeat(np.arange(len(taste)), 150)
    one = rng.integers(0, len(MODELS), len(judge))
    other = (one + rng.integers(1, len(MODELS), len(judge))) % len(MODELS)
    won = rng.random(len(judge)) < 1 / (1 + np.exp(taste[judge, other] - taste[judge, one]))
    names = np.array(MODELS)
    frame = pd.DataFrame({"model_a": names[one], "model_b": names[other], "winner": won, "judge": judge})
    return RankedLists.from_comparisons(frame, voter="judge")


def coefficients():
    """Return coefficients of covariates, as a model of duels estimates them."""
    return pd.DataFrame(
        {
            "covariate": ["shown first", "length in 1,000 tokens", "headings", "share of code"],
            "coefficient": [0.21, 0.34, 0.08, -0.12],
            "std_error": [0.04, 0.05, 0.06, 0.11],
            "p": [1.5e-7, 1.0e-11, 0.182, 0.275],
        }
    )


def displays():
    """Return a dict from the name of each public display to its class."""
    return {name: getattr(plotting, name) for name in plotting.__all__ if name.endswith("Display")}


def example(name, ax=None):
    """Draw the example of a display."""
    return displays()[name]._example(sys.modules[__name__], ax)


def texts(figure):
    """Return the texts of a figure without tick labels; a committed picture that lacks one of these texts is stale."""
    from matplotlib.axis import Tick
    from matplotlib.text import Text

    ticks = {label for tick in figure.findobj(Tick) for label in (tick.label1, tick.label2)}
    return "\n".join(sorted({text.get_text() for text in figure.findobj(Text) if text not in ticks} - {""}))


def draw(names=()):
    """Draw and save the plots of the named displays; without names, of all displays."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name in names or displays():
        figure = example(name).figure_
        figure.savefig(FOLDER / f"{name}.png", dpi=DPI, metadata={"Description": texts(figure)})


def plots_of_pages():
    """Return a dict from each display's name to the description and the width (in pixels) of its plot."""
    return {
        name: {"words": display._alt, "width": round(pixels_of(FOLDER / f"{name}.png")[0] / SHARPNESS)}
        for name, display in displays().items()
    }


def pixels_of(path):
    """Read the width and the height of a PNG file from its first 24 bytes."""
    return struct.unpack(">II", path.read_bytes()[16:24])


if __name__ == "__main__":
    draw(sys.argv[1:])
