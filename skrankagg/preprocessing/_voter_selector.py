"""Steps that choose among the voters."""

from collections.abc import Mapping
from numbers import Integral, Real
from typing import Any, Literal

import numpy as np
import pandas as pd

from .._data._frames import first_row, plain_index, show_id
from .._data._qrels import check_qrels
from .._data._types import AnyQrels
from .._data._voter_names import type_hint, warn_of_misspelt_names
from .._support._sklearn import HasMethods, Interval, StrOptions, Tags, check_is_fitted, clone
from .._support._warn import warn_user
from ..aggregators import DIBRA
from ..base import ListTransformer
from ..base._voter_weights import voter_series
from ..exceptions import InputError, UnknownVoterWarning
from ..metrics import Measure, evaluate_voters, get_measure

__all__ = ["VoterSelector"]


class VoterSelector(ListTransformer):
    """Keep the lists of the best voters.

    The lists of the other voters are left out altogether, where a weighted method gives them less weight.

    Parameters
    ----------
    by : estimator, str, Measure, mapping, pandas.Series or None, default=None
        Value of a voter: the weight that an estimator learns, in its ``voter_weights_``; a measure of which more
        is better, over the judged queries for which the voter has a list; a number for each voter, whether it has lists
        or not; None takes the weights of :class:`~skrankagg.aggregators.DIBRA`.
    n_voters : int, default=None
        Number of voters to keep, the best; of equals the first ids.
    threshold : float, "mean" or "median", default=None
        Smallest value to keep. With `n_voters` both hold; where both are None it is "mean".
    qrels : Qrels or DataFrame, default=None
        Judgements of training queries, for a measure.
    unknown_voter : {"keep", "ignore", "error"}, default="keep"
        How to treat the lists of a voter that has no value, such as one that ``fit`` has not seen.

    Attributes
    ----------
    voter_scores_ : DataFrame
        Columns `voter`, `score` (its value), `selected`, and for a measure `n_queries` (the number of queries that the
        value is over); the best first.

    Warns
    -----
    UserWarning
        If a query loses all of its lists, and so is left out.
    UnknownVoterWarning
        If no voter of the lists has a value and all are kept, or a mapping `by` seems to misspell a voter.

    See Also
    --------
    skrankagg.aggregators.DIBRA : Weighs voters instead of choosing.
    skrankagg.metrics.evaluate_voters : Measures them.

    Notes
    -----
    A measure rates the lists that a voter gives. A query for which the voter has no list does not count: a voter that
    answers few queries well is worth keeping. A value over few queries is uncertain,
    and the best of such values is partly luck; `n_queries` says how many there are.

    Examples
    --------
    >>> from skrankagg.datasets import make_ranked_lists
    >>> from skrankagg.preprocessing import VoterSelector
    >>> lists, qrels = make_ranked_lists(n_voters=4, quality_spread=2.0, random_state=0)
    >>> selector = VoterSelector("ndcg@10", n_voters=2, qrels=qrels).fit(lists)
    >>> selector.voter_scores_.round(3)
      voter  score  selected  n_queries
    0    v1  0.985      True         20
    1    v3  0.776      True         20
    2    v4  0.626     False         20
    3    v2  0.493     False         20
    >>> selector.transform(lists)["voter"].unique().tolist()
    ['v1', 'v3']
    """

    _parameter_constraints: dict = {
        "by": [HasMethods(["fit"]), str, Measure, callable, Mapping, pd.Series, None],
        "n_voters": [Interval(Integral, 1, None, closed="left"), None],
        "threshold": [Interval(Real, None, None, closed="neither"), StrOptions({"mean", "median"}), None],
        "qrels": "no_validation",  # a frame or a Qrels; check_qrels says what is wrong with anything else
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

    def _prepare(self, X):
        lists = super()._prepare(X)
        if isinstance(self.by, Mapping | pd.Series):
            warn_of_misspelt_names(self.by, lists.voters, "by")
        return lists

    def _fit_lists(self, lists):
        value, n_queries = self._values(lists)
        if value.isna().any():
            raise InputError(f"Voters need values; that of {value.index[first_row(value.isna())]!r} is NaN. Drop it.")
        value = value.sort_index(kind="stable").sort_values(ascending=False, kind="stable")
        selected = np.ones(len(value), dtype=bool)
        threshold = "mean" if self.threshold is None and self.n_voters is None else self.threshold
        if threshold is not None:
            selected &= value >= (value.agg(threshold) if isinstance(threshold, str) else threshold)
        if self.n_voters is not None:
            selected[self.n_voters :] = False
        if not selected.any():
            raise InputError(
                f"{type(self).__name__} must keep some voter; the highest value is {value.iloc[0]:g}, below "
                f"threshold={self.threshold!r}. Lower it."
            )
        self.voter_scores_ = pd.DataFrame({"voter": value.index, "score": value.to_numpy(), "selected": selected})
        if n_queries is not None:
            self.voter_scores_["n_queries"] = n_queries.loc[value.index].to_numpy()

    def _values(self, lists):
        """Value of each voter, as a float Series indexed by voter, and of a measure the number of its queries."""
        if isinstance(self.by, str | Measure) or (callable(self.by) and not hasattr(self.by, "fit")):
            measure = get_measure(self.by)
            if self.qrels is None:
                raise InputError(f"by={str(measure)!r} measures the voters and needs judgements; give qrels=...")
            if not measure.greater_is_better:
                raise InputError(
                    f"by must be a measure of which more is better, since the voters with the highest values are kept; "
                    f"{str(measure)!r} is not one. Choose another measure, or give each voter a number."
                )
            table = evaluate_voters(lists, check_qrels(self.qrels), measure)
            return table[str(measure)], table["n_queries"]
        if isinstance(self.by, Mapping | pd.Series):
            return voter_series(self.by, "by"), None
        estimator = DIBRA() if self.by is None else clone(self.by)
        weights = getattr(estimator.fit(lists), "voter_weights_", None)
        if weights is None:
            raise InputError(f"by must learn voter weights, such as DIBRA(); {estimator!r} has no voter_weights_.")
        return weights.set_index("voter")["weight"], None

    def _transform_lists(self, lists):
        check_is_fitted(self, "voter_scores_")
        known = plain_index(pd.Index(self.voter_scores_["voter"]))
        place = known.get_indexer(plain_index(lists.voters))[lists.list_voter]
        unknown = place < 0
        hint = type_hint(known, lists.voters[lists.list_voter]) if unknown.all() else ""
        if unknown.any() and self.unknown_voter == "error":
            voter = show_id(lists.voters, lists.list_voter[first_row(unknown)])
            raise InputError(
                f"{type(self).__name__} has no value for voter {voter}, which was not among those it was fitted "
                f"on{hint}; fit it with this voter, or choose unknown_voter='keep' or 'ignore'."
            )
        if unknown.all() and self.unknown_voter == "ignore":
            raise InputError(
                f"No list is left: {type(self).__name__} has a value for none of the voters{hint}. Fit it with these "
                "voters, or choose unknown_voter='keep'."
            )
        if unknown.all():
            warn_user(
                f"{type(self).__name__} has a value for none of the voters{hint}, so all lists are kept; "
                "to select some, give the voters the ids that fit has seen.",
                UnknownVoterWarning,
            )
        kept = np.where(unknown, self.unknown_voter == "keep", self.voter_scores_["selected"].to_numpy()[place])
        left = np.logical_or.reduceat(kept, lists.list_ptr[:-1])
        if not left.any():
            raise InputError("No list is left: every one is of a voter that was not selected. Keep more voters.")
        if not left.all():
            warn_user(
                f"{int((~left).sum())} queries have no list of a selected voter and are left out, the first is "
                f"{show_id(lists.queries, first_row(~left))}; keep more voters, or drop these queries.",
                UserWarning,
            )
        return lists if kept.all() else lists.keep_lists(kept)[0]

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.requires_fit = True
        return tags
