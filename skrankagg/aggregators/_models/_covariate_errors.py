"""Standard errors of log-worths and of coefficients of covariates, from their joint information matrix."""

import numpy as np
from scipy.sparse import csr_array

from ..._data._frames import show_id
from ..._data._list_columns import grouping
from ..._data._votes import are_votes, first_of_each_unit
from ...exceptions import InputError
from ._standard_errors import contrast_errors, invert_information


def errors_with_covariates(rows, fit, lists, kind, *, factor, votes=None, anchor=None):
    """Compute the standard errors of log-worths and of coefficients, and the degrees of freedom.

    `rows` is a NewtonRows of the lists, and `fit` is the result of its method `fit`. `kind` is "model", "voters" or the
    name of a grouping. `factor`, of shape (n_lists,), multiplies the derivatives of the lists. Log-worths are relative
    to the mean of their query, or to the anchor of their query. The degrees of freedom of each set of coefficients are
    infinite if `kind` is "model" or "voters".
    """
    inverses, follow, covariance, is_open = _inverse(rows, fit)
    degrees = np.full(rows.n_sets, np.inf)
    squares = None
    if kind != "model":
        units, degrees = (
            (_voters(lists, votes), degrees) if kind == "voters" else _groups(lists, kind, pooled=rows.pooled)
        )
        units = units * factor[None, :]
        by_worth, by_coefficient = rows.scores(fit.log_worth, fit.coefficients)
        by_worth, by_coefficient = (units @ by_worth).tocsc(), units @ by_coefficient
        unit_query = None if rows.pooled else _query_of_units(units, lists)
        squares = by_worth, by_coefficient, unit_query
        sums = by_coefficient - by_worth @ follow
        set_of_unit = np.zeros(len(sums), dtype=np.intp) if rows.pooled else unit_query
        moves = np.einsum("up,upk->uk", sums, covariance[set_of_unit])
        covariance = np.zeros_like(covariance)
        np.add.at(covariance, set_of_unit, moves[:, :, None] * moves[:, None, :])
    worth_errors = []
    for q in range(rows.n_queries):
        own = slice(rows.candidate_ptr[q], rows.candidate_ptr[q + 1])
        inverse, change = inverses[q], follow[own]
        whole = inverse if squares is None else _of_query(squares, moves, own, q, inverse, change)
        whole = whole + change @ covariance[0 if rows.pooled else q] @ change.T
        at = None if anchor is None else anchor[q] - own.start
        n = own.stop - own.start
        worth_errors.append(np.full(n, np.inf) if is_open[q] else contrast_errors(whole, at))
    variances = np.einsum("skk->sk", covariance)
    return np.concatenate(worth_errors), np.sqrt(np.maximum(variances, 0.0)), degrees


def _inverse(rows, fit):
    """Invert the joint information matrix of the log-worths and the coefficients.

    There are four results. The first contains the inverse of the information matrix of each query's log-worths. The
    second, of shape (n_candidates, P), is the change of the log-worths if one of the coefficients increases by 1. The
    third contains the covariance of the coefficients of each set. The fourth is a mask of the queries in which some
    differences of log-worths are undetermined.
    """
    number = rows.n_covariates
    inverses, is_open = [], np.zeros(rows.n_queries, dtype=bool)
    follow, rest = np.empty((rows.n_candidates, number)), np.zeros((rows.n_sets, number, number))
    for q, information in enumerate(rows.information(fit.log_worth, fit.coefficients)):
        n = len(information) - number
        inverse, is_open[q] = invert_information(information[:n, :n])
        change = inverse @ information[:n, n:]
        follow[rows.candidate_ptr[q] : rows.candidate_ptr[q + 1]] = change
        rest[0 if rows.pooled else q] += information[n:, n:] - information[n:, :n] @ change
        inverses.append(inverse)
    # Scale the matrix before the inversion, because covariates may have very different sizes.
    size = np.sqrt(np.maximum(np.einsum("skk->sk", rest), np.finfo(np.float64).tiny))
    covariance = np.linalg.pinv(rest / size[:, :, None] / size[:, None, :], hermitian=True)
    return inverses, follow, covariance / size[:, :, None] / size[:, None, :], is_open


def _of_query(squares, moves, own, q, inverse, change):
    """Compute the robust covariance of a query's log-worths, without the uncertainty of the coefficients."""
    by_worth, _, unit_query = squares
    scores = by_worth[:, own.start : own.stop].tocsr()
    if unit_query is not None:
        chosen = np.flatnonzero(unit_query == q)
        scores, moves = scores[chosen], moves[chosen]
    crossed = inverse @ (scores.T @ moves) @ change.T
    return inverse @ (scores.T @ scores).toarray() @ inverse - crossed - crossed.T


def _voters(lists, votes):
    """Return a sparse matrix of shape (n_units, n_lists) that sums derivatives over the lists of each unit.

    A unit is a list, or a comparison that consists of several lists. The derivatives of a list are multiplied by its
    weight w. If the weight is a number of votes, they are multiplied by the square root of w instead, so that their
    squares are multiplied by w.
    """
    copies = are_votes(lists, votes, "Give votes=True if the weights are numbers of lists, otherwise votes=False.")
    unit, weight = first_of_each_unit(lists), lists.list_weight
    return _matrix(unit, np.where(copies, np.sqrt(weight), weight))


def _groups(lists, name, *, pooled):
    """Return a matrix that sums derivatives over the lists of each group, and degrees of freedom.

    `name` is the name of the grouping; without `pooled`, each query has its own groups. The derivatives of a list are
    multiplied by its weight, and by a factor that corrects for a small number of groups. The second result contains the
    degrees of freedom of the coefficients: the number of groups minus 1, for each query or for all queries together.
    """
    group, _ = grouping(lists, name, "std_errors", ("model", "voters"))
    place = np.zeros(lists.n_lists, dtype=np.int64) if pooled else lists.list_query
    counted = lists.list_weight > 0
    code = place * (int(group.max()) + 1) + group
    _, first = np.unique(code[counted], return_index=True)
    n_groups = np.bincount(place[counted][first], minlength=1 if pooled else lists.n_queries)
    if (n_groups < 2).any():
        q = int(np.argmax(n_groups < 2))
        where = "" if pooled else f" in each query; query {show_id(lists.queries, q)} has {n_groups[q]}"
        raise InputError(
            f"std_errors={name!r} needs at least two groups{where or f'; got {n_groups[0]}'}. Choose "
            "std_errors='voters'."
        )
    factor = np.sqrt(n_groups / (n_groups - 1.0))
    return _matrix(code, lists.list_weight * factor[place]), n_groups - 1.0


def _matrix(unit, value):
    _, number = np.unique(unit, return_inverse=True)
    n = len(unit)
    return csr_array((value, (number, np.arange(n))), shape=(int(number.max()) + 1, n))


def _query_of_units(units, lists):
    """Return the query of each unit.

    A unit is a set of lists, given by a row of the matrix `units`. All lists of a unit must belong to one query.
    """
    query = np.empty(units.shape[0], dtype=np.intp)
    entries = units.tocoo()
    query[entries.row] = lists.list_query[entries.col]
    return query
