"""Recognition of the hits of search engines, vector databases and RAG frameworks by their keys or attributes.

No client library is imported. A hit is an object or a dict that a client returns; a response contains hits.

>>> from skrankagg._data._hit_forms import find_form, open_response
>>> response = {"took": 3, "hits": {"hits": [{"_id": "d1", "_score": 9.1}]}}
>>> hits = open_response(response)
>>> find_form(hits[0]).read_id(hits[0]), find_form("d1")
('d1', None)
"""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np

from .._support._values import as_float, is_real, show
from ..exceptions import InputError

#: Keys of responses that contain hits, see :func:`open_response`.
RESPONSE_KEYS = frozenset({"data", "hits", "objects", "points", "result"})
#: Keys of the metadata of a LangChain Document that contain its id, if the Document has no id of its own.
_ID_KEYS = ("id", "_id", "doc_id")


class Form(NamedTuple):
    """Form of hits: functions that recognise and read the hits of one search client.

    Parameters
    ----------
    fits : callable
        Returns True for a hit of this client.
    read_id : callable
        Returns the id of a hit, or None if the hit has no id.
    scores : tuple of (callable, bool or None)
        Kinds of scores that a hit may have, in order of preference. The callable returns the score of a hit, or None if
        the hit lacks this kind. The bool is True if lower scores are better. None means that the direction depends on
        the client's index, and is inferred from the order of the hits.
    read_fields : callable
        Returns the metadata of a hit as a mapping, or None.
    zero_is_none : bool
        If True, a kind of score is ignored if all scores of this kind are 0.
    """

    fits: Callable[[Any], bool]
    read_id: Callable[[Any], Any]
    scores: tuple[tuple[Callable[[Any], Any], bool | None], ...]
    read_fields: Callable[[Any], Any]
    zero_is_none: bool = False


def find_form(hit):
    """Return the :class:`Form` that reads a hit; None for an unknown client, and for an id, a pair or an array."""
    if isinstance(hit, str | int | float | tuple | list | np.generic | np.ndarray):
        return None
    return next((form for form in (_OF_DICTS if isinstance(hit, Mapping) else _OF_OBJECTS) if form.fits(hit)), None)


def open_response(given):
    """Return the hits in the response of a client as a list; return None for any other object."""
    if isinstance(given, Mapping):
        found = _open_dict(given)
    else:
        body = getattr(given, "body", None)
        if isinstance(body, Mapping):
            return _open_dict(body)
        found = next((getattr(given, name) for name in ("points", "objects", "hits") if hasattr(given, name)), None)
        if found is not None and not isinstance(found, list | tuple) and type(found).__name__ == "AttrList":
            return list(found)  # the list type of Elasticsearch's query language for Python
    return list(found) if isinstance(found, list | tuple) else None


def _open_dict(given):
    if "hits" in given:  # Elasticsearch and OpenSearch
        found = given["hits"]
        found = found.get("hits") if isinstance(found, Mapping) else found
    elif "points" in given:  # Qdrant
        found = given["points"]
    elif "result" in given:  # Qdrant by HTTP
        found = given["result"]
        found = found.get("points") if isinstance(found, Mapping) else found
    elif "objects" in given:  # Weaviate
        found = given["objects"]
    elif "data" in given:  # Weaviate by GraphQL
        found = given["data"]
        found = found.get("Get") if isinstance(found, Mapping) else None
        found = next(iter(found.values())) if isinstance(found, Mapping) and len(found) == 1 else None
    else:
        return None
    return list(found) if isinstance(found, list | tuple) else None


def read_scores(form, hits, caller, voter, declared=False):
    """Return the scores of the hits, and a bool that is True if lower scores are better.

    The first value is None if the hits have no scores. In this case, the second value is False.

    All hits come from the client of `form`. With `declared`, the user has stated whether lower scores are better, so
    this is not inferred from the order of the hits.
    """
    for read, lower in form.scores:
        values = [read(hit) for hit in hits]
        try:
            n_missing = values.count(None)
        except ValueError:  # raised when an array is compared with None
            place = next(place for place, one in enumerate(values, 1) if np.ndim(one))
            raise InputError(
                f"The score of every hit passed to {caller} must be a number; hit {place} of voter {show(voter)} has "
                f"{show(values[place - 1])}. Convert it with float."
            ) from None
        if n_missing == len(values) or (form.zero_is_none and not any(values)):
            continue
        if n_missing:
            raise InputError(
                f"A list of hits passed to {caller} must have scores for all hits, or for none; hit "
                f"{values.index(None) + 1} of voter {show(voter)} has none. Drop that hit, or pass a list of ids."
            )
        return values, is_low_better(values, caller, voter) if lower is None and not declared else bool(lower)
    return None, False


def is_low_better(values, caller, voter):
    """Return True if the scores rise from the first hit to the last, which means that lower scores are better.

    A database returns similarities or distances, depending on its index. The order of the hits shows the direction.
    """
    with np.errstate(invalid="ignore"):
        steps = np.diff([value if type(value) is float else as_float(value) for value in values])
    if (steps <= 0).all() or not np.isfinite(steps).all():  # values that are not finite are refused later
        return False
    if (steps >= 0).all():
        return True
    raise InputError(
        f"Hits passed to {caller} must be sorted by score, because their order shows whether higher or lower scores "
        f"are better; the hits of voter {show(voter)} are not sorted. Sort the hits, or pass dicts of id to score."
    )


def first_of_other_form(form, hits):
    """Find the first hit that `form` cannot read.

    Returns the place of the hit, counted from 1, or None if `form` can read all hits.
    """
    kind = type(hits[0])
    for place, hit in enumerate(hits, 1):
        if not (form.fits(hit) if type(hit) is kind else find_form(hit) is form):
            return place
    return None


def is_scored_hit(one):
    """Return True for a pair of a hit and its score, such as a LangChain Document and a distance."""
    return isinstance(one, tuple) and len(one) == 2 and is_real(one[1]) and find_form(one[0]) is not None


# ---------------------------------------------------------------------- the forms


def _attribute(*path):
    if len(path) == 1:
        return lambda hit, name=path[0]: getattr(hit, name, None)

    def read(hit):
        for name in path:
            hit = getattr(hit, name, None)
        return hit

    return read


def _entry(*path):
    if len(path) == 1:  # hits of this form are mappings
        return lambda hit, name=path[0]: hit.get(name)

    def read(hit):
        for name in path:
            hit = hit.get(name) if isinstance(hit, Mapping) else None
        return hit

    return read


def _number(*path):
    """Return a function that reads the score of a hit.

    If the score is text, as in Weaviate's GraphQL, the function converts it to a number.
    """
    read = _entry(*path)

    def read_number(hit):
        value = read(hit)
        try:
            return float(value) if isinstance(value, str) else value
        except ValueError:
            return value

    return read_number


def _text_of_uuid(read):
    def read_id(hit):
        found = read(hit)
        return None if found is None else str(found)

    return read_id


def _document_id(read, fields):
    def read_id(hit):
        metadata = fields(hit) or {}
        return next((one for one in (read(hit), *map(metadata.get, _ID_KEYS)) if one is not None), None)

    return read_id


def _node_id(hit):
    return next((one for one in map(hit["node"].get, ("id_", "node_id", "id")) if one is not None), None)


def _has(*names):
    return lambda hit: all(hasattr(hit, name) for name in names)


def _contains(*names):
    if len(names) == 1:
        return lambda hit, name=names[0]: name in hit
    return lambda hit: all(map(hit.__contains__, names))


def _weaviate(read, *path):
    return (
        (read(*path, "rerank_score"), False),
        (read(*path, "score"), False),
        (read(*path, "distance"), True),
        (read(*path, "certainty"), False),
    )


_OF_DICTS = (
    # Elasticsearch and OpenSearch
    Form(_contains("_id"), _entry("_id"), ((_entry("_score"), False),), _entry("_source")),
    # Weaviate by GraphQL
    Form(
        lambda hit: isinstance(hit.get("_additional"), Mapping),
        _entry("_additional", "id"),
        _weaviate(_number, "_additional"),
        lambda hit: hit,
        zero_is_none=True,
    ),
    # Weaviate
    Form(
        _contains("uuid", "metadata", "properties"),
        _text_of_uuid(_entry("uuid")),
        _weaviate(_entry, "metadata"),
        _entry("properties"),
        zero_is_none=True,
    ),
    # LlamaIndex
    Form(
        lambda hit: isinstance(hit.get("node"), Mapping),
        _node_id,
        ((_entry("score"), False),),
        _entry("node", "metadata"),
    ),
    # LangChain
    Form(_contains("page_content"), _document_id(_entry("id"), _entry("metadata")), (), _entry("metadata")),
    # Qdrant
    Form(_contains("id", "payload"), _entry("id"), ((_entry("score"), None),), _entry("payload")),
    Form(_contains("id", "score", "version"), _entry("id"), ((_entry("score"), None),), lambda hit: None),
    # Any other service whose hits have an id and a score
    Form(_contains("id", "score"), _entry("id"), ((_entry("score"), False),), lambda hit: None),
)
_OF_OBJECTS = (
    # The query language of Elasticsearch for Python, whose hits have the fields of the document as attributes
    Form(
        lambda hit: hasattr(getattr(hit, "meta", None), "id"),
        _attribute("meta", "id"),
        ((_attribute("meta", "score"), False),),
        lambda hit: None,
    ),
    # Weaviate
    Form(
        _has("uuid", "metadata", "properties"),
        _text_of_uuid(_attribute("uuid")),
        _weaviate(_attribute, "metadata"),
        _attribute("properties"),
        zero_is_none=True,
    ),
    # LlamaIndex
    Form(
        lambda hit: hasattr(getattr(hit, "node", None), "node_id"),
        _attribute("node", "node_id"),
        ((_attribute("score"), False),),
        _attribute("node", "metadata"),
    ),
    Form(_has("node_id", "metadata"), _attribute("node_id"), (), _attribute("metadata")),
    # LangChain
    Form(
        _has("page_content", "metadata"),
        _document_id(_attribute("id"), _attribute("metadata")),
        (),
        _attribute("metadata"),
    ),
    # Qdrant
    Form(_has("id", "score"), _attribute("id"), ((_attribute("score"), None),), _attribute("payload")),
    Form(_has("id", "payload"), _attribute("id"), (), _attribute("payload")),
)
