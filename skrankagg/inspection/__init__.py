"""How sure a consensus is, and who made it: resampled voters, shares of the score, influence, near ties.

Plots of it, and a report on one page, :func:`~skrankagg.plotting.ranking_report`, are in :mod:`skrankagg.plotting`.
"""

from ._confidence import *
from ._contributions import *
from ._differences import *
from ._influence import *
from ._kemeny_ties import *
from ._margin import *
from ._stability import *
