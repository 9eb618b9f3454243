"""Statistics of normalised ranks, and their p-values."""

# tools/regenerate.py writes what follows.
from ._rank_statistic import RankStatistic
from ._robust import RobustRankAggregation

__all__ = ["RankStatistic", "RobustRankAggregation"]
