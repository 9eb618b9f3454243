"""Methods for lists of genes: of very different lengths and quality, and some without an order."""

from ._birra import *
from ._maic import *
