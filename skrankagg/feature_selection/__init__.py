"""Feature selection by consensus: several estimators rank the columns of a table over several folds."""

# tools/regenerate.py writes what follows.
from ._consensus_selector import ConsensusSelector

__all__ = ["ConsensusSelector"]
