"""DIBRA with FLAGR's iterations, distances and weights, and FLAGR's two ways to cut lists."""

from dataclasses import dataclass

import numpy as np

from ..._arrays._list_distances import LIST_DISTANCES, consensus_places
from ...exceptions import InputError
from ._combine import comb_terms
from ._comparison_table import majority_scores, outranking_scores
from ._profile import ABSENT
from ._ranking import add_up, rank_table, single

#: FLAGR's number of each base method.
BASES = {
    "combsum:borda": 5100,
    "combsum:rank": 5101,
    "combsum:score": 5102,
    "combsum:z-score": 5103,
    "combsum:simple-borda": 5104,
    "combmnz:borda": 5110,
    "combmnz:rank": 5111,
    "combmnz:score": 5112,
    "combmnz:z-score": 5113,
    "combmnz:simple-borda": 5114,
    "condorcet": 5200,
    "copeland": 5201,
    "outrank": 5300,
}


def _opposed_cosine(table):
    length = table.length[:, None].astype(np.float64)
    points = np.where(table.rank < length, length - table.rank + 1.0, 0.0)
    # The sum of the squares of L + 1, L, ..., 2.
    size = np.sqrt((length + 1.0) * (length + 2.0) * (2.0 * length + 3.0) / 6.0 - 1.0)[:, 0]
    places = np.arange(1.0, table.shape[1] + 1)
    scale = size * np.sqrt((places**2).sum())

    def distance(order):
        place = np.empty(len(order))
        place[order] = places
        # Sums of integers are exact in any order. An empty list has no distance.
        return 1.0 - np.divide(points @ place, scale, out=np.full(len(scale), np.nan), where=scale > 0)

    return distance


def _skewed_footrule(table):
    length = table.length[:, None].astype(np.float64)
    inside = table.rank < length
    with np.errstate(invalid="ignore", divide="ignore"):
        factor = np.where(inside, length / (table.rank + 1.0), 0.0)
        share = np.where(inside, table.rank / length, 0.0)
    half = np.where(table.length > 0, table.length, np.nan)

    def distance(order):
        places = np.arange(len(order)) / len(order)
        terms = factor[:, order] * (share[:, order] - places)
        return 2.0 * np.abs(add_up(terms.T)) / half

    return distance


def _plain_rho(table):
    n = float(table.shape[1])

    def distance(order):
        apart = np.where(table.held[:, order], (table.rank[:, order] - np.arange(1.0, n + 1)) ** 2, 0.0)
        return 1.0 - 6.0 * apart.sum(axis=1) / (n**3 - n) if n > 1 else np.full(len(apart), np.nan)

    return distance


def _zero(table):
    return lambda order: np.zeros(table.shape[0])


#: For each distance of PyFLAGR, the name of its quirk and FLAGR's function. Without the quirk, the distance of the same
#: name in `LIST_DISTANCES` is used.
DISTANCES = {
    "cosine": ("dibra.cosine", _opposed_cosine),
    "footrule": ("dibra.footrule", _skewed_footrule),
    "rho": ("dibra.rho", _plain_rho),
    "tau": ("dibra.tau_zero", _zero),
}


@dataclass(frozen=True)
class Weights:
    """Weights of the lists, with the minimum, maximum and standard deviation that are needed for scaling.

    Parameters
    ----------
    value : ndarray of shape (n_lists,), dtype=float64
    low, high, deviation : float
        Minimum, maximum and standard deviation of the weights. In the first iteration, 0, 1 and 1 are used instead.
    """

    value: np.ndarray
    low: float
    high: float
    deviation: float

    @classmethod
    def of(cls, value):
        """Build Weights from the array `value`, and compute the statistics of its numbers.

        The sums for the standard deviation are added up in the order of the array, so they are rounded as in FLAGR.
        """
        m = len(value)
        mean = np.cumsum(value)[-1] / m
        return cls(value, value.min(), value.max(), np.sqrt(np.cumsum((value - mean) ** 2)[-1] / m))

    def scaled(self, norm):
        """Return the weights as an array, which is scaled if `norm` is "minmax" or "z".

        With "minmax", the attributes `low` and `high` are mapped to 0 and 1. If they are equal, all weights become 1.
        """
        if norm == "minmax":
            span = self.high - self.low
            return (self.value - self.low) / span if span > 0 else np.ones(len(self.value))
        if norm == "z":
            return self.value * self.deviation * self.deviation / self.high
        return self.value


def dibra_scores(table, method, quirks):
    """Aggregate the lists of one query by DIBRA.

    Parameters
    ----------
    table : QueryTable
    method : DIBRA
        Method whose parameters are used.
    quirks : frozenset of str

    Returns
    -------
    table : QueryTable
        The lists after the cut.
    score : ndarray of shape (n_items,), dtype=float64
    """
    weights, score = _iterate(table, method, quirks)
    if method.prune is None:
        return table, score
    if method.prune == "low":
        cut = table.cut(table.place < _kept_low(table, weights, method, quirks)[:, None])
        _refuse_nothing(cut)
        cut_score = _base(cut, method, quirks)(weights, cut.hash_order)
    else:
        cut = _cut_wire(table, weights, method, quirks)
        _, cut_score = _iterate(cut, method, quirks)
    if "prune.drops" in quirks or cut.shape[1] == table.shape[1]:
        return cut, cut_score
    score = score - score.max() + cut_score.min() - 1.0
    score[np.searchsorted(table.items, cut.items)] = cut_score
    return table, score


def _iterate(table, method, quirks):
    """Repeat two steps, aggregating the lists and raising the list weights, until no weight grows noticeably.

    Returns the weights and the scores of the items. The loop also ends after the maximum number of iterations.
    """
    m = table.shape[0]
    gamma, tol = single(method.g, quirks), single(method.tolerance, quirks)
    weights = Weights(np.ones(m), 0.0, 1.0, 1.0)
    order = table.hash_order
    aggregate, distance_to = _base(table, method, quirks), _distance(table, method.dist, quirks)
    last = method.miter + ("dibra.one_more" in quirks)
    for t in range(1, last + 1):
        score = aggregate(weights, order)
        order, ordered = rank_table(table, score, quirks)
        distance = distance_to(order, ordered)
        # In FLAGR, a weight grows only if the distance is above 0. A distance of NaN is not above 0.
        growing = distance > 0 if DISTANCES[method.dist][0] in quirks else ~np.isnan(distance)
        growth = np.where(growing, np.exp(-gamma * t * np.where(growing, distance, 0.0)), 0.0)
        value = weights.value + growth
        moving = (value - weights.value > tol).any()
        weights = Weights.of(value)
        if not moving:
            break
    if "dibra.final_stale" not in quirks:
        score = aggregate(weights, order)
    return weights, score


def _base(table, method, quirks):
    """Return the method that DIBRA uses in each iteration, as a function that computes the scores of the items.

    The arguments of the function are the Weights of the lists, and the order of the items in the previous consensus.
    """
    kind, _, norm = method.aggregator.partition(":")
    if norm:
        terms = comb_terms(table, norm, kind == "combmnz", quirks)
        return lambda weights, order: terms(weights.scaled(method.w_norm))
    if kind == "outrank":
        return lambda weights, order: outranking_scores(
            table, method.thresholds, quirks, weights.scaled(method.w_norm), order
        )
    draw = 0.0 if kind == "condorcet" else 0.5
    return lambda weights, order: majority_scores(table, draw, weights.scaled(method.w_norm))


def _distance(table, name, quirks):
    """Return the named distance as a function that computes the distance of each list to a consensus.

    The arguments of the function are an order of the items, and the scores of the items in this order.
    """
    quirk, distance = DISTANCES[name]
    if quirk in quirks:
        of_order = distance(table)
        return lambda order, score: of_order(order)
    lists = table.lists
    of_places = LIST_DISTANCES[name](lists)

    def of_voters(order, score):
        result = np.full(table.shape[0], np.nan)  # a voter without items has no distance
        result[lists.list_voter] = of_places(consensus_places(lists, order, score))
        return result

    return of_voters


def _kept_low(table, weights, method, quirks):
    share = single(method.d_1, quirks) + single(method.d_2, quirks) * weights.scaled("minmax")
    return np.minimum((share * table.length).astype(np.int64), table.length)


def _refuse_nothing(table):
    if table.shape[1] == 0:
        raise InputError(
            "`d1` and `d2` must be large enough to keep at least one item of each query's lists; the given values "
            "are too small. Raise them."
        )


def _cut_wire(table, weights, method, quirks):
    """Cut each list to its best-supported items, and sort the lists by ascending weight; return a QueryTable.

    The support of an item is the sum of the confidences of the lists that contain it. The confidence of a list
    increases in steps with its weight. The higher the confidence, the larger the share of the list that is kept.
    """
    m = table.shape[0]
    d1, d2, n_buckets = single(method.d_1, quirks), single(method.d_2, quirks), method.num_buckets
    value = weights.scaled("minmax")
    if "wire.equal_width" in quirks:
        if not weights.high > weights.low:  # if all weights are equal, no weight is above a bound
            value = np.zeros(m)
        reached = np.count_nonzero(value[:, None] > np.arange(n_buckets) / n_buckets, axis=1)
        back = n_buckets - np.maximum(reached, 1)
    else:
        at_most = np.searchsorted(np.sort(value), value, side="right") / m
        back = n_buckets - np.ceil(n_buckets * at_most - 1e-9)
    confidence = d1 + (1.0 - d1) * np.exp(-back * n_buckets / m)
    trust = np.argsort(value, kind="stable")
    preservation = add_up(np.where(table.held, confidence[:, None], 0.0))
    if "wire.one_more" in quirks:
        n_kept = (d2 * np.floor(confidence * table.length)).astype(np.int64) + 1
    else:
        n_kept = np.maximum((d2 * np.ceil(confidence * table.length - 1e-9) + 1e-9).astype(np.int64), 1)
    worth = np.where(table.held, preservation, -np.inf)
    best = np.lexsort((np.where(table.held, table.place, ABSENT), -worth))
    number = np.empty_like(best)
    np.put_along_axis(number, best, np.broadcast_to(np.arange(best.shape[1]), best.shape), axis=1)
    return table.cut(number < n_kept[:, None]).take_lists(trust)
