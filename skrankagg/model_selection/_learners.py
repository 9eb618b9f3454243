"""Methods that learn from judgements in a Comparator: which they are, and which it refuses."""

from ..exceptions import InputError
from ..metrics._judging._find_judgements import find_judgements, tags_of


def find_learners(members, learns):
    """Find the methods that learn from judgements: the reason of each, by name; `learns` names further ones."""
    reasons = {}
    for name, estimator in members:
        reason = f"learns={list(learns)!r} says so" if name in learns else find_judgements(estimator)
        if reason is not None:
            reasons[name] = reason
    return reasons


def refuse_learners(reasons):
    """Refuse methods that a Comparator would measure on what they have learnt from; the message names all of them."""
    if reasons:
        first = next(iter(reasons))
        found = ", ".join(f"{name!r} ({reason})" for name, reason in reasons.items())
        raise InputError(
            "Without cv the Comparator measures methods on the queries that they are fitted on, so it takes only "
            f"methods that do not learn from judgements; got {found}. Give cv=5, which measures these on queries that "
            "they were not fitted on; or fit or tune such a method on training queries and compare its result on "
            f"held-out queries, evaluate({{{first!r}: run, ...}}, qrels); or measure it with cross_val_score over "
            "RankedLists."
        )


def refuse_learnt(members, learns):
    """Refuse methods that `learns` names and whose fit learns nothing: their parameters came from the judgements."""
    learnt = [name for name, one in members if name in learns and find_judgements(one) is None and not _is_fitted(one)]
    if learnt:
        raise InputError(
            f"learns names {learnt[0]!r}, whose fit learns nothing, so that its parameters hold what was learnt from "
            "judgements, and cv cannot hold queries out of these. Measure it on other queries than those that it was "
            "learnt from; or compare a method whose fit learns it, such as make_pipeline(VoterWeighter('map'), ...)."
        )


def _is_fitted(estimator):
    """Whether the fit of an estimator may change its results."""
    return getattr(tags_of(estimator), "requires_fit", True)
