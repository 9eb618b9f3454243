"""Type hints of the public names of skrankagg.aggregators."""

import inspect
from typing import Literal, get_args, get_origin, get_type_hints

import pytest

from skrankagg import aggregators
from skrankagg._support._sklearn import StrOptions
from skrankagg.base import BaseAggregator

PUBLIC = {name: getattr(aggregators, name) for name in aggregators.__all__}
METHODS = sorted(name for name, value in PUBLIC.items() if inspect.isclass(value))
FUNCTIONS = sorted(name for name, value in PUBLIC.items() if inspect.isfunction(value))


def test_aggregators_exports_only_methods_and_functions():
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
    try:
        hints = get_type_hints(method.__init__)
    except NameError:
        pytest.skip("the types of narwhals before 2.14 have names that cannot be resolved")
    parameters = method().get_params(deep=False)
    assert set(hints) == set(parameters)
    for parameter, constraints in method._parameter_constraints.items():
        if constraints == "no_validation":  # judgements and groups, which are checked where they are read
            assert parameter in ("qrels", "item_groups") and type(None) in get_args(hints[parameter])
            continue
        checked = set().union(*(one.options for one in constraints if isinstance(one, StrOptions)))
        assert choices(hints[parameter]) == checked, parameter
        assert (type(None) in get_args(hints[parameter])) == (None in constraints or "random_state" in constraints)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_public_functions_have_type_hints(name):
    signature = inspect.signature(PUBLIC[name])
    hints = [parameter.annotation for parameter in signature.parameters.values()]
    assert inspect.Signature.empty not in [*hints, signature.return_annotation]
