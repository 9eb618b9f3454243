"""Checks for all list transformers."""

import warnings

import numpy as np
from sklearn.base import clone

from ..._data._ranked_lists import RankedLists
from ...aggregators import CombSUM, MarkovChain
from ...exceptions import NotComparedWarning, PartialListsWarning
from ._shared import example_lists, fit, fit_transform, same


def check_kind(transformer):
    """Check that the transformer returns RankedLists for RankedLists, and a frame with the same lists for a frame."""
    lists = example_lists()
    frame = fit_transform(clone(transformer), lists)
    encoded = fit_transform(clone(transformer), RankedLists.from_frame(lists))
    assert hasattr(frame, "columns"), f"a frame must be returned as a frame, not as {type(frame).__name__}"
    assert isinstance(encoded, RankedLists), f"RankedLists must give RankedLists, not {type(encoded).__name__}"
    same(encoded, frame, "RankedLists give other lists than a frame")


def check_lists_out(transformer):
    """Check that the returned RankedLists do not change when they are converted to a frame and back."""
    encoded = fit_transform(clone(transformer), RankedLists.from_frame(example_lists()))
    again = RankedLists.from_frame(encoded.to_frame(), score="score" if encoded.has_scores else None)
    for name in ("list_ptr", "row_ptr", "candidate", "rank", "candidate_ptr"):
        assert np.array_equal(getattr(encoded, name), getattr(again, name)), f"`{name}` does not match the lists"


def check_before_an_aggregator(transformer):
    """Check that a pipeline of the transformer and an aggregator gives the same result for frames and RankedLists."""
    lists = example_lists()
    steps = fit(clone(transformer), lists)
    aggregator = MarkovChain()  # accepts lists that were cut to two items
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NotComparedWarning)  # in short lists, some items may not be compared
        warnings.simplefilter("ignore", PartialListsWarning)
        same(
            aggregator.fit_transform(steps.transform(RankedLists.from_frame(lists))),
            aggregator.fit_transform(steps.transform(lists)),
            "RankedLists give another consensus than a frame",
        )


def check_after_an_aggregator(transformer):
    """Check that the transformer accepts a consensus, which is treated as one list of the voter ``consensus``."""
    consensus = CombSUM(norm="borda").fit_transform(example_lists())
    fit(clone(transformer), consensus).transform(consensus)


TRANSFORMER_CHECKS = [function for name, function in list(globals().items()) if name.startswith("check_")]
