"""Tags that declare an aggregator's requirements and guarantees."""

from dataclasses import dataclass, field
from typing import Literal

from .._support._sklearn import Tags, keep_for_parameters

__all__ = ["AggregatorTags"]


@dataclass(slots=True)
class AggregatorTags:
    """Declare the requirements and guarantees of an aggregator, for checks that apply to all aggregators.

    The tags of an estimator are ``estimator.__sklearn_tags__().aggregator_tags``. The dict ``_tags`` of a method
    contains the tags that differ from the defaults. ``__sklearn_tags__`` sets the tags that depend on the parameters.

    Parameters
    ----------
    needs_scores : bool, default=False
        Whether the method uses the scores. If so, it refuses lists that have only ranks, and lists whose scores
        contradict their ranks.
    voter_weights : bool, default=True
        Whether the method accepts weights of lists; otherwise weights other than 1 are refused.
    integer_weights : bool, default=False
        Whether list weights must be integers, because a list of weight w counts as w lists.
    scale_free : bool, default=True
        Whether only the proportions of the weights matter. For example, if all list weights are multiplied by 3, the
        order and its ties stay the same. The tag is False if the method treats a larger total weight as more evidence.
    unanimity : bool, default=True
        Whether the consensus ranks item a above item b if every list ranks item a above item b.
    condorcet_winner : bool, default=False
        Whether an item that beats every other item by a majority comes first.
    neutral : bool, default=True
        Whether the names of the items decide only the order of tied items. If a method returns one of several best
        orders, or draws at random, the result may also depend on the names in other ways; the tag is then False.
    supervised : bool, default=False
        Whether the method learns from judgements. The :class:`~skrankagg.Comparator` evaluates such a method only on
        queries outside its training data, even if the method is inside a pipeline, a search or another aggregator.
    learns_weights : bool, default=False
        Whether ``fit`` learns the weights of the voters from the lists alone. The method then has the attribute
        ``voter_weights_``.
    absent_below : bool, default=True
        Whether the method assumes that a list ranks its items above all absent items. Then an item can come first
        merely because it is in more lists than another item, even if no list compares the two items. The method
        therefore warns about paired comparisons, see :class:`~skrankagg.exceptions.ExposureWarning`. For a method whose
        parameter `absent` is "ignore", the default of this tag is False.
    compares : {"last", "ignore"}, default=None
        Pairs of items that a list compares. With "last", a list compares its items with each other and with all absent
        items. With "ignore", it compares its items only with each other. If the lists do not connect all items of a
        query, the method warns, see :class:`~skrankagg.exceptions.NotComparedWarning`. The value is the method's
        parameter `absent`. Methods without this parameter have the value None and do not warn.
    lenient : {"absent", "absent_score", "norm"}, default=None
        Name of the parameter that determines how the method treats absent items. The tag is set only if the current
        value of this parameter does not rank absent items low, although another value would. With the current value,
        the method has lower quality on lists that were cut from longer rankings. It therefore warns about such lists,
        see :class:`~skrankagg.exceptions.PartialListsWarning`. Methods with the value None do not warn.
    ties_by_rank : bool, default=False
        Whether items of equal score are sorted by mean rank first, and only then by the number of lists that contain
        them. An absent item gets the mean of the ranks after the last item of the list. Methods whose scores often tie
        set this tag.
    smooth : bool, default=False
        Whether the scores are smooth functions of the weights of the lists. Sums are smooth, and so are the estimated
        strengths of items in a model. Ranks, medians and counts of majorities are not, because they can jump when a
        weight changes a little. ``rank_stability`` tests differences between scores only if the scores are smooth.

    See Also
    --------
    BaseAggregator : Sets these tags.
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
    smooth: bool = False


@dataclass(slots=True)
class TagsOfAggregator(Tags):
    """Scikit-learn's tags, extended by the tags of aggregators."""

    aggregator_tags: AggregatorTags = field(default_factory=AggregatorTags)


def tags_of(aggregator):
    """Return the tags of an aggregator. The caller must not change the returned tags."""
    return keep_for_parameters(aggregator, _read)


def checked_tags(aggregator):
    """Check the parameters of an aggregator, and return its tags. The caller must not change the returned tags."""
    return keep_for_parameters(aggregator, _check_and_read)


def _read(aggregator):
    return aggregator.__sklearn_tags__().aggregator_tags


def _check_and_read(aggregator):
    aggregator._validate_params()
    return _read(aggregator)
