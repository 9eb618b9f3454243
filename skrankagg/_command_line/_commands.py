"""The commands."""

import contextlib
import os
import sys
import warnings

import numpy as np
import pandas as pd

from .. import Comparator, evaluate
from .._data._qrels import encode_qrels
from .._data._ranked_lists import check_run
from .._support._sklearn import FitFailedWarning
from ..datasets import write_run
from ..datasets._writers import output_format
from ..metrics import evaluate_voters, measure_names
from ..metrics._relevance._registry import get_measures, orient
from ..model_selection import latex_table, text_table
from ..plotting import ComparisonDisplay
from ..utils.discovery import all_aggregators, describe
from ._input import fitting_methods, load_data, load_lists, load_qrels, make_methods
from ._messages import StatusLine, UserError, naming
from ._report import check_outputs, describe_data, gain_notes, print_notes, save, write_results

__all__ = ["COMMANDS"]

# More voters than this are a crowd, whose best member says little.
_MAX_SINGLE_VOTERS = 50


def _compare(args):
    if len(args.files) == 1 or (args.files and args.demo):
        args.parser.error("give two files or more, LISTS and QRELS, or --demo")
    check_outputs(args.out, args.per_query, plot=args.plot)
    measures = get_measures(args.metrics)
    metrics = list(measures)
    methods = None if args.methods is None else make_methods(args.methods)
    lists, qrels, notes = load_data(args)
    encoded = encode_qrels(qrels, lists)
    notes += describe_data(lists, qrels, encoded)
    if methods is None:
        methods, left_out = fitting_methods(lists)
        notes += [f"Left out because {reason}: {', '.join(names)}." for reason, names in left_out.items()]
    if args.random_state is not None:
        for _, method in methods:
            if "random_state" in method.get_params(deep=False):
                method.set_params(random_state=args.random_state)

    interactive = sys.stderr.isatty()
    comparator = Comparator(
        methods,
        metrics=metrics,
        qrels=qrels,
        n_jobs=args.n_jobs,
        verbose=interactive,
        error_score="raise" if len(methods) == 1 else np.nan,  # one method's error is the answer
    )
    with StatusLine() if interactive else contextlib.nullcontext(), warnings.catch_warnings():
        warnings.simplefilter("ignore", FitFailedWarning)  # reported below, in the words of the command line
        comparator.fit(lists)
    for name, failure in comparator.failures_.items():
        warnings.warn(f"{name} failed, and its row is empty: {failure}", UserWarning, stacklevel=2)
    results = _best_first(comparator.results_)
    references = _single_voters(lists, qrels, metrics)
    footnotes = ["* marks the best value of a column."] if len(results) > 1 and not args.latex else []
    footnotes += gain_notes(measures.values(), qrels)
    if references is not None:
        footnotes.append(_single_voter_note(lists, encoded))
    if args.latex:
        print_notes(notes + footnotes, prefix="% ")
        print(latex_table(results, references=references))
    else:
        print_notes(notes)
        print(f"\n{text_table(results, references=references)}\n")
        print_notes(footnotes)
    write_results(results, args.out)
    write_results(comparator.per_query_, args.per_query)
    if args.plot:
        save(ComparisonDisplay.from_comparator(comparator), args.plot)


def _aggregate(args):
    if args.param and "[" in args.method:
        args.parser.error("give parameters in the brackets of --method or by --param, not both")
    out = None if args.out == "-" else args.out
    check_outputs(run=out)
    [(_, method)] = make_methods([f"{args.method}[{','.join(args.param)}]" if args.param else args.method])
    consensus = method.fit_transform(load_lists(args.lists, args, voter=args.voter))
    if out is None:
        consensus.to_csv(sys.stdout, index=False, lineterminator="\n")
        return
    with naming(out, "write"):
        write_run(consensus, out, format=output_format(out, runs=True) or "csv", tag=type(method).__name__)


def _evaluate(args):
    if len(args.files) < 2:
        args.parser.error("give at least one run, and the qrels last")
    check_outputs(args.out)
    conventions = {"gain": args.gain, "relevance_threshold": args.relevance_threshold}
    conventions = {name: value for name, value in conventions.items() if value is not None}
    measures = get_measures(args.metrics, **conventions)
    *paths, qrels_path = args.files
    twice = next((path for path in paths if paths.count(path) > 1), None)
    if twice is not None:
        raise UserError(f"the run {twice!r} is given twice.")
    qrels = load_qrels(qrels_path)
    names = [os.path.basename(path) for path in paths]
    runs = {}
    for name, path in zip(names if len(set(names)) == len(names) else paths, paths, strict=True):
        runs[name] = load_lists([path], args)
        with naming(path, "evaluate"):
            check_run(runs[name])
    table = evaluate(runs, qrels, args.metrics, per_query=args.per_query, missing=args.missing, **conventions)
    if not args.per_query:
        table = _best_first(table)
    print(text_table(table, mark_best=not args.per_query))
    notes = gain_notes(measures.values(), qrels)
    if notes:
        print()
        print_notes(notes)
    write_results(table, args.out)


def _methods(args):
    aggregators = all_aggregators()
    width = max(map(len, aggregators))
    for name, aggregator in aggregators.items():
        params = [f"{key}={value!r}" for key, value in aggregator().get_params(deep=False).items()]
        print(f"{name:{width}}  {describe(aggregator)}")
        print(f"{'':{width}}  {', '.join(params) or 'no parameters'}")


def _measures(args):
    print(*measure_names(), sep="\n")


def _best_first(table):
    """Rows of a table by its first measure."""
    return table.iloc[np.argsort(-orient(table.iloc[:, 0].to_numpy(), table.columns[0]), kind="stable")]


def _single_voters(lists, qrels, metrics):
    """Measures of the best voter and of the mean voter over the queries of the methods, or None for a crowd."""
    if not 1 < lists.n_voters <= _MAX_SINGLE_VOTERS:
        return None
    table = evaluate_voters(lists, qrels, metrics, missing="zero").drop(columns="n_queries")
    best = orient(table.iloc[:, 0], table.columns[0]).idxmax()
    return pd.DataFrame(
        [table.loc[best], table.mean()],
        index=[f"(best single voter, {best})", f"(mean of {len(table)} single voters)"],
    )


def _single_voter_note(lists, encoded):
    note = (
        "Single voters are not methods, and hold the items of their own lists only; they show what aggregating is "
        "worth. Which of them is best is known only in hindsight."
    )
    answered = np.bincount(lists.list_voter, weights=encoded.judged[lists.list_query], minlength=lists.n_voters)
    if (answered < encoded.judged.sum()).any():
        note += " A judged query that a voter has no list for counts as an empty list."
    return note


COMMANDS = {
    "compare": _compare,
    "aggregate": _aggregate,
    "evaluate": _evaluate,
    "methods": _methods,
    "measures": _measures,
}
