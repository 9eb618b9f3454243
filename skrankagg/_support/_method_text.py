"""Methods as text, such as ``CombSUM[norm=rank]`` for ``CombSUM(norm="rank")``, in Python and on the command line."""

import ast
import re

from ..exceptions import InputError
from ._suggestions import did_you_mean, find_same
from ._values import show

# Pattern of values of voters, such as bm25:.3,dense:.7. A voter's name may contain colons.
_NUMBER = r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?"
_BY_VOTER = re.compile(rf"[^,{{}}]+:\s*{_NUMBER}(?:\s*,[^,{{}}]+:\s*{_NUMBER})*")
# A comma outside brackets.
_COMMA = re.compile(r",(?![^{(\[]*[})\]])")


def read_method(text, aggregators, hint=""):
    """Convert the text of a method to its full name and an aggregator.

    `aggregators` maps names to classes. Case and separators of the name are ignored, and synonyms such as rrf are
    accepted. The parameters are in square brackets, or in parentheses as in the repr of an aggregator. Raises
    InputError if there is no such method or parameter; `hint` is added to the message of an unknown method.

    >>> from skrankagg import CombSUM
    >>> from skrankagg._support._method_text import read_method
    >>> read_method("combsum[norm=rank]", {"CombSUM": CombSUM})
    ('CombSUM[norm=rank]', CombSUM(norm='rank'))
    """
    match = re.fullmatch(r"\s*(\w+)\s*(?:\[(.*)\]|\((.*)\))?\s*", text, re.DOTALL)
    name = find_same(match[1], aggregators) if match else None
    if name is None:
        meant = did_you_mean(match[1], aggregators) if match else ""
        raise InputError(f"{show(text)} is not a method{meant}; choose from {', '.join(aggregators)}.{hint}")
    params = parse_params(name, aggregators[name], _split(match[2] or match[3] or ""))
    params = {key: read_value(value) for key, value in params.items()}
    method = aggregators[name](**params)
    method._validate_params()
    return name + (f"[{','.join(f'{key}={value}' for key, value in params.items())}]" if params else ""), method


def parse_params(name, aggregator, pieces):
    """Parse options of the form NAME=VALUE to a dict from parameter to text; raise InputError if a name is unknown."""
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
    """Convert voter weights such as bm25:.3,dense:.7 to a dict, and Python literals to values; keep any other text."""
    if _BY_VOTER.fullmatch(text):
        pairs = [piece.rpartition(":") for piece in text.split(",")]
        return {voter.strip(): float(number) for voter, _, number in pairs}
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return text


def read_values(text):
    """Read values separated by commas, such as `10,60` (two values) or `(5,10),(1,2)` (two tuples)."""
    return [read_value(piece.strip()) for piece in _COMMA.split(text) if piece.strip()]


def _split(text):
    """Split the options of a method, such as "k=10,norm=rank", at commas; each option has the form NAME=VALUE."""
    pieces = []
    # A comma separates two pieces, with two exceptions: it is inside brackets, as in a dict, or the next piece has no
    # =.
    for piece in filter(None, map(str.strip, _COMMA.split(text))):
        if pieces and "=" not in piece and ":" in piece:
            pieces[-1] += f",{piece}"
        else:
            pieces.append(piece)
    return pieces
