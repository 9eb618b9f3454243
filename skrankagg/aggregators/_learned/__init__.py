"""Methods that learn from relevance judgements."""

# tools/regenerate.py writes what follows.
from ._bayes_fuse import BayesFuse
from ._learned_weights import LearnedWeights
from ._position_fusion import ProbFuse, SegFuse, SlideFuse
from ._position_tables import CellSums, LearnsFromPositions, tie_means
from ._stacking import StackedFusion

__all__ = [
    "BayesFuse",
    "CellSums",
    "LearnedWeights",
    "LearnsFromPositions",
    "ProbFuse",
    "SegFuse",
    "SlideFuse",
    "StackedFusion",
    "tie_means",
]
