"""Times of fusion and evaluation, compared with ranx 0.3 (numba): 1000 queries x 5 runs x 100 items, warm and cold.

Run it from anywhere as `python benchmarks/ranx_fusion.py [warm|cold]`; `pip install 'skrankagg[bench]'` installs ranx.
Calls of ranx run in separate processes. The runs for ranx are built beforehand, and its functions are compiled
beforehand.

- warm: the shortest of several calls; this library is measured from encoded lists and from a frame of strings
- cold: a new process that imports the library, merges two lists and ends
"""

import argparse
import importlib.util
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd
from _measure import best_time, table

from skrankagg import (
    BordaCount,
    CombANZ,
    CombMAX,
    CombMED,
    CombMIN,
    CombMNZ,
    CombSUM,
    Condorcet,
    InverseSquareRank,
    Qrels,
    RankBiasedCentroid,
    RankedLists,
    ReciprocalRankFusion,
    evaluate,
)

# Our methods, and theirs: the method's name, its parameters and the normalisation of scores.
METHODS = {
    "CombSUM": (CombSUM(norm="min-max"), ("sum", {}, "min-max")),
    "CombMNZ": (CombMNZ(norm="min-max"), ("mnz", {}, "min-max")),
    "CombANZ": (CombANZ(), ("anz", {}, "min-max")),
    "CombMAX": (CombMAX(), ("max", {}, "min-max")),
    "CombMIN": (CombMIN(), ("min", {}, "min-max")),
    "CombMED": (CombMED(), ("med", {}, "min-max")),
    "ReciprocalRankFusion": (ReciprocalRankFusion(), ("rrf", {"k": 60}, None)),
    "RankBiasedCentroid": (RankBiasedCentroid(persistence=0.95), ("rbc", {"phi": 0.95}, None)),
    "InverseSquareRank": (InverseSquareRank(), ("isr", {}, None)),
    "BordaCount": (BordaCount(), ("bordafuse", {}, None)),
    "Condorcet": (Condorcet(), ("condorcet", {}, None)),
}
MEASURES = {"map": "map", "ndcg@10": "ndcg@10", "p@10": "precision@10", "recall@100": "recall@100", "mrr": "mrr"}

_WARM = """
import json, sys, time
import pandas as pd
from ranx import Qrels, Run, evaluate, fuse
folder, methods, measures = sys.argv[1], *map(json.loads, sys.argv[2:])
names = {"q_id_col": "query", "doc_id_col": "item"}
text = {"query": object, "item": object}
lists, qrels = (pd.read_csv(f"{folder}/{name}.csv", dtype=text) for name in ("lists", "qrels"))

def make_runs(lists):
    return [Run.from_df(group, score_col="score", **names) for _, group in lists.groupby("voter")]

def best(function):
    times = []
    while len(times) < 5 and sum(times) < 20:
        start = time.perf_counter()
        function()
        times.append(time.perf_counter() - start)
    return min(times)

runs, few = make_runs(lists), make_runs(lists[lists["query"] < "q0002"])
found = {}
for name, (method, params, norm) in methods.items():
    options = {"norm": norm, "method": method, "params": params or None}
    fuse(few, **options)  # compiles
    found[name] = best(lambda: fuse(runs, **options))
qrels = Qrels.from_df(qrels, score_col="relevance", **names)
evaluate(qrels, runs[0], measures)
found["measures"] = best(lambda: evaluate(qrels, runs[0], measures))
with open(f"{folder}/times.json", "w") as file:
    json.dump(found, file)
"""

_COLD_OURS = """
import pandas as pd
from skrankagg import CombSUM
lists = {"query": "q", "voter": ["a", "a", "b", "b"], "item": ["x", "y", "y", "z"], "score": [2.0, 1.0, 3.0, 2.0]}
CombSUM(norm="min-max").fit_transform(pd.DataFrame(lists))
"""

_COLD_THEIRS = """
from ranx import Run, fuse
runs = [Run({"q": {"x": 2.0, "y": 1.0}}), Run({"q": {"y": 3.0, "z": 2.0}})]
fuse(runs, norm="min-max", method="sum")
"""


def make_data(n_queries=1000, n_voters=5, length=100):
    """Generate runs with distinct scores; each query has a pool of 300 items, and a tenth of the pool is relevant."""
    rng = np.random.default_rng(0)
    pool = 3 * length
    items = rng.random((n_queries * n_voters, pool)).argpartition(length, axis=1)[:, :length]
    query = np.repeat(np.arange(n_queries), n_voters * length)
    lists = pd.DataFrame(
        {
            "query": pd.Series(query).map("q{:04d}".format),
            "voter": np.tile(np.repeat([f"run{k}" for k in range(n_voters)], length), n_queries),
            "item": pd.Series(items.ravel()).map("doc{:05d}".format),
            "score": np.sort(rng.random((n_queries * n_voters, length)))[:, ::-1].ravel(),
        }
    )
    relevant = rng.random((n_queries, pool)).argpartition(pool // 10, axis=1)[:, : pool // 10]
    qrels = pd.DataFrame(
        {
            "query": pd.Series(np.repeat(np.arange(n_queries), pool // 10)).map("q{:04d}".format),
            "item": pd.Series(relevant.ravel()).map("doc{:05d}".format),
            "relevance": 1,
        }
    )
    return lists, qrels


def warm(python, sizes):
    """Print the times of this library and of ranx."""
    rows = []
    for name, (codes, frame, ranx) in measure_warm(python, best_time, sizes).items():
        title = "five measures of a run" if name == "measures" else name
        ours = [f"{1e3 * codes:.0f}", f"{1e3 * frame:.0f}"]
        theirs = ["not installed", "-", "-"]
        if ranx is not None:
            theirs = [f"{1e3 * ranx:.0f}", f"{ranx / codes:.1f}x", f"{ranx / frame:.1f}x"]
        rows.append([title, *ours, *theirs])
    table(rows, ["", "encoded ms", "frame ms", "ranx ms", "encoded faster by", "frame faster by"])


def has_ranx(python):
    """Return whether a Python has ranx."""
    if python == sys.executable:
        return importlib.util.find_spec("ranx") is not None
    return subprocess.run([python, "-c", "import ranx"], capture_output=True, check=False).returncode == 0


def measure_ranx(python, frame, qrels, only=None):
    """Return a dict from method to the time of ranx, which the given Python runs; `only` leaves out other methods."""
    with tempfile.TemporaryDirectory() as folder:
        frame.to_csv(f"{folder}/lists.csv", index=False)
        qrels.to_csv(f"{folder}/qrels.csv", index=False)
        theirs = (
            json.dumps({name: theirs for name, (_, theirs) in METHODS.items() if only in (None, name)}),
            json.dumps([*MEASURES.values()]),
        )
        subprocess.run([python, "-W", "ignore", "-c", _WARM, folder, *theirs], check=True, stdout=subprocess.DEVNULL)
        return json.loads(Path(folder, "times.json").read_text(encoding="ascii"))


def measure_warm(python, timed, sizes=(1000, 5, 100)):
    """Return a dict from method to its times: from encoded lists and from a frame by `timed`, and the time of ranx.

    Without ranx, or without a Python, the time of ranx is None.
    """
    frame, qrels = make_data(*sizes)
    times = measure_ranx(python, frame, qrels) if python and has_ranx(python) else {}
    lists, judgements, run = RankedLists.from_frame(frame), Qrels.from_frame(qrels), frame[frame["voter"] == "run0"]
    encoded = RankedLists.from_frame(run)
    calls = {
        name: (lambda m=method: m.fit_transform(lists), lambda m=method: m.fit_transform(frame))
        for name, (method, _) in METHODS.items()
    }
    calls["measures"] = (
        lambda: evaluate(encoded, judgements, list(MEASURES)),
        lambda: evaluate(run, judgements, list(MEASURES)),
    )
    return {name: (*map(timed, pair), times.get(name)) for name, pair in calls.items()}


def cold(python, _):
    """Print the time of a process that merges two lists: the first process, and a later one with numba's cache."""
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "NUMBA_CACHE_DIR": folder}
        for name, interpreter, code in (("skrankagg", sys.executable, _COLD_OURS), ("ranx", python, _COLD_THEIRS)):
            if name == "ranx" and not (interpreter and has_ranx(interpreter)):
                rows.append([name, "not installed", "-"])
                continue

            def call(command=(interpreter, "-W", "ignore", "-c", code)):
                subprocess.run(command, check=True, env=environment)

            first = best_time(call, 1)
            rows.append([name, f"{first:.1f}", f"{best_time(call, 2):.1f}"])
    table(rows, ["", "first process s", "later process s"])


def main():
    """Run the requested part."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("part", choices=("warm", "cold"), nargs="?", default="warm")
    parser.add_argument("--python", default=sys.executable, help="a Python with ranx")
    parser.add_argument(
        "--sizes",
        type=int,
        nargs=3,
        default=(1000, 5, 100),
        metavar=("QUERIES", "RUNS", "ITEMS"),
        help="of the part warm",
    )
    parser.add_argument("--without-ranx", action="store_true", help="measure this library only")
    arguments = parser.parse_args()
    if arguments.without_ranx:
        arguments.python = None

    (warm if arguments.part == "warm" else cold)(arguments.python, arguments.sizes)


if __name__ == "__main__":
    main()
