"""The page of each display shows its plot, and the plots of the home page can be read on a phone."""

import re

import pytest

from public_api import DOCS
from skrankagg import plotting

DISPLAYS = [name for name in plotting.__all__ if name.endswith("Display")]


@pytest.mark.parametrize("name", DISPLAYS)
def test_page_of_a_display_shows_and_describes_its_plot(display_plots, name):
    jinja2 = pytest.importorskip("jinja2")
    environment = jinja2.Environment(autoescape=False)
    environment.filters["underline"] = str
    template = environment.from_string((DOCS / "_templates/class.rst").read_text("utf-8"))
    context = {"plots": display_plots.plots_of_pages(), "imports": {}, "inherited": {}}
    text = template.render(objname=name, module="skrankagg.plotting", **context)
    (path,) = re.findall(r"^\.\. image:: /(.*)$", text, re.MULTILINE)
    (words,) = re.findall(r"^   :alt: (.*)$", text, re.MULTILINE)
    (width,) = re.findall(r"^   :width: (\d+)px$", text, re.MULTILINE)
    assert (DOCS / path).read_bytes().startswith(b"\x89PNG")
    assert words == getattr(plotting, name)._alt
    # Drawn with more pixels than the width on the page, for high-resolution screens.
    assert display_plots.pixels_of(DOCS / path)[0] > 1.4 * int(width)


def test_conf_passes_the_plots_to_the_template():
    text = (DOCS / "conf.py").read_text(encoding="utf-8")
    assert 'autosummary_context = {"plots": plots_of_pages(), ' in text


def test_home_page_plots_are_readable_on_narrow_screens():
    # The home page has a second file of each plot, for the dark theme.
    for page, n_plots in ((DOCS / "index.md", 8), (DOCS.parent / "README.md", 4)):
        found = re.findall(r"(_static/overview_\w+\.svg)", page.read_text("utf-8"))
        assert len(found) == len(set(found)) == n_plots
        for path in found:
            text = (DOCS / path).read_text(encoding="utf-8")
            width = float(re.search(r'<svg [^>]*?width="([\d.]+)pt"', text)[1])
            # Points; a screen of 390 pixels has some 350 for it, so that text of 8 points becomes 9 pixels.
            assert width <= 8 * 350 / 9
