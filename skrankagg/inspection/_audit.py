"""Audit of a leaderboard: checks of the paired comparisons from which the leaderboard is computed."""

from __future__ import annotations

import textwrap
from html import escape

import numpy as np
import pandas as pd
from sklearn.utils import check_random_state

from .._data._list_columns import group_names
from .._data._types import PlainLists
from .._support._checks import check_count
from .._support._text_tables import aligned_table, show_pvalue
from ..aggregators import PlackettLuce
from ..base import BaseAggregator
from ..exceptions import InputError, InputTypeError
from ._arguments import begin
from ._audit_bias import cycles, flips, position
from ._audit_checks import Check, connectivity, coverage, prior, separation, skipped, ties, votes
from ._audit_groups import clustering, influence
from ._audited_duels import POSITION, AuditedDuels, check_board

__all__ = ["audit"]

_WIDTH = 100
#: Names of all checks except connectivity, with the units of their values.
_CHECKS = {
    "coverage": "times as wide",
    "votes": "places",
    "separation": "% of pairs",
    "position": "Elo",
    "flips": "Elo",
    "ties": "clear pairs",
    "cycles": "logits",
    "clustering": "times the error",
    "influence": "duels",
    "prior": "Elo",
}
#: Singular forms of these units, for the value 1.
_SINGULAR = {"components": "component", "places": "place", "clear pairs": "clear pair"}


def audit(
    lists: PlainLists,
    aggregator: BaseAggregator | None = None,
    *,
    unit: str | None = None,
    n_resamples: int = 1000,
    random_state: int | np.random.RandomState | None = 0,
) -> pd.DataFrame:
    r"""Check whether a leaderboard of paired comparisons is sound; return one row for each check.

    A board is a leaderboard, and a duel is one of the paired comparisons from which it is computed. Each check looks
    for one defect of the duels, and reports the size of the defect. A check warns if the defect is not due to chance,
    or if it exceeds a limit that the Notes explain.

    Parameters
    ----------
    lists : DataFrame or RankedLists of one query
        Paired comparisons. Read them by ``RankedLists.from_comparisons(frame, voter="judge", position=True)``, so that
        all checks are possible.
    aggregator : PlackettLuce, default=None
        The method of the board. Only its `prior` and `voter_weights` are used: the checks fit Bradley and Terry's
        model, with half a win for a tie. If its `covariates` contain "position", the check of the position does not
        warn. None means ``PlackettLuce()``.
    unit : str, default=None
        Name of the grouping whose groups are independent of each other, such as "judge". "list" treats all duels as
        independent. None uses the first grouping that has at least two groups, or "list" if there is no such grouping.
    n_resamples : int, default=1000
        Number of random draws, for the checks that use draws.
    random_state : int, RandomState instance or None, default=0
        Source of the draws.

    Returns
    -------
    DataFrame of shape (11, 8)
        The printed text is a short table, and sentences on the checks that warn or that were skipped. A notebook
        shows sentences on all checks. The columns are

        - `check`: name of the check, see Notes;
        - `value` and `unit`: size of the defect, and the unit of this size;
        - `reference`: the value for a board without the defect, or the limit of the value;
        - `p`: p-value if the check is a test, otherwise NaN;
        - `verdict`: "warning", "ok" or "skipped";
        - `seen`: what was found, or why the check was skipped;
        - `advice`: what to do; empty if the verdict is "ok".

    Raises
    ------
    TypeError
        If `aggregator` is not PlackettLuce.
    ValueError
        If the lists belong to several queries, or a list does not have two items. If `unit` is not a grouping of at
        least two groups.

    Warns
    -----
    UserWarning
        If some weights are fractional, although other weights look like numbers of duels.

    See Also
    --------
    diagnose : Examines ranked lists of any length.
    rank_stability : Computes intervals of the places of items, from draws of duels or of groups.
    skrankagg.plotting.ranking_report : Shows the audit on a page, with ``audit=True``.
    skrankagg.metrics.krippendorff_alpha : Agreement of judges.

    Notes
    -----
    **Tests** warn at :math:`p \le 0.01`. With a limit of 0.05, four tests would warn on 19 % of sound boards. On a
    large board, even small effects are significant, so also look at the size. Elo points are :math:`400 / \ln 10` times
    log-odds.

    - *position*: the advantage :math:`b` of the item shown first, in the model
      :math:`\operatorname{logit} P = t_i - t_j + b`. Its standard error comes from the gradients of the log-likelihood,
      summed over each of the :math:`G` groups, with the factor :math:`G / (G - 1)`. The p-value comes from the t
      distribution with :math:`G - 1` degrees of freedom. Ties shrink the advantage towards 0. The check is skipped if
      fewer than a fifth of the pairs that met twice came in both orders, because position and quality are then hard to
      tell apart. It is also skipped if the names are sorted in more than 95 % of the duels, or if the same slot, the
      first or the second, won all decided duels. In these two cases, the columns of the data do not contain the order
      in which items were shown.
    - *flips*: pairs of verdicts on the same two items. The two verdicts come from the same groups, and the items were
      shown in opposite orders. A flip is a pair in which the item shown first wins both times, or the item shown second
      wins both times. If position has no effect, the two kinds are equally frequent. The p-value comes from the exact
      binomial test. The share of flips is high even without an effect, so it is not tested.
    - *cycles*: the chi-square statistic :math:`\sum (Y - N p)^2 / (N p (1 - p))`, summed over the pairs of items. A
      pair has :math:`N` decided duels, :math:`Y` wins of its first item, and the fitted probability :math:`p`. The fit
      has an additional term :math:`b_3 (t_i - t_j)^3`, so that a wrong link function is not taken for cycles. Tied
      duels are left out, because half wins vary less than wins. With groups, the p-value comes from draws that multiply
      the residuals of each group by a random sign, and remove the part that the fitted parameters explain. Without
      groups, the p-value comes from the chi-square distribution with (pairs - items) degrees of freedom. If a pair has
      fewer than five decided duels, data are drawn from the fit and fitted again. With groups, the check then uses the
      larger of the two p-values. Fewer than eight groups have too few combinations of signs for a p-value of 0.01, so
      duels are then treated as independent. The size is the standard deviation of the pairs around the fit, in
      log-odds.
    - *clustering*: the design effect :math:`D = \sum_g |\sum_{l \in g} z_l|^2 / \sum_l |z_l|^2` [1]_. Here :math:`z_l`
      is the gradient of duel l, multiplied by the square root of the inverse information. The one-sided p-value comes
      from random signs of the duels. Drawing stops after ten draws with a value at least as large as in the data [2]_.
      For more than 100,000 different duels there are fewer draws, but at least 300. The value :math:`\sqrt{D}` is the
      ratio of the standard errors to the standard errors that independent duels would have. The check also warns if
      there are at least three groups and one of them has more than half of the duels. The standard errors that are
      computed from groups are then too small.

    **Limits.** The other checks compare a size with a limit:

    - *connectivity*: the number of components of items that met. Ratings of different components cannot be compared, so
      all other checks are skipped if there is a second component. With ``prior=0`` the check also requires that the
      worths are finite.
    - *coverage*: the width of the widest interval of an item, divided by the width in an even schedule with the same
      number of duels. In an even schedule, all pairs of items meet equally often. Both widths are computed as if all
      items were equally good. If the ratio is 2, the item would need four times as many duels to have the width of the
      even schedule.
    - *votes*: the median number of places in the 95 % intervals of the items. If it is more than a third of all places,
      the typical item cannot be assigned to the top, the middle or the bottom. With groups, errors come from the
      differences between groups, and are drawn from the t distribution. Without groups, they come from single duels,
      and are drawn from the normal distribution.
    - *separation*: the share of the pairs that differ, with 95 % confidence for all pairs together. A pair differs if
      its t statistic exceeds a quantile of the largest t in draws of the errors [3]_. Below a half, the data do not
      show the order of the typical pair. `seen` also contains the number of pairs of neighbours that differ according
      to the step-down method.
    - *ties*: the number of pairs whose order depends on the rule for ties. The order of such a pair is clear at a level
      of 0.01 if a tie is half a win. It is reversed if ties are left out, or with ``ties="davidson"``. `seen` contains
      the largest changes of places and of ratings.
    - *influence*: the least number of groups whose removal changes the first place. Newton steps :math:`H^{-1} s_g`
      choose the groups, and a fit without them confirms the change. Each group of more than a fifth of the duels is
      also left out alone. The check warns if the first place is clear when duels are treated as independent, but few
      groups decide it. "Few" means that two conditions hold. First, the number is one, or at most 1 % of all groups.
      Second, the number is at most a third of the number that would be needed if the groups had independent, normally
      distributed effects (`reference`). The check also warns if so few groups decide the order of other neighbours.
    - *prior*: the largest change of a rating if the prior is left out. If the change is more than half of the standard
      error, an interval of 95 % covers the truth in at most 92 % of cases.

    The user guide shows the share of generated boards on which each check warns (``benchmarks/audit.py``).

    Most of the time is spent on about ten fits of the model. A draw of random signs takes about as long as one step of
    a fit.

    References
    ----------
    .. [1] L. Kish, "Survey Sampling", Wiley, 1965.
    .. [2] J. Besag and P. Clifford, "Sequential Monte Carlo p-values", Biometrika 78, 1991.
    .. [3] P. H. Westfall and S. S. Young, "Resampling-based multiple testing", Wiley, 1993.

    Examples
    --------
    In these generated duels, the item shown first has an advantage of 0.5 log-odds:

    >>> import numpy as np
    >>> import pandas as pd
    >>> from skrankagg import RankedLists
    >>> from skrankagg.inspection import audit
    >>> rng = np.random.default_rng(0)
    >>> worth, names = np.linspace(1, -1, 5), np.array(["ant", "bee", "cat", "dog", "elk"])
    >>> first = rng.integers(0, 5, 2000)
    >>> second = (first + rng.integers(1, 5, 2000)) % 5
    >>> odds = np.exp(worth[first] - worth[second] + 0.5)
    >>> won = rng.random(2000) < odds / (1 + odds)
    >>> duels = pd.DataFrame({
    ...     "model_a": names[first], "model_b": names[second],
    ...     "winner": np.where(won, "model_a", "model_b"),
    ...     "judge": rng.integers(0, 100, 2000),
    ... })
    >>> found = audit(RankedLists.from_comparisons(duels, voter="judge", position=True))
    >>> found.loc[found["verdict"] == "warning", ["check", "value", "unit", "p"]].round(3)
          check    value unit    p
    4  position  100.538  Elo  0.0
    5     flips  104.228  Elo  0.0
    >>> print(found["seen"][4])
    The item shown first gains +100.5 Elo (standard error 9.8). Without this gain, 0 clear pairs would change order.
    >>> print(found["advice"][5])
    Read the verdicts with reconcile=True: if the winner changes with the order, the pair is a tie.
    """
    aggregator = PlackettLuce() if aggregator is None else aggregator
    check_count("n_resamples", n_resamples)
    lists = begin(aggregator, lists, warn=False)
    if not isinstance(aggregator, PlackettLuce):
        raise InputTypeError(f"`aggregator` must be PlackettLuce or None; got {aggregator!r}. Pass PlackettLuce().")
    check_board(lists)
    board = AuditedDuels(lists, _unit(lists, unit), float(aggregator.prior))
    frame = pd.DataFrame(_rows(board, lists, aggregator, n_resamples, random_state), columns=Check._fields)
    return _AuditFrame(frame)._with_board(board)


def _unit(lists, unit):
    """Return the name of the column that divides the duels into independent groups.

    A duel is a paired comparison. None means that all duels are independent.
    """
    voting = lists.list_weight > 0
    numbers = {name: lists.list_groups[name][voting].nunique() for name in group_names(lists)}
    if unit is None:
        return next((name for name, number in numbers.items() if number > 1), None)
    if numbers.get(unit) == 1:
        raise InputError(
            f"`unit` must be a grouping of at least two groups; {unit!r} has only one group. Name another grouping, "
            "or pass 'list'."
        )
    return None if unit == "list" else unit


def _rows(board, lists, aggregator, n_resamples, random_state):
    """Run all checks of the audit, and return a row for each check."""
    first = connectivity(board)
    if first.verdict == "warning":
        reason = "The items are not connected."
        return [first, *(skipped(check, unit, np.nan, reason, first.advice) for check, unit in _CHECKS.items())]
    # Each check has its own random numbers, so its result does not depend on the other checks.
    seeds = check_random_state(random_state).randint(2**31, size=3)
    draws, signs, wins = (np.random.default_rng(seed) for seed in seeds)
    errors = board.draws(n_resamples, draws)
    return [
        first,
        coverage(board),
        votes(board, errors),
        separation(board, errors),
        position(board, lists, POSITION in (aggregator.covariates or ())),
        flips(board),
        ties(board, lists),
        cycles(board, n_resamples, wins),
        clustering(board, n_resamples, signs),
        influence(board),
        prior(board),
    ]


class _AuditFrame(pd.DataFrame):
    """Frame of an audit that is printed as a table and sentences; all operations on it return plain frames."""

    @property
    def _constructor(self):
        return pd.DataFrame

    def _with_board(self, board):
        sizes = [f"{board.n:,} items", f"{board.n_duels:,} duels"]
        if board.group is not None:
            sizes.append(f"{board.n_groups:,} groups by {board.unit}")
        self.attrs["board"] = ", ".join(sizes)
        return self

    def __repr__(self):
        return text_of(self)

    def _repr_html_(self):
        table = table_of(self).assign(seen=self["seen"], advice=self["advice"])
        with pd.option_context("display.max_colwidth", None):
            return f"<p>{escape(_head(self))}</p>\n{table.to_html(index=False)}"


def table_of(frame):
    """Return a text table with the columns check, value, reference, p and verdict of an audit."""
    return pd.DataFrame(
        {
            "check": frame["check"],
            "value": [_number(value, unit) for value, unit in zip(frame["value"], frame["unit"], strict=True)],
            "reference": [_number(one) for one in frame["reference"]],
            "p": [show_pvalue(p, 3) for p in frame["p"]],
            "verdict": frame["verdict"],
        }
    )


def text_of(frame):
    """Write an audit as a table, followed by the sentences of the checks that warn or that were skipped."""
    table = table_of(frame)
    left = [table.columns.get_loc(name) for name in ("check", "value", "verdict")]
    cells = [list(table), *table.itertuples(index=False, name=None)]
    lines = [_head(frame), "", aligned_table(cells, left)]
    told = {}
    for row in frame[frame["verdict"] != "ok"].itertuples(index=False):
        words = " ".join(filter(None, (row.seen, row.advice)))
        told.setdefault((row.verdict, words), []).append(row.check)
    for (verdict, words), names in told.items():
        words = f"{', '.join(names)} ({verdict}): {words}"
        lines += ["", *textwrap.wrap(words, _WIDTH, subsequent_indent="  ", break_on_hyphens=False)]
    return "\n".join(lines)


def _head(frame):
    counts = [(int((frame["verdict"] == one).sum()), one) for one in ("warning", "ok", "skipped")]
    words = ", ".join(f"{n} {one}{'s' if one == 'warning' and n != 1 else ''}" for n, one in counts)
    return f"{frame.attrs['board']}: {words}"


def _number(value, unit=""):
    if np.isnan(value):
        return "-"
    if np.isinf(value):
        return "no limit"
    text = f"{value:,.0f}" if abs(value) >= 100 or value == round(value) else f"{value:.3g}"
    return f"{text} {_SINGULAR.get(unit, unit) if value == 1 else unit}".rstrip()
