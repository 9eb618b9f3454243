"""Import of the kernels, compiled or as plain Python, and conversion of arrays to the vectors that kernels accept."""

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
        _coded_lists,
        _fusion,
        _graded_dicts,
        _group_places,
        _insertion,
        _inversions,
        _joint,
        _list_newton,
        _locking,
        _lowest_tails,
        _majority,
        _majority_walks,
        _orders,
        _plain_sums,
        _plain_values,
        _running_sums,
        _subsets,
        _tied_items,
    )

KERNELS = (_agglomerate, _buckets, _co_ranked, _coded_lists, _fusion, _graded_dicts, _group_places, _insertion)
KERNELS += (_inversions, _joint, _list_newton, _locking, _lowest_tails, _majority, _majority_walks, _orders)
KERNELS += (_plain_sums, _plain_values, _running_sums, _subsets, _tied_items)
# Largest number of steps of one kernel call. These steps take about a tenth of a second, and Ctrl-C takes effect
# between calls. A step in interpreted code takes a hundred times as long.
BLOCK = 50_000_000

#: True if the kernels run as compiled extension modules; otherwise they run as plain Python, with equal results but
#: slower.
COMPILED = not any(kernel.__file__.endswith(".py") for kernel in KERNELS)

if not COMPILED:
    BLOCK //= 100

VF = vec[float]
VI = vec[i64]


def as_vf(array):
    # vec converts a contiguous array of exactly this type in one copy. It converts any other array slowly, item by
    # item.
    return VF(np.ascontiguousarray(array, dtype=np.float64))


def as_vi(array):
    return VI(np.ascontiguousarray(array, dtype=np.int64))


def stale_kernels():
    """Return the names of compiled kernels whose source has changed; kernels in plain Python are never stale."""
    compiled = [kernel for kernel in KERNELS if not kernel.__file__.endswith(".py")]
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
        f"The compiled kernel(s) {', '.join(stale_kernels())} are older than their source, so changes of the "
        "source have no effect. Install skrankagg again to compile the source, or delete the extension modules to "
        "run the source without compiling.",
        RuntimeWarning,
        stacklevel=2,
    )


def blocks(work):
    """Divide consecutive steps into blocks that each take a fraction of a second; yield the bounds of each block.

    `work` contains the running total of the work of the steps. The bounds are the first position in the block and the
    position after the last one. A step is never divided.
    """
    if len(work) and work[-1] <= BLOCK:
        yield 0, len(work)
        return
    first = 0
    while first < len(work):
        done = work[first - 1] if first else 0.0
        last = max(first + 1, int(np.searchsorted(work, done + BLOCK, side="right")))
        yield first, last
        first = last
