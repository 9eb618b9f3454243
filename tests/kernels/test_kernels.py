"""The kernels, compared with NumPy, and the check that compiled code is running."""

import functools
import inspect
import itertools
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oracles import joint, joint_in_fixed_point, log_of
from skrankagg import _kernels
from skrankagg._arrays._plain_ids import best_first

pytestmark = pytest.mark.twice

FOLDER = Path(_kernels.__file__).parent
NAMES = sorted({path.stem for path in FOLDER.glob("_*.py")} - {"__init__"})


def test_kernels_are_compiled_or_interpreted_as_expected():
    expected = os.environ.get("SKRANKAGG_EXPECT")
    if expected is None:
        pytest.skip("SKRANKAGG_EXPECT names neither 'compiled' nor 'interpreted'")
    assert expected == ("compiled" if _kernels.COMPILED else "interpreted")


# Other tests are left out of the interpreted pass; the remaining ones must still cover every kernel.
@pytest.mark.skipif(os.environ.get("SKRANKAGG_EXPECT") != "interpreted", reason="calls are seen in that pass only")
def test_every_kernel_was_called_by_tests_of_its_methods(kernel_callers):
    if "PYTEST_XDIST_WORKER" in os.environ:
        pytest.skip("one process of several sees only its own calls; run it after them, with SKRANKAGG_KERNEL_CALLS")
    assert len(kernel_callers) >= len(NAMES)
    own = {"tests/kernels/test_kernels.py", ""}
    uncalled = {kernel for kernel, callers in kernel_callers.items() if not callers - own}
    assert not uncalled, f"no test of a method has called {uncalled}; mark one that does: @pytest.mark.twice"


@pytest.mark.exhaustive
def test_tests_that_skip_without_pyarrow_are_marked_twice(request):
    @functools.cache
    def asks(function):
        return 'importorskip("pyarrow"' in inspect.getsource(function)

    assert asks(request.function)
    for item in request.session.items:
        function = getattr(item, "obj", None)
        if inspect.isfunction(function) and asks(function):
            marked = item.get_closest_marker("twice") or item.path.name == "test_docs.py"
            assert marked, f"{item.nodeid} asks for pyarrow and runs with it only; mark it: @pytest.mark.twice"


@given(segments=st.lists(st.lists(st.floats(-1e6, 1e6), max_size=6), min_size=1, max_size=6))
@settings(max_examples=50, deadline=None)
def test_ragged_cumsum_restarts_in_each_segment(segments):
    value = np.array([x for segment in segments for x in segment], dtype=float)
    ptr = np.concatenate([[0], np.cumsum([len(segment) for segment in segments])])
    expected = [total for segment in segments for total in np.cumsum(segment)]
    np.testing.assert_array_equal(_kernels.ragged_cumsum(value, ptr), np.array(expected, dtype=float))


def test_ragged_cumsum_accepts_views_and_other_dtypes():
    np.testing.assert_array_equal(
        _kernels.ragged_cumsum(np.arange(10)[::2], np.array([0, 2, 5], dtype=np.int32)), [0, 2, 4, 10, 18]
    )


def test_co_ranked_equals_an_example_by_hand():
    # Lists b > a = c and a > b count 1 and 2 each, into matrices 0 and 1 of three items.
    above, level = _kernels.co_ranked(
        np.array([0, 3, 5]),
        np.array([1, 0, 2, 0, 1]),
        np.array([1.0, 2.5, 2.5, 1.0, 2.0]),
        np.array([1.0, 1.0, 1.0, 2.0, 2.0]),
        np.array([0, 1]),
        3,
        2,
    )
    np.testing.assert_array_equal(above, [[[0, 1, 0], [0, 0, 0], [0, 1, 0]], [[0, 0, 0], [2, 0, 0], [0, 0, 0]]])
    np.testing.assert_array_equal(level, [[[1, 0, 1], [0, 1, 0], [1, 0, 1]], [[2, 0, 0], [0, 2, 0], [0, 0, 0]]])


_VALUES = st.lists(st.sampled_from([1e-60, 1e-9, 0.001, 0.2, 0.25, 0.5, 0.51, 0.999, 1.0]), min_size=1, max_size=7)


@given(items=st.lists(st.tuples(_VALUES, st.integers(0, 3)), min_size=1, max_size=4))
@settings(max_examples=60, deadline=None)
def test_log_joint_probability_equals_exact_fractions(items):
    values = [sorted(value) for value, _ in items]
    ptr = np.concatenate([[0], np.cumsum([len(value) for value in values])])
    n = np.array([len(value) + absent for value, absent in items])
    found = _kernels.log_joint_probability(ptr, np.concatenate(values), n)
    expected = [log_of(joint(value + [1] * absent)) for value, (_, absent) in zip(values, items, strict=True)]
    np.testing.assert_allclose(found, expected, rtol=1e-13, atol=1e-13)


@given(
    ranks=st.lists(st.integers(1, 40), min_size=1, max_size=40),
    power=st.sampled_from([0.2, 1.0, 3.0, 9.0]),
    absent=st.integers(0, 12),
)
@settings(max_examples=60, deadline=None)
def test_log_joint_probability_of_ranks_equals_integer_arithmetic(ranks, power, absent):
    x = np.sort(ranks) / 40.0
    x **= power
    n = len(x) + absent
    found = _kernels.log_joint_probability(np.array([0, len(x)]), x, np.array([n]))[0]
    exact = log_of(joint_in_fixed_point([*x, *[1] * absent], 5000))
    np.testing.assert_allclose(found, exact, rtol=1e-13, atol=1e-13)


_M = 120
_GRID = np.arange(1, _M + 1) / _M
_COURSES = {
    "random": np.sort(np.random.default_rng(0).integers(1, 2001, _M)) / 2000,
    "random, all early": np.sort(np.random.default_rng(1).integers(1, 2001, _M)) / 40_000,
    "uniform": _GRID,
    "concave": _GRID**0.4,
    "convex": _GRID**3,
    "two groups": np.repeat([1e-3, 0.9], _M // 2),
    "a third is extreme": np.repeat([1e-60, 0.2, 0.2], _M // 3),
    "one is extreme": np.append(1e-90, np.full(_M - 1, 0.2)),
    "all but the first and last tie": np.concatenate([[0.4], np.full(_M - 2, 0.5), [1.0]]),
    "nearly all tie": np.sort(np.append(np.full(_M - 3, 0.3), np.nextafter(0.3, [0, 1, 1]))),
}


@pytest.mark.exhaustive
@pytest.mark.parametrize("course", _COURSES)
def test_log_joint_probability_of_many_values_equals_integer_arithmetic(course):
    # Courses in which careless scaling of probabilities would lose some values.
    x = _COURSES[course]
    # All but the smallest probability, which is 2^-8052, are above 2^-600.
    bits = 12_000 if course == "a third is extreme" else 4000
    found = _kernels.log_joint_probability(np.array([0, _M]), x, np.array([_M]))[0]
    assert found == pytest.approx(log_of(joint_in_fixed_point(list(x), bits)), rel=1e-14)


@pytest.mark.parametrize(
    ("x", "n", "bits"),
    [
        (np.concatenate([np.linspace(1e-9, 2e-9, 20), np.linspace(0.9, 1, 20)]), 80, 2500),
        (0.25 ** np.arange(83.0, -1.0, -1.0), 84, 10_000),  # the stored probabilities fall below 1e-30
    ],
    ids=["two groups and absent values", "powers"],
)
def test_log_joint_probability_of_extreme_values_equals_integer_arithmetic(x, n, bits):
    found = _kernels.log_joint_probability(np.array([0, len(x)]), x, np.array([n]))[0]
    exact = log_of(joint_in_fixed_point([*x, *[1] * (n - len(x))], bits))
    assert found == pytest.approx(exact, rel=1e-14)


def test_tilt_multiplies_by_powers_of_the_ratio():
    u = _kernels.loading.as_vf(np.array([7.0, 7.0, 8.0, 16.0, 4.0]))
    largest = _kernels.joint._joint._tilt(u, 2, 4, 1, 0.5)  # point 1: value i is multiplied by 0.5 ** (i - 1)
    assert list(u) == pytest.approx([7.0, 7.0, 4.0, 4.0, 0.5], rel=1e-15) and largest == pytest.approx(4.0, rel=1e-15)


@pytest.mark.parametrize(("jump", "is_done"), [(0.15, True), (1e-6, False)])
def test_majority_walks_reports_walks_that_take_long(jump, is_done):
    upper, lower = np.triu_indices(3, 1)  # in each pair, the majority prefers the later item
    shares, converged = _kernels.majority_walks(
        -np.ones((1, 3)), upper, lower, np.full((1, 3), 1 / 3), np.array([3.0]), jump
    )
    assert converged.tolist() == [is_done]
    moves = np.array([[1, 1, 1], [0, 2, 1], [0, 0, 3]]) / 3
    equations = (jump / 3 + (1 - jump) * moves).T - np.eye(3)
    equations[0] = 1.0  # the shares add up to 1
    if is_done:
        np.testing.assert_allclose(shares[0], np.linalg.solve(equations, [1.0, 0.0, 0.0]), rtol=1e-12)


def test_best_first_ties_near_scores_unless_one_has_the_only_source():
    def order(*source):
        scores, support = np.array([0.0, -1e-13]), np.array([0.0, 1.0])
        return best_first(["s", "y"], scores, support, 1e-12, 1e-12, lambda: np.array(source))

    assert order(-2, 0) == order(0, -2) == order(1, 1) == [("s", 0.0), ("y", -1e-13)]
    assert order(-1, 0) == order(0, 1) == order(-2, -1) == [("y", 0.0), ("s", 0.0)]  # y has more support


def test_log_joint_probability_handles_empty_values_and_blocks(monkeypatch):
    ptr, x, n = np.array([0, 2, 2, 3]), np.array([0.25, 0.5, 0.1]), np.array([2, 5, 1])
    expected = np.log([2 * 0.25 * 0.5 - 0.25**2, 1.0, 0.1])  # both up to .5, not both above .25
    np.testing.assert_allclose(_kernels.log_joint_probability(ptr, x, n), expected, rtol=1e-14)
    monkeypatch.setattr(_kernels.loading, "BLOCK", 1)
    np.testing.assert_allclose(_kernels.log_joint_probability(ptr, x, n), expected, rtol=1e-14)


def newton(lists, sizes, start, **options):
    """Call newton_of_lists for queries that have two lists each; the items of a query are numbered from 0."""
    ptr = np.concatenate([[0], np.cumsum(sizes)])
    rows = [ptr[k // 2] + item for k, one in enumerate(lists) for item in one]
    return _kernels.newton_of_lists(
        np.arange(len(sizes)),
        2 * np.arange(len(sizes) + 1),
        np.concatenate([[0], np.cumsum([len(one) for one in lists])]),
        np.array(rows),
        ptr,
        options.pop("weight", np.ones(len(lists))),
        np.zeros(len(lists), dtype=int),
        np.array(start, dtype=float),
        **{"prior": 0.0, "tol": 1e-12, "max_iter": 100, **options},
    )


def test_newton_of_lists_finds_the_odds_of_each_query():
    lists = [[0, 1, 2], [2, 1, 0], [0, 1], [1, 0]]
    worth, steps, done = newton(lists, [3, 2], np.zeros(5), weight=np.array([1.0, 1.0, 3.0, 1.0]))
    assert done.tolist() == [True, True] and (steps > 0).all()
    assert worth[0] == pytest.approx(worth[2])  # by symmetry
    assert worth[3] - worth[4] == pytest.approx(np.log(3.0))  # 3 wins and 1 defeat


@pytest.mark.parametrize("gap", [744.9, -720.0], ids=["no curvature", "infinite step"])
def test_newton_of_lists_stops_if_a_step_has_no_solution(gap):
    start = [gap / 2, -gap / 2]
    worth, steps, done = newton([[0, 1], [0, 1]], [2], start, weight=np.array([1.0, 0.0]))
    assert done.tolist() == [False] and steps.tolist() == [0] and worth.tolist() == start


def test_locked_arcs_equals_an_example_by_hand():
    # The arcs 0 to 1, 1 to 2 and 2 to 0 of the second matrix close a cycle; 33 to 0 leads on to 1 and 2.
    n = 34
    cells = n * n + n * np.array([0, 1, 2, 33, 1, 4]) + np.array([1, 2, 0, 0, 33, 4])
    reach = _kernels.locked_arcs(cells, n, 2)
    assert not reach[0].any()
    assert np.argwhere(reach[1]).tolist() == [[0, 1], [0, 2], [1, 2], [4, 4], [33, 0], [33, 1], [33, 2]]
    assert _kernels.locked_arcs(cells[:0], n, 2).sum() == 0


@pytest.mark.parametrize("block", [_kernels.loading.BLOCK, 3000, 1])
@pytest.mark.parametrize("by_similarity", [False, True])
def test_merge_lists_treats_queries_independently(monkeypatch, block, by_similarity):
    rng = np.random.default_rng(0)
    list_ptr, n = np.cumsum([0, 3, 1, 8, 2, 5, 1, 4]), 6
    score, weight = rng.integers(0, 5, (list_ptr[-1], n)) / 4, rng.random(list_ptr[-1])
    options = 0.1, 0.5, by_similarity
    ends = list(itertools.pairwise(list_ptr))
    alone = [_kernels.agglomerate.merge_many_lists(score[slice(*own)], weight[slice(*own)], *options) for own in ends]
    monkeypatch.setattr(_kernels.loading, "BLOCK", block)
    np.testing.assert_array_equal(_kernels.merge_lists(score, weight, list_ptr, *options), alone)


def ranks_of(score):
    """Return mid-ranks, the highest score first; neighbours within rounding tie."""
    order, rank, first = sorted(range(len(score)), key=lambda i: -score[i]), np.empty(len(score)), 0
    for last in range(len(order)):
        end = last + 1 == len(order)
        if end or score[order[last]] - score[order[last + 1]] > 1e-12 * np.abs(score).max():
            rank[order[first : last + 1]] = (first + last) / 2 + 1
            first = last + 1
    return rank


def merged_lists(score, weight, c1, c2, by_similarity):
    """Merge the two most similar lists until one is left, comparing all pairs before each merge."""
    score, weight, n = list(score.copy()), list(weight), score.shape[1]
    while len(score) > 1:
        rank, tolerance = [ranks_of(one) for one in score], 1e-10 * max(1.0, *weight)
        alike = [[1 - 6 * ((one - other) ** 2).sum() / (n**3 - n) for other in rank] for one in rank]
        best, found, high, low = max(max(row[:x]) for x, row in enumerate(alike) if x), None, 0.0, 0.0
        for x in range(len(score)):
            for y in range(x):
                if alike[x][y] >= best - 1e-10:
                    less, more = sorted([weight[x], weight[y]])
                    heavier = more > high + tolerance or (more >= high - tolerance and less > low + tolerance)
                    if found is None or heavier:
                        found, high, low = (y, x), more, less
        a, b = found
        share = weight[a] / (weight[a] + weight[b]) if weight[a] + weight[b] > 0 else 0.5
        score[a] = share * score[a] + (1 - share) * score[b]
        merged = (c1 * low + c2 * high) / (c1 + c2)
        both = weight[a] + weight[b]
        del score[b], weight[b]
        if by_similarity:
            own, merged = ranks_of(score[a]), c1 * both / 2
            others = [ranks_of(one) for x, one in enumerate(score) if x != a]
            close = 0.0
            for other in others:
                close += 1 - 6 * ((own - other) ** 2).sum() / (n**3 - n)
            merged = max(0.0, (merged + c2 * close / len(others) if others else merged) / (c1 + c2))
        weight[a] = merged
    return score[0]


@pytest.mark.parametrize("by_similarity", [False, True])
@pytest.mark.parametrize("n_values", [1, 2, 4, 1000])  # few values: many lists and pairs of lists tie
@pytest.mark.parametrize("n_items", [2, 3, 6])
def test_merge_lists_equals_a_scan_of_all_pairs(monkeypatch, n_items, n_values, by_similarity):
    rng = np.random.default_rng([n_items, n_values])
    for n_lists in (2, 3, 9, 24):
        score = rng.integers(0, n_values, (n_lists, n_items)) / 4
        weight = rng.choice([0.0, 1.0, 1.0 + 5e-11, 1.0 + 1.5e-10, 2.0, *rng.random(3)], n_lists)
        expected = merged_lists(score, weight, 0.25, 0.5, by_similarity)
        list_ptr = np.array([0, n_lists])
        for block in (_kernels.loading.BLOCK, 1):
            with monkeypatch.context() as patch:
                patch.setattr(_kernels.loading, "BLOCK", block)
                found = _kernels.merge_lists(score, weight, list_ptr, 0.25, 0.5, by_similarity)
            np.testing.assert_array_equal(found[0], expected)


@pytest.mark.parametrize("block", [_kernels.loading.BLOCK, 1])
def test_mean_places_equals_an_example_by_hand(monkeypatch, block):
    monkeypatch.setattr(_kernels.loading, "BLOCK", block)
    ptr, value = np.array([0, 4, 5, 8]), np.array([1.0, 3.0, 2.9, 3.0, 7.0, -5.0, -np.inf, np.inf])
    for order in ([0, 1, 2, 3, 4, 5, 6, 7], [3, 1, 2, 0, 4, 7, 5, 6]):
        places, order = _kernels.mean_places(ptr, 0.0)(value, np.array(order))
        assert places.tolist() == [4.0, 1.5, 3.0, 1.5, 1.0, 2.0, 3.0, 1.0]
        assert value[order].tolist() == [3.0, 3.0, 2.9, 1.0, 7.0, np.inf, -5.0, -np.inf]
        # A tenth of the largest finite size: 3, 7 and 5.
        assert _kernels.mean_places(ptr, 0.1)(value, order)[0].tolist() == [4.0, 2.0, 2.0, 2.0, 1.0, 2.0, 3.0, 1.0]


def test_stale_kernels_is_empty():
    assert _kernels.stale_kernels() == []


@pytest.mark.skipif(not _kernels.COMPILED, reason="the kernels run interpreted")
def test_stale_kernels_detects_an_edited_source(tmp_path):
    # The kernels alone: the rest of the package is not involved and is slow to import.
    package = tmp_path / "skrankagg"
    shutil.copytree(FOLDER, package / "_kernels", ignore=shutil.ignore_patterns("__pycache__"))
    (package / "__init__.py").touch()
    for library in FOLDER.parent.parent.glob("skrankagg__mypyc*"):
        shutil.copy(library, tmp_path)
    code = "import skrankagg._kernels as kernels; print(kernels.__file__, kernels.COMPILED, kernels.stale_kernels())"

    def run():
        return subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True)

    fresh = run()
    assert str(tmp_path) in fresh.stdout and "True []" in fresh.stdout and "older than their source" not in fresh.stderr
    with (package / "_kernels" / "_running_sums.py").open("a") as source:
        source.write("# edited\n")
    stale = run()
    assert "['_running_sums']" in stale.stdout
    assert "The compiled kernel(s) _running_sums are older than their source" in stale.stderr
    (package / "_kernels" / "_compiled.json").unlink()
    assert str(NAMES) in run().stdout


@pytest.mark.skipif(not _kernels.COMPILED, reason="the kernels run interpreted")
def test_every_kernel_is_compiled_and_recorded():
    assert sorted(json.loads((FOLDER / "_compiled.json").read_text())) == NAMES


def _resident():
    """Return the resident memory of the process in bytes."""
    return int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1]) * os.sysconf("SC_PAGE_SIZE")


_SQUARE, _MANY = np.zeros((400, 400)), 100_000
_NUMBERS, _EACH = np.zeros(_MANY), np.arange(_MANY + 1)
_ONES, _WHOLE = np.ones(_MANY), np.array([0, _MANY])
_IDS, _FLOATS = list(range(_MANY)), [0.5] * _MANY
_ORDERS = np.arange(400)[None], np.arange(400)[None]
# Calls of every kernel with some arguments of about a megabyte and little work.
_LARGE_CALLS = {
    "best_first": lambda: _kernels.best_first(_IDS, _EACH[:-1], _NUMBERS, _NUMBERS, 0.0, 0.0, lambda: _EACH, 1),
    "bucket_descent": lambda: _kernels.bucket_descent(_SQUARE, _SQUARE, np.zeros(400, dtype=int)),
    "cheapest_buckets": lambda: _kernels.cheapest_buckets(_SQUARE[:16, :16], _SQUARE[:16, :16], 0.0, 1_000_000),
    "cheapest_orders": lambda: _kernels.cheapest_orders(np.ones(_MANY, dtype=int), _NUMBERS, _NUMBERS),
    "co_ranked": lambda: _kernels.co_ranked(_EACH, _EACH[:-1] % 2, _ONES, _ONES, _EACH[:-1] * 0, 2, 1),
    "code_lists": lambda: _kernels.code_lists([dict.fromkeys(_IDS, 0.5)], _MANY),
    "discordant_pairs": lambda: _kernels.discordant_pairs(_EACH, _EACH[1:], _EACH[:-1] * 0),
    "draw_places": lambda: _kernels.draw_places(_SQUARE[None], np.arange(400)[None]),
    "gather_scores": lambda: _kernels.gather_scores([_FLOATS], _MANY),
    "grade_dicts": lambda: _kernels.grade_dicts({"q": dict.fromkeys(_IDS, 0.5)}, {"q": dict.fromkeys(_IDS, 1.5)}),
    "insertion_descent": lambda: _kernels.insertion_descent(_SQUARE, np.arange(400)),
    "insertion_rounds": lambda: _kernels.insertion_rounds(_SQUARE, np.arange(400), (0.0, 0.0), np.zeros(2), 1, 1, 0.0),
    "locked_arcs": lambda: _kernels.locked_arcs(np.arange(160_000), 400, 1),
    "log_joint_probability": lambda: _kernels.log_joint_probability(_EACH, _ONES, np.ones(_MANY, dtype=int)),
    "lowest_tails": lambda: _kernels.lowest_tails(
        _EACH[None, :-1], _EACH[:-1], _EACH[:-1] * 0, _WHOLE, np.zeros(1, dtype=int), _NUMBERS, 0
    ),
    "majority_insertions": lambda: _kernels.majority_insertions(_SQUARE[None], np.arange(400)[None]),
    "majority_points": lambda: _kernels.majority_points(
        _EACH, _EACH, _ONES, _EACH[:-1], _ONES, _EACH, _ONES, _EACH[:-1], _EACH, _EACH[:-1]
    ),
    "majority_walks": lambda: _kernels.majority_walks(
        np.ones((1, 79_800)), *np.triu_indices(400, 1), np.full((1, 400), 1 / 400), np.full(1, 400.0), 0.15
    ),
    "mean_places": lambda: _kernels.mean_places(_EACH, 0.0)(_NUMBERS, _EACH[:-1]),
    "merge_lists": lambda: _kernels.merge_lists(_ONES.reshape(2, -1), np.ones(2), np.array([0, 2]), 0.1, 0.5, False),
    "newton_of_lists": lambda: _kernels.newton_of_lists(
        np.zeros(1, dtype=int),
        _WHOLE,
        _EACH,
        _EACH[:-1] * 0,
        np.arange(2),
        _ONES,
        _EACH[:-1] * 0,
        np.zeros(1),
        prior=0.5,
        tol=1e-12,
        max_iter=1,
    ),
    "number_items": lambda: _kernels.number_items([_IDS], _MANY),
    "order_costs": lambda: _kernels.order_costs(_SQUARE[None], _SQUARE[None], np.zeros(1, dtype=int), *_ORDERS),
    "pivot_orders": lambda: _kernels.pivot_orders(_SQUARE[None], 1, np.random.PCG64(0).random_raw),
    "ragged_cumsum": lambda: _kernels.ragged_cumsum(_NUMBERS, _WHOLE),
    "sum_lists": lambda: _kernels.sum_lists(
        [_IDS], _kernels.plain_sums.BORDA_POINTS, 1.0, None, False, None, [2.0], 1, True
    ),
}


def test_large_calls_include_every_kernel():
    own = {name for names in _kernels.EXPORTS.values() for name in names if inspect.isfunction(getattr(_kernels, name))}
    assert set(_LARGE_CALLS) == own - {"stale_kernels"}


@pytest.mark.sampled(1)
@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="the memory of the process can be read on Linux only")
@pytest.mark.skipif(not _kernels.COMPILED, reason="plain Python gives back what it takes")
@pytest.mark.parametrize("name", _LARGE_CALLS)
def test_kernels_release_the_memory_of_their_arguments(name):
    call = _LARGE_CALLS[name]
    for _ in range(3):
        call()
    before = _resident()
    for _ in range(20):
        call()
    # An argument that is kept is more than half a megabyte at each call.
    assert _resident() - before < 20 * 500_000
