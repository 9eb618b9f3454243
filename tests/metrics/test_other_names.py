"""Names of measures in other tools give the same values or an error that names the nearest measure."""

import re
from fractions import Fraction
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from judged_runs import nested, pytrec, random_judged_runs
from sklearn.metrics import fbeta_score

from skrankagg import CombSUM, Comparator, Copeland, evaluate
from skrankagg._command_line import main
from skrankagg._support._suggestions import find_similar
from skrankagg.datasets import make_ranked_lists
from skrankagg.exceptions import InputError
from skrankagg.metrics import agreement_matrix, consensus_score, get_measure, measure_names
from skrankagg.metrics._relevance._measure import MEASURES
from skrankagg.metrics._relevance._measure_names import _ABSENT
from skrankagg.model_selection import compare_methods, select_results

ROOT = Path(__file__).resolve().parents[2]

PYTREC = [
    *(f"{name}_{k}" for name in ("P", "recall", "success", "map_cut", "ndcg_cut") for k in (1, 5, 10, 100)),
    *("map", "recip_rank", "Rprec", "bpref", "infAP", "num_ret", "num_rel", "num_rel_ret"),
]

#: Names in other tools and their names here.
NAMES = {
    **{"P_10": "p@10", "P.10": "p@10", "p@10": "p@10", "precision@10": "p@10", "Precision_10": None},
    **{"recall_100": "recall@100", "recall.100": "recall@100", "R@100": "recall@100", "Recall@5": "recall@5"},
    **{"success_5": "success@5", "Success@5": "success@5", "hit_rate@5": "success@5", "Hit-Rate@5": "success@5"},
    **{"map_cut_10": "map@10", "map_cut.10": "map@10", "AP@10": "map@10", "AP": "map", "MAP": "map"},
    **{"average_precision@10": "map@10", "mean_average_precision": "map", "gm_map": "gmap"},
    **{"ndcg_cut_10": "ndcg@10[gain=linear]", "ndcg_cut.10": "ndcg@10[gain=linear]", "nDCG@10": "ndcg@10"},
    **{"ndcg_burges@10": "ndcg@10[gain=exponential]", "dcg_burges@10": "dcg@10[gain=exponential]"},
    **{"ndcg_cut_10[ideal=retrieved]": "ndcg@10[gain=linear,ideal=retrieved]"},
    **{"nDCG(dcg='log2')@10": "ndcg@10[gain=linear]", "nDCG(dcg='exp-log2')": "ndcg[gain=exponential]"},
    **{"recip_rank": "mrr", "RR": "mrr", "RR@10": "mrr@10", "MRR": "mrr", "mean_reciprocal_rank": "mrr"},
    **{"reciprocal_rank@3": "mrr@3", "Rprec": "rprec", "RPrec": "rprec", "r-precision": "rprec"},
    **{"ERR@20": "err@20", "expected_reciprocal_rank": "err", "Bpref": "bpref", "infAP": "infap"},
    **{"iprec_at_recall_0.10": "iprec@0.1", "iprec_at_recall_0.10[rounding=up]": "iprec@0.1[rounding=up]"},
    **{"IPrec@0.2": "iprec@0.2", "11pt_avg": "11pt", "Judged@10": "judged@10", "judged_share@10": "judged@10"},
    **{"NumRet": "num_ret", "NumRel": "num_rel", "NumRelRet": "num_rel_ret"},
    **{"NumRet(rel=2)": "num_rel_ret[relevance_threshold=2.0]", "P(rel=2)@5": "p@5[relevance_threshold=2.0]"},
    **{"AP(rel=2)": "map[relevance_threshold=2.0]", "RBP(p=0.9,rel=1)": "rbp[persistence=0.9,relevance_threshold=1.0]"},
    **{"hits@10": "success@10", "SetF": "set_f", "set_F": "set_f", "SetF(beta=0.5)": "set_f[recall_weight=0.5]"},
    **{"SetF(rel=2)": "set_f[relevance_threshold=2.0]", "SetF(judged_only=False)": "set_f"},
    **{"SetF(rel=2, beta=2)": "set_f[recall_weight=2.0,relevance_threshold=2.0]"},
    **{"rank_biased_precision@5": "rbp@5", "mean_average_r_precision@5,10": "marp@5,10"},
}


@pytest.mark.parametrize("name", NAMES)
def test_get_measure_accepts_names_of_other_tools(name):
    if NAMES[name] is None:
        with pytest.raises(InputError, match=f"'{name}' is not a measure"):
            get_measure(name)
    else:
        assert str(get_measure(name)) == NAMES[name]
        assert str(get_measure(f" {name.upper()} " if "(" not in name and "[" not in name else name)) == NAMES[name]


def test_evaluation_page_lists_names_of_other_tools_correctly():
    page = (ROOT / "docs" / "evaluation.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (.*) \| (.*) \|$", page.split("| elsewhere | read as |")[1].split("\n\n")[0], re.MULTILINE)
    assert len(rows) == 13
    for theirs, ours in rows:
        theirs, ours = (re.findall("`([^`]+)`", cell) for cell in (theirs, ours))
        ours = [name for name in ours if name != 'rounding="up"']
        assert {repr(get_measure(name)) for name in theirs} == {repr(get_measure(name)) for name in ours}


def test_names_cover_every_alias():
    tried = {name.partition("@")[0].partition("(")[0].lower().replace("-", "_") for name in NAMES}
    others = {other for measure in MEASURES.values() for other in measure.other_names}
    assert others <= tried | {name.rpartition(mark)[0] for name in map(str.lower, NAMES) for mark in "_."}


@pytest.mark.parametrize("seed", range(3))
def test_evaluate_equals_pytrec_eval_under_its_names(seed):
    run, qrels = random_judged_runs(seed)
    theirs = pytrec(run, qrels, PYTREC)
    ours = evaluate(run, qrels, PYTREC, ties="trec_eval", missing_queries="skip", per_query=True)
    assert list(ours) == PYTREC
    np.testing.assert_allclose(ours, theirs.loc[ours.index, PYTREC], rtol=1e-12, atol=1e-12)
    # The gain belongs to the name and is independent of other measures' gains.
    again = evaluate(run, qrels, ["ndcg_cut_10", "ndcg@10"], gain="exponential", ties="trec_eval", per_query=True)
    np.testing.assert_allclose(again.loc[theirs.index, "ndcg_cut_10"], theirs["ndcg_cut_10"], rtol=1e-12)
    assert (again["ndcg_cut_10"] - again["ndcg@10"]).abs().max() > 0.01


def test_iprec_and_11pt_with_rounding_up_equal_pytrec_eval():
    run, qrels = random_judged_runs(5)
    names = ["iprec_at_recall_0.10", "iprec_at_recall_0.70", "11pt_avg"]
    theirs = pytrec(run, qrels, names)
    ours = evaluate(run, qrels, names, rounding="up", ties="trec_eval", missing_queries="skip", per_query=True)
    np.testing.assert_allclose(ours, theirs.loc[ours.index, names], rtol=1e-12)
    nearest = evaluate(run, qrels, names, ties="trec_eval", missing_queries="skip", per_query=True)
    assert (nearest - ours).abs().max().max() > 0.01


def test_gm_map_equals_trec_eval():
    pytrec_eval = pytest.importorskip("pytrec_eval")
    run, qrels = random_judged_runs(6)
    evaluator = pytrec_eval.RelevanceEvaluator(nested(qrels, "relevance", int), {"gm_map"})
    logs = [values["gm_map"] for values in evaluator.evaluate(nested(run, "score")).values()]
    ours = evaluate(run, qrels, "gm_map", ties="trec_eval", missing_queries="skip").iloc[0, 0]
    assert ours == pytest.approx(np.exp(np.mean(logs)), rel=1e-12)


def test_names_of_ranx_and_ir_measures_have_their_defined_values():
    run, qrels = {"q": ["a", "b", "c", "d"]}, {"q": {"a": 1, "c": 3, "e": 2, "b": 0}}
    linear = 1 + 3 / 2
    exponential = 1 + 7 / 2
    ideal = 7 + 3 / np.log2(3) + 1 / 2
    values = evaluate({"run": run}, qrels, ["dcg_burges@3", "ndcg_burges@3", "nDCG(dcg='log2')@3", "R@3", "hit_rate@1"])
    expected = [exponential, exponential / ideal, linear / (3 + 2 / np.log2(3) + 1 / 2), 2 / 3, 1.0]
    np.testing.assert_allclose(values.iloc[0], expected, rtol=1e-14)
    assert get_measure("P(rel=2)@3")(run, qrels) == 1 / 3


def test_find_column_accepts_other_names_of_a_measure():
    lists, qrels, _ = make_ranked_lists(n_queries=6, random_state=0)
    methods = [("sum", CombSUM()), ("copeland", Copeland())]
    comparator = Comparator(methods, metrics=["P_10", "ndcg_cut_10", "rbp_resid"], qrels=qrels).fit(lists)
    assert list(comparator.per_query_) == ["P_10", "ndcg_cut_10", "rbp_resid"]
    assert compare_methods(comparator.per_query_, "sum", metric="p@10").equals(comparator.compare("sum", metric="P_10"))
    chosen = select_results(comparator.results_, metric=["precision", "ndcg@10[gain=linear]"])
    assert list(chosen) == ["P_10", "ndcg_cut_10"]
    with pytest.raises(InputError, match=r"must be one of .*got 'map'"):
        comparator.compare("sum", metric="map")
    with pytest.raises(InputError, match="'map@10' and 'map_cut_10' are the same"):
        evaluate(lists, qrels, ["map@10", "map_cut_10"])


@pytest.mark.parametrize(("beta", "rel"), [(None, None), (0.5, None), (2, 2), (0, 1), (3.7, 2)])
def test_setf_equals_the_formula_in_exact_fractions(beta, rel):
    """ir_measures 0.4.3 and trec_eval use ``beta`` itself where scikit-learn's F measure uses its square."""
    run, qrels = random_judged_runs(21)
    arguments = ", ".join(f"{key}={value}" for key, value in (("beta", beta), ("rel", rel)) if value is not None)
    name = f"SetF({arguments})" if arguments else "SetF"
    ours = evaluate(run, qrels, name, per_query=True, missing_queries="zero")[name]
    weight, threshold = Fraction(1 if beta is None else beta), rel or 1
    values = []
    for query, judged in qrels.groupby("query"):
        relevant = set(judged["item"][judged["relevance"] >= threshold])
        returned = set(run["item"][run["query"] == query])
        found = len(relevant & returned)
        if found:
            precision, recall = Fraction(found, len(returned)), Fraction(found, len(relevant))
            value = (weight + 1) * precision * recall / (recall + weight * precision)
        else:
            value = Fraction(0)
        values.append(value)
        assert ours[query] == pytest.approx(float(value), rel=1e-14, abs=0), query
    assert len(set(values)) > 10


def test_setf_uses_the_square_of_beta_of_scikit_learn():
    relevant, returned = np.array([1, 1, 1, 0, 0, 0, 0, 1]), np.array([1, 1, 0, 1, 1, 1, 0, 0])
    theirs = fbeta_score(relevant, returned, beta=2)
    ours = get_measure("SetF(beta=4)")(np.flatnonzero(returned).tolist(), np.flatnonzero(relevant).tolist())
    assert ours == pytest.approx(theirs, rel=1e-14) and theirs == pytest.approx(5 * 2 / (5 + 4 * 4), rel=1e-14)


# ---------------------------------------------------------------------- refused


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("set_P", r"the nearest is set_f\[recall_weight=0\]"),
        ("SetF(judged_only=True)", r"cannot be read\. Write conventions in brackets, as in set_f\[option=value\]"),
        ("SetF@5", "'set_f' has no cutoff"),
        ("SetF(beta=-1)", "`recall_weight` must be a finite number of at least 0; got -1.0"),
        ("SetF(beta=high)", "recall_weight in .* must be a number; got 'high'"),
        ("SetAP(rel=1)", "the nearest is p@k times recall@k"),
        ("relative_P_10", "the nearest is rprec@k"),
        ("nERR@10", "the nearest is err@k"),
        ("nERR10@20", "the nearest is err@k"),
        ("alpha_nDCG@20", "the nearest is ndcg@k: judgements have no subtopics"),
        ("rbp.95", r"the nearest is rbp\[persistence=0.95\]"),
        ("num_q", "the nearest is the number of rows"),
        ("INST", "the nearest is rbp"),
        ("RBP(p=0.8)", r"Write conventions in brackets, as in rbp\[option=value\]"),  # its gains are grades
        ("P(judged_only=True)@5", r"cannot be read\. Write conventions in brackets, as in p@5\[option=value\]"),
        ("map_cut", "'map_cut' needs a cutoff; write map_cut_10, or map for all places"),
        ("ndcg_cut", "'ndcg_cut' needs a cutoff"),
        ("P", "'P' needs a cutoff"),
        ("P_5,10", "The cutoff of 'P_5,10' must be a whole number"),
        ("P_0", "must be a whole number of at least 1"),
        ("iprec_at_recall_1.5", "must be a recall from 0 to 1"),
        ("recip_rank_5", r"'recip_rank_5' is not a measure \(did you mean 'recip_rank'\?\)"),
        ("ndgc@20", r"did you mean 'ndcg@20'\?"),
        ("precission@5", r"did you mean 'precision@5'\?"),
        ("prec", r"did you mean 'precision@10'\?"),
        ("zzz", "'zzz' is not a measure; choose from p@k"),
    ],
)
def test_get_measure_rejects_absent_measures_with_the_nearest_one(name, words):
    with pytest.raises(InputError, match=words):
        get_measure(name)


def test_nearest_measures_of_absent_ones_exist():
    for name, near in _ABSENT.items():
        with pytest.raises(InputError, match="is not among the measures; the nearest is"):
            get_measure(name)
        word = near.split()[0].strip(",:").replace("@k", "@5")
        if word not in ("the", "relevance"):
            get_measure(word)
        assert name not in measure_names()


# ---------------------------------------------------------------------- names of other things

LISTS, QRELS, _ = make_ranked_lists(n_queries=2, random_state=0)


@pytest.mark.parametrize(
    ("call", "meant"),
    [
        (lambda: CombSUM(norm="minmax").fit(LISTS), "min-max"),
        (lambda: CombSUM(norm="min_max").fit(LISTS), "min-max"),
        (lambda: CombSUM(norm="zmuv").fit(LISTS), "z-score"),
        (lambda: CombSUM(norm="zscore").fit(LISTS), "z-score"),
        (lambda: CombSUM().set_params(norm="Borda").fit(LISTS), "borda"),
        (lambda: Comparator([("a", Copeland())], error_score="rasie", qrels=QRELS).fit(LISTS), "raise"),
        (lambda: agreement_matrix(LISTS, "kendall"), "tau-b"),
        (lambda: agreement_matrix(LISTS, "weightedtau"), "weighted-tau"),
        (lambda: consensus_score(LISTS, LISTS, "footrul"), "footrule"),
        (lambda: get_measure("ndcg", gain="exp"), "exponential"),
        (lambda: get_measure("ndcg", gian="linear"), "gain"),
        (lambda: compare_methods(PER_QUERY, "a", test="student"), "t"),
        (lambda: compare_methods(PER_QUERY, "a", correction="bonferonni"), "bonferroni"),
        (lambda: compare_methods(PER_QUERY, "Copland"), "Copeland"),
    ],
)
def test_errors_suggest_a_name(call, meant):
    with pytest.raises(ValueError, match=rf"\(did you mean '{meant}'\?\)"):
        call()


PER_QUERY = pd.DataFrame(
    {"map": [0.5, 0.4, 0.6, 0.7]},
    index=pd.MultiIndex.from_product([["a", "Copeland"], ["p", "q"]], names=["method", "query"]),
)


def test_errors_suggest_nothing_for_dissimilar_names():
    with pytest.raises(ValueError, match=r"Got 'xyz' instead\.$"):
        CombSUM(norm="xyz").fit(LISTS)
    assert find_similar("", ["a", "b"]) is None and find_similar("?", ["a"]) is None


@pytest.mark.parametrize(
    ("method", "meant"),
    [
        ("borda", "BordaCount"),
        ("Kemny", "Kemeny"),
        ("CombSUM[nrom=rank]", "norm"),
        ("CombSUM[norm=minmax]", "min-max"),
    ],
)
def test_command_line_suggests_similar_methods(method, meant, capsys):
    assert main(["compare", "--demo", "truth", "--methods", method]) == 1
    assert f"(did you mean '{meant}'?)" in capsys.readouterr().err


def test_command_line_accepts_other_spellings_of_methods(tmp_path, capsys):
    path = tmp_path / "lists.csv"
    path.write_text("query,voter,item,rank\nq,u,a,1\nq,u,b,2\nq,v,b,1\n", encoding="utf-8")
    written = []
    for method in ("ReciprocalRankFusion", "rrf", "reciprocal-rank-fusion"):
        assert main(["aggregate", str(path), "--method", method.replace("-", "_")]) == 0
        written.append(capsys.readouterr().out)
    assert len(set(written)) == 1 and "b,0.0325" in written[0]


def test_command_line_accepts_names_of_trec_eval(capsys):
    assert main(["compare", "--demo", "truth", "--methods", "Copeland", "--metrics", "P_10", "ndcg_cut_10"]) == 0
    assert "P_10" in capsys.readouterr().out
    assert main(["compare", "--demo", "truth", "--methods", "Copeland", "--metrics", "ndgc@10"]) == 1
    assert "(did you mean 'ndcg@10'?)" in capsys.readouterr().err
