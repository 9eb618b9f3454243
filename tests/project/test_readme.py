"""The README is correct: its two commands, its examples, its counts, its links."""

import doctest
import importlib
import re
import tomllib
from pathlib import Path

import pytest
from generated.readme import badges, with_badges

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


ADDRESSES = {"Source": "https://github.com/owner/project", "Documentation": "https://owner.example/project"}
TESTS = "https://github.com/owner/project/actions/workflows/tests.yml"


def test_readme_has_badges_only_for_addresses_that_exist(text):
    addresses = tomllib.loads((README.parent / "pyproject.toml").read_text(encoding="utf-8"))["project"].get("urls", {})
    assert text.count("[![") == 0 or addresses
    assert badges({}) == badges({}, 97.5) == badges({"Documentation": "https://owner.example/project"}, 97.5) == ""
    # Only GitHub draws a picture for a workflow.
    assert badges({**ADDRESSES, "Source": "https://host.example/owner/project"}, 97.5) == ""


def test_badges_lead_to_tests_documentation_and_coverage():
    lines = badges(ADDRESSES, 97.46).splitlines()
    assert lines[0] == f"[![tests]({TESTS}/badge.svg)]({TESTS})"
    picture = TESTS.replace("tests.yml", "docs.yml/badge.svg")
    assert lines[1] == f"[![documentation]({picture})](https://owner.example/project)"
    assert lines[2] == f"[![coverage](https://img.shields.io/badge/coverage-97.5%25-informational)]({TESTS})"
    assert len(lines) == 3
    # Before the coverage is measured, and without a site, two badges are missing.
    assert badges({"Source": "https://github.com/owner/project.git"}, 0).splitlines() == lines[:1]


def test_badges_are_written_below_the_title_and_removed_again(text):
    plain, lines = with_badges(text, ""), badges(ADDRESSES, 97.5)
    filled = with_badges(plain, lines)
    assert filled.startswith(f"# skrankagg\n\n{lines}\nMerge ranked lists") and plain.count("[![") == 0
    assert with_badges(filled, lines) == filled and with_badges(filled, "") == plain
    # On a package index, the pictures and links of badges remain.
    assert lines in readme_links.absolute_links(filled)


def test_home_page_and_readme_have_the_same_statement_of_need(text):
    home = (README.parent / "docs" / "index.md").read_text(encoding="utf-8")

    def statement(page):
        return page.split("## Statement of need\n")[1].split("\n## ")[0].replace("(docs/", "(")

    assert statement(text) == statement(home)


def test_placeholders_for_addresses_are_valid_and_explained():
    file = (README.parent / "pyproject.toml").read_text(encoding="utf-8")
    releasing = (README.parent / "docs" / "releasing.md").read_text(encoding="utf-8")
    place = file.split("[project.urls]\n")[1].split("\n[")[0]
    filled = tomllib.loads(re.sub(r"^# ", "", place, flags=re.MULTILINE))
    assert filled.keys() == {"Source", "Documentation", "Issues", "Support", "Changelog"}
    assert all(f"`{name}`" in releasing for name in filled)
    for name, address in filled.items():
        # A placeholder is a comment, so that nothing leads to it.
        assert not re.search("[A-Z]{4}", address) or f"# {name} = " in place
    assert "MAINTAINER_EMAIL" not in file or '# maintainers = [{ name = "MAINTAINER_NAME"' in file


def test_contributing_states_the_use_of_generative_ai():
    statement = (
        "Code, tests and documentation were written with generative AI. The person who publishes a version is "
        "responsible for it and names the tools here: "
    )
    assert statement in " ".join((README.parent / "CONTRIBUTING.md").read_text(encoding="utf-8").split())
