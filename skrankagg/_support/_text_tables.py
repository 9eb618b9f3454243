"""Functions that write tables as aligned text or Markdown, and p-values as text, for all modules of the package."""

from collections.abc import Collection, Sequence

import numpy as np


def aligned_table(rows: Sequence[Sequence[str]], left: Collection[int] = (0,), rules: Collection[int] = (1,)) -> str:
    """Write rows of texts as a table with aligned columns.

    Parameters
    ----------
    rows : sequence of sequences of str
        Cells of each row. The first row contains the titles.
    left : collection of int, default=(0,)
        Positions of the left-aligned columns, from 0; the other columns are right-aligned.
    rules : collection of int, default=(1,)
        Positions, from 0, of the rows that have a horizontal line above them. ``len(rows)`` adds a line below the
        table.

    Returns
    -------
    str
        Lines without trailing blanks, and without a newline at the end.
    """
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = [
        "  ".join(
            cell.ljust(width) if k in left else cell.rjust(width)
            for k, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]
    rule = "-" * max(map(len, lines))
    for place in sorted(rules, reverse=True):
        lines.insert(place, rule)
    return "\n".join(lines)


def markdown_rows(rows: Sequence[Sequence[str]], left: Collection[int] = (0,)) -> str:
    """Write rows of texts as a Markdown table; the caller escapes the cells.

    Parameters
    ----------
    rows : sequence of sequences of str
        Cells of each row. The first row contains the titles.
    left : collection of int, default=(0,)
        Positions of the left-aligned columns, from 0; the other columns are right-aligned.

    Returns
    -------
    str
        A line for each row, without a newline at the end.
    """
    lines = [f"| {' | '.join(row)} |" for row in rows]
    lines.insert(1, "|" + "".join(":--|" if k in left else "--:|" for k in range(len(rows[0]))))
    return "\n".join(lines)


def show_pvalue(value: float, decimals: int = 4) -> str:
    """Format a p-value; a value that would be rounded to zero is shown as an upper bound, such as ``<.0001``."""
    if np.isnan(value):
        return "-"
    least = 10.0**-decimals
    return f"<{least:.{decimals}f}".replace("<0", "<") if value < least else f"{value:.{decimals}f}"
