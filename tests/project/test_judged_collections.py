"""The benchmark on judged collections: its protocol, refusals and limits, and results that a later call keeps."""

import argparse
import json
import math
import os
import re
import signal
import statistics
import warnings
from pathlib import Path

import numpy as np
import pytest

from skrankagg import CombSUM, LearnedWeights, ReciprocalRankFusion
from skrankagg.base import BaseAggregator
from skrankagg.datasets import make_ranked_lists
from skrankagg.exceptions import InputError

ROOT = Path(__file__).resolve().parents[2]
# Newer Pythons warn of every fork of a process with threads.
pytestmark = pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")


@pytest.fixture(scope="module")
def script():
    """Import the benchmark."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(ROOT / "benchmarks"))
        import judged_collections as found

        yield found


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Write a collection of 12 queries and three runs; query q12 has no relevant item."""
    lists, qrels, _ = make_ranked_lists(
        n_queries=12, n_voters=3, n_items=30, list_length=15, quality_spread=1.0, random_state=0
    )
    last = lists["query"].unique()[-1]
    qrels.loc[qrels["query"] == last, "relevance"] = 0
    path = tmp_path_factory.mktemp("data") / "small"
    (path / "runs").mkdir(parents=True)
    for voter, rows in lists.groupby("voter"):
        lines = [f"{row.query} Q0 {row.item} {row.rank} {row.score!r} {voter}\n" for row in rows.itertuples()]
        (path / "runs" / f"input.{voter}").write_text("".join(lines), encoding="ascii")
    lines = [f"{row.query} 0 {row.item} {row.relevance}\n" for row in qrels.itertuples()]
    (path / "qrels.txt").write_text("".join(lines), encoding="ascii")
    return path


@pytest.fixture(scope="module")
def collection(script, folder):
    """Return the prepared collection, with lists cut at 10."""
    return script.prepare("small", *script.load_collection(folder), 10)


class Spoiled(BaseAggregator):
    """Do something else than aggregate."""

    def __init__(self, kind="refuse"):
        self.kind = kind

    def _aggregate(self, lists):
        if self.kind == "refuse":
            raise InputError("`lists` must be other lists; got these.")
        if self.kind == "fail":
            raise ZeroDivisionError("a defect")
        if self.kind == "exit":
            os._exit(7)
        if self.kind == "signal":
            os.kill(os.getpid(), signal.SIGXCPU)
        if self.kind == "warn":
            for _ in range(3):
                warnings.warn("said thrice", UserWarning, stacklevel=1)
        while self.kind == "slow":
            pass
        return CombSUM()._aggregate(lists)


def run(script, collection, *methods, limit=60.0, workers=2):
    entries = [script.Entry(method) for method in methods]
    return {entry.name: record for entry, record in script.run_all(entries, collection, limit, workers)}


# ---------------------------------------------------------------------- protocol


def test_difference_equals_a_plain_restatement(script):
    rng = np.random.default_rng(0)
    values, baseline = ([rng.random((7, 2)) for _ in range(4)] for _ in range(2))
    mean, error = script.difference(values, baseline)
    for k in range(2):
        by_draw = [[a[k] - b[k] for a, b in zip(*draw, strict=True)] for draw in zip(values, baseline, strict=True)]
        assert mean[k] == pytest.approx(statistics.mean(gain for gains in by_draw for gain in gains))
        assert error[k] == pytest.approx(statistics.mean(statistics.stdev(gains) / 7**0.5 for gains in by_draw))


def test_draws_divide_the_queries_and_repeat(script):
    plan = script.draws(12, 5)
    assert len(plan) == 20 and all(len(pairs) == 1 for pairs in plan)
    for ((train, test),) in plan:
        assert len(train) == 5 and sorted([*train, *test]) == list(range(12))
    assert len({tuple(train) for ((train, _),) in plan}) > 15
    for pairs, again, fewer in zip(plan, script.draws(12, 5), script.draws(12, 3), strict=True):
        assert np.array_equal(pairs[0][0], again[0][0])
        assert set(fewer[0][0]) < set(pairs[0][0])


@pytest.mark.parametrize("n_queries", [4, 12, 25])
def test_folds_measure_every_query_once_and_out_of_sample(script, n_queries):
    (pairs,) = script.folds(n_queries)
    assert len(pairs) == min(n_queries, 10)
    assert sorted(query for _, test in pairs for query in test) == list(range(n_queries))
    for train, test in pairs:
        assert sorted([*train, *test]) == list(range(n_queries))


def plain_values(run, grades):
    """Compute nDCG@10 with linear gains, and AP, of a query's items, best first."""

    def dcg(gains):
        return sum(gain / math.log2(place + 1) for place, gain in enumerate(gains[:10], 1))

    gains, found, precisions = [grades.get(item, 0) for item in run], 0, []
    for place, gain in enumerate(gains, 1):
        if gain > 0:
            found += 1
            precisions.append(found / place)
    n_relevant = sum(grade > 0 for grade in grades.values())
    best = dcg(sorted(grades.values(), reverse=True))
    return [100 * dcg(gains) / best, 100 * sum(precisions) / n_relevant]


def plain_measure(script, collection, method, n_train):
    """Compute values and errors by dicts and loops."""
    grades = {}
    for row in collection.qrels.to_frame().itertuples():
        grades.setdefault(row.query, {})[row.item] = row.relevance
    queries = collection.lists.queries.tolist()

    def measured(consensus):
        rows = consensus.sort_values(["query", "rank"]).groupby("query")["item"].agg(list)
        return {query: plain_values(items, grades[query]) for query, items in rows.items()}

    base, gains = measured(ReciprocalRankFusion().fit_transform(collection.lists)), []
    for draw in range(20):
        order = np.random.default_rng([0, draw]).permutation(len(queries))
        train, test = ([queries[k] for k in part] for part in (order[:n_train], order[n_train:]))
        fitted = method.fit(collection.lists.select(queries=train), qrels=collection.qrels)
        found = measured(fitted.transform(collection.lists.select(queries=test)))
        gains.append([[one - other for one, other in zip(found[q], base[q], strict=True)] for q in test])
    means = [statistics.mean(gain[k] for draw in gains for gain in draw) for k in range(2)]
    errors = [
        statistics.mean(statistics.stdev(gain[k] for gain in draw) / len(draw) ** 0.5 for draw in gains)
        for k in range(2)
    ]
    return means, errors


@pytest.mark.exhaustive
def test_measure_equals_a_plain_restatement_for_a_method_that_learns(script, collection):
    method = LearnedWeights(CombSUM())
    found = script.measure(script.Entry(method, 3), collection)
    means, errors = plain_measure(script, collection, LearnedWeights(CombSUM()), 3)
    assert found["differences"] == pytest.approx(means)
    assert found["errors"] == pytest.approx(errors)
    assert (found["n_draws"], found["n_queries"], found["n_voters"]) == (20, 11, 3)
    assert found["seconds"] > 0


def test_measure_for_all_other_queries_has_one_value_for_each_query(script, collection):
    found = script.measure(script.Entry(LearnedWeights(CombSUM()), "all"), collection)
    values = np.zeros((11, 2))
    for train, test in script.folds(11)[0]:
        lists = collection.lists
        fitted = LearnedWeights(CombSUM()).fit(lists[train], collection.qrels.align(lists[train]))
        values[test] = script.values_of(fitted.transform(lists[test]), collection.qrels, lists.queries[test])
    assert found["values"] == pytest.approx(values.mean(axis=0))
    assert found["n_draws"] == 1


def test_measure_of_the_baseline_gives_differences_of_0(script, collection):
    found = script.measure(script.Entry(ReciprocalRankFusion(k=60)), collection)
    assert found["differences"] == found["errors"] == [0.0, 0.0]


def test_shallow_keeps_the_judgements_of_the_first_items_of_all_voters(script, collection):
    lists, qrels = collection.lists[:2], collection.qrels
    judged = script.shallow(lists, qrels, 4).to_frame()
    frame = lists.to_frame()
    assert set(judged["query"]) == set(lists.queries)
    for query, rows in frame.groupby("query", observed=True):
        chosen = set(judged.loc[judged["query"] == query, "item"])
        firsts = set(rows.loc[rows["rank"] == 1, "item"])
        known = set(qrels.to_frame().query("query == @query")["item"])
        assert firsts & known <= chosen <= set(rows["item"]) and len(chosen) <= 4


def test_prepare_cuts_the_lists_and_keeps_queries_with_a_relevant_item(script, folder):
    lists, qrels = script.load_collection(folder)
    assert lists["query"].nunique() == 12
    found = script.prepare("small", lists, qrels, 10)
    assert found.lists.n_queries == len(found.baseline) == 11
    assert found.lists.to_frame().groupby(["query", "voter"], observed=True).size().unique().tolist() == [10]
    assert script.prepare("small", lists, qrels, 9).digest != found.digest
    assert script.prepare("small", lists.sample(frac=1, random_state=0), qrels, 10).digest == found.digest
    with pytest.raises(InputError, match="relevant item"):
        script.prepare("small", lists, qrels.assign(relevance=0), 10)


# ---------------------------------------------------------------------- folders


def test_load_collection_keeps_only_the_named_runs(script, folder):
    names = script.named_folders([f"{folder}:v1,v3", str(folder), f"{folder.parent}/sm*:v1"])
    assert list(names) == ["small-2", "small", "small-1"]
    lists, qrels = script.load_collection(*names["small-2"])
    assert set(lists["voter"]) == {"v1", "v3"}
    assert script.prepare("a", lists, qrels, 10).lists.n_voters == 2
    with pytest.raises(InputError, match="v9"):
        script.load_collection(folder, ["v1", "v9"])
    with pytest.raises(InputError, match="twice"):
        script.named_folders([str(folder), str(folder)])
    with pytest.raises(InputError, match="must be a folder"):
        script.named_folders([f"{folder}/nothing"])


def test_load_collection_reads_the_layout_of_mq2008(script, tmp_path):
    (tmp_path / "rank_agg.csv").write_text("10,1,a,3.0\n10,1,b,1.0\n10,2,b,2.0\n", encoding="ascii")
    (tmp_path / "rel_agg.csv").write_text("10,0,a,1\n10,0,b,0\n", encoding="ascii")
    lists, qrels = script.load_collection(tmp_path)
    assert lists[["item", "rank", "score"]].to_numpy().tolist() == [["a", 1, 3.0], ["b", 2, 1.0], ["b", 1, 2.0]]
    assert qrels["relevance"].tolist() == [1, 0]
    with pytest.raises(InputError, match="qrels"):
        script.load_collection(tmp_path.parent)


# ---------------------------------------------------------------------- refusals and limits


def test_run_all_records_refusals_and_failures(script, collection):
    kinds = ("refuse", "fail", "exit", "signal")
    found = run(script, collection, *(Spoiled(kind) for kind in kinds), CombSUM())
    refused, failed, ended, limited = (found[repr(Spoiled(kind))] for kind in kinds)
    measured = found["CombSUM()"]
    assert (refused["outcome"], refused["reason"]) == ("refused", "`lists` must be other lists; got these.")
    assert (failed["outcome"], failed["reason"]) == ("failed", "ZeroDivisionError: a defect")
    assert (ended["outcome"], ended["reason"]) == ("failed", "the process ended with code 7")
    assert limited == {"outcome": "limit"}
    assert measured["outcome"] == "measured" and measured["values"][0] > 0
    row = script.summarise([measured, refused, limited, limited])
    assert (row["n"], row["of"], row["others"]) == (1, 4, {"limit": 2, "refused": 1})


def test_outcome_of_records_too_few_queries_as_a_refusal(script, collection):
    found = script.outcome_of(script.Entry(LearnedWeights(), 10), collection)
    assert found["outcome"] == "refused" and "needs 12 queries" in found["reason"]


def test_run_all_counts_repeated_warnings(script, collection):
    found = run(script, collection, Spoiled("warn"))["Spoiled(kind='warn')"]
    assert found["warnings"] == {"UserWarning: said thrice": 3} and found["n_warnings"] == 3


@pytest.mark.exhaustive
def test_run_all_ends_only_the_method_that_exceeds_the_limit(script, collection):
    found = run(script, collection, Spoiled("slow"), CombSUM(), limit=1.0)
    assert found["Spoiled(kind='slow')"]["outcome"] == "limit"
    assert found["CombSUM()"]["outcome"] == "measured"


def test_run_all_ends_its_processes_when_interrupted(script, collection):
    entries = [script.Entry(CombSUM()), script.Entry(Spoiled("slow"))]
    started, task = [], script.Task

    class Watched(task):
        def __init__(self, *arguments):
            super().__init__(*arguments)
            started.append(self.process)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(script, "Task", Watched)
        running = script.run_all(entries, collection, 60.0, 2)
        assert next(running)[0].name == "CombSUM()"
        running.close()
    for process in started:
        process.join(timeout=10)
    assert [process.exitcode for process in started] == [0, -signal.SIGKILL]


# ---------------------------------------------------------------------- results


def gather(script, folder, path, methods, depth=10, limit=60.0):
    options = argparse.Namespace(results=path, depth=depth, limit=limit, workers=1)
    entries = [script.Entry(method) for method in methods]
    return script.gather(script.named_folders([str(folder)]), entries, options)


def test_gather_computes_only_missing_results(script, folder, tmp_path, monkeypatch, capsys):
    path, methods = tmp_path / "new" / "results.jsonl", [CombSUM(), Spoiled()]
    first = gather(script, folder, path, methods)["small"]
    assert first["CombSUM()"]["outcome"] == "measured" and first["Spoiled()"]["outcome"] == "refused"
    ran, run_all = [], script.run_all

    def recorded(todo, *arguments):
        ran.append([entry.name for entry in todo])
        return run_all(todo, *arguments)

    monkeypatch.setattr(script, "run_all", recorded)
    assert gather(script, folder, path, methods)["small"] == first
    gather(script, folder, path, [*methods, CombSUM(norm="rank")])
    gather(script, folder, path, methods[:1], depth=9)
    with monkeypatch.context() as patch:
        patch.setattr(script.sk, "__version__", "99.0")
        gather(script, folder, path, methods[:1])
    assert ran == [[], ["CombSUM(norm='rank')"], ["CombSUM()"], ["CombSUM()"]]
    assert len(path.read_text(encoding="utf-8").splitlines()) == 5


def test_append_repairs_an_interrupted_line(script, folder, tmp_path):
    path = tmp_path / "results.jsonl"
    gather(script, folder, path, [CombSUM()])
    whole = path.read_text(encoding="utf-8")
    path.write_text(whole + whole[:40], encoding="utf-8")
    assert len(script.read_results(path)) == 1
    gather(script, folder, path, [CombSUM(), CombSUM(norm="rank")])
    lines = path.read_text(encoding="utf-8").splitlines()
    assert [json.loads(line)["method"] for line in lines] == ["CombSUM()", "CombSUM(norm='rank')"]


def test_is_done_is_false_for_a_slow_method_with_a_larger_limit(script):
    slow = {"outcome": "limit", "limit": 60.0}
    assert script.is_done(slow, 60.0) and script.is_done(slow, 30.0) and not script.is_done(slow, 61.0)
    assert script.is_done({"outcome": "measured", "limit": 1.0}, 61.0) and not script.is_done(None, 1.0)


def test_version_depends_on_every_parameter_and_on_the_protocol(script):
    entry = script.Entry(LearnedWeights(), 3)
    others = [
        script.Entry(LearnedWeights(alpha=2.0), 3),
        script.Entry(LearnedWeights(), 5),
        script.Entry(LearnedWeights(), 3, 20),
    ]
    assert len({one.version(100) for one in [entry, *others]} | {entry.version(50)}) == 5
    assert script.Entry(LearnedWeights(), 3).version(100) == entry.version(100)


def test_names_of_rows_are_distinct_and_contain_every_method(script):
    from skrankagg.utils.discovery import all_aggregators

    names = [entry.name for entry in script.entries()]
    assert len(set(names)) == len(names)
    assert all(any(f"{one}(" in name for name in names) for one in all_aggregators())
    assert sum("queries" in name for name in names) > 20


# ---------------------------------------------------------------------- table


def record(gains, errors, values=(50.0, 40.0)):
    return {
        "outcome": "measured",
        "differences": gains,
        "errors": errors,
        "values": list(values),
        "seconds": 2.0,
        "memory": 2**20,
    }


def test_summarise_counts_differences_beyond_two_errors(script):
    gains = [[1.0, -1.0], [2.1, 0.0], [-3.0, -0.5], [0.0, 1.0]]
    errors = [[0.6, 0.4], [1.0, 0.0], [1.0, 1.0], [0.0, 0.2]]
    row = script.summarise([record(*pair) for pair in zip(gains, errors, strict=True)])
    assert row["wins"].tolist() == [1, 1] and row["losses"].tolist() == [1, 1]
    for k in range(2):
        column = [gain[k] for gain in gains]
        assert row["mean"][k] == pytest.approx(statistics.mean(column))
        assert row["error"][k] == pytest.approx(statistics.stdev(column) / 2)
        assert row["worst"][k] == min(column)
    assert (row["seconds"], row["memory"]) == (8.0, 2**20)


def test_tables_have_a_line_for_each_row(script, capsys):
    found = {
        "one": {"CombSUM()": record([1.0, 2.0], [0.1, 0.1]), "slow": {"outcome": "limit"}},
        "two": {"CombSUM()": record([-9.0, 2.0], [0.1, 0.1]), "slow": {"outcome": "refused", "reason": "no"}},
    }
    for records in found.values():
        records[None] = {"sizes": (3, 2, 9), "baseline": [49.0, 38.0]}
    rows = script.summaries(found, ["slow", "CombSUM()"])
    script.print_tables(found, rows)
    lines = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert lines[1] == ["one", "3", "2", "9", "49.00", "38.00"]
    middle = ["50.00", "-4.00", "±", "5.00", "-9.0", "1:1", "40.00", "+2.00", "±", "0.00", "+2.0", "2:0"]
    assert lines[5] == ["CombSUM()", *middle, "4.0", "1", "2"]
    assert lines[6] == ["slow", *["-"] * 10, "0,", "1", "limit,", "1", "refused"]
    assert script.plot_rows(rows) == ["CombSUM()"]


@pytest.mark.exhaustive
def test_plot_has_a_line_for_each_complete_row(script, tmp_path):
    pytest.importorskip("matplotlib")
    rows = {"CombSUM()": script.summarise([record([-9.0, 2.0], [0.1, 0.1])] * 2), "BordaCount()": {"n": 0, "of": 2}}
    script.plot(rows, tmp_path / "plot.svg")
    text = (tmp_path / "plot.svg").read_text(encoding="utf-8")
    assert "CombSUM()" in text and "BordaCount()" not in text


def test_write_page_replaces_the_text_between_the_markers(script, tmp_path, monkeypatch):
    page = tmp_path / "evidence.md"
    page.write_text("a\n<!-- judged collections -->\nold\n<!-- end of judged collections -->\nb\n", encoding="utf-8")
    monkeypatch.setattr(script, "PAGE", page)
    for _ in range(2):
        script.write_page("row  1\nrow  2")
        text = page.read_text(encoding="utf-8")
        assert text.count("row  2\n```\n<!-- end of judged collections -->\nb\n") == 1 and "old" not in text
    assert text.count(script.COMMAND) == 1
    assert script.BLOCK.search((ROOT / "docs" / "evidence.md").read_text(encoding="utf-8"))


# nDCG@10 of reciprocal rank fusion with k = 60, 30, 20 and of CombSUM, and MAP of the first, by another implementation.
REFERENCE = {
    "dl19-6": (73.6, 74.9, 74.7, 74.6, 54.4),
    "dl19-hyb": (66.4, 66.7, 66.8, 67.5, 45.7),
    "cov1-12": (69.8, 70.5, 70.8, 70.7, 39.9),
    "cov2-12": (69.4, 69.9, 69.0, 69.1, 35.7),
    "cov1-4": (32.3, 32.7, 32.0, 26.8, 14.0),
    "cov2-4": (59.5, 60.1, 60.2, 60.2, 26.9),
}


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", REFERENCE)
def test_values_equal_those_of_another_implementation(script, shared_data, name):
    found = script.prepare(name, *script.load_collection(shared_data / "collections" / name), 100)
    methods = [*(ReciprocalRankFusion(k=k) for k in (60, 30, 20)), CombSUM()]
    values = [script.measure(script.Entry(method), found)["values"] for method in methods]
    # Ties of reciprocal ranks are broken in another way.
    assert [*(one[0] for one in values), values[0][1]] == pytest.approx(REFERENCE[name], abs=0.15)


def test_printed_rows_are_those_of_the_table(script):
    """The rows of the printed table are the rows of the results, so the plot can be drawn again from the table."""
    rows = script.printed_rows(script.PAGE.read_text(encoding="utf-8"))
    assert len(rows) > 60 and rows["ReciprocalRankFusion()"]["mean"] == [0, 0]
    assert all(len(row["mean"]) == 2 and 0 < row["n"] <= row["of"] == 9 for row in rows.values())
    table = script.BLOCK.search(script.PAGE.read_text(encoding="utf-8"))[0]
    measured = [line for line in table.splitlines() if re.search(r" \d+:\d+ ", line)]
    assert len(rows) == len(measured)
    picture = script.PLOT.read_text(encoding="utf-8")
    assert all(f">{name}</text>" in picture for name in script.plot_rows(rows))
