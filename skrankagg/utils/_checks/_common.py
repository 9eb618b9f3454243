"""Checks that apply to aggregators and to list transformers."""

import importlib.util
import io
import pickle
import tempfile
import warnings
from pathlib import Path

import joblib
import numpy as np
import pandas as pd
from sklearn.base import clone
from sklearn.pipeline import make_pipeline
from sklearn.utils import get_tags

from ..._data._ranked_lists import RankedLists
from ._shared import (
    encode_queries,
    example_lists,
    example_qrels,
    fit,
    fit_transform,
    is_supervised,
    judgements,
    raises,
    same,
    turned_names,
)


def check_fit_returns_self(estimator):
    """Check that ``fit`` returns the estimator."""
    assert fit(estimator, example_lists()) is estimator, "fit must return self"


def check_input_unchanged(estimator):
    """Check that ``fit`` and ``transform`` change neither the frame nor the parameters."""
    lists = example_lists()
    before, params = lists.copy(deep=True), pickle.dumps(estimator.get_params())
    fit(estimator, lists).transform(lists)
    pd.testing.assert_frame_equal(lists, before)
    assert pickle.dumps(estimator.get_params()) == params, "fit or transform changed a constructor parameter"


def check_repeatable(estimator):
    """Check that a second fit, a fit of a clone, and ``fit_transform`` give bitwise equal results."""
    lists = example_lists()
    first = fit(estimator, lists).transform(lists)
    same(fit(estimator, lists).transform(lists), first, "fitting again changes the result")
    same(fit(clone(estimator), lists).transform(lists), first, "a clone gives another result")
    same(fit_transform(clone(estimator), lists), first, "fit_transform differs from fit, then transform")


def check_transform_writes_nothing(estimator):
    """Check that ``transform`` does not change the attributes of the estimator."""
    lists = example_lists()
    fit(estimator, lists)
    before = set(vars(estimator))
    estimator.transform(example_lists(1))
    assert set(vars(estimator)) == before, f"transform wrote {set(vars(estimator)) - before} to the estimator"


def check_transforms_unfitted(estimator):
    """Check that ``transform`` works without ``fit`` if the estimator needs no fit."""
    if not get_tags(estimator).requires_fit:
        lists = example_lists()
        same(clone(estimator).transform(lists), fit(estimator, lists).transform(lists), "fit changes the result")


def check_persistence(estimator):
    """Check that a fitted estimator keeps results and attributes through pickle, joblib and, if installed, skops."""
    lists = example_lists()
    expected = fit(estimator, lists).transform(lists)
    saved = {"pickle": pickle.loads(pickle.dumps(estimator))}
    stream = io.BytesIO()
    joblib.dump(estimator, stream)
    stream.seek(0)
    saved["joblib"] = joblib.load(stream)
    if importlib.util.find_spec("skops"):
        import skops.io

        try:
            data = skops.io.dumps(estimator)
        except Exception as error:
            raise AssertionError(
                f"skops cannot save the estimator ({error}); keep the fitted state in arrays and frames"
            ) from error
        # skops loads only types that the user trusts by name.
        saved["skops"] = skops.io.loads(data, trusted=skops.io.get_untrusted_types(data=data))
    for name, other in saved.items():
        same(other.transform(lists), expected, f"{name} changes the result")
        fitted = [attribute for attribute in vars(estimator) if attribute.endswith("_")]
        for attribute in fitted:
            assert hasattr(other, attribute), f"{name} loses {attribute}"
            value = getattr(estimator, attribute)
            if isinstance(value, pd.DataFrame):
                pd.testing.assert_frame_equal(getattr(other, attribute), value)


def check_set_output(estimator):
    """Check that ``get_feature_names_out`` lists the columns, and that ``set_output`` gives pandas or polars frames."""
    lists = example_lists()
    plain = fit_transform(estimator, lists)
    names = estimator.get_feature_names_out().tolist()
    reason = f"get_feature_names_out returns {names}, but the columns are {list(plain.columns)}"
    assert plain.columns.tolist() == names, reason
    same(fit_transform(clone(estimator).set_output(transform="pandas"), lists), plain, "pandas output differs")
    if importlib.util.find_spec("polars") and importlib.util.find_spec("pyarrow"):
        frame = fit_transform(clone(estimator).set_output(transform="polars"), lists)
        assert type(frame).__module__.startswith("polars"), f"set_output gave {type(frame)} for polars"
        same(frame.to_pandas(), plain, "polars output differs")


def check_pipeline(estimator):
    """Check that a pipeline of one step gives the same result as the step, and that unsupervised methods ignore `y`."""
    lists = example_lists()
    expected = fit_transform(clone(estimator), lists)
    y = judgements(estimator, lists).get("qrels")
    same(make_pipeline(clone(estimator)).fit(lists, y).transform(lists), expected, "a pipeline changes the result")
    same(clone(estimator).fit(lists, y).transform(lists), expected, "y=None changes the result")
    encoded = RankedLists.from_frame(lists)
    aligned = example_qrels(encoded).align(encoded)
    same(
        make_pipeline(clone(estimator)).fit(encoded, aligned).transform(encoded),
        expected,
        "aligned judgements change the result",
    )
    if not is_supervised(estimator):
        same(clone(estimator).fit_transform(lists, np.arange(3)), expected, "y changes the result")


def check_row_order(estimator):
    """Check that the result does not depend on the order of the rows."""
    lists = example_lists()
    shuffled = lists.sample(frac=1, random_state=0).reset_index(drop=True)
    reason = "the order of rows changes the result"
    same(fit_transform(estimator, shuffled), fit_transform(clone(estimator), lists), reason)


def check_query_subset(estimator):
    """Check that the result of a query in ``transform`` does not depend on the other queries."""
    lists = example_lists()
    whole = fit(estimator, lists).transform(lists)
    encoded = RankedLists.from_frame(lists)
    for chosen in ([0], [1, 3], [0, 1, 2]):
        queries = encoded.queries[chosen]
        expected = whole[whole["query"].isin(queries)]
        same(estimator.transform(encoded[chosen]), expected, "other queries change the result (RankedLists)")
        same(
            estimator.transform(lists[lists["query"].isin(queries)].reset_index(drop=True)),
            expected,
            "other queries change the result",
        )


def check_mixed_queries(estimator):
    """Check that a query has the same result alone and together with queries whose lists have other properties."""
    tags = getattr(get_tags(estimator), "aggregator_tags", None)
    can_weigh, whole = getattr(tags, "voter_weights", True), getattr(tags, "integer_weights", False)
    weights = "whole" if whole else "any" if can_weigh else "none"
    names = encode_queries(weights).queries.tolist()
    learns = get_tags(estimator).requires_fit or is_supervised(estimator)
    alone = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # warnings about some of these lists do not matter here
        if learns:
            fit(estimator, encode_queries(weights))
        for name in names:
            try:
                alone[name] = _published(estimator, encode_queries(weights, (name,)), learns)
            except ValueError:
                continue  # the method does not accept this query
        # A selector of voters may have no result for queries without the selected voters.
        least = 2 if learns else len(names) // 2
        assert len(alone) >= least, f"only {len(alone)} of the queries {names} are accepted"
        taken = tuple(alone)
        among = [_published(estimator, encode_queries(weights, taken, turned=turn), learns) for turn in (False, True)]
    turned = turned_names(taken)
    # Learners of other libraries may round differently for other numbers of rows, so bitwise equality is not required.
    exact = "estimator" not in estimator.get_params(deep=False)
    for which in among[0]:
        expected = pd.concat([alone[name][which] for name in taken], ignore_index=True)
        backwards = among[1][which].assign(
            query=among[1][which]["query"].map({new: old for old, new in turned.items()})
        )
        for found in (among[0][which], backwards.sort_values("query", kind="stable")):
            reason = f"other queries change {which}"
            for name in taken if not found.reset_index(drop=True).equals(expected) else ():
                same(found[found["query"] == name], alone[name][which], f"{reason}, in the query '{name}'", exact=exact)


def _published(estimator, lists, learns):
    """Return a dict of the estimator's results: the output, and each fitted frame that has a column `query`."""
    if learns:
        found = {"the result": estimator.transform(lists)}
    else:
        estimator = clone(estimator)
        found = {"the result": estimator.fit_transform(lists)}
        frames = {name: one for name, one in vars(estimator).items() if name.endswith("_")}
        found |= {name: one for name, one in frames.items() if isinstance(one, pd.DataFrame) and "query" in one}
    if isinstance(found["the result"], RankedLists):
        frame = found["the result"].to_frame()
        # The column of weights is present only if some weights are not 1.
        found["the result"] = frame.assign(weight=frame.get("weight", 1.0))
    return found


def check_containers(estimator):
    """Check that all kinds of frames and RankedLists give the same result, and that ids keep their dtype.

    The kinds are polars frames, pyarrow tables, and pandas frames whose ids are strings, objects or categories.
    """
    lists = example_lists()
    ids = ["query", "voter", "item"]
    expected = fit_transform(clone(estimator), lists)
    for dtype in (object, "category", "string"):
        frame = lists.astype(dict.fromkeys(ids, dtype))
        if dtype == "category":  # the declared order of the categories differs from the order of their values
            frame["item"] = frame["item"].cat.reorder_categories(sorted(lists["item"].unique(), reverse=True))
        found = fit_transform(clone(estimator), frame)
        same(found, expected, f"ids of dtype {dtype} change the result")
        assert found["item"].dtype == frame["item"].dtype, (
            f"items came back as {found['item'].dtype}, not {frame['item'].dtype}"
        )
    same(fit_transform(clone(estimator), RankedLists.from_frame(lists)), expected, "RankedLists change the result")
    if importlib.util.find_spec("polars"):
        import polars

        frame = polars.DataFrame({name: lists[name].to_list() for name in lists.columns})
        same(fit_transform(clone(estimator), frame), expected, "polars changes the result")
    if importlib.util.find_spec("pyarrow"):
        import pyarrow

        table = pyarrow.table({name: lists[name].to_list() for name in lists.columns})
        same(fit_transform(clone(estimator), table), expected, "pyarrow changes the result")


def check_integer_ids(estimator):
    """Check that string ids can be replaced by integers in the same order, and that the result has integer ids."""
    lists = example_lists()
    numbered = lists.assign(**{name: lists[name].str[1:].astype(np.int64) for name in ("query", "voter", "item")})
    found = fit_transform(clone(estimator), numbered)
    assert found["item"].dtype == np.int64, f"integer items came back as {found['item'].dtype}"
    expected = fit_transform(clone(estimator), lists)
    expected = expected.assign(query=expected["query"].str[1:].astype(int), item=expected["item"].str[1:].astype(int))
    if "voter" in expected:
        expected["voter"] = expected["voter"].replace(dict(zip(lists["voter"], lists["voter"].str[1:], strict=True)))
    same(found, expected, "integer ids change the result")


def check_read_only(estimator):
    """Check that lists in read-only memory, as in workers of joblib, give the same result."""
    lists = RankedLists.from_frame(example_lists())
    expected = fit_transform(clone(estimator), lists)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "lists"
        joblib.dump(lists, path)
        mapped = joblib.load(path, mmap_mode="r")
        same(fit_transform(clone(estimator), mapped), expected, "memory-mapped lists change the result")
        del mapped


def check_errors(estimator):
    """Check that ``fit`` and ``transform`` raise an error for invalid lists, with a message that names the fault."""
    good = example_lists()

    def changed(column, value):
        frame = good.copy()
        frame[column] = frame[column].astype(object if isinstance(value, str | None) else float)
        frame.loc[frame.index[3], column] = value
        return frame

    repeated = pd.concat([good, good.iloc[[2]]], ignore_index=True)
    cases = [
        (TypeError, "data frame", np.array([[1, 2], [3, 4]])),
        (ValueError, "missing the column", good.drop(columns="item")),
        (ValueError, "missing the column", good.drop(columns=["rank", "score"])),
        (ValueError, "no rows", good.iloc[:0]),
        (ValueError, "missing", changed("item", None)),
        (ValueError, "finite", changed("rank", np.nan)),
        (ValueError, "finite", changed("score", np.inf)),
        (ValueError, "ranks", changed("rank", -1.0)),
        (ValueError, "numbers", changed("rank", "first")),
        (ValueError, "once", repeated),
        (ValueError, "same weight", good.assign(weight=np.arange(len(good)))),
        (ValueError, "at least 0", good.assign(weight=-1.0)),
    ]
    fitted = fit(clone(estimator), good)
    for kind, words, frame in cases:
        raises(kind, words, clone(estimator).fit, frame)
        raises(kind, words, fitted.transform, frame)
    # A cross-validation would split a list of lists into its elements, which are voters instead of samples.
    raises(TypeError, "from_lists", clone(estimator).fit, [["a", "b"], ["b"]])


COMMON_CHECKS = [function for name, function in list(globals().items()) if name.startswith("check_")]
