"""Methods that learn from relevance judgements."""

from ._bayes_fuse import *
from ._learned_weights import *
from ._position_fusion import *
from ._stacking import *
