"""Stability of selections: similarity of the sets that a procedure selects from different samples."""

from collections.abc import Collection, Hashable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike
from scipy.stats import norm

from .._support._checks import check_choice, check_count, check_share
from ..exceptions import InputError, InputTypeError

__all__ = ["StabilityResult", "selection_stability"]

_METHODS = ("nogueira", "kuncheva", "jaccard")
_MATRIX = "`selections` must be a matrix of True and False (or 1 and 0) with a row for each selection,"


@dataclass(frozen=True)
class StabilityResult:
    """Similarity of several selections of items, with its standard error and confidence interval.

    The selections are a sample of the results of a procedure. The interval estimates the stability of the procedure.

    Parameters
    ----------
    stability : float
        Value of the chosen index of similarity; 1 if all selections are equal.
    std_error : float
        Standard error of the stability; NaN for Jaccard's index.
    low, high : float
        Ends of the confidence interval by the normal approximation. The interval may exceed 1; it is NaN for Jaccard's
        index.
    n_selections : int
        Number of selections.
    n_items : int or None
        Number of items that could have been selected; None if the number was not given and is not needed.
    mean_size : float
        Mean number of items of a selection.

    See Also
    --------
    selection_stability : Computes this result.

    Examples
    --------
    >>> from skrankagg.stats import selection_stability
    >>> found = selection_stability([{"age", "dose"}, {"age", "sex"}, {"age", "dose"}],
    ...     n_items=10)
    >>> round(found.stability, 4), found.mean_size
    (0.5833, 2.0)
    """

    stability: float
    std_error: float
    low: float
    high: float
    n_selections: int
    n_items: int | None
    mean_size: float


def selection_stability(
    selections: ArrayLike | Iterable[Collection[Hashable]],
    n_items: int | None = None,
    *,
    method: Literal["nogueira", "kuncheva", "jaccard"] = "nogueira",
    confidence: float = 0.95,
) -> StabilityResult:
    r"""Measure the similarity of selections of items, such as selections of features on several samples.

    Parameters
    ----------
    selections : array-like of bool of shape (n_selections, n_items), or iterable of sets or lists of items
        At least two selections. In a matrix, each row marks the selected items. Otherwise pass the selected items
        themselves; their ids may have any type, and their order is ignored.
    n_items : int, default=None
        Number of items that could have been selected, whether or not any selection contains them. The overlap by chance
        depends on this number. The number is therefore required for sets and lists, except with "jaccard".
    method : {"nogueira", "kuncheva", "jaccard"}, default="nogueira"
        "nogueira" accepts selections of any sizes. "kuncheva" accepts only selections of one size. For such selections,
        "kuncheva" and "nogueira" have the same value. "jaccard" is the mean share of common items. It is not corrected
        for chance.
    confidence : float, default=0.95
        Level of the interval, between 0 and 1.

    Returns
    -------
    StabilityResult
        Stability, standard error and interval.

    Raises
    ------
    TypeError
        If `selections` contains anything other than sets or lists.
    ValueError
        If there are fewer than two selections, if a selection contains an item twice, or if the selections together
        contain more than `n_items` items. Also if the index of these selections is 0/0, see Notes.

    See Also
    --------
    skrankagg.feature_selection.ConsensusSelector : Selects features by a consensus, and reports its stability.
    skrankagg.metrics.overlap : Measures the overlap of two rankings at the top.

    Notes
    -----
    Let there be :math:`M` selections among :math:`d` items. Item :math:`f` is in a share :math:`p_f` of the selections,
    and the mean size of a selection is :math:`\bar k`. The index of Nogueira, Sechidis and Brown [1]_ is

    .. math:: \Phi = 1 - \frac{\frac{1}{d} \sum_f \frac{M}{M - 1} p_f (1 - p_f)}
                              {\frac{\bar k}{d} \left(1 - \frac{\bar k}{d}\right)}.

    :math:`\Phi` is 1 if all selections are equal, and its mean is 0 if all selections are random. The lowest value of
    :math:`\Phi` is :math:`-1 / (M - 1)`. The standard error is from the same paper and assumes many independent
    selections. The standard error is too small for selections from the folds of one cross-validation, because the folds
    share most of their rows. Such selections are also more similar to each other than selections from new samples. For
    :math:`M` below 10 the interval is only a rough approximation.

    Kuncheva's index [2]_ is the mean of :math:`(r d - k^2) / (k (d - k))` over all pairs of selections of :math:`k`
    items that share :math:`r` items. Jaccard's index is the mean of :math:`|A \cap B| / |A \cup B|` over all pairs of
    selections A and B. Jaccard's index increases with the size of the selections.

    If all selections are empty, or all contain every item, :math:`\Phi` and Kuncheva's index are 0/0. Jaccard's index
    is 0/0 for two empty selections. These cases raise an error.

    References
    ----------
    .. [1] S. Nogueira, K. Sechidis and G. Brown, "On the stability of feature selection algorithms", Journal of Machine
       Learning Research 18(174), 2018.
    .. [2] L. I. Kuncheva, "A stability index for feature selection", IASTED International Conference on Artificial
       Intelligence and Applications, 2007.

    Examples
    --------
    >>> from skrankagg.stats import selection_stability
    >>> chosen = [["g1", "g2", "g3"], ["g1", "g2", "g4"], ["g1", "g2", "g3"], ["g1", "g5"]]
    >>> found = selection_stability(chosen, n_items=100)
    >>> round(found.stability, 3), round(found.std_error, 3)
    (0.595, 0.106)
    >>> round(selection_stability(chosen, method="jaccard").stability, 3)
    0.458

    The same selections as a matrix:

    >>> selection_stability([[True, True, False], [True, True, False]]).stability
    1.0
    """
    check_choice("method", method, _METHODS)
    check_share("confidence", confidence, low=False, high=False)
    held, n_items = _read(selections, n_items)
    if len(held) < 2:
        raise InputError(
            f"`selections` must contain at least two selections; got {len(held)}. Select again on other samples, such "
            "as the folds of a cross-validation."
        )
    size = held.sum(axis=1, dtype=np.int64)
    if method == "jaccard":
        stability, std_error = _jaccard(held, size), np.nan
    else:
        _check_defined(size, n_items, method)
        stability, std_error = _nogueira(held, size, n_items)
    reach = norm.ppf((1 + confidence) / 2) * std_error
    return StabilityResult(
        stability=stability,
        std_error=std_error,
        low=float(stability - reach),
        high=float(stability + reach),
        n_selections=len(held),
        n_items=n_items,
        mean_size=float(size.mean()),
    )


def _nogueira(held, size, n_items):
    """Compute the stability index of Nogueira and others, and its standard error.

    The matrix `held` has a row for each selection and a column for each item, and is True for selected items. It may
    omit the columns of items that are in no selection. `size` contains the number of items in each selection.
    """
    n, total = len(held), int(size.sum())
    count = held.sum(axis=0, dtype=np.int64)
    # With integer arithmetic, the index of equal selections is exactly 1.
    apart = int((count * (n - count)).sum())
    stability = 1 - (apart * n * n_items) / ((n - 1) * total * (n * n_items - total))
    share, mean_share = size / n_items, total / (n * n_items)
    agreement = held @ (count / n) / n_items
    pull = stability / 2 * (2 * share * mean_share - share - mean_share + 1)
    influence = (agreement - share * mean_share + pull) / (mean_share * (1 - mean_share))
    return stability, float(2 / n * np.sqrt(((influence - influence.mean()) ** 2).sum()))


def _jaccard(held, size):
    n_empty = int((size == 0).sum())
    if n_empty > 1:
        raise InputError(
            f"Jaccard's index of two empty selections is 0/0; got {n_empty} empty selections. Leave out empty "
            "selections, or choose method='nogueira'."
        )
    first, second = np.triu_indices(len(held), 1)
    shared = (held.astype(np.float64) @ held.T)[first, second]
    return float((shared / (size[first] + size[second] - shared)).mean())


def _check_defined(size, n_items, method):
    if n_items is None:
        raise InputError(
            f"For sets and lists, method={method!r} needs `n_items`, the number of items that could have been "
            "selected. Pass this number, or pass a matrix of True and False with a column for each item."
        )
    if not size.any() or (size == n_items).all():
        what = "are all empty" if not size.any() else f"all contain all {n_items} items"
        raise InputError(f"The selections {what}, so their stability is 0/0. Select some of the items, but not all.")
    if method == "kuncheva" and (size != size[0]).any():
        raise InputError(
            f"For Kuncheva's index all selections must have the same size; the sizes vary from {size.min()} to "
            f"{size.max()} items. Choose method='nogueira', which accepts all sizes and agrees with Kuncheva's index "
            "if the sizes are equal."
        )


def _read(selections, n_items):
    """Return a mask of shape (n_selections, n_columns) that marks the selected items, and the number of items.

    The number of items is None if it is unknown.
    """
    if n_items is not None:
        check_count("n_items", n_items)
    matrix = _as_matrix(selections, n_items)
    if matrix is None:
        return _read_items(selections, n_items)
    if n_items not in (None, matrix.shape[1]):
        raise InputError(
            f"A matrix of selections must have a column for each item; got {matrix.shape[1]} columns and "
            f"n_items={n_items}. Correct the matrix or `n_items`."
        )
    return matrix, matrix.shape[1]


def _as_matrix(selections, n_items):
    """Return the selections as a matrix of bool, or None if each selection is a collection of items."""
    if not hasattr(selections, "__array__"):
        rows = list(selections) if isinstance(selections, list | tuple) else []
        if not rows or any(isinstance(row, str | bytes | set | frozenset | Mapping) for row in rows):
            return None
        if len({len(row) if hasattr(row, "__len__") else -1 for row in rows}) > 1:
            return None
    matrix = np.asarray(selections)
    if matrix.ndim == 2 and matrix.dtype == bool:
        return matrix
    if matrix.ndim == 2 and n_items is None and matrix.dtype.kind in "iuf" and np.isin(matrix, (0, 1)).all():
        return matrix.astype(bool)
    if not hasattr(selections, "__array__"):
        return None
    found = f"{matrix.ndim} dimension(s)" if matrix.ndim != 2 else f"other values, of dtype {matrix.dtype}"
    raise InputError(f"{_MATRIX} or lists of items; got an array of {found}. Convert the array to a matrix of bool.")


def _read_items(selections: Any, n_items):
    if isinstance(selections, str | bytes | Mapping) or not isinstance(selections, Iterable):
        raise InputTypeError(f"{_MATRIX} or sets or lists of items; got {type(selections).__name__}.")
    column, places = {}, []
    for number, selection in enumerate(selections):
        if isinstance(selection, str | bytes | Mapping) or not isinstance(selection, Iterable):
            raise InputTypeError(
                f"Each selection must be a set or list of items; got {selection!r} at position {number}. Put the "
                "items in a set."
            )
        items = selection.tolist() if hasattr(selection, "tolist") else list(selection)
        if len(set(items)) != len(items):
            twice = next(item for item in items if items.count(item) > 1)
            raise InputError(
                f"A selection must contain each item once; the selection at position {number} repeats {twice!r}. "
                "Remove the repeats."
            )
        places.append([column.setdefault(item, len(column)) for item in items])
    if n_items is not None and len(column) > n_items:
        raise InputError(
            f"`n_items` must be at least the number of selected items, {len(column)}; got {n_items}. Pass the number "
            "of items that could have been selected."
        )
    held = np.zeros((len(places), len(column)), dtype=bool)
    for row, columns in enumerate(places):
        held[row, columns] = True
    return held, n_items
