"""Models that estimate the worth of each item from ranked lists or paired comparisons."""

# tools/regenerate.py writes what follows.
from ._hodge_rank import HodgeRank
from ._plackett_luce import PlackettLuce

__all__ = ["HodgeRank", "PlackettLuce"]
