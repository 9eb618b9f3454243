"""Entry point of the compiled kernels: NumPy arrays in, NumPy arrays out.

::

    aggregators, metrics                     NumPy, interpreted
            |
        _kernels/majority.py, ...            converts the arrays, calls the kernel in parts, documents it
            |
        _kernels/_majority.py, ...           librt.vecs only; mypyc turns each into an extension module

A kernel takes typed vectors, which contain a copy of the array and can be compiled to plain C loops. Vectorised NumPy
operations need no kernel: a kernel is a loop that branches, or that depends on its own last step.

A kernel that Python calls takes its vectors as objects and casts them. If Python calls a compiled function with a
parameter of type ``vec``, mypyc 2.4 keeps a reference to the vector, so its memory is never freed. Functions that only
kernels call take vectors, and their names begin with an underscore.
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
