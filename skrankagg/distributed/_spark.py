"""Engine that applies functions to the partitions of Spark data frames."""

import pickle

import pandas as pd
import pyarrow as pa
from pyspark.sql import functions as F
from pyspark.sql.pandas.types import to_arrow_schema
from pyspark.sql.types import DoubleType, LongType, StructField, StructType

from ._arrow_chunks import whole_queries
from ._partitions import Partitions, check_whole

#: Number of rows that a worker processes at once; a chunk may have more rows, because queries are not divided.
CHUNK_ROWS = 250_000


class SparkPartitions(Partitions):
    """Rows in a Spark data frame; each partition is read as a sequence of Arrow batches."""

    def map(self, work, types):
        check_whole(self)
        known = {field.name: field.dataType for field in self.data.schema}
        numbers = {"int64": LongType(), "float64": DoubleType()}
        schema = StructType([StructField(name, numbers.get(dtype, dtype)) for name, dtype in types(known).items()])
        return self._whole().mapInArrow(_Mapped(work, to_arrow_schema(schema)), schema)

    def gather(self, work):
        frame = self.data if work.columns == ("query",) else self._whole()
        if work.columns is not None:
            # The rows may be in any order. There is one result for each partition.
            return _results(frame.select(*work.columns).mapInArrow(_OnPartition(work), _PICKLED))
        return _results(frame.mapInArrow(_OnChunks(work), _PICKLED))

    def gather_pairs(self, work, other):
        n = int(self.data.sparkSession.conf.get("spark.sql.shuffle.partitions"))

        def bucketed(one):
            # The queries are converted to text, because equal numbers of different types have different hashes.
            bucket = F.pmod(F.hash(F.col("query").cast("string")), F.lit(n))
            return one.data.select(*one.used).withColumn("bucket", bucket).groupBy("bucket")

        return _results(bucketed(self).cogroup(bucketed(other)).applyInArrow(_on_pairs(work), _PICKLED))

    def rows_of(self, queries):
        chosen = self.data.sparkSession.createDataFrame(pd.DataFrame({"query": list(queries)}).drop_duplicates())
        return self.data.select(*self.used).join(chosen, "query", "left_semi").toPandas()

    def _whole(self):
        frame = self.data.select(*self.used)
        frame = frame if self.partitioned else frame.repartition("query")
        # The rows of a query are consecutive, so a worker has one chunk of a partition in memory at a time.
        return frame.sortWithinPartitions("query")


_PICKLED = "result binary"


def _results(frame):
    return [pickle.loads(row["result"]) for row in frame.collect()]


class _Mapped:
    """Function that applies `work` to chunks of whole queries in a partition; all results have one schema."""

    def __init__(self, work, schema):
        self.work, self.schema = work, schema

    def __call__(self, batches):
        for rows in whole_queries(_tables(batches), n_rows=CHUNK_ROWS):
            result = self.work(rows)[self.schema.names]
            yield from pa.Table.from_pandas(result, schema=self.schema, preserve_index=False).to_batches()


class _OnChunks:
    """Function that applies `work` to chunks of whole queries in a partition and pickles the result of each chunk."""

    def __init__(self, work):
        self.work = work

    def __call__(self, batches):
        for rows in whole_queries(_tables(batches), n_rows=CHUNK_ROWS):
            yield _pickled(self.work(rows))


class _OnPartition:
    """Function that applies `work` to all rows of a partition at once and pickles the result."""

    def __init__(self, work):
        self.work = work

    def __call__(self, batches):
        tables = list(_tables(batches))
        if tables:
            yield _pickled(self.work(pa.concat_tables(tables)))


def _on_pairs(work):
    """Return a function that applies `work` to a run and the judgements of the same queries, and pickles the result."""

    # Spark counts the arguments of a function, but it does not count the arguments of a callable object.
    def measure(run, judged):
        return pa.Table.from_batches([_pickled(work(run.drop_columns(["bucket"]), judged.drop_columns(["bucket"])))])

    return measure


def _tables(batches):
    return (pa.Table.from_batches([batch]) for batch in batches)


def _pickled(result):
    return pa.RecordBatch.from_pydict({"result": pa.array([pickle.dumps(result)], pa.binary())})
