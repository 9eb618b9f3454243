"""The notebooks are committed without outputs and run on every machine; building the documentation runs them."""

import json
import re
from pathlib import Path

import pytest

NOTEBOOKS = sorted((Path(__file__).resolve().parents[2] / "notebooks").glob("*.ipynb"))


def test_notebooks_folder_contains_notebooks():
    assert NOTEBOOKS


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebook_is_clean(path):
    text = path.read_text(encoding="utf-8")
    notebook = json.loads(text)
    assert (notebook["nbformat"], notebook["nbformat_minor"]) == (4, 5)
    assert set(notebook["metadata"]) == {"kernelspec"}
    assert notebook["metadata"]["kernelspec"]["name"] == "python3"

    cells = notebook["cells"]
    assert cells[0]["cell_type"] == "markdown" and "".join(cells[0]["source"]).startswith("# ")
    assert all(cell["metadata"] == {} for cell in cells)
    ids = [cell["id"] for cell in cells]
    assert len(set(ids)) == len(ids)
    for cell in cells:
        if cell["cell_type"] == "code":
            assert cell["execution_count"] is None and cell["outputs"] == [], cell["id"]

    # No machine-specific path: from the root, a home folder or a drive.
    assert not re.search(r"""["'(\s](/(home|Users|tmp|work|root|mnt|opt|usr|var)/|~/|[A-Z]:\\\\)""", text)
