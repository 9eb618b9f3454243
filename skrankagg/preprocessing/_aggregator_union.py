"""Consensus of consensuses: aggregators as the voters of another one."""

from typing import Any

import numpy as np
import pandas as pd
from joblib import Parallel, delayed

from .._data._ranked_lists import RankedLists
from .._support._composition import Composition
from .._support._sklearn import N_JOBS, check_is_fitted, clone
from ..base._supervised import SupervisedListTransformer
from ..base._transformer import columns_of
from ..exceptions import InputError

__all__ = ["AggregatorUnion"]


class AggregatorUnion(SupervisedListTransformer, Composition):
    """Make each of several aggregators a voter: its consensus is the voter's list.

    The next step merges what the methods found, as it would merge the lists of people.

    Parameters
    ----------
    aggregators : list of (str, estimator) tuples
        Aggregators, or pipelines that end in one, under the names that their voters have. One may be "drop".
    passthrough : bool, default=False
        Whether the lists that came in stay, in addition to those of the new voters; ids of voters become strings.
    n_jobs : int, default=None
        Threads that run aggregators at the same time; None means 1, -1 all processors.

    Attributes
    ----------
    aggregators_ : list of estimators
        The aggregators, fitted.
    named_aggregators_ : dict of str to estimator
        The same under their names.

    See Also
    --------
    skrankagg.model_selection.Comparator : Measures them instead.
    sklearn.pipeline.FeatureUnion : The same for features.

    Notes
    -----
    Items that an aggregator ties are tied in its list. The new lists have weight 1, and scores if those of every
    aggregator, and with ``passthrough`` of the lists that came in, are finite numbers.

    Examples
    --------
    >>> from sklearn.pipeline import make_pipeline
    >>> from skrankagg import BordaCount, Copeland, MarkovChain
    >>> from skrankagg.datasets import make_ranked_lists
    >>> from skrankagg.preprocessing import AggregatorUnion
    >>> lists, _ = make_ranked_lists(n_queries=2, random_state=0)
    >>> union = AggregatorUnion([("copeland", Copeland()), ("mc4", MarkovChain())])
    >>> union.fit_transform(lists)["voter"].unique().tolist()
    ['copeland', 'mc4']
    >>> make_pipeline(union, BordaCount()).fit_transform(lists).columns.tolist()
    ['query', 'item', 'score', 'rank']
    """

    _members_name = "aggregators"
    _parameter_constraints: dict = {
        "aggregators": [list],
        "passthrough": ["boolean"],
        "n_jobs": N_JOBS,
    }

    aggregators_: list[Any]
    named_aggregators_: dict[str, Any]

    def __init__(
        self, aggregators: list[tuple[str, Any]], *, passthrough: bool = False, n_jobs: int | None = None
    ) -> None:
        self.aggregators = aggregators
        self.passthrough = passthrough
        self.n_jobs = n_jobs

    def _fit(self, lists, y=None, qrels=None):
        members = self._members()
        # Members that learn from judgements get those that came; the others ignore them.
        given = y if qrels is None else qrels
        fitted = Parallel(n_jobs=self.n_jobs, prefer="threads")(
            delayed(_fit_transform)(clone(aggregator), lists, given) for _, aggregator in members
        )
        self.aggregators_ = [aggregator for aggregator, _ in fitted]
        self.named_aggregators_ = {name: one for (name, _), one in zip(members, self.aggregators_, strict=True)}
        result = self._unite(lists, [consensus for _, consensus in fitted])
        self._columns_out = columns_of(result)
        return result

    def _transform_lists(self, lists):
        check_is_fitted(self, "aggregators_")
        frames = Parallel(n_jobs=self.n_jobs, prefer="threads")(
            delayed(aggregator.transform)(lists) for aggregator in self.aggregators_
        )
        return self._unite(lists, frames)

    def _unite(self, lists, frames):
        frames = [
            _as_list(frame, name) for name, frame in zip(self.named_aggregators_, map(_to_pandas, frames), strict=True)
        ]
        if self.passthrough:
            taken = sorted({*self.named_aggregators_} & {*lists.voters.astype(str)})
            if taken:
                raise InputError(
                    f"The names of aggregators must not be those of voters; {taken[0]!r} is both. Rename it."
                )
            frames.append(lists.to_frame())
        united = pd.concat([frame.astype({"voter": str}) for frame in frames], ignore_index=True)
        score = united.get("score")
        scored = score is not None and bool(np.isfinite(score).all())
        return RankedLists.from_frame(
            united.fillna({"weight": 1.0}) if "weight" in united else united, score="score" if scored else None
        )

    def _needs_judgements(self):
        return False  # its members say so themselves


def _fit_transform(aggregator, lists, y):
    if hasattr(aggregator, "fit_transform"):
        consensus = aggregator.fit_transform(lists, y)
    else:
        consensus = aggregator.fit(lists, y).transform(lists)
    return aggregator, consensus


def _to_pandas(frame):
    return frame if isinstance(frame, pd.DataFrame) else frame.to_pandas()


def _as_list(consensus, voter):
    """A consensus as the list of a voter: items with one score have one rank."""
    start = (consensus["query"] != consensus["query"].shift()) | (consensus["score"] != consensus["score"].shift())
    first = consensus["rank"].where(start).ffill().astype(np.int64)
    return consensus[["query", "item", "score"]].assign(voter=voter, rank=first)
