"""An interrupted fit leaves the estimator unchanged; kernels run in blocks and can be interrupted between them."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from golden import GOLDEN, lists
from skrankagg import DIBRA, Kemeny, LocalKemenization, PreferenceRelations, _kernels

METHODS = [one for one, *_ in GOLDEN] + [
    PreferenceRelations(weighting="global"),
    DIBRA(weighting="global"),
    LocalKemenization(PreferenceRelations(weighting="global")),
]


def interrupt(*args, **kwargs):
    raise KeyboardInterrupt


def state(method):
    return {name: id(value) for name, value in vars(method).items()}


@pytest.mark.exhaustive
@pytest.mark.parametrize("method", METHODS, ids=repr)
def test_interrupted_fit_leaves_the_estimator_unchanged(method, monkeypatch):
    # Where the hook begins, where the weights are learnt, and where the result is put in order.
    hooks = ("_aggregate", "_aggregate_weighted", "_voter_weights", "_publish", "_remember_rows")
    for fitted in (False, True):
        for call in ("fit", "fit_transform"):
            for hook in hooks:
                method = clone(method)
                if not hasattr(method, hook):
                    continue
                if fitted:
                    method.fit(lists())
                before = state(method)
                with monkeypatch.context() as patch:
                    patch.setattr(type(method), hook, interrupt)
                    try:
                        getattr(method, call)(lists())
                    except KeyboardInterrupt:
                        assert state(method) == before, (call, hook)


@pytest.mark.parametrize("kernel", ["insertion_rounds", "insertion_descent", "cheapest_orders"])
def test_interrupted_kernel_leaves_kemeny_unfitted(kernel, monkeypatch):
    from skrankagg.aggregators._kemeny import _proof, _search

    method = Kemeny()
    rows = [("q", v, i, r) for v, order in enumerate(("abc", "bca", "cab")) for r, i in enumerate(order, 1)]
    cycle = pd.DataFrame(rows, columns=["query", "voter", "item", "rank"])
    before = state(method)
    monkeypatch.setattr(_proof if kernel == "cheapest_orders" else _search, kernel, interrupt)
    if kernel == "insertion_rounds":  # without a search, programmes prove it
        monkeypatch.setattr(_proof, "_FEW_ITEMS", 0)
    with pytest.raises(KeyboardInterrupt):
        method.fit(cycle)
    assert state(method) == before


def noted(monkeypatch, module, name):
    calls, original = [], getattr(module, name)

    def call(*args):
        calls.append(1)
        return original(*args)

    monkeypatch.setattr(module, name, call)
    return calls


@pytest.mark.twice
def test_kernels_give_equal_results_in_blocks(monkeypatch):
    rng = np.random.default_rng(0)
    n, m = 12, 9
    margin = rng.integers(-3, 4, (n, n)).astype(float)
    margin = np.triu(margin, 1) - np.triu(margin, 1).T
    before, tied = rng.random((n, n)), rng.random((n, n))
    tied = tied + tied.T
    ptr = np.arange(m + 1) * n
    ranks = np.tile(np.repeat(np.arange(1.0, n // 2 + 1), 2), m)
    item = np.concatenate([rng.permutation(n) for _ in range(m)])
    weight = np.repeat(rng.random(m), n)
    by_item = np.lexsort((np.arange(m * n), item))
    score, lists = rng.random((m, n)), np.array([0, m])
    x = np.sort(rng.random(m * n).reshape(m, n), axis=1).ravel()
    margins, orders = np.stack([margin] * 5), np.array([rng.permutation(n) for _ in range(5)])
    cases = {
        ("_orders", "order_costs"): lambda: _kernels.order_costs(margins, margins, np.arange(5), orders, orders // 3),
        ("_orders", "pivot_orders"): lambda: _kernels.pivot_orders(
            margins, 2, lambda k: np.random.default_rng(0).bit_generator.random_raw(k)
        ),
        ("_orders", "majority_insertions"): lambda: _kernels.majority_insertions(margins, orders),
        ("_orders", "draw_places"): lambda: _kernels.draw_places(margins, orders),
        ("_subsets", "cheapest_orders"): lambda: _kernels.cheapest_orders(
            np.full(5, n), margins.ravel(), np.full(5, np.inf)
        ),
        ("_insertion", "descend"): lambda: _kernels.insertion_descent(margin, np.arange(n)),
        ("_buckets", "descend"): lambda: _kernels.bucket_descent(before, tied, np.zeros(n, dtype=int)),
        ("_co_ranked", "co_ranked"): lambda: _kernels.co_ranked(ptr, item, ranks, weight, np.zeros(m, dtype=int), n, 1),
        ("_majority", "majority_points"): lambda: _kernels.majority_points(
            np.array([0, m]),
            ptr,
            ranks,
            item,
            weight[::n],
            np.array([0, n]),
            np.full(n, weight[::n].sum()),
            np.repeat(np.arange(m), n),
            np.arange(n + 1) * m,
            by_item,
        ),
        ("_inversions", "discordant_pairs"): lambda: _kernels.discordant_pairs(ptr, np.arange(1, m * n + 1), item),
        ("_agglomerate", "compare"): lambda: _kernels.merge_lists(score, np.ones(m), lists, 0.1, 0.5, True),
        ("_agglomerate", "merge"): lambda: _kernels.merge_lists(score, np.ones(m), lists, 0.1, 0.5, False),
        ("_group_places", "mean_places"): lambda: _kernels.mean_places(ptr, 1e-12)(x, np.arange(m * n)),
        ("_locking", "lock"): lambda: _kernels.locked_arcs(np.flatnonzero(margin > 0), n, 1),
        ("_joint", "log_joint_probability"): lambda: _kernels.log_joint_probability(ptr, x, np.full(m, n)),
    }
    for (module, name), run in cases.items():
        expected = run()
        with monkeypatch.context() as patch:
            patch.setattr(_kernels.loading, "BLOCK", 50)
            calls = noted(patch, getattr(_kernels, module), name)
            found = run()
        assert len(calls) > 3, name
        for one, other in zip(expected, found, strict=True):
            np.testing.assert_array_equal(one, other, err_msg=name)


@pytest.mark.exhaustive
def test_long_assignment_is_solved_in_a_process_that_can_be_ended(monkeypatch):
    from skrankagg.aggregators._kemeny import _bounded_assignment

    cost = np.random.default_rng(0).random((20, 20))
    expected = _bounded_assignment.assign(cost)
    workers = []

    class Noted(_bounded_assignment.Worker):
        def __init__(self):
            super().__init__()
            workers.append(self)

        def call(self, *args):
            if len(workers) > 1:
                self._start()
                raise KeyboardInterrupt
            return super().call(*args)

    monkeypatch.setattr(_bounded_assignment, "_OWN_PROCESS", 20)
    monkeypatch.setattr(_bounded_assignment, "Worker", Noted)
    found = _bounded_assignment.assign(cost)
    np.testing.assert_array_equal(found[0], expected[0])
    assert found[1] == expected[1] and workers[0].process is None
    with pytest.raises(KeyboardInterrupt):
        _bounded_assignment.assign(cost)
    assert workers[1].process is None


@pytest.mark.parametrize("starts", [True, False])
def test_long_assignment_is_solved_here_if_no_process_can_be_started(starts, monkeypatch):
    from skrankagg.aggregators._kemeny import _bounded_assignment

    cost = np.random.default_rng(0).random((20, 20))
    expected = _bounded_assignment.assign(cost)
    calls = []

    class Answering:
        def call(self, function, *args):
            calls.append("call")
            if not starts:
                raise _bounded_assignment.Unstarted
            return function(*args)

        def close(self):
            calls.append("close")

    monkeypatch.setattr(_bounded_assignment, "_OWN_PROCESS", 20)
    monkeypatch.setattr(_bounded_assignment, "Worker", Answering)
    found = _bounded_assignment.assign(cost)
    np.testing.assert_array_equal(found[0], expected[0])
    assert found[1] == expected[1] and calls == ["call", "close"]
