"""A measure is one function on ranked relevance; this module makes a card of it, and its public form.

The card, which the registry of names reads, is the function's own signature: ``k`` is its cutoff, what follows are
its conventions. The public form takes runs and judgements in any form, and has the conventions of all measures as well.
"""

import inspect
from dataclasses import dataclass
from functools import wraps

import numpy as np
import pandas as pd

from ..._support._numbers import is_integer, is_real
from ...exceptions import InputError
from ._inputs import rank_relevance
from ._ties import TIE_RULES, order_ties

__all__ = [
    "CARDS",
    "OPTIONS",
    "VIEW_OPTIONS",
    "Card",
    "check_conventions",
    "check_cutoff",
    "check_expectation",
    "measure",
    "summarize",
    "view",
]

#: What each convention may be.
OPTIONS = {
    "gain": ("exponential", "linear"),
    "discount": ("log2", "ln"),
    "ideal": ("judged", "retrieved"),
    "truncate": ("cutoff", "relevant"),
    "ap_denominator": ("relevant", "cutoff", "retrieved"),
    "relevance_threshold": float,
    "persistence": float,
    "max_grade": float,
    "ties": tuple(TIE_RULES),
    "missing": ("zero", "skip"),
    "positive_scores": bool,
}
_POSITIVE = {"relevance_threshold", "max_grade"}
_OPTIONAL = {*_POSITIVE, "missing"}

#: Conventions of every measure, which choose the view that it is given, with their defaults.
VIEW_OPTIONS = {"ties": "order", "missing": None, "positive_scores": False}

#: Cards by the name of the measure, in the order in which they were made.
CARDS = {}

_HEAD = """run : DataFrame or RankedLists, or list of lists or of dicts
    One list for each query: columns `query`, `item` and `rank` and/or `score`; or for each query its items, best
    first, or a dict of item to score. A single list is one query.
qrels : DataFrame or Qrels, or list of lists, sets or dicts
    Judgements: columns `query`, `item` and `relevance`; or for each query its relevant items, or a dict of item to
    grade. They state the queries."""

_TAIL = """per_query : bool, default=False
    Whether to give the value of each query instead of {summary}.
ties : {{"order", "trec_eval", "expected", "optimistic", "pessimistic"}}, default="order"
    Rule for items of equal score: the published order, by rank, else by score and item; descending order of the item,
    whatever the rank, as trec_eval has it; {expected}the best; the worst order.
missing : {{"zero", "skip"}} or None, default=None
    What a judged query without results counts: as an empty list, or nothing. None is "zero", with a warning where more
    than half of the judged queries have no results.
positive_scores : bool, default=False
    Whether items with scores of at most 0 count as not relevant, as FLAGR's evaluation has it.

Returns
-------
float or pandas.Series of shape (n_queries,)
    {summary_of}, or with ``per_query`` the value of each query.

Warns
-----
MissingQueriesWarning
    If more than half of the judged queries have no results and `missing` is None.
NothingJudgedWarning
    If the run is empty, or holds no judged query or no judged item."""

_SECTIONS = ("See Also", "Notes", "References", "Examples")


@dataclass(frozen=True)
class Card:
    """What there is to know of a measure."""

    function: object  # of ranked relevance, a cutoff and conventions
    cutoff: str  # "required", "optional" or "none"
    title: str
    options: tuple
    summary: str = "mean"  # over several queries: "mean", "sum" or "gmean"
    greater_is_better: bool | None = True  # None: neither more nor less is, as of a mere count
    kind: str = "k"  # of the cutoff: "k", a number of places; "recall", a share of 1; or "ks", several numbers
    has_expectation: bool = True


def measure(name, title, **facts):
    """Make a measure of a function ``f(ranked, k, *, conventions)`` that gives a value for each query.

    Parameters
    ----------
    name : str
        In the registry.
    title : str
        What to write on an axis.
    **facts
        Other fields of the :class:`Card`.

    Returns
    -------
    callable
        Decorator that gives the public form, ``f(run, qrels, k, *, conventions)``.
    """

    def decorate(function):
        parameters = list(inspect.signature(function).parameters.values())
        cutoff = next((parameter for parameter in parameters if parameter.name == "k"), None)
        own = [parameter for parameter in parameters if parameter.kind is parameter.KEYWORD_ONLY]
        card = Card(
            function=function,
            cutoff="none" if cutoff is None else "required" if cutoff.default is cutoff.empty else "optional",
            title=title,
            options=(*(parameter.name for parameter in own), *VIEW_OPTIONS),
            **facts,
        )
        CARDS[name] = card
        return _public(card, cutoff, own)

    return decorate


def _public(card, cutoff, own):
    both, named = inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY
    views = {"per_query": False, **VIEW_OPTIONS}
    signature = inspect.Signature(
        [
            inspect.Parameter("run", both),
            inspect.Parameter("qrels", both),
            *([] if cutoff is None else [cutoff]),
            *own,
            *(inspect.Parameter(option, named, default=default) for option, default in views.items()),
        ]
    )

    @wraps(card.function)
    def public(*args, **kwargs):
        given = signature.bind(*args, **kwargs)
        given.apply_defaults()
        given = given.arguments
        options = {option: given[option] for option in card.options}
        check_conventions(options)
        check_expectation(card, options)
        cut = () if cutoff is None else (check_cutoff(card, given["k"]),)
        ranked, queries = rank_relevance(given["run"], given["qrels"], options["missing"])
        values = card.function(
            view(card, ranked, options), *cut, **{parameter.name: options[parameter.name] for parameter in own}
        )
        return (
            pd.Series(values, index=queries, name=card.function.__name__)
            if given["per_query"]
            else summarize(card, values)
        )

    del public.__wrapped__
    public.__signature__ = signature
    public.__doc__ = _document(inspect.cleandoc(card.function.__doc__), card)
    return public


def _document(text, card):
    # The parameters that all measures share stand around those of the function's own docstring.
    expected = "the mean over all orders; " if card.has_expectation else "no mean over all orders here; "
    summary = {"mean": "mean", "sum": "sum", "gmean": "geometric mean"}[card.summary]
    tail = _TAIL.format(expected=expected, summary=f"their {summary}", summary_of=f"The {summary} over the queries")
    start = min((at for name in _SECTIONS if (at := text.find(f"\n{name}\n---")) >= 0), default=len(text))
    body, rest = text[:start].rstrip(), text[start:]
    title = "Parameters\n----------\n"
    if title not in body:
        body += f"\n\n{title}".rstrip(" ")
    head, _, own = body.partition(title)
    return "\n".join(part for part in (f"{head}{title}{_HEAD}", own.strip("\n"), tail) if part) + f"\n{rest}\n"


def view(card, ranked, options):
    """The view of ranked relevance that the conventions of every measure ask for.

    Parameters
    ----------
    card : Card
    ranked : RankedRelevance
    options : dict

    Returns
    -------
    RankedRelevance
    """
    if options.get("positive_scores"):
        ranked = ranked.positive_only()
    return order_ties(ranked, options.get("ties", "order"))


def check_expectation(card, options):
    """Raise ValueError where the expectation over ties is asked of a measure that has no closed form of it.

    Parameters
    ----------
    card : Card
    options : dict
    """
    if options.get("ties") == "expected" and not card.has_expectation:
        known = ", ".join(name for name, other in CARDS.items() if other.has_expectation)
        raise InputError(
            f"{card.title} has no closed form of its expectation over ties; ties='expected' is for {known}. Choose "
            "another rule for ties."
        )


def summarize(card, values):
    """One number for several queries; queries that are NaN are left out.

    Parameters
    ----------
    card : Card
    values : ndarray or Series of shape (n_queries,)

    Returns
    -------
    float
    """
    values = np.asarray(values, dtype=np.float64)
    values = values[~np.isnan(values)]
    if card.summary == "sum":
        return float(values.sum())
    if len(values) == 0:
        return float("nan")
    if card.summary == "gmean":
        return float(np.exp(np.log(np.maximum(values, 1e-5)).mean()))
    return float(values.mean())


def check_conventions(conventions):
    """Raise ValueError for a convention that no measure knows, or a value that it does not take.

    Parameters
    ----------
    conventions : dict
    """
    for option, value in conventions.items():
        if option not in OPTIONS:
            raise InputError(f"{option!r} is no convention of a measure; choose from {', '.join(OPTIONS)}.")
        if value is None and option in _OPTIONAL:
            continue
        allowed = OPTIONS[option]
        if isinstance(allowed, tuple) and value not in allowed:
            raise InputError(f"{option} must be one of {', '.join(allowed)}; got {value!r}.")
        if allowed is bool and not isinstance(value, (bool, np.bool_)):
            raise InputError(f"{option} must be True or False; got {value!r}.")
        if allowed is float and not is_real(value):
            raise InputError(f"{option} must be a number; got {value!r}.")
        if option == "persistence" and not 0 < value < 1:
            raise InputError(f"persistence must lie between 0 and 1; got {value!r}.")
        if option in _POSITIVE and not value > 0:
            # At a threshold of 0 every item that nobody judged would be relevant.
            raise InputError(f"{option} must be above 0, or None; got {value!r}.")


def check_cutoff(card, k):
    """Check a cutoff that a caller gives.

    Parameters
    ----------
    card : Card
    k : int, float, sequence of int or None

    Returns
    -------
    int, float, tuple of int or None
    """
    if k is None and card.cutoff == "optional":
        return None
    if card.kind == "recall":
        if not is_real(k) or not 0 <= k <= 1:
            raise InputError(f"{card.title} needs a recall from 0 to 1, such as 0.1; got {k!r}.")
        return float(k)
    many = k if card.kind == "ks" and np.iterable(k) and not isinstance(k, str) else (k,)
    if not len(many) or not all(is_integer(one) and one >= 1 for one in many):
        raise InputError(f"The cutoff of {card.title} must be a whole number of at least 1; got {k!r}.")
    return tuple(int(one) for one in many) if card.kind == "ks" else int(k)
