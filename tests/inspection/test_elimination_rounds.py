"""Rounds of an elimination: published elections, a recount in fractions ballot by ballot, and the words."""

import copy
import pickle
from fractions import Fraction

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from small_elections import BURLINGTON, lists_of

from skrankagg import BordaCount, RankedLists, SequentialElimination, config_context
from skrankagg.exceptions import InputError, InputTypeError, MemoryLimitError
from skrankagg.inspection import elimination_rounds

pytestmark = pytest.mark.twice

COLUMNS = ["query", "round", "item", "votes", "share", "leaves", "exhausted", "tie"]
RULES = ("plurality", "veto", "borda", "borda-mean")

# The capital of Tennessee, https://en.wikipedia.org/wiki/Instant-runoff_voting.
TENNESSEE = {
    "Memphis > Nashville > Chattanooga > Knoxville": 42,
    "Nashville > Chattanooga > Knoxville > Memphis": 26,
    "Chattanooga > Knoxville > Nashville > Memphis": 15,
    "Knoxville > Chattanooga > Nashville > Memphis": 17,
}


def votes_by_round(frame):
    return [own.set_index("item")["votes"].to_dict() for _, own in frame.groupby("round")]


def test_rounds_equal_the_published_count_of_burlington():
    rounds = SequentialElimination().fit(lists_of(BURLINGTON)).rounds_
    assert rounds.columns.tolist() == COLUMNS
    assert votes_by_round(rounds) == [{"Wright": 3297, "Kiss": 2982, "Montroll": 2554}, {"Kiss": 4314, "Wright": 4064}]
    assert rounds.loc[rounds["leaves"], "item"].tolist() == ["Montroll", "Wright"]
    assert rounds["exhausted"].tolist() == [0, 0, 0, 455, 455]
    assert (100 * rounds["share"]).round(1).tolist() == [37.3, 33.8, 28.9, 51.5, 48.5]
    assert set(rounds["tie"]) == {""} and rounds["round"].tolist() == [1, 1, 1, 2, 2]


def test_rounds_equal_the_published_count_of_tennessee():
    method = SequentialElimination()
    consensus = method.fit_transform(lists_of(TENNESSEE))
    assert votes_by_round(method.rounds_) == [
        {"Memphis": 42, "Nashville": 26, "Knoxville": 17, "Chattanooga": 15},
        {"Memphis": 42, "Knoxville": 32, "Nashville": 26},
        {"Knoxville": 58, "Memphis": 42},
    ]
    assert method.rounds_.loc[method.rounds_["leaves"], "item"].tolist() == ["Chattanooga", "Nashville", "Memphis"]
    assert consensus["item"].iloc[0] == "Knoxville"


@st.composite
def elections(draw, items="abcde"):
    """Draw a dict of ballots, such as "ab c" for a tie of a and b above c, to their numbers."""
    votes = {}
    for _ in range(draw(st.integers(1, 7))):
        order = draw(st.permutations(list(items)))[: draw(st.integers(1, len(items)))]
        cuts = draw(st.lists(st.booleans(), min_size=len(order), max_size=len(order)))
        text = "".join(item + (" " if cut else "") for item, cut in zip(order, cuts, strict=True)).strip()
        votes[text] = draw(st.integers(1, 4))
    return votes


def recount(votes, rule):
    """Count an election ballot by ballot in fractions; return a list of rounds.

    A round is a tuple of three: a dict of remaining item to votes, the items that leave, and the number of exhausted
    ballots.
    """
    left, rounds = sorted(set("".join(votes)) - {" "}), []
    while True:
        count, exhausted = dict.fromkeys(left, Fraction(0)), 0
        for ballot, number in votes.items():
            groups = [[item for item in group if item in left] for group in ballot.split()]
            groups = [group for group in groups if group]
            rest = [item for item in left if not any(item in group for group in groups)]
            if not groups:
                exhausted += number
                continue
            if rule == "plurality":
                for item in groups[0]:
                    count[item] += Fraction(number, len(groups[0]))
            elif rule == "veto":
                for item in rest or groups[-1]:
                    count[item] += Fraction(number, len(rest or groups[-1]))
            else:
                every = [*groups, rest]
                for k, group in enumerate(every):
                    below, above = sum(map(len, every[k + 1 :])), sum(map(len, every[:k]))
                    for item in group:
                        count[item] += number * (below - above)
        worst = max(count.values()) if rule == "veto" else min(count.values())
        leaving = [item for item in left if count[item] == worst]
        if rule == "borda-mean" and any(count.values()):
            leaving = [item for item in left if count[item] < 0]
        if len(leaving) == len(left):
            return [*rounds, (count, [], exhausted)] if len(left) > 1 or not rounds else rounds
        rounds.append((count, leaving, exhausted))
        left = [item for item in left if item not in leaving]


def lists_with_ties(votes):
    ballots = [[list(group) for group in ballot.split()] for ballot in votes]
    return RankedLists.from_ballots(ballots, counts=list(votes.values()))


@pytest.mark.sampled(2)
@pytest.mark.parametrize("rule", RULES)
@given(votes=elections(), scale=st.sampled_from([1.0, 0.1, 1 / 3]))
@settings(max_examples=60, deadline=None)
def test_rounds_equal_a_recount_in_fractions(rule, votes, scale):
    lists = lists_with_ties(votes)
    frame = SequentialElimination(rule=rule).fit(lists.with_list_weight(scale * lists.list_weight)).rounds_
    expected = recount(votes, rule)
    rounds = [own for _, own in frame.groupby("round")]
    assert len(rounds) == len(expected) and frame["round"].is_monotonic_increasing
    for own, (count, leaving, exhausted) in zip(rounds, expected, strict=True):
        found = own.set_index("item")
        assert found["votes"].to_dict() == pytest.approx({item: scale * float(one) for item, one in count.items()})
        assert sorted(found.index[found["leaves"]]) == leaving
        assert found["exhausted"].tolist() == pytest.approx([scale * exhausted] * len(count))
        total = sum(votes.values()) - exhausted
        if rule.startswith("borda") or total == 0:
            assert found["share"].isna().all()
        else:
            shares = {item: float(one / total) for item, one in count.items()}
            assert found["share"].to_dict() == pytest.approx(shares)
        order = found["votes"].tolist()
        assert order == sorted(order, reverse=rule != "veto")
        assert found["tie"].eq("leave together").sum() == (
            len(leaving) if len(leaving) > 1 and rule != "borda-mean" else 0
        )
        stay = len(count) - len(leaving)
        assert found["tie"].eq("win together").sum() == (stay if own is rounds[-1] and stay > 1 else 0)


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("absent", ["last", "ignore"])
@pytest.mark.filterwarnings("ignore::skrankagg.exceptions.NotComparedWarning")
@given(votes=elections(), other=elections(items="abcdefg"))
@settings(max_examples=15, deadline=None)
def test_rounds_fit_the_consensus_of_each_query(rule, absent, votes, other):
    each = {name: lists_with_ties(one).to_frame() for name, one in (("p", votes), ("q", other))}
    weights = {name: lists_with_ties(one).list_weight for name, one in (("p", votes), ("q", other))}
    frames = [own.assign(query=name, weight=weights[name][pd.factorize(own["voter"])[0]]) for name, own in each.items()]
    method = SequentialElimination(rule=rule, absent=absent)
    score = method.fit_transform(pd.concat(frames)).set_index(["query", "item"])["score"]
    rounds = method.rounds_
    left = rounds[rounds["leaves"]].set_index(["query", "item"])["round"] - 1
    assert left.to_dict() == {key: score[key] for key in left.index}
    best = score.groupby("query").transform("max")
    assert set(score.index[score < best]) == set(left.index)
    for frame in frames:
        own = rounds[rounds["query"] == frame["query"].iloc[0]].reset_index(drop=True)
        pd.testing.assert_frame_equal(own, SequentialElimination(rule=rule, absent=absent).fit(frame).rounds_)


def test_rounds_with_ignored_absent_items_subtract_the_mean():
    lists = RankedLists.from_ballots(["a > b > c", "c > b", "a"], counts=[2, 1, 1])
    rounds = SequentialElimination(absent="ignore").fit(lists).rounds_
    first = rounds[rounds["round"] == 1].set_index("item")
    # a: 2 (1 - 1/3) + 0; b: -2/3 - 1/2; c: -2/3 + 1/2.
    assert first["votes"].to_dict() == pytest.approx({"a": 4 / 3, "b": -7 / 6, "c": -1 / 6})
    assert rounds["share"].isna().all()
    veto = SequentialElimination(rule="veto", absent="ignore").fit(lists).rounds_
    first = veto[veto["round"] == 1].set_index("item")
    # Last places minus their mean: a -2/3 + 0; b -2/3 + 1/2; c 4/3 - 1/2.
    assert first["votes"].to_dict() == pytest.approx({"a": -2 / 3, "b": -1 / 6, "c": 5 / 6})
    assert first["leaves"].to_dict() == {"a": False, "b": False, "c": True}


def test_transform_and_parameters_do_not_change_the_rounds():
    method = SequentialElimination(voter_weights=dict.fromkeys(range(1, 10), 2.0)).fit(lists_of(TENNESSEE))
    expected = method.rounds_
    assert expected["votes"].iloc[0] == 84
    before = dict(vars(method))
    method.transform(lists_of(BURLINGTON))
    assert vars(method) == before
    pd.testing.assert_frame_equal(method.rounds_, expected)
    pd.testing.assert_frame_equal(pickle.loads(pickle.dumps(method)).rounds_, expected)
    pd.testing.assert_frame_equal(copy.deepcopy(method).rounds_, expected)
    method.set_params(rule="borda", voter_weights=None)
    pd.testing.assert_frame_equal(method.rounds_, expected)
    method.fit(lists_of(BURLINGTON))
    assert set(method.rounds_["item"]) == {"Kiss", "Montroll", "Wright"}
    with pytest.raises(ValueError, match="'rule' parameter"):
        method.set_params(rule="none").fit(lists_of(TENNESSEE))
    assert set(method.rounds_["item"]) == {"Kiss", "Montroll", "Wright"}


def test_rounds_need_a_fit_and_stay_out_of_the_html_display():
    method = SequentialElimination()
    assert not hasattr(method, "rounds_")
    with pytest.raises(AttributeError, match=r"has no rounds_ yet\. Call fit or fit_transform first"):
        _ = method.rounds_
    method.fit(lists_of(TENNESSEE))
    assert hasattr(method, "rounds_") and "rounds_" not in method._repr_html_()
    with config_context(memory_limit="100 B"), pytest.raises(MemoryLimitError, match="A table of rounds needs about"):
        _ = method.rounds_


def test_elimination_rounds_equals_the_attribute_and_selects_a_query():
    both = RankedLists.concat([lists_of(BURLINGTON, "Burlington"), lists_of(TENNESSEE, "Tennessee")])
    method = SequentialElimination().fit(both)
    found = elimination_rounds(SequentialElimination(), both)
    pd.testing.assert_frame_equal(found.frame, method.rounds_)
    assert repr(found) == "EliminationRounds(2 queries, 5 rounds)" and str(found) == found.text
    first, second = found.text.split("\n\n")
    assert first.startswith("Query Burlington: 8833 votes and 3 items, counted by first places.")
    one = elimination_rounds(SequentialElimination(), both, query="Tennessee")
    assert "Query Tennessee: " + one.text == second
    assert one.frame["query"].unique().tolist() == ["Tennessee"]


def test_elimination_rounds_describes_each_round_in_words():
    text = elimination_rounds(SequentialElimination(), lists_of(BURLINGTON)).text
    assert text.splitlines() == [
        "8833 votes and 3 items, counted by first places.",
        "Round 1: Wright 3297 (37.3 %), Kiss 2982 (33.8 %), Montroll 2554 (28.9 %). Montroll has the fewest",
        "  first places and leaves.",
        "Round 2: Kiss 4314 (51.5 %), Wright 4064 (48.5 %), exhausted 455. Wright has the fewest first places",
        "  and leaves. Kiss wins.",
    ]


@pytest.mark.parametrize(
    ("votes", "rule", "words"),
    [
        ({"a": 3, "b > a": 2, "c > b": 2}, "plurality", "b and c tie for the fewest first places and leave together."),
        ({"a > b > c": 3}, "plurality", "b and c have no first places and leave together. a wins."),
        ({"a > b": 1, "b > a": 1}, "plurality", "Round 1: a 1 (50.0 %), b 1 (50.0 %). a and b tie and win together."),
        ({"a": 1}, "plurality", "1 vote and 1 item, counted by first places.\nRound 1: a 1 (100.0 %). a wins."),
        (
            {"a > b > c": 3, "a > c > b": 1},
            "veto",
            "a 0 (0.0 %), b 1 (25.0 %), c 3 (75.0 %). c has the most last places",
        ),
        ({"a > b > c": 3}, "borda", "counted by Borda points.\nRound 1: a 6, b 0, c -6. c has the fewest Borda points"),
        ({"a > b > c > d": 1}, "borda-mean", "c and d have less than the mean, 0, and leave."),
        ({"a > b": 1}, "borda-mean", "b has less than the mean, 0, and leaves. a wins."),
        ({" > ".join("abcdefghij"): 1}, "plurality", "h 0 (0.0 %), 2 more items. b, c, d, e, f, g, h and 2"),
    ],
)
def test_elimination_rounds_finds_the_words_of_each_case(votes, rule, words):
    text = elimination_rounds(SequentialElimination(rule=rule), lists_of(votes)).text
    assert " ".join(words.split()) in " ".join(text.split())


def test_elimination_rounds_mentions_the_subtracted_mean():
    found = elimination_rounds(SequentialElimination(absent="ignore"), [["a", "b"], ["b", "a"], ["a", "b"]])
    assert found.text.startswith("3 votes and 2 items, counted by first places minus the mean of each list.")


def test_elimination_rounds_rejects_other_methods():
    with pytest.raises(InputTypeError, match=r"must be a SequentialElimination.*got BordaCount\(\)"):
        elimination_rounds(BordaCount(), lists_of(TENNESSEE))
    with pytest.raises(InputError, match="nowhere"):
        elimination_rounds(SequentialElimination(), lists_of(TENNESSEE), query="nowhere")
