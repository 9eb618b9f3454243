"""Measures of where the relevant items stand, whatever their grades.

An item is *relevant* if its grade is above 0, or at least `relevance_threshold` where one is given. A query without
relevant items is 0 in every measure.
"""

import numpy as np

from ._measure import measure
from ._precision import hits_at, ratio

__all__ = [
    "average_precision",
    "bpref",
    "geometric_average_precision",
    "inferred_average_precision",
    "interpolated_precision",
    "interpolated_precision_11pt",
    "reciprocal_rank",
]


@measure("map", "Mean average precision")
def average_precision(ranked, k=None, *, relevance_threshold=None, ap_denominator="relevant"):
    """Mean of the precisions at the places of the relevant items; those not returned have precision 0.

    Parameters
    ----------
    k : int, default=None
        Cutoff; None takes all places.
    relevance_threshold : float, default=None
        Lowest grade that is relevant; None means above 0.
    ap_denominator : {"relevant", "cutoff", "retrieved"}, default="relevant"
        What the sum of precisions is divided by: "relevant", the number R of relevant items, as trec_eval does at every
        cutoff; "cutoff", min(R, k), as recommender toolkits do; "retrieved", the relevant items among the first k.

    See Also
    --------
    geometric_average_precision : Summed up by the geometric mean.
    inferred_average_precision : With few judgements.
    mean_average_r_precision : For judgements with many grades.

    Examples
    --------
    Relevant items at ranks 1, 3, 4 and 6 of 8, cut at 5:

    >>> from skrankagg.metrics import average_precision
    >>> average_precision(list("abcdefgh"), ["a", "c", "d", "f"], k=5)
    0.6041666666666666
    >>> average_precision(list("abcdefgh"), ["a", "c", "d", "f"], k=5, ap_denominator="retrieved")
    0.8055555555555555

    Three queries and their mean:

    >>> actual = [[2, 4, 5, 7], [1, 4, 5, 7], [5, 8]]
    >>> [round(value, 2) for value in average_precision([range(1, 9)] * 3, actual, k=8, per_query=True)]
    [0.54, 0.67, 0.23]
    """
    total = ranked.head(k).precisions(relevance_threshold, k)
    if ap_denominator == "retrieved":
        return ratio(total, hits_at(ranked, k, relevance_threshold))
    n_relevant = ranked.n_relevant(relevance_threshold)
    return ratio(total, np.minimum(n_relevant, k) if ap_denominator == "cutoff" and k is not None else n_relevant)


@measure("gmap", "Geometric mean average precision", summary="gmean")
def geometric_average_precision(ranked, *, relevance_threshold=None):
    """Average precision whose summary over the queries is the geometric mean, values below 1e-5 raised to it.

    Parameters
    ----------
    relevance_threshold : float, default=None
        Lowest grade that is relevant; None means above 0.

    See Also
    --------
    average_precision : Summed up by the mean.

    Examples
    --------
    >>> from skrankagg.metrics import geometric_average_precision
    >>> round(geometric_average_precision([["a", "b"], ["a", "b"]], [["a"], ["b"]]), 4)
    0.7071
    """
    return ratio(ranked.precisions(relevance_threshold), ranked.n_relevant(relevance_threshold))


@measure("mrr", "Mean reciprocal rank")
def reciprocal_rank(ranked, k=None, *, relevance_threshold=None):
    """One divided by the rank of the first relevant item, 0 if none is returned.

    Parameters
    ----------
    k : int, default=None
        Cutoff, behind which no item is looked at; None takes all places.
    relevance_threshold : float, default=None
        Lowest grade that is relevant; None means above 0.

    See Also
    --------
    expected_reciprocal_rank : With grades.
    success : Whether there is one at all.

    Examples
    --------
    >>> from skrankagg.metrics import reciprocal_rank
    >>> actual = [[2, 4, 5, 7], [1, 4, 5, 7], [5, 8]]
    >>> round(reciprocal_rank([range(1, 9)] * 3, actual), 2)
    0.57
    """
    ranked = ranked.head(k)
    rows, chance = ranked.firsts(relevance_threshold)
    return ranked.sum_of(rows, chance / ranked.position[rows], k)


@measure("bpref", "Binary preference")
def bpref(ranked, *, relevance_threshold=None):
    r"""Share of the items judged not relevant that do not stand above the relevant ones.

    Parameters
    ----------
    relevance_threshold : float, default=None
        Lowest grade that is relevant; None means above 0.

    See Also
    --------
    average_precision : Takes items that nobody judged for not relevant.
    inferred_average_precision : Estimates them.

    Notes
    -----
    With R relevant items and N that are judged not relevant [1]_,

    .. math:: \frac{1}{R} \sum_r \left(1 - \frac{\min(n_r, R)}{\min(R, N)}\right),

    where :math:`n_r` of the N stand above the relevant item r, and the term of an item with none above is 1. Items that
    are not judged are passed over; so are negative grades, by which trec_eval marks items that were pooled and not
    judged.

    References
    ----------
    .. [1] C. Buckley and E. M. Voorhees, "Retrieval evaluation with incomplete information", SIGIR 2004.

    Examples
    --------
    >>> from skrankagg.metrics import bpref
    >>> bpref(["a", "x", "b", "y"], {"a": 1, "b": 0, "y": 1})
    0.5
    """
    return ratio(ranked.total(ranked.preferences(relevance_threshold)), ranked.n_relevant(relevance_threshold))


@measure("infap", "Inferred average precision", has_expectation=False)
def inferred_average_precision(ranked, *, relevance_threshold=None):
    r"""Average precision where items that were pooled and not judged are as often relevant as the judged ones.

    Parameters
    ----------
    relevance_threshold : float, default=None
        Lowest grade that is relevant; None means above 0.

    See Also
    --------
    average_precision : With complete judgements.
    bpref : Passes over what is not judged.

    Notes
    -----
    Negative grades mark items that were pooled and not judged. At a relevant item of rank i, with r relevant, n not
    relevant and u such items above it and :math:`\varepsilon = 10^{-5}`, the precision is taken for [1]_

    .. math:: \frac{1}{i} + \frac{r + n + u}{i} \cdot \frac{r + \varepsilon}{r + n + 2\varepsilon}.

    References
    ----------
    .. [1] E. Yilmaz and J. A. Aslam, "Estimating average precision with incomplete and imperfect judgments", CIKM 2006.

    Examples
    --------
    >>> from skrankagg.metrics import average_precision, inferred_average_precision
    >>> judgements = {"a": 1, "b": -1, "c": 1}
    >>> round(inferred_average_precision(["a", "b", "c"], judgements), 4)
    1.0
    >>> round(average_precision(["a", "b", "c"], judgements), 4)
    0.8333
    """
    tiny = 1e-5
    relevant = ranked.relevant(relevance_threshold)
    above = ranked.hits(relevance_threshold) - relevant
    others = ranked.total_above(relevance_threshold)  # a relevant place adds none of its own
    pooled = ranked.cumulate("pooled", lambda: (ranked.grade < 0).astype(np.float64))
    share = (above + others + pooled) * (above + tiny) / (above + others + 2 * tiny)
    terms = np.where(relevant, (1 + np.where(ranked.position > 1, share, 0.0)) / ranked.position, 0.0)
    return ratio(ranked.total(terms), ranked.n_relevant(relevance_threshold))


def _interpolated(ranked, level, threshold):
    hits, n_relevant = ranked.hits(threshold), ranked.n_relevant(threshold)
    needed = np.floor(level * n_relevant + 0.9)
    return ranked.best(np.where(hits >= needed[ranked.row_query], hits / ranked.position, 0.0))


@measure("iprec", "Interpolated precision", kind="recall", has_expectation=False)
def interpolated_precision(ranked, k, *, relevance_threshold=None):
    """Highest precision at any place where the recall is at least so high.

    Parameters
    ----------
    k : float
        Recall from 0 to 1.
    relevance_threshold : float, default=None
        Lowest grade that is relevant; None means above 0.

    See Also
    --------
    interpolated_precision_11pt : The mean over eleven recalls.

    Notes
    -----
    As in trec_eval 9.0, recall c needs ``floor(c R + 0.9)`` relevant items; later versions round ``c R`` to the nearest
    whole number.

    Examples
    --------
    >>> from skrankagg.metrics import interpolated_precision
    >>> [interpolated_precision(["a", "x", "b", "c"], ["a", "b", "c"], k) for k in (0, 0.5, 1)]
    [1.0, 0.75, 0.75]
    """
    return _interpolated(ranked, k, relevance_threshold)


_LEVELS = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)


@measure("11pt", "Eleven-point interpolated precision", has_expectation=False)
def interpolated_precision_11pt(ranked, *, relevance_threshold=None):
    """Mean of the interpolated precisions at the recalls 0, 0.1, ..., 1.

    Parameters
    ----------
    relevance_threshold : float, default=None
        Lowest grade that is relevant; None means above 0.

    See Also
    --------
    interpolated_precision : At one recall.

    Examples
    --------
    >>> from skrankagg.metrics import interpolated_precision_11pt
    >>> round(interpolated_precision_11pt(["a", "x", "b", "c"], ["a", "b", "c"]), 4)
    0.8409
    """
    return np.mean([_interpolated(ranked, level, relevance_threshold) for level in _LEVELS], axis=0)
