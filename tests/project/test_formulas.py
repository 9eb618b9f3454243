"""The page of formulas contains the formulas of the docstrings."""

import re

import pytest
from generated import formulas

from skrankagg.utils.discovery import all_aggregators


@pytest.fixture(scope="module")
def text():
    return formulas_page.PAGE.read_text(encoding="utf-8")


def test_formulas_page_is_up_to_date(text):
    assert text == formulas_page.page(), "run python tools/formulas_page.py"


def test_formulas_page_has_a_linked_section_for_each_method(text):
    found = re.findall(r"^### \[(\w+)\]\(api/generated/skrankagg\.aggregators\.\1\.rst\)$", text, re.MULTILINE)
    assert sorted(found) == sorted(all_aggregators())


@pytest.mark.parametrize(("name", "aggregator"), all_aggregators().items())
def test_formulas_page_has_all_formulas_of_each_docstring(name, aggregator):
    parts = "\n\n".join(formulas.formulas(aggregator))
    assert parts.count(".. math::") == aggregator.__doc__.count(".. math::")
    assert parts.count(":math:") or name in {"KwikSort", "LocalKemenization", "PickAPerm", "RankedPairs"}
    assert "]_" not in parts, "marks of references"
