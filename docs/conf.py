"""How the documentation is built: python -m sphinx -W docs docs/_build."""

import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

from api_pages import write_api_pages  # noqa: E402

import skrankagg  # noqa: E402

project = "skrankagg"
author = copyright = "The skrankagg developers"
release = version = skrankagg.__version__

extensions = [
    "myst_parser",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.mathjax",
]
source_suffix = {".rst": "restructuredtext", ".md": "markdown"}
exclude_patterns = ["_build"]
templates_path = ["_templates"]

myst_enable_extensions = ["dollarmath", "deflist"]
myst_heading_anchors = 3
autosummary_generate = True
autodoc_typehints = "none"
numpydoc_show_class_members = False
numpydoc_xref_param_type = False
# Defaults such as Qrels or a module's function are clearer as written.
autodoc_preserve_defaults = True
add_module_names = False

html_theme = "pydata_sphinx_theme"
html_title = "skrankagg"
html_theme_options = {
    "show_prev_next": False,
    "navbar_end": ["theme-switcher"],
    "secondary_sidebar_items": ["page-toc"],
    "pygments_light_style": "tango",
}
html_sidebars = {"index": [], "**": ["sidebar-nav-bs"]}

write_api_pages(HERE / "api")
