"""Models of how lists come about: worths of items, estimated from lists and paired comparisons."""

from ._hodge_rank import *
from ._plackett_luce import *
