"""Every numeric parameter rejects True and False."""

import numpy as np
import pytest
from sklearn.utils._param_validation import InvalidParameterError

from skrankagg import CombSUM, Comparator
from skrankagg._support._sklearn import Interval
from skrankagg.compat.pyflagr import flagr_metrics
from skrankagg.compat.pyflagr.Linear import CombSUM as FlagrCombSUM
from skrankagg.datasets import make_mallows, make_ranked_lists, make_rasdagen
from skrankagg.metrics import average_overlap, evaluate, interpolated_precision, overlap
from skrankagg.model_selection import QueryKFold, QueryShuffleSplit, select_results
from skrankagg.preprocessing import TopK
from skrankagg.stats import bootstrap_interval, randomization_test
from skrankagg.utils.discovery import all_aggregators, all_transformers

ESTIMATORS = {**all_aggregators(), **all_transformers(), "Comparator": Comparator}
NUMBERS = [
    (owner, name)
    for owner, estimator in ESTIMATORS.items()
    for name, constraints in estimator._parameter_constraints.items()
    if any(isinstance(constraint, Interval) for constraint in constraints)
]


def test_numbers_includes_known_numeric_parameters():
    assert {("TopK", "k"), ("ReciprocalRankFusion", "k"), ("Comparator", "n_jobs")} <= set(NUMBERS)


@pytest.mark.parametrize(("owner", "name"), NUMBERS, ids=lambda part: part)
@pytest.mark.parametrize("value", [True, False])
def test_estimators_reject_bools_for_numeric_parameters(owner, name, value):
    members = {"Comparator": [[("sum", CombSUM(norm="borda"))]], "AggregatorUnion": [[("sum", CombSUM(norm="borda"))]]}
    estimator = ESTIMATORS[owner](*members.get(owner, []), **{name: value})
    with pytest.raises(InvalidParameterError, match=f"'{name}' parameter of {owner} must be"):
        estimator._validate_params()


def test_topk_rejects_a_bool_for_k_in_fit(X):
    with pytest.raises(InvalidParameterError, match="'k' parameter of TopK must be an int"):
        TopK(True).fit(X)
    assert len(TopK(np.int64(1)).fit_transform(X)) == 3


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: interpolated_precision(["a"], ["a"], k=True), "recall from 0 to 1"),
        (lambda: evaluate([["a"]], [["a"]], "map", relevance_threshold=True), "`relevance_threshold` must be a number"),
        (lambda: evaluate([["a"]], [["a"]], "map", relevance_threshold="1"), "`relevance_threshold` must be a number"),
        (lambda: evaluate([["a"]], [["a"]], "rbp", persistence=None), "`persistence` must be a number"),
        (lambda: overlap(["a"], ["a"], True), "whole number of at least 1"),
        (lambda: average_overlap(["a"], ["a"], True), "whole number of at least 1"),
        (lambda: flagr_metrics(True), "`cutoff` must be a whole number"),
        (lambda: QueryShuffleSplit(True), "`n_splits` must be a whole number"),
        (lambda: QueryKFold(True), "n_splits=2 or more"),
        (lambda: select_results(None, k=True), "`k` must be a whole number"),
        (lambda: FlagrCombSUM(eval_pts=True), "`eval_pts` must be a whole number"),
        (lambda: make_ranked_lists(n_queries=True), "`n_queries` must be a whole number"),
        (lambda: make_mallows(list_length=True), "`list_length` must be a whole number"),
        (lambda: make_rasdagen(bias=True), "`bias` must be a number"),
        (lambda: make_rasdagen(threshold=False), "`threshold` must be a finite number"),
        (lambda: bootstrap_interval([0.1, 0.2], n_resamples=True), "`n_resamples` must be a whole number"),
        (lambda: randomization_test([0.1, 0.2], n_resamples=True), "`n_resamples` must be a whole number"),
        (lambda: randomization_test([0.1, 0.2], n_resamples=0), "`n_resamples` must be a whole number"),
    ],
)
def test_functions_reject_bools_for_numeric_parameters(call, words):
    with pytest.raises(ValueError, match=words):
        call()
