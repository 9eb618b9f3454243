r"""Measures of the exposure of groups of items in a ranking.

The exposure of the item at place i of a ranking is :math:`1/\log_2(i + 1)`. Items without a group keep their places. A
query is measured only for the groups with at least one item in the query's ranking. With a cutoff k, places after k get
no exposure, but their items still count for the sizes of the groups.
"""

import numpy as np
import pandas as pd

from ..._data._frames import frame_of, take_ids
from ..._data._item_groups import AnyItemGroups, read_item_groups
from ..._support._checks import check_count, check_share
from .._relevance._inputs import RunLike
from ._exposure_measure import define, measure_run
from ._grouped_run import group_run, read_run

__all__ = [
    "attention_difference",
    "attention_ratio",
    "exposure_difference",
    "exposure_ratio",
    "group_exposure",
    "max_skew",
    "min_skew",
    "ndkl",
    "rank_parity",
]


def _discount(place):
    return 1.0 / np.log2(place + 1.0)


def _mean_weight(grouped, weight, k):
    """Return the mean weight of the items of each group in each query; items after place k get weight 0."""
    if k is not None:
        weight = np.where(grouped.grouped_place <= k, weight, 0.0)
    return grouped.sum_by_cell(weight) / grouped.size


def _exposure(grouped, k):
    return _mean_weight(grouped, _discount(grouped.grouped_place), k)


def _attention(grouped, k, persistence):
    check_share("persistence", persistence, low=False, high=False)
    return _mean_weight(grouped, (1 - persistence) * persistence ** (grouped.grouped_place - 1.0), k)


def _favored_pairs(grouped):
    """For each group in each query, return the share of mixed pairs in which the item of the group is ranked higher.

    A mixed pair of a group consists of an item of the group and an item of another group. The share is NaN if there are
    no mixed pairs.
    """
    total = grouped.n_grouped[grouped.cell_query]
    # For each item with a group, the number of such items below it in the same query.
    start = np.cumsum(grouped.n_grouped) - grouped.n_grouped
    below = grouped.n_grouped[grouped.query] - (np.arange(len(grouped.rows)) - start[grouped.query]) - 1
    favored = grouped.sum_by_cell(below.astype(np.float64)) - grouped.size * (grouped.size - 1) / 2
    mixed = grouped.size * (total - grouped.size)
    return np.divide(favored, mixed, out=np.full(len(mixed), np.nan), where=mixed > 0)


def _skew(grouped, k):
    """For each group in each query, return the logarithm of a ratio of two shares.

    The share of the group among the first k items is divided by the share of the group among all items of the query.
    Both shares ignore items without a group. The value is NaN if no item in the first k places has a group. It is minus
    infinity if these items belong only to other groups.
    """
    count = grouped.sum_by_cell((grouped.grouped_place <= k).astype(np.float64))
    n_first = np.bincount(grouped.cell_query, weights=count, minlength=grouped.n_queries)[grouped.cell_query]
    share = grouped.size / grouped.n_grouped[grouped.cell_query]
    found = np.divide(count, n_first, out=np.full(len(count), np.nan), where=n_first > 0)
    with np.errstate(divide="ignore"):
        return np.log(found / share)


def _ndkl(grouped, k=None):
    n_rows = len(grouped.rows)
    values = np.full(grouped.n_queries, np.nan)
    if not n_rows:
        return values
    # Let c be the count of a group in a prefix. The sum of c ln c over the groups is updated for each item: the a-th
    # item of a group adds a ln a - (a - 1) ln (a - 1).
    order = np.argsort(grouped.cell, kind="stable")
    number = np.empty(n_rows)
    number[order] = np.arange(n_rows) - np.repeat(np.cumsum(grouped.size) - grouped.size, grouped.size) + 1.0
    previous = number - 1
    gain = number * np.log(number) - np.where(previous > 0, previous * np.log(np.maximum(previous, 1.0)), 0.0)
    share = grouped.size / grouped.n_grouped[grouped.cell_query]
    gain -= np.log(share)[grouped.cell]
    start = np.cumsum(grouped.n_grouped) - grouped.n_grouped
    running = np.cumsum(gain)
    running -= np.append(0.0, running)[start[grouped.query]]
    size = np.arange(n_rows) - start[grouped.query] + 1.0
    divergence = np.maximum(running / size - np.log(size), 0.0)
    # If the item at a place has no group, the divergence is the same as at the previous place. Each row therefore
    # counts for its own place and for all places before the next row.
    last_place = np.diff(grouped.ptr)[grouped.query].astype(np.int64)
    until = last_place.copy()
    same = grouped.query[1:] == grouped.query[:-1]
    until[:-1][same] = grouped.grouped_place[1:][same] - 1
    if k is not None:
        until = np.minimum(until, k)
    discounts = np.append(0.0, np.cumsum(_discount(np.arange(1, int(last_place.max()) + 1))))
    weight = np.maximum(discounts[until] - discounts[grouped.grouped_place - 1], 0.0)
    total = np.bincount(grouped.query, weights=weight, minlength=grouped.n_queries)
    summed = np.bincount(grouped.query, weights=weight * divergence, minlength=grouped.n_queries)
    return np.divide(summed, total, out=values, where=total > 0)


def group_exposure(
    run: RunLike, item_groups: AnyItemGroups, k: int | None = None, *, persistence: float = 0.8
) -> pd.DataFrame:
    r"""Compute the exposure of each group in each query.

    Parameters
    ----------
    run : DataFrame, RankedLists, or list or dict of items
        One list for each query, in any form that :func:`evaluate` accepts.
    item_groups : dict of item to group, or DataFrame
        Group of each item. A frame has the columns `item` and `group`, and `query` if the groups differ by query. An
        item without a group keeps its place, but belongs to no group.
    k : int, default=None
        Cutoff; later places get no exposure and no attention. None uses the whole ranking.
    persistence : float, default=0.8
        Probability that a reader continues to the next item. It determines the column `attention`.

    Returns
    -------
    pandas.DataFrame
        A row for each group in the ranking of a query, with the columns `query`, `group`, `n_items`, `exposure`,
        `attention` and `favored_pairs`. With a cutoff there is also a column `skew`.

    Raises
    ------
    TypeError
        If `item_groups` is neither a dict nor a frame.
    ValueError
        If a query has several lists, if the cutoff or the persistence is wrong, or if the groups are malformed.

    See Also
    --------
    exposure_difference : Difference between the largest and the smallest exposure among the groups.
    skrankagg.inspection.diagnose : Recommends methods for lists.

    Notes
    -----
    The exposure of a group with m items is :math:`\frac1m \sum_i 1/\log_2(i + 1)` over the places i of its items [1]_.
    The attention is :math:`\frac1m \sum_i (1 - p) p^{i - 1}`, where p is the persistence [2]_. Consider all pairs of an
    item of the group and an item of another group. The column `favored_pairs` is the share of these pairs in which the
    item of the group is above the other item [3]_. With a share of 0.5, the items of the group are above other items as
    often as below them. The share is NaN if there is only one group. The skew is defined in :func:`min_skew`. Groups
    without an item in the ranking have no row. To measure the first places, pass the whole consensus and `k`. Do not
    cut the consensus, because its items determine the sizes of the groups.

    References
    ----------
    .. [1] A. Singh and T. Joachims, "Fairness of exposure in rankings", KDD 2018.
    .. [2] P. Sapiezynski, W. Zeng, R. E. Robertson, A. Mislove and C. Wilson, "Quantifying the impact of user attention
       on fair group representation in ranked lists", WWW 2019 Companion.
    .. [3] K. Cachel, E. Rundensteiner and L. Harrison, "MANI-Rank: multiple attribute and intersectional group fairness
       for consensus ranking", ICDE 2022.

    Examples
    --------
    >>> from skrankagg.metrics import group_exposure
    >>> groups = {"a": "x", "b": "x", "c": "y", "d": "y"}
    >>> group_exposure({"q": ["a", "c", "b", "d"]}, groups, persistence=0.5).round(3)
      query group  n_items  exposure  attention  favored_pairs
    0     q     x        2     0.750      0.312           0.75
    1     q     y        2     0.531      0.156           0.25
    """
    if k is not None:
        check_count("k", k)
    run, groups = read_run(run), read_item_groups(item_groups)
    grouped = group_run(run, groups)
    columns = {
        "query": take_ids(run.queries, grouped.cell_query),
        "group": take_ids(groups.groups, grouped.cell_group),
        "n_items": grouped.size,
        "exposure": _exposure(grouped, k),
        "attention": _attention(grouped, k, persistence),
        "favored_pairs": _favored_pairs(grouped),
    }
    if k is not None:
        columns["skew"] = _skew(grouped, k)
    return frame_of(columns)


def _exposure_difference(grouped, k=None):
    return grouped.spread(_exposure(grouped, k))


@define("Exposure difference", _exposure_difference, greater_is_better=False)
def exposure_difference(
    run: RunLike, item_groups: AnyItemGroups, k: int | None = None, *, per_query: bool = False
) -> float | pd.Series:
    r"""Compute the difference between the largest and the smallest mean exposure among the groups.

    Parameters
    ----------
    run : DataFrame, RankedLists, or list or dict of items
        One list for each query, in any form that :func:`evaluate` accepts.
    item_groups : dict of item to group, or DataFrame
        Group of each item, as in :func:`group_exposure`.
    k : int, default=None
        Cutoff; later places get no exposure. None uses the whole ranking.
    per_query : bool, default=False
        Whether to return the value of each query instead of the mean over the queries.

    Returns
    -------
    float or pandas.Series of shape (n_queries,)
        Values of at least 0; 0 means that all groups have the same mean exposure. The value of a query is NaN if no
        item of the query has a group; the mean leaves these queries out.

    See Also
    --------
    exposure_ratio : Smallest exposure divided by the largest.
    group_exposure : Exposure of each group.

    Notes
    -----
    The mean exposure of a group is the mean of :math:`1/\log_2(i + 1)` over the places i of its items [1]_.

    References
    ----------
    .. [1] A. Singh and T. Joachims, "Fairness of exposure in rankings", KDD 2018.

    Examples
    --------
    >>> from skrankagg.metrics import exposure_difference
    >>> exposure_difference(["a", "b", "c"], {"a": "x", "c": "y"})
    0.5
    """
    return measure_run("exposure_difference", run, item_groups, per_query, k=k)


def _exposure_ratio(grouped, k=None):
    return grouped.ratio(_exposure(grouped, k))


@define("Exposure ratio", _exposure_ratio, greater_is_better=True)
def exposure_ratio(
    run: RunLike, item_groups: AnyItemGroups, k: int | None = None, *, per_query: bool = False
) -> float | pd.Series:
    r"""Divide the smallest mean exposure among the groups by the largest.

    Parameters
    ----------
    run : DataFrame, RankedLists, or list or dict of items
        One list for each query, in any form that :func:`evaluate` accepts.
    item_groups : dict of item to group, or DataFrame
        Group of each item, as in :func:`group_exposure`.
    k : int, default=None
        Cutoff; later places get no exposure. None uses the whole ranking.
    per_query : bool, default=False
        Whether to return the value of each query instead of the mean over the queries.

    Returns
    -------
    float or pandas.Series of shape (n_queries,)
        Values from 0 to 1; 1 means that all groups have the same mean exposure. The value of a query is NaN if no item
        of the first k places has a group; the mean leaves these queries out.

    See Also
    --------
    exposure_difference : Largest exposure minus the smallest.
    group_exposure : Exposure of each group.

    Notes
    -----
    The mean exposure of a group is the mean of :math:`1/\log_2(i + 1)` over the places i of its items [1]_.

    References
    ----------
    .. [1] A. Singh and T. Joachims, "Fairness of exposure in rankings", KDD 2018.

    Examples
    --------
    >>> from skrankagg.metrics import exposure_ratio
    >>> exposure_ratio(["a", "b", "c"], {"a": "x", "c": "y"})
    0.5
    """
    return measure_run("exposure_ratio", run, item_groups, per_query, k=k)


def _attention_difference(grouped, k=None, persistence=0.8):
    return grouped.spread(_attention(grouped, k, persistence))


@define("Attention difference", _attention_difference, greater_is_better=False)
def attention_difference(
    run: RunLike,
    item_groups: AnyItemGroups,
    k: int | None = None,
    *,
    persistence: float = 0.8,
    per_query: bool = False,
) -> float | pd.Series:
    r"""Compute the difference between the largest and the smallest mean attention among the groups.

    This is a form of attention-weighted rank fairness (AWRF) in which groups are compared by a difference.

    Parameters
    ----------
    run : DataFrame, RankedLists, or list or dict of items
        One list for each query, in any form that :func:`evaluate` accepts.
    item_groups : dict of item to group, or DataFrame
        Group of each item, as in :func:`group_exposure`.
    k : int, default=None
        Cutoff; later places get no attention. None uses the whole ranking.
    persistence : float, default=0.8
        Probability p that a reader continues to the next item, between 0 and 1.
    per_query : bool, default=False
        Whether to return the value of each query instead of the mean over the queries.

    Returns
    -------
    float or pandas.Series of shape (n_queries,)
        Values from 0 to 1; 0 means that all groups get the same mean attention. The value of a query is NaN if no item
        of the query has a group; the mean leaves these queries out.

    See Also
    --------
    attention_ratio : Smallest attention divided by the largest.
    group_exposure : Attention of each group.

    Notes
    -----
    The mean attention of a group is the mean of :math:`(1 - p) p^{i - 1}` over the places i of its items [1]_.
    FairRankTune's AWRF multiplies the attention by 100; its parameter p corresponds to :math:`1 - p` here.

    References
    ----------
    .. [1] P. Sapiezynski, W. Zeng, R. E. Robertson, A. Mislove and C. Wilson, "Quantifying the impact of user attention
       on fair group representation in ranked lists", WWW 2019 Companion.

    Examples
    --------
    >>> from skrankagg.metrics import attention_difference
    >>> attention_difference(["a", "b", "c"], {"a": "x", "c": "y"}, persistence=0.5)
    0.375
    """
    return measure_run("attention_difference", run, item_groups, per_query, k=k, persistence=persistence)


def _attention_ratio(grouped, k=None, persistence=0.8):
    return grouped.ratio(_attention(grouped, k, persistence))


@define("Attention ratio", _attention_ratio, greater_is_better=True)
def attention_ratio(
    run: RunLike,
    item_groups: AnyItemGroups,
    k: int | None = None,
    *,
    persistence: float = 0.8,
    per_query: bool = False,
) -> float | pd.Series:
    r"""Divide the smallest mean attention among the groups by the largest.

    This is a form of attention-weighted rank fairness (AWRF) in which groups are compared by a ratio.

    Parameters
    ----------
    run : DataFrame, RankedLists, or list or dict of items
        One list for each query, in any form that :func:`evaluate` accepts.
    item_groups : dict of item to group, or DataFrame
        Group of each item, as in :func:`group_exposure`.
    k : int, default=None
        Cutoff; later places get no attention. None uses the whole ranking.
    persistence : float, default=0.8
        Probability p that a reader continues to the next item, between 0 and 1.
    per_query : bool, default=False
        Whether to return the value of each query instead of the mean over the queries.

    Returns
    -------
    float or pandas.Series of shape (n_queries,)
        Values from 0 to 1; 1 means that all groups get the same mean attention. The value of a query is NaN if no item
        of the first k places has a group; the mean leaves these queries out.

    See Also
    --------
    attention_difference : Largest attention minus the smallest.
    group_exposure : Attention of each group.

    Notes
    -----
    The mean attention of a group is the mean of :math:`(1 - p) p^{i - 1}` over the places i of its items [1]_.

    References
    ----------
    .. [1] P. Sapiezynski, W. Zeng, R. E. Robertson, A. Mislove and C. Wilson, "Quantifying the impact of user attention
       on fair group representation in ranked lists", WWW 2019 Companion.

    Examples
    --------
    >>> from skrankagg.metrics import attention_ratio
    >>> attention_ratio(["a", "b", "c"], {"a": "x", "c": "y"}, persistence=0.5)
    0.25
    """
    return measure_run("attention_ratio", run, item_groups, per_query, k=k, persistence=persistence)


def _rank_parity(grouped):
    return grouped.spread(_favored_pairs(grouped))


@define("Rank parity", _rank_parity, greater_is_better=False)
def rank_parity(run: RunLike, item_groups: AnyItemGroups, *, per_query: bool = False) -> float | pd.Series:
    r"""Compute the attribute rank parity (ARP): the largest minus the smallest share of favored pairs among the groups.

    Parameters
    ----------
    run : DataFrame, RankedLists, or list or dict of items
        One list for each query, in any form that :func:`evaluate` accepts.
    item_groups : dict of item to group, or DataFrame
        Group of each item, as in :func:`group_exposure`.
    per_query : bool, default=False
        Whether to return the value of each query instead of the mean over the queries.

    Returns
    -------
    float or pandas.Series of shape (n_queries,)
        Values from 0 to 1; 0 means that no group is favored, and 1 that one group is above all others. The value of a
        query is NaN if its items do not belong to at least two groups; the mean leaves these queries out.

    See Also
    --------
    group_exposure : Share of favored pairs of each group.
    exposure_difference : Gives early places more weight.

    Notes
    -----
    Consider all pairs of an item of a group and an item of another group. A pair favors the group if the group's item
    is above the other item. The value is the largest share of favored pairs minus the smallest [1]_.

    References
    ----------
    .. [1] K. Cachel, E. Rundensteiner and L. Harrison, "MANI-Rank: multiple attribute and intersectional group fairness
       for consensus ranking", ICDE 2022.

    Examples
    --------
    >>> from skrankagg.metrics import rank_parity
    >>> rank_parity(["a", "c", "b", "d"], {"a": "x", "b": "x", "c": "y", "d": "y"})
    0.5
    """
    return measure_run("rank_parity", run, item_groups, per_query)


def _min_skew(grouped, k):
    return grouped.lowest(_skew(grouped, k))


@define("Smallest skew", _min_skew, greater_is_better=True)
def min_skew(run: RunLike, item_groups: AnyItemGroups, k: int, *, per_query: bool = False) -> float | pd.Series:
    r"""Compute the smallest skew of any group: ln(its share of the first k places / its share of all places).

    Parameters
    ----------
    run : DataFrame, RankedLists, or list or dict of items
        One list for each query, in any form that :func:`evaluate` accepts.
    item_groups : dict of item to group, or DataFrame
        Group of each item, as in :func:`group_exposure`.
    k : int
        Cutoff.
    per_query : bool, default=False
        Whether to return the value of each query instead of the mean over the queries.

    Returns
    -------
    float or pandas.Series of shape (n_queries,)
        Values of at most 0; 0 means that each group's share of the first k places equals its share of the ranking. The
        value is minus infinity if a group has no item in the first k places. It is NaN if no item of the first k places
        has a group; the mean leaves these queries out.

    See Also
    --------
    max_skew : Largest skew among the groups.
    ndkl : Combines all places and groups in one number.

    Notes
    -----
    The skew of a group is :math:`\ln(s_k/s)` [1]_. Here :math:`s_k` is the group's share of the items in the first k
    places, and :math:`s` is its share of the items in the ranking. Only items with a group are counted. In the paper,
    :math:`s` can be any desired share.

    References
    ----------
    .. [1] S. C. Geyik, S. Ambler and K. Kenthapadi, "Fairness-aware ranking in search and recommendation systems with
       application to LinkedIn talent search", KDD 2019.

    Examples
    --------
    >>> from skrankagg.metrics import min_skew
    >>> groups = {"a": "x", "b": "x", "c": "y", "d": "y"}
    >>> round(min_skew(["a", "b", "c", "d"], groups, k=3), 4)
    -0.4055
    """
    return measure_run("min_skew", run, item_groups, per_query, k=k)


def _max_skew(grouped, k):
    return grouped.highest(_skew(grouped, k))


@define("Largest skew", _max_skew, greater_is_better=False)
def max_skew(run: RunLike, item_groups: AnyItemGroups, k: int, *, per_query: bool = False) -> float | pd.Series:
    r"""Compute the largest skew of any group: ln(its share of the first k places / its share of all places).

    Parameters
    ----------
    run : DataFrame, RankedLists, or list or dict of items
        One list for each query, in any form that :func:`evaluate` accepts.
    item_groups : dict of item to group, or DataFrame
        Group of each item, as in :func:`group_exposure`.
    k : int
        Cutoff.
    per_query : bool, default=False
        Whether to return the value of each query instead of the mean over the queries.

    Returns
    -------
    float or pandas.Series of shape (n_queries,)
        Values of at least 0; 0 means that each group's share of the first k places equals its share of the ranking. The
        value is NaN if no item of the first k places has a group; the mean leaves these queries out.

    See Also
    --------
    min_skew : Smallest skew among the groups.
    ndkl : Combines all places and groups in one number.

    Notes
    -----
    The skew of a group is :math:`\ln(s_k/s)` [1]_. Here :math:`s_k` is the group's share of the items in the first k
    places, and :math:`s` is its share of the items in the ranking. Only items with a group are counted.

    References
    ----------
    .. [1] S. C. Geyik, S. Ambler and K. Kenthapadi, "Fairness-aware ranking in search and recommendation systems with
       application to LinkedIn talent search", KDD 2019.

    Examples
    --------
    >>> from skrankagg.metrics import max_skew
    >>> groups = {"a": "x", "b": "x", "c": "y", "d": "y"}
    >>> round(max_skew(["a", "b", "c", "d"], groups, k=3), 4)
    0.2877
    """
    return measure_run("max_skew", run, item_groups, per_query, k=k)


@define("NDKL", _ndkl, greater_is_better=False)
def ndkl(
    run: RunLike, item_groups: AnyItemGroups, k: int | None = None, *, per_query: bool = False
) -> float | pd.Series:
    r"""Compute the NDKL: how much the groups' shares of the first places differ from their shares of the ranking.

    NDKL means normalized discounted Kullback-Leibler divergence. A prefix is the first i places of a ranking.

    Parameters
    ----------
    run : DataFrame, RankedLists, or list or dict of items
        One list for each query, in any form that :func:`evaluate` accepts.
    item_groups : dict of item to group, or DataFrame
        Group of each item, as in :func:`group_exposure`.
    k : int, default=None
        Length of the longest prefix that is measured. None uses all prefixes.
    per_query : bool, default=False
        Whether to return the value of each query instead of the mean over the queries.

    Returns
    -------
    float or pandas.Series of shape (n_queries,)
        Values of at least 0; 0 means that the shares of the groups are equal in every prefix and in the whole ranking.
        The value of a query is NaN if no item of the first k places has a group; the mean leaves these queries out.

    See Also
    --------
    min_skew : Skew at one cutoff.
    exposure_difference : Difference of the mean exposures.

    Notes
    -----
    Let :math:`D_i` be the shares of the groups in the first i places, and :math:`D` the shares in the whole ranking.
    The value is :math:`\sum_i z_i KL(D_i \| D) / \sum_i z_i` with :math:`z_i = 1/\log_2(i + 1)` and natural logarithms
    [1]_. Only items with a group are counted in the shares. Prefixes without such an item are left out. FairRankTune
    adds :math:`10^{-7}` to all shares, which changes the value by a few millionths.

    References
    ----------
    .. [1] S. C. Geyik, S. Ambler and K. Kenthapadi, "Fairness-aware ranking in search and recommendation systems with
       application to LinkedIn talent search", KDD 2019.

    Examples
    --------
    >>> from skrankagg.metrics import ndkl
    >>> groups = {"a": "x", "b": "x", "c": "y", "d": "y"}
    >>> [round(ndkl(ranking, groups), 4) for ranking in (list("abcd"), list("acbd"))]
    [0.4524, 0.2816]
    """
    return measure_run("ndkl", run, item_groups, per_query, k=k)
