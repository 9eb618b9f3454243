"""Suggestions for misspelt names.

Names of voters have their own rules, in ``_data._voter_names``, because v1 and v10 are usually two different voters.
"""

import difflib
import re

#: Synonyms: names that other tools use, with the corresponding names in this library.
_SYNONYMS = {
    "zmuv": ["z-score"],
    "standard": ["z-score"],
    "range": ["min-max"],
    "euclidean": ["l2"],
    "rrf": ["ReciprocalRankFusion", "reciprocal"],
    "rra": ["RobustRankAggregation"],
    "mc4": ["MarkovChain"],
    "kemenyyoung": ["Kemeny"],
    "bordafuse": ["BordaCount"],
    "kendall": ["tau-b"],
    "kendalltau": ["tau-b"],
    "weightedtau": ["weighted-tau"],
    "spearmanr": ["spearman"],
    "rankbiasedoverlap": ["rbo"],
    "jaccard": ["overlap"],
    "fisher": ["randomization"],
    "permutation": ["randomization"],
    "student": ["t"],
    "ttest": ["t"],
    "bonferonni": ["bonferroni"],
    "fdr": ["bh"],
    "benjaminihochberg": ["bh"],
}


def find_same(name, known):
    """Find the known name that equals `name` or is a synonym of `name`; return None if there is no such name.

    Case and separators are ignored.

    >>> from skrankagg._support._suggestions import find_same
    >>> [find_same(name, ["ReciprocalRankFusion", "BordaCount"]) for name in ("rrf", "borda_count", "borda")]
    ['ReciprocalRankFusion', 'BordaCount', None]
    """
    by_spelling = {_canonical(one): one for one in known if isinstance(one, str)}
    text = _canonical(name)
    synonym = next((one for one in _SYNONYMS.get(text, ()) if one in by_spelling.values()), None)
    return by_spelling.get(text, synonym)


def find_similar(name, known):
    """Find the known name that a misspelt name probably means, or return None if no known name is similar.

    The rules are tried in this order: the result of :func:`find_same`; the only known name that begins with the given
    name; the known name with the most similar spelling.

    >>> from skrankagg._support._suggestions import find_similar
    >>> norms = ["min-max", "z-score", "rank"]
    >>> [find_similar(name, norms) for name in ("Min_Max", "zmuv", "min", "zscroe", "nothing")]
    ['min-max', 'z-score', 'min-max', 'z-score', None]
    """
    same = find_same(name, known)
    if same is not None:
        return same
    by_spelling = {_canonical(one): one for one in known if isinstance(one, str)}
    text = _canonical(name)
    longer = [one for one in by_spelling if one.startswith(text)]
    if len(text) > 2 and len(longer) == 1:
        return by_spelling[longer[0]]
    near = difflib.get_close_matches(text, by_spelling, n=1, cutoff=0.6)
    return by_spelling[near[0]] if near else None


def did_you_mean(name, known):
    """Return a question in brackets that suggests a known name, or an empty text if no known name is similar.

    >>> from skrankagg._support._suggestions import did_you_mean
    >>> did_you_mean("borda-count", ["BordaCount", "Copeland"])
    " (did you mean 'BordaCount'?)"
    """
    near = find_similar(name, known) if isinstance(name, str) else None
    return "" if near is None else f" (did you mean {near!r}?)"


def _canonical(name):
    return re.sub(r"[^0-9a-z]", "", name.casefold())
