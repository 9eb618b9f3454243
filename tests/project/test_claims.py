"""Claims of the README and of the home page: each has a command or a test, and counts in prose equal the code."""

import ast
import json
import re

import pytest

from public_api import DOCS
from skrankagg import plotting
from skrankagg.metrics import measure_names
from skrankagg.metrics._relevance._ties import TIE_RULES
from skrankagg.utils.discovery import all_aggregators

ROOT = DOCS.parent
NUMBERS = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"]
ROWS = re.findall(r"^\| (?!claim|---)(.*?) \| (.*) \|$", (DOCS / "claims.md").read_text(encoding="utf-8"), re.MULTILINE)


def prose(path):
    """Return the text of a page without code blocks, pictures, links' targets, front matter and directives."""
    text = path.read_text(encoding="utf-8")
    text = re.sub(r"\A---\n.*?\n---\n", "", text, flags=re.DOTALL)
    text = re.sub(r"```.*?```", "", text, flags=re.DOTALL)
    text = re.sub(r"!\[[^\]]*\]\([^)]*\)", "", text)
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text)
    text = re.sub(r"^(:::.*|:[\w-]+:.*|    .*|#.*)$", "", text, flags=re.MULTILINE)
    return " ".join(text.replace("**", "").split())


PAGES = {name: prose(path) for name, path in {"README": ROOT / "README.md", "home": DOCS / "index.md"}.items()}


@pytest.mark.parametrize(("claim", "support"), ROWS)
def test_claim_is_on_a_page_and_its_support_exists(claim, support):
    assert any(claim in text for text in PAGES.values()), claim
    found = re.findall(r"`([^`]+)`", support)
    assert found
    for one in found:
        path, _, test = one.partition("::")
        assert (ROOT / path).exists(), path
        if test:
            names = {
                node.name for node in ast.walk(ast.parse((ROOT / path).read_text("utf-8"))) if hasattr(node, "name")
            }
            assert test in names, one


@pytest.mark.parametrize("page", PAGES)
def test_sentences_with_a_number_are_in_the_list_of_claims(page):
    # Tables have rows of their own, and the table of speed is generated.
    text = re.sub(r"\|[^|]*(?=\|)", "", PAGES[page])
    sentences = [one for one in re.split(r"(?<=[.:?]) (?=[A-Z`+])", text) if re.search(r"(?<![\w@.(-])\d", one)]
    assert sentences
    missing = [one for one in sentences if not any(claim in one or one in claim for claim, _ in ROWS)]
    assert not missing


def test_counts_in_prose_equal_the_code():
    readme, n_methods = PAGES["README"], len(all_aggregators())
    assert f"There are {n_methods} methods" in readme
    assert all(f"`Copeland` is one of the {n_methods} methods." in text for text in PAGES.values())
    names = {re.split(r"[@\d]", name)[0] or name for name in measure_names()}
    n_measures = sum(not name.startswith("num_") for name in names)
    assert (
        f"{n_measures} measures, counts such as `num_rel_ret`, and {NUMBERS[len(TIE_RULES) - 1]} rules for ties"
        in readme
    )
    rules = f"{NUMBERS[len(TIE_RULES) - 1]} rules"
    for page in ("evaluation.md", "coming_from_ranx.md"):
        assert rules in " ".join((DOCS / page).read_text("utf-8").lower().split()), page
    block = re.search(r"class MyMethod.*?\n\n```", (DOCS / "own_aggregator.md").read_text("utf-8"), re.DOTALL)[0]
    code = [line for line in block.splitlines() if line.removeprefix("...").removeprefix(">>>").strip("` ")]
    assert len(code) <= 10 and "write a method in ten lines" in readme
    cards = re.findall(r"grid-item-card\} (\w+Display)", (DOCS / "plots.md").read_text("utf-8"))
    assert cards == sorted(name for name in plotting.__all__ if name.endswith("Display"))


def test_pages_name_the_notebooks_that_read_the_digits():
    notebooks = sorted((ROOT / "notebooks").glob("*.ipynb"))
    used = [path.name for path in notebooks if "load_digits_votes" in path.read_text(encoding="utf-8")]
    text = (DOCS / "user_guide" / "real_data.md").read_text(encoding="utf-8")
    part = re.search(r"(\w+) notebooks begin with these votes:\n\n((?:- .*\n)+)", text)
    assert part[1].lower() == NUMBERS[len(used) - 1]
    assert re.findall(r"notebooks/([\w.]+)\)", part[2]) == used


def test_guide_counts_methods_and_tests_of_its_experiment():
    text = " ".join((DOCS / "user_guide" / "choosing.md").read_text(encoding="utf-8").split())
    table = re.search(
        r">>> table\[\[\"difference\".*?```", (DOCS / "user_guide" / "choosing.md").read_text("utf-8"), re.DOTALL
    )[0]
    tests = [line for line in table.splitlines() if re.search(r"\d\.\d+ +\d+ +\d+ +\d\.\d+$", line)]
    assert len(tests) == 16 and "twenty queries and sixteen tests" in text and "of the seventeen methods" in text
    significant = sum(float(line.split()[-1]) < 0.05 for line in tests)
    assert f"Only {NUMBERS[significant - 1]} of the sixteen differences are significant" in text


@pytest.mark.parametrize(("name", "method"), all_aggregators().items())
def test_docstrings_of_methods_state_formula_ties_absence_and_source(name, method):
    text = method.__doc__
    assert "References" in text and (".. math::" in text or ":math:" in text)
    assert re.search(r"\b[Tt]ie[sd]?\b", text) and re.search(r"absent|missing|does not contain", text)


def test_notebooks_do_not_count_default_methods():
    text = (ROOT / "notebooks" / "01_quick_start.ipynb").read_text(encoding="utf-8")
    words = " ".join("".join(cell["source"]) for cell in json.loads(text)["cells"] if cell["cell_type"] == "markdown")
    assert not re.search(r"\b(nineteen|thirty-two|\d\d) methods\b", words)
