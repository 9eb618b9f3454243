"""Command `skrankagg tune`, which learns voter weights, or searches for the parameters of a method."""

import shlex
from math import comb, prod

import pandas as pd
from sklearn.model_selection import GridSearchCV, RandomizedSearchCV

from .. import Comparator, LearnedWeights
from .._data._qrels import encode_qrels
from .._support._method_text import parse_params, write_param
from .._support._sklearn import clone
from ..inspection import expected_gain
from ..metrics import make_ranking_scorer
from ..model_selection import DirichletWeights, QueryKFold, text_table, weight_grid
from ..utils._named_methods import read_values
from ._input import find_sources, load_judgements, load_lists, load_qrels
from ._messages import UserError
from ._method_names import make_methods
from ._report import (
    check_outputs,
    describe_data,
    difference_table,
    measure_notes,
    plain_table,
    print_notes,
    read_measures,
    show_number,
    write_results,
)
from ._usage import DEFAULT_METRICS, files_of

# Largest number of weight vectors to try. If the grid has more points, this number of random vectors is tried.
_MOST_WEIGHTS = 200


class _CountedScorer:
    """Scorer that calls `step` after each score, to count the fits of a search.

    Copying the scorer returns the scorer itself, so that all fits of the search are counted together.
    """

    def __init__(self, scorer):
        self.scorer, self.step = scorer, None

    def __call__(self, *args, **kwargs):
        score = self.scorer(*args, **kwargs)
        self.step()
        return score

    def __deepcopy__(self, memo):
        return self


def tune(args, progress):
    if len(args.files) < 2:
        args.parser.error("give LISTS and QRELS")
    check_outputs(args.out)
    if args.method is None:
        return _learn(args, progress)
    if not args.param and args.weights is None:
        args.parser.error("choose what to search: --param k=10,30,60 or --weights")
    args.cv = args.cv or 5
    measures = read_measures(args)
    [(name, method)] = make_methods([args.method])
    space = _parameters(args, name, method)
    *texts, last = args.files
    lists = load_lists(find_sources(texts), args, progress)
    qrels = load_qrels(last, progress)
    encoded = encode_qrels(qrels, lists)
    if int(encoded.judged.sum()) < 2 * args.cv:
        raise UserError(
            f"{int(encoded.judged.sum())} judged queries are too few for {args.cv} outer and {args.cv} inner folds; "
            "lower --cv, or judge more queries."
        )
    seed, first = args.random_state or 0, next(iter(measures))
    options = {
        "scoring": _CountedScorer(make_ranking_scorer(first)),
        "cv": QueryKFold(args.cv, shuffle=True, random_state=seed),
        "error_score": "raise",
    }
    search, n_points = _search(args, method, space, lists, options, seed)
    tuned = f"{name}, tuned"
    comparator = Comparator(
        [(name, method), (tuned, search)],
        metrics=list(measures),
        qrels=qrels,
        cv=QueryKFold(args.cv, shuffle=True, random_state=seed + 1),
        error_score="raise",
        verbose=False,
    )
    options["scoring"].step = progress.counter("fits", (args.cv + 1) * args.cv * n_points)
    comparator.fit(lists)
    best = comparator.named_aggregators_[tuned].best_params_
    print_notes([*describe_data(lists, qrels, encoded), _describe(space, args, n_points, first)])
    print(f"\n{text_table(comparator.results_)}\n")
    print_notes(measure_notes(measures.values(), qrels, comparator.runs_.values()))
    progress.say("resampling the difference")
    print(f"\n{difference_table(comparator.compare(name), comparator.per_query_)}\n")
    params = " ".join(shlex.quote(write_param(key, value)) for key, value in best.items())
    command = f"skrankagg aggregate {files_of(args)} --method {shlex.quote(args.method)} --param {params}"
    print(f"Best on all queries: {command}")
    write_results(comparator.results_, args.out)


def _learn(args, progress):
    """Learn voter weights from all judged queries, and estimate their gain on new queries."""
    for option in ("param", "weights", "cv", "gain", "ties", "relevance_threshold", "random_state"):
        if getattr(args, option) is not None:
            args.parser.error(f"{args.flags[option][0]} needs --method")
    if args.metrics is not DEFAULT_METRICS:
        args.parser.error("--metrics needs --method")
    *texts, last = args.files
    lists = load_lists(find_sources(texts), args, progress)
    qrels = load_judgements(last, progress)
    notes = describe_data(lists, qrels, encode_qrels(qrels, lists))[:1]
    method = LearnedWeights()
    progress.say("learning the weights")
    weights = method.fit(lists, qrels.align(lists)).voter_weights_.set_index("voter")["weight"]
    progress.say("estimating the gain on new queries")
    expected = expected_gain(method, lists, qrels)
    base = method._base()
    print_notes(
        [
            *notes,
            f"Weights for {type(base).__name__}[k={base.k}], learned from {method.n_queries_} queries with "
            f"{method.n_relevant_} relevant items:",
        ]
    )
    cells = pd.DataFrame({"weight": [show_number(one, ".3f") for one in weights]}, index=weights.index.astype(str))
    print(f"\n{plain_table(cells, 'voter')}\n")
    print_notes([expected.text])
    judged = shlex.quote(last)
    command = f"skrankagg aggregate {files_of(args)} --method LearnedWeights --qrels {judged}"
    print(f"\nMerge with these weights: {command}")
    write_results(weights.to_frame(), args.out)


def _parameters(args, name, method):
    """Return a dict that maps each parameter to the values to try; raise an error for an invalid value."""
    space = {}
    for key, text in parse_params(name, type(method), args.param or ()).items():
        space[key] = read_values(key, text)
        if not space[key]:
            raise UserError(f"the parameter {key} has no values; write them as {key}=10,30,60.")
        for value in space[key]:
            clone(method).set_params(**{key: value})._validate_params()
    if args.weights is not None:
        if not method.__sklearn_tags__().aggregator_tags.voter_weights:
            raise UserError(f"{name} cannot weigh lists; leave out --weights.")
        if "voter_weights" in space:
            raise UserError("search weights by --weights or by --param voter_weights, not by both.")
    return space


def _search(args, method, space, lists, options, seed):
    """Return a search over parameters and, if requested, voter weights; also return the number of trials.

    A trial evaluates one combination of parameter values and voter weights.
    """
    n_points = prod(map(len, space.values()))
    if args.weights is None:
        return GridSearchCV(method, space, **options), n_points
    n_steps = round(1 / args.weights)
    if comb(n_steps + lists.n_voters - 1, lists.n_voters - 1) <= _MOST_WEIGHTS:
        grid = weight_grid(lists.voters, args.weights)
        return GridSearchCV(method, {**space, "voter_weights": grid}, **options), n_points * len(grid)
    weights = DirichletWeights(lists.voters)
    space = {**space, "voter_weights": weights}
    return RandomizedSearchCV(method, space, n_iter=_MOST_WEIGHTS, random_state=seed, **options), _MOST_WEIGHTS


def _describe(space, args, n_points, first):
    what = [f"{key} of {', '.join(map(str, values))}" for key, values in space.items()]
    what += ["weights of the voters"] if args.weights is not None else []
    return (
        f"Searched: {'; '.join(what)}: {n_points} points, by {first} on {args.cv} folds of the queries. The tuned row "
        f"is measured on {args.cv} other folds, and the search for a fold does not use this fold."
    )
