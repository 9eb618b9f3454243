"""Statistics of comparisons on arrays: is a difference over the same queries more than chance, and how large is it?"""

from ._adjust import *
from ._effects import *
from ._paired import *
from ._ranks import *
