"""The same lists under many weights: a method's own way gives what aggregating them again gives, to the last bit."""

import numpy as np
import pytest

from skrankagg import RankedLists
from skrankagg.base import BaseAggregator
from skrankagg.utils.discovery import default_methods
from skrankagg.utils.estimator_checks import example_lists

REPEATING = [method for _, method in default_methods() if type(method)._repeat is not BaseAggregator._repeat]


def test_the_methods_of_sums_have_a_way_of_their_own():
    names = {type(method).__name__ for method in REPEATING}
    assert {"BordaCount", "CombMNZ", "CombSUM", "ReciprocalRankFusion", "SimpleBorda"} <= names


@pytest.mark.parametrize("method", REPEATING, ids=repr)
def test_weights_again_and_again(method):
    for seed in range(5):
        lists = RankedLists.from_frame(example_lists(seed, n_queries=3, n_voters=6, n_items=12))
        rng = np.random.default_rng(seed)
        score = method._repeat(lists)
        for _ in range(10):
            weight = rng.choice([0.0, 0.1, 1.0, 2.5, 1 / 3], lists.n_lists)
            if getattr(method, "support", None) == "log":
                weight = np.ceil(weight)  # less than one list has a logarithm below 0, and is refused
            np.testing.assert_array_equal(score(weight), BaseAggregator._repeat(method, lists)(weight))
