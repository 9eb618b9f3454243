"""Markov chains: a walker moves from item to better item, and the consensus is where it spends its time."""

import math
from numbers import Integral, Real
from typing import Literal

import numpy as np
import numpy.typing as npt
from sklearn.exceptions import ConvergenceWarning

from .._arrays import TOLERANCE
from .._arrays._pairwise import candidates_of, preference_stacks
from .._arrays._ragged import starts_to_ptr, tie_starts
from .._arrays._weight_units import count_in_units
from .._support._memory import check_memory
from .._support._sklearn import Interval, StrOptions
from .._support._threads import one_blas_thread
from .._support._warn import warn_user
from ..base import BaseAggregator, Consensus
from ..base._tags import TagsOfAggregator
from ..base._voter_weights import VOTER_WEIGHTS, VoterWeights

__all__ = ["MarkovChain", "stationary_distribution"]

# Items up to which a linear solve is about the faster way, measured: a walk takes 30 to 170 steps.
_SOLVE_ITEMS = 1000


class MC1:
    """Move to an entry at or above this item, drawn from all lists that hold it.

    A chain is read in two ways. By the papers only lists that hold both items compare them. ``row_weight(lists)`` is
    what each row counts in the pairs of which it is the worse one, of shape (n_rows,), or None where that is the weight
    of its list. ``transitions(above, level, held)`` are the probabilities of moving from the row's item to the
    column's, of shape (..., n, n): `above` and `level` add up what the rows count where a list ranks the row's item
    above the column's, or both alike, and on the diagonal where it holds the item; `held`, of shape (..., n), is the
    weight of the lists that hold the item. An item that no list holds stays.

    ``completed_row_weight(lists)`` and ``completed(above, level, held, total)`` are the same where each list ends with
    the items that it does not hold, tied; `total`, of shape (...,), is the weight of all lists. What it says of these
    items follows from `held` and `total`, so that no list is made longer.
    """

    @staticmethod
    def row_weight(lists):
        return None

    @staticmethod
    def transitions(above, level, held):
        return _draw(_reverse(above) + level)

    @staticmethod
    def completed_row_weight(lists):
        return None

    @staticmethod
    def completed(above, level, held, total):
        moves = _reverse(above) + level
        # To a list that ends with this item all items are at or above it.
        moves += (total[..., None] - held)[..., :, None]
        return _draw(_among_states(moves, held))


class MC2(MC1):
    """Draw a list that holds this item, then an entry of it at or above this item.

    What a list counts for the item and those above it adds up to its weight, so that the rows of MC1 are right.
    """

    @staticmethod
    def row_weight(lists):
        ptr = starts_to_ptr(tie_starts(lists.row_ptr, lists.rank))
        last = np.repeat(ptr[1:], np.diff(ptr))
        at_or_above = last - lists.row_ptr[:-1][lists.row_list]
        return lists.list_weight[lists.row_list] / at_or_above

    @staticmethod
    def completed_row_weight(lists):
        return MC2.row_weight(lists)

    @staticmethod
    def completed(above, level, held, total):
        moves = _reverse(above) + level
        moves += (total[..., None] - held)[..., :, None] / _n_states(held)
        return _draw(_among_states(moves, held))


class MC3(MC1):
    """Draw a list that holds this item, then an entry of it, and move there if it is above this item."""

    @staticmethod
    def row_weight(lists):
        return (lists.list_weight / lists.list_length)[lists.row_list]

    @staticmethod
    def transitions(above, level, held):
        return _stay_with_the_rest(_reverse(above) / np.where(held > 0, held, 1.0)[..., None])

    @staticmethod
    def completed(above, level, held, total):
        # A list that holds the other item has it above this one, unless it has this one at or above it.
        moves = held[..., None, :] - above
        moves -= level
        moves /= np.where(total > 0, total, 1.0)[..., None, None] * _n_states(held)
        return _stay_with_the_rest(_among_states(moves, held))


class MC4(MC1):
    """Draw any item, and move there if more lists prefer it to this one than this one to it."""

    @staticmethod
    def transitions(above, level, held):
        return _stay_with_the_rest(_follow(_reverse(above) - above, held, held.max(axis=-1)))

    @staticmethod
    def completed(above, level, held, total):
        moves = _follow(_completed_margins(above, held), held, total)
        return _stay_with_the_rest(_among_states(moves, held))


class MCT(MC1):
    """Draw any item, and move there with the share of the lists that prefer it to this one; a tie counts half."""

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
        moves /= 2 * np.where(total > 0, total, 1.0)[..., None, None]
        moves += 0.5
        moves /= _n_states(held)
        return _stay_with_the_rest(_among_states(moves, held))


CHAINS = {"mc1": MC1, "mc2": MC2, "mc3": MC3, "mc4": MC4, "mct": MCT}


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


def stationary_distribution(
    transitions: npt.ArrayLike,
    start: npt.ArrayLike | None = None,
    *,
    ergodic_number: float = 0.15,
    max_iter: int = 10_000,
    tol: float = 1e-12,
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.int64], npt.NDArray[np.float64]]:
    r"""Where a walker is in the long run that jumps to a random state now and then.

    Parameters
    ----------
    transitions : ndarray of shape (..., n_states, n_states), dtype=float64
        Chains; rows sum to 1.
    start : ndarray of shape (..., n_states), dtype=float64, default=None
        Distribution that it starts and jumps with; None is uniform.
    ergodic_number : float, default=0.15
        Probability of a jump. 0 is the limit of a walk from `start`, which is also that of ever rarer jumps.
    max_iter : int, default=10000
        Largest number of steps.
    tol : float, default=1e-12
        Largest absolute error of the distribution, summed over the states.

    Returns
    -------
    distribution : ndarray of shape (..., n_states), dtype=float64
        Probabilities of the states.
    n_iter : ndarray of shape (...,), dtype=int64
        Steps taken, 0 where a linear system was solved instead.
    error : ndarray of shape (...,), dtype=float64
        Bound of the error left; for ``ergodic_number=0`` an estimate from the last two steps.

    See Also
    --------
    MarkovChain : The estimator.

    Notes
    -----
    With jumps of probability :math:`a` the distribution solves :math:`\pi (I - (1 - a) T) = a s`. Chains of up to 1000
    states are solved; beyond, and where rounding in the solution, :math:`\epsilon / a`, could exceed `tol`, the walk is
    taken step by step. Each step shrinks the error by :math:`1 - a`: at :math:`a = 0.15` it takes up to 170 to 1e-12,
    and fewer where the chain itself forgets its start.

    Examples
    --------
    >>> import numpy as np
    >>> from skrankagg.aggregators import stationary_distribution
    >>> distribution, n_iter, error = stationary_distribution(np.array([[1.0, 0.0], [0.5, 0.5]]))
    >>> distribution.round(4)
    array([0.8696, 0.1304])
    """
    shape = np.shape(transitions)
    # A linear system is solved on two copies.
    check_memory(
        (24.0 if shape[-1] <= _SOLVE_ITEMS else 8.0) * math.prod(shape),
        lambda: ("stationary_distribution()", f"chains of shape {shape}", "leave some states out"),
    )
    return _long_run(transitions, start, ergodic_number, max_iter, tol)


def _long_run(transitions, start, ergodic_number, max_iter, tol):
    """As :func:`stationary_distribution`, of chains that are known to fit into memory."""
    chains = np.asarray(transitions, dtype=np.float64)
    shape, n = chains.shape[:-2], chains.shape[-1]
    stack = chains.reshape(-1, n, n)
    first = np.full((len(stack), n), 1 / n) if start is None else np.reshape(start, (-1, n))
    if ergodic_number == 1:
        result = first, np.zeros(len(stack), dtype=np.int64), np.zeros(len(stack))
    elif n <= _SOLVE_ITEMS and np.finfo(np.float64).eps <= tol * ergodic_number:
        result = _solve(stack, first, ergodic_number)
    else:
        result = _walk(stack, first, ergodic_number, max_iter, tol)
    return result[0].reshape(*shape, n), result[1].reshape(shape), result[2].reshape(shape)


def _solve(stack, start, jump):
    n = stack.shape[-1]
    system = stack.swapaxes(1, 2) * (jump - 1.0)
    system[:, np.arange(n), np.arange(n)] += 1.0
    state = np.linalg.solve(system, jump * start[..., None])[..., 0]
    np.maximum(state, 0.0, out=state)
    state /= state.sum(axis=1, keepdims=True)
    return state, np.zeros(len(stack), dtype=np.int64), np.full(len(stack), np.finfo(np.float64).eps / jump)


def _walk(stack, start, jump, max_iter, tol):
    state, n_iter = start.copy(), np.zeros(len(stack), dtype=np.int64)
    error, last = np.full(len(stack), np.inf), np.full(len(stack), np.inf)
    walking = np.arange(len(stack))
    for _ in range(max_iter):
        before = state[walking]
        after = (1.0 - jump) * (before[:, None, :] @ stack)[:, 0, :] + jump * start[walking]
        after /= after.sum(axis=1, keepdims=True)
        step = np.abs(after - before).sum(axis=1)
        # A step with jumps shrinks every distance by 1 - jump; without, by what the last two steps show.
        shrink = 1.0 - jump if jump else np.minimum(step / last[walking], 1 - 1e-9)
        left = step * shrink / (1.0 - shrink)
        error[walking] = left if jump else np.maximum(step, left)
        state[walking], last[walking] = after, np.where(step > 0, step, 1.0)
        n_iter[walking] += 1
        far = error[walking] > tol
        if not far.any():
            break
        if not far.all():
            walking, stack = walking[far], stack[far]
    return state, n_iter, error


class MarkovChain(BaseAggregator):
    r"""Rank items by the time that a random walk from item to better item spends on them.

    The walker keeps moving from an item to one that the lists prefer to it: to be preferred to a good item counts for
    more than to be preferred to a poor one. By default, which is the papers' rule, only lists that hold both items
    compare them, so that an item that few lists hold is judged by those few alone: on top-k lists of one collection
    take ``absent="last"``.

    Parameters
    ----------
    chain : {"mc1", "mc2", "mc3", "mc4", "mct"}, default="mc4"
        How the walker moves, see Notes. "mc4" is the default: with it, and only with it, an item that beats every other
        one by a majority always comes first.
    absent : {"last", "ignore"}, default="ignore"
        Whether a list ties the items that it does not hold with each other, below those that it holds, or has no
        opinion on them, which lists of what each voter happened to see need.
    ergodic_number : float, default=0.15
        Probability, from 0 to 1, that the walker jumps to an item drawn uniformly instead. 0 is the limit of ever rarer
        jumps: only items that the walker can be caught among have a score above 0. At 1 all items tie.
    max_iter : int, default=10000
        Largest number of steps of the walk, where it is walked and not solved.
    tol : float, default=1e-12
        Largest error of the probabilities, summed over the items of a query.
    voter_weights : mapping or pandas.Series of voter to float, default=None
        Weights of the voters, which multiply those of the lists.

    Attributes
    ----------
    n_iter_ : int
        Largest number of steps over the queries of `fit`; 0 where linear systems were solved.
    query_info_ : pandas.DataFrame
        For each query of `fit`: `query`, `n_iter`, and `converged`, whether the error is within `tol`.

    Warns
    -----
    ConvergenceWarning
        If some walk is not within `tol` after `max_iter` steps.

    See Also
    --------
    stationary_distribution : Where the walker is in the long run.
    Copeland : Counts the opponents beaten, however good they are.

    Notes
    -----
    From item :math:`i` of a query with :math:`n` items the walker of Dwork et al. [1]_ moves as follows, or stays:

    - "mc1": to a random entry at or above :math:`i`, itself included, of all lists that hold it;
    - "mc2": it draws a list that holds :math:`i`, then a random entry of it at or above :math:`i`;
    - "mc3": it draws a list that holds :math:`i`, then a random entry of it, and moves there if that is above
      :math:`i`;
    - "mc4": it draws one of the :math:`n` items, :math:`j`, and moves there if a majority of the lists that rank both
      prefer :math:`j`;
    - "mct", of DeConde et al. [2]_: it draws :math:`j` in the same way, and moves there with the share of the lists
      that rank both which prefers :math:`j`.

    With :math:`T` these transitions and :math:`a` the ergodic number, the scores are the distribution

    .. math:: \pi = (1 - a) \, \pi T + a \, (1/n, \ldots, 1/n).

    With ``absent="ignore"`` only lists that hold both items compare them, so an absent item is not below a ranked one.
    Where no list holds both, there is no move in "mc4" and an even chance in "mct", by the papers. In "mc1", "mc2" and
    "mc3" the walker then goes to items of the same list, hence more often to items that many lists hold; on paired
    comparisons "mct" and "mc4" follow the quality of items, and "mc1" to "mc3" the number of their comparisons as well.
    With ``absent="last"`` the chains are those of lists that are completed first, each by the items that it does not
    hold, tied behind its last one.

    Lists draw with probabilities in proportion to their weights. The papers have no ties within lists; here a tied item
    is "at or above" in "mc1" and "mc2" and not "above" in "mc3"; in "mc4" a list that ties two items is on neither
    side, the larger side is the majority and a draw causes no move; in "mct" it is half for each. An item that only
    lists of weight 0 hold is not a state of the chain, and scores 0. A single item scores 1.

    If all lists hold all items and tie none, "mc3" and "mct" are the same chain. The walk is not the one of FLAGR,
    whose "MC1" and "MC2" never block a move on partial lists, whose "MC3" moves to the worse item and whose counts of
    the lists that rank both run over the row; nor that of TopKLists, whose MC1 to MC3 are other chains.

    :math:`O(\sum_v L_v^2 + n^3)` for each query, with :math:`L_v` the lengths of its lists, and memory for a few
    matrices of :math:`n^2` numbers.

    References
    ----------
    .. [1] C. Dwork, R. Kumar, M. Naor and D. Sivakumar, "Rank aggregation methods for the web", WWW 2001.
    .. [2] R. P. DeConde, S. Hawley, S. Falcon, N. Clegg, B. Knudsen and R. Etzioni, "Combining results of microarray
       experiments: a rank aggregation approach", Statistical Applications in Genetics and Molecular Biology 5, 2006.

    Examples
    --------
    >>> import pandas as pd
    >>> lists = pd.DataFrame({
    ...     "query": "q",
    ...     "voter": ["u", "u", "u", "v", "v", "v", "w", "w"],
    ...     "item": ["a", "b", "c", "b", "a", "d", "b", "c"],
    ...     "score": [3.0, 2.0, 1.0, 0.9, 0.6, 0.6, 5.0, 4.0],
    ... })
    >>> from skrankagg.aggregators import MarkovChain
    >>> MarkovChain().fit_transform(lists).round(4)
      query item   score  rank
    0     q    b  0.4889     1
    1     q    a  0.3424     2
    2     q    d  0.1034     3
    3     q    c  0.0652     4
    >>> MarkovChain(absent="last").fit_transform(lists).round(4)
      query item   score  rank
    0     q    b  0.6897     1
    1     q    a  0.1799     2
    2     q    c  0.0828     3
    3     q    d  0.0476     4
    """

    _parameter_constraints: dict = {
        "chain": [StrOptions(set(CHAINS))],
        "absent": [StrOptions({"last", "ignore"})],
        "ergodic_number": [Interval(Real, 0, 1, closed="both")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 0, None, closed="neither")],
        **VOTER_WEIGHTS,
    }
    _variants = (
        *({"chain": chain} for chain in CHAINS),
        *({"chain": chain, "absent": "last"} for chain in CHAINS),
    )
    _query_columns = ("n_iter", "converged")
    _pair_bytes = 36.0

    def __init__(
        self,
        *,
        chain: Literal["mc1", "mc2", "mc3", "mc4", "mct"] = "mc4",
        absent: Literal["last", "ignore"] = "ignore",
        ergodic_number: float = 0.15,
        max_iter: int = 10_000,
        tol: float = 1e-12,
        voter_weights: VoterWeights | None = None,
    ):
        self.chain = chain
        self.absent = absent
        self.ergodic_number = ergodic_number
        self.max_iter = max_iter
        self.tol = tol
        self.voter_weights = voter_weights

    def _fit_lists(self, lists):
        ranked = super()._fit_lists(lists)
        self.n_iter_: int = int(self.query_info_["n_iter"].max())
        return ranked

    # Threads of the linear algebra wait for each other longer than they work on matrices of this size, and far longer
    # on a busy machine; their number would also show in the last digits.
    @one_blas_thread
    def _aggregate(self, lists):
        score = np.empty(lists.n_candidates)
        n_iter = np.empty(lists.n_queries, dtype=np.int64)
        converged = np.empty(lists.n_queries, dtype=bool)
        for queries, held, transitions in self._chains(lists):
            candidates = candidates_of(lists, queries)
            states = held > 0
            states |= ~states.any(axis=1, keepdims=True)  # where every list weighs 0, there is nothing to prefer by
            score[candidates], n_iter[queries], error = _long_run(
                transitions,
                states / states.sum(axis=1, keepdims=True),
                self.ergodic_number,
                self.max_iter,
                self.tol,
            )
            converged[queries] = error <= self.tol
        if not converged.all():
            warn_user(
                f"{self!r} did not come within tol of the stationary distribution in {self.max_iter} steps for "
                f"{int((~converged).sum())} of {lists.n_queries} queries; raise max_iter, tol or ergodic_number.",
                ConvergenceWarning,
            )
        return Consensus(score, queries={"n_iter": n_iter, "converged": converged})

    def _chains(self, lists):
        """Transitions in blocks of queries with equally many items, and the weight of the lists that hold each item."""
        chain = CHAINS[self.chain]
        if self.absent == "ignore":
            for queries, above, level in preference_stacks(lists, chain.row_weight(lists)):
                held = lists.candidate_weight[candidates_of(lists, queries)]
                yield queries, held, chain.transitions(above, level, held)
            return
        # In whole numbers a list that holds all items leaves nothing over, and not what rounding made of it.
        lists = count_in_units(lists)[0]
        total = lists.sum_over_lists(lists.list_weight)
        for queries, above, level in preference_stacks(lists, chain.completed_row_weight(lists)):
            held = lists.candidate_weight[candidates_of(lists, queries)]
            yield queries, held, chain.completed(above, level, held, total[queries])

    def __sklearn_tags__(self) -> TagsOfAggregator:
        tags = super().__sklearn_tags__()
        # Without jumps items share the score 0, and with nothing else they all tie.
        tags.aggregator_tags.unanimity = 0 < self.ergodic_number < 1
        tags.aggregator_tags.condorcet_winner = self.chain == "mc4" and self.ergodic_number < 1
        # Without jumps all items share the score 0 that "mc4" leaves for others.
        moving = self.ergodic_number < 1 and (self.ergodic_number > 0 or self.chain != "mc4")
        tags.aggregator_tags.absent_below = self.absent == "last" and moving
        return tags
