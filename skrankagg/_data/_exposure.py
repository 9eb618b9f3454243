"""Warning for paired comparisons, lists of two items, in methods that rank listed items above absent ones."""

import numpy as np

from .._support._warn import warn_user
from ..exceptions import ExposureWarning
from ._frames import first_row, show_id

# Up to this many items, a list of two covers half of them.
_FEW_ITEMS = 4


def hold_pairs(lists):
    """Return True if there is a list of two items; otherwise no warning is needed."""
    return bool((lists.list_length == 2).any())


def warn_of_exposure(lists, method):
    """Warn if lists of two items carry more than half of the list weight of a query of more than four items.

    The method with the name `method` ranks the items in a list above absent items. There is one warning for all queries
    together, at the line that called the package.
    """
    in_pairs = lists.sum_over_lists(np.where(lists.list_length == 2, lists.list_weight, 0.0))
    exposed = (lists.query_n_items > _FEW_ITEMS) & (2 * in_pairs > lists.sum_over_lists(lists.list_weight))
    if not exposed.any():
        return
    n_exposed, first = int(exposed.sum()), show_id(lists.queries, first_row(exposed))
    queries = f"1 query ({first})" if n_exposed == 1 else f"{n_exposed} queries (the first is {first})"
    warn_user(
        f"{method} ranks the items in a list above all others. Lists of two items make up most of {queries}, so items "
        "are ordered by how often they were compared, not by how often they won. For paired comparisons use "
        "MarkovChain(chain='mct'); if items met opponents of equal strength, use Kemeny, RankedPairs or Schulze with "
        "absent='ignore' (not Minimax). Ignore this warning if each list contains the best two of all items.",
        ExposureWarning,
    )
