"""BIRRA and Tukey's smoother, compared with plain Python versions and R's documentation."""

from math import ceil, exp, log
from statistics import median

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_allclose, assert_array_equal

from skrankagg import BIRRA, BordaCount
from skrankagg.aggregators._gene_lists import _birra
from skrankagg.aggregators._gene_lists._tukey import repeat_medians, smooth_3rs3r, split_flats
from skrankagg.datasets import make_ranked_lists

# ---------------------------------------------------------------------- the smoother, one row in a loop


def plain_medians(row):
    row = list(row)
    while True:
        inner = [median(row[k - 1 : k + 2]) for k in range(1, len(row) - 1)]
        if inner == row[1:-1]:
            break
        row[1:-1] = inner
    first = median([row[0], row[1], 3 * row[1] - 2 * row[2]])
    last = median([row[-1], row[-2], 3 * row[-2] - 2 * row[-3]])
    return [first, *row[1:-1], last]


def plain_split(row):
    split = list(row)
    for k in range(2, len(row) - 3):
        one, two, three, four = row[k - 1 : k + 3]
        if two == three and (one < two > four or one > two < four):
            split[k] = median([row[k], row[k - 1], 3 * row[k - 1] - 2 * row[k - 2]])
            split[k + 1] = median([row[k + 1], row[k + 2], 3 * row[k + 2] - 2 * row[k + 3]])
    return split


def plain_smooth(row):
    return plain_medians(plain_split(plain_medians(row)))


@settings(max_examples=300, deadline=None)
@given(arrays(np.float64, st.tuples(st.integers(1, 4), st.integers(3, 25)), elements=st.integers(-4, 4)))
def test_smooth_3rs3r_equals_its_definition(values):
    assert_array_equal(repeat_medians(values), [plain_medians(row) for row in values])
    assert_array_equal(split_flats(values), [plain_split(row) for row in values])
    assert_array_equal(smooth_3rs3r(values), [plain_smooth(row) for row in values])


def test_smooth_3rs3r_reproduces_the_example_of_r():
    # help("smooth") in R: x1, smooth(x1, "3R") and smooth(x1).
    values = np.array([[4.0, 1, 3, 6, 6, 4, 1, 6, 2, 4, 2]])
    assert repeat_medians(values).tolist() == [[3, 3, 3, 6, 6, 4, 4, 4, 2, 2, 2]]
    assert smooth_3rs3r(values).tolist() == [[3, 3, 3, 3, 4, 4, 4, 4, 2, 2, 2]]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ([1, 9, 2, 3], [1, 2, 3, 3]),  # a spike goes; the first end is the median of 1, 2 and 0
        ([5, 0, 0, 0, 0], [0, 0, 0, 0, 0]),  # an end that stands alone goes
        ([0, 1, 2, 3, 4], [0, 1, 2, 3, 4]),
        ([1, 2, 9, 9, 2, 1], [1, 2, 4, 4, 2, 1]),  # lines through 1 and 2 go on for two places, where the peak is cut
        ([7, 7], [7, 7]),
    ],
)
def test_smooth_3rs3r_equals_examples_by_hand(before, after):
    assert smooth_3rs3r(np.array([before], dtype=float)).tolist() == [after]


# ---------------------------------------------------------------------- the method


def plain_birra(lists, prior, n_bins, max_iter):
    """Return scores and number of rounds for lists of ranks of all items, absent ones at their mean rank."""
    n_items = len(lists[0])
    n_true = max(1, int(prior * n_items + 1e-9))
    bins = [[ceil(rank * n_bins / n_items) for rank in ranks] for ranks in lists]

    def first(value, tolerance):
        """The share of each item that is among the first, by descending value."""
        share = []
        for one in value:
            above = sum(other > one + tolerance for other in value)
            tied = sum(abs(other - one) <= tolerance for other in value)
            share.append(min(1.0, max(0.0, (n_true - above) / tied)))
        return share

    true = first([-sum(ranks[item] for ranks in lists) for item in range(n_items)], 0.0)
    for n_iter in range(1, max_iter + 1):  # noqa: B007
        factors = []
        for of_list in bins:
            row = []
            for b in range(1, n_bins + 1):
                held = [item for item in range(n_items) if of_list[item] <= b]
                n_held = sum(true[item] for item in held)
                row.append(log((n_held + 1) / (len(held) - n_held + 1) / (prior / (1 - prior))))
            if n_bins > 2:
                row = plain_smooth(row)
            factors.append([max(row[b:]) for b in range(n_bins)])
        if len(lists) > 1:
            for b in range(n_bins):
                column = sorted(((row[b], v) for v, row in enumerate(factors)), reverse=True)
                factors[column[0][1]][b] = column[1][0]
        score = [sum(factors[v][of_list[item] - 1] for v, of_list in enumerate(bins)) for item in range(n_items)]
        before, true = true, first(score, 1e-9)
        if true == before:
            break
    return score, n_iter


def full_ranks(frame):
    """Return ranks of all items, (n_items, n_lists); absent items have the mean of the remaining ranks."""
    ranks = frame.pivot(index="item", columns="voter", values="rank").rank()
    n_held, n_items = ranks.count(), len(ranks)
    return ranks.fillna((n_held + 1 + n_items) / 2)


@pytest.mark.parametrize("seed", range(12))
def test_birra_equals_a_plain_python_version(seed):
    rng = np.random.default_rng(seed)
    options = {"prior": rng.choice([0.05, 0.2, 0.5]), "n_bins": int(rng.choice([1, 2, 5, 20, 50])), "max_iter": 10}
    frame = make_ranked_lists(
        n_queries=1,
        n_voters=int(rng.integers(1, 8)),
        n_items=30,
        list_length=int(rng.integers(3, 31)),
        absent_share=0.2,
        random_state=seed,
    )[0]
    if seed % 3 == 0:
        frame = frame.assign(rank=(frame["rank"] + 2) // 3)
    ranks = full_ranks(frame)
    expected, n_iter = plain_birra(ranks.T.to_numpy().tolist(), **options)
    method = BIRRA(**options)
    found = method.fit_transform(frame[["query", "voter", "item", "rank"]]).set_index("item")["score"]
    assert_allclose(found[ranks.index], expected, rtol=1e-10, atol=1e-10)
    assert method.query_info_["n_iter"].tolist() == [n_iter]


def test_birra_stops_when_the_true_items_are_stable():
    frame = make_ranked_lists(n_queries=8, n_voters=6, n_items=60, list_length=20, random_state=0)[0]
    info = BIRRA().fit(frame).query_info_
    assert info["converged"].all() and info["n_iter"].between(1, 10).all() and info["n_iter"].nunique() > 1
    for n_iter in range(1, 4):
        few = BIRRA(max_iter=n_iter).fit(frame).query_info_
        assert (few["n_iter"] == np.minimum(info["n_iter"], n_iter)).all()
        assert (few["converged"] == (info["n_iter"] <= n_iter)).all()
    # A round more changes nothing.
    pd.testing.assert_frame_equal(BIRRA(max_iter=99).fit_transform(frame), BIRRA().fit_transform(frame))


def test_birra_is_independent_of_blocks_of_queries(monkeypatch):
    frame = make_ranked_lists(n_queries=7, n_voters=5, n_items=40, list_length=15, random_state=1)[0]
    expected = BIRRA().fit_transform(frame)
    monkeypatch.setattr(_birra, "_BLOCK", 500)
    pd.testing.assert_frame_equal(BIRRA().fit_transform(frame), expected)


@pytest.mark.parametrize(("prior", "n_items", "n_true"), [(0.29, 100, 29), (0.05, 39, 1), (0.05, 60, 3), (0.01, 7, 1)])
def test_birra_rounds_the_number_of_true_items_down_exactly(prior, n_items, n_true):
    # 0.29 * 100 is 28.999... Of two equal lists, and a bin for each item, the true ones lead to a peak of the factors,
    # whose tip the smoother takes, unless it is at the end.
    items = [f"{k:03}" for k in range(n_items)]
    frame = pd.DataFrame({"query": "q", "voter": np.repeat(["v", "w"], n_items), "item": items * 2})
    frame["rank"] = np.tile(np.arange(1, n_items + 1), 2)
    score = BIRRA(prior=prior, n_bins=n_items).fit_transform(frame)["score"]
    largest = exp(score[0] / 2) * prior / (1 - prior) - 1
    assert largest == pytest.approx(n_true if n_true == 1 else n_true - 1)


def test_birra_limits_the_influence_of_a_single_list():
    # v ranks the true items first; its factor of a bin that no other list supports is lowered to the next list's.
    ranks = {"v": "abcdefgh", "u": "bahgfedc", "w": "abghcdef"}
    rows = [("q", voter, item, rank) for voter, items in ranks.items() for rank, item in enumerate(items, 1)]
    frame = pd.DataFrame(rows, columns=["query", "voter", "item", "rank"])
    alone = BIRRA(prior=0.25, n_bins=8).fit_transform(frame).set_index("item")["score"]
    double = frame.assign(weight=np.where(frame["voter"] == "v", 2, 1))
    heavy = BIRRA(prior=0.25, n_bins=8).fit_transform(double).set_index("item")["score"]
    expected, _ = plain_birra(full_ranks(frame).T.to_numpy().tolist(), 0.25, 8, 10)
    assert_allclose(alone.sort_index(), expected, rtol=1e-12)
    copies = pd.concat([frame, frame[frame["voter"] == "v"].assign(voter="x")])
    expected, _ = plain_birra(full_ranks(copies).T.to_numpy().tolist(), 0.25, 8, 10)
    assert_allclose(heavy.sort_index(), expected, rtol=1e-12)


def test_birra_sorts_tied_items_by_mean_rank():
    frame = make_ranked_lists(n_queries=3, n_voters=3, n_items=60, list_length=None, random_state=2)[0]
    consensus = BIRRA(n_bins=3).fit_transform(frame)
    assert consensus.groupby("query")["score"].nunique().max() <= 27
    place = BordaCount().fit_transform(frame).set_index(["query", "item"])["rank"]
    for _, tied in consensus.groupby(["query", "score"]):
        borda = [place[key] for key in zip(tied["query"], tied["item"], strict=True)]
        assert borda == sorted(borda)


def test_birra_gives_score_0_if_all_weights_are_0():
    frame = make_ranked_lists(n_queries=1, n_voters=3, n_items=10, list_length=5, random_state=0)[0]
    assert (BIRRA().fit_transform(frame.assign(weight=0))["score"] == 0).all()
