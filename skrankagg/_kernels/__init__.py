"""Entry point of the compiled kernels, whose arguments and results are NumPy arrays.

::

    aggregators, metrics                     NumPy, interpreted
            |
        _kernels/majority.py, ...            converts the arrays, calls the kernel in parts, documents it
            |
        _kernels/_majority.py, ...           librt.vecs only; mypyc turns each into an extension module

The parameters of a kernel are typed vectors, which contain a copy of the array; loops over them can be compiled to
plain C loops. Vectorised NumPy operations need no kernel. A kernel is a loop that branches, or in which a step depends
on the step before.

If Python calls a kernel, its parameters are declared as objects and cast to vectors. If Python calls a compiled
function with a parameter of type ``vec``, mypyc 2.4 keeps a reference to the vector, so its memory is never freed.
Functions that only kernels call have parameters of type ``vec``, and their names begin with an underscore.
"""

from . import loading
from .agglomerate import merge_lists
from .buckets import bucket_descent
from .co_ranked_pairs import co_ranked
from .fusion import best_first, gather_scores, number_items
from .group_places import mean_places
from .insertion import insertion_descent, insertion_rounds
from .inversions import discordant_pairs
from .joint import log_joint_probability
from .loading import COMPILED, KERNELS, stale_kernels
from .locking import locked_arcs
from .majority import majority_points
from .orders import draw_places, majority_insertions, order_costs, pivot_orders
from .running_sums import ragged_cumsum
from .subsets import cheapest_buckets, cheapest_orders
