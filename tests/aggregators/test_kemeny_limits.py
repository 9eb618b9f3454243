"""Kemeny's time limit, tested with a fake clock: no step starts after it or is expected to exceed it."""

import math
import os
import time
from types import SimpleNamespace

import numpy as np
import pytest

from skrankagg import Kemeny, _kernels
from skrankagg.aggregators._kemeny import _branching, _budget, _costs, _proof, _search, _triangles, _weak, _worker
from skrankagg.aggregators._kemeny._budget import Budget, Unfinished
from skrankagg.aggregators._kemeny._triangles import Infeasible
from skrankagg.datasets import make_mallows

# Smaller queries are solved before the limit.
SIZES = (100, 200) if _kernels.COMPILED else (80,)


class Clock:
    """A clock that advances by a tick per reading and by the expected time of solver calls."""

    def __init__(self, monkeypatch, tick):
        self.now, self.tick = 0.0, tick
        monkeypatch.setattr(_budget, "time", SimpleNamespace(monotonic=self.look))

    def look(self):
        self.now += self.tick
        return self.now


def note(monkeypatch, clock, begun, owner, name):
    """Record the time at which each call of a long step begins."""
    original = getattr(owner, name)

    def noted(*args, **kwargs):
        begun.append((clock.now, name))
        return original(*args, **kwargs)

    monkeypatch.setattr(owner, name, noted)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("ties", ["strict", "weak"])
@pytest.mark.parametrize("limit", [0.5, 1.0])
@pytest.mark.parametrize("n", SIZES)
def test_kemeny_starts_no_step_after_the_time_limit(n, limit, ties, monkeypatch):
    frame = make_mallows(n_items=n, n_voters=5, phi=1.0, random_state=0)
    clock, begun = Clock(monkeypatch, tick=2e-4), []
    for owner, name in (
        (_search, "insertion_rounds"),
        (_kernels._insertion, "descend"),
        (_kernels._buckets, "descend"),
        (_budget.Budget, "linprog"),
        (_triangles.TrianglePolytope, "close"),
        (_weak.RelationProgramme, "_solve"),
    ):
        note(monkeypatch, clock, begun, owner, name)
    foreseen = []

    def solve(self, seconds, *args, **kwargs):
        # A call takes what it is foreseen to take, and is ended at the limit.
        self.check()
        foreseen.append(seconds)
        clock.now += min(seconds, max(self.left, 0.0))
        self.check()
        return original(self, 0.0, *args, **kwargs)

    original = _budget.Budget._solve
    monkeypatch.setattr(_budget.Budget, "_solve", solve)
    info = Kemeny(method="exact", consensus_ties=ties, time_limit=limit).aggregate(frame)[1].loc[0]
    assert begun and max(begun)[0] <= limit + 10 * clock.tick
    assert not info["optimal"] and info["stop_reason"] == "time limit"
    assert info["gap"] == info["kemeny_score"] - info["lower_bound"] > 0
    # The looks after the limit are few: every loop ends at the first one.
    assert clock.now <= limit + 100 * clock.tick
    assert foreseen or limit < 1


def test_linprog_is_not_started_if_it_would_exceed_the_time_limit(monkeypatch):
    clock = Clock(monkeypatch, tick=0.0)
    called = []

    def linprog(*args, **kwargs):
        called.append(kwargs["options"])
        return "done"

    monkeypatch.setattr(_budget, "linprog", linprog)
    programme = np.ones(10), np.ones((1000, 10)), np.ones(1000), (0, 1), "highs-ds"
    with Budget(1.0) as budget:
        assert budget.linprog(*programme) == "done" and called == [{"time_limit": 1.0}]
        clock.now = 0.97  # 0.03 seconds are left, and 0.044 foreseen
        with pytest.raises(Unfinished):
            budget.linprog(*programme)
        assert len(called) == 1
        with pytest.raises(Unfinished):
            budget.check(0.04)
        budget.check(0.02)
        assert not budget.late
    with Budget() as budget:
        assert budget.linprog(*programme) == "done" and called[1:] == [{}]


def test_budget_milp_does_not_start_if_it_would_exceed_the_limit(monkeypatch):
    Clock(monkeypatch, tick=0.0)
    called = []
    monkeypatch.setattr(_budget, "milp", lambda cost, *, options: called.append(options))
    # The more variables, the longer it is foreseen to take.
    with Budget(0.01) as budget:
        budget.milp(np.ones(10), {"mip_rel_gap": 0.0})
        assert called == [{"mip_rel_gap": 0.0, "time_limit": 0.01}]
        with pytest.raises(Unfinished):
            budget.milp(np.ones(300), {})
    assert len(called) == 1
    with Budget() as budget:
        budget.milp(np.ones(300), {})
    assert called[1:] == [{}]


def test_prove_few_starts_only_if_time_suffices(monkeypatch):
    Clock(monkeypatch, tick=0.0)
    rng = np.random.default_rng(0)
    for n, seconds, enough in ((3, 1.0, True), (8, 1.0, True), (15, 1e-3, False)):
        margin = np.triu(rng.integers(-3, 4, size=(n, n)), 1) * 1.0
        part = _proof._prove_few(margin - margin.T, np.arange(n), rng, Budget(seconds))
        assert (part is not None) == enough


def test_budget_share_divides_the_remaining_time(monkeypatch):
    clock = Clock(monkeypatch, tick=0.0)
    budget = Budget(10)
    clock.now = 5.0
    share = budget.share(0.4)
    assert share.left == 2 and budget.left == 5
    clock.now = 11.0
    assert share.late and budget.share(0.5).end == 11
    assert Budget().share(0.1).left == float("inf")


# ---------------------------------------------------------------------- the process of the solvers


def is_ended(worker, process):
    return worker.process is None and process.poll() is not None


def test_worker_ends_a_call_at_the_limit_and_leaves_no_process():
    worker = _worker.Worker()
    assert worker.call(np.linalg.norm, np.array([3.0, 4.0])) == 5
    process = worker.process
    with pytest.raises(_worker.Late):
        worker.call(time.sleep, 3600, end=time.monotonic() + 0.05)
    assert is_ended(worker, process)
    assert worker.call(np.linalg.norm, np.array([3.0, 4.0])) == 5  # by another one
    process = worker.process
    worker.close()
    assert is_ended(worker, process)


def test_worker_raises_solver_errors_and_reports_an_ended_process():
    worker = _worker.Worker()
    with pytest.raises(ValueError, match="math domain"):
        worker.call(math.sqrt, -1.0)
    assert worker.process is None
    with pytest.raises(RuntimeError, match="has ended"):
        worker.call(os._exit, 3)
    assert worker.process is None


def test_worker_ends_its_process_on_interrupt(monkeypatch):
    worker = _worker.Worker()
    worker.call(abs, -1)
    process = worker.process

    def interrupted(timeout):
        raise KeyboardInterrupt

    class Answers:
        get = staticmethod(interrupted)

    worker.answers = Answers()
    with pytest.raises(KeyboardInterrupt):
        worker.call(time.sleep, 3600)
    assert is_ended(worker, process)


@pytest.mark.exhaustive
@pytest.mark.parametrize("ties", ["strict", "weak"])
def test_kemeny_is_the_same_in_a_worker_process(ties, monkeypatch):
    frame = make_mallows(n_items=24, n_voters=6, phi=1.0, random_state=3)
    consensus, info = Kemeny(consensus_ties=ties, method="exact").aggregate(frame)
    started = []

    class Noted(_worker.Worker):
        def _start(self):
            started.append(self)
            super()._start()

    monkeypatch.setattr(_budget, "_HERE", -1.0)
    monkeypatch.setattr(_budget, "Worker", Noted)
    other, same = Kemeny(consensus_ties=ties, method="exact").aggregate(frame)
    assert other.equals(consensus) and same.equals(info)
    assert len(started) == 1 and started[0].process is None


def test_kemeny_solves_in_this_process_if_none_can_be_started(monkeypatch):
    frame = make_mallows(n_items=12, n_voters=5, phi=1.0, random_state=0)
    expected = Kemeny(method="exact").aggregate(frame)[1]

    refused = []

    def refuse(*args, **kwargs):
        refused.append(args)
        raise OSError("no processes")

    monkeypatch.setattr(_proof, "_FEW_ITEMS", 0)  # so that programmes make the proof
    monkeypatch.setattr(_budget, "_HERE", -1.0)
    monkeypatch.setattr(_worker.subprocess, "Popen", refuse)
    assert Kemeny(method="exact").aggregate(frame)[1].equals(expected)
    assert refused


def test_budget_calls_a_long_solver_in_a_process_until_the_limit(monkeypatch):
    clock, calls = Clock(monkeypatch, tick=0.0), []

    class Answering:
        def call(self, function, *args, end, options, **kwargs):
            calls.append((function, end, options))
            if clock.now > 0:
                raise _worker.Late
            return "done"

        def close(self):
            calls.append("closed")

    monkeypatch.setattr(_budget, "Worker", Answering)
    programme = np.ones(10), np.ones((1000, 10)), np.ones(1000), (0, 1), "highs-ds"
    with Budget(9.0) as budget:
        assert budget.linprog(*programme, foreseen=8.0) == "done"
        clock.now = 5.0
        with pytest.raises(Unfinished):
            budget.linprog(*programme, foreseen=3.0)
    long = _budget.linprog, 9.0
    assert calls == [(*long, {"time_limit": 9.0}), (*long, {"time_limit": 4.0}), "closed"]


def test_granularity_is_unknown_if_time_runs_out(monkeypatch):
    value = np.array([0.3, 0.5, -0.1])
    assert _costs.granularity(value, Budget()) == pytest.approx(0.1)
    Clock(monkeypatch, tick=0.4)
    assert _costs.granularity(value, Budget(1.0)) == 0  # the limit passes after the first value


def test_kemeny_does_not_start_joblib_processes_for_one_query(monkeypatch):
    from skrankagg.aggregators._kemeny import _estimator

    asked = []

    class Sequential(_estimator.Parallel):
        def __init__(self, n_jobs, **options):
            asked.append(n_jobs)
            super().__init__(n_jobs=1, **options)

    monkeypatch.setattr(_estimator, "Parallel", Sequential)
    Kemeny(n_jobs=2).fit(make_mallows(n_items=5, n_voters=3, phi=0.5, random_state=0))
    Kemeny(n_jobs=2).fit(make_mallows(n_queries=2, n_items=5, n_voters=3, phi=0.5, random_state=0))
    assert asked == [2]


def test_branching_skips_an_expensive_node_and_continues(monkeypatch):
    nodes = {name: SimpleNamespace(name=name, bound=bound) for name, bound in (("root", 1), ("cheap", 2), ("dear", 9))}
    seen = []

    def children(state, polytope, node, rng):
        seen.append(node.name)
        return [nodes["cheap"], nodes["dear"]] if node.name == "root" else []

    monkeypatch.setattr(_branching, "_bounded", lambda *arguments: nodes["root"])
    monkeypatch.setattr(_branching, "_children", children)
    state, polytope = SimpleNamespace(most=5, raise_bound=lambda bound: None), SimpleNamespace(before=None, cycle=None)
    with pytest.raises(Infeasible):
        _branching.branch(state, polytope, None)
    # The node found last is looked at first, and left alone; the other one may hold the optimum.
    assert seen == ["root", "cheap"]
