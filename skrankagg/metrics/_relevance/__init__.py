"""Measures of relevance, from the grades of ranked items to a number for each query."""

from ._average_precision import *
from ._counts import *
from ._dcg import *
from ._incomplete import *
from ._interpolated import *
from ._precision import *
from ._r_precision import *
from ._registry import *
from ._user_models import *
