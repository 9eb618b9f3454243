"""Corrections of p-values for many comparisons."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import digamma

from .._arrays._ragged import group_order, positions
from .._data._frames import Columns, is_frame, show_id, with_column
from .._support._checks import check_choice
from .._support._values import is_integer
from ..exceptions import InputError

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["adjust_pvalues"]

Correction: TypeAlias = Literal["holm", "bonferroni", "bh", "by", "none"]

# Each correction is a function of three arrays: the p-values in ascending order, their places in their families,
# counted from 1, and the numbers of tests in their families. The running maximum of the result, limited to 1, gives the
# adjusted p-values. For "bh" and "by" it is the running minimum, from the largest p-value to the smallest.


def _bonferroni(pvalues, place, n_tests):
    return pvalues * n_tests


def _holm(pvalues, place, n_tests):
    return pvalues * (n_tests - place + 1)


def _bh(pvalues, place, n_tests):
    return pvalues * n_tests / place


def _by(pvalues, place, n_tests):
    # The sum of 1 / k for k from 1 to the number of tests.
    return _bh(pvalues, place, n_tests) * (digamma(n_tests + 1.0) + np.euler_gamma)


def _none(pvalues, place, n_tests):
    return pvalues


#: Corrections by name; "bh" and "by" control the false discovery rate, the others the chance of any false discovery.
CORRECTIONS = {"holm": _holm, "bonferroni": _bonferroni, "bh": _bh, "by": _by, "none": _none}


@overload
def adjust_pvalues(
    pvalues: "pd.DataFrame",
    correction: Correction = "holm",
    *,
    n_tests: "int | Mapping[Any, int] | pd.Series | None" = None,
) -> "pd.DataFrame": ...
@overload
def adjust_pvalues(
    pvalues: ArrayLike, correction: Correction = "holm", *, n_tests: int | None = None
) -> NDArray[np.float64]: ...
def adjust_pvalues(pvalues: Any, correction: Correction = "holm", *, n_tests: Any = None) -> Any:
    r"""Correct p-values for the number of tests, so that all p-values can be compared with one significance level.

    Parameters
    ----------
    pvalues : array-like of shape (n_comparisons,), or data frame
        P-values of one family of tests. NaN marks a comparison that was not made. Such a comparison is not counted as a
        test. A consensus with a column `pvalue` is also accepted, as a frame of pandas, polars or pyarrow. The items of
        each query are then a family.
    correction : {"holm", "bonferroni", "bh", "by", "none"}, default="holm"
        "holm" and "bonferroni" bound the chance of any false discovery; "holm" has more power. "bh" (Benjamini and
        Hochberg) bounds the expected share of false discoveries. "by" (Benjamini and Yekutieli) bounds the same share
        for any dependence between the tests.
    n_tests : int, or mapping or pandas.Series of query to int, default=None
        Number of tests of each family, if it is larger than the number of p-values. Missing p-values count as p = 1.
        For a consensus, pass the number of items that could have been ranked, as in the parameter `n_items` of the
        method. An item that is in no list also counts as a test. None uses the number of given p-values.

    Returns
    -------
    ndarray of shape (n_comparisons,), dtype=float64, or data frame
        Adjusted p-values of at most 1 in the order given; NaN if the p-value is NaN. If a consensus is passed, the
        result is the consensus with an additional column `adjusted`.

    Raises
    ------
    ValueError
        If a p-value is not between 0 and 1, a frame has no column `pvalue`, or `n_tests` is smaller than the number of
        p-values of a family.

    See Also
    --------
    friedman_nemenyi : Compares all pairs of methods with corrected p-values.
    skrankagg.model_selection.compare_methods : Tests differences between methods and corrects the p-values.
    skrankagg.aggregators.RobustRankAggregation : Computes a consensus with p-values.

    Notes
    -----
    Let :math:`p_1 \le \dots \le p_N` be the p-values of a family. The adjusted p-values are

    ============ =========================================================================
    correction   adjusted :math:`p_i`, at most 1
    ============ =========================================================================
    "bonferroni" :math:`N p_i`
    "holm"       :math:`\max_{j \le i} (N - j + 1) p_j` [1]_
    "bh"         :math:`\min_{j \ge i} N p_j / j` [2]_
    "by"         :math:`\min_{j \ge i} N p_j / j` times :math:`\sum_{k=1}^N 1 / k` [3]_
    ============ =========================================================================

    The p-values of a consensus depend on each other, for example because only one item can be first in a list. "holm",
    "bonferroni" and "by" are proven to be valid for dependent p-values. Most papers on genes report "bh". "by" controls
    the same rate as "bh", and is proven to be valid for these p-values. Each query is a family. Therefore, at a level
    of .05, about one of 20 queries without any effect has a false discovery. To treat all items as one family, pass the
    column `pvalue` alone.

    References
    ----------
    .. [1] S. Holm, "A simple sequentially rejective multiple test procedure", Scandinavian Journal of Statistics 6,
       1979.
    .. [2] Y. Benjamini and Y. Hochberg, "Controlling the false discovery rate", Journal of the Royal Statistical
       Society B 57, 1995.
    .. [3] Y. Benjamini and D. Yekutieli, "The control of the false discovery rate in multiple testing under
       dependency", Annals of Statistics 29, 2001.

    Examples
    --------
    >>> from skrankagg.stats import adjust_pvalues
    >>> adjust_pvalues([0.01, 0.04, 0.03])
    array([0.03, 0.06, 0.06])

    There are ten items, but the lists contain only two of them. The other eight items also count as tests:

    >>> import pandas as pd
    >>> from skrankagg import RobustRankAggregation
    >>> lists = pd.DataFrame({
    ...     "query": "q", "voter": ["u", "u", "v", "v", "w"],
    ...     "item": ["a", "b", "a", "b", "a"], "rank": [1, 2, 1, 2, 1]
    ... })
    >>> consensus = RobustRankAggregation(n_items=10, exact=True).fit_transform(lists)
    >>> adjust_pvalues(consensus, "bh", n_tests=10).round(3)
      query item  score  rank  pvalue  adjusted
    0     q    a  2.542     1   0.003     0.029
    1     q    b  0.641     2   0.229     1.000
    """
    check_choice("correction", correction, CORRECTIONS)
    if is_frame(pvalues):
        return with_column(pvalues, "adjusted", _adjust_consensus(pvalues, correction, n_tests))
    adjusted = np.array(pvalues, dtype=np.float64)
    made = ~np.isnan(adjusted)
    if isinstance(n_tests, Mapping) or hasattr(n_tests, "items"):
        raise InputError("`n_tests` must be a single int if the p-values are an array; got one number per query.")
    family = np.zeros(int(made.sum()), dtype=np.int64)
    counts = _count_tests(family, 1, n_tests, lambda _: "the array")
    adjusted[made] = _adjust(adjusted[made], family, counts, correction)
    return adjusted


def _adjust_consensus(frame, correction, n_tests):
    columns = Columns(frame, {"query": "query"}, "adjust_pvalues", lazy=False)
    if columns.available.count("pvalue") != 1:
        raise InputError(
            "`pvalues` must be a consensus with one column 'pvalue', such as the result of RobustRankAggregation; got "
            f"the columns {columns.available}. Rename the column or pass an array of p-values."
        )
    pvalues = Columns(frame, {"pvalue": "pvalue"}, "adjust_pvalues", lazy=False)
    pvalues.require("pvalue")
    pvalues = np.array(pvalues.numbers("pvalue"), dtype=np.float64)
    if not columns.has("query"):
        family, queries = np.zeros(len(pvalues), dtype=np.int64), None
    else:
        family, queries = columns.ids("query")
    if isinstance(n_tests, Mapping) or hasattr(n_tests, "items"):
        given = dict(n_tests.items())
        if queries is None:
            raise InputError(
                "`n_tests` must be an int for a consensus without a column 'query'; got a number for each query."
            )
        missing = [query for query in queries.tolist() if query not in given]
        if missing:
            raise InputError(
                f"`n_tests` must have a number for every query; {len(missing)} numbers are missing, the first for "
                f"query {missing[0]!r}. Give these queries the number of items that could have been ranked."
            )
        n_tests = [given[query] for query in queries.tolist()]
    n_families = 1 if queries is None else len(queries)
    counts = _count_tests(
        family, n_families, n_tests, lambda q: "the frame" if queries is None else f"query {show_id(queries, q)}"
    )
    return _adjust(pvalues, family, counts, correction)


def _count_tests(family, n_families, n_tests, describe):
    """Return the number of tests in each family, as an array of shape (n_families,).

    A family is a set of p-values that are corrected together; `family` contains the number of each p-value's family.
    """
    held = np.bincount(family, minlength=n_families)
    if n_tests is None:
        return held
    given = n_tests if isinstance(n_tests, list) else [n_tests] * n_families
    for q, (n, least) in enumerate(zip(given, held, strict=True)):
        if not is_integer(n) or n < least:
            raise InputError(
                f"`n_tests` must be an int and at least the number of p-values, {least}; got {n!r} for {describe(q)}. "
                "Count all tests, including tests without a p-value."
            )
    return np.array(given, dtype=np.int64)


def _adjust(pvalues, family, n_tests, correction):
    if not ((pvalues >= 0) & (pvalues <= 1)).all():
        raise InputError("`pvalues` must be from 0 to 1; some p-values are below 0 or above 1. Check their source.")
    if not len(pvalues):
        return pvalues
    order = group_order(family, pvalues)
    member = family[order]
    ptr = np.searchsorted(member, np.arange(len(n_tests) + 1))
    steps = CORRECTIONS[correction](pvalues[order], positions(ptr), n_tests[member])
    # The steps are coded as integers that are larger for later families. One running maximum or minimum over all codes
    # is therefore correct within each family.
    distinct, number = np.unique(steps, return_inverse=True)
    key = number + member.astype(np.int64) * len(distinct)
    if correction in ("bh", "by"):
        key = np.minimum.accumulate(key[::-1])[::-1]
    else:
        key = np.maximum.accumulate(key)
    adjusted = np.empty(len(pvalues))
    adjusted[order] = np.minimum(distinct[key % len(distinct)], 1.0)
    return adjusted
