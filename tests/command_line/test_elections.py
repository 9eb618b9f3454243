"""Files of elections and of duels at a terminal: they are recognised, or named by --format."""

import gzip
import io
import re
import subprocess
import sys

import pandas as pd
import pytest
from processes import environment

from skrankagg import RankedLists, ReciprocalRankFusion, Schulze
from skrankagg.__main__ import main
from skrankagg._command_line._election_files import election_format, read_election
from skrankagg.aggregators import SequentialElimination
from skrankagg.datasets import read_preflib

PREFLIB = "# TITLE: lunch\n# NUMBER ALTERNATIVES: 3\n# ALTERNATIVE NAME 1: soup\n# ALTERNATIVE NAME 2: rice\n"
PREFLIB += "# ALTERNATIVE NAME 3: cake\n5: 3,{1,2}\n2: 1\n"
OLD = "3\n1,soup\n2,rice\n3,cake\n7,7,2\n5,3,{1,2}\n2,1\n"
# The same seven votes in every layout: cake before soup and rice, which tie (5), and soup alone (2).
LINES = "5: cake > soup = rice\n2: soup\n"
COLUMN = "votes,ballot\n5,cake > soup = rice\n2,soup\n"
CHOICES = "Choice 1;Choice 2;count\ncake;soup=rice;5\nsoup;;2\n"
ORDINALS = "first,second\n" + "cake,rice=soup\n" * 5 + "soup,\n" * 2
RANKS = "candidate,Ann,Ben,Cleo\nOak,1,2,\nElm,2,1,1\nAsh,3,3,\n"
STARS = "candidate,Ann,Ben\nOak,5,4\nElm,1,5\nAsh,1,1\n"
DUELS = "winner,loser\na,b\nb,c\na,c\n"
AGGREGATE = ("--method", "SequentialElimination")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    texts = {"lunch.toi": PREFLIB, "old.toi": OLD, "lines.txt": LINES, "column.csv": COLUMN, "choices.csv": CHOICES}
    texts |= {"ordinals.csv": ORDINALS, "ranks.csv": RANKS, "stars.csv": STARS, "duels.csv": DUELS}
    texts |= {"lists.csv": "query,voter,item,rank\nq,v,a,1\nq,v,b,2\n"}
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
    return tmp_path


def consensus(text):
    return pd.read_csv(io.StringIO(text))


@pytest.mark.parametrize("name", ["lunch.toi", "old.toi", "lines.txt", "column.csv", "choices.csv", "ordinals.csv"])
@pytest.mark.parametrize("zipped", [False, True])
def test_every_layout_of_the_same_ballots_has_the_same_winner(run, folder, name, zipped):
    if zipped:
        (folder / f"{name}.gz").write_bytes(gzip.compress((folder / name).read_bytes()))
        name += ".gz"
    found = consensus(run("aggregate", name, *AGGREGATE))
    lists = RankedLists.from_ballots(["cake > soup = rice", "soup"], counts=[5, 2], query=name.partition(".")[0])
    expected = SequentialElimination().fit_transform(lists)
    assert (
        found[["query", "item", "rank"]].to_numpy().tolist() == expected[["query", "item", "rank"]].to_numpy().tolist()
    )
    assert found["item"][0] == "cake"


def test_ballots_are_merged_by_schulze_by_default(folder, capsys):
    assert main(["aggregate", "lunch.toi"]) == 0
    out, err = capsys.readouterr()
    assert consensus(out)["item"].tolist() == Schulze().fit_transform(read_preflib("lunch.toi"))["item"].tolist()
    assert err == "skrankagg: merging by Schulze; choose another with --method.\n"


def test_tables_of_ranks_are_read_with_items_or_voters_as_rows(run, folder):
    table = pd.read_csv("ranks.csv", index_col=0)
    expected = ReciprocalRankFusion(k=30).fit_transform(RankedLists.from_matrix(table, kind="rank", query="ranks"))
    rrf = ("--method", "ReciprocalRankFusion[k=30]")
    found = consensus(run("aggregate", "ranks.csv", *rrf))
    pd.testing.assert_frame_equal(found, expected.reset_index(drop=True), check_dtype=False)
    table.T.to_csv("ranks2.csv", index_label="voter")
    turned = consensus(run("aggregate", "ranks2.csv", *rrf))
    assert turned[["item", "score"]].equals(found[["item", "score"]])
    (folder / "comma.csv").write_text("item;Ann;Ben\nOak;1,5;1\nElm;1,5;2\n")
    assert consensus(run("aggregate", "comma.csv", "--decimal", ",", *rrf))["item"].tolist() == ["Oak", "Elm"]


def test_numbers_that_may_be_ranks_or_scores_are_named_by_format(run, fail, folder):
    message = fail("aggregate", "stars.csv", "--method", "CombSUM")
    assert "'stars.csv' is a table of numbers, which may be ranks or scores." in message
    assert "Choose --format ranks or --format scores." in message
    by_score = consensus(run("aggregate", "stars.csv", "--format", "scores", "--method", "CombSUM"))
    assert by_score["item"].tolist()[0] == "Oak" and by_score["item"].tolist()[-1] == "Ash"
    by_rank = consensus(run("aggregate", "stars.csv", "--format", "ranks", "--method", "BordaCount"))
    assert by_rank["item"].tolist()[0] == "Ash"


def test_duels_may_be_named_by_format(run, fail):
    command = ("aggregate", "duels.csv", "--method", "PlackettLuce")
    assert run(*command, "--format", "duels") == run(*command)
    assert "winner" in fail("aggregate", "lists.csv", "--format", "duels", "--method", "PlackettLuce")


def test_blank_lines_and_empty_ballots_are_skipped(run, folder):
    (folder / "gaps.csv").write_text("ballot,count\nA > B,2\n\n,5\n , \nB > A,1\n")
    (folder / "full.csv").write_text("ballot,count\nA > B,2\nB > A,1\n")
    found, expected = (consensus(run("aggregate", name, "--method", "BordaCount")) for name in ("gaps.csv", "full.csv"))
    assert found["item"].tolist() == ["A", "B"]
    assert found.drop(columns="query").equals(expected.drop(columns="query"))


def test_several_elections_are_queries(run, fail, folder):
    found = consensus(run("aggregate", "lunch.toi", "lines.txt", "ranks.csv", *AGGREGATE))
    assert found["query"].drop_duplicates().tolist() == ["lines", "lunch", "ranks"]
    assert found.loc[found["query"] == "ranks", "item"].tolist()[0] == "Elm"
    assert "contains ranked lists; give files of one kind" in fail("aggregate", "lunch.toi", "lists.csv", *AGGREGATE)
    (folder / "other").mkdir()
    (folder / "other" / "lunch.toi").write_text(PREFLIB)
    message = fail("aggregate", "lunch.toi", "other/lunch.toi", *AGGREGATE)
    assert "because the names become the ids of the queries; 'lunch' occurs twice." in message
    message = fail("aggregate", "lunch.toi", *AGGREGATE, "--voter", "file")
    assert "a file of ballots has many voters; leave out --voter file." in message


def test_explain_and_compare_read_elections(run, folder):
    assert "Schulze, query lunch" in run("explain", "lunch.toi", "--method", "Schulze")
    (folder / "qrels.csv").write_text("query,item,relevance\nlunch,cake,1\n")
    out = run("compare", "lunch.toi", "qrels.csv", "--methods", "Schulze", "Copeland", "--metrics", "mrr")
    assert re.search(r"^Schulze +1\.0000 ", out, re.MULTILINE)


def test_standard_input_may_be_an_election(folder):
    command = [sys.executable, "-m", "skrankagg", "aggregate", "-", *AGGREGATE, "--to", "text"]
    for text, first in ((PREFLIB, "q: cake > "), (LINES, "q: cake > "), (RANKS, "q: Elm > ")):
        done = subprocess.run(command, input=text.encode(), capture_output=True, env=environment(), check=False)
        assert done.returncode == 0 and done.stdout.decode().startswith(first), done.stderr


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("q1 Q0 a>b 1 2.0 run\nq1 Q0 c>d 2 1.0 run\n", None),
        ("1,V-0,Q1>E35,1.0,testdata\n1,V-0,Q2>E35,0.5,testdata\n", None),
        ('{"q > 1": {"a": 1}}\n', None),
        ("query,item,score\nq > 1,a > b,1\n", None),
        pytest.param('{"q": {' + ", ".join(f'"item{k}": {k}' for k in range(20_000)) + "}}", None, id="long JSON"),
        pytest.param('"' + "long" * 50_000, None, id="long field"),
        ("query,voter,item,rank\nq,v,a,1\n", None),
        ("model_a,model_b,winner\na,b,a\n", None),
        ("item,1,2\na,1,2\n", None),
        ("", None),
        ("A > B\nB\nA\n\nA > C\nC > B\n", "ballots"),
        ("Smith, Jo > Doe, Al\nDoe, Al > Smith, Jo\n", "ballots"),
        ("item,v,w\na,1,2\nb,2,1\n", "ranks"),
        ("item,v,w\na,1.5,2\nb,1.5,\nc,3,1\n", "ranks"),
        ("item,v,w\na,,2\nb,,1\n", "ranks"),
        ("item,v,w\na,x,2\nb,y,1\n", None),
    ],
)
def test_formats_are_recognised_only_if_they_are_certain(folder, text, found):
    (folder / "file.txt").write_text(text)
    assert election_format("file.txt") == found


@pytest.mark.parametrize(
    ("text", "format", "message"),
    [
        ("A > B\nA > A\n", "auto", "must contain an item only once"),
        ("A >\nB > A\n", "auto", "must contain at least one item"),
        ("choice1,choice2\nA,B\n,A\n", "auto", "line 3 must not have an empty choice before a filled one"),
        ("choice1,choice2\nA,B,C\n", "auto", "line 2 must have 2 fields, like the header; got 3"),
        ("ballot,count\nA > B,many\n", "auto", "line 2 must have a number of ballots; got 'many'"),
        ("item,v,w\na,1,2\nb,x,1\n", "ranks", "line 3 must have ranks after the first field; got 'x'"),
        ("item,v,w\na,1,2\nb,x,1\n", "auto", "line 3 must have ranks after the first field; got 'x'"),
        ("item,v,w\n", "ranks", "expected rows after the header"),
        ("\n\n", "ballots", "got none"),
        ("5: 3,{1,2}\n", "preflib", "cannot read 'bad.txt'"),
    ],
)
def test_faults_of_ballots_are_named(fail, folder, text, format, message):
    (folder / "bad.txt").write_text(text)
    found = fail("aggregate", "bad.txt", "--format", format, *AGGREGATE)
    assert message in found and "bad.txt" in found and "read_preflib" not in found


def test_elections_of_preflib_are_recognised(shared_data):
    suffixes = (".soc", ".soi", ".toc", ".toi")
    paths = [one for one in sorted((shared_data / "preflib").iterdir()) if one.suffix in suffixes]
    assert paths
    for path in paths:
        assert election_format(path) == "preflib"
        assert read_election(path, "preflib").equals(read_preflib(path))
