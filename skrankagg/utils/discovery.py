"""Discovery of the library's aggregators and list transformers."""

import inspect

from .. import aggregators, preprocessing
from ..base import BaseAggregator, ListTransformer, SupervisedAggregator
from ..base._classes import classes_of, methods_of

__all__ = ["all_aggregators", "all_transformers", "default_methods", "describe"]


def all_aggregators(external: bool = False) -> dict[str, type[BaseAggregator]]:
    """List the aggregator classes.

    Parameters
    ----------
    external : bool, default=False
        Whether to include the aggregators of other installed packages. A package registers an aggregator by an entry
        point of the group ``skrankagg.aggregators``; the entry point has the name of the class.

    Returns
    -------
    dict of str to type
        The classes, keyed and sorted by name.

    Warns
    -----
    UserWarning
        If an aggregator of another package cannot be used; it is left out. The warning names the aggregator, its
        package and the reason. These reasons are possible: the import fails, or the class is not derived from
        BaseAggregator. The class and the entry point have different names, or another aggregator has the same name. A
        parameter has no default.

    See Also
    --------
    default_methods : Returns one estimator of each class and variant.
    all_transformers : Lists the transformers that can precede or follow an aggregator.

    Examples
    --------
    >>> from skrankagg.utils.discovery import all_aggregators
    >>> "CombSUM" in all_aggregators()
    True
    >>> set(all_aggregators()) <= set(all_aggregators(external=True))
    True
    """
    return methods_of(aggregators, external)


def all_transformers() -> dict[str, type[ListTransformer]]:
    """Return the classes of the list transformers.

    Returns
    -------
    dict of str to type
        The classes, keyed and sorted by name.

    See Also
    --------
    all_aggregators : Lists the aggregators.

    Examples
    --------
    >>> from skrankagg.utils.discovery import all_transformers
    >>> list(all_transformers())
    ['AggregatorUnion', 'ScoreNormalizer', 'TopK', 'VoterSelector', 'VoterWeighter']
    """
    return classes_of(preprocessing, ListTransformer)


def default_methods() -> list[tuple[str, BaseAggregator]]:
    """Return the methods that the command line compares by default: one estimator of each aggregator and variant.

    Methods that learn from judgements are not included.

    Returns
    -------
    list of (str, estimator) tuples
        Names and estimators. A name consists of the class and the parameters that differ from their defaults, as in
        "CombSUM[norm=rank]".

    See Also
    --------
    all_aggregators : Lists the classes.
    skrankagg.model_selection.Comparator : Compares such methods.

    Examples
    --------
    >>> from skrankagg.utils.discovery import default_methods
    >>> dict(default_methods())["CombSUM[norm=rank]"]
    CombSUM(norm='rank')
    """
    methods = []
    for name, aggregator in all_aggregators().items():
        if issubclass(aggregator, SupervisedAggregator):
            continue
        for params in getattr(aggregator, "_variants", ({},)):
            text = ",".join(f"{key}={value}" for key, value in params.items())
            methods.append((f"{name}[{text}]" if text else name, aggregator(**params)))
    return methods


def describe(aggregator: BaseAggregator | type[BaseAggregator]) -> str:
    """Return the first line of an aggregator's docstring.

    Parameters
    ----------
    aggregator : type
        An aggregator class, or an instance of an aggregator class.

    Returns
    -------
    str
        One sentence.

    See Also
    --------
    all_aggregators : Lists the classes.

    Examples
    --------
    >>> from skrankagg import Condorcet
    >>> from skrankagg.utils.discovery import describe
    >>> describe(Condorcet)
    'Rank items by the number of opponents that they beat by a majority of the lists.'
    """
    return (inspect.getdoc(aggregator) or "").partition("\n")[0]
