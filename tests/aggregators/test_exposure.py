"""The tag absent_below, its check, and the warning about paired comparisons."""

import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.stats import kendalltau
from sklearn.base import clone
from sklearn.pipeline import make_pipeline

from golden import GOLDEN
from skrankagg import (
    DIBRA,
    Agglomerative,
    BordaCount,
    CombSUM,
    Comparator,
    Condorcet,
    Copeland,
    FootruleOptimal,
    Kemeny,
    KwikSort,
    LocalKemenization,
    MarkovChain,
    Minimax,
    PickAPerm,
    PlackettLuce,
    PreferenceRelations,
    Qrels,
    RankedLists,
    RankedPairs,
    RankStatistic,
    ReciprocalRankFusion,
    RobustRankAggregation,
    Schulze,
)
from skrankagg._support._sklearn import BaseEstimator, TransformerMixin
from skrankagg.base import BaseAggregator
from skrankagg.compat.pyflagr import Linear, Weighted
from skrankagg.exceptions import ExposureWarning, NotComparedWarning
from skrankagg.metrics import make_ranking_scorer
from skrankagg.preprocessing import AggregatorUnion, TopK, VoterSelector
from skrankagg.utils.estimator_checks import all_checks

MCT = MarkovChain(chain="mct")
#: Variants beyond the golden ones, and whether they rank listed items above absent ones.
VARIANTS = [
    (Kemeny(absent="ignore"), False),
    (Kemeny(absent="ignore", consensus_ties="weak"), False),
    (Kemeny(method="local-search"), True),
    (Schulze(absent="ignore"), False),
    (Schulze(absent="ignore", strength="votes"), False),
    (Schulze(strength="votes"), True),
    (RankedPairs(absent="ignore"), False),
    (RankedPairs(absent="ignore", strength="votes"), False),
    (Minimax(absent="ignore"), False),
    (Minimax(absent="ignore", strength="votes"), False),
    (KwikSort(absent="ignore"), False),
    (PickAPerm(absent="ignore"), True),  # the chosen list ends with the items that it does not hold
    (FootruleOptimal(absent="ignore"), True),  # only the score reported changes
    (LocalKemenization(absent="ignore"), True),  # Borda's order stays where no list compares two items
    (LocalKemenization(MCT, absent="ignore"), False),
    (LocalKemenization(MCT), True),
    (DIBRA(Copeland()), True),
    (DIBRA(MCT), False),
    (DIBRA(CombSUM(norm="z-score"), prune="low"), False),
    (DIBRA(weighting="global"), True),
    (PreferenceRelations(weighting="global"), True),
    (Agglomerative(weighting="global"), True),
    *[
        (RankStatistic(absent="ignore", statistic=name), False)
        for name in ("geometric-mean", "median", "min", "stuart")
    ],
    (RankStatistic(n_items=100), True),
    (RobustRankAggregation(absent="ignore", exact=True), False),
    (RobustRankAggregation(n_items=100, depth_share=0.5), True),
    (MarkovChain(chain="mct", ergodic_number=0), False),
    (MarkovChain(chain="mct", absent="last", ergodic_number=0), True),
    (MarkovChain(absent="last", ergodic_number=0), False),  # all items but the winner share the score 0
    (MarkovChain(absent="last", ergodic_number=1), False),
    (DIBRA(BordaCount(absent="ignore")), False),
    (DIBRA(Copeland(absent="ignore")), False),
    (LocalKemenization(BordaCount(absent="ignore"), absent="ignore"), False),
]
ALL = [clone(aggregator) for aggregator, *_ in [*GOLDEN, *VARIANTS]]


def tag(aggregator):
    return aggregator.__sklearn_tags__().aggregator_tags.absent_below


WITH_TAG = [aggregator for aggregator in ALL if tag(aggregator)]
WITHOUT_TAG = [aggregator for aggregator in ALL if not tag(aggregator)]


def duels(query="q", n_items=6, weight=1.0, length=2):
    """Return lists that compare each item with the next one."""
    items = [f"i{(k + step) % n_items}" for k in range(n_items) for step in range(length)]
    rank = np.tile(np.arange(1, length + 1), n_items)
    voter = np.repeat([f"v{k}" for k in range(n_items)], length)
    return pd.DataFrame(
        {"query": query, "voter": voter, "item": items, "rank": rank, "score": length + 1.0 - rank, "weight": weight}
    )


def caught(function, *args):
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        function(*args)
    assert {warning.category for warning in found} <= {ExposureWarning}
    return found


# ---------------------------------------------------------------------- the tag


@pytest.mark.sampled(14)
@pytest.mark.parametrize(("aggregator", "expected"), VARIANTS, ids=lambda value: repr(value).replace("\n", ""))
def test_absent_below_tag_depends_on_parameters(aggregator, expected):
    assert tag(aggregator) is expected
    dict(all_checks(aggregator))["check_absent_below"](clone(aggregator))


class Silent(BaseAggregator):
    """Ranks by the mean place over the lists that contain an item; a parameter sets its tag."""

    _parameter_constraints = {"claim": ["boolean"]}

    def __init__(self, claim=False):
        self.claim = claim

    def _aggregate(self, lists):
        weight = lists.list_weight[lists.row_list]
        total = np.bincount(lists.candidate, weights=weight, minlength=lists.n_candidates)
        return -np.bincount(lists.candidate, weights=weight * lists.rank, minlength=lists.n_candidates) / np.maximum(
            total, 1e-300
        )

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.aggregator_tags.absent_below = self.claim
        return tags


class Counting(Silent):
    """Ranks by the number of lists that contain an item."""

    def _aggregate(self, lists):
        return lists.candidate_weight


@pytest.mark.parametrize("honest", [Silent(claim=False), Counting(claim=True)])
def test_check_absent_below_accepts_correct_tags(honest):
    dict(all_checks(honest))["check_absent_below"](honest)


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (Silent(claim=True), "must be ordered by the number"),
        (Counting(claim=False), "declare _tags = {.absent_below.: True}"),
    ],
)
def test_check_absent_below_rejects_wrong_tags(wrong, words):
    with pytest.raises(AssertionError, match=words):
        dict(all_checks(wrong))["check_absent_below"](wrong)


# ---------------------------------------------------------------------- the warning


@pytest.mark.sampled(8)
@pytest.mark.parametrize("aggregator", WITH_TAG, ids=lambda value: repr(value).replace("\n", ""))
def test_exposure_warning_is_issued_once_per_call_at_the_caller(aggregator):
    lists = duels().drop(columns="weight")
    for name in ("fit", "fit_transform", "transform", "aggregate"):
        method = clone(aggregator)
        if aggregator.__sklearn_tags__().requires_fit and name in ("transform", "aggregate"):
            caught(method.fit, lists)
        (warning,) = caught(getattr(method, name), lists)
        assert Path(warning.filename) == Path(__file__), name
        assert str(warning.message).startswith(
            f"{type(aggregator).__name__} treats the items in a list as better than all items outside the list"
        )


@pytest.mark.sampled(14)
@pytest.mark.parametrize("aggregator", WITHOUT_TAG, ids=lambda value: repr(value).replace("\n", ""))
def test_exposure_warning_is_not_issued_without_the_tag(aggregator):
    lists = duels().drop(columns="weight")
    assert not caught(clone(aggregator).fit_transform, lists)
    assert not caught(clone(aggregator).fit(lists).transform, lists)


def test_exposure_warning_names_queries_and_gives_advice():
    full = duels("r", length=6)
    (one,) = caught(Copeland().fit_transform, pd.concat([full, duels("s")]))
    assert "make up most of 1 query ('s'), so" in str(one.message)
    three = pd.concat([duels("p", n_items=5), full, duels("s"), duels("t")])
    (warning,) = caught(Copeland().fit_transform, three)
    assert "make up most of 3 queries (the first is 'p'), so" in str(warning.message)
    for advice in (
        "MarkovChain(chain='mct')",
        "Kemeny, RankedPairs or Schulze with absent='ignore'",
        "Minimax does not",
    ):
        assert advice in str(warning.message)


@pytest.mark.parametrize(
    ("lists", "warned"),
    [
        (duels(n_items=4), False),
        (duels(n_items=5), True),
        (duels(length=1), False),
        (duels(length=3), False),
        (duels(length=6), False),
    ],
    ids=["4 items", "5 items", "lists of 1", "lists of 3", "lists of 6"],
)
def test_exposure_warning_requires_lists_of_two_among_more_than_four_items(lists, warned):
    assert len(caught(BordaCount().fit_transform, lists)) == warned


@pytest.mark.parametrize(("weight", "warned"), [(0.0, False), (0.5, False), (1.0, False), (1.01, True)])
def test_exposure_warning_requires_half_of_the_weight_in_lists_of_two(weight, warned):
    full = duels(length=6).assign(voter=lambda frame: frame["voter"] + "full")
    lists = pd.concat([duels(weight=weight), full])
    assert len(caught(BordaCount().fit_transform, lists)) == warned
    weights = {voter: 1.0 if voter.endswith("full") else weight for voter in lists["voter"]}
    by_voter = BordaCount(voter_weights=weights)
    assert len(caught(by_voter.fit_transform, lists.assign(weight=1.0))) == warned


def test_exposure_warning_is_not_issued_for_lists_of_weight_0():
    with pytest.warns() as found:
        BordaCount().fit_transform(duels(weight=0.0))
    assert [one.category for one in found] == [NotComparedWarning]


def test_exposure_warning_counts_tied_pairs_as_lists_of_two():
    assert len(caught(BordaCount().fit_transform, duels().assign(rank=1, score=0.0))) == 1


def test_exposure_warning_points_to_the_caller_of_a_pipeline():
    (warning,) = caught(make_pipeline(TopK(2), Copeland()).fit_transform, duels(length=3))
    assert Path(warning.filename) == Path(__file__)


class Foreign(TransformerMixin, BaseEstimator):
    """A method of another library."""

    def fit(self, X, y=None):
        return self

    def transform(self, X):
        return Schulze(absent="ignore").transform(X)


def test_comparator_issues_exposure_warnings_for_each_method():
    lists = RankedLists.from_frame(duels())
    qrels = pd.DataFrame({"query": "q", "item": ["i0", "i1"], "relevance": [1, 0]})
    methods = [("copeland", Copeland()), ("mct", MCT), ("dibra", DIBRA()), ("repair", LocalKemenization())]
    comparator = Comparator([*methods, ("foreign", Foreign())], qrels=Qrels.from_frame(qrels), verbose=False)
    found = caught(comparator.fit, lists)
    named = [str(warning.message).partition(" ")[0] for warning in found]
    assert named == ["Copeland", "DIBRA", "LocalKemenization"]
    assert {Path(warning.filename) for warning in found} == {Path(__file__)}
    assert len(caught(AggregatorUnion(methods).fit_transform, lists)) == 3
    scorer = make_ranking_scorer("map", qrels=Qrels.from_frame(qrels))
    assert len(caught(scorer, Copeland(), lists)) == 1
    assert not caught(scorer, MCT, lists)


def test_voter_selector_issues_an_exposure_warning():
    assert len(caught(VoterSelector().fit, duels())) == 1


def test_pyflagr_names_do_not_issue_exposure_warnings():
    lists = duels().drop(columns="weight")
    for convention in ("flagr", "papers"):
        for method in (Linear.CombSUM("borda", convention=convention), Weighted.DIBRA(convention=convention)):
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                assert len(method.aggregate(input_df=lists)[0]) == 6


# ---------------------------------------------------------------------- the advice


@pytest.fixture(scope="module")
def script():
    """Import the script that prints the table of the guide."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(Path(__file__).parents[2] / "benchmarks"))
        import duels as found

        yield found


def test_advised_methods_follow_quality_instead_of_exposure(script):
    taus = {}
    for name in ("random", "matched"):
        lists, quality = script.seen_lists(0, **script.SETTINGS[name])
        for method in (MCT, Kemeny(absent="ignore"), RankedPairs(absent="ignore"), Schulze(absent="ignore")):
            taus[name, method] = script.taus(script.order_of(method, lists), lists, quality)
            assert taus[name, method][0] > (0.8 if name == "random" or method is not MCT else 0.55), (name, method)
        for method in (Copeland(), Condorcet(), BordaCount(), ReciprocalRankFusion(), DIBRA(), Kemeny(), Schulze()):
            with_quality, with_exposure = script.taus(script.order_of(method, lists), lists, quality)
            assert with_quality < 0.25 < 0.9 < with_exposure, (name, method)
        with_quality, with_exposure = script.taus(script.order_of(Minimax(absent="ignore"), lists), lists, quality)
        assert with_quality < 0.6 and with_exposure < -0.3, name


def test_guide_shows_the_methods_of_the_benchmark(script):
    page = (Path(__file__).parents[2] / "docs" / "user_guide" / "choosing.md").read_text(encoding="utf-8")
    header, *rows = page.partition("benchmarks/duels.py\n")[2].partition("\n```")[0].splitlines()
    assert header.split("exposure")[1].split() == list(script.SETTINGS)
    assert [row.partition("  ")[0] for row in rows] == list(map(repr, script.METHODS))


def test_benchmark_lists_follow_their_model(script):
    lists, quality = script.seen_lists(0, n_lists=100_000, length=2, n_items=3)
    winner, loser = lists.candidate.reshape(-1, 2).T
    for i in range(3):
        for j in range(i):
            won, lost = ((winner == i) & (loser == j)).sum(), ((winner == j) & (loser == i)).sum()
            assert won / (won + lost) == pytest.approx(1 / (1 + np.exp(quality[j] - quality[i])), abs=0.02)
    score = PlackettLuce(absent="ignore").fit_transform(lists).sort_values("item")["score"].to_numpy()
    assert score - score[0] == pytest.approx(quality - quality[0], abs=0.05)
    matched, quality = script.seen_lists(0, n_lists=20_000, length=2, matched=0.1)
    first, second = quality[matched.candidate.reshape(-1, 2)].T
    assert kendalltau(first, second)[0] > 0.7
