"""Plot of a measure against the weight of the second of two voters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from numbers import Real
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import pandas as pd
from sklearn.base import clone
from sklearn.utils import check_random_state

from .._data._frames import plain_index, show_id
from .._data._qrels import check_qrels
from .._data._ranked_lists import check_lists, encode_plain
from .._data._types import AnyQrels, PlainLists
from ..exceptions import InputError, InputTypeError
from ..metrics import evaluate
from ..metrics._relevance._registry import MeasureLike, find_measure
from ._display import Display
from ._layout import BLUE, DARK_RULE, GREEN, ORANGE, SOFT_TEXT, longest
from ._plotted_values import summary_interval

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.collections import PolyCollection
    from matplotlib.lines import Line2D

__all__ = ["WeightCurveDisplay"]

# Colour and dashes of three lines: the first voter, the second voter, and equal weights.
_LEVELS = ((ORANGE, (0, (6, 1.5))), (GREEN, (0, (1.5, 1.2))), (SOFT_TEXT, (0, (6, 1.5, 1.5, 1.5))))


@dataclass(eq=False, repr=False)
class WeightCurveDisplay(Display):
    r"""Curve of a measure for the merged lists of two voters, against the weight of the second voter from 0 to 1.

    The plot shows how much the measure gains from merging, and how precisely the weight must be known. Create a display
    with :meth:`from_estimator`.

    Parameters
    ----------
    table : DataFrame of shape (n_weights, 3)
        `mean` is the mean over the queries, or the total of a count. `low` and `high` are the ends of its interval. The
        index is the weight of the second voter; the first voter has 1 minus this weight.
    levels : Series of shape (3,)
        Three means of the measure, indexed by their names in the legend: for the lists of the first voter, for the
        lists of the second voter, and for equal weights.
    voters : tuple of two ids
        Ids of the first and the second voter.
    label : str, default="score"
        Label of the axis of the measure.
    greater_is_better : bool or None, default=True
        Whether the highest mean is the best. With False, the lowest mean is the best. None marks no best value.

    Attributes
    ----------
    ax_ : matplotlib Axes
        Axes of the plot.
    figure_ : matplotlib Figure
        Figure that contains the axes.
    line_ : matplotlib Line2D
        The curve of the mean.
    band_ : matplotlib PolyCollection or None
        The interval around the curve. None if there is only one query, or if the curve shows totals.
    levels_ : list of matplotlib Line2D
        The horizontal lines, as in `levels`.

    See Also
    --------
    VoterWeightsDisplay : Shows weights that a method has learned.
    skrankagg.model_selection.weight_grid : Lists weights for a search by cross-validation.
    skrankagg.aggregators.LearnedWeights : Learns such weights.

    Notes
    -----
    The maximum of the curve overestimates the measure, because the maximum is the best of many values on the same
    queries. Choose the weight on training queries and measure it on other queries, as ``GridSearchCV`` over
    :func:`~skrankagg.model_selection.weight_grid` does. If the interval at a weight contains the means at the
    neighbouring weights, the weight is not clearly better than these neighbours. The band is the 95 % interval of the
    mean at each weight by the percentile bootstrap over queries. The interval of a difference between two weights is
    far narrower.

    The levels of single voters use the lists of the voters unchanged. At the ends of the curve, one voter has weight 0.
    The items that only this voter returned are still ranked, below all items of the other voter. Measures that use the
    whole ranking, such as MAP, are therefore higher at the ends of the curve than at these levels.

    Examples
    --------
    >>> from skrankagg import CombSUM
    >>> from skrankagg.datasets import make_ranked_lists
    >>> from skrankagg.plotting import WeightCurveDisplay
    >>> lists, qrels, _ = make_ranked_lists(n_queries=20, n_voters=2, random_state=0)
    >>> display = WeightCurveDisplay.from_estimator(CombSUM(), lists, qrels,
    ...     voters=("v1", "v2"), metric="ndcg@5")
    >>> display.table.round(2).iloc[[0, 10, 20]]
            mean   low  high
    weight
    0.0     0.93  0.89  0.97
    0.5     0.90  0.87  0.93
    1.0     0.64  0.58  0.69
    """

    table: pd.DataFrame
    levels: pd.Series
    _: KW_ONLY
    voters: tuple[Any, Any]
    label: str = "score"
    greater_is_better: bool | None = True

    _alt = (
        "nDCG over the weight of one of two search engines, a curve with its 95 % band, and horizontal lines at each "
        "engine alone and at equal weights"
    )

    @classmethod
    def from_estimator(
        cls,
        aggregator: Any,
        lists: PlainLists,
        qrels: AnyQrels,
        voters: Sequence[Any] | None = None,
        metric: MeasureLike = "ndcg@10",
        *,
        weights: Sequence[float] | None = None,
        random_state: int | np.random.RandomState | None = 0,
        ax: Axes | None = None,
        **line_kwargs: Any,
    ) -> Self:
        """Aggregate the lists of two voters at each weight, and draw the measure.

        Parameters
        ----------
        aggregator : aggregator
            A method with `voter_weights`, such as ``CombSUM()``; it is cloned.
        lists : DataFrame or RankedLists of n_queries queries, or dict or list of lists
            Ranked lists; only the lists of the two voters are used. For the level of a single voter, the measure is 0
            in queries without a list of this voter.
        qrels : DataFrame, Qrels or dict
            Judgements.
        voters : sequence of two ids, default=None
            The first voter, at the left end of the curve, and the second voter, at the right end. None uses the voters
            of the lists if there are two.
        metric : str or Measure, default="ndcg@10"
            A measure.
        weights : sequence of float, default=None
            Weights of the second voter, from 0 to 1; None uses 0, 0.05, ..., 1.
        random_state : int, RandomState instance or None, default=0
            Source of the bootstrap resamples.
        ax : matplotlib Axes, default=None
            Axes to draw on; None makes a new figure.
        **line_kwargs
            Passed on to :meth:`matplotlib.axes.Axes.plot`.

        Returns
        -------
        WeightCurveDisplay
        """
        if isinstance(aggregator, type) or "voter_weights" not in getattr(aggregator, "get_params", dict)():
            raise InputTypeError(
                f"`aggregator` must be an aggregator with voter_weights, such as CombSUM(); got {aggregator!r}. "
                "For a pipeline, pass its last step and the lists that reach it."
            )
        lists, voters = _lists_of_both(check_lists(encode_plain(lists)), voters)
        weights = _check_weights(weights)
        qrels = check_qrels(qrels)
        if not plain_index(lists.queries).isin(plain_index(qrels.queries)).any():
            raise InputError(
                "`qrels` must judge a query in which one of the two voters has a list; the lists contain "
                f"query {show_id(lists.queries, 0)}, the judgements query {show_id(qrels.queries, 0)}. Check the ids."
            )
        own = qrels.align(lists).own_qrels()  # only queries with a list of one of the two voters
        runs = {}
        for weight in sorted({*weights, 0.5}):
            method = clone(aggregator).set_params(voter_weights={voters[0]: 1 - weight, voters[1]: weight})
            runs[repr(weight)] = method.fit_transform(lists)
        for name, voter in zip(("first", "second"), voters, strict=True):
            runs[name] = lists.keep_lists(lists.list_voter == plain_index(lists.voters).get_loc(voter))[0]
        values = evaluate(runs, own, [metric], per_query=True, missing_queries="zero").iloc[:, 0]
        measure = find_measure(values.name, values.to_frame())
        by_run = dict(list(values.groupby(level=0, sort=False)))
        mean = pd.Series({name: measure.summarize(one) for name, one in by_run.items()})
        seed = check_random_state(random_state).randint(2**31)
        table = pd.DataFrame(
            [(mean[repr(one)], *summary_interval(measure, by_run[repr(one)], seed)) for one in weights],
            columns=["mean", "low", "high"],
            index=pd.Index(weights, name="weight"),
        )
        levels = pd.Series(
            mean[["first", "second", "0.5"]].to_numpy(),
            index=[f"{voters[0]} alone", f"{voters[1]} alone", "equal weights"],
        )
        label = (
            f"{measure.title} ({values.name})\n{'total' if measure.is_total else 'mean'} over {own.n_queries} queries"
        )
        display = cls(table, levels, voters=voters, label=label, greater_is_better=measure.greater_is_better)
        return display.plot(ax, **line_kwargs)

    def _reason(self):
        known = self.table["mean"].notna().any() or self.levels.notna().any()
        return "" if known else "The measure has no value at any weight."

    def _draw(self, ax, **line_kwargs):
        ax = self._new_axes(ax, 6.0 + 0.075 * longest(self._names()), 4.2)
        weight, mean = self.table.index.to_numpy(dtype=float), self.table["mean"].to_numpy()
        handles = []
        self.band_: PolyCollection | None = None
        if self.table[["low", "high"]].notna().to_numpy().all():
            low, high = self.table["low"], self.table["high"]
            self.band_ = ax.fill_between(weight, low, high, color=BLUE, alpha=0.15, linewidth=0, label="95 % interval")
            handles.append(self.band_)
        self.levels_: list[Line2D] = [
            ax.axhline(value, color=color, linestyle=dashes, linewidth=1.1, label=name)
            for name, value, (color, dashes) in zip(self._names()[1:], self.levels, _LEVELS, strict=True)
        ]
        style = {"color": BLUE, "linewidth": 1.6, "marker": "o", "markersize": 3.0, **line_kwargs}
        self.line_: Line2D = ax.plot(weight, mean, label=self._names()[0], **style)[0]
        best = self._best()
        if best is not None:
            ax.plot(weight[best], mean[best], "o", color=style["color"], markersize=7.5, zorder=3)
        ax.set_xlim(weight.min(initial=0.0) - 0.02, weight.max(initial=1.0) + 0.02)
        # The label begins at the left end of the axis. Even a long name fits, because the legend contains the same
        # name and is wider than the label.
        ax.set_xlabel(f"weight of {self.voters[1]}\nthe rest for {self.voters[0]}", loc="left", parse_math=False)
        ax.set_ylabel(self.label)
        ax.spines[["top", "right"]].set_visible(False)
        self._grid("y", DARK_RULE)
        self._legend([self.line_, *handles, *self.levels_], handlelength=3.4)

    @classmethod
    def _example(cls, data, ax=None):
        return cls.from_estimator(data.METHODS["CombSUM"], *data.search(), voters=("bm25", "dense"), ax=ax)

    def _best(self):
        """Return the row of `table` with the best mean of the measure, as a position, or None.

        If several means tie, return the middle of their positions. Return None if all means are NaN, or if neither
        higher nor lower values are better.
        """
        mean = self.table["mean"].to_numpy()
        if self.greater_is_better is None or np.isnan(mean).all():
            return None
        best = np.flatnonzero(mean == (np.nanmax(mean) if self.greater_is_better else np.nanmin(mean)))
        return int(best[len(best) // 2])

    def _names(self):
        """Return the labels of the legend: the label of the curve, then the label of each horizontal line."""
        best = self._best()
        if best is None:
            curve = "both, by weight"
        else:
            curve = f"both: best {self.table['mean'].iloc[best]:.3f} at {self.table.index[best]:g}"
        levels = self.levels.items()
        return [curve, *(f"{name}: " + ("no value" if np.isnan(one) else f"{one:.3f}") for name, one in levels)]


def _lists_of_both(lists, voters):
    """Return the lists of the two voters to compare, and the ids of the two voters."""
    if voters is None:
        voters = lists.voters[np.unique(lists.list_voter)].tolist()
        if len(voters) != 2:
            several = len(voters) > 2
            advice = f"Choose two of them with voters={tuple(voters[:2])!r}" if several else "Pass lists of two voters"
            raise InputError(f"WeightCurveDisplay needs two voters; the lists have {len(voters)}. {advice}.")
    if isinstance(voters, str) or len(voters) != 2 or voters[0] == voters[1]:
        raise InputError(f"`voters` must be the ids of two voters, such as ('bm25', 'dense'); got {voters!r}.")
    place = plain_index(lists.voters).get_indexer(list(voters))
    for voter, code in zip(voters, place, strict=True):
        if code < 0 or not (lists.list_voter == code).any():
            known = ", ".join(map(repr, lists.voters[np.unique(lists.list_voter)][:5].tolist()))
            raise InputError(f"`voters` must have lists; got {voter!r}, which has no list. The voters are {known}.")
    return lists.keep_lists(np.isin(lists.list_voter, place))[0], tuple(voters)


def _check_weights(weights):
    weights = [k / 20 for k in range(21)] if weights is None else list(weights)
    for weight in weights:
        if isinstance(weight, bool) or not isinstance(weight, Real) or not 0 <= weight <= 1:
            raise InputError(f"`weights` of the second voter must be from 0 to 1; got {weight!r}.")
    if len({*weights}) < 2:
        raise InputError(f"`weights` must contain at least two different weights; got {weights!r}.")
    return sorted({float(weight) for weight in weights})
