"""Choice of the engine (Dask, Spark or chunks of Parquet files) that processes the given data."""

from ..exceptions import InputTypeError
from ._parquet_chunks import ChunkPartitions, ParquetChunks


def make_partitions(data, partitioned=False):
    """Wrap data in the Partitions class of its engine.

    The type of the data determines the engine, and only the library of this engine is imported.
    """
    if isinstance(data, ParquetChunks):
        return ChunkPartitions(data)
    library = type(data).__module__.partition(".")[0]
    if library in ("dask", "dask_expr"):
        from ._dask import DaskPartitions

        return DaskPartitions(data, partitioned)
    if library == "pyspark":
        from ._spark import SparkPartitions

        return SparkPartitions(data, partitioned)
    raise InputTypeError(
        "Data in partitions must be a Dask or Spark data frame, or the result of scan_parquet; got "
        f"{type(data).__name__}. Pass data that fit into memory to the estimator directly."
    )
