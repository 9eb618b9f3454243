"""Diagnosis of ranked lists, and analysis of a consensus: its certainty, the influence of each list, and near ties.

:mod:`skrankagg.plotting` plots these results. :func:`~skrankagg.plotting.ranking_report` writes a report of one page.
"""

# tools/regenerate.py writes what follows.
from ._audit import audit
from ._confidence import rank_confidence
from ._contributions import voter_contributions
from ._diagnose import Diagnosis, diagnose
from ._differences import compare_consensus
from ._election_report import ElectionReport, election_report
from ._elimination_rounds import EliminationRounds, elimination_rounds
from ._estimated_cost import EstimatedCost, estimated_cost
from ._expected_gain import ExpectedGain, expected_gain
from ._influence import voter_influence
from ._items_to_judge import items_to_judge
from ._kemeny_ties import kemeny_ties
from ._margin import margin_of_victory
from ._stability import preference_probabilities, rank_stability

__all__ = [
    "Diagnosis",
    "ElectionReport",
    "EliminationRounds",
    "EstimatedCost",
    "ExpectedGain",
    "audit",
    "compare_consensus",
    "diagnose",
    "election_report",
    "elimination_rounds",
    "estimated_cost",
    "expected_gain",
    "items_to_judge",
    "kemeny_ties",
    "margin_of_victory",
    "preference_probabilities",
    "rank_confidence",
    "rank_stability",
    "voter_contributions",
    "voter_influence",
]
