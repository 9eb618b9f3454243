"""Methods and input data of PyFLAGR's notebook, which compares PyFLAGR's methods."""

from functools import partial
from types import SimpleNamespace

from skrankagg.datasets import make_rasdagen

# The notebook, cell by cell, except for the imports and the folder of its files.
NOTEBOOK = [
    """
import skrankagg.compat.pyflagr.Linear as Linear
import skrankagg.compat.pyflagr.Majoritarian as Majoritarian
import skrankagg.compat.pyflagr.MarkovChains as MarkovChains
import skrankagg.compat.pyflagr.Kemeny as Kemeny
import skrankagg.compat.pyflagr.RRA as RRA
import skrankagg.compat.pyflagr.Weighted as Weighted
import skrankagg.compat.pyflagr.Comparator as Comparator
""",
    """
lists = folder + '/testdata.csv'
qrels = folder + '/testdata_qrels.csv'
""",
    """
EV_PTS = 10
cmp = Comparator.Comparator(EV_PTS)
""",
    """
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
cmp.add_aggregator("Agglomerative", Weighted.Agglomerative(c1=0.1, c2=0.2, eval_pts=EV_PTS))
cmp.add_aggregator("DIBRA", Weighted.DIBRA(aggregator='combsum:borda', gamma=1.2, prune=None, w_norm='minmax',
                                           eval_pts=EV_PTS))
cmp.add_aggregator("DIBRA-Prune", Weighted.DIBRA(aggregator='combsum:borda', gamma=1.2, prune='low', w_norm='minmax',
                                                 d1=0.3, d2=0.05, eval_pts=EV_PTS))
cmp.add_aggregator("DIBRA-Prune-WISE", Weighted.DIBRA(aggregator='combsum:borda', gamma=1.2, prune='wire',
                                                 w_norm='minmax', num_buckets=5, d1=0.5, d2=1.0, eval_pts=EV_PTS))
""",
    "cmp.aggregate(input_file=lists, rels_file=qrels)",
    "cmp.results",
    """
df = cmp.get_results(cutoff=5, metric=["map", "precision", "ndcg"], query='all')
print(df.shape)
""",
    'latex_code = cmp.convert_to_latex(dec_pts=4, cutoff=EV_PTS, metric=["map", "precision", "ndcg"], query=\'all\')',
    "cmp.plot_average_precision((16, 7), True, query='all')",
    "cmp.plot_metric(EV_PTS, metric='precision', plot_type='bar', dimensions=(16,8), show_grid=True, query='all')",
    "cmp.plot_metric(EV_PTS, metric='precision', plot_type='line', dimensions=(16,8), show_grid=True, query='all')",
]


class _Following:
    """Wrapper of a compatibility module that passes a convention to each of its classes."""

    def __init__(self, module, convention):
        self._module = module
        self._convention = convention

    def __getattr__(self, name):
        return partial(getattr(self._module, name), convention=self._convention)


def notebook_methods(convention="flagr"):
    """Return a dict from name to method for the notebook's 21 methods; all methods follow the given convention."""
    found, names = {}, {}
    exec(NOTEBOOK[0], names)
    for name in ("Linear", "Majoritarian", "MarkovChains", "RRA", "Weighted"):
        names[name] = _Following(names[name], convention)
    names |= {"EV_PTS": 10, "cmp": SimpleNamespace(add_aggregator=found.__setitem__)}
    exec(NOTEBOOK[3], names)
    return found


def write_data(folder, *, ranks=False):
    """Generate and write the notebook's two files; `ranks` adds the ranks that PyFLAGR reads since 1.0.15."""
    lists, qrels = make_rasdagen()
    lists["source"] = "SyntheticMOSO"
    columns = ["query", "voter", "item", *(["rank"] if ranks else []), "score", "source"]
    lists.to_csv(folder / "testdata.csv", columns=columns, header=False, index=False, float_format="%.5f")
    qrels.insert(1, "zero", 0)
    qrels.to_csv(folder / "testdata_qrels.csv", header=False, index=False)
