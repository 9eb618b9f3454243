"""Times of every method from a frame of lists to the consensus, and of PyFLAGR 1.0.21 (C++) in the same run.

Run it from anywhere as `python benchmarks/methods.py [table|wide|kemeny|growth|large]`; `pip install
'skrankagg[bench]'` installs PyFLAGR. PyFLAGR is called in separate processes, because it can crash.

- table: the 20 queries x 50 lists x 30 items of FLAGR's test data. Methods that learn are fitted to the judgements of
  these data, and merge the same lists
- wide: one query of 200 full lists x 1000 items; methods that learn are fitted to 100 relevant items
- kemeny: one query of 10 full lists x n items, n = 7 to 11, because PyFLAGR tries all orders
- growth: one query of 100 full lists x n items, n = 250, 500, 1000, 2000; this library only
- large: one query of 500 full lists x 2000 items, with time and peak memory of a single call; this library only.
  CPU time includes processes that a method starts. Kemeny searches for 5 s. Each row is printed when it is measured,
  and a method that refuses the query has a row with the beginning of its message
"""

import argparse
import gc
import importlib.util
import json
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
from _measure import best_time, cpu_with_processes, extra_memory, table

from skrankagg import Kemeny, Qrels
from skrankagg.base import SupervisedAggregator
from skrankagg.datasets import make_rasdagen
from skrankagg.exceptions import InputError
from skrankagg.utils.discovery import all_aggregators, default_methods

# Our names in default_methods(), and theirs: module, class and arguments.
PEERS = {
    **{
        f"{name}[norm={norm}]": ("Linear", name, {"norm": norm})
        for name in ("CombSUM", "CombMNZ")
        for norm in ("borda", "rank", "score", "z-score", "simple-borda")
    },
    "BordaCount": ("Linear", "BordaCount", {}),
    "SimpleBorda": ("Linear", "SimpleBordaCount", {}),
    "Kemeny": ("Kemeny", "KemenyOptimal", {}),
    "Condorcet": ("Majoritarian", "CondorcetWinners", {}),
    "Copeland": ("Majoritarian", "CopelandWinners", {}),
    "Outranking": ("Majoritarian", "OutrankingApproach", {}),
    "MarkovChain[chain=mc1]": ("MarkovChains", "MC1", {"eval_pts": 10}),
    "MarkovChain[chain=mc2]": ("MarkovChains", "MC2", {"eval_pts": 10}),
    "MarkovChain[chain=mc3]": ("MarkovChains", "MC3", {"eval_pts": 10}),
    "MarkovChain[chain=mc4]": ("MarkovChains", "MC4", {"eval_pts": 10}),
    "MarkovChain[chain=mct]": ("MarkovChains", "MCT", {"eval_pts": 10}),
    "RobustRankAggregation": ("RRA", "RRA", {"exact": False}),
    "RobustRankAggregation[exact=True]": ("RRA", "RRA", {"exact": True}),
    "PreferenceRelations": ("Weighted", "PreferenceRelationsGraph", {}),
    "Agglomerative": ("Weighted", "Agglomerative", {}),
    "DIBRA": ("Weighted", "DIBRA", {}),
    "DIBRA[prune=low]": ("Weighted", "DIBRA", {"prune": "low"}),
    "DIBRA[prune=wire]": ("Weighted", "DIBRA", {"prune": "wire"}),
}

# The time limit of Kemeny's search on a large query.
_KEMENY_SECONDS = 5

_THEIRS = """
import importlib, json, sys, time
import pandas as pd
module, name, params, path, repeat, from_file = json.loads(sys.argv[1])
given = {"input_file": path} if from_file else {"input_df": pd.read_csv(path, header=None)}
method = getattr(importlib.import_module("pyflagr." + module), name)(**params)
times = []
for _ in range(repeat):
    start = time.perf_counter()
    out, _ = method.aggregate(**given)
    times.append(time.perf_counter() - start)
    assert len(out), "an empty result"
    if sum(times) > 10:
        break
with open(path + ".time", "w") as file:
    print(min(times), file=file)
"""


def full_lists(n_voters, n_items, n_queries=1):
    """Generate random full lists."""
    rng = np.random.default_rng(0)
    n_lists = n_queries * n_voters
    return pd.DataFrame(
        {
            "query": np.repeat([f"q{k}" for k in range(n_queries)], n_voters * n_items),
            "voter": np.tile(np.repeat([f"v{k}" for k in range(n_voters)], n_items), n_queries),
            "item": np.array([f"i{k:05d}" for k in range(n_items)])[
                np.concatenate([rng.permutation(n_items) for _ in range(n_lists)])
            ],
            "rank": np.tile(np.arange(1, n_items + 1), n_lists),
            "score": np.tile(np.arange(n_items, 0, -1.0), n_lists),
        }
    )


def judgements(lists):
    """Generate judgements: a tenth of the items of each query are relevant."""
    items = lists[["query", "item"]].drop_duplicates(ignore_index=True)
    return Qrels.from_frame(items.assign(relevance=(items.groupby("query").cumcount() % 10 == 0).astype(int)))


def all_methods():
    """Return the default methods and the methods that learn from judgements, by name."""
    learned = {name: method() for name, method in all_aggregators().items() if issubclass(method, SupervisedAggregator)}
    return dict(sorted([*default_methods(), *learned.items()], key=lambda pair: pair[0].partition("[")[0]))


def call_of(method, lists, qrels):
    """Return a function that merges lists; a method that learns is fitted to the judgements first."""
    given = (lists, qrels) if isinstance(method, SupervisedAggregator) else (lists,)
    return lambda: method.fit_transform(*given)


def their_time(name, lists, path, repeat, timeout, *, from_file=False):
    """Measure PyFLAGR's time in seconds from a frame or a file, or return the reason why there is none.

    With a time limit of 0, nothing is measured.
    """
    if name not in PEERS:
        return "-"
    if not timeout:
        return "not measured"
    if importlib.util.find_spec("pyflagr") is None:
        return "not installed"
    lists.assign(source="x").to_csv(path, header=False, index=False)
    answer = Path(f"{path}.time")
    answer.unlink(missing_ok=True)
    arguments = json.dumps([*PEERS[name], str(path), repeat, from_file])
    # FLAGR's output can be gigabytes.
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    try:
        subprocess.run([sys.executable, "-c", _THEIRS, arguments], **quiet, timeout=timeout, check=False)
    except subprocess.TimeoutExpired:
        return f"> {1000 * timeout}"
    return float(answer.read_text(encoding="ascii")) if answer.exists() else "failed"


def compare(lists, qrels, repeat, timeout, chosen, folder):
    """Print the times of this library and of PyFLAGR."""
    rows = []
    for name, method in all_methods().items():
        if chosen and not any(part in name for part in chosen):
            continue
        call = call_of(method, lists, qrels)
        call()
        ours = best_time(call, repeat)
        theirs = their_time(name, lists, folder / "lists.csv", repeat, timeout)
        ratio = theirs / ours if isinstance(theirs, float) else "-"
        rows.append(
            [
                name,
                f"{1e3 * ours:.1f}",
                f"{1e3 * theirs:.1f}" if isinstance(theirs, float) else theirs,
                f"{ratio:.1f}x" if isinstance(ratio, float) else ratio,
            ]
        )
    table(rows, ["method", "skrankagg ms", "PyFLAGR ms", "faster by"])


def kemeny(timeout, folder):
    """Print the times of this library and of PyFLAGR for Kemeny on few items."""
    rows = []
    for n in range(7, 12):
        lists, method = full_lists(10, n), Kemeny(method="exact")
        method.fit_transform(lists)
        ours = best_time(lambda m=method, f=lists: m.fit_transform(f), 3)
        theirs = their_time("Kemeny", lists, folder / "lists.csv", 1, timeout)
        rows.append([n, f"{1e3 * ours:.1f}", f"{1e3 * theirs:.1f}" if isinstance(theirs, float) else theirs])
    table(rows, ["items", "skrankagg ms", "PyFLAGR ms"])


def growth(chosen):
    """Print how the times of this library grow with the number of items."""
    sizes = (250, 500, 1000, 2000)
    frames = [full_lists(100, n) for n in sizes]
    rows = []
    for name, method in default_methods():
        if chosen and not any(part in name for part in chosen):
            continue
        times = [best_time(lambda m=method, f=frame: m.fit_transform(f), 2) for frame in frames]
        rows.append([name, *(f"{1e3 * one:.0f}" for one in times)])
    table(rows, ["method", *(f"n={n} ms" for n in sizes)])


def large(chosen, size=(500, 2000)):
    """Print CPU time and memory for a large query; each row as soon as it is measured."""
    lists = full_lists(*size)
    qrels = judgements(lists)
    methods = [
        (name, method) for name, method in all_methods().items() if not chosen or any(one in name for one in chosen)
    ]
    if not methods:
        raise SystemExit(f"--methods must be parts of names of methods; got {' '.join(chosen)}.")
    width = max(len(name) for name, _ in methods)
    row = f"{{:<{width}}}  {{:>6}}  {{:>10}}"
    print(row.format("method", "CPU s", "memory MiB"), flush=True)
    for name, method in methods:
        if isinstance(method, Kemeny):
            method.set_params(time_limit=_KEMENY_SECONDS)
        gc.collect()
        start = cpu_with_processes()
        try:
            memory, _ = extra_memory(call_of(method, lists, qrels))
        except InputError as error:
            print(f"{name:<{width}}  refused: {str(error).partition('. ')[0]}", flush=True)
            continue
        seconds = cpu_with_processes() - start
        print(row.format(name, f"{seconds:.2f}", f"{memory / 2**20:.0f}"), flush=True)


def main():
    """Run the requested part."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("part", choices=("table", "wide", "kemeny", "growth", "large"), nargs="?", default="table")
    parser.add_argument("--methods", nargs="*", default=[], help="parts of names; default: all")
    parser.add_argument("--repeat", type=int, default=5, help="number of calls of each side; the shortest counts")
    parser.add_argument(
        "--strings",
        choices=("pyarrow", "python"),
        help="how pandas stores strings: python is its storage without pyarrow",
    )
    parser.add_argument(
        "--timeout", type=int, default=60, help="seconds allowed for a method of PyFLAGR; 0 leaves PyFLAGR out"
    )
    parser.add_argument(
        "--sizes",
        type=int,
        nargs=3,
        metavar=("QUERIES", "LISTS", "ITEMS"),
        help="other full lists, except for kemeny and growth",
    )
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    if arguments.strings:
        pd.options.mode.string_storage = arguments.strings
    with tempfile.TemporaryDirectory() as folder:
        if arguments.part in ("table", "wide"):
            queries, voters, items = arguments.sizes or (1, 200, 1000)
            lists = full_lists(voters, items, queries)
            qrels = judgements(lists)
            if arguments.part == "table" and not arguments.sizes:
                lists, qrels = make_rasdagen()
                qrels = Qrels.from_frame(qrels)
            compare(lists, qrels, arguments.repeat, arguments.timeout, arguments.methods, Path(folder))
        elif arguments.part == "kemeny":
            kemeny(arguments.timeout, Path(folder))
        elif arguments.part == "growth":
            growth(arguments.methods)
        else:
            large(arguments.methods, (arguments.sizes or (1, 500, 2000))[1:])


if __name__ == "__main__":
    main()
