"""Common checks of aggregators and list transformers, for this library and for your own estimators.

A check is a function of one estimator. It generates small data, clones the estimator, and raises AssertionError with a
reason if the check fails. The estimator's tags determine what a check requires; its name is never used. A method that
learns from judgements is fitted with the judgements of :func:`example_qrels`.

>>> from skrankagg import CombSUM
>>> from skrankagg.utils.estimator_checks import check_aggregator
>>> check_aggregator(CombSUM())
"""

from collections.abc import Callable, Iterable
from typing import Any

from sklearn.base import clone

from ..base import BaseAggregator, ListTransformer
from ._checks._aggregators import AGGREGATOR_CHECKS
from ._checks._common import COMMON_CHECKS
from ._checks._learning import JUDGED_AGGREGATOR_CHECKS, JUDGED_CHECKS
from ._checks._scikit_learn import EXEMPTIONS, SKLEARN_CHECKS, run_sklearn_check
from ._checks._shared import example_lists, example_qrels, is_supervised
from ._checks._transformers import TRANSFORMER_CHECKS

__all__ = [
    "EXEMPTIONS",
    "all_checks",
    "check_aggregator",
    "check_list_transformer",
    "example_lists",
    "example_qrels",
    "parametrize_with_checks",
]


def all_checks(aggregator: BaseAggregator | ListTransformer) -> list[tuple[str, Callable[[Any], None]]]:
    """List the checks that apply to an aggregator or a list transformer.

    Parameters
    ----------
    aggregator : estimator
        An aggregator or a :class:`~skrankagg.base.ListTransformer`. Any other object is checked as an aggregator.

    Returns
    -------
    list of (str, callable) tuples
        Name of the check, and the check as a function of the estimator. Scikit-learn's checks that need no data come
        first, and the library's own checks follow. Scikit-learn's other checks are not run. The table ``EXEMPTIONS``
        contains the reason for each skipped check and, if there is one, the check that replaces it.

    See Also
    --------
    check_aggregator : Runs these checks.
    parametrize_with_checks : Turns these checks into tests.

    Examples
    --------
    >>> from skrankagg import CombSUM
    >>> from skrankagg.utils.estimator_checks import all_checks
    >>> names = [name for name, _ in all_checks(CombSUM())]
    >>> "check_row_order" in names
    True
    """
    theirs = [(check, lambda one, check=check: run_sklearn_check(check, one)) for check in SKLEARN_CHECKS]
    special = TRANSFORMER_CHECKS if isinstance(aggregator, ListTransformer) else AGGREGATOR_CHECKS
    checks = [*COMMON_CHECKS, *special]
    if is_supervised(aggregator):
        checks += JUDGED_CHECKS if isinstance(aggregator, ListTransformer) else JUDGED_CHECKS + JUDGED_AGGREGATOR_CHECKS
    return theirs + [(check.__name__, check) for check in checks]


def check_aggregator(aggregator: BaseAggregator | ListTransformer) -> None:
    """Run every check on an aggregator.

    Parameters
    ----------
    aggregator : estimator
        The estimator to check; the checks use clones of it.

    Raises
    ------
    AssertionError
        If a check fails. The message contains the name of the first failed check and the reason.

    See Also
    --------
    parametrize_with_checks : Runs each check as a separate test.
    all_checks : Lists the checks by name.

    Examples
    --------
    >>> from skrankagg import Copeland
    >>> from skrankagg.utils.estimator_checks import check_aggregator
    >>> check_aggregator(Copeland())
    """
    for name, check in all_checks(aggregator):
        try:
            check(clone(aggregator))
        except Exception as error:
            raise AssertionError(f"{aggregator!r} fails {name}: {error}") from error


def check_list_transformer(transformer: ListTransformer) -> None:
    """Run every check on a list transformer.

    Parameters
    ----------
    transformer : ListTransformer
        The transformer to check; the checks use clones of it.

    Raises
    ------
    AssertionError
        If a check fails. The message contains the name of the first failed check and the reason.

    See Also
    --------
    check_aggregator : Runs every check on an aggregator.
    parametrize_with_checks : Runs each check as a separate test.

    Examples
    --------
    >>> from skrankagg.preprocessing import TopK
    >>> from skrankagg.utils.estimator_checks import check_list_transformer
    >>> check_list_transformer(TopK(3))
    """
    if not isinstance(transformer, ListTransformer):
        raise AssertionError(f"{transformer!r} is not a ListTransformer. Derive its class from ListTransformer.")
    check_aggregator(transformer)


def parametrize_with_checks(estimators: Iterable[BaseAggregator | ListTransformer]) -> Any:
    """Make a pytest decorator that runs every check on every estimator as a separate test.

    Parameters
    ----------
    estimators : list of estimators
        Aggregators and list transformers.

    Returns
    -------
    pytest.MarkDecorator
        Decorator that parametrizes the arguments `aggregator` and `check`. The body of the test is
        ``check(aggregator)``.

    See Also
    --------
    check_aggregator : Runs all checks in one call, without pytest.
    sklearn.utils.estimator_checks.parametrize_with_checks : Scikit-learn's function, for estimators that use matrices.

    Examples
    --------
    In a module of tests:

    >>> from skrankagg import CombSUM
    >>> from skrankagg.utils.estimator_checks import parametrize_with_checks
    >>> @parametrize_with_checks([CombSUM(), CombSUM(norm="rank")])
    ... def test_promises(aggregator, check):
    ...     check(aggregator)
    """
    import pytest

    return pytest.mark.parametrize(
        ("aggregator", "check"),
        [
            pytest.param(clone(estimator), check, id=f"{estimator!r}-{name}".replace(" ", ""))
            for estimator in estimators
            for name, check in all_checks(estimator)
        ],
    )
