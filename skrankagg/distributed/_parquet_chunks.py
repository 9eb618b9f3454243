"""A Parquet data set that is larger than memory: one process reads chunks of whole queries, and writes what it makes.

What is written stands in a folder of parts until the last one is there, so that an interrupted run goes on where it
was.
"""

import json
import os
import shutil
from collections.abc import Callable, Iterator, Mapping
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import pandas as pd

from .._data._fitted_rows import hash_ids
from .._support._numbers import is_integer
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
_JOB = "job.json"


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
        Queries of a chunk, of which a chunk of rows, its codes and its result must fit into memory.

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
    if not is_integer(chunk_queries) or chunk_queries < 1:
        raise InputError(f"chunk_queries must be a whole number of at least 1; got {chunk_queries!r}.")
    paths = path if isinstance(path, list | tuple) else [path]
    files = [file for one in paths for file in _files(Path(one))]
    return ParquetChunks(files, dict(columns or {}), int(chunk_queries))


def _files(path):
    if path.is_dir():
        inside = sorted(path.rglob("*.parquet"))
        if not inside:
            raise InputError(f"scan_parquet expects files whose names end in .parquet in {str(path)!r}; it has none.")
        return inside
    if not path.exists():
        raise InputError(f"scan_parquet expects a file or a folder; there is no {str(path)!r}.")
    return [path]


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
    work : tuple of callable, default=()
        What is done to each chunk, one after the other.
    names : list of str, default=None
        Columns of what comes out; None for those that are read.

    See Also
    --------
    scan_parquet : Makes one, with an example.
    """

    def __init__(
        self,
        files: list[Path],
        columns: dict[str, str],
        chunk_queries: int,
        work: tuple[Callable[[Any], Any], ...] = (),
        names: list[str] | None = None,
    ):
        from pyarrow.parquet import read_metadata, read_schema

        self.files: list[Path] = files
        self.columns: dict[str, str] = columns
        self.chunk_queries: int = chunk_queries
        self.work: tuple[Callable[[Any], Any], ...] = work
        schema = read_schema(files[0])
        unknown = [name for name in columns if name not in COLUMNS]
        absent = [name for name in columns.values() if name not in schema.names]
        if unknown or absent:
            what = f"{unknown[0]!r} among what columns hold" if unknown else f"the column {absent[0]!r} in {files[0]}"
            raise InputError(
                f"columns names what holds {', '.join(COLUMNS)}; there is no {what}, which has "
                f"{', '.join(map(repr, schema.names))}. Correct it."
            )
        self._own = {name: columns.get(name, name) for name in COLUMNS if columns.get(name, name) in schema.names}
        missing = [name for name in ("query", "item") if name not in self._own]
        if missing:
            raise InputError(
                f"{files[0]} has no column {' and none '.join(map(repr, missing))}; it has "
                f"{', '.join(map(repr, schema.names))}. Name them: columns={{{missing[0]!r}: ...}}."
            )
        types = {name: schema.field(own).type for name, own in self._own.items()}
        for file in files[1:]:
            other = read_schema(file)
            differ = [
                own for name, own in self._own.items() if own not in other.names or other.field(own).type != types[name]
            ]
            if differ:
                raise InputError(
                    f"{file} and {files[0]} differ in the column {differ[0]!r}; files of one data set have the same "
                    "columns of the same types. Convert one of them."
                )
        self.types: dict[str, pyarrow.DataType] = types
        #: Columns of the chunks.
        self.names: list[str] = list(self._own) if names is None else names
        #: Rows of each file.
        self.file_rows: list[int] = [read_metadata(file).num_rows for file in files]

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
        return ParquetChunks(self.files, self.columns, self.chunk_queries, (*self.work, work), names)

    def __iter__(self) -> Iterator[pd.DataFrame]:
        for table, _ in self._tables():
            yield self._apply(table)

    def write(
        self,
        path: str | os.PathLike[str],
        *,
        resume: bool = True,
        verbose: bool | Literal["auto"] = "auto",
        tell: Callable[[str], object] | None = None,
    ) -> int:
        """Write the chunks to one Parquet file.

        Each chunk first goes to a file of its own, in the folder named as `path` with ``.parts`` after it. When all are
        there they are joined and the folder is removed, so that `path` exists only when it is complete.

        Parameters
        ----------
        path : str or path
            File to write; one that exists is replaced.
        resume : bool, default=True
            Whether to go on where an interrupted call with the same data and the same work stopped. Otherwise its
            parts are removed.
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
            If there are parts of another job, or the rows of a query do not follow each other.
        """
        progress = Progress("write", verbose)
        try:
            return self._write(Path(path), resume, progress.show if tell is None else tell)
        finally:
            progress.close()

    def _write(self, path, resume, tell):
        from pyarrow import Table
        from pyarrow.parquet import ParquetFile, ParquetWriter, read_schema, write_table

        folder = Path(f"{path}.parts")
        parts = self._open_job(folder, path, resume)
        done = int(read_schema(parts[-1]).metadata[b"skrankagg.rows"]) if parts else 0
        seen = (ParquetFile(part).read(["query"]) for part in parts) if self._keeps_queries(parts) else ()
        schema = read_schema(parts[0]) if parts else None
        for table, end in self._tables(done, seen):
            frame = self._apply(table)
            result = Table.from_pandas(frame, preserve_index=False, schema=schema and schema.remove_metadata())
            schema = result.schema
            result = result.replace_schema_metadata({"skrankagg.rows": str(end)})
            _replace(folder / f"{len(parts):06}.parquet", lambda file, result=result: write_table(result, file))
            parts.append(folder / f"{len(parts):06}.parquet")
            tell(f"{end:,} of {self.n_rows:,} rows")
        if not parts:
            raise InputError("The data set has no rows; there is nothing to write.")
        tell(f"joining {len(parts):,} parts")
        n_rows = 0

        def join(file):
            nonlocal n_rows
            with ParquetWriter(file, read_schema(parts[0]).remove_metadata()) as writer:
                for part in parts:
                    table = ParquetFile(part).read().replace_schema_metadata()
                    writer.write_table(table)
                    n_rows += len(table)

        _replace(path, join)
        shutil.rmtree(folder)
        return n_rows

    def _open_job(self, folder, path, resume):
        """The folder of parts, made where it is missing, and the parts that are there."""
        job = {
            "files": [[str(file.resolve()), file.stat().st_size, file.stat().st_mtime_ns] for file in self.files],
            "columns": self._own,
            "chunk_queries": self.chunk_queries,
            "work": [repr(one) for one in self.work],
            "version": version("skrankagg"),
        }
        if folder.exists() and not (folder / _JOB).exists():
            raise InputError(f"{str(folder)!r} is for the parts of {str(path)!r}, and holds something else; move it.")
        if folder.exists() and not resume:
            shutil.rmtree(folder)
        if folder.exists():
            before = json.loads((folder / _JOB).read_text(encoding="utf-8"))
            differ = [name for name in job if before.get(name) != job[name]]
            if differ:
                raise InputError(
                    f"{str(folder)!r} holds the parts of a run that was interrupted, with other {differ[0]}: "
                    f"{before.get(differ[0])!r}, not {job[differ[0]]!r}. Repeat that run, or start over with "
                    "resume=False."
                )
            return sorted(folder.glob("[0-9]*.parquet"))
        folder.mkdir(parents=True)
        _replace(folder / _JOB, lambda file: Path(file).write_text(json.dumps(job), encoding="utf-8"))
        return []

    @staticmethod
    def _keeps_queries(parts):
        from pyarrow.parquet import read_schema

        return bool(parts) and "query" in read_schema(parts[0]).names

    def _apply(self, table):
        if not self.work:
            return table.to_pandas()
        for work in self.work:
            table = work(table)
        return table

    def _tables(self, skip=0, before=()):
        """Chunks of whole queries with the row where each ends, from a row on; `before` has the queries above it."""
        from ._arrow_chunks import HashSet, whole_queries

        seen, end = HashSet(), skip
        for table in before:
            seen.add(hash_ids(distinct_queries(table), "query"))
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
        from pyarrow import Table
        from pyarrow.parquet import ParquetFile

        own = [self._own[name] for name in names]
        for path in self.files:
            with ParquetFile(path) as file:
                groups = [file.metadata.row_group(k).num_rows for k in range(file.num_row_groups)]
                first = 0
                while first < len(groups) and skip >= groups[first]:
                    skip -= groups[first]
                    first += 1
                for batch in file.iter_batches(_BATCH, row_groups=range(first, len(groups)), columns=own):
                    table = Table.from_batches([batch]).select(own).rename_columns(names)
                    table, skip = table.slice(skip), max(skip - len(table), 0)
                    if len(table):
                        yield table

    def _refuse_torn(self, queries, end):
        """Raise InputError where some queries stand above a row; two queries may share a hash."""
        for table in self._batches(["query"]):
            found = queries[queries.isin(distinct_queries(table.slice(0, end)))]
            if len(found):
                raise InputError(
                    f"The rows of query {found[0]!r} do not follow each other, as the rows of a query in a data set "
                    "that is read in chunks must. Sort the data set by query first, or give it to Dask or Spark, which "
                    "bring the rows of a query together."
                )
            end -= len(table)
            if end <= 0:
                return


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
        return [work(self.data._apply(table) if self.data.work else table) for table, _ in self.data._tables()]

    def gather_pairs(self, work, other):
        raise InputError("Judgements for a data set that is read in chunks are a frame or Qrels; give them whole.")

    def rows_of(self, queries):
        chosen = pd.Index(list(queries))
        parts = []
        for table in self.data._batches(list(self.data._own)):
            frame = table.to_pandas()
            parts.append(frame[frame["query"].isin(chosen)])
        return pd.concat(parts, ignore_index=True)


def _replace(path, write):
    """Write a file under another name, and give it its own when it is complete."""
    new = path.with_name(f"{path.name}.new")
    write(new)
    os.replace(new, path)
