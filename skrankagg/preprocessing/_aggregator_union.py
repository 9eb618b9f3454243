"""Transformer that returns the consensuses of several aggregators as lists, for a consensus of consensuses."""

from numbers import Integral
from typing import Any

import numpy as np
import pandas as pd
from joblib import Parallel, delayed

from .._data._frames import plain_index
from .._data._named_queries import names_queries
from .._data._qrels import check_qrels
from .._data._ranked_lists import RankedLists
from .._support._composition import Composition
from .._support._sklearn import N_JOBS, Interval, check_is_fitted, clone
from ..base._consensus import EncodedConsensus
from ..base._supervised import SupervisedListTransformer
from ..base._transformer import columns_of
from ..exceptions import InputError, InputTypeError
from ..metrics._judging._find_judgements import find_judgements, own_qrels
from ..metrics._judging._folds import fit_judged, hold_out, spread_folds

__all__ = ["AggregatorUnion"]


class AggregatorUnion(SupervisedListTransformer, Composition):
    """Aggregate the lists by several methods, and return each consensus as the list of a new voter.

    The next step of a pipeline merges these lists like any other lists.

    Parameters
    ----------
    aggregators : list of (str, estimator) tuples
        Aggregators, or pipelines that end in an aggregator, with the names of the new voters. An aggregator given as
        the string "drop" is left out.
    passthrough : bool, default=False
        Whether to keep the input lists in addition to the new lists. Ids of voters then become strings.
    n_jobs : int, default=None
        Number of threads that run aggregators at the same time. None means 1, and -1 means the number of processors.
    cv : int, default=5
        Number of folds, at least 2, for ``fit_transform`` of aggregators that learn from judgements. A fold consists of
        neighbouring queries. The number of folds is at most the number of queries with relevant items.

    Attributes
    ----------
    aggregators_ : list of estimators
        The fitted aggregators.
    named_aggregators_ : dict of str to estimator
        The fitted aggregators, keyed by name.

    See Also
    --------
    skrankagg.model_selection.Comparator : Measures aggregators instead of merging them.
    sklearn.pipeline.FeatureUnion : Joins the features of several transformers in the same way.

    Notes
    -----
    Items that an aggregator ties are tied in its list. The new lists have weight 1. They have scores if all scores of
    the aggregators are finite numbers. With ``passthrough``, the scores of the input lists must also be finite.

    ``fit`` passes the judgements `y` on to the aggregators. If an aggregator learns from judgements, ``fit_transform``
    ranks the queries of each fold by a fit on the other folds. A pipeline calls this method when it is fitted, so the
    next step learns how good the consensus is on new queries. Without folds, the consensus would look too good to the
    next step, because the aggregator was fitted on the same queries. ``fit`` uses all queries, and ``transform`` uses
    this fit. Therefore ``fit_transform(lists, y)`` and ``fit(lists, y).transform(lists)`` differ. ``fit_transform``
    also needs `cv` more fits than ``fit``.

    Examples
    --------
    >>> from sklearn.pipeline import make_pipeline
    >>> from skrankagg import BordaCount, Copeland, MarkovChain
    >>> from skrankagg.datasets import make_ranked_lists
    >>> from skrankagg.preprocessing import AggregatorUnion
    >>> lists = make_ranked_lists(n_queries=2, random_state=0)[0]
    >>> union = AggregatorUnion([("copeland", Copeland()),
    ...     ("mc4", MarkovChain(absent="last"))])
    >>> union.fit_transform(lists)["voter"].unique().tolist()
    ['copeland', 'mc4']
    >>> make_pipeline(union, BordaCount()).fit_transform(lists).columns.tolist()
    ['query', 'item', 'score', 'rank']
    """

    _parameter_constraints: dict = {
        "aggregators": [list],
        "passthrough": ["boolean"],
        "n_jobs": N_JOBS,
        "cv": [Interval(Integral, 2, None, closed="left")],
    }

    aggregators_: list[Any]
    named_aggregators_: dict[str, Any]

    def __init__(
        self,
        aggregators: list[tuple[str, Any]],
        *,
        passthrough: bool = False,
        n_jobs: int | None = None,
        cv: int = 5,
    ) -> None:
        self.aggregators = aggregators
        self.passthrough = passthrough
        self.n_jobs = n_jobs
        self.cv = cv

    def _fit(self, lists, y=None, qrels=None):
        return self._fit_members(lists, y if qrels is None else qrels, _fit_transform)

    def _fit_transform(self, lists, y, qrels):
        return self._fit_members(lists, y if qrels is None else qrels, self._fit_hold_out)

    def _fit_members(self, lists, given, fit_transform):
        members = self._members()
        # Aggregators that do not learn ignore the judgements.
        fitted = Parallel(n_jobs=self.n_jobs, prefer="threads")(
            delayed(fit_transform)(clone(aggregator), lists, given) for _, aggregator in members
        )
        self.aggregators_ = [aggregator for aggregator, _ in fitted]
        self.named_aggregators_ = {name: one for (name, _), one in zip(members, self.aggregators_, strict=True)}
        result = self._unite(lists, [consensus for _, consensus in fitted])
        self._columns_out = columns_of(result)
        return result

    def _fit_hold_out(self, aggregator, lists, given):
        """Fit an aggregator and rank all queries.

        If the aggregator learns from judgements, each query is ranked by a fit on other queries.
        """
        if find_judgements(aggregator) is None:
            return _fit_transform(aggregator, lists, given)
        aggregator = fit_judged(aggregator, lists, given)
        named = names_queries(given)
        relevant = _with_relevant(aggregator, np.asarray(given) if named else lists.queries, None if named else given)
        n_folds = min(self.cv, int(relevant.sum()))
        if n_folds < 2:
            raise InputError(
                f"{type(self).__name__} must have judgements of at least 2 queries with relevant items, because it "
                f"fits {aggregator!r} on some queries and ranks the others; got {int(relevant.sum())}. Give more "
                "judged queries."
            )
        folds = spread_folds(relevant, n_folds)
        if given is not None:
            given = np.asarray(given) if named else check_qrels(given).align(lists)
        return aggregator, hold_out(aggregator, lists, given, folds)

    def _transform_lists(self, lists):
        check_is_fitted(self, "aggregators_")
        frames = Parallel(n_jobs=self.n_jobs, prefer="threads")(
            delayed(aggregator.transform)(lists) for aggregator in self.aggregators_
        )
        return self._unite(lists, frames)

    def _unite(self, lists, frames):
        frames = [
            _as_list(_to_pandas(frame, name), name) for name, frame in zip(self.named_aggregators_, frames, strict=True)
        ]
        if self.passthrough:
            taken = sorted({*self.named_aggregators_} & {*lists.voters.astype(str)})
            if taken:
                raise InputError(
                    f"Names of aggregators must differ from names of voters; got {taken[0]!r} for both. "
                    "Rename the aggregator."
                )
            frames.append(lists.to_frame())
        united = pd.concat([frame.astype({"voter": str}) for frame in frames], ignore_index=True)
        score = united.get("score")
        scored = score is not None and bool(np.isfinite(score).all())
        return RankedLists.from_frame(
            united.fillna({"weight": 1.0}) if "weight" in united else united, score="score" if scored else None
        )

    def _needs_judgements(self):
        return False  # an aggregator without judgements raises its own error


def _fit_transform(aggregator, lists, y):
    given = (lists,) if y is None else (lists, y)
    if hasattr(aggregator, "fit_transform"):
        consensus = aggregator.fit_transform(*given)
    else:
        consensus = aggregator.fit(*given).transform(lists)
    return aggregator, consensus


def _with_relevant(aggregator, queries, given):
    """Return a mask of the queries that have a relevant item in the judgements `given`.

    If `given` is None, the judgements that the aggregator contains are used. If the aggregator contains no judgements,
    the mask is True for all queries.
    """
    known = own_qrels(aggregator) if given is None else [check_qrels(given)]
    relevant = np.full(len(queries), not known)  # without visible judgements, any query may have relevant items
    for qrels in known:
        place = plain_index(qrels.queries).get_indexer(plain_index(pd.Index(queries)))
        has_relevant = np.add.reduceat(qrels.relevance > 0, qrels.ptr[:-1]) > 0
        relevant |= (place >= 0) & has_relevant[place]
    return relevant


def _to_pandas(consensus, name):
    if isinstance(consensus, EncodedConsensus):
        return consensus.to_frame()
    if hasattr(consensus, "to_pandas"):
        consensus = consensus.to_pandas()
    if not isinstance(consensus, pd.DataFrame) or "voter" in consensus:
        raise InputTypeError(
            f"`aggregators` must return one ranking for each query; got {name!r}, which returns the lists of the "
            "voters. End its pipeline with an aggregator."
        )
    return consensus


def _as_list(consensus, voter):
    """Turn a consensus into the lists of one voter; items with equal scores get equal ranks."""
    start = (consensus["query"] != consensus["query"].shift()) | (consensus["score"] != consensus["score"].shift())
    first = consensus["rank"].where(start).ffill().astype(np.int64)
    return consensus[["query", "item", "score"]].assign(voter=voter, rank=first)
