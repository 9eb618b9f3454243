"""Models that estimate a worth of each item from lists and paired comparisons."""

# tools/regenerate.py writes what follows.
from ._hodge_rank import HodgeRank
from ._plackett_luce import PlackettLuce

__all__ = ["HodgeRank", "PlackettLuce"]
