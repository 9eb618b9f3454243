"""Corrections of p-values for many comparisons."""

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.stats import false_discovery_control

from .._support._suggestions import did_you_mean
from ..exceptions import InputError

__all__ = ["adjust_pvalues"]


def _bonferroni(pvalues):
    return np.minimum(pvalues * len(pvalues), 1.0)


def _holm(pvalues):
    order = np.argsort(pvalues, kind="stable")
    steps = pvalues[order] * np.arange(len(pvalues), 0, -1)
    adjusted = np.empty(len(pvalues))
    adjusted[order] = np.minimum(np.maximum.accumulate(steps), 1.0)
    return adjusted


#: Corrections by name; "bh" controls the false discovery rate, the others the chance of any false discovery.
CORRECTIONS = {"holm": _holm, "bonferroni": _bonferroni, "bh": false_discovery_control, "none": np.copy}


def adjust_pvalues(
    pvalues: ArrayLike, correction: Literal["holm", "bonferroni", "bh", "none"] = "holm"
) -> NDArray[np.float64]:
    """Raise p-values so that they can be compared with one level, however many there are.

    Parameters
    ----------
    pvalues : array-like of shape (n_comparisons,)
        NaN where a comparison was not made: it does not count.
    correction : {"holm", "bonferroni", "bh", "none"}, default="holm"
        "holm" and "bonferroni" bound the chance of any false discovery, the first with more power; "bh" (Benjamini and
        Hochberg) bounds the expected share of false ones among the discoveries.

    Returns
    -------
    ndarray of shape (n_comparisons,), dtype=float64
        At most 1, in the order given; NaN where the p-value is.

    See Also
    --------
    friedman_nemenyi : All pairs of methods at once, corrected in its own way.
    skrankagg.model_selection.compare_methods : Tests a comparison and corrects it.

    References
    ----------
    .. [1] S. Holm, "A simple sequentially rejective multiple test procedure", Scandinavian Journal of Statistics 6,
       1979.
    .. [2] Y. Benjamini and Y. Hochberg, "Controlling the false discovery rate", Journal of the Royal Statistical
       Society B 57, 1995.

    Examples
    --------
    >>> from skrankagg.stats import adjust_pvalues
    >>> adjust_pvalues([0.01, 0.04, 0.03])
    array([0.03, 0.06, 0.06])
    """
    if correction not in CORRECTIONS:
        raise InputError(
            f"correction must be one of {', '.join(CORRECTIONS)}; got {correction!r}"
            f"{did_you_mean(correction, CORRECTIONS)}."
        )
    pvalues = np.array(pvalues, dtype=np.float64)
    made = ~np.isnan(pvalues)
    if ((pvalues[made] < 0) | (pvalues[made] > 1)).any():
        raise InputError("p-values must lie between 0 and 1; some do not.")
    if made.any():
        pvalues[made] = CORRECTIONS[correction](pvalues[made])
    return pvalues
