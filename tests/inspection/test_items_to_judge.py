"""items_to_judge: the chosen items by brute force, and independence of names, copies and other queries."""

import numpy as np
import pandas as pd
import pytest

from skrankagg import LearnedWeights, Qrels, RankedLists, ReciprocalRankFusion
from skrankagg.exceptions import InputError
from skrankagg.inspection import items_to_judge


def random_runs(seed, n_queries=4, n_voters=3, depth=12, n_items=30):
    """Draw runs as a dict of voter to dict of query to items, best first."""
    rng = np.random.default_rng(seed)
    return {
        f"v{v}": {f"q{q}": [f"d{i:02}" for i in rng.permutation(n_items)[:depth]] for q in range(n_queries)}
        for v in range(n_voters)
    }


def chosen(lists, **options):
    """Return the chosen items of each query as a set."""
    frame = items_to_judge(lists, **options)
    return {query: set(rows["item"]) for query, rows in frame.groupby("query")}


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("top", [1, 4, 7, 1000])
def test_items_to_judge_equals_a_sort_of_the_smallest_ranks(seed, top):
    runs = random_runs(seed)
    consensus = ReciprocalRankFusion().fit_transform(RankedLists.from_runs(runs))
    place = {key: n for n, key in enumerate(zip(consensus["query"], consensus["item"], strict=True))}
    expected = {}
    for query in runs["v0"]:
        best = {}
        for run in runs.values():
            for rank, item in enumerate(run[query], 1):
                best[item] = min(rank, best.get(item, rank))
        expected[query] = set(sorted(best, key=lambda item: (best[item], place[query, item]))[:top])
    assert chosen(runs, top=top, n_queries=10) == expected


def test_items_to_judge_contains_the_first_items_of_each_voter():
    runs = random_runs(0, n_voters=6)
    found = chosen(runs, top=12, n_queries=4)
    assert all(set(run[query][:2]) <= found[query] for run in runs.values() for query in run)


def test_items_to_judge_is_independent_of_copies_names_and_order_of_voters():
    # The voters share no item, and the items of the two smallest ranks are six, so that no tie is cut.
    parts = np.random.default_rng(1).permutation([f"d{i:02}" for i in range(30)]).reshape(3, 10).tolist()
    runs = {f"v{v}": {"q": part} for v, part in enumerate(parts)}
    expected = {"q": {item for part in parts for item in part[:2]}}
    assert chosen(runs, top=6) == chosen(runs | {"copy": runs["v1"], "another": runs["v1"]}, top=6) == expected
    renamed = dict(zip("zxy", runs.values(), strict=True))
    pd.testing.assert_frame_equal(
        items_to_judge(renamed, top=5, random_state=3), items_to_judge(runs, top=5, random_state=3)
    )


def test_items_to_judge_draws_queries_by_the_seed():
    lists = RankedLists.from_runs(random_runs(2, n_queries=40))
    first, again = (items_to_judge(lists, n_queries=7, top=2, random_state=5) for _ in range(2))
    pd.testing.assert_frame_equal(first, again)
    assert first["query"].nunique() == 7 and first["query"].is_monotonic_increasing
    drawn = [frozenset(items_to_judge(lists, n_queries=7, top=1, random_state=seed)["query"]) for seed in range(40)]
    assert len({*drawn}) == 40
    counts = pd.Series([query for queries in drawn for query in queries]).value_counts()
    assert len(counts) == 40 and counts.max() <= 17  # 7 of 40 queries, 40 times: the mean is 7
    assert len({tuple(items_to_judge(lists, top=1)["query"]) for _ in range(5)}) > 1


def test_items_to_judge_of_a_query_is_independent_of_other_queries():
    lists = RankedLists.from_runs(random_runs(3, n_queries=12))
    frame = items_to_judge(lists, queries=["q3", "q11"], top=6, random_state=0)
    assert frame["query"].unique().tolist() == ["q11", "q3"]  # the order of the lists
    alone = items_to_judge(lists.select(queries=["q3"]), top=6, random_state=0)
    pd.testing.assert_frame_equal(frame[frame["query"] == "q3"].reset_index(drop=True), alone)


def test_items_to_judge_hides_the_ranks():
    # Ids in the order of the ranks, as in examples: neither the ranks nor the ids may follow the rows.
    runs = {"v": {f"q{q}": [f"d{i:03}" for i in range(100)] for q in range(50)}}
    frame = items_to_judge(runs, n_queries=50, top=20, random_state=0)
    place = frame["item"].str[1:].astype(int)
    row = frame.groupby("query").cumcount()
    assert abs(np.corrcoef(place, row)[0, 1]) < 0.1
    assert frame["relevance"].isna().all() and frame["relevance"].dtype == np.float64


def test_items_to_judge_ignores_lists_of_weight_0():
    runs = random_runs(4)
    lists = RankedLists.from_runs(runs)
    weighted = lists.to_frame().assign(weight=lists.list_weight[lists.row_list])
    weighted.loc[weighted["voter"] == "v2", "weight"] = 0.0
    without = {voter: run for voter, run in runs.items() if voter != "v2"}
    assert chosen(weighted, top=5) == chosen(without, top=5)
    with pytest.raises(InputError, match="must have a list of positive weight"):
        items_to_judge(weighted.assign(weight=0.0))


def test_items_to_judge_fills_into_learned_weights():
    lists = RankedLists.from_runs(random_runs(5, n_queries=8))
    frame = items_to_judge(lists, n_queries=3, top=5, random_state=0)
    frame["relevance"] = np.arange(len(frame)) % 2
    method = LearnedWeights().fit(lists, Qrels.from_frame(frame))
    assert method.n_queries_ == 3 and method.n_relevant_ == frame["relevance"].sum()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_queries": 0}, "`n_queries` must be a whole number of at least 1; got 0"),
        ({"top": 2.5}, "`top` must be a whole number of at least 1; got 2.5"),
        ({"queries": ["q9"]}, "`queries` must be among the ids of the lists; 'q9' is not"),
        ({"queries": []}, "`queries` must have at least one id"),
    ],
)
def test_items_to_judge_rejects_wrong_arguments(options, message):
    with pytest.raises(InputError, match=message):
        items_to_judge(random_runs(0), **options)
