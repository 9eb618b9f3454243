"""Aggregation of lists in partitions of Dask or Spark, or in chunks of a Parquet data set."""

from typing import Any

from .._support._sklearn import NotFittedError
from ..base import BaseAggregator
from ..exceptions import InputTypeError
from ._engines import make_partitions
from ._ready import check_ready, steps_of
from ._work import Aggregate

__all__ = ["transform_partitions"]


def transform_partitions(aggregator: Any, lists: Any, *, partitioned: bool = False) -> Any:
    """Aggregate lists in partitions of Dask or Spark, or in chunks of a Parquet data set.

    Each query is aggregated on the worker that has all of its rows. Results are bitwise equal to
    ``estimator.transform`` on all lists at once.

    Parameters
    ----------
    aggregator : estimator instance
        An aggregator, a pipeline with an aggregator, or a fitted search. An estimator that learns must be fitted; see
        :func:`fit_partitions`.
    lists : dask.dataframe.DataFrame, pyspark.sql.DataFrame or ParquetChunks
        Columns `query`, `voter`, `item`, `rank` and/or `score`, and `weight` if there are weights; other columns are
        not read. Every row must have the ids of its query, voter and item.
    partitioned : bool, default=False
        Whether each partition already contains all rows of its queries. This is checked immediately by reading only the
        column `query`. With False, the engine collects the rows of each query, which moves all rows once. Chunks of a
        Parquet data set do not need this parameter, because they always contain whole queries.

    Returns
    -------
    dask.dataframe.DataFrame, pyspark.sql.DataFrame or ParquetChunks
        The consensus, which is computed when the engine needs it. The names of its columns come from
        ``estimator.get_feature_names_out()``. Ids keep their types, scores are float64 and ranks are int64. The order
        of the queries is not defined. The items of each query are in the order of their ranks.

    Raises
    ------
    TypeError
        If `lists` is a frame in memory, or `aggregator` cannot aggregate.
    ValueError
        If columns are missing, if a query is split across partitions although ``partitioned=True``, if rows of a list
        are missing, or if the estimator draws random numbers without a seed.
    sklearn.exceptions.NotFittedError
        If the estimator must be fitted but is not fitted.

    See Also
    --------
    fit_partitions : Learns from lists in partitions.
    evaluate_partitions : Evaluates the result.

    Notes
    -----
    This package must be installed on the workers. A Dask worker holds one partition at a time in memory, together with
    its encoded form and its result. A Spark worker holds about 250,000 rows of whole queries in memory. Warnings are
    issued only on the workers.

    Examples
    --------
    >>> import dask.dataframe as dd
    >>> from skrankagg import CombSUM
    >>> from skrankagg.datasets import make_ranked_lists
    >>> from skrankagg.distributed import transform_partitions
    >>> lists, qrels, _ = make_ranked_lists(n_queries=20, random_state=0)
    >>> consensus = transform_partitions(CombSUM(), dd.from_pandas(lists, npartitions=3))
    >>> consensus.columns.tolist()
    ['query', 'item', 'score', 'rank']
    >>> found = consensus.compute().sort_values(["query", "rank"], ignore_index=True)
    >>> expected = CombSUM().transform(lists)
    >>> bool((found[["item", "score", "rank"]] == expected[["item", "score", "rank"]])
    ...      .all(axis=None))
    True
    """
    aggregator = check_ready(aggregator)
    partitions = make_partitions(lists, partitioned)
    names = _result_names(aggregator)

    def types(known):
        """Return the types of the columns of the result; `known` contains the types of the columns of the lists."""
        ranks = "float64" if "voter" in names else "int64"
        own = {name: known[name] for name in ("query", "voter", "item") if name in known}
        return {name: own.get(name, ranks if name == "rank" else "float64") for name in names}

    return partitions.map(Aggregate(aggregator, names), types)


def _result_names(estimator):
    """List the columns of an estimator's result; this also works for a pipeline that is not fitted."""
    names = None
    if hasattr(estimator, "get_feature_names_out"):
        try:
            return list(map(str, estimator.get_feature_names_out()))
        except NotFittedError:
            pass
    for step in steps_of(estimator):
        if isinstance(step, BaseAggregator):
            names = list(map(str, step.get_feature_names_out()))
        elif names is not None:
            names = ["query", "voter", "item", "rank", "score"]  # the consensus is a list of one voter
    if names is None:
        raise InputTypeError(
            f"`aggregator` must contain an aggregator, which determines the columns of the result; got {estimator!r}. "
            "Add an aggregator, or fit the estimator."
        )
    return names
