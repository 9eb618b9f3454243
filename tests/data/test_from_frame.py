"""RankedLists.from_frame: other column names, one query, lazy engines, and rows that need cleaning."""

import json
import re

import numpy as np
import pandas as pd
import pytest
from pandas.testing import assert_frame_equal

from oracles import duels
from skrankagg import BordaCount, CombSUM, Qrels, RankedLists, evaluate
from skrankagg.datasets import make_ranked_lists, read_lists
from skrankagg.exceptions import (
    AmbiguousInputWarning,
    InputError,
    InputTypeError,
    MissingLibraryError,
    RankScoreConflictWarning,
    SplitQueryWarning,
)
from skrankagg.metrics import consensus_agreement
from skrankagg.model_selection import QueryKFold

pytestmark = pytest.mark.twice

FRAME, QRELS, _ = make_ranked_lists(n_queries=3, n_voters=4, n_items=9, list_length=6, random_state=0)
LISTS = RankedLists.from_frame(FRAME)
ROWS = pd.DataFrame({"query": "q", "voter": "v", "item": ["a", "b", "a"], "score": [1.0, 2.0, 3.0]})


def same(found, expected):
    assert_frame_equal(found.to_frame(), expected.to_frame())


# ---------------------------------------------------------------------- names of columns


@pytest.mark.parametrize(
    "titles",
    [
        {"query": "qid", "voter": "system", "item": "docno"},
        {"query": "QUERY_ID", "voter": "Run", "item": "Doc_ID"},
        {"query": "Topic", "voter": "tag", "item": "docid", "rank": "Rank", "score": "Score"},
        {"query": "q", "voter": "ranker", "item": "Document Id"},
    ],
)
def test_from_frame_finds_columns_by_their_common_names(titles, tmp_path):
    frame = FRAME.rename(columns=titles)
    same(RankedLists.from_frame(frame), LISTS)
    assert_frame_equal(BordaCount().fit_transform(frame), BordaCount().fit_transform(FRAME))
    path = tmp_path / "lists.csv"
    frame.to_csv(path, index=False)
    same(RankedLists.from_frame(read_lists(path)), LISTS)
    folds = [test.tolist() for _, test in QueryKFold(2).split(frame)]
    assert folds == [test.tolist() for _, test in QueryKFold(2).split(FRAME)]


@pytest.mark.parametrize("title", ["rel", "Label", "GRADE"])
def test_qrels_from_frame_finds_columns_by_their_common_names(title):
    qrels = QRELS.rename(columns={"query": "topic", "item": "docno", "relevance": title})
    assert_frame_equal(Qrels.from_frame(qrels).to_frame(), Qrels.from_frame(QRELS).to_frame())
    consensus = BordaCount().fit_transform(FRAME)
    assert_frame_equal(evaluate(consensus, qrels, "map"), evaluate(consensus, QRELS, "map"))
    with pytest.raises(InputError, match=r"the relevance; 'Rel' and 'grade' .*from_frame\(df, relevance='Rel'\)"):
        Qrels.from_frame(QRELS.rename(columns={"relevance": "Rel"}).assign(grade=1))
    with pytest.raises(InputError, match=r"'relevance' \(also accepted: rel, label, grade, in upper or lower case\)"):
        Qrels.from_frame(QRELS.rename(columns={"relevance": "gain"}))


def test_from_frame_rejects_ambiguous_columns_unless_one_is_chosen():
    frame = FRAME.rename(columns={"voter": "system"}).assign(tag="t")
    with pytest.raises(InputError, match=r"'system' and 'tag' are possible.*voter='system'\), or voter=None to ignore"):
        RankedLists.from_frame(frame)
    same(RankedLists.from_frame(frame, voter="system"), LISTS)
    with pytest.raises(InputError, match=r"'qid' and 'Topic' are possible\. Choose one with .*query='qid'\)\.$"):
        RankedLists.from_frame(FRAME.rename(columns={"query": "qid"}).assign(Topic="t"))
    one = FRAME[(FRAME["query"] == "q1") & (FRAME["voter"] == "v1")]
    assert RankedLists.from_frame(one.rename(columns={"voter": "run"}), voter=None).voters.tolist() == ["consensus"]


def test_from_frame_prefers_canonical_names_and_uses_given_names_only():
    same(RankedLists.from_frame(FRAME.assign(topic="x", run="x", docno="x")), LISTS)
    for column, title in (("query", "topic_no"), ("item", "gene"), ("voter", "source"), ("rank", "place")):
        with pytest.raises(InputError, match=rf"missing the column\(s\) '{title}'; its columns are"):
            RankedLists.from_frame(FRAME.assign(topic="x", docno="x", run="x"), **{column: title})
    # A column that the caller assigned to one role is not used for another.
    frame = FRAME.drop(columns="voter").rename(columns={"item": "run"})[:6]
    assert RankedLists.from_frame(frame, item="run").voters.tolist() == ["consensus"]


@pytest.mark.parametrize("title", ["qid", "q_id", "Query ID"])
def test_from_frame_prefers_query_ids_to_query_texts(title, tmp_path):
    # Two queries may have one text, which would make them one.
    texts = FRAME["query"].map({"q1": "ties", "q2": "ties", "q3": "ranks"})
    frame = FRAME.assign(**{title: FRAME["query"], "query": texts})
    ways = {
        "from_frame": lambda: RankedLists.from_frame(frame),
        "with options": lambda: RankedLists.from_frame(frame, duplicates="best", strip=True),
        "dict": lambda: RankedLists.from_runs(dict(list(frame.groupby("voter")))),
        "file": lambda: RankedLists.from_frame(read_lists(tmp_path / "lists.csv")),
        "json": lambda: RankedLists.from_frame(read_lists(tmp_path / "lists.json")),
    }
    frame.to_csv(tmp_path / "lists.csv", index=False)
    (tmp_path / "lists.json").write_text(json.dumps(frame.to_dict("records")))
    for name, way in ways.items():
        with pytest.warns(AmbiguousInputWarning, match=f"ids of the queries from '{title}' instead of 'query'"):
            found = way()
        assert found.equals(LISTS), name
    with pytest.warns(AmbiguousInputWarning, match=f"'{title}'"):
        folds = [test.tolist() for _, test in QueryKFold(2).split(frame)]
    assert folds == [test.tolist() for _, test in QueryKFold(2).split(FRAME)]
    same(RankedLists.from_frame(frame, query=title), LISTS)
    same(RankedLists.from_frame(frame.drop(columns="query")), LISTS)
    texts = RankedLists.from_frame(frame.drop(columns=title), score=None, duplicates="first")
    assert texts.queries.tolist() == ["ranks", "ties"]


@pytest.mark.parametrize("library", ["pandas", "polars", "lazy", "pyarrow"])
def test_evaluate_prefers_query_ids_to_query_texts(library):
    module = None if library == "pandas" else pytest.importorskip({"lazy": "polars"}.get(library, library))

    def convert(frame):
        if module is None:
            return frame
        columns = {name: frame[name].tolist() for name in frame}
        return module.table(columns) if library == "pyarrow" else module.DataFrame(columns)

    def with_text(frame):
        found = convert(frame.rename(columns={"query": "qid", "item": "doc_id"}).assign(query="ties"))
        return found.lazy() if library == "lazy" else found

    consensus = CombSUM().fit_transform(FRAME)
    expected = evaluate(consensus, QRELS, ["map", "ndcg@5"])
    with pytest.warns(AmbiguousInputWarning, match="'qid'"):
        assert_frame_equal(CombSUM().fit_transform(with_text(FRAME)), consensus)
    with pytest.warns(AmbiguousInputWarning, match=r"Qrels\.from_frame reads .* from 'qid'"):
        qrels = Qrels.from_frame(with_text(QRELS))
    with pytest.warns(AmbiguousInputWarning, match="'qid'"):
        assert_frame_equal(evaluate(with_text(consensus), qrels, ["map", "ndcg@5"]), expected)
    with pytest.warns(AmbiguousInputWarning, match="'qid'"):
        agreement = consensus_agreement(FRAME, with_text(consensus))
    pd.testing.assert_series_equal(agreement, consensus_agreement(FRAME, consensus))


def pyterrier_frame(frame):
    """Return a frame with PyTerrier's columns: ranks from 0, texts of queries, and numbers of documents in an index."""
    frame = frame.assign(text="ties", number=7, rank=frame["rank"] - 1)
    return frame.rename(columns={"query": "qid", "item": "docno", "text": "query", "number": "docid"})


def test_from_frame_reads_the_frames_of_pyterrier(tmp_path):
    frame = pyterrier_frame(FRAME)
    same(RankedLists.from_frame(frame), LISTS)
    same(RankedLists.from_frame(frame.drop(columns="docid")), LISTS)
    same(RankedLists.from_frame(frame, duplicates="best"), LISTS)
    assert RankedLists.from_runs(dict(list(frame.groupby("voter")))).equals(LISTS)
    assert_frame_equal(CombSUM().fit_transform(frame), CombSUM().fit_transform(FRAME))
    frame.to_csv(tmp_path / "lists.csv", index=False)
    assert RankedLists.from_frame(read_lists(tmp_path / "lists.csv")).equals(LISTS)
    consensus = CombSUM().fit_transform(FRAME)
    qrels = QRELS.rename(columns={"query": "qid", "item": "docno", "relevance": "label"})
    assert_frame_equal(evaluate(pyterrier_frame(consensus), qrels), evaluate(consensus, QRELS))
    # Without docno, docid is the only id of the documents.
    numbered = frame.drop(columns="docno").assign(docid=FRAME["item"])
    with pytest.warns(AmbiguousInputWarning, match="'qid'"):
        same(RankedLists.from_frame(numbered), LISTS)


def test_from_frame_rejects_fractional_or_ambiguous_query_ids():
    with (
        pytest.warns(AmbiguousInputWarning),
        pytest.raises(InputError, match=r"^'qid' would be read as the query, but its dtype is fl"),
    ):
        RankedLists.from_frame(FRAME.assign(qid=0.5))
    with pytest.raises(
        InputError, match="only one column that could contain the query; 'qid' and 'query_id' are possible"
    ):
        RankedLists.from_frame(FRAME.assign(qid="x", query_id="x"))
    same(RankedLists.from_frame(FRAME.rename(columns={"item": "qid"}), item="qid"), LISTS)


def test_from_frame_reads_position_as_rank_only_without_rank_and_score():
    scored = FRAME.drop(columns="rank")
    shuffled = scored.assign(position=np.random.default_rng(0).permutation(len(scored)) + 1)
    same(RankedLists.from_frame(shuffled), RankedLists.from_frame(scored))
    ranked = FRAME.drop(columns="score").rename(columns={"rank": "position"})
    same(RankedLists.from_frame(ranked), RankedLists.from_frame(FRAME, score=None))
    same(RankedLists.from_frame(FRAME.rename(columns={"rank": "position", "score": "sim"})), LISTS)
    for titles in ({"rank": "Rank"}, {"score": "SCORE"}, {"rank": "RANK", "score": "Score"}):
        same(RankedLists.from_frame(FRAME.rename(columns=titles)), LISTS)


def test_from_frame_lists_accepted_names_of_a_missing_column():
    with pytest.raises(
        InputError, match=r"'query' \(also accepted: qid, .*query=\.\.\.\), or pass query=None if they are one"
    ):
        RankedLists.from_frame(FRAME.rename(columns={"query": "election"}))
    with pytest.raises(
        InputError,
        match=r"missing the column\(s\) 'rank or score' \(also accepted: position, sim, in upper or lower case\)",
    ):
        RankedLists.from_frame(FRAME.drop(columns=["rank", "score"]))
    with pytest.raises(InputError, match=r"Name the missing column with QueryKFold\(query=\.\.\.\)\.$"):
        list(QueryKFold(2).split(FRAME.rename(columns={"query": "election"})))


def test_from_frame_accepts_fractional_ids_only_in_a_named_column():
    genes = FRAME[FRAME["query"] == "q1"].drop(columns="query").assign(q=np.linspace(0.01, 0.2, 24))
    with pytest.raises(InputError, match=r"'q' would be read as the query, but its dtype is float64.*=\.\.\.\)"):
        RankedLists.from_frame(genes)
    assert RankedLists.from_frame(genes, query="q").n_queries == 24
    assert RankedLists.from_frame(genes, query=None).n_queries == 1
    assert RankedLists.from_frame(genes.assign(q=7)).queries.tolist() == [7]


def test_from_frame_ignores_column_names_that_are_not_strings():
    frame = FRAME.assign(**{"x": 1}).rename(columns={"x": ("qid", 1)}).rename(columns={"score": 7})
    same(RankedLists.from_frame(frame), RankedLists.from_frame(FRAME, score=None))


# ---------------------------------------------------------------------- one query


def test_from_frame_reads_one_query_if_query_is_none():
    one = FRAME[FRAME["query"] == "q2"]
    runs = {voter: group["item"].tolist() for voter, group in one.sort_values("rank").groupby("voter")}
    expected = RankedLists.from_lists(runs)
    for frame in (one, one.drop(columns="query"), one.assign(query=range(len(one)))):
        same(RankedLists.from_frame(frame, query=None, score=None), expected)
    twice = pd.concat([one.drop(columns="query")] * 2)
    same(RankedLists.from_frame(twice, query=None, score=None, duplicates="first"), expected)


# ---------------------------------------------------------------------- lazy frames


def test_from_frame_collects_lazy_frames_of_polars():
    polars = pytest.importorskip("polars")
    lazy = polars.DataFrame(FRAME.to_dict("list")).lazy()
    same(RankedLists.from_frame(lazy), LISTS)
    same(RankedLists.from_frame(lazy.rename({"query": "qid", "item": "docno"})), LISTS)
    same(RankedLists.from_frame(lazy.reverse()), LISTS)
    assert_frame_equal(BordaCount().fit_transform(lazy), BordaCount().fit_transform(FRAME))
    qrels = polars.DataFrame(QRELS.to_dict("list")).lazy()
    assert_frame_equal(Qrels.from_frame(qrels).to_frame(), Qrels.from_frame(QRELS).to_frame())
    consensus = BordaCount().fit_transform(FRAME)
    assert_frame_equal(evaluate(consensus, qrels, "map"), evaluate(consensus, QRELS, "map"))
    with pytest.raises(InputError, match=r"'item' \(also accepted"):
        RankedLists.from_frame(lazy.rename({"item": "gene"}))
    with pytest.raises(InputError, match="'query', 'item', 'rank or score'"):
        RankedLists.from_frame(lazy.select(x=1))


def test_from_frame_collects_only_the_columns_it_reads():
    polars = pytest.importorskip("polars")

    def explode(values):
        raise AssertionError("this column is not asked for")

    lazy = polars.DataFrame(FRAME.to_dict("list")).lazy()
    lazy = lazy.with_columns(text=polars.col("item").map_batches(explode, return_dtype=polars.String))
    same(RankedLists.from_frame(lazy), LISTS)


def test_from_frame_names_the_library_missing_for_a_lazy_frame(monkeypatch):
    polars = pytest.importorskip("polars")

    def collect(frame):
        raise ModuleNotFoundError("No module named 'pyarrow'", name="pyarrow")

    monkeypatch.setattr("narwhals.stable.v2.LazyFrame.collect", collect)
    with pytest.raises(MissingLibraryError, match=r"needs pyarrow to collect this lazy frame.*pip install pyarrow, or"):
        RankedLists.from_frame(polars.DataFrame(FRAME.to_dict("list")).lazy())


@pytest.mark.parametrize("fetch", ["relation", "ordered"])
def test_from_frame_collects_relations_of_duckdb(fetch):
    duckdb = pytest.importorskip("duckdb")
    pytest.importorskip("pyarrow", reason="DuckDB hands its rows over by Arrow")
    frame = FRAME.astype({"query": object, "voter": object, "item": object})
    relation = duckdb.connect().from_df(frame)
    if fetch == "ordered":
        relation = relation.order("item, voter")
    same(RankedLists.from_frame(relation), LISTS)


@pytest.mark.filterwarnings("ignore:The 'future:DeprecationWarning")  # Ibis sets an option that pandas gives up
def test_from_frame_collects_tables_of_ibis():
    ibis = pytest.importorskip("ibis")
    pytest.importorskip("pyarrow", reason="Ibis hands its rows over by Arrow")
    same(RankedLists.from_frame(ibis.memtable(FRAME)), LISTS)


def test_from_frame_accepts_tables_of_arrow():
    pyarrow = pytest.importorskip("pyarrow", reason="its tables are the subject")
    table = pyarrow.table({name: FRAME[name].tolist() for name in FRAME})
    same(RankedLists.from_frame(table), LISTS)


def test_lazy_frames_are_rejected_if_the_order_of_rows_matters():
    polars = pytest.importorskip("polars")
    lazy = polars.DataFrame(FRAME.to_dict("list")).lazy()
    for call in (
        lambda: RankedLists.from_wide(lazy.select("item")),
        lambda: RankedLists.from_frame(lazy, duplicates="first"),
        lambda: list(QueryKFold(2).split(lazy)),
    ):
        with pytest.raises(InputTypeError, match=r"order of the rows, which a lazy frame .*. Collect the frame"):
            call()
    same(RankedLists.from_frame(lazy, duplicates="best"), LISTS)


def test_from_comparisons_is_independent_of_the_order_of_rows():
    games = pd.DataFrame({"winner": ["b", "c", "a"], "loser": ["a", "a", "c"], "draw": [True, False, True]})
    lists = RankedLists.from_comparisons(games, tie="draw")
    assert sorted(duels(lists)) == ["a = b", "a = c", "c > a"]
    for rows in (games[::-1], games.iloc[[1, 2, 0]]):
        same(RankedLists.from_comparisons(rows, tie="draw"), lists)


# ---------------------------------------------------------------------- rows that need cleaning


@pytest.mark.parametrize(
    ("duplicates", "score"),
    [("first", {"b": 2.0, "a": 1.0}), ("best", {"a": 3.0, "b": 2.0}), ("mean", {"a": 2.0, "b": 2.0})],
)
def test_from_frame_resolves_duplicates_as_requested(duplicates, score):
    assert RankedLists.from_frame(ROWS, duplicates=duplicates).to_runs() == {"v": {"q": score}}
    ranks = ROWS.assign(rank=[3, 2, 1])
    both = RankedLists.from_frame(ranks, duplicates=duplicates)
    assert both.to_runs() == {"v": {"q": score}} and both.rank[0] == (1.5 if duplicates == "mean" else 1)
    only = RankedLists.from_frame(ranks.drop(columns="score"), duplicates=duplicates)
    assert only.rank.tolist() == both.rank.tolist()
    runs = RankedLists.from_hits([ROWS.to_dict("records")], key="item", score="score", duplicates=duplicates)
    assert runs.to_runs()[1] == both.to_runs()["v"]
    with pytest.raises(InputError, match=r"Keep one .* RankedLists\.from_frame\(df, duplicates='first'\)"):
        RankedLists.from_frame(ROWS)
    with pytest.raises(InputError, match="'score' must have finite numbers; 1 rows"):
        RankedLists.from_frame(ROWS.assign(score=[1.0, 2.0, np.nan]), duplicates=duplicates)


def test_from_frame_keeps_the_whole_row_of_the_best_duplicate():
    rows = ROWS.assign(rank=[1, 2, 3])[["query", "voter", "item", "rank", "score"]].iloc[[0, 2]]
    assert RankedLists.from_frame(rows, duplicates="best").score.tolist() == [1.0]  # the row of the best rank


def test_from_frame_drops_rows_with_missing_ids_on_request():
    rows = ROWS.assign(item=["a", None, "b"], site=["x", "y", "z"])
    with pytest.raises(InputError, match="'item' must have an id in every row; 1 are missing"):
        RankedLists.from_frame(rows)
    assert RankedLists.from_frame(rows, missing_ids="drop").to_runs() == {"v": {"q": {"b": 3.0, "a": 1.0}}}
    with pytest.raises(InputError, match="'site' must have an id in every row"):
        RankedLists.from_frame(rows.assign(site=["x", None, "z"]), query="site", missing_ids="drop")
    with pytest.raises(InputError, match="`missing_ids` must be one of 'error', 'drop'; got 'skip'"):
        RankedLists.from_frame(rows, missing_ids="skip")


def test_from_frame_applies_lower_is_better():
    rows = FRAME.drop(columns="rank")
    falling = rows.assign(score=-rows["score"])
    same(RankedLists.from_frame(falling, lower_is_better=True), RankedLists.from_frame(rows))
    same(RankedLists.from_frame(rows.assign(score=rows["score"].where(rows["voter"] != "v2", -rows["score"])),
         lower_is_better=["v2"]), RankedLists.from_frame(rows))  # fmt: skip
    # With ranks, only the scores are negated; they then agree with the ranks, as the warning advises.
    with pytest.warns(RankScoreConflictWarning, match="If lower scores are better, pass lower_is_better=True"):
        RankedLists.from_frame(FRAME.assign(score=-FRAME["score"]))
    same(RankedLists.from_frame(FRAME.assign(score=-FRAME["score"]), lower_is_better=True), LISTS)
    with pytest.raises(InputError, match="not a voter; did you mean 'bing'"):
        RankedLists.from_frame(ROWS.assign(voter="bing", item=list("abc")), lower_is_better=["bingg"])
    with pytest.raises(InputError, match="must be False for ranks"):
        RankedLists.from_frame(FRAME, score=None, lower_is_better=True)
    exact = pd.DataFrame({"query": "q", "voter": "v", "item": list("abc"), "score": [2**53 + 1, 2**53, 2**53 + 2]})
    assert RankedLists.from_frame(exact, lower_is_better=True).to_frame()["item"].tolist() == ["b", "a", "c"]


def test_from_frame_accepts_weights_by_voter():
    weights = {"v1": 2.0, "v2": 1.0, "v3": 0.5, "v4": 1.0}
    expected = RankedLists.from_frame(FRAME.assign(weight=FRAME["voter"].map(weights)))
    for given in (weights, pd.Series(weights)):
        same(RankedLists.from_frame(FRAME, weights=given), expected)
    weighted = FRAME.assign(Weight=3.0)
    same(RankedLists.from_frame(weighted, weight=None, weights=weights), expected)
    with pytest.raises(InputError, match=r"got both\. Pass weight=None to ignore the column 'Weight'"):
        RankedLists.from_frame(weighted, weights=weights)
    with pytest.raises(InputTypeError, match=r"must map each voter to its weight, .*; got list"):
        RankedLists.from_frame(FRAME, weights=[1, 2, 1, 1])
    with pytest.raises(InputError, match="lacks 'v4'"):
        RankedLists.from_frame(FRAME, weights={"v1": 2.0, "v2": 1.0, "v3": 0.5})
    repeated = pd.Series([1.0, 2.0, 1.0, 1.0, 1.0], index=["v1", "v2", "v3", "v4", "v1"])
    for call in (
        lambda: RankedLists.from_frame(FRAME, weights=repeated),
        lambda: RankedLists.from_lists({f"v{k}": ["a"] for k in (1, 2, 3, 4)}, weights=repeated),
    ):
        with pytest.raises(InputError, match=r"one value for each voter; its index repeats 'v1'\. Keep one"):
            call()


def test_from_frame_options_keep_id_types_and_row_labels():
    frame = FRAME.astype({"voter": "category", "query": "category"}).assign(item=FRAME["item"].str[1:].astype("int16"))
    plain, asked = RankedLists.from_frame(frame), RankedLists.from_frame(frame, duplicates="best", missing_ids="drop")
    for name in ("queries", "voters", "items"):
        assert getattr(asked, name).dtype == getattr(plain, name).dtype, name
    same(asked, plain)
    torn = FRAME.iloc[[0, 1, 3, 4, 5]]
    for options in ({}, {"duplicates": "best"}):
        with pytest.warns(SplitQueryWarning, match="1 list has lost rows"):
            RankedLists.from_frame(torn, **options)


def test_from_frame_strips_blanks_around_ids_on_request():
    padded = FRAME.assign(voter=FRAME["voter"] + " ", item="\t" + FRAME["item"] + " ", query=" " + FRAME["query"])
    same(RankedLists.from_frame(padded, strip=True), LISTS)
    as_categories = padded.astype({"voter": "category", "item": "category"})
    found = RankedLists.from_frame(as_categories, strip=True)
    assert isinstance(found.voters.dtype, pd.CategoricalDtype) and found.voters.tolist() == LISTS.voters.tolist()
    assert found.to_runs() == LISTS.to_runs()
    # Rows whose voter is spelled with and without a blank belong to one list.
    typed = FRAME.assign(voter=FRAME["voter"].where(FRAME.index % 2 == 0, FRAME["voter"] + " "))
    same(RankedLists.from_frame(typed, strip=True), LISTS)
    with pytest.raises(InputError, match="must have an item; 1 have None"):
        RankedLists.from_frame(ROWS.assign(item=["a", "b", "  "]), strip=True)
    numbers = pd.DataFrame({"query": 1, "voter": 2, "item": [3, 4], "rank": [1, 2]})
    same(RankedLists.from_frame(numbers, strip=True), RankedLists.from_frame(numbers))


def test_every_constructor_strips_blanks_on_request():
    expected = RankedLists.from_lists({"u": ["a", "b"], "v": ["b", "a"]})
    padded = {"u ": [" a", "b"], " v": ["b ", "a"]}
    same(RankedLists.from_lists(padded, strip=True), expected)
    same(RankedLists.from_runs({voter: {" q": one} for voter, one in padded.items()}, strip=True), expected)
    same(RankedLists.from_wide(pd.DataFrame(padded), strip=True), expected)
    hits = {voter: [{"id": one} for one in found] for voter, found in padded.items()}
    same(RankedLists.from_hits(hits, key="id", strip=True), expected)
    ranks = pd.DataFrame({"u ": [1, 2], "v": [2, 1]}, index=["a ", "b"])
    same(RankedLists.from_matrix(ranks, kind="rank", strip=True), expected)
    ballots = RankedLists.from_ballots([["a ", ["b", " c"]], "a > c = b"], strip=True)
    same(ballots, RankedLists.from_ballots(["a > b = c"], counts=[2]))
    games = pd.DataFrame({"winner": ["a ", "a"], "loser": ["b", " b"], "who": ["x", "x "]})
    lists = RankedLists.from_comparisons(games, voter="who", strip=True)
    assert duels(lists) == ["a > b"] and lists.list_weight.tolist() == [2.0] and lists.groups["who"].tolist() == ["x"]
    with pytest.raises(
        InputError, match="after blanks at both ends are removed; 'u' and another voter both become 'u'"
    ):
        RankedLists.from_lists({"u": ["a"], "u ": ["b"]}, strip=True)
    with pytest.raises(InputError, match="contain each item only once; 1 places repeat an item"):
        RankedLists.from_lists({"u": ["a", "a "]}, strip=True)


def test_constructors_reject_unhashable_ids_whatever_the_options():
    rows = ROWS.assign(item=[{1}, {2}, {1}])
    for options in ({"strip": True}, {"duplicates": "best"}, {"missing_ids": "drop"}):
        with pytest.raises(InputTypeError, match="'item' must have ids that can be sorted"):
            RankedLists.from_frame(rows, **options)
    with pytest.raises(InputTypeError, match=r"Items passed to RankedLists\.from_comparisons must be sortable"):
        RankedLists.from_comparisons(pd.DataFrame({"winner": [{1}], "loser": [{2}]}))


@pytest.mark.parametrize(
    ("frame", "call"),
    [
        (pd.DataFrame({"model_a": ["x"], "model_b": ["y"], "winner": ["tie"]}), "from_comparisons(frame)"),
        (pd.DataFrame({"Winner": ["x"], "Loser": ["y"]}), "from_comparisons(frame)"),
        (pd.DataFrame(np.ones((5, 61))).add_prefix("voter "), "from_matrix(frame, kind='rank') or kind='score'"),
        (
            pd.DataFrame({"gene": ["a"], "p": [0.1], "gene.1": ["b"], "p.1": [0.2]}),
            "from_wide(frame, pairs=True, lower_is_better=True) if the numbers are p-values",
        ),
        (pd.DataFrame({"Ann": ["a"], "Bob": ["b"]}), "from_wide(frame)"),
    ],
)
def test_frames_of_another_shape_name_their_constructor(frame, call):
    for read in (RankedLists.from_frame, CombSUM().fit_transform, lambda one: CombSUM().fit(one)):
        with pytest.raises(InputError, match=re.escape(f"Read it with RankedLists.{call}")) as error:
            read(frame)
        assert len(str(error.value)) < 320


def test_frames_of_unknown_shape_name_the_missing_columns():
    mixed = pd.DataFrame({"gene": ["a"], "p": [0.1], "q": [0.2], "r": ["b"], "s": ["c"]})
    with pytest.raises(InputError, match="is missing the column"):
        RankedLists.from_frame(mixed)
    with pytest.raises(InputError, match="is missing the column"):
        RankedLists.from_frame(pd.DataFrame({"Ann": ["a"], "Bob": ["b"]}), item="film", query=None)


@pytest.mark.parametrize("call", [CombSUM().fit_transform, RankedLists.from_runs, RankedLists.from_lists])
@pytest.mark.parametrize(
    ("items", "options", "remedy"),
    [
        (
            ["a", "a"],
            {"duplicates": "first"},
            r"Pass duplicates='first', 'best' or 'mean' to RankedLists\.from_(\w+)\.",
        ),
        (
            ["a", None],
            {"missing_ids": "drop"},
            r"Pass missing_ids='drop' to RankedLists\.from_(\w+) to leave",
        ),
    ],
)
def test_messages_about_items_name_the_constructor_that_has_the_option(call, items, options, remedy):
    given = {"v": items} if call != RankedLists.from_runs else {"v": {"q": items}}
    with pytest.raises(InputError, match=remedy) as caught:
        call(given)
    name = "from_" + re.search(remedy, str(caught.value))[1]
    assert getattr(RankedLists, name)(given, **options).to_runs() == {"v": {"q": ["a"]}}  # the advice works


SHEET = pd.DataFrame({"gene": ["a", "b"], "p": [0.1, 0.2], "gene.1": ["b", "c"], "p.1": [0.01, 0.5]})


def test_a_table_of_pairs_is_not_read_as_one_list():
    for options in ({}, {"query": None}):
        with pytest.raises(
            InputError, match=r"look like a column of items and a column of numbers.*lower_is_better=True"
        ):
            RankedLists.from_frame(SHEET, item="gene", score="p", **options)
    first = RankedLists.from_frame(SHEET[["gene", "p"]], item="gene", score="p", query=None)
    assert first.n_lists == 1 and first.to_frame()["score"].tolist() == [0.2, 0.1]
    other = SHEET.rename(columns={"gene.1": "symbol"})  # one list with two more columns
    assert RankedLists.from_frame(other, item="gene", score="p", query=None).n_rows == 2


def test_from_frame_applies_its_options_to_a_frame_without_voters():
    frame = pd.DataFrame({"query": "q", "item": [" a", "b "], "rank": [2, 1]})
    assert RankedLists.from_frame(frame, strip=True).to_runs() == {"consensus": {"q": ["b", "a"]}}


def test_from_frame_reads_more_lists_than_fit_into_32_bits():
    n = 46_341  # n * n is above 2 ** 31
    frame = pd.DataFrame({"query": np.arange(n), "voter": np.arange(n)[::-1], "item": 0, "rank": 1})
    lists = RankedLists.from_frame(frame)
    assert lists.n_lists == n and (lists.list_query == np.arange(n)).all()
    assert (lists.list_voter == np.arange(n)[::-1]).all()


@pytest.mark.parametrize(
    ("frame", "options", "error", "words"),
    [
        (ROWS.assign(x=1).set_axis(pd.Index([*ROWS, pd.NA], dtype=object), axis=1), {}, InputError, "one is missing"),
        (ROWS, {"item": ["item"]}, InputTypeError, r"`item` must be the name of a column; got \['item'\]"),
        (ROWS.assign(voter=" "), {"strip": True}, InputError, "Column 'voter' must have an id in every row; some are"),
        (ROWS.assign(query=" ", item=[["a"]] * 3), {"strip": True}, InputError, "'query' must have an id in every row"),
        (ROWS, {"lower_is_better": "v"}, InputTypeError, "True, False or a list of voters; got 'v'"),
        (["A > B", "B > A"], {}, InputTypeError, "encode ballots as text with RankedLists.from_ballots"),
    ],
    ids=["missing title", "list of titles", "blank voter", "blank query", "voter outside a list", "ballots"],
)
def test_from_frame_refuses_unclear_input(frame, options, error, words):
    with pytest.raises(error, match=words):
        RankedLists.from_frame(frame, **options)
