"""Methods for lists of genes with very different lengths and quality; some lists have no order."""

# tools/regenerate.py writes what follows.
from ._birra import BIRRA
from ._maic import MAIC

__all__ = ["BIRRA", "MAIC"]
