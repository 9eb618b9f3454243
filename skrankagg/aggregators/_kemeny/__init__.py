"""Kemeny consensus: the matrices, the searches, the proofs and the estimator.

::

    _costs              costs of orders, and lower bounds on them _stacks             small queries together: stacks of
    preferences, margins, ranks _components         components that every best order puts one after the other _search
    local search among strict orders _budget, _worker    the time limit, and the process that solves long programmes
    _triangles          linear programmes, with rows added as they are violated _cuts, _branching cuts and branching
    where the triangles do not prove the optimum _proof              one component: search and bound until they meet
    _solver             strict orders of all items _unique check whether other strict orders have the same cost
    _relations          integer programmes of orders with ties _weak               orders with ties: search, bound, and
    others of the same cost _levels             joins the components' orders with ties into one _estimator Kemeny
    _approximations     KwikSort and PickAPerm, which are near the optimum and cheaper _footrule FootruleOptimal, the
    least sum of distances of places _local_kemenization the least repair of another method's order
"""

# tools/regenerate.py writes what follows.
from ._approximations import KwikSort, PickAPerm
from ._components import condorcet_components
from ._costs import kemeny_lower_bound, kemeny_score, mean_tau_x
from ._estimator import Kemeny
from ._footrule import FootruleOptimal
from ._local_kemenization import LocalKemenization
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
