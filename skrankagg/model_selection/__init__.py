"""Comparison and selection of aggregators."""

from ._comparator import *
from ._held_out import *
from ._likelihood import *
from ._report_tables import *
from ._results import *
from ._significance import *
from ._split import *
from ._voter_split import *
from ._weight_search import *
