"""Checks that every aggregator must pass, the library's own and anybody else's.

A check is a function of one aggregator. It makes its own small data, clones the aggregator, and raises AssertionError
with a reason. What a check may ask for depends on what the aggregator's tags promise, never on its name.

>>> from skrankagg import CombSUM
>>> from skrankagg.utils.estimator_checks import check_aggregator
>>> check_aggregator(CombSUM())
"""

import importlib.util
import io
import pickle
import tempfile
from pathlib import Path

import joblib
import numpy as np
import pandas as pd
from sklearn.base import clone
from sklearn.utils import estimator_checks as sklearn_checks
from sklearn.utils import get_tags

from .._lists import RankedLists
from ..base import AggregatorTags

__all__ = ["all_checks", "check_aggregator", "parametrize_with_checks"]

_SKLEARN_CHECKS = (
    "check_estimator_cloneable",
    "check_estimator_repr",
    "check_no_attributes_set_in_init",
    "check_parameters_default_constructible",
    "check_get_params_invariance",
    "check_set_params",
    "check_param_validation",
    "check_valid_tag_types",
    "check_do_not_raise_errors_in_init_or_set_params",
    "check_estimator_tags_renamed",
    "check_mixin_order",
)


def all_checks(aggregator):
    """List the checks that apply to an aggregator.

    Parameters
    ----------
    aggregator : estimator

    Returns
    -------
    list of (str, callable) tuples
        Name of the check, and the check as a function of the aggregator. Scikit-learn's checks that need no data come
        first, then the library's own.
    """
    name = type(aggregator).__name__
    theirs = [
        (check, lambda estimator, check=check: getattr(sklearn_checks, check)(name, estimator))
        for check in _SKLEARN_CHECKS
    ]
    return theirs + [(check.__name__, check) for check in _CHECKS]


def check_aggregator(aggregator):
    """Run every check on an aggregator.

    Parameters
    ----------
    aggregator : estimator

    Raises
    ------
    AssertionError
        At the first check that fails, with its name and its reason.
    """
    for name, check in all_checks(aggregator):
        try:
            check(clone(aggregator))
        except Exception as error:
            raise AssertionError(f"{aggregator!r} fails {name}: {error}") from error


def parametrize_with_checks(aggregators):
    """Make a pytest decorator that runs every check on every aggregator as a test of its own.

    Parameters
    ----------
    aggregators : list of estimators

    Returns
    -------
    pytest.MarkDecorator
        Parametrizes `aggregator` and `check`; the test's body is ``check(aggregator)``.
    """
    import pytest

    return pytest.mark.parametrize(
        ("aggregator", "check"),
        [
            pytest.param(clone(aggregator), check, id=f"{aggregator!r}-{name}".replace(" ", ""))
            for aggregator in aggregators
            for name, check in all_checks(aggregator)
        ],
    )


# ---------------------------------------------------------------------- data


def example_lists(seed=0, *, n_queries=4, n_voters=5, n_items=8, full=False, ties=True):
    """Make a small long frame of random lists, ranks and scores in agreement.

    Parameters
    ----------
    seed : int, default=0
    n_queries, n_voters, n_items : int, default=4, 5, 8
    full : bool, default=False
        Whether every list holds every item; else lists differ in length and some are missing.
    ties : bool, default=True
        Whether items of a list may tie.

    Returns
    -------
    pandas.DataFrame
        Columns `query`, `voter`, `item`, `rank`, `score`.
    """
    rng = np.random.default_rng(seed)
    frames = []
    for q in range(n_queries):
        for v in range(n_voters):
            if not full and v and rng.random() < 0.15:
                continue
            length = n_items if full else int(rng.integers(1, n_items + 1))
            item = rng.permutation(n_items)[:length]
            # Few distinct levels tie often; scores are not evenly spaced, so that norms of scores differ from ranks.
            level = rng.integers(0, n_items // 2 + 1, length) if ties else rng.permutation(length)
            score = np.round((level + 1) ** 1.5 * (v + 1), 6)
            rank = pd.Series(-score).rank(method="min").to_numpy()
            frames.append(
                pd.DataFrame({"query": f"q{q}", "voter": f"v{v}", "item": item, "rank": rank, "score": score})
            )
    lists = pd.concat(frames, ignore_index=True)
    lists["item"] = "i" + lists["item"].astype(str).str.zfill(2)
    return lists


def _tags(aggregator):
    return getattr(get_tags(aggregator), "aggregator_tags", AggregatorTags())


def _same(found, expected, reason, *, exact=True):
    """Assert that two consensus frames agree: in order exactly, in scores exactly or but for rounding."""
    found, expected = found.reset_index(drop=True), expected.reset_index(drop=True)
    for column in ("query", "item", "rank"):
        assert found[column].astype(str).tolist() == expected[column].astype(str).tolist(), (
            f"{reason}: the order differs in column {column!r}."
        )
    numbers = [name for name in expected.columns if name not in ("query", "item", "rank")]
    for column in numbers:
        left, right = found[column].to_numpy(dtype=float), expected[column].to_numpy(dtype=float)
        same = np.array_equal(left, right) if exact else np.allclose(left, right, rtol=1e-9, atol=1e-12)
        assert same, f"{reason}: the numbers differ in column {column!r}."


# ---------------------------------------------------------------------- the estimator


def check_fit_returns_self(aggregator):
    """``fit`` returns the estimator."""
    assert aggregator.fit(example_lists()) is aggregator, "fit must return self"


def check_input_unchanged(aggregator):
    """Neither fitting nor transforming changes the frame or the parameters."""
    lists = example_lists()
    before, params = lists.copy(deep=True), pickle.dumps(aggregator.get_params())
    aggregator.fit(lists).transform(lists)
    pd.testing.assert_frame_equal(lists, before)
    assert pickle.dumps(aggregator.get_params()) == params, "fit or transform changed a constructor parameter"


def check_repeatable(aggregator):
    """Fitting twice, a clone, and ``fit_transform`` all give the same consensus to the last bit."""
    lists = example_lists()
    first = aggregator.fit(lists).transform(lists)
    _same(aggregator.fit(lists).transform(lists), first, "fitting again changes the consensus")
    _same(clone(aggregator).fit(lists).transform(lists), first, "a clone gives another consensus")
    _same(clone(aggregator).fit_transform(lists), first, "fit_transform differs from fit, then transform")


def check_transform_writes_nothing(aggregator):
    """``transform`` leaves the estimator as it was."""
    lists = example_lists()
    aggregator.fit(lists)
    before = set(vars(aggregator))
    aggregator.transform(example_lists(1))
    assert set(vars(aggregator)) == before, f"transform wrote {set(vars(aggregator)) - before} to the estimator"


def check_transforms_unfitted(aggregator):
    """What needs no fit transforms without one."""
    if not get_tags(aggregator).requires_fit:
        lists = example_lists()
        _same(clone(aggregator).transform(lists), aggregator.fit(lists).transform(lists), "fitting matters")


def check_pickles(aggregator):
    """A fitted aggregator survives pickle and joblib."""
    lists = example_lists()
    expected = aggregator.fit(lists).transform(lists)
    _same(pickle.loads(pickle.dumps(aggregator)).transform(lists), expected, "pickle changes the consensus")
    stream = io.BytesIO()
    joblib.dump(aggregator, stream)
    stream.seek(0)
    _same(joblib.load(stream).transform(lists), expected, "joblib changes the consensus")


def check_set_output(aggregator):
    """The columns are those promised, and ``set_output`` gives pandas and polars frames."""
    lists = example_lists()
    plain = aggregator.fit_transform(lists)
    names = aggregator.get_feature_names_out().tolist()
    assert plain.columns.tolist() == names, f"get_feature_names_out says {names}, the columns are {list(plain.columns)}"
    _same(clone(aggregator).set_output(transform="pandas").fit_transform(lists), plain, "pandas output differs")
    if importlib.util.find_spec("polars") and importlib.util.find_spec("pyarrow"):
        frame = clone(aggregator).set_output(transform="polars").fit_transform(lists)
        assert type(frame).__module__.startswith("polars"), f"set_output gave {type(frame)} for polars"
        _same(frame.to_pandas(), plain, "polars output differs")


def check_consensus(aggregator):
    """Every item of a query comes once, in order of descending score, with ranks from 1 and a plain index."""
    lists = example_lists()
    consensus = aggregator.fit_transform(lists)
    assert isinstance(consensus.index, pd.RangeIndex), "the index must be a RangeIndex"
    assert consensus["query"].is_monotonic_increasing, "the consensus must be sorted by query"
    assert np.isfinite(consensus["score"]).all() or not consensus["score"].isna().any(), "no score may be NaN"
    for query, group in consensus.groupby("query"):
        items = lists.loc[lists["query"] == query, "item"]
        assert sorted(group["item"]) == sorted(items.unique()), f"query {query} must rank each of its items once"
        assert group["rank"].tolist() == list(range(1, len(group) + 1)), f"ranks of query {query} must be 1 to n"
        assert group["score"].is_monotonic_decreasing, f"scores of query {query} must not rise"
        _check_ties_in_order(group, lists[lists["query"] == query])


def _check_ties_in_order(group, lists):
    support = lists.groupby("item").size()
    for _, tied in group.groupby("score"):
        keys = [(-support[item], item) for item in tied["item"]]
        assert keys == sorted(keys), "tied items must come by the number of lists that hold them, then by id"


# ---------------------------------------------------------------------- what must not matter


def check_row_order(aggregator):
    """The order of the rows changes nothing."""
    lists = example_lists()
    shuffled = lists.sample(frac=1, random_state=0).reset_index(drop=True)
    _same(aggregator.fit_transform(shuffled), clone(aggregator).fit_transform(lists), "the order of rows shows")


def check_voter_names(aggregator):
    """The names of the voters, hence their order, change nothing: anonymity."""
    lists = example_lists()
    names = dict(zip(sorted(lists["voter"].unique()), ("z", "c", "y", "a", "m"), strict=True))
    renamed = lists.assign(voter=lists["voter"].map(names))
    _same(aggregator.fit_transform(renamed), clone(aggregator).fit_transform(lists), "voters' names show", exact=False)


def check_neutrality(aggregator):
    """Renaming the items renames them in the consensus, with the same scores (where promised)."""
    if not _tags(aggregator).neutral:
        return
    lists = example_lists()
    old = sorted(lists["item"].unique())
    names = dict(zip(old, np.random.default_rng(3).permutation(old), strict=True))
    renamed = aggregator.fit_transform(lists.assign(item=lists["item"].map(names)))
    expected = clone(aggregator).fit_transform(lists)
    expected["item"] = expected["item"].map(names)
    both = renamed.merge(expected, on=["query", "item"], suffixes=("", "_expected"))
    assert np.allclose(both["score"], both["score_expected"], rtol=1e-9, atol=1e-12), (
        "items' names show in their scores"
    )


def check_query_subset(aggregator):
    """Other queries change nothing, and fitted weights do not depend on the queries transformed."""
    lists = example_lists()
    whole = aggregator.fit(lists).transform(lists)
    encoded = RankedLists.from_frame(lists)
    for chosen in ([0], [1, 3], [0, 1, 2]):
        queries = encoded.queries[chosen]
        expected = whole[whole["query"].isin(queries)]
        _same(aggregator.transform(encoded[chosen]), expected, "other queries show (RankedLists)")
        _same(
            aggregator.transform(lists[lists["query"].isin(queries)].reset_index(drop=True)),
            expected,
            "other queries show",
        )


def check_containers(aggregator):
    """Strings, objects, categories, polars, pyarrow and RankedLists give the same consensus, ids in their own dtype."""
    lists = example_lists()
    ids = ["query", "voter", "item"]
    expected = clone(aggregator).fit_transform(lists)
    for dtype in (object, "category", "string"):
        frame = lists.astype(dict.fromkeys(ids, dtype))
        if dtype == "category":  # declared in another order than that of their values
            frame["item"] = frame["item"].cat.reorder_categories(sorted(lists["item"].unique(), reverse=True))
        found = clone(aggregator).fit_transform(frame)
        _same(found, expected, f"ids of dtype {dtype} change the consensus")
        assert found["item"].dtype == frame["item"].dtype, (
            f"items came back as {found['item'].dtype}, not {frame['item'].dtype}"
        )
    _same(clone(aggregator).fit_transform(RankedLists.from_frame(lists)), expected, "RankedLists change the consensus")
    if importlib.util.find_spec("polars"):
        import polars

        frame = polars.DataFrame({name: lists[name].to_list() for name in lists.columns})
        _same(clone(aggregator).fit_transform(frame), expected, "polars changes the consensus")
    if importlib.util.find_spec("pyarrow"):
        import pyarrow

        table = pyarrow.table({name: lists[name].to_list() for name in lists.columns})
        _same(clone(aggregator).fit_transform(table), expected, "pyarrow changes the consensus")


def check_integer_ids(aggregator):
    """Integer ids that sort like the strings give the same consensus, as integers."""
    lists = example_lists()
    numbered = lists.assign(**{name: lists[name].str[1:].astype(np.int64) for name in ("query", "voter", "item")})
    found = clone(aggregator).fit_transform(numbered)
    assert found["item"].dtype == np.int64, f"integer items came back as {found['item'].dtype}"
    expected = clone(aggregator).fit_transform(lists)
    expected = expected.assign(query=expected["query"].str[1:].astype(int), item=expected["item"].str[1:].astype(int))
    _same(found, expected, "integer ids change the consensus")


def check_read_only(aggregator):
    """Lists in read-only memory, as workers of joblib get them, give the same consensus."""
    lists = RankedLists.from_frame(example_lists())
    expected = clone(aggregator).fit_transform(lists)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "lists"
        joblib.dump(lists, path)
        mapped = joblib.load(path, mmap_mode="r")
        _same(clone(aggregator).fit_transform(mapped), expected, "memory-mapped lists change the consensus")
        del mapped


def check_ranks_or_scores(aggregator):
    """A method that reads ranks gives the same from ranks, from scores, and from ranks with gaps from 0."""
    lists = example_lists()
    if _tags(aggregator).needs_scores:
        _raises(ValueError, "score", aggregator.fit, lists.drop(columns="score"))
        return
    expected = clone(aggregator).fit_transform(lists.drop(columns="score"))
    _same(clone(aggregator).fit_transform(lists.drop(columns="rank")), expected, "ranks and their scores differ")
    _same(clone(aggregator).fit_transform(lists), expected, "ranks with their scores differ from ranks alone")
    stretched = lists.drop(columns="score").assign(rank=(lists["rank"] - 1) * 3)
    _same(clone(aggregator).fit_transform(stretched), expected, "gaps in the ranks show")


def check_integer_weights(aggregator):
    """A list of weight 2 counts as two copies of itself; who cannot weigh lists, or by fractions, refuses them."""
    lists = example_lists()
    weights = dict(zip(sorted(lists["voter"].unique()), (1, 2, 1, 3, 2), strict=True))
    weighted = lists.assign(weight=lists["voter"].map(weights))
    if not _tags(aggregator).voter_weights:
        _raises(ValueError, "weight", aggregator.fit_transform, weighted)
        return
    if _tags(aggregator).integer_weights:
        _raises(ValueError, "whole numbers", clone(aggregator).fit, lists.assign(weight=1.5))
    copies = pd.concat(
        [
            lists[lists["voter"].map(weights) > k].assign(voter=lambda frame, k=k: frame["voter"] + f"-{k}")
            for k in range(3)
        ],
        ignore_index=True,
    )
    expected = clone(aggregator).fit_transform(copies)
    _same(clone(aggregator).fit_transform(weighted), expected, "weights are not copies", exact=False)
    if "voter_weights" in aggregator.get_params():
        by_voter = clone(aggregator).set_params(voter_weights=weights)
        _same(by_voter.fit_transform(lists), expected, "voter_weights are not copies", exact=False)


# ---------------------------------------------------------------------- axioms


def check_unanimity(aggregator):
    """If every list ranks one item above another, so does the consensus (where promised)."""
    if not _tags(aggregator).unanimity:
        return
    for seed in range(10):
        lists = example_lists(seed, n_queries=1, n_voters=3, n_items=6, full=True, ties=False)
        place = aggregator.fit_transform(lists).set_index("item")["rank"]
        ranks = lists.pivot(index="item", columns="voter", values="rank")
        for above in ranks.index:
            for below in ranks.index[(ranks.loc[above] < ranks).all(axis=1)]:
                assert place[above] < place[below], f"every list ranks {above} above {below}, the consensus does not"


def check_condorcet_winner(aggregator):
    """An item that beats every other one by a majority comes first (where promised)."""
    if not _tags(aggregator).condorcet_winner:
        return
    found = 0
    for seed in range(20):
        lists = example_lists(seed, n_queries=1, full=True)
        ranks = lists.pivot(index="item", columns="voter", values="rank")
        for item in ranks.index:
            wins = (ranks.loc[item] < ranks).sum(axis=1) > (ranks.loc[item] > ranks).sum(axis=1)
            if wins.drop(item).all():
                found += 1
                first = clone(aggregator).fit_transform(lists)["item"].iloc[0]
                assert first == item, f"{item} beats every other item, the consensus puts {first} first"
    assert found, "the examples hold no Condorcet winner"


def check_small_inputs(aggregator):
    """One voter keeps its order; one item, and a query that everybody ties, are no trouble."""
    voter = example_lists(5, n_queries=1, n_voters=1, full=True, ties=False)
    order = voter.sort_values("rank")["item"].tolist()
    assert clone(aggregator).fit_transform(voter)["item"].tolist() == order, "one voter's order must stay"
    single = pd.DataFrame({"query": ["q", "q"], "voter": ["v", "w"], "item": "a", "rank": 1, "score": [2.0, 1.0]})
    assert clone(aggregator).fit_transform(single)["rank"].tolist() == [1], "a single item must come first"
    tied = pd.DataFrame(
        {"query": "q", "voter": np.repeat(["v", "w"], 3), "item": list("cabbca"), "rank": 1, "score": 1.0}
    )
    consensus = clone(aggregator).fit_transform(tied)
    assert consensus["item"].tolist() == ["a", "b", "c"], "items that all lists tie must come by id"
    assert consensus["score"].nunique() == 1, "items that all lists tie must have one score"


# ---------------------------------------------------------------------- errors


def check_errors(aggregator):
    """Bad lists are refused by ``fit`` and by ``transform``, with a sentence that names what is wrong."""
    good = example_lists()

    def changed(column, value):
        frame = good.copy()
        frame[column] = frame[column].astype(object if isinstance(value, str | None) else float)
        frame.loc[frame.index[3], column] = value
        return frame

    repeated = pd.concat([good, good.iloc[[2]]], ignore_index=True)
    cases = [
        (TypeError, "data frame", [[1, 2], [3, 4]]),
        (ValueError, "missing the column", good.drop(columns="item")),
        (ValueError, "missing the column", good.drop(columns=["rank", "score"])),
        (ValueError, "no rows", good.iloc[:0]),
        (ValueError, "missing", changed("item", None)),
        (ValueError, "finite", changed("rank", np.nan)),
        (ValueError, "finite", changed("score", np.inf)),
        (ValueError, "ranks", changed("rank", -1.0)),
        (ValueError, "numbers", changed("rank", "first")),
        (ValueError, "once", repeated),
        (ValueError, "one weight", good.assign(weight=np.arange(len(good)))),
        (ValueError, "at least 0", good.assign(weight=-1.0)),
    ]
    fitted = clone(aggregator).fit(good)
    for kind, words, frame in cases:
        _raises(kind, words, clone(aggregator).fit, frame)
        _raises(kind, words, fitted.transform, frame)


def _raises(kind, words, function, *args):
    try:
        function(*args)
    except kind as error:
        assert words in str(error), f"the {kind.__name__} should say {words!r}; it says: {error}"
        return
    except Exception as error:
        raise AssertionError(
            f"{kind.__name__} about {words!r} was expected; {type(error).__name__} came: {error}"
        ) from error
    raise AssertionError(f"{kind.__name__} about {words!r} was expected; nothing was raised")


_CHECKS = [
    function for name, function in list(globals().items()) if name.startswith("check_") and name != "check_aggregator"
]
