"""Models of how lists come about: worths of items, estimated from lists and paired comparisons."""

from ._plackett_luce import *
