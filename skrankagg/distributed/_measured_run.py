"""Evaluation of a run that is stored in partitions of Dask or Spark, or in chunks of a Parquet data set."""

from collections.abc import Sequence
from typing import Any, Literal, Unpack

import numpy as np
import pandas as pd

from .._data._qrels import check_qrels, show_ids
from .._support._warn import warn_user
from ..exceptions import InputError, MissingQueriesWarning, NothingJudgedWarning
from ..metrics._relevance._conventions import Conventions, check_conventions
from ..metrics._relevance._registry import MeasureLike, get_measures, note_measures
from ._engines import make_partitions
from ._partitions import refuse_torn
from ._work import MeasureRows

__all__ = ["evaluate_partitions"]


def evaluate_partitions(
    run: Any,
    qrels: Any,
    metrics: MeasureLike | Sequence[MeasureLike] = ("map", "p@10", "ndcg@10"),
    *,
    per_query: bool = False,
    missing_queries: Literal["zero", "skip"] | None = None,
    partitioned: bool = False,
    **conventions: Unpack[Conventions],
) -> pd.DataFrame:
    """Measure a run in partitions of Dask or Spark, or in chunks of a Parquet data set.

    Each partition sums and counts the values of its queries. Then the sums and the counts of all partitions are added
    up. The result equals :func:`~skrankagg.metrics.evaluate` on the whole run, up to floating-point summation order.

    Parameters
    ----------
    run : dask.dataframe.DataFrame, pyspark.sql.DataFrame or ParquetChunks
        Columns `query`, `item` and `rank` and/or `score`, with one list for each query, as in the result of
        :func:`transform_partitions`.
    qrels : DataFrame, Qrels, or a frame of the same engine
        Judgements with the columns `query`, `item`, `relevance`. Judgements in memory are sent to each worker.
        Judgements in a frame of Dask or Spark are joined to the run by query.
    metrics : str, Measure, callable or sequence of these, default=("map", "p@10", "ndcg@10")
        Names of measures; see :func:`~skrankagg.metrics.measure_names`. Each measure may be given only once.
    per_query : bool, default=False
        Whether to return a row for each judged query instead of the mean. The rows are sent to this machine.
    missing_queries : {"zero", "skip"} or None, default=None
        How to treat judged queries without results, as in :func:`~skrankagg.metrics.evaluate`.
    partitioned : bool, default=False
        Whether each partition of the run already contains all rows of its queries, as in the result of
        :func:`transform_partitions`. This is checked during the evaluation. The parameter has no effect if the
        judgements are a frame of the engine, because all rows are then collected by query.
    **conventions
        Conventions of the measures, as in :func:`~skrankagg.metrics.evaluate`.

    Returns
    -------
    pandas.DataFrame
        The table of :func:`~skrankagg.metrics.evaluate`.

    Raises
    ------
    TypeError
        If `run` is a frame in memory.
    ValueError
        If a query has several lists, or is split across partitions although ``partitioned=True``. If
        :func:`~skrankagg.metrics.evaluate` would raise an error for the run.

    Warns
    -----
    MissingQueriesWarning
        If more than half of the judged queries have no results and `missing_queries` is None.
    NothingJudgedWarning
        If the run contains no judged item.

    See Also
    --------
    skrankagg.metrics.evaluate : Evaluates runs that fit into memory.

    Examples
    --------
    >>> import dask.dataframe as dd
    >>> from skrankagg import CombSUM
    >>> from skrankagg.datasets import make_ranked_lists
    >>> from skrankagg.distributed import evaluate_partitions, transform_partitions
    >>> lists, qrels, _ = make_ranked_lists(n_queries=20, random_state=0)
    >>> consensus = transform_partitions(CombSUM(), dd.from_pandas(lists, npartitions=3))
    >>> evaluate_partitions(consensus, qrels, ["map", "ndcg@10"], partitioned=True).round(4)
            map  ndcg@10
    run
    run  0.9252   0.8761
    """
    check_conventions({"missing_queries": missing_queries})
    measures = get_measures(metrics, **conventions)
    partitions = make_partitions(run, partitioned)
    if "voter" in partitions.names:
        raise InputError(
            "`run` must be one run without a column 'voter'; got a frame with this column. Choose the rows of one "
            "voter and drop the column."
        )
    others = _engine_of(qrels)
    work = MeasureRows(measures, check_qrels(qrels) if others is None else None, missing_queries, per_query)
    if others is None:
        found = partitions.gather(work)
        refuse_torn(partitions, [part.hashes for part in found])
        found.append(_rest(work, found))
    else:
        found = partitions.gather_pairs(work, others)
    _warn(found, work.qrels, missing_queries)
    if per_query:
        tables = [part.table for part in found if part.table is not None]
        nothing = pd.DataFrame(columns=list(measures), index=pd.Index([], name="query"), dtype="float64")
        return note_measures(pd.concat(tables).sort_index() if tables else nothing, measures)
    sums = np.sum([part.sums for part in found], axis=0) if found else np.zeros((len(measures), 2))
    row = [measure.summarize_sums(*sums[k]) for k, measure in enumerate(measures.values())]
    return note_measures(pd.DataFrame([row], index=pd.Index(["run"], name="run"), columns=list(measures)), measures)


def _engine_of(qrels):
    """Wrap `qrels` in Partitions if it is a frame of Dask or Spark; return None if the judgements are in memory."""
    return make_partitions(qrels) if type(qrels).__module__.startswith(("dask", "pyspark")) else None


def _rest(work, found):
    """Measure the judged queries that occur in no partition of the run, as if they had no results.

    `found` contains the results of the partitions. With ``missing_queries="skip"``, these queries are left out.
    """
    there = np.zeros(work.qrels.n_queries, dtype=bool)
    for part in found:
        there[part.places] = True
    return work.measure(None, work.qrels, np.flatnonzero(~there & (work.missing_queries != "skip")))


def _warn(found, qrels, missing_queries):
    """Issue the warnings of `evaluate` once for all partitions."""
    n_queries, n_missing = (sum(getattr(part, name) for part in found) for name in ("n_queries", "n_missing"))
    if not any(part.is_judged for part in found):
        ids = ""
        if qrels is not None:
            ids = f" The qrels judge the items {show_ids(qrels.items)} of the queries {show_ids(qrels.queries)}."
        value = "0" if n_queries else "NaN, because missing_queries='skip' leaves out all queries"
        warn_user(
            f"The run contains no judged item; it scores {value}.{ids} Check its ids and its source.",
            NothingJudgedWarning,
        )
    elif missing_queries is None and 2 * n_missing > n_queries:
        warn_user(
            f"{n_missing} of the {n_queries} judged queries have no results and count as 0. Leave these queries out "
            "with missing_queries='skip', or pass only the qrels of the queries that were run. If 0 is intended, pass "
            "missing_queries='zero'.",
            MissingQueriesWarning,
        )
