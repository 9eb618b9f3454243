"""Standard errors of log-worths, from the information in the lists or from how much the lists differ."""

import numpy as np

__all__ = ["invert_information", "standard_errors"]


def standard_errors(stages, lists, pattern, variables, kind):
    """Standard errors of the log-worths less the mean of their query, (n_candidates,), by `kind`, "model" or "voters".

    `stages` are of lists that each of `lists` has become one of, its place being in `pattern`, or itself for None.
    """
    errors, squares = [], _weights_of_squares(lists.list_weight, pattern, int(stages.list_ptr[-1]))
    voters = kind == "voters"
    scores_of_queries = stages.by_list(variables) if voters else [None] * lists.n_queries
    queries = zip(lists.query_n_items, stages.information(variables), scores_of_queries, strict=True)
    for q, (n, information, scores) in enumerate(queries):
        inverse, is_open = invert_information(information)
        if voters:
            mine = slice(stages.list_ptr[q], stages.list_ptr[q + 1])
            inverse = inverse @ (scores.T * squares[mine]) @ scores @ inverse
        # The contrast to the mean of the query.
        inverse = inverse[:n, :n] - inverse[:n, :n].mean(axis=0)
        inverse = inverse - inverse.mean(axis=1)[:, None]
        errors.append(np.full(n, np.inf) if is_open else np.sqrt(np.maximum(np.diag(inverse), 0.0)))
    return np.concatenate(errors)


def invert_information(information):
    """Pseudo-inverse of the information, and whether it leaves contrasts of worths open."""
    size, vectors = np.linalg.eigh(information)
    null = size <= 1e-9 * max(size[-1], np.finfo(np.float64).tiny)
    inverse = (vectors[:, ~null] / size[~null]) @ vectors[:, ~null].T
    # All worths may be multiplied by a number, which changes no contrast; any other direction leaves one open.
    return inverse, bool(np.count_nonzero(null) > 1)


def _weights_of_squares(weight, pattern, n_merged):
    """What the square of the derivatives of a list counts: whole weights are copies, others are factors."""
    copies = weight if (weight % 1 == 0).all() else weight**2
    if pattern is None:
        return copies
    return np.bincount(pattern, weights=copies, minlength=n_merged)
