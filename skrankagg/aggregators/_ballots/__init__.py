"""Rules of elections: points by place, elimination round by round, depths, and what majorities say of the winner."""

from ._bucklin import *
from ._positional import *
from ._sequential_elimination import *
from ._smith_set import *
