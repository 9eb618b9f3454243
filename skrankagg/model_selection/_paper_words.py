"""Headings and legends of LaTeX tables, in the words of papers on information retrieval."""

from ..metrics._relevance._registry import find_measure

#: Headings of the columns of measures.
HEADINGS = {
    "p": "P",
    "recall": "R",
    "f1": "F1",
    "set_f": "Set F",
    "success": "Success",
    "map": "MAP",
    "gmap": "GMAP",
    "num_ret": "Retrieved",
    "num_rel": "Relevant",
    "num_rel_ret": "Relevant retrieved",
    "judged": "Judged",
    "dcg": "DCG",
    "ndcg": "nDCG",
    "bpref": "bpref",
    "infap": "infAP",
    "iprec": "iPrec",
    "11pt": "11-pt AP",
    "rprec": "R-Prec",
    "marp": "MARP",
    "mrr": "MRR",
    "rbp": "RBP",
    "rbp_resid": "RBP residual",
    "err": "ERR",
}
# Headings of the columns of labels.
_LABELS = {"method": "Method", "run": "Run", "voter": "Voter", "query": "Query"}
_TESTS = {
    "t": "paired $t$-test",
    "wilcoxon": "Wilcoxon's signed-rank test",
    "sign": "sign test",
    "randomization": "randomisation test",
}
_CORRECTIONS = {
    "holm": "Holm's method",
    "bonferroni": "Bonferroni's method",
    "bh": "the method of Benjamini and Hochberg",
    "by": "the method of Benjamini and Yekutieli",
}
_SPECIAL = str.maketrans(
    {
        "\\": r"\textbackslash{}",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        "<": r"\textless{}",
        ">": r"\textgreater{}",
        "|": r"\textbar{}",
        **{char: f"\\{char}" for char in "_%&#${}"},
    }
)


def escape(name):
    """Escape the special characters of LaTeX in a name, and write the name on one line."""
    name = " ".join(str(name).split()).translate(_SPECIAL)
    if name[:1] in {"[", "*"}:  # at the start of a row, LaTeX reads them as arguments of the preceding line end
        name = f"{{{name[0]}}}{name[1:]}"
    return name


def label_heading(name):
    """Return the heading of a column of labels."""
    return escape(_LABELS.get(name, name))


def measure_heading(column, title, table, headings):
    """Return the heading of a column of numbers, escaped for LaTeX.

    Parameters
    ----------
    column : object
        Name of the column.
    title : str
        Name of the column with its unit. The title becomes the heading if the column is not a measure.
    table : DataFrame
        The table that contains the column.
    headings : mapping of str to str
        Headings given by the user, in LaTeX, keyed by column.

    Returns
    -------
    str
    """
    if column in headings:
        return headings[column]
    measure = find_measure(column, table)
    if measure is None or measure.name not in HEADINGS:
        return escape(title)
    cutoff = "" if measure.k is None else f"@{measure._written_cutoff(',')}"
    options = ", ".join(f"{name}={value}" for name, value in measure.options.items())
    return escape(HEADINGS[measure.name] + cutoff + (f" ({options})" if options else ""))


def legend_of(tested, marks):
    r"""Explain the marks of a table in one or two sentences of LaTeX.

    Parameters
    ----------
    tested : dict
        Facts about the tests, which :func:`significance_marks` stores in the ``attrs`` of the marks.
    marks : set of str
        The marks that occur in the table.

    Returns
    -------
    str
    """
    names = {"+": "better", "-": "worse"}
    shown = " and ".join(f"$^{{{mark}}}$ {word}" for mark, word in names.items() if mark in marks)
    baseline, level = escape(tested["baseline"]), f"$p < {tested['alpha']:g}$"
    n = tested["n_comparisons"]
    words = f"{shown} than {baseline}, {level}" if shown else f"No row differs from {baseline} with {level}"
    words += f" ({_TESTS[tested['test']]} over {tested['n_queries']} queries"
    if tested["correction"] == "none":
        words += "; not corrected for the number of comparisons"
    elif n > 1:
        words += f"; corrected by {_CORRECTIONS[tested['correction']]} for {n} comparisons in each column"
    return words + ")."
