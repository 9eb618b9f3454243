"""Measures of relevance, which turn the grades of ranked items into a number for each query."""

# tools/regenerate.py writes what follows.
from ._average_precision import average_precision, geometric_average_precision
from ._counts import judged_share, num_rel, num_rel_ret, num_ret
from ._dcg import dcg, ndcg
from ._incomplete import bpref, inferred_average_precision
from ._interpolated import interpolated_precision, interpolated_precision_11pt
from ._precision import f1, precision, recall, set_f, success
from ._r_precision import mean_average_r_precision, r_precision
from ._registry import JudgedRanking, Measure, get_measure, make_measure, measure_names
from ._user_models import expected_reciprocal_rank, rank_biased_precision, rank_biased_residual, reciprocal_rank

__all__ = [
    "JudgedRanking",
    "Measure",
    "average_precision",
    "bpref",
    "dcg",
    "expected_reciprocal_rank",
    "f1",
    "geometric_average_precision",
    "get_measure",
    "inferred_average_precision",
    "interpolated_precision",
    "interpolated_precision_11pt",
    "judged_share",
    "make_measure",
    "mean_average_r_precision",
    "measure_names",
    "ndcg",
    "num_rel",
    "num_rel_ret",
    "num_ret",
    "precision",
    "r_precision",
    "rank_biased_precision",
    "rank_biased_residual",
    "recall",
    "reciprocal_rank",
    "set_f",
    "success",
]
