"""Links at the top of each notebook's page, and a check that each of its plots has a description."""

import re

from docutils import nodes
from sphinx import addnodes
from sphinx.util import logging

COLAB = "https://colab.research.google.com/github"


def colab_address(source, name):
    """Return the address at which Colab opens a notebook of a repository on GitHub, or None for other hosts."""
    found = re.fullmatch(r"https://github\.com/([\w.-]+/[\w.-]+?)(?:\.git)?/?", source)
    return found and f"{COLAB}/{found[1]}/blob/HEAD/notebooks/{name}"


def add_links(app, doctree):
    """Insert a link to download the notebook below its title, and a link to Colab if the project has an address."""
    docname = app.env.docname
    if not docname.startswith("notebooks/"):
        return
    name = app.env.doc2path(docname).name
    download = addnodes.download_reference("", "", nodes.inline("", "Download this notebook"), reftarget=name)
    download["filename"] = str(app.env.dlfiles.add_file(docname, str(app.env.doc2path(docname, base=False))))
    # This is not a paragraph: the description of the page and its card in the gallery begin with the first paragraph.
    line = nodes.inline("", "", download)
    address = colab_address(app.config.notebook_source, name)
    if address:
        line += [nodes.Text(" · "), nodes.reference("", "Open it in Colab", refuri=address)]
        line += [nodes.Text(" and first run "), nodes.literal("", "%pip install 'skrankagg[plot]'")]
    section = next(doctree.findall(nodes.section))
    section.insert(1, nodes.container("", line, classes=["notebook-links"]))


def check_descriptions(app, doctree):
    """Warn of plots that have no description in the metadata of their cell; with -W, the warning fails the build."""
    if app.env.docname.startswith("notebooks/"):
        for image in doctree.findall(nodes.image):
            if not image.get("alt"):
                message = "a plot has no description; write one into the metadata of its cell: mystnb, image, alt"
                logging.getLogger(__name__).warning(message, location=image)


def setup(app):
    """Connect the functions to Sphinx's events."""
    app.add_config_value("notebook_source", "", "env", str)
    app.connect("doctree-read", add_links)
    app.connect("doctree-read", check_descriptions)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
