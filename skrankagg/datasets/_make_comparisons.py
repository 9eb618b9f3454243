"""Generator of paired comparisons from the Bradley-Terry model, with ties, unreliable voters and unequal exposure."""

from typing import Literal, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from sklearn.utils import check_random_state

from .._support._checks import check_choice, check_count, check_number, check_share
from ._generators import number_names, read_numbers

__all__ = ["make_comparisons"]


class Comparisons(NamedTuple):
    """Paired comparisons, and the parameters from which they were drawn: worths of items, reliabilities of voters."""

    comparisons: pd.DataFrame
    worth: pd.DataFrame
    voters: pd.DataFrame


def make_comparisons(
    n_items: int = 30,
    n_comparisons: int = 1000,
    *,
    worth: ArrayLike | None = None,
    spread: float = 1.0,
    n_voters: int = 1,
    reliability: ArrayLike | None = None,
    reliability_spread: float = 0.0,
    tie_probability: float = 0.0,
    exposure: Literal["equal", "unequal"] = "equal",
    n_queries: int = 1,
    random_state: int | np.random.RandomState | None = None,
) -> Comparisons:
    r"""Generate paired comparisons; the item of greater worth is more likely to win.

    Parameters
    ----------
    n_items : int, default=30
        Number of items, at least 2. If `worth` is given, its length is used instead.
    n_comparisons : int, default=1000
        Number of comparisons of each query.
    worth : array-like of shape (n_items,), default=None
        Worths of the items, above 0; they are the same in every query. With None, new worths are drawn for each query.
    spread : float, default=1.0
        Standard deviation of the logarithm of a drawn worth; 0 makes all items equally good.
    n_voters : int, default=1
        Number of voters. Each comparison is made by a random voter. If `reliability` is given, its length is used
        instead.
    reliability : array-like of shape (n_voters,), default=None
        Reliability of the voters in every query. A voter of reliability 1 follows the worths, a voter of reliability 0
        decides by chance, and a voter of negative reliability prefers the worse item. With None, the reliabilities are
        drawn at random.
    reliability_spread : float, default=0.0
        Standard deviation of the logarithm of a drawn reliability. The median of the reliability is 1.
    tie_probability : float, default=0.0
        Probability, below 1, that two items of equal worth tie. Items of different worth tie less often.
    exposure : {"equal", "unequal"}, default="equal"
        Distribution of the comparisons over the items. With "equal", all items are equally likely to be compared. With
        "unequal", some items are compared far more often than others, regardless of worth.
    n_queries : int, default=1
        Number of queries. Each query has new worths and exposures of the items. The voters are the same in all queries.
    random_state : int, RandomState instance or None, default=None
        Source of randomness; an int gives the same data on every call.

    Returns
    -------
    Comparisons
        A named tuple of three frames:

        - `comparisons`: Columns winner, loser (str), tie (bool) and judge (str), in the order of drawing.
          :meth:`RankedLists.from_comparisons <skrankagg.RankedLists.from_comparisons>` accepts this frame. With several
          queries, the first column is query (str). In a tie, winner and loser are in random order.
        - `worth`: Columns query, item and worth (float64), with all items, even if they were never compared. A single
          query is named q, as in from_comparisons.
        - `voters`: Columns judge and reliability (float64).

    Raises
    ------
    ValueError
        If a parameter is outside its range.

    See Also
    --------
    make_plackett_luce : Generates lists of more than two items by the items' worth.
    skrankagg.RankedLists.from_comparisons : Encodes comparisons.
    skrankagg.aggregators.PlackettLuce : Estimates the worths.

    Notes
    -----
    Let :math:`s_i = w_i^a`, where :math:`w_i` is the worth of item :math:`i` and :math:`a` is the reliability of the
    voter. The first formula is the probability that item :math:`i` wins against item :math:`j`. The second formula is
    the probability of a tie:

    .. math::
        \frac{s_i}{s_i + s_j + \nu \sqrt{s_i s_j}}, \qquad
        \frac{\nu \sqrt{s_i s_j}}{s_i + s_j + \nu \sqrt{s_i s_j}}, \qquad
        \nu = \frac{2 \cdot \mathtt{tie\_probability}}{1 - \mathtt{tie\_probability}}.

    This is Davidson's extension [2]_ of the model of Bradley and Terry [1]_. For ``tie_probability=0`` the two models
    are equal.

    The first item of a pair is drawn with a probability proportional to :math:`e^{x_i}`, and the second item is drawn
    in the same way from the other items. For unequal exposure, :math:`x_i` is standard normal and independent of the
    worth; otherwise it is 0. An item of low exposure may be in no comparison at all.

    Names are numbered with as many digits as needed: i01, i02, ... for items, v1, ... for voters, and q1, ... for
    several queries. Each kind of random draw has its own stream of random numbers, so ties and reliabilities change
    neither the pairs nor the worths.

    References
    ----------
    .. [1] R. A. Bradley and M. E. Terry, "Rank analysis of incomplete block designs I. The method of paired
       comparisons", Biometrika 39, 1952.
    .. [2] R. R. Davidson, "On extending the Bradley-Terry model to accommodate ties in paired comparison experiments",
       JASA 65, 1970.

    Examples
    --------
    >>> from skrankagg import RankedLists
    >>> from skrankagg.aggregators import PlackettLuce
    >>> from skrankagg.datasets import make_comparisons
    >>> games = make_comparisons(n_comparisons=500, worth=[1, 2, 4], tie_probability=0.2,
    ...     random_state=0)
    >>> lists = RankedLists.from_comparisons(games.comparisons, tie="tie")
    >>> PlackettLuce(absent="ignore").fit_transform(lists)["item"].tolist()
    ['i3', 'i2', 'i1']
    """
    if worth is not None:
        worth = read_numbers("worth", worth, positive=True)
        n_items = len(worth)
    if reliability is not None:
        reliability = read_numbers("reliability", reliability)
        n_voters = len(reliability)
    sizes = (
        ("n_items", n_items, 2),
        ("n_comparisons", n_comparisons, 1),
        ("n_voters", n_voters, 1),
        ("n_queries", n_queries, 1),
    )
    for name, value, least in sizes:
        check_count(name, value, least)
    for name, value in (("spread", spread), ("reliability_spread", reliability_spread)):
        check_number(name, value, 0)
    check_share("tie_probability", tie_probability, high=False)
    check_choice("exposure", exposure, ("equal", "unequal"))

    # Each kind of draw has its own stream, so that one option does not change the draws of another.
    seeds = check_random_state(random_state).randint(2**31 - 1, size=5)
    worth_random, exposure_random, pair_random, voter_random, outcome_random = map(np.random.RandomState, seeds)
    normal = worth_random.standard_normal((n_queries, n_items))
    log_worth = normal * spread if worth is None else np.tile(np.log(worth), (n_queries, 1))
    if reliability is None:
        reliability = np.exp(reliability_spread * voter_random.standard_normal(n_voters))
    log_exposure = exposure_random.standard_normal((n_queries, n_items)) * (exposure == "unequal")

    pairs = np.stack([_draw_pairs(np.exp(one), n_comparisons, pair_random) for one in log_exposure])
    voter = voter_random.randint(n_voters, size=(n_queries, n_comparisons))
    value = np.take_along_axis(log_worth[:, None], pairs, axis=2)
    # Half of the difference of the log-worths. The terms of the formula are divided by sqrt(s_i s_j).
    half = reliability[voter] * (value[..., 0] - value[..., 1]) / 2
    first, second = np.exp(half - abs(half)), np.exp(-half - abs(half))
    equal = 2 * tie_probability / (1 - tie_probability) * np.exp(-abs(half))
    luck = outcome_random.random_sample(half.shape) * (first + second + equal)
    tied = luck >= first + second
    swapped = (luck >= first) & ~tied
    winner, loser = np.where(swapped, pairs[..., 1], pairs[..., 0]), np.where(swapped, pairs[..., 0], pairs[..., 1])

    items, voters = number_names("i", n_items), number_names("v", n_voters)
    queries = pd.Index(["q"], dtype=str) if n_queries == 1 else number_names("q", n_queries)
    columns = {
        "winner": items.take(winner.ravel()),
        "loser": items.take(loser.ravel()),
        "tie": tied.ravel(),
        "judge": voters.take(voter.ravel()),
    }
    if n_queries > 1:
        columns = {"query": queries.repeat(n_comparisons), **columns}
    return Comparisons(
        comparisons=pd.DataFrame(columns),
        worth=pd.DataFrame(
            {
                "query": queries.repeat(n_items),
                "item": items.take(np.tile(np.arange(n_items), n_queries)),
                "worth": np.exp(log_worth).ravel(),
            }
        ),
        voters=pd.DataFrame({"judge": voters, "reliability": reliability}),
    )


def _draw_pairs(exposure, n_pairs, random):
    """Draw pairs of different items, as an array of item numbers of shape (n_pairs, 2).

    The array `exposure` contains a positive number for each item. An item is drawn with a probability proportional to
    its number.
    """
    bound = np.cumsum(exposure)

    def draw(n):
        # Because of rounding, a number may exceed the last bound. The last item is then drawn.
        return np.minimum(np.searchsorted(bound, random.random_sample(n) * bound[-1], "right"), len(bound) - 1)

    first, second = draw(n_pairs), draw(n_pairs)
    while len(again := np.flatnonzero(first == second)):
        second[again] = draw(len(again))
    return np.stack([first, second], axis=1)
