"""The two kinds of content that readers accept, lists and judgements, and the columns of each kind."""

from collections.abc import Callable
from dataclasses import dataclass

from .._data._frames import LIST_COLUMNS
from .._data._titles import canonical, document_numbers, query_ids, warn_of_query_texts
from ..exceptions import InputError


@dataclass(frozen=True)
class Kind:
    """Columns that a reader accepts for lists or for judgements.

    Parameters
    ----------
    name : {"lists", "qrels"}
        Name of the kind. It is also a key in the fields `holds` and `expected` of a format.
    known : tuple of str
        Columns that a header may name.
    needed : str
        Columns that a header must name, described in words for messages.
    suffices : callable
        Function that returns True if a set of columns contains all necessary columns.
    """

    name: str
    known: tuple[str, ...]
    needed: str
    suffices: Callable[[set], bool]


LISTS = Kind(
    "lists",
    LIST_COLUMNS,
    "query, item and rank or score",
    lambda names: {"query", "item"} <= names and not names.isdisjoint({"rank", "score"}),
)
QRELS = Kind(
    "qrels",
    ("query", "item", "relevance"),
    "query, item and relevance",
    lambda names: {"query", "item", "relevance"} <= names,
)


def held(kind, header):
    """Return a tuple with the canonical name of each column of a header, or None if necessary columns are missing.

    Columns that have no meaning in content of this `kind` (lists or judgements) are skipped. For them, the tuple
    contains None instead of a name.
    """
    names = [canonical(title) for title in header]
    names = [name if name in kind.known else None for name in names]
    ids = query_ids(header)
    beside = {*(["query"] if ids else []), *document_numbers(header)}
    names = [None if title in beside else name for title, name in zip(header, names, strict=True)]
    if not kind.suffices(set(names)):
        return None
    for name in kind.known:
        titles = [title for title, held in zip(header, names, strict=True) if held == name]
        if len(titles) > 1:
            raise InputError(f"expected one column for the {name}, got {' and '.join(map(repr, titles))}")
    if ids:
        warn_of_query_texts(ids[0], "The reader", header)
    return tuple(names)
