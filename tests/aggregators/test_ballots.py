"""Election rules, compared with definitions in fractions, two other packages, examples by hand and axioms."""

import gzip
import itertools
import json
from fractions import Fraction
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from skrankagg import BordaCount, Bucklin, PositionalScoring, RankedLists, ReciprocalRankFusion, SequentialElimination
from skrankagg.aggregators import condorcet_winner, pairwise_preferences, smith_set
from skrankagg.aggregators._ballots import _rounds
from skrankagg.datasets import load_formula1
from skrankagg.exceptions import InputError
from skrankagg.inspection import margin_of_victory, rank_stability
from skrankagg.utils.estimator_checks import example_lists

pytestmark = pytest.mark.twice

RULES = ("plurality", "veto", "borda", "borda-mean")
PEERS = json.loads(gzip.decompress((Path(__file__).parents[1] / "elections_golden.json.gz").read_bytes()))


def election(votes):
    """Return lists from a dict of ballot to weight; the ballot "ab c" ties a and b above c."""
    rows = [
        ("q", f"v{v:02d}", item, rank, weight)
        for v, (ballot, weight) in enumerate(votes.items())
        for rank, group in enumerate(ballot.split(), 1)
        for item in group
    ]
    return pd.DataFrame(rows, columns=["query", "voter", "item", "rank", "weight"])


def strict(votes):
    """Return lists from ballots without ties: "abc" ranks a above b above c."""
    return election({" ".join(ballot): weight for ballot, weight in votes.items()})


def ranking(method, lists):
    """Return the items, best first, as a ballot of `election`."""
    consensus = method.fit_transform(lists)
    return " ".join("".join(sorted(items)) for _, items in consensus.groupby("score", sort=False)["item"])


def scores(method, lists):
    return method.fit_transform(lists).set_index("item")["score"].sort_index().to_dict()


# ---------------------------------------------------------------------- profiles


@st.composite
def ballots_with_ties(draw, items="abcde", n_most=6):
    """Draw a dict of full or partial ballots with ties to integer weights, some of them 0."""
    votes = {}
    for _ in range(draw(st.integers(1, n_most))):
        order = draw(st.permutations(list(items)))[: draw(st.integers(1, len(items)))]
        cuts = draw(st.lists(st.booleans(), min_size=len(order), max_size=len(order)))
        text = "".join(item + (" " if cut else "") for item, cut in zip(order, cuts, strict=True)).strip()
        votes[text] = draw(st.integers(0, 4))
    return votes


@st.composite
def full_ballots(draw, items="abcd"):
    """Draw strict full ballots whose weights have distinct sums, so only items without votes tie."""
    orders = draw(st.lists(st.permutations(list(items)).map("".join), min_size=1, max_size=7, unique=True))
    return {order: 2**k for k, order in enumerate(orders)}


def groups_of(votes):
    """Return ballots as lists of groups of ties, with weights as fractions."""
    return [([list(group) for group in ballot.split()], Fraction(weight)) for ballot, weight in votes.items()]


def universe(votes):
    return sorted(set("".join(votes)) - {" "})


# ---------------------------------------------------------------------- plain restatements


def by_place(points, n):
    """Return the points of the places of n items."""
    if points == "plurality":
        return [Fraction(k == 0) for k in range(n)]
    if points == "veto":
        return [Fraction(k < n - 1) for k in range(n)]
    if points == "dowdall":
        return [Fraction(1, k + 1) for k in range(n)]
    return [Fraction(points[k]) if k < len(points) else Fraction(0) for k in range(n)]


def positional(votes, points, absent):
    items = universe(votes)
    total, held = dict.fromkeys(items, Fraction(0)), dict.fromkeys(items, Fraction(0))
    for groups, weight in groups_of(votes):
        named = [item for group in groups for item in group]
        given = by_place(points, len(items) if absent == "last" else len(named))
        rest = [item for item in items if item not in named]
        place = 0
        for group in [*groups, rest] if absent == "last" else groups:
            for item in group:
                total[item] += weight * sum(given[place : place + len(group)]) / len(group)
                held[item] += weight * (item in named)
            place += len(group)
    if absent == "ignore":
        return {item: total[item] / held[item] if held[item] else Fraction(0) for item in items}
    return total


def ballot_points(groups, left, rule, absent):
    """Return a ballot's points for the remaining items, minus their mean."""
    groups = [[item for item in group if item in left] for group in groups]
    if absent == "last":
        groups.append([item for item in left if not any(item in group for group in groups)])
    groups = [group for group in groups if group]
    held = [item for group in groups for item in group]
    given = dict.fromkeys(held, Fraction(0))
    above = 0
    for group in groups:
        below = len(held) - above - len(group)
        for item in group:
            if rule in ("borda", "borda-mean"):
                given[item] += below - above
            elif rule == "plurality" and above == 0:
                given[item] += Fraction(1, len(group))
            elif rule == "veto" and below == 0:
                given[item] -= Fraction(1, len(group))
        above += len(group)
    mean = sum(given.values()) / len(held) if held else 0
    return {item: value - mean for item, value in given.items()}


def elimination(votes, rule, absent):
    """Return the number of rounds each item stays."""
    left, found = universe(votes), {}
    for round_ in itertools.count():
        if not left:
            return found
        total = dict.fromkeys(left, Fraction(0))
        for groups, weight in groups_of(votes):
            for item, share in ballot_points(groups, left, rule, absent).items():
                total[item] += weight * share
        leaving = [item for item in left if total[item] == min(total.values())]
        if rule == "borda-mean" and any(total.values()):
            leaving = [item for item in left if total[item] < 0]
        found |= dict.fromkeys(leaving, round_)
        left = [item for item in left if item not in leaving]


def depths(votes, absent):
    """Return depth and share of each item; None for items only in lists of weight 0."""
    items, found = universe(votes), {}
    for item in items:
        ranks = []
        for groups, weight in groups_of(votes):
            above, rank = 0, None
            for group in groups:
                if item in group:
                    rank = above + Fraction(len(group) + 1, 2)
                above += len(group)
            if rank is None and absent == "last":
                rank = Fraction(above + 1 + len(items), 2)
            if rank is not None:
                ranks.append((rank, weight))
        total = sum(weight for _, weight in ranks)
        found[item] = None
        for depth in sorted({rank for rank, _ in ranks}):
            reached = sum(weight for rank, weight in ranks if rank <= depth)
            if 2 * reached > total:
                found[item] = depth, reached / total
                break
    return found


def smith(votes, absent):
    """Find the smallest set whose items beat all others by trying all sets."""
    items, beats = universe(votes), {}
    for i, j in itertools.permutations(universe(votes), 2):
        margin = Fraction(0)
        for groups, weight in groups_of(votes):
            place = {item: k for k, group in enumerate(groups) for item in group}
            if absent == "last" or (i in place and j in place):
                margin += weight * np.sign(place.get(j, len(groups)) - place.get(i, len(groups)))
        beats[i, j] = margin > 0
    for size in range(1, len(items) + 1):
        for some in itertools.combinations(items, size):
            if all(beats[i, j] for i in some for j in items if j not in some):
                return list(some)


# ---------------------------------------------------------------------- compared with them


@pytest.mark.sampled(2)
@pytest.mark.filterwarnings("ignore::skrankagg.exceptions.NotComparedWarning")
@pytest.mark.parametrize("absent", ["last", "ignore"])
@pytest.mark.parametrize(
    "points", ["plurality", "veto", "dowdall", [7, 3, 3, 1], [1, 1], [9, 8, 7, 6, 5, 4, 3]], ids=str
)
@given(votes=ballots_with_ties())
@settings(max_examples=20, deadline=None)
def test_positional_scoring_equals_its_definition(points, absent, votes):
    found = scores(PositionalScoring(points=points, absent=absent), election(votes))
    expected = positional(votes, points, absent)
    assert found == pytest.approx({item: float(value) for item, value in expected.items()}, abs=1e-12)


@pytest.mark.sampled(1)
@pytest.mark.filterwarnings("ignore::skrankagg.exceptions.NotComparedWarning")
@pytest.mark.parametrize("absent", ["last", "ignore"])
@pytest.mark.parametrize("rule", RULES)
@given(votes=ballots_with_ties())
@settings(max_examples=25, deadline=None)
def test_sequential_elimination_equals_counting_again_in_each_round(rule, absent, votes):
    expected = elimination(votes, rule, absent)
    method = SequentialElimination(rule=rule, absent=absent)
    assert scores(method, election(votes)) == expected
    # Neither tenths, whose sums round, nor the scale of the weights matter.
    for unit in (0.1, 1e-12, 1 / 3):
        assert scores(method, election({ballot: unit * weight for ballot, weight in votes.items()})) == expected


@pytest.mark.filterwarnings("ignore::skrankagg.exceptions.NotComparedWarning")
@pytest.mark.parametrize("absent", ["last", "ignore"])
@given(votes=ballots_with_ties())
@settings(max_examples=15, deadline=None)
def test_bucklin_depth_is_the_least_with_a_majority(absent, votes):
    found = Bucklin(absent=absent).fit_transform(election(votes)).set_index("item")
    expected = depths(votes, absent)
    known = {item: one for item, one in expected.items() if one is not None}
    assert found["depth"].dropna().to_dict() == {item: depth for item, (depth, _) in known.items()}
    assert found["share"].dropna().to_dict() == pytest.approx(
        {item: float(share) for item, (_, share) in known.items()}
    )
    # Ordered by depth, then by share; items without a depth come last.
    key = {item: (one[0], -one[1]) if one else (np.inf, 0) for item, one in expected.items()}
    for i, j in itertools.permutations(key, 2):
        assert (key[i] < key[j]) == (found.loc[i, "score"] > found.loc[j, "score"])


@pytest.mark.parametrize("absent", ["last", "ignore"])
@given(votes=ballots_with_ties())
@settings(max_examples=25, deadline=None)
def test_smith_set_is_the_smallest_set_that_beats_all_others(absent, votes):
    lists, expected = election(votes), smith(votes, absent)
    assert smith_set(lists, absent=absent)["item"].tolist() == expected
    winner = condorcet_winner(lists, absent=absent)["item"].tolist()
    assert winner == expected if len(expected) == 1 else pd.isna(winner).tolist() == [True]
    prefer, _ = pairwise_preferences(lists, absent=absent)
    items = sorted(lists["item"].unique())
    assert [items[k] for k in smith_set(prefer)] == expected
    number = condorcet_winner(prefer)
    assert number is None if len(expected) > 1 else items[number] == expected[0]


@pytest.mark.exhaustive
@pytest.mark.filterwarnings("ignore::skrankagg.exceptions.NotComparedWarning")
@given(many=st.lists(ballots_with_ties(n_most=4), min_size=1, max_size=5), seed=st.integers(0, 99))
@settings(max_examples=15, deadline=None)
def test_ballot_rules_treat_queries_independently(many, seed):
    frames = [election(votes).assign(query=f"q{k}") for k, votes in enumerate(many)]
    # One large query among them, so that the others are done long before it.
    rng = np.random.default_rng(seed)
    large = RankedLists.from_lists([rng.permutation(40).tolist() for _ in range(9)]).to_frame()
    item, voter = "i" + large["item"].astype(str), "w" + large["voter"].astype(str)
    frames.append(large.assign(query="large", item=item, voter=voter, weight=1))
    together = pd.concat(frames)
    for method in [Bucklin(), *(SequentialElimination(rule=rule) for rule in RULES)]:
        found = method.fit_transform(together)
        for frame in frames:
            own = found[found["query"] == frame["query"].iloc[0]].reset_index(drop=True)
            pd.testing.assert_frame_equal(own, method.fit_transform(frame))


@pytest.mark.parametrize("rule", RULES)
def test_ballot_rules_keep_exact_ties_for_weights_without_a_common_unit(rule):
    # Each item is once at each place; in three orders of adding, the sums of these weights are not one number.
    weights = (np.sqrt(2), np.pi / 10, np.e / 7)
    votes = {}
    for weight in weights:
        for order in ("abc", "bca", "cab"):
            votes[order + str(weight)] = weight
    rows = [
        ("q", voter, item, rank, weight)
        for voter, weight in sorted(votes.items(), key=lambda one: (one[0][0] == "b", one[1]))
        for rank, item in enumerate(voter[:3], 1)
    ]
    frame = pd.DataFrame(rows, columns=["query", "voter", "item", "rank", "weight"])
    assert SequentialElimination(rule=rule).fit_transform(frame)["score"].tolist() == [0, 0, 0]
    assert Bucklin().fit_transform(frame)["score"].nunique() == 1


# ---------------------------------------------------------------------- two packages for voting


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("method", "names"),
    [
        (SequentialElimination(), ["plurality", "plurality of pyrankvote"]),
        *[(SequentialElimination(rule=rule), [rule]) for rule in RULES[1:]],
        (Bucklin(), ["bucklin"]),
    ],
    ids=repr,
)
def test_ballot_rules_elect_the_winners_of_other_packages(method, names):
    assert len(PEERS) == 1000
    frame = pd.concat(strict(one["votes"]).assign(query=k) for k, one in enumerate(PEERS))
    consensus = method.fit_transform(frame)
    best = consensus[consensus["score"] == consensus.groupby("query")["score"].transform("max")]
    found = best.groupby("query")["item"].agg(lambda items: "".join(sorted(items))).tolist()
    for name in names:
        assert found == [one["winners"][name] for one in PEERS]


@pytest.mark.exhaustive
def test_smith_set_equals_that_of_another_package():
    frame = pd.concat(strict(one["votes"]).assign(query=k) for k, one in enumerate(PEERS))
    assert smith_set(frame).groupby("query")["item"].agg("".join).tolist() == [one["winners"]["smith"] for one in PEERS]
    winner = condorcet_winner(frame)
    assert winner["query"].tolist() == list(range(1000))
    assert winner["item"].fillna("").tolist() == [one["winners"]["condorcet"] for one in PEERS]
    assert 100 < winner["item"].isna().sum() < 500


# ---------------------------------------------------------------------- by hand


TENNESSEE = strict({"MNCK": 42, "NCKM": 26, "CKNM": 15, "KCNM": 17})


@pytest.mark.parametrize(
    ("method", "expected"),
    [
        (PositionalScoring(), "M N K C"),
        (PositionalScoring(points="veto"), "CN K M"),
        # 15 for Chattanooga is least; then 32 for Knoxville, 42 for Memphis and 26 for Nashville, which leaves.
        (SequentialElimination(), "K M N C"),
        (SequentialElimination(rule="veto"), "N C K M"),
        # Wins less defeats: C 46, K -86, M -48, N 88; without K: C -20, M -32, N 52.
        (SequentialElimination(rule="borda"), "N C M K"),
        (SequentialElimination(rule="borda-mean"), "N C KM"),
        # Majorities of 51: N 26 + 42 at depth 2, C 15 + 43, K 17 + 15 and at depth 3 + 26, M 42 and at depth 4 all.
        (Bucklin(), "N C K M"),
    ],
    ids=repr,
)
def test_ballot_rules_rank_the_capitals_of_tennessee(method, expected):
    assert ranking(method, TENNESSEE) == expected


def test_sequential_elimination_removes_tied_items_together():
    # a has 3 votes, b and c 2 each. If b alone left, c would win, and if c left, b.
    assert ranking(SequentialElimination(), strict({"abc": 3, "bca": 2, "cba": 2})) == "a bc"
    assert ranking(SequentialElimination(rule="veto"), strict({"abc": 3, "bca": 2, "cba": 2})) == "b c a"
    # b and c have a last place each, more than a; who is left wins.
    assert ranking(SequentialElimination(rule="veto"), strict({"abc": 1, "acb": 1})) == "a bc"
    # All are equal at once: a tie of all, by each rule.
    cycle = strict({"abc": 1, "bca": 1, "cab": 1})
    for rule in RULES:
        assert scores(SequentialElimination(rule=rule), cycle) == {"a": 0, "b": 0, "c": 0}


def test_sequential_elimination_divides_the_vote_of_tied_places():
    # First places: a 1/2 + 1, b 1/2, c 1. b leaves, and a has both of its ballots.
    assert scores(SequentialElimination(), election({"ab c": 1, "a c b": 1, "c b a": 1})) == {"a": 2, "b": 0, "c": 1}
    # Last places: a 1, b 1/2 + 1, c 1/2.
    veto = SequentialElimination(rule="veto")
    assert scores(veto, election({"a bc": 1, "c a b": 1, "c b a": 1})) == {"a": 1, "b": 0, "c": 2}


def test_ballot_rules_apply_the_absent_option():
    # Nine voters name a only, eight rank all.
    cut = election({"a": 9, "b c a": 4, "c b a": 4})
    assert ranking(SequentialElimination(), cut) == "a bc"
    # Last places: a 8, b and c nine halves; and with 17 voters for a alone 17 halves.
    assert ranking(SequentialElimination(rule="veto"), cut) == "bc a"
    assert ranking(SequentialElimination(rule="veto"), election({"a": 17, "b c a": 4, "c b a": 4})) == "a bc"
    # Without an opinion of the nine only eight voters rank b and c, both above a.
    for rule in ("veto", "borda", "borda-mean"):
        assert ranking(SequentialElimination(rule=rule, absent="ignore"), cut) == "bc a"
    # First 9 of 17 for a; as a mean over those that hold it b and c have 4 of 8 and a 9 of 17.
    assert ranking(Bucklin(), cut) == "a bc" and ranking(PositionalScoring(absent="ignore"), cut) == "a bc"


def test_sequential_elimination_ignores_exhausted_ballots():
    # d leaves, then c; the ballots of c alone then say nothing, and a wins by 5 to 4 in spite of them.
    votes = {"a b": 5, "b a": 3, "c": 2, "d b": 1}
    assert ranking(SequentialElimination(), election(votes)) == "a b c d"
    assert scores(SequentialElimination(), election({**votes, "c": 2, "c b": 0}))["a"] == 3


@pytest.mark.filterwarnings("ignore::skrankagg.exceptions.NotComparedWarning")
def test_bucklin_adds_second_places():
    # No candidate has 6 first places of 10; with the second ones b has 9 and a 5.
    found = Bucklin().fit_transform(strict({"abc": 4, "bca": 1, "cba": 4, "acb": 1}))
    assert found[["item", "depth", "share"]].to_numpy().tolist() == [["b", 2, 0.9], ["c", 2, 0.6], ["a", 3, 1.0]]
    np.testing.assert_allclose(found["score"], [-2.05, -2.2, -3.0])
    # Exactly half is no majority, whatever the weights.
    half = strict({"ab": 0.1 + 0.2, "ba": 0.3})
    assert Bucklin().fit_transform(half)["depth"].tolist() == [2, 2]
    # An item that is only in lists of weight 0 is below all others.
    silent = election({"a b": 1, "c a": 0})
    assert scores(Bucklin(absent="ignore"), silent) == {"a": -1, "b": -2, "c": -4}


def test_positional_scoring_reproduces_a_formula1_championship():
    # The totals of 2012, whose first ten places count, as published.
    points = [25, 18, 15, 12, 10, 8, 6, 4, 2, 1]
    found = PositionalScoring(points=points).fit_transform(load_formula1())
    champions = [("Vettel", 281), ("Alonso", 278), ("Räikkönen", 207), ("Hamilton", 190), ("Button", 188)]
    assert list(zip(found["item"], found["score"], strict=True))[:5] == champions
    assert found["score"].sum() == 20 * sum(points)


# ---------------------------------------------------------------------- known relations


@pytest.mark.filterwarnings("ignore::skrankagg.exceptions.NotComparedWarning")
@given(votes=ballots_with_ties())
@settings(max_examples=20, deadline=None)
def test_positional_scoring_equals_borda_and_reciprocal_ranks(votes):
    lists = election(votes)
    for absent in ("last", "ignore"):
        n = len(universe(votes))
        borda = [float(n - k) for k in range(n)]
        if absent == "last":
            assert scores(PositionalScoring(points=borda), lists) == pytest.approx(scores(BordaCount(), lists))
    full = election(
        {ballot: weight for ballot, weight in votes.items() if len(ballot.replace(" ", "")) == 5} or {"a b": 1}
    )
    untied = full.groupby("voter")["rank"].transform("nunique") == full.groupby("voter")["rank"].transform("size")
    assume(untied.all())
    assert scores(PositionalScoring(points="dowdall"), full) == pytest.approx(scores(ReciprocalRankFusion(k=0), full))


@pytest.mark.parametrize(
    "method",
    [
        PositionalScoring(),
        Bucklin(),
        *(SequentialElimination(rule=rule) for rule in ("plurality", "borda", "borda-mean")),
    ],
    ids=repr,
)
@given(votes=full_ballots())
@settings(max_examples=20, deadline=None)
def test_ballot_rules_elect_the_first_choice_of_a_majority(method, votes):
    # The last ballot weighs more than all others together.
    assert ranking(method, strict(votes))[0] == list(votes)[-1][0]


def test_sequential_elimination_with_veto_continues_after_a_majority():
    # a is first for 6 of 11, and last for 5, more than b and c, for which that is 3.
    votes = strict({"abc": 3, "acb": 3, "bca": 5})
    assert ranking(SequentialElimination(rule="veto"), votes) == "b c a"
    assert ranking(SequentialElimination(), votes)[0] == "a"


@pytest.mark.parametrize("absent", ["last", "ignore"])
@pytest.mark.parametrize("rule", ["borda", "borda-mean"])
@given(votes=ballots_with_ties())
@settings(max_examples=25, deadline=None)
def test_sequential_elimination_with_borda_elects_the_condorcet_winner(rule, absent, votes):
    best = smith(votes, absent)
    assume(len(best) == 1)
    assert ranking(SequentialElimination(rule=rule, absent=absent), election(votes)).split()[0] == best[0]


@given(votes=full_ballots(), above=st.lists(st.booleans(), min_size=7, max_size=7))
@settings(max_examples=15, deadline=None)
def test_sequential_elimination_is_independent_of_clones(votes, above):
    winner = ranking(SequentialElimination(), strict(votes))[0]
    cloned = {
        ballot.replace("a", "az" if first else "za"): weight
        for (ballot, weight), first in zip(votes.items(), above, strict=False)
    }
    found = ranking(SequentialElimination(), strict(cloned)).split()[0]
    assert found in ("a", "z") if winner == "a" else found == winner


def test_positional_scoring_depends_on_clones():
    # a beats b by 60 to 40; with a second b that all rank next to it, the clones of b take first place from a.
    alone, cloned = {"ab": 60, "ba": 40}, {"abz": 60, "bza": 40}
    assert ranking(PositionalScoring(points=[2, 1]), strict(alone))[0] == "a"
    assert ranking(PositionalScoring(points=[3, 2, 0]), strict(cloned))[0] == "b"
    # And with plurality b loses its lead to its clone.
    assert ranking(PositionalScoring(), strict({"ba": 55, "ab": 45}))[0] == "b"
    assert ranking(PositionalScoring(), strict({"bza": 30, "zba": 25, "abz": 45}))[0] == "a"


# ---------------------------------------------------------------------- with the rest of the library


def test_ballot_rules_support_margin_of_victory_and_rank_stability():
    # Each vote a list: of five firsts for a and three for b, two must fall silent for a tie, and b need not be first.
    votes = {f"v{k}": order for k, order in enumerate([list("abc")] * 5 + [list("bca")] * 3 + [list("cba")])}
    for method in (PositionalScoring(), SequentialElimination(), Bucklin(), SequentialElimination(rule="borda")):
        found = margin_of_victory(method, votes).iloc[0]
        assert found["leader"] == "a" and found["optimal"]
        assert found["margin"] == (2 if isinstance(method, PositionalScoring) else 1)
        stability = rank_stability(method, votes, n_resamples=50, random_state=0)
        assert stability["item"].tolist() == ["a", "b", "c"]


@pytest.mark.parametrize(
    ("points", "message"),
    [
        ("pluralty", "did you mean 'plurality'"),
        ([], "a list of finite numbers"),
        ([[1, 0]], "a list of finite numbers"),
        ([1, np.nan], "a list of finite numbers"),
        (["one"], "a list of finite numbers"),
        ([1, 2], "must not increase"),
        ([1, -1], "must not be negative"),
        ([0, 0], "must begin with a number above 0"),
    ],
    ids=str,
)
def test_positional_scoring_rejects_invalid_points(points, message):
    for call in ("fit", "transform"):
        with pytest.raises(ValueError, match=message):
            getattr(PositionalScoring(points=points), call)(TENNESSEE)


def test_condorcet_winner_and_smith_set_keep_the_types_of_ids():
    frame = pd.DataFrame({"query": [2, 2, 1, 1, 1, 1], "voter": list("uuuuvv"), "item": [7, 8, 7, 8, 8, 7]})
    frame["rank"] = [1, 2, 1, 2, 1, 2]
    found = condorcet_winner(frame)
    assert found["query"].tolist() == [1, 2] and found["item"].tolist() == [pd.NA, 7] and found["item"].dtype == "Int64"
    assert condorcet_winner(frame[frame["query"] == 2])["item"].dtype == "Int64"
    assert (
        smith_set(frame).to_numpy().tolist() == [[1, 7], [1, 8], [2, 7]] and smith_set(frame)["item"].dtype == "int64"
    )
    assert (
        condorcet_winner(pd.DataFrame({"query": ["q"], "voter": ["v"], "item": ["a"], "rank": [1]}))["item"][0] == "a"
    )
    assert condorcet_winner([["a", "b"], ["a", "c"]])["item"].tolist() == ["a"]


@pytest.mark.parametrize("function", [condorcet_winner, smith_set])
def test_condorcet_winner_and_smith_set_reject_invalid_arguments(function):
    with pytest.raises(InputError, match="square matrix of preferences"):
        function(np.ones((2, 3)))
    with pytest.raises(InputError, match="`absent` must be one of 'last', 'ignore'; got 'first'"):
        function(TENNESSEE, absent="first")


# ---------------------------------------------------------------------- large queries


@pytest.mark.sampled(1)
@pytest.mark.filterwarnings("ignore::skrankagg.exceptions.NotComparedWarning")
@pytest.mark.filterwarnings("ignore::skrankagg.exceptions.ExposureWarning")
@pytest.mark.parametrize("absent", ["last", "ignore"])
@pytest.mark.parametrize("rule", ["plurality", "veto"])
def test_sequential_elimination_is_the_same_with_counting_by_classes(rule, absent, monkeypatch):
    rng = np.random.default_rng(0)
    method = SequentialElimination(rule=rule, absent=absent)
    for seed in range(40):
        frame = example_lists(
            seed,
            n_queries=int(rng.integers(1, 4)),
            n_voters=int(rng.integers(1, 6)),
            n_items=int(rng.integers(1, 12)),
            full=bool(seed % 2),
            with_ties=bool(seed % 3),
        )
        weight = dict(
            zip(sorted(frame["voter"].unique()), rng.choice([0.0, 0.1, 0.3, 1 / 3, 1.0, 2.0], 6), strict=False)
        )
        frame["weight"] = frame["voter"].map(weight)
        expected = method.fit_transform(frame)
        with monkeypatch.context() as patch:
            patch.setattr(_rounds, "_MANY", 0)
            patch.setattr(_rounds, "_MANY_FOR_EACH", 0)
            pd.testing.assert_frame_equal(method.fit_transform(frame), expected)


@pytest.mark.filterwarnings("ignore::skrankagg.exceptions.NotComparedWarning")
@pytest.mark.parametrize("absent", ["last", "ignore"])
def test_votes_by_class_remove_the_same_items_in_each_round(absent):
    lists = RankedLists.from_frame(example_lists(3, n_queries=2, n_voters=5, n_items=9, full=False, with_ties=True))
    lists = lists.with_list_weight(np.arange(1.0, lists.n_lists + 1))
    plain, by_class = (kind(lists, "veto", absent) for kind in (_rounds.Votes, _rounds._VotesByClass))
    for _ in range(3):
        leaving = plain.least(np.full(lists.n_queries, 1e-9))
        assert len(leaving) and np.sort(by_class.least(np.full(lists.n_queries, 1e-9))).tolist() == leaving.tolist()
        plain.remove(leaving)
        by_class.remove(leaving)


@pytest.mark.exhaustive
@pytest.mark.parametrize("absent", ["last", "ignore"])
def test_sequential_elimination_visits_only_items_with_votes(absent, monkeypatch):
    n, rng = 20_000, np.random.default_rng(0)
    order = [np.argsort(np.arange(n) + spread * rng.normal(size=n)) for spread in (0.0, 2.0)]
    lists = RankedLists.from_lists([one.tolist() for one in order])
    looked, votes = [0, 0], _rounds._VotesByClass._votes

    def watched(self, own):
        rows, weight = votes(self, own)
        looked[0], looked[1] = looked[0] + len(rows), looked[1] + 1
        return rows, weight

    monkeypatch.setattr(_rounds._VotesByClass, "_votes", watched)
    monkeypatch.setattr(_rounds, "_MANY", 500)
    found = SequentialElimination(rule="veto", absent=absent).fit_transform(lists)
    assert looked[1] > n / 2 and looked[0] <= lists.n_rows
    last = found["item"].iloc[-1]
    assert last in {int(one[-1]) for one in order} and found["score"].iloc[0] > n / 2
