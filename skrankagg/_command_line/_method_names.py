"""Methods by their names on the command line, such as `CombSUM[norm=rank]` for CombSUM(norm="rank")."""

import os

from .._data._conflicts import describe_conflict
from ..utils._named_methods import read_method
from ..utils.discovery import all_aggregators, default_methods, describe
from ._messages import UserError

#: Methods that are compared by default. They differ from each other, and need only seconds for a hundred queries with
#: long lists.
FAST = (
    "BordaCount",
    "CombMAX",
    "CombMNZ",
    "CombSUM",
    "CombSUM[norm=z-score]",
    "Copeland",
    "DIBRA",
    "InverseSquareRank",
    "RankBiasedCentroid",
    "RankStatistic[statistic=median]",
    "ReciprocalRankFusion",
    "RobustRankAggregation",
)

#: Default method without judgements. The docstring of ReciprocalRankFusion explains this value of k.
DEFAULT_METHOD = "ReciprocalRankFusion[k=30]"
#: Default method for paired comparisons.
COMPARISON_METHOD = "PlackettLuce"
#: Default method for ballots, which puts the Condorcet winner first if there is one.
BALLOT_METHOD = "Schulze"


def make_methods(texts):
    """Convert texts to a list of (name, estimator) pairs; raise UserError if a method is given twice."""
    methods = {}
    for text in texts:
        name, method = _make_method(text)
        if name in methods:
            raise UserError(f"the method {name} is given twice.")
        methods[name] = method
    return list(methods.items())


def seed_methods(methods, random_state):
    """Set `random_state` of each randomised method in a list of (name, estimator) pairs.

    If `random_state` is None, the methods stay unchanged.
    """
    if random_state is None:
        return
    for _, method in methods:
        seeds = [key for key in method.get_params(deep=True) if key.rpartition("__")[2] == "random_state"]
        method.set_params(**dict.fromkeys(seeds, random_state))


def _make_method(text):
    hint = " Files come before --methods." if os.path.exists(text) else ""
    return read_method(text, hint)


def list_methods(classes):
    """Return two lines of text for each class of methods: name and summary, then parameters with their defaults.

    `classes` is a dict of classes, keyed by name.
    """
    width = max(map(len, classes), default=0)
    lines = []
    for name, aggregator in classes.items():
        params = [f"{key}={value!r}" for key, value in aggregator().get_params(deep=False).items()]
        lines += [f"{name:{width}}  {describe(aggregator)}", f"{'':{width}}  {', '.join(params) or 'no parameters'}"]
    return "".join(f"{line}\n" for line in lines)


def list_external_methods():
    """Return the lines of :func:`list_methods` for methods of other installed packages, below a heading."""
    own = all_aggregators()
    lines = list_methods({name: one for name, one in all_aggregators(external=True).items() if name not in own})
    return f"\nMethods of other packages:\n\n{lines}" if lines else ""


def fitting_methods(lists, names=None):
    """Return the methods that accept the lists, and a dict of the rejected methods.

    The dict maps each reason for a rejection to the names of the methods.
    """
    methods, left_out = [], {}
    for name, method in default_methods() if names is None else make_methods(names):
        reason = _reason_against(method.__sklearn_tags__().aggregator_tags, lists)
        if reason is None:
            methods.append((name, method))
        else:
            left_out.setdefault(reason, []).append(name)
    return methods, left_out


def _reason_against(tags, lists):
    if tags.needs_scores and not lists.has_scores:
        return "they need scores, but the lists have only ranks"
    conflict = describe_conflict(lists, lists.list_weight > 0)
    if tags.needs_scores and conflict is not None:
        return f"they need scores that order the items of a list in the same way as the ranks, and {conflict[0]}"
    if lists.is_weighted and not tags.voter_weights:
        return "they cannot weigh lists"
    if tags.integer_weights and (lists.list_weight % 1 != 0).any():
        return "they accept only integer weights of lists"
    return None
