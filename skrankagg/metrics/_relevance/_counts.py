"""Measures that count items.

An item is *relevant* if its grade is above 0, or at least `relevance_threshold` if given. Unjudged items and items with
negative grades are not relevant.
"""

import numpy as np

from ._measure import define
from ._precision import ratio

__all__ = [
    "judged_share",
    "num_rel",
    "num_rel_ret",
    "num_ret",
]


@define(
    "num_ret",
    "Items returned",
    formula=r"$n$; over queries, the sum",
    agrees="trec_eval `num_ret`",
    other_names=("numret",),
    summary="sum",
    greater_is_better=None,
)
def num_ret(ranked):
    """Count the items returned.

    See Also
    --------
    num_rel : Number of relevant items.
    num_rel_ret : Number of returned items that are relevant.

    Examples
    --------
    >>> from skrankagg.metrics import num_ret
    >>> num_ret([["a", "b"], ["c"]], [["a"], ["a"]])
    3.0
    """
    return ranked.n_retrieved.astype(np.float64)


@define(
    "num_rel",
    "Relevant items",
    formula=r"$R$; the sum",
    agrees="trec_eval `num_rel`",
    other_names=("numrel",),
    summary="sum",
    greater_is_better=None,
)
def num_rel(ranked, *, relevance_threshold: float | None = None):
    """Count the relevant items, whether they are returned or not.

    See Also
    --------
    num_rel_ret : Number of returned items that are relevant.

    Examples
    --------
    >>> from skrankagg.metrics import num_rel
    >>> num_rel(["a"], {"a": 1, "b": 2, "c": 0})
    2.0
    """
    return ranked.n_relevant(relevance_threshold)


@define(
    "num_rel_ret",
    "Relevant items returned",
    formula=r"$h_n$; the sum",
    agrees="trec_eval `num_rel_ret`",
    other_names=("numrelret",),
    summary="sum",
)
def num_rel_ret(ranked, *, relevance_threshold: float | None = None):
    """Count the returned items that are relevant.

    See Also
    --------
    num_rel : Number of relevant items, whether they are returned or not.
    recall : Share of all relevant items that are returned.

    Examples
    --------
    >>> from skrankagg.metrics import num_rel_ret
    >>> num_rel_ret(["a", "c"], {"a": 1, "b": 2, "c": 0})
    1.0
    """
    return ranked.hits(relevance_threshold)


@define(
    "judged",
    "Share of judged items",
    formula=r"judged items among the first $k$, divided by $\min(k, n)$",
    agrees="ir_measures `Judged@k`",
    greater_is_better=None,
)
def judged_share(ranked, k: int):
    """Compute the share of judged items, relevant or not, among the first k places.

    Parameters
    ----------
    k : int
        Cutoff. If fewer than k items are returned, the measure is the share of judged items among the returned items.

    See Also
    --------
    rank_biased_residual : The largest amount that unjudged items could add to rank-biased precision.
    bpref : A measure that uses only judged items.

    Examples
    --------
    >>> from skrankagg.metrics import judged_share
    >>> judged_share(["a", "b", "c", "d"], {"a": 1, "c": 0}, k=3)
    0.6666666666666666
    """
    known = ranked.rate(~np.isnan(ranked.grade))
    return ratio(ranked.total(known, k), np.minimum(ranked.n_retrieved, k))
