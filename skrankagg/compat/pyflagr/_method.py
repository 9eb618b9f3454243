"""Common base class of this package's methods, with PyFLAGR's ``aggregate``."""

import inspect
import os
import secrets
import string
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

import numpy as np
import pandas as pd

from ..._arrays._ragged import positions
from ..._support._checks import check_choice, check_count
from ..._support._threads import one_blas_thread
from ._evaluation import evaluate_run
from ._input_check import encode_judgements, encode_profile, ids_out
from ._quirks import Convention, quirks_of
from ._ranking import rank_table

#: A file or a folder; as in PyFLAGR, "" means that there is no file.
AnyPath: TypeAlias = str | os.PathLike[str]

# Quirks that do not change the aggregated lists, or that only round a parameter. If there are no other quirks, the main
# estimator is used.
_OUTSIDE = frozenset({"float32", "six_decimals", "eval.positive_only", "eval.idcg_retrieved", "eval.zero_past_end"})


@dataclass(frozen=True)
class Run:
    """Encoded consensus of all queries.

    Parameters
    ----------
    candidate : ndarray of shape (n_rows,), dtype=int64
        The candidate of each row of the aggregated lists. Rows are ordered by query; the best candidate of a query is
        first.
    ptr : ndarray of shape (n_queries + 1,), dtype=int64
        Row offsets: query ``q`` has the rows ``ptr[q]`` to ``ptr[q + 1] - 1``.
    score : ndarray of shape (n_rows,), dtype=float64
        Score of each row.
    """

    candidate: np.ndarray
    ptr: np.ndarray
    score: np.ndarray


def is_given(file, frame):
    """Return True if a file or a frame was passed."""
    return frame is not None or isinstance(file, os.PathLike) or len(file) > 0


def one_of(name, value, options):
    """Return `value` if it is one of the options; otherwise raise InputError.

    PyFLAGR silently replaces other values.
    """
    check_choice(name, value, options)
    return value


# Descriptions of parameters, which the docstrings of the methods refer to by name.
_TEXTS = {
    "eval_pts": """eval_pts : int, default=10
    Largest cutoff of the measures.""",
    "convention": """convention : {"flagr", "papers"} or collection of str, default="flagr"
    Quirks to follow, see :data:`~skrankagg.compat.pyflagr.QUIRKS`.""",
    "steps": """ergodic_number : float, default=0.15
    Probability of a jump to any item.
max_iterations : int, default=100
    One more than the number of steps.""",
}


class Method:
    """Base class of all methods of this package.

    A subclass must define ``_number``, which is FLAGR's number of the aggregator, and two methods. ``_paper()`` returns
    skrankagg's estimator for the same method, without FLAGR's quirks. ``_scores(table)`` returns two values: the table
    of the lists, which may have been cut, and a score for each item.

    Parameters
    ----------
    eval_pts : int, default=10
        Largest cutoff of the measures.
    convention : {"flagr", "papers"} or collection of str, default="flagr"
        Quirks of FLAGR to follow. With "flagr", all quirks are followed; with "papers", no quirks are followed. A
        collection contains the names of the quirks to follow.
    """

    def __init_subclass__(cls) -> None:
        """Insert shared descriptions of parameters into the docstring of a subclass."""
        if cls.__doc__ and "%(" in cls.__doc__:
            cls.__doc__ = f"{inspect.cleandoc(cls.__doc__) % _TEXTS}\n"

    def __init__(self, eval_pts: int = 10, *, convention: Convention = "flagr") -> None:
        check_count("eval_pts", eval_pts)
        self.eval_pts: int = int(eval_pts)
        self.convention: Convention = convention
        self._quirks = quirks_of(convention)

    @one_blas_thread
    def aggregate(
        self,
        input_file: AnyPath = "",
        input_df: pd.DataFrame | None = None,
        rels_file: AnyPath = "",
        rels_df: pd.DataFrame | None = None,
        out_dir: AnyPath | None = None,
    ) -> tuple[pd.DataFrame, pd.DataFrame]:
        """Aggregate the lists of each query, and measure the result if there are judgements.

        Parameters
        ----------
        input_file : str or path-like, default=""
            File of lists, without a header. The columns are query, voter, item, rank, score and source; the rank may be
            omitted.
        input_df : DataFrame, default=None
            The lists as a frame. The columns have the same order, or are named `query`, `voter`, `item`, `rank`,
            `score`.
        rels_file : str or path-like, default=""
            File of judgements, without a header. The columns are query, 0, item and relevance.
        rels_df : DataFrame, default=None
            The judgements as a frame. The columns have the same order, or are named `query`, `item`, `relevance`.
        out_dir : str or path-like, default=None
            Folder for copies of both frames, which are named ``out_<letters>.csv`` and ``eval_<letters>.csv`` with
            random letters.

        Returns
        -------
        df_out : DataFrame
            The consensus, with columns `Query`, `Voter`, `ItemID`, `Rank`, `Score`, `Aggregator`.
        df_eval : DataFrame
            Columns `q`, `num_ret`, `num_rel`, `num_rel_ret`, `map`, `P_1`..., `recall_1`..., `dcg_cut_1`...,
            `ndcg_cut_1`..., `time`; there is a row for each query, and a row `all`. The frame is empty if there are no
            judgements. `time` is the number of seconds for aggregating and measuring all queries, without reading the
            data.
        """
        profile = encode_profile(input_file, input_df, self._quirks)
        encoded = encode_judgements(rels_file, rels_df, profile) if is_given(rels_file, rels_df) else None
        run, df_eval = self._run_and_evaluate(profile, encoded)
        df_out = self._consensus_frame(profile, run)
        if out_dir is not None:
            self._write(Path(out_dir), df_out, df_eval)
        return df_out, df_eval

    def _run_and_evaluate(self, profile, encoded):
        """Aggregate the lists in `profile`; return the result, and a frame of measures as in :meth:`aggregate`.

        `encoded` contains the judgements, or is None. Without judgements, the frame is empty.
        """
        start = time.perf_counter()
        run = self._run(profile)
        table = pd.DataFrame()
        if encoded is not None:
            table = evaluate_run(profile, encoded, run, self.eval_pts, self._quirks)
        table["time"] = time.perf_counter() - start
        return run, table

    def _consensus_frame(self, profile, run):
        lists, queries = profile.lists, ids_out(profile.queries)
        score = np.round(run.score, 6) if "six_decimals" in self._quirks else run.score
        return pd.DataFrame(
            {
                "Query": queries.take(lists.queries[lists.candidate_query[run.candidate]]),
                "Voter": "PyFLAGR",
                "ItemID": ids_out(lists.items).take(lists.candidate_item[run.candidate]),
                "Rank": positions(run.ptr),
                "Score": score,
                "Aggregator": self._number,
            }
        )

    @staticmethod
    def _write(folder, df_out, df_eval):
        if not folder.is_dir():
            raise NotADirectoryError(f"`out_dir` must be an existing folder; got {str(folder)!r}.")
        letters = "".join(secrets.choice(string.ascii_lowercase) for _ in range(16))
        df_out.to_csv(folder / f"out_{letters}.csv", index=False, header=False)
        if len(df_eval):
            df_eval.drop(columns="time").to_csv(folder / f"eval_{letters}.csv", index=False)

    # ------------------------------------------------------------------ hooks of the methods

    def _scores(self, table):
        raise NotImplementedError(f"{type(self).__name__} must define _scores(table).")

    def _follows_paper(self):
        return self._quirks <= _OUTSIDE

    def _paper(self):
        """Return skrankagg's estimator for the method, or None if this package has its own code for the method."""
        raise NotImplementedError(f"{type(self).__name__} must define _paper().")

    def _paper_score(self, ranked):
        """Return the scores for the output frame if the estimator from :meth:`_paper` computed the consensus.

        `ranked` is the result of the estimator. By default, its scores are used unchanged.
        """
        return ranked.score

    def _run(self, profile):
        estimator = self._paper() if self._follows_paper() else None
        if estimator is not None:
            ranked = estimator._rank(estimator._prepare(profile.lists))
            return Run(ranked.order, profile.lists.candidate_ptr, self._paper_score(ranked))
        candidates, scores = [], []
        for table in profile.tables():
            left, score = self._scores(table)
            order, score = rank_table(left, score, self._quirks)
            candidates.append(profile.lists.candidate_ptr[table.query] + left.items[order])
            scores.append(score)
        ptr = np.concatenate([[0], np.cumsum([len(one) for one in candidates])])
        return Run(np.concatenate(candidates), ptr, np.concatenate(scores))
