"""Docstring examples run in an empty namespace, as a user pastes them: what they use they must import.

Before anything is imported, the public names must be those of the modules: without them nothing here would load.
"""

import os
from doctest import DocTest
from importlib.util import find_spec
from pathlib import Path

# Processes that share the tests share the processors as well. With several threads in each process, the threads of
# NumPy's and scikit-learn's libraries would spend most of their time waiting for each other.
if "PYTEST_XDIST_WORKER" in os.environ:
    for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
        os.environ.setdefault(variable, "1")

if (Path(__file__).parent / "skrankagg").exists():  # and not the tests of an installed package alone
    from regenerate import complaint  # in tools, which the project file adds to the path

    if stale_names := complaint("names"):
        raise ImportError(stale_names)

# Modules that import an optional library.
_NEEDS = {
    "distributed/_spark": "pyspark",
    "distributed/_dask": "dask",
    "distributed/_arrow_chunks": "pyarrow",
    "distributed/_resumable": "pyarrow",
    "compat/_pyterrier_transformer": "pyterrier",
}
collect_ignore = [f"skrankagg/{name}.py" for name, library in _NEEDS.items() if find_spec(library) is None]


def pytest_collection_modifyitems(items):
    """Remove the module's names from the namespace of each docstring."""
    for item in items:
        if isinstance(getattr(item, "dtest", None), DocTest):
            item.dtest.globs = {"__name__": "__main__"}
