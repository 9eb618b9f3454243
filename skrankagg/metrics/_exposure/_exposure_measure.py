"""Registry of exposure measures, and classes for their use in evaluate, the Comparator and scikit-learn's searches.

A measure consists of two functions. One function computes a value for each query from a :class:`GroupedRun`. The other
is the public function with the arguments `run` and `item_groups`. The decorator :func:`define` connects the two
functions and registers the name.
"""

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from ..._arrays._ragged import expand
from ..._data._item_groups import AnyItemGroups, read_item_groups
from ..._data._ranked_lists import check_lists, encode_plain
from ..._data._types import AnyLists
from ..._support._checks import check_choice, check_count, check_flag
from ...exceptions import InputTypeError
from .._relevance._own_measure import OwnMeasure
from .._relevance._ties import order_ties
from ._grouped_run import GroupedRun, group_run, query_ids, read_run

__all__ = ["ExposureScorer", "exposure_names", "make_exposure_measure"]


@dataclass(frozen=True)
class ExposureMeasure:
    """Exposure measure, as it is stored in the registry.

    Parameters
    ----------
    name : str
        Name in the registry, which is also the name of the public function.
    label : str
        Label of an axis, without a cutoff.
    compute : callable
        Function that returns a value for each query, given a :class:`GroupedRun`, a cutoff and options.
    greater_is_better : bool
        Whether a higher value means that the exposures of the groups are more similar.
    """

    name: str
    label: str
    compute: Callable
    greater_is_better: bool

    def options(self):
        """Return the names of the measure's options, such as `k` and `persistence`."""
        return [name for name in inspect.signature(self.compute).parameters if name != "grouped"]

    def check_cutoff(self, k):
        """Raise InputError unless the cutoff is an integer of at least 1, or None for a measure that allows None."""
        cutoff = inspect.signature(self.compute).parameters.get("k")
        if k is not None or (cutoff is not None and cutoff.default is cutoff.empty):
            check_count("k", k)


#: Exposure measures by name.
EXPOSURE_MEASURES: dict[str, ExposureMeasure] = {}


def define(label: str, compute: Callable, *, greater_is_better: bool) -> Callable[[Callable], Callable]:
    """Register an exposure measure under the name of the decorated public function.

    Parameters
    ----------
    label : str
        Label of an axis, without a cutoff.
    compute : callable
        Function that returns a value for each query, given a :class:`GroupedRun` and the options. The options are the
        parameters of the public function other than the run, the groups and `per_query`.
    greater_is_better : bool
        Whether a higher value means that the exposures of the groups are more similar.
    """

    def decorate(public):
        name = public.__name__
        EXPOSURE_MEASURES[name] = ExposureMeasure(name, label, compute, greater_is_better)
        return public

    return decorate


def measure_run(name, run, item_groups, per_query, **options):
    """Compute a registered measure of a run; return its mean, or the value of each query if `per_query` is true."""
    check_flag("per_query", per_query)
    measure = EXPOSURE_MEASURES[name]
    measure.check_cutoff(options.get("k"))
    run = read_run(run)
    values = measure.compute(group_run(run, read_item_groups(item_groups)), **options)
    return pd.Series(values, index=query_ids(run), name=name) if per_query else mean_of(values)


def mean_of(values):
    """Return the mean of the queries' values that are not NaN; return NaN if all values are NaN."""
    known = values[~np.isnan(values)]
    return float(known.mean()) if len(known) else float("nan")


def exposure_names() -> list[str]:
    """Return the names of the exposure measures.

    Returns
    -------
    list of str
        Names in alphabetical order. Each name is also the name of a function in this module.

    See Also
    --------
    make_exposure_measure : Makes a measure from a name and groups of items.
    agreement_names : Names of the measures of agreement.
    measure_names : Names of the measures that need judgements.

    Examples
    --------
    >>> from skrankagg.metrics import exposure_names
    >>> exposure_names()[:3]
    ['attention_difference', 'attention_ratio', 'exposure_difference']
    """
    return sorted(EXPOSURE_MEASURES)


class GroupMeasure(OwnMeasure):
    """Exposure measure with fixed groups of items. It can be used like a measure of relevance."""

    def __repr__(self) -> str:
        return f"make_exposure_measure({self.function.metric!r}, ...)"

    def _values(self, ranked):
        view = order_ties(ranked, self.options.get("ties", "order"))
        codes, items = view.item
        query = expand(view.ptr)
        group = self.function.groups.of_rows(ranked.queries, query, items, codes)
        values = self.function.compute(GroupedRun(view.ptr, group))
        return np.where(np.diff(view.ptr) > 0, values, np.nan)


@dataclass(frozen=True, eq=False)
class _Bound:
    """Function that computes an exposure measure with fixed groups of items and fixed options."""

    metric: str
    item_groups: Any
    options: tuple[tuple[str, Any], ...] = ()

    @property
    def groups(self):
        return read_item_groups(self.item_groups)

    def compute(self, grouped):
        return EXPOSURE_MEASURES[self.metric].compute(grouped, **dict(self.options))

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, _Bound)
            and (self.metric, self.options) == (other.metric, other.options)
            and self.item_groups is other.item_groups
        )

    def __hash__(self) -> int:
        return hash((self.metric, self.options))

    def __call__(self, ranking):
        """Compute the measure for one query, given as a JudgedRanking."""
        items = pd.Index(list(ranking.items), tupleize_cols=False)
        place = np.arange(len(items))
        group = self.groups.of_rows(pd.Index([ranking.query]), np.zeros_like(place), items, place)
        return float(self.compute(GroupedRun(np.array([0, len(items)]), group))[0])


def _bind(metric, item_groups, k, options):
    check_choice("metric", metric, exposure_names())
    known = EXPOSURE_MEASURES[metric].options()
    given = dict(options) if k is None else {"k": k, **options}
    for name in given:
        if name not in known:
            raise InputTypeError(
                f"`{name}` is not an option of {metric!r}; its options are {', '.join(known) or 'none'}. Leave it out."
            )
    EXPOSURE_MEASURES[metric].check_cutoff(k)
    return _Bound(metric, read_item_groups(item_groups), tuple(sorted(given.items())))


def make_exposure_measure(
    metric: str, item_groups: AnyItemGroups, *, k: int | None = None, **options: float
) -> OwnMeasure:
    """Combine an exposure measure with groups of items, for use in evaluate, the Comparator, tests and plots.

    Parameters
    ----------
    metric : str
        Name of an exposure measure, see :func:`exposure_names`.
    item_groups : dict of item to group, or DataFrame
        Group of each item. A frame has the columns `item` and `group`, and `query` if the groups differ by query.
    k : int, default=None
        Cutoff; None uses the whole ranking.
    **options : float
        Further options of the measure, such as `persistence`.

    Returns
    -------
    Measure
        Measure with the name of the exposure measure, followed by the cutoff if there is one, as in "ndkl@10".

    Raises
    ------
    TypeError
        If an option is unknown, or if `item_groups` is neither a dict nor a frame.
    ValueError
        If the name or the cutoff is wrong, or if the groups are malformed.

    See Also
    --------
    ExposureScorer : Scores an estimator by an exposure measure; it needs no judgements.
    make_measure : Turns a function of one query's ranking into a measure.

    Notes
    -----
    :func:`evaluate` and the :class:`~skrankagg.Comparator` compute the measure only for judged queries, so that quality
    and exposure are compared on the same queries. The functions of this module need no judgements, and measure all
    queries.

    Examples
    --------
    >>> from skrankagg.metrics import evaluate, make_exposure_measure
    >>> ratio = make_exposure_measure("exposure_ratio", {"a": "x", "b": "y", "c": "y"})
    >>> runs = {"first": {"q": ["a", "b", "c"]}, "second": {"q": ["b", "a", "c"]}}
    >>> evaluate(runs, {"q": ["b"]}, ["map", ratio]).round(3)
            map  exposure_ratio
    run
    first   0.5           0.565
    second  1.0           0.841
    """
    bound = _bind(metric, item_groups, k, options)
    facts = EXPOSURE_MEASURES[metric]
    name, label = (text if k is None else f"{text}{at}{k}" for text, at in ((metric, "@"), (facts.label, " at ")))
    return GroupMeasure(name, bound, label, greater_is_better=facts.greater_is_better, has_expectation=False)


class ExposureScorer:
    """Scorer that rates the consensus of an aggregator by an exposure measure, without judgements.

    A high score means that the groups get similar exposure. It does not mean that the consensus is good.

    Parameters
    ----------
    metric : str
        Name of an exposure measure, see :func:`exposure_names`.
    item_groups : dict of item to group, or DataFrame
        Group of each item, as in :func:`make_exposure_measure`.
    k : int, default=None
        Cutoff; None uses the whole ranking.
    **options : float
        Further options of the measure, such as `persistence`.

    See Also
    --------
    ConsensusScorer : Rates a consensus by its closeness to the lists.
    make_exposure_measure : Makes a measure that is computed together with measures of relevance.

    Examples
    --------
    >>> from sklearn.model_selection import cross_val_score
    >>> from skrankagg import BordaCount, RankedLists
    >>> from skrankagg.datasets import make_ranked_lists
    >>> from skrankagg.metrics import ExposureScorer
    >>> lists = RankedLists.from_frame(make_ranked_lists(n_queries=4, random_state=0)[0])
    >>> groups = {item: k % 2 for k, item in enumerate(lists.items)}
    >>> scores = cross_val_score(BordaCount(), lists,
    ...     scoring=ExposureScorer("exposure_ratio", groups), cv=2)
    >>> bool((0 < scores).all() and (scores <= 1).all())
    True
    """

    def __init__(self, metric: str, item_groups: AnyItemGroups, *, k: int | None = None, **options: float) -> None:
        self._bound = _bind(metric, item_groups, k, options)

    def __call__(self, estimator: Any, X: AnyLists, y: object = None) -> float:
        """Aggregate the lists and score the consensus.

        Parameters
        ----------
        estimator : aggregator
            A fitted aggregator.
        X : DataFrame or RankedLists, or dict of runs
            Ranked lists. A dict has the form of ``RankedLists.from_runs``.
        y : None
            Ignored; scikit-learn passes this argument.

        Returns
        -------
        float
            Mean over the queries; greater is better. If lower values of the measure are better, the value is negated.
        """
        X = encode_plain(X, sequences=False)
        check_lists(X)  # transform would also accept a list of lists, whose elements are voters instead of samples
        run = read_run(estimator.transform(X))
        value = mean_of(self._bound.compute(group_run(run, self._bound.groups)))
        return value if EXPOSURE_MEASURES[self._bound.metric].greater_is_better else -value

    def __repr__(self) -> str:
        options = "".join(f", {name}={value!r}" for name, value in self._bound.options)
        return f"ExposureScorer({self._bound.metric!r}, ...{options})"
