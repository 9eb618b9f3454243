"""The built pages of the documentation.

Tests that need a build read the folder in the environment variable SKRANKAGG_SITE, which .ci/run sets.
"""

import importlib.util
import json
import os
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import quote

import pytest
from browser import Browser, find_browser
from browser import pages as files_of
from page_faults import CHECKS, faults

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


#: A query, and the pages that may be the first result. The first are the tasks of visitors.
SEARCHES = {
    "heatmap": {"plots"},
    "polars output": {"scikit_learn"},
    "inter-rater agreement": {"evaluation"},
    "kendall tau with ties": {"evaluation"},
    "chatbot arena": {"user_guide/arenas"},
    "excel": {"user_guide/your_data"},
    "pandas wide": {"user_guide/your_data"},
    "speed of Kemeny": {"performance", "user_guide/kemeny"},
    "tune weights without overfitting": {"user_guide/learned", "scikit_learn"},
    "p-value gene list": {"user_guide/gene_lists"},
    # The same tasks in other words, which are not entries of search_words.toml.
    "RRF weights": {"user_guide/hybrid_search"},
    "merge BM25 vector": {"user_guide/hybrid_search"},
    "Kendall tau ties top-k": {"evaluation"},
    "leaderboard confidence interval": {"user_guide/how_sure", "user_guide/arenas"},
    "p-values genes": {"user_guide/gene_lists", "user_guide/your_data"},
    "plots": {"plots"},
    "wide pandas table": {"user_guide/your_data"},
    "kemeny speed": {"performance", "user_guide/kemeny"},
    "trec runs": {"user_guide/your_data"},
    # Names of the code still lead to their own pages.
    "ReciprocalRankFusion": {"api/generated/skrankagg.aggregators.ReciprocalRankFusion"},
    "rank_stability": {"api/generated/skrankagg.inspection.rank_stability"},
}


@built
@pytest.mark.parametrize(("query", "pages"), SEARCHES.items(), ids=list(SEARCHES))
def test_first_result_of_the_search_on_pages_opened_as_files(query, pages, tmp_path):
    browser = find_browser()
    if browser is None:
        pytest.skip("needs Chromium")
    address = f"{(Path(SITE) / 'search.html').resolve().as_uri()}?q={quote(query)}"
    options = [
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        f"--user-data-dir={tmp_path}",
        "--virtual-time-budget=9000",
    ]
    call = [browser, *options, "--dump-dom", address]
    page = subprocess.run(call, capture_output=True, text=True, timeout=120, check=True).stdout
    found = re.findall(r'<li[^>]*>\s*<a href="([^"?#]+)\.html', page.partition('<ul role="list" class="search">')[2])
    assert found and found[0] in pages, found[:5]


@pytest.fixture(scope="module")
def browser():
    program = find_browser()
    if program is None:
        pytest.skip("needs Chromium")
    with Browser(program) as opened:
        yield opened


#: Faults of a page by its text: too wide, a cut formula, no fault, pale in both themes, pale in the dark theme only.
FAULTY = {
    "<p style='width: 500px'>wide</p>": ["390 px, light: "],
    "<div style='overflow: hidden'><p><span class='math' style='white-space: nowrap'>"
    + "x+" * 60
    + "</span></p></div>": ["390 px, light: "],
    "<p><span class='math'>x</span></p>": [],
    "<p style='color: #999'>pale</p>": ["1440 px, light: 2.85 p.: pale", "1440 px, dark: 2.85 p.: pale"],
    "<style>@media (prefers-color-scheme: dark) {p {background: #333}}</style><p>dark</p>": ["1440 px, dark: 1.66 p."],
    "<p style='color: #949494; font-size: 24px'>large</p><p hidden style='color: #fff'>hidden</p>": [],
}


@pytest.mark.exhaustive
@pytest.mark.parametrize(("text", "found"), FAULTY.items(), ids=["wide", "cut", "short", "pale", "dark", "none"])
def test_faults_finds_wide_pages_and_pale_texts(text, found, browser, tmp_path):
    page = tmp_path / "page.html"
    page.write_text(f"<!doctype html><html><head></head><body>{text}</body></html>", encoding="utf-8")
    lines = faults(browser, {"page": page}).get("page", [])
    assert len(lines) == len(found) and all(line.startswith(one) for line, one in zip(lines, found, strict=True)), lines


@built
def test_no_page_scrolls_sideways_on_a_phone_or_has_pale_text(browser):
    paths = files_of(SITE)
    browser.open(paths["index.html"])
    for _, theme, _ in CHECKS:
        browser.change(theme=theme)
        assert browser.run("document.documentElement.dataset.theme") == theme
    # Generated pages are built alike, so every twelfth of them is opened. tools/page_faults.py opens all pages.
    chosen = {
        name: path for k, (name, path) in enumerate(sorted(paths.items())) if "generated/" not in name or k % 12 == 0
    }
    assert len(paths) > 200 and faults(browser, chosen) == {}


@pytest.fixture(scope="module")
def search_words():
    pytest.importorskip("sphinx")
    return from_docs("search_words")


def test_search_words_are_in_lower_case_and_unique(search_words):
    pages = search_words.read_words()
    for page, entries in pages.items():
        assert entries and all(entry == entry.lower().strip() for entry in entries), page
        assert len(set(entries)) == len(entries), page
        assert (DOCS / f"{page}.md").exists(), page
    every = [entry for entries in pages.values() for entry in entries]
    assert len(every) == len(set(every))


MINIMAL = """
import sys
sys.path.insert(0, {docs!r})
project = "example"
extensions = ["myst_parser", "page_words", "search_words"]
html_baseurl = {address!r}
import search_words
search_words.read_words = lambda: {words!r}
"""


def build(folder, address="", words=None):
    """Build a site of two pages with the project's extensions; return the folder of its pages."""
    for name in ("sphinx", "myst_parser"):
        pytest.importorskip(name)
    pages = {
        "index": "# A `home` & B\n\nFirst words & more.\n\n```{toctree}\n404\n```\n",
        "404": "# Lost\n\nNo page is here.\n",
    }
    for name, text in pages.items():
        (folder / f"{name}.md").write_text(text, encoding="utf-8")
    (folder / "conf.py").write_text(
        MINIMAL.format(docs=str(DOCS), address=address, words=words or {}), encoding="utf-8"
    )
    call = [sys.executable, "-m", "sphinx", "-q", "-W", str(folder), str(folder / "out")]
    result = subprocess.run(call, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    return folder / "out"


@pytest.mark.exhaustive
def test_pages_have_preview_tags_once_there_is_an_address(tmp_path):
    site = build(tmp_path, "https://host.example/docs/")
    text = (site / "index.html").read_text(encoding="utf-8")
    tags = dict(re.findall(r'<meta property="og:(\w+)" content="([^"]*)"', text))
    assert tags == {
        "title": "A home &amp; B",
        "description": "First words &amp; more.",
        "type": "website",
        "url": "https://host.example/docs/index.html",
        "image": "https://host.example/docs/_static/preview.png",
    }
    assert "<base" not in text and 'name="twitter:card"' in text
    assert '<base href="https://host.example/docs/" />' in (site / "404.html").read_text(encoding="utf-8")
    assert (DOCS / "_static" / "preview.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.exhaustive
def test_pages_without_an_address_have_no_preview_tags_and_the_search_has_hidden_words(tmp_path):
    site = build(tmp_path, words={"404": ["gone away"]})
    text = (site / "404.html").read_text(encoding="utf-8")
    assert "og:" not in text and "<base" not in text and "gone" not in text
    assert "gone" not in (site / "genindex.html").read_text(encoding="utf-8")
    index = json.loads((site / "searchindex.js").read_text("utf-8").removeprefix("Search.setIndex(").removesuffix(")"))
    page = index["docnames"].index("404")
    assert index["indexentries"] == {"gone away": [[page, "", True]]}
    assert index["titleterms"]["gone"] == page


@pytest.mark.exhaustive
def test_search_words_of_an_unknown_page_stop_the_build(tmp_path):
    with pytest.raises(AssertionError, match="must name pages of the documentation; got lost/page"):
        build(tmp_path, words={"lost/page": ["word"]})


def test_addresses_have_one_place():
    text = (DOCS / "conf.py").read_text(encoding="utf-8")
    assert 'html_baseurl = ADDRESSES.get("Documentation", "")' in text and "https://" not in text


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


def luminance(colour):
    """Return the relative luminance of a colour such as "#fff" or "#4E9A06", by WCAG."""
    digits = colour.lstrip("#")
    digits = "".join(digit * (6 // len(digits)) for digit in digits) if len(digits) == 3 else digits
    parts = [int(digits[k : k + 2], 16) / 255 for k in (0, 2, 4)]
    red, green, blue = (part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one, other):
    """Return the contrast of two colours, from 1 to 21."""
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def test_contrast_is_that_of_wcag():
    assert contrast("#fff", "#000000") == pytest.approx(21)
    assert contrast("#777777", "#fff") == pytest.approx(4.48, abs=0.01)
    assert contrast("#4E9A06", "#f8f8f8") == pytest.approx(3.3, abs=0.1)


@built
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_code_has_enough_contrast(theme):
    # All pages use these two style sheets.
    static = Path(SITE) / "_static"
    sheet = (static / "styles" / "pydata-sphinx-theme.css").read_text(encoding="utf-8")
    block = re.search(rf'html\[data-theme="?{theme}"?\]\{{[^}}]*--pst-color-surface:(#\w+)', sheet)
    rules = re.findall(
        rf'html\[data-theme="{theme}"\] \.highlight (\S+) \{{[^}}]*?(?<!-)color: (#\w+)([^}}]*)\}}',
        (static / "pygments.css").read_text(encoding="utf-8"),
    )
    found = {name: contrast(colour, block[1]) for name, colour, rest in rules if "background" not in rest}
    assert len(found) > 20 and not {name: value for name, value in found.items() if value < 4.5}


def test_pictures_of_svg_have_a_role_a_title_and_text():
    pictures = sorted((DOCS / "_static").glob("*.svg"))
    assert len(pictures) > 2
    for path in pictures:
        text = path.read_text(encoding="utf-8")
        assert re.search(r'<svg [^>]*role="img"', text) and "<title>" in text, path.name
        assert path.name == "logo.svg" or "<text " in text, path.name


@built
def test_inherited_methods_and_addresses_are_not_repeated():
    for name in ("CombSUM", "Kemeny", "LearnedWeights"):
        text = (Path(SITE) / "api" / "generated" / f"skrankagg.aggregators.{name}.html").read_text(encoding="utf-8")
        assert f'id="skrankagg.aggregators.{name}.fit"' not in text
        assert "BaseAggregator.html#skrankagg.base.BaseAggregator.transform" in text
        assert "Inherited methods" in text and "ValueError" in text
        assert "from skrankagg import" in re.sub(r"<[^>]+>", "", text).replace("\xa0", " ")
    joined = [path.read_text(encoding="utf-8") for path in Path(SITE).rglob("*.html")]
    assert not any("mailto:" in text or re.search("[\u201c\u201d\u2018\u2019]", text) for text in joined)
    assert sum(text.count("https://doi.org/") for text in joined) > 90
