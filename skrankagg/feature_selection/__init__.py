"""Feature selection by consensus: the columns of a table ranked by several estimators over several folds."""

from ._consensus_selector import *
