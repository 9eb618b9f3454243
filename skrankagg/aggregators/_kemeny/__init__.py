"""Kemeny consensus: estimators, searches for the best order, and proofs that it is optimal.

::

    _costs               costs of orders, and lower bounds on these costs
    _stacks              preferences, margins and ranks of several small queries in one array
    _components          groups of items that stay together in every best order
    _search              local search among strict orders
    _budget, _worker     the time limit, and the process that solves long programmes
    _triangles           linear programmes that forbid cycles of three items (triangles)
    _cuts, _branching    more rows (cuts) and branching, used if triangles do not prove the optimum
    _proof               search and proof of one component
    _solver              strict orders of all items
    _unique              check whether other strict orders have the same cost
    _relations           integer programmes of orders with ties
    _weak                search and proof of orders with ties
    _levels              joins the components' orders with ties into one order
    _estimator           the estimator Kemeny and its report
    _approximations      KwikSort and PickAPerm, which are cheaper and near the optimum
    _footrule            FootruleOptimal, which minimises the total distance to the ranks in the lists
    _local_kemenization  repair of another method's order with the least change
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
