"""Parts of README.md: the methods by family, the number of methods, and four numbers of docs/performance.md."""

import re

from skrankagg.utils.discovery import all_aggregators

from .pages import DOCS, ROOT, families, title_of

README, PAGE = ROOT / "README.md", DOCS / "performance.md"

METHODS, SPEED = "| family | methods |\n|---|---|\n", "| | skrankagg | compared with | faster by |\n|---|---|---|---|\n"
# For each number: the command, the row of our time, the columns of our time and the other one, peer and description.
FIGURES = (
    ("methods.py table", "Agglomerative", 0, 1, "PyFLAGR", "agglomerative merging, 20 queries x 50 lists x 30 items"),
    ("methods.py wide", "Condorcet", 0, 1, "PyFLAGR", "Condorcet, one query of 200 lists x 1000 items"),
    ("ranx_fusion.py warm", "CombSUM", 0, 2, "ranx, compiled", "`CombSUM()`, 1000 queries x 5 runs x 100, encoded"),
    ("evaluation.py small", "skrankagg, from codes", 0, None, "pytrec_eval", "five measures, 1000 x 100, encoded"),
)


def family_rows():
    """Return a row for each family, with the family's page and the names of the methods."""
    rows = []
    for family, names in families(all_aggregators()).items():
        title = title_of(family).partition(":")[0]
        rows.append(f"| [{title}](docs/user_guide/{family}.md) | {', '.join(f'`{name}`' for name in names)} |\n")
    return METHODS + "".join(rows)


def speed_rows():
    """Return the four numbers from the page on performance."""
    page = PAGE.read_text(encoding="utf-8")
    rows = []
    for command, row, ours, theirs, peer, what in FIGURES:
        block = re.search(rf"\$ python benchmarks/{re.escape(command)}\n(.*?)```", page, re.DOTALL)[1]
        numbers = _numbers(block, row)
        other = numbers[theirs] if theirs is not None else _numbers(block, f"{peer}, from dicts")[0]
        ratio = other / numbers[ours]
        rows.append(f"| {what} | {_time(numbers[ours])} | {peer} {_time(other)} | {ratio:.0f}x |\n")
    return SPEED + "".join(rows)


def _numbers(block, row):
    line = next(line for line in block.splitlines() if re.match(rf"{re.escape(row)}\s", line))
    return [float(number) for number in re.findall(r"\s([\d.]+)(?=\s|$)", line.removeprefix(row))]


def _time(milliseconds):
    if milliseconds >= 1000:
        return f"{milliseconds / 1000:.1f} s"
    return f"{milliseconds:.0f} ms" if milliseconds >= 10 else f"{milliseconds:.1f} ms"


def files():
    """Return the text of the README, by path."""
    text, count = README.read_text(encoding="utf-8"), len(all_aggregators())
    for table, head in ((family_rows(), METHODS), (speed_rows(), SPEED)):
        text = re.sub(rf"{re.escape(head)}(\|.*\n)*", lambda _, table=table: table, text)
    text = re.sub(r"\d+ methods by their papers", f"{count} methods by their papers", text)
    return {README: re.sub(r"(?<=\| merging methods \(1\) \| )\d+", str(count), text)}
