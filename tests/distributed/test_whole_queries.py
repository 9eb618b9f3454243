"""whole_queries splits Arrow tables between queries, wherever batches end; HashSet finds repeated hashes."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

pa = pytest.importorskip("pyarrow", reason="chunks are tables of Arrow")

from skrankagg.distributed._arrow_chunks import HashSet, whole_queries  # noqa: E402

pytestmark = pytest.mark.twice

# Rows of each query, each query once; and where the batches end.
SIZES = st.lists(st.integers(1, 7), max_size=12)
QUERY_TYPES = [pa.string(), pa.large_string(), pa.int64(), pa.dictionary(pa.int8(), pa.string())]


def batches(sizes, cuts, dtype):
    names = [f"q{k}" for k in range(len(sizes))] if not pa.types.is_integer(dtype) else list(range(len(sizes)))
    queries = [name for name, size in zip(names, sizes, strict=True) for _ in range(size)]
    cuts = [0, *sorted(min(cut, len(queries)) for cut in cuts), len(queries)]
    # Each batch is made by itself, so that those of a dictionary have their own.
    for start, stop in itertools.pairwise(cuts):
        if pa.types.is_dictionary(dtype):
            own = pa.array(queries[start:stop], pa.string()).dictionary_encode().cast(dtype)
        else:
            own = pa.array(queries[start:stop], dtype)
        yield pa.table({"query": own, "row": pa.array(range(start, stop), pa.int64())})


def rows_of(tables):
    return [row for table in tables for row in table["row"].to_pylist()]


def queries_of(table):
    return list(dict.fromkeys(table["query"].to_pylist()))


CASES = given(SIZES, st.lists(st.integers(0, 60), max_size=8), st.integers(1, 9), st.sampled_from(QUERY_TYPES))


@CASES
def test_whole_queries_returns_chunks_of_n_queries(sizes, cuts, n, dtype):
    found = list(whole_queries(batches(sizes, cuts, dtype), n_queries=n))
    assert rows_of(found) == list(range(sum(sizes)))
    per_chunk = [len(queries_of(table)) for table in found]
    assert sum(per_chunk) == len(sizes)
    assert all(count == n for count in per_chunk[:-1]) and all(1 <= count <= n for count in per_chunk[-1:])


@CASES
def test_whole_queries_returns_chunks_of_at_least_n_rows(sizes, cuts, n, dtype):
    found = list(whole_queries(batches(sizes, cuts, dtype), n_rows=n))
    assert rows_of(found) == list(range(sum(sizes)))
    whole = [queries_of(table) for table in found]
    assert sum(map(len, whole)) == len(sizes)
    for table, names in zip(found[:-1], whole, strict=False):
        last = sum(one == names[-1] for one in table["query"].to_pylist())
        assert len(table) >= n > len(table) - last  # it is long enough, and ends with the first query that makes it so


def test_whole_queries_starts_a_new_chunk_when_a_query_reappears():
    table = pa.table({"query": ["a", "b", "a"], "row": [0, 1, 2]})
    assert [queries_of(one) for one in whole_queries([table], n_queries=1)] == [["a"], ["b"], ["a"]]


def test_whole_queries_returns_no_chunks_without_rows():
    nothing = pa.table({"query": pa.array([], pa.string())})
    assert list(whole_queries([], n_queries=1)) == list(whole_queries([nothing, nothing], n_rows=1)) == []


HASHES = st.lists(st.lists(st.integers(0, 20) | st.integers(2**64 - 20, 2**64 - 1), max_size=15), max_size=20)


@given(HASHES)
def test_hash_set_behaves_like_a_set(batches):
    ours, theirs = HashSet(), set()
    for batch in batches:
        again = ours.add(np.array(batch, dtype=np.uint64))
        assert again.tolist() == sorted(theirs & set(batch))
        theirs |= set(batch)


def test_hash_set_needs_little_more_memory_than_its_hashes():
    hashes = np.random.default_rng(0).permutation(2**16).astype(np.uint64).reshape(256, 256)
    found = HashSet()
    for batch in hashes:
        assert len(found.add(batch)) == 0
    assert sum(map(len, found._runs)) == hashes.size and len(found._runs) <= 9
    assert len(found.add(hashes[7])) == 256
