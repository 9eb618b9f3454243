"""Statistics on arrays: significance and size of differences, and stability of selections."""

from ._adjust import *
from ._effects import *
from ._friedman import *
from ._paired import *
from ._selection_stability import *
