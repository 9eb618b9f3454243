"""Likelihood of held-out lists under a model that was fitted to other lists of the same queries."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from .._data._frames import frame_of, take_ids
from .._data._ranked_lists import check_lists, encode_plain
from .._data._types import PlainLists
from .._support._sklearn import clone
from .._support._values import is_integer
from ..exceptions import InputError, InputTypeError
from ._voter_split import VoterKFold

if TYPE_CHECKING:
    from ..aggregators import PlackettLuce

__all__ = ["cross_val_likelihood"]


def cross_val_likelihood(aggregator: PlackettLuce, lists: PlainLists, cv: int | VoterKFold = 5) -> pd.DataFrame:
    r"""Compute the likelihood of held-out lists under a fitted Plackett-Luce model, without judgements.

    The lists of each query are divided into folds. The model has a parameter for each item, its worth. For each fold,
    the worths are fitted to the other lists of the query. The log-likelihood of the fold's lists is then computed under
    these worths. The model regards a list as a series of choices: the first item is chosen from all items, and each
    later item from the items that are left.

    Parameters
    ----------
    aggregator : PlackettLuce
        The model with its parameters. A clone of the model is fitted.
    lists : DataFrame or RankedLists of n_queries queries, or dict or list of lists
        Ranked lists; see RankedLists.from_runs for a dict and RankedLists.from_lists for a list.
    cv : int or VoterKFold, default=5
        Number of folds, or a VoterKFold. With an int, the lists are divided at random, but in the same way every time.

    Returns
    -------
    DataFrame of shape (n_queries, 6)
        A row for each query, in the order of the lists:

        - `query`
        - `log_likelihood`: sum of the log-likelihoods of all lists, each under worths fitted without the list's fold
        - `n_lists`: total weight of the lists
        - `n_choices`: number of choices in the lists, where each choice counts with the weight of its list
        - `per_choice`: mean log-likelihood of a choice; NaN if there are no choices
        - `uniform`: the value of `per_choice` if all items are equally good

    Raises
    ------
    TypeError
        If `aggregator` is not PlackettLuce, or `cv` is a splitter other than VoterKFold.
    ValueError
        If `cv` is below 2. If ``prior=0`` and the lists of a training set do not determine the worths.

    See Also
    --------
    VoterKFold : The splitter into folds.
    skrankagg.aggregators.PlackettLuce : The model and its likelihood.
    cross_val_consensus : Holds out queries instead of lists, for evaluation with judgements.

    Notes
    -----
    A model that has learned something has a `per_choice` above `uniform`. If :math:`p` is the value of `per_choice`,
    then :math:`e^p` is the geometric mean of the probabilities that the model gives to the actual choices. If
    `per_choice` is below `uniform`, `prior` may be too small for so few lists.

    Values for different settings of `prior` can be compared directly. A different setting of `absent` changes the
    choices and the items to choose from. To compare settings of `absent`, compare the differences between `per_choice`
    and `uniform`. If the lists have no ties, the parameter `ties` changes nothing. If the lists have ties, "davidson"
    uses the exact likelihood of the data, and "efron" and "breslow" use different approximations. In this case, values
    for different settings of `ties` cannot be compared. Under "davidson", a tie has probability 0 if no training list
    contains a tie of the same number of items. The value is then minus infinity.

    The likelihood uses the weights of the lists. The model's `voter_weights` multiply these weights only in the fit.
    Settings with different voter weights are therefore measured on the same weighted lists. Equal comparisons or
    ballots may have been merged into one list, whose weight is the number of merged lists. The merged lists are divided
    among the folds, see :class:`VoterKFold`.

    With `weighting`, the reliability of a voter is learned from the voter's training lists. If `reliability_of` is set,
    a reliability is learned for each group instead. With "global", the lists of other queries are also used. A voter or
    group without training lists is given average reliability.

    A list of :math:`L` items contains :math:`L` choices. If its last item was the only item left to choose, the list
    contains :math:`L - 1` choices. If a query has only one list, nothing is learned, and all worths are equal.

    Examples
    --------
    >>> from skrankagg import RankedLists
    >>> from skrankagg.aggregators import PlackettLuce
    >>> from skrankagg.datasets import make_comparisons
    >>> from skrankagg.model_selection import cross_val_likelihood
    >>> games = make_comparisons(n_items=10, n_comparisons=100, random_state=1)
    >>> lists = RankedLists.from_comparisons(games.comparisons)
    >>> for prior in [0.01, 0.5, 5.0, 1000.0]:
    ...     held_out = cross_val_likelihood(PlackettLuce(prior=prior, absent="ignore"),
    ...         lists)
    ...     print(prior, held_out["per_choice"].tolist(), held_out["uniform"].tolist())
    0.01 [-0.705] [-0.693]
    0.5 [-0.674] [-0.693]
    5.0 [-0.623] [-0.693]
    1000.0 [-0.691] [-0.693]

    With so few comparisons of each item, a larger prior than the default is better.
    """
    if not hasattr(aggregator, "_log_likelihood_after"):
        raise InputTypeError(
            f"`aggregator` must be a PlackettLuce, the only method with a likelihood of lists; got {aggregator!r}. "
            "Measure other methods with judgements in a Comparator."
        )
    if is_integer(cv):
        cv = VoterKFold(cv, shuffle=True, random_state=0)
    elif not isinstance(cv, VoterKFold):
        raise InputTypeError(
            f"`cv` must be an int or a VoterKFold, because some lists of each query are held out; got {cv!r}. Choose "
            "cv=VoterKFold(5, shuffle=True, random_state=0)."
        )
    lists = check_lists(encode_plain(lists), (cv.groups, *aggregator._named_groups))
    aggregator = clone(aggregator).set_params(std_errors=None)
    given = aggregator._begin(lists)
    log_likelihood, uniform = np.zeros(lists.n_queries), np.zeros(lists.n_queries)
    for k, (train, test) in enumerate(cv.split(lists), 1):
        share = np.divide(train, lists.list_weight, where=test + train > 0, out=0 * train)
        held_in = given.with_list_weight(given.list_weight * share)
        try:
            found, equal = aggregator._log_likelihood_after(held_in, lists.with_list_weight(test))
        except InputError as error:
            raise InputError(f"The model cannot be fitted without the lists of fold {k}: {error}") from None
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
    """For each query, sum the numbers of choices in its lists, multiplied by the weights of the lists.

    A choice is the selection of the item for one place among the items that are left. If only one item is left, its
    selection is not counted as a choice.
    """
    left = lists.query_n_items[lists.list_query] if absent == "last" else lists.list_length
    return lists.sum_over_lists(lists.list_weight * (lists.list_length - (lists.list_length == left)))
