"""Bounds of margin_of_victory on small elections, where every set of ballots can be removed, and on a large one."""

import pandas as pd
import pytest
from small_elections import BURLINGTON, RULES, check_bounds, draw_election, elections_without, exact_margin, lists_of

from skrankagg import (
    DIBRA,
    BordaCount,
    Bucklin,
    Copeland,
    PositionalScoring,
    RankedLists,
    Schulze,
    SequentialElimination,
)
from skrankagg.inspection import _margin, margin_of_victory
from skrankagg.inspection._margin import _Lead
from skrankagg.inspection._margin_bounds import lead_bound

pytestmark = [
    pytest.mark.twice,
    pytest.mark.filterwarnings("ignore::skrankagg.exceptions.NotComparedWarning"),
    pytest.mark.filterwarnings("ignore::skrankagg.exceptions.ExposureWarning"),
]

# benchmarks/margin_bounds.py checks 500 elections.
ELECTIONS, PART = 60, 4


@pytest.mark.sampled(1)
@pytest.mark.parametrize("first", range(0, ELECTIONS, PART))
def test_bounds_enclose_the_exact_margin(first):
    for seed in range(first, first + PART):
        assert check_bounds(seed) > 0


@pytest.mark.parametrize("seed", range(12))
def test_lower_bounds_of_known_rules_are_at_most_the_exact_margin(seed):
    frame = draw_election(seed)
    lists = RankedLists.from_frame(frame)
    many, size = elections_without(frame)
    for method in RULES:
        leader, exact = exact_margin(method, many, size)
        if exact > 0 and lists.n_items > 1:
            assert lead_bound(method, lists, lists.items.get_loc(leader)) <= exact + 1e-9


def test_lead_bound_is_0_for_an_unknown_treatment_of_absent_items():
    lists = lists_of({"a > b > c": 5, "b > a > c": 2})
    method = Copeland()
    assert lead_bound(method, lists, 0) == 5 - 2
    method.absent = "halfway"
    assert lead_bound(method, lists, 0) == 0


@pytest.mark.parametrize(
    ("method", "leader", "margin"),
    [
        # In the last round, Kiss leads by 4314 - 4064 votes. Montroll beats Kiss by 4067 - 3477 votes.
        (SequentialElimination(), "Kiss", 250),
        (PositionalScoring(), "Wright", 3297 - 2982),
        (Copeland(), "Montroll", 590),
        (Schulze(), "Montroll", 590),
        (SequentialElimination(rule="borda"), "Montroll", 590),
    ],
    ids=repr,
)
def test_margin_of_a_large_election_is_proven_by_its_counts(method, leader, margin):
    ballots = lists_of(BURLINGTON)
    found = margin_of_victory(method, ballots).iloc[0]
    assert (found["leader"], found["margin"], found["optimal"]) == (leader, margin, True)
    assert sum(found["removed"].values()) == margin
    # The same votes as separate lists have the same margin.
    order = [text.split(" > ") for text, count in BURLINGTON.items() for _ in range(count)]
    each = margin_of_victory(method, RankedLists.from_lists(order)).iloc[0]
    assert (each["leader"], each["margin"], each["optimal"]) == (leader, margin, True)


def test_margin_has_bounds_for_a_large_election_without_a_proof():
    ballots = lists_of(BURLINGTON)
    method = BordaCount(absent="ignore")
    found = margin_of_victory(method, ballots, time_limit=0.2).iloc[0]
    assert not found["optimal"] and 1 <= found["lower_bound"] < found["margin"] == found["upper_bound"] < 8833
    counts = [count - found["removed"].get(k, 0) for k, count in enumerate(BURLINGTON.values(), 1)]
    left = method.fit_transform(RankedLists.from_ballots(list(BURLINGTON), counts=counts))
    assert left["item"].iloc[0] != "Montroll" or left["score"].iloc[0] == left["score"].iloc[1]
    # Bucklin's rule has a bound of its own: Montroll has 6110 votes at depth 2, and Kiss has 4809.
    proven = margin_of_victory(Bucklin(), ballots).iloc[0]
    assert (proven["leader"], proven["margin"], proven["optimal"]) == ("Montroll", 6110 - 4809, True)


def test_equal_lists_are_merged_only_if_the_method_does_not_distinguish_voters():
    frame = pd.DataFrame({"query": "q", "voter": list("uuvvww"), "item": list("ababba"), "rank": [1, 2] * 3})
    lists = RankedLists.from_frame(frame)
    groups = {}
    for name, method in (("plain", Copeland()), ("fitted", DIBRA(weighting="global").fit(lists))):
        groups[name] = _Lead(method, lists, 0, lists.list_weight, None).group.tolist()
    assert groups == {"plain": [0, 0, 1], "fitted": [0, 1, 2]}
    scored = RankedLists.from_frame(frame.assign(score=[3.0, 2.0, 4.0, 2.0, 3.0, 2.0]))
    assert _Lead(Copeland(), scored, 0, scored.list_weight, None).group.tolist() == [0, 1, 2]
    grouped = RankedLists.from_frame(frame.assign(judge=list("xxyyxx")), groups=["judge"])
    assert _Lead(Copeland(), grouped, 0, grouped.list_weight, None).group.tolist() == [0, 1, 2]


def test_orders_of_very_many_groups_use_the_place_of_the_leader(monkeypatch):
    lists = RankedLists.from_ballots(["a > b > c", "b > a > c", "c > b", "b > c > a"])
    lead = _Lead(Bucklin(), lists, lists.items.get_loc("a"), lists.list_weight, None)
    full = lead._orders()
    monkeypatch.setattr(_margin, "_MOST_RANKS", 1)
    (short,) = lead._orders()
    # The list that does not contain a comes last.
    assert len(full) == 3 and short.tolist() == [0, 1, 3, 2]
    found = margin_of_victory(Bucklin(), lists, time_limit=None).iloc[0]
    monkeypatch.undo()
    # Several sets of lists may have the smallest weight.
    assert found["margin"] == margin_of_victory(Bucklin(), lists, time_limit=None)["margin"][0]
