"""Sphinx extension for the pages of the reference: import lines, inherited methods, errors, links of references."""

import importlib
import inspect
import re
import tomllib
from pathlib import Path

from api_pages import MODULES, exports
from docutils import nodes
from raises import insert_raises

import skrankagg

DOIS = Path(__file__).resolve().parent / "dois.toml"
#: An identifier of a paper as written in a reference.
IDENTIFIER = re.compile(r"doi:(10\.\d{4,9}/\S*[^\s.,;)])|arXiv:(\d{4}\.\d{4,5})")
#: Methods of scikit-learn and of Python's errors that the pages leave out, and an attribute that the methods describe
#: under "Attributes".
LEFT_OUT = (
    "add_note",
    "with_traceback",
    "query_info_",
    "set_output",
    "set_fit_request",
    "set_score_request",
    "set_split_request",
    "set_transform_request",
    "get_metadata_routing",
    "set_callbacks",
)


def public_values():
    """Map the full name of each class and function with a page to the class or function."""
    return {
        f"{module}.{name}": getattr(importlib.import_module(module), name)
        for module in MODULES
        for name in exports(module)
    }


def import_line(module, name):
    """Return the statement that imports a public name, from the top level where this is possible."""
    return f"from {'skrankagg' if name in skrankagg.__all__ else module} import {name}"


def inherited_members(value, pages):
    """Return the full names of the public members that a class inherits from a class with a page."""
    found = []
    for name in dir(value):
        owner = next(one for one in value.__mro__ if name in vars(one))
        if not name.startswith("_") and name not in LEFT_OUT and owner is not value and owner in pages:
            found.append(f"{pages[owner]}.{name}")
    return found


def context():
    """Return what the templates of classes and functions need, by full name."""
    values = public_values()
    pages = {value: name for name, value in values.items() if inspect.isclass(value)}
    return {
        "imports": {name: import_line(*name.rsplit(".", 1)) for name in values},
        "inherited": {name: inherited_members(value, pages) for value, name in pages.items()},
        "left_out": LEFT_OUT,
    }


def dois():
    """Map the title of each cited work that has a DOI to the DOI."""
    return tomllib.loads(DOIS.read_text(encoding="utf-8"))["doi"]


def link_references(app, doctree):
    """Link the references of docstrings: add the DOI of the cited title, and link identifiers in the text."""
    known = dois()
    for citation in doctree.findall(nodes.citation):
        paragraph = next(citation.findall(nodes.paragraph), None)
        if paragraph is None:
            continue
        words = " ".join(paragraph.astext().split())
        if "doi:" not in words:
            titles = [title for title in known if f'"{title}"' in words]
            if titles:
                paragraph += nodes.Text(f" doi:{known[max(titles, key=len)]}")
        for text in list(paragraph.findall(nodes.Text)):
            if not isinstance(text.parent, nodes.reference) and IDENTIFIER.search(text):
                text.parent.replace(text, list(linked(str(text))))


def linked(text):
    """Split a text at its identifiers; yield texts, and a link for each identifier."""
    end = 0
    for match in IDENTIFIER.finditer(text):
        yield nodes.Text(text[end : match.start()])
        doi, arxiv = match.groups()
        address = f"https://doi.org/{doi}" if doi else f"https://arxiv.org/abs/{arxiv}"
        yield nodes.reference("", match[0], refuri=address, internal=False)
        end = match.end()
    yield nodes.Text(text[end:])


def unlink_addresses(app, doctree):
    """Turn links to e-mail addresses back into text: "ndcg@10" is a measure."""
    for link in list(doctree.findall(nodes.reference)):
        if link.get("refuri", "").startswith("mailto:"):
            link.replace_self(nodes.Text(link.astext()))


def setup(app):
    """Register the extension with Sphinx."""
    app.connect("autodoc-process-docstring", insert_raises, priority=100)  # before numpydoc
    app.connect("doctree-read", link_references)
    app.connect("doctree-read", unlink_addresses)
    return {"parallel_read_safe": True}
