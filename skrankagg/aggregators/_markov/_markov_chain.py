"""Markov chains: a walker moves from item to better item, and the score of an item is the time spent on it."""

import math
from numbers import Integral, Real
from typing import Literal

import numpy as np
import numpy.typing as npt
from sklearn.exceptions import ConvergenceWarning

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
from ._walks import SOLVE_ITEMS, ListMoves, long_run, start_of, walk

__all__ = ["MarkovChain", "stationary_distribution"]

# Mean length of the lists, weighted by itself, above which walking the lists step by step is faster than comparing all
# pairs. Measured: a step costs as much as comparing 14 pairs for each row, and 40 steps reach 1e-12 mostly.
_LONG_LISTS = 560


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
        Distribution of the first state and of the jumps; None is uniform.
    ergodic_number : float, default=0.15
        Probability of a jump. 0 gives the limit of a walk from `start`, which is also the limit as jumps become rarer.
    max_iter : int, default=10000
        Largest number of steps.
    tol : float, default=1e-12
        Largest absolute error of the distribution, summed over the states.

    Returns
    -------
    distribution : ndarray of shape (..., n_states), dtype=float64
        Probabilities of the states.
    n_iter : ndarray of shape (...,), dtype=int64
        Number of steps, or 0 where a linear system was solved instead.
    error : ndarray of shape (...,), dtype=float64
        Bound of the remaining error; for ``ergodic_number=0`` an estimate from the last two steps.

    See Also
    --------
    MarkovChain : The estimator.

    Notes
    -----
    With jumps of probability :math:`a` the distribution solves :math:`\pi (I - (1 - a) T) = a s`. Chains of up to 1000
    states are solved directly. The walk is taken step by step for larger chains, and where rounding in the solution,
    :math:`\epsilon / a`, could exceed `tol`. Each step shrinks the error by :math:`1 - a`. At :math:`a = 0.15` the walk
    takes up to 170 steps to 1e-12, and fewer where the chain itself forgets its start.

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
        (24.0 if shape[-1] <= SOLVE_ITEMS else 8.0) * math.prod(shape),
        lambda: ("stationary_distribution()", f"chains of shape {shape}", "leave some states out"),
    )
    return long_run(transitions, start, ergodic_number, max_iter, tol)


class MarkovChain(BaseAggregator):
    r"""Rank items by the time that a random walk from item to better item spends on them.

    The walker keeps moving from an item to another item that the lists prefer. So it counts for more to beat a good
    item than to beat a poor item. By default, as in the papers, only lists that contain both items compare them. So the
    score of an item in few lists depends on these lists alone. On top-k lists of one collection choose
    ``absent="last"``.

    Parameters
    ----------
    chain : {"mc1", "mc2", "mc3", "mc4", "mct", "rank-centrality"}, default="mc4"
        How the walker moves, see Notes. With "mc4", the default, an item that beats every other item by a majority
        always comes first; no other chain guarantees this.
    absent : {"last", "ignore"}, default="ignore"
        How to treat items missing from a list: "last" ties them below the items of the list; "ignore" leaves them out.
        Use "ignore" when each voter saw only some items.
    ergodic_number : float, default=0.15
        Probability, from 0 to 1, that the walker jumps to an item drawn uniformly instead. 0 is the limit as jumps
        become rarer: then only items in groups that the walker cannot leave score above 0. At 1 all items tie.
    max_iter : int, default=10000
        Largest number of steps of the walk, if no linear system is solved instead.
    tol : float, default=1e-12
        Largest error of the probabilities, summed over the items of a query.
    voter_weights : mapping or pandas.Series of voter to float, default=None
        Weights of the voters; they multiply the weights of the lists.

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
    stationary_distribution : Computes where the walker is in the long run.
    Copeland : Counts the opponents that an item beats, however good they are.
    PlackettLuce : Finds the worths under which the lists are most likely.

    Notes
    -----
    From item :math:`i` of a query with :math:`n` items the walker of Dwork et al. [1]_ moves as follows, or stays:

    - "mc1": it moves to a random entry among all entries at or above :math:`i`, itself included, in the lists that
      contain :math:`i`;
    - "mc2": it draws a list that contains :math:`i`, then moves to a random entry of this list at or above :math:`i`;
    - "mc3": it draws a list that contains :math:`i`, then a random entry of this list, and moves there if the entry is
      above :math:`i`;
    - "mc4": it draws one of the :math:`n` items, :math:`j`, and moves there if a majority of the lists that rank both
      prefer :math:`j`;
    - "mct", of DeConde et al. [2]_: it draws :math:`j` in the same way. Of the lists that rank both, the share that
      prefers :math:`j` is the probability of the move;
    - "rank-centrality", of Negahban et al. [3]_: it draws one of :math:`d` items, and moves there with the same share,
      if any list ranks both. :math:`d` is the largest number of items with which any item of the query was compared, so
      that

      .. math:: T_{ij} = \frac1d \, \frac{W_{ji} + E_{ij} / 2}{W_{ij} + W_{ji} + E_{ij}},

      where the lists that rank both weigh :math:`W_{ij}` if they prefer :math:`i`, and :math:`E_{ij}` if they tie the
      two. Only the share counts, not the number of lists.

    With :math:`T` these transitions and :math:`a` the ergodic number, the scores are the distribution

    .. math:: \pi = (1 - a) \, \pi T + a \, (1/n, \ldots, 1/n).

    With ``absent="ignore"`` only lists that contain both items compare them, so an absent item is not below a ranked
    one. Where no list contains both items, "mc4" and "rank-centrality" have no move in the papers, and "mct" has an
    even chance. In "mc1", "mc2" and "mc3" the walker only goes to items of the same list, and so more often to items in
    many lists. On paired comparisons "mct" and "mc4" follow the quality of items; "mc1" to "mc3" also follow the number
    of their comparisons. With ``absent="last"`` each list is first completed: its absent items are tied below its last
    item.

    Lists are drawn with probabilities in proportion to their weights. The papers have no ties within lists. Here a tied
    item is "at or above" in "mc1" and "mc2" and not "above" in "mc3". In "mc4" a list that ties two items is on neither
    side; the larger side is the majority, and a draw causes no move. In "mct" and "rank-centrality" a tie counts half
    for each. An item that only lists of weight 0 contain is not a state of the chain, and scores 0. A single item
    scores 1.

    If all lists contain all items and tie none, "mc3" and "mct" are the same chain. "rank-centrality" then makes the
    same moves :math:`n / (n - 1)` times as often, which only matters for the jumps. The paper of "rank-centrality" has
    no jumps: ``ergodic_number=0`` is its estimate. The logarithms of the scores are then log-worths of Bradley and
    Terry's model, if comparisons connect all items.

    The walk differs from FLAGR. The "MC1" and "MC2" of FLAGR never block a move on partial lists. Its "MC3" moves to
    the worse item, and its counts of the lists that rank both run over the row. TopKLists uses other chains as its MC1
    to MC3.

    :math:`O(\sum_v L_v^2 + n^3)` for each query, with :math:`L_v` the lengths of its lists, and memory for a few
    matrices of :math:`n^2` numbers. For lists of many hundreds of items, "mc1" and "mc2" do not need these matrices.
    They walk list by list, and the time of each step is linear in the number of rows.

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
            '`absent="ignore"`: no opinion, only lists that hold both items compare them; `"last"`: a place '
            "below every item held, tied with the other absent ones"
        ),
        "ties": 'a draw; half each in `"mct"`, `"rank-centrality"`; "at or above" in `"mc1"`, `"mc2"`',
        "cost": r"$\sum_v L_v^2 + n^3$",
    }
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
    _pair_bytes = 36.0

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
        self.n_iter_: int = int(self.query_info_["n_iter"].max())
        return ranked

    # On matrices of this size, threads of the linear algebra wait for each other longer than they work, and far longer
    # on a busy machine. The number of threads would also change the last digits.
    @one_blas_thread
    def _aggregate(self, lists):
        score = np.empty(lists.n_candidates)
        n_iter = np.empty(lists.n_queries, dtype=np.int64)
        converged = np.empty(lists.n_queries, dtype=bool)
        if self.absent == "last":
            # In whole numbers a list that contains all items leaves exactly 0 over, without rounding.
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

    def _memory(self, lists):
        return np.where(self._walks_up(lists), 0.0, super()._memory(lists))

    def _walks_up(self, lists):
        """Return a mask of the queries to walk list by list, without comparing pairs."""
        jump, tol, up = float(self.ergodic_number), self.tol, CHAINS[self.chain].goes_up
        # Only where the walk is certain to come within tol.
        up &= 0 < jump < 1 and 16 * np.finfo(np.float64).eps <= tol * jump
        if not up or self.max_iter < 1 + math.log(tol * jump / 2) / math.log1p(-jump):
            return np.zeros(lists.n_queries, dtype=bool)
        length = lists.list_length.astype(np.float64)
        n_rows, longest = lists.sum_over_lists(length), np.maximum.reduceat(length, lists.list_ptr[:-1])
        # All lists are padded to the longest one.
        even = np.diff(lists.list_ptr) * longest <= 2 * n_rows
        return even & (lists.sum_over_lists(length**2) > _LONG_LISTS * n_rows)

    def _long_run_by_lists(self, lists):
        found = [
            walk(moves, start_of(held[None]), self.ergodic_number, self.max_iter, self.tol)
            for held, moves in self._list_moves(lists)
        ]
        state, n_iter, error = zip(*found, strict=True)
        return np.concatenate(state, axis=1)[0], np.concatenate(n_iter), np.concatenate(error)

    def _list_moves(self, lists):
        """For each query, yield the weight of the lists that contain each item, and the moves up these lists."""
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
        """Yield chains in blocks of queries with the same number of items, and the weight of each item's lists."""
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
