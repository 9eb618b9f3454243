"""Requirements for every aggregator: golden results, guarantees and determinism."""

import os
import subprocess
import sys

import numpy as np
import pytest
from numpy.testing import assert_allclose
from processes import environment
from sklearn.base import clone
from sklearn.linear_model import Ridge

from golden import GOLDEN, LEARNT, one_of_each
from skrankagg import (
    DIBRA,
    InverseSquareRank,
    PlackettLuce,
    PositionalScoring,
    RankStatistic,
    RobustRankAggregation,
    StackedFusion,
)
from skrankagg.base import SupervisedAggregator
from skrankagg.utils._checks._aggregators import AGGREGATOR_CHECKS
from skrankagg.utils._checks._common import check_mixed_queries, check_query_subset
from skrankagg.utils.discovery import all_aggregators, default_methods
from skrankagg.utils.estimator_checks import example_lists, parametrize_with_checks

AGGREGATORS = [aggregator for aggregator, *_ in GOLDEN]
FIRST, OTHERS = one_of_each(AGGREGATORS)
LEARNERS = [
    StackedFusion(Ridge()) if method is StackedFusion else method()  # its classifier needs two classes of items
    for method in all_aggregators().values()
    if issubclass(method, SupervisedAggregator)
]


def test_golden_results_include_every_aggregator():
    assert {type(aggregator) for aggregator, *_ in [*GOLDEN, *LEARNT]} == set(all_aggregators().values())


def test_golden_results_include_every_default_method():
    assert {repr(estimator) for _, estimator in default_methods()} <= {repr(aggregator) for aggregator in AGGREGATORS}


@pytest.mark.twice
@pytest.mark.parametrize(("aggregator", "items", "scores"), [*GOLDEN, *LEARNT], ids=lambda value: repr(value)[:60])
def test_aggregators_reproduce_the_golden_results(aggregator, items, scores, X):
    consensus = clone(aggregator).fit_transform(X)
    assert consensus["item"].tolist() == items.split()
    # A model is fitted until a step would be within its tolerance.
    rtol = 1e-10 if isinstance(aggregator, PlackettLuce) else 1e-12
    assert_allclose(consensus["score"], scores, rtol=rtol, atol=1e-15)


@parametrize_with_checks(FIRST)
def test_aggregators_pass_all_public_checks(aggregator, check):
    check(aggregator)


# The checks generate judgements for their own lists; with one voter nothing can be learned from them.
@pytest.mark.filterwarnings("ignore:LearnedWeights gives all voters weight 1")
@parametrize_with_checks(LEARNERS)
def test_supervised_aggregators_pass_all_public_checks(aggregator, check):
    check(aggregator)


@pytest.mark.exhaustive
@pytest.mark.parametrize("aggregator", OTHERS, ids=repr)
@pytest.mark.parametrize(
    "check", [*AGGREGATOR_CHECKS, check_query_subset, check_mixed_queries], ids=lambda check: check.__name__
)
def test_other_variants_pass_the_checks_of_their_formula(aggregator, check):
    check(clone(aggregator))


# Their other formulas and the extra columns of their results.
@pytest.mark.exhaustive
@pytest.mark.parametrize(
    "aggregator",
    [aggregator for aggregator, *_ in LEARNT]
    + [
        *(
            PlackettLuce(absent=absent, ties=ties, std_errors=kind, weighting=weighting)
            for absent, ties, kind, weighting in (
                ("last", "breslow", "model", None),
                ("last", "davidson", "voters", None),
                ("ignore", "davidson", "model", None),
                ("ignore", "efron", "voters", "query"),
            )
        ),
        PlackettLuce(prior=0),
        PlackettLuce(weighting="global"),
        DIBRA(prune="low"),
        DIBRA(prune="wire", weighting="global"),
        InverseSquareRank(support="log", sigma=1.0),
        RobustRankAggregation(absent="ignore", exact=True),
        RankStatistic(statistic="geometric-mean", absent="ignore", exact=True),
        PositionalScoring(points=[5, 3, 1], absent="ignore"),
    ],
    ids=repr,
)
def test_check_mixed_queries_passes_with_other_parameters(aggregator):
    check_mixed_queries(clone(aggregator))


def ties(consensus):
    """Return for each row whether it has the same score as the row before it in the same query."""
    return (consensus.groupby("query")["score"].diff() == 0).tolist()


@pytest.mark.sampled(3)
@pytest.mark.filterwarnings("ignore::skrankagg.exceptions.UnequalLengthWarning")
@pytest.mark.parametrize("method", [method for _, method in default_methods()], ids=repr)
def test_renaming_voters_changes_neither_order_nor_ties(method):
    for seed in range(4):
        lists = example_lists(seed, n_voters=3 + seed, full=bool(seed % 2), with_ties=seed < 2)
        voters = lists["voter"].unique()
        names = dict(zip(voters, np.random.default_rng(seed).permutation(voters), strict=True))
        found = clone(method).fit_transform(lists.assign(voter=lists["voter"].map(names)))
        expected = clone(method).fit_transform(lists)
        assert found["item"].tolist() == expected["item"].tolist() and ties(found) == ties(expected)
        assert_allclose(found["score"], expected["score"], rtol=1e-9, atol=1e-12)


# An item that only the silent list contains is compared with no other where absent="ignore".
@pytest.mark.sampled(4)
@pytest.mark.filterwarnings("ignore::skrankagg.exceptions.NotComparedWarning")
@pytest.mark.parametrize("method", [method for _, method in default_methods()], ids=repr)
def test_a_list_of_weight_0_has_no_effect_and_its_items_stay_ranked(method):
    if not method.__sklearn_tags__().aggregator_tags.voter_weights:
        return
    n_compared = 0
    for seed in range(6):
        lists = example_lists(seed, n_queries=1)
        silent = lists["voter"] == lists["voter"].iloc[0]
        found = clone(method).fit_transform(lists.assign(weight=np.where(silent, 0.0, 1.0)))
        assert set(found["item"]) == set(lists["item"])
        # A list that is cut takes part with its remaining items, whatever its weight.
        if set(lists["item"]) == set(lists.loc[~silent, "item"]) and getattr(method, "prune", None) is None:
            expected = clone(method).fit_transform(lists[~silent])
            assert found["item"].tolist() == expected["item"].tolist()
            assert_allclose(found["score"], expected["score"], rtol=1e-9, atol=1e-12)
            n_compared += 1
    assert n_compared > 2 or getattr(method, "prune", None)


# Results of every aggregator, of scikit-learn's search, and of fuse, which collects ids in sets.
_ANSWERS = """
from sklearn.model_selection import GridSearchCV
from golden import GOLDEN
from skrankagg import CombSUM, RankedLists, fuse
from skrankagg.datasets import make_ranked_lists
from skrankagg.metrics import make_ranking_scorer
from skrankagg.utils.estimator_checks import example_lists

def answers(seed):
    frame, qrels, _ = make_ranked_lists(
        n_queries=11, n_voters=6, n_items=25, list_length=20, absent_share=0.1, quality=0.3, random_state=seed)
    scorer = make_ranking_scorer("ndcg@10", qrels=qrels[qrels["query"] != "q04"])
    search = GridSearchCV(CombSUM(), {"norm": ["borda", "rank", "min-max"]}, scoring=scorer, cv=4)
    return [
        *(aggregator.fit_transform(example_lists(seed)).to_csv() for aggregator, *_ in GOLDEN),
        search.fit(RankedLists.from_frame(frame)).cv_results_["mean_test_score"].tolist(),
        fuse([[f"d{k * 7 % 50}" for k in range(50)], ["d3", "x", "y", "z"], ["z", f"d{seed}"]]),
    ]
"""


@pytest.mark.exhaustive
def test_results_are_independent_of_hash_seed_and_process():
    names = {}
    exec(_ANSWERS, names)
    path = f"import sys; sys.path.insert(0, {os.path.dirname(os.path.dirname(__file__))!r})"
    other = "0" if os.environ.get("PYTHONHASHSEED") == "1" else "1"  # than that of this process
    process = subprocess.Popen(
        [sys.executable, "-c", f"{path}{_ANSWERS}print('begin', flush=True); print(answers(1))"],
        stdout=subprocess.PIPE,
        text=True,
        env=environment(PYTHONHASHSEED=other),
    )
    # Two at once, each with its own data; a library that uses files of fixed names would mix them up.
    assert process.stdout.readline() == "begin\n"
    at_once = names["answers"](0)
    out, _ = process.communicate()
    assert process.returncode == 0
    assert out.strip() == str(names["answers"](1))
    assert at_once == names["answers"](0)
