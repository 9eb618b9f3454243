"""The checklists of communities: each point has a state, and each place that a row names exists."""

import re

import pytest

from public_api import DOCS

ROOT = DOCS.parent
PAGE = (DOCS / "checklists.md").read_text(encoding="utf-8")
SECTIONS = dict(re.findall(r"^## ([^\n]+)\n(.*?)(?=^## |\Z)", PAGE, re.MULTILINE | re.DOTALL))
#: Files that only the checklists name: those of the communities.
THEIRS = {"check_estimator", "inst/", "paper.md", "paper", "workflow.md"}


def rows(section):
    return re.findall(r"^\| (?!point|---)(.+) \| (.+?) \| (.+) \|$", SECTIONS[section], re.MULTILINE)


@pytest.mark.parametrize("section", SECTIONS)
def test_each_point_has_a_state_and_a_place_or_a_reason(section):
    found = rows(section)
    lines = [line for line in SECTIONS[section].splitlines() if line.startswith("| ")]
    assert len(found) == len(lines) - 1 >= 10
    assert {state for _, state, _ in found} <= {"met", "open", "reviewer", "not ours"}
    assert len({point for point, _, _ in found}) == len(found)
    for point, state, text in found:
        assert text, point
        # A met point names a file, or a fact that the row itself states.
        assert state != "met" or "`" in text or point.startswith(("Category", "Documentation of"))


@pytest.mark.parametrize("section", SECTIONS)
def test_places_exist(section):
    for _, _, text in rows(section):
        for place in set(re.findall(r"`([^`]+)`", text)) - THEIRS:
            assert (ROOT / place).exists(), place


def test_sections_that_rows_name_exist():
    for _, _, text in [row for section in SECTIONS for row in rows(section)]:
        for file, heading in re.findall(r"`([^`]+)`,? section ([A-Z][\w ]+)", text):
            assert f"\n## {heading}" in (ROOT / file).read_text(encoding="utf-8"), (file, heading)
        for heading, file in re.findall(r"section (\w+) of `([^`]+)`", text):
            assert f"\n## {heading}\n" in (ROOT / file).read_text(encoding="utf-8"), (file, heading)
