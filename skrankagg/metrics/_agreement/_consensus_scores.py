"""Scores for the closeness of a consensus to the lists that it represents; no judgements are needed."""

from typing import Any, Literal

import numpy as np

from ..._arrays._list_distances import LIST_DISTANCES
from ..._data._frames import plain_index
from ..._data._ranked_lists import check_lists, check_run, encode_plain
from ..._data._types import AnyLists, PlainLists
from ..._support._checks import check_choice
from ...exceptions import InputError
from ._kendall import ratio_or_nan
from ._matrices import tied_by_score

__all__ = ["ConsensusScorer", "consensus_score"]


def consensus_score(
    lists: PlainLists,
    consensus: AnyLists,
    distance: Literal["cosine", "footrule", "local-footrule", "rho", "tau"] = "tau",
) -> float:
    """Score how close a consensus is to its lists: one minus the weighted mean distance of the lists to the consensus.

    Parameters
    ----------
    lists : DataFrame or RankedLists, or dict or list of lists
        Ranked lists; see RankedLists.from_runs for a dict and RankedLists.from_lists for a list.
    consensus : DataFrame or RankedLists
        One list for each query. It must contain every item of the query's lists. Items of equal score are tied.
    distance : {"cosine", "footrule", "local-footrule", "rho", "tau"}, default="tau"
        Distance of a list to the consensus, from 0 to 1.

    Returns
    -------
    float
        Mean over the queries, from 0 to 1; higher is better.

    See Also
    --------
    ConsensusScorer : A scorer for model selection that computes this score.
    consensus_agreement : Agreement of each voter with the consensus, by any measure.

    Notes
    -----
    The mean over the lists is weighted by the weights of the lists. With "tau", the distance is the share of discordant
    pairs of items. Only pairs that are ordered in both the list and the consensus are counted. If all lists are full
    and have no ties, a Kemeny consensus therefore has the highest score.

    Examples
    --------
    >>> import pandas as pd
    >>> from skrankagg import Copeland
    >>> from skrankagg.metrics import consensus_score
    >>> lists = pd.DataFrame({"query": "q", "voter": list("uuvvww"), "item": list("abbaab"),
    ...     "rank": [1, 2] * 3})
    >>> consensus_score(lists, Copeland().fit_transform(lists))
    0.6666666666666667
    """
    check_choice("distance", distance, sorted(LIST_DISTANCES))
    lists, run = check_lists(encode_plain(lists)), check_run(tied_by_score(consensus))
    query = plain_index(run.queries).get_indexer(plain_index(lists.queries))[lists.candidate_query]
    item = plain_index(run.items).get_indexer(plain_index(lists.items))[lists.candidate_item]
    keys = (run.candidate_item[run.candidate] + run.list_query[run.row_list].astype(np.int64) * run.n_items).astype(
        np.int64
    )
    order = np.argsort(keys)
    wanted = query * np.int64(run.n_items) + item
    place = order[np.minimum(np.searchsorted(keys, wanted, sorter=order), len(order) - 1)]
    if ((query < 0) | (item < 0) | (keys[place] != wanted)).any():
        raise InputError(
            "`consensus` must rank every item of each query of `lists`; an item is missing. Pass a consensus of these "
            "lists."
        )
    apart = LIST_DISTANCES[distance](lists)(run.rank[place])
    weight = lists.list_weight
    mean = ratio_or_nan(lists.sum_over_lists(weight * apart), lists.sum_over_lists(weight))
    return float(1 - np.nanmean(mean))


class ConsensusScorer:
    """Scorer that rates an aggregator by the closeness of its consensus to the lists, without judgements.

    A high score means that the consensus is close to the lists that it represents. It does not mean that the consensus
    is right.

    Parameters
    ----------
    distance : {"cosine", "footrule", "local-footrule", "rho", "tau"}, default="tau"
        Distance of a list to the consensus.

    See Also
    --------
    consensus_score : The function that computes the score.

    Examples
    --------
    >>> from sklearn.model_selection import GridSearchCV
    >>> from skrankagg import CombSUM, RankedLists
    >>> from skrankagg.datasets import make_ranked_lists
    >>> from skrankagg.metrics import ConsensusScorer
    >>> lists = RankedLists.from_frame(make_ranked_lists(n_queries=4, random_state=0)[0])
    >>> search = GridSearchCV(CombSUM(), {"norm": ["borda", "rank"]},
    ...     scoring=ConsensusScorer(), cv=2)
    >>> bool(0.5 < search.fit(lists).best_score_ < 1)
    True
    """

    def __init__(self, distance: Literal["cosine", "footrule", "local-footrule", "rho", "tau"] = "tau") -> None:
        self.distance = distance

    def __call__(self, estimator: Any, X: AnyLists, y: object = None) -> float:
        """Aggregate the lists and score the consensus.

        Parameters
        ----------
        estimator : aggregator
            A fitted aggregator.
        X : DataFrame or RankedLists, or dict of runs
            Ranked lists. A dict has the form of ``RankedLists.from_runs``.
        y : None
            Ignored; scikit-learn passes this argument.

        Returns
        -------
        float
        """
        X = encode_plain(X, sequences=False)
        lists = check_lists(X)  # transform would also accept a list of lists, whose elements are voters, not samples
        return consensus_score(lists, estimator.transform(X), self.distance)

    def __repr__(self) -> str:
        return f"ConsensusScorer(distance={self.distance!r})"
