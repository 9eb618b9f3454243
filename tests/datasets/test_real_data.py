"""Real data: bundled, computed and loaded data sets are complete and agree with their sources."""

import csv
import gzip
import io
import time

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer, load_digits

from skrankagg import BordaCount, PlackettLuce, RankedLists
from skrankagg.datasets import (
    load_digits_votes,
    load_feature_rankings,
    load_formula1,
    load_letor_agg,
    load_nascar,
    load_prostate_genes,
    load_trec,
    read_lists,
    read_qrels,
)
from skrankagg.datasets._real_models import _selectors
from skrankagg.datasets._real_results import _lines
from skrankagg.exceptions import InputError, InputTypeError
from skrankagg.feature_selection import ConsensusSelector
from skrankagg.metrics import evaluate

LISTS = {
    "nascar": (load_nascar, ["query", "voter", "item", "rank"]),
    "formula1": (load_formula1, ["query", "voter", "item", "rank"]),
    "genes": (load_prostate_genes, ["query", "voter", "item", "rank"]),
    "digits": (lambda: load_digits_votes()[0], ["query", "voter", "item", "rank", "score"]),
    "features": (load_feature_rankings, ["query", "voter", "item", "rank", "score"]),
}


@pytest.mark.sampled(1)
@pytest.mark.parametrize("name", LISTS)
def test_loaders_return_canonical_columns_and_types(name):
    load, columns = LISTS[name]
    frame = load()
    assert list(frame.columns) == columns and frame.index.equals(pd.RangeIndex(len(frame)))
    assert frame["rank"].dtype == np.int64 and (frame["rank"] >= 1).all()
    for column in ("query", "voter", "item"):
        assert pd.api.types.is_string_dtype(frame[column]) and frame[column].map(type).eq(str).all()
    assert not frame.duplicated(["query", "voter", "item"]).any()
    lists = RankedLists.from_frame(frame)  # which checks that ranks and scores agree
    assert len(lists.to_frame()) == len(frame)
    # Each call returns a new frame.
    frame["rank"] = 0
    assert (load()["rank"] >= 1).all()


def test_load_nascar_has_36_races_of_43_among_87_drivers():
    lists = load_nascar()
    assert (lists.groupby("voter")["rank"].agg(list).map(lambda rank: rank == [*range(1, 44)])).all()
    assert set(lists["voter"]) == {str(race) for race in range(1, 37)}
    assert set(lists["item"]) == {str(driver) for driver in range(1, 88)}
    # Hunter's four: last in each of their races.
    assert lists.loc[lists["item"].isin(["84", "85", "86", "87"]), "rank"].eq(43).all()
    # Facts of the season: Matt Kenseth's five wins are the most.
    assert lists.loc[lists["rank"] == 1, "item"].value_counts().iloc[0] == 5


def test_plackett_luce_reproduces_the_published_nascar_coefficients():
    lists = load_nascar()
    score = PlackettLuce(absent="ignore", tol=1e-10).fit_transform(lists).set_index("item")["score"]
    # Section 2.3 of the Overview of the R package PlackettLuce, relative to driver 1.
    published = {"84": -2.171065, "85": -1.744754, "86": -1.590764, "87": -1.768629}
    assert (score[[*published]] - score["1"]).to_dict() == pytest.approx(published, abs=1e-6)
    others = lists[~lists["item"].isin([*published])]
    score = PlackettLuce(prior=0, absent="ignore").fit_transform(others).set_index("item")["score"]
    # And by maximum likelihood without these four: P. J. Jones, Scott Pruett and Mark Martin.
    best = {"58": 4.15, "68": 3.62, "51": 2.08}
    assert (score[[*best]] - score["1"]).to_dict() == pytest.approx(best, abs=0.005)


def test_load_nascar_equals_the_reference_data(shared_data):
    theirs = pd.read_csv(shared_data / "plackettluce" / "nascar.csv", dtype={"race": str, "driver": str})
    theirs = theirs.set_axis(["voter", "item", "rank"], axis=1)
    ours = load_nascar()[["voter", "item", "rank"]]
    order = ["voter", "rank"]
    pd.testing.assert_frame_equal(
        ours.sort_values(order, ignore_index=True), theirs.sort_values(order, ignore_index=True), check_dtype=False
    )


def test_load_formula1_has_the_points_of_the_championship():
    classified, all_starters = load_formula1(retired="absent"), load_formula1()
    by_place = dict(enumerate([25, 18, 15, 12, 10, 8, 6, 4, 2, 1], 1))
    points = classified["rank"].map(by_place).fillna(0).groupby(classified["item"]).sum().astype(int)
    published = {line.split(",")[0]: int(line.split(",")[-1]) for line in _lines("formula1_2012.csv")[1:]}
    assert points.to_dict() == published and published["Vettel"] == 281
    assert classified["voter"].nunique() == 20 and classified["item"].nunique() == 25
    for _, race in classified.groupby("voter"):
        assert race["rank"].tolist() == list(range(1, len(race) + 1))
    for name, race in all_starters.groupby("voter"):
        retired = race[race["rank"] == race["rank"].max()]
        finished = race.drop(retired.index)
        pd.testing.assert_frame_equal(
            finished.reset_index(drop=True), classified[classified["voter"] == name].reset_index(drop=True)
        )
        assert retired["rank"].eq(len(finished) + 1).all() and 22 <= len(race) <= 24
    # Romain Grosjean was banned from the race of Italy, where Jérôme d'Ambrosio drove instead.
    italy = set(all_starters.loc[all_starters["voter"] == "Italy", "item"])
    assert "Grosjean" not in italy and "D'Ambrosio" in italy
    with pytest.raises(InputError, match="`retired` must be one of 'last', 'absent'; got 'first'"):
        load_formula1(retired="first")


def test_load_prostate_genes_has_25_genes_from_each_of_five_studies(shared_data):
    lists = load_prostate_genes()
    assert lists.groupby("voter").size().tolist() == [25] * 5 and lists["item"].nunique() == 89
    with (shared_data / "bioinf" / "RankAggreg" / "geneLists.csv").open(encoding="utf-8") as file:
        _, *theirs = csv.reader(file)
    ours = [genes["item"].tolist() for _, genes in lists.groupby("voter")]
    # The R package has zeros in these two symbols.
    assert ours == [[{"0ACT2": "OACT2", "FM05": "FMO5"}.get(gene, gene) for gene in row] for row in theirs]


def test_load_digits_votes_has_five_voters_of_different_quality():
    lists, qrels = load_digits_votes()
    labels = load_digits()["target"]
    relevant = qrels[qrels["relevance"] == 1]
    assert (
        relevant["query"].astype(int).tolist() == list(range(1797)) and (relevant["item"].astype(int) == labels).all()
    )
    assert qrels.groupby("query").size().eq(10).all() and qrels["relevance"].dtype == np.int64
    assert lists.groupby(["query", "voter"]).size().eq(10).all() and lists["voter"].nunique() == 5
    voters = evaluate(lists, qrels, "mrr")["mrr"]
    assert voters.is_unique and 0.8 < voters.min() < 0.9 < voters.max() < 0.98
    # The consensus of the classifiers is better than the average one.
    consensus = evaluate(BordaCount().fit_transform(lists), qrels, "mrr")["mrr"].item()
    assert consensus > voters.mean()


@pytest.mark.exhaustive
def test_load_feature_rankings_equals_the_rankings_of_consensus_selector():
    lists = load_feature_rankings()
    assert lists.groupby(["query", "voter"]).size().eq(30).all() and lists["voter"].nunique() == 5
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    estimators = [(name, estimator) for name, (estimator, _) in _selectors().items()]
    selector = ConsensusSelector(estimators, cv=5).fit(X.to_numpy(), y)
    theirs = selector.lists_.to_frame()
    names = X.columns.to_numpy()
    theirs = theirs.assign(item=names[theirs["item"].astype(int)])
    voter = theirs["voter"].str.extract(r"(?P<voter>\w+)__split(?P<split>\d)")
    theirs = theirs.assign(voter=voter["voter"], query="fold" + voter["split"])
    both = lists.merge(theirs, on=["query", "voter", "item"], suffixes=("", "_selector"))
    assert len(both) == len(lists)
    np.testing.assert_allclose(both["score"], both["score_selector"])


@pytest.mark.exhaustive
def test_computed_data_sets_are_cached():
    load_digits_votes(), load_feature_rankings()
    start = time.perf_counter()
    load_digits_votes(), load_feature_rankings()
    assert time.perf_counter() - start < 0.5


LETOR = """2 qid:10 1:NULL 2:7 3:NULL #docid = GX01 inc = 1 prob = 0.9
0 qid:10 1:4 2:3 3:NULL #docid = GX02 inc = 1 prob = 0.1\r
1 qid:11 1:NULL 2:NULL 3:NULL #docid = GX02
"""


def test_load_letor_agg_reads_lines_of_letor(tmp_path):
    lists, qrels = load_letor_agg(io.BytesIO(LETOR.encode()))
    assert lists.to_dict("list") == {
        "query": ["10"] * 3,
        "voter": ["2", "1", "2"],
        "item": ["GX01", "GX02", "GX02"],
        "score": [7.0, 4.0, 3.0],
    }
    assert list(qrels.itertuples(index=False, name=None)) == [("10", "GX01", 2), ("10", "GX02", 0), ("11", "GX02", 1)]
    ranks, _ = load_letor_agg(io.BytesIO(LETOR.encode()), larger_is_better=False)
    assert ranks["rank"].tolist() == [7, 4, 3] and ranks["rank"].dtype == np.int64 and "score" not in ranks
    # Several files, one of them compressed.
    for name, lines in (("a.txt", LETOR.splitlines()[:2]), ("b.txt", LETOR.splitlines()[2:])):
        (tmp_path / name).write_bytes(gzip.compress("\n".join(lines).encode()))
    for ours, whole in zip(load_letor_agg([tmp_path / "a.txt", tmp_path / "b.txt"]), (lists, qrels), strict=True):
        pd.testing.assert_frame_equal(ours, whole)
    # A file in which no voter ranks anything.
    nothing, judged = load_letor_agg(io.BytesIO(LETOR.splitlines()[2].encode()))
    assert nothing.empty and len(judged) == 1 and list(nothing.columns) == list(lists.columns)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("0 qid:10 1:4", "line 2 is '0 qid:10 1:4' instead of a relevance"),
        ("0 1:4 #docid = a", "instead of a relevance"),
        ("x qid:10 1:4 #docid = a", "instead of a relevance"),
        ("0 qid:10 1:four #docid = a", "line 2 has '1:four' instead of a column"),
        ("0 qid:10 4 #docid = a", "line 2 has '4:' instead of a column"),
        ("0 qid:10 1:4 1:5 #docid = a", "line 2 repeats a column"),
        ("0 qid:10 1:4 #docid = GX01", "line 2 repeats the document 'GX01' of the query '10'"),
    ],
)
def test_load_letor_agg_rejects_damaged_lines(line, message):
    with pytest.raises(InputError, match=message):
        load_letor_agg(io.BytesIO(f"{LETOR.splitlines()[0]}\n{line}\n".encode()))


def test_load_letor_agg_rejects_other_files_and_values(tmp_path):
    for wrong in (5, [], [5]):
        with pytest.raises(InputTypeError, match="`path` must be a path"):
            load_letor_agg(wrong)
    with pytest.raises(InputError, match="must contain lines; got none in '<stream>'"):
        load_letor_agg(io.BytesIO(b""))
    with pytest.raises(InputTypeError, match="open in text mode"):
        load_letor_agg(io.StringIO(LETOR))
    with pytest.raises(FileNotFoundError):
        load_letor_agg(tmp_path / "none.txt")


@pytest.mark.exhaustive
@pytest.mark.filterwarnings("ignore::skrankagg.exceptions.ExposureWarning")
def test_load_letor_agg_reads_mq2008(shared_data):
    folder = shared_data / "mq2008agg"
    columns = ["query", "voter", "item", "score"]
    theirs = read_lists(folder / "rank_agg.csv.gz", columns=columns)
    judged = read_qrels(folder / "rel_agg.csv.gz").drop_duplicates(["query", "item"])
    numbers = {
        key: dict(zip(rows["voter"], rows["score"], strict=True)) for key, rows in theirs.groupby(["query", "item"])
    }
    lines = []
    for query, item, relevance in judged.itertuples(index=False):
        cells = [f"{numbers.get((query, item), {}).get(str(k), 'NULL')}" for k in range(1, 26)]
        fields = " ".join(f"{k}:{cell.removesuffix('.0')}" for k, cell in enumerate(cells, 1))
        lines.append(f"{relevance} qid:{query} {fields} #docid = {item} inc = 1 prob = 0.5\n")
    lists, qrels = load_letor_agg(io.BytesIO("".join(lines).encode()))
    assert lists["query"].nunique() == 784 and lists["voter"].nunique() == 25
    pd.testing.assert_frame_equal(qrels, judged.reset_index(drop=True))
    pd.testing.assert_frame_equal(
        lists.sort_values(columns, ignore_index=True), theirs[columns].sort_values(columns, ignore_index=True)
    )
    # The two values that the docstring names.
    found = [BordaCount().fit_transform(lists), BordaCount().fit_transform(lists.rename(columns={"score": "rank"}))]
    assert [round(evaluate(one, qrels, "map")["map"].item(), 3) for one in found] == [0.478, 0.395]


@pytest.fixture
def track(tmp_path):
    runs = tmp_path / "runs"
    runs.mkdir()
    # The ranks of the first run contradict its scores.
    (runs / "input.a").write_text("601 Q0 d1 2 2.5 a\n601 Q0 d2 1 1.5 a\n")
    (runs / "input.b.gz").write_bytes(gzip.compress(b"601 Q0 d2 1 0.9 b\n"))
    (runs / ".hidden").write_text("nothing")
    (tmp_path / "qrels.txt").write_text("601 0 d2 1\n601 0 d1 0\n")
    return tmp_path


def test_load_trec_finds_runs_by_names_patterns_and_folders(track):
    runs, judged = track / "runs", track / "qrels.txt"
    lists, qrels = load_trec(runs, judged)
    assert lists.to_dict("list") == {
        "query": ["601"] * 3,
        "voter": ["a", "a", "b"],
        "item": ["d1", "d2", "d2"],
        "score": [2.5, 1.5, 0.9],
    }
    assert qrels["relevance"].tolist() == [1, 0]
    several = [runs / "input.a", runs / "input.b.gz"]
    for given in (str(runs / "*"), track / "**" / "input.*", several, [runs, *several], [several[0], runs / "*.gz"]):
        pd.testing.assert_frame_equal(load_trec(given, judged)[0], lists)
    by_rank, _ = load_trec(runs, judged, order="rank", voter="file")
    assert by_rank["rank"].tolist() == [2, 1, 1] and "score" not in by_rank
    assert by_rank["voter"].tolist() == ["input.a", "input.a", "input.b"]


def test_load_trec_rejects_other_files_and_values(track):
    judged = track / "qrels.txt"
    (track / "empty").mkdir()
    for nothing in (track / "*.none", track / "empty", track / "none.run"):
        with pytest.raises(FileNotFoundError):
            load_trec(nothing, judged)
    for wrong in (5, [], [5]):
        with pytest.raises(InputTypeError, match="`runs` must be a path"):
            load_trec(wrong, judged)
    with pytest.raises(InputError, match="`order` must be one of 'score', 'rank'; got 'sim'"):
        load_trec(track / "runs", judged, order="sim")
    with pytest.raises(InputError, match="`voter` must be one of 'auto', 'file'; got 'tag'"):
        load_trec(track / "runs", judged, voter="tag")
    (track / "runs" / "input.c").write_text("601 Q0 d1 1 2.5 a\n")
    with pytest.raises(InputError, match="Different files must have different voters"):
        load_trec(track / "runs", judged)


@pytest.mark.exhaustive
def test_load_trec_reproduces_map_on_the_robust_track(shared_data):
    folder = shared_data / "robust03"
    lists, qrels = load_trec(folder / "runs" / "*.gz", folder / "robust03_qrels.txt.gz")
    assert lists["voter"].nunique() == 12 and lists["query"].nunique() == 100
    values = evaluate(lists, qrels, "map", ties="trec_eval_float32")["map"]
    expected = pd.read_csv(folder / "expected_trec_eval_9.tsv.gz", sep="\t", names=["run", "measure", "query", "value"])
    expected = expected[(expected["measure"] == "map") & (expected["query"].astype(str) == "all")].set_index("run")
    ours = values[[run.removeprefix("input.") for run in expected.index]]
    np.testing.assert_allclose(ours, expected["value"].astype(float), atol=5.1e-5, rtol=0)
