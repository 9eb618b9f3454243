"""The tool that measures the coverage of the tests: its report, its comparison and its list of uncovered lines."""

import os
import subprocess
import sys
import tomllib

import measure_coverage
import pytest
from processes import environment

RECORD = tomllib.loads(measure_coverage.RECORD.read_text(encoding="utf-8"))
SOURCE = """\
def first(x):
    if x:
        return 1
    return 2


def second():
    raise NotImplementedError
"""


@pytest.fixture
def found(tmp_path, monkeypatch):
    """Return a report as coverage.py writes it, of a file that exists."""
    monkeypatch.setattr(measure_coverage, "ROOT", tmp_path)
    (tmp_path / "skrankagg" / "stats").mkdir(parents=True)
    (tmp_path / "skrankagg" / "stats" / "_m.py").write_text(SOURCE, encoding="utf-8")
    summary = {"covered_lines": 4, "num_statements": 6, "covered_branches": 1, "num_branches": 2}
    one = {"missing_lines": [3, 8], "missing_branches": [[2, 3]], "summary": summary}
    return {"skrankagg/stats/_m.py": one}


def test_report_leaves_out_what_is_listed(found):
    name = "skrankagg/stats/_m.py"
    assert measure_coverage.report(found, [], []) == [f"{name}: no test runs 3, 8"]
    hook = {"file": name, "code": "def second():\n    raise NotImplementedError\n"}
    assert measure_coverage.report(found, [hook], []) == [f"{name}: no test runs 3"]
    of_other_file = {"file": "skrankagg/_n.py", "code": "return 1"}
    assert measure_coverage.report(found, [hook, of_other_file], []) == [f"{name}: no test runs 3"]
    assert measure_coverage.report(found, [hook, {"file": name, "code": "return 1"}], []) == []


def test_report_names_branches_whose_lines_run(found):
    name, one = next(iter(found.items()))
    one.update(missing_lines=[], missing_branches=[[2, 4], [7, -7]])
    assert measure_coverage.report(found, [], []) == [
        f"{name}: no test goes from 2 to 4",
        f"{name}: no test goes from 7 to the end of its function",
    ]
    assert measure_coverage.report(found, [{"file": name, "code": "if x:"}], []) == [
        f"{name}: no test goes from 7 to the end of its function"
    ]


def test_report_of_some_tests_describes_the_files_of_the_same_folder(found):
    assert measure_coverage.report(found, [], ["tests/stats/test_stats.py"])
    assert measure_coverage.report(found, [], ["tests/metrics"]) == []


def test_shares_are_compared_with_a_margin_of_half_a_point(found):
    measured = measure_coverage.shares(found)
    assert measured == {"lines": 66.67, "branches": 50.0}
    assert measure_coverage.compare(measured, {"lines": 67.17, "branches": 50.5}) == []
    assert measure_coverage.compare(measured, {"lines": 67.18, "branches": 50.5}) == [
        "lines: 66.67 % is more than 0.5 points below the recorded 67.18 %. Add tests for the lines above."
    ]


def test_write_changes_only_the_shares(tmp_path, monkeypatch):
    record = tmp_path / "coverage.toml"
    record.write_text('[shares]\nlines = 1.5\nbranches = 2\n\n[[exception]]\ncode = "lines = 3"\n', encoding="utf-8")
    monkeypatch.setattr(measure_coverage, "RECORD", record)
    measure_coverage.write({"lines": 98.25, "branches": 97.0})
    assert record.read_text(encoding="utf-8") == (
        '[shares]\nlines = 98.25\nbranches = 97.0\n\n[[exception]]\ncode = "lines = 3"\n'
    )


@pytest.mark.parametrize("one", RECORD.get("exception", []), ids=lambda one: one["file"])
def test_listed_code_is_in_its_file_and_has_a_reason(one):
    source = (measure_coverage.ROOT / one["file"]).read_text(encoding="utf-8")
    assert measure_coverage.listed_lines(source, one["file"], [one]), f"{one['file']} does not contain {one['code']!r}."
    assert len(one["reason"].split()) >= 3 and one["reason"].endswith(".")


def test_recorded_shares_are_percentages():
    assert RECORD["shares"].keys() == {"lines", "branches"}
    assert all(50 < share <= 100 for share in RECORD["shares"].values())


def test_coverage_of_files_adds_measurements(tmp_path, monkeypatch):
    coverage = pytest.importorskip("coverage", reason="measures with coverage.py")
    monkeypatch.setattr(measure_coverage, "DATA", tmp_path / ".coverage")
    monkeypatch.chdir(measure_coverage.ROOT)

    def measure(number, arcs):
        data = coverage.CoverageData(basename=str(tmp_path / f".coverage.host.{number}"))
        data.add_arcs({"skrankagg/exceptions.py": arcs})
        data.write()

    def covered():
        return measure_coverage.coverage_of_files()["skrankagg/exceptions.py"]["executed_lines"]

    lines = (measure_coverage.ROOT / "skrankagg" / "exceptions.py").read_text(encoding="utf-8").splitlines()
    first, *_, last = [k for k, line in enumerate(lines, 1) if line.startswith("class ")]
    measure(1, [(-1, first)])
    assert covered() == [first]
    measure(2, [(-1, last)])
    assert covered() == [first, last]
    assert covered() == [first, last]  # no new data, as with --report


@pytest.mark.exhaustive
def test_processes_that_the_tests_start_are_measured(tmp_path, monkeypatch):
    pytest.importorskip("coverage", reason="measures with coverage.py")
    script = tmp_path / "script.py"
    script.write_text(
        "import subprocess, sys\n"
        "from joblib import Parallel, delayed\n"
        "def call():\n"
        "    from skrankagg.stats import adjust_pvalues\n"
        "    return adjust_pvalues([0.5]).tolist()\n"
        "if __name__ == '__main__':\n"
        "    assert 'skrankagg' not in sys.modules\n"
        "    subprocess.run([sys.executable, '-c', 'import skrankagg; skrankagg.fuse([[1, 2]])'], check=True)\n"
        "    assert Parallel(n_jobs=2)(delayed(call)() for _ in range(2)) == [[0.5], [0.5]]\n",
        encoding="utf-8",
    )
    data = tmp_path / ".coverage"
    monkeypatch.setattr(measure_coverage, "DATA", data)
    project = measure_coverage.ROOT / "pyproject.toml"
    variables = environment(COVERAGE_FILE=str(data), COVERAGE_RCFILE=str(project))
    for name in [name for name in os.environ if name.startswith("COVERAGE_PROCESS")]:
        del variables[name]  # this test may be measured as well
    command = [sys.executable, "-m", "coverage", "run", str(script)]
    subprocess.run(command, cwd=measure_coverage.ROOT, env=variables, check=True)
    monkeypatch.chdir(measure_coverage.ROOT)
    found = measure_coverage.coverage_of_files()
    assert found["skrankagg/_fuse/_front.py"]["summary"]["covered_lines"] > 20
    assert found["skrankagg/stats/_adjust.py"]["summary"]["covered_lines"] > 20
