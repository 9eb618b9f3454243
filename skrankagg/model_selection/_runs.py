"""Results of methods that run on the same lists; each result is a consensus with its measures, or an error."""

import time
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd

from .._data._frames import plain_index
from .._support._sklearn import FitFailedWarning, clone
from .._support._warn import warn_user
from ..exceptions import InputError, InputTypeError
from ..metrics._judging._folds import fit_judged, hold_out
from ..metrics._judging._judged_lists import JudgedLists, fit_rank
from ..metrics._relevance._own_measure import OwnMeasure


@dataclass
class Outcome:
    """Result of running one method."""

    name: str
    estimator: object  # fitted, or an unfitted copy if the method failed; None for a voter
    measured: dict  # for each measure, an array of shape (n_judged_queries,); it has error scores if the method failed
    result: object = None  # the consensus, an EncodedConsensus or a frame
    elapsed: float = np.nan  # seconds of fit and aggregation
    error: Exception | None = None
    skipped: str = ""  # the reason, if the method was not run

    @property
    def failure(self):
        """Return the reason why the method was skipped, or the type and the text of its error."""
        if self.skipped:
            return self.skipped
        text = str(self.error)
        return type(self.error).__name__ + (f": {text}" if text else "")

    def failed_value(self, error_score):
        """Return the value that replaces the measures: NaN for a skipped method, `error_score` for a failed method."""
        return np.nan if self.skipped else float(error_score)


@dataclass
class Measuring:
    """Data that the functions of this module need to measure a method.

    `judged` contains the lists with their judgements. `measures` maps the name of each measure to the measure.
    `error_score` is the value of every measure for a failed method, or "raise" to raise the method's error.
    """

    judged: JudgedLists
    measures: dict
    error_score: object


def run_method(name, estimator, X, lists, measuring):
    """Fit a method in place, aggregate with it, and measure the consensus; `lists` is the encoded form of `X`."""
    return _run(name, estimator, lambda: fit_rank(estimator, X, lists), measuring)


def run_held_out(name, estimator, lists, aligned, folds, measuring):
    """Measure a method on held-out folds, then fit it in place on all lists.

    `aligned` contains the judgements aligned with the lists, or is None.
    """

    def aggregate():
        result = hold_out(estimator, lists, aligned, folds)
        fit_judged(estimator, lists, aligned)
        return result

    return _run(name, estimator, aggregate, measuring)


def skip_method(name, estimator, reason, measuring):
    """Return the Outcome of a method that is not run, with NaN for every measure."""
    constant = {measure: np.full(len(measuring.judged.queries), np.nan) for measure in measuring.measures}
    return Outcome(name, estimator, constant, skipped=reason)


def _run(name, estimator, aggregate, measuring):
    judged, measures, error_score = measuring.judged, measuring.measures, measuring.error_score
    own = {name: measure for name, measure in measures.items() if isinstance(measure, OwnMeasure)}
    start = time.perf_counter()
    try:
        result = aggregate()
        elapsed = time.perf_counter() - start
        graded = judged.grade(result)
        measured = judged.values(graded, {name: measures[name] for name in measures if name not in own})
    except Exception as error:
        if error_score == "raise":
            raise
        constant = {measure: np.full(len(judged.queries), float(error_score)) for measure in measures}
        # A clone replaces the estimator, because a partly fitted estimator would look usable.
        return Outcome(name, clone(estimator), constant, error=error)
    # An error of a custom measure is not a failure of the method.
    return Outcome(name, estimator, measured | judged.values(graded, own), result, elapsed)


def warn_of_failures(outcomes, error_score):
    """Warn about failed methods, or raise an error if no method ran; return a dict of method name to reason.

    The dict also contains the skipped methods, which cause no warning.
    """
    skipped = {outcome.name: outcome.failure for outcome in outcomes if outcome.skipped}
    failed = [outcome for outcome in outcomes if outcome.error is not None]
    if outcomes and len(skipped) == len(outcomes):
        found = "; ".join(f"{name!r} {reason}" for name, reason in skipped.items())
        raise InputError(
            f"At least one method must run; all are skipped: {found}. Raise skip_slower_than, or add a faster method."
        )
    if not failed:
        return skipped
    found = ", ".join(f"{one.name!r} ({one.failure.splitlines()[0]})" for one in failed)
    if len(failed) + len(skipped) == len(outcomes):
        mistakes = all(isinstance(one.error, (InputError, InputTypeError)) for one in failed)
        raise (InputError if mistakes else ValueError)(
            f"At least one method must succeed; all {'others ' * bool(skipped)}failed: {found}. Pass "
            "error_score='raise' to get the first error itself."
        ) from failed[0].error
    warn_user(
        f"{len(failed)} of {len(outcomes)} methods failed and got error_score={error_score:g} for every measure: "
        f"{found}. failures_ contains the full messages; error_score='raise' raises the first error.",
        FitFailedWarning,
    )
    return {one.name: one.failure for one in outcomes if one.skipped or one.error is not None}


def name_voters(lists, members):
    """Return the names of the voters as strings.

    `members` contains pairs of the name of a method and the method. If a voter and a method have the same name,
    InputError is raised.
    """
    voters = [str(voter) for voter in plain_index(lists.voters).tolist()]
    both = next((name for name, _ in members if name in voters), None)
    if both is not None:
        raise InputError(
            f"`with_voters` must be False if a voter and a method have the same name; got True, and {both!r} is the "
            "name of both. Rename the method."
        )
    return voters


def measure_voters(names, lists, judged, measures):
    """Measure the lists of each voter. Return an Outcome for each voter, without an estimator and without a time."""
    return [
        Outcome(name, None, measured, VoterRun(lists, voter))
        for voter, (name, measured) in enumerate(zip(names, judged.measure_voters(measures), strict=True))
    ]


class VoterRun:
    """A run that consists of the lists of one voter."""

    def __init__(self, lists, voter):
        self.lists = lists
        self.voter = voter

    def to_frame(self):
        """Return the lists as a frame with the columns of a consensus."""
        own = self.lists.keep_lists(self.lists.list_voter == self.voter)[0].to_frame()
        return own[[name for name in ("query", "item", "score", "rank") if name in own]]


class Runs(Mapping):
    """Mapping from the name of a method to its consensus frame; frames are built on access.

    Failed methods have no frame.
    """

    def __init__(self, results, failures):
        self._results = results
        self._failures = failures

    def __getitem__(self, name):
        if name in self._failures:
            raise KeyError(f"{name!r} has no consensus because it failed: {self._failures[name]}")
        result = self._results[name]
        return result if isinstance(result, pd.DataFrame) else result.to_frame()

    def __iter__(self):
        return iter(self._results)

    def __len__(self):
        return len(self._results)

    def __repr__(self):
        return f"<consensus of {', '.join(self)}>"
