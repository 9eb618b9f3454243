"""Draw the picture of the home page and the README: python docs/overview_picture.py [file]."""

import sys
from pathlib import Path

import matplotlib.pyplot as plt

from skrankagg import (
    DIBRA,
    BordaCount,
    CombSUM,
    Comparator,
    Copeland,
    Kemeny,
    MarkovChain,
    RankedLists,
    ReciprocalRankFusion,
    RobustRankAggregation,
)
from skrankagg.datasets import make_ranked_lists
from skrankagg.plotting import AgreementDisplay, ComparisonDisplay, VoterWeightsDisplay

METHODS = [
    ("CombSUM", CombSUM(norm="min-max")),
    ("RRF", ReciprocalRankFusion()),
    ("RRA", RobustRankAggregation()),
    ("Borda", BordaCount()),
    ("MC2", MarkovChain(chain="mc2")),
    ("Copeland", Copeland()),
    ("Kemeny", Kemeny()),
    ("DIBRA", DIBRA(weighting="global")),
]


def draw(path):
    """Compare methods on 40 queries of ten voters, two of them malicious, and save the picture."""
    frame, qrels = make_ranked_lists(
        n_queries=40,
        n_voters=10,
        n_items=40,
        list_length=30,
        quality=0.8,
        quality_spread=0.5,
        adversarial_share=0.2,
        random_state=3,
    )
    lists = RankedLists.from_frame(frame)
    comparator = Comparator(METHODS, metrics="ndcg@10", qrels=qrels, verbose=False).fit(lists)
    figure, axes = plt.subplots(1, 3, figsize=(13, 4.2), layout="constrained")
    ComparisonDisplay.from_comparator(comparator, ax=axes[0])
    AgreementDisplay.from_lists(lists, ax=axes[1])
    VoterWeightsDisplay.from_comparator(comparator, "DIBRA", ax=axes[2])
    questions = ("Which method is best?", "Who agrees with whom?", "Whom to believe?")
    for ax, question in zip(axes, questions, strict=True):
        ax.set_title(question, loc="left", fontweight="bold")
    figure.savefig(path, dpi=110)


if __name__ == "__main__":
    default = Path(__file__).resolve().parent / "_static" / "overview.png"
    draw(sys.argv[1] if len(sys.argv) > 1 else default)
