"""Statistics of comparisons on arrays: whether a difference over the same queries is chance, and how large it is."""

from ._adjust import *
from ._effects import *
from ._friedman import *
from ._paired import *
