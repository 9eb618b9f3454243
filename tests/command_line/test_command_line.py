"""The command line, in this process and in others."""

import gzip
import importlib.util
import io
import os
import py_compile
import re
import shutil
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from pandas.testing import assert_frame_equal
from processes import environment
from sklearn.utils import get_tags

import skrankagg
from skrankagg import CombSUM, Comparator, Copeland, Qrels, __version__
from skrankagg.__main__ import main
from skrankagg._command_line import _evaluate_runs
from skrankagg._command_line._messages import UserError, name_file_in_errors, warnings_in_one_line
from skrankagg.aggregators import BordaCount
from skrankagg.datasets import make_ranked_lists, read_lists, read_qrels
from skrankagg.metrics import measure_names
from skrankagg.utils.discovery import all_aggregators, default_methods

# Both voters agree, so every method returns a b c for q1 and d e for q2. With a, c and e, f relevant, f not returned,
# AP is (1/1 + 2/3) / 2 = 5/6 for q1 and (1/2) / 2 = 1/4 for q2: MAP = 13/24 = 0.5417; P@2 is 1/2 for both.
LISTS = "query,voter,item,rank\n" + "".join(
    f"{query},{voter},{item},{rank}\n"
    for voter in "vw"
    for query, items in [("q1", "abc"), ("q2", "de")]
    for rank, item in enumerate(items, 1)
)
QRELS = "q1 0 a 1\nq1 0 b 0\nq1 0 c 1\nq2 0 d 0\nq2 0 e 1\nq2 0 f 1\n"
RUN = "q1 Q0 a 1 3.0 x\nq1 Q0 b 2 2.0 x\nq1 Q0 c 3 1.0 x\nq2 Q0 d 1 2.0 x\nq2 Q0 e 2 1.0 x\n"
WORSE = "q1 Q0 b 1 2.0 y\nq1 Q0 a 2 1.0 y\n"  # AP 1/4 for q1 and nothing for q2


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    files = {"lists.csv": LISTS, "qrels.txt": QRELS, "good.run": RUN, "worse.run": WORSE}
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    return tmp_path


def table(out):
    """Return the cells of each row of a printed table by its label, without the star of the best."""
    rows = [re.split(r" {2,}", line.replace("*", "").strip()) for line in out.splitlines()]
    return {label: cells for label, *cells in rows if cells}


# ---------------------------------------------------------------------- compare


def test_compare_reproduces_map_computed_by_hand(run):
    rows = table(run("compare", "lists.csv", "qrels.txt", "--methods", "all", "--metrics", "map", "p@2"))
    assert rows.pop("method") == ["map", "p@2", "time (ms)"]
    assert set(rows) == {
        *(name for name, method in default_methods() if not method.__sklearn_tags__().aggregator_tags.needs_scores),
        "(best single voter, v)",
        "(mean of 2 single voters)",
    }
    assert {tuple(cells[:2]) for cells in rows.values()} == {("0.5417", "0.5000")}


def test_compare_lists_methods_left_out_for_lists_without_scores(run):
    notes = " ".join(run("compare", "lists.csv", "qrels.txt", "--methods", "all").partition("\nmethod")[0].split())
    left_out = re.search("Left out because they need scores, but the lists have only ranks: (.*?)[.](?: |$)", notes)[1]
    needy = [name for name, method in default_methods() if get_tags(method).aggregator_tags.needs_scores]
    assert left_out.split(", ") == needy and "CombSUM[norm=z-score]" in needy and "CombSUM[norm=rank]" not in needy
    assert notes.count("Left out") == 1


def test_compare_leaves_out_methods_without_fractional_weights(run, folder):
    lists = LISTS.splitlines()
    for weight, left_out in (("2", False), ("0.5", True)):
        weighed = [f"{line},{'weight' if line == lists[0] else weight}" for line in lists]
        (folder / "weighed.csv").write_text("\n".join(weighed) + "\n")
        notes = " ".join(
            run("compare", "weighed.csv", "qrels.txt", "--methods", "all").partition("\nmethod")[0].split()
        )
        tags = {name: get_tags(method).aggregator_tags for name, method in default_methods()}
        unable = ", ".join(name for name in tags if not tags[name].voter_weights)
        whole = ", ".join(name for name in tags if tags[name].integer_weights)
        assert f"Left out because they cannot weigh lists: {unable}" in notes and "Agglomerative" in unable
        assert (f"Left out because they accept only integer weights of lists: {whole}" in notes) == left_out
        assert "RobustRankAggregation" in whole


def test_compare_without_files_describes_its_generated_data(run):
    out = run("compare", "--methods", "CombSUM", "Copeland")
    assert "make_ranked_lists(random_state=0)" in out
    assert "with a known truth" in out
    assert "20 queries, 10 voters, 6,000 rows" in out


def test_compare_equals_comparator_and_sorts_the_best_first(run, folder):
    run("compare", "--methods", "CombSUM[norm=dbsf]", "copeland", "--random-state", "3", "--out", "results.csv")
    written = pd.read_csv("results.csv", index_col="method")
    lists, qrels, _ = make_ranked_lists(random_state=3)
    methods = [("Copeland", Copeland()), ("CombSUM[norm=dbsf]", CombSUM(norm="dbsf"))]
    expected = Comparator(methods, qrels=Qrels.from_frame(qrels)).fit(lists).results_
    assert_frame_equal(written.drop(columns="time"), expected.drop(columns="time"))


def test_compare_prints_warnings_about_the_lists_once(run, folder):
    lists, qrels, _ = make_ranked_lists(n_voters=5, n_items=200, random_state=0)
    lists.loc[lists["voter"] == "v2", "score"] = 1.0
    lists.drop(columns="rank").to_csv("constant.csv", index=False)
    qrels.to_csv("judged.csv", index=False)
    out = " ".join(run("compare", "constant.csv", "judged.csv", "--methods", "BordaCount", "copeland").split())
    assert out.count("warning (scores): The scores of voter 'v2' are constant in most of its lists.") == 1
    assert "Advice: Use the ranks instead: leave out the column of the scores." in out
    assert "warning (" not in run("compare", "--methods", "BordaCount", "copeland")


@pytest.mark.exhaustive
def test_compare_with_methods_all_compares_all_methods(folder, capsys, patience):
    assert main(["compare", "--methods", "all", "--n-jobs", "-1", "--quiet", "--out", "results.csv"]) == 0
    out, err = capsys.readouterr()
    assert {line.split()[2] for line in err.splitlines()} == {"CombMNZ", "CombSUM", "MarkovChain"}
    assert set(pd.read_csv("results.csv")["method"]) == {name for name, _ in default_methods()}
    for name, _ in default_methods():
        assert f"\n{name} " in out


def test_compare_writes_the_results_of_each_query(run):
    run(
        "compare",
        "lists.csv",
        "qrels.txt",
        "--methods",
        "Copeland",
        "--metrics",
        "map",
        "--per-query",
        "queries.csv.gz",
    )
    queries = pd.read_csv("queries.csv.gz")
    assert queries["query"].tolist() == ["q1", "q2"]
    assert queries["map"].tolist() == pytest.approx([5 / 6, 1 / 4])


def test_compare_warns_that_the_labels_of_rasdagen_are_noise(run):
    out = run("compare", "--demo", "rasdagen", "--methods", "CombSUM", "BordaCount")
    assert "noise" in out
    assert "differences between methods mean nothing" in " ".join(out.split())
    assert "50 voters, 30,000 rows" in out


def test_compare_shows_single_voters_as_references(run):
    out = run("compare", "--methods", "CombSUM", "Copeland", "--metrics", "ndcg@10", "--out", "results.csv")
    lists, qrels, _ = make_ranked_lists(random_state=0)
    voters = [
        Comparator([("voter", CombSUM())], metrics="ndcg@10", qrels=Qrels.from_frame(qrels)).fit(own).best_score_
        for _, own in lists.groupby("voter")
    ]
    rows = table(out)
    assert rows[f"(best single voter, v{np.argmax(voters) + 1:02d})"] == [f"{max(voters):.4f}"]
    assert rows["(mean of 10 single voters)"] == [f"{np.mean(voters):.4f}"]
    assert "Single voters are not methods" in out
    assert set(pd.read_csv("results.csv")["method"]) == {"CombSUM", "Copeland"}


def test_compare_counts_0_for_a_voter_without_a_list_of_a_judged_query(run, folder):
    # v has both queries, MAP 13/24; w lacks q2: (5/6 + 0) / 2. x has q2 alone and is perfect there: (0 + 1) / 2.
    lines = [line for line in LISTS.splitlines() if not line.startswith("q2,w")]
    (folder / "partial.csv").write_text("\n".join([*lines, "q2,x,e,1", "q2,x,f,2"]))
    out = run("compare", "partial.csv", "qrels.txt", "--methods", "Copeland", "--metrics", "map", "num_rel_ret")
    rows = table(out)
    assert rows["(best single voter, v)"] == ["0.5417", "3"]
    mean = (13 / 24 + 5 / 12 + 1 / 2) / 3
    assert rows["(mean of 3 single voters)"] == [f"{mean:.4f}", f"{(3 + 2 + 2) / 3:.0f}"]
    note = "If a voter has no list for a judged query, an empty list is measured."
    assert note in " ".join(out.split())
    assert note not in " ".join(run("compare", "lists.csv", "qrels.txt", "--methods", "Copeland").split())


def test_compare_ignores_unjudged_queries_for_single_voters(run, folder):
    rows = table(run("compare", "lists.csv", "qrels.txt", "--methods", "Copeland", "--metrics", "map"))
    for more in ("q3,v,a,1\nq3,w,a,1\n", "q3,v,a,1\n"):  # of both voters, of one
        (folder / "more.csv").write_text(LISTS + more)
        out = run("compare", "more.csv", "qrels.txt", "--methods", "Copeland", "--metrics", "map")
        found = table(out)
        for label in ("(best single voter, v)", "(mean of 2 single voters)"):
            assert found[label] == rows[label] == ["0.5417"]
        assert "counts as an empty list" not in " ".join(out.split())


def test_compare_reports_the_share_of_judged_items(run, folder):
    (folder / "fewer.txt").write_text("q1 0 a 1\nq9 0 a 1\n")
    out = run("compare", "lists.csv", "fewer.txt", "--methods", "Copeland")
    assert "33.3% of the ranked items judged" in out
    assert "1 queries without judgements" in out
    assert "1 judged queries without lists" in out


def test_compare_with_latex_prints_only_latex_and_comments(run):
    lines = run("compare", "--methods", "CombSUM", "Copeland", "--latex", "--times").splitlines()
    lines = [line for line in lines if not line.startswith("% ")]
    assert lines[0] == r"\begin{tabular}{lrrrr}"
    assert lines[1] == r"\toprule"
    assert lines[2] == r"Method & MAP & P@10 & nDCG@10 & time (ms) \\"
    assert lines[-2:] == [r"\bottomrule", r"\end{tabular}"]
    assert sum(r"\textbf{" in line for line in lines) >= 1
    assert all(line.endswith(r"\\") and line.count("&") == 4 for line in lines if line[0] != "\\")


def test_compare_plots_the_first_measure(run, folder):
    pytest.importorskip("matplotlib").use("Agg")
    run("compare", "lists.csv", "qrels.txt", "--methods", "BordaCount", "Copeland", "--plot", "map.png")
    assert (folder / "map.png").read_bytes()[:4] == b"\x89PNG"


def test_compare_accepts_a_file_for_each_voter_and_gzip(run, folder):
    (folder / "other.run.gz").write_bytes(gzip.compress(RUN.replace(" x\n", " other\n").encode()))
    out = run("compare", "good.run", "other.run.gz", "qrels.txt", "--methods", "CombSUM", "--metrics", "map")
    assert "2 voters" in out
    assert table(out)["CombSUM"][0] == "0.5417"


def test_compare_with_voter_file_names_voters_by_file(run, folder):
    (folder / "same.run").write_text(RUN)
    out = run("compare", "good.run", "same.run", "qrels.txt", "--voter", "file", "--methods", "CombSUM")
    assert "2 voters" in out


def test_exponential_gains_are_noted_only_for_graded_judgements(run, folder):
    (folder / "graded.txt").write_text(QRELS.replace("e 1", "e 2"))
    note = "Gains of DCG are exponential"
    assert note in run("compare", "lists.csv", "graded.txt", "--methods", "Copeland")
    assert note not in run("compare", "lists.csv", "qrels.txt", "--methods", "Copeland")
    assert note in run("evaluate", "good.run", "graded.txt")
    assert note not in run("evaluate", "good.run", "graded.txt", "--gain", "linear")


# ---------------------------------------------------------------------- aggregate


def test_aggregate_prints_the_consensus_as_csv(run):
    consensus = pd.read_csv(io.StringIO(run("aggregate", "lists.csv", "--method", "BordaCount")))
    assert_frame_equal(consensus, BordaCount().fit_transform(pd.read_csv("lists.csv")))


@pytest.mark.parametrize(
    "spelling", [["--method", "CombSUM[norm=rank]"], ["--method", "CombSUM", "--param", "norm=rank"]]
)
def test_aggregate_accepts_parameters_in_brackets_or_by_param(run, spelling):
    out = run("aggregate", "lists.csv", *spelling, "-o", "-")
    expected = CombSUM(norm="rank").fit_transform(pd.read_csv("lists.csv"))
    assert_frame_equal(pd.read_csv(io.StringIO(out)), expected)


def test_aggregate_accepts_a_dict_as_parameter(run):
    out = run("aggregate", "lists.csv", "--method", "CombSUM[norm=rank,voter_weights={'v': 1, 'w': 3}]")
    assert pd.read_csv(io.StringIO(out))["score"].tolist()[0] == 4.0


NAMES = ["consensus.csv", "consensus.run", "consensus.txt.gz", "consensus", "consensus.TSV.gz", "consensus.parquet"]


@pytest.mark.twice
@pytest.mark.parametrize("name", NAMES)
def test_evaluate_reads_the_output_of_aggregate(run, name):
    if name.endswith(".parquet"):
        pytest.importorskip("pyarrow")
    assert run("aggregate", "lists.csv", "--method", "Copeland", "-o", name) == ""
    is_trec = name.endswith((".run", ".txt.gz"))
    assert read_lists(name)["voter"].unique().tolist() == ["Copeland" if is_trec else "consensus"]
    assert table(run("evaluate", name, "qrels.txt", "--metrics", "map", "p@1", "p@2"))[name] == [
        "0.5417",
        "0.5000",
        "0.5000",
    ]


def read_table(name):
    if name.endswith(".parquet"):
        return pd.read_parquet(name)
    compression = "gzip" if name.lower().endswith(".gz") else None
    return pd.read_csv(name, sep="\t" if ".tsv" in name else ",", compression=compression)


TABLES = ["results.csv", "results.CSV.GZ", "results.tsv", "results.tsv.gz", "results.parquet", "results"]


@pytest.mark.sampled(1)
@pytest.mark.twice
@pytest.mark.parametrize("name", TABLES)
def test_results_are_written_in_the_format_of_the_file_name(run, name):
    if name.endswith(".parquet"):
        pytest.importorskip("pyarrow")
    several = ["--methods", "CombSUM[norm=borda]", "Copeland", "--metrics", "map", "p@1"]
    run("compare", "lists.csv", "qrels.txt", *several, "--out", name, "--per-query", f"per_query_{name}")
    results = read_table(name)
    assert results.columns.tolist() == ["method", "map", "p@1", "time"]
    assert set(results["method"]) == {"CombSUM[norm=borda]", "Copeland"}
    comparator = Comparator(
        [("CombSUM[norm=borda]", CombSUM(norm="borda")), ("Copeland", Copeland())],
        metrics=["map", "p@1"],
        qrels=read_qrels("qrels.txt"),
    ).fit(read_lists("lists.csv"))
    queries = read_table(f"per_query_{name}")
    assert_frame_equal(queries, comparator.per_query_.reset_index(), rtol=1e-15, check_dtype=False)
    run("evaluate", "good.run", "worse.run", "qrels.txt", "--metrics", "map", "--out", f"runs_{name}")
    table = read_table(f"runs_{name}")
    assert table.columns.tolist() == ["run", "map"] and table["run"].tolist() == ["good.run", "worse.run"]


OUTPUTS = [
    ("compare lists.csv qrels.txt --methods CombSUM --out", Comparator, "fit"),
    ("compare lists.csv qrels.txt --methods CombSUM --per-query", Comparator, "fit"),
    ("aggregate lists.csv --method CombSUM -o", CombSUM, "transform"),
    ("evaluate good.run qrels.txt --out", _evaluate_runs, "measure_runs"),
]


@pytest.mark.parametrize(("command", "owner", "work"), OUTPUTS, ids=["out", "per-query", "aggregate", "evaluate"])
@pytest.mark.parametrize("name", ["x.ods", "x.csv.zip", "x.parquet.gz", "sub.d/x.xlsx"])
def test_unknown_output_suffix_is_rejected_before_computing(fail, folder, monkeypatch, command, owner, work, name):
    (folder / "sub.d").mkdir()
    monkeypatch.setattr(owner, work, None)
    message = fail(*command.split(), name)
    assert f"cannot write '{name}': expected a name that ends in .csv" in message
    assert "each optionally followed by .gz, or in .parquet.\n" in message
    assert (".run" in message) == command.startswith("aggregate")
    assert not (folder / name).exists()


@pytest.mark.twice
@pytest.mark.parametrize(("command", "owner", "work"), OUTPUTS, ids=["out", "per-query", "aggregate", "evaluate"])
def test_parquet_output_without_pyarrow_is_rejected_before_computing(fail, folder, monkeypatch, command, owner, work):
    find_spec = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == "pyarrow" else find_spec(name))
    monkeypatch.setattr(owner, work, None)
    sentence = "Writing 'x.parquet' needs pyarrow for Parquet. Install it with pip install pyarrow, or use CSV."
    assert sentence in fail(*command.split(), "x.parquet")
    assert not (folder / "x.parquet").exists()


def test_compare_rejects_two_results_in_one_file(fail, folder):
    command = "compare lists.csv qrels.txt --methods CombSUM --out x.csv --per-query ./x.csv"
    assert "cannot write two results to 'x.csv': name another file" in fail(*command.split())
    assert not (folder / "x.csv").exists()


def test_aggregate_with_columns_reads_lists_without_a_header(run, folder):
    (folder / "bare.csv").write_text(LISTS.partition("\n")[2])
    bare = run("aggregate", "bare.csv", "--columns", "query,voter,item,rank", "--method", "Copeland")
    assert bare == run("aggregate", "lists.csv", "--method", "Copeland")


# ---------------------------------------------------------------------- evaluate


def test_evaluate_ranks_runs_by_the_first_measure(run):
    out = run("evaluate", "worse.run", "good.run", "qrels.txt", "--metrics", "map", "p@2", "recall@2")
    assert [line.split() for line in out.splitlines() if ".run" in line] == [
        ["good.run", "0.5417*", "0.5000*", "0.5000*"],
        ["worse.run", "0.1250", "0.2500", "0.2500"],
    ]


def test_evaluate_skips_queries_without_results_on_request(run):
    out = run("evaluate", "worse.run", "qrels.txt", "--metrics", "map", "--missing-queries", "skip")
    assert out.splitlines()[-1].split() == ["worse.run", "0.2500"]


def test_evaluate_with_per_query_shows_each_query(run):
    out = run("evaluate", "good.run", "qrels.txt", "--per-query", "--metrics", "map", "--out", "queries.csv")
    assert [line.split() for line in out.splitlines()[2:]] == [
        ["good.run", "q1", "0.8333"],
        ["good.run", "q2", "0.2500"],
    ]
    assert pd.read_csv("queries.csv")["map"].tolist() == pytest.approx([5 / 6, 1 / 4])


def test_evaluate_applies_conventions(run, folder):
    (folder / "graded.txt").write_text(QRELS.replace("q1 0 c 1", "q1 0 c 3"))
    arguments = ["evaluate", "good.run", "graded.txt", "--metrics", "dcg@3", "p@1"]
    # q1: gains 1 at the first place and of grade 3 at the third, discount 2; q2: grade 1 at the second.
    second = 1 / np.log2(3)
    exponential = (1 + (2**3 - 1) / 2 + second) / 2
    linear = (1 + 3 / 2 + second) / 2
    assert run(*arguments).splitlines()[2].split()[1] == f"{exponential:.4f}"
    commas = [
        "evaluate",
        "good.run",
        "graded.txt",
        "--metrics",
        "dcg@3[gain=linear,discount=log2],marp@1,2,11pt",
        "p@1",
    ]
    assert run(*commas).splitlines()[0].split()[1:] == ["dcg@3[gain=linear,discount=log2]", "marp@1,2", "11pt", "p@1"]
    assert run(*arguments, "--gain", "linear").splitlines()[2].split()[1] == f"{linear:.4f}"
    assert run(*arguments, "--relevance-threshold", "2").splitlines()[2].split()[2] == "0.0000"


def test_evaluate_rejects_runs_of_equal_names_unless_renamed(fail, run, folder):
    assert "the file 'good.run' is given twice" in fail("evaluate", "good.run", "worse.run", "good.run", "qrels.txt")
    (folder / "sub").mkdir()
    (folder / "sub" / "good.run").write_text(WORSE)
    message = "two runs have the name 'good.run'; give one of them another name: NAME=FILE."
    assert message in fail("evaluate", "good.run", "sub/good.run", "qrels.txt")
    out = run("evaluate", "good.run", "mine=sub/good.run", "qrels.txt", "--metrics", "map")
    assert [line.split()[0] for line in out.splitlines()[2:]] == ["good.run", "mine"]


# ---------------------------------------------------------------------- methods, measures, version and help


def test_methods_lists_every_aggregator_with_its_parameters(run):
    lines = run("methods").splitlines()
    assert [line.split()[0] for line in lines[::2]] == list(all_aggregators())
    assert any("norm='min-max'" in line for line in lines[1::2])


def test_measures_lists_every_measure(run):
    assert run("measures").split() == measure_names()


def test_version_option_prints_the_version_of_the_package(capsys):
    with pytest.raises(SystemExit) as stop:
        main(["--version"])
    assert stop.value.code == 0
    assert capsys.readouterr().out.strip() == f"skrankagg {__version__}"


@pytest.mark.parametrize("command", [[], ["compare"], ["aggregate"], ["evaluate"], ["methods"], ["measures"]])
def test_help_describes_commands_and_gives_examples(capsys, command):
    with pytest.raises(SystemExit) as stop:
        main([*command, "--help"])
    out = capsys.readouterr().out
    assert stop.value.code == 0
    if command not in (["methods"], ["measures"]):
        assert "examples:\n  skrankagg" in out
    if command and "examples" in out:
        assert "q1 Q0 d007 1 12.5 bm25" in out


# ---------------------------------------------------------------------- errors


@pytest.mark.parametrize(
    ("argv", "sentence"),
    [
        ("compare nope.csv qrels.txt", "cannot read 'nope.csv': No such file or directory."),
        ("aggregate . --method CombSUM", "All files must have the same columns"),
        ("aggregate qrels.txt --method CombSUM", "'qrels.txt'"),
        ("compare lists.csv lists.csv", "'lists.csv'"),
        ("compare lists.csv qrels.txt --methods Xyz", "'Xyz' is not a method; choose from "),
        ("compare --methods CombSUM lists.csv qrels.txt", "CombSUM needs scores"),
        ("compare --methods CombSUM CombSUM", "the method CombSUM is given twice."),
        (
            "compare --methods CombSUM[foo=1]",
            "CombSUM has no parameter 'foo'; it has absent_score, norm",
        ),
        ("compare --methods CombSUM[rank]", "a parameter of CombSUM must have the form NAME=VALUE; got 'rank'."),
        ("compare --methods CombSUM[norm=foo]", "The 'norm' parameter of CombSUM must be"),
        ("compare --methods CombSUM[norm=rank", "is not a method"),
        ("compare --metrics foo@10", "'foo@10' is not a measure; choose from "),
        ("compare --metrics p", "needs a cutoff"),
        ("compare --n-jobs 0", "n_jobs"),
        ("compare lists.csv qrels.txt --methods CombSUM[norm=min-max]", "needs scores"),
        (
            "aggregate lists.csv --method CombSUM",
            "choose a norm that uses ranks, --param norm=borda or --param norm=rank",
        ),
        ("compare --out nope/results.csv", "cannot write 'nope/results.csv': there is no folder 'nope'."),
        ("aggregate lists.csv --method CombSUM -o nope/out.csv", "there is no folder 'nope'."),
        ("evaluate lists.csv qrels.txt", "lists.csv: A run must have one list for each query; query 'q1' has 2"),
        ("evaluate good.run qrels.txt --relevance-threshold 0", "--relevance-threshold must be above 0"),
    ],
)
def test_invalid_arguments_give_a_one_sentence_error(fail, argv, sentence):
    assert sentence in fail(*argv.split())


def test_qrels_without_shared_ids_are_reported_with_examples(fail, folder, capsys):
    (folder / "other.txt").write_text("301 0 x 1\n")
    assert "they share no query id: the lists have 'q1', 'q2', and the qrels have '301'" in fail(
        "compare", "lists.csv", "other.txt"
    )
    # Other qrels are a wrong file for a comparison; runs that exist already are measured, with a warning.
    assert main(["evaluate", "good.run", "other.txt"]) == 0
    out, err = capsys.readouterr()
    assert table(out)["good.run"] == ["0.0000"] * 3
    assert (
        "The run 'good.run' contains no judged query: it has 'q1', 'q2', but the qrels judge '301'; it scores 0" in err
    )


def test_aggregate_names_a_broken_gzip_file(fail, folder):
    (folder / "cut.csv.gz").write_bytes(gzip.compress(LISTS.encode())[:40])
    assert "cut.csv.gz" in fail("aggregate", "cut.csv.gz", "--method", "CombSUM")


def test_aggregate_names_the_file_of_a_repeated_item(fail, folder):
    (folder / "twice.csv").write_text(LISTS + "q1,v,a,4\n")
    assert "twice.csv: Each list must contain each item only once" in fail(
        "aggregate", "twice.csv", "--method", "CombSUM"
    )


def test_compare_reports_missing_matplotlib_before_computing(fail, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    monkeypatch.setattr(Comparator, "fit", None)
    assert "Plots need matplotlib; install it with pip install 'skrankagg[plot]'." in fail("compare", "--plot", "a.png")


def test_compare_rejects_an_unknown_plot_format_before_computing(fail, monkeypatch):
    pytest.importorskip("matplotlib").use("Agg")
    monkeypatch.setattr(Comparator, "fit", None)
    message = fail("compare", "lists.csv", "qrels.txt", "--plot", "map.foo")
    assert "cannot write 'map.foo': expected a name that ends in ." in message and ".png, " in message


@pytest.mark.parametrize(
    "argv",
    [
        "compare lists.csv",
        "compare lists.csv qrels.txt --demo truth",
        "compare --demo foo",
        "compare --random-state -1",
        "aggregate lists.csv --param norm=rank",
        "aggregate lists.csv --method CombSUM[norm=rank] --param norm=rank",
        "evaluate good.run",
        "evaluate good.run qrels.txt --gain foo",
        "foo",
    ],
)
def test_invalid_usage_exits_with_2(folder, capsys, argv):
    with pytest.raises(SystemExit) as stop:
        main(argv.split())
    assert stop.value.code == 2
    assert capsys.readouterr().err.startswith("usage: skrankagg")


def test_command_line_without_command_shows_help_and_exits_with_2(capsys):
    assert main([]) == 2
    assert "compare" in capsys.readouterr().err


def test_warnings_are_printed_on_one_line(folder, capsys):
    (folder / "odd.csv").write_text("query,voter,item,rank,score\nq,v,a,1,1.0\nq,v,b,2,2.0\n")
    assert main(["aggregate", "odd.csv", "--method", "Copeland"]) == 0
    out, err = capsys.readouterr()
    assert out.startswith("query,item,score,rank\nq,a,")
    assert err.startswith("skrankagg: warning: Ranks and scores order the items differently in 1 of")
    assert err.count("\n") == 1


def test_equal_warnings_are_printed_once(capsys):
    with warnings_in_one_line({}, "FILES"):
        for text in ("Check the ids.", "Check\nthe ids.", "Check the ranks."):
            warnings.warn(text, UserWarning, stacklevel=1)
    assert capsys.readouterr().err == "skrankagg: warning: Check the ids.\nskrankagg: warning: Check the ranks.\n"


@pytest.mark.parametrize("command", ["compare --methods Copeland", "aggregate lists.csv --method Copeland"])
def test_internal_errors_are_raised_with_a_traceback(folder, monkeypatch, command):
    monkeypatch.setattr(Copeland, "_aggregate", lambda self, lists: np.zeros(2) + np.zeros(3))
    with pytest.raises(ValueError, match="broadcast"):
        main(command.split())


# ---------------------------------------------------------------------- as a program


def start(*argv, env=None, **options):
    return subprocess.Popen(
        [sys.executable, *argv],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=env or environment(),
        **options,
    )


@pytest.mark.exhaustive
def test_python_m_skrankagg_compare_runs_without_importing_matplotlib():
    process = start("-X", "importtime", "-m", "skrankagg", "compare", "--methods", "CombSUM", "Copeland")
    out, imported = process.communicate(timeout=100)
    assert process.returncode == 0
    assert "\nCombSUM " in out and "\nCopeland " in out
    assert " skrankagg.metrics\n" in imported
    assert "matplotlib" not in imported


@pytest.mark.exhaustive
def test_closing_the_output_pipe_early_is_not_an_error(folder):
    lists = make_ranked_lists(n_queries=80, random_state=0)[0]
    lists.to_csv("many.csv", index=False)
    process = start("-m", "skrankagg", "aggregate", "many.csv", "--method", "CombSUM", "-q", cwd=folder)
    assert process.stdout.readline() == "query,item,score,rank\n"
    process.stdout.close()
    assert process.stderr.read() == ""
    process.stderr.close()
    assert process.wait(timeout=100) == 0


@pytest.mark.skipif(sys.platform == "win32", reason="pipes without a reader give another error")
def test_output_to_a_pipe_without_a_reader_is_not_an_error():
    reader, writer = os.pipe()
    os.close(reader)
    command = [sys.executable, "-m", "skrankagg", "methods"]
    done = subprocess.run(command, stdout=writer, stderr=subprocess.PIPE, env=environment())
    os.close(writer)
    assert (done.returncode, done.stderr) == (0, b"")


def test_name_file_in_errors_leaves_errors_of_pipes_unchanged():
    error = BrokenPipeError("the reader stopped")
    with pytest.raises(BrokenPipeError) as found, name_file_in_errors("run.txt", "write"):
        raise error
    assert found.value is error
    message = r"cannot write 'run\.txt': the disk is full\."
    with pytest.raises(UserError, match=message), name_file_in_errors("run.txt", "write"):
        raise OSError("the disk is full")


@pytest.mark.exhaustive
def test_user_errors_are_recognised_without_installed_sources(folder, tmp_path_factory):
    root = tmp_path_factory.mktemp("compiled")
    package = Path(skrankagg.__file__).parent
    for path in package.rglob("*"):
        target = root / path.relative_to(package.parent)
        if path.suffix == ".py":
            py_compile.compile(str(path), str(target.with_suffix(".pyc")), doraise=True)
        elif path.suffix in {".so", ".pyd", ".pyi", ".json", ".txt"}:
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, target)
    command = "from skrankagg.__main__ import main; raise SystemExit(main())"
    env = environment(PYTHONPATH=str(root), PYTHONSAFEPATH="1")
    process = start("-c", command, "aggregate", "lists.csv", "--method", "CombSUM", "-q", cwd=folder, env=env)
    out, err = process.communicate(timeout=100)
    assert process.returncode == 1 and out == ""
    assert err.startswith("skrankagg: error: CombSUM needs scores") and err.count("\n") == 1
    located = start("-c", "import skrankagg; print(skrankagg.__file__)", cwd=folder, env=env)
    assert located.communicate(timeout=100)[0].strip() == str(root / "skrankagg" / "__init__.pyc")


def test_subprocesses_import_the_package_under_test(folder):
    out, _ = start("-c", "import skrankagg; print(skrankagg.__file__)", cwd=folder).communicate(timeout=100)
    assert out.strip() == skrankagg.__file__


def test_help_loads_neither_pandas_nor_scikit_learn():
    out, imported = start("-X", "importtime", "-m", "skrankagg", "--help").communicate(timeout=100)
    assert out.startswith("usage: skrankagg")
    assert "skrankagg._command_line._usage" in imported
    assert not {"pandas", "sklearn", "numpy"} & {line.rpartition("|")[2].strip() for line in imported.splitlines()}
