"""Checks of methods that learn from judgements."""

import numpy as np
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from ..._data._qrels import Qrels
from ..._data._ranked_lists import RankedLists
from ._shared import example_grade, example_lists, example_qrels, fit, fit_transform, raises, same


def check_ways_of_judgements(estimator):
    """Check that the result does not depend on the way in which judgements are passed.

    Judgements are passed to ``fit`` as `y` and as ``qrels=``, and to the constructor as `qrels`. Judgements in `y` are
    a Qrels object, or the result of ``Qrels.align``.
    """
    lists = RankedLists.from_frame(example_lists())
    qrels = example_qrels(lists)
    expected = fit(clone(estimator), lists).transform(lists)
    same(clone(estimator).fit(lists, qrels).transform(lists), expected, "y=Qrels changes the result")
    same(clone(estimator).fit(lists, qrels.align(lists)).transform(lists), expected, "an aligned y changes the result")
    same(
        clone(estimator).fit(lists, qrels.align(lists)[::-1]).transform(lists),
        expected,
        "judgements are matched by position, not by the id of the query",
    )
    own = clone(estimator).set_params(qrels=qrels)
    same(own.fit(lists).transform(lists), expected, "judgements of the constructor change the result")
    same(own.fit_transform(lists), expected, "fit_transform does not use judgements of the constructor")
    other = example_qrels(lists, lambda query, item: 3 - example_grade(query, item))
    other = clone(estimator).set_params(qrels=other)
    same(other.fit(lists, qrels=qrels).transform(lists), expected, "judgements of the constructor override the call's")


def check_judgements_of_other_queries(estimator):
    """Check that judgements of other queries, and queries without judgements, do not change the result."""
    lists = RankedLists.from_frame(example_lists())
    train, judged = lists[[0, 1, 2]], lists[[0, 2]]
    own = example_qrels(judged)
    expected = fit(clone(estimator), judged, own).transform(lists)
    rest = example_qrels(lists[[3]]).to_frame()
    rests = {
        "true": rest,
        "false": rest.assign(relevance=3 - rest["relevance"]),
        "shuffled": rest.assign(relevance=rest["relevance"].to_numpy()[::-1]),
    }
    for kind, others in rests.items():
        qrels = Qrels.from_frame(others.merge(own.to_frame(), how="outer"))
        reason = f"{kind} judgements of queries that are not in the lists change the result"
        same(fit(clone(estimator), judged, qrels).transform(lists), expected, reason)
        by_constructor = clone(estimator).set_params(qrels=qrels).fit(judged)
        same(by_constructor.transform(lists), expected, reason)
        same(clone(estimator).fit(judged, qrels.align(judged)).transform(lists), expected, reason)
    same(fit(clone(estimator), train, own).transform(lists), expected, "queries without judgements change the result")


def check_unfitted(estimator):
    """Check that ``transform`` before ``fit`` raises NotFittedError, even if the constructor has judgements."""
    lists = example_lists()
    raises(NotFittedError, "", clone(estimator).transform, lists)
    raises(NotFittedError, "", clone(estimator).set_params(qrels=example_qrels(lists)).transform, lists)


def check_missing_judgements(estimator):
    """Check that ``fit`` raises an error if there are no judgements, or only judgements of other queries."""
    lists = example_lists()
    raises(ValueError, "judgements", clone(estimator).fit, lists)
    elsewhere = example_qrels(lists.assign(query="elsewhere " + lists["query"]))
    raises(ValueError, "share no query id", clone(estimator).fit, lists, elsewhere)
    raises(TypeError, "Qrels", clone(estimator).fit, lists, example_qrels(lists).to_frame())


JUDGED_CHECKS = [function for name, function in list(globals().items()) if name.startswith("check_")]


def check_nothing_relevant(aggregator):
    """Check that ``fit`` raises an error if no judged item of the lists is relevant."""
    lists = example_lists()
    nothing = example_qrels(lists, lambda query, item: 0)
    for call in (clone(aggregator).fit, clone(aggregator).fit_transform):
        raises(ValueError, "relevant", call, lists, nothing)


def check_consistent_names(aggregator):
    """Check that scores do not change if queries, voters and items are renamed in lists and judgements."""
    lists = example_lists()
    names = {
        column: dict(zip(old, np.random.default_rng(k).permutation(old), strict=True))
        for k, column in enumerate(("query", "voter", "item"))
        for old in [sorted(lists[column].unique())]
    }
    renamed = lists.assign(**{column: lists[column].map(new) for column, new in names.items()})
    old = {column: {name: former for former, name in new.items()} for column, new in names.items()}
    qrels = example_qrels(renamed, lambda query, item: example_grade(old["query"][query], old["item"][item]))
    found = fit_transform(clone(aggregator), renamed, qrels)
    found = found.assign(query=found["query"].map(old["query"]), item=found["item"].map(old["item"]))
    both = found.merge(fit_transform(clone(aggregator), lists), on=["query", "item"], suffixes=("", "_expected"))
    assert np.allclose(both["score"], both["score_expected"], rtol=1e-9, atol=1e-12), "scores depend on names"


def check_unknown_voters(aggregator):
    """Check the effect of the parameter `unknown_voter`, if there is one, on voters that were not in ``fit``."""
    lists = example_lists()
    train, new = lists[lists["voter"] != "v3"], lists.assign(voter=lists["voter"].replace("v3", "new"))
    expected = lists.groupby("query")["item"].nunique()
    for policy in _policies(aggregator):
        method = clone(aggregator)
        if policy is not None:
            method.set_params(unknown_voter=policy)
        fit(method, train)
        if policy == "error":
            raises(ValueError, "'new'", method.transform, new)
            continue
        consensus = method.transform(new)
        assert consensus.groupby("query")["item"].nunique().equals(expected), "items of an unknown voter are lost"
        same(method.transform(lists.assign(voter=new["voter"])), consensus, "the unknown voter changes the result")
        other = lists.assign(voter=lists["voter"].replace("v3", "another"))
        same(method.transform(other), consensus, "the name of an unknown voter changes the result", exact=False)


def _policies(aggregator):
    """List the allowed values of the parameter `unknown_voter`, or return [None] if there is no such parameter."""
    if "unknown_voter" not in aggregator.get_params():
        return [None]
    allowed = aggregator._parameter_constraints.get("unknown_voter", [])
    return sorted(value for one in allowed for value in getattr(one, "options", ()))


JUDGED_AGGREGATOR_CHECKS = [
    check for name, check in list(globals().items()) if name.startswith("check_") and check not in JUDGED_CHECKS
]
