"""Warnings that skrankagg raises; its errors are the built-in TypeError and ValueError."""

__all__ = ["RankScoreConflictWarning", "SplitQueryWarning"]


class RankScoreConflictWarning(UserWarning):
    """A list's ranks and scores order its items differently; the ranks decide."""


class SplitQueryWarning(UserWarning):
    """Lists have lost rows in the middle, as when a splitter takes the rows of a frame for samples.

    A sample is a query. Give the splitter a :class:`~skrankagg.RankedLists`, whose samples are queries, instead of a
    frame.
    """
