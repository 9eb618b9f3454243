"""Hypothesis draws the same examples in every run, and other or more examples on demand."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

TESTS = Path(__file__).resolve().parent.parent
CONFTEST = """
from many_examples import keep_properties, pytest_addoption, pytest_runtest_setup


def pytest_collection_modifyitems(config, items):
    keep_properties(config, items)
"""
PROPERTIES = """
import time

from hypothesis import given, settings
from hypothesis import strategies as st


@given(x=st.integers(0, 10**9))
@settings(max_examples=5, deadline=None)
def test_quick(x):
    with open("drawn.txt", "a") as file:
        print(x, file=file)


@given(data=st.data())
@settings(max_examples=5, deadline=None)
def test_slow(data):
    if data.draw(st.booleans()):
        data.draw(st.lists(st.integers()))
    time.sleep(0.01)


@given(x=st.integers(0, 10**9))
@settings(max_examples=5, deadline=None)
def test_wrong_for_one_in_twenty(x):
    rest = x % 20
    assert rest != 13


def test_no_property():
    pass
"""


@pytest.fixture
def drawn(tmp_path):
    """Run pytest on properties with the setup of `tests/conftest.py`; return its output and the examples."""
    (tmp_path / "conftest.py").write_text(CONFTEST, encoding="utf-8")
    (tmp_path / "test_properties.py").write_text(PROPERTIES, encoding="utf-8")
    environment = {name: value for name, value in os.environ.items() if name not in ("CI", "PYTEST_ADDOPTS")}
    environment["PYTHONPATH"] = str(TESTS)

    def drawn(*options):
        (tmp_path / "drawn.txt").unlink(missing_ok=True)
        command = [sys.executable, "-m", "pytest", "-q", "-rs", "-p", "no:cacheprovider", *options]
        done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)
        return done.stdout, (tmp_path / "drawn.txt").read_text().split()

    return drawn


@pytest.mark.exhaustive
def test_default_profile_draws_the_same_examples_in_every_run(drawn):
    first = drawn()[1]
    assert len(first) == 5 and drawn()[1] == first


@pytest.mark.exhaustive
def test_random_profile_draws_the_requested_number_of_other_examples(drawn):
    out, few = drawn("--hypothesis-profile=random", "-k", "quick")
    assert "1 passed" in out and len(few) == 5 and drawn("--hypothesis-profile=random", "-k", "quick")[1] != few
    out, many = drawn("--hypothesis-profile=random", "--examples=400", "-k", "not slow")
    assert len(many) == 400
    assert "1 failed, 1 passed, 2 deselected" in out and "assert 13 != 13" in out
    # At a hundredth of a second each, they would take four seconds.
    out, _ = drawn("--hypothesis-profile=random", "--examples=400", "--seconds=0.5", "-k", "slow or quick")
    assert "examples passed in 0.5 seconds" in out and "failed" not in out
