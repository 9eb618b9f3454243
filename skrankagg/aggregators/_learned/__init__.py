"""Methods that learn from relevance judgements."""

# tools/regenerate.py writes what follows.
from ._bayes_fuse import BayesFuse
from ._learned_weights import LearnedWeights
from ._position_fusion import ProbFuse, SegFuse, SlideFuse
from ._stacking import StackedFusion

__all__ = ["BayesFuse", "LearnedWeights", "ProbFuse", "SegFuse", "SlideFuse", "StackedFusion"]
