"""Comparison of election rules: the winners, their margins, and the winners without the last item."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Hashable, Mapping
from typing import NamedTuple

import numpy as np
import pandas as pd

from .._data._frames import frame_of, take_ids
from .._data._ranked_lists import check_lists, encode_plain
from .._data._types import PlainLists
from ..aggregators import (
    BordaCount,
    Bucklin,
    Copeland,
    Kemeny,
    Minimax,
    PositionalScoring,
    RankedPairs,
    Schulze,
    SequentialElimination,
    condorcet_winner,
    smith_set,
)
from ..base import BaseAggregator
from ..exceptions import InputError, InputTypeError
from ._elimination_rounds import name_items, show_votes
from ._margin import margin_of_victory

__all__ = ["ElectionReport", "election_report"]

_INDENT, _WIDTH = "  ", 100
# Largest number of items in a cell of the table.
_MOST_NAMED = 3


class ElectionReport(NamedTuple):
    """Results of an election by several rules, as a frame and as a text; ``print`` shows the text.

    :func:`election_report` returns this object.

    Parameters
    ----------
    frame : DataFrame
        A row for each query and rule, see :func:`election_report`.
    text : str
        The same results in sentences and a table.

    See Also
    --------
    election_report : Compares the rules.

    Examples
    --------
    >>> from skrankagg import RankedLists
    >>> from skrankagg.inspection import election_report
    >>> election_report(RankedLists.from_ballots(["Ann > Bob", "Bob > Ann"], counts=[4, 3]))
    ElectionReport(1 query, 10 rules)
    """

    frame: pd.DataFrame
    text: str

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        n_queries, n_rules = self.frame["query"].nunique(), self.frame["rule"].nunique()
        return (
            f"ElectionReport({n_queries} {'query' if n_queries == 1 else 'queries'}, "
            f"{n_rules} rule{'' if n_rules == 1 else 's'})"
        )


def election_report(
    lists: PlainLists,
    rules: Mapping[str, BaseAggregator] | None = None,
    *,
    query: Hashable | None = None,
    time_limit: float | None = 1.0,
) -> ElectionReport:
    """Report who wins an election under each rule, by what margin, and who wins if the last item drops out.

    Parameters
    ----------
    lists : DataFrame or RankedLists of n_queries queries, or dict or list of lists
        Ranked lists, such as ballots.
    rules : mapping of str to aggregator, default=None
        The rules by name. None compares ten rules: plurality, instant runoff, Coombs, Borda, Bucklin, Copeland,
        minimax, ranked pairs, Schulze and Kemeny.
    query : id, default=None
        Id of the only query to report on; None reports on all queries.
    time_limit : float or None, default=1.0
        Time limit for the margin of each query and rule in seconds, as in :func:`margin_of_victory`.

    Returns
    -------
    ElectionReport
        A named tuple of `frame` and `text`. The frame has a row for each query and rule:

        - `query`, and `rule`, the name of the rule;
        - `winners`, tuple: the items with the highest score, usually one item;
        - `margin`, `lower_bound`, `upper_bound` and `optimal`, as in :func:`margin_of_victory`;
        - `last`, tuple: the items with the lowest score, or an empty tuple if all items tie;
        - `winners_without_last`, tuple: the winners if the items in `last` drop out of all ballots.

        The text names the Condorcet winner, or the items of the Smith set. It contains a table of the rules. If there
        are several queries, their texts are separated by an empty line.

    Raises
    ------
    TypeError
        If `rules` is not a mapping, or a rule is not an aggregator.
    ValueError
        If there are no rules, or if the lists do not contain the query. If a rule cannot aggregate the lists, or does
        not accept weights of lists.

    See Also
    --------
    margin_of_victory : Computes the margins.
    elimination_rounds : Describes the rounds of instant runoff.
    rank_stability : Resamples the ballots, to show how certain the places are.
    skrankagg.aggregators.condorcet_winner : Finds the item that a majority prefers to each other item.

    Notes
    -----
    If the last items drop out, the other items keep their order in each ballot. Ballots without any other item are left
    out. Under rules that use only majorities, such as Schulze's, the last item can change the winner only if the
    majorities form a cycle, which is rare. Under plurality, an item without a chance often takes votes from a similar
    item.

    The margin is the number of votes to remove. If weights are not integers, it is the weight of whole lists to remove.

    Examples
    --------
    >>> from skrankagg import PositionalScoring, RankedLists, Schulze, SequentialElimination
    >>> from skrankagg.inspection import election_report
    >>> ballots = RankedLists.from_ballots(["Ann > Bob > Cy", "Cy > Bob > Ann",
    ...     "Bob > Cy > Ann"], counts=[8, 6, 5])
    >>> rules = {"plurality": PositionalScoring(),
    ...          "instant runoff": SequentialElimination(), "Schulze": Schulze()}
    >>> report = election_report(ballots, rules)
    >>> print(report)
    19 votes and 3 items. Bob is the Condorcet winner: a majority prefers Bob to each other item.
      rule            winner  margin            without the last
      plurality       Ann     2 votes (10.5 %)  without Bob: Cy
      instant runoff  Cy      1 vote (5.3 %)    without Bob: Cy
      Schulze         Bob     4 votes (21.1 %)  without Ann: Bob
    >>> report.frame["winners"].tolist()
    [('Ann',), ('Cy',), ('Bob',)]
    """
    rules = _check_rules(rules)
    lists = check_lists(encode_plain(lists))
    if query is not None:
        lists = lists.select(queries=[query])
    rows, texts = [], []
    for q in range(lists.n_queries):
        one = lists if lists.n_queries == 1 else lists.take([q])
        own = [(name, *_result(rule, one, time_limit)) for name, rule in rules.items()]
        rows += [(q, *row) for row in own]
        texts.append(_text(one, own, lists.n_queries > 1))
    position, name, winners, margin, lower, optimal, last, after = zip(*rows, strict=True)
    frame = frame_of(
        {
            "query": take_ids(lists.queries, np.array(position)),
            "rule": np.array(name, dtype=object),
            "winners": _tuples(winners),
            "margin": np.array(margin),
            "lower_bound": np.array(lower),
            "upper_bound": np.array(margin),
            "optimal": np.array(optimal, dtype=bool),
            "last": _tuples(last),
            "winners_without_last": _tuples(after),
        }
    )
    return ElectionReport(frame, "\n\n".join(texts))


def _check_rules(rules):
    if rules is None:
        return {
            "plurality": PositionalScoring(),
            "instant runoff": SequentialElimination(),
            "Coombs": SequentialElimination(rule="veto"),
            "Borda": BordaCount(),
            "Bucklin": Bucklin(),
            "Copeland": Copeland(),
            "minimax": Minimax(),
            "ranked pairs": RankedPairs(),
            "Schulze": Schulze(),
            "Kemeny": Kemeny(),
        }
    if not isinstance(rules, Mapping) or not all(
        isinstance(name, str) and isinstance(rule, BaseAggregator) for name, rule in rules.items()
    ):
        raise InputTypeError(
            f"`rules` must be a dict that maps names to aggregators; got {rules!r}. Pass a dict such as "
            "{'Schulze': Schulze()}."
        )
    if not rules:
        raise InputError("`rules` must have at least one rule; got none. Leave out `rules` to compare ten rules.")
    return dict(rules)


def _result(rule, lists, time_limit):
    """Return the results of an election under one rule, as a tuple.

    The tuple contains the winners, and the columns `margin`, `lower_bound` and `optimal` of :func:`margin_of_victory`.
    Its last two elements are the items with the lowest score, and the winners if these items are removed.
    """
    winners, last = _ends(rule, lists)
    margin = margin_of_victory(rule, lists, time_limit=time_limit).iloc[0]
    after = ()
    if last:
        gone = lists.items[lists.candidate_item].isin(last)
        after = _ends(rule, lists.select(items=lists.items[lists.candidate_item[~gone]].tolist()))[0]
    return winners, margin["margin"], margin["lower_bound"], margin["optimal"], last, after


def _ends(rule, lists):
    """Return the items with the highest score under `rule`, and the items with the lowest score, as two tuples.

    If all items tie, the second tuple is empty.
    """
    consensus = rule._rank(rule._begin(lists)).to_frame()
    items, score = np.array(consensus["item"].tolist(), dtype=object), consensus["score"].to_numpy()
    first, last = score == score[0], score == score[-1]
    return tuple(items[first].tolist()), () if first.all() else tuple(items[last].tolist())


def _tuples(values):
    column = np.empty(len(values), dtype=object)
    column[:] = values
    return column


def _text(lists, rows, with_query):
    """Return a text about the results of one query: a sentence about the majorities, and a table of the rules."""
    total = float(lists.list_weight.sum())
    whole = bool((lists.list_weight % 1 == 0).all())
    heading = f"Query {lists.queries[[0]].tolist()[0]}: " if with_query else ""
    n_items = lists.n_candidates
    heading += f"{show_votes(total)} {'vote' if total == 1 else 'votes'} and {n_items} item{'s' * (n_items != 1)}."
    table = [("rule", "winner", "margin", "without the last")]
    for name, winners, margin, lower, optimal, last, after in rows:
        without = f"without {name_items(last, _MOST_NAMED)}: {name_items(after, _MOST_NAMED)}" if last else "-"
        table.append((name, name_items(winners, _MOST_NAMED), _margin(margin, lower, optimal, total, whole), without))
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    lines = [
        (_INDENT + "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True))).rstrip()
        for row in table
    ]
    first = textwrap.fill(f"{heading} {_majorities(lists)}", _WIDTH, break_on_hyphens=False)
    return "\n".join([first, *lines])


def _majorities(lists):
    winner = condorcet_winner(lists)["item"]
    if winner.notna().all():
        name = str(winner.iloc[0])
        if lists.n_candidates == 1:
            return f"{name} is the only item."
        return f"{name} is the Condorcet winner: a majority prefers {name} to each other item."
    best = smith_set(lists)["item"].tolist()
    words = "There is no Condorcet winner: no item is preferred to each other item by a majority."
    if len(best) < lists.n_candidates:
        words += f" {name_items(best)} beat all other items."
    return words


def _margin(margin, lower, optimal, total, whole):
    """Describe a margin of victory as a text, such as "3 votes (1.5 %)" with the share of all votes.

    If `whole` is false, the margin is a total weight instead of a number of votes. If the margin is not proven, the
    text contains the bounds `lower` and `margin`.
    """
    if margin == 0:
        return "tie"
    if math.isinf(margin):
        return "cannot be lost" if optimal else f"at least {show_votes(lower)}"
    unit = ("vote" if margin == 1 else "votes") if whole else "of weight"
    if not optimal:
        return f"{show_votes(lower)} to {show_votes(margin)} {unit}"
    share = 100 * margin / total
    return f"{show_votes(margin)} {unit} ({'<0.1' if share < 0.05 else f'{share:.1f}'} %)"
