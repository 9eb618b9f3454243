"""Measure a run that an engine holds in partitions."""

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

    Partitions give sums and numbers of queries, which are added up. The result is that of
    :func:`~skrankagg.metrics.evaluate` on the whole run, but for the order in which floating point adds.

    Parameters
    ----------
    run : dask.dataframe.DataFrame, pyspark.sql.DataFrame or ParquetChunks
        Columns `query`, `item` and `rank` and/or `score`, one list for each query, such as
        :func:`transform_partitions` returns.
    qrels : DataFrame, Qrels, or a frame of the same engine
        Judgements: columns `query`, `item`, `relevance`. Those in memory are sent to each worker; those of the engine
        are brought to the rows of their queries.
    metrics : str, Measure, callable or sequence of these, default=("map", "p@10", "ndcg@10")
        Names of measures, see :func:`~skrankagg.metrics.measure_names`, each once.
    per_query : bool, default=False
        Whether to give a row for each judged query, which is brought to this machine, instead of their mean.
    missing_queries : {"zero", "skip"} or None, default=None
        What a judged query without results counts, as in :func:`~skrankagg.metrics.evaluate`.
    partitioned : bool, default=False
        Whether each partition of the run holds all rows of its queries already, as what :func:`transform_partitions`
        returns does; checked on the way. Judgements of the engine are brought to the run's rows in any case.
    **conventions
        Conventions of the measures, as in :func:`~skrankagg.metrics.evaluate`.

    Returns
    -------
    pandas.DataFrame
        As :func:`~skrankagg.metrics.evaluate` gives it.

    Raises
    ------
    TypeError
        If `run` is a frame in memory.
    ValueError
        If a query stands in several partitions in spite of ``partitioned=True``, if a query has several lists, and what
        :func:`~skrankagg.metrics.evaluate` refuses.

    Warns
    -----
    MissingQueriesWarning
        If more than half of the judged queries have no results and `missing_queries` is None.
    NothingJudgedWarning
        If the run holds no judged item.

    See Also
    --------
    skrankagg.metrics.evaluate : For what fits into memory.

    Examples
    --------
    >>> import dask.dataframe as dd
    >>> from skrankagg import CombSUM
    >>> from skrankagg.datasets import make_ranked_lists
    >>> from skrankagg.distributed import evaluate_partitions, transform_partitions
    >>> lists, qrels = make_ranked_lists(n_queries=20, random_state=0)
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
            "evaluate_partitions measures one run, a list for each query; this one has a column 'voter'. Choose the "
            "rows of one voter and drop the column."
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
    """Judgements in the hands of an engine, or None where they are a frame in memory of another library."""
    return make_partitions(qrels) if type(qrels).__module__.startswith(("dask", "pyspark")) else None


def _rest(work, found):
    """What the judged queries count that no partition has."""
    there = np.zeros(work.qrels.n_queries, dtype=bool)
    for part in found:
        there[part.places] = True
    return work.measure(None, work.qrels, np.flatnonzero(~there & (work.missing_queries != "skip")))


def _warn(found, qrels, missing_queries):
    """Warn as evaluate does, of all partitions together."""
    n_queries, n_missing = (sum(getattr(part, name) for part in found) for name in ("n_queries", "n_missing"))
    if not any(part.is_judged for part in found):
        ids = "" if qrels is None else f"; the qrels judge {show_ids(qrels.items)} of {show_ids(qrels.queries)}"
        value = "0" if n_queries else "NaN, for missing_queries='skip' leaves out all queries"
        warn_user(
            f"The run holds no judged item{ids}; it scores {value}. Check its ids, and how it was made.",
            NothingJudgedWarning,
        )
    elif missing_queries is None and 2 * n_missing > n_queries:
        warn_user(
            f"{n_missing} of the {n_queries} judged queries have no results and count as 0; leave them out by "
            "missing_queries='skip', or give only the qrels of the queries that were run. "
            "missing_queries='zero' says that 0 is meant.",
            MissingQueriesWarning,
        )
