"""Transformers before and after an aggregator: ranked lists in, ranked lists out."""

from ._aggregator_union import *
from ._single_lists import *
from ._voter_selector import *
from ._voter_weighter import *
