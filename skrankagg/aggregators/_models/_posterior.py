"""The worths that are likeliest after a prior: each item wins and loses comparisons against an item of worth 1."""

import numpy as np

from ._many_minima import minimise

__all__ = ["learn_reliabilities", "log_prior", "most_likely", "plain_prior"]

# How far a log-worth, or the logarithm of a reliability, may move in one iteration where both do.
_LARGEST_STEP = 2.0
# Rounds of learning reliabilities, and how far their logarithms may still move after the last one.
_MAX_ROUNDS, _CLOSE = 100, 1e-6


def most_likely(stages, start, *, prior, tol, max_iter):
    """Log-worths and the other variables, iterations of each query, and whether it converged; of all if joint."""
    lists = stages.lists
    n, n_queries, n_ties = lists.n_candidates, lists.n_queries, stages.seen.size
    group = np.concatenate([lists.candidate_query, stages.extra_query()])
    if stages.is_joint:
        group = np.zeros_like(group)

    def minus_log_posterior(variables):
        value, gradient = stages.value_and_gradient(variables)
        if prior:
            terms, slopes, tie_slopes = log_prior(stages, prior, *np.split(variables[: n + n_ties], [n]))
            value = value + np.bincount(lists.candidate_query, weights=terms, minlength=n_queries)
            gradient[:n] += slopes
            gradient[n : n + n_ties] += tie_slopes
        return -value.sum(keepdims=True) if stages.is_joint else -value, -gradient

    curvature = stages.n_choices()
    curvature[:n] += prior
    options = {"tol": tol, "max_iter": max_iter, "largest_step": _LARGEST_STEP if stages.learns else np.inf}
    scale = np.where(curvature > 0, curvature, 1.0)
    n_groups = 1 if stages.is_joint else n_queries
    variables, _, n_iter, converged = minimise(minus_log_posterior, start, group, n_groups, scale, **options)
    if prior == 0:
        heads, query = lists.candidate_ptr[:-1], lists.candidate_query
        variables[:n] -= (np.add.reduceat(variables[:n], heads) / lists.query_n_items)[query]
    return variables, n_iter, converged


def learn_reliabilities(stages, *, prior, tol, max_iter):
    """Variables at which reliabilities are likeliest, whatever the worths are, and whether each query converged.

    An EM algorithm: the worths are uncertain by what is known at the reliabilities so far, and in each round worths and
    reliabilities are likeliest given this uncertainty.
    """
    lists = stages.lists
    n, n_queries = lists.n_candidates, 1 if stages.is_joint else lists.n_queries
    query = np.zeros(len(stages.voter_query), dtype=np.int64) if stages.is_joint else stages.voter_query
    variables, moved = stages.start(np.zeros(n)), np.ones(lists.n_queries, dtype=bool)
    converged = np.zeros(n_queries, dtype=bool)
    for _ in range(_MAX_ROUNDS):
        half = np.tanh(variables[:n] / 2)
        stages.update_spread(variables, prior * (1 - half**2) / 2, moved)
        before = stages.log_reliabilities(variables)
        variables, _, converged = most_likely(stages, variables, prior=prior, tol=tol, max_iter=max_iter)
        change = np.zeros(n_queries)
        np.maximum.at(change, query, np.abs(stages.log_reliabilities(variables) - before))
        # A query that has come to rest is left alone, so that it does not depend on the others.
        moved &= change > _CLOSE
        if not moved.any():
            return variables, converged
    return variables, converged & ~moved[:n_queries]


def log_prior(stages, prior, log_worth, extra):
    """Of each candidate, with its derivatives by the log-worths and by the parameters of ties."""
    lists = stages.lists
    if not len(extra):
        return *plain_prior(prior, log_worth), extra
    # A comparison with the item of worth 1 may end in a tie.
    log_tie = np.where(stages.seen[:, 0], extra.reshape(stages.seen.shape)[:, 0], -np.inf)[lists.candidate_query]
    terms = np.stack([np.zeros_like(log_worth), log_worth, log_tie + log_worth / 2])
    greatest = terms.max(axis=0)
    total = np.log(np.exp(terms - greatest).sum(axis=0)) + greatest
    share, tied = np.exp(log_worth - total), np.exp(terms[2] - total)
    slopes = np.zeros(stages.seen.shape)
    slopes[:, 0] = np.bincount(lists.candidate_query, weights=-2 * prior * tied, minlength=lists.n_queries)
    return prior * log_worth - 2 * prior * total, prior - 2 * prior * (share + tied / 2), slopes.ravel()


def plain_prior(prior, log_worth):
    """Log-prior of each log-worth, where comparisons with the item of worth 1 cannot tie, and its derivative."""
    return prior * log_worth - 2 * prior * np.logaddexp(0.0, log_worth), prior * np.tanh(-log_worth / 2)
