"""Connected components of the items that lists compare, and warnings about lists that do not suit a method."""

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from .._support._checks import check_choice
from .._support._warn import warn_user
from ..exceptions import ExposureWarning, NotComparedWarning, PartialListsWarning
from ._frames import first_row, show_id

_ABSENT = ("last", "ignore")

# Number of component sizes that the warning lists.
_SHOWN = 5
# With at most this number of items, a list of two items contains at least half of them.
_FEW_ITEMS = 4


def check_absent(absent):
    """Raise InputError if `absent` is not a valid treatment of absent items."""
    check_choice("absent", absent, _ABSENT)


def component_labels(lists, absent):
    """Return the number of each candidate's connected component, as int32 of shape (n_candidates,).

    The components of each query are numbered from 1. The largest component has number 1. Among components of equal
    size, the component with the first item comes first. Two items are joined if a list of positive weight contains both
    items. With ``absent="last"``, they are also joined if the list contains only one of the two items. With "auto",
    lists marked as paired comparisons must contain both items, and other lists only one. Methods that do not compare
    items pass ``absent=None``; each query is then one component.
    """
    if absent is None or (together := _compared_with_all(lists, absent)).all():
        return np.ones(lists.n_candidates, dtype=np.int32)
    return np.where(together[lists.candidate_query], 1, lists._labels_of_held).astype(np.int32)


def ranks_absent_last(lists, absent):
    """Return a mask of shape (n_lists,): True for each list that ranks absent items last.

    `absent` is "last", "ignore" or "auto". With "auto", lists marked as paired comparisons ignore absent items, and
    other lists rank them last.
    """
    if absent == "auto" and lists.list_duel is not None:
        return lists.list_duel == 0
    return np.full(lists.n_lists, absent != "ignore")


def _compared_with_all(lists, absent):
    """Return a mask of the queries where a list of positive weight ranks absent items last."""
    voting = (lists.list_weight > 0) & ranks_absent_last(lists, absent)
    return np.logical_or.reduceat(voting, lists.list_ptr[:-1])


def labels_of_held(lists):
    """Return the result of :func:`component_labels` if every list compares only the items that it contains."""
    label, open_queries = (
        np.ones(lists.n_candidates, dtype=np.int32),
        ~_surely_connected(lists),
    )
    if open_queries.all():
        return _label(lists)
    if open_queries.any():
        label[open_queries[lists.candidate_query]] = _label(lists.take(np.flatnonzero(open_queries)))
    return label


def _surely_connected(lists):
    """Return a mask of the queries where the lengths of the lists prove that all items form a single component.

    Components are defined in :func:`component_labels`, here for lists that compare only the items that they contain.
    """
    # Two lists share an item if the sum of their lengths exceeds the number of items. Lists of weight 0 do not count.
    length, n = (
        np.where(lists.list_weight > 0, lists.list_length, 0),
        lists.query_n_items,
    )
    longest = np.maximum.reduceat(length, lists.list_ptr[:-1])
    shortest = np.minimum.reduceat(length, lists.list_ptr[:-1])
    return (longest == n) | ((shortest > 0) & (shortest + longest > n))


def _label(lists):
    """Compute the result of :func:`labels_of_held` from one sparse graph of all queries."""
    n, candidate, row_ptr = lists.n_candidates, lists.candidate, lists.row_ptr
    voting = lists.list_weight > 0
    if not voting.all():
        kept = voting[lists.row_list]
        candidate = candidate[kept]
        row_ptr = np.append(0, np.cumsum(np.where(voting, lists.list_length, 0)))
    # The nodes are the candidates and the lists, and each row is an edge.
    start = np.concatenate([np.zeros(n, dtype=row_ptr.dtype), row_ptr])
    size = n + lists.n_lists
    graph = csr_array((np.ones(len(candidate)), candidate, start), shape=(size, size))
    n_found, label = connected_components(graph, directed=False)
    label = label[:n]
    first = np.full(n_found, n)
    first[label[::-1]] = np.arange(n - 1, -1, -1)
    # A list of weight 0 is a separate component without candidates.
    held = np.flatnonzero(first < n)
    query = lists.candidate_query[first[held]].astype(np.int64)
    order = np.lexsort([first[held], -np.bincount(label, minlength=n_found)[held], query])
    number = np.empty(n_found, dtype=np.int32)
    number[held[order]] = np.arange(len(held)) - np.searchsorted(query[order], query[order]) + 1
    return number[label]


def n_components(lists, label):
    """Return the number of components of each query; `label` is the result of :func:`component_labels`."""
    return np.maximum.reduceat(label, lists.candidate_ptr[:-1])


def all_connected(lists, absent):
    """Return True if the items of each query form a single component (see :func:`component_labels`)."""
    if absent is None or _compared_with_all(lists, absent).all():
        return True
    return bool((component_labels(lists, absent) == 1).all())


def warn_of_components(lists, absent, method):
    """Issue one warning about all queries whose items form several components.

    The warning refers to the line that called the package. The message contains `method`, the name of the method.
    """
    if all_connected(lists, absent):
        return
    label = component_labels(lists, absent)
    several = n_components(lists, label) > 1
    n_several, q = int(several.sum()), first_row(several)
    sizes = np.bincount(label[lists.candidate_ptr[q] : lists.candidate_ptr[q + 1]])[1:].tolist()
    few = ", ".join(map(str, sizes[:_SHOWN]))
    shown = f"{few} and {len(sizes) - _SHOWN} more" if len(sizes) > _SHOWN else " and ".join(few.rsplit(", ", 1))
    queries = f"1 of {lists.n_queries} queries" if lists.n_queries > 1 else "1 query"
    if n_several > 1:
        queries = f"{n_several} of {lists.n_queries} queries"
    advice = (
        "give at least one list of the query a positive weight"
        if absent == "last"
        else "rank each component by itself (RankedLists.components), add lists that connect them, or choose "
        "absent='last' if a list ranks its items above all others"
    )
    warn_user(
        f"{method} orders items that no list compares. In {queries} the items fall into several components, and each "
        f"list contains items of only one component. Query {show_id(lists.queries, q)} has {len(sizes)} components, of "
        f"{shown} items. The order of items from different components is meaningless; {advice}.",
        NotComparedWarning,
    )


def paired_queries(lists):
    """Return a mask of the queries where lists of two items have more than half of the total weight."""
    return _most_weight(lists, lists.list_length == 2)


def exposed_queries(lists):
    """Return a mask of the queries with more than four items where lists of two items have most of the weight."""
    return paired_queries(lists) & (lists.query_n_items > _FEW_ITEMS)


def partial_queries(lists):
    """Return a mask of the queries where the median length of the lists is below half of the number of items.

    The median is weighted by the weights of the lists. Items that occur only in lists of weight 0 are ignored. The mask
    is False for the queries of :func:`paired_queries`.
    """
    n_items = lists.query_n_items
    if lists.is_weighted:
        n_items = np.add.reduceat(lists.candidate_weight > 0, lists.candidate_ptr[:-1], dtype=np.int64)
    return _most_weight(lists, 2 * lists.list_length < n_items[lists.list_query]) & ~paired_queries(lists)


def _most_weight(lists, chosen):
    """Return a mask of the queries where the chosen lists have more than half of the total weight."""
    if not chosen.any():
        return np.zeros(lists.n_queries, dtype=bool)
    return 2 * lists.sum_over_lists(np.where(chosen, lists.list_weight, 0.0)) > lists.sum_over_lists(lists.list_weight)


#: For each parameter that the warning names: how the method treats absent items, and the better value of the parameter
#: for lists that were cut from longer rankings.
_LENIENCE = {
    "absent": ("leaves absent items out instead of ranking them last", "absent='last'"),
    "absent_score": (
        "gives absent items no value below the items of the list",
        "absent_score='min'",
    ),
    "norm": (
        "gives absent items no value below the items of the list",
        "norm='min-max'",
    ),
}


def warn_of_partial_lists(lists, lenient, method):
    """Warn if, in most queries, the median length of the lists is below half of the number of items.

    The message contains `method`, the name of the method, and the advice for `lenient`, which is a key of `_LENIENCE`.
    The warning refers to the line that called the package.
    """
    n_partial = int(partial_queries(lists).sum())
    if 2 * n_partial <= lists.n_queries:
        return
    queries = f"{n_partial} of {lists.n_queries} queries" if lists.n_queries > 1 else "1 query"
    _warn_of_partial(queries, lenient, method)


def warn_of_a_partial_query(lenient, method):
    """Issue the warning of :func:`warn_of_partial_lists` for a single query whose lists are known to be short."""
    _warn_of_partial("1 query", lenient, method)


def _warn_of_partial(queries, lenient, method):
    deed, remedy = _LENIENCE[lenient]
    warn_user(
        f"{method} {deed}, and in {queries} the median length of the lists is less than half of the number of items. "
        f"If the lists were cut from longer rankings, choose {remedy}. Ignore this warning if each voter saw only "
        "the items in its list.",
        PartialListsWarning,
    )


def warn_of_paired_comparisons(lists, method, *, marked=True):
    """Warn about queries that have more than four items, and most of their weight in lists of two items.

    `method` is the name of a method that ranks the items in a list above absent items. If `marked` is false, the method
    ignores the absent items of lists that are marked as paired comparisons; these lists cause no warning. One warning
    covers all queries and refers to the line that called the package.
    """
    exposed = exposed_queries(lists)
    if not marked and lists.list_duel is not None:
        exposed &= _most_weight(lists, (lists.list_length == 2) & (lists.list_duel == 0))
    if not exposed.any():
        return
    n_exposed, first = int(exposed.sum()), show_id(lists.queries, first_row(exposed))
    queries = f"1 query ({first})" if n_exposed == 1 else f"{n_exposed} queries (the first is {first})"
    warn_user(
        f"{method} treats the items in a list as better than all items outside the list. Lists of two items make up "
        f"most of {queries}, so items are ordered by how often they were compared, not by how often they won. For "
        "paired comparisons use PlackettLuce(absent='ignore') or MarkovChain(chain='mct'). If items met opponents of "
        "equal strength, Kemeny, RankedPairs or Schulze with absent='ignore' also work, but Minimax does not. Ignore "
        "this warning if each list contains the best two of all items.",
        ExposureWarning,
    )
