"""Other processes that find the package under test, wherever they start."""

import os
from pathlib import Path

import skrankagg

__all__ = ["environment"]


def environment(**variables):
    """Environment of another Python that imports the package under test before any installed one."""
    root = str(Path(skrankagg.__file__).parents[1])
    path = os.pathsep.join(filter(None, [root, os.environ.get("PYTHONPATH")]))
    return {**os.environ, "PYTHONPATH": path, **variables}
