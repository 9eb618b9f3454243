"""Statistics on arrays: whether a difference is chance and how large it is, and how stable a selection is."""

from ._adjust import *
from ._effects import *
from ._friedman import *
from ._paired import *
from ._selection_stability import *
