"""Generate docs/formulas.md: the formulas of all methods, taken from their docstrings."""

import inspect
import re

from skrankagg.utils.discovery import all_aggregators, describe

from .pages import DOCS, families, title_of

PAGE = DOCS / "formulas.md"

HEAD = """# All formulas on one page

This page has the formulas of all methods, taken from their docstrings. Each name leads to the page of the method, with
its rules for ties and absent items, its cost and its sources. The guide explains the formulas and works them by hand.

<!-- python tools/regenerate.py writes this page. -->
"""


def files():
    """Return the text of the page, by path."""
    aggregators = all_aggregators()
    parts = [HEAD]
    for family, names in families(aggregators).items():
        title = title_of(family)
        parts.append(f"## {title.partition(':')[0]}\n\nIn the guide: [{title}](user_guide/{family}.md).\n")
        parts += [_section(name, aggregators[name]) for name in names]
    return {PAGE: "\n".join(parts)}


def _section(name, aggregator):
    heading = f"### [{name}](api/generated/skrankagg.aggregators.{name}.rst)\n\n{describe(aggregator)}\n"
    text = "\n\n".join(formulas(aggregator))
    return f"{heading}\n```{{eval-rst}}\n.. currentmodule:: skrankagg.aggregators\n\n{text}\n```\n"


def formulas(aggregator):
    """Return the parts of the Notes that contain formulas, in reST; without formulas, return the first paragraph."""
    notes = re.search(r"\nNotes\n-+\n(.*?)(?=\n[A-Z][\w ]*\n---|\Z)", inspect.getdoc(aggregator), re.DOTALL)[1]
    notes = re.sub(r"(\.\. math::)\n\n", r"\1\n", notes)  # a directive and the formula below it are one part
    parts = [part.strip("\n") for part in re.split(r"\n\s*\n", notes)]
    kept = {}
    for number, part in enumerate(parts):
        if re.match(r"\s*\.\. math::", part) or (part.startswith("==") and ":math:" in part):
            kept[number] = part
            _keep_introduction(parts, number, kept)
            if number + 1 < len(parts) and re.match(r"\s*(Then |\W*(:math:|[a-z]))", parts[number + 1]):
                kept.setdefault(number + 1, _first_sentence(parts[number + 1]))
    if not kept:
        kept[0] = re.split(r"\s+`score` is ", parts[0])[0]
    return [_without_notes(kept[number]) for number in sorted(kept)]


def _keep_introduction(parts, number, kept):
    """Keep the paragraph before a formula; before a list of cases, also keep the paragraph that introduces the list."""
    for before in range(number - 1, -1, -1):
        if re.match(r"\s*\.\. math::|==", parts[before]):
            return
        kept[before] = parts[before]
        if not re.match(r"- |\s", parts[before]):
            return


def _first_sentence(part):
    return re.match(r".*?\.(?=\s|$)|.*", part, re.DOTALL)[0]


def _without_notes(part):
    """Remove marks of references, and set names in the font of code."""
    part = re.sub(r"(,?\s*\[\d+\]_)+", "", part)
    return re.sub(r"(:\w+:`[^`]*`|``[^`]*``)|`([^`]+)`", lambda found: found[1] or f"``{found[2]}``", part)
