"""What every aggregator inherits: checking, encoding, weights, tie classes, order of the result, frames.

A method adds a constructor and one hook over a pure function:

>>> import numpy as np
>>> from skrankagg.base import BaseAggregator
>>> class Popularity(BaseAggregator):
...     '''Rank items by the number of lists that hold them.'''
...     def _aggregate(self, lists):
...         return np.bincount(lists.candidate, minlength=lists.n_candidates).astype(float)
>>> import pandas as pd
>>> lists = pd.DataFrame({"query": "q", "voter": ["v", "v", "w"], "item": ["a", "b", "b"], "rank": [1, 2, 1]})
>>> Popularity().fit_transform(lists)
  query item  score  rank
0     q    b    2.0     1
1     q    a    1.0     2
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields

import numpy as np
import pandas as pd

from ._conflicts import check_scores
from ._exposure import warn_of_exposure
from ._fitted_rows import RemembersRows
from ._frames import first_row, plain_index, show_id
from ._grouped import expand, group_order, positions, starts_to_ptr
from ._lists import check_lists
from ._sklearn import BaseEstimator, Tags, TransformerMixin, accept_lists
from ._voter_names import near_voters, type_hint, unmatched, warn_of_misspelt_names

__all__ = [
    "TIE_TOLERANCE",
    "AggregatorTags",
    "BaseAggregator",
    "Consensus",
    "EncodedConsensus",
    "order_candidates",
    "rank_scores",
    "voter_values",
]

#: Scores of a query within this share of its largest |score| are one tie class: rounding never decides.
TIE_TOLERANCE = 1e-12

_SILENT_VOTERS = "Give those a weight, or 0 to silence them; their items stay among those ranked."

VOTER_WEIGHTS = {"voter_weights": [Mapping, pd.Series, None]}


@dataclass(slots=True)
class AggregatorTags:
    """What an aggregator needs and promises; the common checks ask it, and never the class's name.

    They are ``estimator.__sklearn_tags__().aggregator_tags``, where a subclass sets those that differ.

    Parameters
    ----------
    needs_scores : bool, default=False
        Whether it reads the scores: it refuses lists of ranks only, and lists whose scores contradict their ranks.
    voter_weights : bool, default=True
        Whether it can weigh lists; else weights other than 1 are refused.
    integer_weights : bool, default=False
        Whether it can weigh lists by whole numbers only, a list of weight w being w lists.
    unanimity : bool, default=True
        Whether an item that every list ranks above another is above it in the consensus.
    condorcet_winner : bool, default=False
        Whether an item that beats every other one by a majority comes first.
    neutral : bool, default=True
        Whether the items' names decide no more than the order of tied ones; a method that returns one of several best
        orders, or draws at random, may return another one under other names.
    supervised : bool, default=False
        Whether it learns from judgements. The :class:`~skrankagg.Comparator` measures methods on the queries that it
        fits them on, and refuses those that do, also within pipelines, searches and other aggregators.
    absent_below : bool, default=True
        Whether it takes a list to rank the items that it holds above those that it does not, so that of items that no
        list compares those come first that more lists hold. On paired comparisons it then warns, see
        :class:`~skrankagg.exceptions.ExposureWarning`.

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
    unanimity: bool = True
    condorcet_winner: bool = False
    neutral: bool = True
    supervised: bool = False
    absent_below: bool = True


@dataclass(slots=True)
class _Tags(Tags):
    aggregator_tags: AggregatorTags = field(default_factory=AggregatorTags)


@dataclass
class Consensus:
    """What a method returns where a score for each candidate does not say all.

    A method that has no more to say returns the array of scores itself.

    Parameters
    ----------
    score : ndarray of shape (n_candidates,), dtype=float64
        Consensus score of each candidate, higher is better.
    columns : dict of str to ndarray of shape (n_candidates,), optional
        More columns of the result, named in the attribute ``_result_columns``.
    queries : dict of str to ndarray of shape (n_queries,), optional
        What there is to know of each query, named in the class attribute ``_query_columns``.

    See Also
    --------
    BaseAggregator : Takes it from ``_aggregate``.

    Examples
    --------
    >>> import numpy as np
    >>> import pandas as pd
    >>> from skrankagg.base import BaseAggregator, Consensus
    >>> class Popularity(BaseAggregator):
    ...     '''Rank items by the weight of the lists that hold them, and show their best rank.'''
    ...     _result_columns = ("best",)
    ...     def _aggregate(self, lists):
    ...         best = np.full(lists.n_candidates, np.inf)
    ...         np.minimum.at(best, lists.candidate, lists.rank)
    ...         return Consensus(lists.candidate_weight, columns={"best": best})
    >>> lists = pd.DataFrame({"query": "q", "voter": ["v", "v", "w"], "item": ["a", "b", "b"], "rank": [1, 2, 2]})
    >>> Popularity().fit_transform(lists)
      query item  score  rank  best
    0     q    b    2.0     1   1.0
    1     q    a    1.0     2   1.0
    """

    score: np.ndarray
    columns: dict = field(default_factory=dict)
    queries: dict = field(default_factory=dict)


@dataclass
class EncodedConsensus:
    """A consensus in its published order, still encoded.

    Measures read its codes; a frame is made of it where somebody asks for one.

    Parameters
    ----------
    lists : RankedLists
        What was aggregated.
    order : ndarray of shape (n_candidates,), dtype=int64
        Candidates, query by query, best first.
    score : ndarray of shape (n_candidates,), dtype=float64
        Their scores in this order, one for each tie class.
    columns : dict of str to ndarray of shape (n_candidates,)
        More columns, in this order.
    queries : dict of str to ndarray of shape (n_queries,)
        What there is to know of each query.

    See Also
    --------
    order_candidates : Finds the order.

    Examples
    --------
    >>> import numpy as np
    >>> import pandas as pd
    >>> from skrankagg import RankedLists
    >>> from skrankagg.base import EncodedConsensus, order_candidates
    >>> frame = pd.DataFrame({"query": "q", "voter": ["v", "v", "w"], "item": ["a", "b", "b"], "rank": [1, 2, 1]})
    >>> lists = RankedLists.from_frame(frame)
    >>> EncodedConsensus(lists, *order_candidates(lists, np.array([1.0, 5.0]))).to_frame()
      query item  score  rank
    0     q    b    5.0     1
    1     q    a    1.0     2
    """

    lists: object
    order: np.ndarray
    score: np.ndarray
    columns: dict = field(default_factory=dict)
    queries: dict = field(default_factory=dict)

    def to_frame(self):
        """Write the consensus as a frame.

        Returns
        -------
        pandas.DataFrame
            Columns `query`, `item`, `score`, `rank` and the method's own.
        """
        lists = self.lists
        return pd.DataFrame(
            {
                "query": lists.queries.take(lists.candidate_query),
                "item": lists.items.take(lists.candidate_item[self.order]),
                "score": self.score,
                "rank": positions(lists.candidate_ptr),
                **self.columns,
            }
        )

    def info_frame(self):
        """Write what there is to know of each query as a frame.

        Returns
        -------
        pandas.DataFrame
            A row for each query.
        """
        return pd.DataFrame({"query": self.lists.queries, **self.queries})


def order_candidates(lists, score):
    """Put the candidates of each query in order: by score, by the weight of the lists that hold the item, by item.

    Parameters
    ----------
    lists : RankedLists
        What was aggregated.
    score : ndarray of shape (n_candidates,), dtype=float64
        Higher is better, not NaN.

    Returns
    -------
    order : ndarray of shape (n_candidates,), dtype=int64
        Candidates, query by query, best first.
    score : ndarray of shape (n_candidates,), dtype=float64
        Scores in this order; neighbours closer than ``TIE_TOLERANCE`` times the query's largest absolute score are
        one tie class and have one score, the highest of them.

    See Also
    --------
    rank_scores : For scores that do not belong to ranked lists.
    EncodedConsensus : Makes a frame of the order.

    Examples
    --------
    Two items tie; more lists hold the second one:

    >>> import numpy as np
    >>> import pandas as pd
    >>> from skrankagg import RankedLists
    >>> from skrankagg.base import order_candidates
    >>> frame = pd.DataFrame({"query": "q", "voter": ["v", "v", "w"], "item": ["a", "b", "b"], "rank": [1, 2, 1]})
    >>> order_candidates(RankedLists.from_frame(frame), np.array([1.0, 1.0]))
    (array([1, 0]), array([1., 1.]))
    """
    total = lists.sum_over_lists(lists.list_weight)
    return rank_scores(lists.candidate_ptr, score, lists.candidate_weight, total)


def rank_scores(ptr, score, support, total):
    """Put the members of consecutive groups in order, as :func:`order_candidates` does the candidates of queries.

    Parameters
    ----------
    ptr : ndarray of shape (n_groups + 1,), dtype=int
        Members of each group, in the order that decides last.
    score, support : ndarray of shape (n_members,), dtype=float64
        Score, and what decides between equal scores; higher is better.
    total : ndarray of shape (n_groups,), dtype=float64
        Scale of the support, for the tolerance.

    Returns
    -------
    order : ndarray of shape (n_members,), dtype=int64
        Members, group by group, best first.
    score : ndarray of shape (n_members,), dtype=float64
        Scores in this order, one for each tie class.

    See Also
    --------
    order_candidates : For the candidates of ranked lists.

    Examples
    --------
    >>> import numpy as np
    >>> from skrankagg.base import rank_scores
    >>> rank_scores(np.array([0, 3]), np.array([1.0, 2.0, 2.0]), np.array([1.0, 1.0, 2.0]), np.array([2.0]))
    (array([2, 1, 0]), array([2., 2., 1.]))
    """
    member_group = expand(ptr)
    order = group_order(member_group, -score)
    score = score[order]
    heads = ptr[:-1]
    size = np.abs(score)
    size[np.isinf(size)] = 0.0
    largest = np.maximum.reduceat(size, heads)
    new_group = np.zeros(len(score), dtype=bool)
    new_group[heads] = True
    class_start = _class_starts(score, new_group, largest[member_group])
    if class_start.all():
        return order, score
    class_ptr = starts_to_ptr(class_start)
    length = np.diff(class_ptr)
    score = np.repeat(score[class_ptr[:-1]], length)
    tied = np.flatnonzero(np.repeat(length > 1, length))
    group = np.cumsum(class_start)[tied]
    member = order[tied]
    by_support = np.lexsort((-support[member], group))
    member = member[by_support]
    new_class = np.diff(group, prepend=-1) != 0
    support_class = np.cumsum(_class_starts(support[member], new_class, total[member_group[member]]))
    order[tied] = member[np.lexsort((member, support_class))]
    return order, score


def _class_starts(value, start, scale):
    # Where a new class of equal values starts in descending values: at a start, and where rounding cannot explain a
    # gap.
    starts = start.copy()
    with np.errstate(invalid="ignore"):  # infinity less infinity: equal, not apart
        starts[1:] |= (value[:-1] - value[1:] > TIE_TOLERANCE * scale[1:]) & (value[:-1] != value[1:])
    return starts


def voter_values(lists, given, name, advice):
    """Look up what a parameter gives each voter.

    Parameters
    ----------
    lists : RankedLists
        Lists whose voters are looked up.
    given : mapping or pandas.Series of voter to float
        The parameter.
    name : str
        Its name.
    advice : str
        What to do about voters that it does not hold.

    Returns
    -------
    ndarray of shape (n_voters,), dtype=float64
        0 for voters that have no list here.

    Raises
    ------
    ValueError
        If a voter that has a list is missing, or one has two values.

    See Also
    --------
    skrankagg.aggregators.DIBRA : Learns a weight for each voter instead.

    Examples
    --------
    >>> import pandas as pd
    >>> from skrankagg import RankedLists
    >>> from skrankagg.base import voter_values
    >>> frame = pd.DataFrame({"query": "q", "voter": ["v", "w"], "item": ["a", "b"], "rank": [1, 1]})
    >>> voter_values(RankedLists.from_frame(frame), {"w": 2.0, "v": 0.5}, "voter_weights", "Give those a weight.")
    array([0.5, 2. ])
    """
    given = pd.Series(given, dtype=np.float64)
    if given.index.has_duplicates:
        twice = show_id(given.index, first_row(given.index.duplicated()))
        raise ValueError(f"{name} must hold one value for each voter; it holds several for {twice}. Drop all but one.")
    place = plain_index(given.index).get_indexer(plain_index(lists.voters))
    voting = np.zeros(lists.n_voters, dtype=bool)
    voting[lists.list_voter] = True
    unknown = voting & (place < 0)
    if unknown.any():
        raise ValueError(
            f"{name} must hold a value for every voter; {int(unknown.sum())} have none, the first is "
            f"{show_id(lists.voters, first_row(unknown))}{_near_miss(lists, given.index, unknown)}. {advice}"
        )
    return np.where(voting, given.to_numpy()[place], 0.0)


def _near_miss(lists, names, unknown):
    # A name that no list has may be the voter's, misspelt or of another type.
    if unknown.all() and len(names):
        return type_hint(names, lists.voters, known_as="the names", given_as="the voters")
    spare = names[unmatched(names, lists.voters)].tolist()
    near = near_voters(lists.voters[[first_row(unknown)]].tolist(), spare)
    return f" (the name {near[0][1]!r} has no list: is it meant?)" if near else ""


class BaseAggregator(RemembersRows, TransformerMixin, BaseEstimator):
    """Base of all aggregators: ranked lists in, one consensus for each query out.

    A subclass defines ``_aggregate(lists)``, which takes :class:`~skrankagg.RankedLists` and returns the score of each
    candidate, a (query, item), as float64 of shape (n_candidates,), higher is better, or a :class:`Consensus`. It
    declares its parameters in ``_parameter_constraints`` and what it needs and promises in ``__sklearn_tags__``.
    Everything else is here.

    See Also
    --------
    skrankagg.preprocessing.ListTransformer : Lists in, lists out.
    skrankagg.utils.estimator_checks.check_aggregator : Checks a method of yours.

    Examples
    --------
    >>> import numpy as np
    >>> import pandas as pd
    >>> from skrankagg.base import BaseAggregator
    >>> class Plurality(BaseAggregator):
    ...     '''Rank items by the weight of the lists that put them first.'''
    ...     def _aggregate(self, lists):
    ...         first = lists.list_weight[lists.row_list] * (lists.rank == 1)
    ...         return np.bincount(lists.candidate, weights=first, minlength=lists.n_candidates)
    >>> lists = pd.DataFrame({"query": "q", "voter": ["u", "v", "v", "w"], "item": list("abab"), "rank": [1, 1, 2, 1]})
    >>> Plurality().fit_transform(lists)
      query item  score  rank
    0     q    b    2.0     1
    1     q    a    1.0     2
    """

    _parameter_constraints: dict = {}
    #: Columns that the method adds to the result; a property where they depend on the parameters.
    _result_columns = ()
    #: Columns of ``query_info_``.
    _query_columns = ()
    #: What to do about lists without scores, for the message.
    _scores_hint = "add a column 'score'"

    def fit(self, X, y=None):
        """Check the lists; methods that learn voter weights learn them here.

        Parameters
        ----------
        X : DataFrame or RankedLists of n_queries queries
            Ranked lists.
        y : None
            Ignored, for scikit-learn's sake.

        Returns
        -------
        self : object
            The aggregator itself.
        """
        lists = self._begin(X)
        self._fit_lists(lists)
        self._remember_rows(X, lists)
        return self

    def fit_transform(self, X, y=None):
        """Fit and aggregate the same lists, encoded once.

        Parameters
        ----------
        X : DataFrame or RankedLists of n_queries queries
            Ranked lists.
        y : None
            Ignored.

        Returns
        -------
        DataFrame
            The consensus, see :meth:`transform`.
        """
        ranked = self._fit_rank(X)
        self._remember_rows(X, ranked.lists)
        return ranked.to_frame()

    def transform(self, X):
        """Aggregate the lists of each query.

        Parameters
        ----------
        X : DataFrame or RankedLists of n_queries queries
            Ranked lists.

        Returns
        -------
        DataFrame
            Columns `query`, `item`, `score` (higher is better), `rank` (1 to n, without repeats) and the method's own,
            query by query in the order of the lists, which sort the queries of a frame, each sorted by rank. Items that
            the method ties have equal scores.

        Warns
        -----
        ExposureWarning
            Once a call, if the method ranks the items that a list holds above those that it does not (the tag
            ``absent_below``) and most lists of a query are paired comparisons.
        """
        return self._rank(self._begin(X)).to_frame()

    def aggregate(self, X):
        """Aggregate, and tell what there is to know of each query.

        Parameters
        ----------
        X : DataFrame or RankedLists of n_queries queries
            Ranked lists.

        Returns
        -------
        consensus : pandas.DataFrame
            See :meth:`transform`.
        info : pandas.DataFrame
            A row for each query, with the columns of ``query_info_``.
        """
        ranked = self._rank(self._begin(X))
        return ranked.to_frame(), ranked.info_frame()

    def get_feature_names_out(self, input_features=None):
        """Columns of the consensus.

        Parameters
        ----------
        input_features : None
            Ignored.

        Returns
        -------
        ndarray of str objects
            Names, in their order.
        """
        return np.array(["query", "item", "score", "rank", *self._result_columns], dtype=object)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags = _Tags(**{field.name: getattr(tags, field.name) for field in fields(tags)})
        accept_lists(tags)
        tags.target_tags.required = False
        tags.requires_fit = False
        return tags

    # ------------------------------------------------------------------ the ceremony

    def _aggregate(self, lists):
        raise NotImplementedError(f"{type(self).__name__} must define _aggregate(lists).")

    def _repeat(self, lists):
        """Prepare for aggregating the same lists under many weights.

        Returns a function of list weights, of shape (n_lists,), that returns the scores of the candidates.
        """

        def score(weight):
            consensus = self._aggregate(lists.with_list_weight(weight))
            return consensus.score if isinstance(consensus, Consensus) else consensus

        return score

    def _begin(self, X):
        """Prepare the lists of a call, and warn once of lists that the method should not get.

        A method within a method is given its lists by ``_prepare`` alone, and leaves the warning to the outer one.
        """
        lists = self._prepare(X)
        if self.__sklearn_tags__().aggregator_tags.absent_below:
            warn_of_exposure(lists, type(self).__name__)
        return lists

    def _prepare(self, X):
        """Check the parameters and the lists, encode them, and apply the voters' weights."""
        self._validate_params()
        lists = check_lists(X)
        tags = self.__sklearn_tags__().aggregator_tags
        if getattr(self, "voter_weights", None) is not None:
            lists = lists.with_list_weight(lists.list_weight * self._given_weights(lists)[lists.list_voter])
            warn_of_misspelt_names(self.voter_weights, lists.voters, "voter_weights")
        if lists.is_weighted and not tags.voter_weights:
            raise ValueError(
                f"{type(self).__name__} cannot weigh lists, and some weight is not 1; drop the column 'weight' or "
                "choose a method that can."
            )
        if tags.integer_weights and (lists.list_weight % 1 != 0).any():
            weight = lists.list_weight[first_row(lists.list_weight % 1 != 0)]
            raise ValueError(
                f"{type(self).__name__} counts a list of weight w as w lists, so weights must be whole numbers; some "
                f"weight is {weight:g}. Multiply the weights to make them whole, or choose another method."
            )
        if tags.needs_scores:
            check_scores(lists, repr(self), self._scores_hint)
        return lists

    def _given_weights(self, lists):
        weight = voter_values(lists, self.voter_weights, "voter_weights", _SILENT_VOTERS)
        bad = ~(np.isfinite(weight) & (weight >= 0))
        if bad.any():
            voter = first_row(bad)
            raise ValueError(
                f"voter_weights must be finite and at least 0; that of {show_id(lists.voters, voter)} is "
                f"{weight[voter]:g}."
            )
        return weight

    def _fit_rank(self, X):
        """Fit and aggregate without leaving the codes; returns :class:`EncodedConsensus`."""
        lists = self._begin(X)
        return self._fit_lists(lists) or self._rank(lists)

    def _fit_lists(self, lists):
        """Learn from prepared lists; returns their consensus if learning made it, else None."""
        return self._fit_info(lists)

    def _fit_info(self, lists):
        if not self._query_columns:
            return None
        ranked = self._rank(lists)
        self.query_info_ = ranked.info_frame()
        return ranked

    def _rank(self, lists):
        """Aggregate prepared lists and put the result in order."""
        return self._publish(lists, self._aggregate(lists))

    def _publish(self, lists, consensus):
        """Put what the hook returned in order."""
        if not isinstance(consensus, Consensus):
            consensus = Consensus(consensus)
        score = np.asarray(consensus.score, dtype=np.float64)
        if score.shape != (lists.n_candidates,) or np.isnan(score).any():
            raise ValueError(
                f"{type(self).__name__}._aggregate must return a score for each of {lists.n_candidates} candidates, "
                f"none of them NaN; got an array of shape {score.shape} with {int(np.isnan(score).sum())} NaN."
            )
        order, score = order_candidates(lists, score)
        columns = {name: np.asarray(consensus.columns[name])[order] for name in self._result_columns}
        return EncodedConsensus(
            lists, order, score, columns, {name: consensus.queries[name] for name in self._query_columns}
        )
