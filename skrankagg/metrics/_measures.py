"""Measures of ranked relevance: pure functions, a value for each query.

Each takes a :class:`RankedRelevance` and a cutoff ``k``. An item is *relevant* if its grade is above 0, or at least
`relevance_threshold` where one is given; items that are not judged, or have negative grades, are not relevant. ``R`` is
the number of relevant items of a query, returned or not. A measure whose divisor is 0 is 0.
"""

import numpy as np

__all__ = ["average_precision", "dcg", "f1", "ndcg", "num_rel", "num_rel_ret", "num_ret", "precision", "recall"]


def _ratio(numerator, denominator):
    denominator = np.broadcast_to(np.asarray(denominator, dtype=np.float64), numerator.shape)
    return np.divide(numerator, denominator, out=np.zeros_like(numerator), where=denominator > 0)


def num_ret(ranked, k=None):
    """Count the items returned."""
    return ranked.n_retrieved.astype(np.float64)


def num_rel(ranked, k=None, *, relevance_threshold=None):
    """Count the relevant items, returned or not."""
    return ranked.n_relevant(relevance_threshold)


def num_rel_ret(ranked, k=None, *, relevance_threshold=None):
    """Count the relevant items returned."""
    return ranked.at(ranked.hits(relevance_threshold))


def precision(ranked, k, *, relevance_threshold=None):
    """Share of relevant items among the first k places.

    Parameters
    ----------
    ranked : RankedRelevance
    k : int
        Cutoff, the divisor also where fewer items are returned.
    relevance_threshold : float, default=None
        Lowest grade that is relevant; None means above 0.

    Returns
    -------
    ndarray of shape (n_queries,)

    Examples
    --------
    15 items returned, of which the first 4 are relevant: P@20 is 4/20.

    >>> import numpy as np
    >>> from skrankagg.metrics import RankedRelevance, RelevanceList, precision
    >>> grade, ptr = np.repeat([1.0, 0.0], [4, 11]), np.array([0, 15])
    >>> precision(RankedRelevance(grade, ptr, RelevanceList(grade, ptr)), 20)
    array([0.2])
    """
    return ranked.at(ranked.hits(relevance_threshold), k) / k


def recall(ranked, k, *, relevance_threshold=None):
    """Share of the relevant items that are among the first k places.

    Parameters
    ----------
    ranked : RankedRelevance
    k : int
        Cutoff.
    relevance_threshold : float, default=None
        Lowest grade that is relevant; None means above 0.

    Returns
    -------
    ndarray of shape (n_queries,)
    """
    return _ratio(ranked.at(ranked.hits(relevance_threshold), k), ranked.n_relevant(relevance_threshold))


def f1(ranked, k, *, relevance_threshold=None):
    """Harmonic mean of precision and recall at k, ``2 P R / (P + R)``.

    Parameters
    ----------
    ranked : RankedRelevance
    k : int
        Cutoff.
    relevance_threshold : float, default=None
        Lowest grade that is relevant; None means above 0.

    Returns
    -------
    ndarray of shape (n_queries,)
    """
    hits = ranked.at(ranked.hits(relevance_threshold), k)
    # 2 (h/k) (h/R) / (h/k + h/R), multiplied out.
    return _ratio(2 * hits, np.where(hits > 0, k + ranked.n_relevant(relevance_threshold), 0.0))


def average_precision(ranked, k=None, *, relevance_threshold=None, ap_denominator="relevant"):
    """Mean of the precisions at the places of the relevant items; those not returned have precision 0.

    Parameters
    ----------
    ranked : RankedRelevance
    k : int, default=None
        Cutoff; None takes all places.
    relevance_threshold : float, default=None
        Lowest grade that is relevant; None means above 0.
    ap_denominator : {"relevant", "cutoff", "retrieved"}, default="relevant"
        What the sum of precisions is divided by: "relevant", the number R of relevant items, as trec_eval does at every
        cutoff; "cutoff", min(R, k), as recommender toolkits do; "retrieved", the relevant items among the first k.

    Returns
    -------
    ndarray of shape (n_queries,)

    Examples
    --------
    Relevant items at ranks 1, 3, 4 and 6 of 8, cut at 5:

    >>> import numpy as np
    >>> from skrankagg.metrics import RankedRelevance, RelevanceList, average_precision
    >>> grade, ptr = np.array([1.0, 0, 1, 1, 0, 1, 0, 0]), np.array([0, 8])
    >>> ranked = RankedRelevance(grade, ptr, RelevanceList(np.sort(grade)[::-1], ptr))
    >>> average_precision(ranked, 5), average_precision(ranked, 5, ap_denominator="retrieved")
    (array([0.60416667]), array([0.80555556]))
    """
    total = ranked.at(ranked.precisions(relevance_threshold), k)
    if ap_denominator == "retrieved":
        return _ratio(total, ranked.at(ranked.hits(relevance_threshold), k))
    n_relevant = ranked.n_relevant(relevance_threshold)
    return _ratio(total, np.minimum(n_relevant, k) if ap_denominator == "cutoff" and k is not None else n_relevant)


def dcg(ranked, k=None, *, gain="exponential", discount="log2"):
    r"""Discounted cumulative gain, :math:`\sum_{i \le k} g(rel_i) / d(i)`.

    Parameters
    ----------
    ranked : RankedRelevance
    k : int, default=None
        Cutoff; None takes all places.
    gain : {"exponential", "linear"}, default="exponential"
        :math:`2^{rel} - 1`, or :math:`rel` as trec_eval has it; the two are equal on binary judgements.
    discount : {"log2", "ln"}, default="log2"
        Logarithm of :math:`i + 1` to base 2 or e.

    Returns
    -------
    ndarray of shape (n_queries,)
    """
    return ranked.at(ranked.gains(gain, discount), k)


def ndcg(ranked, k=None, *, gain="exponential", discount="log2", ideal="judged"):
    """Discounted cumulative gain divided by that of an ideal ranking.

    Parameters
    ----------
    ranked : RankedRelevance
    k : int, default=None
        Cutoff; None takes all places.
    gain : {"exponential", "linear"}, default="exponential"
        See :func:`dcg`. trec_eval and most tools use "linear": say which wherever numbers are compared.
    discount : {"log2", "ln"}, default="log2"
        See :func:`dcg`.
    ideal : {"judged", "retrieved"}, default="judged"
        What the ideal ranking is made of: all judged items of the query, or only those that were returned.

    Returns
    -------
    ndarray of shape (n_queries,)
    """
    best = ranked.judged if ideal == "judged" else ranked.retrieved
    return _ratio(dcg(ranked, k, gain=gain, discount=discount), dcg(best, k, gain=gain, discount=discount))
