"""Ids without a total order, ids that would change their type, and invalid values by voter."""

import numpy as np
import pandas as pd
import pytest

from skrankagg import BordaCount, Qrels, RankedLists, RankStatistic, RobustRankAggregation
from skrankagg.exceptions import InputError, InputTypeError
from skrankagg.preprocessing import VoterSelector


def frame_of(ids, column="item"):
    frame = pd.DataFrame({"query": "q", "voter": "v", "item": "i", "rank": range(1, len(ids) + 1)})
    if column != "item":
        frame["item"] = [f"i{k}" for k in range(len(ids))]
    frame[column] = ids
    return frame


def objects(*ids):
    return pd.Series(ids, dtype=object)


A, B, AB = frozenset("a"), frozenset("b"), frozenset("ab")


@pytest.mark.parametrize("column", ["query", "voter", "item"])
@pytest.mark.parametrize(
    "ids",
    [objects(A, B, AB), objects(AB, B, A), objects((A, 1), (B, 1)), pd.Series(pd.Categorical(objects(A, B, AB)))],
    ids=["sets", "other order", "in tuples", "categories"],
)
def test_from_frame_rejects_ids_without_a_total_order(ids, column):
    with pytest.raises(
        InputTypeError,
        match=rf"Column '{column}' must have ids that can be sorted.*mixed, unhashable or unordered values",
    ):
        RankedLists.from_frame(frame_of(ids, column))
    if column != "voter":
        with pytest.raises(InputTypeError, match="unordered values"):
            Qrels.from_frame(frame_of(ids, column).assign(relevance=1))


@pytest.mark.parametrize(
    "ids",
    [
        objects(A, AB, frozenset("abc")),
        objects((1, "a"), (1, "b"), (2, "a")),
        objects(1, 1.5, 2**70),
        objects(b"a", b"b"),
        pd.Series(pd.interval_range(0, 3)),
    ],
    ids=["nested sets", "tuples", "numbers", "bytes", "intervals"],
)
def test_from_frame_accepts_unusual_ids_with_a_total_order(ids):
    frame = frame_of(ids)
    for part in (frame, frame[::-1].reset_index(drop=True)):
        assert RankedLists.from_frame(part).items.tolist() == ids.tolist()


@pytest.mark.parametrize("column", ["query", "voter", "item"])
def test_from_frame_rejects_float16_ids(column):
    with pytest.raises(InputTypeError, match=f"Column '{column}' .*its ids would be returned as float32"):
        RankedLists.from_frame(frame_of(np.array([1, 2.5], dtype=np.float16), column))
    lists = RankedLists.from_frame(frame_of(np.array([1, 2.5], dtype=np.float32)))
    assert lists.items.dtype == np.float32
    assert len(RankedLists.from_frame(frame_of(["a", "b"]).astype({"rank": np.float16})).rank) == 2


# ---------------------------------------------------------------------- numbers of voters


def two_voters():
    return pd.DataFrame({"query": "q", "voter": list("aabb"), "item": list("xyyx"), "rank": [1, 2, 1, 2]})


@pytest.mark.parametrize("value", ["2", "much", [1], 1j, pd.Timestamp("2020"), b"1"], ids=repr)
@pytest.mark.parametrize("container", [dict, pd.Series])
@pytest.mark.parametrize(
    "build",
    [
        lambda given: BordaCount(voter_weights=given),
        lambda given: RobustRankAggregation(n_items=given),
        lambda given: RobustRankAggregation(depth_share=given),
        lambda given: VoterSelector(by=given),
    ],
    ids=["voter_weights", "n_items", "depth_share", "by"],
)
def test_values_by_voter_must_be_numbers(build, container, value):
    with pytest.raises(InputTypeError, match=r"must have a number for each voter; got .* for 'a'"):
        build(container({"a": value, "b": 1.0})).fit(two_voters())


@pytest.mark.parametrize(
    "build", [lambda given: BordaCount(voter_weights=given), lambda given: VoterSelector(by=given)]
)
def test_values_by_voter_must_be_finite_and_unique(build):
    with pytest.raises(InputError, match="numbers that fit into float64; got a larger number for 'b'"):
        build({"a": 1, "b": 10**400}).fit(two_voters())
    with pytest.raises(InputError, match="must have one value for each voter; got several for 'a'"):
        build(pd.Series([1, 1, 2], index=list("aab"))).fit(two_voters())


@pytest.mark.parametrize("method", [RobustRankAggregation, RankStatistic])
@pytest.mark.parametrize("container", [dict, pd.Series])
def test_n_items_must_be_whole_numbers(method, container):
    with pytest.raises(InputError, match=r"`n_items` must have whole numbers; got 2\.5 for 'a'"):
        method(n_items=container({"a": 2.5, "b": 3})).fit(two_voters())
    expected = method(n_items={"a": 2, "b": 3}).fit_transform(two_voters())
    found = method(n_items=container({"a": 2.0, "b": np.int8(3)})).fit_transform(two_voters())
    pd.testing.assert_frame_equal(found, expected)
