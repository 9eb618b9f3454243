"""Entry point of the compiled kernels: NumPy arrays in, NumPy arrays out.

::

    aggregators, metrics                     NumPy, interpreted
            |
                _kernels/__init__.py                 this module: converts, documents, and checks whether it is compiled
            |
        _kernels/_majority.py, ...           librt.vecs only; mypyc turns each into an extension module

A kernel takes typed vectors, which contain a copy of the array and can be compiled to plain C loops. Vectorised NumPy
operations need no kernel: a kernel is a loop that branches, or that depends on its own last step.

A kernel that Python calls takes its vectors as objects and casts them. If Python calls a compiled function with a
parameter of type ``vec``, mypyc 2.4 keeps a reference to the vector, so its memory is never freed. Functions that only
kernels call take vectors, and their names begin with an underscore.
"""

import hashlib
import json
import warnings
from pathlib import Path

import numpy as np
from mypy_extensions import i64

from .plain_vectors import vectors

with vectors():
    from librt.vecs import vec

    from . import (
        _agglomerate,
        _buckets,
        _co_ranked,
        _fusion,
        _group_places,
        _insertion,
        _inversions,
        _joint,
        _locking,
        _majority,
        _orders,
        _subsets,
    )
    from . import _running_sums as _ragged

_KERNELS = (_agglomerate, _buckets, _co_ranked, _fusion, _group_places, _insertion, _inversions, _joint, _locking)
_KERNELS += (_majority, _orders, _ragged, _subsets)
# Most steps of one kernel call: about a tenth of a second, so that Ctrl-C takes effect between calls. Interpreted, a
# step takes a hundred times as long.
_BLOCK = 50_000_000

#: True if the kernels run as compiled extension modules; otherwise they run as plain Python, with equal results but
#: slower.
COMPILED = not any(kernel.__file__.endswith(".py") for kernel in _KERNELS)

if not COMPILED:
    _BLOCK //= 100

_VF = vec[float]
_VI = vec[i64]


def _as_vf(array):
    # vec converts a contiguous array of exactly this type in one copy, and any other one slowly, item by item.
    return _VF(np.ascontiguousarray(array, dtype=np.float64))


def _as_vi(array):
    return _VI(np.ascontiguousarray(array, dtype=np.int64))


def stale_kernels():
    """Return the names of compiled kernels whose source has changed; empty if they run as plain Python."""
    compiled = [kernel for kernel in _KERNELS if not kernel.__file__.endswith(".py")]
    if not compiled:
        return []
    folder = Path(__file__).parent
    record = folder / "_compiled.json"
    digests = json.loads(record.read_text(encoding="utf-8")) if record.exists() else {}
    stale = []
    for kernel in compiled:
        name = kernel.__name__.rpartition(".")[2]
        source = folder / f"{name}.py"
        if source.exists() and hashlib.sha256(source.read_bytes()).hexdigest() != digests.get(name):
            stale.append(name)
    return stale


if stale_kernels():
    warnings.warn(
        f"The compiled kernel(s) {', '.join(stale_kernels())} are older than their source, which therefore has no "
        "effect. Install skrankagg again to compile it, or delete the extension modules to run the source.",
        RuntimeWarning,
        stacklevel=2,
    )


def ragged_cumsum(value, ptr):
    """Compute running totals within consecutive segments.

    Segment ``s`` is ``value[ptr[s]:ptr[s + 1]]``. Returns at each place the sum of its segment up to and including this
    place, float64 of shape (n,) and read-only.
    """
    return np.asarray(_ragged.ragged_cumsum(_as_vf(value), _as_vi(ptr)))


def discordant_pairs(ptr, tie_end, other):
    """Count the pairs that a second ranking reverses, for many rankings at once.

    Lists, `ptr` (n_lists + 1,), are sorted by the first ranking. `tie_end` (n_rows,) is the row after the last one that
    ties with this one there. `other` (n_rows,) is a number of the row's item that rises along the second ranking, equal
    for ties, from 0 and below the length of the list. Returns the numbers of pairs that the two rankings order
    oppositely, and of pairs that both order, float64 (n_lists,), read-only. Each list of length L costs O(L log L).
    """
    length = np.diff(ptr)
    blocks = []
    # A row climbs a tree three times.
    for first, last in _blocks(np.cumsum(length * (3.0 * np.log2(length + 1.0) + 1.0))):
        start, end = ptr[first], ptr[last]
        arrays = ptr[first : last + 1] - start, tie_end[start:end] - start, other[start:end]
        blocks.append(_inversions.discordant_pairs(*map(_as_vi, arrays)))
    discordant, ordered = zip(*blocks, strict=True) if blocks else ((np.empty(0),), (np.empty(0),))
    return np.concatenate(list(map(np.asarray, discordant))), np.concatenate(list(map(np.asarray, ordered)))


def merge_lists(score, weight, list_ptr, c1, c2, by_similarity):
    """Merge the two most similar lists of each query until one is left: its scores, float64 (n_queries, n_items).

    `score` (n_lists, n_items) contains the scores of each list, higher is better, for at least 2 items; `weight`
    (n_lists,) contains the weights of the lists. `list_ptr` gives the lists of each query; every query has at least one
    list. `c1` and `c2` are the coefficients of the weight of a merged list. With `by_similarity` its similarity to the
    other lists enters that weight.
    """
    n, m = score.shape[1], np.diff(list_ptr)
    # Costs: pairs of lists are compared, and scanned before each merge; lists are sorted, and one more for each merge.
    work = m**2.0 * (n + m / 3.0) + 40.0 * m * n
    numbers, options = (_as_vf(score.ravel()), _as_vf(weight)), (float(c1), float(c2), bool(by_similarity))
    list_ptr, rank, merged = _as_vi(list_ptr), _VF(np.zeros(score.size)), np.empty((len(m), n))
    for first, last in _blocks(np.cumsum(work)):
        if work[first] > _BLOCK:
            own = slice(list_ptr[first], list_ptr[last])
            merged[first] = _merge_many_lists(score[own], weight[own], *options)
        else:
            left = _agglomerate.merge_stack(first, last, list_ptr, *numbers, n, rank, *options)
            merged[first:last] = np.asarray(numbers[0]).reshape(-1, n)[np.asarray(left)]
    return merged


def _merge_many_lists(score, weight, c1, c2, by_similarity):
    """Merge the lists of one query as :func:`merge_lists`, in parts: the scores, (n_items,)."""
    m, n = score.shape
    score, weight, rank, similarity = _as_vf(score.ravel()), _as_vf(weight), _VF(np.zeros(m * n)), _VF(np.zeros(m * m))
    order, spare = _as_vi(np.arange(n)), _as_vi(np.arange(n))
    # A list is sorted, and compared with the lists before it.
    for first, last in _blocks(np.cumsum(n * (np.arange(m) + 20.0))):
        _agglomerate.compare(first, last, score, n, order, spare, rank, similarity)
    alive = _VI(np.arange(m))
    # Before a merge all pairs are scanned, and after it the lists are compared with the new one.
    lists = np.arange(m, 1.0, -1.0)
    for first, last in _blocks(np.cumsum(lists * (lists + n))):
        arrays = score, weight, n, order, spare, rank, similarity
        _agglomerate.merge(last - first, m - first, alive, *arrays, c1, c2, by_similarity)
    return np.asarray(score).reshape(m, n)[alive[0]]


def log_joint_probability(ptr, x, n):
    """Compute the log probability that, for every k, the k-th smallest of n uniform numbers is at most the k-th value.

    The values of item ``i`` are ``x[ptr[i]:ptr[i + 1]]``, from 1e-100 to 1, ascending. If there are fewer than `n`
    (n_items,), the last ones are 1. Returns natural logarithms, float64 (n_items,), at most 0 up to rounding.
    """
    widest = int(np.max(n, initial=0))
    # The chances of up to `widest` more numbers; a Poisson number of this mean may exceed them slightly.
    chances = widest + int(16 * widest**0.5) + 64
    out = _VF(np.zeros(len(n)))
    arrays = _as_vi(ptr), _as_vf(x), _as_vi(n), _VF(np.zeros(widest + 1)), _VF(np.zeros(chances))
    arrays = *arrays, _VI(np.zeros(widest + 2, dtype=np.int64)), _VI(np.zeros(3, dtype=np.int64))
    # A value takes some twenty steps for each count within ten standard deviations.
    steps = 20 * np.minimum(n, 10 * np.sqrt(n))
    for first, last in _blocks(np.cumsum(np.diff(ptr) * steps)):
        n_values = max(1, int(_BLOCK / steps[first])) if last == first + 1 else widest
        place, log_q = 0, 0.0
        while True:
            place, log_q = _joint.log_joint_probability(first, last, *arrays, place, log_q, n_values, out)
            if place == 0:
                break
    return np.asarray(out)


def _blocks(work):
    # Consecutive groups, each a fraction of a second's work, from the running total of the work.
    first = 0
    while first < len(work):
        done = work[first - 1] if first else 0.0
        last = max(first + 1, int(np.searchsorted(work, done + _BLOCK, side="right")))
        yield first, last
        first = last


def mean_places(ptr, value, order, tolerance):
    """Place the members of groups by descending value, neighbours within the tolerance at their mean place.

    Groups are given by `ptr` (n_groups + 1,). `order` (n_members,) contains the members of each group in any order; the
    closer it is to the order by `value` (n_members,), the faster the sorting. The tolerance is multiplied by the
    largest finite absolute value in the group. Returns the places, from 1, float64 (n_members,), and the members in
    order, int64; both are read-only. A group of n members in reverse order costs O(n^2).
    """
    order, place = _as_vi(order), _VF(np.zeros(len(value)))
    arrays = _as_vi(ptr), _as_vf(value), order, tolerance, place
    for first, last in _blocks(np.cumsum(np.diff(ptr) ** 2.0)):
        _group_places.mean_places(first, last, *arrays)
    return np.asarray(place), np.asarray(order)


def majority_points(
    list_ptr, row_ptr, rank, candidate, list_weight, candidate_ptr, held, row_list, candidate_row_ptr, candidate_rows
):
    """Count each item's majority wins and draws against the other items of its query.

    A list prefers a ranked item to an absent one, unless `held` is 0 throughout: then it compares only its own items.
    It does not compare two absent or two tied items. Margins within 1e-12 of the query's total weight are draws, so
    that rounding never creates a majority.

    `list_ptr` (n_queries + 1,) gives the lists of each query, and `row_ptr` (n_lists + 1,) the rows of each list, best
    first. `rank` and `candidate` (n_rows,) belong to each row, with equal ranks for tied neighbours; `row_list`
    (n_rows,) is its list. `list_weight` is of shape (n_lists,), and `candidate_ptr` (n_queries + 1,) gives the
    candidates of each query. `held` (n_candidates,) is the total weight of the lists that contain each candidate.
    `candidate_rows` (n_rows,) are the rows sorted by candidate; the rows of a candidate begin at `candidate_row_ptr`
    (n_candidates + 1,). Returns the numbers of opponents beaten by a weighted majority, and of opponents at a draw,
    float64 (n_candidates,).
    """
    total_weight = np.add.reduceat(list_weight, list_ptr[:-1])
    arrays = (
        _as_vi(row_ptr),
        _as_vf(rank),
        _as_vi(candidate),
        _as_vf(list_weight),
        _as_vi(candidate_ptr),
        _as_vf(held),
        _as_vf(1e-12 * total_weight),
        _as_vi(row_list),
        _as_vi(candidate_row_ptr),
        _as_vi(candidate_rows),
    )
    # A candidate is compared with all others, and with the others of its lists.
    length, n_items = np.diff(row_ptr), np.diff(candidate_ptr)
    work = np.bincount(candidate, weights=np.repeat(length, length), minlength=candidate_ptr[-1])
    work += np.repeat(n_items, n_items)
    points = []
    for first, last in _blocks(np.cumsum(work)):
        q = int(np.searchsorted(candidate_ptr, first, side="right")) - 1
        points.append(_majority.majority_points(first, last, q, *arrays))
    wins, draws = zip(*points, strict=True)
    return np.concatenate([np.asarray(won) for won in wins]), np.concatenate([np.asarray(drawn) for drawn in draws])


def co_ranked(row_ptr, item, rank, weight, list_matrix, n_items, n_matrices, *, ties=True):
    """Sum the preferences between items that occur in the same list, in one square matrix or many.

    `row_ptr` (n_lists + 1,) gives the rows of the lists, best first. Of each row, (n_rows,), `item` is the item, from 0
    to ``n_items - 1``, `rank` its rank, equal for tied neighbours, and `weight` its weight. `list_matrix` (n_lists,) is
    the matrix that a list adds to, and `ties` is False if no two rows of a list tie. Returns `above` and `level`,
    float64 (n_matrices, n_items, n_items). Row i and column j contain the total weight of the rows of i in lists that
    rank j above i, and in lists that rank both alike. An item and itself count as alike. The matrices may be read-only.
    """
    shape = n_matrices, n_items, n_items
    above, level = _VF(np.zeros(n_matrices * n_items**2)), _VF(np.zeros(n_matrices * n_items**2))
    base = list_matrix * (n_items * n_items)
    arrays = _as_vi(row_ptr), _as_vi(item), _as_vf(rank), _as_vf(weight), _as_vi(base), n_items, ties, above, level
    length = np.diff(row_ptr)
    for first, last in _blocks(np.cumsum(np.repeat(length, length), dtype=np.float64)):
        v = int(np.searchsorted(row_ptr, first, side="right")) - 1
        _co_ranked.co_ranked(first, last, v, *arrays)
    return np.asarray(above).reshape(shape), np.asarray(level).reshape(shape)


def insertion_descent(margin, order, tolerance=0.0, *, until=None):
    """Move items of an order by insertion while that lowers the cost by more than a tolerance.

    `margin`, (n, n), is the extra cost of an order with the row before the column rather than the other way round.
    ``until()`` is called now and then and returns True to stop early. Returns the order, int64 of shape (n,) and
    read-only, and its extra cost over the first one, at most 0. A pass over all items is O(n^2).
    """
    n, order, margin = len(order), _as_vi(order), _as_vf(np.ravel(margin))
    at, change = _VI(np.zeros(2, dtype=np.int64)), 0.0
    while at[1] < n and not (until is not None and until()):
        change = _insertion.descend(margin, order, n, tolerance, at, change, max(1, _BLOCK // (4 * n)))
    return np.asarray(order), change


def insertion_rounds(margin, order, costs, uniform, n_moves, span, slack, tolerance=0.0):
    """Continue from an order in rounds: displace `n_moves` items by up to `span` places, then descend again.

    `costs` are the costs of this order and of the best known order; the search continues from orders within `slack` of
    the best. `uniform` contains ``2 * n_moves`` random numbers from 0 to 1 for each round. Returns the cheapest order
    of these rounds and the last one, both read-only, and the costs of the last and of the best order. If the best cost
    did not fall, the cheapest order is the one that the rounds started from.
    """
    order = _as_vi(order)
    best, order, costs = _insertion.iterate(
        _as_vf(np.ravel(margin)),
        order,
        len(order),
        tolerance,
        _as_vf(costs),
        _as_vf(uniform),
        n_moves,
        span,
        slack,
    )
    return np.asarray(best), np.asarray(order), tuple(np.asarray(costs).tolist())


def bucket_descent(before, tied, bucket, tolerance=0.0, *, until=None):
    """Move items between the buckets of an order with ties while that lowers the cost by more than a tolerance.

    `before` and `tied`, (n, n), are the costs of the row before the column and of a tie; `bucket`, (n,), rises from 0
    without gaps. ``until()`` is called now and then and returns True to stop early. Returns buckets of the same form,
    int64 and read-only: no single item can move to another bucket, or into its own, for less. A pass is O(n^2).
    """
    n, bucket, before, tied = len(bucket), _as_vi(bucket), _as_vf(np.ravel(before)), _as_vf(np.ravel(tied))
    at = _VI(np.zeros(2, dtype=np.int64))
    while at[1] < n and not (until is not None and until()):
        _buckets.descend(before, tied, bucket, n, tolerance, at, max(1, _BLOCK // (10 * n)))
    return np.asarray(bucket)


def order_costs(margin, tied, query, order, bucket):
    """Sum the margins of the items of orders over the items below, minus `tied` for the pairs of one bucket.

    `margin` and `tied` are of shape (n_queries, n, n). The orders and the rising buckets of their places are of shape
    (n_orders, n), and `query`, (n_orders,), contains their queries. Returns float64 of shape (n_orders,).
    """
    (m, n), margin = order.shape, _as_vf(np.ravel(margin))  # not two copies, because it may be large
    arrays = margin, _as_vf(np.ravel(tied)), *map(_as_vi, (query, order.ravel(), bucket.ravel()))
    work = np.arange(1, m + 1) * n**2
    return np.concatenate([np.empty(0), *(_orders.order_costs(*ends, n, *arrays) for ends in _blocks(work))])


def pivot_orders(margin, n_orders, draw):
    """Sort the items of queries by the signs of margins (n_queries, n, n), as quicksort does, around random pivots.

    ``draw(k)`` returns the first k draws of 64 bits, uint64, of the stream that each query starts with. Returns
    `n_orders` orders of each query, int64 of shape (n_queries, n_orders, n).
    """
    b, n = margin.shape[:2]
    orders, n_drawn, margin = [], 4 * n_orders * n, _as_vf(np.ravel(margin))
    for first, last in _blocks(np.arange(1, b + 1) * n_orders * n**2):
        order = _VI(np.zeros((last - first) * n_orders * n, dtype=np.int64))
        while True:
            bits = draw(n_drawn)
            drawn = _as_vi(bits & 0xFFFFFFFF), _as_vi(bits >> 32), _as_vf((bits >> 11) * 2.0**-53)
            if _orders.pivot_orders(first, last, n, n_orders, margin, *drawn, order) == last:
                break
            n_drawn *= 2
        orders.append(np.asarray(order).reshape(-1, n_orders, n))
    return np.concatenate(orders)


def majority_insertions(margin, order):
    """Move items of orders (n_queries, n) up past items that a negative margin (n_queries, n, n) puts below them."""
    (b, n), order, margin = order.shape, _as_vi(order.ravel()), _as_vf(np.ravel(margin))
    for first, last in _blocks(np.arange(1, b + 1) * n**2):
        _orders.majority_insertions(first, last, n, margin, order)
    return np.asarray(order).reshape(b, n)


def draw_places(margin, order):
    """Find, for each place, the first place of its run of items that no margin (n_queries, n, n) separates: int64."""
    (b, n), margin, order = order.shape, _as_vf(np.ravel(margin)), _as_vi(order.ravel())
    blocks = _blocks(np.arange(1, b + 1) * n**2)
    return np.concatenate([_orders.draw_places(*ends, n, margin, order) for ends in blocks]).reshape(b, n)


def cheapest_buckets(before, level, most, n_steps):
    """Find the cheapest orders with ties that cost up to `most`, and among them the most ties.

    `before` and `level`, (n, n), are the costs of the row before the column and of a tie, whole numbers of at least 0.
    It is faster if the items run from the last of a cheap order to its first. Returns the least cost; the number of
    ways to reach it, 2 for several, or -1 if `n_steps` are too few to tell; and the most ties at this cost. Then come
    the number of ways to reach the most ties, 2 for several, and an order of the least cost and the most ties. It is
    given as the bucket of each item, from 0 for the best.
    """
    n = len(before)
    arrays = _as_vf(np.ravel(before)), _as_vf(np.ravel(level))
    *found, place = _subsets.cheapest_buckets(n, *arrays, most, n_steps)
    place = np.asarray(place)
    return *found, place.max() - place


def cheapest_orders(size, margin, most):
    """Find the least costs of orders of few items by margins, whole numbers, and the number of ways, 2 for several.

    `margin` contains the matrices of `size` rows, one after the other, and `most` the costs of known orders; both are
    flat arrays. If majorities contradict each other much, the time grows with 2 to the power of the size.
    """
    start = np.cumsum(size * size) - size * size
    arrays = *map(_as_vi, (size, start)), *map(_as_vf, (margin, most))
    blocks = _blocks(np.cumsum(2.0**size * size**2))
    found = [_subsets.cheapest_orders(*ends, 1 << int(size[slice(*ends)].max()), *arrays) for ends in blocks]
    cost, ways = zip(*found, strict=True) if found else (((),), ((),))
    return np.concatenate(cost), np.concatenate(ways)


def locked_arcs(arc, n_items, n_matrices):
    """Lock the arcs of square matrices, given as cells (n_arcs,) in this order, unless an arc would close a cycle.

    Returns bool, (n_matrices, n_items, n_items): True if locked arcs lead from the row's item to the column's.
    """
    n_words, arc, done = -(-n_items // 32), _as_vi(arc), 0
    sets = [_VI(np.zeros(n_rows * n_words, dtype=np.int64)) for n_rows in (n_matrices * n_items,) * 2 + (1,)]
    while done < len(arc):
        done = _locking.lock(done, _BLOCK, n_items, n_words, arc, *sets, _as_vi(2 ** np.arange(32)))
    words = np.asarray(sets[0]).reshape(n_matrices, n_items, n_words).astype("<u4")
    return np.unpackbits(words.view(np.uint8), axis=-1, count=n_items, bitorder="little").view(bool)


def number_items(lists, n_rows):
    """Number the ids of lists in order of appearance, see ``_arrays._plain_ids.number_items``."""
    items, code, repeated, odd = _fusion.number_items(lists, n_rows)
    return items, np.asarray(code), repeated, odd


def gather_scores(lists, n_rows):
    """Gather the scores of lists in one array, see ``_arrays._plain_ids.gather_scores``."""
    score, largest, falls = _fusion.gather_scores(lists, n_rows)
    return np.asarray(score), largest, falls


def best_first(items, order, score, support, tolerance, support_tolerance, find_source, top):
    """Order ids whose scores `order` sorts, see ``_arrays._plain_ids.best_first``."""
    source = None if find_source is None else lambda: _as_vi(find_source())
    arrays = _as_vi(order), _as_vf(score), _as_vf(support)
    return _fusion.best_first(items, *arrays, source, tolerance, support_tolerance, top)
