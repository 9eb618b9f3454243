"""Each display has an example whose plot is on its page, and the plots of the home page can be read on a phone."""

import importlib
import re
import struct
import sys

import pytest

from public_api import DOCS
from skrankagg import plotting

DISPLAYS = sorted(name for name in dir(plotting) if name.endswith("Display"))


@pytest.fixture
def display_plots(plt, monkeypatch):
    monkeypatch.syspath_prepend(DOCS)
    yield importlib.import_module("display_plots")
    sys.modules.pop("display_plots", None)


def test_examples_contain_every_display(display_plots):
    assert sorted(display_plots.EXAMPLES) == DISPLAYS and len(DISPLAYS) >= 12


@pytest.mark.sampled(1)
@pytest.mark.parametrize("name", DISPLAYS)
def test_examples_draw_their_display(display_plots, name):
    assert type(display_plots.EXAMPLES[name].draw()) is getattr(plotting, name)


@pytest.mark.parametrize("name", DISPLAYS)
def test_page_of_a_display_shows_and_describes_its_plot(display_plots, name):
    jinja2 = pytest.importorskip("jinja2")
    environment = jinja2.Environment(autoescape=False)
    environment.filters["underline"] = str
    template = environment.from_string((DOCS / "_templates/class.rst").read_text("utf-8"))
    text = template.render(objname=name, module="skrankagg.plotting", plots=display_plots.plots_of_pages())
    (path,) = re.findall(r"^\.\. image:: /(.*)$", text, re.MULTILINE)
    (words,) = re.findall(r"^   :alt: (.*)$", text, re.MULTILINE)
    (width,) = re.findall(r"^   :width: (\d+)px$", text, re.MULTILINE)
    assert (DOCS / path).read_bytes().startswith(b"\x89PNG")
    assert len(words) > 40 and not words.endswith(".")
    # Drawn with more pixels than the width on the page, for high-resolution screens.
    assert struct.unpack(">I", (DOCS / path).read_bytes()[16:20])[0] > 1.4 * int(width)


def test_conf_passes_the_plots_to_the_template():
    text = (DOCS / "conf.py").read_text(encoding="utf-8")
    assert 'autosummary_context = {"plots": plots_of_pages()}' in text


def test_home_page_plots_are_readable_on_narrow_screens():
    for page in (DOCS / "index.md", DOCS.parent / "README.md"):
        found = re.findall(r"!\[([^\]]{40,})\]\((?:docs/)?(_static/overview_\w+\.svg)\)", page.read_text("utf-8"))
        assert len(found) == 4
        for _, path in found:
            text = (DOCS / path).read_text(encoding="utf-8")
            width = float(re.search(r'<svg [^>]*?width="([\d.]+)pt"', text)[1])
            # Points; a screen of 390 pixels has some 350 for it, so that text of 8 points becomes 9 pixels.
            assert width <= 8 * 350 / 9
