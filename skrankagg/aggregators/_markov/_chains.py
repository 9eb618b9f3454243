"""The chains of Dwork et al., DeConde et al. and Negahban et al.: where the walker goes from an item.

Each is read in two ways, and is the same on lists that hold all items:

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
    """Move to an entry at or above this item, drawn from all lists that hold it.

    A chain has three functions. ``row_weight(lists, absent)`` is what each row counts in the pairs of which it is the
    worse one, of shape (n_rows,), or None where that is the weight of its list.

    ``transitions(above, level, held)`` are the probabilities of moving from the row's item to the column's, of shape
    (..., n, n), where only lists that hold both items compare them: `above` and `level` add up what the rows count
    where a list ranks the row's item above the column's, or both alike, and on the diagonal where it holds the item;
    `held`, of shape (..., n), is the weight of the lists that hold the item. An item that no list holds stays.

    ``completed(above, level, held, total)`` are those where each list ends with the items that it does not hold, tied;
    `total`, of shape (...,), is the weight of all lists. What it says of these items follows from `held` and `total`,
    so that no list is made longer.

    `goes_up` says that the moves are those of :class:`ListMoves`. An item then also goes to every item with what
    ``to_all(held, total)``, (..., n), counts for the lists that end with it.
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
    """Draw a list that holds this item, then an entry of it at or above this item.

    What a list counts for the item and those above it adds up to its weight, so that the rows of MC1 are right.
    """

    @staticmethod
    def row_weight(lists, absent):
        return lists.list_weight[lists.row_list] / n_at_or_above(lists.row_ptr, lists.rank)

    @staticmethod
    def to_all(held, total):
        return MC1.to_all(held, total) / _n_states(held)[..., 0]


class MC3:
    """Draw a list that holds this item, then an entry of it, and move there if it is above this item."""

    goes_up = False

    @staticmethod
    def row_weight(lists, absent):
        # Completed lists are equally long.
        return None if absent == "last" else (lists.list_weight / lists.list_length)[lists.row_list]

    @staticmethod
    def transitions(above, level, held):
        return _stay_with_the_rest(_reverse(above) / np.where(held > 0, held, 1.0)[..., None])

    @staticmethod
    def completed(above, level, held, total):
        # A list that holds the other item has it above this one, unless it has this one at or above it.
        moves = held[..., None, :] - above
        moves -= level
        moves /= _share_of(total) * _n_states(held)
        return _stay_with_the_rest(_among_states(moves, held))


class MC4:
    """Draw any item, and move there if more lists prefer it to this one than this one to it."""

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
    """Draw any item, and move there with the share of the lists that prefer it to this one; a tie counts half."""

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
        # All lists hold both, so that those that prefer the other item, and half of those that tie the two, are half
        # of all lists and of the margin.
        moves = _completed_margins(above, held)
        moves /= 2 * _share_of(total)
        moves += 0.5
        moves /= _n_states(held)
        return _stay_with_the_rest(_among_states(moves, held))


class RankCentrality:
    """Draw one of as many items as the most compared item was compared with, and move there as in MCT.

    A pair that no list compares leads nowhere; a walker on an item with fewer opponents stays more often.
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
        # The diagonal holds the lists of the item itself, which say nothing of its opponents.
        n_opponents = (~apart).sum(axis=-1) - (held > 0)
        moves /= np.maximum(n_opponents.max(axis=-1), 1)[..., None, None]
        return _stay_with_the_rest(moves)

    @staticmethod
    def completed(above, level, held, total):
        # All lists compare all items.
        moves = _completed_margins(above, held)
        moves /= 2 * _share_of(total)
        moves += 0.5
        moves /= np.maximum(_n_states(held) - 1, 1)
        return _stay_with_the_rest(_among_states(moves, held))


CHAINS = {"mc1": MC1, "mc2": MC2, "mc3": MC3, "mc4": MC4, "mct": MCT, "rank-centrality": RankCentrality}


def _reverse(above):
    """Weights by the item that is left and the better one: the walker goes against the preferences' direction."""
    return np.ascontiguousarray(above.swapaxes(-1, -2))


def _completed_margins(above, held):
    """Weight of the lists that prefer the column's item, less that of those that prefer the row's, absent ones last."""
    margin = _reverse(above) - above
    # Of the lists that hold one of the two only, those with the column's item less those with the row's.
    margin += held[..., None, :]
    margin -= held[..., :, None]
    return margin


def _share_of(total):
    return np.where(total > 0, total, 1.0)[..., None, None]


def _follow(margin, held, total):
    # A majority is a margin that rounding cannot explain.
    majority = margin > TOLERANCE * total[..., None, None]
    return np.divide(majority, _n_states(held), out=margin)  # in place, for the matrices may be large


def _n_states(held):
    return np.maximum((held > 0).sum(axis=-1), 1)[..., None, None]


def _among_states(moves, held):
    """Leave out what rounding may have put below 0, and moves from and to items that no list holds."""
    np.maximum(moves, 0.0, out=moves)
    if not (held > 0).all():
        moves *= (held > 0)[..., None, :] & (held > 0)[..., :, None]
    return moves


def _draw(moves):
    """Probabilities in proportion to what leads to each item."""
    total = moves.sum(axis=-1, keepdims=True)
    moves /= np.where(total > 0, total, 1.0)
    return _stay_with_the_rest(moves)


def _stay_with_the_rest(moves):
    """Put what is left of each row on the diagonal."""
    items = np.arange(moves.shape[-1])
    moves[..., items, items] = 0.0
    moves[..., items, items] = np.maximum(1.0 - moves.sum(axis=-1), 0.0)
    return moves
