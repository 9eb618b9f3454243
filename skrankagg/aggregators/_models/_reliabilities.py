"""Reliabilities of voters, learnt together with the worths by an EM algorithm.

The algorithm alternates between two steps. The first finds the most likely worths at the current reliabilities. The
second finds the most likely reliabilities, and treats the worths as uncertain: each worth has a variance. Without this
variance, the worths of each query would fit the lists of the query too well. With many short queries, the best solution
would then follow one voter in all queries.
"""

import numpy as np

from ._many_minima import minimise
from ._posterior import most_likely, plain_curvature

# Largest number of rounds. The rounds end when no log-reliability changes by more than _CLOSE.
_MAX_ROUNDS, _CLOSE = 200, 1e-6
# Largest change of a log-reliability in one iteration of a round.
_LARGEST_STEP = 2.0


class VoterPosterior:
    """Posterior distribution of the voters' reliabilities, given the worths.

    All reliabilities are relative to their mean.

    Parameters
    ----------
    stages : ReliableStages
        The likelihood of the lists.
    shape : float
        Shape of the gamma distribution of the reliabilities.
    size : ndarray of shape (n_lists,)
        Number of voters that each list's voter counts as. Each of these voters has the gamma prior. 0 means that the
        list is ignored.
    of_query : bool
        True if a voter has a separate reliability in each query; False if a voter has one reliability for all queries.
    """

    def __init__(self, stages, shape, size, *, of_query):
        self.stages = stages
        n_cells = len(stages.cell_query)
        #: Index of the voter of each cell, which contains the lists of one voter in one query. With `of_query`, a voter
        #: has another index in each query.
        self.place = np.arange(n_cells) if of_query else stages.cell_voter
        self.group = stages.cell_query if of_query else np.zeros(int(self.place.max()) + 1, dtype=np.int64)
        self.n_groups = stages.lists.n_queries if of_query else 1
        of_list = self.place[stages.cell_of_lists()]
        total = np.bincount(of_list, weights=size, minlength=len(self.group))
        size = total / np.bincount(of_list, minlength=len(self.group))
        self.strength = shape * size
        per_group = np.bincount(self.group, weights=size, minlength=self.n_groups)[self.group]
        #: Share of each voter in the mean reliability.
        self.share = np.divide(size, per_group, out=np.zeros(len(size)), where=per_group > 0)
        self.spread = np.zeros(n_cells)

    def reliabilities(self, log_reliability):
        """Return the reliability of each voter, divided by the mean reliability; ignored voters get 1."""
        greatest = np.full(self.n_groups, -np.inf)
        np.maximum.at(greatest, self.group, log_reliability)
        plain = np.exp(log_reliability - greatest[self.group])
        mean = np.bincount(self.group, weights=self.share * plain, minlength=self.n_groups)[self.group]
        return np.divide(plain, mean, out=np.ones_like(plain), where=self.share > 0)

    def update_spread(self, variables, worth_curvature, moved):
        """Update, in the groups marked by `moved`, how much each voter's choices vary because the worths are uncertain.

        A group is a query, or all queries together if a voter has one reliability for all of them.

        The variance of a log-worth is the inverse of its curvature; the prior adds `worth_curvature` to this curvature.
        The variances of the log-worths cause a variance of each voter's choices. The variance of the choices is stored;
        it is the penalty on a larger reliability.
        """
        stages = self.stages
        curvature, factor = stages.curvature(variables), stages.reliability
        of_worth = np.bincount(
            stages.origin, weights=factor[stages.cell] ** 2 * curvature, minlength=len(worth_curvature)
        )
        variance = 1.0 / np.maximum(of_worth + worth_curvature, np.finfo(np.float64).tiny)
        spread = np.bincount(stages.cell, weights=curvature * variance[stages.origin], minlength=len(factor))
        self.spread = np.where(moved[self.group][self.place], spread, self.spread)

    def value_and_gradient(self, variables, log_reliability):
        """Compute each group's expected log-posterior at the given worths, and its gradient.

        The gradient is with respect to the log-reliabilities.

        A group is a query, or all queries together if a voter has one reliability for all of them.
        """
        reliability = self.reliabilities(log_reliability)
        factor = reliability[self.place]
        value, slope = self.stages.by_reliability(variables, factor)
        value = np.bincount(self.place, weights=value - self.spread * factor**2 / 2, minlength=len(reliability))
        slope = factor * (slope - self.spread * factor)
        slope = np.bincount(self.place, weights=slope, minlength=len(reliability)) + self.strength
        # Only the reliabilities relative to their mean matter.
        slope = np.where(self.share > 0, slope, 0.0)
        total = np.bincount(self.group, weights=slope, minlength=self.n_groups)[self.group]
        value = np.bincount(self.group, weights=value + self.strength * np.log(reliability), minlength=self.n_groups)
        return value, slope - self.share * reliability * total

    def scale(self, variables):
        """Approximate -1 times the second derivatives of the log-posterior with respect to the log-reliabilities."""
        stages = self.stages
        worths, mine = stages.inner.n_choices()[: len(stages.origin)], variables[stages.origin]
        n_cells = len(stages.cell_query)
        count = np.bincount(stages.cell, minlength=n_cells)
        mean = np.bincount(stages.cell, weights=mine, minlength=n_cells) / count
        varied = worths * (mine - mean[stages.cell]) ** 2
        varied = stages.reliability**2 * np.bincount(stages.cell, weights=varied, minlength=n_cells)
        return np.maximum(self.strength + np.bincount(self.place, weights=varied, minlength=len(self.group)), 1e-9)


def learn_reliabilities(stages, shape, size, *, of_query, prior, tol, max_iter):
    """Learn the reliability of each list's voter; return the reliabilities, and a mask of the fits that converged.

    With `of_query` the mask has one element for each query. Otherwise the mask has one element for the whole fit.
    """
    lists, voters = stages.lists, VoterPosterior(stages, shape, size, of_query=of_query)
    n = lists.n_candidates
    variables, log_reliability = stages.start(np.zeros(n)), np.zeros(len(voters.group))
    moved = np.ones(voters.n_groups, dtype=bool)
    for _ in range(_MAX_ROUNDS):
        stages.reliability = voters.reliabilities(log_reliability)[voters.place]
        near = max(tol, _CLOSE / 10)  # the worths are fitted once more at the end
        variables, _, converged = most_likely(stages, variables, prior=prior, tol=near, max_iter=max_iter)
        voters.update_spread(variables, plain_curvature(prior, variables[:n]), moved)

        # Do not change a group after it has converged, so that its result does not depend on other groups.
        def minus_expected(at, known=variables, moves=moved[voters.group]):
            value, gradient = voters.value_and_gradient(known, at)
            return -value, np.where(moves, -gradient, 0.0)

        new = minimise(
            minus_expected,
            log_reliability,
            voters.group,
            voters.n_groups,
            voters.scale(variables),
            tol=_CLOSE / 100,
            max_iter=max_iter,
            largest_step=_LARGEST_STEP,
        )[0]
        new = np.where(moved[voters.group], np.log(voters.reliabilities(new)), log_reliability)
        change = np.zeros(voters.n_groups)
        np.maximum.at(change, voters.group, np.abs(new - log_reliability))
        log_reliability, moved = new, moved & (change > _CLOSE)
        if not moved.any():
            break
    reliability = voters.reliabilities(log_reliability)[voters.place][stages.cell_of_lists()]
    return reliability, converged & ~moved if of_query else np.array([converged.all() and not moved.any()])
