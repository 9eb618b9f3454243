"""Paired comparisons of one board as arrays, with a fit of Bradley and Terry's model and its standard errors."""

from functools import cached_property

import numpy as np
from scipy.sparse import csr_array
from scipy.special import stdtrit

from .._data._frames import plain_index, show_id
from .._data._list_columns import group_names, grouping
from .._data._votes import are_votes, first_of_each_unit
from ..aggregators._models._duel_rows import DuelRows
from ..aggregators._models._standard_errors import invert_information
from ..exceptions import InputError

#: Name of the covariate that contains the display position of each item.
POSITION = "position"
#: Level of the tests, and of the differences that make an order clear.
LEVEL = 0.01
# Largest number of names in a sentence.
_SHOWN = 5


class AuditedDuels:
    """Duels (paired comparisons) of a query as arrays; fits and standard errors are computed when they are needed.

    Parameters
    ----------
    lists : RankedLists
        Lists of two items, of one query.
    unit : str or None
        Name of the grouping whose groups are independent; None treats duels as independent.
    prior : float
        The parameter `prior` of PlackettLuce.

    Attributes
    ----------
    first, second : ndarray of shape (n_rows,)
        The item that was shown first, and the item that was shown second. If this order is not known, the two items are
        in no particular order.
    share : ndarray of shape (n_rows,)
        Result of the first item, from 0 for a loss to 1 for a win.
    count, factor : ndarray of shape (n_rows,)
        Number of equal duels that a row represents, and weight of each of these duels.
    group : ndarray of shape (n_rows,), or None
        Number of the group of each row; None without `unit`.
    cell : ndarray of shape (n_rows,)
        Number of the row's combination of groups. Two rows have the same number if all their groups are the same.
    has_slots : bool
        True if it is known for all rows which item was shown first.
    """

    def __init__(self, lists, unit, prior):
        self.n, self.prior, self.unit = lists.n_candidates, prior, unit
        self.items = plain_index(lists.items).take(lists.candidate_item)
        head = first_of_each_unit(lists)
        voting = lists.list_weight > 0
        upper = lists.row_ptr[:-1]
        first, second = lists.candidate[upper].astype(np.int64), lists.candidate[upper + 1].astype(np.int64)
        share = np.where(lists.rank[upper] == lists.rank[upper + 1], 0.5, 1.0)
        ahead = _shown_first(lists, upper)
        self.has_slots = ahead is not None
        if ahead is not None:
            first, second = np.where(ahead, first, second), np.where(ahead, second, first)
            share = np.where(ahead, share, 1 - share)
        # A duel with a fractional outcome is stored as several lists, which become one row here.
        total = np.bincount(head, weights=lists.list_weight, minlength=lists.n_lists)
        of_head = np.where(first == first[head], share, 1 - share)
        won = np.bincount(head, weights=lists.list_weight * of_head, minlength=lists.n_lists)
        kept = np.flatnonzero((total > 0) & (head == np.arange(lists.n_lists)))
        votes = are_votes(lists, None, "Read the duels with weights that are numbers of duels, or factors.")[kept]
        whole = (total == lists.list_weight)[kept] | ~voting[kept]
        self.first, self.second = first[kept], second[kept]
        self.share = np.where(whole, share[kept], won[kept] / total[kept])
        self.count, self.factor = np.where(votes, total[kept], 1.0), np.where(votes, 1.0, total[kept])
        self.group, self.group_ids = None, None
        if unit is not None:
            codes, ids = grouping(lists, unit, "unit", ("list",))
            used, self.group = np.unique(codes[kept], return_inverse=True)
            self.group_ids = ids.take(used)
        self.groupings = group_names(lists)
        self.cell = np.zeros(len(kept), dtype=np.int64)
        for name in self.groupings:
            codes = grouping(lists, name, "groups")[0][kept]
            self.cell = _numbers(self.cell * (codes.max(initial=0) + 1) + codes)

    @property
    def n_duels(self):
        """Number of duels."""
        return round(self.count.sum())

    @property
    def n_groups(self):
        """Number of groups; without a grouping, each duel is a group."""
        return self.n_duels if self.group is None else int(self.group.max()) + 1

    @property
    def degrees(self):
        """Degrees of freedom of the standard errors; infinite without a grouping."""
        return np.inf if self.group is None else float(self.n_groups - 1)

    @property
    def weight(self):
        """Total weight of the duels that each row represents, as an array of shape (n_rows,)."""
        return self.count * self.factor

    @property
    def words(self):
        """Plural noun for the independent units in sentences of the audit, such as "duels"."""
        return "duels" if self.group is None else f"groups by {self.unit}"

    @cached_property
    def met(self):
        """Number of duels of each pair of items, as an array of shape (n, n)."""
        cells = np.bincount(self.first * self.n + self.second, weights=self.count, minlength=self.n**2)
        games = cells.reshape(self.n, self.n)
        return games + games.T

    @cached_property
    def rows(self):
        """The duels as DuelRows, without covariates."""
        return self.make_rows(slice(None))

    def make_rows(self, chosen):
        """Return the rows that `chosen` selects, as DuelRows."""
        return DuelRows(
            self.first[chosen],
            self.second[chosen],
            self.share[chosen],
            self.weight[chosen],
            candidate_ptr=np.array([0, self.n]),
        )

    @cached_property
    def fit(self):
        """Fit of Bradley and Terry's model to the duels."""
        return self.rows.fit(prior=self.prior)

    @cached_property
    def worth(self):
        """Log-worths of the items, shifted to have the mean 0."""
        return self.fit.log_worth - self.fit.log_worth.mean()

    @cached_property
    def order(self):
        """Numbers of the items, best first."""
        return np.argsort(-self.worth, kind="stable")

    @cached_property
    def inverse(self):
        """Inverse of the information matrix of the log-worths."""
        return invert_information(next(iter(self.rows.information(*self.fit[:2]))))[0]

    @cached_property
    def covariance(self):
        """Covariance of the log-worths, estimated from the log-likelihood gradients of the groups, or of single duels.

        If all duels are tied, the covariance is the inverse information.
        """
        if (self.share == 0.5).all():
            return self.inverse
        scores = self.rows.scores(self.fit.log_worth, self.fit.coefficients)[0]
        if self.group is None:
            squares = scores.T @ (scores * (self.count * self.factor**2)[:, None])
        else:
            sums = self.by_group @ (scores * self.weight[:, None])
            squares = (sums.T @ sums) * (self.n_groups / (self.n_groups - 1))
        return self.inverse @ squares.toarray() @ self.inverse

    @cached_property
    def by_group(self):
        """Sparse matrix of shape (n_groups, n_rows); multiplying by it sums the rows of each group."""
        each = np.arange(len(self.group))
        return csr_array((np.ones(len(each)), (self.group, each)), shape=(self.n_groups, len(each)))

    def error(self, covariance):
        """Return the standard errors of the differences between the log-worths, as an array of shape (n, n)."""
        own = np.diag(covariance)
        square = own[:, None] + own - 2 * covariance
        return np.sqrt(np.maximum(square, 0.0))

    @cached_property
    def clear(self):
        """Mask of shape (n, n), which is True at (i, j) if item i has a significantly higher log-worth than item j."""
        limit = -stdtrit(self.degrees, LEVEL / 2)
        return self.worth[:, None] - self.worth > limit * self.error(self.covariance)

    def draws(self, n_resamples, rng):
        """Draw random errors of the log-worths; return an array of shape (n_resamples, n).

        If the duels are not grouped, the errors are normally distributed. If the duels are grouped, the errors come
        from the t distribution with `degrees` degrees of freedom.
        """
        size, vectors = np.linalg.eigh(self.covariance)
        spread = vectors * np.sqrt(np.maximum(size, 0.0))
        drawn = rng.standard_normal((n_resamples, self.n)) @ spread.T
        if np.isfinite(self.degrees):
            drawn /= np.sqrt(rng.chisquare(self.degrees, n_resamples) / self.degrees)[:, None]
        return drawn

    def name(self, items):
        """Return a text with the names of at most five items, and the number of the other items."""
        return _few(self.items, items)

    def name_groups(self, groups):
        """Return a text with the names of at most five groups, and the number of the other groups."""
        return _few(self.group_ids, groups)


def check_board(lists):
    """Raise InputError unless the lists are paired comparisons of one query."""
    if lists.n_queries != 1:
        raise InputError(
            f"`lists` must have one query; got {lists.n_queries}. Audit one query at a time, such as lists[[0]]."
        )
    if (lists.list_length != 2).any():
        n = int((lists.list_length != 2).sum())
        raise InputError(
            f"`lists` must be paired comparisons, so each list must have two items; {n} of {lists.n_lists} lists have "
            "another length. Use diagnose for ranked lists."
        )
    if not (lists.list_weight > 0).any():
        raise InputError(
            "`lists` must contain at least one comparison of positive weight; all weights are 0. Give some "
            "comparisons a positive weight."
        )


def _shown_first(lists, upper):
    """Return a mask of the lists that store the item shown first in their first row.

    `upper` contains the first row of each list. If the display order is not known, the result is None.
    """
    if POSITION not in (lists.covariates or ()):
        return None
    column = lists.row_covariates[:, lists.covariates.index(POSITION)]
    one, other = column[upper], column[upper + 1]
    # The column must contain 1 and 0, as from_comparisons writes it. In other columns, a small number may mean "first".
    return one == 1 if (np.isin(one, (0.0, 1.0)) & (one + other == 1)).all() else None


def _few(ids, chosen):
    few = [show_id(ids, k) for k in list(chosen)[:_SHOWN]]
    more = len(chosen) - len(few)
    return ", ".join(few) + (f" and {more} more" if more else "")


def _numbers(codes):
    """Renumber codes so that the distinct codes become 0, 1, 2 and so on."""
    return np.unique(codes, return_inverse=True)[1]
