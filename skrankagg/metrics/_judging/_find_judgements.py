"""Functions that search an estimator's parameters and tags for parts that learn from judgements."""

import inspect

from ..._data._qrels import AlignedQrels, Qrels, check_qrels
from .._agreement._consensus_scores import ConsensusScorer
from .._exposure._exposure_measure import ExposureScorer
from ._scorer import RankingScorer

#: Scorers that use only the lists.
_WITHOUT_JUDGEMENTS = (ConsensusScorer, ExposureScorer)


def lacks_judgements(estimator):
    """Return True if some part of an estimator needs judgements to learn or to measure, but contains no judgements."""
    return any(_lacks(*part) for part in _parts(estimator))


def find_judgements(estimator):
    """Return the reason why an estimator learns from judgements, or None if it uses only the lists."""
    parts = list(_parts(estimator))
    reasons = [
        *(_judge(*part) for part in parts),
        *(_judge_needs(*part) for part in parts),
    ]  # parts that contain judgements precede parts that need them
    return next(filter(None, reasons), None)


def own_qrels(estimator):
    """Return a list of all Qrels that an estimator or its parts contain."""
    return [
        check_qrels(value)
        for name, value in _parts(estimator)
        if isinstance(value, Qrels | AlignedQrels) or (name.rpartition("__")[2] == "qrels" and value is not None)
    ]


def _judge(name, value):
    """Return the reason why a part of an estimator learns from judgements, or None if it uses only the lists.

    `name` is the path of the part, and `value` is the part; see :func:`_parts`.
    """
    last = name.rpartition("__")[2]
    if isinstance(value, RankingScorer):
        return f"its parameter {name!r} is a RankingScorer"
    if isinstance(value, Qrels) or (last == "qrels" and value is not None):
        return f"its parameter {name!r} contains judgements"
    if last == "scoring" and not _needs_no_judgements(value):
        return f"its parameter {name!r} is a scorer"
    if _is_estimator(value) and _is_supervised(value):
        return f"{_show(name, value)} has the tag supervised"
    return None


def _judge_needs(name, value):
    """Return the reason if a part of an estimator is itself an estimator that needs judgements, otherwise None.

    `name` is the path of the part, and `value` is the part; see :func:`_parts`.
    """
    if _is_estimator(value) and _asks_for_judgements(value):
        return f"{_show(name, value)} needs judgements"
    return None


def _show(name, value):
    return f"its part {name!r}, {type(value).__name__}," if name else type(value).__name__


def _lacks(name, value):
    """Return True if a part of an estimator needs judgements but does not contain any.

    `name` is the path of the part, and `value` is the part; see :func:`_parts`.
    """
    if isinstance(value, RankingScorer):
        return value.qrels is None
    if name.rpartition("__")[2] == "scoring" and callable(value) and not isinstance(value, _WITHOUT_JUDGEMENTS):
        return _takes_y(value)
    if _is_estimator(value) and (_asks_for_judgements(value) or _is_supervised(value)):
        return getattr(value, "qrels", None) is None
    return False


def _takes_y(scoring):
    """Return True if a function can be called as scorer(estimator, X, y)."""
    try:
        inspect.signature(scoring).bind(None, None, None)
    except (TypeError, ValueError):
        return False
    return True


def _asks_for_judgements(estimator):
    """Return True if an estimator learns from judgements with its current parameters."""
    asks = getattr(estimator, "_needs_judgements", None)
    return asks is not None and asks()


def _is_supervised(estimator):
    return getattr(getattr(tags_of(estimator), "aggregator_tags", None), "supervised", False)


def tags_of(estimator):
    """Return the tags of an estimator, or None if the tags cannot be read because its parts do not fit together."""
    try:
        return estimator.__sklearn_tags__()
    except (AttributeError, TypeError, ValueError):
        # The tags of a composition come from its parts. They cannot be read if the parts do not fit together; `fit`
        # then reports the mistake.
        return None


def _needs_no_judgements(scoring):
    """Return True if a parameter search, such as GridSearchCV, needs no judgements with this value of `scoring`."""
    if isinstance(scoring, dict):
        return all(map(_needs_no_judgements, scoring.values()))
    return scoring is None or isinstance(scoring, _WITHOUT_JUDGEMENTS)


def _is_estimator(value):
    return hasattr(value, "get_params") and not isinstance(value, type)


def _parts(estimator, path=""):
    """Yield the path and the value of each part of an estimator.

    The parts are the estimator, then its parameters, then the estimators and other objects inside lists, tuples and
    dicts. The path of a parameter is its name in ``get_params``, such as "aggregator__scoring".

    Parameters at all depths are included; shallow parameters precede deeper parameters. The steps of a pipeline have
    the names from ``get_params``. The path of an estimator in any other list, such as the values of a grid, is the path
    of that list.
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
    """Yield all objects in a container, including the objects in nested containers."""
    if isinstance(value, dict | list | tuple):
        for inner in value.values() if isinstance(value, dict) else value:
            if isinstance(inner, dict | list | tuple):
                yield from _contents(inner)
            else:
                yield inner
