"""Values for selecting or weighting voters: learned weights, measures or given numbers."""

from collections.abc import Mapping

import pandas as pd

from .._data._frames import first_row, plain_index
from .._data._voter_names import warn_of_misspelt_names
from .._support._sklearn import HasMethods, clone
from ..aggregators import DIBRA
from ..base._supervised import SupervisedAggregator, SupervisedListTransformer
from ..base._voter_weights import voter_series
from ..exceptions import InputError
from ..metrics import Measure, evaluate_voters, get_measure
from ..metrics._relevance._registry import find_measure

#: Types that a parameter `by` accepts.
BY = [HasMethods(["fit"]), str, Measure, callable, Mapping, pd.Series]


def voter_scores(owner, lists, qrels):
    """Return the value of each voter according to ``owner.by``, and the number of queries used for each value.

    `owner` is the transformer. Both results are Series indexed by voter. The second result is None unless ``owner.by``
    is a measure. `qrels` is a function that returns the judgements. If a value is NaN, InputError is raised.
    """
    value, n_queries = _scores(owner.by, lists, qrels)
    if value.isna().any():
        raise InputError(
            f"Values of voters must not be NaN; got NaN for {value.index[first_row(value.isna())]!r}. Drop this voter."
        )
    return value, n_queries


class VoterValuer(SupervisedListTransformer):
    """Base class of transformers whose parameter `by` determines a value for each voter."""

    def _needs_judgements(self):
        """Return True if the voters' values need judgements that `by` does not contain."""
        return is_measure(self.by) or _lacks_judgements(self.by)

    def _prepare(self, X):
        lists = super()._prepare(X)
        if isinstance(self.by, Mapping | pd.Series):
            warn_of_misspelt_names(self.by, lists.voters, "by")
        return lists


def is_measure(by):
    """Return True if `by` refers to a measure: it is a name, a Measure or a function."""
    return isinstance(by, str | Measure) or (callable(by) and not hasattr(by, "fit"))


def _lacks_judgements(estimator):
    return isinstance(estimator, SupervisedAggregator) and getattr(estimator, "qrels", None) is None


def _scores(by, lists, qrels):
    if is_measure(by):
        if isinstance(by, str) and by in plain_index(lists.voters) and find_measure(by) is None:
            raise InputError(
                f"`by` must be a measure; got {by!r}, which is a voter. To keep this voter, write by=[{by!r}]."
            )
        measure = get_measure(by)
        if not measure.greater_is_better:
            raise InputError(
                f"`by` must be a measure where higher values are better, because the voters with the highest values "
                f"are trusted; got {str(measure)!r}. Choose another measure, or give each voter a number."
            )
        table = evaluate_voters(lists, qrels(), measure)
        return table[str(measure)], table["n_queries"]
    if isinstance(by, Mapping | pd.Series):
        return voter_series(by, "by"), None
    estimator = DIBRA() if by is None else clone(by)
    fitted = estimator.fit(lists, qrels=qrels()) if _lacks_judgements(estimator) else estimator.fit(lists)
    weights = getattr(fitted, "voter_weights_", None)
    if weights is None:
        raise InputError(
            f"`by` must be an estimator, such as DIBRA(), that learns voter weights; got {estimator!r}, which has no "
            "attribute voter_weights_."
        )
    return weights.set_index("voter")["weight"], None
