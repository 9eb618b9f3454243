"""Measures that count: how many relevant items there are among the first places.

An item is *relevant* if its grade is above 0, or at least `relevance_threshold` where one is given; items that are not
judged, or have negative grades, are not relevant. ``R`` is the number of relevant items of a query, returned or not. A
measure whose divisor is 0 is 0.
"""

import numpy as np

from ._measure import measure

__all__ = [
    "f1",
    "judged_share",
    "mean_average_r_precision",
    "num_rel",
    "num_rel_ret",
    "num_ret",
    "precision",
    "r_precision",
    "recall",
    "success",
]


def hits_at(ranked, k, threshold):
    """Number of relevant items among the first k places of each list."""
    ranked = ranked.head(k)
    return ranked.at(ranked.hits(threshold), k)


def ratio(numerator, denominator):
    """Divide, 0 where the divisor is 0."""
    denominator = np.broadcast_to(np.asarray(denominator, dtype=np.float64), numerator.shape)
    return np.divide(numerator, denominator, out=np.zeros_like(numerator), where=denominator > 0)


@measure("num_ret", "Items returned", summary="sum", greater_is_better=None)
def num_ret(ranked):
    """Count the items returned.

    See Also
    --------
    num_rel : Relevant items instead.
    num_rel_ret : Relevant ones among them.

    Examples
    --------
    >>> from skrankagg.metrics import num_ret
    >>> num_ret([["a", "b"], ["c"]], [["a"], ["a"]])
    3.0
    """
    return ranked.n_retrieved.astype(np.float64)


@measure("num_rel", "Relevant items", summary="sum", greater_is_better=None)
def num_rel(ranked, *, relevance_threshold=None):
    """Count the relevant items, returned or not.

    Parameters
    ----------
    relevance_threshold : float, default=None
        Lowest grade that is relevant; None means above 0.

    See Also
    --------
    num_rel_ret : Those that are returned.

    Examples
    --------
    >>> from skrankagg.metrics import num_rel
    >>> num_rel(["a"], {"a": 1, "b": 2, "c": 0})
    2.0
    """
    return ranked.n_relevant(relevance_threshold)


@measure("num_rel_ret", "Relevant items returned", summary="sum")
def num_rel_ret(ranked, *, relevance_threshold=None):
    """Count the relevant items returned.

    Parameters
    ----------
    relevance_threshold : float, default=None
        Lowest grade that is relevant; None means above 0.

    See Also
    --------
    num_rel : Returned or not.
    recall : Their share of all relevant items.

    Examples
    --------
    >>> from skrankagg.metrics import num_rel_ret
    >>> num_rel_ret(["a", "c"], {"a": 1, "b": 2, "c": 0})
    1.0
    """
    return ranked.at(ranked.hits(relevance_threshold))


@measure("p", "Precision")
def precision(ranked, k, *, relevance_threshold=None):
    """Share of relevant items among the first k places.

    Parameters
    ----------
    k : int
        Cutoff, the divisor also where fewer items are returned.
    relevance_threshold : float, default=None
        Lowest grade that is relevant; None means above 0.

    See Also
    --------
    recall : Divided by the number of relevant items.
    r_precision : At the number of relevant items.

    Examples
    --------
    15 items returned, of which the first 4 are relevant: P@20 is 4/20. And the mean over two queries:

    >>> from skrankagg.metrics import precision
    >>> precision(list(range(15)), [0, 1, 2, 3], k=20)
    0.2
    >>> precision([[1, 2], [4, 5]], [[1], [4, 5]], k=2)
    0.75
    """
    return hits_at(ranked, k, relevance_threshold) / k


@measure("recall", "Recall")
def recall(ranked, k, *, relevance_threshold=None):
    """Share of the relevant items that are among the first k places.

    Parameters
    ----------
    k : int
        Cutoff.
    relevance_threshold : float, default=None
        Lowest grade that is relevant; None means above 0.

    See Also
    --------
    precision : Divided by the number of places.
    f1 : Both in one number.

    Examples
    --------
    >>> from skrankagg.metrics import recall
    >>> [recall(list("12345678"), ["2", "4", "5", "7"], k=k) for k in range(1, 9)]
    [0.0, 0.25, 0.25, 0.5, 0.75, 0.75, 1.0, 1.0]
    """
    return ratio(hits_at(ranked, k, relevance_threshold), ranked.n_relevant(relevance_threshold))


@measure("f1", "F1")
def f1(ranked, k, *, relevance_threshold=None):
    """Harmonic mean of precision and recall at k, ``2 P R / (P + R)``.

    Parameters
    ----------
    k : int
        Cutoff.
    relevance_threshold : float, default=None
        Lowest grade that is relevant; None means above 0.

    See Also
    --------
    precision : The share of the places.
    recall : The share of the relevant items.

    Examples
    --------
    >>> from skrankagg.metrics import f1
    >>> [round(f1(list("abcdefgh"), ["a", "c", "d", "f"], k=k), 2) for k in range(1, 9)]
    [0.4, 0.33, 0.57, 0.75, 0.67, 0.8, 0.73, 0.67]
    """
    hits = hits_at(ranked, k, relevance_threshold)
    # 2 (h/k) (h/R) / (h/k + h/R), multiplied out.
    return ratio(2 * hits, np.where(hits > 0, k + ranked.n_relevant(relevance_threshold), 0.0))


@measure("success", "Success")
def success(ranked, k, *, relevance_threshold=None):
    """Whether a relevant item is among the first k places; its mean is the hit rate.

    Parameters
    ----------
    k : int
        Cutoff.
    relevance_threshold : float, default=None
        Lowest grade that is relevant; None means above 0.

    See Also
    --------
    precision : How many, not only whether.
    reciprocal_rank : How early.

    Examples
    --------
    >>> from skrankagg.metrics import success
    >>> success([["a", "b"], ["a", "b"]], [["b"], ["c"]], k=2)
    0.5
    """
    ranked = ranked.head(k)
    return ranked.sum_of(*ranked.firsts(relevance_threshold), k)


@measure("judged", "Share of judged items", greater_is_better=None)
def judged_share(ranked, k):
    """Share of the items among the first k places that are judged, relevant or not.

    Parameters
    ----------
    k : int
        Cutoff; where fewer items are returned, the share is that of those.

    See Also
    --------
    rank_biased_residual : What the items that nobody judged could add to a measure.
    bpref : Looks at judged items only.

    Examples
    --------
    >>> from skrankagg.metrics import judged_share
    >>> judged_share(["a", "b", "c", "d"], {"a": 1, "c": 0}, k=3)
    0.6666666666666666
    """
    known = ranked.rate(~np.isnan(ranked.grade))
    return ratio(ranked.total(known, k), np.minimum(ranked.n_retrieved, k))


def _r_precision(ranked, z, relevance_threshold):
    judged = ranked.judged
    n_relevant = ranked.n_relevant(relevance_threshold)
    places = n_relevant if z is None else np.minimum(n_relevant, z)
    # The grade at place z of the ideal list: what is at least as good is relevant at z.
    border = np.full(ranked.n_queries, np.inf)
    some = places > 0
    border[some] = judged.grade[(judged.ptr[:-1] + places.astype(np.int64) - 1)[some]]
    hits = ranked.rate(ranked.grade >= border[ranked.row_query])
    return ratio(ranked.total(hits, (n_relevant if z is None else np.int64(z)).astype(np.int64)), places)


@measure("rprec", "R-precision")
def r_precision(ranked, k=None, *, relevance_threshold=None):
    r"""R-precision: share of relevant items among the first R places; with a cutoff, Rp@z.

    Parameters
    ----------
    k : int, default=None
        Cutoff z; None takes R.
    relevance_threshold : float, default=None
        Lowest grade that is relevant; None means above 0.

    See Also
    --------
    mean_average_r_precision : Its mean over several cutoffs.

    Notes
    -----
    At cutoff z those items are relevant whose grade is at least the z-th best of the query, so that all that tie at the
    border are; the divisor is :math:`\min(R, z)` [1]_.

    References
    ----------
    .. [1] ECML/PKDD 2011 discovery challenge, VideoLectures.Net recommender system.

    Examples
    --------
    Items 5, 6 and 7 tie at the fifth place of the solution:

    >>> from skrankagg.metrics import r_precision
    >>> solution = {1: 100, 2: 99, 3: 98, 4: 97, 5: 96, 6: 96, 7: 96, 8: 93, 9: 92, 10: 91}
    >>> r_precision([1, 2, 3, 7, 20, 6, 21, 8, 22, 23], solution, k=5)
    0.8
    """
    return _r_precision(ranked, k, relevance_threshold)


@measure("marp", "Mean average R-precision", kind="ks")
def mean_average_r_precision(ranked, k, *, relevance_threshold=None):
    """Mean of Rp@z over several cutoffs.

    Parameters
    ----------
    k : int or sequence of int
        Cutoffs.
    relevance_threshold : float, default=None
        Lowest grade that is relevant; None means above 0.

    See Also
    --------
    r_precision : The measure at one cutoff.

    Examples
    --------
    >>> from skrankagg.metrics import mean_average_r_precision
    >>> solutions = [{k: 101 - k for k in range(1, 11)}, {k: 151 - k for k in range(101, 111)}]
    >>> found = [[1, 2, 3, 20, 10, 6, 7, 8, 21, 22], [101, 102, 103, 50, 30, 106, 107, 108, 109, 52]]
    >>> mean_average_r_precision(found, solutions, k=(5, 10))
    0.65
    """
    return np.mean([_r_precision(ranked, z, relevance_threshold) for z in k], axis=0)
