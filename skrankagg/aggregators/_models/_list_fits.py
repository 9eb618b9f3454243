"""Fit the log-worths of small queries by Newton's method in a compiled kernel."""

import numpy as np

from ..._arrays._ragged import gather_ranges
from ..._kernels import COMPILED, newton_of_lists

# A step of the kernel solves n_items equations. For queries with more items, L-BFGS takes less time.
_MOST_ITEMS = 48
# As plain Python, the kernel is slower than L-BFGS.
_HAS_KERNEL = COMPILED


def fit_small_queries(stages, fitted, **options):
    """Fit the queries that are small and have no ties, unless an earlier method has already fitted them.

    `stages` is the likelihood. `fitted` contains three results of the earlier method: the variables, the number of
    iterations of each query, and a mask of the fitted queries. Returns the same three results after this fit. The
    variables of queries that do not converge stay the same. `options` contains the prior, `tol` and `max_iter`.
    """
    variables, n_iter, converged = fitted
    if not (_HAS_KERNEL and stages.is_plain):
        return fitted
    lists = stages.lists
    chosen = (lists.query_n_items <= _MOST_ITEMS) & ~converged
    if not stages.is_strict:
        tied = (lists.rank[1:] == lists.rank[:-1]) & (lists.row_list[1:] == lists.row_list[:-1])
        chosen[lists.list_query[lists.row_list[1:][tied]]] = False
    queries = np.flatnonzero(chosen)
    if not len(queries):
        return fitted
    log_worth, steps, done = newton_of_lists(
        queries,
        lists.list_ptr,
        lists.row_ptr,
        lists.candidate,
        lists.candidate_ptr,
        stages.weight[lists.row_ptr[:-1]],
        stages.below,
        variables,
        **options,
    )
    own, ptr = gather_ranges(lists.candidate_ptr, queries)
    own_done = np.repeat(done, np.diff(ptr))
    variables[own[own_done]] = log_worth[own_done]
    n_iter[queries], converged[queries] = steps, done
    return variables, n_iter, converged
