"""Signatures of the measures, as their decorator makes them; tools/regenerate.py writes this file."""

from collections.abc import Sequence
from typing import Any

from ._conventions import Denominator, Discount, Gain, Ideal, Missing, Rounding, TieOrder, Ties, Truncate
from ._inputs import QrelsLike, RunLike
from ._registry import JudgedRanking, Measure, get_measure, make_measure, measure_names

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

def average_precision(
    run: RunLike,
    qrels: QrelsLike,
    k: int | None = None,
    *,
    relevance_threshold: float | None = None,
    ap_denominator: Denominator = "relevant",
    per_query: bool = False,
    ties: Ties = "order",
    missing_queries: Missing = None,
) -> Any: ...
def bpref(
    run: RunLike,
    qrels: QrelsLike,
    *,
    relevance_threshold: float | None = None,
    per_query: bool = False,
    ties: Ties = "order",
    missing_queries: Missing = None,
) -> Any: ...
def dcg(
    run: RunLike,
    qrels: QrelsLike,
    k: int | None = None,
    *,
    gain: Gain = "exponential",
    discount: Discount = "log2",
    per_query: bool = False,
    ties: Ties = "order",
    missing_queries: Missing = None,
) -> Any: ...
def expected_reciprocal_rank(
    run: RunLike,
    qrels: QrelsLike,
    k: int | None = None,
    *,
    max_grade: float = 4.0,
    per_query: bool = False,
    ties: Ties = "order",
    missing_queries: Missing = None,
) -> Any: ...
def f1(
    run: RunLike,
    qrels: QrelsLike,
    k: int,
    *,
    relevance_threshold: float | None = None,
    per_query: bool = False,
    ties: Ties = "order",
    missing_queries: Missing = None,
) -> Any: ...
def geometric_average_precision(
    run: RunLike,
    qrels: QrelsLike,
    *,
    relevance_threshold: float | None = None,
    per_query: bool = False,
    ties: Ties = "order",
    missing_queries: Missing = None,
) -> Any: ...
def inferred_average_precision(
    run: RunLike,
    qrels: QrelsLike,
    *,
    relevance_threshold: float | None = None,
    per_query: bool = False,
    ties: TieOrder = "order",
    missing_queries: Missing = None,
) -> Any: ...
def interpolated_precision(
    run: RunLike,
    qrels: QrelsLike,
    k: float,
    *,
    relevance_threshold: float | None = None,
    rounding: Rounding = "nearest",
    per_query: bool = False,
    ties: TieOrder = "order",
    missing_queries: Missing = None,
) -> Any: ...
def interpolated_precision_11pt(
    run: RunLike,
    qrels: QrelsLike,
    *,
    relevance_threshold: float | None = None,
    rounding: Rounding = "nearest",
    per_query: bool = False,
    ties: TieOrder = "order",
    missing_queries: Missing = None,
) -> Any: ...
def judged_share(
    run: RunLike,
    qrels: QrelsLike,
    k: int,
    *,
    per_query: bool = False,
    ties: Ties = "order",
    missing_queries: Missing = None,
) -> Any: ...
def mean_average_r_precision(
    run: RunLike,
    qrels: QrelsLike,
    k: int | Sequence[int],
    *,
    relevance_threshold: float | None = None,
    per_query: bool = False,
    ties: Ties = "order",
    missing_queries: Missing = None,
) -> Any: ...
def ndcg(
    run: RunLike,
    qrels: QrelsLike,
    k: int | None = None,
    *,
    gain: Gain = "exponential",
    discount: Discount = "log2",
    ideal: Ideal = "judged",
    truncate: Truncate = "cutoff",
    per_query: bool = False,
    ties: Ties = "order",
    missing_queries: Missing = None,
) -> Any: ...
def num_rel(
    run: RunLike,
    qrels: QrelsLike,
    *,
    relevance_threshold: float | None = None,
    per_query: bool = False,
    ties: Ties = "order",
    missing_queries: Missing = None,
) -> Any: ...
def num_rel_ret(
    run: RunLike,
    qrels: QrelsLike,
    *,
    relevance_threshold: float | None = None,
    per_query: bool = False,
    ties: Ties = "order",
    missing_queries: Missing = None,
) -> Any: ...
def num_ret(
    run: RunLike,
    qrels: QrelsLike,
    *,
    per_query: bool = False,
    ties: Ties = "order",
    missing_queries: Missing = None,
) -> Any: ...
def precision(
    run: RunLike,
    qrels: QrelsLike,
    k: int,
    *,
    relevance_threshold: float | None = None,
    per_query: bool = False,
    ties: Ties = "order",
    missing_queries: Missing = None,
) -> Any: ...
def r_precision(
    run: RunLike,
    qrels: QrelsLike,
    k: int | None = None,
    *,
    relevance_threshold: float | None = None,
    per_query: bool = False,
    ties: Ties = "order",
    missing_queries: Missing = None,
) -> Any: ...
def rank_biased_precision(
    run: RunLike,
    qrels: QrelsLike,
    k: int | None = None,
    *,
    persistence: float = 0.8,
    max_grade: float | None = None,
    relevance_threshold: float | None = None,
    per_query: bool = False,
    ties: Ties = "order",
    missing_queries: Missing = None,
) -> Any: ...
def rank_biased_residual(
    run: RunLike,
    qrels: QrelsLike,
    k: int | None = None,
    *,
    persistence: float = 0.8,
    per_query: bool = False,
    ties: Ties = "order",
    missing_queries: Missing = None,
) -> Any: ...
def recall(
    run: RunLike,
    qrels: QrelsLike,
    k: int,
    *,
    relevance_threshold: float | None = None,
    per_query: bool = False,
    ties: Ties = "order",
    missing_queries: Missing = None,
) -> Any: ...
def reciprocal_rank(
    run: RunLike,
    qrels: QrelsLike,
    k: int | None = None,
    *,
    relevance_threshold: float | None = None,
    per_query: bool = False,
    ties: Ties = "order",
    missing_queries: Missing = None,
) -> Any: ...
def set_f(
    run: RunLike,
    qrels: QrelsLike,
    *,
    recall_weight: float = 1.0,
    relevance_threshold: float | None = None,
    per_query: bool = False,
    ties: Ties = "order",
    missing_queries: Missing = None,
) -> Any: ...
def success(
    run: RunLike,
    qrels: QrelsLike,
    k: int,
    *,
    relevance_threshold: float | None = None,
    per_query: bool = False,
    ties: Ties = "order",
    missing_queries: Missing = None,
) -> Any: ...
