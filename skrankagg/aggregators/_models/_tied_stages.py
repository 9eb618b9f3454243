"""Likelihood of lists in which several items may be chosen at once: Davidson's model of ties for any number of items.

The tied items of a list form a class, and the choice of a class is a stage. At each stage, a set of k items is chosen
from the remaining items. Its probability is proportional to the prevalence d_k of sets of size k, times the geometric
mean of the worths in the set. The sum over all sets of k items is an elementary symmetric polynomial of the k-th roots
of the worths. The polynomials of all stages are computed by adding one item after the other from the end of each list.
A second pass in the opposite direction gives the derivatives. The sets are never enumerated, because there may be very
many. Lists are processed in parallel.

The variables are the log-worths of the candidates, followed by the logarithms of d_2, d_3 and so on for each query. The
prevalence d_1 is 1, and d_k is 0 where no class of k items occurs.

Two sizes are rivals if the lists bound the ratio of their prevalences from above and from below. There may be no upper
bound. For example, if a set of two items is chosen at every stage where at least two items remain, the likelihood rises
with d_2 without end. Its limit is then used, in which sets compete only with sets of rival sizes. Within each group of
rival sizes, the smallest size has the prevalence 1.
"""

import copy

import numpy as np

from ..._data._compared_items import ranks_absent_last

#: Largest allowed number of tied items. The number of coefficients of a row's polynomials grows with its square.
MOST_TIED = 20
# Step of finite differences of derivatives.
_STEP = 1e-5
# Largest number of polynomial coefficients in memory at one time.
_CELLS = 1 << 22


class TiedStages:
    """Likelihood of ranked lists in Davidson's model of ties, prepared for many evaluations.

    Parameters
    ----------
    lists : RankedLists
        Lists of weight 0 are ignored.
    absent : {"auto", "last", "ignore"}
        How to treat items missing from a list: with "last" they are available at every choice but never chosen.
    owner : ndarray of shape (n_queries,), dtype=int64, default=None
        Number of the group of each query. The tie sizes are determined once for all queries of a group. With None, each
        query is a group of its own.
    has_prior : bool, default=True
        Whether there is a prior. With a prior, each item also wins invented comparisons that could have ended in a tie.
        These wins set an upper bound on the prevalence of pairs.
    """

    #: None, because lists of two items need the formulas of this class.
    tied_win = None
    #: False, because the variables and the likelihood differ from Stages.
    is_plain = False

    def __init__(self, lists, absent, owner=None, *, has_prior=True):
        self.lists, self.below, self.list_weight = lists, ranks_absent_last(lists, absent), lists.list_weight
        self.has_prior = has_prior
        self.list_ptr = lists.list_ptr
        self.owner = np.arange(lists.n_queries) if owner is None else owner
        new = np.ones(lists.n_rows, dtype=bool)
        new[1:] = (lists.rank[1:] != lists.rank[:-1]) | (lists.row_list[1:] != lists.row_list[:-1])
        row_class = np.cumsum(new) - 1
        #: Size of the class of each row, and whether the row is the first of its class.
        self.size, self.begins = np.bincount(row_class)[row_class], new
        self.largest = int(self.size.max())
        self.blocks = list(self._blocks())
        self._read_sizes()

    def _read_sizes(self):
        """Find the sizes of tied classes in lists of positive weight, and the rivals of each size.

        The top of the module defines rivals.
        """
        most_left = np.zeros((int(self.owner.max()) + 1, self.largest + 1), dtype=np.int64)
        for own, _, size in self.blocks:
            one, place = np.nonzero((size > 0) & (self.list_weight[own] > 0)[:, None])
            owner = self.owner[self.lists.list_query[own[one]]]
            np.maximum.at(most_left, (owner, size[one, place]), place + 1)
        known = most_left > 0
        known[:, 1] = True
        # Sizes that each size was preferred to, directly or through a chain of sizes.
        above = known[:, :, None] & known[:, None] & (most_left[:, :, None] >= np.arange(self.largest + 1))
        if self.has_prior and self.largest > 1:
            above[:, 1, 2] |= known[:, 2]
        for k in range(1, self.largest + 1):
            above |= above[:, :, k, None] & above[:, None, k]
        rivals = (above & above.transpose(0, 2, 1)) | np.eye(self.largest + 1, dtype=bool)
        #: Tie sizes from 2 that occur in each query, and the sizes with an estimated prevalence.
        self.seen = known[self.owner, 2:]
        self.free = self.seen & (np.argmax(rivals, axis=2)[self.owner, 2:] < np.arange(2, self.largest + 1))
        #: Mask of the sizes, from 1, that compete with a choice of each size, of shape (n_queries, 1 + largest,
        #: largest). None means that all sizes compete.
        self.rivals = None if (rivals[:, 1] == known).all() else rivals[self.owner, :, 1:]

    @property
    def n_extra(self):
        """Return the number of log-prevalences of tie sizes; these variables follow the log-worths."""
        return self.seen.size

    def extra_query(self):
        """Return the query of each log-prevalence of a tie size; these variables follow the log-worths."""
        return np.repeat(np.arange(self.lists.n_queries), self.seen.shape[1])

    def start(self, log_worth):
        """Return start values: the given log-worths, and a prevalence of 1/10 for each size of tied classes."""
        return np.concatenate([log_worth, np.where(self.free, np.log(0.1), 0.0).ravel()])

    def with_list_weight(self, weight):
        """Return a copy that uses other list weights; `weight` has shape (n_lists,)."""
        other = copy.copy(self)
        other.list_weight = weight
        other._read_sizes()
        return other

    def tie_sizes_of(self, other):
        """Copy the tie sizes (numbers of tied items) that `other` allows; `other` must contain the same queries."""
        self.seen, self.free, self.rivals = other.seen, other.free, other.rivals

    def n_choices(self):
        """Return the total weight of the choices that involve each variable.

        For a log-worth, this is the total weight of the lists that contain the candidate. The weight of each list is
        first divided by the number of items that tie with the candidate, including the candidate. For the prevalence of
        a tie size, it is the total weight of the classes of this size.
        """
        lists, weight = self.lists, self.list_weight[self.lists.row_list]
        rows = np.bincount(lists.candidate, weights=weight / self.size, minlength=lists.n_candidates)
        ties = np.zeros((lists.n_queries, self.largest + 1))
        begins = np.flatnonzero(self.begins)
        np.add.at(ties, (lists.list_query[lists.row_list[begins]], self.size[begins]), weight[begins])
        return np.concatenate([rows, ties[:, 2:].ravel()])

    def prevalence(self, variables):
        """Return the prevalence d_k of choosing k items at once, for each query and each k.

        Column k - 1 of the result contains d_k. There is a column for each k up to the largest number of tied items.
        """
        extra = variables[self.lists.n_candidates :].reshape(self.seen.shape)
        return np.column_stack([np.ones(self.lists.n_queries), np.where(self.seen, np.exp(extra), 0.0)])

    def value_and_gradient(self, variables):
        """Compute the log-likelihood of each query, and its derivatives with respect to all variables."""
        lists = self.lists
        value, gradient = np.zeros(lists.n_queries), np.zeros(lists.n_candidates + 1)
        ties = np.zeros((lists.n_queries, self.largest))
        for own, candidate, terms, slopes, tie_slopes in self._of_lists(variables):
            weight, query = self.list_weight[own], lists.list_query[own]
            # Add one list after the other, so that the division into blocks does not matter.
            np.add.at(value, query, weight * terms)
            np.add.at(gradient, candidate.ravel(), (weight[:, None] * slopes).ravel())
            np.add.at(ties, query, weight[:, None] * tie_slopes)
        return value, np.concatenate([gradient[:-1], np.where(self.free, ties[:, 1:], 0.0).ravel()])

    def log_likelihood(self, variables):
        """Compute the log-likelihood of each query."""
        return self.value_and_gradient(variables)[0]

    def by_list(self, variables):
        """Yield, for each query, the derivatives of each list's log-likelihood.

        The derivatives of a query have shape (n_lists, n_items + n_sizes).

        The first n_items columns are derivatives with respect to the log-worths. The last n_sizes columns are for the
        prevalences that are estimated, each for a tie size (a number of tied items).
        """
        lists = self.lists
        scores = [
            np.zeros((m, n + free.sum()))
            for m, n, free in zip(np.diff(lists.list_ptr), lists.query_n_items, self.free, strict=True)
        ]
        for own, candidate, _, slopes, tie_slopes in self._of_lists(variables):
            for k, one in enumerate(own):
                q = lists.list_query[one]
                score, held = scores[q][one - lists.list_ptr[q]], candidate[k] < lists.n_candidates
                score[candidate[k][held] - lists.candidate_ptr[q]] = slopes[k][held]
                score[lists.query_n_items[q] :] = tie_slopes[k, 1:][self.free[q]]
        yield from scores

    def information(self, variables):
        """Yield the information matrix of each query: the second derivatives of the log-likelihood, multiplied by -1.

        The rows and columns of the matrix are for the same variables as the columns of `by_list`. The second
        derivatives are computed as finite differences of the first derivatives.
        """
        return (self._information(variables, q) for q in range(self.lists.n_queries))

    def _information(self, variables, q):
        lists = self.lists
        start, stop = lists.candidate_ptr[q], lists.candidate_ptr[q + 1]
        alone = lists.take([q]).with_list_weight(self.list_weight[lists.list_ptr[q] : lists.list_ptr[q + 1]])
        stages = copy.copy(self)
        stages.lists, stages.list_weight = alone, alone.list_weight
        stages.below = self.below[lists.list_ptr[q] : lists.list_ptr[q + 1]]
        stages.seen, stages.free = self.seen[q : q + 1], self.free[q : q + 1]
        stages.rivals = None if self.rivals is None else self.rivals[q : q + 1]
        stages.size, stages.begins = (
            of_rows[lists.row_ptr[lists.list_ptr[q]] : lists.row_ptr[lists.list_ptr[q + 1]]]
            for of_rows in (self.size, self.begins)
        )
        stages.blocks = list(stages._blocks())
        at = np.concatenate([variables[start:stop], variables[lists.n_candidates :].reshape(self.seen.shape)[q]])
        counted = np.concatenate([np.ones(stop - start, dtype=bool), stages.free[0]])
        curves = np.zeros((len(at), len(at)))
        for k in np.flatnonzero(counted):
            step = np.zeros(len(at))
            step[k] = _STEP
            curves[k] = (stages.value_and_gradient(at - step)[1] - stages.value_and_gradient(at + step)[1]) / (
                2 * _STEP
            )
        curves = (curves + curves.T) / 2
        return curves[np.ix_(counted, counted)]

    def _blocks(self):
        """Yield blocks of lists; each block consists of three arrays.

        The arrays contain the indices of the lists, the candidates of each list in reverse order, and the sizes of tied
        classes. In the third array, the first row of each tied class contains the number of its items; other rows
        contain 0.
        """
        lists = self.lists
        length = np.where(self.below, lists.query_n_items[lists.list_query], lists.list_length)
        order = np.argsort(length, kind="stable")
        cells = np.cumsum(length[order].astype(np.float64) * self.largest**2) // _CELLS
        for own in np.split(order, np.flatnonzero(np.diff(cells)) + 1):
            longest = int(length[own].max())
            candidate = np.full((len(own), longest), lists.n_candidates)
            size = np.zeros((len(own), longest), dtype=np.int64)  # size of the class that is complete at this row
            for k, one in enumerate(own):
                rows = slice(lists.row_ptr[one], lists.row_ptr[one + 1])
                held = lists.candidate[rows][::-1]
                if self.below[one]:
                    everything = np.arange(*lists.candidate_ptr[lists.list_query[one] : lists.list_query[one] + 2])
                    rest = np.setdiff1d(everything, held, assume_unique=True)
                else:
                    rest = held[:0]
                candidate[k, : len(rest)] = rest
                candidate[k, len(rest) : len(rest) + len(held)] = held
                place = slice(len(rest), len(rest) + len(held))
                size[k, place] = np.where(self.begins[rows], self.size[rows], 0)[::-1]
            yield own, candidate, size

    def _of_lists(self, variables):
        """Yield, for each block, its lists, their candidates, their log-likelihoods and two arrays of derivatives.

        The log-likelihoods are not multiplied by the list weights. The first array contains derivatives with respect to
        log-worths, and the second array contains derivatives with respect to log-prevalences.
        """
        lists, n_sizes = self.lists, self.largest
        log_worth = variables[: lists.n_candidates]
        shift = np.maximum.reduceat(log_worth, lists.candidate_ptr[:-1])
        prevalence = self.prevalence(variables)
        relative = np.append(log_worth - shift[lists.candidate_query], -np.inf)  # nothing is chosen beyond a list's end
        roots = np.arange(1, n_sizes + 1)
        sizes = np.arange(n_sizes)
        for own, candidate, size in self.blocks:
            counted = self.list_weight[own] > 0
            if not counted.any():
                continue
            if not counted.all():
                own, candidate, size = own[counted], candidate[counted], size[counted]
            d = prevalence[lists.list_query[own]]
            mine = relative[candidate]
            with np.errstate(invalid="ignore"):
                x = np.exp(mine[:, :, None] / roots)  # (lists, rows, k): the k-th roots of the worths
            n_lists, longest = candidate.shape
            # Coefficients of the product of 1 + x z, up to degree k for the k-th roots, before each row is added.
            sums = np.zeros((longest + 1, n_lists, n_sizes, n_sizes + 1))
            sums[0, :, :, 0] = 1.0
            for p in range(longest):
                sums[p + 1] = sums[p]
                sums[p + 1, :, :, 1:] += x[:, p, :, None] * sums[p, :, :, :-1]
            # Prevalences of the sizes that may be chosen at each row, and their products d_k e_k: (lists, rows, k).
            d_here = np.broadcast_to(d[:, None], (n_lists, longest, n_sizes))
            if self.rivals is not None:
                d_here = d_here * self.rivals[lists.list_query[own][:, None], size]
            choices = sums[1:, :, sizes, sizes + 1].transpose(1, 0, 2) * d_here
            total = _add_up(choices)
            is_stage = size > 0
            # Numerator of a tie: the mean log-worth of the class, which ends at its first row.
            running = np.cumsum(np.where(np.isfinite(mine), mine, 0.0), axis=1)
            before = np.take_along_axis(
                np.column_stack([np.zeros(n_lists), running]),
                np.maximum(np.arange(1, longest + 1) - size, 0),
                axis=1,
            )
            mean = (running - before) / np.maximum(size, 1)
            chosen = np.take_along_axis(d, np.maximum(size - 1, 0).reshape(n_lists, -1), axis=1)
            terms = np.where(is_stage, mean + np.log(chosen) - np.log(np.where(is_stage, total, 1.0)), 0.0)
            inverse = np.where(is_stage, 1.0 / np.where(total > 0, total, 1.0), 0.0)
            tie_slopes = -_add_up((choices * inverse[:, :, None]).transpose(0, 2, 1))
            np.add.at(tie_slopes, (np.nonzero(is_stage)[0], size[is_stage] - 1), 1.0)
            slopes = np.zeros((n_lists, longest))
            back = np.zeros((n_lists, n_sizes, n_sizes + 1))
            share = np.zeros(n_lists)  # share of each member of the current class in its choice
            left = np.zeros(n_lists, dtype=np.int64)
            for p in range(longest - 1, -1, -1):
                begins = is_stage[:, p]
                left = np.where(begins, size[:, p], left)
                share = np.where(begins, 1.0 / np.maximum(size[:, p], 1), share)
                back[:, sizes, sizes + 1] += d_here[:, p] * inverse[:, p, None]
                by_root = _add_up(back[:, :, 1:] * sums[p, :, :, :-1])
                slopes[:, p] = np.where(left > 0, share, 0.0) - _add_up(by_root * x[:, p] / roots)
                left = np.maximum(left - 1, 0)
                back[:, :, :-1] += back[:, :, 1:] * x[:, p, :, None]
            yield own, candidate, _add_up(terms), slopes, tie_slopes


def pair_prevalence(stages, variables):
    """Return the prevalence d_2 of tied pairs in each query.

    It is 0 in queries without tied pairs, and infinite in queries whose lists set no upper bound on it.
    """
    if not stages.seen.shape[1]:
        return np.zeros(len(stages.seen))
    bounded = stages.free[:, 0] | ~stages.seen[:, 0]
    return np.where(bounded, stages.prevalence(variables)[:, 1], np.inf)


def _add_up(values):
    """Sum over the last axis in a fixed order, so that appended zeros do not change any bit of the result.

    Arrays are padded with zeros at the end if a list is shorter than the others or has smaller tied classes. NumPy's
    own sum may add the terms of a longer array in another order, which changes the rounding.
    """
    return values[..., 0] + np.cumsum(values[..., 1:], axis=-1)[..., -1] if values.shape[-1] > 1 else values[..., 0]
