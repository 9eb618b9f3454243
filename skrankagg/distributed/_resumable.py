"""Output of chunks to one Parquet file; each chunk first has its own file, so that an interrupted job can continue."""

import hashlib
import json
import os
import shutil

import pyarrow as pa
from pyarrow.parquet import ParquetFile, ParquetWriter, read_schema, write_table

from .._support._show_versions import version_of
from .._support._warn import warn_user
from ..exceptions import InputError

#: Suffix of the folder of parts, after the name of the result.
PARTS = ".parts"
_NEW = ".new"
# Keys in the metadata of a part, for the row at which the chunk ends and for the record of the job.
_END = b"skrankagg.rows"
_JOB = b"skrankagg.job"
# Libraries whose versions are recorded, because another version may change a number or a column.
_LIBRARIES = ("skrankagg", "numpy", "scipy", "pandas", "scikit-learn", "pyarrow")


def write_in_parts(chunks, path, job, resume, tell):
    """Write the results of all chunks to one Parquet file, and return the number of rows in this file.

    Parameters
    ----------
    chunks : ParquetChunks
    path : path
    job : str or None
        Name of the job; None starts from the beginning.
    resume : bool
        Whether to continue with the finished chunks of an interrupted call.
    tell : callable
        Function that is called with a short text after each chunk.
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
        raise InputError("The data set has no rows, so there is nothing to write. Check the files.")
    tell(f"joining {len(parts):,} parts")
    n_rows = _join(parts, folder / f"joined{_NEW}")
    os.replace(folder / f"joined{_NEW}", path)
    shutil.rmtree(folder)
    return n_rows


def _describe_job(chunks, job):
    """Return a dict that describes a job and its settings; each part (file with the result of a chunk) stores it.

    The settings are compared in the order of the dict, and the first difference is reported.
    """
    files = [[str(file.resolve()), file.stat().st_size, file.stat().st_mtime_ns] for file in chunks.files]
    return {
        "job": job,
        "files": hashlib.sha256(json.dumps(files).encode()).hexdigest(),
        "columns": [chunks._own, chunks.names],
        "chunk_queries": chunks.chunk_queries,
        "versions": {name: version_of(name) for name in _LIBRARIES},
    }


def _open_folder(folder, path, record, resume):
    """Prepare the folder of parts; return the parts of an interrupted call of this job.

    A part is a file with the result of one chunk. `record` is the description of this job.
    """
    inside = sorted(folder.iterdir()) if folder.exists() else []
    records = {part: _read_record(part) for part in inside if part.suffix != _NEW}
    if None in records.values():
        raise InputError(
            f"{str(folder)!r} must contain only parts of {str(path)!r}, which are the results of single chunks; it "
            "contains other files. Move these files."
        )
    if resume:
        for part, other in records.items():
            _compare(part, other, record)
        if records and record["job"] is not None and all(other["job"] is not None for other in records.values()):
            return list(records)
        if records:
            warn_user(
                f"{str(folder)!r} contains {len(records)} parts of an interrupted run without a name. They are "
                "removed, and this run starts from the beginning. Name the job with job= to continue after an "
                "interruption.",
                UserWarning,
            )
    if folder.exists():
        shutil.rmtree(folder)
    folder.mkdir(parents=True)
    return []


def _read_record(part):
    """Return the description of the job that wrote a part (file with the result of a chunk).

    Return None for a file that is not a part.
    """
    try:
        return json.loads(read_schema(part).metadata[_JOB])
    except (OSError, pa.ArrowException, KeyError, TypeError):  # this is not a Parquet file, or not a part
        return None


def _compare(part, other, record):
    """Raise InputError if a part belongs to a job with another name, or to this job with other settings.

    A part is a file with the result of one chunk. `other` describes the job that wrote it, and `record` describes this
    job. Parts of jobs without a name are not checked.
    """
    name = other["job"]
    if name is None:
        return
    if name != record["job"]:
        raise InputError(
            f"`job` must be {name!r}, the name of the job that wrote {str(part)!r}; got {record['job']!r}. Pass "
            f"job={name!r} to continue, or resume=False to remove these parts and start again.",
            parameter="job",
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
            f"{str(part)!r} is a part of the job {name!r}, but was written with different {differs}{values}. Repeat "
            "the job unchanged, or pass resume=False to remove the parts of the job and start from the beginning."
        )


def _to_table(frame, schema):
    """Convert the result of a chunk to an Arrow table with the column types of the first chunk's result.

    `schema` contains these types; it is None for the first chunk. Returns the table and the types.
    """
    if schema is None:
        schema = pa.Schema.from_pandas(frame, preserve_index=False).remove_metadata()
        for k, field in enumerate(schema):
            if pa.types.is_dictionary(field.type):  # other chunks may contain more categories
                schema = schema.set(k, field.with_type(pa.dictionary(pa.int32(), field.type.value_type)))
    schema = schema.remove_metadata()
    return pa.Table.from_pandas(frame, schema=schema, preserve_index=False), schema


def _write_part(part, table):
    """Write the result of a chunk to a temporary file, and rename it to `part` when it is complete."""
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
