"""Measures of a consensus, agreement between rankings, their registries by name, and scorers for scikit-learn."""

from ._agreement import *
from ._consensus import *
from ._correlations import *
from ._evaluate import *
from ._gains import *
from ._matrices import *
from ._overlap import *
from ._ranks import *
from ._registry import *
from ._relevance import *
from ._scorer import *
from ._sets import *
from ._users import *
from ._voters import *
