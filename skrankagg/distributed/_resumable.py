"""Write chunks to one Parquet file, by way of a file for each, so that an interrupted job goes on where it stopped."""

import hashlib
import json
import os
import shutil

import pyarrow as pa
from pyarrow.parquet import ParquetFile, ParquetWriter, read_schema, write_table

from .._support._show_versions import version_of
from .._support._warn import warn_user
from ..exceptions import InputError

#: What follows the name of the result in that of the folder of its parts.
PARTS = ".parts"
_NEW = ".new"
# In the metadata of a part: the row at which its chunk ends, and the job that made it.
_END = b"skrankagg.rows"
_JOB = b"skrankagg.job"
# Libraries whose version may change a number or a column.
_LIBRARIES = ("skrankagg", "numpy", "scipy", "pandas", "scikit-learn", "pyarrow")


def write_in_parts(chunks, path, job, resume, tell):
    """Write the result of each chunk to a file, and return the number of its rows.

    Parameters
    ----------
    chunks : ParquetChunks
    path : path
    job : str or None
        Name of the work; None starts from the beginning.
    resume : bool
        Whether to keep the parts of an interrupted call.
    tell : callable
        Takes a few words after each chunk.
    """
    folder = path.with_name(path.name + PARTS)
    record = _describe_job(chunks, job)
    parts = _open_folder(folder, path, record, resume)
    schema = read_schema(parts[-1]) if parts else None
    done = int(schema.metadata[_END]) if parts else 0
    for frame, end in chunks._frames(done):
        table, schema = _to_table(frame, schema)
        part = folder / f"{len(parts):08}.parquet"
        _write_part(part, table.replace_schema_metadata({_END: str(end), _JOB: json.dumps(record)}))
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


def _describe_job(chunks, job):
    """What each part records of its job, compared in this order."""
    files = [[str(file.resolve()), file.stat().st_size, file.stat().st_mtime_ns] for file in chunks.files]
    return {
        "job": job,
        "files": hashlib.sha256(json.dumps(files).encode()).hexdigest(),
        "columns": [chunks._own, chunks.names],
        "chunk_queries": chunks.chunk_queries,
        "versions": {name: version_of(name) for name in _LIBRARIES},
    }


def _open_folder(folder, path, record, resume):
    """Make the folder of parts where it is missing; returns the parts that are there, all of this job."""
    inside = sorted(folder.iterdir()) if folder.exists() else []
    records = {part: _read_record(part) for part in inside if part.suffix != _NEW}
    if None in records.values():
        raise InputError(f"{str(folder)!r} is for the parts of {str(path)!r}, and holds something else; move it.")
    if resume:
        for part, other in records.items():
            _compare(part, other, record)
        if records and record["job"] is not None and all(other["job"] is not None for other in records.values()):
            return list(records)
        if records:
            warn_user(
                f"{str(folder)!r} holds {len(records)} parts of an interrupted run without a name; they are removed, "
                "and this run starts from the beginning. Pass job= with a name to go on after an interruption.",
                UserWarning,
            )
    if folder.exists():
        shutil.rmtree(folder)
    folder.mkdir(parents=True)
    return []


def _read_record(part):
    """The record of the job that made a part; None for a file that is no part."""
    try:
        return json.loads(read_schema(part).metadata[_JOB])
    except (OSError, pa.ArrowException, KeyError, TypeError):  # a folder, no Parquet, or Parquet of somebody else
        return None


def _compare(part, other, record):
    """Raise InputError where a part is of another named job, or of this one under other conditions."""
    name = other["job"]
    if name is None:
        return
    if name != record["job"]:
        raise InputError(
            f"job must be {name!r}, which {str(part)!r} is a part of; got {record['job']!r}. Pass job={name!r} to go "
            "on, or resume=False to remove its parts and start from the beginning."
        )
    differs = next((key for key in record if other.get(key) != record[key]), None)
    if differs is not None:
        before, now = other.get(differs), record[differs]
        if differs == "versions":
            library = next(one for one in now if before.get(one) != now[one])
            values = f": {library} {before.get(library)}, not {now[library]}"
        else:
            values = "" if differs == "files" else f": {before!r}, not {now!r}"
        raise InputError(
            f"{str(part)!r} is a part of the job {name!r} with other {differs}{values}. Repeat the job as it was, or "
            "pass resume=False to remove its parts and start from the beginning."
        )


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
