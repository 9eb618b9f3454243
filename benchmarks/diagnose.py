"""Measure how often diagnose finds planted defects, how often it warns about sound lists, and how long it takes.

python benchmarks/diagnose.py [--draws 100] prints two shares and a time. First comes the share of draws in which a
warning names the planted voter, then the share of sound draws with any warning. The time is for 1000 queries of 12
lists of 100 items.
"""

import argparse

import numpy as np
import pandas as pd
from _measure import best_time, cpu_time

from skrankagg import RankedLists
from skrankagg.datasets import make_ranked_lists
from skrankagg.inspection import diagnose

#: Lists of each kind: full, or cut from many items.
KINDS = {
    "full": {"n_items": 100, "list_length": None},
    "cut": {"n_items": 1000, "list_length": 100},
    "short": {"n_items": 500, "list_length": 30},
}


def sound(kind, seed, *, n_voters=6, n_queries=20, **options):
    """Draw lists without a defect, as a frame of scores."""
    lists = make_ranked_lists(n_queries=n_queries, n_voters=n_voters, random_state=seed, **KINDS[kind], **options)[0]
    return lists.drop(columns="rank")


def copied(lists, rng):
    """Add a voter who repeats the lists of voter v2 with a little noise."""
    copy = lists[lists["voter"] == "v2"].assign(voter="copy")
    spread = copy.groupby("query")["score"].transform("std")
    return pd.concat([lists, copy.assign(score=copy["score"] + 0.1 * spread * rng.normal(size=len(copy)))])


def unrelated(lists, rng):
    """Replace the items of voter v2 by random items."""
    lists, items = lists.copy(), lists["item"].unique()
    for _, rows in lists[lists["voter"] == "v2"].groupby("query"):
        lists.loc[rows.index, "item"] = rng.permutation(items)[: len(rows)]
    return lists


def negated(lists, rng):
    """Replace the scores of voter v2 by distances; small values are better."""
    return lists.assign(score=lists["score"].where(lists["voter"] != "v2", 20 - lists["score"]))


def constant(lists, rng):
    """Set all scores of voter v2 to the same value."""
    return lists.assign(score=lists["score"].where(lists["voter"] != "v2", 1.0))


def at_most_0(lists, rng):
    """Shift the scores of voter v2 below 0."""
    return lists.assign(score=lists["score"] - np.where(lists["voter"] == "v2", 8.0, 0.0))


def scaled(lists, rng):
    """Multiply the scores of voter v2 by 100."""
    return lists.assign(score=lists["score"] * np.where(lists["voter"] == "v2", 100.0, 1.0))


def duelled(lists, rng):
    """Divide each list into lists of two items."""
    pair = lists.groupby(["query", "voter"]).cumcount() // 2
    return lists.assign(voter=lists["voter"] + "/" + pair.astype(str))


def separated(lists, rng):
    """Rename the items of three voters, so that they share no item with the other voters."""
    others = lists["voter"].isin(["v1", "v2", "v3"])
    return lists.assign(item=lists["item"].where(~others, "other " + lists["item"]))


#: Each defect: what it does to lists, the topic and the voters of the warning, and the kinds of lists that it concerns.
DEFECTS = {
    "copy": (copied, "copies", ("copy", "v2"), ("full", "cut", "short")),
    "agrees with nobody": (unrelated, "agreement", ("v2",), ("cut", "short")),
    "reversed": (negated, "direction", ("v2",), ("full", "cut", "short")),
    "constant": (constant, "scores", ("v2",), ("full", "cut", "short")),
    "at most 0": (at_most_0, "scores", ("v2",), ("full", "cut", "short")),
    "other scale": (scaled, "scores", ("v2",), ("full", "cut", "short")),
    "duels": (duelled, "duels", (), ("full", "cut", "short")),
    "not compared": (separated, "components", (), ("full", "cut", "short")),
}


#: Draws with planted defects: voters of similar quality, so that each of them is good enough to be told from noise.
PLANTED = {"n_queries": 50, "quality_spread": 0.25}


def is_named(defect, kind, seed):
    """Return True if diagnose reports a planted defect in a warning that names the right voters."""
    plant, topic, voters, _ = DEFECTS[defect]
    lists = plant(sound(kind, seed, **PLANTED), np.random.default_rng(seed))
    frame = diagnose(lists).frame
    rows = frame[(frame["level"] == "warning") & (frame["topic"] == topic)]
    return voters in rows["voters"].tolist()


def warns(kind, seed, **options):
    """Return True if diagnose warns about lists without a defect."""
    return bool((diagnose(sound(kind, seed, **options)).frame["level"] == "warning").any())


#: Lists without a defect: a kind, and other options of the draws.
SOUND = {
    "full, 6 voters": ("full", {}),
    "full, 10 voters": ("full", {"n_voters": 10}),
    "full, 3 voters": ("full", {"n_voters": 3}),
    "full, 1 query": ("full", {"n_queries": 1}),
    "cut, 6 voters": ("cut", {}),
    "cut, 10 voters": ("cut", {"n_voters": 10}),
    "cut, 1 query": ("cut", {"n_queries": 1}),
    "short, 10 voters": ("short", {"n_voters": 10}),
    "2 voters, full": ("full", {"n_voters": 2}),
    "2 voters, cut": ("cut", {"n_voters": 2}),
    "2 voters, short": ("short", {"n_voters": 2}),
}


def main():
    """Print the counts and the time."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--draws", type=int, default=100)
    n_draws = parser.parse_args().draws
    print("planted defect        lists   named")
    for defect, (*_, kinds) in DEFECTS.items():
        for kind in kinds:
            print(f"{defect:20}  {kind:6}  {np.mean([is_named(defect, kind, seed) for seed in range(n_draws)]):.2f}")
    print("\nsound lists           warned")
    for name, (kind, options) in SOUND.items():
        print(f"{name:20}  {np.mean([warns(kind, seed, **options) for seed in range(n_draws)]):.2f}")
    lists = make_ranked_lists(n_queries=1000, n_voters=12, n_items=400, list_length=100, random_state=0)[0]
    lists = RankedLists.from_frame(lists)
    seconds = best_time(lambda: diagnose(lists)), cpu_time(lambda: diagnose(lists))
    print(f"\n1000 queries x 12 lists x 100 items: {seconds[0]:.2f} s, {seconds[1]:.2f} s of CPU")


if __name__ == "__main__":
    main()
