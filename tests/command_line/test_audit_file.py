"""skrankagg audit: the file is read with the position of the items, and the text is the text of inspection.audit."""

import math

import numpy as np
import pandas as pd
import pytest
from scipy.special import expit

from skrankagg import RankedLists
from skrankagg.datasets import read_comparisons
from skrankagg.inspection import audit


def battles():
    rng = np.random.default_rng(0)
    first = rng.integers(0, 4, 800)
    second = (first + rng.integers(1, 4, 800)) % 4
    worth, names = np.linspace(0.9, -0.9, 4), np.array(["ant", "bee", "cat", "dog"])
    won = rng.random(800) < expit(worth[first] - worth[second] + 0.8)
    return pd.DataFrame(
        {
            "model_a": names[first],
            "model_b": names[second],
            "winner": np.where(rng.random(800) < 0.1, "tie", np.where(won, "model_a", "model_b")),
            "judge": np.arange(800) % 40,
            "day": np.arange(800) % 7,
        }
    )


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    frame = battles()
    frame.to_csv("battles.csv", index=False)
    won = frame["winner"] != "model_b"
    losers = {
        "winner": frame["model_a"].where(won, frame["model_b"]),
        "loser": frame["model_b"].where(won, frame["model_a"]),
    }
    pd.DataFrame({**losers, "tie": frame["winner"] == "tie"}).to_csv("losers.csv", index=False)
    (tmp_path / "lists.csv").write_text("query,voter,item,rank\nq,v,a,1\nq,v,b,2\nq,v,c,3\n")
    return tmp_path


def test_audit_prints_the_audit_of_the_file_with_positions(run):
    lists = RankedLists.from_comparisons(read_comparisons("battles.csv"), groups=["judge"], position=True)
    expected = audit(lists)
    assert expected["verdict"][4] == "warning"  # position
    assert run("audit", "battles.csv", "--groups", "judge") == f"{expected}\n"


def test_audit_reads_files_of_winners_and_losers_without_position(run):
    text = run("audit", "losers.csv")
    assert "position, flips (skipped): The lists do not contain the order" in text
    assert "4 items, 800 duels: " in text


def test_unit_draws_and_random_state_reach_the_audit(run):
    lists = RankedLists.from_comparisons(read_comparisons("battles.csv"), groups=["judge", "day"], position=True)
    by_day = audit(lists, unit="day", n_resamples=50, random_state=3)
    options = ("--unit", "day", "--draws", "50", "--random-state", "3")
    assert run("audit", "battles.csv", "--groups", "judge,day", *options) == f"{by_day}\n"
    assert "groups by" not in run("audit", "battles.csv", "--groups", "judge", "--unit", "list").splitlines()[0]


def test_out_is_the_frame(run):
    run("audit", "battles.csv", "--groups", "judge", "-o", "audit.csv")
    found = audit(RankedLists.from_comparisons(read_comparisons("battles.csv"), groups=["judge"], position=True))
    written = pd.read_csv("audit.csv")
    assert list(written) == list(found) and written["seen"].tolist() == found["seen"].tolist()
    np.testing.assert_allclose(written["value"], found["value"].replace(math.inf, np.inf), rtol=1e-9)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("lists.csv",), "must be paired comparisons"),
        (("battles.csv", "--groups", "judges"), "did you mean 'judge'"),
        (("battles.csv", "--unit", "judge"), "the name of a grouping"),
        (("battles.csv", "--out", "missing/audit.csv"), "there is no folder"),
    ],
)
def test_wrong_arguments_are_explained(fail, arguments, message):
    assert message in fail("audit", *arguments)
