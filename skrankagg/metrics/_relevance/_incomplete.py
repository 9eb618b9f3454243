"""Measures for incomplete judgements.

An item is *relevant* if its grade is above 0, or at least `relevance_threshold` if given. A query without
relevant items has the value 0.
"""

import numpy as np

from ._measure import define
from ._precision import ratio

__all__ = [
    "bpref",
    "inferred_average_precision",
]


@define(
    "bpref",
    "Binary preference",
    formula=(
        r"$\frac{1}{R} \sum_{r} \left(1 - \frac{\min(n_r, R)}{\min(R, N)}\right)$ over the relevant items $r$ "
        r"returned, where $n_r$ items judged not relevant are above $r$; the term is 1 if $n_r = 0$"
    ),
    agrees="trec_eval `bpref`",
)
def bpref(ranked, *, relevance_threshold: float | None = None):
    r"""Compute the binary preference, which counts the nonrelevant judged items above each relevant item.

    See Also
    --------
    average_precision : Treats unjudged items as not relevant.
    inferred_average_precision : Estimates the relevance of unjudged items.

    Notes
    -----
    For R relevant items and N items judged not relevant, the value is [1]_

    .. math:: \frac{1}{R} \sum_r \left(1 - \frac{\min(n_r, R)}{\min(R, N)}\right),

    where :math:`n_r` of the N items are above the relevant item r. If :math:`n_r = 0`, the term is 1. Unjudged items
    are ignored. Items with negative grades are also ignored, because trec_eval marks pooled but unjudged items in this
    way.

    References
    ----------
    .. [1] C. Buckley and E. M. Voorhees, "Retrieval evaluation with incomplete information", SIGIR 2004.

    Examples
    --------
    >>> from skrankagg.metrics import bpref
    >>> bpref(["a", "x", "b", "y"], {"a": 1, "b": 0, "y": 1})
    0.5
    """
    return ratio(ranked.preferences(relevance_threshold), ranked.n_relevant(relevance_threshold))


@define(
    "infap",
    "Inferred average precision",
    formula=(
        r"$\frac{1}{R} \sum_{i \text{ relevant}} \left(\frac{1}{i} + \frac{a_i}{i} \cdot \frac{r_i + "
        r"\varepsilon}{r_i + n_i + 2 \varepsilon}\right)$, with $r_i$ relevant, $n_i$ not relevant and $a_i$ "
        r"pooled items above place $i$, $\varepsilon = 10^{-5}$"
    ),
    agrees="trec_eval `infAP`",
    has_expectation=False,
)
def inferred_average_precision(ranked, *, relevance_threshold: float | None = None):
    r"""Compute average precision, assuming that pooled but unjudged items are relevant as often as judged items.

    See Also
    --------
    average_precision : A measure for complete judgements.
    bpref : A measure in which unjudged items are ignored.

    Notes
    -----
    Negative grades mark items that were pooled but not judged. Consider a relevant item of rank i. Above the item are r
    relevant, n nonrelevant and u pooled but unjudged items. With :math:`\varepsilon = 10^{-5}`, the precision at the
    item is estimated as [1]_

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
    found = ranked.relevant_rows(relevance_threshold)
    above, others = found.number - 1, ranked.others_above(relevance_threshold)
    pooled = found.count_above(ranked.grade < 0)
    share = (above + others + pooled) * (above + tiny) / (above + others + 2 * tiny)
    terms = (1 + np.where(found.place > 1, share, 0.0)) / found.place
    return ratio(ranked.total_of(found, terms), ranked.n_relevant(relevance_threshold))
