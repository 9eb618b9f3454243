"""The examples of the guides run and print what they show; their tables of methods are correct."""

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
from skrankagg import MarkovChain, compat
from skrankagg.metrics import agreement_names, measure_names
from skrankagg.metrics._relevance._measure import MEASURES
from skrankagg.utils._checks._scikit_learn import SKLEARN_CHECKS
from skrankagg.utils.discovery import all_aggregators
from skrankagg.utils.estimator_checks import EXEMPTIONS

PAGES = sorted(DOCS.rglob("*.md"))
FLAGS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS


def test_docs_contain_pages():
    assert PAGES


def page_name(page):
    return "_".join(["page", *page.relative_to(DOCS).with_suffix("").parts])


# They convert frames of pandas with strings to polars, which goes through pyarrow.
NEED_PYARROW = {"page_scaling_out", "page_user_guide_lists"}


@pytest.mark.parametrize("page", PAGES, ids=page_name)
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


def test_evaluation_page_names_every_measure_with_its_conventions():
    text = (DOCS / "evaluation.md").read_text(encoding="utf-8")
    assert all(f"`{name}`" in text for name in [*measure_names(), *agreement_names()])
    rows = [[re.findall(r"`([^`]+)`", cell) for cell in line.strip("|").split("|")] for line in text.splitlines()]
    seen = set()
    for names, *cells in rows:
        measure = MEASURES.get(names[0].partition("@")[0]) if names and len(cells) == 3 else None
        if measure is not None:
            assert set(cells[1]) == {*measure.conventions} - {"ties", "missing_queries"}, names
            seen.add(names[0].partition("@")[0])
    assert seen == {*MEASURES}


#: Other values of the parameters that control absent items.
ABSENCE = {"absent": "ignore", "aggregator": MarkovChain(chain="mct")}


def table_of_methods(page, name):
    """Read a table between ``<!-- name -->`` and ``<!-- end of name -->``: method to cells by heading."""
    text = (DOCS / "user_guide" / page).read_text(encoding="utf-8")
    block = re.search(f"<!-- {name} -->\n(.*?)<!-- end of {name} -->", text, flags=re.DOTALL)[1]
    heading, _, *rows = ([cell.strip() for cell in line.strip("|").split("|")] for line in block.splitlines())
    assert all(len(row) == len(heading) for row in rows)
    return {row[0].strip("`"): dict(zip(heading, row, strict=True)) for row in rows}


@pytest.mark.parametrize(("page", "name"), [("lists.md", "absent"), ("choosing.md", "tags"), ("choosing.md", "costs")])
def test_tables_have_a_row_for_every_method(page, name):
    assert list(table_of_methods(page, name)) == sorted(all_aggregators())


def properties(method):
    """Return an estimator's row in the table of tags."""
    tags = method.__sklearn_tags__().aggregator_tags
    truth = {
        "scores": tags.needs_scores,
        "learns": "judgements" if tags.supervised else tags.learns_weights,
        "unanimity": tags.unanimity,
        "Condorcet": tags.condorcet_winner,
        "neutral": tags.neutral,
        "random": "random_state" in method.get_params(),
    }
    weights = "no" if not tags.voter_weights else "whole" if tags.integer_weights else "any"
    words = {True: "yes", False: "no"}
    return {"weights": weights, **{name: words.get(value, value) for name, value in truth.items()}}


@pytest.mark.parametrize(("name", "aggregator"), all_aggregators().items())
def test_table_of_absent_items_matches_the_tag(name, aggregator):
    cell = table_of_methods("lists.md", "absent")[name]["below held items"]

    def below(**params):
        return "yes" if aggregator(**params).__sklearn_tags__().aggregator_tags.absent_below else "no"

    assert cell.split(" ")[0] == below()
    given = {name: value for name, value in ABSENCE.items() if name in aggregator().get_params(deep=False)}
    others = [*getattr(aggregator, "_variants", ()), *({name: value} for name, value in given.items()), given]
    assert ("(" in cell) == (len({below(**params) for params in [{}, *others]}) > 1)


@pytest.mark.parametrize(("name", "aggregator"), all_aggregators().items())
def test_table_of_properties_matches_the_tags(name, aggregator):
    row = table_of_methods("choosing.md", "tags")[name]
    assert {heading: cell.split(" ")[0] for heading, cell in row.items() if heading != "method"} == properties(
        aggregator()
    )
    # What a parameter changes is noted in brackets.
    for params in getattr(aggregator, "_variants", ()):
        for heading, value in properties(aggregator(**params)).items():
            assert row[heading].split(" ")[0] == value or "(" in row[heading]
