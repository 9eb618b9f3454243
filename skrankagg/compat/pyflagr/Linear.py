"""Sums of normalised scores: PyFLAGR's classes CombSUM, CombMNZ, BordaCount and SimpleBordaCount."""

from typing import Literal, TypeAlias

from ... import aggregators
from ._combine import NORM_NUMBERS, comb_terms
from ._method import Convention, Method, one_of

__all__ = ["Borda", "BordaCount", "CombMNZ", "CombSUM", "SimpleBorda", "SimpleBordaCount"]

Norm: TypeAlias = Literal["borda", "rank", "score", "z-score", "simple-borda"]


class _Comb(Method):
    def __init__(self, norm: Norm = "borda", eval_pts: int = 10, *, convention: Convention = "flagr") -> None:
        super().__init__(eval_pts, convention=convention)
        self.normalization: Norm = one_of("norm", norm, NORM_NUMBERS)

    @property
    def _number(self):
        return self._base + NORM_NUMBERS[self.normalization]

    def _scores(self, table):
        return table, comb_terms(table, self.normalization, self._multiply, self._quirks)()

    def _paper(self):
        norm = "min-max" if self.normalization == "score" else self.normalization
        return getattr(aggregators, self._estimator)(norm=norm)


class CombSUM(_Comb):
    """Ranking of items by the sum of their normalised scores.

    Parameters
    ----------
    norm : {"borda", "rank", "score", "z-score", "simple-borda"}, default="borda"
        Normalisation of each list.
    %(eval_pts)s
    %(convention)s

    See Also
    --------
    skrankagg.CombSUM : The method as defined in the paper.

    Examples
    --------
    >>> import pandas as pd
    >>> from skrankagg.compat.pyflagr import Linear
    >>> lists = pd.DataFrame({
    ...     "query": "q", "voter": ["u", "u", "u", "v", "v", "w", "w"], "item": ["a", "b", "c", "b", "a", "b", "c"],
    ...     "rank": [1, 2, 3, 1, 2, 1, 2], "score": [3.0, 2.0, 1.0, 0.9, 0.6, 5.0, 4.0],
    ... })
    >>> df_out, _ = Linear.CombSUM().aggregate(input_df=lists)
    >>> dict(zip(df_out["ItemID"], df_out["Score"], strict=True))
    {'b': 2.666667, 'a': 2.0, 'c': 1.333333}
    """

    _base, _multiply, _estimator = 100, False, "CombSUM"


class CombMNZ(_Comb):
    """Ranking of items by the sum of their normalised scores, multiplied by the number of lists that contain them.

    Parameters
    ----------
    norm : {"borda", "rank", "score", "z-score", "simple-borda"}, default="borda"
        Normalisation of each list.
    %(eval_pts)s
    %(convention)s

    See Also
    --------
    skrankagg.CombMNZ : The method as defined in the paper.

    Examples
    --------
    >>> import pandas as pd
    >>> from skrankagg.compat.pyflagr import Linear
    >>> lists = pd.DataFrame({
    ...     "query": "q", "voter": ["u", "u", "u", "v", "v", "w", "w"], "item": ["a", "b", "c", "b", "a", "b", "c"],
    ...     "rank": [1, 2, 3, 1, 2, 1, 2], "score": [3.0, 2.0, 1.0, 0.9, 0.6, 5.0, 4.0],
    ... })
    >>> df_out, _ = Linear.CombMNZ().aggregate(input_df=lists)
    >>> dict(zip(df_out["ItemID"], df_out["Score"], strict=True))
    {'b': 8.0, 'a': 4.0, 'c': 2.666667}
    """

    _base, _multiply, _estimator = 110, True, "CombMNZ"


class BordaCount(CombSUM):
    """CombSUM with Borda's normalisation.

    Parameters
    ----------
    %(eval_pts)s
    %(convention)s

    See Also
    --------
    skrankagg.BordaCount : The method as defined in the paper.

    Examples
    --------
    >>> import pandas as pd
    >>> from skrankagg.compat.pyflagr import Linear
    >>> lists = pd.DataFrame({
    ...     "query": "q", "voter": ["u", "u", "u", "v", "v", "w", "w"], "item": ["a", "b", "c", "b", "a", "b", "c"],
    ...     "rank": [1, 2, 3, 1, 2, 1, 2], "score": [3.0, 2.0, 1.0, 0.9, 0.6, 5.0, 4.0],
    ... })
    >>> df_out, _ = Linear.BordaCount().aggregate(input_df=lists)
    >>> dict(zip(df_out["ItemID"], df_out["Score"], strict=True))
    {'b': 2.666667, 'a': 2.0, 'c': 1.333333}
    """

    def __init__(self, eval_pts: int = 10, *, convention: Convention = "flagr") -> None:
        super().__init__("borda", eval_pts, convention=convention)


class SimpleBordaCount(CombSUM):
    """CombSUM with Borda's normalisation and 0 for absent items.

    Parameters
    ----------
    %(eval_pts)s
    %(convention)s

    See Also
    --------
    skrankagg.CombSUM : With ``norm="simple-borda"``, the method as defined in the paper.

    Examples
    --------
    >>> import pandas as pd
    >>> from skrankagg.compat.pyflagr import Linear
    >>> lists = pd.DataFrame({
    ...     "query": "q", "voter": ["u", "u", "u", "v", "v", "w", "w"], "item": ["a", "b", "c", "b", "a", "b", "c"],
    ...     "rank": [1, 2, 3, 1, 2, 1, 2], "score": [3.0, 2.0, 1.0, 0.9, 0.6, 5.0, 4.0],
    ... })
    >>> df_out, _ = Linear.SimpleBordaCount().aggregate(input_df=lists)
    >>> dict(zip(df_out["ItemID"], df_out["Score"], strict=True))
    {'b': 2.666667, 'a': 1.666667, 'c': 1.0}
    """

    def __init__(self, eval_pts: int = 10, *, convention: Convention = "flagr") -> None:
        super().__init__("simple-borda", eval_pts, convention=convention)


#: Names in the text of PyFLAGR's notebooks.
Borda: TypeAlias = BordaCount
SimpleBorda: TypeAlias = SimpleBordaCount
