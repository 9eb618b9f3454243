"""Translation of the library's messages from Python code to the options of the command line."""

import functools
import re
import shlex

from .._support._method_text import split_outside_brackets

# Pattern of an argument's value in a message: one or several words in quotes, a list, or a number; it may be missing.
_QUOTED = r"'[^']*'|\"[^\"]*\""
_VALUE = r"('[^']*'(?:, '[^']*')*(?: or '[^']*')?|\"[^\"]*\"|\[[^\]]*\]|\d+|True\b|(?!\w))"
# Pattern of the value of a method's parameter in Python.
_LITERAL = r"('[^']*'|\"[^\"]*\"|\[[^\]]*\]|True\b|False\b|None\b|-?\d+(?:\.\d+)?(?:e-?\d+)?)"

_SLOTS = "Rename the columns to model_a, model_b and winner"
# Patterns of sentences and phrases that need a special translation, and their translations. In translations, FILES
# stands for the files of the command.
_PHRASES = [
    (r"^`lists` must", "The lists must"),
    (r"`reconcile` must be False if", "--reconcile must be left out if"),
    (r"`(groups|covariates)` of RankedLists\.from_comparisons", r"--\1"),
    (r" of RankedLists\.from_\w+|(?<! be) passed to RankedLists\.from_\w+", ""),
    (r"RankedLists\.from_comparisons cannot tell", "the command cannot tell"),
    (r"is not read by RankedLists\.from_comparisons", "is not read"),
    # groups and covariates of comparisons
    (r"with PlackettLuce\(covariates=\['(\w+)'\]\)", r"with skrankagg aggregate FILES --covariates \1"),
    (r"such as voter='judge' and groups=\['prompt'\]", "such as --groups judge,prompt"),
    (r"\(voter=, groups=\) when you read the duels", "with --groups, such as --groups judge,prompt"),
    (
        r"neither voter= nor groups= shows (.*?)\. Name the missing columns with .*? or groups=\.",
        r"--groups does not show \1. Name the columns.",
    ),
    (r"such as groups=\['prompt'\]", "such as --groups prompt"),
    (
        r"Pass RankedLists\.from_frame\(df, covariates=\.\.\.\) instead of a frame",
        "Name the columns with --covariates",
    ),
    (
        r"Pass a frame with a column of this name, or RankedLists\.from_frame\(df, groups=\.\.\.\)",
        "Name a column with --groups",
    ),
    (
        r"Use std_errors='([^']*)' and unit='\1'",
        r"Use skrankagg aggregate FILES --groups '\1' --intervals --unit '\1'",
    ),
    (r"learn reliabilities \(weighting='global'\)", "learn reliabilities with PlackettLuce(weighting='global')"),
    (r"Read columns of the first item, the second item and the outcome, with position=True", _SLOTS),
    (r"Audit one query at a time, such as lists\[\[0\]\]", "Name the column of queries with --query-column"),
    (r"Use diagnose for ranked lists", "skrankagg compare examines ranked lists"),
    # columns of comparisons
    (r"Pass the column names as first=, second= and outcome=", _SLOTS),
    (r"Call RankedLists\.from_comparisons\(df, first=.*?\), or drop", f"{_SLOTS}, or drop"),
    (
        r"Name winner= and loser=, or first=, second= and outcome=\. Read a matrix of wins by "
        r"RankedLists\.from_matrix\(kind='wins'\)",
        "Rename the columns in the first line",
    ),
    (r"read it by pandas\.read_json, .*? to RankedLists\.from_comparisons", "convert it to CSV"),
    (r"Make a column such as df\[.*?\] == 'yes', and drop", "Write 0 and 1, and drop"),
    (r"If .*? always means the outcome, pass outcomes=\{.*?\}\. If it means the item, rename", "Rename"),
    (
        r"Map them, for example with outcomes=\{.*?\} for first, second and tie",
        "Write 1, 0 and 0.5 for the first item, the second item and a tie",
    ),
    (r"Map them to (.*?), such as outcomes=\{[^}]*: (\S+)\} for a tie", r"Write \1, such as \2 for a tie"),
    # intervals and components
    (r"\(rank_stability\)", "(skrankagg aggregate FILES --intervals)"),
    (r" \(RankedLists\.components\)", ""),
    # ranks, scores and repeated items
    (r"Keep one of them, for example with RankedLists\.from_frame\(.*?\), 'best' or 'mean'", "Keep one of them"),
    (r"call RankedLists\.from_frame\(df, rank=None, score=.*?\)", "rename the column to score"),
    (
        r"pass lower_is_better=True to RankedLists\.from_frame\. Otherwise pass rank=None or score=None to ignore the "
        r"wrong column",
        "change their sign. Otherwise drop the wrong column",
    ),
    (r", in integers, before RankedLists\.from_frame\.", ", in integers."),
    (r"read distances and p-values with lower_is_better=", "distances and p-values need the opposite sign"),
    (
        r"Read the ranks instead: RankedLists\.from_frame\(frame, score=None\)",
        "Use the ranks instead: leave out the column of the scores",
    ),
    (r"To remove blanks around ids, pass strip=True(?: to \S+)?\. Otherwise use", "Use"),
    (r"Pass duel=None if the column has another meaning", "Rename the column if it has another meaning"),
    # comparisons of methods
    (r" Pass error_score='raise' to get the first error itself\.", ""),
    (r" failures_ contains the full messages; error_score='raise' raises the first error\.", ""),
    (r" Or call cross_val_score over RankedLists\..*$", ""),
    (r"If these lists are a fold without judged queries, .*$", ""),
    (r" Pass qrels=Qrels\.from_frame\(df\) to the call or .*$", " Pass them with --qrels FILE."),
    (r"Without cv, a method", "Without --cv, a method"),
    (r"`n_splits` of QueryKFold", "--cv"),
    (
        r"`y` must have judgements for at least one of its (\S+) queries, such as (.*?); it has none\..*$",
        r"At least one of the \1 queries must have judgements, such as \2; none has any. Check the ids.",
    ),
    (r"with evaluate\(lists, qrels\)", "with skrankagg compare --voters"),
    (r"\(Input(?:Type)?Error: ", "("),
    # expected costs
    (r"^The Comparator will take", "The comparison will take"),
    (r" warnings\.simplefilter\('ignore', CostWarning\) hides this warning\.$", ""),
    (r", or cut the lists with TopK\b", ""),
    (r"aggregate parts .*? with skrankagg\.distributed\.transform_partitions", "merge fewer queries at once"),
    # columns and choices
    (r"must be columns of the frame", "must be columns of the file"),
    (r"and None for skipped columns", "and nothing for skipped columns"),
    (r"must be a str among \{([^}]*)\}", r"must be one of \1"),
    # The user of a command does not call these functions, so their names are removed.
    (r"\bread_(?:lists|qrels|preflib|comparisons) (?=cannot read|expects)", ""),
]
_PHRASES = [(re.compile(pattern), words) for pattern, words in _PHRASES]
_CALL = re.compile(r"\b([A-Z]\w+)\(")


def in_flags(message, flags, parameter=None, files="FILES"):
    """Replace Python code in a message of the library by the options of the command line.

    Arguments of the command become flags: ``cv=5`` becomes ``--cv 5``. Methods are written as on the command line:
    ``CombSUM(norm='rank')`` becomes ``CombSUM[norm=rank]``. Parameters of methods become ``--param norm=rank`` if the
    command has this flag; otherwise, only their quotes are removed.

    Parameters
    ----------
    message : str
        Message with arguments as in Python, such as ``cv=5``, ``voter='file'`` or ``columns=[...]``.
    flags : dict of str to (str, str)
        The flag of each argument of the command, and the placeholder of the flag's value, keyed by the argument's name.
    parameter : str, default=None
        Name of the parameter that causes the error, as stored in :class:`~skrankagg.exceptions.InputError`.
    files : str, default="FILES"
        Files of the command, which replace FILES in suggested commands.

    Returns
    -------
    str
    """
    for pattern, words in _PHRASES:
        message = pattern.sub(words.replace("FILES", files.replace("\\", r"\\")), message)
    methods, names = _known()
    # Parameters inside the brackets of a method must not change, so these texts are replaced by numbers until the end.
    written = []
    message = _bracket_methods(message, methods, written)
    for name, (flag, value) in flags.items():

        def write(found, flag=flag, value=value):
            if found[1] == "True":
                return flag if value is None else found[0]
            if found[1][:1] in ("", "["):
                return f"{flag} {value}"
            return f"{flag} {re.sub(_QUOTED, lambda word: shlex.quote(word[0][1:-1]), found[1])}"

        message = re.sub(rf"(?<![\w-]){name}={_VALUE}", write, message)
        if name.startswith("no_"):
            message = message.replace(f"{name.removeprefix('no_')}=False", flag)
    prefix = "--param " if "param" in flags else ""
    of_methods = "|".join(sorted(names - set(flags), key=len, reverse=True))
    message = re.sub(
        rf"(?<![\w\[,=-])({of_methods})={_LITERAL}", lambda found: f"{prefix}{found[1]}={_plain(found[2])}", message
    )
    for name, (flag, _) in flags.items():
        if name == parameter or name not in names:
            message = message.replace(f"`{name}`", flag)
    message = re.sub("\0(\\d+)\0", lambda found: written[int(found[1])], message)
    return " ".join(message.split())


@functools.cache
def _known():
    """Return the names of all methods, and the names of their parameters."""
    from ..utils.discovery import all_aggregators

    methods = all_aggregators()
    return set(methods), {name for method in methods.values() for name in method().get_params(deep=False)}


def _bracket_methods(text, methods, written):
    """Replace each method in a text by a placeholder with a number.

    The replaced methods are appended to the list `written`, in the form of the command line: ``CombSUM[norm=rank]``.
    The number in a placeholder is the position in this list.
    """
    parts, done = [], 0
    for found in _CALL.finditer(text):
        end = _closing(text, found.end())
        if found.start() < done or end is None:
            continue
        method = _in_brackets(text[found.start() : end + 1], methods)
        if method is None:
            continue
        parts += [text[done : found.start()], f"\0{len(written)}\0"]
        written.append(method)
        done = end + 1
    return "".join([*parts, text[done:]])


def _in_brackets(call, methods):
    """Write a call such as ``CombSUM(norm='rank')`` as ``CombSUM[norm=rank]``.

    Returns None if the call does not create a method.
    """
    name, _, inside = call[:-1].partition("(")
    params = split_outside_brackets(inside)
    if name not in methods or not all(re.match(r"\w+=", param) for param in params):
        return None
    halves = [param.partition("=") for param in params]
    values = [(key, _in_brackets(value, methods) or _plain(value)) for key, _, value in halves]
    return name + (f"[{','.join(f'{key}={value}' for key, value in values)}]" if values else "")


def _closing(text, start):
    """Return the position of the bracket that closes the one just before `start`, or None if no bracket closes it."""
    depth = 1
    for place in range(start, len(text)):
        depth += (text[place] in "([{") - (text[place] in ")]}")
        if depth == 0:
            return place
    return None


def _plain(value):
    """Write a value as on the command line, without quotes; a dict of weights becomes ``bm25:.3,dense:.7``."""
    value = value.strip()
    if value[:1] == "{" and value[-1:] == "}":
        return ",".join(
            re.sub(r"^['\"]|['\"](?=: )", "", piece).replace(": ", ":") for piece in split_outside_brackets(value[1:-1])
        )
    return value[1:-1] if value[:1] in ("'", '"') and value[-1:] == value[:1] and len(value) > 1 else value
