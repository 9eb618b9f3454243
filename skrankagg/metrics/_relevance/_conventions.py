"""Conventions: what may differ from one tool to the next in a measure of one name."""

from collections.abc import Mapping
from typing import Any, Literal, TypeAlias, TypedDict, get_args

from ..._support._checks import check_choice
from ..._support._numbers import is_real
from ..._support._shown import show
from ..._support._suggestions import did_you_mean
from ...exceptions import InputError

Gain: TypeAlias = Literal["exponential", "linear"]
Discount: TypeAlias = Literal["log2", "ln", "letor"]
Ideal: TypeAlias = Literal["judged", "retrieved"]
Truncate: TypeAlias = Literal["cutoff", "relevant"]
Denominator: TypeAlias = Literal["relevant", "cutoff", "retrieved"]
Rounding: TypeAlias = Literal["nearest", "up"]
Ties: TypeAlias = Literal["order", "trec_eval", "trec_eval_float32", "expected", "optimistic", "pessimistic"]
#: For measures without a closed form of their expectation over ties.
TieOrder: TypeAlias = Literal["order", "trec_eval", "trec_eval_float32", "optimistic", "pessimistic"]
Missing: TypeAlias = Literal["zero", "skip"] | None


class Conventions(TypedDict, total=False):
    """The conventions that several measures at once may be given; each measure takes those that it knows."""

    gain: Gain | None
    discount: Discount | None
    ideal: Ideal | None
    truncate: Truncate | None
    ap_denominator: Denominator | None
    rounding: Rounding | None
    relevance_threshold: float | None
    persistence: float | None
    max_grade: float | None
    ties: Ties | None


class AllConventions(Conventions, total=False):
    """With what a judged query without results counts, where that is not a parameter of its own."""

    missing_queries: Missing


#: What each convention may be: one of some words, or a number.
OPTIONS: dict[str, Any] = {
    "gain": get_args(Gain),
    "discount": get_args(Discount),
    "ideal": get_args(Ideal),
    "truncate": get_args(Truncate),
    "ap_denominator": get_args(Denominator),
    "rounding": get_args(Rounding),
    "relevance_threshold": float,
    "persistence": float,
    "max_grade": float,
    "ties": get_args(Ties),
    "missing_queries": ("zero", "skip"),
}
_POSITIVE = {"relevance_threshold", "max_grade"}
_OPTIONAL = {*_POSITIVE, "missing_queries"}


def check_conventions(conventions: Mapping[str, Any]) -> None:
    """Raise InputError for a convention that no measure knows, or a value that it does not take."""
    for option, value in conventions.items():
        if option not in OPTIONS:
            raise InputError(
                f"{option!r} is not a convention of a measure{did_you_mean(option, OPTIONS)}; choose from "
                f"{', '.join(OPTIONS)}."
            )
        if value is None and option in _OPTIONAL:
            continue
        allowed = OPTIONS[option]
        if isinstance(allowed, tuple):
            check_choice(option, value, allowed)
        if allowed is float and not is_real(value):
            raise InputError(f"{option} must be a number; got {show(value)}.")
        if option == "persistence" and not 0 < value < 1:
            raise InputError(f"persistence must lie between 0 and 1; got {value!r}.")
        if option in _POSITIVE and not value > 0:
            # At a threshold of 0 every item without a judgement would be relevant.
            raise InputError(f"{option} must be above 0, or None; got {value!r}.")
