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

The names of this package are imported when one of them is first used. So ``_kernels.plain_sums``, which needs no NumPy,
can be imported without NumPy.
"""

from importlib import import_module

#: The names that each module of this package exports. The module `loading` comes first, because it imports the kernels
#: also if librt is missing.
EXPORTS = {
    "loading": ("COMPILED", "KERNELS", "stale_kernels"),
    "agglomerate": ("merge_lists",),
    "buckets": ("bucket_descent",),
    "co_ranked_pairs": ("co_ranked",),
    "coded_lists": ("code_lists",),
    "fusion": ("best_first", "gather_scores", "number_items"),
    "graded_dicts": ("grade_dicts",),
    "group_places": ("mean_places",),
    "insertion": ("insertion_descent", "insertion_rounds"),
    "inversions": ("discordant_pairs",),
    "joint": ("log_joint_probability",),
    "list_newton": ("newton_of_lists",),
    "locking": ("locked_arcs",),
    "lowest_tails": ("lowest_tails",),
    "majority": ("majority_points",),
    "majority_walks": ("majority_walks",),
    "orders": ("draw_places", "majority_insertions", "order_costs", "pivot_orders"),
    "plain_sums": ("sum_lists",),
    "running_sums": ("ragged_cumsum",),
    "subsets": ("cheapest_buckets", "cheapest_orders"),
}


def __getattr__(name):
    if name not in EXPORTS and not any(name in names for names in EXPORTS.values()):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    for module, names in EXPORTS.items():
        found = import_module(f"{__name__}.{module}")
        globals().update({one: getattr(found, one) for one in names})
    return globals()[name]
