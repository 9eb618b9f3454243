"""Agreement of every two voters, of every two methods, and of the voters with a consensus.

A matrix product counts pairs of items for all pairs of lists at once. To limit the memory, the item pairs are divided
into strips, and the counts of all strips are added up.
"""

import inspect
from collections.abc import Mapping
from typing import Any, Protocol

import numpy as np
import pandas as pd
from scipy.spatial.distance import cdist

from ..._data._frames import canonical_frame, plain_index
from ..._data._peer_objects import plain_objects
from ..._data._ranked_lists import RankedLists, check_lists, check_run, encode_plain
from ..._data._types import AnyLists, PlainLists
from ..._support._checks import check_share
from ..._support._memory import check_memory
from ..._support._suggestions import did_you_mean
from ..._support._threads import one_blas_thread
from ...exceptions import InputError, InputTypeError
from . import _correlations, _overlap
from . import _kendall as _agreement
from ._kendall import FROM_COUNTS, ratio_or_nan

__all__ = ["agreement_matrix", "agreement_names", "concordance", "consensus_agreement"]

# Number of elements of a strip, which is a matrix with a row for each list and a column for each pair of items.
_STRIP_CELLS = 1 << 20


def _tau(variant):
    def from_counts(counts):
        return FROM_COUNTS[variant](*counts)

    return from_counts


#: Measures computed from counts of the pairs that both lists contain.
_COUNTED = {f"tau-{variant}": _tau(variant) for variant in "abx"} | {"gamma": _tau("gamma")}

#: Measures of two vectors of ranks.
_PAIRWISE = {
    "kendall-distance": _agreement.top_distance,
    "footrule": _agreement.rank_footrule,
    "spearman": _correlations.rank_rho,
    "weighted-tau": _correlations.rank_weighted_tau,
    "tau-ap": _correlations.rank_tau_ap,
    "overlap": _overlap.rank_overlap,
    "average-overlap": _overlap.rank_average_overlap,
    "rbo": _overlap.rank_rbo,
}


def _full_rho(ranks):
    centred = ranks - (ranks.shape[1] + 1) / 2
    size = np.sqrt((centred**2).sum(axis=1))
    return ratio_or_nan(centred @ centred.T, np.outer(size, size))


#: Faster functions for lists that contain the same items; they compare all lists at once.
_FULL = {"spearman": _full_rho, "footrule": lambda ranks: cdist(ranks, ranks, "cityblock")}


class HasRuns(Protocol):
    """Protocol of an object with a dict of runs, keyed by name; a fitted Comparator is such an object."""

    runs_: Mapping[str, pd.DataFrame]


def agreement_names() -> list[str]:
    """Return the names of the agreement measures that agreement_matrix can compute.

    Returns
    -------
    list of str
        Names in alphabetical order.

    See Also
    --------
    agreement_matrix : Computes one of these measures for every two voters.
    measure_names : Names of the measures that need judgements.

    Examples
    --------
    >>> from skrankagg.metrics import agreement_names
    >>> agreement_names()
    ['average-overlap', 'footrule', 'gamma', 'kendall-distance', 'overlap', 'rbo', 'spearman', 'tau-a', 'tau-ap',
     'tau-b', 'tau-x', 'weighted-tau']
    """
    return sorted([*_COUNTED, *_PAIRWISE])


def agreement_matrix(
    lists: PlainLists | HasRuns,
    metric: str = "tau-b",
    *,
    per_query: bool = False,
    **options: Any,
) -> pd.DataFrame:
    """Compute the agreement of every two voters, or of every two methods.

    Parameters
    ----------
    lists : DataFrame or RankedLists, dict of str to DataFrame, list of lists or DataFrames, or fitted Comparator
        Ranked lists of several voters, or a dict of runs, keyed by name. For a fitted Comparator, the runs of its
        methods are compared with each other.
    metric : str, default="tau-b"
        Name of a measure, see :func:`agreement_names`.
    per_query : bool, default=False
        Whether to return a matrix for each query instead of the mean over the queries.
    **options
        Options of the measure. "overlap" and "average-overlap" accept `k`, "kendall-distance" accepts `penalty` and
        `normalize`, "footrule" accepts `location` and `normalize`, and "rbo" accepts `persistence` and `score`.
        "overlap", "average-overlap" and "rbo" also accept `ties`.

    Returns
    -------
    DataFrame of shape (n_voters, n_voters)
        The cell in row i and column j contains the agreement of voter i with voter j. The agreement is averaged over
        the queries for which both voters have a list and the measure is defined. The cell is NaN if there is no such
        query. The matrix is symmetric except for "tau-ap". With ``per_query=True`` the query is the first level of the
        index.

    See Also
    --------
    consensus_agreement : Agreement of every voter with one consensus.
    concordance : One number for all voters of a query.

    Notes
    -----
    The correlations compare the items that both lists contain. For m lists of n items, Kendall's correlations and
    "kendall-distance" take O(m^2 n^2) time, most of it in matrix products.

    Examples
    --------
    >>> import pandas as pd
    >>> from skrankagg.metrics import agreement_matrix
    >>> lists = pd.DataFrame({
    ...     "query": "q", "voter": list("uuuvvvwww"), "item": list("abcacbcba"),
    ...     "rank": [1, 2, 3] * 3
    ... })
    >>> agreement_matrix(lists, "tau-b").round(2)
    voter     u     v     w
    voter
    u      1.00  0.33 -1.00
    v      0.33  1.00 -0.33
    w     -1.00 -0.33  1.00
    """
    compute = _find(metric, options)
    lists, names = _named_lists(lists)
    index = names.rename("voter")
    check_memory(
        _bytes_needed(metric, lists, len(names)),
        lambda: (
            "agreement_matrix()",
            f"{len(names)} voters and {lists.n_queries} {'query' if lists.n_queries == 1 else 'queries'}",
            "take fewer voters or fewer queries at a time",
        ),
    )
    tables = []
    for q in range(lists.n_queries):
        voters, ranks = _query_ranks(lists, q)
        table = np.full((len(names), len(names)), np.nan)
        table[np.ix_(voters, voters)] = compute(ranks)
        tables.append(table)
    if per_query:
        rows = pd.MultiIndex.from_product([plain_index(lists.queries), index], names=["query", "voter"])
        return pd.DataFrame(np.concatenate(tables), index=rows, columns=index)
    tables = np.array(tables)
    return pd.DataFrame(
        ratio_or_nan(np.nansum(tables, axis=0), (~np.isnan(tables)).sum(axis=0)), index=index, columns=index
    )


def consensus_agreement(lists: PlainLists, consensus: AnyLists, metric: str = "tau-b", **options: Any) -> pd.Series:
    """Compute the agreement of every voter with a consensus.

    Parameters
    ----------
    lists : DataFrame or RankedLists, or dict or list of lists
        Ranked lists; see RankedLists.from_runs for a dict and RankedLists.from_lists for a list.
    consensus : DataFrame or RankedLists
        One list for each query.
    metric : str, default="tau-b"
        Name of a measure, see :func:`agreement_names`.
    **options
        Options of the measure, as in :func:`agreement_matrix`.

    Returns
    -------
    Series of shape (n_voters,)
        Mean agreement over the queries for which both the voter and the consensus have a list. Items with equal scores
        in the consensus are tied. If the scores of the consensus contradict its ranks, the ranks are used instead.

    See Also
    --------
    consensus_score : Computes a single number from the distances between the consensus and its lists.

    Examples
    --------
    >>> import pandas as pd
    >>> from skrankagg.metrics import consensus_agreement
    >>> lists = pd.DataFrame({"query": "q", "voter": list("uuvv"), "item": list("abba"),
    ...     "rank": [1, 2] * 2})
    >>> consensus_agreement(lists, lists[:2])
    voter
    u    1.0
    v   -1.0
    Name: tau-b, dtype: float64
    """
    compute = _find(metric, options)
    lists, run = check_lists(encode_plain(lists)), check_run(tied_by_score(consensus))
    item = plain_index(run.items).get_indexer(plain_index(lists.items))
    place = plain_index(run.queries).get_indexer(plain_index(lists.queries))
    total, count = np.zeros(lists.n_voters), np.zeros(lists.n_voters)
    for q in np.flatnonzero(place >= 0):
        voters, ranks = _query_ranks(lists, q)
        ranked = np.full(run.n_items + lists.n_items, np.nan)
        rows = slice(run.row_ptr[place[q]], run.row_ptr[place[q] + 1])
        ranked[run.candidate_item[run.candidate[rows]]] = run.rank[rows]
        # The columns are the items of the consensus, followed by the items that only the lists contain.
        here = lists.candidate_item[lists.candidate_ptr[q] : lists.candidate_ptr[q + 1]]
        column = np.where(item[here] < 0, run.n_items + here, item[here])
        table = np.full((len(voters) + 1, len(ranked)), np.nan)
        table[:-1, column] = ranks
        table[-1] = ranked
        table = table[:, ~np.isnan(table).all(axis=0)]
        for k, voter in enumerate(voters):
            value = compute(table[[k, -1]])[0, 1]
            if not np.isnan(value):
                total[voter] += value
                count[voter] += 1
    return pd.Series(ratio_or_nan(total, count), index=plain_index(lists.voters).rename("voter"), name=metric)


def concordance(lists: PlainLists) -> pd.Series:
    """Compute Kendall's coefficient of concordance of the voters of each query.

    Parameters
    ----------
    lists : DataFrame or RankedLists, or dict or list of lists
        Ranked lists; see RankedLists.from_runs for a dict and RankedLists.from_lists for a list.

    Returns
    -------
    Series of shape (n_queries,)
        One value for each query, computed over the items that all lists of the query contain. The value is NaN if there
        are fewer than two lists or fewer than two such items.

    See Also
    --------
    kendall_w : Kendall's coefficient for rankings that are given as lists or mappings.

    Examples
    --------
    >>> import pandas as pd
    >>> from skrankagg.metrics import concordance
    >>> lists = pd.DataFrame({"query": "q", "voter": list("uuvv"), "item": list("abab"),
    ...     "rank": [1, 2] * 2})
    >>> concordance(lists)
    query
    q    1.0
    Name: kendall_w, dtype: float64
    """
    lists = check_lists(encode_plain(lists))
    values = []
    for q in range(lists.n_queries):
        _, ranks = _query_ranks(lists, q)
        values.append(_correlations.rank_w(ranks) if len(ranks) > 1 else np.nan)
    return pd.Series(values, index=plain_index(lists.queries).rename("query"), name="kendall_w")


def tied_by_score(run):
    """Convert a consensus to a form in which items of equal score are tied.

    A consensus gives tied items different ranks, so only its scores show the ties. If the consensus has scores, its
    ranks are therefore removed. If the scores of a query contradict the ranks, the negated ranks replace the scores.
    """
    run = canonical_frame(run)
    if not isinstance(run, pd.DataFrame) or "score" not in run or "rank" not in run:
        return run
    lists = check_lists(run)  # warns of contradictions
    if lists.list_conflict is not None:
        by_rank = run["query"].isin(lists.queries[lists.list_query[lists.list_conflict]])
        # A column that also contains ranks is of float64, to which distinct large integers may round. So the scores
        # are replaced by their positions in the order of all scores.
        place = pd.Series(pd.factorize(run["score"], sort=True)[0], index=run.index)
        run = run.assign(score=place.where(~by_rank, -run["rank"].astype(float)))
    return run.drop(columns="rank")


@one_blas_thread
def pair_counts_of_all(ranks):
    """Count pairs of items for every two lists: discordant pairs, untied pairs and all pairs.

    `ranks` has the shape (n_lists, n_items), and NaN marks absent items. Only items that both lists contain are
    counted. The function returns five arrays of shape (n_lists, n_lists). The arrays count discordant pairs, pairs
    untied in both lists, pairs untied in the first list, pairs untied in the second list, and all pairs.
    """
    held = ~np.isnan(ranks)
    m, n = ranks.shape
    n_common = held.astype(np.float64) @ held.T.astype(np.float64)
    pairs = n_common * (n_common - 1) / 2
    whole = bool(held.all())
    # Dense ranks are integers without gaps. They keep the order of the ranks and need fewer bytes.
    dense = np.full((m, n), -1, dtype=np.int32)
    for row, rank, here in zip(dense, ranks, held, strict=True):
        row[here] = np.unique(rank[here], return_inverse=True)[1]
    tied = any(dense[k][held[k]].max(initial=-1) + 1 < held[k].sum() for k in range(m))
    product, both, ordered = np.zeros((m, m)), np.zeros((m, m)), np.zeros((m, m))
    for sign, candidate_held in _pair_strips(dense, None if whole else held):
        product += sign @ sign.T  # whole numbers far below 2 ** 24: exact
        if tied or not whole:
            size = np.abs(sign)
            both += size @ size.T
            ordered += size.sum(axis=1)[:, None] if whole else size @ candidate_held.T
    if not tied and whole:
        both, ordered = pairs, pairs
    return (both - product) / 2, both, ordered, ordered.T, pairs


def _pair_strips(dense, held):
    """Compare the items of all pairs in every list, and yield the results for one strip of pairs at a time.

    All pairs of items are divided into strips. The result of a strip is a tuple of signs and a mask, both of shape
    (n_lists, n_pairs). A sign is 1 if a list ranks the first item of a pair higher, -1 if it ranks the second item
    higher, and 0 otherwise. The mask is 1 if a list contains both items of a pair. `held` is a mask of the items that
    each list contains. If all lists contain all items, `held` and the mask of a strip are None.
    """
    m, n = dense.shape
    dense = dense.astype(np.int16 if n < 2**15 else np.int32, copy=False)
    width = min(max(n, _STRIP_CELLS // m), n * (n - 1) // 2)
    sign = np.empty((m, width), dtype=np.float32)
    both = None if held is None else np.empty((m, width), dtype=np.float32)
    filled = 0
    for i in range(n - 1):
        if filled + n - 1 - i > width:
            yield sign[:, :filled], None if both is None else both[:, :filled]
            filled = 0
        cells = slice(filled, filled + n - 1 - i)
        left, right = dense[:, i : i + 1], dense[:, i + 1 :]
        np.subtract((left < right).view(np.int8), (left > right).view(np.int8), out=sign[:, cells])
        if held is not None:
            np.logical_and(held[:, i : i + 1], held[:, i + 1 :], out=both[:, cells])
            sign[:, cells] *= both[:, cells]
        filled = cells.stop
    if filled:
        yield sign[:, :filled], None if both is None else both[:, :filled]


def _top_distances(ranks, *, penalty=0.5, normalize=False):
    """Compute Kendall's distance K^(p) of every two lists.

    In each of the two lists, items that only the other list contains are tied at the end. Items absent from both lists
    are not compared.
    """
    check_share("penalty", penalty)
    held = (~np.isnan(ranks)).astype(np.float64)
    discordant, both, first, second, _ = pair_counts_of_all(np.where(np.isnan(ranks), np.inf, ranks))
    n_common = held @ held.T
    n_held = held.sum(axis=1)
    alone = n_held[:, None] - n_common  # number of items that only the first list contains
    n_union = n_held[:, None] + alone.T
    neither = ranks.shape[1] - n_union
    # Leave out each pair with one item that only one list contains and one item that is absent from both lists. The
    # other list ties such a pair.
    once = (first - both - alone * neither) + (second - both - alone.T * neither)
    distance = discordant + penalty * once
    return ratio_or_nan(distance, n_union * (n_union - 1) / 2) if normalize else distance


def _find(measure, options):
    """Return a function that computes the agreement of every two rows of a matrix of ranks.

    `measure` is the name of a measure of agreement, and `options` contains its options.
    """
    if measure == "kendall-distance":
        _check_options(measure, _top_distances, options)
        return lambda ranks: _top_distances(ranks, **options)
    if measure in _COUNTED:
        if options:
            raise InputTypeError(f"{measure!r} has no options; got {', '.join(options)}. Leave out the options.")
        return lambda ranks: _COUNTED[measure](pair_counts_of_all(ranks))
    if measure not in _PAIRWISE:
        raise InputError(
            f"{measure!r} is not a measure of agreement{did_you_mean(measure, agreement_names())}; choose from "
            f"{', '.join(agreement_names())}."
        )
    function = _PAIRWISE[measure]
    _check_options(measure, function, options)

    def compute(ranks):
        if measure in _FULL and not options and not np.isnan(ranks).any() and ranks.shape[1] > 1:
            return _FULL[measure](ranks)
        m = len(ranks)
        table = np.empty((m, m))
        for i in range(m):
            for j in range(m) if measure == "tau-ap" else range(i, m):
                # The functions leave out items that are absent from both lists.
                table[i, j] = function(ranks[i], ranks[j], **options)
                if measure != "tau-ap":
                    table[j, i] = table[i, j]
        return table

    return compute


def _bytes_needed(measure, lists, n_voters):
    """Estimate the peak memory of an agreement matrix in bytes.

    The estimate adds the memory for the results of all queries and the memory for the work on the largest query. The
    numbers of bytes in the formula were measured.
    """
    counted = measure in _COUNTED or measure == "kendall-distance"
    for_two_lists = 100.0 if measure == "kendall-distance" else 70.0 if counted else 30.0
    for_a_cell = 80.0 if counted else 26.0
    m = np.diff(lists.list_ptr).astype(np.float64)
    return 18.0 * lists.n_queries * n_voters**2 + float(
        (for_two_lists * m**2 + for_a_cell * m * lists.query_n_items).max(initial=0.0)
    )


def _check_options(measure, function, options):
    parameters = list(inspect.signature(function).parameters.values())
    known = {
        parameter.name: parameter for parameter in parameters if parameter.name not in {"first", "second", "ranks"}
    }
    unknown = [option for option in options if option not in known]
    if unknown:
        raise InputTypeError(
            f"The options of {measure!r} must be among {', '.join(known)}; got {', '.join(unknown)}. Leave out "
            "the unknown options."
            if known
            else f"{measure!r} has no options; got {', '.join(unknown)}. Leave out the options."
        )
    needed = [name for name, parameter in known.items() if parameter.default is parameter.empty and name not in options]
    if needed:
        raise InputTypeError(
            f"{measure!r} needs {', '.join(needed)}; call for example agreement_matrix(lists, {measure!r}, k=10)."
        )


def _query_ranks(lists, q):
    """Return the voters of a query, and the ranks of its items as a matrix with a row for each voter's list.

    NaN marks items that are absent from a list.
    """
    first, last = lists.list_ptr[q], lists.list_ptr[q + 1]
    rows = slice(lists.row_ptr[first], lists.row_ptr[last])
    ranks = np.full((last - first, lists.candidate_ptr[q + 1] - lists.candidate_ptr[q]), np.nan)
    ranks[lists.row_list[rows] - first, lists.candidate[rows] - lists.candidate_ptr[q]] = lists.rank[rows]
    return lists.list_voter[first:last], ranks


def _named_lists(given):
    """Convert the input of agreement_matrix to ranked lists; return the lists and the names of the voters.

    If the input is a dict of runs, the voters are in the order of the dict.
    """
    runs = getattr(given, "runs_", given)
    if not isinstance(runs, Mapping):
        lists = check_lists(encode_plain(given))
        return lists, plain_index(lists.voters)
    if not runs:
        raise InputError("`lists` must contain at least one run; the dict of runs is empty.")
    runs = plain_objects(runs)
    if all(isinstance(run, Mapping | list | tuple) for run in runs.values()):
        return _in_order(encode_plain(runs), runs)
    frames = []
    for name, run in runs.items():
        run = run.to_frame() if isinstance(run, RankedLists) else tied_by_score(run)
        if not isinstance(run, pd.DataFrame):
            raise InputTypeError(f"Run {name!r} must be a data frame or RankedLists; got {type(run).__name__}.")
        columns = [column for column in ("query", "item", "rank", "score") if column in run]
        frames.append(run[columns].assign(voter=name))
    if len({"rank" in frame for frame in frames}) > 1:  # some are ordered by rank, others by score
        frames = [
            frame.assign(score=-frame["rank"]).drop(columns="rank") if "rank" in frame else frame for frame in frames
        ]
    elif any("score" not in frame for frame in frames):
        frames = [frame.drop(columns="score", errors="ignore") for frame in frames]
    return _in_order(RankedLists.from_frame(pd.concat(frames, ignore_index=True)), runs)


def _in_order(lists, runs):
    """Renumber the voters of `lists` in the order of the names in `runs`; return the lists and the voters' names."""
    names = [name for name in runs if name in lists.voters]
    order = plain_index(lists.voters).get_indexer(names)
    # Codes follow the sorted names; the result keeps the given order of the runs.
    place = np.empty(len(order), dtype=np.int32)
    place[order] = np.arange(len(order), dtype=np.int32)
    renamed = RankedLists(
        **{**lists._fields(), "voters": plain_index(lists.voters)[order], "list_voter": place[lists.list_voter]}
    )
    return renamed, pd.Index(names)
