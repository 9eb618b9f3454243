"""Candidate weights of voters for a search: points of a grid, or random points."""

from collections.abc import Iterable, Mapping
from itertools import combinations
from math import comb, isfinite
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from .._support._values import is_real
from ..exceptions import InputError, InputTypeError

__all__ = ["DirichletWeights", "weight_grid"]

# A list of 200,000 points takes about 100 MB, and no search tries more points.
_MOST_POINTS = 200_000


def weight_grid(voters: Iterable[Any], step: float = 0.1) -> list[dict[Any, float]]:
    r"""List all combinations of voter weights that add up to 1 in multiples of a step, as candidates for a search.

    Use the weights as values of ``voter_weights`` in a ``GridSearchCV``, for any method that accepts weights of voters.

    Parameters
    ----------
    voters : sequence of ids
        Voters, such as ``lists.voters``.
    step : float, default=0.1
        Distance between two weights. The step must be 1 / n, where n is an integer.

    Returns
    -------
    list of dict of voter to float
        The points of the grid. Points with more weight on the first voters come first. For m voters there are
        :math:`\binom{n + m - 1}{m - 1}` points. With a step of 0.1 there are 11 points for 2 voters, 66 for 3 and 286
        for 4.

    Raises
    ------
    ValueError
        If the step is not 1 / n, if a voter occurs twice, or if there are more than 200,000 points.
    TypeError
        If `voters` is not a sequence of ids.

    See Also
    --------
    DirichletWeights : Random weights, for a search with many voters.
    skrankagg.preprocessing.VoterWeighter : Measures the weights of voters instead of searching for them.

    Notes
    -----
    The steps are counted as integers, so that no point is lost by rounding. Only the ratios of the weights change the
    result of a method.

    Examples
    --------
    >>> from skrankagg.model_selection import weight_grid
    >>> weight_grid(["bm25", "dense"], step=0.5)
    [{'bm25': 1.0, 'dense': 0.0}, {'bm25': 0.5, 'dense': 0.5}, {'bm25': 0.0, 'dense': 1.0}]
    >>> len(weight_grid(["bm25", "dense", "splade", "colbert"], step=0.1))
    286

    >>> from sklearn.model_selection import GridSearchCV
    >>> from skrankagg import CombSUM, Qrels, RankedLists
    >>> from skrankagg.datasets import make_ranked_lists
    >>> from skrankagg.metrics import make_ranking_scorer
    >>> lists, qrels, _ = make_ranked_lists(n_queries=20, n_voters=3, quality=0.5,
    ...     random_state=0)
    >>> lists, qrels = RankedLists.from_frame(lists), Qrels.from_frame(qrels)
    >>> grid = {"voter_weights": weight_grid(lists.voters, step=0.25)}
    >>> search = GridSearchCV(CombSUM(), grid, scoring=make_ranking_scorer("map"), cv=5)
    >>> search.fit(lists, qrels.align(lists)).best_params_["voter_weights"]
    {'v1': 0.75, 'v2': 0.0, 'v3': 0.25}
    """
    voters = _check_voters(voters)
    if not is_real(step) or not 0 < step <= 1 or abs(1 / step - round(1 / step)) > 1e-9 / step:
        near = _nearest(step) if is_real(step) and 0 < step < 1 else "0.1 or 0.05"
        raise InputError(
            f"`step` must be 1 / n for an integer n, so that weights add up to 1; got {step!r}. Pass, for example, "
            f"{near}."
        )
    n, m = round(1 / step), len(voters)
    count = comb(n + m - 1, m - 1)
    if count > _MOST_POINTS:
        number = f"{count:,}" if count < 10**15 else "more than 10**15"
        raise InputError(
            f"`step` must give at most {_MOST_POINTS:,} combinations of weights; {step:g} for {m} voters gives "
            f"{number}. Draw random weights with RandomizedSearchCV(method, {{'voter_weights': "
            "DirichletWeights(voters)}), or take a larger step."
        )
    points = []
    # n steps and m - 1 bars between the voters: the weight of a voter is the number of steps between two bars.
    for bars in combinations(range(n + m - 1), m - 1):
        edges = (-1, *bars, n + m - 1)
        points.append([(edges[k + 1] - edges[k] - 1) / n for k in range(m)])
    return [dict(zip(voters, point, strict=True)) for point in reversed(points)]


def _nearest(step):
    n = max(1, round(1 / step))
    return f"1 / {n}"


def _check_voters(voters):
    """Return the voters as a list of plain ids; raise an error if an id occurs twice."""
    if isinstance(voters, str | bytes | Mapping) or not isinstance(voters, Iterable):
        raise InputTypeError(
            f"`voters` must be a sequence of ids, such as lists.voters; got {type(voters).__name__}. "
            "Put the ids in a list."
        )
    voters = [voter.item() if isinstance(voter, np.generic) else voter for voter in voters]
    if not voters:
        raise InputError("`voters` must contain at least one id; got none.")
    if len({*voters}) < len(voters):
        twice = next(voter for k, voter in enumerate(voters) if voter in voters[:k])
        raise InputError(f"`voters` must be distinct; {twice!r} occurs twice. Remove the repeated id.")
    return voters


class DirichletWeights:
    """Random voter weights that add up to 1, for a ``RandomizedSearchCV`` over ``voter_weights``.

    Use random weights if a grid would have too many points. They also help if only a few voters matter: each random
    draw tries a new weight of every voter, but a grid repeats the same few weights.

    Parameters
    ----------
    voters : sequence of ids
        Voters, such as ``lists.voters``.
    concentration : float or mapping of voter to float, default=1.0
        Parameter of the Dirichlet distribution, above 0. With 1, all combinations of weights are equally likely. Values
        below 1 give most voters weights near 0. Values above 1 give the voters nearly equal weights. A mapping contains
        a value for each voter; voters with greater values have greater weights on average.

    See Also
    --------
    weight_grid : All points of a grid, for a search with two to four voters.
    sklearn.model_selection.RandomizedSearchCV : Draws weights and measures each choice.

    Examples
    --------
    >>> from sklearn.model_selection import RandomizedSearchCV
    >>> from skrankagg import CombSUM, Qrels, RankedLists
    >>> from skrankagg.datasets import make_ranked_lists
    >>> from skrankagg.metrics import make_ranking_scorer
    >>> from skrankagg.model_selection import DirichletWeights
    >>> lists, qrels, _ = make_ranked_lists(n_queries=20, n_voters=8, quality_spread=1.0,
    ...     random_state=0)
    >>> lists, qrels = RankedLists.from_frame(lists), Qrels.from_frame(qrels)
    >>> draws = {"voter_weights": DirichletWeights(lists.voters)}
    >>> search = RandomizedSearchCV(CombSUM(), draws, n_iter=20,
    ...     scoring=make_ranking_scorer("map"), random_state=0)
    >>> found = search.fit(lists, qrels.align(lists)).best_params_["voter_weights"]
    >>> len(found), round(sum(found.values()), 12)
    (8, 1.0)
    """

    def __init__(self, voters: Iterable[Any], concentration: float | Mapping[Any, float] = 1.0) -> None:
        self.voters: list[Any] = _check_voters(voters)
        self.concentration: float | Mapping[Any, float] = concentration
        if isinstance(concentration, Mapping):
            missing = [voter for voter in self.voters if voter not in concentration]
            if missing:
                raise InputError(
                    f"`concentration` must have a value for every voter; {missing[0]!r} has no value. Add "
                    "a value for this voter."
                )
            values = [concentration[voter] for voter in self.voters]
        else:
            values = [concentration] * len(self.voters)
        for value in values:
            if not is_real(value) or not isfinite(value) or value <= 0:
                raise InputError(
                    f"`concentration` must be finite and above 0; got {value!r}. Use 1 to make all weights equally "
                    "likely."
                )
        self._alpha = np.array(values, dtype=np.float64)

    def rvs(self, *, random_state: int | np.random.RandomState | None = None) -> dict[Any, float]:
        """Draw the weights of all voters.

        Parameters
        ----------
        random_state : int, RandomState instance or None, default=None
            Source of the random draw.

        Returns
        -------
        dict of voter to float
            Weights of at least 0 that add up to 1.
        """
        random = check_random_state(random_state)
        # Logarithm of a gamma variate, because the variate itself would be 0 for a small concentration.
        size = (
            np.log(random.standard_gamma(self._alpha + 1)) - random.standard_exponential(len(self._alpha)) / self._alpha
        )
        weight = np.exp(size - size.max())
        return dict(zip(self.voters, (weight / weight.sum()).tolist(), strict=True))

    def __repr__(self) -> str:
        return f"DirichletWeights({self.voters!r}, concentration={self.concentration!r})"
