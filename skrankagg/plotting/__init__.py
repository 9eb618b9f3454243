"""Plots of comparisons: Display objects, as in scikit-learn; they need matplotlib."""

from ._comparison import *
from ._critical import *
from ._cutoffs import *
from ._heatmaps import *
from ._queries import *
from ._weight_curve import *
