"""The published results of FLAGR 1.0.18 on its test data, which the generator reproduces.

FLAGR orders items that tie in exact arithmetic by rounding noise; everything else must be equal.
"""

import itertools

import pandas as pd
import pytest
from pandas.testing import assert_frame_equal

from oracles import ballots, comb
from skrankagg import CombMNZ, CombSUM, Condorcet, Copeland, evaluate
from skrankagg.datasets import make_rasdagen, read_lists, read_qrels

LINEAR = [
    (f"{method.__name__}-{flagr}", method(norm=norm))
    for method in (CombSUM, CombMNZ)
    for flagr, norm in (("Rank", "rank"), ("Borda", "borda"), ("Score", "min-max"))
]


@pytest.fixture(scope="module")
def data():
    return make_rasdagen()


@pytest.fixture(scope="module")
def exact_ballots(data):
    return {query: ballots(lists, by="score") for query, lists in data[0].groupby("query")}


def theirs(shared_data, row):
    frame = pd.read_csv(shared_data / "flagr" / "pyflagr-1.0.18" / f"{row}_out.csv", dtype={"Query": str})
    return frame.rename(columns={"Query": "query", "ItemID": "item", "Rank": "rank", "Score": "score"})


def test_make_rasdagen_equals_flagrs_files(data, shared_data):
    lists, qrels = data
    assert_frame_equal(read_lists(shared_data / "flagr" / "testdata.csv"), lists.drop(columns="rank"))
    assert_frame_equal(read_qrels(shared_data / "flagr" / "testdata_qrels.csv"), qrels)


@pytest.mark.sampled(1)
@pytest.mark.parametrize(("row", "method"), LINEAR, ids=[row for row, _ in LINEAR])
def test_comb_methods_reproduce_flagrs_scores_and_lists(data, shared_data, exact_ballots, row, method):
    ours, flagr = method.fit_transform(data[0]), theirs(shared_data, row)
    both = ours.merge(flagr, on=["query", "item"], suffixes=("", "_flagr"), how="outer", validate="1:1")
    assert len(both) == len(ours) == len(flagr)
    assert (both["score"] - both["score_flagr"]).abs().max() < 1e-6
    for query, group in both.groupby("query"):
        exact = comb(*exact_ballots[query], method.norm, isinstance(method, CombMNZ))
        for rank in ("rank", "rank_flagr"):
            scores = [exact[item] for item in group.sort_values(rank)["item"]]
            assert all(above >= below for above, below in itertools.pairwise(scores)), (query, rank)


@pytest.mark.parametrize(
    ("row", "method", "map_"), [("Condorcet", Condorcet(), 0.4851), ("Copeland", Copeland(), 0.4840)]
)
def test_majority_methods_reproduce_flagrs_lists(data, shared_data, row, method, map_):
    ours, flagr = method.fit_transform(data[0]), theirs(shared_data, row)
    both = ours.merge(flagr, on=["query", "item"], suffixes=("", "_flagr"), how="outer", validate="1:1")
    assert (both["rank"] == both["rank_flagr"]).all()
    assert (both["score"] == both["score_flagr"]).all()
    assert round(evaluate(ours, data[1], "map").loc["run", "map"], 4) == map_
