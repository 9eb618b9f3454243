"""Numbers and caveats of a report on a consensus."""

import numpy as np
from sklearn.base import clone

from .._data._covariates import covariate_names
from .._data._list_columns import group_names, grouping
from .._data._ranked_lists import RankedLists
from ..exceptions import InputError
from ..inspection import (
    audit,
    preference_probabilities,
    rank_confidence,
    rank_stability,
    voter_contributions,
    voter_influence,
)
from ..inspection._arguments import begin
from ._plotted_values import lists_of_query, unit_words
from ._report_page import Text

_FEW = 5
# With at least this many units, the report shows intervals over draws instead of confidence sets.
FEW_FOR_INTERVALS = 50
# For larger sizes, confidence sets or comparisons of pairs are left out, because they would take minutes.
_CONFIDENCE_CELLS, _MOST_PAIRED = 2e10, 500


def count(n, one, many=None):
    """Format a number with a noun, in the singular or plural."""
    return f"{n} {one if n == 1 else many or one + 's'}"


def has_sets(frames):
    """Return True if :func:`rank_confidence` found a confidence set, a range of ranks, for every item."""
    return "confidence" in frames and frames["confidence"]["rank_low"].notna().all()


def shows_confidence(facts, frames):
    """Return True if the report shows the confidence sets of ranks instead of the intervals over random draws.

    It does so if few lists, voters or other units can be drawn, and every item has a confidence set.
    """
    return facts["n_units"] < FEW_FOR_INTERVALS and has_sets(frames)


def collect(
    aggregator, lists, query, *, top, n_places, n_resamples, confidence, unit, with_audit, random_state, n_jobs
):
    """Compute the content of a report, and return it as a tuple of two dicts and a list.

    The first dict contains the result frames by name. The second contains facts about the method, the lists and the
    settings. The list contains caveats: sentences that warn the reader about limits of the results.
    """
    lists = lists_of_query("ranking_report", lists, query, unit)
    caveats, frames = [], {}
    if with_audit:
        frames["audit"] = _audit(aggregator, lists, unit, n_resamples, random_state)
    draws = {"n_resamples": n_resamples, "unit": unit, "random_state": random_state}
    prepared = begin(aggregator, lists)  # raises if the argument is not an aggregator or must be fitted first
    can_weigh = aggregator.__sklearn_tags__().aggregator_tags.voter_weights
    if can_weigh:
        stability = rank_stability(
            aggregator, lists, places=sorted({1, n_places}), confidence=confidence, n_jobs=n_jobs, **draws
        )
        frames["stability"] = stability
        if (stability["n_resamples"] < n_resamples).any():
            failed = n_resamples - int(stability["n_resamples"].min())
            caveats.append(Text("The method failed in {} draws. These draws are left out.", (failed,)))
    else:
        words = "{} does not accept weights of lists, so lists cannot be drawn at random."
        caveats.append(Text(words, (type(aggregator).__name__,)))
    own, board = aggregator, lists
    if unit == "query":
        own, board = _pooled(aggregator, prepared)
        prepared = begin(own, board)
    frames["consensus"] = own._rank(prepared).to_frame()
    n_units = _n_units(lists, unit)
    if can_weigh:
        frames |= _confidence_sets(aggregator, lists, prepared, confidence, draws, caveats)
        if prepared.n_items <= _MOST_PAIRED:
            pairs = preference_probabilities(aggregator, lists, n_jobs=n_jobs, **draws)
            frames["preferences"] = pairs.iloc[:top, :top]
    try:
        frames["contributions"] = voter_contributions(own, board)
    except InputError:
        name = type(aggregator).__name__
        caveats.append(Text("The scores of {} are not sums over the lists, so the report contains no shares.", (name,)))
    if prepared.n_lists > 1:
        left_out = unit if unit in group_names(lists) else "list"
        frames["influence"] = voter_influence(own, board, mode="silence" if can_weigh else "drop", unit=left_out)
    length = prepared.list_length
    facts = {
        "query": frames["consensus"]["query"].iloc[0],
        "method": aggregator,
        "lists": count(prepared.n_lists, "list"),
        "voters": count(len(np.unique(lists.list_voter)), "voter"),
        "n_lists": prepared.n_lists,
        "weight": float(prepared.list_weight.sum()),
        "n_items": prepared.n_items,
        "pairs_only": (
            prepared.list_duel is not None
            and bool((prepared.list_duel != 0).all())
            and getattr(own, "absent", None) in ("auto", "ignore")
        ),
        "length": (int(length.min()), float(np.median(length)), int(length.max())),
        "has_groups": unit in group_names(lists),
        "k": n_places,
        "confidence": confidence,
        "n_units": n_units,
        "can_weigh": can_weigh,
        **draws,
    }
    return frames, facts, [*_always(facts, frames), *caveats]


def _audit(aggregator, lists, unit, n_resamples, random_state):
    """Return the result of :func:`audit` for lists that are paired comparisons.

    If the method is a PlackettLuce, its prior is used; otherwise the default prior of :func:`audit` is used.
    """
    if unit == "query":
        raise InputError(
            "`audit` must be False if unit='query', which pools the lists of all queries into one ranking. Pass "
            "another unit."
        )
    method = aggregator if hasattr(aggregator, "_log_likelihood_after") else None
    of_groups = unit if unit in group_names(lists) else None
    return audit(lists, method, unit=of_groups, n_resamples=n_resamples, random_state=random_state)


def _n_units(lists, unit):
    counted = lists.list_weight > 0
    codes = {"list": np.arange(lists.n_lists), "voter": lists.list_voter, "query": lists.list_query}.get(unit)
    codes = grouping(lists, unit, "unit")[0] if codes is None else codes
    return len(np.unique(codes[counted]))


def _pooled(aggregator, prepared):
    """Pool the lists of all queries into one query; the new name of each voter contains the query.

    The function returns a clone of the method without weights of voters, and the pooled lists.
    """
    frame = prepared.to_frame()
    frame["weight"] = prepared.list_weight[prepared.row_list]
    several = (np.diff(prepared.list_ptr) > 1).any()
    voter = frame["query"].astype(str)
    voter = voter + " / " + frame["voter"].astype(str) if several else voter
    method = clone(aggregator)
    if "voter_weights" in method.get_params(deep=False):
        method.set_params(voter_weights=None)
    pooled = frame.assign(query="all", voter=voter)
    return method, RankedLists.from_frame(pooled, covariates=covariate_names(prepared) or None)


def _confidence_sets(aggregator, lists, prepared, confidence, draws, caveats):
    if draws["n_resamples"] * prepared.n_lists * float(prepared.n_items) ** 2 > _CONFIDENCE_CELLS:
        caveats.append(Text("Confidence sets were left out, because they take long for so many items and lists."))
        return {}
    try:
        return {"confidence": rank_confidence(aggregator, lists, confidence=confidence, **draws)}
    except InputError:
        words = "There are no confidence sets for {}, whose scores are not sums of independent per-list scores."
        caveats.append(Text(words, (repr(aggregator),)))
        return {}


def _always(facts, frames):
    """Return sentences about the limits of a report's results that follow from `facts` and `frames`."""
    texts = []
    units = unit_words(facts["unit"])
    if facts["can_weigh"]:
        n = facts["n_units"]
        there = f"{'is' if n == 1 else 'are'} {count(n, facts['unit'], units)}"
        if n < _FEW:
            words = "There {} to draw from. This is too few to show how certain the consensus is."
            texts.append(Text(words, (there,)))
        elif n < FEW_FOR_INTERVALS:
            words = (
                "There {} to draw from. With 10 lists, intervals of 95 % of the draws covered the true rank in 88 to "
                "94 % of simulated cases. For the best item they covered the first place in about 81 % of cases with "
                "10 lists, in 90 % with 20 and in 95 % with 50."
            )
            if has_sets(frames):
                words += " Confidence sets are therefore shown instead."
            texts.append(Text(words, (there,)))
        texts.append(
            Text(
                "Places over draws show how stable the consensus is, not which item is better: of two "
                "equally good items, one can lead in nearly all draws. Confidence sets answer that question."
            )
        )
        texts.append(
            Text(
                "Draws treat the {} as independent. If some of them copy others, the consensus seems too certain.",
                (units,),
            )
        )
    if facts["length"][1] < facts["n_items"] and not facts["pairs_only"]:
        texts.append(
            Text(
                "The median list contains {} of {}, so the treatment of absent items decides many places.",
                (f"{facts['length'][1]:g}", count(facts["n_items"], "item")),
            )
        )
    if "contributions" in frames:
        texts.append(
            Text(
                "A share is the amount that a list adds to the current score, not the loss of the item without the "
                "list."
            )
        )
    if "influence" in frames:
        one = "group" if facts["has_groups"] else "list"
        words = "Each {0} is tested separately at the level of 5 %: of 100 good {0}s, up to 5 are marked as outliers."
        if not facts["has_groups"]:
            words += (
                " Reversed lists of at least 10 items are nearly all found if the other lists agree well. Shorter "
                "reversed lists are found less often."
            )
        words += " A {0} that differs need not be wrong, and {0}s of one bad source support each other."
        texts.append(Text(words.format(one)))
    return texts
