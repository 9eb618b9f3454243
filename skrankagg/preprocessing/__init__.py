"""Steps before and after an aggregator: ranked lists in, ranked lists out."""

from ._base import *
from ._lists import *
from ._union import *
from ._voters import *
