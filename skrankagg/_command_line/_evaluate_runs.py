"""Command `skrankagg evaluate`, which measures existing runs with relevance judgements."""

import pandas as pd

from .. import evaluate as measure_runs
from .._data._ranked_lists import check_run
from ..model_selection import compare_methods, latex_table, text_table
from ..model_selection._report_tables import mean_table
from ..model_selection._significance import BEST
from ._input import load_qrels, load_runs
from ._messages import name_file_in_errors
from ._report import (
    baseline_notes,
    best_first,
    check_outputs,
    difference_table,
    find_baseline,
    measure_notes,
    print_notes,
    read_measures,
    write_results,
)


def evaluate(args, progress):
    measures = read_measures(args)  # checked first, because a missing file may be read as the name of a measure
    if len(args.files) < 2:
        args.parser.error("give at least one run, and the qrels last")
    check_outputs(args.out)
    *texts, last = args.files
    qrels = load_qrels(last, progress)
    runs = load_runs(texts, args, progress)
    if args.baseline is not None:
        args.baseline = find_baseline(args.baseline, list(runs), [BEST])
    for name, run in runs.items():
        with name_file_in_errors(name, "evaluate"):
            check_run(run)
    progress.say("measuring")
    options = {"metrics": list(measures), "missing_queries": args.missing_queries}
    per_query: pd.DataFrame = measure_runs(runs, qrels, per_query=True, **options)
    notes = measure_notes(measures.values(), qrels, runs.values())
    table = per_query if args.per_query else best_first(mean_table(per_query))
    write_results(table, args.out)
    if args.latex:
        print_notes([*notes, *baseline_notes(args.baseline)], prefix="% ")
        if args.baseline is None:
            print(latex_table(per_query if args.per_query else mean_table(per_query)))
        else:
            print(latex_table(per_query, baseline=args.baseline))
        return
    print(text_table(table, mark_best=not args.per_query))
    if notes:
        print()
        print_notes(notes)
    if args.baseline is not None:
        progress.say("resampling the differences")
        print(
            f"\n{difference_table(compare_methods(per_query, args.baseline, metric=per_query.columns[0]), per_query)}"
        )
        print_notes(baseline_notes(args.baseline))
