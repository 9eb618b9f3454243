"""Rules on pairwise majorities."""

from ._copeland import *
from ._cycles import *
from ._outranking import *
