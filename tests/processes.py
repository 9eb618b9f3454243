"""Environment of other processes that import the package under test."""

import os
from pathlib import Path

import skrankagg

__all__ = ["environment"]


def environment(**variables):
    """Return the environment of another Python that imports the package under test first."""
    root = str(Path(skrankagg.__file__).parents[1])
    path = os.pathsep.join(filter(None, [root, os.environ.get("PYTHONPATH")]))
    return {**os.environ, "PYTHONPATH": path, **variables}
