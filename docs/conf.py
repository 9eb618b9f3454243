"""Configuration of the documentation's build: python -m sphinx -W docs docs/_build."""

import functools
import os
import re
import shutil
import sys
import tomllib
from pathlib import Path

from sphinx.search.en import SearchEnglish
from sphinx.util import logging

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

from api_pages import write_api_pages  # noqa: E402
from display_plots import plots_of_pages  # noqa: E402
from reference import context  # noqa: E402

import skrankagg  # noqa: E402

NOTEBOOK_SECONDS = 60
PROJECT = tomllib.loads((HERE.parent / "pyproject.toml").read_text(encoding="utf-8"))["project"]
# The project's addresses, if they exist.
ADDRESSES = PROJECT.get("urls", {})

project = "skrankagg"
author = copyright = ", ".join(person["name"] for person in PROJECT["authors"])
release = version = skrankagg.__version__
# Description of pages without their own text, such as the search.
description = PROJECT["description"]

extensions = [
    "family_diagrams",
    "fitting",
    "gallery",
    "mathml",
    "myst_nb",
    "notebook_links",
    "numpydoc",
    "page_words",
    "search_words",
    "reference",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx_copybutton",
    "table_links",
    "sphinx_design",
]
# A build in this folder leaves the notebooks that it has run in jupyter_execute.
exclude_patterns = ["_build", "jupyter_execute"]
templates_path = ["_templates"]
# Quotes in code and in prose are straight, so that they can be copied.
smartquotes = False
html_static_path = ["_static"]
html_css_files = ["skrankagg.css"]
html_search_scorer = str(HERE / "search_scorer.js")

myst_enable_extensions = ["dollarmath", "deflist", "colon_fence"]
myst_heading_anchors = 3
# Pages load nothing from other hosts: formulas are MathML, converted by mathml.py.
html_math_renderer = "mathml"
myst_update_mathjax = False
autosummary_generate = True
# The templates show the plot of a display, the line that imports a name, and links to inherited methods.
autosummary_context = {"plots": plots_of_pages(), **context()}
autodoc_typehints = "none"
numpydoc_show_class_members = False
numpydoc_xref_param_type = False
# Defaults such as Qrels or a module's function are clearer as written.
autodoc_preserve_defaults = True
add_module_names = False
# The list of a page's sections has no room for the name of the class before each method.
toc_object_entries_show_parents = "hide"

# A backend set in the environment would keep the notebooks' plots out of their pages.
os.environ.pop("MPLBACKEND", None)
# The search index has the stems of all words on all pages: compute each stem once.
SearchEnglish.stem = functools.cache(SearchEnglish.stem)
# The notebooks are stored without outputs: each build runs them, and fails if one fails or takes more than a minute.
nb_execution_mode = "force"
nb_execution_timeout = NOTEBOOK_SECONDS
nb_execution_raise_on_error = True
nb_execution_show_tb = True
nb_merge_streams = True
# A warning in a notebook is a fault too: a cell has raised it, or the text does not hold for the installed versions.
nb_output_stderr = "warn"
suppress_warnings = ["mystnb.unknown_mime_type"]  # HTML reprs of estimators include a text fallback

copybutton_prompt_text = r">>> |\.\.\. "
copybutton_prompt_is_regexp = True

html_theme = "pydata_sphinx_theme"
html_title = "skrankagg"
# Without an address, pages have neither a canonical link nor the tags of a preview.
html_baseurl = ADDRESSES.get("Documentation", "")
# With an address of the sources, the pages of notebooks have links to Colab.
notebook_source = ADDRESSES.get("Source", "")
html_favicon = "_static/logo.svg"
html_theme_options = {
    "logo": {"image_light": "_static/logo.svg", "image_dark": "_static/logo.svg", "text": "skrankagg"},
    # The header has one row: all links, and an icon for the search instead of a field.
    "navbar_align": "left",
    "navbar_start": ["navbar-logo", "version"],
    "navbar_persistent": ["search-button"],
    "navbar_end": ["theme-switcher"],
    "header_links_before_dropdown": 8,
    "secondary_sidebar_items": ["page-toc"],
    # Each colour of these styles has a contrast of at least 4.5 with the ground of code.
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
}
if "Source" in ADDRESSES:
    source = {"name": "Source", "url": ADDRESSES["Source"], "icon": "fa-solid fa-code"}
    html_theme_options |= {"icon_links": [source], "navbar_end": ["theme-switcher", "navbar-icon-links"]}
# Pages without siblings have nothing to list in the sidebar.
ALONE = "404 index getting_started evaluation scikit_learn recipes evidence performance pitfalls plots"
ALONE += " coming_from_pyflagr coming_from_ranx coming_from_robustrankaggreg"
html_sidebars = {page: [] for page in ALONE.split()}
html_sidebars["**"] = ["sidebar-nav-bs"]
html_show_sourcelink = False

write_api_pages(HERE / "api")
shutil.rmtree(HERE / "notebooks", ignore_errors=True)
shutil.copytree(HERE.parent / "notebooks", HERE / "notebooks")


def check_run_times(app, env):
    """Warn if a notebook takes too long; with -W, the warning fails the build."""
    times = {name: data["exec_data"]["runtime"] for name, data in env.nb_metadata.items() if data.get("exec_data")}
    for name, seconds in times.items():
        if seconds is not None and seconds > NOTEBOOK_SECONDS:
            message = "took %.0f s to run, more than %d s"
            logging.getLogger(__name__).warning(message, seconds, NOTEBOOK_SECONDS, location=name)


def escape_initials(app, what, name, obj, options, lines):
    """Escape the initial at the beginning of a reference, as in "A. Author", which docutils would read as a list."""
    lines[:] = [re.sub(r"^(\s*\.\. \[[^]]+\] )([A-Z]\. )", r"\1\\\2", line) for line in lines]


def setup(app):
    """Connect the functions that escape initials in docstrings and check the run times of notebooks."""
    app.connect("autodoc-process-docstring", escape_initials, priority=900)  # after numpydoc
    app.connect("env-check-consistency", check_run_times)
