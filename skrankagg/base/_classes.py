"""Find the aggregator classes of this and other packages, and find an aggregator by its name."""

import inspect
from functools import partial
from importlib.metadata import EntryPoint

from .._support._checks import check_flag
from .._support._entry_points import find_entry_points, package_of
from .._support._method_text import read_method, read_params
from .._support._suggestions import find_same
from .._support._warn import warn_user
from ._aggregator import BaseAggregator


def classes_of(module, base):
    """Return the subclasses of `base` that a module contains, as a dict keyed and sorted by name."""
    return {
        name: member
        for name, member in sorted(vars(module).items())
        if inspect.isclass(member) and issubclass(member, base) and member is not base
    }


def methods_of(module, external=False):
    """Return the aggregator classes that a module contains, and with `external` also the classes of other packages."""
    check_flag("external", external)
    own = classes_of(module, BaseAggregator)
    return dict(sorted((own | external_classes(own)).items())) if external else own


def find_method(text, module, hint=""):
    """Return the full name and the aggregator that a text such as ``CombSUM[norm=rank]`` describes.

    `module` contains the classes of this package. Classes of other packages are loaded only if the name of a method is
    not in `module`. If the method is unknown, InputError is raised, and its message ends with `hint`.
    """
    own = classes_of(module, BaseAggregator)
    return read_method(text, own, hint, partial(external_classes, own))


def find_values(key, text, module):
    """Read the values of the parameter `key` from a text such as ``10,60``.

    If `key` is "aggregator", the values are methods.
    """
    own = classes_of(module, BaseAggregator)
    return read_params(key, text, own, partial(external_classes, own))


def external_classes(own, wanted=None):
    """Load the aggregator classes that other packages register, and return them as a dict keyed and sorted by name.

    A class that cannot be loaded or used is left out, and a warning gives its name, its package and the reason.

    Parameters
    ----------
    own : dict of str to type
        The classes of this package, whose names other packages cannot use.
    wanted : str, default=None
        Name of a class. If an entry point has this name, only this entry point is loaded.
    """
    found = find_entry_points()
    if wanted is not None:
        found = [one for one in found if find_same(wanted, [one.name]) is not None] or found
    classes = {}
    for entry_point in found:
        taken = find_same(entry_point.name, {**own, **classes})
        problem = None if taken is None else f"its name is already the name of the method {taken}"
        if problem is None:
            loaded, problem = _load(entry_point)
        if problem is None:
            classes[entry_point.name] = loaded
        else:
            warn_user(
                f"The method {entry_point.name!r} of the package {package_of(entry_point)} is left out: {problem}. "
                "Update or uninstall the package.",
                UserWarning,
            )
    return classes


def _load(entry_point: EntryPoint):
    """Return a tuple: the class of an entry point (or None), and the reason why it cannot be used (or None)."""
    # Code of another package can fail in any way, and must not stop the methods of this package.
    try:
        loaded = entry_point.load()
    except (Exception, SystemExit) as error:
        return None, f"{entry_point.value} raises {_describe(error)}"
    if not (inspect.isclass(loaded) and issubclass(loaded, BaseAggregator)):
        return None, f"{entry_point.value} is not a subclass of skrankagg.base.BaseAggregator"
    if loaded.__name__ != entry_point.name:
        return None, f"the class has another name, {loaded.__name__}"
    try:
        loaded().get_params(deep=False)
    except Exception as error:
        return None, f"{loaded.__name__}() raises {_describe(error)}"
    return loaded, None


def _describe(error):
    """Return the type of an error and the first line of its message."""
    message = str(error).strip().partition("\n")[0].rstrip(".")
    return f"{type(error).__name__}: {message}" if message else type(error).__name__
