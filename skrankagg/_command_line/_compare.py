"""Command `skrankagg compare`, which measures several methods on the same lists."""

import time
import warnings

import numpy as np
import pandas as pd

from .. import Comparator
from .._data._qrels import encode_qrels
from .._support._sklearn import FitFailedWarning
from ..metrics import evaluate_voters
from ..metrics._relevance._registry import orient
from ..model_selection import latex_table, text_table
from ..model_selection._comparator import LISTS_LINE
from ..model_selection._significance import significance_marks
from ..plotting import ComparisonDisplay
from ._input import load_data
from ._messages import USER_MISTAKES, say
from ._method_names import FAST, fitting_methods, make_methods, seed_methods
from ._report import (
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

# With more voters than this number, the best single voter is not informative.
_MAX_SINGLE_VOTERS = 50
# Number of queries in the trial run, which estimates the duration; and least number of queries for such an estimate.
_TRIED, _WORTH = 3, 12


def compare(args, progress):
    if len(args.files) == 1 or (args.files and args.demo):
        args.parser.error("give at least two files, LISTS and QRELS, or give --demo")
    check_outputs(args.out, args.per_query, plot=args.plot)
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
        rows = [name for name, _ in methods] + (lists.voters.astype(str).tolist() if args.voters else [])
        args.baseline = find_baseline(args.baseline, rows)
    if everything:
        _tell_how_long(methods, lists, args, progress)

    count = progress.counter("methods", len(methods))

    def report(line):
        """Process a progress line: a line about the lists becomes a note; any other line counts a finished method."""
        if line.startswith(LISTS_LINE):
            notes.append(line.removeprefix(LISTS_LINE))
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
        error_score="raise" if len(methods) == 1 else np.nan,  # if there is only one method, its error is raised
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FitFailedWarning)  # failures are reported below
        comparator.fit(lists)
    for name, failure in comparator.failures_.items():
        warnings.warn(f"the row of {name} is empty because the method failed: {failure}", UserWarning, stacklevel=2)
    _print_results(args, comparator, lists, qrels, encoded, measures, notes, progress)
    write_results(best_first(comparator.results_), args.out)
    write_results(comparator.per_query_, args.per_query)
    if args.plot:
        save(ComparisonDisplay.from_comparator(comparator), args.plot)


def _print_results(args, comparator, lists, qrels, encoded, measures, notes, progress):
    results = best_first(comparator.results_)
    references = None if args.voters else _single_voters(lists, qrels, measures)
    footnotes = ["* marks the best value of a column."] if len(results) > 1 and not args.latex else []
    if args.cv is not None:
        footnotes.append(f"Methods that learn are measured on held-out queries, in {args.cv} folds.")
    footnotes += measure_notes(measures.values(), qrels, comparator.runs_.values())
    if references is not None:
        footnotes.append(_single_voter_note(lists, encoded))
    differences, marks = None, None
    if args.baseline is not None:
        progress.say("resampling the differences")
        if args.latex:
            marks = significance_marks(comparator.per_query_, args.baseline, list(measures)).reindex(results.index)
            footnotes.append(f"+ and - mark differences from {args.baseline} (t-test, corrected by Holm, at 0.05).")
        else:
            differences = difference_table(comparator.per_query_, args.baseline)
    if args.latex:
        print_notes(notes + footnotes, prefix="% ")
        print(latex_table(results, references=references, marks=marks))
        return
    print_notes(notes)
    print(f"\n{text_table(results, references=references)}\n")
    print_notes(footnotes)
    if differences is not None:
        print(f"\n{differences}")


def _tell_how_long(methods, lists, args, progress):
    """Run each method on a few queries, and print an estimate of the time for all queries."""
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
                continue  # failures are reported by the comparison
    seconds = (time.perf_counter() - start) * lists.n_queries / _TRIED
    took = f"{seconds / 60:.0f} minutes" if seconds > 90 else f"{seconds:.0f} seconds"
    say(f"{len(methods)} methods on {lists.n_queries} queries, about {took}")


def _single_voters(lists, qrels, measures):
    """Return the measures of the best voter, and the means over all voters.

    Return None if there is only one voter, or if there are too many.
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
