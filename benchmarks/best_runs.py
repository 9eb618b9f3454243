"""The best single run of each judged collection, next to merged lists: nDCG@10 in points above reciprocal rank fusion.

`python benchmarks/best_runs.py FOLDER...` prints a table; `--write` puts the table into docs/evidence.md. The folders
and the protocol are those of judged_collections.py. `RRF` is `ReciprocalRankFusion(k=60)`. All values are means over 20
draws of five training queries, and every method and run is measured on the other queries of each draw. The column
"judged" is `LearnedWeights(ReciprocalRankFusion(k=20))`, fitted on 20 judged items of each training query. The column
"best run" is the voter with the highest mean. The judgements of all measured queries determine this voter, so you
cannot choose it in advance. "CombSUM" is `CombSUM()`. The last two columns are the shares of the draws in which the
merged list has a higher mean than the best run of the same draw.

`python docs/overview_plot.py` draws the first picture of the home page from this table.
"""

import argparse
import contextlib
import io
import re
import warnings

import numpy as np
from _measure import table
from judged_collections import (
    PAGE,
    SHALLOW_ITEMS,
    SHALLOW_QUERIES,
    Entry,
    draws,
    learn,
    learned,
    load_collection,
    named_folders,
    prepare,
    values_of,
)

import skrankagg as sk
from skrankagg.exceptions import InputError

METHOD = learned(sk.ReciprocalRankFusion(k=20))
BLOCK = re.compile(r"(?<=<!-- best runs -->\n).*?(?=<!-- end of best runs -->)", re.DOTALL)
ROBUST = "$SKRANKAGG_DATA/robust03"
COMMAND = (
    f"benchmarks/best_runs.py $SKRANKAGG_DATA/collections/* {ROBUST}:pircRBa1,uwmtCR0,UIUC03Rd1,THUIRr0301,SABIR03BASE,"
    f"aplrob03a {ROBUST} $SKRANKAGG_DATA/mq2008agg"
)
HEAD = ["collection", "queries", "voters", "best run", "RRF", "best run", "CombSUM", "judged", "RRF >", "judged >"]


def measured_sets(n_queries):
    """Return the measured queries of each draw."""
    return [test for ((_, test),) in draws(n_queries, SHALLOW_QUERIES)]


def row(collection):
    """Measure a collection; return a row of the table."""
    lists, qrels, queries = collection.lists, collection.qrels, collection.lists.queries
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the other benchmark counts the warnings
        values = {
            voter: values_of(lists.select(voters=[voter]), qrels, queries)[:, 0] for voter in lists.voters.tolist()
        }
        plain = values_of(sk.CombSUM().fit_transform(lists), qrels, queries)[:, 0]
        judged = [draw[:, 0] for draw in learn(Entry(METHOD, SHALLOW_QUERIES, SHALLOW_ITEMS), collection)[0]]
    sets = measured_sets(lists.n_queries)

    def means(by_query):
        return np.array([by_query[test].mean() for test in sets])

    baseline = means(collection.baseline[:, 0])
    runs = {voter: means(found) for voter, found in values.items()}
    best = max(runs, key=lambda voter: runs[voter].mean())
    of_draws = np.max(list(runs.values()), axis=0)
    judged = np.array([found.mean() for found in judged])
    gains = [found.mean() - baseline.mean() for found in (runs[best], means(plain), judged)]
    shares = [(found > of_draws).mean() for found in (baseline, judged)]
    return [
        collection.name,
        lists.n_queries,
        lists.n_voters,
        best,
        f"{baseline.mean():.2f}",
        *(f"{gain:+.2f}" for gain in gains),
        *(f"{share:.2f}" for share in shares),
    ]


def main():
    """Measure the collections, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+", metavar="FOLDER", help="FOLDER, FOLDER:RUN,RUN or a pattern")
    parser.add_argument("--depth", type=int, default=100, help="number of items of each list")
    parser.add_argument("--write", action="store_true", help=f"also write the table of docs/{PAGE.name}")
    options = parser.parse_args()
    try:
        folders = named_folders(options.folders)
        rows = [
            row(prepare(name, *load_collection(folder, runs), options.depth))
            for name, (folder, runs) in folders.items()
        ]
    except (InputError, FileNotFoundError) as error:
        raise SystemExit(str(error)) from error
    with contextlib.redirect_stdout(io.StringIO()) as stream:
        table(rows, HEAD)
    printed = "\n".join(line.rstrip() for line in stream.getvalue().splitlines())
    print(printed)
    if options.write:
        text = PAGE.read_text(encoding="utf-8")
        block = f"```console\n$ python {COMMAND}\n{printed}\n```\n"
        PAGE.write_text(BLOCK.sub(lambda _: block, text), encoding="utf-8")


if __name__ == "__main__":
    main()
