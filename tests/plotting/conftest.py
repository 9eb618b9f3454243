"""Fixtures of the plotting tests: matplotlib without a screen, small lists with judgements, the displays' examples."""

import importlib
import sys

import pytest

from public_api import DOCS
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


@pytest.fixture(scope="session")
def display_plots():
    pytest.importorskip("matplotlib").use("Agg")
    sys.path.insert(0, str(DOCS))
    module = importlib.import_module("display_plots")
    sys.path.remove(str(DOCS))
    yield module
    sys.modules.pop("display_plots")
