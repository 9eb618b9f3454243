"""The kernel that merges usual lists of one query, compared with the general code of fuse on random requests."""

import copy
import random
import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

import skrankagg._fuse._front as front
import skrankagg._fuse._plans as _plans
from skrankagg import (
    BordaCount,
    CombANZ,
    CombMAX,
    CombMNZ,
    CombSUM,
    InverseSquareRank,
    LearnedWeights,
    RankBiasedCentroid,
    ReciprocalRankFusion,
    SimpleBorda,
    aggregators,
    fuse,
)
from skrankagg._arrays import TOLERANCE
from skrankagg._arrays._normalize import NORMS
from skrankagg._fuse._plans import read_plan
from skrankagg._kernels import _plain_sums, plain_sums
from skrankagg.base._classes import find_method
from skrankagg.exceptions import PartialListsWarning

pytestmark = pytest.mark.twice

METHODS = [
    None,
    "rrf",
    "CombSUM",
    "comb-mnz",
    "Borda Count",
    "borda_count",
    " combsum ",
    "rrf[k=3]",
    ReciprocalRankFusion(),
    ReciprocalRankFusion(k=0),
    ReciprocalRankFusion(k=1.5),
    ReciprocalRankFusion(k=9e5),
    ReciprocalRankFusion(k=1e14),
    ReciprocalRankFusion(depth=3),
    ReciprocalRankFusion(normalize=True),
    BordaCount(),
    BordaCount(absent="ignore"),
    SimpleBorda(),
    CombSUM(),
    CombSUM(norm="rank"),
    CombSUM(norm="z-score", absent_score="min"),
    CombMNZ(),
    CombMNZ(gamma=0.5),
]
# How the lists of a query are given; in the last form, some lists may have no scores.
FORMS = ("ids",), ("pairs",), ("dicts",), ("pairs", "dicts"), ("ids", "pairs", "dicts")
CLASSES = (ReciprocalRankFusion, BordaCount, CombSUM, CombMNZ)


def random_method(rng):
    """Return a method that the kernel computes with details, without weights of voters."""
    norm = rng.choice(tuple(NORMS))
    scores = {"norm": norm, "absent_score": rng.choice(("zero", "zero", "min"))}
    if norm in ("borda", "rank", "reciprocal", "simple-borda"):
        scores["absent_score"] = "zero"
    depth, normalize = rng.choice(((None, True), (1, False), (4, False), (4, True), (50, False)))
    return rng.choice(
        (
            BordaCount(absent="ignore"),
            SimpleBorda(),
            ReciprocalRankFusion(k=rng.choice((60, 0, 2.5)), depth=depth, normalize=normalize),
            RankBiasedCentroid(persistence=rng.choice((0.95, 0.5, 0.1, 0.999))),
            InverseSquareRank(),
            InverseSquareRank(support="log", sigma=rng.choice((0, 0.01, 1, 0.5))),
            CombSUM(**scores),
            CombSUM(**scores),
            CombSUM(**scores),
            CombMNZ(**scores, gamma=rng.choice((1, 1.0, 0, 0.5, 2, -1, -2.5))),
            CombMNZ(**scores),
            CombANZ(**scores),
        )
    )


@pytest.fixture
def kernel(monkeypatch):
    """Switch the kernel on, even if it is plain Python; return a function that switches it off or on."""
    monkeypatch.setattr(front, "_HAS_KERNEL", True)
    return lambda on: monkeypatch.setattr(front, "_HAS_KERNEL", on)


def random_score(rng):
    return rng.choice(
        (
            rng.random(),
            round(rng.random(), 1),
            float(rng.randint(0, 3)),
            rng.randint(-5, 5),
            1 - 1e-13 * rng.randint(0, 9),
            1e-9 * rng.randint(0, 9),
            -rng.random(),
            0.5,
        )
    )


def odd_score(rng):
    return rng.choice(
        (1e300, -1e300, 1e-200, 5e-324, -0.0, 2**53, 2**53 + 1, -(2**60), 10**400, True, None, "1", float("nan"))
        if rng.random() < 0.7
        else (float("inf"), np.float64(0.25), np.float32(0.1), np.int64(2))
    )


def random_ids(rng, odd):
    n = rng.choice((3, 5, 8, 20, 60))
    if odd and rng.random() < 0.1:
        return [*range(n - 1), rng.choice(("d1", True, 1.5, None, 2**70))]
    return [f"d{k}" for k in range(n)] if rng.random() < 0.7 else list(range(-2, n - 2))


def random_lists(rng, odd):
    """Return lists of ids, of pairs or dicts; with `odd`, some lists are unusual or invalid."""
    ids = random_ids(rng, odd)
    shortest = min(rng.choice((0, 1, 3)) if odd else 3, len(ids))
    n_lists = rng.choice((1, 2, 3, 3, 4, 5, 8, *((9, 11) if odd else ())))
    lists = [rng.sample(ids, rng.randint(shortest, len(ids))) for _ in range(n_lists)]
    form = rng.choice((*FORMS[:-1], FORMS[-1] if odd else FORMS[1]))
    scored = [[(ident, random_score(rng)) for ident in one] for one in lists]
    if not odd or rng.random() < 0.5:
        scored = [sorted(one, key=lambda pair: -pair[1]) for one in scored]
    if odd and rng.random() < 0.1 and scored[0]:
        scored[0][rng.randrange(len(scored[0]))] = (scored[0][0][0], odd_score(rng))
    make = {"pairs": lambda v: scored[v], "dicts": lambda v: dict(scored[v]), "ids": lambda v: lists[v]}
    found = [make[rng.choice(form)](v) for v in range(n_lists)]
    if odd and rng.random() < 0.05 and found[0] and isinstance(found[0], list):
        found[0].append(found[0][0])
    if odd and rng.random() < 0.05:
        others = (
            None,
            "text",
            tuple(found[0]),
            5,
            np.array(lists[0]),
            [],
            {},
            [["a", 1.0]],
            [{"id": "a"}],
            {"hits": [1]},
        )
        found[-1] = rng.choice(others)
    return found


def random_weights(rng, n, odd):
    values = [rng.choice((rng.random(), 1, 0.5, 0, 3, 0.1, 0.3)) for _ in range(n)]
    if odd and rng.random() < 0.2:
        values[0] = rng.choice(
            (-1, float("nan"), float("inf"), 1e-40, 1e200, 1e308, True, "2", None, np.float64(2), 10**400)
        )
    return [0.0] * n if odd and rng.random() < 0.05 else values


def learned(rng, inside, voter_weights, odd):
    """Return LearnedWeights with these weights; it may also have weights of other voters."""
    if rng.random() < 0.3:
        voter_weights = {**voter_weights, "v100" if isinstance(next(iter(voter_weights), ""), str) else 100: 1.0}
    weights = [
        weight if isinstance(weight, int | float) and abs(weight) < 1e300 else -0.5 for weight in voter_weights.values()
    ]
    method = LearnedWeights(rng.choice((None, inside)), unknown_voter=rng.choice(("mean", "ignore", "error")))
    method.voter_weights_ = pd.DataFrame({"voter": list(voter_weights), "weight": np.array(weights, dtype=float)})
    if odd and rng.random() < 0.2:
        method.set_params(
            **rng.choice(
                (
                    {"alpha": -1},
                    {"aggregator": CombMAX()},
                    {"aggregator": clone(inside).set_params(voter_weights={"v": 1.0})},
                )
            )
        )
    if odd and rng.random() < 0.1:
        method.voter_weights_ = pd.concat([method.voter_weights_] * 2)
    return method


def random_request(rng):
    """Return the lists, the method and the options of a call of fuse; half of the requests have no unusual part."""
    odd, options = rng.random() < 0.5, {}
    lists, method = random_lists(rng, odd), rng.choice(METHODS if odd else CLASSES)
    names, named = list(range(1, len(lists) + 1)), rng.random() < 0.4
    if named:
        names = [f"v{k}" for k in rng.sample(range(99), len(lists))]
        if odd and rng.random() < 0.1:
            names[0] = rng.choice((7, ("v", 1), None))
        lists = dict(zip(names, lists, strict=True))
    voter_weights = None
    if rng.random() < 0.3:
        voter_weights = dict(zip(names, random_weights(rng, len(names), odd), strict=True))
        if odd and rng.random() < 0.3:
            others = {**voter_weights, "v100": 1.0}, {str(name): weight for name, weight in voter_weights.items()}
            voter_weights = rng.choice((dict(list(voter_weights.items())[1:]), *others))
        method = rng.choice(CLASSES)
    if isinstance(method, type):
        method = method() if rng.random() < 0.3 else random_method(rng)
        if voter_weights is not None and rng.random() < 0.3:
            method = learned(rng, method, voter_weights, odd)
        else:
            method.voter_weights = voter_weights
    if rng.random() < 0.4:
        weights = random_weights(rng, len(names), odd)
        by_name = dict(zip(names, weights, strict=True))
        options["weights"] = by_name if named else weights
        if odd and rng.random() < 0.3:
            others = {**by_name, "v100": 2.0}, dict(list(by_name.items())[1:]), tuple(weights), weights[1:], 2.0
            options["weights"] = rng.choice((weights, by_name, np.array([1.0] * len(weights)), *others))
    if rng.random() < 0.5:
        options["top"] = rng.choice((1, 5, 1000, *((np.int64(2), 0, True, 2.0, 10**30) if odd else ())))
    if rng.random() < 0.3:
        options["explain"] = rng.choice((False, np.True_, 1)) if odd and rng.random() < 0.3 else True
    if odd and rng.random() < 0.1:
        options |= rng.choice(({"strict": True}, {"return_items": True}, {"duplicates": "best"}, {"duplicates": "no"}))
    if odd and rng.random() < 0.1:
        lists = [lists, lists]
    return lists, method, options


def exact(one):
    """Return a value with its type, and with every bit of its floats."""
    if isinstance(one, float):
        return type(one), one.hex()
    if isinstance(one, dict):
        return [(exact(key), exact(value)) for key, value in one.items()]
    return [exact(part) for part in one] if isinstance(one, list | tuple) else (type(one), one)


def outcome(lists, method, options):
    """Return the exact result of fuse, or its error, and its warnings."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            found = exact(fuse(lists, method, **options))
        except Exception as error:
            found = type(error), str(error)
    return found, sorted((one.category.__name__, str(one.message)) for one in caught)


def compare(kernel, seed, n_requests):
    rng = random.Random(seed)
    merged = 0

    def counted(*arguments):
        nonlocal merged
        found = plain_sums.sum_lists(*arguments)
        merged += found is not None
        return found

    for _ in range(n_requests):
        request = random_request(rng)
        kernel(True)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(front, "sum_lists", counted)
            found = outcome(*request)
        kernel(False)
        assert found == outcome(*request), request
    return merged / n_requests


def test_kernel_equals_the_general_code_to_the_last_bit(kernel):
    assert compare(kernel, 0, 400) >= 0.4


@pytest.mark.exhaustive
@pytest.mark.parametrize("seed", range(1, 11))
def test_kernel_equals_the_general_code_on_thousands_of_requests(kernel, seed):
    assert compare(kernel, seed, 1000) >= 0.4


@pytest.mark.parametrize("n_items", [12, 13, 25, 300, 401, 1500])
@pytest.mark.parametrize("with_numpy", [True, False])
def test_kernel_equals_the_general_code_for_any_number_of_items(kernel, monkeypatch, n_items, with_numpy):
    if not with_numpy:
        monkeypatch.setattr(plain_sums, "_order_many", lambda values: None)
    rng = random.Random(n_items)
    ids = [f"d{k}" for k in range(n_items)]
    lists = [rng.sample(ids, n_items - rng.randrange(n_items // 2)) for _ in range(4)]
    scored = [dict(zip(one, sorted((rng.randint(0, 50) for _ in one), reverse=True), strict=True)) for one in lists]
    for method in CLASSES:
        for given in (lists, scored) if method in (ReciprocalRankFusion, BordaCount) else (scored,):
            for options in ({}, {"top": 7}, {"weights": [0.1, 0, 0.3, 0.2]}, {"explain": True}):
                before = copy.deepcopy(given)
                kernel(True)
                assert plain_sums.sum_lists(given, *read_plan(method()), None, 0, False) is not None
                found = outcome(given, method(), options)
                kernel(False)
                assert found == outcome(given, method(), options)
                assert given == before


@pytest.mark.parametrize("n_items", [5, 12, 150, 400, 1500])
def test_kernel_with_details_equals_the_general_code_for_any_number_of_items(kernel, n_items):
    rng = random.Random(n_items)
    ids = [f"d{k}" for k in range(n_items)]
    for seed in range(12):
        lists = [rng.sample(ids, n_items - rng.randrange(max(1, n_items // 2 - 1))) for _ in range(rng.choice((3, 9)))]
        # NumPy adds up more than 8, and more than 128, values in another order.
        scored = [dict(zip(one, sorted((rng.gauss(3, 1) for _ in one), reverse=True), strict=True)) for one in lists]
        method = random_method(rng)
        options = rng.choice(({}, {"top": 7}, {"explain": True}))
        if len(lists) == 3:
            options = options | {"weights": [0.1, seed % 2, 0.3]}
        kernel(True)
        found = outcome(scored, method, options)
        kernel(False)
        assert found == outcome(scored, method, options), method


def test_kernel_warns_of_partial_lists_as_the_general_code_does(kernel):
    lists = [{f"d{10 * v + k}": 1 / (k + 1) for k in range(5)} for v in range(3)]
    method = CombSUM(norm="z-score")
    assert plain_sums.sum_lists(lists[:1] * 2, *read_plan(method), None, 0, False) is not None
    for on in (True, False):
        kernel(on)
        with pytest.warns(PartialListsWarning, match=r"1 query the median.*choose absent_score='min'") as caught:
            fuse(lists, method)
        # In the interpreted pass, conftest.py stands between the kernel and the package.
        assert len(caught) == 1 and (caught[0].filename == __file__ or not plain_sums.IS_COMPILED)


def test_kernel_leaves_unusual_scores_to_the_general_code():
    def merge(lists, method):
        return plain_sums.sum_lists(lists, *read_plan(method), None, 0, False)

    unsorted = [{"a": 1.0, "b": 3.0, "c": 2.0}]
    assert merge(unsorted, CombSUM()) is not None and merge(unsorted, CombSUM(norm="sum")) is None
    assert merge([{"a": 0.0, "b": -1.0, "c": -2.0}], CombSUM(norm="max")) is None
    assert merge([{"a": 1e-200, "b": 0.0, "c": 0.0}], CombSUM(norm="l2")) is None
    assert merge([{"a": 1e15, "b": 1.0, "c": 1e-300}], CombSUM(norm=None)) is None
    assert merge([{"a": 1.0, "b": 0.0, "c": -0.0}], CombSUM(norm="z-score")) is None
    assert merge([{"a": 1e-200, "b": 0.0, "c": 0.0}], CombSUM()) is None
    assert merge([{"a": 1e10, "b": 1e-90, "c": 0.0}], CombSUM()) is None
    # These lists do not connect all items, which causes a warning.
    assert merge([["a", "b", "c"], ["d", "e", "f"]], BordaCount(absent="ignore")) is None
    assert merge([["a", "b", "c"], ["d", "e", "c"]], BordaCount(absent="ignore")) is not None


def test_kernel_leaves_negative_zeros_to_the_general_code(kernel):
    # Only a list of weight 0 contains d: its sum, which is negative, is multiplied by 0.
    lists, options = [{"a": 3.0, "b": 2.0, "c": 1.0}, {"d": 2.0, "a": 1.0, "b": 0.0}], {"weights": [1.0, 0.0]}
    method = CombMNZ(norm="z-score", absent_score="min")
    assert plain_sums.sum_lists(lists, *read_plan(method), [1.0, 0.5], 0, False) is not None
    assert plain_sums.sum_lists(lists, *read_plan(method), [1.0, 0.0], 0, False) is None
    kernel(True)
    found = outcome(lists, method, options)
    kernel(False)
    assert found == outcome(lists, method, options)


@pytest.mark.parametrize(
    "method",
    [
        CombSUM(norm="max"),
        CombSUM(norm="z-score"),
        CombSUM(norm="z-score", absent_score="min"),
        CombSUM(absent_score="min"),
        CombANZ(norm="l2"),
        ReciprocalRankFusion(normalize=True),
        CombSUM(),
    ],
    ids=repr,
)
def test_kernel_ignores_empty_lists(kernel, method):
    full = [{"a": 3.0, "b": 2.0, "c": 0.5}, {"b": 4.0, "a": 1.0, "d": 0.5}]
    found = plain_sums.sum_lists([{}, full[0], {}, full[1]], *read_plan(method), None, 0, False)
    assert found is not None and found == plain_sums.sum_lists(full, *read_plan(method), None, 0, False)
    kernel(False)
    assert exact(found) == exact(fuse(full, method))


@pytest.mark.parametrize("norm", ["z-score", "l2", "dbsf"])
def test_kernel_gives_equal_scores_to_the_items_of_a_constant_list(kernel, norm):
    lists, method = [{"a": 0.0, "b": 0.0, "c": 0.0}], CombSUM(norm=norm)
    value = 0.5 if norm == "dbsf" else 0.0
    assert plain_sums.sum_lists(lists, *read_plan(method), None, 0, False) == [(one, value) for one in "abc"]
    kernel(False)
    assert fuse(lists, method) == [(one, value) for one in "abc"]


@pytest.mark.parametrize("is_on", [True, False])
def test_near_scores_tie_unless_one_has_the_only_source(kernel, is_on):
    kernel(is_on)
    method = CombSUM(norm=None)
    # Only the list of weight 0 contains s, so the negative score of y is not a rounding error.
    lists, weights = [{"x": 1.0, "y": -1e-13, "z": -1.0}, {"s": 5.0, "x": 4.0, "z": 3.0}], [1.0, 0.0]
    assert fuse(lists, method, weights=weights) == [("x", 1.0), ("s", 0.0), ("y", -1e-13), ("z", -1.0)]
    # Both p and q have two sources, so their sums may differ by rounding errors.
    lists = [{"p": 0.5, "q": 0.25, "r": 0.125}, {"q": 0.5 + 1e-13, "p": 0.25, "r": 0.125}]
    assert fuse(lists, method) == [("p", 0.75 + 1e-13), ("q", 0.75 + 1e-13), ("r", 0.25)]


def test_kernel_leaves_a_list_of_weights_for_named_lists_to_the_general_code():
    arguments = plain_sums.RECIPROCAL_RANKS, 60.0, None, False, None
    lists = {"u": ["a", "b", "c"], "v": ["c", "b", "a"]}
    assert plain_sums.sum_lists(lists, *arguments, {"u": 1.0, "v": 2.0}, 0, False) is not None
    assert plain_sums.sum_lists(lists, *arguments, [1.0, 2.0], 0, False) is None


def test_kernel_merges_lists_of_two_items_if_they_cannot_cause_a_warning():
    arguments = plain_sums.RECIPROCAL_RANKS, 1.0, None, False, None, None, 0, False
    assert plain_sums.sum_lists([["a", "b"], ["b", "c"]], *arguments) == [
        ("b", 1 / 2 + 1 / 3),
        ("a", 1 / 2),
        ("c", 1 / 3),
    ]
    assert plain_sums.sum_lists([["a", "b"], ["b", "c"], ["d"]], *arguments)[0][0] == "b"
    assert plain_sums.sum_lists([["a", "b"], ["b", "c"], ["d", "e"]], *arguments) is None


def test_plans_of_names_equal_the_default_parameters_of_the_classes():
    named = (*CLASSES, SimpleBorda, CombANZ, InverseSquareRank)
    expected = {method.__name__.casefold(): read_plan(method()) for method in named}
    assert {**expected, "rrf": expected["reciprocalrankfusion"]} == front._PLANS
    for name in front._PLANS:
        plan = read_plan(find_method(name, aggregators)[1])
        assert plan == front._plan_of_name(f" {name.upper()} ") == front._plan_of_name(f"{name[:5]}-{name[5:]}_")
    lists = [["d1", "d2", "d3"], ["d2", "d4", "d5"]]
    assert fuse(lists) == fuse(lists, ReciprocalRankFusion(k=30)) != fuse(lists, "rrf")
    assert _plain_sums._TOLERANCE == TOLERANCE


def with_gamma(method, gamma):
    """Change an attribute that is not a parameter."""
    method.gamma = gamma
    return method


@pytest.mark.parametrize(
    "method",
    [
        CombMAX(),
        RankBiasedCentroid(persistence=1.0),
        InverseSquareRank(support="log", sigma=-1),
        InverseSquareRank(support="root"),
        BordaCount(absent="first"),
        ReciprocalRankFusion(k=True),
        ReciprocalRankFusion(k={"v": 60}),
        ReciprocalRankFusion(k=-1),
        ReciprocalRankFusion(k=1e9),
        ReciprocalRankFusion(depth=0),
        ReciprocalRankFusion(depth=2.5),
        ReciprocalRankFusion(normalize=1),
        ReciprocalRankFusion(voter_weights=[("v", 1)]),
        CombSUM(norm="rank", absent_score="min"),
        CombSUM(norm=["rank"]),
        CombSUM(norm="ranks"),
        CombSUM(absent_score="max"),
        with_gamma(CombANZ(), -2.0),
        CombMNZ(gamma=9),
        CombMNZ(gamma=True),
        type("Own", (CombSUM,), {})(),
        CombSUM,
        print,
    ],
    ids=repr,
)
def test_other_methods_have_no_plan(method):
    assert read_plan(method) is None


@pytest.mark.parametrize(
    "lists",
    [
        [],
        [[], {}],
        (["a", "b", "c"],),
        [["a", "b", "c"], ("a",)],
        [["a", "b"], ["c", "d"], ["e"]],
        [["a", "b", "a"]],
        [[("a", 2.0), ("b", 1.0), ("a", 0.5)]],
        [["a", 1, "b"]],
        [[True, False, 1]],
        [[1.5, 2.5, 3.5]],
        [[("a", 1.0), ("b", True), ("c", 0.0)]],
        [[("a", 1.0), ("b",), ("c", 0.0)]],
        [[("a", 1.0), "b", ("c", 0.0)]],
        [{"a": 1.0, "b": float("nan"), "c": 0.5}],
        [{"a": 2**53, "b": 1, "c": 0}],
        [{"a": 1.0, "b": "0.5", "c": 0.0}],
        [{"a": 1.0, "b": 2.0, "c": 0.0}],
        [["a", "b", "c"], {"a": 1.0, "b": 0.5, "c": 0.0}],
        [["a", "b", "c"], [("a", 1.0), ("b", 0.5), ("c", 0.0)]],
        [{"a": 1.0, "b": 0.5, "c": 0.0}, ["a", "b", "c"]],
        {1: ["a", "b", "c"]},
        [[["a", "b", "c"]]],
        "abc",
        None,
    ],
    ids=repr,
)
def test_kernel_leaves_unusual_lists_to_the_general_code(lists):
    assert plain_sums.sum_lists(lists, plain_sums.RECIPROCAL_RANKS, 60.0, None, False, None, None, 0, False) is None


def test_fuse_merges_the_usual_queries_of_a_batch_by_the_kernel(kernel, monkeypatch):
    rng = random.Random(0)
    batch = [[rng.sample(range(9), 5) for _ in range(3)] for _ in range(4)] + [[[1, 2], [3]], [[]]]
    kernel(False)
    expected = fuse(batch), fuse(batch, CombSUM(norm="rank"))
    kernel(True)
    assert (fuse(batch), fuse(batch, CombSUM(norm="rank"))) == expected


def test_changes_of_learnt_weights_take_effect(kernel):
    lists = {"u": ["a", "b", "c"], "v": ["c", "b", "a"]}
    method = LearnedWeights()
    method.voter_weights_ = pd.DataFrame({"voter": ["u", "v", "w"], "weight": [2.0, 1.0, 0.5]})
    assert fuse(lists, method) == fuse(lists, ReciprocalRankFusion(k=20), weights={"u": 2, "v": 1})
    assert fuse(lists, method)[0][0] == "a"
    method.voter_weights_.loc[1, "weight"] = 5.0
    assert fuse(lists, method)[0][0] == "c"
    method.voter_weights_["weight"] = [2.0, 0.0, 1.0]
    assert fuse(lists, method)[0][0] == "a"
    method.set_params(aggregator=BordaCount())
    assert fuse(lists, method) == fuse(lists, BordaCount(), weights={"u": 2, "v": 0})
    method.aggregator.absent = "ignore"
    kernel(True)
    changed = outcome(lists, method, {})
    kernel(False)
    assert changed == outcome(lists, method, {})
    kernel(True)
    method.set_params(aggregator=None)
    for change in (
        lambda frame: frame.__setitem__("weight", [1.0, 3.0, 0.0]),
        lambda frame: frame.iloc.__setitem__((0, 1), 9.0),
        lambda frame: frame.loc.__setitem__((0, "voter"), "v"),
        lambda frame: frame.loc.__setitem__((slice(None), "voter"), ["v", "u", "w"]),
        lambda frame: setattr(frame, "columns", ["weight", "voter"]),
        lambda frame: setattr(frame, "columns", ["voter", "weight"]),
        lambda frame: frame.__setitem__("voter", pd.Categorical(["u", "v", "w"])),
        lambda frame: frame.__setitem__("voter", pd.Series(["u", "v", "w"], dtype=object)),
        lambda frame: frame["voter"].array.__setitem__(1, "w"),
        lambda frame: frame.__setitem__("voter", pd.Series(["u", "v", "w"], dtype="string[python]")),
        lambda frame: frame["voter"].array.__setitem__(1, "w"),
        lambda frame: frame["voter"].array.__setitem__(1, "v"),
        lambda frame: frame.insert(1, "std_error", 0.5),
        lambda frame: frame.pop("std_error"),
        lambda frame: method.set_params(alpha=-1),
    ):
        outcome(lists, method, {})  # keeps the weights
        change(method.voter_weights_)
        found = outcome(lists, method, {})
        kernel(False)
        assert found == outcome(lists, method, {}), method.voter_weights_
        kernel(True)
    with pytest.raises(NotFittedError):
        fuse(lists, LearnedWeights())


def test_kernel_merges_with_learnt_weights_and_a_given_method_repeatedly(kernel):
    lists = {"u": ["a", "b", "c"], "v": ["c", "b", "a"]}
    method = LearnedWeights(BordaCount())
    method.voter_weights_ = pd.DataFrame({"voter": ["u", "v"], "weight": [2.0, 1.0]})
    kernel(True)
    expected = fuse(lists, BordaCount(), weights={"u": 2.0, "v": 1.0})
    assert fuse(lists, method) == fuse(lists, method) == expected
    method.aggregator = ReciprocalRankFusion(k=20)
    assert fuse(lists, method) == fuse(lists, ReciprocalRankFusion(k=20), weights={"u": 2.0, "v": 1.0})


def test_weights_of_a_frame_without_blocks_are_not_kept():
    assert _plans._read_blocks(object()) == (None, None, None)
