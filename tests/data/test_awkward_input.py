"""Input on which a well-known library crashes, hangs or is wrong gives the correct result or an error."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from golden import GOLDEN
from skrankagg import Qrels, RankBiasedCentroid, RankedLists, RankedPairs, Schulze, evaluate
from skrankagg.datasets import read_lists, read_qrels

# Their cost is documented: fewer items are enough.
CUBIC = (RankedPairs, Schulze)
AGGREGATORS = [aggregator for aggregator, *_ in GOLDEN]
every_method = pytest.mark.parametrize("aggregator", AGGREGATORS, ids=repr)


def consensus_of(aggregator, lists):
    consensus = clone(aggregator).fit_transform(lists)
    assert np.isfinite(consensus["score"]).all()
    for _, group in consensus.groupby("query"):
        assert group["rank"].tolist() == list(range(1, len(group) + 1))
    return consensus


def keeps_order(aggregator, consensus, items):
    """Return whether items are in the unanimous order; a method without that guarantee may tie some."""
    if aggregator.__sklearn_tags__().aggregator_tags.unanimity:
        return consensus["item"].tolist() == items
    place = consensus["item"].map({item: place for place, item in enumerate(items)})
    return consensus["item"].iloc[np.lexsort((place, -consensus["score"]))].tolist() == items


def full_lists(n_voters, n_items, seed=0, **columns):
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "query": "q",
            "voter": np.repeat(np.arange(n_voters), n_items),
            "item": np.concatenate([rng.permutation(n_items) for _ in range(n_voters)]),
            "rank": np.tile(np.arange(1, n_items + 1), n_voters),
            "score": np.tile(np.arange(n_items, 0, -1.0), n_voters),
            **columns,
        }
    )


# ---------------------------------------------------------------------- files


@pytest.fixture
def file(tmp_path):
    def write(text):
        path = tmp_path / "lists.csv"
        path.write_text(text, encoding="utf-8")
        return path

    return write


@pytest.mark.sampled(18)
@every_method
def test_read_lists_accepts_five_columns_without_a_header(file, aggregator):
    lists = read_lists(file("1,v,a,0.9,x\n1,v,b,0.5,x\n1,w,a,0.7,x\n1,w,c,0.1,x\n"))
    assert consensus_of(aggregator, lists)["item"].iloc[0] == "a"


def test_read_lists_recognizes_a_header(file):
    lists = read_lists(file("query,voter,item,score,source\n1,v,a,0.9,x\n1,v,b,0.5,x\n"))
    assert RankedLists.from_frame(lists).queries.tolist() == ["1"]


@pytest.mark.parametrize("name", ["x" * 150, "x" * 500, 'a "b", c', "NA", "null", "007", "nan", "é€😀"])
def test_read_lists_keeps_unusual_ids_unchanged(file, name):
    quoted = '"' + name.replace('"', '""') + '"'
    lists = read_lists(file(f"query,voter,item,rank\n{quoted},{quoted},{quoted},1\n{quoted},{quoted},other,2\n"))
    consensus = consensus_of(AGGREGATORS[0], lists)
    assert consensus["item"].tolist() == [name, "other"] and set(consensus["query"]) == {name}


@pytest.mark.parametrize("text", ["", "\n\n", "query,voter,item,rank\n"])
def test_read_lists_names_an_empty_file(file, text):
    with pytest.raises(ValueError, match=r"lists\.csv"):
        RankedLists.from_frame(read_lists(file(text)))


def test_read_lists_reports_a_repeated_item(file):
    with pytest.raises(ValueError, match="query '1', voter 'v', item 'a'"):
        RankedLists.from_frame(read_lists(file("1,v,a,0.9,x\n1,v,a,0.5,x\n")))


@pytest.mark.parametrize("number", ["nan", "inf", "-inf", "", "high"])
def test_read_lists_reports_the_line_of_an_invalid_score(file, number):
    with pytest.raises(ValueError, match="line 2"):
        read_lists(file(f"1,v,a,0.9,x\n1,v,b,{number},x\n"))


def test_read_qrels_treats_negative_grades_as_not_relevant_and_reads_the_last_line(file):
    qrels = Qrels.from_frame(read_qrels(file("1,0,a,-1\n1,0,b,1\n2,0,a,1")))
    assert qrels.n_queries == 2
    run = pd.DataFrame({"query": ["1", "1", "2"], "item": ["a", "b", "a"], "rank": [1, 2, 1]})
    assert evaluate(run, qrels, "p@1", per_query=True)["p@1"].tolist() == [0.0, 1.0]


def test_evaluate_ignores_judgements_of_other_queries():
    run = pd.DataFrame({"query": ["1"], "item": ["a"], "rank": [1]})
    qrels = pd.DataFrame({"query": ["1", "9"], "item": ["b", "a"], "relevance": [1, 1]})
    assert evaluate(run, qrels, "map", missing_queries="skip").iloc[0, 0] == 0.0


# ---------------------------------------------------------------------- lists


@pytest.mark.sampled(21)
@every_method
def test_aggregators_tie_all_items_when_scores_are_constant(aggregator):
    lists = full_lists(3, 4).assign(score=1.0, rank=1)
    consensus = consensus_of(aggregator, lists)
    assert consensus["score"].nunique() == 1 and consensus["item"].tolist() == [0, 1, 2, 3]


@pytest.mark.sampled(22)
@every_method
def test_aggregators_keep_the_order_of_a_single_voter(aggregator):
    lists = full_lists(1, 6)
    assert keeps_order(aggregator, consensus_of(aggregator, lists), lists["item"].tolist())


@pytest.mark.sampled(23)
@every_method
def test_aggregators_rank_a_single_item_first(aggregator):
    assert consensus_of(aggregator, full_lists(5, 1))["rank"].tolist() == [1]


@pytest.mark.sampled(15)
@every_method
def test_aggregators_accept_ranks_starting_at_zero(aggregator):
    lists = full_lists(5, 6)
    pd.testing.assert_frame_equal(
        consensus_of(aggregator, lists.assign(rank=lists["rank"] - 1)), consensus_of(aggregator, lists)
    )


@pytest.mark.sampled(22)
@pytest.mark.filterwarnings("ignore::skrankagg.exceptions.NotComparedWarning")
@every_method
def test_aggregators_keep_the_orders_of_disjoint_lists(aggregator):
    lists = pd.DataFrame(
        {"query": "q", "voter": list("uuuvvv"), "item": list("abcxyz"), "rank": [1, 2, 3] * 2, "score": [3.0, 2, 1] * 2}
    )
    place = consensus_of(aggregator, lists).set_index("item")["rank"]
    assert place["a"] < place["b"] < place["c"] and place["x"] < place["y"] < place["z"]


@pytest.mark.sampled(16)
@every_method
def test_aggregators_handle_two_hundred_voters(aggregator):
    lists = pd.concat([full_lists(200, 20), full_lists(1, 20, seed=1).assign(voter=-1)], ignore_index=True)
    consensus_of(aggregator, lists)


@pytest.mark.sampled(18)
@every_method
def test_aggregators_keep_a_unanimous_order(aggregator):
    lists = full_lists(30, 15)
    lists["item"] = np.tile(lists["item"].to_numpy()[:15], 30)
    assert keeps_order(aggregator, consensus_of(aggregator, lists), lists["item"].tolist()[:15])


@pytest.mark.exhaustive
@every_method
def test_aggregators_handle_lists_beyond_a_thousand_rows(aggregator):
    n = 400 if isinstance(aggregator, (*CUBIC, RankBiasedCentroid)) else 1100  # at rank 540 its gain is rounding
    lists = full_lists(4, n)
    lists["item"] = np.tile(lists["item"].to_numpy()[:n], 4)
    assert keeps_order(aggregator, consensus_of(aggregator, lists), lists["item"].tolist()[:n])


def test_voters_absent_from_a_query_do_not_change_its_consensus():
    lists = full_lists(3, 5)
    alone = consensus_of(AGGREGATORS[0], lists)
    other = full_lists(4, 5, seed=2).assign(query="r", voter=lambda frame: frame["voter"] + 10)
    both = consensus_of(AGGREGATORS[0], pd.concat([lists, other], ignore_index=True))
    pd.testing.assert_frame_equal(both[both["query"] == "q"].reset_index(drop=True), alone)
