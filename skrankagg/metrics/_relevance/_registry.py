"""The registry of measures: from a name such as ``ndcg@10[gain=linear]`` to a function.

A name is the measure, ``@`` and a cutoff where it takes one, and conventions in brackets where they differ from the
defaults. Scorers, the Comparator, the command line and :func:`evaluate` all read names here.

>>> from skrankagg.metrics import get_measure
>>> measure = get_measure("ndcg@10[gain=linear]")
>>> measure.k, measure.options
(10, {'gain': 'linear'})
>>> str(measure)
'ndcg@10[gain=linear]'
"""

import re
from collections.abc import Sequence
from typing import Unpack

import numpy as np

from ...exceptions import InputError, InputTypeError
from ._conventions import OPTIONS, AllConventions, check_conventions
from ._measure import MEASURES, Measure

__all__ = ["Measure", "get_measure", "measure_names"]

# Other names that users look for.
_ALIASES = {"hit_rate": "success"}

# What stands for a cutoff in the list of names, and one to write.
_PLACEHOLDERS = {"k": "k", "recall": "r", "ks": "z1,z2,..."}
_SAMPLES = {"k": "10", "recall": "0.1", "ks": "5,10"}

_PATTERN = re.compile(r"(?P<name>\w+)(?:@(?P<k>[^\[\]]+))?(?:\[(?P<options>[^\[\]]*)\])?")


def measure_names() -> list[str]:
    """Names of all measures, with @k where they take a cutoff.

    Returns
    -------
    list of str
        As :func:`evaluate` takes them, once the cutoff is filled in.

    See Also
    --------
    get_measure : Makes a measure of a name.
    agreement_names : Names of the measures that need no judgements.

    Examples
    --------
    >>> from skrankagg.metrics import measure_names
    >>> "ndcg@k" in measure_names()
    True
    """
    names = []
    for name, measure in MEASURES.items():
        if measure.cutoff != "required":
            names.append(name)
        if measure.cutoff != "none":
            names.append(f"{name}@{_PLACEHOLDERS[measure.cutoff_kind]}")
    return names


def get_measure(name: str | Measure, **conventions: Unpack[AllConventions]) -> Measure:
    """Look up a measure by name.

    Parameters
    ----------
    name : str or Measure
        Such as "map", "p@10" or "ndcg@10[gain=linear,ideal=retrieved]". Case does not count.
    **conventions
        Defaults for the conventions that the measure knows and the name leaves open; others are left out.

    Returns
    -------
    Measure
        Call it on a run and judgements.

    Raises
    ------
    ValueError
        If the name, the cutoff or a convention is unknown; the message lists what there is.

    See Also
    --------
    measure_names : All names.
    evaluate : Measures a run by names.

    Examples
    --------
    >>> from skrankagg.metrics import get_measure
    >>> str(get_measure("P@10", gain="linear")), str(get_measure("nDCG@5", gain="linear"))
    ('p@10', 'ndcg@5[gain=linear]')
    """
    check_conventions(conventions)
    if isinstance(name, Measure):
        name = str(name)
    if not isinstance(name, str):
        raise InputTypeError(f"A measure is named by a str such as 'ndcg@10'; got {type(name).__name__}.")
    match = _PATTERN.fullmatch(name.strip())
    key = match["name"].lower() if match else None
    key = _ALIASES.get(key, key)
    if key not in MEASURES:
        raise InputError(f"{name!r} is not a measure; choose from {', '.join(measure_names())}.")
    measure = MEASURES[key]
    options = {
        option: _as_kind(option, value)
        for option, value in conventions.items()
        if option in measure.conventions and value is not None
    }
    options.update(_parse_options(name, measure, match["options"] or ""))
    return measure._with(_parse_cutoff(name, measure, match["k"]), options)


def get_measures(
    metrics: str | Measure | Sequence[str | Measure], **conventions: Unpack[AllConventions]
) -> dict[str, Measure]:
    """Look up one measure, or several.

    Parameters
    ----------
    metrics : str, Measure or sequence of these
        Names, see :func:`measure_names`.
    **conventions
        As in :func:`get_measure`.

    Returns
    -------
    dict of str to Measure
        Under the names as given, in this order; a Measure is its own name.

    Raises
    ------
    ValueError
        If a measure or a convention is unknown, there is no name, or two names are of one measure.
    """
    names = [metrics] if isinstance(metrics, str | Measure) or not np.iterable(metrics) else list(metrics)
    if not names:
        raise InputError("metrics must name at least one measure, such as 'ndcg@10'; the list is empty.")
    found = {}
    for name in names:
        measure = get_measure(name, **conventions)
        twin = next((other for other, known in found.items() if known == measure), None)
        if twin is not None:
            both = f"{twin!r} is there twice" if twin == str(name) else f"{twin!r} and {str(name)!r} are the same"
            raise InputError(f"metrics must name each measure once; {both}. Leave one out.")
        found[str(name)] = measure
    return found


def find_column(columns, metric):
    """Column of a frame that a measure stands in.

    Parameters
    ----------
    columns : iterable of object
        Names of columns, such as :func:`get_measures` gives them.
    metric : object
        Name of a column, or a Measure, which stands in the column that names it.

    Returns
    -------
    object
        The name itself, or of a Measure that no column names its own.
    """
    if not isinstance(metric, Measure):
        return metric
    return next((column for column in columns if find_measure(column) == metric), str(metric))


def prefers(metric):
    """Which values of a measure are better: True for greater ones, False for smaller ones, None for neither.

    Parameters
    ----------
    metric : Measure or object
        A measure, or the name of a column; one that names no measure holds scores of which more is better.

    Returns
    -------
    bool or None
    """
    measure = find_measure(metric)
    return True if measure is None else measure.greater_is_better


def orient(values, metric):
    """Values of a measure, or of a column of its name, negated where smaller ones are better."""
    return -values if prefers(metric) is False else values


def find_measure(metric):
    """Measure of a name, or None where a frame's column is not named after one, as one of times is not."""
    if isinstance(metric, Measure):
        return metric
    try:
        return get_measure(metric)
    except (TypeError, ValueError):
        return None


def _parse_cutoff(name, measure, text):
    sample = f"{measure.name}@{_SAMPLES[measure.cutoff_kind]}"
    if text is None:
        if measure.cutoff == "required":
            hint = " for the first ten places" if measure.cutoff_kind == "k" else ""
            raise InputError(f"{name!r} needs a cutoff; write {sample}{hint}.")
        return None
    if measure.cutoff == "none":
        raise InputError(f"{measure.name!r} takes no cutoff; write {measure.name}, got {name!r}.")
    if measure.cutoff_kind == "recall":
        try:
            return measure._check_cutoff(float(text))
        except ValueError:
            raise InputError(f"{name!r} must name a recall from 0 to 1; write {sample}, say.") from None
    parts = text.split(",") if measure.cutoff_kind == "ks" else [text]
    if not all(part.strip().isdecimal() and int(part) >= 1 for part in parts):
        raise InputError(f"The cutoff of {name!r} must be a whole number of at least 1; write {sample}, say.")
    return tuple(map(int, parts)) if measure.cutoff_kind == "ks" else int(text)


def _parse_options(name, measure, text):
    options = {}
    for part in filter(None, (part.strip() for part in text.split(","))):
        option, equals, value = (piece.strip() for piece in part.partition("="))
        if not equals or option not in measure.conventions:
            known = ", ".join(measure.conventions) or "none"
            raise InputError(
                f"{name!r} has an unknown convention {part!r}; {measure.name} takes {known}, written [option=value]."
            )
        options[option] = _parse_value(name, option, value)
    check_conventions(options)
    return options


def _as_kind(option, value):
    # An int and the float of its value are one convention, and must be written alike.
    return float(value) if OPTIONS[option] is float else value


def _parse_value(name, option, text):
    if OPTIONS[option] is not float:
        return text
    try:
        return float(text)
    except ValueError:
        raise InputError(f"{option} in {name!r} must be a number; got {text!r}.") from None
