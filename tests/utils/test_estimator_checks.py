"""The public checks detect the errors that they are meant to detect."""

import re

import numpy as np
import pandas as pd
import pytest
import sklearn.utils.estimator_checks
from learners import PositionGrades

from skrankagg import DIBRA, CombSUM, Copeland, Minimax
from skrankagg._data._qrels import AlignedQrels, choose_qrels
from skrankagg._data._ranked_lists import check_lists
from skrankagg._support._sklearn import BaseEstimator, TransformerMixin, clone
from skrankagg.base import BaseAggregator
from skrankagg.exceptions import InputError
from skrankagg.preprocessing import VoterSelector, VoterWeighter
from skrankagg.utils._checks._common import check_mixed_queries
from skrankagg.utils._checks._shared import encode_queries, same
from skrankagg.utils.estimator_checks import EXEMPTIONS, all_checks, check_aggregator, example_lists, example_qrels


class Popularity(BaseAggregator):
    """Correct: the weight of the lists that contain an item, then its mean position."""

    def _aggregate(self, lists):
        position = np.bincount(lists.candidate, weights=lists.rank * lists.list_weight[lists.row_list])
        return lists.candidate_weight - 1e-3 * position / lists.candidate_weight


class SeesVoters(BaseAggregator):
    """Wrong: the first voter decides."""

    def _aggregate(self, lists):
        first = lists.list_voter[lists.row_list] == 0
        return -np.bincount(lists.candidate, weights=np.where(first, lists.rank, 99), minlength=lists.n_candidates)


class SeesItems(BaseAggregator):
    """Wrong: the item's id decides."""

    def _aggregate(self, lists):
        return -lists.candidate_item.astype(float)


class SeesOtherQueries(BaseAggregator):
    """Wrong: the number of queries has an effect."""

    def _aggregate(self, lists):
        return -np.bincount(lists.candidate, weights=lists.rank, minlength=lists.n_candidates) * lists.n_queries


class SeesFractions(Popularity):
    """Wrong: one fractional weight changes the weights of all queries."""

    def _aggregate(self, lists):
        if (lists.list_weight % 1 != 0).any():
            lists = lists.with_list_weight(lists.list_weight**2)
        return super()._aggregate(lists)


class IgnoresWeights(BaseAggregator):
    """Wrong: a list of weight 2 counts once."""

    def _aggregate(self, lists):
        return np.bincount(lists.candidate, weights=1 / lists.rank, minlength=lists.n_candidates)


class ReadsScores(BaseAggregator):
    """Wrong: adds up raw scores without the tag needs_scores."""

    def _aggregate(self, lists):
        score = lists.rank * 0 if lists.score is None else lists.score
        return np.bincount(
            lists.candidate, weights=score * lists.list_weight[lists.row_list], minlength=lists.n_candidates
        )


class RanksByScores(BaseAggregator):
    """Wrong: sorts each list by its scores without a tag that declares it."""

    def _aggregate(self, lists):
        rank = lists.rank
        if lists.has_scores:
            rank = pd.Series(-lists.score).groupby(lists.row_list).rank().to_numpy()
        points = (lists.query_n_items[lists.list_query][lists.row_list] + 1 - rank) * lists.list_weight[lists.row_list]
        return np.bincount(lists.candidate, weights=points, minlength=lists.n_candidates)


class Perverse(BaseAggregator):
    """Wrong: the worst come first."""

    def _aggregate(self, lists):
        return np.bincount(
            lists.candidate, weights=lists.rank * lists.list_weight[lists.row_list], minlength=lists.n_candidates
        )


class ClaimsWinners(Popularity):
    """Wrong: mean positions do not elect every Condorcet winner, contrary to the tags."""

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.aggregator_tags.condorcet_winner = True
        return tags


class ClaimsJumpsSmooth(Copeland):
    """Wrong: the number of majorities jumps when weights change, contrary to the tags."""

    _tags = {"smooth": True}


class ClaimsKinksSmooth(Minimax):
    """Wrong: the worst defeat has a kink where another defeat becomes the worst, contrary to the tags."""

    _tags = {"smooth": True}


class Remembers(BaseAggregator):
    """Wrong: transform writes to the estimator."""

    def _aggregate(self, lists):
        self.last_ = lists.n_rows
        return np.bincount(lists.candidate, weights=1 / lists.rank, minlength=lists.n_candidates)

    def _fit_lists(self, lists):
        return None


class ChangesParameters(CombSUM):
    """Wrong: fit rewrites what the constructor was given."""

    def fit(self, X, y=None):
        super().fit(X)
        self.norm = "rank"
        return self


class ForgetsWeights(DIBRA):
    """Wrong: the learned weights are not saved."""

    def __getstate__(self):
        return {name: value for name, value in super().__getstate__().items() if name != "query_voter_weights_"}


class HidesFrame(Popularity):
    """Wrong: stores a frame in an object that only pickle can save."""

    def _fit_lists(self, lists):
        self._seen = Holder(lists.to_frame())


class HidesTag(Popularity):
    """Wrong: uncompared items are ordered by the number of their lists, contrary to the tags."""

    _tags = {"absent_below": False}


class AcceptsEverything(Popularity):
    """Wrong: fit accepts frames that are not ranked lists."""

    def fit(self, X, y=None):
        return self


class RaisesOtherErrors(Popularity):
    """Wrong: fit replaces every error by an error of another type."""

    def fit(self, X, y=None):
        try:
            return super().fit(X)
        except (TypeError, ValueError) as error:
            raise RuntimeError("wrong input") from error


class Holder:
    def __init__(self, frame):
        self.frame = frame


@pytest.mark.twice
def test_check_aggregator_accepts_a_correct_aggregator():
    check_aggregator(Popularity())


@pytest.mark.sampled(1)
@pytest.mark.twice
@pytest.mark.parametrize(
    "learner", [PositionGrades(), VoterWeighter("map"), VoterSelector("ndcg", n_voters=3)], ids=repr
)
def test_check_aggregator_accepts_correct_supervised_aggregators(learner):
    check_aggregator(learner)


class ByPosition(PositionGrades):
    """Wrong: takes judgements in the order of the samples."""

    def fit(self, X, y=None, *, qrels=None):
        if isinstance(y, AlignedQrels):
            lists = check_lists(X)
            place = y.qrels.queries.get_indexer(y.queries)
            return super().fit(X, y.qrels.reassign(lists.queries, place))
        return super().fit(X, y, qrels=qrels)


class Leaks(PositionGrades):
    """Wrong: reads judgements of all queries."""

    def fit(self, X, y=None, *, qrels=None):
        super().fit(X, y, qrels=qrels)
        self.grade_ = self.grade_ + choose_qrels(self, y, qrels).relevance.mean() * np.arange(len(self.grade_))
        return self


class LearnsFromNothing(PositionGrades):
    """Wrong: returns arbitrary results if nothing is relevant."""

    def _fit_judged(self, lists, y, qrels):
        try:
            super()._fit_judged(lists, y, qrels)
        except ValueError:
            self.grade_ = np.ones(2)


class RemembersNames(PositionGrades):
    """Wrong: the ids of the training items decide."""

    def _learn(self, lists, judged):
        super()._learn(lists, judged)
        self.grade_ = self.grade_ + int(lists.items[np.nanargmax(judged.relevance)][1:]) * np.arange(len(self.grade_))


class StrictOfVoters(PositionGrades):
    """Wrong: rejects unknown voters without declaring it."""

    def _learn(self, lists, judged):
        super()._learn(lists, judged)
        self.voters_ = lists.voters.tolist()

    def _aggregate(self, lists):
        if set(lists.voters) - set(self.voters_):
            raise ValueError("an unknown voter")
        return super()._aggregate(lists)


class OddWeights(PositionGrades):
    """Wrong: equal weights reverse the order."""

    def _aggregate(self, lists):
        return super()._aggregate(lists) * (1.5 - lists.list_weight.max())


class AlwaysReady(PositionGrades):
    """Wrong: aggregates before it is fitted."""

    def _rank(self, lists):
        if not hasattr(self, "grade_"):
            return CombSUM(norm="borda")._rank(lists)
        return super()._rank(lists)


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    ("learner", "check"),
    [
        (ByPosition(), "check_ways_of_judgements"),
        (Leaks(), "check_judgements_of_other_queries"),
        (LearnsFromNothing(), "check_nothing_relevant"),
        (LearnsFromNothing(), "check_missing_judgements"),
        (RemembersNames(), "check_consistent_names"),
        (StrictOfVoters(), "check_unknown_voters"),
        (AlwaysReady(), "check_unfitted"),
        (OddWeights(), "check_integer_weights"),
    ],
    ids=lambda value: type(value).__name__ if not isinstance(value, str) else value,
)
def test_check_aggregator_rejects_wrong_supervised_aggregators_with_a_reason(learner, check):
    with pytest.raises((AssertionError, ValueError)):
        dict(all_checks(learner))[check](clone(learner))
    with pytest.raises(AssertionError, match=r"fails check_\w+: .+"):
        check_aggregator(learner)


def test_example_qrels_derives_grades_from_the_numbers_in_the_ids():
    lists = example_lists()
    numbered = lists.assign(query=lists["query"].str[1:].astype(int), item=lists["item"].str[1:].astype(int))
    strings, numbers = example_qrels(lists), example_qrels(numbered)
    assert strings.relevance.tolist() == numbers.relevance.tolist()
    assert set(strings.relevance) == {0.0, 1.0, 2.0, 3.0}
    part = example_qrels(lists[lists["query"] == "q2"]).to_frame()
    whole = strings.to_frame()
    pd.testing.assert_frame_equal(part, whole[whole["query"] == "q2"].reset_index(drop=True))


@pytest.mark.parametrize(
    ("aggregator", "check"),
    [
        (SeesVoters(), "check_voter_names"),
        (SeesItems(), "check_neutrality"),
        (SeesOtherQueries(), "check_query_subset"),
        (SeesFractions(), "check_mixed_queries"),
        (IgnoresWeights(), "check_integer_weights"),
        (ReadsScores(), "check_ranks_or_scores"),
        (RanksByScores(), "check_ranks_or_scores"),
        (Perverse(), "check_unanimity"),
        (ClaimsWinners(), "check_condorcet_winner"),
        (ClaimsJumpsSmooth(), "check_smooth"),
        (ClaimsKinksSmooth(), "check_smooth"),
        (Remembers(), "check_transform_writes_nothing"),
        (ChangesParameters(), "check_input_unchanged"),
        (ForgetsWeights(), "check_persistence"),
    ],
    ids=lambda value: type(value).__name__ if not isinstance(value, str) else value,
)
def test_check_aggregator_rejects_wrong_aggregators_with_a_reason(aggregator, check):
    with pytest.raises(AssertionError):
        dict(all_checks(aggregator))[check](clone(aggregator))
    with pytest.raises(AssertionError, match=r"fails check_\w+: .+"):
        check_aggregator(aggregator)


@pytest.mark.parametrize(
    ("aggregator", "check", "tag"),
    [
        (SeesItems(), "check_neutrality", "{'neutral': False}"),
        (IgnoresWeights(), "check_integer_weights", "{'voter_weights': False}"),
        (ReadsScores(), "check_ranks_or_scores", "{'needs_scores': True}"),
        (Perverse(), "check_unanimity", "{'unanimity': False}"),
        (ClaimsWinners(), "check_condorcet_winner", "{'condorcet_winner': False}"),
        (ClaimsJumpsSmooth(), "check_smooth", "{'smooth': False}"),
        (HidesTag(), "check_absent_below", "{'absent_below': True}"),
    ],
    ids=lambda value: type(value).__name__ if not isinstance(value, str) else value,
)
def test_check_message_ends_with_the_tag_to_declare(aggregator, check, tag):
    with pytest.raises(AssertionError, match=rf"; if this is intended, declare _tags = {re.escape(tag)}\.?$"):
        dict(all_checks(aggregator))[check](clone(aggregator))


@pytest.mark.parametrize(
    ("aggregator", "reason"),
    [(AcceptsEverything(), "nothing was raised"), (RaisesOtherErrors(), "got RuntimeError: wrong input")],
    ids=["no error", "another error"],
)
def test_check_errors_rejects_missing_and_other_errors(aggregator, reason):
    with pytest.raises(AssertionError, match=f"Error about '.*' was expected; {reason}"):
        dict(all_checks(aggregator))["check_errors"](aggregator)


class Picky(Popularity):
    """Correct, but refuses queries with a list of one item, or all queries."""

    def __init__(self, all_queries=False):
        self.all_queries = all_queries

    def _aggregate(self, lists):
        if self.all_queries or (lists.list_length == 1).any():
            raise InputError("`lists` must have several items.")
        return super()._aggregate(lists)


def test_check_mixed_queries_leaves_out_some_queries_that_a_method_refuses():
    lists = encode_queries("any")
    single = np.maximum.reduceat(lists.list_length == 1, lists.list_ptr[:-1])
    assert 0 < single.sum() < lists.n_queries / 2
    check_mixed_queries(Picky())
    with pytest.raises(AssertionError, match=r"only 0 of the queries .* are accepted"):
        check_mixed_queries(Picky(all_queries=True))


def test_same_compares_columns_of_words():
    frame = pd.DataFrame({"query": ["q", "q"], "item": ["a", "b"], "note": ["x", "y"], "score": [2.0, 1.0]})
    same(frame.copy(), frame, "the copy")
    with pytest.raises(AssertionError, match=r"the copy: the column 'note' differs, see the notes\."):
        same(frame.assign(note=["x", "z"]), frame, "the copy", hint=", see the notes")
    with pytest.raises(AssertionError, match="the numbers differ in column 'score'"):
        same(frame.assign(score=[2.0, 1.5]), frame, "the copy")


def test_check_persistence_rejects_a_frame_that_skops_cannot_save():
    pytest.importorskip("skops")
    with pytest.raises(
        AssertionError, match=r"skops cannot save the estimator .*; keep the fitted state in arrays and frames"
    ):
        dict(all_checks(HidesFrame()))["check_persistence"](HidesFrame())


def test_check_aggregator_rejects_other_estimators():
    class Nothing(BaseEstimator):
        pass

    with pytest.raises(AssertionError, match="fails"):
        check_aggregator(Nothing())


def test_transform_names_a_missing_hook():
    class Hookless(BaseAggregator):
        pass

    with pytest.raises(NotImplementedError, match="Hookless must define _aggregate"):
        Hookless().transform(_tiny())


@pytest.mark.parametrize("wrong", [np.zeros(1), np.full(2, np.nan)], ids=["shape", "nan"])
def test_transform_rejects_invalid_scores_from_a_hook(wrong):
    class Nonsense(BaseAggregator):
        def _aggregate(self, lists):
            return wrong

    with pytest.raises(ValueError, match="must return a score for each of 2 candidates"):
        Nonsense().transform(_tiny())


def _tiny():
    return pd.DataFrame({"query": "q", "voter": "v", "item": ["a", "b"], "rank": [1, 2]})


class Nothing(TransformerMixin, BaseEstimator):
    """A transformer of matrices, for the list of scikit-learn's checks."""

    def fit(self, X, y=None):
        return self


@pytest.mark.filterwarnings("ignore")
def test_all_checks_runs_or_exempts_every_check_of_scikit_learn():
    theirs = {
        getattr(check, "func", check).__name__
        for _, check in sklearn.utils.estimator_checks.estimator_checks_generator(Nothing(), legacy=True)
    }
    run = {name for name, _ in all_checks(CombSUM())}
    assert theirs - run <= set(EXEMPTIONS), "give a reason for each check that is not run"
    assert not run & set(EXEMPTIONS)
    for reason in EXEMPTIONS.values():
        _, here, named = reason.partition("replaced by ")
        for name in named.split(", ") if here else []:
            assert name in run, f"{name} is not run"
