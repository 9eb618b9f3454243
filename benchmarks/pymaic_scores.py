"""Compare MAIC with its authors' package, on gene lists from `make_gene_lists`.

python benchmarks/pymaic_scores.py [--seed 0]

It needs `pip install pymaic`. Times are CPU seconds of this process. For skrankagg, the shortest of three runs counts;
pymaic runs once. The input of pymaic is finished lists of names, and their preparation is not timed. The input of
skrankagg is a frame or encoded lists.

"gap" is the largest difference of the scores with curve="exponential". For this comparison, pymaic scores its items
once more from its last weights, as in its authors' older program. "same 100" is the number of the first 100 items that
are also among the first 100 items of pymaic, for each curve. pymaic cuts lists to 2000 items.
"""

import argparse
import contextlib
import io
import logging
import tempfile
from functools import partial

from _measure import cpu_time, table
from maic import Maic
from maic.models import EntityListModel

from skrankagg import MAIC, RankedLists
from skrankagg.datasets import make_gene_lists

PRESETS = ("large-mixed", "large-ranked", "small-mixed", "small-ranked")


def models_of(lists):
    """Convert the lists to pymaic's input; a list is unranked if all its items are tied."""
    return [
        EntityListModel(name=voter, category=voter, ranked=one["rank"].nunique() > 1, entities=one["item"].tolist())
        for voter, one in lists.groupby("voter")
    ]


def run_pymaic(lists):
    """Run pymaic, and score the items once more from the last weights; return a dict of scores, and CPU seconds."""
    analysis = Maic(modellist=models_of(lists))
    # pymaic prints advice, and writes files.
    with contextlib.redirect_stdout(io.StringIO()), tempfile.TemporaryDirectory() as analysis.output_folder:
        seconds = cpu_time(analysis.run, repeat=1)
    for entity in analysis._entities.values():
        entity.calculate_new_score()
    return {name: entity.score for name, entity in analysis._entities.items()}, seconds


def measure(preset, seed):
    """Compute a row of the table."""
    drawn = make_gene_lists(preset=preset, random_state=seed)[0]
    # TopK would keep or drop a whole tie class.
    lists = drawn.sort_values(["voter", "rank", "item"]).groupby("voter").head(2000)
    expected, theirs = run_pymaic(lists)
    seconds, tops = [], []
    for curve in ("running-mean", "exponential"):
        method = MAIC(curve=curve)
        seconds.append(cpu_time(partial(method.fit_transform, lists), repeat=3))
        if curve == "running-mean":
            encoded = RankedLists.from_frame(lists)
            seconds.append(cpu_time(partial(method.fit_transform, encoded), repeat=3))
        found = method.fit_transform(lists).set_index("item")["score"]
        tops.append(len(set(found.index[:100]) & set(sorted(expected, key=expected.get, reverse=True)[:100])))
    gap = max(abs(found[name] - score) for name, score in expected.items())
    ours = [f"{one:.3f}" for one in seconds]
    faster = [f"{theirs / one:.0f}x" for one in seconds[:2]]
    return [preset, f"{theirs:.2f}", *ours, *faster, f"{gap:.0e}", *tops]


def main():
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=0)
    seed = parser.parse_args().seed
    logging.disable(logging.WARNING)  # about fits that fail
    header = ["", "pymaic", "MAIC()", "encoded", "exponential", "faster", "encoded", "gap", "same 100", "exponential"]
    table([measure(preset, seed) for preset in PRESETS], header)


if __name__ == "__main__":
    main()
