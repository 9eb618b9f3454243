"""Aggregate lists that an engine holds in partitions."""

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

    Each query is aggregated where all of its rows are; results are those of ``estimator.transform`` on all lists at
    once, to the last bit.

    Parameters
    ----------
    aggregator : estimator instance
        An aggregator, a pipeline with one, or a search that was fitted; fitted if it learns something, see
        :func:`fit_partitions`.
    lists : dask.dataframe.DataFrame, pyspark.sql.DataFrame or ParquetChunks
        Columns `query`, `voter`, `item`, `rank` and/or `score`, and `weight` if there are any; other columns are not
        read. Ids are missing in no row.
    partitioned : bool, default=False
        Whether each partition holds all rows of its queries already. It is checked at once, by the column `query`,
        which is all that is read. Otherwise the engine brings the rows of each query together, which moves all rows
        once. Chunks of a Parquet data set always hold whole queries, or are refused when they are read.

    Returns
    -------
    dask.dataframe.DataFrame, pyspark.sql.DataFrame or ParquetChunks
        The consensus, made when the engine asks for it, of the columns that ``estimator.get_feature_names_out()``
        names, with the types of the ids, float64 scores and int64 ranks. Queries are in no particular order, the items
        of each in the order of their ranks.

    Raises
    ------
    TypeError
        If `lists` is a frame in memory, or `aggregator` aggregates nothing.
    ValueError
        If columns are missing, if a query stands in several partitions in spite of ``partitioned=True``, if lists have
        lost rows, or if the estimator draws at random without a seed.
    sklearn.exceptions.NotFittedError
        If the estimator must be fitted and is not.

    See Also
    --------
    fit_partitions : Learns from lists in partitions.
    evaluate_partitions : Measures the result.

    Notes
    -----
    Workers need this package. A worker of Dask holds a partition, its codes and its result at a time, one of Spark some
    250,000 rows of whole queries. Warnings are those of the workers, and stay there.

    Examples
    --------
    >>> import dask.dataframe as dd
    >>> from skrankagg import CombSUM
    >>> from skrankagg.datasets import make_ranked_lists
    >>> from skrankagg.distributed import transform_partitions
    >>> lists, qrels = make_ranked_lists(n_queries=20, random_state=0)
    >>> consensus = transform_partitions(CombSUM(), dd.from_pandas(lists, npartitions=3))
    >>> consensus.columns.tolist()
    ['query', 'item', 'score', 'rank']
    >>> found = consensus.compute().sort_values(["query", "rank"], ignore_index=True)
    >>> expected = CombSUM().transform(lists)
    >>> bool((found[["item", "score", "rank"]] == expected[["item", "score", "rank"]]).all(axis=None))
    True
    """
    aggregator = check_ready(aggregator)
    partitions = make_partitions(lists, partitioned)
    names = _result_names(aggregator)

    def types(known):
        """Types of the columns of the result, by those of the lists."""
        ranks = "float64" if "voter" in names else "int64"
        own = {name: known[name] for name in ("query", "voter", "item") if name in known}
        return {name: own.get(name, ranks if name == "rank" else "float64") for name in names}

    return partitions.map(Aggregate(aggregator, names), types)


def _result_names(estimator):
    """Columns of what an estimator returns, which pipelines that were not fitted do not tell by themselves."""
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
            names = ["query", "voter", "item", "rank", "score"]  # of a consensus as a list of one voter
    if names is None:
        raise InputTypeError(
            f"transform_partitions needs an aggregator to know the columns of the result; {estimator!r} has none. Add "
            "one, or fit it."
        )
    return names
