"""Frames of polars if set_output asks for them, or a one-sentence error before any computation."""

import importlib.util

import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn.pipeline import make_pipeline

from skrankagg import CombSUM, Comparator, Qrels, RankedLists
from skrankagg._data import _frames
from skrankagg.datasets import make_ranked_lists
from skrankagg.preprocessing import AggregatorUnion, TopK
from skrankagg.utils.discovery import default_methods
from skrankagg.utils.estimator_checks import example_lists

pytestmark = pytest.mark.twice

FRAME, QRELS, _ = make_ranked_lists(n_queries=3, n_voters=3, n_items=8, list_length=6, random_state=0)
LISTS = RankedLists.from_frame(FRAME)
# The methods that compute; replaced by None, any computation fails.
BROKEN = {"_aggregate": None, "_transform_lists": None, "_fit_lists": None}


@pytest.fixture
def lacking(monkeypatch):
    """Return a function that makes libraries appear not to be installed."""
    find_spec = importlib.util.find_spec

    def lack(*names):
        monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name in names else find_spec(name))

    return lack


def comparator():
    return Comparator([("sum", CombSUM(norm="borda"))], metrics="map", qrels=Qrels.from_frame(QRELS))


ESTIMATORS = {
    **dict(default_methods()),
    "TopK": TopK(3),
    "AggregatorUnion": AggregatorUnion([("sum", CombSUM(norm="borda"))]),
    "Comparator": comparator(),
    "pipeline": make_pipeline(TopK(3), CombSUM(norm="borda")),
}


@pytest.mark.sampled(45)
@pytest.mark.parametrize("estimator", ESTIMATORS.values(), ids=ESTIMATORS.keys())
def test_fit_rejects_polars_output_without_pyarrow_before_computing(estimator, lacking, monkeypatch):
    estimator = sklearn.clone(estimator).set_output(transform="polars")
    for owner in {type(estimator), type(getattr(estimator, "steps", [[None, estimator]])[0][1])}:
        for work, nothing in BROKEN.items():
            monkeypatch.setattr(owner, work, nothing, raising=False)
    lacking("pyarrow")
    words = r"transform='polars' .* pyarrow is missing\. Install with pip install pyarrow, or call set_output"
    for X in (FRAME, LISTS):
        with pytest.raises(ImportError, match=words):
            estimator.fit(X)
        with pytest.raises(ImportError, match=words):
            estimator.fit_transform(X)


@pytest.mark.parametrize("name", ["Copeland", "TopK", "Comparator"])
def test_transform_checks_the_output_configured_in_scikit_learn(name, lacking):
    fitted = sklearn.clone(ESTIMATORS[name]).fit(LISTS)
    lacking("polars", "pyarrow")
    with (
        sklearn.config_context(transform_output="polars"),
        pytest.raises(ImportError, match="polars and pyarrow are missing"),
    ):
        fitted.transform(LISTS)
    assert len(fitted.transform(LISTS)) > 0


def test_pandas_output_needs_no_other_library(lacking):
    lacking("polars", "pyarrow")
    found = CombSUM(norm="borda").set_output(transform="pandas").fit_transform(FRAME)
    pd.testing.assert_frame_equal(found, CombSUM(norm="borda").fit_transform(FRAME))


def test_polars_output_of_numeric_ids_does_not_need_pyarrow(lacking):
    polars = pytest.importorskip("polars", minversion="1.30")
    lists = example_lists()
    lists = lists.assign(query=lists["query"].str[1:].astype(int), item=lists["item"].map(hash))
    expected = CombSUM(norm="borda").fit_transform(lists)
    lacking("pyarrow")
    found = CombSUM(norm="borda").set_output(transform="polars").fit_transform(lists)
    assert isinstance(found, polars.DataFrame) and found["item"].to_list() == expected["item"].tolist()
    with pytest.raises(ImportError, match="pyarrow is missing"):  # its frames have voters, which are strings
        TopK(2).set_output(transform="polars").fit_transform(lists)


@pytest.mark.parametrize("rows", [3, _frames._FEW + 1])
@pytest.mark.parametrize("private", [True, False])
def test_frame_of_equals_a_frame_of_the_public_constructor(rows, private, monkeypatch):
    if not private:
        monkeypatch.setattr(_frames, "_FROM_ARRAYS", None)
    days = pd.date_range("2020-01-01", periods=rows)
    columns = {
        "number": np.arange(rows),
        "text": pd.array(["a"] * rows, dtype="str"),
        "kind": pd.Categorical(["x"] * rows),
        "share": np.arange(rows) / 2,
        "is": np.arange(rows) > 1,
        "day": days.array,
        "object": pd.Index([(1,)] * rows, dtype=object),
    }
    frame = _frames.frame_of({name: column.copy() for name, column in columns.items()})
    pd.testing.assert_frame_equal(frame, pd.DataFrame(columns), check_column_type=False)
    frame.loc[0, "day"] = pd.Timestamp("1999-01-01")
    frame.columns = [name.upper() for name in frame.columns]
    assert days[0] == pd.Timestamp("2020-01-01")
    assert list(_frames.frame_of(columns)) == list(columns)
