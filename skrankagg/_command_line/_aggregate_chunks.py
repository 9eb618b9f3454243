"""Option --chunk-queries of the command `aggregate`, for Parquet files that are larger than memory."""

import pandas as pd

from ..datasets._kinds import LISTS, held
from ..datasets._parquet import check_parquet, parquet_columns
from ..distributed import fit_partitions, scan_parquet, transform_partitions
from ._input import find_sources
from ._messages import UserError, name_file_in_errors


def aggregate_chunks(name, method, args, progress):
    """Aggregate Parquet files in chunks of whole queries, and write the consensus.

    An interrupted job can be resumed if --job gives it a name.
    """
    for given, option in (
        (args.intervals, "--intervals"),
        (args.qrels, "--qrels"),
        (args.voter != "auto", "--voter"),
        (args.groups, "--groups"),
        (args.query_column, "--query-column"),
        (args.covariates, "--covariates"),
        (args.reconcile, "--reconcile"),
    ):
        if given:
            raise UserError(f"{option} needs all lists at once; leave it out, or leave out --chunk-queries.")
    for given, option in (
        (args.columns, "--columns"),
        (args.decimal != ".", "--decimal"),
        (args.format not in ("auto", "parquet"), "--format"),
    ):
        if given:
            raise UserError(
                f"{option} does not apply to Parquet files, which --chunk-queries reads; leave out {option}."
            )
    if args.out in (None, "-") or not (args.to == "parquet" or (args.to is None and args.out.endswith(".parquet"))):
        raise UserError("--chunk-queries writes a Parquet file; name the file: -o consensus.parquet.")
    tags = method.__sklearn_tags__()
    if tags.aggregator_tags.supervised:
        raise UserError(f"{name} needs all lists at once to learn from judgements; leave out --chunk-queries.")
    sources = find_sources(args.lists)
    if any(source.name is not None or source.path == "-" for source in sources):
        raise UserError(
            "--chunk-queries needs plain paths of Parquet files; leave out NAME= before a path, and do not read "
            "standard input."
        )
    check_parquet("--chunk-queries")
    with name_file_in_errors(", ".join(map(repr, sources)), "read"):
        paths = [source.path for source in sources]
        chunks = scan_parquet(paths, columns=_own_names(paths[0]), chunk_queries=args.chunk_queries)
        chunks = chunks.then(_text_ids, chunks.names)
        if tags.requires_fit:
            progress.say(f"fitting {name} to {chunks.n_rows:,} rows")
            fit_partitions(method, chunks)
    progress.say(f"merging {chunks.n_rows:,} rows by {name}")
    with name_file_in_errors(args.out, "write"):
        transform_partitions(method, chunks).write(
            args.out,
            job=args.job,
            resume=not args.no_resume,
            tell=lambda text: progress.say(f"merging by {name}: {text}"),
        )


def _own_names(path):
    """Find the columns of a file as `read_lists` does; return a dict of canonical name to title in the file."""
    titles = parquet_columns(path)
    return {
        name: title for title, name in zip(titles, held(LISTS, titles) or titles, strict=True) if name in LISTS.known
    }


def _text_ids(table):
    """Convert an Arrow table to a frame in which ids are text, because other commands also read ids as text."""
    frame = table.to_pandas()
    for name in ("query", "voter", "item"):
        if name in frame and not isinstance(frame[name].dtype, pd.StringDtype):
            if frame[name].isna().any():
                raise UserError(f"the column {name!r} must have a value in every row; some rows have none.")
            frame[name] = frame[name].astype(str)
    return frame
