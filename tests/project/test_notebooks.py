"""The notebooks are committed without outputs and run on every machine; building the documentation runs them."""

import importlib.util
import json
import re
import subprocess
import sys
from html import unescape
from pathlib import Path

import pytest

DOCS = Path(__file__).resolve().parents[2] / "docs"
NOTEBOOKS = sorted((Path(__file__).resolve().parents[2] / "notebooks").glob("*.ipynb"))


def read(path):
    """Return the cells of a notebook."""
    return json.loads(path.read_text(encoding="utf-8"))["cells"]


def test_notebooks_are_numbered_in_their_order():
    names = [path.stem for path in NOTEBOOKS]
    assert [int(name[:2]) for name in names] == list(range(1, len(names) + 1))
    assert names[0] == "01_quick_start" and names[-1] == "12_coming_from_pyflagr"


def test_no_page_has_the_title_of_a_notebook():
    titles = [re.match(r"# (.+)", "".join(read(path)[0]["source"]))[1] for path in NOTEBOOKS]
    for page in (*DOCS.glob("*.md"), *DOCS.glob("user_guide/*.md")):
        titles += re.findall(r"\A(?:---\n.*?\n---\n+)?# ([^\n]+)", page.read_text(encoding="utf-8"), re.DOTALL)
    assert len(titles) > 40
    assert [one for one in set(titles) if titles.count(one) > 1] == []


def test_quick_start_is_short():
    assert len(read(NOTEBOOKS[0])) == 15


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebook_has_one_title_and_ends_with_a_cell_for_own_data(path):
    cells = read(path)
    words = "\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown")
    assert len(re.findall(r"^# ", words, re.MULTILINE)) == 1
    assert re.findall(r"^## (.+)", words, re.MULTILINE)[-1] == "Your data here"
    assert cells[-1]["cell_type"] == "code" and cells[-2]["cell_type"] == "markdown"
    assert "## Your data here" in "".join(cells[-2]["source"])


def test_descriptions_of_plots_are_unique_and_do_not_repeat_the_text():
    found = []
    for path in NOTEBOOKS:
        text = ""
        for cell in read(path):
            if cell["cell_type"] == "markdown":
                text = " ".join("".join(cell["source"]).split())
            elif cell["metadata"]:
                (words,) = cell["metadata"]["mystnb"]["image"].values()
                assert 60 <= len(words) <= 300 and words.endswith("."), words
                assert not [one for one in re.split(r"(?<=[.:]) ", words) if len(one) > 30 and one in text], words
                found.append(words)
    assert len(found) > 40 and len(set(found)) == len(found)


@pytest.mark.parametrize("path", [NOTEBOOKS[8], NOTEBOOKS[9]], ids=lambda path: path.stem)
def test_numbers_that_depend_on_scikit_learn_are_checked_by_a_cell(path):
    cells = read(path)
    (check,) = ["".join(cell["source"]) for cell in cells if cell["id"] == "check-the-text"]
    assert "warnings.warn(" in check
    descriptions = [cell["metadata"]["mystnb"]["image"]["alt"] for cell in cells if cell["metadata"]]
    numbers = {one for words in descriptions for one in re.findall(r"-?\d+(?:\.\d+)?", words)}
    assert len(numbers) > 8 and not [one for one in numbers if one not in check]
    words = "\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown")
    assert not re.search(r"\b0?\.\d{2,}\b|scikit-learn \d", words)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebook_is_clean(path):
    text = path.read_text(encoding="utf-8")
    notebook = json.loads(text)
    assert (notebook["nbformat"], notebook["nbformat_minor"]) == (4, 5)
    assert set(notebook["metadata"]) == {"kernelspec"}
    assert notebook["metadata"]["kernelspec"]["name"] == "python3"

    cells = notebook["cells"]
    assert cells[0]["cell_type"] == "markdown" and "".join(cells[0]["source"]).startswith("# ")
    assert all(cell["metadata"] == {} or set(cell["metadata"]) == {"mystnb"} for cell in cells)
    ids = [cell["id"] for cell in cells]
    assert len(set(ids)) == len(ids)
    for cell in cells:
        if cell["cell_type"] == "code":
            assert cell["execution_count"] is None and cell["outputs"] == [], cell["id"]

    # No machine-specific path: from the root, a home folder or a drive.
    assert not re.search(r"""["'(\s](/(home|Users|tmp|work|root|mnt|opt|usr|var)/|~/|[A-Z]:\\\\)""", text)


def notebook_links():
    """Import the extension of the documentation."""
    pytest.importorskip("sphinx")
    spec = importlib.util.spec_from_file_location("notebook_links", DOCS / "notebook_links.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(
    ("source", "place"),
    [
        ("https://github.com/owner/project", "owner/project"),
        ("https://github.com/owner/my.project.git", "owner/my.project"),
        ("https://github.com/owner/project/", "owner/project"),
        ("https://host.example/owner/project", None),
        ("", None),
    ],
)
def test_colab_address_exists_for_repositories_on_github(source, place):
    address = f"https://colab.research.google.com/github/{place}/blob/HEAD/notebooks/a.ipynb" if place else None
    assert notebook_links().colab_address(source, "a.ipynb") == address


def build(folder, source, metadata):
    """Build a site of one notebook, which shows a picture; return its page and the messages of the build."""
    for name in ("myst_nb", "sphinx_design"):
        pytest.importorskip(name)
    (folder / "notebooks").mkdir(parents=True)
    picture = {"output_type": "display_data", "data": {"image/png": "iVBORw0KGgo="}, "metadata": {}}
    cells = [
        {"cell_type": "markdown", "id": "a", "metadata": {}, "source": "# A notebook\n\nIts text."},
        {
            "cell_type": "code",
            "id": "b",
            "metadata": metadata,
            "source": "plot()",
            "execution_count": 1,
            "outputs": [picture],
        },
    ]
    kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
    made = {"cells": cells, "metadata": kernel, "nbformat": 4, "nbformat_minor": 5}
    (folder / "notebooks" / "a.ipynb").write_text(json.dumps(made), encoding="utf-8")
    (folder / "index.md").write_text(
        "# Home\n\n```{gallery} notebooks\n```\n\n```{toctree}\nnotebooks/a\n```\n", encoding="utf-8"
    )
    lines = ["import sys", f"sys.path.insert(0, {str(DOCS)!r})"]
    lines += ['extensions = ["gallery", "myst_nb", "notebook_links", "page_words", "sphinx_design"]']
    lines += ['nb_execution_mode = "off"', f"notebook_source = {source!r}"]
    (folder / "conf.py").write_text("\n".join(lines), encoding="utf-8")
    call = [sys.executable, "-m", "sphinx", "-q", str(folder), str(folder / "out")]
    result = subprocess.run(call, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    return (folder / "out" / "notebooks" / "a.html").read_text(encoding="utf-8"), result.stderr


@pytest.mark.exhaustive
def test_page_of_a_notebook_has_a_download_and_once_there_is_an_address_a_link_to_colab(tmp_path):
    described = {"mystnb": {"image": {"alt": "A bar of 2."}}}
    page, messages = build(tmp_path / "with", "https://github.com/owner/project", described)
    assert messages == "" and 'alt="A bar of 2."' in page
    address = "https://colab.research.google.com/github/owner/project/blob/HEAD/notebooks/a.ipynb"
    assert f'href="{address}"' in page and "%pip install 'skrankagg[plot]'" in unescape(re.sub(r"<[^>]+>", "", page))
    (target,) = re.findall(r'href="\.\./(_downloads/\w+/a\.ipynb)"', page)
    made = (tmp_path / "with" / "notebooks" / "a.ipynb").read_bytes()
    assert (tmp_path / "with" / "out" / target).read_bytes() == made
    # The links are not the text that describes the page.
    assert '<meta name="description" content="Its text." />' in page
    home = (tmp_path / "with" / "out" / "index.html").read_text(encoding="utf-8")
    assert "Its text." in home and "Download" not in home

    page, messages = build(tmp_path / "without", "", described)
    assert messages == "" and "colab" not in page and "_downloads/" in page


def test_build_fails_if_a_notebook_raises_a_warning():
    text = (DOCS / "conf.py").read_text(encoding="utf-8")
    # myst-nb then warns of each such cell, and the build turns warnings into errors.
    assert '\nnb_output_stderr = "warn"\n' in text


@pytest.mark.exhaustive
def test_build_warns_of_a_plot_without_a_description(tmp_path):
    assert "a plot has no description" in build(tmp_path, "", {})[1]


def test_address_of_the_sources_has_one_place():
    text = (DOCS / "conf.py").read_text(encoding="utf-8")
    assert 'notebook_source = ADDRESSES.get("Source", "")' in text
