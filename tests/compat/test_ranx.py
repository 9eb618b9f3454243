"""ranx compared with this library: the names that docs/coming_from_ranx.md calls equal, and the differences it lists.

Skipped if ranx is missing. `pip install -e '.[test,bench]'` installs ranx, whose first run compiles for minutes.
"""

import re
import warnings
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.pipeline import make_pipeline

from skrankagg import (
    BayesFuse,
    BordaCount,
    CombANZ,
    CombMAX,
    CombMED,
    CombMIN,
    CombMNZ,
    CombSUM,
    Condorcet,
    Copeland,
    InverseSquareRank,
    ProbFuse,
    Qrels,
    RankBiasedCentroid,
    RankedLists,
    ReciprocalRankFusion,
    SegFuse,
    SlideFuse,
    evaluate,
)
from skrankagg.metrics import average_precision
from skrankagg.model_selection import compare_methods
from skrankagg.plotting import InterpolatedPrecisionDisplay
from skrankagg.preprocessing import VoterWeighter

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    ranx = pytest.importorskip("ranx")

pytestmark = pytest.mark.filterwarnings("ignore")

ROOT = Path(__file__).resolve().parents[2]

MEASURES = {
    "hits": "num_rel_ret",
    "hit_rate@5": "success@5",
    "hit_rate": "success@30",
    "recall": "recall@30",
    "precision@5": "p@5",
    "precision@20": "p@20",
    "recall@5": "recall@5",
    "f1@5": "f1@5",
    "r-precision": "rprec",
    "mrr": "mrr",
    "mrr@3": "mrr@3",
    "map": "map",
    "map@10": "map@10",
    "dcg@10": "dcg@10[gain=linear]",
    "dcg_burges@10": "dcg@10",
    "ndcg": "ndcg[gain=linear]",
    "ndcg@10": "ndcg@10[gain=linear]",
    "ndcg_burges": "ndcg",
    "ndcg_burges@10": "ndcg@10",
    "bpref": "bpref",
    "precision@5-l2": "p@5[relevance_threshold=2]",
    "map-l2": "map[relevance_threshold=2]",
}

WEIGHTS = {"a": 0.5, "b": 0.3, "c": 0.2}

FUSIONS = {
    ("min-max", "sum"): CombSUM(norm="min-max"),
    ("rank", "sum"): CombSUM(norm="rank"),
    ("zmuv", "sum"): CombSUM(norm="z-score"),
    ("borda", "sum"): CombSUM(norm="borda"),
    (None, "sum"): CombSUM(norm=None),
    ("min-max", "mnz"): CombMNZ(norm="min-max"),
    ("rank", "mnz"): CombMNZ(norm="rank"),
    ("zmuv", "mnz"): CombMNZ(norm="z-score"),
    (None, "mnz"): CombMNZ(norm=None),
    (None, "rrf"): ReciprocalRankFusion(),
    (None, "bordafuse"): BordaCount(),
    ("min-max", "wsum"): CombSUM(norm="min-max", voter_weights=WEIGHTS),
    (None, "w_bordafuse"): BordaCount(voter_weights=WEIGHTS),
    ("max", "sum"): CombSUM(norm="max"),
    ("sum", "sum"): CombSUM(norm="sum"),
    **{
        (theirs, name): method(norm=ours)
        for theirs, ours in (
            ("min-max", "min-max"),
            ("zmuv", "z-score"),
            (None, None),
            ("rank", "rank"),
            ("sum", "sum"),
        )
        for name, method in (("max", CombMAX), ("min", CombMIN), ("med", CombMED), ("anz", CombANZ))
    },
    (None, "isr"): InverseSquareRank(),
    (None, "log_isr"): InverseSquareRank(support="log", sigma=0.0),
}

# Those that take parameters: theirs, ours.
PARAMETERS = [
    ("min-max", "gmnz", {"gamma": 0.5}, CombMNZ(gamma=0.5)),
    ("min-max", "gmnz", {"gamma": 2.5}, CombMNZ(gamma=2.5)),
    (None, "gmnz", {"gamma": 0.0}, CombSUM(norm=None)),
    ("min-max", "mixed", {"weights": [1.0, 1.0, 1.0]}, CombMNZ(gamma=0.5)),
    (None, "logn_isr", {"sigma": 0.01}, InverseSquareRank(support="log")),
    (None, "logn_isr", {"sigma": 0.9}, InverseSquareRank(support="log", sigma=0.9)),
    (None, "rbc", {"phi": 0.8}, RankBiasedCentroid(persistence=0.8)),
    (None, "rbc", {"phi": 0.99}, RankBiasedCentroid(persistence=0.99)),
    (None, "rrf", {"k": 7}, ReciprocalRankFusion(k=7)),
]


def judged_lists(seed=0, n_queries=12):
    """Return lists of three voters without ties, and grades from 0 to 3 for most items."""
    rng = np.random.default_rng(seed)
    rows, grades = [], []
    for q, voter in product(range(n_queries), "abc"):
        items = rng.permutation(30)[: rng.integers(5, 20)]
        scores = rng.permutation(1000)[: len(items)] / 100
        rows += [(f"q{q:02}", voter, f"d{item:02}", score) for item, score in zip(items, scores, strict=True)]
    for q, item in product(range(n_queries), range(25)):
        grades += [(f"q{q:02}", f"d{item:02}", int(rng.integers(0, 4) * (rng.random() < 0.5)))]
    lists = pd.DataFrame(rows, columns=["query", "voter", "item", "score"])
    return lists, pd.DataFrame(grades, columns=["query", "item", "relevance"])


def nested(frame, column, kind):
    return {
        query: dict(zip(rows["item"], rows[column].map(kind), strict=True)) for query, rows in frame.groupby("query")
    }


def runs_of(lists):
    return [ranx.Run(nested(own, "score", float), name=voter) for voter, own in lists.groupby("voter")]


def fused(lists, norm, method, **params):
    found = ranx.fuse(runs_of(lists), norm=norm, method=method, params=params or None).to_dict()
    return pd.Series({(query, item): score for query, items in found.items() for item, score in items.items()})


def consensus(lists, estimator):
    return estimator.fit_transform(lists).set_index(["query", "item"])["score"]


@pytest.fixture(scope="module")
def data():
    return judged_lists()


@pytest.mark.parametrize("theirs", MEASURES)
def test_measures_equal_ranx(data, theirs):
    lists, qrels = data
    run = lists[lists["voter"] == "a"].drop(columns="voter")
    found = ranx.evaluate(
        ranx.Qrels(nested(qrels, "relevance", int)), runs_of(lists)[0], theirs, return_mean=False, make_comparable=True
    )
    ours = evaluate(run, qrels, MEASURES[theirs], per_query=True).iloc[:, 0]
    np.testing.assert_allclose(ours, found, rtol=1e-12, atol=1e-12)


def test_ranx_sets_gains_below_the_relevance_level_to_zero(data):
    lists, qrels = data
    run = lists[lists["voter"] == "a"].drop(columns="voter")
    judged = ranx.Qrels(nested(qrels, "relevance", int))
    found = ranx.evaluate(judged, runs_of(lists)[0], "ndcg@10-l2", return_mean=False)
    high = qrels.assign(relevance=qrels["relevance"].where(qrels["relevance"] >= 2, 0))
    ours = evaluate(run, high, "ndcg@10", per_query=True, gain="linear")["ndcg@10"]
    np.testing.assert_allclose(ours, found, atol=1e-12)
    assert not np.allclose(evaluate(run, qrels, "ndcg@10", per_query=True, gain="linear")["ndcg@10"], found)


def test_rbp_equals_ranx_on_binary_judgements_only(data):
    lists, qrels = data
    binary = qrels.assign(relevance=qrels["relevance"].clip(upper=1))
    run = lists[lists["voter"] == "a"].drop(columns="voter")
    for judged in (binary, qrels):
        found = ranx.evaluate(
            ranx.Qrels(nested(judged, "relevance", int)), runs_of(lists)[0], "rbp.80", return_mean=False
        )
        ours = evaluate(run, judged, "rbp", per_query=True)["rbp"]
        assert np.allclose(ours, found) == (judged is binary)
    # 2 at the first place and 1 at the third.
    found = ranx.evaluate(ranx.Qrels({"q": {"x": 2, "b": 1}}), ranx.Run({"q": {"x": 3, "a": 2, "b": 1}}), "rbp.95")
    assert found == pytest.approx(0.05 * (2 + 0.95**2))
    assert evaluate([["x", "a", "b"]], [{"x": 2, "b": 1}], "rbp", persistence=0.95).iloc[0, 0] == pytest.approx(
        0.095125
    )


def test_measures_differ_from_ranx_as_documented():
    run = ranx.Run({"q": {"a": 1.0}})
    assert np.isnan(ranx.evaluate(ranx.Qrels({"q": {"a": 1}}), run, "bpref"))  # no item is judged not relevant
    assert evaluate([["a"]], [{"a": 1}], "bpref").iloc[0, 0] == 1.0
    assert ranx.evaluate(ranx.Qrels({"q": {"a": 1.9}}), run, "dcg@1") == 1.0  # grades are truncated to integers
    assert evaluate([["a"]], [{"a": 1.9}], "dcg@1", gain="linear").iloc[0, 0] == 1.9
    with pytest.raises(AssertionError, match="query ids do not match"):
        ranx.evaluate(ranx.Qrels({"q": {"a": 1}, "r": {"a": 1}}), run, "map")
    assert average_precision({"q": {"a": 1.0}}, {"q": {"a": 1}, "r": {"a": 1}}) == 0.5
    comparable = ranx.evaluate(ranx.Qrels({"q": {"a": 1}, "r": {"a": 1}}), run, "map", make_comparable=True)
    assert comparable == 0.5


@pytest.mark.parametrize(("norm", "method"), FUSIONS, ids=str)
def test_fusions_equal_ranx_without_ties(data, norm, method):
    lists, _ = data
    params = {"weights": list(WEIGHTS.values())} if method.startswith("w") else {}
    found, ours = fused(lists, norm, method, **params), consensus(lists, FUSIONS[norm, method])
    pd.testing.assert_series_equal(
        ours.sort_index(), found.sort_index(), check_names=False, check_index_type=False, rtol=1e-12, atol=1e-12
    )


@pytest.mark.parametrize(("norm", "method", "params", "aggregator"), PARAMETERS, ids=str)
def test_fusions_with_parameters_equal_ranx_without_ties(data, norm, method, params, aggregator):
    lists, _ = data
    found = fused(lists, norm, method, **params).sort_index()
    np.testing.assert_allclose(consensus(lists, aggregator).sort_index(), found, rtol=1e-12, atol=1e-12)


class SegFuseOfRanx(SegFuse):
    """SegFuse as in ranx: sizes are last positions, and incomplete segments are divided by the full size."""

    last_positions = 10 * 2 ** np.arange(10) - 5

    def _cells(self, lists):
        position = np.arange(lists.n_rows) - lists.row_ptr[:-1][lists.row_list] + 1
        return np.searchsorted(self.last_positions, position)

    def _sizes(self, lists, judged, sums):
        full = np.diff(self.last_positions, prepend=0).astype(float)[self._cells(lists)]
        return sums.of_rows(full) / sums.sizes()


# Those that learn from judgements: theirs, its parameters in training and in fusion, ours.
LEARNT = [
    (None, "posfuse", {}, {}, SlideFuse(window=0)),
    (None, "slidefuse", {}, {"w": 3}, SlideFuse(window=3)),
    (None, "slidefuse", {}, {"w": 40}, SlideFuse(window=40)),
    (None, "probfuse", {"n_segments": 4}, {}, ProbFuse(n_segments=4)),
    (None, "probfuse", {"n_segments": 25}, {}, ProbFuse()),
    ("min-max", "segfuse", {}, {}, SegFuseOfRanx()),
    (None, "mapfuse", {}, {}, make_pipeline(VoterWeighter("map"), ReciprocalRankFusion(k=0))),
]


def learnt(lists, qrels, train, norm, method, training=None, params=None):
    """Fuse all lists with ranx after training on the given queries."""
    from ranx import fusion

    own = lists["query"].isin(train)
    judged = ranx.Qrels(nested(qrels[qrels["query"].isin(train)], "relevance", int))
    table = getattr(fusion, f"{method}_train")(judged, runs_of(lists[own]), **(training or {}))
    name = {"mapfuse": "map_scores", "bayesfuse": "log_odds"}.get(method, "probs")
    return fused(lists, norm, method, **{name: table}, **(params or {})).sort_index()


def our_learnt(lists, qrels, train, method):
    lists = RankedLists.from_frame(lists)
    fitted = method.fit(lists.select(queries=train), Qrels.from_frame(qrels))
    return fitted.transform(lists).set_index(["query", "item"])["score"].sort_index()


@pytest.mark.parametrize(("norm", "method", "training", "params", "aggregator"), LEARNT, ids=str)
def test_supervised_fusions_equal_ranx_without_ties(data, norm, method, training, params, aggregator):
    lists, qrels = data
    # No list is longer than the longest one of its voter in training.
    longest = lists.groupby(["voter", "query"]).size().groupby("voter").idxmax()
    train = sorted({f"q{q:02}" for q in range(7)} | {query for _, query in longest})
    found = learnt(lists, qrels, train, norm, method, training, params)
    ours = our_learnt(lists, qrels, train, aggregator)
    np.testing.assert_allclose(ours, found, rtol=1e-12, atol=1e-12)


def test_supervised_fusions_differ_from_ranx_as_documented(data):
    lists, qrels = data
    train = sorted(lists["query"].unique())
    found = learnt(lists, qrels, train, "min-max", "segfuse")
    assert not np.allclose(our_learnt(lists, qrels, train, SegFuse()), found)
    assert not np.allclose(learnt(lists, qrels, train, None, "segfuse"), found)
    bayes = learnt(lists, qrels, train, None, "bayesfuse")
    assert not np.allclose(our_learnt(lists, qrels, train, BayesFuse()), bayes)
    # ranx has no values beyond the longest training list.
    few = lists.groupby(["query", "voter"]).size().groupby("query").max().nsmallest(3).index.tolist()
    theirs = learnt(lists, qrels, few, None, "posfuse")
    ours = our_learnt(lists, qrels, few, SlideFuse(window=0))
    assert (ours >= theirs - 1e-12).all() and (ours > theirs + 0.1).any()


def test_ranx_mixed_applies_weights_to_the_sum_only(data):
    lists, _ = data
    found = fused(lists, "min-max", "mixed", weights=list(WEIGHTS.values())).sort_index()
    ours = consensus(lists, CombMNZ(gamma=0.5, voter_weights=WEIGHTS)).sort_index()
    assert not np.allclose(found, ours)
    held = lists.groupby(["query", "item"]).size().sort_index()
    summed = consensus(lists, CombSUM(voter_weights=WEIGHTS)).sort_index()
    np.testing.assert_allclose(found, summed * held**0.5, rtol=1e-12, atol=1e-12)


def test_norms_max_and_sum_of_equal_scores_compared_with_ranx():
    lists = pd.DataFrame({"query": "q", "voter": list("aab"), "item": list("xyx"), "score": [2.0, 2.0, 3.0]})
    assert consensus(lists, CombSUM(norm="sum"))["q"].to_dict() == {"x": 1.5, "y": 0.5}
    assert fused(lists, "sum", "sum")["q"].to_dict() == {"x": 0.0, "y": 0.0}
    assert consensus(lists, CombSUM(norm="max"))["q"].to_dict() == fused(lists, "max", "sum")["q"].to_dict()


def test_fusions_with_other_names_equal_ranx(data):
    lists, _ = data
    for gamma, method in ((0.0, CombSUM(norm="min-max")), (1.0, CombMNZ(norm="min-max"))):
        found = fused(lists, "min-max", "gmnz", gamma=gamma)
        np.testing.assert_allclose(found.sort_index(), consensus(lists, method).sort_index())
    found = fused(lists, "min-max-inverted", "sum").sort_index()
    ours = consensus(lists.assign(score=-lists["score"]), CombSUM(norm="min-max")).sort_index()
    np.testing.assert_allclose(found, ours, atol=1e-12)
    found = fused(lists, "min-max", "wmnz", weights=list(WEIGHTS.values())).sort_index()
    assert not np.allclose(found, consensus(lists, CombMNZ(norm="min-max", voter_weights=WEIGHTS)).sort_index())


def test_ranx_borda_norm_adds_every_item_to_every_run(data):
    lists, _ = data
    found = fused(lists, "borda", "mnz").sort_index()
    np.testing.assert_allclose(found, 3 * fused(lists, "borda", "sum").sort_index())
    assert not np.allclose(found, consensus(lists, CombMNZ(norm="borda")).sort_index())


def test_ranx_orders_ties_by_sorting_instead_of_sharing_ranks():
    lists = pd.DataFrame({"query": "q", "voter": list("aabb"), "item": list("xyxy"), "score": [1.0, 1.0, 2.0, 2.0]})
    assert consensus(lists, ReciprocalRankFusion()).nunique() == 1
    assert fused(lists, None, "rrf").nunique() == 2
    constant = fused(lists, "min-max", "sum")
    assert (constant == 0).all() and (consensus(lists, CombSUM(norm="min-max")) == 2).all()


def test_ranx_condorcet_equals_copeland_on_full_lists_without_cycles():
    # Three voters with one order and small changes of it: no cycles.
    items = [f"d{k}" for k in range(8)]
    orders = [items, items[:2] + items[3:1:-1] + items[4:], items[:6] + items[:5:-1]]
    lists = pd.DataFrame(
        [
            ("q", voter, item, 10.0 - k)
            for voter, order in zip("abc", orders, strict=True)
            for k, item in enumerate(order)
        ],
        columns=["query", "voter", "item", "score"],
    )
    found = list(ranx.fuse(runs_of(lists), norm=None, method="condorcet").to_dict()["q"])
    for method in (Condorcet(), Copeland()):
        assert method.fit_transform(lists)["item"].tolist() == found
    params = {"weights": [0.4, 0.3, 0.3]}
    found = list(ranx.fuse(runs_of(lists), norm=None, method="w_condorcet", params=params).to_dict()["q"])
    weights = dict(zip("abc", params["weights"], strict=True))
    assert Condorcet(voter_weights=weights).fit_transform(lists)["item"].tolist() == found


def test_compare_methods_t_test_equals_ranx(data):
    lists, qrels = data
    judged = ranx.Qrels(nested(qrels, "relevance", int))
    report = ranx.compare(judged, runs_of(lists), ["map"]).to_dict()
    runs = {voter: own.drop(columns="voter") for voter, own in lists.groupby("voter")}
    values = evaluate(runs, qrels, "map", per_query=True)
    ours = compare_methods(values, "a", correction="none", confidence=None)
    for voter in "bc":
        assert ours.loc[voter, "pvalue"] == pytest.approx(report["a"]["comparisons"][voter]["map"], rel=1e-9)
        counts = report[voter]["win_tie_loss"]["a"]["map"]
        assert ours.loc[voter, ["wins", "ties", "losses"]].tolist() == [counts["W"], counts["T"], counts["L"]]


def test_interpolated_precision_rounded_up_equals_the_plot_of_ranx(data):
    pytest.importorskip("matplotlib").use("Agg")
    lists, qrels = data
    table = ranx.plot(ranx.Qrels(nested(qrels, "relevance", int)), runs_of(lists), return_graph=False)
    theirs = table.pivot(index="Model", columns="recall", values="precision")
    runs = {voter: own.drop(columns="voter") for voter, own in lists.groupby("voter")}
    levels = [level / 10 for level in range(11)]
    ours = evaluate(runs, qrels, [f"iprec@{level}[rounding=up]" for level in levels])
    np.testing.assert_allclose(ours.loc[theirs.index], theirs, atol=1e-12)
    display = InterpolatedPrecisionDisplay.from_predictions(runs, qrels).table
    np.testing.assert_allclose(display, evaluate(runs, qrels, [f"iprec@{level}" for level in levels]), atol=1e-12)
    assert (display.loc[theirs.index].to_numpy() >= theirs.to_numpy() - 1e-12).all() and not np.allclose(display, ours)


def test_ranx_weight_search_omits_some_weights(data):
    from ranx.fusion_optimization.optimize_weights import get_possible_weights, get_trial_configs

    assert [len(get_trial_configs(get_possible_weights(0.1), n)) for n in (3, 4)] == [62, 256]  # of 66 and 286


def test_every_equal_row_of_the_ranx_page_is_tested():
    page = (ROOT / "docs" / "coming_from_ranx.md").read_text(encoding="utf-8")

    def equal(head):
        """Return the names in the first cells of the rows marked "yes" in the table after `head`."""
        table = page.split(f"\n{head}")[1].split("|---|---|---|")[1].split("\n\n")[0]
        rows = re.findall(r"^\| (.*) \| .* \| yes", table, re.MULTILINE)
        return [name for first in rows for name in re.findall("`([^`]+)`", first)]

    run = {name.split("@")[0] for name in MEASURES}
    # The options of evaluate are those of every test of measures; graded RBP and gains below a level have theirs.
    others = {"return_mean=False", "return_std=True", "-l2"}
    found = equal("## evaluate")
    assert {name.split("@")[0] for name in found} <= run | others
    fusions = [*FUSIONS, *((norm, method) for norm, method, *_ in (*PARAMETERS, *LEARNT))]
    norms = {norm for norm, _ in fusions} | {"min-max-inverted"}  # test_fusions_with_other_names_equal_ranx
    found = equal("| `norm` | here | equal? |")
    assert {None if norm == "None" else norm.strip('"') for norm in found} == norms
    found = {method.strip('"') for method in equal("| `method` | here | equal? |")}
    assert found == {method for _, method in fusions} - {"segfuse"}


def test_from_frame_accepts_frames_of_ranx_runs(data):
    lists, _ = data
    run = runs_of(lists)[0]
    frame = run.to_dataframe().rename(columns={"q_id": "query", "doc_id": "item"})
    ours = RankedLists.from_frame(frame).to_frame()
    assert ours["item"].tolist() == frame["item"].tolist()
