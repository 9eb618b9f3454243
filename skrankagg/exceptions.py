"""Warnings that skrankagg raises; its errors are the built-in TypeError and ValueError."""

__all__ = ["MissingQueriesWarning", "NothingJudgedWarning", "RankScoreConflictWarning", "SplitQueryWarning"]


class MissingQueriesWarning(UserWarning):
    """More than half of the judged queries have no results in a run, and each of them counts as 0.

    The judgements state the queries. So a run of some of them, as that of one fold of a cross-validation, is measured
    over all the others as well, and its values are too low. The warning is for the default of `missing`;
    ``missing="zero"`` says that 0 is meant, and ``missing="skip"`` leaves those queries out.

    See Also
    --------
    skrankagg.metrics.make_ranking_scorer : Measures over the judged queries of the lists that it is given.
    skrankagg.metrics.evaluate : Warns, as every measure does.

    Examples
    --------
    >>> import warnings
    >>> from skrankagg.exceptions import MissingQueriesWarning
    >>> from skrankagg.metrics import precision
    >>> run, qrels = {"q1": ["a"]}, {"q1": ["a"], "q2": ["b"], "q3": ["a"]}
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("error", MissingQueriesWarning)
    ...     precision(run, qrels, k=1)
    Traceback (most recent call last):
    skrankagg.exceptions.MissingQueriesWarning: 2 of the 3 judged queries have no results and count as 0; leave them ...
    >>> precision(run, qrels, k=1, missing="skip"), round(precision(run, qrels, k=1, missing="zero"), 4)
    (1.0, 0.3333)
    """


class NothingJudgedWarning(UserWarning):
    """A run is empty, or holds no judged query or no judged item, and so scores 0.

    It is an error only where ids cannot match, as integers and strings never do. A run that is empty, or that bad, is
    measured, and does not keep other runs from being measured.

    See Also
    --------
    skrankagg.metrics.evaluate : Warns, as every measure does.
    skrankagg.Qrels : The judgements.

    Examples
    --------
    >>> import warnings
    >>> from skrankagg.exceptions import NothingJudgedWarning
    >>> from skrankagg.metrics import evaluate
    >>> runs, qrels = {"good": {"q": ["a"]}, "empty": {}}, {"q": ["a"]}
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("error", NothingJudgedWarning)
    ...     evaluate(runs, qrels, "map")
    Traceback (most recent call last):
    skrankagg.exceptions.NothingJudgedWarning: The run 'empty' is empty; it scores 0. Check its ids, ...
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore", NothingJudgedWarning)
    ...     evaluate(runs, qrels, "map")
           map
    run
    good   1.0
    empty  0.0
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
