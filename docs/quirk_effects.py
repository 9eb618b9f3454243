"""Compute the tables of docs/coming_from_pyflagr.md: what each quirk of FLAGR does to the table of its notebook.

`python docs/quirk_effects.py` prints them, `python docs/quirk_effects.py --write` puts them into the page.
"""

import sys
from pathlib import Path

from scipy.stats import kendalltau

from skrankagg.compat.pyflagr import QUIRKS, RRA, Linear, Majoritarian, MarkovChains, Weighted
from skrankagg.compat.pyflagr._door import encode_judgements, encode_profile
from skrankagg.datasets import make_rasdagen

PAGE = Path(__file__).with_name("coming_from_pyflagr.md")
_DIBRA = {"aggregator": "combsum:borda", "gamma": 1.2, "w_norm": "minmax"}
_CHAIN = {"max_iterations": 50, "ergodic_number": 0.15}

#: The rows of the notebook's table: class and arguments.
ROWS = {
    "CombSUM-Rank": (Linear.CombSUM, {"norm": "rank"}),
    "CombSUM-Borda": (Linear.CombSUM, {"norm": "borda"}),
    "CombSUM-Score": (Linear.CombSUM, {"norm": "score"}),
    "CombMNZ-Rank": (Linear.CombMNZ, {"norm": "rank"}),
    "CombMNZ-Borda": (Linear.CombMNZ, {"norm": "borda"}),
    "CombMNZ-Score": (Linear.CombMNZ, {"norm": "score"}),
    "Condorcet": (Majoritarian.CondorcetWinners, {}),
    "Copeland": (Majoritarian.CopelandWinners, {}),
    "Outranking Approach": (
        Majoritarian.OutrankingApproach,
        {"preference": 0, "veto": 0.75, "concordance": 0, "discordance": 0.25},
    ),
    "MC1": (MarkovChains.MC1, _CHAIN),
    "MC2": (MarkovChains.MC2, _CHAIN),
    "MC3": (MarkovChains.MC3, _CHAIN),
    "MC4": (MarkovChains.MC4, _CHAIN),
    "MCT": (MarkovChains.MCT, _CHAIN),
    "RRA-Exact": (RRA.RRA, {"exact": True}),
    "RRA": (RRA.RRA, {"exact": False}),
    "PrefRel": (Weighted.PreferenceRelationsGraph, {"alpha": 0.1, "beta": 0.5}),
    "Agglomerative": (Weighted.Agglomerative, {"c1": 0.1, "c2": 0.2}),
    "DIBRA": (Weighted.DIBRA, {**_DIBRA, "prune": None}),
    "DIBRA-Prune": (Weighted.DIBRA, {**_DIBRA, "prune": "low", "d1": 0.3, "d2": 0.05}),
    "DIBRA-Prune-WISE": (Weighted.DIBRA, {**_DIBRA, "prune": "wire", "num_buckets": 5, "d1": 0.5, "d2": 1.0}),
}
# Quirks that begin so concern only the rows that begin so.
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
    """The data of the notebook, made anew, and each row's measures under a convention."""

    def __init__(self):
        self.lists, self.judgements = make_rasdagen()
        self._read = {}

    def run(self, row, convention):
        """Aggregate lists of a row, and its mean average precision."""
        kind, arguments = ROWS[row]
        method = kind(**arguments, convention=convention)
        key = method._quirks & {"rank.verbatim", "absent_voters"}
        if key not in self._read:
            profile = encode_profile("", self.lists, method._quirks)
            self._read[key] = profile, encode_judgements("", self.judgements, profile)
        profile, encoded = self._read[key]
        run = method._run(profile)
        return run, method._evaluate(profile, encoded, run)["map"].iloc[-1]

    def agreement(self, one, other):
        """Kendall's tau between two runs, the mean over the queries, on the items that both hold."""
        values = []
        for q in range(len(one.ptr) - 1):
            place = {pair: k for k, pair in enumerate(one.pair[one.ptr[q] : one.ptr[q + 1]])}
            pairs = [pair for pair in other.pair[other.ptr[q] : other.ptr[q + 1]] if pair in place]
            values.append(kendalltau(range(len(pairs)), [place[pair] for pair in pairs]).statistic)
        return sum(values) / len(values)


def rows_table(data):
    """A line for each row: MAP of FLAGR, by the paper, and how far the two orders agree."""
    lines = ["| row | FLAGR | by the paper | tau |", "|---|---|---|---|"]
    for row in ROWS:
        (flagr, map_), (paper, by_paper) = data.run(row, "flagr"), data.run(row, "papers")
        lines.append(f"| {row} | {map_:.4f} | {by_paper:.4f} | {data.agreement(flagr, paper):.2f} |")
    return lines


def quirks_table(data, names=tuple(QUIRKS)):
    """A line for each quirk: what FLAGR does, and the rows whose MAP is another one without this quirk alone."""
    whole = {row: data.run(row, "flagr")[1] for row in ROWS}
    lines = ["| quirk | FLAGR does this; without the quirk | MAP without this quirk alone |", "|---|---|---|"]
    for name in names:
        concerned = next((rows for start, rows in _CONCERNED.items() if name.startswith(start)), "")
        changed = []
        for row in ROWS:
            if row.startswith(concerned):
                map_ = data.run(row, set(QUIRKS) - {name})[1]
                if f"{map_:.4f}" != f"{whole[row]:.4f}":
                    changed.append(f"{row} {whole[row]:.4f} → {map_:.4f}")
        lines.append(f"| `{name}` | {QUIRKS[name]} | {', '.join(changed) or 'none'} |")
    return lines


def put_in(text, title, lines):
    """Replace what stands between the marks of a table."""
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
