"""Voters that do not match: unknown to a fitted method, or named without having a list."""

import functools
import inspect

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, cross_val_score

from skrankagg import (
    DIBRA,
    Agglomerative,
    CombSUM,
    Copeland,
    LocalKemenization,
    PreferenceRelations,
    Qrels,
    RankedLists,
    RankStatistic,
    RobustRankAggregation,
)
from skrankagg._data._voter_names import near_voters
from skrankagg.aggregators._weighted._voter_scales import scale_weights
from skrankagg.base import SupervisedAggregator
from skrankagg.datasets import make_ranked_lists
from skrankagg.exceptions import UnknownVoterWarning
from skrankagg.metrics import make_ranking_scorer
from skrankagg.model_selection import QueryKFold
from skrankagg.preprocessing import VoterSelector
from skrankagg.utils.discovery import all_aggregators
from skrankagg.utils.estimator_checks import example_lists

pytestmark = pytest.mark.twice

BORDA = CombSUM(norm="borda")
GLOBAL = [
    DIBRA(BORDA),
    DIBRA(BORDA, weight_norm="z-score"),
    DIBRA(Copeland(), weight_norm=None),
    DIBRA(BORDA, prune="low"),
    DIBRA(BORDA, prune="wire", d2=0.5),
    PreferenceRelations(alpha=0.5, absent_edges=False),
    Agglomerative(),
    Agglomerative(weight_update="similarity"),
]


@functools.cache
def known_and_unknown():
    """Return lists of seven voters for five queries, without and with an eighth voter."""
    lists, _, _ = make_ranked_lists(
        n_queries=5, n_voters=8, n_items=40, list_length=15, quality=0.6, quality_spread=1.0, random_state=7
    )
    known = lists[lists["voter"] != "v8"].reset_index(drop=True)
    stranger = lists[lists["voter"] == "v8"].merge(known[["query", "item"]].drop_duplicates())
    return known, pd.concat([known, stranger], ignore_index=True)


# ---------------------------------------------------------------------- voters that fit has not seen


@pytest.mark.parametrize("method", GLOBAL, ids=repr)
def test_unknown_voter_ignore_does_not_change_the_consensus(method):
    known, together = known_and_unknown()
    fitted = clone(method).set_params(weighting="global", unknown_voter="ignore").fit(known)
    pd.testing.assert_frame_equal(fitted.transform(together), fitted.transform(known))


@pytest.mark.parametrize("method", [method for method in GLOBAL if not isinstance(method, Agglomerative)], ids=repr)
def test_unknown_voter_ignore_equals_weight_0(method):
    known, _ = known_and_unknown()
    new_items = known[known["voter"] == "v1"].assign(voter="v8", item=known["item"] + "x")
    together = pd.concat([known, new_items], ignore_index=True)
    fitted = clone(method).set_params(weighting="global", unknown_voter="ignore").fit(known)
    silent = clone(fitted).set_params(unknown_voter="mean").fit(known)
    weighted = together.assign(weight=(together["voter"] != "v8").astype(float))
    consensus = fitted.transform(together)
    pd.testing.assert_frame_equal(consensus, silent.transform(weighted))
    assert len(consensus) == len(together[["query", "item"]].drop_duplicates())


def test_agglomerative_ranks_items_of_ignored_voters():
    known, _ = known_and_unknown()
    together = pd.concat(
        [known, known[known["voter"] == "v1"].assign(voter="v8", item=known["item"] + "x")], ignore_index=True
    )
    consensus = Agglomerative(weighting="global", unknown_voter="ignore").fit(known).transform(together)
    new = consensus["item"].str.endswith("x")
    assert new.sum() == 5 * 15 and (consensus[new].groupby("query")["score"].nunique() == 1).all()


@pytest.mark.parametrize("method", [DIBRA(), PreferenceRelations(), Agglomerative()], ids=repr)
def test_unknown_voter_ignore_rejects_a_query_of_unknown_voters(method):
    lists = example_lists(full=True)
    seen = lists[lists["voter"] != "v4"].reset_index(drop=True)
    fitted = clone(method).set_params(weighting="global", unknown_voter="ignore").fit(seen)
    strange = lists[(lists["query"] != "q2") | (lists["voter"] == "v4")].reset_index(drop=True)
    with pytest.raises(ValueError, match=r"not fitted on any voter of query 'q2', and with unknown_voter='ignore'"):
        fitted.transform(strange)
    fitted.set_params(unknown_voter="mean").transform(strange)


def test_scale_weights_with_unknown_voters_keeps_the_scale_of_known_ones():
    weight, ptr, ones = np.array([3.0, 4.0, 7.0, 1.0]), np.array([0, 4]), np.ones(4)
    known = np.array([True, True, True, False])
    scaled = scale_weights(weight, ptr, ones, "min-max", known=known)
    assert scaled.tolist() == pytest.approx([0.0, 0.25, 1.0, 1.25 / 3])
    scaled = scale_weights(weight, ptr, ones, "z-score", known=known)
    assert scaled[:3].tolist() == pytest.approx(scale_weights(weight[:3], ptr - [0, 1], ones[:3], "z-score").tolist())
    assert scaled[3] == pytest.approx(scaled[:3].mean())
    # A list of weight 2 counts as two lists, and one of weight 0 as no list.
    twice = scale_weights(weight, ptr, np.array([1.0, 2.0, 1.0, 1.0]), "min-max", known=known)
    assert twice[3] == pytest.approx((0 + 2 * 0.25 + 1) / 4)
    unheard = scale_weights(weight, ptr, np.array([1.0, 1.0, 0.0, 1.0]), "min-max", known=known)
    assert unheard[[0, 1, 3]].tolist() == [0.0, 1.0, 0.5]
    assert scale_weights(weight, ptr, ones, "min-max", known=np.zeros(4, dtype=bool)).tolist() == [1.0] * 4


def test_unknown_voter_mean_uses_the_mean_of_the_known_voters():
    known, together = known_and_unknown()
    method = DIBRA(BORDA, weighting="global").fit(known)
    weights = method.voter_weights_.set_index("voter")["weight"]
    # Three good voters and the unknown one: the mean of all voters is below that of each.
    good = weights.nlargest(3)
    assert weights.mean() < good.min()
    few = together[together["voter"].isin([*good.index, "v8"])].reset_index(drop=True)
    scaled = (good - good.min()) / (good.max() - good.min())
    given = CombSUM(norm="borda", voter_weights={**scaled, "v8": scaled.mean()})
    pd.testing.assert_frame_equal(method.transform(few), given.fit_transform(few))


@pytest.mark.parametrize("method", [DIBRA(), PreferenceRelations(), Agglomerative()], ids=repr)
def test_transform_reports_voter_ids_of_another_type(method):
    lists = example_lists(full=True)
    numbers = lists.assign(voter=lists["voter"].str[1:].astype(int))
    text = lists.assign(voter=lists["voter"].str[1:])
    fitted = clone(method).set_params(weighting="global").fit(numbers)
    with pytest.warns(
        UnknownVoterWarning, match=r"fit are int, such as 0, the ids here str, such as '0'\).*no learned weight is used"
    ):
        fitted.transform(text)
    with pytest.warns(UnknownVoterWarning, match=r"not fitted on any voter of these lists, so all") as caught:
        fitted.transform(numbers.assign(voter=numbers["voter"] + 10))
    assert len(caught) == 1
    with pytest.raises(
        ValueError, match=r"any voter of query 'q0' \(the ids seen in fit are int, such as 0, the ids here str"
    ):
        fitted.set_params(unknown_voter="ignore").transform(text)
    with pytest.raises(
        ValueError, match=r"not among the voters in fit \(the ids seen in fit are int, such as 0, the ids"
    ):
        fitted.set_params(unknown_voter="error").transform(text)


def test_voter_selector_reports_voter_ids_of_another_type():
    lists = example_lists(full=True)
    numbers, text = lists.assign(voter=lists["voter"].str[1:].astype(int)), lists.assign(voter=lists["voter"].str[1:])
    selector = VoterSelector(n_voters=2).fit(numbers)
    with pytest.warns(UnknownVoterWarning, match=r"fit are int, such as \d, the ids here str, such as '0'\), so all"):
        assert len(selector.transform(text)) == len(text)
    with pytest.raises(ValueError, match=r"All lists would be removed: .* no value for any of the voters \(the ids"):
        selector.set_params(unknown_voter="ignore").transform(text)
    with pytest.raises(ValueError, match=r"was not among the voters in fit \(the ids seen in fit are int"):
        selector.set_params(unknown_voter="error").transform(text)


# ---------------------------------------------------------------------- names that no list has


def test_near_voters_finds_similar_names():
    voters = ["bing", "google", "yahoo", "v1", "v2", "v11", "7", "run_a", "expert-b", "expert-c"]
    found = near_voters(["gogle", "Google ", "YAHOO", "vv2", "v01", 7], voters)
    assert [voter for _, voter in found] == ["google", "google", "yahoo", "v2", "v1", "7"]
    # Another number or single letter is another voter, and a name that resembles two voters is a third one.
    assert near_voters(["v12", "v3", "dense", "8", "run_b", "b", "expert"], voters) == []
    assert near_voters(["ab"], ["Ab", "aB"]) == []
    assert near_voters(["gogle"], ["google", *map(str, range(2000))]) == []


#: A single judgement for the example lists.
JUDGEMENTS = Qrels.from_dict({"q0": {"i00": 1}})


def named_by_voter():
    """Yield every estimator with voter weights and every other parameter that names voters."""
    for name, method in all_aggregators().items():
        if "voter_weights" in inspect.signature(method).parameters:
            judgements = {"qrels": JUDGEMENTS} if issubclass(method, SupervisedAggregator) else {}
            yield pytest.param(method(**judgements), "voter_weights", id=name)
    yield pytest.param(RobustRankAggregation(), "n_items", id="n_items")
    yield pytest.param(RankStatistic(), "n_items", id="n_items of RankStatistic")
    yield pytest.param(RobustRankAggregation(), "depth_share", id="depth_share")
    yield pytest.param(VoterSelector(n_voters=2), "by", id="by")


@pytest.mark.sampled(13)
@pytest.mark.parametrize("call", ["fit", "fit_transform"])
@pytest.mark.parametrize(("method", "parameter"), list(named_by_voter()))
def test_estimators_warn_once_about_names_of_voters_without_a_list(method, parameter, call):
    lists = example_lists(full=True).replace({"voter": {"v0": "google", "v1": "bing"}})
    value = 1.0 if parameter == "depth_share" else 20
    given = {**dict.fromkeys(["google", "bing", "v2", "v3", "v4"], value), "gogle": value}
    method = clone(method).set_params(**{parameter: given})
    words = rf"^{parameter} names a voter that has no list: 'gogle' \(did you mean 'google'\?\)\. Correct"
    with pytest.warns(UnknownVoterWarning, match=words) as caught:
        getattr(method, call)(lists)
    assert [warning.filename for warning in caught] == [__file__]
    given = {**given, "BING": value, "zebra": value}
    with pytest.warns(UnknownVoterWarning, match=r"2 voters that have no list: 'gogle' .*'BING' \(did you mean 'bing'"):
        method.set_params(**{parameter: given}).fit(RankedLists.from_frame(lists))


def test_subsets_do_not_warn_about_voters_of_the_whole_data_set():
    frame, qrels, _ = make_ranked_lists(n_queries=12, n_voters=6, n_items=20, list_length=8, random_state=0)
    # The last voter answers one query only.
    frame = frame[(frame["voter"] != "v6") | (frame["query"] == "q07")].reset_index(drop=True)
    lists, given = RankedLists.from_frame(frame), {f"v{k}": 1.0 + k for k in range(1, 7)}
    scorer = make_ranking_scorer("ndcg@10", qrels=qrels)
    for method in (CombSUM(norm="rank", voter_weights=given), DIBRA(BORDA, voter_weights=given, max_iter=3)):
        method.fit_transform(lists[[0, 1]])
        method.fit_transform(frame[frame["query"] == "q01"].reset_index(drop=True))
        cross_val_score(method, lists, scoring=scorer, cv=4)
        cross_val_score(method, frame, scoring=scorer, cv=QueryKFold(4))
    search = GridSearchCV(LocalKemenization(BORDA), {"aggregator__voter_weights": [None, given]}, scoring=scorer, cv=4)
    search.fit(lists)
    # A container contains all voters of its data set; v6 has no list here, and may also be misspelt.
    with pytest.warns(UnknownVoterWarning, match="'V6' .did you mean 'v6'"):
        CombSUM(norm="rank", voter_weights={**given, "V6": 1.0}).fit(lists[[0, 1]])
    CombSUM(norm="rank", voter_weights={**given, "zebra": 1.0, "v60": 1.0}).fit(frame)


def test_error_for_a_missing_voter_weight_suggests_a_similar_name():
    lists = example_lists(full=True)
    with pytest.raises(
        ValueError, match=r"The first of them is 'v4' \(the name 'V4' has no list; check its spelling\)\. Give"
    ):
        CombSUM(voter_weights={**dict.fromkeys(["v0", "v1", "v2", "v3"], 1), "V4": 1}, norm="rank").fit(lists)
    with pytest.raises(ValueError, match=r"The first of them is 'v4'\. Give"):
        CombSUM(voter_weights=dict.fromkeys(["v0", "v1", "v2", "v3"], 1), norm="rank").fit(lists)
    numbers = lists.assign(voter=lists["voter"].str[1:].astype(int))
    with pytest.raises(
        ValueError, match=r"first of them is 0 \(the names are str, such as '0', the voters int, such as 0\)"
    ):
        CombSUM(voter_weights=dict.fromkeys("01234", 1), norm="rank").fit(numbers)


def test_voter_weights_rejects_two_values_for_a_voter():
    twice = pd.Series([1.0, 2.0, 3.0, 4.0, 5.0, 6.0], index=["v0", "v1", "v2", "v3", "v4", "v1"])
    with pytest.raises(ValueError, match="`voter_weights` must have one value for each voter; got several for 'v1'"):
        CombSUM(voter_weights=twice, norm="rank").fit(example_lists())
