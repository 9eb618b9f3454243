"""Random draws of the lists of each query, or random draws of voters or queries with all of their lists."""

from functools import cached_property
from hashlib import blake2b
from itertools import pairwise

import numpy as np
from scipy.sparse import csr_array

from .._data._frames import first_row, plain_index
from .._data._list_columns import grouping
from .._data._votes import are_votes, first_of_each_unit
from .._support._random import draw_seed
from .._support._values import is_integer
from ..exceptions import InputError

UNITS = ("list", "voter", "query")


def seed_of(random_state):
    """Return an integer seed: `random_state` if it is an integer, otherwise a number drawn from the given generator.

    None means NumPy's global generator.
    """
    return random_state if is_integer(random_state) else draw_seed(random_state)


def query_rng(seed, query):
    """Return a random generator whose state depends only on the seed and the query."""
    digest = blake2b(str(query).encode(), digest_size=8).digest()
    return np.random.default_rng([seed, int.from_bytes(digest, "little")])


def make_draws(given, lists, unit, n_resamples, seed, votes=None):
    """Return random draws of lists, of voters, of queries or of groups.

    `given` contains the user's lists, and `lists` contains the same lists after the method has prepared them. Lists of
    weight 0 are never drawn. `unit` is "list", "voter", "query" or the name of a column that assigns lists to groups.
    For the unit "query", `lists` contains all lists in one query, in the same order. For the unit "list", `votes`
    states whether the given weights are numbers of ballots. If `votes` is None, the weights are numbers of ballots in
    each query whose weights are all integers. In a draw, a list gets weight for each time that the list, or one of its
    ballots, is drawn. This weight includes the method's weight for the voter of the list.
    """
    counted = lists.list_weight > 0
    if unit != "list":
        own = {"query": lists.list_query, "voter": lists.list_voter}.get(unit)
        own = grouping(lists, unit, "unit")[0] if own is None else own
        present = np.unique(own[counted])
        number = np.minimum(np.searchsorted(present, own), len(present) - 1)
        list_ptr = np.array([0, lists.n_lists]) if unit == "query" else lists.list_ptr
        return _CommonDraws(list_ptr, lists.list_weight, number, len(present), n_resamples, seed)
    ids = plain_index(lists.queries).tolist()
    is_vote = _draw_votes(given, ids, votes)
    first = first_of_each_unit(lists)
    # If a comparison is stored as several lists, only the first one is a unit; the other lists are drawn with it.
    is_unit = counted & (first == np.arange(lists.n_lists))
    ballots = np.where(is_unit, np.where(is_vote, given.list_weight, 1.0), 0.0)
    n_ballots = np.add.reduceat(ballots, lists.list_ptr[:-1])
    if (n_ballots == 0).any():
        query = ids[int(np.argmin(n_ballots))]
        raise InputError(
            f"`lists` must have a list of positive weight in each query; query {query!r} has none. Remove the query, "
            "or give one of its lists a positive weight."
        )
    weight = np.divide(lists.list_weight, ballots[first], out=np.zeros(lists.n_lists), where=ballots[first] > 0)
    equal = np.logical_and.reduceat((lists.list_weight == 1) & (ballots == 1), lists.list_ptr[:-1])
    return _DrawsOfQueries(lists.list_ptr, weight, ballots, first, equal, ids, n_resamples, seed)


def _draw_votes(given, ids, votes):
    """Return a mask of shape (n_lists,): True if the weight of a list is a number of separately drawn ballots."""
    heads = given.list_ptr[:-1]
    # If a comparison has a fractional outcome or a weight factor, its weight is not a number of ballots.
    weight = given.list_weight if given.list_duel is None else np.where(given.list_duel > 0, 0.0, given.list_weight)
    with np.errstate(over="ignore"):
        can = np.logical_and.reduceat(weight % 1 == 0, heads) & (np.add.reduceat(weight, heads) < 2**53)
    if votes and not can.all():
        raise InputError(
            "`votes` must be False or None if the weights of a query are not all integers, or add up to 2**53 or more; "
            f"query {ids[first_row(~can)]!r} has such weights. Give integer weights, or pass votes=False."
        )
    return are_votes(given, votes, "Pass votes=False, or give integer weights.") & can[given.list_query]


class DrawnWeights:
    """Weights of lists in many draws, stored as the number of times that each unit (such as a voter) is drawn.

    The matrix of all weights may be far larger than the counts, so it is computed only on request.

    Parameters
    ----------
    counts : ndarray of shape (n_units, n_resamples)
        Number of times that each unit is drawn.
    unit : ndarray of shape (n_lists,), dtype=int64
        Unit of each list.
    weight : ndarray of shape (n_lists,)
        Weight of each list if its unit is drawn once.
    """

    def __init__(self, counts, unit, weight):
        self.counts, self.unit, self.weight = counts, unit, weight

    @property
    def shape(self):
        """Number of lists and number of draws."""
        return len(self.unit), self.counts.shape[1]

    def of_draws(self, part):
        """Return the weight of each list in the draws that the slice `part` selects."""
        return DrawnWeights(self.counts[:, part], self.unit, self.weight)

    def dense(self):
        """Return the weights as an array of shape (n_lists, n_resamples)."""
        return self.counts[self.unit] * self.weight[:, None]

    def sums(self, matrix):
        """Multiply a sparse matrix of shape (n_rows, n_lists) by the weights, without storing all weights."""
        n_lists, n_units = len(self.unit), len(self.counts)
        of_units = csr_array((self.weight, (np.arange(n_lists), self.unit)), shape=(n_lists, n_units))
        return (matrix @ of_units) @ self.counts


class _Draws:
    """Base class of random draws; each draw is represented by weights of the lists.

    `list_ptr`, of shape (n_queries + 1,), contains offsets: the lists of query q begin at ``list_ptr[q]`` and end
    before ``list_ptr[q + 1]``. `weight`, of shape (n_lists,), contains the weight that each list has if it is drawn
    once.
    """

    def __init__(self, list_ptr, weight, n_units, n_resamples, seed):
        self.list_ptr, self.weight, self.n_resamples, self.seed = list_ptr, weight, n_resamples, seed
        #: Number of units drawn with replacement for each query, of shape (n_queries,).
        self.n_units = n_units

    def weights(self, start, stop):
        """For queries `start` to `stop` - 1, return the weights of the lists in all draws as :class:`DrawnWeights`."""
        own = slice(self.list_ptr[start], self.list_ptr[stop])
        return DrawnWeights(*self.units(start, stop), self.weight[own])


class _DrawsOfQueries(_Draws):
    """Random draws of the lists or ballots of each query.

    `ballots`, of shape (n_lists,), contains the number of units (ballots, or 1 for a whole list) that each list
    represents. Several lists may belong to one comparison. For such a list, `first`, of shape (n_lists,), contains the
    number of the comparison's first list. For all other lists, it contains the list's own number. All lists of a
    comparison except the first have 0 units, and are drawn whenever the first list is drawn. `equal`, of shape
    (n_queries,), is True for queries in which every list is one unit of weight 1.
    """

    def __init__(self, list_ptr, weight, ballots, first, equal, ids, n_resamples, seed):
        n_units = np.add.reduceat(ballots, list_ptr[:-1]).astype(np.int64)
        super().__init__(list_ptr, weight, n_units, n_resamples, seed)
        self.ballots, self.first, self.equal, self.ids = ballots, first, equal, ids

    def units(self, start, stop):
        """For queries `start` to `stop` - 1, return how often each list is drawn, and its row in the counts.

        The counts have the shape (n_lists, n_resamples). For a list that represents several ballots, they count the
        drawn ballots.
        """
        counts = np.concatenate([self._counts(q) for q in range(start, stop)])
        return counts, np.arange(len(counts))

    def _counts(self, q):
        rng = query_rng(self.seed, self.ids[q])
        own = slice(*self.list_ptr[q : q + 2])
        if self.equal[q]:
            return _draw(rng, own.stop - own.start, self.n_resamples)
        drawn = _draw_ballots(rng, self.ballots[own].astype(np.int64), self.n_resamples)
        first = self.first[own] - own.start
        return drawn if (first == np.arange(len(first))).all() else drawn[first]

    @property
    def n_units_by_query(self):
        """Number of units (ballots or whole lists) of each query, as an array of shape (n_queries,)."""
        return self.n_units

    def n_units_of(self, chosen):
        """Return the number of units (lists or ballots) to which the lists `chosen` belong."""
        return int(self.ballots[np.unique(self.first[chosen])].sum())

    def by_unit(self, q, says):
        """Return the points that the units of query `q` give to items, and the actual and the expected counts of draws.

        A unit is a list, or all lists of one comparison. ``says[l, i]`` is the number of points that list l gives to
        item i. The first returned array has the shape (n_units, n_items). Its entry (u, i) is the number of points that
        item i receives whenever unit u is drawn. The second array, of shape (n_units, n_resamples), counts how often
        each unit is drawn. The third array, of shape (n_units,), contains the expected values of these counts.
        """
        own = slice(*self.list_ptr[q : q + 2])
        first = self.first[own] - own.start
        heads, number = np.unique(first, return_inverse=True)
        if len(heads) == len(first):
            return says, self._counts(q), self.ballots[own]
        total = np.zeros((len(heads), says.shape[1]))
        np.add.at(total, number, says)
        return total, self._counts(q)[heads], self.ballots[own][heads]


class _CommonDraws(_Draws):
    """Random draws of voters, queries or groups; all lists of a drawn voter, query or group are drawn together.

    `unit`, of shape (n_lists,), contains the number of the voter, query or group that each list belongs to.
    """

    def __init__(self, list_ptr, weight, unit, n_units, n_resamples, seed):
        super().__init__(list_ptr, weight, np.full(len(list_ptr) - 1, n_units), n_resamples, seed)
        self.unit = unit

    @cached_property
    def n_units_by_query(self):
        """For each query, the number of units (such as voters) with a list of positive weight.

        The array has the shape (n_queries,).
        """
        ranges = [np.arange(*own) for own in pairwise(self.list_ptr.tolist())]
        return np.array([self.n_units_of(own) for own in ranges])

    @cached_property
    def _counts(self):
        return _draw(np.random.default_rng(self.seed), int(self.n_units[0]), self.n_resamples)

    def units(self, start, stop):
        """For queries `start` to `stop` - 1, return how often each unit is drawn, and the unit of each list.

        A unit is a voter, a query or a group. The counts have the shape (n_units, n_resamples).
        """
        return self._counts, self.unit[self.list_ptr[start] : self.list_ptr[stop]]

    def n_units_of(self, chosen):
        """Return the number of units (such as voters) to which the lists `chosen` belong.

        Lists of weight 0 are ignored.
        """
        return len(np.unique(self.unit[chosen[self.weight[chosen] > 0]]))

    def by_unit(self, q, says):
        """Return the points that the units of query `q` give to items, and the actual and the expected counts of draws.

        A unit is a voter, a query or a group. ``says[l, i]`` is the number of points that list l gives to item i. The
        first returned array has the shape (n_units, n_items). Its entry (u, i) is the number of points that item i
        receives whenever unit u is drawn. The second array, of shape (n_units, n_resamples), counts how often each unit
        is drawn. The third array, of shape (n_units,), contains the expected values of these counts.
        """
        total = np.zeros((len(self._counts), says.shape[1]))
        np.add.at(total, self.unit[slice(*self.list_ptr[q : q + 2])], says)
        return total, self._counts, np.ones(len(total))


def _draw(rng, n, n_resamples):
    """Count how often each unit is drawn in each of `n_resamples` resamples.

    A resample consists of n draws with replacement from n units. The counts have the shape (n, n_resamples).
    """
    drawn = rng.integers(0, n, size=(n_resamples, n))
    drawn += np.arange(0, n * n_resamples, n)[:, None]
    return np.bincount(drawn.ravel(), minlength=n * n_resamples).reshape(n_resamples, n).T.astype(np.float64, order="C")


def _draw_ballots(rng, ballots, n_resamples):
    """Count the drawn ballots of each list in each of `n_resamples` resamples.

    `ballots`, of shape (n_lists,), dtype=int64, contains the number of ballots of each list, and n is their sum. A
    resample consists of n draws with replacement from the n ballots. The counts have the shape (n_lists, n_resamples),
    and their distribution is exactly multinomial.
    """
    n_lists, n = len(ballots), int(ballots.sum())
    # All three algorithms draw from the same distribution. The limits come from measured times.
    if n >= (n_lists / 4) ** 2:
        return np.ascontiguousarray(rng.multinomial(n, ballots / n, size=n_resamples).T, dtype=np.float64)
    if n >= 8 * n_lists:
        counts = _poisson_counts(rng, ballots, n_resamples)
        missing = n - counts.sum(axis=0).astype(np.int64)
    else:
        counts, missing = np.zeros((n_lists, n_resamples)), np.full(n_resamples, n)
    list_of_ballot = np.repeat(np.arange(n_lists), ballots)
    cell = list_of_ballot[rng.integers(0, n, size=missing.sum())]
    cell *= n_resamples
    cell += np.repeat(np.arange(n_resamples), missing)
    np.add.at(counts.reshape(-1), cell, 1.0)
    return counts


def _poisson_counts(rng, ballots, n_resamples):
    """Draw Poisson numbers with means proportional to `ballots`, as an array of shape (n_lists, n_resamples).

    Each column is a draw. Let n be the sum of `ballots`. The expected total of a draw is four standard deviations below
    n, and a draw with a total above n is repeated. Given their total, the numbers of a draw have a multinomial
    distribution. The caller draws the ballots that are missing from n one by one.
    """
    n = ballots.sum()
    mean = (ballots * (1 - 4 / np.sqrt(n)))[:, None]
    counts = rng.poisson(mean, size=(len(ballots), n_resamples)).astype(np.float64)
    while len(wrong := np.flatnonzero(counts.sum(axis=0) > n)):
        counts[:, wrong] = rng.poisson(mean, size=(len(ballots), len(wrong)))
    return counts
