"""Most likely log-worths of small queries under the Plackett-Luce model."""

import numpy as np

from . import _list_newton
from .loading import as_vf, as_vi, blocks

# Expected number of Newton steps, used to estimate the time of a block.
_STEPS = 10


def newton_of_lists(
    queries, list_ptr, row_ptr, candidate, candidate_ptr, list_weight, below, start, *, prior, tol, max_iter
):
    """Find the log-worths with the highest posterior for some queries; their lists must not contain ties.

    A log-worth is the logarithm of a candidate's worth, which is its strength in the Plackett-Luce model. `queries`
    contains the numbers of the queries. `list_ptr`, of shape (n_queries + 1,), delimits the lists of each query.
    `row_ptr`, of shape (n_lists + 1,), delimits the rows of each list, best first, and `candidate`, of shape (n_rows,),
    contains the candidate of each row. `candidate_ptr`, of shape (n_queries + 1,), delimits the candidates of each
    query. `list_weight`, of shape (n_lists,), contains the weights of the lists; lists of weight 0 are ignored.
    `below`, of shape (n_lists,), marks the lists that rank absent items last. `start`, of shape (n_candidates,),
    contains the log-worths from which the iteration starts. The other arguments are the parameters of PlackettLuce.

    Returns three arrays. The first contains the log-worths of the candidates of the chosen queries, one query after the
    other. The second contains the number of steps of each chosen query. The third is a mask of the chosen queries. It
    is False if the equations of a step have no solution in floating point, or if 100 steps or `max_iter` steps are not
    enough.
    """
    arrays = (
        as_vi(list_ptr),
        as_vi(row_ptr),
        as_vi(candidate),
        as_vi(candidate_ptr),
        as_vf(list_weight),
        as_vi(below),
        as_vf(start),
    )
    n_items = np.diff(candidate_ptr)[queries].astype(np.float64)
    work = _STEPS * n_items**2 * (n_items + np.diff(list_ptr)[queries])
    found = [
        _list_newton.newton_of_lists(as_vi(queries[first:last]), *arrays, prior, tol, max_iter)
        for first, last in blocks(np.cumsum(work))
    ]
    log_worth, n_iter, converged = (
        np.concatenate([np.asarray(one) for one in part]) for part in zip(*found, strict=True)
    )
    return log_worth, n_iter, converged != 0
