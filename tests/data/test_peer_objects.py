"""Runs and judgements of ranx, ir_measures and ir_datasets; stand-ins replace libraries that are not installed."""

from collections import namedtuple
from collections.abc import MutableMapping
from types import SimpleNamespace

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from pandas.testing import assert_frame_equal
from sklearn.model_selection import cross_val_score

from skrankagg import CombSUM, Comparator, LearnedWeights, Qrels, RankedLists, evaluate, fuse
from skrankagg.datasets import make_ranked_lists
from skrankagg.exceptions import InputError, InputTypeError
from skrankagg.inspection import compare_consensus
from skrankagg.metrics import RankingScorer, agreement_matrix, evaluate_voters, make_ranking_scorer, ndcg
from skrankagg.model_selection import QueryKFold, cross_val_consensus
from skrankagg.preprocessing import TopK, VoterWeighter

pytestmark = pytest.mark.twice

FRAME, JUDGED, _ = make_ranked_lists(n_queries=5, n_voters=3, n_items=9, list_length=6, random_state=0)
LISTS, QRELS = RankedLists.from_frame(FRAME), Qrels.from_frame(JUDGED)
RUNS = LISTS.to_runs()
GRADES = {
    query: dict(zip(rows["item"], map(int, rows["relevance"]), strict=True)) for query, rows in JUDGED.groupby("query")
}


class NumbaDict(MutableMapping):
    """Stand-in for numba's typed dict, which is a mapping but not a dict."""

    def __init__(self, held):
        self.held = {key: NumbaDict(value) if isinstance(value, dict) else value for key, value in held.items()}

    def __getitem__(self, key):
        return self.held[key]

    def __setitem__(self, key, value):
        self.held[key] = value

    def __delitem__(self, key):
        del self.held[key]

    def __iter__(self):
        return iter(self.held)

    def __len__(self):
        return len(self.held)


class StandInRun:
    """Stand-in for ranx's Run and, with another attribute, for ranx's Qrels."""

    held = "run"

    def __init__(self, content, name=None):
        setattr(self, self.held, NumbaDict(content))
        self.name = name

    def to_dict(self):
        return {query: dict(items) for query, items in getattr(self, self.held).items()}

    def __len__(self):
        return len(getattr(self, self.held))

    def __getitem__(self, query):
        return getattr(self, self.held)[query]


class StandInQrels(StandInRun):
    held = "qrels"


@pytest.fixture(params=["stand-in", "ranx"])
def ranx(request):
    if request.param == "ranx":
        return pytest.importorskip("ranx", reason="compares with ranx's own objects")
    return SimpleNamespace(Run=StandInRun, Qrels=StandInQrels)


#: The named tuples of ir_measures and of ir_datasets.
TUPLES = {
    "stand-in": lambda: (
        namedtuple("Qrel", "query_id doc_id relevance"),
        namedtuple("ScoredDoc", "query_id doc_id score"),
    ),
    "ir_measures": lambda: _tuples_of("ir_measures", "Qrel", "ScoredDoc"),
    "ir_datasets": lambda: _tuples_of("ir_datasets.formats", "GenericQrel", "GenericScoredDoc"),
}


def _tuples_of(library, *names):
    module = pytest.importorskip(library, reason=f"compares with the tuples of {library}")
    return tuple(getattr(module, name) for name in names)


@pytest.fixture(params=TUPLES)
def tuples(request):
    """Return judgements, and a run for each voter, as lists of named tuples."""
    qrel, scored = TUPLES[request.param]()
    judged = [qrel(query, item, grade) for query, grades in GRADES.items() for item, grade in grades.items()]
    runs = {
        voter: [scored(query, item, score) for query, items in run.items() for item, score in items.items()]
        for voter, run in RUNS.items()
    }
    return judged, runs


def test_qrels_from_tuples(tuples):
    judged, _ = tuples
    for given in (judged, tuple(judged), iter(judged), (one for one in judged), Again(judged)):
        assert_frame_equal(Qrels.from_frame(given).to_frame(), QRELS.to_frame())
    unsorted = judged[::-1]
    assert_frame_equal(Qrels.from_frame(unsorted).to_frame(), QRELS.to_frame())
    with pytest.raises(InputError, match="Each item of a query must be judged once; 1 rows repeat an item"):
        Qrels.from_frame([*judged, judged[0]])


class Again:
    """An iterable that is not a collection, such as the attribute `qrels` of a dataset of ir_datasets."""

    def __init__(self, rows):
        self.rows = rows

    def __iter__(self):
        return iter(self.rows)


def test_tuples_with_an_iteration_or_with_other_names():
    trec = namedtuple("TrecQrel", "query_id doc_id relevance iteration")
    judged = [trec(query, item, grade, "0") for query, grades in GRADES.items() for item, grade in grades.items()]
    assert_frame_equal(Qrels.from_frame(judged).to_frame(), QRELS.to_frame())
    rows = list(FRAME.itertuples(index=False))
    assert RankedLists.from_frame(rows).equals(LISTS)
    assert_frame_equal(CombSUM().fit_transform(iter(rows)), CombSUM().fit_transform(LISTS))


def test_lists_from_tuples(tuples):
    _, runs = tuples
    for given in (runs, {voter: iter(run) for voter, run in runs.items()}, {v: Again(run) for v, run in runs.items()}):
        assert RankedLists.from_runs(given).equals(LISTS)
    numbered = RankedLists.from_runs(list(runs.values()))
    assert numbered.voters.tolist() == [1, 2, 3]
    assert_array_equal(numbered.score, LISTS.score)
    one = RankedLists.from_frame(iter(runs["v2"]))
    assert one.voters.tolist() == ["consensus"]
    assert_frame_equal(
        one.to_frame().drop(columns="voter"), LISTS.select(voters=["v2"]).to_frame().drop(columns="voter")
    )
    of_query = {voter: [row for row in run if row.query_id == "q1"] for voter, run in runs.items()}
    assert RankedLists.from_lists(of_query).equals(LISTS.select(queries=["q1"]))
    tied = namedtuple("ScoredDoc", "query_id doc_id score")
    ranks = RankedLists.from_frame([tied("q", "a", 1.0), tied("q", "b", 1.0), tied("q", "c", 0.5)]).rank
    assert ranks.tolist() == [1.5, 1.5, 3.0]


def test_estimators_take_tuples(tuples):
    judged, runs = tuples
    expected = LearnedWeights().fit(LISTS, qrels=QRELS)
    ways = {
        "list": lambda: LearnedWeights().fit(runs, qrels=judged),
        "y": lambda: LearnedWeights().fit(runs, judged),
        "iterator": lambda: LearnedWeights().fit(runs, qrels=iter(judged)),
        "constructor": lambda: LearnedWeights(qrels=judged).fit(runs),
        "lists of tuples": lambda: LearnedWeights().fit(LISTS, qrels=judged),
    }
    for name, fit in ways.items():
        assert_frame_equal(fit().voter_weights_, expected.voter_weights_, obj=name)
    assert_frame_equal(CombSUM().fit_transform(runs), CombSUM().fit_transform(LISTS))
    assert_frame_equal(
        CombSUM().fit(runs["v1"]).transform(runs["v1"]), CombSUM().transform(LISTS.select(voters=["v1"]))
    )
    assert_frame_equal(CombSUM().fit_transform(list(runs.values())), CombSUM().fit_transform(LISTS))
    frame = FRAME[FRAME["voter"] == "v1"].drop(columns="voter")
    assert TopK(2).fit_transform(runs["v1"])["item"].tolist() == TopK(2).fit_transform(frame)["item"].tolist()
    weighter = VoterWeighter("map").fit(runs, iter(judged))
    assert_frame_equal(weighter.voter_weights_, VoterWeighter("map").fit(LISTS, QRELS).voter_weights_)
    comparator = Comparator([("sum", CombSUM())], metrics="map", qrels=judged, with_voters=True, verbose=False)
    by_lists = Comparator([("sum", CombSUM())], metrics="map", qrels=QRELS, with_voters=True, verbose=False)
    assert_frame_equal(comparator.fit(runs).per_query_, by_lists.fit(LISTS).per_query_)
    assert comparator.score(runs, judged) == by_lists.score(LISTS)
    assert make_ranking_scorer("map", qrels=iter(judged))(CombSUM(), runs) == by_lists.score(LISTS)
    assert RankingScorer("map").score(CombSUM(), runs, judged) == by_lists.score(LISTS)
    for given in (judged, iter(judged)):
        found = cross_val_consensus(LearnedWeights(), runs, given, cv=2)
        assert_frame_equal(found, cross_val_consensus(LearnedWeights(), LISTS, QRELS, cv=2))
    assert [test.tolist() for _, test in QueryKFold(2, qrels=judged).split(LISTS)] == [[0, 1, 2], [3, 4]]


def test_measures_take_tuples(tuples):
    judged, runs = tuples
    one = LISTS.select(voters=["v1"])
    for run, qrels in ((runs["v1"], judged), (iter(runs["v1"]), iter(judged)), (runs["v1"], GRADES), (one, judged)):
        assert_array_equal(ndcg(run, qrels, k=3), ndcg(one, QRELS, k=3))
    expected = evaluate({voter: LISTS.select(voters=[voter]) for voter in RUNS}, QRELS)
    assert_frame_equal(evaluate(runs, judged), expected)
    assert_frame_equal(evaluate({voter: iter(run) for voter, run in runs.items()}, iter(judged)), expected)
    assert_frame_equal(evaluate(runs["v1"], judged), expected.iloc[:1].rename({"v1": "run"}))
    assert evaluate(list(runs.values()), judged).index.tolist() == [1, 2, 3]
    assert_frame_equal(evaluate_voters(runs, judged), evaluate_voters(LISTS, QRELS))
    assert_frame_equal(agreement_matrix(runs), agreement_matrix(LISTS))
    second = LISTS.select(voters=["v2"])
    assert_frame_equal(compare_consensus(runs["v1"], iter(runs["v2"])), compare_consensus(one, second))


def test_a_list_of_judgements_as_long_as_the_samples_is_refused():
    # Scikit-learn would split it by position, so a query would be judged by the judgements of others.
    qrel = namedtuple("Qrel", "query_id doc_id relevance")
    judged = [qrel(query, next(iter(grades)), 1) for query, grades in GRADES.items()][::-1]
    scorer = make_ranking_scorer("map", qrels=QRELS)
    with pytest.raises(InputTypeError, match=r"got list\. Wrap it: Qrels\.from_frame\(judgements\)"):
        cross_val_score(LearnedWeights(), LISTS, judged, cv=2, scoring=scorer, error_score="raise")
    with pytest.raises(InputTypeError, match=r"`qrels` must be a Qrels.*Wrap it: Qrels\.from_frame\(judgements\)"):
        LearnedWeights().fit(LISTS, qrels=judged)
    with pytest.raises(InputTypeError, match="can be read several times; got list_iterator"):
        LearnedWeights(qrels=iter(judged)).fit(LISTS)
    assert LearnedWeights().fit(LISTS, qrels=Qrels.from_frame(judged)).voter_weights_.shape == (3, 2)


def test_lists_of_tuples_are_split_by_query_only(tuples):
    _, runs = tuples
    rows, one = runs["v1"], LISTS.select(voters=["v1"])
    scorer = make_ranking_scorer("map", qrels=QRELS)
    expected = cross_val_score(CombSUM(), one, cv=QueryKFold(5), scoring=scorer, error_score="raise")
    found = cross_val_score(CombSUM(), rows, cv=QueryKFold(5), scoring=scorer, error_score="raise")
    assert found.tolist() == expected.tolist()
    with pytest.raises(InputError, match="`X` must have all rows of each query"):
        cross_val_score(CombSUM(), rows, cv=4, scoring=scorer, error_score="raise")


def test_fuse_takes_tuples(tuples):
    _, runs = tuples
    of_query = {voter: [row for row in run if row.query_id == "q2"] for voter, run in runs.items()}
    expected = fuse({voter: run["q2"] for voter, run in RUNS.items()}, CombSUM())
    assert fuse(of_query, CombSUM()) == expected
    assert fuse(list(of_query.values()), CombSUM()) == expected
    ids = {voter: [row.doc_id for row in run] for voter, run in of_query.items()}
    assert fuse(of_query, key="doc_id") == fuse(ids)  # hits of a client are ranked by their places
    with pytest.raises(InputError, match="fuse expects the lists of one query; got 5 queries"):
        fuse(runs, CombSUM())


def test_objects_of_ranx(ranx):
    runs = [ranx.Run(run, name=voter) for voter, run in RUNS.items()]
    qrels = ranx.Qrels(GRADES)
    named = {run.name: run for run in runs}
    for given in (runs, named):
        assert RankedLists.from_runs(given).equals(LISTS)
        assert_frame_equal(CombSUM().fit_transform(given), CombSUM().fit_transform(LISTS))
    assert_frame_equal(Qrels.from_dict(qrels).to_frame(), QRELS.to_frame())
    expected = LearnedWeights().fit(LISTS, qrels=QRELS).voter_weights_
    for fit in (
        lambda: LearnedWeights().fit(named, qrels=qrels),
        lambda: LearnedWeights().fit(named, qrels),
        lambda: LearnedWeights(qrels=qrels).fit(named),
    ):
        assert_frame_equal(fit().voter_weights_, expected)
    one = LISTS.select(voters=["v1"])
    assert_frame_equal(CombSUM().fit(runs[0]).transform(runs[0]), CombSUM().transform(one))
    assert_array_equal(ndcg(runs[0], qrels, k=3), ndcg(one, QRELS, k=3))
    table = evaluate({voter: LISTS.select(voters=[voter]) for voter in RUNS}, QRELS)
    for given in (runs, tuple(runs), named):
        assert_frame_equal(evaluate(given, qrels), table)
    assert_frame_equal(evaluate(runs[0], qrels), table.iloc[:1])
    assert evaluate(ranx.Run(RUNS["v1"]), qrels).index.tolist() == ["run"]
    comparator = Comparator([("sum", CombSUM())], metrics="map", qrels=qrels, verbose=False).fit(named)
    assert comparator.score(named) == make_ranking_scorer("map", qrels=qrels)(CombSUM(), LISTS)
    assert_frame_equal(compare_consensus(*runs[:2]), compare_consensus(one, LISTS.select(voters=["v2"])))
    with pytest.raises(InputError, match=r"must have different names; got \['run', 'run'\]"):
        evaluate([ranx.Run(RUNS["v1"]), ranx.Run(RUNS["v2"])], qrels)
    with pytest.raises(InputTypeError, match=r"encode dicts and lists with RankedLists\.from_runs"):
        CombSUM().fit(runs)


def test_other_objects_are_not_taken_for_rows():
    pair = namedtuple("Pair", "item score")
    assert RankedLists.from_lists({"v": [("a", 2.0), ("b", 1.0)]}).items.tolist() == ["a", "b"]
    assert RankedLists.from_lists({"v": [pair("a", 2.0), pair("b", 1.0)]}).items.tolist() == ["a", "b"]
    assert np.isclose(ndcg([["a", "b"]], [{"b"}]), 1 / np.log2(3))
    for given in (iter([1, 2]), open, object()):
        with pytest.raises(InputTypeError):
            CombSUM().fit(given)
