"""Long-run distributions of Markov chains, with moves from matrices, or list by list in large queries.

>>> import numpy as np
>>> import pandas as pd
>>> from skrankagg import RankedLists
>>> from skrankagg.aggregators._markov._walks import ListMoves
>>> frame = pd.DataFrame({"query": "q", "voter": list("uuvv"), "item": list("abab"), "rank": [1, 2, 1, 2]})
>>> moves = ListMoves(RankedLists.from_frame(frame), 0, np.ones(4))
>>> moves.move(np.array([[0.5, 0.5]]))  # from b to a or to b itself
array([[0.75, 0.25]])
"""

import numpy as np

from ..._arrays._ragged import starts_to_ptr, tie_starts

#: Up to about this number of items, solving a linear system is faster than a walk of 30 to 170 steps (measured).
SOLVE_ITEMS = 1000


def long_run(transitions, start, ergodic_number, max_iter, tol):
    """Compute ``stationary_distribution`` without checking that the chains fit into memory."""
    chains = np.asarray(transitions, dtype=np.float64)
    shape, n = chains.shape[:-2], chains.shape[-1]
    stack = chains.reshape(-1, n, n)
    first = np.full((len(stack), n), 1 / n) if start is None else np.reshape(start, (-1, n))
    if ergodic_number == 1:
        result = first, np.zeros(len(stack), dtype=np.int64), np.zeros(len(stack))
    elif n <= SOLVE_ITEMS and np.finfo(np.float64).eps <= tol * ergodic_number:
        result = _solve(stack, first, ergodic_number)
    else:
        result = walk(Matrices(stack), first, ergodic_number, max_iter, tol)
    return result[0].reshape(*shape, n), result[1].reshape(shape), result[2].reshape(shape)


def _solve(stack, start, jump):
    n = stack.shape[-1]
    system = stack.swapaxes(1, 2) * (jump - 1.0)
    system[:, np.arange(n), np.arange(n)] += 1.0
    state = np.linalg.solve(system, jump * start[..., None])[..., 0]
    np.maximum(state, 0.0, out=state)
    state /= state.sum(axis=1, keepdims=True)
    return state, np.zeros(len(stack), dtype=np.int64), np.full(len(stack), np.finfo(np.float64).eps / jump)


class Matrices:
    """Moves of chains, given by transition matrices of shape (n_chains, n, n)."""

    def __init__(self, stack):
        self.stack = stack

    def move(self, state):
        return (state[:, None, :] @ self.stack)[:, 0, :]

    def keep(self, chosen):
        self.stack = self.stack[chosen]


def walk(chains, start, jump, max_iter, tol):
    """Walk each chain until it converges, or until it has made `max_iter` steps.

    Returns three results: the distributions, of shape (n_chains, n), and for each chain the number of steps and a bound
    on the error.
    """
    state, n_iter = start.copy(), np.zeros(len(start), dtype=np.int64)
    error, last = np.full(len(start), np.inf), np.full(len(start), np.inf)
    walking = np.arange(len(start))
    for _ in range(max_iter):
        before = state[walking]
        after = (1.0 - jump) * chains.move(before) + jump * start[walking]
        after /= after.sum(axis=1, keepdims=True)
        step = np.abs(after - before).sum(axis=1)
        # With jumps, a step multiplies every distance by at most 1 - jump. Without jumps, estimate this factor from the
        # last two steps.
        shrink = 1.0 - jump if jump else np.minimum(step / last[walking], 1 - 1e-9)
        left = step * shrink / (1.0 - shrink)
        error[walking] = left if jump else np.maximum(step, left)
        state[walking], last[walking] = after, np.where(step > 0, step, 1.0)
        n_iter[walking] += 1
        far = error[walking] > tol
        if not far.any():
            break
        if not far.all():
            walking = walking[far]
            chains.keep(far)
    return state, n_iter, error


def start_of(held):
    """Return the uniform start distribution of each chain, over the items with a value above 0 in `held`.

    `held` has a row for each chain. If all values in a row are 0, the distribution is over all items.
    """
    states = held > 0
    states |= ~states.any(axis=1, keepdims=True)
    return states / states.sum(axis=1, keepdims=True)


def n_at_or_above(row_ptr, rank):
    """For each row, count the entries of the same list at or above the row, including the row itself."""
    group = starts_to_ptr(tie_starts(row_ptr, rank))
    return np.repeat(group[1:], np.diff(group)) - np.repeat(row_ptr[:-1], np.diff(row_ptr))


class ListMoves:
    """Moves from an item of a query to an entry at or above the item, in the lists that contain the item.

    The walker leaves an item from one of the item's rows. The walker moves to each entry at or above this row with the
    same probability, which is proportional to the row's `row_weight`. If all rows of the item have weight 0, the walker
    stays. `to_all` contains, for each item, the weight of further moves from this item to every item in the lists. None
    means that there are no such moves.
    """

    def __init__(self, lists, q, row_weight, to_all=None):
        first, last = lists.list_ptr[q], lists.list_ptr[q + 1]
        ptr = lists.row_ptr[first : last + 1]
        rows, ptr = slice(ptr[0], ptr[-1]), ptr - ptr[0]
        n, row, length = int(lists.query_n_items[q]), np.arange(ptr[-1]), np.diff(ptr)
        item, rank, row_weight = lists.candidate[rows] - lists.candidate_ptr[q], lists.rank[rows], row_weight[rows]
        # Each list is a row of the arrays, the worst entry first. Short lists are padded with the item number n, from
        # which nothing moves.
        own, column = np.repeat(np.arange(last - first), length), np.repeat(ptr[1:], length) - 1 - row
        self.item = np.full((last - first, length.max()), n)
        self.item[own, column] = item
        self.weight = np.zeros(self.item.shape)
        self.weight[own, column] = row_weight
        self.total = np.bincount(item, row_weight * n_at_or_above(ptr, rank), minlength=n + 1)
        self.to_all = None
        if to_all is not None:
            self.states = lists.candidate_weight[lists.candidate_ptr[q] : lists.candidate_ptr[q + 1]] > 0
            self.to_all = to_all * self.states
            self.total[:n] += self.to_all * np.count_nonzero(self.states)
        # The walker also moves between tied entries. So the sum for an entry covers all rows up to the best tied row.
        group = starts_to_ptr(tie_starts(ptr, rank))
        self.reach = None
        if len(group) <= len(row):
            self.reach = np.zeros(self.item.shape, dtype=np.int64)
            self.reach[own, column] = column + row - np.repeat(group[:-1], np.diff(group))
        self.drawn = np.empty(self.item.shape)

    def move(self, state):
        """Return the distribution after one move, from a distribution of shape (1, n_items)."""
        n = state.shape[1]
        before = np.append(state[0], 0.0)
        stays = self.total == 0
        share = np.divide(before, self.total, out=np.zeros(n + 1), where=~stays)
        np.take(share, self.item, out=self.drawn, mode="clip")
        self.drawn *= self.weight
        # The probability that leaves an entry goes in equal parts to all entries at or above it.
        drawn = np.cumsum(self.drawn, axis=1, out=self.drawn)
        if self.reach is not None:
            drawn = np.take_along_axis(drawn, self.reach, axis=1)
        after = np.bincount(self.item.ravel(), drawn.ravel(), minlength=n + 1)
        if self.to_all is not None:
            after[:n] += (share[:n] @ self.to_all) * self.states
        after[stays] = before[stays]  # only lists of weight 0 contain these items
        return after[None, :n]

    def keep(self, chosen):
        """Do nothing, because there is only one chain; :class:`Matrices` drops finished chains."""
