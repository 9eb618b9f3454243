"""Methods for lists of genes of very different lengths and quality, some without an order."""

from ._birra import *
from ._maic import *
