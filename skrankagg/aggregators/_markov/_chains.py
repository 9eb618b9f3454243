"""Transition probabilities of the chains of Dwork et al., DeConde et al. and Negahban et al.

Each chain can treat absent items in two ways, which give the same result if all lists contain all items:

>>> import numpy as np
>>> from skrankagg.aggregators._markov._chains import CHAINS
>>> above, level = np.array([[0.0, 2.0], [1.0, 0.0]]), 3 * np.eye(2)
>>> held = np.array([3.0, 3.0])
>>> CHAINS["mct"].transitions(above, level, held)
array([[0.83333333, 0.16666667],
       [0.33333333, 0.66666667]])
>>> CHAINS["mct"].completed(above, level, held, np.array(3.0))
array([[0.83333333, 0.16666667],
       [0.33333333, 0.66666667]])
"""

import numpy as np

from ..._arrays import TOLERANCE
from ._walks import n_at_or_above


class MC1:
    """Chain that moves to a random entry at or above the current item, among the entries of all lists with this item.

    A chain has three functions. ``row_weight(lists, absent)`` returns a value for each row, as an array of shape
    (n_rows,). Each pair of the row's item and a better item of the same list counts with this value. None means that
    each pair counts with the weight of the list.

    ``transitions(above, level, held)`` returns probabilities of shape (..., n, n) for moving from the row's item to the
    column's item. Only lists that contain both items compare them. `above` contains sums of the values from
    ``row_weight`` over the lists that rank the row's item above the column's item. `level` contains the sums over the
    lists that tie the two items; its diagonal contains the sums over the lists that contain the item. `held`, of shape
    (..., n), is the weight of the lists that contain the item. If no list contains the current item, the chain stays
    there.

    ``completed(above, level, held, total)`` returns the same probabilities for completed lists: the absent items of a
    list are tied at its end. `total`, of shape (...,), is the weight of all lists. The preferences for absent items are
    computed from `held` and `total`, so the lists themselves are not extended.

    If `goes_up` is True, the moves can also be computed by :class:`ListMoves`. In a completed list, every item is at or
    above an absent item, so the chain can move from an absent item to every item. ``to_all(held, total)`` returns the
    value of these moves from each item, as an array of shape (..., n).
    """

    goes_up = True

    @staticmethod
    def row_weight(lists, absent):
        return None

    @staticmethod
    def transitions(above, level, held):
        return _draw(_reverse(above) + level)

    @staticmethod
    def to_all(held, total):
        return np.maximum(np.asarray(total)[..., None] - held, 0.0)

    @classmethod
    def completed(cls, above, level, held, total):
        moves = _reverse(above) + level
        moves += cls.to_all(held, total)[..., :, None]
        return _draw(_among_states(moves, held))


class MC2(MC1):
    """Chain that draws a list with the current item, then moves to a random entry of the list at or above the item.

    The values of ``row_weight`` are such that the moves from an item within a list add up to the weight of the list.
    Apart from these values, the transitions are computed as for MC1.
    """

    @staticmethod
    def row_weight(lists, absent):
        return lists.list_weight[lists.row_list] / n_at_or_above(lists.row_ptr, lists.rank)

    @staticmethod
    def to_all(held, total):
        return MC1.to_all(held, total) / _n_states(held)[..., 0]


class MC3:
    """Chain that draws a list with the current item, and then an entry of this list.

    The walker moves to the entry if the entry is above the current item.
    """

    goes_up = False

    @staticmethod
    def row_weight(lists, absent):
        # Completed lists have equal lengths.
        return None if absent == "last" else (lists.list_weight / lists.list_length)[lists.row_list]

    @staticmethod
    def transitions(above, level, held):
        return _stay_with_the_rest(_reverse(above) / np.where(held > 0, held, 1.0)[..., None])

    @staticmethod
    def completed(above, level, held, total):
        # A completed list ranks the column's item above the row's item if the list contains the column's item, and does
        # not contain the row's item at or above this item.
        moves = held[..., None, :] - above
        moves -= level
        moves /= _share_of(total) * _n_states(held)
        return _stay_with_the_rest(_among_states(moves, held))


class MC4:
    """Chain that draws a random item, and moves to it if a majority prefers the drawn item to the current item."""

    goes_up = False

    @staticmethod
    def row_weight(lists, absent):
        return None

    @staticmethod
    def transitions(above, level, held):
        return _stay_with_the_rest(_follow(_reverse(above) - above, held, held.max(axis=-1)))

    @staticmethod
    def completed(above, level, held, total):
        moves = _follow(_completed_margins(above, held), held, total)
        return _stay_with_the_rest(_among_states(moves, held))


class MCT:
    """Chain that draws a random item, and moves to it with the probability that a list prefers the drawn item.

    This probability is the share of the lists that prefer the drawn item to the current item; a tie counts half.
    """

    goes_up = False

    @staticmethod
    def row_weight(lists, absent):
        return None

    @staticmethod
    def transitions(above, level, held):
        both = _reverse(above) + above
        both += level
        moves = np.divide(level, 2, order="C")
        moves += _reverse(above)
        apart = both == 0
        both[apart] = 1.0
        moves /= both
        moves[apart] = 0.5
        moves *= (held > 0)[..., None, :] & (held > 0)[..., :, None]
        moves /= _n_states(held)
        return _stay_with_the_rest(moves)

    @staticmethod
    def completed(above, level, held, total):
        # Completed lists contain both items. The weight of the lists that prefer the column's item, plus half of the
        # weight of the ties, is half of the total weight plus half of the margin.
        moves = _completed_margins(above, held)
        moves /= 2 * _share_of(total)
        moves += 0.5
        moves /= _n_states(held)
        return _stay_with_the_rest(_among_states(moves, held))


class RankCentrality:
    """Chain that moves as MCT does, but draws among d items, where d is the largest number of opponents of any item.

    The walker never moves between two items that no list compares. If an item has fewer opponents, the walker stays on
    it more often.
    """

    goes_up = False

    @staticmethod
    def row_weight(lists, absent):
        return None

    @staticmethod
    def transitions(above, level, held):
        both = _reverse(above) + above
        both += level
        apart = both == 0
        both[apart] = 1.0
        moves = np.divide(level, 2, order="C")
        moves += _reverse(above)
        moves /= both
        # The diagonal counts the lists of the item itself, which compare it with no opponent.
        n_opponents = (~apart).sum(axis=-1) - (held > 0)
        moves /= np.maximum(n_opponents.max(axis=-1), 1)[..., None, None]
        return _stay_with_the_rest(moves)

    @staticmethod
    def completed(above, level, held, total):
        # Completed lists compare all items.
        moves = _completed_margins(above, held)
        moves /= 2 * _share_of(total)
        moves += 0.5
        moves /= np.maximum(_n_states(held) - 1, 1)
        return _stay_with_the_rest(_among_states(moves, held))


CHAINS = {"mc1": MC1, "mc2": MC2, "mc3": MC3, "mc4": MC4, "mct": MCT, "rank-centrality": RankCentrality}


def _reverse(above):
    """Transpose `above`, so that rows are the current items of the chain, and columns are the better items."""
    return np.ascontiguousarray(above.swapaxes(-1, -2))


def _completed_margins(above, held):
    """Return the margin of the column's item over the row's item in the completed lists, as a total weight."""
    margin = _reverse(above) - above
    # Add the lists with only the column's item, and subtract the lists with only the row's item.
    margin += held[..., None, :]
    margin -= held[..., :, None]
    return margin


def _share_of(total):
    return np.where(total > 0, total, 1.0)[..., None, None]


def _follow(margin, held, total):
    # A margin that may be a rounding error is not a majority.
    majority = margin > TOLERANCE * total[..., None, None]
    return np.divide(majority, _n_states(held), out=margin)  # in place, because the matrices may be large


def _n_states(held):
    return np.maximum((held > 0).sum(axis=-1), 1)[..., None, None]


def _among_states(moves, held):
    """Replace negative values, which come from rounding, by 0; remove moves from and to items that no list contains."""
    np.maximum(moves, 0.0, out=moves)
    if not (held > 0).all():
        moves *= (held > 0)[..., None, :] & (held > 0)[..., :, None]
    return moves


def _draw(moves):
    """Convert moves to probabilities: in each row, divide the values of the moves by their sum.

    If the sum is 0, the chain stays at the item of the row.
    """
    total = moves.sum(axis=-1, keepdims=True)
    moves /= np.where(total > 0, total, 1.0)
    return _stay_with_the_rest(moves)


def _stay_with_the_rest(moves):
    """Set the diagonal so that each row adds up to 1: with the remaining probability the chain stays at its item."""
    items = np.arange(moves.shape[-1])
    moves[..., items, items] = 0.0
    moves[..., items, items] = np.maximum(1.0 - moves.sum(axis=-1), 0.0)
    return moves
