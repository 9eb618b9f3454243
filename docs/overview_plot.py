"""Draw the plots on the home page and in the README: python docs/overview_plot.py [folder].

The plots show real data. The numbers of judged collections and of elections are read from tables in evidence.md, which
come with their commands. The season of Formula One and the lists of genes are part of the package. `words`
describes the plots with numbers computed from the same data, and a test compares the pages with these texts.

Each plot has its own file, so that a narrow screen shows the plots one below the other instead of shrinking them. Text
is at least 9 pixels high on a screen of 390 pixels. A second file of each plot has the colours of a dark page.
"""

import re
import statistics
import sys
from pathlib import Path
from typing import NamedTuple

from pictures import describe_svg

from skrankagg import CombSUM, RankedLists, RobustRankAggregation
from skrankagg.datasets import load_formula1, load_prostate_genes
from skrankagg.inspection import rank_stability
from skrankagg.stats import adjust_pvalues

DOCS = Path(__file__).resolve().parent
#: Size in inches: 400 pixels, which a screen of 390 pixels shows with little loss.
SIZE = (4.17, 3.9)
COLLECTIONS = {
    "cov1-12": "COVID, round 1",
    "cov1-4": "COVID, round 1",
    "cov2-12": "COVID, round 2",
    "cov2-4": "COVID, round 2",
    "dl19-6": "Deep Learning",
    "dl19-hyb": "Deep Learning",
    "robust03-6": "Robust 2003",
    "robust03": "Robust 2003",
    "mq2008agg": "MQ2008-agg",
}
POINTS = dict(enumerate([25, 18, 15, 12, 10, 8, 6, 4, 2, 1], start=1))
N_DRIVERS, N_GENES, MEASURED_GENES, LEVEL = 10, 12, 10_000, 0.05


class Theme(NamedTuple):
    """Colours of a plot."""

    suffix: str
    paper: str
    text: str
    soft: str
    rule: str
    accent: str
    other: str
    open: str


LIGHT = Theme("", "#ffffff", "#1a1a1a", "#404040", "#e5e5e5", "#0072b2", "#8c8c8c", "#d55e00")
DARK = Theme("_dark", "none", "#e6e6e6", "#c4c4c4", "#3a4049", "#56b4e9", "#9aa0a6", "#e69f00")


# ---------------------------------------------------------------------- numbers


def judged_collections():
    """Read the table of best runs in evidence.md; return a dict for each collection."""
    names = ("collection", "queries", "voters", "best", "rrf", "run", "sum", "judged", "rrf_above", "judged_above")
    block = re.search(r"<!-- best runs -->\n(.*?)<!-- end of best runs -->", _evidence(), re.DOTALL)[1]
    lines = [line.split() for line in block.splitlines() if line.split(" ")[0] in COLLECTIONS]
    rows = [dict(zip(names, line, strict=True)) for line in lines]
    return [
        {name: text if name in ("collection", "best") else float(text) for name, text in row.items()} for row in rows
    ]


def elections():
    """Read the table of elections in evidence.md; return candidates, seconds and "yes" or "time limit" for each."""
    # Name, candidates, proven, score, gap in two columns, seconds.
    row = r"^\d{5}-\d{8}\.\w+ +(\d+) +(yes|time limit)(?: +\S+){3} +(\d+\.\d\d)\b"
    found = re.findall(row, _evidence(), re.MULTILINE)
    return [(int(candidates), float(seconds), proven == "yes") for candidates, proven, seconds in found]


def drivers():
    """Compute the places of the drivers of Formula One in 2012 over draws of the races."""
    races = load_formula1()
    races["score"] = races["rank"].map(POINTS).fillna(0)
    season = RankedLists.from_frame(races.drop(columns="rank"))
    return rank_stability(CombSUM(norm=None), season, places=[1])


def genes():
    """Compute adjusted p-values of the genes in five studies of prostate cancer, and the number of studies of each."""
    lists = load_prostate_genes()
    consensus = RobustRankAggregation(n_items=MEASURED_GENES).fit_transform(lists)
    table = adjust_pvalues(consensus, "bh", n_tests=MEASURED_GENES)
    return table.assign(studies=table["item"].map(lists["item"].value_counts()))


def _evidence():
    return (DOCS / "evidence.md").read_text(encoding="utf-8")


# ---------------------------------------------------------------------- words


def words():
    """Return a dict from the name of each plot to its alternative text and its caption."""
    rows, proofs, places, table = judged_collections(), elections(), drivers().set_index("item"), genes()
    queries = [int(row["queries"]) for row in rows]
    gain = sum(row["judged"] for row in rows) / len(rows)
    voters = [int(row["voters"]) for row in rows]
    above = sum(row["judged"] > row["run"] for row in rows)
    rrf_above = sum(row["run"] < 0 for row in rows)
    best = max(rows, key=lambda row: row["run"] - row["judged"])
    proven = [row for row in proofs if row[2]]
    seconds = [row[1] for row in proofs]
    found = (table["adjusted"] < LEVEL).sum()
    shared = table.iloc[0]
    n_rows, n_judged, n_rrf = (_number(count) for count in (len(rows), above, rrf_above))
    low, high = min(row["judged"] for row in rows), max(row["judged"] for row in rows)
    loss, most = -min(row["run"] for row in rows), max(row["run"] for row in rows)
    return {
        "search": (
            f"nDCG@10 on {n_rows} judged collections, in points above reciprocal rank fusion. After five judged "
            f"queries, the merged list gains {low:.1f} to {high:.1f} points. The best single run is between "
            f"{loss:.1f} points worse and {most:.1f} points better than reciprocal rank fusion.",
            f"With five judged queries, the merged list gains {gain:.1f} points of nDCG@10 over reciprocal rank "
            f"fusion. The data are {n_rows} judged collections of TREC and LETOR with {min(queries)} to {max(queries)} "
            f"queries and {min(voters)} to {max(voters)} runs each. The merged list is better than the best single run "
            f"on {n_judged} collections; without judgements, it is better on {n_rrf}. On the "
            f"collection {COLLECTIONS[best['collection']]}, which has only {_number(int(best['voters']))} runs, the "
            f"best run is {best['run'] - best['judged']:.1f} points better.",
        ),
        "places": (
            f"The first {N_DRIVERS} drivers of Formula One in 2012, with an interval for the place of each driver; the "
            f"intervals of Vettel and Alonso overlap.",
            f"How sure is the order? Vettel won the championship of 2012 by three points. The races were drawn at "
            f"random 1,000 times, with replacement, and he is first in {100 * places.loc['Vettel', 'top_1']:.0f} % of "
            f"these draws. The data are the 20 real races.",
        ),
        "kemeny": (
            f"Seconds until Kemeny's order is proven to be optimal, for {len(proofs)} elections with "
            f"{min(row[0] for row in proofs)} to {max(row[0] for row in proofs)} candidates. Nearly all elections need "
            f"less than a second.",
            f"`Kemeny` finds an exact consensus: no other order disagrees less with the ballots. It proves this for "
            f"{len(proven)} of {len(proofs)} real elections of PrefLib within five seconds each. One of these "
            f"{len(proven)} elections has {max(row[0] for row in proven)} candidates. The median time over the "
            f"{len(proofs)} elections is {statistics.median(seconds):.2f} s.",
        ),
        "genes": (
            f"The first {N_GENES} genes of five studies of prostate cancer, with the adjusted p-value of each gene and "
            f"the number of studies that list it. {shared['item']} is in all five lists.",
            f"Which genes are listed more often than chance can explain? Five real studies of prostate cancer list "
            f"25 genes each, {len(table)} different genes in total. With a false discovery rate of "
            f"{100 * LEVEL:.0f} %, {found} genes remain.",
        ),
    }


def headlines():
    """Return a dict from the name of each plot to the number above its caption on the home page."""
    rows, proofs = judged_collections(), elections()
    gain = sum(row["judged"] for row in rows) / len(rows)
    first = drivers().set_index("item").loc["Vettel", "top_1"]
    return {
        "search": f"+{gain:.1f} points of nDCG@10",
        "places": f"First in {100 * first:.0f} % of 1,000 draws",
        "kemeny": f"{sum(row[2] for row in proofs)} of {len(proofs)} elections proven",
        "genes": f"{(genes()['adjusted'] < LEVEL).sum()} of {len(genes())} genes above chance",
    }


def _number(count):
    small = ["no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"]
    return small[count] if count < len(small) else str(count)


# ---------------------------------------------------------------------- plots


def draw_judged(ax, theme):
    """Draw the best run, CombSUM and five judged queries for each collection, as points above RRF."""
    rows = judged_collections()
    ax.axvline(0, color=theme.soft, lw=1)
    for place, row in enumerate(rows):
        ax.plot([row["run"], row["judged"]], [place, place], color=theme.other, alpha=0.35, lw=3, zorder=1)
    for name, label, marker, colour, face in (
        ("run", "best single run", "s", theme.other, theme.other),
        ("judged", "merged, 5 judged", "o", theme.accent, theme.accent),
    ):
        values = [row[name] for row in rows]
        ax.plot(values, range(len(rows)), marker, color=colour, markerfacecolor=face, ms=7, label=label, zorder=3)
    ax.set_yticks(range(len(rows)), [f"{COLLECTIONS[row['collection']]}, {row['voters']:.0f} runs" for row in rows])
    ax.set_ylim(len(rows) - 0.5, -0.5)
    ax.set_xlabel("points of nDCG@10 above RRF")
    ax.legend(
        loc="upper center", bbox_to_anchor=(0.22, 1.1), ncols=2, frameon=False, columnspacing=1, handletextpad=0.2
    )


def draw_places(ax, theme):
    """Draw the places of the first drivers, with intervals."""
    table = drivers().head(N_DRIVERS)
    for place, row in enumerate(table.itertuples()):
        ax.plot(
            [row.rank_low, row.rank_high], [place, place], color=theme.accent, alpha=0.45, lw=7, solid_capstyle="butt"
        )
        ax.plot(row.rank, place, "o", color=theme.accent, ms=6)
        ax.text(18.6, place, f"{100 * row.top_1:.0f} %", va="center", ha="right", color=theme.text)
    ax.text(18.6, -0.95, "first", va="center", ha="right", color=theme.soft)
    ax.set_yticks(range(len(table)), table["item"])
    ax.set_ylim(len(table) - 0.5, -0.6)
    ax.set_xlim(0.5, 18.8)
    ax.set_xticks([1, 5, 10, 15])
    ax.set_xlabel("place in 95 % of 1,000 draws of the races")


def draw_kemeny(ax, theme):
    """Draw the seconds of Kemeny for each election."""
    rows = elections()
    for proven, label, face in ((True, "proven optimal", theme.accent), (False, "stopped after 5 s", "none")):
        chosen = [(candidates, max(seconds, 0.004)) for candidates, seconds, yes in rows if yes == proven]
        ax.plot(*zip(*chosen, strict=True), "o", color=theme.accent, markerfacecolor=face, ms=7, label=label)
    ax.set_xscale("log")
    ax.set_yscale("log")
    ax.set_xticks([5, 10, 30, 100, 300], ["5", "10", "30", "100", "300"])
    ax.set_yticks([0.004, 0.01, 0.1, 1, 5], ["< 0.01", "0.01", "0.1", "1", "5"])
    ax.minorticks_off()
    ax.set_ylim(0.002, 14)
    ax.set_xlabel("candidates of the election")
    ax.set_ylabel("seconds until the order is proven")
    ax.legend(loc="upper left", frameon=False)


def draw_genes(ax, theme):
    """Draw the adjusted p-values of the first genes."""
    import numpy as np

    table = genes().head(N_GENES)
    found = table["adjusted"] < LEVEL
    strength = -np.log10(table["adjusted"])
    colours = [theme.accent if one else theme.other for one in found]
    ax.barh(range(len(table)), strength, color=colours, height=0.62)
    for place, (value, studies) in enumerate(zip(strength, table["studies"], strict=True)):
        ax.text(value + 0.2, place, f"{studies} of 5 studies", va="center", color=theme.text, fontsize=9)
    ax.axvline(-np.log10(LEVEL), color=theme.open, lw=1.2, ls=(0, (4, 2)))
    ax.set_yticks(range(len(table)), table["item"])
    ax.set_ylim(len(table) - 0.5, -0.6)
    ax.set_xlim(0, 15.8)
    ax.set_xticks([0, 5, 10], ["1", "$10^{-5}$", "$10^{-10}$"])
    ax.set_xlabel("adjusted p-value (dashed: 5 %)")


#: Name, title and function of each plot, in the order of the pages.
PLOTS = {
    "search": ("Is merging better than the best run?", draw_judged),
    "places": ("How sure is the order?", draw_places),
    "kemeny": ("How long does the proof take?", draw_kemeny),
    "genes": ("Which genes are not there by chance?", draw_genes),
}


def draw(folder):
    """Draw each plot for a light and for a dark page."""
    import matplotlib as mpl
    import matplotlib.pyplot as plt

    texts = words()
    for theme in (LIGHT, DARK):
        style = {
            "font.size": 10.5,
            "svg.hashsalt": "skrankagg",  # makes the files of equal plots equal
            "svg.fonttype": "none",  # text that can be selected
            "text.color": theme.text,
            "axes.labelcolor": theme.text,
            "axes.edgecolor": theme.soft,
            "axes.facecolor": "none",
            "figure.facecolor": theme.paper,
            "savefig.facecolor": theme.paper,
            "xtick.color": theme.soft,
            "ytick.color": theme.soft,
            "xtick.labelcolor": theme.text,
            "ytick.labelcolor": theme.text,
            "grid.color": theme.rule,
        }
        for name, (question, draw_one) in PLOTS.items():
            with mpl.rc_context(style):
                figure, ax = plt.subplots(figsize=SIZE, layout="constrained")
                draw_one(ax, theme)
                ax.spines[["top", "right", "left"]].set_visible(False)
                ax.tick_params(length=0)
                ax.grid(axis="x")
                ax.set_axisbelow(True)
                figure.suptitle(question, x=0.02, ha="left", fontweight="bold")
                path = folder / f"overview_{name}{theme.suffix}.svg"
                figure.savefig(path, metadata={"Date": None, "Title": question})
                plt.close(figure)
            describe_svg(path, question, texts[name][0])


def draw_preview(folder):
    """Draw the picture that other sites show in a preview of the home page: 1200 x 630 pixels."""
    import matplotlib as mpl
    import matplotlib.pyplot as plt

    with mpl.rc_context({"font.size": 12}):
        figure, ax = plt.subplots(figsize=(8, 4.2), dpi=150, layout="constrained")
        draw_judged(ax, LIGHT)
        ax.spines[["top", "right", "left"]].set_visible(False)
        ax.tick_params(length=0)
        ax.grid(axis="x", color=LIGHT.rule)
        ax.set_axisbelow(True)
        figure.suptitle("skrankagg: merge ranked lists into one", x=0.02, ha="left", fontweight="bold")
        figure.savefig(folder / "preview.png", metadata={"Software": None})
        plt.close(figure)


if __name__ == "__main__":
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else DOCS / "_static"
    draw(target)
    draw_preview(target)
