"""Estimated costs: constants of every method, sums of terms, warnings, and the sizes of pipelines."""

import json
import warnings
from pathlib import Path

import numpy as np
import pytest
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline

from skrankagg import (
    DIBRA,
    BordaCount,
    CombSUM,
    Comparator,
    Copeland,
    Kemeny,
    MarkovChain,
    Qrels,
    RankedLists,
    Schulze,
    config_context,
)
from skrankagg._support._progress import format_seconds
from skrankagg.base import BaseAggregator, _cost
from skrankagg.base._cost import SHARED_TERMS, TERMS, Sizes, estimate, machine_factor
from skrankagg.datasets import make_ranked_lists
from skrankagg.exceptions import CostWarning, InputError, InputTypeError
from skrankagg.inspection import estimated_cost
from skrankagg.metrics import ConsensusScorer
from skrankagg.preprocessing import TopK
from skrankagg.utils.discovery import all_aggregators

ROOT = Path(__file__).parents[2]
SCRIPT = "python benchmarks/measure_costs.py"

TABLE = json.loads((Path(_cost.__file__).parent / "costs.json").read_text(encoding="utf-8"))

FRAME, QRELS, _ = make_ranked_lists(n_queries=4, n_voters=5, n_items=30, list_length=(5, 20), random_state=0)
LISTS = RankedLists.from_frame(FRAME)


class Own(BaseAggregator):
    """Rank items by the number of lists; its cost is unknown."""

    def _aggregate(self, lists):
        return lists.candidate_weight


class OwnCopeland(Copeland):
    """A subclass costs as much as its parent."""


@pytest.fixture
def slow_machine(monkeypatch):
    """Pretend that the machine is a billion times slower, and that no lists are too small for an estimate."""
    monkeypatch.setattr(_cost, "machine_factor", lambda: 1e9)
    monkeypatch.setattr(_cost, "_WORTH", 0.0)
    monkeypatch.setattr(BaseAggregator, "_quick_rows", 0)


@pytest.fixture
def table(monkeypatch):
    """Replace the constants by simple ones, on a machine as fast as the machine of the measurements."""
    methods = {
        "Copeland": [
            {"params": {}, "seconds": {"call": 1.0, "queries": 2.0, "N": 0.5, "sum L^2": 0.25}, "row_bytes": 10},
            {"params": {"absent": "ignore"}, "seconds": {"call": 7.0}, "row_bytes": 20},
        ],
        "BordaCount": [{"params": {}, "seconds": {"N": 3.0}, "row_bytes": 10}],
        "CombSUM": [{"params": {}, "seconds": {"call": 5.0, "m n": 2.0}, "row_bytes": 10}],
        "DIBRA": [{"params": {}, "seconds": {"queries": 1.0, "aggregator": 4.0}, "row_bytes": 10}],
        "Kemeny": [{"params": {}, "seconds": {"n^3": 1.0}, "row_bytes": 10}],
        "Schulze": [{"params": {}, "seconds": {"n^2": 1.0}, "row_bytes": 10}],
        "BayesFuse": [{"params": {}, "seconds": {"N": 1.0}, "learning": {"N": 10.0}, "row_bytes": 10}],
    }
    monkeypatch.setattr(_cost, "_table", lambda: {"probe": 1.0, "seconds": methods})
    monkeypatch.setattr(_cost, "machine_factor", lambda: 1.0)


# ---------------------------------------------------------------------- the table of constants


@pytest.mark.parametrize("name", all_aggregators())
def test_every_variant_of_every_method_has_constants(name):
    kind = all_aggregators()[name]
    measured = [one["params"] for one in TABLE["compiled"].get(name, ())]
    for params in _variants(kind):
        assert params in measured, f"{name} has no constants for {params}; run `{SCRIPT} {name}`"
    for one in [*TABLE["compiled"][name], *TABLE["plain"].get(name, ())]:
        terms = {"call", *SHARED_TERMS, *kind._cost_terms}
        found = {*one["seconds"], *one.get("learning", ())}
        assert found <= terms, f"the terms of {name} have changed; run `{SCRIPT} {name}`"
        assert one["row_bytes"] > 0
        assert min(one["seconds"].values()) > 0


def test_no_constants_of_methods_that_no_longer_exist():
    for mode in ("compiled", "plain"):
        unknown = set(TABLE[mode]) - set(all_aggregators())
        assert not unknown, f"remove {unknown} from skrankagg/base/costs.json"


def test_terms_of_every_method_are_known():
    for name, kind in all_aggregators().items():
        assert {*kind._cost_terms} <= {*TERMS, "aggregator"}, name


# ---------------------------------------------------------------------- sizes and sums of terms


def test_terms_are_sums_over_the_queries():
    sizes = Sizes.of_lists(LISTS)
    by_hand = dict.fromkeys(TERMS, 0.0)
    for _, rows in FRAME.groupby("query"):
        lengths = rows.groupby("voter").size().tolist()
        m, n, total = len(lengths), rows["item"].nunique(), len(rows)
        values = {
            "queries": 1,
            "m": m,
            "N": total,
            "N log N": total * np.log2(total + 1),
            "m n": m * n,
            "N n": total * n,
            "N sqrt m": total * m**0.5,
            "sum L^2": sum(one * one for one in lengths),
            "n^2": n * n,
            "n^2 log n": n * n * np.log2(n + 1),
            "m n^2": m * n * n,
            "n^3": n**3,
            "m^2": m * m,
            "m^2 n": m * m * n,
            "m^3": m**3,
        }
        by_hand = {term: by_hand[term] + values[term] for term in TERMS}
    assert {term: TERMS[term](sizes).sum() for term in TERMS} == pytest.approx(by_hand)


@pytest.mark.parametrize("name", all_aggregators())
def test_numbers_and_lists_of_the_same_size_have_the_same_cost(name):
    method = all_aggregators()[name]()
    lists = RankedLists.from_frame(
        make_ranked_lists(n_queries=3, n_voters=7, n_items=40, list_length=40, random_state=0)[0]
    )
    by_lists, by_numbers = estimated_cost(method, lists), estimated_cost(method, (3, 7, 40))
    assert by_numbers.seconds == pytest.approx(by_lists.seconds)
    assert by_numbers.bytes == pytest.approx(by_lists.bytes, abs=1)


def test_lists_may_be_shorter_than_the_number_of_items(table):
    assert estimated_cost(BordaCount(), (2, 5, 100, 10)).seconds == 3.0 * 2 * 5 * 10
    # Five lists of ten items contain at most fifty items.
    assert estimated_cost(Schulze(), (1, 5, 100, 10)).seconds == 50**2
    assert estimated_cost(Schulze(), (1, 5, 100, 1000)).seconds == 100**2


def test_seconds_are_the_sum_of_the_terms(table):
    queries = [(len(rows), (rows.groupby("voter").size() ** 2).sum()) for _, rows in FRAME.groupby("query")]
    expected = 1.0 + sum(2.0 + 0.5 * rows + 0.25 * inside for rows, inside in queries)
    for lists in (LISTS, FRAME):
        assert estimated_cost(Copeland(), lists).seconds == pytest.approx(expected)
    assert estimated_cost(OwnCopeland(), LISTS).seconds == pytest.approx(expected)
    assert estimated_cost(Copeland(absent="ignore"), LISTS).seconds == 7.0
    assert estimated_cost(Copeland(), (3, 2, 10)).seconds == 1.0 + 3 * (2.0 + 0.5 * 20 + 0.25 * 200)


def test_seconds_are_scaled_to_the_machine(table, monkeypatch):
    before = estimated_cost(Copeland(), LISTS).seconds
    monkeypatch.setattr(_cost, "machine_factor", lambda: 2.5)
    assert estimated_cost(Copeland(), LISTS).seconds == pytest.approx(2.5 * before)


def test_the_machine_is_measured_once(monkeypatch):
    machine_factor.cache_clear()
    calls = []
    monkeypatch.setattr(_cost, "probe", lambda: calls.append(1) or 2.0 * _cost._table()["probe"])
    assert [machine_factor(), machine_factor()] == [2.0, 2.0]
    assert calls == [1]
    machine_factor.cache_clear()


def test_an_aggregator_inside_a_method_counts(table):
    # 1 for each query, and 4 times the inner method without its call.
    assert estimated_cost(DIBRA(), (10, 3, 5)).seconds == 10 * (1.0 + 4 * 2.0 * 15)
    assert estimated_cost(DIBRA(BordaCount()), (10, 3, 5)).seconds == 10 * (1.0 + 4 * 3.0 * 15)


def test_an_aggregator_of_unknown_cost_inside_a_method_is_an_error(table):
    with pytest.raises(InputTypeError, match="got DIBRA, whose cost is unknown"):
        estimated_cost(DIBRA(Own()), (10, 3, 5))


def test_learning_counts(table):
    assert estimated_cost(all_aggregators()["BayesFuse"](), (2, 3, 5)).seconds == 2 * 15 * 11


def test_time_limit_and_processes_of_kemeny_limit_its_cost(table):
    assert estimated_cost(Kemeny(), (5, 2, 10)).seconds == 5 * 1000
    assert estimated_cost(Kemeny(time_limit=20), (5, 2, 10)).seconds == 5 * 20
    assert estimated_cost(Kemeny(time_limit=2000), (5, 2, 10)).seconds == 5 * 1000
    assert estimated_cost(Kemeny(n_jobs=2), (4, 2, 10)).seconds == 2 * 1000
    assert estimated_cost(Kemeny(n_jobs=2), (1, 2, 10)).seconds == 1000


def test_topk_makes_the_next_steps_cheaper(table):
    assert estimated_cost(make_pipeline(TopK(5), BordaCount()), LISTS) == estimated_cost(
        BordaCount(), TopK(5).fit_transform(LISTS)
    )
    assert estimated_cost(make_pipeline(TopK(3), Schulze()), (2, 4, 50)).seconds == 2 * 12**2
    assert estimated_cost(make_pipeline(BordaCount(), Copeland()), (2, 4, 50)).seconds == (
        3.0 * 2 * 4 * 50 + 1.0 + 2 * (2.0 + 0.5 * 50 + 0.25 * 2500)
    )


def test_the_bytes_of_matrices_agree_with_the_memory_limit():
    sizes = (1, 3, 500)
    needed = estimated_cost(Schulze(), sizes).bytes
    assert needed >= Schulze._pair_bytes * 500**2
    more = estimated_cost(Schulze(), (7, 3, 500)).bytes
    assert needed < more < 7 * needed  # the matrices of one query exist at a time


def test_an_unknown_cost_is_an_error():
    for method in (Own(), GridSearchCV(CombSUM(), {"norm": ["rank"]}, scoring=ConsensusScorer()), TopK(3)):
        with pytest.raises(
            InputTypeError, match=r"`aggregator` must be an aggregator of skrankagg, .* got \w+, whose cost is unknown"
        ):
            estimated_cost(method, LISTS)


@pytest.mark.parametrize("sizes", [(1, 2), (1, 0, 3), (1, 2.5, 3), (1, 2, 3, 4, 5), (1, True, 3)])
def test_wrong_numbers_are_an_error(sizes):
    with pytest.raises(InputError, match=r"`sizes` must be ranked lists, or 3 or 4 integers of at least 1"):
        estimated_cost(BordaCount(), sizes)


def test_the_text_is_readable(table):
    assert repr(estimated_cost(BordaCount(), (10, 2, 100))) == "EstimatedCost(about 1.7 hours and 20.0 kB)"
    seconds, n_bytes = estimated_cost(BordaCount(), (10, 2, 100))
    assert isinstance(seconds, float)
    assert isinstance(n_bytes, int)


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0.00123, "0.0012 seconds"),
        (3.21, "3.2 seconds"),
        (59.6, "60 seconds"),
        (89.9, "90 seconds"),
        (90, "1.5 minutes"),
        (594.2, "10 minutes"),
        (5400, "1.5 hours"),
        (86_400 * 10_000, "10,000 days"),
    ],
)
def test_durations_have_fitting_units(seconds, text):
    assert format_seconds(seconds) == text


# ---------------------------------------------------------------------- warnings


@pytest.mark.parametrize("call", ["fit", "transform", "fit_transform", "aggregate"])
def test_a_long_call_warns_before_it_starts(call, slow_machine):
    with warnings.catch_warnings():
        warnings.simplefilter("error", CostWarning)
        with pytest.raises(
            CostWarning, match=r"^MarkovChain\(absent='last'\) will take about .* for 4 queries of up to"
        ):
            getattr(MarkovChain(absent="last"), call)(LISTS)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CostWarning)
        getattr(MarkovChain(absent="last"), call)(LISTS)


def test_the_message_names_a_remedy(slow_machine):
    messages = {}
    for method in (Schulze(), Kemeny(), BordaCount()):
        with pytest.warns(CostWarning) as caught:
            method.fit_transform(LISTS)
        messages[type(method).__name__] = str(caught[0].message)
    assert "5 lists" in messages["Schulze"]
    assert "BordaCount, ReciprocalRankFusion or RankBiasedCentroid, or cut the lists with TopK" in messages["Schulze"]
    assert "; set time_limit, or choose a method" in messages["Kemeny"]
    assert "transform_partitions" in messages["BordaCount"]
    assert "BordaCount or" not in messages["BordaCount"]  # a linear method is not advised to become linear


def test_learning_warns(slow_machine):
    learner = all_aggregators()["BayesFuse"]()
    qrels = Qrels.from_frame(QRELS).align(LISTS)
    with pytest.warns(CostWarning) as caught:
        learner.fit(LISTS, qrels)
    assert len(caught) == 2  # one for the aggregation, which also checks the lists, and one for learning


def test_methods_of_unknown_cost_do_not_warn(slow_machine):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        Own().fit_transform(LISTS)


def test_a_call_that_memory_forbids_does_not_warn(slow_machine):
    with warnings.catch_warnings(), config_context(memory_limit="1kB"):
        warnings.simplefilter("error")
        with pytest.raises(InputError, match="needs about"):
            Schulze().fit_transform(LISTS)


def test_small_calls_are_not_examined(monkeypatch):
    monkeypatch.setattr(_cost.Sizes, "of_lists", lambda lists: pytest.fail("the sizes were examined"))
    monkeypatch.setattr(_cost, "probe", lambda: pytest.fail("the machine was measured"))
    for kind in (Copeland, Schulze, MarkovChain, CombSUM):
        kind(**({"absent": "last"} if kind is MarkovChain else {})).fit_transform(LISTS)


def test_fast_calls_do_not_measure_the_machine(monkeypatch):
    machine_factor.cache_clear()
    monkeypatch.setattr(_cost, "probe", lambda: pytest.fail("the machine was measured"))
    lists = make_ranked_lists(n_queries=100, n_voters=10, n_items=50, list_length=50, random_state=0)[0]
    CombSUM().fit_transform(lists)
    machine_factor.cache_clear()


def test_the_bound_for_small_calls_holds():
    """Lists below the bound never take a minute, even in the shape that is worst for the method."""
    for name, kind in all_aggregators().items():
        for one in _variants(kind):
            method, rows = kind(**one), kind._quick_rows
            shapes = [
                (rows // 5, 1, 5),
                (1, 1, rows),
                (1, 2, rows // 2),
                (1, 10, rows // 10),
                (1, rows // 2, 2),
                (1, rows, 1),
            ]
            for shape in shapes:
                factor = estimate(method, Sizes.of_numbers(*shape)).seconds / machine_factor()
                assert factor < 60, f"{name}({one}) takes {factor:.0f} s for {shape}; lower its _quick_rows"


def _variants(kind):
    return ({}, *getattr(kind, "_variants", ()), *kind._cost_variants)


# ---------------------------------------------------------------------- the Comparator

METHODS = [("borda", BordaCount()), ("copeland", Copeland()), ("own", Own()), ("schulze", Schulze())]


def compare(**params):
    """Fit a Comparator on the small lists."""
    return Comparator(METHODS, metrics=["map", "p@5"], qrels=Qrels.from_frame(QRELS), **params).fit(LISTS)


def test_comparator_skips_slow_methods(table):
    limit = estimated_cost(Copeland(), LISTS).seconds + 1
    assert estimated_cost(Schulze(), LISTS).seconds > limit > estimated_cost(BordaCount(), LISTS).seconds / 10
    monkey = {name: estimated_cost(one, LISTS).seconds for name, one in METHODS if name != "own"}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CostWarning)
        found, whole = compare(skip_slower_than=limit, error_score=0.0), compare()
    slow = [name for name, seconds in monkey.items() if seconds > limit]
    assert found.skipped_ == slow
    assert slow
    assert found.results_.index.tolist() == whole.results_.index.tolist()
    assert found.results_.loc[slow, ["map", "p@5", "time"]].isna().all(axis=None)
    assert found.per_query_.loc[slow].isna().all(axis=None)
    kept = [name for name, _ in METHODS if name not in slow]
    assert found.per_query_.loc[kept].equals(whole.per_query_.loc[kept])
    reason = found.results_["reason"]
    assert (reason[kept] == "").all()
    assert reason[slow].str.fullmatch(rf"skipped, because about .* are expected and skip_slower_than={limit:g}").all()
    assert set(found.failures_) == set(slow)
    assert set(found.runs_) == set(kept)
    assert found.best_name_ in kept
    assert "reason" not in whole.results_


def test_reason_is_left_out_of_tables(table):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CostWarning)
        found = compare(skip_slower_than=1e6)
    assert found.select_results().columns.tolist() == ["map", "p@5"]
    assert "reason" not in found.latex_table(time="time")
    assert len(found.compare()) == len(METHODS)


def test_comparator_never_skips_methods_of_unknown_cost_and_refuses_to_skip_all(table):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CostWarning)
        assert "own" not in compare(skip_slower_than=1e-9).skipped_
        only = Comparator(METHODS[:2], qrels=Qrels.from_frame(QRELS), skip_slower_than=1e-9)
        with pytest.raises(InputError, match=r"all are skipped: 'borda' skipped, because .* Raise skip_slower_than"):
            only.fit(LISTS)


def test_comparator_warns_once_of_all_methods(slow_machine, monkeypatch):
    monkeypatch.setattr("skrankagg.inspection._planned_costs._QUICK_ROWS", 0)
    for n_jobs in (None, 2):
        with pytest.warns(CostWarning) as caught:
            compare(n_jobs=n_jobs)
        assert len(caught) == 1
        assert str(caught[0].message).startswith("The Comparator will take about ")
        assert "schulze" in str(caught[0].message)


def test_folds_count_for_methods_that_learn(table, monkeypatch):
    learner = all_aggregators()["BayesFuse"]()
    once = estimated_cost(learner, LISTS).seconds
    members = [("borda", BordaCount()), ("bayes", learner)]
    comparator = Comparator(members, qrels=Qrels.from_frame(QRELS), cv=2, skip_slower_than=1.5 * once)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CostWarning)
        assert comparator.fit(LISTS).skipped_ == ["bayes"]
        assert comparator.set_params(skip_slower_than=2.5 * once).fit(LISTS).skipped_ == []


# ---------------------------------------------------------------------- benchmarks


def test_large_benchmark_prints_each_row_and_refusals(monkeypatch, capsys):
    with monkeypatch.context() as patch:
        patch.syspath_prepend(str(ROOT / "benchmarks"))
        import methods
    # An exact p-value refuses lists of too many shapes.
    monkeypatch.setattr(methods, "all_methods", lambda: {"refuses": Refusing(), "sum": CombSUM()})
    monkeypatch.setattr(methods, "extra_memory", lambda call: (0, call()))
    methods.large([], (3, 20))
    header, first, second = capsys.readouterr().out.splitlines()
    assert header.split() == ["method", "CPU", "s", "memory", "MiB"]
    assert first.split(maxsplit=1) == ["refuses", "refused: `exact` must be False for many lists; got True"]
    name, seconds, memory = second.split()
    assert name == "sum" and float(seconds) < 60 and memory == "0"


class Refusing(BaseAggregator):
    """Refuse all lists."""

    def _aggregate(self, lists):
        raise InputError("`exact` must be False for many lists; got True. Choose False.")
