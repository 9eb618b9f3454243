"""Compare aggregators and choose among them."""

from ._comparator import *
