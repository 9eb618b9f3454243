"""Repeated draws of the lists, and the scores and places of the items in each draw."""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import pandas as pd
from joblib import Parallel, delayed, effective_n_jobs
from scipy.sparse import csr_array

from .._arrays._replicate_ranks import places_of_replicates
from .._data._compared_items import component_labels
from .._data._covariates import covariate_names
from .._data._list_columns import group_names
from .._data._ranked_lists import RankedLists
from .._support._checks import check_choice, check_count, check_share
from .._support._progress import Progress
from .._support._warn import warn_user
from ..base import Consensus
from ..exceptions import FewListsWarning, InputError
from ._arguments import begin, encode_with_groups
from ._draws import UNITS, make_draws, seed_of

_PLURAL = {"list": "lists", "voter": "voters", "query": "queries"}
# Largest number of scores that are computed at one time; they take 8 MB, and sorting needs additional memory.
_CELLS = 1 << 20
#: With fewer units than this, draws contain little information.
FEW = 5


@dataclass
class Replicates:
    """Results of the replicates of consecutive queries; a replicate is the consensus of one random draw of the lists.

    `queries` contains the position of the first query and the position after the last query. The candidates of all
    these queries are numbered from 0; query k has the candidates ``ptr[k]`` to ``ptr[k + 1] - 1``. `first` and `last`,
    of shape (n_candidates, n_resamples), are the first and the last place of each item's tie class. `score_se`, of
    shape (n_candidates,), is the standard deviation of the scores. `valid`, of shape (n_queries, n_resamples), marks
    the replicates that did not fail. `moves`, of shape (n_candidates, n_resamples), contains the scores minus the
    scores of the consensus, or is None.
    """

    queries: tuple
    ptr: np.ndarray
    score_se: np.ndarray
    first: np.ndarray
    last: np.ndarray
    valid: np.ndarray
    moves: np.ndarray | None = None

    def moves_of(self, q):
        """Return the score of each item in each valid replicate of query `q`, minus its score in the consensus.

        The array has the shape (n_items, n_valid).
        """
        k = q - self.queries[0]
        own = self.moves[self.ptr[k] : self.ptr[k + 1]]
        return own if self.valid[k].all() else own[:, self.valid[k]]

    def of_queries(self):
        """For each query, yield its number, and the standard errors and places of its candidates as three arrays.

        The first array contains the standard deviation of each candidate's score over the replicates. The other two
        arrays contain the first and the last place of each candidate in each replicate; tied candidates share places.
        Only valid replicates are included.
        """
        for k, q in enumerate(range(*self.queries)):
            own, valid = slice(self.ptr[k], self.ptr[k + 1]), self.valid[k]
            first = self.first[own] if valid.all() else self.first[own][:, valid]
            same = self.last is self.first
            last = first if same else self.last[own] if valid.all() else self.last[own][:, valid]
            yield q, self.score_se[own], first, last


class _Failing(Exception):
    """Internal signal: the method failed in one of several queries that were aggregated together."""


class Resampling:
    """Repeated random draws of lists, together with the method that aggregates each draw.

    The parameters are described in :func:`~skrankagg.inspection.rank_stability`. If `keep_moves` is true, the
    replicates also contain `moves`: each score minus the score in the consensus.
    """

    def __init__(
        self,
        aggregator,
        X,
        *,
        n_resamples,
        confidence,
        unit,
        random_state,
        n_jobs,
        votes=None,
        verbose=False,
        keep_moves=False,
    ):
        given = encode_with_groups(aggregator, X, None if unit in UNITS else unit)
        lists = begin(aggregator, given, warn=False)
        check_count("n_resamples", n_resamples, least=2)
        check_share("confidence", confidence, low=False, high=False)
        if unit not in UNITS and unit not in group_names(given):
            check_choice("unit", unit, (*UNITS, *group_names(given)))
        if votes is not None and not isinstance(votes, bool):
            raise InputError(f"`votes` must be True, False or None; got {votes!r}.")
        if votes and unit != "list":
            raise InputError(
                f"`votes` must be False or None if unit={unit!r}; got True. Only unit='list' can draw the votes of a "
                "list separately."
            )
        tags = aggregator.__sklearn_tags__()
        if not tags.aggregator_tags.voter_weights:
            raise InputError(
                f"`aggregator` must accept weights of lists, because each draw changes the weights; got "
                f"{aggregator!r}. Choose another method."
            )
        if keep_moves and not tags.aggregator_tags.smooth:
            raise InputError(
                f"`adjust` must be None for {aggregator!r}, because its tag `smooth` is False. 'max-t' needs scores "
                "that change smoothly with the weights of the lists, as in BordaCount or PlackettLuce."
            )
        if tags.requires_fit and unit == "query":
            raise InputError(
                f"`unit` must be 'list' or 'voter' for {type(aggregator).__name__}, which learned a value for each "
                "voter in fit; got 'query', which replaces the voters by the lists of all queries. Change unit, or "
                "choose a method that needs no fit."
            )
        self.aggregator, self.n_resamples, self.n_jobs = aggregator, int(n_resamples), n_jobs
        self.keep_moves = keep_moves
        self.progress = Progress("replicates", verbose)
        self.draws = make_draws(given, lists, unit, self.n_resamples, abs(int(seed_of(random_state))), votes)
        self.lists = _pool(lists) if unit == "query" else lists
        aggregator._warn_of_lists(self.lists)
        #: Component of each candidate, of shape (n_candidates,); all components are 1 if the method compares no items.
        self.component = component_labels(self.lists, tags.aggregator_tags.compares)
        n_units = self.draws.n_units_by_query
        few = int((n_units < FEW).sum())
        if few:
            warn_user(
                (
                    "The lists have"
                    if unit == "query"
                    else f"{few} of {len(n_units)} {'query has' if len(n_units) == 1 else 'queries have'}"
                )
                + f" fewer than {FEW} {_PLURAL.get(unit, f'groups of {unit!r}')} to draw from. That is too few to "
                "show how certain a consensus is.",
                FewListsWarning,
            )

    def aggregate(self):
        """Return the encoded consensus of all lists, and the scale of the scores of each query.

        The scale is the largest size of the terms that are summed to the scores of the query. It is None if the terms
        of a sum cannot cancel each other.
        """
        lists = self.lists
        result = self.aggregator._aggregate_what_fits(lists) if self.aggregator._repeats_columns else None
        scale = result.scale if isinstance(result, Consensus) else None
        if scale is not None:
            scale = np.maximum.reduceat(scale, lists.candidate_ptr[:-1])
        return self.aggregator._rank(lists), scale

    def replicates(self, ranked, scale):
        """Yield the :class:`Replicates` of all queries, one block of queries at a time.

        The arguments `ranked` and `scale` are the two values that `aggregate` returns.
        """
        lists = self.lists
        centre = np.empty(lists.n_candidates)
        centre[ranked.order] = ranked.score
        size = lists.query_n_items * self.n_resamples
        cells, large = np.cumsum(size) // _CELLS, size > _CELLS
        # A large query gets its own block, so that its draws are split in the same way as when it is alone.
        starts = np.flatnonzero((np.diff(cells, prepend=-1) != 0) | large | np.append(False, large[:-1]))
        if self.aggregator._joins_queries:
            starts = starts[:1]
        try:
            for start, stop in zip(starts, [*starts[1:], lists.n_queries], strict=True):
                yield from self._blocks(int(start), int(stop), centre, scale)
                self.progress.show(f"query {stop} of {lists.n_queries}")
        finally:
            self.progress.close()

    def _blocks(self, start, stop, centre, scale):
        """Yield the replicates of queries `start` to `stop` - 1 as one :class:`Replicates` object.

        If the method fails in one of these queries, yield an object for each query instead. `centre` contains the score
        of each candidate in the consensus of all lists.
        """
        lists = self.lists
        block = lists if stop - start == lists.n_queries else lists.take(np.arange(start, stop))
        own = centre[lists.candidate_ptr[start] : lists.candidate_ptr[stop]]
        try:
            yield self._block((start, stop), block, own, None if scale is None else scale[start:stop])
        except _Failing:
            # If one query fails in a draw, the draw is still valid for the other queries.
            for q in range(start, stop):
                yield from self._blocks(q, q + 1, centre, scale)

    def _block(self, queries, block, centre, scale):
        weights = self.draws.weights(*queries)
        heads, query = block.candidate_ptr[:-1], block.candidate_query
        dtype = np.int16 if block.query_n_items.max() < 2**15 else np.int32
        first = np.empty((block.n_candidates, self.n_resamples), dtype=dtype)
        failure, last, valid = None, None, np.empty((block.n_queries, self.n_resamples), dtype=bool)
        total, squares = np.zeros(block.n_candidates), np.zeros(block.n_candidates)
        moves = np.empty(first.shape) if self.keep_moves else None
        scores = self.aggregator._repeat_many(block)
        each = np.arange(block.n_lists)
        of_query = csr_array((np.ones(block.n_lists), (block.list_query, each)), shape=(block.n_queries, block.n_lists))
        # A block that cannot be divided may have too many items to compute all replicates at once.
        is_whole = block.n_queries == 1 or self.aggregator._joins_queries
        some = max(1, _CELLS // block.n_candidates) if is_whole else self.n_resamples
        for k in range(0, self.n_resamples, some):
            part = slice(k, k + some)
            drawn = weights.of_draws(part)
            score, error = self._scores(block, scores, drawn)
            if error is not None:
                if not is_whole:
                    raise _Failing
                failure = error
            high, low = places_of_replicates(block.candidate_ptr, score, scale)
            first[:, part] = high
            if low is not high and last is None:
                last = first.copy()
            if last is not None:
                last[:, part] = low
            silent = drawn.sums(of_query) == 0
            valid[:, part] = ~(silent | np.logical_or.reduceat(np.isnan(score), heads, axis=0))
            with np.errstate(invalid="ignore"):
                score -= centre[:, None]
                if not valid[:, part].all():
                    score[~valid[query, part]] = 0.0
                total += score.sum(axis=1)
                squares += np.einsum("ij,ij->i", score, score)
            if moves is not None:
                moves[:, part] = score
        n_valid = valid.sum(axis=1)
        if not n_valid.any() and failure is not None:
            raise failure
        n = n_valid[query]
        with np.errstate(invalid="ignore", divide="ignore"):
            score_se = np.sqrt(np.maximum(squares - total**2 / n, 0.0) / (n - 1))
        last = first if last is None else last
        return Replicates(queries, block.candidate_ptr, score_se, first, last, valid, moves)

    def _scores(self, block, scores, weights):
        """Return the scores in each replicate as an array of shape (n_candidates, n_replicates), and the first error.

        The scores of a failed replicate are NaN. The error is None if no replicate failed.
        """
        if self.n_jobs is None or effective_n_jobs(self.n_jobs) == 1:
            found = [_try(scores, weights, block.n_candidates)]
        else:
            n = weights.shape[1]
            ends = np.linspace(0, n, min(effective_n_jobs(self.n_jobs), n) + 1).astype(np.int64)
            parts = [weights.of_draws(slice(*part)) for part in pairwise(ends.tolist())]
            found = Parallel(n_jobs=self.n_jobs)(delayed(_try_again)(self.aggregator, block, part) for part in parts)
        error = next((error for _, error in found if error is not None), None)
        return np.concatenate([score for score, _ in found], axis=1) if len(found) > 1 else found[0][0], error


def _try_again(aggregator, lists, weights):
    return _try(aggregator._repeat_many(lists), weights, lists.n_candidates)


def _try(scores, weights, n_candidates):
    try:
        return (scores.of_draws(weights) if hasattr(scores, "of_draws") else scores(weights.dense())), None
    except (ArithmeticError, ValueError, np.linalg.LinAlgError) as error:
        if isinstance(error, MemoryError):
            raise
        n = weights.shape[1]
        if n == 1:
            return np.full((n_candidates, 1), np.nan), error
        parts = (weights.of_draws(slice(n // 2)), weights.of_draws(slice(n // 2, None)))
        halves = [_try(scores, part, n_candidates) for part in parts]
        return np.concatenate([half for half, _ in halves], axis=1), halves[0][1] or halves[1][1]


def _pool(lists):
    """Pool all lists into one query with the id ``all``."""
    frame = lists.to_frame()
    frame["weight"] = lists.list_weight[lists.row_list]
    voter = pd.factorize(pd.MultiIndex.from_arrays([frame["query"], frame["voter"]]))[0]
    if lists.list_duel is not None:  # comparisons of different queries have different numbers
        number = pd.factorize(pd.MultiIndex.from_arrays([frame["query"], frame["duel"]]))[0] + 1
        frame["duel"] = np.where(frame["duel"] > 0, number, frame["duel"])
    return RankedLists.from_frame(
        frame.assign(query="all", voter=voter), groups=group_names(lists), covariates=covariate_names(lists) or None
    )


def quantile_of_draws(values, share):
    """For each row of `values`, return the smallest x for which the fraction of values <= x is at least `share`."""
    # Round first, because the product may be slightly too large, such as (1 - 0.95) / 2 * 1000 instead of 25.
    at = max(int(np.ceil(round(share * values.shape[1], 9))), 1) - 1
    return np.partition(values, at, axis=1)[:, at]
