"""What every aggregator must do: its golden line, its promises, its determinism."""

import os
import subprocess
import sys

import pytest
from numpy.testing import assert_allclose
from sklearn.base import clone

from golden import GOLDEN
from skrankagg.utils.discovery import all_aggregators, default_methods
from skrankagg.utils.estimator_checks import parametrize_with_checks

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
