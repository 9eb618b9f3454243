"""What readers accept, whatever the format: lists or judgements, and what the columns of a header hold."""

from collections.abc import Callable
from dataclasses import dataclass

from .._data._frames import LIST_COLUMNS
from .._data._titles import canonical, query_ids
from .._support._warn import warn_user
from ..exceptions import AmbiguousInputWarning, InputError


@dataclass(frozen=True)
class Kind:
    """What a reader accepts.

    Parameters
    ----------
    name : {"lists", "qrels"}
        Under which a format says how it holds them.
    known : tuple of str
        Columns that a header may name.
    needed : str
        Those that it must name, for messages.
    suffices : callable
        Whether a set of columns is enough.
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
    """What the columns of a header hold; None if it does not name enough."""
    names = [canonical(title) for title in header]
    names = [name if name in kind.known else None for name in names]
    ids = query_ids(header)
    if ids:
        names = [None if title == "query" else name for title, name in zip(header, names, strict=True)]
    if not kind.suffices(set(names)):
        return None
    for name in kind.known:
        titles = [title for title, held in zip(header, names, strict=True) if held == name]
        if len(titles) > 1:
            raise InputError(f"expected one column for the {name}, got {' and '.join(map(repr, titles))}")
    if ids:
        warn_user(
            f"The ids of the queries are read from {ids[0]!r}, and not from 'query', which holds their text as a rule. "
            "Rename one of the two columns if it is otherwise.",
            AmbiguousInputWarning,
        )
    return tuple(names)
