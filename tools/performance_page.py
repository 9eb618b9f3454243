"""Read docs/performance.md: its commands, the age of each table, and the comparisons with other libraries."""

import ast
import hashlib
import re
import sys
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
PAGE, BENCHMARKS = ROOT / "docs" / "performance.md", ROOT / "benchmarks"
sys.path.append(str(BENCHMARKS))

from _measure import read_tables  # noqa: E402

#: A command with its output, and the line below it, which states when the output was measured.
BLOCK = re.compile(
    r"```console\n\$ (?P<command>(?:python|\$ARENA_PYTHON) benchmarks/.+)\n(?P<output>(?:(?!```).*\n)*)```\n"
    r"(?:\n(?P<note>Measured at commit .+|Not measured yet\.)\n)?"
)
NOTE = re.compile(r"Measured at commit `(?P<commit>\w+)` on (?P<date>[\d-]+); digest of [^:]+: `(?P<digest>\w+)`\.")
NOT_MEASURED = "Not measured yet."


class Block(NamedTuple):
    """A command of the page, its output, and the line below the output."""

    command: str
    output: str
    note: str | None

    @property
    def measured(self):
        """Return the commit, the date and the digest of the measurement, or None if there is no measurement."""
        found = NOTE.fullmatch(self.note or "")
        return found and found.groupdict()


def read_blocks(text):
    """Return the blocks of a page, in order."""
    return [Block(match["command"], match["output"], match["note"]) for match in BLOCK.finditer(text)]


def write_block(text, command, output, note):
    """Return the page with another output and note of a command."""
    block = f"```console\n$ {command}\n{output}```\n\n{note}\n"
    return BLOCK.sub(lambda match: block if match["command"] == command else match[0], text)


def scripts_of(command):
    """Return the scripts that a command names, as paths."""
    return [BENCHMARKS / Path(word).name for word in command.split() if word.endswith(".py")]


def _modules_of(path, found):
    """Add a script and the modules of `benchmarks` and `tools` that it imports to `found`."""
    if path in found:
        return
    found.append(path)
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        names = [one.name for one in node.names] if isinstance(node, ast.Import) else []
        names += [node.module] if isinstance(node, ast.ImportFrom) and node.module and not node.level else []
        for name in names:
            for folder in (BENCHMARKS, ROOT / "tools"):
                if (folder / f"{name}.py").exists():
                    _modules_of(folder / f"{name}.py", found)


def _code_of(path):
    """Return the lines of a module, without docstrings, comment lines and blank lines."""
    text = path.read_text(encoding="utf-8")
    lines = text.splitlines()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and ast.get_docstring(node) is not None:
            first = node.body[0]
            lines[first.lineno - 1 : first.end_lineno] = [""] * (first.end_lineno - first.lineno + 1)
    return [line.rstrip() for line in lines if line.strip() and not line.lstrip().startswith("#")]


def digest_of(command):
    """Compute a digest of the code that a command runs: its scripts, and the modules beside them that these import.

    Docstrings, comment lines and blank lines do not count. So a clearer docstring makes no table older.
    """
    modules = []
    for script in scripts_of(command):
        _modules_of(script, modules)
    code = [line for path in sorted(modules) for line in (path.name, *_code_of(path))]
    return hashlib.sha256("\n".join(code).encode()).hexdigest()[:12]


def note_of(command, commit, date):
    """Return the line below a table."""
    names = ", ".join(f"`{path.name}`" for path in scripts_of(command))
    return f"Measured at commit `{commit}` on {date}; digest of {names}: `{digest_of(command)}`."


class Comparison(NamedTuple):
    """Times of one task, in seconds, by this library and by another one."""

    command: str
    task: str
    start: str
    ours: float
    library: str
    theirs: float

    @property
    def ratio(self):
        """Return the factor by which this library is faster; it is below 1 if the other library is faster."""
        return self.theirs / self.ours


class Columns(NamedTuple):
    """Columns of a table to compare: by the start of our times, the column of the times; and the other column."""

    data: str
    library: str
    theirs: str
    ours: dict


class Rows(NamedTuple):
    """Rows of a table to compare: our row, the other row, the start of our times, the other library, and the task."""

    pairs: list


SEED, WIDE = "20 queries x 50 lists x 30 items", "1 query x 200 lists x 1000 items"
RUNS = "1000 queries x 5 runs x 100 items"
_FRAMES = {"a frame": "skrankagg ms", "a frame, plain": "plain skrankagg ms"}
_FUSED = {"RRF": ("fuse, RRF", "lists"), "CombSUM": ("fuse, CombSUM, dicts", "dicts")}
_MEASURES, _DUELS = "five measures, 1000 queries x 100 items", "PlackettLuce, a million duels of 100 models"
#: By a part of the command: the comparisons in its tables.
COMPARED = {
    "methods.py table": Columns(SEED, "PyFLAGR", "PyFLAGR ms", _FRAMES),
    "methods.py wide": Columns(WIDE, "PyFLAGR", "PyFLAGR ms", _FRAMES),
    "from_files.py flagr": Columns(
        SEED, "PyFLAGR", "PyFLAGR ms", {"a file": "skrankagg ms", "a file, plain": "plain skrankagg ms"}
    ),
    "ranx_fusion.py warm": Columns(
        RUNS,
        "ranx",
        "ranx ms",
        {"encoded lists": "encoded ms", "a frame": "frame ms", "a frame, plain": "plain frame ms"},
    ),
    "evaluation.py small": Rows(
        [
            (f"skrankagg, from {ours}", f"pytrec_eval, from {theirs}", start, f"pytrec_eval from {theirs}", _MEASURES)
            for ours, theirs, start in (
                ("dicts", "dicts", "dicts"),
                ("frames", "dicts", "frames"),
                ("codes", "dicts", "encoded lists"),
                ("frames", "frames", "frames"),
            )
        ]
    ),
    "evaluation.py many": Rows(
        [
            (
                f"{task}, skrankagg, from {ours}",
                f"{task}, pytrec_eval, from dicts",
                start,
                "pytrec_eval from dicts",
                task,
            )
            for task, ours, start in (
                ("31 measures", "dicts", "dicts"),
                ("31 measures", "frames", "frames"),
                ("31 measures", "codes", "encoded lists"),
                ("curve", "codes", "encoded lists"),
            )
        ]
    ),
    "fuse.py --rounds": Rows(
        [
            (ours, f"{library}, {name}", start, library, f"fuse by {name}")
            for name, (ours, start) in _FUSED.items()
            for library in ("loop over a dict", "rankops")
        ]
    ),
    "arena.py": Rows(
        [("duels, all of ours", f"duels, {library}", "a frame", library, _DUELS) for library in ("evalica", "choix")]
    ),
}
#: Another script, in which each column has the times of one library.
COMPARED["arena_peers.py"] = [
    Columns("read and fit", library, f"{library} CPU s", {"a frame": "skrankagg CPU s"})
    for library in ("evalica", "arena-rank")
]
_UNITS = {"us": 1e-6, "ms": 1e-3, "s": 1.0}


def _seconds(cell, column):
    """Return a cell in seconds by the unit in its column's name, or None if the cell is not a time."""
    unit = next((_UNITS[word] for word in reversed(column.split()) if word in _UNITS), 1.0)
    return float(cell) * unit if re.fullmatch(r"[\d.]+", cell) else None


def _cells(table, row):
    return dict(zip(table.header, row, strict=True))


def read_comparisons(text):
    """Return the comparisons with other libraries in the tables of a page."""
    found = []
    for block in read_blocks(text):
        rule = next((rule for part, rule in COMPARED.items() if part in block.command), None)
        if rule is None:
            continue
        for table in read_tables(block.output):
            for one in rule if isinstance(rule, list) else [rule]:
                found += (_by_columns if isinstance(one, Columns) else _by_rows)(block.command, one, table)
    return found


def _by_columns(command, rule, table):
    if rule.theirs not in table.header:
        return
    for row in table.rows:
        cells = _cells(table, row)
        theirs = _seconds(cells[rule.theirs], rule.theirs)
        for start, column in rule.ours.items():
            ours = _seconds(cells.get(column, "-"), column)
            if ours and theirs:
                yield Comparison(command, f"{row[0]}, {rule.data}", start, ours, rule.library, theirs)


def _by_rows(command, rule, table):
    rows = {row[0]: row for row in table.rows}
    # The first column of times is of this environment; the next one is of the plain environment.
    times = [k for k, column in enumerate(table.header) if k and column.split()[-1] in _UNITS]
    for ours, theirs, start, library, task in rule.pairs:
        for k in times if ours in rows and theirs in rows else ():
            column = table.header[k]
            one, other = _seconds(rows[ours][k], column), _seconds(rows[theirs][k], column)
            if one and other:
                where = f"{start}, plain" if column.startswith("plain ") else start
                # The title of a table states its data, as in "One query: 2 lists of 10 ids".
                data = f", {table.title.partition(': ')[2]}" if ": " in table.title else ""
                yield Comparison(command, f"{task}{data}", where, one, library, other)
