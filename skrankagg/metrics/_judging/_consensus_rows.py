"""Features of consensus rows for calibration, and consensuses of judged queries from a cross-validation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ..._arrays._ragged import expand, mid_ranks, positions, tie_starts
from ..._data._frames import plain_index
from ..._data._ranked_lists import RankedLists
from ..._support._sklearn import clone
from ...base._supervised import judged_part
from ...exceptions import InputError
from ._find_judgements import find_judgements
from ._folds import fit_judged, hold_out
from ._judged_lists import join_parts, rank

# A score beyond this limit is set to the limit, so that the difference of two scores is finite.
_LIMIT = np.finfo(np.float64).max / 4


@dataclass(frozen=True, eq=False)
class ConsensusRows:
    """Rows of a consensus, query by query and best first, with the features that calibration uses.

    Parameters
    ----------
    frame : DataFrame of shape (n_rows, n_columns)
        The consensus.
    lists : RankedLists
        The aggregated lists.
    ptr : ndarray of shape (n_queries + 1,), dtype=int64
        The rows of query q are ``ptr[q]`` to ``ptr[q + 1] - 1``; a query of the lists may have no rows.
    candidate : ndarray of shape (n_rows,), dtype=int64
        Candidate of each row, as a position among the candidates of the lists.
    """

    frame: pd.DataFrame
    lists: RankedLists
    ptr: NDArray[np.int64]
    candidate: NDArray[np.int64]

    @classmethod
    def from_result(cls, result: Any, lists: RankedLists) -> Self:
        """Build this object from a consensus of `lists`, which is an EncodedConsensus or a frame."""
        joined = join_parts(lists, [result], [np.arange(lists.n_queries)])
        frame = joined if isinstance(joined, pd.DataFrame) else joined.to_frame()
        query = plain_index(lists.queries).get_indexer(plain_index(pd.Index(frame["query"])))
        item = plain_index(lists.items).get_indexer(plain_index(pd.Index(frame["item"])))
        order = np.lexsort((frame["rank"].to_numpy(), query))
        if (order[1:] < order[:-1]).any():
            frame, query, item = frame.iloc[order].reset_index(drop=True), query[order], item[order]
        known = lists.candidate_query.astype(np.int64) * lists.n_items + lists.candidate_item
        wanted = query * np.int64(lists.n_items) + item
        candidate = np.minimum(np.searchsorted(known, wanted), len(known) - 1)
        if ((query < 0) | (item < 0) | (known[candidate] != wanted)).any():
            raise InputError(
                "`aggregator` must return only items of the lists; some item is not in the lists of its query. End a "
                "pipeline with an aggregator."
            )
        ptr = np.searchsorted(query, np.arange(lists.n_queries + 1))
        return cls(frame, lists, ptr, candidate)

    @property
    def n_queries(self) -> int:
        """Return the number of queries, including queries without rows."""
        return len(self.ptr) - 1

    @property
    def query(self) -> NDArray[np.int32]:
        """Return the query of each row, as the position of the query in the lists."""
        return expand(self.ptr)

    @property
    def score(self) -> NDArray[np.float64]:
        """Return the score of each row; infinite scores become very large numbers."""
        return np.clip(self.frame["score"].to_numpy(dtype=np.float64), -_LIMIT, _LIMIT)

    @property
    def place(self) -> NDArray[np.int64]:
        """Return the place of each row in its query, counted from 1."""
        return positions(self.ptr)

    def mid_rank(self) -> NDArray[np.float64]:
        """Return the rank of each row; tied rows share the mean of their places."""
        held = np.append(self.ptr[0], self.ptr[1:][np.diff(self.ptr) > 0])
        return mid_ranks(held, tie_starts(held, self.score))

    def min_max(self) -> NDArray[np.float64]:
        """Scale the scores of each query from 0 for the last items to 1 for the first items.

        If all scores of a query are equal, they become 1.
        """
        score, heads = self.score, self.ptr[:-1][np.diff(self.ptr) > 0]
        low, high = (np.repeat(f.reduceat(score, heads), self._sizes()) for f in (np.minimum, np.maximum))
        span = high - low
        return np.divide(score - low, span, out=np.ones(len(score)), where=span > 0)

    def z_score(self) -> NDArray[np.float64]:
        """Return the z-scores of the scores within each query; they are 0 if all scores of the query are equal."""
        scaled = self.min_max()
        heads, sizes = self.ptr[:-1][np.diff(self.ptr) > 0], self._sizes()
        scaled -= np.repeat(np.add.reduceat(scaled, heads) / sizes, sizes)
        deviation = np.repeat(np.sqrt(np.add.reduceat(scaled**2, heads) / sizes), sizes)
        return np.divide(scaled, deviation, out=np.zeros(len(scaled)), where=deviation > 0)

    def list_share(self) -> NDArray[np.float64]:
        """Return, for each row, the share of the query's lists that contain the item.

        The share is the total weight of these lists, divided by the total weight of all lists of the query.
        """
        total = self.lists.sum_over_lists(self.lists.list_weight)[self.lists.candidate_query[self.candidate]]
        weight = self.lists.candidate_weight[self.candidate]
        return np.divide(weight, total, out=np.zeros(len(weight)), where=total > 0)

    def n_rows(self) -> NDArray[np.int64]:
        """Return, for each row, the number of rows of its query."""
        return np.repeat(self._sizes(), self._sizes())

    def _sizes(self):
        sizes = np.diff(self.ptr)
        return sizes[sizes > 0]


def keep_rows(rows: ConsensusRows, kept: NDArray[np.bool_], frame: pd.DataFrame) -> pd.DataFrame:
    """Select the rows of `frame`, a consensus, by the mask `kept`; number the ranks of each query from 1 again."""
    if kept.all():
        return frame
    sizes = np.bincount(rows.query[kept], minlength=rows.n_queries)
    shortened = frame[kept].reset_index(drop=True)
    return shortened.assign(rank=positions(np.concatenate([[0], np.cumsum(sizes)])))


def judged_rows(owner, lists, qrels, choose_folds):
    """Fit the aggregator of an estimator, and return the aggregator's consensus of the judged queries.

    If the aggregator learns from judgements, the consensus of each judged query comes from a fit on other queries.

    Parameters
    ----------
    owner : estimator
        Estimator with the parameter `aggregator`.
    lists : RankedLists
    qrels : Qrels
    choose_folds : callable
        Function with three arguments: the judged lists, a mask of their queries with relevant items, and a bool, which
        is True if the aggregator learns from judgements. It returns the training and test queries of each fold.

    Returns
    -------
    aggregator : estimator
        The aggregator, fitted on all queries.
    rows : ConsensusRows
        Consensus of the judged queries.
    relevant : ndarray of shape (n_rows,), dtype=bool
        Mask of the relevant rows.
    folds : callable
        Function without arguments that returns the folds of the judged queries.
    """
    part, judged = judged_part(owner, lists, qrels, None)
    has_relevant = np.logical_or.reduceat(judged.relevance > 0, part.candidate_ptr[:-1])
    learns = find_judgements(owner.aggregator) is not None

    def folds():
        return choose_folds(part, has_relevant, learns)

    if learns:
        result = hold_out(owner.aggregator, part, qrels.align(part), folds())
        aggregator = fit_judged(clone(owner.aggregator), lists, qrels.align(lists))
    else:
        aggregator = clone(owner.aggregator).fit(lists)
        result = rank(aggregator, part, part)
    rows = ConsensusRows.from_result(result, part)
    return aggregator, rows, judged.relevance[rows.candidate] > 0, folds
