"""The examples of the guides run and print what they show; what they count and name is there."""

import doctest
import importlib
import pkgutil
import re
import sys
import types

import pytest

import skrankagg
from public_api import DOCS
from public_api import api_pages as pages
from skrankagg import compat
from skrankagg.metrics import agreement_names
from skrankagg.utils._checks._scikit_learn import SKLEARN_CHECKS
from skrankagg.utils.estimator_checks import EXEMPTIONS

PAGES = sorted(DOCS.rglob("*.md"))
FLAGS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS


def test_docs_contain_pages():
    assert PAGES


def page_name(page):
    return "_".join(["page", *page.relative_to(DOCS).with_suffix("").parts])


# They convert frames of pandas with strings to polars, which goes through pyarrow.
NEED_PYARROW = {"page_scaling_out", "page_user_guide_lists"}


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


def page_case(page):
    return pytest.param(page, id=page_name(page), marks=[pytest.mark.exhaustive] * (page_name(page) in SLOW))


@pytest.mark.parametrize("page", [page_case(page) for page in PAGES])
def test_examples_of_pages_print_the_shown_output(page, monkeypatch):
    if page_name(page) in NEED_PYARROW:
        pytest.importorskip("pyarrow", reason="its examples need pyarrow")
    # The fences of code blocks end an example like a blank line does.
    text = page.read_text(encoding="utf-8").replace("```python", "").replace("```", "")
    # A separate module, so that what a page defines can be pickled.
    module = types.ModuleType(page_name(page))
    monkeypatch.setitem(sys.modules, module.__name__, module)
    test = doctest.DocTestParser().get_doctest(text, {}, page.name, str(page), 0)
    test.globs = module.__dict__
    report = []
    results = doctest.DocTestRunner(optionflags=FLAGS).run(test, out=report.append, clear_globs=False)
    assert not results.failed, "".join(report)


def test_your_data_page_answers_in_at_most_five_lines():
    sections = (DOCS / "user_guide" / "your_data.md").read_text(encoding="utf-8").split("\n## ")[1:]
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
    for page in ("index.md", "own_aggregator.md"):
        text = " ".join((DOCS / page).read_text(encoding="utf-8").split())
        assert f"{run + other} checks" in text and f"the {run} that need no" in text and f"the other {other}" in text


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
