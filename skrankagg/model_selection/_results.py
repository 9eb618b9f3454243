"""Selection of measures, cutoffs and queries from a comparison."""

from collections.abc import Sequence

import pandas as pd

from .._support._checks import check_count
from ..exceptions import InputError
from ..metrics import Measure
from ..metrics._relevance._measure_names import base_name
from ..metrics._relevance._registry import MeasureLike, column_measures, find_column

__all__ = ["select_results"]

#: Column of a comparison with the reason why a method was skipped or failed.
REASON = "reason"


def select_results(
    table: pd.DataFrame,
    *,
    k: int | None = None,
    metric: MeasureLike | Sequence[MeasureLike] | None = None,
    query: object = None,
) -> pd.DataFrame:
    """Select measures and queries of a comparison.

    Parameters
    ----------
    table : DataFrame of shape (n_methods, n_metrics) or (n_methods * n_queries, n_metrics)
        Measures, such as ``comparator.results_`` or ``comparator.per_query_``. A column `time` is left out.
    k : int, default=None
        Largest cutoff to show; None shows all cutoffs. Measures without a cutoff are always shown.
    metric : str, Measure or sequence of these, default=None
        Measures. A name without a cutoff, such as "ndcg", selects the measure at all cutoffs; "ndcg@10" selects one
        cutoff. None selects all measures.
    query : object or list, default=None
        The id of a query, or a list of ids. The table must then have a row for each method and query. None selects all
        queries.

    Returns
    -------
    DataFrame
        The selected part of `table`, with the same index. If `query` is a single id, the index contains only the
        method.

    Raises
    ------
    ValueError
        If `table` does not contain the measure or query, or `k` is not an int of at least 1.

    See Also
    --------
    markdown_table : Writes the selected table.

    Examples
    --------
    >>> import pandas as pd
    >>> from skrankagg.model_selection import select_results
    >>> index = pd.MultiIndex.from_product([["a", "b"], ["q1", "q2"]],
    ...     names=["method", "query"])
    >>> per_query = pd.DataFrame({"map": [0.5, 0.4, 0.6, 0.7], "p@5": 0.2, "p@10": 0.3},
    ...     index=index)
    >>> select_results(per_query, k=5, metric=["map", "precision"], query="q1")
            map  p@5
    method
    a       0.5  0.2
    b       0.6  0.2
    """
    selected = table[_columns(table, metric, k)]
    if query is None:
        return selected
    queries = _check_queries(table, query)
    if isinstance(query, list):
        return selected[selected.index.get_level_values("query").isin(queries)]
    return selected.xs(query, level="query")


def _check_queries(table, query):
    """Return the ids of the requested queries as a list."""
    if "query" not in table.index.names:
        raise InputError(
            "`query` must be None for a table without queries. "
            "Pass comparator.per_query_, which has a row for each method and query."
        )
    queries = query if isinstance(query, list) else [query]
    known = table.index.get_level_values("query")
    unknown = [one for one in queries if one not in known]
    if unknown:
        raise InputError(
            f"`query` must be None or judged queries; got {unknown[0]!r}. Choose from "
            f"{', '.join(map(repr, known.unique()[:5].tolist()))}{', ...' if known.nunique() > 5 else ''}."
        )
    return queries


def _columns(table, metric, k):
    if k is not None:
        check_count("k", k)
    measured = column_measures(table.drop(columns=["time", REASON], errors="ignore"))
    single = isinstance(metric, str | Measure) or callable(metric)
    wanted = None if metric is None else [metric] if single else list(metric)
    wanted = None if wanted is None else [find_column(measured, one) for one in wanted]
    names = set(measured) | {measure.name for measure in measured.values()}
    for place, one in enumerate(wanted or ()):
        wanted[place] = one if one in names else base_name(one) if isinstance(one, str) else None
        if wanted[place] not in names:
            raise InputError(f"`metric` must be one of {', '.join(measured)}; got {one!r}.")

    def chosen(column, measure):
        named = wanted is None or any(one in (column, measure.name) for one in wanted)
        return named and (k is None or not isinstance(measure.k, int) or measure.k <= k)

    return [column for column, measure in measured.items() if chosen(column, measure)]
