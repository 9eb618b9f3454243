"""Registry of measures, which returns the measure for a name such as ``ndcg@10[gain=linear]``.

A name consists of the measure, ``@`` and a cutoff if the measure has one, and conventions in brackets if they differ
from the defaults. Scorers, the Comparator, the command line and :func:`evaluate` all look up names here.

>>> from skrankagg.metrics import get_measure
>>> measure = get_measure("ndcg@10[gain=linear]")
>>> measure.k, measure.options
(10, {'gain': 'linear'})
>>> str(measure)
'ndcg@10[gain=linear]'
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, SupportsFloat, TypeAlias, Unpack

import numpy as np

from ...exceptions import InputError, InputTypeError
from ._conventions import AllConventions, check_conventions
from ._judged_ranking import JudgedRanking
from ._measure import Measure
from ._measure_names import measure_names, parse_measure
from ._own_measure import OwnMeasure, make_measure, noted_measure

__all__ = ["JudgedRanking", "Measure", "get_measure", "make_measure", "measure_names"]

#: References to a measure: its name, the measure itself, or a function of a JudgedRanking.
MeasureLike: TypeAlias = str | Measure | Callable[[JudgedRanking], SupportsFloat]

# Key in a frame's ``attrs`` for facts about user-defined measures.
_NOTES = "skrankagg_measures"


def get_measure(name: MeasureLike, **conventions: Unpack[AllConventions]) -> Measure:
    """Look up a measure by name.

    Parameters
    ----------
    name : str, Measure or callable
        A name such as "map", "p@10" or "ndcg@10[gain=linear,ideal=retrieved]"; case is ignored. Names of trec_eval,
        ir_measures and ranx, such as "P_10" and "AP@10", are accepted if the tool computes the same values as this
        library.
        :func:`make_measure` turns a function of a :class:`JudgedRanking` into a measure.
    **conventions
        Values of conventions that the name does not state. Conventions that the measure does not accept are ignored.

    Returns
    -------
    Measure
        A measure that can be called on a run and judgements.

    Raises
    ------
    ValueError
        If the name, the cutoff or a convention is unknown. The message lists the known names or values.

    See Also
    --------
    make_measure : Turns a function into a measure.
    measure_names : Lists all names.
    evaluate : Computes measures of a run, given the names of the measures.

    Examples
    --------
    >>> from skrankagg.metrics import get_measure
    >>> str(get_measure("P@10", gain="linear")), str(get_measure("nDCG@5", gain="linear"))
    ('p@10', 'ndcg@5[gain=linear]')
    >>> str(get_measure("ndcg_cut_10")), str(get_measure("P(rel=2)@5"))
    ('ndcg@10[gain=linear]', 'p@5[relevance_threshold=2.0]')
    """
    measure = _find(name, conventions)
    return replace(measure, options=dict(measure.options))


def _find(name, conventions):
    """Look up a measure as :func:`get_measure` does; equal calls may return the same object."""
    check_conventions(conventions)
    if not isinstance(name, str | Measure) and callable(name):
        name = make_measure(name)
    if isinstance(name, OwnMeasure):
        known = {option: value for option, value in conventions.items() if option in name.conventions}
        options = {option: value for option, value in (known | name.options).items() if value is not None}
        return name._with(None, options)
    if isinstance(name, Measure):
        name = str(name)
    if not isinstance(name, str):
        raise InputTypeError(f"The name of a measure must be a str such as 'ndcg@10'; got {type(name).__name__}.")
    return parse_measure(name, conventions)


def get_measures(
    metrics: MeasureLike | Sequence[MeasureLike], **conventions: Unpack[AllConventions]
) -> dict[str, Measure]:
    """Look up one or more measures by name.

    Parameters
    ----------
    metrics : str, Measure, callable or sequence of these
        Names, see :func:`measure_names`.
    **conventions
        Conventions, as in :func:`get_measure`.

    Returns
    -------
    dict of str to Measure
        The measures, keyed by name, in the order given. The key of a Measure or a function is its own name.

    Raises
    ------
    ValueError
        If a measure or a convention is unknown, if `metrics` is empty, or if two names mean the same measure.
    """
    names = [metrics] if isinstance(metrics, str | Measure) or not np.iterable(metrics) else list(metrics)
    if not names:
        raise InputError("`metrics` must name at least one measure, such as 'ndcg@10'; the list is empty.")
    found: dict[str, Measure] = {}
    columns: dict[Measure, str] = {}
    for name in names:
        measure = _find(name, conventions)
        column = measure.name if not isinstance(name, str | Measure) else str(name)
        twin = columns.setdefault(measure, column)
        if len(columns) == len(found):
            both = f"{twin!r} is repeated" if twin == column else f"{twin!r} and {column!r} are the same"
            raise InputError(f"`metrics` must name each measure once; {both}. Leave out one of the two names.")
        if column in found:
            raise InputError(
                f"The measures in `metrics` must have different names; {column!r} is the name of two measures. Rename "
                "one: make_measure(function, name=...)."
            )
        found[column] = measure
    return found


def note_measures(frame, measures):
    """Store facts about the user-defined measures in a frame's ``attrs``; return the frame.

    The facts are `greater_is_better` and `summary`; the name of a user-defined measure does not contain them. Pandas
    keeps ``attrs`` when rows and columns are selected, and when the frame is written to a Parquet file. The frame is
    changed in place.
    """
    notes = {
        column: {"greater_is_better": measure.greater_is_better, "summary": measure.summary}
        for column, measure in measures.items()
        if isinstance(measure, OwnMeasure)
    }
    if notes:
        frame.attrs[_NOTES] = notes
    return frame


def find_column(columns, metric):
    """Return the name of the column that contains a measure.

    Parameters
    ----------
    columns : iterable of object
        Names of columns, such as the keys of :func:`get_measures`.
    metric : object
        Name of a column, or a Measure. The column of a Measure has the name of the Measure.

    Returns
    -------
    object
        Name of the column. If no column contains the Measure, the result is the name of the Measure.
    """
    if isinstance(metric, str) and metric in list(columns):
        return metric
    if not isinstance(metric, str | Measure) and callable(metric):
        metric = get_measure(metric)
    measure = find_measure(metric)
    if measure is None:
        return metric
    same = (column for column in columns if str(measure) == str(column) or find_measure(column) == measure)
    return next(same, metric if isinstance(metric, str) else str(metric))


def prefers(metric, frame=None):
    """Return True if greater values of a measure are better, False if smaller values are better, and None if neither.

    Parameters
    ----------
    metric : Measure or object
        A measure, or the name of a column. If the name is not the name of a measure, the column is assumed to contain
        scores, for which greater values are better.
    frame : DataFrame, default=None
        The frame that contains the column.

    Returns
    -------
    bool or None
    """
    measure = find_measure(metric, frame)
    return True if measure is None else measure.greater_is_better


def orient(values, metric, frame=None):
    """Return `values`, the values of the measure or column `metric`, negated if smaller values are better."""
    return -values if prefers(metric, frame) is False else values


def find_measure(metric, frame=None):
    """Return the measure with the name `metric`, or None if no measure has this name; "time" is not a measure.

    User-defined measures are found by name only in a frame that has their column.
    """
    if isinstance(metric, Measure):
        return metric
    notes = getattr(frame, "attrs", {}).get(_NOTES, {})
    if isinstance(metric, str) and metric in notes:
        return noted_measure(metric, notes[metric])
    try:
        return get_measure(metric)
    except (TypeError, ValueError):
        return None


def column_measures(frame) -> dict[str, Any]:
    """Return the measure of each column of a frame; raise InputError if a column is not a measure."""
    return {column: find_measure(column, frame) or get_measure(column) for column in frame.columns}
