"""Lists that are larger than memory, or spread over several machines: whole queries, partition by partition.

The engines are Dask, Spark, or one process that reads a Parquet data set in chunks.
"""

from ._fit import *
from ._measured_run import *
from ._parquet_chunks import *
from ._transform import *
