"""Measures of a consensus against relevance judgements, and the registry that turns their names into functions."""

from ._evaluate import *
from ._measures import *
from ._registry import *
from ._relevance import *
