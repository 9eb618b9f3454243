"""Memory limits: methods raise before allocating too much, and their stated memory is correct."""

import subprocess
import sys
import tracemalloc

import numpy as np
import pandas as pd
import psutil
import pytest

import skrankagg
from skrankagg import (
    DIBRA,
    Agglomerative,
    Condorcet,
    Copeland,
    FootruleOptimal,
    HodgeRank,
    Kemeny,
    KwikSort,
    LocalKemenization,
    MarkovChain,
    Minimax,
    Outranking,
    PickAPerm,
    PlackettLuce,
    PreferenceRelations,
    RankedLists,
    RankedPairs,
    Schulze,
    SequentialElimination,
    _kernels,
)
from skrankagg._support import _memory
from skrankagg._support._memory import available_memory, config_context, format_bytes, left_by_groups
from skrankagg.aggregators import (
    condorcet_components,
    kemeny_lower_bound,
    kemeny_order,
    kemeny_score,
    local_kemenization,
    locked_pairs,
    mean_tau_x,
    pairwise_preferences,
    stationary_distribution,
    widest_paths,
)
from skrankagg.exceptions import InputError, MemoryLimitError
from skrankagg.metrics import agreement_matrix
from skrankagg.preprocessing import TopK
from skrankagg.utils.discovery import default_methods


def random_lists(n_items, n_lists=20, *, weighted=False, n_queries=1):
    """Return full lists in random order."""
    rng = np.random.default_rng(0)
    n_rows = n_items * n_lists * n_queries
    frame = pd.DataFrame(
        {
            "query": np.repeat(np.arange(n_queries), n_items * n_lists),
            "voter": np.tile(np.repeat(np.arange(n_lists), n_items), n_queries),
            "item": np.concatenate([rng.permutation(n_items) for _ in range(n_lists * n_queries)]),
            "rank": np.tile(np.arange(1, n_items + 1), n_lists * n_queries),
            "score": np.zeros(n_rows),
        }
    )
    frame["score"] = n_items + 1 - frame["rank"].astype(float)
    if weighted:
        frame["weight"] = 1 + frame["voter"] / 7
    return RankedLists.from_frame(frame)


def peak(function, *args):
    """Return the peak number of bytes allocated by a call."""
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        function(*args)
        return tracemalloc.get_traced_memory()[1] - before
    finally:
        tracemalloc.stop()


def stated(method, lists):
    return float(method._memory(lists).max())


# ---------------------------------------------------------------------- stated memory of methods

# Variants that take the same memory and less time.
LARGE = [
    Agglomerative(),
    FootruleOptimal(),
    FootruleOptimal(pins={3: 500}),
    *(HodgeRank(flow=flow, absent=absent) for flow in ("margin", "logit") for absent in ("last", "ignore")),
    Kemeny(n_restarts=1),
    Kemeny(n_restarts=1, consensus_ties="weak"),
    Kemeny(n_restarts=1, pins={3: 100, 4: 7}, orders=[(0, 1), (5, 2)]),
    Kemeny(n_restarts=1, pins={3: 100, 4: 7}, orders=[(0, 1), (5, 2)], consensus_ties="weak"),
    KwikSort(n_init=1),
    LocalKemenization(),
    *(MarkovChain(chain=chain) for chain in ("mc3", "mc4", "mct", "rank-centrality")),
    *(MarkovChain(chain=chain, max_iter=100) for chain in ("mc1", "mc2")),  # too few to be sure of a walk up the lists
    *(MarkovChain(chain=chain, absent="last") for chain in ("mc3", "mc4", "mct", "rank-centrality")),
    *(MarkovChain(chain=chain, absent="last", max_iter=100) for chain in ("mc1", "mc2")),
    Minimax(),
    Outranking(),
    Outranking(both_absent="ignore"),
    PickAPerm(),
    PreferenceRelations(),
    RankedPairs(),
    Schulze(),
    *(SequentialElimination(rule=rule) for rule in ("borda", "borda-mean")),
]


@pytest.fixture(scope="module")
def full_lists():
    return {weighted: random_lists(1000, weighted=weighted) for weighted in (False, True)}


#: Methods of cubic time; their memory is the same function of the number of items at each size.
CUBIC = (FootruleOptimal, Kemeny, Schulze)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("method", LARGE, ids=repr)
def test_stated_memory_matches_the_peak_for_large_queries(method, full_lists):
    lists = random_lists(600) if isinstance(method, CUBIC) else full_lists[False]
    assert 1 <= stated(method, lists) / peak(method.fit_transform, lists) <= 2.5


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    "method", [MarkovChain(), MarkovChain(absent="last"), Minimax(), Outranking(), PreferenceRelations()], ids=repr
)
def test_stated_memory_matches_the_peak_for_weighted_lists(method, full_lists):
    lists = full_lists[True]
    assert 1 <= stated(method, lists) / peak(method.fit_transform, lists) <= 2.5


@pytest.mark.sampled(1)
@pytest.mark.parametrize("absent", ["last", "ignore"])
@pytest.mark.parametrize(("kind", "n_items", "n_lists"), [("model", 450, 4), ("voters", 450, 4), ("voters", 60, 3000)])
def test_stated_memory_matches_the_peak_for_standard_errors(kind, n_items, n_lists, absent, monkeypatch):
    lists = random_lists(n_items, n_lists)
    options = {"absent": absent, "max_iter": 500, "tol": 1e-6}
    method, without = PlackettLuce(std_errors=kind, **options), PlackettLuce(**options)
    needed = float(method._error_memory(lists).max())
    assert without._error_memory(lists) is None
    # Beyond memory linear in the rows, as for other methods.
    taken = peak(method.fit_transform, lists) - (peak(without.fit_transform, lists) if n_lists > n_items else 0)
    assert 1 <= needed / taken <= 2.5
    if absent == "last":
        with config_context(memory_limit=int(needed) - 1), pytest.raises(MemoryLimitError) as caught:
            method.fit_transform(lists)
        assert f"query 0 of {n_items} items and {n_lists} lists" in str(caught.value)
        assert "; choose std_errors=None, or set another limit" in str(caught.value)
        with config_context(memory_limit=int(needed) + 1):
            method.fit_transform(lists)


def test_plackett_luce_rejects_standard_errors_of_100000_items_at_once():
    lists = RankedLists.from_frame(
        pd.DataFrame({"query": "q", "voter": "v", "item": range(100_000), "rank": range(100_000)})
    )
    with (
        config_context(memory_limit="100GB"),
        pytest.raises(MemoryLimitError, match="needs about 800 GB for query 'q'"),
    ):
        PlackettLuce(std_errors="model").fit(lists)


@pytest.mark.skipif(not _kernels.COMPILED, reason="plain Python takes minutes, and needs memory for its numbers")
def test_stated_memory_of_majorities_depends_on_the_counting_algorithm():
    dense, sparse = random_lists(1500, n_lists=41), random_lists(1500, n_lists=20, weighted=True)
    partial = TopK(1400).transform(dense)
    for method in (Condorcet(), Copeland(), Condorcet(absent="ignore"), Copeland(absent="ignore")):
        assert 1 <= stated(method, partial) / peak(method.fit_transform, partial) <= 2.5
        assert 1 <= stated(method, dense) / peak(method.fit_transform, dense) <= 2.5
        assert stated(method, sparse) == 0
        assert peak(method.fit_transform, sparse) < 100 * sparse.n_rows


@pytest.mark.parametrize("absent", ["last", "ignore"])
@pytest.mark.parametrize("chain", ["mc1", "mc2"])
def test_markov_chain_iteration_over_lists_needs_no_matrix(chain, absent, full_lists):
    method = MarkovChain(chain=chain, absent=absent)
    for lists in full_lists.values():
        assert stated(method, lists) == 0
        assert peak(method.fit_transform, lists) < 150 * lists.n_rows < 8 * lists.query_n_items[0] ** 2


@pytest.mark.sampled(1)
@pytest.mark.parametrize("method", [MarkovChain(chain="mc1", max_iter=100), MarkovChain(), Minimax()], ids=repr)
def test_stated_memory_covers_counting_in_parts(monkeypatch, method):
    lists = random_lists(1100)
    whole = method.fit_transform(lists)
    monkeypatch.setattr(_kernels.loading, "BLOCK", 1_000_000)  # a part for each list or two, as of 20,000 items
    assert peak(method.fit_transform, lists) <= stated(method, lists)
    pd.testing.assert_frame_equal(method.fit_transform(lists), whole)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("n_items, n_lists", [(30, 1200), (2000, 30)])
@pytest.mark.parametrize("measure", ["tau-b", "kendall-distance", "spearman", "footrule"])
def test_stated_memory_of_agreement_matrix_matches_the_peak(monkeypatch, measure, n_items, n_lists):
    needed = []
    monkeypatch.setattr(
        "skrankagg.metrics._agreement._matrices.check_memory", lambda n_bytes, describe: needed.append(n_bytes)
    )
    taken = peak(agreement_matrix, random_lists(n_items, n_lists), measure)
    # Counts are added up strip by strip, in some megabytes whatever the lists.
    assert taken <= needed[0] + 20e6
    assert needed[0] <= 2.5 * taken


N_ITEMS = 1100
PREFER, TIED = pairwise_preferences(random_lists(N_ITEMS))
RANK = np.arange(N_ITEMS)
FEW_ARCS = np.triu(PREFER[:300, :300], 1)
FUNCTIONS = {
    "condorcet_components": lambda: condorcet_components(PREFER),
    "kemeny_lower_bound": lambda: kemeny_lower_bound(PREFER, TIED),
    "kemeny_score": lambda: kemeny_score(RANK, PREFER, TIED),
    "local_kemenization": lambda: local_kemenization(RANK, PREFER),
    "locked_pairs": lambda: locked_pairs(FEW_ARCS),
    "mean_tau_x": lambda: mean_tau_x(RANK, PREFER, TIED, 20.0),
    "pairwise_preferences": lambda: pairwise_preferences(random_lists(N_ITEMS, 3)),
    "stationary_distribution": lambda: stationary_distribution(np.full((N_ITEMS, N_ITEMS), 1 / N_ITEMS)),
    "widest_paths": lambda: widest_paths(PREFER[:300, :300]),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_stated_memory_of_matrix_functions_covers_the_peak(monkeypatch, name):
    needed = []
    monkeypatch.setattr(_memory, "check_memory", lambda n_bytes, describe: needed.append((n_bytes, describe()[0])))
    monkeypatch.setattr("skrankagg.aggregators._markov._markov_chain.check_memory", _memory.check_memory)
    taken = peak(FUNCTIONS[name])
    n_bytes, who = needed[0]
    assert who == f"{name}()"
    assert taken <= 1.01 * n_bytes + 1e6


def test_matrix_functions_raise_memory_limit_error():
    with config_context(memory_limit="100kB"):
        for function in [*FUNCTIONS.values(), lambda: kemeny_order(PREFER), lambda: agreement_matrix(random_lists(99))]:
            with pytest.raises(MemoryLimitError, match=r"\(\) needs about .* and 100 kB are available; "):
                function()


def test_kemeny_proof_raises_memory_limit_error():
    lists = random_lists(120)
    for ties in ("strict", "weak"):
        with (
            config_context(memory_limit="2.5MB"),
            pytest.raises(MemoryLimitError, match=r"Kemeny's proof needs about .* a component of 1.. items"),
        ):
            Kemeny(method="exact", consensus_ties=ties, time_limit=20).fit(lists)


# ---------------------------------------------------------------------- refusals


def test_memory_limit_error_names_query_size_bytes_and_alternatives():
    frame = pd.concat([random_lists(40, 3).to_frame().assign(query="small"), random_lists(300, 1).to_frame()])
    lists = RankedLists.from_frame(frame.assign(query=frame["query"].replace({0: "large"})))
    with config_context(memory_limit=100_000), pytest.raises(MemoryLimitError) as caught:
        Schulze(absent="ignore").fit_transform(lists)
    assert str(caught.value) == (
        "Schulze(absent='ignore') needs about 4.4 MB for query 'large' of 300 items and 1 list, and 100 kB are "
        "available; choose a method whose time and memory are linear, such as BordaCount, ReciprocalRankFusion or "
        "RankBiasedCentroid, or set another limit with skrankagg.config_context(memory_limit=...) or the variable "
        "SKRANKAGG_MEMORY."
    )
    assert isinstance(caught.value, InputError)
    assert isinstance(caught.value, MemoryError)


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    "method",
    [
        DIBRA(Schulze()),
        DIBRA(PreferenceRelations()),
        LocalKemenization(Minimax()),
        Agglomerative(),
        PreferenceRelations(weighting="global"),
        Kemeny(n_jobs=2),
    ],
    ids=repr,
)
def test_fit_and_transform_raise_memory_limit_error_if_they_allocate(method):
    lists = random_lists(200)
    for call in (method.fit, method.fit_transform):
        with config_context(memory_limit="100kB"), pytest.raises(MemoryLimitError, match="query 0 of 200 items"):
            call(lists)
    method.fit(lists)
    with config_context(memory_limit="100kB"):
        if getattr(method, "weighting", None) == "global":
            method.transform(lists)  # with known weights, the sum over the lists is linear
        else:
            with pytest.raises(MemoryLimitError):
                method.transform(lists)


def test_fit_ignores_the_memory_that_only_transform_needs():
    with config_context(memory_limit="100kB"):
        Schulze().fit(random_lists(200)).transform(random_lists(20))


def test_local_kemenization_checks_memory_before_its_method_runs():
    class Slow(skrankagg.BordaCount):
        def _aggregate(self, lists):
            raise AssertionError("it began")

    with config_context(memory_limit="100kB"):
        for call in (LocalKemenization(Slow()).fit, LocalKemenization(Slow()).fit_transform):
            with pytest.raises(MemoryLimitError, match="LocalKemenization"):
                call(random_lists(200))


def test_stated_memory_of_kemeny_counts_each_process():
    one, two = random_lists(50), random_lists(50, n_queries=3)
    assert stated(Kemeny(n_jobs=2), one) == stated(Kemeny(), one)
    assert stated(Kemeny(n_jobs=2), two) == 2 * stated(Kemeny(), two)


def test_small_queries_do_not_call_available_memory(monkeypatch):
    def ask():
        raise AssertionError("asked")

    monkeypatch.setattr(_memory, "available_memory", ask)
    lists = random_lists(20, n_queries=2)
    for _, method in default_methods():
        method.fit_transform(lists)
    with pytest.raises(AssertionError, match="asked"):
        Minimax().fit_transform(random_lists(1000, 2))


@pytest.mark.exhaustive
def test_results_are_independent_of_the_memory_limit():
    lists = random_lists(30, n_queries=2)
    for _, method in default_methods():
        whole = method.fit_transform(lists)
        with config_context(memory_limit="20MB"):
            pd.testing.assert_frame_equal(method.fit_transform(lists), whole)


# All methods in a process that may have so many more addresses than it has after its imports.
SCRIPT = """
import resource, sys, warnings
import numpy as np, pandas as pd, psutil
from skrankagg import DIBRA, BordaCount, RankedLists, Schulze
from skrankagg.exceptions import MemoryLimitError
from skrankagg.preprocessing import AggregatorUnion
from skrankagg.utils.discovery import default_methods

n, m, megabytes = map(int, sys.argv[1:])
rng = np.random.default_rng(0)
rank = np.tile(np.arange(1.0, n + 1), m)
lists = RankedLists.from_frame(pd.DataFrame({
    "query": "q", "voter": np.repeat(np.arange(m), n), "rank": rank, "score": n + 1 - rank,
    "item": np.concatenate([rng.permutation(n) for _ in range(m)]),
}))
methods = [
    *default_methods(), ("DIBRA(Schulze)", DIBRA(Schulze())),
    ("AggregatorUnion", AggregatorUnion([("borda", BordaCount()), ("schulze", Schulze())])),
]
limit = psutil.Process().memory_info().vms + megabytes * 10**6
resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
for name, method in methods:
    try:
        method.fit_transform(lists)
    except MemoryLimitError as error:
        assert f"query 'q' of {n} items" in str(error), error
        outcome = "refused"
    else:
        outcome = "answer"
    needed = None if name in ("DIBRA(Schulze)", "AggregatorUnion") else method._memory(lists)
    print(name, outcome, 0 if needed is None else needed.max(), sep="\\t")
"""


@pytest.mark.exhaustive
@pytest.mark.skipif(sys.platform != "linux", reason="other systems do not enforce a limit of the address space")
def test_methods_succeed_or_raise_in_a_limited_address_space():
    run = subprocess.run(
        [sys.executable, "-c", SCRIPT, "3000", "20", "160"], capture_output=True, text=True, timeout=300
    )
    assert run.returncode == 0, run.stderr[-2000:]
    rows = [line.split("\t") for line in run.stdout.splitlines()]
    outcome = {name: result for name, result, _ in rows}
    too_large = {name for name, _, needed in rows if float(needed) > 160e6} | {"DIBRA(Schulze)", "AggregatorUnion"}
    assert {name for name in outcome if outcome[name] == "refused"} == too_large and len(too_large) > 20
    assert {*dict(default_methods())} < {*outcome}


# ---------------------------------------------------------------------- limits


def test_config_context_nests_memory_limits(monkeypatch):
    monkeypatch.setenv("SKRANKAGG_MEMORY", "3GiB")
    assert available_memory() == 3 * 2**30
    with config_context(memory_limit=10):
        with config_context(memory_limit="2.5 kB"):
            assert available_memory() == 2500
        with config_context():
            assert available_memory() == 10
        with pytest.raises(ZeroDivisionError), config_context(memory_limit=10):
            raise ZeroDivisionError
        assert available_memory() == 10
    monkeypatch.delenv("SKRANKAGG_MEMORY")
    assert 0 < available_memory() < 2**60


def test_config_context_can_be_closed_in_any_order():
    first, second = config_context(memory_limit=10), config_context(memory_limit=10)
    first.__enter__()
    second.__enter__()
    first.__exit__(None, None, None)
    assert available_memory() == 10
    second.__exit__(None, None, None)
    assert not _memory._limits


@pytest.mark.parametrize("limit", [0, -1, True, 2.5, "many", "5 XB", "1e9", "-2GB", "0"])
def test_config_context_rejects_invalid_memory_limits(limit, monkeypatch):
    with pytest.raises(InputError, match="`memory_limit` must be a number of bytes above 0 or a size such as '2GB'"):
        config_context(memory_limit=limit).__enter__()
    assert not _memory._limits
    if isinstance(limit, str):
        monkeypatch.setenv("SKRANKAGG_MEMORY", limit)
        with pytest.raises(InputError, match=rf"`SKRANKAGG_MEMORY` must be .*; got '{limit}'\."):
            available_memory()


def test_format_bytes_chooses_a_suitable_unit():
    sizes = [0, 999, 1000, 99_949, 99_960, 999_499, 999_600, 3.2e9, 5e20]
    shown = ["0 B", "999 B", "1.0 kB", "99.9 kB", "100 kB", "999 kB", "1.0 MB", "3.2 GB", "500000 PB"]
    assert [format_bytes(size) for size in sizes] == shown


def _group(folder, names, limit, used, cached=None):
    folder.mkdir(parents=True, exist_ok=True)
    (folder / names[0]).write_text(f"{limit}\n")
    (folder / names[1]).write_text(f"{used}\n")
    if cached is not None:
        (folder / "memory.stat").write_text(f"anon 5\n{names[2]} {cached}\n")


V1 = "memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"
V2 = "memory.max", "memory.current", "inactive_file"


@pytest.mark.skipif(_memory.resource is None or sys.platform == "darwin", reason="the system has no such limit")
def test_left_of_addresses_subtracts_the_addresses_in_use(monkeypatch):
    limit = 2**44
    monkeypatch.setattr(_memory.resource, "getrlimit", lambda _: (limit, limit))
    used = psutil.Process().memory_info().vms
    assert limit - _memory._left_of_addresses() == pytest.approx(used, abs=2**28)
    monkeypatch.setattr(_memory.resource, "getrlimit", lambda _: (1024, 1024))
    assert _memory._left_of_addresses() == 0
    monkeypatch.setattr(_memory.resource, "getrlimit", lambda _: (_memory.resource.RLIM_INFINITY,) * 2)
    assert _memory._left_of_addresses() == np.inf


def test_left_by_groups_returns_the_tightest_limit(tmp_path):
    groups, root = tmp_path / "cgroup", tmp_path / "fs"
    assert left_by_groups(groups, root) == np.inf  # a system without groups
    groups.write_text("0::/user.slice/job/step\n")
    assert left_by_groups(groups, root) == np.inf
    _group(root / "user.slice" / "job" / "step", V2, "max", 50)
    assert left_by_groups(groups, root) == np.inf
    _group(root / "user.slice" / "job", V2, 1000, 300)
    assert left_by_groups(groups, root) == 700
    _group(root / "user.slice", V2, 2000, 1900, cached=40)
    assert left_by_groups(groups, root) == 140
    _group(root / "user.slice" / "other", V2, 1, 1)  # not the process's own
    assert left_by_groups(groups, root) == 140


def test_left_by_groups_reads_version_1_and_container_groups(tmp_path):
    groups, root = tmp_path / "cgroup", tmp_path / "fs"
    groups.write_text("9:name=systemd:/\n4:cpu,memory:/docker/abc\n2:cpu:/docker/abc\n0::/\n")
    _group(root / "memory", V1, 9223372036854771712, 300)
    assert left_by_groups(groups, root) > 2**60
    _group(root / "memory", V1, 900, 300, cached=100)  # the container's own group, where the mount begins
    assert left_by_groups(groups, root) == 700
    _group(root / "memory" / "docker" / "abc", V1, 900, 1000)
    assert left_by_groups(groups, root) == 0
    groups.write_text("0::/../job\n")
    _group(root / "unified" / "job", V2, 900, 300)
    assert left_by_groups(groups, root) == 600
