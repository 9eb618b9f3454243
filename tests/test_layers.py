"""Imports point down: a module imports only what stands below it."""

import ast
import functools
from pathlib import Path

import skrankagg

PACKAGE = Path(skrankagg.__file__).parent

# From the bottom up; a module may import those of lower layers, and its own package.
LAYERS = [
    {"_kernels", "_numbers"},
    {"exceptions", "_sklearn", "_grouped", "_normalize", "_immutable", "_progress", "_warn"},
    {"_pairwise", "_distances", "_order_statistics"},
    {"_frames", "_composition"},
    {"_conflicts"},
    {"_encoding", "_exposure", "_query_container", "_voter_names"},
    {"_qrels"},
    {"_lists"},
    {"_fitted_rows", "_output"},
    {"base", "datasets"},
    {"_weighted"},
    {"metrics", "stats"},
    {"aggregators"},
    {"preprocessing"},
    {"model_selection", "plotting"},
    {"utils", "compat", "_show_versions"},
    {"__init__"},
    {"_command_line"},
    {"__main__"},
]
HEIGHT = {room: height for height, layer in enumerate(LAYERS) for room in layer}
# Rooms that stand side by side, and one rule of its own: an aggregator gets its measure as an argument.
FORBIDDEN = {("aggregators", "metrics"), ("base", "datasets"), ("datasets", "base")}
PANDAS = {
    "_frames",
    "_encoding",
    "_lists",
    "_qrels",
    "_fitted_rows",
    "_voter_names",
    "base",
    "_weighted",
    "datasets",
    "metrics",
    "preprocessing",
    "model_selection",
    "utils",
    "plotting",
    "compat",
    "_command_line",
}

MODULES = sorted(path.relative_to(PACKAGE) for path in PACKAGE.rglob("*.py") if path.name != "_hatch_build.py")


def room(path):
    return path.parts[0].removesuffix(".py")


@functools.cache
def imports(path):
    """Rooms of the package that a module imports, and the libraries."""
    tree = ast.parse((PACKAGE / path).read_text(encoding="utf-8"))
    rooms, libraries = set(), set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            libraries |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            if not node.level:
                libraries.add(node.module)
                continue
            base = list(path.parts[:-1])[: len(path.parts) - node.level]
            target = [*base, *(node.module.split(".") if node.module else [])]
            rooms |= {target[0]} if target else {alias.name for alias in node.names}
    return rooms, libraries


def test_there_are_modules():
    assert {"base.py", "aggregators/_linear.py", "_kernels/_majority.py"} <= {path.as_posix() for path in MODULES}


def test_imports_point_down():
    for path in MODULES:
        own = room(path)
        for other in imports(path)[0] - {own}:
            if other not in HEIGHT:  # a name that the package defines itself, such as __version__
                other = "__init__"
            assert HEIGHT[other] < HEIGHT[own], f"{path} imports {other}, which stands beside or above it"
            assert (own, other) not in FORBIDDEN, f"{path} imports {other}"


def test_libraries_have_their_rooms():
    for path in MODULES:
        own, libraries = room(path), imports(path)[1]
        private = {name for name in libraries if name.startswith("sklearn") and "._" in name}
        assert not private or own == "_sklearn", f"{path} imports {private}; only _sklearn.py may"
        assert "pandas" not in libraries or own in PANDAS, f"{path} imports pandas"
        assert not any(name.startswith("matplotlib") for name in libraries) or own == "plotting", path
        assert not any(name.startswith("librt") for name in libraries) or own == "_kernels", path


def test_every_module_has_a_docstring():
    for path in MODULES:
        assert ast.get_docstring(ast.parse((PACKAGE / path).read_text(encoding="utf-8"))), path
