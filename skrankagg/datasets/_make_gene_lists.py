"""Generator of gene lists as in publications: the lists are noisy, often unordered, and of very different lengths."""

import math
from typing import Literal, NamedTuple

import numpy as np
import pandas as pd
from sklearn.utils import check_random_state

from .._support._checks import check_choice, check_number
from ..exceptions import InputError
from ._generators import number_names, read_numbers

__all__ = ["make_gene_lists"]

Preset = Literal["large-mixed", "large-ranked", "small-mixed", "small-ranked"]


class GeneTruth(NamedTuple):
    """Parameters from which the lists were drawn, as two frames: `voters` has a row for each list, with its noise.

    `items` has a row for each relevant item, with its place in the true order and its mean.
    """

    voters: pd.DataFrame
    items: pd.DataFrame


# For ranked and for unranked lists: their number, and the mean and standard deviation of the logarithm of their length.
# Wang et al. fitted these values to studies of SARS-CoV-2 (large), and to studies of macrophages and lung cancer
# (small).
_PRESETS = {
    "large": (11, 21, (5.359720497751178, 1.805483212303656), (3.4364817135049583, 1.6937186948927982)),
    "small": (5, 5, (7.414072687219903, 1.8634137719951522), (2.9905276829178913, 1.3389579490910093)),
}


def _true_means(n_true):
    """Compute the true mean of each relevant item, best first, as an array of shape (n_true,).

    In each list, an item is observed as its mean plus noise. The list contains the items with the highest observations.
    """
    curve = 0.1405463 * np.exp(-0.00990575 * np.arange(1, n_true + 1)) + 0.06253942
    return 2 * curve / curve[0]


def _log_length(name, value):
    if np.shape(value) != (2,):
        raise InputError(
            f"`{name}` must be a pair (mean, standard deviation) that describes the logarithms of the lengths; got "
            f"{value!r}."
        )
    mean, deviation = read_numbers(name, value)
    if deviation < 0:
        raise InputError(f"The standard deviation in `{name}` must be at least 0; got {float(deviation)!r}.")
    return mean, deviation


def make_gene_lists(
    n_queries: int = 1,
    *,
    preset: Preset = "large-mixed",
    noise: float = 3.0,
    heterogeneity: float = 1.0,
    n_items: int = 20_000,
    n_true: int = 1000,
    n_top: int = 100,
    n_ranked: int | None = None,
    n_unranked: int | None = None,
    ranked_length: tuple[float, float] | None = None,
    unranked_length: tuple[float, float] | None = None,
    absent_share: float = 0.0,
    random_state: int | np.random.RandomState | None = None,
) -> tuple[pd.DataFrame, pd.DataFrame, GeneTruth]:
    r"""Generate ranked and unranked lists of genes that imitate several studies of one question.

    Only a few of many items matter. The lists are noisy and of very different lengths. Unranked lists contain items
    without an order. Wang et al. used this simulation to compare methods for genomics.

    Parameters
    ----------
    n_queries : int, default=1
        Number of queries. Each query repeats the simulation with other lists, noise and true items.
    preset : {"large-mixed", "large-ranked", "small-mixed", "small-ranked"}, default="large-mixed"
        Number and lengths of the lists. "large" has 11 ranked lists, and "mixed" adds 21 unranked lists. "small" has 5
        longer ranked lists, and "mixed" adds 5 unranked lists. See Notes.
    noise : float, default=3.0
        Median noise of a list, above 0. A list observes the value of each item with random errors, and the noise is the
        standard deviation of these errors. For comparison, the true values are between 0 and 2.
    heterogeneity : float, default=1.0
        Variance of the logarithm of the noise; 0 makes all lists equally good.
    n_items : int, default=20000
        Number of all items; each list contains some of these items.
    n_true : int, default=1000
        Number of true items, which are relevant to the question; all other items have mean 0.
    n_top : int, default=100
        Number of the best true items, which have relevance 2; the other true items have relevance 1.
    n_ranked : int or None, default=None
        Number of ranked lists of each query; None uses the preset's number.
    n_unranked : int or None, default=None
        Number of unranked lists of each query; None uses the preset's number.
    ranked_length : pair of float or None, default=None
        Mean and standard deviation of the logarithm of the length of ranked lists; None uses the preset's values.
    unranked_length : pair of float or None, default=None
        Mean and standard deviation of the logarithm of the length of unranked lists; None uses the preset's values.
    absent_share : float, default=0.0
        Share, from 0 to 1, of unmeasured items among the items that are not in a list. The study of the list did not
        measure these items. They are drawn at random for each list.
    random_state : int, RandomState instance or None, default=None
        Source of randomness; an int gives the same data on every call.

    Returns
    -------
    lists : DataFrame
        Columns query, voter, item (str) and rank (int64, 1 = best). All items of an unranked list tie at rank 1. Rows
        are ordered by query, voter, rank and item.
    qrels : DataFrame of shape (n_queries * n_true, 3)
        Columns query, item (str) and relevance (int64). The first `n_top` true items have relevance 2, and the other
        true items have relevance 1. Rows are ordered by query and item.
    truth : named tuple of voters and items
        ``truth.voters`` is a frame with query, voter, ranked (bool), length and noise.
        ``truth.items`` is a frame of the true items with query, item, place (from 1) and mean, in the order of the
        qrels.

    Raises
    ------
    ValueError
        If a parameter is outside its range, or there are no lists.

    See Also
    --------
    make_ranked_lists : Generates lists by voters who see all items.
    skrankagg.aggregators.MAIC : Weighs lists of genes by their common items.
    skrankagg.aggregators.RankStatistic : Ranks by means and other statistics of ranks.
    skrankagg.aggregators.RobustRankAggregation : Finds ranks that are unlikely by chance, with p-values.

    Notes
    -----
    List v observes the value of item k as [1]_

    .. math::
        Z_{vk} \sim N(\mu_k, \sigma_v^2), \quad \ln \sigma_v \sim N(\ln \mathtt{noise}, \mathtt{heterogeneity}), \quad
        \mu_k = 2 y_k / y_1, \quad y_k = .1405463\, e^{-.00990575 k} + .06253942,

    for true items; for other items, :math:`\mu = 0`. The list contains the :math:`\lfloor e^L + 2 \rfloor` items of the
    highest observations, or all items if there are fewer. The number L has a normal distribution. With the "large"
    presets, L has mean 5.36 and standard deviation 1.81 for ranked lists, so the median length is 214 items. For
    unranked lists, the mean is 3.44, the standard deviation 1.69 and the median length 33. These values were fitted to
    studies of SARS-CoV-2. With the "small" presets, the three values are 7.41, 1.86 and 1661 for ranked lists, and
    2.99, 1.34 and 21 for unranked lists. These values were fitted to studies of macrophages and lung cancer. The second
    parameter of a normal distribution is used as in the authors' program. It is the variance for :math:`\ln \sigma`,
    but the standard deviation for L. The authors call the four presets 0m, 0r, 1m and 1r.

    With :math:`C =` ``n_top``, the measure ``p(rel=2)@C`` is the authors' top-C accuracy: the fraction of a method's
    first C items that are among the C best true items. With :math:`C =` ``n_true``, ``p@C`` is this accuracy for all
    true items.

    The measured items of a list of length l are :math:`l + \lceil (1 - a) (n - l) \rceil` random items of all n items,
    where :math:`a` is `absent_share`. The list contains the l measured items with the highest observations.

    Ranked lists are named r01, r02, ..., unranked lists u01, ..., queries q1, ... and items g00001, ..., with as many
    digits as needed. Names are assigned to items at random in each query, so if ties are broken by name, no item has an
    advantage.

    A larger number of queries leaves the first queries unchanged. With the same `random_state`, a "ranked" preset has
    the same ranked lists as the "mixed" preset. `noise` and `heterogeneity` change neither the lengths nor the random
    numbers from which the noise is computed. Most of the computing time is spent on drawing a normal number for each
    item and list.

    References
    ----------
    .. [1] B. Wang et al., "Systematic comparison of ranking aggregation methods for gene lists in experimental
       results", Bioinformatics 38, 2022.

    Examples
    --------
    >>> from skrankagg import RankStatistic
    >>> from skrankagg.datasets import make_gene_lists
    >>> from skrankagg.metrics import evaluate
    >>> lists, qrels, _ = make_gene_lists(2, preset="small-ranked", noise=1, random_state=0)
    >>> consensus = RankStatistic(statistic="geometric-mean",
    ...     n_items=20_000).fit_transform(lists)
    >>> evaluate(consensus, qrels, ["p(rel=2)@100", "p@1000"]).round(2)
         p(rel=2)@100  p@1000
    run
    run          0.55     0.4
    """
    check_choice("preset", preset, ("large-mixed", "large-ranked", "small-mixed", "small-ranked"))
    size, _, kind = preset.partition("-")
    of_ranked, of_unranked, ranked_default, unranked_default = _PRESETS[size]
    n_ranked = of_ranked if n_ranked is None else n_ranked
    n_unranked = (of_unranked if kind == "mixed" else 0) if n_unranked is None else n_unranked
    for name, value, low, high in (
        ("n_queries", n_queries, 1, math.inf),
        ("n_items", n_items, 2, math.inf),
        ("n_true", n_true, 1, n_items),
        ("n_top", n_top, 0, n_true),
        ("n_ranked", n_ranked, 0, math.inf),
        ("n_unranked", n_unranked, 0, math.inf),
    ):
        check_number(name, value, low, high, whole=True)
    numbers = (
        ("noise", noise, math.inf),
        ("heterogeneity", heterogeneity, math.inf),
        ("absent_share", absent_share, 1),
    )
    for name, value, high in numbers:
        check_number(name, value, 0, high)
    if noise == 0:
        raise InputError(f"`noise` must be above 0; got {noise!r}.")
    if n_ranked + n_unranked == 0:
        raise InputError("`n_ranked` and `n_unranked` must give at least one list; got 0 and 0. Raise one of them.")
    ranked_length = _log_length("ranked_length", ranked_default if ranked_length is None else ranked_length)
    unranked_length = _log_length("unranked_length", unranked_default if unranked_length is None else unranked_length)

    # Each kind of draw, for each kind of list, has its own stream. Therefore an option does not change other draws, and
    # unranked lists do not change ranked lists.
    name_seed, *seeds = check_random_state(random_state).randint(2**31 - 1, size=9)
    name_random, *streams = map(np.random.RandomState, [name_seed, *seeds])
    ranked = _Kind(n_queries, n_ranked, n_items, ranked_length, noise, heterogeneity, streams[:4])
    unranked = _Kind(n_queries, n_unranked, n_items, unranked_length, noise, heterogeneity, streams[4:])
    mean = np.zeros(n_items)
    mean[:n_true] = _true_means(n_true)
    number = np.empty((n_queries, n_items), dtype=np.int64)  # the number in the name of each item
    found, rank = [], []
    for query in range(n_queries):
        number[query] = name_random.permutation(n_items)
        for order in ranked.lists(query, mean, absent_share):
            found.append(number[query, order])
            rank.append(np.arange(1, len(order) + 1))
        for order in unranked.lists(query, mean, absent_share):
            found.append(np.sort(number[query, order]))
            rank.append(np.ones(len(order), dtype=np.int64))

    queries, items = number_names("q", n_queries), number_names("g", n_items)
    voters = pd.Index([*number_names("r", n_ranked), *number_names("u", n_unranked)], dtype=str)
    n_lists = len(voters)
    truth_of_lists = pd.DataFrame(
        {
            "query": queries.repeat(n_lists),
            "voter": voters.take(np.tile(np.arange(n_lists), n_queries)),
            "ranked": np.tile(np.arange(n_lists) < n_ranked, n_queries),
            "length": np.concatenate([ranked.length, unranked.length], axis=1).ravel(),
            "noise": np.concatenate([ranked.noise, unranked.noise], axis=1).ravel(),
        }
    )
    row_list = np.repeat(np.arange(n_queries * n_lists), truth_of_lists["length"])
    lists = pd.DataFrame(
        {
            "query": queries.take(row_list // n_lists),
            "voter": voters.take(row_list % n_lists),
            "item": items.take(np.concatenate(found)),
            "rank": np.concatenate(rank),
        }
    )

    place = np.argsort(number[:, :n_true], axis=1)
    columns = {
        "query": queries.repeat(n_true),
        "item": items.take(np.take_along_axis(number, place, axis=1).ravel()),
    }
    qrels = pd.DataFrame({**columns, "relevance": np.where(place < n_top, 2, 1).ravel()})
    place = place.ravel()
    return lists, qrels, GeneTruth(truth_of_lists, pd.DataFrame({**columns, "place": place + 1, "mean": mean[place]}))


class _Kind:
    """Generator of random lists, used once for all ranked lists and once for all unranked lists.

    It draws the length of each list, the standard deviation of the noise in the list, and the items of the list.
    """

    def __init__(self, n_queries, n_lists, n_items, log_length, noise, heterogeneity, streams):
        length_random, noise_random, self._view_random, self._absent_random = streams
        log_mean, deviation = log_length
        with np.errstate(over="ignore"):  # the length is limited below
            length = np.exp(log_mean + deviation * length_random.standard_normal((n_queries, n_lists))) + 2
        self.length = np.minimum(length, n_items).astype(np.int64)
        self.noise = noise * np.exp(math.sqrt(heterogeneity) * noise_random.standard_normal((n_queries, n_lists)))

    def lists(self, query, mean, absent):
        """Yield the items of each list of a query, best first; this method must be called for the queries in order."""
        n_items = len(mean)
        # The lists are drawn one by one: each draw is much work, and lengths differ too much to partition all lists at
        # once.
        for length, noise in zip(self.length[query], self.noise[query], strict=True):
            seen = mean + noise * self._view_random.standard_normal(n_items)
            if absent:
                n_known = length + math.ceil((n_items - length) * (1 - absent))
                seen[self._absent_random.permutation(n_items)[n_known:]] = -np.inf
            first = np.argpartition(-seen, length - 1)[:length]
            yield first[np.argsort(-seen[first])]
