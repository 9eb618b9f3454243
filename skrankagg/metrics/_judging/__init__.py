"""Evaluation of estimators, voters and runs against judgements."""

# tools/regenerate.py writes what follows.
from ._evaluate import evaluate
from ._evaluate_voters import evaluate_voters
from ._scorer import RankingScorer, make_ranking_scorer

__all__ = ["RankingScorer", "evaluate", "evaluate_voters", "make_ranking_scorer"]
