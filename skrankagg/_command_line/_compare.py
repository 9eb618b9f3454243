"""Command `skrankagg compare`, which measures several methods on the same lists and judgements."""

import time
import warnings

import numpy as np
import pandas as pd

from .. import Comparator
from .._data._qrels import encode_qrels
from .._support._sklearn import FitFailedWarning
from ..metrics import evaluate_voters
from ..metrics._relevance._registry import orient
from ..model_selection import text_table
from ..model_selection._comparator import BEST_VOTER, LISTS_LINE
from ..model_selection._significance import BEST
from ..plotting import ComparisonDisplay
from ._input import load_data
from ._messages import USER_MISTAKES, UserError, say
from ._method_names import FAST, fitting_methods, make_methods, seed_methods
from ._python_words import in_flags
from ._report import (
    baseline_notes,
    best_first,
    check_outputs,
    describe_data,
    difference_table,
    find_baseline,
    measure_notes,
    print_notes,
    read_measures,
    save,
    write_results,
)
from ._usage import files_of

# With more voters than this number, the best single voter is not shown, because it is not informative.
_MAX_SINGLE_VOTERS = 50
# Number of queries in the trial run that estimates the duration, and the smallest number of queries for an estimate.
_TRIED, _WORTH = 3, 12


def compare(args, progress):
    if len(args.files) == 1 or (args.files and args.demo):
        args.parser.error("give at least two files, LISTS and QRELS, or give --demo")
    check_outputs(args.out, args.per_query, plot=args.plot)
    for given, option, needed in (
        (args.rows is not None and args.baseline is None, "--rows", "--baseline"),
        (args.times and not args.latex, "--times", "--latex"),
    ):
        if given:
            raise UserError(f"{option} only works together with {needed}; add {needed}, or leave out {option}.")
    measures = read_measures(args)
    everything = args.methods == ["all"]
    methods = None if args.methods is None or everything else make_methods(args.methods)
    lists, qrels, notes = load_data(args, progress)
    encoded = encode_qrels(qrels, lists)
    notes += describe_data(lists, qrels, encoded)
    if methods is None:
        methods, left_out = fitting_methods(lists, None if everything else FAST)
        notes += [f"Left out because {reason}: {', '.join(names)}." for reason, names in left_out.items()]
        if not everything:
            notes.append("The default methods are fast and differ from each other; --methods all compares all methods.")
    seed_methods(methods, args.random_state)
    if args.baseline is not None:
        voters = lists.voters.astype(str).tolist()
        names = [*(name for name, _ in methods), *(voters if args.voters else ())]
        args.baseline = find_baseline(args.baseline, names, [BEST, *([BEST_VOTER] if args.voters else ())], voters)
    if everything and args.skip_slower_than is None:
        _tell_how_long(methods, lists, args, progress)

    count = progress.counter("methods", len(methods))

    def report(line):
        """Process a line of progress: a line about the lists becomes a note; other lines count the finished methods."""
        if line.startswith(LISTS_LINE):
            notes.append(in_flags(line.removeprefix(LISTS_LINE), args.flags, files=files_of(args)))
        else:
            count(line)

    comparator = Comparator(
        methods,
        metrics=list(measures),
        qrels=qrels,
        n_jobs=args.n_jobs,
        verbose=report,
        with_voters=args.voters,
        cv=args.cv,
        skip_slower_than=args.skip_slower_than,
        error_score="raise" if len(methods) == 1 else np.nan,  # the error of a single method is raised
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FitFailedWarning)  # failures are reported below
        comparator.fit(lists)
    for name, failure in comparator.failures_.items():
        cause = "it is " if name in comparator.skipped_ else "the method failed: "
        warnings.warn(f"the row of {name} is empty because {cause}{failure}", UserWarning, stacklevel=2)
    _print_results(args, comparator, lists, qrels, encoded, measures, notes, progress)
    write_results(best_first(comparator.results_), args.out)
    write_results(comparator.per_query_, args.per_query)
    if args.plot:
        save(ComparisonDisplay.from_comparator(comparator), args.plot)


def _print_results(args, comparator, lists, qrels, encoded, measures, notes, progress):
    footnotes = []
    if args.cv is not None:
        footnotes.append(f"Methods that learn are measured on held-out queries, in {args.cv} folds.")
    footnotes += measure_notes(measures.values(), qrels, comparator.runs_.values())
    rows = args.rows or "all"
    if args.baseline is not None:
        progress.say("resampling the differences")
    if args.latex:
        table = comparator.latex_table(baseline=args.baseline, rows=rows, time="time" if args.times else None)
        print_notes([*notes, *footnotes, *baseline_notes(args.baseline)], prefix="% ")
        print(table)
        return
    results = best_first(comparator.results_)
    references = None if args.voters else _single_voters(lists, qrels, measures)
    if references is not None:
        footnotes.append(_single_voter_note(lists, encoded))
    if len(results) > 1:
        footnotes.insert(0, "* marks the best value of a column.")
    print_notes(notes)
    print(f"\n{text_table(results, references=references)}\n")
    print_notes(footnotes)
    if args.baseline is not None:
        found = comparator.compare(args.baseline, rows=rows)
        print(f"\n{difference_table(found, comparator.per_query_)}")
        print_notes(baseline_notes(args.baseline))


def _tell_how_long(methods, lists, args, progress):
    """Print an estimate of the duration of the comparison, from a trial run of each method on a few queries."""
    if args.quiet or lists.n_queries < _WORTH:
        return
    progress.say(f"trying {len(methods)} methods on {_TRIED} queries")
    few = lists.take(np.linspace(0, lists.n_queries - 1, _TRIED).round().astype(int))
    start = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for _, method in methods:
            try:
                method.fit_transform(few)
            except USER_MISTAKES:
                continue  # the comparison reports failures later
    seconds = (time.perf_counter() - start) * lists.n_queries / _TRIED
    took = f"{seconds / 60:.0f} minutes" if seconds > 90 else f"{seconds:.0f} seconds"
    say(f"{len(methods)} methods on {lists.n_queries} queries, about {took}")


def _single_voters(lists, qrels, measures):
    """Return a frame of two rows: the measures of the best voter, and the means over all voters.

    Returns None if there is only one voter, or if there are more than `_MAX_SINGLE_VOTERS` voters.
    """
    if not 1 < lists.n_voters <= _MAX_SINGLE_VOTERS:
        return None
    table = evaluate_voters(lists, qrels, list(measures), missing_queries="zero").drop(columns="n_queries")
    best = orient(table.iloc[:, 0], table.columns[0]).idxmax()
    return pd.DataFrame(
        [table.loc[best], table.mean()],
        index=[f"(best single voter, {best})", f"(mean of {len(table)} single voters)"],
    )


def _single_voter_note(lists, encoded):
    note = (
        "Single voters are not methods. A voter ranks only the items of its own lists. The rows of single voters show "
        "how much aggregation gains. The best voter is known only in hindsight."
    )
    answered = np.bincount(lists.list_voter, weights=encoded.judged[lists.list_query], minlength=lists.n_voters)
    if (answered < encoded.judged.sum()).any():
        note += " If a voter has no list for a judged query, an empty list is measured."
    return note
