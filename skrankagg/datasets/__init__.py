"""Generators, loaders, readers and writers of ranked lists and judgements.

Most generators also return the true parameters of the data, such as the quality of each voter. The readers raise an
error if the format of a file is not certain. All functions use plain pandas frames with the same columns: ``query,
voter, item, rank, score`` for lists, ``query, item, relevance`` for judgements, and ``query, item, score, rank`` for a
consensus.
"""

# tools/regenerate.py writes what follows.
from ._comparison_files import read_comparisons
from ._judged_items import read_judged_items
from ._make_comparisons import make_comparisons
from ._make_gene_lists import make_gene_lists
from ._make_ranked_lists import make_ranked_lists
from ._mallows import make_mallows, make_plackett_luce
from ._preflib import read_preflib
from ._ranking_text import ranking_text
from ._rasdagen import make_rasdagen
from ._readers import read_lists, read_qrels
from ._real_collections import load_letor_agg, load_trec
from ._real_models import load_digits_votes, load_feature_rankings
from ._real_results import load_formula1, load_nascar, load_prostate_genes
from ._writers import write_qrels, write_run

__all__ = [
    "load_digits_votes",
    "load_feature_rankings",
    "load_formula1",
    "load_letor_agg",
    "load_nascar",
    "load_prostate_genes",
    "load_trec",
    "make_comparisons",
    "make_gene_lists",
    "make_mallows",
    "make_plackett_luce",
    "make_ranked_lists",
    "make_rasdagen",
    "ranking_text",
    "read_comparisons",
    "read_judged_items",
    "read_lists",
    "read_preflib",
    "read_qrels",
    "write_qrels",
    "write_run",
]
