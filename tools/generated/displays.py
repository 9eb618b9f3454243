"""Generate the table of displays in docs/evaluation.md: the first line of each docstring, and the constructors."""

from skrankagg import plotting
from skrankagg.utils.discovery import describe

from .pages import DOCS, table, with_part

PAGE = DOCS / "evaluation.md"


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
    return {PAGE: with_part(PAGE.read_text(encoding="utf-8"), "displays", part)}
