"""Caches and checks for scikit-learn's parts: keep_for_parameters and is_in_html."""

import threading

import pytest
from sklearn import config_context

from skrankagg import CombSUM
from skrankagg._support import _sklearn
from skrankagg._support._sklearn import is_in_html, keep_for_parameters


@pytest.fixture
def calls(monkeypatch):
    """Empty the cache; return the list of calls of a function whose results are cached, and this function."""
    monkeypatch.setattr(_sklearn, "_KEPT", {})
    done = []

    def norm_of(method):
        done.append(method.norm)
        return method.norm

    return done, norm_of


def test_keep_for_parameters_computes_once_for_equal_parameters(calls):
    done, norm_of = calls
    for norm in ("rank", "rank", None, "rank"):
        assert keep_for_parameters(CombSUM(norm=norm), norm_of) == norm
    assert done == ["rank", None]


def test_keep_for_parameters_keeps_nothing_without_validation(calls):
    done, norm_of = calls
    with config_context(skip_parameter_validation=True):
        for _ in range(2):
            assert keep_for_parameters(CombSUM(norm="rank"), norm_of) == "rank"
    assert done == ["rank"] * 2


def test_keep_for_parameters_empties_a_full_cache(calls, monkeypatch):
    done, norm_of = calls
    monkeypatch.setattr(_sklearn, "_MOST_KEPT", 2)
    for norm in ("rank", "borda", "sum", "sum", "rank"):
        assert keep_for_parameters(CombSUM(norm=norm), norm_of) == norm
        assert len(_sklearn._KEPT) <= 2
    assert done == ["rank", "borda", "sum", "rank"]


def test_is_in_html_is_false_if_few_functions_are_called():
    found = []
    thread = threading.Thread(target=lambda: found.append(is_in_html()))
    thread.start()
    thread.join()
    assert found == [False]
