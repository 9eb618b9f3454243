"""Check the language of docstrings, messages and pages: short sentences that name their subject.

python tools/check_language.py [PATH ...] prints each finding; without paths it checks all files. CONTRIBUTING.md
contains the rules. tools/language.toml lists the sentences that must break a rule, each with the reason.
"""

import ast
import json
import re
import sys
import tomllib
from fnmatch import fnmatch
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
EXCEPTIONS = Path(__file__).with_name("language.toml")

#: The longest sentence, in words. Code, math and a link count as one word each.
WORDS = 30
#: First words of a docstring that hide its verb.
HEADLESS = ("What", "Whether", "Which", "Where", "How", "Of", "Itself")
#: Expressions that omit a noun, invert a negation or personify code.
EXPRESSIONS = (
    "of which",
    "those that",
    "that of",
    "none has",
    "are no",
    "no bit of",
    "none of them",
    "is told",
    "is blamed",
    "draws lots",
)

PYTHON = ("skrankagg", "tools", "docs", "benchmarks", "tests")
PAGES = ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")
#: Folders that a build of the documentation or of the package writes.
BUILT = ("docs/_build/*", "docs/api/*", "docs/notebooks/*", "docs/jupyter_execute/*")

# "There are no judgements" and "are no longer", "are no better" are plain English.
_EXPRESSION = re.compile(
    rf"(?<!\bthere )\b(?:{'|'.join(EXPRESSIONS)})\b(?! (?:\w+er|more|less|worse)\b)", re.IGNORECASE
)
_HEADLESS = re.compile(rf"(?:{'|'.join(HEADLESS)})\b")
_CODE = re.compile(r"(`+)(?:(?!`).|(?!\1)`)+?\1(?!`)|\$\$.+?\$\$|\$[^$\s](?:[^$]*[^$\s])?\$")
_IMAGE = re.compile(r"!\[([^]]*)\]\([^)]*\)")
_LINK = re.compile(r"\[((?:[^][]|\[[^]]*\])*)\]\([^)]*\)(?:\{[^}]*\})?")
_TAG = re.compile(r"</?[a-z][^>]*>")
_END = re.compile(r"[.?!][\"')*_\]”’]*\s+")
_ABBREVIATION = re.compile(r"(?:\b(?:e\.g|i\.e|vs|al|cf|etc|No|Fig|Eq|Dr|St|approx|pp|ed|eds|[A-Z])|\.\.)$")
#: An entry of a bibliography, which is not a sentence: initials, a title in quotation marks, a year.
_REFERENCE = re.compile(r"(?:[A-Z]\.[ -])+[^.]+.*\".+\".*\b(?:1[6-9]|20)\d\d\b", re.DOTALL)
_BULLET = re.compile(r"(\s*)((?:[-*+]|\d+[.)]|#\.)\s+)(?=\S)")
_FENCE = re.compile(r"\s*(`{3,}|~{3,}|:{3,})\s*(?:\{([\w-]+)\})?\s*(.*)")
#: Fenced directives with prose in them.
_PROSE = ("glossary", "note", "tip", "warning", "important", "admonition", "seealso", "caution", "hint")
_FIELDS = ("Parameters", "Other Parameters", "Returns", "Yields", "Raises", "Warns", "Attributes", "Methods")


class Finding(NamedTuple):
    """A place that breaks a rule, with the problem and the sentence."""

    path: str
    line: int
    problem: str
    text: str

    def __str__(self):
        return f"{self.path}:{self.line}: {self.problem}: {self.text}"


class Passage(NamedTuple):
    """A paragraph, list item, table cell or message, joined to one line, with the source line of each character."""

    text: str
    lines: list[int]

    def part(self, start, stop):
        """Return a part of the passage as a new passage."""
        return Passage(self.text[start:stop], self.lines[start:stop])


def check(paths=None):
    """Find violations of the rules, except the sentences that tools/language.toml lists.

    Parameters
    ----------
    paths : iterable of Path, default=None
        Files or folders; None checks all files.

    Returns
    -------
    found : list of Finding
    unused : list of str
        Texts of exceptions that match no sentence in these files.
    """
    exceptions = [entry["text"] for entry in tomllib.loads(EXCEPTIONS.read_text(encoding="utf-8"))["exception"]]
    found, used = [], set()
    for path in files(paths):
        for finding in check_file(path):
            excused = [text for text in exceptions if text in finding.text]
            used.update(excused)
            if not excused:
                found.append(finding)
    return found, [text for text in exceptions if text not in used]


def files(paths=None):
    """List the files below some paths that can contain docstrings, messages or prose."""
    if paths is None:
        paths = [ROOT / name for name in (*PYTHON, *PAGES, "notebooks")]
    for path in map(Path, paths):
        found = [path] if path.is_file() else sorted(path.rglob("*"))
        for file in found:
            if file.suffix in _READERS and not any(fnmatch(_name(file), pattern) for pattern in BUILT):
                yield file


def check_file(path):
    """Check one file; the suffix determines how the file is read."""
    text = path.read_text(encoding="utf-8")
    return [Finding(_name(path), *rest) for rest in _READERS[path.suffix](text, _name(path))]


def check_python(text, name="skrankagg"):
    """Check docstrings, and messages if the file is in the package; return (line, problem, sentence) tuples."""
    tree = ast.parse(text)
    found = []
    for docstring, line in _docstrings(tree):
        first = docstring.strip().partition("\n")[0]
        if _HEADLESS.match(first):
            found.append((line, "first word", first))
        for passage in docstring_passages(docstring, line):
            found += check_passage(passage)
    if name.startswith("skrankagg"):
        for passage in messages(tree):
            found += check_passage(passage)
    return sorted(found)


def check_markdown(text, name=""):
    """Check a page; in the change log, only unreleased changes are checked."""
    if name == "CHANGELOG.md":
        text = "\n## ".join(text.split("\n## ")[:2])
    return [finding for passage in markdown_passages(text) for finding in check_passage(passage)]


def check_notebook(text, name=""):
    """Check the Markdown cells and the descriptions of plots; line numbers are those of the notebook's file."""
    found, position = [], 0
    for cell in json.loads(text)["cells"]:
        words = cell.get("metadata", {}).get("mystnb", {}).get("image", {}).get("alt", "")
        if words:
            line = text.count("\n", 0, text.find(json.dumps(words, ensure_ascii=False))) + 1
            found += [(line, problem, sentence) for _, problem, sentence in check_markdown(words)]
        lines = []
        for line in cell["source"]:
            position = max(position, text.find(json.dumps(line, ensure_ascii=False), position))
            lines.append(text.count("\n", 0, position) + 1)
        if cell["cell_type"] == "markdown":
            source = "".join(cell["source"])
            for line, problem, sentence in check_markdown(source):
                found.append((lines[line - 1], problem, sentence))
    return found


_READERS = {".py": check_python, ".md": check_markdown, ".ipynb": check_notebook}


def check_passage(passage):
    """Find long sentences and forbidden expressions in a passage, as (line, problem, sentence)."""
    found = []
    for image in _IMAGE.finditer(_masked(passage.text, _CODE)):
        found += check_passage(passage.part(*image.span(1)))
    plain = _masked(passage.text, _CODE, _IMAGE)
    counted = _masked(plain, _LINK, _TAG)
    for start, stop in sentences(counted):
        sentence = passage.part(start, stop)
        number = sum(bool(re.search(r"\w", word)) for word in counted[start:stop].split())
        if number > WORDS and not _REFERENCE.match(passage.text):
            found.append((sentence.lines[0], f"{number} words", sentence.text.strip()))
        shown = re.sub(r"\]\([^)]*\)", lambda match: "]" + " " * (len(match[0]) - 1), plain[start:stop])
        for match in _EXPRESSION.finditer(shown):
            found.append((sentence.lines[match.start()], f'"{match[0].lower()}"', sentence.text.strip()))
    return found


def sentences(text):
    """Yield the start and the end of each sentence."""
    start = 0
    for end in _END.finditer(text):
        ellipsis = text[end.start() - 2 : end.start() + 1] == "..." and text[end.end() : end.end() + 1].islower()
        if not ellipsis and not (text[end.start()] == "." and _ABBREVIATION.search(text[: end.start()])):
            yield start, end.end()
            start = end.end()
    if text[start:].strip():
        yield start, len(text)


def messages(tree):
    """Yield the texts of errors and warnings; each inserted value of an f-string counts as one word."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and re.search(r"(?:Error|Warning|Exception)$|^_?warn", _called(node)):
            for argument in (*node.args, *(keyword.value for keyword in node.keywords)):
                for text in _strings(argument):
                    words = " ".join(text.split())
                    yield Passage(words, [argument.lineno] * len(words))


def _called(call):
    return getattr(call.func, "id", getattr(call.func, "attr", ""))


def _strings(node):
    """List the possible strings of an expression; the list is empty for other values."""
    match node:
        case ast.Constant(value=str(text)):
            return [text]
        case ast.FormattedValue(value=value):
            return _strings(value)
        case ast.JoinedStr(values=parts):
            return _strung(parts)
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            return _strung([left, right]) if _strings(left) or _strings(right) else []
        case ast.BinOp(left=left, op=ast.Mod()):
            return _strings(left)
        case ast.IfExp(body=body, orelse=other):
            return [*_strings(body), *_strings(other)]
    return []


def _strung(parts):
    """Join parts that have alternatives to strings; each alternative occurs in at least one of the strings."""
    choices = [_strings(part) or ["X"] for part in parts]
    number = max(map(len, choices), default=0)
    return ["".join(texts[place % len(texts)] for texts in choices) for place in range(number)]


def _docstrings(node):
    """Yield the docstrings of a statement and of nested statements, with their lines."""
    if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
        text = ast.get_docstring(node, clean=False)
        if text is not None:
            yield text, node.body[0].lineno
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.stmt | ast.excepthandler | ast.match_case):
            yield from _docstrings(child)


def docstring_passages(text, line=1):
    """Read the prose of a numpydoc docstring, without types, doctests, formulas and references."""
    rows = [(line + number, row.rstrip()) for number, row in enumerate(text.expandtabs().split("\n"))]
    indents = [_indent(row) for _, row in rows[1:] if row]
    margin = min(indents, default=0)
    rows = [(number, row[margin:] if place else row.lstrip()) for place, (number, row) in enumerate(rows)]
    section, body, passages = "", [], []
    for place, (number, row) in enumerate(rows):
        following = rows[place + 1][1] if place + 1 < len(rows) else ""
        if row and re.fullmatch(r"-{3,}|={3,}", following) and not row.startswith(("-", "=")):
            passages += _section_passages(section, body)
            section, body = row, []
        elif not (place and re.fullmatch(r"-{3,}", row)):
            body.append((number, row))
    return [*passages, *_section_passages(section, body)]


def _section_passages(section, rows):
    if section == "References":
        return []
    if section == "See Also":
        # The names before the colon are not part of the sentence.
        rows = [(number, row if row.startswith(" ") else f"- {row.partition(' : ')[2]}") for number, row in rows]
    elif section in _FIELDS:
        rows = [(number, row[4:] if row.startswith(" ") else "") for number, row in rows]
    return _passages(_rest_rows(rows))


def _rest_rows(rows):
    """Yield the rows of reST that are prose; each cell of a table is a row of its own."""
    # Rows indented more than `outside` belong to a block without prose; the text of an item is indented by `item`.
    outside, item = None, 0
    doctest, literal, blank = False, False, True
    rules = [place for place, (_, row) in enumerate(rows) if re.fullmatch(r"\s*={2,}(?: +={2,})+\s*", row)]
    for place, (number, row) in enumerate(rows):
        indent = _indent(row)
        command = re.match(r"\s*(?:python|pip|skrankagg) .*?\s{2,}# (.*)", row)
        if not row:
            doctest, blank = False, True
            yield number, ""
            continue
        if doctest or (outside is not None and indent > outside):
            continue
        outside = None
        bullet = _BULLET.match(row)
        directive = re.match(r"\s*\.\. (\S*)", row)
        if row.lstrip().startswith(">>>"):
            doctest = True
            yield number, ""
        elif directive:
            outside = None if directive[1].rstrip(":") in _PROSE else indent
            yield number, ""
        elif command:
            yield from _alone(number, [command[1]])
        elif (literal and indent > item) or (blank and indent >= item + 4 and not bullet):
            outside = indent - 1
        elif any(first <= place <= last for first, last in pairwise(rules)):
            if place not in rules:
                yield from _alone(number, re.split(r" {2,}", row.strip()))
        else:
            item = len(bullet[0]) if bullet else min(item, indent)
            yield number, row
        literal, blank = row.endswith("::") and not directive, False


def markdown_passages(text):
    """Read the prose of MyST Markdown, without code, formulas and options of directives."""
    for hidden in (r"<!--.*?-->", r"\A---\n.*?\n---\n"):
        text = re.sub(hidden, lambda match: "\n" * match[0].count("\n"), text, flags=re.DOTALL)
    return _passages(_markdown_rows([(number, row.rstrip()) for number, row in enumerate(text.split("\n"), 1)]))


def _markdown_rows(rows):
    """Yield the rows of Markdown that are prose; each heading and each cell of a table is a row of its own."""
    # The marks that open a block of code or a directive with prose, and end it.
    code = prose = ""
    formula, blank, terms, item = False, True, False, 0
    for number, row in rows:
        indent, bullet, fence = _indent(row), _BULLET.match(row), _FENCE.fullmatch(row)
        if code:
            code = "" if row.strip() == code else code
        elif formula or row.lstrip().startswith("$$"):
            formula = formula != (row.count("$$") == 1)
            yield number, ""
        elif fence:
            marks, directive, title = fence.groups()
            if marks[0] == ":" and title and directive != "grid":
                yield from _alone(number, [title])
            elif marks == prose:
                prose = ""
            elif directive in _PROSE:
                prose, terms = marks, directive == "glossary"
            elif marks[0] != ":":
                code = marks
            yield number, ""
        elif row and blank and indent >= item + 4 and not bullet and not prose:
            continue
        elif re.match(r"#+ |\s*:[\w-]+:", row):
            item = 0
            yield from _alone(number, [row.lstrip("# ")] if row.startswith("#") else [])
        elif row.lstrip().startswith("|"):
            cells = re.split(r"(?<!\\)\|", row.strip().strip("|"))
            yield from _alone(number, [cell.strip() for cell in cells if re.search(r"[^-: ]", cell)])
        else:
            if row:
                item = len(bullet[0]) if bullet else min(item, indent)
            yield number, row
            if prose and terms and not indent:
                yield number, ""
        blank = not row


def _alone(number, texts):
    for text in texts:
        yield from ((number, ""), (number, text))
    yield number, ""


def _passages(rows):
    """Join rows to passages; an empty row or a new list item ends a passage."""
    found, part = [], []
    for number, row in [*rows, (0, "")]:
        bullet = _BULLET.match(row)
        if part and (not row or bullet):
            text = " ".join(words for _, words in part)
            lines = [line for line, words in part for _ in range(len(words) + 1)]
            found.append(Passage(text, lines[:-1]))
            part = []
        if row:
            part.append((number, row[bullet.end() :] if bullet else row.strip()))
    return found


def _masked(text, *patterns):
    """Replace each match of the patterns by one word of the same length."""
    for pattern in patterns:
        text = pattern.sub(lambda match: "X" * len(match[0]), text)
    return text


def _indent(row):
    return len(row) - len(row.lstrip())


def _name(path):
    path = Path(path).resolve()
    return path.relative_to(ROOT).as_posix() if path.is_relative_to(ROOT) else path.as_posix()


def main(arguments):
    """Print each finding and the number of findings; return 1 if there are findings."""
    found, _ = check(arguments or None)
    for finding in found:
        print(finding)
    print(f"{len(found)} findings")
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
