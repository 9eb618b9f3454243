"""The page of performance: tables are newer than their scripts, and have the rows that the scripts print."""

import gc
import importlib
import json
import re
import shlex
import sys
import warnings

import pandas as pd
import performance_page as page_tool
import pytest
from generated import readme
from performance_page import Comparison, read_blocks, read_comparisons, write_block

from skrankagg.exceptions import PartialListsWarning
from skrankagg.utils.discovery import all_aggregators

TEXT = page_tool.PAGE.read_text(encoding="utf-8")
BLOCKS = read_blocks(TEXT)
#: By the script and its part: options that make a command quick, and whether that still takes seconds.
SMALL = {
    "environment.py": ("", False),
    "methods.py table": ("--sizes 2 3 5 --repeat 1 --timeout 0", False),
    "methods.py wide": ("--sizes 1 3 5 --repeat 1 --timeout 0", True),
    "methods.py large": ("--sizes 1 3 6", True),
    "methods.py kemeny": ("--timeout 0", True),
    "from_files.py flagr": ("--sizes 2 3 5 --repeat 1 --timeout 0", True),
    "from_files.py readers": ("--sizes 3 2 5 --repeat 1", False),
    "ranx_fusion.py warm": ("--sizes 3 2 10 --without-ranx", False),
    "ranx_fusion.py cold": ("--without-ranx", True),
    "evaluation.py small": ("--queries 3 --repeat 1", False),
    "evaluation.py many": ("--queries 3 --repeat 1", False),
    "fuse.py --rounds": ("--rounds 1", True),
    "fuse.py start": ("--rounds 1", True),
    "ways_in.py": ("--rows 500 --repeat 1", True),
    "encoding.py": ("--queries 3 --voters 2 --length 5 --repeat 1", False),
    "cross_validation.py": ("--queries 10 --voters 2 --length 5 --repeat 1", True),
    "kemeny.py mallows": ("--scale 20", False),
    "kemeny.py heuristics": ("--scale 5", True),
    "arena.py": ("--repeat 1 --scale 20 --resamples 3", True),
    "arena_peers.py": ("--repeat 1 --scale 2", True),
    "memory_limit.py pairs": ("--pairs 20 30", True),
}
#: Commands whose rows are tested otherwise: by the methods, by the comparisons, or without a small size.
ELSEWHERE = ("memory_limit.py limit", "summary.py", "pyflagr_notebook.py")


def script_of(command):
    """Return the name of the script that measures, and its arguments."""
    words = shlex.split(command)
    k = max(k for k, word in enumerate(words) if word.endswith(".py"))
    return words[k].removeprefix("benchmarks/"), words[k + 1 :]


def printed(command, options, monkeypatch, capsys):
    """Run a command's script in this process, with further options, and return the tables that it prints."""
    name, arguments = script_of(command)
    script = importlib.import_module(name.removesuffix(".py"))
    monkeypatch.setattr(sys, "argv", [name, *(one for one in arguments if "$" not in one), *shlex.split(options)])
    if name == "arena_peers.py":
        monkeypatch.setattr(script, "installed", lambda library: False)
    gc.freeze()  # the scripts collect garbage before each call, which takes long after many other tests
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", PartialListsWarning)  # the lists are random
            script.main()
    finally:
        gc.unfreeze()
    return page_tool.read_tables(capsys.readouterr().out)


def part_of(command):
    return next((part for part in SMALL if part in command), None)


def cases():
    for block in BLOCKS:
        part = part_of(block.command)
        if part is None:
            continue
        slow = [pytest.mark.exhaustive] if SMALL[part][1] else []
        yield pytest.param(block, SMALL[part][0], marks=slow, id=part)


def test_every_console_block_of_the_page_has_a_known_form():
    assert len(BLOCKS) == TEXT.count("```console\n") > 15
    assert all(block.measured or block.note == page_tool.NOT_MEASURED for block in BLOCKS)
    for block in BLOCKS:
        assert page_tool.scripts_of(block.command), block.command
        assert part_of(block.command) or any(part in block.command for part in ELSEWHERE), block.command


@pytest.mark.parametrize("block", BLOCKS, ids=lambda block: block.command.replace("benchmarks/", ""))
def test_no_table_is_older_than_its_script(block):
    if block.measured is None:
        pytest.skip("not measured yet; run benchmarks/write_page.py on an idle machine")
    assert block.output
    assert block.measured["digest"] == page_tool.digest_of(block.command), (
        f"The scripts of `{block.command}` have changed after the table was measured. "
        "Run benchmarks/write_page.py on an idle machine."
    )


needs_pandas_3 = pytest.mark.skipif(pd.__version__ < "3", reason="the benchmarks measure the texts of pandas 3")


@needs_pandas_3
@pytest.mark.parametrize(("block", "options"), list(cases()))
def test_rows_of_a_table_are_the_rows_of_a_small_run(block, options, monkeypatch, capsys):
    tables = printed(block.command, options, monkeypatch, capsys)
    assert tables and all(table.rows for table in tables)
    assert all(len(row) == len(table.header) for table in tables for row in table.rows)
    if block.measured is None:
        pytest.skip("not measured yet; run benchmarks/write_page.py on an idle machine")
    pasted = page_tool.read_tables(block.output)
    assert [table.labels for table in pasted] == [table.labels for table in tables]


def test_tables_of_all_methods_have_every_method(monkeypatch, capsys):
    import methods
    from memory_limit import all_methods

    assert {name.partition("[")[0] for name in methods.all_methods()} == set(all_aggregators())
    for part, expected in (
        ("methods.py table", list(methods.all_methods())),
        ("methods.py wide", list(methods.all_methods())),
        ("methods.py large", list(methods.all_methods())),
        ("memory_limit.py limit", list(all_methods())),
    ):
        (block,) = (one for one in BLOCKS if part in one.command)
        if block.measured:
            assert page_tool.read_tables(block.output)[0].labels == expected


@pytest.mark.parametrize("part", ["all", "losses"])
def test_summary_is_computed_from_the_tables_of_the_page(part, monkeypatch, capsys):
    import summary

    (block,) = (one for one in BLOCKS if one.command.endswith("summary.py" + " losses" * (part == "losses")))
    monkeypatch.setattr(sys, "argv", ["summary.py", part])
    summary.main()
    found = capsys.readouterr().out
    if block.measured is None:
        pytest.skip("not measured yet; run benchmarks/write_page.py --only summary")
    assert [line.rstrip() for line in found.splitlines()] == block.output.splitlines()


def test_page_has_no_count_of_goals():
    assert not re.search(r"\bgoals?\b", TEXT)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Return a folder of scripts with a page beside them, which the tool reads instead of the project's."""
    monkeypatch.setattr(page_tool, "BENCHMARKS", tmp_path)
    monkeypatch.setattr(page_tool, "PAGE", tmp_path / "performance.md")
    (tmp_path / "_shared.py").write_text("N = 1\n", encoding="utf-8")
    (tmp_path / "one.py").write_text('"""Print."""\nimport _shared\n# A comment.\nprint(1)\n', encoding="utf-8")
    (tmp_path / "two.py").write_text("print(2)\n", encoding="utf-8")
    return tmp_path


def test_digest_changes_with_the_code_and_its_modules_but_not_with_docstrings(folder):
    command = "python benchmarks/one.py --only 3"
    first = page_tool.digest_of(command)
    assert re.fullmatch("[0-9a-f]{12}", first) and first != page_tool.digest_of("python benchmarks/two.py")
    text = (folder / "one.py").read_text(encoding="utf-8")
    (folder / "one.py").write_text(
        text.replace("Print.", "Print one.").replace("A comment", "Another"), encoding="utf-8"
    )
    (folder / "two.py").write_text("print(3)\n", encoding="utf-8")
    assert page_tool.digest_of(command) == first
    (folder / "_shared.py").write_text("N = 2\n", encoding="utf-8")
    second = page_tool.digest_of(command)
    (folder / "one.py").write_text(text.replace("print(1)", "print(10)"), encoding="utf-8")
    assert len({first, second, page_tool.digest_of(command)}) == 3
    assert page_tool.digest_of("python benchmarks/both.py $PLAIN_PYTHON two.py".replace("both", "one")) != second


def test_write_block_replaces_one_output_and_its_note(folder):
    text = "A\n\n```console\n$ python benchmarks/one.py\n```\n\nNot measured yet.\n\nB\n"
    text += "```console\n$ python benchmarks/two.py\nold\n```\n\nNot measured yet.\n"
    note = page_tool.note_of("python benchmarks/one.py", "abcd1234", "2026-11-27")
    found = write_block(text, "python benchmarks/one.py", "a  b\n\n1  2\n", note)
    one, two = read_blocks(found)
    assert one.output == "a  b\n\n1  2\n" and two == read_blocks(text)[1] and found.count("\nB\n") == 1
    assert one.measured == {
        "commit": "abcd1234",
        "date": "2026-11-27",
        "digest": page_tool.digest_of("python benchmarks/one.py"),
    }
    assert read_blocks(write_block(found, "python benchmarks/one.py", "c\n", note))[0].output == "c\n"


def test_read_tables_reads_what_table_prints(capsys):
    from _measure import table

    print("A title of two  words"[:12])
    table([["a b", "1.0", "not installed"], ["c", "-", "> 10"]], ["", "s", "peer ms"])
    print()
    table([["x", 1]], ["name", "ms"])
    print("a line below: 3 MiB")
    first, second = page_tool.read_tables(capsys.readouterr().out)
    assert first == ("A title of t", ["", "s", "peer ms"], [["a b", "1.0", "not installed"], ["c", "-", "> 10"]])
    assert second == ("", ["name", "ms"], [["x", "1"]])


def test_both_puts_the_times_of_the_plain_environment_beside_ours():
    import both
    from _measure import Table

    header = ["method", "skrankagg ms", "PyFLAGR ms", "faster by"]
    first = Table("", header, [["a", "1", "4", "4.0x"], ["b", "2", "-", "-"]])
    second = Table("", header, [["b", "3", "not installed", "-"]])
    assert both.join(first, second) == (
        ["method", "skrankagg ms", "plain skrankagg ms", "PyFLAGR ms", "faster by"],
        [["a", "1", "-", "4", "4.0x"], ["b", "2", "3", "-", "-"]],
    )
    assert both.join(Table("", ["", "CPU s", "MiB"], [["a", "1", "5"]]), None) == (
        ["", "CPU s", "plain CPU s", "MiB"],
        [["a", "1", "-", "5"]],
    )


def example_page():
    """Return a page with comparisons of three libraries."""
    columns = "method  skrankagg ms  plain skrankagg ms  PyFLAGR ms  faster by\n"
    table = (
        columns + "A  1.0  2.0  10.0  10.0x\nB  2.0  -  6.0  3.0x\nC  1.0  5.0  > 10000  -\nD  1.0  8.0  4.0  4.0x\n"
    )
    fuse = "One query: 2 lists of 10 ids\ncall  us  plain us  to the loop\nloop over a dict, RRF  4.0  4.0  1.0\n"
    fuse += "fuse, RRF  5.0  2.0  1.2\nrankops, RRF  not installed  4.0  -\n"
    blocks = {
        "python benchmarks/both.py $PLAIN_PYTHON methods.py table --repeat 3": table,
        "python benchmarks/both.py $PLAIN_PYTHON fuse.py --rounds 30": fuse,
    }
    return "".join(f"```console\n$ {command}\n{output}```\n\nNot measured yet.\n" for command, output in blocks.items())


def test_read_comparisons_pairs_times_in_seconds_by_the_start_of_ours():
    found = [
        (one.task.partition(",")[0], one.start, one.library, one.ours, round(one.ratio, 6))
        for one in read_comparisons(example_page())
    ]
    assert found == [
        ("A", "a frame", "PyFLAGR", 0.001, 10),
        ("A", "a frame, plain", "PyFLAGR", 0.002, 5),
        ("B", "a frame", "PyFLAGR", 0.002, 3),
        ("D", "a frame", "PyFLAGR", 0.001, 4),
        ("D", "a frame, plain", "PyFLAGR", 0.008, 0.5),
        ("fuse by RRF", "lists", "loop over a dict", pytest.approx(5e-6), 0.8),
        ("fuse by RRF", "lists, plain", "loop over a dict", pytest.approx(2e-6), 2),
        ("fuse by RRF", "lists, plain", "rankops", pytest.approx(2e-6), 2),
    ]
    assert read_comparisons(example_page())[5].task == "fuse by RRF, 2 lists of 10 ids"


def test_losses_are_sorted_and_the_summary_has_least_median_and_most():
    import summary

    losses = summary.losses(example_page())
    assert [(row[0].partition(",")[0], row[-1]) for row in losses] == [("D", "2.00x"), ("fuse by RRF", "1.25x")]
    assert losses[1][2:5] == ["5 us", "loop over a dict", "4 us"]
    assert summary.summary(example_page())[0] == ["methods.py table", "a frame", "PyFLAGR", 3, "3.0x", "4.0x", "10.0x"]


def test_readme_shows_the_median_the_least_gain_and_the_greatest_loss():
    data = "20 queries x 50 lists x 30 items"
    assert readme.speed_rows(read_comparisons(example_page())).splitlines()[2:] == [
        f"| D, {data}, from a frame; the median of 3 | 1.0 ms | PyFLAGR 4.0 ms | 4.0x |",
        f"| D, {data}, from a frame without pyarrow; the median of 2 | 8.0 ms | PyFLAGR 4.0 ms | 0.50x |",
        f"| B, {data}, from a frame; the least gain | 2.0 ms | PyFLAGR 6.0 ms | 3.0x |",
        f"| D, {data}, from a frame without pyarrow; the greatest loss | 8.0 ms | PyFLAGR 4.0 ms | 0.50x |",
    ]


def test_times_of_seconds_and_encoded_lists_in_the_readme():
    one = Comparison("ranx_fusion.py warm", "CombSUM", "encoded lists", 0.018, "ranx", 1.25)
    rows = readme.speed_rows([one]).splitlines()[2:]
    assert rows == ["| CombSUM, from encoded lists; the median of 1 | 18 ms | ranx 1.2 s | 69x |"]


@pytest.fixture
def write_page(folder, monkeypatch):
    import write_page as found

    monkeypatch.setattr(found, "git", lambda *arguments: "abcd1234")
    names = ("one", "two", "bad")
    (folder / "bad.py").write_text("raise SystemExit(3)\n", encoding="utf-8")
    blocks = [f"```console\n$ python benchmarks/{name}.py\n```\n\nNot measured yet.\n" for name in names]
    (folder / "performance.md").write_text("\n".join(blocks), encoding="utf-8")
    monkeypatch.setattr(found, "ROOT", folder)
    (folder / "benchmarks").symlink_to(folder)
    return found


def test_run_continues_after_a_failure_and_with_kept_tables(write_page, folder, capfd):
    commands = [f"python benchmarks/{name}.py" for name in ("one", "bad", "two")]
    failed = write_page.measure_page(commands, write_page.Cache(folder / "kept"), None)
    assert failed == {commands[1]: "it ended with code 3"}
    one, two, bad = read_blocks((folder / "performance.md").read_text(encoding="utf-8"))
    assert (one.output, two.output, bad.output, bad.measured) == ("1\n", "2\n", "", None)
    assert one.measured["commit"] == "abcd1234" and one.measured["digest"] == page_tool.digest_of(commands[0])
    # A later call measures only changed scripts and failed commands.
    (folder / "two.py").write_text("print(22)\n", encoding="utf-8")
    (folder / "bad.py").write_text("print(3)\n", encoding="utf-8")
    capfd.readouterr()
    assert write_page.measure_page(commands, write_page.Cache(folder / "kept"), None) == {}
    lines = [line.split() for line in capfd.readouterr().out.splitlines()]
    assert [(line[0] == "kept", line[-1]) for line in lines] == [
        (True, "benchmarks/one.py"),
        (False, "benchmarks/bad.py"),
        (False, "benchmarks/two.py"),
    ]
    outputs = [block.output for block in read_blocks((folder / "performance.md").read_text(encoding="utf-8"))]
    assert outputs == ["1\n", "22\n", "3\n"]
    assert {json.loads(path.read_text())["output"] for path in (folder / "kept").iterdir()} == set(outputs)


def test_reasons_of_refusals_are_shortened_and_columns_aligned(write_page):
    reason = "refused: exact=True allows only a few hundred lists; got 500 lists"
    wide = f"method  {'CPU s':>66}  MiB\nA       {'1.5':>66}   87\nBcde    {reason:>66}    -\n"
    assert write_page.shorten(wide) == "method    CPU s  MiB\nA           1.5   87\nBcde    refused    -\n"
    other = "One query\nmethod   ms\nA       1.5\n"
    assert write_page.shorten(f"{other}\n{wide}") == f"{other}\n{write_page.shorten(wide)}"
    assert write_page.shorten(TEXT) == TEXT


def test_kept_tables_of_another_package_are_measured_again(write_page, folder, monkeypatch):
    command = "python benchmarks/one.py"
    write_page.measure_page([command], write_page.Cache(folder / "kept"), None)
    assert write_page.Cache(folder / "kept").find(command) is not None
    monkeypatch.setattr(write_page, "git", lambda *arguments: "another")
    assert write_page.Cache(folder / "kept").find(command) is None
    assert write_page.Cache(None).find(command) is None


def test_commands_that_take_too_long_are_ended(write_page, folder):
    (folder / "two.py").write_text("import time; time.sleep(60)\n", encoding="utf-8")
    failed = write_page.measure_page(["python benchmarks/two.py"], write_page.Cache(None), None, 0.5)
    assert failed == {"python benchmarks/two.py": "it took more than 0.5 s"}


def test_chosen_leaves_out_long_commands_and_puts_derived_ones_last():
    import write_page as script

    commands = ["summary.py", "methods.py table", "memory_limit.py limit", "fuse.py"]
    assert script.chosen(commands, [], False) == ["methods.py table", "fuse.py", "summary.py"]
    assert script.chosen(commands, [], True) == ["methods.py table", "memory_limit.py limit", "fuse.py", "summary.py"]
    assert script.chosen(commands, ["limit"], False) == ["memory_limit.py limit", "summary.py"]


def test_environments_must_be_of_this_checkout(capfd):
    import write_page as script

    has_arrow = importlib.util.find_spec("pyarrow") is not None
    with pytest.raises(SystemExit, match="must be the Python of an environment with"):
        script.check_environment("`--plain`", sys.executable, not has_arrow)


@needs_pandas_3
@pytest.mark.parametrize(
    ("unit", "goal", "reached", "before", "met"),
    [
        ("ms", "<= 6 ms", 6, None, True),
        ("ms", "<= 6 ms", 6.1, 3, False),
        ("x", ">= 1.5 x", 1.5, None, True),
        ("x", ">= 1.5 x", 1.4, None, False),
        ("ms", "1.5x faster", 10, 15, True),
        ("ms", "1.5x faster", 10, 14, False),
        ("ms", "1.5x faster", 10, None, None),
    ],
)
def test_goals_are_limits_or_factors_of_the_time_before(unit, goal, reached, before, met):
    from goals import Goal

    assert Goal(unit, before, goal).is_met(reached, before) is met
