"""scan_parquet: chunks of whole queries, and resumable writing of results."""

import json
import os
import signal
import subprocess
import sys
import time
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import sklearn
from frames_and_files import assert_same_rows, write_files
from processes import environment
from sklearn.ensemble import HistGradientBoostingRegressor

pa = pytest.importorskip("pyarrow", reason="reads Parquet")

import pyarrow.parquet as pq  # noqa: E402

from skrankagg import DIBRA, CombSUM, Copeland, Qrels, StackedFusion  # noqa: E402
from skrankagg.__main__ import main  # noqa: E402
from skrankagg.datasets import make_ranked_lists  # noqa: E402
from skrankagg.distributed import fit_partitions, scan_parquet, transform_partitions  # noqa: E402

pytestmark = pytest.mark.twice


@pytest.fixture(scope="module")
def lists():
    """Return lists of 24 queries of 64 rows each, sorted by query."""
    frame = make_ranked_lists(n_queries=24, n_voters=8, list_length=8, quality=0.5, random_state=0)[0]
    return frame.sort_values("query", kind="stable", ignore_index=True)


@pytest.fixture
def file(tmp_path, lists):
    lists.to_parquet(tmp_path / "lists.parquet", row_group_size=100)
    return tmp_path / "lists.parquet"


# ---------------------------------------------------------------------- reading


@pytest.mark.sampled(1)
@pytest.mark.parametrize("chunk_queries", [1, 5, 24, 1000])
@pytest.mark.parametrize("row_group_size", [7, 100, 10**6])
@pytest.mark.parametrize("batch", [3, 64, 1 << 17])
def test_scan_parquet_chunks_are_whole_queries(tmp_path, lists, monkeypatch, chunk_queries, row_group_size, batch):
    from skrankagg.distributed import _parquet_chunks

    monkeypatch.setattr(_parquet_chunks, "_BATCH", batch)
    lists.to_parquet(tmp_path / "lists.parquet", row_group_size=row_group_size)
    chunks = scan_parquet(tmp_path / "lists.parquet", chunk_queries=chunk_queries)
    frames = list(chunks)
    assert chunks.n_rows == len(lists) and chunks.names == ["query", "voter", "item", "rank", "score"]
    assert [frame["query"].nunique() for frame in frames[:-1]] == [chunk_queries] * (len(frames) - 1)
    assert_same_rows(pd.concat(frames), lists)
    consensus = list(transform_partitions(CombSUM(), chunks))
    assert len(consensus) == len(frames)
    assert_same_rows(pd.concat(consensus), CombSUM().transform(lists))


@pytest.mark.parametrize("how", ["folder", "list", "nested"])
def test_scan_parquet_reads_several_files_as_one_data_set(tmp_path, lists, how):
    folder = tmp_path / "lists"
    paths = write_files(lists, folder, [0, 64 * 3 + 5, 64 * 3 + 9, 64 * 20])  # a query stands in three files
    if how == "nested":
        (folder / "z").mkdir()
        paths[-1].rename(folder / "z" / "a.parquet")
        (folder / "_SUCCESS").touch()
    chunks = scan_parquet(paths if how == "list" else folder, chunk_queries=5)
    assert chunks.file_rows == [197, 4, 1079, 256]
    assert_same_rows(pd.concat(list(transform_partitions(CombSUM(), chunks))), CombSUM().transform(lists))


def test_scan_parquet_ignores_parts_being_written_in_the_folder(tmp_path, lists):
    write_files(lists, tmp_path, [0])
    (tmp_path / "out.parquet.parts").mkdir()
    lists.to_parquet(tmp_path / "out.parquet.parts" / "00000000.parquet")
    assert scan_parquet(tmp_path).n_rows == len(lists)


def test_scan_parquet_renames_columns(tmp_path, lists):
    other = lists.rename(columns={"query": "topic", "item": "doc", "score": "sim"}).assign(item=0, note="x")
    other.to_parquet(tmp_path / "lists.parquet")
    columns = {"query": "topic", "item": "doc", "score": "sim"}
    chunks = scan_parquet(tmp_path / "lists.parquet", columns=columns, chunk_queries=5)
    assert chunks.names == ["query", "voter", "item", "rank", "score"]
    assert_same_rows(pd.concat(list(transform_partitions(CombSUM(), chunks))), CombSUM().transform(lists))


TYPES = {
    "integers": lambda ids: ids.astype("category").cat.codes.astype("int32"),
    "categories": lambda ids: ids.astype("category"),
    "dates": lambda ids: pd.Timestamp("2026-01-01") + pd.to_timedelta(ids.astype("category").cat.codes, unit="D"),
}


@pytest.mark.sampled(1)
@pytest.mark.parametrize("kind", TYPES)
def test_scan_parquet_keeps_ids_of_every_type(tmp_path, lists, kind):
    frame = lists.assign(**{name: TYPES[kind](lists[name]) for name in ("query", "voter", "item")})
    # Each file has categories of its own, of which the first has few.
    paths = write_files(frame, tmp_path / "lists", [0, 64, 64 * 9 + 3])
    chunks = transform_partitions(CombSUM(), scan_parquet(paths, chunk_queries=1))
    expected = CombSUM().transform(frame)
    assert chunks.write(tmp_path / "out.parquet") == len(expected)
    found, frames = pd.read_parquet(tmp_path / "out.parquet"), list(chunks)
    if kind == "categories":  # of which each chunk has its own
        for one in (*frames, found):
            assert isinstance(one["query"].dtype, pd.CategoricalDtype)
        text = {"query": str, "item": str}
        frames, found, expected = [one.astype(text) for one in frames], found.astype(text), expected.astype(text)
    assert_same_rows(pd.concat(frames), expected)
    assert_same_rows(found, expected)


def test_scan_parquet_handles_more_categories_than_the_first_codes(tmp_path):
    """The first file and the first chunk have few items, the next ones more than fit into the codes of the first."""
    rows = [("a", "v", "i0", 1)] + [("b", "v", f"i{k:05}", k + 1) for k in range(40_000)]
    frame = pd.DataFrame(rows, columns=["query", "voter", "item", "rank"]).astype({"item": "category"})
    chunks = scan_parquet(write_files(frame, tmp_path / "lists", [0, 2, 100]), chunk_queries=1)
    assert chunks.write(tmp_path / "same.parquet") == len(frame)  # as they are, categories
    found = pd.read_parquet(tmp_path / "same.parquet")
    assert isinstance(found["item"].dtype, pd.CategoricalDtype)
    assert_same_rows(found.astype({"item": str}), frame.astype({"item": str}))
    assert transform_partitions(CombSUM(norm="rank"), chunks).write(tmp_path / "out.parquet") == len(frame)
    found = pd.read_parquet(tmp_path / "out.parquet")
    assert found["item"].tolist() == CombSUM(norm="rank").transform(frame)["item"].tolist()


def test_scan_parquet_reads_weights(tmp_path, lists):
    frame = lists.assign(weight=lists["voter"].map({"v1": 0.0, "v2": 3.0}).fillna(1.0))
    frame.to_parquet(tmp_path / "lists.parquet")
    found = transform_partitions(CombSUM(), scan_parquet(tmp_path / "lists.parquet", chunk_queries=5))
    assert_same_rows(pd.concat(list(found)), CombSUM().transform(frame))


def test_scan_parquet_handles_a_data_set_without_rows(tmp_path, lists):
    lists.head(0).to_parquet(tmp_path / "lists.parquet")
    chunks = transform_partitions(CombSUM(), scan_parquet(tmp_path / "lists.parquet"))
    assert list(chunks) == []
    with pytest.raises(ValueError, match="The data set has no rows, so there is nothing to write"):
        chunks.write(tmp_path / "out.parquet")
    assert [path.name for path in tmp_path.iterdir()] == ["lists.parquet"]
    with pytest.raises(ValueError, match="must have rows"):
        fit_partitions(DIBRA(weighting="global"), scan_parquet(tmp_path / "lists.parquet"))


# ---------------------------------------------------------------------- refused


def test_scan_parquet_rejects_unreadable_files(tmp_path, lists, file):
    with pytest.raises(ValueError, match="does not exist"):
        scan_parquet(tmp_path / "none.parquet")
    (tmp_path / "empty").mkdir()
    with pytest.raises(ValueError, match="has no such file"):
        scan_parquet(tmp_path / "empty")
    with pytest.raises(ValueError, match="at least one path; got none"):
        scan_parquet([])
    for wrong in (0, -1, 1.5, "10", None, True):
        with pytest.raises(ValueError, match="`chunk_queries` must be a whole number of at least 1"):
            scan_parquet(file, chunk_queries=wrong)
    with pytest.raises(ValueError, match=r"keys of `columns` must be among query, .*; got 'topic'"):
        scan_parquet(file, columns={"topic": "query"})
    with pytest.raises(ValueError, match=r"there is no 'doc' in .* Correct the name"):
        scan_parquet(file, columns={"item": "doc"})
    lists.rename(columns={"query": "topic", "item": "doc"}).to_parquet(tmp_path / "other.parquet")
    with pytest.raises(ValueError, match=r"no column for 'query' and 'item' in .*columns=\{'query': \.\.\.\}"):
        scan_parquet(tmp_path / "other.parquet")
    with pytest.raises(ValueError, match=r"other.parquet and .*lists.parquet differ in the column 'query'"):
        scan_parquet([file, tmp_path / "other.parquet"])
    texts = tmp_path / "texts.parquet"
    lists.rename(columns={"query": "qid"}).assign(query="text").to_parquet(texts)
    with pytest.raises(ValueError, match=r"both 'query' and 'qid' are in .* Pass columns=\{'query': 'qid'\}"):
        scan_parquet(texts)
    ids = scan_parquet(texts, columns={"query": "qid"})
    assert_same_rows(pd.concat(list(transform_partitions(CombSUM(), ids))), CombSUM().transform(lists))
    assert scan_parquet(texts, columns={"query": "query"}).n_rows == len(lists)
    lists.astype({"rank": float}).to_parquet(tmp_path / "other.parquet")
    with pytest.raises(ValueError, match="differ in the column 'rank'"):
        scan_parquet([file, tmp_path / "other.parquet"])
    (tmp_path / "text.parquet").write_text("query,item,rank\n")
    with pytest.raises(ValueError, match=r"must contain Parquet files; pyarrow cannot read .*text.parquet"):
        scan_parquet(tmp_path / "text.parquet")


@pytest.mark.parametrize("where", ["in a file", "in another file", "in the next chunk"])
@pytest.mark.parametrize("do", ["transform", "fit", "iterate"])
def test_scan_parquet_rejects_split_queries(tmp_path, lists, where, do):
    end = len(lists)
    if where == "in the next chunk":  # q02 q01 | q02
        frame = pd.concat([lists[64:100], lists[:64], lists[100:]])
        chunk_queries = 2
    else:
        frame = pd.concat([lists[:100], lists[128:], lists[100:128]])
        chunk_queries = 5
    paths = write_files(frame, tmp_path / "lists", [0, 64 * 20] if where == "in another file" else [0])
    chunks = scan_parquet(paths, chunk_queries=chunk_queries)
    query = lists["query"].iloc[64]
    with pytest.raises(ValueError, match=f"must be consecutive .*; the rows of query '{query}' are not consecutive"):
        if do == "fit":
            fit_partitions(DIBRA(weighting="global"), chunks)
        else:
            list(transform_partitions(CombSUM(), chunks) if do == "transform" else chunks)
    assert end == len(frame)


@pytest.mark.parametrize("batch", [40, 1 << 17])
def test_scan_parquet_separates_queries_with_equal_hashes(file, lists, monkeypatch, batch):
    from skrankagg.distributed import _parquet_chunks

    monkeypatch.setattr(_parquet_chunks, "_BATCH", batch)
    monkeypatch.setattr(_parquet_chunks, "hash_ids", lambda ids, role: np.zeros(len(ids), dtype=np.uint64))
    chunks = scan_parquet(file, chunk_queries=5)
    assert_same_rows(pd.concat(list(chunks)), lists)


@pytest.mark.parametrize("start", [0, 64, 320])
def test_scan_parquet_continues_at_the_first_row_of_a_query(file, lists, monkeypatch, start):
    from skrankagg.distributed import _parquet_chunks

    monkeypatch.setattr(_parquet_chunks, "_BATCH", 10)
    frames, ends = zip(*scan_parquet(file, chunk_queries=5)._frames(start), strict=True)
    assert_same_rows(pd.concat(frames), lists[start:])
    assert ends == (*range(start + 320, len(lists), 320), len(lists))


def test_fit_partitions_with_queries_reads_only_these_queries(file, lists):
    chosen = ["q03", "q11"]
    found = fit_partitions(DIBRA(weighting="global"), scan_parquet(file, chunk_queries=5), queries=chosen)
    expected = DIBRA(weighting="global").fit(lists[lists["query"].isin(chosen)].reset_index(drop=True))
    pd.testing.assert_frame_equal(found.voter_weights_, expected.voter_weights_)


# ---------------------------------------------------------------------- writing, interrupted


class Interrupted:
    """Work that raises at one chunk and counts its calls."""

    def __init__(self, method, at=None, error=KeyboardInterrupt):
        self.method, self.at, self.error = method, at, error
        self.calls = 0

    def __call__(self, table):
        self.calls += 1
        if self.calls == self.at:
            raise self.error("here")
        return self.method.transform(table)

    def __repr__(self):
        return f"{self.method!r}"


NAMES = ["query", "item", "score", "rank"]


@pytest.mark.sampled(1)
@pytest.mark.parametrize("at", [1, 2, 4, 5])
@pytest.mark.parametrize("error", [KeyboardInterrupt, MemoryError, RuntimeError])
def test_write_resumes_an_interrupted_job(tmp_path, file, lists, at, error):
    out = tmp_path / "out.parquet"
    chunks = scan_parquet(file, chunk_queries=5)
    whole = chunks.then(Interrupted(CombSUM()), NAMES)
    whole.write(tmp_path / "whole.parquet")
    first = Interrupted(CombSUM(), at, error)
    with pytest.raises(error, match="here"):
        chunks.then(first, NAMES).write(out, job="sums")
    assert not out.exists()
    second = Interrupted(CombSUM())
    told = []
    assert chunks.then(second, NAMES).write(out, job="sums", tell=told.append) == len(CombSUM().transform(lists))
    assert second.calls == 5 - (at - 1)  # finished chunks are not made again
    assert len(told) == second.calls + 1 and told[-2] == f"{len(lists):,} of {len(lists):,} rows"
    assert out.read_bytes() == (tmp_path / "whole.parquet").read_bytes()
    assert_same_rows(pd.read_parquet(out), CombSUM().transform(lists))
    assert not (tmp_path / "out.parquet.parts").exists()


def test_write_resumes_after_two_interruptions_and_while_joining(tmp_path, file, lists, monkeypatch):
    from skrankagg.distributed import _resumable

    out = tmp_path / "out.parquet"
    out.write_text("an earlier result")
    chunks = scan_parquet(file, chunk_queries=5)
    for at in (2, 2):
        with pytest.raises(KeyboardInterrupt):
            chunks.then(Interrupted(CombSUM(), at), NAMES).write(out, job="sums")
    assert len(list((tmp_path / "out.parquet.parts").glob("0*.parquet"))) == 2
    join = _resumable._join

    def interrupted(parts, path):
        join(parts[:2], path)
        raise KeyboardInterrupt

    with monkeypatch.context() as context:
        context.setattr(_resumable, "_join", interrupted)
        with pytest.raises(KeyboardInterrupt):
            chunks.then(Interrupted(CombSUM()), NAMES).write(out, job="sums")
    assert out.read_text() == "an earlier result"  # which stays until the new one is complete
    last = Interrupted(CombSUM())
    chunks.then(last, NAMES).write(out, job="sums")
    assert last.calls == 0
    assert_same_rows(pd.read_parquet(out), CombSUM().transform(lists))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["lists.parquet", "out.parquet"]


def test_write_resumes_if_interrupted_while_writing_a_part(tmp_path, file, lists, monkeypatch):
    from skrankagg.distributed import _resumable

    out, write, written = tmp_path / "out.parquet", _resumable.write_table, []

    def half(table, path):
        write(table, path)
        written.append(path)
        if len(written) == 3:
            Path(path).write_bytes(Path(path).read_bytes()[:100])
            raise OSError("No space left on device")

    chunks = transform_partitions(CombSUM(), scan_parquet(file, chunk_queries=5))
    with monkeypatch.context() as context:
        context.setattr(_resumable, "write_table", half)
        with pytest.raises(OSError, match="No space"):
            chunks.write(out, job="sums")
    chunks.write(out, job="sums")
    assert_same_rows(pd.read_parquet(out), CombSUM().transform(lists))


def test_write_rejects_split_queries_after_an_interruption(tmp_path, lists):
    paths = write_files(pd.concat([lists[:100], lists[128:], lists[100:128]]), tmp_path / "lists", [0])
    # The written ids differ from those of the files.
    chunks = scan_parquet(paths, chunk_queries=5).then(_other_queries, NAMES)
    with pytest.raises(KeyboardInterrupt):
        chunks.then(Interrupted(CombSUM(), 3), NAMES).write(tmp_path / "out.parquet", job="sums")
    with pytest.raises(ValueError, match="must be consecutive"):
        chunks.then(Interrupted(CombSUM()), NAMES).write(tmp_path / "out.parquet", job="sums")


def _other_queries(table):
    frame = table.to_pandas()
    return frame.assign(query="other " + frame["query"])


def interrupt(chunks, method, out, at=3, job="sums"):
    """Interrupt a job so that two parts remain."""
    with pytest.raises(KeyboardInterrupt):
        chunks.then(Interrupted(method, at), NAMES).write(out, job=job)


def part_times(out):
    return {part.name: part.stat().st_mtime_ns for part in Path(f"{out}.parts").iterdir()}


def sums(file, chunk_queries=5, names=NAMES, **options):
    return scan_parquet(file, chunk_queries=chunk_queries, **options).then(Interrupted(CombSUM()), names)


OTHER_CHUNKS = {
    "chunk_queries": lambda file: sums(file, 4),
    "columns": lambda file: sums(file, columns={"score": "rank"}),
    "columns of the result": lambda file: sums(file, names=["query", "item"]),
    "files": lambda file: sums([file, file]),
}


@pytest.mark.parametrize("kind", OTHER_CHUNKS)
def test_write_rejects_parts_of_a_job_with_other_data(tmp_path, file, kind):
    out = tmp_path / "out.parquet"
    interrupt(scan_parquet(file, chunk_queries=5), CombSUM(), out)
    before = part_times(out)
    with pytest.raises(
        ValueError, match=f"a part of the job 'sums', but was written with different {kind.split()[0]}.*resume=False"
    ):
        OTHER_CHUNKS[kind](file).write(out, job="sums")
    assert part_times(out) == before


def test_write_rejects_parts_if_a_file_has_changed(tmp_path, file, lists):
    out = tmp_path / "out.parquet"
    interrupt(scan_parquet(file, chunk_queries=5), CombSUM(), out)
    lists.assign(score=-lists["score"]).drop(columns="rank").to_parquet(file)
    with pytest.raises(ValueError, match="with different files"):
        sums(file).write(out, job="sums")


@pytest.mark.parametrize("library", ["skrankagg", "scikit-learn", "pyarrow"])
def test_write_rejects_parts_of_other_versions(tmp_path, file, monkeypatch, library):
    from skrankagg.distributed import _resumable

    out = tmp_path / "out.parquet"
    version_of = _resumable.version_of
    with monkeypatch.context() as context:
        context.setattr(_resumable, "version_of", lambda name: "0.0.9" if name == library else version_of(name))
        interrupt(scan_parquet(file, chunk_queries=5), CombSUM(), out)
    with pytest.raises(ValueError, match=f"with different versions: {library} 0.0.9, not {version_of(library)}"):
        sums(file).write(out, job="sums")


@pytest.mark.parametrize("job", ["other", "Sums", None])
def test_write_rejects_parts_of_another_job_by_name(tmp_path, file, lists, job):
    out = tmp_path / "out.parquet"
    interrupt(scan_parquet(file, chunk_queries=5), CombSUM(), out)
    before = part_times(out)
    other = transform_partitions(Copeland(), scan_parquet(file, chunk_queries=5))
    with pytest.raises(
        ValueError, match=f"`job` must be 'sums', .*; got {job!r}. Pass job='sums' to continue, or resume=F"
    ):
        other.write(out, job=job)
    assert part_times(out) == before and not out.exists()
    other.write(out, job=job, resume=False)
    assert_same_rows(pd.read_parquet(out), Copeland().transform(lists))


def test_write_rejects_a_single_part_of_another_job(tmp_path, file):
    out = tmp_path / "out.parquet"
    interrupt(scan_parquet(file, chunk_queries=5), CombSUM(), tmp_path / "other.parquet", job="other")
    interrupt(scan_parquet(file, chunk_queries=5), CombSUM(), out)
    (tmp_path / "other.parquet.parts" / "00000001.parquet").replace(tmp_path / "out.parquet.parts" / "00000001.parquet")
    with pytest.raises(
        ValueError, match=r"`job` must be 'other', the name of the job that wrote '.*00000001.parquet'; got 'sums'"
    ):
        sums(file).write(out, job="sums")


@pytest.mark.parametrize("job", [None, "sums"])
def test_write_without_job_starts_from_the_beginning(tmp_path, file, lists, job):
    out = tmp_path / "out.parquet"
    interrupt(scan_parquet(file, chunk_queries=5), Copeland(), out, job=None)
    second = Interrupted(CombSUM())
    with pytest.warns(
        UserWarning, match=r"contains 2 parts of an interrupted run without a name\. They are removed, and"
    ):
        scan_parquet(file, chunk_queries=5).then(second, NAMES).write(out, job=job)
    assert second.calls == 5
    assert_same_rows(pd.read_parquet(out), CombSUM().transform(lists))


def test_write_with_job_does_not_warn_at_the_start(tmp_path, file, recwarn):
    sums(file).write(tmp_path / "out.parquet", job="sums")
    sums(file).write(tmp_path / "out.parquet")
    interrupt(scan_parquet(file, chunk_queries=5), CombSUM(), tmp_path / "out.parquet", job=None)
    sums(file).write(tmp_path / "out.parquet", resume=False)
    assert not recwarn.list


@pytest.mark.parametrize("job", ["", " ", 3, True])
def test_write_rejects_invalid_job_names(tmp_path, file, job):
    with pytest.raises(ValueError, match="`job` must be None or a name that is not blank; got"):
        sums(file).write(tmp_path / "out.parquet", job=job)
    assert not (tmp_path / "out.parquet.parts").exists()


def stacked(lists, digits):
    """Return a method whose learner stores its model in private attributes."""
    judged = lists[["query", "item"]].drop_duplicates()
    qrels = Qrels.from_frame(judged.assign(relevance=judged["item"].str[-1].isin(list(digits)).astype(int)))
    learner = HistGradientBoostingRegressor(max_iter=20, random_state=0, min_samples_leaf=2)
    return StackedFusion(learner).fit(lists, qrels)


def test_write_does_not_mix_models_with_different_private_attributes(tmp_path, file, lists):
    out = tmp_path / "out.parquet"
    one, other = stacked(lists, "02468"), stacked(lists, "13579")  # equal parameters, other judgements
    expected = other.transform(lists)
    assert not np.allclose(one.transform(lists)["score"], expected["score"])
    chunks = scan_parquet(file, chunk_queries=5)
    with interrupted_parts(3), pytest.raises(KeyboardInterrupt):
        transform_partitions(one, chunks).write(out)
    with pytest.warns(UserWarning, match="starts from the beginning"):
        transform_partitions(other, chunks).write(out)
    assert_same_rows(pd.read_parquet(out), expected)


@contextmanager
def interrupted_parts(at):
    """Interrupt when a given part is written."""
    from skrankagg.distributed import _resumable

    write, written = _resumable._write_part, []

    def stop(part, table):
        written.append(part)
        if len(written) == at:
            raise KeyboardInterrupt
        write(part, table)

    with pytest.MonkeyPatch.context() as context:
        context.setattr(_resumable, "_write_part", stop)
        yield


def test_write_does_not_mix_functions_with_different_defaults(tmp_path, file, lists):
    def work(factor):
        return lambda table, factor=factor: table.to_pandas().assign(score=factor)

    out, chunks = tmp_path / "out.parquet", scan_parquet(file, chunk_queries=5)
    with interrupted_parts(3), pytest.raises(KeyboardInterrupt):
        chunks.then(work(1.0), chunks.names).write(out)
    with pytest.warns(UserWarning, match="starts from the beginning"):
        chunks.then(work(2.0), chunks.names).write(out)
    assert set(pd.read_parquet(out)["score"]) == {2.0}


def test_write_records_the_job_in_its_parts(tmp_path, file):
    out = tmp_path / "out.parquet"
    interrupt(scan_parquet(file, chunk_queries=5), CombSUM(), out)
    for part in Path(f"{out}.parts").iterdir():
        record = json.loads(pq.read_schema(part).metadata[b"skrankagg.job"])
        assert record["job"] == "sums" and record["chunk_queries"] == 5
        assert record["columns"] == [{name: name for name in ("query", "voter", "item", "rank", "score")}, NAMES]
        assert record["versions"]["skrankagg"] == version("skrankagg")
        assert record["versions"]["scikit-learn"] == sklearn.__version__
    sums(file).write(out, job="sums")
    assert not pq.read_schema(out).metadata or b"skrankagg.job" not in pq.read_schema(out).metadata


def test_write_rejects_a_parts_folder_with_other_files(tmp_path, file):
    (tmp_path / "out.parquet.parts").mkdir()
    (tmp_path / "out.parquet.parts" / "thesis.txt").write_text("mine")
    for resume in (True, False):
        with pytest.raises(ValueError, match=r"contains other files\. Move these files"):
            transform_partitions(CombSUM(), scan_parquet(file)).write(tmp_path / "out.parquet", resume=resume)
    assert (tmp_path / "out.parquet.parts" / "thesis.txt").read_text() == "mine"
    # So is a Parquet file that is no part.
    (tmp_path / "out.parquet.parts" / "thesis.txt").unlink()
    pd.DataFrame({"a": [1]}).to_parquet(tmp_path / "out.parquet.parts" / "00000000.parquet")
    with pytest.raises(ValueError, match=r"contains other files\. Move these files"):
        transform_partitions(CombSUM(), scan_parquet(file)).write(tmp_path / "out.parquet", job="sums")
    # An interruption while the first part is written leaves nothing that matters.
    parts = tmp_path / "out.parquet.parts"
    (parts / "00000000.parquet").rename(parts / "00000000.parquet.new")
    transform_partitions(CombSUM(), scan_parquet(file)).write(tmp_path / "out.parquet")


def test_write_prints_progress_if_verbose(tmp_path, file, capsys, monkeypatch):
    from skrankagg._support import _progress

    ticks = iter(range(1000))
    monkeypatch.setattr(_progress.time, "monotonic", lambda: next(ticks) * 2.0)
    scan_parquet(file, chunk_queries=12).then(Interrupted(CombSUM()), NAMES).write(tmp_path / "out", verbose=True)
    out = capsys.readouterr().out
    assert "[write] 768 of 1,536 rows" in out and "joining 2 parts" in out and out.endswith("\n")
    scan_parquet(file).then(Interrupted(CombSUM()), NAMES).write(tmp_path / "out", verbose=False)
    assert capsys.readouterr().out == ""


# ---------------------------------------------------------------------- at a terminal


@pytest.fixture
def folder(tmp_path, monkeypatch, lists):
    monkeypatch.chdir(tmp_path)
    lists.to_parquet("lists.parquet", row_group_size=100)
    return tmp_path


CHUNKED = ("-o", "out.parquet", "--chunk-queries", "5", "--job", "mine")


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    "method",
    [["CombSUM"], ["CombSUM", "--param", "norm=rank"], ["DIBRA[weighting=global]"], ["Kemeny", "--random-state", "3"]],
)
def test_aggregate_with_chunk_queries_equals_the_whole_data_set(run, folder, method):
    run("aggregate", "lists.parquet", "--method", *method, "-o", "whole.parquet")
    assert run("aggregate", "lists.parquet", "--method", *method, *CHUNKED) == ""
    found, expected = pd.read_parquet("out.parquet"), pd.read_parquet("whole.parquet")
    if "DIBRA" in method[0]:  # learnt weights differ in their last digits
        pd.testing.assert_frame_equal(found, expected, rtol=1e-9)
    else:
        pd.testing.assert_frame_equal(found, expected, check_exact=True)
    assert not os.path.exists("out.parquet.parts")


def test_aggregate_with_chunk_queries_converts_ids_and_reads_headers(run, folder, lists):
    codes = {name: lists[name].astype("category").cat.codes + 10 for name in ("query", "voter", "item")}
    frame = lists.assign(**codes).rename(columns={"query": "Topic", "item": "docno", "voter": "system"})
    frame.to_parquet("numbers.parquet")
    run("aggregate", "numbers.parquet", "--method", "CombSUM", "-o", "whole.parquet")
    run("aggregate", "numbers.parquet", "--method", "CombSUM", *CHUNKED)
    pd.testing.assert_frame_equal(pd.read_parquet("out.parquet"), pd.read_parquet("whole.parquet"), check_exact=True)


def test_aggregate_with_chunk_queries_reads_several_files(run, folder, lists):
    os.remove("lists.parquet")
    write_files(lists, folder / "lists", [0, 70, 700])
    run("aggregate", "lists", "--method", "CombSUM", "-o", "out", "--to", "parquet", "--chunk-queries", "7")
    assert_same_rows(pd.read_parquet("out"), CombSUM().transform(lists))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--intervals"], "--intervals needs all lists at once; leave it out, or leave out --chunk-queries."),
        (["--qrels", "lists.parquet"], "--qrels needs all lists"),
        (["--voter", "file"], "--voter needs all lists"),
        (["--columns", "query,item,rank"], "--columns does not apply to Parquet files, which --chunk-queries reads"),
        (["--decimal", ","], "--decimal does not apply to Parquet files"),
        (["--format", "csv"], "--format does not apply to Parquet files"),
        (["--method", "SlideFuse"], "SlideFuse needs all lists at once to learn from judgements"),
        (["--method", "PlackettLuce[weighting=global]"], "does not learn a mean over lists"),
        (["--method", "Kemeny[random_state=None]"], "random_state=None gives different numbers"),
        (["-o", "-"], "--chunk-queries writes a Parquet file; name the file: -o consensus.parquet."),
        (["-o", "out.csv"], "--chunk-queries writes a Parquet file"),
        (["-o", "out.parquet", "--to", "csv"], "--chunk-queries writes a Parquet file"),
        (["-o", "none/out.parquet"], "there is no folder 'none'"),
    ],
)
def test_aggregate_with_chunk_queries_rejects_invalid_options(fail, folder, options, message):
    method = [] if "--method" in options else ["--method", "CombSUM"]
    assert message in fail("aggregate", "lists.parquet", *method, *CHUNKED, *options)
    assert sorted(os.listdir()) == ["lists.parquet"]


@pytest.mark.parametrize(
    ("file", "message"),
    [
        (
            "mine=lists.parquet",
            "needs plain paths of Parquet files; leave out NAME= before a path, and do not read standard input.",
        ),
        ("-", "needs plain paths of Parquet files"),
        ("none.parquet", "none.parquet"),
        ("lists.csv", "lists.csv"),
        ("torn.parquet", "must be consecutive"),
        ("gaps.parquet", "the column 'item' must have a value in every row; some rows have none."),
    ],
)
def test_aggregate_with_chunk_queries_rejects_invalid_files(fail, folder, lists, file, message):
    lists.to_csv("lists.csv", index=False)
    lists.sample(frac=1, random_state=0).to_parquet("torn.parquet")
    codes = lists["item"].astype("category").cat.codes
    lists.assign(item=codes.where(codes != 3).astype("Int64")).to_parquet("gaps.parquet")
    assert message in fail("aggregate", file, "--method", "CombSUM", *CHUNKED)
    assert not os.path.exists("out.parquet")


SLOW = """
import sys, time
from skrankagg.__main__ import main
from skrankagg.distributed import _resumable
write = _resumable._write_part
def slowly(part, table):
    write(part, table)
    time.sleep(0.1)
_resumable._write_part = slowly
sys.exit(main(sys.argv[1:]))
"""


@pytest.mark.exhaustive
@pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGKILL")
@pytest.mark.parametrize("method", ["CombSUM", "DIBRA[weighting=global]"])
def test_aggregate_with_job_resumes_after_being_killed(run, fail, folder, method):
    command = ["aggregate", "lists.parquet", "--method", method, "-o", "out.parquet", "--chunk-queries", "1"]
    command += ["--job", "killed"]
    process = subprocess.Popen([sys.executable, "-c", SLOW, *command], env=environment())
    parts = folder / "out.parquet.parts"
    try:
        deadline = time.monotonic() + 60
        while len(list(parts.glob("0*.parquet"))) < 5:
            assert process.poll() is None and time.monotonic() < deadline
            time.sleep(0.01)
    finally:
        process.send_signal(signal.SIGKILL)
    assert process.wait() == -signal.SIGKILL and not (folder / "out.parquet").exists()
    done = {part.name: part.stat().st_mtime_ns for part in sorted(parts.glob("0*.parquet"))}
    assert 5 <= len(done) < 24
    # Another job, and a run without a name, leave the parts alone.
    for other in (["--job", "other"], []):
        message = fail(*command[:-2], *other)
        assert (
            "--job must be 'killed', the name of the job that wrote" in message
            and "Pass --job killed to continue, or --no-resume" in message
        )
    assert {part.name: part.stat().st_mtime_ns for part in sorted(parts.glob("0*.parquet"))} == done
    # Existing parts are not written again: a marked part stays marked.
    marked = parts / "00000002.parquet"
    table = pq.read_table(marked)
    score = pa.array(np.full(len(table), -1.0))
    pq.write_table(table.set_column(table.column_names.index("score"), "score", score), marked)
    run(*command)
    found = pd.read_parquet("out.parquet")
    run("aggregate", "lists.parquet", "--method", method, "-o", "whole.parquet")
    expected = pd.read_parquet("whole.parquet")
    third = found["query"] == expected["query"].unique()[2]
    assert (found.loc[third, "score"] == -1.0).all()
    pd.testing.assert_frame_equal(found[~third], expected[~third], rtol=1e-9)
    assert not parts.exists()


def test_aggregate_without_job_starts_from_the_beginning(run, folder, lists, capsys):
    chunks = scan_parquet(folder / "lists.parquet", chunk_queries=5)
    interrupt(chunks, Copeland(), folder / "out.parquet", job=None)
    assert main(["aggregate", "lists.parquet", "--method", "CombSUM", *CHUNKED[:-2]]) == 0
    err = capsys.readouterr().err
    assert err.startswith("skrankagg: warning: 'out.parquet.parts' contains 2 parts of an interrupted run without a ")
    assert err.endswith("Name the job with --job NAME to continue after an interruption.\n") and err.count("\n") == 1
    assert_same_rows(pd.read_parquet("out.parquet"), CombSUM().transform(lists))
    interrupt(chunks, Copeland(), folder / "out.parquet", job="old")
    run("aggregate", "lists.parquet", "--method", "CombSUM", *CHUNKED, "--no-resume")
    assert_same_rows(pd.read_parquet("out.parquet"), CombSUM().transform(lists))


@pytest.mark.parametrize("options", [["--job", "mine"], ["--no-resume"]])
def test_aggregate_rejects_chunk_options_without_chunk_queries(fail, folder, options):
    message = fail("aggregate", "lists.parquet", "--method", "CombSUM", "-o", "out.parquet", *options)
    assert (
        f"{options[0]} only works together with --chunk-queries; add --chunk-queries, or leave out {options[0]}."
        in message
    )
