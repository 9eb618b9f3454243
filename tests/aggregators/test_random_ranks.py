"""P-values of rank sums and rank products, compared with all outcomes of random lists."""

from collections import Counter
from fractions import Fraction
from itertools import accumulate
from math import log, prod

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import gammaincc

from oracles import ballots, log_of, normalised, universe
from skrankagg import RankedLists, RankStatistic
from skrankagg.aggregators._order_statistics._null_distributions import SumOfDraws
from skrankagg.utils.estimator_checks import example_lists

# ---------------------------------------------------------------------- all outcomes, in exact fractions


def outcomes(places, combine):
    """Return the probability of each value of a combination of one place of each list."""
    found = {None: Fraction(1)}
    for values in places:
        counts, step = Counter(values), Counter()
        for value, chance in found.items():
            for place, count in counts.items():
                step[place if value is None else combine(value, place)] += chance * Fraction(count, len(values))
        found = step
    return found


def add(a, b):
    return a + b


def multiply(a, b):
    return a * b


def tail(found, value):
    return sum(chance for other, chance in found.items() if other <= value)


def list_places(frame, n_items, ignore):
    """Return the normalised ranks that each list can give, {voter: [x]}, and its items."""
    lists, weights = ballots(frame)
    places, holds = {}, {}
    for voter, ballot in lists.items():
        n = len(ballot) if ignore else (n_items or {}).get(voter, len(universe(lists)))
        x = [rank / n for rank, _ in ballot.values()]
        places[voter] = x if ignore else x + [Fraction(1)] * (n - len(x))
        holds[voter] = set(ballot)
    return places, holds, weights


def exact_tails(frame, combine, n_items=None, ignore=False, factor=1):
    """Return each item's p-value: the probability of a value at most `factor` times as large."""
    places, holds, weights = list_places(frame, n_items, ignore)
    x = {item: [] for item in universe(holds)}
    found, tails = {}, {}
    for voter, ballot in ballots(frame)[0].items():
        n = len(ballot) if ignore else (n_items or {}).get(voter, len(x))
        for item in x:
            if item in ballot or not ignore:
                x[item] += [ballot[item][0] / n if item in ballot else Fraction(1)] * int(weights[voter])
    for item in x:
        counted = tuple(voter for voter in places if not ignore or item in holds[voter])
        if counted not in found:
            copies = [places[voter] for voter in counted for _ in range(int(weights[voter]))]
            found[counted] = outcomes(copies, combine)
        value = sum(x[item]) if combine is add else prod(x[item])
        tails[item] = float(tail(found[counted], value * factor)) if x[item] else 1.0
    return tails


def query(seed, weighted, n_items=5):
    lists = example_lists(seed, n_queries=1, n_voters=4, n_items=n_items)
    if weighted:
        weights = np.random.default_rng(seed).integers(0, 3, 4)
        lists["weight"] = lists["voter"].str[1:].astype(int).map(dict(enumerate(weights)))
    return lists


def pvalues(frame, **params):
    return RankStatistic(exact=True, **params).fit_transform(frame).set_index("item")["pvalue"].sort_index()


SIZES = st.sampled_from(["union", "ignore", 9, "by voter"])


def sizes_of(frame, sizes):
    """Return the parameters of the method and the number of items of each voter."""
    if sizes in ("union", "ignore"):
        return ({"absent": "ignore"} if sizes == "ignore" else {}), None
    voters = sorted(frame["voter"].unique())
    if sizes == "by voter":
        by_voter = {voter: 7 + 2 * k for k, voter in enumerate(voters)}
        return {"n_items": by_voter}, by_voter
    return {"n_items": sizes}, dict.fromkeys(voters, sizes)


@pytest.mark.filterwarnings("ignore::skrankagg.exceptions.NotComparedWarning")
@given(seed=st.integers(0, 10**6), weighted=st.booleans(), sizes=SIZES)
@settings(max_examples=60, deadline=None)
def test_rank_statistic_exact_mean_equals_the_sum_over_all_outcomes(seed, weighted, sizes):
    frame = query(seed, weighted)
    params, n_items = sizes_of(frame, sizes)
    expected = exact_tails(frame, add, n_items, sizes == "ignore")
    found = pvalues(frame, statistic="mean", **params)
    np.testing.assert_allclose(found, [expected[item] for item in found.index], rtol=1e-11)


@pytest.mark.filterwarnings("ignore::skrankagg.exceptions.NotComparedWarning")
@given(seed=st.integers(0, 10**6), weighted=st.booleans(), sizes=SIZES)
@settings(max_examples=60, deadline=None)
def test_rank_statistic_auto_equals_the_sum_over_outcomes_in_small_queries(seed, weighted, sizes):
    frame = query(seed, weighted)
    params, n_items = sizes_of(frame, sizes)
    expected = exact_tails(frame, add, n_items, sizes == "ignore")
    method = RankStatistic(**params)
    found = method.fit_transform(frame).set_index("item")["pvalue"]
    if method.query_info_["exact"].item():
        np.testing.assert_allclose(found, [expected[item] for item in found.index], rtol=1e-12)
    else:
        assert sizes in ("by voter", "ignore")
        pd.testing.assert_series_equal(
            found, RankStatistic(exact=False, **params).fit_transform(frame).set_index("item")["pvalue"]
        )


def boards(seed):
    """Return queries of all kinds: long, short, tied, cut, weighted, and of few or many lists."""
    rng = np.random.default_rng(seed)
    rows = []
    for q in range(12):
        n = int(rng.choice([3, 8, 40, 150])) if q < 10 else 500 - q
        for voter in range(rng.integers(1, 9) if q < 10 else 5):
            items = rng.choice(n, n if q % 2 or q == 10 else rng.integers(1, n + 1), replace=False)
            rank = np.arange(len(items)) // (1 + (q % 3 == 0))
            weight = int(rng.integers(0, 4)) if q % 4 == 1 else 1
            rows.append(pd.DataFrame({"query": q, "voter": voter, "item": items, "rank": rank, "weight": weight}))
    return pd.concat(rows)


@pytest.mark.sampled(1)
@pytest.mark.filterwarnings("ignore::skrankagg.exceptions.NotComparedWarning")
@pytest.mark.parametrize("absent", ["last", "ignore"])
@pytest.mark.parametrize("seed", range(4))
def test_rank_statistic_auto_chooses_exact_or_normal_for_each_query(seed, absent):
    frame = boards(seed)
    method = RankStatistic(absent=absent)
    found = method.fit_transform(frame)
    is_exact = method.query_info_.set_index("query")["exact"]
    assert 0 < is_exact.sum() < len(is_exact)
    for q, own in frame.groupby("query"):
        alone = method.fit_transform(own)
        pd.testing.assert_frame_equal(found[found["query"] == q].reset_index(drop=True), alone, check_exact=True)
        assert method.query_info_["exact"].tolist() == [is_exact[q]]
        other = RankStatistic(absent=absent, exact=bool(is_exact[q])).fit_transform(own)
        np.testing.assert_allclose(alone["pvalue"], other["pvalue"], rtol=1e-11)


@pytest.mark.parametrize(("n", "m", "small"), [(342, 3, True), (343, 3, False), (2, 1023, True), (2, 1024, False)])
def test_rank_statistic_auto_is_exact_up_to_1024_sums(n, m, small):
    # m lists of n items have m * (n - 1) + 1 sums.
    method = RankStatistic().fit(first_of(n, m))
    assert method.query_info_["exact"].tolist() == [small]
    found = method.transform(first_of(n, m))["pvalue"][0]
    assert (found == pytest.approx(float(n) ** -m, rel=1e-11, abs=0)) == small


def test_rank_statistic_column_exact_reports_the_computation(X):
    for exact, expected in ((True, True), (False, False), ("auto", True)):
        assert RankStatistic(exact=exact).fit(X).query_info_["exact"].tolist() == [expected]
    assert RankStatistic(statistic="geometric-mean", exact=True).fit(X).query_info_["exact"].tolist() == [True]
    for statistic in ("geometric-mean", "median", "min", "stuart"):
        method = RankStatistic(statistic=statistic).fit(X)
        assert not hasattr(method, "query_info_") and "pvalue" not in method.transform(X)
    # Weights are numbers of lists: 3000 lists are many.
    assert not RankStatistic().fit(X.assign(weight=1000)).query_info_["exact"].item()
    assert not RankStatistic().fit(X.assign(weight=10**15)).query_info_["exact"].item()
    # Lists out of 1009, 2003 and 3001 items have no common grid.
    assert not RankStatistic(n_items={"u": 1009, "v": 2003, "w": 3001}).fit(X).query_info_["exact"].item()


@pytest.mark.filterwarnings("ignore::skrankagg.exceptions.NotComparedWarning")
def test_rank_statistic_omits_fully_tied_lists_from_sums():
    tied = pd.DataFrame({"query": "q", "voter": list("uuvvww"), "item": list("ababab"), "rank": [1, 1, 1, 2, 1, 2]})
    found = RankStatistic().fit_transform(tied.assign(weight=np.repeat([10**6, 1, 1], 2)))
    np.testing.assert_allclose(found["pvalue"], [1 / 4, 1.0])
    silent = RankStatistic(voter_weights=dict.fromkeys("uvw", 0)).fit_transform(tied)
    assert (silent["pvalue"] == 1.0).all()


@pytest.mark.exhaustive
@pytest.mark.filterwarnings("ignore::skrankagg.exceptions.NotComparedWarning")
@given(seed=st.integers(0, 10**6), weighted=st.booleans(), sizes=SIZES)
@settings(max_examples=60, deadline=None)
def test_rank_statistic_geometric_mean_p_values_are_upper_bounds(seed, weighted, sizes):
    frame = query(seed, weighted)
    params, n_items = sizes_of(frame, sizes)
    exact = exact_tails(frame, multiply, n_items, sizes == "ignore")
    above = exact_tails(frame, multiply, n_items, sizes == "ignore", factor=Fraction(101, 100))
    found = pvalues(frame, statistic="geometric-mean", **params)
    for item, p in found.items():
        assert exact[item] * (1 - 1e-11) <= p <= above[item] * (1 + 1e-9)


@given(seed=st.integers(0, 10**6), statistic=st.sampled_from(["mean", "geometric-mean"]))
@settings(max_examples=40, deadline=None)
def test_rank_statistic_p_values_increase_as_scores_decrease(seed, statistic):
    frame = example_lists(seed, n_queries=3, n_voters=7, n_items=40, with_ties=bool(seed % 2))
    found = RankStatistic(statistic=statistic, exact=True, n_items=60).fit_transform(frame)
    assert found["pvalue"].between(0, 1).all()
    for _, group in found.groupby("query"):
        assert (np.diff(group["pvalue"]) >= -1e-11 * group["pvalue"].to_numpy()[1:]).all()
        tied = group.groupby("score")["pvalue"]
        np.testing.assert_allclose(tied.transform("max"), tied.transform("min"), rtol=1e-9)


@pytest.mark.parametrize("statistic", ["mean", "geometric-mean"])
def test_rank_statistic_computes_lists_of_equal_shape_once(statistic, monkeypatch):
    # The lists of the two queries have the same lengths, and other items; one of the second has weight 2, for 2 lists.
    frame = pd.DataFrame(
        [("p", f"u{v}", item, rank) for v, items in enumerate(["abc", "bcd", "bcd"]) for rank, item in enumerate(items)]
        + [("q", f"v{v}", item, rank) for v, items in enumerate(["wxy", "xyz"]) for rank, item in enumerate(items)],
        columns=["query", "voter", "item", "rank"],
    )
    frame["weight"] = np.where(frame["voter"] == "v1", 2, 1)
    made = []
    monkeypatch.setattr(SumOfDraws, "log_tail", lambda self, x: made.append(len(x)) or np.zeros(len(x)))
    RankStatistic(statistic=statistic, exact=True).fit_transform(frame)
    assert made == [8]
    made.clear()
    RankStatistic(statistic=statistic, exact=True, absent="ignore").fit_transform(frame)
    # a and w are in one list, b, x, c, y in three, d and z in two.
    assert sorted(made) == [2, 2, 4]


# ---------------------------------------------------------------------- figures of long lists


def first_of(n, m):
    return pd.DataFrame({"query": "q", "voter": np.repeat(np.arange(m), n), "item": list(range(n)) * m,
                         "rank": list(range(n)) * m})  # fmt: skip


def test_rank_statistic_p_value_of_the_first_of_a_hundred_in_three_lists():
    # One way of 100 ** 3 to have the sum 3, and 1 + 3 + 6 + ... + 36 = 120 ways to have a sum up to 10.
    found = RankStatistic(exact=True).fit_transform(first_of(100, 3))
    assert found["pvalue"][0] == pytest.approx(1e-6, rel=1e-12)
    assert RankStatistic().fit_transform(first_of(100, 3))["pvalue"][0] == pytest.approx(1e-6, rel=1e-12)
    normal = RankStatistic(exact=False)
    assert normal.fit_transform(first_of(100, 3))["pvalue"][0] == pytest.approx(0.00164, rel=0.01)
    # Its places are 2, 3 and 5.
    shifted = first_of(100, 3)
    shifted["rank"] = (shifted["rank"] + np.repeat([1, 2, 4], 100)) % 100
    assert pvalues(shifted)[0] == pytest.approx(120e-6, rel=1e-12)
    assert RankStatistic().fit_transform(shifted).set_index("item")["pvalue"][0] == pytest.approx(120e-6, rel=1e-12)
    assert normal.fit_transform(shifted).set_index("item")["pvalue"][0] == pytest.approx(0.00256, rel=0.01)
    # Lists that show their first 2, 3 and 5 only: it is the last of each, in 30 ways.
    cut = shifted[shifted["rank"] < shifted["voter"].map({0: 2, 1: 3, 2: 5})]
    assert pvalues(cut, n_items=100)[0] == pytest.approx(30e-6, rel=1e-12)
    # In ten lists of 20,000 it is 1e-43.
    items = pd.DataFrame({"query": "q", "voter": range(10), "item": "a", "rank": 1})
    for statistic in ("mean", "geometric-mean"):
        found = pvalues(items, statistic=statistic, n_items=20_000)["a"]
        assert found == pytest.approx(20_000.0**-10, rel=1e-10)


def test_rank_statistic_p_value_of_the_first_of_thirty_in_four_lists():
    # The tail of a gamma distribution, right for long lists only, is 6.5e-4 here.
    found = RankStatistic(statistic="geometric-mean", exact=True).fit_transform(first_of(30, 4))
    assert found["pvalue"][0] == pytest.approx(30.0**-4, rel=1e-10)


def divisors_up_to(n, m, most):
    """Count the m-tuples of 1..n with each product up to `most`: integers, (most + 1,)."""
    count = np.zeros(most + 1, dtype=object)
    count[1] = 1
    for _ in range(m):
        step = np.zeros(most + 1, dtype=object)
        for rank in range(1, min(n, most) + 1):
            step[rank::rank] += count[1 : most // rank + 1]
        count = step
    return count


@pytest.mark.parametrize(("n", "m"), [(1000, 6), (20_000, 4), (500, 12)])
def test_sum_of_draws_bounds_small_rank_products_by_integer_counts(n, m):
    most = 3000
    exact = np.cumsum(divisors_up_to(n, m, most))
    places = np.log(np.arange(1.0, n + 1))
    null = SumOfDraws([places], [np.ones(n)], [m])
    products = np.arange(1, most + 1)
    lower, upper = null.log_bounds(np.log(products), np.log1p(1 / products))
    expected = np.array([log(int(exact[product])) - m * log(n) for product in products])
    assert (lower <= expected + 1e-10).all() and (expected <= upper + 1e-10).all()
    # Exact up to where the next product is out of reach of rounding, all of them far below 1e-12.
    np.testing.assert_allclose(upper[:100], expected[:100], rtol=0, atol=1e-10)
    np.testing.assert_allclose(lower[:50], expected[:50], rtol=0, atol=1e-10)
    assert expected[-1] < log(1e-10)
    # Nowhere above that of a product 1 % larger.
    assert (upper <= expected[np.minimum(products * 101 // 100, most) - 1] + 1e-10)[: most // 2].all()


@pytest.mark.parametrize(
    "sizes",
    [
        {(300, 300): 10},
        {(100, 7): 6},
        {(200, 20): 10, (200, 100): 5},
        {(50, 50): 60},
        {(2, 2): 200},
        {(1000, 1): 8},
        {(1000, 3): 20},
    ],
    ids=str,
)
def test_sum_of_draws_of_rank_sums_equals_integer_counts(sizes):
    # m lists show the first k of n each.
    ways = np.array([1], dtype=object)
    for (n, k), m in sizes.items():
        for _ in range(m):
            before = np.concatenate([[0], np.cumsum(ways)])
            place = np.arange(len(ways) + n - 1)
            step = before[np.minimum(place + 1, len(ways))] - before[np.clip(place - k + 1, 0, len(ways))]
            step[n - 1 :] += (n - k) * ways
            ways = step
    total = sum(m * log(n) for (n, _), m in sizes.items())
    sums = np.flatnonzero(ways)
    expected = np.array([log_of(Fraction(int(count))) for count in np.cumsum(ways)[sums]]) - total
    places = [np.append(np.arange(k), [n - 1] * (n > k)) for n, k in sizes]
    masses = [np.append(np.ones(k), [n - k] * (n > k)) for n, k in sizes]
    null = SumOfDraws([place.astype(float) for place in places], masses, list(sizes.values()), unit=1.0)
    assert null.exact
    found = null.log_tail(sums.astype(float))
    assert expected.min() < log(1e-9)
    np.testing.assert_allclose(found, expected, rtol=0, atol=5e-12)
    lower, upper = null.log_bounds(sums.astype(float))
    assert (lower == found).all() and (upper == found).all()


LISTS = st.lists(
    st.tuples(st.integers(2, 9), st.integers(1, 9), st.booleans(), st.integers(1, 2)), min_size=1, max_size=3
)


@given(sizes=LISTS, logarithms=st.booleans())
@settings(max_examples=60, deadline=None)
def test_sum_of_draws_bounds_bracket_all_outcomes(sizes, logarithms):
    # Lists of n items that show k, of which the first two may tie, some twice; sums without a common unit, too.
    values, masses, copies, places = [], [], [], []
    for n, k, tied, count in sizes:
        k = min(k, n)
        ranks = [Fraction(rank) for rank in range(1, k + 1)] + [Fraction(n)] * (n - k)
        if tied and k > 1:
            ranks[:2] = [Fraction(3, 2)] * 2
        distinct = sorted(set(ranks))
        x = np.array([float(rank / n) for rank in distinct])
        x = np.log(x) if logarithms else x
        values.append(x - x[0])
        masses.append(np.array([float(ranks.count(rank)) for rank in distinct]))
        copies.append(count)
        places += [[rank / n for rank in ranks]] * count
    found = outcomes(places, multiply if logarithms else add)
    reached = sorted(found)
    expected = np.array([log_of(chance) if chance < 1 else 0.0 for chance in accumulate(found[x] for x in reached)])
    size = [log_of(value) if logarithms else float(value) for value in reached]
    x = np.maximum(np.array(size) - size[0], 0.0)
    gap = np.append(np.diff(x), 0.0)
    null = SumOfDraws(values, masses, copies)
    lower, upper = null.log_bounds(x, gap)
    assert (lower <= expected + 1e-10).all() and (expected <= upper + 1e-10).all()
    # No gap is known: still a bracket.
    lower, _ = null.log_bounds(x)
    assert (lower <= expected + 1e-10).all()
    # Where the next value is further away than rounding reaches, the upper bound is exact.
    far = gap > 0.02 if logarithms else gap > 0.01
    np.testing.assert_allclose(upper[far], expected[far], atol=1e-9)


def test_rank_statistic_bounds_sums_without_a_common_unit():
    # 1009, 2003 and 3001 are primes: the sums are multiples of 1 / 6e9.
    n_items = {"u": 1009, "v": 2003, "w": 3001}
    rng = np.random.default_rng(0)
    rows = [("q", voter, int(item), rank) for voter, n in n_items.items()
            for rank, item in enumerate(rng.permutation(n)[: n // 10])]  # fmt: skip
    frame = pd.DataFrame(rows, columns=["query", "voter", "item", "rank"])
    found = pvalues(frame, statistic="mean", n_items=n_items)
    x = dict.fromkeys(found.index, 0.0)
    for voter, n in n_items.items():
        ranks = frame[frame["voter"] == voter].set_index("item")["rank"] + 1
        for item in x:
            x[item] += ranks.get(item, n) / n

    # Without rounding: two lists convolved, and the third looked up in them.
    def places(n):
        return np.append(np.arange(1, n // 10 + 1), n) / n, np.append(np.ones(n // 10), n - n // 10) / n

    (u, of_u), (v, of_v), (w, of_w) = (places(n) for n in n_items.values())
    pair, chance = np.add.outer(u, v).ravel(), np.multiply.outer(of_u, of_v).ravel()
    order = np.argsort(pair)
    reached = np.concatenate([[0], np.cumsum(chance[order])])
    for item in list(x)[::10]:
        exact = of_w @ reached[np.searchsorted(pair[order], x[item] - w + 1e-12, side="right")]
        assert exact * (1 - 1e-9) <= found[item] <= exact * 1.02


@pytest.mark.parametrize("statistic", ["mean", "geometric-mean"])
@pytest.mark.parametrize("cut", [1.0, 0.2])
def test_rank_statistic_p_values_are_uniform_for_random_lists(statistic, cut):
    rng = np.random.default_rng(0)
    n, m = 4000, 5
    held = int(cut * n)
    frame = pd.DataFrame(
        {
            "query": "q",
            "voter": np.repeat(np.arange(m), held),
            "item": np.concatenate([rng.permutation(n)[:held] for _ in range(m)]),
            "rank": np.tile(np.arange(held), m),
        }
    )
    p = RankStatistic(statistic=statistic, exact=True, n_items=n).fit_transform(frame)["pvalue"]
    for level in (0.01, 0.05, 0.2):
        assert abs((p <= level).sum() / n - level) < 4 * (level * (1 - level) / n) ** 0.5


def test_sum_of_draws_of_many_long_lists_approaches_a_gamma_distribution():
    rng = np.random.default_rng(0)
    n, m = 20_000, 32
    rank = np.array([rng.permutation(n) + 1 for _ in range(m)])
    null = SumOfDraws([np.log(np.arange(1.0, n + 1))], [np.ones(n)], [m])
    total = np.log(rank).sum(axis=0)
    lower, upper = null.log_bounds(total)
    assert null.width < 0.01 and (upper - lower).max() < 0.01
    # Ranks divided by n are larger than uniform numbers, by half a rank in the mean: that counts for the first ranks.
    gamma = gammaincc(m, m * log(n) - total)
    assert (np.exp(lower) <= gamma).all() and (np.exp(upper) >= gamma * 0.9).all()


# ---------------------------------------------------------------------- errors and remaining cases


@pytest.mark.parametrize("statistic", ["median", "min", "stuart"])
def test_rank_statistic_rejects_exact_for_other_statistics(X, statistic):
    with pytest.raises(ValueError, match=f"'mean' or 'geometric-mean' if exact=True; got '{statistic}'"):
        RankStatistic(statistic=statistic, exact=True).fit(X)


def test_rank_statistic_exact_rejects_too_many_lists(X):
    with pytest.raises(
        ValueError,
        match=r"few hundred lists .* got 3000 lists for query 'q', where a list of weight w counts as w lists",
    ):
        RankStatistic(statistic="geometric-mean", exact=True).fit_transform(X.assign(weight=1000))
    with pytest.raises(ValueError, match="allows at most 65536 lists; got 3000000000000000 lists for query 'q'"):
        RankStatistic(exact=True).fit_transform(X.assign(weight=10**15))
    found = RankStatistic(exact=True).fit_transform(X.assign(weight=1000))
    assert found["pvalue"].is_monotonic_increasing and found["pvalue"].iloc[-1] == pytest.approx(1.0)


@pytest.mark.filterwarnings("ignore::skrankagg.exceptions.NotComparedWarning")
def test_rank_statistic_p_value_is_1_for_fully_tied_lists(X):
    tied = X.assign(score=1.0).query("voter == 'u'")
    for statistic in ("mean", "geometric-mean"):
        assert (pvalues(tied, statistic=statistic) == 1.0).all()
        assert (pvalues(X, statistic=statistic, voter_weights=dict.fromkeys("uvw", 0)) == 1.0).all()


def test_rank_statistic_repeat_equals_aggregate(X):
    lists = RankedLists.from_frame(X)
    method = RankStatistic(exact=True)
    np.testing.assert_array_equal(method._repeat(lists)(np.ones(3)), method._aggregate(lists).score)


def test_exact_tails_equals_an_example_by_hand():
    # Of the nine pairs of ranks one has the product 1, two have 2, two 3, one 4, two 6 and one 9.
    found = exact_tails(first_of(3, 2), multiply)
    assert [found[item] for item in range(3)] == pytest.approx([1 / 9, 6 / 9, 1.0])
    assert normalised(first_of(3, 2))[1] == [Fraction(2, 3)] * 2
