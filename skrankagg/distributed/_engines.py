"""Which engine holds some data."""

from ..exceptions import InputTypeError
from ._parquet_chunks import ChunkPartitions, ParquetChunks


def make_partitions(data, partitioned=False):
    """Find the engine of some data, by its type alone, so that no engine is imported that is not in use."""
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
        f"Data in partitions are a data frame of Dask or Spark, or come from scan_parquet; got {type(data).__name__}. "
        "What fits into memory goes to the estimator itself."
    )
