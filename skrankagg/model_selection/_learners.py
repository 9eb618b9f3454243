"""Detection of methods that learn from judgements, and errors if a Comparator cannot measure such a method fairly."""

from ..exceptions import InputError
from ..metrics._judging._find_judgements import find_judgements, tags_of


def find_learners(members, learns):
    """Find the methods that learn from judgements; return a dict from the name of each method to the reason.

    `learns` contains the names of further methods that learn from judgements.
    """
    reasons = {}
    for name, estimator in members:
        reason = f"named by learns={list(learns)!r}" if name in learns else find_judgements(estimator)
        if reason is not None:
            reasons[name] = reason
    return reasons


def refuse_learners(reasons):
    """Raise InputError if a Comparator without `cv` would measure methods on the judgements that they learned from."""
    if reasons:
        first = next(iter(reasons))
        found = ", ".join(f"{name!r} ({reason})" for name, reason in reasons.items())
        raise InputError(
            f"`cv` must be given for methods that learn from judgements; got {found}. Without cv, a method "
            "is measured on the queries that it is fitted on. Pass cv=5 to measure these methods on held-out queries. "
            "Or call cross_val_score over RankedLists. Or fit the method on training queries, and call "
            f"evaluate({{{first!r}: run, ...}}, qrels) for other queries."
        )


def refuse_learnt(members, learns):
    """Raise InputError if a method in `learns` does not learn anything in ``fit``.

    The parameters of such a method were learned from judgements before ``fit``. Cross-validation therefore cannot
    measure the method on queries from which the parameters were not learned.
    """
    learnt = [name for name, one in members if name in learns and find_judgements(one) is None and not _is_fitted(one)]
    if learnt:
        raise InputError(
            f"`learns` must name methods that learn in fit; got {learnt[0]!r}, whose fit learns nothing. The "
            "parameters of this method were learned from judgements before fit, so cv cannot hold out the judged "
            "queries. Measure the method on queries that it did not learn from, or compare a method whose fit learns, "
            "such as make_pipeline(VoterWeighter('map'), ...)."
        )


def _is_fitted(estimator):
    """Return True if calling ``fit`` may change an estimator's results."""
    return getattr(tags_of(estimator), "requires_fit", True)
