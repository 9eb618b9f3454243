"""PyFLAGR 1.0.18 in processes of its own, for it can crash: many calls in one process, and a new one after a crash."""

import importlib.metadata
import json
import subprocess
import sys
import tempfile
from pathlib import Path

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
