"""voter_influence: examples by hand, comparison with recomputing, and random or adversarial lists."""

import itertools

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import norm, rankdata
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from golden import GOLDEN, LEARNT
from skrankagg import (
    DIBRA,
    Agglomerative,
    BordaCount,
    CombSUM,
    Copeland,
    InverseSquareRank,
    LearnedWeights,
    PlackettLuce,
    PreferenceRelations,
    Qrels,
    RankedLists,
    ReciprocalRankFusion,
)
from skrankagg.base import BaseAggregator
from skrankagg.datasets import make_comparisons, make_mallows, make_ranked_lists
from skrankagg.exceptions import InputError, InputTypeError, MemoryLimitError
from skrankagg.inspection import _influence, voter_influence
from skrankagg.inspection._agreement import LEVEL, null_deviation
from skrankagg.metrics import kendall_distance, kendall_tau
from skrankagg.utils.estimator_checks import example_lists

pytestmark = pytest.mark.twice

SIX = pd.DataFrame({"query": "q", "voter": list("uuuvvw"), "item": list("abcbac"), "rank": [1, 2, 3, 1, 2, 1]})
COLUMNS = [
    "query",
    "voter",
    "weight",
    "agreement",
    "z",
    "threshold",
    "outlier",
    "distance",
    "top_changed",
    "leader_changed",
]

METHODS = {repr(method): method for method, *_ in GOLDEN + LEARNT}
FEW = [
    CombSUM(norm="z-score"),
    BordaCount(),
    ReciprocalRankFusion(normalize=True),
    Copeland(),
    DIBRA(),
    DIBRA(prune="wire"),
    PreferenceRelations(),
]


def as_ranking(consensus):
    """Return a dict of item to rank, where equal scores tie."""
    return dict(zip(consensus["item"], rankdata(-consensus["score"]), strict=True))


def by_recomputing(method, X, mode, top):
    """Compute the influence row by row with public functions.

    All the lists that are left without a voter are aggregated at once, as queries of their own.
    """
    rows = []
    weight = X["weight"] if "weight" in X else pd.Series(1.0, index=X.index)
    left = dict(iter(X.groupby("query")))
    for query, voter in X.groupby(["query", "voter"]).groups:
        lists = X[X["query"] == query]
        mine = lists["voter"] == voter
        if weight[mine.index[~mine]].gt(0).any():
            if mode == "silence":
                lists = lists.assign(weight=weight[mine.index].where(~mine, 0.0))
            left[f"{query} without {voter}"] = lists if mode == "silence" else lists[~mine]
    left = pd.concat([lists.assign(query=name) for name, lists in left.items()], ignore_index=True)
    if "weight" in left:
        left["weight"] = left["weight"].fillna(1.0)
    full = dict(iter(method.transform(left).groupby("query")))
    for (query, voter), own in X.groupby(["query", "voter"]):
        row = {"query": query, "voter": voter, "weight": weight[own.index[0]]}
        if f"{query} without {voter}" in full:
            before, after = full[query], full[f"{query} without {voter}"]
            common = set(before["item"]) & set(after["item"])
            one, two = ({i: r for i, r in as_ranking(c).items() if i in common} for c in (before, after))
            row["distance"] = kendall_distance(one, two, normalize=True)
            row["top_changed"] = len(set(before["item"][:top]) - set(after["item"][:top]))
            row["leader_changed"] = before["item"].iloc[0] != after["item"].iloc[0]
            row["agreement"] = kendall_tau(dict(zip(own["item"], own["rank"], strict=True)), two)
        rows.append(row)
    return pd.DataFrame(rows)


def check_recomputed(method, X, mode, top=3):
    found, expected = voter_influence(method, X, mode=mode, top=top), by_recomputing(method, X, mode, top)
    assert found.columns.tolist() == COLUMNS
    for name in expected:
        if name in ("agreement", "distance", "weight"):
            np.testing.assert_allclose(found[name], expected[name], atol=1e-12, err_msg=name)
        else:
            same = (found[name] == expected[name]) | (found[name].isna() & expected[name].isna())
            assert same.all(), (name, found, expected)
    return found


def test_voter_influence_equals_an_example_by_hand():
    # Borda: a and b 6.5, c 5. Without u: v gives b 3, a 2, c 1, w gives c 3 and the others 1.5: b 4.5, c 4, a 3.5.
    # Without v: a 4.5, b 3.5, c 4. Without w: a 5, b 5, c 2.
    found = voter_influence(BordaCount(), SIX, top=2)
    assert found["voter"].tolist() == ["u", "v", "w"] and found["weight"].tolist() == [1, 1, 1]
    # Of the pairs, ab is tied in the full consensus: half; ac is turned without u, bc without v.
    assert found["distance"].tolist() == pytest.approx([1.5 / 3, 1.5 / 3, 0.0])
    # c comes into the first two; the full order is a, b by item.
    assert found["top_changed"].tolist() == [1, 1, 0]
    assert found["leader_changed"].tolist() == [True, False, False]
    # u: abc against bca; v: ba against a > b; w has one item.
    np.testing.assert_allclose(found["agreement"], [-1 / 3, -1.0, np.nan])
    assert found["outlier"].isna().all() and found["z"].isna().all()


def test_voter_influence_with_mode_drop_equals_an_example_by_hand():
    lists = pd.DataFrame({"query": "q", "voter": list("uuvvv"), "item": list("abbca"), "rank": [1, 2, 1, 2, 3]})
    # Borda: a 3 + 1, b 2 + 3, c 1 + 2. Without v there is no c, and a is before b.
    found = voter_influence(BordaCount(), lists, top=2, mode="drop").set_index("voter")
    assert found.loc["v", ["distance", "top_changed", "leader_changed"]].tolist() == [1.0, 0, True]
    # v's a and b are in the opposite order, and c is not there to compare.
    assert found["agreement"].tolist() == [-1.0, -1.0]
    # Without u: b, c, a; a and c are swapped, and c takes a's place.
    assert found.loc["u", ["distance", "top_changed", "leader_changed"]].tolist() == [1 / 3, 1, False]


@pytest.mark.exhaustive
@pytest.mark.filterwarnings("ignore::skrankagg.exceptions.NotComparedWarning")
@pytest.mark.parametrize("name", METHODS)
def test_voter_influence_equals_recomputing_for_every_method(name):
    method = clone(METHODS[name])
    tags = method.__sklearn_tags__()
    X, qrels, _ = make_ranked_lists(
        n_queries=2, n_voters=4, n_items=7, list_length=5, tie_probability=0.2, random_state=6
    )
    X = X.iloc[len(X.query("query == 'q1' and voter == 'v1'")) :]  # q1 has a list less
    X = X.assign(score=X["score"] - X["score"].min() + 1)
    if tags.aggregator_tags.supervised:
        method.set_params(qrels=Qrels.from_frame(qrels))
    method.fit(X)
    if tags.aggregator_tags.voter_weights and getattr(method, "support", None) != "log":
        check_recomputed(method, X, "silence")
    if "kemeny" not in name.lower():  # it returns one of several best orders
        check_recomputed(method, X, "drop")


@pytest.mark.parametrize("method", [InverseSquareRank(), ReciprocalRankFusion(), CombSUM(norm=None)], ids=repr)
def test_voter_influence_keeps_the_order_of_items_of_light_lists(method):
    rng = np.random.default_rng(0)
    rows = [
        ("q", voter, f"i{k}", place + 1, 5.0 - place, 1.0)
        for voter in "abc"
        for place, k in enumerate(rng.permutation(5))
    ]
    for voter, weight in (("y", 1e-11), ("z", 1.3e-11)):
        rows += [
            ("q", voter, f"{voter}{k}", place + 1, 1 - place / 50, weight)
            for place, k in enumerate(rng.permutation(40))
        ]
    X = pd.DataFrame(rows, columns=["query", "voter", "item", "rank", "score", "weight"])
    found = check_recomputed(method, X, "silence")
    # The items of the others keep their order where one of the light lists is silent.
    assert (found.loc[found["voter"].isin(["y", "z"]), "distance"] > 0).all()


@pytest.mark.exhaustive
@given(seed=st.integers(0, 10**6), number=st.integers(0, len(FEW) - 1), mode=st.sampled_from(["silence", "drop"]))
@settings(max_examples=35, deadline=None)
def test_voter_influence_equals_recomputing_for_lists_of_any_shape(seed, number, mode):
    rng = np.random.default_rng(seed)
    X = example_lists(seed, n_queries=3, n_voters=5, n_items=6)
    lists = X.groupby(["query", "voter"]).ngroup()
    # Queries of one list, lists of weight 0, and single items.
    X = X[rng.random(lists.max() + 1)[lists] < 0.7]
    if len(X):
        weight = rng.choice([0.0, 1.0, 1.0, 2.5], lists.max() + 1)[lists[X.index]]
        X = X.assign(weight=weight)
        X = X[X.groupby("query")["weight"].transform("max") > 0]
    if len(X):
        check_recomputed(FEW[number], X, mode, top=int(rng.integers(1, 5)))


@pytest.mark.parametrize("mode", ["silence", "drop"])
def test_voter_influence_is_independent_of_blocks_and_groups_of_queries(mode, monkeypatch):
    X = example_lists(2, n_queries=6, n_voters=9, n_items=12)
    number = X["query"].str[1:].astype(int)
    X = X[X["voter"].str[1:].astype(int) <= number]  # 1 to 6 lists
    expected = voter_influence(CombSUM(), X, mode=mode)
    pd.testing.assert_frame_equal(expected, voter_influence(CombSUM(), RankedLists.from_frame(X), mode=mode))
    monkeypatch.setattr(_influence, "_CELLS", 1)
    pd.testing.assert_frame_equal(expected, voter_influence(CombSUM(), X, mode=mode))
    one = X[X["query"] == "q3"]
    same = expected[expected["query"] == "q3"].reset_index(drop=True)
    pd.testing.assert_frame_equal(same, voter_influence(CombSUM(), one, mode=mode))


def test_voter_influence_keeps_learned_weights_and_ignored_voters():
    X, qrels, _ = make_ranked_lists(n_queries=6, n_voters=5, n_items=10, list_length=7, random_state=1)
    method = LearnedWeights(qrels=Qrels.from_frame(qrels), unknown_voter="ignore")
    method.fit(X[X["voter"].isin(["v1", "v2"])])
    found = check_recomputed(method, X, "silence")
    assert found[found["voter"] == "v5"]["distance"].eq(0).all()
    method.fit(X[X["voter"] == "v1"])
    # Without the only known voter there is nothing left to rank by.
    found = voter_influence(method, X)
    assert found[found["voter"] == "v1"]["distance"].isna().all() and found["distance"].notna().sum() == 24
    fitted = DIBRA(weighting="global").fit(X)
    check_recomputed(fitted, X, "silence")


def test_voter_influence_gives_adversarial_voters_the_lowest_agreement():
    lists, _, truth = make_ranked_lists(
        n_queries=12, n_voters=12, n_items=40, list_length=25, adversarial_share=0.25, random_state=0
    )
    adversarial = truth.voters.set_index("voter")["adversarial"]
    for method in (BordaCount(), CombSUM(), Copeland()):
        found = voter_influence(method, lists)
        bad = found["voter"].map(adversarial)
        order = rankdata(found["agreement"])
        n_bad, n_good = bad.sum(), (~bad).sum()
        auc = 1 - (order[bad].sum() - n_bad * (n_bad + 1) / 2) / (n_bad * n_good)
        assert auc >= 0.95
        assert found["outlier"][bad].mean() >= (0.65 if isinstance(method, CombSUM) else 0.9)
        assert found["outlier"][~bad].mean() <= 0.07
        by_z = found["z"].groupby(bad).median()
        assert by_z[True] < -2 < by_z[False]


ABILITY = [2.0, 1.2, 1.2, 1.2, 0.6, 0.5, 0.0, 0.0, 0.0, -0.6, -1.2, -1.3]


def leaderboards(rng, *, ability=ABILITY, n_reversed=1):
    """Return 20 boards of 12 models and 30 tasks with missing cells; the last tasks have the wrong sign."""
    score = rng.normal(np.array(ability)[:, None], size=(20, 12, 30))
    score[:, :, 30 - n_reversed :] *= -1
    query, item, voter = np.nonzero(rng.random(score.shape) >= 0.2)
    frame = pd.DataFrame({"query": query, "voter": voter, "item": item, "score": score[query, item, voter]})
    return frame, 30 - n_reversed


def mallows(rng, phi, n_reversed=0):
    """Return 20 queries of 10 Mallows voters who rank 50 items, the last voters in reverse."""
    frame = make_mallows(n_queries=20, n_voters=10, n_items=50, phi=phi, random_state=int(rng.integers(1000)))
    voter = pd.factorize(frame["voter"], sort=True)[0]
    rank = frame["rank"].where(voter < 10 - n_reversed, 51 - frame["rank"])
    return frame.assign(voter=voter, rank=rank), 10 - n_reversed


def short_lists(rng, spread, *, length=5, n_reversed=0):
    """Return 20 queries of 25 Plackett-Luce voters who rank 5 random items of 40."""
    worth = spread * np.linspace(3**0.5, -(3**0.5), 40)
    item = rng.permuted(np.tile(np.arange(40), (20, 25, 1)), axis=2)[:, :, :length]
    score = worth[item] + rng.gumbel(size=item.shape)
    score[:, 25 - n_reversed :] *= -1
    query, voter, _ = np.indices(item.shape)
    columns = {"query": query, "voter": voter, "item": item, "score": score}
    return pd.DataFrame({name: one.ravel() for name, one in columns.items()}), 25 - n_reversed


def marks(lists, first_bad, method):
    """Return the shares of outliers among good and long reversed lists, and the expected maximum."""
    found = voter_influence(method, lists)
    length = lists.groupby(["query", "voter"]).size().to_numpy()
    outlier, bad = found["outlier"].fillna(False).to_numpy(bool), found["voter"].to_numpy() >= first_bad
    expected = LEVEL * found["outlier"].notna()[~bad].mean()
    return outlier[~bad].mean(), outlier[bad & (length >= 10)].mean() if bad.any() else np.nan, expected


DESIGNS = {
    "leaderboard": (leaderboards, {}, 1.0),
    "leaderboard, six reversed": (leaderboards, {"n_reversed": 6}, 0.9),
    "leaderboard, little noise": (leaderboards, {"ability": [5 * one for one in ABILITY]}, 1.0),
    "Mallows, 0.99": (mallows, {"phi": 0.99}, None),
    "Mallows, 0.9": (mallows, {"phi": 0.9}, None),
    "Mallows, 0.5": (mallows, {"phi": 0.5}, None),
    "Mallows, 0.9, two reversed": (mallows, {"phi": 0.9, "n_reversed": 2}, 1.0),
    "short, nearly random": (short_lists, {"spread": 0.3}, None),
    "short": (short_lists, {"spread": 1.0}, None),
    "short, little noise": (short_lists, {"spread": 3.0}, None),
    "ten of 40, three reversed": (short_lists, {"spread": 2.0, "length": 10, "n_reversed": 3}, 0.9),
}


@pytest.mark.sampled(8)
@pytest.mark.parametrize("method", [BordaCount(absent="ignore"), BordaCount()], ids=["ignore", "last"])
@pytest.mark.parametrize("design", DESIGNS)
def test_voter_influence_marks_reversed_but_few_good_lists_as_outliers(design, method):
    make, arguments, least = DESIGNS[design]
    good, reverse, expected = marks(*make(np.random.default_rng(3), **arguments), method)
    assert good <= 0.07 and good <= expected + 0.02
    if least is not None and not (make is short_lists and method.absent == "last"):
        assert reverse >= least


@pytest.mark.sampled(1)
@pytest.mark.parametrize(("length", "quality"), [(4, 0.95), (6, 0.93), (8, 0.93)])
def test_voter_influence_limits_outliers_if_most_lists_are_equal(length, quality):
    # Over half of the lists agree in all pairs: their spread is 0.
    rng = np.random.default_rng(0)
    swapped = rng.random((40, 25, length - 1)) > quality
    rows = []
    for (q, v), swaps in zip(np.ndindex(40, 25), swapped.reshape(-1, length - 1), strict=True):
        order = list(range(length))
        for place in np.flatnonzero(swaps):
            order[place : place + 2] = order[place : place + 2][::-1]
        rows.append(pd.DataFrame({"query": q, "voter": v, "item": order, "rank": range(length)}))
    rows.append(pd.DataFrame({"query": 0, "voter": 99, "item": range(length), "rank": range(length, 0, -1)}))
    found = voter_influence(BordaCount(), pd.concat(rows))
    assert (found["agreement"] == 1).mean() > 0.5
    outlier = found["outlier"].fillna(False)
    assert outlier[found["voter"] < 99].mean() <= 0.07
    assert outlier[found["voter"] == 99].all()


class ByNumber(BaseAggregator):
    """Ranks items by their ids and ignores the lists."""

    def _aggregate(self, lists):
        return -lists.items[lists.candidate_item].astype(float)


def pair_by_pair(lists):
    """Return agreement with the order of items, number of untied pairs and deviation of random lists."""
    rows = {}
    for voter, own in lists.groupby("voter"):
        item, rank, n = own["item"].to_numpy(), own["rank"].to_numpy(), len(own)
        signs = [np.sign(rank[i] - rank[j]) * np.sign(item[i] - item[j]) for i in range(n) for j in range(i)]
        untied = np.count_nonzero(signs)
        sizes = np.unique(rank, return_counts=True)[1]
        variance = (n * (n - 1) * (2 * n + 5) - (sizes * (sizes - 1) * (2 * sizes + 5)).sum()) / 18
        if untied > 1 + norm.ppf(0.95) * variance**0.5:
            pairs = (untied * len(signs)) ** 0.5
            rows[voter] = {"agreement": sum(signs) / pairs, "pairs": pairs, "sd": variance**0.5 / pairs}
    return pd.DataFrame.from_dict(rows, orient="index")


def thresholds(table, counted):
    discordant = (1 - table["agreement"]) / 2 * table["pairs"]
    angle = 2 * np.arcsin(((discordant + 3 / 8) / (table["pairs"] + 3 / 4)) ** 0.5)
    apart = (angle - angle[counted].median()).abs()
    found = {}
    for voter, own in table.iterrows():
        spread = 1.4826022 * max(apart[counted].median(), (apart / table["sd"])[counted].median() * own["sd"])
        spread = max(spread, 0.5**0.5 * own["sd"])
        bound = angle[counted].median() + norm.ppf(0.95) * (1 + 3 / counted.sum()) * spread
        share = (np.sin(bound / 2) ** 2 * (own["pairs"] + 3 / 4) - 3 / 8 + 1 / 2) / own["pairs"]
        found[voter] = 1 - 2 * share if bound < np.pi and share < 1 else np.nan
    return pd.Series(found)


def test_voter_influence_threshold_equals_the_formula():
    rng = np.random.default_rng(1)
    rows = []
    for q, n_voters in enumerate((4, 5, 6, 12, 13, 14)):
        for voter in range(n_voters):
            items = rng.choice(20, rng.choice([1, 3, 5, 8, 20]) if q < 5 else 6, replace=False)
            score = items / 20 + rng.normal(size=len(items)) / 4
            score *= -1 if voter in (2, 7) else 1
            # Half of the lists have ties.
            rank = rankdata(score.round(1) if voter % 2 else score)
            rows.append(pd.DataFrame({"query": q, "voter": voter, "item": items, "rank": rank}))
    lists = pd.concat(rows)
    found = voter_influence(ByNumber(), lists).set_index(["query", "voter"])
    n_told = n_passes = 0
    for query, own in lists.groupby("query"):
        table = pair_by_pair(own)
        expected = pd.Series(dtype=float)
        if len(table) >= 5:
            expected = thresholds(table, table["agreement"] < 2)
            others = ~(table["agreement"] < expected)
            if others.sum() >= 5:
                n_passes += not others.all()
                expected = thresholds(table, others)
        here = found.loc[query]
        np.testing.assert_allclose(here["threshold"], expected.reindex(here.index), rtol=1e-6)
        n_told += len(expected)
    assert n_told > 20 and n_passes > 1
    known = found["threshold"].notna()
    assert found["outlier"].isna().equals(~known)
    below = found["agreement"] < found["threshold"]
    assert found.loc[known, "outlier"].astype(bool).equals(below[known]) and below.any()


def all_deviations(first, second):
    n = len(first)
    signs = np.sign(np.subtract.outer(second, second))[np.triu_indices(n, 1)]
    own = np.array([np.sign(np.subtract.outer(p, p))[np.triu_indices(n, 1)] for p in itertools.permutations(first)])
    return own @ signs


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ([1, 2], [1, 2]),
        ([1, 2, 3], [1, 2, 3]),
        (range(6), range(6)),
        ([1, 1, 2, 3, 3], [1, 2, 2, 2, 3]),
        ([1] * 4, [1, 1, 2, 3]),
    ],
)
def test_null_deviation_equals_the_deviation_over_all_permutations(first, second):
    first, second = np.sort(np.array(first)), np.array(second)
    dense = [np.unique(one, return_inverse=True)[1] for one in (first, second)]
    found = null_deviation(np.array([0, len(first)]), *dense)
    assert found[0] == pytest.approx(all_deviations(first, second).std())


def test_voter_influence_z_uses_median_and_mad():
    lists = example_lists(0, n_queries=1, n_voters=9, n_items=12, full=True)
    found = voter_influence(BordaCount(), lists)
    a = found["agreement"]
    np.testing.assert_allclose(found["z"], (a - a.median()) / (1.4826022 * (a - a.median()).abs().median()), rtol=1e-6)
    few = lists[lists["voter"].isin(lists["voter"].unique()[:4])]
    assert voter_influence(BordaCount(), few)["z"].isna().all()
    same = pd.concat([lists[lists["voter"] == "v1"].assign(voter=v) for v in range(6)])
    assert voter_influence(BordaCount(), same)["z"].isna().all()


class Fussy(BaseAggregator):
    """Fails without the list of voter w."""

    def _aggregate(self, lists):
        for q in range(lists.n_queries):
            own = slice(lists.list_ptr[q], lists.list_ptr[q + 1])
            there = lists.list_weight[own][lists.voters[lists.list_voter[own]] == "w"]
            if not (there > 0).any():
                raise InputError("The list of w must count.")
        return np.bincount(lists.candidate, weights=-lists.rank * lists.list_weight[lists.row_list])


class AllOrNothing(Fussy):
    """Fails without any of three lists."""

    def _aggregate(self, lists):
        if (lists.list_weight > 0).sum() < 3:
            raise InputError("All lists must count.")
        return super()._aggregate(lists)


@pytest.mark.parametrize("mode", ["silence", "drop"])
def test_voter_influence_reports_failures_as_missing_with_a_warning(mode):
    X = pd.concat([SIX, SIX.assign(query="p")])
    with pytest.warns(UserWarning, match="failed when 2 lists of 6 were left out .*The list of w must count"):
        found = voter_influence(Fussy(), X, mode=mode)
    assert found["distance"].isna().tolist() == [False, False, True] * 2
    assert found["top_changed"].isna().tolist() == [False, False, True] * 2
    assert found["leader_changed"].isna().tolist() == [False, False, True] * 2
    with pytest.raises(InputError, match=r"failed for every list that was left out\. .* must count"):
        voter_influence(AllOrNothing(), SIX, mode=mode)


class Undefined(BaseAggregator):
    """Scores are NaN without the list of voter w."""

    def _aggregate(self, lists):
        try:
            return Fussy()._aggregate(lists)
        except InputError:
            return np.full(lists.n_candidates, np.nan)


class Hungry(BaseAggregator):
    """Needs too much memory without the list of voter w."""

    def _aggregate(self, lists):
        try:
            return Fussy()._aggregate(lists)
        except InputError:
            raise MemoryLimitError("The lists do not fit into memory.") from None


def test_voter_influence_counts_scores_of_nan_as_a_failure():
    with pytest.warns(UserWarning, match="failed when 1 list of 3 was left out .*NaN"):
        found = voter_influence(Undefined(), SIX)
    assert found["distance"].isna().tolist() == [False, False, True]


@pytest.mark.parametrize("mode", ["silence", "drop"])
def test_voter_influence_does_not_hide_a_lack_of_memory(mode):
    with pytest.raises(MemoryLimitError, match=r"The lists do not fit into memory\."):
        voter_influence(Hungry(), SIX, mode=mode)


def test_voter_influence_rejects_invalid_arguments():
    with pytest.raises(InputError, match=r"`mode` must be 'drop' for Agglomerative, which does not accept weights"):
        voter_influence(Agglomerative(), SIX)
    with pytest.raises(InputError, match=r"`mode` must be one of 'silence', 'drop'; got 'drops' .did you mean"):
        voter_influence(BordaCount(), SIX, mode="drops")
    for top in (0, 1.5, True):
        with pytest.raises(InputError, match="`top` must be a whole number"):
            voter_influence(BordaCount(), SIX, top=top)
    with pytest.raises(InputTypeError, match="must be an aggregator"):
        voter_influence(None, SIX)
    with pytest.raises(NotFittedError):
        voter_influence(LearnedWeights(), SIX)


def test_voter_influence_of_a_single_list_is_missing():
    found = voter_influence(BordaCount(), SIX[SIX["voter"] == "u"])
    assert (
        found[["agreement", "z", "threshold", "outlier", "distance", "top_changed", "leader_changed"]]
        .isna()
        .all(axis=None)
    )
    assert found.dtypes[["top_changed", "leader_changed", "outlier"]].astype(str).tolist() == [
        "Int64",
        "boolean",
        "boolean",
    ]


def grouped_lists(seed=0):
    """Return comparisons of two queries by six judges, with weights above 1, and longer lists with a grouping."""
    rng = np.random.default_rng(seed)
    games = [
        make_comparisons(6, 160, tie_probability=0.2, random_state=seed + k).comparisons.assign(
            board=f"b{k}", judge=rng.choice(list("uvwxyz")[k:], 160)
        )
        for k in range(2)
    ]
    duels = RankedLists.from_comparisons(pd.concat(games, ignore_index=True), voter="judge", query_column="board")
    frame = make_ranked_lists(n_queries=2, n_voters=9, random_state=seed)[0]
    frame["platform"] = frame["voter"].map(dict(zip(sorted(frame["voter"].unique()), "abcabcabd", strict=True)))
    return {"duels": duels, "lists": RankedLists.from_frame(frame, groups=["platform"])}


def without_by_hand(method, lists, query, group, name, mode, top):
    """Leave out all lists of a group in a query, and compute the row of voter_influence by loops over pairs."""
    own = lists[[lists.queries.tolist().index(query)]]
    mine = (own.groups[name] == group).to_numpy()
    left = own.with_list_weight(np.where(mine, 0.0, own.list_weight)) if mode == "silence" else own.keep_lists(~mine)[0]
    full, rest = method.transform(own), method.transform(left)
    before, after = full.set_index("item")["score"], rest.set_index("item")["score"]
    swapped, pairs = 0.0, list(itertools.combinations(sorted(rest["item"]), 2))
    for one, other in pairs:
        a, b = np.sign(before[one] - before[other]), np.sign(after[one] - after[other])
        swapped += 1.0 if a * b < 0 else 0.5 if a != b else 0.0
    same = ordered = untied = 0.0
    rows = own.keep_lists(mine)[0].to_frame()
    for _, part in rows.groupby("voter"):
        part = part[part["item"].isin(after.index)]
        weight = part["weight"].iloc[0] if "weight" in part else 1.0
        for one, other in itertools.combinations(part.index, 2):
            a = np.sign(part["rank"][other] - part["rank"][one])
            b = np.sign(after[part["item"][one]] - after[part["item"][other]])
            same, ordered, untied = same + weight * a * b, ordered + weight * abs(a), untied + weight * abs(b)
    tops = [set(one["item"][:top]) for one in (full, rest)]
    return {
        "query": query,
        "voter": group,
        "weight": own.list_weight[mine].sum(),
        "agreement": same / np.sqrt(ordered * untied),
        "distance": swapped / len(pairs),
        "top_changed": len(tops[0] - tops[1]),
        "leader_changed": full["item"][0] != rest["item"][0],
    }


@pytest.mark.parametrize("mode", ["silence", "drop"])
@pytest.mark.parametrize(
    ("kind", "method", "name"),
    [
        ("duels", PlackettLuce(), "judge"),
        ("duels", PlackettLuce(ties="davidson"), "judge"),
        ("lists", BordaCount(), "platform"),
        ("lists", DIBRA(), "platform"),
    ],
)
def test_voter_influence_of_groups_equals_leaving_each_group_out_by_hand(kind, method, name, mode):
    lists = grouped_lists()[kind]
    found = voter_influence(method, lists, unit=name, mode=mode, top=2)
    assert found.columns.tolist() == COLUMNS
    groups = lists.to_frame()[["query", name]].drop_duplicates().sort_values(["query", name]).to_numpy().tolist()
    expected = pd.DataFrame([without_by_hand(method, lists, *group, name, mode, 2) for group in groups])
    assert len(found) == len(expected) > 7
    pd.testing.assert_frame_equal(
        found[expected.columns.tolist()].astype(expected.dtypes), expected, check_exact=False, atol=1e-9
    )
    assert found["distance"].gt(0).any()


def test_voter_influence_of_groups_of_one_list_equals_the_lists(monkeypatch):
    lists = RankedLists.from_frame(
        make_ranked_lists(n_queries=3, n_voters=7, random_state=1)[0].assign(who=lambda df: df["voter"]), groups=["who"]
    )
    for mode in ("silence", "drop"):
        expected = voter_influence(CombSUM(), lists, mode=mode)
        pd.testing.assert_frame_equal(
            voter_influence(CombSUM(), lists, mode=mode, unit="who"), expected, check_dtype=False, atol=1e-12
        )
        monkeypatch.setattr(_influence, "_CELLS", 1)  # one unit at a time


def test_voter_influence_finds_the_judge_who_prefers_the_worse_item():
    games = make_comparisons(8, 3000, random_state=3).comparisons
    games["judge"] = np.arange(len(games)) % 15
    bad = games["judge"] == 4
    games.loc[bad, ["winner", "loser"]] = games.loc[bad, ["loser", "winner"]].to_numpy()
    found = voter_influence(PlackettLuce(), RankedLists.from_comparisons(games, voter="judge"), unit="judge")
    assert found.loc[found["outlier"], "voter"].tolist() == [4]


def test_voter_influence_rejects_an_unknown_unit():
    lists = grouped_lists()["duels"]
    with pytest.raises(InputError, match=r"`unit` must be 'list', or the name of a grouping; got 'jugde'"):
        voter_influence(PlackettLuce(), lists, unit="jugde")
    with pytest.raises(InputError, match="Pass a frame with a column of this name"):
        voter_influence(BordaCount(), SIX, unit="judge")
