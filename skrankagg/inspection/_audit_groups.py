"""Checks of the groups of a board: whether their duels resemble each other, and whether few groups decide the order."""

import itertools
import math
from functools import cached_property

import numpy as np
from scipy.sparse import csr_array
from scipy.special import ndtr, stdtrit

from ._audit_checks import judged, skipped
from ._audited_duels import LEVEL

# Drawing of random signs stops after this many draws with a statistic at least as large as in the data.
_ENOUGH = 10
# For n rows, the largest number of draws is max(_LEAST, _WORK / n).
_LEAST, _WORK = 300, 100_000_000
# Largest number of groups times items that is summed at one time.
_CELLS = 1 << 22
# Number of items that are tested for whether they reach the first place when groups are removed.
_CHALLENGERS = 20
# "Few" groups are at most these shares of all groups, and of the number needed with independent, normal effects.
_FEW, _FEWER = 0.01, 1 / 3
# The board is fitted without the groups if a Newton step closes this share of the gap. For groups of many duels, the
# step is too short.
_REACH = 0.5
# The board is fitted without each group of more than this share of the duels, because steps are too short for them.
_LARGE = 0.2
# If a group has more than this share of the duels, errors by groups are too small, because its scores nearly cancel.
_MOST = 0.5

_NAME_GROUPS = "Name the columns of judges and prompts (voter=, groups=) when you read the duels."


def clustering(board, n_resamples, rng):
    """Test whether the results of duels in a group resemble each other more than results of independent duels would.

    The score of a duel is the gradient of its log-likelihood. The scores are summed over each group. The test compares
    the squared length of these sums with the squared lengths in draws that give the score of each duel a random sign.
    """
    if board.group is None:
        if not board.groupings:
            return skipped("clustering", "errors", 1.0, "The duels have no grouping.", _NAME_GROUPS)
        reason = f"Single duels are the unit, not the groups by {' or '.join(board.groupings)}."
        return skipped("clustering", "errors", 1.0, reason, "Choose a grouping of at least two groups as unit.")
    order = np.argsort(board.group, kind="stable")
    residual = board.rows.residuals(board.fit.log_worth, board.fit.coefficients) * board.factor
    own = board.inverse[board.first, board.first] + board.inverse[board.second, board.second]
    own = own - 2 * board.inverse[board.first, board.second]
    single = float((board.count * residual**2 * own).sum())
    if np.bincount(board.group, weights=board.count).max() < 2:
        return skipped("clustering", "errors", 1.0, f"No group of {board.unit} has two duels.")
    parts = _parts(board, order)
    observed = _squares(board, parts, board.count * residual)
    n_resamples = min(n_resamples, max(_LEAST, _WORK // len(residual)))
    n_larger, n_drawn = 0, 0
    while n_drawn < n_resamples and n_larger < _ENOUGH:
        signs = 2 * rng.binomial(board.count.astype(np.int64), 0.5) - board.count
        n_larger += _squares(board, parts, signs * residual) >= observed * (1 - 1e-12)
        n_drawn += 1
    p = n_larger / n_drawn if n_larger >= _ENOUGH else (n_larger + 1) / (n_drawn + 1)
    effect = observed / single
    sizes = np.bincount(board.group, weights=board.count)
    seen = (
        f"Errors are {math.sqrt(effect):.2f} times as large as for independent duels (design effect {effect:.2f}); "
        f"the {board.n_groups:,} groups by {board.unit} have {sizes.min():,.0f} to {sizes.max():,.0f} duels."
    )
    advice = f"Use std_errors={board.unit!r} and unit={board.unit!r}; duels of one group are not independent."
    largest = sizes.max() / sizes.sum()
    is_ruled = largest > _MOST and board.n_groups > 2
    if is_ruled:
        seen += f" One group has {largest:.0%} of the duels, so errors by {board.unit} are too small."
        advice = f"Add duels of other groups by {board.unit}, or draw single duels by unit='list'."
    return judged("clustering", math.sqrt(effect), "times the error", 1.0, p <= LEVEL or is_ruled, seen, advice, p)


def _parts(board, order):
    """Divide the rows of a board into parts that can be processed with little memory.

    `order` contains the row numbers, sorted by group. All rows of a group are in the same part.
    """
    step = max(1, _CELLS // board.n)
    group = board.group[order]
    cuts = np.searchsorted(group, np.arange(0, board.n_groups + step, step))
    return [order[low:high] for low, high in itertools.pairwise(cuts) if high > low]


def _squares(board, parts, value):
    """Return the sum of the squared lengths of the gradients of all groups.

    The gradient of a group has an entry for each item. The entry is the sum of `value` over the rows in which the item
    is first, minus the sum over the rows in which it is second. The squared length of a gradient g is the product g' V
    g, where V is the inverse information matrix of the log-worths. `parts` contains the row numbers that `_parts`
    returned.
    """
    total = 0.0
    for rows in parts:
        group = board.group[rows] - board.group[rows[0]]
        size = (int(group[-1]) + 1) * board.n
        sums = np.bincount(group * board.n + board.first[rows], weights=value[rows], minlength=size)
        sums -= np.bincount(group * board.n + board.second[rows], weights=value[rows], minlength=size)
        sums = sums.reshape(-1, board.n)
        total += float(((sums @ board.inverse) * sums).sum())
    return total


def influence(board):
    """Find how few groups or duels must be removed to change the first place or the order of two neighbours.

    Neighbours are items with consecutive places. Only pairs of items whose order is statistically clear give a warning.
    """
    units, order, words = _Units(board), board.order, board.words
    error = board.error(board.inverse)
    one_step = [units.fewest(int(order[0]), int(other)) for other in order[1 : 1 + _CHALLENGERS]]
    needed = 1.0 if any(np.argmax(worth) != order[0] for worth in units.without_large.values()) else min(one_step)
    pairs = [(int(order[0]), int(other)) for other in order[1 : 1 + _CHALLENGERS]]
    n_first = len(pairs)
    pairs += zip(order[1:-1].tolist(), order[2:].tolist(), strict=True)
    found = [
        (k >= n_first, number, pair)
        for k, pair in enumerate(pairs)
        if (number := units.deciding(*pair, error[pair])) is not None
    ]
    z = (board.worth[order[0]] - board.worth[order[1]]) / error[pairs[0]] if error[pairs[0]] > 0 else 0.0
    by_chance = _by_chance(z, units.number)
    if not found:
        who = board.name(order[:1])
        seen = f"No removal of {words} would change the first place of {who}."
        if np.isfinite(needed):
            seen = f"Without about {needed:,.0f} of {units.number:,} {words}, {who} would lose the first place."
        return judged("influence", needed, words, by_chance, False, seen, "")
    _, number, (upper, lower) = min(found)
    z = (board.worth[upper] - board.worth[lower]) / error[upper, lower]
    by_chance = _by_chance(z, units.number)
    which = (
        "these duels"
        if board.group is None
        else f"{board.unit} {board.name_groups(units.chosen(upper, lower, number))}"
    )
    seen = (
        f"Without {number:,} of {units.number:,} {words}, {board.name([lower])} would pass {board.name([upper])}. If "
        f"all had independent effects of similar size, about {by_chance:,.0f} would be needed."
    )
    advice = f"Look at {which} first. Show the board without them, or learn reliabilities (weighting='global')."
    return judged("influence", number, words, by_chance, True, seen, advice)


class _Units:
    """Groups of duels, or single duels, that may be removed from a board; each is called a unit."""

    def __init__(self, board):
        self.board, self.number = board, board.n_groups
        scores = board.rows.scores(board.fit.log_worth, board.fit.coefficients)[0]
        if board.group is None:
            self.scores, self.count = scores * board.factor[:, None], board.count
        else:
            self.scores = csr_array(board.by_group @ (scores * board.weight[:, None]))
            self.count = np.ones(self.number)

    @cached_property
    def without_large(self):
        """Dict that maps each group with a large share of the duels to the log-worths fitted without this group."""
        if self.board.group is None:
            return {}
        weight = np.bincount(self.board.group, weights=self.board.weight)
        large = np.flatnonzero(weight > _LARGE * weight.sum())
        fits = {int(one): self._fit_without(self.board.group == one) for one in large}
        return {one: fit.log_worth for one, fit in fits.items() if fit.converged.all()}

    def chosen(self, upper, lower, number):
        """Return the units (groups or duels) whose removal moves item `lower` ahead of item `upper`.

        `number` is how many units are needed, as returned by :meth:`deciding`.
        """
        alone = self._alone(upper, lower)
        return alone[:1] if number == 1 and alone else self.order(upper, lower)[:number]

    def _alone(self, upper, lower):
        """Return the groups in `without_large` whose removal alone moves item `lower` ahead of item `upper`."""
        return [one for one, worth in self.without_large.items() if worth[lower] > worth[upper]]

    def pull(self, upper, lower):
        """Estimate, by one Newton step, how much each unit (group or duel) adds to the lead of `upper` over `lower`."""
        return self.scores @ (self.board.inverse[upper] - self.board.inverse[lower])

    def order(self, upper, lower):
        """Return the units (groups or duels) that increase the lead of `upper` over `lower`, largest increase first."""
        pull = self.pull(upper, lower)
        order = np.argsort(-pull, kind="stable")
        return order[: np.searchsorted(-pull[order], 0.0)]

    def fewest(self, upper, lower):
        """Estimate, by one Newton step, how many units (groups or duels) to remove to move `lower` ahead of `upper`."""
        pull, order = self.pull(upper, lower), self.order(upper, lower)
        total, count = np.cumsum((pull * self.count)[order]), np.cumsum(self.count[order])
        gap = self.board.worth[upper] - self.board.worth[lower]
        k = int(np.searchsorted(total, gap))
        if k == len(order):
            return np.inf
        before, start = (total[k - 1], count[k - 1]) if k else (0.0, 0.0)
        return float(start + np.ceil((gap - before) / pull[order[k]]))

    def deciding(self, upper, lower, error):
        """Return how many units (groups or duels) decide the order of two items.

        The result is None if the order is unclear, or if many units decide it.
        """
        gap = self.board.worth[upper] - self.board.worth[lower]
        if not gap > -stdtrit(np.inf, LEVEL / 2) * error or error == 0:
            return None
        most = int(min(max(1.0, _FEW * self.number), _FEWER * _by_chance(gap / error, self.number), self.number - 1))
        if most and self._alone(upper, lower):
            return 1
        pull, order = self.pull(upper, lower), self.order(upper, lower)
        before = np.cumsum(self.count[order]) - self.count[order]
        removed = np.clip(most - before, 0, self.count[order])
        if not most or (removed * pull[order]).sum() < _REACH * gap:
            return None
        return self._confirm(order, upper, lower, most)

    def _confirm(self, order, upper, lower, most):
        """Find, by repeated fits, how many units (groups or duels) to remove to move `lower` ahead of `upper`.

        The units are removed in the given order. Return None if more than `most` units must be removed.
        """
        if not self._changes(order, upper, lower, most):
            return None
        low, high = 0, most
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if self._changes(order, upper, lower, middle) else (middle, high)
        return high

    def _changes(self, order, upper, lower, number):
        """Fit the board again without the first `number` units of `order`; return True if `lower` is then ahead."""
        board, gone = self.board, np.zeros(len(self.count))
        before = np.cumsum(self.count[order]) - self.count[order]
        gone[order] = np.clip(number - before, 0, self.count[order])
        fit = self._fit_without(gone / self.count if board.group is None else gone[board.group])
        return bool(fit.converged.all()) and fit.log_worth[lower] > fit.log_worth[upper]

    def _fit_without(self, gone):
        """Fit the model of the board again without some duels.

        `gone` contains, for each row of the board, the share of its duels that is left out.
        """
        board = self.board
        return board.rows.with_weight(board.weight * (1 - gone)).fit(prior=board.prior, start=board.fit)


def _by_chance(z, number):
    """Return the number of units (groups or duels) whose removal would cancel a lead of `z` standard errors.

    There are `number` units. Their effects on the lead are assumed to be independent and normally distributed. The
    units with the largest effects are removed first.
    """
    density = z / math.sqrt(number)
    if density <= 0:
        return 0.0
    if density >= 1 / math.sqrt(2 * math.pi):
        return number / 2
    return number * (1 - float(ndtr(math.sqrt(-2 * math.log(density * math.sqrt(2 * math.pi))))))
