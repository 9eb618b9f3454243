"""Descriptions of pictures whose text has several lines, and a description of each page."""

import html
import re

from docutils import nodes

DESCRIPTION_LENGTH = 160


def join_lines(app, doctree):
    """Restore the spaces at line ends in descriptions of pictures, which the Markdown parser drops."""
    source = app.env.doc2path(app.env.docname)
    if source.suffix != ".md":
        return
    words = {}
    for text in re.findall(r"!\[([^]]*\n[^]]*)\]\(", source.read_text(encoding="utf-8")):
        lines = [line.strip() for line in text.splitlines()]
        words["".join(lines)] = " ".join(lines)
    for image in doctree.findall(nodes.image):
        image["alt"] = words.get(image.get("alt"), image.get("alt", ""))


def describe_page(app, pagename, templatename, context, doctree):
    """Write the description of a page into its HTML head, and a preview for other sites if the site has an address."""
    found = list(doctree.findall(nodes.meta)) if doctree is not None else []
    words = next((meta["content"] for meta in found if meta.get("name") == "description"), "")
    tags = []
    if not words:
        words = _first_text(doctree, app.config.description)
        tags.append(f'<meta name="description" content="{html.escape(words)}" />')
    address = app.config.html_baseurl
    if address:
        title = re.sub(r"<[^>]+>", "", context.get("title") or app.config.project)
        tags += preview(html.unescape(title), words, address, context.get("pageurl") or address)
        if pagename == "404":  # a host shows this page at any address
            tags.insert(0, f'<base href="{html.escape(address)}" />')
    context["metatags"] = context.get("metatags", "") + "".join(f"\n    {tag}" for tag in tags)


def preview(title, words, address, page):
    """Return the tags from which other sites make a preview of a page."""
    picture = f"{address.rstrip('/')}/_static/preview.png"
    found = {"title": title, "description": words, "type": "website", "url": page, "image": picture}
    tags = [f'<meta property="og:{name}" content="{html.escape(value)}" />' for name, value in found.items()]
    return [*tags, '<meta name="twitter:card" content="summary_large_image" />']


def _first_text(doctree, default):
    """Return the beginning of the first paragraph that is longer than a name, such as the name of a module."""
    paragraphs = doctree.findall(nodes.paragraph) if doctree is not None else ()
    texts = (" ".join(node.astext().split()) for node in paragraphs if " " in node.astext())
    text = next(texts, default)
    if len(text) > DESCRIPTION_LENGTH:
        text = text[: DESCRIPTION_LENGTH - 1].rpartition(" ")[0].rstrip(",;:") + "…"
    return text


def setup(app):
    """Connect the functions that describe pictures and pages to Sphinx's events."""
    app.add_config_value("description", "", "html", str)
    app.connect("doctree-read", join_lines)
    app.connect("html-page-context", describe_page)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
