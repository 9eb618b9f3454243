"""One-page report on the certainty and the origin of a consensus, with caveats."""

from __future__ import annotations

import importlib.util
import os
import warnings
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pandas as pd

from .._data._types import PlainLists
from .._support._checks import check_count, check_flag
from .._support._warn import warn_user
from ..base import BaseAggregator
from ..exceptions import FewListsWarning, InputError
from ._report_numbers import collect
from ._report_page import Text, html_of, html_page, markdown_of
from ._report_sections import sections_of

__all__ = ["RankingReport", "ranking_report"]

_ENDINGS = {".html": "html", ".htm": "html", ".md": "markdown", ".markdown": "markdown"}


class RankingReport:
    """One-page report on a consensus, displayed in a notebook or saved as HTML or Markdown.

    :func:`ranking_report` creates it.

    Parameters
    ----------
    frames : dict of str to DataFrame
        Results of the functions of :mod:`skrankagg.inspection`. The key "consensus" is always present. "stability",
        "confidence", "preferences", "contributions" and "influence" are present if the method allows them, and "audit"
        is present on request.
    facts : dict of str to object
        The method, the lists and the settings.
    caveats : list
        Caveats, as texts that are ready for the page.

    See Also
    --------
    ranking_report : Creates a report.

    Examples
    --------
    >>> from skrankagg import BordaCount
    >>> from skrankagg.datasets import make_ranked_lists
    >>> from skrankagg.plotting import ranking_report
    >>> lists = make_ranked_lists(n_queries=1, n_voters=20, n_items=6, list_length=None,
    ...     quality=0.5, random_state=0)[0]
    >>> report = ranking_report(BordaCount(), lists, n_resamples=200)
    >>> report
    RankingReport(query='q1', 6 items, 20 lists)
    >>> sorted(report.frames)
    ['confidence', 'consensus', 'contributions', 'influence', 'preferences', 'stability']
    """

    def __init__(self, frames: dict[str, pd.DataFrame], facts: dict[str, Any], caveats: list[Any]) -> None:
        self.frames = frames
        self.facts = facts
        self.caveats = caveats

    def __repr__(self) -> str:
        return f"RankingReport(query={self.facts['query']!r}, {self.facts['n_items']} items, {self.facts['lists']})"

    def _repr_html_(self) -> str:
        # A notebook page has its own title, so the title of the report is a heading of the third level.
        return html_of(*sections_of(self), importlib.util.find_spec("matplotlib") is not None, level=3)

    def to_html(self, *, pictures: bool = True) -> str:
        """Write the report as one HTML page that needs no other file.

        Parameters
        ----------
        pictures : bool, default=True
            Whether to draw pictures and embed them in the page as SVG. Pictures need matplotlib.

        Returns
        -------
        str
            The page. The same report always has the same text.
        """
        title, lead, sections = sections_of(self)
        return html_page(title, html_of(title, lead, sections, pictures))

    def to_markdown(self) -> str:
        """Write the report in Markdown, with tables and without pictures.

        Returns
        -------
        str
            The text. The same report always has the same text.
        """
        return markdown_of(*sections_of(self))

    def save(self, path: str | os.PathLike[str], format: Literal["html", "markdown"] | None = None) -> None:
        """Save the report.

        Parameters
        ----------
        path : str or path
            The file.
        format : {"html", "markdown"}, default=None
            Format; None uses the format of the suffix, .html or .md.
        """
        page = self.to_html() if _check_format(path, format) == "html" else self.to_markdown()
        Path(path).write_text(page, encoding="utf-8")


def ranking_report(
    aggregator: BaseAggregator,
    lists: PlainLists,
    query: Any = None,
    *,
    path: str | os.PathLike[str] | None = None,
    format: Literal["html", "markdown"] | None = None,
    title: str | None = None,
    top: int = 20,
    n_places: int = 3,
    n_resamples: int = 1000,
    confidence: float = 0.95,
    unit: str = "list",
    audit: bool = False,
    random_state: int | None = 0,
    n_jobs: int | None = None,
) -> RankingReport:
    r"""Write a one-page report on the certainty of a consensus and on the contributions of the lists.

    The page contains

    - the consensus, with an interval for the place of each item, and with the chances of each item to be first or among
      the first k places;
    - the groups of items that the draws do not separate;
    - confidence sets if the method allows them;
    - the contribution and the influence of each list, with outliers marked;
    - the influence of each group, if `unit` is a grouping;
    - the audit of paired comparisons, on request;
    - the way in which the numbers were computed, the meaning of each table, and caveats.

    Parameters
    ----------
    aggregator : aggregator
        Any method. A method that requires a fit must be fitted; it is not fitted again.
    lists : DataFrame or RankedLists, or dict or list of lists
        Ranked lists.
    query : object, default=None
        Id of the query; None if there is only one query, or if `unit` is "query".
    path : str or path, default=None
        File to save the page in; None saves nothing.
    format : {"html", "markdown"}, default=None
        Format of the file; None uses the format of the suffix, .html or .md.
    title : str, default=None
        Title; None uses a title that contains the query.
    top : int, default=20
        Number of items to show; `frames` of the result contains the numbers of all items.
    n_places : int, default=3
        Number k of places. The report contains the chance that an item is first, and the chance that it is among the
        first k places.
    n_resamples : int, default=1000
        Number of draws.
    confidence : float, default=0.95
        Share of the draws that an interval covers, and probability that a confidence set contains the true rank.
    unit : {"list", "voter", "query"} or str, default="list"
        The unit that is drawn, as in :func:`~skrankagg.inspection.rank_stability`. With "query", the lists of all
        queries are pooled into one query.
    audit : bool, default=False
        Whether to add the checks of :func:`~skrankagg.inspection.audit`, for paired comparisons. The checks use
        `unit` if it is a grouping, and the prior of `aggregator` if it is PlackettLuce.
    random_state : int or None, default=0
        Seed of the draws. None chooses a seed at random, and the report contains this seed.
    n_jobs : int, default=None
        Number of processes that share the draws.

    Returns
    -------
    RankingReport
        The report. A notebook displays it as a page. The methods ``to_html()``, ``to_markdown()`` and ``save(path)``
        export the page, and ``frames`` contains the numbers.

    Raises
    ------
    ValueError
        If `query` is None although there are several queries, if an argument is out of range, or if `path` does not
        determine the format.

    Warns
    -----
    FewListsWarning
        If there are fewer than five units to draw from; the page contains this warning too.

    See Also
    --------
    skrankagg.inspection.rank_stability : Computes intervals of the places from random draws of the lists.
    skrankagg.inspection.rank_confidence : Confidence sets of the true ranks.
    skrankagg.inspection.voter_contributions : The contribution of each list.
    skrankagg.inspection.voter_influence : Changes of the consensus if a list is left out.
    skrankagg.inspection.audit : Checks of paired comparisons.

    Notes
    -----
    If there are fewer than 50 units to draw from, the table and its picture show confidence sets instead of the
    intervals from the draws. With so few units, these intervals are too short, especially for the first place.

    Parts of the page that a method does not allow are left out, and the page gives the reason. The draws need a method
    that accepts weights of lists. Contributions need scores that are sums over the lists. Confidence sets need such
    scores too, and the score that an item gets from a list must not depend on other lists. Slow parts are also left
    out. The comparison of pairs is left out if there are more than 500 items. Confidence sets are left out if the
    number of draws, times the number of lists, times the squared number of items, exceeds :math:`2 \cdot 10^{10}`.

    The function is in :mod:`skrankagg.plotting`, not in :mod:`skrankagg.inspection`, because it draws pictures. Ids are
    escaped. The page contains no date and no scripts, so the same call always writes the same file.

    Examples
    --------
    >>> from skrankagg import BordaCount
    >>> from skrankagg.datasets import make_ranked_lists
    >>> from skrankagg.plotting import ranking_report
    >>> lists = make_ranked_lists(n_queries=1, n_voters=20, n_items=6, list_length=None,
    ...     quality=0.5, random_state=0)[0]
    >>> report = ranking_report(BordaCount(), lists)
    >>> report.save("report.html")  # doctest: +SKIP
    >>> print(report.to_markdown().partition("## The consensus")[0])
    # Consensus of 20 lists: query q1
    <BLANKLINE>
    i1 is first of 6 items, and in 71 % of the draws of lists.
    <BLANKLINE>
    The draws do not separate the first 5 items: no two neighbours keep their order in 95 % of the draws.
    <BLANKLINE>
    <BLANKLINE>
    """
    check_count("top", top)
    check_count("n_places", n_places)
    check_flag("audit", audit)
    if path is not None or format is not None:
        _check_format(path, format)
    if random_state is None:
        random_state = int(np.random.default_rng().integers(2**31))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        frames, facts, caveats = collect(
            aggregator,
            lists,
            query,
            top=top,
            n_places=n_places,
            n_resamples=n_resamples,
            confidence=confidence,
            unit=unit,
            with_audit=audit,
            random_state=random_state,
            n_jobs=n_jobs,
        )
    caveats += _tell(caught)
    report = RankingReport(frames, {**facts, "title": title, "top": top}, caveats)
    if path is not None:
        report.save(path, format)
    return report


def _check_format(path, format):
    if format is not None:
        if format not in ("html", "markdown"):
            raise InputError(f"`format` must be one of 'html', 'markdown'; got {format!r}.")
        return format
    ending = Path(path).suffix.lower()
    if ending not in _ENDINGS:
        raise InputError(
            f"`path` must end in .html or .md; got {str(Path(path))!r}. Change the ending, or pass format=."
        )
    return _ENDINGS[ending]


def _tell(caught):
    """Issue each distinct caught warning once, and return the messages as sentences for the report.

    The messages of FewListsWarning are left out.
    """
    told = {}
    for one in caught:
        told.setdefault((one.category, str(one.message)), None)
    for category, message in told:
        warn_user(message, category)
    return [Text("{}", (message,)) for category, message in told if category is not FewListsWarning]
