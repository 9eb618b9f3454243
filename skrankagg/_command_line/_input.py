"""Input of the commands: files, patterns, folders, standard input and generated data."""

import glob
import os
import sys
from functools import cached_property

import pandas as pd

from .. import Qrels, RankedLists
from .._data._covariates import POSITION
from .._data._from_comparisons import comparison_columns
from ..datasets import (
    make_ranked_lists,
    make_rasdagen,
    read_comparisons,
    read_judged_items,
    read_lists,
    read_qrels,
)
from ..datasets._comparison_files import is_comparisons
from ..datasets._judged_items import is_judged_items
from ..datasets._sources import file_name, make_rereadable
from ._election_files import election_format, read_election
from ._messages import UserError, name_file_in_errors
from ._usage import DUELS

# Options that apply only to files of comparisons.
_OF_COMPARISONS = ("groups", "query_column", "covariates", "reconcile")


class Source:
    """A file to read, and the name that the user gave to the file's voter or run.

    Parameters
    ----------
    path : str
        Path of the file; "-" is standard input.
    name : str, default=None
        Name of the voter or run; None means that the names in the file are used.
    """

    def __init__(self, path, name=None):
        self.path, self.name = path, name

    @cached_property
    def file(self):
        """Path or content of the file for the reading functions; standard input and pipes are read into memory once."""
        with name_file_in_errors(repr(self), "read"):
            return make_rereadable(sys.stdin.buffer if self.path == "-" else self.path, "skrankagg")

    @cached_property
    def has_comparisons(self):
        """True if each row of the file is a paired comparison, such as a battle of an arena."""
        return is_comparisons(self.file)

    def election_format(self, args):
        """Return the format of a file of an election, such as "ballots"; return None for other files."""
        if args.columns is not None:
            return None
        with name_file_in_errors(repr(self), "read"):
            return election_format(self.file, args.format, args.decimal)

    def __repr__(self):
        return "standard input" if self.path == "-" else self.path


def find_sources(texts):
    """Find the files of arguments; an argument is FILE, NAME=FILE, a pattern, a folder, or - for standard input.

    Returns a list of :class:`Source`.
    """
    sources = [source for text in texts for source in _find(text)]
    paths = [source.path for source in sources]
    twice = next((path for path in paths if paths.count(path) > 1), None)
    if twice is not None:
        raise UserError(f"{'standard input' if twice == '-' else f'the file {twice!r}'} is given twice.")
    return sources


def _find(text):
    name, equals, path = text.partition("=")
    if text == "-" or os.path.exists(text) or not equals:
        name, path = None, text
    elif not name:
        raise UserError(f"a file with a name must have the form NAME=FILE; got {text!r}.")
    if path == "-" or (os.path.exists(path) and not os.path.isdir(path)):
        return [Source(path, name)]
    if os.path.isdir(path):
        inside = sorted(entry.path for entry in os.scandir(path) if entry.is_file() and not entry.name.startswith("."))
        if not inside:
            raise UserError(f"the folder {path!r} contains no files.")
    elif glob.has_magic(path):
        inside = sorted(one for one in glob.glob(path, recursive=True) if not os.path.isdir(one))
        if not inside:
            raise UserError(f"no file matches {path!r}.")
    else:
        return [Source(path, name)]  # the reader reports a missing file
    if name is not None and len(inside) > 1:
        raise UserError(
            f"the name {name!r} is given for {len(inside)} files that match {path!r}; leave the name out, or name "
            "each file."
        )
    return [Source(one, name) for one in inside]


def load_data(args, progress):
    """Read or generate the data of the command `compare`; return the lists, the judgements, and notes on the data."""
    if args.files:
        *paths, qrels = args.files
        return load_lists(find_sources(paths), args, progress), load_qrels(qrels, progress), []
    if args.demo == "rasdagen":
        lists, qrels = make_rasdagen(**({} if args.random_state is None else {"random_state": args.random_state}))
        note = (
            "The generated data of FLAGR's documents (make_rasdagen). The labels are noise, independent of the "
            "lists, so differences between methods mean nothing."
        )
    else:
        seed = args.random_state or 0
        lists, qrels, _ = make_ranked_lists(random_state=seed)
        note = (
            f"Generated data, make_ranked_lists(random_state={seed}), with a known truth. All voters rank "
            "the same items, and each voter has its own noise. For your own data: skrankagg compare LISTS QRELS."
        )
    return RankedLists.from_frame(lists), Qrels.from_frame(qrels), [note]


def load_lists(sources, args, progress, *, position=False):
    """Read ranked lists, comparisons or ballots from files, and return them as RankedLists.

    With `position`, comparisons also get the covariate "position" if their columns contain a first and a second item.
    """
    voter = getattr(args, "voter", "auto")
    named = any(source.name is not None for source in sources)
    if named and voter == "file":
        raise UserError("name voters by NAME=FILE or by --voter file, not by both.")
    voter = [source.name for source in sources] if named else voter
    return _load(sources, args, progress, voter, position)


def load_runs(texts, args, progress):
    """Read a run from each file; return a dict of run name to RankedLists."""
    runs = {}
    for source in find_sources(texts):
        name = source.name or os.path.basename(repr(source))
        if name in runs:
            raise UserError(f"two runs have the name {name!r}; give one of them another name: NAME=FILE.")
        runs[name] = _load([source], args, progress, "auto")
    return runs


def names_of(text):
    """Split the text of an option into names at the commas; return None if the option was not given."""
    return None if text is None else [name.strip() for name in text.split(",")]


def covariates_of(text):
    """Convert the value of --covariates, such as ``position,words=words_a:words_b``, to a dict.

    The dict maps the name of each covariate to the name of its column, or to the names of two columns as a tuple.
    """
    covariates = {}
    for name in names_of(text) or ():
        name, equals, columns = (part.strip() for part in name.partition("="))
        pair = tuple(column.strip() for column in columns.split(":"))
        if equals and (len(pair) != 2 or not all(pair) or not name):
            raise UserError(f"a covariate of two columns must have the form NAME=FIRST:SECOND; got {text!r}.")
        covariates[name] = pair if equals else name
    return covariates


def _load(sources, args, progress, voter, position=False):
    columns = None if args.columns is None else [name.strip() or None for name in args.columns.split(",")]
    where = ", ".join(map(repr, sources))
    progress.say(f"reading {where if len(sources) == 1 else f'{len(sources)} files'}")
    with name_file_in_errors(where, "read"):
        files = [source.file for source in sources]
        if has_comparisons(sources, args):
            if voter != "auto":
                what = f"--voter {voter}" if isinstance(voter, str) else "a name (NAME=FILE)"
                raise UserError(
                    f"{what} applies only to files of ranked lists, but this file contains comparisons. Leave out "
                    f"{what}, or use --groups to name the columns of voters."
                )
            return _load_comparisons(files, args, progress, position)
        kinds = [source.election_format(args) for source in sources]
        for name in _OF_COMPARISONS:
            option = f"--{name.replace('_', '-')}"
            if getattr(args, name, None):
                raise UserError(
                    f"{option} applies only to files of comparisons, with columns such as winner and loser; leave out "
                    f"{option}."
                )
        if any(kinds):
            return _load_elections(files, kinds, args.decimal, voter, progress)
        return read_lists(files, voter=voter, format=args.format, columns=columns, decimal=args.decimal, as_frame=False)


def has_comparisons(sources, args):
    """Return True if each row of all files is a paired comparison, such as a battle of an arena."""
    if args.format == DUELS or args.columns is not None:
        return args.format == DUELS
    return args.format == "auto" and all(source.has_comparisons for source in sources)


def has_ballots(sources, args):
    """Return True if all files contain ballots."""
    return all(source.election_format(args) in ("preflib", "ballots") for source in sources)


def _load_elections(files, kinds, decimal, voter, progress):
    """Read files of elections; each file is a query."""
    if voter != "auto":
        what = f"--voter {voter}" if isinstance(voter, str) else "a name (NAME=FILE)"
        raise UserError(
            f"{what} needs one voter in each file, but a file of ballots has many voters; leave out {what}."
        )
    if None in kinds:
        other = files[kinds.index(None)]
        raise UserError(
            f"some files are elections, but {file_name(other)!r} contains ranked lists; give files of one kind."
        )
    frames = [read_election(file, kind, decimal) for file, kind in zip(files, kinds, strict=True)]
    names = [frame["query"].iloc[0] for frame in frames]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise UserError(
            f"files of elections must have different names, because the names become the ids of the queries; {twice!r} "
            "occurs twice."
        )
    frame = pd.concat(frames, ignore_index=True)
    if "weight" in frame:
        frame["weight"] = frame["weight"].fillna(1.0)
    if len(set(kinds)) > 1:
        frame = frame.drop(columns="score", errors="ignore")
    progress.say("encoding the ballots")
    return RankedLists.from_frame(frame)


def _load_comparisons(files, args, progress, position):
    """Read files with a row for each comparison; add the covariate "position" if it is known and requested."""
    frames = [read_comparisons(file) for file in files]
    if any(list(frame) != list(frames[0]) for frame in frames):
        raise UserError(
            "files of comparisons must have the same columns; the given files differ. Read them one by one."
        )
    frame = pd.concat(frames, ignore_index=True)
    progress.say("encoding the comparisons")
    has_options = hasattr(args, "groups")  # some commands have no options for comparisons
    covariates = covariates_of(args.covariates) if has_options else {}
    reconcile = has_options and args.reconcile
    named = comparison_columns([one for one in frame if isinstance(one, str)])
    asked = covariates.pop(POSITION, None) is not None
    for columns in covariates.values():
        for name in (columns,) if isinstance(columns, str) else columns:
            if name in frame:
                frame[name] = _numbers(frame[name])
    return RankedLists.from_comparisons(
        frame,
        tie=next((name for name in ("tie", "draw") if "loser" in frame and name in frame), "tie"),
        groups=names_of(args.groups) if has_options else None,
        query_column=args.query_column if has_options else None,
        covariates=covariates or None,
        position=asked or (position and not reconcile and "first" in named),
        reconcile=reconcile,
    )


def _numbers(column):
    """Convert a column of text to numbers; raise UserError if a cell is not a number."""
    found = pd.to_numeric(column, errors="coerce")
    wrong = found.isna() & column.notna()
    if wrong.any():
        raise UserError(f"the covariate {column.name!r} must be numbers; got {column[wrong].iloc[0]!r}.")
    return found


def load_judgements(text, progress):
    """Read judgements from a filled-in table of the command `judge`, or from a file in another format."""
    if os.path.isfile(text) and is_judged_items(text):
        progress.say(f"reading {text}")
        with name_file_in_errors(text, "read"):
            return Qrels.from_frame(read_judged_items(text))
    return load_qrels(text, progress)


def load_qrels(text, progress):
    """Read judgements from a file; return a Qrels."""
    found = find_sources([text])
    if len(found) > 1:
        raise UserError(f"judgements must be in one file; {len(found)} files match {text!r}. Name one of them.")
    [source] = found
    progress.say(f"reading {source!r}")
    try:
        with name_file_in_errors(repr(source), "read"):
            return Qrels.from_frame(read_qrels(source.file))
    except UserError as error:
        raise UserError(f"{str(error).rstrip('.')}. The last file must contain the judgements.") from error
