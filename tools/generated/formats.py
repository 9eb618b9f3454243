"""Generate texts from the file formats: types of `format`, docstring entries, and choices of the command line."""

import re
import textwrap

from skrankagg.datasets._formats import alternatives, readable, written
from skrankagg.datasets._kinds import LISTS, QRELS

from .pages import ROOT

PACKAGE = ROOT / "skrankagg"
READERS, WRITERS = PACKAGE / "datasets" / "_readers.py", PACKAGE / "datasets" / "_writers.py"
WORDS = ROOT / "docs" / "parameter_words.md"
#: What "auto" means, by the function.
READ_AUTO = "the format that matches the beginning of the file."
WRITE_AUTO = "the format of the suffix: {endings}. Every suffix except {others} may be followed by .gz."


def files():
    """Return the texts of the modules, by path."""
    readers = READERS.read_text(encoding="utf-8")
    for kind in (LISTS, QRELS):
        readers = _with_entry(readers, f"read_{kind.name}", _entry(readable(kind), kind.name, READ_AUTO))
    ends = [(alternatives(one.suffixes), one) for one in written() if one.suffixes]
    endings = ", ".join(f"{suffixes} for {one.name}" for suffixes, one in ends)
    auto = WRITE_AUTO.format(endings=endings, others=alternatives([end for end, one in ends if not one.is_compressed]))
    writers = _with_entry(WRITERS.read_text(encoding="utf-8"), "write_run", _entry(written(), "run", auto))
    return {
        READERS: readers,
        WRITERS: writers,
        WORDS: _words(),
        PACKAGE / "datasets" / "_format_names.py": _types(),
        PACKAGE / "_command_line" / "_file_formats.py": _choices(),
    }


def _words():
    """Return the page of parameter words with the names of the formats of lists."""
    names = ", ".join(f'`"{name}"`' for name in sorted(_names(readable(LISTS))))
    return re.sub(
        r"(?<=^\| `format` \| ).*?(?= \|)", lambda _: names, WORDS.read_text(encoding="utf-8"), flags=re.MULTILINE
    )


def _names(formats):
    return ["auto", *(one.name for one in formats)]


def _quoted(names):
    return ", ".join(f'"{name}"' for name in names)


def _entry(formats, kind, auto):
    """Return the entry for the parameter `format` of a docstring."""
    text = " ".join(f'``"{one.name}"``: {one.holds[kind]}.' for one in formats) + f' ``"auto"``: {auto}'
    lines = textwrap.fill(text, 112, break_on_hyphens=False, break_long_words=False)
    return f'    format : {{{_quoted(_names(formats))}}}, default="auto"\n{textwrap.indent(lines, " " * 8)}\n'


def _with_entry(text, function, entry):
    """Return the text of a module after replacing the entry of `format` in a function's docstring."""
    start = text.index(f"\ndef {function}(")
    head, tail = text[:start], text[start:]
    return head + re.sub(r"    format : .*\n(?: {8}.*\n)+", lambda _: entry, tail, count=1)


def _types():
    parts = [
        '"""Type hints for the parameter `format`, with the names of formats; tools/regenerate.py writes it."""\n\n'
        "from typing import Literal, TypeAlias\n"
    ]
    for name, what, formats in (
        ("ListsFormat", "Formats from which lists can be read.", readable(LISTS)),
        ("QrelsFormat", "Formats from which judgements can be read.", readable(QRELS)),
        ("RunFormat", "Formats in which runs can be written.", written()),
    ):
        parts.append(f"#: {what}\n{name}: TypeAlias = Literal[{_quoted(_names(formats))}]\n")
    return "\n".join(parts)


def _choices():
    tables = [one for one in written() if one.is_table]
    packed, others = (
        [end for one in tables if one.is_compressed == with_gz for end in one.suffixes] for with_gz in (True, False)
    )
    of_runs = [end for one in written() if not one.is_table for end in one.suffixes]
    lines = [_help(one) for one in readable(LISTS)]
    return f'''"""Names of file formats for the help texts of the command line, in a module that imports nothing.

tools/regenerate.py writes this file.
"""

READ = ({_quoted(_names(readable(LISTS)))})
WRITTEN = ({_quoted(_names(written())[1:])})

TABLES = "{", ".join(packed)} (also .gz) or {alternatives(others)}"
RUNS = "as {", ".join(of_runs)}, "

READ_HELP = """\\
formats of lists, as --format names them:
{"".join(lines)}"""
'''


def _help(one):
    text = one.holds["lists"].replace("``", "")
    return (
        textwrap.fill(
            f"{one.name:8}  {text}", 100, initial_indent="  ", subsequent_indent=" " * 12, break_on_hyphens=False
        )
        + "\n"
    )
