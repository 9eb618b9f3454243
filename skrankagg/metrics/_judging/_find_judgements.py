"""Find the parts of an estimator that learn from judgements, and their judgements, by parameters and tags."""

import inspect

from ..._data._aligned_qrels import AlignedQrels
from ..._data._qrels import Qrels, check_qrels
from .._agreement._consensus_scores import ConsensusScorer
from ._scorer import RankingScorer


def lacks_judgements(estimator):
    """Whether an estimator, or some part of it, learns from judgements or measures by them, and holds none itself."""
    return any(_lacks(*part) for part in _parts(estimator))


def find_judgements(estimator):
    """Say what in an estimator, at any depth, learns from judgements; None if nothing can be seen."""
    parts = list(_parts(estimator))
    reasons = [
        *(_judge(*part) for part in parts),
        *(_judge_needs(*part) for part in parts),
    ]  # those that hold any first
    return next(filter(None, reasons), None)


def own_qrels(estimator):
    """The judgements that an estimator holds, at any depth: a list of Qrels."""
    return [
        check_qrels(value)
        for name, value in _parts(estimator)
        if isinstance(value, Qrels | AlignedQrels) or (name.rpartition("__")[2] == "qrels" and value is not None)
    ]


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
        return f"{_show(name, value)} has the tag supervised"
    return None


def _judge_needs(name, value):
    """Say which part of an estimator, at the path `name`, needs judgements under its parameters, or return None."""
    if _is_estimator(value) and _asks_for_judgements(value):
        return f"{_show(name, value)} needs judgements"
    return None


def _show(name, value):
    return f"its part {name!r}, {type(value).__name__}," if name else type(value).__name__


def _lacks(name, value):
    """Whether one part of an estimator, at the path `name`, needs judgements that come with the call."""
    if isinstance(value, RankingScorer):
        return value.qrels is None
    if name.rpartition("__")[2] == "scoring" and callable(value) and not isinstance(value, ConsensusScorer):
        return _takes_y(value)
    if _is_estimator(value) and (_asks_for_judgements(value) or _is_supervised(value)):
        return getattr(value, "qrels", None) is None
    return False


def _takes_y(scoring):
    """Whether a function can be called as scorer(estimator, X, y)."""
    try:
        inspect.signature(scoring).bind(None, None, None)
    except (TypeError, ValueError):
        return False
    return True


def _asks_for_judgements(estimator):
    """Whether an estimator that may learn from judgements, or not, does so under its parameters."""
    asks = getattr(estimator, "_needs_judgements", None)
    return asks is not None and asks()


def _is_supervised(estimator):
    return getattr(getattr(tags_of(estimator), "aggregator_tags", None), "supervised", False)


def tags_of(estimator):
    """Tags of an estimator; None for a composition whose parts do not fit together."""
    try:
        return estimator.__sklearn_tags__()
    except (AttributeError, TypeError, ValueError):
        # A composition asks its parts, and fails where they do not fit together; its fit says what is wrong with it.
        return None


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
