"""Measure which lines and branches of the package the tests run, and compare their shares with tools/coverage.toml.

    SKRANKAGG_MYPYC=off pip install -e ".[coverage]"
    python tools/measure_coverage.py                     # the whole suite; exit with 1 if too little is covered
    python tools/measure_coverage.py --write             # the whole suite; write the shares to tools/coverage.toml
    python tools/measure_coverage.py tests/metrics       # some tests, and the lines that they do not run
    python tools/measure_coverage.py --add tests/stats   # some more tests, added to the last measurement
    python tools/measure_coverage.py --report            # no tests: the report of the last measurement

The kernels must run as plain Python, because coverage.py cannot see into compiled modules. Processes that the tests
start are measured as well. `tools/coverage.toml` contains the shares, and the lines that no test runs, each with the
reason. The report prints every other line that no test runs, and every branch that no test takes.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import tomllib
from importlib.util import find_spec
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
RECORD = ROOT / "tools" / "coverage.toml"
DATA = ROOT / ".coverage"
#: The measurement fails if a share is lower than the recorded share by more percentage points than this.
MARGIN = 0.5
#: Some lines run only in exhaustive tests of these files. The other exhaustive tests repeat what shorter tests run.
EXHAUSTIVE = ("tests/command_line/test_longer_work.py",)
# Modules of the optional libraries that tests need. Without them, these tests are skipped.
LIBRARIES = (
    "choix",
    "cosmic_ray",
    "dask",
    "distributed",
    "elasticsearch",
    "evalica",
    "ir_measures",
    "krippendorff",
    "langchain_classic",
    "llama_index",
    "matplotlib",
    "networkx",
    "polars",
    "pyarrow",
    "pyspark",
    "pyterrier",
    "pytrec_eval",
    "qdrant_client",
    "ranx",
    "skops",
    "statsmodels",
    "weaviate",
)


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        description=__doc__.partition("\n")[0], formatter_class=argparse.ArgumentDefaultsHelpFormatter
    )
    parser.add_argument("tests", nargs="*", help="files and folders of tests; all tests if none is named")
    parser.add_argument("--add", action="store_true", help="add to the last measurement")
    parser.add_argument("--report", action="store_true", help="run no tests")
    parser.add_argument("--write", action="store_true", help="write the shares to tools/coverage.toml")
    parser.add_argument("--processes", default="auto", help="processes that share the tests")
    args = parser.parse_args(argv)
    code = 0 if args.report else measure(args.tests, args.add, args.processes)
    found = coverage_of_files()
    exceptions = tomllib.loads(RECORD.read_text(encoding="utf-8")).get("exception", [])
    for line in report(found, exceptions, args.tests):
        print(line)
    measured = shares(found)
    print(*(f"{kind}: {share:.2f} % covered" for kind, share in measured.items()), sep="\n")
    if code:
        print(f"The tests ended with exit code {code}, so the shares are not compared.")
    elif args.write:
        write(measured)
    elif not args.tests:
        complaints = compare(measured, tomllib.loads(RECORD.read_text(encoding="utf-8"))["shares"])
        print(*complaints, sep="\n")
        code = int(bool(complaints))
    return code


def measure(tests: list[str], add: bool, processes: str) -> int:
    """Run tests and measure what they run; return the exit code of pytest."""
    missing = [name for name in LIBRARIES if find_spec(name) is None]
    if missing:
        raise SystemExit(f'Install the libraries that tests need: pip install -e ".[coverage]"; missing: {missing}.')
    environment = {
        **os.environ,
        "COVERAGE_FILE": str(DATA),
        "COVERAGE_RCFILE": str(ROOT / "pyproject.toml"),
        "MPLBACKEND": "Agg",
        "PYTHONPATH": os.pathsep.join(filter(None, [str(ROOT / "tools"), os.environ.get("PYTHONPATH")])),
        "SKRANKAGG_EXPECT": "interpreted",
    }
    if not add:
        subprocess.run([sys.executable, "-m", "coverage", "erase"], cwd=ROOT, env=environment, check=True)
    options = ["-q", "-n", processes, "--dist", "worksteal", "-p", "measure_coverage"]
    parts = [tests] if tests else [[], ["-m", "exhaustive", *EXHAUSTIVE]]
    command = [sys.executable, "-m", "coverage", "run", "-m", "pytest", *options]
    return max(subprocess.run([*command, *part], cwd=ROOT, env=environment).returncode for part in parts)


def pytest_sessionfinish() -> None:
    """Save the data of a process that shares the tests, because pytest-xdist kills it 10 seconds after its last test.

    pytest calls this function, because :func:`measure` passes this module as a plugin.
    """
    from coverage import Coverage

    if (coverage := Coverage.current()) is not None:
        coverage.save()


def coverage_of_files() -> dict:
    """Combine the data of all processes; return coverage.py's report of each file of the package."""
    from coverage import Coverage

    coverage = Coverage(data_file=str(DATA), config_file=str(ROOT / "pyproject.toml"))
    if DATA.exists():
        coverage.load()  # otherwise `combine` would overwrite the data of earlier measurements
    coverage.combine()
    coverage.save()
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "coverage.json")
        coverage.json_report(outfile=str(file))
        return json.loads(file.read_text(encoding="utf-8"))["files"]


def shares(found: dict) -> dict[str, float]:
    """Return the percentages of lines and of branches that were run, rounded to two digits."""
    totals = {
        kind: [sum(one["summary"][name] for one in found.values()) for name in names]
        for kind, names in (
            ("lines", ("covered_lines", "num_statements")),
            ("branches", ("covered_branches", "num_branches")),
        )
    }
    return {kind: round(100 * covered / number, 2) for kind, (covered, number) in totals.items()}


def compare(measured: dict[str, float], recorded: dict[str, float]) -> list[str]:
    """Return a sentence for each share that is too low."""
    return [
        f"{kind}: {measured[kind]:.2f} % is more than {MARGIN} points below the recorded {share:.2f} %. "
        "Add tests for the lines above."
        for kind, share in recorded.items()
        if measured[kind] < share - MARGIN
    ]


def report(found: dict, exceptions: list[dict], tests: list[str]) -> list[str]:
    """Describe the uncovered lines and branches that the list of exceptions does not contain.

    If some tests were chosen, only files that they run are described.
    """
    lines = []
    for name, one in sorted(found.items()):
        listed = listed_lines((ROOT / name).read_text(encoding="utf-8"), name, exceptions)
        missing = [line for line in one["missing_lines"] if line not in listed]
        branches = [
            (start, end)
            for start, end in one["missing_branches"]
            if start not in listed and not {start, end} & {*one["missing_lines"]}
        ]
        if tests and not any(Path(name).parts[1] in Path(test).parts for test in tests):
            continue
        if missing:
            lines.append(f"{name}: no test runs {_spans(missing)}")
        lines += [f"{name}: no test goes from {start} to {_destination(end)}" for start, end in branches]
    return lines


def listed_lines(source: str, name: str, exceptions: list[dict]) -> set[int]:
    """Return the numbers of the lines that the exceptions of a file contain."""
    code = [line.strip() for line in source.splitlines()]
    listed = set()
    for one in exceptions:
        part = [line.strip() for line in one["code"].strip().splitlines()]
        if one["file"] == name:
            for first in range(len(code) - len(part) + 1):
                if code[first : first + len(part)] == part:
                    listed |= {*range(first + 1, first + 1 + len(part))}
    return listed


def _spans(lines: list[int]) -> str:
    parts: list[list[int]] = []
    for line in lines:
        if parts and line == parts[-1][1] + 1:
            parts[-1][1] = line
        else:
            parts.append([line, line])
    return ", ".join(f"{first}" if first == last else f"{first}-{last}" for first, last in parts)


def _destination(line: int) -> str:
    return f"{line}" if line > 0 else "the end of its function"


def write(measured: dict[str, float]) -> None:
    """Write the shares to tools/coverage.toml, and keep everything else in this file."""
    text = RECORD.read_text(encoding="utf-8")
    for kind, share in measured.items():
        text = re.sub(rf"^{kind} = .*$", f"{kind} = {share}", text, count=1, flags=re.MULTILINE)
    RECORD.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
