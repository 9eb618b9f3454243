"""Aggregators: ranked lists in, one consensus for each query out; a module for each family."""

from ._linear import *
from ._majority import *
from ._markov import *
from ._outranking import *
from ._reciprocal import *
