"""Conventions of the measures as keyword arguments, for what passes them on."""

from typing import Literal, TypedDict

__all__ = ["Conventions", "ScorerConventions"]


class Conventions(TypedDict, total=False):
    """Conventions of functions that have `missing` as a parameter of their own."""

    gain: Literal["exponential", "linear"]
    discount: Literal["log2", "ln"]
    ideal: Literal["judged", "retrieved"]
    truncate: Literal["cutoff", "relevant"]
    ap_denominator: Literal["relevant", "cutoff", "retrieved"]
    relevance_threshold: float | None
    persistence: float
    max_grade: float | None
    ties: Literal["order", "trec_eval", "expected", "optimistic", "pessimistic"]
    positive_scores: bool


class ScorerConventions(Conventions, total=False):
    """All conventions."""

    missing: Literal["zero", "skip"] | None
