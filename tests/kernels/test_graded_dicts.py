"""The kernel that grades dicts of runs, compared with the general code of evaluate on random dicts."""

import itertools
import math
import random
import warnings

import numpy as np
import pandas as pd
import pytest

from skrankagg import evaluate
from skrankagg._kernels import COMPILED, graded_dicts
from skrankagg.metrics import make_measure

pytestmark = pytest.mark.twice

MEASURES = ["map", "map@3", "ndcg@5", "p@4", "recall@50", "mrr", "bpref", "infap", "11pt", "iprec@0.3", "rprec", "err"]
RULES = ["order", "trec_eval", "trec_eval_float32", "optimistic", "pessimistic"]
GRADES = [(0, 1), (0, 1, 2, 3), (-2, -1, 0, 1), (0.5, 1.0, 2.5), (1,), (0,), (0, 1, 1.5, 55, 56, -8, -9)]
#: Scores and grades of other types than float and int, and numbers that float64 does not represent.
ODD = [math.nan, math.inf, True, "1", None, np.float64(0.5), np.int64(2), np.float32(0.1), 2**53 + 1, 10**400, -0.0]


@pytest.fixture
def kernel(monkeypatch):
    """Return a function that switches the kernel on, also in plain Python, or off."""
    return lambda is_on: monkeypatch.setattr(graded_dicts, "IS_COMPILED", is_on)


def draw(rng):
    """Draw a run and judgements, with ties, unjudged items, missing queries and now and then something unusual."""
    name = rng.choice(["d{}".format, int])
    pool, odd = rng.choice([6, 20, 60]), rng.random() < 0.3
    run, qrels = {}, {}
    for q in range(rng.randrange(1, 6)):
        ids = rng.sample(range(pool), rng.randrange(pool))
        scores = [rng.choice([rng.random(), float(rng.randrange(3)), rng.randrange(3)]) for _ in ids]
        if rng.random() < 0.5:
            scores.sort(reverse=True)
        returned = dict(zip(map(name, ids), scores, strict=True))
        grades = rng.choice(GRADES)
        judged = {name(k): rng.choice(grades) for k in rng.sample(range(pool), rng.randrange(pool))}
        for one in (returned, judged):
            if odd and one and rng.random() < 0.2:
                one[rng.choice(list(one))] = rng.choice(ODD)
        query = q if odd and rng.random() < 0.1 else f"q{q}"
        if rng.random() < 0.9:
            run[query] = rng.choice([returned, list(returned), None]) if odd and rng.random() < 0.2 else returned
        if rng.random() < 0.9:
            qrels[query] = rng.choice([set(judged), list(judged)]) if odd and rng.random() < 0.2 else judged
    return run, qrels


def first_ids(ranking):
    """Return a number that depends on the order of the items and on the scores; a measure of the user."""
    scores = -1.0 if ranking.scores is None else ranking.scores.sum()
    return scores + sum(k * int(str(one).strip("d")) for k, one in enumerate(ranking.items, 1))


def outcome(run, qrels, metrics, options):
    """Return the table as bytes with its index, or the error, and the warnings."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            table = evaluate({"run": run}, qrels, metrics, per_query=True, **options)
            found = table.to_numpy().tobytes(), repr(table.index), str(table.index.get_level_values(1).dtype)
        except (TypeError, ValueError) as error:
            found = type(error), str(error)
    return found, [(one.category, str(one.message)) for one in caught]


def compare(kernel, seed, n_requests):
    """Assert that the kernel and the general code return the same; return the share of requests for the kernel."""
    rng, n_usual = random.Random(seed), 0
    for _ in range(n_requests):
        run, qrels = draw(rng)
        metrics = [*rng.sample(MEASURES, 4), make_measure(first_ids)]
        options = {"ties": rng.choice(RULES), "missing_queries": rng.choice([None, "zero", "skip"])}
        kernel(True)
        n_usual += graded_dicts.grade_dicts(run, qrels) is not None
        found = outcome(run, qrels, metrics, options)
        kernel(False)
        assert found == outcome(run, qrels, metrics, options), (run, qrels, options)
    return n_usual / n_requests


def test_kernel_equals_the_general_code_to_the_last_bit(kernel):
    assert compare(kernel, 0, 150) >= 0.5


@pytest.mark.exhaustive
@pytest.mark.parametrize("seed", range(1, 6))
def test_kernel_equals_the_general_code_on_thousands_of_dicts(kernel, seed):
    assert compare(kernel, seed, 1000) >= 0.5


@pytest.mark.parametrize("n_items", [0, 1, 12, 13, 300, 401, 1500])
@pytest.mark.parametrize("order", ["falling", "rising", "shuffled", "tied"])
def test_kernel_ranks_by_score_and_id_and_looks_grades_up(kernel, n_items, order):
    kernel(True)
    rng = random.Random(n_items)
    ids = rng.sample([f"d{k}" for k in range(2 * n_items)], n_items)
    scores = [rng.random() if order != "tied" else float(rng.randrange(5)) for _ in ids]
    if order != "shuffled":
        scores.sort(reverse=order != "rising")
    run = {"other": {"x": 1}, "q": dict(zip(ids, scores, strict=True))}
    grades = {f"d{k}": rng.choice([-1, 0, 1, 0.25, 70]) for k in range(n_items)}
    qrels = {"none": {"x": 2}, "other": {"y": 1, "x": 3}, "q": grades}
    grade, score, ptr, best, judged_ptr, items = graded_dicts.grade_dicts(run, qrels)
    expected = sorted(run["q"], key=lambda one: (-run["q"][one], one))
    assert items == [None, ["x"], expected]
    assert ptr.tolist() == [0, 0, 1, 1 + n_items] and judged_ptr.tolist() == [0, 1, 3, 3 + n_items]
    assert score.tolist() == [1, *(run["q"][one] for one in expected)]
    np.testing.assert_array_equal(grade, [3, *(grades.get(one, np.nan) for one in expected)])
    assert best.tolist() == [2, 3, 1, *sorted(grades.values(), reverse=True)]


@pytest.mark.parametrize(
    ("run", "qrels"),
    [
        ({"q": {"a": 1.0}}, {}),
        ({}, {"q": {"a": 1}}),
        ({"q": {"b": 1.0}}, {"q": {"a": 1}}),
        ({"q": {"a": 1.0}}, {1: {"a": 1}}),
        ({"q": None, "r": {"a": 1.0}}, {"q": {"a": 1}, "r": {"a": 1}}),
        ({"q": {"a": 1.0, 1: 1.0}}, {"q": {"a": 1}}),
        ({"q": {1.5: 1.0, 2.5: 1.0}}, {"q": {1.5: 1}}),
        ({"q": {"a": 1.0}}, [{"a": 1}]),
        *(({"q": {"a": odd}}, {"q": {"a": 1}}) for odd in ODD if type(odd) is not float or not math.isfinite(odd)),
        *(({"q": {"a": 1}}, {"q": {"a": odd}}) for odd in ODD),
    ],
)
def test_unusual_dicts_are_left_to_the_general_code(kernel, run, qrels):
    kernel(True)
    if type(run) is dict and isinstance(run.get("q"), dict) and type(run["q"].get("a")) is np.float64:
        assert graded_dicts.grade_dicts(run, qrels) is not None  # this type is a float
    else:
        assert graded_dicts.grade_dicts(run, qrels) is None


def test_tables_of_one_run_equal_tables_of_several_runs():
    run = {"q1": {"a": 2.0, "b": 1.0}, "q2": {"a": 1.0}}
    qrels = {"q1": {"b": 1}, "q2": {"a": 2}, "q3": {"c": 1}}
    for options in ({"missing_queries": "zero"}, {"missing_queries": "skip"}):
        both = evaluate({"one": run, "two": run}, qrels, ["map", "ndcg"], per_query=True, **options)
        one = evaluate({"one": run}, qrels, ["map", "ndcg"], per_query=True, **options)
        pd.testing.assert_frame_equal(one, both.loc[["one"]])
        assert one.index.names == ["run", "query"] and one.columns.equals(both.columns)


def test_kernel_is_used_if_it_is_compiled():
    assert graded_dicts.IS_COMPILED == COMPILED
    found = graded_dicts.grade_dicts({"q": {"a": 1.0}}, {"q": {"a": 1}})
    assert (found is not None) == COMPILED


def test_every_order_of_few_items_is_ranked(kernel):
    kernel(True)
    for scores in itertools.product([0.0, -0.0, 1.0], repeat=4):
        given = dict(zip("abcd", scores, strict=True))
        *_, items = graded_dicts.grade_dicts({7: given}, {7: {"a": 1}})
        assert items == [sorted(given, key=lambda one: (-given[one], one))]
