"""Measures of a consensus against relevance judgements, their registry by name, and scorers that stand in "
"scikit-learn.
"""

from ._evaluate import *
from ._measures import *
from ._registry import *
from ._relevance import *
from ._scorer import *
from ._voters import *
