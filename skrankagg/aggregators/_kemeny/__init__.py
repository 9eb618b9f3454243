"""Kemeny consensus: the matrices, the searches, the proofs and the estimator.

::

    _costs              what an order costs, and what no order can save
    _stacks             small queries together: stacks of preferences, margins, ranks
    _components         the parts that every best order puts one after the other
    _search             local search among strict orders
    _budget, _worker    the time limit, and the process in which long programmes are solved
    _triangles          linear programmes, rows added as they are violated
    _cuts, _branching   what proves the rest
    _proof              one component: search and bound until they meet
    _solver             strict orders of all items
    _unique             whether another strict order costs as little
    _relations          integer programmes of orders with ties
    _weak               orders with ties: search, bound, and others of the same cost
    _levels             how orders with ties of the components make one
    _estimator          Kemeny
    _near               KwikSort and PickAPerm, which are near the optimum and cheaper
    _footrule           FootruleOptimal, the least sum of distances of places
    _local_kemenization the least repair of another method's order
"""

# tools/regenerate.py writes what follows.
from ._components import condorcet_components
from ._costs import kemeny_lower_bound, kemeny_score, mean_tau_x
from ._estimator import Kemeny
from ._footrule import FootruleOptimal
from ._local_kemenization import LocalKemenization
from ._near import KwikSort, PickAPerm
from ._search import local_kemenization
from ._solver import kemeny_order

__all__ = [
    "FootruleOptimal",
    "Kemeny",
    "KwikSort",
    "LocalKemenization",
    "PickAPerm",
    "condorcet_components",
    "kemeny_lower_bound",
    "kemeny_order",
    "kemeny_score",
    "local_kemenization",
    "mean_tau_x",
]
