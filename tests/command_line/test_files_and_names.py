"""Command-line arguments: names of files, voters, methods and values."""

import gzip
import io
import json
import os
import subprocess
import sys
import threading

import pandas as pd
import pytest
from processes import environment

from skrankagg import CombSUM, PlackettLuce, RankedLists, ReciprocalRankFusion
from skrankagg.__main__ import main
from skrankagg._command_line._method_names import FAST, make_methods, seed_methods
from skrankagg._command_line._python_words import in_flags
from skrankagg._support._method_text import read_params, read_value, write_param
from skrankagg.aggregators import DIBRA, LearnedWeights, LocalKemenization
from skrankagg.datasets import read_lists
from skrankagg.datasets._formats import written
from skrankagg.exceptions import InputError
from skrankagg.utils.discovery import all_aggregators, default_methods

ONE = "q1 Q0 a 1 3.0 x\nq1 Q0 b 2 2.0 x\nq2 Q0 d 1 2.0 x\n"
TWO = "q1 Q0 b 1 2.0 y\nq1 Q0 a 2 1.0 y\nq2 Q0 e 1 1.0 y\n"
QRELS = "q1 0 a 1\nq1 0 b 0\nq2 0 d 0\nq2 0 e 1\n"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "runs").mkdir()
    files = {
        "runs/one.run": ONE,
        "runs/two.run": TWO,
        "same.run": ONE.replace("a 1 3.0", "c 1 3.0"),
        "qrels.txt": QRELS,
    }
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    return tmp_path


def consensus(text):
    return pd.read_csv(io.StringIO(text))


EXPECTED = CombSUM(norm=None)


def expected(*paths, **options):
    return EXPECTED.fit_transform(read_lists(list(paths), **options))


AGGREGATE = ("--method", "CombSUM[norm=None]")


def test_aggregate_accepts_folders_and_patterns(run):
    found = consensus(run("aggregate", "runs", *AGGREGATE))
    pd.testing.assert_frame_equal(found, expected("runs/one.run", "runs/two.run"), check_dtype=False)
    for text in ("runs/*.run", "r*/[ot]*.run", "**/???.run"):
        assert consensus(run("aggregate", text, *AGGREGATE)).equals(found)


def test_explain_accepts_voter_names_before_files(run):
    out = run("explain", "mine=runs/one.run", "yours=same.run", *AGGREGATE, "--query", "q1", "--item", "b")
    assert [line.split()[0] for line in out.splitlines()[4:]] == ["mine", "yours"]
    # One name is given, and the other is read from the file.
    out = run("explain", "runs/one.run", "yours=same.run", *AGGREGATE, "--query", "q1", "--item", "b")
    assert [line.split()[0] for line in out.splitlines()[4:]] == ["x", "yours"]


def test_aggregate_reads_a_file_whose_name_contains_an_equals_sign(run, folder):
    (folder / "k=3.run").write_text(ONE)
    assert consensus(run("aggregate", "k=3.run", *AGGREGATE)).equals(
        consensus(run("aggregate", "runs/one.run", *AGGREGATE))
    )


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("aggregate runs/one.run runs/one.run", "the file 'runs/one.run' is given twice."),
        ("aggregate - -", "standard input is given twice."),
        ("aggregate nothing/*.run", "no file matches 'nothing/*.run'."),
        (
            "aggregate v=runs/*.run",
            "is given for 2 files that match 'runs/*.run'; leave the name out, or name each file.",
        ),
        ("aggregate =runs/one.run", "a file with a name must have the form NAME=FILE; got '=runs/one.run'."),
        ("aggregate v=runs/one.run --voter file", "name voters by NAME=FILE or by --voter file, not by both."),
        ("aggregate empty", "the folder 'empty' contains no files."),
        ("aggregate v=none.run", "cannot read 'none.run': No such file or directory."),
        ("aggregate runs/one.run same.run", "Name them after their files with --voter file"),
    ],
)
def test_invalid_files_give_a_one_sentence_error(fail, folder, command, message):
    (folder / "empty").mkdir()
    (folder / "empty" / ".hidden").write_text("")
    assert message in fail(*command.split(), *AGGREGATE)


JSON_LINES = """{"query": "q1", "lists": {"x": [["a", 3], ["b", 2]], "y": {"b": 2, "a": 1}}}
{"query": "q2", "lists": {"x": {"d": 2}, "y": [{"id": "e", "score": 1}]}}
"""


def test_aggregate_and_evaluate_read_json_lines(run, folder):
    (folder / "hits.jsonl").write_text(JSON_LINES)
    (folder / "judged.jsonl").write_text(
        '{"query": "q1", "items": {"a": 1, "b": 0}}\n{"query": "q2", "items": {"d": 0, "e": 1}}\n'
    )
    found = consensus(run("aggregate", "hits.jsonl", *AGGREGATE))
    pd.testing.assert_frame_equal(found, expected("runs/one.run", "runs/two.run"), check_dtype=False)
    assert consensus(run("aggregate", "hits.jsonl", "--format", "jsonl", *AGGREGATE)).equals(found)
    (folder / "mine.jsonl").write_text('{"query": "q1", "hits": ["b", "a"]}\n{"query": "q2", "hits": ["e"]}\n')
    out = run("explain", "mine=mine.jsonl", "--method", "BordaCount", "--query", "q1", "--item", "b")
    assert "mine" in out
    out = run("evaluate", "mine.jsonl", "judged.jsonl", "--metrics", "map")
    assert out.split()[-1] == "0.7500"


@pytest.mark.parametrize(
    ("text", "format", "message"),
    [
        (
            JSON_LINES + '{"query": "q3"',
            "auto",
            "cannot read 'bad': expected a JSON object on line 3, got an error in column 15 (Expecting ',' "
            "delimiter); repair the file.",
        ),
        (
            JSON_LINES,
            "trec",
            "expected a TREC run (query Q0 item rank score tag), got the first line",
        ),
        ("2 qid:10 1:NULL 2:7 #docid = GX01\n", "auto", "read it in Python by skrankagg.datasets.load_letor_agg"),
    ],
)
def test_aggregate_names_the_fault_of_a_file(fail, folder, text, format, message):
    (folder / "bad").write_text(text)
    found = fail("aggregate", "bad", "--format", format, *AGGREGATE)
    assert message in found and "format=" not in found
    assert format == "auto" or found.rstrip().endswith(f"or leave out --format {format}.")


def test_evaluate_rejects_several_files_of_judgements(fail):
    assert "judgements must be in one file; 2 files match 'runs'." in fail("evaluate", "same.run", "runs")


@pytest.mark.exhaustive
@pytest.mark.parametrize("zipped", [False, True])
def test_aggregate_reads_standard_input_once(folder, zipped):
    data = gzip.compress(ONE.encode()) if zipped else ONE.encode()
    command = [sys.executable, "-m", "skrankagg", "aggregate", "one=-", "two=runs/two.run", "-q", *AGGREGATE]
    done = subprocess.run(command, input=data, capture_output=True, env=environment(), timeout=100)
    assert done.stderr == b"" and done.returncode == 0
    found = consensus(done.stdout.decode())
    pd.testing.assert_frame_equal(found, expected("runs/one.run", "runs/two.run"), check_dtype=False)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
def test_evaluate_reads_named_pipes_once(run, folder):
    os.mkfifo("pipe")

    def feed():
        with open("pipe", "wb") as stream:
            stream.write(gzip.compress(QRELS.encode()))

    writer = threading.Thread(target=feed)
    writer.start()
    out = run("evaluate", "runs/one.run", "pipe", "--metrics", "map")
    writer.join()
    assert out == run("evaluate", "runs/one.run", "qrels.txt", "--metrics", "map")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
@pytest.mark.parametrize("zipped", [False, True])
@pytest.mark.parametrize("method", [(), ("--method", "Copeland")])
@pytest.mark.parametrize("text", [ONE, "winner,loser\na,b\nb,c\na,c\nc,a\n"], ids=["lists", "comparisons"])
def test_aggregate_reads_named_pipes_once(folder, capsys, text, method, zipped):
    (folder / "file").write_text(text)
    os.mkfifo("pipe")

    def feed():
        # If the pipe were read again, the second reader would get nothing. Otherwise it would wait forever.
        for part in (gzip.compress(text.encode()) if zipped else text.encode(), b""):
            with open("pipe", "wb") as stream:
                stream.write(part)

    writer = threading.Thread(target=feed)
    writer.start()
    from_pipe, from_file = ((main(["aggregate", path, *method]), capsys.readouterr().out) for path in ("pipe", "file"))
    os.close(os.open("pipe", os.O_RDONLY | os.O_NONBLOCK))  # the second reader that the writer waits for
    writer.join()
    assert from_pipe == from_file and from_file[0] == 0 and from_file[1]


@pytest.mark.parametrize("weights", ["1,3,2,1", "1,1,1,0.5"])
@pytest.mark.parametrize("header", ["model_a,model_b,winner", "winner,loser"])
def test_aggregate_weighs_comparisons_as_in_python(run, folder, header, weights):
    rows = ["a,b", "b,c", "a,c", "c,a"]
    rows = [f"{row},model_a" for row in rows] if header.startswith("model") else rows
    lines = [f"{row},{weight}" for row, weight in zip(rows, weights.split(","), strict=True)]
    (folder / "duels.csv").write_text("\n".join([f"{header},weight", *lines]) + "\n")
    (folder / "plain.csv").write_text("\n".join([header, *rows]) + "\n")
    boards = []
    for name in ("duels.csv", "plain.csv"):
        board = PlackettLuce().fit_transform(RankedLists.from_comparisons(pd.read_csv(name)))
        found = consensus(run("aggregate", name, "--method", "PlackettLuce"))
        assert found["item"].tolist() == board["item"].tolist()
        assert found["score"].tolist() == pytest.approx(board["score"].tolist(), abs=1e-6)
        boards.append(found["score"].tolist())
    assert boards[0] != pytest.approx(boards[1], abs=1e-3)


def test_aggregate_reads_decimal_commas_on_request(run, fail, folder):
    text = "query;voter;item;score\nq1;x;a;3,5\nq1;x;b;2,5\n"
    (folder / "comma.csv").write_text(text)
    assert "--decimal ," in fail("aggregate", "comma.csv", *AGGREGATE)
    assert consensus(run("aggregate", "comma.csv", "--decimal", ",", *AGGREGATE))["score"].tolist() == [3.5, 2.5]


def test_error_messages_name_command_line_flags(fail, folder):
    (folder / "odd.txt").write_text("what is this\n")
    message = fail("aggregate", "odd.txt", *AGGREGATE)
    assert "--format" in message and "--columns" in message and "format=" not in message and "columns=" not in message
    assert "read_lists" not in message
    flags = {"voter": ("--voter", None), "columns": ("--columns", "NAMES"), "cv": ("--cv", "N")}
    flags |= {"n_jobs": ("--n-jobs", "N"), "format": ("--format", None)}
    assert in_flags("Pass job='my own'.", {"job": ("--job", "NAME")}) == "Pass --job 'my own'."
    flags |= {"no_resume": ("--no-resume", None)}
    message = "`cv`: voter='file', columns=[...], columns=, cv=5, n_jobs=2,format='csv' or 'tsv', resume=False; k=3"
    assert in_flags(message, flags, "cv") == (
        "--cv: --voter file, --columns NAMES, --columns NAMES, --cv 5, --n-jobs 2,--format csv or tsv, --no-resume; k=3"
    )


@pytest.mark.sampled(1)
@pytest.mark.twice
@pytest.mark.parametrize("to", [one.name for one in written()])
def test_aggregate_writes_the_requested_format(folder, to, capsysbinary, patience):
    if to == "parquet":
        pytest.importorskip("pyarrow")
    assert main(["aggregate", "runs", *AGGREGATE, "--to", to]) == 0
    out, err = capsysbinary.readouterr()
    assert err == b""
    assert main(["aggregate", "runs", *AGGREGATE, "--to", to, "-o", "named.out"]) == 0
    assert (folder / "named.out").read_bytes() == out
    whole = expected("runs/one.run", "runs/two.run")
    if to == "json":
        runs = {q: dict(zip(own["item"], own["score"], strict=True)) for q, own in whole.groupby("query")}
        assert json.loads(out) == runs
    elif to == "text":
        assert out.decode().splitlines()[0].startswith("q1: ")
    else:
        (folder / f"out.{to}").write_bytes(out)
        back = read_lists(f"out.{to}")
        assert back["item"].tolist() == whole["item"].tolist() and back["score"].tolist() == whole["score"].tolist()


# ---------------------------------------------------------------------- names of methods, and values


def test_read_value_parses_numbers_words_and_values_by_voter():
    assert read_value("3") == 3 and read_value(".5") == 0.5 and read_value("None") is None
    assert read_value("min-max") == "min-max" and read_value("(5, 10)") == (5, 10)
    assert read_value("bm25:.3,dense:.7") == {"bm25": 0.3, "dense": 0.7}
    assert read_value("a:b: 1e-2") == {"a:b": 0.01}
    assert read_value("{'a': 1}") == {"a": 1}
    assert read_params("k", "10,30, 60", {}) == [10, 30, 60]
    assert read_params("k", "(5, 10),(1,)", {}) == [(5, 10), (1,)]
    assert read_params("norm", "min-max,None", {}) == ["min-max", None]


NESTED = "LearnedWeights[aggregator=ReciprocalRankFusion[k=20],shrinkage=5]"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("LearnedWeights[aggregator=CombSUM]", LearnedWeights(aggregator=CombSUM())),
        (NESTED, LearnedWeights(aggregator=ReciprocalRankFusion(k=20), shrinkage=5)),
        ("learned-weights[aggregator=None]", LearnedWeights()),
        (
            "LocalKemenization[aggregator=DIBRA[aggregator=CombSUM[norm=rank,voter_weights=a:1,b:2]],absent=ignore]",
            LocalKemenization(
                DIBRA(aggregator=CombSUM(norm="rank", voter_weights={"a": 1.0, "b": 2.0})), absent="ignore"
            ),
        ),
    ],
)
def test_methods_may_be_parameters_of_methods(text, expected):
    [(name, method)] = make_methods([text])
    assert repr(method) == repr(expected)
    assert repr(make_methods([name])[0][1]) == repr(expected)  # the name of the row can be used again


def test_tune_writes_nested_methods_as_they_are_read():
    methods = read_params("aggregator", "CombSUM[norm=rank],ReciprocalRankFusion[k=20],BordaCount", all_aggregators())
    assert list(map(repr, methods)) == ["CombSUM(norm='rank')", "ReciprocalRankFusion(k=20)", "BordaCount()"]
    assert write_param("aggregator", methods[0]) == "aggregator=CombSUM[norm=rank]"
    assert write_param("voter_weights", {"a": 0.25, "b": 1.0}) == "voter_weights=a:0.25,b:1"


def test_a_wrong_nested_method_is_named():
    with pytest.raises(InputError, match=r"'CombSUN' is not a method \(did you mean 'CombSUM'\?\)"):
        make_methods(["LearnedWeights[aggregator=CombSUN]"])
    with pytest.raises(InputError, match="CombSUM has no parameter 'kk'"):
        make_methods(["LearnedWeights[aggregator=CombSUM[kk=1]]"])


def test_compare_runs_methods_inside_methods(run, folder):
    command = ("compare", "runs", "qrels.txt", "--metrics", "map", "--methods", "DIBRA[aggregator=CombSUM[norm=rank]]")
    assert "DIBRA[aggregator=CombSUM[norm=rank]]  " in run(*command)


def test_the_seed_reaches_methods_inside_methods():
    [(_, method)] = methods = make_methods(["LocalKemenization[aggregator=Kemeny[method=local-search]]"])
    seed_methods(methods, 7)
    assert method.aggregator.random_state == 7


def test_aggregate_accepts_voter_weights_by_name(run):
    weighed = run("aggregate", "runs", "--method", "CombSUM", "--param", "norm=None", "voter_weights=x:.3,y:.7")
    assert weighed == run("aggregate", "runs", "--method", "CombSUM[norm=None,voter_weights=x:.3,y:.7]")
    method = CombSUM(norm=None, voter_weights={"x": 0.3, "y": 0.7})
    direct = method.fit_transform(read_lists(["runs/one.run", "runs/two.run"]))
    pd.testing.assert_frame_equal(consensus(weighed), direct, check_dtype=False)


def test_aggregate_suggests_a_similar_parameter(fail):
    rrf = ("aggregate", "runs", "--method", "ReciprocalRankFusion", "--param")
    assert "ReciprocalRankFusion has no parameter 'kk' (did you mean 'k'?)" in fail(*rrf, "kk=3")
    assert "the parameter k of ReciprocalRankFusion is given twice." in fail(*rrf, "k=3", "k=4")
    assert "must have the form NAME=VALUE; got 'k'" in fail(*rrf, "k")


def test_files_after_names_of_options_are_recognised(run):
    plain = run("evaluate", "runs/one.run", "qrels.txt", "--metrics", "map", "p@1")
    assert run("evaluate", "--metrics", "map", "p@1", "runs/one.run", "qrels.txt") == plain
    plain = run("compare", "runs", "qrels.txt", "--methods", "BordaCount", "--metrics", "map").splitlines()[3:5]
    found = run("compare", "--metrics", "map", "--methods", "BordaCount", "runs", "qrels.txt").splitlines()[3:5]
    assert [line.split()[0] for line in found] == [line.split()[0] for line in plain]


def test_an_option_followed_only_by_files_is_invalid_usage(folder, capsys):
    with pytest.raises(SystemExit):
        main(["evaluate", "--metrics", "runs/one.run", "qrels.txt"])
    assert "--metrics must have names; got only files" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("compare runs qrels.txt --cv 1", "--cv: must be a whole number of at least 2; got '1'"),
        ("explain runs --top 0", "--top: must be a whole number of at least 1; got '0'"),
        ("tune runs qrels.txt --weights .3", "--weights: must be 1/N for a whole number N, such as .1 or .05"),
        ("tune runs qrels.txt --weights few", "such as .1 or .05; got 'few'"),
        ("tune runs", "give LISTS and QRELS"),
    ],
)
def test_numbers_out_of_range_and_missing_files_are_invalid_usage(folder, capsys, arguments, message):
    with pytest.raises(SystemExit) as error:
        main(arguments.split())
    assert error.value.code == 2 and message in capsys.readouterr().err


def test_options_that_need_another_option_are_explained(fail, monkeypatch):
    assert "--unit only works together with --intervals" in fail("aggregate", "runs", *AGGREGATE, "--unit", "query")
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    assert "Parquet is not text; name a file with -o" in fail("aggregate", "runs", *AGGREGATE, "--to", "parquet")


def test_fast_methods_are_default_methods_and_differ():
    known = {repr(method) for _, method in default_methods()}
    methods = make_methods(FAST)
    assert [name for name, _ in methods] == list(FAST)
    assert len({type(method) for _, method in methods}) >= 10
    assert all(repr(method) in known for _, method in methods)
    assert ("ReciprocalRankFusion", repr(ReciprocalRankFusion())) in [(name, repr(one)) for name, one in methods]


@pytest.mark.parametrize("command", ["compare", "judge", "tune", "aggregate", "explain", "audit", "evaluate"])
def test_usage_begins_with_the_name_of_the_command(folder, capsys, command):
    with pytest.raises(SystemExit):
        main([command, "--no-such-option"])
    usage = capsys.readouterr().err
    assert usage.startswith(f"usage: skrankagg {command} ") and "skrankagg [-h]" not in usage
    assert f"skrankagg {command}: error: " in usage
