"""Work on the rows of whole queries, done where the rows are stored: aggregation, evaluation and learning.

Each kind of work is a callable object. Engines send it to their workers and call it on a pandas frame or an Arrow
table.
"""

import copy
import threading
import warnings
from typing import NamedTuple

import numpy as np
import pandas as pd
from sklearn import config_context

from .._data._fitted_rows import hash_ids
from .._data._frames import plain_index
from .._data._qrels import Qrels, match_ids
from .._data._ranked_lists import RankedLists, check_run
from .._support._callbacks import without_callbacks
from ..exceptions import InputError, SplitQueryWarning
from ..metrics._relevance._inputs import grade_run

# Warning filters apply to the whole process, and a worker may have several threads.
_FILTERS = threading.Lock()


def encode(rows):
    """Encode ranked lists; raise InputError if rows of a list are missing, for example because rows were sampled."""
    if hasattr(rows, "to_pandas"):  # an Arrow table; pandas keeps its strings unchanged
        rows = rows.to_pandas()
    with _FILTERS, warnings.catch_warnings():
        warnings.simplefilter("error", SplitQueryWarning)
        try:
            return RankedLists.from_frame(rows)
        except SplitQueryWarning as warning:
            raise InputError(str(warning)) from None


def distinct_queries(rows):
    """Return the distinct query ids of a frame or an Arrow table."""
    if hasattr(rows, "column_names"):
        return pd.Index(rows.column("query").unique().to_pandas())
    return pd.Index(rows["query"].unique())


def empty_frame(dtypes):
    """Build a frame without rows, with the column names and types in `dtypes`."""
    return pd.DataFrame({name: pd.Series(dtype=dtype) for name, dtype in dtypes.items()})


class HashQueries:
    """Function that hashes the query ids of a partition; hashes of several partitions show which queries are split."""

    columns = ("query",)

    def __call__(self, rows):
        return hash_ids(distinct_queries(rows), "query")


class FindQueries:
    """Function that hashes the query ids of a partition, and returns the ids with one of the given `hashes`."""

    columns = ("query",)

    def __init__(self, hashes):
        self.hashes = hashes

    def __call__(self, rows):
        queries = distinct_queries(rows)
        return queries[np.isin(hash_ids(queries, "query"), self.hashes)].tolist()


def _plain_copy(estimator):
    """Copy an estimator and leave out its callbacks; the copy returns pandas frames, even if the original does not."""
    estimator = copy.deepcopy(without_callbacks(estimator))
    return estimator.set_output(transform="default") if hasattr(estimator, "set_output") else estimator


class Aggregate:
    """Function that aggregates the lists of some queries with an estimator.

    Parameters
    ----------
    estimator : estimator instance
        The estimator, which must be fitted if it requires a fit.
    names : list of str
        Columns of the result.
    """

    columns = None

    def __init__(self, estimator, names):
        self.estimator = _plain_copy(estimator)
        self.names = names

    def __call__(self, rows):
        with config_context(transform_output="default"):
            frame = self.estimator.transform(encode(rows))
        return (frame.to_frame() if isinstance(frame, RankedLists) else frame)[self.names]


class Measured(NamedTuple):
    """Result of the evaluation of a run on the queries of a partition.

    Parameters
    ----------
    hashes : ndarray of uint64 or None
        Hashes of the run's queries. They are used to find queries that occur in several partitions.
    places : ndarray of int64 or None
        Positions of the judged queries in the judgements that all partitions share.
    sums : ndarray of shape (n_measures, 2)
        Sum and number of values of each measure, see :meth:`Measure.sum_up`.
    table : DataFrame or None
        Values of each judged query, if they were requested and if there are judged queries.
    is_judged : bool
        False if nothing was evaluated, if the results are empty, or if they contain no judged query or no judged item.
    n_queries, n_missing : int
        Number of judged queries that were evaluated, and number of evaluated queries without results.
    """

    hashes: np.ndarray | None
    places: np.ndarray | None
    sums: np.ndarray
    table: pd.DataFrame | None
    is_judged: bool
    n_queries: int
    n_missing: int


class MeasureRows:
    """Function that evaluates a run on the judged queries of a partition.

    Parameters
    ----------
    measures : dict of str to Measure
    qrels : Qrels or None
        The judgements that all partitions share; None if each partition has its own.
    missing_queries : {"zero", "skip"} or None
    per_query : bool
        Whether to also return the values of each query.
    """

    columns = None

    def __init__(self, measures, qrels, missing_queries, per_query):
        self.measures, self.qrels, self.missing_queries, self.per_query = measures, qrels, missing_queries, per_query

    def __call__(self, rows, judged=None):
        run = check_run(encode(rows)) if len(rows) else None
        hashes = np.empty(0, dtype=np.uint64) if run is None else hash_ids(run.queries, "query")
        if judged is None:
            places = match_ids(run.queries, self.qrels.queries, "query")
            places = np.sort(places[places >= 0])
            return self.measure(run, self.qrels, places)._replace(hashes=hashes, places=places, n_missing=0)
        if not len(judged):
            return self.measure(None, None, ())._replace(hashes=hashes)
        qrels = Qrels.from_frame(judged)
        queries = np.arange(qrels.n_queries)
        if self.missing_queries == "skip":
            known = [] if run is None else plain_index(run.queries)
            queries = queries[plain_index(qrels.queries).isin(known)]
        return self.measure(run, qrels, queries)._replace(hashes=hashes)

    def measure(self, run, qrels, queries):
        """Compute the measures of a run on the judged queries at the positions `queries`.

        `run` is None if this partition has no results. The judged queries are then measured as if the run were empty.
        """
        if not len(queries):
            return Measured(None, None, np.zeros((len(self.measures), 2)), None, False, 0, 0)
        ranked, fault = grade_run(run, qrels, queries)
        ranked.queries = pd.Index(qrels.queries[queries], name="query")
        values = {name: measure._values(ranked) for name, measure in self.measures.items()}
        sums = np.array([measure.sum_up(values[name]) for name, measure in self.measures.items()])
        table = pd.DataFrame(values, index=ranked.queries) if self.per_query else None
        n_missing = int((ranked.n_retrieved == 0).sum())
        return Measured(None, None, sums, table, fault is None, len(queries), n_missing)


class Learn:
    """Function that computes sums over the lists of a partition; the aggregator learns voter weights from these sums.

    Parameters
    ----------
    steps : list of estimator instances
        Steps before the aggregator. These steps learn nothing.
    aggregator : estimator instance
    """

    columns = None

    def __init__(self, steps, aggregator):
        self.steps = [_plain_copy(step) for step in steps]
        self.aggregator = _plain_copy(aggregator)

    def __call__(self, rows):
        lists = encode(rows)
        hashes = hash_ids(lists.queries, "query")
        with config_context(transform_output="default"):
            for step in self.steps:
                lists = step.transform(lists)
        return hashes, self.aggregator._sum_part(lists)
