"""Functions that read and write methods as text, such as ``CombSUM[norm=rank]`` for ``CombSUM(norm="rank")``."""

import ast
import re

from sklearn.base import BaseEstimator

from ..exceptions import InputError
from ._suggestions import did_you_mean, find_same
from ._values import show

# Pattern of a value for each voter, such as bm25:.3,dense:.7. A voter's name may contain colons.
_NUMBER = r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?"
_BY_VOTER = re.compile(rf"[^,{{}}]+:\s*{_NUMBER}(?:\s*,[^,{{}}]+:\s*{_NUMBER})*")
# Parameters whose values are methods.
_METHODS = {"aggregator"}


def read_method(text, aggregators, hint="", find_more=None):
    """Convert a text such as ``combsum[norm=rank]`` to a tuple of the method's full name and an aggregator.

    `aggregators` maps names to classes. Case and separators of the name are ignored, and synonyms such as rrf are
    accepted. The parameters are in square brackets, or in parentheses as in the repr of an aggregator. An unknown
    method or parameter raises InputError. If the method is unknown, the message ends with `hint`.

    If a name is not in `aggregators`, ``find_more(name)`` is called; it returns a dict of further classes.

    >>> from skrankagg import CombSUM
    >>> from skrankagg._support._method_text import read_method
    >>> read_method("combsum[norm=rank]", {"CombSUM": CombSUM})
    ('CombSUM[norm=rank]', CombSUM(norm='rank'))
    """
    match = re.fullmatch(r"\s*([\w-]+)\s*(?:\[(.*)\]|\((.*)\))?\s*", text, re.DOTALL)
    name = find_same(match[1], aggregators) if match else None
    if name is None and match and find_more is not None:
        aggregators = {**aggregators, **find_more(match[1])}
        name = find_same(match[1], aggregators)
    if name is None:
        meant = did_you_mean(match[1], aggregators) if match else ""
        raise InputError(f"{show(text)} is not a method{meant}; choose from {', '.join(aggregators)}.{hint}")
    params = parse_params(name, aggregators[name], _split(match[2] or match[3] or ""))
    params = {key: read_param(key, value, aggregators, find_more) for key, value in params.items()}
    method = aggregators[name](**params)
    method._validate_params()
    return name + _in_brackets(params), method


def parse_params(name, aggregator, pieces):
    """Parse texts of the form NAME=VALUE into a dict of name to text; raise InputError if a name is unknown."""
    available = list(aggregator().get_params(deep=False))
    params = {}
    for piece in pieces:
        key, equals, value = (part.strip() for part in piece.partition("="))
        if not equals:
            raise InputError(f"a parameter of {name} must have the form NAME=VALUE; got {show(piece)}.")
        if key not in available:
            raise InputError(
                f"{name} has no parameter {show(key)}{did_you_mean(key, available)}; it has "
                f"{', '.join(available) or 'none'}."
            )
        if key in params:
            raise InputError(f"the parameter {key} of {name} is given twice.")
        params[key] = value
    return params


def read_value(text):
    """Convert the text of a parameter's value: evaluate a Python literal, or convert ``bm25:.3,dense:.7`` to a dict.

    Any other text is returned unchanged.
    """
    if _BY_VOTER.fullmatch(text):
        pairs = [piece.rpartition(":") for piece in text.split(",")]
        return {voter.strip(): float(number) for voter, _, number in pairs}
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return text


def read_param(key, text, aggregators, find_more=None):
    """Convert the text of a parameter's value to this value; the text of an `aggregator` describes a method.

    `key` is the name of the parameter. An example of a method's text is ``CombSUM[norm=rank]``. The other arguments are
    as in :func:`read_method`.
    """
    value = read_value(text)
    if key in _METHODS and isinstance(value, str):
        return read_method(value, aggregators, find_more=find_more)[1]
    return value


def read_params(key, text, aggregators, find_more=None):
    """Read the values of a parameter, separated by commas, such as `10,60` or `(5,10),(1,2)` (two tuples)."""
    return [read_param(key, piece, aggregators, find_more) for piece in split_outside_brackets(text)]


def write_param(key, value):
    """Write a parameter as on the command line, such as k=10 or aggregator=CombSUM[norm=rank]."""
    return f"{key}={_write_value(value)}"


def _write_value(value):
    if isinstance(value, dict):
        return ",".join(f"{voter}:{number:.4g}" for voter, number in value.items())
    if isinstance(value, BaseEstimator):
        defaults = type(value)().get_params(deep=False)
        changed = {key: one for key, one in value.get_params(deep=False).items() if repr(one) != repr(defaults[key])}
        return type(value).__name__ + _in_brackets(changed)
    return str(value)


def _in_brackets(params):
    return f"[{','.join(write_param(key, value) for key, value in params.items())}]" if params else ""


def _split(text):
    """Split the options of a method, such as "k=10,norm=rank", at commas; each option has the form NAME=VALUE."""
    pieces = []
    for piece in split_outside_brackets(text):
        # A piece without = belongs to values of voters, such as bm25:.3,dense:.7.
        if pieces and "=" not in piece and ":" in piece:
            pieces[-1] += f",{piece}"
        else:
            pieces.append(piece)
    return pieces


def split_outside_brackets(text):
    """Split a text at the commas outside of brackets; leave out empty pieces."""
    pieces, depth = [""], 0
    for char in text:
        depth += (char in "[{(") - (char in "]})")
        if char == "," and depth <= 0:
            pieces.append("")
        else:
            pieces[-1] += char
    return [piece.strip() for piece in pieces if piece.strip()]
