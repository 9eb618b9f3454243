"""Agreement between rankings; no judgements are needed."""

# tools/regenerate.py writes what follows.
from ._consensus_scores import ConsensusScorer, consensus_score
from ._correlations import kendall_w, spearman_rho, tau_ap, weighted_tau
from ._kendall import footrule_distance, goodman_kruskal_gamma, kendall_distance, kendall_tau
from ._krippendorff import KrippendorffAlpha, krippendorff_alpha
from ._matrices import agreement_matrix, agreement_names, concordance, consensus_agreement
from ._overlap import average_overlap, overlap, rank_biased_overlap

__all__ = [
    "ConsensusScorer",
    "KrippendorffAlpha",
    "agreement_matrix",
    "agreement_names",
    "average_overlap",
    "concordance",
    "consensus_agreement",
    "consensus_score",
    "footrule_distance",
    "goodman_kruskal_gamma",
    "kendall_distance",
    "kendall_tau",
    "kendall_w",
    "krippendorff_alpha",
    "overlap",
    "rank_biased_overlap",
    "spearman_rho",
    "tau_ap",
    "weighted_tau",
]
