"""Pictures of comparisons: Display objects, in scikit-learn's manner; they need matplotlib."""

from ._comparison import *
from ._cutoffs import *
