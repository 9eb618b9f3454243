"""Estimate of the time and the memory of a method before it runs."""

from numbers import Real
from typing import Any

from .._data._ranked_lists import check_lists, encode_plain
from .._data._types import PlainLists
from .._support._values import is_integer
from ..base._cost import EstimatedCost, Sizes, estimate
from ..exceptions import InputError, InputTypeError

__all__ = ["EstimatedCost", "estimated_cost"]


def estimated_cost(aggregator: Any, sizes: PlainLists | tuple[int, ...]) -> EstimatedCost:
    r"""Estimate the time and the memory of a method before it runs.

    The estimate is meant for decisions: does a method take seconds, minutes or hours? The true time is usually between
    a third of the estimate and three times the estimate.

    Parameters
    ----------
    aggregator : estimator
        An aggregator, or a pipeline that contains aggregators.
    sizes : DataFrame or RankedLists of n_queries queries, or dict, list or tuple
        Ranked lists, or a tuple of three numbers: the number of queries, the number of voters, and the number of items
        of each query. With three numbers, all lists contain all items. If the lists contain only some of the items,
        give the length of the lists as a fourth number.

    Returns
    -------
    EstimatedCost
        A named tuple. `seconds` is the time of ``fit_transform`` for encoded lists in one thread, as float. `bytes` is
        the peak memory that the call adds, as int.

    Raises
    ------
    ValueError
        If the numbers in `sizes` are not integers of at least 1.
    TypeError
        If the cost of the estimator is unknown, as for an aggregator of your own or a grid search.

    See Also
    --------
    skrankagg.model_selection.Comparator : Skips slow methods with ``skip_slower_than``.
    skrankagg.exceptions.CostWarning : Warns of calls that take more than a minute.
    skrankagg.config_context : Limits the memory of a query.

    Notes
    -----
    A method with the constants :math:`c_k` is expected to take

    .. math:: f \left( c_0 + \sum_q \sum_k c_k t_k(q) \right)

    seconds, where the terms :math:`t_k(q)` of a query are taken from the method's cost, such as :math:`m n^2` for
    :math:`m` lists and :math:`n` items. The [table of all methods](../../user_guide/choosing.md#properties) has these
    costs. The constants were measured once on lists of
    :func:`~skrankagg.datasets.make_ranked_lists` for each variant of the methods. The factor :math:`f` compares this
    machine with the machine of the measurements. It is measured at the first estimate of a process, which takes 20
    milliseconds.

    The estimate has limits. Encoding a frame takes additional time, about 0.1 seconds for a million rows. Searches and
    iterations depend on the data, not only on its size. This is true above all for the proof of
    :class:`~skrankagg.aggregators.Kemeny`, whose time can be a thousand times longer on random lists than on similar
    lists. A `time_limit` of Kemeny limits the estimate too. Only some parameters differ between the measured variants
    of a method. All other parameters, such as `max_iter`, have no effect on the estimate.

    Examples
    --------
    >>> from skrankagg import BordaCount, Schulze
    >>> from skrankagg.inspection import estimated_cost
    >>> seconds, n_bytes = estimated_cost(BordaCount(), (1000, 10, 100))
    >>> seconds < 60
    True
    >>> estimated_cost(Schulze(), (1, 10, 20_000)).seconds > 60
    True
    """
    given = _of_numbers(sizes) if _are_numbers(sizes) else Sizes.of_lists(check_lists(encode_plain(sizes)))
    cost = estimate(aggregator, given)
    if cost is None:
        raise InputTypeError(
            "`aggregator` must be an aggregator of skrankagg, or a pipeline with one; got "
            f"{type(aggregator).__name__}, whose cost is unknown. Measure the time on a few queries."
        )
    return cost


def _are_numbers(sizes):
    return isinstance(sizes, tuple) and all(isinstance(one, Real) for one in sizes)


def _of_numbers(sizes):
    if len(sizes) not in (3, 4) or not all(is_integer(one) and one >= 1 for one in sizes):
        raise InputError(
            f"`sizes` must be ranked lists, or 3 or 4 integers of at least 1; got {sizes!r}. Pass the numbers of "
            "queries, voters and items, such as (100, 12, 1000)."
        )
    return Sizes.of_numbers(*map(int, sizes))
