"""Sphinx extension: names of public classes and functions in tables become links to their pages."""

import re

from api_pages import MODULES, exports
from docutils import nodes
from sphinx import addnodes

# A name, and its optional arguments: `CombSUM`, `CombSUM(norm="rank")`, `CombSUM[norm=rank]`, but not an attribute.
NAME = re.compile(r"(?:skrankagg\.)?([A-Za-z_]\w*)(?:[(\[].*)?", re.DOTALL)


def public_names():
    """Map the names of classes and functions with a page to their full names."""
    return {name: f"{module}.{name}" for module in MODULES for name in exports(module)}


def link_tables(app, doctree):
    """Turn each literal in a table that is a public name, and is not a link yet, into a reference."""
    names = public_names()
    for table in doctree.findall(nodes.table):
        for literal in list(table.findall(nodes.literal)):
            match = NAME.fullmatch(literal.astext())
            if match is None or match[1] not in names or _is_in_a_link(literal):
                continue
            link = addnodes.pending_xref(
                "", refdomain="py", reftype="obj", reftarget=names[match[1]], refexplicit=True, refwarn=False
            )
            literal.replace_self(link)
            link += literal


def _is_in_a_link(node):
    while not isinstance(node, nodes.table):
        node = node.parent
        if isinstance(node, nodes.reference | addnodes.pending_xref):
            return True
    return False


def setup(app):
    """Register the extension with Sphinx."""
    app.connect("doctree-read", link_tables)
    return {"parallel_read_safe": True}
