"""Names of columns: the canonical names, and the names that other programs use for the same columns."""

import re

from .._support._warn import warn_user
from ..exceptions import AmbiguousInputWarning

# Accepted titles of each canonical name, in the order of messages. Upper case, blanks, dots, hyphens and underscores in
# titles are ignored.
_TITLES = {
    "query": ("query", "qid", "query_id", "q", "topic", "topic_id"),
    "voter": ("voter", "voter_id", "system", "run", "run_id", "ranker", "tag"),
    "item": ("item", "item_id", "docno", "doc_id", "doc", "document", "document_id"),
    "rank": ("rank", "position"),
    "score": ("score", "sim"),
    "weight": ("weight",),
    "duel": ("duel",),
    "winner": ("winner",),
    "loser": ("loser",),
    "tie": ("tie",),
    "relevance": ("relevance", "rel", "label", "grade"),
}

# A column with one of these names contains the ids of queries. A column `query` beside it contains the texts of the
# queries.
_QUERY_IDS = {"qid", "queryid"}


def _plain(title):
    return re.sub(r"[\s._-]", "", title).casefold()


_CANONICAL = {_plain(title): name for name, titles in _TITLES.items() for title in titles}


def canonical(title):
    """Return the canonical name of a column with this title, or None if the title is unknown.

    >>> from skrankagg._data._titles import canonical
    >>> canonical("Query ID"), canonical("DocNo"), canonical("year")
    ('query', 'item', None)
    """
    return _CANONICAL.get(_plain(title))


def other_titles(name):
    """Return the alternative titles of a canonical name, for an error message; return an empty tuple for other names.

    >>> from skrankagg._data._titles import other_titles
    >>> other_titles("relevance")
    ('rel', 'label', 'grade')
    """
    return _TITLES.get(name, (name,))[1:]


def query_ids(titles):
    """Return the titles of columns with query ids, such as "qid"; return [] if there is no column "query".

    If a frame has both kinds of columns, the column "query" usually contains the texts of the queries.

    >>> from skrankagg._data._titles import query_ids
    >>> query_ids(["qid", "query", "docno"]), query_ids(["qid", "docno"])
    (['qid'], [])
    """
    return [title for title in titles if _plain(title) in _QUERY_IDS] if "query" in titles else []


def document_numbers(titles):
    """Return ["docid"] for a frame of PyTerrier, where this column contains numbers instead of ids; else return [].

    >>> from skrankagg._data._titles import document_numbers
    >>> document_numbers(["qid", "docid", "docno", "rank"]), document_numbers(["qid", "docid", "rank"])
    (['docid'], [])
    """
    return ["docid"] if {"qid", "docno", "docid"} <= set(titles) else []


def warn_of_query_texts(title, reader, titles):
    """Warn that query ids are read from the column `title`, although there is a column `query`.

    There is no warning for the columns of PyTerrier, whose column `query` always contains text.
    """
    if {"qid", "query", "docno"} <= set(titles):
        return
    warn_user(
        f"{reader} reads the ids of the queries from {title!r} instead of 'query'. A column 'query' usually "
        "contains the text of the queries. Drop one of the two columns.",
        AmbiguousInputWarning,
    )
