"""Order statistics of normalised ranks, compared with exact fractions and published numbers, and special cases."""

from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import product
from math import log, log1p, log10, prod

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oracles import beta, crossing, joint, joint_in_fixed_point, log_of, normalised, quantile, rho
from skrankagg import RankedLists, RankStatistic, RobustRankAggregation, evaluate
from skrankagg.aggregators._order_statistics._probabilities import (
    log_binomial_tail,
    log_crossing,
    log_poisson_binomial_tail,
    thresholds,
)
from skrankagg.aggregators._order_statistics._robust import rho_pvalue, rho_score
from skrankagg.datasets import make_rasdagen
from skrankagg.utils.estimator_checks import example_lists

pytestmark = pytest.mark.twice

# ---------------------------------------------------------------------- probabilities


@given(m=st.integers(1, 120), part=st.floats(0, 1), x=st.floats(1e-5, 1))
@settings(max_examples=100, deadline=None)
def test_log_binomial_tail_equals_exact_fractions(m, part, x):
    k = 1 + int(part * (m - 1))
    assert log_binomial_tail(k, m, x) == pytest.approx(log_of(beta(k, m, x)), rel=1e-13, abs=1e-13)


@pytest.mark.parametrize(("k", "m", "x"), [(103, 103, 4.3e-4), (93, 103, 4.3125e-4), (400, 400, 1e-3), (45, 450, 1e-8)])
def test_log_binomial_tail_is_accurate_near_the_smallest_float(k, m, x):
    assert log_binomial_tail(k, m, x) == pytest.approx(log_of(beta(k, m, x)), rel=1e-14)


@given(shares=st.lists(st.sampled_from([0.05, 0.2, 0.25, 0.7, 1.0]), min_size=1, max_size=5), x=st.floats(0.01, 0.99))
@settings(max_examples=30, deadline=None)
def test_log_poisson_binomial_tail_equals_the_sum_over_all_outcomes(shares, x):
    chances = [min(Fraction(x), Fraction(share)) for share in shares]
    found = np.exp(log_poisson_binomial_tail(np.array([x]), len(shares), np.array(shares)))[:, 0]
    for k, tail in enumerate(found):
        outcomes = (o for o in product([0, 1], repeat=len(shares)) if sum(o) >= k)
        exact = sum(prod(p if hit else 1 - p for p, hit in zip(chances, o, strict=True)) for o in outcomes)
        assert tail == pytest.approx(float(exact), rel=1e-13)


LOG_RHO = [log1p(-1e-9), log(0.999), log(0.5), log(0.05), log(1e-6), log(1e-50), log(1e-200), -1000 * log(10)]


def exact_thresholds(log_rho, m):
    """Return the library's thresholds as fractions, even those too small for a float."""
    with localcontext() as context:
        context.prec = 40
        return [Fraction(Decimal(float(log_b)).exp()) for log_b in thresholds(np.array([log_rho]), m)[:, 0]]


@pytest.mark.parametrize("log_rho", LOG_RHO, ids="{:.4g}".format)
@pytest.mark.parametrize("m", [1, 2, 9, 40])
def test_thresholds_have_probability_rho(log_rho, m):
    b = exact_thresholds(log_rho, m)
    for k in {1, 2, (m + 1) // 2, m - 1, m} & set(range(1, m + 1)):
        assert log_of(beta(k, m, b[k - 1])) == pytest.approx(log_rho, rel=1e-13, abs=1e-13)


@pytest.mark.parametrize("log_rho", LOG_RHO, ids="{:.4g}".format)
@pytest.mark.parametrize("m", [1, 2, 3, 6, 9])
def test_log_crossing_equals_exact_fractions(log_rho, m):
    exact = crossing(exact_thresholds(log_rho, m))
    assert log_crossing(np.array([log_rho]), m)[0] == pytest.approx(log_of(exact), rel=1e-13, abs=1e-13)


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    ("m", "log_rho", "bits"),
    [
        *((60, log_rho, 2000) for log_rho in LOG_RHO[:-1]),
        (60, LOG_RHO[-1], 6000),
        *((200, log(value), 3000) for value in (0.5, 1e-50, 1e-200)),
    ],
)
def test_log_crossing_of_many_lists_equals_integer_arithmetic(m, log_rho, bits):
    b = exact_thresholds(log_rho, m)
    exact = 1 - joint_in_fixed_point([1 - value for value in reversed(b)], bits)
    assert log_crossing(np.array([log_rho]), m)[0] == pytest.approx(log_of(exact), rel=1e-13, abs=2e-13)
    if m == 60:  # rho itself: the thresholds in use have it to 1e-13, and p changes no faster than they do
        for k in (1, 30, 60):
            assert log_of(beta(k, m, b[k - 1])) == pytest.approx(log_rho, rel=1e-13, abs=1e-13)


def test_crossing_and_joint_agree():
    b = [Fraction(1, 10), Fraction(1, 3), Fraction(1, 3), Fraction(4, 5)]
    assert crossing(b) == 1 - joint([1 - value for value in reversed(b)])
    assert joint_in_fixed_point(b, 300) == pytest.approx(joint(b), rel=1e-15)


def test_log_crossing_of_two_lists_equals_an_example_by_hand():
    # b_1 = 1 - sqrt(.81) = .1 and b_2 = sqrt(.19): p = 1 - (.9 ** 2 - (b_2 - .1) ** 2).
    p = np.exp(log_crossing(np.log([0.19]), 2)[0])
    assert p == pytest.approx(1 - (0.81 - (0.19**0.5 - 0.1) ** 2), rel=1e-14)


def test_log_crossing_of_one_list_is_rho_and_of_rho_1_is_1():
    np.testing.assert_allclose(log_crossing(np.array([-5.0, -1e-9, 0.0]), 1), [-5.0, -1e-9, 0.0], rtol=1e-15)
    assert log_crossing(np.array([0.0]), 7)[0] == 0.0


@given(m=st.integers(1, 80), log_rho=st.lists(st.floats(-2000, 0), min_size=2, max_size=6))
@settings(max_examples=60, deadline=None)
def test_log_crossing_increases_with_rho_within_its_bounds(m, log_rho):
    log_rho = np.sort(log_rho)
    log_p = log_crossing(log_rho, m)
    assert (np.diff(log_p) >= -1e-12).all()
    assert (log_p >= log_rho).all() and (log_p <= np.minimum(log_rho + np.log(m), 0)).all()


@pytest.mark.exhaustive
@pytest.mark.parametrize("m", [5, 40])
def test_rho_pvalue_exact_is_uniform_for_random_ranks(m):
    x = np.sort(np.random.default_rng(m).random((20_000, m)), axis=1)
    log_rho = log_binomial_tail(np.arange(1, m + 1), m, x).min(axis=1)
    p = np.exp(rho_pvalue(log_rho, np.full(len(x), m), exact=True))
    for level in (0.01, 0.1, 0.5, 0.9):
        assert abs((p <= level).mean() - level) < 4 * (level * (1 - level) / len(x)) ** 0.5


def test_rho_pvalue_exact_with_depth_share_is_uniform_for_cut_ranks():
    m, share = 10, 0.3
    x = np.sort(np.random.default_rng(0).random((20_000, m)), axis=1)
    tail = np.where(x <= share, log_binomial_tail(np.arange(1, m + 1), m, x), 0.0)
    p = np.exp(rho_pvalue(tail.min(axis=1), np.full(len(x), m), exact=True, depth_share=share))
    for level in (0.01, 0.1, 0.5):
        assert abs((p <= level).mean() - level) < 4 * (level * (1 - level) / len(x)) ** 0.5


def test_rho_score_and_rho_pvalue_equal_examples_by_hand():
    rho = np.exp(rho_score(np.array([0, 0, 1]), np.array([0.1, 0.5, 0.5]), np.array([2, 2])))
    assert rho == pytest.approx([1 - 0.9**2, 1 - 0.5**2])
    log_rho, n_lists = np.log([0.01, 0.19]), np.array([2, 2])
    assert np.exp(rho_pvalue(log_rho, n_lists)) == pytest.approx([0.02, 0.38])
    # One of the two numbers is below the first threshold, or both are between the two.
    first, second = 1 - np.sqrt([0.99, 0.81]), np.sqrt([0.01, 0.19])
    assert np.exp(rho_pvalue(log_rho, n_lists, exact=True)) == pytest.approx([0.01, 0.19] + (second - first) ** 2)


def test_rho_pvalue_reproduces_the_r_package():
    m = np.array([4])
    log_rho = rho_score(np.zeros(4, dtype=int), np.array([0.1, 0.04, 0.5, 0.3]), m)
    assert np.exp(rho_pvalue(log_rho, m)).round(4) == [0.2092]  # rhoScores(r)
    assert np.exp(rho_pvalue(log_rho, m, exact=True)).round(4) == [0.1505]  # rhoScores(r, exact = TRUE)


# ---------------------------------------------------------------------- the methods against exact fractions


def query(seed, weighted):
    lists = example_lists(seed, n_queries=1)
    if weighted:
        weights = np.random.default_rng(seed).integers(1, 4, 5)
        lists["weight"] = lists["voter"].str[1:].astype(int).map(dict(enumerate(weights)))
    return lists


def agrees(consensus, column, expected, rtol=1e-12):
    found = consensus.set_index("item")[column].sort_index()
    np.testing.assert_allclose(found, [float(expected[item]) for item in found.index], rtol=rtol, atol=1e-14)


RANKS = pytest.mark.parametrize("params", [{}, {"n_items": 30}, {"absent": "ignore"}], ids=str)


@pytest.mark.filterwarnings("ignore::skrankagg.exceptions.NotComparedWarning")
@RANKS
@given(seed=st.integers(0, 10**6), weighted=st.booleans())
@settings(max_examples=15, deadline=None)
def test_robust_rank_aggregation_equals_exact_fractions(params, seed, weighted):
    frame = query(seed, weighted)
    x = normalised(frame, params.get("n_items"), params.get("absent") == "ignore")
    consensus = RobustRankAggregation(**params).fit_transform(frame)
    expected = {item: min(Fraction(1), len(x[item]) * rho(x[item])) for item in x}
    agrees(consensus, "pvalue", expected)
    agrees(consensus, "score", {item: -log10(p) for item, p in expected.items()})


@pytest.mark.sampled(1)
@RANKS
@given(seed=st.integers(0, 10**6), weighted=st.booleans())
@settings(max_examples=5, deadline=None)
def test_robust_rank_aggregation_exact_equals_exact_fractions(params, seed, weighted):
    frame = query(seed, weighted)
    x = normalised(frame, params.get("n_items"), params.get("absent") == "ignore")
    consensus = RobustRankAggregation(exact=True, **params).fit_transform(frame)
    expected = {}
    for item in x:
        m, least = len(x[item]), rho(x[item])
        expected[item] = crossing([quantile(k, m, least, 80) for k in range(1, m + 1)]) if least < 1 else 1
    agrees(consensus, "pvalue", expected, rtol=1e-11)


def median(x):
    return (x[(len(x) - 1) // 2] + x[len(x) // 2]) / 2


STATISTICS = {
    "mean": lambda x: (Fraction(1, 2) - sum(x) / len(x)) * Fraction((12 * len(x)) ** 0.5),
    "geometric-mean": lambda x: -log10(prod(x)) / len(x),
    "median": lambda x: -log10(median(x)),
    "min": lambda x: -log10(x[0]),
    "stuart": lambda x: -log10(joint(x)),
}


@pytest.mark.sampled(2)
@pytest.mark.filterwarnings("ignore::skrankagg.exceptions.NotComparedWarning")
@RANKS
@pytest.mark.parametrize("statistic", STATISTICS)
@given(seed=st.integers(0, 10**6), weighted=st.booleans())
@settings(max_examples=10, deadline=None)
def test_rank_statistic_equals_exact_fractions(statistic, params, seed, weighted):
    frame = query(seed, weighted)
    x = normalised(frame, params.get("n_items"), params.get("absent") == "ignore")
    consensus = RankStatistic(statistic=statistic, **params).fit_transform(frame)
    agrees(consensus, "score", {item: STATISTICS[statistic](x[item]) for item in x})


@given(seed=st.integers(0, 10**6))
@settings(max_examples=25, deadline=None)
def test_depth_share_equals_the_sum_over_all_outcomes(seed):
    frame = query(seed, weighted=False)
    n_items, m = 40, frame["voter"].nunique()
    rng = np.random.default_rng(seed)
    length = frame.groupby("voter").size()
    shares = {voter: (count + int(rng.integers(0, 9))) / n_items for voter, count in length.items()}
    expected = {}
    for item, x in normalised(frame, n_items).items():
        tails = [Fraction(1)]
        for k, value in enumerate((value for value in x if value < 1), start=1):
            chances = [min(value, Fraction(share)) for share in shares.values()]
            outcomes = (o for o in product([0, 1], repeat=m) if sum(o) >= k)
            tails.append(sum(prod(p if hit else 1 - p for p, hit in zip(chances, o, strict=True)) for o in outcomes))
        expected[item] = min(Fraction(1), m * min(tails))
    agrees(RobustRankAggregation(n_items=n_items, depth_share=shares).fit_transform(frame), "pvalue", expected)
    weighted = frame.assign(weight=2)
    copies = pd.concat([frame, frame.assign(voter=frame["voter"] + "-")])
    both = {**shares, **{voter + "-": share for voter, share in shares.items()}}
    pd.testing.assert_frame_equal(
        RobustRankAggregation(n_items=n_items, depth_share=shares).fit_transform(weighted),
        RobustRankAggregation(n_items=n_items, depth_share=both).fit_transform(copies.reset_index(drop=True)),
    )


def test_depth_shares_of_a_query_do_not_depend_on_other_queries():
    first, second = (query(seed, weighted=False) for seed in (1, 2))
    second = second.assign(query="r", voter="deep " + second["voter"])
    shares = dict.fromkeys(second["voter"], 1.0) | dict.fromkeys(first["voter"], 0.5)
    method = RobustRankAggregation(n_items=40, depth_share=shares)
    both = method.fit_transform(pd.concat([first, second], ignore_index=True)).set_index(["query", "item"])["pvalue"]
    for own, share in ((first, 0.5), (second, 1.0)):
        alone = RobustRankAggregation(n_items=40, depth_share=share).fit_transform(own)
        np.testing.assert_allclose(both[own["query"].iloc[0]][alone["item"]], alone["pvalue"], rtol=1e-12)


# ---------------------------------------------------------------------- special cases


@given(seed=st.integers(0, 10**6), n_voters=st.integers(1, 12))
@settings(max_examples=30, deadline=None)
def test_robust_rank_aggregation_exact_keeps_the_order_of_bounds_below_1(seed, n_voters):
    frame = example_lists(seed, n_queries=2, n_voters=n_voters, n_items=12)
    bound = RobustRankAggregation(n_items=50).fit_transform(frame)
    exact = RobustRankAggregation(n_items=50, exact=True).fit_transform(frame)
    both = exact.merge(bound, on=["query", "item"], suffixes=("", "_bound"))
    assert (both["pvalue"] <= both["pvalue_bound"] * (1 + 1e-12)).all()
    below = both[both["pvalue_bound"] < 1].sort_values(["query", "rank"])
    assert below.groupby("query")["rank_bound"].is_monotonic_increasing.all()
    for _, group in both.groupby("query"):
        clipped = group["pvalue_bound"] == 1
        assert (
            group.loc[~clipped, "rank"].max() < group.loc[clipped, "rank"].min() or clipped.all() or not clipped.any()
        )


@pytest.mark.parametrize("exact", [False, True])
def test_robust_rank_aggregation_scores_are_correct_if_p_values_underflow(exact):
    n, m = 1000, 400
    frame = pd.DataFrame(
        {"query": "q", "voter": np.repeat(np.arange(m), 2), "item": list("ab") * m, "rank": [1, 2] * m}
    )
    consensus = RobustRankAggregation(n_items=n, exact=exact).fit_transform(frame)
    assert consensus["pvalue"].tolist() == [0.0, 0.0] and consensus["item"].tolist() == ["a", "b"]
    # rho is x ** 400, that of k = 400; the bound is 400 times as much, the exact p between the two.
    log_rho = 400 * np.log10([1 / n, 2 / n])
    above = -consensus["score"] - log_rho
    np.testing.assert_allclose(above, log10(400) if not exact else above.clip(0, log10(400)), rtol=1e-9)
    q = RankStatistic(statistic="stuart", n_items=n).fit_transform(frame)
    np.testing.assert_allclose(q["score"], -log_rho, rtol=1e-13)


def test_rank_statistic_stuart_is_correct_for_many_lists():
    rng = np.random.default_rng(0)
    m, n = 100, 500
    ranks = np.sort(rng.integers(1, 200, m))
    frame = pd.DataFrame({"query": "q", "voter": np.arange(m), "item": "a", "rank": 1})
    fill = [
        pd.DataFrame({"query": "q", "voter": v, "item": [f"x{k}" for k in range(rank - 1)], "rank": np.arange(1, rank)})
        for v, rank in enumerate(ranks)
    ]
    frame = pd.concat([frame.assign(rank=ranks), *fill], ignore_index=True)
    score = RankStatistic(statistic="stuart", n_items=n).fit_transform(frame).set_index("item").loc["a", "score"]
    exact = joint_in_fixed_point([Fraction(int(rank), n) for rank in ranks], 4000)
    assert score == pytest.approx(-log_of(exact) / log(10), rel=1e-13)


def test_rank_statistic_returns_p_values_for_means_only(X):
    for statistic, exact in [(one, False) for one in STATISTICS] + [("mean", True), ("geometric-mean", True)]:
        method = RankStatistic(statistic=statistic, exact=exact)
        has_one = exact or statistic == "mean"
        assert ("pvalue" in method.fit_transform(X)) == ("pvalue" in method.get_feature_names_out()) == has_one


@pytest.mark.filterwarnings("ignore::skrankagg.exceptions.NotComparedWarning")
def test_items_only_in_lists_of_weight_zero_count_as_absent(X):
    for method in (RobustRankAggregation, *(lambda s=s, **k: RankStatistic(statistic=s, **k) for s in STATISTICS)):
        for absent in ("last", "ignore"):
            weighed = method(absent=absent, n_items=None, voter_weights={"u": 1, "v": 0, "w": 2}).fit_transform(X)
            assert np.isfinite(weighed["score"]).all() and weighed["item"].iloc[-1] in "cd"
            copies = pd.concat([X[X["voter"] == "u"], X[X["voter"] == "w"], X[X["voter"] == "w"].assign(voter="w2")])
            n_items = None if absent == "ignore" else 4
            plain = method(absent=absent, n_items=n_items).fit_transform(copies.reset_index(drop=True))
            both = plain.merge(weighed, on="item")
            np.testing.assert_allclose(both["score_x"], both["score_y"], rtol=1e-12)


def test_equal_depth_shares_change_only_exact_p_values(X):
    for params in ({"depth_share": 0.5}, {"depth_share": dict.fromkeys("uvw", 0.5)}):
        pd.testing.assert_frame_equal(
            RobustRankAggregation(n_items=8, **params).fit_transform(X),
            RobustRankAggregation(n_items=8).fit_transform(X),
        )
    cut = RobustRankAggregation(n_items=8, exact=True, depth_share=0.5).fit_transform(X).set_index("item")["pvalue"]
    ranked = X.assign(rank=X.groupby("voter")["score"].rank(ascending=False))
    for item, x in normalised(ranked, 8).items():
        b = [min(quantile(k, 3, rho(x), 80), Fraction(1, 2)) for k in (1, 2, 3)]
        assert cut[item] == pytest.approx(float(crossing(b)), rel=1e-12)


def test_rank_statistic_accepts_n_items_by_voter(X):
    # x: a 1/4 and 2.5/5, b 2/4, 1/5, 1/10, c 3/4 and 2/10, d 2.5/5, all others 1.
    consensus = RankStatistic(statistic="min", n_items=pd.Series({"u": 4, "v": 5, "w": 10})).fit_transform(X)
    assert (10 ** -consensus.set_index("item")["score"]).round(12).to_dict() == {
        "a": 0.25,
        "b": 0.1,
        "c": 0.2,
        "d": 0.5,
    }


@pytest.mark.parametrize(
    ("params", "words"),
    [
        ({"n_items": 3}, "got 3 for query 'q' with 4 items"),
        ({"n_items": 0}, "'n_items' parameter of RobustRankAggregation must be"),
        ({"n_items": {"u": 3, "v": 2, "w": 2}}, "got 2 for 'v', whose list for query 'q' has 3 items"),
        ({"n_items": {"u": 3, "v": 3}}, "for every voter; got none for 1 of 3 voters. The first of them is 'w'"),
        ({"n_items": {"u": 3, "v": np.nan, "w": 2}}, "got nan for 'v'"),
        ({"n_items": 9, "absent": "ignore"}, "None"),
        ({"depth_share": 0.9, "absent": "ignore"}, "None"),
        ({"depth_share": 0.5}, "For 'u' in query 'q' this share is 0.75; got 0.5"),
        ({"depth_share": {"u": 0.75, "v": 2, "w": 1}}, "For 'v' in query 'q' this share is .*; got 2"),
        ({"depth_share": {"u": 0.75}}, "`depth_share` must have a value for every voter; got none for 2 of"),
        ({"depth_share": {"u": 0.75, "v": 0.75, "w": 0.75}, "exact": True}, "must be a single number if exact=True"),
        ({"voter_weights": {"u": 1, "v": 1.5, "w": 1}}, "weights must be whole numbers; got 1.5"),
    ],
    ids=str,
)
def test_robust_rank_aggregation_rejects_invalid_parameters_in_fit(X, params, words):
    with pytest.raises(ValueError, match=words):
        RobustRankAggregation(**params).fit(X)


# ---------------------------------------------------------------------- published figures

LETTERS = ("qolm", "iygvofrtju", "wnzkrxfgbtdo")
CASES = {"letters_N26": {"n_items": 26}, "letters_Nunique": {}, "letters_full": {"absent": "ignore"}}


def letters():
    return pd.DataFrame(
        [("q", voter, item, rank) for voter, word in enumerate(LETTERS) for rank, item in enumerate(word, start=1)],
        columns=["query", "voter", "item", "rank"],
    )


def figure(method, exact, params):
    """Return the value that the R package calls score."""
    if method == "RRA":
        return RobustRankAggregation(exact=exact, **params).fit_transform(letters()).set_index("item")["pvalue"]
    statistic = {"geom.mean": "geometric-mean"}.get(method, method)
    consensus = RankStatistic(statistic=statistic, exact=False, **params).fit_transform(letters()).set_index("item")
    return consensus["pvalue"] if method == "mean" else 10 ** -consensus["score"]


@pytest.mark.parametrize(
    ("case", "method", "item", "value"),
    [
        ("letters_N26", "RRA", "o", 0.29016841147018663),
        ("letters_N26", "RRA", "q", 0.33301092398725529),
        ("letters_Nunique", "RRA", "q", 0.427875),
        ("letters_Nunique", "RRA", "f", 0.84525),
        ("letters_full", "RRA", "w", 1 / 12),
        ("letters_full", "RRA", "r", 0.98),
        ("letters_Nunique", "stuart", "o", 0.05425),
        ("letters_Nunique", "stuart", "d", 0.908875),
        ("letters_Nunique", "mean", "o", 0.13566606094638264),
        ("letters_full", "mean", "x", 0.5),
    ],
)
def test_rank_methods_reproduce_figures_of_the_r_package(case, method, item, value):
    assert figure(method, False, CASES[case])[item] == pytest.approx(value, rel=1e-14)


def test_rank_methods_reproduce_all_figures_of_the_r_package(shared_data):
    # For three lists the alternating sum of its exact form still has all digits.
    table = pd.read_csv(shared_data / "bioinf" / "RobustRankAggreg" / "expected_letters.csv")
    assert len(table) == 360
    for (case, method, exact), theirs in table.groupby(["case", "method", "exact"]):
        ours = figure(method, bool(exact), CASES[case])
        np.testing.assert_allclose(
            ours[theirs["item"]], theirs["score"], rtol=1e-14, err_msg=f"{case} {method} {exact}"
        )


@pytest.mark.parametrize(
    "method", [RobustRankAggregation(), *(RankStatistic(statistic=s) for s in STATISTICS)], ids=repr
)
def test_rank_methods_put_known_cell_cycle_genes_on_top(shared_data, method):
    folder = shared_data / "bioinf" / "RobustRankAggreg"
    lists = pd.read_csv(folder / "cellCycleKO_lists.csv").rename(columns={"list": "voter"}).assign(query="yeast")
    known = (folder / "cellCycleKO_reference_genes.txt").read_text().split()
    n_items = int((folder / "cellCycleKO_N.txt").read_text())
    found = method.set_params(n_items=n_items).fit_transform(lists)["item"].isin(known)
    assert found.mean() < 0.08 and found[:20].mean() >= 0.2 and found[:50].mean() >= 0.2


def test_robust_rank_aggregation_equals_flagr(shared_data):
    theirs = pd.read_csv(shared_data / "flagr" / "pyflagr-1.0.18" / "RRA_out.csv", dtype={"Query": str})
    ours = RobustRankAggregation().fit_transform(make_rasdagen()[0])
    both = ours.merge(theirs, left_on=["query", "item"], right_on=["Query", "ItemID"], validate="1:1")
    assert len(both) == 2000
    assert (both["pvalue"] - both["Score"]).abs().max() < 1e-6  # it prints six decimals
    assert (both["rank"] == both["Rank"]).all()


def test_robust_rank_aggregation_reproduces_map_on_flagrs_data():
    # Of 2,000 items 1,820 have the bound p = 1, and tie. All others come in the same order in both forms, before them.
    lists, qrels = make_rasdagen()
    lists = RankedLists.from_frame(lists)
    bound, exact = (RobustRankAggregation(exact=exact).transform(lists) for exact in (False, True))
    assert round(evaluate(bound, qrels, "map").loc["run", "map"], 4) == 0.4906
    assert round(evaluate(exact, qrels, "map").loc["run", "map"], 4) == 0.4946
    both = exact.merge(bound, on=["query", "item"], suffixes=("", "_bound"))
    assert (both["pvalue_bound"] == 1).sum() == 1820
    assert (both["rank"] == both["rank_bound"])[both["pvalue_bound"] < 1].all()
