"""Methods for lists of genes of very different lengths and quality, some without an order."""

# tools/regenerate.py writes what follows.
from ._birra import BIRRA
from ._maic import MAIC

__all__ = ["BIRRA", "MAIC"]
