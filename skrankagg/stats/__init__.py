"""Statistics on arrays: significance and size of differences, and similarity of selections."""

# tools/regenerate.py writes what follows.
from ._adjust import adjust_pvalues
from ._effects import bootstrap_interval, cohen_d, hedges_g, rank_biserial, win_tie_loss
from ._friedman import FriedmanResult, friedman_nemenyi
from ._paired import paired_t_test, randomization_test, sign_test, wilcoxon_test
from ._selection_stability import StabilityResult, selection_stability

__all__ = [
    "FriedmanResult",
    "StabilityResult",
    "adjust_pvalues",
    "bootstrap_interval",
    "cohen_d",
    "friedman_nemenyi",
    "hedges_g",
    "paired_t_test",
    "randomization_test",
    "rank_biserial",
    "selection_stability",
    "sign_test",
    "wilcoxon_test",
    "win_tie_loss",
]
