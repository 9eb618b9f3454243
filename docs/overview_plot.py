"""Draw the plots on the home page and in the README: python docs/overview_plot.py [folder].

The parameters of each method are chosen on other queries of the same voters, and printed. Each plot has its own file,
so that a narrow screen shows the plots one below the other instead of shrinking them. Text is at least 9 pixels high on
a screen of 390 pixels.
"""

import sys
from pathlib import Path

import matplotlib as mpl
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
from skrankagg.plotting import AgreementDisplay, ComparisonDisplay, RankStabilityDisplay, VoterWeightsDisplay

# Name, method, and the parameter values to try.
METHODS = [
    ("CombSUM", CombSUM(), {"norm": ["borda", "rank", "min-max", "z-score"]}),
    ("RRF", ReciprocalRankFusion(), {"k": [0, 1, 2, 5, 10, 20, 60]}),
    ("RRA", RobustRankAggregation(), {"exact": [False, True]}),
    ("Borda", BordaCount(), {}),
    ("Markov", MarkovChain(), {"chain": ["mc1", "mc2", "mc3", "mc4", "mct"]}),
    ("Copeland", Copeland(), {}),
    ("Kemeny", Kemeny(), {"absent": ["last", "ignore"]}),
    ("DIBRA", DIBRA(), {"weighting": ["query", "global"]}),
]
#: Size in inches: 400 pixels, which a screen of 390 pixels shows with little loss.
SIZE = (4.17, 3.9)
#: Makes the files of equal plots equal.
STYLE = {"font.size": 10.5, "svg.hashsalt": "skrankagg"}
N_PLACES = 12


def chosen(lists, qrels):
    """Choose the parameters of each method by cross-validation, and print them."""
    scorer = make_ranking_scorer("ndcg@10", qrels=qrels)
    for name, method, grid in METHODS:
        found = GridSearchCV(method, grid, scoring=scorer, cv=5).fit(lists).best_params_
        print(name, *(f"{parameter}={value!r}" for parameter, value in found.items()))
        yield name, method.set_params(**found)


def draw(folder):
    """Compare methods on 40 of 80 queries of ten voters, two of them adversarial, and save the plots."""
    frame, qrels, _ = make_ranked_lists(
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

    def draw_places(ax):
        # Leave out the second column, for which there is no space.
        table = RankStabilityDisplay.from_estimator(DIBRA(), lists, query=lists.queries[0], top=N_PLACES).table
        RankStabilityDisplay(table, label="place of an item, 95 % over draws of lists").plot(ax)

    plots = {
        "methods": ("Which method is best?", lambda ax: ComparisonDisplay.from_comparator(comparator, ax=ax)),
        "agreement": ("Who agrees with whom?", lambda ax: AgreementDisplay.from_lists(lists, ax=ax)),
        "weights": (
            "Which voters weigh most?",
            lambda ax: VoterWeightsDisplay.from_comparator(comparator, "DIBRA", ax=ax),
        ),
        "places": ("How sure is the order?", draw_places),
    }
    with mpl.rc_context(STYLE):
        for name, (question, draw_one) in plots.items():
            figure, ax = plt.subplots(figsize=SIZE, layout="constrained")
            draw_one(ax)
            ax.set_title(question, loc="left", fontweight="bold")
            figure.savefig(folder / f"overview_{name}.svg", metadata={"Date": None})
            plt.close("all")


if __name__ == "__main__":
    default = Path(__file__).resolve().parent / "_static"
    draw(Path(sys.argv[1]) if len(sys.argv) > 1 else default)
