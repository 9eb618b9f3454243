"""Conversion of a consensus to text such as "A > B = C", and computation of ranks for tied items."""

from typing import Literal, TypeAlias

import numpy as np
import pandas as pd

from .._data._frames import plain_index
from .._data._ranked_lists import check_run
from .._data._types import AnyLists
from .._support._checks import check_choice
from ..exceptions import InputError

__all__ = ["ranking_text"]

#: The ways to choose the ranks of tied items.
RankTies: TypeAlias = Literal["ordinal", "min", "dense"]


def check_rank_ties(rank_ties):
    """Raise InputError unless `rank_ties` is "ordinal", "min" or "dense"."""
    check_choice("rank_ties", rank_ties, ("ordinal", "min", "dense"))


def tied_ranks(frame, rank_ties):
    """Return an array with the rank of each row; neighbouring rows with equal scores share a rank.

    The frame has the columns query, rank and score, and may have a column voter. After a tie, "min" skips ranks, as in
    1, 1, 3. "dense" skips no ranks, as in 1, 1, 2.
    """
    lists = frame.groupby([name for name in ("query", "voter") if name in frame], sort=False).ngroup().to_numpy()
    order = np.lexsort((frame["rank"].to_numpy(), lists))
    score, lists = frame["score"].to_numpy()[order], lists[order]
    opens_list = np.ones(len(order), dtype=bool)
    opens_list[1:] = lists[1:] != lists[:-1]
    opens_tie = opens_list.copy()
    opens_tie[1:] |= score[1:] != score[:-1]
    number = np.cumsum(opens_tie) if rank_ties == "dense" else np.arange(1, len(order) + 1)
    # The rank is computed for the first item of each tie, and is counted from the first item of each list.
    number = number[np.flatnonzero(opens_tie)][np.cumsum(opens_tie) - 1]
    number -= number[np.flatnonzero(opens_list)][np.cumsum(opens_list) - 1] - 1
    ranks = np.empty(len(order), dtype=np.int64)
    ranks[order] = number
    return ranks


def ranking_text(consensus: AnyLists, *, rank_ties: RankTies = "ordinal") -> pd.Series:
    """Write the ranking of each query as text, such as "A > B = C".

    Parameters
    ----------
    consensus : DataFrame or RankedLists
        One list for each query, as in an aggregator's consensus.
    rank_ties : {"ordinal", "min", "dense"}, default="ordinal"
        ``"ordinal"`` writes " > " between all items, in the order of the ranks. ``"min"`` and ``"dense"`` write " = "
        between neighbours of equal score or equal rank.

    Returns
    -------
    Series of str
        The ranking of each query, indexed by query; the name of the Series is "ranking".

    Raises
    ------
    ValueError
        If a query has several lists. If an id contains ">" or "=", is empty, or has blanks around it, because the
        resulting text could not be read back.

    See Also
    --------
    skrankagg.RankedLists.from_ballots : Reads such text.
    write_run : Writes a consensus to a file.

    Examples
    --------
    >>> from skrankagg import Copeland, RankedLists
    >>> from skrankagg.datasets import ranking_text
    >>> ballots = RankedLists.from_ballots(["A > B = C", "B > A = C", "A > C > B"])
    >>> consensus = Copeland().fit_transform(ballots)
    >>> consensus["score"].tolist()
    [2.0, 0.5, 0.5]
    >>> ranking_text(consensus)["q"], ranking_text(consensus, rank_ties="min")["q"]
    ('A > B > C', 'A > B = C')
    """
    check_rank_ties(rank_ties)
    lists = check_run(consensus)
    held = np.unique(lists.candidate_item)
    items = np.full(lists.n_items, "", dtype=object)
    items[held] = [str(one) for one in plain_index(lists.items)[held].tolist()]
    for name in items[held]:
        if not name or name != name.strip() or ">" in name or "=" in name:
            raise InputError(
                "Ids must not be empty, must not contain '>' or '=', and must not begin or end with a blank, because "
                f"otherwise the text cannot be read back; got {name!r}. Rename it."
            )
    names = items[lists.candidate_item[lists.candidate]]
    separator = np.full(len(names), " > ", dtype=object)
    if rank_ties != "ordinal":
        tied = lists.rank[1:] == lists.rank[:-1]
        if lists.score is not None:
            tied |= lists.score[1:] == lists.score[:-1]
        separator[1:][tied] = " = "
    separator[lists.row_ptr[:-1]] = ""
    words = (separator + names).tolist()
    text = ["".join(words[start:stop]) for start, stop in zip(lists.row_ptr[:-1], lists.row_ptr[1:], strict=True)]
    return pd.Series(text, index=plain_index(lists.queries).rename("query"), name="ranking", dtype=str)
