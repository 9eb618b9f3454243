"""Checks of a whole board: connectivity, coverage, number of duels, separation of items, ties, and the prior."""

import math
from typing import NamedTuple

import numpy as np
from scipy.stats import rankdata

from ..aggregators import PlackettLuce
from ..aggregators._kemeny._components import strong_components
from ..aggregators._models._published_scale import ELO_POINTS
from ..aggregators._models._standard_errors import invert_information
from ._max_t import step_down

# The widest interval of an item may be this many times as wide as in an even schedule.
_WIDER = 2.0
# Number of parts of a board that the data should distinguish: a top, a middle and a bottom.
_PARTS = 3
# Share of the pairs that should differ. Below this share, the data do not show the order of the typical pair.
_HALF = 0.5
# Share of the draws in an interval of places, and the probability that no gap is claimed wrongly.
CONFIDENCE = 0.95
# The prior may move an item by this share of its standard error: an interval of 95 % then still covers 92 %.
_PULL = 0.5


class Check(NamedTuple):
    """Result of one check, which becomes a row of the audit."""

    check: str
    value: float
    unit: str
    reference: float
    p: float
    verdict: str
    seen: str
    advice: str = ""


def judged(check, value, unit, reference, warns, seen, advice, p=np.nan):
    """Return the result of a check; its verdict is "warning" if `warns` is true, and "ok" otherwise.

    The result is a row of the audit. It contains `advice` only if it is a warning.
    """
    warns = bool(warns)
    verdict = "warning" if warns else "ok"
    return Check(check, float(value), unit, reference, float(p), verdict, seen, advice if warns else "")


def skipped(check, unit, reference, reason, advice=""):
    """Return the result of a check that was skipped; `reason` states why the data do not allow the check."""
    return Check(check, np.nan, unit, reference, np.nan, "skipped", reason, advice)


def connectivity(board):
    """Check that a chain of duels connects all items; with ``prior=0``, also check that all worths are finite.

    The worth of an item is its strength in Bradley and Terry's model.
    """
    n_parts, label = strong_components(board.met > 0)
    if n_parts > 1:
        largest = np.bincount(label).argmax()
        others = np.flatnonzero(label != largest)
        seen = f"The items fall into {n_parts} components that never met. Outside the largest: {board.name(others)}."
        advice = "Rank each component by itself (RankedLists.components), or add duels between the components."
        return judged("connectivity", n_parts, "components", 1, True, seen, advice)
    if board.prior == 0 and (ends := _ends(board)):
        seen = f"With prior=0 there are no finite worths: {ends}."
        return judged("connectivity", 1, "components", 1, True, seen, "Choose prior=0.5, or leave these items out.")
    return judged("connectivity", 1, "components", 1, False, "A chain of duels connects all items.", "")


def _ends(board):
    """Return a text that names items that never lost or tied, and items that never won or tied, against the others.

    The text is empty if no such item exists.
    """
    beaten = np.zeros((board.n, board.n), dtype=bool)
    beaten[board.first[board.share > 0], board.second[board.share > 0]] = True
    beaten[board.second[board.share < 1], board.first[board.share < 1]] = True
    n_parts, label = strong_components(beaten)
    if n_parts == 1:
        return ""
    largest = np.bincount(label).argmax()
    across = beaten & (label[:, None] != label)
    above = np.flatnonzero(~np.isin(label, label[across.any(axis=0)]) & (label != largest))
    below = np.flatnonzero(~np.isin(label, label[across.any(axis=1)]) & (label != largest))
    parts = [f"{board.name(above)} never lost or tied against the other items"] if len(above) else []
    parts += [f"{board.name(below)} never won or tied against the other items"] if len(below) else []
    return " and ".join(parts)


def coverage(board):
    """Compare the widest confidence interval of an item's log-worth with the intervals in an even schedule of duels.

    The log-worth is the estimated strength of an item. In an even schedule, all pairs of items meet equally often. The
    schedule has the same number of duels as the board.
    """
    games, n = board.met.sum(axis=1), board.n
    laplacian = (np.diag(games) - board.met) / 4
    square = np.diag(invert_information(laplacian)[0])
    # With N duels in an even schedule, the variance of an item's log-worth is this number.
    even = 2 * (n - 1) ** 2 / (n * board.n_duels) if n > 1 else 1.0
    wider = math.sqrt(square.max() / even)
    n_pairs, n_met = n * (n - 1) // 2, int((np.triu(board.met) > 0).sum())
    least = board.name(np.flatnonzero(games == games.min()))
    seen = (
        f"Items were in {games.min():,.0f} ({least}) to {games.max():,.0f} duels, {np.median(games):,.0f} in the "
        f"median. {n_met:,} of {n_pairs:,} pairs met."
    )
    advice = (
        f"Add duels of {board.name(np.flatnonzero(square > _WIDER**2 * even))}. The widest interval is {wider:.1f} "
        "times as wide as in an even schedule."
    )
    return judged("coverage", wider, "times as wide", _WIDER, wider > _WIDER, seen, advice)


def votes(board, errors):
    """Check that the median width of the confidence intervals of the items' places does not exceed a limit.

    `errors`, of shape (n_resamples, n_items), contains random draws of the errors of the log-worths, which are the
    estimated strengths of the items.
    """
    places = rankdata(-(board.worth + errors), axis=1, method="ordinal")
    low, high = np.quantile(places, [(1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2], axis=0, method="inverted_cdf")
    width = high - low + 1
    limit = max(1.0, board.n / _PARTS)
    seen = (
        f"The median interval contains {np.median(width):g} of {board.n} places; the widest contains "
        f"{width.max():g} ({board.name([int(width.argmax())])})."
    )
    advice = "Collect more duels, or publish intervals of places (rank_stability) instead of places."
    return judged("votes", np.median(width), "places", limit, np.median(width) > limit, seen, advice)


def separation(board, errors):
    """Check that at least half of all pairs of items differ significantly in their log-worths (estimated strengths).

    Also count the pairs of neighbours in the ranking that differ significantly. `errors`, of shape (n_resamples,
    n_items), contains random draws of the errors of the log-worths.
    """
    order, error = board.order, board.error(board.covariance)
    gap = board.worth[:, None] - board.worth
    sd = np.where(error > 0, error, np.inf)
    largest = np.zeros(len(errors))
    for i in range(board.n - 1):
        np.maximum(largest, (np.abs(errors[:, [i]] - errors[:, i + 1 :]) / sd[i, i + 1 :]).max(axis=1), out=largest)
    n_pairs = board.n * (board.n - 1) // 2
    share = int((gap / sd > np.quantile(largest, CONFIDENCE)).sum()) / n_pairs
    each = np.arange(board.n - 1)
    p, _ = step_down(-np.diff(board.worth[order]), each, each + 1, errors.T[order], 0.0)
    found = p <= 1 - CONFIDENCE
    which = "" if found[0] else "not "
    seen = (
        f"{share:.0%} of all pairs are separated, with 95 % confidence for all pairs together. With 95 % confidence "
        f"for all neighbours together, {int(found.sum())} of {board.n - 1} are separated. {board.name(order[:1])} is "
        f"{which}separated from the second item."
    )
    advice = "Publish groups, or intervals of places (rank_stability), instead of an order."
    return judged("separation", 100 * share, "% of pairs", 100 * _HALF, share < _HALF, seen, advice)


def ties(board, lists):
    """Compare the log-worths of the board, which counts a tie as half a win, with two other ways to treat ties.

    One way is to leave ties out, and the other is to include them in the model. A log-worth is the estimated strength
    of an item.
    """
    tied = board.share == 0.5
    share = board.count[tied].sum() / board.count.sum()
    if not tied.any():
        return judged("ties", 0, "clear pairs", 0, False, "No duel is tied.", "")
    others = {}
    if not tied.all():
        others["leaving ties out"] = board.make_rows(~tied).fit(prior=board.prior).log_worth
    modelled = PlackettLuce(prior=board.prior, ties="davidson", absent="ignore").transform(lists)
    others["ties='davidson'"] = modelled.set_index("item")["score"].reindex(board.items).to_numpy()
    texts, reversed_, which = [], 0, []
    for name, worth in others.items():
        moved = board.clear & (worth[:, None] < worth)
        reversed_ = max(reversed_, int(moved.sum()))
        which += [(int(i), int(j)) for i, j in np.argwhere(moved)]
        texts.append(f"{name} moves {_moves(board, worth)}")
    seen = f"{share:.0%} of the duels are tied; {' and '.join(texts)}."
    pairs = ", ".join(f"{board.name([i])} and {board.name([j])}" for i, j in list(dict.fromkeys(which))[:3])
    advice = (
        f"The rule for ties decides the order of {pairs}, which is clear with half wins. State the rule of the board, "
        "or show the boards of both rules."
    )
    return judged("ties", reversed_, "clear pairs", 0, reversed_ > 0, seen, advice)


def _moves(board, worth):
    """Describe the largest change of place and the largest change of rating if `worth` replaces the board's log-worths.

    `worth` is first scaled to resemble the board's log-worths as closely as possible.
    """
    worth = worth - worth.mean()
    size = np.dot(worth, worth)
    scale = np.dot(worth, board.worth) / size if size > 0 else 1.0
    points = ELO_POINTS * np.abs(scale * worth - board.worth)
    places = rankdata(-worth, method="ordinal") - rankdata(-board.worth, method="ordinal")
    n = int(np.abs(places).max())
    k = int(points.argmax())
    return f"items by up to {n} place{'' if n == 1 else 's'} and {points[k]:.1f} Elo ({board.name([k])})"


def prior(board):
    """Compare the ratings of the board with the maximum likelihood ratings, which use no prior."""
    if board.prior == 0:
        return judged("prior", 0, "Elo", np.nan, False, "The board has no prior.", "")
    if ends := _ends(board):
        seen = f"Only the prior keeps the worths finite: {ends}."
        return judged("prior", np.inf, "Elo", np.nan, True, seen, "Add duels of these items, or leave them out.")
    worth = board.rows.fit(prior=0, start=board.fit).log_worth
    pull = np.abs(worth - worth.mean() - board.worth)
    centre = board.covariance - board.covariance.mean(axis=0)
    error = np.sqrt(np.maximum(np.diag(centre - centre.mean(axis=1)[:, None]), 0.0))
    share = np.divide(pull, error, out=np.zeros_like(pull), where=error > 0)
    k = int(share.argmax())
    seen = f"The prior moves {board.name([k])} by {ELO_POINTS * pull[k]:.1f} Elo: {share[k]:.2f} of its standard error."
    advice = "Choose a smaller prior, such as prior=0, or add duels."
    limit = ELO_POINTS * _PULL * error[k]
    return judged("prior", ELO_POINTS * pull[k], "Elo", limit, share[k] > _PULL, seen, advice)
