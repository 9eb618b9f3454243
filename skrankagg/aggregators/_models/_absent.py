"""Lists that rank absent items last, as opposed to lists whose absent items were not available."""

import numpy as np


def ranks_absent_last(lists, absent):
    """Return a mask of the lists that rank absent items last, of shape (n_lists,).

    `absent` is "last" or "ignore", or "auto": lists marked as paired comparisons ignore absent items, and other lists
    rank them last.
    """
    if absent == "auto" and lists.list_duel is not None:
        return lists.list_duel == 0
    return np.full(lists.n_lists, absent != "ignore")
