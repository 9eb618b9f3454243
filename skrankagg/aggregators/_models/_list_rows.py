"""Plackett and Luce's model of lists of any length with covariates, fitted by Newton's method.

The utility of a row is u = t_i + x'b, so the derivatives with respect to log-worths and coefficients follow from the
derivatives with respect to the utilities of the rows. To differentiate by utilities, each list is treated as a query
whose items are its rows. This model is also known as the rank-ordered or exploded logit.
"""

import copy

import numpy as np
from scipy.sparse import csr_array

from ..._data._compared_items import labels_of_held
from ..._data._divided import each_list_alone
from ._averaged_stages import AveragedStages
from ._newton_rows import NewtonRows
from ._posterior import plain_prior
from ._stages import Stages

# Largest number of matrix elements that are computed at a time.
_CELLS = 1 << 20


class ListRows(NewtonRows):
    """Plackett-Luce model of lists with covariates; items absent from a list could not be chosen.

    Parameters
    ----------
    lists : RankedLists
        Lists of weight 0 are ignored.
    covariates : ndarray of shape (n_rows, P)
        Covariates of the rows.
    ties : {"average", "efron", "breslow"}
        Model of the choice among tied items.
    pooled : bool, default=False
        Whether all queries have the same coefficients.
    """

    def __init__(self, lists, covariates, ties, *, pooled=False):
        super().__init__(lists.candidate_ptr, pooled)
        self.lists, self.weight = lists, lists.list_weight
        alone = each_list_alone(lists)
        self.stages = AveragedStages(alone, "ignore") if ties == "average" else Stages(alone, "ignore", ties)
        heads, length = lists.row_ptr[:-1], lists.list_length
        self.row_query = lists.list_query[lists.row_list]
        mean = np.add.reduceat(covariates, heads, axis=0) / length[:, None]
        #: Covariates minus their means in the lists, which changes no probability.
        self.covariates = covariates - mean[lists.row_list]
        row_weight = self.weight[lists.row_list]
        count = self._by_set(row_weight[:, None])
        size = np.sqrt(self._by_set(row_weight[:, None] * self.covariates**2) / np.where(count > 0, count, 1.0))
        #: Root mean square of each covariate's deviation from the list's mean, of shape (n_sets, P); 1 if it is 0.
        self.scale = np.where(size > 0, size, 1.0)
        self.scaled = self.covariates / self.scale[0 if pooled else self.row_query]
        self.tied_lists = np.zeros(lists.n_lists, dtype=bool)
        if not self.stages.is_strict:
            n_classes = np.add.reduceat(np.diff(self.stages.row_class, prepend=-1) != 0, heads, dtype=np.int64)
            self.tied_lists = n_classes < length

    def with_weight(self, weight):
        """Return the same rows with other weights of the lists; covariates keep their scale."""
        other = copy.copy(self)
        other.weight, other.stages = weight, self.stages.with_list_weight(weight)
        return other

    def variation(self, weights):
        """Return the variation of scaled covariates under other weights of the lists.

        The result has shape (n_sets, P, n_replicates).

        The variation is the mean square of the deviations from the means of the lists. `weights` contains the weights
        of the lists and has the shape (n_lists, n_replicates).
        """
        lists = self.lists
        of_lists = np.add.reduceat(self.scaled**2, lists.row_ptr[:-1], axis=0)
        columns = np.concatenate([lists.list_length[:, None], of_lists], axis=1)
        return self._variation(columns, lists.list_query, weights)

    def log_likelihood(self, log_worth, coefficients):
        """Return an array of shape (n_queries,): the log-likelihood of each query."""
        of_lists = self.stages.log_likelihood(self._utilities(log_worth, coefficients * self.scale))
        return self.lists.sum_over_lists(of_lists)

    def scores(self, log_worth, coefficients):
        """Return the derivatives of each list's log-likelihood, without the weight of the list.

        The derivatives with respect to the log-worths are a sparse array of shape (n_lists, n_candidates). The
        derivatives with respect to the coefficients are an array of shape (n_lists, P), even if each query has its own
        coefficients.
        """
        lists = self.lists
        plain = self.with_weight(np.ones(lists.n_lists))
        slope = plain.stages.value_and_gradient(self._utilities(log_worth, coefficients * self.scale))[1]
        by_worth = csr_array((slope, lists.candidate, lists.row_ptr), shape=(lists.n_lists, lists.n_candidates))
        return by_worth, np.add.reduceat(slope[:, None] * self.covariates, lists.row_ptr[:-1], axis=0)

    # ------------------------------------------------------------------ in scaled covariates

    def _utilities(self, worth, coefficients):
        own = coefficients if self.pooled else coefficients[self.row_query]
        return worth[self.lists.candidate] + (self.scaled * own).sum(axis=1)

    def _by_set(self, values):
        """Add up `values`, of shape (n_rows, k), over the rows of each set of coefficients.

        All queries share one set, or each query has its own set.
        """
        return self._of_sets(np.add.reduceat(values, self.lists.row_ptr[self.lists.list_ptr[:-1]], axis=0))

    def _components(self):
        """Return the connected component of each candidate; lists of weight 0 do not connect items."""
        label = labels_of_held(self.lists.with_list_weight(self.weight))
        return label + self.candidate_query * (int(label.max()) + 1)

    def _derivatives(self, worth, coefficients, prior, ridge):
        """Compute the gradients for log-worths and for scaled coefficients, and the utilities of the rows.

        A scaled coefficient is a coefficient times the `scale` of its covariate. The utility of a row is the log-worth
        of its item plus the contribution of the covariates.
        """
        utility = self._utilities(worth, coefficients)
        slope = self.stages.value_and_gradient(utility)[1]
        by_worth = np.bincount(self.lists.candidate, weights=slope, minlength=self.n_candidates)
        by_worth += plain_prior(prior, worth)[1]
        by_coefficient = self._by_set(slope[:, None] * self.scaled)
        return (by_worth, by_coefficient - ridge * coefficients), utility

    def _curvatures(self, utility):
        """Compute the negative second derivatives of the log-likelihood, for scaled covariates.

        The first result contains the derivatives with respect to two log-worths: one array for all queries with the
        same number of items. The second, of shape (n_candidates, P), contains the derivatives with respect to a
        log-worth and a coefficient. The third, of shape (n_queries, P, P), contains the derivatives with respect to two
        coefficients.
        """
        n, number, cells = self.n_candidates, self.scaled.shape[1], np.zeros(int(self.cell_ptr[-1]))
        crossed, by_coefficient = np.zeros((n, number)), np.zeros((self.n_queries, number, number))
        place = self.lists.candidate - self.candidate_ptr[self.row_query]
        sizes = np.diff(self.candidate_ptr)[self.row_query]
        for rows, matrix in self._matrices(utility):
            query = self.row_query[rows[:, 0]]
            cell = self.cell_ptr[query][:, None, None] + (place * sizes)[rows][:, :, None] + place[rows][:, None, :]
            first, last = int(cell.min()), int(cell.max())
            cells[first : last + 1] += np.bincount((cell - first).ravel(), weights=matrix.ravel())
            moved = matrix @ self.scaled[rows]
            candidate = self.lists.candidate[rows].ravel()
            for k in range(number):
                crossed[:, k] += np.bincount(candidate, weights=moved[:, :, k].ravel(), minlength=n)
            np.add.at(by_coefficient, query, self.scaled[rows].transpose(0, 2, 1) @ moved)
        return [cells[own] for _, _, own in self.blocks], crossed, by_coefficient

    def _matrices(self, utility):
        """Yield pairs for lists of equal length: their rows, and the matrix of second derivatives of each list.

        The derivatives of the log-likelihood are with respect to the utilities of the rows (see the top of the module).

        The rows have the shape (n_some, length), and the matrices have the shape (n_some, length, length).
        """
        stages, lists = self.stages, self.lists
        worth, _ = stages._worths(utility)
        left = stages._left(worth)
        share = stages._shares(worth, left, stages.weight)[0]
        square = stages._shares(worth, left, stages.weight, order=2)[0]
        pairs = stages._pairs_of_classes(worth, left)
        for length in np.unique(lists.list_length).tolist():
            if length == 1:
                continue
            own = np.flatnonzero((lists.list_length == length) & (self.weight > 0))
            each, some = np.arange(length), max(1, _CELLS // length**2)
            upper = np.minimum.outer(each, each)
            for start in range(0, len(own), some):
                chosen = own[start : start + some]
                rows = lists.row_ptr[chosen][:, None] + each
                # Two rows are both available until the upper one is chosen.
                shared = square[rows][:, upper]
                for k in np.flatnonzero(self.tied_lists[chosen]).tolist():
                    of_list = slice(int(rows[k, 0]), int(rows[k, -1]) + 1)
                    shared[k] = np.minimum.outer(square[of_list], square[of_list])
                    pairs(of_list, shared[k])
                mine = worth[rows]
                shared *= -mine[:, :, None] * mine[:, None, :]
                shared[:, each, each] += mine * share[rows]
                yield rows, shared
