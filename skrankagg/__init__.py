"""Rank aggregation for scikit-learn.

Ranked lists of many voters in, one consensus for each query out: every method is a scikit-learn estimator over a long
frame of lists.

>>> import pandas as pd
>>> from skrankagg import Copeland
>>> lists = pd.DataFrame({
...     "query": "breakfast",
...     "voter": ["Ann", "Ann", "Bob", "Bob", "Cy", "Cy"],
...     "item": ["tea", "milk", "tea", "juice", "juice", "tea"],
...     "rank": [1, 2, 1, 2, 1, 2],
... })
>>> Copeland().fit_transform(lists)
       query   item  score  rank
0  breakfast    tea    2.0     1
1  breakfast  juice    1.0     2
2  breakfast   milk    0.0     3
"""

__version__ = "0.1.0"

from ._lists import RankedLists
from ._qrels import EncodedQrels, Qrels
from ._show_versions import show_versions
from .aggregators import *
from .metrics import evaluate
from .model_selection import Comparator
