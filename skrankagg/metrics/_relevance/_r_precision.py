"""R-precision (precision at rank R, where R is the number of relevant items), and variants with cutoffs."""

from collections.abc import Sequence

import numpy as np

from ._measure import define
from ._precision import ratio

__all__ = [
    "mean_average_r_precision",
    "r_precision",
]


def _best_places(ranked, k, threshold):
    """Compute the R-precision of each list at cutoff k; if k is None, the cutoff is R, the number of relevant items.

    Let n be the smaller of R and k. An item counts if its grade is at least the n-th highest grade of the query. The
    value is the number of such items among the first k places, divided by n.
    """
    judged = ranked.judged
    n_relevant = ranked.n_relevant(threshold)
    places = n_relevant if k is None else np.minimum(n_relevant, k)
    # The grade at place k of the ideal list: items with at least this grade are relevant at k.
    border = np.full(ranked.n_queries, np.inf)
    some = places > 0
    border[some] = judged.grade[(judged.ptr[:-1] + places.astype(np.int64) - 1)[some]]
    first = (n_relevant if k is None else np.full(ranked.n_queries, k)).astype(np.int64)
    return ratio(ranked.hits_from(border, threshold, first), places)


@define(
    "rprec",
    "R-precision",
    formula=(
        r"$h_R / R$; with a cutoff, $\lvert\{i \le k : rel_i \ge t\}\rvert / \min(R, k)$, where $t$ is the $\min(R, "
        r"k)$-th best grade of the query: items that tie at the border are all relevant"
    ),
    agrees="trec_eval `Rprec`; with a cutoff, Rp@z of the ECML/PKDD 2011 challenge",
)
def r_precision(ranked, k: int | None = None, *, relevance_threshold: float | None = None):
    r"""Compute the precision at rank R, the number of relevant items; with a cutoff z, compute the variant Rp@z.

    Parameters
    ----------
    k : int, default=None
        Cutoff z of Rp@z; with None, R-precision is computed.

    See Also
    --------
    mean_average_r_precision : Mean of Rp@z over several cutoffs.

    Notes
    -----
    At cutoff z, an item is relevant if its grade is at least the z-th best grade of the query. All items with the z-th
    best grade are therefore relevant. The divisor is :math:`\min(R, z)` [1]_.

    References
    ----------
    .. [1] ECML/PKDD 2011 discovery challenge, VideoLectures.Net recommender system.

    Examples
    --------
    Items 5, 6 and 7 are tied at the fifth place of the solution:

    >>> from skrankagg.metrics import r_precision
    >>> solution = {1: 100, 2: 99, 3: 98, 4: 97, 5: 96, 6: 96, 7: 96, 8: 93, 9: 92, 10: 91}
    >>> r_precision([1, 2, 3, 7, 20, 6, 21, 8, 22, 23], solution, k=5)
    0.8
    """
    return _best_places(ranked, k, relevance_threshold)


@define(
    "marp",
    "Mean average R-precision",
    formula=r"mean of `rprec@k` over the cutoffs $z_1, z_2, \dots$",
    agrees="MARp of the ECML/PKDD 2011 challenge",
    cutoff_kind="ks",
)
def mean_average_r_precision(ranked, k: int | Sequence[int], *, relevance_threshold: float | None = None):
    """Compute the mean of Rp@z, the R-precision with a cutoff z, over several cutoffs.

    Parameters
    ----------
    k : int or sequence of int
        Cutoffs.

    See Also
    --------
    r_precision : Rp@z at one cutoff, and R-precision.

    Examples
    --------
    >>> from skrankagg.metrics import mean_average_r_precision
    >>> solutions = [{k: 101 - k for k in range(1, 11)},
    ...              {k: 151 - k for k in range(101, 111)}]
    >>> found = [[1, 2, 3, 20, 10, 6, 7, 8, 21, 22],
    ...          [101, 102, 103, 50, 30, 106, 107, 108, 109, 52]]
    >>> mean_average_r_precision(found, solutions, k=(5, 10))
    0.65
    """
    return np.mean([_best_places(ranked, z, relevance_threshold) for z in k], axis=0)
