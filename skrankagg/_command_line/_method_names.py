"""Names of methods on the command line; for example, `CombSUM[norm=rank]` means CombSUM(norm="rank")."""

import ast
import os
import re

from .._data._conflicts import describe_conflict
from .._support._suggestions import did_you_mean, find_same
from ..utils.discovery import all_aggregators, default_methods
from ._messages import UserError
from ._python_words import split_outside_brackets

#: Methods that are compared by default. They differ from each other and need only seconds for a hundred queries of long
#: lists.
FAST = (
    "BordaCount",
    "CombMAX",
    "CombMNZ",
    "CombSUM",
    "CombSUM[norm=z-score]",
    "Copeland",
    "DIBRA",
    "InverseSquareRank",
    "RankBiasedCentroid",
    "RankStatistic[statistic=median]",
    "ReciprocalRankFusion",
    "RobustRankAggregation",
)

#: Method of a consensus without judgements, if the user names none. Its docstring explains the value of k.
DEFAULT_METHOD = "ReciprocalRankFusion[k=30]"
#: The method for paired comparisons.
COMPARISON_METHOD = "PlackettLuce"
#: The method for ballots, which elects the winner of all majorities if there is one.
BALLOT_METHOD = "Schulze"

# Parameters whose values are methods.
_METHODS = {"aggregator"}

# Pattern of values of voters, such as bm25:.3,dense:.7. A voter's name may contain colons.
_NUMBER = r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?"
_BY_VOTER = re.compile(rf"[^,{{}}]+:\s*{_NUMBER}(?:\s*,[^,{{}}]+:\s*{_NUMBER})*")


def make_methods(texts):
    """Convert texts to a list of (name, estimator) pairs; raise UserError if a method is given twice."""
    methods = {}
    for text in texts:
        name, method = _make_method(text)
        if name in methods:
            raise UserError(f"the method {name} is given twice.")
        methods[name] = method
    return list(methods.items())


def seed_methods(methods, random_state):
    """Set the seed of each randomised method in a list of (name, estimator) pairs; a seed of None changes nothing."""
    if random_state is None:
        return
    for _, method in methods:
        seeds = [key for key in method.get_params(deep=True) if key.rpartition("__")[2] == "random_state"]
        method.set_params(**dict.fromkeys(seeds, random_state))


def _make_method(text):
    aggregators = all_aggregators()
    match = re.fullmatch(r"\s*([\w-]+)\s*(?:\[(.*)\])?\s*", text, re.DOTALL)
    name = find_same(match[1], aggregators) if match else None
    if name is None:
        hint = " Files come before --methods." if os.path.exists(text) else ""
        meant = did_you_mean(match[1], aggregators) if match else ""
        raise UserError(f"{text!r} is not a method{meant}; choose from {', '.join(aggregators)}.{hint}")
    params = parse_params(name, aggregators[name], _split(match[2] or ""))
    params = {key: read_param(key, value) for key, value in params.items()}
    method = aggregators[name](**params)
    method._validate_params()
    return name + _in_brackets(params), method


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


def parse_params(name, aggregator, pieces):
    """Parse options of the form NAME=VALUE to a dict from parameter to text; raise UserError for unknown parameters."""
    available = list(aggregator().get_params(deep=False))
    params = {}
    for piece in pieces:
        key, equals, value = (part.strip() for part in piece.partition("="))
        if not equals:
            raise UserError(f"a parameter of {name} must have the form NAME=VALUE; got {piece!r}.")
        if key not in available:
            raise UserError(
                f"{name} has no parameter {key!r}{did_you_mean(key, available)}; it has "
                f"{', '.join(available) or 'none'}."
            )
        if key in params:
            raise UserError(f"the parameter {key} of {name} is given twice.")
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


def read_param(key, text):
    """Convert the text of a parameter to its value; the value of `aggregator` is a method, such as CombSUM[norm=rank].

    Parameters
    ----------
    key : str
        Name of the parameter.
    text : str
        Value as written on the command line.

    Returns
    -------
    object
    """
    value = read_value(text)
    return _make_method(value)[1] if key in _METHODS and isinstance(value, str) else value


def read_params(key, text):
    """Read the values of a parameter, separated by commas, such as `10,60` or `(5,10),(1,2)` (two tuples)."""
    return [read_param(key, piece) for piece in split_outside_brackets(text)]


def write_param(key, value):
    """Write a parameter as on the command line, such as k=10 or aggregator=CombSUM[norm=rank]."""
    return f"{key}={_write_value(value)}"


def _write_value(value):
    if isinstance(value, dict):
        return ",".join(f"{voter}:{number:.4g}" for voter, number in value.items())
    if hasattr(value, "get_params"):
        defaults = type(value)().get_params(deep=False)
        changed = {key: one for key, one in value.get_params(deep=False).items() if repr(one) != repr(defaults[key])}
        return type(value).__name__ + _in_brackets(changed)
    return str(value)


def _in_brackets(params):
    return f"[{','.join(write_param(key, value) for key, value in params.items())}]" if params else ""


def fitting_methods(lists, names=None):
    """Return the methods that accept the lists, and a dict from each reason for a rejection to the rejected methods."""
    methods, left_out = [], {}
    for name, method in default_methods() if names is None else make_methods(names):
        reason = _reason_against(method.__sklearn_tags__().aggregator_tags, lists)
        if reason is None:
            methods.append((name, method))
        else:
            left_out.setdefault(reason, []).append(name)
    return methods, left_out


def _reason_against(tags, lists):
    if tags.needs_scores and not lists.has_scores:
        return "they need scores, but the lists have only ranks"
    conflict = describe_conflict(lists, lists.list_weight > 0)
    if tags.needs_scores and conflict is not None:
        return f"they need scores that order the items of a list in the same way as its ranks, and {conflict[0]}"
    if lists.is_weighted and not tags.voter_weights:
        return "they cannot weigh lists"
    if tags.integer_weights and (lists.list_weight % 1 != 0).any():
        return "they accept only integer weights of lists"
    return None
