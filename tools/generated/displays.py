"""Generate the table of displays in docs/evaluation.md, the descriptions of the pictures, and the gallery of plots.

The table contains the first line of each display's docstring, and the constructors. The gallery in docs/plots.md has a
card for each display, with its picture.
"""

import re
import textwrap

from skrankagg import plotting
from skrankagg.utils.discovery import describe

from .pages import DOCS, table, with_part

PAGE, GALLERY = DOCS / "evaluation.md", DOCS / "plots.md"
WIDTH = 120


def files():
    """Return the text of the page, by path."""
    rows, cards = [], []
    for name in sorted(plotting.__all__):
        if name.endswith("Display"):
            display = getattr(plotting, name)
            makers = ", ".join(f"`{maker}`" for maker in dir(display) if maker.startswith("from_"))
            shows = describe(display).removesuffix(".")
            page = f"api/generated/skrankagg.plotting.{name}"
            rows.append([f"[`{name}`]({page}.rst)", shows, makers])
            cards.append(_card(name, page, shows, display._alt))
    part = table(["Display", "shows", "made by"], rows)
    text = with_part(PAGE.read_text(encoding="utf-8"), "displays", part)
    grid = "::::{grid} 1 2 2 3\n:gutter: 3\n\n" + "\n".join(cards) + "::::\n"
    gallery = with_part(GALLERY.read_text(encoding="utf-8"), "displays", grid)
    return {GALLERY: gallery, PAGE: re.sub(r"!\[[^\]]*\](\(_static/displays/(\w+)\.png\))", _described, text)}


def _card(name, page, shows, words):
    """Return a card with the picture of a display, which leads to the page of the class."""
    picture = f"```{{image}} _static/displays/{name}.png\n:alt: {words}\n```\n"
    return f":::{{grid-item-card}} {name}\n:link: {page}\n:link-type: doc\n\n{picture}\n{shows}.\n:::\n"


def _described(picture):
    words = f"![{getattr(plotting, picture[2])._alt}]{picture[1]}"
    return textwrap.fill(words, WIDTH, break_long_words=False, break_on_hyphens=False)
