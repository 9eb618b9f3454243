"""Tests of differences between methods, computed from a frame with the value of each method on each query."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypedDict, Unpack

import numpy as np
import pandas as pd

from .._support._checks import check_choice
from .._support._suggestions import did_you_mean
from .._support._values import show
from ..exceptions import InputError, InputTypeError
from ..metrics._relevance._registry import MeasureLike, find_column, orient, prefers
from ..stats import (
    FriedmanResult,
    adjust_pvalues,
    friedman_nemenyi,
    hedges_g,
    win_tie_loss,
)
from ..stats._adjust import CORRECTIONS
from ..stats._effects import interval_of_mean
from ..stats._paired import PAIRED_TESTS

__all__ = ["compare_methods", "compare_ranks", "significance_marks"]


class PairedTestOptions(TypedDict, total=False):
    """Options of :func:`compare_methods` that determine the test, for functions that pass these options on."""

    test: Literal["t", "wilcoxon", "sign", "randomization"]
    correction: Literal["holm", "bonferroni", "bh", "by", "none"]
    n_resamples: int
    random_state: int | np.random.RandomState | None


class ComparisonOptions(PairedTestOptions, total=False):
    """All options of :func:`compare_methods`."""

    metric: MeasureLike | None
    confidence: float | None


#: Key of the facts about the tests in the ``attrs`` of a frame of marks. The legend of a table is written from them.
TESTED = "skrankagg_tested"
#: Value of `baseline` that selects the row with the best mean.
BEST = "best"


def query_table(per_query, metric=None):
    """Return the values of a measure as a frame of shape (n_queries, n_methods), and the name of the measure.

    If `metric` is None, the first measure is used.
    """
    if metric is not None and np.iterable(metric) and not isinstance(metric, str):
        raise InputTypeError(
            f"`metric` must be one measure; got {show(metric)}. Call the function once for each measure."
        )
    if not isinstance(per_query, pd.DataFrame) or per_query.index.nlevels != 2:
        raise InputTypeError(
            "`table` must be a frame of measures indexed by method and query, such as comparator.per_query_; "
            f"got {type(per_query).__name__}."
        )
    column = per_query.columns[0] if metric is None else find_column(per_query, metric)
    if column not in per_query:
        raise InputError(f"`metric` must be one of {', '.join(map(str, per_query))}; got {column!r}.")
    methods = per_query.index.get_level_values(0).unique()
    return per_query[column].unstack(level=0)[methods], column


def compare_methods(
    table: pd.DataFrame,
    baseline: str | None = None,
    *,
    metric: MeasureLike | None = None,
    test: Literal["t", "wilcoxon", "sign", "randomization"] = "t",
    correction: Literal["holm", "bonferroni", "bh", "by", "none"] = "holm",
    confidence: float | None = 0.95,
    n_resamples: int = 9999,
    random_state: int | np.random.RandomState | None = 0,
) -> pd.DataFrame:
    """Compare every method with a baseline on the same queries.

    Parameters
    ----------
    table : DataFrame
        Measures, indexed by method and query.
    baseline : str, default=None
        The method to compare with. None or "best" uses the method with the best mean, unless a method is called "best".
        The best mean is the lowest if lower values are better.
    metric : str or Measure, default=None
        Measure; None is allowed if the table contains only one measure.
    test : {"t", "wilcoxon", "sign", "randomization"}, default="t"
        Paired, two-sided test.
    correction : {"holm", "bonferroni", "bh", "by", "none"}, default="holm"
        Correction for the number of comparisons.
    confidence : float or None, default=0.95
        Confidence of the interval of the difference. The interval is computed by a BCa bootstrap over the queries. It
        is not corrected for the number of comparisons. None omits the interval.
    n_resamples : int, default=9999
        Number of resamples of the bootstrap, and number of random choices of signs in the randomisation test.
    random_state : int, RandomState instance or None, default=0
        Source of the random draws.

    Returns
    -------
    DataFrame of shape (n_methods, 10)
        The rows are indexed by method. The baseline comes first, and the other methods keep their order. The columns
        are:

        - `mean`, and `difference` from the baseline;
        - `low` and `high`, the interval of the difference;
        - `effect`, Hedges' g of the paired differences;
        - `wins`, `ties` and `losses`, counts of queries;
        - `pvalue`, and `adjusted`, the p-value after the correction.

        In the row of the baseline, the counts are 0 and the other columns of the comparison are NaN. The same applies
        to a method without values, such as a failed method. The correction counts only the other rows. The method with
        the better value wins a query. If lower values are better, the lower value wins, but the sign of the difference
        is not changed.

    Raises
    ------
    ValueError
        If `metric` is None and the table has several measures. If the measure, the baseline, the test or the correction
        is unknown. If `baseline` is None, and neither higher nor lower values of the measure are better, as for
        "num_ret".

    See Also
    --------
    compare_ranks : Compares all methods with each other.

    Notes
    -----
    Intervals over fewer than 20 queries are too short: 95 % intervals contain the difference in 84 % of cases with 5
    queries, and in 90 % with 10. :func:`~skrankagg.stats.bootstrap_interval` with ``method="t"`` has better coverage.

    A comparison of two methods uses only the queries with values of both methods. If the same queries were used to
    choose the baseline, as with ``baseline=None``, the p-values are too small. Choose the baseline beforehand.

    Examples
    --------
    >>> import pandas as pd
    >>> from skrankagg.model_selection import compare_methods
    >>> index = pd.MultiIndex.from_product([["a", "b"], range(6)],
    ...     names=["method", "query"])
    >>> per_query = pd.DataFrame({"map": [0.5, 0.4, 0.6, 0.7, 0.5, 0.3, 0.6, 0.6, 0.7, 0.7,
    ...     0.8, 0.4]}, index=index)
    >>> found = compare_methods(per_query, baseline="a")
    >>> found.loc[["b"], ["mean", "difference", "wins", "ties", "losses",
    ...     "adjusted"]].round(4)
              mean  difference  wins  ties  losses  adjusted
    method
    b       0.6333      0.1333     5     1       0     0.025
    """
    check_choice("test", test, PAIRED_TESTS)
    check_choice("correction", correction, CORRECTIONS)
    values, column = query_table(table, metric)
    if metric is None and table.shape[1] > 1:
        raise InputError(
            f"`metric` must be one of {', '.join(map(str, table))}, because a test compares methods by one measure; "
            "got None. Name the measure, or mark the differences of all measures with significance_marks."
        )
    baseline = _find_baseline(baseline, values, column, table)
    if values[baseline].isna().all():
        raise InputError(
            f"`baseline` must have values to compare with; got {baseline!r}, which has no values. Perhaps the method "
            "failed. Choose another method."
        )
    options = {"n_resamples": n_resamples, "random_state": random_state}
    rows = {baseline: {"mean": values[baseline].mean(), "wins": 0, "ties": 0, "losses": 0}}
    for method in values.columns.drop(baseline):
        difference = (values[method] - values[baseline]).dropna().to_numpy()
        row = {"mean": values[method].mean(), "wins": 0, "ties": 0, "losses": 0}
        if len(difference):
            row["difference"] = difference.mean()
            if confidence is not None:
                row["low"], row["high"] = interval_of_mean(difference, confidence, method="bca", **options)
            row["effect"] = hedges_g(difference)
            row["wins"], row["ties"], row["losses"] = win_tie_loss(orient(difference, column, table))
            _, row["pvalue"] = PAIRED_TESTS[test](difference, **(options if test == "randomization" else {}))
        rows[method] = row
    columns = ["mean", "difference", "low", "high", "effect", "wins", "ties", "losses", "pvalue"]
    found = pd.DataFrame.from_dict(rows, orient="index").reindex(columns=columns).rename_axis("method")
    found["adjusted"] = adjust_pvalues(found["pvalue"], correction)
    return found


def _find_baseline(baseline, values, column, table):
    """Return the name of the baseline; None and "best" select the method with the best mean of the measure `column`."""
    if baseline is None or (baseline == BEST and BEST not in values):
        if prefers(column, table) is None:
            raise InputError(
                f"`baseline` must be the name of a method, because neither higher nor lower values of {column!r} are "
                f"better; got {baseline!r}."
            )
        return orient(values.mean(), column, table).idxmax()
    if baseline not in values:
        raise InputError(
            f"`baseline` must be one of the methods, {', '.join(map(str, values))}; got {baseline!r}"
            f"{did_you_mean(baseline, values)}."
        )
    return baseline


def significance_marks(
    table: pd.DataFrame,
    baseline: str,
    metrics: Sequence[MeasureLike] | None = None,
    *,
    alpha: float = 0.05,
    **options: Unpack[PairedTestOptions],
) -> pd.DataFrame:
    """Mark the methods that differ significantly from a baseline, for each measure.

    Parameters
    ----------
    table : DataFrame
        Measures, indexed by method and query.
    baseline : str
        The method to compare with. "best" is the method with the best mean of the first measure, unless a method is
        called "best".
    metrics : sequence of str or Measure, default=None
        Measures; None uses all measures.
    alpha : float, default=0.05
        Significance level. A method is marked if its adjusted p-value is smaller.
    **options
        Options of :func:`compare_methods`: `test`, `correction`, `random_state`.

    Returns
    -------
    DataFrame of shape (n_methods, n_metrics)
        "+" marks a method that is better than the baseline, "-" marks a worse method, and other cells are "". Measures
        such as "num_ret", for which neither higher nor lower values are better, have no marks. The ``attrs`` of the
        frame contain the facts about the tests, which :func:`latex_table` writes below the table.

    See Also
    --------
    compare_methods : Computes the tests that the marks report.
    latex_table : Writes the marks after the numbers.

    Examples
    --------
    >>> import pandas as pd
    >>> from skrankagg.model_selection import significance_marks
    >>> index = pd.MultiIndex.from_product([["a", "b"], range(6)],
    ...     names=["method", "query"])
    >>> per_query = pd.DataFrame({"map": [0.5, 0.4, 0.6, 0.7, 0.5, 0.3, 0.6, 0.6, 0.7, 0.7,
    ...     0.8, 0.4]}, index=index)
    >>> significance_marks(per_query, "a")["map"].tolist()
    ['', '+']
    """
    values, first = query_table(table, None if metrics is None else next(iter(metrics), None))
    metrics = list(table.columns) if metrics is None else [find_column(table, metric) for metric in metrics]
    methods = table.index.get_level_values(0).unique()
    marks = pd.DataFrame("", index=methods.rename("method"), columns=metrics)
    baseline = _find_baseline(baseline, values, first, table)
    n_comparisons = 0
    for metric in metrics:
        found = compare_methods(table, baseline, metric=metric, confidence=None, **options)
        if prefers(metric, table) is None:
            continue
        n_comparisons = max(n_comparisons, int(found["pvalue"].notna().sum()))
        sure, gain = found["adjusted"] < alpha, orient(found["difference"], metric, table)
        marks.loc[found.index[sure & (gain > 0)], metric] = "+"
        marks.loc[found.index[sure & (gain < 0)], metric] = "-"
    marks.attrs[TESTED] = {
        "baseline": str(baseline),
        "test": options.get("test", "t"),
        "correction": options.get("correction", "holm"),
        "alpha": alpha,
        "n_comparisons": n_comparisons,
        "n_queries": len(values),
    }
    return marks


def compare_ranks(
    table: pd.DataFrame, *, metric: MeasureLike | None = None, alpha: float = 0.05
) -> tuple[pd.Series, FriedmanResult]:
    """Compare all methods by Friedman's test and Nemenyi's test, which use the ranks of the methods on each query.

    Parameters
    ----------
    table : DataFrame
        Measures, indexed by method and query. Methods without any value, such as failed methods, are left out. Only
        queries with values of all remaining methods are used.
    metric : str or Measure, default=None
        Measure; None uses the first measure.
    alpha : float, default=0.05
        Significance level of the critical difference.

    Returns
    -------
    mean_ranks : Series of shape (n_methods,)
        Mean rank of each method, best method first. A method that is best on every query has the mean rank 1.
    result : FriedmanResult
        The result of the tests; the methods have the order of `table`.

    See Also
    --------
    skrankagg.plotting.CriticalDifferenceDisplay : Plots the mean ranks and the critical difference.

    Examples
    --------
    >>> import pandas as pd
    >>> from skrankagg.model_selection import compare_ranks
    >>> index = pd.MultiIndex.from_product([["a", "b"], range(3)],
    ...     names=["method", "query"])
    >>> ranks, result = compare_ranks(pd.DataFrame({"map": [0.5, 0.4, 0.6, 0.6, 0.4, 0.7]},
    ...     index=index))
    >>> ranks.round(2).to_dict()
    {'b': 1.17, 'a': 1.83}
    """
    values, column = query_table(table, metric)
    values = values.dropna(axis="columns", how="all").dropna()
    result = friedman_nemenyi(orient(values, column, table), alpha=alpha)
    ranks = pd.Series(result.mean_ranks, index=values.columns.rename("method"), name="mean rank")
    return ranks.sort_values(kind="stable"), result
