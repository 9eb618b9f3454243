"""Ranked lists and judgements: generators, real data, readers and writers.

The generators return the truth behind their data, if there is any. The readers recognise a file with certainty or
refuse it. All functions use plain pandas frames with the canonical columns: ``query, voter, item, rank, score`` for
lists, ``query, item, relevance`` for judgements, ``query, item, score, rank`` for a consensus.
"""

from ._make_comparisons import *
from ._make_gene_lists import *
from ._make_ranked_lists import *
from ._mallows import *
from ._preflib import *
from ._ranking_text import *
from ._rasdagen import *
from ._readers import *
from ._real_collections import *
from ._real_models import *
from ._real_results import *
from ._writers import *
