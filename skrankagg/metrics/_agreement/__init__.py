"""Agreement between rankings, which needs no judgements."""

from ._consensus_scores import *
from ._correlations import *
from ._kendall import *
from ._matrices import *
from ._overlap import *
