"""Warnings that skrankagg raises; its errors are the built-in TypeError and ValueError."""

__all__ = ["RankScoreConflictWarning", "SplitQueryWarning"]


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
    """Lists have lost rows, as when a splitter takes the rows of a frame for samples.

    A sample is a query. Give the splitter a :class:`~skrankagg.RankedLists`, whose samples are queries, instead of a
    frame. The warning looks for gaps in the frame's row labels where lists lack rows, and for a frame whose first row
    lies inside a list. It cannot see gaps in a frame whose index was reset after the split.

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
    skrankagg.exceptions.SplitQueryWarning: 1 list has lost rows, as when a splitter takes the rows of a frame for ...
    """
