"""Rank aggregation for scikit-learn."""

__version__ = "0.1.0"

from ._lists import RankedLists
from ._qrels import EncodedQrels, Qrels
from .aggregators import *
from .metrics import evaluate
from .model_selection import Comparator
