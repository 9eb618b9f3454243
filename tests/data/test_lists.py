"""RankedLists: the encoding, the container of queries, and the input checks."""

import copy
import dataclasses
import pickle
import weakref
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import joblib
import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.model_selection import KFold, train_test_split
from sklearn.utils import _safe_indexing

from skrankagg import CombSUM, RankedLists
from skrankagg._arrays import _ragged as _grouped
from skrankagg._data import _encoding
from skrankagg.exceptions import RankScoreConflictWarning, SplitQueryWarning
from skrankagg.utils.estimator_checks import example_lists

pytestmark = pytest.mark.twice


def frame(rows, columns="query voter item rank"):
    return pd.DataFrame(rows, columns=columns.split())


# ---------------------------------------------------------------------- the encoding


def test_from_frame_encodes_the_example(X):
    lists = RankedLists.from_frame(X)
    assert lists.items.tolist() == ["a", "b", "c", "d"]
    assert lists.row_ptr.tolist() == [0, 3, 6, 8]
    assert lists.candidate.tolist() == [0, 1, 2, 1, 0, 3, 1, 2]
    assert lists.rank.tolist() == [1, 2, 3, 1, 2.5, 2.5, 1, 2]
    assert lists.candidate_weight.tolist() == [2, 3, 2, 1]


@pytest.mark.parametrize("ranks", [[1, 2, 2, 4], [1, 2, 2, 3], [0, 5, 5, 9], [0.5, 0.7, 0.7, 0.8]])
def test_from_frame_gives_ties_their_mean_position_whatever_the_gaps(ranks):
    lists = RankedLists.from_frame(frame([("q", "v", f"i{k}", rank) for k, rank in enumerate(ranks)]))
    assert lists.rank.tolist() == [1.0, 2.5, 2.5, 4.0]


@pytest.mark.parametrize("seed", range(3))
def test_from_frame_is_independent_of_the_order_of_rows(seed):
    lists = example_lists(seed)
    straight = RankedLists.from_frame(lists)
    shuffled = RankedLists.from_frame(lists.sample(frac=1, random_state=seed).reset_index(drop=True))
    for name in ("candidate", "rank", "score", "row_ptr", "list_ptr", "candidate_ptr", "candidate_item", "list_voter"):
        assert np.array_equal(getattr(straight, name), getattr(shuffled, name)), name


@given(seed=st.integers(0, 10**6), fraction=st.booleans())
@settings(max_examples=30, deadline=None)
def test_to_frame_and_from_frame_round_trip(seed, fraction):
    lists = example_lists(seed)
    lists["weight"] = lists["voter"].str[1:].astype(int) + (0.5 if fraction else 1)
    first = RankedLists.from_frame(lists).to_frame()
    again = RankedLists.from_frame(first).to_frame()
    pd.testing.assert_frame_equal(first, again)
    key = ["query", "voter", "item"]
    both = lists.merge(first, on=key, suffixes=("", "_out"))
    assert len(both) == len(lists) == len(first)
    assert (both["score"] == both["score_out"]).all() and (both["weight"] == both["weight_out"]).all()


def test_from_frame_renames_columns_given_by_the_caller():
    lists = frame([("q", "v", "a", 2.0), ("q", "v", "b", 9.0)], "qid sys docno sim")
    encoded = RankedLists.from_frame(lists, query="qid", voter="sys", item="docno", score="sim")
    assert encoded.to_frame()["item"].tolist() == ["b", "a"]


def test_from_frame_reads_a_frame_without_voters_as_one_voter(X):
    consensus = CombSUM().fit_transform(X)
    again = CombSUM().fit_transform(consensus)
    assert RankedLists.from_frame(consensus).voters.tolist() == ["consensus"]
    assert again["item"].tolist() == consensus["item"].tolist()


@pytest.mark.parametrize("dtype", [object, "str", "string", "category", "int64", "int32", "Int64", "float64"])
def test_from_frame_keeps_the_dtype_of_ids(dtype):
    numbers = pd.Series([3, 1, 2])
    ids = numbers.astype(str).astype(dtype) if dtype in (object, "str", "string", "category") else numbers.astype(dtype)
    lists = pd.DataFrame({"query": ids, "voter": ids, "item": ids, "rank": 1})
    out = RankedLists.from_frame(lists).to_frame()
    for column in ("query", "voter", "item"):
        assert out[column].dtype == ids.dtype


def test_from_frame_encodes_long_runs_of_ids_like_shuffled_ones():
    # Columns of at least 4096 rows in long runs take a faster path.
    rng = np.random.default_rng(0)
    lists = pd.DataFrame(
        {
            "query": np.repeat([f"q{k}" for k in rng.permutation(50)], 200),
            "voter": np.tile(np.repeat([f"v{k}" for k in rng.permutation(10)], 20), 50),
            "item": np.tile(np.arange(20), 500),
            "rank": np.tile(np.arange(1, 21), 500),
        }
    )
    straight = RankedLists.from_frame(lists)
    shuffled = RankedLists.from_frame(lists.sample(frac=1, random_state=0).reset_index(drop=True))
    pd.testing.assert_frame_equal(straight.to_frame(), shuffled.to_frame())
    with pytest.raises(ValueError, match=r"1 are missing, the first in row 777"):
        RankedLists.from_frame(lists.assign(query=lists["query"].where(lists.index != 777)))


def test_sort_codes_handles_codes_too_large_for_one_integer():
    codes = [np.array([2, 0, 2, 0]), np.array([1, 5, 1, 4]), np.array([7, 7, 3, 7])]
    packed, starts = _grouped.sort_codes(codes, [3, 6, 8])
    wide, wide_starts = _grouped.sort_codes(codes, [2**31, 2**31, 2**31])
    assert packed.tolist() == wide.tolist() == [3, 1, 2, 0]
    for narrow, broad in zip(starts, wide_starts, strict=True):
        assert narrow.tolist() == broad.tolist()


def test_ranked_lists_are_independent_of_later_changes_to_the_frame(X):
    lists = RankedLists.from_frame(X)
    before = lists.score.copy()
    X["score"] = 0.0
    X.loc[:, "score"] = -1.0
    assert np.array_equal(lists.score, before)
    with pytest.raises(ValueError, match="read-only"):
        lists.score[0] = 1.0


# ---------------------------------------------------------------------- a container of queries


def test_indexing_ranked_lists_selects_queries():
    lists = RankedLists.from_frame(example_lists())
    assert len(lists) == 4 and lists.shape == (4,)
    assert [one.queries.tolist() for one in lists] == [["q0"], ["q1"], ["q2"], ["q3"]]
    assert lists[-1].queries.tolist() == ["q3"]
    assert lists[1:3].queries.tolist() == ["q1", "q2"]
    assert lists[np.array([True, False, False, True])].queries.tolist() == ["q0", "q3"]
    assert lists[[3, 0], ...].queries.tolist() == ["q3", "q0"]
    with pytest.raises(IndexError):
        lists[4]


def test_subset_equals_encoding_the_subset():
    whole = example_lists()
    part = RankedLists.from_frame(whole)[[1, 3]]
    alone = RankedLists.from_frame(whole[whole["query"].isin(["q1", "q3"])].reset_index(drop=True))
    pd.testing.assert_frame_equal(part.to_frame(), alone.to_frame())
    for name in ("row_ptr", "list_ptr", "candidate_ptr", "candidate"):
        assert np.array_equal(getattr(part, name), getattr(alone, name)), name


def test_subset_keeps_the_requested_order_of_queries():
    lists = RankedLists.from_frame(example_lists())
    part = lists[[3, 0, 2]]
    for name in ("list_ptr", "candidate_ptr"):
        assert np.array_equal(np.diff(getattr(part, name))[[1, 2, 0]], np.diff(getattr(lists[[0, 2, 3]], name))), name
    frame = part.to_frame()
    assert frame["query"].unique().tolist() == ["q3", "q0", "q2"]
    pd.testing.assert_frame_equal(
        frame.sort_values(["query", "voter", "rank"], kind="stable", ignore_index=True), lists[[0, 2, 3]].to_frame()
    )
    pd.testing.assert_frame_equal(part[[1, 0]].to_frame(), lists[[0, 3]].to_frame())
    consensus = CombSUM(norm="borda").fit_transform(part)
    assert consensus["query"].unique().tolist() == ["q3", "q0", "q2"]
    for query, rows in consensus.groupby("query"):
        alone = CombSUM(norm="borda").fit_transform(lists[[lists.queries.get_loc(query)]])
        pd.testing.assert_frame_equal(rows.reset_index(drop=True), alone)
    pd.testing.assert_frame_equal(RankedLists.from_frame(frame).to_frame(), lists[[0, 2, 3]].to_frame())


def id_types():
    strings = pd.Series(["a", "b", "c", "d"])
    kinds = {
        "str": strings,
        "object": strings.astype(object),
        "string": strings.astype("string"),
        "category": strings.astype("category"),
        "int": pd.Series([1, 2, 3, 4]),
        "Int64": pd.Series([1, 2, 3, 4], dtype="Int64"),
        "dates": pd.Series(pd.date_range("2020", periods=4)),
    }
    try:
        import pyarrow
    except ImportError:
        return kinds
    kinds["arrow strings"] = strings.astype(pd.ArrowDtype(pyarrow.string()))
    kinds["arrow ints"] = kinds["int"].astype(pd.ArrowDtype(pyarrow.int64()))
    kinds["string[pyarrow]"] = strings.astype("string[pyarrow]")
    return kinds


@pytest.mark.parametrize("ids", id_types().values(), ids=id_types().keys())
def test_train_test_split_slices_queries_like_lists(ids):
    frame = pd.DataFrame({"query": ids, "voter": "v", "item": "x", "rank": 1})
    lists = RankedLists.from_frame(frame)
    assert lists.queries.dtype == ids.dtype
    for kept in (lists, pickle.loads(pickle.dumps(lists)), copy.deepcopy(lists), lists[[3, 1, 0, 2]]):
        train, test, y_train, y_test = train_test_split(kept, kept.queries, random_state=0)
        assert train.queries.tolist() == list(y_train) and test.queries.tolist() == list(y_test)
        twice = _safe_indexing(_safe_indexing(kept.queries, [2, 0, 1]), [1, 0])
        assert list(twice) == [kept.queries[0], kept.queries[2]] and twice.dtype == ids.dtype
    alike = pd.Index(list(ids), dtype=ids.dtype)
    assert lists.queries.equals(alike) and alike.equals(lists.queries)
    assert [lists.queries.get_loc(one) for one in ids] == [0, 1, 2, 3] and ids[2] in lists.queries
    for op in ("get_indexer", "isin", "union", "difference", "intersection", "append"):
        found, expected = getattr(lists.queries, op)(alike[1:3]), getattr(alike, op)(alike[1:3])
        assert list(found) == list(expected) and found.dtype == expected.dtype, op
    assert lists.queries[lists.queries == ids[1]].tolist() == [ids[1]]
    series = pd.Series(range(4), index=lists.queries)
    assert series[ids[3]] == 3 and series.reindex(alike[::-1]).tolist() == [3, 2, 1, 0]
    out = lists.to_frame()["query"]
    pd.testing.assert_series_equal(out, frame["query"])
    assert pickle.loads(pickle.dumps(lists.queries)).equals(lists.queries)


def test_subset_of_a_subset_equals_a_direct_subset():
    lists = RankedLists.from_frame(example_lists())
    pd.testing.assert_frame_equal(lists[[1, 2, 3]][[0, 2]].to_frame(), lists[[1, 3]].to_frame())


LARGE = ("candidate", "rank", "score", "candidate_item")


def test_subset_gathers_arrays_on_access_and_then_releases_its_source():
    lists = RankedLists.from_frame(example_lists())
    part = lists[[3, 1]][[1, 0]]
    assert part.has_scores and len(part) == 2 and part.n_rows == lists[[1, 3]].n_rows and "scores" in repr(part)
    weighed = part.with_list_weight(np.full(part.n_lists, 2.0))
    assert not {*LARGE} & {*vars(part)} and not {*LARGE} & {*vars(weighed)}
    CombSUM(norm="rank").transform(part)
    assert {*LARGE} & {*vars(part)} == {"candidate", "rank", "candidate_item"}
    assert part.rank is part.rank and not part.rank.flags.writeable
    source = weakref.ref(lists)
    del lists
    assert source() is not None
    for one in (part, weighed):
        assert all(len(getattr(one, name)) for name in LARGE)
    assert source() is None
    pd.testing.assert_frame_equal(weighed.to_frame().drop(columns="weight"), part.to_frame())


def test_subset_does_not_gather_an_array_again_after_another_thread():
    part = RankedLists.from_frame(example_lists())[[0, 2]]
    rank = part.rank
    assert part._gather("rank") is rank and "score" not in vars(part)


def test_ranked_lists_refuse_two_indices():
    lists = RankedLists.from_frame(example_lists())
    with pytest.raises(IndexError, match="one axis, its queries; index it with a single index"):
        lists[0, 1]
    assert lists[[0, 1], ...].equals(lists[[0, 1]])


def test_subset_of_lists_without_scores_has_no_scores():
    part = RankedLists.from_frame(example_lists().drop(columns="score"))[[0, 2]]
    assert not part.has_scores and part.score is None and "score" not in part.to_frame()


def test_subset_is_immutable():
    lists = RankedLists.from_frame(example_lists())
    for one in (lists, lists[[0]]):
        for name in ("rank", "queries", "anything"):
            with pytest.raises(dataclasses.FrozenInstanceError):
                setattr(one, name, None)


@pytest.mark.parametrize("again", [copy.copy, lambda lists: pickle.loads(pickle.dumps(lists))], ids=["copy", "pickle"])
def test_copies_of_a_subset_are_complete(again):
    part = RankedLists.from_frame(example_lists())[[2, 0]]
    whole = again(part)
    assert type(whole) is RankedLists and {*LARGE} <= {*vars(whole)}
    pd.testing.assert_frame_equal(whole.to_frame(), part.to_frame())
    assert joblib.hash(part) == joblib.hash(whole)
    assert part != whole and copy.deepcopy(part) is part and clone(part, safe=False) is part


def test_subset_can_be_read_by_several_threads():
    lists = RankedLists.from_frame(example_lists())
    expected = lists[[0, 2, 3]].to_frame()
    with ThreadPoolExecutor(8) as pool:
        for _ in range(50):
            part, start = lists[[0, 1, 2, 3]][[0, 2, 3]], Barrier(8)

            def read(k, part=part, start=start):
                start.wait()
                return [getattr(part, name) for name in np.roll(LARGE, k)]

            list(pool.map(read, range(8)))
            pd.testing.assert_frame_equal(part.to_frame(), expected)


@pytest.mark.parametrize(("indices", "words"), [([0, 0], "position is repeated"), ([], "at least one position")])
def test_take_rejects_repeated_or_missing_positions(indices, words):
    with pytest.raises(ValueError, match=words):
        RankedLists.from_frame(example_lists()).take(indices)


def test_scikit_learn_splitters_split_between_queries():
    lists = RankedLists.from_frame(example_lists())
    for train, test in KFold(2).split(lists):
        assert len(_safe_indexing(lists, train)) == len(_safe_indexing(lists, test)) == 2
    train, test = train_test_split(lists, random_state=0)
    assert sorted([*train.queries, *test.queries]) == lists.queries.tolist()
    assert clone(lists, safe=False) is lists


def test_ranked_lists_can_be_pickled():
    lists = RankedLists.from_frame(example_lists())
    again = pickle.loads(pickle.dumps(lists))
    pd.testing.assert_frame_equal(again.to_frame(), lists.to_frame())
    assert not again.candidate.flags.writeable


def test_ranked_lists_cannot_become_an_array(X):
    with pytest.raises(TypeError, match="container of queries"):
        np.asarray(RankedLists.from_frame(X))


def test_repr_summarizes_the_lists(X):
    lists = RankedLists.from_frame(X.assign(weight=2))
    assert (
        repr(lists)
        == "RankedLists(n_queries=1, n_voters=3, n_items=4, n_lists=3, n_rows=8, ranks and scores, weighted)"
    )


def test_html_shows_the_first_query_with_voters_side_by_side():
    rows = [("q<1>", "u", "a", 1), ("q<1>", "u", "b", 2), ("q<1>", "v", "b", 1), ("q<1>", "v", "a&c", 1)]
    frame = pd.DataFrame(rows, columns=["query", "voter", "item", "rank"])
    html = RankedLists.from_frame(frame)._repr_html_()
    assert html.count("<tr") == 3  # the voters and two places; the items that v ties are in one cell
    assert "<td>a&amp;c = b</td>" in html and "query &#x27;q&lt;1&gt;&#x27;</p>" in html
    many = pd.concat([frame.assign(voter=f"v{k:02d}") for k in range(0, 9)]).drop_duplicates(["voter", "item"])
    assert "8 of its 9 voters" in RankedLists.from_frame(many)._repr_html_()


def test_with_list_weight_returns_a_new_container(X):
    lists = RankedLists.from_frame(X)
    assert lists.candidate_weight.tolist() == [2, 3, 2, 1]
    weighted = lists.with_list_weight([1, 2, 5])
    assert weighted.candidate_weight.tolist() == [3, 8, 6, 2]
    assert lists.candidate_weight.tolist() == [2, 3, 2, 1] and not lists.is_weighted
    for wrong in ([1, 2], [1, 2, -1], [1, 2, np.nan]):
        with pytest.raises(ValueError, match="`weight` must be 3 finite numbers"):
            lists.with_list_weight(wrong)


# ---------------------------------------------------------------------- input checks


def test_from_frame_rejects_too_many_candidates(X, monkeypatch):
    monkeypatch.setattr(_encoding, "_MOST_CANDIDATES", 3)
    with pytest.raises(ValueError, match=r"at most 3 .* got 4"):
        RankedLists.from_frame(X)


GOOD = [("q", "v", "a", 1.0), ("q", "v", "b", 2.0), ("q", "w", "a", 1.0)]


def with_value(column, row, value):
    lists = frame(GOOD).astype({"query": object, "voter": object, "item": object})
    if isinstance(value, str):
        lists[column] = lists[column].astype(object)
    lists.loc[row, column] = value
    return lists


REFUSED = {
    "no frame": ([1, 2], TypeError, r"must be a data frame .*; got builtins\.list"),
    "an array": (np.ones((3, 4)), TypeError, r"got numpy\.ndarray"),
    "a series": (pd.Series([1]), TypeError, "must be a data frame"),
    "a missing column": (
        frame(GOOD).rename(columns={"item": "gene"}),
        ValueError,
        r"missing the column\(s\) 'item' \(also accepted: item_id, docno, .*\); its columns are \['query', 'voter', "
        r"'gene', 'rank'\]\. Name the missing column with RankedLists\.from_frame\(df, item=\.\.\.\)\.$",
    ),
    "no rank and no score": (frame(GOOD).drop(columns="rank"), ValueError, r"missing the column\(s\) 'rank or score'"),
    "no rows": (frame([]), ValueError, "has no rows"),
    "no columns": (
        pd.DataFrame(),
        ValueError,
        r"'query', 'item', 'rank or score' \(also accepted: qid, .*\); its columns are \[\]",
    ),
    "two columns of a name": (
        pd.concat([frame(GOOD), frame(GOOD)[["item"]]], axis=1),
        ValueError,
        "only one column named 'item'; 2 columns have this name",
    ),
    "a missing query": (with_value("query", 1, None), ValueError, r"'query' must have an id.*1 are missing.*row 1"),
    "a missing voter": (with_value("voter", 2, np.nan), ValueError, r"'voter' must have an id.*row 2"),
    "a missing item": (with_value("item", 0, None), ValueError, r"'item' must have an id.*row 0"),
    "a NaN rank": (
        with_value("rank", 1, np.nan),
        ValueError,
        r"'rank' must have finite numbers; 1 rows .* row 1 \(nan\)",
    ),
    "an infinite score": (
        frame(GOOD, "query voter item score").assign(score=[1, np.inf, 2]),
        ValueError,
        r"'score' must have finite numbers.*inf",
    ),
    "a negative rank": (
        with_value("rank", 1, -2),
        ValueError,
        r"got -2 in row 1\. If these are scores.*rank=None, score='rank'",
    ),
    "words for ranks": (with_value("rank", 1, "second"), ValueError, "'rank' must have numbers; its dtype is object"),
    "numbers as words": (frame(GOOD).astype({"rank": str}), ValueError, "Convert it with pandas.to_numeric"),
    "a repeated item": (
        frame([*GOOD, ("q", "v", "a", 3.0)]),
        ValueError,
        r"1 rows repeat an item \(the first is query 'q', voter 'v', item 'a'\)",
    ),
    "a varying weight": (
        frame(GOOD).assign(weight=[1, 2, 1]),
        ValueError,
        r"the weight varies from 1 to 2 in the list of query 'q', voter 'v'",
    ),
    "a negative weight": (
        frame(GOOD).assign(weight=-1),
        ValueError,
        "at least 0; got -1 for query 'q', voter 'v'.*to ignore it",
    ),
    "a NaN weight": (frame(GOOD).assign(weight=[1, np.nan, 1]), ValueError, "'weight' must have finite numbers"),
    "ids that cannot be sorted": (
        with_value("item", 0, [1]).assign(item=[(1, 2), "b", 3]),
        TypeError,
        "'item' must have ids that can be sorted",
    ),
}


@pytest.mark.parametrize(("lists", "kind", "words"), REFUSED.values(), ids=REFUSED.keys())
def test_from_frame_rejects_invalid_lists_with_advice(lists, kind, words):
    with pytest.raises(kind, match=words):
        RankedLists.from_frame(lists)
    with pytest.raises(kind):
        CombSUM().transform(lists)


def test_from_frame_treats_polars_nulls_as_missing_ids():
    polars = pytest.importorskip("polars")
    for item in (["a", None], [1, None]):
        with pytest.raises(ValueError, match="'item' must have an id"):
            RankedLists.from_frame(polars.DataFrame({"query": ["q", "q"], "item": item, "rank": [1, 2]}))


def test_from_frame_rejects_missing_columns_named_by_the_caller(X):
    with pytest.raises(ValueError, match=r"missing the column\(s\) 'place'"):
        RankedLists.from_frame(X, rank="place")
    with pytest.raises(ValueError, match=r"missing the column\(s\) 'ranker'"):
        RankedLists.from_frame(X, voter="ranker")


def test_from_frame_skips_columns_set_to_none(X):
    wrong = X.assign(rank=-X["score"])
    assert RankedLists.from_frame(wrong, rank=None).rank.tolist() == RankedLists.from_frame(X).rank.tolist()
    assert not RankedLists.from_frame(X.assign(rank=[1, 2, 3, 1, 2, 2, 1, 2]), score=None).has_scores


# ---------------------------------------------------------------------- warnings


def test_from_frame_warns_about_conflicting_ranks_and_scores(X):
    wrong = X.assign(rank=X["score"])  # the best score has the worst rank
    with pytest.warns(RankScoreConflictWarning, match="; the first is the list of query 'q', voter 'u'"):
        lists = RankedLists.from_frame(wrong)
    assert lists.to_frame()["item"].tolist()[:3] == ["c", "b", "a"]


def test_from_frame_does_not_report_one_sided_ties_as_conflicts():
    lists = frame(
        [("q", "v", "a", 1, 5.0), ("q", "v", "b", 1, 7.0), ("q", "v", "c", 2, 5.0), ("q", "w", "c", 1, 9.0)],
        "query voter item rank score",
    )
    assert RankedLists.from_frame(lists).rank.tolist() == [1.5, 1.5, 3.0, 1.0]


@pytest.mark.parametrize("shuffle", [True, False])
def test_from_frame_warns_about_lists_cut_by_a_row_wise_splitter(shuffle):
    lists = example_lists(full=True, with_ties=False).sort_values(["query", "voter", "rank"]).reset_index(drop=True)
    train, _ = next(KFold(5, shuffle=shuffle, random_state=0 if shuffle else None).split(lists.iloc[5:]))
    cut = lists.iloc[[0, 1, 2, *(train + 5)]]
    with pytest.warns(SplitQueryWarning, match="Each sample must be a whole query"):
        RankedLists.from_frame(cut)
    if shuffle:
        with pytest.warns(SplitQueryWarning, match="lists have lost rows"):
            RankedLists.from_frame(cut.drop(columns="rank"))


def test_from_frame_does_not_warn_about_valid_subsets():
    lists = example_lists(full=True, with_ties=False).sort_values(["query", "voter", "rank"]).reset_index(drop=True)
    RankedLists.from_frame(lists[lists["query"] != "q1"])
    RankedLists.from_frame(lists[lists["voter"] != "v1"])
    RankedLists.from_frame(lists[lists["rank"] <= 3])
    RankedLists.from_frame(lists.sample(frac=1, random_state=0))
    for unsorted in (example_lists(full=True, with_ties=False), example_lists(full=True)):
        RankedLists.from_frame(unsorted[unsorted["query"] != "q1"])
        RankedLists.from_frame(unsorted[unsorted["rank"] <= 3])
        RankedLists.from_frame(unsorted[unsorted["rank"] <= 3].drop(columns="rank"))
    scored = lists.drop(columns="rank")
    RankedLists.from_frame(scored[scored["query"] != "q1"])
    RankedLists.from_frame(scored[scored["score"] > scored["score"].median()])
    RankedLists.from_frame(scored.sample(frac=1, random_state=0))


VALUES = st.one_of(
    st.integers(-5, 5).map(float),
    st.floats(allow_nan=False, allow_infinity=False),
    st.floats(0, 1),
    st.sampled_from([0.1, 0.1 + 1e-17, 0.30000000000000004, 0.3, 1e300, -1e300, 5e-324, 0.0]),
)


@given(rows=st.lists(st.tuples(st.integers(0, 3), VALUES), min_size=1, max_size=40), infinite=st.booleans())
@example(rows=[(1, -9007199254740991.0), (0, 1.0)], infinite=False)
@settings(max_examples=200, deadline=None)
def test_group_order_equals_lexsort_for_any_values(rows, infinite):
    group = np.array([group for group, _ in rows])
    value = np.array([value for _, value in rows])
    if infinite:
        value[0] = np.inf
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_grouped, "_FEW", 1)
        assert _grouped.group_order(group, value).tolist() == np.lexsort((value, group)).tolist()


@pytest.mark.parametrize("values", [[2**62, -(2**62), 0, 2**62 - 1], [3, 1, 2, 1], [-(2**63), 2**63 - 1, 0, 1]])
def test_group_order_is_exact_for_integers(values):
    from skrankagg._arrays._ragged import group_order

    assert (
        group_order(np.zeros(4, dtype=np.int32), np.array(values)).tolist()
        == np.argsort(values, kind="stable").tolist()
    )
