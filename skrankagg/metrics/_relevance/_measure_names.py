"""Parser of measure names, which consist of a name, a cutoff, and conventions in brackets.

Names from other tools are also accepted if they mean the same measure with the same conventions. trec_eval and
pytrec_eval write ``P_10`` or ``P.10``, ir_measures writes ``P(rel=2)@10``, and ranx writes ``precision@10``. If a name
is unknown or has another meaning in this library, an error names the nearest measure.
"""

import re
from functools import lru_cache

from ..._support._suggestions import find_similar
from ...exceptions import InputError
from ._conventions import OPTIONS, check_conventions
from ._measure import MEASURES

#: Conventions that a name of another tool implies.
_IMPLIED = {
    "ndcg_cut": {"gain": "linear"},
    "dcg_burges": {"gain": "exponential"},
    "ndcg_burges": {"gain": "exponential"},
}

# Names that imply a cutoff.
_CUT = {"map_cut", "ndcg_cut"}

_DIVERSITY = "ndcg@k: judgements have no subtopics"

#: Measures of other tools that are missing here, with the nearest measure of this library.
_ABSENT = {
    "accuracy": "p@1 for classifiers, and bpref for the accuracy of ir_measures",
    "alpha_dcg": _DIVERSITY,
    "alpha_ndcg": _DIVERSITY,
    "ap_ia": _DIVERSITY,
    "bing": "ndcg",
    "bpm": "rbp",
    "compat": "ndcg@k, or the agreement 'rbo' with an ideal ranking",
    "err_ia": _DIVERSITY,
    "g": "ndcg",
    "gm_bpref": "bpref, or gmap for a geometric mean",
    "insq": "rbp",
    "inst": "rbp",
    "ndcg_rel": "ndcg[gain=linear]",
    "nerr": "err@k",
    "nerr_ia": _DIVERSITY,
    "nnrbp": _DIVERSITY,
    "nrbp": _DIVERSITY,
    "num_nonrel_judged_ret": "judged@k",
    "num_q": "the number of rows of evaluate(..., per_query=True)",
    "numq": "the number of rows of evaluate(..., per_query=True)",
    "p_ia": _DIVERSITY,
    "relative_p": "rprec@k, which has the same values on judgements of 0 and 1",
    "relstring": "relevance of a JudgedRanking",
    "rndcg": "ndcg[gain=linear]",
    "rprec_mult": "rprec",
    "runid": "the key in a dict of runs",
    "sdcg": "dcg@k",
    "set_map": "p@k times recall@k with the length of the lists for k",
    "set_p": "set_f[recall_weight=0], which has the same values",
    "set_recall": "recall@k with the length of the longest list for k",
    "set_relative_p": "rprec@k with the length of the lists for k",
    "setap": "p@k times recall@k with the length of the lists for k",
    "setp": "set_f[recall_weight=0], which has the same values",
    "setr": "recall@k with the length of the longest list for k",
    "strec": _DIVERSITY,
    "utility": "num_rel_ret and num_ret, from which it is computed",
    "yaap": "map",
}

# For each kind of cutoff, its placeholder in the list of names, and an example.
_PLACEHOLDERS = {"k": "k", "recall": "r", "ks": "z1,z2,..."}
_SAMPLES = {"k": "10", "recall": "0.1", "ks": "5,10"}

_PATTERN = re.compile(r"(?P<name>[\w-]+)(?:\((?P<given>[^()]*)\))?(?:@(?P<k>[^\[\]]+))?(?:\[(?P<options>[^\[\]]*)\])?")
# Names such as P_10 and P.10. Other names may also end in digits.
_TREC = re.compile(
    r"(?P<name>p|recall|success|map_cut|ndcg_cut|iprec_at_recall|relative_p)[._](?P<k>[\d.,]+)(?:\[(?P<options>[^\[\]]*)\])?",
    re.IGNORECASE,
)
# rbp.95 of ranx, and nERR8 to nERR11 of ir_measures.
_ODD = re.compile(r"(?P<name>rbp|nerr)\.?\d+(@.*)?", re.IGNORECASE)

_GAINS = {"log2": "linear", "exp-log2": "exponential"}


def measure_names() -> list[str]:
    """List the names of all measures; a name ends with @k if the measure has a cutoff.

    Returns
    -------
    list of str
        Names that :func:`evaluate` accepts when numbers replace the placeholders ``k``, ``r`` and ``z1,z2,...``.

    See Also
    --------
    get_measure : Looks up a measure by name.
    make_measure : Turns a function into a measure.
    agreement_names : Names of the measures that need no judgements.

    Examples
    --------
    >>> from skrankagg.metrics import measure_names
    >>> "ndcg@k" in measure_names()
    True
    """
    names = []
    for name, measure in MEASURES.items():
        if measure.cutoff != "required":
            names.append(name)
        if measure.cutoff != "none":
            names.append(f"{name}@{_PLACEHOLDERS[measure.cutoff_kind]}")
    return names


def parse_measure(name, conventions):
    """Return the measure that a name describes; conventions in the name take precedence over `conventions`.

    The result is cached, so equal calls return the same object.
    """
    return _parse(name, **conventions)


@lru_cache(maxsize=1024, typed=True)
def _parse(name, /, **conventions):
    text = name.strip()
    match = _TREC.fullmatch(text) or _PATTERN.fullmatch(text)
    if match is None:
        raise _unknown(name, text)
    parts = match.groupdict()
    word = _word(parts["name"])
    options = dict(_IMPLIED.get(word, {}))
    if parts.get("given") is not None:
        word, given = _read_arguments(name, word, parts["given"], parts["options"])
        options |= given
    key = base_name(word)
    if key is None:
        raise _unknown(name, text)
    measure = MEASURES[key]
    if word in _CUT and parts["k"] is None:
        raise InputError(f"{name!r} needs a cutoff; write {word}_10, or {measure.name} for all places.")
    defaults = {
        option: _as_kind(option, value)
        for option, value in conventions.items()
        if option in measure.conventions and value is not None
    }
    options = defaults | options | _parse_options(name, measure, parts["options"] or "")
    return measure._with(_parse_cutoff(name, measure, parts["k"]), options)


def base_name(word):
    """Convert any name of a measure to its registered name; return None if the name is unknown.

    The argument must not contain a cutoff or conventions.
    """
    word = _word(word)
    if word in MEASURES:
        return word
    return next((name for name, measure in MEASURES.items() if word in _other_names(measure)), None)


def is_measure_name(name):
    """Return True if a name, with or without a cutoff, is the name of a measure."""
    match = _TREC.fullmatch(name.strip()) or _PATTERN.fullmatch(name.strip())
    return match is not None and base_name(match["name"]) is not None


def _other_names(measure):
    return (measure.function.__name__, *measure.other_names)


def _word(name):
    return name.lower().replace("-", "_")


def _unknown(name, text):
    """Build the error for a name that is not a measure."""
    odd, trec = _ODD.fullmatch(text), _TREC.fullmatch(text)
    word = _word(re.split(r"[@(\[]", text)[0])
    word = _word(trec["name"]) if trec else word
    word = "nerr" if odd and word.startswith("nerr") else word
    if odd and word.startswith("rbp"):
        digits = re.sub(r"\D", "", word)
        near = f"rbp[persistence=0.{digits}], which gives relevant items of all grades a gain of 1"
    else:
        near = _ABSENT.get(word)
    if near is not None:
        return InputError(
            f"{name!r} is not among the measures; the nearest is {near}. Pass a function of your own to make_measure."
        )
    names = {*MEASURES, *(other for measure in MEASURES.values() for other in _other_names(measure))} - _CUT
    similar = find_similar(word, sorted(names))
    hint = ""
    if similar is not None:
        hint = f" (did you mean {similar + _written_cutoff(MEASURES[base_name(similar)], text)!r}?)"
    return InputError(f"{name!r} is not a measure{hint}; choose from {', '.join(measure_names())}.")


def _written_cutoff(measure, text):
    given = re.search(r"@([^\[\]]+)", text)
    if measure.cutoff == "none":
        return ""
    if given:
        return given[0]
    return f"@{_SAMPLES[measure.cutoff_kind]}" if measure.cutoff == "required" else ""


def _read_arguments(name, word, text, brackets):
    """Read arguments in the syntax of ir_measures, such as ``P(rel=2)``; return the measure's name and conventions."""
    if word in _ABSENT:
        raise _unknown(name, word)
    given = {}
    for part in filter(None, (part.strip() for part in text.split(","))):
        key, _, value = (piece.strip().strip("'\"") for piece in part.partition("="))
        given[key] = value
    measure = MEASURES.get(base_name(word))
    if measure is None:
        raise _unknown(name, word)
    options = {}
    if "rel" in given and (word == "numret" or "relevance_threshold" in measure.conventions):
        word = "num_rel_ret" if word == "numret" else word
        options["relevance_threshold"] = _parse_value(name, "relevance_threshold", given.pop("rel"))
    if measure.name == "ndcg" and given.get("dcg") in _GAINS:
        options["gain"] = _GAINS[given.pop("dcg")]
    if measure.name == "rbp" and "p" in given and options:  # without the argument rel, the gains are grades
        options["persistence"] = _parse_value(name, "persistence", given.pop("p"))
    if measure.name == "set_f" and "beta" in given:
        options["recall_weight"] = _parse_value(name, "recall_weight", given.pop("beta"))
    if given.get("judged_only") == "False":  # the default of ir_measures
        del given["judged_only"]
    if given or brackets is not None or (measure.name == "rbp" and "relevance_threshold" not in options):
        sample = f"{measure.name}{_written_cutoff(measure, name)}"
        known = ", ".join(measure.conventions)
        raise InputError(
            f"{name!r} cannot be read. Write conventions in brackets, as in {sample}[option=value]; the options are "
            f"{known}."
        )
    check_conventions(options)
    return word, options


def _parse_cutoff(name, measure, text):
    sample = f"{measure.name}@{_SAMPLES[measure.cutoff_kind]}"
    if text is None:
        if measure.cutoff == "required":
            hint = " for the first ten places" if measure.cutoff_kind == "k" else ""
            raise InputError(f"{name!r} needs a cutoff; write {sample}{hint}.")
        return None
    if measure.cutoff == "none":
        raise InputError(f"{measure.name!r} has no cutoff; got {name!r}. Write {measure.name}.")
    if measure.cutoff_kind == "recall":
        try:
            return measure._check_cutoff(float(text))
        except ValueError:
            raise InputError(
                f"The cutoff of {name!r} must be a recall from 0 to 1; write for example {sample}."
            ) from None
    parts = text.split(",") if measure.cutoff_kind == "ks" else [text]
    if not all(part.strip().isdecimal() and int(part) >= 1 for part in parts):
        raise InputError(f"The cutoff of {name!r} must be a whole number of at least 1; write for example {sample}.")
    return tuple(map(int, parts)) if measure.cutoff_kind == "ks" else int(text)


def _parse_options(name, measure, text):
    options = {}
    for part in filter(None, (part.strip() for part in text.split(","))):
        option, equals, value = (piece.strip() for piece in part.partition("="))
        if not equals or option not in measure.conventions:
            known = ", ".join(measure.conventions) or "none"
            raise InputError(
                f"{name!r} has an unknown convention {part!r}; {measure.name} accepts {known}. Write [option=value]."
            )
        options[option] = _parse_value(name, option, value)
    check_conventions(options)
    return options


def _as_kind(option, value):
    # An int and a float of the same value are the same convention, so both become a float.
    return float(value) if OPTIONS[option] is float else value


def _parse_value(name, option, text):
    if OPTIONS[option] is not float:
        return text
    try:
        return float(text)
    except ValueError:
        raise InputError(f"{option} in {name!r} must be a number; got {text!r}.") from None
