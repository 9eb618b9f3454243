"""Measures of the exposure that a ranking gives to groups of items; no judgements are needed."""

# tools/regenerate.py writes what follows.
from ._exposure_measure import ExposureScorer, exposure_names, make_exposure_measure
from ._group_measures import (
    attention_difference,
    attention_ratio,
    exposure_difference,
    exposure_ratio,
    group_exposure,
    max_skew,
    min_skew,
    ndkl,
    rank_parity,
)

__all__ = [
    "ExposureScorer",
    "attention_difference",
    "attention_ratio",
    "exposure_difference",
    "exposure_names",
    "exposure_ratio",
    "group_exposure",
    "make_exposure_measure",
    "max_skew",
    "min_skew",
    "ndkl",
    "rank_parity",
]
