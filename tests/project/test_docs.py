"""Each section of the guides runs alone and prints what it shows; what the pages count and name is there."""

import doctest
import importlib
import pkgutil
import re
import sys
import types

import pytest

import skrankagg
from page_sections import examples, sections, slug
from public_api import DOCS
from public_api import api_pages as pages
from skrankagg import compat
from skrankagg.metrics import agreement_names
from skrankagg.utils._checks._scikit_learn import SKLEARN_CHECKS
from skrankagg.utils.estimator_checks import EXEMPTIONS

PAGES = sorted(DOCS.rglob("*.md"))
README = DOCS.parent / "README.md"
FLAGS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS


def test_docs_contain_pages():
    assert PAGES


def page_name(page):
    folder = DOCS if page.is_relative_to(DOCS) else DOCS.parent
    return "_".join(["page", *page.relative_to(folder).with_suffix("").parts])


# They convert frames of pandas with strings to polars, which goes through pyarrow.
NEED_PYARROW = {"page_scaling_out", "page_user_guide_your_data"}


# Their examples take many seconds.
SLOW = {
    "page_coming_from_ranx",
    "page_evaluation",
    "page_pitfalls",
    "page_recipes",
    "page_scikit_learn",
    "page_user_guide_choosing",
    "page_user_guide_feature_selection",
    "page_user_guide_learned",
    "page_user_guide_models",
    "page_user_guide_real_data",
}


def test_sections_splits_a_page_at_headings_of_the_second_level():
    page = "# Page\nText.\n```python\n## no heading\n```\n## How sure?\n### Part\n    >>> 1\n    1\n## End"
    found = sections(page)
    assert [(slug(title), first) for title, first, _ in found] == [("top", 1), ("how-sure", 6), ("end", 10)]
    assert "\n".join(text for *_, text in found) == page
    assert [len(examples(text)) for *_, text in found] == [0, 1, 0]


def section_cases():
    """Yield each section that has examples, with its page and its first line."""
    for page in (README, *PAGES):
        name = page_name(page)
        for title, first, text in sections(page.read_text(encoding="utf-8")):
            if found := examples(text):
                marks = [pytest.mark.exhaustive] * (name in SLOW)
                yield pytest.param(page, first, found, id=f"{name}-{slug(title)}", marks=marks)


@pytest.mark.parametrize(("page", "first", "found"), list(section_cases()))
def test_each_section_runs_alone_and_prints_the_shown_output(page, first, found, monkeypatch):
    if page_name(page) in NEED_PYARROW:
        pytest.importorskip("pyarrow", reason="its examples need pyarrow")
    # A separate module, so that what a section defines can be pickled.
    module = types.ModuleType(page_name(page))
    monkeypatch.setitem(sys.modules, module.__name__, module)
    test = doctest.DocTest(found, module.__dict__, page.name, str(page), first - 1, "")
    test.globs = module.__dict__
    report = []
    results = doctest.DocTestRunner(optionflags=FLAGS).run(test, out=report.append, clear_globs=False)
    if "matplotlib.pyplot" in sys.modules:  # which warns of many open figures
        sys.modules["matplotlib.pyplot"].close("all")
    assert results.attempted and not results.failed, "".join(report)


@pytest.mark.parametrize("page", [README, *PAGES], ids=page_name)
def test_code_of_pages_has_at_most_88_columns(page):
    """A browser of 1440 pixels shows so many columns without scrolling."""
    text = page.read_text(encoding="utf-8")
    long = []
    for indent, block in re.findall(r"^( *)```python\n(.*?)^ *```", text, flags=re.DOTALL | re.MULTILINE):
        lines = [line.removeprefix(indent) for line in block.splitlines()]
        if ">>> " in block:  # with output, which may be a wide table
            lines = [line for line in lines if line.startswith((">>> ", "... "))]
        long += [line for line in lines if len(line) > 88]
    assert long == []


def test_your_data_page_answers_in_at_most_five_lines():
    text = (DOCS / "user_guide" / "your_data.md").read_text(encoding="utf-8")
    sections = text.partition("\n## Each row is one place")[0].split("\n## ")[1:]
    answers = {}
    for section in sections:
        data, answer, *_ = re.findall(r"```python\n(.*?)```", section, re.DOTALL)
        assert data.count(">>>"), section[:40]
        answers[section.partition("\n")[0]] = len(re.findall(r"^(?:>>>|\.\.\.) ", answer, re.MULTILINE))
    assert len(answers) == 9 and all(1 <= lines <= 5 for lines in answers.values()), answers


def test_api_reference_has_a_page_for_every_public_module_and_name(tmp_path):
    public = {
        module.name
        for module in pkgutil.walk_packages(skrankagg.__path__, "skrankagg.")
        if not any(part.startswith("_") for part in module.name.split("."))
    }
    assert public | {"skrankagg"} == {*pages.MODULES, *pages.WITHOUT_PAGE}
    pages.write_api_pages(tmp_path)
    for module in set(pages.MODULES) - {"skrankagg"}:  # whose names have their pages in its parts, but for those below
        text = (tmp_path / f"{module}.rst").read_text(encoding="utf-8")
        names = {*getattr(importlib.import_module(module), "__all__", ())}
        assert all(f"   {name}\n" in text for name in names if callable(getattr(importlib.import_module(module), name)))
    top = (tmp_path / "skrankagg.rst").read_text(encoding="utf-8")
    assert "   RankedLists\n" in top and "   show_versions\n" in top


def test_pages_state_the_numbers_of_scikit_learns_checks():
    run, other = len(SKLEARN_CHECKS), len(EXEMPTIONS)
    for page in ("index.md", "own_aggregator.md", "samples_are_queries.md"):
        text = " ".join((DOCS / page).read_text(encoding="utf-8").split())
        assert f"{run + other} checks" in text and f"the {run} checks that need no" in text
        assert f"the other {other}" in text


def test_pyflagr_page_names_every_class():
    text = (DOCS / "coming_from_pyflagr.md").read_text(encoding="utf-8")
    for path in pkgutil.iter_modules(compat.pyflagr.__path__):
        if not path.name.startswith("_"):
            module = importlib.import_module(f"skrankagg.compat.pyflagr.{path.name}")
            # A table names the first and the last of the five chains.
            names = {*module.__all__} - {"MC", "MC2", "MC3", "MC4", "Borda", "SimpleBorda"}
            assert names and all(re.search(rf"[`.]{name}\b", text) for name in names)


def test_evaluation_page_names_every_agreement():
    text = (DOCS / "evaluation.md").read_text(encoding="utf-8")
    assert all(f"`{name}`" in text for name in agreement_names())
