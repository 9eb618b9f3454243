"""Aggregation of each query by a method that was fitted on other queries."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import pandas as pd
from sklearn.model_selection import BaseCrossValidator, check_cv

from .._data._frames import show_id
from .._data._peer_objects import holds_tuples
from .._data._qrels import AlignedQrels, check_qrels, choose_qrels
from .._data._ranked_lists import check_lists, encode_plain
from .._data._types import CallQrels, PlainLists
from .._support._values import is_integer
from ..exceptions import InputError
from ..metrics._judging._folds import hold_out
from ._split import QueryKFold

__all__ = ["cross_val_consensus"]


def cross_val_consensus(
    aggregator: Any,
    lists: PlainLists,
    y: CallQrels | None = None,
    *,
    qrels: CallQrels | None = None,
    cv: int | BaseCrossValidator | Iterable[Any] = 5,
    n_jobs: int | None = None,
) -> pd.DataFrame:
    """Aggregate every query with a method fitted on other queries.

    The queries are split into folds. For each fold, a clone of the estimator is fitted on all other queries and their
    judgements. The clone then aggregates the queries of the fold. The consensus of a query therefore does not depend on
    the judgements of this query. The result can be evaluated with the same judgements, compared with other runs, or
    saved.

    Parameters
    ----------
    aggregator : estimator
        An aggregator, or a pipeline or search that contains an aggregator; its ``transform`` must return a consensus.
    lists : DataFrame or RankedLists of n_queries queries, or dict or list of lists
        Ranked lists; see RankedLists.from_runs for a dict and RankedLists.from_lists for a list. The estimator is
        always called with RankedLists, whose samples are queries.
    y : Qrels, AlignedQrels, dict or None, default=None
        Judgements for ``fit``; None if the estimator contains judgements or does not need them.
    qrels : Qrels or dict, default=None
        Judgements. They take precedence over `y`, and `y` takes precedence over judgements that the estimator contains.
    cv : int, splitter or iterable, default=5
        Number of folds; each fold consists of neighbouring queries in the order of the lists. A splitter, such as
        ``KFold(5, shuffle=True)``, must have queries as samples. An iterable must contain pairs (train, test) of
        positions of queries. Each query must be in exactly one test set.
    n_jobs : int, default=None
        Number of threads that fit folds at the same time. None means 1, and -1 means the number of processors.

    Returns
    -------
    DataFrame
        Columns `query`, `item`, `score` and `rank`, and further columns of the method. The queries have the order of
        the lists. If `lists` is a frame, the queries are sorted.

    Raises
    ------
    ValueError
        If a query is in no test set, in several test sets, or in the training set of its own fold. If there are fewer
        queries than folds. If a training set has no judged query and the method learns from judgements.
    TypeError
        If the judgements are a plain frame, or the estimator does not return a consensus.

    See Also
    --------
    Comparator : Measures methods in this way with ``cv``, and compares them with other methods.
    sklearn.model_selection.cross_val_score : Measures each fold but does not return a consensus.

    Notes
    -----
    Queries without judgements are aggregated too. They are also in training sets, because some methods learn from lists
    without judgements. For a method that learns nothing, the result equals the result of ``transform``.

    Scores in different folds come from different fits. Only scores of the same query can be compared. This is
    sufficient for measures of rankings.

    Examples
    --------
    >>> from sklearn.pipeline import make_pipeline
    >>> from skrankagg import Qrels, RankedLists, ReciprocalRankFusion, evaluate
    >>> from skrankagg.datasets import make_ranked_lists
    >>> from skrankagg.model_selection import cross_val_consensus
    >>> from skrankagg.preprocessing import VoterWeighter
    >>> lists, qrels, _ = make_ranked_lists(n_queries=20, quality=0.3, quality_spread=1.0,
    ...     random_state=0)
    >>> lists, qrels = RankedLists.from_frame(lists), Qrels.from_frame(qrels)
    >>> weighted = make_pipeline(VoterWeighter("map"), ReciprocalRankFusion())
    >>> runs = {
    ...     "equal weights": ReciprocalRankFusion().fit_transform(lists),
    ...     "measured weights": cross_val_consensus(weighted, lists, qrels.align(lists)),
    ... }
    >>> evaluate(runs, qrels, "map").round(3)
                        map
    run
    equal weights     0.750
    measured weights  0.837
    """
    lists = check_lists(encode_plain(lists))
    if y is None and qrels is None:
        aligned = None
    else:
        if isinstance(y, AlignedQrels) and len(y) != lists.n_queries:
            raise InputError(
                f"`y` must have a sample for each of the {lists.n_queries} queries; it has {len(y)}. Pass "
                "qrels.align(lists)."
            )
        y, qrels = (check_qrels(one) if holds_tuples(one) else one for one in (y, qrels))
        aligned = choose_qrels(aggregator, y, qrels).align(lists)
    result = hold_out(aggregator, lists, aligned, query_folds(cv, lists), n_jobs)
    return result if isinstance(result, pd.DataFrame) else result.to_frame()


def query_folds(cv, lists):
    """Return the positions of the training and the test queries of each fold.

    Raise InputError unless each query is tested exactly once.
    """
    cv = QueryKFold(cv) if is_integer(cv) else check_cv(cv)
    folds = [(np.asarray(train), np.asarray(test)) for train, test in cv.split(lists)]
    n_queries = lists.n_queries
    for side in (side for fold in folds for side in fold):
        if side.ndim != 1 or side.dtype.kind not in "iu" or not ((side >= 0) & (side < n_queries)).all():
            raise InputError(
                f"`cv` must give positions of queries, from 0 to {n_queries - 1}; got {side!r}. If `cv` was "
                "made for the rows of a frame, make it for RankedLists.from_frame(df), or pass QueryKFold(5)."
            )
    tested = np.bincount(np.concatenate([test for _, test in folds]), minlength=n_queries)
    if (tested != 1).any():
        q = int(np.flatnonzero(tested != 1)[0])
        raise InputError(
            f"`cv` must have every query in exactly one test set; query {show_id(lists.queries, q)} is in {tested[q]} "
            f"test sets. This error also affects {int((tested != 1).sum()) - 1} other queries. Choose folds, such as "
            "cv=5 or KFold(5, shuffle=True), and do not pass qrels= to a splitter. To leave out unjudged queries, pass "
            "lists.judged(qrels)."
        )
    for train, test in folds:
        both = np.intersect1d(train, test)
        if len(both):
            raise InputError(
                f"`cv` must not have a query in both the training and the test set of a fold; query "
                f"{show_id(lists.queries, int(both[0]))} is in both sets. Leave the query out of the training set."
            )
    return folds
