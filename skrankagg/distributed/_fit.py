"""Fitting of estimators to lists in partitions of Dask or Spark, or in chunks of a Parquet data set."""

from collections.abc import Collection, Hashable
from typing import Any

import pandas as pd
from sklearn.utils import get_tags

from .._data._qrels import check_qrels
from .._data._ranked_lists import RankedLists
from ..base import WeightedAggregator
from ..exceptions import InputError
from ._engines import make_partitions
from ._partitions import refuse_torn
from ._ready import check_seeds, steps_of
from ._work import Learn

__all__ = ["fit_partitions"]


def fit_partitions(
    aggregator: Any,
    lists: Any,
    y: Any = None,
    *,
    queries: Collection[Hashable] | None = None,
    partitioned: bool = False,
) -> Any:
    """Fit an estimator to lists in partitions of Dask or Spark, or in chunks of a Parquet data set.

    An aggregator with ``weighting="global"`` learns the weight of each voter as a mean over all of the voter's lists;
    the lists are not moved to this machine. Other estimators are fitted on this machine, to the lists of the chosen
    `queries`.

    Parameters
    ----------
    aggregator : estimator instance
        Estimator or pipeline. It is fitted in place, as by ``fit``.
    lists : dask.dataframe.DataFrame, pyspark.sql.DataFrame or ParquetChunks
        Columns `query`, `voter`, `item`, `rank` and/or `score`, and `weight` if there are weights.
    y : DataFrame or Qrels, default=None
        Judgements for estimators that learn from them. With judgements, `queries` must be given.
    queries : collection of ids, default=None
        Queries to fit on. All rows of these queries are sent to this machine. None learns from all partitions, which is
        possible only for methods that learn means over the lists.
    partitioned : bool, default=False
        Whether each partition already contains all rows of its queries. If True, the partitions are checked for split
        queries. See :func:`transform_partitions`.

    Returns
    -------
    object
        The estimator. A fit on all partitions sets the attribute `voter_weights_`. These weights equal the weights of a
        fit on all lists, up to floating-point summation order. The attribute `query_voter_weights_`, which has a row
        for each list, is not set.

    Raises
    ------
    TypeError
        If `lists` is a frame in memory.
    ValueError
        If `queries` is None and the estimator learns something other than means over lists. If a query is split across
        partitions although ``partitioned=True``, or if some of `queries` are missing.

    See Also
    --------
    transform_partitions : Aggregates with the fitted estimator.

    Notes
    -----
    For each voter, a partition returns two sums over the voter's lists. The relative weight of a list is its learned
    weight divided by the mean learned weight of its query. The first sum adds the relative weights times the given
    weights of the lists, and the second sum adds the given weights. See ``weighting="global"`` of
    :class:`~skrankagg.aggregators.DIBRA`. The amount of data sent is proportional to the number of voters. In a
    pipeline, the steps before the aggregator must not learn.

    Examples
    --------
    >>> import dask.dataframe as dd
    >>> import numpy as np
    >>> from skrankagg import DIBRA
    >>> from skrankagg.datasets import make_ranked_lists
    >>> from skrankagg.distributed import fit_partitions
    >>> lists, qrels, _ = make_ranked_lists(n_queries=20, random_state=0)
    >>> method = fit_partitions(DIBRA(weighting="global"),
    ...     dd.from_pandas(lists, npartitions=3))
    >>> expected = DIBRA(weighting="global").fit(lists)
    >>> np.allclose(method.voter_weights_["weight"], expected.voter_weights_["weight"],
    ...             rtol=1e-12)
    True
    """
    partitions = make_partitions(lists, partitioned)
    check_seeds(aggregator)
    if queries is not None:
        rows = partitions.rows_of(queries)
        absent = pd.Index(list(queries)).difference(pd.Index(rows["query"].unique()))
        if len(absent):
            raise InputError(
                f"`queries` must be queries of the lists; {len(absent)} queries have no lists, such as {absent[0]!r}. "
                "Leave these queries out."
            )
        return _fit_here(aggregator, RankedLists.from_frame(rows.reset_index(drop=True)), y)
    if y is not None:
        raise InputError(
            "`queries` must be given with `y`, because a fit on judgements loads the lists of these queries on one "
            "machine. Name the queries to fit on: queries=[...]."
        )
    *steps, last = steps_of(aggregator)
    if not _learns_mean(last) or any(map(_learns, steps)):
        raise InputError(
            f"{last!r} does not learn a mean over lists, so it cannot be fitted in partitions. Name the queries "
            "to fit on: queries=[...]."
        )
    if _learns(last):
        _learn(steps, last, partitions)
    return aggregator


def _fit_here(estimator, lists, y):
    return estimator.fit(lists) if y is None else estimator.fit(lists, check_qrels(y).align(lists))


def _learns(estimator):
    return get_tags(estimator).requires_fit


def _learns_mean(estimator):
    """Return True if an estimator needs no fit, or if it learns only from sums over the lists.

    Such sums can be computed for each partition and then added.
    """
    if isinstance(estimator, WeightedAggregator) and estimator.weighting == "global":
        return estimator._pools_sums
    return not _learns(estimator)


def _learn(steps, aggregator, partitions):
    parts = partitions.gather(Learn(steps, aggregator))
    refuse_torn(partitions, [hashes for hashes, _ in parts])
    if not parts:
        raise InputError("`lists` must have rows; all partitions are empty. Check the source of the lists.")
    aggregator._pool_parts([sums for _, sums in parts])
