"""A measure, which consists of a name, a cutoff, conventions, and a function that computes the values.

Each measure is written as one function with the decorator :func:`define`. The function computes a value for each query
from ranked relevance. The parameters of the function are the measure's cutoff and conventions. The decorator makes a
public function of the same name. The public function accepts runs and judgements. The decorator also adds the
parameters that all measures share, and describes these parameters in the docstring.
"""

import inspect
import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cache, wraps
from typing import Any, Literal, get_args

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from ..._support._values import is_integer, is_real
from ...exceptions import InputError
from ._conventions import Missing, TieOrder, Ties, check_conventions
from ._inputs import QrelsLike, RunLike, rank_relevance
from ._ties import order_ties

# Conventions of all measures. The decorated functions do not receive them.
_COMMON = ("ties", "missing_queries")


@cache
def _facts(function):
    """Read the cutoff and the conventions of a measure from the signature of its public function.

    Conventions are the keyword options of a measure, such as `ties`. Return "required", "optional" or "none" for the
    cutoff, the names of all conventions, and a dict of the defaults. The dict does not include the conventions in
    `_COMMON`, which all measures share.
    """
    parameters = inspect.signature(function).parameters
    k = parameters.get("k")
    cutoff = "none" if k is None else "required" if k.default is k.empty else "optional"
    own = {
        one.name: one.default for one in parameters.values() if one.kind is one.KEYWORD_ONLY and one.name != "per_query"
    }
    return cutoff, tuple(own), {name: default for name, default in own.items() if name not in _COMMON}


@dataclass(frozen=True, eq=False, repr=False)
class Measure:
    """Measure with a cutoff and conventions. The measure can be called on a run and judgements.

    :func:`get_measure` returns measures. Two measures are equal if their names, cutoffs and conventions are equal.

    Parameters
    ----------
    name : str
        Name in the registry, such as "ndcg".
    function : callable
        The public function, such as :func:`ndcg`. Its ``_compute`` computes the measure from a
        :class:`RankedRelevance`.
    label : str
        Label of an axis, without a cutoff.
    summary : {"mean", "sum", "gmean"}, default="mean"
        How the values of several queries are summarized.
    greater_is_better : bool or None, default=True
        Whether higher values are better; None if neither higher nor lower values are better. An example of False is
        "rbp_resid", the uncertainty of "rbp". Examples of None are "num_ret", "num_rel" and "judged@k"; these measures
        describe a run but do not rate it.
    cutoff_kind : {"k", "recall", "ks"}, default="k"
        Form of the cutoff: a number of places, a recall, or several numbers of places.
    has_expectation : bool, default=True
        Whether there is a closed form of the mean of the measure over all orders of tied items.
    other_names : tuple of str, default=()
        Names in lower case by which other tools call the same measure; a name may imply a convention.
    k : int, float, tuple of int or None, default=None
        Cutoff.
    options : dict, default={}
        Conventions that were given explicitly.

    See Also
    --------
    get_measure : Looks up a measure by name.
    evaluate : Computes several measures at once.

    Examples
    --------
    >>> from skrankagg.metrics import get_measure
    >>> measure = get_measure("p@2")
    >>> measure(["a", "x", "b"], ["a", "b"]), measure.title, measure.k
    (0.5, 'Precision at 2', 2)
    """

    name: str
    function: Callable
    label: str
    summary: Literal["mean", "sum", "gmean"] = "mean"
    greater_is_better: bool | None = True
    cutoff_kind: Literal["k", "recall", "ks"] = "k"
    has_expectation: bool = True
    other_names: tuple[str, ...] = ()
    k: Any = None
    options: dict[str, Any] = field(default_factory=dict)

    def __call__(self, run: RunLike, qrels: QrelsLike, *, per_query: bool = False) -> Any:
        """Compute the measure of a run.

        Parameters
        ----------
        run : DataFrame, RankedLists, or list or dict of items
            One list for each query.
        qrels : DataFrame, Qrels, or list, set or dict of items
            Judgements.
        per_query : bool, default=False
            Whether to return the value of each query instead of the summary over the queries.

        Returns
        -------
        float or pandas.Series of shape (n_queries,)
            The summary over the queries, or the value of each query if `per_query` is True.
        """
        cutoff = {} if self.cutoff == "none" else {"k": self.k}
        return self.function(run, qrels, **cutoff, per_query=per_query, **self.options)

    def __str__(self) -> str:
        cutoff = "" if self.k is None else f"@{self._written_cutoff(',')}"
        given = sorted((key, value) for key, value in self.options.items() if value is not None)
        options = ",".join(f"{key}={value}" for key, value in given)
        return f"{self.name}{cutoff}" + (f"[{options}]" if options else "")

    def __repr__(self) -> str:
        return f"get_measure({str(self)!r})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Measure) and str(self) == str(other)

    def __hash__(self) -> int:
        return hash(str(self))

    @property
    def title(self) -> str:
        """Return the label of the measure for an axis, with the cutoff if there is one."""
        return self.label if self.k is None else f"{self.label} at {self._written_cutoff(', ')}"

    @property
    def is_total(self) -> bool:
        """Return True if the measure is a count; counts are summed over queries instead of averaged."""
        return self.summary == "sum"

    @property
    def cutoff(self) -> Literal["required", "optional", "none"]:
        """Return "required" if the measure needs a cutoff, "optional" if it accepts a cutoff, and "none" otherwise."""
        return _facts(self.function)[0]

    @property
    def conventions(self) -> tuple[str, ...]:
        """List the conventions that this measure accepts."""
        return _facts(self.function)[1]

    def summarize(self, values: ArrayLike) -> float:
        """Summarize several queries by one number: the sum for counts, the geometric mean for gmap, otherwise the mean.

        Parameters
        ----------
        values : ndarray of shape (n_queries,) or DataFrame column
            Values of the queries; NaN values are left out.

        Returns
        -------
        float
            The summary; NaN for a mean of no values.
        """
        return self.summarize_sums(*self.sum_up(values))

    def sum_up(self, values: ArrayLike) -> tuple[float, int]:
        """Return the sum of the values of some queries, and the number of these values.

        Results for different queries can be added up and passed to :meth:`summarize_sums`.

        Parameters
        ----------
        values : ndarray of shape (n_queries,) or DataFrame column
            Values of the queries; NaN values are left out.

        Returns
        -------
        total : float
            Sum of the values. For gmap, the total is the sum of the values' logarithms, where values below 1e-5 are
            raised to 1e-5.
        count : int
            Number of values.
        """
        values = np.asarray(values, dtype=np.float64)
        values = values[~np.isnan(values)]
        return float((np.log(np.maximum(values, 1e-5)) if self.summary == "gmean" else values).sum()), len(values)

    def summarize_sums(self, total: float, count: float) -> float:
        """Compute the summary of all queries from results of :meth:`sum_up` that were added up.

        Parameters
        ----------
        total : float
            Sum of the totals.
        count : int
            Number of values.

        Returns
        -------
        float
            The summary; NaN for a mean of no values.
        """
        if self.summary == "sum":
            return float(total)
        if not count:
            return float("nan")
        return float(np.exp(total / count) if self.summary == "gmean" else total / count)

    def _with(self, k, options):
        """Check a cutoff and conventions, and return a copy of the measure with this cutoff and these conventions."""
        check_conventions(options)
        if options.get("ties") == "expected" and not self.has_expectation:
            known = ", ".join(name for name, other in MEASURES.items() if other.has_expectation)
            raise InputError(
                f"The expectation of {self.label} over ties has no closed form; ties='expected' is available for "
                f"{known}. Choose another rule for ties."
            )
        return replace(self, k=None if self.cutoff == "none" else self._check_cutoff(k), options=options)

    def _check_cutoff(self, k):
        if k is None and self.cutoff == "optional":
            return None
        if self.cutoff_kind == "recall":
            if not is_real(k) or not 0 <= k <= 1:
                raise InputError(f"The cutoff of {self.label} must be a recall from 0 to 1, such as 0.1; got {k!r}.")
            return float(k)
        many = k if self.cutoff_kind == "ks" and np.iterable(k) and not isinstance(k, str) else (k,)
        if not len(many) or not all(is_integer(one) and one >= 1 for one in many):
            raise InputError(f"The cutoff of {self.label} must be a whole number of at least 1; got {k!r}.")
        return tuple(int(one) for one in many) if self.cutoff_kind == "ks" else int(k)

    def _values(self, ranked):
        """Compute the value of each query; the value is NaN for a query without results if such queries are skipped."""
        own = {name: self.options.get(name, default) for name, default in _facts(self.function)[2].items()}
        cutoff = () if self.cutoff == "none" else (self.k,)
        values = self.function._compute(order_ties(ranked, self.options.get("ties", "order")), *cutoff, **own)
        if self.options.get("missing_queries") == "skip":
            values = np.where(ranked.n_retrieved > 0, values, np.nan)
        return values

    def _written_cutoff(self, separator):
        return separator.join(map(str, self.k)) if isinstance(self.k, tuple) else str(self.k)


#: Measures by name, without cutoff or conventions.
MEASURES: dict[str, Measure] = {}


# Docstring entries of the parameters that several measures share, and the parameters of all measures.
_ENTRIES = {
    "run": """run : DataFrame, RankedLists, or list or dict of items
    One list for each query, in any form that :func:`evaluate` accepts.""",
    "qrels": """qrels : DataFrame, Qrels, or list, set or dict of items
    Judgements in the same form as the run. The judgements determine which queries are measured.""",
    "k": """k : int{default}
    Cutoff{all_places}.""",
    "relevance_threshold": """relevance_threshold : float, default=None
    Lowest grade that counts as relevant; None means any grade above 0.""",
    "rounding": """rounding : {{"nearest", "up"}}, default="nearest"
    Rule for the number of relevant items that a recall of c requires, if R items are relevant. "nearest" rounds c R
    to the nearest integer, halves up, as in today's trec_eval. "up" uses ``floor(c R + 0.9)``, as in pytrec_eval and
    trec_eval up to 9.0.8.""",
    "per_query": """per_query : bool, default=False
    Whether to return the value of each query instead of the {summary} over the queries.""",
    "ties": """ties : {{{ties}}}, default="order"
    Rule for items of equal score, see :func:`evaluate`.""",
    "missing_queries": """missing_queries : {{"zero", "skip"}} or None, default=None
    Treatment of judged queries without results, see :func:`evaluate`.""",
}
_RESULT = """Returns
-------
float or pandas.Series of shape (n_queries,)
    The {summary} over the queries, or with ``per_query=True`` the value of each query."""
_SUMMARIES = {"mean": "mean", "sum": "sum", "gmean": "geometric mean"}


def define(name: str, label: str, *, formula: str, agrees: str, **facts: Any) -> Callable[[Callable], Callable]:
    """Turn the decorated function into a measure: create the public function and register the measure.

    Parameters
    ----------
    name : str
        Name in the registry, such as "ndcg".
    label : str
        Label of an axis, without a cutoff.
    formula : str
        Formula for the table of measures, in Markdown; the page with the table explains the symbols.
    agrees : str
        Measures of other tools that give the same values. They are also listed in the table of measures.
    **facts
        Further fields of :class:`Measure`.

    Returns
    -------
    callable
        Decorator of a function. The function accepts a :class:`RankedRelevance`, a cutoff `k` if the measure has one,
        and conventions as keywords. The docstring of the function describes only parameters that are not shared by all
        measures.
    """

    def decorate(compute):
        @wraps(compute)
        def public(*args, **kwargs):
            try:
                given = public.__signature__.bind(*args, **kwargs)
            except TypeError as error:
                raise TypeError(f"{compute.__name__}() {error}") from None
            given.apply_defaults()
            return measure_run(name, **given.arguments)

        # Without `__wrapped__`, tools read the signature of the public function.
        del public.__wrapped__
        public._compute = compute
        measure = Measure(name, public, label, **facts)
        public.__signature__ = _public_signature(compute, measure.has_expectation)
        public.__annotations__ = {one.name: one.annotation for one in public.__signature__.parameters.values()}
        public.__annotations__["return"] = Any
        public.__doc__ = compute.__doc__ and _public_docstring(measure, inspect.getdoc(compute))
        public._guide = {"formula": formula, "agrees": agrees}
        MEASURES[name] = measure
        return public

    return decorate


def _public_signature(compute, has_expectation):
    """Return the signature of the public function of a measure, such as :func:`ndcg`.

    `compute` is the private function that computes the measure from grades. The public parameters are the run, the
    judgements, the options of `compute`, and the parameters that all measures share.
    """
    given = {
        "run": RunLike,
        "qrels": QrelsLike,
        "per_query": (bool, False),
        "ties": (Ties if has_expectation else TieOrder, "order"),
        "missing_queries": (Missing, None),
    }
    shared = [
        inspect.Parameter(one, inspect.Parameter.KEYWORD_ONLY, annotation=fact[0], default=fact[1])
        if isinstance(fact, tuple)
        else inspect.Parameter(one, inspect.Parameter.POSITIONAL_OR_KEYWORD, annotation=fact)
        for one, fact in given.items()
    ]
    _, *own = inspect.signature(compute).parameters.values()
    return inspect.Signature([*shared[:2], *own, *shared[2:]], return_annotation=Any)


def _public_docstring(measure, text):
    """Add the entries of the shared parameters and a Returns section to a docstring, and return the docstring."""
    own, rest = {}, text
    if found := re.search(r"Parameters\n-+\n(.*?)\n\n", text, re.DOTALL):
        own = {entry.partition(" ")[0]: entry for entry in re.split(r"\n(?=\w)", found[1])}
        rest = text[: found.start()] + text[found.end() :]
    words = {
        "summary": _SUMMARIES[measure.summary],
        "ties": ", ".join(f'"{rule}"' for rule in get_args(Ties if measure.has_expectation else TieOrder)),
        "default": ", default=None" if measure.cutoff == "optional" else "",
        "all_places": "; None uses all places" if measure.cutoff == "optional" else "",
    }
    names = inspect.signature(measure.function).parameters
    entries = [own.get(one) or _ENTRIES.get(one, "").format(**words) for one in names]
    sections = ["Parameters\n----------", *filter(None, entries), "\n" + _RESULT.format(**words), "\n"]
    head, tail = re.split(r"^(?=\w[\w ]*\n-+$)", rest, maxsplit=1, flags=re.MULTILINE)
    return head + "\n".join(sections) + tail + "\n"


def measure_run(name: str, run, qrels, k=None, *, per_query: bool, **conventions: Any) -> Any:
    """Compute a measure of a run; public functions such as `ndcg` call this function and return its result."""
    measure = MEASURES[name]._with(k, conventions)
    ranked, queries = rank_relevance(measure.function.__name__, run, qrels, conventions["missing_queries"])
    values = measure._values(ranked)
    return pd.Series(values, index=queries, name=measure.function.__name__) if per_query else measure.summarize(values)
