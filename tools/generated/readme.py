"""Parts of README.md: badges, the methods by family, the number of methods, and comparisons of docs/performance.md."""

import re
import statistics
import tomllib

from performance_page import PAGE, read_comparisons

from skrankagg.utils.discovery import all_aggregators

from .pages import ROOT, families, title_of

README = ROOT / "README.md"
TITLE = "# skrankagg\n"
COVERAGE = ROOT / "tools" / "coverage.toml"

METHODS, SPEED = "| family | methods |\n|---|---|\n", "| | skrankagg | compared with | faster by |\n|---|---|---|---|\n"
#: Typical comparisons: a part of the command, and the start of our times. The row with the median factor is chosen.
TYPICAL = (
    ("methods.py table", "a frame"),
    ("methods.py table", "a frame, plain"),
    ("from_files.py flagr", "a file"),
    ("ranx_fusion.py warm", "a frame"),
    ("ranx_fusion.py warm", "encoded lists"),
)


def badges(addresses, lines=None):
    """Return the lines with the badges; without the addresses that a badge needs, this badge is left out.

    `addresses` is ``[project.urls]`` of pyproject.toml. `lines` is the share of lines that the tests run, in percent.
    The badges of tests and documentation are pictures that GitHub draws for a workflow.
    """
    source = addresses.get("Source", "").removesuffix("/").removesuffix(".git")
    if not re.fullmatch(r"https://github\.com/[\w.-]+/[\w.-]+", source):
        return ""
    workflows = f"{source}/actions/workflows"
    found = [f"[![tests]({workflows}/tests.yml/badge.svg)]({workflows}/tests.yml)"]
    if "Documentation" in addresses:
        found.append(f"[![documentation]({workflows}/docs.yml/badge.svg)]({addresses['Documentation']})")
    if lines:
        picture = f"https://img.shields.io/badge/coverage-{lines:.1f}%25-informational"
        found.append(f"[![coverage]({picture})]({workflows}/tests.yml)")
    return "\n".join(found) + "\n"


def with_badges(text, lines):
    """Return the text of the README with these lines, or with none, in the place of the badges below its title."""
    return re.sub(rf"\A{TITLE}\n(?:(?:\[!\[.*\n)+\n)?", lambda _: f"{TITLE}\n{lines}" + "\n" * bool(lines), text)


def _badges_now():
    """Return the badges for the addresses of pyproject.toml and the committed coverage."""
    addresses = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"].get("urls", {})
    shares = tomllib.loads(COVERAGE.read_text(encoding="utf-8"))["shares"] if COVERAGE.exists() else {}
    return badges(addresses, shares.get("lines"))


def family_rows():
    """Return a row for each family, with the family's page and the names of the methods."""
    rows = []
    for family, names in families(all_aggregators()).items():
        title = title_of(family).partition(":")[0]
        rows.append(f"| [{title}](docs/user_guide/{family}.md) | {', '.join(f'`{name}`' for name in names)} |\n")
    return METHODS + "".join(rows)


def speed_rows(comparisons):
    """Return typical comparisons, the least gain and the greatest loss on the page of performance."""
    rows = []

    def add(title, one):
        given = one.start.replace(", plain", " without pyarrow")
        what = f"{one.task}, from {given}; {title}"
        rows.append(f"| {what} | {_time(one.ours)} | {one.library} {_time(one.theirs)} | {_factor(one.ratio)} |\n")

    for part, start in TYPICAL:
        ones = [one for one in comparisons if part in one.command and one.start == start]
        if ones:
            middle = statistics.median_low(one.ratio for one in ones)
            add(f"the median of {len(ones)}", next(one for one in ones if one.ratio == middle))
    others = [one for one in comparisons if one.library in ("PyFLAGR", "ranx") and one.start != "encoded lists"]
    gains = [one for one in others if one.ratio >= 1]
    if gains:
        add("the least gain", min(gains, key=lambda one: one.ratio))
    losses = [one for one in comparisons if one.ratio < 1]
    if losses:
        add("the greatest loss", min(losses, key=lambda one: one.ratio))
    return SPEED + "".join(rows)


def _factor(ratio):
    return f"{ratio:.0f}x" if ratio >= 10 else f"{ratio:.1f}x" if ratio >= 1 else f"{ratio:.2f}x"


def _time(seconds):
    if seconds >= 1:
        return f"{seconds:.1f} s"
    value, unit = (seconds * 1e3, "ms") if seconds >= 1e-3 else (seconds * 1e6, "us")
    return f"{value:.0f} {unit}" if value >= 10 else f"{value:.1f} {unit}"


def files():
    """Return the text of the README, by path."""
    text, count = with_badges(README.read_text(encoding="utf-8"), _badges_now()), len(all_aggregators())
    comparisons = read_comparisons(PAGE.read_text(encoding="utf-8"))
    tables = [(family_rows(), METHODS)]
    # A page without measurements, as after a change of its commands, changes no number.
    if comparisons:
        tables.append((speed_rows(comparisons), SPEED))
    for table, head in tables:
        text = re.sub(rf"{re.escape(head)}(\|.*\n)*", lambda _, table=table: table, text)
    text = re.sub(r"\d+ methods by their papers", f"{count} methods by their papers", text)
    return {README: re.sub(r"(?<=\| merging methods \(1\) \| )\d+", str(count), text)}
