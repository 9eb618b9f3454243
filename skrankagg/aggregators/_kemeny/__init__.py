"""Kemeny consensus: the matrices, the searches, the proofs and the estimator.

::

    _preferences        what the lists say of each pair; costs, bounds, components
    _search             local search among strict orders            } upper bounds
    _buckets            local search among orders with ties         }
    _triangles          linear programmes, rows added as they are violated
    _proof              strict orders: search and bound until they meet
    _weak               orders with ties: the same
    _estimator          Kemeny
"""

from ._estimator import *
from ._preferences import *
from ._search import *
