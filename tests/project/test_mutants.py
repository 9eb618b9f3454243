"""The mutation-testing tool: its mutations and its list of equivalent mutants."""

import json
import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import mutate

TESTS = Path(__file__).resolve().parent.parent
SOURCE = '''"""At least 1 < 2."""

__all__ = ["a" + "b"]
TOLERANCE = 1e-9


def smallest(values: "list[int] | None", least: int | None = 3) -> int | None:
    """Find the smallest value that is not less than 3 - 1."""
    if len(values) == 0:
        raise ValueError(f"{len(values) + 1} values" + "!")
    found = None
    for value in values:
        if value >= least - TOLERANCE and (
            found is None or value < found
        ):
            found = value
    return found
'''


def test_places_and_draw_mutate_code_only():
    pytest.importorskip("cosmic_ray", reason="no operators without cosmic-ray")
    found = mutate.places("m.py", SOURCE)
    drawn = mutate.draw(found, 20, seed=1)
    assert [one.key for one in mutate.draw(found, 8, seed=1)] == [one.key for one in drawn[:8]]
    assert len({one.key for one in drawn}) == len(drawn) > 12
    # The tolerance's own value, the parameter's, the two comparisons with it, those of found and of the length.
    assert {one.line for one in drawn} <= {4, 7, 9, 12, 13, 14}
    assert {one.statement for one in drawn if one.line == 14} == {range(13, 16)}
    operators = {place.start for place in found if place.is_bound}
    assert sum(one.line in {line for line, _ in operators} for one in drawn[:8]) >= 4
    assert any("(-TOLERANCE)" in one.new for seed in range(30) for one in mutate.draw(found, 20, seed))


@pytest.mark.exhaustive
@pytest.mark.skipif(not hasattr(os, "fork"), reason="each mutant runs in a process that is forked")
def test_mutant_survives_tests_that_do_not_detect_it(tmp_path):
    name = "tests/test_m.py::test_one"
    (tmp_path / "tests").mkdir()
    (tmp_path / "m.py").write_text(SOURCE)
    (tmp_path / "conftest.py").write_text("import many_examples")
    tests = "import m, time\ndef test_one():\n    assert m.smallest([5, 4, 6, 1]) == 4\ndef test_other():\n    pass\n"
    (tmp_path / "tests" / "test_m.py").write_text(tests)
    script = f"""
import collections, json, pathlib, mutate
folder, source = pathlib.Path({str(tmp_path)!r}), {SOURCE!r}
record, killers = dict(digests={{}}, tests={{}}), collections.Counter()
mutate.tests_of(mutate.Unit("m.py", ("tests",)), folder, record)
def mutant(old, new):
    line = source[: source.index(old)].count("\\n") + 1
    return mutate.Mutant("m.py", line, range(line, line + 1), source.replace(old, new), old, new)
one = mutant("value >= least", "value > least")
two = mutant("value < found", "value > found")
three = mutant("found = value", "found = found or time.sleep(99)")
kept = mutate.tests_that_reach(one, record["tests"])
found = [mutate.survives(each, folder, record["tests"], killers) for each in (one, two, three)]
print(json.dumps([kept, found, killers]))
"""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(TESTS), str(TESTS.parent / "tools")])}
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, env=environment, check=True)
    assert json.loads(done.stdout) == [[name], [True, False, False], {name: 2}], done.stderr
    assert (tmp_path / "m.py").read_text() == SOURCE


def test_equivalent_mutants_refer_to_existing_lines():
    with open(mutate.EQUIVALENT, "rb") as file:
        listed = tomllib.load(file)["mutant"]
    for one in listed:
        lines = [line.strip() for line in (mutate.ROOT / one["file"]).read_text(encoding="utf-8").splitlines()]
        assert all(line in lines for line in one["old"].splitlines()), one
        assert one["new"] != one["old"] and len(one["proof"]) > 20
    assert len(mutate.equivalent_mutants()) == len(listed)
