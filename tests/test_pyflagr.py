"""The PyFLAGR room: the numbers of FLAGR 1.0.18, to the last item."""

import gzip
import itertools
import json
import shutil
import warnings

import numpy as np
import pandas as pd
import pytest
from flagr_notebook import NOTEBOOK, write_data
from flagr_peer import GOLDEN, compare, has_peer, is_comparable, random_jobs, run_ours, run_peer
from hypothesis import given
from hypothesis import strategies as st
from quirk_effects import PAGE, Data, quirks_table, rows_table

from skrankagg import aggregators
from skrankagg._kernels import COMPILED
from skrankagg.compat.pyflagr import QUIRKS, RRA, Comparator, Kemeny, Linear, Majoritarian, MarkovChains, Weighted
from skrankagg.compat.pyflagr._door import encode_profile
from skrankagg.compat.pyflagr._quirks import quirks_of
from skrankagg.compat.pyflagr._ranking import add_up
from skrankagg.compat.pyflagr.Kemeny import _best_of_sets, best_order
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
    """The names that the notebook leaves behind, run on the data made anew in its five columns."""
    folder = tmp_path_factory.mktemp("testdata")
    write_data(folder)
    pyplot = pytest.importorskip("matplotlib.pyplot")
    names = {"folder": str(folder)}
    for cell in NOTEBOOK:
        exec(cell, names)
    pyplot.close("all")
    return names


@pytest.fixture(scope="module")
def small():
    return make_rasdagen(n_queries=3, n_voters=9, list_length=6, n_items=12)


def printed(text):
    return [line.split() for line in text.strip().splitlines()]


# ---------------------------------------------------------------------- the notebook


def test_the_notebook_prints_its_table(notebook):
    table = notebook["df"]
    assert table.shape == (21, 11)
    assert table.columns[0] == "Mean Average Precision (MAP)"
    for name, *numbers in printed(PRINTED):
        assert [f"{value:.4f}" for value in table.loc[name.replace("_", " ")]] == numbers, name


def test_the_notebook_has_its_whole_frame(notebook):
    results = notebook["cmp"].results
    assert results.shape == (441, 46)
    assert results.columns[-1] == "Method"
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


def test_the_notebook_writes_latex(notebook):
    lines = notebook["latex_code"].splitlines()
    assert lines[4].startswith(r"CombSUM-Rank & 0.4855 & 0.4500 & 0.4750")
    assert sum(line.count("&") == 21 for line in lines) == 22


def test_every_row_is_that_of_the_binary(notebook, shared_data):
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
        assert measures.shape == (21, 45)
        assert measures.columns.tolist() == theirs.columns.tolist()
        assert measures["q"].tolist() == theirs["q"].tolist()
        assert np.abs(measures.iloc[:, 1:].to_numpy() - theirs.iloc[:, 1:].to_numpy()).max() < 1e-6, name


def test_exact_pvalues_are_the_right_ones(notebook):
    lists, _ = make_rasdagen()
    methods = dict(notebook["cmp"].aggregators)
    exact, bound = (methods[name].aggregate(input_df=lists)[0] for name in ("RRA-Exact", "RRA"))
    assert exact["Score"].between(0, 1).all()
    both = exact.merge(bound, on=["Query", "ItemID"], suffixes=("", "_bound"))
    assert (both["Score"] <= both["Score_bound"] + 1e-6).all()
    # One order where the bound is below 1; FLAGR's own has nothing to do with it.
    clear = both[both["Score_bound"] < 1]
    assert (clear["Rank"] == clear["Rank_bound"]).all()
    right = aggregators.RobustRankAggregation(exact=True).fit_transform(lists)
    right = right.astype({"query": int}).rename(columns={"query": "Query", "item": "ItemID"})
    both = exact.merge(right, on=["Query", "ItemID"])
    assert len(both) == 2000
    np.testing.assert_allclose(both["Score"], both["pvalue"], atol=5.1e-7)
    map_ = notebook["df"].loc["RRA-Exact", "Mean Average Precision (MAP)"]
    assert f"{map_:.4f}" == "0.4946"


def test_the_page_has_the_tables_that_are_computed():
    page = PAGE.read_text(encoding="utf-8").splitlines()
    data = Data()
    shown = [line for line in page if line.startswith("| `") and line.split("`")[1] in QUIRKS]
    assert [line.split("`")[1] for line in shown] == list(QUIRKS)
    assert all(f"| {QUIRKS[line.split('`')[1]]} |" in line for line in shown)
    # Those that concern few rows; python tests/quirk_effects.py computes the others too.
    names = [
        name for name in QUIRKS if name.startswith(("outrank", "mc", "prefrel", "agg.rho", "dibra.cosine", "wire"))
    ]
    assert set(quirks_table(data, names)) <= set(page)
    if COMPILED:  # plain Python takes a minute for the main estimators
        assert set(rows_table(data)) <= set(page)


# ---------------------------------------------------------------------- the binary


def golden():
    with gzip.open(GOLDEN, "rt", encoding="utf-8") as file:
        return json.load(file)


def test_recorded_answers_of_the_binary():
    answers = golden()
    assert len(answers) > 50
    for answer in answers:
        compare(answer, answer)


@pytest.mark.skipif(not has_peer(), reason="needs pyflagr==1.0.18")
def test_live_answers_of_the_binary():
    jobs = random_jobs(np.random.default_rng(20), 220)
    compared = 0
    for job, answer in zip(jobs, run_peer(jobs), strict=True):
        if is_comparable(job, answer):
            compare(job, answer)
            compared += 1
    assert compared >= 200


# ---------------------------------------------------------------------- the parts


def methods(convention="flagr"):
    """Each method once, with DIBRA in all its forms."""
    chains = [getattr(MarkovChains, name) for name in ("MC1", "MC2", "MC3", "MC4", "MCT")]
    found = [
        *(Linear.CombSUM(norm, convention=convention) for norm in ("borda", "rank", "score", "z-score")),
        *(Linear.CombMNZ(norm, convention=convention) for norm in ("borda", "rank", "score", "simple-borda")),
        Majoritarian.CondorcetWinners(convention=convention),
        Majoritarian.CopelandWinners(convention=convention),
        Majoritarian.OutrankingApproach(concordance=0.5, convention=convention),
        *(chain(convention=convention) for chain in chains),
        RRA.RRA(convention=convention),
        RRA.RRA(exact=True, convention=convention),
        Weighted.PreferenceRelationsGraph(convention=convention),
        Weighted.Agglomerative(convention=convention),
    ]
    for prune in (None, "low", "wire"):
        found += [Weighted.DIBRA(prune=prune, d1=0.6, d2=0.4, convention=convention)]
    for dist in ("footrule", "rho", "tau"):
        found += [Weighted.DIBRA(dist=dist, convention=convention)]
    return found


def test_without_quirks_each_method_is_the_main_estimator(small):
    lists, qrels = small
    for method in methods("papers"):
        out, measures = method.aggregate(input_df=lists, rels_df=qrels)
        main = method._paper().fit_transform(lists)
        expected = main["pvalue"] if "pvalue" in main else main["score"]
        assert out["ItemID"].tolist() == main["item"].tolist(), method
        np.testing.assert_allclose(out["Score"], expected, rtol=1e-12, err_msg=str(method))
        assert measures["num_rel_ret"].iloc[-1] == qrels["relevance"].sum()


def test_scores_without_the_order_of_the_file_are_the_main_ones(small):
    quirks = {"eval.positive_only", "outrank.truncate", "agg.start_1"}  # those that matter here to no such method
    for room, main in (
        (Linear.CombSUM("borda", convention=quirks), aggregators.CombSUM(norm="borda")),
        (Linear.CombMNZ("rank", convention=quirks), aggregators.CombMNZ(norm="rank")),
        (Linear.CombSUM("z-score", convention=quirks), aggregators.CombSUM(norm="z-score")),
        (Majoritarian.CopelandWinners(convention=quirks), aggregators.Copeland()),
        (MarkovChains.MC1(convention=quirks), aggregators.MarkovChain(chain="mc1")),
        (MarkovChains.MC2(convention=quirks), aggregators.MarkovChain(chain="mc2")),
        (MarkovChains.MC3(convention=quirks), aggregators.MarkovChain(chain="mc3")),
        (MarkovChains.MCT(convention=quirks), aggregators.MarkovChain(chain="mct")),
        (RRA.RRA(convention=quirks), aggregators.RobustRankAggregation()),
        (Weighted.PreferenceRelationsGraph(convention=quirks), aggregators.PreferenceRelations()),
    ):
        out, expected = room.aggregate(input_df=small[0])[0], main.fit_transform(small[0])
        assert out["ItemID"].tolist() == expected["item"].tolist(), room
        score = expected["pvalue"] if "pvalue" in expected else expected["score"]
        np.testing.assert_allclose(out["Score"], score, rtol=1e-9, atol=1e-12, err_msg=str(room))


# Quirks that begin so show in the methods that begin so.
CONCERNED = {
    "outrank": "Outranking",
    "mc": "MC",
    "kemeny": "Kemeny",
    "prefrel": "Preference",
    "agg": "Agglomerative",
    "dibra": "DIBRA",
    "prune": "DIBRA",
    "wire": "DIBRA",
}


@pytest.fixture(scope="module")
def jobs():
    """Small jobs, each with our answer under all quirks."""
    return [(job, run_ours(job)) for job in [*extra_jobs(), *golden()]]


@pytest.mark.parametrize("name", sorted(QUIRKS))
def test_each_quirk_alone_changes_something(name, jobs):
    concerned = CONCERNED.get(name.partition(".")[0].rstrip("1234"), "")
    for job, with_all in jobs:
        if job["name"].startswith(concerned):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # ranks and scores contradict each other on purpose
                without = run_ours({**job, "params": {**job["params"], "convention": set(QUIRKS) - {name}}})
            if any(not one.equals(other) for one, other in zip(with_all, without, strict=True)):
                return
    pytest.fail(f"{name} changes nothing")


def extra_jobs():
    """Jobs for quirks that need an occasion."""
    items = {"u": "abcdefg", "v": "bcadgfe", "w": "hbacd", "x": "cb", "y": "dhgab"}
    lists = [f"q,{v},{i},{r},{9 - r},s\n" for v, ranked in items.items() for r, i in enumerate(ranked, 1)]
    data = {"lists": "".join(lists), "qrels": "q,0,a,2\nq,0,b,1\nq,0,z,1\nq,0,c,0\n"}
    for module, name, params in (
        ("Majoritarian", "OutrankingApproach", {}),
        ("Weighted", "DIBRA", {"max_iter": 1, "tol": 1e-9}),
        ("Weighted", "DIBRA", {"prune": "wire", "d1": 0.7, "d2": 0.5, "num_buckets": 4, "max_iter": 1}),
        ("Weighted", "DIBRA", {"prune": "low", "d1": 0.4, "d2": 0.3}),
        ("Weighted", "PreferenceRelationsGraph", {"alpha": 0.4, "beta": 0.9}),
    ):
        yield {"module": module, "name": name, "params": params, **data}


@given(st.integers(1, 40), st.integers(1, 12), st.integers(0, 2**32 - 1))
def test_sums_are_made_from_left_to_right(n_terms, n_sums, seed):
    terms = np.random.default_rng(seed).normal(size=(n_terms, n_sums)) * 10.0 ** np.arange(n_sums)
    expected = []
    for column in terms.T.tolist():
        total = 0.0
        for term in column:
            total += term
        expected.append(total)
    assert add_up(terms).tolist() == expected
    assert add_up(np.asfortranarray(terms)).tolist() == expected


def test_items_start_in_the_order_of_the_hash_table():
    # Slots by hand: the last 10 bits of 5381 * 33 + the byte, so that 'b' follows 'a'; a newcomer of a slot comes
    # first.
    frame = pd.DataFrame({"query": "q", "voter": "v", "item": ["c", "é", "a", "b"], "rank": range(1, 5), "score": 0.0})
    profile = encode_profile("", frame, quirks_of("flagr"))
    (table,) = profile.tables()
    names = profile.lists.items[table.items]
    slots = dict(zip(profile.lists.items, profile.item_slots, strict=True))
    assert slots["b"] - slots["a"] == 1
    assert slots["a"] == (5381 * 33 + 97) % 1024
    assert slots["é"] == ((5381 * 33 + 0xC3 - 256) * 33 + 0xA9 - 256) % 1024
    assert names[table.hash_order].tolist() == sorted(names, key=slots.get)


def test_kemeny_finds_the_best_of_all_orders():
    rng = np.random.default_rng(3)
    for n in (1, 2, 5):
        gains = rng.integers(0, 2, (4, n, n)) * 0.25
        total = gains.sum(axis=0)

        def value(order, total=total):
            return sum(total[i, j] for i, j in itertools.combinations(order, 2))

        best = max(value(order) for order in itertools.permutations(range(n)))
        assert value(best_order(gains)) == best
        assert value(_best_of_sets(total)) == best


def test_kemeny_goes_beyond_what_is_permuted():
    rng = np.random.default_rng(0)
    true = rng.permutation(11)
    rows = [("q", f"v{v}", f"i{item:02d}", rank, 20.0 - rank) for v in range(3) for rank, item in enumerate(true, 1)]
    frame = pd.DataFrame(rows, columns=["query", "voter", "item", "rank", "score"])
    for convention in ("flagr", "papers"):
        out, _ = Kemeny.KemenyOptimal(convention=convention).aggregate(input_df=frame)
        assert out["ItemID"].tolist() == [f"i{item:02d}" for item in true]
        assert out["Score"].tolist() == [float(12 - k) for k in range(11)]
    with pytest.raises(ValueError, match="at most 16 items; one has 17"):
        Kemeny.KemenyOptimal().aggregate(input_df=by_voter({"v": [f"i{k}" for k in range(17)]}))


# ---------------------------------------------------------------------- what FLAGR does not survive


def by_voter(lists, query="q"):
    rows = [(query, v, i, r, 100.0 - r) for v, items in lists.items() for r, i in enumerate(items, 1)]
    return pd.DataFrame(rows, columns=["query", "voter", "item", "rank", "score"])


def test_strange_names_survive():
    names = ["a,b", 'say "x"', "NA", "null", "007", "7", "x" * 200, "é"]
    frame = by_voter({"v": names, "w,w": names[::-1], "NA": names})
    qrels = pd.DataFrame({"query": "q", "item": names, "relevance": 1})
    for method in methods():
        out, measures = method.aggregate(input_df=frame, rels_df=qrels)
        assert sorted(out["ItemID"]) == sorted(names) or method.prune is not None
        assert measures["num_rel"].iloc[-1] == 8


def test_names_that_are_integers_come_back_as_integers(tmp_path):
    frame = by_voter({"v": [3, 1], "w": [1, 2]}, query=5)
    out, _ = Linear.CombSUM().aggregate(input_df=frame)
    assert out["Query"].tolist() == [5] * 3
    assert out["ItemID"].dtype == np.int64
    out, _ = Linear.CombSUM().aggregate(input_df=frame.astype({"item": str}).replace({"item": {"3": "03"}}))
    assert sorted(out["ItemID"]) == ["03", "1", "2"]


def test_degenerate_lists_are_aggregated():
    one = by_voter({"v": ["a"]})
    flat = by_voter({"v": ["a", "b"], "w": ["b", "a"]}).assign(score=1.0)
    for frame in (one, by_voter({"v": ["a", "b", "c"]}), by_voter({"v": ["a"], "w": ["b"]}), flat):
        for method in methods():
            if getattr(method, "prune", None) is None:
                out, _ = method.aggregate(input_df=frame)
                assert len(out) == frame["item"].nunique()
                assert np.isfinite(out["Score"]).all(), method


def test_many_voters_and_long_lists():
    rng = np.random.default_rng(0)
    names = [f"i{k:04d}" for k in range(1500)]
    out, _ = Linear.CombSUM("rank").aggregate(input_df=by_voter({"v": names, "w": names}))
    assert out["ItemID"].tolist() == names  # FLAGR cuts after 1001
    lists = {f"v{k}": list(rng.permutation(["a", "b", "c"])) for k in range(300)}
    out, _ = RRA.RRA(exact=True).aggregate(input_df=by_voter(lists))
    assert out["Score"].between(0, 1).all()


def test_ranks_may_start_at_0():
    frame = by_voter({"v": ["a", "b", "c"], "w": ["a", "c", "b"]})
    out, _ = RRA.RRA().aggregate(input_df=frame.assign(rank=frame["rank"] - 1))
    assert out["ItemID"].iloc[0] == "a"


def test_files_with_a_header_and_without_a_last_line_end(tmp_path):
    lists, qrels = tmp_path / "lists.csv", tmp_path / "qrels.csv"
    lists.write_text("query,voter,item,rank,score\nq,v,a,1,2\nq,v,b,2,1", encoding="utf-8")
    qrels.write_text("q,0,a,1\nr,0,b,1\nq,0,b,-1\nq,0,c,1", encoding="utf-8")
    out, measures = Linear.BordaCount().aggregate(input_file=lists, rels_file=str(qrels))
    assert out["ItemID"].tolist() == ["a", "b"]
    assert measures["q"].tolist() == ["Topic q", "all"]
    assert measures["num_rel"].tolist() == [2, 2]  # neither the negative one nor that of another query
    assert measures["num_rel_ret"].tolist() == [1, 1]


def test_frames_by_place_and_by_name():
    frame = by_voter({"v": ["a", "b"], "w": ["b", "c"]})
    by_name = Linear.CombSUM().aggregate(input_df=frame)[0]
    placed = frame.assign(source="x").set_axis(range(6), axis=1)
    assert Linear.CombSUM().aggregate(input_df=placed)[0].equals(by_name)
    assert Linear.CombSUM().aggregate(input_df=placed.drop(columns=3))[0].equals(by_name)
    qrels = pd.DataFrame({0: ["q"], 1: [0], 2: ["a"], 3: [1]})
    assert len(Linear.CombSUM().aggregate(input_df=placed, rels_df=qrels)[1]) == 2


def test_results_are_written_to_a_folder(tmp_path):
    frame = by_voter({"v": ["a", "b"]})
    qrels = pd.DataFrame({"query": ["q"], "item": ["a"], "relevance": [1]})
    Linear.CombSUM().aggregate(input_df=frame, rels_df=qrels, out_dir=tmp_path)
    (out,), (measures,) = list(tmp_path.glob("out_*.csv")), list(tmp_path.glob("eval_*.csv"))
    assert out.read_text(encoding="utf-8").splitlines()[0] == "q,PyFLAGR,a,1,1.0,100"
    assert measures.read_text(encoding="utf-8").startswith("q,num_ret,num_rel,num_rel_ret,map,P_1,")
    shutil.rmtree(tmp_path)
    with pytest.raises(NotADirectoryError, match="out_dir must be an existing folder"):
        Linear.CombSUM().aggregate(input_df=frame, out_dir=tmp_path)


FRAME = by_voter({"v": ["a", "b"]})


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: Linear.CombSUM("bord"), ValueError, "norm must be one of 'borda', .*; got 'bord'"),
        (lambda: Linear.CombSUM(eval_pts=0), ValueError, "eval_pts must be an int of at least 1"),
        (lambda: Weighted.DIBRA(prune=True), ValueError, "prune must be one of None, 0, 'low', 'wire'; got True"),
        (lambda: Weighted.DIBRA(dist="euclid"), ValueError, "dist must be one of 'cosine'"),
        (lambda: Weighted.DIBRA(aggregator="borda"), ValueError, "aggregator must be one of 'combsum:borda'"),
        (lambda: Weighted.Agglomerative(c1=0, c2=0), ValueError, "c1 and c2 must be at least 0 and not both 0"),
        (lambda: MarkovChains.MC(chain=1), ValueError, "chain must be one of 801"),
        (lambda: Linear.CombSUM(convention="flag"), ValueError, "convention must be 'flagr'"),
        (lambda: Linear.CombSUM(convention={"x"}), ValueError, "convention must hold names of QUIRKS, .* got x"),
        (lambda: Linear.CombSUM().aggregate(), ValueError, "The lists must be given"),
        (lambda: Linear.CombSUM().aggregate("no/such/file.csv"), FileNotFoundError, "no/such/file"),
        (lambda: Linear.CombSUM().aggregate(input_df=[1]), TypeError, "must be a pandas DataFrame; got list"),
        (lambda: Linear.CombSUM().aggregate(input_df=FRAME.iloc[:0]), ValueError, "at least one row"),
        (lambda: Linear.CombSUM().aggregate(input_df=FRAME[["query", "item"]]), ValueError, "must have the columns"),
        (lambda: Linear.CombSUM().aggregate(input_df=FRAME.assign(item=None)), ValueError, "2 are missing"),
        (
            lambda: Linear.CombSUM().aggregate(input_df=FRAME.assign(item="a")),
            ValueError,
            "of voter 'v' for query 'q' holds 'a' twice",
        ),
        (lambda: Linear.CombSUM().aggregate(input_df=FRAME.assign(score=np.nan)), ValueError, "finite numbers"),
        (lambda: Linear.CombSUM().aggregate(input_df=FRAME.assign(rank=-1)), ValueError, "'rank' must hold finite"),
        (
            lambda: Linear.CombSUM("score").aggregate(input_df=FRAME.drop(columns="score")),
            ValueError,
            "needs scores and the lists have ranks only",
        ),
        (
            lambda: Linear.CombSUM().aggregate(input_df=FRAME[["query", "voter", "item"]]),
            ValueError,
            "'rank' or 'score'",
        ),
        (
            lambda: Linear.CombSUM().aggregate(
                input_df=FRAME, rels_df=pd.DataFrame({"query": ["x"], "item": ["a"], "relevance": [1]})
            ),
            ValueError,
            "judge some query of the lists",
        ),
        (lambda: Weighted.DIBRA(prune="low", d1=0, d2=0).aggregate(input_df=FRAME), ValueError, "leave no item"),
        (lambda: Comparator.Comparator(5).aggregate(input_df=FRAME), ValueError, "has no methods"),
        (lambda: one_method().aggregate(input_df=FRAME), ValueError, "needs judgements"),
        (lambda: one_method().get_results(3), ValueError, "no results yet"),
    ],
)
def test_what_is_wrong_is_said(call, error, message):
    with pytest.raises(error, match=message):
        call()


def one_method():
    comparator = Comparator.Comparator(5)
    comparator.add_aggregator("sum", Linear.CombSUM(eval_pts=5))
    return comparator


class Foreign:
    """A method of somebody else, with PyFLAGR's aggregate."""

    def aggregate(self, input_file, input_df, rels_file, rels_df):
        return Linear.CombSUM(eval_pts=5).aggregate(input_file, input_df, rels_file, rels_df)


def test_comparator_picks_rows_and_columns(small, capsys):
    comparator = one_method()
    comparator.add_aggregator("foreign", Foreign())
    comparator.aggregate(input_df=small[0], rels_df=small[1])
    assert capsys.readouterr().out == "Running sum ...\nRunning foreign ...\n"
    table = comparator.get_results(2, ["map", "recall", "dcg"], query="Topic 2")
    assert table.columns.tolist() == ["Mean Average Precision (MAP)", "recall_1", "recall_2", "dcg_cut_1", "dcg_cut_2"]
    assert table.index.tolist() == ["sum", "foreign"]
    assert table.loc["sum"].equals(table.loc["foreign"].rename("sum"))
    assert comparator.get_results(5).shape == (2, 26)
    assert comparator.get_results(3, "precision").columns.tolist() == ["P_1", "P_2", "P_3"]
    assert comparator.convert_to_latex(2).count("&") == 3 * 24
    with pytest.raises(ValueError, match="query must be one of Topic 1, "):
        comparator.get_results(3, query="Topic 9")
    with pytest.raises(ValueError, match="cutoff must be from 1 to the 5"):
        comparator.get_results(6, "ndcg")
    with pytest.raises(ValueError, match="metric must be one of 'map'"):
        comparator.get_results(2, "f1")


def test_comparator_draws(small):
    pyplot = pytest.importorskip("matplotlib.pyplot")
    comparator = one_method()
    comparator.aggregate(input_df=small[0], rels_df=small[1])
    display = comparator.plot_average_precision((6, 2), True)
    assert display.figure_.get_size_inches().tolist() == [6, 2]
    display = comparator.plot_metric(3, "ndcg", plot_type="line", query="Topic 1")
    (line,) = display.ax_.lines
    assert line.get_ydata().tolist() == comparator.get_results(3, "ndcg", query="Topic 1").iloc[0].tolist()
    display = comparator.plot_metric(3, "recall")
    assert [bar.get_height() for bar in display.ax_.patches] == comparator.get_results(3, "recall").iloc[0].tolist()
    assert display.ax_.get_ylabel() == "Recall"
    with pytest.raises(ValueError, match="kind must be 'line' or 'bar'"):
        comparator.plot_metric(3, "recall", plot_type="pie")
    pyplot.close("all")
