"""The built pages of the documentation.

Tests that need a build read the folder in the environment variable SKRANKAGG_SITE, which .ci/run sets.
"""

import importlib.util
import json
import os
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

from public_api import DOCS

SITE = os.environ.get("SKRANKAGG_SITE")
built = pytest.mark.skipif(not SITE, reason="needs a build of the documentation, named by SKRANKAGG_SITE")

#: Attributes by which a page loads something, by element. A link that its reader follows loads nothing.
LOADS = {
    **dict.fromkeys(("script", "img", "iframe", "embed", "audio", "video", "source", "track", "input"), ("src",)),
    "link": ("href",),
    "object": ("data",),
    "image": ("href", "xlink:href"),
    "use": ("href", "xlink:href"),
}
#: Links in the head of a page that name other pages.
NAMES = {"canonical", "author", "copyright", "help", "index", "license", "next", "prev", "search"}


class Page(HTMLParser):
    """The resources, pictures, lists and metadata of a page."""

    def __init__(self, text):
        super().__init__()
        self.loads, self.pictures, self.lists, self.meta, self.tags = [], [], [], {}, []
        self._open = None
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        """Read an element."""
        given = {name: value or "" for name, value in attrs}
        self._open = tag
        self.tags.append(tag)
        if tag != "link" or not NAMES & set(given.get("rel", "").split()):
            self.loads += [given[name] for name in LOADS.get(tag, ()) if name in given]
        self.loads += [part.split()[0] for part in given.get("srcset", "").split(",") if part.split()]
        self.loads += loads_of_style(given.get("style", ""))
        if tag == "img":
            self.pictures.append((given.get("src", ""), given.get("alt")))
        elif tag == "ol":
            self.lists.append(given.get("class", ""))
        elif tag == "meta" and "name" in given:
            self.meta[given["name"]] = given.get("content", "")

    def handle_endtag(self, tag):
        """Leave an element."""
        self._open = None

    def handle_data(self, data):
        """Read the text of a style."""
        if self._open == "style":
            self.loads += loads_of_style(data)


def loads_of_style(text):
    """Return the addresses that a style sheet loads."""
    return re.findall(r"""(?:url\(|@import\s)\s*["']?([^"')\s]+)""", text)


def external(addresses):
    """Return the addresses on another host."""
    return [address for address in addresses if re.match(r"(?:[a-z]+:)?//", address.strip(), re.IGNORECASE)]


def pages():
    """Yield each page of the site with its path."""
    for path in sorted(Path(SITE).rglob("*.html")):
        name = path.relative_to(SITE).as_posix()
        if not name.startswith("_static/"):
            yield name, Page(path.read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    ("text", "loads"),
    [
        ('<script src="https://example.org/a.js"></script>', ["https://example.org/a.js"]),
        ('<script src="../_static/a.js?v=1"></script>', []),
        ('<link rel="stylesheet" href="//example.org/a.css">', ["//example.org/a.css"]),
        ('<link rel="canonical" href="https://example.org/">', []),
        ('<a href="https://example.org/">elsewhere</a>', []),
        ('<img alt="" src="data:image/png;base64,//8=">', []),
        ('<img alt="" srcset="a.png 1x, HTTP://example.org/b.png 2x">', ["HTTP://example.org/b.png"]),
        ('<style>@import "https://example.org/a.css"; p {color: red}</style>', ["https://example.org/a.css"]),
        ('<p style="background: url(https://example.org/a.png)">', ["https://example.org/a.png"]),
        ("<p>url(https://example.org/a.png)</p>", []),
        ('<svg><image href="https://example.org/a.svg"/></svg>', ["https://example.org/a.svg"]),
    ],
)
def test_page_finds_loads_from_other_hosts(text, loads):
    assert external(Page(text).loads) == loads


@built
def test_pages_load_nothing_from_other_hosts():
    found = {name: external(page.loads) for name, page in pages()}
    for path in Path(SITE).rglob("*.css"):
        found[path.relative_to(SITE).as_posix()] = external(loads_of_style(path.read_text(encoding="utf-8")))
    assert len(found) > 200
    assert not {name: loads for name, loads in found.items() if loads}


@built
def test_formulas_are_mathml():
    formulas = 0
    for path in Path(SITE).rglob("*.html"):
        text = path.read_text(encoding="utf-8")
        parts = re.findall(r'class="math notranslate nohighlight"[^>]*>(.*?)</(?:span|div)>', text, re.DOTALL)
        assert all("<math " in part for part in parts), path
        formulas += len(parts)
    assert formulas > 500


@built
def test_initials_are_not_rendered_as_lettered_lists():
    found = {name: [kind for kind in page.lists if "alpha" in kind or "roman" in kind] for name, page in pages()}
    assert not {name: kinds for name, kinds in found.items() if kinds}


@built
def test_pictures_have_alternative_texts():
    silent = {}
    for name, page in pages():
        for source, words in page.pictures:
            decorates = words == "" and source.endswith("logo.svg")  # next to the name
            if not (words or decorates) or re.search(r"\.(?:png|svg)$", words):
                silent.setdefault(name, []).append(source[:80])
    assert not silent


@built
def test_pages_have_a_description():
    lengths = {name: len(page.meta.get("description", "")) for name, page in pages()}
    assert not {name: length for name, length in lengths.items() if not 0 < length <= 160}


@built
@pytest.mark.parametrize(
    ("words", "page"),
    [
        ("hybrid search", "user_guide/hybrid_search"),
        ("rag", "user_guide/hybrid_search"),
        ("arena", "user_guide/arenas"),
        ("elo", "user_guide/arenas"),
        ("feature selection", "user_guide/feature_selection"),
        ("download", "user_guide/real_data"),
        ("gene lists", "user_guide/your_data"),
        ("pitfalls", "pitfalls"),
        ("ranx", "coming_from_ranx"),
    ],
)
def test_search_finds_a_page_by_words_of_its_headings(words, page):
    from sphinx.search.en import SearchEnglish

    text = (Path(SITE) / "searchindex.js").read_text(encoding="utf-8")
    index = json.loads(text.removeprefix("Search.setIndex(").removesuffix(")"))
    stem = SearchEnglish({}).stem

    def found(word):
        pages = index["titleterms"].get(stem(word), [])
        return {index["docnames"][k] for k in (pages if isinstance(pages, list) else [pages])}

    assert page in set.intersection(*map(found, words.split()))


@pytest.fixture(scope="module")
def mathml():
    for name in ("docutils", "latex2mathml", "sphinx"):
        pytest.importorskip(name)
    return from_docs("mathml")


def from_docs(name):
    spec = importlib.util.spec_from_file_location(name, DOCS / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_to_mathml_sets_the_spaces_of_latex(mathml):
    def inside(formula, display=False):
        return re.sub(r"^<math [^>]*><mrow>|</mrow></math>$", "", mathml.to_mathml(formula, display))

    space, none = '<mspace width="0.1667em" />', ' lspace="0" rspace="0"'
    assert inside(r"2 \log P") == f"<mn>2</mn>{space}<mi>log</mi>{space}<mi>P</mi>"
    assert inside(r"\exp(x)") == '<mi>exp</mi><mo stretchy="false">(</mo><mi>x</mi><mo stretchy="false">)</mo>'
    assert inside(r"\min_k x") == f"<msub><mo{none}>min</mo><mi>k</mi></msub>{space}<mi>x</mi>"
    assert inside(r"\min_k x", True).startswith("<munder>")
    assert inside(r"i : j") == "<mi>i</mi><mo>:</mo><mi>j</mi>"
    assert inside(r"|a|").count(none) == 2
    assert inside(r"\mathrm{Var}") == "<mrow><mi>Var</mi></mrow>"
    assert inside(r"\mathtt{n\_items}") == '<mrow><mtext class="mathtt">n_items</mtext></mrow>'


@pytest.mark.parametrize("formula", [r"\foo x", r"\frac{a", "a_b_c", r"\left(x", "x & y", r"\text{a < b}"])
def test_to_mathml_rejects_unsupported_formulas(mathml, formula):
    with pytest.raises(ValueError):
        mathml.to_mathml(formula)
