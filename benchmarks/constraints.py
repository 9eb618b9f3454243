"""Price and time of FootruleOptimal's bounds for groups, pins and orders.

python benchmarks/constraints.py prices $SKRANKAGG_DATA/robust03 [--depth 20] [--queries 100]
python benchmarks/constraints.py times [--repeat 3]

`prices` merges the runs in FOLDER/runs, cut at --depth, and prints a row for each set of bounds. The groups of the
documents are the four sources of TREC's disks 4 and 5, which are part of the ids. `footrule` is the mean increase of
the distance from the lists, in percent. `queries` is the share of queries whose order the bounds change. nDCG@10 has
linear gains, in percent; the next column is the difference to the order without bounds, plus or minus its standard
error over queries. `capped` is the share of queries in which a source has fewer documents than a bound requires. `time`
is CPU seconds divided by those without bounds.

`times` prints CPU seconds, of the child processes as well, and the same as a multiple of SciPy's
`linear_sum_assignment` for the same costs. The lists are 12 full lists of normal scores. Group a has 30 % of the items
and is weak; there are 30 % and 40 % in the groups b and c, or 70 % in the group b. At least .4 of the places are for a,
and with three groups at least .3 for b. The rows with orders have random pairs, which agree with the items' quality.
`branched` is the number of repetitions whose linear programme does not prove the order.
"""

import argparse
import re
from pathlib import Path

import numpy as np
from _measure import cpu_with_processes, table
from scipy.optimize import linear_sum_assignment

from skrankagg import FootruleOptimal, RankedLists, evaluate
from skrankagg.aggregators._kemeny import _bounded_assignment
from skrankagg.aggregators._kemeny._footrule import _footrule_costs
from skrankagg.datasets import read_lists, read_qrels
from skrankagg.preprocessing import TopK

SOURCES = ("FBIS", "FR", "FT", "LA")


def bounds_of_prices():
    """Return the rows of the table of prices: a name and parameters of FootruleOptimal."""
    fifth, tenth = dict.fromkeys(SOURCES, 0.2), dict.fromkeys(SOURCES, 0.1)
    return [
        ("no bounds", {}),
        ("at least 1 of the first 10 for each source", {"at_least": dict.fromkeys(SOURCES, 1), "bounded": [10]}),
        ("at least .2 of the first 10", {"at_least": fifth, "bounded": [10]}),
        ("at least .2 of each prefix up to 10", {"at_least": fifth, "bounded": 10}),
        ("at least .1 of each prefix", {"at_least": tenth}),
        ("at least .2 of each prefix", {"at_least": fifth}),
        ("at most .5 of the first 10", {"at_most": dict.fromkeys(SOURCES, 0.5), "bounded": [10]}),
        ("at most .5 of each prefix up to 10", {"at_most": dict.fromkeys(SOURCES, 0.5), "bounded": 10}),
    ]


def print_prices(folder, depth, n_queries):
    """Print the table of prices."""
    frame = read_lists(sorted((folder / "runs").iterdir()))
    qrels = read_qrels(next(folder.glob("*qrels*")))
    lists = TopK(depth).transform(RankedLists.from_frame(frame))
    lists = lists.select(queries=lists.queries[:n_queries])
    groups = {item: re.match("FBIS|FR|FT|LA", item)[0] for item in lists.items}
    rows, plain = [], None
    for name, bounds in bounds_of_prices():
        method = FootruleOptimal(**({"item_groups": groups} | bounds if bounds else {}))
        start = cpu_with_processes()
        consensus, info = method.aggregate(lists)
        seconds = cpu_with_processes() - start
        ndcg = 100 * evaluate(consensus, qrels, "ndcg@10", per_query=True, missing_queries="skip")["ndcg@10"].to_numpy()
        if plain is None:
            plain = seconds, ndcg, info["footrule"].to_numpy()
            rows.append([name, "-", "-", f"{ndcg.mean():.2f}", "-", "-", "1.0"])
            continue
        assert info["optimal"].all()
        gain, price = ndcg - plain[1], info["footrule"].to_numpy() / plain[2] - 1
        rows.append(
            [
                name,
                f"{100 * price.mean():+.2f}",
                f"{100 * (price > 0).mean():.0f} %",
                f"{ndcg.mean():.2f}",
                f"{gain.mean():+.2f} ± {gain.std(ddof=1) / len(gain) ** 0.5:.2f}",
                f"{100 * (info['capped'] > 0).mean():.0f} %",
                f"{seconds / plain[0]:.1f}",
            ]
        )
    n = lists.query_n_items
    print(f"{lists.n_queries} queries of {n.min()} to {n.max()} documents, median {np.median(n):.0f}\n")
    table(rows, ["bounds", "footrule %", "queries", "nDCG@10", "difference", "capped", "time"])


CASES = [
    ("no bounds", 200, 2, 0, 0),
    ("2 groups, every prefix", 200, 2, None, 0),
    ("3 groups, first 50", 200, 3, 50, 0),
    ("3 groups, every prefix", 200, 3, None, 0),
    ("3 groups, first 100", 500, 3, 100, 0),
    ("3 groups, first 100", 1000, 3, 100, 0),
    ("20 orders", 60, 2, 0, 20),
    ("5 orders", 100, 2, 0, 5),
    ("3 groups, first 20, 5 orders", 100, 3, 20, 5),
]


def instance(n, n_groups, bounded, n_orders, seed):
    """Return lists of n items, and FootruleOptimal with bounds or orders."""
    rng = np.random.default_rng(seed)
    group = rng.choice(n_groups, size=n, p=[0.3, 0.7] if n_groups == 2 else [0.3, 0.3, 0.4])
    quality = rng.normal(size=n) - (group == 0)
    lists = RankedLists.from_lists([np.argsort(-(quality + rng.normal(size=n))).tolist() for _ in range(12)])
    rules = {}
    if bounded != 0:
        rules["item_groups"] = dict(enumerate("abc"[g] for g in group))
        rules["at_least"] = {"a": 0.4} if n_groups == 2 else {"a": 0.4, "b": 0.3}
        rules["bounded"] = bounded
    if n_orders:
        pairs = [rng.choice(n, 2, replace=False).tolist() for _ in range(n_orders)]
        rules["orders"] = [tuple(sorted(pair, key=lambda item: -quality[item])) for pair in pairs]
    return lists, FootruleOptimal(**rules)


def print_times(repeat):
    """Print the table of times."""
    branched = []
    branch = _bounded_assignment.BoundedAssignment._branch

    def noted(self):
        branched.append(1)
        branch(self)

    _bounded_assignment.BoundedAssignment._branch = noted
    rows = []
    for name, n, *shape in CASES:
        taken, lone, proven = [], [], 0
        branched.clear()
        for seed in range(repeat):
            lists, method = instance(n, *shape, seed)
            cost = _footrule_costs(lists, np.array([0]))[0]
            lone.append(min(_seconds(lambda cost=cost: linear_sum_assignment(cost)) for _ in range(5)))
            with_costs = _seconds(lambda lists=lists: _footrule_costs(lists, np.array([0])))
            start = cpu_with_processes()
            info = method.aggregate(lists)[1]
            taken.append(cpu_with_processes() - start - with_costs)
            proven += bool(info.get("optimal", [True])[0])
        ratio = [one / other for one, other in zip(taken, lone, strict=True)]
        rows.append(
            [
                name,
                n,
                f"{min(taken):.2f} to {max(taken):.2f}",
                f"{np.median(lone):.4f}",
                f"{min(ratio):.0f} to {max(ratio):.0f}",
                f"{proven} of {repeat}",
                len(branched),
            ]
        )
    table(rows, ["rules", "items", "seconds", "assignment s", "ratio", "proven", "branched"])


def _seconds(function):
    start = cpu_with_processes()
    function()
    return cpu_with_processes() - start


def main():
    """Print one of the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    prices = commands.add_parser("prices", help="what bounds cost on real lists")
    prices.add_argument("folder", type=Path)
    prices.add_argument("--depth", type=int, default=20, help="length of the lists")
    prices.add_argument("--queries", type=int, default=None, help="number of queries")
    times = commands.add_parser("times", help="time, as a multiple of an assignment")
    times.add_argument("--repeat", type=int, default=3, help="number of data sets")
    arguments = parser.parse_args()
    if arguments.command == "prices":
        print_prices(arguments.folder, arguments.depth, arguments.queries)
    else:
        print_times(arguments.repeat)


if __name__ == "__main__":
    main()
