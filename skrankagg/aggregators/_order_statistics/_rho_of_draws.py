"""Log rho of robust rank aggregation for many sets of list weights, such as bootstrap samples.

A draw is one set of list weights. The normalised ranks are the same in all draws. So their order, and the probabilities
of the distinct ranks, are computed only once.

>>> import numpy as np
>>> from skrankagg import RankedLists
>>> from skrankagg.aggregators._order_statistics._rho_of_draws import RhoOfDraws
>>> lists = RankedLists.from_lists([["a", "b"], ["b", "a"]])
>>> log_rho, n_lists = RhoOfDraws(lists, lists.rank / 2, "last")(np.array([[1.0, 2.0], [1.0, 0.0]]))
>>> np.exp(log_rho)
array([[0.75, 0.25],
       [0.75, 1.  ]])
"""

import numpy as np

from ..._arrays._ragged import group_order
from ..._kernels import COMPILED, lowest_tails
from ._probabilities import log_binomial_tail

# Largest number of rows times draws that are processed at a time, so that they stay in the cache.
_CELLS = 1 << 17
# Up to this number of probabilities, all are computed, even if only some are needed.
_FEW = 1 << 13
# As plain Python, the kernel is slower than NumPy.
_HAS_KERNEL = COMPILED
# Largest number of probabilities of a query.
_MOST = 1 << 22


class RhoOfDraws:
    """Callable that computes log rho of each candidate, given list weights of shape (n_lists, n_draws).

    `x` contains the normalised rank of each row. rho is the statistic of robust rank aggregation.
    """

    def __init__(self, lists, x, absent):
        self.lists, self.absent = lists, absent
        rows = group_order(lists.candidate, x)
        ptr = np.searchsorted(lists.candidate[rows], lists.candidate_ptr)
        self.queries = []
        for q in range(lists.n_queries):
            own = rows[ptr[q] : ptr[q + 1]]
            distinct, which = np.unique(x[own], return_inverse=True)
            candidate = lists.candidate[own] - lists.candidate_ptr[q]
            starts = np.flatnonzero(np.diff(candidate, prepend=-1))
            self.queries.append((lists.row_list[own], candidate, starts, distinct, which.astype(np.int32)))

    def __call__(self, weights):
        """Return log rho and the number of lists of each candidate, both of shape (n_candidates, n_draws).

        Both are None if there are too many different sums of weights, or if some weight is not an integer.
        """
        lists = self.lists
        total = np.add.reduceat(weights, lists.list_ptr[:-1], axis=0)
        if not (np.trunc(weights) == weights).all() or total.max() >= _MOST:
            return None, None
        log_rho, n_lists = (np.empty((lists.n_candidates, weights.shape[1])) for _ in range(2))
        for q, (row_list, candidate, starts, distinct, which) in enumerate(self.queries):
            mine = slice(lists.candidate_ptr[q], lists.candidate_ptr[q + 1])
            size = max(1, _CELLS // len(row_list))
            n_values = np.unique(np.maximum(total[q], 1)).astype(np.int64)
            if self.absent == "ignore":
                n_values = np.arange(n_values[-1] + 1)
            tails = _Tails(distinct, n_values)
            if tails.size > _MOST:
                return None, None
            if _HAS_KERNEL and self.absent == "last" and tails.size <= _FEW:
                n_lists[mine] = n = np.maximum(total[q], 1).astype(np.int64)
                own = slice(lists.list_ptr[q], lists.list_ptr[q + 1])
                ptr = np.append(starts, len(row_list))
                log_rho[mine] = tails.lowest(weights[own].T.astype(np.int64), row_list - own.start, which, ptr, n).T
                continue
            for first in range(0, weights.shape[1], size):
                draws = slice(first, first + size)
                count = weights[row_list, draws].astype(np.int32)
                place = np.cumsum(count, axis=0, dtype=np.int32)
                before = place[starts] - count[starts]
                place -= before[candidate]
                if self.absent == "ignore":
                    n = np.maximum(place[np.append(starts[1:], len(row_list)) - 1], 1)
                    n_of_rows = n[candidate]
                else:
                    n = n_of_rows = np.maximum(total[q, draws], 1).astype(np.int32)
                # Rows of weight 0 get the place 0, which has the probability 1. So they do not change the minimum.
                place *= count > 0
                tail = tails(n_of_rows, place, which)
                log_rho[mine, draws] = np.minimum(np.minimum.reduceat(tail, starts, axis=0), 0.0)
                n_lists[mine, draws] = n
        return log_rho, n_lists


class _Tails:
    """Log probabilities that at least k of n uniform numbers are at most x; each is computed once.

    `distinct` contains the numbers x, and `n_values` the possible numbers n in ascending order.
    """

    def __init__(self, distinct, n_values):
        self.distinct, self.n_values = distinct, n_values
        most = int(n_values[-1])
        self.shape = (len(n_values), most + 1, len(distinct))
        self.size = len(n_values) * (most + 1) * len(distinct)
        self.position = np.zeros(most + 1, dtype=np.int32)
        self.position[n_values] = np.arange(len(n_values)) * ((most + 1) * len(distinct))
        self.table = None

    def __call__(self, n, k, which):
        """Return the probabilities for arrays `n` and `k`; the number x of row i is ``distinct[which[i]]``."""
        self._begin()
        code = k * np.int32(len(self.distinct))
        code += self.position[n]
        code += which[:, None]
        if self.size > _FEW and not self.known[code].all():
            missing = np.zeros(self.size, dtype=bool)
            missing[code] = True
            self._fill(np.flatnonzero(missing & ~self.known))
        return self.table[code]

    def lowest(self, count, row_list, which, ptr, n):
        """Return an array of shape (n_draws, n_candidates): the smallest probability of each candidate in each draw.

        A draw is a set of list weights, and `n`, of shape (n_draws,), is the number of lists of each draw. The other
        arguments are passed to the kernel ``lowest_tails``. The table must contain at most _FEW probabilities.
        """
        self._begin()
        return lowest_tails(count, row_list, which, ptr, self.position[n], self.table, len(self.distinct))

    def _begin(self):
        """Create the table of probabilities, and fill it if there are few of them."""
        if self.table is not None:
            return
        self.table, self.known = np.zeros(self.size), np.zeros(self.size, dtype=bool)
        self.known.reshape(self.shape)[:, 0] = True  # at least 0 numbers: the probability is 1
        if self.size <= _FEW:
            of_n, of_k, of_x = np.ogrid[tuple(slice(length) for length in self.shape)]
            ok = (of_k <= self.n_values[of_n]) & (of_k > 0) & (of_x >= 0)
            self._fill(np.flatnonzero(ok))

    def _fill(self, codes):
        of_n, of_k, of_x = np.unravel_index(codes, self.shape)
        self.table[codes] = log_binomial_tail(of_k, self.n_values[of_n], self.distinct[of_x])
        self.known[codes] = True
