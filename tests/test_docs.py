"""The examples of the guides run, and print what they say they print."""

import doctest
import importlib.util
import pkgutil
import re
import sys
import types
from pathlib import Path

import pytest

import skrankagg
from skrankagg.metrics import agreement_names, measure_names
from skrankagg.metrics._card import CARDS, VIEW_OPTIONS

DOCS = Path(__file__).resolve().parent.parent / "docs"
PAGES = sorted(DOCS.rglob("*.md"))
FLAGS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS


def test_there_are_pages():
    assert PAGES


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_examples(page, monkeypatch):
    # The fences of code blocks end an example like a blank line does.
    text = page.read_text(encoding="utf-8").replace("```python", "").replace("```", "")
    # A module of its own, so that what a page defines can be pickled.
    module = types.ModuleType(page.stem)
    monkeypatch.setitem(sys.modules, page.stem, module)
    test = doctest.DocTestParser().get_doctest(text, {}, page.name, str(page), 0)
    test.globs = module.__dict__
    report = []
    results = doctest.DocTestRunner(optionflags=FLAGS).run(test, out=report.append, clear_globs=False)
    assert not results.failed, "".join(report)


def test_the_reference_has_a_page_for_every_public_module_and_name(tmp_path):
    spec = importlib.util.spec_from_file_location("api_pages", DOCS / "api_pages.py")
    pages = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(pages)
    public = {
        module.name
        for module in pkgutil.walk_packages(skrankagg.__path__, "skrankagg.")
        if not any(part.startswith("_") for part in module.name.split("."))
    }
    assert public | {"skrankagg"} == {*pages.MODULES, *pages.WITHOUT_PAGE}
    pages.write_api_pages(tmp_path)
    for module in pages.MODULES:
        text = (tmp_path / f"{module}.rst").read_text(encoding="utf-8")
        names = {*getattr(importlib.import_module(module), "__all__", ())}
        assert all(f"   {name}\n" in text for name in names if callable(getattr(importlib.import_module(module), name)))
    top = (tmp_path / "skrankagg.rst").read_text(encoding="utf-8")
    assert "   RankedLists\n" in top and "   show_versions\n" in top


def test_the_guide_names_every_measure_with_its_conventions():
    text = (DOCS / "evaluation.md").read_text(encoding="utf-8")
    assert all(f"`{name}`" in text for name in [*measure_names(), *agreement_names()])
    rows = [[re.findall(r"`([^`]+)`", cell) for cell in line.strip("|").split("|")] for line in text.splitlines()]
    seen = set()
    for names, *cells in rows:
        card = CARDS.get(names[0].partition("@")[0]) if names and len(cells) == 3 else None
        if card is not None:
            assert set(cells[1]) == {*card.options} - {*VIEW_OPTIONS}, names
            seen.add(names[0].partition("@")[0])
    assert seen == {*CARDS}
