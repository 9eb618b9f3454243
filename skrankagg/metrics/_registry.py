"""The registry of measures: from a name such as ``ndcg@10[gain=linear]`` to a function.

A name is the measure, ``@`` and a cutoff where it takes one, and conventions in brackets where they differ from the
defaults. Scorers, the Comparator, the command line and :func:`evaluate` all read names here.

>>> from skrankagg.metrics import get_measure
>>> measure = get_measure("ndcg@10[gain=linear]")
>>> measure.k, measure.options
(10, {'gain': 'linear'})
>>> str(measure)
'ndcg@10[gain=linear]'
"""

import re
from dataclasses import dataclass, field

from . import _measures

__all__ = ["Measure", "get_measure", "measure_names"]


@dataclass(frozen=True)
class _Card:
    """What there is to know of a measure: its function, its cutoff, its conventions."""

    function: object
    cutoff: str  # "required", "optional" or "none"
    title: str
    options: tuple = ()
    total: bool = False  # over several queries it is a sum rather than a mean


_OPTIONS = {
    "gain": ("exponential", "linear"),
    "discount": ("log2", "ln"),
    "ideal": ("judged", "retrieved"),
    "ap_denominator": ("relevant", "cutoff", "retrieved"),
    "relevance_threshold": float,
}

_BINARY = ("relevance_threshold",)

_REGISTRY = {
    "num_ret": _Card(_measures.num_ret, "none", "Items returned", total=True),
    "num_rel": _Card(_measures.num_rel, "none", "Relevant items", _BINARY, total=True),
    "num_rel_ret": _Card(_measures.num_rel_ret, "none", "Relevant items returned", _BINARY, total=True),
    "p": _Card(_measures.precision, "required", "Precision", _BINARY),
    "recall": _Card(_measures.recall, "required", "Recall", _BINARY),
    "f1": _Card(_measures.f1, "required", "F1", _BINARY),
    "map": _Card(
        _measures.average_precision, "optional", "Mean average precision", ("ap_denominator", "relevance_threshold")
    ),
    "dcg": _Card(_measures.dcg, "required", "Discounted cumulative gain", ("gain", "discount")),
    "ndcg": _Card(_measures.ndcg, "optional", "Normalised DCG", ("gain", "discount", "ideal")),
}

_PATTERN = re.compile(r"(?P<name>\w+)(?:@(?P<k>[^\[\]]+))?(?:\[(?P<options>[^\[\]]*)\])?")


@dataclass(frozen=True)
class Measure:
    """A measure with its cutoff and conventions: call it on ranked relevance for a value for each query.

    Parameters
    ----------
    name : str
        Name in the registry.
    k : int or None, default=None
        Cutoff.
    options : dict, default={}
        Conventions that differ from the defaults.

    See Also
    --------
    get_measure : Makes one from its name.
    """

    name: str
    k: int | None = None
    options: dict = field(default_factory=dict)

    def __call__(self, ranked):
        """Compute the measure, an array of shape (n_queries,) from a :class:`RankedRelevance`."""
        return _REGISTRY[self.name].function(ranked, self.k, **self.options)

    def __str__(self):
        cutoff = "" if self.k is None else f"@{self.k}"
        options = ",".join(f"{key}={value}" for key, value in sorted(self.options.items()))
        return f"{self.name}{cutoff}" + (f"[{options}]" if options else "")

    def __hash__(self):
        return hash(str(self))

    @property
    def title(self):
        """What to write on an axis."""
        return _REGISTRY[self.name].title + ("" if self.k is None else f" at {self.k}")

    @property
    def is_total(self):
        """Whether it is a count, of which several queries have the sum rather than the mean."""
        return _REGISTRY[self.name].total

    def summarize(self, values):
        """One number for several queries: the mean, or the sum of a count.

        Parameters
        ----------
        values : ndarray of shape (n_queries,) or DataFrame column

        Returns
        -------
        float
        """
        return float(values.sum() if self.is_total else values.mean())


def measure_names():
    """Names of all measures, with @k where they take a cutoff.

    Returns
    -------
    list of str

    Examples
    --------
    >>> from skrankagg.metrics import measure_names
    >>> "ndcg@k" in measure_names()
    True
    """
    names = []
    for name, card in _REGISTRY.items():
        if card.cutoff != "required":
            names.append(name)
        if card.cutoff != "none":
            names.append(f"{name}@k")
    return names


def get_measure(name, **conventions):
    """Look up a measure by name.

    Parameters
    ----------
    name : str or Measure
        Such as "map", "p@10" or "ndcg@10[gain=linear,ideal=retrieved]". Case does not count.
    **conventions
        Defaults for the conventions that the measure knows and the name leaves open; others are left out.

    Returns
    -------
    Measure

    Raises
    ------
    ValueError
        If the name, the cutoff or a convention is unknown; the message lists what there is.

    Examples
    --------
    >>> from skrankagg.metrics import get_measure
    >>> str(get_measure("P@10", gain="linear")), str(get_measure("nDCG@5", gain="linear"))
    ('p@10', 'ndcg@5[gain=linear]')
    """
    check_conventions(conventions)
    if isinstance(name, Measure):
        name = str(name)
    if not isinstance(name, str):
        raise TypeError(f"A measure is named by a str such as 'ndcg@10'; got {type(name).__name__}.")
    match = _PATTERN.fullmatch(name.strip())
    key = match["name"].lower() if match else None
    if key not in _REGISTRY:
        raise ValueError(f"{name!r} is no measure; choose from {', '.join(measure_names())}.")
    card = _REGISTRY[key]
    options = {option: value for option, value in conventions.items() if option in card.options}
    options.update(_parse_options(name, key, card, match["options"] or ""))
    return Measure(key, _parse_cutoff(name, key, card, match["k"]), options)


def check_conventions(conventions):
    """Raise ValueError for a convention that no measure knows, or a value that it does not take.

    Parameters
    ----------
    conventions : dict
    """
    for option, value in conventions.items():
        if option not in _OPTIONS:
            raise ValueError(f"{option!r} is no convention of a measure; choose from {', '.join(_OPTIONS)}.")
        allowed = _OPTIONS[option]
        if isinstance(allowed, tuple) and value not in allowed:
            raise ValueError(f"{option} must be one of {', '.join(allowed)}; got {value!r}.")
        if allowed is float and value is not None and not value > 0:
            # At 0 every item that nobody judged would be relevant.
            raise ValueError(f"{option} must be above 0, or None for every grade above 0; got {value!r}.")


def _parse_cutoff(name, key, card, text):
    if text is None:
        if card.cutoff == "required":
            raise ValueError(f"{name!r} needs a cutoff; write {key}@10 for the first ten places.")
        return None
    if card.cutoff == "none":
        raise ValueError(f"{key!r} takes no cutoff; write {key}, got {name!r}.")
    if not text.isdecimal() or int(text) < 1:
        raise ValueError(f"The cutoff of {name!r} must be a whole number of at least 1; write {key}@10, say.")
    return int(text)


def _parse_options(name, key, card, text):
    options = {}
    for part in filter(None, (part.strip() for part in text.split(","))):
        option, equals, value = (piece.strip() for piece in part.partition("="))
        if not equals or option not in card.options:
            known = ", ".join(card.options) or "none"
            raise ValueError(
                f"{name!r} has an unknown convention {part!r}; {key} takes {known}, written [option=value]."
            )
        if _OPTIONS[option] is float:
            try:
                value = float(value)
            except ValueError:
                raise ValueError(f"{option} in {name!r} must be a number; got {value!r}.") from None
        options[option] = value
    check_conventions(options)
    return options
