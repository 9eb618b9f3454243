"""Write chunks to one Parquet file, by way of a file for each, so that an interrupted run goes on where it stopped."""

import json
import os
import shutil
import types

import pyarrow as pa
from pyarrow.parquet import ParquetFile, ParquetWriter, read_schema, write_table

from .._support._show_versions import version_of
from ..exceptions import InputError
from ._work import identify

__all__ = ["PARTS", "write_in_parts"]

#: What follows the name of the result in that of the folder of its parts.
PARTS = ".parts"
_JOB = "job.json"
_NEW = ".new"
# Where, in the metadata of a part, the row stands at which its chunk ends.
_END = b"skrankagg.rows"


def write_in_parts(chunks, path, resume, tell):
    """Write what is made of chunks to a file, and return the number of its rows.

    Parameters
    ----------
    chunks : ParquetChunks
    path : path
    resume : bool
        Whether to keep the parts of an interrupted call.
    tell : callable
        Takes a few words after each chunk.
    """
    folder = path.with_name(path.name + PARTS)
    parts = _open_job(chunks, folder, path, resume)
    schema = read_schema(parts[-1]) if parts else None
    done = int(schema.metadata[_END]) if parts else 0
    for frame, end in chunks._frames(done):
        table, schema = _to_table(frame, schema)
        part = folder / f"{len(parts):08}.parquet"
        _write_part(part, table.replace_schema_metadata({_END: str(end)}))
        parts.append(part)
        tell(f"{end:,} of {chunks.n_rows:,} rows")
    if not parts:
        shutil.rmtree(folder)
        raise InputError("The data set has no rows; there is nothing to write.")
    tell(f"joining {len(parts):,} parts")
    n_rows = _join(parts, folder / f"joined{_NEW}")
    os.replace(folder / f"joined{_NEW}", path)
    shutil.rmtree(folder)
    return n_rows


def _open_job(chunks, folder, path, resume):
    """Make the folder of parts where it is missing; returns the parts that are there."""
    job = {
        "files": [[str(file.resolve()), file.stat().st_size, file.stat().st_mtime_ns] for file in chunks.files],
        "columns": chunks._own,
        "chunk_queries": chunks.chunk_queries,
        "work": [_name_work(one) for one in chunks.work],
        "version": version_of("skrankagg"),
    }
    if folder.exists() and not (folder / _JOB).exists() and any(file.suffix != _NEW for file in folder.iterdir()):
        raise InputError(f"{str(folder)!r} is for the parts of {str(path)!r}, and holds something else; move it.")
    if (folder / _JOB).exists() and resume:
        before = json.loads((folder / _JOB).read_text(encoding="utf-8"))
        differ = [name for name in job if before.get(name) != job[name]]
        if differ:
            values = "" if differ[0] == "files" else f": {before.get(differ[0])!r}, not {job[differ[0]]!r}"
            raise InputError(
                f"{str(folder)!r} holds the parts of a run that was interrupted, with other {differ[0]}{values}. "
                "Repeat that run, or start over with resume=False."
            )
        return sorted(folder.glob("[0-9]*.parquet"))
    if folder.exists():
        shutil.rmtree(folder)
    folder.mkdir(parents=True)
    new = folder / f"{_JOB}{_NEW}"
    new.write_text(json.dumps(job), encoding="utf-8")
    os.replace(new, folder / _JOB)
    return []


def _name_work(work):
    return f"{work.__qualname__} {identify(work)}" if isinstance(work, types.FunctionType) else repr(work)


def _to_table(frame, schema):
    """A frame as a table of Arrow, and its types, which are those of the first one."""
    if schema is None:
        schema = pa.Schema.from_pandas(frame, preserve_index=False).remove_metadata()
        for k, field in enumerate(schema):
            if pa.types.is_dictionary(field.type):  # of which other chunks may have more values
                schema = schema.set(k, field.with_type(pa.dictionary(pa.int32(), field.type.value_type)))
    schema = schema.remove_metadata()
    return pa.Table.from_pandas(frame, schema=schema, preserve_index=False), schema


def _write_part(part, table):
    """Write a part, which has its name only when it is complete."""
    new = part.with_name(part.name + _NEW)
    write_table(table, new)
    os.replace(new, part)


def _join(parts, path):
    n_rows = 0
    with ParquetWriter(path, read_schema(parts[0]).remove_metadata()) as writer:
        for part in parts:
            with ParquetFile(part) as file:
                table = file.read().replace_schema_metadata()
            writer.write_table(table)
            n_rows += len(table)
    return n_rows
