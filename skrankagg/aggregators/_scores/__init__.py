"""Sums of scores, points or reciprocal ranks."""

from ._borda import *
from ._combinations import *
from ._reciprocal_rank import *
