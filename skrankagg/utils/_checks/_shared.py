"""Data and assertions shared by all checks."""

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np
import pandas as pd
from sklearn.utils import get_tags

from ..._data._frames import take_ids
from ..._data._qrels import Qrels
from ..._data._ranked_lists import RankedLists, check_lists
from ..._data._types import AnyLists


def example_lists(
    random_state: int = 0,
    *,
    n_queries: int = 4,
    n_voters: int = 5,
    n_items: int = 8,
    full: bool = False,
    with_ties: bool = True,
) -> pd.DataFrame:
    """Generate a small long frame of random lists whose ranks and scores agree.

    Parameters
    ----------
    random_state : int, default=0
        Seed of the lists.
    n_queries, n_voters, n_items : int, default=4, 5, 8
        Numbers of queries, voters and items. All queries have the same items.
    full : bool, default=False
        Whether every list contains every item. If False, lists have different lengths, and some lists are missing.
    with_ties : bool, default=True
        Whether items of a list may be tied.

    Returns
    -------
    pandas.DataFrame
        Columns `query`, `voter`, `item`, `rank`, `score`.

    See Also
    --------
    skrankagg.datasets.make_ranked_lists : Generates lists of any size from a known truth.

    Examples
    --------
    >>> from skrankagg.utils.estimator_checks import example_lists
    >>> example_lists(n_queries=1, n_voters=1, n_items=3, full=True,
    ...               with_ties=False).columns.tolist()
    ['query', 'voter', 'item', 'rank', 'score']
    """
    return _example_lists(random_state, n_queries, n_voters, n_items, full, with_ties).copy()


# Most checks use the same few lists.
@lru_cache(maxsize=128)
def _example_lists(random_state, n_queries, n_voters, n_items, full, with_ties):
    rng = np.random.default_rng(random_state)
    query, voter, columns = [], [], []
    for q in range(n_queries):
        for v in range(n_voters):
            if not full and v and rng.random() < 0.15:
                continue
            length = n_items if full else int(rng.integers(1, n_items + 1))
            item = rng.permutation(n_items)[:length]
            # A small number of distinct levels causes many ties. The scores are unevenly spaced, so norms that
            # use scores differ from norms that use ranks.
            level = rng.integers(0, n_items // 2 + 1, length) if with_ties else rng.permutation(length)
            score = np.round((level + 1) ** 1.5 * (v + 1), 6)
            rank = 1.0 + np.searchsorted(np.sort(-score), -score)
            query += [f"q{q}"] * length
            voter += [f"v{v}"] * length
            columns.append((item, rank, score))
    item, rank, score = map(np.concatenate, zip(*columns, strict=True))
    return pd.DataFrame(
        {"query": query, "voter": voter, "item": [f"i{name:02}" for name in item], "rank": rank, "score": score}
    )


@lru_cache(maxsize=3)
def mixed_queries(weights: str = "any") -> dict[str, pd.DataFrame]:
    """Generate queries whose lists have different properties, as a dict from the id of a query to its lists.

    The lists of the queries differ in length, ties, weights and score range. Some queries have only one list, only one
    item, or only lists of two items. `weights` states which weights of lists are allowed: "any", "whole" (integers) or
    "none". The frames are cached, so callers must not change them.
    """

    def kind(seed, **options):
        return example_lists(seed, n_queries=1, **options)

    def number(lists):
        return lists["voter"].str[1:].astype(int)

    plain, cut, fractions = kind(11, full=True, with_ties=False), kind(12), kind(23)
    # The first two lists are equal.
    pairs = pd.DataFrame({"voter": np.repeat([f"v{v}" for v in range(5)], 2), "rank": 5 * [1.0, 2.0]})
    pairs["item"] = [f"i{item:02}" for pair in ((0, 1), (0, 1), (1, 0), (1, 2), (2, 0)) for item in pair]
    pairs["score"] = 3.0 / pairs["rank"]
    queries = {}
    if weights == "any":
        # These large weights reveal a running sum that continues from one query to the next, because its rounding
        # would depend on the weights.
        queries["thirds"] = fractions.assign(weight=1.1 + number(fractions) / 3)
        queries["as heavy"] = kind(25).assign(weight=1e9)
    queries |= {
        "plain": plain,
        "cut and tied": cut,
        "longer": kind(13, n_items=14),
        "few lists": kind(14, n_voters=3, n_items=6, full=True),
        "pairs": pairs,
        "one list": kind(15, n_voters=1, full=True),
        "one item": kind(16, n_items=1, full=True),
        "all tied": kind(17, full=True).assign(rank=1.0, score=1.0),
        "below 0": kind(18).assign(score=lambda one: one["score"] - one["score"].median()),
        "large": kind(19).assign(score=lambda one: one["score"] * 1e12),
        "small": kind(20).assign(score=lambda one: one["score"] * 1e-12),
    }
    if weights != "none":
        queries["whole weights"] = plain.assign(weight=1.0 + number(plain) % 3)
        queries["equal weights"] = kind(21, with_ties=False).assign(weight=3.0)
        queries["silent lists"] = kind(22).assign(weight=lambda one: np.where(one["voter"] == "v1", 0.0, 1.0))
    if weights == "any":
        # These weights have no common unit, so their sums are rounded.
        queries["fractions"] = fractions.assign(weight=1.1 + np.sqrt(number(fractions)))
        queries["one fraction"] = plain.assign(weight=np.where(number(plain) == 2, 2.5, 3.0))
        queries["heavy"] = kind(24).assign(weight=lambda one: 1e9 * (1.1 + np.sqrt(number(one))))
    return {
        f"{k:02} {name}": one.assign(query=f"{k:02} {name}", weight=one.get("weight", 1.0))
        for k, (name, one) in enumerate(queries.items(), start=1)
    }


@lru_cache(maxsize=128)
def encode_queries(weights: str, names: tuple[str, ...] | None = None, *, turned: bool = False) -> RankedLists:
    """Encode queries of :func:`mixed_queries`: the queries in `names`, or all queries if `names` is None.

    If `turned` is true, the queries are renamed so that their sorted order is reversed.
    """
    queries = mixed_queries(weights)
    frame = pd.concat([queries[name] for name in names or queries], ignore_index=True)
    return RankedLists.from_frame(frame.assign(query=frame["query"].map(turned_names(names))) if turned else frame)


def turned_names(names: tuple[str, ...]) -> dict[str, str]:
    """Return a dict of new names for queries; sorting by the new names reverses the order of the queries."""
    return {name: f"{len(names) - k:02}" for k, name in enumerate(names)}


def example_qrels(lists: AnyLists, grade: Callable[[Any, Any], float] | None = None) -> Qrels:
    """Judge every item of lists, for the checks of methods that learn from judgements.

    Parameters
    ----------
    lists : DataFrame or RankedLists of n_queries queries
        Ranked lists.
    grade : callable, default=None
        Function that returns the grade of an item, given the ids of a query and the item. With None, grades from 0
        to 3 are computed from the numbers in the two ids. The grades do not depend on the type of the ids or on the
        lists.

    Returns
    -------
    Qrels
        Judgements of every item of the lists.

    See Also
    --------
    example_lists : Generates the lists.

    Examples
    --------
    >>> from skrankagg.utils.estimator_checks import example_lists, example_qrels
    >>> example_qrels(example_lists(n_queries=1, n_items=4, full=True)).to_frame()[
    ...     "relevance"].tolist()
    [1.0, 0.0, 3.0, 3.0]
    """
    lists = check_lists(lists)
    query = take_ids(lists.queries, lists.candidate_query)
    item = take_ids(lists.items, lists.candidate_item)
    grades = [(grade or example_grade)(*ids) for ids in zip(query, item, strict=True)]
    return Qrels.from_frame(pd.DataFrame({"query": query, "item": item, "relevance": grades}))


def example_grade(query, item):
    """Compute a grade from 0 to 3 from the numbers in the ids of a query and an item."""
    return (3 * _number(query) + 7 * _number(item) + _number(item) // 3 + 1) % 4


def _number(one):
    digits = "".join(filter(str.isdigit, str(one)))
    return int(digits) if digits else sum(map(ord, str(one)))


def is_supervised(estimator):
    """Return True if an estimator needs judgements, according to its tag or its method `_needs_judgements`."""
    needs = getattr(estimator, "_needs_judgements", None)
    if needs is not None and getattr(estimator, "qrels", None) is None:
        return needs()
    return getattr(getattr(get_tags(estimator), "aggregator_tags", None), "supervised", False)


def judgements(estimator, lists, qrels=None):
    """Return the keyword arguments of `fit`: judgements if the estimator needs them, otherwise an empty dict."""
    return {"qrels": example_qrels(lists) if qrels is None else qrels} if is_supervised(estimator) else {}


def fit(estimator, lists, qrels=None):
    """Fit an estimator, with judgements if it learns from judgements.

    The judgements are `qrels`, or the result of :func:`example_qrels` if `qrels` is None.
    """
    return estimator.fit(lists, **judgements(estimator, lists, qrels))


def fit_transform(estimator, lists, qrels=None):
    """Fit an estimator as :func:`fit` does, and transform the same lists."""
    return estimator.fit_transform(lists, **judgements(estimator, lists, qrels))


def same(found, expected, reason, *, exact=True, hint=""):
    """Assert that two frames have the same order and equal numbers.

    If `exact` is False, the numbers may differ by rounding. The message of an error begins with `reason` and ends with
    `hint`.
    """
    found, expected = _to_frame(found), _to_frame(expected)
    assert list(found.columns) == list(expected.columns), (
        f"{reason}: the columns are {list(found.columns)}, not {list(expected.columns)}{hint}."
    )
    ids = [name for name in ("query", "voter", "item", "rank") if name in expected]
    for column in ids:
        assert found[column].astype(str).tolist() == expected[column].astype(str).tolist(), (
            f"{reason}: the order differs in column {column!r}{hint}."
        )
    for column in (name for name in expected.columns if name not in ids):
        if not pd.api.types.is_numeric_dtype(expected[column].dtype):
            assert found[column].tolist() == expected[column].tolist(), (
                f"{reason}: the column {column!r} differs{hint}."
            )
            continue
        left, right = (one[column].to_numpy(dtype=float, na_value=np.nan) for one in (found, expected))
        same = (
            np.array_equal(left, right, equal_nan=True)
            if exact
            else np.allclose(left, right, rtol=1e-9, atol=1e-12, equal_nan=True)
        )
        assert same, f"{reason}: the numbers differ in column {column!r}{hint}."


def _to_frame(result):
    frame = result.to_frame() if isinstance(result, RankedLists) else result
    return frame.reset_index(drop=True)


def raises(kind, words, function, *args):
    """Assert that a call raises an error of type `kind` and that the message contains `words`."""
    try:
        function(*args)
    except kind as error:
        assert words in str(error), f"the message of {kind.__name__} must contain {words!r}; it is: {error}"
        return
    except Exception as error:
        raise AssertionError(
            f"{kind.__name__} about {words!r} was expected; got {type(error).__name__}: {error}"
        ) from error
    raise AssertionError(f"{kind.__name__} about {words!r} was expected; nothing was raised")
