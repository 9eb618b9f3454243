"""The pages of the reference: import lines, inherited methods, errors that methods raise, links of references."""

import importlib.util
import inspect
import re
import sys
import tomllib
import warnings

import pandas as pd
import pytest

from public_api import DOCS, public_objects
from skrankagg import Qrels, RankedLists, config_context
from skrankagg.datasets import make_ranked_lists
from skrankagg.exceptions import InputError, InputTypeError, MemoryLimitError
from skrankagg.utils.discovery import all_aggregators


def from_docs(name):
    spec = importlib.util.spec_from_file_location(name, DOCS / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def raises():
    return from_docs("raises")


@pytest.fixture(scope="module")
def data():
    frame, qrels, _ = make_ranked_lists(n_queries=3, n_voters=4, n_items=12, list_length=12, random_state=0)
    return frame, Qrels.from_frame(qrels)


#: Parameters with which a method needs memory that is not linear in the rows.
NEEDS_MEMORY = {
    "CombMED": {"absent_score": "min"},
    "CombMIN": {"absent_score": "min"},
    "SequentialElimination": {"rule": "borda"},
}
METHODS = {method.__name__: method for method in all_aggregators().values()}


@pytest.mark.parametrize("name", METHODS)
def test_each_method_raises_exactly_the_listed_errors(name, raises, data):
    method, (frame, qrels) = METHODS[name], data
    lists = RankedLists.from_frame(frame)
    parameters = inspect.signature(method).parameters
    learns = method().__sklearn_tags__().aggregator_tags.supervised
    judged = {"qrels": qrels} if learns else {}

    def call(X=lists, **given):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return method(**given).fit_transform(X, **judged)

    def fails(error, *args, **given):
        try:
            call(*args, **given)
        except error:
            return True
        return False

    listed = dict(raises.raised_by(method))
    values, types = " ".join(listed["ValueError"]), " ".join(listed["TypeError"])
    assert fails(InputError, frame.drop(columns="item")) and fails(InputError, pd.concat([frame, frame.head(1)]))
    assert fails(ValueError, **{next(iter(parameters)): object()}) or fails(
        TypeError, **{next(iter(parameters)): object()}
    )
    assert fails(InputTypeError, 3) and not fails(Exception)
    ranks = frame.drop(columns="score")
    assert fails(InputError, ranks) == ("no scores" in values)
    assert fails(InputError, frame.assign(weight=0.5)) == ("other than 1" in values or "whole number" in values)
    assert fails(InputError, frame.assign(weight=2)) == ("other than 1" in values)
    if "voter_weights" in parameters and "voter_weights" in values:
        for wrong in ({"v1": 1.0}, dict.fromkeys(lists.voters, -1.0)):
            assert fails(InputError, voter_weights=wrong)
        assert fails(InputTypeError, voter_weights=dict.fromkeys(lists.voters, "a")) and "not a number" in types
    assert ("voter_weights" in parameters) == ("voter_weights" in values)
    if "pins" in parameters and "pins" in values:
        for wrong in ({"pins": {"no such item": 1}}, {"pins": dict.fromkeys(lists.items, 1), "orders": []}):
            assert fails(InputError, **wrong)
        assert fails(InputTypeError, orders=[1]) and "list of pairs" in types
    assert ("pins" in parameters) == ("pins" in values)
    many = make_ranked_lists(n_queries=1, n_voters=20, n_items=200, list_length=200, random_state=0)
    judged = {"qrels": Qrels.from_frame(many[1])} if learns else {}
    with config_context(memory_limit="1B"):
        assert fails(MemoryLimitError, many[0], **NEEDS_MEMORY.get(name, {})) == ("MemoryLimitError" in listed)
    assert learns == ("no judgements" in values) == ("plain data frame" in types) == ("NotFittedError" in listed)
    if learns:
        for error, given in ((InputError, {}), (InputTypeError, {"qrels": qrels.to_frame()})):
            with pytest.raises(error):
                method().fit(lists, **given)
        with pytest.raises(ValueError, match="not fitted"):
            method().transform(lists)


def test_section_of_errors_stands_before_see_also(raises):
    lines = ["Merge.", "", "See Also", "--------", "x : y"]
    raises.insert_raises(None, "class", "x", METHODS["CombSUM"], None, lines)
    assert lines[2:5] == ["Raises", "------", "ValueError"] and lines.index("See Also") > lines.index("TypeError")
    assert "    - If the lists have no scores, or scores that contradict their ranks, and `norm` needs scores." in lines
    once = ["Merge.", "", "Raises", "------", "InputError", "    Always."]
    raises.insert_raises(None, "class", "x", METHODS["PlackettLuce"], None, once)
    assert once.count("Raises") == 1 and once[-2:] == ["InputError", "    Always."] and once[4] == "ValueError"
    other = ["Text."]
    raises.insert_raises(None, "class", "x", RankedLists, None, other)
    assert other == ["Text."]


@pytest.fixture(scope="module")
def reference():
    pytest.importorskip("docutils")
    sys.path.insert(0, str(DOCS))
    try:
        return from_docs("reference")
    finally:
        sys.path.remove(str(DOCS))


def test_import_lines_run(reference):
    found = reference.context()["imports"]
    assert found["skrankagg.aggregators.CombSUM"] == "from skrankagg import CombSUM"
    assert found["skrankagg.metrics.ndcg"] == "from skrankagg.metrics import ndcg"
    values = reference.public_values()
    for name, line in found.items():
        names = {}
        exec(line, names)
        assert names[name.rpartition(".")[2]] is values[name]


def test_inherited_methods_are_shown_on_the_page_of_their_class(reference):
    found = reference.context()["inherited"]
    base = "skrankagg.base.BaseAggregator"
    assert found["skrankagg.aggregators.CombSUM"] == [
        f"{base}.{name}" for name in ("aggregate", "fit", "fit_transform", "get_feature_names_out", "transform")
    ]
    assert "skrankagg.base.SupervisedAggregator.fit" in found["skrankagg.aggregators.LearnedWeights"]
    assert found[base] == [] and found["skrankagg.RankedLists"] == []
    assert sum(bool(one) for one in found.values()) > 45


def references():
    """Yield the text of each reference in the docstring of a public object."""
    for _, value in public_objects().values():
        for text in re.findall(r"^\.\. \[\w+\] (.*(?:\n +.*)*)", inspect.getdoc(value) or "", re.MULTILINE):
            yield " ".join(text.split())


def test_every_cited_work_has_a_doi_or_a_reason():
    known = tomllib.loads((DOCS / "dois.toml").read_text(encoding="utf-8"))
    assert len(known["doi"]) > 80 and not set(known["doi"]) & set(known["without"])
    assert all(known["without"].values())
    used = set()
    for text in set(references()):
        titles = [title for title in [*known["doi"], *known["without"]] if f'"{title}"' in text or title == text]
        assert titles or re.search(r"doi:|arXiv:|^https://", text), text
        used.update(titles)
    # Comments, private docstrings and the paper cite the rest.
    sources = [*(DOCS.parent / "skrankagg").rglob("*.py"), DOCS.parent / "paper" / "paper.bib"]
    text = re.sub(r"[{}\\]", "", " ".join(" ".join(path.read_text("utf-8") for path in sources).split()))
    assert len(used) > 90
    assert not [title for title in {*known["doi"], *known["without"]} - used if title not in text.replace(" # ", " ")]


#: The form that a registrant gives to all of its identifiers.
FORMS = {
    "10.1007": r"BF\d{8}|s\d{5}-\d{3}-\d{4,5}-[\dx]|978-[\d-]{13}_\d+",
    "10.1016": r"j\.\w+\.\d{4}\.(?:\d{2}\.\d{3}|\d{6})|S?\d{4}-\d{3}[\dX]\(\d\d\)\d{5}-[\dX]",
    "10.1038": r"nbt\d+|s\d{5}-\d{3}-\d{5}-[\dx]",
    "10.1080": r"\d{8}\.\d{4}\.\d{8}",
    "10.1093": r"(?:biomet/\d+\.[\d-]+\.\d+|bioinformatics/bt[a-z]+\d+|restud/rd[a-z]+\d+)",
    "10.1111": r"j\.\d{4}-\d{4}\.\d{4}\.tb\d{5}\.x",
    "10.1145": r"\d{6,7}(?:\.\d{6,7})?",
    "10.1186": r"1471-2105-\d+-\d+|s\d{5}-\d{3}-\d{4}-[\dx]",
    "10.1214": r"(?:aos|aoms)/\d{10}|\d{2}-AOS\d+",
    "10.2307": r"\d+",
    "10.24432": r"C5\w{4}",
}


def digit_of_isbn(text):
    """Return the check digit of the first twelve digits of an ISBN."""
    digits = [int(one) for one in text if one.isdigit()][:12]
    return -sum(digit * (3 if place % 2 else 1) for place, digit in enumerate(digits)) % 10


def digit_of_issn(text):
    """Return the check digit of the first seven digits of an ISSN."""
    digits = [int(one) for one in text if one.isdigit()][:7]
    return "0123456789X"[-sum(digit * (8 - place) for place, digit in enumerate(digits)) % 11]


def test_dois_are_unique_and_have_the_form_of_their_registrants():
    known = tomllib.loads((DOCS / "dois.toml").read_text(encoding="utf-8"))
    found = [doi.lower() for doi in known["doi"].values()]
    assert len(set(found)) == len(found)
    titles = [re.sub(r"\W+", " ", title.lower()).strip() for part in known.values() for title in part]
    assert len(set(titles)) == len(titles)
    for doi in known["doi"].values():
        registrant, _, name = doi.partition("/")
        assert re.fullmatch(r"10\.\d{4,5}", registrant) and re.fullmatch(r"[\w.()-][\w.()/-]*[\w)]", name), doi
        if registrant in FORMS:
            assert re.fullmatch(FORMS[registrant], name), doi
    checked = 0
    for doi in found:
        if isbn := re.search(r"/(978[\d-]+)_", doi):
            assert digit_of_isbn(isbn[1]) == int(isbn[1][-1]), doi
        elif issn := re.search(r"[/.](?:s|j\.)?(\d{4}-\d{3}[\dx])[.(]", doi):
            assert digit_of_issn(issn[1]) == issn[1][-1].upper(), doi
        checked += bool(isbn or issn)
    assert checked >= 7
    # The check digits of other books and journals are right.
    assert digit_of_isbn("978-0-306-40615-7") == 7 and digit_of_issn("0378-5955") == "5"


def test_references_and_addresses_become_links(reference):
    from docutils import nodes

    def read(*children):
        tree = nodes.section("", *children)
        reference.link_references(None, tree)
        reference.unlink_addresses(None, tree)
        return tree

    def cited(text):
        tree = read(nodes.citation("", nodes.label("", "1"), nodes.paragraph("", text)))
        return tree[0][1].astext(), [link["refuri"] for link in tree.findall(nodes.reference)]

    title = 'A. Moffat and J. Zobel, "Rank-biased precision for measurement of retrieval effectiveness", 2008.'
    assert cited(title) == (f"{title} doi:10.1145/1416950.1416952", ["https://doi.org/10.1145/1416950.1416952"])
    assert cited("T. Qin, arXiv:1306.2597, 2013.")[1] == ["https://arxiv.org/abs/1306.2597"]
    assert cited("SAGE, doi:10.4135/9781071878781.") == (
        "SAGE, doi:10.4135/9781071878781.",
        ["https://doi.org/10.4135/9781071878781"],
    )
    assert cited("L. Kish, Wiley, 1965.") == ("L. Kish, Wiley, 1965.", [])
    mail = nodes.reference("", "ndcg@10", refuri="mailto:ndcg@10")
    tree = read(nodes.paragraph("", "", nodes.Text("by "), mail))
    assert tree.astext() == "by ndcg@10" and not list(tree.findall(nodes.reference))


def test_each_family_has_a_diagram_with_text():
    from xml.etree import ElementTree

    pytest.importorskip("docutils")
    diagrams = from_docs("family_diagrams")
    families = {
        path.name.lstrip("_") for path in (DOCS.parent / "skrankagg" / "aggregators").glob("_*") if path.is_dir()
    }
    assert set(diagrams.DIAGRAMS) == families - {"_pycache__", "pycache__"}
    for family in diagrams.DIAGRAMS:
        root = ElementTree.fromstring(diagrams.svg(family))
        space = "{http://www.w3.org/2000/svg}"
        assert root.get("role") == "img" and root.find(f"{space}title").text and root.find(f"{space}desc").text
        assert len(root.findall(f"{space}text")) >= 4
        page = (DOCS / "user_guide" / f"{family}.md").read_text(encoding="utf-8")
        assert page.count(f"```{{family}} {family}\n```") == 1


def test_examples_of_docstrings_have_at_most_88_columns():
    long = []
    for name, (_, value) in public_objects().items():
        for line in (inspect.getdoc(value) or "").splitlines():
            shown = re.sub(r"\s+# doctest:.*", "", line)  # which the pages leave out
            if re.match(r"(>>>|\.\.\.) ", shown) and len(shown) > 88 and ".pyflagr" not in name:
                long.append((name, line))
    assert long == []


def test_output_is_sized_and_long_tables_get_labels(reference, caplog):
    nodes = pytest.importorskip("docutils.nodes")
    fitting = from_docs("fitting")

    def size(text):
        tree = nodes.section("", nodes.literal_block(text, text))
        fitting.size_code(None, tree)
        return tree[0]["classes"]

    assert size("x" * 88) == [] and size("$ " + "x  " * 70) == []
    assert size("a\n" + "ab  " * 25) == ["wide-code"] and size("ab  " * 30) == ["wider-code"]
    assert size("ab  " * 38) == size("ab  " * 75) == ["widest-code"]
    # Sentences are wrapped, also beside a wide table.
    assert size("a word " * 15) == ["wrapped-code"]
    assert size("a word " * 50 + "\n" + "ab  " * 25) == ["wide-code", "wrapped-code"]

    def row(cells):
        return nodes.row("", *(nodes.entry("", nodes.paragraph("", cell)) for cell in cells))

    def table(n_rows, n_columns=3, cells="abcd", headings="abcd"):
        body = nodes.tbody("", *(row(cells[:n_columns]) for _ in range(n_rows)))
        group = nodes.tgroup("", nodes.thead("", row(headings[:n_columns])), body, cols=n_columns)
        tree = nodes.section("", nodes.table("", group))
        fitting.label_cells(None, tree, "page")
        classes = tree[0]["classes"]
        assert {"labelled" in one[0]["classes"] for one in body} == {bool(classes) and cells[0].isdigit()}
        return classes, [label["heading"] for label in tree.findall(fitting.CellLabel)]

    assert table(fitting.LONG_ROWS - 1) == ([], [])
    assert table(fitting.LONG_ROWS) == (["cards"], ["a", "b", "c"] * fitting.LONG_ROWS)
    assert table(2, 4) == (["cards"], ["a", "b", "c", "d"] * 2)
    long = ["a" * (fitting.LONG_TEXT - 2), "b", "c"]
    assert table(2, cells=long) == (["cards"], ["a", "b", "c"] * 2) and table(2, 2, cells=long) == ([], [])
    # The heading of a number is shown in the first column, too. Empty cells have no heading.
    assert table(2, 4, cells=["1", "", "c", "d"]) == (["cards"], ["a", "c", "d"] * 2)
    for headings in ("abbc", ["a", "b", "", "d"]):
        table(2, 4, headings=headings)
        assert "must have different headings" in caplog.text
        caplog.clear()
    assert table(2, 4, headings=["", "b", "c", "d"])[0] == ["cards"] and not caplog.text


def test_pages_have_no_line_that_myst_reads_as_a_comment():
    # A line that begins with "%" is a comment: a "75 %" that is broken before the sign loses the rest of its line.
    pages = [path for path in DOCS.rglob("*.md") if not {"_build", "api", "notebooks"} & set(path.parts)]
    pages += list(DOCS.parent.glob("*.md"))
    assert len(pages) > 40
    found = []
    for path in pages:
        text = re.sub(r"^ *```.*?^ *```", "", path.read_text("utf-8"), flags=re.DOTALL | re.MULTILINE)
        found += [f"{path.name}: {line}" for line in text.splitlines() if re.match(r" {0,3}(?:%|\+\+\+)", line)]
    assert found == []
