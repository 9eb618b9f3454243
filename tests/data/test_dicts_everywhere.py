"""Every public function that takes lists or judgements also takes dicts, with the same result."""

import dataclasses
import inspect
import tempfile
import warnings
from collections.abc import Mapping
from pathlib import Path

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.linear_model import Ridge
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline

import skrankagg
from public_api import public_objects
from skrankagg import (
    BordaCount,
    CombSUM,
    Comparator,
    Copeland,
    Kemeny,
    LearnedWeights,
    PlackettLuce,
    Qrels,
    RankedLists,
    ReciprocalRankFusion,
    SequentialElimination,
    StackedFusion,
    evaluate,
    inspection,
    metrics,
    plotting,
)
from skrankagg.compat.pyterrier import to_pyterrier
from skrankagg.datasets import make_ranked_lists, ranking_text, write_qrels
from skrankagg.exceptions import InputTypeError
from skrankagg.metrics import ConsensusScorer, RankingScorer, make_ranking_scorer
from skrankagg.model_selection import (
    CalibratedConsensus,
    QueryKFold,
    QueryShuffleSplit,
    TopSet,
    VoterKFold,
    cross_val_consensus,
    cross_val_likelihood,
)
from skrankagg.preprocessing import AggregatorUnion, ScoreNormalizer, TopK, VoterSelector, VoterWeighter
from skrankagg.utils.discovery import all_aggregators, all_transformers

FRAME, JUDGED, _ = make_ranked_lists(
    n_queries=6, n_voters=5, n_items=9, list_length=7, quality_spread=0.5, random_state=0
)
LISTS, QRELS = RankedLists.from_frame(FRAME), Qrels.from_frame(JUDGED)
#: {voter: {query: {item: score}}} and {query: {item: grade}}.
RUNS = {
    voter: {query: dict(zip(rows["item"], rows["score"], strict=True)) for query, rows in run.groupby("query")}
    for voter, run in FRAME.groupby("voter")
}
GRADES = {query: dict(zip(rows["item"], rows["relevance"], strict=True)) for query, rows in JUDGED.groupby("query")}
#: One run as RankedLists and as a dict, and two runs with names.
VOTER = "v2"
ONE = LISTS.select(voters=[VOTER])
TWO = {"first": ONE, "second": LISTS.select(voters=["v3"])}
TWO_DICTS = {"first": RUNS[VOTER], "second": RUNS["v3"]}
RRF = ReciprocalRankFusion()
COMPARATOR = Comparator([("rrf", RRF), ("sum", CombSUM())], metrics=["map"], qrels=QRELS, verbose=False).fit(LISTS)


def rank_of(estimator):
    """Return what an estimator has learned, and its result."""
    learned = {name: value for name, value in vars(estimator).items() if name.endswith("_") and name[0] != "_"}
    return {name: value for name, value in learned.items() if isinstance(value, pd.DataFrame | np.ndarray | float)}


def fitted(estimator, X, *args, **kwargs):
    return rank_of(estimator.fit(X, *args, **kwargs)), estimator.transform(LISTS)


def drawn(display):
    """Return the numbers of a display."""
    plt.close("all")
    return {field.name: getattr(display, field.name) for field in dataclasses.fields(display) if field.init}


def written(write, given):
    with tempfile.TemporaryDirectory() as folder:
        write(given, Path(folder) / "file.txt")
        return (Path(folder) / "file.txt").read_text()


def measured(measure):
    return lambda run, runs, lists, qrels: measure(run, qrels)


def shown(name, *args, **kwargs):
    """Draw a display of the lists, by a constructor such as "RatingsDisplay.from_estimator"."""
    owner, constructor = name.split(".")
    return lambda run, runs, lists, qrels: drawn(getattr(getattr(plotting, owner), constructor)(*args, lists, **kwargs))


def compared(name, *args, **kwargs):
    """Draw a display of runs and judgements."""
    owner, constructor = name.split(".")
    return lambda run, runs, lists, qrels: drawn(
        getattr(getattr(plotting, owner), constructor)(runs, qrels, *args, **kwargs)
    )


def shown_reliability(run, runs, lists, qrels):
    return drawn(plotting.ReliabilityDisplay.from_estimator(CALIBRATED, lists, qrels))


def shown_comparator(name, **kwargs):
    owner, constructor = name.split(".")
    return lambda run, runs, lists, qrels: drawn(
        getattr(getattr(plotting, owner), constructor)(COMPARATOR, qrels=qrels, **kwargs)
    )


WEIGHTED = make_pipeline(VoterWeighter("map"), RRF)
FITTED_WEIGHTS = LearnedWeights().fit(LISTS, qrels=QRELS)
MODEL = PlackettLuce()
RUNOFF = SequentialElimination()

CONSENSUS = CombSUM().fit_transform(LISTS)
#: Groups of the items, for the measures of exposure.
GROUPS = {item: "xyz"[k % 3] for k, item in enumerate(LISTS.items)}
CALIBRATED = CalibratedConsensus(RRF).fit(LISTS, QRELS)

#: A call of each function or method. The arguments are one run, several runs by name, lists, and judgements.
CALLS = {
    "RankedLists.judged": lambda run, runs, lists, qrels: LISTS.judged(qrels).to_frame(),
    "from_runs": lambda run, runs, lists, qrels: RankedLists.from_runs(RUNS).to_frame(),
    "BaseAggregator.fit": lambda run, runs, lists, qrels: fitted(CombSUM(), lists),
    "BaseAggregator.fit_transform": lambda run, runs, lists, qrels: CombSUM().fit_transform(lists),
    "BaseAggregator.transform": lambda run, runs, lists, qrels: CombSUM().transform(lists),
    "BaseAggregator.aggregate": lambda run, runs, lists, qrels: Kemeny().aggregate(lists),
    "SupervisedAggregator.fit": lambda run, runs, lists, qrels: fitted(LearnedWeights(), lists, qrels=qrels),
    "SupervisedAggregator.fit_transform": lambda run, runs, lists, qrels: LearnedWeights().fit_transform(lists, qrels),
    "ListTransformer.fit": lambda run, runs, lists, qrels: fitted(TopK(3), lists),
    "ListTransformer.fit_transform": lambda run, runs, lists, qrels: TopK(3).fit_transform(lists),
    "ListTransformer.transform": lambda run, runs, lists, qrels: TopK(3).transform(lists),
    "SupervisedListTransformer.fit": lambda run, runs, lists, qrels: fitted(VoterWeighter("map"), lists, qrels),
    "SupervisedListTransformer.fit_transform": lambda run, runs, lists, qrels: VoterWeighter("map").fit_transform(
        lists, qrels=qrels
    ),
    "RankingScorer": lambda run, runs, lists, qrels: RankingScorer("map", qrels=qrels)(RRF, LISTS),
    "RankingScorer.score": lambda run, runs, lists, qrels: RankingScorer("map").score(RRF, lists, qrels),
    "make_ranking_scorer": lambda run, runs, lists, qrels: make_ranking_scorer("map", qrels=qrels)(RRF, lists),
    "VoterSelector": lambda run, runs, lists, qrels: fitted(VoterSelector("map", qrels=qrels, n_voters=2), lists),
    "VoterWeighter": lambda run, runs, lists, qrels: fitted(VoterWeighter("map", qrels=qrels), lists),
    "pairwise_preferences": lambda run, runs, lists, qrels: skrankagg.aggregators.pairwise_preferences(
        {"v1": {"q1": RUNS["v1"]["q1"]}} if lists is RUNS else LISTS.select(voters=["v1"], queries=["q1"])
    ),
    "condorcet_winner": lambda run, runs, lists, qrels: skrankagg.aggregators.condorcet_winner(lists),
    "smith_set": lambda run, runs, lists, qrels: skrankagg.aggregators.smith_set(lists),
    "agreement_matrix": lambda run, runs, lists, qrels: (
        metrics.agreement_matrix(lists),
        metrics.agreement_matrix(runs),
    ),
    **{
        name: (lambda run, runs, lists, qrels, name=name: getattr(metrics, name)(run, GROUPS, k=3))
        for name in metrics.exposure_names()
        if name != "rank_parity"
    },
    "rank_parity": lambda run, runs, lists, qrels: metrics.rank_parity(run, GROUPS),
    "group_exposure": lambda run, runs, lists, qrels: metrics.group_exposure(run, GROUPS, k=3),
    "concordance": lambda run, runs, lists, qrels: metrics.concordance(lists),
    "consensus_agreement": lambda run, runs, lists, qrels: metrics.consensus_agreement(lists, run),
    "evaluate": lambda run, runs, lists, qrels: (
        evaluate(runs, qrels),
        evaluate(runs, qrels, per_query=True),
        evaluate(TWO, qrels),
        evaluate(runs, QRELS),
    ),
    "evaluate_voters": lambda run, runs, lists, qrels: metrics.evaluate_voters(lists, qrels),
    "Comparator.fit": lambda run, runs, lists, qrels: clone(COMPARATOR).fit(lists, qrels=qrels).results_[["map"]],
    "Comparator": lambda run, runs, lists, qrels: (
        clone(COMPARATOR).set_params(qrels=qrels, with_voters=True).fit(lists).results_[["map"]]
    ),
    "Comparator.transform": lambda run, runs, lists, qrels: COMPARATOR.transform(lists),
    "Comparator.score": lambda run, runs, lists, qrels: COMPARATOR.score(lists, qrels),
    "QueryKFold": lambda run, runs, lists, qrels: list(QueryKFold(3, qrels=qrels).split(LISTS)),
    "QueryShuffleSplit": lambda run, runs, lists, qrels: list(
        QueryShuffleSplit(3, qrels=qrels, random_state=0).split(LISTS)
    ),
    "VoterKFold.split": lambda run, runs, lists, qrels: list(VoterKFold(2).split(lists)),
    "cross_val_consensus": lambda run, runs, lists, qrels: (
        cross_val_consensus(WEIGHTED, lists, qrels, cv=2),
        cross_val_consensus(WEIGHTED, lists, qrels=qrels, cv=2),
    ),
    "cross_val_likelihood": lambda run, runs, lists, qrels: cross_val_likelihood(MODEL, lists, cv=2),
    "compare_consensus": lambda run, runs, lists, qrels: inspection.compare_consensus(run, runs["second"]),
    "diagnose": lambda run, runs, lists, qrels: inspection.diagnose(lists).frame,
    "expected_gain": lambda run, runs, lists, qrels: list(inspection.expected_gain(FITTED_WEIGHTS, lists, qrels)),
    "items_to_judge": lambda run, runs, lists, qrels: inspection.items_to_judge(lists, random_state=0),
    "elimination_rounds": lambda run, runs, lists, qrels: inspection.elimination_rounds(RUNOFF, lists).frame,
    "election_report": lambda run, runs, lists, qrels: str(
        inspection.election_report(lists, {"instant runoff": RUNOFF}, query="q1", time_limit=None)
    ),
    "kemeny_ties": lambda run, runs, lists, qrels: inspection.kemeny_ties(lists, query="q1"),
    "margin_of_victory": lambda run, runs, lists, qrels: inspection.margin_of_victory(BordaCount(), lists),
    "preference_probabilities": lambda run, runs, lists, qrels: inspection.preference_probabilities(
        RRF, lists, query="q1", n_resamples=9
    ),
    "rank_confidence": lambda run, runs, lists, qrels: inspection.rank_confidence(RRF, lists, n_resamples=9),
    "rank_stability": lambda run, runs, lists, qrels: inspection.rank_stability(RRF, lists, n_resamples=9),
    "voter_contributions": lambda run, runs, lists, qrels: inspection.voter_contributions(RRF, lists),
    "voter_influence": lambda run, runs, lists, qrels: inspection.voter_influence(RRF, lists),
    "consensus_score": lambda run, runs, lists, qrels: metrics.consensus_score(lists, CONSENSUS),
    "to_pyterrier": lambda run, runs, lists, qrels: to_pyterrier(run),
    "ranking_text": lambda run, runs, lists, qrels: ranking_text(run),
    "ranking_report": lambda run, runs, lists, qrels: plotting.ranking_report(
        RRF, lists, query="q1", n_resamples=9
    ).to_html(pictures=False),
    "write_qrels": lambda run, runs, lists, qrels: written(write_qrels, qrels),
    "AgreementDisplay.from_lists": shown("AgreementDisplay.from_lists"),
    "AgreementDisplay.from_predictions": lambda run, runs, lists, qrels: drawn(
        plotting.AgreementDisplay.from_predictions(runs)
    ),
    "ComparisonDisplay.from_predictions": compared("ComparisonDisplay.from_predictions", metric="map"),
    "ContributionDisplay.from_estimator": shown("ContributionDisplay.from_estimator", RRF, query="q1"),
    "CriticalDifferenceDisplay.from_comparator": shown_comparator("CriticalDifferenceDisplay.from_comparator"),
    "CriticalDifferenceDisplay.from_predictions": compared("CriticalDifferenceDisplay.from_predictions", metric="map"),
    "CutoffDisplay.from_comparator": shown_comparator("CutoffDisplay.from_comparator", cutoffs=[1, 2]),
    "CutoffDisplay.from_predictions": compared("CutoffDisplay.from_predictions", cutoffs=[1, 2]),
    "EliminationDisplay.from_estimator": shown("EliminationDisplay.from_estimator", RUNOFF, query="q1"),
    "InterpolatedPrecisionDisplay.from_comparator": shown_comparator("InterpolatedPrecisionDisplay.from_comparator"),
    "InterpolatedPrecisionDisplay.from_predictions": compared("InterpolatedPrecisionDisplay.from_predictions"),
    "PreferenceProbabilityDisplay.from_estimator": shown(
        "PreferenceProbabilityDisplay.from_estimator", RRF, query="q1", n_resamples=9
    ),
    "QueryGainDisplay.from_comparator": shown_comparator(
        "QueryGainDisplay.from_comparator", method="sum", baseline="rrf"
    ),
    "QueryGainDisplay.from_predictions": compared("QueryGainDisplay.from_predictions", "first", "second"),
    "RankStabilityDisplay.from_estimator": shown("RankStabilityDisplay.from_estimator", RRF, query="q1", n_resamples=9),
    "RatingsDisplay.from_estimator": shown("RatingsDisplay.from_estimator", MODEL, query="q1", n_resamples=9),
    "VoterInfluenceDisplay.from_estimator": shown("VoterInfluenceDisplay.from_estimator", RRF, query="q1"),
    "CalibratedConsensus": lambda run, runs, lists, qrels: (
        CalibratedConsensus(RRF, qrels=qrels).fit(lists).transform(LISTS)
    ),
    "TopSet": lambda run, runs, lists, qrels: TopSet(RRF, confidence=0.8, qrels=qrels).fit(lists).transform(LISTS),
    "JudgedConsensus.fit": lambda run, runs, lists, qrels: CalibratedConsensus(RRF).fit(lists, qrels).transform(LISTS),
    "JudgedConsensus.fit_transform": lambda run, runs, lists, qrels: CalibratedConsensus(RRF).fit_transform(
        lists, qrels=qrels
    ),
    "JudgedConsensus.transform": lambda run, runs, lists, qrels: CALIBRATED.transform(lists),
    "ReliabilityDisplay.from_estimator": shown_reliability,
    "WeightCurveDisplay.from_estimator": lambda run, runs, lists, qrels: drawn(
        plotting.WeightCurveDisplay.from_estimator(CombSUM(), lists, qrels, voters=["v1", "v2"], metric="map")
    ),
}


#: Parameters that contain lists or judgements.
WORDS = {"X", "lists", "run", "runs", "qrels", "consensus", "first", "second"}
#: Public names with such a parameter that are not called here, and the reason.
EXEMPT = {
    "Qrels.align": "aligns the queries of encoded lists",
    "ConsensusSelector.fit": "selects the columns of a table of numbers",
    "_joined.concat": "joins encoded lists",
    "_from_comparisons.from_comparisons": "reads a frame of comparisons",
    "_QuerySplitter.split": "splits samples, see the tests below",
    "_QuerySplitter.get_n_splits": "ignores the lists",
    "VoterKFold.get_n_splits": "ignores the lists",
    "example_qrels": "makes judgements for the tests of an own method",
    "fuse": "takes the lists of one query; test_fuse.py tests it with dicts",
    "from_lists": "takes the lists of one query; test_ways_in.py tests it with dicts",
    "load_trec": "reads files",
    "write_run": "writes the columns of a frame",
    "evaluate_partitions": "takes the partitions of an engine",
    "fit_partitions": "takes the partitions of an engine",
    "transform_partitions": "takes the partitions of an engine",
    "ReliabilityDisplay.from_predictions": "takes a frame with probabilities",
    "audit": "takes paired comparisons, which a dict of runs cannot represent",
}
#: Estimators of every class, with a call that learns from judgements where the class can do so.
ESTIMATORS = {
    "StackedFusion": StackedFusion(Ridge()),
    "AggregatorUnion": AggregatorUnion([("rrf", RRF), ("learnt", LearnedWeights())], cv=2),
    "TopK": TopK(3),
    "ScoreNormalizer": ScoreNormalizer("min-max"),
    "VoterSelector": VoterSelector("map", n_voters=2),
    "VoterWeighter": VoterWeighter("map"),
}


def doors():
    """Yield the name, the kind and the object of every public function, method or class with such a parameter."""
    for path, (kind, found) in public_objects().items():
        if kind not in {"function", "method", "class"} or (kind == "class" and issubclass(found, BaseException)):
            continue
        if WORDS & set(inspect.signature(found).parameters):
            yield path.split("."), kind, found


def is_measure(found):
    return list(inspect.signature(found).parameters)[:2] == ["run", "qrels"] and hasattr(metrics, found.__name__)


MEASURES = {path[-1]: found for path, kind, found in doors() if kind == "function" and is_measure(found)}
MEASURES.pop("evaluate")


def test_every_public_function_that_takes_lists_or_judgements_is_tested_here():
    classes = {*all_aggregators(), *all_transformers()}
    known = {*CALLS, *EXEMPT, *MEASURES, *classes}
    missing = [
        ".".join(path[-2:])
        for path, kind, found in doors()
        if not {path[-1], ".".join(path[-2:])} & known and not _takes_rankings(path, found)
    ]
    assert missing == []
    unused = {*CALLS, *EXEMPT} - {name for path, _, _ in doors() for name in (path[-1], ".".join(path[-2:]))}
    assert unused == set()


def _takes_rankings(path, found):
    """Return True for a measure of two single rankings, which takes a dict of item to score."""
    return path[1:3] == ["metrics", "_agreement"] and "first" in inspect.signature(found).parameters


@pytest.mark.parametrize("name", CALLS)
def test_dicts_give_the_same_result(name):
    call = CALLS[name]
    same(call(RUNS[VOTER], TWO_DICTS, RUNS, GRADES), call(ONE, TWO, LISTS, QRELS))


@pytest.mark.parametrize("name", MEASURES)
def test_measures_take_dicts(name):
    cutoff = {"interpolated_precision": 0.5}.get(name, 3)
    given = {"k": cutoff} if "k" in inspect.signature(MEASURES[name]).parameters else {}
    expected = MEASURES[name](ONE, QRELS, **given)
    for run, qrels in ((RUNS[VOTER], GRADES), (ONE, GRADES), (RUNS[VOTER], QRELS)):
        same(MEASURES[name](run, qrels, **given), expected)


@pytest.mark.parametrize("name", [*all_aggregators(), *all_transformers()])
def test_estimators_take_dicts(name):
    estimator = ESTIMATORS.get(name) or {**all_aggregators(), **all_transformers()}[name]()
    learns = {"qrels"} <= set(inspect.signature(estimator.fit).parameters)
    given = {"qrels": GRADES} if learns else {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", category=UserWarning)
        expected = clone(estimator).fit(LISTS, **({"qrels": QRELS} if learns else {}))
        result = expected.transform(LISTS)
        ways = {
            "keyword": lambda: clone(estimator).fit(RUNS, **given),
            "y": lambda: clone(estimator).fit(RUNS, *given.values()),
        }
        if "qrels" in estimator.get_params():
            ways["constructor"] = lambda: clone(estimator).set_params(qrels=GRADES).fit(RUNS)
        for way, fit in ways.items():
            found = fit()
            same(rank_of(found), rank_of(expected), way)
            for lists in (RUNS, LISTS):
                same(found.transform(lists), result, way)
        expected = clone(estimator).fit_transform(LISTS, **({"qrels": QRELS} if learns else {}))
        same(clone(estimator).fit_transform(RUNS, **given), expected)


def test_pipelines_and_consensus_scorers_take_dicts():
    steps = make_pipeline(VoterWeighter("map"), TopK(5), LearnedWeights())
    same(clone(steps).fit(RUNS, GRADES).transform(RUNS), clone(steps).fit(LISTS, QRELS).transform(LISTS))
    assert ConsensusScorer()(Copeland(), RUNS) == ConsensusScorer()(Copeland(), LISTS)


def test_splitters_refuse_a_dict_and_name_the_remedy():
    words = r"must have samples that can be split.*got dict\. Encode it with RankedLists\.from_runs"
    for splitter in (QueryKFold(2), QueryShuffleSplit(2)):
        with pytest.raises(InputTypeError, match=words):
            next(splitter.split(RUNS))
        with pytest.raises(InputTypeError, match=words):
            cross_val_score(RRF, RUNS, cv=splitter, scoring=make_ranking_scorer("map", qrels=QRELS))


def test_fit_refuses_what_a_splitter_makes_of_a_dict():
    # Scikit-learn divides a dict with the keys 0, 1, 2 into lists of its values.
    numbered = dict(enumerate(RUNS.values()))
    scorer = make_ranking_scorer("map", qrels=QRELS)
    with pytest.raises(InputTypeError, match=r"got builtins\.list; encode dicts and lists with RankedLists\.from_runs"):
        cross_val_score(RRF, numbered, cv=2, scoring=scorer, error_score="raise")
    with pytest.raises((KeyError, TypeError, ValueError)):  # raised by scikit-learn
        cross_val_score(LearnedWeights(), LISTS, GRADES, cv=2, scoring=scorer, error_score="raise")
    numbers = {query: number for number, query in enumerate(GRADES)}
    renumbered = RankedLists.from_frame(FRAME.assign(query=FRAME["query"].map(numbers)))
    grades = {numbers[query]: judged for query, judged in GRADES.items()}
    with pytest.raises(InputTypeError, match=r"splitter divided a dict; wrap the dict: Qrels\.from_dict\(judgements\)"):
        cross_val_score(LearnedWeights(), renumbered, grades, cv=2, scoring=scorer, error_score="raise")


def same(found, expected, where="result"):
    assert type(found) is type(expected), where
    if isinstance(expected, pd.DataFrame):
        pd.testing.assert_frame_equal(found, expected, check_exact=True)
    elif isinstance(expected, pd.Series):
        pd.testing.assert_series_equal(found, expected, check_exact=True)
    elif isinstance(expected, RankedLists):
        assert found.equals(expected), where
    elif isinstance(expected, np.ndarray | pd.Index):
        np.testing.assert_array_equal(found, expected)
    elif isinstance(expected, Mapping):
        assert found.keys() == expected.keys(), where
        for key in expected:
            same(found[key], expected[key], f"{where}, {key}")
    elif isinstance(expected, list | tuple):
        assert len(found) == len(expected), where
        for k, one in enumerate(expected):
            same(found[k], one, f"{where}, {k}")
    elif dataclasses.is_dataclass(expected):
        same(vars(found), vars(expected), where)
    elif isinstance(expected, float) and np.isnan(expected):
        assert np.isnan(found), where
    else:
        assert found == expected, where
