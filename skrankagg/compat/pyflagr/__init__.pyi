# tools/regenerate.py writes this file, but for imports of single names out of packages.
from . import RRA, Comparator, Kemeny, Linear, Majoritarian, MarkovChains, Weighted
from ._quirks import QUIRKS
from ._tables import flagr_metrics, flagr_table

__all__ = [
    "QUIRKS",
    "RRA",
    "Comparator",
    "Kemeny",
    "Linear",
    "Majoritarian",
    "MarkovChains",
    "Weighted",
    "flagr_metrics",
    "flagr_table",
]
