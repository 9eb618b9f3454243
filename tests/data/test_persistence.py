"""Lists, judgements and estimators survive pickle, copy, joblib and skops, including the dtypes of ids."""

import copy
import io
import pickle
from datetime import date

import joblib
import numpy as np
import pandas as pd
import pytest

from skrankagg import DIBRA, BordaCount, Comparator, PlackettLuce, Qrels, RankedLists
from skrankagg._data._portable import pack, unpack
from skrankagg.datasets import make_ranked_lists
from skrankagg.preprocessing import VoterSelector


def through_joblib(value):
    stream = io.BytesIO()
    joblib.dump(value, stream)
    stream.seek(0)
    return joblib.load(stream)


def through_skops(value):
    skops = pytest.importorskip("skops.io")
    data = skops.dumps(value)
    untrusted = skops.get_untrusted_types(data=data)
    assert not [name for name in untrusted if name.startswith("pandas")], "a type of pandas is inside"
    return skops.loads(data, trusted=untrusted)


WAYS = {
    "pickle": lambda value: pickle.loads(pickle.dumps(value)),
    "copy": copy.deepcopy,
    "joblib": through_joblib,
    "skops": through_skops,
}
through = pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)

IDS = {
    "str": pd.Series(["a", "b\0", 'é"\n']),
    "object": pd.Series(["a", "b", "c"], dtype=object),
    "tuples": pd.Series([("a", 1), ("a", 2), ("b", 1)], dtype=object),
    "integers": pd.Series([2**70, 1.5, True], dtype=object),
    "bytes": pd.Series([b"a", b"b", b"c"], dtype=object),
    "string": pd.Series(["a", "b", "c"], dtype="string[python]"),
    "category": pd.Series(pd.Categorical(["a", "b", "c"], categories=["c", "a", "z", "b"])),
    "ordered": pd.Series(pd.Categorical([3, 2, 1], categories=[3, 2, 1], ordered=True)),
    "int8": pd.Series([1, 2, 3], dtype="int8"),
    "uint64": pd.Series([1, 2, 2**64 - 1], dtype="uint64"),
    "Int64": pd.Series([1, 2, 2**53 + 1], dtype="Int64"),
    "float": pd.Series([0.1, 0.2, np.inf]),
    "bool": pd.Series([True, False, False]),
    "dates": pd.Series(pd.date_range("2020-01-01", periods=3)),
    "zones": pd.Series(pd.date_range("2020-10-25", periods=3, freq="h", tz="Europe/Berlin")),
    "times": pd.Series(pd.to_timedelta([1, 2, 3])),
    "periods": pd.Series(pd.period_range("2020-01", periods=3, freq="M")),
}
MASKED = {
    "boolean": pd.Series([True, None, False], dtype="boolean"),
    "Float64": pd.Series([0.5, None, 2.0], dtype="Float64"),
    "missing text": pd.Series(["a", None, "b"], dtype="str"),
}


def frame_of(ids):
    return pd.DataFrame({"query": ids, "voter": ids, "item": ids, "score": [0.1, 0.2, 0.3]}).drop_duplicates("query")


def equal(found, expected):
    assert type(found) is type(expected)
    if isinstance(expected, pd.Index):
        pd.testing.assert_index_equal(found, expected, exact=True)
    elif isinstance(expected, pd.Series):
        pd.testing.assert_series_equal(found, expected, check_index_type=True)
    else:
        pd.testing.assert_frame_equal(found, expected, check_column_type=True, check_index_type=True)


@pytest.mark.sampled(5)
@through
@pytest.mark.parametrize("name", IDS)
def test_ranked_lists_and_qrels_survive_serialization(name, way):
    frame = frame_of(IDS[name])
    lists, qrels = RankedLists.from_frame(frame), Qrels.from_frame(frame.assign(relevance=1))
    for one in (lists, qrels, lists[[0]], lists.take([len(lists) - 1, 0])):
        again = way(one)
        equal(again.to_frame(), one.to_frame())
        for part in ("queries", "items"):
            assert getattr(again, part).dtype == getattr(one, part).dtype
        assert isinstance(again, type(qrels) if one is qrels else RankedLists)
    again = way(lists)
    assert not again.rank.flags.writeable
    assert len(BordaCount().fit_transform(again)) == len(frame)
    assert type(again.queries) is type(lists.queries)


@pytest.mark.sampled(3)
@through
@pytest.mark.parametrize("name", ["str", "category", "Int64", "zones"])
def test_fitted_weights_survive_serialization(name, way):
    frame = pd.concat([frame_of(IDS[name]).assign(query=q, item=k) for q in range(3) for k in range(3)])
    method = way(DIBRA(weighting="global").fit(frame))
    expected = DIBRA(weighting="global").fit(frame)
    for attribute in ("voter_weights_", "query_voter_weights_"):
        equal(getattr(method, attribute), getattr(expected, attribute))
    equal(method.transform(frame), expected.transform(frame))


@through
def test_parameters_that_are_frames_survive_serialization(way):
    frame, qrels, _ = make_ranked_lists(n_queries=3, random_state=0)
    weights = pd.Series(1.0, index=frame["voter"].unique(), name="weight")
    equal(way(BordaCount(voter_weights=weights)).voter_weights, weights)
    selector = VoterSelector("map", qrels=qrels, n_voters=2).fit(frame)
    equal(way(selector).transform(frame), selector.transform(frame))
    equal(way(selector).qrels, qrels)


@through
def test_comparator_results_survive_serialization(way):
    frame, qrels, _ = make_ranked_lists(n_queries=3, random_state=0)
    compared = Comparator([("borda", BordaCount()), ("dibra", DIBRA())], metrics=["map"]).fit(
        frame, qrels=Qrels.from_frame(qrels)
    )
    equal(way(compared).results_, compared.results_)
    equal(way(compared).runs_["dibra"], compared.runs_["dibra"])


@pytest.mark.parametrize("name", [*IDS, *MASKED])
def test_pack_and_unpack_keep_every_dtype(name):
    column = {**IDS, **MASKED}[name]
    frame = pd.DataFrame({"a": column.array, "b": 1.5}, index=pd.Index([5, 3, 4], name="place"))
    several = frame.set_index("b", append=True)
    index = pd.Index(column, tupleize_cols=False) if name in IDS else pd.RangeIndex(2, 9, 3, name="r")
    for value in (frame, several, column, column.rename("x"), index, frame.iloc[:0]):
        packed = pack({"deep": [(value,)]})
        assert "pandas.core" not in repr(packed)
        assert type(packed["deep"][0][0]) is dict
        equal(unpack(packed)["deep"][0][0], value)


def test_pack_returns_values_without_a_plain_form_unchanged():
    value = pd.Series([{1}, None], dtype=object)
    assert pack(value) is value
    assert pack([value])[0] is value and pack(7) == 7
    index = pd.Index([(1, {2}), "a"], tupleize_cols=False)
    assert pack(index) is index
    category = pd.Series(pd.Categorical([frozenset("a"), "b"]))
    levels = pd.MultiIndex.from_arrays([[frozenset("a"), "b"], [1, 2]])
    for one in (category, levels, pd.Series(pd.arrays.SparseArray([0, 0, 1]))):
        assert pack(one) is one


@pytest.mark.parametrize("name", ["string", "large_string", "int64", "double", "bool"])
def test_pack_and_unpack_keep_the_dtypes_of_arrow(name):
    pa = pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    values = {"int64": [2**53 + 1, None, 3], "double": [0.1, None, -0.5], "bool": [True, None, False]}
    dtype = pd.ArrowDtype(pa.type_for_alias(name))
    column = pd.Series(values.get(name, ["a\0", None, "é"]), dtype=dtype)
    packed = pack(column)
    assert type(packed) is dict
    equal(unpack(packed), column)
    days = pd.Series([date(2020, 1, 1), None], dtype=pd.ArrowDtype(pa.date32()))
    assert pack(days) is days


@through
def test_covariates_and_coefficients_survive(way):
    battles = [("a", "b", 1), ("b", "a", 1), ("a", "b", 1), ("b", "c", 1), ("c", "b", 0.5), ("c", "a", 0)]
    lists = RankedLists.from_comparisons(battles, position=True)
    found = way(lists)
    assert found.equals(lists) and found.covariates == ("position",)
    method = PlackettLuce(covariates=["position"]).fit(lists)
    equal(way(method).coefficients_, method.coefficients_)
    equal(way(method).transform(found), method.transform(lists))
