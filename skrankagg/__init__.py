"""Rank aggregation for scikit-learn.

Each method combines the ranked lists of several voters into one consensus ranking for each query. Every method is a
scikit-learn estimator and accepts the lists as a long data frame.

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

from lazy_loader import attach_stub

__version__ = "0.1.0"

# __init__.pyi lists the public names. Each name is imported when it is used for the first time.
__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
