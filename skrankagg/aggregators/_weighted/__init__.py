"""Methods that learn from the lists how far to trust each voter."""

# tools/regenerate.py writes what follows.
from ._agglomerative import Agglomerative
from ._dibra import DIBRA
from ._preference_relations import PreferenceRelations

__all__ = ["DIBRA", "Agglomerative", "PreferenceRelations"]
