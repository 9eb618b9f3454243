"""Measures that are models of a user who reads from the top and stops at some place."""

import numpy as np

from ...exceptions import InputError
from ._measure import measure

__all__ = ["expected_reciprocal_rank", "rank_biased_precision", "rank_biased_residual"]


def _check_scale(grade, max_grade):
    highest = np.fmax.reduce(grade, initial=0.0)
    if highest > max_grade:
        raise InputError(f"max_grade must be the highest grade that is given, {highest:g}, or more; got {max_grade:g}.")


@measure("rbp", "Rank-biased precision")
def rank_biased_precision(ranked, k=None, *, persistence=0.8, max_grade=None, relevance_threshold=None):
    r"""Rate at which a user gains who goes on to the next place with a fixed probability.

    Parameters
    ----------
    k : int, default=None
        Cutoff; None takes all places.
    persistence : float, default=0.8
        Probability p of going on, between 0 and 1.
    max_grade : float, default=None
        Grade of full gain: the gain is then the grade divided by it. None means that a relevant item gains 1.
    relevance_threshold : float, default=None
        Lowest grade that is relevant; None means above 0.

    See Also
    --------
    rank_biased_residual : What the items that are not judged could add.

    Notes
    -----
    :math:`(1 - p) \sum_i g_i p^{i - 1}` [1]_, at most 1.

    References
    ----------
    .. [1] A. Moffat and J. Zobel, "Rank-biased precision for measurement of retrieval effectiveness", ACM TOIS 27(1),
       2008.

    Examples
    --------
    >>> from skrankagg.metrics import rank_biased_precision
    >>> round(rank_biased_precision(["a", "x", "b"], ["a", "b"], persistence=0.5), 4)
    0.625
    """
    gain = ranked.relevant(relevance_threshold).astype(np.float64)
    if max_grade is not None:
        _check_scale(ranked.judged.grade, max_grade)
        gain *= np.nan_to_num(ranked.grade) / max_grade
    return (1 - persistence) * ranked.total(ranked.rate(gain) * persistence ** (ranked.position - 1.0), k)


@measure("rbp_resid", "Residual of rank-biased precision", greater_is_better=False)
def rank_biased_residual(ranked, k=None, *, persistence=0.8):
    r"""What rank-biased precision would gain if everything that nobody judged were relevant.

    Parameters
    ----------
    k : int, default=None
        Cutoff; None takes all places.
    persistence : float, default=0.8
        Probability p of going on, between 0 and 1.

    See Also
    --------
    rank_biased_precision : The measure, a lower bound.

    Notes
    -----
    :math:`p^n + (1 - p) \sum_i p^{i - 1}` over the places i of items that are not judged, n the number of items looked
    at; 0 for a query without results, as trec_eval has it.

    Examples
    --------
    >>> from skrankagg.metrics import rank_biased_residual
    >>> rank_biased_residual(["a", "x", "b"], ["a", "b"], persistence=0.5)
    0.375
    """
    seen = ranked.n_retrieved if k is None else np.minimum(ranked.n_retrieved, k)
    unknown = ranked.rate(np.isnan(ranked.grade)) * persistence ** (ranked.position - 1.0)
    residual = persistence ** seen.astype(np.float64) + (1 - persistence) * ranked.total(unknown, k)
    return np.where(seen > 0, residual, 0.0)


@measure("err", "Expected reciprocal rank")
def expected_reciprocal_rank(ranked, k=None, *, max_grade=4.0):
    r"""Expected reciprocal rank of the place where a user is satisfied.

    Parameters
    ----------
    k : int, default=None
        Cutoff; None takes all places.
    max_grade : float, default=4.0
        Highest grade of the scale of judgements, whether it occurs or not.

    See Also
    --------
    reciprocal_rank : With one grade, and a user whom the first relevant item satisfies.
    rank_biased_precision : A user who goes on whatever was found.

    Notes
    -----
    An item of grade g satisfies with probability :math:`R = (2^g - 1) / 2^{g_{max}}`, and the measure is
    :math:`\sum_i \frac{R_i}{i} \prod_{j < i} (1 - R_j)` [1]_. Negative grades satisfy nobody. The expectation over ties
    takes time quadratic in the size of a group of ties.

    References
    ----------
    .. [1] O. Chapelle, D. Metzler, Y. Zhang and P. Grinspan, "Expected reciprocal rank for graded relevance", CIKM
       2009.

    Examples
    --------
    >>> from skrankagg.metrics import expected_reciprocal_rank
    >>> expected_reciprocal_rank(["a", "b"], {"a": 1, "b": 2}, max_grade=2)
    0.53125
    """
    _check_scale(ranked.judged.grade, max_grade)
    satisfied = (np.exp2(np.fmax(ranked.grade, 0.0)) - 1) / 2.0**max_grade
    return ranked.total(ranked.stops(satisfied) / ranked.position, k)
