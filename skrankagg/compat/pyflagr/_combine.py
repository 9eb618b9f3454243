"""Scores of the linear methods; their terms, and the order in which the terms are added, are the same as in FLAGR."""

import numpy as np

from ..._data._conflicts import check_scores
from ._ranking import add_up

#: FLAGR's number of each normalisation.
NORM_NUMBERS = {"borda": 0, "rank": 1, "score": 2, "z-score": 3, "simple-borda": 4}


def _check_scores(table, norm):
    """Raise InputError if the normalisation uses scores, but scores are missing or contradict the ranks."""
    if norm in {"score", "z-score"}:
        check_scores(table.profile.lists, f"norm={norm!r}", "choose 'borda' or 'rank'")


def _less(high, low, quirks):
    # FLAGR subtracts unsigned 32-bit numbers. A rank above the number of places therefore has a far larger value than
    # rank 1.
    less = high - low
    return np.where(less < 0, less + 2.0**32, less) if "unsigned" in quirks else less


def comb_terms(table, norm, multiply, quirks):
    """Return a function that adds up the terms of a linear method over the lists.

    Parameters
    ----------
    table : QueryTable
    norm : str
        Normalisation.
    multiply : bool
        Whether to multiply terms by the number of lists that contain the item.
    quirks : frozenset of str

    Returns
    -------
    function
        Function that adds up the terms, list by list. Its argument contains the weights of the lists, or is None if all
        weights are 1. Its result is float64 of shape (n_items,).
    """
    _check_scores(table, norm)
    terms = _terms(table, norm, quirks)

    def score(weight=None):
        if multiply:
            return add_up(terms * (table.hits if weight is None else table.hits * weight[:, None]))
        return add_up(terms if weight is None else terms * weight[:, None])

    return score


def _terms(table, norm, quirks):
    length = table.length[:, None].astype(np.float64)
    n = table.shape[1]
    if norm in {"borda", "simple-borda"}:
        value = (_less(float(n), table.rank, quirks) + 1.0) / n
    elif norm == "rank":
        value = (_less(length, table.rank, quirks) + 1.0) / np.maximum(length, 1.0)
    else:
        low, high, mean, deviation = table.stats[:, :, None]
        # If all items of a list have the same score, FLAGR computes 0 / 0. Here, the list is treated as in the main
        # estimators.
        if norm == "score":
            span = high - low
            value = np.where(span > 0, (table.score - low) / np.where(span > 0, span, 1.0), 1.0)
        else:
            flat = high == low
            value = np.where(flat, 0.0, (table.score - mean) / np.where(flat, 1.0, deviation))
    absent = (_less(float(n), length, quirks) + 1.0) / (2.0 * n) if norm == "borda" else 0.0
    return np.where(table.held, value, absent)
