"""Public names of skrankagg.aggregators and their type hints: methods and functions."""

import inspect
from typing import Literal, get_args, get_origin, get_type_hints

import pytest

from skrankagg import aggregators
from skrankagg._support._sklearn import StrOptions
from skrankagg.base import BaseAggregator

FUNCTIONS = {
    "condorcet_components",
    "condorcet_winner",
    "kemeny_lower_bound",
    "kemeny_order",
    "kemeny_score",
    "local_kemenization",
    "locked_pairs",
    "mean_tau_x",
    "pairwise_preferences",
    "smith_set",
    "stationary_distribution",
    "widest_paths",
}
PUBLIC = {name: value for name, value in vars(aggregators).items() if not name.startswith("_")}


def test_aggregators_exports_only_methods_and_known_functions():
    assert {name for name, value in PUBLIC.items() if inspect.isfunction(value)} == FUNCTIONS
    methods = {name for name, value in PUBLIC.items() if inspect.isclass(value)}
    assert methods | FUNCTIONS == set(PUBLIC) and len(methods) == 41
    assert all(issubclass(PUBLIC[name], BaseAggregator) for name in methods)


def test_all_is_methods_and_functions():
    assert len(METHODS) + len(FUNCTIONS) == len(PUBLIC)
    assert all(issubclass(PUBLIC[name], BaseAggregator) for name in METHODS)


def choices(hint):
    """Return all strings in a type hint."""
    if get_origin(hint) is Literal:
        return set(get_args(hint))
    return set().union(*map(choices, get_args(hint)))


@pytest.mark.parametrize("name", METHODS)
def test_constructor_type_hints_match_the_parameter_constraints(name):
    method = PUBLIC[name]
    hints = get_type_hints(method.__init__)
    parameters = method().get_params(deep=False)
    assert set(hints) == set(parameters)
    for parameter, constraints in method._parameter_constraints.items():
        if constraints == "no_validation":  # judgements, which are checked where they are read
            assert parameter == "qrels" and type(None) in get_args(hints[parameter])
            continue
        checked = set().union(*(one.options for one in constraints if isinstance(one, StrOptions)))
        assert choices(hints[parameter]) == checked, parameter
        assert (type(None) in get_args(hints[parameter])) == (None in constraints or "random_state" in constraints)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_are_typed(name):
    signature = inspect.signature(PUBLIC[name])
    hints = [parameter.annotation for parameter in signature.parameters.values()]
    assert inspect.Signature.empty not in [*hints, signature.return_annotation]
