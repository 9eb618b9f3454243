"""Generators of ranked lists from two classic models, Mallows and Plackett-Luce."""

from typing import Literal, overload

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from sklearn.utils import check_random_state

from .._support._checks import check_count, check_number, check_share
from .._support._values import is_integer
from ..exceptions import InputError
from ._generators import number_names, read_numbers, tie_items

__all__ = ["make_mallows", "make_plackett_luce"]


@overload
def make_mallows(
    *,
    n_queries: int = 1,
    n_voters: int = 10,
    n_items: int = 20,
    phi: float = 0.8,
    list_length: int | None = None,
    return_centre: Literal[False] = False,
    random_state: int | np.random.RandomState | None = None,
) -> pd.DataFrame: ...
@overload
def make_mallows(
    *,
    n_queries: int = 1,
    n_voters: int = 10,
    n_items: int = 20,
    phi: float = 0.8,
    list_length: int | None = None,
    return_centre: Literal[True],
    random_state: int | np.random.RandomState | None = None,
) -> tuple[pd.DataFrame, pd.DataFrame]: ...
def make_mallows(
    *,
    n_queries: int = 1,
    n_voters: int = 10,
    n_items: int = 20,
    phi: float = 0.8,
    list_length: int | None = None,
    return_centre: bool = False,
    random_state: int | np.random.RandomState | None = None,
) -> pd.DataFrame | tuple[pd.DataFrame, pd.DataFrame]:
    r"""Generate lists from the Mallows model: the further an order is from the central order, the rarer it is.

    Parameters
    ----------
    n_queries : int, default=1
        Number of queries. Each query has its own central order.
    n_voters : int, default=10
        Number of voters; each voter has a list in every query.
    n_items : int, default=20
        Number of items.
    phi : float, default=0.8
        Dispersion, from 0 to 1. With 0, all lists equal the central order; with 1, all orders are equally likely.
    list_length : int or None, default=None
        Number of items to keep at the top of each list; None keeps all items.
    return_centre : bool, default=False
        Whether to return the central orders as well.
    random_state : int, RandomState instance or None, default=None
        Source of randomness; an int gives the same data on every call.

    Returns
    -------
    lists : DataFrame
        Columns query, voter, item (str) and rank (int64, from 1), ordered by query, voter and rank.
    centre : DataFrame
        Columns query, item, rank; only with ``return_centre=True``.

    Raises
    ------
    ValueError
        If a parameter is outside its range.

    See Also
    --------
    make_plackett_luce : Generates lists by the items' worth.
    make_ranked_lists : Generates lists and judgements, with voters of differing quality.

    Notes
    -----
    The probability of an order :math:`a` is proportional to :math:`\phi^{d(a, c)}`. Here :math:`d(a, c)` is the number
    of pairs that :math:`a` and the central order :math:`c` put in opposite orders [1]_. Items are inserted one by one
    in the central order. The :math:`i`-th item is inserted :math:`k` places before the end of the list, where :math:`k`
    is between 0 and :math:`i - 1`, with a probability proportional to :math:`\phi^k` [2]_. The computing time for a
    list of n items is :math:`O(n^2)`.

    References
    ----------
    .. [1] C. L. Mallows, "Non-null ranking models", Biometrika 44, 1957.
    .. [2] J.-P. Doignon, A. Pekec and M. Regenwetter, "The repeated insertion model for rankings", Psychometrika 69,
       2004.

    Examples
    --------
    >>> from skrankagg.datasets import make_mallows
    >>> lists, centre = make_mallows(n_voters=3, n_items=4, phi=0.0, return_centre=True,
    ...     random_state=0)
    >>> lists["item"].tolist() == 3 * centre["item"].tolist()
    True
    """
    _check(n_queries=n_queries, n_voters=n_voters, n_items=n_items, list_length=list_length)
    check_share("phi", phi)
    random = check_random_state(random_state)
    centre = np.array([random.permutation(n_items) for _ in range(n_queries)])
    # For each insertion, the distance from the end is drawn by inverting the cumulated probabilities.
    back = np.empty((n_queries, n_voters, n_items), dtype=np.int64)
    for i in range(n_items):
        cumulated = np.cumsum(np.float64(phi) ** np.arange(i + 1))
        back[:, :, i] = np.searchsorted(cumulated, random.random_sample((n_queries, n_voters)) * cumulated[-1], "right")
    back = np.minimum(back, np.arange(n_items))
    order = np.empty_like(back)
    for q in range(n_queries):
        for v in range(n_voters):
            built = []
            for i, k in enumerate(back[q, v].tolist()):
                built.insert(i - k, centre[q, i])
            order[q, v] = built
    lists = _frame(order, list_length)
    return (lists, _frame(centre[:, None], None).drop(columns="voter")) if return_centre else lists


@overload
def make_plackett_luce(
    *,
    n_queries: int = 1,
    n_voters: int = 10,
    n_items: int = 20,
    worth: ArrayLike | None = None,
    spread: float = 1.0,
    list_length: int | None = None,
    tie_probability: float = 0.0,
    reliability: ArrayLike | None = None,
    return_worth: Literal[False] = False,
    random_state: int | np.random.RandomState | None = None,
) -> pd.DataFrame: ...
@overload
def make_plackett_luce(
    *,
    n_queries: int = 1,
    n_voters: int = 10,
    n_items: int = 20,
    worth: ArrayLike | None = None,
    spread: float = 1.0,
    list_length: int | None = None,
    tie_probability: float = 0.0,
    reliability: ArrayLike | None = None,
    return_worth: Literal[True],
    random_state: int | np.random.RandomState | None = None,
) -> tuple[pd.DataFrame, pd.DataFrame]: ...
def make_plackett_luce(
    *,
    n_queries: int = 1,
    n_voters: int = 10,
    n_items: int = 20,
    worth: ArrayLike | None = None,
    spread: float = 1.0,
    list_length: int | None = None,
    tie_probability: float = 0.0,
    reliability: ArrayLike | None = None,
    return_worth: bool = False,
    random_state: int | np.random.RandomState | None = None,
) -> pd.DataFrame | tuple[pd.DataFrame, pd.DataFrame]:
    r"""Generate lists from the Plackett-Luce model: items are drawn one by one, in proportion to their worths.

    Parameters
    ----------
    n_queries : int, default=1
        Number of queries.
    n_voters : int, default=10
        Number of voters; each voter has a list in every query. If `reliability` is given, its length is used instead.
    n_items : int, default=20
        Number of items. If `worth` is given, its length is used instead.
    worth : array-like of shape (n_items,), default=None
        Worths of the items, above 0; they are the same in every query. With None, new worths are drawn for each query.
    spread : float, default=1.0
        Standard deviation of the logarithm of a drawn worth; 0 makes all orders equally likely.
    list_length : int or None, default=None
        Number of items to keep at the top of each list; None keeps all items.
    tie_probability : float, default=0.0
        Probability, from 0 to 1, that an item ties with the item above it in its list.
    reliability : array-like of shape (n_voters,), default=None
        Reliability of the voters in every query. A voter of reliability 1 follows the worths, a voter of reliability 0
        orders items by chance, and a voter of negative reliability prefers the worse items. None uses 1 for all voters.
    return_worth : bool, default=False
        Whether to return the worths as well.
    random_state : int, RandomState instance or None, default=None
        Source of randomness; an int gives the same data on every call.

    Returns
    -------
    lists : DataFrame
        Columns query, voter, item (str) and rank (int64, from 1). Tied items share the lowest rank of their bucket.
        Rows are ordered by query, voter and rank.
    worth : DataFrame
        Columns query, item, worth; only with ``return_worth=True``.

    Raises
    ------
    ValueError
        If a parameter is outside its range.

    See Also
    --------
    make_comparisons : Generates comparisons of two items by worth.
    make_mallows : Generates lists around a central order.

    Notes
    -----
    The next item is :math:`i` with probability :math:`w_i^a / \sum_j w_j^a`, where the sum is over the remaining items
    and :math:`a` is the reliability of the voter [1]_ [2]_. All lists are drawn at once, by sorting
    :math:`a \log w_i + g_i` with independent standard Gumbel :math:`g_i`. The time for a list is :math:`O(n \log n)`.

    Ties are drawn afterwards, regardless of the worths, as in :func:`make_ranked_lists`. Each item except the first
    joins the bucket of the item above it with probability `tie_probability`. Neither `reliability` nor
    `tie_probability` changes the other draws.

    References
    ----------
    .. [1] R. D. Luce, "Individual choice behavior", Wiley, 1959.
    .. [2] R. L. Plackett, "The analysis of permutations", Applied Statistics 24, 1975.

    Examples
    --------
    >>> from skrankagg.datasets import make_plackett_luce
    >>> lists = make_plackett_luce(n_voters=3, worth=[1, 1e9, 1e18], random_state=0)
    >>> lists["item"].tolist()[:3]
    ['i3', 'i2', 'i1']
    """
    if worth is not None:
        worth = read_numbers("worth", worth, positive=True)
        n_items = len(worth)
    power = np.ones(1)
    if reliability is not None:
        power = read_numbers("reliability", reliability)
        n_voters = len(power)
    _check(n_queries=n_queries, n_voters=n_voters, n_items=n_items, list_length=list_length)
    check_number("spread", spread, 0)
    check_share("tie_probability", tie_probability)
    random = check_random_state(random_state)
    drawn = random.standard_normal((n_queries, n_items)) * spread
    log_worth = drawn if worth is None else np.tile(np.log(worth), (n_queries, 1))
    seen = power[:, None] * log_worth[:, None] + random.gumbel(size=(n_queries, n_voters, n_items))
    lists = _frame(np.argsort(-seen, axis=-1), list_length)
    if tie_probability:
        place = lists["rank"].to_numpy()
        lists["rank"], _ = tie_items(place, place - 1, tie_probability, random)
    if not return_worth:
        return lists
    truth = pd.DataFrame(
        {
            "query": number_names("q", n_queries).repeat(n_items),
            "item": number_names("i", n_items).take(np.tile(np.arange(n_items), n_queries)),
            "worth": np.exp(log_worth).ravel(),
        }
    )
    return lists, truth


def _frame(order, list_length):
    """Convert an array of orders to a long frame, which contains the first `list_length` items of each order.

    The array has the shape (n_queries, n_voters, n_items).
    """
    n_queries, n_voters, n_items = order.shape
    order = order[:, :, :list_length]
    length = order.shape[-1]
    return pd.DataFrame(
        {
            "query": number_names("q", n_queries).repeat(n_voters * length),
            "voter": number_names("v", n_voters).take(np.tile(np.repeat(np.arange(n_voters), length), n_queries)),
            "item": number_names("i", n_items).take(order.ravel()),
            "rank": np.tile(np.arange(1, length + 1), n_queries * n_voters),
        }
    )


def _check(*, list_length, n_items, **sizes):
    for name, value in {**sizes, "n_items": n_items}.items():
        check_count(name, value)
    if list_length is not None and (not is_integer(list_length) or not 1 <= list_length <= n_items):
        raise InputError(
            f"`list_length` must be a whole number from 1 to n_items={n_items}, or None for full lists; got "
            f"{list_length!r}."
        )
