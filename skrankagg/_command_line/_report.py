"""Output of the commands: notes on the data, tables and plots."""

import os
import re
import textwrap

import numpy as np
import pandas as pd

from .._data._ranked_lists import RankedLists
from .._support._suggestions import did_you_mean, find_same
from .._support._text_tables import aligned_table, show_pvalue
from ..datasets._writers import output_format, write_table
from ..metrics._relevance._registry import get_measures, orient
from ..model_selection._comparator import BEST_VOTER
from ..model_selection._significance import BEST
from ..plotting._display import plot_formats
from ._messages import UserError, name_file_in_errors

# Rows that an error message lists.
_SHOWN = 30


def describe_data(lists, qrels, encoded):
    n_judged = int(encoded.judged.sum())
    known = ~np.isnan(encoded.relevance[encoded.judged[lists.candidate_query]])
    ranked = "all" if known.all() else f"{known.mean():.1%}"
    notes = [
        f"Lists: {lists.n_queries:,} queries, {lists.n_voters:,} voters, {lists.n_rows:,} rows, "
        f"{'ranks and scores' if lists.has_scores else 'ranks only'}{', weighted' if lists.is_weighted else ''}. "
        f"Qrels: {ranked} of the ranked items judged."
    ]
    if n_judged < lists.n_queries:
        notes.append(f"{lists.n_queries - n_judged:,} queries without judgements are not measured.")
    if n_judged < qrels.n_queries:
        notes.append(f"{qrels.n_queries - n_judged:,} judged queries without lists are not measured.")
    return notes


def read_measures(args):
    """Return a dict of name to measure; each name includes the conventions given by flags, such as --gain."""
    conventions = {"gain": args.gain, "ties": args.ties, "relevance_threshold": args.relevance_threshold}
    given = {name: value for name, value in conventions.items() if value is not None}
    # A comma ends a name, unless it is inside brackets or between two cutoffs.
    names = [name for text in args.metrics for name in re.split(r",(?=\d*[A-Za-z])(?![^\[(]*[\])])", text)]
    measures = get_measures(names, **given)
    return {str(measure): measure for measure in measures.values()} if given else measures


def measure_notes(measures, qrels, runs):
    """Return notes on differences from trec_eval: the gains of DCG, and the order of tied items."""
    notes = []
    gains = {one.options.get("gain", "exponential") for one in measures if one.name in {"dcg", "ndcg"}}
    if "exponential" in gains and (qrels.relevance > 1).any():
        notes.append("Gains of DCG are exponential, 2^grade - 1; trec_eval uses linear gains: --gain linear.")
    if any(one.options.get("ties", "order") == "order" for one in measures) and any(map(_has_ties, runs)):
        notes.append(
            "Items of equal score are measured in the order of their ranks; trec_eval sorts them by descending id: "
            "--ties trec_eval."
        )
    return notes


def _has_ties(run):
    if isinstance(run, RankedLists):
        if not run.has_scores:
            return False
        order = np.lexsort((run.score, run.row_list))
        score, row_list = run.score[order], run.row_list[order]
        return bool(((score[1:] == score[:-1]) & (row_list[1:] == row_list[:-1])).any())
    return "score" in run and bool(run.duplicated(["query", "score"]).any())


def best_first(table):
    """Sort the rows of a table by its first measure, best first."""
    return table.iloc[np.argsort(-orient(table.iloc[:, 0].to_numpy(), table.columns[0]), kind="stable")]


def difference_table(found, per_query):
    """Return a text table of the differences from a baseline, with intervals and corrected p-values.

    `found` is the result of `compare_methods`; its first row is the baseline.
    """
    baseline = found.index[0]
    measure, n = per_query.columns[0], per_query.index.get_level_values(1).nunique()
    rows = best_first(found.drop(index=baseline).rename(columns={"mean": measure}))
    cells = pd.DataFrame(
        {
            measure: [show_number(one, ".4f") for one in rows[measure]],
            "difference": [show_number(one, "+.4f") for one in rows["difference"]],
            "95 % interval": [
                "-" if np.isnan(low) else f"{low:+.4f} to {high:+.4f}"
                for low, high in zip(rows["low"], rows["high"], strict=True)
            ],
            **{name: rows[name].astype(int).astype(str) for name in ("wins", "ties", "losses")},
            "p": [show_pvalue(one) for one in rows["adjusted"]],
        },
        index=rows.index,
    )
    head = f"Difference from {baseline} ({measure} {found.loc[baseline, 'mean']:.4f}) over {n} queries:"
    foot = "Intervals: from a bootstrap over the queries, uncorrected. p: from a paired t-test, corrected by Holm."
    return f"{head}\n\n{plain_table(cells)}\n\n{foot}"


def baseline_notes(baseline):
    """Return notes on a baseline as a list: a warning if it is "best" or "best voter"; otherwise, the list is empty.

    Such a baseline is chosen and tested on the same queries, so the p-values of the comparisons with it are too small.
    """
    if baseline not in (BEST, BEST_VOTER):
        return []
    return ["The baseline was chosen and tested on the same queries, so the p-values are somewhat too small."]


def show_number(value, format=".6g"):
    """Format a number as text; a missing number becomes a dash."""
    return "-" if np.isnan(value) else f"{value:{format}}"


def find_baseline(baseline, names, words=(), voters=()):
    """Return the name of the row that --baseline names, ignoring case; raise UserError if there is no such row.

    `words` are further accepted names, such as "best". `voters` are the names of the rows that --voters adds.
    """
    known = [*names, *words]
    found = baseline if baseline in known else find_same(baseline, known)
    if found is None:
        shown = ", ".join(names[:_SHOWN]) + (f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else "")
        is_voter = baseline in voters or (len(voters) > 0 and find_same(baseline, [BEST_VOTER]) is not None)
        hint = " The option --voters adds rows for the voters." if is_voter else ""
        meant = "" if hint else did_you_mean(baseline, known)
        raise UserError(f"there is no row {baseline!r} to compare with{meant}; the rows are {shown}.{hint}")
    return found


def plain_table(cells, title="method"):
    """Format a frame of text cells as a table with right-aligned numbers and a line below the header."""
    rows = [[title, *map(str, cells)]]
    rows += [[str(name), *map(str, row)] for name, *row in cells.itertuples(name=None)]
    return aligned_table(rows)


def print_notes(notes, prefix=""):
    for note in notes:
        lines = textwrap.wrap(note, 100 - len(prefix), break_long_words=False, break_on_hyphens=False)
        print(*(prefix + line for line in lines), sep="\n")


def check_outputs(*tables, run=None, plot=None):
    """Raise UserError before the work begins if an output cannot be written.

    Parameters
    ----------
    *tables : str or None
        Files for results; None for no file.
    run : str or None
        File for a consensus.
    plot : str or None
        File for a plot.
    """
    paths = [path for path in (*tables, run, plot) if path is not None]
    for path in paths:
        folder = os.path.dirname(path)
        if folder and not os.path.isdir(folder):
            raise UserError(f"cannot write {path!r}: there is no folder {folder!r}.")
        if [os.path.abspath(other) for other in paths].count(os.path.abspath(path)) > 1:
            raise UserError(f"cannot write two results to {path!r}: name another file for one of them.")
        if path == plot:
            suffix, known = os.path.splitext(path)[1].lower().removeprefix("."), plot_formats()
            if suffix and suffix not in known:
                raise UserError(f"cannot write {path!r}: expected a name that ends in .{', .'.join(known)}.")
            continue
        try:
            output_format(path, runs=path == run)
        except ValueError as error:
            raise UserError(f"cannot write {path!r}: {error}.") from None


def write_results(frame, path):
    """Write results in the format of the file's suffix, or as CSV without a suffix; do nothing if `path` is None."""
    if path is not None:
        with name_file_in_errors(path, "write"):
            write_table(frame.reset_index(), path, output_format(path) or "csv")


def save(display, path):
    with name_file_in_errors(path, "write"):
        display.figure_.savefig(path, dpi=150)
