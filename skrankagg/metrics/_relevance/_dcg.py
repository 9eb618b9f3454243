"""Measures of graded relevance, discounted by rank."""

import numpy as np

from ._conventions import Discount, Gain, Ideal, Truncate
from ._measure import define
from ._precision import ratio

__all__ = [
    "dcg",
    "ndcg",
]


@define(
    "dcg",
    "Discounted cumulative gain",
    formula=(
        r'$\sum_{i \le k} g(rel_i) / d(i)$, $g(x) = 2^x - 1$ or $x$ (`gain="linear"`), $d(i) = \log_2(i + 1)$, '
        r'$\ln(i + 1)$ (`discount="ln"`) or $\log_2 \max(i, 2)$ (`discount="letor"`)'
    ),
    other_names=("dcg_burges",),
    agrees='ranx `dcg_burges@k`, and `dcg@k` with `gain="linear"`',
)
def dcg(ranked, k: int | None = None, *, gain: Gain = "exponential", discount: Discount = "log2"):
    r"""Compute the discounted cumulative gain, :math:`\sum_{i \le k} g(rel_i) / d(i)`.

    Parameters
    ----------
    gain : {"exponential", "linear"}, default="exponential"
        "exponential" is :math:`2^{rel} - 1`. "linear" is :math:`rel`, as in trec_eval. The two gains are equal on
        binary judgements.
    discount : {"log2", "ln", "letor"}, default="log2"
        "log2" and "ln" are the logarithms of :math:`i + 1` to the bases 2 and e. "letor" is the logarithm of
        :math:`\max(i, 2)` to base 2, as in LETOR's script. The first two places then have no discount.

    See Also
    --------
    ndcg : The same measure divided by its best possible value.

    Examples
    --------
    >>> from skrankagg.metrics import dcg
    >>> items, grades = list("abcdefgh"), [0, 4, 1, 3, 4, 1, 3, 2]
    >>> truth = dict(zip(items, grades))
    >>> [round(dcg(items, truth, k, gain="linear"), 2) for k in range(1, 9)]
    [0.0, 2.52, 3.02, 4.32, 5.86, 6.22, 7.22, 7.85]
    """
    return ranked.gains(k, gain, discount)


@define(
    "ndcg",
    "Normalised DCG",
    formula=(
        r"$\mathrm{DCG}@k$ divided by the $\mathrm{DCG}@k$ of an ideal list: all judged items, best first, or only the "
        r'returned items (`ideal="retrieved"`). `truncate="relevant"` replaces $k$ by $\min(k, R)$'
    ),
    other_names=("ndcg_burges", "ndcg_cut"),
    agrees='trec_eval `ndcg`, `ndcg_cut_k` with `gain="linear"`; gdeval with the default',
)
def ndcg(
    ranked,
    k: int | None = None,
    *,
    gain: Gain = "exponential",
    discount: Discount = "log2",
    ideal: Ideal = "judged",
    truncate: Truncate = "cutoff",
):
    """Compute the discounted cumulative gain, divided by its value for an ideal ranking.

    Parameters
    ----------
    gain : {"exponential", "linear"}, default="exponential"
        See :func:`dcg`. trec_eval and most tools use "linear". When you report values, state the gain.
    discount : {"log2", "ln", "letor"}, default="log2"
        See :func:`dcg`.
    ideal : {"judged", "retrieved"}, default="judged"
        Items of the ideal ranking: all judged items of the query, or only the returned items.
    truncate : {"cutoff", "relevant"}, default="cutoff"
        Place after which the list is ignored. "cutoff" cuts the list at k. "relevant" cuts it at min(k, R), where R is
        the number of relevant items, as in some recommender toolkits.

    See Also
    --------
    dcg : The numerator of this measure.

    Examples
    --------
    >>> from skrankagg.metrics import ndcg
    >>> items, grades = list("abcdefgh"), [0, 4, 1, 3, 4, 1, 3, 2]
    >>> truth = dict(zip(items, grades))
    >>> [round(ndcg(items, truth, k, gain="linear"), 2) for k in range(1, 9)]
    [0.0, 0.39, 0.38, 0.46, 0.58, 0.6, 0.67, 0.73]
    >>> [round(ndcg(["b", "a"], ["a"], k=2, truncate=rule), 4)
    ...  for rule in ("cutoff", "relevant")]
    [0.6309, 0.0]
    """
    best = ranked.judged if ideal == "judged" else ranked.retrieved
    if truncate == "relevant":
        n_relevant = ranked.n_relevant().astype(np.int64)
        k = n_relevant if k is None else np.minimum(n_relevant, k)
    return ratio(ranked.gains(k, gain, discount), best.gains(k, gain, discount))
