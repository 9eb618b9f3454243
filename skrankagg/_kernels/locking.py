"""Locking of the arcs of a graph, one after the other, without closing a cycle."""

import numpy as np

from . import _locking, loading
from .loading import VI, as_vi


def locked_arcs(arc, n_items, n_matrices):
    """Lock the arcs of square matrices one after the other; an arc that would close a cycle is not locked.

    An arc leads from the item of a row to the item of a column. `arc`, of shape (n_arcs,), contains the position of
    each arc in the flattened matrices, in the order of locking. Returns bool of shape (n_matrices, n_items, n_items).
    An entry is True if a path of locked arcs leads from the row's item to the column's item.
    """
    n_words, arc, done = -(-n_items // 32), as_vi(arc), 0
    sets = [VI(np.zeros(n_rows * n_words, dtype=np.int64)) for n_rows in (n_matrices * n_items,) * 2 + (1,)]
    while done < len(arc):
        done = _locking.lock(done, loading.BLOCK, n_items, n_words, arc, *sets, as_vi(2 ** np.arange(32)))
    words = np.asarray(sets[0]).reshape(n_matrices, n_items, n_words).astype("<u4")
    return np.unpackbits(words.view(np.uint8), axis=-1, count=n_items, bitorder="little").view(bool)
