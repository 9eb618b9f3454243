"""Combinations of scores, points and functions of the rank."""

from ._borda import *
from ._choices import *
from ._combinations import *
from ._rank_decay import *
