"""Messages at a terminal name flags and files, not Python."""

import ast
import re
import shlex
from itertools import combinations
from pathlib import Path

import pytest

import skrankagg
from skrankagg import inspection
from skrankagg.__main__ import main
from skrankagg._command_line._python_words import _PHRASES, in_flags
from skrankagg._command_line._usage import make_parser
from skrankagg.datasets import make_ranked_lists, write_qrels

# A call, an argument with a value of Python, or a name that only programs use.
PYTHON = re.compile(
    r"\w\(\w+=|\w+=['\[{(]|\w+=(?=[\s,.;)]|$)|(?<!--param )\b\w+=(?:True|False|None)\b|"
    r"RankedLists|\bdf\b|rank_stability"
)
LISTS = "query,voter,item,rank\nq1,v,a,1\nq1,v,b,2\nq1,w,b,1\nq1,w,c,2\nq2,v,a,1\nq2,w,b,1\n"
FILES = {
    "ranks.csv": LISTS,
    "negative.csv": "query,voter,item,rank\nq1,v,a,-1\nq1,v,b,0.5\n",
    "twice.csv": "query,voter,item,rank\nq1,v,a,1\nq1,v,a,2\n",
    "conflict.csv": "query,voter,item,rank,score\nq1,v,a,1,1\nq1,v,b,2,5\nq1,w,a,1,5\nq1,w,b,2,1\n",
    "weights.csv": "query,voter,item,rank,weight\nq1,v,a,1,.5\nq1,v,b,2,.5\nq1,w,b,1,1\n",
    "case.csv": "query,voter,item,rank\nq1,v,a,1\nq1,v,b,2\nq1,w,A,1\nq1,w,b,2\n",
    "pairs.csv": "query,voter,item,rank\n"
    + "".join(f"q,{i}{j},{i},1\nq,{i}{j},{j},2\n" for i, j in combinations("abcdef", 2)),
    "numbers.csv": "model_a,model_b,winner\nant,bee,0\nbee,cat,1\nant,cat,2\n",
    "odd.csv": "model_a,model_b,winner\nant,bee,left wins\nbee,cat,model_a\n",
    "word.csv": "model_a,model_b,winner\na,b,a\nb,c,b\n",
    "apart.csv": "winner,loser\nant,bee\ncat,dog\nbee,ant\n",
    "query.csv": "query,model_a,model_b,winner\n1,ant,bee,tie\n1,bee,cat,model_a\n2,cat,ant,model_a\n",
    "lines.json": '{"winner":"a"}\n',
    "comma.csv": "query;voter;item;score\nq;v;a;1,5\n",
    "words.run": "what is this\n",
    "qrels.txt": "q1 0 a 1\nq1 0 b 0\nq2 0 b 1\n",
    "other.txt": "z1 0 a 1\n",
}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    return tmp_path


# Each command, and a part of what it prints.
COMMANDS = [
    ("aggregate ranks.csv --method CombSUM", "choose a norm that uses ranks, --param norm=borda or --param norm=rank."),
    ("compare ranks.csv qrels.txt --methods CombSUM", "choose a norm that uses ranks, norm=borda or norm=rank."),
    ("aggregate ranks.csv --method CombSUM[absent_score=min,norm=rank]", "Choose --param norm=min-max"),
    ("aggregate negative.csv --method BordaCount", "If these are scores, rename the column to score."),
    ("aggregate twice.csv --method BordaCount", "Keep one of them."),
    ("aggregate conflict.csv --method BordaCount", "change their sign. Otherwise drop the wrong column."),
    ("compare conflict.csv qrels.txt --methods CombSUM CombMNZ", "all failed: 'CombSUM' (CombSUM needs scores"),
    ("aggregate weights.csv --method RobustRankAggregation", "or choose another method."),
    ("aggregate case.csv --method BordaCount", "Use one spelling for each id"),
    ("aggregate pairs.csv --method BordaCount", "use PlackettLuce[absent=ignore] or MarkovChain[chain=mct]."),
    ("aggregate numbers.csv --method PlackettLuce", "Write 1, 0 and 0.5 for the first item"),
    ("aggregate odd.csv --method PlackettLuce", "such as 0.5 for a tie, or drop these rows."),
    ("aggregate word.csv --method PlackettLuce", "also the id of an item. Rename the item."),
    ("aggregate apart.csv --method PlackettLuce", "rank each component by itself, add lists"),
    ("aggregate query.csv --method PlackettLuce", "or pass --query-column query to rank each query."),
    ("audit query.csv --groups judge", "--groups must be columns of the file; 'judge' is not among"),
    ("audit weights.csv", "skrankagg compare examines ranked lists."),
    ("audit apart.csv --unit judge", "--unit must be 'list', or the name of a grouping"),
    ("aggregate ranks.csv --method PlackettLuce[std_errors=judge]", "Name a column with --groups."),
    ("aggregate apart.csv --method PlackettLuce[covariates=['length']]", "Name the columns with --covariates."),
    ("aggregate ranks.csv --method RankStatistic[exact=True,statistic=median]", "or leave --param exact=auto."),
    ("aggregate ranks.csv --method LearnedWeights --qrels other.txt", "such as 'q1'; none has any."),
    ("aggregate ranks.csv --method Kemeny[method=foo]", "parameter of Kemeny must be one of '"),
    ("aggregate comma.csv --method CombSUM", "pass --decimal , if a comma is the decimal mark"),
    ("aggregate words.run --method CombSUM", "name its format by --format"),
    ("aggregate lines.json --method PlackettLuce", "cannot read 'lines.json'"),
    ("compare ranks.csv qrels.txt --methods SlideFuse", "Pass --cv 5 to measure these methods on held-out queries."),
    ("compare ranks.csv qrels.txt --methods SlideFuse BordaCount --cv 3", "--cv must be at most the number of queries"),
    ("compare ranks.csv qrels.txt --metrics num_ret", "The first of --metrics determines the best method"),
    ("evaluate ranks.csv qrels.txt", "measure each voter's lists with skrankagg compare --voters."),
    ("judge ranks.csv --queries q7 -o todo.csv", "--queries must be among the ids of the lists"),
]


@pytest.mark.parametrize(("command", "words"), COMMANDS)
def test_messages_name_flags_instead_of_python(folder, capsys, command, words):
    main(command.split())
    err = capsys.readouterr().err
    assert words in err
    assert not PYTHON.search(err.replace(command.split()[-1], "")), PYTHON.search(err)[0]


def sentences_of_the_audit():
    """Return the texts in the modules of the audit; a value in a text is replaced by the word judge."""
    for path in Path(inspection.__file__).parent.glob("_audit*.py"):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        docs = {
            ast.get_docstring(node, clean=False)
            for node in ast.walk(tree)
            if isinstance(node, ast.FunctionDef | ast.ClassDef | ast.Module)
        }
        inside = {id(part) for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for part in node.values}
        for node in ast.walk(tree):
            if isinstance(node, ast.JoinedStr):
                yield text_of(node)
            elif isinstance(node, ast.Constant) and id(node) not in inside and node.value not in docs:
                yield str(node.value)


def test_the_sentences_of_the_audit_name_flags():
    texts = list(sentences_of_the_audit())
    assert sum(PYTHON.search(text) is not None for text in texts) >= 8, "Python's words are found"
    flags = make_parser().parse_args(["audit", "x"]).flags
    left = {text: in_flags(text, flags, files="battles.csv") for text in texts if " " in text}
    left = {text: shown for text, shown in left.items() if PYTHON.search(shown) and "`" not in shown}
    assert not left


# Phrases of scikit-learn, and phrases that begin with the name of a caller.
OF_OTHERS = (r"must be a str among", r"\bread_(?:", r"\(Input(?:Type)?Error: ")


# Values in texts of the library, by the expression that computes them.
VALUES = {"POSITION": "position", "caller": "RankedLists.from_comparisons", "_CALLER": "RankedLists.from_comparisons"}


def text_of(node):
    """Return the text of a constant or of an f-string; an unknown value in it becomes 'judge'."""
    if isinstance(node, ast.Constant):
        return str(node.value)
    parts = (part if isinstance(part, ast.Constant) else part.value for part in node.values)
    return "".join(
        part.value if isinstance(part, ast.Constant) else VALUES.get(ast.unparse(part), "'judge'") for part in parts
    )


def texts_of_the_library():
    """Return all texts in the library outside of the command line."""
    for path in Path(skrankagg.__file__).parent.rglob("*.py"):
        if "_command_line" not in path.parts:
            tree = ast.walk(ast.parse(path.read_text(encoding="utf-8")))
            yield from (text_of(node) for node in tree if isinstance(node, ast.Constant | ast.JoinedStr))


def test_every_translated_phrase_occurs_in_the_library():
    texts = list(texts_of_the_library())
    unused = [
        pattern.pattern
        for pattern, _ in _PHRASES
        if not pattern.pattern.startswith(OF_OTHERS) and not any(map(pattern.search, texts))
    ]
    assert not unused


@pytest.mark.parametrize(
    ("python", "flags"),
    [
        ("CombSUM() ties", "CombSUM ties"),
        ("LearnedWeights(aggregator=CombSUM(norm='rank'), k=2)", "LearnedWeights[aggregator=CombSUM[norm=rank],k=2]"),
        ("BordaCount(voter_weights={'a b': 0.3, 'c': 1})", "BordaCount[voter_weights=a b:0.3,c:1]"),
        ("min(3, 4) and Unknown(k=3) stay", "min(3, 4) and Unknown(--param k=3) stay"),
        ("CombSUM( and CombSUM()", "CombSUM( and CombSUM"),  # the first bracket is not closed
        ("choose k=60 or [k=30]", "choose --param k=60 or [k=30]"),
        ("unit='list' and PlackettLuce(std_errors='judge')", "--unit list and PlackettLuce[std_errors=judge]"),
    ],
)
def test_methods_are_written_with_brackets(python, flags):
    known = {"param": ("--param", "NAME=VALUE"), "unit": ("--unit", "NAME")}
    assert in_flags(python, known) == flags


# ---------------------------------------------------------------------- suggested commands


@pytest.fixture
def judged(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    frame, qrels, _ = make_ranked_lists(n_queries=12, n_voters=3, n_items=30, random_state=1)
    frame.drop(columns="rank").to_csv("my lists.csv", index=False, sep=";", decimal=",")
    write_qrels(qrels, "qrels.txt")
    return tmp_path


def suggestion(text):
    found = re.search(r"skrankagg (?:aggregate|tune) .*", text)
    return found[0]


def test_suggested_commands_name_the_files_and_run(judged, capsys):
    read = ["my lists.csv", "--decimal", ","]
    tune = ["tune", "my lists.csv", "qrels.txt", "--decimal", ","]
    search = ["--method", "CombSUM", "--param", "norm=rank,borda", "--cv", "2", "--metrics", "map"]
    for options in ([], search):
        assert main([*tune, *options, "-q"]) == 0
        command = suggestion(capsys.readouterr().out)
        assert command.startswith("skrankagg aggregate 'my lists.csv' --decimal , --method ")
        assert main([*shlex.split(command)[1:], "-o", "x.csv"]) == 0
    assert main(["judge", *read, "-o", "to do.csv", "--random-state", "1"]) == 0
    assert suggestion(capsys.readouterr().err) == "skrankagg tune 'my lists.csv' --decimal , 'to do.csv'"
