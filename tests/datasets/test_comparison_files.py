"""Files of paired comparisons: separators, compression, Parquet, damaged files, and the command line."""

import gzip
import io
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from pandas.testing import assert_frame_equal

from skrankagg import PlackettLuce, RankedLists
from skrankagg.__main__ import main
from skrankagg.datasets import make_comparisons, read_comparisons, read_lists, read_qrels
from skrankagg.exceptions import InputError

BATTLES = "model_a,model_b,winner,judge\n007,x2,model_a,Ann\nx2,007,tie,Ben\nx3,x2,x2,Ben\nx3,007,model_b,Ann\n"
FRAME = pd.DataFrame(
    [
        ("007", "x2", "model_a", "Ann"),
        ("x2", "007", "tie", "Ben"),
        ("x3", "x2", "x2", "Ben"),
        ("x3", "007", "model_b", "Ann"),
    ],
    columns=["model_a", "model_b", "winner", "judge"],
)


@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_read_comparisons_reads_tables_with_ids_as_text(separator, tmp_path):
    text = BATTLES.replace(",", separator)
    path = tmp_path / "battles.csv"
    path.write_bytes(b"\xef\xbb\xbf" + text.encode())
    (tmp_path / "battles.csv.gz").write_bytes(gzip.compress(text.encode()))
    for source in (path, str(tmp_path / "battles.csv.gz"), io.BytesIO(text.encode())):
        assert_frame_equal(read_comparisons(source), FRAME.astype(str))


def test_read_comparisons_reads_parquet(tmp_path):
    pytest.importorskip("pyarrow")
    FRAME.to_parquet(tmp_path / "battles.parquet")
    assert_frame_equal(read_comparisons(tmp_path / "battles.parquet"), FRAME, check_dtype=False)


def test_read_comparisons_converts_ties_and_weights(tmp_path):
    path = tmp_path / "games.csv"
    path.write_text("winner,loser,draw,weight\na,b,true,2\nb,c,0,0.5\n")
    frame = read_comparisons(path)
    assert frame["draw"].tolist() == [True, False] and frame["weight"].tolist() == [2.0, 0.5]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("model_a,model_b\na,b\n", "expected columns winner and loser, or model_a, model_b and winner; got 'model_a'"),
        ("model_a,model_b\na,b\n", "got 'model_a', 'model_b'; name the columns in the first line"),
        ('{"model_a": "a", "model_b": "b", "winner": "a"}\n', "got JSON; read it by pandas.read_json, with lines=True"),
        ("", "got an empty line"),
        ("winner,loser\na,b\na,b,c\n", "as many fields in each line as in the header"),
        pytest.param(
            "winner,loser\na,b,\nc,d,\n",
            "as many fields in each line as in the header",
            marks=pytest.mark.skipif(pd.__version__ < "3", reason="pandas 2 ignores a last field that is always empty"),
        ),
        ("winner,loser\na,b,c\nd,e,f\n", "as many fields in each line as in the header"),
        ("winner,loser\na,b,c\nd,e\n", "as many fields in each line as in the header"),
        ("winner,loser,tie\na,b,maybe\n", "column 'tie' must have 0, 1, true or false; got 'maybe'"),
        ("winner,loser,weight\na,b,much\n", "column 'weight' must contain numbers; got 'much'"),
        (b"winner,loser\na,\xff\n", "UTF-8"),
    ],
)
def test_read_comparisons_names_the_file_and_the_fault(text, message, tmp_path):
    path = tmp_path / "games.csv"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(InputError, match=message) as caught:
        read_comparisons(path)
    assert "games.csv" in str(caught.value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("winner,loser,judge\n,b,x\nc,d,x\n", "must have two items; 1 items are missing"),
        ("winner,loser,judge\na,b,\nb,a,x\n", "Column 'judge' .* must have an id in every row; 1 are missing"),
        ("model_a,model_b,winner,judge\na1,b1,,x\n", "must have an outcome in every row; 1 are missing"),
    ],
)
def test_read_comparisons_reads_empty_cells_as_missing_values(text, message):
    with pytest.raises(InputError, match=message):
        RankedLists.from_comparisons(read_comparisons(io.BytesIO(text.encode())), voter="judge")


@pytest.fixture
def run(capsys):
    """Run a command in this process; return its exit code, output and messages."""

    def run(*arguments):
        code = main([*map(str, arguments)])
        return code, *capsys.readouterr()

    return run


def test_aggregate_reads_comparisons_at_a_terminal(run, tmp_path):
    path = tmp_path / "battles.csv"
    path.write_text(BATTLES)
    code, out, messages = run("aggregate", path)
    assert code == 0 and "merging by PlackettLuce" in messages
    board = pd.read_csv(io.StringIO(out), dtype={"item": str})
    expected = PlackettLuce().fit_transform(RankedLists.from_comparisons(FRAME))
    assert_frame_equal(board, expected, check_dtype=False)
    command = [sys.executable, "-m", "skrankagg", "aggregate", "-", "--method", "PlackettLuce"]
    assert subprocess.run(command, capture_output=True, text=True, check=True, input=BATTLES).stdout == out
    _, judged, _ = run("aggregate", path, "--method", "PlackettLuce[std_errors=judge]", "--groups", "judge")
    errors = PlackettLuce(std_errors="judge").fit_transform(RankedLists.from_comparisons(FRAME, voter="judge"))
    assert pd.read_csv(io.StringIO(judged))["std_error"].tolist() == pytest.approx(errors["std_error"].tolist())


def test_aggregate_refuses_groups_for_lists(run, tmp_path):
    path = tmp_path / "lists.csv"
    path.write_text("query,voter,item,rank\nq,v,a,1\n")
    code, _, messages = run("aggregate", path, "--groups", "judge")
    assert code != 0 and "--groups applies only to files of comparisons" in messages


def test_board_at_the_terminal_equals_the_board_of_the_frame(run, tmp_path):
    games = make_comparisons(12, 3000, tie_probability=0.3, random_state=0).comparisons
    games[["winner", "loser", "tie"]].to_csv(tmp_path / "games.csv", index=False)
    board = pd.read_csv(io.StringIO(run("aggregate", tmp_path / "games.csv", "-q")[1]))
    expected = PlackettLuce().fit_transform(RankedLists.from_comparisons(games, tie="tie"))
    assert board["item"].tolist() == expected["item"].tolist()
    assert board["score"].tolist() == pytest.approx(expected["score"].tolist(), abs=1e-9)


def test_aggregate_makes_a_board_of_each_query(run, tmp_path):
    path = tmp_path / "battles.csv"
    rows = ["model_a,model_b,winner,category"]
    rows += ["x,y,model_a,code", "y,x,model_b,code", "x,y,model_b,code", "x,y,model_b,prose", "y,x,tie,prose"]
    path.write_text("\n".join(rows) + "\n")
    code, out, messages = run("aggregate", path, "--query-column", "category")
    assert code == 0, messages
    found = pd.read_csv(io.StringIO(out))
    assert (found["query"] + found["item"]).tolist() == ["codex", "codey", "prosey", "prosex"]
    lists = RankedLists.from_comparisons(read_comparisons(path), query_column="category")
    np.testing.assert_allclose(found["score"], PlackettLuce().fit_transform(lists)["score"])
    code, out, _ = run("explain", path, "--query-column", "category", "--query", "prose")
    assert code == 0 and "query prose" in out
    code, _, messages = run("aggregate", path, "--query-column", "categry")
    assert code != 0 and "did you mean 'category'" in messages


@pytest.mark.parametrize("command", ["aggregate", "explain"])
def test_commands_refuse_options_that_comparisons_do_not_need(run, command, tmp_path):
    path = tmp_path / "battles.csv"
    path.write_text("winner,loser\na,b\nb,a\n")
    for arguments, message in [
        ([path, "--voter", "file"], "--voter file applies only to files of ranked lists"),
        ([f"monday={path}"], "a name (NAME=FILE) applies only to files of ranked lists"),
    ]:
        code, _, messages = run(command, *arguments)
        assert code != 0 and message in messages
    lists = tmp_path / "lists.csv"
    lists.write_text("query,voter,item,rank\nq,v,a,1\nq,v,b,2\n")
    code, _, messages = run(command, lists, "--query-column", "query")
    assert code != 0 and "--query-column applies only to files of comparisons" in messages


@pytest.mark.parametrize(
    "header",
    [
        "model_a,model_b,winner",
        "winner;loser",
        "Model_A\tmodel_b\twinner",
        "left,right,label",
        "model_a,model_b,left,right,winner",
    ],
)
@pytest.mark.parametrize("format", ["auto", "csv", "trec"])
def test_read_lists_names_read_comparisons_for_a_file_of_comparisons(header, format, tmp_path):
    separator = next(one for one in ",;\t" if one in header)
    path = tmp_path / "battles.csv"
    path.write_text(f"{header}\n{separator.join('xyxyx'[: header.count(separator) + 1])}\n")
    if header.startswith("left"):
        path.write_text("model_a,model_b,winner,winner_model\nx,y,x,x\n")
    with pytest.raises(
        InputError, match=r"got paired comparisons with the columns '.*read_comparisons, and pass the frame"
    ):
        read_lists(path, format=format)
    with pytest.raises(InputError) as caught:
        read_qrels(path)
    assert "comparisons" not in str(caught.value)


def test_read_lists_names_read_comparisons_for_a_parquet_file_of_comparisons(tmp_path):
    pytest.importorskip("pyarrow", reason="it writes a Parquet file")
    path = tmp_path / "battles.parquet"
    pd.DataFrame({"model_a": ["x"], "model_b": ["y"], "winner": ["model_a"]}).to_parquet(path)
    with pytest.raises(InputError, match="got paired comparisons with the columns 'model_a, model_b, winner'"):
        read_lists(path)
    assert RankedLists.from_comparisons(read_comparisons(path)).n_lists == 1  # the advice works
