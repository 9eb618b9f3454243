"""Measures of relevance, from the grades of ranked items to a number for each query."""

from ._average_precision import *
from ._dcg import *
from ._precision import *
from ._ranked_relevance import *
from ._registry import *
from ._user_models import *
