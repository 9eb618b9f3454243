"""Writers: consensus as text, ranks of ties, and judgements as files."""

import gzip
import json

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pandas.testing import assert_frame_equal

from skrankagg import BordaCount, CombSUM, Copeland, Qrels, RankedLists
from skrankagg.datasets import make_ranked_lists, ranking_text, read_lists, read_qrels, write_qrels, write_run
from skrankagg.exceptions import InputError, InputTypeError

pytestmark = pytest.mark.twice

TIED = pd.DataFrame(
    {
        "query": ["q", "q", "q", "q", "p", "p"],
        "item": ["A", "B", "C", "D", "B", "A"],
        "score": [3.0, 2.0, 2.0, 1.0, 2.0, 2.0],
        "rank": [1, 2, 3, 4, 1, 2],
    }
)
LEVELS = st.lists(st.lists(st.sampled_from("abcdef"), min_size=1, max_size=3), min_size=1, max_size=4).map(
    lambda levels: [
        kept
        for k, level in enumerate(levels)
        if (kept := [one for one in dict.fromkeys(level) if all(one not in other for other in levels[:k])])
    ]
)


def test_ranking_text_shows_orders_with_or_without_ties():
    assert ranking_text(TIED).to_dict() == {"p": "B > A", "q": "A > B > C > D"}
    for rank_ties in ("min", "dense"):
        found = ranking_text(TIED[::-1], rank_ties=rank_ties)
        assert found.to_dict() == {"p": "B = A", "q": "A > B = C > D"} and found.index.name == "query"
    ranks = TIED.drop(columns="score").assign(rank=[1, 2, 2, 4, 1, 1])
    assert ranking_text(ranks, rank_ties="min").to_dict() == {"p": "A = B", "q": "A > B = C > D"}
    assert ranking_text(RankedLists.from_frame(TIED), rank_ties="min")["q"] == "A > B = C > D"
    numbers = pd.DataFrame({"query": [7, 7], "item": [10, 9], "rank": [1, 2]})
    assert ranking_text(numbers).to_dict() == {7: "10 > 9"}
    subset = RankedLists.concat(
        [RankedLists.from_lists([["x > y"]], query="p"), RankedLists.from_lists([["b", "a"]], query="q")]
    )
    assert ranking_text(subset.select(queries=["q"])).to_dict() == {"q": "b > a"}  # ids that no list holds do not count


@given(levels=LEVELS)
@settings(max_examples=60, deadline=None)
def test_from_ballots_reads_ranking_text(levels):
    ballot = RankedLists.from_ballots([levels])
    assert RankedLists.from_ballots(ranking_text(ballot, rank_ties="min").tolist()).equals(ballot)
    consensus = Copeland().fit_transform(RankedLists.from_ballots([levels, levels[::-1]]))
    again = RankedLists.from_ballots([ranking_text(consensus, rank_ties="dense")["q"]])
    ranks = dict(zip(again.to_frame()["item"], again.rank, strict=True))
    expected = consensus["score"].rank(ascending=False).tolist()
    assert [ranks[item] for item in consensus["item"]] == expected


@pytest.mark.parametrize("item", ["a > b", "a=b", " a", "a ", ""])
def test_ranking_text_rejects_ids_that_cannot_be_read_back(item):
    with pytest.raises(InputError, match=r"Ids must not be empty, must not contain '>' or '=', .*Rename it"):
        ranking_text(pd.DataFrame({"query": "q", "item": [item, "x"], "rank": [1, 2]}))


def test_ranking_text_rejects_several_lists_for_a_query():
    with pytest.raises(InputError, match="A run must have one list for each query"):
        ranking_text(make_ranked_lists(random_state=0)[0])
    with pytest.raises(InputError, match="`rank_ties` must be one of 'ordinal', 'min', 'dense'; got 'max'"):
        ranking_text(TIED, rank_ties="max")


@pytest.mark.parametrize(
    ("rank_ties", "ranks"),
    [("ordinal", [1, 2, 3, 4, 1, 2]), ("min", [1, 2, 2, 4, 1, 1]), ("dense", [1, 2, 2, 3, 1, 1])],
)
@pytest.mark.parametrize("name", ["a.run", "a.csv", "a.tsv.gz"])
def test_write_run_gives_ties_the_requested_rank(tmp_path, name, rank_ties, ranks):
    path = tmp_path / name
    write_run(TIED, path, rank_ties=rank_ties)
    found = read_lists(path)
    assert found["rank"].tolist() == ranks and found["item"].tolist() == TIED["item"].tolist()
    write_run(TIED[::-1], path, rank_ties=rank_ties)
    assert read_lists(path)["rank"].tolist() == ranks[::-1]


@pytest.mark.parametrize("method", ["min", "dense"])
def test_write_run_ranks_ties_like_pandas(tmp_path, method):
    frame = make_ranked_lists(n_queries=5, n_voters=4, n_items=12, list_length=8, random_state=1)[0]
    path = tmp_path / "a.csv"
    consensus = BordaCount().fit_transform(frame)
    voters = pd.concat([consensus.assign(voter=v) for v in ("x", "y")])
    write_run(voters, path, rank_ties=method)
    expected = voters.groupby(["query", "voter"])["score"].rank(method, ascending=False)
    assert read_lists(path)["rank"].tolist() == expected.tolist() and (expected != voters["rank"]).any()


def test_write_run_needs_ranks_and_scores_for_rank_ties(tmp_path):
    path = tmp_path / "a.csv"
    for column in ("rank", "score"):
        with pytest.raises(InputError, match="must have the columns rank and score for rank_ties='min'"):
            write_run(TIED.drop(columns=column), path, rank_ties="min")
    with pytest.raises(InputError, match="`rank_ties` must be one of"):
        write_run(TIED, path, rank_ties="mean")
    assert not path.exists()


def test_write_run_rejects_a_lazy_frame(tmp_path):
    polars = pytest.importorskip("polars")
    with pytest.raises(InputTypeError, match="got LazyFrame\\. Collect the frame first"):
        write_run(polars.DataFrame(TIED.to_dict("list")).lazy(), tmp_path / "a.run")


# ---------------------------------------------------------------------- judgements

IDS = st.text(st.characters(exclude_categories=["Cs", "Zs", "Zl", "Zp", "Cc", "Cf"]), min_size=1, max_size=4)
GRADES = st.one_of(st.integers(-2, 5).map(float), st.floats(allow_nan=False, allow_infinity=False))


@given(judged=st.dictionaries(IDS, st.dictionaries(IDS, GRADES, min_size=1, max_size=4), min_size=1, max_size=3))
@settings(max_examples=80, deadline=None)
def test_read_qrels_reads_output_of_write_qrels(tmp_path_factory, judged):
    qrels = Qrels.from_dict(judged)
    path = tmp_path_factory.mktemp("qrels") / "a.qrels"
    write_qrels(qrels, path)
    found = read_qrels(path, format="trec")
    assert_frame_equal(found.astype({"relevance": float}), qrels.to_frame(), check_dtype=False)


def test_write_qrels_accepts_frames_and_qrels(tmp_path):
    _, frame, _ = make_ranked_lists(n_queries=4, random_state=0)
    plain, packed = tmp_path / "a.qrels", tmp_path / "a.txt.gz"
    write_qrels(Qrels.from_frame(frame), plain)
    write_qrels(frame.rename(columns={"query": "topic", "relevance": "rel"})[::-1], packed)
    assert gzip.decompress(packed.read_bytes()) == plain.read_bytes()
    found = read_qrels(plain)
    assert found["relevance"].dtype == np.int64
    assert_frame_equal(Qrels.from_frame(found).to_frame(), Qrels.from_frame(frame).to_frame())
    write_qrels(pd.DataFrame({"query": [2, 1], "item": [30, 4], "relevance": [0.5, 1e300]}), plain)
    assert plain.read_text(encoding="utf-8") == "1 0 4 1e+300\n2 0 30 0.5\n"


@pytest.mark.parametrize(
    ("qrels", "error", "words"),
    [
        ({"query": "q 1", "item": ["a"], "relevance": 1}, InputError, "without white space, .*; got 'q 1' as query"),
        ({"query": "q", "item": ["a\u2003b"], "relevance": 1}, InputError, "as item\\. Rename it"),
        ({"query": "q", "item": [""], "relevance": 1}, InputError, "got '' as item"),
        ({"query": "q", "item": ["a", "a"], "relevance": 1}, InputError, "must be judged once"),
        ({"query": "q", "item": ["a"], "gain": 1}, InputError, "'relevance'"),
    ],
)
def test_write_qrels_rejects_judgements_that_cannot_be_read_back(tmp_path, qrels, error, words):
    path = tmp_path / "a.qrels"
    with pytest.raises(error, match=words):
        write_qrels(pd.DataFrame(qrels), path)
    with pytest.raises(InputTypeError, match="must be a data frame"):
        write_qrels([1], path)
    with pytest.raises(InputError, match=r"must not end in \.csv"):
        write_qrels(Qrels.from_dict({"q": ["a"]}), tmp_path / "a.csv.gz")
    assert not list(tmp_path.iterdir())


def test_write_run_and_read_lists_keep_a_consensus(tmp_path):
    frame = make_ranked_lists(random_state=2)[0]
    consensus = CombSUM().fit_transform(frame)
    path = tmp_path / "a.run"
    write_run(consensus, path)
    assert_frame_equal(read_lists(path)[consensus.columns], consensus, check_dtype=False)


# ---------------------------------------------------------------------- JSON and text


HALF = pd.Series(["\ud800", *"BCDBA"], dtype=object)
TEXTS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=4)
NUMBERS = st.floats(allow_nan=False, allow_infinity=False)


@given(run=st.dictionaries(TEXTS, st.dictionaries(TEXTS, NUMBERS, min_size=1, max_size=4), min_size=1, max_size=3))
@settings(max_examples=60, deadline=None)
def test_read_lists_reads_json_of_write_run(tmp_path_factory, run):
    rows = [(query, item, score) for query, items in run.items() for item, score in items.items()]
    frame = pd.DataFrame(rows, columns=["query", "item", "score"])
    path = tmp_path_factory.mktemp("run") / "run.json.gz"
    write_run(frame.assign(rank=1, pvalue=0.5), path)
    assert_frame_equal(read_lists(path)[["query", "item", "score"]], frame, check_dtype=False, rtol=0, atol=0)
    assert json.loads(gzip.decompress(path.read_bytes())) == run


def test_write_run_writes_json_like_ranx_in_row_order(tmp_path):
    write_run(TIED.assign(voter="v"), tmp_path / "a.json")
    text = (tmp_path / "a.json").read_text()
    assert json.loads(text) == {"q": {"A": 3.0, "B": 2.0, "C": 2.0, "D": 1.0}, "p": {"B": 2.0, "A": 2.0}}
    assert text.splitlines()[:3] == ["{", ' "q": {', '  "A": 3.0,']
    write_run(TIED.iloc[[5, 0, 4, 2]], tmp_path / "a", format="json", rank_ties="min")
    assert read_lists(tmp_path / "a")["item"].tolist() == ["A", "B", "A", "C"]
    large = pd.DataFrame({"query": 1, "item": [1, 2], "score": pd.array([2**60 + 1, 2], dtype="Int64")})
    write_run(large, tmp_path / "b.json")
    assert read_lists(tmp_path / "b.json")["score"].tolist() == [2**60 + 1, 2]


@pytest.mark.parametrize(
    ("rank_ties", "q", "p"), [("ordinal", "A > B > C > D", "B > A"), ("min", "A > B = C > D", "B = A")]
)
def test_write_run_writes_one_line_of_text_per_query(tmp_path, rank_ties, q, p):
    path = tmp_path / "consensus.txt"
    for columns in (list(TIED), ["query", "item", "rank"], ["query", "item", "score"]):
        write_run(TIED[columns], path, format="text", rank_ties=rank_ties)
        if columns != ["query", "item", "rank"] or rank_ties == "ordinal":
            first, second = path.read_text().splitlines()
            assert first == f"q: {q}" and sorted(second) == sorted(f"p: {p}")
    write_run(TIED, tmp_path / "x.gz", format="text", rank_ties=rank_ties)
    assert gzip.decompress((tmp_path / "x.gz").read_bytes()).decode() == f"q: {q}\np: {p}\n"


@pytest.mark.parametrize(
    ("frame", "format", "words"),
    [
        (TIED.drop(columns="score"), "json", "JSON may lack rank"),
        (TIED.drop(columns=["score", "rank"]), "text", "must have the columns query, item, score and rank"),
        (TIED.assign(voter=list("uvuvuv")), "json", "the lists of only one voter to be written as JSON; got 2 voters"),
        (TIED.assign(voter=list("uvuvuv")), "text", "the lists of only one voter to be written as text; got 2 voters"),
        (TIED.assign(item="A"), "json", "only once if the format is JSON; got 'A' twice for query 'q'"),
        (
            TIED.assign(item=["", *"BCDBA"]),
            "json",
            "if the format is JSON; got query 'q', item ''",
        ),
        (TIED.assign(item=["\0", *"BCDBA"]), "json", "must have nonempty ids without NUL characters"),
        (TIED.assign(item=HALF), "json", r"ids that UTF-8 can encode; got '\\ud800' in an id\. Rename this id"),
        (TIED.assign(item=HALF), "trec", "ids that UTF-8 can encode"),
        (
            TIED.assign(item=["a\nb", *"BCDBA"]),
            "text",
            "must have item ids that can be read back from a line 'query: A > B'; got 'a",
        ),
        (TIED.assign(query="a: b"), "text", "must have query ids that can be read back from a line"),
        (TIED.assign(item=["a > b", *"BCDBA"]), "text", "contain '>'"),
        (TIED.assign(score=pd.array([1, None, 2, 3, 4, 5], dtype="Int64")), "csv", "finite numbers as score; got nan"),
    ],
)
def test_write_run_rejects_frames_that_json_or_text_cannot_represent(tmp_path, frame, format, words):
    with pytest.raises(InputError, match=words):
        write_run(frame, tmp_path / "x", format=format)
    with pytest.raises(InputError, match=r"must not end in \.json"):
        write_qrels(Qrels.from_dict({"q": ["a"]}), tmp_path / "a.json")
    assert not list(tmp_path.iterdir())
