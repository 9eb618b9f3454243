"""Genes: a spreadsheet with five pairs of columns (gene, p) of different lengths, with NaN and repeated genes."""

import io
import math

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest

from skrankagg import MAIC, RankedLists, RobustRankAggregation
from skrankagg.stats import adjust_pvalues

KNOWN = ["TP53", "KRAS", "EGFR", "MYC", "PTEN", "BRCA1", "CDK4", "RB1", "BRAF", "PIK3CA"]
N_GENES = 20_000


@pytest.fixture(scope="module")
def sheet():
    """Return the spreadsheet as pandas reads it, with the titles gene, p, gene.1, p.1 and so on."""
    rng = np.random.default_rng(11)
    blocks = []
    for n in (60, 45, 80, 30, 55):
        hits = [gene for gene in KNOWN if rng.random() < 0.75]
        others = rng.choice(N_GENES - len(KNOWN), n - len(hits), replace=False)
        genes = np.array(hits + [f"G{i:05d}" for i in others])
        p = np.where(np.isin(genes, KNOWN), rng.beta(0.25, 60, n), rng.uniform(0, 0.05, n))
        order = np.argsort(p)
        genes, p = list(genes[order]), list(p[order])
        genes.insert(20, genes[2])  # a second probe of the same gene
        p.insert(20, p[20])
        genes[10], p[15] = np.nan, np.nan  # a probe without a gene, and a lost p-value
        blocks += [pd.Series(genes, name="gene", dtype=object), pd.Series(p, name="p")]
    return pd.read_csv(io.StringIO(pd.concat(blocks, axis=1).to_csv(index=False)))


@pytest.fixture(scope="module")
def genes(sheet):
    return RankedLists.from_wide(sheet, pairs=True, lower_is_better=True, duplicates="best", missing_ids="drop")


def smallest(sheet):
    """Return for each study a dict from gene to its smallest p-value."""
    studies = []
    for k in range(0, sheet.shape[1], 2):
        best = {}
        for gene, p in zip(sheet.iloc[:, k], sheet.iloc[:, k + 1], strict=True):
            if isinstance(gene, str) and not math.isnan(p):
                best[gene] = min(p, best.get(gene, 1.0))
        studies.append(best)
    return studies


def rho(studies, gene):
    """Return the score of robust rank aggregation: the smallest tail of an order statistic, times the number of lists.

    The tail of the k-th smallest of n uniform ranks is a binomial sum.
    """
    ranks = []
    for best in studies:
        order = sorted(best, key=best.get)
        ranks.append((order.index(gene) + 1) / N_GENES if gene in best else 1.0)
    n = len(ranks)
    tails = [
        sum(math.comb(n, j) * r**j * (1 - r) ** (n - j) for j in range(k, n + 1))
        for k, r in enumerate(sorted(ranks), 1)
    ]
    return min(1.0, n * min(tails))


def test_the_sheet_is_read_with_one_list_for_each_study(sheet, genes):
    assert genes.n_voters == 5
    runs = genes.to_runs()
    for voter, best in enumerate(smallest(sheet), 1):
        assert runs[voter]["q"] == pytest.approx({gene: -p for gene, p in best.items()})


def test_robust_rank_aggregation_finds_the_planted_genes(sheet, genes):
    found = adjust_pvalues(RobustRankAggregation(n_items=N_GENES).fit_transform(genes), "bh", n_tests=N_GENES)
    studies = smallest(sheet)
    expected = np.array([rho(studies, gene) for gene in found["item"]])
    np.testing.assert_allclose(found["pvalue"], expected, rtol=1e-6)
    # The correction of Benjamini and Hochberg over all genes: the genes of no list have the p-value 1.
    place = np.arange(1, len(expected) + 1)
    adjusted = np.minimum.accumulate((expected * N_GENES / place)[::-1])[::-1].clip(max=1)
    np.testing.assert_allclose(found["adjusted"], adjusted, rtol=1e-6)
    significant = found.loc[found["adjusted"] < 0.05, "item"]
    assert len(significant) >= 8 and set(significant) <= set(KNOWN)
    agreed = MAIC().fit_transform(genes)
    assert set(agreed["item"].head(len(significant))) == set(significant)


def test_the_places_of_the_genes_are_plotted(genes):
    mpl.use("Agg")
    from skrankagg.plotting import RankStabilityDisplay

    display = RankStabilityDisplay.from_estimator(RobustRankAggregation(n_items=N_GENES), genes, n_resamples=50)
    assert len(display.ax_.get_yticklabels()) >= 8
    assert display.ax_.get_yticklabels()[0].get_text() in KNOWN
