"""The benchmark on gene lists: published numbers, our numbers, and the page that reports both."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def script():
    """Import the script that prints the tables of the page."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(ROOT / "benchmarks"))
        import gene_lists as found

        yield found


@pytest.fixture(scope="module")
def tables():
    """Return the two tables of the page, each as a list of lines."""
    page = (ROOT / "docs" / "evidence.md").read_text(encoding="utf-8")
    printed = page.partition("$ python benchmarks/gene_lists.py\n")[2].partition("\n```")[0]
    return [part.splitlines() for part in printed.split("\n\n")]


def test_published_equals_the_numbers_of_the_study(script, shared_data):
    study = pd.read_csv(shared_data / "genelists" / "wang2022_top100_M3.csv").set_index(["method", "type", "D"])
    assert (study[["M", "repeats"]] == [3, 100]).all(axis=None)
    for method, by_kind in script.PUBLISHED.items():
        for kind, values in by_kind.items():
            for heterogeneity, value in zip(script.HETEROGENEITY, values, strict=True):
                row = study.loc[(method, kind, heterogeneity)]
                assert value == (row["mean_accuracy"], row["standard_error"]), (method, kind, heterogeneity)
    for method in ("BIRRA", "rGEO", "stuart", "RRA", "rMEAN", "rMED"):  # they leave unranked lists out
        for kind in "01":
            with_unranked, without = study.loc[method, f"{kind}m"], study.loc[method, f"{kind}r"]
            pd.testing.assert_frame_equal(with_unranked, without)


@pytest.mark.exhaustive
def test_cell_reproduces_the_published_accuracy_for_every_kind_of_data(script, monkeypatch):
    ours = {"MAIC": "MAIC, lists cut at 2000", "rGEO": "geometric mean", "rMixMEAN": "mean"}
    monkeypatch.setattr(script, "OURS", {theirs: (name,) for theirs, name in ours.items()})
    monkeypatch.setattr(script, "PUBLISHED", {theirs: script.PUBLISHED[theirs] for theirs in ours})
    methods = {name: script.METHODS[name] for name in ours.values()}
    found = {
        (kind, heterogeneity): script.cell(kind, heterogeneity, 12, methods)
        for kind in script.PRESETS
        for heterogeneity in script.HETEROGENEITY
    }
    compared = script.compare(found)
    assert len(compared) == 4 + 2 + 2
    for names, row in compared.items():
        for mean, here, error, z in row:
            assert z == pytest.approx((here - mean) / error)
            assert abs(z) < 4, names  # the standard deviation of 12 skewed numbers is none too sure


def test_cell_evaluates_slow_methods_on_the_first_repeats(script):
    name = script.SLOW[0]
    found = script.cell("0r", 1, 22, {name: script.METHODS["Borda"], "Borda": script.METHODS["Borda"]})
    assert len(found[name]) == script.N_SLOW and len(found["Borda"]) == 22
    assert found[name].tolist() == found["Borda"][: script.N_SLOW].tolist()


def test_ties_as_in_r_orders_ties_by_first_appearance(script):
    lists = pd.DataFrame(
        [("q", "r1", "c", 1), ("q", "r1", "a", 2), ("q", "r2", "d", 1), ("q", "r2", "a", 2), ("q", "r2", "b", 3)],
        columns=["query", "voter", "item", "rank"],
    )
    consensus = pd.DataFrame({"query": "q", "item": list("abcd"), "score": [0.0, 1.0, 0.0, 0.0], "rank": [2, 1, 3, 4]})
    found = script.ties_as_in_r(consensus, lists, seed=0)
    assert found["item"].tolist() == ["b", "c", "a", "d"] and found["rank"].tolist() == [1, 2, 3, 4]
    unranked = pd.DataFrame({"query": "q", "voter": "u1", "item": [f"i{k}" for k in range(50)], "rank": 1})
    tied = unranked[["query", "item"]].assign(score=0.0)
    orders = [script.ties_as_in_r(tied, unranked, seed)["item"].tolist() for seed in (0, 1)]
    assert orders[0] != orders[1] and sorted(orders[0]) == sorted(unranked["item"])


def test_cell_uses_the_same_ranked_lists_for_kinds_of_one_size(script, monkeypatch):
    seen = []
    make = script.make_gene_lists

    def record(*args, **options):
        seen.append(make(*args, **options))
        return seen[-1]

    monkeypatch.setattr(script, "make_gene_lists", record)
    for kind in ("1r", "1m"):
        script.cell(kind, 3, 2, {"Borda": script.METHODS["Borda"]})
    (ranked, *_), (mixed, *_) = seen
    pd.testing.assert_frame_equal(ranked, mixed[mixed["voter"].str.startswith("r")].reset_index(drop=True))


def test_evidence_page_states_all_deviations_from_published_numbers(script, tables):
    (_, *rows, last), (header, *accuracies) = tables
    expected = [
        (theirs, ours, kind)
        for theirs, by_kind in script.PUBLISHED.items()
        for ours in script.OURS[theirs]
        for kind in by_kind
    ]
    assert [row.split()[0] for row in rows] == [theirs for theirs, _, _ in expected]
    for row, (theirs, ours, kind) in zip(rows, expected, strict=True):
        name, *numbers = row.removeprefix(theirs).strip().rsplit(maxsplit=9)
        assert (name, numbers[0]) == (ours, kind)
        published = [numbers[1], numbers[5]]
        assert published == [f"{mean:.3f}" for mean, _ in script.PUBLISHED[theirs][kind]]
        # According to the page, only the median deviates, for the reason given there.
        assert ("*" in row) == (ours == "median" and kind in ("0r", "0m"))
    n_cells = 2 * len(rows)
    assert last.startswith(f"100 repeats; {n_cells - 4} of {n_cells} cells within three standard errors")
    names = [row.rsplit(maxsplit=8)[0] for row in accuracies]
    fast = [name for name in script.METHODS if name not in script.SLOW]
    assert names == [*fast, *(f"first {script.N_SLOW}: {name}" for name in (*script.SLOW, "geometric mean"))]
    by_name = {name: np.array(row.split()[-8:], dtype=float) for name, row in zip(names, accuracies, strict=True)}
    # The page's statements about methods not meant for gene lists, and about truncated lists.
    others = [by_name[name] for name in fast if name != "DIBRA"]
    assert (by_name["DIBRA"] < np.min(others, axis=0)).all()
    slow, same = by_name[f"first {script.N_SLOW}: Plackett-Luce"], by_name[f"first {script.N_SLOW}: geometric mean"]
    assert (slow < same - 0.04).all()
    cut = {name: by_name[f"cut at 100: {name}"] for name in ("geometric mean", "BIRRA", "DIBRA", "Plackett-Luce")}
    assert (cut["geometric mean"] < by_name["geometric mean"]).all()
    np.testing.assert_allclose(cut["Plackett-Luce"], cut["geometric mean"], atol=0.03)
    heading = header.split()[1:]
    columns = [f"{kind} {heterogeneity}" for kind, heterogeneity in zip(heading[::2], heading[1::2], strict=True)]
    for column, of_dibra, highest in zip(columns, cut["DIBRA"], np.max(list(by_name.values()), axis=0), strict=True):
        assert (of_dibra == highest) == (column in ("0r D=3", "1r D=3")), column
    unequal = np.array([column.endswith("D=3") for column in columns])
    assert (cut["BIRRA"] < by_name["BIRRA"])[~unequal].all()
