"""Warnings that skrankagg raises; its errors are the built-in TypeError and ValueError."""

__all__ = ["RankScoreConflictWarning", "SplitQueryWarning", "UnknownVoterWarning"]


class RankScoreConflictWarning(UserWarning):
    """A list's ranks and scores order its items differently.

    The scores may be distances or p-values, of which smaller ones are better, or belong to another list than the ranks.
    Methods of ranks use the ranks. Methods of scores refuse the list with a ValueError, those of the tag
    ``needs_scores``: :class:`~skrankagg.CombSUM` and :class:`~skrankagg.CombMNZ` with a norm of scores, and what is
    built on them. A list of weight 0 is not refused, for it is not heard.

    See Also
    --------
    skrankagg.RankedLists.from_frame : Warns; with ``rank=None`` or ``score=None`` it does not read one of the two.
    skrankagg.preprocessing.ScoreNormalizer : With a norm of ranks it makes scores of them.

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

    Smaller scores are better here, so they are negated:

    >>> RankedLists.from_frame(near.assign(score=-near["score"]))
    RankedLists(n_queries=1, n_voters=1, n_items=2, n_lists=1, n_rows=2, ranks and scores)
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


class UnknownVoterWarning(UserWarning):
    """Voters do not match: a parameter seems to misspell one, or ``fit`` has not seen any voter of the lists.

    A name that is not a voter's, as in ``voter_weights``, counts as misspelt if it resembles one voter and no other:
    equal but for case, blanks, leading zeros and type (1 and "1"), or of similar spelling. Other names do not count:
    lists may be a part of a data set, as in cross-validation, and lack some of its voters.

    See Also
    --------
    skrankagg.aggregators.DIBRA : With ``weighting="global"`` it warns if it was not fitted on any voter of the lists.
    skrankagg.preprocessing.VoterSelector : Warns if it has no value for any voter of the lists.

    Examples
    --------
    >>> import warnings
    >>> import pandas as pd
    >>> from skrankagg import CombSUM
    >>> from skrankagg.exceptions import UnknownVoterWarning
    >>> lists = pd.DataFrame({"query": "q", "voter": ["bing", "google"], "item": ["a", "b"], "rank": [1, 1]})
    >>> method = CombSUM(norm="rank", voter_weights={"bing": 1, "google": 1, "gogle": 3})
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("error", UnknownVoterWarning)
    ...     method.fit(lists)
    Traceback (most recent call last):
    skrankagg.exceptions.UnknownVoterWarning: voter_weights names a voter that has no list: 'gogle' (did you mean ...
    """
