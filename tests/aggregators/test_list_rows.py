"""Fits of lists with covariates, compared with Cox's model and the conditional logit of statsmodels."""

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import minimize

from skrankagg import RankedLists
from skrankagg.aggregators._models._duel_rows import DuelRows
from skrankagg.aggregators._models._list_rows import ListRows

pytestmark = pytest.mark.twice

NAMES = ["place", "length"]


def draw(seed=0, n_lists=150, n_items=6, lengths=(3, 6), ties=False, queries=("q",)):
    """Draw lists of the model with two covariates; return a frame."""
    rng = np.random.default_rng(seed)
    parts = []
    for query in queries:
        worth = rng.normal(size=n_items)
        for v in range(n_lists):
            held = rng.permutation(n_items)[: rng.integers(lengths[0], lengths[1] + 1)]
            x = np.stack([rng.permutation(len(held)) + 1.0, 50 * rng.normal(size=len(held))], axis=1)
            u = worth[held] + x @ [-0.3, 0.01] + rng.gumbel(size=len(held))
            rank = np.argsort(np.argsort(-u)) + 1
            if ties and rng.random() < 0.6:
                rank = (rank + 1) // 2
            parts.append(
                pd.DataFrame(
                    {"query": query, "voter": v, "item": held, "rank": rank, "place": x[:, 0], "length": x[:, 1]}
                )
            )
    return pd.concat(parts, ignore_index=True)


def rows_of(frame, ties="average", pooled=False, weights=None):
    """Encode a frame as ListRows."""
    lists = RankedLists.from_frame(frame, covariates=NAMES, weights=weights)
    return ListRows(lists, lists.row_covariates, ties, pooled=pooled)


def dummies(frame):
    """Return the design matrix of the rows: columns for all items except the first, and for the covariates."""
    return np.hstack([np.eye(frame["item"].max() + 1)[frame["item"]][:, 1:], frame[NAMES].to_numpy()])


@pytest.mark.parametrize("lengths", [(2, 2), (3, 3), (3, 8), (2, 5)])
def test_strict_lists_equal_coxs_model_with_strata(lengths):
    duration = pytest.importorskip("statsmodels.duration.hazard_regression", reason="statsmodels is the oracle")
    frame = draw(n_items=8, lengths=lengths)
    rows = rows_of(frame)
    fit = rows.fit(prior=0)
    model = duration.PHReg(frame["rank"], dummies(frame), strata=frame["voter"], ties="breslow")
    expected = model.fit(disp=0, tol=1e-12)
    assert fit.converged.all()
    assert fit.log_worth[1:] - fit.log_worth[0] == pytest.approx(expected.params[:-2], abs=1e-6)
    assert fit.coefficients[0] == pytest.approx(expected.params[-2:], abs=1e-6)
    assert rows.log_likelihood(fit.log_worth, fit.coefficients) == pytest.approx(expected.llf, abs=1e-6)
    information = next(rows.information(fit.log_worth, fit.coefficients))[1:, 1:]
    assert np.sqrt(np.diag(np.linalg.inv(information))) == pytest.approx(expected.bse, rel=1e-6)


def test_breslows_ties_equal_coxs_model():
    duration = pytest.importorskip("statsmodels.duration.hazard_regression", reason="statsmodels is the oracle")
    frame = draw(1, ties=True)
    for ties in ("breslow", "efron"):
        fit = rows_of(frame, ties).fit(prior=0)
        expected = duration.PHReg(frame["rank"], dummies(frame), strata=frame["voter"], ties=ties).fit(disp=0)
        assert fit.coefficients[0] == pytest.approx(expected.params[-2:], abs=1e-5)


def test_exploded_choices_equal_a_conditional_logit():
    discrete = pytest.importorskip("statsmodels.discrete.conditional_models", reason="statsmodels is the oracle")
    frame = draw(2, n_lists=80)
    choices = [
        one[one["rank"] >= rank].assign(chosen=one["rank"] == rank)
        for _, one in frame.groupby("voter")
        for rank in range(1, len(one))
    ]
    choices = pd.concat([one.assign(choice=k) for k, one in enumerate(choices)])
    model = discrete.ConditionalLogit(choices["chosen"].astype(float), dummies(choices), groups=choices["choice"])
    expected = model.fit(method="newton", maxiter=100, tol=1e-12, disp=0)
    fit = rows_of(frame).fit(prior=0)
    assert fit.log_worth[1:] - fit.log_worth[0] == pytest.approx(np.asarray(expected.params)[:-2], abs=1e-6)
    assert fit.coefficients[0] == pytest.approx(np.asarray(expected.params)[-2:], abs=1e-6)


@pytest.mark.parametrize("ties", ["average", "efron", "breslow"])
def test_duels_are_lists_of_two_items(ties):
    frame = draw(3, lengths=(2, 2), ties=True)
    lists = RankedLists.from_frame(frame, covariates=NAMES)
    duels = DuelRows.of_lists(lists, lists.row_covariates, tied_win=0.5 if ties == "average" else 1.0)
    one, other = duels.fit(), rows_of(frame, ties).fit()
    assert one.log_worth == pytest.approx(other.log_worth, abs=1e-10)
    assert one.coefficients == pytest.approx(other.coefficients, abs=1e-10)


@pytest.mark.parametrize("ties", ["average", "efron", "breslow"])
@pytest.mark.parametrize("pooled", [False, True])
def test_derivatives(ties, pooled):
    frame = draw(4, n_lists=25, n_items=5, ties=True, queries=("a", "b"))
    rows = rows_of(frame, ties, pooled, weights={v: 1.0 + v % 3 for v in range(25)})
    rng = np.random.default_rng(5)
    n, sets = rows.n_candidates, rows.n_sets
    point = np.concatenate([rng.normal(size=n), (rng.normal(size=(sets, 2)) / [3, 80]).ravel()])
    steps = np.diag(np.concatenate([np.full(n, 1e-4), np.tile([1e-4, 1e-6], sets)]))

    def split(variables):
        return variables[:n], variables[n:].reshape(sets, 2)

    def slope(variables):
        by_worth, by_coefficient = rows.scores(*split(variables))
        weight = rows.weight[:, None]
        of_sets = (weight * by_coefficient).sum(axis=0, keepdims=True)
        if not pooled:
            of_sets = np.add.reduceat(weight * by_coefficient, rows.lists.list_ptr[:-1], axis=0)
        return np.concatenate([(weight * by_worth.toarray()).sum(axis=0), of_sets.ravel()])

    numeric = [
        (rows.log_likelihood(*split(point + step)) - rows.log_likelihood(*split(point - step))).sum() / (2 * step.sum())
        for step in steps
    ]
    assert slope(point) == pytest.approx(np.array(numeric), rel=1e-6, abs=1e-5)
    second = np.stack([(slope(point - step) - slope(point + step)) / (2 * step.sum()) for step in steps], axis=1)
    found = list(rows.information(*split(point)))
    whole = np.zeros_like(second)
    for q, information in enumerate(found):
        own = np.append(np.arange(*rows.candidate_ptr[q : q + 2]), n + np.arange(2) + (0 if pooled else 2 * q))
        whole[np.ix_(own, own)] += information
    assert whole == pytest.approx(second, rel=1e-5, abs=1e-4)


def test_offsets_of_lists_change_nothing():
    frame = draw(6)
    fit = rows_of(frame).fit()
    moved = frame.assign(length=frame["length"] * 1e-3 + 1e6 * (frame["voter"] % 7))
    other = rows_of(moved).fit()
    assert other.log_worth == pytest.approx(fit.log_worth, abs=1e-4)
    assert other.coefficients[0] * [1, 1e-3] == pytest.approx(fit.coefficients[0], rel=1e-4)
    # Large utilities of whole lists do not overflow.
    assert rows_of(frame.assign(length=frame["length"] + 1e5 * frame["voter"])).fit().converged.all()


def test_pooled_coefficients_are_the_largest():
    frame = draw(7, n_lists=12, queries=("a", "b", "c"))
    rows = rows_of(frame, pooled=True)
    n = rows.n_candidates

    def minus_posterior(variables):
        b = variables[n:][None] / [1, 50]
        prior = (0.5 * variables[:n] - np.logaddexp(0, variables[:n])).sum()
        return -(rows.log_likelihood(variables[:n], b).sum() + prior)

    found = minimize(minus_posterior, np.zeros(n + 2), method="BFGS", options={"gtol": 1e-5}).x
    fit = rows.fit()
    assert fit.log_worth == pytest.approx(found[:n], abs=1e-4)
    assert fit.coefficients[0] * [1, 50] == pytest.approx(found[n:], abs=1e-4)


def test_shares_of_a_design_that_items_and_earlier_covariates_leave():
    frame = draw(8)
    frame["length"] = 2 * frame["place"] + frame["item"] ** 2
    shares = rows_of(frame).undetermined()
    assert shares[0, 0] > 0.1 and abs(shares[0, 1]) < 1e-12
    lists = RankedLists.from_frame(frame, covariates=["length", "place"])
    other = ListRows(lists, lists.row_covariates, "average").undetermined()
    assert other[0, 0] > 0.1 and abs(other[0, 1]) < 1e-12
