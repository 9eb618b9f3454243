"""Run PyFLAGR in separate processes, because it can crash; a crash is followed by a new process.

`python tools/flagr_peer.py PYTHON [PYTHON]` writes the answers of PyFLAGR 1.0.18 and 1.0.21 to
tests/flagr_golden.json.gz. Each PYTHON belongs to an environment with one of the two versions. If a version is missing,
its recorded answers are kept. There are 56 random jobs and a job for every configuration. The configurations are each
method with each option. For DIBRA, each base method is combined with each distance, each cut and each scale of the
weights.
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

#: Versions with recorded answers. This library's numbers follow the first one.
VERSIONS = ("1.0.18", "1.0.21")
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
        if "time" in measures:
            measures["time"] = 0.0  # seconds, which differ from call to call
        answer = {"out": out.to_dict("list"), "eval": measures.to_dict("list")}
        log.write(json.dumps([number, answer]) + "\\n")
        log.flush()
"""


def peer_version(python=sys.executable):
    """Return the version of PyFLAGR in an environment, or None if it is not installed."""
    if python == sys.executable:
        try:
            return importlib.metadata.version("pyflagr")
        except importlib.metadata.PackageNotFoundError:
            return None
    code = "import importlib.metadata; print(importlib.metadata.version('pyflagr'))"
    found = subprocess.run([python, "-c", code], capture_output=True, text=True, check=False)
    return found.stdout.strip() or None


def run_peer(jobs, timeout=120, python=sys.executable):
    """Run jobs; for each job, return a dict with `out` and `eval`, or None if PyFLAGR crashed.

    A job is a dict with the `module`, the `name` of the class and its `params`. The entries `lists` and `qrels` are CSV
    text.
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
                [python, "-c", _WORKER, *arguments],
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
    """Generate lists and judgements as CSV text.

    The kinds are "full" lists, "partial" lists, "absent" (some queries lack voters) and "gaps" (ranks skip places).
    Further kinds are "ties" of ranks, "equal scores", and "contradictory" (ranks are shuffled against the scores).
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
    """Generate random jobs; half of the jobs use DIBRA, and the others use all methods, one after another."""
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
                params["prune"] = None  # equal weights have no range, and FLAGR then cuts everything off
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


NORMS = ("borda", "rank", "score", "z-score", "simple-borda")
DISTANCES = ("cosine", "footrule", "rho", "tau")


def every_job(rng):
    """Generate jobs of every configuration: each method with each option."""
    plain = [("Linear", name, {"norm": norm}) for name in ("CombSUM", "CombMNZ") for norm in NORMS]
    plain += [("Linear", "BordaCount", {}), ("Linear", "SimpleBordaCount", {}), ("RRA", "RRA", {"exact": True})]
    plain += [
        (module, name, {key: draw(rng) for key, draw in params.items()})
        for module, name, params in _METHODS
        if module != "Linear"
    ]
    for base, name in enumerate(_BASES):
        cuts = [(None, "low", "wire", True)[(base + k) % 4] for k in range(4)]
        if cuts[DISTANCES.index("tau")] == "low":  # equal weights have no range, and FLAGR then cuts everything off
            cuts.reverse()
        for distance, (dist, prune) in enumerate(zip(DISTANCES, cuts, strict=True)):
            params = {"dist": dist, "prune": prune, "w_norm": ("none", "minmax", "z")[(base // 4 + distance) % 3]}
            plain.append(("Weighted", "DIBRA", {"aggregator": name, **params, "gamma": 1.2, "d1": 0.5, "d2": 0.5}))
    jobs = []
    for number, (module, name, params) in enumerate(plain):
        kind = ("full", "partial", "equal scores")[number % 3]
        if "score" in str(params):
            kind = "full"  # a list of equal scores makes FLAGR divide zero by zero
        sizes = {"n_items": 5 if name == "KemenyOptimal" else 8, "n_voters": 6, "n_queries": 2}
        jobs.append({"module": module, "name": name, "params": params, **random_lists(rng, kind=kind, **sizes)})
    return jobs


def compare(job, answer):
    """Check that our answer equals the answer of PyFLAGR 1.0.18, item by item and number by number."""
    out, measures = run_ours(job)
    theirs = pd.DataFrame(answer["out"])
    assert out["Query"].astype(str).tolist() == theirs["Query"].astype(str).tolist()
    assert out["ItemID"].tolist() == theirs["ItemID"].tolist()
    assert out["Rank"].tolist() == theirs["Rank"].tolist()
    assert out["Aggregator"].tolist() == theirs["Aggregator"].tolist()
    np.testing.assert_allclose(out["Score"], theirs["Score"].astype(float), rtol=1e-9, atol=1.01e-6)
    theirs = pd.DataFrame(answer["eval"])
    assert measures.columns.tolist() == [*theirs.columns.drop("time", errors="ignore"), "time"]
    assert measures["q"].tolist() == theirs["q"].tolist()
    assert (measures["time"] > 0).all() and measures["time"].nunique() == 1
    numbers = measures.columns[1:-1]
    np.testing.assert_allclose(measures[numbers], theirs[numbers], rtol=0, atol=1.01e-6)


#: Computations in which PyFLAGR 1.0.21 differs from 1.0.18.
CHANGES = ("norm=score", "prune=wire", "written ranks")


def change_of(job):
    """Return the first change of 1.0.21 that concerns a job, or None."""
    params = job["params"]
    if str(params.get("norm", params.get("aggregator"))).split(":")[-1] == "score":
        return CHANGES[0]
    if params.get("prune") == "wire":
        return CHANGES[1]
    return None if lists_by_rank(job)["lists"] == job["lists"] else CHANGES[2]


def lists_by_rank(job):
    """Return the job with each list sorted by its ranks and numbered from 1, as version 1.0.21 reads it.

    The sorted rows get the scores of the list in descending order, so that version 1.0.18 keeps the order of the rows.
    For z-scores, each item keeps its score.
    """
    params = job["params"]
    own = str(params.get("norm", params.get("aggregator"))).endswith("z-score")
    rows = [line.split(",") for line in job["lists"].splitlines()]
    lists = {}
    for row in rows:
        lists.setdefault((row[0], row[1]), []).append(row)
    found = []
    for ranked in lists.values():
        scores = sorted((row[4] for row in ranked), key=float, reverse=True)
        ranked.sort(key=lambda row: int(row[3]))
        scores = [row[4] for row in ranked] if own else scores
        for place, (row, score) in enumerate(zip(ranked, scores, strict=True), 1):
            found.append(",".join([*row[:3], str(place), score, row[5]]) + "\n")
    return {**job, "lists": "".join(found)}


def compare_1_0_21(job, answer):
    """Check that PyFLAGR 1.0.21 differs from our answer only in its known changes since 1.0.18.

    The numbers of DIBRA with ``norm="score"`` or ``prune="wire"`` are not checked. Returns the change that concerns the
    job, or None.
    """
    change = change_of(job)
    assert list(answer["eval"])[-1] == "time"
    if change == "norm=score":
        if job["name"] != "DIBRA":
            _compare_scores_upside_down(job, answer)
    elif change != "prune=wire" and not _is_cut_by_rank(job):
        compare(lists_by_rank(job), answer)
    return change


def _is_cut_by_rank(job):
    """Return True if a job cuts lists whose ranks contradict their scores; this library cuts by the scores."""
    if job["params"].get("prune") != "low" or not job["params"]["aggregator"].endswith("z-score"):
        return False
    rows = pd.read_csv(io.StringIO(job["lists"]), header=None)
    return bool((rows.sort_values(3, kind="stable").groupby([0, 1])[4].diff() > 0).any())


def _compare_scores_upside_down(job, answer):
    """Check that the scores of an answer of 1.0.21 are sums of (max - x) / (max - min) over the lists.

    Version 1.0.21 takes max and min only from the first and the last score of each list.
    """
    rows = pd.read_csv(io.StringIO(job["lists"]), header=None, names=["query", "voter", "item", "rank", "x", "source"])
    rows = rows.sort_values("rank", kind="stable")
    ends = rows.groupby(["query", "voter"])["x"]
    first, last = ends.transform("first"), ends.transform("last")
    top, bottom = np.maximum(first, last), np.minimum(first, last)
    rows["value"] = (top - rows["x"]) / (top - bottom)
    found = rows.groupby(["query", "item"])["value"].agg(["sum", "size"])
    expected = found["sum"] * (found["size"] if job["name"] == "CombMNZ" else 1)
    theirs = pd.DataFrame(answer["out"]).set_index(["Query", "ItemID"])["Score"].astype(float)
    theirs.index.names = expected.index.names
    np.testing.assert_allclose(expected, theirs.reindex(expected.index), atol=1.01e-6)


def run_ours(job):
    """Run a job in this library's compatibility module."""
    module = importlib.import_module(f"skrankagg.compat.pyflagr.{job['module']}")
    frames = [pd.read_csv(io.StringIO(job[kind]), header=None) for kind in ("lists", "qrels")]
    return getattr(module, job["name"])(**job["params"]).aggregate(input_df=frames[0], rels_df=frames[1])


def is_comparable(job, answer):
    """Return True if PyFLAGR's answer is usable, without a crash and without a division of zero by zero."""
    if answer is None:
        return False
    scores = np.array(answer["out"]["Score"], dtype=float)
    if np.isnan(scores).any():
        return False
    # Majorities hide NaN weights: all comparisons with NaN are false.
    hides = job["params"].get("aggregator") in {"condorcet", "copeland", "outrank"}
    table = pd.DataFrame(answer["out"])
    return not (hides and (table["Score"].astype(float).abs().groupby(table["Query"]).max() == 0).any())


def golden_answers():
    """Read the recorded jobs.

    The `answers` of a job map each version to `out` and `eval`, or to None if the answer is unusable.
    """
    with gzip.open(GOLDEN, "rt", encoding="utf-8") as file:
        return json.load(file)


def main():
    """Record the golden answers again."""
    pythons = {peer_version(python): python for python in sys.argv[1:]}
    if not pythons or not set(pythons) <= set(VERSIONS):
        raise SystemExit(f"Pass Pythons with PyFLAGR {' or '.join(VERSIONS)}; found {', '.join(map(str, pythons))}.")
    jobs = [*random_jobs(np.random.default_rng(1), 56), *every_job(np.random.default_rng(2))]
    if set(pythons) != set(VERSIONS):
        recorded = {json.dumps([job["name"], job["params"], job["lists"]]): job["answers"] for job in golden_answers()}
    answers = {}
    for version in VERSIONS:
        if version in pythons:
            answers[version] = run_peer(jobs, python=pythons[version])
        else:
            keys = (json.dumps([job["name"], job["params"], job["lists"]]) for job in jobs)
            answers[version] = [recorded.get(key, {}).get(version) for key in keys]
    golden = []
    for number, job in enumerate(jobs):
        own = {version: answers[version][number] for version in VERSIONS}
        own = {version: answer if is_comparable(job, answer) else None for version, answer in own.items()}
        if own[VERSIONS[0]] is not None:
            golden.append({**job, "answers": own})
    with gzip.GzipFile(GOLDEN, "wb", mtime=0) as file:
        file.write(json.dumps(golden).encode())
    print(len(golden), "golden answers of", len(jobs))


if __name__ == "__main__":
    main()
