"""Methods that weight the voters: PyFLAGR's classes PreferenceRelationsGraph, Agglomerative and DIBRA."""

from typing import Literal

import numpy as np

from ... import aggregators
from ..._arrays._pairwise import count_above, weigh_by_list
from ...aggregators._weighted._preference_relations import disagreements
from ...exceptions import InputError
from ._flagr_dibra import BASES, DISTANCES, dibra_scores
from ._merging import merged_scores
from ._method import Convention, Method, one_of
from ._ranking import add_up, single

__all__ = ["DIBRA", "Agglomerative", "PreferenceRelationsGraph"]

# PyFLAGR's values of `w_norm`, and the corresponding values of `weight_norm` in skrankagg.aggregators.DIBRA.
_WEIGHT_NORMS = {"none": None, "minmax": "min-max", "z": "z-score"}


class PreferenceRelationsGraph(Method):
    """Weighted aggregation in which voters have less weight if they contradict large majorities.

    Parameters
    ----------
    %(eval_pts)s
    alpha : float, default=0.1
        Smallest share of the lists that a minority must have; smaller minorities are ignored.
    beta : float, default=0.5
        Smallest share of the lists that must compare two items. With fewer lists, the majority between the two items is
        ignored.
    %(convention)s

    See Also
    --------
    skrankagg.aggregators.PreferenceRelations : The method as defined in the paper.

    Examples
    --------
    >>> import pandas as pd
    >>> from skrankagg.compat.pyflagr import Weighted
    >>> lists = pd.DataFrame({
    ...     "query": "q", "voter": ["u", "u", "u", "v", "v", "w", "w"], "item": ["a", "b", "c", "b", "a", "b", "c"],
    ...     "rank": [1, 2, 3, 1, 2, 1, 2], "score": [3.0, 2.0, 1.0, 0.9, 0.6, 5.0, 4.0],
    ... })
    >>> df_out, _ = Weighted.PreferenceRelationsGraph().aggregate(input_df=lists)
    >>> dict(zip(df_out["ItemID"], df_out["Score"], strict=True))
    {'b': 3.333333, 'a': 2.0, 'c': 0.666667}
    """

    _number = 600

    def __init__(
        self, eval_pts: int = 10, alpha: float = 0.1, beta: float = 0.5, *, convention: Convention = "flagr"
    ) -> None:
        super().__init__(eval_pts, convention=convention)
        self.Alpha = alpha
        self.Beta = beta

    def _paper(self):
        return aggregators.PreferenceRelations(alpha=self.Alpha, beta=self.Beta)

    def _scores(self, table):
        m, n = table.shape
        ranks = table.twice_rank
        counts = table.above
        compared = counts + counts.T
        alpha, beta = single(self.Alpha, self._quirks), single(self.Beta, self._quirks)
        majority = (compared >= np.ceil(beta * m)) & (alpha * compared > counts.T)
        absent = ~table.held
        if "prefrel.all_absent" in self._quirks:
            n_absent = np.count_nonzero(absent, axis=1)
            against = count_above(ranks, majority.T) + n_absent * (n_absent - 1) / 4
        else:
            against = disagreements(ranks, absent, majority)
        against = against + ("prefrel.start_1" in self._quirks)
        weight = 1.0 - against / max(n * (n - 1) / 2, 1)
        edges = weigh_by_list(ranks + np.int16(1), ranks, np.broadcast_to(weight[:, None], ranks.shape))
        return table, add_up(edges.T[table.hash_order])


class Agglomerative(Method):
    """Aggregation that repeatedly merges the two most similar lists until one list remains.

    Parameters
    ----------
    %(eval_pts)s
    c1, c2 : float, default=0.1, 0.5
        Coefficients of the weight of a merged list.
    %(convention)s

    See Also
    --------
    skrankagg.aggregators.Agglomerative : The method as defined in the paper.

    Examples
    --------
    >>> import pandas as pd
    >>> from skrankagg.compat.pyflagr import Weighted
    >>> lists = pd.DataFrame({
    ...     "query": "q", "voter": ["u", "u", "u", "v", "v", "w", "w"], "item": ["a", "b", "c", "b", "a", "b", "c"],
    ...     "rank": [1, 2, 3, 1, 2, 1, 2], "score": [3.0, 2.0, 1.0, 0.9, 0.6, 5.0, 4.0],
    ... })
    >>> df_out, _ = Weighted.Agglomerative().aggregate(input_df=lists)
    >>> dict(zip(df_out["ItemID"], df_out["Score"], strict=True))
    {'a': 0.945946, 'b': 0.513514, 'c': -1.972973}
    """

    _number = 700

    def __init__(
        self, eval_pts: int = 10, c1: float = 0.1, c2: float = 0.5, *, convention: Convention = "flagr"
    ) -> None:
        super().__init__(eval_pts, convention=convention)
        if not (c1 >= 0 and c2 >= 0 and c1 + c2 > 0):
            raise InputError(f"`c1` and `c2` must be at least 0, and one of them above 0; got {c1!r} and {c2!r}.")
        self.C1 = c1
        self.C2 = c2

    def _paper(self):
        return aggregators.Agglomerative(c1=self.C1, c2=self.C2)

    def _scores(self, table):
        return table, merged_scores(table, self.C1, self.C2, self._quirks)


class DIBRA(Method):
    """Aggregation that weights voters by their distance to the result, in several iterations.

    Parameters
    ----------
    %(eval_pts)s
    aggregator : str, default="combsum:borda"
        Method that aggregates the weighted lists: "combsum" or "combmnz" followed by a colon and a normalisation, or
        one of "condorcet", "copeland" and "outrank".
    w_norm : {"none", "minmax", "z"}, default="minmax"
        Scaling of the weights before they are used.
    dist : {"cosine", "footrule", "rho", "tau"}, default="cosine"
        Distance of a list to the result.
    prune : {None, "low", "wire"}, default=0
        How to cut the lists after the last iteration. As in PyFLAGR, 0, False and True mean None.
    gamma : float, default=1.5
        Constant in ``exp(-gamma * t * d)``, the gain in weight in iteration t for a list with distance d to the result.
    num_buckets : int, default=3
        Number of classes of trust; "wire" divides the voters into these classes.
    d1, d2 : float, default=0.4, 0.1
        Coefficients that determine the share of each list that is kept when lists are cut.
    tol : float, default=0.01
        Tolerance; the iteration ends when no weight grows by more than `tol`.
    max_iter : int, default=50
        Largest number of iterations.
    pref, veto, conc, disc : float, default=0.0, 0.75, 0.0, 0.25
        Thresholds that are used if `aggregator` is "outrank".
    %(convention)s

    See Also
    --------
    skrankagg.aggregators.DIBRA : The method as defined in the paper.

    Examples
    --------
    >>> import pandas as pd
    >>> from skrankagg.compat.pyflagr import Weighted
    >>> lists = pd.DataFrame({
    ...     "query": "q", "voter": ["u", "u", "u", "v", "v", "w", "w"], "item": ["a", "b", "c", "b", "a", "b", "c"],
    ...     "rank": [1, 2, 3, 1, 2, 1, 2], "score": [3.0, 2.0, 1.0, 0.9, 0.6, 5.0, 4.0],
    ... })
    >>> df_out, _ = Weighted.DIBRA().aggregate(input_df=lists)
    >>> dict(zip(df_out["ItemID"], df_out["Score"], strict=True))
    {'a': 1.0, 'b': 0.666667, 'c': 0.333333}
    """

    def __init__(
        self,
        eval_pts: int = 10,
        aggregator: str = "combsum:borda",
        w_norm: Literal["none", "minmax", "z"] = "minmax",
        dist: Literal["cosine", "footrule", "rho", "tau"] = "cosine",
        prune: Literal["low", "wire", 0] | bool | None = 0,
        gamma: float = 1.5,
        num_buckets: int = 3,
        d1: float = 0.4,
        d2: float = 0.1,
        tol: float = 0.01,
        max_iter: int = 50,
        pref: float = 0.0,
        veto: float = 0.75,
        conc: float = 0.0,
        disc: float = 0.25,
        *,
        convention: Convention = "flagr",
    ) -> None:
        super().__init__(eval_pts, convention=convention)
        self.aggregator: str = one_of("aggregator", aggregator, BASES)
        self.w_norm: Literal["none", "minmax", "z"] = one_of("w_norm", w_norm, ("none", "minmax", "z"))
        self.dist: Literal["cosine", "footrule", "rho", "tau"] = one_of("dist", dist, DISTANCES)
        one_of("prune", prune, (None, False, True, "low", "wire"))
        self.prune: Literal["low", "wire"] | None = prune if prune in ("low", "wire") else None
        self.g = gamma
        self.num_buckets = num_buckets
        self.d_1 = d1
        self.d_2 = d2
        self.tolerance = tol
        self.miter = max_iter
        self.thresholds: tuple[float, float, float, float] = pref, veto, conc, disc

    @property
    def _number(self):
        return BASES[self.aggregator]

    def _paper(self):
        kind, _, norm = self.aggregator.partition(":")
        if norm:
            base = (aggregators.CombSUM if kind == "combsum" else aggregators.CombMNZ)(norm=norm)
        elif kind == "outrank":
            names = ("preference", "veto", "concordance", "discordance")
            base = aggregators.Outranking(**dict(zip(names, map(float, self.thresholds), strict=True)))
        else:
            base = aggregators.Condorcet() if kind == "condorcet" else aggregators.Copeland()
        return aggregators.DIBRA(
            aggregator=base,
            distance=self.dist,
            gamma=self.g,
            weight_norm=_WEIGHT_NORMS[self.w_norm],
            tol=self.tolerance,
            max_iter=self.miter,
            prune=self.prune,
            d1=self.d_1,
            d2=self.d_2,
            n_buckets=self.num_buckets,
        )

    def _scores(self, table):
        return dibra_scores(table, self, self._quirks)
