"""Measures that count relevant items among the first places.

An item is *relevant* if its grade is above 0, or at least `relevance_threshold` if given. Unjudged items and items with
negative grades are not relevant. A measure whose divisor is 0 has the value 0.
"""

import numpy as np

from ._measure import define

__all__ = [
    "f1",
    "precision",
    "recall",
    "set_f",
    "success",
]


def ratio(numerator, denominator):
    """Divide two arrays element by element; the result is 0 where the divisor is 0."""
    denominator = np.asarray(denominator, dtype=np.float64)
    return np.divide(numerator, denominator, out=np.zeros_like(numerator), where=denominator > 0)


@define(
    "p",
    "Precision",
    formula=r"$h_k / k$, also where $n < k$",
    agrees="trec_eval `P_k`",
)
def precision(ranked, k: int, *, relevance_threshold: float | None = None):
    """Compute the share of relevant items among the first k places.

    Parameters
    ----------
    k : int
        Cutoff. The divisor is k even if fewer items are returned.

    See Also
    --------
    recall : Number of relevant items among the first k places, divided by the number of all relevant items.
    r_precision : Precision at rank R, where R is the number of relevant items.

    Examples
    --------
    The first 4 of 15 returned items are relevant, so P@20 is 4/20. The second value is the mean over two queries:

    >>> from skrankagg.metrics import precision
    >>> precision(list(range(15)), [0, 1, 2, 3], k=20)
    0.2
    >>> precision([[1, 2], [4, 5]], [[1], [4, 5]], k=2)
    0.75
    """
    return ranked.hits(relevance_threshold, k) / k


@define(
    "recall",
    "Recall",
    formula=r"$h_k / R$",
    agrees="trec_eval `recall_k`",
    other_names=("r",),
)
def recall(ranked, k: int, *, relevance_threshold: float | None = None):
    """Compute the share of the relevant items that are among the first k places.

    See Also
    --------
    precision : Number of relevant items among the first k places, divided by k.
    f1 : Precision and recall in one number.

    Examples
    --------
    >>> from skrankagg.metrics import recall
    >>> [recall(list("12345678"), ["2", "4", "5", "7"], k=k) for k in range(1, 9)]
    [0.0, 0.25, 0.25, 0.5, 0.75, 0.75, 1.0, 1.0]
    """
    return ratio(ranked.hits(relevance_threshold, k), ranked.n_relevant(relevance_threshold))


@define(
    "f1",
    "F1",
    formula=r"$2 P R' / (P + R') = 2 h_k / (k + R)$ with $P$ and $R'$ precision and recall at $k$",
    agrees="ranx `f1@k`",
)
def f1(ranked, k: int, *, relevance_threshold: float | None = None):
    """Compute the harmonic mean of precision and recall at k, ``2 P R / (P + R)``.

    See Also
    --------
    precision : Share of the places that contain relevant items.
    recall : Share of the relevant items that are returned.
    set_f : The same mean for all returned items, with a weight of recall.

    Examples
    --------
    >>> from skrankagg.metrics import f1
    >>> [round(f1(list("abcdefgh"), ["a", "c", "d", "f"], k=k), 2) for k in range(1, 9)]
    [0.4, 0.33, 0.57, 0.75, 0.67, 0.8, 0.73, 0.67]
    """
    hits = ranked.hits(relevance_threshold, k)
    # For h relevant items, 2 (h/k) (h/R) / (h/k + h/R) = 2 h / (k + R).
    return ratio(2 * hits, np.where(hits > 0, k + ranked.n_relevant(relevance_threshold), 0.0))


@define(
    "set_f",
    "F measure of the returned set",
    formula=r"$(1 + w) P R' / (R' + w P)$, equal to $(1 + w) h_n / (n + w R)$, with $P$ and $R'$ precision and recall "
    r"of all returned items, $w$ the `recall_weight` (1)",
    agrees="trec_eval `set_F`; ir_measures `SetF`, where `beta` is $w$",
    other_names=("setf",),
)
def set_f(ranked, *, recall_weight: float = 1.0, relevance_threshold: float | None = None):
    """Compute the weighted harmonic mean of precision and recall of all returned items.

    Parameters
    ----------
    recall_weight : float, default=1.0
        Weight w of recall relative to precision, at least 0. The measure is ``(1 + w) P R / (R + w P)``; with w = 0 it
        is precision. The parameter ``beta`` of ir_measures is w; ``beta`` of scikit-learn's ``fbeta_score`` is the
        square root of w.

    See Also
    --------
    f1 : The same measure of the first k places, with equal weights.
    sklearn.metrics.fbeta_score : The F measure of a classifier.

    Examples
    --------
    Precision is 1/2 and recall is 2/3:

    >>> from skrankagg.metrics import set_f
    >>> round(set_f(["a", "x", "b", "y"], ["a", "b", "c"]), 4)
    0.5714
    >>> round(set_f(["a", "x", "b", "y"], ["a", "b", "c"], recall_weight=4.0), 4)
    0.625
    """
    relevant = ranked.n_relevant(relevance_threshold)
    return ratio((1 + recall_weight) * ranked.hits(relevance_threshold), ranked.n_retrieved + recall_weight * relevant)


@define(
    "success",
    "Success",
    formula=r"1 if $h_k > 0$, else 0",
    agrees="trec_eval `success_k`; ranx `hit_rate@k`",
    other_names=(
        "hit_rate",
        "hits",
    ),
)
def success(ranked, k: int, *, relevance_threshold: float | None = None):
    """Return 1 if a relevant item is among the first k places, otherwise 0; the mean over queries is the hit rate.

    See Also
    --------
    precision : Share of relevant items among the first k places.
    reciprocal_rank : Measures how early the first relevant item is returned.

    Examples
    --------
    >>> from skrankagg.metrics import success
    >>> success([["a", "b"], ["a", "b"]], [["b"], ["c"]], k=2)
    0.5
    """
    query, _, chance = ranked.firsts(relevance_threshold, k)
    return ranked.sum_by(query, chance)
