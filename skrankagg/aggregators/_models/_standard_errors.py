"""Standard errors of log-worths, computed from the information matrix or from the differences between lists."""

import numpy as np
from scipy.sparse import csr_array

from ..._data._frames import show_id
from ..._data._list_columns import grouping
from ..._data._votes import are_votes, first_of_each_unit
from ...exceptions import InputError


def standard_errors(stages, lists, pattern, variables, kind, *, votes=None, anchor=None):
    """Compute standard errors of the log-worths, each relative to the mean or to the anchor item of its query.

    `kind` is "model", "voters" or the name of a grouping. `stages` is the likelihood of the lists after equal lists
    have been merged. `pattern` contains the position of each list among the merged lists; it is None if nothing was
    merged. `votes` is only used if `kind` is "voters". True means that a list of weight w stands for w equal lists.
    None means the same, but only in queries where all weights are integers. `anchor` contains the number of the anchor
    candidate of each query; with None, errors are relative to the mean.
    """
    errors, robust = [], kind != "model"
    pattern = np.arange(lists.n_lists) if pattern is None else pattern
    units = (_units(lists, votes) if kind == "voters" else _groups(lists, kind)) if robust else None
    scores_of_queries = stages.by_list(variables) if robust else [None] * lists.n_queries
    queries = zip(lists.query_n_items, stages.information(variables), scores_of_queries, strict=True)
    for q, (n, information, scores) in enumerate(queries):
        inverse, is_open = invert_information(information)
        if robust:
            own = slice(lists.list_ptr[q], lists.list_ptr[q + 1])
            inverse = inverse @ _squares(scores, pattern[own] - stages.list_ptr[q], *units(own)) @ inverse
        own = None if anchor is None else anchor[q] - lists.candidate_ptr[q]
        errors.append(np.full(n, np.inf) if is_open else contrast_errors(inverse[:n, :n], own))
    return np.concatenate(errors)


def contrast_errors(covariance, anchor):
    """Return the standard errors of the log-worths relative to their mean, or relative to the item `anchor`."""
    rest = covariance - (covariance.mean(axis=0) if anchor is None else covariance[anchor])
    rest = rest - (rest.mean(axis=1) if anchor is None else rest[:, anchor])[:, None]
    return np.sqrt(np.maximum(np.diag(rest), 0.0))


def invert_information(information):
    """Return the pseudo-inverse of the information matrix, and True if a difference of log-worths is undetermined."""
    size, vectors = np.linalg.eigh(information)
    null = size <= 1e-9 * max(size[-1], np.finfo(np.float64).tiny)
    inverse = (vectors[:, ~null] / size[~null]) @ vectors[:, ~null].T
    # Multiplying all worths by a number changes no difference of log-worths. Any other null direction leaves some
    # difference undetermined.
    return inverse, bool(np.count_nonzero(null) > 1)


def _units(lists, votes):
    """Return a function that finds the independent units in a slice of lists.

    The function returns the weights of the lists, a mask, the unit of each list, and a factor for the sum of squares,
    which is 1 here. The mask is True for lists whose weight is a number of votes; each vote is then a unit. The unit of
    any other list is the list itself, or the comparison that the list shares with other lists.
    """
    copies = are_votes(lists, votes, "Give votes=True if the weights are numbers of lists, otherwise votes=False.")
    unit = first_of_each_unit(lists)

    def of_query(own):
        return lists.list_weight[own], copies[own], unit[own], 1.0

    return of_query


def _groups(lists, name):
    """Return a function like the result of `_units`, but treat each group of lists as one independent unit.

    `name` is the grouping of the lists. The function's last result is a factor for the sum of squares. With G groups in
    the query, this factor is G / (G - 1), which corrects for the small number of groups.
    """
    group, _ = grouping(lists, name, "std_errors", ("model", "voters"))

    def of_query(own):
        mine = group[own][lists.list_weight[own] > 0]
        n_groups = len(np.unique(mine))
        if n_groups < 2:
            raise InputError(
                f"std_errors={name!r} needs at least two groups in each query; query "
                f"{show_id(lists.queries, lists.list_query[own.start])} has {n_groups}. Choose std_errors='voters'."
            )
        return lists.list_weight[own], np.zeros(own.stop - own.start, dtype=bool), group[own], n_groups / (n_groups - 1)

    return of_query


def _squares(scores, pattern, weight, copies, unit, factor):
    """Compute the middle matrix of a query's sandwich estimator: the sum of outer products of the units' derivatives.

    `scores` contains the derivatives of the log-likelihood, with a row for each merged list. The other arguments define
    the units, see :func:`_units`.
    """
    counted = np.bincount(pattern, weights=np.where(copies, weight, 0.0), minlength=len(scores))
    total = (scores.T * counted) @ scores
    shared = np.flatnonzero(~copies)
    if len(shared):
        _, number = np.unique(unit[shared], return_inverse=True)
        of_unit = csr_array((weight[shared], (number, pattern[shared])), shape=(number.max() + 1, len(scores))) @ scores
        total = total + factor * (of_unit.T @ of_unit)
    return total
