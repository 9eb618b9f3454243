"""Sphinx extension: wide output in smaller print or wrapped, and tables that narrow screens show as cards.

Code has at most 88 columns. They fit between the two lists of links on a screen of 1440 pixels. Output may be wider.
"""

import re
from html import escape

from docutils import nodes
from sphinx.util import logging

#: Largest number of columns of a block in each size of print, by the class of the size.
SIZES = {"wide-code": 108, "wider-code": 132, "widest-code": 160}
COLUMNS = 88
NUMBER = re.compile(r"[-+]?[\d.,]+")
#: A table becomes cards, one for each row, if it has so many columns. Fewer columns are enough for a table with so many
#: rows, or with a row of so many characters.
CARD_COLUMNS, LONG_COLUMNS, LONG_ROWS, LONG_TEXT = 4, 3, 15, 70


class CellLabel(nodes.General, nodes.Element):
    """The heading of a cell's column, which only a card shows; the search does not count it as text."""


def size_code(app, doctree):
    """Give each block of code or output that is wider than code the class of a smaller print, or of wrapped lines."""
    for block in doctree.findall(lambda node: isinstance(node, nodes.literal_block | nodes.doctest_block)):
        # Messages of errors and commands are wrapped, and so are sentences: they have no columns.
        lines = [line for line in block.astext().splitlines() if not line.startswith(("skrankagg.exceptions.", "$ "))]
        wide = [line for line in lines if len(line) > COLUMNS]
        columns = max((len(line) for line in wide if "  " in line.strip()), default=0)
        if columns:
            block["classes"].append(next((name for name, most in SIZES.items() if columns <= most), list(SIZES)[-1]))
        if any("  " not in line.strip() for line in wide):
            block["classes"].append("wrapped-code")


def label_cells(app, doctree, docname):
    """Add the headings of the columns to the cells of long or wide tables; warn of columns that a card cannot name.

    Empty cells get no heading, and cards leave them out. In the first column, only a number needs its heading.
    """
    for table in doctree.findall(nodes.table):
        head, body = next(table.findall(nodes.thead), None), next(table.findall(nodes.tbody))
        most = max(sum(len(cell.astext()) for cell in row) for row in body)
        is_long = len(body) >= LONG_ROWS or most >= LONG_TEXT
        if head is None or len(head[-1]) < (LONG_COLUMNS if is_long else CARD_COLUMNS):
            continue
        table["classes"].append("cards")
        headings = [entry.astext() for entry in head[-1]]
        if len(set(headings)) < len(headings) or not all(headings[1:]):
            message = "the columns of a table must have different headings, because narrow screens show rows as cards"
            logging.getLogger(__name__).warning(f"{message}; got %s", headings, location=table)
        for row in body:
            if NUMBER.fullmatch(row[0].astext()):
                row[0]["classes"].append("labelled")
            for heading, entry in zip(headings, row, strict=True):
                if entry.astext():
                    entry.insert(0, CellLabel(heading=heading))


def visit_label(translator, node):
    """Write the heading of a cell."""
    translator.body.append(f'<span class="cell-label" aria-hidden="true">{escape(node["heading"])}</span>')


def leave_label(translator, node):
    """Write nothing."""


def setup(app):
    """Register the extension with Sphinx."""
    app.add_node(CellLabel, html=(visit_label, leave_label))
    app.connect("doctree-read", size_code)
    app.connect("doctree-resolved", label_cells)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
