"""Methods that learn from relevance judgements."""

from ._learned_weights import *
from ._stacking import *
