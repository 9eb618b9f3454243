"""Docstrings are complete: numpydoc finds no error in the public ones."""

import ast
import importlib
import inspect
import pydoc
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from numpydoc.docscrape import get_doc_object
from numpydoc.validate import Validator, validate

from public_api import api_pages, public_objects

PUBLIC = public_objects()

#: Errors that numpydoc may find, by kind of object, each with the reason; in every other respect it finds none.
IGNORED = {
    "every": {
        "GL01": "ruff sees to where a summary starts, D212; older versions of numpydoc want it one line later",
        "RT02": "a single return value has a name where its type alone says too little",
        "SS05": "numpydoc takes every first word that ends in s for a verb: Kendall's, Lists, Columns",
    },
    "module": dict.fromkeys(("ES01", "SA01", "EX01"), "older versions of numpydoc take a module for a function"),
    "class": {},
    "function": {"ES01": "a function is one formula: the summary says it, and the Notes say more"},
    "method": {
        "ES01": "a method does one thing, which its summary says",
        "SA01": "its neighbours are on the page of its class",
        "EX01": "the example of its class shows it",
    },
    "property": {
        "ES01": "a property is one thing, which its summary says",
        "SA01": "its neighbours are on the page of its class",
        "EX01": "the example of its class shows it",
    },
    "pyflagr": {"ES01": "the method by the paper, which stands under See Also, says it at length"},
}


class _Object(Validator):
    """The object that numpydoc validates, found in `PUBLIC`, which is faster than importing it by name."""

    # Where to look for comments that switch checks off: nowhere, the reasons are all above.
    source_file_name = None
    source_file_def_line = None

    def __init__(self, obj_name):
        super().__init__(get_doc_object(PUBLIC[obj_name][1]))


def test_public_objects_finds_every_kind_of_object():
    assert {kind for kind, _ in PUBLIC.values()} == {"module", "class", "function", "method", "property"}
    assert {
        "skrankagg.metrics",
        "skrankagg._data._ranked_lists.RankedLists",
        "skrankagg.metrics._judging._evaluate.evaluate",
        "skrankagg.base._aggregator.BaseAggregator.fit_transform",
        "skrankagg._data._from_frame.from_frame",
        "skrankagg._data._ranked_lists.RankedLists.n_queries",
        "skrankagg._data._ranked_lists.RankedLists.row_list",
        "skrankagg.compat.pyflagr.Linear.CombSUM",
        "skrankagg.compat.pyflagr._method.Method.aggregate",
    } <= set(PUBLIC)


@pytest.mark.parametrize("name", sorted(PUBLIC))
def test_numpydoc_finds_no_error(name):
    ignored = {**IGNORED["every"], **IGNORED[PUBLIC[name][0]], **(IGNORED["pyflagr"] if ".pyflagr." in name else {})}
    errors = [error for error in validate(name, _Object)["errors"] if error[0] not in ignored]
    assert not errors, "".join(f"\n{name}: {code} {message}" for code, message in errors)


def test_see_also_names_exist():
    pages = {
        f"{module}.{name}": getattr(importlib.import_module(module), name)
        for module in api_pages.MODULES
        for name in api_pages.exports(module)
    }
    lost = []
    for page, shown in pages.items():
        for functions, _ in get_doc_object(shown)["See Also"]:
            for name, _ in functions:
                own = f"{page.rpartition('.')[0]}.{name}"
                # The reference links to a name of the same page, or to the full name of another one of ours.
                ours = own in pages or name in pages or name.rpartition(".")[0] in pages
                if not ours and (name.startswith("skrankagg.") or pydoc.locate(name) is None):
                    lost.append((page, name))
    assert not lost


def test_doctests_run_in_an_empty_namespace(tmp_path):
    # /conftest.py sees to it for all docstrings that pytest collects: a name that only the module imports is missing.
    shutil.copy(Path(__file__).resolve().parents[2] / "conftest.py", tmp_path)
    example = '"""Empty.\n\n{}>>> math.floor(1.5)\n1\n"""\n\nimport math\n'
    (tmp_path / "forgets.py").write_text(example.format(""), encoding="utf-8")
    (tmp_path / "imports.py").write_text(example.format(">>> import math\n"), encoding="utf-8")
    command = [sys.executable, "-m", "pytest", "-q", "--doctest-modules", "-p", "no:cacheprovider", "."]
    out = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True).stdout
    assert "NameError: name 'math' is not defined" in out and "1 failed, 1 passed" in out


def test_pytest_collects_doctests_of_the_package(pytestconfig):
    assert "skrankagg" in pytestconfig.getini("testpaths") and "--doctest-modules" in pytestconfig.getini("addopts")


def defaults(name):
    """Return, by parameter, the literal default in the docstring and the signature's default."""
    documented, found = PUBLIC[name][1], {}
    for line in get_doc_object(documented)["Parameters"]:
        names, stated = line.name.split(", "), line.type.partition("default=")[2]
        try:
            value = ast.literal_eval(stated)
        except (SyntaxError, ValueError):
            continue
        # Several parameters in one line have one default each, or share one.
        each = value if isinstance(value, tuple) and len(names) == len(value) > 1 else [value] * len(names)
        parameters = inspect.signature(documented).parameters
        for own, default in zip(names, each, strict=True):
            # A dataclass makes a dict for each object.
            if repr(parameters[own].default) != "<factory>":
                found[own] = default, parameters[own].default
    return found


STATED = {name: defaults(name) for name, (kind, _) in PUBLIC.items() if kind in ("class", "function", "method")}


@pytest.mark.parametrize("name", sorted(name for name, found in STATED.items() if found))
def test_docstring_defaults_equal_those_of_the_signature(name):
    assert {own: stated for own, (stated, _) in STATED[name].items()} == {
        own: actual for own, (_, actual) in STATED[name].items()
    }
