"""Generator of ranked lists with a known truth, with good, bad and adversarial voters, ties and absent items."""

import math
from typing import NamedTuple

import numpy as np
import pandas as pd
from sklearn.utils import check_random_state

from .._support._checks import check_number, check_share
from .._support._values import is_integer
from ..exceptions import InputError
from ._generators import number_names, tie_items

__all__ = ["make_ranked_lists"]


class Truth(NamedTuple):
    """Parameters from which the lists were drawn: a frame of the voters, and a frame of the utilities of the items."""

    voters: pd.DataFrame
    utilities: pd.DataFrame


# Number of doubles in one block of (query, voter, item). A few such arrays exist at a time.
_BLOCK = 2**21


def _length_range(list_length, n_items):
    """Check `list_length`; return the lowest and the highest length of a list."""
    if list_length is None:
        return n_items, n_items
    bounds = list_length if isinstance(list_length, (tuple, list)) else (list_length, list_length)
    whole = all(map(is_integer, bounds))
    if len(bounds) != 2 or not whole or not 1 <= bounds[0] <= bounds[1]:
        raise InputError(
            "`list_length` must be a whole number of at least 1, a pair (low, high) of such numbers, or "
            f"None for full lists; got {list_length!r}."
        )
    if bounds[1] > n_items:
        raise InputError(
            f"`list_length` must be at most `n_items`, {n_items}; got {list_length}. Shorten the lists, enlarge "
            "n_items, or pass list_length=None for full lists."
        )
    return bounds


def _make_voters(n_voters, quality, quality_spread, adversarial_share, random):
    """Draw the quality of each voter, and a mask of adversarial voters; both arrays apply to every query."""
    values = quality * np.exp(quality_spread * random.standard_normal(n_voters))
    adversarial = np.zeros(n_voters, dtype=bool)
    adversarial[random.permutation(n_voters)[: round(adversarial_share * n_voters)]] = True
    return values, adversarial


def _hide(seen_score, n_known, random):
    """Draw the `n_known` items that each voter knows in each query; set the scores of all other items to -infinity.

    The array `seen_score`, whose last axis is the items, contains the scores that the voters give. It is changed in
    place.
    """
    if n_known < seen_score.shape[-1]:
        luck = random.random_sample(seen_score.shape)
        unknown = np.argpartition(luck, n_known, axis=-1)[..., n_known:]
        np.put_along_axis(seen_score, unknown, -np.inf, axis=-1)


def make_ranked_lists(
    *,
    n_queries: int = 20,
    n_voters: int = 10,
    n_items: int = 100,
    list_length: int | tuple[int, int] | None = 30,
    quality: float = 1.0,
    quality_spread: float = 0.5,
    adversarial_share: float = 0.0,
    tie_probability: float = 0.0,
    absent_share: float = 0.0,
    n_grades: int = 2,
    relevant_share: float = 0.2,
    random_state: int | np.random.RandomState | None = None,
) -> tuple[pd.DataFrame, pd.DataFrame, Truth]:
    r"""Generate ranked lists by voters who observe a hidden truth with different precision.

    Every item has a true utility. Each voter observes the utilities with noise, ranks the items by the observations,
    and returns the first items. A consensus of all voters can be better than the best voter. A consensus that weights
    voters by skill can be even better.

    Parameters
    ----------
    n_queries : int, default=20
        Number of queries.
    n_voters : int, default=10
        Number of voters; each voter ranks items for every query.
    n_items : int, default=100
        Number of items per query.
    list_length : int, pair (low, high) or None, default=30
        Length of the lists. With a pair, the length of each list is drawn uniformly from low to high, both included.
        None means full lists.
    quality : float, default=1.0
        Median quality of a voter, above 0. A voter of quality a observes with noise of standard deviation 1/a. The
        utilities have standard deviation 1.
    quality_spread : float, default=0.5
        Standard deviation of the logarithm of the quality; 0 makes all voters equally good.
    adversarial_share : float, default=0.0
        Share, from 0 to 1, of the voters who are adversarial: they rank the items of lowest utility first. The number
        of these voters is rounded to an integer.
    tie_probability : float, default=0.0
        Probability, from 0 to 1, that an item ties with the item above it in its list.
    absent_share : float, default=0.0
        Share, from 0 to below 1, of the items that a voter does not know. These items are drawn for each list. With
        unknown items, absence from a list does not mean a low place. A list is shorter than `list_length` if its voter
        knows fewer items.
    n_grades : int, default=2
        Number of relevance grades above 0.
    relevant_share : float, default=0.2
        Share of the items, above 0 and up to 1, that are relevant to a query. At least one item is relevant.
    random_state : int, RandomState instance or None, default=None
        Source of randomness; an int gives the same data on every call.

    Returns
    -------
    lists : DataFrame
        Columns query, voter, item (str), rank (int64, 1 = best) and score (float64, higher is better). Tied items share
        the lowest rank of their bucket. Rows are ordered by query, voter and rank.
    qrels : DataFrame of shape (n_queries * n_items, 3)
        Columns query, item (str) and relevance (int64, 0 to `n_grades`). Every item is judged. Rows are ordered by
        query and item.
    truth : named tuple of voters and utilities
        ``truth.voters`` is a frame with voter, quality and adversarial (bool).
        ``truth.utilities`` is a frame with query, item and utility (float64), in the order of the qrels.

    Raises
    ------
    ValueError
        If a parameter is outside its range or `list_length` exceeds `n_items`.

    See Also
    --------
    make_rasdagen : Generates FLAGR's test data, in which all voters have the same quality.
    write_run : Writes an aggregator's consensus of such lists.

    Notes
    -----
    With independent standard normal :math:`u_{qi}`, :math:`z_v` and :math:`\varepsilon_{qvi}`, voter v observes item i
    of query q as

    .. math::
        s_{qvi} = \pm u_{qi} + \varepsilon_{qvi} / a_v, \qquad
        a_v = \mathtt{quality} \cdot \exp(\mathtt{quality\_spread} \cdot z_v),

    where the sign is minus for adversarial voters. This is a Thurstone model [1]_. The score of a row is the voter's
    observation. In a bucket of ties, the score is the observation of the first item. A voter's quality and sign are the
    same in all queries.

    Let :math:`R = \max(1, \mathrm{round}(\mathtt{relevant\_share} \cdot n))`. Among the R items of highest utility, the
    item in true place t = 0, 1, ... has the grade :math:`G - \lfloor t G / R \rfloor`; all other items have grade 0.

    Queries are named q01, q02, ..., voters v01, ... and items i001, ..., with as many digits as needed. All queries
    have the same item names, but the utilities differ. Lists are never empty.

    Each kind of random draw has its own stream of random numbers. A larger number of queries leaves the first queries
    unchanged. Ties, absences and lengths change neither the utilities nor the noise. Queries are processed in blocks,
    which bounds the memory that is needed in addition to the result.

    References
    ----------
    .. [1] L. L. Thurstone, "A law of comparative judgment", Psychological Review, 1927.

    Examples
    --------
    >>> from skrankagg.datasets import make_ranked_lists
    >>> lists, qrels, truth = make_ranked_lists(
    ...     n_queries=2, n_voters=3, n_items=5, list_length=(2, 3), random_state=0
    ... )
    >>> lists.columns.tolist(), qrels.columns.tolist()
    (['query', 'voter', 'item', 'rank', 'score'], ['query', 'item', 'relevance'])
    >>> sorted({len(one) for _, one in lists.groupby(["query", "voter"])})
    [2, 3]
    >>> qrels["relevance"].tolist()
    [2, 0, 0, 0, 0, 2, 0, 0, 0, 0]
    >>> truth.voters["voter"].tolist()
    ['v1', 'v2', 'v3']
    """
    sizes = [("n_queries", n_queries), ("n_voters", n_voters), ("n_items", n_items), ("n_grades", n_grades)]
    for name, value in sizes:
        check_number(name, value, 1, math.inf, whole=True)
    for name, value in [("quality", quality), ("quality_spread", quality_spread)]:
        check_number(name, value, 0, math.inf)
    shares = [
        ("adversarial_share", adversarial_share),
        ("tie_probability", tie_probability),
        ("absent_share", absent_share),
    ]
    for name, value in [*shares, ("relevant_share", relevant_share)]:
        check_number(name, value, 0, 1)
    if quality == 0:
        raise InputError(f"`quality` must be above 0; got {quality!r}.")
    check_share("relevant_share", relevant_share, low=False)
    check_share("absent_share", absent_share, high=False)
    low, high = _length_range(list_length, n_items)

    # Each kind of draw has its own stream, so that one option does not change the draws of another.
    seeds = check_random_state(random_state).randint(2**31 - 1, size=5)
    voter_random, view_random, length_random, absent_random, tie_random = map(np.random.RandomState, seeds)

    skill, adversarial = _make_voters(n_voters, quality, quality_spread, adversarial_share, voter_random)
    sign = np.where(adversarial, -1.0, 1.0)
    n_known = max(1, round((1 - absent_share) * n_items))
    lengths = length_random.randint(low, high + 1, size=(n_queries, n_voters))
    lengths = np.minimum(lengths, n_known)
    longest = lengths.max()

    utility = np.empty((n_queries, n_items))
    item_blocks, rank_blocks, score_blocks = [], [], []
    step = max(1, _BLOCK // ((n_voters + 1) * n_items))
    for begin in range(0, n_queries, step):
        block = slice(begin, begin + step)
        length = lengths[block]
        # Utilities and noise are drawn query by query from one stream, so the size of a block changes nothing.
        normal = view_random.standard_normal((len(length), n_voters + 1, n_items))
        utility[block] = normal[:, 0]
        seen_score = sign[:, None] * normal[:, :1] + normal[:, 1:] / skill[:, None]
        _hide(seen_score, n_known, absent_random)
        order = np.argsort(-seen_score, axis=-1)[..., :longest]
        score = np.take_along_axis(seen_score, order, axis=-1)

        kept = np.arange(longest) < length[..., None]
        position = np.broadcast_to(np.arange(longest), kept.shape)[kept]
        rank, score = tie_items(score[kept], position, tie_probability, tie_random)
        item_blocks.append(order[kept])
        rank_blocks.append(rank)
        score_blocks.append(score)

    queries, voters, items = number_names("q", n_queries), number_names("v", n_voters), number_names("i", n_items)
    lists = pd.DataFrame(
        {
            "query": queries.repeat(lengths.sum(axis=1)),
            "voter": voters.take(np.repeat(np.tile(np.arange(n_voters), n_queries), lengths.ravel())),
            "item": items.take(np.concatenate(item_blocks)),
            "rank": np.concatenate(rank_blocks).astype(np.int64),
            "score": np.concatenate(score_blocks),
        }
    )

    n_relevant = max(1, round(relevant_share * n_items))
    place = np.argsort(np.argsort(-utility, axis=1), axis=1)
    grade = np.where(place < n_relevant, n_grades - place * n_grades // n_relevant, 0)
    pairs = {"query": queries.repeat(n_items), "item": items.take(np.tile(np.arange(n_items), n_queries))}
    qrels = pd.DataFrame({**pairs, "relevance": grade.ravel().astype(np.int64)})
    truth = Truth(
        voters=pd.DataFrame({"voter": voters, "quality": skill, "adversarial": adversarial}),
        utilities=pd.DataFrame({**pairs, "utility": utility.ravel()}),
    )
    return lists, qrels, truth
