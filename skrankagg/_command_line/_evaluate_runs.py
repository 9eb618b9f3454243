"""Command `skrankagg evaluate`, which evaluates existing runs with relevance judgements."""

import pandas as pd

from .. import evaluate as measure_runs
from .._data._ranked_lists import check_run
from ..model_selection import text_table
from ._input import load_qrels, load_runs
from ._messages import name_file_in_errors
from ._report import (
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
    measures = read_measures(args)  # checked first, because the name of a missing file may look like a measure
    if len(args.files) < 2:
        args.parser.error("give at least one run, and the qrels last")
    check_outputs(args.out)
    *texts, last = args.files
    qrels = load_qrels(last, progress)
    runs = load_runs(texts, args, progress)
    if args.baseline is not None:
        args.baseline = find_baseline(args.baseline, list(runs))
    for name, run in runs.items():
        with name_file_in_errors(name, "evaluate"):
            check_run(run)
    progress.say("measuring")
    options = {"metrics": list(measures), "missing_queries": args.missing_queries}
    table = measure_runs(runs, qrels, per_query=args.per_query, **options)
    table = table if args.per_query else best_first(table)
    print(text_table(table, mark_best=not args.per_query))
    notes = measure_notes(measures.values(), qrels, runs.values())
    if notes:
        print()
        print_notes(notes)
    if args.baseline is not None:
        progress.say("resampling the differences")
        per_query: pd.DataFrame = table if args.per_query else measure_runs(runs, qrels, per_query=True, **options)
        print(f"\n{difference_table(per_query, args.baseline)}")
    write_results(table, args.out)
