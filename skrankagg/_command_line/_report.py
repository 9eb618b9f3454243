"""Output: notes on the data, tables and plots in files."""

import os
import textwrap

import numpy as np

from ..datasets._writers import output_format, write_table
from ..plotting._display import plot_formats
from ._messages import UserError, naming

__all__ = ["check_outputs", "describe_data", "gain_notes", "print_notes", "save", "write_results"]


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


def gain_notes(measures, qrels):
    gains = {one.options.get("gain", "exponential") for one in measures if one.name in {"dcg", "ndcg"}}
    if "exponential" in gains and (qrels.relevance > 1).any():
        return ["Gains of DCG are exponential, 2^grade - 1; trec_eval's are linear: ndcg@10[gain=linear]."]
    return []


def print_notes(notes, prefix=""):
    for note in notes:
        lines = textwrap.wrap(note, 100 - len(prefix), break_long_words=False, break_on_hyphens=False)
        print(*(prefix + line for line in lines), sep="\n")


def check_outputs(*tables, run=None, plot=None):
    """Refuse what cannot be written before the work rather than after it.

    Parameters
    ----------
    *tables : str or None
        Files for results; None for none.
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
            raise UserError(f"cannot write {path!r} twice: name another file for one of the two.")
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
    """Write results in the format of the file's name, or as CSV where it has no suffix."""
    if path is not None:
        with naming(path, "write"):
            write_table(frame.reset_index(), path, output_format(path) or "csv")


def save(display, path):
    with naming(path, "write"):
        display.figure_.savefig(path, dpi=150)
