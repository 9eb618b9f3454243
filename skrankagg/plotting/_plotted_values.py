"""Computation of the values that plots show: measures with intervals, and the lists or rows of one query."""

from collections.abc import Mapping

import numpy as np
import pandas as pd
from scipy.stats import norm, t

from .._data._list_columns import grouping
from .._data._ranked_lists import check_lists, encode_plain
from .._support._checks import check_count, check_share
from ..exceptions import InputError, InputTypeError
from ..metrics import evaluate, get_measure
from ..metrics._relevance._registry import find_measure
from ..stats._effects import interval_of_mean

_UNITS = {"list": "lists", "voter": "voters", "query": "queries"}
_RESAMPLES = 2000
_LEAST = 1e-5  # smaller values are raised to this value before the geometric mean


def unit_words(unit):
    """Return the plural of a resampling unit: "voters", for example, or "groups of judge" for the grouping `judge`."""
    return _UNITS.get(unit, f"groups of {unit}")


def evaluate_runs(runs, qrels, names, **conventions):
    """Evaluate each query of the runs; the result is indexed by method and query."""
    runs = runs if isinstance(runs, Mapping) else {"run": runs}
    for name in names:
        get_measure(name, **conventions)
    table = evaluate(runs, qrels, names, per_query=True, **conventions)
    return table.rename_axis(["method", table.index.names[-1]])


def summaries(values):
    """Return a frame with the mean or total of each measure (column) for each method (row); NaN without values."""

    def summarize(name):
        measure = find_measure(name, values)
        # Without this check, the sum of no counts would be 0.
        return lambda column: np.nan if column.isna().all() else measure.summarize(column)

    return pd.DataFrame({name: values[name].groupby(level=0, sort=False).agg(summarize(name)) for name in values})


def summary_interval(measure, values, random_state=0):
    """Return the ends of the 95 % interval of a mean over queries; NaN for a total, or for fewer than two queries.

    The same seed gives the same resamples. The intervals of all methods or weights therefore use the same resampled
    queries.
    """
    values = np.asarray(values, dtype=np.float64)
    values = values[~np.isnan(values)]
    if measure.is_total or len(values) < 2:
        return np.nan, np.nan
    # The geometric mean is resampled as the mean of the logarithms.
    geometric = measure.summary == "gmean"
    values = np.log(np.maximum(values, _LEAST)) if geometric else values
    ends = interval_of_mean(values, 0.95, _RESAMPLES, "percentile", random_state)
    return tuple(np.exp(ends).tolist()) if geometric else ends


def half_widths(error, confidence, n_units=None):
    """Return the half widths of confidence intervals: the standard errors, multiplied by a quantile.

    If the number `n_units` of independent units is given, the quantile comes from the t distribution with `n_units` - 1
    degrees of freedom. Otherwise it comes from the normal distribution.
    """
    check_share("confidence", confidence, low=False, high=False)
    if n_units is None:
        return norm.ppf((1 + confidence) / 2) * error
    check_count("n_units", n_units, least=2)
    return t.ppf((1 + confidence) / 2, n_units - 1) * error


def number_of_units(lists, unit):
    """Return the number of units (lists, voters, queries or groups) from which random draws are made.

    If the units are lists that have weights, return None, because one list may represent many ballots.
    """
    if unit == "list":
        return None if lists.is_weighted else lists.n_lists
    if unit in _UNITS:
        return len(np.unique(lists.list_voter)) if unit == "voter" else lists.n_queries
    return len(np.unique(grouping(lists, unit, "unit")[0]))


def lists_of_query(display, X, query, unit="list"):
    """Return the lists of one query; if `unit` is "query", return all lists, because the caller pools all queries."""
    lists = check_lists(encode_plain(X))
    if unit == "query":
        if query is not None:
            raise InputError("`query` must be None if unit='query', which pools the lists of all queries.")
        return lists
    if query is not None:
        return lists.select(queries=[query])
    if lists.n_queries > 1:
        _ask_for_query(display, lists.queries)
    return lists


def rows_of_query(display, frame, query, columns):
    """Return the rows of one query, numbered from 0; raise an error if the frame lacks one of the columns."""
    lacking = [name for name in columns if name not in getattr(frame, "columns", ())]
    if lacking:
        raise InputTypeError(f"`table` must have the columns {', '.join(columns)}; {lacking[0]} is missing.")
    if "query" in frame:
        queries = frame["query"].unique()
        if query is None and len(queries) > 1:
            _ask_for_query(display, queries)
        if query is not None:
            frame = frame[frame["query"] == query]
    if not len(frame):
        raise InputError(
            "`table` must have rows" + ("; got none." if query is None else f" of query {query!r}; got none.")
        )
    return frame.reset_index(drop=True)


def _ask_for_query(display, queries):
    raise InputError(
        f"{display} shows one query; `query` must be the id of one of the {len(queries)} queries, such as "
        f"{queries[0]!r}."
    )


def as_numbers(column):
    """Return the values of a column as float64; missing values are NaN."""
    return column.astype("Float64").to_numpy(dtype=np.float64, na_value=np.nan)
