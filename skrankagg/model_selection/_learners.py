"""Which methods learn from judgements, as far as their parameters and tags show."""

from .._data._qrels import Qrels
from ..exceptions import InputError
from ..metrics import ConsensusScorer, RankingScorer

__all__ = ["check_learners", "find_judgements"]


def check_learners(members, learns):
    """Refuse methods that learn from judgements, which a Comparator would measure on what they have learnt from.

    The message names all of them, each with its reason; `learns` names further ones.
    """
    reasons = {}
    for name, estimator in members:
        reason = f"learns={list(learns)!r} says so" if name in learns else find_judgements(estimator)
        if reason is not None:
            reasons[name] = reason
    if reasons:
        first = next(iter(reasons))
        found = ", ".join(f"{name!r} ({reason})" for name, reason in reasons.items())
        raise InputError(
            "The Comparator measures methods on the queries that they are fitted on, so it takes only methods that do "
            f"not learn from judgements; got {found}. Fit or tune it on training queries and compare its result on "
            f"held-out queries, evaluate({{{first!r}: run, ...}}, qrels); or give the Comparator the parameters that "
            "were tuned on other queries; or measure it with cross_val_score over RankedLists, which fits and tunes it "
            "within each fold."
        )


def find_judgements(estimator):
    """Say what in an estimator, at any depth, learns from judgements; None if nothing can be seen."""
    return next(filter(None, (_judge(*part) for part in _parts(estimator))), None)


def _judge(name, value):
    """Say why one part of an estimator, at the path `name`, learns from judgements, or return None."""
    last = name.rpartition("__")[2]
    if isinstance(value, RankingScorer):
        return f"its parameter {name!r} is a RankingScorer"
    if isinstance(value, Qrels) or (last == "qrels" and value is not None):
        return f"its parameter {name!r} holds judgements"
    if last == "scoring" and not _needs_no_judgements(value):
        return f"its parameter {name!r} is a scorer"
    if _is_estimator(value) and _is_supervised(value):
        where = f"its part {name!r}, {type(value).__name__}," if name else type(value).__name__
        return f"{where} has the tag supervised"
    return None


def _is_supervised(estimator):
    try:
        tags = estimator.__sklearn_tags__()
    except (AttributeError, TypeError, ValueError):
        # A composition asks its parts, and fails where they do not fit together; its fit says what is wrong with it.
        return False
    return getattr(getattr(tags, "aggregator_tags", None), "supervised", False)


def _needs_no_judgements(scoring):
    """Whether a search with this scoring looks at the lists alone."""
    if isinstance(scoring, dict):
        return all(map(_needs_no_judgements, scoring.values()))
    return scoring is None or isinstance(scoring, ConsensusScorer)


def _is_estimator(value):
    return hasattr(value, "get_params") and not isinstance(value, type)


def _parts(estimator, path=""):
    """The estimator and its parameters at any depth, with their paths: shallow ones first, last what containers hold.

    ``get_params`` names the steps of a pipeline. Estimators in other lists, such as the values of a grid, come under
    the name of the list.
    """
    yield path, estimator
    prefix = f"{path}__" if path else ""
    params = estimator.get_params(deep=True) if _is_estimator(estimator) else {}
    by_depth = sorted(params, key=lambda name: name.count("__"))
    for name in by_depth:
        yield prefix + name, params[name]
    for name in by_depth:
        for inner in _contents(params[name]):
            yield from _parts(inner, prefix + name)


def _contents(value):
    """What a container holds, at any depth."""
    if isinstance(value, dict | list | tuple):
        for inner in value.values() if isinstance(value, dict) else value:
            if isinstance(inner, dict | list | tuple):
                yield from _contents(inner)
            else:
                yield inner
