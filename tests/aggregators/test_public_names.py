"""What skrankagg.aggregators exports: the methods, and functions of lists or of a matrix of preferences."""

import inspect

from skrankagg import aggregators
from skrankagg.base import BaseAggregator

FUNCTIONS = {
    "condorcet_components",
    "kemeny_lower_bound",
    "kemeny_order",
    "kemeny_score",
    "local_kemenization",
    "locked_pairs",
    "mean_tau_x",
    "pairwise_preferences",
    "stationary_distribution",
    "widest_paths",
}
PUBLIC = {name: value for name, value in vars(aggregators).items() if not name.startswith("_")}


def test_functions_are_few_and_the_rest_are_methods():
    assert {name for name, value in PUBLIC.items() if inspect.isfunction(value)} == FUNCTIONS
    methods = {name for name, value in PUBLIC.items() if inspect.isclass(value)}
    assert methods | FUNCTIONS == set(PUBLIC) and len(methods) == 22
    assert all(issubclass(PUBLIC[name], BaseAggregator) for name in methods)
