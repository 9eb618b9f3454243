"""The type-checking tool finds known mistakes and every example; docstrings and hints name equal options."""

import inspect
import re
from typing import get_args, get_type_hints

import pytest

import check_types
from check_types import ROOT, all_examples, prompts
from public_api import public_objects
from skrankagg.compat.pyflagr import MarkovChains
from skrankagg.metrics._relevance._conventions import OPTIONS, AllConventions


def test_check_types_fails_unless_it_finds_exactly_the_known_mistakes(monkeypatch):
    # That basedpyright finds them is checked at each call of the tool, which is a step of .ci/run.
    known, places = check_types.known_examples()
    page = check_types.Example("page", [("page:1", "wrong")])
    looked_at = []

    def finds(entries):
        def check_examples(examples):
            looked_at.append(examples)
            return entries

        monkeypatch.setattr(check_types, "check_examples", check_examples)
        return check_types.check_all_examples([page])

    right = [f"{place}: rule: message\n    code" for place in places]
    assert len(right) == 5 and finds(right) == [] and finds([*right, "page:1: x"]) == ["page:1: x"]
    for one in ([], right[1:], [*right, "known sound:3: x"], [*right, "known other:2: x"], [*right, right[0]]):
        with pytest.raises(RuntimeError, match="must find the known mistakes"):
            finds(one)
    assert all([one.source for one in examples] == [*(one.source for one in known), "page"] for examples in looked_at)


def test_check_types_skips_examples_that_raise_on_purpose():
    text = """Text.

    >>> first = 1
    >>> first.second
    Traceback (most recent call last):
    AttributeError: no
    >>> try:
    ...     first.second
    ... except AttributeError as error:
    ...     print(error)
    no
    >>> for one in range(first):
    ...     one
    0
    """
    assert prompts(text, "page", 10) == [
        (12, "page:12", "first = 1"),
        (21, "page:21", "for one in range(first):"),
        (22, "page:22", "    one"),
    ]


def is_one_of_the_chains(value):
    """Return True for PyFLAGR's five chains, whose examples differ from their parent's by a name only."""
    return isinstance(value, type) and issubclass(value, MarkovChains.MC) and value is not MarkovChains.MC


@pytest.fixture(scope="module")
def examples():
    return all_examples()


def test_all_examples_includes_every_example(examples):
    sources = [one.source for one in examples]
    shown = {name for name, (_, value) in public_objects().items() if ">>> " in (value.__doc__ or "")}
    shown -= {name for name, (_, value) in public_objects().items() if is_one_of_the_chains(value)}
    assert len(shown) > 100 and shown <= set(sources)
    files = [source for source in sources if ".md#" in source or source.endswith(".ipynb")]
    assert "README.md#top" in files and "docs/getting_started.md#how-good-is-it" in files
    assert "notebooks/04_elections.ipynb" in files
    assert set(sources) == shown | set(files) and len(sources) == len(set(sources))


def test_all_examples_joins_plain_code_and_prompts_of_a_section(examples):
    found = [one for one in examples if one.source.startswith("docs/scaling_out.md#")]
    lines = [int(place.rpartition(":")[2]) for one in found for place, _ in one.lines]
    assert len(found) > 3 and lines == sorted(lines) and len(lines) == len(set(lines))
    page = (ROOT / "docs" / "scaling_out.md").read_text(encoding="utf-8").splitlines()
    code = [code for one in found for _, code in one.lines]
    assert all(shown in page[line - 1] for line, shown in zip(lines, code, strict=True))
    assert "def main():" in code and not any(one.startswith(">>>") for one in code)


def test_all_conventions_types_match_the_options_of_measures():
    hints = get_type_hints(AllConventions)
    assert set(hints) == set(OPTIONS)
    for name, allowed in OPTIONS.items():
        values = [value for value in get_args(hints[name]) if value is not type(None)]
        if isinstance(allowed, tuple):
            literal = [value for one in values for value in get_args(one)] or values
            assert set(literal) == set(allowed), name
        else:
            assert hints[name] is allowed or values == [allowed], name


def test_docstrings_name_the_same_choices_as_the_type_hints():
    # A choice is written twice, in the docstring and in the type hint; both must agree.
    compared = 0
    for name, (kind, value) in public_objects().items():
        if kind not in ("function", "class") or ".compat." in name:
            continue
        documented = dict(_choices(value.__doc__ or ""))
        call = value.__init__ if inspect.isclass(value) else value
        try:
            hints = get_type_hints(call)
        except NameError:  # a name that is imported for type checkers alone
            continue
        for parameter, hint in hints.items():
            literal = _literals(hint)
            if literal and parameter in documented:
                assert literal == documented[parameter], f"{name}: {parameter}"
                compared += 1
    assert compared > 10


def _choices(docstring):
    for name, values in re.findall(r"^ *(\w+) : \{([^}]*)\}", docstring, flags=re.MULTILINE):
        yield name, set(re.findall(r'"([^"]*)"', values))


def _literals(hint):
    found = set()
    for one in get_args(hint):
        found |= {one} if isinstance(one, str) else _literals(one)
    return found
