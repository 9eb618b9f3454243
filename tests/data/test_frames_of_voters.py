"""Every function of lists accepts a dict or a list with one data frame per voter."""

import numpy as np
import pandas as pd
import pytest
from pandas.testing import assert_frame_equal, assert_series_equal

from skrankagg import (
    DIBRA,
    BordaCount,
    CombSUM,
    Comparator,
    Copeland,
    LearnedWeights,
    Qrels,
    RankedLists,
    evaluate,
    fuse,
)
from skrankagg.aggregators import condorcet_winner, pairwise_preferences, smith_set
from skrankagg.datasets import make_ranked_lists
from skrankagg.exceptions import InputError, InputTypeError
from skrankagg.inspection import compare_consensus, rank_stability, voter_contributions, voter_influence
from skrankagg.metrics import (
    agreement_matrix,
    average_precision,
    concordance,
    consensus_agreement,
    consensus_score,
    evaluate_voters,
    ndcg,
)
from skrankagg.model_selection import cross_val_consensus

pytestmark = pytest.mark.twice

FRAME, QRELS, _ = make_ranked_lists(n_queries=4, n_voters=6, n_items=9, list_length=6, random_state=0)
LISTS = RankedLists.from_frame(FRAME)
JUDGED = Qrels.from_frame(QRELS)
ONE = RankedLists.from_frame(FRAME[FRAME["query"] == "q1"])


def as_library(frame, library):
    if library == "pandas":
        return frame
    module = pytest.importorskip({"lazy": "polars", "narwhals": "polars"}.get(library, library))
    columns = {name: frame[name].tolist() for name in frame}
    if library == "pyarrow":
        return module.table(columns)
    found = module.DataFrame(columns)
    if library == "narwhals":
        return pytest.importorskip("narwhals").from_native(found)
    return found.lazy() if library == "lazy" else found


def by_voter(frame=FRAME, library="pandas"):
    return {
        voter: as_library(own.drop(columns="voter").reset_index(drop=True), library)
        for voter, own in frame.groupby("voter")
    }


@pytest.mark.sampled(1)
@pytest.mark.parametrize("library", ["pandas", "polars", "lazy", "pyarrow", "narwhals"])
def test_from_runs_reads_a_frame_per_voter(library):
    assert RankedLists.from_runs(by_voter(library=library)).equals(LISTS)
    assert RankedLists.from_lists(by_voter(library=library)).equals(LISTS)
    assert_frame_equal(CombSUM().fit_transform(by_voter(library=library)), CombSUM().fit_transform(FRAME))
    ranks = FRAME.drop(columns="score").rename(columns={"query": "qid", "item": "docno"})
    expected = RankedLists.from_frame(ranks)
    assert RankedLists.from_runs(by_voter(ranks, library)).equals(expected)
    for frames in ([one for _, one in FRAME.groupby("voter")], tuple(one for _, one in FRAME.groupby("voter"))):
        converted = type(frames)(as_library(one.reset_index(drop=True), library) for one in frames)
        assert RankedLists.from_runs(converted).equals(LISTS)  # named by their columns of voters
        assert_frame_equal(BordaCount().fit_transform(converted), BordaCount().fit_transform(FRAME))
    numbered = RankedLists.from_runs(list(by_voter(library=library).values()))
    assert numbered.voters.tolist() == [1, 2, 3, 4, 5, 6]
    assert_frame_equal(BordaCount().fit_transform(numbered), BordaCount().fit_transform(FRAME))


CALLS = {
    "fit_transform": lambda X: CombSUM().fit_transform(X),
    "fit_transform, learnt": lambda X: DIBRA().fit_transform(X),
    "fit_transform, supervised": lambda X: LearnedWeights().fit_transform(X, JUDGED),
    "transform": lambda X: CombSUM().fit(LISTS).transform(X),
    "aggregate": lambda X: Copeland().aggregate(X)[0],
    "Comparator.fit": lambda X: comparator().fit(X).per_query_,
    "Comparator.transform": lambda X: comparator().fit(LISTS).transform(X),
    "cross_val_consensus": lambda X: cross_val_consensus(LearnedWeights(), X, JUDGED, cv=2),
    "condorcet_winner": lambda X: condorcet_winner(X),
    "smith_set": lambda X: smith_set(X),
    "rank_stability": lambda X: rank_stability(BordaCount(), X, n_resamples=20, random_state=0),
    "voter_contributions": lambda X: voter_contributions(BordaCount(), X),
    "voter_influence": lambda X: voter_influence(BordaCount(), X),
    "evaluate": lambda X: evaluate(X, JUDGED, ["map", "ndcg@5"]).rename_axis("voter"),
    "evaluate_voters": lambda X: evaluate_voters(X, JUDGED),
    "agreement_matrix": lambda X: agreement_matrix(X),
    "consensus_agreement": lambda X: consensus_agreement(X, BordaCount().fit_transform(FRAME)).to_frame(),
    "consensus_score": lambda X: pd.DataFrame({"s": [consensus_score(X, BordaCount().fit_transform(FRAME))]}),
    "concordance": lambda X: concordance(X).to_frame(),
}


def comparator():
    methods = [("sum", CombSUM()), ("borda", BordaCount())]
    return Comparator(methods, metrics=["map"], qrels=JUDGED, verbose=False)


@pytest.mark.sampled(5)
@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("kind", ["dict", "polars", "list"])
def test_public_functions_accept_a_frame_per_voter(call, kind):
    frames = {
        "dict": by_voter,
        "polars": lambda: by_voter(library="polars"),
        "list": lambda: [own.reset_index(drop=True) for _, own in FRAME.groupby("voter")],
    }[kind]()
    found, expected = CALLS[call](frames), CALLS[call](LISTS)
    times = [name for name in ("time",) if name in found]
    assert_frame_equal(found.drop(columns=times), expected.drop(columns=times), check_names=call != "agreement_matrix")


def test_fuse_accepts_frames_of_one_query():
    frames = by_voter(FRAME[FRAME["query"] == "q1"])
    consensus = CombSUM().fit_transform(ONE)
    expected = list(zip(consensus["item"], consensus["score"], strict=True))
    for given in (frames, list(frames.values()), by_voter(FRAME[FRAME["query"] == "q1"], "polars"),
                  {name: one.drop(columns="query") for name, one in frames.items()}):  # fmt: skip
        assert fuse(given, CombSUM()) == expected
        assert fuse(given, CombSUM(), top=2) == expected[:2]
    weights = {name: k / 10 for k, name in enumerate(frames)}
    weighted = CombSUM(voter_weights=weights).fit_transform(ONE)
    for given in (weights, list(weights.values())):
        assert [item for item, _ in fuse(frames, CombSUM(), weights=given)] == weighted["item"].tolist()
    with pytest.raises(InputError, match=r"one query; got 4 queries\. Call the aggregator's fit_transform"):
        fuse(by_voter(), CombSUM())
    with pytest.raises(InputError, match=r"got data frames\. Call skrankagg\.inspection\.voter_contributions"):
        fuse(frames, CombSUM(), explain=True)


def test_pairwise_preferences_accepts_frames_of_one_query():
    for found, expected in zip(
        pairwise_preferences(by_voter(FRAME[FRAME["query"] == "q1"])), pairwise_preferences(ONE), strict=True
    ):
        assert np.array_equal(found, expected)


def test_from_runs_applies_its_options_to_frames():
    frames = by_voter(FRAME.drop(columns="rank"))
    falling = {name: one.assign(score=-one["score"]) for name, one in frames.items()}
    assert RankedLists.from_runs(falling, lower_is_better=True).equals(RankedLists.from_runs(frames))
    some = {**frames, "v2": falling["v2"]}
    assert RankedLists.from_runs(some, lower_is_better=["v2"]).equals(RankedLists.from_runs(frames))
    twice = {name: pd.concat([one, one[:1]], ignore_index=True) for name, one in frames.items()}
    with pytest.raises(InputError, match="duplicates='first'"):
        RankedLists.from_runs(twice)
    assert RankedLists.from_runs(twice, duplicates="best").equals(RankedLists.from_runs(frames))
    blank = {name: one.assign(item=one["item"] + " ") for name, one in frames.items()}
    assert RankedLists.from_runs(blank, strip=True).equals(RankedLists.from_runs(frames))
    weights = [1.0, 2.0, 0.5, 1.0, 1.0, 3.0]
    expected = RankedLists.from_frame(FRAME.drop(columns="rank"), weights=dict(zip(frames, weights, strict=True)))
    assert RankedLists.from_runs(frames, weights=weights).equals(expected)
    columns = {name: one.assign(weight=w) if w != 1 else one for (name, one), w in zip(frames.items(), weights,
                                                                                      strict=True)}  # fmt: skip
    assert RankedLists.from_runs(columns).equals(expected)
    with pytest.raises(InputError, match=r"got both\. Drop the column of weights from the frame of 'v2'"):
        RankedLists.from_runs(columns, weights=weights)


def test_from_runs_keeps_the_types_of_ids():
    large = 2**53 + 1
    first = pd.DataFrame({"query": [1, 1], "item": [large, large - 1], "score": [2.0, 1.0]})
    second = pd.DataFrame({"query": [1, 1], "item": pd.array([large + 1, None], dtype="Int64"), "score": [2.0, 1.0]})
    lists = RankedLists.from_runs({"u": first, "v": second}, missing_ids="drop")
    assert lists.items.dtype == "Int64" and lists.items.tolist() == [large - 1, large, large + 1]
    polars = pytest.importorskip("polars")
    other = polars.DataFrame({"query": [1, 1], "item": [large + 1, None], "score": [2.0, 1.0]})
    lists = RankedLists.from_runs({"u": polars.from_dict(first.to_dict("list")), "v": other}, missing_ids="drop")
    assert lists.items.dtype == np.int64 and lists.items.tolist() == [large - 1, large, large + 1]
    with pytest.raises(InputError, match="must have an item; 1 have None"):
        RankedLists.from_runs({"u": other})
    small = RankedLists.from_runs({"u": first.assign(item=[1, 2]), "v": first.assign(item=[2.0, 1.0])})
    assert small.items.dtype == np.int64
    unsigned = RankedLists.from_runs({"u": first, "v": first.astype({"item": "uint64"})})
    assert unsigned.items.dtype == np.int64 and unsigned.n_items == 2
    huge = RankedLists.from_runs({"u": first, "v": first.assign(item=np.array([2**63, 2**63 + 1], dtype="uint64"))})
    assert huge.items.tolist() == [large - 1, large, 2**63, 2**63 + 1]


def test_from_runs_treats_an_empty_frame_as_a_voter_without_lists():
    frames = by_voter()
    with_empty = {**frames, "none": frames["v1"][:0]}
    assert RankedLists.from_runs(with_empty).equals(LISTS)
    with pytest.raises(InputError, match="at least one row; all 1 frames are empty"):
        RankedLists.from_runs({"none": frames["v1"][:0]})


@pytest.mark.parametrize(
    ("given", "error", "words"),
    [
        (
            lambda frames: {**frames, "w": {"q1": ["a"]}},
            InputTypeError,
            "a data frame for every voter; 'w' has dict",
        ),
        (lambda frames: [*frames.values(), ["a"]], InputTypeError, "a data frame for every voter; 7 has list"),
        (lambda frames: {"all": FRAME}, InputError, "of 'all' must contain the lists of a single voter; its column"),
        (
            lambda frames: [FRAME],
            InputError,
            "of 1 must contain the lists of a single voter; its column 'voter' contains 6 voters. Pass",
        ),
        (
            lambda frames: [frames["v1"].assign(voter="v"), frames["v2"].assign(system="v")],
            InputError,
            r"different voters; got \['v', 'v'\]\. Put the rows of one voter",
        ),
        (
            lambda frames: {"a": frames["v1"], "b": frames["v2"].drop(columns="score")},
            InputError,
            "'a' has rank and score, 'b' has rank. Drop the column",
        ),
        (
            lambda frames: {"a": frames["v1"].drop(columns="query")},
            InputError,
            r"The frame of 'a' cannot be read: `X` is missing the column\(s\) 'query'",
        ),
        (lambda frames: {"a": frames["v1"].drop(columns="item")}, InputError, "of 'a' cannot be read: `X` is missing"),
        (lambda frames: {"a": frames["v1"].assign(rank="x")}, InputError, "of 'a' cannot be read: Column 'rank' must"),
        (lambda frames: {"a": frames["v1"].assign(run="x", tag="y")}, InputError, "'run' and 'tag' are possible"),
    ],
)
def test_from_runs_rejects_values_that_are_not_runs(given, error, words):
    with pytest.raises(error, match=words):
        RankedLists.from_runs(given(by_voter()))
    with pytest.raises(error, match=words):
        CombSUM(norm="rank").fit_transform(given(by_voter()))


def test_functions_of_a_single_run_reject_frames_of_voters():
    frames = by_voter()
    for given in (frames, list(frames.values()), by_voter(library="polars")):
        with pytest.raises(InputTypeError, match=r"ndcg accepts one run; got 6 frames in a (dict|list)"):
            ndcg(given, JUDGED)
        with pytest.raises(InputTypeError, match="average_precision accepts one run"):
            average_precision(given, {query: ["i1"] for query in frames})
        if isinstance(given, dict):
            assert_frame_equal(CombSUM(norm="rank").fit(given).transform(LISTS), CombSUM(norm="rank").transform(LISTS))
            with pytest.raises(InputError, match="A run must have one list for each query"):
                compare_consensus(given, LISTS)
            continue
        with pytest.raises(InputTypeError, match="encode dicts and lists with"):
            CombSUM().fit(given)  # a splitter would cut a list between voters
        with pytest.raises(InputTypeError, match="encode dicts and lists with"):
            compare_consensus(given, LISTS)


def test_evaluate_accepts_frames_in_a_list():
    frames = by_voter()
    expected = evaluate(LISTS, JUDGED, ["map"])
    assert evaluate(list(frames.values()), QRELS, ["map"]).index.tolist() == [1, 2, 3, 4, 5, 6]
    named = [own for _, own in FRAME.groupby("voter")]
    found = evaluate(named, QRELS, ["map"])
    assert found.index.tolist() == expected.index.tolist() and np.array_equal(found, expected)
    per_query = evaluate(named, QRELS, ["map"], per_query=True)
    assert_series_equal(
        per_query["map"], evaluate(LISTS, QRELS, ["map"], per_query=True)["map"].rename_axis(["run", "query"])
    )
