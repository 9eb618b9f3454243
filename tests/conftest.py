"""Fixtures shared by all tests, and a record of the kernels that tests call."""

import functools
import gc
import inspect
import os
from collections import defaultdict
from pathlib import Path

import numpy as np
import pytest

from golden import lists as golden_lists
from many_examples import is_property, keep_properties, pytest_addoption, pytest_runtest_setup  # noqa: F401
from skrankagg import _kernels
from skrankagg.__main__ import main
from skrankagg._command_line import _command_progress

ROOT = Path(__file__).resolve().parent.parent


def pytest_configure(config):
    # All properties run, exhaustive ones too, unless -m was given.
    if config.getoption("examples", None) is not None and config.option.markexpr == "not exhaustive":
        config.option.markexpr = ""


def pytest_report_header():
    kind = "compiled" if _kernels.COMPILED else "interpreted"
    return f"skrankagg: kernels {kind}"


# The test files that have called each kernel, if kernels are plain Python. Processes that share the tests append
# theirs to the file in SKRANKAGG_KERNEL_CALLS.
KERNEL_CALLERS = {}
RECORD = os.environ.get("SKRANKAGG_KERNEL_CALLS")


def _watched(name, kernel):
    callers = KERNEL_CALLERS[name] = set()

    @functools.wraps(kernel)
    def call(*args):
        callers.add(os.environ.get("PYTEST_CURRENT_TEST", "").partition("::")[0])
        return kernel(*args)

    return call


if not _kernels.COMPILED:
    for module in _kernels.KERNELS:
        for name, kernel in inspect.getmembers(module, inspect.isfunction):
            if kernel.__module__ == module.__name__ and not name.startswith("_"):
                setattr(module, name, _watched(f"{module.__name__}.{name}", kernel))


def pytest_ignore_collect(collection_path, config):
    """In the second pass, do not import the test files without its marker; half of all cases are there."""
    if config.option.markexpr.startswith("twice") and collection_path.match("test_*.py"):
        return "twice" not in collection_path.read_text(encoding="utf-8") or None
    return None


def pytest_collection_finish():
    """Freeze the objects loaded so far, so that the garbage collector does not traverse them repeatedly."""
    gc.collect()
    gc.freeze()


def pytest_sessionfinish():
    if RECORD:
        calls = "".join(f"{name}\t{file}\n" for name, files in KERNEL_CALLERS.items() for file in files)
        with open(RECORD, "a", encoding="utf-8") as record:
            record.write(calls)


def mark_exhaustive_cases(items, marker):
    """Mark the cases of a test with a marker such as `sampled(n)` as exhaustive, except n of them, evenly spread."""
    cases = defaultdict(list)
    for item in items:
        if item.get_closest_marker(marker):
            cases[item.nodeid.partition("[")[0]].append(item)
    for found in cases.values():
        shown = np.linspace(0, len(found) - 1, found[0].get_closest_marker(marker).args[0]).round()
        for k in {*range(len(found))} - {*shown.astype(int).tolist()}:
            found[k].add_marker("exhaustive")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config, items):
    mark_exhaustive_cases(items, "sampled")
    if not _kernels.COMPILED:
        mark_exhaustive_cases(items, "interpreted")
    keep_properties(config, items)
    items.sort(key=lambda item: item.name == "test_every_kernel_was_called_by_tests_of_its_methods")  # it comes last
    # The few short lists of a property test may by chance be lists of two, or contain few of the items, or one may be
    # much longer than the others.
    for item in items:
        if is_property(item):
            for name in ("ExposureWarning", "PartialListsWarning", "UnequalLengthWarning"):
                item.add_marker(pytest.mark.filterwarnings(f"ignore::skrankagg.exceptions.{name}"))


@pytest.fixture
def kernel_callers():
    """Return the test files that have called each plain Python kernel, in this process or on record."""
    callers = {name: set(files) for name, files in KERNEL_CALLERS.items()}
    if RECORD and Path(RECORD).exists():
        for line in Path(RECORD).read_text(encoding="utf-8").splitlines():
            name, file = line.split("\t")
            callers[name].add(file)
    return callers


@pytest.fixture
def X():
    """Return the frame of the docstrings' examples."""
    return golden_lists()


@pytest.fixture(scope="session")
def shared_data():
    """Return the folder of real data with reference results, which is not part of the project."""
    for folder in (os.environ.get("SKRANKAGG_DATA"), ROOT.parent / "shared" / "data"):
        if folder and Path(folder).is_dir():
            return Path(folder)
    pytest.skip("the reference data are not here; name their folder in SKRANKAGG_DATA")


# ---------------------------------------------------------------------- commands, in the folder of a test module


@pytest.fixture
def patience(monkeypatch):
    """Suppress progress messages, which a slow machine would trigger."""
    monkeypatch.setattr(_command_progress, "_PATIENCE", 1000.0)


@pytest.fixture
def run(folder, capsys, patience):
    """Run a command that must succeed without messages; return its output."""

    def run(*argv):
        assert main(list(argv)) == 0
        out, err = capsys.readouterr()
        assert err == ""
        return out

    return run


@pytest.fixture
def fail(folder, capsys, patience):
    """Run a command that must fail with a one-sentence message and no output; return the message."""

    def fail(*argv):
        assert main(list(argv)) == 1
        out, err = capsys.readouterr()
        assert out == ""
        assert err.startswith("skrankagg: error: ") and err.endswith("\n") and err.count("\n") == 1
        assert "Traceback" not in err
        return err

    return fail
