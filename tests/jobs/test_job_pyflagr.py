"""PyFLAGR: its own script of tests, after a change of imports, computes the tables that PyFLAGR printed."""

import pytest

from flagr_notebook import write_data

# pyflagr/test_local.py of PyFLAGR 1.0.21; only the folder of its files is set by the test.
SCRIPT = """
import pandas as pd
import pyflagr.Linear as Linear
import pyflagr.Majoritarian as Majoritarian
import pyflagr.MarkovChains as MarkovChains
import pyflagr.Kemeny as Kemeny
import pyflagr.RRA as RRA
import pyflagr.Weighted as Weighted
import pyflagr.Comparator as Comparator

lists = base_path + 'MOSO.csv'
qrels = base_path + 'MOSO_qrels.csv'

input_dataframe = pd.read_csv(lists)
rels_dataframe = pd.read_csv(qrels)

EV_PTS = 10

cmp = Comparator.Comparator(EV_PTS)
cmp.add_aggregator("CombSUM-Rank", Linear.CombSUM(norm='rank', eval_pts=EV_PTS))
cmp.add_aggregator("CombSUM-Borda", Linear.CombSUM(norm='borda', eval_pts=EV_PTS))
cmp.add_aggregator("CombSUM-Score", Linear.CombSUM(norm='score', eval_pts=EV_PTS))
cmp.add_aggregator("CombMNZ-Rank", Linear.CombMNZ(norm='rank', eval_pts=EV_PTS))
cmp.add_aggregator("CombMNZ-Borda", Linear.CombMNZ(norm='borda', eval_pts=EV_PTS))
cmp.add_aggregator("CombMNZ-Score", Linear.CombMNZ(norm='score', eval_pts=EV_PTS))
cmp.add_aggregator("Condorcet", Majoritarian.CondorcetWinners(eval_pts=EV_PTS))
cmp.add_aggregator("Copeland", Majoritarian.CopelandWinners(eval_pts=EV_PTS))
cmp.add_aggregator("Outranking Approach", Majoritarian.OutrankingApproach(preference=0, veto=0.75, concordance=0,
                                                                          discordance=0.25, eval_pts=EV_PTS))
cmp.add_aggregator("MC1", MarkovChains.MC1(max_iterations=50, ergodic_number=0.15, eval_pts=EV_PTS))
cmp.add_aggregator("MC2", MarkovChains.MC2(max_iterations=50, ergodic_number=0.15, eval_pts=EV_PTS))
cmp.add_aggregator("MC3", MarkovChains.MC3(max_iterations=50, ergodic_number=0.15, eval_pts=EV_PTS))
cmp.add_aggregator("MC4", MarkovChains.MC4(max_iterations=50, ergodic_number=0.15, eval_pts=EV_PTS))
cmp.add_aggregator("MCT", MarkovChains.MCT(max_iterations=50, ergodic_number=0.15, eval_pts=EV_PTS))
cmp.add_aggregator("RRA-Exact", RRA.RRA(exact=True, eval_pts=EV_PTS))
cmp.add_aggregator("RRA", RRA.RRA(exact=False, eval_pts=EV_PTS))
cmp.add_aggregator("PrefRel", Weighted.PreferenceRelationsGraph(alpha=0.1, beta=0.5, eval_pts=EV_PTS))
# cmp.add_aggregator("Agglomerative", Weighted.Agglomerative(c1=0.1, c2=0.2, eval_pts=EV_PTS))
cmp.add_aggregator("DIBRA", Weighted.DIBRA(aggregator='combsum:borda', gamma=1.2, prune=False, w_norm='minmax',
                                           eval_pts=EV_PTS))
cmp.add_aggregator("DIBRA-Prune", Weighted.DIBRA(aggregator='combsum:borda', gamma=1.2, prune=True, w_norm='minmax',
                                                 d1=0.3, d2=0.05, eval_pts=EV_PTS))

cmp.aggregate(input_file=lists, rels_file=qrels)
latex = cmp.convert_to_latex(dec_pts=4, cutoff=EV_PTS, metric=["map", "precision", "ndcg", "time"], query='all')
"""
# MAP, P_1, P_5 and ndcg_cut_5 over all queries, as the notebook of PyFLAGR 1.0.18 prints them. RRA-Exact differs on
# purpose: the exact p-values of PyFLAGR are wrong.
PRINTED = {
    "CombSUM-Rank": "0.4855 0.4500 0.4400 0.4433",
    "CombSUM-Borda": "0.4836 0.5000 0.4200 0.4350",
    "CombSUM-Score": "0.4854 0.4000 0.4400 0.4401",
    "CombMNZ-Rank": "0.4853 0.5000 0.4100 0.4314",
    "CombMNZ-Borda": "0.4849 0.5500 0.4700 0.4810",
    "CombMNZ-Score": "0.4848 0.5000 0.4100 0.4314",
    "Condorcet": "0.4801 0.5000 0.4300 0.4420",
    "Copeland": "0.4820 0.5000 0.4100 0.4247",
    "Outranking Approach": "0.4817 0.5000 0.4400 0.4441",
    "MC1": "0.4876 0.6500 0.4600 0.4977",
    "MC2": "0.4876 0.6500 0.4600 0.4977",
    "MC3": "0.5057 0.5000 0.5200 0.5171",
    "MC4": "0.4810 0.5000 0.4200 0.4364",
    "MCT": "0.4813 0.4500 0.4800 0.4783",
    "RRA": "0.4906 0.5500 0.4800 0.5058",
    "PrefRel": "0.4850 0.5500 0.4400 0.4608",
    "DIBRA": "0.4919 0.5000 0.5400 0.5324",
    "DIBRA-Prune": "0.4919 0.5000 0.5400 0.5324",  # prune=True has no effect in PyFLAGR
}


@pytest.fixture(scope="module")
def ran(tmp_path_factory):
    folder = tmp_path_factory.mktemp("flagr")
    write_data(folder, ranks=True)
    (folder / "testdata.csv").rename(folder / "MOSO.csv")
    (folder / "testdata_qrels.csv").rename(folder / "MOSO_qrels.csv")
    names = {"base_path": f"{folder}/"}
    exec(SCRIPT.replace("import pyflagr.", "import skrankagg.compat.pyflagr."), names)
    return names


def test_the_script_computes_the_printed_numbers_after_a_change_of_imports(ran):
    table = ran["cmp"].get_results(cutoff=5, metric=["map", "precision", "ndcg"], query="all")
    for name, numbers in PRINTED.items():
        row = table.loc[name]
        found = [row.iloc[0], row["P_1"], row["P_5"], row["ndcg_cut_5"]]
        assert [f"{one:.4f}" for one in found] == numbers.split(), name
    assert set(table.index) == {*PRINTED, "RRA-Exact"}


def test_the_table_in_latex_has_the_same_numbers(ran):
    lines = ran["latex"].splitlines()
    titles, *rows = (line.removesuffix(" \\\\").split(" & ") for line in lines if line.endswith("\\\\"))
    assert titles[:3] == ["Method", "Mean Average Precision (MAP)", "P\\_1"] and titles[-1] == "time (ms)"
    for name, *cells in rows:
        if name in PRINTED:
            assert [cells[0], cells[1], cells[5], cells[15]] == PRINTED[name].split()
    assert len(rows) == 19
