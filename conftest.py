"""Docstring examples run in an empty namespace, as a user pastes them: what they use they must import."""

from doctest import DocTest
from importlib.util import find_spec

# Modules that import a library which not everyone has.
_NEEDS = {"_spark": "pyspark", "_dask": "dask", "_arrow_chunks": "pyarrow", "_resumable": "pyarrow"}
collect_ignore = [f"skrankagg/distributed/{name}.py" for name, library in _NEEDS.items() if find_spec(library) is None]


def pytest_collection_modifyitems(items):
    """Take the names of its module from each docstring."""
    for item in items:
        if isinstance(getattr(item, "dtest", None), DocTest):
            item.dtest.globs = {"__name__": "__main__"}
