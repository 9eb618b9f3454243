"""The directive `gallery`, which shows a card for each page in a folder: first plot, first paragraph and run time."""

from docutils import nodes
from sphinx.util.docutils import SphinxDirective
from sphinx.util.nodes import make_refnode
from sphinx_design.shared import create_component


class Gallery(nodes.General, nodes.Element):
    """Placeholder for a gallery; `fill` replaces it after all pages are read."""


class GalleryDirective(SphinxDirective):
    """Directive `gallery`; its argument is the folder."""

    required_arguments = 1

    def run(self):
        """Insert the placeholder, and mark the page so that Sphinx reads it again in each build."""
        self.env.note_reread()
        return [Gallery(folder=self.arguments[0])]


def fill(app, doctree, docname):
    """Replace the placeholders of galleries by cards."""
    for place in list(doctree.findall(Gallery)):
        names = sorted(name for name in app.env.found_docs if name.startswith(place["folder"] + "/"))
        cards = [_card(app, docname, name) for name in names]
        place.replace_self(create_component("gallery", ["gallery"], children=cards))


def _card(app, docname, name):
    page = app.env.get_doctree(name)
    picture = next((image for image in page.findall(nodes.image) if image.get("candidates")), None)
    card = create_component("card", ["sd-card", "sd-shadow-sm", "sd-card-hover"])
    if picture is not None:
        thumbnail = nodes.image(uri=picture["uri"], candidates=picture["candidates"], alt=picture.get("alt", ""))
        card += create_component("thumbnail", ["gallery-thumbnail"], children=[thumbnail])
        app.env.images.add_file(docname, picture["uri"])
    title = nodes.inline("", app.env.titles[name].astext())
    link = make_refnode(app.builder, docname, name, "", title)
    link["classes"] = ["sd-stretched-link", "gallery-title"]
    body = create_component("card-body", ["sd-card-body"], children=[nodes.paragraph("", "", link)])
    text = next(page.findall(nodes.paragraph), None)
    if text is not None:
        body += nodes.paragraph("", " ".join(text.astext().split()))
    card += body
    seconds = (app.env.nb_metadata.get(name, {}).get("exec_data") or {}).get("runtime")
    if seconds is not None:
        time = nodes.paragraph("", f"Runs in {max(1, round(seconds))} s")
        card += create_component("card-footer", ["sd-card-footer"], children=[time])
    return card


def setup(app):
    """Register the directive with Sphinx."""
    app.add_node(Gallery)
    app.add_directive("gallery", GalleryDirective)
    app.connect("doctree-resolved", fill)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
