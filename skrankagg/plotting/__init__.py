"""Plots of comparisons and of a consensus: Display objects as in scikit-learn, which need matplotlib."""

from ._comparison import *
from ._contribution_bars import *
from ._critical import *
from ._cutoffs import *
from ._heatmaps import *
from ._influence_dots import *
from ._preference_map import *
from ._queries import *
from ._rank_intervals import *
from ._ranking_report import *
from ._weight_curve import *
