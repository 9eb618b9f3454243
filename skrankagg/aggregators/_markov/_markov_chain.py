"""Markov chains: a walker keeps moving to better items; an item's score is its share of the walker's time."""

import math
from numbers import Integral, Real
from typing import Literal

import numpy as np
import numpy.typing as npt
from sklearn.exceptions import ConvergenceWarning

from ..._arrays._many_weights import count_in_whole_units
from ..._arrays._pairwise import candidates_of, preference_stacks
from ..._arrays._weight_units import count_in_units
from ..._support._memory import check_memory
from ..._support._sklearn import Interval, StrOptions
from ..._support._threads import one_blas_thread
from ..._support._warn import warn_user
from ...base import BaseAggregator, Consensus
from ...base._tags import TagsOfAggregator
from ...base._voter_weights import VOTER_WEIGHTS, VoterWeights
from ._chains import CHAINS
from ._many_draws import MOST_ITEMS, scores_of_draws
from ._walks import SOLVE_ITEMS, ListMoves, long_run, start_of, walk

__all__ = ["MarkovChain", "stationary_distribution"]

# If the mean length of the lists, weighted by length, is above this number, walking the lists step by step is faster
# than comparing all pairs. Measured: a step takes as long as comparing 14 pairs for each row. Usually, 40 steps reach
# an error of 1e-12.
_LONG_LISTS = 560
# From _MANY_ITEMS items on, walking shorter lists is also faster than solving a linear system, even if the walk needs
# 160 steps. If all lists contain all items, few steps are enough, and walking is faster from _MANY_COMMON_ITEMS items
# on.
_MANY_ITEMS, _MANY_COMMON_ITEMS = 450, 250
# In such a query, the walk ends at this error. So each score differs by at most 1e-11 from the score of the solved
# system.
_SOLVED_TOL = 1e-13


def stationary_distribution(
    transitions: npt.ArrayLike,
    start: npt.ArrayLike | None = None,
    *,
    ergodic_number: float = 0.15,
    max_iter: int = 10_000,
    tol: float = 1e-12,
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.int64], npt.NDArray[np.float64]]:
    r"""Return the long-run distribution of a walker that sometimes jumps to a random state.

    Parameters
    ----------
    transitions : ndarray of shape (..., n_states, n_states), dtype=float64
        Transition probabilities of the chains; each row sums to 1.
    start : ndarray of shape (..., n_states), dtype=float64, default=None
        Distribution of the first state and of the states after jumps; None means uniform.
    ergodic_number : float, default=0.15
        Probability of a jump. With 0 the result is the limit of a walk from `start`. The results for small
        probabilities of a jump tend to the same limit.
    max_iter : int, default=10000
        Largest number of steps.
    tol : float, default=1e-12
        Largest absolute error of the distribution, summed over the states.

    Returns
    -------
    distribution : ndarray of shape (..., n_states), dtype=float64
        Probabilities of the states.
    n_iter : ndarray of shape (...,), dtype=int64
        Number of steps, or 0 if a linear system was solved instead.
    error : ndarray of shape (...,), dtype=float64
        Upper bound on the remaining error. With ``ergodic_number=0`` it is an estimate from the last two steps.

    See Also
    --------
    MarkovChain : The estimator.

    Notes
    -----
    Let :math:`a` be the probability of a jump, :math:`s` the distribution of the start and :math:`T` the transitions.
    The distribution :math:`\pi` solves :math:`\pi (I - (1 - a) T) = a s`. For chains of up to 1000 states, this linear
    system is solved directly. Two kinds of chains are walked step by step instead: larger chains, and chains where the
    rounding error of the solution, :math:`\epsilon / a`, could exceed `tol`. Each step multiplies the error by :math:`1
    - a`. At :math:`a = 0.15` an error of 1e-12 takes up to 170 steps, and fewer if the chain converges without jumps.

    Examples
    --------
    >>> import numpy as np
    >>> from skrankagg.aggregators import stationary_distribution
    >>> distribution, n_iter, error = stationary_distribution(
    ...     np.array([[1.0, 0.0], [0.5, 0.5]]))
    >>> distribution.round(4)
    array([0.8696, 0.1304])
    """
    shape = np.shape(transitions)
    # A linear system is solved on two copies.
    check_memory(
        (24.0 if shape[-1] <= SOLVE_ITEMS else 8.0) * math.prod(shape),
        lambda: ("stationary_distribution()", f"chains of shape {shape}", "leave some states out"),
    )
    return long_run(transitions, start, ergodic_number, max_iter, tol)


class MarkovChain(BaseAggregator):
    r"""Rank items by the time that a random walk, which moves to better items, spends on them.

    The walker keeps moving from an item to another item that the lists prefer. So beating a good item counts more than
    beating a poor item. By default, as in the papers, two items are only compared by lists that contain both. If few
    lists contain an item, its score depends on these lists alone. For lists that contain only the top items of one
    collection, choose ``absent="last"``.

    Parameters
    ----------
    chain : {"mc1", "mc2", "mc3", "mc4", "mct", "rank-centrality"}, default="mc4"
        How the walker moves, see Notes. With "mc4" an item that beats every other item by a majority always comes
        first. No other chain guarantees this.
    absent : {"last", "ignore"}, default="ignore"
        How to treat items missing from a list: "last" ties them below the items of the list; "ignore" leaves them out.
        Use "ignore" when each voter saw only some items.
    ergodic_number : float, default=0.15
        Probability, from 0 to 1, that the walker jumps to a random item instead of moving. A jump reaches all items
        with the same probability. With 0 the scores are the limit for a probability that tends to 0. An item then
        scores above 0 only if it is in a group of items that the walker cannot leave. At 1 all items tie.
    max_iter : int, default=10000
        Largest number of steps of the walk, if no linear system is solved instead.
    tol : float, default=1e-12
        Largest total error that is allowed: the sum of the errors of the probabilities over the items of a query.
    voter_weights : mapping or pandas.Series of voter to float, default=None
        Weights of the voters; they multiply the weights of the lists.

    Attributes
    ----------
    n_iter_ : int
        Largest number of steps over the queries of `fit`; 0 if linear systems were solved for all queries.
    query_info_ : pandas.DataFrame
        A row for each query of `fit`, with the columns `query`, `n_iter` and `converged`. `converged` is True if the
        error is within `tol`.

    Warns
    -----
    ConvergenceWarning
        If the error of some walk is still above `tol` after `max_iter` steps.

    See Also
    --------
    stationary_distribution : Computes the share of time that the walker spends on each item in the long run.
    Copeland : Counts the opponents that an item beats, regardless of their quality.
    PlackettLuce : Finds the worths under which the lists are most likely.

    Notes
    -----
    The walker of Dwork et al. [1]_ is on item :math:`i` of a query with :math:`n` items. It moves as follows, or stays:

    - "mc1": it moves to a random entry among all entries at or above :math:`i`, including :math:`i` itself, in the
      lists that contain :math:`i`;
    - "mc2": it draws a list that contains :math:`i`, then moves to a random entry of this list at or above :math:`i`;
    - "mc3": it draws a list that contains :math:`i`, then a random entry of this list, and moves there if the entry is
      above :math:`i`;
    - "mc4": it draws an item :math:`j` among the :math:`n` items, and moves there if a majority of the lists that rank
      both :math:`i` and :math:`j` prefer :math:`j`;
    - "mct", of DeConde et al. [2]_: it draws :math:`j` in the same way. The probability of the move is the share of
      lists that prefer :math:`j`, among the lists that rank both items;
    - "rank-centrality", of Negahban et al. [3]_: it draws one of :math:`d` items. If any list ranks both items, the
      walker moves to the drawn item with the same probability as in "mct". Here :math:`d` is the largest number of
      items with which any item of the query was compared. The transition probabilities are

      .. math:: T_{ij} = \frac1d \, \frac{W_{ji} + E_{ij} / 2}{W_{ij} + W_{ji} + E_{ij}},

      where :math:`W_{ij}` is the weight of the lists that rank both items and prefer :math:`i`, and :math:`E_{ij}` is
      the weight of the lists that tie the two items. The probability depends only on the share of lists, not on their
      number.

    Let :math:`T` be the transition probabilities and :math:`a` the ergodic number. The scores are the distribution

    .. math:: \pi = (1 - a) \, \pi T + a \, (1/n, \ldots, 1/n).

    With ``absent="ignore"`` only lists that contain both items compare them, so an absent item is not below a ranked
    item. If no list contains both items, the walker never moves between them in "mc4" and "rank-centrality", as in the
    papers. In "mct" the share of such a pair is set to 1/2. In "mc1", "mc2" and "mc3" the walker only goes to items of
    the same list, so it goes more often to items in many lists. On paired comparisons, the scores of "mct" and "mc4"
    depend on the quality of the items. The scores of "mc1" to "mc3" also depend on the number of comparisons of each
    item. With ``absent="last"`` each list is first completed: its absent items are tied below its last item.

    Lists are drawn with probabilities in proportion to their weights. The papers do not define the treatment of ties
    within lists. Here an item tied with :math:`i` counts as "at or above" :math:`i` in "mc1" and "mc2", and does not
    count as "above" :math:`i` in "mc3". In "mc4" a list that ties two items is on neither side. The side with more
    weight is the majority; if both sides have the same weight, there is no move. In "mct" and "rank-centrality" a tie
    counts half for each item. If only lists of weight 0 contain an item, the item is not a state of the chain, and its
    score is 0. A single item scores 1.

    Suppose that all lists contain all items, without ties. Then "mc3" and "mct" are the same chain. "rank-centrality"
    then makes the same moves :math:`n / (n - 1)` times as often; without jumps this makes no difference. The paper of
    "rank-centrality" has no jumps, so choose ``ergodic_number=0`` for the estimate of the paper. The logarithms of the
    scores are then log-worths of Bradley and Terry's model, if comparisons connect all items.

    Other libraries use the same names for different chains. On partial lists, the "MC1" and "MC2" of FLAGR never
    prevent a move. The "MC3" of FLAGR moves to the worse item. It also counts wrongly how many lists rank both items:
    the count of a pair includes the counts of earlier pairs in the same row. The chains MC1 to MC3 of TopKLists also
    differ from the chains of this class.

    The time is :math:`O(\sum_v L_v^2 + n^3)` for each query, where the :math:`L_v` are the lengths of its lists. The
    memory is a few matrices of :math:`n^2` numbers. For lists of a few hundred items, "mc1" and "mc2" do not need these
    matrices. They walk list by list, and the time of each step is linear in the number of rows.

    References
    ----------
    .. [1] C. Dwork, R. Kumar, M. Naor and D. Sivakumar, "Rank aggregation methods for the web", WWW 2001.
    .. [2] R. P. DeConde, S. Hawley, S. Falcon, N. Clegg, B. Knudsen and R. Etzioni, "Combining results of microarray
       experiments: a rank aggregation approach", Statistical Applications in Genetics and Molecular Biology 5, 2006.
    .. [3] S. Negahban, S. Oh and D. Shah, "Rank centrality: ranking from pairwise comparisons", Operations Research 65,
       2017.

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

    _guide = {
        "absent": (
            '`absent="ignore"`: no opinion, only lists that contain both items compare them; `"last"`: tied below '
            "every item of the list"
        ),
        "ties": (
            'a draw; in `"mct"` and `"rank-centrality"`: half for each item; in `"mc1"` and `"mc2"`: each at or above '
            "the other"
        ),
        "cost": r"$\sum_v L_v^2 + n^3$",
    }
    _cost_terms = ("sum L^2", "n^2", "n^3")
    _tag_notes = {
        "condorcet_winner": 'only the chain `"mc4"`, with `ergodic_number` below 1',
        "unanimity": "with an `ergodic_number` above 0 and below 1",
    }
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
    _pair_bytes = 42.0

    def __init__(
        self,
        *,
        chain: Literal["mc1", "mc2", "mc3", "mc4", "mct", "rank-centrality"] = "mc4",
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
        self.n_iter_: int = int(ranked.queries["n_iter"].max())
        return ranked

    # On matrices of this size, threads of the linear algebra wait for each other longer than they work, and far longer
    # on a busy machine. The number of threads would also change the last digits.
    @one_blas_thread
    def _aggregate(self, lists):
        score = np.empty(lists.n_candidates)
        n_iter = np.empty(lists.n_queries, dtype=np.int64)
        converged = np.empty(lists.n_queries, dtype=bool)
        if self.absent == "last":
            # With integer weights, the weight of the lists without an item is exactly 0 if all lists contain the item.
            lists = count_in_units(lists)[0]
        up = self._walks_up(lists)
        for chosen, run in ((up, self._long_run_by_lists), (~up, self._long_run_by_pairs)):
            if chosen.any():
                some = lists if chosen.all() else lists.take(np.flatnonzero(chosen))
                state, n_iter[chosen], error = run(some)
                score[chosen[lists.candidate_query]], converged[chosen] = state, error <= self.tol
        if not converged.all():
            warn_user(
                f"{self!r} did not come within tol of the stationary distribution in {self.max_iter} steps for "
                f"{int((~converged).sum())} of {lists.n_queries} queries; raise max_iter, tol or ergodic_number.",
                ConvergenceWarning,
            )
        return Consensus(score, queries={"n_iter": n_iter, "converged": converged})

    def _repeat_many(self, lists):
        jump = float(self.ergodic_number)
        solved = 0 < jump < 1 and np.finfo(np.float64).eps <= self.tol * jump
        together = ~self._walks_up(lists) & (lists.query_n_items <= MOST_ITEMS) & solved
        if not together.any():
            return super()._repeat_many(lists)
        rest = None if together.all() else super()._repeat_many(lists.take(np.flatnonzero(~together)))
        one_by_one = super()._repeat_many(lists)

        @one_blas_thread
        def score(weights):
            scores = np.empty((lists.n_candidates, weights.shape[1]))
            if rest is not None:
                scores[~together[lists.candidate_query]] = rest(weights[~together[lists.list_query]])
            fractional = np.zeros(lists.n_queries, dtype=bool)
            for q in np.flatnonzero(together):
                own, mine = slice(*lists.list_ptr[q : q + 2]), slice(*lists.candidate_ptr[q : q + 2])
                counts = count_in_whole_units((0, own.stop - own.start), weights[own])
                if counts is None:
                    fractional[q] = True
                else:
                    scores[mine] = scores_of_draws(lists, q, CHAINS[self.chain], self.absent, jump, counts)
            if fractional.any():
                chosen = fractional[lists.candidate_query]
                scores[chosen] = one_by_one(weights)[chosen]
            return scores

        return score

    def _memory(self, lists):
        return np.where(self._walks_up(lists), 0.0, super()._memory(lists))

    def _walks_up(self, lists):
        """Return a mask of the queries where walking list by list is faster than comparing all pairs of items."""
        up = np.zeros(lists.n_queries, dtype=bool)
        if not CHAINS[self.chain].goes_up:
            return up
        length = lists.list_length.astype(np.float64)
        n_rows, longest = lists.sum_over_lists(length), np.maximum.reduceat(length, lists.list_ptr[:-1])
        if self._reaches(self.tol):
            up |= lists.sum_over_lists(length**2) > _LONG_LISTS * n_rows
        if self._reaches(min(self.tol, _SOLVED_TOL)):
            common = np.minimum.reduceat(length, lists.list_ptr[:-1]) == lists.query_n_items
            many = lists.query_n_items >= np.where(common, _MANY_COMMON_ITEMS, _MANY_ITEMS)
            # Short lists, such as paired comparisons, are not walked.
            up |= many & (lists.sum_over_lists(length**2) > n_rows * lists.query_n_items / 4)
        # All lists are padded to the length of the longest list.
        return up & (np.diff(lists.list_ptr) * longest <= 2 * n_rows)

    def _reaches(self, tol):
        """Return True if the walk is certain to come within an error `tol` in `max_iter` steps."""
        jump = float(self.ergodic_number)
        if not (0 < jump < 1 and 16 * np.finfo(np.float64).eps <= tol * jump):
            return False
        return self.max_iter >= 1 + math.log(tol * jump / 2) / math.log1p(-jump)

    def _tol_by_lists(self, lists):
        """Return, for each query, the error at which a walk ends if the moves are computed list by list."""
        length = lists.list_length.astype(np.float64)
        long = lists.sum_over_lists(length**2) > _LONG_LISTS * lists.sum_over_lists(length)
        return np.where(long, self.tol, min(self.tol, _SOLVED_TOL))

    def _long_run_by_lists(self, lists):
        found = [
            walk(moves, start_of(held[None]), self.ergodic_number, self.max_iter, tol)
            for (held, moves), tol in zip(self._list_moves(lists), self._tol_by_lists(lists), strict=True)
        ]
        state, n_iter, error = zip(*found, strict=True)
        return np.concatenate(state, axis=1)[0], np.concatenate(n_iter), np.concatenate(error)

    def _list_moves(self, lists):
        """Yield two results for each query: the total weight of the lists that contain each item, and a ListMoves."""
        chain, total = CHAINS[self.chain], lists.sum_over_lists(lists.list_weight)
        row_weight = chain.row_weight(lists, self.absent)
        row_weight = lists.list_weight[lists.row_list] if row_weight is None else row_weight
        for q in range(lists.n_queries):
            held = lists.candidate_weight[lists.candidate_ptr[q] : lists.candidate_ptr[q + 1]]
            to_all = chain.to_all(held, total[q]) if self.absent == "last" else None
            yield held, ListMoves(lists, q, row_weight, to_all)

    def _long_run_by_pairs(self, lists):
        state, n_iter = np.empty(lists.n_candidates), np.empty(lists.n_queries, dtype=np.int64)
        error = np.empty(lists.n_queries)
        for queries, held, transitions in self._transitions(lists):
            state[candidates_of(lists, queries)], n_iter[queries], error[queries] = long_run(
                transitions, start_of(held), self.ergodic_number, self.max_iter, self.tol
            )
        return state, n_iter, error

    def _transitions(self, lists):
        """Yield three results for each block of queries with the same number of items.

        The results are the positions of the queries, the total weight of the lists that contain each item, and the
        transition probabilities.
        """
        chain, total = CHAINS[self.chain], lists.sum_over_lists(lists.list_weight)
        for queries, above, level in preference_stacks(lists, chain.row_weight(lists, self.absent)):
            held = lists.candidate_weight[candidates_of(lists, queries)]
            if self.absent == "last":
                yield queries, held, chain.completed(above, level, held, total[queries])
            else:
                yield queries, held, chain.transitions(above, level, held)

    def __sklearn_tags__(self) -> TagsOfAggregator:
        tags = super().__sklearn_tags__()
        # Without jumps some items share the score 0; with jumps alone all items tie.
        tags.aggregator_tags.unanimity = 0 < self.ergodic_number < 1
        tags.aggregator_tags.condorcet_winner = self.chain == "mc4" and self.ergodic_number < 1
        # Without jumps "mc4" gives the same score 0 to all items but the best.
        moving = self.ergodic_number < 1 and (self.ergodic_number > 0 or self.chain != "mc4")
        tags.aggregator_tags.absent_below &= moving
        if self.absent == "ignore":
            tags.aggregator_tags.lenient = "absent"
        return tags
