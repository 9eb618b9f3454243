"""The kernel that numbers the ids of plain lists, compared with the general code of the constructors."""

import random
import warnings

import numpy as np
import pandas as pd
import pytest

from skrankagg import Qrels, RankedLists
from skrankagg._kernels import COMPILED, coded_lists

pytestmark = pytest.mark.twice

ODD_SCORES = [float("nan"), float("inf"), True, "1", None, np.float64(0.5), np.int64(2), 2**53 + 1, 1e20, -0.0, 10**400]
ODD_IDS = [1, "x", None, (1, 2), 2**63, 3.5, True, np.int64(3), "", "D1 ", "d1 ", b"x", pd.NA, ["u"]]


@pytest.fixture
def kernel(monkeypatch):
    """Return a function that switches the kernel on, also in plain Python, or off."""
    return lambda is_on: monkeypatch.setattr(coded_lists, "IS_COMPILED", is_on)


def draw_results(rng, name, form, odd):
    """Draw the results of a query in one of several forms."""
    pool = rng.choice([5, 30])
    ids = [name(k) for k in rng.sample(range(pool), rng.randrange(pool))]
    scores = [rng.choice([rng.random(), float(rng.randrange(3)), rng.randrange(-2, 3)]) for _ in ids]
    if rng.random() < 0.3:
        scores.sort(reverse=True)
    for values, others in ((scores, ODD_SCORES), (ids, ODD_IDS)):
        if odd and ids and rng.random() < 0.1:
            values[rng.randrange(len(ids))] = rng.choice(others)
    if odd and ids and rng.random() < 0.1:
        ids.append(ids[0])
        scores.append(scores[0])
    if odd and rng.random() < 0.05:
        form = rng.choice(["dict", "list", "pairs", "tuple"])
    if form == "dict" and ["u"] not in ids:
        return dict(zip(ids, scores, strict=True))
    return list(zip(ids, scores, strict=True)) if form == "pairs" else tuple(ids) if form == "tuple" else ids


def draw(rng):
    """Draw runs; now and then, something in them is unusual."""
    odd, form = rng.random() < 0.4, rng.choice(["dict", "list", "pairs"])
    name = rng.choice(["d{}".format, "d{}".format, int])
    queries = ["q{}".format, int, lambda q: 2**63 + q if q % 2 else q][rng.choice([0, 0, 0, 1, 2])]
    voters = rng.choice(["v{}".format, int, ["B", "a", "C", "b"].__getitem__])
    runs = {}
    for v in range(rng.randrange(1, 5)):
        chosen = rng.sample(range(6), rng.randrange(6))
        runs[voters(v)] = {queries(q): draw_results(rng, name, form, odd) for q in chosen}
        if odd and rng.random() < 0.1:
            runs[voters(v)][rng.choice(["q1 ", 7, None, 2.5])] = draw_results(rng, name, form, odd)
    return runs


def outcome(function):
    """Return all fields of the result as bytes or text, or the error, and the warnings."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            found = function()
            fields = [getattr(found, name) for name in type(found).__dataclass_fields__]
            found = [
                (str(one.dtype), one.tobytes())
                if isinstance(one, np.ndarray)
                else (type(one), str(one.dtype), one.tolist())
                if isinstance(one, pd.Index)
                else one
                for one in fields
            ]
        except (TypeError, ValueError, OverflowError) as error:
            found = type(error), str(error)
    return found, [(one.category, str(one.message)) for one in caught]


def compare(kernel, seed, n_requests):
    """Assert that the constructors return the same with and without the kernel; return the share of its requests."""
    rng, n_usual = random.Random(seed), 0
    for _ in range(n_requests):
        runs = draw(rng)
        options = rng.choice([{"strip": True}, {"duplicates": "best"}]) if rng.random() < 0.1 else {}
        lists = {voter: next(iter(run.values()), []) for voter, run in runs.items()}
        first = next(iter(runs.values()))
        for function in (
            lambda runs=runs, options=options: RankedLists.from_runs(runs, **options),
            lambda lists=lists, options=options: RankedLists.from_lists(lists, **options),
            lambda first=first: Qrels.from_dict(first),
        ):
            kernel(True)
            found = outcome(function)
            kernel(False)
            assert found == outcome(function), runs
        results = [one for run in runs.values() for one in run.values() if len(one)]
        kernel(True)
        n_usual += coded_lists.code_lists(results, sum(map(len, results))) is not None
    return n_usual / n_requests


def test_kernel_equals_the_general_code_to_the_last_bit(kernel):
    assert compare(kernel, 0, 150) >= 0.5


@pytest.mark.exhaustive
@pytest.mark.parametrize("seed", range(1, 5))
def test_kernel_equals_the_general_code_on_hundreds_of_runs(kernel, seed):
    assert compare(kernel, seed, 500) >= 0.5


def test_ids_are_numbered_in_order_of_appearance_and_scores_stay(kernel):
    kernel(True)
    items, code, score = coded_lists.code_lists([{"b": 2, "a": 0.5}, [("a", -1), ("c", 3.0)]], 4)
    assert items == ["b", "a", "c"] and code.tolist() == [0, 1, 1, 2] and score.tolist() == [2, 0.5, -1, 3]
    items, code, score = coded_lists.code_lists([[7, 5], [5]], 3)
    assert items == [7, 5] and code.tolist() == [0, 1, 1] and score is None


@pytest.mark.parametrize(
    "lists",
    [
        [["a", "b", "a"]],
        [["a"], {"a": 1.0}],
        [["a"], [("a", 1.0)]],
        [{"a": 1.0}, ["a"]],
        [["a", 1]],
        [["a"], [1]],
        [[("a", 1.0), "b"]],
        [[("a", 1.0, 2.0)]],
        [("a", "b")],
        [[1.5]],
        *([{"a": one}] for one in ODD_SCORES if type(one) is not np.float64 and one not in (1e20, 0.0)),
    ],
)
def test_unusual_lists_are_left_to_the_general_code(kernel, lists):
    kernel(True)
    assert coded_lists.code_lists(lists, sum(map(len, lists))) is None


@pytest.mark.parametrize("score", ["1", True, 2**53 + 1])
def test_scores_that_are_not_usual_are_refused_or_stay_exact(score):
    runs = {"v": {"q": {"a": score, "b": 2**53}}}
    if score == 2**53 + 1:
        assert RankedLists.from_runs(runs).to_frame()["item"].tolist() == ["a", "b"]
    else:
        with pytest.raises(ValueError, match="must be a 64-bit int or a float"):
            RankedLists.from_runs(runs)


def test_kernel_is_used_if_it_is_compiled():
    assert coded_lists.IS_COMPILED == COMPILED
    assert (coded_lists.code_lists([["a"]], 1) is not None) == COMPILED
