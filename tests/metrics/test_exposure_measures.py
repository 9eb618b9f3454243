"""Exposure of groups: golden values, brute force with exact fractions, conventions, and use as measures and scorers."""

import importlib.util
import math
import pickle
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from golden_exposure import MEASURES as GOLDEN
from sklearn.model_selection import GridSearchCV, cross_val_score

from skrankagg import BordaCount, CombSUM, Comparator, Qrels, RankedLists, evaluate, metrics
from skrankagg._data._item_groups import read_item_groups
from skrankagg.datasets import make_ranked_lists
from skrankagg.exceptions import InputError, InputTypeError
from skrankagg.metrics import ExposureScorer, exposure_names, group_exposure, make_exposure_measure
from skrankagg.model_selection._learners import find_learners

pytestmark = pytest.mark.twice

NAMES = exposure_names()
#: Options that a measure needs.
OPTIONS = {name: {"k": 3} if name.endswith("skew") else {} for name in NAMES}


def measure(name, *args, **options):
    return getattr(metrics, name)(*args, **options)


def random_ranking(seed, largest=12):
    """Return a ranking, and groups for most of its items and for one item elsewhere."""
    rng = np.random.default_rng(seed)
    items = [f"d{k}" for k in rng.permutation(int(rng.integers(1, largest + 1)))]
    n_groups = int(rng.integers(1, 5))
    groups = {item: "wxyz"[rng.integers(n_groups)] for item in items if rng.random() < 0.8}
    return items, groups | {"elsewhere": "v"}


# ---------------------------------------------------------------------- independent definitions, item by item


def places(items, groups):
    found = {}
    for place, item in enumerate(items, start=1):
        if item in groups:
            found.setdefault(groups[item], []).append(place)
    return found


def mean_weights(items, groups, weight, k):
    k = len(items) if k is None else k
    return {
        group: sum((weight(place) for place in own if place <= k), 0) / len(own)
        for group, own in places(items, groups).items()
    }


def brute_force(name, items, groups, k=None, persistence=Fraction(4, 5)):
    """Compute a measure by its definition; the weights of places and pairs are exact fractions where possible."""
    own = places(items, groups)
    if not own:
        return math.nan
    kind = name.rpartition("_")[0]
    if kind in ("exposure", "attention"):
        weight = (
            (lambda place: 1 / math.log2(place + 1))
            if kind == "exposure"
            else (lambda place: (1 - persistence) * persistence ** (place - 1))
        )
        values = mean_weights(items, groups, weight, k).values()
        if name.endswith("difference"):
            return float(max(values) - min(values))
        return float(min(values) / max(values)) if max(values) else math.nan
    grouped = [item for item in items if item in groups]
    if name == "rank_parity":
        shares = []
        for group in own:
            pairs = [
                (i, j)
                for i, above in enumerate(grouped)
                for j, below in enumerate(grouped)
                if i != j and groups[above] == group != groups[below]
            ]
            if not pairs:
                return math.nan
            shares.append(Fraction(sum(i < j for i, j in pairs), len(pairs)))
        return float(max(shares) - min(shares))
    total = {group: Fraction(len(rows), len(grouped)) for group, rows in own.items()}

    def shares_of(prefix):
        known = [groups[item] for item in prefix if item in groups]
        return {group: Fraction(known.count(group), len(known)) for group in own} if known else None

    if name.endswith("skew"):
        first = shares_of(items[:k])
        if first is None:
            return math.nan
        skews = [math.log(first[group] / total[group]) if first[group] else -math.inf for group in own]
        return min(skews) if name == "min_skew" else max(skews)
    summed = weights = 0.0
    for size in range(1, min(len(items), k or len(items)) + 1):
        shares = shares_of(items[:size])
        if shares is None:
            continue
        divergence = sum(float(share) * math.log(share / total[group]) for group, share in shares.items() if share)
        summed, weights = summed + divergence / math.log2(size + 1), weights + 1 / math.log2(size + 1)
    return summed / weights if weights else math.nan


def test_every_measure_has_a_golden_line():
    assert {line[0] for line in GOLDEN} == set(NAMES)


@pytest.mark.parametrize("name, options, ranking, groups, value", GOLDEN)
def test_golden(name, options, ranking, groups, value):
    assert measure(name, ranking.split(), groups, **options) == pytest.approx(value, abs=1e-12)


@pytest.mark.parametrize("name", NAMES)
def test_brute_force(name):
    runs, groups, expected = {}, [], {}
    for seed in range(120):
        items, own = random_ranking(seed)
        query, k = f"q{seed:03}", [None, 1, 2, 5, 40][seed % 5]
        k = 3 if k is None and name.endswith("skew") else k
        options = {} if name == "rank_parity" or k is None else {"k": k}
        value = brute_force(name, items, own, **options)
        assert measure(name, items, own, **options) == pytest.approx(value, abs=1e-12, nan_ok=True)
        runs[query] = items
        groups += [(query, item, group) for item, group in own.items()]
        expected[query] = brute_force(name, items, own, **OPTIONS[name])
    frame = pd.DataFrame(groups, columns=["query", "item", "group"])
    found = measure(name, runs, frame, **OPTIONS[name], per_query=True)
    assert found.to_dict() == pytest.approx(expected, abs=1e-12, nan_ok=True)
    known = np.array([one for one in expected.values() if not math.isnan(one)])
    assert measure(name, runs, frame, **OPTIONS[name]) == pytest.approx(known.mean(), abs=1e-12)
    assert len(known) > 80


@pytest.mark.parametrize("name", NAMES)
def test_equal_groups_have_the_best_value_and_separated_groups_a_worse_one(name):
    groups = {f"d{k}": "xy"[k % 2] for k in range(20)}
    alternating = [
        f"d{k}" for pair in range(10) for k in ((2 * pair, 2 * pair + 1), (2 * pair + 1, 2 * pair))[pair % 2]
    ]
    separated = sorted(alternating, key=lambda item: (groups[item], item))
    options = OPTIONS[name] and {"k": 4}
    fair, unfair = (measure(name, run, groups, **options) for run in (alternating, separated))
    better = make_exposure_measure(name, groups, **options).greater_is_better
    assert (fair > unfair) if better else (fair < unfair)
    renamed = {item: {"x": "b", "y": "a"}[group] for item, group in groups.items()}
    assert measure(name, separated, renamed, **options) == pytest.approx(unfair, abs=1e-12)


def test_group_exposure_lists_each_group():
    runs = {"p": ["a", "n", "c", "b"], "q": ["d", "n"]}
    table = group_exposure(runs, {"a": 1, "b": 1, "c": 2, "d": 3}, k=3, persistence=0.5)
    expected = pd.DataFrame(
        {
            "query": ["p", "p", "q"],
            "group": [1, 2, 3],
            "n_items": [2, 1, 1],
            "exposure": [0.5, 0.5, 1.0],
            "attention": [0.25, 0.125, 0.5],
            "favored_pairs": [0.5, 0.5, np.nan],
            "skew": [math.log(3 / 4), math.log(3 / 2), 0.0],
        }
    )
    pd.testing.assert_frame_equal(table, expected)


def test_several_rankings_are_averaged_and_not_added():
    one, groups = ["a", "b", "c"], {"a": "x", "b": "y", "c": "y"}
    for name in NAMES:
        if name == "min_skew":  # minus infinity at k = 1
            continue
        assert measure(name, {"p": one, "q": one}, groups, **OPTIONS[name]) == pytest.approx(
            measure(name, one, groups, **OPTIONS[name]), abs=1e-15
        )


def test_groups_elsewhere_and_items_without_group():
    items, groups = ["a", "b", "c", "d"], {"a": "x", "b": "y", "c": "x"}
    for name in NAMES:
        alone = measure(name, items, groups, **OPTIONS[name])
        assert measure(name, items, groups | {"z": "absent"}, **OPTIONS[name]) == alone
        assert math.isnan(measure(name, items, {"elsewhere": "x"}, **OPTIONS[name]))
    assert measure("min_skew", items, {"a": "x", "d": "y"}, k=2) == -math.inf
    assert measure("exposure_ratio", items, {"a": "x"}) == 1.0
    assert measure("exposure_difference", items, {"a": "x"}) == 0.0
    assert measure("ndkl", items, {"a": "x"}) == 0.0


def judged_data():
    lists, qrels, _ = make_ranked_lists(n_queries=12, n_items=15, list_length=10, random_state=0)
    lists, qrels = RankedLists.from_frame(lists), Qrels.from_frame(qrels)
    return lists, qrels, {item: "xyz"[k % 3] for k, item in enumerate(lists.items)}


@pytest.mark.parametrize("name", NAMES)
def test_measures_with_groups_in_evaluate_and_comparator(name):
    lists, qrels, groups = judged_data()
    one = make_exposure_measure(name, groups, **OPTIONS[name])
    run = BordaCount().fit_transform(lists)
    expected = measure(name, run, groups, **OPTIONS[name], per_query=True)
    found = evaluate(run, qrels, ["map", one], per_query=True)
    np.testing.assert_allclose(found[str(one)], expected.reindex(found.index), rtol=1e-12)
    comparator = Comparator([("borda", BordaCount())], metrics=["map", one], qrels=qrels, verbose=False).fit(lists)
    np.testing.assert_allclose(comparator.results_[str(one)], found[str(one)].mean(), rtol=1e-12)
    assert pickle.loads(pickle.dumps(one))(run, qrels) == one(run, qrels)
    value = ExposureScorer(name, groups, **OPTIONS[name])(BordaCount().fit(lists), lists)
    assert value == pytest.approx(expected.mean() * (1 if one.greater_is_better else -1))


def test_scorer_selects_without_judgements():
    lists, _, groups = judged_data()
    scorer = ExposureScorer("exposure_difference", groups, k=5)
    search = GridSearchCV(CombSUM(), {"norm": ["borda", "rank", "min-max"]}, scoring=scorer, cv=3).fit(lists)
    best = max(
        cross_val_score(CombSUM(norm=norm), lists, scoring=scorer, cv=3).mean() for norm in ("borda", "rank", "min-max")
    )
    assert search.best_score_ == pytest.approx(best)
    assert repr(scorer) == "ExposureScorer('exposure_difference', ..., k=5)"
    assert find_learners([("search", search)], []) == {}


def test_exposure_measures_compare_name_options_and_groups():
    given = {"a": "x", "b": "y"}
    groups = read_item_groups(given)
    one = make_exposure_measure("exposure_difference", groups, k=2)
    same = make_exposure_measure("exposure_difference", groups, k=2)
    assert repr(one) == "make_exposure_measure('exposure_difference', ...)"
    assert one == same and hash(one) == hash(same) and hash(one.function) == hash(same.function)
    others = [
        make_exposure_measure("exposure_ratio", groups, k=2),
        make_exposure_measure("exposure_difference", groups, k=3),
        make_exposure_measure("exposure_difference", given, k=2),  # groups are compared by identity
    ]
    assert all(one != other for other in others) and one.function != "exposure_difference"


@pytest.mark.parametrize("name", NAMES)
def test_exposure_of_a_dict_of_scores_is_that_of_the_ranking(name):
    items, groups = random_ranking(3)
    scores = {item: 10.0 - place for place, item in enumerate(items)}
    found = measure(name, dict(sorted(scores.items())), groups, **OPTIONS[name])
    np.testing.assert_equal(found, measure(name, items, groups, **OPTIONS[name]))


def test_judged_ranking_of_one_query():
    one = make_exposure_measure("exposure_ratio", {"a": "x", "b": "y"}, k=2)
    ranking = metrics.JudgedRanking(["a", "c", "b"], [0, 1, 0], query="q")
    assert one.function(ranking) == 0.0
    assert str(one) == "exposure_ratio@2" and one.title == "Exposure ratio at 2"


@pytest.mark.parametrize(
    "call, error, message",
    [
        (lambda: make_exposure_measure("ndkll", {"a": "x"}), InputError, "did you mean 'ndkl'"),
        (lambda: make_exposure_measure("min_skew", {"a": "x"}), InputError, "`k` must be a whole number of at least 1"),
        (lambda: make_exposure_measure("rank_parity", {"a": "x"}, k=3), InputTypeError, "`k` is not an option"),
        (lambda: make_exposure_measure("ndkl", {"a": "x"}, persistence=0.5), InputTypeError, "its options are k"),
        (lambda: metrics.ndkl(["a"], {"a": "x"}, k=0), InputError, "`k` must be a whole number of at least 1; got 0"),
        (lambda: metrics.min_skew(["a"], {"a": "x"}, k=None), InputError, "`k` must be a whole number"),
        (lambda: metrics.ndkl(["a"], {"a": "x"}, per_query="yes"), InputTypeError, "`per_query` must be True or False"),
        (lambda: metrics.attention_ratio(["a"], {"a": "x"}, persistence=1.0), InputError, "`persistence` must be"),
        (lambda: metrics.ndkl(["a"], ["x"]), InputTypeError, "`item_groups` must be a dict of item to group"),
        (
            lambda: metrics.ndkl(judged_data()[0], {"a": "x"}),
            InputError,
            "must have one list for each query",
        ),
    ],
)
def test_refused(call, error, message):
    with pytest.raises(error, match=message):
        call()


@pytest.mark.exhaustive
@pytest.mark.skipif(importlib.util.find_spec("FairRankTune") is None, reason="needs FairRankTune")
def test_equal_to_fair_rank_tune():
    script = Path(__file__).parents[2] / "benchmarks" / "exposure_peers.py"
    subprocess.run([sys.executable, str(script)], check=True, capture_output=True)
