"""Conventions: options of measures, such as the gain of DCG, for which tools use different values."""

from collections.abc import Mapping
from typing import Any, Literal, TypeAlias, TypedDict, get_args

from ..._support._checks import check_choice, check_number, check_share
from ..._support._suggestions import did_you_mean
from ..._support._values import is_real, show
from ...exceptions import InputError

Gain: TypeAlias = Literal["exponential", "linear"]
Discount: TypeAlias = Literal["log2", "ln", "letor"]
Ideal: TypeAlias = Literal["judged", "retrieved"]
Truncate: TypeAlias = Literal["cutoff", "relevant"]
Denominator: TypeAlias = Literal["relevant", "cutoff", "retrieved"]
Rounding: TypeAlias = Literal["nearest", "up"]
Ties: TypeAlias = Literal["order", "trec_eval", "trec_eval_float32", "expected", "optimistic", "pessimistic"]
#: Rules for measures whose expectation over ties has no closed form.
TieOrder: TypeAlias = Literal["order", "trec_eval", "trec_eval_float32", "optimistic", "pessimistic"]
Missing: TypeAlias = Literal["zero", "skip"] | None


class Conventions(TypedDict, total=False):
    """Options for several measures at once; each measure uses only the options that it accepts."""

    gain: Gain | None
    discount: Discount | None
    ideal: Ideal | None
    truncate: Truncate | None
    ap_denominator: Denominator | None
    rounding: Rounding | None
    relevance_threshold: float | None
    persistence: float | None
    recall_weight: float | None
    max_grade: float | None
    ties: Ties | None


class AllConventions(Conventions, total=False):
    """Options for several measures, including the treatment of judged queries without results."""

    missing_queries: Missing


#: Accepted values of each convention: certain words, or a number.
OPTIONS: dict[str, Any] = {
    "gain": get_args(Gain),
    "discount": get_args(Discount),
    "ideal": get_args(Ideal),
    "truncate": get_args(Truncate),
    "ap_denominator": get_args(Denominator),
    "rounding": get_args(Rounding),
    "relevance_threshold": float,
    "persistence": float,
    "recall_weight": float,
    "max_grade": float,
    "ties": get_args(Ties),
    "missing_queries": ("zero", "skip"),
}
_POSITIVE = {"relevance_threshold", "max_grade"}
_OPTIONAL = {*_POSITIVE, "missing_queries"}


def check_conventions(conventions: Mapping[str, Any]) -> None:
    """Raise InputError if a convention is unknown, or if it has a value that is not allowed."""
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
            raise InputError(f"`{option}` must be a number; got {show(value)}.", parameter=option)
        if option == "persistence":
            check_share(option, value, low=False, high=False)
        if option == "recall_weight":
            check_number(option, value, 0)
        if option in _POSITIVE and not value > 0:
            # At a threshold of 0 every unjudged item would be relevant.
            raise InputError(f"`{option}` must be above 0, or None; got {value!r}.", parameter=option)
