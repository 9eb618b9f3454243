"""The methods again, in exact fractions and plain loops: slow, obvious, and sharing no code with the library."""

from fractions import Fraction
from itertools import combinations


def ballots(frame, by="rank"):
    """One query's lists as {voter: {item: (mid-rank, score)}}, all fractions, and the weight of each voter."""
    lists, weights = {}, {}
    for voter, rows in frame.groupby("voter"):
        values = {row["item"]: row[by] if by == "rank" else -row[by] for _, row in rows.iterrows()}
        scores = {row["item"]: Fraction(str(row["score"])) for _, row in rows.iterrows()} if "score" in rows else {}
        lists[voter] = {
            item: (
                Fraction(sum(v < value for v in values.values()))
                + Fraction(sum(v == value for v in values.values()) + 1, 2),
                scores.get(item),
            )
            for item, value in values.items()
        }
        weights[voter] = Fraction(str(rows["weight"].iloc[0])) if "weight" in rows else Fraction(1)
    return lists, weights


def universe(lists):
    return sorted(set().union(*lists.values()))


def comb(lists, weights, norm, mnz=False):
    """CombSUM or CombMNZ, by its definition."""
    items, n = universe(lists), len(universe(lists))
    ranges = {}
    if norm == "score":
        for voter, ballot in lists.items():
            scores = [score for _, score in ballot.values()]
            ranges[voter] = min(scores), max(scores)
    totals = {}
    for item in items:
        total, hits = Fraction(0), Fraction(0)
        for voter, ballot in lists.items():
            length = len(ballot)
            if item in ballot:
                rank, score = ballot[item]
                if norm == "rank":
                    value = 1 - (rank - 1) / length
                elif norm == "score":
                    low, high = ranges[voter]
                    value = (score - low) / (high - low) if high > low else 1
                else:
                    value = 1 - (rank - 1) / n
                hits += weights[voter]
            else:
                value = Fraction(n - length + 1, 2 * n) if norm == "borda" else 0
            total += weights[voter] * value
        totals[item] = total * hits if mnz else total
    return totals


def pairwise(lists, weights, draw):
    """Majority wins, and `draw` for each draw: Condorcet with 0, Copeland with 1/2."""
    items = universe(lists)
    points = dict.fromkeys(items, Fraction(0))
    for i, j in combinations(items, 2):
        margin = Fraction(0)
        for voter, ballot in lists.items():
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
    """Reciprocal rank fusion."""
    return {
        item: sum(
            (weights[voter] / (k + ballot[item][0]) for voter, ballot in lists.items() if item in ballot), Fraction(0)
        )
        for item in universe(lists)
    }


def order(points, lists, weights):
    """Score descending, then the weight of the lists that hold the item, then the item."""
    support = {
        item: sum((weights[voter] for voter, ballot in lists.items() if item in ballot), Fraction(0)) for item in points
    }
    return sorted(points, key=lambda item: (-points[item], -support[item], item))
