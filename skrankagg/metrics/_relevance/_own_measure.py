"""User-defined measures, which are functions of one query's ranking and judgements."""

from __future__ import annotations

import math
from collections.abc import Callable
from numbers import Real
from typing import Any, Literal, SupportsFloat

import numpy as np
import pandas as pd

from ..._support._checks import check_choice
from ...exceptions import InputError, InputTypeError
from ._inputs import QrelsLike, RunLike, rank_relevance
from ._judged_ranking import JudgedRanking
from ._measure import MEASURES, Measure
from ._measure_names import is_measure_name
from ._ties import order_ties

# Names that a measure must not have, because results use them for other columns and for levels of the index.
_RESERVED = {"time", "n_queries", "run", "voter", "method", "query"}


class OwnMeasure(Measure):
    """A measure computed by a function of a :class:`JudgedRanking`."""

    @property
    def cutoff(self) -> Literal["none"]:
        """Return "none": the measure has no cutoff."""
        return "none"

    @property
    def conventions(self) -> tuple[str, ...]:
        """List the conventions that this measure accepts."""
        return ("relevance_threshold", "ties", "missing_queries")

    def __call__(self, run: RunLike, qrels: QrelsLike, *, per_query: bool = False) -> Any:
        """Compute the measure of a run."""
        ranked, queries = rank_relevance(self.name, run, qrels, self.options.get("missing_queries"))
        values = self._values(ranked)
        return pd.Series(values, index=queries, name=self.name) if per_query else self.summarize(values)

    def __repr__(self) -> str:
        function = getattr(self.function, "__name__", None) or repr(self.function)
        parts = [function]
        if self.name != function:
            parts.append(f"name={self.name!r}")
        if self.greater_is_better is not True:
            parts.append(f"greater_is_better={self.greater_is_better}")
        if self.summary != "mean":
            parts.append(f"summary={self.summary!r}")
        made = f"make_measure({', '.join(parts)})"
        options = "".join(f", {key}={value!r}" for key, value in self.options.items() if value is not None)
        return f"get_measure({made}{options})" if options else made

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, OwnMeasure)
            and (str(self), self.greater_is_better, self.summary)
            == (str(other), other.greater_is_better, other.summary)
            and (self.function is other.function or self.function == other.function)
        )

    def __hash__(self) -> int:
        return hash(str(self))

    def _values(self, ranked):
        view = order_ties(ranked, self.options.get("ties", "order"))
        threshold = self.options.get("relevance_threshold")
        known = ~np.isnan(view.grade)
        grade = np.where(known, view.grade, 0.0)
        codes, index = view.item
        chosen = np.arange(ranked.n_queries) if ranked.chosen is None else np.flatnonzero(ranked.chosen)
        queries = ranked.queries.tolist()
        values = np.full(ranked.n_queries, np.nan)
        for q in chosen.tolist():
            rows, judged = slice(view.ptr[q], view.ptr[q + 1]), view.judged
            if self.options.get("missing_queries") == "skip" and rows.start == rows.stop:
                continue
            has_scores = view.score is not None and (ranked.scored is None or ranked.scored[q])
            ranking = JudgedRanking._take(
                (codes[rows], index),
                grade[rows],
                known[rows],
                view.score[rows] if has_scores else None,
                judged.grade[judged.ptr[q] : judged.ptr[q + 1]],
                queries[q],
                threshold,
            )
            values[q] = self._measure(ranking)
        return values

    def _measure(self, ranking):
        try:
            value = self.function(ranking)
        except Exception as error:
            error.add_note(
                f"The error occurred while the measure {self.name!r} was computed for query {ranking.query!r}."
            )
            raise
        if isinstance(value, np.ndarray) and value.ndim == 0:
            value = value[()]
        if not isinstance(value, Real | np.bool_) or math.isinf(value):
            what = repr(value) if isinstance(value, Real) else type(value).__name__
            raise InputError(
                f"The measure {self.name!r} must return a finite number for each query, or NaN for a query "
                f"without a value; got {what} for query {ranking.query!r}."
            )
        return float(value)


def make_measure(
    function: Callable[[JudgedRanking], SupportsFloat],
    *,
    name: str | None = None,
    greater_is_better: bool | None = True,
    summary: Literal["mean", "sum"] = "mean",
) -> Measure:
    """Turn a function of one query's ranking and judgements into a measure.

    The result is accepted wherever the name of a measure is accepted: in :func:`evaluate`,
    :class:`~skrankagg.Comparator`, scorers, tests and plots. A function that needs none of the options below can be
    passed directly.

    Parameters
    ----------
    function : callable
        Function of a :class:`JudgedRanking` that returns a finite number, or NaN if the query has no value.
    name : str, default=None
        Name of the measure and of its column; None uses the function's name. The name of another measure, such as
        "map", is not allowed.
    greater_is_better : bool or None, default=True
        Whether higher values are better; None if neither higher nor lower values are better.
    summary : {"mean", "sum"}, default="mean"
        How the values of several queries are summarized. NaN values are left out.

    Returns
    -------
    Measure
        A measure that can be called on a run and judgements. It accepts the conventions `relevance_threshold`, `ties`
        and `missing_queries`, but not ``ties="expected"``. It can be pickled if the function can be pickled.

    Raises
    ------
    TypeError
        If `function` is not callable, or is one of the measures of this module.
    ValueError
        If the measure has no name, as for a lambda, or has the name of another measure.

    See Also
    --------
    JudgedRanking : The argument of the function.
    get_measure : Looks up measures by name.

    Notes
    -----
    The function is called for every measured query. If nothing was returned for a query, the ranking is empty.
    If the function raises an exception, a note with the query's id is added to the exception.

    Examples
    --------
    >>> import numpy as np
    >>> from skrankagg.metrics import evaluate, make_measure
    >>> def first_place(ranking):
    ...     return 1 + np.argmax(ranking.relevant) if ranking.relevant.any() else np.nan
    >>> lower = make_measure(first_place, greater_is_better=False)
    >>> run, qrels = {"q1": ["a", "b"], "q2": ["c", "d"], "q3": ["e"]}, {"q1": ["b"],
    ...     "q2": ["c"], "q3": ["f"]}
    >>> lower(run, qrels, per_query=True).tolist()
    [2.0, 1.0, nan]
    >>> evaluate({"ours": run}, qrels, ["mrr", lower])
          mrr  first_place
    run
    ours  0.5          1.5
    """
    if not callable(function):
        raise InputTypeError(f"`function` must be a function of a JudgedRanking; got {type(function).__name__}.")
    known = next((one.name for one in MEASURES.values() if one.function is function), None)
    if known is not None or isinstance(function, Measure):
        known = known or str(function)
        raise InputTypeError(
            f"`function` must be a function of a JudgedRanking; {known!r} is already a measure. Pass the "
            f"name {known!r} instead."
        )
    if name is None:
        name = getattr(function, "__name__", None)
        if name is None or name == "<lambda>":
            kind = "a lambda" if name else f"a {type(function).__name__}"
            raise InputError(f"A measure must have a name; {kind} has none. Pass make_measure(function, name=...).")
    if not isinstance(name, str) or not name.strip() or "[" in name or "]" in name:
        raise InputError(f"`name` must be a str without brackets; got {name!r}.")
    if name in _RESERVED or is_measure_name(name):
        what = "another column of the results" if name in _RESERVED else "another measure"
        raise InputError(f"{name!r} is the name of {what}. Pass another name: make_measure(function, name=...).")
    if not (greater_is_better is None or isinstance(greater_is_better, bool | np.bool_)):
        raise InputError(f"`greater_is_better` must be True, False or None; got {greater_is_better!r}.")
    check_choice("summary", summary, ("mean", "sum"))
    return OwnMeasure(
        name,
        function,
        name,
        summary=summary,
        greater_is_better=None if greater_is_better is None else bool(greater_is_better),
        has_expectation=False,
    )


def noted_measure(name: str, facts: dict[str, Any]) -> Measure:
    """Rebuild a user-defined measure from the ``attrs`` of a frame, without the function that computes values."""
    return OwnMeasure(name, _unknown_function, name, has_expectation=False, **facts)


def _unknown_function(ranking):
    raise InputError(
        "A frame stores the names of user-defined measures but not their functions. Pass the measure itself instead of "
        "its name."
    )
