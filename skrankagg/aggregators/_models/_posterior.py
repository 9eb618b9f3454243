"""Maximum a posteriori estimates of the worths.

The prior gives each item a number of wins, and the same number of losses, against an invented item of worth 1.
"""

import numpy as np

from ._list_fits import fit_small_queries
from ._many_minima import minimise
from ._pair_newton import fit_boards


def most_likely(stages, start, *, prior, tol, max_iter):
    """Maximise the posterior of each query.

    Returns the most likely variables, the number of iterations of each query, and a mask of the converged queries. The
    variables are the log-worths, followed by the tie parameters.
    """
    lists = stages.lists
    n, n_queries = lists.n_candidates, lists.n_queries
    options = {"tol": tol, "max_iter": max_iter}
    fitted = fit_boards(stages, start, prior=prior, **options)
    variables, n_iter, converged = fit_small_queries(stages, fitted, prior=prior, **options)
    if converged.all():
        return _centred(lists, variables, prior), n_iter, converged
    group = np.concatenate([lists.candidate_query, stages.extra_query()])

    def narrow(queries):
        return _minus_log_posterior(stages.take(queries), prior)

    curvature = stages.n_choices()
    curvature[:n] += prior
    scale = np.where(curvature > 0, curvature, 1.0)
    variables, _, more, converged = minimise(
        _minus_log_posterior(stages, prior),
        variables,
        group,
        n_queries,
        scale,
        converged=converged,
        narrow=narrow if hasattr(stages, "take") else None,
        **options,
    )
    return _centred(lists, variables, prior), np.where(more > 0, more, n_iter), converged


def _minus_log_posterior(stages, prior):
    """Return a function that computes the log-posterior of each query, multiplied by -1, and its gradient.

    The argument of the function contains the log-worths, followed by the tie parameters.
    """
    lists = stages.lists
    n = lists.n_candidates

    def minus_log_posterior(variables):
        value, gradient = stages.value_and_gradient(variables)
        if prior:
            terms, slopes, tie_slopes = log_prior(stages, prior, *np.split(variables, [n]))
            value = value + np.bincount(lists.candidate_query, weights=terms, minlength=lists.n_queries)
            gradient[:n] += slopes
            gradient[n:] += tie_slopes
        return -value, -gradient

    return minus_log_posterior


def _centred(lists, variables, prior):
    """Shift the log-worths of each query to the mean 0 if there is no prior; return the changed `variables`.

    `variables` contains the log-worths, followed by the tie parameters, which stay the same.
    """
    if prior == 0:
        n, heads, query = lists.n_candidates, lists.candidate_ptr[:-1], lists.candidate_query
        variables[:n] -= (np.add.reduceat(variables[:n], heads) / lists.query_n_items)[query]
    return variables


def log_prior(stages, prior, log_worth, extra):
    """Return each candidate's log prior, and its derivatives with respect to the log-worths and the tie parameters.

    `extra` contains the tie parameters of all queries; it is empty if the model has no tie parameters.
    """
    lists = stages.lists
    plain_value, plain_slope = plain_prior(prior, log_worth)
    if not len(extra):
        return plain_value, plain_slope, extra
    # A comparison with the item of worth 1 may end in a tie.
    log_tie = np.where(stages.seen[:, 0], extra.reshape(stages.seen.shape)[:, 0], -np.inf)[lists.candidate_query]
    terms = np.stack([np.zeros_like(log_worth), log_worth, log_tie + log_worth / 2])
    greatest = terms.max(axis=0)
    total = np.log(np.exp(terms - greatest).sum(axis=0)) + greatest
    share, tied = np.exp(log_worth - total), np.exp(terms[2] - total)
    slopes = np.zeros(stages.seen.shape)
    slopes[:, 0] = np.bincount(lists.candidate_query, weights=-2 * prior * tied, minlength=lists.n_queries)
    # A query without ties has the same prior, to the last bit, as if it were alone.
    ties = stages.seen.any(axis=1)[lists.candidate_query]
    value = np.where(ties, prior * log_worth - 2 * prior * total, plain_value)
    return value, np.where(ties, prior - 2 * prior * (share + tied / 2), plain_slope), slopes.ravel()


def plain_prior(prior, log_worth):
    """Return the log prior of each log-worth, and its derivative, for a model without ties.

    The prior counts as `prior` additional wins and losses of each item against an imaginary item of worth 1.
    """
    return prior * log_worth - 2 * prior * np.logaddexp(0.0, log_worth), prior * np.tanh(-log_worth / 2)


def plain_curvature(prior, log_worth):
    """Return the second derivative of the log prior in `plain_prior`, multiplied by -1."""
    return prior * (1 - np.tanh(log_worth / 2) ** 2) / 2
