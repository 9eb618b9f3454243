"""Base classes of aggregation methods, the types of their results, and the tags that describe a method.

To write a method, define a subclass with a constructor and one hook, ``_aggregate``, which computes the scores:

>>> import numpy as np
>>> from skrankagg.base import BaseAggregator
>>> class Popularity(BaseAggregator):
...     '''Rank items by the number of lists that contain them.'''
...     def _aggregate(self, lists):
...         return np.bincount(lists.candidate,
...             minlength=lists.n_candidates).astype(float)
>>> import pandas as pd
>>> lists = pd.DataFrame({"query": "q", "voter": ["v", "v", "w"],
...     "item": ["a", "b", "b"], "rank": [1, 2, 1]})
>>> Popularity().fit_transform(lists)
  query item  score  rank
0     q    b    2.0     1
1     q    a    1.0     2
"""

# tools/regenerate.py writes what follows.
from ._aggregator import BaseAggregator
from ._consensus import Consensus
from ._supervised import SupervisedAggregator
from ._tags import AggregatorTags
from ._transformer import ListTransformer
from ._weighted import WeightedAggregator

__all__ = [
    "AggregatorTags",
    "BaseAggregator",
    "Consensus",
    "ListTransformer",
    "SupervisedAggregator",
    "WeightedAggregator",
]
