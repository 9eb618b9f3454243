"""Agreement between rankings; no judgements are needed."""

from ._consensus_scores import *
from ._correlations import *
from ._kendall import *
from ._matrices import *
from ._overlap import *
