"""Conversion of a comparison to FLAGR's table of results, and the names of FLAGR's measures."""

import pandas as pd

from ..._support._checks import check_count
from ...metrics._relevance._registry import column_measures

__all__ = ["flagr_metrics", "flagr_table"]

# FLAGR's names of the measures with a cutoff.
_CUTOFFS = {"p": "P", "recall": "recall", "dcg": "dcg_cut", "ndcg": "ndcg_cut"}
_COUNTS = ("num_ret", "num_rel", "num_rel_ret")
_MAP_TITLE = "Mean Average Precision (MAP)"


def flagr_metrics(cutoff: int = 10, *, conventions: bool = True) -> list[str]:
    """List the measures of FLAGR's evaluation, for a Comparator or :func:`~skrankagg.evaluate`.

    FLAGR also treats an item as not relevant if its score in the aggregated list is at most 0. This rule is the quirk
    ``eval.positive_only``, and only the methods of this package follow it.

    Parameters
    ----------
    cutoff : int, default=10
        Largest cutoff. Precision, recall, DCG and nDCG are measured at every cutoff from 1 to `cutoff`.
    conventions : bool, default=True
        Whether the ideal list of nDCG contains only the items that the method returned, as in FLAGR. Otherwise it
        contains all judged items.

    Returns
    -------
    list of str
        Names that can be passed as `metrics` to a Comparator.

    Raises
    ------
    ValueError
        If the cutoff is not an integer of at least 1.

    See Also
    --------
    flagr_table : Puts the results in FLAGR's layout.

    Examples
    --------
    >>> from skrankagg.compat.pyflagr import flagr_metrics
    >>> flagr_metrics(1)
    ['map', 'num_ret', 'num_rel', 'num_rel_ret', 'p@1', 'recall@1', 'dcg@1', 'ndcg@1[ideal=retrieved]']
    """
    check_count("cutoff", cutoff)
    names = ["map", *_COUNTS, *(f"{name}@{k}" for name in _CUTOFFS for k in range(1, cutoff + 1))]
    return [f"{name}[ideal=retrieved]" if conventions and name.startswith("ndcg") else name for name in names]


def flagr_table(results: pd.DataFrame, per_query: pd.DataFrame) -> pd.DataFrame:
    """Convert a comparison to FLAGR's layout, with a row for each method and query and a row `all` for each method.

    Parameters
    ----------
    results : DataFrame of shape (n_methods, n_metrics)
        Summary of each method over the queries, such as ``comparator.results_``.
    per_query : DataFrame
        Measures, indexed by method and query.

    Returns
    -------
    DataFrame of shape (n_methods * (n_queries + 1), n_metrics + 2)
        Columns `q`, `num_ret`, `num_rel`, `num_rel_ret`, `Mean Average Precision (MAP)`, `P_1` and so on, `Method`. In
        the rows `all`, counts are sums over the queries. The rows of each method are numbered in the index. For a
        method that failed, all numbers are missing or equal to its error score.

    See Also
    --------
    flagr_metrics : Lists the measures for all of FLAGR's columns.

    Examples
    --------
    >>> import pandas as pd
    >>> from skrankagg.compat.pyflagr import flagr_table
    >>> index = pd.MultiIndex.from_product([["a"], ["q1", "q2"]], names=["method", "query"])
    >>> per_query = pd.DataFrame({"map": [0.5, 0.4], "p@1": [1.0, 0.0]}, index=index)
    >>> flagr_table(per_query.groupby("method").mean(), per_query)
         q  Mean Average Precision (MAP)  P_1 Method
    0   q1                          0.50  1.0      a
    1   q2                          0.40  0.0      a
    2  all                          0.45  0.5      a
    """
    measured = column_measures(per_query)
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
    """Convert a column of counts to integers if it contains only integers and NaN."""
    if (column.dropna() % 1 != 0).any():  # the error score of a method that failed
        return column
    return column.astype("Int64" if column.isna().any() else int)


def _place(measure):
    if measure.name in _COUNTS:
        return (0, _COUNTS.index(measure.name), 0)
    if measure.name == "map" and measure.k is None:
        return (1, 0, 0)
    if measure.name in _CUTOFFS:
        return (2, list(_CUTOFFS).index(measure.name), measure.k or 0)
    return (3, 0, 0)


def _flagr_name(column, measure):
    if measure.name in _COUNTS:
        return measure.name
    if measure.name == "map" and measure.k is None:
        return _MAP_TITLE
    if measure.name in _CUTOFFS and measure.k is not None:
        return f"{_CUTOFFS[measure.name]}_{measure.k}"
    return column
