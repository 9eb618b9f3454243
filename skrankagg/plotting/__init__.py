"""Plots of comparisons and of a consensus, as Display objects like scikit-learn's. The plots need matplotlib."""

# tools/regenerate.py writes what follows.
from ._coefficients import CoefficientsDisplay
from ._comparison import ComparisonDisplay
from ._contribution_bars import ContributionDisplay
from ._critical import CriticalDifferenceDisplay
from ._cutoffs import CutoffDisplay, InterpolatedPrecisionDisplay
from ._elimination import EliminationDisplay
from ._heatmaps import AgreementDisplay, VoterWeightsDisplay
from ._influence_dots import VoterInfluenceDisplay
from ._preference_map import PreferenceProbabilityDisplay
from ._queries import QueryGainDisplay
from ._rank_intervals import RankStabilityDisplay
from ._ranking_report import RankingReport, ranking_report
from ._ratings import RatingsDisplay
from ._reliability import ReliabilityDisplay
from ._weight_curve import WeightCurveDisplay

__all__ = [
    "AgreementDisplay",
    "CoefficientsDisplay",
    "ComparisonDisplay",
    "ContributionDisplay",
    "CriticalDifferenceDisplay",
    "CutoffDisplay",
    "EliminationDisplay",
    "InterpolatedPrecisionDisplay",
    "PreferenceProbabilityDisplay",
    "QueryGainDisplay",
    "RankStabilityDisplay",
    "RankingReport",
    "RatingsDisplay",
    "ReliabilityDisplay",
    "VoterInfluenceDisplay",
    "VoterWeightsDisplay",
    "WeightCurveDisplay",
    "ranking_report",
]
