"""Summarise the comparisons of docs/performance.md with other libraries, and list the losses.

python benchmarks/summary.py [all|losses]; it reads the tables of the page, and measures nothing. A row of `all` has the
least, the median and the greatest factor by which this library is faster. A row of `losses` is a task in which another
library is faster. "Frame, plain" means a frame of strings in an environment without pyarrow.
"""

import argparse
import statistics
import sys
from pathlib import Path

from _measure import table

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tools"))

import performance_page


def groups(comparisons):
    """Group comparisons by the script and its part, by the start of our times, and by the library."""
    found = {}
    for one in comparisons:
        words = one.command.split()
        k = next(k for k, word in enumerate(words) if word.endswith(".py") and "both.py" not in word)
        title = " ".join(word for word in words[k : k + 2] if not word.startswith("-"))
        found.setdefault((title, one.start, one.library), []).append(one)
    return found


def text_of(seconds):
    """Return seconds as a text with a unit."""
    unit, factor = next(
        (unit, factor) for unit, factor in (("s", 1), ("ms", 1e3), ("us", 1e6)) if seconds * factor >= 1
    )
    return f"{seconds * factor:.3g} {unit}"


def summary(text):
    """Return the rows of the summary of a page."""
    rows = []
    for (title, start, library), ones in groups(performance_page.read_comparisons(text)).items():
        ratios = [one.ratio for one in ones]
        factors = [f"{one:.1f}x" for one in (min(ratios), statistics.median(ratios), max(ratios))]
        rows.append([title.removeprefix("benchmarks/"), start, library, len(ratios), *factors])
    return rows


def losses(text):
    """Return a row for each task of a page in which another library is faster, the greatest factor first."""
    slower = sorted(
        (one for one in performance_page.read_comparisons(text) if one.ratio < 1), key=lambda one: one.ratio
    )
    return [
        [one.task, one.start, text_of(one.ours), one.library, text_of(one.theirs), f"{1 / one.ratio:.2f}x"]
        for one in slower
    ]


def main():
    """Print the chosen table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("part", choices=("all", "losses"), nargs="?", default="all")
    part, text = parser.parse_args().part, performance_page.PAGE.read_text(encoding="utf-8")
    if part == "all":
        table(summary(text), ["script", "our input", "library", "tasks", "least", "median", "most"])
    else:
        table(losses(text), ["task", "our input", "skrankagg", "library", "its time", "it is faster by"])


if __name__ == "__main__":
    main()
