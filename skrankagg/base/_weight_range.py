"""Checks that list weights do not lead to numbers beyond the range of floating point."""

import numpy as np

from .._data._frames import first_row, show_id
from ..exceptions import InputError

# Weights above this, or below its inverse, may explain a score that is not finite.
_FAR = 2.0**53


def check_sums(method, lists):
    """Raise InputError if the weights of a query do not add up to a finite number."""
    if not lists.is_weighted or lists.list_weight.max() < np.finfo(np.float64).max / lists.n_lists:
        return
    with np.errstate(over="ignore"):
        total = lists.sum_over_lists(lists.list_weight)
    if not np.isfinite(total).all():
        refuse_weights(method, lists, first_row(~np.isfinite(total)))


def check_range(method, lists, score, *, far=True):
    """Raise InputError if the weights of a query make its scores infinite or NaN.

    `score`, of shape (n_candidates,), contains the scores.

    If `far` is true, the error is raised only if some weights are very large or very small. If the weights are
    ordinary, the infinite scores probably have another cause.
    """
    if not lists.is_weighted or np.isfinite(score).all():
        return
    for q in np.unique(lists.candidate_query[~np.isfinite(score)]):
        lightest, heaviest = _weights_of(lists, q)
        if heaviest > _FAR or lightest * _FAR < 1 or (not far and (lightest, heaviest) != (1, 1)):
            refuse_weights(method, lists, q)


def refuse_weights(method, lists, q):
    """Raise the InputError for a query `q` whose weights lead to numbers that do not fit into floating point."""
    lightest, heaviest = _weights_of(lists, q)
    raise InputError(
        f"Results of {method!r} must fit into floating-point numbers; query {show_id(lists.queries, q)} has too large "
        f"or too small results, because its weights are from {lightest:g} to {heaviest:g}. Choose weights closer to 1."
    )


def _weights_of(lists, q):
    """Return the smallest positive and the largest list weight of a query; return 1 and 1 if all weights are 0."""
    weight = lists.list_weight[lists.list_ptr[q] : lists.list_ptr[q + 1]]
    weight = weight[weight > 0]
    return (float(weight.min()), float(weight.max())) if len(weight) else (1.0, 1.0)
