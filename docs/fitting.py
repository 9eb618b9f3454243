"""Sphinx extension: wide output in smaller print or wrapped, and tables that narrow screens show as cards.

Code has at most 88 columns. They fit between the two lists of links on a screen of 1440 pixels. Output may be wider.
"""

from html import escape

from docutils import nodes

#: Largest number of columns of a block in each size of print, by the class of the size.
SIZES = {"wide-code": 108, "wider-code": 132, "widest-code": 160}
COLUMNS = 88
#: A table becomes cards, one for each row, if it has so many columns, or fewer columns and so many rows.
CARD_COLUMNS, LONG_COLUMNS, LONG_ROWS = 4, 3, 15


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
    """Add the headings of the columns to the cells of long or wide tables."""
    for table in doctree.findall(nodes.table):
        head, body = next(table.findall(nodes.thead), None), next(table.findall(nodes.tbody))
        if head is None or len(head[-1]) < (LONG_COLUMNS if len(body) >= LONG_ROWS else CARD_COLUMNS):
            continue
        table["classes"].append("cards")
        headings = [entry.astext() for entry in head[-1]]
        for row in body:
            for heading, entry in zip(headings, row, strict=True):
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
