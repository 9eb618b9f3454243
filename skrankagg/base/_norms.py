"""Checks of the parameters `norm` and `absent_score`, and computation of the normalized scores."""

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
    """Raise InputError if `absent_score` is "min", but the norm uses ranks instead of scores."""
    if absent_score == "min" and norm not in SCORE_NORMS:
        raise InputError(
            f"absent_score='min' needs a norm that uses scores; norm={norm!r} uses ranks. Choose norm='min-max', or "
            "absent_score='zero'."
        )


def normalize(lists, norm, absent_score="zero"):
    """Return the normalized score of each row, and each list's score for absent items.

    The second result is None if all absent items have the score 0.
    """
    if norm == "max":
        _refuse_no_maximum(lists)
    value, absent = NORMS[norm](lists)
    return value, lowest_values(lists, value) if absent_score == "min" else absent


def _refuse_no_maximum(lists):
    low = np.maximum.reduceat(lists.score, lists.row_ptr[:-1]) <= 0
    if low.any():
        one = first_row(low)
        raise InputError(
            "norm='max' divides by the largest score of a list, which must be above 0. It is not above 0 for voter "
            f"{show_id(lists.voters, lists.list_voter[one])} in query {show_id(lists.queries, lists.list_query[one])}. "
            "Choose norm='min-max', which accepts all scores."
        )
