"""The function :func:`fuse`, which merges lists of one query in plain Python, for example in an online service.

This module imports neither NumPy nor scikit-learn. A kernel merges the most common forms of lists. So a program starts
fast if it only merges such lists, and passes methods by name. ``_general`` is imported if the kernel cannot merge the
lists, or if the caller passes an aggregator object.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from functools import lru_cache
from typing import Any

from .._data._duplicate_options import Duplicates
from .._kernels.plain_sums import (
    BORDA_POINTS,
    COUNTED_SCORE_SUMS,
    INVERSE_SQUARES,
    INVERSE_SUPPORT,
    IS_COMPILED,
    MIN_MAX,
    RECIPROCAL_RANKS,
    SCORE_SUMS,
    SIMPLE_POINTS,
    SUPPORT,
    details_of,
    sum_lists,
)

_RRF = (RECIPROCAL_RANKS, 60.0, None, False, None)
# The plans of some methods with default parameters, as `_plans.read_plan` returns them. Keys are names in lower
# case, without hyphens and underscores. `_general` also accepts other synonyms.
_PLANS = {
    "rrf": _RRF,
    "reciprocalrankfusion": _RRF,
    "bordacount": (BORDA_POINTS, 0.0, None, False, None),
    "simpleborda": (SIMPLE_POINTS, 0.0, None, False, details_of()),
    "combsum": (SCORE_SUMS, 0.0, None, False, None),
    "combmnz": (COUNTED_SCORE_SUMS, 0.0, None, False, None),
    "combanz": (MIN_MAX, 0.0, None, False, details_of(INVERSE_SUPPORT)),
    "inversesquarerank": (INVERSE_SQUARES, 0.0, None, False, details_of(SUPPORT)),
}
# On 24 judged collections, this value was better than the value in the paper, 60.
_DEFAULT_K = 30.0
_DEFAULT = (RECIPROCAL_RANKS, _DEFAULT_K, None, False, None)
# Larger numbers may not fit into the kernel's integers.
_MOST_TOP = 2**60
# As plain Python, the kernel is slower than the general code.
_HAS_KERNEL = IS_COMPILED


def fuse(
    lists: Sequence[Any] | Mapping[Any, Any],
    aggregator: Any = None,
    *,
    weights: Sequence[float] | Mapping[Any, float] | None = None,
    top: int | None = None,
    key: str | Callable[[Any], Hashable] | Mapping[Any, Any] | None = None,
    explain: bool = False,
    return_items: bool = False,
    duplicates: Duplicates = "error",
    strict: bool = False,
) -> list[Any]:
    """Merge the ranked lists of one query, or of each query of a batch, without a data frame.

    Parameters
    ----------
    lists : sequence of lists, or dict of name to list
        Each list contains ids, best first, or pairs (id, score); it may also be a dict of id to score. Higher scores
        are better. A list may also contain hits of a search client, or be the client's response; the notes list the
        clients. All ids must have one sortable type, such as str or int. Empty lists are ignored. None and exceptions,
        as ``asyncio.gather(..., return_exceptions=True)`` returns them, are treated as empty lists. To merge several
        queries, pass a batch, which is a list that contains the lists of each query in this form. The lists of a single
        query may also be data frames, with one frame for each list. The frames are read as in RankedLists.from_lists.
        Lists of named tuples, such as ``ScoredDoc`` of ir_measures, are read as frames.
    aggregator : aggregator or str, default=None
        An aggregator, a pipeline that ends in an aggregator, or the name of a method as on the command line, such as
        "rrf" or "CombSUM[norm=z-score]". None uses ``ReciprocalRankFusion(k=30)``. An aggregator that learns voter
        weights by ``weighting="global"`` must be fitted.
    weights : sequence of float in the order of the lists, or mapping of name to float, default=None
        Weight of each list, at least 0; None gives each list weight 1. A mapping must have a weight for each list.
        Other names in the mapping are ignored, so that a request may lack some lists.
    top : int, default=None
        Number of items to return for each query; None returns all.
    key : str, callable, or mapping of list name to str or callable, default=None
        Location of the id in a hit of a search client: a key of a dict, an attribute of an object, or a function of the
        hit. The id may also be stored under this key in the hit's metadata. The function may return (id, score). With
        None, the ids of known clients are read. A mapping may have keys for only some lists; the other lists are read
        as with None.
    explain : bool, default=False
        Whether to add each list's share of the score, for methods whose scores are sums over the lists.
    return_items : bool, default=False
        Whether to return the hits themselves instead of their ids. If several lists contain an item, the hit comes from
        the list that ranks it best. The hit of a pair (Document, score) is the Document.
    duplicates : {"error", "first", "best", "mean"}, default="error"
        How to treat an item that a list contains twice, such as several passages of one document. The options are an
        error, the item's first entry, its best entry, and the mean of its ranks or scores.
    strict : bool, default=False
        If True, lists that are None or an exception are errors. Names in `weights` and `key` that are not the name of a
        list are then also errors.

    Returns
    -------
    list of tuples
        A tuple (id, score) for each item, best first. With ``explain=True`` the tuples are (id, score, shares), where
        the shares are a list in the order of the lists, or a dict keyed by name. With ``return_items=True`` each tuple
        contains the hit instead of the id. For a batch, the result contains such a list of tuples for each query.

    Raises
    ------
    TypeError
        If the lists are of another type, or the ids cannot be sorted.
    ValueError
        If all lists are None or exceptions. If a list contains an id twice, a score is not finite, or only some lists
        have scores and the method reads scores. If a list has no weight in a mapping of weights, or a name is unknown
        with ``strict=True``. If ``explain=True`` and the method's scores are not sums over the lists.

    See Also
    --------
    RankedLists : Its constructors from_lists and from_hits accept the same lists for other tasks, such as evaluation.

    Notes
    -----
    The result has the same order, ties and scores as ``aggregator.transform(RankedLists.from_lists(lists))``. The
    result depends only on the arguments, and several threads may call the function at the same time. Voters are
    numbered from 1, or have the names of a dict; ``voter_weights`` of the aggregator refers to these names. An (id,
    score) pair of integers must be a tuple, because a list of two integers is a list of ids.

    Hits of these clients are recognised by their shape, as objects and as JSON: Elasticsearch, OpenSearch, Qdrant,
    Weaviate, LangChain and LlamaIndex. The raw responses of the first four are also recognised. Dicts with the keys
    "id" and "score" are read in the same way. If hits have scores, the scores order the list. Hits without scores are
    ranked by their order. For Weaviate, a lower distance is better. For Qdrant, and for pairs (Document, score), the
    order of the hits shows whether lower scores are better. UUIDs of Weaviate become text. Integers of NumPy and of
    Python are treated as one type.

    The default has k = 30 because it was better than 60 on 24 judged collections, with lists cut at 100. Compared with
    60, it gained .5 points of nDCG@10 on average, and lost 1.8 points on the worst collection.
    :class:`~skrankagg.aggregators.ReciprocalRankFusion` keeps k = 60 from its paper, and
    :class:`~skrankagg.aggregators.LearnedWeights` uses 20, which suits learnt weights.

    For :class:`~skrankagg.aggregators.ReciprocalRankFusion` and other sums, merging a batch takes as much time as
    merging its queries one after another. Other methods aggregate all queries of a batch at once.

    Examples
    --------
    >>> from skrankagg import CombSUM, fuse
    >>> fuse([["d1", "d2", "d3"], ["d2", "d4"]], top=2)
    [('d2', 0.0635...), ('d1', 0.0322...)]
    >>> hybrid = {"bm25": [("d1", 9.1), ("d2", 7.5), ("d3", 1.1)],
    ...           "dense": {"d2": 0.8, "d3": 0.7}}
    >>> fuse(hybrid, CombSUM(), weights={"bm25": 0.25, "dense": 0.75}, top=1, explain=True)
    [('d2', 0.95, {'bm25': 0.2, 'dense': 0.75})]

    A raw response of Elasticsearch, and points of Qdrant as JSON. The retriever "rerank" did not answer:

    >>> response = {
    ...     "hits": {
    ...         "hits": [{"_id": "d1", "_score": 9.1, "_source": {"title": "Fusion"}}]}}
    >>> points = {"points": [{"id": "d2", "payload": {}, "score": 0.8},
    ...     {"id": "d1", "payload": {}, "score": 0.7}]}
    >>> weights = {"bm25": 2, "dense": 1, "rerank": 3}
    >>> [(hit, score)] = fuse({"bm25": response, "dense": points}, "rrf", weights=weights,
    ...     top=1, return_items=True)
    >>> hit["_source"]["title"]
    'Fusion'
    """
    plan = None
    if (
        _HAS_KERNEL
        and key is None
        and return_items is False
        and strict is False
        and (explain is False or explain is True)
        and type(duplicates) is str
        and duplicates == "error"
        and (top is None or (type(top) is int and 1 <= top <= _MOST_TOP))
    ):
        if aggregator is None:
            plan = _DEFAULT
        elif type(aggregator) is str:
            plan = _plan_of_name(aggregator)
            if plan is None:
                plan = _read_plan()(_general().find_aggregator(aggregator))
        else:
            plan = _read_plan()(aggregator)
        if plan is not None:
            found = sum_lists(lists, *plan, weights, 0 if top is None else top, explain)
            if found is not None:
                return found
    return _general().fuse_any(
        lists,
        _default() if aggregator is None else aggregator,
        plan,
        weights=weights,
        top=top,
        key=key,
        explain=explain,
        return_items=return_items,
        duplicates=duplicates,
        strict=strict,
    )


def _plan_of_name(text):
    """Return the kernel arguments for a method with default parameters, given its name; return None for other texts."""
    return _PLANS.get(text.strip().replace("-", "").replace("_", "").casefold())


@lru_cache(maxsize=1)
def _default():
    return _general().aggregators.ReciprocalRankFusion(k=_DEFAULT_K)


@lru_cache(maxsize=1)
def _general():
    """Import the general code, which needs NumPy, pandas and scikit-learn."""
    from . import _general

    return _general


@lru_cache(maxsize=1)
def _read_plan():
    """Import the function that converts an aggregator to kernel arguments; it needs NumPy, pandas and scikit-learn."""
    from ._plans import read_plan

    return read_plan
