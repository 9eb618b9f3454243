"""The public API, as listed on the pages of the API reference."""

import functools
import importlib
import importlib.util
import inspect
from pathlib import Path

DOCS = Path(__file__).resolve().parent.parent / "docs"

_spec = importlib.util.spec_from_file_location("api_pages", DOCS / "api_pages.py")
api_pages = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(api_pages)

#: Every public module, with a page or without.
MODULES = (*api_pages.MODULES, *api_pages.WITHOUT_PAGE)


def public_objects():
    """Find everything that users call by name: modules, classes, functions, methods, properties.

    Inherited members are listed once, under the class that defines them; a function that a class binds as a method is
    listed under its own module. Members defined by scikit-learn or Python are
    not listed.

    Returns
    -------
    dict of str to (kind, object)
        By dotted name, with "module", "class", "function", "method" or "property" for kind.
    """
    found = {module: ("module", importlib.import_module(module)) for module in MODULES}
    for module in MODULES:
        for name in api_pages.exports(module):
            value = getattr(importlib.import_module(module), name)
            if not inspect.isclass(value):
                found[f"{value.__module__}.{value.__qualname__}"] = "function", value
                continue
            for owner in value.__mro__:
                if owner.__module__.split(".")[0] == "skrankagg":
                    found.update(_members(owner))
            found[f"{value.__module__}.{value.__qualname__}"] = "class", value
    return found


def _members(owner):
    for name, member in vars(owner).items():
        if name.startswith("_"):
            continue
        path = f"{owner.__module__}.{owner.__qualname__}.{name}"
        if isinstance(member, property | functools.cached_property):
            yield path, ("property", member)
        elif inspect.isroutine(value := getattr(owner, name)) and value.__module__.startswith("skrankagg"):
            yield f"{value.__module__}.{value.__qualname__}", ("method", value)
