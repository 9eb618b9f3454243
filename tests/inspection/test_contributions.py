"""voter_contributions: an example by hand, and sums equal to the scores of every additive method."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline

from golden import GOLDEN, LEARNT
from skrankagg import (
    DIBRA,
    BordaCount,
    CombMNZ,
    CombSUM,
    Copeland,
    LearnedWeights,
    PreferenceRelations,
    Qrels,
    RankedLists,
    RankStatistic,
    ReciprocalRankFusion,
    config_context,
    fuse,
)
from skrankagg.base import BaseAggregator
from skrankagg.datasets import make_ranked_lists
from skrankagg.exceptions import InputError, InputTypeError, MemoryLimitError, NotComparedWarning
from skrankagg.inspection import voter_contributions
from skrankagg.preprocessing import TopK
from skrankagg.utils.estimator_checks import example_lists

pytestmark = pytest.mark.twice

SIX = pd.DataFrame({"query": "q", "voter": list("uuuvvw"), "item": list("abcbac"), "rank": [1, 2, 3, 1, 2, 1]})

JUDGED_LISTS, QRELS, _ = make_ranked_lists(
    n_queries=6, n_voters=5, n_items=14, list_length=9, tie_probability=0.2, random_state=4
)
METHODS = [
    *(method for method, *_ in GOLDEN + LEARNT),
    LearnedWeights(CombSUM(norm="z-score", absent_score="min"), positive=False),
    LearnedWeights(BordaCount()),
    DIBRA(ReciprocalRankFusion(), weighting="global"),
    PreferenceRelations(weighting="global", unknown_voter="ignore"),
    RankStatistic(statistic="geometric-mean", absent="ignore"),
]
#: Classes of methods whose scores are sums; DIBRA and RankStatistic are in some variants.


def fitted(method, X=JUDGED_LISTS):
    method = clone(method)
    if not method.__sklearn_tags__().requires_fit:
        return method
    if hasattr(method, "qrels"):
        method.set_params(qrels=Qrels.from_frame(QRELS))
    return method.fit(X)


def is_refused(method):
    try:
        voter_contributions(fitted(method), JUDGED_LISTS)
    except InputError as error:
        assert "sums over the lists" in str(error) and "voter_influence" in str(error)
        return True
    return False


ADDITIVE = [method for method in METHODS if not is_refused(method)]


def check_sums(method, X):
    shares, consensus = voter_contributions(method, X), method.transform(X)
    if isinstance(method, RankStatistic) and method.absent == "ignore":
        heard = X[X["weight"] > 0] if "weight" in X else X  # what no other list holds has the worst score by rule
        known = set(zip(heard["query"], heard["item"], strict=True))
        shares, consensus = (
            frame[[pair in known for pair in zip(frame["query"], frame["item"], strict=True)]]
            for frame in (shares, consensus)
        )
    grouped = shares.groupby(["query", "item"], sort=False)["contribution"]
    found, size = grouped.sum(), shares["contribution"].abs().groupby([shares["query"], shares["item"]]).sum()
    # The same items in the same order.
    assert found.index.tolist() == list(zip(consensus["query"], consensus["item"], strict=True))
    tolerance = 1e-12 * np.maximum(size.reindex(found.index), consensus["score"].abs().max())
    assert (np.abs(found.to_numpy() - consensus["score"].to_numpy()) <= tolerance.to_numpy()).all()
    return shares


def test_voter_contributions_accepts_the_additive_methods():
    # DIBRA and RankStatistic are sums in some variants.
    own = {type(method) for method in METHODS if type(method)._contributions is not BaseAggregator._contributions}
    assert {type(method) for method in ADDITIVE} == own and len(own) > 15


def test_voter_contributions_equals_an_example_by_hand():
    # n = 3; u holds all, v leaves 1 point to c, w leaves (2 + 1) / 2 to a and b. a and b have 6.5, two lists each.
    found = voter_contributions(BordaCount(), SIX)
    expected = pd.DataFrame(
        {
            "query": "q",
            "voter": list("uvwuvwuvw"),
            "item": list("aaabbbccc"),
            "contribution": [3.0, 2.0, 1.5, 2.0, 3.0, 1.5, 1.0, 1.0, 3.0],
        }
    )
    pd.testing.assert_frame_equal(found, expected)


def test_voter_contributions_omits_absent_items_that_get_no_points():
    held = voter_contributions(CombSUM(norm="rank"), SIX)
    assert list(zip(held["item"], held["voter"], strict=True)) == [*zip("bbaacc", "uvuvuw", strict=True)]


def test_voter_contributions_includes_the_factor_of_comb_mnz():
    # Values of "rank": u gives 1, 2/3, 1/3, v gives 1, 1/2, w gives 1; two lists hold each item.
    found = voter_contributions(CombMNZ(norm="rank"), SIX).set_index(["item", "voter"])["contribution"]
    assert found["a", "u"] == 2 and found["a", "v"] == 1 and found["c", "w"] == 2
    assert found["c", "u"] == pytest.approx(2 / 3)


@pytest.mark.sampled(14)
@pytest.mark.parametrize("method", ADDITIVE, ids=repr)
def test_voter_contributions_sum_to_the_scores(method):
    method = fitted(method)
    check_sums(method, JUDGED_LISTS)


# Random lists may leave items uncompared, which is tested elsewhere.
@pytest.mark.filterwarnings("ignore::skrankagg.exceptions.NotComparedWarning")
@given(seed=st.integers(0, 10**6), number=st.integers(0, len(ADDITIVE) - 1))
@settings(max_examples=120, deadline=None)
def test_voter_contributions_sum_to_the_scores_with_any_weights(seed, number):
    rng, method = np.random.default_rng(seed), ADDITIVE[number]
    X = example_lists(seed, n_queries=3, n_voters=4, n_items=8)
    if method.__sklearn_tags__().aggregator_tags.supervised:
        X = JUDGED_LISTS.copy()
    whole = method.__sklearn_tags__().aggregator_tags.integer_weights or getattr(method, "support", None) == "log"
    weights = [0.0, 1.0, 2.0, 5.0] if whole else [0.0, 0.3, 1.0, 7.5]
    weight = rng.choice(weights, 1000)
    weight[0] = 1.0
    lists = X.groupby(["query", "voter"]).ngroup()
    first = lists.groupby(X["query"]).transform("min")  # one list of each query has a weight
    check_sums(fitted(method, X), X.assign(weight=np.where(lists == first, 1.0, weight[lists])))


@pytest.mark.sampled(5)
@pytest.mark.filterwarnings("ignore::skrankagg.exceptions.NotComparedWarning")
@pytest.mark.parametrize("method", [*ADDITIVE, RankStatistic(absent="ignore")], ids=repr)
def test_voter_contributions_sum_to_the_scores_if_all_weights_are_0(method):
    method, X = fitted(method), JUDGED_LISTS
    check_sums(method, X.assign(weight=0.0))
    check_sums(method, X.assign(weight=np.where(X["query"] == X["query"].iloc[0], 0.0, 1.0)))


def test_rank_statistic_gives_score_0_if_all_weights_are_0():
    X = JUDGED_LISTS.assign(weight=0.0)
    for statistic in ("mean", "geometric-mean", "median", "min", "stuart"):
        with pytest.warns(NotComparedWarning):
            assert set(RankStatistic(statistic=statistic).fit_transform(X)["score"]) == {0.0}


def test_voter_contributions_scale_with_voter_weights():
    equal = voter_contributions(ReciprocalRankFusion(), SIX)
    heavy = voter_contributions(ReciprocalRankFusion(voter_weights={"u": 3.0, "v": 1.0, "w": 0.0}), SIX)
    merged = equal.merge(heavy, on=["query", "item", "voter"], suffixes=("", "_heavy"))
    ratio = merged["contribution_heavy"] / merged["contribution"]
    assert ratio.groupby(merged["voter"]).first().tolist() == pytest.approx([3.0, 1.0, 0.0])


def test_voter_contributions_equals_fuse_with_explain():
    runs = {"u": {"a": 3.0, "b": 2.0}, "v": {"b": 0.5, "c": 0.1}}
    found = voter_contributions(CombSUM(), {voter: {1: run} for voter, run in runs.items()})
    assert found["query"].unique().tolist() == [1]
    table = found.pivot(index="item", columns="voter", values="contribution").fillna(0.0)
    for item, _, shares in fuse(runs, CombSUM(), explain=True):
        assert table.loc[item].to_dict() == pytest.approx(shares)


def test_voter_contributions_accepts_encoded_lists_and_other_frames():
    expected = voter_contributions(BordaCount(), SIX)
    pd.testing.assert_frame_equal(voter_contributions(BordaCount(), RankedLists.from_frame(SIX)), expected)
    pl = pytest.importorskip("polars", reason="frames of polars")
    pd.testing.assert_frame_equal(voter_contributions(BordaCount(), pl.DataFrame(SIX.to_dict("list"))), expected)


def test_voter_contributions_keeps_the_types_of_ids():
    X = SIX.assign(query=7, voter=pd.Categorical(SIX["voter"]), item=SIX["item"].map(ord))
    found = voter_contributions(BordaCount(), X)
    assert found.dtypes.astype(str).tolist() == ["int64", "category", "int64", "float64"]


def test_voter_contributions_rejects_methods_without_additive_scores():
    with pytest.raises(InputError, match=r"Copeland\(\) are not sums over the lists.* voter_influence"):
        voter_contributions(Copeland(), SIX)
    with pytest.raises(InputTypeError, match="last step, pipeline"):
        voter_contributions(make_pipeline(TopK(k=2), BordaCount()), SIX)
    with pytest.raises(InputTypeError, match="Make an instance"):
        voter_contributions(BordaCount, SIX)
    with pytest.raises(InputTypeError, match="such as BordaCount"):
        voter_contributions("BordaCount", SIX)
    with pytest.raises(NotFittedError):
        voter_contributions(LearnedWeights(), SIX)
    with pytest.raises(NotFittedError):
        voter_contributions(DIBRA(weighting="global"), SIX)
    with config_context(memory_limit=100), pytest.raises(MemoryLimitError, match="9 shares"):
        voter_contributions(BordaCount(), SIX)
