"""Encoded lists with judgements of their items, for measuring any number of estimators."""

import numpy as np
import pandas as pd

from ..._arrays._ragged import gather_ranges
from ..._data._frames import plain_index
from ..._data._qrels import encode_qrels
from ..._support._callbacks import fitting
from ...base import BaseAggregator
from ...base._consensus import EncodedConsensus
from ...exceptions import InputTypeError
from .._relevance._inputs import GradedRun, check_optional_run, grade_run, warn_of_runs
from .._relevance._ranked_relevance import RankedRelevance, RelevanceList
from ._evaluate_voters import look_up_voters


class JudgedLists:
    """Ranked lists with judgements of their items, for measuring any number of consensuses.

    ``queries`` contains the ids of the judged queries; the other queries are not measured.
    """

    def __init__(self, lists, qrels):
        self._lists = lists
        self._qrels = qrels
        self._encoded = encode_qrels(qrels, lists)
        self._judged = RelevanceList(self._encoded.best_first, self._encoded.judged_ptr)
        self.queries = plain_index(lists.queries)[self._encoded.judged]

    def measure(self, consensus, measures):
        """Compute measures of a consensus; return a dict from measure name to array of shape (n_judged_queries,).

        The consensus is an EncodedConsensus or a frame. A judged query that is missing from the frame is measured as an
        empty list.
        """
        return self.values(self.grade(consensus), measures)

    def measure_voters(self, measures):
        """Compute the measures of each voter's lists; return a list with a result of :meth:`measure` for each voter.

        A query for which a voter has no list is measured as an empty list.
        """
        place = plain_index(self._qrels.queries).get_indexer(self.queries)
        graded = look_up_voters(self._lists, self._qrels, self._encoded.relevance, place, "zero")
        return [{name: measure._values(one.ranked) for name, measure in measures.items()} for _, one in graded]

    def values(self, ranked, measures):
        """Compute measures from `ranked`, a result of :meth:`grade`; return a dict in the form of :meth:`measure`."""
        return {name: measure._values(ranked)[self._encoded.judged] for name, measure in measures.items()}

    def grade(self, consensus):
        """Return the relevance grades of a consensus, as a :class:`RankedRelevance` of all queries of the lists."""
        ranked = self._grade(consensus)
        ranked.queries, ranked.chosen = plain_index(self._lists.queries), self._encoded.judged
        return ranked

    def _grade(self, consensus):
        lists, judged = self._lists, self._encoded.judged
        if not _is_frame(consensus):
            return RankedRelevance.from_codes(
                lists, consensus.order, self._encoded, self._judged, score=consensus.score
            )
        place = plain_index(self._qrels.queries).get_indexer(self.queries)
        ranked, fault = grade_run(check_optional_run(consensus), self._qrels, place)
        warn_of_runs({None: GradedRun(ranked, self.queries, fault)}, "zero")
        # The measures of unjudged queries are never read, so these queries get empty lists.
        sizes = np.zeros(lists.n_queries, dtype=np.int64)
        sizes[judged] = ranked.n_retrieved
        return RankedRelevance(
            ranked.grade,
            np.concatenate([[0], np.cumsum(sizes)]),
            self._judged,
            score=ranked.score,
            rank=ranked.rank,
            item=ranked.item,
            conflict=ranked.conflict,
        )


def _is_frame(consensus):
    return isinstance(consensus, pd.DataFrame) or not hasattr(consensus, "order")


def fit_rank(estimator, X, lists):
    """Fit an estimator, aggregate the same lists, and return an EncodedConsensus or a frame.

    `lists` contains the encoded lists of `X`. The library's aggregators are called with `lists`. A pipeline, or any
    other transformer, is called with `X`.
    """
    if isinstance(estimator, BaseAggregator):
        with fitting(estimator, lists):
            return estimator._fit_rank(lists)
    return estimator.fit(X).transform(X)


def rank(estimator, X, lists):
    """Aggregate lists with an estimator that is already fitted; the arguments are the same as in :func:`fit_rank`."""
    if isinstance(estimator, BaseAggregator):
        return estimator._rank(estimator._begin(lists))
    return estimator.transform(X)


def join_parts(lists, parts, places):
    """Join results of :func:`rank` for different queries into one result, with the queries in the order of `lists`.

    `places` contains, for each result, the positions of its queries in `lists`.
    """
    if all(isinstance(part, EncodedConsensus) for part in parts):
        return _join_codes(lists, parts, places)
    return _join_frames(lists, parts)


def _join_codes(lists, parts, places):
    """Join EncodedConsensus objects of different queries into one EncodedConsensus of all queries in `lists`."""
    query = np.concatenate(places)
    starts = np.cumsum([0, *(len(part.order) for part in parts)])
    # For each query, its position in the concatenated parts, and the number to add to its candidates.
    ptr = np.concatenate(
        [[0], *(part.lists.candidate_ptr[1:] + start for part, start in zip(parts, starts, strict=False))]
    )
    rows, _ = gather_ranges(ptr, np.argsort(query))
    order = np.concatenate([part.order + start for part, start in zip(parts, starts, strict=False)])
    order += np.repeat(lists.candidate_ptr[query] - ptr[:-1], np.diff(ptr))

    def join(values):
        return np.concatenate(values)[rows]

    return EncodedConsensus(
        lists,
        order[rows],
        join([part.score for part in parts]),
        {name: join([part.columns[name] for part in parts]) for name in parts[0].columns},
    )


def _join_frames(lists, frames):
    frames = [frame if isinstance(frame, pd.DataFrame) else _to_pandas(frame) for frame in frames]
    missing = [name for name in ("query", "item") if name not in frames[0]]
    if missing or "voter" in frames[0]:
        raise InputTypeError(
            "The estimator's transform must return a frame with the columns query, item, score and rank; got the "
            f"columns {', '.join(map(str, frames[0].columns))}. End the pipeline with an aggregator."
        )
    joined = pd.concat(frames, ignore_index=True)
    place = plain_index(lists.queries).get_indexer(plain_index(pd.Index(joined["query"])))
    return joined.iloc[np.argsort(place, kind="stable")].reset_index(drop=True)


def _to_pandas(frame):
    if not hasattr(frame, "to_pandas"):
        raise InputTypeError(
            f"The estimator's transform must return a frame; got {type(frame).__name__}. End the pipeline with an "
            "aggregator."
        )
    return frame.to_pandas()
