"""Checks for all aggregators; the tags of an aggregator determine which properties are required."""

import warnings
from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from functools import lru_cache

import numpy as np
import pandas as pd
from sklearn.base import clone
from sklearn.utils import get_tags

from ..._data._ranked_lists import RankedLists
from ..._fuse._front import fuse
from ...base import AggregatorTags
from ...exceptions import InputError, NotComparedWarning, RankScoreConflictWarning
from ._shared import example_grade, example_lists, example_qrels, fit, fit_transform, is_supervised, raises, same


def _tags(aggregator):
    return getattr(get_tags(aggregator), "aggregator_tags", AggregatorTags())


def _if_intended(**tags):
    """Return the end of an error message: the tags that an author must declare if the behaviour is intended."""
    return f"; if this is intended, declare _tags = {tags}"


# ---------------------------------------------------------------------- the estimator


def check_consensus(aggregator):
    """Check that each item occurs once, scores are sorted, ranks are 1 to n, and the index is a RangeIndex."""
    lists = example_lists()
    consensus = fit_transform(aggregator, lists)
    assert isinstance(consensus.index, pd.RangeIndex), "the index must be a RangeIndex"
    assert consensus["query"].is_monotonic_increasing, "the consensus must be sorted by query"
    assert np.isfinite(consensus["score"]).all() or not consensus["score"].isna().any(), "no score may be NaN"
    for query, group in consensus.groupby("query"):
        own = lists[lists["query"] == query]
        assert sorted(group["item"]) == sorted(set(own["item"])), f"query {query} must rank each of its items once"
        assert group["rank"].tolist() == list(range(1, len(group) + 1)), f"ranks of query {query} must be 1 to n"
        assert group["score"].is_monotonic_decreasing, f"scores of query {query} must not increase"
        _check_ties_in_order(group, own, _tags(aggregator).ties_by_rank)


def _check_ties_in_order(group, lists, by_rank):
    support, ranks = Counter(lists["item"]), defaultdict(dict)
    for voter, item, rank in zip(lists["voter"], lists["item"], lists["rank"], strict=True):
        ranks[voter][item] = rank
    rank_sum = dict.fromkeys(support, 0.0)
    for own in ranks.values() if by_rank else ():
        ordered = sorted(own.values())
        for item in support:
            # Tied items share the mean of their ranks; the items that a list does not contain share the last ranks.
            first, last = len(own), len(support)
            if item in own:
                first, last = bisect_left(ordered, own[item]), bisect_right(ordered, own[item])
            rank_sum[item] += (first + 1 + last) / 2
    order = "by their mean ranks, then " if by_rank else ""
    # Scores are already in descending order, so sorting moves only tied items.
    keys = [
        (-score, rank_sum[item], -support[item], item)
        for score, item in zip(group["score"].tolist(), group["item"], strict=True)
    ]
    assert keys == sorted(keys), (
        f"tied items must be ordered {order}by the number of lists that contain them, then by id"
        + _if_intended(ties_by_rank=not by_rank)
    )


# ---------------------------------------------------------------------- invariances


def check_groupings_and_covariates(aggregator):
    """Check that additional columns of the lists (groupings and covariates) leave the result unchanged, bit for bit."""
    lists = example_lists()
    lists["panel"], lists["length"] = lists["voter"], np.arange(len(lists)) % 7
    more = RankedLists.from_frame(lists, groups=["panel"], covariates=["length"])
    found, expected = (fit_transform(clone(aggregator), one) for one in (more, RankedLists.from_frame(lists)))
    same(found, expected, "groupings or covariates change the result")


def check_voter_names(aggregator):
    """Check anonymity: if voters are renamed and reordered, scores may change only in their last bits."""
    lists = example_lists()
    names = dict(zip(sorted(lists["voter"].unique()), ("z", "c", "y", "a", "m"), strict=True))
    renamed = lists.assign(voter=lists["voter"].map(names))
    reason = "scores depend on the names of voters"
    same(fit_transform(aggregator, renamed), fit_transform(clone(aggregator), lists), reason, exact=False)


def check_neutrality(aggregator):
    """If the tag `neutral` is True, check that renaming items does not change the scores."""
    if not _tags(aggregator).neutral:
        return
    lists = example_lists()
    old = sorted(lists["item"].unique())
    names = dict(zip(old, np.random.default_rng(3).permutation(old), strict=True))
    renamed = lists.assign(item=lists["item"].map(names))
    former = {name: item for item, name in names.items()}
    qrels = None
    if is_supervised(aggregator):
        qrels = example_qrels(renamed, lambda query, item: example_grade(query, former[item]))
    renamed = fit_transform(aggregator, renamed, qrels)
    expected = fit_transform(clone(aggregator), lists)
    expected["item"] = expected["item"].map(names)
    both = renamed.merge(expected, on=["query", "item"], suffixes=("", "_expected"))
    assert np.allclose(both["score"], both["score_expected"], rtol=1e-9, atol=1e-12), (
        "scores depend on the names of items" + _if_intended(neutral=False)
    )


def check_ranks_or_scores(aggregator):
    """Check that a rank-based method returns the same result for ranks, for scores, and for ranks with gaps.

    The ranks with gaps begin at 0. A score-based method must reject lists without scores. It must also reject scores
    that contradict the ranks.
    """
    lists = example_lists()
    contrary = _contrary_lists()
    if _tags(aggregator).needs_scores:
        raises(ValueError, "score", aggregator.fit, lists.drop(columns="score"))
        raises(ValueError, "order", aggregator.fit, contrary)
        return
    expected = fit_transform(clone(aggregator), lists.drop(columns="score"))
    hint = _if_intended(needs_scores=True)
    from_scores = fit_transform(clone(aggregator), lists.drop(columns="rank"))
    same(from_scores, expected, "ranks and their scores differ", hint=hint)
    from_both = fit_transform(clone(aggregator), lists)
    same(from_both, expected, "ranks with their scores differ from ranks alone", hint=hint)
    stretched = lists.drop(columns="score").assign(rank=(lists["rank"] - 1) * 3)
    same(fit_transform(clone(aggregator), stretched), expected, "gaps in the ranks change the result")
    same(
        fit_transform(clone(aggregator), contrary),
        expected,
        "scores that contradict the ranks change the result",
        hint=hint,
    )


@lru_cache(maxsize=1)
def _contrary_lists():
    """Encode example lists with scores that contradict the ranks."""
    lists = example_lists()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RankScoreConflictWarning)
        return RankedLists.from_frame(lists.assign(score=-lists["score"]))


#: Weights of the example lists, by voter.
_WEIGHTS = {"v0": 1, "v1": 2, "v2": 1, "v3": 3, "v4": 2}


@lru_cache(maxsize=1)
def _weighted_and_copied():
    """Generate lists with integer weights, and unweighted copies: a list of weight 3 is repeated three times.

    Callers must not change the frames.
    """
    lists = example_lists()
    copies = [
        lists[lists["voter"].map(_WEIGHTS) > k].assign(voter=lambda frame, k=k: frame["voter"] + f"-{k}")
        for k in range(3)
    ]
    return lists.assign(weight=lists["voter"].map(_WEIGHTS)), pd.concat(copies, ignore_index=True)


def check_integer_weights(aggregator):
    """Check that a list of weight 2 counts as two copies of the list.

    Methods that do not accept weights must reject them. Methods that accept only integer weights must reject fractions.
    For a method that learns from judgements, equal weights of all lists must not change the order.
    """
    lists = example_lists()
    weighted, copies = _weighted_and_copied()
    if not _tags(aggregator).voter_weights:
        raises(ValueError, "weight", aggregator.fit_transform, weighted)
        return
    if _tags(aggregator).integer_weights:
        raises(ValueError, "whole numbers", clone(aggregator).fit, lists.assign(weight=1.5))
    if is_supervised(aggregator):
        # Copies of lists are not tested here: each copy would be a separate voter, and the method learns a value for
        # each voter from all voters together.
        fitted = fit(clone(aggregator), lists)
        found, expected = fitted.transform(lists.assign(weight=2.0)), fitted.transform(lists)
        assert found["item"].tolist() == expected["item"].tolist(), "equal weights of all lists change the order"
        return
    expected = fit_transform(clone(aggregator), copies)
    hint = _if_intended(voter_weights=False)
    same(fit_transform(clone(aggregator), weighted), expected, "weights do not act as copies", exact=False, hint=hint)
    if "voter_weights" in aggregator.get_params():
        by_voter = clone(aggregator).set_params(voter_weights=_WEIGHTS)
        same(fit_transform(by_voter, lists), expected, "voter_weights do not act as copies", exact=False)


def check_weight_scale(aggregator):
    """If the tag `scale_free` is True, check that weights multiplied by three give the same order and ties."""
    tags = _tags(aggregator)
    if not (tags.voter_weights and tags.scale_free) or is_supervised(aggregator):
        return
    weighted, _ = _weighted_and_copied()
    orders = []
    for factor in (1, 3):
        consensus = fit_transform(clone(aggregator), weighted.assign(weight=weighted["weight"] * factor))
        ties = consensus.groupby("query")["score"].diff() == 0
        orders.append((consensus["item"].tolist(), ties.tolist()))
    assert orders[0] == orders[1], "the scale of the weights changes the order" + _if_intended(scale_free=False)


def check_smooth(aggregator):
    """If the tag `smooth` is True, check that scores change without jumps and kinks if the weights of lists change.

    The weights change along a straight line. If the step is halved, the largest second difference of a smooth score is
    divided by about four. The second difference is only halved if the score has a kink, and stays the same if the score
    jumps.
    """
    if not _tags(aggregator).smooth:
        return
    lists = fit(aggregator, example_lists())._prepare(RankedLists.from_frame(example_lists()))
    start, end = np.array([1.0, 2.0, 1.0, 3.0, 2.0]), np.array([3.0, 1.0, 2.0, 1.0, 1.0])
    n = 32
    path = [(n - k) * start + k * end for k in range(n + 1)]  # whole numbers
    # The matrix of weights has a column for each set of weights, as for resampling.
    weights = np.stack([weight[lists.list_voter] for weight in path], axis=1)
    scores = aggregator._repeat_many(lists)(weights).T
    fine, coarse = (np.abs(np.diff(scores[::step], n=2, axis=0)).max() for step in (1, 2))
    assert fine <= 0.35 * coarse + 1e-9 * np.abs(scores).max(), (
        "scores must be smooth functions of the weights of the lists" + _if_intended(smooth=False)
    )


# ---------------------------------------------------------------------- axioms


def _full_lists(**sizes):
    """Generate lists that contain every item; return the lists, their ranks, the queries and the items.

    The ranks have the shape (n_queries, n_voters, n_items).
    """
    lists = example_lists(full=True, **sizes)
    shape = [lists[name].nunique() for name in ("query", "voter", "item")]
    ranks = lists.sort_values(["query", "voter", "item"])["rank"].to_numpy().reshape(shape)
    return lists, ranks, np.sort(lists["query"].unique()), np.sort(lists["item"].unique())


def check_unanimity(aggregator):
    """If the tag `unanimity` is True, check that the consensus ranks a above b if all lists rank a above b."""
    if not _tags(aggregator).unanimity:
        return
    lists, ranks, _, items = _full_lists(n_queries=10, n_voters=3, n_items=6, with_ties=False)
    place = fit_transform(aggregator, lists).sort_values(["query", "item"])["rank"].to_numpy().reshape(10, 6)
    unanimous = (ranks[:, :, :, None] < ranks[:, :, None, :]).all(axis=1)
    for q, above, below in zip(*np.nonzero(unanimous), strict=True):
        assert place[q, above] < place[q, below], (
            f"every list ranks {items[above]} above {items[below]}, but the consensus does not"
            + _if_intended(unanimity=False)
        )


def check_condorcet_winner(aggregator):
    """If the tag `condorcet_winner` is True, check that an item that beats every other item comes first."""
    if not _tags(aggregator).condorcet_winner:
        return
    # Ten of these queries have a winner. In some queries, methods based on mean positions, sums of scores or learned
    # weights put another item first.
    lists, ranks, queries, items = _full_lists(random_state=9, n_queries=20)
    above, below = ranks[:, :, :, None] < ranks[:, :, None, :], ranks[:, :, :, None] > ranks[:, :, None, :]
    wins = (above.sum(axis=1) > below.sum(axis=1)).sum(axis=2)
    winner = {queries[q]: items[item] for q, item in zip(*np.nonzero(wins == len(items) - 1), strict=True)}
    assert winner, "the examples must contain a Condorcet winner"
    consensus = fit_transform(aggregator, lists[lists["query"].isin(list(winner))])
    first = consensus[consensus["rank"] == 1].set_index("query")["item"]
    for query, item in winner.items():
        assert first[query] == item, (
            f"{item} beats every other item, but the consensus puts {first[query]} first"
            + _if_intended(condorcet_winner=False)
        )


def check_absent_below(aggregator):
    """Check that the tag `absent_below` is True exactly if the method ranks items lower when they are seldom compared.

    There are two pairs of items. One pair is in many lists, the other pair is in few lists, and no list contains items
    of both pairs. The better item of each pair wins about two of three comparisons. Therefore a method that ignores
    absent items does not rank the better item of the rare pair below the worse item of the other pair.
    """
    promised = _tags(aggregator).absent_below
    if is_supervised(aggregator):
        return  # the scores of these pairs depend on the judgements
    for often, seldom in (("ab", "cd"), ("cd", "ab")):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", NotComparedWarning)
            score = fit_transform(clone(aggregator), _compared_pairs(often, seldom)).set_index("item")["score"]
        first = score[list(often)].min() > score[list(seldom)].max()
        if promised:
            assert first, "uncompared items must be ordered by the number of lists that contain them" + _if_intended(
                absent_below=False
            )
        elif not first:
            return
    assert promised, "uncompared items are ordered by the number of lists that contain them" + _if_intended(
        absent_below=True
    )


@lru_cache(maxsize=2)
def _compared_pairs(often, seldom):
    """Generate lists of two items; 21 lists contain the pair `often`, and 3 lists contain the pair `seldom`."""
    pairs = [often] * 13 + [often[::-1]] * 8 + [seldom] * 2 + [seldom[::-1]]
    voter = np.char.mod("v%02d", np.arange(len(pairs)))
    lists = pd.DataFrame({"query": "q", "voter": np.repeat(voter, 2), "item": list("".join(pairs))})
    rank = np.tile([1, 2], len(pairs))
    # The second item of each list has a score far below 0. In a sum of unchanged scores, an absent item has the score
    # 0, so such a sum does not rank absent items below the items of a list.
    return lists.assign(rank=rank, score=np.tile([1.0, -5.0], len(pairs)))


@lru_cache(maxsize=1)
def _plain_queries():
    """Return the lists and the id of each query of the example lists.

    The result is a list of tuples. A tuple contains the lists of a query as a dict, the same lists as RankedLists, and
    the id of the query. The dict maps each voter to a dict of item to score.
    """
    lists = example_lists().sort_values(["query", "voter", "score", "item"], ascending=[True, True, False, True])
    found = []
    for query, rows in lists.groupby("query"):
        plain = {voter: dict(zip(one["item"], one["score"], strict=True)) for voter, one in rows.groupby("voter")}
        found.append((plain, RankedLists.from_lists(plain), query))
    return found


def check_fuse(aggregator):
    """Check that `fuse` on plain lists returns the same order and bitwise the same scores as `transform`."""
    fit(aggregator, example_lists())
    for lists, encoded, query in _plain_queries():
        expected = aggregator.transform(encoded)
        found = fuse(lists, aggregator)
        pairs = list(zip(expected["item"], expected["score"], strict=True))
        assert found == pairs, f"fuse and transform differ in query {query}: {found} and {pairs}"


def check_contributions(aggregator):
    """Check that the contributions of the lists add up to the scores, if the method can compute contributions."""
    fit(aggregator, example_lists())
    for lists, _, query in _plain_queries():
        try:
            explained = fuse(lists, aggregator, explain=True)
        except InputError as error:
            assert "sums" in str(error), (
                f"a method without shares must report that its scores are not sums; got: {error}"
            )
            return
        scores = np.array([score for _, score, _ in explained])
        sums = np.array([sum(shares.values()) for _, _, shares in explained])
        assert np.allclose(sums, scores, rtol=1e-12, atol=1e-12 * np.abs(scores).max()), (
            f"the shares of query {query} do not add up to the scores"
        )


def check_small_inputs(aggregator):
    """Check that the order of a single voter is kept, and that tiny inputs cause no error."""
    voter = example_lists(5, n_queries=1, n_voters=1, full=True, with_ties=False)
    order = voter.sort_values("rank")["item"].tolist()
    consensus = fit_transform(clone(aggregator), voter)
    if _tags(aggregator).unanimity or _tags(aggregator).ties_by_rank:
        assert consensus["item"].tolist() == order, "the order of a single voter must be kept" + _if_intended(
            unanimity=False
        )
    elif not is_supervised(aggregator):  # the judgements may contradict the order of the voter
        score = consensus.set_index("item")["score"][order]
        assert score.is_monotonic_decreasing and score.nunique() > 1, (
            "a single voter's order must be kept, except for ties"
        )
    single = pd.DataFrame({"query": ["q", "q"], "voter": ["v", "w"], "item": "a", "rank": 1, "score": [2.0, 1.0]})
    assert fit_transform(clone(aggregator), single)["rank"].tolist() == [1], "a single item must come first"
    tied = pd.DataFrame(
        {"query": "q", "voter": np.repeat(["v", "w"], 3), "item": list("cabbca"), "rank": 1, "score": 1.0}
    )
    consensus = fit_transform(clone(aggregator), tied)
    assert consensus["item"].tolist() == ["a", "b", "c"], "items that all lists tie must be ordered by id"
    assert consensus["score"].nunique() == 1, "items that all lists tie must have one score"


AGGREGATOR_CHECKS = [function for name, function in list(globals().items()) if name.startswith("check_")]
