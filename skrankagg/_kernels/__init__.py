"""The entry to the compiled kernels: NumPy arrays in, NumPy arrays out.

::

    aggregators, metrics                     NumPy, interpreted
            |
        _kernels/__init__.py                 this module: converts, documents, and knows whether it is compiled
            |
        _kernels/_majority.py, ...           librt.vecs only; mypyc turns each into an extension module

A kernel takes typed vectors, which hold a copy of the array and can be compiled to plain C loops. What NumPy says in
one vectorised operation is not here: a kernel is a loop that branches, or that depends on its own last step.

A kernel that Python calls takes its vectors as objects and casts them: where Python calls a compiled function with a
parameter of type ``vec``, mypyc 2.4 keeps a reference to the vector, so its memory is never freed. Functions that only
kernels call take vectors, and their names begin with an underscore.
"""

import hashlib
import json
import warnings
from pathlib import Path

import numpy as np
from librt.vecs import vec
from mypy_extensions import i64

from . import _agglomerate, _buckets, _co_ranked, _fusion, _insertion, _inversions, _joint, _locking, _majority
from . import _running_sums as _ragged

__all__ = [
    "COMPILED",
    "best_first",
    "bucket_descent",
    "co_ranked",
    "discordant_pairs",
    "insertion_descent",
    "insertion_rounds",
    "locked_arcs",
    "log_joint_probability",
    "majority_points",
    "merge_lists",
    "number_items",
    "ragged_cumsum",
    "stale_kernels",
]

_KERNELS = (_agglomerate, _buckets, _co_ranked, _fusion, _insertion, _inversions, _joint, _locking, _majority, _ragged)
# Steps that one kernel call may take: about a tenth of a second, between which Ctrl-C is heard. Interpreted, a step
# takes a hundred times as long.
_BLOCK = 50_000_000

#: Whether the kernels run as compiled extension modules (else: as plain Python, the same results but slower).
COMPILED = not any(kernel.__file__.endswith(".py") for kernel in _KERNELS)

if not COMPILED:
    _BLOCK //= 100

_VF = vec[float]
_VI = vec[i64]


def _as_vf(array):
    # vec converts a contiguous array of exactly this type in one copy, and any other one item by item, in silence.
    return _VF(np.ascontiguousarray(array, dtype=np.float64))


def _as_vi(array):
    return _VI(np.ascontiguousarray(array, dtype=np.int64))


def stale_kernels():
    """Name the compiled kernels whose source has changed since they were compiled.

    Returns
    -------
    list of str
        Module names, empty where the kernels run as plain Python or nothing changed.
    """
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
        f"The compiled kernel(s) {', '.join(stale_kernels())} are older than their source, which has no effect: "
        "install skrankagg again to compile it, or delete the extension modules to run the source.",
        RuntimeWarning,
        stacklevel=2,
    )


def ragged_cumsum(value, ptr):
    """Running totals within consecutive segments.

    Parameters
    ----------
    value : ndarray of shape (n,), dtype=float64
        What to add up.
    ptr : ndarray of shape (n_segments + 1,), dtype=int
        Segment ``s`` is ``value[ptr[s]:ptr[s + 1]]``.

    Returns
    -------
    ndarray of shape (n,), dtype=float64
        At each place, the sum of its segment up to and with it; read-only.
    """
    return np.asarray(_ragged.ragged_cumsum(_as_vf(value), _as_vi(ptr)))


def discordant_pairs(ptr, tie_end, other):
    """Count the pairs that a second ranking turns round, for many rankings at once.

    Parameters
    ----------
    ptr : ndarray of shape (n_lists + 1,), dtype=int
        Lists, each sorted by the first ranking.
    tie_end : ndarray of shape (n_rows,), dtype=int
        Row behind the last one that ties with this one in the first ranking.
    other : ndarray of shape (n_rows,), dtype=int
        Dense rank of the row's item in the second ranking, from 0 within each list.

    Returns
    -------
    discordant, ordered : ndarray of shape (n_lists,), dtype=float64
        Numbers of pairs that the two rankings order oppositely, and of pairs that both order at all; read-only. Each
        list of length L costs O(L log L).
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


def merge_lists(score, weight, c1, c2, by_similarity):
    """Merge the two most similar lists until one is left.

    Parameters
    ----------
    score : ndarray of shape (n_lists, n_items), dtype=float64
        Score that each list gives each item, higher is better; at least 2 items.
    weight : ndarray of shape (n_lists,), dtype=float64
        Weights of the lists.
    c1, c2 : float
        Coefficients of the weight of a merged list.
    by_similarity : bool
        Whether its similarity to the other lists enters that weight.

    Returns
    -------
    ndarray of shape (n_items,), dtype=float64
        Scores of the last list; read-only.
    """
    m, n = score.shape
    score, weight, rank = _as_vf(score.ravel()), _as_vf(weight), _VF(np.zeros(m * n))
    order, spare, similarity = _VI(np.zeros(n, dtype=np.int64)), _VI(np.zeros(n, dtype=np.int64)), _VF(np.zeros(m * m))
    # A list is sorted, and compared with those before it.
    for first, last in _blocks(np.cumsum(n * (np.arange(m) + 20.0))):
        _agglomerate.compare(first, last, score, n, order, spare, rank, similarity)
    alive = _VI(np.arange(m))
    # Before a merge all pairs are looked at, and after it the lists are compared with the new one.
    lists = np.arange(m, 1.0, -1.0)
    for first, last in _blocks(np.cumsum(lists * (lists + n))):
        arrays = score, weight, n, order, spare, rank, similarity
        _agglomerate.merge(last - first, m - first, alive, *arrays, float(c1), float(c2), bool(by_similarity))
    last_list = alive[0] * n
    return np.asarray(score)[last_list : last_list + n]


def log_joint_probability(ptr, x, n):
    """Log probability that the k-th smallest of n uniform numbers is at most the k-th of some values, for every k.

    Parameters
    ----------
    ptr : ndarray of shape (n_items + 1,), dtype=int
        Values of item ``i`` are ``x[ptr[i]:ptr[i + 1]]``.
    x : ndarray of shape (n_values,), dtype=float64
        At least 1e-100, at most 1, ascending for each item.
    n : ndarray of shape (n_items,), dtype=int
        How many numbers: where there are fewer values, the last ones are 1.

    Returns
    -------
    ndarray of shape (n_items,), dtype=float64
        Natural logarithms, at most 0 but for rounding.
    """
    widest = int(np.max(n, initial=0)) + 1
    out = _VF(np.zeros(len(n)))
    arrays = _as_vi(ptr), _as_vf(x), _as_vi(n), *(_VF(np.zeros(widest)) for _ in range(3))
    # Each pair of a value and a count takes about ten steps.
    for first, last in _blocks(np.cumsum(10.0 * np.diff(ptr) * n)):
        n_values = max(1, _BLOCK // (10 * int(n[first]))) if last == first + 1 else widest
        place, log_v = 0, 0.0
        while True:
            place, log_v = _joint.log_joint_probability(first, last, *arrays, place, log_v, n_values, out)
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


def majority_points(
    list_ptr, row_ptr, rank, candidate, list_weight, candidate_ptr, held, row_list, candidate_row_ptr, candidate_rows
):
    """Count each item's majority wins and draws against the other items of its query.

    A list prefers a ranked item to an absent one; it has no opinion on two absent or two tied items. Margins within
    1e-12 of the query's total weight are draws, so that rounding never makes a majority.

    Parameters
    ----------
    list_ptr : ndarray of shape (n_queries + 1,), dtype=int
        Lists of query ``q`` are ``list_ptr[q]`` to ``list_ptr[q + 1] - 1``.
    row_ptr : ndarray of shape (n_lists + 1,), dtype=int
        Rows of a list, best first.
    rank : ndarray of shape (n_rows,), dtype=float64
        Equal neighbours within a list tie.
    candidate : ndarray of shape (n_rows,), dtype=int
        Candidate of each row.
    list_weight : ndarray of shape (n_lists,), dtype=float64
        Weight of each list.
    candidate_ptr : ndarray of shape (n_queries + 1,), dtype=int
        Candidates of each query.
    held : ndarray of shape (n_candidates,), dtype=float64
        Total weight of the lists that hold each item.
    row_list : ndarray of shape (n_rows,), dtype=int
        List of each row.
    candidate_row_ptr : ndarray of shape (n_candidates + 1,), dtype=int
        Rows of candidate ``i`` are ``candidate_rows[candidate_row_ptr[i]:candidate_row_ptr[i + 1]]``.
    candidate_rows : ndarray of shape (n_rows,), dtype=int
        Rows sorted by candidate.

    Returns
    -------
    wins, draws : ndarray of shape (n_candidates,), dtype=float64
        Numbers of opponents beaten by a weighted majority, and of opponents at a draw.
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
    """Add up preferences between the items that a list holds both of, into one square matrix or many.

    Parameters
    ----------
    row_ptr : ndarray of shape (n_lists + 1,), dtype=int
        Rows of a list, best first.
    item : ndarray of shape (n_rows,), dtype=int
        Item of each row, from 0 to ``n_items - 1``.
    rank : ndarray of shape (n_rows,), dtype=float64
        Equal neighbours within a list tie.
    weight : ndarray of shape (n_rows,), dtype=float64
        What a row counts.
    list_matrix : ndarray of shape (n_lists,), dtype=int
        Matrix that each list adds to.
    n_items, n_matrices : int
        Sizes.
    ties : bool, default=True
        Whether any two rows of a list tie.

    Returns
    -------
    above, level : ndarray of shape (n_matrices, n_items, n_items), dtype=float64
        In row i and column j the total weight of the rows of i in lists that rank j above i, and in lists that rank
        both alike; i against itself counts as alike. May be read-only.
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
    """Insert items elsewhere in an order as long as that makes it cheaper.

    Parameters
    ----------
    margin : ndarray of shape (n, n), dtype=float64
        What an order costs more with the row before the column than the other way round.
    order : ndarray of shape (n,), dtype=int
        Where to start.
    tolerance : float, default=0.0
        Smaller gains are none.
    until : callable, optional
        Asked now and then whether to stop before that.

    Returns
    -------
    order : ndarray of shape (n,), dtype=int64
        No single insertion makes it cheaper; read-only.
    change : float
        What it costs more than the first one, at most 0. A pass over all items is O(n^2).
    """
    n, order, margin = len(order), _as_vi(order), _as_vf(np.ravel(margin))
    at, change = _VI(np.zeros(2, dtype=np.int64)), 0.0
    while at[1] < n and not (until is not None and until()):
        change = _insertion.descend(margin, order, n, tolerance, at, change, max(1, _BLOCK // (4 * n)))
    return np.asarray(order), change


def insertion_rounds(margin, order, costs, uniform, n_moves, span, slack, tolerance=0.0):
    """Go on from an order by rounds of displacing some items and descending again.

    Parameters
    ----------
    margin : ndarray of shape (n, n), dtype=float64
        What an order costs more with the row before the column than the other way round.
    order : ndarray of shape (n,), dtype=int
        Where to start.
    costs : tuple of float
        Costs of this order and of the best known one.
    uniform : ndarray of shape (n_rounds * 2 * n_moves,), dtype=float64
        Random numbers from 0 to 1.
    n_moves, span : int
        How many items a round displaces, and by how many places at most.
    slack : float
        How much more than the best one an order may cost to go on from.
    tolerance : float, default=0.0
        Smaller differences are none.

    Returns
    -------
    best, order : ndarray of shape (n,), dtype=int64
        The cheapest order of these rounds, and the last one; read-only.
    costs : tuple of float
        Costs of the last one and of the best one; if the latter did not fall, `best` is where the rounds started.
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
    """Move items between the buckets of an order with ties as long as that makes it cheaper.

    Parameters
    ----------
    before : ndarray of shape (n, n), dtype=float64
        Cost of the row before the column.
    tied : ndarray of shape (n, n), dtype=float64
        Cost of a tie of the two.
    bucket : ndarray of shape (n,), dtype=int
        Bucket of each item, best first, from 0 without gaps.
    tolerance : float, default=0.0
        Smaller gains are none.
    until : callable, optional
        Asked now and then whether to stop before that.

    Returns
    -------
    ndarray of shape (n,), dtype=int64
        Buckets in the same manner; no single item can go elsewhere, or into a bucket of its own, for less; read-only. A
        pass over all items is O(n^2).
    """
    n, bucket, before, tied = len(bucket), _as_vi(bucket), _as_vf(np.ravel(before)), _as_vf(np.ravel(tied))
    at = _VI(np.zeros(2, dtype=np.int64))
    while at[1] < n and not (until is not None and until()):
        _buckets.descend(before, tied, bucket, n, tolerance, at, max(1, _BLOCK // (10 * n)))
    return np.asarray(bucket)


def locked_arcs(arc, n_items, n_matrices):
    """Lock the arcs of square matrices, given as cells (n_arcs,) in this order, unless one would close a cycle.

    Returns whether locked arcs lead from the row's item to the column's, bool, (n_matrices, n_items, n_items).
    """
    n_words, arc, done = -(-n_items // 32), _as_vi(arc), 0
    sets = [_VI(np.zeros(n_rows * n_words, dtype=np.int64)) for n_rows in (n_matrices * n_items,) * 2 + (1,)]
    while done < len(arc):
        done = _locking.lock(done, _BLOCK, n_items, n_words, arc, *sets, _as_vi(2 ** np.arange(32)))
    words = np.asarray(sets[0]).reshape(n_matrices, n_items, n_words).astype("<u4")
    return np.unpackbits(words.view(np.uint8), axis=-1, count=n_items, bitorder="little").view(bool)


def number_items(lists, n_rows):
    """Number the ids of lists in the order in which they first come, see ``_arrays._plain_ids.number_items``."""
    items, code, repeated, odd = _fusion.number_items(lists, n_rows)
    return items, np.asarray(code), repeated, odd


def best_first(items, order, score, support, tolerance, support_tolerance, find_source, top):
    """Put ids in order whose scores `order` sorts, see ``_arrays._plain_ids.best_first``."""
    source = None if find_source is None else lambda: _as_vi(find_source())
    arrays = _as_vi(order), _as_vf(score), _as_vf(support)
    return _fusion.best_first(items, *arrays, source, tolerance, support_tolerance, top)
