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

from collections.abc import Callable, Sequence
from typing import Any, SupportsFloat, TypeAlias, Unpack

import numpy as np

from ...exceptions import InputError, InputTypeError
from ._conventions import AllConventions, check_conventions
from ._judged_ranking import JudgedRanking
from ._measure import Measure
from ._measure_names import measure_names, parse_measure
from ._own_measure import OwnMeasure, make_measure, noted_measure

__all__ = ["JudgedRanking", "Measure", "get_measure", "make_measure", "measure_names"]

#: What names a measure: its name, the measure itself, or a function of a JudgedRanking.
MeasureLike: TypeAlias = str | Measure | Callable[[JudgedRanking], SupportsFloat]

# Where a frame notes the facts of measures of one's own, which their names do not tell.
_NOTES = "skrankagg_measures"


def get_measure(name: MeasureLike, **conventions: Unpack[AllConventions]) -> Measure:
    """Look up a measure by name.

    Parameters
    ----------
    name : str, Measure or callable
        Such as "map", "p@10" or "ndcg@10[gain=linear,ideal=retrieved]". Case does not count. Names of trec_eval,
        ir_measures and ranx are read where they stand for the same values, as "P_10" and "AP@10" do. A function of a
        :class:`JudgedRanking` is made a measure by :func:`make_measure`.
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
    make_measure : Makes one of a function.
    measure_names : All names.
    evaluate : Measures a run by names.

    Examples
    --------
    >>> from skrankagg.metrics import get_measure
    >>> str(get_measure("P@10", gain="linear")), str(get_measure("nDCG@5", gain="linear"))
    ('p@10', 'ndcg@5[gain=linear]')
    >>> str(get_measure("ndcg_cut_10")), str(get_measure("P(rel=2)@5"))
    ('ndcg@10[gain=linear]', 'p@5[relevance_threshold=2.0]')
    """
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
        raise InputTypeError(f"A measure is named by a str such as 'ndcg@10'; got {type(name).__name__}.")
    return parse_measure(name, conventions)


def get_measures(
    metrics: MeasureLike | Sequence[MeasureLike], **conventions: Unpack[AllConventions]
) -> dict[str, Measure]:
    """Look up one measure, or several.

    Parameters
    ----------
    metrics : str, Measure, callable or sequence of these
        Names, see :func:`measure_names`.
    **conventions
        As in :func:`get_measure`.

    Returns
    -------
    dict of str to Measure
        Under the names as given, in this order; a Measure is its own name, and a function has one.

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
        column = measure.name if not isinstance(name, str | Measure) else str(name)
        twin = next((other for other, known in found.items() if known == measure), None)
        if twin is not None:
            both = f"{twin!r} is there twice" if twin == column else f"{twin!r} and {column!r} are the same"
            raise InputError(f"metrics must name each measure once; {both}. Leave one out.")
        if column in found:
            raise InputError(
                f"metrics must have different names; {column!r} is that of two measures. Rename one: "
                "make_measure(function, name=...)."
            )
        found[column] = measure
    return found


def note_measures(frame, measures):
    """Note in a frame of measures what the names of one's own do not tell, in place; returns the frame.

    Pandas keeps the note where rows and columns are chosen, and in Parquet files.
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
    """Which values of a measure are better: True for greater ones, False for smaller ones, None for neither.

    Parameters
    ----------
    metric : Measure or object
        A measure, or the name of a column; one that names no measure holds scores of which more is better.
    frame : DataFrame, default=None
        The frame that has the column.

    Returns
    -------
    bool or None
    """
    measure = find_measure(metric, frame)
    return True if measure is None else measure.greater_is_better


def orient(values, metric, frame=None):
    """Values of a measure, or of a column of its name, negated where smaller ones are better."""
    return -values if prefers(metric, frame) is False else values


def find_measure(metric, frame=None):
    """Measure of a name, or None where a frame's column is not named after one, as one of times is not.

    A measure of one's own is known by name only to a frame that has its column.
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
    """Measure of each column of a frame of measures; InputError for a column that is not named after one."""
    return {column: find_measure(column, frame) or get_measure(column) for column in frame.columns}
