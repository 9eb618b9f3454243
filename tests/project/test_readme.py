"""The README tells the truth: its two commands, its examples, its table of methods, its links.

Run as a script, python tests/project/test_readme.py, it rewrites the table of methods.
"""

import doctest
import importlib
import re
from pathlib import Path

import pytest

from skrankagg.utils.discovery import all_aggregators, describe

MODULES_OF_PYFLAGR = ("Linear", "Majoritarian", "MarkovChains", "Kemeny", "RRA", "Weighted")
README = Path(__file__).parents[2] / "README.md"


@pytest.fixture(scope="module")
def text():
    return README.read_text(encoding="utf-8")


def test_its_examples_run(text):
    options = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
    results = doctest.testfile(str(README), module_relative=False, optionflags=options, encoding="utf-8")
    assert results.attempted > 5 and results.failed == 0


def test_two_commands_do_all_their_own_set_up(text):
    commands = [line.strip() for line in text.splitlines() if line.startswith("    python3 -m venv")]
    assert len(commands) == 2
    assert commands[0].endswith("-m skrankagg compare") and "-m pytest" in commands[1]


def method_rows():
    rows = [f"| `{name}` | {describe(aggregator)} |" for name, aggregator in all_aggregators().items()]
    return "\n".join(["| method | in one sentence |", "|---|---|", *rows, ""])


def test_its_table_lists_every_method_in_its_own_words(text):
    assert method_rows() in text


def test_it_counts_methods_in_one_way(text):
    modules = [importlib.import_module(f"skrankagg.compat.pyflagr.{one}") for one in MODULES_OF_PYFLAGR]
    # Two classes have a second name; MC is what the five chains have in common.
    theirs = {getattr(module, name) for module in modules for name in module.__all__ if name != "MC"}
    row = re.search(r"\| merging methods \(1\) \| (\d+) \| (\d+) \|", text)
    assert [int(number) for number in row.groups()] == [len(all_aggregators()), len(theirs)]


def test_its_links_lead_somewhere(text):
    targets = {target for target in re.findall(r"\]\(([^)#]+)", text) if "://" not in target}
    assert len(targets) > 10
    assert [target for target in sorted(targets) if not (README.parent / target).exists()] == []


if __name__ == "__main__":
    old = README.read_text(encoding="utf-8")
    README.write_text(re.sub(r"\| method \| in one sentence \|\n(\|.*\n)+", method_rows(), old), encoding="utf-8")
