"""Warnings that skrankagg raises; its errors are the built-in TypeError and ValueError."""

__all__ = ["ExposureWarning", "RankScoreConflictWarning", "SplitQueryWarning"]


class ExposureWarning(UserWarning):
    """Lists of two items reach a method that ranks the items of a list above all others.

    A comparison of two items says nothing of the others. A method whose tag ``absent_below`` is true takes both of
    them, the loser too, to be better than all others, and so orders items by how often they were compared. It warns,
    once for each call, where lists of exactly two items carry more than half of the list weight of a query of more than
    four items.

    See Also
    --------
    skrankagg.aggregators.MarkovChain : With ``chain="mct"`` reads comparisons as they are.
    skrankagg.base.AggregatorTags : Has the tag.

    Examples
    --------
    Item e is compared most often, and loses to every other item:

    >>> import warnings
    >>> import pandas as pd
    >>> from skrankagg import BordaCount, MarkovChain
    >>> from skrankagg.exceptions import ExposureWarning
    >>> duels = pd.DataFrame({"query": "q", "voter": [1, 1, 2, 2, 3, 3, 4, 4], "item": list("aebecede")})
    >>> duels["rank"] = [1, 2] * 4
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("error", ExposureWarning)
    ...     BordaCount().fit_transform(duels)
    Traceback (most recent call last):
    skrankagg.exceptions.ExposureWarning: BordaCount ranks the items that a list holds above those that it does not, ...
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore", ExposureWarning)
    ...     BordaCount().fit_transform(duels)["item"].tolist()
    ['e', 'a', 'b', 'c', 'd']
    >>> MarkovChain(chain="mct").fit_transform(duels)["item"].tolist()
    ['a', 'b', 'c', 'd', 'e']
    """


class RankScoreConflictWarning(UserWarning):
    """A list's ranks and scores order its items differently; the ranks decide.

    The scores may be distances, of which smaller ones are better, or belong to another list than the ranks.

    See Also
    --------
    skrankagg.RankedLists.from_frame : Warns; with ``rank=None`` or ``score=None`` it does not read one of the two.

    Examples
    --------
    >>> import warnings
    >>> import pandas as pd
    >>> from skrankagg import RankedLists
    >>> from skrankagg.exceptions import RankScoreConflictWarning
    >>> near = pd.DataFrame({"query": "q", "voter": "v", "item": ["a", "b"], "rank": [1, 2], "score": [0.1, 0.7]})
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("error", RankScoreConflictWarning)
    ...     RankedLists.from_frame(near)
    Traceback (most recent call last):
    skrankagg.exceptions.RankScoreConflictWarning: The ranks and the scores of query 'q', voter 'v' order its items ...
    >>> RankedLists.from_frame(near, score=None)
    RankedLists(n_queries=1, n_voters=1, n_items=2, n_lists=1, n_rows=2, ranks)
    """


class SplitQueryWarning(UserWarning):
    """Lists have lost rows in the middle, as when a splitter takes the rows of a frame for samples.

    A sample is a query. Give the splitter a :class:`~skrankagg.RankedLists`, whose samples are queries, instead of a
    frame. Seen are frames whose row labels have holes where their lists lack rows; a frame that was numbered anew after
    it was split shows nothing.

    See Also
    --------
    skrankagg.model_selection.QueryKFold : Splits a frame between queries.

    Examples
    --------
    >>> import warnings
    >>> import pandas as pd
    >>> from skrankagg import RankedLists
    >>> from skrankagg.exceptions import SplitQueryWarning
    >>> lists = pd.DataFrame({"query": "q", "voter": "v", "item": ["a", "b", "c", "d"], "rank": [1, 2, 3, 4]})
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("error", SplitQueryWarning)
    ...     RankedLists.from_frame(lists.iloc[[0, 2, 3]])
    Traceback (most recent call last):
    skrankagg.exceptions.SplitQueryWarning: 1 lists have lost rows, as when a splitter takes the rows of a frame for ...
    """
