"""Measures of graded relevance, discounted by rank."""

import numpy as np

from ._measure import measure
from ._precision import ratio

__all__ = ["dcg", "ndcg"]


def _cumulated_gain(ranked, k, gain, discount):
    ranked = ranked.head(k)
    return ranked.at(ranked.gains(gain, discount), k)


@measure("dcg", "Discounted cumulative gain")
def dcg(ranked, k=None, *, gain="exponential", discount="log2"):
    r"""Discounted cumulative gain, :math:`\sum_{i \le k} g(rel_i) / d(i)`.

    Parameters
    ----------
    k : int, default=None
        Cutoff; None takes all places.
    gain : {"exponential", "linear"}, default="exponential"
        :math:`2^{rel} - 1`, or :math:`rel` as trec_eval has it; the two are equal on binary judgements.
    discount : {"log2", "ln"}, default="log2"
        Logarithm of :math:`i + 1` to base 2 or e.

    See Also
    --------
    ndcg : Divided by the best that there could be.

    Examples
    --------
    >>> from skrankagg.metrics import dcg
    >>> items, grades = list("abcdefgh"), [0, 4, 1, 3, 4, 1, 3, 2]
    >>> truth = dict(zip(items, grades))
    >>> [round(dcg(items, truth, k, gain="linear"), 2) for k in range(1, 9)]
    [0.0, 2.52, 3.02, 4.32, 5.86, 6.22, 7.22, 7.85]
    """
    return _cumulated_gain(ranked, k, gain, discount)


@measure("ndcg", "Normalised DCG")
def ndcg(ranked, k=None, *, gain="exponential", discount="log2", ideal="judged", truncate="cutoff"):
    """Discounted cumulative gain divided by that of an ideal ranking.

    Parameters
    ----------
    k : int, default=None
        Cutoff; None takes all places.
    gain : {"exponential", "linear"}, default="exponential"
        See :func:`dcg`. trec_eval and most tools use "linear": say which wherever numbers are compared.
    discount : {"log2", "ln"}, default="log2"
        See :func:`dcg`.
    ideal : {"judged", "retrieved"}, default="judged"
        What the ideal ranking is made of: all judged items of the query, or only those that were returned.
    truncate : {"cutoff", "relevant"}, default="cutoff"
        Whether places behind the number R of relevant items count, or the list is cut at min(k, R), as some recommender
        toolkits do.

    See Also
    --------
    dcg : The numerator.

    Examples
    --------
    >>> from skrankagg.metrics import ndcg
    >>> items, grades = list("abcdefgh"), [0, 4, 1, 3, 4, 1, 3, 2]
    >>> truth = dict(zip(items, grades))
    >>> [round(ndcg(items, truth, k, gain="linear"), 2) for k in range(1, 9)]
    [0.0, 0.39, 0.38, 0.46, 0.58, 0.6, 0.67, 0.73]
    >>> [round(ndcg(["b", "a"], ["a"], k=2, truncate=rule), 4) for rule in ("cutoff", "relevant")]
    [0.6309, 0.0]
    """
    best = ranked.judged if ideal == "judged" else ranked.retrieved
    if truncate == "relevant":
        n_relevant = ranked.n_relevant().astype(np.int64)
        k = n_relevant if k is None else np.minimum(n_relevant, k)
    return ratio(*(_cumulated_gain(part, k, gain, discount) for part in (ranked, best)))
