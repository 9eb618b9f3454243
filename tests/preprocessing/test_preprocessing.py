"""List transformers by themselves and in pipelines."""

import importlib.util
import pickle

import numpy as np
import pandas as pd
import pytest
import sklearn
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import BaseEstimator, clone
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import Ridge
from sklearn.model_selection import GridSearchCV, KFold, cross_val_score
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.tree import DecisionTreeRegressor

from golden import one_of_each
from skrankagg import (
    DIBRA,
    BordaCount,
    CombMNZ,
    CombSUM,
    Condorcet,
    Copeland,
    LearnedWeights,
    LocalKemenization,
    MarkovChain,
    Qrels,
    RankedLists,
    ReciprocalRankFusion,
    RobustRankAggregation,
    SimpleBorda,
    StackedFusion,
    evaluate,
)
from skrankagg.base import ListTransformer
from skrankagg.datasets import make_ranked_lists
from skrankagg.exceptions import InputError
from skrankagg.metrics import evaluate_voters, make_ranking_scorer
from skrankagg.preprocessing import AggregatorUnion, ScoreNormalizer, TopK, VoterSelector, VoterWeighter
from skrankagg.utils._checks._common import check_query_subset
from skrankagg.utils._checks._transformers import TRANSFORMER_CHECKS
from skrankagg.utils.discovery import all_transformers
from skrankagg.utils.estimator_checks import (
    check_aggregator,
    check_list_transformer,
    example_lists,
    example_qrels,
    parametrize_with_checks,
)

VOTERS = {f"v{k}": float(k) for k in range(5)}
TRANSFORMERS = [
    ScoreNormalizer(),
    ScoreNormalizer("rank"),
    ScoreNormalizer(lower=-9.0, upper=9.0),
    TopK(3),
    TopK(2, ties="keep"),
    VoterSelector(),
    VoterSelector(n_voters=3, unknown_voter="ignore"),
    VoterWeighter(DIBRA(), power=2),
    AggregatorUnion([("sum", CombSUM()), ("copeland", Copeland()), ("mc4", MarkovChain())]),
    AggregatorUnion([("zz", RobustRankAggregation()), ("no", "drop")], passthrough=True),
]
FIRST, OTHERS = one_of_each(TRANSFORMERS)


def test_transformers_include_every_public_transformer():
    assert {type(transformer) for transformer in TRANSFORMERS} == set(all_transformers().values())


# Of equally good voters the first ids are kept, so names may have an effect.
@pytest.mark.filterwarnings("ignore::skrankagg.exceptions.NotComparedWarning")
@pytest.mark.twice
@pytest.mark.interpreted(50)
@parametrize_with_checks(FIRST)
def test_transformers_pass_all_public_checks(aggregator, check):
    check(aggregator)


@pytest.mark.sampled(3)
@pytest.mark.filterwarnings("ignore::skrankagg.exceptions.NotComparedWarning")
@pytest.mark.parametrize("transformer", OTHERS, ids=repr)
@pytest.mark.parametrize("check", [*TRANSFORMER_CHECKS, check_query_subset], ids=lambda check: check.__name__)
def test_other_variants_pass_the_checks_of_their_formula(transformer, check):
    check(clone(transformer))


# ---------------------------------------------------------------------- scores and depth


@pytest.mark.parametrize("norm", ["rank", "min-max", "simple-borda", "z-score"])
@pytest.mark.parametrize("method", [CombSUM, CombMNZ])
def test_score_normalizer_then_combsum_equals_combsum_with_that_norm(norm, method):
    lists = example_lists()
    found = make_pipeline(ScoreNormalizer(norm), method(norm=None)).fit_transform(lists)
    pd.testing.assert_frame_equal(found, method(norm=norm).fit_transform(lists), rtol=1e-12)


def test_score_normalizer_keeps_ranks_and_weights_and_needs_scores():
    lists = example_lists().assign(weight=2.0)
    out = ScoreNormalizer("rank").fit_transform(lists)
    expected = RankedLists.from_frame(lists).to_frame()
    pd.testing.assert_frame_equal(out.drop(columns="score"), expected.drop(columns="score"))
    with pytest.raises(ValueError, match=r"ScoreNormalizer\(\) needs scores.*norm='rank'"):
        ScoreNormalizer().fit(lists.drop(columns="score"))
    ScoreNormalizer("rank").fit(lists.drop(columns="score"))


@given(seed=st.integers(0, 10**6), depth=st.integers(1, 9))
@settings(max_examples=25, deadline=None)
def test_topk_equals_brute_force(seed, depth):
    lists = example_lists(seed)
    groups = [group.sort_values(["rank", "item"]) for _, group in lists.groupby(["query", "voter"])]
    cut = pd.concat([group.head(depth) for group in groups], ignore_index=True)
    found = TopK(depth).fit_transform(lists)
    assert found[["query", "voter", "item"]].to_numpy().tolist() == cut[["query", "voter", "item"]].to_numpy().tolist()
    kept = pd.concat([group[group["rank"] <= group["rank"].head(depth).max()] for group in groups], ignore_index=True)
    found = TopK(depth, ties="keep").fit_transform(lists)
    assert found["item"].tolist() == kept["item"].tolist()
    ranks = kept.groupby(["query", "voter"])["rank"].rank()
    assert found["rank"].tolist() == ranks.tolist()


def test_topk_returns_its_input_if_no_list_is_longer():
    lists = RankedLists.from_frame(example_lists())
    assert TopK(100).fit_transform(lists) is lists


# ---------------------------------------------------------------------- voters


@pytest.fixture(scope="module")
def good_and_bad():
    lists, qrels, _ = make_ranked_lists(
        n_queries=30, n_voters=12, n_items=50, quality=1.0, quality_spread=1.5, random_state=1
    )
    return RankedLists.from_frame(lists), qrels


def test_voter_selector_selects_by_a_measure(good_and_bad):
    lists, qrels = good_and_bad
    selector = VoterSelector("ndcg@10", n_voters=3, qrels=qrels).fit(lists)
    measured = evaluate_voters(lists, qrels, "ndcg@10")["ndcg@10"].sort_values(ascending=False)
    assert selector.voter_scores_["voter"].tolist() == measured.index.tolist()
    assert selector.voter_scores_["score"].tolist() == measured.tolist()
    kept = selector.transform(lists)
    assert set(kept.to_frame()["voter"]) == set(measured.index[:3])
    expected = lists.to_frame()
    expected = expected[expected["voter"].isin(measured.index[:3])].reset_index(drop=True)
    pd.testing.assert_frame_equal(kept.to_frame(), expected)


@pytest.mark.filterwarnings("ignore:.*have no list of a selected voter")
def test_voter_selector_measures_voters_on_their_judged_queries():
    # u answers both judged queries, one of them well; v answers one well; w answers the unjudged query.
    rows = [("q1", "u", "a", 1), ("q1", "u", "b", 2), ("q2", "u", "d", 1), ("q2", "u", "c", 2), ("q1", "v", "a", 1)]
    lists = pd.DataFrame([*rows, ("q3", "v", "a", 1), ("q3", "w", "a", 1)], columns=["query", "voter", "item", "rank"])
    qrels = pd.DataFrame({"query": ["q1", "q2"], "item": ["a", "c"], "relevance": 1})
    selector = VoterSelector("map", n_voters=1, qrels=qrels, unknown_voter="ignore").fit(lists)
    assert selector.voter_scores_.to_dict("list") == {
        "voter": ["v", "u"],
        "score": [1.0, 0.75],
        "selected": [True, False],
        "n_queries": [1, 2],
    }
    assert "n_queries" not in VoterSelector().fit(lists).voter_scores_


def test_voter_selector_selects_by_learned_weights(good_and_bad):
    lists, qrels = good_and_bad
    weights = DIBRA(gamma=1.0).fit(lists).voter_weights_.set_index("voter")["weight"]
    for threshold, value in (("mean", weights.mean()), ("median", weights.median()), (1.2, 1.2)):
        selector = VoterSelector(DIBRA(gamma=1.0), threshold=threshold).fit(lists)
        chosen = selector.voter_scores_.query("selected")["voter"]
        assert set(chosen) == set(weights.index[weights >= value])
    default = VoterSelector(DIBRA(gamma=1.0)).fit(lists).voter_scores_
    assert default["selected"].tolist() == (default["score"] >= weights.mean()).tolist()
    # Fewer and better voters are the purpose of selection.
    scorer = make_ranking_scorer("ndcg@10", qrels=qrels)
    chosen = cross_val_score(make_pipeline(VoterSelector(n_voters=5), CombSUM()), lists, scoring=scorer, cv=5)
    assert chosen.mean() > cross_val_score(CombSUM(), lists, scoring=scorer, cv=5).mean() + 0.01


def test_voter_selector_applies_n_voters_and_threshold():
    scores = VoterSelector(VOTERS, n_voters=3, threshold=3.0).fit(example_lists()).voter_scores_
    assert scores["voter"].tolist() == ["v4", "v3", "v2", "v1", "v0"]
    assert scores["selected"].tolist() == [True, True, False, False, False]
    equal = VoterSelector(dict.fromkeys(VOTERS, 1.0), n_voters=2).fit(example_lists()).voter_scores_
    assert equal["voter"].tolist() == ["v0", "v1", "v2", "v3", "v4"] and equal["selected"].sum() == 2


def test_voter_selector_handles_unknown_voters():
    lists = example_lists(full=True)
    selector = VoterSelector({"v0": 1.0, "v1": 0.0}, n_voters=1)
    assert sorted(selector.fit_transform(lists)["voter"].unique()) == ["v0", "v2", "v3", "v4"]
    ignored = clone(selector).set_params(unknown_voter="ignore")
    assert sorted(ignored.fit_transform(lists)["voter"].unique()) == ["v0"]
    with pytest.raises(ValueError, match="no value for voter 'v2'"):
        clone(selector).set_params(unknown_voter="error").fit(lists)
    others = lists.assign(voter="other " + lists["voter"])
    fitted = VoterSelector("ndcg", n_voters=1, unknown_voter="keep").fit(lists, qrels=example_qrels(lists))
    with pytest.warns(UserWarning, match="no value for any of the voters.*, so all lists are kept"):
        assert len(fitted.transform(others)) == len(others)


def test_voter_selector_warns_about_queries_that_lose_all_lists():
    lists = pd.DataFrame({"query": list("ppq"), "voter": list("uvv"), "item": list("xyx"), "rank": 1})
    selector = VoterSelector({"u": 1.0, "v": 0.0}, n_voters=1)
    with pytest.warns(
        UserWarning, match=r"1 queries have no list of a selected voter and are left out; the first is 'q'"
    ):
        out = selector.fit_transform(lists)
    assert out.to_numpy().tolist() == [["p", "u", "x", 1.0]]
    with pytest.raises(ValueError, match="All lists would be removed"):
        selector.transform(lists[lists["voter"] == "v"].reset_index(drop=True))


@pytest.mark.parametrize(
    ("selector", "words"),
    [
        (VoterSelector("ndcg@10"), "needs judgements"),
        (VoterSelector(CombSUM()), "which has no attribute voter_weights_"),
        (VoterSelector(VOTERS, threshold=9.0), "at most the highest value of all voters, 4; got 9.0"),
        (VoterSelector({**VOTERS, "v1": np.nan}), "got NaN for 'v1'"),
    ],
)
def test_voter_selector_rejects_invalid_parameters(selector, words):
    with pytest.raises(ValueError, match=words):
        selector.fit(example_lists())


# ---------------------------------------------------------------------- unions


def test_aggregator_union_returns_each_consensus_as_a_list():
    lists = example_lists()
    members = [("a", CombSUM()), ("b", Condorcet())]
    union = AggregatorUnion(members).fit(lists)
    out = union.transform(RankedLists.from_frame(lists))
    for name, method in members:
        consensus = method.fit_transform(lists)
        frame = out.to_frame()
        mine = frame[frame["voter"] == name].reset_index(drop=True)
        assert mine["query"].tolist() == consensus["query"].tolist()
        # Items that the method ties are tied; then the order is that of the ids.
        ranks = consensus.groupby("query")["score"].rank(ascending=False)
        both = mine.merge(consensus.assign(expected=ranks), on=["query", "item"])
        assert both["rank_x"].tolist() == both["expected"].tolist()
        assert both["score_x"].tolist() == both["score_y"].tolist()


def test_aggregator_union_in_a_pipeline_gives_a_consensus_of_consensuses():
    lists = example_lists(3)
    members = [("sum", CombSUM()), ("copeland", Copeland()), ("mc4", MarkovChain())]
    found = make_pipeline(AggregatorUnion(members, n_jobs=2), SimpleBorda()).fit_transform(lists)
    frames = [method.fit_transform(lists) for _, method in members]
    points = sum(
        (frame.groupby("query")["item"].transform("size") + 1 - frame.groupby("query")["score"].rank(ascending=False))
        .groupby([frame["query"], frame["item"]])
        .sum()
        for frame in frames
    )
    assert found.set_index(["query", "item"])["score"].sort_index().tolist() == points.sort_index().tolist()


def test_aggregator_union_passthrough_keeps_the_voters():
    lists = example_lists().assign(weight=3.0)
    out = AggregatorUnion([("sum", CombSUM())], passthrough=True).fit_transform(lists)
    assert sorted(out["voter"].unique()) == ["sum", "v0", "v1", "v2", "v3", "v4"]
    assert out.groupby("voter")["weight"].first().tolist() == [1.0] + [3.0] * 5
    back = RankedLists.from_frame(out[out["voter"] != "sum"].reset_index(drop=True)).to_frame()
    pd.testing.assert_frame_equal(back, RankedLists.from_frame(lists).to_frame())
    with pytest.raises(ValueError, match="got 'v0' for both"):
        AggregatorUnion([("v0", CombSUM())], passthrough=True).fit(lists)
    ranks_only = AggregatorUnion([("sum", CombSUM(norm="borda"))], passthrough=True).fit_transform(
        lists.drop(columns="score")
    )
    assert "score" not in ranks_only


class Foreign(BaseEstimator):
    """An aggregator of another library, without fit_transform."""

    def __init__(self, output):
        self.output = output

    def fit(self, X, y=None):
        self.method_ = CombSUM().set_output(transform=self.output).fit(X)
        return self

    def transform(self, X):
        return self.method_.transform(X)


@pytest.mark.filterwarnings("ignore::skrankagg.exceptions.NotComparedWarning")
def test_aggregator_union_exposes_parameters_of_its_members():
    union = AggregatorUnion([("sum", CombSUM()), ("chain", make_pipeline(TopK(3), MarkovChain()))])
    union.set_params(sum__norm="rank", chain__topk__k=2)
    assert union.get_params()["sum__norm"] == "rank"
    fitted = clone(union).fit(example_lists())
    assert fitted.named_aggregators_["chain"].named_steps["topk"].k == 2
    assert "AggregatorUnion" in fitted._repr_html_() and "MarkovChain" in fitted._repr_html_()
    for wrong, words in (([], "at least one"), ([("a", "drop")], "got only 'drop'"), ([CombSUM()], "tuples")):
        with pytest.raises(ValueError, match=words):
            AggregatorUnion(wrong).fit(example_lists())
    with pytest.raises(TypeError, match="must contain 'drop' or aggregators, which have fit and transform; 'a' is 3"):
        AggregatorUnion([("a", 3)]).fit(example_lists())
    alone = AggregatorUnion([("chain", Foreign("pandas"))]).fit_transform(example_lists())
    assert alone.equals(AggregatorUnion([("chain", CombSUM())]).fit_transform(example_lists()))
    if importlib.util.find_spec("polars") and importlib.util.find_spec("pyarrow"):
        assert alone.equals(AggregatorUnion([("chain", Foreign("polars"))]).fit_transform(example_lists()))
    for transformer in (TopK(1), TopK(1).set_output(transform="pandas")):
        with pytest.raises(TypeError, match="got 'a', which returns the lists of the voters"):
            AggregatorUnion([("a", make_pipeline(transformer)), ("b", CombSUM())]).fit(example_lists())


# ---------------------------------------------------------------------- pipelines

PIPELINE = Pipeline(
    [
        ("norm", ScoreNormalizer("z-score")),
        ("top", TopK(6)),
        ("voters", VoterSelector(n_voters=4)),
        ("union", AggregatorUnion([("sum", CombSUM(norm=None)), ("borda", BordaCount())])),
        ("consensus", CombSUM()),
        ("best", TopK(5)),
    ]
)


def test_pipeline_gives_equal_results_for_frames_and_ranked_lists():
    lists = example_lists(5)
    expected = clone(PIPELINE).fit_transform(lists)
    found = clone(PIPELINE).fit_transform(RankedLists.from_frame(lists))
    pd.testing.assert_frame_equal(found, expected)
    steps = lists
    for _, step in PIPELINE.steps:
        steps = clone(step).fit(steps).transform(steps)
    pd.testing.assert_frame_equal(expected, steps)
    assert expected.groupby("query").size().max() == 5 and set(expected["voter"]) == {"consensus"}


def test_pipeline_can_be_cloned_pickled_and_displayed():
    lists = example_lists(5)
    fitted = clone(PIPELINE).fit(lists)
    pd.testing.assert_frame_equal(pickle.loads(pickle.dumps(fitted)).transform(lists), fitted.transform(lists))
    html = fitted._repr_html_()
    assert all(name in html for name in ("ScoreNormalizer", "VoterSelector", "AggregatorUnion", "CombSUM", "TopK"))
    assert fitted[:-1].get_feature_names_out().tolist() == ["query", "item", "score", "rank"]
    assert fitted.get_feature_names_out().tolist() == ["query", "voter", "item", "rank", "score"]
    with sklearn.config_context(display="text"):
        assert "TopK" in repr(fitted)


@pytest.mark.twice
@pytest.mark.parametrize("lists", [example_lists(5), RankedLists.from_frame(example_lists(5))], ids=["frame", "lists"])
def test_set_output_returns_frames_at_every_step(lists):
    expected = clone(PIPELINE).fit_transform(lists)
    found = clone(PIPELINE).set_output(transform="pandas").fit_transform(lists)
    pd.testing.assert_frame_equal(found, expected)
    with sklearn.config_context(transform_output="pandas"):
        assert isinstance(TopK(2).fit_transform(lists), pd.DataFrame)
    polars = pytest.importorskip("polars")
    pytest.importorskip("pyarrow", reason="polars takes strings of pandas through pyarrow")
    found = clone(PIPELINE).set_output(transform="polars").fit_transform(lists)
    assert isinstance(found, polars.DataFrame)
    assert found["item"].to_list() == expected["item"].tolist()


def test_set_output_keeps_the_columns_of_fit():
    lists = example_lists()
    fitted = TopK(2).set_output(transform="pandas").fit(lists.assign(weight=2.0))
    assert fitted.transform(lists)["weight"].unique().tolist() == [1.0]
    with pytest.raises(ValueError, match="same columns as the lists in fit"):
        fitted.transform(lists.drop(columns="score"))
    with pytest.raises(NotFittedError, match="call fit first"):
        TopK().get_feature_names_out()
    assert "score" not in TopK(2).fit(lists).transform(lists.drop(columns="score"))


@pytest.mark.exhaustive
def test_grid_search_sets_parameters_of_every_step():
    lists, qrels, _ = make_ranked_lists(
        n_queries=8, n_voters=6, n_items=20, list_length=15, quality=0.3, random_state=0
    )
    scorer = make_ranking_scorer("ndcg@5", qrels=qrels)
    grid = {"top__k": [3, 15], "voters__n_voters": [2, 6], "union__sum__norm": ["rank", "min-max"]}
    search = GridSearchCV(PIPELINE, grid, scoring=scorer, cv=2).fit(RankedLists.from_frame(lists))
    assert len(search.cv_results_["params"]) == 8
    params = search.cv_results_["params"][5]
    again = cross_val_score(
        clone(PIPELINE).set_params(**params), RankedLists.from_frame(lists), scoring=scorer, cv=2
    ).mean()
    assert search.cv_results_["mean_test_score"][5] == pytest.approx(again, rel=1e-12)
    depth3 = make_pipeline(TopK(3), CombSUM()).fit_transform(lists)
    assert scorer(make_pipeline(TopK(3), CombSUM()), lists) == pytest.approx(
        evaluate(depth3, qrels, ["ndcg@5"]).loc["run", "ndcg@5"], rel=1e-12
    )


class Promote(ListTransformer):
    """Re-rank: an item of choice comes first."""

    _parameter_constraints: dict = {"item": "no_validation"}

    def __init__(self, item):
        self.item = item

    def _transform_lists(self, lists):
        frame = lists.to_frame()
        frame["rank"] = frame["rank"].where(frame["item"] != self.item, 0)
        return RankedLists.from_frame(frame.drop(columns="score", errors="ignore"))


def test_pipeline_accepts_foreign_steps():
    """A function over the frame before, and a re-ranker after the aggregator."""
    lists = example_lists(full=True)
    pipeline = make_pipeline(FunctionTransformer(lambda frame: frame[frame["rank"] <= 6]), Copeland(), Promote("i05"))
    out = pipeline.fit_transform(lists)
    expected = Copeland().fit_transform(lists[lists["rank"] <= 6])
    for query, group in out.groupby("query"):
        order = expected.loc[expected["query"] == query, "item"].tolist()
        assert group["item"].tolist() == sorted(order, key=lambda item: item != "i05")
    with pytest.raises(AssertionError, match="check_integer_ids: integer ids change the result"):
        check_list_transformer(Promote("i05"))  # it refers to an item by its id


class Forgets(ListTransformer):
    """Wrong: RankedLists come back as a frame."""

    def transform(self, X):
        return super().transform(X) if isinstance(X, pd.DataFrame) else X.to_frame()

    def _transform_lists(self, lists):
        return lists


class Counts(ListTransformer):
    """Wrong: the number of queries has an effect."""

    def _transform_lists(self, lists):
        return lists.with_score(np.full(lists.n_rows, float(lists.n_queries)))


def test_check_list_transformer_rejects_wrong_transformers():
    for wrong, words in ((Forgets(), "fails check_"), (Counts(), "check_query_subset: other queries change")):
        with pytest.raises(AssertionError, match=words):
            check_list_transformer(wrong)
    with pytest.raises(AssertionError, match=r"is not a ListTransformer\. Derive its class"):
        check_list_transformer(CombSUM())
    with pytest.raises(AssertionError):
        check_aggregator(FunctionTransformer())


# ---------------------------------------------------------------------- bounds of scores


def bounded(scores, **params):
    """Return the normalized scores of a list of voter v, next to a list of w."""
    lists = RankedLists.from_runs({"v": {"q": dict(enumerate(scores))}, "w": {"q": {0: 2.0, 1: 1.0}}})
    found = ScoreNormalizer(**params).fit_transform(lists).to_frame()
    return found[found["voter"] == "v"].sort_values("item")["score"].tolist()


@pytest.mark.parametrize(
    ("params", "expected"),
    [
        ({"lower": 0}, [1.0, 0.75, 0.25]),
        ({"upper": 16.0}, [6 / 14, 4 / 14, 0.0]),
        ({"lower": {"v": -8.0}, "upper": {"v": 24}}, [0.5, 14 / 32, 10 / 32]),
        ({"lower": {"w": -9.0}}, [1.0, 4 / 6, 0.0]),
        ({"lower": pd.Series({"v": 0.0, "w": 0.0})}, [1.0, 0.75, 0.25]),
        ({"lower": 4.0, "upper": 6.0}, [1.0, 1.0, 0.0]),
        ({"lower": 4.0, "upper": 6.0, "clip": False}, [2.0, 1.0, -1.0]),
    ],
)
def test_score_normalizer_bounds_replace_minimum_and_maximum(params, expected):
    assert bounded([8.0, 6.0, 2.0], **params) == pytest.approx(expected)


def test_score_normalizer_handles_lists_at_or_beyond_a_bound():
    assert bounded([3.0, 3.0], lower=0) == [1.0, 1.0]
    assert bounded([0.0, 0.0], lower=0) == bounded([-1.0, -2.0], lower=0) == [0.0, 0.0]
    assert bounded([5.0, 4.0], upper=4) == [1.0, 1.0]
    assert bounded([1e308, -1e308], lower=-1.7e308) == pytest.approx([1.0, 0.7 / 2.7])
    with pytest.raises(
        InputError, match=r".clip. must be True if all scores .* lie beyond the given bound; .* of voter 'v' for query"
    ):
        bounded([-1.0, -2.0], lower=0, clip=False)


@pytest.mark.parametrize(
    ("params", "words"),
    [
        ({"lower": 3, "upper": 2}, r"must be above .lower.; got upper=2 and lower=3 for voter 'v'"),
        ({"lower": {"w": 0}, "upper": {"w": 0}}, r"must be above .lower.; got upper=0 and lower=0 for voter 'w'"),
        ({"norm": "z-score", "lower": 0}, r"must be None if norm='z-score'; only 'min-max' has bounds"),
        ({"lower": {"v": np.nan}}, r"must contain finite numbers; got nan for 'v'. Leave out"),
        ({"upper": np.inf}, "'upper' parameter of ScoreNormalizer must be"),
    ],
)
def test_score_normalizer_rejects_invalid_bounds(params, words):
    with pytest.raises(ValueError, match=words):
        bounded([1.0, 0.5], **params)


def test_score_normalizer_names_a_misspelt_voter_of_a_bound():
    lists = RankedLists.from_runs({"dense": {"q": {"a": 2.0, "b": 1.0}}, "bm25": {"q": {"a": 2.0, "b": 1.0}}})
    with pytest.warns(UserWarning, match="lower.*densse"):
        ScoreNormalizer(lower={"densse": -1}).fit_transform(lists)


def test_score_normalizer_with_bounds_gives_a_convex_combination():
    # TM2C2: alpha of one voter's score between its infimum and its maximum, 1 - alpha of the other's.
    lists = RankedLists.from_runs({"bm25": {"q": {"a": 8.0, "b": 2.0}}, "dense": {"q": {"b": 0.6, "c": 0.2}}})
    fused = make_pipeline(
        ScoreNormalizer(lower={"bm25": 0, "dense": -1}), CombSUM(norm=None, voter_weights={"bm25": 0.3, "dense": 0.7})
    ).fit_transform(lists)
    expected = {"b": 0.3 * 0.25 + 0.7, "c": 0.7 * 0.75, "a": 0.3}
    assert dict(zip(fused["item"], fused["score"], strict=True)) == pytest.approx(expected)


def test_score_normalizer_without_norm_keeps_the_scores():
    lists = example_lists()
    pd.testing.assert_frame_equal(
        ScoreNormalizer(None).fit_transform(lists), ScoreNormalizer(norm=None).transform(lists)
    )
    assert ScoreNormalizer(None).fit_transform(lists)["score"].tolist() == RankedLists.from_frame(lists).score.tolist()


def test_aggregator_union_passes_judgements_to_its_members():
    lists, qrels, _ = make_ranked_lists(n_queries=12, n_voters=3, random_state=0)
    lists, qrels = RankedLists.from_frame(lists), Qrels.from_frame(qrels)
    members = [("learnt", LearnedWeights()), ("plain", CombSUM()), ("pipe", make_pipeline(TopK(5), LearnedWeights()))]
    alone = LearnedWeights().fit(lists, qrels).voter_weights_
    for way in ({"y": qrels.align(lists)}, {"y": qrels}, {"qrels": qrels}):
        union = AggregatorUnion(members)
        union.fit(lists, **way)
        pd.testing.assert_frame_equal(union.named_aggregators_["learnt"].voter_weights_, alone)
    pipeline = make_pipeline(AggregatorUnion(members), BordaCount()).fit(lists, qrels.align(lists))
    assert pipeline.transform(lists)["rank"].max() > 1
    with pytest.raises(InputError, match="LearnedWeights needs judgements to learn from"):
        AggregatorUnion(members).fit(lists)


def judged_lists(n_queries, seed=0):
    params = {"n_voters": 8, "n_items": 20, "list_length": 10, "quality": 0.3, "quality_spread": 0.3}
    lists, qrels, _ = make_ranked_lists(n_queries=n_queries, random_state=seed, **params)
    return RankedLists.from_frame(lists), qrels


def tree(qrels=None):
    return StackedFusion(DecisionTreeRegressor(random_state=0), qrels=qrels)


def same_lists(found, expected):
    found, expected = (one.to_frame() if isinstance(one, RankedLists) else one for one in (found, expected))
    pd.testing.assert_frame_equal(found, expected)


LEARNING_MEMBERS = {
    "aggregator": tree,
    "pipeline": lambda qrels: make_pipeline(TopK(5), tree(qrels)),
    "inside another": lambda qrels: LocalKemenization(tree(qrels)),
    "weighter": lambda qrels: make_pipeline(VoterWeighter("map", qrels=qrels), CombSUM()),
    "search": lambda qrels: GridSearchCV(
        CombSUM(),
        {"norm": ["rank", "min-max", "l2"]},
        scoring=make_ranking_scorer("map", qrels=qrels),
        cv=KFold(2, shuffle=True, random_state=1),
    ),
    "union": lambda qrels: make_pipeline(AggregatorUnion([("tree", tree(qrels)), ("sum", CombSUM())]), tree(qrels)),
}


@pytest.mark.sampled(1)
@pytest.mark.parametrize("make", LEARNING_MEMBERS.values(), ids=LEARNING_MEMBERS.keys())
@pytest.mark.parametrize("cv", [2, 5])
def test_aggregator_union_fit_transform_ranks_queries_with_fits_on_other_folds(make, cv):
    lists, qrels = judged_lists(14)
    # Only the first queries are judged, and one of them has nothing relevant: every fold must have some to learn from.
    qrels = qrels[qrels["query"] < "q10"]
    qrels.loc[qrels["query"] == "q03", "relevance"] = 0
    qrels, queries = Qrels.from_frame(qrels), lists.queries.to_numpy()
    relevant = np.array([k for k in range(9) if k != 2])
    others = np.array([2, 9, 10, 11, 12, 13])
    parts = []
    for part in range(cv):
        chosen = [*relevant[np.arange(8) * cv // 8 == part], *others[np.arange(6) * cv // 6 == part]]
        test = np.sort(chosen)
        train = np.setdiff1d(np.arange(14), test)
        parts.append(make(qrels).fit(lists[train]).transform(lists[test]))
    expected = pd.concat(parts).set_index(["query", "item"])["score"]
    ways = [(make(qrels), {}), (make(None), {"y": qrels.align(lists)}), (make(None), {"qrels": qrels})]
    if make is LEARNING_MEMBERS["inside another"]:  # it passes on no judgements
        ways = ways[:1]
    elif make is LEARNING_MEMBERS["search"]:  # it splits them
        ways = ways[:2]
    runs = [
        AggregatorUnion([("one", one), ("sum", CombSUM())], cv=cv, n_jobs=2).fit_transform(lists, **given)
        for one, given in ways
    ]
    for found in runs:
        found = found.to_frame()
        mine = found[found["voter"] == "one"].set_index(["query", "item"])["score"]
        assert len(mine) == len(expected) and set(found["query"]) == set(queries)
        np.testing.assert_array_equal(mine.sort_index(), expected.sort_index())
        plain = found[found["voter"] == "sum"].set_index(["query", "item"])["score"].sort_index()
        score = CombSUM().fit_transform(lists).set_index(["query", "item"])["score"].sort_index()
        np.testing.assert_array_equal(plain, score)


def test_aggregator_union_transform_uses_a_fit_on_all_queries():
    lists, qrels = judged_lists(12)
    qrels = Qrels.from_frame(qrels)
    fitted = tree().fit(lists, qrels)
    union = AggregatorUnion([("tree", tree())])
    held_out = union.fit_transform(lists, qrels.align(lists)).to_frame()
    by_item = held_out.set_index(["query", "item"])["score"].sort_index()
    for one in (union, AggregatorUnion([("tree", tree())]).fit(lists, qrels.align(lists))):
        whole = one.transform(lists).to_frame().set_index(["query", "item"])["score"].sort_index()
        expected = fitted.transform(lists).set_index(["query", "item"])["score"].sort_index()
        np.testing.assert_array_equal(whole, expected)
        assert not np.array_equal(by_item, expected)
    # Ids of queries, as permutation_test_score passes them, choose the judgements of each.
    order = np.random.default_rng(0).permutation(12)
    renamed = qrels.to_frame()
    renamed["query"] = renamed["query"].map(dict(zip(lists.queries[order], lists.queries, strict=True)))
    found = AggregatorUnion([("tree", tree(qrels))]).fit_transform(lists, lists.queries[order])
    same_lists(found, AggregatorUnion([("tree", tree())]).fit_transform(lists, Qrels.from_frame(renamed)))


def test_aggregator_union_training_lists_ignore_judgements_of_their_query():
    lists, qrels = judged_lists(10)
    union = AggregatorUnion([("tree", tree())])
    expected = union.fit_transform(lists, Qrels.from_frame(qrels)).to_frame()
    for query in lists.queries[[0, 4, 9]]:
        reverse = qrels["relevance"].where(qrels["query"] != query, 3 - qrels["relevance"])
        found = union.fit_transform(lists, Qrels.from_frame(qrels.assign(relevance=reverse))).to_frame()
        own, others = (found["query"] == query), (found["query"] != query)
        pd.testing.assert_frame_equal(found[own], expected[expected["query"] == query])
        assert not found[others].equals(expected[expected["query"] != query])


def test_stacked_fusion_after_aggregator_union_is_not_misled_by_overfitting():
    for seed in range(3):
        lists, qrels = judged_lists(70, seed)
        qrels = Qrels.from_frame(qrels)
        train, test = lists[:40], lists[40:]
        union = AggregatorUnion([("tree", tree()), ("borda", BordaCount()), ("rrf", ReciprocalRankFusion())])
        pipeline = make_pipeline(union, StackedFusion(Ridge())).fit(train, qrels.align(train))
        fooled = StackedFusion(Ridge()).fit(union.fit(train, qrels).transform(train), qrels)
        runs = {"held out": pipeline.transform(test), "fooled": fooled.transform(union.transform(test))}
        runs["borda"] = BordaCount().fit_transform(test)
        value = evaluate(runs, qrels.align(test), "map")["map"]
        # Measured .62, .60 and .61 in place of .50, .49 and .52, where Borda points alone have .63, .61 and .65.
        assert value["held out"] > value["fooled"] + 0.05 and value["held out"] > value["borda"] - 0.05


def test_aggregator_union_of_a_learner_needs_two_queries_with_relevant_items():
    lists, qrels = judged_lists(6)
    one = Qrels.from_frame(qrels.assign(relevance=qrels["relevance"].where(qrels["query"] == lists.queries[2], 0)))
    union = AggregatorUnion([("tree", tree())])
    words = r"judgements of at least 2 queries with relevant items, because it fits StackedFusion\(.*; got 1\. Give"
    with pytest.raises(InputError, match=words):
        union.fit_transform(lists, one)
    assert union.fit(lists, one).transform(lists).n_lists == 6
    with pytest.raises(InputError, match="for each of the 6 samples"):
        AggregatorUnion([("tree", tree(one))]).fit_transform(lists, lists.queries[:4])
    with pytest.raises(ValueError, match="'cv' parameter of AggregatorUnion must be an int"):
        AggregatorUnion([("tree", tree())], cv=1).fit(lists, one)


def test_voter_weighter_weights_voters_by_a_measure():
    lists, qrels, _ = make_ranked_lists(n_queries=12, n_voters=4, quality_spread=1.0, absent_share=0.3, random_state=1)
    lists, qrels = RankedLists.from_frame(lists), Qrels.from_frame(qrels)
    lists = lists.keep_lists(np.arange(lists.n_lists) % 5 != 2)[0]  # voters with lists for different queries
    value = evaluate_voters(lists, qrels, "map")["map"]
    for power in (0, 1, 2.5):
        weighter = VoterWeighter("map", power=power).fit(lists, qrels.align(lists))
        weights = weighter.voter_weights_.set_index("voter")["weight"]
        np.testing.assert_allclose(weights, value**power)
        weighted = make_pipeline(VoterWeighter("map", power=power, qrels=qrels), Copeland()).fit_transform(lists)
        pd.testing.assert_frame_equal(weighted, Copeland(voter_weights=dict(weights)).fit_transform(lists))
    weighed = lists.with_list_weight(np.linspace(1, 2, lists.n_lists))
    found = VoterWeighter("map").fit_transform(weighed, qrels)
    np.testing.assert_allclose(found.list_weight, weighed.list_weight * value.to_numpy()[weighed.list_voter])


def test_voter_weighter_rejects_invalid_arguments():
    lists, qrels, _ = make_ranked_lists(n_queries=6, n_voters=3, random_state=1)
    lists, qrels = RankedLists.from_frame(lists), Qrels.from_frame(qrels)
    with pytest.raises(InputError, match="VoterWeighter needs judgements to measure the voters by; got none"):
        VoterWeighter().fit(lists)
    with pytest.raises(InputError, match="must be finite and at least 0 to become weights; got -1 for 'v2'"):
        VoterWeighter({"v1": 1, "v2": -1, "v3": 0}).fit(lists)
    with pytest.raises(NotFittedError):
        VoterWeighter().transform(lists)
    nothing = Qrels.from_frame(qrels.to_frame().assign(relevance=0.0))
    with pytest.warns(UserWarning, match="gives all voters weight 1, because all their values are 0"):
        assert VoterWeighter().fit_transform(lists, nothing).list_weight.tolist() == [1.0] * lists.n_lists
    two = lists.select(voters=["v1", "v2"])
    fitted = VoterWeighter({"v1": 1, "v2": 3}).fit(two)
    assert set(fitted.transform(lists).list_weight) == {1.0, 2.0, 3.0}
    assert set(clone(fitted).set_params(unknown_voter="ignore").fit(two).transform(lists).list_weight) == {
        0.0,
        1.0,
        3.0,
    }
    with pytest.raises(InputError, match="VoterWeighter learned no weight for voter 'v3'"):
        clone(fitted).set_params(unknown_voter="error").fit(two).transform(lists)
