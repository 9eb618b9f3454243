"""Splitter of the lists of each query, for methods that are fitted to each query separately."""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import KFold
from sklearn.utils import check_random_state

from .._data._frames import show_id
from .._data._list_columns import COUNTED, grouping
from .._data._ranked_lists import check_lists, encode_plain
from .._data._types import PlainLists
from .._data._votes import first_of_each_unit
from .._support._values import is_integer
from ..exceptions import InputError, InputTypeError

__all__ = ["VoterKFold"]

# NumPy can draw only if a query has fewer lists than this number.
_MOST = 10**9


class VoterKFold:
    """Split the lists of each query into folds; each fold is the test set once.

    Scikit-learn's functions cannot use this splitter, because they treat each query as one sample. The training set and
    the test set contain lists of all queries. A set is given as a weight for each list; lists outside the set have
    weight 0. All items therefore stay candidates.

    Parameters
    ----------
    n_splits : int, default=5
        Number of folds, at least 2.
    shuffle : bool, default=False
        Whether to divide the lists of a query at random. Otherwise each fold consists of neighbouring lists in the
        order of the voters.
    random_state : int, RandomState instance or None, default=None
        Seed of the shuffle. The folds of a query do not depend on the other queries.
    groups : str, default=None
        Name of a grouping, such as "judge" or "prompt". All lists of a group are held out together. The numbers of
        groups in the folds of a query then differ by at most 1.

    See Also
    --------
    QueryKFold : Holds out whole queries, for methods that learn from all queries together.
    cross_val_likelihood : Computes the likelihood of the held-out lists.
    skrankagg.RankedLists.with_list_weight : Gives lists other weights.

    Notes
    -----
    A list of weight 1 is in the test set of one fold, and in the training sets of all other folds. Lists of weight 0
    are in no test set.

    If all weights of a query are integers, a list of weight w represents w equal lists, such as ballots or comparisons.
    With ``shuffle=True`` these w lists are divided among the folds. With ``shuffle=False`` a weight above 1 raises an
    error, because one fold would hold out all w lists together. If some weights of a query are not integers, lists are
    never divided.

    The numbers of lists in the folds of a query differ by at most 1. If a query has fewer lists than folds, the last
    folds have no test list of the query, and their training sets contain all lists of the query. If a query has only
    one list, the fold that tests the list has no training list of the query.

    :meth:`skrankagg.RankedLists.from_comparisons` accepts outcomes in which an item has only a share of the win, or in
    which a factor multiplies the weight of the comparison. A comparison with a fractional share or such a factor counts
    as a single comparison, whatever its weight. Its lists are held out together, and its weight is not divided. Equal
    comparisons that were merged into one list are divided among the folds, even if other weights of the query are not
    integers.

    Comparisons by the same judge are separate lists. They are held out together only with ``groups="judge"``.

    Examples
    --------
    >>> from skrankagg import RankedLists
    >>> from skrankagg.model_selection import VoterKFold
    >>> lists = RankedLists.from_lists([["a", "b"], ["b", "a"], ["a", "c"], ["c", "b"]])
    >>> for train, test in VoterKFold(2).split(lists):
    ...     print(train, test)
    [0. 0. 1. 1.] [1. 1. 0. 0.]
    [1. 1. 0. 0.] [0. 0. 1. 1.]
    >>> lists.with_list_weight(train).candidate_weight
    array([1., 1., 0.])
    """

    def __init__(
        self,
        n_splits: int = 5,
        *,
        shuffle: bool = False,
        random_state: int | np.random.RandomState | None = None,
        groups: str | None = None,
    ) -> None:
        KFold(n_splits, shuffle=shuffle, random_state=random_state)  # raises for invalid arguments
        self.n_splits = n_splits
        self.shuffle = shuffle
        self.random_state = random_state
        self.groups = groups

    def split(
        self, X: PlainLists, y: object = ..., groups: object = ...
    ) -> Iterator[tuple[NDArray[np.float64], NDArray[np.float64]]]:
        """Generate the weights of the lists in each training and test set.

        Parameters
        ----------
        X : DataFrame or RankedLists of n_queries queries, or dict or list of lists
            Ranked lists; see RankedLists.from_runs for a dict and RankedLists.from_lists for a list.
        y, groups : object
            Must not be passed. Only scikit-learn passes these arguments, and it cannot use this splitter.

        Yields
        ------
        train, test : ndarray of shape (n_lists,), dtype=float64
            Weights for ``lists.with_list_weight``, in the order of the lists of RankedLists: by query, then by voter.
            `train` and `test` add up to the weights of the lists. All test sets together also add up to these weights.

        Raises
        ------
        TypeError
            If the method is called as scikit-learn calls splitters of samples.
        ValueError
            If `shuffle` is False and all weights of a query are integers, but a weight is above 1.
        """
        if y is not ... or groups is not ...:
            raise InputTypeError(
                "VoterKFold divides the lists within each query, but the samples of scikit-learn's functions are "
                "queries. Hold out queries with QueryKFold, or lists with cross_val_likelihood."
            )
        lists = check_lists(encode_plain(X), (self.groups,))
        weight = lists.list_weight
        seed = self.random_state
        if self.shuffle and not is_integer(seed):
            seed = check_random_state(seed).randint(2**31 - 1)
        tests = np.zeros((self.n_splits, lists.n_lists))
        group = None if self.groups is None else grouping(lists, self.groups, "groups")[0]
        n_copies, first = _copies(lists)
        for q in range(lists.n_queries):
            own = slice(lists.list_ptr[q], lists.list_ptr[q + 1])
            if group is None:
                counts = self._divide(n_copies[own], lists.queries, q, seed)[:, first[own] - own.start]
                # A list of weight 0 may share a comparison with another list.
                tests[:, own] = counts * (weight[own] / np.maximum(n_copies[first[own]], 1))
                continue
            counted = lists.list_ptr[q] + np.flatnonzero(weight[own] > 0)
            found, number = np.unique(group[counted], return_inverse=True)
            counts = self._divide(np.ones(len(found), dtype=np.int64), lists.queries, q, seed)
            tests[:, counted] = counts[:, number] * weight[counted]
        for test in tests:
            yield weight - test, test

    def get_n_splits(self, X: object = None, y: object = None, groups: object = None) -> int:
        """Return the number of folds.

        Parameters
        ----------
        X, y, groups : object
            Ignored.

        Returns
        -------
        int
            The parameter `n_splits`.
        """
        return self.n_splits

    def __repr__(self) -> str:
        groups = "" if self.groups is None else f", groups={self.groups!r}"
        return f"VoterKFold(n_splits={self.n_splits}, shuffle={self.shuffle}, random_state={self.random_state}{groups})"

    def _divide(self, left, queries, q, seed):
        """Distribute the lists of a query among the test sets; a list may represent several equal lists.

        `left`, of shape (n_lists,) and dtype int64, contains the number of equal lists that each list represents. The
        result, of shape (n_splits, n_lists), contains the number of these equal lists in each test set.
        """
        if left.max() > 1 and not self.shuffle:
            raise InputError(
                "`shuffle` must be True for weights above 1, or one fold would hold out all copies of a list; got "
                f"False and the weight {left.max():g} in query {show_id(queries, q)}. Pass shuffle=True."
            )
        if left.sum(dtype=np.float64) >= _MOST:
            raise InputError(
                f"The list weights of query {show_id(queries, q)} must add up to less than {_MOST:g}; their sum is "
                f"{left.sum(dtype=np.float64):g}. Divide all weights by the same number."
            )
        # If the lists cannot be divided evenly, each of the first folds gets one more list.
        sizes = (left.sum() + np.arange(self.n_splits)[::-1]) // self.n_splits
        if not self.shuffle:
            fold = np.repeat(np.arange(self.n_splits), sizes)
            counts = np.zeros((self.n_splits, len(left)))
            counts[fold, np.flatnonzero(left)] = 1.0
        else:
            digest = blake2b(str(queries[q]).encode(), digest_size=8).digest()
            rng = np.random.default_rng([abs(int(seed)), int.from_bytes(digest, "little")])
            counts = np.empty((self.n_splits, len(left)))
            for k, size in enumerate(sizes):
                drawn = rng.multivariate_hypergeometric(left, size, method="marginals")
                counts[k], left = drawn, left - drawn
        return counts


def _copies(lists):
    """Return the number of equal lists that each list represents, and the first list of each list's comparison.

    Both arrays have the shape (n_lists,). The second array contains positions of lists. A paired comparison with a
    fractional outcome is stored as several lists, which stay together: the first list counts as 1, and the others
    count as 0. A list that is not part of such a comparison is its own first list.

    In a query with fractional weights, every list with a positive weight counts as one list. Only a list that was
    merged from several equal comparisons still counts as often as its weight states.
    """
    weight, first = lists.list_weight, first_of_each_unit(lists)
    marks = np.zeros(lists.n_lists, dtype=np.int64) if lists.list_duel is None else lists.list_duel
    counted, shared = marks == COUNTED, marks > 0
    whole = np.logical_and.reduceat(counted | shared | (weight % 1 == 0), lists.list_ptr[:-1])[lists.list_query]
    # Weights beyond int64 are refused later, because their sum is too large.
    votes = np.minimum(weight, 2.0**62).astype(np.int64)
    n_copies = np.where(~shared & (counted | whole), votes, weight > 0)
    with_weight = np.zeros(lists.n_lists, dtype=bool)
    np.logical_or.at(with_weight, first, weight > 0)
    is_first = first == np.arange(lists.n_lists)
    return np.where(shared, is_first & with_weight, n_copies), first
