"""Errors that each method raises, for the reference: from the method's tags, parameters and memory.

tests/project/test_reference.py makes every method raise each of these errors.
"""

import inspect

from skrankagg.base import BaseAggregator

#: Members of the class that estimate the memory of a query.
_MEMORY = ("_pair_bytes", "_cell_bytes")
#: CombMAX overrides the estimate of its parent with None; StackedFusion checks memory while it learns.
_EXCEPTIONS = {"CombMAX": False, "StackedFusion": True}


def raised_by(method):
    """List the errors that fit, transform and fit_transform of a class raise, each with its causes.

    Parameters
    ----------
    method : class
        A subclass of BaseAggregator.

    Returns
    -------
    list of (str, list of str)
        The name of each error, and a clause for each cause, which begins with "if".
    """
    tags = method().__sklearn_tags__().aggregator_tags
    values = [
        "if `X` lacks a column, contains a missing id, or repeats an item in a list",
        "if a parameter has a value that its description does not allow",
    ]
    types = ["if `X` is not a data frame, RankedLists, a dict or a list of lists"]
    if tags.needs_scores:
        words = ", and `norm` needs scores" if "norm" in inspect.signature(method).parameters else ""
        values.append(f"if the lists have no scores, or scores that contradict their ranks{words}")
    if not tags.voter_weights:
        values.append("if a list has a weight other than 1")
    if tags.integer_weights:
        values.append("if the weight of a list is not a whole number")
    if "voter_weights" in inspect.signature(method).parameters:
        values.append("if `voter_weights` lacks a voter, or contains a negative or infinite weight")
        types.append("if `voter_weights` contains a value that is not a number")
    if "pins" in inspect.signature(method).parameters:
        values.append("if `pins` or `orders` contain an item that no query has, or contradict each other")
        types.append("if `orders` is not a list of pairs")
    if tags.supervised:
        values.append("if there are no judgements of the queries and items of `X`")
        types.append("if the judgements are a plain data frame")
    errors = [("ValueError", values), ("TypeError", types)]
    if needs_memory(method):
        errors.append(("MemoryLimitError", ["if a query needs more memory than is available"]))
    if tags.supervised:
        errors.append(("NotFittedError", ["if ``transform`` is called before ``fit``"]))
    return errors


def needs_memory(method):
    """Return True if the method checks, with some values of its parameters, whether a query fits into memory."""
    if method.__name__ in _EXCEPTIONS:
        return _EXCEPTIONS[method.__name__]
    return any(getattr(method, name) for name in _MEMORY) or method._memory is not BaseAggregator._memory


def entries(method):
    """Return the lines of the section "Raises" in numpydoc's format."""
    lines = []
    for error, causes in raised_by(method):
        items = [f"{cause[0].upper()}{cause[1:]}." for cause in causes]
        lines += [error, *([f"    - {item}" for item in items] if len(items) > 1 else [f"    {items[0]}"])]
    return lines


def insert_raises(app, what, name, value, options, lines):
    """Add the section "Raises" to the docstring of a method of rank aggregation, before numpydoc reads it."""
    if what != "class" or not issubclass(value, BaseAggregator) or inspect.isabstract(value):
        return
    if value.__module__.startswith("skrankagg.base"):
        return
    found = entries(value)
    if "Raises" in lines:
        place = lines.index("Raises") + 2
        lines[place:place] = found
        return
    place = lines.index("See Also") if "See Also" in lines else len(lines)
    lines[place:place] = ["Raises", "------", *found, ""]
