"""Methods for lists of genes that differ widely in length and quality; some of the lists may have no order."""

# tools/regenerate.py writes what follows.
from ._birra import BIRRA
from ._maic import MAIC

__all__ = ["BIRRA", "MAIC"]
