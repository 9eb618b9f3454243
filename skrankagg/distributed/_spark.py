"""Data frames of Spark."""

import pickle

import pandas as pd
import pyarrow as pa
from pyspark.sql import functions
from pyspark.sql.pandas.types import to_arrow_schema
from pyspark.sql.types import DoubleType, LongType, StructField, StructType

from ._arrow_chunks import whole_queries
from ._partitions import Partitions, check_whole

__all__ = ["SparkPartitions"]

#: Rows that a worker takes at once, as far as whole queries allow.
CHUNK_ROWS = 250_000


class SparkPartitions(Partitions):
    """A data frame of Spark, whose partitions come as batches of Arrow."""

    @staticmethod
    def _names(data):
        return list(data.columns)

    def map(self, work, types):
        if self.partitioned:
            check_whole(self)
        known = {field.name: field.dataType for field in self.data.schema}
        numbers = {"int64": LongType(), "float64": DoubleType()}
        schema = StructType([StructField(name, numbers.get(dtype, dtype)) for name, dtype in types(known).items()])
        return self._whole().mapInArrow(_Mapped(work, to_arrow_schema(schema)), schema)

    def gather(self, work):
        frame = self.data if work.columns == ("query",) else self._whole()
        if work.columns is not None:
            frame = frame.select(*work.columns)
            # One result for each partition, whose rows are in no order.
            return _results(frame.mapInArrow(_Gathered(work, whole=False), _PICKLED))
        return _results(frame.mapInArrow(_Gathered(work, whole=True), _PICKLED))

    def gather_pairs(self, work, other):
        def bucketed(frame, used):
            n = self.data.sparkSession.conf.get("spark.sql.shuffle.partitions")
            bucket = functions.pmod(functions.hash("query"), functions.lit(int(n)))
            return frame.select(*used).withColumn("bucket", bucket).groupBy("bucket")

        pairs = bucketed(self.data, self.used).cogroup(bucketed(other.data, other.used))

        # Spark counts the arguments of a function, not of an object.
        def measure(left, right):
            result = work(*(table.drop_columns(["bucket"]) for table in (left, right)))
            return pa.Table.from_batches([_pickled(result)])

        return _results(pairs.applyInArrow(measure, _PICKLED))

    def rows_of(self, queries):
        chosen = self.data.sparkSession.createDataFrame(pd.DataFrame({"query": list(queries)}).drop_duplicates())
        return self.data.select(*self.used).join(chosen, "query", "left_semi").toPandas()

    def _whole(self):
        frame = self.data.select(*self.used)
        frame = frame if self.partitioned else frame.repartition("query")
        # Rows of a query follow each other, so that a worker holds a chunk of a partition at a time.
        return frame.sortWithinPartitions("query")


_PICKLED = "result binary"


def _results(frame):
    return [pickle.loads(row["result"]) for row in frame.collect()]


class _Mapped:
    """Work on the batches of a partition, with results of one schema."""

    def __init__(self, work, schema):
        self.work, self.schema = work, schema

    def __call__(self, batches):
        for rows in whole_queries(map(pa.Table.from_batches, zip(batches)), n_rows=CHUNK_ROWS):
            result = self.work(rows)[self.schema.names]
            yield from pa.Table.from_pandas(result, schema=self.schema, preserve_index=False).to_batches()


class _Gathered:
    """Work on the batches of a partition, whose results are pickled: one for each chunk, or one for all of them."""

    def __init__(self, work, whole):
        self.work, self.whole = work, whole

    def __call__(self, batches):
        tables = map(pa.Table.from_batches, zip(batches))
        if self.whole:
            parts = (rows for rows in whole_queries(tables, n_rows=CHUNK_ROWS))
        else:
            tables = list(tables)
            parts = [pa.concat_tables(tables)] if tables else []
        for rows in parts:
            yield _pickled(self.work(rows))


def _pickled(result):
    return pa.RecordBatch.from_pydict({"result": pa.array([pickle.dumps(result)], pa.binary())})
