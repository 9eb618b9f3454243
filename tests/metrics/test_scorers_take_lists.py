"""Scorers accept frames, RankedLists and dicts, and reject lists, whose elements are not samples."""

import re

import pytest

from skrankagg import Comparator, Copeland, Qrels, RankedLists
from skrankagg.datasets import make_ranked_lists
from skrankagg.exceptions import InputError, InputTypeError
from skrankagg.metrics import ConsensusScorer, RankingScorer, make_ranking_scorer

FRAME, QRELS, _ = make_ranked_lists(n_queries=3, n_voters=3, random_state=0)
QRELS = Qrels.from_frame(QRELS)
LISTS = RankedLists.from_frame(FRAME)
RUNS = LISTS.to_runs()
DICTS = {
    "runs": RUNS,
    "runs of frames": {voter: run.drop(columns="voter") for voter, run in FRAME.groupby("voter")},
}
PLAIN = {
    "rankings": [["a", "b"], ["b", "a"]],
    "tuple": (["a", "b"], ["b", "a"]),
    "scores": [{"a": 1.0}, {"b": 2.0}],
    "runs in a list": list(RUNS.values()),
}
FITTED = Copeland().fit(LISTS)
COMPARATOR = Comparator([("copeland", Copeland())], qrels=QRELS).fit(LISTS)
SCORERS = {
    "RankingScorer": lambda X: RankingScorer("map", qrels=QRELS)(FITTED, X),
    "several measures": lambda X: RankingScorer(["map", "mrr"], qrels=QRELS).score(FITTED, X),
    "make_ranking_scorer": lambda X: make_ranking_scorer("map", qrels=QRELS)(FITTED, X),
    "with y": lambda X: make_ranking_scorer("map")(FITTED, X, QRELS),
    "ConsensusScorer": lambda X: ConsensusScorer()(FITTED, X),
    "Comparator.score": lambda X: COMPARATOR.score(X),
}


@pytest.mark.parametrize("kind", PLAIN)
@pytest.mark.parametrize("scorer", SCORERS)
def test_scorers_reject_lists(scorer, kind):
    with pytest.raises(InputTypeError) as caught:
        SCORERS[scorer](PLAIN[kind])
    message = " ".join(str(caught.value).split())
    assert re.fullmatch(
        r"The input of RankedLists\.from_frame must be a data frame .*; got [\w.]+; encode dicts and lists with "
        r"RankedLists\.from_runs or from_lists\.",
        message,
    )


@pytest.mark.parametrize("scorer", SCORERS)
def test_scorers_accept_frames_dicts_and_ranked_lists(scorer):
    for given in (FRAME, *DICTS.values()):
        assert SCORERS[scorer](given) == SCORERS[scorer](LISTS)
    with pytest.raises(InputError, match="must have at least one voter; got none"):
        SCORERS[scorer]({})


def test_scorers_reject_lists_before_aggregating():
    class Counting:
        calls = 0

        def transform(self, X):
            self.calls += 1

    estimator = Counting()
    for scorer in (ConsensusScorer(), RankingScorer("map", qrels=QRELS)):
        with pytest.raises(InputTypeError):
            scorer(estimator, list(RUNS.values()))
    assert estimator.calls == 0
