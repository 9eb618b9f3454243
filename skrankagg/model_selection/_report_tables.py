"""Functions that turn a frame of results into a table as text, Markdown, LaTeX or a pandas Styler.

A table has a row for each method and a column for each measure. The best value of a measure is marked. The best value
is the lowest if lower values of the measure are better, otherwise the highest. If all methods are equal, no value is
marked. Counts and times are never marked, because larger values are not better. A dash stands for a missing number,
such as the measures of a failed method.

>>> import pandas as pd
>>> from skrankagg.model_selection import text_table
>>> results = pd.DataFrame(
...     {"map": [0.51239, 0.48], "time": [0.0021, 0.0154]},
...     index=pd.Index(["CombSUM", "Copeland"], name="method"),
... )
>>> print(text_table(results))
method       map   time (ms)
----------------------------
CombSUM   0.5124*        2.1
Copeland  0.4800        15.4
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Unpack

import numpy as np
import pandas as pd

from .._support._text_tables import aligned_table, markdown_rows, show_pvalue
from ..exceptions import InputError
from ..metrics._relevance._registry import find_measure, orient, prefers
from ._paper_words import escape, label_heading, legend_of, measure_heading
from ._results import REASON
from ._significance import TESTED, PairedTestOptions, significance_marks

if TYPE_CHECKING:
    from pandas.io.formats.style import Styler

__all__ = ["latex_table", "markdown_table", "style_table", "text_table"]

# Times in seconds below this limit are shown in milliseconds.
_MS_LIMIT = 10.0
# Columns of p-values, which are never marked.
_PVALUES = {"pvalue", "adjusted", "p", "p_next"}
#: Key of the names of the voters in the ``attrs`` of a Comparator's frames.
VOTERS = "skrankagg_voters"


def text_table(
    table: pd.DataFrame,
    *,
    references: pd.DataFrame | None = None,
    marks: pd.DataFrame | None = None,
    decimals: int = 4,
    mark_best: bool | list[str] = True,
    time: str = "time",
) -> str:
    """Write results as plain text with right-aligned numbers and a star at the best value of each measure.

    Parameters
    ----------
    table : DataFrame of shape (n_methods, n_columns)
        Numbers, or NaN where a number is missing. The methods are shown in the order of the rows. The index labels the
        rows; it may have several levels.
    references : DataFrame, default=None
        Further rows, such as single voters. They are shown below a horizontal line and are never marked. Their cells
        are blank in columns that `references` lacks.
    marks : DataFrame of str, default=None
        Text after each number, such as "+" and "-" from :func:`significance_marks`. Rows and columns are matched to
        `table` by their labels.
    decimals : int, default=4
        Number of decimals of measures.
    mark_best : bool or list, default=True
        Whether to mark the best value of each measure. With a list of methods, the best value among these methods is
        marked.
    time : str, default="time"
        Name of the column of times in seconds. The column may be missing. Times are shown in ms or s.

    Returns
    -------
    str
        The table. Lines have no trailing blanks, and the last line has no newline.

    See Also
    --------
    latex_table : Writes the table for a paper.

    Examples
    --------
    >>> import pandas as pd
    >>> from skrankagg.model_selection import text_table
    >>> results = pd.DataFrame({"map": [0.5, 0.25], "num_ret": [300, 270]},
    ...     index=["a.run", "b.run"])
    >>> print(text_table(results,
    ...     references=pd.DataFrame({"map": [0.1]}, index=["best voter"]), decimals=2))
    method       map   num_ret
    --------------------------
    a.run       0.50*      300
    b.run       0.25       270
    --------------------------
    best voter  0.10
    """
    header, labels, columns = _lay_out(table, references, marks, decimals, mark_best, time)
    filled = list(zip(header, *labels, strict=True))
    for title, cells, best, behind in columns:
        # A column with marks keeps space for them, so that its numbers stay aligned.
        ends = ["", *(f"{'*' if is_best else ''}{mark}" for is_best, mark in zip(best, behind, strict=True))]
        width = max(map(len, ends))
        filled.append([cell + end.ljust(width) for cell, end in zip([title, *cells], ends, strict=True)])
    rules = {1, *_rules(table, references)}
    return aligned_table(list(zip(*filled, strict=True)), range(len(header)), rules)


class LatexOptions(PairedTestOptions, total=False):
    """Options of :func:`latex_table`, for functions that pass these options on."""

    references: pd.DataFrame | None
    decimals: int
    mark_best: bool | list[str]
    time: str | None
    headings: Mapping[str, str] | None
    caption: str | None
    label: str | None


def latex_table(
    table: pd.DataFrame,
    *,
    references: pd.DataFrame | None = None,
    marks: pd.DataFrame | None = None,
    baseline: str | None = None,
    decimals: int = 4,
    mark_best: bool | list[str] = True,
    time: str | None = None,
    headings: Mapping[str, str] | None = None,
    caption: str | None = None,
    label: str | None = None,
    **options: Unpack[PairedTestOptions],
) -> str:
    r"""Write results as a LaTeX table in the style of booktabs, with the best value of each measure in bold.

    Parameters
    ----------
    table : DataFrame of shape (n_methods, n_columns)
        Numbers, or NaN where a number is missing. The methods are shown in the order of the rows. The index labels the
        rows; it may have several levels. With `baseline`, the table must have a row for each method and query, such as
        the result of ``evaluate(runs, qrels, per_query=True)``. The result then shows means over the queries, and sums
        of counts.
    references : DataFrame, default=None
        Further rows. They are shown below a horizontal line and are never in bold.
    marks : DataFrame of str, default=None
        Text after each number, such as "+" and "-" from :func:`significance_marks`. Rows and columns are matched to
        `table` by their labels. Marks of :func:`significance_marks` are explained below the table.
    baseline : str, default=None
        Name of the row that all other rows are compared with; "best" is the row with the best mean of the first
        measure. Significant differences are marked, as in :func:`significance_marks`. None marks nothing.
    decimals : int, default=4
        Number of decimals of measures.
    mark_best : bool or list, default=True
        Whether to set the best value of each measure in bold. With a list of methods, the best value among these
        methods is in bold.
    time : str or None, default=None
        Name of the column of times in seconds, which are shown in ms or s. With None, a column "time" is not shown.
    headings : mapping of str to str, default=None
        Headings in LaTeX, keyed by column. Measures without an entry have the headings of papers, such as MAP, P@10 and
        nDCG@10.
    caption : str, default=None
        Caption, in LaTeX. If a caption or a label is given, the tabular is part of a floating table.
    label : str, default=None
        Label of the table for references, such as "tab:methods".
    **options
        Options of the tests against `baseline`: `test`, `correction`, `n_resamples`, `random_state`.

    Returns
    -------
    str
        The table, in which names of rows and columns are escaped. The document needs ``\usepackage{booktabs}``. A
        horizontal line separates the methods of a Comparator from its voters.

    Raises
    ------
    ValueError
        If `marks` and `baseline` are both given, or `baseline` is not a row.
    TypeError
        If `baseline` is given, but the table does not have a row for each method and query.

    See Also
    --------
    text_table : Writes the table for a terminal.
    compare_methods : Computes the tests, and intervals of the differences.

    Notes
    -----
    If the baseline is "best", it is chosen and tested on the same queries. The p-values are then too small, as in
    :func:`compare_methods`.

    Examples
    --------
    >>> import pandas as pd
    >>> from skrankagg.model_selection import latex_table
    >>> print(latex_table(pd.DataFrame({"p@10": [0.5, 0.25]}, index=["a_b", "c"])))
    \begin{tabular}{lr}
    \toprule
    Method & P@10 \\
    \midrule
    a\_b & \textbf{0.5000} \\
    c & 0.2500 \\
    \bottomrule
    \end{tabular}

    Runs on six queries, tested against the best run:

    >>> index = pd.MultiIndex.from_product([["a", "b"], range(6)], names=["run", "query"])
    >>> per_query = pd.DataFrame({"map": [0.5, 0.4, 0.6, 0.7, 0.5, 0.3, 0.6, 0.6, 0.7, 0.7,
    ...     0.8, 0.4]}, index=index)
    >>> print(latex_table(per_query, baseline="best", decimals=3))
    \begin{tabular}{lr}
    \toprule
    Run & MAP \\
    \midrule
    a & 0.500$^{-}$ \\
    b & \textbf{0.633} \\
    \bottomrule
    \end{tabular}
    \par\smallskip
    {\footnotesize $^{-}$ worse than b, $p < 0.05$ (paired $t$-test over 6 queries).\par}
    """
    if baseline is not None:
        if marks is not None:
            raise InputError("`marks` must be None if `baseline` is given; got both. Leave out one of them.")
        marks = significance_marks(table, baseline, **options)
        table = mean_table(table)
    if time is None:
        table = table.drop(columns="time", errors="ignore")
    header, labels, columns = _lay_out(table, references, marks, decimals, mark_best, time)
    titles = [
        measure_heading(name, title, table, headings or {})
        for name, (title, *_) in zip(table.columns, columns, strict=True)
    ]
    cells = [
        [_latex_cell(cell, is_best, mark) for cell, is_best, mark in zip(*column, strict=True)]
        for _, *column in columns
    ]
    rows = [[*map(label_heading, header), *titles]]
    rows += [[*map(escape, names), *row] for names, row in zip(labels, _transposed(cells, labels), strict=True)]
    lines = [" & ".join(row) + r" \\" for row in rows]
    for place in sorted(_rules(table, references), reverse=True):
        lines.insert(place, r"\midrule")
    lines = [
        rf"\begin{{tabular}}{{{'l' * len(header)}{'r' * len(columns)}}}",
        r"\toprule",
        lines[0],
        r"\midrule",
        *lines[1:],
        r"\bottomrule",
        r"\end{tabular}",
    ]
    if marks is not None and TESTED in marks.attrs:
        shown = {mark for _, _, _, behind in columns for mark in behind if mark}
        lines += [r"\par\smallskip", rf"{{\footnotesize {legend_of(marks.attrs[TESTED], shown)}\par}}"]
    if caption is None and label is None:
        return "\n".join(lines)
    # The label follows the caption, because it refers to the number that the caption creates.
    caption = [] if caption is None else [rf"\caption{{{caption}}}"]
    label = [] if label is None else [rf"\label{{{label}}}"]
    return "\n".join([r"\begin{table}", r"\centering", *caption, *label, *lines, r"\end{table}"])


def markdown_table(
    table: pd.DataFrame,
    *,
    references: pd.DataFrame | None = None,
    marks: pd.DataFrame | None = None,
    decimals: int = 4,
    mark_best: bool | list[str] = True,
    time: str = "time",
) -> str:
    r"""Write results as a Markdown table with the best value of each measure in bold.

    Parameters
    ----------
    table : DataFrame of shape (n_methods, n_columns)
        Numbers, or NaN where a number is missing. The methods are shown in the order of the rows. The index labels the
        rows; it may have several levels.
    references : DataFrame, default=None
        Further rows. They are shown at the end and are never in bold.
    marks : DataFrame of str, default=None
        Text after each number, such as "+" and "-" from :func:`significance_marks`. Rows and columns are matched to
        `table` by their labels.
    decimals : int, default=4
        Number of decimals of measures.
    mark_best : bool or list, default=True
        Whether to set the best value of each measure in bold. With a list of methods, the best value among these
        methods is in bold.
    time : str, default="time"
        Name of the column of times in seconds. The column may be missing. Times are shown in ms or s.

    Returns
    -------
    str
        The table, with one line for each row. There is no newline at the end.

    See Also
    --------
    text_table : Writes the table for a terminal.

    Examples
    --------
    >>> import pandas as pd
    >>> from skrankagg.model_selection import markdown_table
    >>> print(markdown_table(pd.DataFrame({"p@10": [0.5, 0.25]}, index=["a|b", "c"]),
    ...     decimals=2))
    | method | p@10 |
    |:--|--:|
    | a\|b | **0.50** |
    | c | 0.25 |
    """
    header, labels, columns = _lay_out(table, references, marks, decimals, mark_best, time)
    rows = [[*header, *(title for title, *_ in columns)]]
    cells = [
        [(f"**{cell}**" if is_best else cell) + mark for cell, is_best, mark in zip(*column, strict=True)]
        for _, *column in columns
    ]
    rows += [[*names, *row] for names, row in zip(labels, _transposed(cells, labels), strict=True)]
    rows = [[" ".join(cell.split()).replace("|", "\\|") for cell in row] for row in rows]
    return markdown_rows(rows, range(len(header)))


def style_table(
    table: pd.DataFrame,
    *,
    marks: pd.DataFrame | None = None,
    decimals: int = 4,
    mark_best: bool | list[str] = True,
    time: str = "time",
) -> Styler:
    """Style results for a notebook, with the best value of each measure in bold.

    Parameters
    ----------
    table : DataFrame of shape (n_methods, n_columns)
        Numbers, or NaN where a number is missing.
    marks : DataFrame of str, default=None
        Text after each number, such as "+" and "-" from :func:`significance_marks`. Rows and columns are matched to
        `table` by their labels.
    decimals : int, default=4
        Number of decimals of measures.
    mark_best : bool or list, default=True
        Whether to set the best value of each measure in bold. With a list of methods, the best value among these
        methods is in bold.
    time : str, default="time"
        Name of the column of times in seconds. The column may be missing. Times are shown in ms or s.

    Returns
    -------
    pandas.io.formats.style.Styler
        The styled table; it needs jinja2.

    See Also
    --------
    markdown_table : Writes the table for a document.

    Examples
    --------
    >>> import pandas as pd
    >>> from skrankagg.model_selection import style_table
    >>> styled = style_table(pd.DataFrame({"p@10": [0.5, 0.25]}, index=["a", "b"]),
    ...     decimals=2)
    >>> "font-weight: bold" in styled.to_html()
    True
    """
    _, _, columns = _lay_out(table, None, marks, decimals, mark_best, time)
    cells = {
        name: [cell + mark for cell, mark in zip(column[1], column[3], strict=True)]
        for name, column in zip(table.columns, columns, strict=True)
    }
    bold = {
        name: ["font-weight: bold" if is_best else "" for is_best in column[2]]
        for name, column in zip(table.columns, columns, strict=True)
    }
    shown = pd.DataFrame(cells, index=table.index, columns=table.columns)
    styles = pd.DataFrame(bold, index=table.index, columns=table.columns)
    titles = {name: column[0] for name, column in zip(table.columns, columns, strict=True)}
    return (
        shown.rename(columns=titles)
        .style.format(escape="html")  # a p-value may begin with <
        .apply(lambda _: styles.rename(columns=titles), axis=None)
        .set_properties(**{"text-align": "right"})
    )


# ---------------------------------------------------------------------- shared parts of all kinds of table


def _lay_out(results, references, marks, decimals, mark_best, time):
    """Return the titles of the row labels, the labels of each row, and the columns of a table.

    Each column is a tuple of its title, its cells as text, a list of bools that marks the best cells, and its marks.
    The marks are the texts that follow the cells, such as "+".
    """
    header = ["method" if name is None else str(name) for name in results.index.names]
    labels = _labels(results)
    if references is None:
        references = results.iloc[:0]
    labels += [[names[0], *[""] * (len(header) - 1)] for names in _labels(references)]
    columns = []
    for k, name in enumerate(results.columns):
        if name == REASON and not pd.api.types.is_numeric_dtype(results.dtypes.iloc[k]):
            continue
        values = results.iloc[:, k].to_numpy(dtype=np.float64)
        others = np.full(len(references), np.nan)
        if name in references:
            others = references[name].to_numpy(dtype=np.float64)
        title, digits, best = str(name), decimals, np.zeros(len(values), dtype=bool)
        if name in _PVALUES:
            shown = [show_pvalue(value, decimals) for value in values]
            columns.append((title, shown + [""] * len(others), [False] * len(labels), [""] * len(labels)))
            continue
        if name == time:
            unit, factor, digits = _time_unit(values)
            title, values, others = f"{title} ({unit})", values * factor, others * factor
        elif _is_count(find_measure(name, results), values):
            digits = 0
        elif prefers(name, results) is not None:
            best = _best(np.where(_eligible(results.index, mark_best), orient(values, name, results), np.nan), digits)
        cells = [_cell(value, digits, "-") for value in values] + [_cell(value, digits, "") for value in others]
        behind = [""] * len(values)
        if marks is not None and name in marks:
            behind = [str(mark) for mark in marks[name].reindex(results.index).fillna("")]
        columns.append((title, cells, [*best, *[False] * len(others)], behind + [""] * len(others)))
    return header, labels, columns


def _latex_cell(cell, is_best, mark):
    cell = f"${cell}$" if cell.startswith("<") else cell
    return (f"\\textbf{{{cell}}}" if is_best else cell) + (f"$^{{{mark}}}$" if mark else "")


def _rules(table, references):
    """Return the positions of the rows with a horizontal line above them, as a set.

    Row 0 contains the titles of the columns, so the first row of `table` has position 1.
    """
    is_voter = table.index.get_level_values(0).isin(table.attrs.get(VOTERS, []))
    first = int(is_voter.argmax()) if is_voter.any() else 0
    # If voters and methods are mixed, as in a sorted table, there is no line between them.
    between = {1 + first} if first and is_voter[first:].all() else set()
    return between if references is None else between | {1 + len(table)}


def mean_table(per_query):
    """Summarize the values of the queries for each method and measure; most measures are averaged."""
    measures = {column: find_measure(column, per_query) for column in per_query}
    groups = per_query.groupby(level=0, sort=False)
    means = {
        column: groups[column].mean() if measure is None else groups[column].agg(measure.summarize)
        for column, measure in measures.items()
    }
    found = pd.DataFrame(means)
    found.attrs = dict(per_query.attrs)
    return found


def _labels(frame):
    if isinstance(frame.index, pd.MultiIndex):
        return [[str(name) for name in names] for names in frame.index]
    return [[str(name)] for name in frame.index]


def _time_unit(seconds):
    if np.nanmax(seconds, initial=0.0) < _MS_LIMIT:
        return "ms", 1e3, 1
    return "s", 1.0, 2


def _is_count(measure, values):
    if measure is not None:
        return measure.is_total
    # Integers, some of them above 1, are unlikely to be means over queries.
    finite = values[np.isfinite(values)]
    return bool((finite == np.round(finite)).all() and (finite > 1).any())


def _eligible(index, mark_best):
    if isinstance(mark_best, bool | np.bool_):
        return np.full(len(index), mark_best)
    return index.get_level_values(0).isin(mark_best)


def _best(values, decimals):
    # Values are compared as printed: if only one of two equal numbers were marked, the mark would look like a misprint.
    # Methods without a value do not count. A best value is not marked if all other methods have no value.
    shown = np.array([float(f"{value:.{decimals}f}") if np.isfinite(value) else np.nan for value in values])
    known = shown[~np.isnan(shown)]
    return (shown == known.max(initial=-np.inf)) & (known.min(initial=np.inf) < known.max(initial=-np.inf))


def _cell(value, digits, missing):
    return f"{value:.{digits}f}" if np.isfinite(value) else missing


def _transposed(columns, rows):
    return zip(*columns, strict=True) if columns else [()] * len(rows)
