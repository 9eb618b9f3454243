"""Transformer that selects voters."""

from collections.abc import Hashable
from numbers import Integral, Real
from typing import Any, Literal

import numpy as np
import pandas as pd

from .._data._frames import first_row, plain_index, show_id
from .._data._qrels import show_ids
from .._data._types import AnyQrels
from .._data._voter_names import find_voters, near_voters, type_hint, unmatched
from .._support._sklearn import Interval, StrOptions, check_is_fitted
from .._support._warn import warn_user
from ..exceptions import InputError, InputTypeError, UnknownVoterWarning
from ._voter_values import BY, VoterValuer, voter_scores

__all__ = ["VoterSelector"]


class VoterSelector(VoterValuer):
    """Keep the lists of the best voters, or of named voters.

    The lists of the other voters are removed. A weighted method would only reduce their weight.

    Parameters
    ----------
    by : estimator, str, Measure, callable, mapping, pandas.Series, list, tuple or None, default=None
        Source of a value for each voter, or a list or tuple of the ids of the voters to keep. An estimator must learn
        voter weights, which become the values, and store them in ``voter_weights_``. A measure is averaged over the
        judged queries for which the voter has a list; higher values must be better. A mapping contains a number for
        each voter, even for a voter without lists. None uses the weights of :class:`~skrankagg.aggregators.DIBRA`.
    n_voters : int, default=None
        Number of voters to keep. The best voters are kept. Among equally good voters, voters are kept in the order of
        their ids.
    threshold : float, "mean" or "median", default=None
        Smallest value that a kept voter may have. If `n_voters` is also given, both conditions apply. If `n_voters` and
        `threshold` are both None, the threshold is "mean". Both parameters must be None if `by` contains ids.
    qrels : Qrels, DataFrame or dict, default=None
        Judgements of training queries, which a measure needs. None if the judgements are passed to ``fit``, as
        ``qrels=`` or as `y` from :meth:`~skrankagg.Qrels.align`.
    unknown_voter : {"keep", "ignore", "error"}, default="keep"
        How to treat the lists of a voter without a value, such as a voter that was not in ``fit``. "keep" keeps these
        lists, "ignore" removes them, and "error" raises an error. If `by` contains ids, all other voters are removed.

    Attributes
    ----------
    voter_scores_ : DataFrame
        Columns `voter`, `score` and `selected`, and also `n_queries` if `by` is a measure. The best voter comes first.
        `score` is the value of the voter. If `by` contains ids, the score is 1 for these voters and 0 for other voters.
        `n_queries` is the number of queries from which the value was computed.

    Warns
    -----
    UserWarning
        If all lists of a query are removed. The query is then left out.
    UnknownVoterWarning
        If no voter of the lists has a value and all voters are kept, or if a mapping `by` seems to misspell a voter.

    See Also
    --------
    VoterWeighter : Weights the voters by the same values instead of selecting voters.
    skrankagg.aggregators.DIBRA : Learns weights from the lists, without judgements.
    skrankagg.metrics.evaluate_voters : Measures voters.

    Notes
    -----
    A measure rates only the lists that a voter has. Queries without a list of the voter are not counted, because a
    voter that has good lists for a few queries is worth keeping. A value from few queries is uncertain, and may be high
    by chance. Therefore check `n_queries`.

    Examples
    --------
    >>> from skrankagg.datasets import make_ranked_lists
    >>> from skrankagg.preprocessing import VoterSelector
    >>> lists, qrels, _ = make_ranked_lists(n_voters=4, quality_spread=2.0, random_state=0)
    >>> selector = VoterSelector("ndcg@10", n_voters=2, qrels=qrels).fit(lists)
    >>> selector.voter_scores_.round(3)
      voter  score  selected  n_queries
    0    v1  0.985      True         20
    1    v3  0.776      True         20
    2    v4  0.626     False         20
    3    v2  0.493     False         20
    >>> selector.transform(lists)["voter"].unique().tolist()
    ['v1', 'v3']

    By name:

    >>> VoterSelector(["v4", "v2"]).fit_transform(lists)["voter"].unique().tolist()
    ['v2', 'v4']
    """

    _parameter_constraints: dict = {
        "by": [*BY, list, tuple, None],
        "n_voters": [Interval(Integral, 1, None, closed="left"), None],
        "threshold": [Interval(Real, None, None, closed="neither"), StrOptions({"mean", "median"}), None],
        "qrels": "no_validation",  # a frame or a Qrels; check_qrels reports what is wrong with anything else
        "unknown_voter": [StrOptions({"keep", "ignore", "error"})],
    }

    voter_scores_: pd.DataFrame

    def __init__(
        self,
        by: Any = None,
        *,
        n_voters: int | None = None,
        threshold: float | Literal["mean", "median"] | None = None,
        qrels: AnyQrels | None = None,
        unknown_voter: Literal["keep", "ignore", "error"] = "keep",
    ) -> None:
        self.by = by
        self.n_voters = n_voters
        self.threshold = threshold
        self.qrels = qrels
        self.unknown_voter = unknown_voter

    def _fit_judged(self, lists, qrels):
        if self._is_by_id:
            named = self._named(lists)
            order = np.argsort(~named, kind="stable")
            self.voter_scores_ = pd.DataFrame(
                {"voter": lists.voters[order], "score": named[order].astype(np.float64), "selected": named[order]}
            )
            return
        value, n_queries = voter_scores(self, lists, qrels)
        value = value.sort_index(kind="stable").sort_values(ascending=False, kind="stable")
        selected = np.ones(len(value), dtype=bool)
        threshold = "mean" if self.threshold is None and self.n_voters is None else self.threshold
        if threshold is not None:
            selected &= value >= (value.agg(threshold) if isinstance(threshold, str) else threshold)
        if self.n_voters is not None:
            selected[self.n_voters :] = False
        if not selected.any():
            raise InputError(
                f"`threshold` must be at most the highest value of all voters, {value.iloc[0]:g}; got "
                f"{self.threshold!r}. Choose a lower threshold."
            )
        self.voter_scores_ = pd.DataFrame({"voter": value.index, "score": value.to_numpy(), "selected": selected})
        if n_queries is not None:
            self.voter_scores_["n_queries"] = n_queries.loc[value.index].to_numpy()

    @property
    def _is_by_id(self):
        return isinstance(self.by, list | tuple)

    def _named(self, lists):
        """Return a mask of shape (n_voters,): True for each voter in `by`."""
        if not self.by:
            raise InputError("`by` must name at least one voter to keep; the list is empty.")
        if not all(isinstance(one, Hashable) for one in self.by):
            raise InputTypeError(f"`by` must contain ids of voters; got {self.by!r}.")
        if self.n_voters is not None or self.threshold is not None:
            raise InputError(
                "`n_voters` and `threshold` must be None if `by` names the voters to keep. Leave out both parameters, "
                "or let `by` be a mapping that gives each voter a number."
            )
        names = pd.Index(list(self.by), tupleize_cols=False)
        unknown = names[unmatched(names, lists.voters)].tolist()
        if unknown:
            near = dict(near_voters(unknown, plain_index(lists.voters).tolist()))
            meant = f" (did you mean {near[unknown[0]]!r}?)" if unknown[0] in near else ""
            raise InputError(
                f"`by` must name voters that have lists; got {unknown[0]!r}{meant}. The voters are "
                f"{show_ids(lists.voters)}."
            )
        return plain_index(lists.voters).isin(names)

    def _transform_lists(self, lists):
        check_is_fitted(self, "voter_scores_")
        known = plain_index(pd.Index(self.voter_scores_["voter"]))
        place = find_voters(known, lists.voters)[lists.list_voter]
        unknown = place < 0
        hint = type_hint(known, lists.voters[lists.list_voter]) if unknown.all() else ""
        unknown_voter = "ignore" if self._is_by_id else self.unknown_voter
        if unknown.any() and unknown_voter == "error":
            voter = show_id(lists.voters, lists.list_voter[first_row(unknown)])
            raise InputError(
                f"{type(self).__name__} has no value for voter {voter}, which was not among the voters in "
                f"fit{hint}. Call fit with lists of this voter, or choose unknown_voter='keep' or 'ignore'."
            )
        if unknown.all() and unknown_voter == "ignore":
            advice = "" if self._is_by_id else ", or choose unknown_voter='keep'"
            raise InputError(
                f"All lists would be removed: {type(self).__name__} has no value for any of the voters{hint}. Call fit "
                f"with lists of these voters{advice}."
            )
        if unknown.all():
            warn_user(
                f"{type(self).__name__} has no value for any of the voters{hint}, so all lists are kept. "
                "To select some voters, use the ids that the voters had in fit.",
                UnknownVoterWarning,
            )
        kept = np.where(unknown, unknown_voter == "keep", self.voter_scores_["selected"].to_numpy()[place])
        left = np.logical_or.reduceat(kept, lists.list_ptr[:-1])
        if not left.any():
            raise InputError("All lists would be removed: their voters were not selected in fit. Keep more voters.")
        if not left.all():
            warn_user(
                f"{int((~left).sum())} queries have no list of a selected voter and are left out; the first is "
                f"{show_id(lists.queries, first_row(~left))}. Keep more voters, or drop these queries.",
                UserWarning,
            )
        return lists if kept.all() else lists.keep_lists(kept)[0]
