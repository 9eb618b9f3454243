"""Times for lists larger than memory: in chunks in one process, with Dask, and with Spark, on this machine.

The data are 1,000,000 queries of 5 voters with 10 items each, 50 million rows with string ids, in Parquet files sorted
by query. The data are generated once, in the folder given as the first argument.

python benchmarks/scaling_out.py FOLDER data        # generates the data; other parts do so if the data are missing
python benchmarks/scaling_out.py FOLDER chunks      # one process for each method: time and peak memory
python benchmarks/scaling_out.py FOLDER dask        # a LocalCluster of two single-threaded workers
python benchmarks/scaling_out.py FOLDER spark       # Spark, local[2]; needs pyspark and Java
python benchmarks/scaling_out.py FOLDER equal       # compares the results of the three engines, and a sample in memory
python benchmarks/scaling_out.py FOLDER killed      # a worker of each engine dies in the middle
python benchmarks/scaling_out.py FOLDER resumed     # a chunked run is killed, and continues

--queries 20000 is a trial with a million rows. If an engine is not installed, the parts for this engine print a message
and stop.
"""

import argparse
import json
import os
import signal
import subprocess
import sys
import time
from itertools import pairwise
from pathlib import Path

import numpy as np
import pandas as pd
from _measure import _resident, table

from skrankagg import DIBRA, CombSUM, Copeland, ReciprocalRankFusion
from skrankagg.distributed import fit_partitions, scan_parquet, transform_partitions

METHODS = {
    "CombSUM": CombSUM,
    "ReciprocalRankFusion": ReciprocalRankFusion,
    "Copeland": Copeland,
    "DIBRA(weighting='global')": lambda: DIBRA(weighting="global"),
}
N_VOTERS, LENGTH, POOL = 5, 10, 20
ROWS_PER_QUERY = N_VOTERS * LENGTH
N_FILES = 8
# Number of queries generated at a time.
BLOCK = 20_000
WORKER_MEMORY = "2GiB"


# ---------------------------------------------------------------------- data


def make_data(folder, n_queries):
    """Write the lists, unless they exist; return their folder."""
    from pyarrow.parquet import ParquetWriter

    lists = folder / f"lists_{n_queries}"
    if (lists / "_SUCCESS").exists():
        return lists
    lists.mkdir(parents=True, exist_ok=True)
    edges = np.linspace(0, n_queries, N_FILES + 1).astype(int)
    for k, (first, stop) in enumerate(pairwise(edges)):
        writer = None
        for start in range(first, stop, BLOCK):
            rows = make_rows(start, min(start + BLOCK, stop))
            writer = writer or ParquetWriter(lists / f"part-{k:02}.parquet", rows.schema)
            writer.write_table(rows, row_group_size=500_000)
        if writer is not None:
            writer.close()
    (lists / "_SUCCESS").touch()
    return lists


def make_rows(first, stop):
    """Generate lists of some queries as an Arrow table; each list orders items of a pool by quality with noise."""
    import pyarrow as pa

    rng = np.random.default_rng(first)
    n = stop - first
    quality = rng.normal(size=(n, 1, POOL))
    noise = np.linspace(0.4, 1.6, N_VOTERS).reshape(1, N_VOTERS, 1)
    seen = quality + noise * rng.normal(size=(n, N_VOTERS, POOL))
    item = np.argsort(-seen, axis=2)[:, :, :LENGTH]
    score = np.take_along_axis(seen, item, axis=2)
    # Each query has its own item ids; Arrow joins numbers and names.
    item = item + POOL * np.arange(first, stop).reshape(n, 1, 1)
    return pa.table(
        {
            "query": names("q", np.repeat(np.arange(first, stop), ROWS_PER_QUERY), 10),
            "voter": names("system_", np.tile(np.repeat(np.arange(N_VOTERS), LENGTH), n), 1),
            "item": names("doc-", item.ravel(), 12),
            "rank": np.tile(np.arange(1, LENGTH + 1), n * N_VOTERS),
            "score": score.ravel(),
        }
    )


def names(prefix, numbers, width):
    """Build strings from a prefix and a number with leading zeros, as a byte matrix that Arrow reads directly."""
    import pyarrow as pa

    digits = numbers[:, None] // 10 ** np.arange(width - 1, -1, -1) % 10
    text = np.empty((len(numbers), len(prefix) + width), dtype=np.uint8)
    text[:, : len(prefix)] = np.frombuffer(prefix.encode(), dtype=np.uint8)
    text[:, len(prefix) :] = digits + ord("0")
    offsets = np.arange(len(numbers) + 1, dtype=np.int32) * text.shape[1]
    return pa.StringArray.from_buffers(len(numbers), pa.py_buffer(offsets), pa.py_buffer(text))


# ---------------------------------------------------------------------- one process


def chunks(folder, lists, n_queries, arguments):
    """Run each method in a separate process, to measure the peak memory of the method."""
    rows = []
    for name in arguments.methods:
        command = [sys.executable, __file__, str(folder), "one", "--queries", str(n_queries), "--methods", name]
        done = subprocess.run(
            [*command, "--chunk-queries", str(arguments.chunk_queries)], check=True, capture_output=True, text=True
        )
        found = json.loads(done.stdout)
        rows.append([name, *times(found["seconds"], n_queries), f"{found['fit']:.0f}", f"{found['peak'] / 2**30:.2f}"])
    table(rows, [f"{n_queries * ROWS_PER_QUERY:,} rows by chunks", *TIMES, "of which fit s", "peak GiB"])


TIMES = ["s", "million rows/s", "s per million rows"]


def times(seconds, n_queries):
    million = n_queries * ROWS_PER_QUERY / 1e6
    return f"{seconds:.0f}", f"{million / seconds:.2f}", f"{seconds / million:.2f}"


def one(folder, lists, n_queries, arguments):
    """Run one method in this process."""
    start = time.perf_counter()
    [name] = arguments.methods
    method = METHODS[name]()
    scanned = scan_parquet(lists, chunk_queries=arguments.chunk_queries)
    fit_partitions(method, scanned)
    fit = time.perf_counter() - start
    if hasattr(method, "voter_weights_"):
        method.voter_weights_.to_pickle(weights_of(folder, name))
    transform_partitions(method, scanned).write(result(folder, "chunks", name), job=name, verbose=False)
    seconds = time.perf_counter() - start
    print(json.dumps({"seconds": seconds, "fit": fit, "peak": _resident("VmHWM")}))


def weights_of(folder, name):
    return result(folder, "weights", name).with_suffix(".pickle")


def use_the_same_weights(method, folder, name):
    """Check that the learned weights equal the chunks' weights up to rounding; use the chunks' weights."""
    path = weights_of(folder, name)
    if hasattr(method, "voter_weights_") and path.exists():
        expected = pd.read_pickle(path)
        assert method.voter_weights_["voter"].astype(str).tolist() == expected["voter"].astype(str).tolist()
        np.testing.assert_allclose(method.voter_weights_["weight"], expected["weight"], rtol=1e-12)
        method.voter_weights_ = expected
    return method


def result(folder, engine, name):
    """Return the path of a method's consensus."""
    path = folder / "consensus" / f"{engine}_{name.partition('(')[0]}.parquet"
    path.parent.mkdir(exist_ok=True)
    return path


# ---------------------------------------------------------------------- engines


def dask(folder, lists, n_queries, arguments):
    rows = []
    with dask_cluster() as (_, read):
        for name in arguments.methods:
            start = time.perf_counter()
            frame = read(lists)
            method = fit_partitions(METHODS[name](), frame, partitioned=arguments.partitioned)
            use_the_same_weights(method, folder, name)
            made = transform_partitions(method, frame, partitioned=arguments.partitioned)
            made.to_parquet(result(folder, "dask", name), overwrite=True, write_index=False)
            rows.append([name, *times(time.perf_counter() - start, n_queries)])
    table(rows, [f"{n_queries * ROWS_PER_QUERY:,} rows by Dask, {_moved(arguments)}", *TIMES])


def _moved(arguments):
    return "queries in their partitions" if arguments.partitioned else "queries brought together"


class dask_cluster:
    """Context of a Dask cluster of two single-threaded workers; it yields a client and a function that reads lists."""

    def __enter__(self):
        try:
            import dask.dataframe as dd
            from dask.distributed import Client, LocalCluster
        except ImportError:
            sys.exit("Dask is not installed: pip install 'dask[dataframe]' distributed")
        self.cluster = LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address=":0", memory_limit=WORKER_MEMORY
        )
        self.client = Client(self.cluster)
        # By row groups, which never split a query: they consist of 10,000 whole queries.
        return self.client, lambda lists: dd.read_parquet(sorted(lists.glob("*.parquet")), split_row_groups=1)

    def __exit__(self, *error):
        self.client.close()
        self.cluster.close()


def spark(folder, lists, n_queries, arguments):
    rows = []
    with spark_session("local[2]") as session:
        for name in arguments.methods:
            start = time.perf_counter()
            frame = session.read.parquet(str(lists))
            method = fit_partitions(METHODS[name](), frame, partitioned=arguments.partitioned)
            use_the_same_weights(method, folder, name)
            made = transform_partitions(method, frame, partitioned=arguments.partitioned)
            made.write.mode("overwrite").parquet(str(result(folder, "spark", name)))
            rows.append([name, *times(time.perf_counter() - start, n_queries)])
    table(rows, [f"{n_queries * ROWS_PER_QUERY:,} rows by Spark, {_moved(arguments)}", *TIMES])


class spark_session:
    """Context of a Spark session on this machine."""

    def __init__(self, master):
        self.master = master

    def __enter__(self):
        try:
            from pyspark.sql import SparkSession
        except ImportError:
            sys.exit("Spark is not installed: pip install 'pyspark>=4.0', and Java")
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
        os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
        settings = {
            "spark.ui.enabled": "false",
            "spark.sql.shuffle.partitions": "64",
            "spark.driver.memory": WORKER_MEMORY.removesuffix("iB").lower(),
            "spark.sql.execution.arrow.maxRecordsPerBatch": "100000",
        }
        builder = SparkSession.builder.master(self.master)
        for key, value in settings.items():
            builder = builder.config(key, value)
        self.session = builder.getOrCreate()
        self.session.sparkContext.setLogLevel("ERROR")
        return self.session

    def __exit__(self, *error):
        self.session.stop()


# ---------------------------------------------------------------------- comparisons of results


def equal(folder, lists, n_queries, arguments):
    """Compare the existing results with each other, and a sample of queries with results in memory."""
    rng = np.random.default_rng(0)
    chosen = sorted(rng.choice(n_queries, size=min(2_000, n_queries), replace=False))
    ids = names("q", np.array(chosen), 10).to_pylist()
    rows = []
    for name in arguments.methods:
        paths = {engine: result(folder, engine, name) for engine in ("chunks", "dask", "spark")}
        digests = {engine: digest(path) for engine, path in paths.items() if path.exists()}
        sample = rows_of(lists, ids)
        method = METHODS[name]()
        if weights_of(folder, name).exists():
            method.voter_weights_ = pd.read_pickle(weights_of(folder, name))
        expected = method.transform(sample)
        pd.testing.assert_frame_equal(rows_of(paths["chunks"], ids), expected, check_exact=True)
        n_rows, first = next(iter(digests.values()))
        assert all(one == (n_rows, first) for one in digests.values()), (name, digests)
        rows.append([name, " = ".join(digests), f"{n_rows:,}", f"{len(ids):,}"])
    table(rows, ["results", "equal", "rows", "queries equal to transform"])


def digest(path):
    """Return the number of rows of a result, and the sum of the row hashes, which does not depend on the row order."""
    from pyarrow.dataset import dataset

    n_rows, total = 0, np.uint64(0)
    for batch in dataset(path, format="parquet", exclude_invalid_files=True).to_batches(batch_size=1 << 17):
        frame = batch.select(["query", "item", "score", "rank"]).to_pandas().astype({"query": object, "item": object})
        with np.errstate(over="ignore"):
            total += pd.util.hash_pandas_object(frame, index=False, categorize=False).to_numpy().sum(dtype=np.uint64)
        n_rows += len(frame)
    return n_rows, int(total)


def rows_of(path, ids):
    import pyarrow.dataset as ds

    found = ds.dataset(path, format="parquet").to_table(filter=ds.field("query").isin(ids)).to_pandas()
    return found.reset_index(drop=True)


def killed(folder, lists, n_queries, arguments):
    """Kill a worker of Dask, and a worker of Spark, during the work; the results must equal the chunks' results."""
    name = arguments.methods[0]
    expected = digest(result(folder, "chunks", name))
    with dask_cluster() as (client, read):
        made = transform_partitions(METHODS[name](), read(lists)).to_parquet(
            result(folder, "dask_killed", name), overwrite=True, write_index=False, compute=False
        )
        future = client.compute(made)
        pids = client.run(os.getpid)
        wait_for_output(result(folder, "dask_killed", name), future.done)
        victim = next(iter(pids.values()))
        os.kill(victim, signal.SIGKILL)
        future.result()
        survived = sorted(client.run(os.getpid).values())
        assert victim not in survived
    found = digest(result(folder, "dask_killed", name))
    assert found == expected, (found, expected)
    print(f"Dask: worker {victim} was killed in the middle; {found[0]:,} rows, equal to those of the chunks")

    marker = folder / "died"
    marker.unlink(missing_ok=True)
    with spark_session("local[2,4]") as session:
        frame = session.read.parquet(str(lists))
        frame = frame.mapInArrow(die_once(str(marker)), frame.schema)
        made = transform_partitions(METHODS[name](), frame)
        made.write.mode("overwrite").parquet(str(result(folder, "spark_killed", name)))
    died = marker.read_text()
    found = digest(result(folder, "spark_killed", name))
    assert found == expected, (found, expected)
    print(f"Spark: {died}; {found[0]:,} rows, equal to those of the chunks")


def die_once(marker):
    """Build a function that yields batches unchanged; the first worker that gets a second batch ends its process."""

    def work(batches):
        import os
        import signal

        for k, batch in enumerate(batches):
            yield batch
            if k == 1:
                try:
                    with open(marker, "x", encoding="utf-8") as file:
                        file.write(f"the worker {os.getpid()} ended itself in the middle of a task")
                except FileExistsError:
                    continue
                os.kill(os.getpid(), signal.SIGKILL)

    return work


def wait_for_output(path, done):
    """Wait until a part of the result exists."""
    while not any(Path(path).glob("*.parquet")):
        if done():
            raise SystemExit("The work was done before the worker could be killed. Pass more --queries.")
        time.sleep(0.05)


def resumed(folder, lists, n_queries, arguments):
    """Kill a chunked run when half of its parts exist, and start it again."""
    name = arguments.methods[0]
    path = result(folder, "chunks", name)
    expected = digest(path)
    path.unlink()
    command = [sys.executable, __file__, str(folder), "one", "--queries", str(n_queries), "--methods", name]
    command += ["--chunk-queries", str(arguments.chunk_queries)]
    parts = path.with_name(path.name + ".parts")
    half = n_queries // arguments.chunk_queries // 2
    start = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    while len(list(parts.glob("0*.parquet"))) < half:
        if process.poll() is not None:
            raise SystemExit("The run ended before it could be killed. Pass a smaller --chunk-queries.")
        time.sleep(0.02)
    process.kill()
    process.wait()
    before, n_done = time.perf_counter() - start, len(list(parts.glob("0*.parquet")))
    assert not path.exists()
    start = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    after = time.perf_counter() - start
    assert digest(path) == expected and not parts.exists()
    n_parts = -(-n_queries // arguments.chunk_queries)
    print(f"{name}: killed after {before:.1f} s with {n_done} of {n_parts} parts; the rest took {after:.1f} s")
    print(f"{expected[0]:,} rows, equal to those of a run that was not interrupted")


PARTS = {one.__name__: one for one in (chunks, one, dask, spark, equal, killed, resumed)}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("part", choices=("data", *PARTS))
    parser.add_argument("--queries", type=int, default=1_000_000)
    parser.add_argument("--chunk-queries", type=int, default=10_000)
    parser.add_argument("--methods", nargs="+", choices=METHODS, default=list(METHODS))
    parser.add_argument("--partitioned", action="store_true", help="partitions contain whole queries when read")
    arguments = parser.parse_args()
    start = time.perf_counter()
    lists = make_data(arguments.folder, arguments.queries)
    if arguments.part == "data":
        size = sum(file.stat().st_size for file in lists.glob("*.parquet"))
        seconds = time.perf_counter() - start
        rows = arguments.queries * ROWS_PER_QUERY
        print(f"{rows:,} rows in {N_FILES} files, {size / 1e6:,.0f} MB; {seconds:.0f} s, ", end="")
        print(f"peak {_resident('VmHWM') / 2**30:.2f} GiB")
        return
    PARTS[arguments.part](arguments.folder, lists, arguments.queries, arguments)


if __name__ == "__main__":
    main()
