"""Compute the tables of docs/coming_from_pyflagr.md: the effect of each quirk of FLAGR on the table of its notebook.

`python tools/quirk_effects.py` prints the tables, and `python tools/quirk_effects.py --write` writes them into the
page.
"""

import sys
from pathlib import Path

from scipy.stats import kendalltau

from flagr_notebook import notebook_methods
from skrankagg.compat.pyflagr import QUIRKS
from skrankagg.compat.pyflagr._input_check import encode_judgements, encode_profile
from skrankagg.datasets import make_rasdagen

PAGE = Path(__file__).resolve().parent.parent / "docs" / "coming_from_pyflagr.md"
# Quirks with this prefix concern only the rows with this prefix.
_CONCERNED = {
    "outrank": "Outranking",
    "mc12": ("MC1", "MC2"),
    "mc3": "MC3",
    "mc4": "MC4",
    "mc.": "MC",
    "prefrel": "PrefRel",
    "agg": "Agglomerative",
    "dibra": "DIBRA",
    "prune": ("DIBRA-Prune", "DIBRA-Prune-WISE"),
    "wire": "DIBRA-Prune-WISE",
    "kemeny": (),
}


class Data:
    """Generated data of the notebook, and the measures of methods on these data."""

    def __init__(self):
        self.lists, self.judgements = make_rasdagen()
        self._read = {}

    def run(self, method):
        """Aggregate the lists with a method; return the run and its mean average precision."""
        key = method._quirks & {"rank.verbatim", "absent_voters"}
        if key not in self._read:
            profile = encode_profile("", self.lists, method._quirks)
            self._read[key] = profile, encode_judgements("", self.judgements, profile)
        profile, encoded = self._read[key]
        run, measures = method._run_and_evaluate(profile, encoded)
        return run, measures["map"].iloc[-1]

    def agreement(self, one, other):
        """Compute Kendall's tau between two runs on the items that both contain, averaged over the queries."""
        values = []
        for q in range(len(one.ptr) - 1):
            place = {candidate: k for k, candidate in enumerate(one.candidate[one.ptr[q] : one.ptr[q + 1]])}
            places = [place[c] for c in other.candidate[other.ptr[q] : other.ptr[q + 1]] if c in place]
            values.append(kendalltau(range(len(places)), places).statistic)
        return sum(values) / len(values)


def rows_table(data):
    """Build a line for each method of the notebook: MAP of FLAGR, MAP by the paper, and the agreement of the orders."""
    lines = ["| row | FLAGR | by the paper | tau |", "|---|---|---|---|"]
    by_paper = notebook_methods("papers")
    for row, method in notebook_methods().items():
        (flagr, map_), (paper, paper_map) = data.run(method), data.run(by_paper[row])
        lines.append(f"| {row} | {map_:.4f} | {paper_map:.4f} | {data.agreement(flagr, paper):.2f} |")
    return lines


def quirks_table(data, names=tuple(QUIRKS)):
    """Build a line for each quirk: FLAGR's behaviour, and the methods whose MAP changes if only this quirk is off."""
    whole = {row: data.run(method)[1] for row, method in notebook_methods().items()}
    lines = ["| quirk | FLAGR does this; without the quirk | MAP, and without this quirk alone |", "|---|---|---|"]
    for name in names:
        concerned = next((rows for start, rows in _CONCERNED.items() if name.startswith(start)), "")
        changed = []
        for row, method in notebook_methods(set(QUIRKS) - {name}).items():
            if row.startswith(concerned):
                map_ = data.run(method)[1]
                if f"{map_:.4f}" != f"{whole[row]:.4f}":
                    changed.append(f"{row} {whole[row]:.4f} → {map_:.4f}")
        lines.append(f"| `{name}` | {QUIRKS[name]} | {', '.join(changed) or 'the same'} |")
    return lines


def put_in(text, title, lines):
    """Return a page's text after replacing the lines between the two marks of a table."""
    head, _, rest = text.partition(f"<!-- {title} -->\n")
    _, _, tail = rest.partition(f"<!-- end of {title} -->")
    return f"{head}<!-- {title} -->\n" + "\n".join(lines) + f"\n<!-- end of {title} -->{tail}"


def main():
    """Print the tables, or write them into the page."""
    data = Data()
    tables = {"rows": rows_table(data), "quirks": quirks_table(data)}
    if "--write" in sys.argv:
        text = PAGE.read_text(encoding="utf-8")
        for title, lines in tables.items():
            text = put_in(text, title, lines)
        PAGE.write_text(text, encoding="utf-8")
    else:
        print("\n\n".join("\n".join(lines) for lines in tables.values()))


if __name__ == "__main__":
    main()
