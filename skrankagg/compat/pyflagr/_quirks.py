"""The quirks of FLAGR 1.0.18: where it computes something else than the papers say, one name for each.

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

#: All quirks, none, or those named.
Convention: TypeAlias = Literal["flagr", "papers"] | Collection[str]

#: Name of each quirk of FLAGR 1.0.18, and what FLAGR does; what is done without it stands behind the semicolon.
QUIRKS: dict[str, str] = {
    "rank.verbatim": "ranks count as they are written, gaps and ties included; else only their order counts, and ties "
    "share their mean rank",
    "unsigned": "places are subtracted as unsigned numbers of 32 bits, so that a rank beyond the number of places "
    "is worth "
    "4e9 points; else it is worth fewer than none",
    "absent_voters": "every voter of the file is a list of every query, an empty one where it ranks nothing; else it "
    "is none",
    "float32": "parameters are rounded to 32 bits; else they are taken as given",
    "sum.file_order": "scores are added up in the order of the file and any two that differ in the last bit are in "
    "order; else rounding decides nothing, and equal scores tie",
    "six_decimals": "scores and measures are printed with six decimals; else they are as computed",
    "eval.positive_only": "a relevant item whose score is not above 0 does not count as found; else it does",
    "eval.idcg_retrieved": "the ideal ranking is made of the returned items; else of all judged items",
    "eval.zero_past_end": "all measures are 0 beyond the end of the list; else they have their value there",
    "outrank.sum": "the score of an item is the number of concordant lists, added up over the items that it outranks; "
    "else the best class by net qualification is repeatedly taken out",
    "outrank.both_absent": "two items that a list does not hold are level in it, and it agrees both ways; else it says "
    "nothing of them",
    "outrank.truncate": "thresholds are cut to whole places and lists; else they are shares as given",
    "mc12.not_dwork": "MC1 moves anywhere unless all lists prefer this item, MC2 unless more than half do; else as "
    "Dwork et al. have it",
    "mc.both_accumulates": "the number of lists that hold both items is added up along a row; else each pair has its "
    "own",
    "mc3.direction": "MC3 moves to worse items; else to better ones",
    "mc3.self_uniform": "MC3 proposes any item of the query; else one of a list that holds this item",
    "mc4.majority_of_all": "MC4 moves unless more than half of all lists prefer this item; else of the lists that "
    "hold both",
    "mc.fixed_steps": "the walk ends one step before `max_iterations`; else where it moves no more",
    "kemeny.tau_mean": "the sum over the lists of the share of concordant pairs is maximised, absent items apart; else "
    "the number of disagreements, absent items below the ranked ones, is minimised",
    "prefrel.start_1": "the count of a list's disagreements starts at 1; else at 0",
    "prefrel.all_absent": "any two items that a list does not hold cost it one half; else only two between which "
    "there is "
    "a majority",
    "agg.start_1": "the weight of a voter starts at 1; else at 0",
    "agg.rho_partial": "two lists are compared on the items that they share, by the length of the first one; else on "
    "all items of the query, absent ones level at the end",
    "agg.missing_keeps": "an item that one of two merged lists does not hold keeps its score; else each list has a "
    "score for each item, absent ones level at the end",
    "agg.first_list": "c1 belongs to the list that is merged into; else to the lighter one",
    "dibra.cosine": "the two vectors of the cosine point in opposite directions; else in one",
    "dibra.footrule": "the footrule is a weighted sum of signed differences, places from 0, without the last place; "
    "else it is the scaled footrule",
    "dibra.rho": "the correlation itself is the distance; else (1 - rho) / 2 over the items of the list",
    "dibra.tau_zero": "the tau distance is always 0; else the share of discordant pairs",
    "dibra.final_stale": "the scores are those before the last update of the weights; else those after it",
    "dibra.one_more": "there is one iteration more than `max_iter`; else there are that many",
    "prune.drops": "items that no cut list holds are gone; else they come last, in the order before",
    "wire.equal_width": "voters are put into buckets of equal width by weight; else of equal size",
    "wire.one_more": "a list keeps int(d2 int(c L)) + 1 items; else int(d2 ceil(c L)), but one",
}


def quirks_of(convention):
    """Turn a convention into the set of quirks that it follows.

    Parameters
    ----------
    convention : {"flagr", "papers"} or collection of str
        All quirks, none, or those named.

    Returns
    -------
    frozenset of str
    """
    if isinstance(convention, str):
        if convention not in {"flagr", "papers"}:
            raise InputError(
                f"convention must be 'flagr' (all quirks), 'papers' (none) or a collection of names in QUIRKS; got "
                f"{convention!r}."
            )
        return frozenset(QUIRKS) if convention == "flagr" else frozenset()
    unknown = sorted(set(convention) - set(QUIRKS))
    if unknown:
        raise InputError(
            f"convention must hold names of QUIRKS, which are {', '.join(QUIRKS)}; got {', '.join(unknown)}."
        )
    return frozenset(convention)
