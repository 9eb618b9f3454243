"""Pages of the documentation, and the generated parts of these pages."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"


def with_part(text, name, part):
    """Return a page after replacing the text between ``<!-- name -->`` and ``<!-- end of name -->``."""
    pattern = rf"(<!-- {name} -->\n).*?(<!-- end of {name} -->)"
    found, count = re.subn(pattern, lambda marks: marks[1] + part + marks[2], text, flags=re.DOTALL)
    if count != 1:
        raise ValueError(f"A page must have one part <!-- {name} --> to <!-- end of {name} -->; got {count}.")
    return found


def table(heading, rows):
    """Return a table in Markdown."""
    rule = "|---" * len(heading) + "|\n"
    head, *lines = (f"| {' | '.join(cells)} |\n" for cells in (heading, *rows))
    return head + rule + "".join(lines)


def families(methods):
    """Return a dict of family to method names, in the guide's order; a family is the name of a folder and of a page."""
    found = {}
    for name, method in methods.items():
        found.setdefault(method.__module__.split(".")[2].removeprefix("_"), []).append(name)
    order = re.findall(r"<(\w+)>$", (DOCS / "user_guide/index.md").read_text(encoding="utf-8"), re.MULTILINE)
    return {family: found[family] for family in sorted(found, key=order.index)}


def title_of(family):
    """Return the heading of a family's page."""
    return (DOCS / "user_guide" / f"{family}.md").read_text(encoding="utf-8").splitlines()[0].removeprefix("# ")
