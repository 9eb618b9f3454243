"""Recovery of the true order from duels in which some items occur far more often than others."""

import functools

import numpy as np
import pytest
from scipy.stats import kendalltau

from skrankagg import MarkovChain, PlackettLuce, RankedLists
from skrankagg.datasets import make_comparisons

pytestmark = pytest.mark.twice

N_DRAWS = 20


@functools.cache
def arena(seed):
    """Return 20,000 duels of 30 items with unequal exposure, as a frame and as lists, and the worths."""
    made = make_comparisons(30, 20_000, exposure="unequal", random_state=seed)
    return made.comparisons, RankedLists.from_comparisons(made.comparisons), made.worth.set_index("item")["worth"]


def mean_tau(scores_of):
    """Return the mean over the draws of Kendall's tau between scores by item and worths."""
    taus = []
    for seed in range(N_DRAWS):
        duels, lists, worth = arena(seed)
        taus.append(kendalltau(worth, scores_of(duels, lists).reindex(worth.index))[0])
    return np.mean(taus)


def ours(method):
    return mean_tau(lambda _, lists: method.fit_transform(lists).set_index("item")["score"])


@pytest.mark.exhaustive
def test_plackett_luce_recovers_the_order_with_unequal_exposure():
    assert ours(PlackettLuce(absent="ignore")) >= 0.94


def test_plackett_luce_recovers_the_order_as_well_as_evalica():
    evalica = pytest.importorskip("evalica", reason="evalica is not installed")

    def scores(duels, _):
        won = [evalica.Winner.X] * len(duels)
        return evalica.bradley_terry(duels["winner"], duels["loser"], won, limit=10_000).scores

    assert ours(PlackettLuce(absent="ignore")) >= mean_tau(scores) - 0.01


@pytest.mark.exhaustive
@pytest.mark.parametrize(("chain", "least"), [("mct", 0.885), ("rank-centrality", 0.89)])
def test_markov_chain_recovers_the_order_less_well_with_unequal_exposure(chain, least):
    found = ours(MarkovChain(chain=chain))
    assert least <= found <= ours(PlackettLuce(absent="ignore")) - 0.03
