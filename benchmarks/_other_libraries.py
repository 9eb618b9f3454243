"""Consensus lists of ranx and PyFLAGR, which run in another Python, for the benchmark on judged collections."""

import json
import signal
import subprocess
import tempfile
from pathlib import Path
from typing import NamedTuple

import pandas as pd

# Methods of ranx 0.3 that need no training: the name, the parameters and the normalisation of scores.
RANX = [
    *((name, {}, "min-max") for name in ("sum", "mnz", "anz", "max", "med", "min")),
    *(("sum", {}, norm) for norm in ("max", "sum", "zmuv", "rank", "borda")),
    ("gmnz", {"gamma": 0.5}, "min-max"),
    ("rrf", {"k": 60}, None),
    ("rbc", {"phi": 0.98}, None),
    ("isr", {}, None),
    ("log_isr", {}, None),
    ("logn_isr", {"sigma": 0.01}, None),
    ("bordafuse", {}, None),
    ("condorcet", {}, None),
]
# Methods of PyFLAGR: the module, the class and the arguments. KemenyOptimal tries all orders, so it is left out.
PYFLAGR = [
    *(
        ("Linear", name, {"norm": norm})
        for name in ("CombSUM", "CombMNZ")
        for norm in ("borda", "rank", "score", "z-score", "simple-borda")
    ),
    ("Linear", "BordaCount", {}),
    ("Linear", "SimpleBordaCount", {}),
    ("Majoritarian", "CondorcetWinners", {}),
    ("Majoritarian", "CopelandWinners", {}),
    ("Majoritarian", "OutrankingApproach", {}),
    *(("MarkovChains", name, {"eval_pts": 10}) for name in ("MC1", "MC2", "MC3", "MC4", "MCT")),
    ("RRA", "RRA", {"exact": False}),
    ("RRA", "RRA", {"exact": True}),
    ("Weighted", "PreferenceRelationsGraph", {}),
    ("Weighted", "Agglomerative", {}),
    ("Weighted", "DIBRA", {}),
    ("Weighted", "DIBRA", {"prune": "low"}),
    ("Weighted", "DIBRA", {"prune": "wire"}),
]

_VERSIONS = """
import importlib.metadata, json
found = {}
for name in ("ranx", "pyflagr"):
    try:
        found[name] = importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        pass
print(json.dumps(found))
"""

# The time is without imports, conversions and, for ranx, compilation.
_SCRIPT = """
import importlib, json, sys, time
import pandas as pd
from pathlib import Path
library, folder, jobs = sys.argv[1], Path(sys.argv[2]), json.loads(sys.argv[3])
ids = {"query": object, "voter": object, "item": object}
lists = pd.read_csv(folder / "lists.csv", dtype=ids, keep_default_na=False)

def resident(field):
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith(field + ":"))

def measured(function):
    Path("/proc/self/clear_refs").write_text("5")
    before, start = resident("VmRSS"), time.process_time()
    result = function()
    return result, {"seconds": time.process_time() - start, "memory": resident("VmHWM") - before}

if library == "ranx":
    from ranx import Run, fuse

    def made(part):
        names = {"q_id_col": "query", "doc_id_col": "item", "score_col": "score"}
        return [Run.from_df(group[list(names.values())], **names) for _, group in part.groupby("voter", sort=False)]

    runs, first = made(lists), made(lists[lists["query"] == lists["query"].iloc[0]])
else:
    lists["rank"] = lists.groupby(["query", "voter"], sort=False).cumcount() + 1
    lists = lists[["query", "voter", "item", "rank", "score"]].assign(source="x")

def ranx(name, params, norm):
    options = {"method": name, "params": params or None, "norm": norm}
    fuse(first, **options)  # compiles
    run, found = measured(lambda: fuse(runs, **options))
    return run.to_dataframe().rename(columns={"q_id": "query", "doc_id": "item"}), found

def pyflagr(module, name, params):
    method = getattr(importlib.import_module("pyflagr." + module), name)(**params)
    (run, _), found = measured(lambda: method.aggregate(input_df=lists))
    run = run.rename(columns={"Query": "query", "ItemID": "item", "Rank": "rank"})
    return run[["query", "item", "rank"]], found

for k, job in enumerate(jobs):
    try:
        run, found = (ranx if library == "ranx" else pyflagr)(*job)
    except Exception as error:
        found = {"error": f"{type(error).__name__}: {error}"}
    else:
        run.to_csv(folder / f"run{k}.csv", index=False)
    (folder / f"found{k}.json").write_text(json.dumps(found))
"""


class TooSlow(Exception):
    """The process of the other library has used up its CPU time."""


class Peer(NamedTuple):
    """A method of another library: library, version, the Python that runs it, name, and arguments of the call."""

    library: str
    version: str
    python: str
    name: str
    job: tuple

    def __repr__(self):
        return self.name


def merge_by(peers, lists):
    """Merge ranked lists with scores by several methods of one library, in a process of that library.

    Each method has an entry in the result: the consensus, CPU seconds and bytes of memory, or an exception.
    """
    library, python, jobs = peers[0].library, peers[0].python, json.dumps([peer.job for peer in peers])
    with tempfile.TemporaryDirectory() as folder:
        lists.to_frame()[["query", "voter", "item", "score"]].to_csv(f"{folder}/lists.csv", index=False)
        call = [python, "-W", "ignore", "-c", _SCRIPT, library, folder, jobs]
        # PyFLAGR writes files with fixed names into the working directory.
        done = subprocess.run(call, cwd=folder, capture_output=True, text=True, errors="replace", check=False)
        return [_read_result(Path(folder), k, done) for k in range(len(peers))]


def _read_result(folder, k, done):
    """Read the result of the k-th method; if there is none, return an exception that gives the reason."""
    path = folder / f"found{k}.json"
    if not path.exists():
        if -done.returncode == signal.SIGXCPU:
            return TooSlow()
        last = done.stderr.strip().splitlines()[-1:] or [f"the process ended with code {done.returncode}"]
        return RuntimeError(last[0])
    found = json.loads(path.read_text(encoding="ascii"))
    if "error" in found:
        return RuntimeError(found["error"])
    run = pd.read_csv(folder / f"run{k}.csv", dtype={"query": str, "item": str}, keep_default_na=False)
    return (run, found["seconds"], found["memory"]) if len(run) else RuntimeError("an empty result")


def peers_of(python):
    """List the methods of ranx and of PyFLAGR that are installed in another Python."""
    done = subprocess.run([python, "-c", _VERSIONS], capture_output=True, text=True, check=True)
    versions = json.loads(done.stdout)
    jobs = {
        "ranx": [(_ranx_name(*job), job) for job in RANX],
        "pyflagr": [(_call("pyflagr." + name, params), (module, name, params)) for module, name, params in PYFLAGR],
    }
    return [
        Peer(library, version, python, name, job)
        for library, version in versions.items()
        for name, job in jobs[library]
    ]


def _ranx_name(name, params, norm):
    return _call(f"ranx.{name}", params | ({"norm": norm} if norm else {}))


def _call(name, params):
    return f"{name}({', '.join(f'{key}={value!r}' for key, value in params.items())})"
