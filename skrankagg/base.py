"""What every aggregator inherits: checking, encoding, weights, tie classes, order of the result, frames.

A method adds a constructor and one hook over a pure function:

>>> import numpy as np
>>> from skrankagg.base import BaseAggregator
>>> class Popularity(BaseAggregator):
...     '''Rank items by the number of lists that hold them.'''
...     def _aggregate(self, lists):
...         return np.bincount(lists.pair, minlength=lists.n_pairs).astype(float)
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

from ._frames import first_row, plain_index, show_id
from ._grouped import expand, group_order, positions, starts_to_ptr
from ._lists import check_lists
from ._output import check_output
from ._sklearn import BaseEstimator, Tags, TransformerMixin, accept_lists

__all__ = [
    "TIE_TOLERANCE",
    "AggregatorTags",
    "BaseAggregator",
    "Consensus",
    "RankedPairs",
    "rank_pairs",
    "rank_scores",
    "voter_values",
]

#: Scores of a query within this share of its largest |score| are one tie class: rounding never decides.
TIE_TOLERANCE = 1e-12

VOTER_WEIGHTS = {"voter_weights": [Mapping, pd.Series, None]}


@dataclass(slots=True)
class AggregatorTags:
    """What an aggregator needs and promises; the common checks ask it, and never the class's name.

    They are ``estimator.__sklearn_tags__().aggregator_tags``, where a subclass sets those that differ.

    Parameters
    ----------
    needs_scores : bool, default=False
        Whether it refuses lists of ranks only.
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


@dataclass(slots=True)
class _Tags(Tags):
    aggregator_tags: AggregatorTags = field(default_factory=AggregatorTags)


@dataclass
class Consensus:
    """What a method returns where a score for each pair does not say all.

    A method that has no more to say returns the array of scores itself.

    Parameters
    ----------
    score : ndarray of shape (n_pairs,), dtype=float64
        Consensus score of each (query, item) pair, higher is better.
    columns : dict of str to ndarray of shape (n_pairs,), optional
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
    ...         best = np.full(lists.n_pairs, np.inf)
    ...         np.minimum.at(best, lists.pair, lists.rank)
    ...         return Consensus(lists.pair_weight, columns={"best": best})
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
class RankedPairs:
    """A consensus in its published order, still encoded.

    Measures read its codes; a frame is made of it where somebody asks for one.

    Parameters
    ----------
    lists : RankedLists
        What was aggregated.
    order : ndarray of shape (n_pairs,), dtype=int64
        Pairs, query by query, best first.
    score : ndarray of shape (n_pairs,), dtype=float64
        Their scores in this order, one for each tie class.
    columns : dict of str to ndarray of shape (n_pairs,)
        More columns, in this order.
    queries : dict of str to ndarray of shape (n_queries,)
        What there is to know of each query.

    See Also
    --------
    rank_pairs : Finds the order.

    Examples
    --------
    >>> import numpy as np
    >>> import pandas as pd
    >>> from skrankagg import RankedLists
    >>> from skrankagg.base import RankedPairs, rank_pairs
    >>> frame = pd.DataFrame({"query": "q", "voter": ["v", "v", "w"], "item": ["a", "b", "b"], "rank": [1, 2, 1]})
    >>> lists = RankedLists.from_frame(frame)
    >>> RankedPairs(lists, *rank_pairs(lists, np.array([1.0, 5.0]))).to_frame()
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
                "query": lists.queries.take(lists.pair_query),
                "item": lists.items.take(lists.pair_item[self.order]),
                "score": self.score,
                "rank": positions(lists.pair_ptr),
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


def rank_pairs(lists, score):
    """Put the pairs of each query in order: by score, then by the weight of the lists that hold the item, then by item.

    Parameters
    ----------
    lists : RankedLists
        What was aggregated.
    score : ndarray of shape (n_pairs,), dtype=float64
        Higher is better, not NaN.

    Returns
    -------
    order : ndarray of shape (n_pairs,), dtype=int64
        Pairs, query by query, best first.
    score : ndarray of shape (n_pairs,), dtype=float64
        Scores in this order; neighbours closer than ``TIE_TOLERANCE`` times the query's largest absolute score are
        one tie class and have one score, the highest of them.

    See Also
    --------
    rank_scores : For scores that do not belong to ranked lists.
    RankedPairs : Makes a frame of the order.

    Examples
    --------
    Two items tie; more lists hold the second one:

    >>> import numpy as np
    >>> import pandas as pd
    >>> from skrankagg import RankedLists
    >>> from skrankagg.base import rank_pairs
    >>> frame = pd.DataFrame({"query": "q", "voter": ["v", "v", "w"], "item": ["a", "b", "b"], "rank": [1, 2, 1]})
    >>> rank_pairs(RankedLists.from_frame(frame), np.array([1.0, 1.0]))
    (array([1, 0]), array([1., 1.]))
    """
    total = lists.sum_over_lists(lists.list_weight)
    return rank_scores(lists.pair_ptr, score, lists.pair_weight, total)


def rank_scores(ptr, score, support, total):
    """Put the members of consecutive groups in order, as :func:`rank_pairs` does the pairs of queries.

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
    rank_pairs : For the pairs of ranked lists.

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
        If a voter that has a list is missing.

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
    place = plain_index(given.index).get_indexer(plain_index(lists.voters))
    voting = np.zeros(lists.n_voters, dtype=bool)
    voting[lists.list_voter] = True
    unknown = voting & (place < 0)
    if unknown.any():
        raise ValueError(
            f"{name} must hold a value for every voter; {int(unknown.sum())} have none, the first is "
            f"{show_id(lists.voters, first_row(unknown))}. {advice}"
        )
    return np.where(voting, given.to_numpy()[place], 0.0)


class BaseAggregator(TransformerMixin, BaseEstimator):
    """Base of all aggregators: ranked lists in, one consensus for each query out.

    A subclass defines ``_aggregate(lists)``, which takes :class:`~skrankagg.RankedLists` and returns the score of each
    (query, item) pair as float64 of shape (n_pairs,), higher is better, or a :class:`Consensus`. It declares its
    parameters in ``_parameter_constraints`` and what it needs and promises in ``__sklearn_tags__``. Everything else is
    here.

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
    ...         return np.bincount(lists.pair, weights=first, minlength=lists.n_pairs)
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
        self._fit_lists(self._prepare(X))
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
        return self._fit_rank(X).to_frame()

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
        """
        return self._rank(self._prepare(X)).to_frame()

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
        ranked = self._rank(self._prepare(X))
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

        Returns a function of list weights, of shape (n_lists,), that returns the scores of the pairs.
        """

        def score(weight):
            consensus = self._aggregate(lists.with_list_weight(weight))
            return consensus.score if isinstance(consensus, Consensus) else consensus

        return score

    def _prepare(self, X):
        """Check the parameters and the lists, encode them, and apply the voters' weights."""
        self._validate_params()
        check_output(self, X)
        lists = check_lists(X)
        tags = self.__sklearn_tags__().aggregator_tags
        if tags.needs_scores and not lists.has_scores:
            raise ValueError(f"{self!r} needs scores and the lists have ranks only; {self._scores_hint}.")
        if getattr(self, "voter_weights", None) is not None:
            lists = lists.with_list_weight(lists.list_weight * self._given_weights(lists)[lists.list_voter])
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
        return lists

    def _given_weights(self, lists):
        weight = voter_values(lists, self.voter_weights, "voter_weights", "Give those a weight, 0 to leave them out.")
        bad = ~(np.isfinite(weight) & (weight >= 0))
        if bad.any():
            voter = first_row(bad)
            raise ValueError(
                f"voter_weights must be finite and at least 0; that of {show_id(lists.voters, voter)} is "
                f"{weight[voter]:g}."
            )
        return weight

    def _fit_rank(self, X):
        """Fit and aggregate without leaving the codes; returns :class:`RankedPairs`."""
        lists = self._prepare(X)
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
        if score.shape != (lists.n_pairs,) or np.isnan(score).any():
            raise ValueError(
                f"{type(self).__name__}._aggregate must return a score for each of the {lists.n_pairs} pairs, none "
                f"of them NaN; got an array of shape {score.shape} with {int(np.isnan(score).sum())} NaN."
            )
        order, score = rank_pairs(lists, score)
        columns = {name: np.asarray(consensus.columns[name])[order] for name in self._result_columns}
        return RankedPairs(
            lists, order, score, columns, {name: consensus.queries[name] for name in self._query_columns}
        )
