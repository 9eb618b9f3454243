"""Check that the lists of a query determine finite worths.

The maximum-likelihood estimates of the worths are finite only if the lists connect all items of the query.
"""

import numpy as np

from ..._arrays import TOLERANCE
from ..._arrays._pairwise import prefer_held, preference_matrix
from ..._arrays._preferences import ties
from ..._data._compared_items import ranks_absent_last
from ..._data._frames import show_id
from ...exceptions import InputError
from .._kemeny._components import strong_components
from ._duels import pair_queries, strict_wins
from ._standard_errors import invert_information


def check_connected(lists, absent):
    """Raise InputError if the lists of some query do not connect each item to every other item.

    Item a is connected to item b if a chain of items leads from a to b. For every two neighbours in the chain, some
    list must rank the first above the second, or tie them. Returns a mask of shape (n_queries,): True for each query in
    which some items are connected only by chains that contain ties.
    """
    needs_ties = np.zeros(lists.n_queries, dtype=bool)
    below = ranks_absent_last(lists, absent)
    of_pairs = pair_queries(lists) & ~np.logical_or.reduceat(below, lists.list_ptr[:-1])
    for q in range(lists.n_queries):
        if of_pairs[q] and strong_components(strict_wins(lists, q))[0] == 1:
            continue
        prefer, both = preference_matrix(lists, q, absent="ignore")
        above = prefer > 0
        mine = below[lists.list_ptr[q] : lists.list_ptr[q + 1]]
        if mine.all():
            above |= prefer_held(prefer[None], both[None])[0] > 0
        elif mine.any():
            _add_absent(lists, q, mine, above)
        np.fill_diagonal(above, False)
        needs_ties[q] = strong_components(above)[0] > 1
        if needs_ties[q]:
            # Each of two tied items counts as ranked above the other.
            above |= ties(prefer, both) > TOLERANCE * both
            np.fill_diagonal(above, False)
            n_parts, label = strong_components(above)
            if n_parts > 1:
                _refuse(lists, q, above, n_parts, label)
    return needs_ties


def _add_absent(lists, q, below, above):
    """Mark the pairs of items for which some list of query `q` ranks the first item and lacks the second item.

    The pairs are marked in the matrix `above`. Only the lists in the mask `below` are used.
    """
    for k in np.flatnonzero(below & (lists.list_weight[lists.list_ptr[q] : lists.list_ptr[q + 1]] > 0)):
        rows = slice(*lists.row_ptr[lists.list_ptr[q] + k : lists.list_ptr[q] + k + 2])
        held = np.zeros(len(above), dtype=bool)
        held[lists.candidate[rows] - lists.candidate_ptr[q]] = True
        above[np.ix_(held, ~held)] = True


def check_maximum(lists, stages, variables, needs_ties):
    """Raise InputError if ties connect the items of a query, but the likelihood of the query has no maximum.

    Suppose one list ranks a above b, and another list ties a and b. The likelihood then increases without end while the
    worth of a and the frequency of ties grow.
    """
    if not needs_ties.any():
        return
    for q, information in enumerate(stages.information(variables)):
        if needs_ties[q] and invert_information(information)[1]:
            raise InputError(
                f"With prior=0 and ties='davidson', the likelihood of each query must have a maximum; query "
                f"{show_id(lists.queries, q)} has none, because ties alone connect some of its items. Choose "
                "prior=0.5, or ties='efron'."
            )


def _refuse(lists, q, above, n_parts, label):
    def name(items):
        few = [show_id(lists.items, lists.candidate_item[lists.candidate_ptr[q] + item]) for item in items[:5]]
        return ", ".join(few) + (f" and {len(items) - 5} more" if len(items) > 5 else "")

    # Find the components that no list ranks above another component, and the components that no list ranks below
    # another. The largest component is left out.
    across = above & (label[:, None] != label)
    largest = np.bincount(label).argmax()
    ends = {
        which: np.flatnonzero(~np.isin(label, np.unique(label[arcs.any(axis=1)])) & (label != largest))
        for which, arcs in (("above", across), ("below", across.T))
    }
    found = " and ".join(
        f"no list ranks {name(items)} {which} items of other groups" for which, items in ends.items() if len(items)
    )
    raise InputError(
        "With prior=0, each item must be above every other item in some list, or through a chain of lists. "
        f"The items of query {show_id(lists.queries, q)} fall into {n_parts} groups: {found}, so the likelihood has no "
        "maximum. Choose prior=0.5, or leave these items out."
    )
