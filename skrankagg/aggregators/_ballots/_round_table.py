"""Table of the rounds of an elimination: the votes of each item in each round, and the items that leave."""

import numpy as np

from ..._arrays import TOLERANCE
from ..._arrays._pairwise import candidates_of, preference_blocks
from ..._arrays._preferences import margins
from ..._data._frames import frame_of, take_ids
from ..._support._memory import check_memory
from ._rounds import Votes

# Bytes that a row of the table needs while it is built, as measured.
_ROW_BYTES = 120.0


def round_table(lists, unit, score, rule, absent):
    """Return a frame with a row for each query, round and remaining item.

    The columns are described in ``SequentialElimination.rounds_``. `lists` has the weights that ``count_in_units``
    returns. `unit`, of shape (n_queries,), contains the factor by which they were divided in each query. `score`
    contains the number of rounds that each candidate survives.
    """
    query, heads = lists.candidate_query, lists.candidate_ptr[:-1]
    last, survived = np.maximum.reduceat(score, heads), score.astype(np.int64)
    wins = score == last[query]
    n_winners = np.add.reduceat(wins.astype(np.int64), heads)
    # A single winner needs no additional round, except in a query with a single item.
    n_rounds = np.maximum(last + (n_winners > 1), 1).astype(np.int64)
    length = np.minimum(survived + 1, n_rounds[query])
    n_rows = int(length.sum())
    check_memory(_ROW_BYTES * n_rows, lambda: ("A table of rounds", f"{n_rows} rows", "select fewer queries"))
    candidate = np.repeat(np.arange(lists.n_candidates), length)
    number = np.arange(len(candidate)) - np.repeat(np.cumsum(length) - length, length)
    total = _totals(lists, survived, candidate, number, int(n_rounds.max()), rule, absent)
    own = query[candidate]
    votes = total * unit[own] * (-1.0 if rule == "veto" else 1.0) + 0.0
    exhausted = _exhausted(lists, survived, n_rounds) * unit[:, None]
    counted = lists.sum_over_lists(lists.list_weight) * unit
    leaves = ~wins[candidate] & (number == survived[candidate])
    order = np.lexsort((candidate, votes if rule == "veto" else -votes, number, own))
    candidate, number, own = candidate[order], number[order], own[order]
    votes, leaves, gone = votes[order], leaves[order], exhausted[own, number]
    share = np.full(len(votes), np.nan)
    if rule in ("plurality", "veto") and absent == "last":
        left = counted[own] - gone
        np.divide(votes, left, out=share, where=left > TOLERANCE * counted[own])
    return frame_of(
        {
            "query": take_ids(lists.queries, own),
            "round": number + 1,
            "item": take_ids(lists.items, lists.candidate_item[candidate]),
            "votes": votes,
            "share": share,
            "leaves": leaves,
            "exhausted": gone,
            "tie": _ties(own, number, leaves, n_rounds, rule),
        }
    )


def _totals(lists, survived, candidate, number, n_rounds, rule, absent):
    """For each row of the table of rounds, return the item's votes or points in this round.

    `candidate` and `number` contain the candidate and the round of each row, with rounds counted from 0. The result is
    measured in the list weights of `lists`.
    """
    total = np.empty(len(candidate))
    by_round = np.argsort(number, kind="stable")
    ends = np.searchsorted(number[by_round], np.arange(n_rounds + 1))
    if rule in ("plurality", "veto"):
        votes = Votes(lists, rule, absent)
        for k in range(n_rounds):
            rows = by_round[ends[k] : ends[k + 1]]
            total[rows] = votes.count()[candidate[rows]]
            votes.remove(np.flatnonzero(survived == k))
        return total
    for queries, prefer in preference_blocks(lists, absent):
        own = candidates_of(lists, queries)
        deficit, rounds = margins(prefer), survived[own]
        points = -deficit.sum(axis=2)
        place = np.full(lists.n_candidates, -1)
        place[own] = np.arange(own.size).reshape(own.shape)
        for k in range(int(rounds.max()) + 1):
            rows = by_round[ends[k] : ends[k + 1]] if k < n_rounds else by_round[:0]
            rows = rows[place[candidate[rows]] >= 0]
            total[rows] = points.ravel()[place[candidate[rows]]]
            points += (deficit * (rounds == k)[:, None, :]).sum(axis=2)
    return total


def _exhausted(lists, survived, n_rounds):
    """For each query (row) and round (column), return the total weight of the lists whose items have all left."""
    gone = np.zeros((lists.n_queries, int(n_rounds.max()) + 1))
    end = np.maximum.reduceat(survived[lists.candidate], lists.row_ptr[:-1]) + 1
    end = np.minimum(end, gone.shape[1] - 1)
    np.add.at(gone, (lists.list_query, end), lists.list_weight)
    return np.cumsum(gone, axis=1)


def _ties(query, number, leaves, n_rounds, rule):
    """Return the column `tie`: how a tie of the row's item with other items was decided, or "" without such a tie."""
    text = np.full(len(query), "", dtype=object)
    width = int(n_rounds.max())
    key = query * width + number
    if rule != "borda-mean":  # Nanson's rule compares items with the mean, not with each other
        text[leaves & (np.bincount(key[leaves], minlength=key.max() + 1) > 1)[key]] = "leave together"
    final = (number == n_rounds[query] - 1) & ~leaves
    text[final & (np.bincount(key[final], minlength=key.max() + 1) > 1)[key]] = "win together"
    return text
