"""Measures compared with trec_eval, pytrec_eval and ir_measures, with the conventions in which they differ.

Where the peers are wrong, the reason is next to the number.
"""

import shutil

import numpy as np
import pandas as pd
import pytest
from judged_runs import nested, pytrec, random_judged_runs

from skrankagg import Qrels, RankedLists, evaluate
from skrankagg.compat.pyflagr import flagr_metrics, flagr_table
from skrankagg.datasets import read_lists, read_qrels

# trec_eval's names, as pytrec_eval accepts and returns them, and our names.
LEVELS = (0.0, 0.1, 0.2, 0.5, 0.7, 1.0)
SHARED = {
    **{f"P_{k}": f"p@{k}" for k in (1, 5, 10, 100)},
    **{f"recall_{k}": f"recall@{k}" for k in (5, 10, 100)},
    **{f"success_{k}": f"success@{k}" for k in (1, 5, 10)},
    **{f"map_cut_{k}": f"map@{k}" for k in (5, 10, 100)},
    **{f"ndcg_cut_{k}": f"ndcg@{k}" for k in (5, 10, 100)},
    # pytrec_eval rounds the relevant items that a recall needs as trec_eval did up to 9.0.8.
    **{f"iprec_at_recall_{level:.2f}": f"iprec@{level}[rounding=up]" for level in LEVELS},
    **{name: name for name in ("map", "ndcg", "bpref", "num_ret", "num_rel", "num_rel_ret")},
    **{"recip_rank": "mrr", "Rprec": "rprec", "11pt_avg": "11pt[rounding=up]", "infAP": "infap", "set_F": "set_f"},
}


def assert_equal_per_query(ours, theirs, names):
    assert len(theirs) and set(theirs.index) <= set(ours.index)
    for theirs_name, ours_name in names.items():
        np.testing.assert_allclose(
            ours.loc[theirs.index, ours_name], theirs[theirs_name], rtol=1e-12, atol=1e-12, err_msg=ours_name
        )


@pytest.mark.sampled(1)
@pytest.mark.parametrize("seed", range(4))
def test_evaluate_equals_pytrec_eval_on_shared_measures_with_ties(seed):
    run, qrels = random_judged_runs(seed)
    ours = evaluate(run, qrels, list(SHARED.values()), per_query=True, gain="linear", ties="trec_eval")
    theirs = pytrec(run, qrels, SHARED)
    assert_equal_per_query(ours, theirs, SHARED)
    missing_queries = ours.drop(theirs.index)  # judged queries without results: zeros here, left out there
    assert len(missing_queries) == 5 and (missing_queries.drop(columns="num_rel") == 0).all(axis=None)


def test_evaluate_equals_pytrec_eval_at_another_relevance_level():
    run, qrels = random_judged_runs(11)
    names = {theirs: ours for theirs, ours in SHARED.items() if "ndcg" not in ours}  # nDCG knows no level
    ours = evaluate(run, qrels, list(names.values()), per_query=True, relevance_threshold=2, ties="trec_eval")
    assert_equal_per_query(ours, pytrec(run, qrels, names, relevance_level=2), names)


def test_evaluate_of_float32_scores_equals_pytrec_eval():
    # Two scores that differ by 1e-8 are equal in float32: the order turns to that of the items.
    run = pd.DataFrame({"query": "q", "item": ["a", "b"], "score": [1.0 + 1e-8, 1.0]})
    qrels = pd.DataFrame({"query": "q", "item": ["a", "b"], "relevance": [1, 0]})
    assert pytrec(run, qrels, ["recip_rank"]).iloc[0, 0] == 0.5  # wrong: a has the higher score
    assert evaluate(run, qrels, "mrr", ties="trec_eval").iloc[0, 0] == 1.0
    rounded = run.assign(score=run["score"].astype(np.float32))
    assert evaluate(rounded, qrels, "mrr", ties="trec_eval").iloc[0, 0] == 0.5


def test_evaluate_deviates_from_ranx_in_bpref_and_rbp():
    # Written down from ranx 0.3.21: bpref of a query without judged irrelevant items is NaN there, 1 in trec_eval and
    # here; its rbp multiplies by the grade and can exceed 1.
    assert evaluate([["a"]], [{"a": 1}], "bpref").iloc[0, 0] == 1.0
    value = evaluate([["x", "a", "b"]], [{"x": 2, "b": 1}], "rbp[persistence=0.95]").iloc[0, 0]
    assert value == pytest.approx(0.05 * (1 + 0.95**2)) and value <= 1


IR_MEASURES = {
    **{f"P@{k}": f"p@{k}" for k in (1, 10)},
    **{f"P(rel=2)@{k}": f"p@{k}[relevance_threshold=2]" for k in (5,)},
    **{"R@10": "recall@10", "R(rel=2)@10": "recall@10[relevance_threshold=2]", "Success@5": "success@5"},
    **{"AP": "map", "AP@10": "map@10", "AP(rel=2)": "map[relevance_threshold=2]", "RR": "mrr", "RR@10": "mrr@10"},
    **{"nDCG": "ndcg[gain=linear]", "nDCG@10": "ndcg@10[gain=linear]", "Rprec": "rprec", "Bpref": "bpref"},
    **{"infAP": "infap", "IPrec@0.2": "iprec@0.2[rounding=up]", "Judged@10": "judged@10"},
    **{"NumRet": "num_ret", "NumRet(rel=1)": "num_rel_ret"},
    # This library reads the same texts: a parameter of ir_measures must be a float there, such as 2.0 instead of 2.
    **{name: name for name in ("SetF", "SetF(rel=2)", "SetF(beta=0.5)", "SetF(beta=2.0,rel=2)")},
}


@pytest.mark.parametrize("seed", range(2))
def test_evaluate_equals_ir_measures(seed):
    ir_measures = pytest.importorskip("ir_measures")
    run, qrels = random_judged_runs(20 + seed)
    # Their providers break ties in different ways: no ties here.
    rng = np.random.default_rng(seed)
    run["score"] = rng.permutation(len(run)) / 8
    measures = {ir_measures.parse_measure(theirs): ours for theirs, ours in IR_MEASURES.items()}
    found = ir_measures.iter_calc(list(measures), nested(qrels, "relevance", int), nested(run, "score"))
    ours = evaluate(run, qrels, list(measures.values()), per_query=True)
    seen = set()
    for metric in found:
        value = ours.loc[metric.query_id, measures[metric.measure]]
        assert value == pytest.approx(metric.value, rel=1e-12, abs=1e-12), metric
        seen.add(metric.measure)
    assert seen == set(measures)


def numbered_runs(seed):
    """Return runs without ties, with integer queries and grades from 0 to 4."""
    run, qrels = random_judged_runs(seed, n_queries=12)
    run["score"] = np.random.default_rng(seed).permutation(len(run)) / 8
    qrels["relevance"] = qrels["relevance"].clip(0) + (qrels["relevance"] == 3)
    number = {f"q{k}": str(k + 1) for k in range(12)}
    return run.assign(query=run["query"].map(number)), qrels.assign(query=qrels["query"].map(number))


def compared_with_ir_measures(measures, run, qrels):
    ir_measures = pytest.importorskip("ir_measures")
    measures = {ir_measures.parse_measure(theirs): ours for theirs, ours in measures.items()}
    ours = evaluate(run, qrels, list(measures.values()), per_query=True)
    found = list(ir_measures.iter_calc(list(measures), nested(qrels, "relevance", int), nested(run, "score")))
    assert {metric.measure for metric in found} == set(measures)
    return [(ours.loc[metric.query_id, measures[metric.measure]], metric.value) for metric in found]


def test_rbp_equals_cwl_eval():
    pytest.importorskip("cwl")
    measures = {
        "RBP(rel=1,p=0.8)": "rbp",
        "RBP(rel=2,p=0.95)": "rbp[persistence=0.95,relevance_threshold=2]",
    }
    for ours, theirs in compared_with_ir_measures(measures, *numbered_runs(30)):
        assert ours == pytest.approx(theirs, rel=1e-12, abs=1e-12)


@pytest.mark.skipif(shutil.which("perl") is None, reason="gdeval is a Perl script")
def test_err_and_ndcg_equal_gdeval_to_its_five_decimals():
    measures = {
        "ERR@5": "err@5",
        "ERR@20": "err@20",
        "nDCG(dcg='exp-log2')@5": "ndcg@5",
        "nDCG(dcg='exp-log2')@20": "ndcg@20",
    }
    run, qrels = numbered_runs(31)
    # It fails on a query without relevant items.
    relevant = qrels.groupby("query")["relevance"].transform("max") > 0
    for ours, theirs in compared_with_ir_measures(measures, run, qrels[relevant]):
        assert ours == pytest.approx(theirs, abs=5.1e-6)


def test_map_over_all_judged_queries_equals_ir_measures():
    ir_measures = pytest.importorskip("ir_measures")
    run, qrels = random_judged_runs(3, n_scores=1)
    run["score"] = np.arange(len(run)) / 8
    theirs = ir_measures.calc_aggregate([ir_measures.AP], nested(qrels, "relevance", int), nested(run, "score"))
    assert evaluate(run, qrels, "map").iloc[0, 0] == pytest.approx(theirs[ir_measures.AP], rel=1e-12)


# ---------------------------------------------------------------------- reference output on real data


def expected_output(path):
    """Read a file of trec_eval's output: measure, query, value."""
    table = pd.read_csv(path, sep=r"\s+", header=None, names=["measure", "query", "value"], dtype=str)
    return table.set_index(["query", "measure"])["value"]


TREC_EVAL = {
    **{
        f"{theirs}_{k}": f"{ours}@{k}"
        for theirs, ours in {"P": "p", "recall": "recall", "map_cut": "map", "ndcg_cut": "ndcg"}.items()
        for k in (5, 10, 15, 20, 30, 100, 200, 500, 1000)
    },
    **{f"success_{k}": f"success@{k}" for k in (1, 5, 10)},
    **{f"iprec_at_recall_{level / 10:.2f}": f"iprec@{level / 10}" for level in range(11)},
    **{"num_ret": "num_ret", "num_rel": "num_rel", "num_rel_ret": "num_rel_ret", "map": "map", "gm_map": "gmap"},
    **{"Rprec": "rprec", "bpref": "bpref", "recip_rank": "mrr", "infAP": "infap", "11pt_avg": "11pt", "ndcg": "ndcg"},
    **{"rbp": "rbp[persistence=0.9]", "rbp_resid": "rbp_resid[persistence=0.9]"},
    **{f"unj_{k}": f"judged@{k}" for k in (5, 10, 20)},  # the share that is not judged there
}


@pytest.mark.parametrize(
    ("output", "run", "judged", "missing_queries", "depth"),
    [
        ("out.test.a", "results.test", "qrels.test", "skip", None),
        ("out.test.aqc", "results.trunc", "qrels.test", "zero", None),
        ("out.test.aqcM", "results.trunc", "qrels.test", "zero", 100),
    ],
)
def test_evaluate_passes_the_regression_suite_of_trec_eval(shared_data, output, run, judged, missing_queries, depth):
    folder = shared_data / "trec_eval"
    expected = expected_output(folder / output)
    qrels = read_qrels(folder / judged)
    run = pd.read_csv(folder / run, sep=r"\s+", header=None, usecols=[0, 2, 4], names=["query", "item", "score"])
    run["query"] = run["query"].astype(str).astype(qrels["query"].dtype)
    if depth:
        run = run.sort_values(["query", "score", "item"], ascending=[True, False, False]).groupby("query").head(depth)
    names = TREC_EVAL
    options = {"gain": "linear", "ties": "trec_eval", "missing_queries": missing_queries}
    queries = evaluate(run, qrels, list(names.values()), per_query=True, **options)
    table = evaluate(run, qrels, list(names.values()), **options).rename(index={"run": "all"})
    table = pd.concat([table, queries.set_axis(queries.index.astype(str))]).set_axis(list(names), axis=1)
    unjudged = [name for name in table if name.startswith("unj")]
    table[unjudged] = 1 - table[unjudged].where(table["num_ret"] > 0, 1.0)
    table.loc["all", unjudged] = table.loc[table.index != "all", unjudged].mean()
    table.loc[table.index != "all", "gm_map"] = np.nan  # of one query they write the logarithm
    table = table.unstack().swaplevel()
    shared = table.index.intersection(expected.index)
    assert len(shared) >= 60
    np.testing.assert_allclose(table[shared], expected[shared].astype(float), atol=5.1e-5, rtol=0)


@pytest.mark.exhaustive
def test_evaluate_equals_trec_eval_on_twelve_robust_runs(shared_data):
    folder = shared_data / "robust03"
    expected = pd.read_csv(folder / "expected_trec_eval_9.tsv.gz", sep="\t", header=None, dtype=str)
    expected.columns = ["run", "measure", "query", "value"]
    known = {name: ours for name, ours in TREC_EVAL.items() if name != "gm_map"}  # of one query, the logarithm
    expected = expected[expected["measure"].isin(known) & (expected["query"] != "all")]
    qrels = Qrels.from_frame(read_qrels(folder / "robust03_qrels.txt.gz").astype({"query": str}))
    names = {name: known[name] for name in expected["measure"].unique()}
    for path in sorted((folder / "runs").glob("*.gz")):
        run = read_lists(path).astype({"query": str})[["query", "item", "score"]]
        ours = evaluate(
            RankedLists.from_frame(run),
            qrels,
            list(names.values()),
            per_query=True,
            gain="linear",
            ties="trec_eval_float32",
        )
        ours.columns = list(names)
        theirs = expected[expected["run"] == path.name.removesuffix(".gz")]
        theirs = theirs.pivot(index="query", columns="measure", values="value").astype(float)
        assert len(theirs) == 100
        for name in theirs:
            np.testing.assert_allclose(ours.loc[theirs.index, name], theirs[name], atol=5.1e-5, rtol=0, err_msg=name)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("name", ["pircRBa1", "uic0301", "humR03dc"])
def test_evaluate_equals_pytrec_eval_on_robust_runs(shared_data, name):
    folder = shared_data / "robust03"
    qrels = read_qrels(folder / "robust03_qrels.txt.gz").astype({"query": str})
    run = read_lists(folder / "runs" / f"input.{name}.gz").astype({"query": str})[["query", "item", "score"]]
    run["score"] = run["score"].astype(np.float32).astype(np.float64)  # as pytrec_eval does
    ours = evaluate(run, qrels, list(SHARED.values()), per_query=True, gain="linear", ties="trec_eval")
    assert_equal_per_query(ours, pytrec(run, qrels, SHARED), SHARED)


def test_evaluate_equals_pytrec_eval_on_mq2008_with_many_ties(shared_data):
    folder = shared_data / "mq2008agg"
    columns = {"header": None, "dtype": {0: str}}
    lists = pd.read_csv(folder / "rank_agg.csv.gz", names=["query", "voter", "item", "score"], **columns)
    qrels = pd.read_csv(folder / "rel_agg.csv.gz", names=["query", "0", "item", "relevance"], **columns)
    # The number of lists that contain an item: small integers, most of them tied.
    run = lists[lists["voter"] <= 6].groupby(["query", "item"], as_index=False).size().rename(columns={"size": "score"})
    qrels = qrels.drop_duplicates(["query", "item"])
    ours = evaluate(run, qrels, list(SHARED.values()), per_query=True, gain="linear", ties="trec_eval")
    theirs = pytrec(run, qrels, SHARED)
    assert len(theirs) > 700
    assert_equal_per_query(ours, theirs, SHARED)


@pytest.mark.filterwarnings("ignore::skrankagg.exceptions.RankScoreConflictWarning")  # its p-values ascend
def test_evaluate_reproduces_flagrs_evaluation(shared_data):
    # PyFLAGR's own lists of 21 methods, evaluated by its conventions: ideal lists of what was returned. Items with a
    # score of at most 0 are not relevant there, a rule of the compatibility module, whose tests have the other methods.
    folder = shared_data / "flagr"
    qrels = Qrels.from_frame(read_qrels(folder / "testdata_qrels.csv").astype({"query": str}))
    paths = sorted((folder / "pyflagr-1.0.18").glob("*_out.csv"))
    assert len(paths) == 21
    runs, expected = {}, []
    for path in paths:
        name = path.name.removesuffix("_out.csv")
        run = pd.read_csv(path, dtype={"Query": str})
        run.columns = ["query", *run.columns[1:]]
        if (run["Score"] <= 0).any():
            continue
        # Its order among equal scores is that of its own ranks.
        runs[name] = run.rename(columns={"ItemID": "item", "Rank": "rank", "Score": "score"})
        expected.append(pd.read_csv(path.with_name(f"{name}_eval.csv")).assign(Method=name))
    names = flagr_metrics(10)
    per_query = evaluate(runs, qrels, names, per_query=True).rename_axis(["method", "query"])
    ours = flagr_table(evaluate(runs, qrels, names), per_query)
    theirs = pd.concat(expected)
    assert ours.shape == (18 * 21, 46)
    theirs["q"] = theirs["q"].astype(str).str.removeprefix("Topic ").str.strip()
    ours["q"] = ours["q"].astype(str).str.removeprefix("Topic ").str.strip()
    keys = ["Method", "q"]
    both = ours.merge(theirs, on=keys, validate="1:1", suffixes=("", "_flagr"))
    assert len(both) == 18 * 21
    columns = [column for column in theirs.columns if column not in keys]
    assert len(columns) == 44
    for column in columns:
        mine = "Mean Average Precision (MAP)" if column == "map" else column
        other = column if column == "map" else f"{column}_flagr"
        np.testing.assert_allclose(both[mine], both[other], atol=1.1e-6, err_msg=column)


def test_evaluate_avoids_known_defects_of_peers():
    # Each as reported by users; the peers' numbers are recorded, not computed.
    # ranx truncates grades to integers: 1.9 counts as 1.
    assert evaluate([["a"]], [{"a": 1.9}], "dcg@1[gain=linear]").iloc[0, 0] == 1.9
    # ranx refuses runs whose queries differ from the judged ones; here the judgements determine the queries.
    run = pd.DataFrame({"query": ["a", "x"], "item": ["i", "i"], "rank": 1})
    qrels = pd.DataFrame({"query": ["a", "b"], "item": ["i", "i"], "relevance": 1})
    assert evaluate(run, qrels, "p@1").iloc[0, 0] == 0.5
    # ranx orders equal scores as they come; here the order of the rows does not matter.
    tied = pd.DataFrame({"query": "q", "item": [f"d{k:02}" for k in range(40)], "score": 1.0})
    truth = pd.DataFrame({"query": "q", "item": ["d07"], "relevance": 1})
    assert {evaluate(tied.sample(frac=1, random_state=k), truth, "mrr").iloc[0, 0] for k in range(5)} == {1 / 8}
    # trec_eval's rbp reads a lowest and a highest gain that are never set; a gain here is 1, or a share of max_grade.
    assert evaluate([["a"]], [{"a": 3}], "rbp[persistence=0.9]").iloc[0, 0] == pytest.approx(0.1)
    # FLAGR's nDCG of a list that lacks relevant items can still be 1.
    lacking = [["a"]], [{"a": 1, "b": 1}]
    assert evaluate(*lacking, "ndcg@5[ideal=retrieved]").iloc[0, 0] == 1.0
    assert evaluate(*lacking, "ndcg@5").iloc[0, 0] < 1.0
    # Others give nDCG above 1 where an ideal list is shorter than the cutoff or graded otherwise.
    assert evaluate([["a", "b", "c"]], [{"a": 3, "b": 2, "c": 1}], "ndcg@10").iloc[0, 0] == 1.0
