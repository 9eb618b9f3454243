"""The README is correct: its two commands, its examples, its counts, its links."""

import doctest
import importlib
import re
from pathlib import Path

import pytest

import readme_links
from skrankagg.utils.discovery import all_aggregators

MODULES_OF_PYFLAGR = ("Linear", "Majoritarian", "MarkovChains", "Kemeny", "RRA", "Weighted")
README = Path(__file__).parents[2] / "README.md"


@pytest.fixture(scope="module")
def text():
    return README.read_text(encoding="utf-8")


def test_readme_examples_run(text):
    options = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
    results = doctest.testfile(str(README), module_relative=False, optionflags=options, encoding="utf-8")
    assert results.attempted >= 3 and results.failed == 0


def test_readme_commands_include_their_setup(text):
    commands = [line.strip() for line in text.splitlines() if line.startswith("    python3 -m venv")]
    assert len(commands) == 2
    assert commands[0].endswith("-m skrankagg compare") and "-m pytest" in commands[1]


def test_readme_states_the_numbers_of_methods_of_both_libraries(text):
    modules = [importlib.import_module(f"skrankagg.compat.pyflagr.{one}") for one in MODULES_OF_PYFLAGR]
    # Two classes have a second name; MC is the common base class of the five chains.
    theirs = {getattr(module, name) for module in modules for name in module.__all__ if name != "MC"}
    row = re.search(r"\| merging methods \(1\) \| (\d+) \| (\d+) \|", text)
    assert [int(number) for number in row.groups()] == [len(all_aggregators()), len(theirs)]
    ranx = re.search(r"\| merging methods \(1\) \| \d+ \| \d+ \| (\d+) \|", text)[1]
    for page in (README, README.parent / "docs" / "index.md"):
        words = " ".join(page.read_text(encoding="utf-8").split())
        assert f"interface and {row[1]} methods; ranx has {ranx} methods, and PyFLAGR has {row[2]}" in words


def test_readme_links_exist(text):
    targets = {target for target in re.findall(r"\]\(([^)#]+)", text) if "://" not in target}
    assert len(targets) > 10
    assert [target for target in sorted(targets) if not (README.parent / target).exists()] == []


def test_absolute_links_replaces_all_relative_links(text):
    def relative(page):
        return [link for link in re.findall(r"\]\(([^)]+)\)", page) if "://" not in link]

    assert len(relative(text)) > 10
    assert relative(readme_links.absolute_links(text)) == []
    published = readme_links.absolute_links(text, "https://host.example/project")
    assert relative(published) == []
    assert "(https://host.example/project/raw/HEAD/docs/_static/overview_search.svg)" in published
    assert "(https://host.example/project/blob/HEAD/docs/performance.md#few-items-all-orders)" in published
