"""Fixtures of the plotting tests: matplotlib without a screen, and small lists with judgements."""

import pytest

from skrankagg import Qrels
from skrankagg.datasets import make_ranked_lists


@pytest.fixture
def plt():
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    import matplotlib.pyplot

    yield matplotlib.pyplot
    matplotlib.pyplot.close("all")


@pytest.fixture(scope="module")
def data():
    lists, qrels, _ = make_ranked_lists(n_queries=6, random_state=0)
    return lists, Qrels.from_frame(qrels)
