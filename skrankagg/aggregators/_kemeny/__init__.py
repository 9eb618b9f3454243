"""Kemeny consensus: the matrices, the searches, the proofs and the estimator.

::

    _costs              costs of orders, and lower bounds on them
    _stacks             small queries together: stacks of preferences, margins, ranks
    _components         components that every best order puts one after the other
    _search             local search among strict orders
    _budget, _worker    the time limit, and the process that solves long programmes
    _triangles          linear programmes, with rows added as they are violated
    _cuts, _branching   cuts and branching for what the triangles leave open
    _proof              one component: search and bound until they meet
    _solver             strict orders of all items
    _unique             a check for other strict orders of the same cost
    _relations          integer programmes of orders with ties
    _weak               orders with ties: search, bound, and others of the same cost
    _levels             joins the components' orders with ties into one
    _estimator          Kemeny
    _near               KwikSort and PickAPerm, which are near the optimum and cheaper
    _footrule           FootruleOptimal, the least sum of distances of places
    _local_kemenization the least repair of another method's order
"""

from ._components import *
from ._costs import *
from ._estimator import *
from ._footrule import *
from ._local_kemenization import *
from ._near import *
from ._search import *
from ._solver import *
