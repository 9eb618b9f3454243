"""Compare aggregators and choose among them."""

from ._comparator import *
from ._compare import *
from ._results import *
from ._split import *
from ._tables import *
