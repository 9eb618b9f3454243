"""Names of a package that are imported on first use."""

import importlib
import sys

import pytest

INIT = """from skrankagg._support._lazy_names import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
"""
STUB = """from . import shapes
from ._colours._warm import orange, red

__all__ = ["orange", "red", "shapes"]
"""


@pytest.fixture
def package(tmp_path, monkeypatch):
    """A package with two public names and one public module, of which nothing is loaded yet."""
    folder = tmp_path / "lazily_loaded"
    (folder / "_colours").mkdir(parents=True)
    (folder / "__init__.py").write_text(INIT)
    (folder / "__init__.pyi").write_text(STUB)
    (folder / "shapes.py").write_text("corners = 4\n")
    (folder / "_colours" / "__init__.py").write_text("")
    (folder / "_colours" / "_warm.py").write_text("red, orange, yellow = 'r', 'o', 'y'\n")
    monkeypatch.syspath_prepend(tmp_path)
    yield importlib.import_module("lazily_loaded")
    for name in [name for name in sys.modules if name.partition(".")[0] == "lazily_loaded"]:
        del sys.modules[name]


def loaded():
    return {name.partition(".")[2] for name in sys.modules if name.startswith("lazily_loaded.")}


def test_each_name_is_imported_on_first_use(package):
    assert loaded() == set()
    assert package.shapes.corners == 4
    assert loaded() == {"shapes"}
    assert package.red == "r" and "orange" not in vars(package)
    assert loaded() == {"shapes", "_colours", "_colours._warm"}
    # The second use does not call the function.
    del package.__getattr__
    assert package.red == "r" and package.shapes.corners == 4


def test_list_of_names_contains_the_names_of_the_stub_alone(package):
    assert package.__all__ == dir(package) == ["orange", "red", "shapes"]
    assert loaded() == set()
    names = {}
    exec("from lazily_loaded import *", names)
    assert names["orange"] == "o" and names["shapes"].corners == 4 and "yellow" not in names


def test_error_for_an_unknown_name_has_what_a_suggestion_needs(package):
    with pytest.raises(AttributeError, match="module 'lazily_loaded' has no attribute 'yellow'") as caught:
        _ = package.yellow
    assert caught.value.name == "yellow" and caught.value.obj is package
    with pytest.raises(ImportError, match="cannot import name 'yellow'"):
        exec("from lazily_loaded import yellow")
