"""Sums of scores, points or reciprocal ranks."""

from ._linear import *
from ._reciprocal_rank import *
