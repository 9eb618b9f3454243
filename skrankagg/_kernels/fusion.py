"""Numbering and ordering of the ids and scores in plain Python lists."""

import numpy as np

from . import _fusion
from .loading import as_vf, as_vi


def number_items(lists, n_rows):
    """Number the ids of lists in order of appearance; see ``_arrays._plain_ids.number_items``."""
    items, code, repeated, odd = _fusion.number_items(lists, n_rows)
    return items, np.asarray(code), repeated, odd


def gather_scores(lists, n_rows):
    """Gather the scores of lists in one array; see ``_arrays._plain_ids.gather_scores``."""
    score, largest, falls = _fusion.gather_scores(lists, n_rows)
    return np.asarray(score), largest, falls


def best_first(items, order, score, support, tolerance, support_tolerance, find_source, top):
    """Order ids, best first; `order` sorts the scores of the ids. See ``_arrays._plain_ids.best_first``."""
    source = None if find_source is None else lambda: as_vi(find_source())
    arrays = as_vi(order), as_vf(score), as_vf(support)
    return _fusion.best_first(items, *arrays, source, tolerance, support_tolerance, top)
