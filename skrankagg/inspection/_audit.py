"""Audit of a board of paired comparisons: checks of the data behind a leaderboard, one row for each check."""

from __future__ import annotations

import textwrap

import numpy as np
import pandas as pd
from sklearn.utils import check_random_state

from .._data._list_columns import group_names
from .._data._types import PlainLists
from .._support._checks import check_count
from ..aggregators import PlackettLuce
from ..base import BaseAggregator
from ..exceptions import InputTypeError
from ._arguments import begin
from ._audit_bias import cycles, flips, position
from ._audit_checks import Check, connectivity, coverage, prior, separation, skipped, ties, votes
from ._audit_groups import clustering, influence
from ._audited_duels import AuditedDuels, check_board

__all__ = ["audit"]

_WIDTH = 100
#: The checks after connectivity, with the unit of the value and the reference of a board without the defect.
_CHECKS = {
    "coverage": "times as wide",
    "votes": "places",
    "separation": "gaps",
    "position": "Elo",
    "flips": "Elo",
    "ties": "clear pairs",
    "cycles": "logits",
    "clustering": "times the error",
    "influence": "duels",
    "prior": "Elo",
}
#: Units of values, for the number 1.
_SINGULAR = {"components": "component", "places": "place", "gaps": "gap", "clear pairs": "clear pair"}


def audit(
    lists: PlainLists,
    aggregator: BaseAggregator | None = None,
    *,
    unit: str | None = None,
    n_resamples: int = 1000,
    random_state: int | np.random.RandomState | None = 0,
) -> pd.DataFrame:
    """Check."""
    aggregator = PlackettLuce() if aggregator is None else aggregator
    check_count("n_resamples", n_resamples)
    lists = begin(aggregator, lists, warn=False)
    if not isinstance(aggregator, PlackettLuce):
        raise InputTypeError(f"`aggregator` must be PlackettLuce or None; got {aggregator!r}. Pass PlackettLuce().")
    check_board(lists)
    if unit is None:
        unit = next(iter(group_names(lists)), "list")
    board = AuditedDuels(lists, None if unit == "list" else unit, float(aggregator.prior))
    frame = pd.DataFrame(_rows(board, lists, n_resamples, random_state), columns=Check._fields)
    return _AuditFrame(frame)._with_board(board)


def _rows(board, lists, n_resamples, random_state):
    """Return the rows of the audit."""
    first = connectivity(board)
    if first.verdict == "warning":
        reason = "The items are not connected."
        return [first, *(skipped(check, unit, np.nan, reason, first.advice) for check, unit in _CHECKS.items())]
    # Each check draws by itself, so its result does not depend on the other checks.
    seeds = check_random_state(random_state).randint(2**31, size=3)
    draws, signs, wins = (np.random.default_rng(seed) for seed in seeds)
    errors = board.draws(n_resamples, draws)
    return [
        first,
        coverage(board),
        votes(board, errors),
        separation(board, errors),
        position(board),
        flips(board),
        ties(board, lists),
        cycles(board, n_resamples, wins),
        clustering(board, n_resamples, signs),
        influence(board),
        prior(board),
    ]


class _AuditFrame(pd.DataFrame):
    """Frame of an audit whose text and HTML show whole sentences; all operations on it return plain frames."""

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
            return f"<p>{_head(self)}</p>\n{table.to_html(index=False)}"


def table_of(frame):
    """Return the columns check, value, reference, p and verdict of an audit as text."""
    return pd.DataFrame(
        {
            "check": frame["check"],
            "value": [_number(value, unit) for value, unit in zip(frame["value"], frame["unit"], strict=True)],
            "reference": [_number(one) for one in frame["reference"]],
            "p": ["-" if np.isnan(p) else "<.001" if p < 0.001 else f"{p:.3f}" for p in frame["p"]],
            "verdict": frame["verdict"],
        }
    )


def text_of(frame):
    """Write an audit as a table, followed by the sentences of the checks that warn or that were skipped."""
    table = table_of(frame)
    cells = [list(table), *table.itertuples(index=False, name=None)]
    widths = [max(len(row[k]) for row in cells) for k in range(len(table.columns))]
    left = {"check", "value", "verdict"}
    lines = [
        "  ".join(
            text.ljust(width) if name in left else text.rjust(width)
            for text, width, name in zip(row, widths, table, strict=True)
        ).rstrip()
        for row in cells
    ]
    lines = [_head(frame), "", lines[0], "-" * max(map(len, lines)), *lines[1:]]
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
