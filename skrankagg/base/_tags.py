"""What an aggregator needs and promises, as tags."""

from dataclasses import dataclass, field
from typing import Literal

from .._support._sklearn import Tags

__all__ = ["AggregatorTags"]


@dataclass(slots=True)
class AggregatorTags:
    """What an aggregator needs and promises; the common checks ask it, and never the class's name.

    They are ``estimator.__sklearn_tags__().aggregator_tags``. A subclass declares those that differ in ``_tags``, and
    sets those that depend on its parameters in ``__sklearn_tags__``.

    Parameters
    ----------
    needs_scores : bool, default=False
        Whether it reads the scores: it refuses lists of ranks only, and lists whose scores contradict their ranks.
    voter_weights : bool, default=True
        Whether it can weigh lists; else weights other than 1 are refused.
    integer_weights : bool, default=False
        Whether it can weigh lists by whole numbers only, a list of weight w being w lists.
    scale_free : bool, default=True
        Whether only the proportions of the weights count, so that three times the weight of every list gives the same
        order with the same ties. Where more lists are more evidence, it is not so.
    unanimity : bool, default=True
        Whether an item that every list ranks above another is above it in the consensus.
    condorcet_winner : bool, default=False
        Whether an item that beats every other one by a majority comes first.
    neutral : bool, default=True
        Whether the items' names decide no more than the order of tied ones; a method that returns one of several best
        orders, or draws at random, may return another one under other names.
    supervised : bool, default=False
        Whether it learns from judgements. The :class:`~skrankagg.Comparator` measures such a method, also within
        pipelines, searches and other aggregators, on queries that it was not fitted on.
    learns_weights : bool, default=False
        Whether `fit` learns the weights of the voters from the lists alone: it then has ``voter_weights_``.
    absent_below : bool, default=True
        Whether it takes a list to rank the items that it holds above those that it does not, so that of items that no
        list compares those come first that more lists hold. On paired comparisons it then warns, see
        :class:`~skrankagg.exceptions.ExposureWarning`. Where the parameter `absent` is "ignore", the default is False.
    compares : {"last", "ignore"}, default=None
        Which items a list compares: those that it contains with all others ("last") or only with each other
        ("ignore"). Where no lists connect the items of a query, the method warns, see
        :class:`~skrankagg.exceptions.NotComparedWarning`. It is the method's parameter `absent`; None, for methods
        without one, means that they do not warn.
    ties_by_rank : bool, default=False
        Whether items of equal score are sorted by their mean ranks, an absent item having the mean of those that the
        list leaves over, before the number of lists that hold them decides: for methods that leave much tied.

    See Also
    --------
    BaseAggregator : Declares them.
    skrankagg.utils.estimator_checks.check_aggregator : Holds an aggregator to them.

    Examples
    --------
    >>> from skrankagg import Copeland
    >>> tags = Copeland().__sklearn_tags__().aggregator_tags
    >>> tags.condorcet_winner, tags.needs_scores
    (True, False)
    """

    needs_scores: bool = False
    voter_weights: bool = True
    integer_weights: bool = False
    scale_free: bool = True
    unanimity: bool = True
    condorcet_winner: bool = False
    neutral: bool = True
    supervised: bool = False
    learns_weights: bool = False
    absent_below: bool = True
    compares: Literal["last", "ignore"] | None = None
    ties_by_rank: bool = False


@dataclass(slots=True)
class TagsOfAggregator(Tags):
    """Scikit-learn's tags, and those of aggregators."""

    aggregator_tags: AggregatorTags = field(default_factory=AggregatorTags)
