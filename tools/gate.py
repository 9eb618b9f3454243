"""Run the tests that concern a change, in less than a minute.

    python tools/gate.py            # what differs from the last commit
    python tools/gate.py main       # what differs from a branch or commit
    python tools/gate.py --list     # only show what would run

A changed module selects its doctests and the test files that name one of its public classes and functions. If a private
module has no public names, the names of the modules that import it are used instead. If the class of a method changes,
the common checks of this class run with default parameters. Changed test files run completely. The short tests of the
project's rules always run. The README has the command for the whole suite.
"""

import argparse
import ast
import re
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "skrankagg"
TESTS = ROOT / "tests"
COMMON = "tests/utils/test_common.py"
# Short, and about every change.
ALWAYS = ("tests/project/test_layers.py", "tests/project/test_language.py", "tests/project/test_parameter_words.py")
# More test files than these are no longer a matter of a minute: the ones in the folder of the change come first.
MOST_FILES = 12


def changed_files(base: str) -> list[Path]:
    """List the files that differ from a commit, and new files that git does not ignore."""
    commands = (["git", "diff", "--name-only", base], ["git", "ls-files", "--others", "--exclude-standard"])
    names = {
        name
        for command in commands
        for name in subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.splitlines()
    }
    return sorted(ROOT / name for name in names if (ROOT / name).is_file())


def public_names(path: Path) -> set[str]:
    """Return the public classes and functions that a module defines."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    kinds = (ast.ClassDef, ast.FunctionDef)
    names = {node.name for node in tree.body if isinstance(node, kinds)}
    exported = exported_names()
    return {name for name in names if name in exported}


def exported_names() -> set[str]:
    """Return the names that the public packages export."""
    sys.path[:0] = [str(ROOT), str(TESTS)]
    from public_api import public_objects

    return {path.rpartition(".")[2] for path, (kind, _) in public_objects().items() if kind in ("class", "function")}


def importers(path: Path) -> Iterator[Path]:
    """Yield the modules of the package that import a module by the module's name."""
    pattern = re.compile(rf"^\s*(from|import) .*\b{re.escape(path.stem)}\b", re.MULTILINE)
    for other in PACKAGE.rglob("*.py"):
        if other != path and pattern.search(other.read_text(encoding="utf-8")):
            yield other


def names_behind(path: Path) -> set[str]:
    """Return the public names of a module; if there are none, return those of the nearest modules that import it."""
    seen, front = {path}, {path}
    while front:
        names = set().union(*map(public_names, front))
        if names:
            return names
        front = {other for one in front for other in importers(one)} - seen
        seen |= front
    return set()


def tests_of(names: set[str], folders: Iterable[Path]) -> list[Path]:
    """Find the test files that use one of the names; files in the folders of the change come first."""
    pattern = re.compile(rf"\b({'|'.join(map(re.escape, sorted(names)))})\b") if names else None
    if pattern is None:
        return []
    hits = {
        path: len(pattern.findall(path.read_text(encoding="utf-8")))
        for path in TESTS.rglob("test_*.py")
        if path.relative_to(ROOT).as_posix() != COMMON
    }
    own = set(folders)
    found = sorted((path for path, n in hits.items() if n), key=lambda path: (path.parent not in own, -hits[path]))
    return found[:MOST_FILES]


def select(changed: list[Path]) -> tuple[list[str], set[str]]:
    """Choose the tests for changed files: return paths of tests and modules, and classes of methods."""
    sys.path[:0] = [str(ROOT)]
    from skrankagg.utils.discovery import all_aggregators

    modules = [path for path in changed if path.suffix == ".py" and PACKAGE in path.parents]
    paths = [path for path in changed if path.name.startswith("test_") and TESTS in path.parents]
    names: set[str] = set()
    folders = set()
    for module in modules:
        names |= names_behind(module)
        folders.add(TESTS / module.relative_to(PACKAGE).parts[0].removeprefix("_"))
    paths += [path for path in modules if not path.name.startswith("__") and "_kernels" not in path.parts]
    paths += tests_of(names, folders)
    shown = dict.fromkeys(path.relative_to(ROOT).as_posix() for path in paths)
    return [*shown, *ALWAYS], names & set(all_aggregators())


def main() -> int:
    """Run the chosen tests; return pytest's exit code."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("base", nargs="?", default="HEAD", help="commit or branch to compare with")
    parser.add_argument("--list", action="store_true", help="only show what would run")
    arguments = parser.parse_args()
    start = time.perf_counter()
    paths, methods = select(changed_files(arguments.base))
    print(*paths, sep="\n")
    if methods:
        print(f"{COMMON}: {', '.join(sorted(methods))}")
    if arguments.list:
        return 0
    run = [sys.executable, "-m", "pytest", "-q", "-n", "auto"]
    code = subprocess.run([*run, *dict.fromkeys(paths)], cwd=ROOT, check=False).returncode
    if methods and len(methods) <= MOST_FILES:
        chosen = " or ".join(sorted(methods))
        code = subprocess.run([*run, COMMON, "-k", chosen], cwd=ROOT, check=False).returncode or code
    print(f"{time.perf_counter() - start:.0f} s")
    return code


if __name__ == "__main__":
    sys.exit(main())
