"""Half cuts: inequalities that are half the sum of some rows of a linear programme, rounded down.

The rows of the linear programme forbid cycles of three items (triangles). Its solution may contain values of 1/2.
Suppose that some rows with integer coefficients add up to even coefficients and an odd right side. Half of this sum,
rounded down, is valid for integer solutions and excludes such a fractional solution. If three rows form a ring, the
cuts are the Möbius ladders of the linear ordering problem. Elimination modulo 2 finds these cuts, and also cuts from
more than three rows. It uses only the rows that the solution satisfies with equality.
"""

import numpy as np
from scipy.sparse import csr_array

_WHOLE = 1e-6
# Largest number of rows in one elimination, of cuts that it returns, and of cuts per variable.
_MOST_ROWS, _MOST_CUTS, _PER_PAIR = 4000, 400, 8
# Least violation of a sum of rows. The cut from this sum is violated by half as much.
_LEAST = 0.1
# Seconds to build one cell of the table of rows and variables.
_SECONDS_PER_CELL = 1e-8


def half_cuts(matrix, most, x, budget):
    """Find half cuts that a fractional solution `x` violates, from the rows that `x` satisfies with equality.

    The rows ``matrix @ x <= most`` have integer coefficients. They are valid for all integer solutions with variables
    from 0 to 1. A half cut is half of a sum of rows, with the upper limit rounded down. Returns a sparse matrix of
    cuts, of shape (n_cuts, n_variables), and the upper limits of the cuts, of shape (n_cuts,). `x` violates each cut by
    about 1/2. Raises Unfinished if the time limit has passed. The method follows A. Caprara and M. Fischetti, "{0,
    1/2}-Chvátal-Gomory cuts", Mathematical Programming 74, 1996.
    """
    n = matrix.shape[1]
    slack = np.maximum(most - matrix @ x, 0.0)
    chosen = np.argsort(slack, kind="stable")[:_MOST_ROWS]
    chosen = chosen[slack[chosen] < 1 - _LEAST]
    # Replace each variable that is nearer to 1 by 1 minus the variable. Each value is then the distance to an integer.
    down = x > 0.5
    rows, slack = matrix[chosen], slack[chosen]
    right = np.round(most[chosen] - rows @ down.astype(np.float64)).astype(np.int64)
    above = np.minimum(x, 1 - x)
    columns = np.flatnonzero(above > _WHOLE)
    budget.check(_SECONDS_PER_CELL * len(chosen) * len(columns))
    parity = (np.abs(rows[:, columns]).toarray().round().astype(np.int64) % 2).astype(np.uint8)
    used = _odd_sums(parity, right % 2, slack, above[columns], budget)
    sign = csr_array((np.where(down, -1.0, 1.0), (np.arange(n), np.arange(n))), shape=(n, n))
    total = (csr_array(used) @ rows @ sign).tocsr()
    total.data = np.floor(total.data / 2 + 1e-9)
    limit = np.floor((used @ right) / 2)
    cuts = (total @ sign).tocsr()
    cuts.eliminate_zeros()
    limit = limit + cuts @ down.astype(np.float64)
    keep = np.flatnonzero(cuts @ x > limit + _LEAST / 2)
    return _sparse_ones(cuts[keep], limit[keep])


def _odd_sums(parity, right, slack, above, budget):
    """Use elimination modulo 2 to find sums of rows that have even coefficients, an odd upper limit and little slack.

    A row is an inequality; its slack is the upper limit minus the value of the row in the fractional solution. `parity`
    and `right` contain the coefficients and the upper limits modulo 2, and `slack` the slacks. `above` contains the
    distance of each variable from the nearest integer. Half of each sum is a cut. Returns an array of shape (n_sums,
    n_rows), dtype float64: 1 for each row that is part of the sum, otherwise 0.
    """
    n_rows, n_columns = parity.shape
    # Each variable gets an additional row, which can make an odd coefficient of this variable even. Adding this row
    # increases the slack of a sum by the value of the variable.
    parity = np.concatenate([parity, np.eye(n_columns, dtype=np.uint8)])
    table = np.packbits(parity, axis=1)
    history = np.zeros((len(parity), (n_rows + 7) // 8), dtype=np.uint8)
    history[:n_rows] = np.packbits(np.eye(n_rows, dtype=np.uint8), axis=1)
    right = np.append(right, np.zeros(n_columns, dtype=right.dtype)).astype(np.uint8)
    slack = np.append(slack, above)
    alive = np.ones(len(parity), dtype=bool)
    for column in np.argsort(-above, kind="stable"):
        budget.check()
        byte, bit = column >> 3, np.uint8(128 >> (column & 7))
        holding = np.flatnonzero(alive & ((table[:, byte] & bit) > 0))
        pivot = holding[np.argmin(slack[holding])]
        alive[pivot] = False
        others = holding[holding != pivot]
        others = others[slack[others] + slack[pivot] < 1 - _LEAST]
        alive[holding] = False
        alive[others] = True
        table[others] ^= table[pivot]
        history[others] ^= history[pivot]
        right[others] ^= right[pivot]
        slack[others] += slack[pivot]
    odd = np.flatnonzero(alive & (right == 1))
    return np.unpackbits(history[odd], axis=1, count=n_rows).astype(np.float64)


def _sparse_ones(cuts, limit):
    """Select the sparsest cuts, so that most variables occur in only a few cuts.

    A cut is an inequality: a row of coefficients in `cuts`, with an upper limit in `limit`. Returns the coefficients
    and the upper limits of the selected cuts.
    """
    length = np.diff(cuts.indptr)
    count = np.zeros(cuts.shape[1], dtype=np.int64)
    kept, seen = [], set()
    for k in np.argsort(length, kind="stable"):
        one = cuts.indices[cuts.indptr[k] : cuts.indptr[k + 1]]
        key = (one.tobytes(), cuts.data[cuts.indptr[k] : cuts.indptr[k + 1]].tobytes())
        if key in seen or len(one) == 0 or np.median(count[one]) >= _PER_PAIR:
            continue
        seen.add(key)
        count[one] += 1
        kept.append(k)
        if len(kept) == _MOST_CUTS:
            break
    return cuts[np.array(kept, dtype=np.int64)], limit[kept]
