"""Base class of all aggregators: it checks and encodes lists, applies weights, orders the result and builds frames.

A method defines one hook, ``_aggregate``, which ``transform`` reaches through these calls::

    transform(X)
      encode_plain(X)                 Python dicts and lists become RankedLists        _data/_ranked_lists.py
      _begin(X)
        _prepare(X)                   check parameters, encode a frame, apply voter_weights
        _warn_of_lists(lists)         warn of lists that do not suit the method
        warn_of_cost(self, lists)     warn of a call of more than a minute                base/_cost.py
      _rank(lists)                    methods that learn weights first match them to the voters
        _aggregate_what_fits(lists)   refuse a query that does not fit into memory
          _aggregate(lists)           the formula: a score for each candidate
        _publish(lists, consensus)    check the scores, order the candidates, break ties    base/_consensus.py
      to_frame()                      ids instead of codes, in the caller's kind of frame   _data/_output.py

``fit_transform`` calls ``_fit_rank`` instead of ``_rank``. Further hooks estimate the memory that a call needs, repeat
an aggregation with other weights, and explain the scores.
"""

from contextlib import contextmanager
from dataclasses import fields
from typing import Any, Self

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from .._data._compared_items import warn_of_components, warn_of_paired_comparisons, warn_of_partial_lists
from .._data._conflicts import check_scores
from .._data._fitted_rows import RemembersRows
from .._data._frames import first_row, show_id
from .._data._output import check_output
from .._data._ranked_lists import RankedLists, check_lists, encode_plain
from .._data._types import AnyLists, PlainLists
from .._data._voter_names import warn_of_misspelt_names
from .._support._callbacks import fitting
from .._support._memory import check_memory
from .._support._sklearn import (
    BaseEstimator,
    CallbackSupport,
    TransformerMixin,
    accept_lists,
    keep_out_of_html,
)
from ..exceptions import InputError
from ._consensus import Consensus, Contributions, EncodedConsensus, QueryInfo, order_candidates, rank_sums
from ._cost import warn_of_cost
from ._tags import TagsOfAggregator, checked_tags, tags_of
from ._voter_weights import voter_values
from ._weight_range import check_range, check_sums

__all__ = ["BaseAggregator"]

_LINEAR_METHODS = (
    "choose a method whose time and memory are linear, such as BordaCount, ReciprocalRankFusion or RankBiasedCentroid"
)
_SILENT_VOTERS = "Give these voters a weight; weight 0 ignores a voter, but the items in its lists are still ranked."


class BaseAggregator(RemembersRows, CallbackSupport, TransformerMixin, BaseEstimator):
    """Base class of all aggregators, which combine the ranked lists of each query into one consensus.

    A subclass defines ``_aggregate(lists)``, where `lists` is :class:`~skrankagg.RankedLists`. This hook returns a
    :class:`Consensus`, or an array with the score of each candidate, float64 of shape (n_candidates,). A candidate is a
    pair of a query and an item, and higher scores are better.

    The subclass declares its parameters in ``_parameter_constraints``, and its requirements and guarantees in
    ``_tags``, such as ``{"unanimity": False}``. A tag that depends on the parameters is set in ``__sklearn_tags__``,
    which takes precedence over ``_tags``. If the method builds matrices of all pairs of items, the subclass sets
    ``_pair_bytes`` to the number of bytes for each ordered pair. The base class then refuses queries that are too large
    for memory. The base class does everything else.

    See Also
    --------
    skrankagg.base.ListTransformer : Base class of the steps that turn ranked lists into ranked lists.
    skrankagg.utils.estimator_checks.check_aggregator : Checks a new aggregator.

    Examples
    --------
    >>> import numpy as np
    >>> import pandas as pd
    >>> from skrankagg.base import BaseAggregator
    >>> class Plurality(BaseAggregator):
    ...     '''Rank items by the weight of the lists that put them first.'''
    ...     def _aggregate(self, lists):
    ...         first = lists.list_weight[lists.row_list] * (lists.rank == 1)
    ...         return np.bincount(lists.candidate, weights=first,
    ...             minlength=lists.n_candidates)
    >>> lists = pd.DataFrame({"query": "q", "voter": ["u", "v", "v", "w"],
    ...     "item": list("abab"), "rank": [1, 1, 2, 1]})
    >>> Plurality().fit_transform(lists)
      query item  score  rank
    0     q    b    2.0     1
    1     q    a    1.0     2
    """

    _parameter_constraints: dict = {}
    #: Tags that differ from the defaults of :class:`AggregatorTags`, whatever the parameters are. A subclass also
    #: inherits the tags of its parents.
    _tags: dict = {}
    #: Texts about the method for the tables of the user guide: the treatment of items absent from a list ("absent"),
    #: the treatment of items that tie in a list ("ties"), and the time for a query ("cost").
    _guide: dict = {}
    #: Notes for the tables of the user guide: the note of a tag names the parameter values that change the tag.
    _tag_notes: dict = {}
    #: Columns that the method adds to the result. If the columns depend on the parameters, this is a property.
    _result_columns: tuple[str, ...] = ()
    #: Columns of ``query_info_``.
    _query_columns: tuple[str, ...] = ()
    #: Peak memory of a query in bytes, for each ordered pair of items (`_pair_bytes`) and for each pair of a list and
    #: an item (`_cell_bytes`). Set at least the measured values, or 0 if memory is linear in the number of rows.
    _pair_bytes: float = 0.0
    _cell_bytes: float = 0.0
    #: Terms of the running time that are not linear in the number of rows: keys of ``TERMS`` in ``_cost.py``.
    _cost_terms: tuple[str, ...] = ()
    #: Parameters of variants that are not in ``_variants``, but have another running time, which is also measured.
    _cost_variants: tuple[dict[str, object], ...] = ()
    #: Lists with fewer rows never take a minute, so their cost is not estimated.
    _quick_rows: int = 4_000
    #: Whether the scores stay the same in every bit if the items are renumbered. An example is a sum that adds values
    #: in the order of the rows.
    _any_numbering: bool = False
    #: Whether the function that `_repeat` returns also accepts a matrix of weights, with a column for each replicate.
    _repeats_columns: bool = False
    #: Whether the scores of a query depend on the lists of other queries, which must then be aggregated together.
    _joins_queries: bool = False
    query_info_: QueryInfo = QueryInfo()
    #: Advice in the error message for lists without scores.
    _scores_hint = "add a column 'score'"

    def fit(self, X: AnyLists, y: object = None) -> Self:
        """Check the lists, and learn voter weights from them if the method learns weights.

        Parameters
        ----------
        X : DataFrame or RankedLists of n_queries queries, or dict of runs
            Ranked lists. A dict has the form of ``RankedLists.from_runs``.
        y : None
            Ignored; scikit-learn's pipelines pass it.

        Returns
        -------
        self : object
            The aggregator itself.

        Raises
        ------
        ValueError
            If the lists are malformed or do not suit the method, or if a parameter has a wrong value.
        TypeError
            If `X` is neither a frame nor lists.
        MemoryLimitError
            If a query needs more memory than is available.
        """
        X = encode_plain(X, sequences=False)
        lists = self._begin(X)
        with self._fit_or_restore(lists, y):
            self._fit_lists(lists)
            self._remember_rows(X, lists)
        return self

    def fit_transform(self, X: PlainLists, y: object = None) -> pd.DataFrame:
        """Fit the aggregator and aggregate the same lists, which are encoded only once.

        Parameters
        ----------
        X : DataFrame or RankedLists of n_queries queries, or dict or list of lists
            Ranked lists. A dict has the form of ``RankedLists.from_runs``, and a list has the form of
            ``RankedLists.from_lists``.
        y : None
            Ignored.

        Returns
        -------
        DataFrame
            The consensus, see :meth:`transform`.

        Raises
        ------
        ValueError
            If the lists are malformed or do not suit the method, or if a parameter has a wrong value.
        TypeError
            If `X` is neither a frame nor lists.
        MemoryLimitError
            If a query needs more memory than is available.
        """
        X = encode_plain(X)
        with self._fit_or_restore(X, y):
            ranked = self._fit_rank(X)
            self._remember_rows(X, ranked.lists)
        return ranked.to_frame()

    def transform(self, X: PlainLists) -> pd.DataFrame:
        """Aggregate the lists of each query.

        Parameters
        ----------
        X : DataFrame or RankedLists of n_queries queries, or dict or list of lists
            Ranked lists. A dict has the form of ``RankedLists.from_runs``, and a list has the form of
            ``RankedLists.from_lists``.

        Returns
        -------
        DataFrame
            Columns `query`, `item`, `score` (higher is better) and `rank` (1 to n, without repeats), and possibly more
            columns of the method. The queries of RankedLists keep their order, and the queries of a frame are sorted.
            Within each query, items are sorted by rank. Tied items have equal scores.

        Raises
        ------
        ValueError
            If the lists are malformed or do not suit the method, or if a parameter has a wrong value.
        TypeError
            If `X` is neither a frame nor lists.
        MemoryLimitError
            If a query needs more memory than is available.

        Warns
        -----
        ExposureWarning
            Once per call, if most lists of a query are paired comparisons and the method ranks the items in a list
            above absent items (tag ``absent_below``).
        NotComparedWarning
            Once per call, if the comparisons in the lists do not connect all items of a query, and the method needs
            this connection (tag ``compares``).
        PartialListsWarning
            Once per call, if the method does not rank absent items low (tag ``lenient``), and the lists of most queries
            contain less than half of the query's items.
        """
        return self._rank(self._begin(encode_plain(X))).to_frame()

    def aggregate(self, X: PlainLists) -> tuple[pd.DataFrame, pd.DataFrame]:
        """Aggregate the lists of each query, and also return information about each query.

        Parameters
        ----------
        X : DataFrame or RankedLists of n_queries queries, or dict or list of lists
            Ranked lists. A dict has the form of ``RankedLists.from_runs``, and a list has the form of
            ``RankedLists.from_lists``.

        Returns
        -------
        consensus : pandas.DataFrame
            See :meth:`transform`.
        info : pandas.DataFrame
            A row for each query, with the columns of ``query_info_``.

        Raises
        ------
        ValueError
            If the lists are malformed or do not suit the method, or if a parameter has a wrong value.
        TypeError
            If `X` is neither a frame nor lists.
        MemoryLimitError
            If a query needs more memory than is available.
        """
        ranked = self._rank(self._begin(encode_plain(X)))
        return ranked.to_frame(), ranked.info_frame()

    def get_feature_names_out(self, input_features: object = None) -> NDArray[np.object_]:
        """Return the column names of the consensus.

        Parameters
        ----------
        input_features : None
            Ignored.

        Returns
        -------
        ndarray of str objects
            Names, in the order of the columns.
        """
        keep_out_of_html()
        return np.array(["query", "item", "score", "rank", *self._result_columns], dtype=object)

    def __sklearn_tags__(self) -> TagsOfAggregator:
        tags = super().__sklearn_tags__()
        tags = TagsOfAggregator(**{field.name: getattr(tags, field.name) for field in fields(tags)})
        accept_lists(tags)
        tags.target_tags.required = False
        own = tags.aggregator_tags
        own.compares = getattr(self, "absent", None)
        own.absent_below = own.compares != "ignore"
        for name, value in self._declared("_tags").items():
            setattr(own, name, value)
        tags.requires_fit = own.supervised
        return tags

    @classmethod
    def _declared(cls, attribute):
        """Merge the dicts that the class and its parents store in `attribute`; entries of the class take precedence."""
        merged = {}
        for owner in reversed(cls.__mro__):
            merged |= vars(owner).get(attribute, {})
        return merged

    @contextmanager
    def _fit_or_restore(self, X, y):
        """Return a context manager that reports a fit to callbacks, and restores the attributes if the fit fails."""
        before = dict(vars(self))
        try:
            with fitting(self, X, y):
                yield
        except BaseException:
            vars(self).clear()
            vars(self).update(before)
            raise

    def __getstate__(self) -> dict[str, Any]:
        getattr(self, "query_info_", None)  # builds the frame
        return super().__getstate__()

    # ------------------------------------------------------------------ the formula of a method

    def _aggregate(self, lists: RankedLists) -> NDArray[Any] | Consensus:
        raise NotImplementedError(f"{type(self).__name__} must define _aggregate(lists).")

    # ------------------------------------------------------------------ a call: from lists to a consensus

    def _names_voters(self):
        """Return True if a parameter of the method refers to voters by name."""
        return getattr(self, "voter_weights", None) is not None

    @property
    def _named_groups(self):
        """Return the names of the frame's columns that the parameters use as groupings of lists."""
        return ()

    def _begin(self, X):
        """Prepare the lists of a call, and warn once about lists that are not suitable for the method.

        If this method runs inside another method, only its ``_prepare`` is called, because the outer method has already
        warned.
        """
        lists = self._prepare(X)
        self._warn_of_lists(lists)
        warn_of_cost(self, lists)
        return lists

    def _warn_of_lists(self, lists):
        """Warn about paired comparisons, short lists or uncompared items that do not suit the method."""
        tags = tags_of(self)
        if tags.absent_below:
            warn_of_paired_comparisons(lists, type(self).__name__, marked=getattr(self, "absent", None) != "auto")
        if tags.compares is not None:
            warn_of_components(lists, tags.compares, type(self).__name__)
        if tags.lenient is not None:
            warn_of_partial_lists(lists, tags.lenient, type(self).__name__)

    def _prepare(self, X):
        """Check the parameters and the lists, encode the lists, and apply the weights of the voters."""
        tags = checked_tags(self)
        check_output(self, X)
        lists = check_lists(X, self._named_groups)
        if getattr(self, "voter_weights", None) is not None:
            lists = lists.with_list_weight(lists.list_weight * self._given_weights(lists)[lists.list_voter])
            warn_of_misspelt_names(self.voter_weights, lists.voters, "voter_weights")
        check_sums(self, lists)
        if lists.is_weighted and not tags.voter_weights:
            raise InputError(
                f"{type(self).__name__} cannot weigh lists, but some weight is not 1. Drop the column 'weight', or "
                "choose a method that can weigh lists."
            )
        if tags.integer_weights and (lists.list_weight % 1 != 0).any():
            weight = lists.list_weight[first_row(lists.list_weight % 1 != 0)]
            raise InputError(
                f"{type(self).__name__} counts a list of weight w as w lists, so weights must be whole numbers; got "
                f"{weight:g}. Multiply the weights to make them whole, or choose another method."
            )
        if tags.needs_scores:
            check_scores(lists, self, self._scores_hint)
        return lists

    def _given_weights(self, lists):
        weight = voter_values(lists, self.voter_weights, "voter_weights", _SILENT_VOTERS)
        bad = ~(np.isfinite(weight) & (weight >= 0))
        if bad.any():
            voter = first_row(bad)
            raise InputError(
                f"`voter_weights` must be finite and at least 0; got {weight[voter]:g} for "
                f"{show_id(lists.voters, voter)}. Choose weight 0 to ignore a voter."
            )
        return weight

    def _fit_rank(self, X):
        """Fit the aggregator and aggregate the same lists; return an :class:`EncodedConsensus`."""
        lists = self._begin(X)
        ranked = self._fit_lists(lists)
        return self._rank(lists) if ranked is None else ranked

    def _fit_lists(self, lists):
        """Learn from prepared lists; return their consensus if learning has computed it, otherwise None."""
        return self._fit_info(lists)

    def _fit_info(self, lists):
        """If the method has the attribute ``query_info_``, set it and return the consensus; otherwise return None."""
        if not self._query_columns:
            return None
        return self._keep_info(self._rank(lists))

    def _keep_info(self, ranked):
        """Store the information about the queries of a consensus in ``query_info_``, and return the consensus."""
        self.query_info_ = ranked
        return ranked

    def _rank(self, lists):
        """Aggregate prepared lists, and return the consensus in its final order."""
        return self._publish(lists, self._aggregate_what_fits(lists))

    def _publish(self, lists, consensus):
        """Check the scores that ``_aggregate`` returned, and put the candidates in their final order."""
        if not isinstance(consensus, Consensus):
            consensus = Consensus(consensus)
        score = np.asarray(consensus.score, dtype=np.float64)
        if score.shape == (lists.n_candidates,):
            check_range(self, lists, score)
        if score.shape != (lists.n_candidates,) or np.isnan(score).any():
            raise ValueError(
                f"{type(self).__name__}._aggregate must return a score for each of {lists.n_candidates} candidates, "
                f"without NaN; got an array of shape {score.shape} with {int(np.isnan(score).sum())} NaN."
            )
        by_rank = tags_of(self).ties_by_rank
        tiebreak = rank_sums(lists, lists.list_weight) if by_rank else None
        order, score = order_candidates(lists, score, consensus.scale, consensus.additive, tiebreak)
        columns = {name: np.asarray(consensus.columns[name])[order] for name in self._result_columns}
        return EncodedConsensus(
            lists, order, score, columns, {name: consensus.queries[name] for name in self._query_columns}
        )

    # ------------------------------------------------------------------ memory

    def _memory(self, lists):
        """Return the peak memory of each query in bytes, without the memory that is linear in the number of rows.

        None means that all memory is linear in the number of rows.
        """
        if not (self._pair_bytes or self._cell_bytes):
            return None
        n, m = lists.query_n_items.astype(np.float64), np.diff(lists.list_ptr)
        return n * (self._pair_bytes * n + self._cell_bytes * m)

    # ------------------------------------------------------------------ time

    def _limited_seconds(self, seconds, n_queries):
        """Cap the expected seconds of each query at the time limit in the method's parameters, if there is a limit.

        `n_queries` is the number of queries. `seconds` may have fewer elements. Each element then stands for several
        queries of the same size.
        """
        return seconds

    @property
    def _cost_advice(self):
        """Return the advice for the warning about a slow call."""
        if self._cost_terms:
            return f"{_LINEAR_METHODS}, or cut the lists with TopK"
        return "aggregate parts of the queries in several processes with skrankagg.distributed.transform_partitions"

    def _check_memory(self, lists, needed, advice=_LINEAR_METHODS):
        """Raise an error if a query needs more memory than is available; `needed` is the result of `_memory`."""
        if needed is None:
            return
        q = int(np.argmax(needed))

        def describe():
            n, m = int(lists.query_n_items[q]), int(lists.list_ptr[q + 1] - lists.list_ptr[q])
            size = f"{n} item{'s' * (n != 1)} and {m} list{'s' * (m != 1)}"
            return repr(self), f"query {show_id(lists.queries, q)} of {size}", advice

        check_memory(float(needed[q]), describe)

    def _aggregate_what_fits(self, lists):
        self._check_memory(lists, self._memory(lists))
        return self._aggregate(lists)

    # ------------------------------------------------------------------ repetition with other weights, for resampling

    def _repeat(self, lists):
        """Return a function that computes the scores of `lists` for other list weights.

        The function turns list weights, of shape (n_lists,), into scores, of shape (n_candidates,). It is meant for
        many calls, as in resampling.
        """

        def score(weight):
            consensus = self._aggregate_what_fits(lists.with_list_weight(weight))
            return consensus.score if isinstance(consensus, Consensus) else consensus

        return score

    def _repeat_many(self, lists):
        """Return a function that computes the scores of `lists` for many sets of list weights in one call.

        The function turns list weights, of shape (n_lists, n_replicates), into scores, of shape (n_candidates,
        n_replicates).
        """
        score = self._repeat(lists)
        if self._repeats_columns:
            return score
        return lambda weights: np.stack([score(weight) for weight in np.ascontiguousarray(weights.T)], axis=1)

    # ------------------------------------------------------------------ explanation: shares and gains of the lists

    def _contributions(self, lists) -> Contributions:
        """Return the values that the lists add to the scores; raise InputError if scores are not sums over lists."""
        raise InputError(
            f"The scores of {self!r} are not sums over the lists, so they cannot be split into contributions. Choose a "
            "method whose scores are such sums, for example ReciprocalRankFusion, CombSUM or BordaCount."
        )

    def _linear_gains(self, lists):
        """Return the unweighted gains of the lists, for methods whose scores are weighted sums of gains.

        A gain is the value that a list adds to the score of an item. There are three results. The first, of shape
        (n_rows,), is the gain of each row minus the gain of an absent item. The second, of shape (n_lists,), is the
        gain that each list adds to all items of its query; None means 0. The third is the gain of an item at rank 1.
        The third result is one number, or an array of shape (n_queries,).
        """
        raise InputError(
            "Voter weights can only be learned for methods whose scores are sums of one value from each list; "
            f"{self!r} is not such a method. Choose ReciprocalRankFusion, RankBiasedCentroid, CombSUM, BordaCount or "
            "SimpleBorda. VoterWeighter weighs the voters of any method."
        )
