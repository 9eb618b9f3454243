"""Aggregation and evaluation in partitions, for lists that are larger than memory or stored on several machines.

The engines are Dask, Spark, or one process that reads a Parquet data set in chunks.
"""

# tools/regenerate.py writes what follows.
from ._fit import fit_partitions
from ._measured_run import evaluate_partitions
from ._parquet_chunks import ParquetChunks, scan_parquet
from ._transform import transform_partitions

__all__ = ["ParquetChunks", "evaluate_partitions", "fit_partitions", "scan_parquet", "transform_partitions"]
