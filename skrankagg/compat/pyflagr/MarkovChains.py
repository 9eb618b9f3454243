"""Markov chains: PyFLAGR's classes MC1, MC2, MC3, MC4 and MCT."""

from typing import Literal

import numpy as np

from ... import aggregators
from ..._arrays._pairwise import preference_counts, preference_stacks
from ..._support._checks import check_choice
from ...aggregators._markov._chains import CHAINS
from ._method import Convention, Method
from ._ranking import add_up, single

__all__ = ["MC", "MC1", "MC2", "MC3", "MC4", "MCT"]

_BY_NUMBER = {801: "mc1", 802: "mc2", 803: "mc3", 804: "mc4", 805: "mct"}

# A walk without a fixed number of steps ends when a step changes less than the first number, or when the second number
# of steps is reached.
_TOLERANCE, _MOST_STEPS = 1e-13, 10_000


class MC(Method):
    """Ranking of items by a random walk from item to item, with one of five Markov chains.

    Parameters
    ----------
    %(eval_pts)s
    %(steps)s
    chain : {801, 802, 803, 804, 805}, default=804
        FLAGR's number of the chain.
    %(convention)s

    See Also
    --------
    skrankagg.aggregators.MarkovChain : The method as defined in the papers.

    Examples
    --------
    >>> import pandas as pd
    >>> from skrankagg.compat.pyflagr import MarkovChains
    >>> lists = pd.DataFrame({
    ...     "query": "q", "voter": ["u", "u", "u", "v", "v", "w", "w"], "item": ["a", "b", "c", "b", "a", "b", "c"],
    ...     "rank": [1, 2, 3, 1, 2, 1, 2], "score": [3.0, 2.0, 1.0, 0.9, 0.6, 5.0, 4.0],
    ... })
    >>> df_out, _ = MarkovChains.MC().aggregate(input_df=lists)
    >>> dict(zip(df_out["ItemID"], df_out["Score"], strict=True))
    {'b': 0.465116, 'a': 0.333333, 'c': 0.20155}
    """

    def __init__(
        self,
        eval_pts: int = 10,
        ergodic_number: float = 0.15,
        max_iterations: int = 100,
        chain: Literal[801, 802, 803, 804, 805] = 804,
        *,
        convention: Convention = "flagr",
    ) -> None:
        super().__init__(eval_pts, convention=convention)
        check_choice("chain", chain, _BY_NUMBER)
        self.erg_num = ergodic_number
        self.niter = max_iterations
        self.chain_type = chain

    @property
    def _number(self):
        return self.chain_type

    def _paper(self):
        return aggregators.MarkovChain(chain=_BY_NUMBER[self.chain_type], ergodic_number=self.erg_num)

    def _scores(self, table):
        moves = self._moves(table)
        jump = single(self.erg_num, self._quirks)
        n = table.shape[1]
        moves = moves * (1 - jump) + jump / n
        state, share = np.full(n, 1.0 / n), np.empty((n, n))
        fixed = "mc.fixed_steps" in self._quirks
        for _ in range(self.niter - 1 if fixed else _MOST_STEPS):
            before, state = state, add_up(np.multiply(state[:, None], moves, out=share))
            if not fixed and np.abs(state - before).sum() <= _TOLERANCE:
                break
        return table, state

    def _moves(self, table):
        """Compute the transition matrix: the probability that a step leads from the row's item to the column's item."""
        chain, quirks = _BY_NUMBER[self.chain_type], self._quirks
        m, n = table.shape
        wins, both = table.above_held, table.both
        if "mc.both_accumulates" in quirks:
            both = np.cumsum(both, axis=1)
        never = both == 0
        share = np.where(never, 1.0, both) * n
        if chain in {"mc1", "mc2"}:
            if "mc12.not_dwork" not in quirks:
                return self._dwork(table, chain)
            blocked = wins == m if chain == "mc1" else wins > m / 2
            moves = np.where(blocked, 0.0, 1.0 / n)
        elif chain == "mc3":
            if "mc3.self_uniform" not in quirks:
                return self._dwork(table, chain)
            preferred = wins if "mc3.direction" in quirks else wins.T
            moves = np.where(never, 0.0, preferred / share)
        elif chain == "mc4":
            most = m / 2 if "mc4.majority_of_all" in quirks else both / 2
            moves = np.where(never, 0.5 / n, np.where(wins > most, 0.0, 1.0 / n))
        else:
            moves = np.where(never, 0.5 / n, (both - wins) / share)
        return _fill_diagonal(moves)

    def _dwork(self, table, chain):
        # An item is drawn from the lists themselves, with the rows of the main estimator's chains.
        lists = table.lists
        below = np.ones(lists.n_rows)
        if chain == "mc2":
            below = 1.0 / lists.rank
        elif chain == "mc3":
            below = (1.0 / lists.list_length)[lists.row_list]
        ((_, (above,), (level,)),) = preference_stacks(lists, below)
        if chain == "mc3" and "mc3.direction" in self._quirks:
            length = table.length[:, None]
            above = preference_counts(
                table.twice_rank + np.int16(1),
                np.where(table.held, table.twice_rank, np.int16(-1)),
                gap=0,
                weight=np.where(table.held, 1.0 / np.maximum(length, 1), 0.0),
            ).T
        return CHAINS[chain].transitions(above, level, table.hits.astype(np.float64))


def _fill_diagonal(moves):
    items = np.arange(len(moves))
    moves[items, items] = 0.0
    moves[items, items] = 1.0 - add_up(moves.T)
    return moves


# The docstring of the five chains.
_CHAIN = """Chain that FLAGR names {name}.

    Parameters
    ----------
    %(eval_pts)s
    %(steps)s
    %(convention)s

    See Also
    --------
    skrankagg.MarkovChain : The same method as in the papers, with ``chain="{chain}"``.

    Examples
    --------
    >>> import pandas as pd
    >>> from skrankagg.compat.pyflagr import MarkovChains
    >>> lists = pd.DataFrame({{
    ...     "query": "q", "voter": ["u", "u", "u", "v", "v", "w", "w"], "item": ["a", "b", "c", "b", "a", "b", "c"],
    ...     "rank": [1, 2, 3, 1, 2, 1, 2], "score": [3.0, 2.0, 1.0, 0.9, 0.6, 5.0, 4.0],
    ... }})
    >>> df_out, _ = MarkovChains.{name}().aggregate(input_df=lists)
    >>> dict(zip(df_out["ItemID"], df_out["Score"], strict=True))
    {shown}
    """


class _Chain(MC):
    def __init_subclass__(cls, chain: int, shown: dict[str, float]) -> None:
        cls._chain = chain
        cls.__doc__ = _CHAIN.format(name=cls.__name__, chain=_BY_NUMBER[chain], shown=shown)
        super().__init_subclass__()

    def __init__(
        self,
        eval_pts: int = 10,
        ergodic_number: float = 0.15,
        max_iterations: int = 100,
        *,
        convention: Convention = "flagr",
    ) -> None:
        super().__init__(eval_pts, ergodic_number, max_iterations, self._chain, convention=convention)


class MC1(_Chain, chain=801, shown={"b": 0.333333, "a": 0.333333, "c": 0.333333}):
    pass


class MC2(_Chain, chain=802, shown={"b": 0.465116, "a": 0.333333, "c": 0.20155}):
    pass


class MC3(_Chain, chain=803, shown={"c": 0.53805, "a": 0.275411, "b": 0.18654}):
    pass


class MC4(_Chain, chain=804, shown={"b": 0.465116, "a": 0.333333, "c": 0.20155}):
    pass


class MCT(_Chain, chain=805, shown={"b": 0.399895, "a": 0.317113, "c": 0.282991}):
    pass
