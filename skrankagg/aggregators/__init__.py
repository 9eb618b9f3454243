"""Aggregators: ranked lists in, one consensus for each query out; one module for each family."""

from ._ballots import *
from ._gene_lists import *
from ._kemeny import *
from ._learned import *
from ._majorities import *
from ._markov import *
from ._models import *
from ._order_statistics import *
from ._pairwise_preferences import *
from ._scores import *
from ._weighted import *
