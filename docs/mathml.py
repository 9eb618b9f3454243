"""Formulas as MathML, which browsers display natively: a renderer for Sphinx that converts them during the build."""

import itertools
from xml.etree import ElementTree

from docutils import nodes
from latex2mathml.converter import convert
from sphinx.errors import ExtensionError
from sphinx.util.math import get_node_equation_number

NAMESPACE = "http://www.w3.org/1998/Math/MathML"
#: Number of children that an element must have; a formula without one, such as a fraction's denominator, is wrong.
CHILDREN = {"mfrac": 2, "mroot": 2, "msub": 2, "msup": 2, "munder": 2, "mover": 2, "msubsup": 3, "munderover": 3}
#: Relations that the converter treats as names.
RELATIONS = {":", "\N{LONG LEFT RIGHT DOUBLE ARROW}"}
#: LaTeX's space between the name of a function and an argument without parentheses.
THIN_SPACE = "0.1667em"

ElementTree.register_namespace("", NAMESPACE)


def to_mathml(formula, display=False):
    """Convert a formula in LaTeX to an element of MathML; raise ValueError if a part cannot be converted."""
    try:
        root = ElementTree.fromstring(convert(formula, display="block" if display else "inline"))
    except Exception as error:  # the converter's errors have no common base class
        raise ValueError(f"{type(error).__name__}: {error}") from error
    for element in root.iter():
        element.tag = element.tag.removeprefix(f"{{{NAMESPACE}}}")
        if "\\" in (element.text or ""):
            raise ValueError(f"unknown command {element.text}")
        if len(element) != CHILDREN.get(element.tag, len(element)):
            raise ValueError(f"{element.tag} must have {CHILDREN[element.tag]} parts; got {len(element)}")
    for element in list(root.iter()):
        _join_letters(element)
        _set_spaces(element, display)
    root.set("xmlns", NAMESPACE)
    return ElementTree.tostring(root, encoding="unicode")


def _join_letters(element):
    """Join adjacent upright or typewriter letters to a word; a CSS class gives words the typewriter font."""
    children = []
    for variant, group in itertools.groupby(element, key=lambda child: child.get("mathvariant")):
        letters = list(group)
        if variant in ("normal", "monospace"):
            word = ElementTree.Element("mi" if variant == "normal" else "mtext")
            word.text = "".join(letter.text for letter in letters)
            if variant == "monospace":
                word.set("class", "mathtt")
            elif len(word.text) == 1:
                word.set("mathvariant", "normal")
            letters = [word]
        children += letters
    element[:] = children


def _set_spaces(element, display):
    """Set LaTeX's spaces next to bars, relations and names of functions."""
    for index, child in reversed(list(enumerate(element))):
        if child.tag == "mi" and child.text in RELATIONS:
            child.tag = "mo"
        elif child.tag == "mo" and child.text == "|":
            child.attrib |= {"lspace": "0", "rspace": "0"}
        name = child[0] if child.tag in ("msub", "msup", "munder") else child
        if element.tag in CHILDREN or child.tag not in ("mi", "mo", "msub", "msup", "munder") or not _is_function(name):
            continue
        if name.tag == "mo":
            name.attrib |= {"lspace": "0", "rspace": "0"}
            if display and child.tag == "msub":
                child.tag = "munder"
        after = element[index + 1] if index + 1 < len(element) else None
        if after is not None and after.tag not in ("mo", "mspace"):
            element.insert(index + 1, ElementTree.Element("mspace", width=THIN_SPACE))
        before = element[index - 1] if index else None
        if before is not None and (before.tag not in ("mo", "mspace") or before.text == ")"):
            element.insert(index, ElementTree.Element("mspace", width=THIN_SPACE))


def _is_function(element):
    """Return True if an element is the name of a function, such as log or max."""
    return element.text in {"arg", "det", "exp", "lim", "ln", "log", "max", "median", "min", "sup", "inf"}


def _converted(node, display):
    try:
        return to_mathml(node.astext(), display)
    except ValueError as error:
        place = f"{node.source or ''}:{node.line or ''}".strip(":")
        raise ExtensionError(
            f"{place}: the formula {node.astext()!r} cannot be converted to MathML: {error}"
        ) from error


def visit_math(self, node):
    """Write an inline formula."""
    self.body.append(self.starttag(node, "span", "", CLASS="math notranslate nohighlight"))
    self.body.append(_converted(node, display=False) + "</span>")
    raise nodes.SkipNode


def visit_math_block(self, node):
    """Write a displayed formula, with its number if it has one."""
    self.body.append(self.starttag(node, "div", CLASS="math notranslate nohighlight"))
    if node["number"]:
        self.body.append(f'<span class="eqno">({get_node_equation_number(self, node)})')
        self.add_permalink_ref(node, "Link to this equation")
        self.body.append("</span>")
    self.body.append(_converted(node, display=True) + "</div>\n")
    raise nodes.SkipNode


def setup(app):
    """Register the renderer under the name used in html_math_renderer."""
    app.add_html_math_renderer("mathml", (visit_math, None), (visit_math_block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
