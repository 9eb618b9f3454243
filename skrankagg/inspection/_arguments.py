"""Checks of arguments, shared by functions that take an aggregator and ranked lists."""

import warnings
from collections.abc import Iterator
from contextlib import contextmanager

from .._data._ranked_lists import RankedLists, check_lists, encode_plain
from .._support._sklearn import check_is_fitted
from ..base import BaseAggregator
from ..exceptions import InputTypeError, UnequalLengthWarning, UnknownVoterWarning


def encode_with_groups(aggregator: BaseAggregator, X: object, *names: object) -> RankedLists:
    """Encode lists, and keep the columns of the frame `X` that assign each list to a group, such as a judge.

    The names of these columns are in `names` or in the parameters of the aggregator.
    """
    if isinstance(aggregator, BaseAggregator):
        names = (*names, *aggregator._named_groups)
    return check_lists(encode_plain(X), names)


def begin(aggregator: BaseAggregator, X: object, *, warn: bool = True, unit: str | None = None) -> RankedLists:
    """Check an aggregator and lists as ``transform`` does, and return the encoded lists.

    The weights of the returned lists include the aggregator's `voter_weights`.

    If `warn` is false, the caller must issue the warnings about the lists. If `X` is a frame, its column with the name
    `unit` becomes a grouping of the lists.
    """
    if not isinstance(aggregator, BaseAggregator):
        if hasattr(aggregator, "steps"):
            raise InputTypeError(
                "`aggregator` must be an aggregator; got a pipeline. Pass its last step, pipeline[-1], and the "
                "lists that reach it, pipeline[:-1].transform(X)."
            )
        hint = "Make an instance of it" if isinstance(aggregator, type) else "Pass one such as BordaCount()"
        raise InputTypeError(f"`aggregator` must be an aggregator; got {aggregator!r}. {hint}.")
    if aggregator.__sklearn_tags__().requires_fit:
        check_is_fitted(aggregator)
    lists = encode_plain(X) if unit is None else encode_with_groups(aggregator, X, unit)
    return aggregator._begin(lists) if warn else aggregator._prepare(lists)


@contextmanager
def silence_repeated_warnings() -> Iterator[None]:
    """Silence warnings in repeated aggregations, because the first aggregation has already issued them."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnequalLengthWarning)
        warnings.simplefilter("ignore", UnknownVoterWarning)
        yield
