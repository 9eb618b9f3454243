"""skrankagg audit: the file is read with the position of the items, and the text is the text of inspection.audit."""

import io
import math
import re

import numpy as np
import pandas as pd
import pytest
from scipy.special import expit

from skrankagg import PlackettLuce, RankedLists
from skrankagg.__main__ import main
from skrankagg.datasets import read_comparisons
from skrankagg.inspection import audit
from skrankagg.inspection._audit import text_of


def battles():
    rng = np.random.default_rng(0)
    first = rng.integers(0, 4, 800)
    second = (first + rng.integers(1, 4, 800)) % 4
    worth, names = np.linspace(0.9, -0.9, 4), np.array(["ant", "bee", "cat", "dog"])
    won = rng.random(800) < expit(worth[first] - worth[second] + 0.8)
    words = rng.integers(1, 9, (2, 800))
    return pd.DataFrame(
        {
            "model_a": names[first],
            "model_b": names[second],
            "winner": np.where(rng.random(800) < 0.1, "tie", np.where(won, "model_a", "model_b")),
            "judge": np.arange(800) % 40,
            "day": np.arange(800) % 7,
            "season": np.where(np.arange(800) % 2, "spring", "autumn"),
            "length": words[0] - words[1],
            "words_a": words[0],
            "words_b": words[1],
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


def at_a_terminal(frame, options=""):
    """Return an audit in which some words of Python are replaced by flags."""
    words = {
        "PlackettLuce(covariates=['position'])": f"skrankagg aggregate battles.csv{options} --covariates position",
        "reconcile=True": "--reconcile",
        "(rank_stability)": f"(skrankagg aggregate battles.csv{options} --intervals)",
        "ties='davidson'": "ties=davidson",
        "voter='judge' and groups=['prompt']": "--groups judge,prompt",
    }
    frame = frame.copy()
    for python, flags in words.items():
        for column in ("seen", "advice"):
            frame[column] = frame[column].str.replace(python, flags, regex=False)
    return frame


def test_audit_prints_the_audit_of_the_file_with_positions(run):
    lists = RankedLists.from_comparisons(read_comparisons("battles.csv"), groups=["judge"], position=True)
    expected = audit(lists)
    assert expected["verdict"][4] == "warning"  # position
    assert run("audit", "battles.csv", "--groups", "judge") == f"{text_of(at_a_terminal(expected))}\n"


def test_audit_reads_files_of_winners_and_losers_without_position(run):
    text = run("audit", "losers.csv")
    assert "position, flips (skipped): The lists do not contain the order" in text
    assert "4 items, 800 duels: " in text


def test_unit_draws_and_random_state_reach_the_audit(run):
    lists = RankedLists.from_comparisons(read_comparisons("battles.csv"), groups=["judge", "day"], position=True)
    by_day = audit(lists, unit="day", n_resamples=50, random_state=3)
    options = ("--unit", "day", "--draws", "50", "--random-state", "3")
    assert run("audit", "battles.csv", "--groups", "judge,day", *options) == f"{text_of(at_a_terminal(by_day))}\n"
    assert "groups by" not in run("audit", "battles.csv", "--groups", "judge", "--unit", "list").splitlines()[0]


def test_out_is_the_frame(run):
    run("audit", "battles.csv", "--groups", "judge", "-o", "audit.csv")
    found = audit(RankedLists.from_comparisons(read_comparisons("battles.csv"), groups=["judge"], position=True))
    found, written = at_a_terminal(found), pd.read_csv("audit.csv", keep_default_na=False, na_values=[""])
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


def test_advice_names_flags_and_files(run):
    text = " ".join(run("audit", "battles.csv").split())
    assert "Fit the position too, with skrankagg aggregate battles.csv --covariates position, or" in text
    assert "such as --groups judge,prompt" in text
    assert not re.search(r"\w=['\[(]|=True|\(voter|RankedLists|rank_stability", text)


def test_query_column_audits_each_board(run):
    text = run("audit", "battles.csv", "--query-column", "season", "--groups", "day", "-o", "audit.csv")
    written, frame = pd.read_csv("audit.csv"), read_comparisons("battles.csv")
    pages = re.split(r"^season (\w+)\n", text, flags=re.MULTILINE)
    assert pages[1::2] == ["autumn", "spring"] and list(written)[:2] == ["query", "check"]
    for season, page in zip(pages[1::2], pages[2::2], strict=True):
        own = frame[frame["season"] == season]
        found = audit(RankedLists.from_comparisons(own, groups=["day"], position=True))
        assert page.startswith(found.attrs["board"])
        rows = written[written["query"] == season]
        np.testing.assert_allclose(rows["value"], found["value"].replace(math.inf, np.inf), rtol=1e-9)
        assert rows["verdict"].tolist() == found["verdict"].tolist()


PLACKETT = ("aggregate", "battles.csv", "--method", "PlackettLuce")


def test_covariates_reach_the_method(run, fail):
    frame = read_comparisons("battles.csv").astype({"length": float})
    lists = RankedLists.from_comparisons(frame, covariates=["length"], position=True)
    expected = PlackettLuce(covariates=["length", "position"]).fit_transform(lists)
    found = pd.read_csv(io.StringIO(run(*PLACKETT, "--covariates", "length,position", "--quiet")))
    assert found["item"].tolist() == expected["item"].tolist()
    np.testing.assert_allclose(found["score"], expected["score"], rtol=1e-12)
    plain = pd.read_csv(io.StringIO(run(*PLACKETT)))
    assert np.abs(plain["score"] - found["score"]).max() > 1e-4
    two = run(*PLACKETT, "--covariates", "length=words_a:words_b,position", "--quiet")
    np.testing.assert_allclose(pd.read_csv(io.StringIO(two))["score"], expected["score"], rtol=1e-9)
    assert "position (warning)" not in run("audit", "battles.csv", "--covariates", "position")


def test_aggregate_prints_the_effects_of_covariates(folder, capsys, patience):
    frame = read_comparisons("battles.csv").astype({"length": float})
    method = PlackettLuce(covariates=["length", "position"])
    method.fit_transform(RankedLists.from_comparisons(frame, covariates=["length"], position=True))
    assert main([*PLACKETT, "--covariates", "length,position"]) == 0
    lines = capsys.readouterr().err.splitlines()
    for line, row in zip(lines, method.coefficients_.itertuples(), strict=True):
        p = "<.0001" if row.covariate == "position" else f"{row.p:.4f}"
        shown = f"{row.coefficient:+.3g} log-odds, standard error {row.std_error:.3g}, p {p}"
        assert line == f"skrankagg: effect of {row.covariate}: {shown}"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--covariates", "model_b"), "the covariate 'model_b' must be numbers; got 'cat'"),
        (("--covariates", "lenght"), "did you mean 'length'"),
        (("--covariates", "words=words_a"), "must have the form NAME=FIRST:SECOND; got 'words=words_a'"),
        (("--method", "BordaCount", "--covariates", "length"), "BordaCount cannot use covariates; choose --method"),
        (("--method", "PlackettLuce[covariates=['length']]", "--covariates", "length"), "not by both"),
        (("--reconcile",), "--reconcile must be left out if the frame has no columns of a first and a second item"),
        (("--reconcile",), "or if --groups does not show which verdicts belong together. Name the columns."),
        (("--voter", "file"), "--voter file applies only to files of ranked lists, but this file contains comparisons"),
        (
            ("--reconcile", "--groups", "day"),
            "Name the column that tells these verdicts apart, such as --groups prompt",
        ),
    ],
)
def test_options_of_comparisons_are_explained(fail, arguments, message):
    assert message in fail(*PLACKETT, *arguments)


def test_files_of_comparisons_must_have_the_same_columns(fail):
    message = fail("aggregate", "battles.csv", "losers.csv", "--method", "PlackettLuce")
    assert "files of comparisons must have the same columns; the given files differ" in message


def test_options_of_comparisons_need_comparisons(fail):
    for option in (("--covariates", "rank"), ("--reconcile",), ("--query-column", "q"), ("--groups", "q")):
        message = fail("aggregate", "lists.csv", "--method", "PlackettLuce", *option)
        assert f"{option[0]} applies only to files of comparisons" in message


def test_reconcile_merges_the_two_orders(run, folder):
    # Prompt p prefers the ant in both orders. Prompt q prefers the item shown first, which is a tie. Prompt r has one
    # verdict.
    rows = ["ant,bee,ant,p", "bee,ant,ant,p", "ant,bee,ant,q", "bee,ant,bee,q", "ant,bee,ant,r"]
    (folder / "both.csv").write_text("\n".join(["model_a,model_b,winner,prompt", *rows]))
    command = ("aggregate", "both.csv", "--method", "PlackettLuce", "--groups", "prompt", "--reconcile", "-o", "x.csv")
    assert main(list(command)) == 0
    wins = pd.DataFrame({"winner": ["ant"] * 3, "loser": ["bee"] * 3, "tie": [False, True, False]})
    expected = PlackettLuce().fit_transform(RankedLists.from_comparisons(wins))
    np.testing.assert_allclose(pd.read_csv("x.csv")["score"], expected["score"], rtol=1e-9)
