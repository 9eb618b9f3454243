"""Voting rules that resolve majority cycles; all of them use the matrix of pairwise preferences.

Without cycles, Schulze's rule and ranked pairs give the order on which all majorities agree. In a cycle, both rules
drop the weakest majorities, but in different ways. Minimax compares only the worst defeats of the items.
"""

from typing import Literal

import numpy as np
import numpy.typing as npt

from ..._arrays._many_weights import score_many_weights, weigh_many_preferences
from ..._arrays._ordinal_codes import dense_codes, ordered_bits, span_codes
from ..._arrays._pairwise import candidates_of, preference_blocks
from ..._arrays._preferences import margins, n_rows_above
from ..._arrays._ragged import sort_codes
from ..._arrays._weight_units import count_in_units
from ..._kernels import locked_arcs
from ..._support._memory import check_matrix
from ..._support._sklearn import StrOptions
from ...base import BaseAggregator
from ...base._voter_weights import VOTER_WEIGHTS, VoterWeights

__all__ = ["Minimax", "RankedPairs", "Schulze", "locked_pairs", "widest_paths"]


# Largest number of rows, and largest number of cells, that are sorted in one call. A call must not take a second,
# because Ctrl-C cannot interrupt it.
_STRIP, _SORT_CELLS = 256, 1 << 22
# Largest size of a matrix that `_widen` treats as a whole, because it stays in the cache. Number of rows of a larger
# matrix that are treated together.
_CACHED_BYTES, _ROWS = 1 << 19, 128
# Cells of the matrices of replicates that are scored in one call.
_REPLICATE_CELLS = 1 << 20


def widest_paths(strength: npt.ArrayLike) -> npt.NDArray[np.float64]:
    """For each ordered pair of items, find the path that maximises the strength of its weakest arc.

    Parameters
    ----------
    strength : ndarray of shape (n_items, n_items)
        Strength of the arc from the row's item to the column's item; 0 where there is no arc.

    Returns
    -------
    ndarray of shape (n_items, n_items), dtype=float64
        Strength of the weakest arc of the best path from the row's item to the column's item; 0 where there is no path.

    See Also
    --------
    Schulze : Ranks items by these paths.

    Examples
    --------
    >>> import numpy as np
    >>> from skrankagg.aggregators import widest_paths
    >>> widest_paths(np.array([[0, 5, 0], [0, 0, 3], [1, 0, 0]]))
    array([[0., 5., 3.],
           [1., 0., 3.],
           [1., 1., 0.]])
    """
    check_matrix("widest_paths", len(strength), 29.0)
    strength = np.asarray(strength, dtype=np.float64)
    codes, values = _arc_codes(strength)
    path = _widen(np.array(codes))
    if values is not None:
        path = values[path]
    np.fill_diagonal(path, 0.0)
    return path


def _arc_codes(strength):
    """Encode strengths as small integers, which can be compared faster.

    Returns the codes, and an array with the strength of each code. If there is no such encoding, returns the strengths
    and None.
    """
    codes = span_codes(strength)
    if codes is None and strength.size <= _SORT_CELLS and not np.isnan(strength).any():
        codes = dense_codes(strength)
    return (strength, None) if codes is None else codes


def _widen(path):
    """Replace the strength of each arc by the strength of the widest path between its ends, in place.

    `path` has shape (n, n) or (n, n, n_queries).
    """
    n = len(path)
    if path.nbytes <= _CACHED_BYTES:
        _widen_rows(path, path, 0, n, np.empty_like(path))
        return path
    narrow = np.empty((min(n, _ROWS), *path.shape[1:]), dtype=path.dtype)
    # Add paths through the first _ROWS items, then paths through the next _ROWS items, and so on. The rows of these
    # items are widened first. Then each strip of other rows stays in the cache until all paths through these items are
    # added.
    for first in range(0, n, _ROWS):
        last = min(first + _ROWS, n)
        others = [(start, min(start + _ROWS, n)) for start in range(0, n, _ROWS) if start != first]
        for start, stop in [(first, last), *others]:
            _widen_rows(path[start:stop], path, first, last, narrow[: stop - start])
    return path


def _widen_rows(rows, path, first, last, narrow):
    """Raise the strengths in `rows` wherever a path through the items from `first` to ``last - 1`` is stronger.

    `rows` is a view of some rows of `path`, and `narrow` is a buffer.
    """
    for via in range(first, last):
        np.minimum(rows[:, via, None], path[None, via], out=narrow)
        np.maximum(rows, narrow, out=rows)


def locked_pairs(strength: npt.ArrayLike, tie_break: npt.ArrayLike | None = None) -> npt.NDArray[np.bool_]:
    """Lock arcs from the strongest to the weakest, leaving out arcs that would close a cycle.

    Parameters
    ----------
    strength : ndarray of shape (n_items, n_items)
        Strength of the arc from the row's item to the column's item; 0 where there is no arc.
    tie_break : ndarray of shape (n_items, n_items), default=None
        Among arcs of equal strength, arcs with larger values come first. Remaining ties are resolved by the order of
        the items.

    Returns
    -------
    ndarray of shape (n_items, n_items), dtype=bool
        True where a path of locked arcs leads from the row's item to the column's item.

    See Also
    --------
    RankedPairs : Ranks items by the locked arcs.

    Examples
    --------
    >>> import numpy as np
    >>> from skrankagg.aggregators import locked_pairs
    >>> locked_pairs(np.array([[0, 5, 0], [0, 0, 3], [1, 0, 0]]))
    array([[False,  True,  True],
           [False, False,  True],
           [False, False, False]])
    """
    check_matrix("locked_pairs", len(strength), 45.0)
    strength = np.asarray(strength, dtype=np.float64)
    return _lock(strength[None], None if tie_break is None else np.asarray(tie_break, dtype=np.float64)[None])[0]


def _lock(strength, tie_break):
    """Lock arcs from the strongest to the weakest in many queries, as :func:`locked_pairs` does for one query.

    All arrays have shape (n_queries, n, n).
    """
    n_queries, n, _ = strength.shape
    arc = np.flatnonzero(strength > 0)
    keys = [(arc // n**2).astype(np.int32)] if n_queries > 1 else []
    for descending in (strength, tie_break):
        if descending is not None:
            value = -descending.reshape(-1)[arc]
            keys.append((span_codes(value) or dense_codes(value))[0])
    order, _ = sort_codes(keys, [int(key.max(initial=0)) + 1 for key in keys])
    return locked_arcs(arc[order], n, n_queries)


def sorted_defeats(strength):
    """For each item, encode the strengths of the arcs to the item, and sort them from the strongest to the weakest.

    The result has shape (..., n, n - 1), because there is no arc from an item to itself.
    """
    codes = span_codes(strength)
    defeats = np.array((ordered_bits(strength) if codes is None else codes[0]).swapaxes(-1, -2), order="C")
    n = defeats.shape[-1]
    defeats[..., np.arange(n), np.arange(n)] = 0
    # For bytes, the stable sort is a counting sort, which takes a seventh of the time. For wider numbers, the default
    # sort uses vector instructions.
    kind = "stable" if defeats.dtype.itemsize == 1 else None
    for first in range(0, n, _STRIP):
        defeats[..., first : first + _STRIP, :].sort(axis=-1, kind=kind)
    return defeats[..., :0:-1]


class _BasePairwise(BaseAggregator):
    _parameter_constraints: dict = {
        "strength": [StrOptions({"margin", "votes"})],
        "absent": [StrOptions({"last", "ignore"})],
        **VOTER_WEIGHTS,
    }
    _tags = {"condorcet_winner": True}

    def __init__(
        self,
        *,
        strength: Literal["margin", "votes"] = "margin",
        absent: Literal["last", "ignore"] = "last",
        voter_weights: VoterWeights | None = None,
    ):
        self.strength = strength
        self.absent = absent
        self.voter_weights = voter_weights

    def _aggregate(self, lists):
        score, lists = np.empty(lists.n_candidates), count_in_units(lists)[0]
        for queries, prefer in preference_blocks(lists, self.absent):
            score[candidates_of(lists, queries)] = self._score_preferences(prefer)
        return score

    def _score_preferences(self, prefer):
        """Compute scores of shape (n_queries, n) from preferences of shape (n_queries, n, n)."""
        margin = _round(margins(prefer))
        np.negative(margin, out=margin)
        return self._score(_round(prefer), margin)

    def _repeat_many(self, lists):
        def score_query(ranks, counts):
            some = max(1, _REPLICATE_CELLS // ranks.shape[1] ** 2)
            parts = (counts[:, first : first + some] for first in range(0, counts.shape[1], some))
            scores = [self._score_preferences(weigh_many_preferences(ranks, part, self.absent)) for part in parts]
            return np.concatenate(scores).T

        return score_many_weights(lists, score_query, super()._repeat_many(lists))

    def _arcs(self, prefer, margin):
        """Return the strength of the majority that prefers the row's item to the column's item; 0 means no majority."""
        return np.where(margin > 0, margin if self.strength == "margin" else prefer, 0.0)


def _round(stack):
    """Round sums of weights to multiples of 1e-11 times the largest sum of the query.

    The order in which the weights were added then has no effect.
    """
    scale = np.maximum(stack.max(axis=(-1, -2), initial=0.0), -stack.min(axis=(-1, -2), initial=0.0))
    # Integers below 2^53 add up without rounding. Above 2^53 all floats are integers, also after rounding.
    rough = ~((scale < 2**53) & (np.trunc(stack) == stack).all(axis=(-1, -2)))
    if not rough.any():
        return stack
    unit = scale[rough][:, None, None]
    part = stack[rough]
    part /= unit
    np.round(part, 11, out=part)
    part *= unit
    if rough.all():
        return part
    rounded = np.array(stack)
    rounded[rough] = part
    return rounded


class Schulze(_BasePairwise):
    r"""Rank items by the strongest chains of majorities between every two items.

    For two items a and b, compare the strongest chain of majorities from a to b with the strongest chain from b to a.
    If the first chain is stronger, a is above b.

    Parameters
    ----------
    strength : {"margin", "votes"}, default="margin"
        Strength of a majority. "margin" is the weight of the winning side minus the weight of the losing side; "votes"
        is the weight of the winning side.
    absent : {"last", "ignore"}, default="last"
        How to treat items missing from a list: "last" ties them below the items of the list; "ignore" leaves them out.
        Use "ignore" for paired comparisons.
    voter_weights : mapping or pandas.Series of voter to float, default=None
        Weights of the voters; they multiply the weights of the lists.

    See Also
    --------
    widest_paths : Computes the strongest chains.
    RankedPairs : Also drops the weakest majorities of a cycle, but in a different way.
    Kemeny : The order with the fewest disagreements.

    Notes
    -----
    A chain of majorities is a path in the graph of the majorities. The strength of a path is the strength of its
    weakest majority. Let :math:`p_{ij}` be the strength of the strongest path from item :math:`i` to item :math:`j`.
    Item :math:`i` is above item :math:`j` if :math:`p_{ij} > p_{ji}` [1]_. This relation has no cycles. `score` is the
    number of items below the item, so items may tie. A draw is not a majority. Margins of at most :math:`10^{-12}`
    times the query's total weight are draws. Each query takes time :math:`O(n^3)` and memory :math:`O(n^2)`.

    References
    ----------
    .. [1] M. Schulze, "A new monotonic, clone-independent, reversal symmetric, and Condorcet-consistent single-winner
       election method", Social Choice and Welfare 36, 2011.

    Examples
    --------
    >>> import pandas as pd
    >>> lists = pd.DataFrame({
    ...     "query": "q",
    ...     "voter": ["u", "u", "u", "v", "v", "v", "w", "w"],
    ...     "item": ["a", "b", "c", "b", "a", "d", "b", "c"],
    ...     "score": [3.0, 2.0, 1.0, 0.9, 0.6, 0.6, 5.0, 4.0],
    ... })
    >>> from skrankagg.aggregators import Schulze
    >>> Schulze().fit_transform(lists)
      query item  score  rank
    0     q    b    3.0     1
    1     q    a    2.0     2
    2     q    c    1.0     3
    3     q    d    0.0     4
    """

    _guide = {"absent": "as `Kemeny`", "ties": "not compared", "cost": "$m n^2 + n^3$"}
    _cost_terms = ("m n^2", "n^2", "n^3")
    _pair_bytes = 49.0

    def _score(self, prefer, margin):
        path = _arc_codes(self._arcs(prefer, margin))[0]
        if len(path) == 1:
            path = _widen(path[0])
            return np.count_nonzero(path > path.T, axis=1)[None]
        # If the queries are on the last axis, each step covers many adjacent numbers.
        path = _widen(np.ascontiguousarray(path.transpose(1, 2, 0)))
        return np.count_nonzero(path > path.swapaxes(0, 1), axis=1).T


class RankedPairs(_BasePairwise):
    r"""Rank items by majorities that are locked one by one, the strongest first.

    A majority that would close a cycle with locked majorities is left out. So a strong majority is never dropped in
    favour of a weaker majority.

    Parameters
    ----------
    strength : {"margin", "votes"}, default="margin"
        Strength of a majority. "margin" is the weight of the winning side minus the weight of the losing side; "votes"
        is the weight of the winning side.
    absent : {"last", "ignore"}, default="last"
        How to treat items missing from a list: "last" ties them below the items of the list; "ignore" leaves them out.
        Use "ignore" for paired comparisons.
    voter_weights : mapping or pandas.Series of voter to float, default=None
        Weights of the voters; they multiply the weights of the lists.

    See Also
    --------
    locked_pairs : Locks the majorities.
    Schulze : Also drops the weakest majorities of a cycle, but in a different way.
    Kemeny : The order with the fewest disagreements.

    Notes
    -----
    Majorities are sorted by descending strength. Majorities of equal strength are sorted by the weight of the winning
    side, or by the margin if ``strength="votes"``. Remaining ties are resolved by the ids of the winner and the loser.
    A majority that would close a cycle with locked majorities is left out [1]_. `score` is the number of items to which
    a path of locked majorities leads from the item, so items may tie. A draw is not a majority. Margins of at most
    :math:`10^{-12}` times the query's total weight are draws. Sorting takes :math:`O(n^2 \log n)`. Locking takes
    :math:`O(n^3)`, but each step treats 32 items at once. The memory is :math:`O(n^2)` for each query.

    References
    ----------
    .. [1] T. N. Tideman, "Independence of clones as a criterion for voting rules", Social Choice and Welfare 4, 1987.

    Examples
    --------
    >>> import pandas as pd
    >>> lists = pd.DataFrame({
    ...     "query": "q",
    ...     "voter": ["u", "u", "u", "v", "v", "v", "w", "w"],
    ...     "item": ["a", "b", "c", "b", "a", "d", "b", "c"],
    ...     "score": [3.0, 2.0, 1.0, 0.9, 0.6, 0.6, 5.0, 4.0],
    ... })
    >>> from skrankagg.aggregators import RankedPairs
    >>> RankedPairs().fit_transform(lists)
      query item  score  rank
    0     q    b    3.0     1
    1     q    a    2.0     2
    2     q    c    1.0     3
    3     q    d    0.0     4
    """

    _guide = {
        "absent": "as `Kemeny`",
        "ties": "not compared",
        "cost": r"$m n^2 + n^2 \log n$; up to $n^2$ for each majority that does not follow from others",
    }
    _cost_terms = ("m n^2", "n^2 log n", "n^3")
    _tags = {"neutral": False}  # equally strong majorities are locked in the order of ids
    _pair_bytes = 66.0

    def _score(self, prefer, margin):
        arcs = self._arcs(prefer, margin)
        reach = _lock(arcs, prefer if self.strength == "margin" else margin)
        return np.count_nonzero(reach, axis=2)


class Minimax(_BasePairwise):
    r"""Rank items by their worst pairwise defeat; the item with the smallest worst defeat comes first.

    If several items have the same worst defeat, their second worst defeats decide, and so on.

    Parameters
    ----------
    strength : {"margin", "votes"}, default="margin"
        Size of a defeat. "margin" is the weight of the winning side minus the weight of the losing side; "votes" is the
        weight of the winning side.
    absent : {"last", "ignore"}, default="last"
        How to treat items missing from a list: "last" ties them below the items of the list; "ignore" leaves them out.
        Neither value is suitable for paired comparisons, see Notes.
    voter_weights : mapping or pandas.Series of voter to float, default=None
        Weights of the voters; they multiply the weights of the lists.

    See Also
    --------
    Copeland : Counts wins and draws, regardless of the size of the majorities.

    Notes
    -----
    Let :math:`W_{ij}` be the total weight of the lists that rank item :math:`i` above item :math:`j`. The defeat of
    :math:`i` by :math:`j` is :math:`W_{ji} - W_{ij}` [1]_; this number is negative if :math:`i` wins. With
    ``strength="votes"`` the defeat is :math:`W_{ji}` if :math:`W_{ji} > W_{ij}`, and 0 otherwise. Items are sorted by
    their worst defeat, then by the second worst defeat, and so on. The original rule only chooses a winner. `score` is
    the number of items below the item. Two items tie if their sorted defeats are the same. Margins of at most
    :math:`10^{-12}` times the query's total weight are draws. After the pairs are counted, the time is :math:`O(n^2
    \log n)`.

    The size of a defeat is a number of votes, not a share of the votes. In paired comparisons, items that are compared
    more often are therefore ranked lower, even with ``absent="ignore"``. :class:`Schulze` and :class:`RankedPairs` do
    not have this bias.

    References
    ----------
    .. [1] P. B. Simpson, "On defining areas of voter choice: Professor Tullock on stable voting", Quarterly Journal of
       Economics 83, 1969.

    Examples
    --------
    >>> import pandas as pd
    >>> lists = pd.DataFrame({
    ...     "query": "q",
    ...     "voter": ["u", "u", "u", "v", "v", "v", "w", "w"],
    ...     "item": ["a", "b", "c", "b", "a", "d", "b", "c"],
    ...     "score": [3.0, 2.0, 1.0, 0.9, 0.6, 0.6, 5.0, 4.0],
    ... })
    >>> from skrankagg.aggregators import Minimax
    >>> Minimax().fit_transform(lists)
      query item  score  rank
    0     q    b    3.0     1
    1     q    a    2.0     2
    2     q    c    1.0     3
    3     q    d    0.0     4
    """

    _guide = {"absent": "as `Kemeny`", "ties": "not compared", "cost": r"$m n^2 + n^2 \log n$"}
    _cost_terms = ("m n^2", "n^2 log n")
    _pair_bytes = 66.0

    def _score(self, prefer, margin):
        return n_rows_above(sorted_defeats(margin if self.strength == "margin" else self._arcs(prefer, margin)))
