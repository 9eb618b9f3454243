"""Reproduction of RASDaGen, the generator of FLAGR's test data, with exactly the same results."""

import math

import numpy as np
import pandas as pd

from .._support._checks import check_count
from .._support._values import is_integer, is_real
from ..exceptions import InputError

__all__ = ["make_rasdagen"]


def _glibc_rand(seed, n):
    """Draw the first n values of ``rand()`` after ``srand(seed)``, as in the GNU C library.

    The additive feedback generator of degree 31 (TYPE_3, the default) computes ``r[i] = r[i - 3] + r[i - 31]`` modulo
    2**32 and returns ``r[i]`` without its lowest bit. The first 31 values come from a Lehmer generator. The next 310
    values are discarded.

    Parameters
    ----------
    seed : int
        Seed, from 0 to 2**32 - 1; 0 means 1, as in C.
    n : int
        Number of values.

    Returns
    -------
    ndarray of shape (n,), dtype=int64
        Values from 0 to 2**31 - 1.

    Examples
    --------
    >>> from skrankagg.datasets._rasdagen import _glibc_rand
    >>> _glibc_rand(1, 3)
    array([1804289383,  846930886, 1681692777])
    """
    word = int(seed) or 1
    if word >= 2**31:  # C stores this number in a signed int
        word -= 2**32
    state = [word]
    for _ in range(30):
        # Schrage's method with C's division, which truncates towards zero; Python's division floors.
        high = int(math.copysign(abs(word) // 127773, word))
        word = 16807 * (word - 127773 * high) - 2836 * high
        word += 2147483647 * (word < 0)
        state.append(word)
    state += state[:3]
    for i in range(34, n + 344):
        state.append((state[i - 3] + state[i - 31]) & 0xFFFFFFFF)
    return np.array(state[344:], dtype=np.int64) >> 1


def _shuffles(draws, n_items):
    """Compute permutations of 0..n_items-1 from the random draws of many shuffles.

    The items of a shuffle are put into their final places from the last place to the first. For each draw, let n be the
    number of places that are not final yet. The item in the last of these places is swapped with the item in place
    ``draw % n``. All shuffles are computed in parallel, so the loop is over places instead of shuffles.
    """
    order = np.tile(np.arange(n_items, dtype=np.int32), (len(draws), 1))
    row = np.arange(len(draws))
    for last in range(n_items - 1, -1, -1):
        other = draws[:, n_items - 1 - last] % (last + 1)
        order[row, other], order[:, last] = order[:, last].copy(), order[row, other]
    return order


def _check(n_queries, n_voters, list_length, n_items, bias, threshold, random_state):
    sizes = {"n_queries": n_queries, "n_voters": n_voters, "list_length": list_length, "n_items": n_items}
    for name, size in sizes.items():
        check_count(name, size)
    if list_length > n_items:
        raise InputError(
            f"`list_length` must be at most `n_items`, {n_items}; got {list_length}. Shorten the lists, or increase "
            "n_items."
        )
    if not is_real(bias) or not 0 <= bias <= 9:
        raise InputError(
            f"`bias` must be a number from 0 to 9; got {bias!r}. Above 9, the original program divides by zero."
        )
    if not is_real(threshold) or not math.isfinite(threshold):
        raise InputError(f"`threshold` must be a finite number; got {threshold!r}.")
    if not is_integer(random_state) or not 0 <= random_state < 2**32:
        raise InputError(
            f"`random_state` must be an int from 0 to 2**32 - 1, the seed of srand(); got {random_state!r}."
        )


def make_rasdagen(
    *,
    n_queries: int = 20,
    n_voters: int = 50,
    list_length: int = 30,
    n_items: int = 100,
    bias: float = 1,
    threshold: float = 5,
    random_state: int = 1,
) -> tuple[pd.DataFrame, pd.DataFrame]:
    r"""Generate the synthetic lists of FLAGR's tests.

    Every voter shuffles the same pool of items and returns the first items, so the lists are random and independent.
    The data are useful for comparisons with published tables and for speed tests. They cannot show which method is
    better.

    Parameters
    ----------
    n_queries : int, default=20
        Number of queries Q.
    n_voters : int, default=50
        Number of voters M; each voter ranks items for every query.
    list_length : int, default=30
        Length K of every list, at most `n_items`.
    n_items : int, default=100
        Number N of items in the pool of each query. Pools of different queries have no common items.
    bias : float, default=1
        Influence b of the lists on the relevance labels, from 0 (none) to 9.
    threshold : float, default=5
        Threshold t of the label score. An item is relevant if its label score exceeds the threshold.
    random_state : int, default=1
        Seed of ``rand()`` in the C library. The original program never calls ``srand``, which is equivalent to seed 1.

    Returns
    -------
    lists : DataFrame of shape (n_queries * n_voters * list_length, 5)
        Columns query, voter, item (str), rank (int64, 1 = best) and score (float64). The score is (K - rank + 1) / K,
        rounded to five decimals as in the original program. Rows are ordered by voter, then query, then rank.
    qrels : DataFrame of shape (n_queries * n_items, 3)
        Columns query, item (str) and relevance (int64, 0 or 1). Rows are ordered by query, then by the final order of
        the pool.

    Raises
    ------
    ValueError
        If a size is below 1, `list_length` exceeds `n_items`, `bias` is outside [0, 9], `threshold` is not finite or
        `random_state` is not an unsigned 32-bit integer.

    See Also
    --------
    make_ranked_lists : Generates data with a truth, good and bad voters, ties and absent items.
    read_lists : Reads such data from a file.

    Notes
    -----
    For each voter and each query, the query's pool is shuffled *in place* (Fisher and Yates, from the end), and its
    first K items form the list. Each item has a total W, which starts at 0. For the item on rank r, :math:`W
    \mathrel{+}= K - r + 1`. After the last voter, the label score s and the relevance of each item are

    .. math::
        s = \mathrm{rand}() \bmod (10 - \lceil b \rceil) + \lfloor b \rfloor \frac{W}{M K},
        \qquad \mathrm{relevant} \iff s > t .

    The random numbers are computed by the GNU C library's algorithm, so the same arguments give the same data as the
    program [1]_ on Linux. **The defaults give FLAGR's test data** [2]_ **(SyntheticMOSO) exactly.** The same source
    describes two further settings, each with 20 queries. FESO has few voters and short lists
    (``n_voters=10, list_length=30, n_items=30, bias=3, threshold=7``). MASO has many voters and short lists
    (``n_voters=1000, list_length=30, n_items=30, bias=3, threshold=5``).

    **With the defaults, the labels are noise, which is independent of the lists.** With b = 1 the second term is at
    most 1, and the first term is an integer. An item that any voter ranks is therefore relevant if and only if
    ``rand() % 9 >= 5``, regardless of its places. Therefore measures of relevance cannot distinguish methods on these
    data. All voters are equally good, so weighted methods cannot improve on other methods. FESO and MASO are nearly as
    noisy: with M voters, the standard deviation of the second term is about :math:`0.87 / \sqrt{M}`, and the standard
    deviation of the first term is 2.

    The time is linear in the number of rows and in ``n_voters * n_queries * n_items``.

    References
    ----------
    .. [1] L. Akritidis, RASDaGen, https://github.com/lakritidis/RASDaGen.
    .. [2] L. Akritidis, M. Alamaniotis and P. Bozanis, "FLAGR: A flexible high-performance library for rank
       aggregation", SoftwareX, 2023.

    Examples
    --------
    >>> from skrankagg.datasets import make_rasdagen
    >>> lists, qrels = make_rasdagen()
    >>> lists.head(3)
      query voter    item  rank    score
    0     1   V-0  Q1-E35     1  1.00000
    1     1   V-0  Q1-E78     2  0.96667
    2     1   V-0   Q1-E9     3  0.93333
    >>> len(lists), len(qrels), int(qrels["relevance"].sum())
    (30000, 2000, 926)
    """
    _check(n_queries, n_voters, list_length, n_items, bias, threshold, random_state)
    n_shuffles = n_voters * n_queries
    draws = _glibc_rand(random_state, n_shuffles * n_items + n_queries * n_items)
    order = _shuffles(draws[: n_shuffles * n_items].reshape(n_shuffles, n_items), n_items)
    order = order.reshape(n_voters, n_queries, n_items)
    # A pool is not reset between voters: each shuffle permutes the order after the previous shuffle.
    for voter in range(1, n_voters):
        order[voter] = np.take_along_axis(order[voter - 1], order[voter], axis=1)

    query = np.arange(n_queries, dtype=np.int32)[:, None]
    points = np.arange(list_length, 0, -1)
    top = order[:, :, :list_length]
    weight = np.bincount(
        (query * n_items + top).ravel(), weights=np.tile(points, n_shuffles), minlength=n_queries * n_items
    )

    pool = query * n_items + order[-1]
    luck = draws[n_shuffles * n_items :] % (10 - math.ceil(bias))
    label_score = luck + math.floor(bias) * weight[pool.ravel()] / (n_voters * list_length)

    query_ids = pd.Index([str(q + 1) for q in range(n_queries)], dtype=str)
    voter_ids = pd.Index([f"V-{v}" for v in range(n_voters)], dtype=str)
    item_ids = pd.Index([f"Q{q + 1}-E{i + 1}" for q in range(n_queries) for i in range(n_items)], dtype=str)
    scores = [float(f"{p / list_length:.5f}") for p in points]
    lists = pd.DataFrame(
        {
            "query": query_ids.take(np.tile(np.repeat(np.arange(n_queries), list_length), n_voters)),
            "voter": voter_ids.take(np.repeat(np.arange(n_voters), n_queries * list_length)),
            "item": item_ids.take((query * n_items + top).ravel()),
            "rank": np.tile(np.arange(1, list_length + 1, dtype=np.int64), n_shuffles),
            "score": np.tile(scores, n_shuffles),
        }
    )
    qrels = pd.DataFrame(
        {
            "query": query_ids.repeat(n_items),
            "item": item_ids.take(pool.ravel()),
            "relevance": (label_score > threshold).astype(np.int64),
        }
    )
    return lists, qrels
