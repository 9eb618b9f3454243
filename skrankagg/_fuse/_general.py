"""The general code of :func:`fuse`, for every method and every form of lists.

The function itself is in ``_front``. It merges usual lists by a kernel, and leaves all others to :func:`fuse_any`.
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
from .._kernels.plain_sums import BORDA_POINTS, COUNTED_SCORE_SUMS, RECIPROCAL_RANKS, SCORE_SUMS, sum_lists
from ..aggregators import BordaCount, CombMNZ, CombSUM, LearnedWeights, ReciprocalRankFusion
from ..base import BaseAggregator
from ..base._classes import find_method
from ..base._consensus import best_items
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


def fuse_any(lists, aggregator, plan, *, weights, top, key, explain, return_items, duplicates, strict):
    """Merge lists as :func:`fuse` does; its docstring describes the other arguments.

    `plan` is the plan of the aggregator, if the kernel may merge the queries of a batch; see :func:`read_plan`. None
    means that the kernel is not used.
    """
    check_output(top, explain, return_items, duplicates, strict)
    if isinstance(aggregator, str):
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
        return [_fuse_in_batch(one, aggregator, plan, sums, options) for one in lists]
    return _fuse_at_once(lists, aggregator, options)


def read_plan(aggregator):
    """Return the first arguments of :func:`~skrankagg._kernels.plain_sums.sum_lists`, which describe an aggregator.

    They are the kernel's method, the damping constant, the weights of the voters, and whether these weights may contain
    other voters. The result is None if the kernel does not compute what the aggregator computes.
    """
    read = _PLANS.get(type(aggregator))
    return None if read is None else read(aggregator)


def _plan_learned(method):
    """Return the plan of the method inside, with the learnt weights."""
    weights = vars(method).get("voter_weights_")
    plan = read_plan(_DEFAULT_INSIDE if method.aggregator is None else method.aggregator)
    if plan is None or plan[2] is not None or type(weights) is not pd.DataFrame:
        return None
    try:
        _read_tags(method)
    except (TypeError, ValueError):  # an invalid parameter, which the general code reports
        return None
    # The frame is read in each call, because a user may change it.
    by_voter = dict(zip(weights["voter"].tolist(), weights["weight"].tolist(), strict=True))
    return (*plan[:2], by_voter, True) if len(by_voter) == len(weights) else None


def _plan_rrf(method):
    k = method.k
    if method.depth is not None or method.normalize is not False or type(k) not in (float, int) or not 0 <= k < _MOST_K:
        return None
    return _with_weights(RECIPROCAL_RANKS, float(k), method)


def _plan_borda(method):
    return _with_weights(BORDA_POINTS, 0.0, method) if _is(method.absent, "last") else None


def _plan_sum(method):
    return _with_weights(SCORE_SUMS, 0.0, method) if _has_usual_scores(method) else None


def _plan_mnz(method):
    usual = type(method.gamma) in (float, int) and method.gamma == 1 and _has_usual_scores(method)
    return _with_weights(COUNTED_SCORE_SUMS, 0.0, method) if usual else None


def _with_weights(kernel_method, k, method):
    given = method.voter_weights
    return (kernel_method, k, given, False) if given is None or type(given) is dict else None


def _has_usual_scores(method):
    return _is(method.norm, "min-max") and _is(method.absent_score, "zero")


def _is(value, text):
    return type(value) is str and value == text


# Classes, not their subclasses, which may compute something else.
_PLANS = {
    ReciprocalRankFusion: _plan_rrf,
    BordaCount: _plan_borda,
    CombSUM: _plan_sum,
    CombMNZ: _plan_mnz,
    LearnedWeights: _plan_learned,
}
_DEFAULT_INSIDE = LearnedWeights()._base()
# With a much larger damping constant, neighbouring reciprocal ranks would differ by rounding errors only.
_MOST_K = 1e6


@lru_cache(maxsize=64)
def _named(text):
    return find_method(text, aggregators)


def _fuse_in_batch(lists, aggregator, plan, sums, options):
    """Merge one query of a batch, by the kernel if the lists are usual."""
    if plan is not None:
        found = sum_lists(lists, *plan, options.weights, options.top or 0, options.explain)
        if found is not None:
            return found
    return _fuse_one(lists, aggregator, sums, options)


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
