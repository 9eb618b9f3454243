"""Slices of a comparison, by measure, cutoff and query."""

from collections.abc import Sequence

import pandas as pd

from .._support._numbers import is_integer
from ..exceptions import InputError
from ..metrics import Measure
from ..metrics._relevance._measure_names import base_name
from ..metrics._relevance._registry import MeasureLike, column_measures, find_column

__all__ = ["select_results"]


def select_results(
    results: pd.DataFrame,
    per_query: pd.DataFrame,
    *,
    cutoff: int | None = None,
    metric: MeasureLike | Sequence[MeasureLike] | None = None,
    query: object = "all",
) -> pd.DataFrame:
    """Choose measures and queries of a comparison.

    Parameters
    ----------
    results : DataFrame of shape (n_methods, n_metrics)
        Summaries, such as ``comparator.results_``.
    per_query : DataFrame
        Measures, indexed by method and query.
    cutoff : int, default=None
        Largest cutoff to show; None shows all. Measures without a cutoff are shown always.
    metric : str, Measure or sequence of these, default=None
        Measures, by name ("ndcg", at all cutoffs) or in full ("ndcg@10"); None takes all.
    query : object or list, default="all"
        "all" for the summaries; an id, or a list of ids; None for every query.

    Returns
    -------
    DataFrame
        Indexed by method, or by method and query for a list of queries or None.

    See Also
    --------
    markdown_table : Writes what was selected.

    Examples
    --------
    >>> import pandas as pd
    >>> from skrankagg.model_selection import select_results
    >>> index = pd.MultiIndex.from_product([["a", "b"], ["q1", "q2"]], names=["method", "query"])
    >>> per_query = pd.DataFrame({"map": [0.5, 0.4, 0.6, 0.7], "p@5": 0.2, "p@10": 0.3}, index=index)
    >>> select_results(per_query.groupby("method").mean(), per_query, cutoff=5, metric=["map", "precision"], query="q1")
            map  p@5
    method
    a       0.5  0.2
    b       0.6  0.2
    """
    columns = _columns(per_query, metric, cutoff)
    if isinstance(query, str) and query == "all":
        return results[columns]
    table = per_query[columns]
    if query is None:
        return table
    queries = _check_queries(table, query)
    if isinstance(query, list):
        return table[table.index.get_level_values(1).isin(queries)]
    return table.xs(query, level=1)


def _check_queries(per_query, query):
    """Ids of the queries asked for, as a list."""
    queries = query if isinstance(query, list) else [query]
    known = per_query.index.get_level_values(1)
    unknown = [one for one in queries if one not in known]
    if unknown:
        raise InputError(
            f"query must be 'all', None or judged queries; {unknown[0]!r} is not one. There are "
            f"{', '.join(map(repr, known.unique()[:5].tolist()))}{', ...' if known.nunique() > 5 else ''}."
        )
    return queries


def _check_cutoff(cutoff):
    if not is_integer(cutoff) or cutoff < 1:
        raise InputError(f"cutoff must be an int of at least 1; got {cutoff!r}.")


def _columns(per_query, metric, cutoff):
    if cutoff is not None:
        _check_cutoff(cutoff)
    measured = column_measures(per_query)
    single = isinstance(metric, str | Measure) or callable(metric)
    wanted = None if metric is None else [metric] if single else list(metric)
    wanted = None if wanted is None else [find_column(measured, one) for one in wanted]
    names = set(measured) | {measure.name for measure in measured.values()}
    for k, one in enumerate(wanted or ()):
        wanted[k] = one if one in names else base_name(one) if isinstance(one, str) else None
        if wanted[k] not in names:
            raise InputError(f"{one!r} is not a measure of this comparison; it has {', '.join(measured)}.")

    def chosen(column, measure):
        named = wanted is None or any(one in (column, measure.name) for one in wanted)
        return named and (cutoff is None or not isinstance(measure.k, int) or measure.k <= cutoff)

    return [column for column, measure in measured.items() if chosen(column, measure)]
