"""Aggregators: methods that combine the ranked lists of each query into one consensus.

Each family of methods has its own module.
"""

# tools/regenerate.py writes what follows.
from ._ballots import Bucklin, PositionalScoring, SequentialElimination, condorcet_winner, smith_set
from ._gene_lists import BIRRA, MAIC
from ._kemeny import (
    FootruleOptimal,
    Kemeny,
    KwikSort,
    LocalKemenization,
    PickAPerm,
    condorcet_components,
    kemeny_lower_bound,
    kemeny_order,
    kemeny_score,
    local_kemenization,
    mean_tau_x,
)
from ._learned import BayesFuse, LearnedWeights, ProbFuse, SegFuse, SlideFuse, StackedFusion
from ._majorities import Condorcet, Copeland, Minimax, Outranking, RankedPairs, Schulze, locked_pairs, widest_paths
from ._markov import MarkovChain, stationary_distribution
from ._models import HodgeRank, PlackettLuce
from ._order_statistics import RankStatistic, RobustRankAggregation
from ._pairwise_preferences import pairwise_preferences
from ._scores import (
    BordaCount,
    CombANZ,
    CombMAX,
    CombMED,
    CombMIN,
    CombMNZ,
    CombSUM,
    InverseSquareRank,
    RankBiasedCentroid,
    ReciprocalRankFusion,
    SimpleBorda,
)
from ._weighted import DIBRA, Agglomerative, PreferenceRelations

__all__ = [
    "BIRRA",
    "DIBRA",
    "MAIC",
    "Agglomerative",
    "BayesFuse",
    "BordaCount",
    "Bucklin",
    "CombANZ",
    "CombMAX",
    "CombMED",
    "CombMIN",
    "CombMNZ",
    "CombSUM",
    "Condorcet",
    "Copeland",
    "FootruleOptimal",
    "HodgeRank",
    "InverseSquareRank",
    "Kemeny",
    "KwikSort",
    "LearnedWeights",
    "LocalKemenization",
    "MarkovChain",
    "Minimax",
    "Outranking",
    "PickAPerm",
    "PlackettLuce",
    "PositionalScoring",
    "PreferenceRelations",
    "ProbFuse",
    "RankBiasedCentroid",
    "RankStatistic",
    "RankedPairs",
    "ReciprocalRankFusion",
    "RobustRankAggregation",
    "Schulze",
    "SegFuse",
    "SequentialElimination",
    "SimpleBorda",
    "SlideFuse",
    "StackedFusion",
    "condorcet_components",
    "condorcet_winner",
    "kemeny_lower_bound",
    "kemeny_order",
    "kemeny_score",
    "local_kemenization",
    "locked_pairs",
    "mean_tau_x",
    "pairwise_preferences",
    "smith_set",
    "stationary_distribution",
    "widest_paths",
]
