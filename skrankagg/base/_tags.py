"""Tags that declare an aggregator's requirements and guarantees."""

from dataclasses import dataclass, field
from typing import Literal

from .._support._sklearn import Tags

__all__ = ["AggregatorTags"]


@dataclass(slots=True)
class AggregatorTags:
    """Declare an aggregator's requirements and guarantees; the common checks read them instead of class names.

    They are ``estimator.__sklearn_tags__().aggregator_tags``. A subclass declares the tags that differ from the
    defaults in ``_tags``, and sets the tags that depend on its parameters in ``__sklearn_tags__``.

    Parameters
    ----------
    needs_scores : bool, default=False
        Whether it reads the scores: it refuses lists of ranks only, and lists whose scores contradict their ranks.
    voter_weights : bool, default=True
        Whether it can weigh lists; otherwise weights other than 1 are refused.
    integer_weights : bool, default=False
        Whether it can weigh lists by whole numbers only: a list of weight w counts as w lists.
    scale_free : bool, default=True
        Whether only the proportions of the weights count, so that three times the weight of every list gives the same
        order with the same ties. Where more lists are more evidence, it is not so.
    unanimity : bool, default=True
        Whether the consensus ranks an item above another if every list does.
    condorcet_winner : bool, default=False
        Whether an item that beats every other one by a majority comes first.
    neutral : bool, default=True
        Whether the items' names decide only the order of tied items. A method that returns one of several best orders,
        or draws at random, may return another one under other names.
    supervised : bool, default=False
        Whether it learns from judgements. The :class:`~skrankagg.Comparator` measures such a method, also within
        pipelines, searches and other aggregators, on queries that it was not fitted on.
    learns_weights : bool, default=False
        Whether `fit` learns the weights of the voters from the lists alone: it then has ``voter_weights_``.
    absent_below : bool, default=True
        Whether it assumes that a list ranks its own items above all others. Of items that no list compares, those in
        more lists then come first. It warns about paired comparisons, see
        :class:`~skrankagg.exceptions.ExposureWarning`. Where the parameter `absent` is "ignore", the default is False.
    compares : {"last", "ignore"}, default=None
        Which items a list compares: its own items with all others ("last") or only with each other ("ignore"). If no
        lists connect the items of a query, the method warns, see :class:`~skrankagg.exceptions.NotComparedWarning`. The
        value is the method's parameter `absent`; methods without this parameter have None and do not warn.
    lenient : {"absent", "absent_score", "norm"}, default=None
        Parameter to change because the method gives absent items no low place, which costs quality on lists cut from
        longer rankings. It warns about such lists, see :class:`~skrankagg.exceptions.PartialListsWarning`. None means
        that it does not warn.
    ties_by_rank : bool, default=False
        Whether items of equal score are sorted by their mean ranks before the number of lists that contain them
        decides. An absent item gets the mean of the ranks that the list leaves over. Meant for methods that leave many
        ties.

    See Also
    --------
    BaseAggregator : Declares them.
    skrankagg.utils.estimator_checks.check_aggregator : Checks an aggregator against its tags.

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
    lenient: Literal["absent", "absent_score", "norm"] | None = None
    ties_by_rank: bool = False


@dataclass(slots=True)
class TagsOfAggregator(Tags):
    """Scikit-learn's tags, extended by the tags of aggregators."""

    aggregator_tags: AggregatorTags = field(default_factory=AggregatorTags)
