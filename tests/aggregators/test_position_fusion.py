"""SlideFuse, ProbFuse, SegFuse and BayesFuse: formulas by plain loops, invariances and errors."""

import functools
import inspect
import pickle
from collections import defaultdict
from fractions import Fraction
from math import ceil, log

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import CategoricalNB

from golden import LEARNT
from skrankagg import BayesFuse, ProbFuse, Qrels, RankedLists, SegFuse, SlideFuse, fuse
from skrankagg.datasets import make_ranked_lists
from skrankagg.exceptions import InputError, UnknownVoterWarning
from skrankagg.metrics import evaluate, make_ranking_scorer
from skrankagg.utils._checks._aggregators import AGGREGATOR_CHECKS
from skrankagg.utils._checks._common import COMMON_CHECKS
from skrankagg.utils.discovery import default_methods
from skrankagg.utils.estimator_checks import example_lists

METHODS = [
    SlideFuse(),
    SlideFuse(window=0),
    SlideFuse(window=2),
    ProbFuse(),
    ProbFuse(n_segments=3),
    ProbFuse(n_segments=2, unjudged="skip"),
    SegFuse(),
    BayesFuse(),
    BayesFuse(cutoffs=[1, 3]),
]
CLASSES = [SlideFuse, ProbFuse, SegFuse, BayesFuse]


def data(seed=0, n_queries=20, **options):
    options = {"n_voters": 4, "quality_spread": 1.0, "n_items": 40, "list_length": 15, "absent_share": 0.1} | options
    lists, qrels, _ = make_ranked_lists(n_queries=n_queries, random_state=seed, **options)
    return RankedLists.from_frame(lists), Qrels.from_frame(qrels)


LISTS, QRELS = data()
TRAIN, TEST = LISTS[:12], LISTS[12:]


def scores(consensus):
    return consensus.set_index(["query", "item"])["score"].sort_index()


def tables(method):
    """Return the fitted frame and the name of its column of cells."""
    return next(
        (getattr(method, name), cell)
        for name, cell in (("positions_", "position"), ("segments_", "segment"), ("bins_", "bin"))
        if hasattr(method, name)
    )


# ---------------------------------------------------------------------- the formulas, in fractions


def random_frame(rng, queries, voters, *, n_items=9):
    """Draw partial lists with ties and weights, some of them 0."""
    rows = []
    for query in queries:
        for voter in voters:
            if rng.random() < 0.25 and voter != voters[0]:
                continue
            items = rng.permutation(n_items)[: rng.integers(1, n_items + 1)]
            levels = rng.integers(0, 6, len(items))
            weight = rng.choice([0.0, 0.5, 1.0, 1.0, 2.0])
            rows += [
                (query, voter, f"i{item}", float(level), weight) for item, level in zip(items, levels, strict=True)
            ]
    return pd.DataFrame(rows, columns=["query", "voter", "item", "score", "weight"])


def plain(frame):
    """Return weight and classes of tied items with scores, best first, by query and voter."""
    lists = defaultdict(dict)
    rows = frame[["query", "voter", "item", "score", "weight"]].itertuples(index=False, name=None)
    for query, voter, item, score, weight in sorted(rows, key=lambda row: (row[0], row[1], -row[3])):
        _, groups = lists[query].setdefault(voter, (Fraction(weight), []))
        if not groups or groups[-1][1] != score:
            groups.append(([], Fraction(score)))
        groups[-1][0].append(item)
    return lists


def at_positions(groups, value):
    """Return for each position the mean of a value over its possible items."""
    return [Fraction(sum(map(value, items)), len(items)) for items, _ in groups for _ in items]


def cells_of(method, length):
    """Return the number of the cell of each position of a list, from 0."""
    if isinstance(method, SlideFuse):
        return list(range(length))
    if isinstance(method, ProbFuse):
        return [p // ceil(length / method.n_segments) for p in range(length)]
    if isinstance(method, SegFuse):
        segments = [k for k in range(12) for _ in range(10 * 2**k - 5)]
        return segments[:length]
    return [sum(p + 1 > cutoff for cutoff in method.cutoffs) for p in range(length)]


def own_lists(lists, judged, voter):
    """Yield query, weight and classes of training lists of one voter, or of all (None)."""
    for query in judged:
        for name, (weight, groups) in lists.get(query, {}).items():
            if weight and voter in (name, None):
                yield query, weight, groups


def probabilities(method, lists, judged, voter):
    total, reached, weights = defaultdict(Fraction), defaultdict(Fraction), Fraction(0)
    for query, weight, groups in own_lists(lists, judged, voter):
        hit = at_positions(groups, lambda item, query=query: int(judged[query].get(item, 0) > 0))
        known = at_positions(groups, lambda item, query=query: int(item in judged[query]))
        cell = cells_of(method, len(hit))
        weights += weight
        for c in set(cell):
            inside = [p for p in range(len(cell)) if cell[p] == c]
            size = sum(known[p] for p in inside) if getattr(method, "unjudged", None) == "skip" else len(inside)
            total[c] += weight * (sum(hit[p] for p in inside) / size if size else 0)
            reached[c] += weight
    mean_over = (lambda c: reached[c]) if isinstance(method, SlideFuse) else (lambda c: weights)
    return [total[c] / mean_over(c) for c in range(len(total))]


def log_ratios(method, lists, judged, voter):
    """Return the log ratios of the bins and of absence."""
    n_bins = len(method.cutoffs) + 2
    found = defaultdict(lambda: [Fraction(0), Fraction(0)])
    for query, weight, groups in own_lists(lists, judged, voter):
        candidates = {item for _, classes in lists[query].values() for items, _ in classes for item in items}

        def is_relevant(item, query=query):
            return int(judged[query].get(item, 0) > 0)

        hit = at_positions(groups, is_relevant)
        for c, share in zip(cells_of(method, len(hit)), hit, strict=True):
            found[c][0] += weight * share
            found[c][1] += weight * (1 - share)
        for item in candidates - {item for items, _ in groups for item in items}:
            found["absent"][1 - is_relevant(item)] += weight
    totals = [sum(one[k] for one in found.values()) + Fraction(n_bins, 2) for k in (0, 1)]

    def ratio(c):
        return log((found[c][0] + 0.5) / totals[0]) - log((found[c][1] + 0.5) / totals[1])

    seen = [ratio(c) for c in range(max(c for c in found if c != "absent") + 1)]
    return seen, ratio("absent") if "absent" in found else seen[-1]


def by_loops(method, train, judged, test):
    """Compute scores of the candidates of test lists, by (query, item)."""
    learn = log_ratios if isinstance(method, BayesFuse) else probabilities
    found = {}
    for query, lists in test.items():
        items = {item for _, groups in lists.values() for tied, _ in groups for item in tied}
        for item in items:
            found[query, item] = Fraction(0)
        for voter, (weight, groups) in lists.items():
            seen = any(own_lists(train, judged, voter))
            if not seen and method.unknown_voter == "ignore":
                continue
            table = learn(method, train, judged, voter if seen else None)
            absent = 0
            if isinstance(method, BayesFuse):
                table, absent = table
            length = sum(len(tied) for tied, _ in groups)
            cell = cells_of(method, length)
            read = [table[min(c, len(table) - 1)] for c in range(max(*cell, len(table)) + length)]
            if isinstance(method, SlideFuse):
                window = [range(max(0, p - method.window), min(length, p + method.window + 1)) for p in range(length)]
                value = [sum(read[q] for q in near) / len(near) for near in window]
            elif isinstance(method, ProbFuse):
                value = [read[c] / (c + 1) for c in cell]
            else:
                value = [read[c] for c in cell]
            low, high = groups[-1][1], groups[0][1]
            position, held = 0, set()
            for tied, score in groups:
                mean = sum(value[position : position + len(tied)]) / len(tied)
                position += len(tied)
                if isinstance(method, SegFuse):
                    mean *= 1 + ((score - low) / (high - low) if high > low else 1)
                for item in tied:
                    found[query, item] += weight * mean
                held |= {*tied}
            for item in items - held:
                found[query, item] += weight * absent
    return found


@pytest.mark.sampled(1)
@pytest.mark.filterwarnings("ignore::skrankagg.exceptions.UnknownVoterWarning")
@pytest.mark.parametrize("unknown_voter", ["mean", "ignore"])
@pytest.mark.parametrize("method", METHODS, ids=repr)
@given(seed=st.integers(0, 10**6))
@settings(max_examples=12, deadline=None)
def test_position_methods_equal_plain_loops(method, unknown_voter, seed):
    rng = np.random.default_rng(seed)
    train = random_frame(rng, [f"q{q}" for q in range(rng.integers(1, 6))], ["u", "v", "w"])
    test = random_frame(rng, ["q0", "t"], ["u", "v", "w", "stranger"], n_items=12)
    judged = {
        f"q{q}": {f"i{item}": int(rng.integers(0, 3)) for item in range(9) if rng.random() < 0.7}
        for q in range(6)
        if q in (0, 2, 3, 5)
    }
    judged = {query: grades for query, grades in judged.items() if grades and (train["query"] == query).any()}
    held = set(train[train["weight"] > 0].set_index(["query", "item"]).index)
    if not any(grade > 0 and (query, item) in held for query in judged for item, grade in judged[query].items()):
        return
    qrels = Qrels.from_dict({**judged, "elsewhere": {"i0": 1}})
    method = clone(method).set_params(unknown_voter=unknown_voter).fit(train, qrels=qrels)
    lists = plain(train)
    known = {voter for query in judged for voter, one in lists[query].items() if one[0]}
    if unknown_voter == "ignore":
        test = test[test["query"].isin(test.loc[test["voter"].isin(known), "query"])]
        if test.empty:
            return
    expected = by_loops(method, lists, judged, plain(test))
    found = scores(method.transform(RankedLists.from_frame(test)))
    assert set(found.index) == set(expected)
    np.testing.assert_allclose(found.to_numpy(), [float(expected[key]) for key in found.index], rtol=1e-12, atol=1e-12)
    frame, cell = tables(method)
    assert set(frame["voter"]) == known
    for voter, own in frame.groupby("voter"):
        learnt = (log_ratios if isinstance(method, BayesFuse) else probabilities)(method, lists, judged, voter)
        if isinstance(method, BayesFuse):
            assert own[cell].iloc[-1] == "absent"
            np.testing.assert_allclose(own["log_ratio"], [*learnt[0], learnt[1]], rtol=1e-12, atol=1e-12)
        else:
            assert own[cell].tolist() == list(range(1, len(learnt) + 1))
            np.testing.assert_allclose(own["probability"], [float(one) for one in learnt], rtol=1e-12, atol=1e-12)


def test_n_lists_is_the_divisor_of_the_mean():
    lists = [("p", "v", 3), ("q", "v", 1), ("p", "w", 2), ("r", "v", 9), ("r", "w", 9)]
    frame = pd.DataFrame(
        [(query, voter, f"i{k}", k) for query, voter, length in lists for k in range(length)],
        columns=["query", "voter", "item", "rank"],
    ).assign(score=lambda one: -one["rank"])
    qrels = Qrels.from_dict({"p": ["i0"], "q": ["i0"]})
    frame_of = {kind: tables(kind(qrels=qrels).fit(frame))[0] for kind in (SlideFuse, ProbFuse, SegFuse)}
    assert frame_of[SlideFuse]["n_lists"].tolist() == [2, 1, 1, 1, 1]
    assert frame_of[ProbFuse]["n_lists"].tolist() == [2, 2, 2, 1, 1]
    assert frame_of[SegFuse]["n_lists"].tolist() == [2, 1]
    bins = BayesFuse(cutoffs=(1, 3), qrels=qrels).fit(frame).bins_
    assert bins.drop(columns="log_ratio").to_numpy().tolist() == [
        ["v", "1", 2.0, 2.0],
        ["v", "2-3", 0.0, 2.0],
        ["v", "absent", 0.0, 0.0],
        ["w", "1", 1.0, 1.0],
        ["w", "2-3", 0.0, 1.0],
        ["w", "absent", 0.0, 1.0],
    ]


def test_position_methods_treat_deeper_places_like_the_last_one():
    train = pd.DataFrame({"query": "q", "voter": "v", "item": list("abc"), "rank": [1, 2, 3]})
    train = RankedLists.from_frame(train.assign(score=-train["rank"]))
    qrels = Qrels.from_dict({"q": ["b", "c"]})
    items = [f"i{k:02}" for k in range(30)]
    deep = pd.DataFrame({"query": "t", "voter": "v", "item": items, "rank": range(30), "score": range(30, 0, -1)})

    def of(method):
        return method.set_params(qrels=qrels).fit(train).transform(deep).sort_values("item")["score"].to_numpy()

    np.testing.assert_allclose(of(SlideFuse(window=0)), [0.0, *[1.0] * 29])
    np.testing.assert_allclose(of(SlideFuse(window=1)), [0.5, 2 / 3, *[1.0] * 28])
    np.testing.assert_allclose(of(ProbFuse(n_segments=10)), [1 / (k // 3 + 1) if k > 2 else 0 for k in range(30)])
    np.testing.assert_allclose(of(SegFuse()), 2 / 3 * (1 + np.arange(29, -1, -1) / 29))
    first, later = np.log([0.5 / 1.5, 2.5 / 0.5]) - log((2 + 2) / (1 + 2))
    np.testing.assert_allclose(of(BayesFuse(cutoffs=(1, 3))), [first, *[later] * 29])
    # No candidate of training is absent from the list: absence is as the last bin.
    other = pd.DataFrame({"query": "t", "voter": ["v", "x"], "item": ["a", "b"], "rank": 1})
    method = BayesFuse(cutoffs=(1, 3), unknown_voter="ignore", qrels=qrels).fit(train)
    np.testing.assert_allclose(scores(method.transform(other)), [first, later])


def test_slide_fuse_ties_items_if_the_window_covers_the_list():
    method = SlideFuse(window=10**30, qrels=QRELS).fit(TRAIN)
    alone = TEST.to_frame().query("voter == 'v1'")
    assert (method.transform(alone).groupby("query")["score"].nunique() == 1).all()


def test_bayes_fuse_equals_naive_bayes_of_scikit_learn():
    lists, qrels = data(3, n_queries=30, n_voters=3, absent_share=0.0)
    method, cutoffs = BayesFuse(cutoffs=(3, 7, 12), qrels=qrels).fit(lists), [3, 7, 12]
    # The candidates as samples, and for each voter the bin as a feature; all voters rank every query.
    bins = np.full((lists.n_candidates, 3), 4)
    bins[lists.candidate, lists.list_voter[lists.row_list]] = np.searchsorted(cutoffs, lists.rank)
    grades = qrels.to_frame().set_index(["query", "item"])["relevance"]
    candidates = pd.MultiIndex.from_arrays([lists.queries[lists.candidate_query], lists.items[lists.candidate_item]])
    relevant = grades.reindex(candidates).fillna(0).to_numpy() > 0
    model = CategoricalNB(alpha=0.5, min_categories=5).fit(bins, relevant)
    joint = model.predict_joint_log_proba(bins) - model.class_log_prior_
    found = scores(method.transform(lists))[candidates]
    np.testing.assert_allclose(found, joint[:, 1] - joint[:, 0], rtol=1e-10, atol=1e-10)


@pytest.mark.filterwarnings("ignore::skrankagg.exceptions.UnknownVoterWarning")
def test_position_methods_gain_from_tables_by_voter():
    for seed in range(3):
        lists, qrels = data(seed, n_queries=60, n_voters=6, quality_spread=1.5, list_length=20)
        train, test = lists[:40], lists[40:]
        strangers = test.to_frame().assign(voter=lambda one: "x" + one["voter"])
        held_out = qrels.align(test).own_qrels()
        for method in (SlideFuse(), ProbFuse(), SegFuse(), BayesFuse()):
            method.fit(train, qrels.align(train))
            found, pooled = (evaluate(method.transform(one), held_out, "map").iloc[0, 0] for one in (test, strangers))
            assert found > pooled + 0.01, (seed, method)


# ---------------------------------------------------------------------- voters and weights


@pytest.mark.parametrize("method", METHODS, ids=repr)
def test_position_methods_handle_unknown_voters(method):
    train = TRAIN.to_frame().query("voter != 'v4'")
    fitted = clone(method).fit(train, qrels=QRELS)
    assert set(tables(fitted)[0]["voter"]) == {"v1", "v2", "v3"}
    ignoring = clone(method).set_params(unknown_voter="ignore").fit(train, qrels=QRELS)
    weighted = TEST.to_frame().assign(weight=lambda one: (one["voter"] != "v4").astype(float))
    pd.testing.assert_frame_equal(ignoring.transform(TEST), fitted.transform(weighted))
    assert not fitted.transform(TEST).equals(fitted.transform(weighted))
    plain_lists = {voter: list(run["q13"].items()) for voter, run in TEST[[0]].to_runs().items()}
    expected = ignoring.transform(TEST[[0]])
    assert fuse(plain_lists, ignoring) == list(zip(expected["item"], expected["score"], strict=True))
    with pytest.raises(InputError, match=r"learned no table for voter 'v4', which was not among the voters in fit;"):
        clone(method).set_params(unknown_voter="error").fit(train, qrels=QRELS).transform(TEST)
    only = TEST.to_frame().query("voter == 'v4'")
    with pytest.raises(InputError, match=r"this query has no lists left\. Fit \w+ with some of these voters"):
        ignoring.transform(only)
    with pytest.warns(
        UnknownVoterWarning,
        match="not fitted on any voter of these lists, so all voters get the table pooled",
    ):
        fitted.transform(only)
    with pytest.warns(UnknownVoterWarning, match="are str, such as 'v1', the ids here int"):
        fitted.transform(TEST.to_frame().assign(voter=lambda one: one["voter"].str[1:].astype(int)))


@pytest.mark.parametrize("method", METHODS, ids=repr)
def test_position_methods_treat_voter_weights_as_list_weights(method):
    weights = {"v1": 2.0, "v2": 0.5, "v3": 0.0, "v4": 1.0}
    by_voter = clone(method).set_params(voter_weights=weights).fit(TRAIN, QRELS)
    weigh = {"weight": lambda one: one["voter"].map(weights)}
    by_list = clone(method).fit(TRAIN.to_frame().assign(**weigh), qrels=QRELS)
    weighted = TEST.to_frame().assign(**weigh)
    pd.testing.assert_frame_equal(by_voter.transform(TEST), by_list.transform(weighted))
    pd.testing.assert_frame_equal(tables(by_voter)[0], tables(by_list)[0])
    # A voter whose training lists all weigh nothing is one that fit has not seen.
    assert set(tables(by_voter)[0]["voter"]) == {"v1", "v2", "v4"}


@pytest.mark.parametrize("method", METHODS, ids=repr)
def test_position_methods_treat_training_weights_as_copies(method):
    train = TRAIN.to_frame()
    twice = train[train["query"] == "q03"]
    weighted = train.assign(weight=np.where(train["query"] == "q03", 2.0, 1.0))
    qrels = QRELS.to_frame()
    again = Qrels.from_frame(pd.concat([qrels, qrels[qrels["query"] == "q03"].assign(query="copy")]))
    copied = clone(method).fit(pd.concat([train, twice.assign(query="copy")]), qrels=again)
    found = clone(method).fit(weighted, qrels=QRELS)
    np.testing.assert_allclose(scores(found.transform(TEST)), scores(copied.transform(TEST)), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("method", METHODS, ids=repr)
def test_position_methods_repeat_and_contributions_equal_the_scores(method):
    lists = TEST.with_list_weight(np.random.default_rng(0).random(TEST.n_lists))
    for unknown_voter in ("mean", "ignore"):
        train = TRAIN.to_frame().query("voter != 'v2'")
        fitted = clone(method).set_params(unknown_voter=unknown_voter).fit(train, qrels=QRELS)
        score = fitted._aggregate(lists).score
        # Those of weight 0 at first may have a weight later.
        again = fitted._repeat(lists.with_list_weight(np.zeros(lists.n_lists)))
        np.testing.assert_allclose(again(lists.list_weight), score, rtol=1e-12, atol=1e-12)
        shares = fitted._contributions(lists)
        total = np.bincount(lists.candidate, weights=shares.held, minlength=lists.n_candidates)
        if shares.absent is not None:
            total += lists.sum_over_absent(shares.absent)
        np.testing.assert_allclose(total, score, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("method", METHODS, ids=repr)
def test_position_methods_handle_extreme_weight_scales(method):
    fitted = clone(method).fit(TRAIN, QRELS)
    whole = fitted.transform(TEST)
    for scale in (1e-200, 1e200):
        weight = np.full(TEST.n_lists, scale)
        found = fitted.transform(TEST.with_list_weight(weight))
        assert found["item"].tolist() == whole["item"].tolist()
        if not isinstance(method, BayesFuse):  # more items are more evidence
            weight = np.full(TRAIN.n_lists, scale)
            again = clone(method).fit(TRAIN.with_list_weight(weight), QRELS)
            np.testing.assert_allclose(scores(again.transform(TEST)), scores(whole), rtol=1e-12, atol=1e-12)
    for call, lists in ((clone(method).set_params(qrels=QRELS).fit, TRAIN), (fitted.transform, TEST)):
        with pytest.raises(InputError, match="floating-point numbers"):
            call(lists.with_list_weight(np.full(lists.n_lists, 1e308)))


def test_fit_rejects_list_weights_whose_sums_over_items_are_not_finite():
    # The weights of each query add up to a finite number; sums over all candidates do not.
    weight = np.full(TRAIN.n_lists, 1e308 / TRAIN.n_lists)
    with pytest.raises(InputError, match="within the range of floating-point numbers; SegFuse got weights up to"):
        SegFuse(qrels=QRELS).fit(TRAIN.with_list_weight(weight))
    SegFuse(qrels=QRELS).fit(TRAIN.with_list_weight(weight / TRAIN.n_candidates))


def test_fuse_explains_the_contribution_of_each_list_in_bayes_fuse():
    method = BayesFuse(cutoffs=(1, 3), qrels=QRELS).fit(TRAIN)
    explained = fuse({"v1": ["a", "b"], "v2": ["b", "c"], "v3": ["a"]}, method, explain=True)
    assert all(sum(shares.values()) == pytest.approx(score) for _, score, shares in explained)
    assert all(shares["v3"] != 0 for _, _, shares in explained)  # by absence, too


# ---------------------------------------------------------------------- judgements


@pytest.mark.sampled(2)
@pytest.mark.parametrize("method", METHODS, ids=repr)
def test_position_methods_are_the_same_for_every_way_to_pass_judgements(method):
    expected = clone(method).fit(TRAIN, QRELS)
    for other in (
        clone(method).set_params(qrels=QRELS).fit(TRAIN),
        clone(method).set_params(qrels=QRELS.to_frame()).fit(TRAIN.to_frame()),
        clone(method).fit(TRAIN, qrels=QRELS),
        clone(method).fit(TRAIN, QRELS.align(TRAIN)),
        clone(method).fit(LISTS, QRELS.align(TRAIN)),  # the other queries have no judgements then
        pickle.loads(pickle.dumps(expected)),
    ):
        pd.testing.assert_frame_equal(tables(other)[0], tables(expected)[0])
        pd.testing.assert_frame_equal(other.transform(TEST), expected.transform(TEST))
    pd.testing.assert_frame_equal(clone(method).fit_transform(TRAIN, QRELS.align(TRAIN)), expected.transform(TRAIN))


@pytest.mark.parametrize("method", METHODS, ids=repr)
def test_position_methods_ignore_judgements_of_other_queries(method):
    expected = clone(method).fit(TRAIN, QRELS).transform(TEST)
    frame = QRELS.to_frame()
    own = frame["query"].isin(TRAIN.queries).to_numpy()
    rng = np.random.default_rng(0)
    shuffled = frame["relevance"].to_numpy().copy()
    shuffled[~own] = rng.permutation(shuffled[~own])
    for other in (
        frame[own],
        frame.assign(relevance=np.where(own, frame["relevance"], 7)),
        frame.assign(relevance=shuffled),
        frame[::-1],
    ):
        qrels = Qrels.from_frame(other)
        pd.testing.assert_frame_equal(clone(method).fit(TRAIN, qrels).transform(TEST), expected)
        pd.testing.assert_frame_equal(clone(method).set_params(qrels=qrels).fit(TRAIN).transform(TEST), expected)


@pytest.mark.parametrize("method", METHODS, ids=repr)
def test_position_methods_are_independent_of_names_and_orders(method):
    expected = clone(method).fit(TRAIN, QRELS).transform(TEST)
    order = np.random.default_rng(1).permutation(len(TRAIN))
    np.testing.assert_allclose(
        scores(clone(method).fit(TRAIN[order], QRELS).transform(TEST)), scores(expected), rtol=1e-12, atol=1e-12
    )
    voters = dict(zip(LISTS.voters, ["z", "a", "m", "b"], strict=True))
    items = dict(zip(LISTS.items, np.random.default_rng(2).permutation(LISTS.items), strict=True))

    def rename(lists):
        return lists.to_frame().assign(
            voter=lambda one: one["voter"].map(voters), item=lambda one: one["item"].map(items)
        )

    qrels = QRELS.to_frame()
    qrels["item"] = qrels["item"].map(lambda item: items.get(item, item))
    renamed = clone(method).fit(rename(TRAIN), qrels=Qrels.from_frame(qrels)).transform(rename(TEST))
    back = renamed.assign(item=renamed["item"].map({new: old for old, new in items.items()}))
    np.testing.assert_allclose(scores(back), scores(expected), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("method", METHODS, ids=repr)
def test_position_methods_treat_queries_independently(method):
    fitted = clone(method).fit(TRAIN, QRELS)
    whole = fitted.transform(TEST)
    for chosen in ([0], [4, 1], [2, 3, 5]):
        part = fitted.transform(TEST[chosen]).sort_values(["query", "rank"], ignore_index=True)
        expected = whole[whole["query"].isin(TEST.queries[chosen])].reset_index(drop=True)
        pd.testing.assert_frame_equal(part, expected)


@pytest.mark.parametrize("kind", CLASSES)
def test_position_methods_apply_relevance_threshold(kind):
    frame = QRELS.to_frame()
    high = Qrels.from_frame(frame.assign(relevance=(frame["relevance"] >= 2).astype(int)))
    found = kind(relevance_threshold=2).fit(TRAIN, QRELS)
    pd.testing.assert_frame_equal(tables(found)[0], tables(kind().fit(TRAIN, high))[0])
    assert not tables(found)[0].equals(tables(kind().fit(TRAIN, QRELS))[0])
    words = (
        f"^{kind.__name__} learns from relevant items, but no training list with a weight above 0 contains an item "
        "with a "
    )
    with pytest.raises(InputError, match=words + "relevance of at least 99"):
        kind(relevance_threshold=99).fit(TRAIN, QRELS)
    with pytest.raises(InputError, match=words + "relevance above 0"):
        kind().fit(TRAIN.with_list_weight(np.zeros(TRAIN.n_lists)), QRELS)


@pytest.mark.parametrize("method", METHODS, ids=repr)
def test_position_methods_raise_not_fitted_error(method):
    for call in (
        lambda: clone(method).transform(TEST),
        lambda: fuse([[("a", 2.0), ("b", 1.0), ("c", 0.5)]], clone(method)),
        lambda: fuse([[("a", 2.0), ("b", 1.0)]], clone(method), explain=True),
    ):
        with pytest.raises(NotFittedError):
            call()
    with pytest.raises(InputError, match="needs judgements to learn from; got none"):
        clone(method).fit(TRAIN)


@pytest.mark.parametrize("cutoffs", [(), (5, 5), (5, 3), (0, 3), (1.5,), (True, 2), ("5",), [[1], [2]], "12"])
def test_bayes_fuse_rejects_invalid_cutoffs(cutoffs):
    with pytest.raises(ValueError, match="cutoffs"):
        BayesFuse(cutoffs=cutoffs).fit(TRAIN, QRELS)
    assert BayesFuse(cutoffs=np.array([2, 4])).fit(TRAIN, QRELS).bins_["bin"].tolist()[:4] == [
        "1-2",
        "3-4",
        ">4",
        "absent",
    ]


def test_seg_fuse_rejects_lists_without_scores():
    with pytest.raises(InputError, match=r"SegFuse\(\) needs scores"):
        SegFuse().fit(TRAIN.to_frame().drop(columns="score"), qrels=QRELS)
    ranks = TRAIN.to_frame().drop(columns="score")
    pd.testing.assert_frame_equal(
        SlideFuse().fit(ranks, qrels=QRELS).transform(TEST), SlideFuse().fit(TRAIN, QRELS).transform(TEST)
    )


# ---------------------------------------------------------------------- scikit-learn, and the common checks


@pytest.mark.exhaustive
def test_grid_search_selects_the_window_of_slide_fuse():
    scorer = make_ranking_scorer("map")
    grid = {"window": [0, 2, 5]}
    found = GridSearchCV(SlideFuse(), grid, scoring=scorer, cv=4, n_jobs=2).fit(LISTS, QRELS.align(LISTS))
    held = GridSearchCV(SlideFuse(qrels=QRELS), grid, scoring=make_ranking_scorer("map", qrels=QRELS), cv=4).fit(LISTS)
    assert found.cv_results_["mean_test_score"].tolist() == held.cv_results_["mean_test_score"].tolist()
    assert len({*found.cv_results_["mean_test_score"]}) == 3 and found.best_params_ == held.best_params_
    assert found.transform(TEST).equals(SlideFuse(**found.best_params_).fit(LISTS, QRELS).transform(TEST))


@functools.cache
@functools.cache
def judged_examples():
    """Return judgements of the lists generated by the checks."""
    lists = pd.concat([example_lists(seed, n_queries=20, full=True) for seed in (0, 1, 5, 9)])
    pairs = lists[["query", "item"]].drop_duplicates()
    rng = np.random.default_rng(0)
    pairs = pairs.assign(relevance=rng.integers(0, 3, len(pairs)))
    return Qrels.from_frame(pd.concat([pairs, pd.DataFrame({"query": "q", "item": list("abcd"), "relevance": 1})]))


#: Checks whose assumptions supervised methods cannot meet, with reasons.
NOT_CHECKED = {
    "check_integer_weights": "counts of twice the weight are smoothed half as much",
    "check_errors": "judgements come first, and one voter's bad list may leave none",
    "check_integer_ids": "strings are judged here, and the ids there are integers",
    "check_neutrality": "the judgements must be renamed together with the items, see above",
    "check_pipeline": "y holds the judgements",
    "check_small_inputs": "one voter's order need not stay",
    "check_voter_names": "voters are renamed above",
}


@pytest.mark.exhaustive
@pytest.mark.filterwarnings("ignore::skrankagg.exceptions.UnknownVoterWarning")
@pytest.mark.parametrize("method", METHODS, ids=repr)
@pytest.mark.parametrize("check", [*COMMON_CHECKS, *AGGREGATOR_CHECKS], ids=lambda check: check.__name__)
def test_position_methods_pass_the_common_checks(method, check):
    smoothed = isinstance(method, BayesFuse)
    if check.__name__ not in NOT_CHECKED or (check.__name__ == "check_integer_weights" and not smoothed):
        check(clone(method).set_params(qrels=judged_examples()))


def test_golden_results_include_every_position_method():
    assert set(CLASSES) <= {type(method) for method, *_ in LEARNT}
    assert not {type(method) for _, method in default_methods()} & set(CLASSES)
    assert all(inspect.signature(kind).parameters["qrels"].default is None for kind in CLASSES)
