"""Inspection of a method whose scores of a query depend on other queries: PlackettLuce with common coefficients."""

import numpy as np
import pandas as pd
import pytest

from skrankagg import PlackettLuce, RankedLists
from skrankagg.inspection import (
    _resampling,
    margin_of_victory,
    preference_probabilities,
    rank_stability,
    voter_influence,
)
from skrankagg.metrics import kendall_distance

METHOD = PlackettLuce(covariates=["length", "position"], coefficients="all")


def draw_boards(n=100, n_queries=4):
    rng, names = np.random.default_rng(7), np.array(list("abcd"))
    one = rng.integers(0, 4, size=n)
    two = (one + rng.integers(1, 4, size=n)) % 4
    length = rng.integers(0, 3, size=(2, n))
    odds = 0.3 * (two - one) + 0.8 * (length[0] - length[1]) + 0.5
    frame = pd.DataFrame(
        {
            "first": names[one],
            "second": names[two],
            "outcome": rng.random(n) < 1 / (1 + np.exp(-odds)),
            "longer": length[0] - length[1],
            "judge": rng.integers(0, 5, size=n) + rng.integers(0, 4, size=n) % 2,
            "topic": rng.integers(0, n_queries, size=n) * (rng.random(n) < 0.8),
        }
    )
    return RankedLists.from_comparisons(
        frame, voter="judge", query_column="topic", covariates={"length": "longer"}, position=True
    )


LISTS = draw_boards()


def items_without(without, q):
    """Return the items of a query in the order of the consensus when some lists have weight 0."""
    ranked = METHOD.transform(LISTS.with_list_weight(np.where(without, 0.0, LISTS.list_weight)))
    return ranked.loc[ranked["query"] == LISTS.queries[q], "item"].tolist()


def test_rank_stability_does_not_divide_queries(monkeypatch):
    found = rank_stability(METHOD, LISTS, n_resamples=50, unit="judge")
    monkeypatch.setattr(_resampling, "_CELLS", 100)
    pd.testing.assert_frame_equal(rank_stability(METHOD, LISTS, n_resamples=50, unit="judge"), found, rtol=1e-9)


def test_preference_probabilities_use_all_queries():
    table = rank_stability(METHOD, LISTS, n_resamples=50)
    for query in LISTS.queries:
        board = table[table["query"] == query]
        shares = preference_probabilities(METHOD, LISTS, query, n_resamples=50)
        assert shares.index.tolist() == board["item"].tolist()
        np.testing.assert_allclose(np.diag(shares, 1), board["above_next"][:-1])


@pytest.mark.parametrize("mode", ["silence", "drop"])
@pytest.mark.parametrize("unit", ["list", "judge"])
def test_influence_leaves_out_one_unit_of_one_query(mode, unit):
    found = voter_influence(METHOD, LISTS, mode=mode, unit=unit)
    judge, every = LISTS.groups["judge"].to_numpy(), np.zeros(LISTS.n_lists, dtype=bool)
    for row in found[:: 1 if unit == "judge" else 9].itertuples():
        q = LISTS.queries.get_loc(row.query)
        unit_of = judge if unit == "judge" else LISTS.voters.take(LISTS.list_voter).to_numpy()
        before, after = (items_without(one, q) for one in (every, (LISTS.list_query == q) & (unit_of == row.voter)))
        assert row.distance == pytest.approx(kendall_distance(before, after) / 6)
        assert row.leader_changed == (before[0] != after[0])


def test_margin_of_victory_keeps_the_other_queries():
    found = margin_of_victory(METHOD, LISTS, votes=False, max_lists=1)
    for q, row in enumerate(found.itertuples()):
        own = np.flatnonzero(LISTS.list_query == q)
        leader = items_without(np.zeros(LISTS.n_lists, dtype=bool), q)[0]
        ends = [LISTS.list_weight[k] for k in own if items_without(np.arange(LISTS.n_lists) == k, q)[0] != leader]
        assert row.leader == leader
        if ends:
            assert row.margin == min(ends)
