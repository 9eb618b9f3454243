"""Agreement between rankings: brute force over pairs and orders, scipy, and published values."""

import importlib.util
import itertools
import re

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from skrankagg import Comparator, Copeland, Qrels, RankedLists
from skrankagg.aggregators import CombSUM
from skrankagg.datasets import make_ranked_lists
from skrankagg.exceptions import RankScoreConflictWarning
from skrankagg.metrics import (
    ConsensusScorer,
    agreement_matrix,
    agreement_names,
    average_overlap,
    concordance,
    consensus_agreement,
    consensus_score,
    footrule_distance,
    goodman_kruskal_gamma,
    kendall_distance,
    kendall_tau,
    kendall_w,
    overlap,
    rank_biased_overlap,
    spearman_rho,
    tau_ap,
    weighted_tau,
)
from skrankagg.metrics._agreement import _matrices

pytestmark = pytest.mark.twice

ITEMS = "abcdef"
# Ranks of the items, None where a ranking lacks one; few numbers, so that there are ties.
RANKS = st.lists(st.sampled_from([None, 1, 2, 3, 4]), min_size=6, max_size=6)
FULL = st.lists(st.integers(1, 4), min_size=6, max_size=6)


def ranking(ranks):
    return {item: rank for item, rank in zip(ITEMS, ranks, strict=True) if rank is not None}


def sign(a, b):
    return (a < b) - (a > b)


def brute_pairs(first, second):
    """Return signs of both rankings' preferences between their common items."""
    items = [item for item in first if item in second]
    return [(sign(first[i], first[j]), sign(second[i], second[j])) for i, j in itertools.combinations(items, 2)]


# ---------------------------------------------------------------------- Kendall's family


@given(first=RANKS, second=RANKS)
@settings(max_examples=80, deadline=None)
def test_kendall_tau_variants_equal_their_definitions(first, second):
    first, second = ranking(first), ranking(second)
    pairs = brute_pairs(first, second)
    product = sum(a * b for a, b in pairs)
    both = sum(abs(a * b) for a, b in pairs)
    # Emond and Mason: 1 where an item is above or tied, -1 where it is below, over ordered pairs.
    x = sum((2 * (a >= 0) - 1) * (2 * (b >= 0) - 1) + (2 * (a <= 0) - 1) * (2 * (b <= 0) - 1) for a, b in pairs) / 2
    ones = [sum(abs(pair[side]) for pair in pairs) for side in (0, 1)]
    for found, numerator, divisor in (
        (kendall_tau(first, second, variant="a"), product, len(pairs)),
        (kendall_tau(first, second), product, np.sqrt(ones[0] * ones[1])),
        (kendall_tau(first, second, variant="x"), x, len(pairs)),
        (goodman_kruskal_gamma(first, second), product, both),
    ):
        assert found == pytest.approx(numerator / divisor if divisor else np.nan, nan_ok=True)


@given(first=FULL, second=FULL)
@settings(max_examples=40, deadline=None)
def test_spearman_kendall_and_weighted_tau_equal_scipy(first, second):
    pair = ranking(first), ranking(second)
    with np.errstate(all="ignore"):
        if len(set(first)) > 1 and len(set(second)) > 1:
            assert spearman_rho(*pair) == pytest.approx(stats.spearmanr(first, second).statistic)
        assert kendall_tau(*pair) == pytest.approx(stats.kendalltau(first, second).statistic, nan_ok=True)
    expected = stats.weightedtau([-rank for rank in first], [-rank for rank in second]).statistic
    assert weighted_tau(*pair) == pytest.approx(expected, nan_ok=True)


def test_kendall_tau_x_gives_a_metric():
    rankings = [dict(zip("abc", ranks, strict=True)) for ranks in itertools.product((1, 2, 3), repeat=3)]
    distance = np.array([[3 * (1 - kendall_tau(r, s, variant="x")) for s in rankings] for r in rankings])
    assert (distance[:, :, None] <= distance[:, None, :] + distance.T[None] + 1e-9).all()


def brute_top_distance(first, second, p):
    """Sum the four cases of Fagin, Kumar and Sivakumar, and ties."""
    cost = 0.0
    for i, j in itertools.combinations(sorted(set(first) | set(second)), 2):

        def place(r, item):
            return r.get(item, 99)

        a, b = (sign(place(r, i), place(r, j)) for r in (first, second))
        cost += 1 if a * b < 0 else p if (a == 0) != (b == 0) else 0
    return cost


@given(first=RANKS, second=RANKS, p=st.sampled_from([0.0, 0.5, 1.0]))
@settings(max_examples=60, deadline=None)
def test_kendall_distance_counts_fagins_cases(first, second, p):
    first, second = ranking(first), ranking(second)
    n = len(set(first) | set(second))
    expected = brute_top_distance(first, second, p)
    assert kendall_distance(first, second, penalty=p) == expected
    if n > 1:
        assert kendall_distance(first, second, penalty=p, normalize=True) == pytest.approx(expected / (n * (n - 1) / 2))


def test_footrule_distance_of_top_lists_equals_fagins_closed_form():
    rng = np.random.default_rng(0)
    for _ in range(30):
        k = 5
        one, two = rng.permutation(9)[:k].tolist(), rng.permutation(9)[:k].tolist()
        both = set(one) & set(two)
        alone = [sum(r.index(i) + 1 for i in r if i not in both) for r in (one, two)]
        expected = 2 * (k - len(both)) * (k + 1) - sum(alone)
        expected += sum(abs(one.index(i) - two.index(i)) for i in both)
        assert footrule_distance(one, two) == expected
    assert footrule_distance(list(range(7)), list(range(7))[::-1], normalize=True) == 1.0
    assert footrule_distance(list("abc"), list("def"), normalize=True) == 1.0
    assert footrule_distance(list("ab"), list("bc"), location=10) == 1 + 9 + 8


@given(first=st.permutations(list("abcde")), second=st.permutations(list("abcde")))
@settings(max_examples=30, deadline=None)
def test_footrule_distance_is_between_one_and_two_kendall_distances(first, second):
    kendall = kendall_distance(first, second)
    assert kendall <= footrule_distance(first, second) <= 2 * kendall


# ---------------------------------------------------------------------- the top of the lists


def orders(ranks):
    """Return all full orders that agree with the ranks."""
    groups = [
        list(group) for _, group in itertools.groupby(sorted(ranks, key=lambda i: (ranks[i], i)), lambda i: ranks[i])
    ]
    return [list(itertools.chain(*order)) for order in itertools.product(*map(itertools.permutations, groups))]


def brute_tau_ap(first, second):
    above = [sum(second.index(item) < second.index(first[i]) for item in first[:i]) / i for i in range(1, len(first))]
    return 2 * np.mean(above) - 1


def test_tau_ap_is_the_mean_over_all_orders_of_the_ties():
    rng = np.random.default_rng(1)
    for _ in range(15):
        first, second = (
            {item: int(rank) for item, rank in zip("abcde", rng.integers(0, 3, 5), strict=True)} for _ in "12"
        )
        expected = np.mean([brute_tau_ap(x, y) for x in orders(first) for y in orders(second)])
        assert tau_ap(first, second) == pytest.approx(expected)
    assert tau_ap(list("abcd"), list("abcd")) == 1.0 and tau_ap(list("abcd"), list("dcba")) == -1.0
    assert np.isnan(tau_ap(["a"], ["a"]))


def brute_overlap(first, second, k):
    return len(set(first[:k]) & set(second[:k])) / k


def test_overlap_and_rbo_are_the_mean_over_all_orders_of_the_ties():
    rng = np.random.default_rng(2)
    for _ in range(6):
        first, second = (
            {
                item: int(rank)
                for item, rank in zip(rng.permutation(list(ITEMS))[:4], rng.integers(0, 2, 4), strict=True)
            }
            for _ in "12"
        )
        pairs = list(itertools.product(orders(first), orders(second)))
        for k in (1, 3, 5, 7):
            expected = [np.mean([brute_overlap(x, y, d) for x, y in pairs]) for d in range(1, k + 1)]
            assert overlap(first, second, k) == pytest.approx(expected[-1])
            assert average_overlap(first, second, k) == pytest.approx(np.mean(expected))
        for score in ("ext", "min"):
            expected = np.mean([rank_biased_overlap(x, y, persistence=0.8, score=score) for x, y in pairs])
            assert rank_biased_overlap(first, second, persistence=0.8, score=score) == pytest.approx(expected)


# From the test values that M. Corsi and J. Urbano published with "The treatment of ties in rank-biased overlap".
PUBLISHED = """
(i5 i9 i13 i15 i16 i19 i20) (i3 i8),i6 (i4 i18) i2 i7 i8 i17 i14 (i11 i12) i1,0.958074765324023,0.0816485573277354,0.0370062754797617,0.59493569657566,0.557929421095898,0.0808189832771587,0.0354671825076603,0.593396603603558,0.557929421095898,0.0813693619867344,0.0356267307324464,0.593556151828344,0.557929421095898
i13 (i1 i4 i5 i6),i3 i14 i11 (i10 i15) i12 (i6 i9) i4 i2,0.92238320668128,0.117578490431637,0.0763135264223449,0.53999366118093,0.463680134758586,0.114619469221414,0.0733545052121218,0.537945108035391,0.464590602823269,0.11474835409049,0.0734833900811979,0.538589532380772,0.465106142299574
(i4 i7 i15) (i2 i11) i8 i18,i4 i8 i17 i11 (i2 i3 i5 i7 i9 i13 i14),0.955836875418683,0.601671359995661,0.310498723372055,0.820912519608734,0.510413796236679,0.584235464666522,0.295503371358027,0.805839323150565,0.510335951792538,0.632087129618464,0.322093781902212,0.833840285843908,0.511746503941696
(i3 i6) (i2 i7) i10,(i3 i6 i7 i10) (i1 i2),0.965413635276732,0.946064537517568,0.343706790399566,0.958770957517067,0.615064167117501,0.92051534467649,0.319428239558438,0.934492406675939,0.615064167117501,0.956844651806714,0.348953051936765,0.964017219054266,0.615064167117501
(i4 i14) i10 i9 i16 i1 (i11 i21) i7,(i4 i7 i9 i10 i14 i16) i21 (i1 i11) (i3 i6 i17 i18),0.980350757903177,0.95731778452095,0.350742506261885,0.95731778452095,0.606575278259065,0.939619367902257,0.336112285552834,0.939619367902257,0.603507082349424,0.96333114711547,0.35963910728389,0.96333114711547,0.60369203983158
i21 i20 (i1 i16 i19) (i5 i10) i4,(i12 i17) (i2 i3 i8 i11) (i15 i18) (i6 i13) (i7 i14) i9,0.930074017489188,0,0,0.389142712252727,0.389142712252727,0,0,0.38977330351866,0.38977330351866,0,0,0.390116806797613,0.390116806797613
(i1 i9 i15 i17) i13 i4 i3 i2,(i1 i17) i15 i9 i13 i4 (i2 i3) i14,0.959906916802432,0.966438584453973,0.512284507728805,0.966438584453973,0.454154076725168,0.939211367148046,0.485057290422878,0.939211367148046,0.454154076725168,0.970894528910972,0.516740452185804,0.970894528910972,0.454154076725168
"""  # noqa: E501


def parse(text):
    return [set(tied.split()) if tied else item for tied, item in re.findall(r"\(([^)]*)\)|(\w+)", text)]


@pytest.mark.parametrize("line", PUBLISHED.split("\n")[1:-1])
def test_rank_biased_overlap_reproduces_published_values(line):
    first, second, p, *values = line.split(",")
    names = itertools.product("wab", ("ext", "min", "max", "res"))
    for (ties, score), value in zip(names, values, strict=True):
        for pair in ((first, second), (second, first)):
            found = rank_biased_overlap(*map(parse, pair), persistence=float(p), ties=ties, score=score)
            assert found == pytest.approx(float(value), abs=1e-9)


def extended_rbo(first, second, p, depth=400):
    return (1 - p) / p * sum(brute_overlap(first, second, d) * p**d for d in range(1, depth + 1))


def test_rank_biased_overlap_bounds_equal_extreme_extensions():
    rng = np.random.default_rng(3)
    for _ in range(10):
        first, second = rng.permutation(list(ITEMS))[:3].tolist(), rng.permutation(list(ITEMS))[:5].tolist()
        p = 0.7
        low = extended_rbo(first + [f"x{k}" for k in range(400)], second + [f"y{k}" for k in range(400)], p)
        assert rank_biased_overlap(first, second, persistence=p, score="min") == pytest.approx(low, abs=1e-9)
        shared = [f"z{k}" for k in range(400)]
        high = 0.0
        lacking = [item for item in second if item not in first]
        for mine in itertools.permutations(lacking):  # any order of what the shorter one lacks, and then what is common
            others = [item for item in first if item not in second]
            for theirs in itertools.permutations(others):
                high = max(high, extended_rbo([*first, *mine, *shared], [*second, *theirs, *shared], p))
        assert rank_biased_overlap(first, second, persistence=p, score="max") == pytest.approx(high, abs=1e-9)
        between = rank_biased_overlap(first, second, persistence=p)
        assert low - 1e-9 <= between <= high + 1e-9


def test_rank_biased_overlap_with_itself_is_1_unless_ties_is_a():
    one = ["a", {"b", "c"}, "d"]
    assert rank_biased_overlap(one, one, ties="w") == pytest.approx(1.0)
    assert rank_biased_overlap(one, one, ties="b") == pytest.approx(1.0)
    assert rank_biased_overlap(one, one, ties="a") < 1
    assert rank_biased_overlap([], ["a"]) == 0.0 == rank_biased_overlap(["a"], [], score="min")


def test_kendall_w_equals_its_formula_and_the_mean_correlation():
    rng = np.random.default_rng(4)
    rankings = [dict(zip(ITEMS, rng.permutation(6), strict=True)) for _ in range(4)]
    rho = np.mean([spearman_rho(a, b) for a, b in itertools.combinations(rankings, 2)])
    assert kendall_w(rankings) == pytest.approx((1 + 3 * rho) / 4)  # without ties, a known identity
    tied = np.array([[1, 2.5, 2.5, 4], [1, 3, 2, 4], [2, 1, 3.5, 3.5]])
    friedman = stats.friedmanchisquare(*tied.T).statistic
    assert kendall_w([dict(zip("abcd", row, strict=True)) for row in tied]) == pytest.approx(friedman / (3 * 3))


# ---------------------------------------------------------------------- matrices


@pytest.fixture(scope="module")
def lists():
    """Return lists of several voters and queries, with absent items and ties."""
    rng = np.random.default_rng(5)
    rows = [
        (f"q{q}", f"v{v}", item, int(rng.integers(1, 6)))
        for q in range(3)
        for v in range(4)
        if (q, v) != (1, 2)
        for item in rng.permutation(list("abcdefgh"))[: rng.integers(2, 8)]
    ]
    return pd.DataFrame(rows, columns=["query", "voter", "item", "rank"])


def as_rankings(lists):
    encoded = RankedLists.from_frame(lists).to_frame()
    return {
        key: dict(zip(rows["item"], rows["rank"], strict=True)) for key, rows in encoded.groupby(["query", "voter"])
    }


FUNCTIONS = {
    **{f"tau-{v}": lambda r, s, v=v: kendall_tau(r, s, variant=v) for v in "abx"},
    "gamma": goodman_kruskal_gamma,
    "kendall-distance": kendall_distance,
    "footrule": footrule_distance,
    "spearman": spearman_rho,
    "weighted-tau": weighted_tau,
    "tau-ap": tau_ap,
    "overlap": lambda r, s: overlap(r, s, 3),
    "average-overlap": average_overlap,
    "rbo": rank_biased_overlap,
}


@pytest.mark.parametrize("measure", agreement_names())
def test_agreement_matrix_contains_the_agreement_of_every_two_voters(lists, measure):
    options = {"k": 3} if measure == "overlap" else {}
    rankings = as_rankings(lists)
    table = agreement_matrix(lists, measure, per_query=True, **options)
    for (query, voter), row in table.iterrows():
        for other, value in row.items():
            if (query, voter) in rankings and (query, other) in rankings:
                expected = FUNCTIONS[measure](rankings[query, voter], rankings[query, other])
                assert value == pytest.approx(expected, nan_ok=True), (query, voter, other)
            else:
                assert np.isnan(value)
    mean = agreement_matrix(lists, measure, **options)
    np.testing.assert_allclose(mean, table.groupby("voter").mean(), atol=1e-12)


def test_agreement_matrix_passes_options_to_the_measure(lists):
    rankings = as_rankings(lists)
    table = agreement_matrix(lists, "kendall-distance", penalty=0.0, normalize=True, per_query=True)
    found = table.loc[("q0", "v0"), "v1"]
    assert found == pytest.approx(
        kendall_distance(rankings["q0", "v0"], rankings["q0", "v1"], penalty=0.0, normalize=True)
    )
    table = agreement_matrix(lists, "rbo", persistence=0.5, ties="w", score="min", per_query=True)
    expected = rank_biased_overlap(rankings["q0", "v0"], rankings["q0", "v1"], persistence=0.5, ties="w", score="min")
    assert table.loc[("q0", "v0"), "v1"] == pytest.approx(expected)


@pytest.mark.parametrize(
    ("measure", "options", "error", "words"),
    [
        ("tau", {}, ValueError, "choose from average-overlap, footrule"),
        ("tau-b", {"p": 1}, TypeError, "has no options; got p"),
        ("rbo", {"q": 1}, TypeError, "options of 'rbo' must be among persistence, score, ties; got q"),
        ("overlap", {}, TypeError, "'overlap' needs k"),
        ("rbo", {"persistence": 1}, ValueError, "between 0 and 1"),
        ("rbo", {"score": "x"}, ValueError, "`score` must be one of 'ext', 'min', 'max', 'res'"),
        ("rbo", {"ties": "x"}, ValueError, "`ties` must be one of 'w', 'a', 'b'"),
        ("kendall-distance", {"penalty": 2}, ValueError, "`penalty` must be from 0 to 1"),
        ("overlap", {"k": 0}, ValueError, "`k` must be a whole number"),
    ],
)
def test_agreement_matrix_rejects_invalid_measures(lists, measure, options, error, words):
    with pytest.raises(error, match=words):
        agreement_matrix(lists, measure, **options)


@pytest.mark.parametrize(
    ("given", "error", "words"),
    [
        ("abc", TypeError, "got str"),
        ({"a", "b"}, TypeError, "got set"),
        (["a", "a"], ValueError, "contain each item only once"),
        ({"a": np.nan}, ValueError, "finite rank"),
    ],
)
def test_agreement_functions_reject_invalid_rankings(given, error, words):
    with pytest.raises(error, match=words):
        kendall_tau(given, ["a", "b"])
    with pytest.raises(ValueError, match="`variant` must be one of"):
        kendall_tau(["a"], ["a"], variant="c")
    with pytest.raises(ValueError, match="at least two rankings"):
        kendall_w([["a", "b"]])


def test_overlap_with_an_empty_ranking_is_0():
    assert overlap([], ["a", "b"], 2) == 0.0 and average_overlap({"a": 1}, {}, 2) == 0.0
    assert rank_biased_overlap([], ["a", "b"]) == 0.0


def test_agreement_matrix_needs_two_items_and_a_run():
    one = agreement_matrix({"u": ["a"], "v": ["a"]})
    assert one.isna().all(axis=None) and one.shape == (2, 2)
    with pytest.raises(ValueError, match="at least one run; the dict of runs is empty"):
        agreement_matrix({})


@pytest.mark.parametrize("measure", ["spearman", "footrule"])
def test_agreement_matrix_of_full_lists_equals_the_measure_of_two_rankings(measure):
    lists = make_ranked_lists(n_queries=2, n_items=7, n_voters=4, list_length=7, random_state=1)[0]
    function = {"spearman": spearman_rho, "footrule": footrule_distance}[measure]
    ranks = lists.pivot(index=["query", "item"], columns="voter", values="rank")
    for u, v in itertools.combinations(ranks.columns, 2):
        expected = np.mean([function(one[u].droplevel(0), one[v].droplevel(0)) for _, one in ranks.groupby("query")])
        assert agreement_matrix(lists, measure).loc[u, v] == pytest.approx(expected)


def test_consensus_agreement_leaves_out_queries_without_a_value():
    lists = {"u": {"q": ["a", "b"], "r": ["a", "b"]}, "v": {"q": ["b", "a"], "r": ["c"]}}
    consensus = {"q": ["a", "b"], "r": ["b", "a"]}
    found = consensus_agreement(RankedLists.from_runs(lists), RankedLists.from_runs({"consensus": consensus}))
    assert found.to_dict() == {"u": 0.0, "v": -1.0}


@pytest.fixture(scope="module")
def comparison():
    lists, qrels, _ = make_ranked_lists(n_queries=4, random_state=0)
    methods = [("z", CombSUM()), ("Copeland", Copeland()), ("a", CombSUM(norm="rank"))]
    return lists, Comparator(methods, qrels=Qrels.from_frame(qrels), metrics=["map"]).fit(lists)


def test_agreement_matrix_compares_runs_by_rank_with_runs_by_score(comparison):
    lists, comparator = comparison
    runs = dict(comparator.runs_)
    ranks = runs["z"].assign(rank=lambda run: run.groupby("query")["score"].rank(ascending=False, method="min"))
    ranks = ranks.drop(columns="score").astype({"rank": int})
    for other in (ranks, RankedLists.from_frame(ranks), RankedLists.from_frame(runs["z"].drop(columns="rank"))):
        table = agreement_matrix({**runs, "again": other})
        assert table.loc["z", "again"] == 1.0
        pd.testing.assert_series_equal(table["again"], table["z"], check_names=False)
    assert agreement_matrix({"r": ranks, "s": RankedLists.from_frame(lists[lists["voter"] == "v01"])}).shape == (2, 2)


def test_agreement_matrix_keeps_the_order_of_methods_and_runs(comparison):
    _, comparator = comparison
    table = agreement_matrix(comparator)
    assert table.columns.tolist() == table.index.tolist() == ["z", "Copeland", "a"]
    pd.testing.assert_frame_equal(table, agreement_matrix(dict(comparator.runs_)))
    first, second = (
        {
            query: dict(zip(rows["item"], -rows["score"], strict=True))
            for query, rows in comparator.runs_[name].groupby("query")
        }
        for name in ("z", "Copeland")
    )
    expected = np.mean([kendall_tau(first[query], second[query]) for query in first])
    assert table.loc["z", "Copeland"] == pytest.approx(expected)


def test_consensus_agreement_equals_the_agreement_of_single_rankings(lists):
    consensus = Copeland().fit_transform(lists)
    rankings = as_rankings(lists)
    tied = {query: dict(zip(rows["item"], -rows["score"], strict=True)) for query, rows in consensus.groupby("query")}
    for measure in ("tau-b", "rbo", "footrule"):
        found = consensus_agreement(lists, consensus, measure)
        for voter in found.index:
            each = [FUNCTIONS[measure](rankings[q, voter], tied[q]) for q in tied if (q, voter) in rankings]
            assert found[voter] == pytest.approx(np.nanmean(each))
    assert consensus_agreement(lists, consensus[consensus["query"] == "q1"])["v2":"v2"].isna().all()


def test_concordance_uses_the_items_common_to_all_lists(lists):
    rankings = as_rankings(lists)
    found = concordance(lists)
    for query in found.index:
        mine = [ranks for (q, _), ranks in rankings.items() if q == query]
        assert found[query] == pytest.approx(kendall_w(mine), nan_ok=True)


def test_consensus_score_is_1_minus_the_mean_share_of_discordant_pairs(lists):
    consensus = Copeland().fit_transform(lists)
    rankings = as_rankings(lists)
    tied = {query: dict(zip(rows["item"], -rows["score"], strict=True)) for query, rows in consensus.groupby("query")}
    by_query = {}
    for (query, _), ranks in rankings.items():
        pairs = brute_pairs(ranks, tied[query])
        both = sum(abs(a * b) for a, b in pairs)
        by_query.setdefault(query, []).append(sum(a * b < 0 for a, b in pairs) / both if both else 0.0)
    expected = 1 - np.mean([np.mean(values) for values in by_query.values()])
    assert consensus_score(lists, consensus) == pytest.approx(expected)
    assert ConsensusScorer()(Copeland().fit(lists), lists) == pytest.approx(expected)
    assert repr(ConsensusScorer("rho")) == "ConsensusScorer(distance='rho')"
    for distance in ("cosine", "footrule", "local-footrule", "rho"):
        assert 0 < ConsensusScorer(distance)(Copeland().fit(lists), lists) < 1


def test_consensus_score_weights_lists():
    lists = pd.DataFrame({"query": "q", "voter": list("uuvv"), "item": list("abba"), "rank": [1, 2] * 2})
    consensus = pd.DataFrame({"query": "q", "item": ["a", "b"], "rank": [1, 2]})
    assert consensus_score(lists.assign(weight=[3, 3, 1, 1]), consensus) == 0.75


def test_consensus_score_rejects_a_consensus_of_other_lists(lists):
    with pytest.raises(ValueError, match="must rank every item"):
        consensus_score(lists, Copeland().fit_transform(lists)[1:].reset_index(drop=True))
    with pytest.raises(ValueError, match="`distance` must be one of 'cosine'"):
        consensus_score(lists, Copeland().fit_transform(lists), "x")


def test_consensus_agreement_reads_ties_by_score_in_any_frame(lists):
    consensus = CombSUM(norm="rank").fit_transform(lists).assign(score=lambda frame: frame["score"].round(1))
    assert consensus.groupby("query")["score"].nunique().sum() < len(consensus)
    renamed = consensus.rename(columns={"query": "qid", "item": "docno"})
    frames = [renamed]
    if importlib.util.find_spec("polars"):
        polars = importlib.import_module("polars")
        frames += [polars.DataFrame(one.to_dict("list")) for one in (consensus, renamed)]
        frames.append(frames[-1].lazy())
    for frame in frames:
        assert consensus_agreement(lists, frame).equals(consensus_agreement(lists, consensus))
        expected = agreement_matrix({"a": consensus, "b": consensus})
        assert agreement_matrix({"a": frame, "b": consensus}).equals(expected)
    contrary = renamed.assign(score=-renamed["score"])
    with pytest.warns(RankScoreConflictWarning):
        found = consensus_agreement(lists, contrary)
    with pytest.warns(RankScoreConflictWarning):
        expected = consensus_agreement(lists, contrary.rename(columns={"qid": "query", "docno": "item"}))
    assert found.equals(expected)


def test_consensus_agreement_reads_large_scores_exactly_next_to_a_conflict():
    # Two scores that are equal as float64, two equal scores, and in another query ranks that contradict the scores.
    scores = [2**53 + 1, 2**53, 5, 5]
    large = pd.DataFrame({"query": "q", "item": list("abcd"), "rank": [1, 2, 3, 4], "score": scores})
    lists = RankedLists.from_frame(large.assign(voter="v", score=[4, 3, 2, 1]))
    alone = consensus_agreement(lists, large)
    # Five of six pairs are in the same order, and one pair is tied.
    assert alone["v"] == pytest.approx(stats.kendalltau([4, 3, 2, 1], [4, 3, 2, 2]).statistic)
    both = pd.concat([large, large.assign(query="p", score=[1, 2, 3, 4])], ignore_index=True)
    other = RankedLists.from_frame(large.assign(query="p", voter="w", score=[4, 3, 2, 1]))
    with pytest.warns(RankScoreConflictWarning):
        found = consensus_agreement(RankedLists.concat([lists, other]), both)
    assert found["v"] == alone["v"] and found["w"] == 1.0


@pytest.mark.parametrize("absent", [False, True])
def test_pair_counts_are_the_same_in_narrow_strips(monkeypatch, absent):
    rng = np.random.default_rng(0)
    ranks = rng.integers(1, 6, (4, 9)).astype(float)
    if absent:
        ranks[rng.random(ranks.shape) < 0.3] = np.nan
    monkeypatch.setattr(_matrices, "_STRIP_CELLS", 0)
    discordant, *_, pairs = _matrices.pair_counts_of_all(ranks)
    for one in range(4):
        for other in range(4):
            held = np.flatnonzero(~np.isnan(ranks[one] + ranks[other]))
            i, j = np.triu_indices(len(held), 1)
            first, second = (np.sign(ranks[k, held[i]] - ranks[k, held[j]]) for k in (one, other))
            assert discordant[one, other] == (first * second < 0).sum()
            assert pairs[one, other] == len(first)


def test_agreement_matrix_reads_dicts_of_plain_lists_in_their_order():
    expected = pd.DataFrame([[1.0, -1.0], [-1.0, 1.0]], index=["b", "a"], columns=["b", "a"])
    for runs in ({"b": ["x", "y"], "a": ["y", "x"]}, {"b": {"q": {"x": 2, "y": 1}}, "a": {"q": {"x": 1, "y": 2}}}):
        found = agreement_matrix(runs)
        assert found.index.tolist() == found.columns.tolist() == ["b", "a"]
        np.testing.assert_allclose(found, expected)
    with pytest.raises(TypeError, match=r"Run 'b' must be a data frame or RankedLists; got list\."):
        agreement_matrix({"a": RankedLists.from_lists([["x", "y"]]), "b": ["x", "y"]})
