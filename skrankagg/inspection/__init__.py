"""Certainty and origin of a consensus: resampled voters, shares of the score, influence, near ties.

:mod:`skrankagg.plotting` has plots of these, and a report on one page, :func:`~skrankagg.plotting.ranking_report`.
"""

from ._confidence import *
from ._contributions import *
from ._differences import *
from ._influence import *
from ._kemeny_ties import *
from ._margin import *
from ._stability import *
