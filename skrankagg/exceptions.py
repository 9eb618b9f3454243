"""Warnings that skrankagg raises; its errors are the built-in TypeError and ValueError."""

__all__ = ["RankScoreConflictWarning", "SplitQueryWarning", "UnequalLengthWarning", "UnknownVoterWarning"]


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


class UnequalLengthWarning(UserWarning):
    """Learnt weights follow the length of the lists: the longest list of a query outweighs all others.

    A query counts if its longest list, longer than each other one and at least twice as long as the median, has more
    than five times the median weight of the query's lists. The consensus is then little more than that list, whether or
    not its voter is good: a long list holds more of the items of a consensus, and the more it weighs the more the
    consensus is like it.

    See Also
    --------
    skrankagg.aggregators.DIBRA : Warns, as do the other methods that learn weights.
    skrankagg.preprocessing.TopK : Cuts all lists to one depth, which is the remedy.

    Examples
    --------
    One voter ranks 200 items, three rank 30:

    >>> import warnings
    >>> from skrankagg import DIBRA
    >>> from skrankagg.datasets import make_ranked_lists
    >>> from skrankagg.exceptions import UnequalLengthWarning
    >>> lists, _ = make_ranked_lists(n_queries=2, n_voters=4, n_items=400, list_length=200, random_state=0)
    >>> lists = lists[(lists["voter"] == "v1") | (lists["rank"] <= 30)].reset_index(drop=True)
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("error", UnequalLengthWarning)
    ...     DIBRA().fit(lists)
    Traceback (most recent call last):
    skrankagg.exceptions.UnequalLengthWarning: The weights that DIBRA learnt follow the length of the lists in 2 of ...
    >>> from sklearn.pipeline import make_pipeline
    >>> from skrankagg.preprocessing import TopK
    >>> consensus = make_pipeline(TopK(30), DIBRA()).fit_transform(lists)
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
