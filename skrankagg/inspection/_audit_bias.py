"""Checks of a board's duels: advantage of the item shown first, verdicts that change with the order, and cycles."""

import math

import numpy as np
from scipy.sparse import csr_array
from scipy.special import chdtrc
from scipy.stats import binomtest

from ..aggregators import PlackettLuce
from ..aggregators._models._duel_rows import DuelRows
from ..aggregators._models._published_scale import ELO_POINTS
from ..aggregators._models._standard_errors import invert_information
from ..exceptions import InputError
from ._audit_checks import judged, skipped
from ._audited_duels import LEVEL, POSITION

# The position check is skipped if less than this share of the pairs came in both orders.
_BOTH_ORDERS = 0.2
# The position check is skipped if the two names are in the same alphabetical order in more than this share of duels.
_SORTED = 0.95
# With fewer groups, a test by random signs cannot reach p = 1 %, because it has only 2 ** (groups - 1) different draws.
_SIGNED_GROUPS = 8
# If a pair has fewer decided duels, p-values from the chi-square distribution or from signs alone are inaccurate.
_EXPECTED = 5
# Largest number of items that are searched for cycles, and largest number of cycles that a sentence names.
_SEARCHED, _NAMED = 150, 3
# A cycle is named if its weakest edge is at least this share of the weakest edge of the clearest cycle.
_WEAKEST = 0.5

_READ_SLOTS = "Read a file that contains the order in which the items were shown."
_READ_POSITION = "Read columns of the first item, the second item and the outcome, with position=True."


def position(board, lists, is_fitted):
    """Estimate the advantage of the item that is shown first, and return the row of the audit.

    `is_fitted` is True if the method of the board takes this advantage into account.
    """
    reason = _without_slots(board)
    if reason:
        return skipped("position", "Elo", 0.0, *reason)
    decisive = board.share[board.share != 0.5]
    if len(decisive) and np.ptp(decisive) == 0:
        reason = "The same slot won all decided duels, so the columns seem to be winners and losers."
        return skipped("position", "Elo", 0.0, reason, _READ_SLOTS)
    method = PlackettLuce(
        prior=board.prior, absent="ignore", covariates=[POSITION], std_errors=board.unit or "voters", votes=None
    )
    try:
        ratings = method.fit_transform(lists)
    except InputError as error:  # the data do not determine the effect
        return skipped("position", "Elo", 0.0, str(error))
    effect, error, p = method.coefficients_.loc[0, ["coefficient", "std_error", "p"]].astype(float)
    worth = ratings.set_index("item")["score"].reindex(board.items).to_numpy()
    n_moved = int((board.clear & (worth[:, None] < worth)).sum())
    seen = (
        f"The item shown first gains {ELO_POINTS * effect:+.1f} Elo (standard error {ELO_POINTS * error:.1f}). "
        f"Without this gain, {n_moved} clear pair{'' if n_moved == 1 else 's'} would change order."
    )
    if is_fitted:
        seen += " The method takes this into account."
    advice = (
        "Fit the position too, with PlackettLuce(covariates=['position']), or judge both orders and read the verdicts "
        "with reconcile=True."
    )
    return judged("position", ELO_POINTS * effect, "Elo", 0.0, p <= LEVEL and not is_fitted, seen, advice, p)


def _without_slots(board):
    """Return the reason for skipping the position check, and advice; return None if the display order is known."""
    if not board.has_slots:
        return "The lists do not contain the order in which the items were shown.", _READ_POSITION
    weight = board.count
    n, games = board.n, np.zeros((board.n, board.n))
    np.add.at(games, (board.first, board.second), weight)
    upper = np.triu_indices(n, 1)
    one, other = games[upper], games.T[upper]
    twice = one + other >= 2
    both = (one > 0) & (other > 0)
    share = both.sum() / twice.sum() if twice.any() else 0.0
    if share < _BOTH_ORDERS:
        reason = f"Only {share:.0%} of the pairs came in both orders, so position and quality are hard to tell apart."
        return reason, _READ_SLOTS
    in_order = weight[board.first < board.second].sum() / weight.sum()
    if not 1 - _SORTED < in_order < _SORTED:
        return (
            f"In {max(in_order, 1 - in_order):.0%} of the duels the names are sorted, so the columns are not slots.",
            _READ_SLOTS,
        )
    return None


def flips(board):
    """Test whether judges who see two items in both display orders prefer the item shown first or second.

    The test uses two kinds of pairs of items. In one kind, the item shown first wins in both orders. In the other kind,
    the item shown second wins in both orders. The test compares the numbers of pairs of the two kinds.
    """
    if not board.has_slots:
        return skipped(
            "flips", "Elo", 0.0, "The lists do not contain the order in which the items were shown.", _READ_POSITION
        )
    first, second, n_both = _twice_judged(board)
    if not n_both:
        return skipped(
            "flips",
            "Elo",
            0.0,
            "No pair was judged once in each order in the same groups.",
            "Name the columns that both verdicts have in common, such as voter='judge' and groups=['prompt'].",
        )
    n_flips = first + second
    p = binomtest(first, n_flips).pvalue if n_flips else 1.0
    # If b is the advantage of the first slot, it wins both verdicts e^(2 b) times as often as the second slot.
    size = ELO_POINTS / 2 * math.log((first + 0.5) / (second + 0.5))
    seen = (
        f"Of {n_both:,} pairs judged in both orders, the first item won both times in {first:,}, and the second in "
        f"{second:,}."
    )
    advice = "Read the verdicts with reconcile=True: if the winner changes with the order, the pair is a tie."
    return judged("flips", size, "Elo", 0.0, p <= LEVEL, seen, advice, p)


def _twice_judged(board):
    """Count the pairs of items that the same judge compared exactly once in each display order; return three numbers.

    Duels have the same judge if all their groups are the same. A pair of items is counted for each such judge. The
    first number counts the pairs in which the item shown first won both times. The second number counts the pairs in
    which the item shown second won both times. The third number counts all pairs.
    """
    if not board.groupings:
        return 0, 0, 0
    low, high = np.minimum(board.first, board.second), np.maximum(board.first, board.second)
    key = np.unique((board.cell * board.n + low) * board.n + high, return_inverse=True)[1]
    number = int(key.max(initial=-1)) + 1
    forward = board.first == low

    def sums(value):
        weights = value * board.count
        return (np.bincount(key[side], weights=weights[side], minlength=number) for side in (forward, ~forward))

    each = np.ones(len(key))
    once, again = sums(each)
    matched = (once == 1) & (again == 1)
    won, won_again = sums((board.share > 0.5).astype(float))
    lost, lost_again = sums((board.share < 0.5).astype(float))
    both_first = matched & (won == 1) & (won_again == 1)
    both_second = matched & (lost == 1) & (lost_again == 1)
    return int(both_first.sum()), int(both_second.sum()), int(matched.sum())


def cycles(board, n_resamples, rng):
    """Test the decided duels for cycles, such as: a beats b, b beats c, and c beats a.

    A duel is decided if it is not tied. A chi-square statistic compares the wins in each pair of items with the wins
    that a fitted model predicts. The model is Bradley and Terry's model with an additional cubic term.
    """
    decided = np.isin(board.share, (0.0, 1.0))
    pairs = _Pairs(board, decided)
    freedom = len(pairs.low) - (board.n - 1) - 1
    if freedom < 1 or not decided.any():
        return skipped("cycles", "logits", 0.0, "Too few pairs met to find cycles.")
    fit = pairs.fit(board.prior)
    statistic = float(fit.statistic)
    with_signs = board.n_groups >= _SIGNED_GROUPS if board.group is not None else (board.factor != 1).any()
    are_few = pairs.number.min() < _EXPECTED
    ps, hows = [], []
    if with_signs:
        group = np.arange(len(board.first)) if board.group is None else board.group
        ps.append(_by_signs(pairs, fit, group[decided], statistic, n_resamples, rng))
        hows.append("random signs of groups")
    if are_few:
        ps.append(_by_draws(pairs, fit, statistic, board.prior, n_resamples, rng))
        hows.append("draws from the fit")
    if not ps:
        ps, hows = [float(chdtrc(freedom, statistic))], ["the chi-square distribution"]
    p, how = max(ps), " and ".join(hows)
    excess = max(statistic - freedom, 0.0) * len(pairs.low) / (freedom * fit.variance.sum())
    size = math.sqrt(excess)
    seen = (
        f"The chi-square of {len(pairs.low):,} pairs is {statistic:.1f}, with {freedom} degrees of freedom; p is from "
        f"{how}. Results of pairs differ from the fit by a standard deviation of {ELO_POINTS * size:.0f} Elo."
    )
    warns = p <= LEVEL
    if warns:
        seen += _name_triples(board, pairs, fit)
    advice = "One rating for each item does not describe who beats whom. Also show the results of each pair."
    return judged("cycles", size, "logits", 0.0, warns, seen, advice, p)


class _Pairs:
    """Decided (untied) duels of a board, counted for each pair of items."""

    def __init__(self, board, decided):
        first, second = board.first[decided], board.second[decided]
        low, high = np.minimum(first, second), np.maximum(first, second)
        code, self.pair = np.unique(low * board.n + high, return_inverse=True)
        self.low, self.high = np.divmod(code, board.n)
        self.n, weight = board.n, board.weight[decided]
        #: Result of each duel for the item with the lower number, from 0 to 1.
        self.share = np.where(first == low, board.share[decided], 1 - board.share[decided])
        self.weight = weight
        self.number = np.bincount(self.pair, weights=weight, minlength=len(code))
        self.won = np.bincount(self.pair, weights=weight * self.share, minlength=len(code))

    def fit(self, prior, won=None):
        """Fit Bradley and Terry's model, and fit it again with a cubic term; return the second fit as `_FitOfPairs`.

        The model has a log-worth (strength) for each item. The term is the cube of the difference between the
        log-worths of the two items in the first fit. `won`, of shape (n_draws, n_pairs), contains the number of wins of
        each pair in each drawn data set. None uses the wins in the data.
        """
        won = self.won[None] if won is None else won
        n_draws = len(won)
        shift = self.n * np.arange(n_draws)[:, None]
        low, high = (self.low + shift).ravel(), (self.high + shift).ravel()
        number = np.tile(self.number, n_draws)
        rows = DuelRows(low, high, won.ravel() / number, number, candidate_ptr=self.n * np.arange(n_draws + 1))
        plain = rows.fit(prior=prior)
        cubic = (plain.log_worth[low] - plain.log_worth[high]) ** 3
        bent = rows.with_covariates(cubic[:, None])
        fit = bent.fit(prior=prior)
        odds = bent.log_odds(fit.log_worth, fit.coefficients)
        failed = np.repeat(~fit.converged, len(self.low))
        odds = np.where(failed, plain.log_worth[low] - plain.log_worth[high], odds)
        return _FitOfPairs(odds, cubic, won, number, self)


class _FitOfPairs:
    """Residuals and variances of the number of wins in each pair of items, according to a fitted model.

    The wins are from one data set or from several drawn data sets.
    """

    def __init__(self, odds, cubic, won, number, pairs):
        probability = 1 / (1 + np.exp(-odds))
        self.probability = probability.reshape(won.shape)
        self.variance = (number * probability * (1 - probability)).reshape(won.shape)
        self.residual = won - number.reshape(won.shape) * self.probability
        if len(won) == 1:
            self.variance, self.residual, self.probability = self.variance[0], self.residual[0], self.probability[0]
        self.statistic = _chi_square(self.residual, self.variance)
        design = np.zeros((len(pairs.low), pairs.n + 1))
        each = np.arange(len(pairs.low))
        design[each, pairs.low], design[each, pairs.high] = 1.0, -1.0
        # The rank of the design depends on the sizes of its columns, so scale the cubic term like the other columns.
        own = cubic[: len(pairs.low)]
        design[:, -1] = own / max(np.sqrt(np.mean(own**2)), np.finfo(np.float64).tiny)
        self.design = design


def _chi_square(residual, variance):
    """Return the chi-square statistic: the sum over pairs of the squared residual divided by the variance.

    Pairs with a variance of 0 add nothing.
    """
    return np.divide(residual**2, variance, out=np.zeros_like(residual), where=variance > 0).sum(axis=-1)


def _by_draws(pairs, fit, statistic, prior, n_resamples, rng):
    """Return the p-value of the chi-square statistic, from random data sets that the fitted model generates."""
    won = rng.binomial(np.rint(pairs.number).astype(np.int64), fit.probability, size=(n_resamples, len(pairs.low)))
    drawn = pairs.fit(prior, won.astype(np.float64))
    larger = drawn.statistic >= statistic
    return float((1 + larger.sum()) / (1 + n_resamples))


def _by_signs(pairs, fit, group, statistic, n_resamples, rng):
    """Return the p-value of the chi-square statistic, from draws of a random sign for each group.

    `group` contains the group of each duel. Each draw multiplies all residuals of a group by the sign of the group.
    """
    own = (pairs.share - fit.probability[pairs.pair]) * pairs.weight
    number = np.unique(group, return_inverse=True)[1]
    residual = csr_array((own, (number, pairs.pair)), shape=(int(number.max()) + 1, len(pairs.low)))
    weighted = fit.design * fit.variance[:, None]
    project = weighted @ invert_information(fit.design.T @ weighted)[0]
    n_larger = 0
    for start in range(0, n_resamples, 100):
        signs = rng.choice([-1.0, 1.0], size=(min(100, n_resamples - start), residual.shape[0]))
        drawn = signs @ residual
        drawn = drawn - (drawn @ fit.design) @ project.T
        n_larger += int((_chi_square(drawn, fit.variance) >= statistic).sum())
    return (1 + n_larger) / (1 + n_resamples)


def _name_triples(board, pairs, fit):
    """Return a sentence that names cycles of three items, with the clearest cycles first.

    In such a cycle, each item beats the next item more often than the fit predicts. The text is empty if no cycle is
    found.
    """
    z = np.zeros((board.n, board.n))
    z[pairs.low, pairs.high] = fit.residual / np.sqrt(np.maximum(fit.variance, np.finfo(np.float64).tiny))
    z -= z.T
    searched = np.argsort(-np.abs(z).max(axis=1), kind="stable")[:_SEARCHED]
    own = z[np.ix_(searched, searched)]
    found = []
    for a in range(len(searched)):
        # The weakest edge of a > b > c > a, where a is the item searched first.
        weakest = np.minimum(np.minimum(own[a][:, None], own), own[:, a])
        weakest[: a + 1] = weakest[:, : a + 1] = 0.0
        for place in np.argsort(-weakest, axis=None)[:_NAMED]:
            b, c = np.unravel_index(place, weakest.shape)
            found.append((float(weakest[b, c]), (a, int(b), int(c))))
    found = sorted(found, reverse=True)[:_NAMED]
    found = [one for one in found if one[0] > _WEAKEST * max(found[0][0], 1e-9)]
    names = []
    for _, triple in found:
        items = searched[list(triple)]
        items = np.roll(items, -int(items.argmin()))
        names.append(" > ".join(board.name([k]) for k in [*items, items[0]]))
    return f" Each item beats the next more often than fitted: {'; '.join(names)}." if names else ""
