"""Likelihood of lists under a model that was fitted to other lists of the same queries."""

from __future__ import annotations

import numpy as np
import pandas as pd

from .._data._frames import frame_of, take_ids
from .._data._ranked_lists import check_lists, encode_plain
from .._data._types import PlainLists
from .._support._numbers import is_integer
from .._support._sklearn import clone
from ..aggregators import PlackettLuce
from ..exceptions import InputError, InputTypeError
from ._voter_split import VoterKFold

__all__ = ["cross_val_likelihood"]


def cross_val_likelihood(aggregator: PlackettLuce, lists: PlainLists, cv: int | VoterKFold = 5) -> pd.DataFrame:
    r"""Tell how likely a model finds lists that it was not fitted to, without judgements.

    The lists of each query are divided into folds. For each fold the worths are fitted to the other lists of the query,
    and the log-likelihood of those of the fold is computed under these worths.

    Parameters
    ----------
    aggregator : PlackettLuce
        The model with its parameters. A clone of it is fitted.
    lists : DataFrame or RankedLists of n_queries queries, or dict or list of lists
        Ranked lists; dicts and lists as RankedLists.from_runs and from_lists take them.
    cv : int or VoterKFold, default=5
        Number of folds, which are then divided at random, always in the same way; or a VoterKFold.

    Returns
    -------
    DataFrame of shape (n_queries, 6)
        A row for each query, in the order of the lists:

        - `query`
        - `log_likelihood`: sum over all lists, each under the worths of the fold that holds it out
        - `n_lists`, `n_choices`: lists, and choices that they are made of, counted by their weights
        - `per_choice`: mean log-likelihood of a choice; NaN without any
        - `uniform`: what `per_choice` is if all items are equally good

    Raises
    ------
    TypeError
        If `aggregator` is not PlackettLuce, or `cv` is another splitter.
    ValueError
        If `cv` is below 2; with ``prior=0``, if the lists of some training set leave worths open.

    See Also
    --------
    VoterKFold : The folds.
    skrankagg.aggregators.PlackettLuce : The model, and its likelihood.
    cross_val_consensus : Holds out queries, whose consensus can then be judged.

    Notes
    -----
    A model that has learnt something has a `per_choice` above `uniform`; :math:`e` to its power is the geometric mean
    of the chances that the model gave to the choices that were made. One that is below may have a `prior` too
    small for so few lists.

    Values of different `prior` compare directly. With another `absent` the choices are others, from other items, so
    compare how far each is above its own `uniform`. Without ties the parameter `ties` changes nothing. With ties,
    "davidson" has the likelihood of what was seen, "efron" and "breslow" approximations, each in its own way; they do
    not compare. To "davidson" a tie has no chance whose number of items no training list ties, and the value is then
    minus infinity.

    Lists count by their own weights. `voter_weights` of the model multiply them in the fit alone, so that different
    weights are measured by the same lists. Weights of comparisons and ballots are numbers of lists, which the folds
    divide, see :class:`VoterKFold`.

    With `weighting` the reliability of a voter is learnt from its other lists: those of its group in the query, with
    "global" also those of other queries. A voter that has none is an average one.

    A list of :math:`L` items is :math:`L` choices, or :math:`L - 1` if its last item was the only one left. If a query
    has only one list, nothing is learnt: all worths are equal.

    Examples
    --------
    >>> from skrankagg import RankedLists
    >>> from skrankagg.aggregators import PlackettLuce
    >>> from skrankagg.datasets import make_comparisons
    >>> from skrankagg.model_selection import cross_val_likelihood
    >>> games = make_comparisons(n_items=10, n_comparisons=100, random_state=1)
    >>> lists = RankedLists.from_comparisons(games.comparisons)
    >>> for prior in [0.01, 0.5, 5.0, 1000.0]:
    ...     held_out = cross_val_likelihood(PlackettLuce(prior=prior, absent="ignore"), lists)
    ...     print(prior, held_out["per_choice"].tolist(), held_out["uniform"].tolist())
    0.01 [-0.705] [-0.693]
    0.5 [-0.674] [-0.693]
    5.0 [-0.623] [-0.693]
    1000.0 [-0.691] [-0.693]

    So few comparisons of each item call for a larger prior than the default.
    """
    if not isinstance(aggregator, PlackettLuce):
        raise InputTypeError(
            f"cross_val_likelihood needs a model that gives lists a likelihood, which is PlackettLuce; got "
            f"{aggregator!r}. "
            "Other methods can be measured by judgements, see Comparator, or by their agreement with the lists."
        )
    if is_integer(cv):
        cv = VoterKFold(cv, shuffle=True, random_state=0)
    elif not isinstance(cv, VoterKFold):
        raise InputTypeError(
            f"cross_val_likelihood holds out lists within their queries, so cv must be an int or a VoterKFold; got "
            f"{cv!r}. Choose cv=VoterKFold(5, shuffle=True, random_state=0)."
        )
    lists = check_lists(encode_plain(lists))
    aggregator = clone(aggregator).set_params(std_errors=None)
    given = aggregator._begin(lists)
    log_likelihood, uniform = np.zeros(lists.n_queries), np.zeros(lists.n_queries)
    for k, (train, test) in enumerate(cv.split(lists), 1):
        share = np.divide(train, lists.list_weight, where=test + train > 0, out=0 * train)
        held_in = given.with_list_weight(given.list_weight * share)
        try:
            found, equal = aggregator._log_likelihood_after(held_in, lists.with_list_weight(test))
        except InputError as error:
            raise InputError(f"Without the lists of fold {k}: {error}") from None
        log_likelihood += found
        uniform += equal
    n_choices = _n_choices(lists, aggregator.absent)
    some = n_choices > 0
    return frame_of(
        {
            "query": take_ids(lists.queries, np.arange(lists.n_queries)),
            "log_likelihood": log_likelihood,
            "n_lists": lists.sum_over_lists(lists.list_weight),
            "n_choices": n_choices,
            "per_choice": np.divide(log_likelihood, n_choices, where=some, out=np.full(lists.n_queries, np.nan)),
            "uniform": np.divide(uniform, n_choices, where=some, out=np.full(lists.n_queries, np.nan)),
        }
    )


def _n_choices(lists, absent):
    """Choices in the lists of each query, counted by weight; the last of items to choose from is not one."""
    left = lists.query_n_items[lists.list_query] if absent == "last" else lists.list_length
    return lists.sum_over_lists(lists.list_weight * (lists.list_length - (lists.list_length == left)))
