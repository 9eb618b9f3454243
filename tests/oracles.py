"""Oracles: the methods in exact fractions and plain loops, slow and obvious, without code of the library.

The last part is in floating point, one query at a time. The library's results for many queries must be bitwise equal
to it.
"""

from fractions import Fraction
from itertools import combinations
from math import comb as choose
from math import factorial, log

import numpy as np


def ballots(frame, by="rank"):
    """Return one query's lists as {voter: {item: (mid-rank, score)}} in fractions, and voter weights."""
    lists, weights = {}, {}
    for voter, rows in frame.groupby("voter"):
        columns = {name: rows[name].tolist() for name in rows}
        values = columns[by] if by == "rank" else [-value for value in columns[by]]
        scores = [Fraction(str(score)) for score in columns["score"]] if "score" in rows else [None] * len(rows)
        lists[voter] = {
            item: (Fraction(2 * sum(v < value for v in values) + sum(v == value for v in values) + 1, 2), score)
            for item, value, score in zip(columns["item"], values, scores, strict=True)
        }
        weights[voter] = Fraction(str(rows["weight"].iloc[0])) if "weight" in rows else Fraction(1)
    return lists, weights


def duels(lists):
    """Return the lists of two items of one query as texts, such as "a > b" and "a = b"."""
    names = lists.items.take(lists.candidate_item[lists.candidate]).tolist()
    return [
        f"{names[k]} {'=' if lists.rank[k] == lists.rank[k + 1] else '>'} {names[k + 1]}"
        for k in lists.row_ptr[:-1].tolist()
    ]


def universe(lists):
    return sorted(set().union(*lists.values()))


def comb(lists, weights, norm, mnz=False):
    """Compute CombSUM or CombMNZ by its definition."""
    return combine(lists, weights, norm, "gmnz", gamma=int(mnz))


def combine(lists, weights, norm, how, *, gamma=0, absent_score="zero"):
    """Compute Fox and Shaw's combinations "max", "min", "med", or "gmnz", the sum times h ** gamma."""
    values, absent = {}, {}
    for voter, ballot in lists.items():
        values[voter], absent[voter] = normalised_scores(ballot, norm, len(universe(lists)))
        if absent_score == "min":
            absent[voter] = min(values[voter].values())
    totals = {}
    for item in universe(lists):
        holds = [voter for voter in lists if item in lists[voter] and weights[voter] > 0]
        given = [(values[voter][item], weights[voter]) for voter in holds]
        given += [
            (absent[voter], weights[voter])
            for voter in lists
            if voter not in holds and weights[voter] > 0 and absent[voter] is not None
        ]
        held = sum((weights[voter] for voter in holds), Fraction(0))
        if how == "gmnz":
            total = sum((value * weight for value, weight in given), Fraction(0))
            totals[item] = 0 if held == 0 and gamma < 0 else total * held**gamma
        elif not given:
            totals[item] = Fraction(0)
        elif how == "med":
            totals[item] = weighted_median(given)
        else:
            totals[item] = {"max": max, "min": min}[how](value for value, _ in given)
    return totals


def normalised_scores(ballot, norm, n):
    """Return the values of a list's items and of an absent item, None if it has no value."""
    length, scores = len(ballot), [score for _, score in ballot.values()]
    absent = Fraction(n - length + 1, 2 * n) if norm == "borda" else None
    if norm in ("borda", "simple-borda", "rank", "reciprocal"):
        of_rank = {
            "borda": lambda rank: 1 - (rank - 1) / n,
            "simple-borda": lambda rank: 1 - (rank - 1) / n,
            "rank": lambda rank: 1 - (rank - 1) / length,
            "reciprocal": lambda rank: 61 / (60 + rank),
        }[norm]
        return {item: of_rank(rank) for item, (rank, _) in ballot.items()}, absent
    low, high = min(scores), max(scores)
    mean = sum(scores) / length
    deviation = Fraction((sum((score - mean) ** 2 for score in scores) / length) ** 0.5)
    size = Fraction(sum(score**2 for score in scores) ** 0.5)
    constant = low == high
    of_score = {
        "min-max": lambda score: Fraction(1) if constant else (score - low) / (high - low),
        "max": lambda score: score / high,
        "sum": lambda score: Fraction(1, length) if constant else (score - low) / sum(one - low for one in scores),
        "l2": lambda score: score / size if size else Fraction(0),
        "z-score": lambda score: Fraction(0) if constant else (score - mean) / deviation,
        "dbsf": lambda score: Fraction(1, 2) if constant else (score - mean + 3 * deviation) / (6 * deviation),
        None: lambda score: score,
    }[norm]
    return {item: of_score(score) for item, (_, score) in ballot.items()}, absent


def weighted_median(given):
    """Return the mean of the lower and the upper weighted median of (value, weight) pairs."""
    given = sorted(given)
    half, reached, middle = sum(weight for _, weight in given) / 2, Fraction(0), []
    for value, weight in given:
        if reached < half <= reached + weight:
            middle.append(value)
        if reached <= half < reached + weight:
            middle.append(value)
        reached += weight
    lower, upper = middle
    return (lower + upper) / 2


def borda_means(lists, weights):
    """Return mean Borda points over the lists that contain the item, with half points for ties."""
    means = {}
    for item in universe(lists):
        total, held = Fraction(0), Fraction(0)
        for voter, ballot in lists.items():
            if item in ballot:
                mine = ballot[item][0]
                others = [rank for other, (rank, _) in ballot.items() if other != item]
                beaten = sum(rank > mine for rank in others) + Fraction(sum(rank == mine for rank in others), 2)
                total += weights[voter] * (1 + beaten)
                held += weights[voter]
        means[item] = total / held if held else Fraction(0)
    return means


def pairwise(lists, weights, draw, absent="last"):
    """Count majority wins plus `draw` for each draw: Condorcet with 0, Copeland with 1/2."""
    items = universe(lists)
    points = dict.fromkeys(items, Fraction(0))
    for i, j in combinations(items, 2):
        margin = Fraction(0)
        for voter, ballot in lists.items():
            if absent == "ignore" and not {i, j} <= ballot.keys():
                continue
            # An absent item is below every ranked one, two absent items tie.
            rank_i = ballot[i][0] if i in ballot else len(ballot) + 1
            rank_j = ballot[j][0] if j in ballot else len(ballot) + 1
            margin += weights[voter] * ((rank_i < rank_j) - (rank_j < rank_i))
        if margin:
            points[i if margin > 0 else j] += 1
        else:
            points[i] += draw
            points[j] += draw
    return points


def reciprocal(lists, weights, k):
    """Compute reciprocal rank fusion."""
    return {
        item: sum(
            (weights[voter] / (k + ballot[item][0]) for voter, ballot in lists.items() if item in ballot), Fraction(0)
        )
        for item in universe(lists)
    }


def order(points, lists, weights):
    """Sort by descending score, then by the weight of the lists that contain the item, then by item."""
    support = {
        item: sum((weights[voter] for voter, ballot in lists.items() if item in ballot), Fraction(0)) for item in points
    }
    return sorted(points, key=lambda item: (-points[item], -support[item], item))


def transitions(lists, weights, chain):
    """Return a Markov chain as {from: {to: probability}}; lists of weight 0 are ignored."""
    lists = {voter: {item: rank for item, (rank, _) in ballot.items()} for voter, ballot in lists.items()}
    lists = {voter: ballot for voter, ballot in lists.items() if weights[voter]}
    items = universe(lists)
    return {i: _moves(i, items, lists, weights, chain) for i in items}


def _moves(i, items, lists, weights, chain):
    moves = dict.fromkeys(items, Fraction(0))
    holding = {voter: ballot for voter, ballot in lists.items() if i in ballot}
    entries = [
        (voter, j, len(ballot), sum(rank <= ballot[i] for rank in ballot.values()))
        for voter, ballot in holding.items()
        for j, rank in ballot.items()
        if rank <= ballot[i]
    ]
    total = sum(weights[voter] for voter in holding)
    if chain == "mc1":
        for voter, j, _, _ in entries:
            moves[j] += weights[voter] / sum(weights[other] for other, *_ in entries)
    elif chain == "mc2":
        for voter, j, _, n_above in entries:
            moves[j] += weights[voter] / total / n_above
    elif chain == "mc3":
        for voter, j, length, _ in entries:
            if lists[voter][j] < lists[voter][i]:
                moves[j] += weights[voter] / total / length
    else:
        for j in set(items) - {i}:
            both = [voter for voter in holding if j in lists[voter]]
            better = sum((weights[voter] for voter in both if lists[voter][j] < lists[voter][i]), Fraction(0))
            worse = sum((weights[voter] for voter in both if lists[voter][j] > lists[voter][i]), Fraction(0))
            tied = sum((weights[voter] for voter in both), Fraction(0)) - better - worse
            if chain == "mc4":
                share = Fraction(better > worse)
            elif chain == "rank-centrality":
                share = (better + tied / 2) / (better + worse + tied) if both else Fraction(0)
            else:
                share = (better + tied / 2) / (better + worse + tied) if both else Fraction(1, 2)
            moves[j] = share / (_most_opponents(items, lists) if chain == "rank-centrality" else len(items))
    moves[i] = 1 - sum(probability for j, probability in moves.items() if j != i)
    return moves


def _most_opponents(items, lists):
    return max(len({j for ballot in lists.values() if i in ballot for j in ballot} - {i}) for i in items) or 1


def completed(lists, weights):
    """Append to each list the items of the others, tied in the last place; ignore lists of weight 0."""
    items = universe({voter: ballot for voter, ballot in lists.items() if weights[voter]})
    full = {}
    for voter, ballot in lists.items():
        absent = [item for item in items if item not in ballot]
        last = len(ballot) + Fraction(len(absent) + 1, 2)
        full[voter] = ballot | dict.fromkeys(absent, (last, None))
    return full


def stationary(chain, jump):
    """Solve pi = (1 - jump) pi T + jump / n by Gaussian elimination in fractions."""
    items = list(chain)
    n = len(items)
    system = [
        [Fraction(i == j) - (1 - jump) * chain[i][j] for i in items] + [Fraction(jump) / n] for j in items
    ]  # a row for each j: what flows into it
    for column in range(n):
        pivot = next(row for row in range(column, n) if system[row][column])
        system[column], system[pivot] = system[pivot], system[column]
        for row in range(n):
            if row != column:
                factor = system[row][column] / system[column][column]
                system[row] = [x - factor * y for x, y in zip(system[row], system[column], strict=True)]
    return {item: system[k][n] / system[k][k] for k, item in enumerate(items)}


def outranking(lists, weights, preference, veto, concordance, discordance, both_absent):
    """Count the classes below each item's own, by thresholds in places and weight."""
    items = universe(lists)

    def agreeing(i, j, threshold):
        """Weight of the lists that have i at least `threshold` places above j."""
        weight = Fraction(0)
        for voter, ballot in lists.items():
            if i in ballot and j in ballot:
                agrees = ballot[i][0] <= ballot[j][0] - threshold
            elif i not in ballot and j not in ballot:
                agrees = both_absent == "concordant" and threshold == 0
            else:
                agrees = i in ballot
            weight += weights[voter] * agrees
        return weight

    relation = {
        (i, j): i != j and agreeing(i, j, preference) >= concordance and agreeing(j, i, veto) <= discordance
        for i in items
        for j in items
    }
    classes, left = [], set(items)
    while left:
        net = {i: sum(relation[i, j] - relation[j, i] for j in left) for i in left}
        classes.append({i for i in left if net[i] == max(net.values())})
        left -= classes[-1]
    return {i: Fraction(len(classes) - 1 - k) for k, best in enumerate(classes) for i in best}


# ---------------------------------------------------------------------- order statistics of uniform numbers


def log_of(fraction):
    """Return the natural logarithm of a fraction, however small."""
    shift = fraction.numerator.bit_length() - fraction.denominator.bit_length()
    return log(fraction / Fraction(2) ** shift) + shift * log(2)


def beta(k, m, x):
    """Compute P(at least k of m uniform numbers are at most x) by the binomial sum."""
    x = Fraction(x)
    p, q = x.numerator, x.denominator
    return Fraction(sum(choose(m, j) * p**j * (q - p) ** (m - j) for j in range(k, m + 1)), q**m)


def joint(x):
    """Compute P(k-th smallest of m uniform numbers <= x_k for every k) by the textbook's alternating sum."""
    m = len(x)
    v = [Fraction(1)]
    for k in range(1, m + 1):
        value = Fraction(x[m - k])
        v.append(sum((-1) ** (j - 1) * v[k - j] * value**j / factorial(j) for j in range(1, k + 1)))
    return factorial(m) * v[m]


def joint_in_fixed_point(x, bits):
    """Compute `joint` for many x with integers of the given number of bits after the point."""
    one = 1 << bits
    v = [one]
    for value in map(Fraction, reversed(x)):
        step, power, total = value.numerator * one // value.denominator, one, 0
        for j in range(1, len(v) + 1):
            power = (power * step >> bits) // j
            total += (v[-j] * power >> bits) * (1 if j % 2 else -1)
        v.append(total)
    return Fraction(v[-1] * factorial(len(x)), one)


def crossing(b):
    """Compute P(k-th smallest of m uniform numbers <= b_k for some k) by counting up to b_1, b_2, ..."""
    m, below, crossed, before = len(b), {0: Fraction(1)}, Fraction(0), Fraction(0)
    for k, value in enumerate(map(Fraction, b), start=1):
        share = (value - before) / (1 - before) if value > before else Fraction(0)
        after = {}
        for i, probability in below.items():
            for more in range(m - i + 1):
                chance = probability * choose(m - i, more) * share**more * (1 - share) ** (m - i - more)
                if i + more >= k:
                    crossed += chance
                else:
                    after[i + more] = after.get(i + more, Fraction(0)) + chance
        below, before = after, max(value, before)
    return crossed


def quantile(k, m, rho, bits):
    """Find x with beta(k, m, x) = rho by bisection to the given number of bits after the point."""
    low, high = 0, 1 << bits
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if beta(k, m, Fraction(middle, 1 << bits)) < rho else (low, middle)
    return Fraction(low, 1 << bits)


def normalised(frame, n=None, full=False):
    """Return the ascending normalised ranks of each item, {item: [x]}, with integer weights as copies."""
    lists, weights = ballots(frame)
    items = universe(lists)
    ranks = {item: [] for item in items}
    for voter, ballot in lists.items():
        for item in items:
            if item in ballot:
                x = ballot[item][0] / (len(ballot) if full else n or len(items))
            elif full:
                continue
            else:
                x = Fraction(1)
            ranks[item] += [x] * int(weights[voter])
    return {item: sorted(x) for item, x in ranks.items()}


def rho(x):
    """Return the least probability of the order statistics."""
    return min((beta(k, len(x), value) for k, value in enumerate(x, start=1)), default=Fraction(1))


def kwik_sort(margin, rng):
    """Sort items by the signs of margins, around pivots drawn by NumPy's Generator."""

    def ordered(items):
        if len(items) < 2:
            return items
        pivot = items[rng.integers(len(items))]
        others = [item for item in items if item != pivot]
        chances = iter(rng.random(sum(margin[item][pivot] == 0 for item in others)))
        above = [i for i in others if margin[i][pivot] < 0 or (margin[i][pivot] == 0 and next(chances) < 0.5)]
        # The items above are sorted first.
        return [*ordered(above), pivot, *ordered([item for item in others if item not in above])]

    return ordered(list(range(len(margin))))


def inserted(margin, order):
    """Move each item up as long as a majority prefers it to the item just above it."""
    kept = []
    for item in order:
        place = len(kept)
        while place and margin[item][kept[place - 1]] < 0:
            place -= 1
        kept.insert(place, item)
    return kept


def places_of_draws(margin, order):
    """Return the first place of each item's group of neighbours without a majority between any two."""
    groups = []
    for item in order:
        if not groups or any(margin[other][item] for other in groups[-1]):
            groups.append([])
        groups[-1].append(item)
    return {item: sum(map(len, groups[:k])) for k, group in enumerate(groups) for item in group}


def disagreements(rank, prefer, tied):
    """Compute the Kemeny score of ranks with a penalty of 1/2, pair by pair."""
    total = 0
    for i, j in combinations(range(len(rank)), 2):
        if rank[i] == rank[j]:
            total += (prefer[i][j] + prefer[j][i]) / 2
        else:
            above, below = (i, j) if rank[i] < rank[j] else (j, i)
            total += prefer[below][above] + tied[i][j] / 2
    return total


# ---------------------------------------------------------------------- pairwise majorities in floating point


def preferences(ranks, weight, absent="last"):
    """Add up the weight of lists that prefer the row's item; absent items have the rank infinity."""
    n = ranks.shape[1]
    above, level = np.zeros((n, n)), np.zeros((n, n))
    for rank, mine in zip(ranks, weight, strict=True):
        held = np.isfinite(rank)
        both = held[:, None] & held
        above += mine * (both & (rank[:, None] < rank))
        level += mine * (both & (rank[:, None] == rank))
    both = above + above.T + level
    return above + (np.diag(both)[:, None] - both) if absent == "last" else above


def majorities(prefer):
    """Return preferences and margins without rounding errors."""

    def rounded(matrix):
        scale = np.abs(matrix).max(initial=0.0)
        exact = scale < 2**53 and (matrix % 1 == 0).all()
        return matrix if exact else np.round(matrix / scale, 11) * scale

    margin = prefer.T - prefer
    tolerance = 1e-12 * max(prefer.max(initial=0.0), -prefer.min(initial=0.0))
    margin[(margin <= tolerance) & (margin >= -tolerance)] = 0.0
    return rounded(prefer), -rounded(margin)


def arcs(prefer, margin, strength):
    return np.where(margin > 0, margin if strength == "margin" else prefer, 0.0)


def widest(strength):
    path = np.array(strength, dtype=np.float64)
    for via in range(len(path)):
        path = np.maximum(path, np.minimum(path[:, via, None], path[None, via, :]))
    np.fill_diagonal(path, 0.0)
    return path


def locked(strength, tie_break=None):
    above, below = np.nonzero(strength > 0)
    second = np.zeros(len(above)) if tie_break is None else tie_break[above, below]
    reach = np.zeros(strength.shape, dtype=bool)
    for k in np.lexsort((below, above, -second, -strength[above, below])):
        i, j = above[k], below[k]
        if not reach[i, j] and not reach[j, i]:
            heads = np.append(np.flatnonzero(reach[:, i]), i)
            reach[heads] |= reach[j]
            reach[heads, j] = True
    return reach


def schulze(ranks, weight, strength, absent):
    path = widest(arcs(*majorities(preferences(ranks, weight, absent)), strength))
    return (path > path.T).sum(axis=1)


def ranked_pairs(ranks, weight, strength, absent):
    prefer, margin = majorities(preferences(ranks, weight, absent))
    return locked(arcs(prefer, margin, strength), prefer if strength == "margin" else margin).sum(axis=1)


def minimax(ranks, weight, strength, absent):
    prefer, margin = majorities(preferences(ranks, weight, absent))
    defeat = margin if strength == "margin" else arcs(prefer, margin, strength)
    n = len(defeat)
    defeats = [sorted((defeat[j, i] for j in range(n) if j != i), reverse=True) for i in range(n)]
    return [sum(other > mine for other in defeats) for mine in defeats]


def relation_weights(ranks, weight, alpha, beta):
    """Compute voter weights by the graph of preference relations."""
    n = ranks.shape[1]
    if n == 1:
        return np.ones(len(ranks))
    above = [rank[:, None] < rank for rank in ranks]
    counts = sum(mine * matrix for mine, matrix in zip(weight, above, strict=True))
    margin, compared = 1e-12 * weight.sum(), counts + counts.T
    majority = (compared >= beta * weight.sum() - margin) & (alpha * compared - margin > counts.T)
    absent = [np.isinf(rank) for rank in ranks]
    against = [(matrix & majority.T).sum() for matrix in above]
    silent = [(majority & gone & gone[:, None]).sum() for gone in absent]
    return 1 - (np.array(against) + np.array(silent) / 2) / (n * (n - 1) / 2)


def agreement_weights(ranks):
    """Count the strict majorities that each list agrees with."""
    above = [rank[:, None] < rank for rank in ranks]
    counts = sum(matrix.astype(int) for matrix in above)
    return np.array([(matrix & (counts > counts.T)).sum() for matrix in above])


def merged_scores(ranks, weight, merge):
    """Return the scores of merging lists in the order of their content; `merge` is the merging function."""
    order = np.lexsort((weight, *np.where(np.isinf(ranks), 1e9, ranks).T[::-1]))
    ranks, n = ranks[order], ranks.shape[1]
    held = np.isfinite(ranks)
    ranks = np.where(held, ranks, (held.sum(axis=1, keepdims=True) + 1 + n) / 2)
    return merge(n * (n + 1 - 2 * ranks) / 2, weight[order], np.array([0, len(ranks)]))[0]


def net_outranking(ranks, weight, method):
    """Count the classes below each item, by thresholds in places and weight."""
    n, total = ranks.shape[1], weight.sum()

    def size(value, whole):
        return value if isinstance(value, int) else value * whole

    def not_behind(places):
        gap, agreed = min(size(places, n), n) - 1e-12 * n, np.zeros((n, n))
        for rank, mine in zip(ranks, weight, strict=True):
            absent = np.isinf(rank)
            neither = absent[:, None] & absent
            rank = np.where(absent, 3 * n, rank)
            level = neither & (method.both_absent == "concordant") & (places == 0)
            agreed += mine * ((~neither & (rank - rank[:, None] >= gap)) | level)
        return agreed

    relation = not_behind(method.preference) >= size(method.concordance, total) - 1e-12 * total
    relation &= size(method.discordance, total) + 1e-12 * total >= not_behind(method.veto).T
    np.fill_diagonal(relation, False)
    left, place = np.ones(n, dtype=bool), np.zeros(n)
    while left.any():
        among = relation & left & left[:, None]
        net = np.where(left, among.sum(axis=1) - among.sum(axis=0), -2 * n)
        best = net == net.max()
        place[best] = place.max() + 1
        left &= ~best
    return place.max() - place
