"""Helper functions of the generators, which make names, read lists of numbers, and make ties."""

import numpy as np
import pandas as pd

from ..exceptions import InputError


def number_names(letter, n):
    """Return n names with numbers from 1; zeros in front make the names sort like the numbers."""
    width = len(str(n))
    return pd.Index([f"{letter}{i:0{width}d}" for i in range(1, n + 1)], dtype=str)


def read_numbers(name, value, *, positive=False):
    """Check a parameter that is a list of numbers, and return float64 of shape (n_numbers,), which is not empty."""
    value = np.asarray(value, dtype=np.float64)
    if value.ndim != 1 or len(value) == 0 or not np.isfinite(value).all() or (positive and (value <= 0).any()):
        kind = "finite numbers above 0" if positive else "finite numbers"
        raise InputError(f"`{name}` must be a list of {kind}; got other values.")
    return value


def tie_items(score, position, ties, random):
    """Give each item, with probability `ties`, the rank and score of the item above it.

    A run of such items forms one bucket, with the rank and score of its first item.
    """
    opens = random.random_sample(len(score)) >= ties
    opens |= position == 0
    first = np.maximum.accumulate(np.where(opens, np.arange(len(score)), 0))
    return position[first] + 1, score[first]
