"""Measures of a consensus against relevance judgements, and the registry that turns their names into functions."""

from ._evaluate import *
from ._gains import *
from ._ranks import *
from ._registry import *
from ._relevance import *
from ._sets import *
from ._users import *
