"""PyFLAGR 1.0.18 in processes of its own, since it can crash: many calls in one process, and a new one after a crash.

`python tools/flagr_peer.py` writes its answers to 56 random jobs into tests/flagr_golden.json.gz.
"""

import gzip
import importlib
import importlib.metadata
import io
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd

GOLDEN = Path(__file__).resolve().parents[1] / "tests" / "flagr_golden.json.gz"

_WORKER = """
import importlib, json, sys
import pandas as pd
jobs, done, first = sys.argv[1], sys.argv[2], int(sys.argv[3])
with open(done, "a") as log:
    for number, job in enumerate(json.load(open(jobs))):
        if number < first:
            continue
        method = getattr(importlib.import_module("pyflagr." + job["module"]), job["name"])(**job["params"])
        out, measures = method.aggregate(input_file=job["lists"], rels_file=job["qrels"])
        answer = {"out": out.to_dict("list"), "eval": measures.to_dict("list")}
        log.write(json.dumps([number, answer]) + "\\n")
        log.flush()
"""


def has_peer():
    """Whether PyFLAGR 1.0.18, and no other version, is installed."""
    try:
        return importlib.metadata.version("pyflagr") == "1.0.18"
    except importlib.metadata.PackageNotFoundError:
        return False


def run_peer(jobs, timeout=120):
    """Run jobs; returns a dict with `out` and `eval` for each, or None where PyFLAGR crashed.

    A job is a dict with the `module`, the `name` of the class, its `params`, and `lists` and `qrels` as text of CSV.
    """
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        written = []
        for number, job in enumerate(jobs):
            paths = {}
            for kind in ("lists", "qrels"):
                path = folder / f"{kind}{number}.csv"
                path.write_text(job[kind], encoding="ascii")
                paths[kind] = str(path)
            written.append({**job, **paths})
        (folder / "jobs.json").write_text(json.dumps(written), encoding="ascii")
        done = folder / "done.jsonl"
        done.touch()
        answers = [None] * len(jobs)
        first = 0
        while first < len(jobs):
            arguments = [str(folder / "jobs.json"), str(done), str(first)]
            subprocess.run(
                [sys.executable, "-c", _WORKER, *arguments],
                cwd=folder,
                env={"TMPDIR": str(folder), "PATH": ""},
                capture_output=True,
                timeout=timeout,
                check=False,
            )
            for line in done.read_text(encoding="ascii").splitlines():
                number, answer = json.loads(line)
                answers[number] = answer
            finished = [number for number in range(first, len(jobs)) if answers[number] is not None]
            first = max(finished, default=first - 1) + 1
            if first < len(jobs):
                first += 1  # the job that crashed stays None
        return answers


_BASES = [f"{kind}:{norm}" for kind in ("combsum", "combmnz") for norm in ("borda", "rank", "score", "z-score")]
_BASES += ["combsum:simple-borda", "combmnz:simple-borda", "condorcet", "copeland", "outrank"]


def random_lists(rng, *, kind, n_items, n_voters, n_queries):
    """Lists and judgements as text of CSV.

    Kinds are "full" lists, "partial" ones, "absent" where voters lack in some queries, "gaps" where ranks leave some
    out, "ties" of ranks, "equal scores", and "contradictory" where ranks are shuffled against the scores.
    """
    names = [f"x{k}" for k in rng.choice(9999, n_items, replace=False)]
    lists = []
    for q in range(n_queries):
        for v in range(n_voters):
            if kind == "absent" and v > 1 and rng.random() < 0.3:
                continue
            length = n_items if kind == "full" else int(rng.integers(2, n_items + 1))
            items = rng.permutation(n_items)[:length]
            scores = sorted(rng.random(length).round(4), reverse=True)
            ranks = range(1, length + 1)
            if kind == "contradictory":
                ranks = rng.permutation(length) + 1
            elif kind == "gaps":
                ranks = rng.integers(1, 3, length).cumsum()
            elif kind == "ties":
                ranks = 1 + rng.integers(0, 2, length).cumsum()
            elif kind == "equal scores":
                scores = [round(score, 1) for score in scores]
            rows = zip(items, ranks, scores, strict=True)
            lists += [f"t{q},v{v},{names[item]},{rank},{score},s\n" for item, rank, score in rows]
    qrels = [f"t{q},0,{name},{int(rng.random() < 0.5)}\n" for q in range(n_queries) for name in names]
    return {"lists": "".join(lists), "qrels": "".join(qrels)}


def random_jobs(rng, n_jobs):
    """Jobs of all methods in turn, half of them DIBRA."""
    jobs = []
    for number in range(n_jobs):
        kind = str(rng.choice(["full", "partial", "absent", "gaps", "ties", "equal scores", "contradictory"]))
        if number % 2:
            module, name = "Weighted", "DIBRA"
            params = {
                "aggregator": _BASES[(number // 2) % len(_BASES)],
                "w_norm": str(rng.choice(["none", "minmax", "z"])),
                "dist": str(rng.choice(["cosine", "footrule", "rho", "tau"])),
                "prune": [None, "low", "wire"][int(rng.integers(3))],
                "gamma": float(rng.choice([1.2, 1.5, 3.0])),
                "num_buckets": int(rng.integers(2, 6)),
                "d1": float(rng.choice([0.3, 0.5, 0.8])),
                "d2": float(rng.choice([0.2, 0.5, 1.0])),
            }
            if params["dist"] == "tau" and params["prune"] == "low":
                params["prune"] = None  # equal weights have no span, and FLAGR then cuts everything off
        else:
            module, name, params = _METHODS[(number // 2) % len(_METHODS)]
            params = {key: draw(rng) for key, draw in params.items()}
            if name == "KemenyOptimal" and kind == "absent":
                kind = "partial"  # an empty list makes FLAGR's sums NaN
        n_items = int(rng.integers(4, 8 if name == "KemenyOptimal" else 10))
        sizes = {"n_items": n_items, "n_voters": int(rng.integers(4, 9)), "n_queries": int(rng.integers(1, 4))}
        jobs.append({"module": module, "name": name, "params": params, **random_lists(rng, kind=kind, **sizes)})
    return jobs


def _norm(rng):
    return str(rng.choice(["borda", "rank", "score", "z-score", "simple-borda"]))


def _share(low, high):
    return lambda rng: round(rng.uniform(low, high), 2)


_CHAIN = {"eval_pts": lambda rng: 5, "ergodic_number": _share(0.05, 0.5), "max_iterations": lambda rng: 20}
_METHODS = [
    ("Linear", "CombSUM", {"norm": _norm}),
    ("Linear", "CombMNZ", {"norm": _norm}),
    ("Majoritarian", "CondorcetWinners", {}),
    ("Majoritarian", "CopelandWinners", {}),
    (
        "Majoritarian",
        "OutrankingApproach",
        {
            "preference": _share(0, 0.4),
            "veto": _share(0.2, 0.9),
            "concordance": _share(0, 0.5),
            "discordance": _share(0.1, 0.6),
        },
    ),
    *(("MarkovChains", name, _CHAIN) for name in ("MC1", "MC2", "MC3", "MC4", "MCT")),
    ("Kemeny", "KemenyOptimal", {}),
    ("RRA", "RRA", {}),
    ("Weighted", "PreferenceRelationsGraph", {"alpha": _share(0.1, 0.45), "beta": _share(0.1, 0.9)}),
    ("Weighted", "Agglomerative", {"c1": _share(0.1, 2), "c2": _share(0.1, 2)}),
]


def compare(job, answer):
    """Whether our answer is PyFLAGR's, item for item and number for number."""
    out, measures = run_ours(job)
    theirs = pd.DataFrame(answer["out"])
    assert out["Query"].astype(str).tolist() == theirs["Query"].astype(str).tolist()
    assert out["ItemID"].tolist() == theirs["ItemID"].tolist()
    assert out["Rank"].tolist() == theirs["Rank"].tolist()
    assert out["Aggregator"].tolist() == theirs["Aggregator"].tolist()
    np.testing.assert_allclose(out["Score"], theirs["Score"].astype(float), rtol=1e-9, atol=1.01e-6)
    theirs = pd.DataFrame(answer["eval"])
    assert measures.columns.tolist() == theirs.columns.tolist()
    assert measures["q"].tolist() == theirs["q"].tolist()
    np.testing.assert_allclose(measures.iloc[:, 1:], theirs.iloc[:, 1:], rtol=0, atol=1.01e-6)


def run_ours(job):
    """Run a job in this library's compatibility module."""
    module = importlib.import_module(f"skrankagg.compat.pyflagr.{job['module']}")
    frames = [pd.read_csv(io.StringIO(job[kind]), header=None) for kind in ("lists", "qrels")]
    return getattr(module, job["name"])(**job["params"]).aggregate(input_df=frames[0], rels_df=frames[1])


def is_comparable(job, answer):
    """Whether PyFLAGR has answered without a crash and without dividing 0 by 0."""
    if answer is None:
        return False
    scores = np.array(answer["out"]["Score"], dtype=float)
    if np.isnan(scores).any():
        return False
    # Majorities hide weights that are NaN: all comparisons with NaN are false.
    hides = job["params"].get("aggregator") in {"condorcet", "copeland", "outrank"}
    table = pd.DataFrame(answer["out"])
    return not (hides and (table["Score"].astype(float).abs().groupby(table["Query"]).max() == 0).any())


def golden_answers():
    """Recorded jobs, each with the answers `out` and `eval`."""
    with gzip.open(GOLDEN, "rt", encoding="utf-8") as file:
        return json.load(file)


def main():
    """Record the golden answers again."""
    jobs = random_jobs(np.random.default_rng(1), 56)
    answers = run_peer(jobs)
    golden = [{**job, **answer} for job, answer in zip(jobs, answers, strict=True) if is_comparable(job, answer)]
    with gzip.GzipFile(GOLDEN, "wb", mtime=0) as file:
        file.write(json.dumps(golden).encode())
    print(len(golden), "golden answers of", len(jobs))


if __name__ == "__main__":
    main()
