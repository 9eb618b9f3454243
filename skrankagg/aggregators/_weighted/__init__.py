"""Methods that learn from the lists how far to trust each voter."""

from ._agglomerative import *
from ._dibra import *
from ._preference_relations import *
