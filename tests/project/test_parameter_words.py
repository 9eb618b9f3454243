"""A parameter name has one type and one spelling of its options; docs/parameter_words.md has the table."""

import ast
import importlib
import inspect
import re
import textwrap
import typing
from collections import defaultdict
from dataclasses import fields

import pytest

from public_api import DOCS, public_objects

ROOT = DOCS.parent

# Names in annotations and the kind of value of each. Other names stand for themselves.
KINDS = {
    "AlignedQrels": "judgements",
    "AnyFrame": "frame",
    "AnyItemGroups": "groups of items",
    "AnyLists": "lists",
    "AnyQrels": "judgements",
    "AnyRows": "frame",
    "ArrayLike": "sequence",
    "BaseAggregator": "aggregator",
    "BaseCrossValidator": "splitter",
    "BinaryFile": "path",
    "CallQrels": "judgements",
    "Callable": "function",
    "Collection": "sequence",
    "Comparator": "comparator",
    "DataFrame": "table",
    "FileLike": "path",
    "HasRuns": "comparator",
    "Hashable": "id",
    "Index": "sequence",
    "Integral": "int",
    "IntoFrame": "frame",
    "Iterable": "sequence",
    "Judgements": "judgements",
    "Mapping": "mapping",
    "Measure": "measure",
    "MeasureLike": "measure",
    "NDArray": "sequence",
    "PathLike": "path",
    "ListTransformer": "aggregator",
    "LearnedWeights": "aggregator",
    "PlackettLuce": "aggregator",
    "type": "aggregator",
    "PlainLists": "lists",
    "Qrels": "judgements",
    "QrelsLike": "judgements",
    "QueryIds": "lists",
    "RandomState": "random state",
    "RankedLists": "lists",
    "Ranking": "ranking",
    "Real": "float",
    "RunLike": "lists",
    "Sequence": "sequence",
    "Series": "mapping",
    "VoterKFold": "splitter",
    "VoterWeights": "mapping",
    "Weights": "mapping",
    "bool_": "bool",
    "dict": "mapping",
    "list": "sequence",
    "ndarray": "sequence",
    "tuple": "sequence",
}
# Annotations without a specific type: parameters prescribed by scikit-learn, or of any kind.
SILENT = {"Any", "object", "untyped"}

# Public names whose parameter differs from the table, and the reason. A name stands for itself and its methods.
EXCEPTIONS = {
    ("k", "ReciprocalRankFusion"): "the constant of the formula, k in the paper and in every other library",
    ("k", "interpolated_precision"): "the cutoff of this measure is a level of recall",
    ("k", "mean_average_r_precision"): "this measure averages over several cutoffs",
    ("query", "Qrels.from_frame"): "the name of a column, like item and relevance beside it",
    ("query", "RankedLists.from_frame"): "the name of a column, like voter and item beside it",
    ("query", "QueryKFold"): "the name of a column",
    ("query", "QueryShuffleSplit"): "the name of a column",
    ("lists", "RankedLists.from_lists"): "plain Python lists, which are not ranked lists yet",
    ("lists", "fuse"): "plain Python lists and dicts are its purpose",
    ("lists", "agreement_matrix"): "also a mapping of runs, or a comparator, whose runs it compares",
    ("lists", "AgreementDisplay.from_lists"): "as in agreement_matrix",
    ("lists", "condorcet_winner"): "also a matrix of preferences",
    ("lists", "smith_set"): "also a matrix of preferences",
    ("first", "compare_consensus"): "two results, not two single rankings",
    ("second", "compare_consensus"): "two results, not two single rankings",
    ("run", "write_run"): "any frame with the columns of a run",
    ("runs", "RankedLists.from_runs"): "runs by voter, or in a list",
    ("runs", "load_trec"): "files of runs",
    ("qrels", "load_trec"): "a file of judgements",
    ("qrels", "RankedLists.judged"): "a frame is enough here: nothing is split",
    ("method", "CalibratedConsensus"): "the form of the curve, as in scikit-learn's CalibratedClassifierCV",
    ("method", "Kemeny"): "the algorithm",
    ("method", "bootstrap_interval"): "the algorithm's variant",
    ("method", "selection_stability"): "the algorithm's variant",
    ("lists", "_joined.concat"): "several containers",
    ("covariates", "_from_comparisons.from_comparisons"): "a comparison may have a column for each of its two items",
    ("absent", "PlackettLuce"): "comparisons are marked, so each list may have its own rule",
    ("first", "_from_comparisons.from_comparisons"): "the name of a column, like winner beside it",
    ("second", "_from_comparisons.from_comparisons"): "the name of a column, like loser beside it",
    ("weight", "_from_comparisons.from_comparisons"): "the name of a column, like winner beside it",
    ("frame", "_from_comparisons.from_comparisons"): "also a list of tuples",
    ("groups", "_from_comparisons.from_comparisons"): "the names of columns",
    ("groups", "RankedLists.from_frame"): "the names of columns",
    ("groups", "VoterKFold"): "the name of a grouping",
    ("scale", "PlackettLuce"): "the scale of the scores, not of an axis",
    ("groups", "MAIC"): "the name of a grouping",
    ("ties", "PlackettLuce"): "the likelihood of tied items has its own rules",
    ("ties", "average_overlap"): "the variants of overlap are named w, a and b in their paper",
    ("ties", "overlap"): "the variants of overlap are named w, a and b in their paper",
    ("ties", "rank_biased_overlap"): "the variants of overlap are named w, a and b in their paper",
    ("ties", "TopK"): "where a list is cut through tied items",
    ("ties", "inferred_average_precision"): "no expectation over ties is known",
    ("ties", "interpolated_precision"): "no expectation over ties is known",
    ("ties", "interpolated_precision_11pt"): "no expectation over ties is known",
    ("unknown_voter", "StackedFusion"): "a model of features has no weight to average",
    ("unknown_voter", "VoterSelector"): "a voter is kept or not, and has no weight to average",
    ("format", "write_run"): "runs may also be written as text",
    ("format", "RankingReport"): "formats of a page, not of a table",
    ("format", "ranking_report"): "formats of a page, not of a table",
    ("kind", "RankedLists.from_matrix"): "the kind of the numbers, not of the plot",
    ("rows", "RankedLists.from_matrix"): "what each row of the matrix is",
    ("rows", "RankedLists.from_ballots"): "what each row of the frame is",
    ("score", "RankedLists.from_frame"): "the name of a column, like rank beside it",
    ("score", "RankedLists.from_hits"): "the key of the score in a hit, or a function of it",
    ("score", "rank_biased_overlap"): "the bound that is reported, as in its paper",
    ("rank", "RankedLists.from_frame"): "the name of a column, like score beside it",
    ("relevance", "Qrels.from_frame"): "the name of a column, like item beside it",
    ("voter", "load_trec"): "where the voter's name is found",
    ("voter", "read_lists"): "where the voter's name is found",
    ("weight", "RankedLists.from_frame"): "the name of a column, like voter beside it",
    ("strength", "locked_pairs"): "the strengths themselves, as a matrix",
    ("strength", "widest_paths"): "the strengths themselves, as a matrix",
    ("order", "load_trec"): "the column that orders a run; local_kemenization takes an order itself",
    ("std_errors", "LearnedWeights"): "there is one kind",
    ("threshold", "VoterSelector"): "also a word for a threshold found in the data",
    ("exact", "RankStatistic"): "decided by the number of lists unless it is given",
    ("columns", "ParquetChunks"): "names in the file by names here; readers of files without a header take a sequence",
    ("columns", "scan_parquet"): "names in the file by names here; readers of files without a header take a sequence",
    ("n_items", "RankStatistic"): "lists may be cut from universes of different sizes",
    ("n_items", "RobustRankAggregation"): "lists may be cut from universes of different sizes",
    ("list_length", "make_ranked_lists"): "also a range of lengths",
    ("weights", "ConsensusSelector"): "by position or by name, as in scikit-learn's VotingClassifier",
    ("weights", "WeightCurveDisplay.from_estimator"): "points on the axis of the plot",
    ("weights", "fuse"): "by position or by name",
    ("scores", "_from_scores.from_scores"): "matrices of scores, one for each voter",
    ("values", "RankedLists.from_matrix"): "also a frame with labelled rows and columns",
    ("pairs", "RankedLists.from_wide"): "whether the columns of a table are pairs",
    ("path", "load_letor_agg"): "several files make one table",
    ("path", "read_lists"): "several files make one table",
    ("path", "read_preflib"): "several files make one table",
    ("path", "scan_parquet"): "several files make one table",
    ("verbose", "Comparator"): "also a function that receives the lines",
    ("difference", "QueryGainDisplay"): "labelled by query",
    ("name", "get_measure"): "a Measure is returned as it is",
}


def _alias(name, module):
    """Return the annotation that an alias of the module stands for, as source text, or None."""
    value = getattr(importlib.import_module(module), name, None)
    if typing.get_origin(value) is typing.Literal:
        return {repr(word) for word in typing.get_args(value)}
    if typing.get_origin(value) in (typing.Union, type(int | str)):
        found = set()
        for part in typing.get_args(value):
            if typing.get_origin(part) is typing.Literal:
                found |= {repr(word) for word in typing.get_args(part)}
            elif part is not type(None):
                named = getattr(typing.get_origin(part) or part, "__name__", str(part))
                found.add(KINDS.get(named, named))
        return found
    return None


def kinds(node, module):
    """Return the kinds of value that an annotation allows, without None; options come one by one."""
    if node is None:
        return {"untyped"}
    if isinstance(node, ast.Constant):
        return set() if node.value is None else kinds(ast.parse(node.value, mode="eval").body, module)
    if isinstance(node, ast.BinOp):
        return kinds(node.left, module) | kinds(node.right, module)
    if isinstance(node, ast.Subscript):
        head = node.value.attr if isinstance(node.value, ast.Attribute) else node.value.id
        if head == "Literal":
            words = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
            return {repr(word.value) for word in words} - {"None"}
        return {KINDS.get(head, head)}
    name = node.attr if isinstance(node, ast.Attribute) else node.id
    if name in KINDS:
        return {KINDS[name]}
    return _alias(name, module) or {name}


# Signatures of the measures, which a decorator makes; the stub spells them out.
MEASURES = {
    node.name: node
    for node in ast.parse((ROOT / "skrankagg/metrics/_relevance/__init__.pyi").read_text(encoding="utf-8")).body
    if isinstance(node, ast.FunctionDef) and node.args.args
}


def parameters():
    """Collect the kinds of every parameter of the public API outside compat: word, public name, kinds."""
    found = defaultdict(dict)
    for path, (kind, value) in public_objects().items():
        if ".compat." in path or kind not in ("class", "function", "method"):
            continue
        function = value.__init__ if kind == "class" else value
        if not (getattr(function, "__module__", None) or "").startswith("skrankagg"):
            continue
        module = inspect.unwrap(getattr(function, "__func__", function)).__module__
        owner = ".".join(path.rsplit(".", 2 if kind == "method" else 1)[1:])
        owner = re.sub("^_from_(frame|python|tables)[.]", "RankedLists.", owner)
        if kind == "class" and "__dataclass_fields__" in vars(value):  # a decorator made its constructor
            for one in fields(value):
                if isinstance(one.type, str):
                    found[one.name][owner] = kinds(ast.parse(one.type, mode="eval").body, module) - SILENT
            continue
        if module.startswith("skrankagg.metrics._relevance._") and value.__name__ in MEASURES:
            definition, module = MEASURES[value.__name__], "skrankagg.metrics._relevance._conventions"
        else:
            try:
                definition = ast.parse(textwrap.dedent(inspect.getsource(function))).body[0]
            except (OSError, TypeError):  # made by a decorator, such as a dataclass's
                continue
        for argument in definition.args.posonlyargs + definition.args.args + definition.args.kwonlyargs:
            if argument.arg not in ("self", "cls"):
                found[argument.arg][owner] = kinds(argument.annotation, module) - SILENT
    return found


PARAMETERS = parameters()


def table():
    """Read the table of the page: word, the kinds that it may have."""
    rows = re.findall(
        r"^\| `(\w+)` \| (.*?) \| .+ \|$", (DOCS / "parameter_words.md").read_text(encoding="utf-8"), re.MULTILINE
    )
    assert [word for word, _ in rows] == sorted({word for word, _ in rows})
    return {word: {one.strip().strip("`").replace('"', "'") for one in kinds.split(",")} for word, kinds in rows}


TABLE = table()


def is_excepted(word, owner):
    return (word, owner) in EXCEPTIONS or (word, owner.split(".")[0]) in EXCEPTIONS


def fits(found, allowed, *, some_options=False):
    """Return True where the kinds are allowed, and all options are there if one is."""
    words = {one for one in allowed if one[0] == "'"}
    return found <= allowed and (some_options or not words & found or words <= found)


@pytest.mark.parametrize("word", sorted(TABLE))
def test_parameter_words_have_one_type_and_one_set_of_options(word):
    assert word in PARAMETERS, f"no public parameter is named {word}; take it out of docs/parameter_words.md"
    wrong = {
        owner: sorted(found)
        for owner, found in PARAMETERS[word].items()
        # A file format may be readable for lists and not for judgements.
        if not fits(found, TABLE[word], some_options=word == "format") and not is_excepted(word, owner)
    }
    assert not wrong, f"{word} is {sorted(TABLE[word])} in docs/parameter_words.md; these differ: {wrong}"


def test_parameter_words_table_includes_words_of_three_public_names():
    common = {word for word, owners in PARAMETERS.items() if len(owners) >= 3}
    assert not common - set(TABLE), "add these to docs/parameter_words.md"


def test_public_names_agree_on_words_outside_the_table():
    wrong = {}
    for word, owners in PARAMETERS.items():
        stated = {owner: found for owner, found in owners.items() if found and not is_excepted(word, owner)}
        if word not in TABLE and len({frozenset(found) for found in stated.values()}) > 1:
            wrong[word] = stated
    assert not wrong


def test_exceptions_are_needed_and_have_a_reason():
    for (word, owner), reason in EXCEPTIONS.items():
        own = {name: found for name, found in PARAMETERS[word].items() if name == owner or name.split(".")[0] == owner}
        assert own, f"{owner} has no parameter {word}"
        allowed = TABLE.get(word)
        if allowed is None:
            others = [found for name, found in PARAMETERS[word].items() if name not in own and found]
            assert any(found != other for found in own.values() for other in others), (word, owner)
        else:
            assert not all(fits(found, allowed) for found in own.values()), (word, owner)
        assert len(reason) > 10


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("int | None", {"int"}),
        ("Literal['a', 'b'] | None", {"'a'", "'b'"}),
        ("Sequence[int] | float", {"sequence", "float"}),
        ("'pd.DataFrame | Qrels'", {"table", "judgements"}),
    ],
)
def test_kinds_parses_annotations(source, expected):
    assert kinds(ast.parse(source, mode="eval").body, "skrankagg") == expected
