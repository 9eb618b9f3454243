"""Change the code of a unit (a file or folder of the package) in one place at a time; check whether its tests fail.

    pip install cosmic-ray
    python tools/mutate.py _kemeny --seed 0 --number 60 --record killed.json

The mutants are made by the operators of cosmic-ray and by two operators for tolerances. Half of the mutants change a
comparison, a number or a tolerance; messages, docstrings and annotations are never changed. The tests run on a copy of
the package in a temporary folder. First all tests run once, to find the lines that each test reaches. Then the tests
that reach a mutant run, the fastest first, until a test fails. A mutant is also killed if a test takes more than ten
times its former duration plus a minute.

`tools/mutants.toml` lists the mutants that no test can kill, each with the proof. With `--record`, a killed mutant does
not run again. This assumes that tests are only added to a unit, and never removed.
"""

import argparse
import ast
import difflib
import functools
import hashlib
import itertools
import json
import os
import random
import re
import shutil
import signal
import sys
import tempfile
import time
import tomllib
import traceback
from collections import Counter, defaultdict
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
EQUIVALENT = ROOT / "tools" / "mutants.toml"
# Tests that run for each method; a unit runs them for its own classes.
COMMON = ("tests/utils/test_common.py", "tests/aggregators/test_repeat.py", "tests/aggregators/test_memory.py")
# The operators of cosmic-ray that change results. Identity of two numbers is irrelevant.
_OPERATORS = re.compile(
    r"core/(ReplaceComparisonOperator_(?!.*_Is(Not)?$)|ReplaceComparisonOperator_Is|NumberReplacer|ReplaceBinaryOperator"
    r"|ReplaceUnaryOperator|ReplaceBreak|ReplaceContinue|ZeroIteration|AddNot|ReplaceTrue|ReplaceFalse|ReplaceAnd"
    r"|ReplaceOr)"
)


@dataclass(frozen=True)
class Unit:
    """A folder or file of the package, with its tests and the classes whose common checks run."""

    path: str
    tests: tuple
    classes: str = "$."


def _aggregators(*names):
    return tuple(f"tests/aggregators/test_{name}.py" for name in names)


UNITS = {
    "_kemeny": Unit(
        "skrankagg/aggregators/_kemeny",
        _aggregators("kemeny", "kemeny_limits", "kemeny_ties", "approximations", "dispersion"),
        "Kemeny|KwikSort|PickAPerm|Footrule",
    ),
    "_majorities": Unit(
        "skrankagg/aggregators/_majorities",
        _aggregators("copeland", "cycles", "outranking", "stacks", "linear"),
        "Condorcet|Copeland|Schulze|RankedPairs|Minimax|Outranking",
    ),
    "_scores": Unit(
        "skrankagg/aggregators/_scores",
        (
            *_aggregators(
                "score_combinations", "position_fusion", "exact_order", "exposure", "weight_scales", "linear"
            ),
            *_aggregators("learned_weights"),
            "tests/inspection/test_rank_confidence.py",
        ),
        "Comb|Borda|ReciprocalRank|RankBiased|InverseSquare",
    ),
    "_models": Unit(
        "skrankagg/aggregators/_models",
        _aggregators("plackett_luce", "hodge_rank", "reliabilities", "arena", "markov"),
        "PlackettLuce|HodgeRank",
    ),
    "_relevance": Unit(
        "skrankagg/metrics/_relevance",
        tuple(
            f"tests/metrics/test_{name}.py"
            for name in ("measures", "measure_names", "missing", "other_names", "own_measures", "peers", "ties")
        ),
    ),
    "stats": Unit(
        "skrankagg/stats",
        ("tests/stats", "tests/model_selection/test_significance.py"),
    ),
    "_consensus": Unit(
        "skrankagg/base/_consensus.py",
        ("tests/base/test_consensus.py", *_aggregators("exact_order")),
        "CombSUM|MAIC|ReciprocalRank",
    ),
}

# ---------------------------------------------------------------------- mutants


@dataclass(frozen=True)
class Mutant:
    """A file with one change: the old lines, the new lines, and the lines of the changed statement."""

    file: str
    line: int
    statement: range
    code: str
    old: str
    new: str

    @property
    def key(self):
        """Return a name of the mutant that stays the same if its line moves."""
        return f"{self.file}: {self.old} -> {self.new}"


@dataclass(frozen=True)
class Place:
    """A place in a file, with the functions that change it and a mark for comparisons, numbers and tolerances."""

    file: str
    source: str
    start: tuple
    statement: range
    is_bound: bool
    changes: tuple

    def mutant(self, rng):
        """Draw a change that results in valid Python; return None if there is no such change."""
        for change in rng.sample(self.changes, len(self.changes)):
            code = change()
            if _compiles(code):
                return Mutant(self.file, self.start[0], self.statement, code, *_changed(self.source, code))
        return None


def places(file, source):
    """Find all places of a file that mutants change."""
    statements, headers, left_out = _statements(ast.parse(source))
    found = defaultdict(list)
    for kind, start, change in [*_of_cosmic_ray(source), *_of_tolerances(source)]:
        # The star of a signature is not a product.
        is_star = kind == "ReplaceBinaryOperator" and any(start[0] in lines for lines in headers)
        if not is_star and not any(first <= start < last for first, last in left_out):
            found[start, kind].append(change)
    return [
        Place(
            file,
            source,
            start,
            next((span for span in statements if start[0] in span), range(start[0], start[0] + 1)),
            kind in ("ReplaceComparisonOperator", "NumberReplacer", "Tolerance"),
            tuple(changes),
        )
        for (start, kind), changes in sorted(found.items(), key=lambda one: one[0])
    ]


def draw(found, number, seed):
    """Draw mutants of different places; half of the places are bounds (comparisons, numbers and tolerances).

    With the same seed, a larger number only adds mutants.
    """
    rng = random.Random(seed)
    bounds, others = ([place for place in found if place.is_bound is kind] for kind in (True, False))
    rng.shuffle(bounds)
    rng.shuffle(others)
    drawn = []
    while len(drawn) < number and (bounds or others):
        first, second = (bounds, others) if len(drawn) % 2 == 0 else (others, bounds)
        mutant = (first or second).pop().mutant(rng)
        if mutant:
            drawn.append(mutant)
    return drawn


def _of_cosmic_ray(source):
    from cosmic_ray import plugins
    from cosmic_ray.ast import ast_nodes, get_ast
    from cosmic_ray.mutating import mutate_code

    nodes = list(ast_nodes(get_ast(source)))
    for name in filter(_OPERATORS.match, plugins.operator_names()):
        operator, n = plugins.get_operator(name)(), 0
        for node in nodes:
            for start, _ in operator.mutation_positions(node):
                yield name[5:].partition("_")[0], start, functools.partial(mutate_code, source, operator, n)
                n += 1


def _of_tolerances(source):
    """Return a tolerance of the opposite sign, and a tolerance that is a million times as large."""
    lines = source.splitlines(keepends=True)
    for node in ast.walk(ast.parse(source)):
        name = getattr(node, "attr", getattr(node, "id", ""))
        if re.search("(?i)tolerance|^[ar]tol$", name) and isinstance(node.ctx, ast.Load):
            for form in ("(-{})", "(1e6 * {})"):
                yield "Tolerance", (node.lineno, node.col_offset), functools.partial(_spliced, lines, node, form)


def _spliced(lines, node, form):
    row, line = node.lineno - 1, lines[node.lineno - 1]
    # Lines with a tolerance have only ASCII characters before it, so a byte is a column.
    old = line[node.col_offset : node.end_col_offset]
    new = line[: node.col_offset] + form.format(old) + line[node.end_col_offset :]
    return "".join([*lines[:row], new, *lines[row + 1 :]])


def _statements(tree):
    """Return the line ranges of statements (innermost first) and of function headers, and the ranges of prose."""
    spans, headers, left_out = [], [], []
    for node in ast.walk(tree):
        if isinstance(node, ast.stmt):
            body = getattr(node, "body", None)
            last = body[0].lineno - 1 if body else node.end_lineno
            spans.append(range(node.lineno, max(last, node.lineno) + 1))
            if isinstance(node, ast.FunctionDef):
                headers.append(spans[-1])
        message = isinstance(node, ast.Raise | ast.JoinedStr) or (
            isinstance(node, ast.Call) and "warn" in getattr(node.func, "attr", getattr(node.func, "id", ""))
        )
        message |= isinstance(node, ast.Assign | ast.Return) and any(map(_is_prose, ast.walk(node)))
        parts = [node] if message else [getattr(node, "annotation", None), getattr(node, "returns", None)]
        if isinstance(node, ast.Assign) and any(getattr(target, "id", "") == "__all__" for target in node.targets):
            parts.append(node)
        left_out += [((part.lineno, part.col_offset), (part.end_lineno, part.end_col_offset)) for part in parts if part]
    return sorted(spans, key=len), headers, left_out


def _is_prose(node):
    return isinstance(node, ast.JoinedStr) and any(
        isinstance(part, ast.Constant) and re.search(r"[a-z]{2} |,? [a-z]{2}", part.value) for part in node.values
    )


def _compiles(code):
    try:
        compile(code, "mutant", "exec")
    except SyntaxError:
        return False
    return True


def _changed(source, code):
    """Return the lines that a change removes, and the lines that it adds."""
    before, after = source.splitlines(), code.splitlines()
    (_, a, b, c, d), *_ = (
        op for op in difflib.SequenceMatcher(None, before, after, autojunk=False).get_opcodes() if op[0] != "equal"
    )
    return tuple("\n".join(line.strip() for line in part) for part in (before[a:b], after[c:d]))


# ---------------------------------------------------------------------- tests


class _Reached:
    """A pytest plugin that records the duration of each test, and the lines of some files that the test reaches."""

    def __init__(self, files):
        self.files, self.tests = files, {}

    def pytest_runtest_logreport(self, report):
        """Add up the seconds of a test's set-up and call."""
        if report.nodeid in self.tests:
            self.tests[report.nodeid]["seconds"] += report.duration

    def pytest_runtest_setup(self, item):
        """Start to record the lines that the test reaches."""
        reached = set()
        self.tests[item.nodeid] = {"seconds": 0.0, "reached": reached}
        files = self.files

        def on_line(frame, event, _):
            reached.add((files[frame.f_code.co_filename], frame.f_lineno))
            return on_line

        def on_call(frame, event, _):
            return on_line(frame, event, _) if frame.f_code.co_filename in files else None

        sys.settrace(on_call)

    def pytest_runtest_teardown(self, item):
        """Stop recording the lines."""
        sys.settrace(None)


class _Chosen:
    """A pytest plugin that runs the named tests in the given order, and writes the name of a failing test to a file."""

    def __init__(self, names, killer):
        self.place, self.killer = {name: k for k, name in enumerate(names)}, killer

    def pytest_runtest_logreport(self, report):
        """Write the name of a failing test; in any case, update the file's time at the end of each test."""
        self.killer.touch()
        if report.failed:
            self.killer.write_text(report.nodeid, encoding="utf-8")

    def pytest_collection_modifyitems(self, items):
        """Keep only the named tests, and put them into the given order."""
        items[:] = sorted((item for item in items if item.nodeid in self.place), key=lambda x: self.place[x.nodeid])


class _OfClasses:
    """A pytest plugin that runs the common checks only of some classes."""

    def __init__(self, classes):
        self.classes = re.compile(classes)

    def pytest_collection_modifyitems(self, items):
        """Leave out the checks of other classes."""
        items[:] = [x for x in items if _file(x.nodeid) not in COMMON or self.classes.search(x.name)]


def copy_of_package(folder):
    """Copy the files that the tests need to a folder."""
    for name in ("skrankagg", "tests", "tools", "docs", "benchmarks"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__", "_build"))
    for file in [*ROOT.glob("*.so"), *ROOT.glob("*.md"), ROOT / "conftest.py", ROOT / "pyproject.toml"]:
        shutil.copy2(file, folder)


def run(folder, files, plugins, seconds, log, alive=None):
    """Run pytest in a fork of this process; return its exit code, or None if it takes too long.

    The process may take at most `seconds` from its start, or from the last change of the file `alive`.
    """
    child = os.fork()
    if child == 0:
        code = 70
        try:
            os.setsid()
            _redirect(log)
            os.chdir(folder)
            os.environ["PYTHONPATH"] = str(folder)
            sys.path.insert(0, str(folder))
            import pytest

            options = ["-x", "-q", "-m", "", "-p", "no:cacheprovider", "-p", "no:xdist"]
            options.append("--hypothesis-profile=unshrunk")
            code = int(pytest.main([*options, *files], plugins=plugins))
            for plugin in plugins:
                if isinstance(plugin, _Reached):
                    found = {name: {**test, "reached": sorted(test["reached"])} for name, test in plugin.tests.items()}
                    Path(log).with_suffix(".json").write_text(json.dumps(found))
        except BaseException:
            traceback.print_exc()
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(code)
    start = time.time()
    while True:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(status)
        last = alive.stat().st_mtime if alive is not None and alive.exists() else start
        if time.time() - max(start, last) > seconds:
            os.killpg(child, signal.SIGKILL)
            os.waitpid(child, 0)
            return None
        time.sleep(0.05)


def _redirect(log):
    with open(log, "w") as file:
        os.dup2(file.fileno(), 1)
        os.dup2(file.fileno(), 2)


def tests_of(unit, folder, record):
    """Run the tests of a unit, which must pass; return the seconds of each test, and the lines that the test reaches.

    Recorded test files do not run again if they have not changed.
    """
    names = {str(file): file.relative_to(folder).as_posix() for file in files_of(folder / unit.path)}
    tests = [file for path in (*unit.tests, *COMMON) for file in files_of(folder / path, "test_*.py")]
    code = "".join(Path(file).read_text(encoding="utf-8") for file in names) + unit.classes
    digests = {}
    for file in tests:
        text = code + file.read_text(encoding="utf-8")
        digests[file.relative_to(folder).as_posix()] = hashlib.sha256(text.encode()).hexdigest()
    log = folder / "baseline.txt"
    new = [file for file, digest in digests.items() if record["digests"].get(file) != digest]
    if new and run(folder, new, [_OfClasses(unit.classes), _Reached(names)], float("inf"), log) != 0:
        raise SystemExit(
            f"The tests of the unit fail without any mutant. Correct them first:\n{log.read_text()[-3000:]}"
        )
    old = {name: test for name, test in record["tests"].items() if _file(name) in digests and _file(name) not in new}
    record["tests"] = {**old, **(json.loads(log.with_suffix(".json").read_text()) if new else {})}
    record["digests"] = digests


def files_of(path, pattern="*.py"):
    """List the files of a path, which is a file or a folder."""
    return [path] if path.is_file() else sorted(path.rglob(pattern))


def _file(name):
    return name.partition("::")[0]


def tests_that_reach(mutant, tests):
    """Choose the tests that reach a mutant's statement, the fastest first.

    If no test reaches the statement, choose the tests that reach the file, or all tests if there are none.
    """
    of_file = {name: [line for file, line in test["reached"] if file == mutant.file] for name, test in tests.items()}
    at = [name for name, lines in of_file.items() if any(line in mutant.statement for line in lines)]
    return sorted(at or [name for name in tests if of_file[name]] or tests, key=lambda name: tests[name]["seconds"])


def survives(mutant, folder, tests, killers, most=float("inf")):
    """Return True if all tests that reach a mutant pass, or all of the fastest tests that fit into `most` seconds.

    The tests that have killed the most mutants run first. `killers` counts the mutants that each test has killed.
    """
    chosen = tests_that_reach(mutant, tests)
    so_far = itertools.accumulate(tests[name]["seconds"] for name in chosen)
    chosen = [name for name, seconds in zip(chosen, so_far, strict=True) if seconds <= most or name in killers]
    chosen.sort(key=lambda name: -killers[name])
    killer = folder / "killer.txt"
    killer.unlink(missing_ok=True)
    file = folder / mutant.file
    original = file.read_bytes()
    try:
        file.write_text(mutant.code, encoding="utf-8")
        # The unit's own tests kill most mutants, and are collected faster.
        for common in (False, True):
            some = [name for name in chosen if (_file(name) in COMMON) is common]
            if not some:
                continue
            seconds, files = 60 + 10 * max(tests[name]["seconds"] for name in some), sorted(set(map(_file, some)))
            if run(folder, files, [_Chosen(some, killer)], seconds, folder / "mutant.txt", killer) != 0:
                name = killer.read_text(encoding="utf-8") if killer.exists() else ""
                killers.update([name] if name else [])
                return False
        return True
    finally:
        file.write_bytes(original)


# ---------------------------------------------------------------------- the command


def equivalent_mutants():
    """Read the keys of the mutants that no test can kill, and the proofs."""
    with open(EQUIVALENT, "rb") as file:
        return {f"{one['file']}: {one['old']} -> {one['new']}": one["proof"] for one in tomllib.load(file)["mutant"]}


def main(argv=None):
    """Draw mutants of a unit, run its tests on each, and print the survivors and the score."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("unit", choices=UNITS)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--number", type=int, default=60)
    parser.add_argument("--record", type=Path, help="file of known results: tests, and killed mutants")
    parser.add_argument("--most", type=float, default=float("inf"), help="seconds of tests for each mutant")
    parser.add_argument("--list", action="store_true", help="print the mutants without running tests")
    options = parser.parse_args(argv)
    unit, known = UNITS[options.unit], equivalent_mutants()
    found = [
        place
        for file in files_of(ROOT / unit.path)
        for place in places(file.relative_to(ROOT).as_posix(), file.read_text(encoding="utf-8"))
    ]
    drawn = draw(found, options.number, options.seed)
    if options.list:
        for mutant in drawn:
            print(f"{mutant.file}:{mutant.line}\n  - {mutant.old}\n  + {mutant.new}")
        return
    record = {"digests": {}, "tests": {}, "killed": []}
    if options.record and options.record.exists():
        record = json.loads(options.record.read_text())

    def keep():
        if options.record:
            options.record.write_text(json.dumps(record))

    # Imports that all processes share; each is forked from this one. Byte code of a mutant must not be kept.
    import pandas  # noqa: F401
    import scipy.optimize
    import scipy.sparse.csgraph
    import scipy.stats  # noqa: F401
    import sklearn.model_selection
    import sklearn.utils.estimator_checks  # noqa: F401

    n_equivalent, survivors, killers = 0, [], Counter()
    with tempfile.TemporaryDirectory(prefix="mutants-") as name:
        folder = Path(name).resolve()
        copy_of_package(folder)
        tests_of(unit, folder, record)
        keep()
        tests = record["tests"]
        print(f"{len(tests)} tests, {sum(test['seconds'] for test in tests.values()):.0f} s", flush=True)
        sys.dont_write_bytecode = True
        os.environ["PYTHONDONTWRITEBYTECODE"] = "1"
        for mutant in drawn:
            if mutant.key in known:
                n_equivalent += 1
            elif mutant.key not in record["killed"]:
                if survives(mutant, folder, tests, killers, options.most):
                    survivors.append(mutant)
                    print(f"{mutant.file}:{mutant.line}\n  - {mutant.old}\n  + {mutant.new}", flush=True)
                else:
                    record["killed"].append(mutant.key)
                    keep()
    n_tried = len(drawn) - n_equivalent
    n_killed = n_tried - len(survivors)
    print(f"{options.unit}, seed {options.seed}: {len(drawn)} drawn, {n_equivalent} equivalent, {n_tried} tried, "
          f"{n_killed} killed, {n_killed / max(n_tried, 1):.0%}")  # fmt: skip


if __name__ == "__main__":
    main()
