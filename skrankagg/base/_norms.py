"""Norms of scores as parameters: what they may be, what they refuse, and what they give items that a list lacks."""

from typing import Literal, TypeAlias

import numpy as np

from .._arrays._normalize import NORMS, SCORE_NORMS, lowest_values
from .._data._frames import first_row, show_id
from .._support._sklearn import StrOptions
from ..exceptions import InputError

Norm: TypeAlias = Literal[
    "borda", "dbsf", "l2", "max", "min-max", "rank", "reciprocal", "simple-borda", "sum", "z-score"
]
AbsentScore: TypeAlias = Literal["zero", "min"]
NORM = {"norm": [StrOptions(set(NORMS) - {None}), None]}
ABSENT_SCORE = {"absent_score": [StrOptions({"zero", "min"})]}


def check_absent_score(norm, absent_score):
    """Refuse the lowest score of a list for absent items where a norm reads ranks."""
    if absent_score == "min" and norm not in SCORE_NORMS:
        raise InputError(
            f"absent_score='min' needs a norm of scores; norm={norm!r} reads ranks. Choose norm='min-max' or another "
            "norm of scores, or norm='borda', which gives absent items the mean of the values left over."
        )


def normalize(lists, norm, absent_score="zero"):
    """The value of each row, (n_rows,), and of an absent item for each list, (n_lists,) or None for nothing."""
    if norm == "max":
        _refuse_no_maximum(lists)
    value, absent = NORMS[norm](lists)
    return value, lowest_values(lists, value) if absent_score == "min" else absent


def _refuse_no_maximum(lists):
    low = np.maximum.reduceat(lists.score, lists.row_ptr[:-1]) <= 0
    if low.any():
        one = first_row(low)
        raise InputError(
            "norm='max' divides by the greatest score of a list, which must be above 0; that of voter "
            f"{show_id(lists.voters, lists.list_voter[one])} in query {show_id(lists.queries, lists.list_query[one])} "
            "is not. Choose norm='min-max', which no shift of the scores changes."
        )
