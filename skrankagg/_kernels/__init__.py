"""Compiled kernels, and the modules that call them with NumPy arrays and return NumPy arrays.

::

    aggregators, metrics                     NumPy, interpreted
            |
        _kernels/majority.py, ...            converts arrays, calls the kernel on parts of data, documents the kernel
            |
        _kernels/_majority.py, ...           uses only librt.vecs; mypyc compiles each file to an extension module

The arguments of a kernel are typed vectors, which contain copies of the arrays. Loops over typed vectors can be
compiled to plain C loops. Kernels are used for loops that branch, and for loops in which a step depends on the previous
step. Other loops are vectorised with NumPy and need no kernel.

Kernels that Python calls declare their parameters as objects and cast them to vectors. The reason is a fault of mypyc
2.4. If Python calls a compiled function with a parameter of type ``vec``, a reference to the vector is kept. The memory
of the vector is then never freed. Functions that only kernels call have parameters of type ``vec``. The names of these
functions begin with an underscore.
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
