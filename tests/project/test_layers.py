"""The tree: imports point down, no two private modules have one name, and no module is long."""

import ast
import functools
from collections import Counter
from graphlib import TopologicalSorter
from pathlib import Path

import skrankagg

PACKAGE = Path(skrankagg.__file__).parent
MODULES = sorted(path.relative_to(PACKAGE) for path in PACKAGE.rglob("*.py"))

#: From the bottom up; a folder may import those of lower layers, and its own.
LAYERS = [
    {"_kernels", "exceptions"},
    {"_support"},
    {"_arrays"},
    {"_data"},
    {"base", "datasets"},
    {"metrics", "stats"},
    {"aggregators"},
    {"_fuse"},
    {"preprocessing", "feature_selection"},
    {"inspection"},
    {"model_selection"},
    {"plotting"},
    {"compat", "distributed", "utils"},
    {"__init__"},
    {"_command_line"},
    {"__main__"},
]
HEIGHT = {unit: height for height, layer in enumerate(LAYERS) for unit in layer}
#: An aggregator that needs a measure gets it as an argument.
FORBIDDEN = {("aggregators", "metrics")}
#: Libraries that only one unit may use: scikit-learn's private names, plots, the runtime of the kernels, the machine.
RESERVED = {"sklearn private": "_support", "matplotlib": "plotting", "librt": "_kernels", "psutil": "_support"}
WITHOUT_PANDAS = {"_kernels", "_arrays", "_support", "aggregators", "stats"}


def unit(path):
    return path.parts[0].removesuffix(".py")


@functools.cache
def tree_of(path):
    """Parse a module once for all tests."""
    return ast.parse((PACKAGE / path).read_text(encoding="utf-8"))


def at_run_time(tree):
    """The nodes of a module but for the blocks under ``if TYPE_CHECKING``, which only type checkers read."""
    if isinstance(tree, ast.If) and isinstance(tree.test, ast.Name) and tree.test.id == "TYPE_CHECKING":
        nodes = tree.orelse
    else:
        yield tree
        nodes = ast.iter_child_nodes(tree)
    for node in nodes:
        yield from at_run_time(node)


@functools.cache
def imports(path):
    """Modules of the package that a module imports, as tuples of their parts, and the libraries."""
    modules, libraries = set(), set()
    for node in at_run_time(tree_of(path)):
        if isinstance(node, ast.Import):
            libraries |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            if not node.level:
                libraries.add(node.module)
                continue
            base = path.parts[:-1][: len(path.parts) - node.level]
            target = (*base, *(node.module.split(".") if node.module else ()))
            modules |= {(*target, alias.name) for alias in node.names}
    return modules, libraries


def imported_units(path):
    for target in imports(path)[0]:
        yield target[0] if target[0] in HEIGHT else "__init__"  # a name of the package itself, such as __version__


def test_imports_point_down():
    for path in MODULES:
        own = unit(path)
        for other in set(imported_units(path)) - {own}:
            assert HEIGHT[other] < HEIGHT[own], f"{path} imports {other}, which does not stand below it"
            assert (own, other) not in FORBIDDEN, f"{path} imports {other}"


def test_no_modules_import_each_other_in_a_circle():
    known = {path.with_suffix("").parts: path for path in MODULES}
    graph = {}
    for path in MODULES:
        if path.name == "__init__.py":
            continue
        targets = {target[:end] for target in imports(path)[0] for end in range(1, len(target) + 1)}
        graph[path] = {known[target] for target in targets if target in known}
    TopologicalSorter(graph).prepare()  # raises CycleError, which names the circle


def test_no_module_imports_an_underscore_name_from_another():
    for path in MODULES:
        for *folders, name in imports(path)[0]:
            if name.startswith("_") and not name.startswith("__"):
                module = PACKAGE.joinpath(*folders, name)
                assert module.is_dir() or module.with_suffix(".py").exists(), f"{path} imports {name}"


def test_few_imports_between_units():
    # Every unit may raise the package's errors, so imports of those say nothing about the structure.
    edges = {
        (unit(path), other)
        for path in MODULES
        for other in imported_units(path)
        if other not in (unit(path), "exceptions")
    }
    assert len(edges) <= 83


def test_each_library_is_imported_only_in_its_unit():
    for path in MODULES:
        own, libraries = unit(path), imports(path)[1]
        kinds = {name.split(".")[0] for name in libraries}
        kinds |= {"sklearn private" for name in libraries if name.startswith("sklearn") and "._" in name}
        for kind in kinds & set(RESERVED):
            assert own == RESERVED[kind], f"{path} imports {kind}; only {RESERVED[kind]} may"
        assert "pandas" not in kinds or own not in WITHOUT_PANDAS, f"{path} imports pandas"


def test_every_module_has_a_docstring():
    for path in MODULES:
        assert ast.get_docstring(tree_of(path)), path


def test_only_modules_that_feed_a_public_package_have_all():
    for path in MODULES:
        tree = tree_of(path)
        stored = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
        assert not ("__all__" in stored and len(path.parts) > 1 and path.parts[0].startswith("_")), path


def test_no_two_private_modules_have_one_name():
    names = Counter(path.name for path in MODULES if path.name != "__init__.py")
    assert not [name for name, count in names.items() if count > 1]


def test_no_module_is_long():
    lines = {path.as_posix(): len((PACKAGE / path).read_text("utf-8").splitlines()) for path in MODULES}
    assert not {path: count for path, count in lines.items() if count > 800}
