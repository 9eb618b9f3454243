"""Rules that compare items by pairwise majorities."""

# tools/regenerate.py writes what follows.
from ._copeland import Condorcet, Copeland
from ._cycles import Minimax, RankedPairs, Schulze, locked_pairs, widest_paths
from ._outranking import Outranking

__all__ = ["Condorcet", "Copeland", "Minimax", "Outranking", "RankedPairs", "Schulze", "locked_pairs", "widest_paths"]
