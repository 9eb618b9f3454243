"""Docstring examples run in an empty namespace, as a user pastes them: what they use they must import."""

from doctest import DocTest


def pytest_collection_modifyitems(items):
    """Take the names of its module from each docstring."""
    for item in items:
        if isinstance(getattr(item, "dtest", None), DocTest):
            item.dtest.globs = {"__name__": "__main__"}
