"""Election rules: points by place, rounds of elimination, Bucklin's depths, Condorcet winner and Smith set."""

from ._bucklin import *
from ._positional import *
from ._sequential_elimination import *
from ._smith_set import *
