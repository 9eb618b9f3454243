"""Diagnosis of ranked lists: facts about the lists, and warnings about properties that harm some methods."""

from __future__ import annotations

import textwrap
from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components
from scipy.special import ndtri, stdtrit

from .._arrays._ragged import group_medians
from .._data._compared_items import (
    component_labels,
    exposed_queries,
    n_components,
    paired_queries,
    partial_queries,
)
from .._data._frames import plain_index
from .._data._ranked_lists import check_lists, encode_plain
from .._data._types import PlainLists
from ..exceptions import InputError
from ._list_statistics import (
    Likeness,
    agreement_with_others,
    by_voter,
    expected_distance,
    likeness,
    random_limit,
    score_statistics,
)

__all__ = ["Diagnosis", "diagnose"]

COLUMNS = ("level", "topic", "voters", "seen", "harms", "advice")
# The mean cosine of near copies is above this value. With probability 1 - _LEVEL, it is also above all pairs of random
# lists.
_COPIES, _LEVEL = 0.8, 0.01
# If random lists have at least the first cosine, good voters are similar without being copies. The distance of copies
# must then be less than the second number times the distance of independent voters.
_FORCED, _CLOSER = 0.4, 0.25
# With three voters, copies need at least the first likeness beyond chance. With the second one, their lists are
# practically equal, and the two voters are copies under a weaker condition.
_ALIKE, _EQUAL = 0.7, 0.98
# A voter agrees with no other voter if its precision is below the first number times the median. Its lists are reversed
# if their correlation is below the second number.
_NOBODY, _REVERSED = 0.2, -0.1
# Levels of three tests: the precision alone, for all voters together; the correlation of one voter; the precision of
# one voter whose correlation is no better than chance.
_ALONE, _BETTER, _JOINTLY = 0.001, 0.025, 0.1
# Scores are on another scale if their size or spread differs from the median by more than the first factor, while most
# voters differ from the median by less than the second factor.
_SCALE, _SHARED = 10.0, 3.0
# Lists of at least the first length are deep. The lists of a deeper voter have at least the second number times the
# median length.
_DEEP, _DEEPER = 500, 2.0
# Largest number of voters whose pairs are compared, and largest number of names in a sentence.
_MOST_VOTERS, _NAMES = 1000, 5
_WIDTH = 100


class Diagnosis(NamedTuple):
    """Facts and warnings about ranked lists, as a frame and as a text; ``print`` shows the text.

    :func:`diagnose` returns this object.

    Parameters
    ----------
    frame : DataFrame
        A row for each finding, see :func:`diagnose`.
    text : str
        The same findings in lines of at most 100 characters.

    See Also
    --------
    diagnose : Examines lists.

    Examples
    --------
    >>> from skrankagg.inspection import diagnose
    >>> diagnose([["a", "b", "c"], ["b", "a", "c"], ["a", "c", "b"]])
    Diagnosis(2 facts, no warnings)
    """

    frame: pd.DataFrame
    text: str

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"Diagnosis({_counts(self.frame['level'])})"


class _Finding(NamedTuple):
    """A fact or warning, which becomes a row of the frame of `diagnose`.

    `voters` contains the codes of the voters concerned.
    """

    level: str
    topic: str
    voters: tuple[int, ...]
    seen: str
    harms: str = ""
    advice: str = ""


def diagnose(lists: PlainLists) -> Diagnosis:
    r"""Find properties of ranked lists that harm some methods; judgements are not needed.

    The result describes the lists and names voters to look at. The function chooses no method and removes no list.

    Parameters
    ----------
    lists : DataFrame or RankedLists of n_queries queries, or dict or list of lists
        Ranked lists. Lists of weight 0 are left out.

    Returns
    -------
    Diagnosis
        A named tuple of `frame` and `text`. The frame has a row for each finding, warnings first:

        - `level`: "warning" or "fact". A warning reports a defect of voters, or a property that harms most methods;
        - `topic`: "depth", "queries", "overlap", "copies", "agreement", "direction", "scores", "duels" or
          "components";
        - `voters`: tuple with the ids of the voters; empty if the finding concerns all lists;
        - `seen`: what was found, with numbers and the names of the voters;
        - `harms`: the methods that the property harms, and the loss if it was measured; may be empty;
        - `advice`: what to do; may be empty.

    Raises
    ------
    ValueError
        If all lists have weight 0.

    See Also
    --------
    voter_influence : Finds lists that disagree with the consensus of one method.
    skrankagg.preprocessing.VoterSelector : Leaves voters out.
    skrankagg.metrics.agreement_matrix : Measures the agreement of all pairs of runs.

    Notes
    -----
    **Near copies.** The likeness of two lists is the cosine of two vectors. The vector of a list has the entry :math:`1
    / (10 + r_i)` for the item :math:`i` on rank :math:`r_i`, and 0 for absent items. Two voters are near copies if
    their mean cosine over the common queries meets two conditions. It is above 0.8, and above a limit for random lists
    of the same lengths with the same number of common items. If all lists are random, the probability that no pair of
    voters exceeds its limit is 99 %. With vectors :math:`x` and :math:`y` of unit length and :math:`c` common items,
    the mean and the variance of the cosine of random lists are

    .. math:: E = c \, \overline{x} \, \overline{y}, \qquad
        V = c \, \overline{x^2} \, \overline{y^2} + c (c - 1) \, \overline{x x'} \; \overline{y y'} - E^2,

    where :math:`\overline{x x'}` is the mean product of two different entries. The limit assumes that the mean over the
    queries is normally distributed; no random lists are drawn.

    Good voters who rank the same items are alike without being copies. A third condition therefore applies if the
    median of :math:`E` over the pairs of voters is at least 0.4. The distance :math:`1 - \cos` of two near copies must
    then be less than a quarter of the distance of independent voters. This distance is estimated as :math:`m_a + m_b -
    m`, where :math:`m_a` and :math:`m_b` are the median distances of the two voters to all others, and :math:`m` is the
    median distance of all pairs. With three voters, the estimate is the smaller distance to the third voter, and the
    likeness beyond chance, :math:`(\cos - E) / (1 - E)`, must be at least 0.7. If the likeness beyond chance is at
    least 0.98, there is another way to meet the third condition. For each of the two voters, the distance to some third
    voter must be more than four times the distance between the two. With only two voters, near copies are reported as a
    fact instead of a warning, because there are no other voters that the copies could outvote. With more than 1000
    voters, pairs are not compared.

    **Agreement.** For each list, the other lists are merged by reciprocal rank fusion (:math:`k = 60`), and the first
    ten items of this fusion are treated as relevant. The test of a voter uses the mean average precision of its lists.
    A voter agrees with no other voter if this value is significantly below a fifth of the median over all voters. The
    test is a t-test over the queries, and its level is 0.1 %, divided by the number of voters. The level is instead 10
    % if the lists of the voter do not correlate with the fusion significantly better than random lists, at a level of
    2.5 %. The rule needs several queries and at least three voters.

    **Direction.** The lists of a voter are reported as reversed if their mean Spearman correlation with this fusion is
    below -0.1 and significantly below 0. The level of the test is 1 %, divided by the number of voters. If such lists
    are reversed, they agree better with the other lists. Lists that share fewer than five items with other lists are
    left out. With two voters, either of them may be reversed.

    **Scores.** The scores of a voter are reported as constant, or as at most 0, if more than half of its lists have
    such scores. The size of a list's scores is their mean absolute value, and their spread is their standard deviation.
    For each voter, the size and the spread are the medians over its lists. They are compared with the median over all
    voters. If most voters are within a factor of three of this median, a warning names each voter that differs from it
    by a factor of more than ten. If the voters share no common scale, their different scales are reported as a fact
    instead of a warning.

    **Duels and components.** Duels are found as for :class:`~skrankagg.exceptions.ExposureWarning`, and components as
    for :class:`~skrankagg.exceptions.NotComparedWarning`. Queries of paired comparisons are left out when copies,
    agreement and direction are examined. Components are a warning if more than half of the queries have several
    components.

    The numbers in `harms` are means over 24 judged collections, with lists cut at 100 items, unless the text names
    other data. The time is :math:`O(\sum_q m_q N_q)`, with :math:`m_q` lists and :math:`N_q` rows of query :math:`q`.

    Examples
    --------
    A voter appears twice, and the scores of another voter are distances:

    >>> import pandas as pd
    >>> from skrankagg.datasets import make_ranked_lists
    >>> from skrankagg.inspection import diagnose
    >>> lists = make_ranked_lists(n_queries=20, n_voters=6, n_items=200, list_length=50,
    ...     random_state=0)[0]
    >>> lists.loc[lists["voter"] == "v6", "score"] *= -1
    >>> copy = lists[lists["voter"] == "v2"].assign(voter="v2 again")
    >>> found = diagnose(pd.concat([lists, copy]).drop(columns="rank"))
    >>> found
    Diagnosis(2 facts, 3 warnings)
    >>> found.frame[["level", "topic", "voters"]]
         level      topic          voters
    0  warning     copies  (v2, v2 again)
    1  warning  direction           (v6,)
    2  warning     scores           (v6,)
    3     fact      depth              ()
    4     fact    overlap              ()
    >>> print(found.frame["seen"][1])
    The lists of voter 'v6' agree more with the others when reversed: the mean correlation with the fusion of the others
    is -0.24. For the median voter it is 0.38.
    """
    lists = check_lists(encode_plain(lists))
    counted = lists.list_weight > 0
    if not counted.any():
        raise InputError(
            "`lists` must have a list of positive weight; all lists have weight 0. Give at least one list a positive "
            "weight."
        )
    if not counted.all():
        lists = lists.keep_lists(counted)[0]
    found = sorted(_findings(lists), key=lambda one: one.level == "fact")
    ids = plain_index(lists.voters).tolist()
    frame = pd.DataFrame([one._replace(voters=tuple(ids[v] for v in one.voters)) for one in found], columns=COLUMNS)
    return Diagnosis(frame, _text(frame, lists))


def _findings(lists):
    """Yield all findings about the lists, ordered by topic."""
    names = _Names(lists)
    present = np.bincount(lists.list_voter, minlength=lists.n_voters)
    n_voters = int((present > 0).sum())
    paired = paired_queries(lists)
    yield from _depth(lists, names, paired)
    yield from _missing(lists, names, present)
    if not paired.all():
        long = lists.take(np.flatnonzero(~paired)) if paired.any() else lists
        if 2 <= n_voters <= _MOST_VOTERS:
            like = likeness(long)
            yield from _overlap(like, names)
            yield from _copies(like, names, n_voters)
        if n_voters >= 2:
            yield from _agreement(long, names, n_voters)
    if lists.has_scores:
        yield from _scores(lists, names)
    yield from _duels(exposed_queries(lists))
    yield from _components(lists)


class _Names:
    """Callable that returns the names of voters for a sentence, given the codes of the voters."""

    def __init__(self, lists):
        self.ids = plain_index(lists.voters).tolist()

    def __call__(self, voters, noun="voter"):
        """Return a text such as "voter 'a'" or "voters 'a' and 'b'"."""
        shown = [repr(self.ids[v]) for v in voters[:_NAMES]]
        if len(voters) > _NAMES:
            return f"{noun}s {', '.join(shown)} and {len(voters) - _NAMES} more"
        return f"{noun} {shown[0]}" if len(shown) == 1 else f"{noun}s {', '.join(shown[:-1])} and {shown[-1]}"


def _depth(lists, names, paired):
    if lists.list_duel is not None and lists.list_duel.all():
        return  # a list of two items is a comparison, not a cut list
    length, n_items = lists.list_length, lists.query_n_items
    median = float(np.median(length))
    if (length == n_items[lists.list_query]).all():
        span = _span(n_items)
        yield _Finding("fact", "depth", (), f"All lists are full: each contains all items of its query ({span} items).")
    else:
        partial = 2 * int(partial_queries(lists).sum()) > lists.n_queries
        yield _Finding(
            "fact",
            "depth",
            (),
            f"Lists are cut: they contain {_span(length)} of the {_span(n_items)} items of their query.",
            "Compared with ReciprocalRankFusion(), MarkovChain() lost 4.4 points of nDCG@10, CombSUM(norm='z-score') "
            "lost 1.9 points, and BordaCount(absent='ignore') lost 22 points."
            if partial
            else "",
            "If the lists are the tops of longer rankings, choose absent='last' and absent_score='min'. If each voter "
            "saw only the items in its list, choose absent='ignore'."
            if partial
            else "",
        )
    if median >= _DEEP:
        yield _Finding(
            "fact",
            "depth",
            (),
            f"Lists are deep: the median list has {median:g} items.",
            "On lists of 1000 items, BordaCount() was 6 to 16 points of nDCG@10 below ReciprocalRankFusion().",
            "Choose ReciprocalRankFusion(k=20), or cut the lists with TopK.",
        )
    if paired.all():
        return
    depth = group_medians(lists.list_voter, length, lists.n_voters)
    typical = np.nanmedian(depth)
    deeper = np.flatnonzero(depth >= _DEEPER * typical)
    if len(deeper):
        yield _Finding(
            "fact",
            "depth",
            tuple(deeper.tolist()),
            f"The lists of {names(deeper)} are deeper than other lists: their median length is "
            f"{_span(depth[deeper])}, instead of {typical:g} for the median voter.",
            "The weights that DIBRA, PreferenceRelations and Agglomerative learn depend on the lengths of the lists.",
            "Cut all lists to the same depth with TopK before you use one of these methods.",
        )


def _missing(lists, names, present):
    fewer = np.flatnonzero((present > 0) & (present < lists.n_queries))
    if len(fewer):
        yield _Finding(
            "fact",
            "queries",
            tuple(fewer.tolist()),
            f"Lists are missing: {names(fewer)} ranked items for only {_span(present[fewer])} of {lists.n_queries} "
            "queries.",
            "",
            "A voter without a list does not vote in that query.",
        )


def _overlap(like, names):
    known = np.triu(like.n_queries > 0, k=1)
    if not known.any():
        return
    a, b = np.nonzero(known)
    value = like.overlap[a, b]
    low, high = (f"{value[k]:.0%} ({names([a[k], b[k]])})" for k in (np.argmin(value), np.argmax(value)))
    seen = f"On average, two lists of a query share {value.mean():.0%} of the items of the shorter list"
    several = value.min() < value.max()
    yield _Finding("fact", "overlap", (), f"{seen}, from {low} to {high}." if several else f"{seen}.")


def near_copies(like: Likeness, n_voters: int) -> np.ndarray:
    """Return a mask of shape (n_voters, n_voters) that marks near copies by the rule of :func:`diagnose`."""
    with np.errstate(invalid="ignore"):
        found = (like.cosine > _COPIES) & (like.cosine > random_limit(like, _LEVEL))
        pairs = np.triu(like.n_queries > 0, k=1)
        if n_voters > 2 and found.any() and np.median(like.expected[pairs]) >= _FORCED:
            distance = 1 - like.cosine
            beyond = (like.cosine - like.expected) / (1 - like.expected)
            to_others = np.where(np.eye(len(distance), dtype=bool), np.nan, distance)
            if n_voters > 3:
                closer = distance < _CLOSER * expected_distance(distance)
            else:
                # Besides the distance to each other, both rows contain only the distance to the third voter.
                third = np.nansum(to_others, axis=1)[:, None] - distance
                closer = (distance < _CLOSER * np.minimum(third, third.T)) & (beyond >= _ALIKE)
            farthest = np.fmax.reduce(to_others, axis=1)
            equal = (beyond >= _EQUAL) & (4 * distance < np.fmin(farthest[:, None], farthest))
            found &= closer | equal
    np.fill_diagonal(found, False)
    return found


def _copies(like, names, n_voters):
    found = near_copies(like, n_voters)
    for group in _groups(found):
        inside = np.ix_(group, group)
        pairs = found[inside] & np.triu(np.ones(found[inside].shape, dtype=bool), k=1)
        seen = (
            f"{names(group, 'Voter')} are near copies: their mean cosine is {_span(like.cosine[inside][pairs], '.2f')}."
        )
        seen += f" Random lists with as many common items have {_span(like.expected[inside][pairs], '.2f')}."
        if n_voters == 2:
            yield _Finding("fact", "copies", tuple(group), seen, "", "Merging these two voters changes little.")
            continue
        yield _Finding(
            "warning",
            "copies",
            tuple(group),
            seen,
            "Copies outvote other voters in every method that gives all voters equal weight. In Deep Learning 2021, "
            "two of three voters were near copies: Copeland() and MarkovChain(absent='last') were 8 points of nDCG@10 "
            "below ReciprocalRankFusion(), which was 9 points below learned weights.",
            "Keep one of these voters, let them share one vote by voter_weights, or learn weights from judgements with "
            "LearnedWeights.",
        )


def _groups(found):
    """Divide voters into connected groups, and return each group as a sorted list of voter codes.

    `found`, of shape (n_voters, n_voters), is a mask of the pairs of voters that are connected directly. Voters without
    such a pair are left out.
    """
    _, label = connected_components(csr_array(found), directed=False)
    groups = [np.flatnonzero(label == one).tolist() for one in np.flatnonzero(np.bincount(label) > 1)]
    return sorted(groups)


def _agreement(lists, names, n_voters):
    agreement = agreement_with_others(lists)
    correlation, n_known = by_voter(lists, agreement.correlation)
    spread = np.bincount(lists.list_voter, weights=np.nan_to_num(agreement.spread) ** 2, minlength=lists.n_voters)
    with np.errstate(divide="ignore", invalid="ignore"):
        error = np.sqrt(spread) / n_known
        reversed_ = (correlation < _REVERSED) & (correlation < ndtri(_LEVEL / n_voters) * error)
    against = np.flatnonzero(reversed_)
    advice = "Check the direction of the scores; read distances and p-values with lower_is_better=."
    harms = (
        "Every method. On MQ2008-agg, reading all lists in reverse lowers the MAP of BordaCount() from 47.8 to 39.5."
    )
    if n_voters == 2 and len(against):
        both = np.flatnonzero(n_known > 0)
        seen = f"{names(both, 'Voter')} rank their common items in opposite orders: the mean correlation is "
        seen += f"{correlation[both].mean():.2f}. One of the two may be reversed."
        yield _Finding("warning", "direction", tuple(both.tolist()), seen, harms, advice)
        return
    for v in against.tolist():
        seen = f"The lists of {names([v])} agree more with the others when reversed: the mean correlation with the "
        seen += (
            f"fusion of the others is {correlation[v]:.2f}. For the median voter it is {np.nanmedian(correlation):.2f}."
        )
        yield _Finding("warning", "direction", (v,), seen, harms, advice)
    if n_voters < 3:
        return
    precision, median = by_voter(lists, agreement.precision)[0], _medians_of_queries(lists, agreement.precision)
    typical = np.nanmedian(precision)
    above = agreement.precision - _NOBODY * median
    # If the order of a voter is no better than chance, a less strict level is enough for its precision.
    better = correlation > ndtri(1 - _BETTER) * error
    low = _below(lists, above, _ALONE / n_voters) | (_below(lists, above, _JOINTLY) & ~better)
    low &= precision < _NOBODY * typical
    for v in np.flatnonzero(low & ~reversed_).tolist():
        seen = (
            f"{names([v], 'Voter')} agrees with no other voter: if the first ten items of the fusion of the others are "
        )
        seen += f"relevant, its mean average precision is {precision[v]:.3f}. For the median voter it is {typical:.3f}."
        yield _Finding(
            "warning",
            "agreement",
            (v,),
            seen,
            "Every method that gives all voters equal weight. But the voter may also be the best one: leaving out "
            "voters below half of the median gained 0.5 points of nDCG@10 on average, and lost 19 points on one "
            "collection.",
            "Check the ids, the queries and the direction of the scores of this voter. Judge some of its items before "
            "you leave it out.",
        )


def _medians_of_queries(lists, value):
    """For each list, return the median of a value over all lists of the same query; NaN values are left out."""
    known = ~np.isnan(value)
    return group_medians(lists.list_query[known], value[known], lists.n_queries)[lists.list_query]


def _below(lists, value, level):
    """Return a mask of the voters for whom the mean of `value` is significantly below 0 in a one-sided t-test.

    `value` contains a value for each list, and the mean is taken over the lists of the voter. `level` is the level of
    the test.
    """
    mean, n = by_voter(lists, value)
    variance, _ = by_voter(lists, (value - mean[lists.list_voter]) ** 2)
    with np.errstate(divide="ignore", invalid="ignore"):
        error = np.sqrt(variance / (n - 1))
        limit = stdtrit(np.maximum(n - 1, 1), level)
        return (n > 1) & (mean < 0) & (mean < limit * error)


def _scores(lists, names):
    scores = score_statistics(lists)
    several = lists.list_length > 1
    constant = _in_most_lists(lists, scores.spread == 0, several)
    for v in np.flatnonzero(constant).tolist():
        yield _Finding(
            "warning",
            "scores",
            (v,),
            f"The scores of {names([v])} are constant in most of its lists.",
            "Its lists tie all their items. With every method, such a list gives equal points to all its items.",
            "Read the ranks instead: RankedLists.from_frame(frame, score=None). Check the column of the scores.",
        )
    everywhere = np.ones(lists.n_lists, dtype=bool)
    negative = _in_most_lists(lists, scores.greatest <= 0, everywhere) & ~constant
    for v in np.flatnonzero(negative).tolist():
        yield _Finding(
            "warning",
            "scores",
            (v,),
            f"The scores of {names([v])} are at most 0 in most of its lists.",
            "CombSUM with norm='max' refuses such scores. With norm=None or 'l2', the items of this voter fall below "
            "absent items, whose score is 0.",
            "Choose norm='min-max', or a method that uses ranks. If the scores are distances, read them with "
            "lower_is_better=.",
        )
    yield from _scales(lists, names, scores, several & (scores.spread > 0))


def _scales(lists, names, scores, counted):
    size, spread = (
        group_medians(lists.list_voter[counted], one[counted], lists.n_voters) for one in (scores.size, scores.spread)
    )
    known = np.flatnonzero(~np.isnan(size))
    if len(known) < 2:
        return
    logs = np.log10(np.stack([size[known], spread[known]]))
    apart = np.abs(logs - np.median(logs, axis=1, keepdims=True)).max(axis=0)
    other, shared = apart > np.log10(_SCALE), apart < np.log10(_SHARED)
    harms = "In CombSUM(norm=None) and other methods without a norm, the voters with the largest scores dominate."
    advice = "Choose norm='min-max', or a method that uses ranks."
    if 2 * shared.sum() > len(known) > 2:
        typical = 10 ** np.median(logs, axis=1)
        for v in known[other].tolist():
            seen = (
                f"The scores of {names([v])} are on another scale: their mean size is {size[v]:.3g} and their standard "
            )
            seen += f"deviation {spread[v]:.3g}. For the median voter they are {typical[0]:.3g} and {typical[1]:.3g}."
            yield _Finding("warning", "scores", (v,), seen, harms, advice)
    elif (np.ptp(logs, axis=1) > np.log10(_SCALE)).any():
        low, high = known[np.argmin(logs[0])], known[np.argmax(logs[0])]
        seen = f"The scores of the voters are on different scales: their mean size is from {size[low]:.3g} "
        seen += f"({names([low])}) to {size[high]:.3g} ({names([high])})."
        yield _Finding("fact", "scores", (), seen, harms, advice)


def _in_most_lists(lists, holds, counted):
    """Return a mask of the voters for which `holds` is True in more than half of the counted lists.

    `holds` and `counted` are masks of the lists. Only the lists that `counted` selects are considered.
    """
    n, n_held = (
        np.bincount(lists.list_voter[chosen], minlength=lists.n_voters) for chosen in (counted, counted & holds)
    )
    return 2 * n_held > n


def _duels(exposed):
    if exposed.any():
        yield _Finding(
            "warning",
            "duels",
            (),
            f"In {_queries(exposed)}, lists of two items have most of the weight: they are paired comparisons.",
            "Methods that rank absent items last, such as BordaCount, ReciprocalRankFusion, Copeland and Kemeny(), "
            "order items by the number of their comparisons. In simulations, their rank correlation with the quality "
            "of the items was below 0.25.",
            "Choose PlackettLuce(absent='ignore') or MarkovChain(chain='mct'). Ignore this warning if each list "
            "contains the best two of all items.",
        )


def _components(lists):
    number = n_components(lists, component_labels(lists, "ignore"))
    apart = number > 1
    if apart.any():
        most = 2 * int(apart.sum()) > lists.n_queries
        yield _Finding(
            "warning" if most else "fact",
            "components",
            (),
            f"In {_queries(apart)}, no chain of lists connects all items; they form {_span(number[apart])} components.",
            "MarkovChain(), PlackettLuce(), HodgeRank() and all methods with absent='ignore' order items of "
            "different components arbitrarily.",
            "Choose absent='last' if lists are the tops of longer rankings. Otherwise rank each component separately "
            "(RankedLists.components), or add lists that connect the components.",
        )


def _queries(mask):
    n = int(mask.sum())
    return "the only query" if len(mask) == 1 else f"{n} of {len(mask)} queries"


def _span(value, format="g"):
    """Return a text with the range and the median of some numbers, or with a single number if all are equal."""
    low, middle, high = (f"{one:{format}}" for one in (np.min(value), np.median(value), np.max(value)))
    return low if low == high else f"{low} to {high} (median {middle})"


def _counts(level):
    words = []
    for one in ("fact", "warning"):
        n = int((level == one).sum())
        words.append(f"{n or 'no'} {one}{'' if n == 1 else 's'}")
    return ", ".join(words)


def _text(frame, lists):
    sizes = [(lists.n_queries, "query", "queries"), (len(np.unique(lists.list_voter)), "voter", "voters")]
    sizes = ", ".join(f"{n:,} {one if n == 1 else many}" for n, one, many in [*sizes, (lists.n_rows, "row", "rows")])
    lines = [f"{sizes}: {_counts(frame['level'])}"]
    for row in frame.itertuples(index=False):
        lines += textwrap.wrap(
            sentence(row), _WIDTH, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False
        )
    return "\n".join(lines)


def sentence(row):
    """Return a finding, its harms and its advice as one paragraph; `row` is a row of the frame of `diagnose`."""
    harms = row.harms and f"Harms: {row.harms}"
    advice = row.advice and f"Advice: {row.advice}"
    return " ".join([f"{row.level} ({row.topic}):", *filter(None, (row.seen, harms, advice))])
