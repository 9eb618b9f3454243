"""TopSet: a cut of a consensus after which the result contains relevant items with a given confidence."""

from __future__ import annotations

import math
from collections.abc import Iterable
from numbers import Real
from typing import Any, Literal

import numpy as np
from sklearn.model_selection import BaseCrossValidator

from .._data._types import AnyQrels
from .._support._sklearn import Interval, StrOptions
from ..exceptions import InputError
from ..metrics._judging._consensus_rows import keep_rows
from ._judged_consensus import JudgedConsensus

__all__ = ["TopSet"]

# Products such as 0.7 * 10 may be a little above the exact number.
_ROUNDING = 1e-9


class TopSet(JudgedConsensus):
    r"""Cut a consensus after its first items, so that the result contains relevant items with a given confidence.

    The consensus of each query is cut at a depth that is learned from judged queries. It is the smallest depth at which
    the result for a new query contains a relevant item, or a given share of the relevant items, with probability
    `confidence`. The confidence is valid for any aggregator, if new queries have the same distribution as the judged
    queries.

    Parameters
    ----------
    aggregator : estimator
        The method whose consensus is cut: an aggregator, or a pipeline or search that ends in one. Set the parameters
        of the method with names such as ``aggregator__k``.
    holds : "one" or float, default="one"
        Relevant items that the result must contain. "one" requires at least one relevant item. A number between 0 and 1
        requires at least this share of the relevant items in the lists of the query. Choose at most 0.5, because the
        last relevant items are usually near the end of the lists.
    confidence : float, default=0.9
        Probability, between 0 and 1, that the result for a new query contains the items that `holds` requires.
    cv : int, splitter or iterable, default=5
        Folds of whole queries, as in :func:`cross_val_consensus`. They are used only if the aggregator learns from
        judgements: the consensus of each judged query then comes from a fit on the other folds.
    qrels : Qrels, DataFrame or dict, default=None
        Judgements of training queries. None if the judgements are passed to ``fit``, as ``qrels=`` or as `y` from
        :meth:`~skrankagg.Qrels.align`.

    Attributes
    ----------
    aggregator_ : estimator
        The method, fitted on all queries.
    depth_ : int or float
        With ``holds="one"``, the number of items in the result. With a share, the scores of each query are scaled
        to the range from 0 to 1, and the result contains the items with a score of at least ``1 - depth_``.
    n_queries_ : int
        Number of judged queries with a relevant item in the lists; the depth is learned from these queries.
    n_left_out_ : int
        Number of judged queries without a relevant item in the lists.

    See Also
    --------
    CalibratedConsensus : Adds probabilities of relevance, which are right on average over queries.
    skrankagg.preprocessing.TopK : Cuts each list after k items.

    Notes
    -----
    The *depth* of a judged query is the smallest depth at which its result contains the items that `holds` requires
    [1]_. Let n be the number of judged queries and c the confidence. Then :attr:`depth_` is the :math:`\lceil (n + 1) c
    \rceil`-th smallest depth. A query without a relevant item in the lists has no depth, because even its whole
    consensus contains no relevant item. The confidence therefore refers only to new queries with a relevant item in the
    lists. With a confidence of .9 at least 9 judged queries are needed.

    For ``"one"``, the depth is a number of items. For a share, the scores of a query are first scaled from 0 for the
    last items to 1 for the first items. The depth is then 1 minus a scaled score, so the result is longer if the scores
    of the query fall slowly. The probability that the result of a new query contains the items is between c and
    :math:`c + 1/(n + 1)`, on average over the judged queries. Ties raise this probability.

    A result that contains all relevant items would be nearly the whole list, so ``holds=1`` is not allowed. The
    [page about probabilities](../../user_guide/probabilities.md) has the sizes of the results on real data, for one
    relevant item and for half of the relevant items.

    References
    ----------
    .. [1] V. Vovk, A. Gammerman and G. Shafer, "Algorithmic learning in a random world", Springer, 2005.

    Examples
    --------
    >>> from skrankagg import Qrels, RankedLists, ReciprocalRankFusion
    >>> from skrankagg.datasets import make_ranked_lists
    >>> from skrankagg.model_selection import TopSet
    >>> lists, qrels, _ = make_ranked_lists(n_queries=60, quality=0.3, random_state=0)
    >>> lists, qrels = RankedLists.from_frame(lists), Qrels.from_frame(qrels)
    >>> top = TopSet(ReciprocalRankFusion()).fit(lists[:50], qrels)
    >>> top.depth_, top.n_queries_, top.n_left_out_
    (2, 50, 0)
    >>> top.transform(lists[50:51])["rank"].tolist()
    [1, 2]
    """

    _parameter_constraints: dict = {
        **JudgedConsensus._parameter_constraints,
        "holds": [StrOptions({"one"}), Interval(Real, 0, 1, closed="neither")],
        "confidence": [Interval(Real, 0, 1, closed="neither")],
    }

    depth_: float
    n_queries_: int
    n_left_out_: int

    def __init__(
        self,
        aggregator: Any,
        holds: Literal["one"] | float = "one",
        *,
        confidence: float = 0.9,
        cv: int | BaseCrossValidator | Iterable[Any] = 5,
        qrels: AnyQrels | None = None,
    ) -> None:
        self.aggregator = aggregator
        self.holds = holds
        self.confidence = confidence
        self.cv = cv
        self.qrels = qrels

    def _learn(self, rows, relevant, folds):
        found, n_queries = np.flatnonzero(relevant), rows.n_queries
        n_relevant = np.bincount(rows.query[found], minlength=n_queries)
        has_relevant = n_relevant > 0
        n = self.n_queries_ = int(has_relevant.sum())
        self.n_left_out_ = n_queries - n
        place = math.ceil((n + 1) * self.confidence - _ROUNDING)
        if place > n:
            raise InputError(
                f"With confidence={self.confidence}, TopSet must have at least {_fewest(self.confidence)} judged "
                f"queries with a relevant item; got {n}. Judge more queries, or choose a lower confidence.",
                parameter="confidence",
            )
        # For each query, the row of the last relevant item that the result must contain.
        first = (np.cumsum(n_relevant) - n_relevant)[has_relevant]
        needed = 1 if self.holds == "one" else np.ceil(self.holds * n_relevant[has_relevant] - _ROUNDING)
        row = found[first + np.maximum(needed, 1).astype(np.int64) - 1]
        depth = np.sort(self._depths(rows)[row])[place - 1]
        self.depth_ = int(depth) if self.holds == "one" else float(depth)

    def _depths(self, rows):
        """Return, for each row of a consensus, the smallest value of `depth_` with which the result contains the row.

        If `holds` is "one", this is the place of the item. Otherwise it is 1 minus the score, after the scores of each
        query are scaled to the range from 0 to 1.
        """
        return rows.place if self.holds == "one" else 1 - rows.min_max()

    def _add(self, rows):
        return keep_rows(rows, self._depths(rows) <= self.depth_, rows.frame)


def _fewest(confidence):
    """Return the least number of judged queries from which `TopSet` can learn `depth_` with this confidence."""
    n = max(1, math.floor(confidence / (1 - confidence)) - 1)
    while math.ceil((n + 1) * confidence - _ROUNDING) > n:
        n += 1
    return n
