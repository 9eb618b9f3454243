"""Description of the rounds of an elimination, such as instant runoff, in a table and in words."""

from __future__ import annotations

import textwrap
from collections.abc import Hashable
from typing import NamedTuple

import pandas as pd

from .._data._ranked_lists import check_lists, encode_plain
from .._data._types import PlainLists
from ..aggregators import SequentialElimination
from ..base import BaseAggregator
from ..exceptions import InputTypeError
from ._arguments import begin

__all__ = ["EliminationRounds", "elimination_rounds"]

_WIDTH = 100
# Largest number of items whose votes a sentence contains.
_MOST_NAMED = 8
# Names of the votes that a round counts, and the reasons why items leave.
_COUNTED = {"plurality": "first places", "veto": "last places", "borda": "Borda points", "borda-mean": "Borda points"}
_EXTREME = {"plurality": "the fewest first places", "veto": "the most last places", "borda": "the fewest Borda points"}


class EliminationRounds(NamedTuple):
    """Rounds of an elimination, as a frame and as a text; ``print`` shows the text.

    :func:`elimination_rounds` returns this object.

    Parameters
    ----------
    frame : DataFrame
        A row for each query, round and remaining item, as in ``SequentialElimination.rounds_``.
    text : str
        The same rounds in sentences, in lines of at most 100 characters.

    See Also
    --------
    elimination_rounds : Describes the rounds of ranked lists.

    Examples
    --------
    >>> from skrankagg import RankedLists, SequentialElimination
    >>> from skrankagg.inspection import elimination_rounds
    >>> ballots = RankedLists.from_ballots(["Ann > Bob", "Bob > Ann", "Cy > Bob"],
    ...     counts=[4, 3, 2])
    >>> elimination_rounds(SequentialElimination(), ballots)
    EliminationRounds(1 query, 2 rounds)
    """

    frame: pd.DataFrame
    text: str

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        n_queries = self.frame["query"].nunique()
        n_rounds = len(self.frame[["query", "round"]].drop_duplicates())
        return f"EliminationRounds({_number_of(n_queries, 'query', 'queries')}, {_number_of(n_rounds, 'round')})"


def elimination_rounds(
    aggregator: BaseAggregator, lists: PlainLists, *, query: Hashable | None = None
) -> EliminationRounds:
    """Describe each round of instant runoff, or of another elimination rule, in a table and in words.

    Parameters
    ----------
    aggregator : aggregator
        The rule, a :class:`~skrankagg.aggregators.SequentialElimination`. It needs no fit, and is not changed.
    lists : DataFrame or RankedLists of n_queries queries, or dict or list of lists
        Ranked lists, such as the ballots of an election.
    query : id, default=None
        Id of the only query to describe; None describes all queries.

    Returns
    -------
    EliminationRounds
        A named tuple of `frame` and `text`. The frame has the columns of ``SequentialElimination.rounds_``: `query`,
        `round`, `item`, `votes`, `share`, `leaves`, `exhausted` and `tie`. The text has a sentence about the votes of
        each round and a sentence about the items that leave. If there are several queries, their texts are separated by
        an empty line.

    Raises
    ------
    TypeError
        If `aggregator` is not a SequentialElimination.
    ValueError
        If the lists do not contain the query, or if the aggregator cannot aggregate the lists.

    See Also
    --------
    skrankagg.aggregators.SequentialElimination : Computes the consensus; ``rounds_`` contains the table after ``fit``.
    skrankagg.plotting.EliminationDisplay : Plots the votes by round.
    election_report : Compares the winners of several rules.
    margin_of_victory : Computes the smallest number of votes whose removal changes the winner.

    Examples
    --------
    >>> from skrankagg import RankedLists, SequentialElimination
    >>> from skrankagg.inspection import elimination_rounds
    >>> ballots = RankedLists.from_ballots(["Ann > Bob", "Bob > Ann", "Cy > Bob", "Cy"],
    ...     counts=[4, 3, 1, 1])
    >>> rounds = elimination_rounds(SequentialElimination(), ballots)
    >>> print(rounds)
    9 votes and 3 items, counted by first places.
    Round 1: Ann 4 (44.4 %), Bob 3 (33.3 %), Cy 2 (22.2 %). Cy has the fewest first places and leaves.
    Round 2: Ann 4 (50.0 %), Bob 4 (50.0 %), exhausted 1. Ann and Bob tie and win together.
    >>> rounds.frame[["round", "item", "votes", "exhausted"]].tail(2)
       round item  votes  exhausted
    3      2  Ann    4.0        1.0
    4      2  Bob    4.0        1.0
    """
    if not isinstance(aggregator, SequentialElimination):
        raise InputTypeError(
            f"`aggregator` must be a SequentialElimination; got {aggregator!r}. For instant runoff, pass "
            "SequentialElimination()."
        )
    lists = encode_plain(lists)
    if query is not None:
        lists = check_lists(lists).select(queries=[query])
    lists = begin(aggregator, lists)
    frame = aggregator._rounds(lists)
    weight = lists.sum_over_lists(lists.list_weight).tolist()
    groups = [own for _, own in frame.groupby("query", sort=False, observed=True)]
    texts = [
        _text(own, total, aggregator, own["query"].iloc[0] if len(groups) > 1 else None)
        for own, total in zip(groups, weight, strict=True)
    ]
    return EliminationRounds(frame, "\n\n".join(texts))


def _text(frame, total, aggregator, query):
    """Return sentences that describe the rounds of one query."""
    rule, counted = aggregator.rule, _COUNTED[aggregator.rule]
    if aggregator.absent == "ignore" and counted != "Borda points":
        counted += " minus the mean of each list"
    rounds = [own for _, own in frame.groupby("round")]
    start = "" if query is None else f"Query {query}: "
    lines = [f"{start}{_number_of(total, 'vote')} and {_number_of(len(rounds[0]), 'item')}, counted by {counted}."]
    for number, own in enumerate(rounds, 1):
        sentences = [_votes(own), _leaving(own, rule)]
        if number == len(rounds):
            sentences.append(_winners(own))
        lines.append(f"Round {number}: " + " ".join(filter(None, sentences)))
    return "\n".join(textwrap.fill(line, _WIDTH, subsequent_indent="  ", break_on_hyphens=False) for line in lines)


def _votes(own):
    shown = own.head(_MOST_NAMED)
    parts = [
        f"{item} {show_votes(votes)}" + ("" if pd.isna(share) else f" ({100 * share:.1f} %)")
        for item, votes, share in zip(shown["item"], shown["votes"], shown["share"], strict=True)
    ]
    if len(own) > len(shown):
        parts.append(f"{len(own) - len(shown)} more items")
    if own["exhausted"].iloc[0] > 0:
        parts.append(f"exhausted {show_votes(own['exhausted'].iloc[0])}")
    return ", ".join(parts) + "."


def _leaving(own, rule):
    leaving = own[own["leaves"]]
    if not len(leaving):
        return ""
    names, several = name_items(leaving["item"]), len(leaving) > 1
    if rule == "borda-mean":
        return f"{names} {'have' if several else 'has'} less than the mean, 0, and leave{'' if several else 's'}."
    if not several:
        return f"{names} has {_EXTREME[rule]} and leaves."
    if rule == "plurality" and (leaving["votes"] == 0).all():
        return f"{names} have no first places and leave together."
    return f"{names} tie for {_EXTREME[rule]} and leave together."


def _winners(own):
    winners = own[~own["leaves"]]
    if len(winners) > 1:
        return f"{name_items(winners['item'])} tie and win together."
    return f"{name_items(winners['item'])} wins."


def name_items(items, most=_MOST_NAMED):
    """Return a text such as "a, b and c"; with more than `most` items, it ends with the number of unnamed items."""
    names = [str(item) for item in items]
    if len(names) > most:
        names = [*names[: most - 1], f"{len(names) - most + 1} more items"]
    return names[0] if len(names) == 1 else ", ".join(names[:-1]) + f" and {names[-1]}"


def show_votes(votes):
    """Return a number of votes as text, such as "2.5"; the number has at most 10 digits."""
    return f"{votes:.10g}"


def _number_of(number, one, many=None):
    return f"{show_votes(number)} {one if number == 1 else many or one + 's'}"
