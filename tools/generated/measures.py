"""Generate a stub with the signatures of the measures, and the table of measures in docs/evaluation.md.

A decorator gives the functions their signatures. Editors and type checkers do not run the decorator, but they read the
stub.
"""

import inspect

from skrankagg.metrics import _relevance, measure_names
from skrankagg.metrics._relevance import _conventions, _inputs
from skrankagg.metrics._relevance._measure import MEASURES

from .names import PACKAGE, declared, import_lines
from .pages import DOCS, table, with_part

PAGE = DOCS / "evaluation.md"
FOLDER = PACKAGE / "metrics" / "_relevance"
HEAD = '"""Signatures of the measures, as their decorator makes them; tools/regenerate.py writes this file."""\n\n'
HEAD += "from collections.abc import Sequence\nfrom typing import Any\n\n"


def files():
    """Return the texts of the stub and of the page, by path."""
    return {
        FOLDER / "__init__.pyi": stub(),
        PAGE: with_part(PAGE.read_text(encoding="utf-8"), "measures", measure_table()),
    }


def stub():
    """Return the text of the stub: the signature of each measure, and imports of the other names of the package."""
    functions = {measure.function.__name__: measure.function for measure in MEASURES.values()}
    types = {
        module.__name__.rpartition(".")[2]: {
            name: value for name, value in vars(module).items() if _defines(module, name)
        }
        for module in (_conventions, _inputs)
    }
    words = [(value, name) for names in types.values() for name, value in names.items()]
    lines = [_definition(name, inspect.signature(functions[name]), words) for name in sorted(functions)]
    text = "".join(lines)
    sources = {f".{module}": [name for name in names if f": {name}" in text] for module, names in types.items()}
    for path in sorted(FOLDER.glob("_[a-z]*.py")):
        if rest := [name for name in declared(path) if name not in functions]:
            sources[f".{path.stem}"] = rest
    exported = "".join(f'    "{name}",\n' for name in _relevance.__all__)
    return HEAD + import_lines(sources) + f"\n__all__ = [\n{exported}]\n\n" + text


def _defines(module, name):
    return name[0].isupper() and f"\n{name}: TypeAlias" in inspect.getsource(module)


def _definition(name, signature, words):
    """Return a function without a body; types have their names in this package."""
    parts = []
    for parameter in signature.parameters.values():
        if parameter.kind is parameter.KEYWORD_ONLY and "*" not in parts:
            parts.append("*")
        kind = next((word for value, word in words if value == parameter.annotation), None)
        kind = kind or inspect.formatannotation(parameter.annotation).replace("collections.abc.", "")
        default = "" if parameter.default is parameter.empty else f" = {parameter.default!r}".replace("'", '"')
        parts.append(f"{parameter.name}: {kind}{default}")
    return f"def {name}(\n" + "".join(f"    {part},\n" for part in parts) + ") -> Any: ...\n"


def measure_table():
    """Return the table of measures, with names, formula, conventions, and equal measures in other tools."""
    rows = []
    for measure in MEASURES.values():
        names = ", ".join(f"`{name}`" for name in measure_names() if name.partition("@")[0] == measure.name)
        others = ", ".join(f"`{name}`" for name in measure.conventions if name not in ("ties", "missing_queries"))
        rows.append([names, measure.function._guide["formula"], others, measure.function._guide["agrees"]])
    return table(["name", "formula", "conventions", "agrees with"], rows)
