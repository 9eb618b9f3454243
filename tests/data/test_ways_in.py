"""One data set is the same lists by every way in that can say it, and every way back returns it."""

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skrankagg import RankedLists

pytestmark = pytest.mark.twice

VOTERS = ["bm25", "dense", "rm3", "splade"]
ITEMS = st.sampled_from([list("abcdef"), [3, 1, 4, 15, 9, 26], ["d 1", "d-2", "D3", "ü", "007", "7"]])


def data_sets(results):
    """Results by query and voter: of one to three queries, each with lists of some voters."""
    by_voter = st.dictionaries(st.sampled_from(VOTERS), results, min_size=1)
    return st.dictionaries(st.sampled_from(["q1", "q2", "q3"]), by_voter, min_size=1)


def scored(numbers):
    """Items with numbers, some of them equal; any number of items, so that lists have unequal depth."""
    return ITEMS.flatmap(
        lambda items: data_sets(st.dictionaries(st.sampled_from(items), numbers, min_size=1, max_size=6))
    )


#: Few different scores, so that most lists tie; and any numbers at all.
SCORED = (
    scored(st.sampled_from([-1.5, 0.0, 0.25, 2.0]))
    | scored(st.floats(-1e300, 1e300))
    | scored(st.integers(-(2**53), 2**53))
)
RANKED = scored(st.integers(1, 4))
STRICT = ITEMS.flatmap(
    lambda items: data_sets(st.permutations(items).flatmap(lambda one: st.integers(1, 6).map(lambda n: one[:n])))
)


def frame_of(data, kind):
    rows = [
        (query, voter, item, number)
        for query, lists in data.items()
        for voter, results in lists.items()
        for item, number in results.items()
    ]
    return pd.DataFrame(rows, columns=["query", "voter", "item", kind])


def runs_of(data):
    runs = {}
    for query, lists in data.items():
        for voter, results in lists.items():
            runs.setdefault(voter, {})[query] = results
    return runs


def in_parts(data, way):
    """The queries one by one, put together."""
    return RankedLists.concat([way(lists, query) for query, lists in data.items()])


def all_equal(found, expected):
    for name, lists in found.items():
        assert lists.equals(expected) and expected.equals(lists), name


def back(lists):
    """The same lists, out and in again as frames."""
    frame = lists.to_frame()
    return {
        "to_frame": RankedLists.from_frame(frame),
        "to_frame, any order": RankedLists.from_frame(frame.sample(frac=1, random_state=0, ignore_index=True)),
        "one by one": RankedLists.concat(list(lists)),
    }


@pytest.mark.exhaustive
@given(data=SCORED, row_order=st.randoms(use_true_random=False))
@settings(max_examples=60, deadline=None)
def test_constructors_agree_on_lists_of_scores(data, row_order):
    frame = frame_of(data, "score")
    expected = RankedLists.from_frame(frame)
    places = list(range(len(frame)))
    row_order.shuffle(places)
    all_equal(
        {
            "from_frame": RankedLists.from_frame(frame.iloc[places].reset_index(drop=True)),
            "from_runs": RankedLists.from_runs(runs_of(data)),
            "from_lists": in_parts(data, lambda lists, query: RankedLists.from_lists(lists, query=query)),
            "from_hits": in_parts(
                data,
                lambda lists, query: RankedLists.from_hits(
                    {voter: [{"id": i, "s": s} for i, s in results.items()] for voter, results in lists.items()},
                    key="id",
                    score="s",
                    query=query,
                ),
            ),
            "to_runs": RankedLists.from_runs(expected.to_runs()),
            **back(expected),
        },
        expected,
    )


@given(data=scored(st.sampled_from([-1.5, 0.0, 0.25, 2.0])) | scored(st.floats(-1e300, 1e300)))
@settings(max_examples=60, deadline=None)
def test_constructors_agree_on_matrices_of_scores_and_frames_of_one_query(data):
    expected = RankedLists.from_frame(frame_of(data, "score"))
    matrices = in_parts(
        data, lambda lists, query: RankedLists.from_matrix(pd.DataFrame(lists), kind="score", rows="items", query=query)
    )
    turned = in_parts(
        data,
        lambda lists, query: RankedLists.from_matrix(
            -pd.DataFrame(lists), kind="score", rows="items", query=query, lower_is_better=True
        ),
    )
    all_equal({"from_matrix": matrices, "from_matrix, turned": turned}, expected)
    lists = next(iter(data.values()))
    one = RankedLists.from_frame(frame_of({"any": lists}, "score").drop(columns="query"), query=None)
    matrix = RankedLists.from_matrix(pd.DataFrame(lists), kind="score", rows="items")
    all_equal({"from_frame": one, "from_matrix": matrix}, RankedLists.from_lists(lists))


@given(data=RANKED)
@settings(max_examples=60, deadline=None)
def test_constructors_agree_on_lists_of_ranks_with_ties(data):
    expected = RankedLists.from_frame(frame_of(data, "rank"))
    matrices = in_parts(
        data, lambda lists, query: RankedLists.from_matrix(pd.DataFrame(lists), kind="rank", rows="items", query=query)
    )
    all_equal({"from_matrix": matrices, **back(expected)}, expected)
    for query, lists in data.items():
        levels = [
            [[item for item, rank in results.items() if rank == level] for level in sorted(set(results.values()))]
            for results in (lists[voter] for voter in sorted(lists))
        ]
        ballots = RankedLists.from_ballots(levels, query=query)  # equal ones are one list, weighted by their number
        assert ballots.list_weight.sum() == len(lists)
        if ballots.n_lists == len(lists):
            numbered = {str(k): lists[voter] for k, voter in enumerate(sorted(lists), 1)}
            ranks = frame_of({query: numbered}, "rank").astype({"voter": int})
            assert ballots.equals(RankedLists.from_frame(ranks))


@pytest.mark.exhaustive
@given(data=STRICT)
@settings(max_examples=60, deadline=None)
def test_constructors_agree_on_lists_of_items_without_numbers(data):
    numbered = {
        query: {voter: {item: k for k, item in enumerate(results, 1)} for voter, results in lists.items()}
        for query, lists in data.items()
    }
    expected = RankedLists.from_frame(frame_of(numbered, "rank"))

    def table(lists):
        return pd.DataFrame({voter: pd.Series(results, dtype=object) for voter, results in lists.items()})

    def out_and_in(lists, query):
        return RankedLists.from_wide(RankedLists.from_lists(lists, query=query).to_wide(), query=query)

    all_equal(
        {
            "from_runs": RankedLists.from_runs(runs_of(data)),
            "from_lists": in_parts(data, lambda lists, query: RankedLists.from_lists(lists, query=query)),
            "from_wide": in_parts(data, lambda lists, query: RankedLists.from_wide(table(lists), query=query)),
            "from_matrix": in_parts(
                numbered,
                lambda lists, query: RankedLists.from_matrix(
                    pd.DataFrame(lists), kind="rank", rows="items", query=query
                ),
            ),
            "to_runs": RankedLists.from_runs(expected.to_runs()),
            "to_wide": in_parts(data, out_and_in),
            **back(expected),
        },
        expected,
    )
    assert expected.to_runs() == runs_of(data)
