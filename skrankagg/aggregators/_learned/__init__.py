"""Methods that learn from relevance judgements."""

from ._stacking import *
