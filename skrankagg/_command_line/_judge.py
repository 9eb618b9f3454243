"""Command `skrankagg judge`, which writes a table of items for a person to judge."""

import csv
import json
import secrets
import shlex
from itertools import chain

from ..datasets._sources import BOM
from ..exceptions import InputError
from ..inspection import items_to_judge
from ._input import find_sources, load_lists
from ._messages import name_file_in_errors, say
from ._report import check_outputs, write_results
from ._usage import files_of

# Fields of an item's id, title and text in files of BEIR, ir_datasets and Pyserini.
_IDS, _TITLES, _TEXTS = ("_id", "id", "item", "docid", "doc_id", "docno"), ("title",), ("text", "contents", "body")


def judge(args, progress):
    check_outputs(args.out)
    lists = load_lists(find_sources(args.lists), args, progress)
    seed = secrets.randbelow(2**31) if args.random_state is None else args.random_state
    frame = items_to_judge(lists, n_queries=args.n_queries, top=args.top, queries=args.queries, random_state=seed)
    if args.texts is not None:
        progress.say(f"reading {args.texts}")
        with name_file_in_errors(args.texts, "read"):
            found = _read_texts(args.texts, set(frame["item"].astype(str)))
        texts = [found.get(str(item), "") for item in frame["item"]]
        frame.insert(2, "text", texts)
        if "" in texts:
            say(f"{texts.count('')} of {len(texts)} items have no text in {args.texts}.")
    write_results(frame.set_index(["query", "item"]), args.out)
    if args.queries is None:
        say(f"the queries were drawn by --random-state {seed}.")
    say(
        f"fill in the relevance of {len(frame)} items of {frame['query'].nunique()} queries in {args.out}: "
        f"0 = not relevant, 1, 2 ...; then run skrankagg tune {files_of(args)} {shlex.quote(args.out)}"
    )


def _read_texts(path, wanted):
    """Read the texts of the wanted items from a file; return a dict of item to text."""
    with open(path, "rb") as file:
        lines = (line.decode("utf-8") for line in file)
        first = next(lines, "").removeprefix(BOM.decode("utf-8"))
        rows = _json_rows(first, lines) if first.lstrip().startswith("{") else _table_rows(first, lines)
        return {item: " ".join(text.split()) for item, text in rows if item in wanted}


def _json_rows(first, lines):
    for number, line in enumerate(chain([first], lines), 1):
        if not line.strip():
            continue
        try:
            record = json.loads(line)
        except json.JSONDecodeError as error:
            raise InputError(f"line {number} must be a JSON object; {error}.") from error
        item = next((record[name] for name in _IDS if name in record), None)
        text = [str(record[name]) for name in (*_TITLES, *_TEXTS) if record.get(name)]
        if item is None or not any(name in record for name in _TEXTS):
            raise InputError(
                f"line {number} must have a field for the id ({' or '.join(_IDS)}) and a field for the text "
                f"({' or '.join(_TEXTS)})."
            )
        yield str(item), ". ".join(text)


def _table_rows(first, lines):
    separator = "\t" if "\t" in first else ","
    reader = csv.reader(chain([first], lines), delimiter=separator, quoting=csv.QUOTE_NONE if separator == "\t" else 0)
    header = [title.strip().lower() for title in next(csv.reader([first], delimiter=separator))]
    item = next((header.index(name) for name in _IDS if name in header), None)
    text = next((header.index(name) for name in _TEXTS if name in header), None)
    if item is not None and text is not None:
        next(reader)
    elif len(header) == 2:
        item, text = 0, 1  # no header
    else:
        raise InputError(
            "expected JSON lines, or a table with the columns 'item' and 'text', or a table of two columns without a "
            "header."
        )
    for row in reader:
        if len(row) <= max(item, text):
            raise InputError(f"line {reader.line_num} must have as many fields as the first line; got {len(row)}.")
        yield row[item], row[text]
