"""Generate the table of displays in docs/evaluation.md, and the descriptions of the pictures.

The table contains the first line of each display's docstring, and the constructors.
"""

import re
import textwrap

from skrankagg import plotting
from skrankagg.utils.discovery import describe

from .pages import DOCS, table, with_part

PAGE = DOCS / "evaluation.md"
WIDTH = 120


def files():
    """Return the text of the page, by path."""
    rows = []
    for name in sorted(plotting.__all__):
        if name.endswith("Display"):
            display = getattr(plotting, name)
            makers = ", ".join(f"`{maker}`" for maker in dir(display) if maker.startswith("from_"))
            shows = describe(display).removesuffix(".")
            rows.append([f"[`{name}`](api/generated/skrankagg.plotting.{name}.rst)", shows, makers])
    part = table(["Display", "shows", "made by"], rows)
    text = with_part(PAGE.read_text(encoding="utf-8"), "displays", part)
    return {PAGE: re.sub(r"!\[[^\]]*\](\(_static/displays/(\w+)\.png\))", _described, text)}


def _described(picture):
    words = f"![{getattr(plotting, picture[2])._alt}]{picture[1]}"
    return textwrap.fill(words, WIDTH, break_long_words=False, break_on_hyphens=False)
