"""Sphinx extension: a small diagram of each family of methods, drawn by this script in the colours of the page.

The directive `family` of a page of the guide inserts the diagram. `python docs/family_diagrams.py [folder]` writes the
diagrams to files, to look at them.
"""

import sys
from html import escape
from pathlib import Path

from docutils import nodes
from docutils.parsers.rst import Directive

WIDTH, HEIGHT = 480, 150
#: Style of a diagram: the page's own text colour, and the accent of the theme.
STYLE = (
    "text{font:13px system-ui,sans-serif;fill:currentColor}"
    ".small{font-size:11px}.bold{font-weight:600}.mid{text-anchor:middle}.end{text-anchor:end}"
    ".line{stroke:currentColor;fill:none;stroke-width:1.4}.thin{stroke:currentColor;fill:none;opacity:.45}"
    ".accent{fill:var(--pst-color-primary,#0a7d91);stroke:none}.pale{fill:currentColor;stroke:none;opacity:.22}"
    ".mark{stroke:var(--pst-color-primary,#0a7d91);fill:none;stroke-width:2.2}"
)


def _text(x, y, words, kind=""):
    return f'<text x="{x:g}" y="{y:g}" class="{kind}">{escape(words)}</text>'


def _line(x1, y1, x2, y2, kind="line", width=None, arrow=False):
    extra = f' style="stroke-width:{width:g}"' if width else ""
    head = ' marker-end="url(#head)"' if arrow else ""
    return f'<path d="M{x1:g} {y1:g} L{x2:g} {y2:g}" class="{kind}"{extra}{head}/>'


def _curve(x1, y1, cx, cy, x2, y2, kind="line", arrow=False):
    head = ' marker-end="url(#head)"' if arrow else ""
    return f'<path d="M{x1:g} {y1:g} Q{cx:g} {cy:g} {x2:g} {y2:g}" class="{kind}"{head}/>'


def _circle(x, y, r, kind="line"):
    return f'<circle cx="{x:g}" cy="{y:g}" r="{r:g}" class="{kind}"/>'


def _box(x, y, width, height, kind="line"):
    return f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" rx="2" class="{kind}"/>'


def _list(x, title, items, accent=""):
    """Draw a list: its title, and its items in boxes; the item `accent` is filled."""
    parts = [_text(x + 30, 22, title, "small mid")]
    for k, item in enumerate(items):
        y = 32 + 27 * k
        parts += [_box(x, y, 60, 22, "pale" if item != accent else "accent"), _box(x, y, 60, 22, "thin")]
        white = ' style="fill:var(--pst-color-background,#fff)"' if item == accent else ""
        parts.append(f'<text x="{x + 30:g}" y="{y + 16:g}" class="mid"{white}>{escape(item)}</text>')
    return parts


def _scores():
    parts = []
    for k, (item, shares) in enumerate([("A", (70, 60, 65)), ("B", (85, 40, 30)), ("C", (20, 50, 45))]):
        y, x = 30 + 34 * k, 60
        parts.append(_text(40, y + 16, item, "bold end"))
        for share, kind in zip(shares, ("accent", "pale", "line"), strict=True):
            parts.append(_box(x, y, share, 22, kind))
            x += share
        parts.append(_text(x + 10, y + 16, str(sum(shares))))
    for k, (name, kind) in enumerate([("list 1", "accent"), ("list 2", "pale"), ("list 3", "line")]):
        parts += [_box(340, 34 + 30 * k, 16, 16, kind), _text(364, 47 + 30 * k, name)]
    return [*parts, _text(60, 144, "the score of an item is a sum over the lists", "small")]


def _majorities():
    places = {"A": (110, 40), "B": (290, 40), "C": (200, 118)}
    parts = [_circle(x, y, 17) for x, y in places.values()]
    parts += [_text(x, y + 5, name, "bold mid") for name, (x, y) in places.items()]
    parts += [_line(129, 40, 267, 40, arrow=True), _text(200, 32, "6 : 3", "mid")]
    parts += [_line(279, 55, 217, 105, arrow=True), _text(266, 92, "5 : 4")]
    parts += [_line(121, 55, 183, 105, arrow=True), _text(136, 92, "7 : 2", "end")]
    return [*parts, _text(330, 80, "A wins both of", "small"), _text(330, 96, "its duels", "small")]


def _kemeny():
    parts = _list(60, "list", ["B", "A", "D", "C"]) + _list(250, "consensus", ["A", "B", "C", "D"])
    for one, other in ((0, 1), (1, 0), (2, 3), (3, 2)):
        parts.append(_line(124, 43 + 27 * one, 246, 43 + 27 * other))
    parts += [_circle(185, 56.5, 6, "mark"), _circle(185, 110.5, 6, "mark")]
    parts += [_text(340, 70, "2 crossings: the list and", "small"), _text(340, 86, "the order disagree on", "small")]
    return [*parts, _text(340, 102, "2 pairs of items", "small")]


def _markov():
    parts = [_circle(90, 75, 34, "pale"), _circle(230, 75, 24, "pale"), _circle(350, 75, 15, "pale")]
    parts += [_text(90, 80, "A", "bold mid"), _text(230, 80, "B", "bold mid"), _text(350, 80, "C", "bold mid")]
    parts += [_curve(208, 62, 165, 30, 126, 56, arrow=True), _curve(124, 92, 165, 118, 206, 92, "thin", arrow=True)]
    parts += [_curve(338, 62, 295, 34, 256, 58, arrow=True), _curve(255, 91, 295, 114, 337, 90, "thin", arrow=True)]
    return [*parts, _text(60, 142, "a walk moves to better items; the time spent at an item is its score", "small")]


def _order_statistics():
    parts = [_line(60, 45, 420, 45), _line(60, 95, 420, 95)]
    parts += [_circle(x, 45, 6, "accent") for x in (70, 84, 95, 118, 150)]
    parts += [_circle(x, 95, 6, "pale") for x in (90, 165, 240, 330, 405)]
    parts += [_text(50, 50, "A", "bold end"), _text(50, 100, "B", "bold end")]
    parts += [_text(60, 122, "first", "small"), _text(420, 122, "last", "small end")]
    parts += [_text(430, 50, "p = .001", "small"), _text(430, 100, "p = .6", "small")]
    return [*parts, _text(60, 143, "a dot is the rank in a list: are the ranks better than chance?", "small")]


def _weighted():
    parts = []
    for k, (name, width) in enumerate([("voter 1", 6), ("voter 2", 3.5), ("voter 3", 0.8)]):
        y = 32 + 40 * k
        parts += [_box(50, y, 80, 26, "thin"), _text(90, y + 18, name, "mid")]
        parts.append(_line(134, y + 13, 268, 85, "mark" if k < 2 else "line", width))
    parts += [_box(272, 70, 96, 30), _text(320, 90, "consensus", "mid")]
    return [*parts, _text(380, 82, "voters that agree", "small"), _text(380, 98, "weigh more", "small")]


def _learned():
    parts = _list(40, "lists", ["A", "B", "C"]) + _list(150, "judgements", ["A  good", "B  bad", "C  good"], "")
    parts += [_line(216, 75, 256, 75, arrow=True), _text(295, 48, "weights", "small mid")]
    for k, width in enumerate((62, 22, 40)):
        parts.append(_box(268, 56 + 18 * k, width, 12, "accent"))
    parts += [
        _line(340, 75, 376, 75, arrow=True),
        _text(384, 72, "lists of", "small"),
        _text(384, 88, "other queries", "small"),
    ]
    return [*parts, _text(40, 143, "weights are learned from judged queries, and used for other queries", "small")]


def _models():
    points = [(60 + 3.4 * k, 105 - 80 / (1 + 2.718281828 ** (-(k - 50) / 11))) for k in range(101)]
    path = " L".join(f"{x:.1f} {y:.1f}" for x, y in points)
    parts = [f'<path d="M{path}" class="mark"/>', _line(60, 105, 400, 105), _line(60, 25, 60, 105, "thin")]
    parts += [
        _text(52, 30, "1", "small end"),
        _text(52, 109, "0", "small end"),
        _circle(290, points[68][1], 5, "accent"),
    ]
    parts += [_line(230, 105, 230, 65, "thin"), _text(230, 122, "equally strong", "small mid")]
    parts.append(_text(400, 122, "A stronger", "small end"))
    return [*parts, _text(60, 143, "the probability that A beats B follows from their strengths", "small")]


def _ballots():
    parts = []
    for x, title, bars in ((50, "round 1", (70, 60, 30)), (270, "round 2", (74, 86, 0))):
        parts.append(_text(x + 50, 20, title, "small mid"))
        for k, (name, votes) in enumerate(zip("ABC", bars, strict=True)):
            left = x + 36 * k
            kind = "accent" if (title, name) == ("round 2", "B") else "pale"
            parts += [_box(left, 115 - votes, 26, votes, kind)] if votes else []
            parts.append(_text(left + 13, 131, name if votes else "out", "small mid"))
    parts += [_line(172, 75, 256, 75, arrow=True), _text(214, 66, "C leaves", "small mid")]
    return [*parts, _text(50, 147, "the last item leaves, and its ballots count for their next item", "small")]


def _gene_lists():
    parts = _list(40, "screen, ranked", ["TP53", "EGFR", "MYC"], "MYC")
    parts += [_text(190, 22, "review, no order", "small mid"), _circle(190, 80, 48, "pale")]
    parts += [_text(172, 68, "KRAS", "mid"), _text(206, 88, "MYC", "bold mid"), _text(184, 110, "PTEN", "mid")]
    parts += _list(280, "proteins, ranked", ["MYC", "PTEN"], "MYC")
    parts += [_text(356, 60, "MYC is in all", "small"), _text(356, 76, "three lists", "small")]
    return [*parts, _text(40, 147, "lists of different kinds and lengths; a set has no order", "small")]


#: For each family, by the name of its page: title, description and drawing.
DIAGRAMS = {
    "scores": ("Scores", "Bars of three items; each bar consists of the scores from three lists.", _scores),
    "majorities": ("Majorities", "Arrows between three items, with the votes of each duel.", _majorities),
    "kemeny": (
        "Kemeny",
        "A list and the consensus; lines connect equal items, and two pairs of lines cross.",
        _kemeny,
    ),
    "markov": ("Markov chains", "Three states; thick arrows lead to better items, whose circles are larger.", _markov),
    "order_statistics": (
        "Order statistics",
        "Ranks of two items on a line: near the front, and spread.",
        _order_statistics,
    ),
    "weighted": (
        "Learned voter weights",
        "Three voters, joined to the consensus by lines of their weights.",
        _weighted,
    ),
    "learned": ("Learning from judgements", "Lists and judgements give weights for other queries.", _learned),
    "models": ("Models", "A curve: the probability that A beats B rises with the strength of A.", _models),
    "ballots": ("Ballots", "Bars of first places in two rounds of instant runoff.", _ballots),
    "gene_lists": (
        "Gene lists",
        "Two ranked lists and a set without an order, with one gene in all of them.",
        _gene_lists,
    ),
}


def svg(family):
    """Return the diagram of a family as an element of SVG with a role, a title, a description and text."""
    title, description, draw = DIAGRAMS[family]
    name = f"family-{family}"
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" class="family" role="img" '
            f'aria-labelledby="{name}-title {name}-text">',
            f'<title id="{name}-title">{escape(title)}</title>',
            f'<desc id="{name}-text">{escape(description)}</desc>',
            f"<style>{STYLE}</style>",
            '<defs><marker id="head" markerWidth="8" markerHeight="8" refX="6" refY="4" orient="auto">'
            '<path d="M1 1 L7 4 L1 7 z" fill="currentColor"/></marker></defs>',
            *draw(),
            "</svg>",
        ]
    )


class Family(Directive):
    """Directive `family`; its argument is the name of the family's page."""

    required_arguments = 1

    def run(self):
        """Insert the diagram into pages of HTML."""
        if self.arguments[0] not in DIAGRAMS:
            raise self.error(f"`family` must be one of {', '.join(DIAGRAMS)}; got {self.arguments[0]}.")
        return [nodes.raw("", svg(self.arguments[0]), format="html")]


def setup(app):
    """Register the directive with Sphinx."""
    app.add_directive("family", Family)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


if __name__ == "__main__":
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else ".")
    for one in DIAGRAMS:
        (folder / f"{one}.svg").write_text(svg(one) + "\n", encoding="utf-8")
