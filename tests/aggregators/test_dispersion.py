"""Mallows' dispersion around Kemeny's consensus, compared with all permutations and generated lists."""

import itertools
import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize_scalar

from skrankagg import Kemeny, RankedLists
from skrankagg.aggregators._kemeny import _dispersion
from skrankagg.aggregators._kemeny._dispersion import dispersion
from skrankagg.datasets import make_mallows

pytestmark = pytest.mark.twice


def distances(n):
    """Return the distance of every order of n items to one of them."""
    pairs = list(itertools.combinations(range(n), 2))
    return np.array([sum(p[i] > p[j] for i, j in pairs) for p in itertools.permutations(range(n))])


DISTANCES = {n: distances(n) for n in range(2, 7)}


def log_likelihood(phi, n, distance, weight):
    return distance * math.log(phi) - weight * math.log((phi ** DISTANCES[n].astype(float)).sum())


def fit(lists, **options):
    return Kemeny(**options).aggregate(lists)[1][["dispersion", "log_likelihood"]].to_numpy()


@given(n=st.integers(2, 6), share=st.floats(0.01, 0.99), weight=st.floats(0.1, 50))
@settings(max_examples=80, deadline=None)
def test_dispersion_maximizes_the_likelihood_over_all_permutations(n, share, weight):
    distance = share * weight * n * (n - 1) / 4
    phi, likelihood = (float(one[0]) for one in dispersion(*map(np.array, ([n], [distance], [weight]))))
    assert likelihood == pytest.approx(log_likelihood(phi, n, distance, weight), rel=1e-10)
    best = minimize_scalar(
        lambda x: -log_likelihood(x, n, distance, weight), bounds=(1e-9, 1), method="bounded", options={"xatol": 1e-10}
    )
    assert likelihood >= -best.fun - 1e-9 * abs(best.fun) and phi == pytest.approx(best.x, abs=1e-5)
    # The expected distance is the observed one.
    power = phi ** DISTANCES[n].astype(float)
    assert (power @ DISTANCES[n]) / power.sum() == pytest.approx(distance / weight, rel=1e-9)


def expected_distance(theta, n):
    """Compute the expected distance in high precision to avoid cancellation."""
    from decimal import Decimal, localcontext

    with localcontext() as context:
        context.prec = 60
        t = Decimal(theta)
        return float(n / (t.exp() - 1) - sum(j / ((j * t).exp() - 1) for j in range(1, n + 1)))


def test_dispersion_inverts_the_expected_distance_for_all_sizes():
    n, theta = (one.ravel() for one in np.meshgrid([2, 3, 7, 40, 300], [1e-9, 1e-5, 1e-3, 0.02, 0.1, 1.0, 5.0, 20.0]))
    mean = np.array([expected_distance(*pair) for pair in zip(theta, n.tolist(), strict=True)])
    phi, _ = dispersion(n, mean, np.ones(len(n)))
    np.testing.assert_allclose(phi, np.exp(-theta), rtol=1e-10)
    alone = [dispersion(n[[k]], mean[[k]], np.ones(1))[0][0] for k in range(len(n))]
    np.testing.assert_array_equal(alone, phi)


def test_solve_gets_nearer_to_the_solution_in_each_step(monkeypatch):
    n, theta = np.array([3, 7, 40]), 0.5
    mean = np.array([expected_distance(theta, one) for one in n.tolist()])
    errors = []
    for steps in range(1, 5):
        monkeypatch.setattr(_dispersion, "_MOST_STEPS", steps)
        errors.append(np.abs(_dispersion._solve(n, mean) - theta).max())
    assert sorted(errors, reverse=True) == errors and errors[0] > 1e-3 and errors[-1] < 1e-6


def test_dispersion_power_series_is_as_accurate_as_the_exact_formula():
    # Up to where it ends, its third term changes the tenth digit.
    n = np.array([2, 3, 7, 40, 300])
    theta = 0.98 * _dispersion._SMALL / n
    mean = np.array([expected_distance(*pair) for pair in zip(theta.tolist(), n.tolist(), strict=True)])
    np.testing.assert_allclose(_dispersion._solve(n, mean), theta, rtol=2e-11)


def test_dispersion_handles_identical_and_random_lists():
    lists = RankedLists.from_lists([list("abc")] * 4)
    assert fit(lists).tolist() == [[0.0, 0.0]]
    apart = RankedLists.from_lists([list("abc"), list("cba")])
    np.testing.assert_allclose(fit(apart), [[1.0, -2 * math.log(6)]])
    # Further apart than random orders are on average: of two items, most disagree with an order that was not searched.
    phi, likelihood = dispersion(np.array([3]), np.array([20.0]), np.array([10.0]))
    assert phi[0] == 1 and likelihood[0] == pytest.approx(-10 * math.log(6))


@pytest.mark.filterwarnings("ignore::skrankagg.exceptions.NotComparedWarning")
def test_kemeny_dispersion_is_missing_for_partial_or_tied_lists():
    cut = pd.DataFrame({"query": "cut", "voter": list("uuuvv"), "item": list("abcab"), "rank": [1, 2, 3, 1, 2]})
    tied = pd.DataFrame({"query": "tied", "voter": list("uuuvvv"), "item": list("abcabc"), "rank": [1, 2, 3, 1, 1, 2]})
    single = pd.DataFrame({"query": "single", "voter": list("uv"), "item": "a", "rank": 1})
    full = pd.DataFrame({"query": "full", "voter": list("uuuvvv"), "item": list("abcacb"), "rank": [1, 2, 3] * 2})
    found = Kemeny().fit(pd.concat([cut, tied, single, full])).query_info_.set_index("query")
    assert found["dispersion"].isna().to_dict() == {"cut": True, "full": False, "single": True, "tied": True}
    assert (found["log_likelihood"].isna() == found["dispersion"].isna()).all()
    assert np.isnan(fit(full, consensus_ties="weak")).all()
    # Lists of weight 0 are ignored unless they contain further items.
    silent = pd.concat([full.assign(weight=1), cut.assign(query="full", voter=cut["voter"] + "0", weight=0)])
    np.testing.assert_allclose(fit(silent), fit(full))
    assert np.isnan(fit(silent.assign(weight=0))).all()
    more = pd.concat([full.assign(weight=1), single.assign(query="full", voter=["x", "y"], item="d", weight=0)])
    assert np.isnan(fit(more)).all()


def test_kemeny_dispersion_treats_integer_weights_as_copies():
    lists = make_mallows(n_voters=4, n_items=5, phi=0.7, random_state=3)
    heavy = lists.assign(weight=np.where(lists["voter"] == "v1", 3, 1))
    copies = pd.concat([lists, *(lists[lists["voter"] == "v1"].assign(voter=f"c{k}") for k in range(2))])
    np.testing.assert_allclose(fit(heavy), fit(copies))
    np.testing.assert_allclose(fit(heavy.assign(weight=heavy["weight"] * 0.3))[:, 0], fit(copies)[:, 0])


@pytest.mark.parametrize("phi", [0.3, 0.8, 0.95])
def test_kemeny_dispersion_recovers_the_dispersion_of_mallows_lists(phi):
    lists = make_mallows(n_queries=3, n_voters=400, n_items=12, phi=phi, random_state=0)
    np.testing.assert_allclose(fit(lists)[:, 0], phi, atol=0.02)


def test_kemeny_dispersion_is_independent_of_blocks_of_queries(monkeypatch):
    rng = np.random.default_rng(0)
    parts = [
        make_mallows(n_voters=5, n_items=int(n), phi=0.8, random_state=k) for k, n in enumerate(rng.integers(1, 12, 30))
    ]
    lists = pd.concat([part.assign(query=k) for k, part in enumerate(parts)])
    expected = fit(lists)
    assert np.isnan(expected[:, 0]).tolist() == [len(part) == 5 for part in parts]
    monkeypatch.setattr(_dispersion, "_CELLS", 1)
    np.testing.assert_allclose(fit(lists), expected, rtol=1e-12)
