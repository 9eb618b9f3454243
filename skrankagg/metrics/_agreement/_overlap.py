r"""Overlap of the tops of two rankings: at one depth, averaged over depths, and rank-biased.

At depth d, an item of a ranking *contributes* 1 if it is among the first d items, and 0 otherwise. If a group of tied
items is only partly within the depth, there are three definitions [1]_. ``"w"``: tied items share the first place of
the group, and all contribute 1 from this place on. ``"a"``: the order of tied items is unknown, and each item
contributes the share of the group that lies within the depth. Every measure is then a mean over all orders of the tied
items. ``"b"``: the agreement A(x, y) under "a" of rankings x and y is divided by ``sqrt(A(x, x) A(y, y))``, so that
equal rankings agree fully.

Let c and c' be the contributions in two rankings. The agreement at depth d is :math:`2 \sum c c' / (\sum c + \sum c')`
under "w", :math:`\sum c c' / d` under "a" and :math:`\sum c c' / \sqrt{\sum c^2 \sum c'^2}` under "b".

References
----------
.. [1] M. Corsi and J. Urbano, "The treatment of ties in rank-biased overlap", SIGIR 2024.
"""

from typing import Literal

import numpy as np

from ..._support._checks import check_choice, check_count, check_share
from ._rankings import Ranking, align, tie_places

__all__ = ["average_overlap", "overlap", "rank_biased_overlap"]

_VARIANTS = ("w", "a", "b")
_SCORES = ("ext", "min", "max", "res")


def _check_ties(ties):
    check_choice("ties", ties, _VARIANTS)


def _contributions(rank, depth, ties):
    """Return the contribution of each item at the depths 1 to `depth`, as an array of shape (n_items, depth).

    An item contributes 1 to each depth that includes the item, and 0 to other depths. If a depth cuts through a group
    of tied items, these items may contribute a fraction between 0 and 1.
    """
    held = ~np.isnan(rank)
    top, last = np.full(len(rank), depth + 1.0), np.full(len(rank), depth + 1.0)
    top[held], last[held] = tie_places(rank[held])
    places = np.arange(1, depth + 1)
    if ties == "w":
        return (places >= top[:, None]).astype(np.float64)
    return np.clip((places - top[:, None] + 1) / (last - top + 1)[:, None], 0.0, 1.0)


def _agreement(shared, first, second, ties):
    """Compute the agreement of two rankings at each depth.

    `shared` contains, for each depth, the sum of c c' over all items. Here c and c' are the contributions of an item in
    the two rankings. `first` and `second` contain the weights of the two rankings, as returned by `_weight`.
    """
    if ties == "w":
        return 2 * shared / (first + second)
    return shared / np.sqrt(first * second)


def _weight(contribution, depths, ties):
    """Return the weight of a ranking at each depth, from which the divisor of the agreement is computed.

    If `ties` is "w", the weight is the sum of the contributions. If it is "a", the weight is the depth. If it is "b",
    the weight is the sum of the squared contributions.
    """
    if ties == "a":
        return depths.astype(np.float64)
    return contribution.sum(axis=0) if ties == "w" else (contribution**2).sum(axis=0)


def _curve(first, second, k, ties):
    n_held = [int((~np.isnan(rank)).sum()) for rank in (first, second)]
    depths = np.arange(1, (max(n_held) if k is None else k) + 1)
    one, other = (_contributions(rank, len(depths), ties) for rank in (first, second))
    sides = [_weight(side, depths, ties) for side in (one, other)]
    if 0 in n_held:
        return np.zeros(len(depths))
    return _agreement((one * other).sum(axis=0), *sides, ties)


def overlap(first: Ranking, second: Ranking, k: int, *, ties: Literal["w", "a", "b"] = "a") -> float:
    """Compute the overlap of two rankings: the share of the first k items that the rankings have in common.

    Parameters
    ----------
    first, second : list, or mapping or Series of item to rank
        Rankings.
    k : int
        Depth.
    ties : {"w", "a", "b"}, default="a"
        Treatment of ties. "w" gives all tied items the first place of their group. "a" averages over all orders of the
        tied items. "b" divides the agreement A(x, y) under "a" by ``sqrt(A(x, x) A(y, y))``, so that equal rankings
        agree fully.

    Returns
    -------
    float
        From 0 to 1. The divisor is k even if a list is shorter.

    See Also
    --------
    average_overlap : The mean overlap over the depths up to k.

    Examples
    --------
    >>> from skrankagg.metrics import overlap
    >>> overlap(["a", "b", "c"], ["b", "a", "d"], 3)
    0.6666666666666666
    """
    return rank_overlap(*align(first, second), k, ties=ties)


def rank_overlap(first, second, k, *, ties="a"):
    """Compute the overlap of two vectors of ranks; NaN marks absent items."""
    _check_ties(ties)
    _check_depth(k)
    return float(_curve(first, second, k, ties)[-1])


def _check_depth(k):
    check_count("k", k)


def average_overlap(
    first: Ranking, second: Ranking, k: int | None = None, *, ties: Literal["w", "a", "b"] = "a"
) -> float:
    """Compute the mean of the overlaps at the depths 1 to k.

    Parameters
    ----------
    first, second : list, or mapping or Series of item to rank
        Rankings.
    k : int, default=None
        Depth; None uses the length of the longer list.
    ties : {"w", "a", "b"}, default="a"
        Treatment of ties. "w" gives all tied items the first place of their group. "a" averages over all orders of the
        tied items. "b" divides the agreement A(x, y) under "a" by ``sqrt(A(x, x) A(y, y))``, so that equal rankings
        agree fully.

    Returns
    -------
    float
        From 0 to 1.

    See Also
    --------
    overlap : The overlap at one depth.
    rank_biased_overlap : An overlap that weights the depths and extrapolates beyond the last depth.

    Examples
    --------
    >>> from skrankagg.metrics import average_overlap
    >>> round(average_overlap(["a", "b", "c"], ["b", "a", "d"]), 4)
    0.5556
    """
    return rank_average_overlap(*align(first, second), k, ties=ties)


def rank_average_overlap(first, second, k=None, *, ties="a"):
    """Compute the average overlap of two vectors of ranks; NaN marks absent items."""
    _check_ties(ties)
    if k is not None:
        _check_depth(k)
    curve = _curve(first, second, k, ties)
    return float(curve.mean()) if len(curve) else np.nan


def rank_biased_overlap(
    first: Ranking,
    second: Ranking,
    *,
    persistence: float = 0.9,
    score: Literal["ext", "min", "max", "res"] = "ext",
    ties: Literal["w", "a", "b"] = "a",
) -> float:
    r"""Compute the rank-biased overlap of two rankings of any lengths, with or without ties.

    Parameters
    ----------
    first, second : list, or mapping or Series of item to rank
        Rankings; each is treated as the top of a longer ranking.
    persistence : float, default=0.9
        Persistence p, between 0 and 1; a lower value gives the top more weight.
    score : {"ext", "min", "max", "res"}, default="ext"
        "ext" extrapolates the observed agreement. "min" and "max" are the bounds of the value over all continuations of
        the rankings, and "res" is their difference.
    ties : {"w", "a", "b"}, default="a"
        Treatment of ties. "w" gives all tied items the first place of their group. "a" averages over all orders of the
        tied items. "b" divides the agreement A(x, y) under "a" by ``sqrt(A(x, x) A(y, y))``, so that equal rankings
        agree fully.

    Returns
    -------
    float
        From 0 to 1.

    See Also
    --------
    average_overlap : The overlap averaged without weights.

    Notes
    -----
    The value is :math:`\frac{1 - p}{p} \sum_{d \ge 1} A_d p^d` where :math:`A_d` is the agreement at depth d [1]_. Ties
    are treated as in [2]_. Let the shorter ranking contain s items and the longer ranking l items. Below depth s, the
    continuation of the shorter ranking is assumed to include items that only the longer ranking contains. In the first
    d places of this continuation, the assumed number of these items is d times the agreement at depth s ("ext"), 0
    ("min") or d ("max"). Below depth l, both rankings are assumed to continue in this way. For n items, the computation
    takes O(n l) time.

    References
    ----------
    .. [1] W. Webber, A. Moffat and J. Zobel, "A similarity measure for indefinite rankings", ACM TOIS 28(4), 2010.
    .. [2] M. Corsi and J. Urbano, "The treatment of ties in rank-biased overlap", SIGIR 2024.

    Examples
    --------
    >>> from skrankagg.metrics import rank_biased_overlap
    >>> first, second = ["a", {"b", "c"}, "d"], ["b", "a", "e", "f", "d"]
    >>> [round(rank_biased_overlap(first, second, persistence=0.8, score=score), 4)
    ...  for score in ("min", "ext", "max")]
    [0.4188, 0.5433, 0.6497]
    """
    return rank_rbo(*align(first, second), persistence=persistence, score=score, ties=ties)


def rank_rbo(first, second, *, persistence=0.9, score="ext", ties="a"):
    """Compute the rank-biased overlap of two vectors of ranks; NaN marks absent items."""
    _check_ties(ties)
    check_choice("score", score, _SCORES)
    check_share("persistence", persistence, low=False, high=False)
    if score == "res":
        bounds = [rank_rbo(first, second, persistence=persistence, score=bound, ties=ties) for bound in ("max", "min")]
        return bounds[0] - bounds[1]
    n_held = [int((~np.isnan(rank)).sum()) for rank in (first, second)]
    if n_held[0] > n_held[1]:
        first, second = second, first
    s, length = min(n_held), max(n_held)
    if s == 0:
        return 1.0 if score == "max" else 0.0
    depths = np.arange(1, length + 1)
    short, long = (_contributions(rank, length, ties) for rank in (first, second))
    shared = (short * long).sum(axis=0)
    # Below its last item the shorter ranking continues without ties.
    short_weight = np.where(depths > s, depths, _weight(short, depths, ties))
    long_weight = _weight(long, depths, ties)
    seen = _agreement(shared, short_weight, long_weight, ties)
    extra = _unseen(np.isnan(first), second, long, s, score, seen[s - 1])
    agreement = _agreement(shared + extra, short_weight, long_weight, ties)
    head = agreement @ persistence ** depths.astype(np.float64)
    return float(
        (1 - persistence) / persistence * (head + _tail(shared[-1], seen[s - 1], s, length, persistence, score))
    )


def _unseen(lacking, rank, long, s, score, agreement):
    """Return the overlap that items absent from the shorter ranking are assumed to add at each depth.

    The shorter ranking is assumed to continue with these items. The overlap is therefore above 0 only at depths below
    the last of its `s` items. `score` determines the assumption, as in :func:`rank_biased_overlap`.
    """
    length = long.shape[1]
    added = np.zeros(length)
    if score == "min" or length == s:
        return added
    places = np.arange(s, length)
    candidates = long[lacking & ~np.isnan(rank)]
    order = np.argsort(rank[lacking & ~np.isnan(rank)], kind="stable")
    if score == "max":
        # At each depth, one more of these items appears; the best of them appear first.
        running = np.cumsum(candidates[order], axis=0)
        added[s:] = running[places - s, places]
    else:
        active = candidates > 0
        n_active = np.maximum(active.sum(axis=0), 1)
        added[s:] = ((places - s + 1) * agreement * candidates.sum(axis=0)[s:]) / n_active[s:]
    return added


def _tail(shared, agreement, s, length, p, score):
    r"""Return the sum of :math:`A_d p^d` over the depths d below the end of the longer ranking.

    :math:`A_d` is the agreement that is assumed at depth d.
    """
    rest = p ** (length + 1.0) / (1 - p)
    if score == "ext":
        return (shared + (length - s) * agreement) / length * rest
    depths = np.arange(1, length + 1)
    if score == "min":
        return shared * (-np.log1p(-p) - np.sum(p**depths / depths))
    # At each depth, two more items are common, until the rankings contain the same items.
    full = length + s - round(shared)
    between = np.arange(length + 1, full + 1)
    return np.sum((2 * between - length - s + shared) / between * p**between) + p ** (full + 1.0) / (1 - p)
