"""Fits of duels with covariates, compared with statsmodels, with SciPy and with differences of the log-likelihood."""

import numpy as np
import pytest
from scipy.optimize import minimize

from skrankagg import RankedLists
from skrankagg.aggregators._models._duel_rows import DuelRows
from skrankagg.aggregators._models._newton_rows import FAR, NewtonRows

# Two queries of five and four items, whose numbers of duels differ.
PTR = [0, 5, 9]


def draw(seed=0, n=400, ties=True, coefficients=(0.7, -0.3)):
    """Draw duels of two queries: first and second candidate, share, weight and covariates."""
    rng = np.random.default_rng(seed)
    query = np.sort(rng.random(n) < 0.4).astype(int)
    size = np.diff(PTR)[query]
    one = rng.integers(0, size)
    other = (one + rng.integers(1, size)) % size
    first, second = one + np.array(PTR)[query], other + np.array(PTR)[query]
    x = np.stack([3 * rng.normal(size=n), np.ones(n)], axis=1)
    worth = rng.normal(size=PTR[-1])
    odds = worth[first] - worth[second] + x @ (np.array(coefficients) / [3, 1])
    share = (rng.random(n) < 1 / (1 + np.exp(-odds))).astype(float)
    share[ties * rng.random(n) > 0.8] = 0.5
    share[ties * rng.random(n) > 0.9] = 0.7
    return first, second, share, rng.integers(1, 4, n).astype(float), x


def dummies(first, second, n_items):
    """Return the design matrix of the duels, without a column for the first item."""
    design = np.zeros((len(first), n_items))
    design[np.arange(len(first)), first] = 1
    design[np.arange(len(first)), second] = -1
    return design[:, 1:]


@pytest.mark.parametrize("q", [0, 1])
def test_a_fit_without_prior_equals_a_binomial_regression(q):
    models = pytest.importorskip("statsmodels.api", reason="statsmodels is the oracle")
    first, second, share, weight, x = draw()
    rows = DuelRows(first, second, share, weight, x, candidate_ptr=PTR)
    fit = rows.fit(prior=0)
    own = rows.query == q
    n_items = PTR[q + 1] - PTR[q]
    design = np.hstack([dummies(first[own] - PTR[q], second[own] - PTR[q], n_items), x[own]])
    expected = models.GLM(share[own], design, models.families.Binomial(), freq_weights=weight[own]).fit(tol=1e-14)
    worth = fit.log_worth[PTR[q] : PTR[q + 1]]
    assert fit.converged.all()
    assert worth.sum() == pytest.approx(0, abs=1e-9)
    assert worth[1:] - worth[0] == pytest.approx(expected.params[: n_items - 1], abs=1e-8)
    assert fit.coefficients[q] == pytest.approx(expected.params[n_items - 1 :], abs=1e-8)
    # The information without the first item is the inverse of the covariance.
    information = list(rows.information(fit.log_worth, fit.coefficients))[q][1:, 1:]
    assert np.linalg.inv(information) == pytest.approx(expected.cov_params(), abs=1e-8)


def test_whole_wins_equal_a_logistic_regression():
    models = pytest.importorskip("statsmodels.api", reason="statsmodels is the oracle")
    first, second, share, _, x = draw(ties=False)
    own = first < PTR[1]
    first, second, share, x = first[own], second[own], share[own], x[own]
    fit = DuelRows(first, second, share, covariates=x, candidate_ptr=PTR[:2]).fit(prior=0)
    expected = models.Logit(share, np.hstack([dummies(first, second, PTR[1]), x])).fit(disp=0, tol=1e-14)
    assert fit.log_worth[1:] - fit.log_worth[0] == pytest.approx(expected.params[:-2], abs=1e-8)
    assert fit.coefficients[0] == pytest.approx(expected.params[-2:], abs=1e-8)
    rows = DuelRows(first, second, share, covariates=x, candidate_ptr=PTR[:2])
    assert rows.log_likelihood(fit.log_worth, fit.coefficients) == pytest.approx(expected.llf)


@pytest.mark.parametrize("pooled", [False, True])
@pytest.mark.parametrize("ridge", [0.0, 2.0])
def test_the_posterior_is_the_largest(pooled, ridge):
    first, second, share, weight, x = draw(1)
    rows = DuelRows(first, second, share, weight, x, candidate_ptr=PTR, pooled=pooled)
    n, sets = PTR[-1], 1 if pooled else 2
    size = np.array(
        [
            np.sqrt(np.average(x[own] ** 2, weights=weight[own], axis=0))
            for own in ([slice(None)] if pooled else [rows.query == 0, rows.query == 1])
        ]
    )
    assert rows.scale == pytest.approx(size)

    def minus_posterior(variables):
        worth, b = variables[:n], variables[n:].reshape(sets, 2)
        odds = worth[first] - worth[second] + (x * b[0 if pooled else rows.query]).sum(axis=1)
        likelihood = (weight * (share * odds - np.logaddexp(0, odds))).sum()
        prior = (0.5 * worth - np.logaddexp(0, worth)).sum()
        return -(likelihood + prior - ridge / 2 * ((b * size) ** 2).sum())

    found = minimize(minus_posterior, np.zeros(n + 2 * sets), method="BFGS", options={"gtol": 1e-6})
    fit = rows.fit(prior=0.5, ridge=ridge)
    assert fit.converged.all() and fit.coefficients.shape == (sets, 2)
    assert fit.log_worth == pytest.approx(found.x[:n], abs=1e-5)
    assert fit.coefficients.ravel() == pytest.approx(found.x[n:], abs=1e-5)


@pytest.mark.parametrize("pooled", [False, True])
def test_scores_and_information_are_the_derivatives(pooled):
    first, second, share, weight, x = draw(2, n=60)
    rows = DuelRows(first, second, share, weight, x, candidate_ptr=PTR, pooled=pooled)
    rng = np.random.default_rng(3)
    n, sets = PTR[-1], 1 if pooled else 2
    point = rng.normal(size=n + 2 * sets)

    def split(variables):
        return variables[:n], variables[n:].reshape(sets, 2)

    def of_duels(variables):
        odds = rows.log_odds(*split(variables))
        return share * odds - np.logaddexp(0, odds)

    steps = 1e-5 * np.eye(len(point))
    numeric = np.stack([(of_duels(point + step) - of_duels(point - step)) / 2e-5 for step in steps], axis=1)
    by_worth, by_coefficient = rows.scores(*split(point))
    assert by_worth.toarray() == pytest.approx(numeric[:, :n], abs=1e-8)
    own = numeric[:, n:] if pooled else np.where(rows.query[:, None] == 0, numeric[:, n:-2], numeric[:, -2:])
    assert by_coefficient == pytest.approx(own, abs=1e-8)

    def slope(variables):
        plain, dense = rows.scores(*split(variables))
        return np.concatenate([(weight[:, None] * plain.toarray()).sum(axis=0), (weight[:, None] * dense).sum(axis=0)])

    for q, information in enumerate(rows.information(*split(point))):
        mine = np.append(np.arange(PTR[q], PTR[q + 1]), n + np.arange(2) + (0 if pooled else 2 * q))
        alone = DuelRows.take(rows, rows.query == q)

        def slope_of_query(variables, alone=alone):
            plain, dense = alone.scores(*split(variables))
            return np.concatenate([alone.weight @ plain, alone.weight @ dense])

        at = np.append(np.arange(PTR[q], PTR[q + 1]), n + np.arange(2))
        second_order = np.stack(
            [(slope_of_query(point - steps[k]) - slope_of_query(point + steps[k]))[at] / 2e-5 for k in mine], axis=1
        )
        assert information == pytest.approx(second_order, abs=1e-6)


def test_each_query_is_fitted_as_if_it_were_alone():
    first, second, share, weight, x = draw(4)
    rows = DuelRows(first, second, share, weight, x, candidate_ptr=PTR)
    fit = rows.fit()
    for q in range(2):
        own = rows.query == q
        alone = DuelRows(
            first[own] - PTR[q],
            second[own] - PTR[q],
            share[own],
            weight[own],
            x[own],
            candidate_ptr=[0, PTR[q + 1] - PTR[q]],
        ).fit()
        assert fit.log_worth[PTR[q] : PTR[q + 1]] == pytest.approx(alone.log_worth, abs=1e-10)
        assert fit.coefficients[q] == pytest.approx(alone.coefficients[0], abs=1e-10)


@pytest.mark.parametrize("pooled", [False, True])
@pytest.mark.parametrize("prior", [0.0, 0.5])
def test_many_duels_are_fitted_from_the_fit_of_a_sample(pooled, prior):
    first, second, share, weight, x = draw(5, 150_000, ties=False)
    shuffled = np.random.default_rng(0).permutation(len(first))
    arrays = [one[shuffled] for one in (first, second, share, weight, x)]
    rows = DuelRows(*arrays, candidate_ptr=PTR, pooled=pooled)
    plain, fit = NewtonRows.fit(rows, prior=prior), rows.fit(prior=prior)
    assert fit.converged.all() and (fit.n_iter <= plain.n_iter - 2).all()
    assert fit.log_worth == pytest.approx(plain.log_worth, abs=1e-12)
    assert fit.coefficients == pytest.approx(plain.coefficients, abs=1e-12)
    if not pooled:
        for q in range(2):
            own = rows.query == q
            ends = [arrays[0][own] - PTR[q], arrays[1][own] - PTR[q], *(one[own] for one in arrays[2:])]
            alone = DuelRows(*ends, candidate_ptr=[0, PTR[q + 1] - PTR[q]]).fit(prior=prior)
            assert (alone.coefficients[0] == fit.coefficients[q]).all()


def test_a_covariate_that_separates_only_the_sample_does_not_disturb_the_fit():
    first, second, share, weight, x = draw(6, 60_000, ties=False)
    first, second = first % 5, second % 5
    second = np.where(first == second, (second + 1) % 5, second)
    x[::16] = 2 * share[::16, None] - 1
    rows = DuelRows(first, second, share, weight, x[:, :1], candidate_ptr=PTR[:2])
    plain, fit = NewtonRows.fit(rows), rows.fit()
    assert plain.converged.all() and fit.n_iter == plain.n_iter
    assert fit.coefficients == pytest.approx(plain.coefficients, abs=1e-12)


def test_duels_without_covariates_get_a_term_for_the_first_item_and_a_cubic_term():
    first, second, share, weight, _ = draw(5)
    plain = DuelRows(first, second, share, weight, candidate_ptr=PTR, pooled=True)
    fit = plain.fit()
    assert fit.coefficients.shape == (1, 0) and fit.converged.all()
    gap = plain.log_odds(fit.log_worth, fit.coefficients)
    more = plain.with_covariates(np.stack([np.ones(len(first)), gap**3], axis=1))
    other = more.fit()
    assert other.converged.all() and plain.n_covariates == 0
    assert more.log_likelihood(*other[:2]).sum() >= plain.log_likelihood(*fit[:2]).sum() - 0.1
    # At the maximum, the weighted residuals are orthogonal to each column.
    assert other.coefficients.shape == (1, 2)
    assert (weight * more.residuals(*other[:2])) @ more.covariates == pytest.approx([0, 0], abs=1e-8)


def test_lists_of_two_items_become_duels():
    lists = RankedLists.from_lists({"u": ["b", "a"], "v": ["a", "b"]}, query="q")
    tied = RankedLists.from_ballots(["a > b", "a = b"])
    rows = DuelRows.of_lists(lists, np.array([[1.0], [0.0], [5.0], [2.0]]))
    assert (rows.first.tolist(), rows.second.tolist()) == ([1, 0], [0, 1])
    assert rows.covariates.tolist() == [[1.0], [3.0]] and rows.share.tolist() == [1, 1]
    both = DuelRows.of_lists(tied), DuelRows.of_lists(tied, tied_win=1.0)
    assert [one.share.tolist() for one in both] == [[1.0, 0.5]] * 2
    assert [one.weight.tolist() for one in both] == [[1.0, 1.0], [1.0, 2.0]]


def test_a_covariate_that_separates_does_not_converge():
    first, second, share, weight, x = draw(6, ties=False)
    x[:, 0] = share - 0.5
    rows = DuelRows(first, second, share, weight, x, candidate_ptr=PTR)
    fit = rows.fit()
    assert not fit.converged.any() and (np.abs(fit.coefficients * rows.scale)[:, 0] > FAR).all()
    assert rows.fit(ridge=1.0).converged.all()


def test_fit_does_not_converge_after_one_step():
    first, second, share, weight, x = draw(3)
    rows = DuelRows(first, second, share, weight, x, candidate_ptr=PTR)
    one, many = NewtonRows.fit(rows, max_iter=1), NewtonRows.fit(rows)
    assert not one.converged.any() and one.n_iter.tolist() == [1, 1] and many.converged.all()
    assert (rows.log_likelihood(*one[:2]) < rows.log_likelihood(*many[:2]) + 1).all()


def test_fit_with_weights_beyond_floats_does_not_converge():
    first, second, share, weight, x = draw(3)
    with np.errstate(all="ignore"):
        rows = DuelRows(first, second, share, 1e307 * weight, x, candidate_ptr=PTR)
        assert not NewtonRows.fit(rows, max_iter=2).converged.any()


def test_components_that_never_met_have_the_mean_0():
    first, second = np.array([0, 1, 2, 3, 1, 3]), np.array([1, 0, 3, 2, 0, 2])
    fit = DuelRows(first, second, np.ones(6), candidate_ptr=[0, 4]).fit(prior=0)
    worth = np.log(2) / 2
    assert fit.log_worth == pytest.approx([-worth, worth, -worth, worth])
    assert fit.converged.all()


def test_a_start_saves_steps_and_weights_count():
    first, second, share, weight, x = draw(7)
    rows = DuelRows(first, second, share, weight, x, candidate_ptr=PTR)
    fit = rows.fit()
    again = rows.fit(start=fit)
    assert (again.n_iter <= 2).all() and again.log_worth == pytest.approx(fit.log_worth, abs=1e-11)
    copies = np.repeat(np.arange(len(first)), weight.astype(int))
    assert rows.with_weight(np.ones(len(first))).take(copies).fit().log_worth == pytest.approx(fit.log_worth, abs=1e-10)
