"""Parquet data sets that are larger than memory; one process reads chunks of whole queries and writes the results."""

import copy
import os
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import pandas as pd

from .._data._fitted_rows import hash_ids
from .._data._titles import query_ids
from .._support._checks import check_count
from .._support._progress import Progress
from ..datasets._parquet import check_parquet
from ..exceptions import InputError
from ._partitions import COLUMNS, Partitions
from ._work import distinct_queries

if TYPE_CHECKING:
    import pyarrow

__all__ = ["ParquetChunks", "scan_parquet"]

# Number of rows that are decoded at a time. In addition, pyarrow keeps the compressed bytes of a row group in memory.
_BATCH = 1 << 17


def scan_parquet(
    path: str | os.PathLike[str] | list[str | os.PathLike[str]],
    *,
    columns: Mapping[str, str] | None = None,
    chunk_queries: int = 10_000,
) -> "ParquetChunks":
    """Prepare to read a Parquet data set in chunks of whole queries; a chunk is read when it is needed.

    Parameters
    ----------
    path : str, path or list of these
        A file, a folder, or a list of files and folders. From a folder, the files whose names end in ``.parquet`` are
        read in the order of their names. The rows of a query must be consecutive, even if they continue in the next
        file. The queries may be in any order.
    columns : mapping of str to str, default=None
        Names of the columns in the files, keyed by the content of each column: `query`, `voter`, `item`, `rank`,
        `score`, `weight` or `relevance`. None uses the columns that have these names. Other columns are not read.
    chunk_queries : int, default=10_000
        Number of queries in a chunk. The rows of a chunk, their encoded form and their result must fit into memory
        together.

    Returns
    -------
    ParquetChunks
        Input for :func:`transform_partitions`, :func:`evaluate_partitions` and :func:`fit_partitions`.

    Raises
    ------
    ValueError
        If there is no file, a column is missing, or the files differ in their columns.
    MissingLibraryError
        If pyarrow is missing.

    See Also
    --------
    skrankagg.datasets.read_lists : Reads files that fit into memory.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from skrankagg import CombSUM
    >>> from skrankagg.datasets import make_ranked_lists
    >>> from skrankagg.distributed import scan_parquet, transform_partitions
    >>> lists, qrels, _ = make_ranked_lists(n_queries=100, random_state=0)
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = Path(folder.name) / "lists.parquet"
    >>> lists.to_parquet(path)
    >>> chunks = scan_parquet(path, chunk_queries=40)
    >>> [len(consensus["query"].unique()) for consensus in transform_partitions(CombSUM(),
    ...     chunks)]
    [40, 40, 20]
    >>> folder.cleanup()
    """
    check_parquet("scan_parquet")
    check_count("chunk_queries", chunk_queries)
    paths = path if isinstance(path, list | tuple) else [path]
    files = [file for one in paths for file in _files(Path(one))]
    if not files:
        raise InputError("`path` must contain at least one path; got none. Check the pattern of the file names.")
    return ParquetChunks(files, dict(columns or {}), int(chunk_queries))


def _files(path):
    from ._resumable import PARTS

    if path.is_dir():
        # A folder of parts belongs to a result whose writing is in progress, or was interrupted.
        inside = [file for file in sorted(path.rglob("*.parquet")) if not file.parent.name.endswith(PARTS)]
        if not inside:
            raise InputError(
                f"`path` must be a folder of files whose names end in .parquet; {str(path)!r} has no such file."
            )
        return inside
    if not path.exists():
        raise InputError(f"`path` must be a file or a folder; {str(path)!r} does not exist.")
    return [path]


def _footer(file):
    """Return the number of rows and the schema of a file."""
    from pyarrow import ArrowException
    from pyarrow.parquet import ParquetFile

    try:
        with ParquetFile(file) as opened:
            return opened.metadata.num_rows, opened.schema_arrow
    except (ArrowException, OSError) as error:
        reason = " ".join(str(error).split()).rstrip(".")
        raise InputError(f"`path` must contain Parquet files; pyarrow cannot read {str(file)!r} ({reason}).") from None


def _own_names(file, there, columns):
    """Return a dict that maps the content of each column, such as `query`, to the name of the column in the file."""
    has = f"{file}, which has {', '.join(map(repr, there))}"
    for name, own in columns.items():
        if name not in COLUMNS:
            raise InputError(f"The keys of `columns` must be among {', '.join(COLUMNS)}; got {name!r}.")
        if own not in there:
            raise InputError(
                f"`columns` must name columns of the file; there is no {own!r} in {has}. Correct the name."
            )
    ids = [] if "query" in columns else query_ids(there)
    if ids:
        raise InputError(
            f"`columns` must name the column of query ids; both 'query' and {ids[0]!r} are in {has}. Pass "
            f"columns={{'query': {ids[0]!r}}}, or 'query' if that column contains the ids."
        )
    found = {name: columns.get(name, name) for name in COLUMNS if columns.get(name, name) in there}
    missing = [name for name in ("query", "item") if name not in found]
    if missing:
        raise InputError(
            f"There is no column for {' and '.join(map(repr, missing))} in {has}. Name the columns: "
            f"columns={{{missing[0]!r}: ...}}."
        )
    return found


def _plain_type(type):
    """Return the Arrow type of a column; a dictionary type is changed to have int32 codes."""
    import pyarrow as pa

    return pa.dictionary(pa.int32(), type.value_type) if pa.types.is_dictionary(type) else type


class ParquetChunks:
    """Rows of a Parquet data set, or results computed from them, in chunks of whole queries.

    :func:`scan_parquet` and :func:`transform_partitions` return such objects. Iterating over an object yields pandas
    frames; :meth:`write` writes the chunks to one file. A chunk is read only when it is needed.

    Parameters
    ----------
    files : list of path
        Files, in the order of reading.
    columns : dict of str to str
        Maps the contents of columns to their names in the files.
    chunk_queries : int
        Number of queries in a chunk.

    See Also
    --------
    scan_parquet : Returns the chunks of files.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import pandas as pd
    >>> from skrankagg import CombSUM
    >>> from skrankagg.datasets import make_ranked_lists
    >>> from skrankagg.distributed import scan_parquet, transform_partitions
    >>> lists, qrels, _ = make_ranked_lists(n_queries=100, random_state=0)
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = Path(folder.name)
    >>> lists.to_parquet(path / "lists.parquet")
    >>> consensus = transform_partitions(CombSUM(),
    ...     scan_parquet(path / "lists.parquet", chunk_queries=40))
    >>> n_rows = consensus.write(path / "consensus.parquet", job="CombSUM")
    >>> n_rows == len(pd.read_parquet(path / "consensus.parquet"))
    True
    >>> folder.cleanup()
    """

    def __init__(self, files: list[Path], columns: dict[str, str], chunk_queries: int):
        self.files: list[Path] = files
        self.columns: dict[str, str] = columns
        self.chunk_queries: int = chunk_queries
        #: The steps of work on each chunk, in their order.
        self.work: tuple[Callable[[Any], Any], ...] = ()
        (_, first), *others = footers = [_footer(file) for file in files]
        self._own = _own_names(files[0], first.names, columns)
        #: Types of the columns.
        self.types: dict[str, pyarrow.DataType] = {
            name: _plain_type(first.field(own).type) for name, own in self._own.items()
        }
        for file, (_, other) in zip(files[1:], others, strict=True):
            for name, own in self._own.items():
                if own not in other.names or _plain_type(other.field(own).type) != self.types[name]:
                    raise InputError(
                        f"Files of one data set must have the same columns of the same types; {file} and {files[0]} "
                        f"differ in the column {own!r}. Convert the column in one of the files."
                    )
        #: Columns of the chunks.
        self.names: list[str] = list(self._own)
        #: Rows of each file.
        self.file_rows: list[int] = [n_rows for n_rows, _ in footers]

    @property
    def n_rows(self) -> int:
        """Return the number of rows to read."""
        return sum(self.file_rows)

    def then(self, work: Callable[[Any], Any], names: list[str]) -> "ParquetChunks":
        """Return the same chunks with one more processing step, which is applied to each chunk when it is read.

        Parameters
        ----------
        work : callable
            Function of a chunk that returns a frame. The chunk is a pyarrow table in the first step and otherwise a
            frame.
        names : list of str
            Columns of the returned frame.

        Returns
        -------
        ParquetChunks
            The chunks; nothing is read yet.
        """
        chunks = copy.copy(self)
        chunks.work, chunks.names = (*self.work, work), list(names)
        return chunks

    def __iter__(self) -> Iterator[pd.DataFrame]:
        for frame, _ in self._frames():
            yield frame

    def write(
        self,
        path: str | os.PathLike[str],
        *,
        job: str | None = None,
        resume: bool = True,
        verbose: bool | Literal["auto"] = "auto",
        tell: Callable[[str], object] | None = None,
    ) -> int:
        """Write the chunks to one Parquet file.

        Each chunk is first written to its own file, called a part. The parts are in a folder whose name is `path` with
        the suffix ``.parts``. When all parts are complete, they are joined and the folder is removed. A file at `path`
        is therefore always complete.

        Parameters
        ----------
        path : str or path
            Output file; an existing file is replaced.
        job : str, default=None
            Name of this job. A call with the same name continues where an interrupted call stopped. Choose another name
            if the method, its parameters, its training data or your own functions change. These changes are not
            detected. Without a name, a call starts from the beginning.
        resume : bool, default=True
            Whether to continue with the parts of `job`. False removes the parts of any job and starts from the
            beginning.
        verbose : bool or "auto", default="auto"
            Whether to report the progress. With "auto", it is reported in a terminal and in a notebook.
        tell : callable, default=None
            Function that receives the reports of the progress. It is called with a short text after each chunk, and
            nothing is printed.

        Returns
        -------
        int
            Number of rows written.

        Raises
        ------
        ValueError
            If the folder contains parts of another job. If the folder contains parts of this job that were computed
            with other input files, columns, chunk sizes or library versions. If the rows of a query are not
            consecutive.

        Warns
        -----
        UserWarning
            If there are parts of an interrupted call without a name. These parts are removed.
        """
        from ._resumable import write_in_parts

        if job is not None and (not isinstance(job, str) or not job.strip()):
            raise InputError(f"`job` must be None or a name that is not blank; got {job!r}.")
        progress = Progress("write", verbose)
        try:
            return write_in_parts(self, Path(path), job, resume, progress.show if tell is None else tell)
        finally:
            progress.close()

    def _frames(self, skip=0):
        """Apply the functions in `self.work` to each chunk; yield the result, and the row where the chunk ends.

        A chunk consists of consecutive rows with whole queries. Only chunks that begin at row `skip` or later are read.
        """
        for table, end in self._tables(skip):
            yield self._apply(table) if self.work else table.to_pandas(), end

    def _apply(self, table):
        for work in self.work:
            table = work(table)
        return table

    def _tables(self, skip=0):
        """Yield each chunk that begins at row `skip` or later, and the row where the chunk ends.

        A chunk consists of consecutive rows with whole queries. `skip` must be the first row of a chunk.
        """
        from ._arrow_chunks import HashSet, whole_queries

        seen, end = HashSet(), skip
        for queries in self._queries_above(skip):
            seen.add(hash_ids(queries, "query"))
        for table in whole_queries(self._batches(list(self._own), skip), n_queries=self.chunk_queries):
            queries = distinct_queries(table)
            hashes = hash_ids(queries, "query")
            again = seen.add(hashes)
            if len(again):
                self._refuse_torn(queries[np.isin(hashes, again)], end)
            end += len(table)
            yield table, end

    def _batches(self, names, skip=0):
        """Yield tables with the columns `names`; together, the tables contain all rows from row `skip` on."""
        from pyarrow import Table, schema
        from pyarrow.parquet import ParquetFile

        own = [self._own[name] for name in names]
        plain = schema([(name, self.types[name]) for name in names])
        for path in self.files:
            with ParquetFile(path) as file:
                groups = [file.metadata.row_group(k).num_rows for k in range(file.num_row_groups)]
                first = 0
                while first < len(groups) and skip >= groups[first]:
                    skip -= groups[first]
                    first += 1
                for batch in file.iter_batches(_BATCH, row_groups=range(first, len(groups)), columns=own):
                    table = Table.from_batches([batch]).select(own).rename_columns(names).cast(plain)
                    table, skip = table.slice(skip), max(skip - len(table), 0)
                    if len(table):
                        yield table

    def _queries_above(self, end):
        """Yield the query ids of the rows before row `end`, batch by batch."""
        for table in self._batches(["query"]) if end else ():
            yield distinct_queries(table.slice(0, end))
            end -= len(table)
            if end <= 0:
                return

    def _refuse_torn(self, queries, end):
        """Raise InputError if one of the ids in `queries` also occurs before row `end`.

        The ids are compared, because two different ids may have the same hash.
        """
        for above in self._queries_above(end):
            found = queries[queries.isin(above)]
            if len(found):
                raise InputError(
                    "The rows of a query must be consecutive in a data set that is read in chunks; the rows of query "
                    f"{found[0]!r} are not consecutive. Sort the data set by query, or pass it to Dask or Spark, which "
                    "collect the rows of each query."
                )


class ChunkPartitions(Partitions):
    """Rows of Parquet files as :class:`Partitions`; each chunk of whole queries is a partition."""

    def __init__(self, data):
        super().__init__(data, partitioned=True)

    @staticmethod
    def _names(data):
        return data.names

    def map(self, work, types):
        return self.data.then(work, list(types({})))

    def gather(self, work):
        return [work(self.data._apply(table)) for table, _ in self.data._tables()]

    def gather_pairs(self, work, other):
        raise InputError(
            "`qrels` for a data set that is read in chunks must be a frame or Qrels. Pass all judgements at once."
        )

    def rows_of(self, queries):
        chosen = pd.Index(list(queries))
        parts = [frame[frame["query"].isin(chosen)] for frame in self.data]
        return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame(columns=self.used)
