"""Descriptions of the plots in notebooks, for readers who cannot see them, and a description of each page."""

import html
import re

from docutils import nodes

#: Kinds of plots, by the class of skrankagg.plotting that draws them.
KINDS = {
    "AgreementDisplay": "Heat map",
    "ComparisonDisplay": "Bar chart",
    "ContributionDisplay": "Stacked bars",
    "CriticalDifferenceDisplay": "Critical difference diagram",
    "CutoffDisplay": "Line chart",
    "InterpolatedPrecisionDisplay": "Line chart",
    "PreferenceProbabilityDisplay": "Heat map",
    "QueryGainDisplay": "Bar chart",
    "RankStabilityDisplay": "Places with intervals",
    "VoterInfluenceDisplay": "Points and bars for each list",
    "VoterWeightsDisplay": "Points for the weights of each voter",
    "WeightCurveDisplay": "Curve with a band",
}
DESCRIPTION_LENGTH, PLOT_LENGTH = 160, 250


def describe_plots(app, doctree):
    """Describe each plot of a notebook by its kind, its section, the text before the plot, and its axes."""
    for image in doctree.findall(nodes.image):
        cell = _parent(image, lambda node: node.get("nb_element") == "cell_code")
        if not image.get("alt") and cell is not None:
            image["alt"] = _words(cell)


def _words(cell):
    code = _code(cell)
    drawn = _drawn(code)
    kind = "Bar charts" if 'kind="bar"' in code else KINDS[drawn[-1]] if drawn else "Plot"
    section = _parent(cell, lambda node: isinstance(node, nodes.section))
    words = f"{kind}, {section[0].astext()}"
    for node in reversed(cell.parent[: cell.parent.index(cell)]):
        if isinstance(node, nodes.paragraph):
            words += f": {_beginning_or_lead(node.astext())}"
            break
        # The text before another kind of plot is about that plot.
        if node.get("nb_element") == "cell_code" and any(node.findall(nodes.image)) and _drawn(_code(node)) != drawn:
            break
    for axis, name in (("x", "Horizontal"), ("y", "Vertical")):
        labels = re.findall(rf"""{axis}label(?:=|\()["']([^"'\n]+)["']""", code)
        if labels:
            words = f"{words.rstrip('.')}. {name} axis: {labels[-1]}"
    return words


def _code(cell):
    return "\n".join(block.astext() for block in cell.findall(nodes.literal_block))


def _drawn(code):
    return [name for name in KINDS if re.search(rf"\b{name}[.(]", code)]


def _beginning_or_lead(text):
    """Return the last sentence of a text that ends with a colon; otherwise, return the first sentences that fit."""
    first, *others = re.split(r"(?<=[.:?!]) (?=[A-Z`])", " ".join(text.split()))
    if text.endswith(":"):
        return (others or [first])[-1].rstrip(":")
    for sentence in others:
        if len(first) + len(sentence) >= PLOT_LENGTH:
            break
        first += f" {sentence}"
    return first.rstrip(".")


def _parent(node, condition):
    node = node.parent
    while node is not None and not (isinstance(node, nodes.Element) and condition(node)):
        node = node.parent
    return node


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
    """Connect the functions that describe plots and pages to Sphinx's events."""
    app.add_config_value("description", "", "html", str)
    app.connect("doctree-read", describe_plots)
    app.connect("doctree-read", join_lines)
    app.connect("html-page-context", describe_page)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
