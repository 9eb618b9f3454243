"""Quirks of FLAGR 1.0.18: named deviations from the papers.

>>> from skrankagg.compat.pyflagr._quirks import QUIRKS, quirks_of
>>> sorted(quirks_of({"outrank.sum", "eval.positive_only"}))
['eval.positive_only', 'outrank.sum']
>>> quirks_of("flagr") == set(QUIRKS), quirks_of("papers")
(True, frozenset())
"""

from collections.abc import Collection
from typing import Literal, TypeAlias

from ...exceptions import InputError

__all__ = ["QUIRKS"]

#: Types of a convention: "flagr" (all quirks), "papers" (no quirks), or a collection of names of quirks.
Convention: TypeAlias = Literal["flagr", "papers"] | Collection[str]

#: Quirks of FLAGR 1.0.18 by name. The text describes FLAGR's behaviour and, after the semicolon, the behaviour without
#: the quirk.
QUIRKS: dict[str, str] = {
    "rank.verbatim": "ranks count as written, including gaps and ties; otherwise only the order of the ranks counts, "
    "and ties share their mean rank",
    "unsigned": "places are subtracted as unsigned 32-bit numbers, so a rank beyond the number of places is worth 4e9 "
    "points; otherwise such a rank is worth a negative number of points",
    "absent_voters": "every voter of the file has a list for every query, even an empty list; otherwise a voter that "
    "ranks nothing has no list for the query",
    "float32": "parameters are rounded to 32 bits; otherwise they are used as given",
    "sum.file_order": "scores are added up in the order of the file, and a difference in the last bit orders two "
    "items; otherwise rounding has no effect, and equal scores tie",
    "six_decimals": "scores and measures are printed with six decimals; otherwise they are not rounded",
    "eval.positive_only": "a relevant item whose score is not above 0 does not count as found; otherwise the item "
    "counts as found",
    "eval.idcg_retrieved": "the ideal ranking consists of the returned items; otherwise it consists of all judged "
    "items",
    "eval.zero_past_end": "all measures are 0 at cutoffs beyond the end of the list; otherwise they are computed there "
    "as at other cutoffs",
    "outrank.sum": "an item's score is the number of concordant lists, added up over the items that it outranks; "
    "otherwise the class with the best net qualification is removed repeatedly",
    "outrank.both_absent": "a list ties two items that it lacks, and agrees in both directions; otherwise the list "
    "does not compare the two items",
    "outrank.truncate": "thresholds are truncated to integer numbers of places and lists; otherwise thresholds are "
    "shares as given",
    "mc12.not_dwork": "MC1 moves to any item unless all lists prefer the current item, and MC2 unless more than half "
    "of the lists do; otherwise MC1 and MC2 follow Dwork et al.",
    "mc.both_accumulates": "the number of lists that contain both items is accumulated along a row; otherwise each "
    "pair has its own number",
    "mc3.direction": "MC3 moves to worse items; otherwise MC3 moves to better items",
    "mc3.self_uniform": "MC3 proposes any item of the query; otherwise MC3 proposes an item of a list that contains "
    "the current item",
    "mc4.majority_of_all": "MC4 moves unless more than half of all lists prefer the current item; otherwise only the "
    "lists that contain both items count",
    "mc.fixed_steps": "the walk ends one step before `max_iterations`; otherwise the walk ends when its probabilities "
    "stop changing",
    "kemeny.tau_mean": "the sum over the lists of the share of concordant pairs is maximised, without absent items; "
    "otherwise the number of disagreements is minimised, with absent items below the ranked items",
    "prefrel.start_1": "the count of a list's disagreements starts at 1; otherwise the count starts at 0",
    "prefrel.all_absent": "any two items absent from a list cost the list one half; otherwise only two items with a "
    "majority between them cost one half",
    "agg.start_1": "the weight of a voter starts at 1; otherwise the weight starts at 0",
    "agg.rho_partial": "two lists are compared on their common items, by the length of the first list; otherwise "
    "all items of the query are compared, with absent items tied at the end",
    "agg.missing_keeps": "an item absent from one of two merged lists keeps its score; otherwise each list has a score "
    "for each item, and absent items are tied at the end",
    "agg.first_list": "c1 belongs to the list that the other list is merged into; otherwise c1 belongs to the lighter "
    "list",
    "dibra.cosine": "the two vectors of the cosine point in opposite directions; otherwise they point in the same "
    "direction",
    "dibra.footrule": "the footrule is a weighted sum of signed differences, with places from 0, without the last "
    "place; otherwise it is the scaled footrule",
    "dibra.rho": "the correlation itself is the distance; otherwise the distance is (1 - rho) / 2 over the items of "
    "the list",
    "dibra.tau_zero": "the tau distance is always 0; otherwise it is the share of discordant pairs",
    "dibra.final_stale": "the scores are computed before the last update of the weights; otherwise they are computed "
    "after this update",
    "dibra.one_more": "there is one iteration more than `max_iter`; otherwise there are exactly `max_iter` iterations",
    "prune.drops": "items that no cut list contains are dropped; otherwise these items come last, in their earlier "
    "order",
    "wire.equal_width": "voters are put into buckets of equal width by weight; otherwise the buckets are of equal size",
    "wire.one_more": "a list keeps int(d2 int(c L)) + 1 items; otherwise the list keeps int(d2 ceil(c L)) items, but "
    "at least one item",
}


def quirks_of(convention):
    """Turn a convention into the set of quirks that it follows.

    Parameters
    ----------
    convention : {"flagr", "papers"} or collection of str
        "flagr" means all quirks, "papers" means none, and a collection contains names of quirks.

    Returns
    -------
    frozenset of str
    """
    if isinstance(convention, str):
        if convention not in {"flagr", "papers"}:
            raise InputError(
                "`convention` must be 'flagr' (all quirks), 'papers' (none) or a collection of names in QUIRKS; got "
                f"{convention!r}."
            )
        return frozenset(QUIRKS) if convention == "flagr" else frozenset()
    unknown = sorted(set(convention) - set(QUIRKS))
    if unknown:
        raise InputError(
            f"`convention` must contain names in QUIRKS, which are {', '.join(QUIRKS)}; got {', '.join(unknown)}."
        )
    return frozenset(convention)
