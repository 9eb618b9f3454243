"""Check the types of all public symbols, and check the examples as a user's editor would.

`python tools/check_types.py` prints basedpyright's findings, and exits with 1 if there are any. Each call first checks
examples with known mistakes. It fails unless basedpyright finds exactly these mistakes.
"""

import ast
import doctest
import importlib.util
import json
import os
import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "tests"), str(ROOT / "tools")]

from page_sections import sections, slug  # noqa: E402
from public_api import public_objects  # noqa: E402

#: Settings for examples: pyright's defaults for users.
SETTINGS = {
    "typeCheckingMode": "standard",
    "reportUnusedExpression": "none",  # an example shows the value of an expression
    "reportMissingModuleSource": "none",  # an optional library may be installed as stubs only
}

#: Stand-ins for the classes of scikit-learn from which ours derive. scikit-learn has no types, so --verifytypes would
#: report every class of ours as unknown. Inherited members are not ours to type.
STUBS = {
    "__init__.pyi": "",
    "base.pyi": "class BaseEstimator: ...\nclass TransformerMixin: ...\n",
    "feature_selection/__init__.pyi": "class SelectorMixin: ...\n",
    "model_selection/__init__.pyi": "class BaseCrossValidator: ...\n",
    "utils/__init__.pyi": "class Tags: ...\n",
    "utils/metaestimators.pyi": "class _BaseComposition: ...\n",
}

#: Rules that concern our examples, whichever library is used.
OURS = {"reportUndefinedVariable", "syntax"}

#: An example without a mistake, and examples with a mistake of each kind in the second line.
SOUND = """\
import skrankagg as sk
lists, qrels = sk.datasets.make_mallows(n_queries=2, random_state=0), None
sk.metrics.kendall_tau(["a", "b"], ["b", "a"], variant="x")"""
WRONG = {
    "value": 'from skrankagg.metrics import kendall_tau\nkendall_tau(["a"], ["a"], variant="c")',
    "name": "from skrankagg.stats import sign_test\nsign_test([0.5], exact=True)",
    "result": "from skrankagg.stats import friedman_nemenyi\nfriedman_nemenyi([[1.0, 2.0], [1.0, 3.0]]).ranks",
    "member": "import skrankagg as sk\nsk.stats.PAIRED_TESTS",
    "undefined": "from skrankagg.stats import sign_test\nsing_test([0.5])",
}

#: A mistake that does not involve the package.
OTHER = "import numpy as np\nnp.zeros(2, order=3)"

#: With fewer public symbols than this, the package was not found.
FEWEST_SYMBOLS = 250

_FENCE = re.compile(r"^( *)```(\w*)[^\n]*\n(.*?)^ *```", flags=re.DOTALL | re.MULTILINE)


@dataclass
class Example:
    """Code to check as a separate module: a section of a page, a notebook or a docstring."""

    source: str
    lines: list  # of (place, code): "README.md:12", "lists = ..."

    def text(self):
        """Return the text of the module, with its source as a comment."""
        return "\n".join([f"# {self.source}", *(code for _, code in self.lines), ""])


def prompts(text, place, first_line=1):
    """List the lines of examples with prompts; examples that raise an error on purpose are left out.

    Parameters
    ----------
    text : str
        A docstring or a page.
    place : str
        File that contains the text.
    first_line : int, default=1
        Line of the file on which the text begins.

    Returns
    -------
    list of (int, str, str)
        Line in the file, place and code.
    """
    # The fences of code blocks end an example, as a blank line does.
    text = re.sub(r"^ *```.*$", "", text, flags=re.MULTILINE)
    return [
        (line, f"{place}:{line}", code)
        for example in doctest.DocTestParser().get_examples(text)
        # An example of an error ends in a traceback, or catches the error.
        if example.exc_msg is None and not example.source.startswith("try:")
        for line, code in enumerate(example.source.splitlines(), first_line + example.lineno)
    ]


def page_examples(path):
    """Join the Python code of each section of a page, with and without prompts, into one module."""
    place = str(path.relative_to(ROOT))
    for title, start, text in sections(path.read_text(encoding="utf-8")):
        found = prompts(text, place, start)
        for fence in _FENCE.finditer(text):
            indent, language, code = fence.groups()
            if language == "python" and not re.search(r"^ *>>> ", code, flags=re.MULTILINE):
                first = text.count("\n", 0, fence.start(3)) + start
                for line, one in enumerate(code.splitlines(), first):
                    found.append((line, f"{place}:{line}", one.removeprefix(indent)))
        yield Example(f"{place}#{slug(title)}", [(place, code) for _, place, code in sorted(found)])


def notebook_example(path):
    """Join all cells of a notebook into one module, without magic commands."""
    place, lines = str(path.relative_to(ROOT)), []
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    for number, cell in enumerate(cells):
        if cell["cell_type"] == "code":
            code = "".join(cell["source"]).splitlines()
            lines += [
                (f"{place}, cell {number}, line {k}", "" if one.startswith(("%", "!")) else one)
                for k, one in enumerate(code, 1)
            ]
    return Example(place, lines)


def docstring_examples(path, public):
    """Build a module from the examples of each docstring in a file that belongs to a public name."""
    place = path.relative_to(ROOT)
    module = ".".join(place.with_suffix("").parts).removesuffix(".__init__")
    for name, node in _documented(ast.parse(path.read_text(encoding="utf-8")), module):
        if name in public and ast.get_docstring(node) is not None:
            docstring = node.body[0].value
            lines = [(where, code) for _, where, code in prompts(docstring.value, place, docstring.lineno)]
            if lines:
                yield Example(name, lines)


def _documented(node, name):
    """Yield a module, its classes and functions, and their nested definitions, by dotted name."""
    yield name, node
    for child in node.body:
        if isinstance(child, ast.ClassDef | ast.FunctionDef):
            yield from _documented(child, f"{name}.{child.name}")


def all_examples():
    """Collect the examples of README.md, the guide, the notebooks and the docstrings of all public objects."""
    pages = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
    examples = [example for page in pages for example in page_examples(page)]
    examples += [notebook_example(path) for path in sorted((ROOT / "notebooks").glob("*.ipynb"))]
    public = public_objects()
    for path in sorted((ROOT / "skrankagg").rglob("*.py")):
        examples += docstring_examples(path, public)
    return [example for example in examples if example.lines]


def _basedpyright(folder, *arguments, path=(ROOT,)):
    """Run basedpyright in a folder where the package looks like an installed library; return the report."""
    given = [os.environ["PYTHONPATH"]] if "PYTHONPATH" in os.environ else []
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join([*map(str, path), *given]),
        # With --verifytypes the first Python on the path is used, whatever --pythonpath is.
        "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]),
    }
    command = [sys.executable, "-m", "basedpyright", "--pythonpath", sys.executable, "--outputjson", *arguments]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    try:
        return json.loads(done.stdout)
    except json.JSONDecodeError:
        raise RuntimeError(f"basedpyright ended with {done.returncode}: {done.stdout}{done.stderr}") from None


def check_examples(examples):
    """Check examples as in a user's editor.

    Problems that also occur if our package is unknown are left out. They concern other libraries, and several of these
    libraries have incomplete types. Undefined names are always reported.

    Parameters
    ----------
    examples : list of Example

    Returns
    -------
    list of str
        An entry for each error or warning, with place, rule, message and code.
    """
    if importlib.util.find_spec("pandas-stubs") is None:
        raise RuntimeError("The types of pandas are in another package. Run pip install pandas-stubs.")
    found = _problems(examples)
    concerned = [example for example in examples if any(one[0] is example for one in found)]
    with tempfile.TemporaryDirectory() as folder:
        for module in (ROOT / "skrankagg").rglob("*.py"):
            stub = (Path(folder) / module.relative_to(ROOT)).with_suffix(".pyi")
            stub.parent.mkdir(parents=True, exist_ok=True)
            stub.write_text("from typing import Any\ndef __getattr__(name: str) -> Any: ...\n", encoding="utf-8")
        # Without this file an installed copy of the package, which has it, would be used instead.
        (Path(folder) / "skrankagg" / "py.typed").touch()
        search = [Path(folder).resolve()]
        others = {(id(one[0]), *one[1:]) for one in _problems(concerned, path=search)} if concerned else set()
    return [
        f"{example.lines[line][0]}: {rule}: {message}\n    {example.lines[line][1]}"
        for example, line, rule, message in found
        if rule in OURS or (id(example), line, rule, message) not in others
    ]


def _problems(examples, path=(ROOT,)):
    """Return each error or warning as a tuple of the example, the line in the example, the rule and the message."""
    with tempfile.TemporaryDirectory() as folder:
        names = {}
        for number, example in enumerate(examples):
            file = Path(folder).resolve() / f"example_{number}.py"
            file.write_text(example.text(), encoding="utf-8")
            names[str(file)] = example
        (Path(folder) / "pyrightconfig.json").write_text(json.dumps(SETTINGS), encoding="utf-8")
        report = _basedpyright(folder, path=path)
    analyzed = report["summary"]["filesAnalyzed"]
    if analyzed != len(examples):
        raise RuntimeError(f"basedpyright checked {analyzed} of {len(examples)} examples. Check its settings.")
    return [
        # The first line of the module is the comment with its source.
        (names[one["file"]], one["range"]["start"]["line"] - 1, one.get("rule", "syntax"), one["message"])
        for one in report["generalDiagnostics"]
        if one["severity"] in ("error", "warning")
    ]


def check_symbols():
    """Check that the type of every public symbol is known.

    Returns
    -------
    unknown : list of str
        Public symbols that have a part without a type, or with a type that type checkers may infer differently.
    reasons : list of str
        Places without a type in these symbols, and in the definitions that the symbols use.
    """
    with tempfile.TemporaryDirectory() as folder:
        for name, text in STUBS.items():
            path = Path(folder) / "stubs" / "sklearn-stubs" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        search = [Path(folder).resolve() / "stubs", ROOT]
        report = _basedpyright(folder, "--verifytypes", "skrankagg", "--ignoreexternal", path=search)
    found = report["typeCompleteness"]
    public = [symbol["name"] for symbol in found["symbols"] if symbol["isExported"]]
    if len(public) < FEWEST_SYMBOLS or Path(found["packageRootDirectory"]) != ROOT / "skrankagg":
        messages = [problem["message"] for problem in report["generalDiagnostics"]]
        raise RuntimeError(
            f"basedpyright found {len(public)} public symbols in {found['packageRootDirectory']!r}: {messages}."
        )
    lacking = [symbol for symbol in found["symbols"] if not symbol["isTypeKnown"] or symbol["isTypeAmbiguous"]]
    unknown = [symbol["name"] for symbol in lacking if symbol["isExported"]]
    reasons = {
        f"{_place(one)}: {symbol['name']}: {one['message']}"
        for symbol in lacking
        for one in symbol["diagnostics"]
        if "range" in one
    }
    # A symbol that uses an unknown type is partially unknown itself: the places without a type are more informative.
    roots = {reason for reason in reasons if "partially unknown" not in reason}
    return unknown, sorted(roots or reasons) if unknown else []


def _place(problem):
    return f"{Path(problem['file']).relative_to(ROOT)}:{problem['range']['start']['line'] + 1}"


def known_examples():
    """Build the examples with known mistakes, and list the places of the mistakes that concern the package."""
    codes = {"sound": SOUND, **WRONG, "other": OTHER}
    examples = [
        Example(f"known {name}", [(f"known {name}:{line}", one) for line, one in enumerate(code.splitlines(), 1)])
        for name, code in codes.items()
    ]
    return examples, {f"known {name}:2" for name in WRONG}


def check_all_examples(examples):
    """Check examples together with examples of known mistakes.

    Parameters
    ----------
    examples : list of Example

    Returns
    -------
    list of str
        Findings of `check_examples` in these examples.

    Raises
    ------
    RuntimeError
        If the examples with known mistakes have other findings than these mistakes, or if a mistake is not found.
    """
    known, expected = known_examples()
    found = check_examples([*known, *examples])
    ours = [entry for entry in found if entry.startswith("known ")]
    places = sorted(entry.partition(": ")[0] for entry in ours)
    if places != sorted(expected):
        raise RuntimeError(f"The check must find the known mistakes at {sorted(expected)}; found {places}: {ours}.")
    return [entry for entry in found if entry not in ours]


def main():
    """Check all examples and all public symbols; return the exit code."""
    examples = all_examples()
    problems = check_all_examples(examples)
    unknown, reasons = check_symbols()
    print(*problems, *reasons, *(f"{name} has no complete type" for name in unknown), sep="\n")
    print(
        f"{len(problems)} problems in {len(examples)} examples; {len(unknown)} public symbols without a complete type"
    )
    return 1 if problems or unknown else 0


if __name__ == "__main__":
    sys.exit(main())
