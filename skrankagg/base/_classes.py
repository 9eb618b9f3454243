"""Search for the classes of a module, and for a method by its name."""

import inspect

from .._support._method_text import read_method
from ._aggregator import BaseAggregator


def classes_of(module, base):
    """Return the subclasses of `base` that a module contains, as a dict keyed and sorted by name."""
    return {
        name: member
        for name, member in sorted(vars(module).items())
        if inspect.isclass(member) and issubclass(member, base) and member is not base
    }


def find_method(text, module):
    """Return the aggregator that a text such as ``CombSUM[norm=rank]`` describes; `module` contains the classes."""
    return read_method(text, classes_of(module, BaseAggregator))[1]
