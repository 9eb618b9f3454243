"""Measures of a consensus, agreement between rankings, registries of both by name, and scorers for scikit-learn."""

from ._agreement import *
from ._judging import *
from ._relevance import *
