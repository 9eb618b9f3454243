"""Helper functions of the generators: names, parameters that are lists of numbers, and ties."""

import numpy as np
import pandas as pd

from .._support._values import show
from ..exceptions import InputError


def number_names(letter, n):
    """Return n numbered names, such as v01 to v12; leading zeros make the sorted order equal the numeric order."""
    width = len(str(n))
    return pd.Index([f"{letter}{i:0{width}d}" for i in range(1, n + 1)], dtype=str)


def read_numbers(name, value, *, positive=False):
    """Check a parameter that must be a list of numbers, and return a float64 array of shape (n_numbers,).

    Raises InputError if the list is empty or a number is not finite. If `positive` is true, all numbers must be above
    0.
    """
    value = np.asarray(value, dtype=np.float64)
    if value.ndim != 1 or len(value) == 0 or not np.isfinite(value).all() or (positive and (value <= 0).any()):
        kind = "finite numbers above 0" if positive else "finite numbers"
        raise InputError(f"`{name}` must be a list of {kind}; got {show(value.tolist())}.")
    return value


def tie_items(score, position, ties, random):
    """Tie each item to the item above it with probability `ties`; return the new ranks and the new scores.

    Consecutive tied items form one bucket. All items of a bucket get the rank and the score of its first item.
    """
    opens = random.random_sample(len(score)) >= ties
    opens |= position == 0
    first = np.maximum.accumulate(np.where(opens, np.arange(len(score)), 0))
    return position[first] + 1, score[first]
