"""Parts of paper/paper.md: the table of judged collections from docs/evidence.md, and the number of methods."""

import re

from skrankagg.utils.discovery import all_aggregators

from .pages import ROOT

PAPER = ROOT / "paper" / "paper.md"
EVIDENCE = ROOT / "docs" / "evidence.md"
HEAD = "| collection | queries | voters | RRF | best run | CombSUM | judged |\n|:---|---:|---:|---:|---:|---:|---:|\n"


def collection_rows(evidence):
    """Return the rows of the table that benchmarks/best_runs.py has printed into a page, without names of runs."""
    block = re.search(r"<!-- best runs -->.*?judged >\n(.*?)```", evidence, re.DOTALL)[1]
    rows = []
    for line in block.splitlines():
        name, queries, voters, _, *numbers = line.split()
        rows.append(f"| {' | '.join([name, queries, voters, *numbers[:4]])} |\n")
    return "".join(rows)


def files():
    """Return the text of the paper, by path."""
    text = PAPER.read_text(encoding="utf-8")
    rows = collection_rows(EVIDENCE.read_text(encoding="utf-8"))
    text = re.sub(rf"{re.escape(HEAD)}(\|.*\n)*", lambda _: HEAD + rows, text)
    return {PAPER: re.sub(r"It contains \d+ methods", f"It contains {len(all_aggregators())} methods", text)}
