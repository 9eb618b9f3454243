"""The general code of :func:`fuse`, for every method and every form of lists.

The function itself is in ``_front``. It merges the most common forms of lists by a kernel, and passes other lists to
:func:`fuse_any`.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache, partial
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from .. import aggregators
from .._data._compared_items import all_connected
from .._data._frames_of_voters import holds_frames
from .._data._hits import refuse_other_names
from .._data._long_rows import named_weights
from .._data._one_query import (
    OneQuery,
    best_copies,
    check_output,
    describe_method,
    is_batch,
    read_plain,
    read_weights,
)
from .._data._peer_objects import holds_rows, plain_objects
from .._data._ranked_lists import RankedLists
from .._kernels.plain_sums import sum_lists
from ..base import BaseAggregator
from ..base._classes import find_method
from ..base._consensus import best_items
from ..base._tags import checked_tags
from ..exceptions import InputError, InputTypeError


class _Options(NamedTuple):
    """The arguments of `fuse` that concern one query."""

    weights: Any
    top: int | None
    key: Any
    explain: bool
    return_items: bool
    duplicates: str
    strict: bool


def fuse_any(
    lists,
    aggregator,
    plan,
    *,
    weights,
    top,
    key,
    explain,
    return_items,
    duplicates,
    strict,
):
    """Merge lists as :func:`fuse` does.

    `plan` contains the kernel arguments for the aggregator, as `read_plan` in `_plans` returns them. The kernel merges
    queries of a batch with this plan. None means that the kernel is not used. The other arguments are the arguments of
    :func:`fuse`.
    """
    check_output(top, explain, return_items, duplicates, strict)
    if isinstance(aggregator, str):
        aggregator = find_aggregator(aggregator)
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
        return [_fuse_in_batch(one, aggregator, plan, sums, options) for one in lists]
    return _fuse_at_once(lists, aggregator, options)


@lru_cache(maxsize=64)
def find_aggregator(text):
    """Return the aggregator that a text such as "CombSUM[norm=rank]" describes."""
    return find_method(text, aggregators)[1]


def _fuse_in_batch(lists, aggregator, plan, sums, options):
    """Merge one query of a batch: by the kernel if it can read the lists, otherwise by the general code."""
    if plan is not None:
        found = sum_lists(lists, *plan, options.weights, options.top or 0, options.explain)
        if found is not None:
            return found
    return _fuse_one(lists, aggregator, sums, options)


def _fuse_one(lists, aggregator, sums, options):
    plain = read_plain(
        lists,
        options.key,
        strict=options.strict,
        by_rank=partial(_reads_ranks, aggregator),
    )
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
    """Return True if an aggregator reads only ranks; return False for a pipeline, because it may read scores."""
    return isinstance(aggregator, BaseAggregator) and not checked_tags(aggregator).needs_scores


def _order(plain, weights, aggregator, sums, top):
    """Merge the lists of one query; return a list of (id, score), best first."""
    # A sum of rows needs no further preparation if neither the lists nor the parameters can cause a warning or an
    # error.
    if sums and not aggregator._names_voters():
        tags = checked_tags(aggregator)
        readable = tags.lenient is None and (plain.scores is not None or not tags.needs_scores)
        query = OneQuery(plain, weights, sort=False) if readable else None
        if query is not None and 2 not in query.list_length and all_connected(query, tags.compares):
            return best_items(query, query.ids, aggregator._aggregate(query), top)
    query = OneQuery(plain, weights, sort=True)
    return _pairs(_rank(aggregator, query), top)[0]


def _with_hits(plain, found):
    """Replace the id in each tuple of `found` by the hit, which is the user's object with this id.

    If several lists contain the id, the hit is taken from the list that ranks the id best.
    """
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


def _warns(aggregator):
    """Return True if an aggregator may issue a single warning about several queries of a batch."""
    tags = checked_tags(aggregator)
    return tags.compares == "ignore" or tags.lenient is not None


def _rank(aggregator, lists):
    """Aggregate the lists of all queries; return a pair (ids, scores) for each query, best item first."""
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
    """Fuse the lists of one query as `_fuse_one` does, and add how much each list contributes to each score.

    Returns a list of tuples (id, score, contributions), best first.
    """
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
    for number, pairs in zip(
        lists.queries.tolist(),
        _pairs(_rank(aggregator, lists), options.top),
        strict=True,
    ):
        fused[number] = pairs
    if not options.return_items:
        return fused
    unique = read if options.duplicates == "error" else [one.without_duplicates(options.duplicates) for one in read]
    return [_with_hits(plain, found) if found else [] for plain, found in zip(unique, fused, strict=True)]
