"""Standard errors of log-worths, computed from the information in the lists or from the differences between lists."""

import numpy as np

from ..._data._votes import are_votes


def standard_errors(stages, lists, pattern, variables, kind, votes=None):
    """Compute standard errors of the log-worths minus the mean of their query; `kind` is "model" or "voters".

    `stages` is the likelihood of merged lists. `pattern` contains the position of each list among the merged lists; it
    is None if nothing was merged. With "voters", `votes` is True if weights are numbers of lists. With None, weights
    are numbers of lists only in queries where all weights are integers.
    """
    errors, voters = [], kind == "voters"
    squares = _weights_of_squares(lists, pattern, int(stages.list_ptr[-1]), votes) if voters else None
    scores_of_queries = stages.by_list(variables) if voters else [None] * lists.n_queries
    queries = zip(lists.query_n_items, stages.information(variables), scores_of_queries, strict=True)
    for q, (n, information, scores) in enumerate(queries):
        inverse, is_open = invert_information(information)
        if voters:
            mine = slice(stages.list_ptr[q], stages.list_ptr[q + 1])
            inverse = inverse @ (scores.T * squares[mine]) @ scores @ inverse
        # Subtract the mean of the query.
        inverse = inverse[:n, :n] - inverse[:n, :n].mean(axis=0)
        inverse = inverse - inverse.mean(axis=1)[:, None]
        errors.append(np.full(n, np.inf) if is_open else np.sqrt(np.maximum(np.diag(inverse), 0.0)))
    return np.concatenate(errors)


def invert_information(information):
    """Return the pseudo-inverse of the information, and True if some differences of log-worths are undetermined."""
    size, vectors = np.linalg.eigh(information)
    null = size <= 1e-9 * max(size[-1], np.finfo(np.float64).tiny)
    inverse = (vectors[:, ~null] / size[~null]) @ vectors[:, ~null].T
    # Multiplying all worths by a number changes no difference of log-worths. Any other null direction leaves some
    # difference undetermined.
    return inverse, bool(np.count_nonzero(null) > 1)


def _weights_of_squares(lists, pattern, n_merged, votes):
    """Return the factor of the squared derivatives of each list.

    The factor is the weight if weights are numbers of lists, and otherwise the square of the weight.
    """
    copies = are_votes(lists, votes, "Give votes=True if the weights are numbers of lists, otherwise votes=False.")
    copies = np.where(copies[lists.list_query], lists.list_weight, lists.list_weight**2)
    if pattern is None:
        return copies
    return np.bincount(pattern, weights=copies, minlength=n_merged)
