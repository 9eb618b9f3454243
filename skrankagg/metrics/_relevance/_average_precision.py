"""Average precision: the precisions at the places of the relevant items.

An item is *relevant* if its grade is above 0, or at least `relevance_threshold` if given. A query without
relevant items has the value 0.
"""

import numpy as np

from ._conventions import Denominator
from ._measure import define
from ._precision import ratio

__all__ = [
    "average_precision",
    "geometric_average_precision",
]


@define(
    "map",
    "Mean average precision",
    formula=(
        r"$\frac{1}{D} \sum_{i \le k,\ i \text{ relevant}} h_i / i$ with $D = R$, or $\min(R, k)$ "
        r'(`ap_denominator="cutoff"`), or $h_k$ (`"retrieved"`)'
    ),
    agrees="trec_eval `map`, `map_cut_k`",
    other_names=(
        "ap",
        "map_cut",
        "mean_average_precision",
    ),
)
def average_precision(
    ranked,
    k: int | None = None,
    *,
    relevance_threshold: float | None = None,
    ap_denominator: Denominator = "relevant",
):
    """Compute the mean of the precisions at the relevant items; a relevant item that is not returned has precision 0.

    Parameters
    ----------
    ap_denominator : {"relevant", "cutoff", "retrieved"}, default="relevant"
        Divisor of the sum of precisions. "relevant" divides by the number R of relevant items, as trec_eval does at
        every cutoff. "cutoff" divides by min(R, k), as recommender toolkits do. "retrieved" divides by the number of
        relevant items among the first k places.

    See Also
    --------
    geometric_average_precision : Average precision, averaged over queries by the geometric mean.
    inferred_average_precision : An estimate from few judgements.
    mean_average_r_precision : A measure for judgements with many grades.

    Examples
    --------
    Relevant items at ranks 1, 3, 4 and 6 of 8, cut at 5:

    >>> from skrankagg.metrics import average_precision
    >>> average_precision(list("abcdefgh"), ["a", "c", "d", "f"], k=5)
    0.6041666666666666
    >>> average_precision(list("abcdefgh"), ["a", "c", "d", "f"], k=5,
    ...     ap_denominator="retrieved")
    0.8055555555555555

    Three queries and their mean:

    >>> actual = [[2, 4, 5, 7], [1, 4, 5, 7], [5, 8]]
    >>> [round(value, 2) for value in average_precision([range(1, 9)] * 3, actual, k=8,
    ...     per_query=True)]
    [0.54, 0.67, 0.23]
    """
    if ap_denominator == "retrieved":
        return ranked.mean_precisions(relevance_threshold, k)
    total = ranked.precisions(relevance_threshold, k)
    n_relevant = ranked.n_relevant(relevance_threshold)
    return ratio(total, np.minimum(n_relevant, k) if ap_denominator == "cutoff" and k is not None else n_relevant)


@define(
    "gmap",
    "Geometric mean average precision",
    formula=r"AP of each query; over queries, $\exp$ of the mean of $\ln \max(AP, 10^{-5})$",
    agrees="trec_eval `gm_map`",
    other_names=("gm_map",),
    summary="gmean",
)
def geometric_average_precision(ranked, *, relevance_threshold: float | None = None):
    """Compute average precision, averaged over queries by the geometric mean; values below 1e-5 are raised to 1e-5.

    See Also
    --------
    average_precision : Average precision, averaged over queries by the arithmetic mean.

    Examples
    --------
    >>> from skrankagg.metrics import geometric_average_precision
    >>> round(geometric_average_precision([["a", "b"], ["a", "b"]], [["a"], ["b"]]), 4)
    0.7071
    """
    return ratio(ranked.precisions(relevance_threshold), ranked.n_relevant(relevance_threshold))
