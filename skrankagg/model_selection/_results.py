"""Slices of a comparison, by measure, cutoff and query, and FLAGR's layout of them."""

from collections.abc import Sequence

import pandas as pd

from .._support._numbers import is_integer
from ..exceptions import InputError
from ..metrics import Measure, get_measure
from ..metrics._relevance._registry import find_column

__all__ = ["flagr_metrics", "flagr_table", "select_results"]

# FLAGR's names of measures to ours.
_NAMES = {"precision": "p"}
_FLAGR = {"p": "P", "recall": "recall", "dcg": "dcg_cut", "ndcg": "ndcg_cut"}
_FLAGR_COUNTS = ("num_ret", "num_rel", "num_rel_ret")
_MAP_TITLE = "Mean Average Precision (MAP)"


def flagr_metrics(cutoff: int = 10, *, conventions: bool = True) -> list[str]:
    """Names of the measures of FLAGR's evaluation, for a Comparator.

    Parameters
    ----------
    cutoff : int, default=10
        Precision, recall, DCG and nDCG are measured at 1 to this cutoff.
    conventions : bool, default=True
        Whether to measure as FLAGR does: the ideal list of nDCG is made of what was returned, and an item with a score
        of at most 0 is not relevant.

    Returns
    -------
    list of str
        As a Comparator takes them for its `metrics`.

    See Also
    --------
    flagr_table : The layout of the results.

    Examples
    --------
    >>> from skrankagg.model_selection import flagr_metrics
    >>> flagr_metrics(1, conventions=False)
    ['map', 'num_ret', 'num_rel', 'num_rel_ret', 'p@1', 'recall@1', 'dcg@1', 'ndcg@1']
    """
    _check_cutoff(cutoff)
    names = ["map", *_FLAGR_COUNTS, *(f"{name}@{k}" for name in _FLAGR for k in range(1, cutoff + 1))]
    if not conventions:
        return names
    options = {"num_ret": "", "num_rel": "", "ndcg": "[ideal=retrieved,positive_scores=True]"}
    return [name + options.get(name.split("@")[0], "[positive_scores=True]") for name in names]


def select_results(
    results: pd.DataFrame,
    per_query: pd.DataFrame,
    *,
    cutoff: int | None = None,
    metric: str | Measure | Sequence[str | Measure] | None = None,
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
    flagr_table : FLAGR's layout.
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


def select_flagr(results, per_query, *, cutoff=None, metric=None, query="all"):
    """Choose measures and queries of a comparison, as :func:`select_results` does, in FLAGR's layout.

    Its rows `all` come with "all", and with None next to those of every query.
    """
    columns = _columns(per_query, metric, cutoff)
    if query is None or (isinstance(query, str) and query == "all"):
        table = flagr_table(results[columns], per_query[columns])
        return table if query is None else table[table["q"] == "all"]
    queries = _check_queries(per_query, query)
    table = flagr_table(results[columns], per_query[columns])
    return table[table["q"].isin(queries)]


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
    measured = {column: get_measure(column) for column in per_query.columns}
    wanted = None if metric is None else [metric] if isinstance(metric, str | Measure) else list(metric)
    wanted = None if wanted is None else [find_column(measured, one) for one in wanted]
    names = set(measured) | {measure.name for measure in measured.values()}
    for one in wanted or ():
        if _NAMES.get(one, one) not in names:
            raise InputError(f"{one!r} is not a measure of this comparison; it has {', '.join(measured)}.")

    def chosen(column, measure):
        named = wanted is None or any(_NAMES.get(one, one) in (column, measure.name) for one in wanted)
        return named and (cutoff is None or not isinstance(measure.k, int) or measure.k <= cutoff)

    return [column for column, measure in measured.items() if chosen(column, measure)]


def flagr_table(results: pd.DataFrame, per_query: pd.DataFrame) -> pd.DataFrame:
    """Lay out a comparison as FLAGR does: the queries of each method, and a row `all`.

    Parameters
    ----------
    results : DataFrame of shape (n_methods, n_metrics)
        Summaries, such as ``comparator.results_``.
    per_query : DataFrame
        Measures, indexed by method and query.

    Returns
    -------
    DataFrame of shape (n_methods * (n_queries + 1), n_metrics + 2)
        Columns `q`, `num_ret`, `num_rel`, `num_rel_ret`, `Mean Average Precision (MAP)`, `P_1` and so on, `Method`.
        In the rows `all` counts are sums. The index numbers the rows of each method. Of a method that failed all
        numbers are missing, or its error score.

    See Also
    --------
    flagr_metrics : What to measure for all of FLAGR's columns.

    Examples
    --------
    >>> import pandas as pd
    >>> from skrankagg.model_selection import flagr_table
    >>> index = pd.MultiIndex.from_product([["a"], ["q1", "q2"]], names=["method", "query"])
    >>> per_query = pd.DataFrame({"map": [0.5, 0.4], "p@1": [1.0, 0.0]}, index=index)
    >>> flagr_table(per_query.groupby("method").mean(), per_query)
         q  Mean Average Precision (MAP)  P_1 Method
    0   q1                          0.50  1.0      a
    1   q2                          0.40  0.0      a
    2  all                          0.45  0.5      a
    """
    measured = {column: get_measure(column) for column in per_query.columns}
    order = sorted(measured, key=lambda column: _place(measured[column]))
    tables = []
    for method, queries in per_query.groupby(level=0, sort=False):
        table = queries.droplevel(0).reset_index(names="q")
        total = pd.DataFrame([results.loc[method, order]]).assign(q="all")
        table = pd.concat([table.astype({"q": object}), total], ignore_index=True)
        tables.append(table[["q", *order]].assign(Method=method))
    table = pd.concat(tables)
    counts = [column for column in order if measured[column].is_total]
    for column in counts:
        table[column] = _whole(table[column])
    return table.rename(columns={column: _flagr_name(column, measured[column]) for column in order})


def _whole(column):
    """A column of counts as whole numbers, if it holds nothing but those and NaN."""
    if (column.dropna() % 1 != 0).any():  # the error_score of a method that failed
        return column
    return column.astype("Int64" if column.isna().any() else int)


def _place(measure):
    if measure.name in _FLAGR_COUNTS:
        return (0, _FLAGR_COUNTS.index(measure.name), 0)
    if measure.name == "map" and measure.k is None:
        return (1, 0, 0)
    if measure.name in _FLAGR:
        return (2, list(_FLAGR).index(measure.name), measure.k or 0)
    return (3, 0, 0)


def _flagr_name(column, measure):
    if measure.name in _FLAGR_COUNTS:
        return measure.name
    if measure.name == "map" and measure.k is None:
        return _MAP_TITLE
    if measure.name in _FLAGR and measure.k is not None:
        return f"{_FLAGR[measure.name]}_{measure.k}"
    return column
