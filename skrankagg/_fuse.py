"""The function :func:`fuse`, which merges lists of one query in plain Python, for example in an online service."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from functools import lru_cache, partial
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from . import aggregators
from ._data._compared_items import all_connected
from ._data._frames_of_voters import holds_frames
from ._data._hits import refuse_other_names
from ._data._long_rows import Duplicates, named_weights
from ._data._one_query import (
    OneQuery,
    best_copies,
    check_output,
    describe_method,
    is_batch,
    read_plain,
    read_weights,
)
from ._data._peer_objects import holds_rows, plain_objects
from ._data._ranked_lists import RankedLists
from .aggregators import ReciprocalRankFusion
from .base import BaseAggregator
from .base._classes import find_method
from .base._consensus import best_items
from .exceptions import InputError, InputTypeError

__all__ = ["fuse"]


class _Options(NamedTuple):
    """The arguments of `fuse` that concern one query."""

    weights: Any
    top: int | None
    key: Any
    explain: bool
    return_items: bool
    duplicates: str
    strict: bool


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
        hit. The key may also belong to the hit's metadata. The function may return (id, score). With None, the ids of
        known clients are read. A mapping has a key for some of the lists; other lists are read as with None.
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
    >>> hybrid = {"bm25": [("d1", 9.1), ("d2", 7.5), ("d3", 1.1)], "dense": {"d2": 0.8, "d3": 0.7}}
    >>> fuse(hybrid, CombSUM(), weights={"bm25": 0.25, "dense": 0.75}, top=1, explain=True)
    [('d2', 0.95, {'bm25': 0.2, 'dense': 0.75})]

    A raw response of Elasticsearch, and points of Qdrant as JSON. The retriever "rerank" did not answer:

    >>> response = {"hits": {"hits": [{"_id": "d1", "_score": 9.1, "_source": {"title": "Fusion"}}]}}
    >>> points = {"points": [{"id": "d2", "payload": {}, "score": 0.8}, {"id": "d1", "payload": {}, "score": 0.7}]}
    >>> weights = {"bm25": 2, "dense": 1, "rerank": 3}
    >>> [(hit, score)] = fuse({"bm25": response, "dense": points}, "rrf", weights=weights, top=1, return_items=True)
    >>> hit["_source"]["title"]
    'Fusion'
    """
    check_output(top, explain, return_items, duplicates, strict)
    if aggregator is None:
        aggregator = _DEFAULT
    elif isinstance(aggregator, str):
        aggregator = _named(aggregator)
    options = _Options(weights, top, key, explain, return_items, duplicates, strict)
    if key is None and holds_rows(lists):
        lists = plain_objects(lists)
    if holds_frames(lists):
        return _fuse_frames(lists, aggregator, options)
    sums = isinstance(aggregator, BaseAggregator) and aggregator._any_numbering
    if not is_batch(lists, key):
        return _fuse_one(lists, aggregator, sums, options)
    # If a warning is possible, all queries are aggregated at once, so that the warning is given only once.
    if explain or (sums and not _warns(aggregator)):
        return [_fuse_one(one, aggregator, sums, options) for one in lists]
    return _fuse_at_once(lists, aggregator, options)


# Better than the 60 of the paper on 24 judged collections.
_DEFAULT = ReciprocalRankFusion(k=30)


@lru_cache(maxsize=64)
def _named(text):
    return find_method(text, aggregators)


def _fuse_one(lists, aggregator, sums, options):
    plain = read_plain(lists, options.key, strict=options.strict, by_rank=partial(_reads_ranks, aggregator))
    if not any(plain.ids):
        return []
    weights = None if options.weights is None else read_weights(plain, options.weights, strict=options.strict)
    if options.duplicates != "error":
        plain = plain.without_duplicates(options.duplicates)
    if options.explain:
        found = _explain(plain, OneQuery(plain, weights, sort=True), aggregator, options.top)
    else:
        found = _order(plain, weights, aggregator, sums, options.top)
    return _with_hits(plain, found) if options.return_items else found


def _reads_ranks(aggregator):
    """Return True for an aggregator that reads only ranks, and False for a pipeline, which may read scores."""
    return isinstance(aggregator, BaseAggregator) and not _read_tags(aggregator).needs_scores


def _order(plain, weights, aggregator, sums, top):
    """Return a list of (id, score) for the lists of one query, best first."""
    # A sum of rows needs no further preparation if neither the lists nor the parameters can cause a warning or an
    # error.
    if sums and not aggregator._names_voters():
        tags = _read_tags(aggregator)
        readable = tags.lenient is None and (plain.scores is not None or not tags.needs_scores)
        query = OneQuery(plain, weights, sort=False) if readable else None
        if query is not None and 2 not in query.list_length and all_connected(query, tags.compares):
            return best_items(query, query.ids, aggregator._aggregate(query), top)
    query = OneQuery(plain, weights, sort=True)
    return _pairs(_rank(aggregator, query), top)[0]


def _with_hits(plain, found):
    """Replace the id in each tuple by the hit from the list that ranks the id best."""
    hits = best_copies(plain, [one[0] for one in found])
    return [(hit, *one[1:]) for hit, one in zip(hits, found, strict=True)]


def _fuse_frames(frames, aggregator, options):
    """Merge the lists of one query; each list is given as a data frame."""
    if options.explain:
        raise InputError(
            "explain=True expects lists of ids, lists of (id, score), or dicts of id to score; got data frames. Call "
            "skrankagg.inspection.voter_contributions(aggregator, lists)."
        )
    if options.return_items:
        raise InputError(
            "return_items=True expects lists of hits; got data frames. Join the result with the frames by the ids."
        )
    weights = options.weights
    if isinstance(weights, pd.Series):
        weights = named_weights(weights)
    if isinstance(weights, Mapping) and isinstance(frames, Mapping):
        if options.strict:
            refuse_other_names("weights", weights, frames)
        weights = {name: weight for name, weight in weights.items() if name in frames}
    lists = RankedLists.from_lists(frames, weights=weights, duplicates=options.duplicates)
    if lists.n_queries > 1:
        raise InputError(
            f"fuse expects the lists of one query; got {lists.n_queries} queries. Call the aggregator's "
            "fit_transform(lists), which returns the results of all queries in one frame."
        )
    return _pairs(_rank(aggregator, lists), options.top)[0]


def _read_tags(aggregator):
    """Check the parameters of an aggregator, and return its tags.

    An aggregator whose class and parameters were checked before is not checked again.
    """
    kind = type(aggregator)
    try:
        return _checked(kind, *(getattr(aggregator, name) for name in kind._get_param_names()))
    except TypeError:  # a parameter that cannot be hashed
        return _check_and_read(aggregator)


@lru_cache(maxsize=256, typed=True)
def _checked(kind, *values):
    return _check_and_read(kind(**dict(zip(kind._get_param_names(), values, strict=True))))


def _check_and_read(aggregator):
    aggregator._validate_params()
    return aggregator.__sklearn_tags__().aggregator_tags


def _warns(aggregator):
    """Return True if an aggregator may issue a warning that concerns several queries of a batch together."""
    tags = _read_tags(aggregator)
    return tags.compares == "ignore" or tags.lenient is not None


def _rank(aggregator, lists):
    """For each query, return a pair (ids, scores) of the consensus, in which the best item comes first."""
    if isinstance(aggregator, BaseAggregator):
        ranked = aggregator._rank(aggregator._begin(lists))
        held = ranked.lists
        ids = held.items.take(held.candidate_item[ranked.order]).tolist()
        scores, ptr = ranked.score.tolist(), held.candidate_ptr
    elif hasattr(aggregator, "fit") and hasattr(aggregator, "transform") and not isinstance(aggregator, type):
        frame = aggregator.transform(lists)
        ids, scores = frame["item"].to_list(), frame["score"].to_list()
        query = frame["query"].to_numpy()
        ptr = np.concatenate([[0], np.flatnonzero(query[1:] != query[:-1]) + 1, [len(query)]])
    else:
        raise InputTypeError(
            "fuse expects an aggregator such as CombSUM(), or a pipeline that ends in one; got "
            f"{describe_method(aggregator)}."
        )
    return [(ids[start:stop], scores[start:stop]) for start, stop in pairwise(ptr)]


def _pairs(ranked, top):
    return [list(zip(ids[:top], scores[:top], strict=True)) for ids, scores in ranked]


def _explain(plain, query, aggregator, top):
    """Fuse the lists of one query as `_fuse_one` does, and add each list's share of each item's score."""
    if not isinstance(aggregator, BaseAggregator):
        raise InputError(
            f"explain=True needs an aggregator whose scores are sums over the lists; got {describe_method(aggregator)}."
        )
    lists = aggregator._begin(query)
    shares = aggregator._contributions(lists)
    ranked = aggregator._rank(lists)
    share = np.zeros((lists.n_candidates, len(plain.ids)))
    if shares.absent is not None:
        share[:, query.held] = shares.absent
    share[lists.candidate, np.array(query.held)[lists.row_list]] = shares.held
    if shares.factor is not None:
        share *= shares.factor[:, None]
    share = share[ranked.order[:top]].tolist()
    if plain.names is not None:
        share = [dict(zip(plain.names, one, strict=True)) for one in share]
    ids = [query.ids[k] for k in ranked.order[:top].tolist()]
    return list(zip(ids, ranked.score[:top].tolist(), share, strict=True))


def _fuse_at_once(batch, aggregator, options):
    """Aggregate the queries of a batch together, because a method may learn from all queries."""
    runs: dict[Any, dict[int, Any]] = {}
    weight_of = {}
    fused: list[list[Any]] = [[] for _ in batch]
    by_rank = partial(_reads_ranks, aggregator)
    read = [read_plain(one, options.key, strict=options.strict, by_rank=by_rank) for one in batch]
    for number, plain in enumerate(read):
        for name, results in plain.to_lists(pairs=options.duplicates != "error").items():
            runs.setdefault(name, {})[number] = results
        if options.weights is not None:
            names = range(1, len(plain.ids) + 1) if plain.names is None else plain.names
            weights = read_weights(plain, options.weights, strict=options.strict)
            weight_of[number] = dict(zip(names, weights, strict=True))
    if not runs:
        return fused
    lists = RankedLists.from_runs(runs, duplicates=options.duplicates)
    if options.weights is not None:
        queries, voters = lists.queries.tolist(), lists.voters.tolist()
        lists = lists.with_list_weight(
            [weight_of[queries[q]][voters[v]] for q, v in zip(lists.list_query, lists.list_voter, strict=True)]
        )
    for number, pairs in zip(lists.queries.tolist(), _pairs(_rank(aggregator, lists), options.top), strict=True):
        fused[number] = pairs
    if not options.return_items:
        return fused
    unique = read if options.duplicates == "error" else [one.without_duplicates(options.duplicates) for one in read]
    return [_with_hits(plain, found) if found else [] for plain, found in zip(unique, fused, strict=True)]
