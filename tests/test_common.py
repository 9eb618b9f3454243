"""What every aggregator must do: its golden line, its promises, its determinism."""

import os
import subprocess
import sys

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.base import clone

from golden import GOLDEN
from skrankagg.utils.discovery import all_aggregators, default_methods
from skrankagg.utils.estimator_checks import example_lists, parametrize_with_checks

AGGREGATORS = [aggregator for aggregator, *_ in GOLDEN]


def test_every_aggregator_has_a_golden_line():
    assert {type(aggregator) for aggregator in AGGREGATORS} == set(all_aggregators().values())


def test_every_variant_has_a_golden_line():
    assert {repr(estimator) for _, estimator in default_methods()} <= {repr(aggregator) for aggregator in AGGREGATORS}


@pytest.mark.parametrize(("aggregator", "items", "scores"), GOLDEN, ids=lambda value: repr(value)[:60])
def test_golden(aggregator, items, scores, X):
    consensus = clone(aggregator).fit_transform(X)
    assert consensus["item"].tolist() == items.split()
    assert_allclose(consensus["score"], scores, rtol=1e-12, atol=1e-15)


@parametrize_with_checks(AGGREGATORS)
def test_keeps_its_promises(aggregator, check):
    check(aggregator)


def ties(consensus):
    """Whether each row has the score of the one before it, of the same query."""
    return (consensus.groupby("query")["score"].diff() == 0).tolist()


@pytest.mark.filterwarnings("ignore::skrankagg.exceptions.UnequalLengthWarning")
@pytest.mark.parametrize("method", [method for _, method in default_methods()], ids=repr)
def test_other_names_of_voters_change_neither_order_nor_ties(method):
    for seed in range(4):
        lists = example_lists(seed, n_voters=3 + seed, full=bool(seed % 2), ties=seed < 2)
        voters = lists["voter"].unique()
        names = dict(zip(voters, np.random.default_rng(seed).permutation(voters), strict=True))
        found = clone(method).fit_transform(lists.assign(voter=lists["voter"].map(names)))
        expected = clone(method).fit_transform(lists)
        assert found["item"].tolist() == expected["item"].tolist() and ties(found) == ties(expected)
        assert_allclose(found["score"], expected["score"], rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("method", [method for _, method in default_methods()], ids=repr)
def test_a_silent_list_says_nothing_and_its_items_stay_among_those_ranked(method):
    if not method.__sklearn_tags__().aggregator_tags.voter_weights:
        return
    n_compared = 0
    for seed in range(6):
        lists = example_lists(seed, n_queries=1)
        silent = lists["voter"] == lists["voter"].iloc[0]
        found = clone(method).fit_transform(lists.assign(weight=np.where(silent, 0.0, 1.0)))
        assert set(found["item"]) == set(lists["item"])
        # A list that is cut takes part with what is left of it, whatever its weight.
        if set(lists["item"]) == set(lists.loc[~silent, "item"]) and getattr(method, "prune", None) is None:
            expected = clone(method).fit_transform(lists[~silent])
            assert found["item"].tolist() == expected["item"].tolist()
            assert_allclose(found["score"], expected["score"], rtol=1e-9, atol=1e-12)
            n_compared += 1
    assert n_compared > 2 or getattr(method, "prune", None)


_DIGEST = """
import hashlib, sys
sys.path.insert(0, {tests!r})
from golden import GOLDEN
from skrankagg.utils.estimator_checks import example_lists
digest = hashlib.sha256()
for aggregator, *_ in GOLDEN:
    digest.update(aggregator.fit_transform(example_lists(7)).to_csv().encode())
print(digest.hexdigest())
"""


def test_hash_seed_changes_nothing():
    code = _DIGEST.format(tests=os.path.dirname(__file__))
    digests = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONHASHSEED": seed},
            check=True,
            capture_output=True,
            text=True,
        ).stdout
        for seed in ("0", "1")
    }
    assert len(digests) == 1
