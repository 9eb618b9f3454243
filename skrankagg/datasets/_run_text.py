"""Conversion of a consensus to text: TREC runs, tables, JSON, and one line for each query."""

import csv
import json
import re

from ..exceptions import InputError
from ._ranking_text import ranking_text

# Fields of TREC files end at white space. A byte order mark at the beginning of a file would not be read back.
_UNFIT = re.compile(r"[\s\0\ufeff]|^$")
# Characters that would end a line, or the name of the line's query, too early.
_ENDS = {"query": re.compile(r"[\r\n\0]|:( |$)|^$"), "item": re.compile(r"[\r\n\0]")}


def _check_one_voter(frame, what):
    n_voters = len(frame["voter"].unique()) if "voter" in frame else 1
    if n_voters > 1:
        raise InputError(
            f"`run` must contain the lists of only one voter to be written as {what}; got {n_voters} voters. Write "
            "CSV, or a file for each voter."
        )


def trec_text(frame, tag):
    """Return a consensus as the text of a TREC run."""
    _check_one_voter(frame, "a TREC run")
    for name, ids in [("tag", [tag]), ("query", frame["query"].unique()), ("item", frame["item"].unique())]:
        unfit = find_unfit(ids)
        if unfit is not None:
            raise InputError(
                f"`run` must have text without white space as {name} of a TREC run; got {unfit!r}. Rename it, or write "
                "CSV (format='csv' or a path that ends in .csv)."
            )
    fields = frame[["query", "item", "rank", "score"]].assign(q0="Q0", tag=tag)
    return fields_text(fields[["query", "q0", "item", "rank", "score", "tag"]])


def find_unfit(ids):
    """Return the first id that cannot be written as a field of a TREC file, or None if all ids can be written."""
    return next((one for one in ids if not isinstance(one, str) or _UNFIT.search(one)), None)


def fields_text(frame):
    """Return the rows of a frame as lines of text, in which blanks separate the fields."""
    return frame.to_csv(sep=" ", header=False, index=False, quoting=csv.QUOTE_NONE, lineterminator="\n")


def csv_text(frame, separator):
    """Return a frame as the text of a table with a header.

    An error message does not name the file; the caller adds the name.
    """
    options = {"sep": separator, "index": False, "lineterminator": "\n"}
    text = frame.to_csv(**options)
    if "\r" in text:
        # Python's csv module leaves a carriage return unquoted, which would be read back as the end of the line.
        text = frame.to_csv(**options, quoting=csv.QUOTE_NONNUMERIC)
    if "\0" in text:
        raise InputError("expected text in all columns, got a NUL character")
    return text


def json_text(frame):
    """Return a consensus as JSON ``{query: {item: score}}`` with a line for each item; the order of queries is kept."""
    _check_one_voter(frame, "JSON")
    twice = frame.duplicated(["query", "item"]).to_numpy()
    if twice.any():
        row = int(twice.argmax())
        query, item = frame["query"].iloc[row], frame["item"].iloc[row]
        raise InputError(
            f"`run` must contain each item of a query only once if the format is JSON; got {item!r} twice for query "
            f"{query!r}. Drop one row, or write CSV."
        )
    run = {query: {} for query in frame["query"].unique().tolist()}
    for query, item, score in zip(
        frame["query"].tolist(), frame["item"].tolist(), frame["score"].tolist(), strict=True
    ):
        if not query or not item or "\0" in query + item:
            raise InputError(
                f"`run` must have nonempty ids without NUL characters if the format is JSON; got query {query!r}, "
                f"item {item!r}. Rename the id."
            )
        run[query][item] = score
    return json.dumps(run, ensure_ascii=False, indent=1) + "\n"


def lines_text(frame, rank_ties):
    """Return a consensus as lines of text "query: A > B = C"; the queries are in the order of their first rows."""
    _check_one_voter(frame, "text")
    for name, pattern in _ENDS.items():
        unfit = next((one for one in frame[name].unique() if pattern.search(one)), None)
        if unfit is not None:
            raise InputError(
                f"`run` must have {name} ids that can be read back from a line 'query: A > B'; got {unfit!r}. Rename "
                "this id, or write CSV."
            )
    columns = [name for name in ("query", "item", "rank", "score") if name in frame]
    texts = ranking_text(frame[columns], rank_ties=rank_ties)
    return "".join(f"{query}: {texts[query]}\n" for query in frame["query"].unique().tolist())


def not_utf8(error):
    """Return the error for a character that UTF-8 cannot encode."""
    return InputError(
        f"`run` must have ids that UTF-8 can encode; got {error.object[error.start]!r} in an id. Rename this id."
    )
