"""Feature selection by consensus: the columns of a table ranked by several estimators over several folds."""

# tools/regenerate.py writes what follows.
from ._consensus_selector import ConsensusSelector

__all__ = ["ConsensusSelector"]
