"""Statistics of normalised ranks, and their p-values."""

from ._rank_statistic import *
from ._robust import *
