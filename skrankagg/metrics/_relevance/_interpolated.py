"""Interpolated precision at fixed recalls.

An item is *relevant* if its grade is above 0, or at least `relevance_threshold` if given. A query without
relevant items has the value 0.
"""

import numpy as np

from ._conventions import Rounding
from ._measure import define

__all__ = [
    "interpolated_precision",
    "interpolated_precision_11pt",
]


def _interpolated(ranked, level, threshold, rounding):
    found, n_relevant = ranked.relevant_rows(threshold), ranked.n_relevant(threshold)
    exact = level * n_relevant
    whole = np.floor(exact)
    needed = whole + (exact - whole >= 0.5) if rounding == "nearest" else np.floor(exact + 0.9)
    # Between two relevant rows the precision falls, so the highest precision is at a relevant row.
    first = found.ptr[:-1] + np.maximum(needed, 1).astype(np.int64) - 1
    value, reached = np.zeros(ranked.n_queries), first < found.ptr[1:]
    value[reached] = found.best_precision[first[reached]]
    return value


@define(
    "iprec",
    "Interpolated precision",
    formula=(
        r"$\max \{h_i / i : h_i \ge n\}$ for a recall $r$ from 0 to 1, where $n$ is $r R$ rounded to the nearest "
        r'integer (halves up), or $\lfloor r R + 0.9 \rfloor$ (`rounding="up"`)'
    ),
    agrees='trec_eval `iprec_at_recall_r`; trec_eval up to version 9.0.8 and pytrec_eval with `rounding="up"`',
    other_names=("iprec_at_recall",),
    cutoff_kind="recall",
    has_expectation=False,
)
def interpolated_precision(
    ranked,
    k: float,
    *,
    relevance_threshold: float | None = None,
    rounding: Rounding = "nearest",
):
    """Compute the highest precision among all places at which the recall is at least `k`.

    Parameters
    ----------
    k : float
        Recall from 0 to 1.

    See Also
    --------
    interpolated_precision_11pt : The mean over eleven recalls.

    Examples
    --------
    >>> from skrankagg.metrics import interpolated_precision
    >>> [interpolated_precision(["a", "x", "b", "c"], ["a", "b", "c"], k)
    ...  for k in (0, 0.5, 1)]
    [1.0, 0.75, 0.75]
    """
    return _interpolated(ranked, k, relevance_threshold, rounding)


_LEVELS = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)


@define(
    "11pt",
    "Eleven-point interpolated precision",
    formula=r"mean of `iprec@r` over $r = 0, 0.1, \dots, 1$",
    agrees="trec_eval `11pt_avg`, with `rounding` as for `iprec@r`",
    other_names=("11pt_avg",),
    has_expectation=False,
)
def interpolated_precision_11pt(ranked, *, relevance_threshold: float | None = None, rounding: Rounding = "nearest"):
    """Compute the mean of the interpolated precisions at the recalls 0, 0.1, ..., 1.

    See Also
    --------
    interpolated_precision : The precision at one recall.

    Examples
    --------
    >>> from skrankagg.metrics import interpolated_precision_11pt
    >>> round(interpolated_precision_11pt(["a", "x", "b", "c"], ["a", "b", "c"]), 4)
    0.8636
    """
    return np.mean([_interpolated(ranked, level, relevance_threshold, rounding) for level in _LEVELS], axis=0)
