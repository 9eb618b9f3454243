"""The page of all formulas has those of the docstrings."""

import re

import pytest
from generated import formulas

from skrankagg.utils.discovery import all_aggregators


@pytest.fixture(scope="module")
def text():
    return formulas.PAGE.read_text(encoding="utf-8")


def test_each_method_has_a_section_that_leads_to_its_page(text):
    found = re.findall(r"^### \[(\w+)\]\(api/generated/skrankagg\.aggregators\.\1\.rst\)$", text, re.MULTILINE)
    assert sorted(found) == sorted(all_aggregators())


@pytest.mark.parametrize(("name", "aggregator"), all_aggregators().items())
def test_each_section_has_all_formulas_of_the_docstring(name, aggregator):
    parts = "\n\n".join(formulas.formulas(aggregator))
    assert parts.count(".. math::") == aggregator.__doc__.count(".. math::")
    assert parts.count(":math:") or name in {"KwikSort", "LocalKemenization", "PickAPerm", "RankedPairs"}
    assert "]_" not in parts, "marks of references"
