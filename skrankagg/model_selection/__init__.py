"""Comparison and selection of aggregators."""

# tools/regenerate.py writes what follows.
from ._calibrated_consensus import CalibratedConsensus
from ._comparator import Comparator
from ._held_out import cross_val_consensus
from ._likelihood import cross_val_likelihood
from ._report_tables import latex_table, markdown_table, style_table, text_table
from ._results import select_results
from ._significance import compare_methods, compare_ranks, significance_marks
from ._split import QueryKFold, QueryShuffleSplit
from ._top_set import TopSet
from ._voter_split import VoterKFold
from ._weight_search import DirichletWeights, weight_grid

__all__ = [
    "CalibratedConsensus",
    "Comparator",
    "DirichletWeights",
    "QueryKFold",
    "QueryShuffleSplit",
    "TopSet",
    "VoterKFold",
    "compare_methods",
    "compare_ranks",
    "cross_val_consensus",
    "cross_val_likelihood",
    "latex_table",
    "markdown_table",
    "select_results",
    "significance_marks",
    "style_table",
    "text_table",
    "weight_grid",
]
