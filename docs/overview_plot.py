"""Draw the plot on the home page and in the README: python docs/overview_plot.py [file].

The parameters of each method are chosen on other queries of the same voters, and printed.
"""

import sys
from pathlib import Path

import matplotlib.pyplot as plt
from sklearn.model_selection import GridSearchCV

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
from skrankagg.metrics import make_ranking_scorer
from skrankagg.plotting import AgreementDisplay, ComparisonDisplay, VoterWeightsDisplay

# Name, method, and the parameter values to try.
METHODS = [
    ("CombSUM", CombSUM(), {"norm": ["borda", "rank", "min-max", "z-score"]}),
    ("RRF", ReciprocalRankFusion(), {"k": [0, 1, 2, 5, 10, 20, 60]}),
    ("RRA", RobustRankAggregation(), {"exact": [False, True]}),
    ("Borda", BordaCount(), {}),
    ("Markov chain", MarkovChain(), {"chain": ["mc1", "mc2", "mc3", "mc4", "mct"]}),
    ("Copeland", Copeland(), {}),
    ("Kemeny", Kemeny(), {"absent": ["last", "ignore"]}),
    ("DIBRA", DIBRA(), {"weighting": ["query", "global"]}),
]


def chosen(lists, qrels):
    """Choose the parameters of each method by cross-validation, and print them."""
    scorer = make_ranking_scorer("ndcg@10", qrels=qrels)
    for name, method, grid in METHODS:
        found = GridSearchCV(method, grid, scoring=scorer, cv=5).fit(lists).best_params_
        print(name, *(f"{parameter}={value!r}" for parameter, value in found.items()))
        yield name, method.set_params(**found)


def draw(path):
    """Compare methods on 40 of 80 queries of ten voters, two of them adversarial, and save the plot."""
    frame, qrels = make_ranked_lists(
        n_queries=80,
        n_voters=10,
        n_items=40,
        list_length=30,
        quality=0.8,
        quality_spread=0.5,
        adversarial_share=0.2,
        random_state=3,
    )
    lists = RankedLists.from_frame(frame)
    others, lists = lists[:40], lists[40:]
    methods = list(chosen(others, qrels))
    comparator = Comparator(methods, metrics="ndcg@10", qrels=qrels, verbose=False).fit(lists)
    figure, axes = plt.subplots(1, 3, figsize=(13, 4.2), layout="constrained")
    ComparisonDisplay.from_comparator(comparator, ax=axes[0])
    AgreementDisplay.from_lists(lists, ax=axes[1])
    VoterWeightsDisplay.from_comparator(comparator, "DIBRA", ax=axes[2])
    questions = ("Which method is best?", "Who agrees with whom?", "Which voters weigh most?")
    for ax, question in zip(axes, questions, strict=True):
        ax.set_title(question, loc="left", fontweight="bold")
    figure.savefig(path, dpi=110)


if __name__ == "__main__":
    default = Path(__file__).resolve().parent / "_static" / "overview.png"
    draw(sys.argv[1] if len(sys.argv) > 1 else default)
