"""Minimisation of many functions at once: minima, independent groups, and steps that fail."""

import numpy as np
import pytest

from skrankagg.aggregators._models import _many_minima
from skrankagg.aggregators._models._many_minima import minimise


def test_minimise_finds_the_minima_of_several_groups():
    rng = np.random.default_rng(0)
    group = np.repeat(np.arange(3), 4)
    centre, steep = rng.normal(size=12), np.exp(rng.normal(size=12))

    def function(x):
        return (
            np.bincount(group, weights=steep * (np.cosh(x - centre) - 1)),
            steep * np.sinh(x - centre),
        )

    x, value, n_iter, converged = minimise(function, np.zeros(12), group, 3, np.ones(12), tol=1e-12, max_iter=100)
    np.testing.assert_allclose(x, centre, atol=1e-10)
    assert converged.all() and (n_iter > 1).all() and (value < 1e-12).all()


def test_minimise_with_fewer_and_fewer_groups_changes_no_bit(monkeypatch):
    monkeypatch.setattr(_many_minima, "_MANY", 0)
    rng = np.random.default_rng(1)
    n_groups, group = 40, np.repeat(np.arange(40), 3)
    centre, steep = 3 * rng.normal(size=120), np.exp(2 * rng.normal(size=120))
    narrowed = []

    def function_of(groups):
        mine = np.isin(group, groups)
        narrowed.append(len(groups))
        own = np.searchsorted(groups, group[mine])

        def function(x):
            value = steep[mine] * (np.cosh(x - centre[mine]) - 1)
            return np.bincount(own, weights=value, minlength=len(groups)), steep[mine] * np.sinh(x - centre[mine])

        return function

    whole = function_of(np.arange(n_groups))
    done = np.arange(n_groups) < 3
    options = {"tol": 1e-12, "max_iter": 100, "converged": done}
    expected = minimise(whole, np.zeros(120), group, n_groups, np.ones(120), **options)
    found = minimise(whole, np.zeros(120), group, n_groups, np.ones(120), narrow=function_of, **options)
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_array_equal(one, other)
    assert min(narrowed) < 5 and (found[0][:9] == 0).all() and found[3].all()


def test_minimise_goes_downhill_after_a_direction_that_leads_uphill(monkeypatch):
    two_loops, calls = _many_minima._two_loops, []

    def sometimes_wrong(gradient, *arguments):
        calls.append(1)
        direction = two_loops(gradient, *arguments)
        return -direction if len(calls) % 3 == 0 else direction

    monkeypatch.setattr(_many_minima, "_two_loops", sometimes_wrong)
    centre, values = np.array([1.0, -2.0, 3.0]), []

    def function(x):
        values.append(((x - centre) ** 2 * [1.0, 2.0, 5.0]).sum() / 2)
        return np.array([values[-1]]), [1.0, 2.0, 5.0] * (x - centre)

    group = np.zeros(3, dtype=np.int64)
    x, _, _, converged = minimise(function, np.zeros(3), group, 1, np.ones(3), tol=1e-10, max_iter=200)
    assert len(calls) > 3 and converged.all()
    np.testing.assert_allclose(x, centre, atol=1e-9)


def test_minimise_does_not_converge_if_no_step_is_finite():
    def function(x):
        return np.where(x == 0, 0.0, np.inf), np.ones(1)

    x, value, n_iter, converged = minimise(
        function, np.zeros(1), np.zeros(1, dtype=np.int64), 1, np.ones(1), tol=1e-12, max_iter=3
    )
    assert not converged.any() and n_iter.tolist() == [3] and -1e-15 < x[0] < 0 and np.isinf(value[0])


@pytest.mark.parametrize("size", [1e-3, 1.0, 1e3])
def test_minimise_needs_few_iterations_for_any_scale(size):
    curvature, centre = size * np.array([1.0, 2.0, 5.0, 1.5, 3.0]), np.array([1.0, -2.0, 3.0, 0.5, -1.0])

    def function(x):
        return np.array([(curvature * (x - centre) ** 2).sum() / 2]), curvature * (x - centre)

    group = np.zeros(5, dtype=np.int64)
    x, _, n_iter, converged = minimise(function, np.zeros(5), group, 1, np.ones(5), tol=1e-12, max_iter=500)
    np.testing.assert_allclose(x, centre, atol=1e-8)
    assert converged.all() and n_iter[0] < 40
