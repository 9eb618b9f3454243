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
    ReciprocalRankFusion,
    SimpleBorda,
)
from skrankagg.datasets import make_mallows
from skrankagg.exceptions import InputError, InputTypeError
from skrankagg.inspection import margin_of_victory
from skrankagg.inspection._removals import Clock, lightest_cover, lightest_set, sets_by_weight
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
        assert row["removed"] == ()


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
    assert len(found["removed"][0]) == (found["margin"][0] if found["margin"][0] < math.inf else 0)


def add_scores(lists):
    return lists.to_frame().assign(score=lambda frame: 1 / frame["rank"])


def test_margin_of_victory_checks_the_votes_option():
    half = RankedLists.from_ballots(["a > b", "b > a"], counts=[1.5, 1.0])
    assert margin_of_victory(Copeland(), half)["margin"].tolist() == [1.5]
    with pytest.raises(InputError, match="if some weights are not integers; query 'q' has such weights"):
        margin_of_victory(Copeland(), half, votes=True)
    many = RankedLists.from_ballots(["a > b", "b > a"], counts=[10**8, 1])
    with pytest.raises(InputError, match=r"too many to count separately\. Pass votes=False"):
        margin_of_victory(Copeland(), many)
    assert margin_of_victory(Copeland(), many, votes=False)["margin"].tolist() == [10**8]
    with pytest.raises(InputError, match="`votes` must be True, False or None"):
        margin_of_victory(Copeland(), half, votes="all")


def test_margin_of_victory_equals_an_example_by_hand():
    # Borda: a 4 x 3 + 1 + 2 = 15, b 4 x 2 + 3 + 3 = 14. Each of s to v gives a one point more than b.
    lists = {voter: ["a", "b", "c"] for voter in "stuv"} | {"w": ["b", "c", "a"], "x": ["b", "a", "c"]}
    found = margin_of_victory(BordaCount(), lists).iloc[0]
    assert found.index.tolist() == COLUMNS
    assert found.tolist() == ["q", "a", 1.0, 1.0, 1.0, True, ("s",)]
    # By majority a needs two lists less for a draw with b.
    assert margin_of_victory(Copeland(), lists)["margin"].tolist() == [2.0]


def test_margin_of_victory_is_0_for_ties_and_infinite_for_unanimous_leads():
    tied = {"u": ["a", "b"], "v": ["b", "a"]}
    for method in (BordaCount(), Copeland()):
        found = margin_of_victory(method, tied).iloc[0]
        assert found["margin"] == 0 and found["removed"] == () and found["optimal"]
        found = margin_of_victory(method, {"u": ["a", "b"], "v": ["a", "b"]}).iloc[0]
        assert found["margin"] == math.inf and found["removed"] == () and found["optimal"]
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
        assert row["margin"] == min(needed) == len(row["removed"])


def test_margin_of_victory_uses_voter_weights_and_ignored_voters():
    lists = pd.DataFrame({"query": "q", "voter": list("uuvvww"), "item": list("abbaab"), "rank": [1, 2] * 3})
    found = margin_of_victory(Copeland(voter_weights={"u": 2.0, "v": 1.0, "w": 0.5}), lists).iloc[0]
    assert (found["margin"], found["removed"]) == (2.0, ("u",))
    fitted = DIBRA(weighting="global", unknown_voter="ignore").fit(lists[lists["voter"] != "w"])
    found = margin_of_victory(fitted, lists).iloc[0]
    assert found["margin"] == 0 or "w" not in found["removed"]


def test_margin_of_victory_gives_bounds_if_a_limit_is_reached():
    X = make_mallows(n_voters=40, n_items=5, phi=0.7, random_state=1)
    found = margin_of_victory(Copeland(), X, max_lists=2).iloc[0]
    assert np.isnan(found["margin"]) and not found["optimal"] and found["removed"] == ()
    assert (found["lower_bound"], found["upper_bound"]) == (3.0, math.inf)
    found = margin_of_victory(Copeland(), X, time_limit=0.5).iloc[0]
    assert np.isnan(found["margin"]) and 2 <= found["lower_bound"] < found["upper_bound"] == len(found["removed"])
    without = X.assign(weight=1 - X["voter"].isin(found["removed"]))
    assert not leads_alone(Copeland().fit_transform(without), found["leader"])
    proven = margin_of_victory(Copeland(), X.assign(weight=np.where(X["voter"] == "v01", 1, 0)), max_lists=1)
    assert proven["optimal"].all()


def test_margin_of_victory_treats_queries_independently():
    X = example_lists(3, n_queries=4, n_voters=5, n_items=5, full=True)
    for method in (BordaCount(), Copeland(), Kemeny()):
        found = margin_of_victory(method, X)
        each = [margin_of_victory(method, X[X["query"] == query]) for query in found["query"]]
        pd.testing.assert_frame_equal(found, pd.concat(each, ignore_index=True))


@given(seed=st.integers(0, 10**6), n=st.integers(1, 9), whole=st.booleans())
@settings(max_examples=150, deadline=None)
def test_lightest_cover_finds_the_lightest_cover(seed, n, whole):
    rng = np.random.default_rng(seed)
    value = rng.random(n) + 0.01
    weight = rng.integers(1, 6, n).astype(float) if whole else rng.random(n) + 0.1
    need = rng.uniform(0, 1.1) * value.sum()
    sets = [list(chosen) for size in range(n + 1) for chosen in itertools.combinations(range(n), size)]
    least = min((weight[one].sum() for one in sets if value[one].sum() >= need), default=math.inf)
    lower, upper, members = lightest_cover(value, weight, need, math.inf, whole, Clock(None))
    assert lower == upper == pytest.approx(least)
    if members is not None:
        assert weight[members].sum() == pytest.approx(least) and value[members].sum() >= need - 1e-12
    # If a set of equal weight is already known, nothing is found.
    assert lightest_cover(value, weight, need, least, whole, Clock(None))[0] <= least
    # Without time the bound still holds.
    rough = lightest_cover(value, weight, need, math.inf, whole, Clock(-1.0))
    assert rough[0] <= least + 1e-9 and rough[1] >= least - 1e-9


@given(seed=st.integers(0, 10**6), n=st.integers(2, 7), n_columns=st.integers(1, 20))
@settings(max_examples=100, deadline=None)
def test_sets_by_weight_yields_the_lightest_sets_first(seed, n, n_columns):
    rng = np.random.default_rng(seed)
    weight = rng.integers(1, 5, n) / 2
    tried = [total for total, _ in sets_by_weight(weight.tolist(), n)]
    assert len(tried) == 2**n - 1 and tried == sorted(tried)
    # The predicate need not be monotone in the set.
    happening = rng.random(2**n) < 0.1

    def happens(masks):
        number = (masks * (1 << np.arange(n))[:, None]).sum(axis=0)
        return happening[number], 1.0 - masks.mean(axis=0)

    sets = [list(one) for size in range(1, n) for one in itertools.combinations(range(n), size)]
    least = min((weight[one].sum() for one in sets if happening[sum(1 << k for k in one)]), default=math.inf)
    lower, upper, members = lightest_set(happens, weight, None, n_columns, Clock(None))
    assert lower == upper == least
    assert members is None or (weight[members].sum() == least and happening[sum(1 << k for k in members)])


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
