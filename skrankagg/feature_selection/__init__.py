"""Feature selection by consensus: several estimators rank the columns of a table over several folds."""

from ._consensus_selector import *
