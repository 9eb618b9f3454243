"""The notebook of PyFLAGR and the answers of its binary: the same numbers, to the last item."""

import numpy as np
import pandas as pd
import pytest

from flagr_notebook import NOTEBOOK, write_data
from flagr_peer import (
    CHANGES,
    DISTANCES,
    NORMS,
    VERSIONS,
    compare,
    compare_1_0_21,
    golden_answers,
    is_comparable,
    peer_version,
    random_jobs,
    run_peer,
)
from quirk_effects import PAGE, Data, quirks_table, rows_table
from skrankagg import aggregators
from skrankagg._kernels import COMPILED
from skrankagg.compat.pyflagr import QUIRKS, RRA, Kemeny, Linear, Majoritarian, MarkovChains, Weighted
from skrankagg.compat.pyflagr._flagr_dibra import BASES
from skrankagg.datasets import make_rasdagen

# What the notebook prints for all queries: MAP, P_1 to P_5, ndcg_cut_1 to ndcg_cut_5; RRA-Exact apart.
PRINTED = """
CombSUM-Rank 0.4855 0.4500 0.4750 0.4167 0.4500 0.4400 0.4500 0.4693 0.4296 0.4498 0.4433
CombSUM-Borda 0.4836 0.5000 0.4750 0.4167 0.4250 0.4200 0.5000 0.4807 0.4383 0.4402 0.4350
CombSUM-Score 0.4854 0.4000 0.4750 0.4500 0.4625 0.4400 0.4000 0.4580 0.4444 0.4538 0.4401
CombMNZ-Rank 0.4853 0.5000 0.5000 0.4167 0.4375 0.4100 0.5000 0.5000 0.4413 0.4512 0.4314
CombMNZ-Borda 0.4849 0.5500 0.4500 0.4833 0.5000 0.4700 0.5500 0.4726 0.4908 0.5007 0.4810
CombMNZ-Score 0.4848 0.5000 0.5000 0.4167 0.4375 0.4100 0.5000 0.5000 0.4413 0.4512 0.4314
Condorcet 0.4801 0.5000 0.4750 0.4333 0.4125 0.4300 0.5000 0.4807 0.4500 0.4332 0.4420
Copeland 0.4820 0.5000 0.4500 0.4167 0.4000 0.4100 0.5000 0.4613 0.4352 0.4209 0.4247
Outranking_Approach 0.4817 0.5000 0.4250 0.4333 0.4125 0.4400 0.5000 0.4420 0.4439 0.4281 0.4441
MC1 0.4876 0.6500 0.5750 0.5000 0.4750 0.4600 0.6500 0.5920 0.5352 0.5125 0.4977
MC2 0.4876 0.6500 0.5750 0.5000 0.4750 0.4600 0.6500 0.5920 0.5352 0.5125 0.4977
MC3 0.5057 0.5000 0.4750 0.5667 0.5250 0.5200 0.5000 0.4807 0.5439 0.5197 0.5171
MC4 0.4810 0.5000 0.5000 0.4167 0.4125 0.4200 0.5000 0.5000 0.4413 0.4344 0.4364
MCT 0.4813 0.4500 0.5000 0.4667 0.5000 0.4800 0.4500 0.4887 0.4679 0.4901 0.4783
RRA 0.4906 0.5500 0.6250 0.5333 0.4875 0.4800 0.5500 0.6080 0.5475 0.5143 0.5058
PrefRel 0.4850 0.5500 0.5000 0.4667 0.4375 0.4400 0.5500 0.5113 0.4852 0.4625 0.4608
Agglomerative 0.2563 0.4000 0.4000 0.4000 0.4250 0.4700 0.4000 0.4000 0.4000 0.4168 0.4474
DIBRA 0.4919 0.5000 0.4750 0.5667 0.5625 0.5400 0.5000 0.4807 0.5439 0.5449 0.5324
DIBRA-Prune 0.5021 0.5500 0.5500 0.5500 0.5625 0.5900 0.5500 0.5500 0.5500 0.5584 0.5770
DIBRA-Prune-WISE 0.4920 0.5500 0.5000 0.5167 0.5500 0.5500 0.5500 0.5113 0.5204 0.5422 0.5432
"""

# The head of the frame as printed: q, num_ret, num_rel, num_rel_ret, MAP, P_1 to P_5, ndcg_cut_2 to ndcg_cut_10.
HEAD = """
1 100 48 48 0.534255 1 1 0.666667 0.50 0.40 1.000000 0.765361 0.636682 0.553146 0.493523 0.539929 0.496846 0.532447 0.498572
2 100 46 46 0.539673 0 0.5 0.666667 0.50 0.40 0.386853 0.530721 0.441492 0.383566 0.450011 0.500404 0.540269 0.572798 0.536356
3 100 40 40 0.442181 1 1 0.666667 0.50 0.40 1.000000 0.765361 0.636682 0.553146 0.493523 0.448304 0.492326 0.528247 0.558260
4 100 40 40 0.427771 0 0 0.000000 0.25 0.20 0.000000 0.000000 0.168128 0.146068 0.130324 0.210008 0.273045 0.253726 0.301204
5 100 54 54 0.656236 1 1 1.000000 1.00 1.00 1.000000 1.000000 1.000000 1.000000 1.000000 1.000000 0.920205 0.855096 0.864315
"""  # noqa: E501
TAIL = """
17 99 48 47 0.598559 1 1 0.666667 0.50 0.60 1.000000 0.765361 0.636682 0.684352 0.718375 0.744179 0.684798 0.707100 0.662114
18 100 39 39 0.507380 1 1 0.666667 0.75 0.80 1.000000 0.765361 0.804810 0.830420 0.848699 0.770936 0.709420 0.659224 0.617284
19 100 45 45 0.461626 1 1 1.000000 1.00 0.80 1.000000 1.000000 1.000000 0.868795 0.775148 0.704125 0.727734 0.676243 0.633220
20 100 45 45 0.533849 1 1 1.000000 1.00 0.80 1.000000 1.000000 1.000000 0.868795 0.775148 0.704125 0.647940 0.602094 0.563788
all 1990 926 921 0.491976 0.55 0.5 0.516667 0.55 0.55 0.511315 0.520392 0.542183 0.543208 0.533161 0.516379 0.511082 0.513836 0.506594
"""  # noqa: E501


@pytest.fixture(scope="module")
def notebook(tmp_path_factory):
    """Run the notebook on the generated data in its five columns; return the names it defines."""
    folder = tmp_path_factory.mktemp("testdata")
    write_data(folder)
    pyplot = pytest.importorskip("matplotlib.pyplot")
    names = {"folder": str(folder)}
    for cell in NOTEBOOK:
        exec(cell, names)
    pyplot.close("all")
    return names


def printed(text):
    return [line.split() for line in text.strip().splitlines()]


# ---------------------------------------------------------------------- the notebook


@pytest.mark.exhaustive
def test_notebook_reproduces_its_printed_table(notebook):
    table = notebook["df"]
    assert table.shape == (21, 11)
    assert table.columns[0] == "Mean Average Precision (MAP)"
    for name, *numbers in printed(PRINTED):
        assert [f"{value:.4f}" for value in table.loc[name.replace("_", " ")]] == numbers, name


@pytest.mark.exhaustive
def test_notebook_reproduces_its_printed_frame(notebook):
    results = notebook["cmp"].results
    assert results.shape == (441, 47)
    assert results.columns[-2:].tolist() == ["time", "Method"]
    shown = ["q", "num_ret", "num_rel", "num_rel_ret", "Mean Average Precision (MAP)"]
    shown += [f"P_{k}" for k in range(1, 6)] + [f"ndcg_cut_{k}" for k in range(2, 11)]
    for lines, rows, method in (
        (HEAD, results.head(), "CombSUM-Rank"),
        (TAIL, results.tail(), "DIBRA-Prune-WISE"),
    ):
        assert set(rows["Method"]) == {method}
        for line, (_, row) in zip(printed(lines), rows[shown].iterrows(), strict=True):
            assert row["q"].removeprefix("Topic ") == line[0]
            np.testing.assert_allclose(row.iloc[1:].astype(float), np.array(line[1:], dtype=float), atol=5.1e-7)
    assert results.index.tolist() == [*range(21)] * 21


def test_notebook_reproduces_its_latex(notebook):
    lines = notebook["latex_code"].splitlines()
    assert lines[4].startswith(r"CombSUM-Rank & 0.4855 & 0.4500 & 0.4750")
    assert sum(line.count("&") == 21 for line in lines) == 22


@pytest.mark.exhaustive
def test_notebook_measures_equal_those_of_the_binary(notebook, shared_data):
    folder = shared_data / "flagr"
    for name, method in notebook["cmp"].aggregators:
        if name == "RRA-Exact":
            continue
        out, measures = method.aggregate(
            input_file=folder / "testdata_ranked.csv", rels_file=folder / "testdata_qrels.csv"
        )
        row = name.replace(" ", "-")
        theirs = pd.read_csv(folder / "pyflagr-1.0.18" / f"{row}_out.csv")
        assert out.columns.tolist() == theirs.columns.tolist()
        for column in ("Query", "Voter", "ItemID", "Rank", "Aggregator"):
            assert out[column].tolist() == theirs[column].tolist(), (name, column)
        assert (out["Score"] - theirs["Score"]).abs().max() < 1e-6, name
        theirs = pd.read_csv(folder / "pyflagr-1.0.18" / f"{row}_eval.csv")
        assert measures.shape == (21, 46)
        assert measures.columns.tolist() == [*theirs.columns, "time"]
        assert measures["q"].tolist() == theirs["q"].tolist()
        assert np.abs(measures.iloc[:, 1:-1].to_numpy() - theirs.iloc[:, 1:].to_numpy()).max() < 1e-6, name


def test_notebook_exact_p_values_are_correct(notebook):
    lists, _ = make_rasdagen()
    methods = dict(notebook["cmp"].aggregators)
    exact, bound = (methods[name].aggregate(input_df=lists)[0] for name in ("RRA-Exact", "RRA"))
    assert exact["Score"].between(0, 1).all()
    both = exact.merge(bound, on=["Query", "ItemID"], suffixes=("", "_bound"))
    assert (both["Score"] <= both["Score_bound"] + 1e-6).all()
    # The same order where the bound is below 1; FLAGR's own order is unrelated.
    clear = both[both["Score_bound"] < 1]
    assert (clear["Rank"] == clear["Rank_bound"]).all()
    right = aggregators.RobustRankAggregation(exact=True).fit_transform(lists)
    right = right.astype({"query": int}).rename(columns={"query": "Query", "item": "ItemID"})
    both = exact.merge(right, on=["Query", "ItemID"])
    assert len(both) == 2000
    np.testing.assert_allclose(both["Score"], both["pvalue"], atol=5.1e-7)
    map_ = notebook["df"].loc["RRA-Exact", "Mean Average Precision (MAP)"]
    assert f"{map_:.4f}" == "0.4946"


@pytest.mark.exhaustive
def test_pyflagr_page_contains_the_computed_tables():
    page = PAGE.read_text(encoding="utf-8").splitlines()
    data = Data()
    shown = [line for line in page if line.startswith("| `") and line.split("`")[1] in QUIRKS]
    assert [line.split("`")[1] for line in shown] == list(QUIRKS)
    assert all(f"| {QUIRKS[line.split('`')[1]]} |" in line for line in shown)
    # Those that concern few rows; python tools/quirk_effects.py computes all.
    names = [
        name for name in QUIRKS if name.startswith(("outrank", "mc", "prefrel", "agg.rho", "dibra.cosine", "wire"))
    ]
    assert set(quirks_table(data, names)) <= set(page)
    if COMPILED:  # plain Python takes a minute for the main estimators
        assert set(rows_table(data)) <= set(page)


# ---------------------------------------------------------------------- the binary


def test_recorded_answers_include_every_configuration():
    jobs = golden_answers()
    assert len(jobs) > 120 and all(set(job["answers"]) == set(VERSIONS) for job in jobs)
    assert all(answer is not None for job in jobs for answer in job["answers"].values())
    names = {job["name"] for job in jobs}
    for module in (Linear, Majoritarian, MarkovChains, Kemeny, RRA, Weighted):
        classes = {getattr(module, name).__name__ for name in module.__all__} - {"MC"}  # the base of the five chains
        assert classes <= names, module.__name__
    norms = {(job["name"], job["params"].get("norm")) for job in jobs}
    assert norms >= {(name, norm) for name in ("CombSUM", "CombMNZ") for norm in NORMS}
    dibra = [job["params"] for job in jobs if job["name"] == "DIBRA"]
    assert {(one["aggregator"], one["dist"]) for one in dibra} >= {(base, dist) for base in BASES for dist in DISTANCES}
    for name, values in (("prune", (None, "low", "wire", True)), ("w_norm", ("none", "minmax", "z"))):
        assert {(one["aggregator"], one[name]) for one in dibra} >= {(base, one) for base in BASES for one in values}


@pytest.mark.exhaustive
def test_compat_reproduces_recorded_answers_of_1_0_18():
    for job in golden_answers():
        compare(job, job["answers"]["1.0.18"])


@pytest.mark.exhaustive
def test_compat_reproduces_recorded_answers_of_1_0_21():
    """Version 1.0.21 differs from 1.0.18 by three changes, and each has an effect."""
    changed = set()
    for job in golden_answers():
        old, new = (job["answers"][version] for version in VERSIONS)
        change = compare_1_0_21(job, new)
        if change is None:
            measures = {name: values for name, values in new["eval"].items() if name != "time"}
            assert (old["out"], old["eval"]) == (new["out"], measures), job
        elif old["out"] != new["out"]:
            changed.add(change)
    assert changed == set(CHANGES)


@pytest.mark.skipif(peer_version() not in VERSIONS, reason="needs pyflagr 1.0.18 or 1.0.21")
def test_compat_reproduces_live_answers_of_the_binary():
    jobs = random_jobs(np.random.default_rng(20), 220)
    compared = 0
    for job, answer in zip(jobs, run_peer(jobs), strict=True):
        if is_comparable(job, answer):
            (compare if peer_version() == "1.0.18" else compare_1_0_21)(job, answer)
            compared += 1
    assert compared >= 200
