"""Imports and `__all__` of the public packages, of the families inside the packages, and of the stubs.

The `__all__` of a private module lists the names that the package exports. A module without exported names has no
`__all__`. The modules are read as text, because importing them fails while generated names are missing.
"""

import ast
import re
from itertools import chain
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[2] / "skrankagg"
MARK = "# tools/regenerate.py writes what follows.\n"
STUB_MARK = "# tools/regenerate.py writes this file, but for imports of single names out of packages.\n"
#: The package whose classes the top level shows.
METHODS = "aggregators"
WIDTH = 120


def files():
    """Return the texts of the `__init__` files, by path."""
    texts = {}
    for init in sorted(PACKAGE.rglob("__init__.py")):
        folder, stub = init.parent, init.with_suffix(".pyi")
        parts = folder.relative_to(PACKAGE).parts
        if stub.exists() and stub.read_text(encoding="utf-8").startswith(STUB_MARK):
            texts[stub] = _stub(folder, stub.read_text(encoding="utf-8"))
        elif parts and _is_exported(folder):
            head = init.read_text(encoding="utf-8")
            head = head[: _end_of_docstring(head)] + "\n" + MARK
            sources = _sources(folder)
            texts[init] = head + import_lines(sources) + "\n" + _all(sources)
    return texts


def _is_exported(folder):
    """Return True for a public package, and for a family inside a package that imports the family's names at once."""
    if not folder.name.startswith("_"):
        return True
    return folder.parent != PACKAGE and not (folder.parent / "__init__.pyi").exists()


def _sources(folder):
    """Return the names that a package imports from each of its private modules and families."""
    found = {}
    for path in sorted(folder.glob("_*")):
        if path.suffix == ".py" and not path.name.startswith("__"):
            names = declared(path)
        elif (path / "__init__.py").exists() and _is_exported(path):
            names = _names(_sources(path))
        else:
            continue
        if names:
            found[f".{path.stem}"] = names
    return found


def declared(path):
    """Return the names in the `__all__` of a module; without such a line, return no names."""
    line = re.search(r"^__all__ = (\[.*?\])", path.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    return ast.literal_eval(line[1]) if line else []


def _stub(folder, text):
    """Return the text of a stub: the imports that were written by hand, and the generated imports."""
    sources, rest = {}, []
    for node in ast.parse(text).body:
        if isinstance(node, ast.ImportFrom):
            sources[f".{node.module or ''}"] = [alias.name for alias in node.names]
        elif not (isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__"):
            rest.append(ast.unparse(node))
    sources["."] = [
        path.stem
        for path in folder.iterdir()
        if not path.name.startswith("_") and (path.suffix == ".py" or (path / "__init__.py").exists())
    ]
    sources |= _sources(folder)
    if folder == PACKAGE:
        methods = _names(_sources(folder / METHODS))
        sources[f".{METHODS}"] = [name for name in methods if name[0].isupper()]
    return STUB_MARK + import_lines(sources) + "\n" + "".join(f"{line}\n" for line in rest) + _all(sources)


def _end_of_docstring(text):
    lines = text.splitlines(keepends=True)
    return sum(map(len, lines[: ast.parse(text).body[0].end_lineno]))


def _kind(name):
    """Return a sort key that puts constants before classes, and classes before functions."""
    return 0 if name.isupper() else 1 if name[0].isupper() else 2


def import_lines(sources):
    """Return the lines of imports as ruff sorts and wraps them."""
    lines = []
    for module, names in sorted(sources.items()):
        names = sorted(names, key=lambda name: (_kind(name), name.lower()))
        line = f"from {module} import {', '.join(names)}\n"
        lines.append(line if len(line) <= WIDTH + 1 else f"from {module} import ({_lines(names)})\n")
    return "".join(lines)


def _names(sources):
    return list(chain.from_iterable(sources.values()))


def _all(sources):
    """Return the line of `__all__` as ruff sorts and wraps it."""
    names = [f'"{name}"' for name in sorted(_names(sources), key=lambda name: (_kind(name), name))]
    line = f"__all__ = [{', '.join(names)}]\n"
    return line if len(line) <= WIDTH + 1 else f"__all__ = [{_lines(names)}]\n"


def _lines(names):
    return "\n" + "".join(f"    {name},\n" for name in names)
