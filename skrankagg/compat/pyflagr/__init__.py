"""PyFLAGR's interface to this library: the signatures of version 1.0.21, and the numbers of 1.0.18.

The modules have PyFLAGR's names: Linear, Majoritarian, MarkovChains, Kemeny, RRA, Weighted and Comparator. If FLAGR
deviates from the paper that it cites, that is a *quirk* with a name in :data:`QUIRKS`. All quirks are followed by
default; ``convention="papers"`` follows none, and a collection of names follows only these.

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
