"""PyFLAGR's classes, reimplemented with the signatures of version 1.0.21 and the results of version 1.0.18.

The modules have PyFLAGR's names: Linear, Majoritarian, MarkovChains, Kemeny, RRA, Weighted and Comparator. A deviation
of FLAGR from the paper that it cites is a *quirk*, which has a name in :data:`QUIRKS`. By default, all quirks are
followed. With ``convention="papers"``, no quirk is followed. With a collection of names, only the quirks with these
names are followed.

>>> import pandas as pd
>>> import skrankagg.compat.pyflagr.Linear as Linear
>>> lists = pd.DataFrame({
...     "query": "q", "voter": ["v", "v", "w"], "item": ["a", "b", "b"], "rank": [1, 2, 1], "score": [2.0, 1.0, 1.0]
... })
>>> df_out, df_eval = Linear.CombSUM(norm="rank").aggregate(input_df=lists)
>>> df_out
  Query    Voter ItemID  Rank  Score  Aggregator
0     q  PyFLAGR      b     1    1.5         101
1     q  PyFLAGR      a     2    1.0         101
"""

from lazy_loader import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
