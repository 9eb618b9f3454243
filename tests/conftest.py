"""Fixtures that all tests share."""

import os
from pathlib import Path

import pytest

from golden import lists as golden_lists
from skrankagg import _kernels

ROOT = Path(__file__).resolve().parent.parent


def pytest_report_header():
    kind = "compiled" if _kernels.COMPILED else "interpreted"
    return f"skrankagg: kernels {kind}"


def pytest_collection_modifyitems(items):
    # The few short lists that a property is tried on may by chance be pairs, or one of them much the longest.
    for item in items:
        if getattr(getattr(item, "obj", None), "is_hypothesis_test", False):
            for name in ("ExposureWarning", "UnequalLengthWarning"):
                item.add_marker(pytest.mark.filterwarnings(f"ignore::skrankagg.exceptions.{name}"))


@pytest.fixture
def X():
    """The frame of the docstrings' examples."""
    return golden_lists()


@pytest.fixture(scope="session")
def shared_data():
    """Folder of real data with reference results, which is not part of the project."""
    for folder in (os.environ.get("SKRANKAGG_DATA"), ROOT.parent / "shared" / "data"):
        if folder and Path(folder).is_dir():
            return Path(folder)
    pytest.skip("the reference data are not here; name their folder in SKRANKAGG_DATA")
