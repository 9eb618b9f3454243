"""NotComparedWarning of methods that order uncompared items, once per call; inspection omits such numbers."""

import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from golden import GOLDEN
from skrankagg import (
    DIBRA,
    BordaCount,
    CombMAX,
    CombSUM,
    Comparator,
    Copeland,
    FootruleOptimal,
    HodgeRank,
    Kemeny,
    LearnedWeights,
    LocalKemenization,
    MarkovChain,
    PickAPerm,
    PlackettLuce,
    PositionalScoring,
    Qrels,
    RankedLists,
    ReciprocalRankFusion,
    Schulze,
    fuse,
)
from skrankagg.exceptions import InputError, NotComparedWarning, PartialListsWarning
from skrankagg.inspection import margin_of_victory, preference_probabilities, rank_stability
from skrankagg.metrics import make_ranking_scorer
from skrankagg.plotting import RankStabilityDisplay
from skrankagg.preprocessing import AggregatorUnion

LISTS = {"u": ["c", "a", "b"], "v": ["a", "b", "c"], "w": ["a", "c", "b"], "x": ["e", "d"], "y": ["d", "e"]}
#: Lists of weight 1 with scores, which some methods need.
APART = pd.DataFrame(
    [("q", voter, item, 1.0 - k / 8) for voter, items in LISTS.items() for k, item in enumerate(items)],
    columns=["query", "voter", "item", "score"],
)
JOINED = pd.concat(
    [APART, pd.DataFrame({"query": "q", "voter": "z", "item": ["e", "c"], "score": [1.0, 0.5]})], ignore_index=True
)
READERS = [
    aggregator
    for aggregator, *_ in GOLDEN
    if "absent" in aggregator.get_params(deep=False) and getattr(aggregator, "n_items", None) is None
]
IGNORE = [
    *[one.set_params(absent="ignore") for one in map(clone, READERS) if not isinstance(one, LocalKemenization)],
    DIBRA(MarkovChain()),
    DIBRA(BordaCount(absent="ignore"), weighting="global"),
    LocalKemenization(MarkovChain(), absent="ignore"),
    PlackettLuce(absent="ignore", weighting="query"),
    PlackettLuce(absent="ignore", weighting="global", ties="davidson"),
]
#: Methods that rank absent items or have no such option.
NOT_WARNED = [
    *[one.set_params(absent="last") for one in map(clone, READERS) if not isinstance(one, LocalKemenization)],
    LocalKemenization(),
    LocalKemenization(absent="ignore"),
    LocalKemenization(MarkovChain()),
    LocalKemenization(CombMAX(), absent="ignore"),
    FootruleOptimal(absent="ignore"),
    DIBRA(),
    CombMAX(),
    CombSUM(),
    ReciprocalRankFusion(),
]
WARNED = [one for one in IGNORE if not isinstance(one, FootruleOptimal)]


def name(method):
    return repr(method).replace("\n", "")


def caught(function, *args, **kwargs):
    """Return the warnings about uncompared items of a call; other warnings, but about few items, are errors."""
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("error")
        warnings.simplefilter("always", NotComparedWarning)
        warnings.simplefilter("ignore", PartialListsWarning)
        function(*args, **kwargs)
    return found


def test_warned_methods_include_every_method_with_an_absent_option():
    assert len({type(method) for method in WARNED}) > 15
    for method in (MarkovChain, BordaCount, Copeland, Kemeny, Schulze, HodgeRank, PlackettLuce, PickAPerm):
        assert any(isinstance(one, method) for one in WARNED), method


@pytest.mark.sampled(5)
@pytest.mark.parametrize("method", WARNED, ids=name)
def test_not_compared_warning_is_issued_once_per_call_at_the_caller(method):
    for call in ("fit", "fit_transform", "transform", "aggregate"):
        one = clone(method)
        if one.__sklearn_tags__().requires_fit:
            caught(one.fit, APART)
        (warning,) = caught(getattr(one, call), APART)
        assert Path(warning.filename) == Path(__file__), call
        assert str(warning.message).startswith(
            f"{type(method).__name__} orders items that no list compares. In 1 query the items fall into several "
            "components, and each list contains items of only one component. Query 'q' has 2 components, of 3 and 2 "
            "items. The order of items from different components is meaningless; rank each component by itself "
            "(RankedLists.components), "
        )


@pytest.mark.sampled(12)
@pytest.mark.parametrize("method", WARNED, ids=name)
def test_not_compared_warning_is_not_issued_for_connected_items(method):
    assert not caught(clone(method).fit_transform, JOINED)
    first = APART[APART["item"].isin(list("abc"))]
    assert not caught(clone(method).fit_transform, first)


@pytest.mark.parametrize("method", NOT_WARNED, ids=name)
def test_not_compared_warning_is_not_issued_if_absent_items_are_ranked(method):
    assert not caught(clone(method).fit_transform, APART)


@pytest.mark.sampled(25)
@pytest.mark.parametrize("method", [*WARNED, BordaCount(), Kemeny(), PlackettLuce()], ids=name)
def test_not_compared_warning_is_issued_if_all_weights_are_0(method):
    if method.__sklearn_tags__().requires_fit:
        return
    (warning,) = caught(method.fit_transform, JOINED.assign(weight=0.0))
    assert "Query 'q' has 5 components, of 1, 1, 1, 1 and 1 items" in str(warning.message)


def test_not_compared_warning_counts_queries_and_shortens_sizes():
    many = pd.DataFrame({"query": "r", "voter": np.repeat(range(7), 2), "item": range(14), "score": [1.0, 0.5] * 7})
    (warning,) = caught(
        MarkovChain().fit_transform,
        pd.concat([many.astype(str).astype({"score": float}), APART, JOINED.assign(query="s")]),
    )
    words = (
        "In 2 of 3 queries the items fall into several components, and each list contains items of only one component. "
    )
    assert f"{words}Query 'q' has 2 components, " in str(warning.message)
    (warning,) = caught(MarkovChain().fit_transform, many)
    assert "Query 'r' has 7 components, of 2, 2, 2, 2, 2 and 2 more items" in str(warning.message)
    assert str(warning.message).endswith("or choose absent='last' if a list ranks its items above all others.")
    (warning,) = caught(BordaCount().fit_transform, APART.assign(weight=0.0))
    assert str(warning.message).endswith("is meaningless; give at least one list of the query a positive weight.")


def test_not_compared_warning_respects_voter_weights():
    weights = dict.fromkeys("uvwxyz", 1.0)
    assert not caught(Copeland(absent="ignore", voter_weights=weights).fit_transform, JOINED)
    assert len(caught(Copeland(absent="ignore", voter_weights={**weights, "z": 0.0}).fit_transform, JOINED)) == 1


def test_plackett_luce_without_prior_raises_instead_of_warning():
    with pytest.raises(InputError, match="fall into 2 groups"):
        PlackettLuce(prior=0, absent="ignore").fit(APART)


def test_compares_tag_is_taken_from_the_base_method():
    for base in (PositionalScoring(points="dowdall"), CombMAX(), MarkovChain(), MarkovChain(absent="last")):
        expected = base.__sklearn_tags__().aggregator_tags.compares
        for outer in (DIBRA(base), LearnedWeights(base), LocalKemenization(base, absent="ignore")):
            assert outer.__sklearn_tags__().aggregator_tags.compares == expected
    assert [CombMAX().__sklearn_tags__().aggregator_tags.compares, expected] == [None, "last"]


def test_fuse_issues_one_not_compared_warning():
    one = {voter: list(items) for voter, items in LISTS.items()}
    for method in (BordaCount(absent="ignore"), PositionalScoring(points=[3, 2, 1], absent="ignore"), MarkovChain()):
        for lists in (one, [one, one, one]):
            (warning,) = caught(fuse, lists, method)
            assert Path(warning.filename) == Path(__file__)
        assert not caught(fuse, {**one, "z": ["e", "b", "d"]}, method)
        assert not caught(fuse, [{**one, "z": ["e", "b", "d"]}] * 2, method)
    long = {"u": ["a", "b", "c"], "v": ["c", "a", "b"]}
    assert not caught(fuse, long, BordaCount(), weights=[1.0, 0.0])
    assert len(caught(fuse, long, BordaCount(), weights=[0.0, 0.0])) == 1
    assert not caught(fuse, {"u": ["a", "b", "c"], "v": ["x", "y", "z"]})  # sums of reciprocal ranks


def test_fuse_of_a_batch_equals_fuse_of_each_query():
    queries = [{**LISTS, "z": ["e", "b", "d"]}, {"u": ["a", "c"], "v": ["c", "b", "a"]}]
    method = BordaCount(absent="ignore")
    assert fuse(queries, method) == [fuse(one, method) for one in queries]


def test_scorers_and_members_issue_one_not_compared_warning():
    qrels = Qrels.from_frame(pd.DataFrame({"query": "q", "item": list("ad"), "relevance": [1, 0]}))
    assert len(caught(make_ranking_scorer("map", qrels=qrels), MarkovChain(), APART)) == 1
    methods = [("mc4", MarkovChain()), ("rrf", ReciprocalRankFusion())]
    assert len(caught(AggregatorUnion(methods).fit_transform, APART)) == 1
    assert len(caught(Comparator(methods, qrels=qrels, verbose=False).fit, RankedLists.from_frame(APART))) == 1


def test_margin_of_victory_issues_one_not_compared_warning():
    assert len(caught(margin_of_victory, Kemeny(absent="ignore"), APART)) == 1


# ---------------------------------------------------------------------- draws


def copies(frame, n=4):
    """Return several copies of the lists, to draw from."""
    return pd.concat([frame.assign(voter=frame["voter"] + str(k)) for k in range(n)], ignore_index=True)


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    "method",
    [PlackettLuce(absent="ignore"), MarkovChain(), BordaCount(absent="ignore"), Kemeny(absent="ignore")],
    ids=name,
)
def test_rank_stability_omits_comparisons_between_components(method):
    two = pd.concat([copies(APART), copies(JOINED.assign(query="r"))], ignore_index=True)
    with pytest.warns(NotComparedWarning, match="In 1 of 2 queries") as found:
        table = rank_stability(method, two, n_resamples=40, places=[1, 2])
    assert len(found) == 1
    apart, joined = (table[table["query"] == query].reset_index(drop=True) for query in "qr")
    assert apart[["rank_low", "rank_high", "rank_mean", "top_1", "top_2", "tied_group"]].isna().all(axis=None)
    assert apart[["score", "rank", "score_se", "n_resamples"]].notna().all(axis=None)
    group = apart["item"].isin(["d", "e"])
    same = group == group.shift(-1)
    assert apart["above_next"].notna().tolist() == same.tolist() and 1 <= same.sum() < 4
    alone = rank_stability(method, copies(JOINED.assign(query="r")), n_resamples=40, places=[1, 2])
    pd.testing.assert_frame_equal(joined, alone)
    assert joined.drop(columns="above_next").notna().all(axis=None)


def test_preference_probabilities_are_missing_between_components():
    with pytest.warns(NotComparedWarning):
        table = preference_probabilities(PlackettLuce(absent="ignore"), copies(APART), n_resamples=40)
    group = table.index.isin(["d", "e"])
    assert (table.notna().to_numpy() == (group[:, None] == group)).all()
    assert table.loc["a", "b"] + table.loc["b", "a"] == 1.0


def board(queries):
    rows = [
        (q, v, i, k)
        for q, items in queries.items()
        for v, i, k in zip("vvvwww", items + items[::-1], [1, 2, 3] * 2, strict=True)
    ]
    return pd.DataFrame(rows, columns=["query", "voter", "item", "rank"])


def test_rank_stability_by_query_checks_the_components_of_the_pooled_board():
    """Queries may be connected and their board not, and the other way round."""
    apart = board({items: items for items in ("abc", "def", "ghi", "jkl", "mno")})
    assert not caught(MarkovChain().fit_transform, apart)
    (warning,) = caught(rank_stability, MarkovChain(), apart, n_resamples=5, unit="query")
    assert "Query 'all' has 5 components, of 3, 3, 3, 3 and 3 items" in str(warning.message)
    joined = pd.concat([APART, *(board({f"q{k}": "cde"}) for k in range(4))], ignore_index=True)
    joined["rank"] = joined["rank"].fillna(1.0 - joined.pop("score"))
    assert len(caught(MarkovChain().fit_transform, joined)) == 1
    assert not caught(rank_stability, MarkovChain(), joined, n_resamples=5, unit="query")


def test_rank_stability_display_draws_places_without_intervals():
    pytest.importorskip("matplotlib").use("Agg")
    with pytest.warns(NotComparedWarning):
        table = rank_stability(MarkovChain(), copies(APART), n_resamples=10)
    display = RankStabilityDisplay.from_frame(table)
    assert len(display.bars_) == 0 and display.chance_ax_ is None
