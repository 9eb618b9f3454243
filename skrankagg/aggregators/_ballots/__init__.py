"""Election rules: points by place, rounds of elimination, Bucklin's rule, Condorcet winner and Smith set."""

# tools/regenerate.py writes what follows.
from ._bucklin import Bucklin
from ._positional import PositionalScoring
from ._sequential_elimination import SequentialElimination
from ._smith_set import condorcet_winner, smith_set

__all__ = ["Bucklin", "PositionalScoring", "SequentialElimination", "condorcet_winner", "smith_set"]
