"""Setup of docstring examples: they run in an empty namespace, like a user's, and must import all that they use."""

from doctest import DocTest
from importlib.util import find_spec

# Modules that import an optional library.
_NEEDS = {"_spark": "pyspark", "_dask": "dask", "_arrow_chunks": "pyarrow", "_resumable": "pyarrow"}
collect_ignore = [f"skrankagg/distributed/{name}.py" for name, library in _NEEDS.items() if find_spec(library) is None]


def pytest_collection_modifyitems(items):
    """Remove the module's names from the namespace of each docstring."""
    for item in items:
        if isinstance(getattr(item, "dtest", None), DocTest):
            item.dtest.globs = {"__name__": "__main__"}
