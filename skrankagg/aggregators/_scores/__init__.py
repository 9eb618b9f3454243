"""Aggregators that sum or combine scores, points or functions of the rank."""

# tools/regenerate.py writes what follows.
from ._borda import BordaCount, SimpleBorda
from ._comb_extremes import CombMAX, CombMED, CombMIN
from ._combinations import CombANZ, CombMNZ, CombSUM
from ._rank_decay import InverseSquareRank, RankBiasedCentroid, ReciprocalRankFusion

__all__ = [
    "BordaCount",
    "CombANZ",
    "CombMAX",
    "CombMED",
    "CombMIN",
    "CombMNZ",
    "CombSUM",
    "InverseSquareRank",
    "RankBiasedCentroid",
    "ReciprocalRankFusion",
    "SimpleBorda",
]
