"""margin_of_victory: examples by hand, comparison with all sets of lists, and bounds under a limit."""

import itertools
import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.exceptions import NotFittedError

from skrankagg import (
    DIBRA,
    Agglomerative,
    BordaCount,
    CombMNZ,
    CombSUM,
    Copeland,
    Kemeny,
    LearnedWeights,
    MarkovChain,
    PositionalScoring,
    RankedLists,
    RankedPairs,
    ReciprocalRankFusion,
    SimpleBorda,
)
from skrankagg.datasets import make_mallows
from skrankagg.exceptions import InputError, InputTypeError
from skrankagg.inspection import _removals, margin_of_victory
from skrankagg.inspection._removals import Clock, Trials, lightest_cover, sets_by_weight
from skrankagg.utils.discovery import default_methods
from skrankagg.utils.estimator_checks import example_lists

pytestmark = pytest.mark.twice

COLUMNS = ["query", "leader", "margin", "lower_bound", "upper_bound", "optimal", "removed"]
SUMS = [
    BordaCount(),
    SimpleBorda(),
    CombSUM(),
    CombSUM(norm="z-score", absent_score="min"),
    ReciprocalRankFusion(),
    PositionalScoring(points="veto"),
]
OTHERS = [
    Copeland(),
    CombMNZ(),
    ReciprocalRankFusion(normalize=True),
    DIBRA(),
    MarkovChain(),
    BordaCount(absent="ignore"),
]

METHODS = [method for _, method in default_methods() if method.__sklearn_tags__().aggregator_tags.voter_weights]


def leads_alone(consensus, item):
    score = consensus["score"]
    return consensus["item"].iloc[0] == item and (len(score) == 1 or score.iloc[0] != score.iloc[1])


def least_weight(method, X):
    """Compute the margin of one query by aggregating without each set of its lists."""
    weight = X.groupby("voter")["weight"].first()
    voters = weight[weight > 0].index
    leader, least = method.fit_transform(X)["item"].iloc[0], math.inf
    for size in range(len(voters)):
        for gone in itertools.combinations(voters, size):
            if weight[list(gone)].sum() < least - 1e-9:
                without = X.assign(weight=X["weight"].where(~X["voter"].isin(gone), 0.0))
                if not leads_alone(method.fit_transform(without), leader):
                    least = weight[list(gone)].sum()
    return leader, least


def check_row(row, method, X):
    leader, least = least_weight(method, X)
    assert row["leader"] == leader and row["optimal"]
    assert row["margin"] == pytest.approx(least) and row["lower_bound"] == row["upper_bound"] == row["margin"]
    weight = X.groupby("voter")["weight"].first()
    if 0 < least < math.inf:
        assert weight[list(row["removed"])].sum() == pytest.approx(least)
        without = X.assign(weight=X["weight"].where(~X["voter"].isin(row["removed"]), 0.0))
        assert not leads_alone(method.fit_transform(without), leader)
    else:
        assert row["removed"] == {}


# Random lists may leave items uncompared, which is tested elsewhere.
@pytest.mark.exhaustive
@pytest.mark.filterwarnings("ignore::skrankagg.exceptions.NotComparedWarning")
@given(
    seed=st.integers(0, 10**6),
    method=st.sampled_from(SUMS + OTHERS),
    weights=st.sampled_from([[1.0], [1.0, 2.0, 3.0], [0.1, 0.2, 0.3, 0.7], [0.0, 1.0, math.pi, math.e]]),
)
@settings(max_examples=60, deadline=None)
def test_margin_of_victory_equals_trying_all_sets_of_lists(seed, method, weights):
    rng = np.random.default_rng(seed)
    X = example_lists(seed, n_queries=1, n_voters=5, n_items=4)
    # Scores of an own leader make sets of several lists needed.
    best = rng.choice(X["item"].unique())
    X.loc[(X["item"] == best) & (rng.random(len(X)) < 0.8), "score"] = X["score"].max() + 1
    X = X.drop(columns="rank")
    chosen = rng.choice(weights, 100)
    if not (chosen[: X["voter"].nunique()] > 0).any():
        chosen[0] = 1.0
    X = X.assign(weight=chosen[X.groupby("voter").ngroup()])
    found = margin_of_victory(method, X, votes=False)
    assert found.columns.tolist() == COLUMNS
    check_row(found.iloc[0], method, X)


@given(seed=st.integers(0, 10**6), method=st.sampled_from(SUMS + OTHERS))
@settings(max_examples=40, deadline=None)
def test_margin_of_victory_is_the_same_for_merged_ballots(seed, method):
    rng = np.random.default_rng(seed)
    orders = [" > ".join(rng.permutation(list("abcd"))[: rng.integers(2, 5)]) for _ in range(3)]
    counts = rng.integers(1, 4, size=len(orders))
    each = [order.split(" > ") for order, count in zip(orders, counts, strict=True) for _ in range(count)]
    merged = RankedLists.from_ballots(orders, counts=counts.tolist())
    if method.__sklearn_tags__().aggregator_tags.needs_scores:
        merged, each = (RankedLists.from_frame(add_scores(lists)) for lists in (merged, RankedLists.from_lists(each)))
    columns = ["leader", "margin", "lower_bound", "upper_bound", "optimal"]
    expected, found = (margin_of_victory(method, lists, time_limit=None) for lists in (each, merged))
    assert found[columns].to_dict("records") == expected[columns].to_dict("records")
    assert sum(found["removed"][0].values()) == (found["margin"][0] if found["margin"][0] < math.inf else 0)


def add_scores(lists):
    return lists.to_frame().assign(score=lambda frame: 1 / frame["rank"])


def test_margin_of_victory_checks_the_votes_option():
    half = RankedLists.from_ballots(["a > b", "b > a"], counts=[1.5, 1.0])
    assert margin_of_victory(Copeland(), half)["margin"].tolist() == [1.5]
    with pytest.raises(InputError, match="if some weights are not integers; query 'q' has such weights"):
        margin_of_victory(Copeland(), half, votes=True)
    many = RankedLists.from_ballots(["a > b", "b > a"], counts=[10**6, 1])
    found = margin_of_victory(Copeland(), many).iloc[0]
    assert found["margin"] == 10**6 - 1 and found["removed"] == {1: 10**6 - 1} and found["optimal"]
    huge = RankedLists.from_ballots(["a > b", "b > a"], counts=[10**12, 1])
    assert margin_of_victory(Copeland(), huge).iloc[0]["removed"] == {1: 10**12 - 1}
    assert margin_of_victory(Copeland(), many, votes=False)["margin"].tolist() == [10**6]
    with pytest.raises(InputError, match="`votes` must be True, False or None"):
        margin_of_victory(Copeland(), half, votes="all")


def test_margin_of_victory_equals_an_example_by_hand():
    # Borda: a 4 x 3 + 1 + 2 = 15, b 4 x 2 + 3 + 3 = 14. Each of s to v gives a one point more than b.
    lists = {voter: ["a", "b", "c"] for voter in "stuv"} | {"w": ["b", "c", "a"], "x": ["b", "a", "c"]}
    found = margin_of_victory(BordaCount(), lists).iloc[0]
    assert found.index.tolist() == COLUMNS
    assert found.tolist() == ["q", "a", 1.0, 1.0, 1.0, True, {"s": 1}]
    # By majority a needs two lists less for a draw with b.
    assert margin_of_victory(Copeland(), lists)["margin"].tolist() == [2.0]


def test_margin_of_victory_is_0_for_ties_and_infinite_for_unanimous_leads():
    tied = {"u": ["a", "b"], "v": ["b", "a"]}
    for method in (BordaCount(), Copeland()):
        found = margin_of_victory(method, tied).iloc[0]
        assert found["margin"] == 0 and found["removed"] == {} and found["optimal"]
        found = margin_of_victory(method, {"u": ["a", "b"], "v": ["a", "b"]}).iloc[0]
        assert found["margin"] == math.inf and found["removed"] == {} and found["optimal"]
        assert margin_of_victory(method, {"u": ["a"]})["margin"].tolist() == [math.inf]


def test_margin_of_victory_is_exact_for_many_lists_of_additive_methods():
    X = make_mallows(n_queries=3, n_voters=101, n_items=8, phi=0.9, random_state=0)
    found = margin_of_victory(BordaCount(), X)
    assert found["optimal"].all()
    for row in found.to_dict("records"):
        one = X[X["query"] == row["query"]]
        table = one.pivot(index="voter", columns="item", values="rank")
        # With equal weights the lists that put the leader furthest above a rival go first.
        lead = table.drop(columns=row["leader"]).sub(table[row["leader"]], axis=0)
        needed = [
            1 + int(np.argmax(np.cumsum(np.sort(lead[rival])[::-1]) >= lead[rival].sum())) for rival in lead.columns
        ]
        assert row["margin"] == min(needed) == sum(row["removed"].values())


def test_margin_of_victory_uses_voter_weights_and_ignored_voters():
    lists = pd.DataFrame({"query": "q", "voter": list("uuvvww"), "item": list("abbaab"), "rank": [1, 2] * 3})
    found = margin_of_victory(Copeland(voter_weights={"u": 2.0, "v": 1.0, "w": 0.5}), lists).iloc[0]
    assert (found["margin"], found["removed"]) == (2.0, {"u": 1})
    fitted = DIBRA(weighting="global", unknown_voter="ignore").fit(lists[lists["voter"] != "w"])
    found = margin_of_victory(fitted, lists).iloc[0]
    assert found["margin"] == 0 or "w" not in found["removed"]


def test_margin_of_victory_gives_bounds_if_a_limit_is_reached():
    X = make_mallows(n_voters=40, n_items=5, phi=0.7, random_state=1)
    # Sets of at most two lists are tried, and equal lists count once.
    method = BordaCount(absent="ignore")
    found = margin_of_victory(method, X, max_lists=2).iloc[0]
    assert found["lower_bound"] == 3.0 < found["upper_bound"] == found["margin"] == sum(found["removed"].values())
    assert not found["optimal"]
    for limit in (1e-9, 0.5):
        found = margin_of_victory(method, X, time_limit=limit).iloc[0]
        assert 1 <= found["lower_bound"] < found["upper_bound"] == found["margin"] == sum(found["removed"].values())
        without = X.assign(weight=1 - X["voter"].isin(found["removed"]))
        assert not leads_alone(method.fit_transform(without), found["leader"])
    # The lightest list of at least the proven weight 1.75 weighs 2, but two lists of together 1.75 end the lead.
    orders = [["a", "c"], [["a", "d"], "c", "b"], [["a", "d"], "b"], ["a", "b", "d", "c"]]
    ballots = RankedLists.from_ballots(orders, counts=[0.5, 2, 0.5, 1.25])
    for limits in ({}, {"time_limit": 1e-9}):
        found = margin_of_victory(RankedPairs(), ballots, max_lists=1, **limits).iloc[0]
        assert found["lower_bound"] == 1.75 <= found["upper_bound"]
    proven = margin_of_victory(Copeland(), X.assign(weight=np.where(X["voter"] == "v01", 1, 0)), max_lists=1)
    assert proven["optimal"].all()


def test_margin_of_victory_treats_queries_independently():
    X = example_lists(3, n_queries=4, n_voters=5, n_items=5, full=True)
    for method in (BordaCount(), Copeland(), Kemeny()):
        found = margin_of_victory(method, X)
        each = [margin_of_victory(method, X[X["query"] == query]) for query in found["query"]]
        pd.testing.assert_frame_equal(found, pd.concat(each, ignore_index=True))


def sets_of(count):
    """Return all sets of members as numbers of members of each group."""
    return np.array(list(itertools.product(*(range(n + 1) for n in count))))


@given(seed=st.integers(0, 10**6), n=st.integers(1, 6), whole=st.booleans())
@settings(max_examples=150, deadline=None)
def test_lightest_cover_finds_the_lightest_cover(seed, n, whole):
    rng = np.random.default_rng(seed)
    value, count = rng.random(n) + 0.01, rng.integers(1, 4, n)
    weight = rng.integers(1, 6, n).astype(float) if whole else rng.random(n) + 0.1
    need = rng.uniform(0, 1.1) * (value * count).sum()
    sets = sets_of(count)
    least = min((sets @ weight)[sets @ value >= need], default=math.inf)
    given = value, weight, count, need
    lower, upper, taken = lightest_cover(*given, math.inf, whole, Clock(None))
    assert lower == upper == pytest.approx(least)
    if taken is not None:
        assert taken @ weight == pytest.approx(least) and taken @ value >= need - 1e-12 and (taken <= count).all()
    # If a set of equal weight is already known, nothing is found.
    assert lightest_cover(*given, least, whole, Clock(None))[0] <= least
    # Without time the bound still holds.
    rough = lightest_cover(*given, math.inf, whole, Clock(-1.0))
    assert rough[0] <= least + 1e-9 and rough[1] >= least - 1e-9


@pytest.mark.parametrize("n", [3, 6])
def test_lightest_cover_ignores_rounding_errors(n):
    value, weight, count = np.array([0.3]), np.ones(1), np.array([n + 2])
    need = n * 3 / 10
    assert n * 0.3 < need
    lower, upper, taken = lightest_cover(value, weight, count, need, math.inf, True, Clock(None))
    assert (lower, upper, taken.tolist()) == (n, n, [n])
    # A real difference needs one more member, however small it is.
    assert lightest_cover(value, weight, count, need * (1 + 1e-8), math.inf, True, Clock(None))[1] == n + 1


def test_lightest_cover_is_empty_if_nothing_is_needed_and_missing_without_members():
    lower, upper, taken = lightest_cover(np.ones(2), np.ones(2), np.ones(2, dtype=int), 0.0, 9.0, True, Clock(None))
    assert (lower, upper, taken.tolist()) == (0.0, 0.0, [0, 0])
    none = np.empty(0), np.empty(0), np.empty(0, dtype=int)
    assert lightest_cover(*none, 1.0, math.inf, True, Clock(None)) == (math.inf, math.inf, None)


@pytest.mark.parametrize("n_nodes", [1, 20])
def test_lightest_cover_gives_a_proven_bound_if_the_time_is_over(monkeypatch, n_nodes):
    monkeypatch.setattr(_removals, "_NODES", n_nodes)
    rng = np.random.default_rng(1)
    value, weight, count = rng.random(12) + 0.1, rng.random(12) + 0.1, np.full(12, 2)
    given = value, weight, count, 0.47 * (value * count).sum(), math.inf, False
    exact, _, _ = lightest_cover(*given, Clock(None))
    lower, upper, taken = lightest_cover(*given, Clock(-1.0))
    assert lower < exact <= upper
    if n_nodes == 1:
        assert upper == math.inf and taken is None
    else:
        assert upper == pytest.approx(taken @ weight) and taken @ value >= given[3]


def test_trials_find_nothing_below_a_bound_that_no_set_reaches():
    trials = Trials(
        lambda counts: (np.zeros(counts.shape[1], bool), np.ones(counts.shape[1])),
        np.ones(2),
        np.ones(2, int),
        4,
        Clock(None),
    )
    assert trials.lightest([np.arange(2)], 5.0, None) == (math.inf, math.inf, None)


def test_lightest_cover_of_equal_weights_is_found_at_once_for_many_members():
    count = np.array([10**7, 10**7, 10**7])
    found = lightest_cover(np.array([1.0, 3.0, 2.0]), np.ones(3), count, 4.1e7, math.inf, True, Clock(10.0))
    assert found[0] == found[1] == 15_500_000 and found[2].tolist() == [0, 10**7, 5_500_000]


@given(seed=st.integers(0, 10**6), n=st.integers(2, 5), n_columns=st.integers(1, 20))
@settings(max_examples=100, deadline=None)
def test_trials_find_the_lightest_set(seed, n, n_columns):
    rng = np.random.default_rng(seed)
    weight, count = rng.integers(1, 5, n) / 2, rng.integers(1, 4, n)
    sets = sets_of(count)
    size = sets.sum(axis=1)
    for most in (None, 2):
        tried = list(sets_by_weight(weight.tolist(), count.tolist(), int(count.sum()) if most is None else most))
        assert [total for total, _ in tried] == sorted(total for total, _ in tried)
        assert len(tried) == len({tuple(sorted(taken.items())) for _, taken in tried})
        assert len(tried) == ((size > 0) if most is None else (size > 0) & (size <= most)).sum()
        assert all(sum(weight[k] * m for k, m in taken.items()) == total for total, taken in tried)
        assert all(0 < m <= count[k] for _, taken in tried for k, m in taken.items())
    # The predicate need not be monotone in the set.
    happening = dict(zip(map(tuple, sets.tolist()), rng.random(len(sets)) < 0.1, strict=True))

    def happens(counts):
        assert (counts >= 0).all() and (counts <= count[:, None]).all() and (counts.sum(axis=0) < count.sum()).all()
        return np.array([happening[tuple(one)] for one in counts.T.tolist()]), -counts.sum(axis=0) / 1.0

    happening[tuple([0] * n)] = False
    possible = (size > 0) & (size < count.sum()) & np.array([happening[tuple(one)] for one in sets.tolist()])
    least = min((sets @ weight)[possible], default=math.inf)
    orders = [rng.permutation(n) for _ in range(2)]
    lower, upper, found = Trials(happens, weight, count, n_columns, Clock(None)).lightest(orders, 0.0, None)
    assert lower == upper == least
    assert found is None or (found @ weight == least and happening[tuple(found.tolist())])
    limits = [(clock, most) for clock in (Clock(-1.0), Clock(None)) for most in (None, 1, 2)]
    for (clock, most), bound in itertools.product(limits, (0.0, min(least, 2.0))):
        lower, upper, found = Trials(happens, weight, count, n_columns, clock).lightest(orders, bound, most)
        assert lower <= least <= upper and (found is None) == (upper == math.inf)


def test_margin_of_victory_rejects_invalid_arguments():
    lists = {"u": ["a", "b"], "v": ["b", "a"]}
    for limit in (0, -1, math.nan, "1", True):
        with pytest.raises(InputError, match="`time_limit` must be a number of seconds above 0"):
            margin_of_victory(Copeland(), lists, time_limit=limit)
    for most in (0, 1.5, True):
        with pytest.raises(InputError, match="`max_lists` must be a whole number"):
            margin_of_victory(Copeland(), lists, max_lists=most)
    with pytest.raises(InputError, match=r"must accept weights of lists.*got Agglomerative.*Choose another method"):
        margin_of_victory(Agglomerative(), lists)
    with pytest.raises(InputTypeError, match="must be an aggregator"):
        margin_of_victory(max, lists)
    with pytest.raises(NotFittedError):
        margin_of_victory(LearnedWeights(), lists)


@pytest.mark.sampled(4)
@pytest.mark.parametrize("method", METHODS, ids=repr)
def test_margin_of_victory_removes_lists_that_decide_the_lead_for_any_method(method):
    lists = RankedLists.from_frame(example_lists(3, n_queries=2, n_voters=5, n_items=4, with_ties=False))
    for row in margin_of_victory(method, lists, max_lists=3).itertuples():
        one = lists.take([lists.queries.tolist().index(row.query)])
        if not np.isfinite(row.upper_bound):
            continue
        gone = one.voters.take(one.list_voter).isin(row.removed)
        weight = np.where(gone, 0.0, one.list_weight)
        assert (one.list_weight * gone).sum() == pytest.approx(row.upper_bound)
        consensus = method.transform(one.with_list_weight(weight))
        lead = consensus.loc[consensus["item"] == row.leader, "score"].iloc[0]
        assert consensus.loc[consensus["item"] != row.leader, "score"].max() >= lead - 1e-9
