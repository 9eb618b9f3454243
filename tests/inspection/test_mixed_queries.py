"""Inspection results of a query are independent of longer, truncated, tied or weighted other queries."""

import numpy as np
import pandas as pd
import pytest

from skrankagg import (
    DIBRA,
    BordaCount,
    CombMNZ,
    CombSUM,
    Copeland,
    InverseSquareRank,
    Kemeny,
    MarkovChain,
    PlackettLuce,
    RankedLists,
    RankStatistic,
    ReciprocalRankFusion,
)
from skrankagg.aggregators import (
    condorcet_winner,
    smith_set,
)
from skrankagg.inspection import (
    compare_consensus,
    kemeny_ties,
    margin_of_victory,
    preference_probabilities,
    rank_confidence,
    rank_stability,
    voter_contributions,
    voter_influence,
)
from skrankagg.utils._checks._shared import mixed_queries, same

pytestmark = pytest.mark.filterwarnings("ignore")  # warnings about some of these lists do not matter here

QUERIES = mixed_queries()
ENCODED = {query: RankedLists.from_frame(lists) for query, lists in QUERIES.items()}
DRAWS = {"n_resamples": 9, "random_state": 1}
SUMS = [BordaCount(), CombSUM(norm="z-score"), ReciprocalRankFusion(), CombSUM(norm="borda")]
METHODS = [
    *SUMS,
    CombMNZ(),
    InverseSquareRank(),
    Copeland(absent="ignore"),
    DIBRA(max_iter=4),
    Kemeny(),
    MarkovChain(),
    PlackettLuce(absent="ignore", tol=1e-6),
    PlackettLuce(absent="ignore", prior=0, tol=1e-6),  # which has no answer for some draws of some queries
    RankStatistic(),
]
#: Functions of one frame, by name.
FUNCTIONS = {
    **{f"stability of {method}": lambda X, m=method: rank_stability(m, X, **DRAWS) for method in METHODS},
    **{
        f"stability without votes, {votes}": lambda X, v=votes: rank_stability(BordaCount(), X, votes=v, **DRAWS)
        for votes in (False, None)
    },
    **{f"confidence of {method}": lambda X, m=method: rank_confidence(m, X, **DRAWS) for method in SUMS},
    "simultaneous confidence": lambda X: rank_confidence(BordaCount(), X, simultaneous=True, **DRAWS),
    **{
        f"influence on {method}, {mode}": lambda X, m=method, mode=mode: voter_influence(m, X, mode=mode)
        for method in METHODS
        for mode in ("silence", "drop")
    },
    **{
        f"contributions to {method}": lambda X, m=method: voter_contributions(m, X)
        for method in [*SUMS, CombMNZ(), InverseSquareRank(), RankStatistic(), DIBRA(max_iter=4)]
    },
    **{
        f"margin of {method}, {votes}": lambda X, m=method, v=votes: margin_of_victory(
            m, X, votes=v, time_limit=None, max_lists=1
        )
        for method in (BordaCount(), Copeland(), MarkovChain())
        for votes in (None, False)
    },
    "a comparison": lambda X: compare_consensus(BordaCount().fit_transform(X), Copeland().fit_transform(X), top=3),
    "ties of Kemeny": lambda X: kemeny_ties(X, max_cost=2.0),
    "winners": lambda X: condorcet_winner(X),
    "Smith sets": lambda X: smith_set(X),
}


def result_frame(function, X):
    """Return a function's result as a frame with the column `query`."""
    found = function(X)
    if isinstance(found, pd.DataFrame):
        return found
    found = found if isinstance(found, pd.Series) else pd.Series(found)
    return found.rename("value").rename_axis("query").reset_index()


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", FUNCTIONS)
def test_inspection_results_of_a_query_are_independent_of_other_queries(name):
    alone = {}
    for query, lists in ENCODED.items():
        try:
            alone[query] = result_frame(FUNCTIONS[name], lists)
        except ValueError:
            continue  # a query that it refuses
    assert len(alone) > len(QUERIES) / 2
    among = result_frame(FUNCTIONS[name], pd.concat([QUERIES[query] for query in reversed(alone)], ignore_index=True))
    if among.equals(pd.concat(alone.values(), ignore_index=True)):
        return
    for query, expected in alone.items():
        found = among[among["query"] == query].reset_index(drop=True)
        same(found, expected, f"other queries show in the query '{query}'")


@pytest.mark.sampled(1)
@pytest.mark.parametrize("method", [BordaCount(), Copeland(), MarkovChain()], ids=repr)
def test_preference_probabilities_are_independent_of_other_queries(method):
    lists = RankedLists.from_frame(pd.concat(QUERIES.values(), ignore_index=True))
    for query, own in QUERIES.items():
        found = preference_probabilities(method, lists, query, **DRAWS)
        pd.testing.assert_frame_equal(found, preference_probabilities(method, own, **DRAWS), check_exact=True)
    assert np.unique([len(own) for own in QUERIES.values()]).size > 3
