"""tune, explain, intervals, baselines, supervised methods, and progress messages."""

import argparse
import io
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from processes import environment
from scipy import stats
from sklearn.model_selection import GridSearchCV

import skrankagg
from skrankagg import BordaCount, CombSUM, Comparator, PlackettLuce, Qrels, RankedLists, ReciprocalRankFusion
from skrankagg.__main__ import main
from skrankagg._command_line import _command_progress, _compare
from skrankagg._command_line._messages import UserError
from skrankagg._command_line._report import find_baseline
from skrankagg.aggregators import SlideFuse
from skrankagg.datasets import make_comparisons, make_ranked_lists, read_lists, read_qrels, write_qrels
from skrankagg.inspection import _planned_costs, rank_stability, voter_contributions
from skrankagg.metrics import make_ranking_scorer
from skrankagg.model_selection import QueryKFold, latex_table

ROOT = Path(skrankagg.__file__).resolve().parents[1]


@pytest.fixture(scope="module")
def data():
    frame, qrels, _ = make_ranked_lists(n_queries=24, n_voters=4, quality=0.4, quality_spread=1.0, random_state=1)
    return RankedLists.from_frame(frame), Qrels.from_frame(qrels)


@pytest.fixture
def folder(tmp_path, monkeypatch, data):
    monkeypatch.chdir(tmp_path)
    lists, qrels = data
    lists.to_frame().drop(columns="rank").to_csv("lists.csv", index=False)
    write_qrels(qrels, "qrels.txt")
    return tmp_path


def cells(out, label):
    """Return the cells of the rows of a printed table that begin with a label."""
    return [re.split(r" {2,}", line.strip()) for line in out.splitlines() if re.match(rf"{re.escape(label)}  ", line)]


# ---------------------------------------------------------------------- tune


def test_tune_measures_its_search_on_held_out_queries(run, data):
    lists, qrels = data
    command = "tune lists.csv qrels.txt --method ReciprocalRankFusion --param k=1,60 --cv 3 --metrics map"
    out = run(*command.split(), "--out", "tuned.csv")
    search = GridSearchCV(
        ReciprocalRankFusion(),
        {"k": [1, 60]},
        scoring=make_ranking_scorer("map"),
        cv=QueryKFold(3, shuffle=True, random_state=0),
    )
    outer = QueryKFold(3, shuffle=True, random_state=1)
    comparator = Comparator([("plain", ReciprocalRankFusion()), ("tuned", search)], metrics="map", cv=outer)
    comparator.fit(lists, qrels=qrels)
    written = pd.read_csv("tuned.csv", index_col="method")["map"]
    assert written.tolist() == pytest.approx(comparator.results_["map"].tolist(), rel=1e-12)
    best = comparator.named_aggregators_["tuned"].best_params_["k"]
    assert out.splitlines()[-1].endswith(f"aggregate lists.csv --method ReciprocalRankFusion --param k={best}")
    assert "2 points, by map on 3 folds" in " ".join(out.split())


@pytest.mark.exhaustive
@pytest.mark.parametrize(("step", "points"), [(".5", 10), (".05", 200)])
def test_tune_searches_weights_on_a_grid_or_randomly(run, folder, monkeypatch, step, points):
    if points == 200:
        monkeypatch.setattr("skrankagg._command_line._tune._MOST_WEIGHTS", points := 12)
    out = run(
        "tune", "lists.csv", "qrels.txt", "--method", "CombSUM", "--weights", step, "--cv", "2", "--metrics", "map"
    )
    assert f"weights of the voters: {points} points" in " ".join(out.split())
    params = out.splitlines()[-1].split(" --param ")[1]
    weights = dict(part.split(":") for part in params.removeprefix("voter_weights=").split(","))
    assert sorted(weights) == ["v1", "v2", "v3", "v4"]
    assert sum(map(float, weights.values())) == pytest.approx(1, abs=1e-3)
    # The printed parameters can be passed to aggregate.
    run("aggregate", "lists.csv", "--method", "CombSUM", "--param", params)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("--method ReciprocalRankFusion --param kk=1,2", "ReciprocalRankFusion has no parameter 'kk'"),
        ("--method CombSUM --param norm=min-max,wrong", "norm"),
        ("--method Agglomerative --weights", "Agglomerative cannot weigh lists; leave out --weights."),
        ("--method CombSUM --param norm=", "the parameter norm has no values"),
        (
            "--method CombSUM --param norm=max,sum --cv 20",
            "24 judged queries are too few for 20 outer and 20 inner folds",
        ),
        ("--method CombSUM --param voter_weights=v1:1 --weights", "by --weights or by --param voter_weights"),
    ],
)
def test_tune_rejects_invalid_searches(fail, options, message):
    assert message in fail("tune", "lists.csv", "qrels.txt", *options.split())


def test_tune_without_parameters_is_invalid_usage(folder, capsys):
    with pytest.raises(SystemExit):
        main(["tune", "lists.csv", "qrels.txt", "--method", "CombSUM"])
    assert "choose what to search: --param k=10,30,60 or --weights" in capsys.readouterr().err


# ---------------------------------------------------------------------- explain, intervals


def test_explain_prints_the_contributions_to_the_score(run, data):
    lists, _ = data
    query = lists.queries[0]
    out = run("explain", "lists.csv", "--method", "BordaCount", "--query", query, "--top", "3")
    shares = voter_contributions(BordaCount(), lists.take([0])).set_index(["item", "voter"])["contribution"]
    consensus = BordaCount().transform(lists.take([0])).head(3)
    for row in consensus.itertuples():
        [(_, rank, score, *added)] = cells(out, row.item)
        assert (int(rank), float(score)) == (row.rank, pytest.approx(row.score, rel=1e-5))
        assert [float(one) for one in added] == pytest.approx(shares[row.item].sort_index().tolist(), rel=1e-5)
    one = run("explain", "lists.csv", "--method", "BordaCount", "--query", query, "--item", consensus["item"].iloc[1])
    assert one.startswith(f"{consensus['item'].iloc[1]} is 2 of ")


def test_explain_prints_places_and_influence_for_other_methods(run, data):
    query = data[0].queries[0]
    out = run("explain", "lists.csv", "--method", "Schulze", "--query", query)
    assert "the place of each item in each list" in out
    assert "The scores of Schulze are not sums over the lists. Changes if one list is left out:" in out
    assert len(cells(out, "v1")) == 1
    lists, item = data[0].take([0]).to_frame(), data[0].items[0]
    one = run("explain", "lists.csv", "--method", "Schulze", "--query", query, "--item", item)
    assert "adds" not in one  # there are no contributions, only ranks and scores
    ranks = lists[lists["item"] == item].set_index("voter")["rank"]
    assert ranks.size
    for voter, rank in ranks.items():
        assert float(cells(one, voter)[0][1]) == rank


def test_explain_rejects_unknown_queries_and_items(fail):
    assert "there are 24 queries; choose one of them, for example with --query q01." in fail(
        "explain", "lists.csv", "--method", "BordaCount"
    )
    command = ("explain", "lists.csv", "--method", "BordaCount", "--query")
    assert "there is no query 'q99'" in fail(*command, "q99")
    assert "query 'q01' has no item 'nothing'" in fail(*command, "q01", "--item", "nothing")


@pytest.mark.exhaustive
def test_aggregate_with_intervals_equals_rank_stability(run, data):
    command = "aggregate lists.csv --method BordaCount --intervals --draws 50 --random-state 3"
    assert main(command.split()) == 0  # warns of so few lists
    out = subprocess.run(
        [sys.executable, "-m", "skrankagg", *command.split()],
        capture_output=True,
        text=True,
        env=environment(),
        check=True,
    ).stdout
    with pytest.warns(UserWarning, match="fewer than 5 lists"):
        expected = rank_stability(BordaCount(), data[0], n_resamples=50, random_state=3, adjust="max-t")
    found = pd.read_csv(io.StringIO(out))
    assert found.columns.tolist() == expected.columns.tolist()
    np.testing.assert_allclose(found["rank_low"], expected["rank_low"].astype(float))


def test_aggregate_prints_ratings_with_intervals_as_a_table(run, folder):
    made = make_comparisons(n_items=5, n_comparisons=400, n_voters=9, random_state=1).comparisons
    made.to_csv(folder / "battles.csv", index=False)
    command = ["aggregate", "battles.csv", "--groups", "judge", "--intervals", "--unit", "judge", "--to", "text"]
    out = run(*command, "--method", "PlackettLuce", "--param", "scale=elo", "--draws", "99")
    duels = RankedLists.from_comparisons(made, voter="judge")
    board = rank_stability(PlackettLuce(scale="elo"), duels, unit="judge", n_resamples=99, adjust="max-t")
    for row in board.itertuples():
        [(_, rank, score, error, places, first, p, gap)] = cells(out, row.item)
        assert (int(rank), places) == (row.rank, f"{row.rank_low}-{row.rank_high}")
        assert [float(score), float(error)] == pytest.approx([row.score, row.score_se], abs=0.51)
        assert first == f"{row.top_1:.2f}"
        assert (p, gap) == (
            ("-", "-") if row.rank == 5 else (f"{row.p_next:.3f}", "yes" if row.separated_next else "no")
        )
    assert "99 draws of judge" in out and max(map(len, out.splitlines()[3:])) < 80
    # A method without the tests has no columns for them.
    out = run(
        "aggregate", "battles.csv", "--method", "Kemeny[absent=ignore]", "--intervals", "--to", "text", "--draws", "9"
    )
    assert "p next" not in out and len(cells(out, board["item"][0])[0]) == 6


def test_aggregate_with_intervals_writes_no_text_to_a_file(fail):
    command = ("aggregate", "lists.csv", "--method", "BordaCount", "--intervals", "--to", "text", "-o", "board.txt")
    assert "--intervals adds columns that text cannot store" in fail(*command)


def test_aggregate_with_intervals_rejects_json(fail):
    command = ("aggregate", "lists.csv", "--method", "BordaCount", "--intervals", "--to", "json")
    assert "--intervals adds columns that json cannot store" in fail(*command)


# ---------------------------------------------------------------------- methods that learn, baselines, voters


def test_aggregate_passes_qrels_to_supervised_methods(run, fail, data):
    out = run("aggregate", "lists.csv", "--method", "SlideFuse", "--qrels", "qrels.txt")
    lists, qrels = data
    expected = SlideFuse(qrels=qrels).fit_transform(lists)
    assert pd.read_csv(io.StringIO(out))["item"].tolist() == expected["item"].tolist()
    assert "SlideFuse learns from judgements; pass them: --qrels FILE." in fail(
        "aggregate", "lists.csv", "--method", "SlideFuse"
    )
    assert "CombSUM does not learn from judgements; leave out --qrels." in fail(
        "aggregate", "lists.csv", "--method", "CombSUM", "--qrels", "qrels.txt"
    )


def test_compare_with_cv_measures_supervised_methods_on_folds(run, fail, data):
    lists, qrels = data
    command = ("compare", "lists.csv", "qrels.txt", "--methods", "SlideFuse", "BordaCount", "--metrics", "map")
    out = run(*command, "--cv", "3")
    comparator = Comparator([("s", SlideFuse()), ("b", BordaCount())], metrics="map", cv=3).fit(lists, qrels=qrels)
    assert cells(out, "SlideFuse")[0][1].strip("*") == f"{comparator.results_.loc['s', 'map']:.4f}"
    assert "measured on held-out queries, in 3 folds" in out
    message = fail(*command)
    assert "--cv" in message and "cv=" not in message


def test_compare_with_baseline_tests_every_row(run, fail, data):
    lists, qrels = data
    command = (
        "compare",
        "lists.csv",
        "qrels.txt",
        "--methods",
        "BordaCount",
        "CombSUM",
        "--metrics",
        "map",
        "--voters",
    )
    out = run(*command, "--baseline", "v1")
    methods = [("BordaCount", BordaCount()), ("CombSUM", skrankagg.CombSUM())]
    found = Comparator(methods, metrics="map", with_voters=True).fit(lists, qrels=qrels).compare(baseline="v1")
    for name in ("BordaCount", "CombSUM", "v2", "v3", "v4"):
        row = cells(out, name)[1]
        assert row[1:3] == [f"{found.loc[name, 'mean']:.4f}", f"{found.loc[name, 'difference']:+.4f}"]
        assert row[3] == f"{found.loc[name, 'low']:+.4f} to {found.loc[name, 'high']:+.4f}"
        p = found.loc[name, "adjusted"]
        assert row[-1] == ("<.0001" if p < 0.0001 else f"{p:.4f}")
    assert cells(out, "v2")[1][-1] == "<.0001"
    message = fail(*command, "--baseline", "v9")
    assert "there is no row 'v9' to compare with; the rows are BordaCount, CombSUM, v1, v2, v3, v4." in message


def test_baseline_names_a_voter_that_has_no_row(fail):
    command = ("compare", "lists.csv", "qrels.txt", "--methods", "BordaCount", "--baseline", "v2")
    hint = "to compare with; the rows are BordaCount. The option --voters adds rows for the voters."
    assert f"no row 'v2' {hint}" in fail(*command)
    assert f"no row 'best voter' {hint}" in fail(*command[:-1], "best voter")
    assert "--voters adds" not in fail(*command[:-1], "v9")


def test_a_missing_baseline_lists_at_most_thirty_rows():
    with pytest.raises(UserError, match=r"'x' to compare with; the rows are r0, .*, r29 and 5 more\.$"):
        find_baseline("x", [f"r{k}" for k in range(35)])
    assert find_baseline("R7", ["r7", "best"]) == "r7" and find_baseline("best", ["best"], ["best"]) == "best"


def test_rows_methods_leaves_voters_out_of_the_correction(run, fail, data):
    lists, qrels = data
    names = ["BordaCount", "CombSUM", "CombMNZ"]
    command = ("compare", "lists.csv", "qrels.txt", "--methods", *names, "--metrics", "map", "--voters")
    out = run(*command, "--baseline", "best-voter", "--rows", "methods")
    methods = [(name, getattr(skrankagg, name)()) for name in names]
    table = Comparator(methods, metrics="map", with_voters=True).fit(lists, qrels=qrels).per_query_["map"].unstack(0)
    best = max(["v1", "v2", "v3", "v4"], key=lambda voter: table[voter].mean())
    assert f"Difference from {best} " in out and "chosen and tested on the same queries" in out
    raw = [stats.ttest_rel(table[name], table[best]).pvalue for name in names]
    order = np.argsort(raw)
    holm = np.empty(3)
    holm[order] = np.maximum.accumulate(np.sort(raw) * [3, 2, 1]).clip(max=1)
    for name, p in zip(names, holm, strict=True):
        assert cells(out, name)[1][-1] == ("<.0001" if p < 0.0001 else f"{p:.4f}")
    assert len(cells(out, "v1")) == 1  # only the row of the first table
    assert "--rows only works together with --baseline" in fail(*command, "--rows", "methods")
    assert "--times only works together with --latex" in fail(*command, "--times")


def test_latex_is_the_same_in_python_and_at_a_terminal(run, data):
    lists, qrels = data
    command = ("compare", "lists.csv", "qrels.txt", "--methods", "CombSUM", "BordaCount", "--metrics", "map", "p@10")
    methods = [("CombSUM", skrankagg.CombSUM()), ("BordaCount", BordaCount())]
    comparator = Comparator(methods, metrics=["map", "p@10"], with_voters=True).fit(lists, qrels=qrels)

    def tabular(*options):
        lines = run(*command, *options, "--latex").splitlines(keepends=True)
        return "".join(line for line in lines if not line.startswith("% "))

    assert tabular("--voters") == f"{comparator.latex_table()}\n"
    for rows in ("all", "methods"):
        text = comparator.latex_table(baseline="best voter", rows=rows)
        assert tabular("--voters", "--baseline", "best voter", "--rows", rows) == f"{text}\n"
    alone = Comparator(methods, metrics=["map", "p@10"]).fit(lists, qrels=qrels)
    assert tabular("--baseline", "bordacount") == f"{alone.latex_table(baseline='BordaCount')}\n"
    assert "best single voter" not in tabular()


def test_three_runs_become_a_latex_table_with_tests_against_the_best_run(run):
    names = ["BordaCount.run", "CombMNZ.run", "Copeland.run"]
    for name in names:
        run("aggregate", "lists.csv", "--method", name.removesuffix(".run"), "-o", name)
    command = ("evaluate", *names, "qrels.txt", "--metrics", "MAP", "nDCG@10", "P@10", "--baseline", "best", "--latex")
    lines = [line for line in run(*command).splitlines() if not line.startswith("% ")]
    runs = {name: read_lists(name) for name in names}
    metrics = ["MAP", "nDCG@10", "P@10"]
    # These two calls are all that Python needs.
    per_query = skrankagg.evaluate(runs, read_qrels("qrels.txt"), metrics, per_query=True)
    assert "\n".join(lines) == latex_table(per_query, baseline="best")
    table = per_query["MAP"].unstack(0)
    best = table.mean().idxmax()
    assert lines[2] == r"Run & MAP & nDCG@10 & P@10 \\"
    assert rf"than {best}" in lines[-1] or rf"from {best}" in lines[-1]
    assert "(paired $t$-test over 24 queries; corrected by Holm's method for 2 comparisons" in lines[-1]
    others = [name for name in names if name != best]
    raw = sorted((stats.ttest_rel(table[name], table[best]).pvalue, name) for name in others)
    found = [raw[0][1]] if 2 * raw[0][0] < 0.05 else []
    found += [raw[1][1]] if found and raw[1][0] < 0.05 else []
    for name in names:
        [row] = [line for line in lines if line.startswith(name)]
        assert row.split(" & ")[1].startswith(r"\textbf{" * (name == best) + f"{table[name].mean():.4f}")
        assert row.split(" & ")[1].endswith("$^{-}$") == (name in found)


def test_evaluate_with_baseline_tests_the_other_runs(run):
    for method in ("BordaCount", "CombMNZ"):
        run("aggregate", "lists.csv", "--method", method, "-o", f"{method}.run")
    out = run("evaluate", "BordaCount.run", "CombMNZ.run", "qrels.txt", "--baseline", "CombMNZ.run", "--metrics", "map")
    assert "Difference from CombMNZ.run (map " in out and len(cells(out, "BordaCount.run")) == 2
    values = {name: float(cells(out, name)[0][1].strip("*")) for name in ("BordaCount.run", "CombMNZ.run")}
    best = run("evaluate", "BordaCount.run", "CombMNZ.run", "qrels.txt", "--baseline", "best", "--metrics", "map")
    assert f"Difference from {max(values, key=values.get)} (map " in best
    assert "The baseline was chosen and tested on the same queries" in best
    plain = run("evaluate", "BordaCount.run", "CombMNZ.run", "qrels.txt", "--metrics", "map", "--latex")
    assert all(f"{value:.4f}" in plain for value in values.values()) and plain.count("textbf{") == 1
    assert "footnotesize" not in plain and plain.splitlines()[-1] == r"\end{tabular}"


def test_compare_shows_conventions_in_the_names_of_measures(run):
    command = ("compare", "lists.csv", "qrels.txt", "--methods", "BordaCount", "--metrics", "ndcg@10")
    out = run(*command, "--gain", "linear", "--ties", "trec_eval")
    assert "ndcg@10[gain=linear,ties=trec_eval]" in out and "trec_eval orders them" not in out
    tied = run("compare", "lists.csv", "qrels.txt", "--methods", "Copeland", "--metrics", "map")
    assert "--ties trec_eval." in " ".join(tied.split())


# ---------------------------------------------------------------------- progress


@pytest.fixture
def hasty(monkeypatch):
    for name, value in (("_PATIENCE", 0.02), ("_BLINK", 0.02), ("_PAUSE", 0.1)):
        monkeypatch.setattr(_command_progress, name, value)


def wait_for(condition):
    for _ in range(500):
        if condition():
            return
        time.sleep(0.01)
    raise AssertionError("it did not happen")


@pytest.mark.parametrize("terminal", [False, True])
def test_progress_reports_long_work(hasty, monkeypatch, terminal):
    stream = io.StringIO()
    stream.isatty = lambda: terminal
    monkeypatch.setattr(sys, "stderr", stream)
    with _command_progress.Progress(quiet=False) as progress:
        progress.say("reading lists")
        wait_for(lambda: "reading lists" in stream.getvalue())
        step = progress.counter("methods", 3)
        wait_for(lambda: "methods: 0 of 3" in stream.getvalue())
        step("one")
        step("two")
        wait_for(lambda: "methods: 2 of 3" in stream.getvalue())
    told = stream.getvalue()
    assert re.search(r"skrankagg: methods: 2 of 3, \d+ s", told)
    assert told.endswith("\r") if terminal else (told.endswith(" s\n") and "\r" not in told)


def test_progress_prints_nothing_for_quick_or_quiet_work(hasty, monkeypatch, capsys):
    with _command_progress.Progress(quiet=True) as progress:
        progress.say("reading lists")
        time.sleep(0.1)
    monkeypatch.setattr(_command_progress, "_PATIENCE", 10)
    with _command_progress.Progress(quiet=False) as progress:
        progress.say("reading lists")
    assert capsys.readouterr().err == ""


class _Ticks:
    """Stand-in for the event that ends the progress; it sets the clock and the text before each check."""

    def __init__(self, progress, ticks, monkeypatch):
        self.progress, self.ticks, self.now = progress, iter(ticks), 0.0
        monkeypatch.setattr(_command_progress.time, "monotonic", lambda: self.now)

    def wait(self, seconds):
        self.now, self.progress.text = next(self.ticks, (None, None))
        return self.now is None


def test_progress_writes_a_line_to_a_log_after_two_seconds_or_ten(monkeypatch, capsys):
    progress = _command_progress.Progress(quiet=False)
    progress.terminal, progress._begin = False, 0.0
    ticks = [(1.5, ""), (2.0, "one"), (2.5, "one"), (3.5, "two"), (4.0, "two"), (13.5, "two"), (14.0, "two")]
    progress._end = _Ticks(progress, ticks, monkeypatch)
    progress._run()
    # A new text waits until two seconds after the last line; an old text is repeated after ten seconds.
    assert capsys.readouterr().err == "skrankagg: one, 2 s\nskrankagg: two, 4 s\nskrankagg: two, 14 s\n"


def test_compare_with_methods_all_estimates_its_time(folder, capsys, monkeypatch, patience):
    few = ["BordaCount", "Copeland", "CombSUM"]
    fitting = _compare.fitting_methods
    monkeypatch.setattr(
        _compare, "fitting_methods", lambda lists, names: fitting(lists, few if names is None else names)
    )
    assert main(["compare", "lists.csv", "qrels.txt", "--methods", "all"]) == 0
    assert re.fullmatch(r"skrankagg: 3 methods on 24 queries, about \d+ seconds\n", capsys.readouterr().err)
    assert main(["compare", "lists.csv", "qrels.txt", "--methods", "all", "--quiet"]) == 0
    assert capsys.readouterr().err == ""


def test_compare_estimates_its_time_although_a_method_fails(data, capsys):
    frame = data[0].to_frame().drop(columns="rank")
    lists = RankedLists.from_frame(frame.assign(score=frame["score"] - frame["score"].max() - 1))
    failing = CombSUM(norm="max")
    with pytest.raises(ValueError, match="score"):
        failing.transform(lists)
    methods = [("CombSUM", failing), ("BordaCount", BordaCount())]
    progress = _command_progress.Progress(quiet=True)
    _compare._tell_how_long(methods, lists, argparse.Namespace(quiet=False), progress)
    assert re.fullmatch(r"skrankagg: 2 methods on 24 queries, about \d+ seconds\n", capsys.readouterr().err)


@pytest.mark.parametrize("most", [3, 4])
def test_compare_leaves_out_single_voters_if_they_are_many(run, monkeypatch, most):
    monkeypatch.setattr(_compare, "_MAX_SINGLE_VOTERS", most)
    out = run("compare", "lists.csv", "qrels.txt", "--methods", "BordaCount", "--metrics", "map")
    assert len(cells(out, "BordaCount")) == 1
    # There are four voters.
    assert ("(best single voter, " in out) == ("Single voters are not methods." in out) == (most == 4)


@pytest.mark.exhaustive
@pytest.mark.skipif(sys.platform == "win32", reason="signals differ")
def test_interruption_exits_with_130_without_a_traceback(folder):
    process = subprocess.Popen(
        [sys.executable, "-m", "skrankagg", "aggregate", "-", "--method", "BordaCount"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(),
    )
    process.stderr.read(9)  # it says that it reads, once it has begun
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=100)
    assert process.returncode == 130 and out == b"" and b"Traceback" not in err


@pytest.mark.parametrize("command", ["methods", "measures", "--version"])
def test_names_are_listed_without_importing_libraries(command):
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "skrankagg", command],
        capture_output=True,
        text=True,
        env=environment(),
    )
    loaded = {line.rpartition("|")[2].strip() for line in done.stderr.splitlines()}
    assert done.returncode == 0 and not {"pandas", "sklearn", "numpy", "scipy"} & loaded


# ---------------------------------------------------------------------- expected costs


def test_compare_skips_slow_methods_and_keeps_their_rows(folder, monkeypatch, capsys):
    monkeypatch.setattr(
        _planned_costs, "estimate", lambda method, sizes: _Cost(90.0 if type(method).__name__ == "Copeland" else 0.1)
    )
    command = "compare lists.csv qrels.txt --methods BordaCount Copeland --metrics map --skip-slower-than 60"
    assert main([*command.split(), "--out", "results.csv"]) == 0
    out, err = capsys.readouterr()
    assert "the row of Copeland is empty because it is skipped, because about 1.5 minutes are expected" in err
    assert "--skip-slower-than 60" in err
    [row] = cells(out, "Copeland")
    assert row[1:] == ["-", "-"]
    results = pd.read_csv("results.csv", index_col="method")
    assert results.loc["BordaCount", "map"] > 0
    assert results.loc["Copeland", ["map", "time"]].isna().all()
    assert results.loc["Copeland", "reason"].startswith("skipped, because about 1.5 minutes are expected")


def test_compare_warns_of_a_long_comparison_in_words_of_the_command_line(folder, monkeypatch, capsys):
    monkeypatch.setattr(_planned_costs, "_QUICK_ROWS", 0)
    monkeypatch.setattr(_planned_costs, "estimate", lambda method, sizes: _Cost(6_000.0))
    command = "compare lists.csv qrels.txt --methods BordaCount Copeland --metrics map"
    assert main(command.split()) == 0
    err = capsys.readouterr().err
    assert "skrankagg: warning: The comparison will take about 3.3 hours for 24 queries of up to 4 lists and" in err
    assert "or pass --skip-slower-than 10, which skips methods that take more than 10 seconds.\n" in err
    assert "simplefilter" not in err


@pytest.mark.parametrize("seconds", ["0", "-1", "nan", "inf", "soon"])
def test_skip_slower_than_must_be_above_0(seconds, folder, capsys):
    with pytest.raises(SystemExit):
        main(["compare", "lists.csv", "qrels.txt", "--skip-slower-than", seconds])
    assert "must be a number of seconds above 0" in capsys.readouterr().err


class _Cost:
    def __init__(self, seconds):
        self.seconds = seconds
