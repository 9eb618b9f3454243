"""Feature selection by a consensus of several estimators that rank the columns of a table on several folds."""

# tools/regenerate.py writes what follows.
from ._consensus_selector import ConsensusSelector

__all__ = ["ConsensusSelector"]
