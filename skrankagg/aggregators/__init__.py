"""Aggregators: ranked lists in, one consensus for each query out; a module for each family."""

from ._agglomerative import *
from ._distance_based import *
from ._footrule import *
from ._kemeny import *
from ._linear import *
from ._local_kemenization import *
from ._majority import *
from ._majority_cycles import *
from ._markov import *
from ._near_kemeny import *
from ._outranking import *
from ._preference_relations import *
from ._rank_statistic import *
from ._reciprocal import *
from ._robust_ranks import *
