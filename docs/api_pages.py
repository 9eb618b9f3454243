"""Pages of the API reference, generated from the exports of each public module."""

import importlib
import inspect

#: Public modules in the order of their pages, with a heading.
MODULES = {
    "skrankagg": "Data and top level",
    "skrankagg.aggregators": "Aggregators",
    "skrankagg.preprocessing": "Steps before and after an aggregator",
    "skrankagg.feature_selection": "Feature selection",
    "skrankagg.metrics": "Measures and scorers",
    "skrankagg.stats": "Statistics of comparisons and selections",
    "skrankagg.model_selection": "Comparison and splitters",
    "skrankagg.inspection": "Inspection of a consensus",
    "skrankagg.plotting": "Plots",
    "skrankagg.datasets": "Data sets, readers, writers",
    "skrankagg.distributed": "Larger than memory, or than one machine",
    "skrankagg.compat.pyterrier": "PyTerrier",
    "skrankagg.base": "Base classes",
    "skrankagg.exceptions": "Errors and warnings",
    "skrankagg.utils.discovery": "Discovery",
    "skrankagg.utils.estimator_checks": "Checks for your own estimators",
}

#: Public modules without a page, and the reason.
WITHOUT_PAGE = {
    "skrankagg.utils": "a package of two modules that have pages",
    "skrankagg.compat": "a package of compatibility modules for users of other libraries",
    **{
        f"skrankagg.compat.pyflagr{part}": "PyFLAGR's names; coming_from_pyflagr.md is their page"
        for part in ("", ".Comparator", ".Kemeny", ".Linear", ".Majoritarian", ".MarkovChains", ".RRA", ".Weighted")
    },
}


def exports(module):
    """List the public classes and functions that the page of a module shows.

    The top-level package repeats names of its submodules; its page shows only the names that no submodule exports.
    """
    imported = importlib.import_module(module)
    names = imported.__all__
    if module == "skrankagg":
        parts = set().union(*(exports(part) for part in MODULES if part != module))
        names = [name for name in names if name not in parts]
    return sorted(
        (name for name in names if _is_class_or_function(getattr(imported, name))),
        key=lambda name: (not inspect.isclass(getattr(imported, name)), name.lower()),
    )


def _is_class_or_function(value):
    return inspect.isclass(value) or inspect.isfunction(value)


def write_api_pages(folder):
    """Write a page for each public module and an index; pages that are up to date are not rewritten."""
    folder.mkdir(exist_ok=True)
    for module, title in MODULES.items():
        names = exports(module)
        classes = [name for name in names if inspect.isclass(getattr(importlib.import_module(module), name))]
        functions = [name for name in names if name not in classes]
        lines = [title, "=" * len(title), "", f"``{module}``", "", f".. automodule:: {module}", "   :no-members:", ""]
        if module == "skrankagg.plotting":
            lines += ["The :doc:`gallery of plots </plots>` has a picture of each display.", ""]
        lines += [f".. currentmodule:: {module}", ""]
        for heading, group, template in (("Classes", classes, "class.rst"), ("Functions", functions, "function.rst")):
            if group:
                lines += [heading, "-" * len(heading), "", ".. autosummary::", "   :toctree: generated"]
                lines += ["   :nosignatures:", f"   :template: {template}"]
                lines += ["", *(f"   {name}" for name in group), ""]
        _write(folder / f"{module}.rst", lines)
    index = ["API reference", "=============", "", ".. list-table::", "   :header-rows: 1", "   :widths: auto", ""]
    index += ["   * - Module", "     - Contents", "     - Classes", "     - Functions"]
    for module in MODULES:
        kinds = [inspect.isclass(getattr(importlib.import_module(module), name)) for name in exports(module)]
        index += [f"   * - :doc:`{module} <{module}>`", f"     - {MODULES[module]}"]
        index += [f"     - {sum(kinds) or ''}".rstrip(), f"     - {len(kinds) - sum(kinds) or ''}".rstrip()]
    index += ["", ".. toctree::", "   :hidden:", "   :maxdepth: 1", "", *(f"   {module}" for module in MODULES), ""]
    _write(folder / "index.rst", index)


def _write(path, lines):
    text = "\n".join(lines)
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")
