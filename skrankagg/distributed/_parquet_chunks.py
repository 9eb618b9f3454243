"""A Parquet data set larger than memory: one process reads chunks of whole queries, and writes what it makes."""

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

# Rows that are decoded at a time; pyarrow holds a row group's compressed bytes besides.
_BATCH = 1 << 17


def scan_parquet(
    path: str | os.PathLike[str] | list[str | os.PathLike[str]],
    *,
    columns: Mapping[str, str] | None = None,
    chunk_queries: int = 10_000,
) -> "ParquetChunks":
    """Read a Parquet data set in chunks of whole queries, when they are asked for.

    Parameters
    ----------
    path : str, path or list of these
        A file, a folder of files whose names end in ``.parquet``, read in the order of their names, or several of both.
        The rows of a query must follow each other, also from one file to the next; the queries may be in any order.
    columns : mapping of str to str, default=None
        Names of the columns in the files by what they hold: `query`, `voter`, `item`, `rank`, `score`, `weight`,
        `relevance`. None takes the columns that have these names; others are not read.
    chunk_queries : int, default=10_000
        Queries of a chunk. The rows of a chunk, their codes and their result must fit into memory.

    Returns
    -------
    ParquetChunks
        For :func:`transform_partitions`, :func:`evaluate_partitions` and :func:`fit_partitions`.

    Raises
    ------
    ValueError
        If there is no file, a column is missing, or the files differ in their columns.
    MissingLibraryError
        Without pyarrow.

    See Also
    --------
    skrankagg.datasets.read_lists : Reads what fits into memory.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from skrankagg import CombSUM
    >>> from skrankagg.datasets import make_ranked_lists
    >>> from skrankagg.distributed import scan_parquet, transform_partitions
    >>> lists, qrels = make_ranked_lists(n_queries=100, random_state=0)
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = Path(folder.name) / "lists.parquet"
    >>> lists.to_parquet(path)
    >>> chunks = scan_parquet(path, chunk_queries=40)
    >>> [len(consensus["query"].unique()) for consensus in transform_partitions(CombSUM(), chunks)]
    [40, 40, 20]
    >>> folder.cleanup()
    """
    check_parquet("scan_parquet")
    check_count("chunk_queries", chunk_queries)
    paths = path if isinstance(path, list | tuple) else [path]
    files = [file for one in paths for file in _files(Path(one))]
    if not files:
        raise InputError("scan_parquet expects at least one path; got none. Check the pattern that finds them.")
    return ParquetChunks(files, dict(columns or {}), int(chunk_queries))


def _files(path):
    from ._resumable import PARTS

    if path.is_dir():
        # A folder of parts belongs to a result that is being written, or whose writing was interrupted.
        inside = [file for file in sorted(path.rglob("*.parquet")) if not file.parent.name.endswith(PARTS)]
        if not inside:
            raise InputError(f"scan_parquet expects files whose names end in .parquet in {str(path)!r}; it has none.")
        return inside
    if not path.exists():
        raise InputError(f"scan_parquet expects a file or a folder; there is no {str(path)!r}.")
    return [path]


def _footer(file):
    """Number of rows of a file, and its schema."""
    from pyarrow import ArrowException
    from pyarrow.parquet import ParquetFile

    try:
        with ParquetFile(file) as opened:
            return opened.metadata.num_rows, opened.schema_arrow
    except (ArrowException, OSError) as error:
        reason = " ".join(str(error).split()).rstrip(".")
        raise InputError(f"scan_parquet expects files of Parquet; pyarrow refuses {str(file)!r} ({reason}).") from None


def _own_names(file, there, columns):
    """The file's own names of the columns, by what they hold."""
    has = f"{file}, which has {', '.join(map(repr, there))}"
    for name, own in columns.items():
        if name not in COLUMNS:
            raise InputError(f"columns is keyed by what columns hold, {', '.join(COLUMNS)}; got {name!r}.")
        if own not in there:
            raise InputError(f"There is no column {own!r} in {has}. Correct columns.")
    ids = [] if "query" in columns else query_ids(there)
    if ids:
        raise InputError(
            f"columns must name the column of query ids; both 'query' and {ids[0]!r} are in {has}. Pass "
            f"columns={{'query': {ids[0]!r}}}, or 'query' if that column does not hold the text of the queries."
        )
    found = {name: columns.get(name, name) for name in COLUMNS if columns.get(name, name) in there}
    missing = [name for name in ("query", "item") if name not in found]
    if missing:
        raise InputError(
            f"There is no column {' and none '.join(map(repr, missing))} in {has}. Name them: "
            f"columns={{{missing[0]!r}: ...}}."
        )
    return found


def _plain_type(type):
    """The type of a column, whatever the width of the codes of a dictionary."""
    import pyarrow as pa

    return pa.dictionary(pa.int32(), type.value_type) if pa.types.is_dictionary(type) else type


class ParquetChunks:
    """Rows of a Parquet data set, or what is made of them, in chunks of whole queries.

    Make one with :func:`scan_parquet`; :func:`transform_partitions` makes one of another. Nothing is read before it is
    asked for: iterate over the chunks, frames of pandas, or write them to one file.

    Parameters
    ----------
    files : list of path
        Read in this order.
    columns : dict of str to str
        Names of columns in the files.
    chunk_queries : int
        Queries of a chunk.

    See Also
    --------
    scan_parquet : Makes one.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import pandas as pd
    >>> from skrankagg import CombSUM
    >>> from skrankagg.datasets import make_ranked_lists
    >>> from skrankagg.distributed import scan_parquet, transform_partitions
    >>> lists, qrels = make_ranked_lists(n_queries=100, random_state=0)
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = Path(folder.name)
    >>> lists.to_parquet(path / "lists.parquet")
    >>> consensus = transform_partitions(CombSUM(), scan_parquet(path / "lists.parquet", chunk_queries=40))
    >>> n_rows = consensus.write(path / "consensus.parquet", job="CombSUM")
    >>> n_rows == len(pd.read_parquet(path / "consensus.parquet"))
    True
    >>> folder.cleanup()
    """

    def __init__(self, files: list[Path], columns: dict[str, str], chunk_queries: int):
        self.files: list[Path] = files
        self.columns: dict[str, str] = columns
        self.chunk_queries: int = chunk_queries
        #: What is done to each chunk, one after the other.
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
                        f"{file} and {files[0]} differ in the column {own!r}; files of one data set have the same "
                        "columns of the same types. Convert one of them."
                    )
        #: Columns of the chunks.
        self.names: list[str] = list(self._own)
        #: Rows of each file.
        self.file_rows: list[int] = [n_rows for n_rows, _ in footers]

    @property
    def n_rows(self) -> int:
        """Number of rows that are read."""
        return sum(self.file_rows)

    def then(self, work: Callable[[Any], Any], names: list[str]) -> "ParquetChunks":
        """The same chunks with one thing more done to each.

        Parameters
        ----------
        work : callable
            Takes a chunk, a table of pyarrow where it is the first and otherwise a frame, and returns a frame.
        names : list of str
            Columns of that frame.

        Returns
        -------
        ParquetChunks
            Nothing is read yet.
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

        Each chunk first goes to a file of its own, in the folder named as `path` with ``.parts`` after it. When all are
        there they are joined and the folder is removed, so that what stands at `path` is always complete.

        Parameters
        ----------
        path : str or path
            File to write; one that exists is replaced.
        job : str, default=None
            Name of this work. A call with the same name goes on where an interrupted one stopped. Choose another name
            whenever the method, its parameters, its training data or your own functions change: they are not compared.
            Without a name a call starts from the beginning.
        resume : bool, default=True
            Whether to go on with the parts of `job`. False removes the parts, of whatever job, and starts from the
            beginning.
        verbose : bool or "auto", default="auto"
            Whether to tell how far it is; "auto" does in a terminal and a notebook.
        tell : callable, default=None
            Takes what is told instead, a few words after each chunk.

        Returns
        -------
        int
            Number of rows written.

        Raises
        ------
        ValueError
            If there are parts of another job, or of this job with other files, columns, chunks or versions of
            libraries, or if the rows of a query do not follow each other.

        Warns
        -----
        UserWarning
            If an interrupted call without a name left parts, which are removed.
        """
        from ._resumable import write_in_parts

        if job is not None and (not isinstance(job, str) or not job.strip()):
            raise InputError(f"job must be a name of at least one letter, or None; got {job!r}.")
        progress = Progress("write", verbose)
        try:
            return write_in_parts(self, Path(path), job, resume, progress.show if tell is None else tell)
        finally:
            progress.close()

    def _frames(self, skip=0):
        """What is made of the chunks from a row on, each with the row where it ends."""
        for table, end in self._tables(skip):
            yield self._apply(table) if self.work else table.to_pandas(), end

    def _apply(self, table):
        for work in self.work:
            table = work(table)
        return table

    def _tables(self, skip=0):
        """Chunks of whole queries from a row on, where one begins, each with the row where it ends."""
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
        """Tables of the rows from one on, with some columns."""
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
        """The ids of the queries of the first rows, as many of these as are decoded at a time."""
        for table in self._batches(["query"]) if end else ():
            yield distinct_queries(table.slice(0, end))
            end -= len(table)
            if end <= 0:
                return

    def _refuse_torn(self, queries, end):
        """Raise InputError where some queries stand above a row; two queries may share a hash."""
        for above in self._queries_above(end):
            found = queries[queries.isin(above)]
            if len(found):
                raise InputError(
                    f"The rows of query {found[0]!r} do not follow each other, as the rows of a query in a data set "
                    "that is read in chunks must. Sort the data set by query first, or give it to Dask or Spark, which "
                    "bring the rows of a query together."
                )


class ChunkPartitions(Partitions):
    """The chunks as an engine's partitions."""

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
        raise InputError("Judgements for a data set that is read in chunks are a frame or Qrels; give them whole.")

    def rows_of(self, queries):
        chosen = pd.Index(list(queries))
        parts = [frame[frame["query"].isin(chosen)] for frame in self.data]
        return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame(columns=self.used)
